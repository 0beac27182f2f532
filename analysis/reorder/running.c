#include "analysis/reorder/running.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

void ws_running_finish(struct ws_running *running)
{
    const size_t size = running->size;
    ws_pages_finish(&running->places);
    ws_pages_finish(&running->pool);
    free(running->spare);
    *running = (struct ws_running){.size = size};
}

void *ws_running_at(const struct ws_running *running, uint32_t place)
{
    return ws_page_get(&running->pool, place, running->size);
}

void *ws_running_get(const struct ws_running *running, uint32_t thread)
{
    const uint32_t *place = ws_page_get(&running->places, thread, sizeof(*place));
    return place != NULL && *place > 0 ? ws_running_at(running, *place - 1) : NULL;
}

void *ws_running_touch(struct ws_running *running, uint32_t thread)
{
    uint32_t *place = ws_page_touch(&running->places, thread, sizeof(*place));
    if (place == NULL)
        return NULL;
    if (*place > 0)
        return ws_running_at(running, *place - 1);
    if (running->spare_count == 0) {
        uint32_t *spare =
            ws_array_grow(running->spare, &running->spare_capacity, running->count + 1, sizeof(*spare));
        if (spare == NULL)
            return NULL;
        running->spare = spare;
        if (ws_page_touch(&running->pool, running->count, running->size) == NULL)
            return NULL;
        spare[running->spare_count++] = running->count++;
    }
    *place = running->spare[--running->spare_count] + 1;
    return ws_running_at(running, *place - 1);
}

void ws_running_end(struct ws_running *running, uint32_t thread)
{
    uint32_t *place = ws_page_get(&running->places, thread, sizeof(*place));
    memset(ws_running_at(running, *place - 1), 0, running->size);
    running->spare[running->spare_count++] = *place - 1;
    *place = 0;
}
