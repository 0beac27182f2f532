#include "analysis/memory/caches.h"

#include <stdlib.h>

#include "analysis/memory/caches_part.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"

/* ---- records ---- */

static void finish_kept(struct ws_caches_kept *kept)
{
    free(kept->waiting);
    free(kept->requests);
    free(kept->numbers);
    free(kept->touched);
    free(kept->touched_by);
}

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
    ws_request_memory_finish(&part->memory);
    ws_batches_destroy(part->batches);
    for (uint32_t i = 0; i < WS_BATCHES; ++i)
        finish_kept(&part->kept[i]);
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
        .tile = results->shape.tile,
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

/* Where a shader has the sums of an access in a buffer. False when there is no memory. */
static bool find_place(struct ws_caches_part *part, uint32_t shader, uint32_t place, uint32_t bound,
                       uint32_t *index)
{
    struct ws_caches_shader *found = &part->shaders[shader];
    const uint64_t key = (uint64_t)place << 32 | bound;
    uint32_t *recent = &found->recent[(place + bound) % WS_CACHES_RECENT];
    *index = *recent;
    if (*index < found->count && found->list[*index].place == place && found->list[*index].bound == bound)
        return true;
    if (ws_id_map_get(&found->ids, key, index)) {
        *recent = *index;
        return true;
    }
    struct ws_caches_place *list =
        ws_array_grow(found->list, &found->capacity, found->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    found->list = list;
    *index = found->count++;
    list[*index] = (struct ws_caches_place){.place = place, .bound = bound};
    return ws_id_map_put(&found->ids, key, *index);
}

/* ---- what waits ---- */

static struct ws_caches_kept *kept_now(struct ws_caches_part *part)
{
    return &part->kept[ws_batches_slot(part->batches)];
}

static void add_outcome(struct ws_caches_sums *sums, const struct ws_hierarchy_outcome *outcome)
{
    sums->l1_sectors += outcome->l1_hits + outcome->l1_misses;
    sums->l1_hits += outcome->l1_hits;
    sums->l2_sectors += outcome->l2_hits + outcome->l2_misses;
    sums->l2_hits += outcome->l2_hits;
    sums->memory_bytes += outcome->memory_bytes;
}

/* A request is through the caches. */
static bool take_request(struct ws_caches_part *part, struct ws_caches_kept *kept, uint32_t index,
                         const struct ws_hierarchy_outcome *outcomes)
{
    const struct ws_caches_waiting *waiting = &kept->waiting[index];
    struct ws_caches_sums came = {0};
    for (uint32_t i = waiting->first; i < waiting->first + waiting->line_count; ++i)
        add_outcome(&came, &outcomes[i]);
    ws_caches_sums_add(&part->shaders[waiting->shader].list[waiting->place].sums, &came);
    if (!ws_caches_keeps(part))
        return true;
    struct ws_caches_request *request = &kept->requests[index];
    ws_caches_sums_add(&request->sums, &came);
    for (uint32_t i = waiting->first; part->has_pages && i < waiting->first + waiting->line_count; ++i)
        add_outcome(&kept->touched[kept->touched_by[i]].sums, &outcomes[i]);
    if (request->execution.words != NULL)
        request->execution.words = kept->numbers + request->words;
    if (request->execution.threads != NULL)
        request->execution.threads = kept->numbers + request->threads;
    return ws_caches_request_take(part, request, kept->touched);
}

/* A batch is through the caches. */
static bool take_batch(void *pointer, uint32_t slot, const struct ws_batch *batch)
{
    struct ws_caches_part *part = pointer;
    struct ws_caches_kept *kept = &part->kept[slot];
    bool taken = true;
    for (uint32_t i = 0; taken && i < kept->count; ++i)
        taken = take_request(part, kept, i, batch->outcomes);
    kept->count = 0;
    kept->number_count = 0;
    kept->touched_count = 0;
    return taken;
}

/* Makes room for a request of so many lines in the batch that is filled. Requests may have none, as samples of the border have:
 * a batch has as many of them as it has room for lines. */
static bool make_room(struct ws_caches_part *part, uint32_t lines, uint32_t curve_lines)
{
    const struct ws_caches_results *results = part->results;
    if (part->batches == NULL) {
        part->batches = ws_batches_create(&(struct ws_batches_settings){.shape = &results->shape,
                                                                        .has_curve = !results->has_no_curve,
                                                                        .one_of = results->curve.one_of,
                                                                        .take = take_batch,
                                                                        .user = part});
        part->batch_count = 1;
    }
    if (part->batches == NULL || part->no_memory)
        return false;
    const struct ws_batch *batch = ws_batches_filled(part->batches);
    if (batch->part_count + lines <= WS_BATCH_LINES && batch->curve_count + curve_lines <= WS_BATCH_LINES &&
        kept_now(part)->count < WS_BATCH_LINES)
        return true;
    part->batch_count++;
    part->no_memory = !ws_batches_next(part->batches);
    return !part->no_memory;
}

/* Copies numbers into the batch. */
static bool keep_numbers(struct ws_caches_kept *kept, const uint32_t *numbers, size_t count, size_t *begin)
{
    uint32_t *list =
        ws_array_grow(kept->numbers, &kept->number_capacity, kept->number_count + count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    kept->numbers = list;
    *begin = kept->number_count;
    for (size_t i = 0; i < count; ++i)
        list[kept->number_count++] = numbers[i];
    return true;
}

/* Keeps the words and threads of the execution that runs, once in each batch. */
static bool keep_execution(struct ws_caches_part *part, struct ws_caches_kept *kept,
                           const struct ws_execution *execution)
{
    const uint32_t by_words = 1u << WS_CACHES_BY_ELEMENT | WS_CACHES_BUILT;
    const bool needs_words = part->hear != NULL || (part->results->details & by_words) != 0;
    const size_t words = needs_words && execution->words != NULL
                             ? (size_t)execution->words_per_lane * execution->lane_count
                             : 0;
    if (part->kept_batch == part->batch_count)
        return true;
    part->kept_batch = part->batch_count;
    return keep_numbers(kept, execution->words, words, &part->kept_words) &&
           keep_numbers(kept, execution->threads, execution->threads != NULL ? execution->lane_count : 0,
                        &part->kept_threads);
}

/* Keeps what a request comes to besides its place. */
static bool keep_request(struct ws_caches_part *part, struct ws_caches_kept *kept,
                         const struct ws_execution *execution, const struct ws_traced_access *access,
                         uint32_t place, const struct ws_caches_sums *sums)
{
    struct ws_caches_request *requests =
        ws_array_grow(kept->requests, &kept->request_capacity, kept->count + 1, sizeof(*requests));
    if (requests == NULL)
        return false;
    kept->requests = requests;
    if (!keep_execution(part, kept, execution))
        return false;
    requests[kept->count] = (struct ws_caches_request){
        .execution = *execution,
        .words = part->kept_words,
        .threads = part->kept_threads,
        .access = access,
        .place = place,
        .bound = part->request.bound,
        .is_chosen = ws_selection_runs(part->results->selection, part->launch->index, execution->shader),
        .touched = part->touched,
        .touched_count = kept->touched_count - part->touched,
        .sums = *sums};
    return true;
}

/* ---- accesses ---- */

/* Which of the batch's pages a line is on, of those that the request touches: `*index`. */
static bool find_touched(struct ws_caches_part *part, uint64_t line, uint32_t *index)
{
    struct ws_caches_kept *kept = kept_now(part);
    uint32_t number = 0;
    if (!ws_page_table_find(&part->pages, part->launch->index, &part->memory, line, &number))
        return false;
    struct ws_page *page = &part->pages.list[number];
    *index = page->slot;
    if (page->stamp == part->stamp)
        return true;
    struct ws_caches_touched *touched =
        ws_array_grow(kept->touched, &kept->touched_capacity, kept->touched_count + 1, sizeof(*touched));
    if (touched == NULL)
        return false;
    kept->touched = touched;
    page->stamp = part->stamp;
    *index = page->slot = kept->touched_count++;
    touched[page->slot] = (struct ws_caches_touched){.page = number};
    return true;
}

/* Finds the pages of the request, and what it touches there. `all`: what it comes to in all. */
static bool touch_pages(struct ws_caches_part *part, const char *buffer, const struct ws_caches_sums *all)
{
    struct ws_caches_kept *kept = kept_now(part);
    part->touched = kept->touched_count;
    part->stamp++;
    for (uint32_t i = 0; i < part->request.line_count; ++i) {
        const struct ws_request_line *line = &part->request.lines[i];
        uint32_t index = 0;
        if (!find_touched(part, line->line, &index))
            return false;
        ws_page_note(&part->pages.list[part->pages.last], line->bound, buffer);
        struct ws_caches_sums *sums = &kept->touched[index].sums;
        sums->requests = 1;
        sums->slots = all->slots;
        sums->lanes += line->lanes;
        sums->bytes += line->bytes;
        sums->sectors += (uint32_t)__builtin_popcount(line->sectors);
        sums->lines++;
    }
    return true;
}

/* A line that runs through the caches, of which each lies on one page: lines are not larger (create). */
struct adding {
    struct ws_caches_part *part;
    struct ws_batch *batch;
    struct ws_caches_kept *kept;
    struct ws_hierarchy_part line;
    uint32_t line_bytes;
};

static void add_line(void *pointer, uint64_t line, uint32_t sectors)
{
    struct adding *adding = pointer;
    struct ws_caches_part *part = adding->part;
    struct ws_batch *batch = adding->batch;
    struct ws_caches_kept *kept = adding->kept;
    const uint32_t at = batch->part_count++;
    batch->lines[at] = line;
    batch->parts[at] = adding->line;
    batch->parts[at].sectors = (uint16_t)sectors;
    if (!part->has_pages)
        return;
    uint32_t *touched_by =
        ws_array_grow(kept->touched_by, &kept->touched_by_capacity, (size_t)at + 1, sizeof(*touched_by));
    kept->touched_by = touched_by != NULL ? touched_by : kept->touched_by;
    part->no_memory = part->no_memory || touched_by == NULL ||
                      !find_touched(part, line * adding->line_bytes / WS_MEMORY_LINE, &touched_by[at]);
}

/* Adds the request's lines as sectors, for L1s that have other lines. */
static void add_sectors(struct ws_caches_part *part, struct adding *adding)
{
    struct ws_batch *batch = ws_batches_filled(part->batches);
    struct ws_hierarchy_request request = {.addresses = part->addresses, .size = WS_MEMORY_SECTOR};
    for (uint32_t i = 0; i < part->request.line_count; ++i) {
        for (uint32_t j = 0; j < WS_MEMORY_LINE / WS_MEMORY_SECTOR; ++j)
            if ((part->request.lines[i].sectors >> j & 1) != 0)
                part->addresses[request.lanes++] =
                    part->request.lines[i].line * WS_MEMORY_LINE + j * WS_MEMORY_SECTOR;
        if (batch->curve_lines != NULL)
            batch->curve_lines[batch->curve_count++] = part->request.lines[i].line;
    }
    ws_hierarchy_cut(ws_batches_hierarchy(part->batches), &request, add_line, adding);
}

/* Adds the lines of the request to the batch. */
static bool add_lines(struct ws_caches_part *part, const struct ws_execution *execution,
                      enum ws_access_kind kind)
{
    static const uint8_t kinds[WS_ACCESS_KINDS] = {[WS_ACCESS_LOAD] = WS_CACHE_LOAD,
                                                   [WS_ACCESS_STORE] = WS_CACHE_STORE,
                                                   [WS_ACCESS_ATOMIC] = WS_CACHE_ATOMIC};
    const struct ws_cache_shape *shape = &part->results->shape;
    struct adding adding = {
        .part = part,
        .batch = ws_batches_filled(part->batches),
        .kept = kept_now(part),
        .line = {.multiprocessor = execution->multiprocessor % shape->multiprocessors, .kind = kinds[kind]},
        .line_bytes = shape->l1.line_bytes};
    if (ws_batches_has_lines(part->batches))
        for (uint32_t i = 0; i < part->request.line_count; ++i)
            add_line(&adding, part->request.lines[i].line, part->request.lines[i].sectors);
    else
        add_sectors(part, &adding);
    return !part->no_memory;
}

void ws_caches_sums_add(struct ws_caches_sums *to, const struct ws_caches_sums *from)
{
    to->requests += from->requests;
    to->lanes += from->lanes;
    to->slots += from->slots;
    to->bytes += from->bytes;
    to->assumed += from->assumed;
    to->pointed += from->pointed;
    to->unmodelled += from->unmodelled;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->memory_bytes += from->memory_bytes;
}

/* Puts the request of an access together. `*is_made`: there is something to do. */
static bool make_request(struct ws_caches_part *part, const struct ws_execution *execution,
                         const struct ws_traced_access *access, bool *is_made)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    struct ws_traced_access left;
    const struct ws_traced_access *made = access;
    if (part->results->compiled) {
        left = *access;
        left.access.offset = access->left.offset;
        left.access.size = access->left.size;
        made = &left;
    }
    part->memory.shader = execution->shader;
    *is_made = made->access.size != 0;
    return !*is_made ||
           ws_request_make(&part->request, &part->memory, made, module, catalog->modules[module].placed,
                           execution->words, execution->words_per_lane, execution->lane_count);
}

/* Has the request wait for what caches make of it. `sums` is what it comes to without them. */
static bool wait_for_caches(struct ws_caches_part *part, const struct ws_execution *execution,
                            const struct ws_traced_access *access, uint32_t place,
                            const struct ws_caches_sums *sums)
{
    const uint32_t first = ws_batches_filled(part->batches)->part_count;
    struct ws_caches_kept *kept = kept_now(part);
    uint32_t index = 0;
    struct ws_caches_waiting *waiting =
        ws_array_grow(kept->waiting, &kept->capacity, kept->count + 1, sizeof(*waiting));
    if (waiting == NULL)
        return false;
    kept->waiting = waiting;
    if (!find_place(part, execution->shader, place, part->request.bound, &index))
        return false;
    ws_caches_sums_add(&part->shaders[execution->shader].list[index].sums, sums);
    if ((part->has_pages && !touch_pages(part, access->memory, sums)) ||
        !add_lines(part, execution, access->access.kind) ||
        (ws_caches_keeps(part) && !keep_request(part, kept, execution, access, place, sums)))
        return false;
    waiting[kept->count++] = (struct ws_caches_waiting){execution->shader, index, first,
                                                        ws_batches_filled(part->batches)->part_count - first};
    return true;
}

/* Runs access `place` of its shader, and counts it there, and for all else that is asked for. */
static bool run(struct ws_caches_part *part, const struct ws_execution *execution,
                const struct ws_traced_access *access, uint32_t place)
{
    const struct ws_request *request = &part->request;
    bool is_made = false;
    if (!make_request(part, execution, access, &is_made))
        return false;
    if (!is_made)
        return true;
    const struct ws_caches_sums sums = {.requests = 1,
                                        .lanes = execution->lane_count,
                                        .slots = execution->slots,
                                        .bytes = request->bytes,
                                        .assumed = request->is_assumed,
                                        .pointed = request->is_pointed,
                                        .unmodelled = request->is_unmodelled,
                                        .sectors = request->sector_count,
                                        .lines = request->line_count};
    /* The smallest lines have 16 bytes: half a sector. */
    return ws_budget_spend((uint64_t)WS_STEPS_TEXEL * request->texels) &&
           make_room(part, 2 * request->sector_count, request->line_count) &&
           wait_for_caches(part, execution, access, place, &sums);
}

/* Runs the accesses of a stretch, in their order. */
static bool run_execution(void *pointer, const struct ws_execution *execution)
{
    struct ws_caches_part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const struct ws_module_traces *traces =
        catalog->modules[catalog->shaders[execution->shader].module].traces;
    const struct ws_traced_site traced = traces->sites[execution->site];
    part->kept_batch = 0;
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
