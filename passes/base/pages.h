/* Arrays of zeroed elements that are there only where they are touched: threads and warps of one worker of
 * the replay are some of many. Zero-initialised is empty. */
#ifndef WS_PASSES_BASE_PAGES_H
#define WS_PASSES_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct ws_pages {
    void **pages;
    uint32_t count;
};

#define WS_PAGE 256 /* elements */

/* The element; NULL when there is no memory. */
void *ws_page_touch(struct ws_pages *pages, uint32_t index, size_t size);

/* The element; NULL where none near it was touched. */
void *ws_page_get(const struct ws_pages *pages, uint32_t index, size_t size);
void ws_pages_finish(struct ws_pages *pages);

#endif
