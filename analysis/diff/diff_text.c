/* The comparison as text: the head, advice, the figures of the whole capture, shaders, the rows that changed most. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/changed_lines.h"
#include "analysis/diff/diff.h"
#include "analysis/diff/row_text.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/times.h"
#include "warpscope/output/style.h"
#include "warpscope/output/table.h"
#include "warpscope/output/wrap.h"

#define INDENT     12 /* of what stands behind a label */
#define ROWS_USUAL 8
#define TEXT_SIZE  2048
#define SMALL_SIZE 160 /* of texts in cells */

/* Where the text goes, how wide it is, and how many rows a list has. */
struct page {
    FILE *stream;
    size_t width;
    uint32_t rows;
    bool all;
};

static void print_label(const char *label, const char *text, const struct page *page)
{
    ws_wrap_item(label, text, 2, INDENT, page->width, page->stream);
}

static void print_heading(const char *heading, const struct page *page)
{
    fputc('\n', page->stream);
    ws_style_begin(WS_STYLE_HEADING, page->stream);
    fputs(heading, page->stream);
    ws_style_end(page->stream);
    fputc('\n', page->stream);
}

static void print_side(const struct ws_diff *diff, uint32_t side, const struct page *page)
{
    const struct ws_report *report = diff->reports[side];
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "%s: %s", report->path,
             report->overview.command_line[0] != '\0' ? report->overview.command_line
                                                      : "program not recorded");
    ws_text_cut(text);
    print_label(side == 0 ? "A" : "B", text, page);
}

static void append(char text[TEXT_SIZE], const char *between, const char *part)
{
    const size_t used = strlen(text);
    const int length = snprintf(text + used, TEXT_SIZE - used, "%s%s", used > 0 ? between : "", part);
    if (length >= (int)(TEXT_SIZE - used))
        ws_text_cut(text);
}

static void print_settings(const struct ws_diff *diff, const struct page *page)
{
    char text[TEXT_SIZE] = "";
    for (uint32_t i = 0; i < diff->setting_count; ++i) {
        const struct ws_diff_setting *setting = &diff->settings[i];
        char part[TEXT_SIZE];
        snprintf(part, sizeof(part), "%s %s -> %s", setting->what,
                 setting->value[0][0] != '\0' ? setting->value[0] : "(none)",
                 setting->value[1][0] != '\0' ? setting->value[1] : "(none)");
        append(text, "; ", part);
    }
    print_label("settings", text[0] != '\0' ? text : "the same passes, settings, device, frames and launches",
                page);
}

/* What the figures are divided by, and how far to trust them. */
static void print_scale(const struct ws_diff *diff, const struct page *page)
{
    char text[TEXT_SIZE] = "";
    if (diff->per != WS_DIFF_PER_CAPTURE) {
        const char *unit = diff->per == WS_DIFF_PER_FRAME ? "frame" : "launch";
        snprintf(text, sizeof(text),
                 "counts are per %s: those of A are divided by %" PRIu64 ", those of B by %" PRIu64, unit,
                 diff->divisor[0], diff->divisor[1]);
        print_label("scale", text, page);
    }
    if (diff->has_times) {
        const bool instrumented = ws_times_are_instrumented(&diff->reports[0]->catalog) ||
                                  ws_times_are_instrumented(&diff->reports[1]->catalog);
        if (diff->spread_known)
            snprintf(text, sizeof(text),
                     "launches spread by %.1f %% from frame to frame; changes below that are noise%s",
                     100 * diff->spread, instrumented ? "; they include what recording costs" : "");
        else
            snprintf(text, sizeof(text),
                     "no change is told: nothing tells it from noise, as no launch came %d times in both; "
                     "record more frames, or repetitions%s",
                     WS_DIFF_TIMES_LEAST, instrumented ? "; times include what recording costs" : "");
        print_label("times", text, page);
    }
    if (diff->sampled[0] || diff->sampled[1])
        print_label("samples",
                    diff->sampled_alike
                        ? "records are of some threads, the same of A and B: what other threads do is not in "
                          "them"
                        : "records are of other threads in A than in B: only shares of them are compared, "
                          "and change by more than chance would",
                    page);
    if (diff->drawn[0] || diff->drawn[1])
        print_label("counters",
                    "they are of some warps (--sample): figures change by more than their errors would, and "
                    "those without an "
                    "error are not compared",
                    page);
    if (!diff->frames_alike)
        print_label("frames",
                    "they are not the same in A and in B: what they hold may differ, and a change of a sum "
                    "counts where it is larger than that from frame to frame",
                    page);
}

/* Analyses that only one of the captures can serve. */
static void print_alone(const struct ws_diff *diff, const struct page *page)
{
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        const struct ws_report *own = diff->reports[side];
        const struct ws_report *other = diff->reports[1 - side];
        char text[TEXT_SIZE] = "";
        for (size_t i = 0; i < own->part_count; ++i)
            if (ws_report_results(other, own->parts[i].analysis) == NULL)
                append(text, ", ", own->parts[i].analysis->name);
        if (text[0] != '\0')
            print_label(side == 0 ? "only A" : "only B", text, page);
    }
}

static void print_head(const struct ws_diff *diff, const struct page *page)
{
    print_side(diff, 0, page);
    print_side(diff, 1, page);
    print_settings(diff, page);
    print_scale(diff, page);
    print_alone(diff, page);
}

/* Advice. */

/* "468 of 1022 any_hit, 2.5 % of the work" */
static void saving_text(const struct ws_diff_table *table, uint32_t side, uint32_t row, char text[TEXT_SIZE])
{
    char saves[SMALL_SIZE];
    const double of = ws_diff_row_number(table, side, row, "of");
    const double saving = ws_diff_row_number(table, side, row, "saving");
    const double share = ws_diff_row_number(table, side, row, "share");
    ws_diff_row_text(table, side, row, "saves", saves, sizeof(saves));
    text[0] = '\0';
    if (strcmp(saves, "nothing") == 0 || saves[0] == '\0')
        return;
    snprintf(text, TEXT_SIZE, "%.0f of %.0f %s", saving, of, saves);
    if (share > 0) {
        const size_t used = strlen(text);
        snprintf(text + used, TEXT_SIZE - used, ", %.*f %% of the %s", share < 0.001 ? 2 : 1, 100 * share,
                 strcmp(saves, "bytes") == 0 ? "bytes" : "work");
    }
}

static void print_advice(const struct ws_diff_table *table, const uint32_t row[WS_DIFF_SIDES],
                         const struct page *page)
{
    const uint32_t side = row[0] != WS_NONE ? 0 : 1;
    char title[SMALL_SIZE];
    char subject[TEXT_SIZE / 2];
    char saving[TEXT_SIZE];
    char text[4 * TEXT_SIZE];
    ws_diff_row_text(table, side, row[side], "title", title, sizeof(title));
    ws_diff_row_text(table, side, row[side], "subject", subject, sizeof(subject));
    saving_text(table, side, row[side], saving);
    int used = snprintf(text, sizeof(text), "%s: %s", title, subject);
    if (row[0] == WS_NONE || row[1] == WS_NONE)
        snprintf(text + used, sizeof(text) - (size_t)used, saving[0] != '\0' ? " (%s %s)" : "%s%s",
                 saving[0] == '\0'   ? ""
                 : row[1] == WS_NONE ? "saved"
                                     : "saves",
                 saving);
    else {
        used += snprintf(text + used, sizeof(text) - (size_t)used, " (saved %s", saving);
        saving_text(table, 1, row[1], saving);
        snprintf(text + used, sizeof(text) - (size_t)used, "; now %s)", saving);
    }
    ws_text_cut(text);
    const bool gone = row[1] == WS_NONE;
    fputs("  ", page->stream);
    ws_style_begin(gone ? WS_STYLE_SURE : WS_STYLE_HEADING, page->stream);
    const int length = fprintf(page->stream, "%s", gone ? "gone" : row[0] == WS_NONE ? "new" : "changed");
    ws_style_end(page->stream);
    struct ws_wrap wrap = ws_wrap_begin(page->stream, page->width, INDENT, 2 + (size_t)length);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}

static bool has_changed(const struct ws_diff_table *table, uint32_t a, uint32_t b)
{
    return ws_diff_row_number(table, 0, a, "saving") != ws_diff_row_number(table, 1, b, "saving");
}

static bool is_advice_there(const struct ws_diff_table *table)
{
    return table->join.count[0] + table->join.count[1] > 0;
}

static void print_all_advice(const struct ws_diff *diff, const struct page *page)
{
    const struct ws_diff_table *table = ws_diff_table_find(diff, "advice", "advice");
    uint32_t same = 0;
    uint32_t shown = 0;
    uint32_t hidden = 0;
    if (table == NULL)
        return;
    if (!is_advice_there(table))
        return;
    print_heading("Advice", page);
    for (uint32_t step = 0; step < 3; ++step) { /* gone, new, changed */
        const uint32_t side = step == 1;
        for (uint32_t i = 0; i < table->join.count[side]; ++i) {
            const uint32_t other = table->join.other[side][i];
            uint32_t row[WS_DIFF_SIDES] = {WS_NONE, WS_NONE};
            row[side] = table->rows[side][i];
            if ((step < 2) != (other == WS_NONE))
                continue;
            if (step == 2)
                row[1] = table->rows[1][other];
            if (step == 2 && !has_changed(table, row[0], row[1])) {
                ++same;
                continue;
            }
            if (shown < page->rows)
                print_advice(table, row, page);
            else
                ++hidden;
            ++shown;
        }
    }
    if (hidden > 0)
        fprintf(page->stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", hidden);
    if (same > 0 || shown == 0)
        fprintf(page->stream, "  %s%" PRIu32 " piece%s of advice %s the same\n",
                shown > 0 ? "" : "nothing changed; ", same, ws_plural(same, "s"), same == 1 ? "is" : "are");
}

/* Figures. */

static const char *effect_text(const struct ws_diff_figure *figure)
{
    return figure->effect > 0 ? "better" : figure->effect < 0 ? "worse" : "";
}

static void add_cells(struct ws_table *table, const struct ws_diff_figure *figure)
{
    char text[WS_NUMBER_SIZE];
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        ws_diff_value_text(figure->field.field, figure->value[side], text);
        ws_table_add(table, "%s", text);
    }
    ws_diff_change_text(figure, text);
    ws_table_add(table, "%s", text);
    ws_table_add(table, "%s", effect_text(figure));
}

/* The main figures of the totals that changed, analysis by analysis. */
static bool print_totals(const struct ws_diff *diff, const struct page *page)
{
    static const struct ws_column columns[] = {{"figure", false}, {"of", false},    {"A", true},
                                               {"B", true},       {"change", true}, {"", false}};
    struct ws_table table;
    ws_table_init(&table, columns, 6);
    uint32_t count = 0;
    for (uint32_t i = 0; i < diff->table_count; ++i) {
        if (diff->tables[i].groups[0]->levels[diff->tables[i].level].mask != 0)
            continue;
        for (uint32_t j = 0; j < diff->figure_count; ++j) {
            const struct ws_diff_figure *figure = &diff->figures[j];
            if (figure->table != i || !ws_diff_is_main(diff, figure))
                continue;
            ws_table_add(&table, "%s", figure->field.field->name);
            ws_table_add(&table, "%s", diff->tables[i].analysis->name);
            add_cells(&table, figure);
            ++count;
        }
    }
    const bool printed = !table.failed;
    print_heading("The whole capture", page);
    if (count > 0)
        ws_table_print(&table, 2, page->stream);
    else
        fputs("  no main figure changed\n", page->stream);
    ws_table_finish(&table);
    return printed;
}

/* Shaders. */

static void print_shader(const struct ws_diff *diff, uint32_t side, uint32_t shader, const struct page *page)
{
    const struct ws_catalog *catalog = &diff->reports[side]->catalog;
    const uint32_t other = diff->match.shaders.other[side][shader];
    const enum ws_diff_state state = ws_diff_shader_state(&diff->match, diff->reports, side, shader);
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "%s (%s)", ws_shader_name(catalog, shader),
             ws_stage_name(catalog->shaders[shader].stage));
    if (other != WS_NONE) {
        const char *name = ws_shader_name(&diff->reports[1 - side]->catalog, other);
        const size_t used = strlen(text);
        if (strcmp(name, ws_shader_name(catalog, shader)) != 0 && used < sizeof(text))
            snprintf(text + used, sizeof(text) - used, " is %s", name);
        else if (ws_diff_same_code(&diff->match, diff->reports, side, shader) && used < sizeof(text))
            snprintf(text + used, sizeof(text) - used, ": other specialization constants");
    }
    ws_text_cut(text);
    print_label(ws_diff_state_name(state), text, page);
}

static void print_shaders(const struct ws_diff *diff, const struct page *page)
{
    uint32_t same = 0;
    uint32_t shown = 0;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < diff->match.shaders.count[side]; ++i) {
            const enum ws_diff_state state = ws_diff_shader_state(&diff->match, diff->reports, side, i);
            if (side == 1 && state != WS_DIFF_ADDED)
                continue;
            if (state == WS_DIFF_SAME) {
                ++same;
                continue;
            }
            if (shown == 0)
                print_heading("Shaders", page);
            if (shown++ < page->rows)
                print_shader(diff, side, i, page);
        }
    if (shown > page->rows)
        fprintf(page->stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", shown - page->rows);
    if (shown > 0 && same > 0)
        fprintf(page->stream, "  %" PRIu32 " shader%s %s the same\n", same, ws_plural(same, "s"),
                same == 1 ? "is" : "are");
}

/* A place, whose figures follow: "  raygen.rgen:31" */
static void print_item(const char *text, const struct page *page)
{
    fputs("  ", page->stream);
    struct ws_wrap wrap = ws_wrap_begin(page->stream, page->width, 4, 4);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}

/* Lines of shaders that changed. */

static void print_line_text(const struct ws_diff_changed_line *line, uint32_t side, char sign,
                            const struct page *page)
{
    char text[SMALL_SIZE];
    const size_t room = page->width > 20 ? page->width - 6 : SMALL_SIZE;
    ws_diff_changed_line_text(line, side, text, room < sizeof(text) ? room : sizeof(text));
    fprintf(page->stream, "    %c ", sign);
    ws_text_print(page->stream, text);
    fputc('\n', page->stream);
}

/* "raygen.rgen:31 is 33" */
static void line_place_text(const struct ws_diff_changed_line *line, char text[TEXT_SIZE])
{
    const uint32_t side = line->line[0] != 0 ? 0 : 1;
    const int used = snprintf(text, TEXT_SIZE, "%s:%" PRIu32, line->source->name, line->line[side]);
    if (line->line[1] != 0 && line->line[0] != line->line[1] && side == 0)
        snprintf(text + used, TEXT_SIZE - (size_t)used, " is %" PRIu32 " in B", line->line[1]);
    else if (side == 1)
        snprintf(text + used, TEXT_SIZE - (size_t)used, " of B");
}

static void line_figures_text(const struct ws_diff_changed_line *line, char text[TEXT_SIZE])
{
    char number[WS_DIFF_SIDES][WS_NUMBER_SIZE];
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        snprintf(number[side], WS_NUMBER_SIZE, line->executed[side] ? "%.10g" : "no code",
                 line->executions[side]);
    int used = snprintf(text, TEXT_SIZE, "thread executions %s -> %s", number[0], number[1]);
    if (line->executions[0] > 0 && line->executed[1] && line->executions[0] != line->executions[1])
        used += snprintf(text + used, TEXT_SIZE - (size_t)used, " (%+.1f %%)",
                         100 * (line->executions[1] / line->executions[0] - 1));
    if (line->has_efficiency[0] && line->has_efficiency[1] && line->efficiency[0] != line->efficiency[1])
        snprintf(text + used, TEXT_SIZE - (size_t)used, ", efficiency %.1f %% -> %.1f %%",
                 100 * line->efficiency[0], 100 * line->efficiency[1]);
}

static void print_line(const struct ws_diff *diff, const struct ws_diff_changed_line *line,
                       const struct page *page)
{
    const uint32_t side = line->line[0] != 0 ? 0 : 1;
    char text[TEXT_SIZE];
    line_place_text(line, text);
    append(text, ", ", ws_shader_name(&diff->reports[side]->catalog, line->shader[side]));
    print_item(text, page);
    if (line->state == WS_DIFF_LINE_SAME)
        print_line_text(line, 0, ' ', page);
    else {
        if (line->line[0] != 0)
            print_line_text(line, 0, '-', page);
        if (line->line[1] != 0)
            print_line_text(line, 1, '+', page);
    }
    line_figures_text(line, text);
    ws_wrap_print(text, 6, page->width, page->stream);
}

static bool print_lines(const struct ws_diff *diff, const struct page *page)
{
    struct ws_diff_changed_lines lines;
    const bool made = ws_diff_changed_lines_init(&lines, diff);
    if (made && lines.count > 0)
        print_heading("Lines of shaders that changed, by the change of their thread executions", page);
    for (uint32_t i = 0; made && i < lines.count && i < page->rows; ++i)
        print_line(diff, &lines.lines[i], page);
    if (made && lines.count > page->rows)
        fprintf(page->stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n",
                lines.count - page->rows);
    ws_diff_changed_lines_finish(&lines);
    return made;
}

/* Rows. */

/* Whether a row of that name was told already: the same place has figures in several tables. */
static bool was_told(char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Whether the rows of a table are places that can be gone to: in code, or in the scene. */
static bool has_places(const struct ws_diff_table *table)
{
    static const char places[] =
        " shader pipeline block line run site call_site place instance geometry structure ";
    const struct ws_groups *groups = table->groups[0];
    const uint32_t by = groups->levels[table->level].level.by;
    bool places_only = by != 0;
    for (uint32_t i = 0; i < groups->dimension_count && places_only; ++i) {
        char name[WS_NAME_SIZE];
        snprintf(name, sizeof(name), " %s ", groups->columns->dimensions[i].name);
        places_only = (by & 1u << i) == 0 || strstr(places, name) != NULL;
    }
    return places_only;
}

/* Whether a figure is one for the list of places: a main one of a row that work goes to. A table of one row says what the
 * total says. */
static bool is_place(const struct ws_diff *diff, const struct ws_diff_figure *figure)
{
    const struct ws_diff_table *table = &diff->tables[figure->table];
    const struct ws_columns *columns = table->groups[0]->columns;
    const bool weighs = columns->weight != NULL && strcmp(columns->weight, figure->field.field->name) == 0;
    return figure->effect != 0 && has_places(table) && table->join.count[0] > 1 &&
           table->analysis->columns->weight != NULL &&
           (weighs || ws_diff_is_main(diff, figure) || strcmp(figure->field.field->name, "efficiency") == 0);
}

static void add_place(const struct ws_diff *diff, const struct ws_diff_figure *figure, const char *name,
                      struct ws_table *table)
{
    const struct ws_diff_table *from = &diff->tables[figure->table];
    ws_table_add(table, "%s", name);
    ws_table_add(table, "%s", figure->field.field->name);
    ws_table_add(table, "%s.%s", from->analysis->name, ws_groups_level_name(from->groups[0], from->level));
    add_cells(table, figure);
}

static const struct ws_column place_columns[] = {{"place", false}, {"figure", false}, {"of", false},
                                                 {"A", true},      {"B", true},       {"change", true},
                                                 {"", false}};

/* Prints a place with its figure, in two lines: names of places are long. */
static void print_place(const struct ws_diff *diff, const struct ws_diff_figure *figure, const char *name,
                        const struct page *page)
{
    const struct ws_diff_table *from = &diff->tables[figure->table];
    char value[WS_DIFF_SIDES][WS_NUMBER_SIZE];
    char change[WS_NUMBER_SIZE];
    char text[TEXT_SIZE];
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        ws_diff_value_text(figure->field.field, figure->value[side], value[side]);
    ws_diff_change_text(figure, change);
    snprintf(text, sizeof(text), "%s of %s.%s %s -> %s (%s) %s", figure->field.field->name,
             from->analysis->name, ws_groups_level_name(from->groups[0], from->level), value[0], value[1],
             change, effect_text(figure));
    print_item(name, page);
    ws_wrap_print(text, 6, page->width, page->stream);
}

/* The most important changes, one a place. */
static bool print_places(const struct ws_diff *diff, const struct page *page)
{
    char **names =
        calloc(page->rows < diff->figure_count ? page->rows + 1 : diff->figure_count + 1, sizeof(*names));
    uint32_t count = 0;
    bool made = names != NULL;
    for (uint32_t i = 0; made && i < diff->figure_count && count < page->rows; ++i) {
        const struct ws_diff_figure *figure = &diff->figures[i];
        char name[WS_DIFF_ROW_NAME];
        if (!is_place(diff, figure))
            continue;
        ws_diff_row_name(&diff->tables[figure->table], 0, figure->row[0], name);
        if (was_told(names, count, name))
            continue;
        names[count] = strdup(name);
        made = names[count] != NULL;
        if (made && count == 0)
            print_heading("Where it became better or worse, by its share of the work", page);
        if (made)
            print_place(diff, figure, names[count++], page);
    }
    for (uint32_t i = 0; names != NULL && i < count; ++i)
        free(names[i]);
    free(names);
    return made;
}

/* With --all: each table with every figure that changed, and the rows that only one side has. */
static void print_only(const struct ws_diff_table *table, uint32_t side, const struct page *page)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < table->join.count[side]; ++i) {
        char name[WS_DIFF_ROW_NAME];
        if (table->join.other[side][i] != WS_NONE)
            continue;
        ws_diff_row_name(table, side, table->rows[side][i], name);
        if (shown++ < page->rows)
            print_label(side == 0 ? "only A" : "only B", name, page);
    }
    if (shown > page->rows)
        fprintf(page->stream, "  ... and %" PRIu32 " more row%s only in %s: --rows 0 shows them all\n",
                shown - page->rows, ws_plural(shown - page->rows, "s"), side == 0 ? "A" : "B");
}

static bool print_table(const struct ws_diff *diff, uint32_t index, const struct page *page)
{
    const struct ws_diff_table *from = &diff->tables[index];
    char heading[2 * WS_NAME_SIZE];
    struct ws_table table;
    uint32_t count = 0;
    if (!from->compared ||
        (from->changed == 0 && from->joined == from->join.count[0] && from->joined == from->join.count[1]))
        return true;
    ws_table_init(&table, place_columns, 7);
    for (uint32_t i = 0; i < diff->figure_count; ++i) {
        char name[WS_DIFF_ROW_NAME];
        if (diff->figures[i].table != index)
            continue;
        ws_diff_row_name(from, 0, diff->figures[i].row[0], name);
        if (count++ < page->rows)
            add_place(diff, &diff->figures[i], name[0] != '\0' ? name : "all", &table);
    }
    const bool printed = !table.failed;
    snprintf(heading, sizeof(heading), "%s.%s", from->analysis->name,
             ws_groups_level_name(from->groups[0], from->level));
    print_heading(heading, page);
    if (count > 0)
        ws_table_print(&table, 2, page->stream);
    if (count > page->rows)
        fprintf(page->stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", count - page->rows);
    ws_table_finish(&table);
    print_only(from, 0, page);
    print_only(from, 1, page);
    return printed;
}

static void print_foot(const struct ws_diff *diff, const struct page *page)
{
    uint64_t changed = 0;
    uint64_t small = 0;
    uint64_t noisy = 0;
    uint64_t unknown = 0;
    uint64_t equal = 0;
    uint64_t only[WS_DIFF_SIDES] = {0, 0};
    char text[TEXT_SIZE];
    for (uint32_t i = 0; i < diff->table_count; ++i) {
        changed += diff->tables[i].changed;
        small += diff->tables[i].small;
        noisy += diff->tables[i].noisy;
        unknown += diff->tables[i].unknown;
        equal += diff->tables[i].equal;
        for (uint32_t side = 0; side < WS_DIFF_SIDES && diff->tables[i].compared; ++side)
            only[side] += diff->tables[i].join.count[side] - diff->tables[i].joined;
    }
    if (changed + small + noisy + unknown + equal + only[0] + only[1] == 0) {
        fputs("\nNothing can be compared: the captures have no figure in common.\n", page->stream);
        return;
    }
    if (changed + small + unknown + only[0] + only[1] == 0) {
        snprintf(text, sizeof(text), "Nothing changed: %s%" PRIu64 " figures are equal%s",
                 noisy == 0 ? "all of " : "", equal,
                 noisy == 0 ? "" : ", the others differ within the noise");
        fputc('\n', page->stream);
        ws_wrap_print(text, 0, page->width, page->stream);
        return;
    }
    int used =
        snprintf(text, sizeof(text), "%" PRIu64 " figure%s changed%s, %" PRIu64 " by less than %g %%%s",
                 changed, ws_plural(changed, "s"), page->all ? "" : " (--all)", small, 100 * diff->least,
                 small > 0 ? " (--least 0)" : "");
    if (noisy > 0)
        used += snprintf(text + used, sizeof(text) - (size_t)used, ", %" PRIu64 " within the noise", noisy);
    if (unknown > 0)
        used += snprintf(text + used, sizeof(text) - (size_t)used, ", of %" PRIu64 " the error is not known",
                         unknown);
    used += snprintf(text + used, sizeof(text) - (size_t)used, ", %" PRIu64 " did not", equal);
    if (only[0] + only[1] > 0)
        snprintf(text + used, sizeof(text) - (size_t)used,
                 "; only in A: %" PRIu64 " row%s, only in B: %" PRIu64, only[0], ws_plural(only[0], "s"),
                 only[1]);
    fputc('\n', page->stream);
    ws_wrap_print(text, 0, page->width, page->stream);
}

bool ws_diff_text(const struct ws_diff *diff, uint32_t rows, bool all, size_t width, FILE *stream)
{
    const struct page page = {stream, width, rows > 0 ? rows : ROWS_USUAL, all};
    bool printed = true;
    print_head(diff, &page);
    print_all_advice(diff, &page);
    printed = print_totals(diff, &page);
    print_shaders(diff, &page);
    printed = print_lines(diff, &page) && printed;
    printed = printed && print_places(diff, &page);
    for (uint32_t i = 0; printed && all && i < diff->table_count; ++i)
        printed = print_table(diff, i, &page);
    print_foot(diff, &page);
    return printed;
}
