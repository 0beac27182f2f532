#include "analysis/memory/caches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/buffer_elements.h"
#include "analysis/memory/cache/hierarchy.h"
#include "analysis/memory/caches_results.h"
#include "analysis/memory/courses.h"
#include "analysis/memory/part_sums.h"
#include "analysis/memory/thread_sums.h"
#include "analysis/memory/traced_sites.h"
#include "analysis/memory/wide_warps.h"
#include "analysis/memory/workgroups.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/passes.h"

#define LANES_MAX WS_WIDE_LANES_MAX
#define RECENT    64

/* What one access came to in one buffer of the application. */
struct place_sums {
    uint32_t place; /* index in the module's traced accesses */
    uint32_t bound; /* as ws_request has it */
    struct ws_caches_sums sums;
};

/* What a request came to on one page. */
struct page_sums {
    uint32_t page;
    struct ws_caches_sums sums;
};

struct shader {
    struct ws_id_map ids;    /* place << 32 | bound -> index below */
    uint32_t recent[RECENT]; /* by place and bound, modulo: an index that was found last, if it is the one */
    struct place_sums *list;
    uint32_t count;
    uint32_t capacity;
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct part {
    const struct ws_caches_results *results;
    const struct ws_launch_record *launch;
    struct shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    struct ws_traced_sites sites;
    struct ws_request_memory memory;
    struct ws_request request;
    uint64_t addresses[WS_REQUEST_LINES_MAX * (WS_MEMORY_LINE / WS_MEMORY_SECTOR)]; /* of its sectors */
    struct ws_hierarchy *hierarchy;    /* NULL = nothing was accessed yet */
    struct ws_hierarchy_counts counts; /* of all requests */
    struct ws_size_run sizes;
    struct ws_id_map workgroups; /* WorkgroupId, packed -> its multiprocessor */
    uint32_t begun;              /* workgroups, and warps of none: the next multiprocessor, around */
    uint32_t *warps;             /* per warp, by its number: its multiprocessor */
    uint32_t warp_count;
    uint32_t warp_capacity;
    struct ws_wide_warps wide;
    bool has_threads;                   /* the report is by thread */
    uint32_t lane_threads[LANES_MAX];   /* of an execution */
    struct ws_buffer_elements elements; /* it is by element */
    struct ws_built_touches touches;    /* it is by vertex, face or geometry */
    bool has_pages;                     /* it is by page */
    struct ws_page_table pages;
    struct page_sums *touched; /* of the request */
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint32_t stamp;                /* counts requests, for pages that it touched */
    bool no_memory;                /* for what one was touched */
    struct ws_part_sums details;   /* of levels that are by thread, time, page or element */
    struct ws_thread_sums threads; /* the next three are of pictures */
    struct ws_part_sums times;
    struct ws_part_sums page_times;
    ws_caches_hear *hear; /* NULL = nobody asks for each request */
    void *hearer;
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
    ws_part_sums_finish(&part->page_times);
    ws_buffer_elements_finish(&part->elements);
    ws_built_touches_finish(&part->touches);
    ws_part_sums_finish(&part->details);
    ws_page_table_finish(&part->pages);
    free(part->touched);
    ws_request_memory_finish(&part->memory);
    ws_hierarchy_destroy(part->hierarchy);
    ws_size_run_finish(&part->sizes);
    free(part);
}

static bool run_execution(void *pointer, const struct ws_execution *execution);

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_caches_results *results = pointer;
    const struct ws_catalog *catalog = results->rows.catalog;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch;
    part->memory.homes.catalog = catalog;
    part->memory.homes.launch = launch->index;
    part->has_threads = results->draws || (results->details & 1u << WS_CACHES_BY_THREAD) != 0;
    part->has_pages = results->draws || (results->details & 1u << WS_CACHES_BY_PAGE) != 0;
    part->pages.bytes = results->pages.bytes;
    part->details.is_whole = (results->details & 1u << WS_CACHES_BY_TIME) == 0;
    part->wide = (struct ws_wide_warps){
        .lanes = results->lanes, .limit = WS_WIDE_WAITING_MAX, .run = run_execution, .user = part};
    part->shader_count = catalog->shader_count;
    part->shaders = calloc((size_t)part->shader_count + 1, sizeof(*part->shaders));
    const bool has_elements = (results->details & 1u << WS_CACHES_BY_ELEMENT) != 0;
    if (part->shaders != NULL && ws_traced_sites_init(&part->sites, catalog) &&
        (!has_elements || ws_buffer_elements_take(&part->elements, catalog)))
        return part;
    part_destroy(part);
    return NULL;
}

void ws_caches_part_hear(void *pointer, ws_caches_hear *hear, void *user)
{
    struct part *part = pointer;
    part->hear = hear;
    part->hearer = user;
}

/* The sums of an access of a shader in a buffer. NULL when there is no memory. */
static struct ws_caches_sums *sums_of(struct part *part, uint32_t shader, uint32_t place, uint32_t bound)
{
    struct shader *found = &part->shaders[shader];
    const uint64_t key = (uint64_t)place << 32 | bound;
    uint32_t *recent = &found->recent[(place + bound) % RECENT];
    uint32_t index = *recent;
    if (index < found->count && found->list[index].place == place && found->list[index].bound == bound)
        return &found->list[index].sums;
    if (ws_id_map_get(&found->ids, key, &index)) {
        *recent = index;
        return &found->list[index].sums;
    }
    struct place_sums *list = ws_array_grow(found->list, &found->capacity, found->count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    found->list = list;
    index = found->count++;
    list[index] = (struct place_sums){.place = place, .bound = bound};
    return ws_id_map_put(&found->ids, key, index) ? &list[index].sums : NULL;
}

/* ---- multiprocessors ---- */

static bool find_workgroup(const struct part *part, const struct ws_context *context,
                           const struct ws_thread *thread, uint64_t *key)
{
    return ws_workgroup_key(&part->results->rows.catalog->shaders[context->shader], thread->work, key);
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

/* What the request comes to on the page of a line; NULL where that is not known. */
static struct ws_caches_sums *find_touched(struct part *part, uint64_t line)
{
    uint32_t number = 0;
    if (!ws_page_table_find(&part->pages, part->launch->index, &part->memory, line, &number))
        return NULL;
    struct ws_page *page = &part->pages.list[number];
    if (page->stamp == part->stamp)
        return &part->touched[page->slot].sums;
    struct page_sums *touched =
        ws_array_grow(part->touched, &part->touched_capacity, part->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return NULL;
    part->touched = touched;
    page->stamp = part->stamp;
    page->slot = part->touched_count++;
    touched[page->slot] = (struct page_sums){.page = number};
    return &touched[page->slot].sums;
}

/* Finds the pages of the request, and what it touches there. `all`: what it comes to in all. */
static bool touch_pages(struct part *part, const char *buffer, const struct ws_caches_sums *all)
{
    part->touched_count = 0;
    part->stamp++;
    for (uint32_t i = 0; i < part->request.line_count; ++i) {
        const struct ws_request_line *line = &part->request.lines[i];
        struct ws_caches_sums *sums = find_touched(part, line->line);
        if (sums == NULL)
            return false;
        ws_page_note(&part->pages.list[part->pages.last], line->bound, buffer);
        sums->requests = 1;
        sums->slots = all->slots;
        sums->lanes += line->lanes;
        sums->bytes += line->bytes;
        sums->sectors += (uint32_t)__builtin_popcount(line->sectors);
        sums->lines++;
    }
    return true;
}

static void add_counts(struct ws_caches_sums *sums, const struct ws_hierarchy_counts *counts)
{
    sums->l1_sectors += counts->l1_hits + counts->l1_misses;
    sums->l1_hits += counts->l1_hits;
    sums->l2_sectors += sum_kinds(counts->l2_hits) + sum_kinds(counts->l2_misses);
    sums->l2_hits += sum_kinds(counts->l2_hits);
    sums->memory_bytes += counts->memory_bytes;
}

/* What caches make of a line, which lies on one page: lines are not larger (create). */
static void add_line(void *pointer, uint64_t address, const struct ws_hierarchy_counts *counts)
{
    struct part *part = pointer;
    struct ws_caches_sums *sums = find_touched(part, address / WS_MEMORY_LINE);
    if (sums != NULL)
        add_counts(sums, counts);
    part->no_memory = part->no_memory || sums == NULL;
}

/* Runs the request's lines as sectors, for L1s that have other lines. */
static void run_sectors(struct part *part, struct ws_hierarchy_request *request)
{
    request->addresses = part->addresses;
    request->size = WS_MEMORY_SECTOR;
    for (uint32_t i = 0; i < part->request.line_count; ++i)
        for (uint32_t j = 0; j < WS_MEMORY_LINE / WS_MEMORY_SECTOR; ++j)
            if ((part->request.lines[i].sectors >> j & 1) != 0)
                part->addresses[request->lanes++] =
                    part->request.lines[i].line * WS_MEMORY_LINE + j * WS_MEMORY_SECTOR;
    ws_hierarchy_run(part->hierarchy, request, &part->counts);
}

/* Runs the sectors of the request through the caches. */
static bool run_caches(struct part *part, uint32_t multiprocessor, enum ws_access_kind kind,
                       struct ws_caches_sums *sums)
{
    static const enum ws_cache_kind kinds[WS_ACCESS_KINDS] = {[WS_ACCESS_LOAD] = WS_CACHE_LOAD,
                                                              [WS_ACCESS_STORE] = WS_CACHE_STORE,
                                                              [WS_ACCESS_ATOMIC] = WS_CACHE_ATOMIC};
    struct ws_hierarchy_request request = {.multiprocessor = multiprocessor,
                                           .kind = kinds[kind],
                                           .part = part->has_pages ? add_line : NULL,
                                           .user = part};
    const struct ws_hierarchy_counts *counts = &part->counts;
    struct ws_error unsaid;
    if (part->hierarchy == NULL)
        part->hierarchy = ws_hierarchy_create(&part->results->shape, &unsaid);
    if (part->hierarchy == NULL)
        return false;
    const uint64_t l1_hits = counts->l1_hits;
    const uint64_t l1_misses = counts->l1_misses;
    const uint64_t l2_hits = sum_kinds(counts->l2_hits);
    const uint64_t l2_misses = sum_kinds(counts->l2_misses);
    const uint64_t memory_bytes = counts->memory_bytes;
    if (ws_hierarchy_has_lines(part->hierarchy, WS_MEMORY_LINE, WS_MEMORY_SECTOR))
        for (uint32_t i = 0; i < part->request.line_count; ++i)
            ws_hierarchy_run_line(part->hierarchy, &request, part->request.lines[i].line,
                                  part->request.lines[i].sectors, &part->counts);
    else
        run_sectors(part, &request);
    sums->l1_hits = counts->l1_hits - l1_hits;
    sums->l1_sectors = sums->l1_hits + counts->l1_misses - l1_misses;
    sums->l2_hits = sum_kinds(counts->l2_hits) - l2_hits;
    sums->l2_sectors = sums->l2_hits + sum_kinds(counts->l2_misses) - l2_misses;
    sums->memory_bytes = counts->memory_bytes - memory_bytes;
    return !part->no_memory;
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
    to->assumed += from->assumed;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->memory_bytes += from->memory_bytes;
}

/* Runs one access of a warp. `sums` is what it comes to, and remains as it is where there is nothing to do. */
static bool run_access(struct part *part, const struct ws_execution *execution,
                       const struct ws_traced_access *access, struct ws_caches_sums *sums)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    const uint32_t lane_count = execution->lane_count;
    struct ws_request *request = &part->request;
    struct ws_traced_access left;
    const struct ws_traced_access *made = access;
    if (part->results->compiled) {
        left = *access;
        left.access.offset = access->left.offset;
        left.access.size = access->left.size;
        made = &left;
    }
    if (made->access.size == 0)
        return true;
    part->memory.shader = execution->shader;
    if (!ws_request_make(request, &part->memory, made, module, catalog->modules[module].placed,
                         execution->words, execution->words_per_lane, lane_count))
        return false;
    *sums = (struct ws_caches_sums){.requests = 1,
                                    .lanes = lane_count,
                                    .slots = execution->slots,
                                    .bytes = request->bytes,
                                    .assumed = request->is_assumed,
                                    .sectors = request->sector_count,
                                    .lines = request->line_count};
    if (part->has_pages && !touch_pages(part, access->memory, sums))
        return false;
    return run_caches(part, execution->multiprocessor, access->access.kind, sums) && run_curve(part);
}

/* Adds the request to sums by page. `what` is what else it is of. */
static bool add_pages(const struct part *part, struct ws_part_sums *to, const struct ws_traced_access *access,
                      struct ws_part_what what)
{
    bool added = true;
    for (uint32_t i = 0; added && i < part->touched_count; ++i) {
        what.page = part->touched[i].page;
        added = ws_part_sums_add(to, access, part->request.bound, &what, &part->touched[i].sums);
    }
    return added;
}

/* Adds the request to each element of its buffer that its lanes touch, with the lanes that do. `what` is what else it is of. */
static bool add_elements(struct part *part, const struct ws_execution *execution,
                         const struct ws_traced_access *access, struct ws_part_what what,
                         const struct ws_caches_sums *request)
{
    uint32_t elements[LANES_MAX];
    uint64_t counts[LANES_MAX];
    uint32_t count = 0;
    bool added = true;
    if (access->access.varies) /* which buffer it is differs from lane to lane */
        return true;
    for (uint32_t i = 0; i < execution->lane_count; ++i) {
        /* Where addresses need no word there may be none: an offset on a null pointer is undefined. */
        const uint32_t *words = execution->words_per_lane > 0
                                    ? execution->words + (size_t)i * execution->words_per_lane
                                    : execution->words;
        const uint64_t address =
            ws_stretch_address(&access->access, words) - ws_buffer_element_base(&access->access, words);
        const uint32_t element = ws_buffer_elements_find(&part->elements, access->memory, address);
        uint32_t at = 0;
        while (at < count && elements[at] != element)
            at++;
        counts[at] = at < count ? counts[at] + 1 : 1;
        elements[at] = element;
        count += at == count && element != WS_NONE;
    }
    for (uint32_t i = 0; added && i < count; ++i) {
        struct ws_caches_sums sums = *request;
        sums.lanes = counts[i];
        /* All lanes are at one buffer, and so each asks for as many bytes. */
        sums.bytes = request->bytes / request->lanes * counts[i];
        what.element = elements[i];
        added = ws_part_sums_add(&part->details, access, part->request.bound, &what, &sums);
    }
    return added;
}

/* Finds which vertices, faces and arrays of them the lanes of a request touch. */
static bool touch_built(struct part *part, const struct ws_execution *execution,
                        const struct ws_traced_access *access)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    struct ws_home home = {0};
    uint32_t size = 0;
    bool found = ws_built_touches_begin(&part->touches, catalog, part->launch->index);
    for (uint32_t i = 0; found && i < execution->lane_count; ++i) {
        /* As in add_elements. */
        const uint32_t *words = execution->words_per_lane > 0
                                    ? execution->words + (size_t)i * execution->words_per_lane
                                    : execution->words;
        found = ws_request_home(&part->memory, access, module, catalog->modules[module].placed, words, &home,
                                &size) &&
                ws_built_touches_add(&part->touches, catalog, &home, size);
    }
    if (found)
        ws_built_touches_end(&part->touches);
    return found;
}

/* Adds the request to each vertex, face and array of them that its lanes touch, with the lanes that do. */
static bool add_built(struct part *part, const struct ws_execution *execution,
                      const struct ws_traced_access *access, struct ws_part_what what,
                      const struct ws_caches_sums *request)
{
    struct ws_traced_access left = *access;
    if (part->results->compiled) {
        left.access.offset = access->left.offset;
        left.access.size = access->left.size;
    }
    bool added = touch_built(part, execution, &left);
    for (uint32_t i = 0; added && i < part->touches.count; ++i) {
        const struct ws_built_touch *touch = &part->touches.list[i];
        struct ws_caches_sums sums = *request;
        sums.lanes = touch->lanes;
        sums.bytes = touch->bytes;
        what.built = touch->part;
        what.element = touch->number;
        added = ws_part_sums_add(&part->details, access, part->request.bound, &what, &sums);
    }
    return added;
}

/* Adds it to levels that are by thread, time, page, element, vertex or face. */
static bool add_details(struct part *part, const struct ws_execution *execution,
                        const struct ws_traced_access *access, uint32_t place,
                        const struct ws_caches_sums *request)
{
    const struct ws_caches_results *results = part->results;
    const bool has_code = results->details_of_code;
    struct ws_part_what what = {.shader = has_code ? execution->shader : WS_NONE,
                                .place = has_code ? place : WS_NONE,
                                .page = WS_NONE,
                                .thread = WS_NONE,
                                .built = WS_NONE,
                                .element = WS_NONE,
                                .root = execution->root};
    bool added = true;
    if ((results->details & 1u << WS_CACHES_BY_PAGE) != 0)
        return add_pages(part, &part->details, access, what);
    if ((results->details & 1u << WS_CACHES_BY_ELEMENT) != 0)
        return add_elements(part, execution, access, what, request);
    if ((results->details & WS_CACHES_BUILT) != 0)
        return add_built(part, execution, access, what, request);
    if ((results->details & 1u << WS_CACHES_BY_THREAD) == 0)
        return ws_part_sums_add(&part->details, access, part->request.bound, &what, request);
    for (uint32_t i = 0; added && i < execution->lane_count; ++i) {
        what.thread = execution->threads[i];
        added = what.thread == WS_NONE ||
                ws_part_sums_add(&part->details, access, part->request.bound, &what, request);
    }
    return added;
}

/* Adds it to pictures. */
static bool add_pictures(struct part *part, const struct ws_execution *execution,
                         const struct ws_traced_access *access, const struct ws_caches_sums *request)
{
    static const struct ws_part_what nothing = {.shader = WS_NONE,
                                                .place = WS_NONE,
                                                .page = WS_NONE,
                                                .thread = WS_NONE,
                                                .built = WS_NONE,
                                                .element = WS_NONE,
                                                .root = WS_NONE};
    return ws_part_sums_add(&part->times, access, part->request.bound, &nothing, request) &&
           add_pages(part, &part->page_times, access, nothing) &&
           ws_thread_sums_add(&part->threads, execution->root, execution->threads, execution->lane_count,
                              access, part->request.bound, request);
}

/* Runs access `place` of its shader, and counts it there, and for all else that is asked for. */
static bool run(struct part *part, const struct ws_execution *execution,
                const struct ws_traced_access *access, uint32_t place)
{
    const struct ws_caches_results *results = part->results;
    struct ws_caches_sums request;
    request.requests = 0;
    if (!run_access(part, execution, access, &request))
        return false;
    if (request.requests == 0)
        return true;
    struct ws_caches_sums *sums = sums_of(part, execution->shader, place, part->request.bound);
    if (sums == NULL)
        return false;
    ws_caches_sums_add(sums, &request);
    ws_part_sums_next(&part->details);
    ws_part_sums_next(&part->times);
    ws_part_sums_next(&part->page_times);
    if (!ws_selection_runs(results->selection, part->launch->index, execution->shader))
        return true;
    return (part->hear == NULL || part->hear(part->hearer, execution, place, &request)) &&
           (results->details == 0 || add_details(part, execution, access, place, &request)) &&
           (!results->draws || add_pictures(part, execution, access, &request));
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

static bool merge_shader(struct ws_caches_results *results, const struct part *part, uint32_t shader)
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
            [WS_CACHES_BY_PAGE] = WS_KEY_NONE,
            [WS_CACHES_BY_ELEMENT] = WS_KEY_NONE,
            [WS_CACHES_BY_GEOMETRY] = WS_KEY_NONE,
            [WS_CACHES_BY_VERTEX] = WS_KEY_NONE,
            [WS_CACHES_BY_FACE] = WS_KEY_NONE,
        };
        results->recorded = true;
        if (!ws_groups_add(results->groups, keys, &place->sums))
            return false;
    }
    return true;
}

/* What the launch wrote back. */
static bool merge_written(struct ws_caches_results *results, struct part *part)
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

static void built_keys(const struct ws_part_what *what, uint64_t keys[WS_CACHES_DIMENSIONS])
{
    const uint32_t array = what->built / WS_BUILT_PARTS;
    const uint64_t key = (uint64_t)array << 32 | what->element;
    keys[WS_CACHES_BY_GEOMETRY] = array;
    if (what->built % WS_BUILT_PARTS == WS_BUILT_VERTEX)
        keys[WS_CACHES_BY_VERTEX] = key;
    if (what->built % WS_BUILT_PARTS == WS_BUILT_FACE)
        keys[WS_CACHES_BY_FACE] = key;
}

/* Keys of a row of details. False when there is no memory. */
static bool detail_keys(struct ws_caches_results *results, const struct part *part,
                        const struct ws_replay_threads *threads, const struct ws_part_row *row,
                        uint64_t keys[WS_CACHES_DIMENSIONS])
{
    const struct ws_catalog *catalog = results->rows.catalog;
    const struct ws_buffer_pair *pair = ws_part_sums_pair(&part->details, row);
    const struct ws_part_what *what = &part->details.whats[row->what];
    uint32_t buffer = 0;
    uint32_t page = 0;
    if (!ws_memory_rows_buffer(&results->rows, pair->buffer, &buffer) ||
        (what->page != WS_NONE && !ws_page_table_take(&results->pages, &part->pages.list[what->page], &page)))
        return false;
    for (uint32_t i = 0; i < WS_CACHES_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_CACHES_BY_LAUNCH] = part->launch->index;
    keys[WS_CACHES_BY_MEMORY] = pair->memory;
    keys[WS_CACHES_BY_BUFFER] = buffer;
    keys[WS_CACHES_BY_BOUND] = pair->bound;
    if (what->place != WS_NONE) {
        const struct ws_module_traces *traces =
            catalog->modules[catalog->shaders[what->shader].module].traces;
        keys[WS_CACHES_BY_STAGE] = ws_key_stage(catalog->shaders[what->shader].stage);
        keys[WS_CACHES_BY_SHADER] = what->shader;
        keys[WS_CACHES_BY_KIND] = traces->accesses[what->place].access.kind;
        keys[WS_CACHES_BY_PLACE] = ws_key_in_shader(what->shader, what->place);
    }
    if (what->built != WS_NONE)
        built_keys(what, keys);
    else if (what->element != WS_NONE)
        keys[WS_CACHES_BY_ELEMENT] = (uint64_t)buffer << 32 | what->element;
    if (what->thread != WS_NONE)
        keys[WS_CACHES_BY_THREAD] = thread_key(threads, catalog->shaders[what->root].stage, what->thread);
    if (!part->details.is_whole)
        keys[WS_CACHES_BY_TIME] = ws_part_sums_part(&part->details, row);
    if (what->page != WS_NONE)
        keys[WS_CACHES_BY_PAGE] = page;
    return true;
}

/* Adds a row of details to the levels that it is of. The same request has rows of arrays, of vertices and of faces. */
static bool add_row(struct ws_caches_results *results, const struct ws_part_what *what, const uint64_t *keys,
                    const struct ws_caches_sums *sums)
{
    static const uint32_t dimensions[WS_BUILT_PARTS] = {[WS_BUILT_WHOLE] = 1u << WS_CACHES_BY_GEOMETRY,
                                                        [WS_BUILT_VERTEX] = 1u << WS_CACHES_BY_VERTEX,
                                                        [WS_BUILT_FACE] = 1u << WS_CACHES_BY_FACE};
    if (what->built == WS_NONE)
        return ws_groups_add_to(results->groups, keys, sums, results->details, 0);
    const uint32_t part = what->built % WS_BUILT_PARTS;
    const uint32_t of = dimensions[part] | (results->details & 1u << WS_CACHES_BY_TIME);
    const uint32_t others = WS_CACHES_BUILT & ~(1u << WS_CACHES_BY_GEOMETRY) & ~dimensions[part];
    if (results->keeps_built && part != WS_BUILT_WHOLE &&
        !ws_built_sums_add(&results->built, what->built, what->element, sums))
        return false;
    return ws_groups_add_to(results->groups, keys, sums, of, others);
}

/* Adds what is by thread, time, page, element, vertex or face to the levels that are. */
static bool merge_details(struct ws_caches_results *results, const struct part *part,
                          const struct ws_replay_threads *threads)
{
    bool merged = true;
    for (uint32_t i = 0; merged && i < part->details.row_count; ++i) {
        const struct ws_part_row *row = &part->details.rows[i];
        uint64_t keys[WS_CACHES_DIMENSIONS];
        merged = detail_keys(results, part, threads, row, keys) &&
                 add_row(results, &part->details.whats[row->what], keys, &row->sums);
    }
    results->left_out += part->details.left_out + part->times.left_out + part->page_times.left_out;
    return merged;
}

static bool merge_pictures(struct ws_caches_results *results, const struct part *part,
                           const struct ws_replay_threads *threads)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    return ws_part_pictures_add(&results->time_pictures, part->launch->index, &part->times) &&
           ws_page_pictures_add(&results->page_pictures, part->launch->index, &part->page_times,
                                &part->pages) &&
           ws_thread_pictures_add(&results->pictures, catalog, threads, &part->threads);
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct ws_caches_results *results = pointer;
    struct part *part = from;
    bool merged = ws_wide_warps_end(&part->wide) && merge_written(results, part) &&
                  merge_details(results, part, threads) &&
                  (!results->draws || merge_pictures(results, part, threads));
    ws_size_curve_add(&results->curve, &part->sizes);
    results->formed += part->wide.formed;
    results->kept += part->wide.kept;
    results->hurried += part->wide.hurried;
    for (uint32_t i = 0; merged && i < part->shader_count; ++i)
        if (part->shaders[i].count > 0 && ws_selection_runs(results->selection, threads->launch->index, i))
            merged = merge_shader(results, part, i);
    return merged;
}

const struct ws_replay_operations ws_caches_replay = {
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
