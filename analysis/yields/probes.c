#include "analysis/yields/probes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"

const char *ws_yield_kind_name(uint32_t kind)
{
    static const char *const names[WS_YIELD_KIND_COUNT] = {
        [WS_YIELD_COUNT] = "count",
        [WS_YIELD_SUM] = "sum",
        [WS_YIELD_MIN] = "min",
        [WS_YIELD_MAX] = "max",
        [WS_YIELD_HISTOGRAM_LINEAR] = "histogram",
        [WS_YIELD_HISTOGRAM_LOG2] = "histogram",
        [WS_YIELD_VALUES] = "values",
        [WS_YIELD_TABLE] = "table",
        [WS_YIELD_RECORD] = "record",
        [WS_YIELD_SAMPLE] = "sample",
        [WS_YIELD_LANES] = "lanes",
    };
    return kind < WS_YIELD_KIND_COUNT ? names[kind] : "unknown";
}

bool ws_probes_value(const struct ws_probes_output *output, const struct ws_yield_sums *sums, double *value)
{
    const struct ws_yield_shape *shape = &output->output->shape;
    switch (shape->kind) {
    case WS_YIELD_COUNT: *value = (double)sums->count; return true;
    case WS_YIELD_SUM:
        *value = shape->type == WS_YIELD_FLOAT ? ws_yield_float_sum(sums)
                 : shape->type == WS_YIELD_INT ? (double)(int64_t)sums->integer
                                               : (double)sums->integer;
        return true;
    case WS_YIELD_MIN:
    case WS_YIELD_MAX:
        *value = ws_yield_number(shape->type, ws_yield_extreme(shape, sums));
        return sums->has_extreme != 0;
    default: return false;
    }
}

bool ws_probes_mean(const struct ws_probes_output *output, const struct ws_yield_sums *sums, double *mean)
{
    if (output->output->shape.kind == WS_YIELD_LANES && sums->count > 0) {
        *mean = (double)sums->active / (double)sums->count;
        return true;
    }
    if (output->output->shape.kind != WS_YIELD_SUM || sums->count == 0 ||
        !ws_probes_value(output, sums, mean))
        return false;
    *mean /= (double)sums->count;
    return true;
}

const char *ws_probes_value_text(const struct ws_probes_output *output, const struct ws_yield_sums *sums,
                                 char text[WS_YIELD_TEXT_SIZE])
{
    const struct ws_yield_shape *shape = &output->output->shape;
    const bool extreme = shape->kind == WS_YIELD_MIN || shape->kind == WS_YIELD_MAX;
    double value;
    text[0] = '\0';
    if (!ws_probes_value(output, sums, &value))
        return text;
    if (extreme)
        return ws_yield_text(shape->type, ws_yield_extreme(shape, sums), text);
    if (shape->kind == WS_YIELD_COUNT)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%" PRIu64, sums->count);
    else if (shape->type == WS_YIELD_INT)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%" PRId64, (int64_t)sums->integer);
    else if (shape->type == WS_YIELD_UINT)
        snprintf(text, WS_YIELD_TEXT_SIZE, "%" PRIu64, sums->integer);
    else if (isnan(value))
        snprintf(text, WS_YIELD_TEXT_SIZE, "nan");
    else
        snprintf(text, WS_YIELD_TEXT_SIZE, "%.9g", value);
    return text;
}

void ws_probes_tell(const struct ws_probes_output *output, const struct ws_yield_sums *sums, char *words,
                    size_t size)
{
    char value[WS_YIELD_TEXT_SIZE];
    const char *name = output->output->name;
    ws_probes_value_text(output, sums, value);
    if (output->output->shape.kind == WS_YIELD_COUNT)
        snprintf(words, size, "%s %s", name, value);
    else if (sums->slots > 0)
        snprintf(words, size, "%s %" PRIu64 " time%s, with %.1f %% of the lanes active", name, sums->count,
                 ws_plural(sums->count, "s"), 100 * (double)sums->active / (double)sums->slots);
    else if (value[0] != '\0')
        snprintf(words, size, "%s %s of %" PRIu64, name, value, sums->count);
    else
        snprintf(words, size, "%s %" PRIu64 " time%s", name, sums->count, ws_plural(sums->count, "s"));
}

const char *ws_probes_name(const struct ws_probes *results, const struct ws_probes_output *output)
{
    return results->probes[output->probe].pass + strlen(WS_PROBE_PASS_PREFIX);
}

bool ws_probes_begin(struct ws_probes *results, const struct ws_catalog *catalog, const struct ws_view *view,
                     struct ws_error *error)
{
    memset(results, 0, sizeof(*results));
    results->catalog = catalog;
    results->groups = ws_groups_create(&ws_probes_columns, catalog, results, view, error);
    return results->groups != NULL;
}

static void part_destroy(void *pointer);

static void finish_launch(struct ws_probes_launch *launch)
{
    free(launch->runs);
    free(launch->words);
}

void ws_probes_finish(struct ws_probes *results)
{
    for (uint32_t i = 0; i < results->probe_count; ++i) {
        ws_probe_destroy(results->probes[i].probe);
        free(results->probes[i].met);
    }
    for (uint32_t i = 0; i < results->module_count; ++i)
        free(results->modules[i].shared);
    for (uint32_t i = 0; i < results->open_count; ++i)
        finish_launch(&results->open[i]);
    part_destroy(results->heard);
    free(results->probes);
    free(results->outputs);
    free(results->modules);
    free(results->lines);
    free(results->entries);
    free(results->records);
    free(results->field_words);
    free(results->skips);
    free(results->area);
    ws_id_map_finish(&results->line_ids);
    ws_id_map_finish(&results->entry_ids);
    ws_text_pool_finish(&results->texts);
    ws_groups_destroy(results->groups);
    memset(results, 0, sizeof(*results));
}

/* ---- What the capture defines. ---- */

static bool add_outputs(struct ws_probes *results, struct ws_probes_probe *probe)
{
    const uint32_t count = probe->probe->output_count;
    struct ws_probes_output *outputs = ws_array_grow(results->outputs, &results->output_capacity,
                                                     results->output_count + count, sizeof(*outputs));
    if (outputs == NULL)
        return false;
    results->outputs = outputs;
    probe->first_output = results->output_count;
    for (uint32_t i = 0; i < count; ++i)
        outputs[results->output_count++] = (struct ws_probes_output){
            .probe = results->probe_count,
            .output = &probe->probe->outputs[i],
            .word = probe->layout.offsets[i],
        };
    return true;
}

/* A probe whose words are damaged, or of another version, is left out; the report says so. */
static bool add_probe(struct ws_probes *results, const struct ws_chunk_probe *chunk)
{
    struct ws_error why = {{0}};
    struct ws_probe *read = ws_probe_read(chunk->words, chunk->word_count, &why);
    if (read == NULL) {
        results->unreadable++;
        snprintf(results->why, sizeof(results->why), "%s", why.message);
        return true;
    }
    char pass[1024];
    snprintf(pass, sizeof(pass), "%s%s", WS_PROBE_PASS_PREFIX, chunk->name);
    struct ws_probes_probe *probes =
        ws_array_grow(results->probes, &results->probe_capacity, results->probe_count + 1, sizeof(*probes));
    if (probes != NULL)
        results->probes = probes;
    struct ws_probes_probe probe = {
        .probe = read,
        .pass = ws_text_pool_add(&results->texts, pass),
        .layout = ws_probe_layout(read->outputs, read->output_count),
        .met = calloc((size_t)read->rule_count + 1, sizeof(*probe.met)),
    };
    if (probes == NULL || probe.pass == NULL || probe.met == NULL || !add_outputs(results, &probe)) {
        ws_probe_destroy(read);
        free(probe.met);
        return false;
    }
    probes[results->probe_count++] = probe;
    return true;
}

/* The probe of a pass of a module; NULL = it is none. */
static struct ws_probes_probe *find_probe(const struct ws_probes *results, const char *pass)
{
    for (uint32_t i = 0; i < results->probe_count; ++i)
        if (strcmp(results->probes[i].pass, pass) == 0)
            return &results->probes[i];
    return NULL;
}

/* The probe whose function a site calls, or whose data record it is, and which function; NULL = none. */
static struct ws_probes_probe *probe_of(const struct ws_probes *results,
                                        const struct ws_module_record *module,
                                        const struct ws_site_info *site, uint32_t *function)
{
    const bool data = site->kind == WS_SITE_DATA;
    if ((!data && site->kind != WS_SITE_YIELD) || site->pass == WS_NONE)
        return NULL;
    struct ws_probes_probe *probe = find_probe(results, module->passes[site->pass]);
    *function = data ? WS_PROBE_DATA_FUNCTION(site->tag) : WS_PROBE_SITE_FUNCTION(site->tag);
    return probe != NULL && *function < probe->probe->function_count ? probe : NULL;
}

/* Notes the rule that a site is of; in captures that do not name it, those that it can be of. */
static void meet_rules(struct ws_probes_probe *probe, uint32_t tag, uint32_t opcode)
{
    const uint32_t function = WS_PROBE_SITE_FUNCTION(tag);
    const uint32_t known = WS_PROBE_SITE_RULE(tag);
    if (known < probe->probe->rule_count) {
        probe->met[known] = true;
        return;
    }
    for (uint32_t i = 0; i < probe->probe->rule_count; ++i) {
        const struct ws_probe_rule *rule = &probe->probe->rules[i];
        bool met = rule->opcode_count == 0 || opcode == 0;
        if (function - rule->function_first >= rule->function_count)
            continue;
        for (uint32_t k = 0; k < rule->opcode_count && !met; ++k)
            met = WS_PROBE_OPCODE_OF(rule->opcodes[k]) == opcode;
        probe->met[i] = probe->met[i] || met;
    }
}

static bool add_sites(struct ws_probes *results, const struct ws_chunk_sites *chunk)
{
    const struct ws_catalog *catalog = results->catalog;
    const uint32_t index = ws_catalog_module(catalog, chunk->module);
    if (index == WS_NONE)
        return true;
    if (index >= results->module_count) {
        struct ws_probes_module *modules =
            ws_catalog_follow(results->modules, results->module_count, catalog->module_count,
                              catalog->module_capacity, sizeof(*modules));
        if (modules == NULL)
            return false;
        results->modules = modules;
        results->module_count = catalog->module_count;
    }
    struct ws_probes_module *module = &results->modules[index];
    if (chunk->shared_yield_count > 0 && module->shared == NULL) {
        module->shared = malloc(chunk->shared_yield_count * sizeof(*module->shared));
        if (module->shared == NULL)
            return false;
        memcpy(module->shared, chunk->shared_yields, chunk->shared_yield_count * sizeof(*module->shared));
        module->shared_count = chunk->shared_yield_count;
    }
    const struct ws_module_record *record = &catalog->modules[index];
    for (uint32_t i = 0; i < record->site_count; ++i) {
        uint32_t function;
        struct ws_probes_probe *probe = probe_of(results, record, &record->sites[i].info, &function);
        if (probe != NULL && record->sites[i].info.kind == WS_SITE_YIELD)
            meet_rules(probe, record->sites[i].info.tag, record->sites[i].opcode);
    }
    return true;
}

bool ws_probes_is_unmatched(const struct ws_probes *results, uint32_t probe, uint32_t rule)
{
    return !results->probes[probe].met[rule];
}

/* The line of a probe's source on which a rule stands, without "//! "; "" = not known. */
static void copy_rule(const struct ws_probe *probe, const struct ws_probe_rule *rule, char *text, size_t size)
{
    const char *line = probe->source;
    for (uint32_t i = 1; line != NULL && i < rule->source_line; ++i) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    text[0] = '\0';
    if (line == NULL || rule->source_line == 0)
        return;
    line += strspn(line, "/! \t");
    snprintf(text, size, "%.*s", (int)strcspn(line, "\r\n"), line);
}

void ws_probes_explain(const struct ws_probes *results, uint32_t probe, uint32_t rule,
                       struct ws_probes_unmatched *unmatched)
{
    const struct ws_probe *of = results->probes[probe].probe;
    unmatched->probe = results->probes[probe].pass + strlen(WS_PROBE_PASS_PREFIX);
    unmatched->line = strchr(of->source, '\n') != NULL ? of->rules[rule].source_line : 0;
    copy_rule(of, &of->rules[rule], unmatched->rule, sizeof(unmatched->rule));
    ws_census_explain(&results->census, &of->rules[rule], "the shaders have", unmatched->nearest,
                      sizeof(unmatched->nearest));
}

static bool add_skip(struct ws_probes *results, const struct ws_chunk_skip *chunk)
{
    const uint32_t module = ws_catalog_module(results->catalog, chunk->id);
    if (chunk->kind != WS_SKIP_SITE || module == WS_NONE || chunk->pass == WS_NONE ||
        chunk->pass >= results->catalog->modules[module].pass_count)
        return true;
    const struct ws_probes_probe *probe =
        find_probe(results, results->catalog->modules[module].passes[chunk->pass]);
    if (probe == NULL)
        return true;
    struct ws_probes_skip *skips =
        ws_array_grow(results->skips, &results->skip_capacity, results->skip_count + 1, sizeof(*skips));
    const char *reason = ws_text_pool_add(&results->texts, chunk->reason);
    if (skips == NULL || reason == NULL)
        return false;
    results->skips = skips;
    skips[results->skip_count++] =
        (struct ws_probes_skip){(uint32_t)(probe - results->probes), module, chunk->count, reason};
    return true;
}

/* ---- Numbers for lines and entries. ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Places whose line is not known have one number, too: that of a line without file. */
static bool number_line(struct ws_probes *results, const char *file, uint32_t line, uint64_t *key)
{
    uint32_t number;
    if (file == NULL || line == 0) {
        file = NULL;
        line = 0;
    }
    /* The catalog has each text once. */
    uint64_t hash = mix(mix(0, (uintptr_t)file), line);
    for (; ws_id_map_get(&results->line_ids, hash, &number); ++hash)
        if (results->lines[number].file == file && results->lines[number].line == line) {
            *key = number;
            return true;
        }
    struct ws_probes_line *lines =
        ws_array_grow(results->lines, &results->line_capacity, results->line_count + 1, sizeof(*lines));
    if (lines == NULL || !ws_id_map_put(&results->line_ids, hash, results->line_count))
        return false;
    results->lines = lines;
    *key = results->line_count;
    lines[results->line_count++] = (struct ws_probes_line){file, line};
    return true;
}

static bool number_entry(struct ws_probes *results, uint32_t output, const uint32_t *keys, uint32_t count,
                         uint64_t *key)
{
    uint32_t number;
    struct ws_probes_entry entry = {.output = output};
    memcpy(entry.keys, keys, count * sizeof(*keys));
    uint64_t hash = mix(0, output);
    for (uint32_t i = 0; i < count; ++i)
        hash = mix(hash, keys[i]);
    for (; ws_id_map_get(&results->entry_ids, hash, &number); ++hash)
        if (results->entries[number].output == output &&
            memcmp(results->entries[number].keys, entry.keys, sizeof(entry.keys)) == 0) {
            *key = number;
            return true;
        }
    struct ws_probes_entry *entries =
        ws_array_grow(results->entries, &results->entry_capacity, results->entry_count + 1, sizeof(*entries));
    if (entries == NULL || !ws_id_map_put(&results->entry_ids, hash, results->entry_count))
        return false;
    results->entries = entries;
    *key = results->entry_count;
    entries[results->entry_count++] = entry;
    return true;
}

/* Keeps a row of fields. `*key` is WS_KEY_NONE where there are too many already. */
static bool add_record(struct ws_probes *results, struct ws_probes_record record, const uint32_t *fields,
                       uint64_t *key)
{
    const uint32_t count = results->outputs[record.output].output->shape.field_count;
    *key = WS_KEY_NONE;
    if (results->record_count >= WS_PROBE_ROWS_MAX) {
        results->left_out++;
        return true;
    }
    struct ws_probes_record *records = ws_array_grow(results->records, &results->record_capacity,
                                                     results->record_count + 1, sizeof(*records));
    if (records == NULL)
        return false;
    results->records = records;
    uint32_t *words = ws_array_grow(results->field_words, &results->field_capacity,
                                    results->field_count + count, sizeof(*words));
    if (words == NULL)
        return false;
    results->field_words = words;
    record.fields = results->field_count;
    memcpy(words + results->field_count, fields, count * sizeof(*fields));
    results->field_count += count;
    *key = results->record_count;
    records[results->record_count++] = record;
    return true;
}

/* ---- Words of a launch. ---- */

/* In the order of shaders and words. */
static int compare_runs(const void *left, const void *right)
{
    const struct ws_probes_run *a = left;
    const struct ws_probes_run *b = right;
    if (a->shader != b->shader)
        return a->shader < b->shader ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* The first run that may hold word `at` or a later one: the last that begins there or before, as runs do not overlap. */
static uint32_t find_run(const struct ws_probes_launch *launch, uint32_t shader, uint32_t at)
{
    uint32_t low = 0;
    uint32_t high = launch->run_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct ws_probes_run *run = &launch->runs[middle];
        if (run->shader < shader || (run->shader == shader && run->first <= at))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

/* The words of an area as they came, zeros where none did; NULL where all are 0, with `*failed` where there is no
 * memory. */
static const uint32_t *take_area(struct ws_probes *results, const struct ws_probes_launch *launch,
                                 uint32_t shader, uint32_t at, uint32_t width, bool *failed)
{
    bool any = false;
    uint32_t *area = NULL;
    for (uint32_t i = find_run(launch, shader, at); i < launch->run_count && !*failed; ++i) {
        const struct ws_probes_run *run = &launch->runs[i];
        /* In 64 bits: an area of a hostile file may end beyond 2^32. */
        const uint64_t begin = run->first > at ? run->first : at;
        const uint64_t run_end = (uint64_t)run->first + run->count;
        const uint64_t end = run_end < (uint64_t)at + width ? run_end : (uint64_t)at + width;
        if (run->shader > shader || (run->shader == shader && run->first >= (uint64_t)at + width))
            break;
        if (run->shader != shader || begin >= end)
            continue;
        if (!any) {
            if (!ws_budget_spend(4 * (uint64_t)width))
                return NULL;
            area = ws_array_grow(results->area, &results->area_capacity, width, sizeof(*area));
            *failed = area == NULL;
            if (*failed)
                return NULL;
            results->area = area;
            memset(area, 0, width * sizeof(*area));
            any = true;
        }
        memcpy(area + (begin - at), launch->words + run->at + (begin - run->first),
               (end - begin) * sizeof(*area));
    }
    return any ? area : NULL;
}

static bool add_bins(struct ws_probes *results, const struct ws_yield_shape *shape, const uint32_t *words,
                     uint64_t *keys)
{
    for (uint32_t i = 0; i < ws_yield_bin_count(shape); ++i) {
        const struct ws_yield_sums sums = {.count = ws_yield_bin(shape, words, i)};
        keys[WS_PROBES_BIN] = i;
        if (sums.count > 0 && !ws_groups_add_to(results->groups, keys, &sums, 1u << WS_PROBES_BIN, 0))
            return false;
    }
    return true;
}

static bool add_entries(struct ws_probes *results, const struct ws_yield_shape *shape, const uint32_t *words,
                        uint64_t *keys)
{
    for (uint32_t i = 0; i < ws_yield_slots(shape->size); ++i) {
        uint32_t entry[WS_YIELD_KEYS_MAX];
        const struct ws_yield_sums sums = {.count = ws_yield_slot(shape, words, i, entry)};
        if (sums.count == 0)
            continue;
        if (!number_entry(results, (uint32_t)keys[WS_PROBES_OUTPUT], entry, shape->field_count,
                          &keys[WS_PROBES_ENTRY]) ||
            !ws_groups_add_to(results->groups, keys, &sums, 1u << WS_PROBES_ENTRY, 0))
            return false;
        uint64_t *count = &results->entries[keys[WS_PROBES_ENTRY]].count;
        *count = *count > UINT64_MAX - sums.count ? UINT64_MAX : *count + sums.count;
    }
    return true;
}

static bool add_samples(struct ws_probes *results, const struct ws_yield_shape *shape, const uint32_t *words,
                        const uint64_t *given)
{
    uint64_t keys[WS_PROBES_DIMENSIONS];
    memcpy(keys, given, sizeof(keys));
    const struct ws_yield_sums sums = {.count = 1};
    const bool has_site = keys[WS_PROBES_SITE] != WS_KEY_NONE;
    /* An output per shader has rows all the same. */
    if (!has_site && !number_line(results, NULL, 0, &keys[WS_PROBES_LINE]))
        return false;
    for (uint32_t i = 0; i < ws_yield_sample_count(shape, words); ++i) {
        const struct ws_probes_record record = {
            .output = (uint32_t)keys[WS_PROBES_OUTPUT],
            .shader = (uint32_t)keys[WS_PROBES_SHADER],
            .site = has_site ? (uint32_t)keys[WS_PROBES_SITE] : WS_NONE,
            .launch = keys[WS_PROBES_LAUNCH],
        };
        if (!add_record(results, record, ws_yield_sample(shape, words, i), &keys[WS_PROBES_RECORD]) ||
            (keys[WS_PROBES_RECORD] != WS_KEY_NONE &&
             !ws_groups_add_to(results->groups, keys, &sums, 1u << WS_PROBES_RECORD, 0)))
            return false;
    }
    return true;
}

/* What yielded nothing has a row as an output and as a site, and in no other table: of a probe that looks for what is rare,
 * nearly all shaders and lines yield nothing. */
static bool add_sums(struct ws_probes *results, const uint64_t *keys, const struct ws_yield_sums *sums)
{
    if (sums->count > 0 || sums->lost > 0)
        return ws_groups_add(results->groups, keys, sums);
    return ws_groups_add_to(results->groups, keys, sums, 0, 1u << WS_PROBES_SHADER | 1u << WS_PROBES_LINE) &&
           ws_groups_add_to(results->groups, keys, sums, 1u << WS_PROBES_SITE, 0);
}

static bool add_area(struct ws_probes *results, const uint32_t *words, uint64_t *keys)
{
    struct ws_probes_output *output = &results->outputs[keys[WS_PROBES_OUTPUT]];
    const struct ws_yield_shape *shape = &output->output->shape;
    struct ws_yield_sums sums;
    ws_yield_decode(shape, words, &sums);
    sums.launch = keys[WS_PROBES_LAUNCH];
    sums.shader = keys[WS_PROBES_SHADER];
    keys[WS_PROBES_BIN] = keys[WS_PROBES_ENTRY] = keys[WS_PROBES_RECORD] = WS_KEY_NONE;
    ws_yield_sums_add(&output->sums, &sums);
    if (!add_sums(results, keys, &sums))
        return false;
    switch (shape->kind) {
    case WS_YIELD_HISTOGRAM_LINEAR:
    case WS_YIELD_HISTOGRAM_LOG2:
    case WS_YIELD_LANES: return add_bins(results, shape, words, keys);
    case WS_YIELD_VALUES:
    case WS_YIELD_TABLE: return add_entries(results, shape, words, keys);
    case WS_YIELD_SAMPLE: return add_samples(results, shape, words, keys);
    default: return true;
    }
}

/* All outputs of an area: those per site, of `mask`; or those per shader. */
static bool add_outputs_of(struct ws_probes *results, const struct ws_probes_launch *launch,
                           const struct ws_probes_probe *probe, uint32_t mask, bool per_shader, uint32_t at,
                           uint64_t *keys)
{
    bool failed = false;
    for (uint32_t i = 0; i < probe->probe->output_count && !failed; ++i) {
        const struct ws_probe_output *output = &probe->probe->outputs[i];
        const uint32_t width = ws_yield_width(&output->shape);
        if (output->per_shader != per_shader || (mask >> i & 1) == 0 || width == 0)
            continue;
        const uint32_t *words = take_area(results, launch, (uint32_t)keys[WS_PROBES_SHADER],
                                          at + probe->layout.offsets[i], width, &failed);
        keys[WS_PROBES_OUTPUT] = probe->first_output + i;
        if (words != NULL)
            failed = !add_area(results, words, keys);
    }
    return !failed;
}

static bool add_shader(struct ws_probes *results, const struct ws_probes_launch *launch, uint32_t shader)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    const struct ws_module_record *module = &results->catalog->modules[record->module];
    uint64_t keys[WS_PROBES_DIMENSIONS];
    for (uint32_t i = 0; i < WS_PROBES_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_PROBES_STAGE] = ws_key_stage(record->stage);
    keys[WS_PROBES_SHADER] = shader;
    keys[WS_PROBES_LAUNCH] = launch->launch;
    if (record->module < results->module_count) {
        const struct ws_probes_module *shared = &results->modules[record->module];
        for (uint32_t i = 0; i < shared->shared_count && i < module->pass_count; ++i) {
            const struct ws_probes_probe *probe = find_probe(results, module->passes[i]);
            if (probe != NULL && shared->shared[i] != WS_NONE &&
                !add_outputs_of(results, launch, probe, UINT32_MAX, true, shared->shared[i], keys))
                return false;
        }
    }
    for (uint32_t i = 0; i < module->site_count && ws_budget_spend(WS_STEPS_ENTRY); ++i) {
        const struct ws_site_record *site = &module->sites[i];
        uint32_t function;
        const struct ws_probes_probe *probe = probe_of(results, module, &site->info, &function);
        if (probe == NULL || site->info.kind != WS_SITE_YIELD || site->info.row == WS_NONE)
            continue;
        keys[WS_PROBES_SITE] = ws_key_in_shader(shader, i);
        if (!number_line(results, site->file, site->line, &keys[WS_PROBES_LINE]) ||
            !add_outputs_of(results, launch, probe, probe->probe->functions[function].outputs, false,
                            site->info.row, keys))
            return false;
    }
    return true;
}

/* Decodes the oldest launch. */
static bool close_launch(struct ws_probes *results)
{
    struct ws_probes_launch launch = results->open[0];
    bool added = true;
    memmove(results->open, results->open + 1, (results->open_count - 1) * sizeof(*results->open));
    results->open_count--;
    if (launch.run_count > 1)
        qsort(launch.runs, launch.run_count, sizeof(*launch.runs), compare_runs);
    for (uint32_t i = 0; i < launch.run_count && added; ++i)
        if (i == 0 || launch.runs[i - 1].shader != launch.runs[i].shader)
            added = add_shader(results, &launch, launch.runs[i].shader);
    finish_launch(&launch);
    return added;
}

static struct ws_probes_launch *open_launch(struct ws_probes *results, uint64_t index)
{
    for (uint32_t i = 0; i < results->open_count; ++i)
        if (results->open[i].launch == index)
            return &results->open[i];
    if (results->open_count == WS_PROBES_OPEN && !close_launch(results))
        return NULL;
    struct ws_probes_launch *launch = &results->open[results->open_count++];
    *launch = (struct ws_probes_launch){.launch = index};
    return launch;
}

static bool add_yields(struct ws_probes *results, const struct ws_chunk_yields *chunk)
{
    struct ws_probes_launch *launch = open_launch(results, chunk->launch);
    if (launch == NULL)
        return false;
    for (uint32_t i = 0; i < chunk->shader_count; ++i) {
        const struct ws_shader_yields *yields = &chunk->shaders[i];
        struct ws_probes_run *runs =
            ws_array_grow(launch->runs, &launch->run_capacity, launch->run_count + 1, sizeof(*runs));
        if (runs == NULL)
            return false;
        launch->runs = runs;
        if (yields->word_count > UINT32_MAX - launch->word_count)
            return false;
        uint32_t *words = ws_array_grow(launch->words, &launch->word_capacity,
                                        launch->word_count + yields->word_count, sizeof(*words));
        if (words == NULL)
            return false;
        launch->words = words;
        runs[launch->run_count++] =
            (struct ws_probes_run){ws_catalog_shader(results->catalog, yields->shader), yields->first,
                                   yields->word_count, launch->word_count};
        if (yields->word_count > 0)
            memcpy(words + launch->word_count, yields->words, yields->word_count * sizeof(*words));
        launch->word_count += yields->word_count;
    }
    return true;
}

static void take_settings(struct ws_probes *results, const struct ws_chunk_info *info)
{
    for (uint32_t i = 0; i < info->setting_count; ++i)
        if (strcmp(info->settings[i].key, "sample") == 0)
            results->sampled =
                info->settings[i].value[0] != '\0' && strcmp(info->settings[i].value, "1/1") != 0;
}

bool ws_probes_add(struct ws_probes *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    (void)error;
    switch (chunk->type) {
    case WS_CHUNK_INFO: take_settings(results, &chunk->info); return true;
    case WS_CHUNK_PROBE: return add_probe(results, &chunk->probe);
    case WS_CHUNK_MODULE:
        if (results->probe_count > 0)
            ws_census_add(&results->census, chunk->module.words, chunk->module.word_count);
        return true;
    case WS_CHUNK_SITES: return add_sites(results, &chunk->sites);
    case WS_CHUNK_SKIP: return add_skip(results, &chunk->skip);
    case WS_CHUNK_YIELDS: return add_yields(results, &chunk->yields);
    default: return true;
    }
}

/* Bars are drawn in parts of the largest. */
static void find_largest(struct ws_probes *results, uint32_t level)
{
    for (uint32_t i = 0; i < ws_groups_count(results->groups, level); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, level, i, &row);
        const struct ws_yield_sums *sums = row.sums;
        if (row.keys[WS_PROBES_OUTPUT] >= results->output_count)
            continue;
        struct ws_probes_output *output = &results->outputs[row.keys[WS_PROBES_OUTPUT]];
        output->largest = sums->count > output->largest ? sums->count : output->largest;
    }
}

/* By output, then the largest count first, then by keys: they are the same in each run, unlike the order in which entries
 * came. */
static int compare_entries(const void *left, const void *right, void *entries)
{
    const struct ws_probes_entry *a = (const struct ws_probes_entry *)entries + *(const uint32_t *)left;
    const struct ws_probes_entry *b = (const struct ws_probes_entry *)entries + *(const uint32_t *)right;
    if (a->output != b->output)
        return a->output < b->output ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    for (uint32_t i = 0; i < WS_YIELD_KEYS_MAX; ++i)
        if (a->keys[i] != b->keys[i])
            return a->keys[i] < b->keys[i] ? -1 : 1;
    return 0;
}

/* Gives entries their ranks, and `values` what is beyond those asked for. */
static bool rank_entries(struct ws_probes *results)
{
    uint32_t *order = calloc((size_t)results->entry_count + 1, sizeof(*order));
    uint32_t rank = 0;
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < results->entry_count; ++i)
        order[i] = i;
    qsort_r(order, results->entry_count, sizeof(*order), compare_entries, results->entries);
    for (uint32_t i = 0; i < results->entry_count; ++i) {
        struct ws_probes_entry *entry = &results->entries[order[i]];
        struct ws_probes_output *output = &results->outputs[entry->output];
        rank = i > 0 && results->entries[order[i - 1]].output == entry->output ? rank + 1 : 1;
        entry->rank = rank;
        if (output->output->shown != 0 && rank > output->output->shown) {
            output->beyond++;
            output->beyond_count += entry->count;
        }
    }
    free(order);
    return true;
}

/* Each output has a row: that nothing was yielded to it is an answer. */
static bool add_zeros(struct ws_probes *results)
{
    const struct ws_yield_sums zero = {.count = 0};
    uint64_t keys[WS_PROBES_DIMENSIONS];
    for (uint32_t i = 0; i < WS_PROBES_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    for (uint32_t i = 0; i < results->output_count; ++i) {
        keys[WS_PROBES_OUTPUT] = i;
        if (!ws_groups_add(results->groups, keys, &zero))
            return false;
    }
    return true;
}

bool ws_probes_end(struct ws_probes *results, struct ws_error *error)
{
    (void)error;
    while (results->open_count > 0)
        if (!close_launch(results))
            return false;
    if (!rank_entries(results) || !add_zeros(results))
        return false;
    if (ws_groups_level_count(results->groups) > WS_PROBES_BY_ENTRY) {
        find_largest(results, WS_PROBES_BY_BIN);
        find_largest(results, WS_PROBES_BY_ENTRY);
    }
    return true;
}

/* ---- Records. ---- */

/* What one lane recorded. */
struct heard {
    uint32_t shader;
    uint32_t site;
    uint32_t thread;
    uint32_t fields; /* place in words */
};

/* What one worker heard of one launch, or all of them. */
struct ws_probes_part {
    uint64_t launch;
    struct heard *heard;
    uint32_t count;
    uint32_t capacity;
    uint32_t *words;
    uint32_t word_count;
    uint32_t word_capacity;
};

static void *part_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    struct ws_probes_part *part = calloc(1, sizeof(*part));
    if (part != NULL)
        part->launch = launch->index;
    return part;
}

static void part_destroy(void *pointer)
{
    struct ws_probes_part *part = pointer;
    if (part == NULL)
        return;
    free(part->heard);
    free(part->words);
    free(part);
}

static bool part_data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                      const uint32_t *words, uint32_t words_per_lane)
{
    struct ws_probes_part *part = pointer;
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        if (!ws_lanes_has(lanes, lane))
            continue;
        struct heard *heard = ws_array_grow(part->heard, &part->capacity, part->count + 1, sizeof(*heard));
        if (heard == NULL)
            return false;
        part->heard = heard;
        uint32_t *all =
            ws_array_grow(part->words, &part->word_capacity, part->word_count + words_per_lane, sizeof(*all));
        if (all == NULL)
            return false;
        part->words = all;
        heard[part->count++] =
            (struct heard){context->shader, site, context->threads[lane], part->word_count};
        memcpy(all + part->word_count, words, words_per_lane * sizeof(*words));
        part->word_count += words_per_lane;
        words += words_per_lane;
    }
    return true;
}

static bool add_heard(struct ws_probes *results, const struct ws_probes_part *part, const struct heard *heard,
                      const struct ws_replay_threads *threads)
{
    const struct ws_shader_record *shader = &results->catalog->shaders[heard->shader];
    const struct ws_module_record *module = &results->catalog->modules[shader->module];
    const struct ws_site_record *site = &module->sites[heard->site];
    uint32_t function;
    const struct ws_probes_probe *probe = probe_of(results, module, &site->info, &function);
    const uint32_t output = WS_PROBE_DATA_OUTPUT(site->info.tag);
    if (probe == NULL || output >= probe->probe->output_count)
        return true;
    struct ws_probes_output *of = &results->outputs[probe->first_output + output];
    if (of->output->shape.kind != WS_YIELD_RECORD || of->output->shape.field_count != site->info.row)
        return true;
    const struct ws_yield_sums sums = {.count = 1};
    struct ws_probes_record record = {
        .output = probe->first_output + output,
        .shader = heard->shader,
        .site = heard->site,
        .launch = part->launch,
        .has_thread = heard->thread < threads->thread_count,
    };
    if (record.has_thread)
        memcpy(record.work, threads->threads[heard->thread].work, sizeof(record.work));
    uint64_t keys[WS_PROBES_DIMENSIONS] = {
        [WS_PROBES_OUTPUT] = record.output, [WS_PROBES_STAGE] = ws_key_stage(shader->stage),
        [WS_PROBES_SHADER] = heard->shader, [WS_PROBES_SITE] = ws_key_in_shader(heard->shader, heard->site),
        [WS_PROBES_LAUNCH] = part->launch,  [WS_PROBES_BIN] = WS_KEY_NONE,
        [WS_PROBES_ENTRY] = WS_KEY_NONE,
    };
    ws_yield_sums_add(&of->sums, &sums);
    return number_line(results, site->file, site->line, &keys[WS_PROBES_LINE]) &&
           add_record(results, record, part->words + heard->fields, &keys[WS_PROBES_RECORD]) &&
           ws_groups_add(results->groups, keys, &sums);
}

/* By threads, and of one thread in the order in which it recorded: so the order is the same whatever the workers. */
static int compare_heard(const void *left, const void *right)
{
    const struct heard *a = left;
    const struct heard *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->fields > b->fields) - (a->fields < b->fields);
}

/* Keeps what a worker heard until all have been merged. */
static bool part_merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct ws_probes *results = pointer;
    const struct ws_probes_part *part = from;
    (void)threads;
    if (results->heard == NULL && (results->heard = calloc(1, sizeof(*results->heard))) == NULL)
        return false;
    struct ws_probes_part *all = results->heard;
    struct heard *heard =
        ws_array_grow(all->heard, &all->capacity, all->count + part->count, sizeof(*all->heard));
    if (heard != NULL)
        all->heard = heard;
    uint32_t *words = ws_array_grow(all->words, &all->word_capacity, all->word_count + part->word_count,
                                    sizeof(*all->words));
    if (words != NULL)
        all->words = words;
    if ((heard == NULL && part->count > 0) || (words == NULL && part->word_count > 0))
        return false;
    all->launch = part->launch;
    for (uint32_t i = 0; i < part->count; ++i) {
        heard[all->count + i] = part->heard[i];
        heard[all->count + i].fields += all->word_count;
    }
    if (part->word_count > 0)
        memcpy(words + all->word_count, part->words, part->word_count * sizeof(*words));
    all->count += part->count;
    all->word_count += part->word_count;
    return true;
}

static bool launch_finish(void *pointer, const struct ws_replay_threads *threads)
{
    struct ws_probes *results = pointer;
    struct ws_probes_part *all = results->heard;
    bool added = true;
    if (all == NULL)
        return true;
    if (all->count > 1)
        qsort(all->heard, all->count, sizeof(*all->heard), compare_heard);
    for (uint32_t i = 0; i < all->count && added; ++i)
        added = add_heard(results, all, &all->heard[i], threads);
    all->count = all->word_count = 0;
    return added;
}

const struct ws_replay_operations ws_probes_replay = {
    .pass = WS_PROBE_PASS_PREFIX,
    .create = part_create,
    .destroy = part_destroy,
    .data = part_data,
    .merge = part_merge,
    .finish = launch_finish,
};
