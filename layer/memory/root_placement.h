/* Host memory at an address that is the same in every run. */
#ifndef WS_LAYER_MEMORY_ROOT_PLACEMENT_H
#define WS_LAYER_MEMORY_ROOT_PLACEMENT_H

#include <stddef.h>

/* `size` bytes (a multiple of the page size) of zeroed private memory at the first of a fixed list of
 * places that nothing else occupies; NULL when all are taken. Unmap with munmap. */
void *ws_root_placement_map(size_t size);

#endif
