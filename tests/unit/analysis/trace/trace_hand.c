#include "tests/unit/analysis/trace/trace_hand.h"
#include "warpscope/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct ws_analysis ws_analysis_execution_trace;

static const uint32_t stages[HAND_SHADERS] = {WS_STAGE_RAYGEN,  WS_STAGE_CLOSEST_HIT, WS_STAGE_MISS,
                                              WS_STAGE_COMPUTE, WS_STAGE_VERTEX,      WS_STAGE_FRAGMENT};

static struct ws_block_record blocks[] = {
    {.info = {.label = 10, .function = 1, .instruction_count = 3},
     .file = "a.glsl",
     .line = 7,
     .line_last = 9},
    {.info = {.label = 11, .function = 1, .instruction_count = 2},
     .file = "a.glsl",
     .line = 10,
     .line_last = 10},
    {.info = {.label = 12, .function = 1, .instruction_count = 1}},
    {.info = {.label = 20, .function = 2, .instruction_count = 5}},
};

static struct ws_module_record module = {.name = "shader", .source = "", .blocks = blocks, .block_count = 4};

void hand_create(struct hand *hand, const struct ws_analysis_options *options)
{
    static const struct ws_analysis_options usual = {.path = NULL};
    struct ws_error error = {{0}};
    memset(hand, 0, sizeof(*hand));
    ws_catalog_init(&hand->catalog);
    hand->catalog.modules = &module;
    hand->catalog.module_count = 1;
    hand->catalog.shaders = calloc(HAND_SHADERS, sizeof(*hand->catalog.shaders));
    assert_non_null(hand->catalog.shaders);
    for (uint32_t i = 0; i < HAND_SHADERS; ++i)
        hand->catalog.shaders[i] = (struct ws_shader_record){
            .id = 100 + i, .stage = stages[i], .name = "main", .shown = "shader:main"};
    hand->catalog.shader_count = HAND_SHADERS;
    struct ws_analysis_options given = options != NULL ? *options : usual;
    given.plots = true;
    hand->results = ws_analysis_execution_trace.create(&hand->catalog, &given, &error);
    assert_non_null(hand->results);
    ws_analysis_execution_trace.attach(hand->results, 2);
}

void hand_destroy(struct hand *hand)
{
    ws_analysis_execution_trace.destroy(hand->results);
    free(hand->catalog.shaders);
    memset(hand, 0, sizeof(*hand));
}

void hand_begin(struct hand *hand, uint64_t index, uint32_t kind, uint32_t x, uint32_t y, uint32_t z,
                uint32_t parts)
{
    hand->launch =
        (struct ws_launch_record){.index = index, .kind = kind, .size = {x, y, z}, .label = "frame"};
    hand->thread_count = 0;
    hand->warp_count = 0;
    hand->context_count = 0;
    hand->part = 0;
    hand->part_count = parts;
    for (uint32_t i = 0; i < parts; ++i) {
        hand->parts[i] = ws_analysis_execution_trace.replay->create(hand->results, &hand->launch);
        assert_non_null(hand->parts[i]);
    }
}

static struct ws_context *add_context(struct hand *hand, uint32_t shader, uint32_t lane_count,
                                      struct ws_context *caller)
{
    struct ws_context *context = calloc(1, sizeof(*context));
    assert_non_null(context);
    assert_true(hand->context_count < HAND_CONTEXTS);
    context->number = 100 * hand->context_count;
    context->shader = shader;
    context->stage = stages[shader];
    context->lane_count = lane_count;
    context->caller = caller;
    context->depth = caller != NULL ? caller->depth + 1 : 0;
    context->threads = malloc(lane_count * sizeof(*context->threads));
    assert_non_null(context->threads);
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        context->threads[lane] = WS_NONE;
    hand->context_part[hand->context_count] = hand->part;
    hand->contexts[hand->context_count++] = context;
    return context;
}

static void *part_of(struct hand *hand, const struct ws_context *context)
{
    return hand->parts[hand->context_part[context->number / 100]];
}

static struct ws_context *enter(struct hand *hand, struct ws_context *context)
{
    for (uint32_t lane = context->lane_count; lane > 0; --lane)
        if (context->threads[lane - 1] != WS_NONE) {
            context->entered = ws_lanes_or(context->entered, ws_lanes_one(lane - 1));
            context->warp = hand->threads[context->threads[lane - 1]].warp;
        }
    assert_true(ws_analysis_execution_trace.replay->enter(part_of(hand, context), context, hand->threads));
    return context;
}

struct ws_context *hand_launch(struct hand *hand, uint32_t shader, uint32_t lane_count, struct ws_lanes lanes,
                               const uint32_t (*work)[3])
{
    struct ws_context *context = add_context(hand, shader, lane_count, NULL);
    hand->warp_index[hand->warp_count] = hand->warp_count;
    hand->warp_lanes[hand->warp_count] = ws_lanes_count(lanes);
    for (uint32_t i = 0; ws_lanes_any(lanes); ++i) {
        uint32_t lane = ws_lanes_take(&lanes);
        assert_true(hand->thread_count < HAND_THREADS);
        context->threads[lane] = hand->thread_count;
        hand->threads[hand->thread_count++] = (struct ws_thread){
            .work = {work[i][0], work[i][1], work[i][2]}, .warp = hand->warp_count, .lane = lane};
    }
    hand->warp_count++;
    return enter(hand, context);
}

struct ws_context *hand_launch_rows(struct hand *hand, uint32_t shader, uint32_t lane_count,
                                    struct ws_lanes lanes, uint32_t first, uint32_t width)
{
    uint32_t work[128][3];
    for (uint32_t i = 0; i < 128; ++i) {
        work[i][0] = (first + i) % width;
        work[i][1] = (first + i) / width;
        work[i][2] = 0;
    }
    return hand_launch(hand, shader, lane_count, lanes, (const uint32_t(*)[3])work);
}

struct ws_context *hand_call(struct hand *hand, uint32_t shader, struct ws_context *caller,
                             struct ws_lanes lanes)
{
    struct ws_context *context = add_context(hand, shader, caller->lane_count, caller);
    while (ws_lanes_any(lanes)) {
        uint32_t lane = ws_lanes_take(&lanes);
        context->threads[lane] = caller->threads[lane];
    }
    return enter(hand, context);
}

struct ws_context *hand_regroup(struct hand *hand, uint32_t shader, struct ws_context *caller,
                                const uint32_t *threads, uint32_t lane_count)
{
    struct ws_context *context = add_context(hand, shader, lane_count, caller);
    memcpy(context->threads, threads, lane_count * sizeof(*threads));
    context->regrouped = true;
    return enter(hand, context);
}

void hand_block(struct hand *hand, struct ws_context *context, uint32_t block, struct ws_lanes lanes)
{
    const struct ws_replay_place place = {.tag = WS_TAG_EXECUTION_TRACE_BLOCK, .block = block};
    assert_true(ws_analysis_execution_trace.replay->place(part_of(hand, context), context, &place, lanes));
}

void hand_leave(struct hand *hand, struct ws_context *context, struct ws_lanes lanes)
{
    assert_true(ws_analysis_execution_trace.replay->leave(part_of(hand, context), context, lanes));
    context->ended = ws_lanes_or(context->ended, lanes);
    if (ws_lanes_equal(context->ended, context->entered))
        assert_true(ws_analysis_execution_trace.replay->close(part_of(hand, context), context));
}

void hand_end(struct hand *hand, bool truncated)
{
    hand->launch.truncated = truncated;
    struct ws_replay_threads threads = {
        .launch = &hand->launch,
        .threads = hand->threads,
        .thread_count = hand->thread_count,
        .warp_index = hand->warp_index,
        .warp_lanes = hand->warp_lanes,
        .warp_count = hand->warp_count,
    };
    for (uint32_t i = 0; i < hand->context_count; ++i) {
        struct ws_context *context = hand->contexts[i];
        if (!ws_lanes_equal(context->ended, context->entered))
            assert_true(ws_analysis_execution_trace.replay->close(part_of(hand, context), context));
        free(context->threads);
        free(context);
    }
    for (uint32_t i = 0; i < hand->part_count; ++i) {
        assert_true(ws_analysis_execution_trace.replay->merge(hand->results, hand->parts[i], &threads));
        ws_analysis_execution_trace.replay->destroy(hand->parts[i]);
    }
}

void hand_finish(struct hand *hand)
{
    struct ws_error error = {{0}};
    assert_true(ws_analysis_execution_trace.end(hand->results, &error));
}

static char *print(const struct hand *hand, bool (*show)(const void *results, FILE *stream),
                   void (*notes)(const void *results, FILE *stream))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(show(hand->results, stream));
    if (notes != NULL)
        notes(hand->results, stream);
    fclose(stream);
    return text;
}

char *hand_text(const struct hand *hand)
{
    return print(hand, ws_analysis_execution_trace.text, ws_analysis_execution_trace.notes);
}

char *hand_csv(const struct hand *hand)
{
    return print(hand, ws_analysis_execution_trace.csv, NULL);
}

void hand_run_loops(struct hand *hand, uint32_t times, uint32_t width)
{
    for (uint32_t warp = 0; warp < times; ++warp) {
        struct ws_context *context = hand_launch_rows(hand, COMPUTE, 8, ws_lanes_first(8), 8 * warp, width);
        hand_block(hand, context, 0, ws_lanes_first(8));
        for (uint32_t round = 0; round < 8; ++round)
            hand_block(hand, context, 1, ws_lanes_without(ws_lanes_first(8), ws_lanes_first(round)));
        hand_block(hand, context, 2, ws_lanes_first(8));
        hand_leave(hand, context, ws_lanes_first(8));
    }
}

void hand_run_odd(struct hand *hand, uint32_t size, uint32_t warps)
{
    for (uint32_t warp = 0; warp < warps; ++warp) {
        struct ws_lanes lanes = ws_lanes_first(warp + 1 < warps ? size : 3);
        struct ws_lanes odd =
            ws_lanes_and(lanes, (struct ws_lanes){0xaaaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau});
        struct ws_context *context = hand_launch_rows(hand, RAYGEN, size, lanes, size * warp, 1000);
        hand_block(hand, context, 0, lanes);
        hand_block(hand, context, 1, odd);
        hand_leave(hand, context, lanes);
    }
}

void hand_run_regrouped(struct hand *hand)
{
    struct ws_lanes all = ws_lanes_first(4);
    struct ws_context *a = hand_launch_rows(hand, RAYGEN, 4, all, 0, 8);
    struct ws_context *b = hand_launch_rows(hand, RAYGEN, 4, all, 4, 8);
    hand_block(hand, a, 0, all);
    hand_block(hand, b, 0, all);
    struct ws_context *hit = hand_regroup(hand, CLOSEST_HIT, a, (const uint32_t[]){7, 1, WS_NONE, 0}, 4);
    hand_block(hand, hit, 0, (struct ws_lanes){0xb, 0});
    struct ws_context *miss = hand_call(hand, MISS, a, (struct ws_lanes){0xc, 0});
    hand_block(hand, miss, 0, (struct ws_lanes){0xc, 0});
    hand_leave(hand, hit, (struct ws_lanes){0xb, 0});
    hand_leave(hand, miss, (struct ws_lanes){0xc, 0});
    hand_block(hand, a, 2, all);
    hand_leave(hand, a, all);
    hand_block(hand, b, 2, all);
    hand_leave(hand, b, all);
}

void hand_run_calls(struct hand *hand)
{
    struct ws_lanes all = ws_lanes_first(4);
    struct ws_context *a = hand_launch_rows(hand, RAYGEN, 4, ws_lanes_first(3), 0, 8);
    all = ws_lanes_first(3);
    hand_block(hand, a, 0, all);
    for (uint32_t round = 0; round < 4; ++round) {
        struct ws_lanes lanes = round < 3 ? all : (struct ws_lanes){6, 0};
        hand_block(hand, a, 1, lanes);
        hand_block(hand, a, 3, lanes);
        struct ws_context *hit = hand_call(hand, CLOSEST_HIT, a, lanes);
        hand_block(hand, hit, 0, lanes);
        hand_leave(hand, hit, lanes);
    }
    hand_block(hand, a, 2, all);
    hand_leave(hand, a, (struct ws_lanes){3, 0});
}
