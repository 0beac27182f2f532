#include "analysis/compaction/thread_compaction.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

#include <stdlib.h>
#include <string.h>

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct ws_compaction_results *results = pointer;
    struct ws_compaction_threads *threads = calloc(1, sizeof(*threads));
    if (threads == NULL)
        return NULL;
    threads->catalog = results->catalog;
    threads->selection = results->selection;
    threads->launch = launch->index;
    threads->user = results->user;
    if (ws_compaction_threads_init(threads))
        return threads;
    free(threads);
    return NULL;
}

static void part_destroy(void *part)
{
    if (part == NULL)
        return;
    ws_compaction_threads_finish(part);
    free(part);
}

static bool enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    return ws_compaction_threads_enter(part, context, threads);
}

static bool move(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane)
{
    return ws_compaction_threads_move(part, from, from_lane, context, lane);
}

static bool place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    return ws_compaction_threads_place(part, context, place, lanes);
}

static bool leave(void *part, struct ws_context *context, struct ws_lanes lanes)
{
    return ws_compaction_threads_leave(part, context, lanes);
}

static bool close_context(void *part, struct ws_context *context)
{
    return ws_compaction_threads_close(part, context);
}

/* Elements first .. end - 1 of an array of `size` bytes each, new and zero; NULL when there is no memory. */
static void *widen(void *array, uint32_t first, uint32_t end, size_t size)
{
    char *wider = realloc(array, ((size_t)end + 1) * size);
    if (wider != NULL && end > first)
        memset(wider + first * size, 0, (end - first) * size);
    return wider;
}

/* Makes room for the shaders that the catalog has gained. */
static bool grow_shaders(struct ws_compaction_results *results)
{
    const uint32_t count = results->catalog->shader_count;
    uint32_t *first = widen(results->site_first, results->shader_count, count, sizeof(*first));
    if (first == NULL)
        return false;
    for (uint32_t i = results->shader_count; i < count; ++i)
        first[i] = WS_NONE;
    results->site_first = first;
    results->shader_count = count;
    return true;
}

/* Makes a call site of each slot of the shader's plan. */
static bool add_shader(struct ws_compaction_results *results, uint32_t shader)
{
    const struct ws_compaction_plan_entry *plan = ws_compaction_plan(results->catalog, shader);
    const uint32_t before = results->site_count;
    const uint32_t after = before + plan->slot_count;
    if (results->site_first[shader] != WS_NONE)
        return true;
    struct ws_compaction_site *sites = widen(results->sites, before, after, sizeof(*sites));
    if (sites == NULL)
        return false;
    results->sites = sites;
    struct ws_compaction_visit_site *open_sites =
        widen(results->open_sites, before, after, sizeof(*open_sites));
    if (open_sites == NULL)
        return false;
    results->open_sites = open_sites;
    uint64_t *open_threads = widen(results->open_threads, before, after, sizeof(*open_threads));
    if (open_threads == NULL)
        return false;
    results->open_threads = open_threads;
    for (uint32_t i = 0; i < plan->slot_count; ++i) {
        sites[before + i].shader = shader;
        sites[before + i].slot = i;
    }
    results->site_first[shader] = before;
    results->site_count = after;
    results->left_out += plan->left_out;
    return true;
}

/* Counts the paths of one owner, whose counts begin at `first`, and keeps the most frequent. Returns where
 * the counts of the next owner begin. */
static uint32_t summarise(const struct ws_path_counts *counts, uint32_t first,
                          struct ws_compaction_figures *figures)
{
    const uint64_t owner = counts->slots[first].key >> 32;
    uint32_t i = first;
    for (; i < counts->used && counts->slots[i].key >> 32 == owner; ++i) {
        if (i - first < WS_COMPACTION_TOP) {
            figures->top[i - first].threads = counts->slots[i].count;
            figures->top[i - first].node = (uint32_t)counts->slots[i].key;
        }
        figures->paths++;
    }
    return i;
}

/* Adds the windows and paths of the open launch to the rows of its sites, and to the totals. */
static bool add_rows(struct ws_compaction_results *results, struct ws_compaction_launch *launch,
                     struct ws_windows *windows)
{
    const struct ws_path_counts *counts = &results->open_counts;
    uint32_t path = 0;
    for (uint32_t i = 0; i < results->site_count; ++i) {
        const struct ws_compaction_visit_site *open = &results->open_sites[i];
        struct ws_compaction_figures *total = &results->sites[i].figures;
        if (results->open_threads[i] == 0)
            continue;
        struct ws_compaction_row *rows =
            ws_array_grow(results->rows, &results->row_capacity, results->row_count + 1, sizeof(*rows));
        if (rows == NULL)
            return false;
        results->rows = rows;
        struct ws_compaction_row *row = &rows[results->row_count++];
        *row = (struct ws_compaction_row){.site = i};
        row->figures.threads = results->open_threads[i];
        row->figures.active = open->active;
        row->figures.rest = open->rest;
        row->figures.windows = windows[i];
        ws_windows_add(&row->figures.windows, open->full + open->rest);
        while (path < counts->used && counts->slots[path].key >> 32 < i)
            path++;
        if (path < counts->used && counts->slots[path].key >> 32 == i)
            path = summarise(counts, path, &row->figures);
        total->threads += row->figures.threads;
        total->active += row->figures.active;
        total->rest += row->figures.rest;
        results->rest += row->figures.rest;
        for (uint32_t w = 0; w < WS_WINDOWS; ++w) {
            total->windows.required[w] += row->figures.windows.required[w];
            launch->windows.required[w] += row->figures.windows.required[w];
            results->windows.required[w] += row->figures.windows.required[w];
        }
        launch->row_count++;
    }
    return true;
}

/* Works out the windows of the open launch, once all its parts are merged. */
static bool finish_launch(struct ws_compaction_results *results)
{
    if (!results->open)
        return true;
    struct ws_compaction_launch *launch = &results->launches[results->launch_count - 1];
    struct ws_windows *windows = calloc((size_t)results->site_count + 1, sizeof(*windows));
    bool finished = windows != NULL && ws_compaction_visits_windows(&results->visits, windows);
    if (finished) {
        ws_path_counts_sort(&results->open_counts, &results->tree);
        finished = add_rows(results, launch, windows);
    }
    for (uint32_t i = 0; i < results->open_counts.used && finished; ++i) {
        const struct ws_path_count *count = &results->open_counts.slots[i];
        finished = ws_path_counts_add(&results->counts, (uint32_t)(count->key >> 32), (uint32_t)count->key,
                                      count->count);
    }
    for (uint32_t w = 0; w < WS_WINDOW_ALL; ++w)
        if ((w == 0 || launch->warps > 1u << w) && results->window_count < w + 1)
            results->window_count = w + 1;
    free(windows);
    ws_compaction_visits_finish(&results->visits);
    ws_path_counts_finish(&results->open_counts);
    if (results->site_count > 0) {
        memset(results->open_sites, 0, results->site_count * sizeof(*results->open_sites));
        memset(results->open_threads, 0, results->site_count * sizeof(*results->open_threads));
    }
    results->open = false;
    return finished;
}

/* Opens the launch, and finishes the one before, unless it is open. False when there is no memory. */
static bool open_launch(struct ws_compaction_results *results, const struct ws_replay_threads *threads)
{
    struct ws_compaction_launch *list = results->launches;
    if (results->open && list[results->launch_count - 1].launch.index == threads->launch->index)
        return true;
    if (!finish_launch(results))
        return false;
    list = ws_array_grow(list, &results->launch_capacity, results->launch_count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    results->launches = list;
    struct ws_compaction_launch *row = &list[results->launch_count];
    *row = (struct ws_compaction_launch){.warps = threads->warp_count, .row_first = results->row_count};
    if (!ws_launch_record_keep(&row->launch, threads->launch, &results->texts))
        return false;
    results->launch_count++;
    results->open = true;
    return true;
}

/* Adds the path counts of one worker, with the owners and nodes of the results in place of the worker's. */
static bool merge_paths(struct ws_compaction_results *results, const struct ws_compaction_threads *part,
                        const uint32_t *numbers)
{
    uint32_t *nodes = ws_path_tree_translate(&results->tree, &part->tree);
    bool merged = nodes != NULL;
    for (uint32_t i = 0; i < part->counts.slot_count && merged; ++i) {
        const struct ws_path_count *count = &part->counts.slots[i];
        if (count->count == 0)
            continue;
        uint32_t owner = (uint32_t)(count->key >> 32);
        if ((owner & WS_COMPACTION_TOTAL) == 0)
            owner = numbers[owner];
        merged = ws_path_counts_add(&results->open_counts, owner, nodes[(uint32_t)count->key], count->count);
    }
    free(nodes);
    return merged;
}

static bool merge_sites(struct ws_compaction_results *results, const struct ws_compaction_threads *part,
                        uint32_t *numbers)
{
    for (uint32_t i = 0; i < part->shader_count; ++i) {
        const struct ws_thread_shader *shader = &part->shaders[i];
        if (shader->sites == NULL)
            continue;
        if (!add_shader(results, i))
            return false;
        const uint32_t first = results->site_first[i];
        for (uint32_t j = 0; j < ws_compaction_plan(results->catalog, i)->slot_count; ++j) {
            numbers[shader->first + j] = first + j;
            results->open_sites[first + j].full += shader->sites[j].full;
            results->open_sites[first + j].rest += shader->sites[j].rest;
            results->open_sites[first + j].active += shader->sites[j].active;
            results->open_threads[first + j] += shader->threads;
        }
    }
    return true;
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct ws_compaction_results *results = pointer;
    struct ws_compaction_threads *part = from;
    if (!open_launch(results, threads) || !grow_shaders(results) || !ws_compaction_threads_end(part))
        return false;
    uint32_t *numbers = calloc((size_t)part->slot_count + 1, sizeof(*numbers));
    bool merged = numbers != NULL && merge_sites(results, part, numbers) &&
                  merge_paths(results, part, numbers) &&
                  ws_compaction_visits_merge(&results->visits, results->open_sites, &part->visits, numbers,
                                             threads->warp_index);
    free(numbers);
    return merged;
}

const struct ws_replay_operations ws_compaction_operations = {
    .pass = WS_PASS_THREAD_COMPACTION,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .move = move,
    .place = place,
    .leave = leave,
    .close = close_context,
    .merge = merge,
};

/* Summarises the paths of the whole capture, for each call site and for each shader with several. */
static bool summarise_all(struct ws_compaction_results *results)
{
    const struct ws_path_counts *counts = &results->counts;
    for (uint32_t i = 0; i < counts->used;) {
        const uint32_t owner = (uint32_t)(counts->slots[i].key >> 32);
        if ((owner & WS_COMPACTION_TOTAL) == 0) {
            i = summarise(counts, i, &results->sites[owner].figures);
            continue;
        }
        struct ws_compaction_whole *wholes = ws_array_grow(results->wholes, &results->whole_capacity,
                                                           results->whole_count + 1, sizeof(*wholes));
        if (wholes == NULL)
            return false;
        results->wholes = wholes;
        struct ws_compaction_whole *whole = &wholes[results->whole_count++];
        *whole = (struct ws_compaction_whole){.shader = owner & ~WS_COMPACTION_TOTAL};
        whole->figures.threads = results->sites[results->site_first[whole->shader]].figures.threads;
        i = summarise(counts, i, &whole->figures);
    }
    return true;
}

double ws_compaction_saved(const struct ws_windows *windows, uint32_t window)
{
    const uint64_t all = windows->required[0];
    return all > 0 ? (double)(all - windows->required[window]) / (double)all : 0;
}

const struct ws_path_count *ws_compaction_paths(const struct ws_compaction_results *results, uint32_t owner,
                                                uint32_t *count)
{
    uint32_t first = 0;
    for (uint32_t end = results->counts.used; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (results->counts.slots[middle].key >> 32 < owner)
            first = middle + 1;
        else
            end = middle;
    }
    *count = 0;
    while (first + *count < results->counts.used && results->counts.slots[first + *count].key >> 32 == owner)
        ++*count;
    return results->counts.slots + first;
}

static void destroy(void *pointer)
{
    struct ws_compaction_results *results = pointer;
    if (results == NULL)
        return;
    ws_text_pool_finish(&results->texts);
    free(results->sites);
    free(results->site_first);
    free(results->wholes);
    ws_path_tree_finish(&results->tree);
    ws_path_counts_finish(&results->counts);
    free(results->launches);
    free(results->rows);
    free(results->path_texts);
    ws_groups_destroy(results->groups);
    ws_compaction_visits_finish(&results->visits);
    ws_path_counts_finish(&results->open_counts);
    free(results->open_sites);
    free(results->open_threads);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_compaction_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = options->selection;
    results->table_rows = options->whole ? UINT32_MAX : options->rows;
    results->groups = ws_groups_create(&ws_compaction_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    struct ws_compaction_results *results = pointer;
    results->user = user;
}

static int compare_rows(const void *left, const void *right)
{
    const struct ws_compaction_row *a = left;
    const struct ws_compaction_row *b = right;
    return a->site < b->site ? -1 : a->site > b->site;
}

/* Numbers call sites in the order of their shaders. Until now their numbers depend on which worker was first
 * to meet a shader. */
static bool number_sites(struct ws_compaction_results *results)
{
    struct ws_compaction_site *sites = calloc((size_t)results->site_count + 1, sizeof(*sites));
    uint32_t *numbers = calloc((size_t)results->site_count + 1, sizeof(*numbers));
    uint32_t count = 0;
    if (sites == NULL || numbers == NULL) {
        free(sites);
        free(numbers);
        return false;
    }
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        const uint32_t first = results->site_first[i];
        if (first == WS_NONE)
            continue;
        results->site_first[i] = count;
        for (uint32_t site = first; site < results->site_count && results->sites[site].shader == i; ++site) {
            numbers[site] = count;
            sites[count++] = results->sites[site];
        }
    }
    free(results->sites);
    results->sites = sites;
    for (uint32_t i = 0; i < results->row_count; ++i)
        results->rows[i].site = numbers[results->rows[i].site];
    for (uint32_t i = 0; i < results->launch_count; ++i)
        if (results->launches[i].row_count > 0)
            qsort(results->rows + results->launches[i].row_first, results->launches[i].row_count,
                  sizeof(*results->rows), compare_rows);
    for (uint32_t i = 0; i < results->counts.slot_count; ++i) {
        struct ws_path_count *slot = &results->counts.slots[i];
        const uint32_t owner = (uint32_t)(slot->key >> 32);
        if (slot->count > 0 && (owner & WS_COMPACTION_TOTAL) == 0)
            slot->key = (uint64_t)numbers[owner] << 32 | (uint32_t)slot->key;
    }
    free(numbers);
    return true;
}

/* Gives the report the figures of a call site in a launch, once for each window. */
static bool add_windows(struct ws_compaction_results *results, uint64_t *keys,
                        const struct ws_compaction_figures *figures, bool truncated)
{
    static const uint32_t shown[WS_COMPACTION_SHOWN] = {1, 2, 4, 6, WS_WINDOW_ALL};
    const uint64_t *required = figures->windows.required;
    bool added = true;
    struct ws_compaction_sums sums = {
        .threads = figures->threads,
        .active = figures->active,
        .rest = figures->rest,
        .warps = required[0],
        .truncated = truncated,
    };
    for (uint32_t i = 0; i < WS_COMPACTION_SHOWN; ++i)
        sums.saved_in[i] = required[0] - required[shown[i]];
    for (uint32_t w = 0; w < WS_WINDOWS && added; ++w) {
        if (w >= results->window_count && w != WS_WINDOW_ALL)
            continue;
        sums.required = required[w];
        sums.saved = required[0] - required[w];
        keys[WS_COMPACTION_WINDOW] = w;
        added = ws_groups_add_to(results->groups, keys, &sums, 1u << WS_COMPACTION_WINDOW, 0);
    }
    /* Levels without windows have the figures once, with the window of all warps: the last of the loop. */
    return added && ws_groups_add_to(results->groups, keys, &sums, 0, 1u << WS_COMPACTION_WINDOW);
}

/* Gives the report the most frequent paths of a call site. */
static bool add_paths(struct ws_compaction_results *results, uint64_t *keys, uint32_t site)
{
    const uint32_t most = results->table_rows > 0 ? results->table_rows : WS_COMPACTION_PATHS;
    uint32_t count = 0;
    const struct ws_path_count *paths = ws_compaction_paths(results, site, &count);
    for (uint32_t i = 0; i < count && i < most; ++i) {
        const struct ws_compaction_sums sums = {.threads = paths[i].count};
        const char **texts = ws_array_grow(results->path_texts, &results->path_text_capacity,
                                           results->path_text_count + 1, sizeof(*texts));
        char *text = ws_path_text(&results->tree, (uint32_t)paths[i].key, WS_COMPACTION_RUNS);
        if (texts != NULL)
            results->path_texts = texts;
        const char *kept = text != NULL ? ws_text_pool_add(&results->texts, text) : NULL;
        free(text);
        if (texts == NULL || kept == NULL)
            return false;
        keys[WS_COMPACTION_PATH] = results->path_text_count;
        texts[results->path_text_count++] = kept;
        /* The threads of a path are threads of its call site, whose level has them already. */
        if (!ws_groups_add_to(results->groups, keys, &sums, 1u << WS_COMPACTION_PATH, 0))
            return false;
    }
    return true;
}

/* The keys of a call site, without window and path. */
static void set_keys(const struct ws_compaction_results *results, uint32_t site,
                     uint64_t keys[WS_COMPACTION_DIMENSIONS])
{
    const uint32_t shader = results->sites[site].shader;
    keys[WS_COMPACTION_LAUNCH] = WS_KEY_NONE;
    keys[WS_COMPACTION_STAGE] = results->catalog->shaders[shader].stage;
    keys[WS_COMPACTION_SHADER] = shader;
    keys[WS_COMPACTION_SITE] = site;
    keys[WS_COMPACTION_WINDOW] = WS_KEY_NONE;
    keys[WS_COMPACTION_PATH] = WS_KEY_NONE;
}

/* Gives the report all figures. */
static bool fill_report(struct ws_compaction_results *results)
{
    uint64_t keys[WS_COMPACTION_DIMENSIONS];
    bool added = true;
    for (uint32_t i = 0; i < results->launch_count && added; ++i) {
        const struct ws_compaction_launch *launch = &results->launches[i];
        const uint64_t whole[WS_COMPACTION_DIMENSIONS] = {launch->launch.index, WS_KEY_NONE,   WS_KEY_NONE,
                                                          WS_KEY_NONE,          WS_WINDOW_ALL, WS_KEY_NONE};
        const struct ws_compaction_sums sums = {.launched = launch->warps,
                                                .truncated = launch->launch.truncated};
        added = ws_groups_add(results->groups, whole, &sums);
        for (uint32_t j = 0; j < launch->row_count && added; ++j) {
            const struct ws_compaction_row *row = &results->rows[launch->row_first + j];
            set_keys(results, row->site, keys);
            keys[WS_COMPACTION_LAUNCH] = launch->launch.index;
            added = add_windows(results, keys, &row->figures, launch->launch.truncated);
        }
    }
    for (uint32_t i = 0; i < results->site_count && added; ++i) {
        set_keys(results, i, keys);
        added = add_paths(results, keys, i);
    }
    return added;
}

static const struct ws_groups *groups_of(const void *pointer)
{
    const struct ws_compaction_results *results = pointer;
    return results->groups;
}

static bool end(void *pointer, struct ws_error *error)
{
    struct ws_compaction_results *results = pointer;
    if (!finish_launch(results))
        return ws_error_set(error, "no memory for what threads have done at call sites");
    if (!number_sites(results))
        return ws_error_set(error, "no memory for call sites");
    ws_path_counts_sort(&results->counts, &results->tree);
    return (summarise_all(results) && fill_report(results)) ||
           ws_error_set(error, "no memory for thread paths");
}

static const char *const passes[] = {"thread_compaction", NULL};

const struct ws_analysis ws_analysis_thread_compaction = {
    .name = "thread_compaction",
    .summary = "thread paths at rays, callables and ray queries, and what compacting warps there could save",
    .answers = "what compacting warps would save",
    .passes = passes,
    .columns = &ws_compaction_columns,
    .words = ws_compaction_words,
    .create = create,
    .destroy = destroy,
    .replay = &ws_compaction_operations,
    .end = end,
    .attach = attach,
    .groups = groups_of,
    .findings = ws_compaction_findings,
    .nothing = ws_compaction_nothing,
    .text = ws_compaction_text,
    .notes = ws_compaction_notes,
    .members = ws_compaction_members,
    .json = ws_compaction_json,
    .plots = ws_compaction_plots,
};
