#include "warpscope/base/pages.h"

#include <stdlib.h>
#include <string.h>

void *ws_page_get(const struct ws_pages *pages, uint32_t index, size_t size)
{
    uint32_t page = index / WS_PAGE;
    if (page >= pages->count || pages->pages[page] == NULL)
        return NULL;
    return (char *)pages->pages[page] + index % WS_PAGE * size;
}

void *ws_page_touch(struct ws_pages *pages, uint32_t index, size_t size)
{
    uint32_t page = index / WS_PAGE;
    if (page >= pages->count) {
        uint32_t count = page + page / 2 + 16;
        void **grown = realloc(pages->pages, count * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        memset(grown + pages->count, 0, (count - pages->count) * sizeof(*grown));
        pages->pages = grown;
        pages->count = count;
    }
    if (pages->pages[page] == NULL)
        pages->pages[page] = calloc(WS_PAGE, size);
    return pages->pages[page] != NULL ? (char *)pages->pages[page] + index % WS_PAGE * size : NULL;
}

void ws_pages_finish(struct ws_pages *pages)
{
    for (uint32_t i = 0; i < pages->count; ++i)
        free(pages->pages[i]);
    free(pages->pages);
    memset(pages, 0, sizeof(*pages));
}
