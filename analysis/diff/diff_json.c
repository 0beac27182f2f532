/* The comparison as JSON, and its schema. */
#include <math.h>

#include "analysis/diff/changed_lines.h"
#include "analysis/diff/condition.h"
#include "analysis/diff/diff.h"
#include "analysis/diff/row_text.h"
#include "analysis/report/schema.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

static const struct ws_member setting_members[] = {
    {"what", "string",
     "passes, file (whole or cut short), device, frames, launches, warpscope, or the key of a setting"},
    {"a", "string", "in A"},
    {"b", "string", "in B"},
    {NULL}};

static const struct ws_member scale_members[] = {
    {"per", "string", "capture, frame or launch: what counts are of"},
    {"a", "integer", "what those of A are divided by"},
    {"b", "integer", "those of B"},
    {NULL}};

static const struct ws_member noise_members[] = {
    {"times", "number?",
     "changes of device times up to this are noise; null: there are none in both, or that is not known"},
    {"times_known", "boolean",
     "whether that is known: launches came often enough in both; else no change of times is told"},
    {"sampled", "boolean", "records are of some threads only"},
    {"sampled_alike", "boolean", "of the same threads in both"},
    {"drawn", "boolean", "counters are of some warps only (--sample)"},
    {"frames_alike", "boolean", "both have the same frames, as far as can be known"},
    {NULL}};

static const struct ws_member advice_members[] = {
    {"state", "string", "gone, new, changed or same"},
    {"rule", "string", "that gives it"},
    {"title", "string", "of the rule"},
    {"subject", "string", "what it is about"},
    {"saves", "string", "what there would be less of"},
    {"a_saving", "number?", "how many, in A; null: it is not there"},
    {"b_saving", "number?", "in B"},
    {"a_share", "number?", "of the work of A, or of its bytes"},
    {"b_share", "number?", "of that of B"},
    {NULL}};

static const struct ws_member shader_members[] = {
    {"state", "string", "same, changed, renamed, removed or added"},
    {"stage", "string", "its stage"},
    {"a_id", "integer?", "its id in A; null: it is not there"},
    {"b_id", "integer?", "in B"},
    {"a", "string?", "its name in A"},
    {"b", "string?", "in B"},
    {"same_code", "boolean", "the module and the entry point are the same"},
    {NULL}};

static const struct ws_member line_members[] = {
    {"state", "string", "of its text: same, changed, gone or new"},
    {"shader", "string", "its shader's name in A"},
    {"file", "string", "its file"},
    {"a_line", "integer?", "its number in A; null: it is not there"},
    {"b_line", "integer?", "in B"},
    {"a_text", "string?", "the line in A, without the blanks around it"},
    {"b_text", "string?", "in B"},
    {"a_executions", "number?",
     "thread executions in A, divided as `scale` says; null: it has no code there"},
    {"b_executions", "number?", "in B"},
    {"a_efficiency", "share?", "in A; null: not known"},
    {"b_efficiency", "share?", "in B"},
    {NULL}};

static const struct ws_member launch_members[] = {{"a", "integer?", "its number in A; null: it is not there"},
                                                  {"b", "integer?", "in B"},
                                                  {"label", "string", "debug label around it"},
                                                  {"kind", "string", "trace rays, dispatch or render pass"},
                                                  {NULL}};

static const struct ws_member figure_members[] = {
    {"figure", "string", "ANALYSIS.TABLE.FIELD, as in JSON of reports and in --fail-if"},
    {"row", "string", "name of the row; empty: the total"},
    {"a", "number", "in A, divided as `scale` says; parts of a sum are shares of it"},
    {"b", "number", "in B"},
    {"change", "number?", "B - A of shares, (B - A) / A of others; null: A is 0"},
    {"points", "boolean", "`change` is in points: the figure is a share"},
    {"effect", "string?", "better or worse; null: neither"},
    {"noise", "number", "changes up to this are noise; 0: it is exact"},
    {"weight", "share", "of the total, of what the analysis weighs by"},
    {"importance", "share", "weight times change"},
    {"main", "boolean", "it is one of the main figures of its analysis"},
    {NULL}};

static const struct ws_member table_members[] = {
    {"table", "string", "ANALYSIS.TABLE"},
    {"compared", "boolean", "false: its rows have no counterparts, as it is a list of the largest"},
    {"rows", "integer", "that are in both"},
    {"only_a", "string[]", "names of rows that only A has, the first of them"},
    {"only_b", "string[]", "that only B has"},
    {"only_a_count", "integer", "how many only A has"},
    {"only_b_count", "integer", "and only B"},
    {"changed", "integer", "figures that changed"},
    {"small", "integer", "by less than `least`"},
    {"noise", "integer", "by no more than their noise"},
    {"unknown", "integer",
     "estimates that differ, whose error is not known (--sample): neither noise nor a change"},
    {"equal", "integer", "not at all"},
    {NULL}};

static const struct ws_member condition_members[] = {
    {"condition", "string", "as --fail-if has it"},
    {"holds", "boolean", "then the exit status is 3"},
    {"figure", "string", "ANALYSIS.TABLE.FIELD"},
    {"row", "string", "for which it holds, else the first that was looked at"},
    {"a", "number", "in A"},
    {"b", "number", "in B"},
    {"change", "number?", "as in `figures`"},
    {NULL}};

static const struct ws_member diff_members[] = {
    {"a", "object", "the capture before", ws_report_capture_members},
    {"b", "object", "the capture after", ws_report_capture_members},
    {"settings", "object[]", "what differs in how they were recorded", setting_members},
    {"scale", "object", "what counts are divided by", scale_members},
    {"noise", "object", "what changes for no reason", noise_members},
    {"least", "number", "changes below this are counted, not listed"},
    {"advice", "object[]", "all advice of A and B", advice_members},
    {"shaders", "object[]", "all shaders of A and B", shader_members},
    {"lines", "object[]",
     "lines of shaders that changed, where text or figures changed; the largest change of thread executions "
     "first",
     line_members},
    {"launches", "object[]", "all launches of A and B", launch_members},
    {"figures", "object[]", "figures that changed, the most important first", figure_members},
    {"tables", "object[]", "what was compared", table_members},
    {"conditions", "object[]", "of --fail-if", condition_members},
    {NULL}};

bool ws_diff_schema_print(FILE *stream)
{
    return ws_schema_print_members(
        "A comparison of Warpscope",
        "What `warpscope diff --json` prints. A is the first capture, B the second. "
        "null: there is no value.",
        WS_DIFF_FORMAT, WS_DIFF_VERSION, diff_members, stream);
}

/* Names of rows of one side that a table lists. */
#define ONLY_MOST 50

static void add_number(cJSON *object, const char *key, bool known, double value)
{
    ws_json_add(object, key, known && isfinite(value) ? ws_json_number_item(value) : cJSON_CreateNull());
}

static void add_id(cJSON *object, const char *key, bool known, uint64_t id)
{
    ws_json_add(object, key, known ? ws_json_integer_item(id) : cJSON_CreateNull());
}

static cJSON *describe_settings(const struct ws_diff *diff)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < diff->setting_count; ++i) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "what", diff->settings[i].what);
        cJSON_AddStringToObject(object, "a", diff->settings[i].value[0]);
        cJSON_AddStringToObject(object, "b", diff->settings[i].value[1]);
        ws_json_append(list, object);
    }
    return list;
}

static cJSON *describe_scale(const struct ws_diff *diff)
{
    static const char *const names[] = {"capture", "frame", "launch"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "per", names[diff->per]);
    ws_json_integer(object, "a", diff->divisor[0]);
    ws_json_integer(object, "b", diff->divisor[1]);
    return object;
}

static cJSON *describe_noise(const struct ws_diff *diff)
{
    cJSON *object = cJSON_CreateObject();
    add_number(object, "times", diff->has_times && diff->spread_known, diff->spread);
    cJSON_AddBoolToObject(object, "times_known", diff->spread_known);
    cJSON_AddBoolToObject(object, "sampled", diff->sampled[0] || diff->sampled[1]);
    cJSON_AddBoolToObject(object, "sampled_alike", diff->sampled_alike);
    cJSON_AddBoolToObject(object, "drawn", diff->drawn[0] || diff->drawn[1]);
    cJSON_AddBoolToObject(object, "frames_alike", diff->frames_alike);
    return object;
}

static void add_row_text(cJSON *object, const struct ws_diff_table *table, uint32_t side, uint32_t row,
                         const char *field)
{
    char text[4096];
    cJSON_AddStringToObject(object, field, ws_diff_row_text(table, side, row, field, text, sizeof(text)));
}

static cJSON *describe_advice(const struct ws_diff_table *table, const uint32_t row[WS_DIFF_SIDES])
{
    const uint32_t side = row[0] != WS_NONE ? 0 : 1;
    double saving[WS_DIFF_SIDES] = {0};
    double share[WS_DIFF_SIDES] = {0};
    cJSON *object = cJSON_CreateObject();
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i) {
        saving[i] = row[i] != WS_NONE ? ws_diff_row_number(table, i, row[i], "saving") : 0;
        share[i] = row[i] != WS_NONE ? ws_diff_row_number(table, i, row[i], "share") : 0;
    }
    cJSON_AddStringToObject(object, "state",
                            row[1] == WS_NONE        ? "gone"
                            : row[0] == WS_NONE      ? "new"
                            : saving[0] != saving[1] ? "changed"
                                                     : "same");
    add_row_text(object, table, side, row[side], "rule");
    add_row_text(object, table, side, row[side], "title");
    add_row_text(object, table, side, row[side], "subject");
    add_row_text(object, table, side, row[side], "saves");
    add_number(object, "a_saving", row[0] != WS_NONE, saving[0]);
    add_number(object, "b_saving", row[1] != WS_NONE, saving[1]);
    add_number(object, "a_share", row[0] != WS_NONE, share[0]);
    add_number(object, "b_share", row[1] != WS_NONE, share[1]);
    return object;
}

static void write_advice(const struct ws_diff *diff, struct ws_json *json)
{
    const struct ws_diff_table *table = ws_diff_table_find(diff, "advice", "advice");
    ws_json_open_list(json, "advice");
    for (uint32_t side = 0; table != NULL && side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < table->join.count[side]; ++i) {
            const uint32_t other = table->join.other[side][i];
            uint32_t row[WS_DIFF_SIDES] = {WS_NONE, WS_NONE};
            row[side] = table->rows[side][i];
            if (other != WS_NONE)
                row[1 - side] = table->rows[1 - side][other];
            if (side == 0 || other == WS_NONE)
                ws_json_element(json, describe_advice(table, row));
        }
    ws_json_close_list(json);
}

static cJSON *describe_shader(const struct ws_diff *diff, uint32_t side, uint32_t index)
{
    const uint32_t other = diff->match.shaders.other[side][index];
    const uint32_t shader[WS_DIFF_SIDES] = {side == 0 ? index : other, side == 0 ? other : index};
    const enum ws_diff_state state = ws_diff_shader_state(&diff->match, diff->reports, side, index);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "state", ws_diff_state_name(state));
    cJSON_AddStringToObject(object, "stage",
                            ws_stage_name(diff->reports[side]->catalog.shaders[index].stage));
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i)
        add_id(object, i == 0 ? "a_id" : "b_id", shader[i] != WS_NONE,
               shader[i] != WS_NONE ? diff->reports[i]->catalog.shaders[shader[i]].id : 0);
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i) {
        const char *key = i == 0 ? "a" : "b";
        if (shader[i] != WS_NONE)
            cJSON_AddStringToObject(object, key, ws_shader_name(&diff->reports[i]->catalog, shader[i]));
        else
            cJSON_AddNullToObject(object, key);
    }
    cJSON_AddBoolToObject(object, "same_code", ws_diff_same_code(&diff->match, diff->reports, side, index));
    return object;
}

static void write_shaders(const struct ws_diff *diff, struct ws_json *json)
{
    ws_json_open_list(json, "shaders");
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < diff->match.shaders.count[side]; ++i)
            if (side == 0 || diff->match.shaders.other[side][i] == WS_NONE)
                ws_json_element(json, describe_shader(diff, side, i));
    ws_json_close_list(json);
}

static cJSON *describe_line(const struct ws_diff *diff, const struct ws_diff_changed_line *line)
{
    static const char *const keys[][WS_DIFF_SIDES] = {{"a_line", "b_line"},
                                                      {"a_text", "b_text"},
                                                      {"a_executions", "b_executions"},
                                                      {"a_efficiency", "b_efficiency"}};
    const uint32_t side = line->shader[0] != WS_NONE ? 0 : 1;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "state", ws_diff_line_state_name(line->state));
    cJSON_AddStringToObject(object, "shader",
                            ws_shader_name(&diff->reports[side]->catalog, line->shader[side]));
    cJSON_AddStringToObject(object, "file", line->source->name);
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i)
        add_id(object, keys[0][i], line->line[i] != 0, line->line[i]);
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i) {
        char text[4096];
        ws_diff_changed_line_text(line, i, text, sizeof(text));
        ws_json_add(object, keys[1][i], line->line[i] != 0 ? cJSON_CreateString(text) : cJSON_CreateNull());
    }
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i)
        add_number(object, keys[2][i], line->executed[i], line->executions[i]);
    for (uint32_t i = 0; i < WS_DIFF_SIDES; ++i)
        add_number(object, keys[3][i], line->has_efficiency[i], line->efficiency[i]);
    return object;
}

static bool write_lines(const struct ws_diff *diff, struct ws_json *json)
{
    struct ws_diff_changed_lines lines;
    const bool made = ws_diff_changed_lines_init(&lines, diff);
    ws_json_open_list(json, "lines");
    for (uint32_t i = 0; made && i < lines.count; ++i)
        ws_json_element(json, describe_line(diff, &lines.lines[i]));
    ws_json_close_list(json);
    ws_diff_changed_lines_finish(&lines);
    return made;
}

static void write_launches(const struct ws_diff *diff, struct ws_json *json)
{
    ws_json_open_list(json, "launches");
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < diff->match.launches.count[side]; ++i) {
            const uint32_t other = diff->match.launches.other[side][i];
            const struct ws_launch_record *own = &diff->reports[side]->catalog.launches.launches[i];
            const uint64_t number =
                other != WS_NONE ? diff->reports[1 - side]->catalog.launches.launches[other].index : 0;
            if (side == 1 && other != WS_NONE)
                continue;
            cJSON *object = cJSON_CreateObject();
            add_id(object, "a", side == 0, side == 0 ? own->index : 0);
            add_id(object, "b", side == 1 || other != WS_NONE, side == 1 ? own->index : number);
            cJSON_AddStringToObject(object, "label", own->label);
            cJSON_AddStringToObject(object, "kind", ws_launch_kind_name(own->kind));
            ws_json_element(json, object);
        }
    ws_json_close_list(json);
}

/* Its name and values, for figures and conditions. */
static void add_figure(cJSON *object, const struct ws_diff *diff, const struct ws_diff_figure *figure)
{
    const struct ws_diff_table *table = &diff->tables[figure->table];
    char name[3 * WS_NAME_SIZE];
    char row[WS_DIFF_ROW_NAME];
    snprintf(name, sizeof(name), "%s.%s.%s", table->analysis->name,
             ws_groups_level_name(table->groups[0], table->level), figure->field.field->name);
    ws_diff_row_name(table, 0, figure->row[0], row);
    cJSON_AddStringToObject(object, "figure", name);
    cJSON_AddStringToObject(object, "row", row);
    add_number(object, "a", true, figure->value[0]);
    add_number(object, "b", true, figure->value[1]);
    add_number(object, "change", true, figure->change);
}

static void write_figures(const struct ws_diff *diff, struct ws_json *json)
{
    ws_json_open_list(json, "figures");
    for (uint32_t i = 0; i < diff->figure_count; ++i) {
        const struct ws_diff_figure *figure = &diff->figures[i];
        cJSON *object = cJSON_CreateObject();
        add_figure(object, diff, figure);
        cJSON_AddBoolToObject(object, "points", ws_diff_is_share(figure->field.field));
        if (figure->effect != 0)
            cJSON_AddStringToObject(object, "effect", figure->effect > 0 ? "better" : "worse");
        else
            cJSON_AddNullToObject(object, "effect");
        ws_json_number(object, "noise", figure->noise);
        ws_json_number(object, "weight", figure->weight);
        ws_json_number(object, "importance", figure->importance);
        cJSON_AddBoolToObject(object, "main", ws_diff_is_main(diff, figure));
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void add_only(cJSON *object, const struct ws_diff_table *table, uint32_t side, const char *key)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    uint32_t listed = 0;
    for (uint32_t i = 0; table->compared && i < table->join.count[side] && listed < ONLY_MOST; ++i) {
        char name[WS_DIFF_ROW_NAME];
        if (table->join.other[side][i] != WS_NONE)
            continue;
        ws_diff_row_name(table, side, table->rows[side][i], name);
        ws_json_append(list, cJSON_CreateString(name));
        ++listed;
    }
}

static void write_tables(const struct ws_diff *diff, struct ws_json *json)
{
    ws_json_open_list(json, "tables");
    for (uint32_t i = 0; i < diff->table_count; ++i) {
        const struct ws_diff_table *table = &diff->tables[i];
        char name[2 * WS_NAME_SIZE];
        cJSON *object = cJSON_CreateObject();
        snprintf(name, sizeof(name), "%s.%s", table->analysis->name,
                 ws_groups_level_name(table->groups[0], table->level));
        cJSON_AddStringToObject(object, "table", name);
        cJSON_AddBoolToObject(object, "compared", table->compared);
        ws_json_integer(object, "rows", table->joined);
        add_only(object, table, 0, "only_a");
        add_only(object, table, 1, "only_b");
        ws_json_integer(object, "only_a_count", table->compared ? table->join.count[0] - table->joined : 0);
        ws_json_integer(object, "only_b_count", table->compared ? table->join.count[1] - table->joined : 0);
        ws_json_integer(object, "changed", table->changed);
        ws_json_integer(object, "small", table->small);
        ws_json_integer(object, "noise", table->noisy);
        ws_json_integer(object, "unknown", table->unknown);
        ws_json_integer(object, "equal", table->equal);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

bool ws_diff_json(const struct ws_diff *diff, const struct ws_diff_condition *conditions, uint32_t count,
                  FILE *stream)
{
    struct ws_json json;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "format", cJSON_CreateString(WS_DIFF_FORMAT));
    ws_json_member(&json, "version", cJSON_CreateNumber(WS_DIFF_VERSION));
    ws_json_member(&json, "a", ws_report_json_capture(diff->reports[0]));
    ws_json_member(&json, "b", ws_report_json_capture(diff->reports[1]));
    ws_json_member(&json, "settings", describe_settings(diff));
    ws_json_member(&json, "scale", describe_scale(diff));
    ws_json_member(&json, "noise", describe_noise(diff));
    ws_json_member(&json, "least", ws_json_number_item(diff->least));
    write_advice(diff, &json);
    write_shaders(diff, &json);
    const bool written = write_lines(diff, &json);
    write_launches(diff, &json);
    write_figures(diff, &json);
    write_tables(diff, &json);
    ws_json_open_list(&json, "conditions");
    for (uint32_t i = 0; i < count; ++i) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "condition", conditions[i].text);
        cJSON_AddBoolToObject(object, "holds", conditions[i].holds);
        add_figure(object, diff, &conditions[i].figure);
        ws_json_element(&json, object);
    }
    ws_json_close_list(&json);
    return ws_json_end(&json) && written;
}
