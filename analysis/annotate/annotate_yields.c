#include "analysis/annotate/annotate_yields.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const struct ws_annotate_yield *a = left;
    const struct ws_annotate_yield *b = right;
    if (a->output != b->output)
        return a->output < b->output ? -1 : 1;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

bool ws_annotate_yields_find(struct ws_annotate_yields *yields, const struct ws_probes *probes,
                             const struct ws_annotation *annotation)
{
    *yields = (struct ws_annotate_yields){.probes = probes};
    const uint32_t rows = probes != NULL ? ws_groups_count(probes->groups, WS_PROBES_BY_SITE) : 0;
    const struct ws_module_record *module =
        &annotation->catalog->modules[annotation->catalog->shaders[annotation->shader].module];
    yields->list = rows > 0 ? calloc(rows, sizeof(*yields->list)) : NULL;
    if (rows > 0 && yields->list == NULL)
        return false;
    for (uint32_t i = 0; i < rows; ++i) {
        struct ws_row row;
        uint32_t first = 0;
        uint32_t end = 0;
        ws_groups_row(probes->groups, WS_PROBES_BY_SITE, i, &row);
        const struct ws_yield_sums *sums = row.sums;
        const uint32_t site = (uint32_t)row.keys[WS_PROBES_SITE];
        if (row.keys[WS_PROBES_SHADER] != annotation->shader || site >= module->site_count ||
            (sums->count == 0 && sums->lost == 0))
            continue;
        ws_code_range(annotation->code, module->sites[site].info.offset, 1, &first, &end);
        if (first >= end)
            continue;
        const struct ws_source_place *place = &annotation->code->places[first];
        yields->list[yields->count++] =
            (struct ws_annotate_yield){.file = place->file,
                                       .line = place->line,
                                       .instruction = first,
                                       .block = annotation->block_of[first],
                                       .output = (uint32_t)row.keys[WS_PROBES_OUTPUT],
                                       .sums = *sums};
    }
    if (yields->count > 0)
        qsort(yields->list, yields->count, sizeof(*yields->list), compare);
    return true;
}

void ws_annotate_yields_finish(struct ws_annotate_yields *yields)
{
    free(yields->list);
}

/* Whether a place belongs to a line. */
static bool is_on(const struct ws_annotate_yield *yield, uint32_t file, const struct ws_annotate_line *line)
{
    if (line->instruction != WS_NONE)
        return yield->instruction == line->instruction;
    if (line->first_of_block)
        return yield->block == line->blocks[0];
    return line->number != 0 && yield->file != WS_NONE && yield->file == file && yield->line == line->number;
}

bool ws_annotate_yields_next(struct ws_annotate_yields *yields, uint32_t file,
                             const struct ws_annotate_line *line, uint32_t *at,
                             struct ws_annotate_yield *found)
{
    while (*at < yields->count && !is_on(&yields->list[*at], file, line))
        ++*at;
    if (*at == yields->count)
        return false;
    *found = (struct ws_annotate_yield){.output = yields->list[*at].output};
    for (; *at < yields->count && yields->list[*at].output == found->output; ++*at) {
        if (!is_on(&yields->list[*at], file, line))
            continue;
        ws_yield_sums_add(&found->sums, &yields->list[*at].sums);
        yields->list[*at].shown = true;
    }
    return true;
}

bool ws_annotate_yields_rest(const struct ws_annotate_yields *yields, uint32_t *at,
                             struct ws_annotate_yield *found)
{
    while (*at < yields->count && yields->list[*at].shown)
        ++*at;
    if (*at == yields->count)
        return false;
    *found = (struct ws_annotate_yield){.output = yields->list[*at].output};
    for (; *at < yields->count && yields->list[*at].output == found->output; ++*at)
        if (!yields->list[*at].shown)
            ws_yield_sums_add(&found->sums, &yields->list[*at].sums);
    return true;
}

bool ws_annotate_yields_whole(const struct ws_annotate_yields *yields, const struct ws_annotation *annotation,
                              uint32_t *at, struct ws_annotate_yield *found)
{
    const struct ws_probes *probes = yields->probes;
    const uint32_t rows = probes != NULL ? ws_groups_count(probes->groups, WS_PROBES_BY_SHADER) : 0;
    while (*at < rows) {
        struct ws_row row;
        ws_groups_row(probes->groups, WS_PROBES_BY_SHADER, (*at)++, &row);
        const uint64_t output = row.keys[WS_PROBES_OUTPUT];
        if (row.keys[WS_PROBES_SHADER] != annotation->shader || !probes->outputs[output].output->per_shader)
            continue;
        *found = (struct ws_annotate_yield){.output = (uint32_t)output,
                                            .sums = *(const struct ws_yield_sums *)row.sums};
        return true;
    }
    return false;
}
