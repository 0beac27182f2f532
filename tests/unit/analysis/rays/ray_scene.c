#include "tests/unit/analysis/rays/ray_scene.h"
#include "warpscope/opcodes.h"
#include "warpscope/passes.h"

#include <inttypes.h>

#include <spirv/unified1/spirv.h>

#define FUNCTION 3u
#define HEAD     21u /* words of the module before its function's first block */

/* An instruction that ray events are about: its words but the opcode, and its sites. */
struct instruction {
    uint32_t opcode;
    uint32_t length;
    uint32_t result; /* word of its result id; its type stands before; 0 = none */
};

static const struct instruction instructions[] = {
    {SpvOpNop, 1, 0},
    {SpvOpTraceRayKHR, 12, 0},
    {SpvOpTraceRayMotionNV, 13, 0},
    {SpvOpReportIntersectionKHR, 5, 2},
    {SpvOpRayQueryInitializeKHR, 9, 0},
    {SpvOpRayQueryProceedKHR, 4, 2},
    {SpvOpRayQueryConfirmIntersectionKHR, 2, 0},
    {SpvOpRayQueryGenerateIntersectionKHR, 3, 0},
    {SpvOpRayQueryTerminateKHR, 2, 0},
    {SpvOpExecuteCallableKHR, 3, 0},
    {SpvOpHitObjectTraceRayNV, 13, 0},
    {WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT, 13, 0},
    {SpvOpHitObjectRecordEmptyNV, 2, 0},
    {SpvOpHitObjectExecuteShaderNV, 3, 0},
    {SpvOpReturn, 1, 0},
};
#define INSTRUCTIONS (sizeof(instructions) / sizeof(instructions[0]))

static const struct {
    uint32_t kind;
    uint32_t opcode; /* of the instruction that it is about */
    uint32_t words;  /* data: per lane */
} sites[RAY_SITE_COUNT] = {
    [RAY_SITE_ENTRY] = {WS_SITE_ENTRY, SpvOpNop, 0},
    [RAY_SITE_HIT] = {WS_SITE_DATA, SpvOpNop, WS_RAY_HIT_WORDS},
    [RAY_SITE_BOX] = {WS_SITE_DATA, SpvOpNop, WS_RAY_INTERSECTION_WORDS},
    [RAY_SITE_TRACE] = {WS_SITE_DATA, SpvOpTraceRayKHR, WS_RAY_TRACE_WORDS},
    [RAY_SITE_RETURN] = {WS_SITE_PLACE_AFTER, SpvOpTraceRayKHR, 0},
    [RAY_SITE_MOTION] = {WS_SITE_DATA, SpvOpTraceRayMotionNV, WS_RAY_TRACE_MOTION_WORDS},
    [RAY_SITE_MOTION_RETURN] = {WS_SITE_PLACE_AFTER, SpvOpTraceRayMotionNV, 0},
    [RAY_SITE_REPORT] = {WS_SITE_DATA, SpvOpReportIntersectionKHR, WS_RAY_REPORT_WORDS},
    [RAY_SITE_INITIALIZE] = {WS_SITE_DATA, SpvOpRayQueryInitializeKHR, WS_RAY_INITIALIZE_WORDS},
    [RAY_SITE_PROCEED] = {WS_SITE_DATA, SpvOpRayQueryProceedKHR, WS_RAY_PROCEED_WORDS},
    [RAY_SITE_CONFIRM] = {WS_SITE_DATA, SpvOpRayQueryConfirmIntersectionKHR, WS_RAY_KEY_WORDS},
    [RAY_SITE_GENERATE] = {WS_SITE_DATA, SpvOpRayQueryGenerateIntersectionKHR, WS_RAY_GENERATE_WORDS},
    [RAY_SITE_TERMINATE_QUERY] = {WS_SITE_DATA, SpvOpRayQueryTerminateKHR, WS_RAY_KEY_WORDS},
    [RAY_SITE_CALL] = {WS_SITE_PLACE_BEFORE, SpvOpExecuteCallableKHR, 0},
    [RAY_SITE_END] = {WS_SITE_PLACE_END, SpvOpReturn, 0},
    [RAY_SITE_IGNORE] = {WS_SITE_PLACE_END, SpvOpIgnoreIntersectionKHR, 0},
    [RAY_SITE_TERMINATE] = {WS_SITE_PLACE_END, SpvOpTerminateRayKHR, 0},
    [RAY_SITE_CONTINUE] = {WS_SITE_CONTINUE, SpvOpTraceRayKHR, 0},
    [RAY_SITE_OBJECT_TRACE] = {WS_SITE_DATA, SpvOpHitObjectTraceRayNV, WS_RAY_OBJECT_TRACE_WORDS},
    [RAY_SITE_OBJECT_TRACED] = {WS_SITE_DATA, SpvOpHitObjectTraceRayNV, WS_RAY_OBJECT_TRACED_WORDS},
    [RAY_SITE_OBJECT_RUN] = {WS_SITE_DATA, WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT,
                             WS_RAY_OBJECT_TRACE_WORDS},
    [RAY_SITE_OBJECT_RECORD] = {WS_SITE_DATA, SpvOpHitObjectRecordEmptyNV, WS_RAY_KEY_WORDS},
    [RAY_SITE_EXECUTE] = {WS_SITE_DATA, SpvOpHitObjectExecuteShaderNV, WS_RAY_KEY_WORDS},
    [RAY_SITE_EXECUTED] = {WS_SITE_PLACE_AFTER, SpvOpHitObjectExecuteShaderNV, 0},
    [RAY_SITE_LATER] = {WS_SITE_DATA, SpvOpTraceRayKHR, 1},
};

struct stream *ray_scene_create(uint32_t bins, uint64_t seed)
{
    return stream_create(&(struct stream_options){.bins = bins, .seed = seed, .piece_words = 37});
}

/* The module; `offsets` receives where each opcode stands. Returns its number of words. */
static uint32_t make_module(uint32_t *words, uint32_t *offsets)
{
    const uint32_t head[HEAD] = {SpvMagicNumber,
                                 0x10500,
                                 0,
                                 100,
                                 0,
                                 2 << 16 | SpvOpCapability,
                                 SpvCapabilityShader,
                                 3 << 16 | SpvOpMemoryModel,
                                 SpvAddressingModelLogical,
                                 SpvMemoryModelGLSL450,
                                 2 << 16 | SpvOpTypeVoid,
                                 1,
                                 3 << 16 | SpvOpTypeFunction,
                                 2,
                                 1,
                                 2 << 16 | SpvOpTypeBool,
                                 4,
                                 5 << 16 | SpvOpFunction,
                                 1,
                                 FUNCTION,
                                 0};
    uint32_t at = HEAD;
    memcpy(words, head, sizeof(head));
    words[at++] = 2;
    words[at++] = 2 << 16 | SpvOpLabel;
    words[at++] = 10;
    for (size_t i = 0; i < INSTRUCTIONS; ++i) {
        const struct instruction *instruction = &instructions[i];
        offsets[instruction->opcode] = at;
        memset(words + at, 0, instruction->length * sizeof(*words));
        words[at] = instruction->length << 16 | instruction->opcode;
        if (instruction->result > 0) {
            words[at + instruction->result - 1] = 4;
            words[at + instruction->result] = 20 + (uint32_t)i;
        }
        at += instruction->length;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t opcode = i == 0 ? SpvOpIgnoreIntersectionKHR : SpvOpTerminateRayKHR;
        words[at++] = 2 << 16 | SpvOpLabel;
        words[at++] = 11 + i;
        offsets[opcode] = at;
        words[at++] = 1 << 16 | opcode;
    }
    words[at++] = 1 << 16 | SpvOpFunctionEnd;
    return at;
}

/* The event of a site, of which some depend on the stage. */
static uint32_t tag_of(uint32_t site, uint32_t stage)
{
    static const uint32_t tags[RAY_SITE_COUNT] = {
        [RAY_SITE_BOX] = WS_RAY_INTERSECTION,
        [RAY_SITE_TRACE] = WS_RAY_TRACE,
        [RAY_SITE_RETURN] = WS_RAY_RETURN,
        [RAY_SITE_MOTION] = WS_RAY_TRACE,
        [RAY_SITE_MOTION_RETURN] = WS_RAY_RETURN,
        [RAY_SITE_REPORT] = WS_RAY_REPORT,
        [RAY_SITE_INITIALIZE] = WS_RAY_INITIALIZE,
        [RAY_SITE_PROCEED] = WS_RAY_PROCEED,
        [RAY_SITE_CONFIRM] = WS_RAY_CONFIRM,
        [RAY_SITE_GENERATE] = WS_RAY_GENERATE,
        [RAY_SITE_TERMINATE_QUERY] = WS_RAY_TERMINATE_QUERY,
        [RAY_SITE_CALL] = WS_RAY_CALL,
        [RAY_SITE_END] = WS_RAY_INTERSECTION_END,
        [RAY_SITE_IGNORE] = WS_RAY_IGNORE,
        [RAY_SITE_TERMINATE] = WS_RAY_TERMINATE,
        [RAY_SITE_OBJECT_TRACE] = WS_RAY_OBJECT_TRACE,
        [RAY_SITE_OBJECT_TRACED] = WS_RAY_OBJECT_TRACED,
        [RAY_SITE_OBJECT_RUN] = WS_RAY_OBJECT_TRACE,
        [RAY_SITE_OBJECT_RECORD] = WS_RAY_OBJECT_RECORD,
        [RAY_SITE_EXECUTE] = WS_RAY_EXECUTE,
        [RAY_SITE_EXECUTED] = WS_RAY_RETURN,
        [RAY_SITE_LATER] = WS_RAY_TRACE,
    };
    if (site == RAY_SITE_HIT)
        return stage == WS_STAGE_ANY_HIT ? WS_RAY_ANY_HIT : WS_RAY_CLOSEST_HIT;
    return site == RAY_SITE_END && stage == WS_STAGE_ANY_HIT ? WS_RAY_ACCEPT : tags[site];
}

uint32_t ray_scene_shader(struct stream *stream, uint32_t stage)
{
    static uint32_t offsets[SpvOpTraceRayMotionNV + 1];
    uint32_t words[128];
    struct ws_site_info infos[RAY_SITE_COUNT];
    const uint32_t function = FUNCTION;
    const uint32_t word_count = make_module(words, offsets);
    for (uint32_t i = 0; i < RAY_SITE_COUNT; ++i)
        infos[i] = (struct ws_site_info){
            0, tag_of(i, stage),         sites[i].kind,
            0, offsets[sites[i].opcode], sites[i].kind == WS_SITE_DATA ? sites[i].words : i};
    const struct ws_block_info block = {10, HEAD + 1, offsets[SpvOpReturn] + 1 - HEAD - 1, FUNCTION, 10};
    const struct ws_entry_info entry = {
        .name = "main", .stage = stage, .function = FUNCTION, .functions = &function, .function_count = 1};
    const struct ws_chunk_sites chunk = {.passes = (const char *const[]){WS_PASS_RAY_EVENTS},
                                         .pass_count = 1,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = &block,
                                         .block_count = 1,
                                         .sites = infos,
                                         .site_count = RAY_SITE_COUNT};
    return stream_shader_of(stream, stage, words, word_count, &chunk, NULL, 0);
}

static struct ws_lanes set(uint64_t mask)
{
    return (struct ws_lanes){mask, 0};
}

uint32_t ray_enter(struct stream *stream, uint32_t shader, uint64_t lanes, uint32_t first)
{
    return stream_enter_rays(stream, 0, shader, set(lanes), first);
}

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

/* A data record whose words are the same for all lanes, but that word `lane_word`, if it is one, is the
 * lane as a float. */
static void data(struct stream *stream, uint32_t context, enum ray_site site, uint64_t lanes,
                 const uint32_t *words, uint32_t lane_word)
{
    uint32_t all[64 * 16];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 64; ++lane) {
        if ((lanes >> lane & 1) == 0)
            continue;
        memcpy(all + count, words, sites[site].words * sizeof(*all));
        if (lane_word != WS_NONE)
            all[count + lane_word] = bits((float)lane);
        count += sites[site].words;
    }
    stream_data(stream, context, site, set(lanes), all, sites[site].words);
}

static void ray_words(uint32_t words[WS_RAY_TRACE_MOTION_WORDS], uint32_t tag, uint32_t flags)
{
    memset(words, 0, WS_RAY_TRACE_MOTION_WORDS * sizeof(*words));
    words[0] = bits((float)tag);
    words[5] = bits(2);
    words[6] = bits(0.5f);
    words[7] = bits(100);
    words[8] = flags;
    words[9] = 0xff | 1 << 8 | 2 << 12 | 3 << 16;
}

void ray_trace(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t tag, uint32_t flags)
{
    uint32_t words[WS_RAY_TRACE_MOTION_WORDS];
    ray_words(words, tag, flags);
    data(stream, context, RAY_SITE_TRACE, lanes, words, 1);
}

void ray_trace_motion(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t tag, uint32_t flags)
{
    uint32_t words[WS_RAY_TRACE_MOTION_WORDS];
    ray_words(words, tag, flags);
    words[10] = bits(0.25f);
    data(stream, context, RAY_SITE_MOTION, lanes, words, 1);
}

static void object_trace(struct stream *stream, uint32_t context, enum ray_site site, uint64_t lanes,
                         uint32_t key, uint32_t tag)
{
    uint32_t words[WS_RAY_TRACE_MOTION_WORDS];
    ray_words(words, tag, 0);
    words[10] = key;
    data(stream, context, site, lanes, words, 1);
}

void ray_object_trace(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag)
{
    object_trace(stream, context, RAY_SITE_OBJECT_TRACE, lanes, key, tag);
}

void ray_object_run(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag)
{
    object_trace(stream, context, RAY_SITE_OBJECT_RUN, lanes, key, tag);
}

void ray_object_traced(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, float t,
                       uint32_t primitive)
{
    const uint32_t hit[] = {key, 1, bits(t), 2, 20, 3, primitive, 0xfe};
    const uint32_t none[WS_RAY_OBJECT_TRACED_WORDS] = {key};
    data(stream, context, RAY_SITE_OBJECT_TRACED, lanes, t == 0 ? none : hit, WS_NONE);
}

void ray_hit(struct stream *stream, uint32_t context, uint64_t lanes, float t, uint32_t primitive)
{
    const uint32_t words[] = {bits(t), 2, 20 | 0xfeu << 24, 3, primitive, 5, 6};
    data(stream, context, RAY_SITE_HIT, lanes, words, WS_NONE);
}

void ray_box(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t primitive)
{
    const uint32_t words[] = {2, 20, 3, primitive};
    data(stream, context, RAY_SITE_BOX, lanes, words, WS_NONE);
}

void ray_report(struct stream *stream, uint32_t context, uint64_t lanes, float t, bool accepted)
{
    const uint32_t words[] = {bits(t), 7 | (accepted ? WS_RAY_ACCEPTED : 0)};
    data(stream, context, RAY_SITE_REPORT, lanes, words, WS_NONE);
}

void ray_report_open(struct stream *stream, uint32_t context, uint64_t lanes, float t)
{
    const uint32_t words[] = {bits(t), 7 | WS_RAY_ACCEPTANCE_OPEN};
    data(stream, context, RAY_SITE_REPORT, lanes, words, WS_NONE);
}

void ray_initialize(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t tag)
{
    uint32_t words[WS_RAY_TRACE_MOTION_WORDS];
    ray_words(words, tag, 0);
    words[9] = 0xff;
    words[10] = key;
    data(stream, context, RAY_SITE_INITIALIZE, lanes, words, 1);
}

void ray_proceed(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, uint32_t word_1,
                 float t, uint32_t primitive)
{
    const uint32_t hit[] = {key, word_1, bits(t), 2, 20, 3, primitive, 5, 6};
    const uint32_t none[WS_RAY_PROCEED_WORDS] = {key, word_1};
    data(stream, context, RAY_SITE_PROCEED, lanes, t == 0 ? none : hit, WS_NONE);
}

void ray_key(struct stream *stream, uint32_t context, uint64_t lanes, enum ray_site site, uint32_t key)
{
    data(stream, context, site, lanes, &key, WS_NONE);
}

void ray_generate(struct stream *stream, uint32_t context, uint64_t lanes, uint32_t key, float t)
{
    const uint32_t words[] = {key, bits(t)};
    data(stream, context, RAY_SITE_GENERATE, lanes, words, WS_NONE);
}

void ray_place(struct stream *stream, uint32_t context, enum ray_site site, uint64_t lanes)
{
    stream_site(stream, context, site, set(lanes));
}

static bool log_begin(void *user, const struct ws_replay_threads *threads)
{
    fprintf(user, "launch %" PRIu64 " threads %" PRIu32 "%s\n", threads->launch->index, threads->thread_count,
            threads->launch->truncated ? " truncated" : "");
    return true;
}

static void log_hit(FILE *out, const struct ws_ray_hit *hit)
{
    fprintf(out, " t %g primitive %" PRIu32 " kind %" PRIx32, (double)hit->t, hit->primitive, hit->kind);
    if (hit->instance != 0 && (hit->instance != 2 || hit->custom_index != 20 || hit->geometry != 3))
        fprintf(out, " in %" PRIu32 "/%" PRIu32 "/%" PRIu32, hit->instance, hit->custom_index, hit->geometry);
    if (hit->attributes[0] != 0 || hit->attributes[1] != 0)
        fprintf(out, " attributes %" PRIu32 ",%" PRIu32, hit->attributes[0], hit->attributes[1]);
}

static void log_ray(FILE *out, const struct ws_ray_thread *thread, uint32_t index)
{
    static const char *const kinds[] = {"any_hit", "report", "intersection", "query"};
    static const char *const results[] = {"ignored", "accepted", "terminated", "open"};
    const struct ws_ray *ray = &thread->rays[index];
    assert_int_equal(ray->warp, thread->warp);
    fprintf(out, "  %" PRIu32 " %s %g depth %" PRIu32 " parent ", index, ray->query ? "query" : "trace",
            (double)ray->origin[0], ray->depth);
    if (ray->parent != WS_NONE)
        fprintf(out, "%" PRIu32, ray->parent);
    else
        fputc('-', out);
    fprintf(out, " lane %" PRIu32 " by %" PRIu32 " %s", ray->lane, ray->shader, ws_ray_end_name(ray->end));
    if (ray->first_hit_shader != WS_NONE)
        fprintf(out, " by %" PRIu32, ray->first_hit_shader);
    if (ray->has_hit)
        log_hit(out, &ray->hit);
    if (ray->has_time)
        fprintf(out, " time %g", (double)ray->time);
    fputc('\n', out);
    uint32_t counts[3] = {0};
    uint32_t ignored = 0;
    for (uint32_t i = 0; i < ray->candidate_count; ++i) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + i];
        fprintf(out, "    %s by %" PRIu32 " %s", kinds[candidate->kind], candidate->shader,
                results[candidate->result]);
        log_hit(out, &candidate->hit);
        fputc('\n', out);
        if (candidate->kind != WS_CANDIDATE_QUERY)
            counts[candidate->kind]++;
        ignored += candidate->kind == WS_CANDIDATE_ANY_HIT && candidate->result == WS_CANDIDATE_IGNORED;
    }
    assert_int_equal(ray->any_hits, counts[WS_CANDIDATE_ANY_HIT]);
    assert_int_equal(ray->reports, counts[WS_CANDIDATE_REPORT]);
    assert_int_equal(ray->intersections, counts[WS_CANDIDATE_INTERSECTION]);
    assert_int_equal(ray->ignored, ignored);
}

static bool log_thread(void *user, const struct ws_ray_thread *thread)
{
    fprintf(user, "thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " warp %" PRIu32 " lane %" PRIu32 "\n",
            thread->thread->work[0], thread->thread->work[1], thread->thread->work[2], thread->warp,
            thread->lane);
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        log_ray(user, thread, i);
    return true;
}

static const struct ws_ray_operations log_operations = {.begin = log_begin, .thread = log_thread};

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

char *ray_scene_log(const struct stream *stream, uint32_t workers, uint64_t *malformed,
                    struct ws_replay_losses *losses)
{
    char *text = NULL;
    char *joined_text = NULL;
    size_t size = 0;
    size_t joined_size = 0;
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_catalog catalog;
    uint32_t number = WS_NONE;
    uint32_t joined_number = WS_NONE;
    FILE *out = open_memstream(&text, &size);
    FILE *joined_out = open_memstream(&joined_text, &joined_size);
    assert_non_null(out);
    assert_non_null(joined_out);
    ws_catalog_init(&catalog);
    struct ws_rays *rays = ws_rays_create(&catalog, &log_operations, out);
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_replay *replay = ws_replay_create(&catalog, stream_path(stream), workers);
    struct ws_rays *joined = ws_rays_create(&catalog, &log_operations, joined_out);
    assert_non_null(rays);
    assert_non_null(joined);
    assert_non_null(reader);
    assert_non_null(replay);
    assert_true(ws_replay_add(replay, &ws_rays_replay, rays, &number));
    ws_rays_attach(rays, number);
    assert_true(ws_replay_add(replay, &ws_rays_replay, joined, &joined_number));
    assert_int_equal(joined_number, number); /* it is told by the first */
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error)) {
        good(ws_catalog_record(&catalog, &chunk, &error), &error);
        good(ws_replay_record(replay, &chunk, &error), &error);
    }
    good(result == WS_READ_END, &error);
    good(ws_replay_end(replay, &error), &error);
    if (malformed != NULL)
        *malformed = ws_rays_malformed(rays);
    if (losses != NULL)
        *losses = *ws_replay_losses(replay);
    fclose(out);
    fclose(joined_out);
    assert_string_equal(joined_text, text);
    assert_true(ws_rays_malformed(joined) == ws_rays_malformed(rays));
    free(joined_text);
    ws_replay_destroy(replay);
    ws_rays_destroy(rays);
    ws_rays_destroy(joined);
    ws_reader_destroy(reader);
    ws_catalog_finish(&catalog);
    return text;
}

uint64_t ray_scene_expect(struct stream *stream, const char *expected, struct ws_replay_losses *losses)
{
    uint64_t malformed[2] = {0};
    stream_finish(stream);
    for (uint32_t i = 0; i < 2; ++i) {
        char *text = ray_scene_log(stream, i == 0 ? 1 : 4, &malformed[i], losses);
        if (strcmp(text, expected) != 0)
            fail_msg("told:\n%s\nexpected:\n%s", text, expected);
        free(text);
    }
    stream_destroy(stream);
    assert_int_equal(malformed[0], malformed[1]);
    return malformed[0];
}

struct stream *ray_scene_of_all_stages(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 2, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    ray_trace(stream, a, 0x2, 1, 0);
    const uint32_t b = ray_enter(stream, any, 0x2, 0);
    ray_hit(stream, b, 0x2, 0.25f, 9);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x2);
    const uint32_t c = ray_enter(stream, hit, 0x2, 0);
    ray_hit(stream, c, 0x2, 0.5f, 4);
    ray_trace(stream, c, 0x2, 2, WS_RAY_FLAG_SKIP_CLOSEST_HIT);
    ray_place(stream, c, RAY_SITE_RETURN, 0x2);
    ray_place(stream, c, RAY_SITE_END, 0x2);
    ray_place(stream, a, RAY_SITE_RETURN, 0x2);
    ray_place(stream, a, RAY_SITE_END, 0x3);
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    const uint32_t d = ray_enter(stream, raygen, 0x1, 0);
    ray_trace(stream, d, 0x1, 3, 0);
    const uint32_t e = ray_enter(stream, miss, 0x1, 0);
    ray_place(stream, e, RAY_SITE_END, 0x1);
    ray_place(stream, d, RAY_SITE_RETURN, 0x1);
    ray_initialize(stream, d, 0x1, 7, 4);
    ray_proceed(stream, d, 0x1, 7, WS_QUERY_PROCEEDED | 1, 0, 0);
    ray_generate(stream, d, 0x1, 7, 2);
    ray_place(stream, d, RAY_SITE_END, 0x1);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}
