/* Thread paths, and visits by windows of warps, against answers worked out by hand (compaction_scene.h).
 * Where a case runs `together` or not, it is recorded twice: each lane with records of its own, and lanes at
 * the same block together. Both must say the same. */
#include "tests/unit/analysis/compaction/compaction_scene.h"
#include "tests/unit/analysis/report/json_of.h"

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

/* A loop that a thread can leave before or after the call, or continue without the call; or the shader ends
 * in it. */
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

/* A call that is passed by is a 0, and separators follow. In the first shader a thread leaves the inner loop
 * at once in its second outer iteration: that iteration is one 0, with one separator before and one behind
 * it, though two loops ended. The second shader calls a function with a loop, within a selection. To pass by
 * the selection, or to leave the loop at once, is no visit: the same as if the loop were not in a
 * function. */
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

/* WINDOWS: warps that visits require. */

/* Figure 3.8: samples around bounces; who misses leaves the inner loop. */
static const struct flow_block nested[] = {
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},       /* 0 */
    {FLOW_GO, {2}, 8, 7, FLOW_PLAIN, 0},       /* 1: samples */
    {FLOW_IF, {3, 8}, 0, 0, FLOW_PLAIN, 0},    /* 2 */
    {FLOW_GO, {4}, 6, 5, FLOW_PLAIN, 0},       /* 3: bounces */
    {FLOW_IF, {5, 6}, 0, 0, FLOW_CALLABLE, 0}, /* 4: trace; missed: break */
    {FLOW_GO, {3}, 0, 0, FLOW_PLAIN, 0},       /* 5 */
    {FLOW_GO, {7}, 0, 0, FLOW_PLAIN, 0},       /* 6 */
    {FLOW_GO, {1}, 0, 0, FLOW_PLAIN, 0},       /* 7 */
    {FLOW_RETURN, {0}, 0, 0, FLOW_PLAIN, 0},   /* 8 */
};
static const struct flow_function nested_functions[] = {{nested, 9}};

/* Two samples of so many bounces. */
static const int n_1_1[] = {0, 1, 2, 3, 4, 6, 7, 1, 2, 3, 4, 6, 7, 1, 2, 8, -1};
static const int n_2_1[] = {0, 1, 2, 3, 4, 5, 3, 4, 6, 7, 1, 2, 3, 4, 6, 7, 1, 2, 8, -1};
static const int n_3_1[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 6, 7, 1, 2, 3, 4, 6, 7, 1, 2, 8, -1};
static const int n_1_3[] = {0, 1, 2, 3, 4, 6, 7, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 6, 7, 1, 2, 8, -1};

/* Two warps of 4 lanes, bounces of the samples
 *   warp 0: 3+1 1+1 1+1 1+1      warp 1: 3+1 2+1 1+1 1+3
 * visit        threads of warp 0, warp 1     required(1)  required(2)
 *   (0, 0)     4 4                           2            2
 *   (0, 1)     1 2                           2            1
 *   (0, 2)     1 1                           2            1
 *   (1, 0)     4 4                           2            2
 *   (1, 1)     0 1                           1            1
 *   (1, 2)     0 1                           1            1
 * Counted one after the other, as the paper does, the third visit would be of 1 + 2 threads. */
static void figure_3_8(void **state)
{
    (void)state;
    static const walk first[] = {n_3_1, n_1_1, n_1_1, n_1_1};
    static const walk second[] = {n_3_1, n_2_1, n_1_1, n_1_3};
    for (int together = 0; together < 2; ++together)
        for (uint32_t workers = 1; workers < 4; ++workers) {
            struct scene scene;
            scene_begin(&scene, 4, together, workers);
            struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1);
            stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
            /* The later warp appears first. */
            scene_launch(&scene, 0, shader, second, 4);
            scene_launch(&scene, 1, shader, first, 0);
            stream_end(scene.stream);
            const struct ws_compaction_results *results = scene_analyse(&scene, workers);
            assert_int_equal(results->site_count, 1);
            const struct ws_compaction_figures *figures = &results->sites[0].figures;
            check_path(results, 0, "1^3 | 1", 2);
            check_path(results, 0, "1^2 | 1", 1);
            check_path(results, 0, "1 | 1^3", 1);
            check_path(results, 0, "1 | 1", 4);
            assert_int_equal(figures->paths, 4);
            assert_true(figures->threads == 8);
            assert_true(figures->active == 4 * 4 + 3 + 2 + 2);
            assert_true(figures->top[0].threads == 4);
            assert_true(figures->top[1].threads == 2);
            check_required(&figures->windows, 0, 10);
            check_required(&figures->windows, 1, 8);
            check_required(&figures->windows, WS_WINDOW_ALL, 8);
            check_required(&results->windows, WS_WINDOW_ALL, 8);
            check_required(&results->launches[0].windows, 1, 8);
            assert_true(ws_compaction_saved(&figures->windows, 1) == 0.2);
            assert_int_equal(results->window_count, 1);
            scene_finish(&scene);
        }
}

/* A thread that goes from one context to another. */
struct traveller {
    walk walk;
    walk at;
    uint32_t context;
    uint32_t lane;
    bool back; /* from a call, and not yet in a warp */
};

/* Threads that are back go on together, as many as fit into a warp, the last thread in the lowest lane. */
static void regroup(struct scene *scene, const struct shader *shader, struct traveller *threads,
                    uint32_t count)
{
    uint32_t number = 0;
    uint32_t work[LANES_MAX];
    uint32_t lanes = 0;
    for (uint32_t i = count; i-- > 0 && lanes < scene->lanes;)
        if (threads[i].back)
            work[lanes++] = i;
    while (shader->sites->sites[number].kind != WS_SITE_CONTINUE)
        number++;
    const uint32_t context =
        stream_continue(scene->stream, 0, shader->id, number, ws_lanes_first(lanes), work);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        threads[work[lane]].back = false;
        threads[work[lane]].context = context;
        threads[work[lane]].lane = lane;
    }
}

/* Whether a thread can go on; `back`: or is back from a call. */
static bool is_under_way(const struct traveller *thread, bool back)
{
    return *thread->at >= 0 && thread->back == back;
}

/* Runs all threads; those that ran `call` go on in other warps. */
static void travel(struct scene *scene, const struct shader *shader, struct traveller *threads,
                   uint32_t count, int call)
{
    for (;;) {
        uint32_t first = WS_NONE;
        uint32_t back = 0;
        for (uint32_t i = 0; i < count; ++i) {
            back += is_under_way(&threads[i], true);
            if (is_under_way(&threads[i], false) &&
                (first == WS_NONE ||
                 threads[i].at - threads[i].walk < threads[first].at - threads[first].walk))
                first = i;
        }
        if (back >= scene->lanes || (first == WS_NONE && back > 0)) {
            regroup(scene, shader, threads, count);
            continue;
        }
        if (first == WS_NONE)
            return;
        const uint32_t context = threads[first].context;
        const int block = *threads[first].at;
        struct ws_lanes lanes = {0, 0};
        for (uint32_t i = 0; i < count; ++i)
            if (is_under_way(&threads[i], false) && threads[i].context == context &&
                *threads[i].at == block) {
                lanes = ws_lanes_or(lanes, ws_lanes_one(threads[i].lane));
                threads[i].at++;
                threads[i].back = block == call;
            }
        scene_run_block(scene, shader, context, (uint32_t)block, lanes);
    }
}

/* The same threads as in figure 3.8, and so the same visits and paths, where every call brings them together
 * in other warps: who goes on is found by the threads, whether the shader was launched or called. */
static void threads_that_move(void **state)
{
    (void)state;
    static const walk walks[] = {n_3_1, n_1_1, n_1_1, n_1_1, n_3_1, n_2_1, n_1_1, n_1_3};
    for (uint32_t called = 0; called < 2; ++called) {
        struct scene scene;
        struct traveller threads[8] = {0};
        scene_begin(&scene, 4, true, 0);
        struct shader *raygen =
            called ? scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1) : NULL;
        struct shader *shader =
            scene_add_shader(&scene, called ? WS_STAGE_CLOSEST_HIT : WS_STAGE_RAYGEN, nested_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
        for (uint32_t warp = 0; warp < 2; ++warp) {
            if (called)
                scene_enter(&scene, 0, raygen, walks, 4 * warp);
            const uint32_t context = scene_enter(&scene, 0, shader, walks, 4 * warp);
            for (uint32_t lane = 0; lane < 4; ++lane)
                threads[4 * warp + lane] =
                    (struct traveller){walks[4 * warp + lane], walks[4 * warp + lane], context, lane, false};
        }
        travel(&scene, shader, threads, 8, 4);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        assert_int_equal(results->site_count, 1 + called); /* that of the caller, which no thread comes to */
        const struct ws_compaction_figures *figures = &results->sites[called].figures;
        check_path(results, called, "1^3 | 1", 2);
        check_path(results, called, "1^2 | 1", 1);
        check_path(results, called, "1 | 1^3", 1);
        check_path(results, called, "1 | 1", 4);
        assert_int_equal(figures->paths, 4);
        assert_true(figures->threads == 8);
        assert_true(figures->active == 4 * 4 + 3 + 2 + 2);
        check_required(&figures->windows, 0, 10);
        check_required(&figures->windows, 1, 8);
        scene_finish(&scene);
    }
}

/* Five warps of S lanes, the last with half its threads. In round 0 all threads are active, in round 1 one
 * per warp but in the last warp, where none is. window   round 0                      round 1       required
 *   1        5                            4             9
 *   2        2 + 2 + 1 (S/2)              1 + 1         7
 *   4        4 + 1                        1             6
 *   all      ceil(4.5) = 5                1             6 */
static void partial_windows_of_every_size(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {8, 32, 64, 128};
    int once[4];
    int twice[5];
    walk_rounds(once, 1);
    walk_rounds(twice, 2);
    for (size_t s = 0; s < 4; ++s) {
        const uint32_t size = sizes[s];
        struct scene scene;
        scene_begin(&scene, size, true, 3);
        struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, tight_functions, 1);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 5 * size, 1, 1);
        for (uint32_t warp = 0; warp < 5; ++warp) {
            walk walks[LANES_MAX];
            for (uint32_t lane = 0; lane < size; ++lane)
                walks[lane] = warp == 4 && lane >= size / 2 ? NULL : lane == size - 1 ? twice : once;
            scene_launch(&scene, warp, shader, walks, warp * size);
        }
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 2);
        assert_true(results->sites[0].figures.threads == 4 * size + size / 2);
        check_path(results, 0, "1^2", 4);
        check_path(results, 0, "1", 4 * size + size / 2 - 4);
        check_required(&results->windows, 0, 9);
        check_required(&results->windows, 1, 7);
        check_required(&results->windows, 2, 6);
        check_required(&results->windows, 3, 6);
        check_required(&results->windows, WS_WINDOW_ALL, 6);
        assert_int_equal(results->window_count, 3);
        scene_finish(&scene);
    }
}

/* The same module twice: all ids are equal, threads and figures are not. */
static void modules_whose_ids_collide(void **state)
{
    (void)state;
    static const walk first[] = {n_3_1, n_1_1, NULL, NULL};
    static const walk second[] = {n_2_1, n_2_1, n_2_1, n_2_1};
    struct scene scene;
    scene_begin(&scene, 4, true, 0);
    struct shader *one = scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1);
    struct shader *two = scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1);
    stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    scene_launch(&scene, 0, one, first, 0);
    scene_launch(&scene, 1, two, second, 4);
    stream_end(scene.stream);
    const struct ws_compaction_results *results = scene_analyse(&scene, 2);
    assert_int_equal(results->site_count, 2);
    const uint32_t a = results->site_first[one->id];
    const uint32_t b = results->site_first[two->id];
    check_path(results, a, "1^3 | 1", 1);
    check_path(results, a, "1 | 1", 1);
    check_path(results, b, "1^2 | 1", 4);
    assert_int_equal(results->sites[b].figures.paths, 1);
    /* Site a: four visits by one partial warp; site b: three by a full one. */
    check_required(&results->sites[a].figures.windows, WS_WINDOW_ALL, 4);
    check_required(&results->sites[b].figures.windows, WS_WINDOW_ALL, 3);
    scene_finish(&scene);
}

/* A called shader that two rays start: its paths go on from execution to execution, and its visits are
 * aligned by how often the thread ran it. Lane 0 runs it twice, lane 1 only as lane 0 does for the second
 * time; so in that second execution lanes 0 and 1 are at different visits. */
static void called_shaders(void **state)
{
    (void)state;
    static const int raygen_walk[] = {0, 1, 1, 2, -1};
    static const int once[] = {0, 1, 2, -1};
    static const int twice[] = {0, 1, 1, 2, -1};
    static const walk all[] = {raygen_walk, raygen_walk, NULL, NULL};
    for (int together = 0; together < 2; ++together) {
        struct scene scene;
        scene_begin(&scene, 4, together, 0);
        struct shader *raygen = scene_add_shader(&scene, WS_STAGE_RAYGEN, tight_functions, 1);
        struct shader *hit = scene_add_shader(&scene, WS_STAGE_CLOSEST_HIT, tight_functions, 1);
        const struct ws_lanes both = ws_lanes_first(2);
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        uint32_t caller = scene_enter(&scene, 0, raygen, all, 0);
        scene_run_block(&scene, raygen, caller, 0, both);
        scene_run_block(&scene, raygen, caller, 1, both);
        static const walk lane_0[] = {twice, NULL, NULL, NULL};
        scene_run_warp(&scene, hit, scene_enter(&scene, 0, hit, lane_0, 0), lane_0);
        scene_run_block(&scene, raygen, caller, 1, both);
        static const walk lanes_0_1[] = {once, twice, NULL, NULL};
        scene_run_warp(&scene, hit, scene_enter(&scene, 0, hit, lanes_0_1, 0), lanes_0_1);
        scene_run_block(&scene, raygen, caller, 2, both);
        stream_end(scene.stream);
        const struct ws_compaction_results *results = scene_analyse(&scene, 1);
        const uint32_t site = results->site_first[hit->id];
        check_path(results, site, "1^2 | 1", 1);
        check_path(results, site, "1^2", 1);
        assert_true(results->sites[site].figures.threads == 2);
        /* (0, 0) and (0, 1) by both threads, of one warp; (1, 0) by lane 0. */
        check_required(&results->sites[site].figures.windows, 0, 3);
        assert_true(results->sites[site].figures.active == 5);
        scene_finish(&scene);
    }
}

/* Two launches: rows of their own, and sums. */
static void launches_add_up(void **state)
{
    (void)state;
    static const walk first[] = {n_3_1, n_1_1, n_1_1, n_1_1};
    static const walk second[] = {n_1_1, n_1_1, n_1_1, n_1_1};
    struct scene scene;
    scene_begin(&scene, 4, true, 0);
    struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1);
    for (int i = 0; i < 2; ++i) {
        stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        scene_launch(&scene, 0, shader, i == 0 ? first : second, 0);
        stream_end(scene.stream);
    }
    const struct ws_compaction_results *results = scene_analyse(&scene, 1);
    assert_int_equal(results->launch_count, 2);
    assert_int_equal(results->row_count, 2);
    assert_int_equal(results->rows[0].figures.paths, 2);
    assert_int_equal(results->rows[1].figures.paths, 1);
    assert_true(results->rows[1].figures.top[0].threads == 4);
    check_required(&results->rows[0].figures.windows, 0, 4);
    check_required(&results->rows[1].figures.windows, 0, 2);
    check_required(&results->windows, 0, 6);
    check_path(results, 0, "1 | 1", 7);
    scene_finish(&scene);
}

/* Visits past the limit of a site are warps in every window, and are counted. Two warps of 4 lanes, one
 * thread each in visits 0 to 5, of which 3 are kept: required(1) 6 + 6, required(2) 3 + 6. */
static void visits_past_the_limit(void **state)
{
    (void)state;
    struct ws_compaction_visits visits = {.site_limit = 3};
    struct ws_compaction_visit_site site = {0};
    struct ws_windows windows = {{0}};
    for (uint32_t round = 0; round < 6; ++round)
        for (uint32_t warp = 0; warp < 2; ++warp) {
            const uint32_t key[] = {4, 0, round};
            assert_true(ws_compaction_visits_add(&visits, &site, 0, key, 3, warp, 1, 4));
        }
    assert_true(site.rest == 6);
    assert_true(site.active == 12);
    assert_true(ws_compaction_visits_windows(&visits, &windows));
    ws_windows_add(&windows, site.full + site.rest);
    check_required(&windows, 0, 12);
    check_required(&windows, 1, 9);
    check_required(&windows, WS_WINDOW_ALL, 9);
    ws_compaction_visits_finish(&visits);
}

/* Halves of a warp that visit apart are one warp: 2 + 2 of 4 lanes; and 3 + 3 threads of warps 0 and 2^31 + 5
 * fit two warps only in the window of all. */
static void split_halves_and_far_warps(void **state)
{
    (void)state;
    struct ws_compaction_visits visits = {0};
    struct ws_compaction_visit_site sites[2] = {{0}};
    struct ws_windows windows[2] = {{{0}}};
    const uint32_t key[] = {4, 0};
    assert_true(ws_compaction_visits_add(&visits, &sites[0], 0, key, 2, 7, 2, 4));
    assert_true(ws_compaction_visits_add(&visits, &sites[0], 0, key, 2, 7, 2, 4));
    assert_true(ws_compaction_visits_add(&visits, &sites[1], 1, key, 2, 0x80000005u, 1, 4));
    assert_true(ws_compaction_visits_add(&visits, &sites[1], 1, key, 2, 0, 3, 4));
    assert_true(ws_compaction_visits_windows(&visits, windows));
    check_required(&windows[0], 0, 1);
    check_required(&windows[0], WS_WINDOW_ALL, 1);
    check_required(&windows[1], 31, 2);
    check_required(&windows[1], WS_WINDOW_ALL, 1);
    ws_compaction_visits_finish(&visits);
}

static bool write_tables(const void *groups, struct ws_json *json)
{
    return ws_groups_json_all(groups, json);
}

/* Text, JSON and CSV of a capture say the numbers of figure_3_8. */
static void printed(void **state)
{
    (void)state;
    static const walk first[] = {n_3_1, n_1_1, n_1_1, n_1_1};
    static const walk second[] = {n_3_1, n_2_1, n_1_1, n_1_3};
    /* Of one call site: paths, shares, window, path, threads, visits, warps, required, compacted, ... */
    static const char *const rows[] = {
        "\ntotal,,,,,,,,,,,,,,,,,,,,8,23,10,8,0.2,0.2,0.2,0.2,0.2,0.2,0,,\n",
        "\nwindows,,,,,,,,,,,,,,,,,,1,,,23,10,10,0,,,,,,,,\n",
        ",4,0.5,0.25,0.125,,,8,23,10,8,0.2,0.2,0.2,0.2,0.2,0.2,0,,\n",
        ",,,,,1,,,23,10,10,0,,,,,,,,\n",
        ",,,,,all,,,23,10,8,0.2,,,,,,,,\n",
        "\nlaunches,0,0,0,trace rays,8x1x1,work,4,,,,,,,,,,,,,8,23,10,8,0.2,0.2,0.2,0.2,0.2,0.2,0,2,false\n",
        ",,,,,,1 | 1,4,,,,,,,,,,,,\n",
        ",,,,,,1^3 | 1,2,,,,,,,,,,,,\n",
    };
    struct scene scene;
    scene_begin(&scene, 4, true, 0);
    struct shader *shader = scene_add_shader(&scene, WS_STAGE_RAYGEN, nested_functions, 1);
    stream_begin(scene.stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    scene_launch(&scene, 0, shader, first, 0);
    scene_launch(&scene, 1, shader, second, 4);
    stream_end(scene.stream);
    const struct ws_compaction_results *results = scene_analyse(&scene, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct ws_error error = {{0}};
    if (!ws_columns_check(&ws_compaction_columns, &error))
        fail_msg("%s", error.message);
    assert_true(ws_compaction_text(results, out));
    assert_true(ws_groups_csv(results->groups, out));
    fclose(out);
    assert_non_null(strstr(text, "20.0 %"));
    assert_non_null(strstr(text, "1^3 | 1"));
    assert_non_null(strstr(text, "50.00 %"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        if (strstr(text, rows[i]) == NULL)
            fail_msg("no row of CSV ends with %s", rows[i]);
    free(text);
    cJSON *object = json_of(write_tables, results->groups);
    assert_non_null(object);
    const cJSON *site = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "call_sites"), 0);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(site, "paths")) == 4);
    const cJSON *top = cJSON_GetObjectItem(site, "top");
    assert_int_equal(cJSON_GetArraySize(top), 3);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetArrayItem(top, 0), "threads")) == 4);
    cJSON_Delete(object);
    scene_finish(&scene);
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
        cmocka_unit_test(figure_3_8),
        cmocka_unit_test(threads_that_move),
        cmocka_unit_test(partial_windows_of_every_size),
        cmocka_unit_test(modules_whose_ids_collide),
        cmocka_unit_test(called_shaders),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(visits_past_the_limit),
        cmocka_unit_test(split_halves_and_far_warps),
        cmocka_unit_test(printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
