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

bool ws_annotate_memory_find(struct ws_annotate_memory *memory, const struct ws_groups *caches,
                             const struct ws_annotation *annotation)
{
    *memory = (struct ws_annotate_memory){NULL, 0};
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
    if (memory->count > 0)
        qsort(memory->list, memory->count, sizeof(*memory->list), compare);
    return true;
}

void ws_annotate_memory_finish(struct ws_annotate_memory *memory)
{
    free(memory->list);
}

/* Whether an access belongs to a line. */
static bool is_on(const struct ws_annotate_access *access, uint32_t file, const struct ws_annotate_line *line)
{
    if (line->instruction != WS_NONE)
        return access->instruction == line->instruction;
    if (line->first_of_block)
        return access->block == line->blocks[0];
    return line->number != 0 && access->file != WS_NONE && access->file == file &&
           access->line == line->number;
}

bool ws_annotate_memory_next(const struct ws_annotate_memory *memory, uint32_t file,
                             const struct ws_annotate_line *line, uint32_t *at,
                             struct ws_annotate_access *found)
{
    while (*at < memory->count && !is_on(&memory->list[*at], file, line))
        ++*at;
    if (*at == memory->count)
        return false;
    *found = memory->list[*at];
    for (++*at; *at < memory->count && compare_buffers(&memory->list[*at], found) == 0; ++*at)
        if (is_on(&memory->list[*at], file, line))
            ws_caches_sums_add(&found->sums, &memory->list[*at].sums);
    return true;
}
