#include "analysis/memory/caches.h"

#include <stdlib.h>

#include "analysis/memory/caches_part.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"

/* ---- records ---- */

static void part_destroy(void *pointer)
{
    struct ws_caches_part *part = pointer;
    if (part == NULL)
        return;
    for (uint32_t i = 0; part->shaders != NULL && i < part->shader_count; ++i) {
        ws_id_map_finish(&part->shaders[i].ids);
        free(part->shaders[i].list);
    }
    free(part->shaders);
    ws_traced_sites_finish(&part->sites);
    ws_multiprocessors_finish(&part->multiprocessors);
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
    struct ws_caches_part *part = calloc(1, sizeof(*part));
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
    part->multiprocessors = (struct ws_multiprocessors){
        .catalog = catalog,
        .launch = launch,
        .count = results->shape.multiprocessors,
        .user = results->user,
        .wide = {.lanes = results->lanes, .limit = WS_WIDE_WAITING_MAX, .run = run_execution, .user = part}};
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
    struct ws_caches_part *part = pointer;
    part->hear = hear;
    part->hearer = user;
}

/* The sums of an access of a shader in a buffer. NULL when there is no memory. */
static struct ws_caches_sums *sums_of(struct ws_caches_part *part, uint32_t shader, uint32_t place,
                                      uint32_t bound)
{
    struct ws_caches_shader *found = &part->shaders[shader];
    const uint64_t key = (uint64_t)place << 32 | bound;
    uint32_t *recent = &found->recent[(place + bound) % WS_CACHES_RECENT];
    uint32_t index = *recent;
    if (index < found->count && found->list[index].place == place && found->list[index].bound == bound)
        return &found->list[index].sums;
    if (ws_id_map_get(&found->ids, key, &index)) {
        *recent = index;
        return &found->list[index].sums;
    }
    struct ws_caches_place *list =
        ws_array_grow(found->list, &found->capacity, found->count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    found->list = list;
    index = found->count++;
    list[index] = (struct ws_caches_place){.place = place, .bound = bound};
    return ws_id_map_put(&found->ids, key, index) ? &list[index].sums : NULL;
}

/* ---- accesses ---- */

static uint64_t sum_kinds(const uint64_t counts[WS_CACHE_KINDS])
{
    return counts[WS_CACHE_LOAD] + counts[WS_CACHE_STORE] + counts[WS_CACHE_ATOMIC];
}

/* What the request comes to on the page of a line; NULL where that is not known. */
static struct ws_caches_sums *find_touched(struct ws_caches_part *part, uint64_t line)
{
    uint32_t number = 0;
    if (!ws_page_table_find(&part->pages, part->launch->index, &part->memory, line, &number))
        return NULL;
    struct ws_page *page = &part->pages.list[number];
    if (page->stamp == part->stamp)
        return &part->touched[page->slot].sums;
    struct ws_caches_touched *touched =
        ws_array_grow(part->touched, &part->touched_capacity, part->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return NULL;
    part->touched = touched;
    page->stamp = part->stamp;
    page->slot = part->touched_count++;
    touched[page->slot] = (struct ws_caches_touched){.page = number};
    return &touched[page->slot].sums;
}

/* Finds the pages of the request, and what it touches there. `all`: what it comes to in all. */
static bool touch_pages(struct ws_caches_part *part, const char *buffer, const struct ws_caches_sums *all)
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
    struct ws_caches_part *part = pointer;
    struct ws_caches_sums *sums = find_touched(part, address / WS_MEMORY_LINE);
    if (sums != NULL)
        add_counts(sums, counts);
    part->no_memory = part->no_memory || sums == NULL;
}

/* Runs the request's lines as sectors, for L1s that have other lines. */
static void run_sectors(struct ws_caches_part *part, struct ws_hierarchy_request *request)
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
static bool run_caches(struct ws_caches_part *part, uint32_t multiprocessor, enum ws_access_kind kind,
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
static bool run_curve(struct ws_caches_part *part)
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
static bool run_access(struct ws_caches_part *part, const struct ws_execution *execution,
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
static bool add_pages(const struct ws_caches_part *part, struct ws_part_sums *to,
                      const struct ws_traced_access *access, struct ws_part_what what)
{
    bool added = true;
    for (uint32_t i = 0; added && i < part->touched_count; ++i) {
        what.page = part->touched[i].page;
        added = ws_part_sums_add(to, access, part->request.bound, &what, &part->touched[i].sums);
    }
    return added;
}

/* Adds the request to each element of its buffer that its lanes touch, with the lanes that do. `what` is what else it is of. */
static bool add_elements(struct ws_caches_part *part, const struct ws_execution *execution,
                         const struct ws_traced_access *access, struct ws_part_what what,
                         const struct ws_caches_sums *request)
{
    uint32_t elements[WS_WIDE_LANES_MAX];
    uint64_t counts[WS_WIDE_LANES_MAX];
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
static bool touch_built(struct ws_caches_part *part, const struct ws_execution *execution,
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
static bool add_built(struct ws_caches_part *part, const struct ws_execution *execution,
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
static bool add_details(struct ws_caches_part *part, const struct ws_execution *execution,
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
static bool add_pictures(struct ws_caches_part *part, const struct ws_execution *execution,
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
static bool run(struct ws_caches_part *part, const struct ws_execution *execution,
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
    struct ws_caches_part *part = pointer;
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

/* A warp executes a stretch. */
static bool run_site(struct ws_caches_part *part, const struct ws_context *context, uint32_t site,
                     struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[context->shader].module;
    struct ws_execution execution = {.shader = context->shader,
                                     .site = site,
                                     .slots = context->lane_count,
                                     .lane_count = ws_lanes_count(lanes),
                                     .words = words,
                                     .words_per_lane = words_per_lane};
    if (catalog->modules[module].traces == NULL || execution.lane_count > WS_WIDE_LANES_MAX ||
        execution.lane_count == 0)
        return true;
    if (part->has_threads) {
        execution.root = root_of(context);
        execution.threads = part->lane_threads;
        for (uint32_t i = 0; ws_lanes_any(lanes); ++i)
            part->lane_threads[i] = context->threads[ws_lanes_take(&lanes)];
    }
    return ws_multiprocessors_run(&part->multiprocessors, context, &execution);
}

static bool enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    struct ws_caches_part *part = pointer;
    return ws_multiprocessors_enter(&part->multiprocessors, context, threads);
}

static bool close_context(void *pointer, struct ws_context *context)
{
    struct ws_caches_part *part = pointer;
    return ws_multiprocessors_close(&part->multiprocessors, context);
}

static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    return run_site(pointer, context, site, lanes, words, words_per_lane);
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct ws_caches_part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    uint32_t site = 0;
    if (!ws_traced_sites_find(&part->sites, catalog, catalog->shaders[context->shader].module, place, &site))
        return false;
    return site == WS_NONE || run_site(part, context, site, lanes, NULL, 0);
}

const struct ws_replay_operations ws_caches_replay = {
    .pass = WS_PASS_MEMORY_TRACE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .place = place,
    .data = data,
    .close = close_context,
    .merge = ws_caches_merge,
    .in_order = true,
};
