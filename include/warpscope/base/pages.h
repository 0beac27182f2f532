/* An array of which only the pages that are touched take memory. Example: one worker of the replay handles
 * some of the threads of a launch, and keeps something for each by the thread's index. New elements are zero.
 * Zero-initialised is empty. Not thread-safe. */
#ifndef WARPSCOPE_BASE_PAGES_H
#define WARPSCOPE_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct ws_pages {
    void **pages;
    uint32_t count;
};

#define WS_PAGE 256 /* elements of a page */

/* The element at `index`, whose page is allocated where it is not there. `size` is that of an element, the
 * same in all calls. NULL when there is no memory. */
void *ws_page_touch(struct ws_pages *pages, uint32_t index, size_t size);

/* The element at `index`; NULL where its page was never touched. */
void *ws_page_get(const struct ws_pages *pages, uint32_t index, size_t size);
void ws_pages_finish(struct ws_pages *pages);

#endif
