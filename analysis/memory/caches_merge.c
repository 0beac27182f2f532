/* Adds what one launch came to (caches_part.h) to the results of the analysis `caches`: to the rows that the report is by, and
 * to pictures. */
#include "analysis/memory/caches_part.h"
#include "warpscope/model/work_grid.h"

static bool merge_shader(struct ws_caches_results *results, const struct ws_caches_part *part,
                         uint32_t shader)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[shader].module].traces;
    for (uint32_t i = 0; i < part->shaders[shader].count; ++i) {
        const struct ws_caches_place *place = &part->shaders[shader].list[i];
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
static bool merge_written(struct ws_caches_results *results, struct ws_caches_part *part)
{
    uint64_t keys[WS_CACHES_DIMENSIONS] = {part->launch->index};
    if (part->batches == NULL)
        return true;
    struct ws_hierarchy *hierarchy = ws_batches_hierarchy(part->batches);
    for (uint32_t i = WS_CACHES_BY_LAUNCH + 1; i < WS_CACHES_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    ws_hierarchy_flush(hierarchy);
    const struct ws_caches_sums sums = {.written_bytes = ws_hierarchy_written_bytes(hierarchy)};
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
static bool detail_keys(struct ws_caches_results *results, const struct ws_caches_part *part,
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
static bool merge_details(struct ws_caches_results *results, const struct ws_caches_part *part,
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

static bool merge_pictures(struct ws_caches_results *results, const struct ws_caches_part *part,
                           const struct ws_replay_threads *threads)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    return ws_part_pictures_add(&results->time_pictures, part->launch->index, &part->times) &&
           ws_page_pictures_add(&results->page_pictures, part->launch->index, &part->page_times,
                                &part->pages) &&
           ws_thread_pictures_add(&results->pictures, catalog, threads, &part->threads);
}

bool ws_caches_merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct ws_caches_results *results = pointer;
    struct ws_caches_part *part = from;
    bool merged = ws_wide_warps_end(&part->multiprocessors.wide) &&
                  (part->batches == NULL || ws_batches_end(part->batches)) && merge_written(results, part) &&
                  merge_details(results, part, threads) &&
                  (!results->draws || merge_pictures(results, part, threads));
    if (part->batches != NULL)
        ws_size_curve_add(&results->curve, ws_batches_sizes(part->batches));
    results->formed += part->multiprocessors.wide.formed;
    results->kept += part->multiprocessors.wide.kept;
    results->hurried += part->multiprocessors.wide.hurried;
    for (uint32_t i = 0; merged && i < part->shader_count; ++i)
        if (part->shaders[i].count > 0 && ws_selection_runs(results->selection, threads->launch->index, i))
            merged = merge_shader(results, part, i);
    return merged;
}
