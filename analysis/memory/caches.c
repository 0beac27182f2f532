#include "analysis/memory/caches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/rows.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

#define LANES_MAX 128

struct results {
    struct ws_memory_rows rows; /* first: what it has in common with other analyses of accesses */
    struct ws_groups *groups;   /* sums are struct ws_caches_sums */
    const struct ws_selection *selection;
    bool recorded; /* there is a request */
};

/* Where the place records of a module lead: an offset and a tag to the site. Made when its first record comes. */
struct module {
    struct ws_id_map sites;
    bool made;
};

struct shader {
    struct ws_caches_sums *places; /* per traced access of its module; NULL = none ran */
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct part {
    const struct results *results;
    const struct ws_launch_record *launch;
    struct shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    struct module *modules; /* parallel to the catalog's */
    uint32_t module_count;
    struct ws_request_memory memory;
    struct ws_request request;
    struct ws_id_map workgroups; /* WorkgroupId, packed -> its multiprocessor */
    uint32_t begun;              /* workgroups, and warps of none: the next multiprocessor, around */
    uint32_t *warps;             /* per warp, by its number: its multiprocessor */
    uint32_t warp_count;
    uint32_t warp_capacity;
};

/* ---- records ---- */

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    for (uint32_t i = 0; part->shaders != NULL && i < part->shader_count; ++i)
        free(part->shaders[i].places);
    for (uint32_t i = 0; part->modules != NULL && i < part->module_count; ++i)
        ws_id_map_finish(&part->modules[i].sites);
    free(part->shaders);
    free(part->modules);
    free(part->warps);
    ws_id_map_finish(&part->workgroups);
    ws_request_memory_finish(&part->memory);
    free(part);
}

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct results *results = pointer;
    const struct ws_catalog *catalog = results->rows.catalog;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch;
    part->shader_count = catalog->shader_count;
    part->module_count = catalog->module_count;
    part->shaders = calloc((size_t)part->shader_count + 1, sizeof(*part->shaders));
    part->modules = calloc((size_t)part->module_count + 1, sizeof(*part->modules));
    if (part->shaders != NULL && part->modules != NULL)
        return part;
    part_destroy(part);
    return NULL;
}

/* The sums of a shader's accesses. NULL when there is no memory. */
static struct ws_caches_sums *places_of(struct part *part, uint32_t shader,
                                        const struct ws_module_traces *traces)
{
    struct shader *found = &part->shaders[shader];
    if (found->places == NULL)
        found->places = calloc((size_t)traces->access_count + 1, sizeof(*found->places));
    return found->places;
}

/* ---- multiprocessors ---- */

#define MULTIPROCESSORS 68

/* The workgroup of a thread, packed: coordinates of 21 bits tell 2^63 of them apart. False for a shader without. */
static bool find_workgroup(const struct part *part, const struct ws_context *context,
                           const struct ws_thread *thread, uint64_t *key)
{
    const uint32_t *size = part->results->rows.catalog->shaders[context->shader].local_size;
    *key = 0;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        return false;
    for (uint32_t i = 0; i < 3; ++i)
        *key = *key << 21 | (thread->work[i] / size[i] & 0x1fffff);
    return true;
}

/* Deals the next multiprocessor out. */
static uint32_t next_multiprocessor(struct part *part)
{
    return part->begun++ % MULTIPROCESSORS;
}

static bool find_multiprocessor(struct part *part, const struct ws_context *context,
                                const struct ws_thread *thread, uint32_t *multiprocessor)
{
    uint64_t workgroup = 0;
    const bool has_workgroup = find_workgroup(part, context, thread, &workgroup);
    if (has_workgroup && ws_id_map_get(&part->workgroups, workgroup, multiprocessor))
        return true;
    *multiprocessor = next_multiprocessor(part);
    return !has_workgroup || ws_id_map_put(&part->workgroups, workgroup, *multiprocessor);
}

/* A warp begins: it gets a multiprocessor, unless it has one. */
static bool enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    struct part *part = pointer;
    if (context->depth > 0 || context->warp < part->warp_count || context->warp == WS_NONE)
        return true;
    uint32_t *warps =
        ws_array_grow(part->warps, &part->warp_capacity, (size_t)context->warp + 1, sizeof(*warps));
    if (warps == NULL)
        return false;
    part->warps = warps;
    const struct ws_thread *thread = &threads[context->threads[ws_lanes_lowest(context->entered)]];
    while (part->warp_count <= context->warp)
        warps[part->warp_count++] = 0;
    return find_multiprocessor(part, context, thread, &warps[context->warp]);
}

/* ---- accesses ---- */

/* Runs one access of a warp. */
static bool run(struct part *part, const struct ws_context *context, const struct ws_traced_access *access,
                struct ws_caches_sums *sums, const uint32_t *words, uint32_t words_per_lane,
                uint32_t lane_count)
{
    const uint32_t module = part->results->rows.catalog->shaders[context->shader].module;
    struct ws_request *request = &part->request;
    if (!ws_request_make(request, &part->memory, access, module, words, words_per_lane, lane_count))
        return false;
    sums->requests++;
    sums->lanes += lane_count;
    sums->bytes += (uint64_t)lane_count * access->access.size;
    sums->sectors += request->sector_count;
    sums->lines += request->line_count;
    return true;
}

/* Runs the accesses of a stretch, in their order. */
static bool run_site(struct part *part, const struct ws_context *context, uint32_t site, uint32_t lane_count,
                     const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[context->shader].module].traces;
    if (traces == NULL || lane_count > LANES_MAX || lane_count == 0)
        return true;
    const struct ws_traced_site traced = traces->sites[site];
    struct ws_caches_sums *sums = places_of(part, context->shader, traces);
    bool is_run = sums != NULL && ws_budget_spend((uint64_t)WS_STEPS_WORD * traced.count * lane_count);
    for (uint32_t i = traced.first; is_run && i < traced.first + traced.count; ++i)
        is_run = run(part, context, &traces->accesses[i], &sums[i], words, words_per_lane, lane_count);
    return is_run;
}

static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    return run_site(pointer, context, site, ws_lanes_count(lanes), words, words_per_lane);
}

static uint64_t place_key(uint32_t offset, uint32_t tag)
{
    return (uint64_t)offset << 32 | tag;
}

/* The sites of a module whose accesses need no words. */
static bool make_sites(struct module *module, const struct ws_module_record *record)
{
    const uint32_t pass = ws_catalog_pass(record, WS_PASS_MEMORY_TRACE);
    module->made = true;
    for (uint32_t i = 0; i < record->site_count; ++i) {
        const struct ws_site_info *info = &record->sites[i].info;
        if (info->pass == pass && info->kind == WS_SITE_PLACE_BEFORE &&
            !ws_id_map_put(&module->sites, place_key(info->offset, info->tag), i))
            return false;
    }
    return true;
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t index = catalog->shaders[context->shader].module;
    struct module *module = &part->modules[index];
    uint32_t site = 0;
    if (place->tag == WS_TAG_MEMORY_TRACE_END)
        return true;
    if (!module->made && !make_sites(module, &catalog->modules[index]))
        return false;
    return !ws_id_map_get(&module->sites, place_key(place->offset, place->tag), &site) ||
           run_site(part, context, site, ws_lanes_count(lanes), NULL, 0);
}

/* ---- results ---- */

static bool merge_shader(struct results *results, const struct part *part, uint32_t shader)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[shader].module].traces;
    for (uint32_t i = 0; i < traces->access_count; ++i) {
        const struct ws_caches_sums *sums = &part->shaders[shader].places[i];
        uint32_t buffer = 0;
        if (sums->requests == 0)
            continue;
        if (!ws_memory_rows_buffer(&results->rows, traces->accesses[i].memory, &buffer))
            return false;
        const uint64_t keys[WS_CACHES_DIMENSIONS] = {
            [WS_CACHES_BY_LAUNCH] = part->launch->index,
            [WS_CACHES_BY_STAGE] = ws_key_stage(catalog->shaders[shader].stage),
            [WS_CACHES_BY_SHADER] = shader,
            [WS_CACHES_BY_KIND] = traces->accesses[i].access.kind,
            [WS_CACHES_BY_MEMORY] = traces->accesses[i].access.memory,
            [WS_CACHES_BY_BUFFER] = buffer,
            [WS_CACHES_BY_PLACE] = ws_key_in_shader(shader, i),
        };
        results->recorded = true;
        if (!ws_groups_add(results->groups, keys, sums))
            return false;
    }
    return true;
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    const struct part *part = from;
    bool merged = true;
    for (uint32_t i = 0; merged && i < part->shader_count; ++i)
        if (part->shaders[i].places != NULL &&
            ws_selection_runs(results->selection, threads->launch->index, i))
            merged = merge_shader(results, part, i);
    return merged;
}

static const struct ws_replay_operations operations = {
    .pass = WS_PASS_MEMORY_TRACE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .place = place,
    .data = data,
    .merge = merge,
    .in_order = true,
};

/* ---- how it is shown ---- */

static struct ws_memory_place_info describe(const struct ws_memory_rows *rows, uint32_t module,
                                            uint32_t place)
{
    const struct ws_traced_access *access = &rows->catalog->modules[module].traces->accesses[place];
    return (struct ws_memory_place_info){access->file, access->line, access->access.size};
}

static const struct ws_dimension dimensions[] = {
    [WS_CACHES_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_CACHES_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_CACHES_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_CACHES_BY_STAGE},
    [WS_CACHES_BY_KIND] = {"access", "load, store or atomic", ws_memory_kind_fields},
    [WS_CACHES_BY_MEMORY] = {"memory", "storage buffer, device address, ...", ws_memory_memory_fields},
    [WS_CACHES_BY_BUFFER] = {"buffer", "buffer, by name and binding", ws_memory_buffer_fields},
    [WS_CACHES_BY_PLACE] = {"place", "access in the code of a shader", ws_memory_place_fields,
                            .shown = "place source size", .same = "source size", .of_code = true,
                            .implies = 1u << WS_CACHES_BY_SHADER | 1u << WS_CACHES_BY_KIND |
                                       1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER},
    [WS_CACHES_DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct ws_caches_sums, member)
#define OF(member) .of = offsetof(struct ws_caches_sums, member)

static const struct ws_field measures[] = {
    {"requests", "executions of accesses by warps", WS_COUNT, AT(requests)},
    {"lanes", "their active lanes", WS_COUNT, AT(lanes)},
    {"bytes", "bytes that the lanes ask for", WS_COUNT, AT(bytes)},
    {"sectors", "distinct sectors of 32 bytes that requests touch", WS_COUNT, AT(sectors),
     .better = WS_BETTER_LESS},
    {"lines", "distinct lines of 128 bytes that requests touch", WS_COUNT, AT(lines),
     .better = WS_BETTER_LESS},
    {NULL},
};

#define FIGURES " requests lanes bytes sectors lines"
#define SHOWN   " requests sectors lines"

static const struct ws_level levels[] = {
    [WS_CACHES_TOTAL] = {"total", .data = FIGURES},
    [WS_CACHES_LAUNCHES] = {"launches", "Launches", .by = 1u << WS_CACHES_BY_LAUNCH,
                            .text = "launch frame launch_kind label" SHOWN,
                            .data = "launch frame submission launch_kind launch_size label "
                                    "subgroup_size" FIGURES},
    [WS_CACHES_SHADERS] = {"shaders", "Shaders", .by = 1u << WS_CACHES_BY_SHADER, .sort = "-sectors",
                           .text = "shader stage" SHOWN, .data = "shader_id shader stage" FIGURES},
    [WS_CACHES_MEMORIES] = {"memories", "Kinds of memory",
                            .by = 1u << WS_CACHES_BY_KIND | 1u << WS_CACHES_BY_MEMORY,
                            .text = "memory access" SHOWN, .data = "memory access" FIGURES},
    [WS_CACHES_BUFFERS] = {"buffers", "Buffers", .by = 1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER,
                           .sort = "-sectors", .text = "buffer memory" SHOWN,
                           .data = "buffer memory" FIGURES},
    [WS_CACHES_PLACES] = {"accesses", "Accesses, those of most sectors first", .by = 1u << WS_CACHES_BY_PLACE,
                          .sort = "-sectors,shader,place", .text = "shader source access buffer size" SHOWN,
                          .data = "shader_id shader stage place source file line access memory buffer "
                                  "size" FIGURES},
    {NULL},
};

const struct ws_columns ws_caches_columns = {
    dimensions,       measures, levels, sizeof(struct ws_caches_sums), .shown = "requests sectors lines",
    .main = "sectors"};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    ws_memory_rows_finish(&results->rows);
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->rows.catalog = catalog;
    results->rows.describe = describe;
    results->selection = options->selection;
    results->groups = ws_groups_create(&ws_caches_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct results *results = pointer;
    return results->groups;
}

static const char *nothing(const void *pointer)
{
    const struct results *results = pointer;
    return results->recorded ? NULL : "no access to memory was recorded";
}

static const char *const passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_caches = {
    .name = "caches",
    .summary = "what caches would make of the loads and stores",
    .answers = "which buffers and loads miss the caches",
    .passes = passes,
    .columns = &ws_caches_columns,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .replay = &operations,
    .nothing = nothing,
};
