#include "analysis/export/records.h"

#include <stdlib.h>

#include "analysis/export/ran.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"
#include "warpscope/stream.h"

/* When a field has a value. */
enum known {
    ALWAYS,
    OF_PIPELINE, /* it is known which one ran the shader */
    OF_PASS,     /* the site is of a pass */
    OF_BLOCK,    /* the site stands in a block */
    OF_SOURCE,   /* whose source line is known */
};

/* What the fields are read from. */
struct row {
    struct ws_export_ran ran; /* first */
    uint32_t position;
    uint32_t context;
    const char *site;
    const char *pass;
    uint32_t tag;
    uint32_t block;
    uint32_t instructions;
    const char *file;
    uint32_t line;
    uint32_t subgroup_size;
    uint32_t lanes;
    uint64_t mask_low;
    uint64_t mask_high;
    uint32_t words;
    bool truncated;
};

#define AT(member) offsetof(struct row, member)

static const struct ws_export_field fields[] = {
    WS_EXPORT_RAN_FIELDS(ALWAYS, OF_PIPELINE),
    {"position", WS_EXPORT_NUMBER, AT(position), ALWAYS,
     "of the record in the stream of its submission, in words"},
    {"context", WS_EXPORT_NUMBER, AT(context), ALWAYS,
     "one execution of the shader by a warp: position\nof its entry record"},
    {"site", WS_EXPORT_TEXT, AT(site), ALWAYS,
     "kind of place: entry, continue, data, block, before,\nafter, end, sync or call"},
    {"pass", WS_EXPORT_TEXT, AT(pass), OF_PASS, NULL},
    {"tag", WS_EXPORT_NUMBER, AT(tag), ALWAYS,
     "who asked for it, and which of its kinds it is;\nwithout a pass, the runner"},
    {"block", WS_EXPORT_NUMBER, AT(block), OF_BLOCK, NULL},
    {"instructions", WS_EXPORT_NUMBER, AT(instructions), OF_BLOCK,
     "index of the block in its module, and how many\ninstructions of it a device executes"},
    {"file", WS_EXPORT_TEXT, AT(file), OF_SOURCE, NULL},
    {"line", WS_EXPORT_NUMBER, AT(line), OF_SOURCE, "of the site, or where its block begins"},
    {"subgroup_size", WS_EXPORT_NUMBER, AT(subgroup_size), ALWAYS, "lanes of the warp"},
    {"lanes", WS_EXPORT_NUMBER, AT(lanes), ALWAYS, "those of them that are active"},
    {"mask_low", WS_EXPORT_WIDE, AT(mask_low), ALWAYS, NULL},
    {"mask_high", WS_EXPORT_WIDE, AT(mask_high), ALWAYS, "which ones: lanes 0 to 63, and 64 to 127"},
    {"words", WS_EXPORT_NUMBER, AT(words), ALWAYS, "that each of these lanes recorded"},
    {"truncated", WS_EXPORT_BOOL, AT(truncated), ALWAYS, "whether records of the launch are missing"},
};

#undef AT
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

void ws_records_export_help(FILE *stream)
{
    ws_export_help(fields, FIELDS, stream);
}

static const char *site_name(uint32_t kind)
{
    switch (kind) {
    case WS_SITE_DATA: return "data";
    case WS_SITE_ENTRY:
    case WS_SITE_PLACE_ENTRY: return "entry";
    case WS_SITE_CONTINUE: return "continue";
    case WS_SITE_PLACE_BLOCK: return "block";
    case WS_SITE_PLACE_BEFORE: return "before";
    case WS_SITE_PLACE_AFTER: return "after";
    case WS_SITE_PLACE_END: return "end";
    case WS_SITE_PLACE_SYNC: return "sync";
    default: return "call";
    }
}

/* ---- which sites a record is of ---- */

/* Sites of a module with one number stand behind each other in a list. Made when the module's first record comes. */
struct module {
    uint32_t *first; /* by number: its first site; WS_NONE */
    uint32_t *next;  /* by site: the next one with its number; WS_NONE */
};

struct results {
    const struct ws_catalog *catalog;
    const struct ws_selection *selection;
    struct ws_data_set_export *export;
    struct ws_data_set *set;
    struct ws_stream *stream;
    struct module *modules; /* as many as the catalog has */
    uint32_t module_count;
};

/* The number that records of a site carry; WS_NONE where it has none. */
static uint32_t number_of(const struct ws_module_record *module, uint32_t site)
{
    const struct ws_site_info *info = &module->sites[site].info;
    if (info->kind == WS_SITE_DATA)
        return site;
    const bool is_recorded =
        info->kind == WS_SITE_ENTRY || info->kind == WS_SITE_CONTINUE || ws_site_is_place(info->kind);
    return is_recorded && info->row < module->site_count ? info->row : WS_NONE;
}

static bool make_module(struct module *module, const struct ws_module_record *record)
{
    module->first = malloc(((size_t)record->site_count + 1) * sizeof(*module->first));
    module->next = malloc(((size_t)record->site_count + 1) * sizeof(*module->next));
    if (module->first == NULL || module->next == NULL)
        return false;
    for (uint32_t i = 0; i < record->site_count; ++i)
        module->first[i] = WS_NONE;
    for (uint32_t i = record->site_count; i-- > 0;) {
        const uint32_t number = number_of(record, i);
        module->next[i] = number != WS_NONE ? module->first[number] : WS_NONE;
        if (number != WS_NONE)
            module->first[number] = i;
    }
    return true;
}

/* NULL when there is no memory. */
static const struct module *find_module(struct results *results, uint32_t index)
{
    if (index >= results->module_count) {
        struct module *modules =
            ws_catalog_follow(results->modules, results->module_count, results->catalog->module_count,
                              results->catalog->module_count, sizeof(*modules));
        if (modules == NULL)
            return NULL;
        results->modules = modules;
        results->module_count = results->catalog->module_count;
    }
    struct module *module = &results->modules[index];
    if (module->next == NULL && !make_module(module, &results->catalog->modules[index]))
        return NULL;
    return module;
}

/* ---- rows ---- */

/* What a row has of its site. Returns what is known of that. */
static uint32_t fill_site(const struct ws_module_record *module, uint32_t index, struct row *row)
{
    const struct ws_site_record *site = &module->sites[index];
    uint32_t known = 0;
    row->site = site_name(site->info.kind);
    row->tag = site->info.tag;
    row->file = site->file;
    row->line = site->line;
    if (site->info.pass < module->pass_count) {
        row->pass = module->passes[site->info.pass];
        known |= 1u << OF_PASS;
    }
    if (site->info.block < module->block_count) {
        const struct ws_block_record *block = &module->blocks[site->info.block];
        row->block = site->info.block;
        row->instructions = block->info.instruction_count;
        if (row->file == NULL) {
            row->file = block->file;
            row->line = block->line;
        }
        known |= 1u << OF_BLOCK;
    }
    return known | (row->file != NULL ? 1u << OF_SOURCE : 0);
}

/* The rows of one record. */
static bool add_record(struct results *results, uint64_t frame, const struct ws_record *record,
                       struct row *row)
{
    const struct ws_catalog *catalog = results->catalog;
    const uint32_t index = catalog->shaders[row->ran.shader_index].module;
    const struct ws_module_record *module = &catalog->modules[index];
    const struct module *sites = find_module(results, index);
    const uint32_t known = 1u << ALWAYS | (row->ran.pipeline != WS_NONE ? 1u << OF_PIPELINE : 0);
    bool added = sites != NULL;
    row->position = record->position;
    row->context = record->context;
    row->subgroup_size = record->lane_count;
    row->lanes = (uint32_t)(__builtin_popcountll(record->lanes[0]) + __builtin_popcountll(record->lanes[1]));
    row->mask_low = record->lanes[0];
    row->mask_high = record->lanes[1];
    if (!added || record->site >= module->site_count)
        return added;
    for (uint32_t i = sites->first[record->site]; added && i != WS_NONE; i = sites->next[i]) {
        const bool stands_behind = ws_site_is_place(module->sites[i].info.kind) && i != record->site;
        row->words = stands_behind ? 0 : record->words_per_lane; /* data are told of once */
        const uint32_t of_site = known | fill_site(module, i, row);
        added = ws_budget_spend(WS_STEPS_WORD) && ws_data_set_add(results->set, frame, row->ran.pipeline, row,
                                                                  of_site, &results->export->failure);
    }
    return added;
}

static bool add_launch(struct results *results, const struct ws_stream_launch *launch)
{
    const struct ws_launch_record *is = ws_catalog_launch(results->catalog, launch->launch);
    struct row row = {.ran = {.launch = launch->launch, .shader_index = WS_NONE},
                      .truncated = launch->truncated};
    bool added = true;
    uint32_t last = WS_NONE; /* id */
    uint32_t shader = WS_NONE;
    for (uint32_t i = 0; is != NULL && added && i < launch->record_count; ++i) {
        if (launch->records[i].shader != last) {
            last = launch->records[i].shader;
            shader = ws_catalog_shader(results->catalog, last);
        }
        if (shader == WS_NONE)
            continue;
        ws_export_ran_find(&row.ran, results->catalog, results->selection, shader);
        added = !row.ran.chosen || add_record(results, is->frame, &launch->records[i], &row);
    }
    return added;
}

/* Says what failed. */
static bool check(const struct results *results, bool added, struct ws_error *error)
{
    if (!added && !ws_budget_exceeded(&results->export->failure))
        ws_error_set(&results->export->failure, "no memory for the records");
    return added || ws_error_set(error, "%s", results->export->failure.message);
}

/* ---- the analysis ---- */

static void destroy(void *pointer)
{
    struct results *results = pointer;
    for (uint32_t i = 0; i < results->module_count; ++i) {
        free(results->modules[i].first);
        free(results->modules[i].next);
    }
    free(results->modules);
    ws_stream_destroy(results->stream);
    ws_data_set_destroy(results->set);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = options->selection;
    results->export = options->user;
    results->stream = ws_stream_create();
    if (results->stream != NULL)
        results->set = ws_data_set_create(results->export->path, "records", fields, FIELDS, error);
    if (results->set != NULL)
        return results;
    destroy(results);
    return NULL;
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct results *results = pointer;
    const struct ws_stream_launch *launch = NULL;
    if (!ws_data_set_take(results->set, chunk) || !ws_stream_take(results->stream, chunk, &launch, error))
        return false;
    return launch == NULL || check(results, add_launch(results, launch), error);
}

static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    const struct ws_stream_launch *launch = NULL;
    struct ws_data_set_export *export = results->export;
    if (!ws_stream_end(results->stream, &launch, error) ||
        (launch != NULL && !check(results, add_launch(results, launch), error)))
        return false;
    if (!ws_data_set_finish(results->set, &export->failure))
        return ws_error_set(error, "%s", export->failure.message);
    export->rows = ws_data_set_rows(results->set);
    export->files = ws_data_set_files(results->set);
    return true;
}

/* Those whose sites are in the stream. */
static const char *const passes[] = {WS_PASS_EXECUTION_TRACE,
                                     WS_PASS_DIVERGENCE,
                                     WS_PASS_THREAD_COMPACTION,
                                     WS_PASS_RAY_EVENTS,
                                     WS_PASS_MEMORY_TRACE,
                                     WS_PASS_MEMORY_CHECK,
                                     NULL};

const struct ws_analysis ws_analysis_records_export = {
    .name = "--records",
    .summary = "records as columns",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
    .names_first = true,
};
