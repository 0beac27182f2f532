#include "analysis/memory/page_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/rows.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

void ws_page_table_finish(struct ws_page_table *table)
{
    free(table->list);
    ws_id_map_finish(&table->ids);
    ws_id_map_finish(&table->memories);
    ws_id_map_finish(&table->launches);
    ws_id_map_finish(&table->unknown);
    ws_id_map_finish(&table->unknown_homes);
    ws_id_map_finish(&table->chunks);
    *table = (struct ws_page_table){0};
}

/* The value of a key; a new one gets the next number. */
static bool find_number(struct ws_id_map *map, uint64_t key, uint32_t *count, uint32_t *number)
{
    if (ws_id_map_get(map, key, number))
        return true;
    *number = (*count)++;
    return ws_id_map_put(map, key, *number);
}

/* The page of a key; a new one is as `fresh`. */
static bool find_page(struct ws_page_table *table, uint64_t key, const struct ws_page *fresh,
                      uint32_t *number)
{
    const uint32_t count = table->count;
    struct ws_page *list = ws_array_grow(table->list, &table->capacity, count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    table->list = list;
    if (!find_number(&table->ids, key, &table->count, number))
        return false;
    if (table->count > count)
        list[*number] = *fresh;
    return true;
}

bool ws_page_table_find(struct ws_page_table *table, uint64_t launch, const struct ws_request_memory *memory,
                        uint64_t line, uint32_t *number)
{
    uint64_t byte = 0;
    const uint32_t space_number = ws_request_space_of(memory, line, &byte);
    const struct ws_request_space *space = &memory->space_list[space_number];
    const uint64_t key = (uint64_t)space_number << 32 | byte / table->bytes;
    const struct ws_page fresh = {.launch = launch,
                                  .home = space->key - (space->begin >> 32),
                                  .memory = space->memory,
                                  .begin = space->begin + byte / table->bytes * table->bytes};
    if (!table->has_last || table->last_key != key) {
        table->has_last = find_page(table, key, &fresh, &table->last);
        table->last_key = key;
    }
    *number = table->last;
    return table->has_last;
}

void ws_page_note(struct ws_page *page, uint32_t bound, const char *buffer)
{
    const uint32_t count = page->owner_count < WS_PAGE_OWNERS ? page->owner_count : WS_PAGE_OWNERS;
    for (uint32_t i = 0; i < count; ++i)
        if (page->owners[i].bound == bound && (bound < WS_BOUND_LAST || page->owners[i].buffer == buffer))
            return;
    if (count < WS_PAGE_OWNERS)
        page->owners[count] = (struct ws_page_owner){bound, buffer};
    page->owner_count = count < WS_PAGE_OWNERS ? count + 1 : WS_PAGE_OWNERS + 1;
}

/* The number of the home that a page is of. */
static bool find_home(struct ws_page_table *table, const struct ws_page *page, uint32_t *number)
{
    uint32_t launch = 0;
    uint32_t unknown = 0;
    if (page->memory != WS_BOUND_UNKNOWN)
        return find_number(&table->memories, page->memory, &table->home_count, number);
    return find_number(&table->launches, page->launch, &table->launch_count, &launch) &&
           find_number(&table->unknown, page->home, &table->unknown_count, &unknown) &&
           find_number(&table->unknown_homes, (uint64_t)launch << 32 | unknown, &table->home_count, number);
}

bool ws_page_table_take(struct ws_page_table *table, const struct ws_page *page, uint32_t *number)
{
    struct ws_page fresh = *page;
    uint32_t chunk = 0;
    if (!find_home(table, page, &fresh.home_number) ||
        !find_number(&table->chunks, (uint64_t)fresh.home_number << 32 | page->begin >> 32,
                     &table->chunk_count, &chunk) ||
        !find_page(table, (uint64_t)chunk << 32 | (page->begin & UINT32_MAX) / table->bytes, &fresh, number))
        return false;
    struct ws_page *found = &table->list[*number];
    for (uint32_t i = 0; i < page->owner_count && i < WS_PAGE_OWNERS; ++i)
        ws_page_note(found, page->owners[i].bound, page->owners[i].buffer);
    if (page->owner_count > WS_PAGE_OWNERS)
        found->owner_count = page->owner_count;
    return true;
}

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right, void *pointer)
{
    const struct ws_page_table *table = pointer;
    const uint32_t indices[2] = {*(const uint32_t *)left, *(const uint32_t *)right};
    const struct ws_page *a = &table->list[indices[0]];
    const struct ws_page *b = &table->list[indices[1]];
    if (a->memory != b->memory) /* WS_BOUND_UNKNOWN is the largest */
        return order_numbers(a->memory, b->memory);
    if (a->memory == WS_BOUND_UNKNOWN && a->launch != b->launch)
        return order_numbers(a->launch, b->launch);
    if (a->memory == WS_BOUND_UNKNOWN && a->home != b->home)
        return order_numbers(a->home, b->home);
    if (a->begin != b->begin)
        return order_numbers(a->begin, b->begin);
    return order_numbers(indices[0], indices[1]);
}

uint32_t *ws_page_table_order(const struct ws_page_table *table)
{
    uint32_t *order = calloc((size_t)table->count + 1, sizeof(*order));
    for (uint32_t i = 0; order != NULL && i < table->count; ++i)
        order[i] = i;
    if (order != NULL && table->count > 0)
        qsort_r(order, table->count, sizeof(*order), compare, (void *)(uintptr_t)table);
    return order;
}

/* What the application calls it; else what the shader that touched it first calls it. */
static void owner_text(const struct ws_catalog *catalog, const struct ws_page_owner *owner, char *text,
                       size_t size)
{
    const struct ws_resource *resource = ws_bound_resource(catalog, owner->bound);
    if (resource != NULL && resource->name[0] != '\0')
        snprintf(text, size, "%s", resource->name);
    else if (owner->buffer != NULL)
        snprintf(text, size, "%s", owner->buffer);
    else if (resource == NULL || !ws_memory_bound_text(catalog, owner->bound, text, size))
        snprintf(text, size, "device addresses");
}

void ws_page_home_text(const struct ws_catalog *catalog, const struct ws_page *page, char *text, size_t size)
{
    const struct ws_page_owner first = {WS_BOUND_UNKNOWN, page->owners[0].buffer};
    if (page->memory == WS_BOUND_UNKNOWN || !ws_memory_bound_text(catalog, page->memory, text, size))
        owner_text(catalog, &first, text, size);
}

void ws_page_owners_text(const struct ws_catalog *catalog, const struct ws_page *page, char *text,
                         size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < page->owner_count && i < WS_PAGE_OWNERS && used < size; ++i) {
        char name[256];
        owner_text(catalog, &page->owners[i], name, sizeof(name));
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (page->owner_count > WS_PAGE_OWNERS && used < size)
        snprintf(text + used, size - used, ", ...");
}
