#include "analysis/annotate/annotate_memory.h"

#include <stdlib.h>
#include <string.h>

/* Names before no name. */
static int compare_buffers(const struct ws_annotate_access *a, const struct ws_annotate_access *b)
{
    if (a->buffer == NULL || b->buffer == NULL)
        return (a->buffer == NULL) - (b->buffer == NULL);
    const int order = strcmp(a->buffer, b->buffer);
    return order != 0 ? order : (int)a->kind - (int)b->kind;
}

static int compare(const void *left, const void *right)
{
    const struct ws_annotate_access *a = left;
    const struct ws_annotate_access *b = right;
    const int order = compare_buffers(a, b);
    if (order != 0)
        return order;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

static uint64_t key_of(const struct ws_annotate_access *access, enum ws_annotate_key by)
{
    switch (by) {
    case WS_ANNOTATE_BY_LINE: return (uint64_t)access->file << 32 | access->line;
    case WS_ANNOTATE_BY_BLOCK: return access->block;
    default: return access->instruction;
    }
}

struct ordering {
    const struct ws_annotate_memory *memory;
    enum ws_annotate_key by;
};

static int compare_keys(const void *left, const void *right, void *pointer)
{
    const struct ordering *ordering = pointer;
    const uint32_t indices[2] = {*(const uint32_t *)left, *(const uint32_t *)right};
    const uint64_t a = key_of(&ordering->memory->list[indices[0]], ordering->by);
    const uint64_t b = key_of(&ordering->memory->list[indices[1]], ordering->by);
    if (a != b)
        return a < b ? -1 : 1;
    return indices[0] < indices[1] ? -1 : indices[0] > indices[1];
}

bool ws_annotate_memory_sort(struct ws_annotate_memory *memory)
{
    if (memory->count == 0)
        return true;
    qsort(memory->list, memory->count, sizeof(*memory->list), compare);
    for (int by = 0; by < WS_ANNOTATE_KEYS; ++by) {
        struct ordering ordering = {memory, (enum ws_annotate_key)by};
        uint32_t *order = malloc(memory->count * sizeof(*order));
        memory->orders[by] = order;
        if (order == NULL)
            return false;
        for (uint32_t i = 0; i < memory->count; ++i)
            order[i] = i;
        qsort_r(order, memory->count, sizeof(*order), compare_keys, &ordering);
    }
    return true;
}

bool ws_annotate_memory_find(struct ws_annotate_memory *memory, const struct ws_groups *caches,
                             const struct ws_annotation *annotation)
{
    *memory = (struct ws_annotate_memory){.count = 0};
    const uint32_t rows = caches != NULL ? ws_groups_count(caches, WS_CACHES_PLACES) : 0;
    const struct ws_module_traces *traces =
        annotation->catalog->modules[annotation->catalog->shaders[annotation->shader].module].traces;
    if (rows == 0 || traces == NULL || annotation->code == NULL)
        return true;
    memory->list = calloc(rows, sizeof(*memory->list));
    if (memory->list == NULL)
        return false;
    for (uint32_t i = 0; i < rows; ++i) {
        struct ws_row row;
        ws_groups_row(caches, WS_CACHES_PLACES, i, &row);
        const uint64_t key = row.keys[WS_CACHES_BY_PLACE];
        if (key >> 32 != annotation->shader || (uint32_t)key >= traces->access_count)
            continue;
        const struct ws_traced_access *access = &traces->accesses[(uint32_t)key];
        const uint32_t instruction = access->access.instruction;
        if (instruction >= annotation->code->module.instruction_count)
            continue;
        const struct ws_source_place *place = &annotation->code->places[instruction];
        memory->list[memory->count++] =
            (struct ws_annotate_access){.file = place->file,
                                        .line = place->line,
                                        .instruction = instruction,
                                        .block = annotation->block_of[instruction],
                                        .kind = access->access.kind,
                                        .buffer = access->memory,
                                        .sums = *(const struct ws_caches_sums *)row.sums};
    }
    return ws_annotate_memory_sort(memory);
}

void ws_annotate_memory_finish(struct ws_annotate_memory *memory)
{
    for (int i = 0; i < WS_ANNOTATE_KEYS; ++i)
        free(memory->orders[i]);
    free(memory->list);
}

/* Which accesses a line has. False: it has none, as where it has no number. */
static bool find_key(uint32_t file, const struct ws_annotate_line *line, enum ws_annotate_key *by,
                     uint64_t *key)
{
    if (line->instruction != WS_NONE) {
        *by = WS_ANNOTATE_BY_INSTRUCTION;
        *key = line->instruction;
    } else if (line->first_of_block) {
        *by = WS_ANNOTATE_BY_BLOCK;
        *key = line->blocks[0];
    } else {
        *by = WS_ANNOTATE_BY_LINE;
        *key = (uint64_t)file << 32 | line->number;
        return line->number != 0 && file != WS_NONE;
    }
    return true;
}

/* The first place in an order whose key is not smaller. */
static uint32_t find_first(const struct ws_annotate_memory *memory, enum ws_annotate_key by, uint64_t key)
{
    uint32_t low = 0;
    uint32_t high = memory->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (key_of(&memory->list[memory->orders[by][middle]], by) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The access at a place in an order, where it has the key; else NULL. */
static const struct ws_annotate_access *access_at(const struct ws_annotate_memory *memory,
                                                  enum ws_annotate_key by, uint64_t key, uint64_t place)
{
    if (place >= memory->count)
        return NULL;
    const struct ws_annotate_access *access = &memory->list[memory->orders[by][place]];
    return key_of(access, by) == key ? access : NULL;
}

bool ws_annotate_memory_next(const struct ws_annotate_memory *memory, uint32_t file,
                             const struct ws_annotate_line *line, uint32_t *at,
                             struct ws_annotate_access *found)
{
    enum ws_annotate_key by;
    uint64_t key;
    if (memory->count == 0 || !find_key(file, line, &by, &key))
        return false;
    const uint64_t first = find_first(memory, by, key);
    const struct ws_annotate_access *access = access_at(memory, by, key, first + *at);
    if (access == NULL)
        return false;
    *found = *access;
    for (++*at; (access = access_at(memory, by, key, first + *at)) != NULL; ++*at) {
        if (compare_buffers(access, found) != 0)
            break;
        ws_caches_sums_add(&found->sums, &access->sums);
    }
    return true;
}
