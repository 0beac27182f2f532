/* Thread paths against answers worked out by hand (compaction_scene.h). Where a case runs `together` or not,
 * it is recorded twice: each lane with records of its own, and lanes at the same block together. Both must
 * say the same. */
#include "tests/unit/analysis/compaction/compaction_scene.h"

/* Three loops, one in another, each like do { ... } while. */
static const struct flow_block deep[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},     /* 0 */
    {FLOW_GO, {2}, 10, 9, FLOW_PLAIN, 0},    /* 1: outer */
    {FLOW_GO, {3}, 8, 7, FLOW_PLAIN, 0},     /* 2: middle */
    {FLOW_GO, {4}, 6, 5, FLOW_PLAIN, 0},     /* 3: inner */
    {FLOW_GO, {5}, 0, 0, FLOW_CALLABLE, 0},  /* 4 */
    {FLOW_IF, {3, 6}, 0, 0, FLOW_PLAIN, 0},  /* 5 */
    {FLOW_GO, {7}, 0, 0, FLOW_PLAIN, 0},     /* 6 */
    {FLOW_IF, {2, 8}, 0, 0, FLOW_PLAIN, 0},  /* 7 */
    {FLOW_GO, {9}, 0, 0, FLOW_PLAIN, 0},     /* 8 */
    {FLOW_IF, {1, 10}, 0, 0, FLOW_PLAIN, 0}, /* 9 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0}, /* 10 */
};
static const struct flow_function deep_functions[] = {{deep, 11}};

/* Visits of lane 0: (0,0,0) (0,0,1) (0,1,0) (1,0,0); of lane 1: (0,0,0) (1,0,0) (1,1,0) (1,1,1). Together
 * only in the first and in (1,0,0): 6 visits of one warp. */
static void three_deep(void **state)
{
    (void)state;
    static const int a[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 2, 3, 4,  5,
                            6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1};
    static const int b[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4,  5,
                            6, 7, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 9, 10, -1};
    static const walk walks[] = {a, b, NULL, NULL};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, deep_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 2, 1, 1);
        scene_launch(&scene, 0, shader, walks, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        check_path(results, 0, "1^2 | 1 || 1", 1);
        check_path(results, 0, "1 || 1 | 1^2", 1);
        check_required(&results->windows, 0, 6);
        check_required(&results->windows, WS_WINDOW_ALL, 6);
        scene_finish(&scene);
    }
}

/* A loop that can be left before the call or after it, or go on without it; or the shader ends within. */
static const struct flow_block leaving[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},       /* 0 */
    {FLOW_GO, {2}, 7, 6, FLOW_PLAIN, 0},       /* 1 */
    {FLOW_IF, {3, 7}, 0, 0, FLOW_PLAIN, 0},    /* 2: break */
    {FLOW_IF, {4, 6}, 0, 0, FLOW_PLAIN, 0},    /* 3: continue */
    {FLOW_IF, {5, 8}, 5, 0, FLOW_CALLABLE, 0}, /* 4: return after the call */
    {FLOW_GO, {6}, 0, 0, FLOW_PLAIN, 0},       /* 5 */
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},       /* 6 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0},   /* 7 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0},   /* 8 */
};
static const struct flow_function leaving_functions[] = {{leaving, 9}};

/* Lane 0 breaks before any call; lane 1 calls, goes on without, calls, breaks; lane 2 goes on without twice,
 * then calls and returns; lane 3 goes on without once and breaks. Visits: 0 by lane 1; 2 by lanes 1 and 2. */
static void break_continue_return(void **state)
{
    (void)state;
    static const int a[] = {0, 1, 2, 7, -1};
    static const int b[] = {0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 6, 1, 2, 3, 4, 5, 6, 1, 2, 7, -1};
    static const int c[] = {0, 1, 2, 3, 6, 1, 2, 3, 6, 1, 2, 3, 4, 8, -1};
    static const int d[] = {0, 1, 2, 3, 6, 1, 2, 7, -1};
    static const walk walks[] = {a, b, c, d};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, leaving_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, walks, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        check_path(results, 0, "-", 1);
        check_path(results, 0, "1 0 1", 1);
        check_path(results, 0, "0^2 1", 1);
        check_path(results, 0, "0", 1);
        assert_true(results->sites[0].figures.active == 3);
        check_required(&results->windows, 0, 2);
        scene_finish(&scene);
    }
}

/* No loop: a call in a selection, and one that everybody who is left comes to. */
static const struct flow_block straight[] = {
    {FLOW_IF, {1, 2}, 2, 0, FLOW_PLAIN, 0},    /* 0 */
    {FLOW_GO, {2}, 0, 0, FLOW_CALLABLE, 0},    /* 1 */
    {FLOW_IF, {3, 4}, 4, 0, FLOW_PLAIN, 0},    /* 2 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0},   /* 3 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_CALLABLE, 0} /* 4 */
};
static const struct flow_function straight_functions[] = {{straight, 5}};

static void without_loops(void **state)
{
    (void)state;
    static const int a[] = {0, 1, 2, 4, -1};
    static const int b[] = {0, 2, 4, -1};
    static const int c[] = {0, 1, 2, 3, -1};
    static const walk walks[] = {a, b, c, b};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, straight_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, walks, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        assert_int_equal(results->site_count, 2);
        check_path(results, 0, "1", 2);
        check_path(results, 0, "0", 2);
        check_path(results, 1, "1", 3);
        check_path(results, 1, "-", 1);
        /* Both call sites: 1 1, 0 1 (twice), 1 -. */
        assert_int_equal(results->whole_count, 1);
        assert_int_equal(results->wholes[0].figures.paths, 3);
        assert_true(results->wholes[0].figures.top[0].threads == 2);
        scene_finish(&scene);
    }
}

/* A function with a loop around its call, called twice in each iteration of a loop: two call sites, by way.
 */
static const struct flow_block two_calls[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},     /* 0 */
    {FLOW_GO, {2}, 6, 5, FLOW_PLAIN, 0},     /* 1 */
    {FLOW_IF, {3, 4}, 4, 0, FLOW_CALL, 1},   /* 2 */
    {FLOW_GO, {4}, 0, 0, FLOW_CALL, 1},      /* 3 */
    {FLOW_GO, {5}, 0, 0, FLOW_PLAIN, 0},     /* 4 */
    {FLOW_IF, {1, 6}, 0, 0, FLOW_PLAIN, 0},  /* 5 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0}, /* 6 */
};
static const struct flow_block callee[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},     /* 7 */
    {FLOW_GO, {2}, 5, 4, FLOW_PLAIN, 0},     /* 8 */
    {FLOW_IF, {3, 6}, 3, 0, FLOW_PLAIN, 0},  /* 9: or return */
    {FLOW_GO, {4}, 0, 0, FLOW_CALLABLE, 0},  /* 10 */
    {FLOW_IF, {1, 5}, 0, 0, FLOW_PLAIN, 0},  /* 11 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0}, /* 12 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0}, /* 13 */
};
static const struct flow_function two_call_functions[] = {{two_calls, 7}, {callee, 7}};

static void functions_by_way(void **state)
{
    (void)state;
    /* Iteration 0: two rounds in the first call, none in the second: it returns from within the loop.
     * Iteration 1: one in the first, one and a return in the second. */
    static const int a[] = {0, 1, 2, 7, 8,  9,  10, 11, 8, 9, 10, 11, 12, 3, 7, 8,  9, 13, 4, 5, 1,
                            2, 7, 8, 9, 10, 11, 12, 3,  7, 8, 9,  10, 11, 8, 9, 13, 4, 5,  6, -1};
    /* One iteration: the first call returns at once, the second is left out. */
    static const int b[] = {0, 1, 2, 7, 8, 9, 13, 4, 5, 6, -1};
    static const walk walks[] = {a, b, b, NULL};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, two_call_functions, 2);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, walks, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        assert_int_equal(results->site_count, 2);
        check_path(results, 0, "1^2 | 1", 1);
        check_path(results, 0, "0", 2);
        check_path(results, 1, "0 | 1", 1);
        check_path(results, 1, "0", 2);
        assert_true(results->sites[0].figures.active == 3);
        assert_true(results->sites[1].figures.active == 1);
        scene_finish(&scene);
    }
}

/* Where a call is passed by, and how many separators follow. Of the first shader a thread whose second outer
 * iteration leaves the inner loop at once has a 0 in the place of the loop, and one separator each to what is
 * before and after it: not two, though two loops ended. The second calls a function with a loop in a
 * selection: to leave that out, or to leave the loop at once, is no visit, as it would be were the loop not
 * in a function. */
static void calls_passed_by(void **state)
{
    (void)state;
    static const struct flow_block selects[] = {
        {FLOW_IF, {1, 2}, 2, 0, FLOW_PLAIN, 0},  /* 0 */
        {FLOW_GO, {2}, 0, 0, FLOW_CALL, 1},      /* 1; the callee's blocks are 3 to 9 */
        {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0}, /* 2 */
    };
    static const struct flow_function functions[] = {{selects, 3}, {callee, 7}};
    static const int outer[] = {0, 1, 2,  7, 8, 9, 10, 11, 8, 9, 10, 11, 12, 4, 5, 1, 2, 7,
                                8, 9, 13, 4, 5, 1, 2,  7,  8, 9, 10, 11, 12, 4, 5, 6, -1};
    static const int skips[] = {0, 2, -1};
    static const int leaves[] = {0, 1, 3, 4, 5, 9, 2, -1};
    static const int calls[] = {0, 1, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 2, -1};
    static const walk first[] = {outer, NULL, NULL, NULL};
    static const walk second[] = {skips, leaves, calls, NULL};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, two_call_functions, 2);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, first, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        check_path(results, 0, "1^2 | 0 | 1", 1);
        check_path(results, 1, "0 | 0 | 0", 1);
        scene_finish(&scene);

        scene_begin(&scene, 4, together, 0);
        shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, functions, 2);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, second, 0);
        stream_end(scene.stream);
        results = scene_analyse(&scene, 1);
        check_path(results, 0, "-", 2);
        check_path(results, 0, "1^2", 1);
        scene_finish(&scene);
    }
}

static void sync_point_and_call_in_one_block(void **state)
{
    (void)state;
    static const int a[] = {0, 1, 2, -1};
    static const int b[] = {0, 1, 1, 1, 2, -1};
    static const walk walks[] = {a, b, b, a};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, tight_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, walks, 0);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        check_path(results, 0, "1", 2);
        check_path(results, 0, "1^3", 2);
        check_required(&results->windows, 0, 3);
        scene_finish(&scene);
    }
}

/* Two calls in one block, and one at its beginning right after a sync point. */
static void several_calls_in_a_block(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint RayGenerationKHR %1 \"main\" %2\n%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n"
        "%5 = OpTypeInt 32 0\n%6 = OpConstant %5 0\n%7 = OpTypePointer CallableDataKHR %5\n"
        "%2 = OpVariable %7 CallableDataKHR\n%8 = OpTypeBool\n%9 = OpConstantTrue %8\n"
        "%1 = OpFunction %3 None %4\n%10 = OpLabel\nOpSelectionMerge %12 None\nOpBranchConditional %9 %11 "
        "%12\n"
        "%11 = OpLabel\nOpExecuteCallableKHR %6 %2\nOpExecuteCallableKHR %6 %2\nOpBranch %12\n"
        "%12 = OpLabel\nOpExecuteCallableKHR %6 %2\nOpReturn\nOpFunctionEnd\n";
    static const int a[] = {0, 1, 2, -1};
    static const int b[] = {0, 2, -1};
    static const walk walks[] = {a, b, a, a};
    struct scene scene;
    size_t count = 0;
    scene_begin(&scene, 4, true, 0);
    uint32_t *words = flow_assemble_text(text, sizeof(text) - 1, &count);
    flow_validate(words, count);
    struct shader *shader = scene_add_words(&scene, WS_STAGE_RAYGEN, words, count);
    stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    scene_launch(&scene, 0, shader, walks, 0);
    stream_end(scene.stream);
    const struct ws_compaction_results *results = scene_analyse(&scene, 1);
    assert_int_equal(results->site_count, 3);
    static const uint64_t taken[] = {3, 3, 4};
    for (uint32_t i = 0; i < 3; ++i) {
        check_path(results, i, "1", taken[i]);
        check_path(results, i, "0", 4 - taken[i]);
        assert_true(results->sites[i].figures.active == taken[i]);
        check_required(&results->sites[i].figures.windows, 0, 1);
    }
    scene_finish(&scene);
}

/* Longer than 1024 symbols, and than 65,536; and with as many runs, which only differ in their last symbol.
 */
static void long_paths(void **state)
{
    (void)state;
    enum { ROUNDS = 70000, TURNS = 70000 };
    int *long_walk = malloc((ROUNDS + 3) * sizeof(int));
    int *turning = malloc((8 * TURNS + 8) * sizeof(int));
    assert_non_null(long_walk);
    assert_non_null(turning);
    walk_rounds(long_walk, ROUNDS);
    int *at = turning;
    *at++ = 0;
    for (uint32_t i = 0; i < TURNS / 2; ++i) {
        static const int called[] = {1, 2, 3, 4, 5, 6};
        static const int passed[] = {1, 2, 3, 6};
        memcpy(at, called, sizeof(called));
        memcpy(at + 6, passed, sizeof(passed));
        at += 10;
    }
    int *longer = malloc((8 * TURNS + 16) * sizeof(int));
    assert_non_null(longer);
    memcpy(longer, turning, (size_t)(at - turning) * sizeof(int));
    int *end = longer + (at - turning);
    memcpy(at, (const int[]){1, 2, 7, -1}, 4 * sizeof(int));
    memcpy(end, (const int[]){1, 2, 3, 6, 1, 2, 7, -1}, 8 * sizeof(int));
    struct scene scene;
    scene_begin(&scene, 4, true, 0);
    struct shader *first = scene_add_shader(&scene, WS_STAGE_RAYGEN, tight_functions, 1);
    struct shader *second = scene_add_shader(&scene, WS_STAGE_RAYGEN, leaving_functions, 1);
    stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    scene_launch(&scene, 0, first, (const walk[]){long_walk, NULL, NULL, NULL}, 0);
    scene_launch(&scene, 0, second, (const walk[]){turning, longer, NULL, NULL}, 4);
    stream_end(scene.stream);
    const struct ws_compaction_results *results = scene_analyse(&scene, 1);
    check_path(results, results->site_first[first->id], "1^70000", 1);
    const uint32_t site = results->site_first[second->id];
    assert_int_equal(results->sites[site].figures.paths, 2);
    assert_true(results->sites[site].figures.top[0].threads == 1);
    assert_true(results->sites[site].figures.active == TURNS);
    /* The paths share all but their last run. */
    assert_true(results->tree.count < TURNS + 100);
    scene_finish(&scene);
    free(long_walk);
    free(turning);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_deep),
        cmocka_unit_test(break_continue_return),
        cmocka_unit_test(without_loops),
        cmocka_unit_test(functions_by_way),
        cmocka_unit_test(calls_passed_by),
        cmocka_unit_test(sync_point_and_call_in_one_block),
        cmocka_unit_test(several_calls_in_a_block),
        cmocka_unit_test(long_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
