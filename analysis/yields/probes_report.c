/* How yields are shown: columns, and what is said beside them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/yields/probes.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/records.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/code.h"

static const struct ws_probes *results_of(const struct ws_row *row)
{
    return row->user;
}

static const struct ws_probes_output *output_of(const struct ws_row *row)
{
    return &results_of(row)->outputs[row->keys[WS_PROBES_OUTPUT]];
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

/* ---- Dimensions. ---- */

static void probe_name(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_output *output = &results_of(row)->outputs[row->key];
    set_text(value, results_of(row)->probes[output->probe].pass + strlen(WS_PROBE_PASS_PREFIX));
}

static void output_name(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, results_of(row)->outputs[row->key].output->name);
}

static void output_kind(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_yield_kind_name(results_of(row)->outputs[row->key].output->shape.kind));
}

static void output_id(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field output_fields[] = {
    {"output_id", "number of the output in the capture, in the order of declaration", WS_COUNT,
     .value = output_id},
    {"probe", "name of the probe", WS_TEXT, .value = probe_name},
    {"output", "its output", WS_TEXT, .value = output_name},
    {"kind", "count, sum, min, max, histogram, values, table, sample, record or lanes", WS_TEXT,
     .value = output_kind},
    {NULL},
};

static void line_source(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_line *line = &results_of(row)->lines[row->key];
    if (line->file != NULL)
        ws_value_text(value, "%s:%" PRIu32, ws_file_name(line->file), line->line);
}

static void line_file(const struct ws_row *row, struct ws_value *value)
{
    if (results_of(row)->lines[row->key].file != NULL)
        set_text(value, results_of(row)->lines[row->key].file);
}

static void line_number(const struct ws_row *row, struct ws_value *value)
{
    if (results_of(row)->lines[row->key].file != NULL)
        ws_value_count(value, results_of(row)->lines[row->key].line);
}

static const struct ws_field line_fields[] = {
    {"source", "source line of the place, where it is known", WS_TEXT, .flags = WS_TABLES | WS_DASH,
     .value = line_source},
    {"file", "path of its source", WS_TEXT, .value = line_file},
    {"line", "line in it", WS_COUNT, .value = line_number},
    {NULL},
};

static const struct ws_site_record *site_of(const struct ws_row *row)
{
    const struct ws_shader_record *shader = &row->catalog->shaders[row->key >> 32];
    return &row->catalog->modules[shader->module].sites[(uint32_t)row->key];
}

static void site_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (uint32_t)row->key);
}

static void site_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, site_of(row)->info.offset);
}

static void site_opcode(const struct ws_row *row, struct ws_value *value)
{
    const char *name = ws_opcode_name(site_of(row)->opcode);
    if (site_of(row)->opcode != 0 && name != NULL)
        ws_value_text(value, "%s", name);
}

static void site_function(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_site_record *site = site_of(row);
    const struct ws_probes_output *output = output_of(row);
    const struct ws_probe *probe = results_of(row)->probes[output->probe].probe;
    const uint32_t function = site->info.kind == WS_SITE_DATA ? WS_PROBE_DATA_FUNCTION(site->info.tag)
                                                              : WS_PROBE_SITE_FUNCTION(site->info.tag);
    if (function < probe->function_count)
        set_text(value, probe->functions[function].label);
}

/* The rule that a place is of; NULL where it is not known: of records, and in captures of before. */
static const struct ws_probe_rule *rule_of(const struct ws_row *row, uint32_t *number)
{
    const struct ws_site_record *site = site_of(row);
    const struct ws_probe *probe = results_of(row)->probes[output_of(row)->probe].probe;
    *number = WS_PROBE_SITE_RULE(site->info.tag);
    return site->info.kind == WS_SITE_YIELD && *number < probe->rule_count ? &probe->rules[*number] : NULL;
}

static void site_rule(const struct ws_row *row, struct ws_value *value)
{
    uint32_t number;
    if (rule_of(row, &number) != NULL)
        ws_value_count(value, number + 1);
}

static void site_rule_line(const struct ws_row *row, struct ws_value *value)
{
    uint32_t number;
    const struct ws_probe_rule *rule = rule_of(row, &number);
    if (rule != NULL && rule->source_line != 0)
        ws_value_count(value, rule->source_line);
}

static const struct ws_field site_fields[] = {
    {"site", "number of the place in its module", WS_COUNT, .value = site_number},
    {"offset", "word of the instruction in the module", WS_COUNT, .value = site_offset},
    {"opcode", "the instruction that the place is about, or that follows it", WS_TEXT, .value = site_opcode},
    {"function", "the probe's function that is called there", WS_TEXT, .value = site_function},
    {"rule", "number of the probe's rule (//! after ...) that the place is of, from 1", WS_COUNT,
     .value = site_rule},
    {"rule_line", "line of the probe's source on which that rule stands", WS_COUNT, .value = site_rule_line},
    {NULL},
};

/* The range of a bin: "[4, 8)". */
static void bin_name(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_yield_bin_range range = ws_yield_bin_range(output_of(row)->output, (uint32_t)row->key);
    const bool linear = output_of(row)->output->shape.kind == WS_YIELD_HISTOGRAM_LINEAR;
    int exponent;
    if (output_of(row)->output->shape.kind == WS_YIELD_LANES) {
        ws_value_text(value, "%.0f lane%s", range.from, ws_plural((uint64_t)range.from, "s"));
        return;
    }
    /* A small or large power of two says more as such. */
    if (range.name == NULL && !linear && (range.from < 0x1p-6 || range.from >= 0x1p20)) {
        frexp(range.from, &exponent);
        ws_value_text(value, "2^%d up to 2^%d", exponent - 1, exponent);
    } else if (range.name == NULL)
        ws_value_text(value, "%.6g up to %.6g", range.from, range.to);
    else if (linear && row->key == 0)
        ws_value_text(value, "below %.6g", range.to);
    else if (strcmp(range.name, "above") == 0)
        ws_value_text(value, linear ? "%.6g and above" : "2^64 and above", range.from);
    else if (strcmp(range.name, "below") == 0)
        set_text(value, "0 up to 2^-64");
    else
        set_text(value, range.name);
}

static void bin_from(const struct ws_row *row, struct ws_value *value)
{
    ws_value_real(value, ws_yield_bin_range(output_of(row)->output, (uint32_t)row->key).from);
}

static void bin_to(const struct ws_row *row, struct ws_value *value)
{
    ws_value_real(value, ws_yield_bin_range(output_of(row)->output, (uint32_t)row->key).to);
}

static const struct ws_field bin_fields[] = {
    {"bin", "the values in it: from one number up to, and without, another", WS_TEXT, .flags = WS_RIGHT,
     .value = bin_name},
    {"bin_from", "the smallest value in it; null for no limit, and for NaN", WS_NUMBER, .value = bin_from},
    {"bin_to", "its values are smaller; null likewise", WS_NUMBER, .value = bin_to},
    {NULL},
};

/* Values with their names, "work=3 value=inf"; without one where `values` has one key of its own. */
static void name_words(const struct ws_probe_output *output, const uint32_t *words, struct ws_value *value)
{
    char text[WS_YIELD_TEXT_SIZE];
    size_t used = 0;
    value->buffer[0] = '\0';
    for (uint32_t i = 0; i < output->shape.field_count && used < sizeof(value->buffer); ++i) {
        const int length =
            output->fields == NULL
                ? snprintf(value->buffer, sizeof(value->buffer), "%s",
                           ws_yield_text(output->shape.type, words[i], text))
                : snprintf(value->buffer + used, sizeof(value->buffer) - used, "%s%s=%s", i > 0 ? " " : "",
                           output->fields[i].name, ws_yield_text(output->fields[i].type, words[i], text));
        used += length > 0 ? (size_t)length : 0;
    }
    set_text(value, value->buffer);
}

/* The same as an object. A number that JSON has not is a text: "inf", "-inf", "nan". */
static cJSON *words_json(const struct ws_probe_output *output, const uint32_t *words)
{
    cJSON *object = cJSON_CreateObject();
    for (uint32_t i = 0; object != NULL && i < output->shape.field_count; ++i) {
        const uint32_t type = output->fields != NULL ? output->fields[i].type : output->shape.type;
        const char *name = output->fields != NULL ? output->fields[i].name : "value";
        const double number = ws_yield_number(type, words[i]);
        char text[WS_YIELD_TEXT_SIZE];
        cJSON *item = type == WS_YIELD_BOOL ? cJSON_CreateBool(words[i] != 0)
                      : isfinite(number)    ? ws_json_number_item(number)
                                            : cJSON_CreateString(ws_yield_text(type, words[i], text));
        if (ws_json_add(object, name, item) == NULL) {
            cJSON_Delete(object);
            return NULL;
        }
    }
    return object;
}

static void entry_keys(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_entry *entry = &results_of(row)->entries[row->key];
    name_words(results_of(row)->outputs[entry->output].output, entry->keys, value);
}

static cJSON *entry_json(const struct ws_row *row)
{
    const struct ws_probes_entry *entry = &results_of(row)->entries[row->key];
    return words_json(results_of(row)->outputs[entry->output].output, entry->keys);
}

static void entry_rank(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, results_of(row)->entries[row->key].rank);
}

static void entry_beyond(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_entry *entry = &results_of(row)->entries[row->key];
    const uint32_t shown = results_of(row)->outputs[entry->output].output->shown;
    ws_value_count(value, shown != 0 && entry->rank > shown);
}

static const struct ws_field entry_fields[] = {
    {"rank", "place among the entries of the output in the capture, the largest count first", WS_COUNT,
     .value = entry_rank},
    {"beyond", "of values: whether it is beyond the N that were asked for", WS_FLAG, .value = entry_beyond},
    {"keys", "the value, or the keys of the table with their names", WS_TEXT, .value = entry_keys,
     .json = entry_json, .type = "object?"},
    {NULL},
};

static const struct ws_probes_record *record_of(const struct ws_row *row)
{
    return &results_of(row)->records[row->key];
}

static void record_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void record_thread(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_record *record = record_of(row);
    if (!record->has_thread)
        return;
    ws_work_text(row->catalog->shaders[record->shader].stage, record->work, value->buffer,
                 sizeof(value->buffer));
    set_text(value, value->buffer);
}

static void record_fields(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_probes_record *record = record_of(row);
    name_words(results_of(row)->outputs[record->output].output, results_of(row)->field_words + record->fields,
               value);
}

static cJSON *record_json(const struct ws_row *row)
{
    const struct ws_probes_record *record = record_of(row);
    return words_json(results_of(row)->outputs[record->output].output,
                      results_of(row)->field_words + record->fields);
}

static const struct ws_field fields_of_records[] = {
    {"record", "its number among the samples and records of the capture", WS_COUNT, .value = record_number},
    {"recorded_by", "work id of the thread that recorded it; of a sample, what its fields say", WS_TEXT,
     .heading = "thread", .value = record_thread},
    {"fields", "its fields with their names", WS_TEXT, .value = record_fields, .json = record_json,
     .type = "object?"},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [WS_PROBES_OUTPUT] = {.name = "output",
                          .help = "output of a probe",
                          .fields = output_fields,
                          .shown = "probe output kind",
                          .same = "probe output"},
    [WS_PROBES_STAGE] = {WS_DIMENSION_STAGE},
    [WS_PROBES_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_PROBES_STAGE},
    [WS_PROBES_LINE] = {.name = "line",
                        .help = "source line of the places where a probe is called",
                        .fields = line_fields,
                        .shown = "source",
                        .same = "file line",
                        .of_code = true},
    [WS_PROBES_SITE] = {.name = "site",
                        .help = "place where a probe is called",
                        .fields = site_fields,
                        .shown = "site opcode rule_line function",
                        .implies = 1u << WS_PROBES_SHADER | 1u << WS_PROBES_STAGE,
                        .same = "site",
                        .of_code = true},
    [WS_PROBES_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_PROBES_BIN] = {.name = "bin",
                       .help = "bin of a histogram, or a number of lanes",
                       .fields = bin_fields,
                       .implies = 0},
    [WS_PROBES_ENTRY] = {.name = "keys",
                         .help = "entry of values or of a table",
                         .fields = entry_fields,
                         .shown = "keys",
                         .same = "keys"},
    [WS_PROBES_RECORD] = {.name = "record",
                          .help = "a sample, or what one thread recorded",
                          .fields = fields_of_records,
                          .shown = "record recorded_by fields",
                          .same = ""},
    {NULL},
};

/* ---- Measures. ---- */

static const struct ws_yield_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

/* Whether a row is of whole outputs: not of their bins, entries or records. */
static bool is_whole(const struct ws_row *row)
{
    return row->keys[WS_PROBES_OUTPUT] < results_of(row)->output_count &&
           row->keys[WS_PROBES_BIN] == WS_KEY_NONE && row->keys[WS_PROBES_ENTRY] == WS_KEY_NONE &&
           row->keys[WS_PROBES_RECORD] == WS_KEY_NONE;
}

static void value_number(const struct ws_row *row, struct ws_value *value)
{
    double number;
    if (is_whole(row) && ws_probes_value(output_of(row), sums_of(row), &number))
        ws_value_real(value, number);
}

static void value_text(const struct ws_row *row, struct ws_value *value)
{
    if (!is_whole(row))
        return;
    ws_probes_value_text(output_of(row), sums_of(row), value->buffer);
    if (value->buffer[0] != '\0')
        set_text(value, value->buffer);
}

static void value_mean(const struct ws_row *row, struct ws_value *value)
{
    double mean;
    if (is_whole(row) && ws_probes_mean(output_of(row), sums_of(row), &mean))
        ws_value_real(value, mean);
}

static void value_efficiency(const struct ws_row *row, struct ws_value *value)
{
    if (is_whole(row) && sums_of(row)->slots > 0)
        ws_value_real(value, (double)sums_of(row)->active / (double)sums_of(row)->slots);
}

static void value_share(const struct ws_row *row, struct ws_value *value)
{
    if (row->keys[WS_PROBES_OUTPUT] >= results_of(row)->output_count)
        return;
    const uint64_t whole = output_of(row)->sums.count;
    if (whole > 0)
        ws_value_real(value, (double)sums_of(row)->count / (double)whole);
}

/* Makes the flat id of a thread its work id: those of rays and of compute are counted through the launch (records.h). The
 * flat id of the launch's first thread, which is not 0 where it begins at a base, is subtracted, modulo 2^32; and its work id
 * is added to what is left. False where the launch's size or its base is not known, and in other stages. */
static bool unfold(const struct ws_catalog *catalog, const struct ws_shader_record *shader, uint64_t index,
                   uint32_t work[3])
{
    const struct ws_launch_record *launch = ws_catalog_launch(catalog, index);
    const bool rays = (shader->stage & WS_STAGES_RAY_TRACING) != 0;
    if (launch == NULL || launch->base_unknown || (!rays && shader->stage != WS_STAGE_COMPUTE))
        return false;
    const uint64_t width = (uint64_t)launch->size[0] * (rays ? 1 : shader->local_size[0]);
    const uint64_t height = (uint64_t)launch->size[1] * (rays ? 1 : shader->local_size[1]);
    if (width == 0 || height == 0)
        return false;
    uint32_t first[3];
    ws_launch_record_first(launch, shader->local_size, first);
    const uint32_t flat = work[0] - (uint32_t)((first[2] * height + first[1]) * width + first[0]);
    work[0] = first[0] + (uint32_t)(flat % width);
    work[1] = first[1] + (uint32_t)(flat / width % height);
    work[2] = first[2] + (uint32_t)(flat / width / height);
    return true;
}

static void value_thread(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_yield_sums *sums = sums_of(row);
    if (!is_whole(row) || !sums->has_extreme || sums->work == 0)
        return;
    const struct ws_shader_record *shader = &row->catalog->shaders[sums->shader];
    uint32_t work[3] = {~(uint32_t)sums->work, WS_WORK_UNKNOWN | WS_WORK_UNKNOWN << 16, 0};
    if (shader->stage == WS_STAGE_FRAGMENT || unfold(row->catalog, shader, sums->launch, work)) {
        ws_work_text(shader->stage, work, value->buffer, sizeof(value->buffer));
        set_text(value, value->buffer);
    } else {
        ws_value_text(value, "%" PRIu32, work[0]);
    }
}

static void value_launch(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_yield_sums *sums = sums_of(row);
    if (is_whole(row) && sums->has_extreme)
        ws_value_count(value, sums->launch);
}

#define BAR_COLUMNS 24
static void value_bar(const struct ws_row *row, struct ws_value *value)
{
    static const char bar[BAR_COLUMNS + 1] = "########################";
    const uint64_t most = output_of(row)->largest;
    const double part = most > 0 ? (double)sums_of(row)->count / (double)most : 0;
    if (part <= 1)
        ws_value_text(value, "%.*s", (int)(BAR_COLUMNS * part + 0.5), bar);
}

#define AT(member) offsetof(struct ws_yield_sums, member)
static const struct ws_field measures[] = {
    {"count",
     "how often it yielded; of values and tables the amounts, those without room too; of samples how\n"
     "many were asked for",
     WS_COUNT, .at = AT(count)},
    {"value", "count, sum, min or max; null where it has none, or is infinite or NaN", WS_NUMBER,
     .value = value_number},
    {"value_text", "the same with all its digits; inf, -inf, nan", WS_TEXT, .heading = "value",
     .flags = WS_RIGHT, .value = value_text},
    {"mean", "of a sum: by the number of values; of lanes: the active ones of an execution by a warp",
     WS_NUMBER, .value = value_mean},
    {"efficiency", "of lanes: SIMT efficiency, the active ones by those that the warps have", WS_SHARE,
     .value = value_efficiency},
    {"share", "of the output's count in the whole capture", WS_SHARE, .value = value_share},
    {"bar", "the same as a bar", WS_TEXT, .heading = "", .flags = WS_TABLES, .value = value_bar},
    {"nans", "NaNs among its values", WS_COUNT, .heading = "NaNs", .at = AT(nans), .flags = WS_BLANK_ZERO},
    {"lost", "amounts that found no room in their table", WS_COUNT, .at = AT(lost), .flags = WS_BLANK_ZERO},
    {"thread",
     "min, max: work id of the thread that had it; the flat one where the size of the launch is not known",
     WS_TEXT, .flags = WS_RIGHT, .value = value_thread},
    {"thread_launch", "min, max: the launch of that thread", WS_COUNT, .heading = "in launch",
     .value = value_launch},
    {NULL},
};

#define BY(dimension) (1u << WS_PROBES_##dimension)
static const struct ws_level levels[] = {
    [WS_PROBES_BY_OUTPUT] =
        {"outputs", "Outputs", .by = BY(OUTPUT), .rows = UINT32_MAX,
         .text = "probe output kind count value_text mean efficiency nans lost thread thread_launch"},
    [WS_PROBES_BY_SHADER] = {"shaders", "By shader", .by = BY(OUTPUT) | BY(SHADER),
                             .sort = "output_id,-count",
                             .text = "probe output shader count value_text mean efficiency thread"},
    [WS_PROBES_BY_LINE] = {"lines", "By source line", .by = BY(OUTPUT) | BY(LINE), .sort = "output_id,-count",
                           .text = "probe output source count value_text mean efficiency thread"},
    [WS_PROBES_BY_SITE] = {"sites", "By place", .by = BY(OUTPUT) | BY(SHADER) | BY(SITE) | BY(LINE),
                           .sort = "output_id,-count"},
    [WS_PROBES_BY_LAUNCH] = {"launches", "By launch", .by = BY(OUTPUT) | BY(LAUNCH),
                             .sort = "output_id,launch",
                             .text = "probe output launch label count value_text mean efficiency thread"},
    [WS_PROBES_BY_BIN] = {"bins", "Histograms", .by = BY(OUTPUT) | BY(BIN), .rows = UINT32_MAX,
                          .text = "probe output bin count share bar",
                          .data = "output_id probe output bin bin_from bin_to count share"},
    [WS_PROBES_BY_ENTRY] = {"entries", "Values and tables", .by = BY(OUTPUT) | BY(ENTRY),
                            .sort = "output_id,rank", .filter = "beyond = 0", .ordered = true,
                            .text = "probe output keys count share bar",
                            .data = "output_id probe output rank beyond keys count share"},
    [WS_PROBES_BY_RECORD] =
        {"records", "Samples and records", .by = BY(OUTPUT) | BY(SHADER) | BY(LINE) | BY(LAUNCH) | BY(RECORD),
         .sort = "output_id,record", .ordered = true, .text = "output source launch recorded_by fields",
         .data =
             "record output_id probe output kind stage shader_id shader file line launch recorded_by fields"},
    {NULL},
};

const struct ws_columns ws_probes_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_yield_sums),
    .shown = "count value_text mean efficiency nans lost thread",
    .add = ws_yield_sums_add,
    .main = "count",
};

/* ---- The analysis. ---- */

static const char words[] =
    "An output has what its probe's functions gave it: `count` says how often, `value` is the count, the "
    "sum, the "
    "smallest\n"
    "or the largest value. Sums of float are exact before they are rounded, so their order does not matter. "
    "A row of a\n"
    "source line has all places of that line. Outputs per shader have no place, and so no line.\n";

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_probes *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    if (ws_probes_begin(results, catalog, &options->view, error))
        return results;
    free(results);
    return NULL;
}

static void destroy(void *results)
{
    ws_probes_finish(results);
    free(results);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_probes_add(results, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_probes_end(results, error);
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_probes *results = pointer;
    return results->groups;
}

static const char *nothing(const void *pointer)
{
    const struct ws_probes *results = pointer;
    return results->probe_count == 0 && results->unreadable == 0 ? "no probe was recorded" : NULL;
}

/* Whether the line of any place is known. */
static bool has_lines(const struct ws_probes *results)
{
    for (uint32_t i = 0; i < results->line_count; ++i)
        if (results->lines[i].file != NULL)
            return true;
    return false;
}

/* Tables that say nothing more than one before are left out: one shader, one launch. */
static bool text(const void *pointer, FILE *stream)
{
    const struct ws_probes *results = pointer;
    const uint32_t outputs = ws_groups_count(results->groups, WS_PROBES_BY_OUTPUT);
    bool printed = ws_groups_text(results->groups, WS_PROBES_BY_OUTPUT, stream);
    static const uint32_t details[] = {WS_PROBES_BY_BIN, WS_PROBES_BY_ENTRY, WS_PROBES_BY_RECORD};
    for (size_t i = 0; i < sizeof(details) / sizeof(details[0]) && printed; ++i)
        if (ws_groups_count(results->groups, details[i]) > 0)
            printed = ws_groups_text(results->groups, details[i], stream);
    static const uint32_t places[] = {WS_PROBES_BY_SHADER, WS_PROBES_BY_LINE, WS_PROBES_BY_LAUNCH};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && printed; ++i) {
        const uint32_t rows = ws_groups_count(results->groups, places[i]);
        if (places[i] == WS_PROBES_BY_LINE ? has_lines(results) : rows > outputs)
            printed = ws_groups_text(results->groups, places[i], stream);
    }
    /* Without lines the places are all that is known. */
    if (printed && !has_lines(results) && ws_groups_count(results->groups, WS_PROBES_BY_SITE) > 0)
        printed = ws_groups_text(results->groups, WS_PROBES_BY_SITE, stream);
    return printed;
}

static const char *probe_of_skip(const struct ws_probes *results, uint32_t probe)
{
    return results->probes[probe].pass + strlen(WS_PROBE_PASS_PREFIX);
}

/* What a launch of one place may add to a sum of float (yields.h). */
#define FLOAT_SUM_VALUES (UINT64_C(1) << 31)

/* Begins a line about an output. Names are of the capture. */
static void name_output(const struct ws_probes *results, const struct ws_probes_output *output, FILE *stream,
                        const char *what)
{
    fputs("  ", stream);
    ws_text_print(stream, probe_of_skip(results, output->probe));
    fputc('.', stream);
    ws_text_print(stream, output->output->name);
    fprintf(stream, ": %s", what);
}

/* What samples and sums of float cannot say. */
static void note_limits(const struct ws_probes *results, FILE *stream)
{
    for (uint32_t i = 0; i < results->output_count; ++i) {
        const struct ws_probes_output *output = &results->outputs[i];
        const struct ws_yield_shape *shape = &output->output->shape;
        if (shape->kind == WS_YIELD_SAMPLE && output->sums.count > shape->size)
            name_output(results, output, stream,
                        "which came first depends on the order in which the device ran the threads; another "
                        "run may have other samples\n");
        if (shape->kind == WS_YIELD_SUM && shape->type == WS_YIELD_FLOAT &&
            output->sums.count > FLOAT_SUM_VALUES)
            name_output(results, output, stream,
                        "a sum of float holds 2^31 values of one place in one launch; the sum of a launch "
                        "with more is wrong\n");
    }
}

/* What was left out of what was asked for. Places that are skipped are listed with those of all passes (report_text.c). */
static void notes(const void *pointer, FILE *stream)
{
    const struct ws_probes *results = pointer;
    if (results->sampled && results->output_count > 0)
        fputs("  probe: yields are of the warps that counted alone (--sample), not estimates of all\n",
              stream);
    if (results->unreadable > 0) {
        fprintf(stream, "  %" PRIu32 " probe%s could not be read: ", results->unreadable,
                ws_plural(results->unreadable, "s"));
        ws_text_print(stream, results->why);
        fputc('\n', stream);
    }
    for (uint32_t i = 0; i < results->probe_count; ++i)
        for (uint32_t j = 0; j < results->probes[i].probe->rule_count; ++j) {
            struct ws_probes_unmatched unmatched;
            if (!ws_probes_is_unmatched(results, i, j))
                continue;
            ws_probes_explain(results, i, j, &unmatched);
            fputs("  ", stream);
            ws_text_print(stream, unmatched.probe);
            if (unmatched.line != 0)
                fprintf(stream, ", line %" PRIu32, unmatched.line);
            fputs(": no place of any shader fits '", stream);
            ws_text_print(stream, unmatched.rule);
            fputs("': ", stream);
            ws_text_print(stream, unmatched.nearest);
            fputc('\n', stream);
        }
    for (uint32_t i = 0; i < results->output_count; ++i) {
        const struct ws_probes_output *output = &results->outputs[i];
        if (output->beyond == 0)
            continue;
        name_output(results, output, stream, "");
        fprintf(stream,
                "%" PRIu32 " more value%s, which came %" PRIu64 " times, beyond the %" PRIu32
                " asked for: --json and --csv have them\n",
                output->beyond, ws_plural(output->beyond, "s"), output->beyond_count, output->output->shown);
    }
    for (uint32_t i = 0; i < results->output_count; ++i) {
        const struct ws_probes_output *output = &results->outputs[i];
        if (output->sums.lost == 0)
            continue;
        name_output(results, output, stream, "");
        fprintf(stream,
                "%" PRIu64 " of %" PRIu64 " found no room in its tables of %" PRIu32
                ", so that entries may be too small or missing\n",
                output->sums.lost, output->sums.count, output->output->shape.size);
    }
    note_limits(results, stream);
    if (results->left_out > 0)
        fprintf(stream, "  %" PRIu64 " more samples and records are counted, and have no row\n",
                results->left_out);
    ws_groups_notes(results->groups, "probe", stream);
}

static const struct ws_member skip_members[] = {
    {"probe", "string", "the probe"},
    {"module", "string", "the module"},
    {"count", "integer", "places"},
    {"reason", "string", "why its functions are not called there"},
    {NULL},
};

static const struct ws_member rule_members[] = {
    {"probe", "string", "the probe"},
    {"line", "integer", "line of its source; 0 = not known"},
    {"rule", "string", "what stands there"},
    {"nearest", "string", "what the shaders have in its place"},
    {NULL},
};

static const struct ws_member members[] = {
    {"skipped", "object[]", "places that fit a rule, and where nothing is called", skip_members},
    {"unmatched", "object[]", "rules that no place of any shader fits", rule_members},
    {"unreadable", "integer", "probes of the capture that could not be read"},
    {"without_row", "integer", "samples and records that are counted, and have no row"},
    {NULL},
};

static cJSON *skips_json(const struct ws_probes *results)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; list != NULL && i < results->skip_count; ++i) {
        const struct ws_probes_skip *skip = &results->skips[i];
        char module[256];
        cJSON *item = cJSON_CreateObject();
        ws_entry_name(results->catalog, skip->module, WS_NONE, module, sizeof(module));
        cJSON_AddStringToObject(item, "probe", probe_of_skip(results, skip->probe));
        cJSON_AddStringToObject(item, "module", module);
        ws_json_integer(item, "count", skip->count);
        cJSON_AddStringToObject(item, "reason", skip->reason);
        ws_json_append(list, item);
    }
    return list;
}

static cJSON *rules_json(const struct ws_probes *results)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; list != NULL && i < results->probe_count; ++i)
        for (uint32_t j = 0; j < results->probes[i].probe->rule_count; ++j) {
            struct ws_probes_unmatched unmatched;
            if (!ws_probes_is_unmatched(results, i, j))
                continue;
            cJSON *item = cJSON_CreateObject();
            ws_probes_explain(results, i, j, &unmatched);
            cJSON_AddStringToObject(item, "probe", unmatched.probe);
            ws_json_integer(item, "line", results->probes[i].probe->rules[j].source_line);
            cJSON_AddStringToObject(item, "rule", unmatched.rule);
            cJSON_AddStringToObject(item, "nearest", unmatched.nearest);
            ws_json_append(list, item);
        }
    return list;
}

static bool json(const void *pointer, struct ws_json *json)
{
    const struct ws_probes *results = pointer;
    ws_json_member(json, "skipped", skips_json(results));
    ws_json_member(json, "unmatched", rules_json(results));
    ws_json_member(json, "unreadable", ws_json_integer_item(results->unreadable));
    ws_json_member(json, "without_row", ws_json_integer_item(results->left_out));
    return !json->failed;
}

/* One finding for each probe: its outputs; of the many that found nothing, that it is nothing. */
static bool findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_probes *results = pointer;
    for (uint32_t i = 0; i < results->probe_count; ++i) {
        const struct ws_probes_probe *probe = &results->probes[i];
        char said[1024] = "";
        for (uint32_t k = 0; k < probe->probe->output_count; ++k) {
            const struct ws_probes_output *output = &results->outputs[probe->first_output + k];
            char words[256];
            if (output->sums.count == 0)
                continue;
            ws_probes_tell(output, &output->sums, words, sizeof(words));
            const size_t used = strlen(said);
            snprintf(said + used, sizeof(said) - used, "%s%s", used > 0 ? ", " : "", words);
        }
        bool unmatched = true;
        for (uint32_t k = 0; k < probe->probe->rule_count; ++k)
            unmatched = unmatched && ws_probes_is_unmatched(results, i, k);
        const struct ws_finding finding = {
            .kind = WS_FINDING_FACT,
            .title = ws_findings_text(findings, "Probe %s", probe_of_skip(results, i)),
            .text = said[0] != '\0' ? ws_findings_text(findings, "It yielded %s.", said)
                    : unmatched     ? "It was called nowhere: no place of any shader fits it."
                                    : "Its places yielded nothing.",
        };
        if (!ws_findings_add(findings, &finding))
            return false;
    }
    return true;
}

/* Histograms, lines, and an image of what threads recorded. */
static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_probes *results = pointer;
    const struct ws_groups_plot bins = {
        .kind = WS_PLOT_BARS,
        .name = "histograms",
        .title = "Histograms of probes",
        .about = "How often values of each bin came, as a share of all values of the "
                 "histogram.",
        .y_label = "% of its values",
        .label = "bin",
        .fields = "share",
        .rows = 64};
    const struct ws_groups_plot lines = {.kind = WS_PLOT_BARS,
                                         .name = "lines",
                                         .title = "Where probes yielded",
                                         .about = "How often each output was yielded to at each source line.",
                                         .y_label = "times",
                                         .label = "source",
                                         .fields = "count"};
    return (ws_groups_count(results->groups, WS_PROBES_BY_BIN) == 0 ||
            ws_groups_plot(results->groups, WS_PROBES_BY_BIN, &bins, plots, error)) &&
           ws_probes_images(results, plots, error) &&
           (ws_groups_count(results->groups, WS_PROBES_BY_LINE) == 0 ||
            ws_groups_plot(results->groups, WS_PROBES_BY_LINE, &lines, plots, error));
}

static const char *const passes[] = {WS_PROBE_PASS_PREFIX, NULL};

const struct ws_analysis ws_analysis_probe = {
    .name = "probe",
    .summary = "what probes yielded: by output, shader, source line, launch and place",
    .answers = "what your own probes ask",
    .passes = passes,
    .columns = &ws_probes_columns,
    .words = words,
    .create = create,
    .destroy = destroy,
    .replay = &ws_probes_replay,
    .record = record,
    .end = end,
    .groups = groups,
    .findings = findings,
    .nothing = nothing,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
    .plots = plots,
};
