#include "tests/unit/analysis/compaction/compaction_scene.h"

void scene_begin(struct scene *scene, uint32_t lanes, bool together, uint64_t seed)
{
    memset(scene, 0, sizeof(*scene));
    scene->stream = stream_create(&(struct stream_options){.bins = lanes, .seed = seed});
    scene->lanes = lanes;
    scene->together = together;
}

/* Streams enter shaders by the site with number 0, so that of the entry changes places with the first. */
static void enter_first(struct ws_instrumented *instrumented)
{
    uint32_t entry = 0;
    while (instrumented->sites[entry].kind != WS_SITE_ENTRY)
        entry++;
    for (uint32_t i = 0; i < instrumented->site_count; ++i)
        if (instrumented->sites[i].kind >= WS_SITE_ENTRY &&
            (instrumented->sites[i].row == entry || instrumented->sites[i].row == 0))
            instrumented->sites[i].row = instrumented->sites[i].row == 0 ? entry : 0;
    const struct ws_site_info swap = instrumented->sites[0];
    instrumented->sites[0] = instrumented->sites[entry];
    instrumented->sites[entry] = swap;
}

struct shader *scene_add_words(struct scene *scene, uint32_t stage, uint32_t *words, size_t word_count)
{
    static const char *const pass = "thread_compaction";
    const struct ws_instrument_options options = {.passes = &pass, .pass_count = 1};
    struct ws_error error = {{0}};
    struct shader *shader = &scene->shaders[scene->shader_count++];
    shader->sites = ws_instrument(words, word_count, &options, &error);
    if (shader->sites == NULL)
        fail_msg("%s", error.message);
    shader->sites->entries[0].stage = stage;
    enter_first(shader->sites);
    const struct ws_chunk_sites chunk = {.row_count = shader->sites->row_count,
                                         .passes = &pass,
                                         .pass_count = 1,
                                         .entries = shader->sites->entries,
                                         .entry_count = shader->sites->entry_count,
                                         .blocks = shader->sites->blocks,
                                         .block_count = shader->sites->block_count,
                                         .sites = shader->sites->sites,
                                         .site_count = shader->sites->site_count};
    shader->id = stream_shader_of(scene->stream, stage, words, (uint32_t)word_count, &chunk, NULL, 0);
    free(words);
    return shader;
}

struct shader *scene_add_shader(struct scene *scene, uint32_t stage, const struct flow_function *functions,
                                uint32_t count)
{
    size_t word_count = 0;
    uint32_t *words = flow_assemble(functions, count, FLOW_RAYGEN, 32, &word_count);
    flow_validate(words, word_count);
    return scene_add_words(scene, stage, words, word_count);
}

void scene_run_block(struct scene *scene, const struct shader *shader, uint32_t context, uint32_t block,
                     struct ws_lanes lanes)
{
    for (uint32_t i = 0; i < shader->sites->site_count; ++i) {
        const struct ws_site_info *site = &shader->sites->sites[i];
        if (site->block == block && site->kind >= WS_SITE_PLACE_BLOCK && site->kind <= WS_SITE_PLACE_CALL &&
            site->row == i)
            stream_site(scene->stream, context, i, lanes);
    }
}

void scene_run_warp(struct scene *scene, const struct shader *shader, uint32_t context, const walk *walks)
{
    walk at[LANES_MAX];
    memcpy(at, walks, scene->lanes * sizeof(*at));
    for (;;) {
        struct ws_lanes lanes = {0, 0};
        uint32_t first = WS_NONE;
        /* Who has the most before it goes first, so that the others catch up. */
        for (uint32_t lane = 0; lane < scene->lanes; ++lane)
            if (at[lane] != NULL && *at[lane] >= 0 &&
                (first == WS_NONE || at[lane] - walks[lane] < at[first] - walks[first]))
                first = lane;
        if (first == WS_NONE)
            return;
        for (uint32_t lane = 0; lane < scene->lanes; ++lane)
            if (at[lane] != NULL && *at[lane] == *at[first] && (scene->together || lane == first))
                lanes = ws_lanes_or(lanes, ws_lanes_one(lane));
        scene_run_block(scene, shader, context, (uint32_t)*at[first], lanes);
        for (struct ws_lanes left = lanes; ws_lanes_any(left);)
            ++at[ws_lanes_take(&left)];
    }
}

uint32_t scene_enter(struct scene *scene, uint32_t queue, const struct shader *shader, const walk *walks,
                     uint32_t first_thread)
{
    struct ws_lanes lanes = {0, 0};
    for (uint32_t lane = 0; lane < scene->lanes; ++lane)
        if (walks[lane] != NULL)
            lanes = ws_lanes_or(lanes, ws_lanes_one(lane));
    return stream_enter_rays(scene->stream, queue, shader->id, lanes, first_thread);
}

void scene_launch(struct scene *scene, uint32_t queue, const struct shader *shader, const walk *walks,
                  uint32_t first_thread)
{
    scene_run_warp(scene, shader, scene_enter(scene, queue, shader, walks, first_thread), walks);
}

const struct ws_compaction_results *scene_analyse(struct scene *scene, uint32_t workers)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_analysis_options options = {0};
    uint32_t number = 0;
    stream_finish(scene->stream);
    ws_catalog_init(&scene->catalog);
    scene->results = ws_analysis_thread_compaction.create(&scene->catalog, &options, &error);
    struct ws_reader *reader = ws_reader_open(stream_path(scene->stream), &error);
    struct ws_replay *replay = ws_replay_create(&scene->catalog, stream_path(scene->stream), workers);
    assert_true(ws_replay_add(replay, ws_analysis_thread_compaction.replay, scene->results, &number));
    ws_analysis_thread_compaction.attach(scene->results, number);
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error))
        if (!ws_catalog_record(&scene->catalog, &chunk, &error) || !ws_replay_record(replay, &chunk, &error))
            fail_msg("%s", error.message);
    if (result != WS_READ_END || !ws_replay_end(replay, &error) ||
        !ws_analysis_thread_compaction.end(scene->results, &error))
        fail_msg("%s", error.message);
    assert_true(ws_replay_losses(replay)->malformed == 0);
    assert_true(ws_replay_losses(replay)->unrooted == 0);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    return scene->results;
}

void scene_finish(struct scene *scene)
{
    ws_analysis_thread_compaction.destroy(scene->results);
    ws_catalog_finish(&scene->catalog);
    for (uint32_t i = 0; i < scene->shader_count; ++i)
        ws_instrumented_destroy(scene->shaders[i].sites);
    stream_destroy(scene->stream);
}

/* How many threads took a path, 0 if none did. */
static uint64_t threads_with(const struct ws_compaction_results *results, uint32_t site, const char *path)
{
    uint32_t count = 0;
    const struct ws_path_count *paths = ws_compaction_paths(results, site, &count);
    for (uint32_t i = 0; i < count; ++i) {
        char *text = ws_path_text(&results->tree, (uint32_t)paths[i].key, 100);
        assert_non_null(text);
        bool same = strcmp(text, path) == 0;
        free(text);
        if (same)
            return paths[i].count;
    }
    return 0;
}

void check_path(const struct ws_compaction_results *results, uint32_t site, const char *path,
                uint64_t threads)
{
    if (threads_with(results, site, path) == threads)
        return;
    uint32_t count = 0;
    const struct ws_path_count *paths = ws_compaction_paths(results, site, &count);
    for (uint32_t i = 0; i < count; ++i) {
        char *text = ws_path_text(&results->tree, (uint32_t)paths[i].key, 100);
        print_error("%llu x %s\n", (unsigned long long)paths[i].count, text);
        free(text);
    }
    fail_msg("not %llu threads with path %s", (unsigned long long)threads, path);
}

void check_required(const struct ws_windows *windows, uint32_t window, uint64_t required)
{
    if (windows->required[window] != required)
        fail_msg("window %u requires %llu, not %llu", window, (unsigned long long)windows->required[window],
                 (unsigned long long)required);
}

static const struct flow_block tight[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},
    {FLOW_IF, {1, 2}, 2, 1, FLOW_CALLABLE, 0},
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0},
};
const struct flow_function tight_functions[1] = {{tight, 3}};

void walk_rounds(int *walk, uint32_t rounds)
{
    *walk++ = 0;
    for (uint32_t i = 0; i < rounds; ++i)
        *walk++ = 1;
    *walk++ = 2;
    *walk = -1;
}
