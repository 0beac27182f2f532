#include "analysis/memory/caches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/cache/hierarchy.h"
#include "analysis/memory/cache/size_curve.h"
#include "analysis/memory/courses.h"
#include "analysis/memory/part_pictures.h"
#include "analysis/memory/part_sums.h"
#include "analysis/memory/rows.h"
#include "analysis/memory/thread_pictures.h"
#include "analysis/memory/thread_sums.h"
#include "analysis/memory/traced_sites.h"
#include "analysis/memory/wide_warps.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

#define LANES_MAX    WS_WIDE_LANES_MAX
#define USUAL_DEVICE "rtx2080ti" /* of the paper whose model this is */

struct results {
    struct ws_memory_rows rows; /* first: what it has in common with other analyses of accesses */
    struct ws_groups *groups;   /* sums are struct ws_caches_sums */
    const struct ws_selection *selection;
    struct ws_cache_shape shape;
    bool compiled;   /* accesses as a compiler would leave them */
    uint32_t lanes;  /* of wide warps; 0 = warps are as recorded */
    uint32_t user;   /* number in the replay */
    uint64_t formed; /* wide warps; the next two as in wide_warps.h */
    uint64_t kept;
    uint64_t hurried;
    bool draws; /* pictures are asked for */
    struct ws_thread_pictures pictures;
    struct ws_part_pictures time_pictures;
    struct ws_size_curve curve;
    bool recorded; /* there is a request */
};

/* What one access came to in one buffer of the application. */
struct place_sums {
    uint32_t place; /* index in the module's traced accesses */
    uint32_t bound; /* as ws_request has it */
    struct ws_caches_sums sums;
};

struct shader {
    struct ws_id_map ids; /* place << 32 | bound -> index below */
    struct place_sums *list;
    uint32_t count;
    uint32_t capacity;
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct part {
    const struct results *results;
    const struct ws_launch_record *launch;
    struct shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    struct ws_traced_sites sites;
    struct ws_request_memory memory;
    struct ws_request request;
    uint64_t addresses[WS_REQUEST_LINES_MAX * (WS_MEMORY_LINE / WS_MEMORY_SECTOR)]; /* of its sectors */
    struct ws_hierarchy *hierarchy; /* NULL = nothing was accessed yet */
    struct ws_size_run sizes;
    struct ws_id_map workgroups; /* WorkgroupId, packed -> its multiprocessor */
    uint32_t begun;              /* workgroups, and warps of none: the next multiprocessor, around */
    uint32_t *warps;             /* per warp, by its number: its multiprocessor */
    uint32_t warp_count;
    uint32_t warp_capacity;
    struct ws_wide_warps wide;
    bool has_threads;                 /* the report is by thread */
    uint32_t lane_threads[LANES_MAX]; /* of an execution */
    struct ws_thread_sums threads;
    bool has_times; /* it is by time */
    struct ws_part_sums times;
};

/* ---- records ---- */

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    for (uint32_t i = 0; part->shaders != NULL && i < part->shader_count; ++i) {
        ws_id_map_finish(&part->shaders[i].ids);
        free(part->shaders[i].list);
    }
    free(part->shaders);
    ws_traced_sites_finish(&part->sites);
    free(part->warps);
    ws_wide_warps_finish(&part->wide);
    ws_id_map_finish(&part->workgroups);
    ws_thread_sums_finish(&part->threads);
    ws_part_sums_finish(&part->times);
    ws_request_memory_finish(&part->memory);
    ws_hierarchy_destroy(part->hierarchy);
    ws_size_run_finish(&part->sizes);
    free(part);
}

static bool run_execution(void *pointer, const struct ws_execution *execution);

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct results *results = pointer;
    const struct ws_catalog *catalog = results->rows.catalog;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch;
    part->memory.homes.catalog = catalog;
    part->memory.homes.launch = launch->index;
    part->has_threads = results->draws || ws_groups_need(results->groups, 1u << WS_CACHES_BY_THREAD);
    part->has_times = results->draws || ws_groups_need(results->groups, 1u << WS_CACHES_BY_TIME);
    part->wide = (struct ws_wide_warps){
        .lanes = results->lanes, .limit = WS_WIDE_WAITING_MAX, .run = run_execution, .user = part};
    part->shader_count = catalog->shader_count;
    part->shaders = calloc((size_t)part->shader_count + 1, sizeof(*part->shaders));
    if (part->shaders != NULL && ws_traced_sites_init(&part->sites, catalog))
        return part;
    part_destroy(part);
    return NULL;
}

/* The sums of an access of a shader in a buffer. NULL when there is no memory. */
static struct ws_caches_sums *sums_of(struct part *part, uint32_t shader, uint32_t place, uint32_t bound)
{
    struct shader *found = &part->shaders[shader];
    const uint64_t key = (uint64_t)place << 32 | bound;
    uint32_t index = 0;
    if (ws_id_map_get(&found->ids, key, &index))
        return &found->list[index].sums;
    struct place_sums *list = ws_array_grow(found->list, &found->capacity, found->count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    found->list = list;
    index = found->count++;
    list[index] = (struct place_sums){.place = place, .bound = bound};
    return ws_id_map_put(&found->ids, key, index) ? &list[index].sums : NULL;
}

/* ---- multiprocessors ---- */

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
    return part->begun++ % part->results->shape.multiprocessors;
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

/* What a warp is among those of its launch (wide_warps.h). */
static struct ws_wide_member member_of(const struct part *part, const struct ws_context *context,
                                       const struct ws_thread *thread)
{
    const uint32_t *size = part->results->rows.catalog->shaders[context->shader].local_size;
    struct ws_wide_member member = {.warp = context->warp,
                                    .shader = context->shader,
                                    .lanes = context->lane_count,
                                    .entered = ws_lanes_count(context->entered)};
    if (context->stage == WS_STAGE_RAYGEN) {
        member.is_placed = true;
        member.row = (uint64_t)thread->work[2] << 32 | thread->work[1];
        member.position = thread->work[0];
        member.length = part->launch->size[0];
    } else if (find_workgroup(part, context, thread, &member.row)) {
        member.is_placed = true;
        member.position = thread->work[0] % size[0] +
                          size[0] * (thread->work[1] % size[1] + size[1] * (thread->work[2] % size[2]));
        member.length = size[0] * size[1] * size[2];
    }
    return member;
}

/* Notes where a context comes in its warp. */
static bool begin_course(const struct part *part, struct ws_context *context)
{
    const uint32_t user = part->results->user;
    struct ws_course *course = calloc(1, sizeof(*course));
    context->user[user] = course;
    if (course != NULL && context->caller != NULL && context->caller->user[user] != NULL)
        ws_course_enter(course, context->caller->user[user], context->entered, context->stage);
    return course != NULL;
}

/* A warp begins: it gets a multiprocessor, unless it has one, or is of a wide warp that has. */
static bool enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    struct part *part = pointer;
    uint32_t first = context->warp;
    if (part->results->lanes > 0 && !begin_course(part, context))
        return false;
    if (context->depth > 0 || context->warp == WS_NONE)
        return true;
    const struct ws_thread *thread = &threads[context->threads[ws_lanes_lowest(context->entered)]];
    const struct ws_wide_member member = member_of(part, context, thread);
    if (part->results->lanes > 0 && !ws_wide_warps_enter(&part->wide, &member, &first))
        return false;
    if (context->warp < part->warp_count)
        return true;
    uint32_t *warps =
        ws_array_grow(part->warps, &part->warp_capacity, (size_t)context->warp + 1, sizeof(*warps));
    if (warps == NULL)
        return false;
    part->warps = warps;
    while (part->warp_count <= context->warp)
        warps[part->warp_count++] = 0;
    if (first == context->warp)
        return find_multiprocessor(part, context, thread, &warps[context->warp]);
    warps[context->warp] = warps[first];
    return true;
}

/* An execution of a shader has ended; of a launched one that tells of its warp. */
static bool close_context(void *pointer, struct ws_context *context)
{
    struct part *part = pointer;
    if (part->results->lanes > 0) {
        free(context->user[part->results->user]);
        context->user[part->results->user] = NULL;
    }
    return part->results->lanes == 0 || context->depth > 0 || context->warp == WS_NONE ||
           ws_wide_warps_leave(&part->wide, context->warp);
}

/* ---- accesses ---- */

static uint64_t sum_kinds(const uint64_t counts[WS_CACHE_KINDS])
{
    return counts[WS_CACHE_LOAD] + counts[WS_CACHE_STORE] + counts[WS_CACHE_ATOMIC];
}

/* Runs the sectors of the request through the caches. */
static bool run_caches(struct part *part, uint32_t multiprocessor, enum ws_access_kind kind,
                       struct ws_caches_sums *sums)
{
    static const enum ws_cache_kind kinds[WS_ACCESS_KINDS] = {[WS_ACCESS_LOAD] = WS_CACHE_LOAD,
                                                              [WS_ACCESS_STORE] = WS_CACHE_STORE,
                                                              [WS_ACCESS_ATOMIC] = WS_CACHE_ATOMIC};
    struct ws_hierarchy_counts counts = {0};
    struct ws_error unsaid;
    uint32_t count = 0;
    for (uint32_t i = 0; i < part->request.line_count; ++i)
        for (uint32_t j = 0; j < WS_MEMORY_LINE / WS_MEMORY_SECTOR; ++j)
            if ((part->request.lines[i].sectors >> j & 1) != 0)
                part->addresses[count++] =
                    part->request.lines[i].line * WS_MEMORY_LINE + j * WS_MEMORY_SECTOR;
    const struct ws_hierarchy_request request = {.multiprocessor = multiprocessor,
                                                 .kind = kinds[kind],
                                                 .addresses = part->addresses,
                                                 .lanes = count,
                                                 .size = WS_MEMORY_SECTOR};
    if (part->hierarchy == NULL)
        part->hierarchy = ws_hierarchy_create(&part->results->shape, &unsaid);
    if (part->hierarchy == NULL)
        return false;
    ws_hierarchy_run(part->hierarchy, &request, &counts);
    sums->l1_sectors += counts.l1_hits + counts.l1_misses;
    sums->l1_hits += counts.l1_hits;
    sums->l2_sectors += sum_kinds(counts.l2_hits) + sum_kinds(counts.l2_misses);
    sums->l2_hits += sum_kinds(counts.l2_hits);
    sums->memory_bytes += counts.memory_bytes;
    return true;
}

/* Runs the lines of the request through the caches of all sizes. */
static bool run_curve(struct part *part)
{
    bool is_run = true;
    for (uint32_t i = 0; is_run && i < part->request.line_count; ++i)
        is_run = ws_size_run_access(&part->sizes, part->results->curve.one_of, part->request.lines[i].line);
    return is_run;
}

void ws_caches_sums_add(struct ws_caches_sums *to, const struct ws_caches_sums *from)
{
    to->requests += from->requests;
    to->lanes += from->lanes;
    to->slots += from->slots;
    to->bytes += from->bytes;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->memory_bytes += from->memory_bytes;
}

/* Runs one access of a warp. `sums` is what it comes to, and remains 0 where there is nothing to do. */
static bool run_access(struct part *part, const struct ws_execution *execution,
                       const struct ws_traced_access *access, struct ws_caches_sums *sums)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    const uint32_t lane_count = execution->lane_count;
    struct ws_request *request = &part->request;
    struct ws_traced_access left = *access;
    if (part->results->compiled) {
        left.access.offset = access->left.offset;
        left.access.size = access->left.size;
    }
    if (left.access.size == 0)
        return true;
    part->memory.shader = execution->shader;
    if (!ws_request_make(request, &part->memory, &left, module, catalog->modules[module].placed,
                         execution->words, execution->words_per_lane, lane_count))
        return false;
    sums->requests = 1;
    sums->lanes = lane_count;
    sums->slots = execution->slots;
    sums->bytes = (uint64_t)lane_count * left.access.size;
    sums->sectors = request->sector_count;
    sums->lines = request->line_count;
    return run_caches(part, execution->multiprocessor, access->access.kind, sums) && run_curve(part);
}

/* The same of access `place` of its shader, and counts it there, and for each of its threads where the report is by thread. */
static bool run(struct part *part, const struct ws_execution *execution,
                const struct ws_traced_access *access, uint32_t place)
{
    struct ws_caches_sums request = {0};
    if (!run_access(part, execution, access, &request))
        return false;
    if (request.requests == 0)
        return true;
    struct ws_caches_sums *sums = sums_of(part, execution->shader, place, part->request.bound);
    if (sums == NULL)
        return false;
    ws_caches_sums_add(sums, &request);
    const bool is_chosen =
        ws_selection_runs(part->results->selection, part->launch->index, execution->shader);
    if (part->has_times &&
        !ws_part_sums_add(&part->times, access, part->request.bound, is_chosen ? &request : NULL))
        return false;
    return !part->has_threads || !is_chosen ||
           ws_thread_sums_add(&part->threads, execution->root, execution->threads, execution->lane_count,
                              access, part->request.bound, &request);
}

/* Runs the accesses of a stretch, in their order. */
static bool run_execution(void *pointer, const struct ws_execution *execution)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const struct ws_module_traces *traces =
        catalog->modules[catalog->shaders[execution->shader].module].traces;
    const struct ws_traced_site traced = traces->sites[execution->site];
    bool is_run = ws_budget_spend((uint64_t)WS_STEPS_WORD * traced.count * execution->lane_count);
    for (uint32_t i = traced.first; is_run && i < traced.first + traced.count; ++i)
        is_run = run(part, execution, &traces->accesses[i], i);
    return is_run;
}

/* What was launched and called a context, or the calls around it. */
static uint32_t root_of(const struct ws_context *context)
{
    while (context->caller != NULL)
        context = context->caller;
    return context->shader;
}

/* Runs it as a part of its wide warp. */
static bool run_wide(struct part *part, const struct ws_context *context,
                     const struct ws_execution *execution)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[context->shader].module].traces;
    struct ws_wide_order order = {.depth = context->depth, .shader = context->shader};
    ws_course_go_on(context->user[part->results->user], traces, execution->site, &order);
    return ws_budget_spend(part->results->lanes) &&
           ws_wide_warps_add(&part->wide, context->warp, &order, execution);
}

/* A warp executes a stretch. */
static bool run_site(struct part *part, const struct ws_context *context, uint32_t site,
                     struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[context->shader].module;
    struct ws_execution execution = {.shader = context->shader,
                                     .site = site,
                                     .slots = context->lane_count,
                                     .multiprocessor =
                                         context->warp < part->warp_count ? part->warps[context->warp] : 0,
                                     .lane_count = ws_lanes_count(lanes),
                                     .words = words,
                                     .words_per_lane = words_per_lane};
    if (catalog->modules[module].traces == NULL || execution.lane_count > LANES_MAX ||
        execution.lane_count == 0)
        return true;
    if (part->has_threads) {
        execution.root = root_of(context);
        execution.threads = part->lane_threads;
        for (uint32_t i = 0; ws_lanes_any(lanes); ++i)
            part->lane_threads[i] = context->threads[ws_lanes_take(&lanes)];
    }
    return part->results->lanes > 0 ? run_wide(part, context, &execution) : run_execution(part, &execution);
}

static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    return run_site(pointer, context, site, lanes, words, words_per_lane);
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    uint32_t site = 0;
    if (!ws_traced_sites_find(&part->sites, catalog, catalog->shaders[context->shader].module, place, &site))
        return false;
    return site == WS_NONE || run_site(part, context, site, lanes, NULL, 0);
}

/* ---- results ---- */

static bool merge_shader(struct results *results, const struct part *part, uint32_t shader)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[shader].module].traces;
    for (uint32_t i = 0; i < part->shaders[shader].count; ++i) {
        const struct place_sums *place = &part->shaders[shader].list[i];
        const struct ws_traced_access *access = &traces->accesses[place->place];
        uint32_t buffer = 0;
        if (!ws_memory_rows_buffer(&results->rows, access->memory, &buffer))
            return false;
        const uint64_t keys[WS_CACHES_DIMENSIONS] = {
            [WS_CACHES_BY_LAUNCH] = part->launch->index,
            [WS_CACHES_BY_STAGE] = ws_key_stage(catalog->shaders[shader].stage),
            [WS_CACHES_BY_SHADER] = shader,
            [WS_CACHES_BY_KIND] = access->access.kind,
            [WS_CACHES_BY_MEMORY] = access->access.memory,
            [WS_CACHES_BY_BUFFER] = buffer,
            [WS_CACHES_BY_BOUND] = place->bound,
            [WS_CACHES_BY_PLACE] = ws_key_in_shader(shader, place->place),
            [WS_CACHES_BY_THREAD] = WS_KEY_NONE,
            [WS_CACHES_BY_TIME] = WS_KEY_NONE,
        };
        results->recorded = true;
        if (!ws_groups_add(results->groups, keys, &place->sums))
            return false;
    }
    return true;
}

/* What the launch wrote back. */
static bool merge_written(struct results *results, struct part *part)
{
    uint64_t keys[WS_CACHES_DIMENSIONS] = {part->launch->index};
    if (part->hierarchy == NULL)
        return true;
    for (uint32_t i = WS_CACHES_BY_LAUNCH + 1; i < WS_CACHES_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    ws_hierarchy_flush(part->hierarchy);
    const struct ws_caches_sums sums = {.written_bytes = ws_hierarchy_written_bytes(part->hierarchy)};
    return ws_groups_add(results->groups, keys, &sums);
}

/* A thread's key: its work id, of a fragment its pixel. */
static uint64_t thread_key(const struct ws_replay_threads *threads, uint32_t stage, uint32_t thread)
{
    uint32_t place[3];
    ws_work_place(stage, threads->threads[thread].work, place);
    return ws_work_key(place);
}

/* Adds what threads come to, to the levels that are by thread. */
static bool merge_threads(struct results *results, const struct part *part,
                          const struct ws_replay_threads *threads)
{
    for (uint32_t i = 0; i < part->threads.row_count; ++i) {
        const struct ws_thread_row *row = &part->threads.rows[i];
        uint64_t keys[WS_CACHES_DIMENSIONS];
        uint32_t buffer = 0;
        if (!ws_memory_rows_buffer(&results->rows, row->buffer, &buffer))
            return false;
        for (uint32_t j = 0; j < WS_CACHES_DIMENSIONS; ++j)
            keys[j] = WS_KEY_NONE;
        keys[WS_CACHES_BY_LAUNCH] = part->launch->index;
        keys[WS_CACHES_BY_MEMORY] = row->memory;
        keys[WS_CACHES_BY_BUFFER] = buffer;
        keys[WS_CACHES_BY_BOUND] = row->bound;
        keys[WS_CACHES_BY_THREAD] =
            thread_key(threads, results->rows.catalog->shaders[row->shader].stage, row->thread);
        if (!ws_groups_add_to(results->groups, keys, &row->sums, 1u << WS_CACHES_BY_THREAD, 0))
            return false;
    }
    return true;
}

/* Adds what parts of the launch come to, to the levels that are by time. */
static bool merge_times(struct results *results, const struct part *part)
{
    for (uint32_t i = 0; i < part->times.row_count; ++i) {
        const struct ws_part_row *row = &part->times.rows[i];
        const struct ws_buffer_pair *pair = &part->times.pairs.list[row->pair];
        uint64_t keys[WS_CACHES_DIMENSIONS];
        uint32_t buffer = 0;
        if (!ws_memory_rows_buffer(&results->rows, pair->buffer, &buffer))
            return false;
        for (uint32_t j = 0; j < WS_CACHES_DIMENSIONS; ++j)
            keys[j] = WS_KEY_NONE;
        keys[WS_CACHES_BY_LAUNCH] = part->launch->index;
        keys[WS_CACHES_BY_MEMORY] = pair->memory;
        keys[WS_CACHES_BY_BUFFER] = buffer;
        keys[WS_CACHES_BY_BOUND] = pair->bound;
        keys[WS_CACHES_BY_TIME] = ws_part_sums_part(&part->times, row);
        if (!ws_groups_add_to(results->groups, keys, &row->sums, 1u << WS_CACHES_BY_TIME,
                              1u << WS_CACHES_BY_THREAD))
            return false;
    }
    return true;
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    struct part *part = from;
    bool merged = ws_wide_warps_end(&part->wide) && merge_written(results, part) &&
                  merge_threads(results, part, threads) && merge_times(results, part) &&
                  (!results->draws ||
                   ws_part_pictures_add(&results->time_pictures, part->launch->index, &part->times)) &&
                  (!results->draws || ws_thread_pictures_add(&results->pictures, results->rows.catalog,
                                                             threads, &part->threads));
    ws_size_curve_add(&results->curve, &part->sizes);
    results->formed += part->wide.formed;
    results->kept += part->wide.kept;
    results->hurried += part->wide.hurried;
    for (uint32_t i = 0; merged && i < part->shader_count; ++i)
        if (part->shaders[i].count > 0 && ws_selection_runs(results->selection, threads->launch->index, i))
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
    .close = close_context,
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

static void thread_place(const struct ws_row *row, struct ws_value *value)
{
    uint32_t place[3];
    ws_work_key_place(row->key, place);
    if (place[2] > 0)
        ws_value_text(value, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, place[0], place[1], place[2]);
    else
        ws_value_text(value, "%" PRIu32 ",%" PRIu32, place[0], place[1]);
}

static void thread_axis(const struct ws_row *row, struct ws_value *value, uint32_t axis)
{
    uint32_t place[3];
    ws_work_key_place(row->key, place);
    ws_value_count(value, place[axis]);
}

static void thread_x(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 0);
}

static void thread_y(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 1);
}

static void thread_z(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 2);
}

static const struct ws_field thread_fields[] = {
    {"thread", "its work id, or pixel: as --thread takes it", WS_TEXT, .value = thread_place},
    {"x", "the same, by number", WS_COUNT, .value = thread_x},
    {"y", "the same", WS_COUNT, .value = thread_y},
    {"z", "the same", WS_COUNT, .value = thread_z},
    {NULL}};

static void time_part(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field time_fields[] = {
    {"time", "part of the launch, from 0 on: of 50 with equally many requests, in their order", WS_COUNT,
     .value = time_part},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_CACHES_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_CACHES_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_CACHES_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_CACHES_BY_STAGE},
    [WS_CACHES_BY_KIND] = {"access", "load, store or atomic", ws_memory_kind_fields},
    [WS_CACHES_BY_MEMORY] = {"memory", "storage buffer, device address, ...", ws_memory_memory_fields},
    [WS_CACHES_BY_BUFFER] = {"buffer", "buffer, by name and binding", ws_memory_buffer_fields},
    [WS_CACHES_BY_BOUND] = {"bound", "buffer of the application, as it was bound in the launch",
                            ws_memory_bound_fields},
    [WS_CACHES_BY_PLACE] = {"place", "access in the code of a shader", ws_memory_place_fields,
                            .shown = "place source size", .same = "source size", .of_code = true,
                            .implies = 1u << WS_CACHES_BY_SHADER | 1u << WS_CACHES_BY_KIND |
                                       1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER},
    [WS_CACHES_BY_THREAD] = {"thread", "each thread, or pixel: requests that it took part in", thread_fields,
                             .same = "thread"},
    [WS_CACHES_BY_TIME] = {"time", "parts of launches, 50 of equally many requests each", time_fields,
                           .same = "time"},
    [WS_CACHES_DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct ws_caches_sums, member)
#define OF(member) .of = offsetof(struct ws_caches_sums, member)

static const struct ws_field measures[] = {
    {"requests", "executions of accesses by warps", WS_COUNT, AT(requests)},
    {"lanes", "their active lanes", WS_COUNT, AT(lanes)},
    {"active", "lanes / (requests x lanes of a warp)", WS_SHARE, AT(lanes), OF(slots), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"bytes", "bytes that the lanes ask for", WS_COUNT, AT(bytes)},
    {"sectors", "distinct sectors of 32 bytes that requests touch", WS_COUNT, AT(sectors),
     .better = WS_BETTER_LESS},
    {"lines", "distinct lines of 128 bytes that requests touch", WS_COUNT, AT(lines),
     .better = WS_BETTER_LESS},
    {"l1_sectors", "sectors of loads, which ask an L1", WS_COUNT, AT(l1_sectors)},
    {"l1_hits", "those of them that the L1 has", WS_COUNT, AT(l1_hits)},
    {"l1_hit_rate", "l1_hits / l1_sectors", WS_SHARE, AT(l1_hits), OF(l1_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"l2_sectors", "sectors that ask the L2: misses of the L1, stores and atomics", WS_COUNT, AT(l2_sectors),
     .better = WS_BETTER_LESS},
    {"l2_hits", "those of them that the L2 has", WS_COUNT, AT(l2_hits)},
    {"l2_hit_rate", "l2_hits / l2_sectors", WS_SHARE, AT(l2_hits), OF(l2_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"memory_bytes", "bytes that the L2 reads from memory", WS_COUNT, AT(memory_bytes),
     .better = WS_BETTER_LESS},
    {"written_bytes", "bytes that the L2 writes to memory, of launches and in all", WS_COUNT,
     AT(written_bytes), .better = WS_BETTER_LESS},
    {NULL},
};

#define FIGURES                                                                                              \
    " requests lanes active bytes sectors lines l1_sectors l1_hits l1_hit_rate l2_sectors l2_hits "          \
    "l2_hit_rate "                                                                                           \
    "memory_bytes"
#define SHOWN " requests sectors l1_hit_rate l2_sectors l2_hit_rate memory_bytes"

static const struct ws_level levels[] = {
    [WS_CACHES_TOTAL] = {"total", .data = FIGURES " written_bytes"},
    [WS_CACHES_LAUNCHES] = {"launches", "Launches", .by = 1u << WS_CACHES_BY_LAUNCH,
                            .text = "launch frame launch_kind label" SHOWN " written_bytes",
                            .data = "launch frame submission launch_kind launch_size label "
                                    "subgroup_size" FIGURES " written_bytes"},
    [WS_CACHES_SHADERS] = {"shaders", "Shaders", .by = 1u << WS_CACHES_BY_SHADER, .sort = "-sectors",
                           .text = "shader stage" SHOWN, .data = "shader_id shader stage" FIGURES},
    [WS_CACHES_MEMORIES] = {"memories", "Kinds of memory",
                            .by = 1u << WS_CACHES_BY_KIND | 1u << WS_CACHES_BY_MEMORY,
                            .text = "memory access" SHOWN, .data = "memory access" FIGURES},
    [WS_CACHES_BUFFERS] = {"buffers", "Buffers",
                           .by = 1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER |
                                 1u << WS_CACHES_BY_BOUND,
                           .sort = "-memory_bytes,-sectors", .text = "buffer bound memory" SHOWN,
                           .data = "buffer bound bound_size allocation memory" FIGURES},
    [WS_CACHES_PLACES] = {"accesses", "Accesses, those that miss the L2 most first",
                          .by = 1u << WS_CACHES_BY_PLACE,
                          .sort = "-memory_bytes,-l2_sectors,-sectors,shader,place",
                          .text = "shader source access buffer size" SHOWN,
                          .data = "shader_id shader stage place source file line access memory buffer "
                                  "size" FIGURES},
    {NULL},
};

const struct ws_columns ws_caches_columns = {dimensions,
                                             measures,
                                             levels,
                                             sizeof(struct ws_caches_sums),
                                             .shown = "requests sectors l1_hit_rate l2_hit_rate memory_bytes",
                                             .main = "l1_hit_rate l2_hit_rate memory_bytes"};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    ws_memory_rows_finish(&results->rows);
    ws_thread_pictures_finish(&results->pictures);
    ws_part_pictures_finish(&results->time_pictures);
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
    results->compiled = options->compiled;
    results->lanes = options->lanes;
    results->curve.one_of = options->shards > 1 ? options->shards : 1;
    results->draws = options->plots;
    const char *device = options->caches != NULL ? options->caches : USUAL_DEVICE;
    if (ws_cache_shape_load(device, &results->shape, error))
        results->groups = ws_groups_create(&ws_caches_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    struct results *results = pointer;
    results->user = user;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct results *results = pointer;
    return results->groups;
}

static const struct ws_caches_sums *find_total(const struct results *results)
{
    static const struct ws_caches_sums none = {0};
    static const uint64_t keys[WS_CACHES_DIMENSIONS] = {0};
    const struct ws_caches_sums *total = ws_groups_find(results->groups, WS_CACHES_TOTAL, keys);
    return total != NULL ? total : &none;
}

static void print_rate(FILE *stream, const char *name, uint64_t hits, uint64_t sectors)
{
    fprintf(stream, "  %s  ", name);
    if (sectors > 0)
        fprintf(stream, "%.1f %% of %" PRIu64 " sectors hit\n", 100.0 * (double)hits / (double)sectors,
                sectors);
    else
        fputs("no sector was asked for\n", stream);
}

static double rate_of(const struct results *results, double hits)
{
    return hits / (double)results->curve.lines;
}

static void print_rates(const struct results *results, FILE *stream, const char *name, const double *hits)
{
    fprintf(stream, "\n  %-8s", name);
    for (uint32_t i = 0; i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, "%6.1f %%", 100 * rate_of(results, hits[i]));
}

static void print_curve(const struct results *results, FILE *stream)
{
    const struct ws_size_curve *curve = &results->curve;
    fputs("\nOne LRU cache of another size instead", stream);
    if (curve->one_of > 1)
        fprintf(stream, ", estimated from one of %" PRIu32 " lines", curve->one_of);
    fputs("\n  size    ", stream);
    for (uint32_t i = 0; i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, i < 6 ? "%6" PRIu32 " K" : "%6" PRIu32 " M",
                i < 6 ? WS_CURVE_FIRST >> 10 << i : WS_CURVE_FIRST >> 10 << i >> 10);
    print_rates(results, stream, "hit rate", curve->full);
    if (curve->one_of <= 1)
        print_rates(results, stream, "16 ways", curve->ways);
    if (curve->one_of > 1)
        fputs("\n  error   ", stream);
    for (uint32_t i = 0; curve->one_of > 1 && i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, "%6.1f %%", 100 * ws_size_curve_error(curve, i));
    fputc('\n', stream);
}

static const struct ws_member size_members[] = {
    {"bytes", "integer", "of one LRU cache with lines of 128 bytes"},
    {"hit_rate", "share?", "of the lines that requests touch, fully associative; null where there are none"},
    {"hit_rate_error", "share?", "its standard error where it is an estimate (--shards), else null"},
    {"hit_rate_16_ways", "share?", "the same with 16 ways; null where hit rates are estimates"},
    {"expected_16_ways", "share?", "the same, as reuse distances alone let one expect"},
    {NULL}};

static const struct ws_member members[] = {
    {"device", "string", "whose caches the figures are of"},
    {"compiled", "boolean", "accesses are as a compiler would leave them"},
    {"lanes", "integer?", "lanes of warps that are put together from neighbours; null = as recorded"},
    {"shards", "integer", "sizes are from one of so many lines; 1 = from all"},
    {"sizes", "object[]", "what one cache of each size would hit instead", size_members},
    {NULL}};

/* A rate of the accesses to lines, where there are some and it is known. */
static void add_rate(const struct results *results, cJSON *entry, const char *name, double rate, bool known)
{
    if (results->curve.lines > 0 && known)
        ws_json_number(entry, name, rate);
    else
        cJSON_AddNullToObject(entry, name);
}

static void add_size(const struct results *results, cJSON *entry, uint32_t size)
{
    const struct ws_size_curve *curve = &results->curve;
    const bool estimated = curve->one_of > 1;
    ws_json_integer(entry, "bytes", (uint64_t)WS_CURVE_FIRST << size);
    add_rate(results, entry, "hit_rate", rate_of(results, curve->full[size]), true);
    add_rate(results, entry, "hit_rate_error", ws_size_curve_error(curve, size), estimated);
    add_rate(results, entry, "hit_rate_16_ways", rate_of(results, curve->ways[size]), !estimated);
    add_rate(results, entry, "expected_16_ways", rate_of(results, curve->expected[size]), true);
}

static bool json(const void *pointer, struct ws_json *json)
{
    const struct results *results = pointer;
    ws_json_member(json, "device", cJSON_CreateString(results->shape.name));
    ws_json_member(json, "compiled", cJSON_CreateBool(results->compiled));
    ws_json_member(json, "lanes",
                   results->lanes > 0 ? cJSON_CreateNumber(results->lanes) : cJSON_CreateNull());
    ws_json_member(json, "shards", cJSON_CreateNumber(results->curve.one_of));
    ws_json_open_list(json, "sizes");
    for (uint32_t i = 0; i < WS_CURVE_SIZES; ++i) {
        cJSON *entry = cJSON_CreateObject();
        add_size(results, entry, i);
        ws_json_element(json, entry);
    }
    ws_json_close_list(json);
    return !json->failed;
}

static bool text(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    const struct ws_cache_shape *shape = &results->shape;
    const struct ws_caches_sums *total = find_total(results);
    fprintf(stream,
            "\nCaches, as those of %s would be: a model\n"
            "  %" PRIu32 " multiprocessors with an L1 of %" PRIu32 " lines of %" PRIu32
            " bytes, one L2 of %" PRIu32 " lines of %" PRIu32 "\n",
            shape->name, shape->multiprocessors, shape->l1.lines, shape->l1.line_bytes, shape->l2.lines,
            shape->l2.line_bytes);
    fputs(results->compiled
              ? "  accesses as a compiler would leave them\n"
              : "  accesses as SPIR-V has them; --compiled joins neighbours and drops repeated loads\n",
          stream);
    if (results->lanes > 0)
        fprintf(stream, "  warps of %" PRIu32 " lanes, put together from neighbours: simulated\n",
                results->lanes);
    print_rate(stream, "L1", total->l1_hits, total->l1_sectors);
    print_rate(stream, "L2", total->l2_hits, total->l2_sectors);
    fprintf(stream, "  %" PRIu64 " bytes are read from memory, %" PRIu64 " written to it\n",
            total->memory_bytes, total->written_bytes);
    if (results->curve.lines > 0)
        print_curve(results, stream);
    return ws_groups_text_all(results->groups, stream);
}

static const char *nothing(const void *pointer)
{
    const struct results *results = pointer;
    return results->recorded ? NULL : "no access to memory was recorded";
}

static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    const struct ws_catalog *catalog = results->rows.catalog;
    uint64_t unread = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        unread += catalog->modules[i].traces != NULL ? catalog->modules[i].traces->unread : 0;
    if (unread > 0)
        fprintf(stream,
                "  caches leaves %" PRIu64
                " sites out, whose records mean something else to this version: read the\n"
                "  capture with the Warpscope that recorded it\n",
                unread);
    if (results->kept > 0)
        fprintf(stream,
                "  caches leaves %" PRIu64 " warps as they are, since warps of %" PRIu32
                " lanes cannot be put together from them\n",
                results->kept, results->lanes);
    if (results->hurried > 0)
        fprintf(stream,
                "  caches runs %" PRIu64 " accesses without the neighbours of their warps: more would have "
                "waited than there is room for\n",
                results->hurried);
    if (results->pictures.left_out > 0)
        fprintf(stream,
                "  caches draws the first %d launches and buffers that are not too large, and leaves %" PRIu64
                " out\n",
                WS_THREAD_PICTURES_MAX, results->pictures.left_out);
    if (results->time_pictures.left_out > 0)
        fprintf(stream, "  caches draws the first %d launches over time, and leaves %" PRIu64 " out\n",
                WS_PART_PICTURES_MAX, results->time_pictures.left_out);
}

static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct results *results = pointer;
    return ws_part_pictures_draw(&results->time_pictures, plots, error) &&
           ws_thread_pictures_draw(&results->pictures, plots, error);
}

static const char *const passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_caches = {
    .name = "caches",
    .summary = "what caches would make of the loads and stores",
    .answers = "which buffers and loads miss the caches",
    .passes = passes,
    .columns = &ws_caches_columns,
    .words =
        "The model has an L1 for each multiprocessor and one L2, as a device of your choice has (--caches).\n"
        "Warps run in the order in which the recorded device ran them, and each workgroup stays on one\n"
        "multiprocessor. A device that runs few warps at once, as one in software does, finds more in its "
        "caches\n"
        "than one that runs thousands. Caches are empty where a launch begins. Loads and stores count as "
        "SPIR-V\n"
        "has them; with --compiled as a compiler leaves them. Buffers lie in their allocations as the\n"
        "application put them there, and share bytes where they overlap, also with what is reached by "
        "device\n"
        "address. Where several buffers are bound to one binding in a render pass, they count as one, and so "
        "do\n"
        "all records of a shader. Pages of 64 KiB follow each other in the order in which they are touched.\n"
        "--lanes 32 puts neighbouring warps together as one of 32 lanes: those of one workgroup, or of one "
        "row\n"
        "of rays. They go in step, and request together what they access at one place. Warps that part at a\n"
        "branch meet behind it.\n"
        "--shards 1/16 follows one of 16 lines for the rates of other sizes, which is faster, and says how "
        "far\n"
        "off they may be.\n"
        "--by thread,buffer tells of each thread, which is a pixel where a dispatch draws: of the requests "
        "that it\n"
        "took part in. --by launch,time cuts each launch into 50 parts of equally many requests, in their "
        "order.\n"
        "--plots draws both, and the order of first accesses.\n",
    .create = create,
    .destroy = destroy,
    .attach = attach,
    .groups = groups,
    .replay = &operations,
    .nothing = nothing,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
    .plots = plots,
};
