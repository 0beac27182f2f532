/* What the kind `trace` shows, fed by hand: traces, CSV and JSON. */
#include "tests/unit/analysis/trace/trace_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hand hand;

static const char regrouped_thread[] =
    "\n"
    "Trace of launch id 1,0 (lane 1 of warp 0), raygen shader:main, launch 5\n"
    "  3 block executions in 2 shader executions\n"
    "  note: 1 of them ran in warps that the device put together anew\n"
    "  lanes: # this thread, + active beside it, . inactive, blank not in this execution\n"
    "\n"
    "  |+#++| > raygen shader:main, lane 1\n"
    "  |+#++|   %10  a.glsl:7-9\n"
    "  |+# +|   > closest_hit shader:main, lane 1\n"
    "  |+# +|     %10  a.glsl:7-9\n"
    "  |+# +|   < end\n"
    "  |+#++|   %12  [raygen shader:main]\n"
    "  |+#++| < end\n";

static void trace_of_a_regrouped_thread(void **state)
{
    struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 5, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_regrouped(&hand);
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_text(&hand);
    assert_string_equal(text, regrouped_thread);
    free(text);
    hand_destroy(&hand);
}

static const char folded_thread[] =
    "\n"
    "Trace of launch id 0,0 (lane 0 of warp 0), raygen shader:main, launch 0\n"
    "  11 block executions in 4 shader executions\n"
    "  lanes: # this thread, + active beside it, . inactive, blank not in this execution\n"
    "\n"
    "  |#++ | > raygen shader:main, lane 0\n"
    "  |#++ |   %10  a.glsl:7-9\n"
    "  |    | 3 times:\n"
    "  |#++ |     %11  a.glsl:10\n"
    "  |#++ |       %20  in function %2\n"
    "  |#++ |       > closest_hit shader:main, lane 0\n"
    "  |#++ |         %10  a.glsl:7-9\n"
    "  |#++ |       < end\n"
    "  |#++ |   %12  [raygen shader:main]\n"
    "  |#+. | < end\n";

static void trace_of_a_loop(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, false);
    hand_begin(&hand, 1, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_text(&hand);
    assert_memory_equal(text, folded_thread, strlen(folded_thread));
    assert_string_equal(text + strlen(folded_thread),
                        "\n  It ran in 1 other launch, too: choose with --launch\n");
    free(text);
    hand_destroy(&hand);
}

/* Thread 2 never ended: the trace says so, in the order in which it happened; and only --rows lines. */
static void trace_that_is_cut(void **state)
{
    struct ws_analysis_options options = {.has_thread = true, .thread = {2, 0, 0}, .rows = 4};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, true);
    hand_finish(&hand);
    const struct ws_trace_path *path = hand.results->paths[0];
    assert_int_equal(path->steps[path->step_count - 1].kind, WS_TRACE_CUT);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "14 block executions in 5 shader executions"));
    /* Shown: %10, and 3 rounds of %11. */
    assert_non_null(strstr(text, "... and 10 more block executions: raise --rows, now 4\n"));
    assert_non_null(strstr(text, "the trace may be of a part"));
    free(text);
    hand_destroy(&hand);
}

/* Every line of the CSV has as many fields as the first. */
static void csv_is_a_table(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    for (uint32_t pass = 0; pass < 2; ++pass) {
        hand_create(&hand, pass == 0 ? NULL : &options);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
        hand_run_calls(&hand);
        hand_run_regrouped(&hand);
        hand_end(&hand, true);
        hand_finish(&hand);
        char *text = hand_csv(&hand);
        uint32_t lines = 0;
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), ++lines) {
            uint32_t commas = 0;
            bool quoted = false;
            for (const char *at = line; *at != '\0'; ++at) {
                quoted ^= *at == '"';
                commas += *at == ',' && !quoted;
            }
            if (commas != 18)
                fail_msg("%u commas: %s", commas, line);
        }
        assert_true(lines > 10);
        free(text);
        hand_destroy(&hand);
    }
}

/* More than 32 lanes are hexadecimal masks, as wide as the warp. */
static void wide_masks(void **state)
{
    static const char wide_64[] = "  ffffffffffffffff > raygen shader:main, lane 1\n"
                                  "  ffffffffffffffff   %10  a.glsl:7-9\n"
                                  "  aaaaaaaaaaaaaaaa   %11  a.glsl:10\n"
                                  "  ffffffffffffffff < end\n";
    static const char wide_128[] = "  ffffffffffffffffffffffffffffffff   %10  a.glsl:7-9\n"
                                   "  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa   %11  a.glsl:10\n";
    struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    (void)state;
    for (uint32_t size = 64; size <= 128; size *= 2) {
        hand_create(&hand, &options);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 1000, 1, 1, 1);
        hand_run_odd(&hand, size, 2);
        hand_end(&hand, false);
        hand_finish(&hand);
        char *text = hand_text(&hand);
        assert_non_null(strstr(text, "the lowest lane is the last bit"));
        assert_non_null(strstr(text, size == 64 ? wide_64 : wide_128));
        free(text);
        hand_destroy(&hand);
    }
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

/* JSON says what the text does; it is read again from what would be printed. */
static void json_is_the_same(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 3, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, true);
    hand_finish(&hand);
    cJSON *made = cJSON_CreateObject();
    assert_true(ws_trace_json(hand.results, made));
    char *printed = cJSON_Print(made);
    cJSON *object = cJSON_Parse(printed);
    const cJSON *stage = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "stages"), 0);
    const cJSON *threads = cJSON_GetObjectItemCaseSensitive(stage, "threads");
    /* Thread 0: 2 + 3 x 3 blocks; 1 and 2: 2 + 4 x 3. */
    assert_true(number_of(threads, "number") == 3 && number_of(threads, "blocks") == 39);
    assert_true(number_of(threads, "minimum") == 11 && number_of(threads, "maximum") == 14);
    assert_true(number_of(cJSON_GetObjectItemCaseSensitive(stage, "called_by_threads"), "closest_hit") == 11);
    assert_true(number_of(cJSON_GetObjectItemCaseSensitive(stage, "called_by_warps"), "closest_hit") == 4);
    assert_true(number_of(cJSON_GetObjectItemCaseSensitive(stage, "threads_by_blocks"), "14") == 2);
    const cJSON *launch = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "launches"), 0);
    assert_true(number_of(launch, "index") == 3);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(launch, "truncated")));
    const cJSON *trace = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "traces"), 0);
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(trace, "steps");
    assert_true(number_of(trace, "blocks") == 11);
    assert_int_equal(cJSON_GetArraySize(steps), 5);
    assert_true(number_of(cJSON_GetArrayItem(steps, 2), "times") == 3);
    cJSON_Delete(object);
    cJSON_free(printed);
    cJSON_Delete(made);
    hand_destroy(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_of_a_regrouped_thread),
        cmocka_unit_test(trace_of_a_loop),
        cmocka_unit_test(trace_that_is_cut),
        cmocka_unit_test(csv_is_a_table),
        cmocka_unit_test(wide_masks),
        cmocka_unit_test(json_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
