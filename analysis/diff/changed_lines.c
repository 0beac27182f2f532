#include "analysis/diff/changed_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/row_text.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"

/* The source and the line of a row; NULL where its shader did not change, or its text is not known. */
static const struct ws_diff_source *find_line(const struct ws_diff *diff, const struct ws_diff_table *table,
                                              uint32_t side, uint32_t row, uint32_t *shader, uint32_t *line)
{
    struct ws_value place;
    const struct ws_catalog *catalog = &diff->reports[side]->catalog;
    *shader = ws_diff_row_shader(table, side, row);
    ws_diff_row_value(table, side, row, "source", &place);
    const char *colon = place.kind == WS_VALUE_TEXT ? strrchr(place.text, ':') : NULL;
    if (*shader == WS_NONE || colon == NULL || diff->match.shaders.other[side][*shader] == WS_NONE ||
        ws_diff_same_code(&diff->match, diff->reports, side, *shader))
        return NULL;
    *line = (uint32_t)ws_diff_row_number(table, side, row, "line");
    const struct ws_diff_source *source = ws_diff_source_find(
        &diff->sources, side, catalog->shaders[*shader].module, place.text, (size_t)(colon - place.text));
    return source != NULL && *line > 0 && *line <= source->lines.join.count[side] ? source : NULL;
}

static void take_figures(const struct ws_diff *diff, const struct ws_diff_table *table, uint32_t side,
                         uint32_t row, struct ws_diff_changed_line *line)
{
    struct ws_value efficiency;
    ws_diff_row_value(table, side, row, "efficiency", &efficiency);
    line->executed[side] = true;
    line->executions[side] =
        ws_diff_row_number(table, side, row, "thread_executions") / (double)diff->divisor[side];
    line->has_efficiency[side] = efficiency.kind == WS_VALUE_REAL && !efficiency.unknown;
    line->efficiency[side] = line->has_efficiency[side] ? efficiency.real : 0;
}

static bool is_told(const struct ws_diff_changed_line *line)
{
    return line->state != WS_DIFF_LINE_SAME || line->executed[0] != line->executed[1] ||
           line->executions[0] != line->executions[1] || line->has_efficiency[0] != line->has_efficiency[1] ||
           line->efficiency[0] != line->efficiency[1];
}

/* Adds a row of `side`, with its counterpart where it has one. */
static bool add_line(struct ws_diff_changed_lines *lines, const struct ws_diff *diff,
                     const struct ws_diff_table *table, uint32_t side, uint32_t index)
{
    const uint32_t other = table->join.other[side][index];
    const uint32_t row = table->rows[side][index];
    uint32_t shader = WS_NONE;
    uint32_t number = 0;
    const struct ws_diff_source *source = find_line(diff, table, side, row, &shader, &number);
    if (source == NULL)
        return true;
    struct ws_diff_changed_line line = {.source = source};
    const uint32_t joined = source->lines.join.other[side][number - 1];
    line.shader[side] = shader;
    line.shader[1 - side] = diff->match.shaders.other[side][shader];
    line.line[side] = number;
    line.line[1 - side] = joined != WS_NONE ? joined + 1 : 0;
    line.state = joined == WS_NONE ? (side == 0 ? WS_DIFF_LINE_GONE : WS_DIFF_LINE_NEW)
                 : ws_diff_line_is_equal(&source->lines, side, number - 1) ? WS_DIFF_LINE_SAME
                                                                           : WS_DIFF_LINE_CHANGED;
    take_figures(diff, table, side, row, &line);
    if (other != WS_NONE)
        take_figures(diff, table, 1 - side, table->rows[1 - side][other], &line);
    if (!is_told(&line))
        return true;
    struct ws_diff_changed_line *grown =
        ws_array_grow(lines->lines, &lines->capacity, lines->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    lines->lines = grown;
    grown[lines->count++] = line;
    return true;
}

static uint32_t place_of(const struct ws_diff_changed_line *line)
{
    return line->line[0] != 0 ? line->line[0] : line->line[1];
}

static int compare_lines(const void *left, const void *right)
{
    const struct ws_diff_changed_line *a = left;
    const struct ws_diff_changed_line *b = right;
    const double change_a = fabs(a->executions[1] - a->executions[0]);
    const double change_b = fabs(b->executions[1] - b->executions[0]);
    if (change_a != change_b)
        return change_a > change_b ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (place_of(a) != place_of(b))
        return place_of(a) < place_of(b) ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return (a->shader[0] > b->shader[0]) - (a->shader[0] < b->shader[0]);
}

bool ws_diff_changed_lines_init(struct ws_diff_changed_lines *lines, const struct ws_diff *diff)
{
    const struct ws_diff_table *table = ws_diff_table_find(diff, "hotspots", "lines");
    *lines = (struct ws_diff_changed_lines){.count = 0};
    for (uint32_t side = 0; table != NULL && side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < table->join.count[side]; ++i)
            if ((side == 0 || table->join.other[1][i] == WS_NONE) && !add_line(lines, diff, table, side, i))
                return false;
    if (lines->count > 0)
        qsort(lines->lines, lines->count, sizeof(*lines->lines), compare_lines);
    return true;
}

void ws_diff_changed_lines_finish(struct ws_diff_changed_lines *lines)
{
    free(lines->lines);
    *lines = (struct ws_diff_changed_lines){.count = 0};
}

const char *ws_diff_line_state_name(enum ws_diff_line_state state)
{
    static const char *const names[] = {"same", "changed", "gone", "new"};
    return names[state];
}

void ws_diff_changed_line_text(const struct ws_diff_changed_line *line, uint32_t side, char *text,
                               size_t size)
{
    text[0] = '\0';
    if (line->line[side] == 0)
        return;
    struct ws_diff_line found = line->source->lines.lines[side][line->line[side] - 1];
    while (found.length > 0 && strchr(" \t", found.text[0]) != NULL)
        ++found.text, --found.length;
    while (found.length > 0 && strchr(" \t", found.text[found.length - 1]) != NULL)
        --found.length;
    snprintf(text, size, "%.*s", (int)(found.length < size ? found.length : size - 1), found.text);
    ws_text_cut(text);
    for (char *at = text; *at != '\0'; ++at)
        *at = *at == '\t' ? ' ' : *at;
}
