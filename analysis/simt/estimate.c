#include "analysis/simt/estimate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"

#define CHOICES_MAX 32 /* passes of a build, all of them together, and those that were chosen */

/* What the executions of a counter row append. */
struct row_cost {
    uint32_t places; /* place records */
    uint32_t entries;
    uint32_t data;       /* data records */
    uint32_t data_words; /* words per lane of these */
    uint32_t warp_words; /* words of those that have one lane whoever is there: clock records */
    uint32_t turns;      /* loops of paths that begin a turn */
    /* Of so many turns one at most appends: the least of these loops' groups of turns. */
    uint32_t turns_apart;
};

/* Of a module, by its index in the catalog. */
struct module_costs {
    uint32_t *words; /* until its sites are known */
    uint32_t word_count;
    struct row_cost *rows; /* [choice * row_count + row]; NULL = nothing is known of it */
    uint32_t row_count;
};

struct estimate {
    const struct ws_catalog *catalog;
    const struct ws_estimate_chosen *chosen; /* NULL = none */
    uint32_t choices;
    struct ws_groups *groups;
    struct module_costs *modules;
    uint32_t module_count;
    uint32_t unreadable; /* modules that could not be instrumented again */
    uint32_t uncounted;  /* of all passes together, records in blocks that no counter counts */
    bool budgeted;       /* the budget of sites left counters out */
    uint64_t wide;       /* executions with idle lanes whose masks may take no room */
    uint64_t submission; /* the one being read */
    uint64_t bytes[CHOICES_MAX];
};

/* ---- Choices of passes. ---- */

/* Passes whose names are in `names`; `names` has room for all. */
static size_t choose(const struct estimate *estimate, uint32_t index, const char **names)
{
    size_t known;
    const struct ws_pass_description *passes = ws_pass_list(&known);
    size_t first = 0;
    size_t count = 0;
    if (index + 1 == ws_estimate_pass_count())
        ws_pass_choose("all", 3, &first, &count);
    for (size_t i = 0; i < count; ++i)
        names[i] = passes[first + i].name;
    for (size_t i = 0; index == ws_estimate_pass_count() && i < estimate->chosen->count; ++i)
        if (strcmp(estimate->chosen->names[i], WS_PASS_TIME) != 0 && count < CHOICES_MAX)
            names[count++] = estimate->chosen->names[i];
    if (count == 0 && index < ws_estimate_pass_count())
        names[count++] = ws_estimate_pass(index);
    return count;
}

uint32_t ws_estimate_pass_count(void)
{
    size_t count;
    ws_pass_list(&count);
    return (uint32_t)(count < CHOICES_MAX - 1 ? count : CHOICES_MAX - 2) + 1;
}

const char *ws_estimate_pass(uint32_t index)
{
    size_t count;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    if (index >= ws_estimate_pass_count())
        return "chosen";
    return index + 1 == ws_estimate_pass_count() ? "all" : passes[index].name;
}

const struct ws_estimate_sums *ws_estimate_find(const struct ws_groups *groups, uint32_t pass)
{
    const uint64_t keys[WS_ESTIMATE_DIMENSIONS] = {[WS_ESTIMATE_PASS] = pass};
    return ws_groups_find(groups, WS_ESTIMATE_BY_PASS, keys);
}

/* ---- What a module's rows cost. ---- */

static int compare_sites(const void *left, const void *right)
{
    const struct ws_site_info *a = left;
    const struct ws_site_info *b = right;
    const uint32_t differences[][2] = {{a->block, b->block},
                                       {a->offset, b->offset},
                                       {a->kind, b->kind},
                                       {a->pass, b->pass},
                                       {a->tag, b->tag}};
    for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); ++i)
        if (differences[i][0] != differences[i][1])
            return differences[i][0] < differences[i][1] ? -1 : 1;
    return 0;
}

/* Sites that share a record name the first of them. */
static bool has_record(const struct ws_instrumented *instrumented, uint32_t site)
{
    const struct ws_site_info *info = &instrumented->sites[site];
    return info->kind == WS_SITE_DATA || info->kind == WS_SITE_PATH || info->kind == WS_SITE_PATH_TURNS ||
           ((info->kind == WS_SITE_ENTRY || ws_site_is_place(info->kind)) && info->row == site);
}

/* Per site: records of its number are steps of a path, whose record stands for them. NULL = no memory. */
static bool *find_steps(const struct ws_instrumented *instrumented)
{
    bool *steps = calloc((size_t)instrumented->site_count + 1, sizeof(*steps));
    for (uint32_t i = 0; i < instrumented->site_count && steps != NULL; ++i)
        if (instrumented->sites[i].kind == WS_SITE_PATH_STEP)
            steps[instrumented->sites[i].row] = true;
    return steps;
}

/* A record whose words are all fixed, or a path without any, is a place record. `clocks`: the pass whose data records are of
 * clocks. */
static void add_cost(struct row_cost *cost, const struct ws_site_info *site, uint32_t clocks)
{
    if (site->kind == WS_SITE_ENTRY) {
        cost->entries++;
    } else if ((site->kind == WS_SITE_DATA || site->kind == WS_SITE_PATH) && site->row > 0) {
        cost->data++;
        const bool of_warp = site->kind == WS_SITE_DATA && site->pass == clocks;
        *(of_warp ? &cost->warp_words : &cost->data_words) += site->row;
    } else if (site->kind == WS_SITE_PATH_TURNS && (site->tag & WS_TURNS_ONCE) != 0) {
        return; /* in place of one of the site behind it, which is longer */
    } else if (site->kind == WS_SITE_PATH_TURNS) {
        const uint32_t group = ws_turns_of_group(site->tag);
        cost->turns++;
        cost->turns_apart = cost->turns > 1 && cost->turns_apart < group ? cost->turns_apart : group;
    } else {
        cost->places++;
    }
}

/* The blocks of the module as it was recorded and as it is now are the same, unless the versions differ. */
static bool is_same_code(const struct ws_module_record *module, const struct ws_instrumented *instrumented)
{
    bool same = module->block_count == instrumented->block_count;
    for (uint32_t i = 0; same && i < module->block_count; ++i)
        same = module->blocks[i].info.offset == instrumented->blocks[i].offset &&
               module->blocks[i].info.function == instrumented->blocks[i].function;
    return same;
}

/* Adds up the records of a choice by the rows that count their blocks. Copies of a function (passes/instrument/copies.h)
 * have sites of their own; a warp runs one of them, and one row counts all. So equal sites are one. */
static bool add_costs(const struct ws_module_record *module, const struct ws_instrumented *instrumented,
                      struct row_cost *rows, uint32_t row_count, uint32_t clocks, uint32_t *uncounted)
{
    struct ws_site_info *recorded = calloc((size_t)instrumented->site_count + 1, sizeof(*recorded));
    uint32_t count = 0;
    if (recorded == NULL)
        return false;
    bool *steps = find_steps(instrumented);
    if (steps == NULL) {
        free(recorded);
        return false;
    }
    for (uint32_t i = 0, fixed = 0; i < instrumented->site_count; ++i) {
        const uint32_t before = fixed;
        while (fixed < instrumented->fixed_count && instrumented->fixed[fixed].site == i)
            ++fixed;
        if (!has_record(instrumented, i) || steps[i])
            continue;
        recorded[count] = instrumented->sites[i];
        recorded[count++].row -= fixed - before; /* only of data: no record has them */
    }
    free(steps);
    qsort(recorded, count, sizeof(*recorded), compare_sites);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t row = module->blocks[recorded[i].block].row;
        if (i > 0 && compare_sites(&recorded[i - 1], &recorded[i]) == 0)
            continue;
        if (row < row_count)
            add_cost(&rows[row], &recorded[i], clocks);
        else
            ++*uncounted;
    }
    free(recorded);
    return true;
}

/* Instruments the module for each choice. A module that cannot be is told of and costs nothing. */
static bool cost_module(struct estimate *estimate, struct module_costs *costs,
                        const struct ws_module_record *module, uint32_t row_count)
{
    const struct ws_catalog *catalog = estimate->catalog;
    const uint32_t choices = estimate->choices;
    const char *names[CHOICES_MAX];
    bool known = true;
    bool memory = true;
    costs->row_count = row_count;
    costs->rows = calloc((size_t)row_count * choices + 1, sizeof(*costs->rows));
    if (costs->rows == NULL)
        return false;
    for (uint32_t i = 0; i < choices && known && memory; ++i) {
        struct ws_error error = {{0}};
        const struct ws_instrument_options options = {
            .passes = names,
            .pass_count = choose(estimate, i, names),
            .subgroup_stages = catalog->device_count > 0 ? catalog->devices[0].subgroup_stages : 0,
            .clock = WS_CLOCK_DEVICE,
        };
        if (options.pass_count == 0 || strcmp(names[0], WS_PASS_TIME) == 0)
            continue;
        uint32_t clocks = 0;
        while (clocks < options.pass_count && strcmp(names[clocks], WS_PASS_WARP_TIME) != 0)
            clocks++;
        struct ws_instrumented *instrumented =
            ws_instrument(costs->words, costs->word_count, &options, &error);
        known = instrumented != NULL && is_same_code(module, instrumented);
        uint32_t uncounted = 0;
        memory = !known || add_costs(module, instrumented, &costs->rows[(size_t)row_count * i], row_count,
                                     clocks, &uncounted);
        if (i + 1 == ws_estimate_pass_count())
            estimate->uncounted += uncounted;
        ws_instrumented_destroy(instrumented);
    }
    if (known)
        return memory;
    estimate->unreadable++;
    free(costs->rows);
    costs->rows = NULL;
    return true;
}

static struct module_costs *costs_of(struct estimate *estimate, uint32_t id)
{
    const struct ws_catalog *catalog = estimate->catalog;
    const uint32_t index = ws_catalog_module(catalog, id);
    if (catalog->module_count > estimate->module_count) {
        struct module_costs *longer =
            ws_catalog_follow(estimate->modules, estimate->module_count, catalog->module_count,
                              catalog->module_capacity, sizeof(*longer));
        if (longer == NULL)
            return NULL;
        estimate->modules = longer;
        estimate->module_count = catalog->module_count;
    }
    return index < estimate->module_count ? &estimate->modules[index] : NULL;
}

static bool keep_words(struct estimate *estimate, const struct ws_chunk_module *chunk)
{
    struct module_costs *costs = costs_of(estimate, chunk->id);
    if (costs == NULL)
        return false;
    free(costs->words);
    costs->words = malloc(4 * (size_t)chunk->word_count + 1);
    if (costs->words == NULL)
        return false;
    if (chunk->word_count > 0)
        memcpy(costs->words, chunk->words, 4 * (size_t)chunk->word_count);
    costs->word_count = chunk->word_count;
    return true;
}

static bool take_sites(struct estimate *estimate, const struct ws_chunk_sites *chunk)
{
    struct module_costs *costs = costs_of(estimate, chunk->module);
    if (costs == NULL)
        return false;
    const struct ws_module_record *module =
        &estimate->catalog->modules[ws_catalog_module(estimate->catalog, chunk->module)];
    const bool done =
        costs->words == NULL || costs->rows != NULL || cost_module(estimate, costs, module, chunk->row_count);
    free(costs->words);
    costs->words = NULL;
    return done;
}

/* ---- What ran. ---- */

/* Words of an entry record behind its mask (records.h, WORK IDS). */
struct work_words {
    uint32_t per_warp;
    uint32_t per_lane;
};

static struct work_words work_of(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_COMPUTE:
    case WS_STAGE_TASK:
    case WS_STAGE_MESH: return (struct work_words){3, 1};
    case WS_STAGE_VERTEX:
    case WS_STAGE_TESSELLATION_CONTROL:
    case WS_STAGE_GEOMETRY:
    case WS_STAGE_FRAGMENT: return (struct work_words){0, 2};
    default: return (struct work_words){0, 1};
    }
}

/* Adds what `executions` of a row by warps with `lanes` active lanes append; of `bins` they may have as many. */
static void add_executions(struct ws_estimate_sums *sums, const struct row_cost *cost, uint32_t stage,
                           uint32_t bins, uint32_t lanes, uint64_t executions)
{
    const struct work_words work = work_of(stage);
    const uint64_t mask = WS_MASK_WORDS(bins);
    const uint64_t data_mask = WS_MASK_PACKED(bins) ? 0 : mask;
    const uint64_t place_mask = lanes < bins ? data_mask : 0;
    const uint64_t words = cost->places * (2 + place_mask) + cost->data * (2 + data_mask) +
                           (uint64_t)cost->data_words * lanes + cost->warp_words +
                           cost->entries * (3 + mask + work.per_warp + (uint64_t)work.per_lane * lanes);
    const uint64_t turn_words = cost->turns * (2 + data_mask + 2 * (uint64_t)lanes);
    sums->records += executions * ((uint64_t)cost->places + cost->data + cost->entries);
    sums->bytes += executions * words * 4;
    if (cost->turns > 0)
        sums->turns += (executions * turn_words + cost->turns_apart - 1) / cost->turns_apart * 4;
}

static void add_rows(struct estimate *estimate, struct ws_estimate_sums *sums, const struct row_cost *rows,
                     uint32_t stage, const struct ws_shader_counters *counters)
{
    for (uint32_t i = 0; i < counters->row_count; ++i) {
        const struct row_cost *cost = &rows[counters->row_first + i];
        const uint32_t *words = &counters->words[(size_t)i * counters->bins];
        if (cost->places + cost->data + cost->entries + cost->turns == 0)
            continue;
        for (uint32_t bin = 0; bin < counters->bins; ++bin)
            if (words[bin] > 0) {
                const uint64_t executions = (uint64_t)words[bin] * ws_counters_weight(counters);
                add_executions(sums, cost, stage, counters->bins, bin + 1, executions);
                if (!WS_MASK_PACKED(counters->bins) && bin + 1 < counters->bins)
                    estimate->wide += executions;
            }
    }
}

static bool add_shader(struct estimate *estimate, uint64_t keys[WS_ESTIMATE_DIMENSIONS],
                       const struct ws_shader_counters *counters)
{
    const struct ws_catalog *catalog = estimate->catalog;
    const uint32_t index = ws_catalog_shader(catalog, counters->shader);
    const struct ws_shader_record *shader = &catalog->shaders[index];
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, index);
    const uint32_t choices = estimate->choices;
    if (entry == NULL || entry->per_thread || shader->module >= estimate->module_count)
        return true;
    const struct module_costs *costs = &estimate->modules[shader->module];
    keys[WS_ESTIMATE_STAGE] = ws_key_stage(shader->stage);
    keys[WS_ESTIMATE_SHADER] = index;
    for (uint32_t i = 0; costs->rows != NULL && i < choices; ++i) {
        struct ws_estimate_sums sums = {0};
        add_rows(estimate, &sums, &costs->rows[(size_t)costs->row_count * i], shader->stage, counters);
        keys[WS_ESTIMATE_PASS] = i;
        estimate->bytes[i] += sums.bytes;
        if (sums.records > 0 && !ws_groups_add(estimate->groups, keys, &sums))
            return false;
    }
    return true;
}

/* What the submission that was being read needs all in all. */
static bool end_submission(struct estimate *estimate)
{
    uint64_t keys[WS_ESTIMATE_DIMENSIONS];
    for (uint32_t i = 0; i < WS_ESTIMATE_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    for (uint32_t i = 0; i < estimate->choices; ++i) {
        const struct ws_estimate_sums sums = {.largest = estimate->bytes[i]};
        keys[WS_ESTIMATE_PASS] = i;
        if (sums.largest > 0 && !ws_groups_add(estimate->groups, keys, &sums))
            return false;
        estimate->bytes[i] = 0;
    }
    return true;
}

static bool add_submission(struct estimate *estimate, const struct ws_chunk_submission *chunk)
{
    if (chunk->index != estimate->submission && !end_submission(estimate))
        return false;
    estimate->submission = chunk->index;
    for (uint32_t i = 0; i < chunk->launch_count; ++i)
        for (uint32_t j = 0; j < chunk->launches[i].shader_count; ++j) {
            uint64_t keys[WS_ESTIMATE_DIMENSIONS] = {
                [WS_ESTIMATE_FRAME] = chunk->frame, [WS_ESTIMATE_LAUNCH] = chunk->launches[i].index};
            if (!add_shader(estimate, keys, &chunk->launches[i].shaders[j]))
                return false;
        }
    return true;
}

/* ---- The analysis. ---- */

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct estimate *estimate = calloc(1, sizeof(*estimate));
    if (estimate == NULL)
        return NULL;
    estimate->catalog = catalog;
    estimate->chosen = options->user;
    estimate->choices = ws_estimate_pass_count() + (estimate->chosen != NULL);
    estimate->groups =
        ws_groups_create(ws_analysis_estimate.columns, catalog, estimate, &options->view, error);
    if (estimate->groups != NULL)
        return estimate;
    free(estimate);
    return NULL;
}

static void destroy(void *results)
{
    struct estimate *estimate = results;
    for (uint32_t i = 0; i < estimate->module_count; ++i) {
        free(estimate->modules[i].words);
        free(estimate->modules[i].rows);
    }
    free(estimate->modules);
    ws_groups_destroy(estimate->groups);
    free(estimate);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct estimate *estimate = results;
    (void)error;
    switch (chunk->type) {
    case WS_CHUNK_SKIP: estimate->budgeted |= strcmp(chunk->skip.reason, WS_SITES_BUDGET) == 0; return true;
    case WS_CHUNK_MODULE: return keep_words(estimate, &chunk->module);
    case WS_CHUNK_SITES: return take_sites(estimate, &chunk->sites);
    case WS_CHUNK_SUBMISSION: return add_submission(estimate, &chunk->submission);
    default: return true;
    }
}

static bool end(void *results, struct ws_error *error)
{
    (void)error;
    return end_submission(results);
}

static const struct ws_groups *groups(const void *results)
{
    return ((const struct estimate *)results)->groups;
}

static const char *nothing(const void *results)
{
    const struct estimate *estimate = results;
    return ws_groups_level_count(estimate->groups) == 0 || ws_groups_count(estimate->groups, 0) > 0
               ? NULL
               : "no shader ran that appends records";
}

static void notes(const void *results, FILE *stream)
{
    const struct estimate *estimate = results;
    if (estimate->unreadable > 0)
        fprintf(stream,
                "  estimate: %" PRIu32
                " module%s could not be instrumented again: their records are missing\n",
                estimate->unreadable, ws_plural(estimate->unreadable, "s"));
    if (estimate->uncounted > 0)
        fprintf(stream, "  estimate: %" PRIu32 " record site%s in blocks that no counter counts%s\n",
                estimate->uncounted, ws_plural(estimate->uncounted, "s"),
                !estimate->budgeted ? ""
                                    : ": the budget of sites left them out. With WARPSCOPE_SITES_BUDGET=0 "
                                      "both the estimate and what is recorded have all");
    if (estimate->wide > 0)
        fputs("  estimate: an upper bound, since warps have more than 16 lanes: masks of warps that entered "
              "with idle "
              "lanes may take no room\n",
              stream);
}

/* ---- Columns. ---- */

static void pass_name(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_estimate_pass((uint32_t)row->key);
}

static const struct ws_field pass_fields[] = {
    {"pass", "what is recorded: one pass, or all of them together, which share records", WS_TEXT,
     .value = pass_name},
    {NULL}};

static void number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field frame_fields[] = {
    {"frame", "number of the frame: presents before it", WS_COUNT, .value = number}, {NULL}};

static const struct ws_field launch_fields[] = {
    {"launch", "number of the trace, dispatch or render pass", WS_COUNT, .value = number}, {NULL}};

#define BIT(dimension) (1u << WS_ESTIMATE_##dimension)

static const struct ws_dimension dimensions[] = {
    [WS_ESTIMATE_PASS] = {"pass", "what is recorded", pass_fields},
    [WS_ESTIMATE_STAGE] = {WS_DIMENSION_STAGE},
    [WS_ESTIMATE_SHADER] = {WS_DIMENSION_SHADER, .implies = BIT(STAGE)},
    [WS_ESTIMATE_FRAME] = {"frame", "frame", frame_fields, .same = ""},
    [WS_ESTIMATE_LAUNCH] = {"launch", "trace, dispatch or render pass", launch_fields, .implies = BIT(FRAME)},
    [WS_ESTIMATE_DIMENSIONS] = {NULL},
};

static const struct ws_estimate_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

static void memory(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_bytes_text(sums_of(row)->bytes, value->buffer);
}

static void bytes_at_most(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, sums_of(row)->bytes + sums_of(row)->turns);
}

static void at_most(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = ws_bytes_text(sums_of(row)->bytes + sums_of(row)->turns, value->buffer);
}

static void largest(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->largest == 0)
        return;
    value->kind = WS_VALUE_TEXT;
    value->text = ws_bytes_text(sums_of(row)->largest, value->buffer);
}

static void largest_bytes(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->largest > 0)
        ws_value_count(value, sums_of(row)->largest);
}

#define AT(member) offsetof(struct ws_estimate_sums, member)

static const struct ws_field measures[] = {
    {"records", "that shaders would append", WS_COUNT, .at = AT(records), .better = WS_BETTER_LESS},
    {"bytes", "of these records in memory; a capture holds them compressed", WS_COUNT, .at = AT(bytes),
     .better = WS_BETTER_LESS},
    {"memory", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = memory},
    {"bytes_at_most", "the same, if every turn of a loop differed from the one before", WS_COUNT,
     .at = AT(turns), .value = bytes_at_most, .better = WS_BETTER_LESS},
    {"at_most", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = at_most},
    {"largest_bytes", "the most bytes of one submission, which --buffer must hold", WS_COUNT,
     .at = AT(largest), .value = largest_bytes, .flags = WS_MAX | WS_STEADY},
    {"largest_submission", "the same, with its unit", WS_TEXT, .flags = WS_TABLES | WS_RIGHT,
     .value = largest},
    {NULL},
};

static const struct ws_level levels[] = {
    [WS_ESTIMATE_BY_PASS] = {"passes", "What each pass would record", .by = BIT(PASS),
                             .text = "pass records memory at_most largest_submission",
                             .data = "pass records bytes bytes_at_most largest_bytes"},
    [WS_ESTIMATE_BY_SHADER] = {"shaders", "Shaders that would record most, with all passes",
                               .by = BIT(PASS) | BIT(SHADER), .sort = "-bytes", .filter = "pass = all",
                               .rows = 5, .text = "shader_id shader stage records memory at_most",
                               .data = "pass shader_id shader stage records bytes bytes_at_most"},
    [WS_ESTIMATE_BY_FRAME] = {"frames", .by = BIT(PASS) | BIT(FRAME),
                              .data = "pass frame records bytes bytes_at_most"},
    [WS_ESTIMATE_BY_LAUNCH] = {"launches", .by = BIT(PASS) | BIT(LAUNCH),
                               .data = "pass launch frame records bytes bytes_at_most"},
    {NULL},
};

static const struct ws_columns columns = {dimensions, measures, levels, sizeof(struct ws_estimate_sums)};

static const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY, NULL};

static const char words[] =
    "What each pass would append to memory, worked out from the counters: each module is\n"
    "instrumented again for the pass, and each record counts as often as its block ran.\n"
    "It is exact where warps have at most 16 lanes and stay together; in wider warps an upper\n"
    "bound. But a loop also appends a record where its turns begin to take another way, which\n"
    "counters do not know: all is at least `memory`, and at most `at_most`, as if every turn took\n"
    "another way than the one before; mostly it is near the first. --threads, --pixels and --tile\n"
    "record less: --tile WxH/STEP one STEPth.\n";

const struct ws_analysis ws_analysis_estimate = {
    .name = "estimate",
    .summary = "how many records and bytes each pass would record, from the counters",
    .passes = passes,
    .columns = &columns,
    .words = words,
    .by_name = true,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .nothing = nothing,
    .notes = notes,
};
