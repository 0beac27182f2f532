/* Memory that another process offers to this one. */
#ifndef WS_LAYER_PROCESS_SHARED_H
#define WS_LAYER_PROCESS_SHARED_H

#include <stddef.h>

/* Maps the file at `path`, which is to be `size` bytes of memory (memfd_create) that the same user owns, and that
 * can neither shrink nor grow (F_SEAL_SHRINK, F_SEAL_GROW, fcntl(2)): a file that shrinks would end the
 * application by SIGBUS, and a file of any other kind must not be written to because a variable names it. The
 * descriptor is closed again. The memory stays mapped until the process ends; a fork's child shares it. NULL where
 * the file is another, or cannot be reached. Thread-safe. */
void *ws_map_shared(const char *path, size_t size);

#endif
