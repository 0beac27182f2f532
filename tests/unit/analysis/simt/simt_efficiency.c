/* Every figure of the analysis, against numbers worked out by hand. synthetic.h says what the shaders look
 * like: blocks of 4 and 2 instructions with one histogram ("outer"), one of 6 with another ("inner"). */
#include "analysis/simt/simt_efficiency.h"
#include "analysis/annotate/report_simt.h"
#include "tests/unit/analysis/model/synthetic.h"

#include <inttypes.h>
#include <math.h>

static const uint32_t shader_0[] = {0};

/* Figures within 1e-12, or withheld for the reason given. */
static void check_shares(const struct ws_simt_counts *counts, double efficiency, double weighted,
                         double partial)
{
    double value = 0;
    assert_int_equal(ws_simt_efficiency(counts, &value), WS_SIMT_SURE);
    assert_true(value > efficiency - 1e-12 && value < efficiency + 1e-12);
    assert_int_equal(ws_simt_efficiency_weighted(counts, &value), WS_SIMT_SURE);
    assert_true(value > weighted - 1e-12 && value < weighted + 1e-12);
    if (partial < 0) {
        assert_int_equal(ws_simt_partial(counts, &value), WS_SIMT_NOTHING);
        return;
    }
    assert_int_equal(ws_simt_partial(counts, &value), WS_SIMT_SURE);
    assert_true(value > partial - 1e-12 && value < partial + 1e-12);
}

static void check_doubt(const struct ws_simt_counts *counts, enum ws_simt_doubt doubt, const char *text)
{
    char said[128];
    double value = 0.5;
    assert_int_equal(ws_simt_efficiency(counts, &value), doubt);
    assert_int_equal(ws_simt_efficiency_weighted(counts, &value), doubt);
    assert_int_equal(ws_simt_partial(counts, &value), doubt);
    assert_true(value == 0.5);
    assert_string_equal(ws_simt_doubt_text(doubt, counts, said, sizeof(said)), text);
}

/* 20 threads of 8 lanes: two full warps and one of 4. Two warps enter the inner block, with 8 and 3 lanes.
 *   executions     3 + 3 + 2 = 8           active lanes   20 + 20 + 11 = 51
 *   lane slots     24 + 24 + 16 = 64       efficiency     51 / 64
 *   weighted       (4 x 20 + 2 x 20 + 6 x 11) / (4 x 24 + 2 x 24 + 6 x 16) = 186 / 240
 *   partial        1 - 20 / 24 = 1 / 6     instructions   186 */
static void partial_warps(void **state)
{
    (void)state;
    static const struct executions outer[] = {{8, 2}, {4, 1}, {0, 0}};
    static const struct executions inner[] = {{8, 1}, {3, 1}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8, outer, inner);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_results *results = ws_report_simt(&report);
    const struct ws_simt_group *groups[] = {
        &results->total,
        ws_simt_row(results, WS_SIMT_BY_ALL, 0),
        ws_simt_row(results, WS_SIMT_BY_PIPELINE, 0),
        ws_simt_row(results, WS_SIMT_BY_STAGE, WS_STAGE_RAYGEN),
        ws_simt_row(results, WS_SIMT_BY_SHADER, 0),
        ws_simt_row(results, WS_SIMT_BY_LAUNCH, 0),
    };
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i) {
        assert_non_null(groups[i]);
        const struct ws_simt_counts *counts = &groups[i]->counts;
        assert_true(counts->warps == 8);
        assert_true(counts->threads == 0);
        assert_true(counts->active == 51);
        assert_true(counts->slots == 64);
        assert_true(counts->weighted_active == 186);
        assert_true(counts->weighted_slots == 240);
        assert_true(counts->instructions == 186);
        assert_true(counts->entry_active == 20);
        assert_true(counts->entry_slots == 24);
        assert_int_equal(counts->sizes, 8);
        check_shares(counts, 51.0 / 64, 186.0 / 240, 1.0 / 6);
        const struct ws_simt_histogram *histogram = &groups[i]->histogram;
        assert_int_equal(histogram->bins, 8);
        static const uint64_t bins[8] = {0, 0, 1, 2, 0, 0, 0, 5};
        assert_memory_equal(histogram->counts, bins, sizeof(bins));
    }
    assert_null(ws_simt_row(results, WS_SIMT_BY_PIPELINE, WS_KEY_SEVERAL));
    assert_int_equal(ws_groups_count(results->groups, WS_SIMT_BY_LAUNCH), 1);
    assert_true(results->shaders[0].launches == 1);
    assert_true(results->pipeline_launches[0] == 1);
    /* The launch size that the host did not know is the one in the launch row. */
    assert_int_equal(ws_catalog_launch(results->catalog, 0)->size[0], 20);
    assert_int_equal(ws_catalog_launch(results->catalog, 0)->size[1], 2);
    assert_int_equal(ws_catalog_launch(results->catalog, 0)->size[2], 1);
    ws_report_finish(&report);
}

/* The text is the caller's to free. */
static void print_total(const struct ws_simt_results *results, char **text)
{
    size_t size = 0;
    *text = NULL;
    FILE *stream = open_memstream(text, &size);
    assert_non_null(stream);
    assert_true(ws_analysis_simt_efficiency.text(results, stream));
    fclose(stream);
}

/* A full warp of 8 is launched twice, half filled the second time: partial 4 of 16. It runs two blocks, and
 * so does a closest hit shader, once, with 2 lanes: efficiency 2 x (12 + 2) of 2 x (16 + 8). */
static void partial_warps_of_a_mixture(void **state)
{
    (void)state;
    static const struct executions launched[] = {{8, 1}, {4, 1}, {0, 0}};
    static const struct executions called[] = {{2, 1}, {0, 0}};
    static const uint32_t ids[] = {0, 1};
    for (uint32_t stages = 1; stages <= 2; ++stages) {
        struct synthetic synthetic;
        struct ws_report report;
        synthetic_begin(&synthetic, 8);
        synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
        synthetic_shader(&synthetic, 1, WS_STAGE_CLOSEST_HIT, false);
        synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, ids, 2);
        const struct ws_shader_counters counters[] = {synthetic_counters(&synthetic, 0, 8, launched, NULL),
                                                      synthetic_counters(&synthetic, 1, 8, called, NULL)};
        synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, ids, 1, counters, stages);
        synthetic_end(&synthetic, &report);
        const struct ws_simt_results *results = ws_report_simt(&report);
        const double efficiency = stages == 1 ? 24.0 / 32 : 28.0 / 48;
        check_shares(&results->total.counts, efficiency, efficiency, 4.0 / 16);
        char *text;
        print_total(results, &text);
        assert_int_equal(strstr(text, "\n  partial: of launches' lanes") != NULL, stages == 2);
        free(text);
        ws_report_finish(&report);
    }
}

static void check_written(const struct ws_report *report, bool (*write)(const struct ws_report *, FILE *),
                          const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(write(report, stream));
    fclose(stream);
    if (strstr(text, expected) == NULL)
        fail_msg("no \"%s\" in:\n%s", expected, text);
    free(text);
}

/* One warp in 4 was counted. The sets counted 10, 12, 10, 8, 10, 11, 9 and 10 full warps in both blocks of row 1, and none in
 * the other. Executions of the two blocks: 4 x 2 x 80 = 640. sum of (c - 10)^2 = 10, so their error is
 * 2 x 4 x sqrt(3/4) x sqrt(8/7 x 10) = 23.42. All lanes were active in every set: the efficiency is 1, and its error is not
 * known. */
static void sampled_counters(void **state)
{
    (void)state;
    static const uint32_t counted[WS_SAMPLE_GROUPS] = {10, 12, 10, 8, 10, 11, 9, 10};
    static const uint32_t ids[] = {0};
    struct synthetic synthetic;
    struct ws_report report;
    struct ws_shader_counters counters[WS_SAMPLE_GROUPS];
    double error = 0;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, ids, 1);
    for (uint32_t set = 0; set < WS_SAMPLE_GROUPS; ++set) {
        const struct executions outer[] = {{8, counted[set]}, {0, 0}};
        counters[set] = synthetic_counters(&synthetic, 0, set == 0 ? 8 : 0, outer, NULL);
        counters[set].weight = 4;
        counters[set].group = set;
    }
    synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, ids, 1, counters, WS_SAMPLE_GROUPS);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_results *results = ws_report_simt(&report);
    const struct ws_simt_group *groups[] = {
        &results->total,
        ws_simt_row(results, WS_SIMT_BY_ALL, 0),
        ws_simt_row(results, WS_SIMT_BY_SHADER, 0),
        ws_simt_row(results, WS_SIMT_BY_LAUNCH, 0),
    };
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i) {
        assert_true(groups[i]->counts.warps == 640);
        assert_true(groups[i]->counts.active == 640 * 8);
        check_shares(&groups[i]->counts, 1, 1, 0);
        assert_true(ws_simt_executions_error(groups[i], &error));
        assert_true(fabs(error - 2 * 4 * sqrt(3.0 / 4) * sqrt(8.0 / 7 * 10)) < 1e-9);
        const double each =
            (double)groups[i]->counts.instructions / 640; /* active lanes of an execution x instructions */
        assert_true(ws_simt_instructions_error(groups[i], &error));
        assert_true(fabs(error - each * 2 * 4 * sqrt(3.0 / 4) * sqrt(8.0 / 7 * 10)) < 1e-9 * each);
        assert_false(ws_simt_efficiency_error(groups[i], 1, &error));
        assert_false(ws_simt_efficiency_weighted_error(groups[i], 1, &error));
    }
    assert_int_equal(results->total.counts.sizes, 8);
    check_written(&report, ws_report_json, "\"efficiency_error\":null");
    check_written(&report, ws_report_text,
                  "640          23     100.0 %           -     100.0 %               -");
    ws_report_finish(&report);
}

/* An efficiency whose error is not 0: one warp in 2, two sets with a warp of 8 each, of 8 and of 4 active lanes; the other six
 * are empty. r = 12 / 16. e = (8 - 6) and (4 - 6), times 2 x sqrt(1/2); their mean is 0. S = 2 x 16.
 * error = sqrt(8/7 x (4 + 4) x 2) / 32. */
static void sampled_efficiency(void **state)
{
    (void)state;
    struct ws_simt_set_row row = {{0}, {0}};
    ws_simt_set_row_count(&row, 0, 2, 1, 8);
    ws_simt_set_row_count(&row, 5, 2, 1, 4);
    const struct ws_simt_sets sets = ws_simt_sets_of(&row, 8, 1, 10);
    const double wanted = sqrt(8.0 / 7 * 16) / 32;
    double error = 0;
    assert_true(ws_simt_sets_share_error(sets.active, sets.slots, 32, 0.75, &error));
    assert_true(fabs(error - wanted) < 1e-12);
    assert_true(ws_simt_sets_share_error(sets.weighted_active, sets.weighted_slots, 320, 0.75, &error));
    assert_true(fabs(error - wanted) < 1e-12);
    /* Where every warp counted, nothing is uncertain. */
    struct ws_simt_set_row exact = {{0}, {0}};
    ws_simt_set_row_count(&exact, 3, 1, 100, 800);
    assert_true(ws_simt_sets_count_error(exact.executions, &error));
    assert_true(error == 0);
    error = 1;
    assert_true(ws_simt_sets_share_error(exact.active, exact.executions, 100, 8, &error));
    assert_true(error == 0);
}

/* Errors that are not known, of one warp in 3, whose x are not whole. Set g counted g + 1 warps of 7 of 8 lanes: all e[g] are
 * 0. Of warps of 1 and of 7 lanes in one set alone too, as r is that of the set. A lane less in set 0, and n = 2^30 warps in
 * each: r = (56 n - 1) / (64 n) makes e 1/8 in seven sets and -7/8 in set 0; their squares are 7/64 + 49/64 = 7/8. So the error
 * is 3 sqrt(2/3) x sqrt(8/7 x 7/8) / (3 x 64 n). */
static void alike(void **state)
{
    (void)state;
    double error = 0;
    struct ws_simt_set_row row = {{0}, {0}};
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        ws_simt_set_row_count(&row, g, 3, g + 1, 7 * (g + 1));
    struct ws_simt_sets sets = ws_simt_sets_of(&row, 8, 1, 10);
    assert_false(ws_simt_sets_share_error(sets.active, sets.slots, 3 * 36 * 8, 7.0 / 8, &error));
    assert_true(ws_simt_sets_count_error(sets.executions, &error));
    assert_true(error > 0);
    struct ws_simt_set_row alone = {{0}, {0}};
    ws_simt_set_row_count(&alone, 2, 3, 2, 8);
    sets = ws_simt_sets_of(&alone, 8, 1, 10);
    assert_false(ws_simt_sets_share_error(sets.active, sets.slots, 3 * 2 * 8, 0.5, &error));
    struct ws_simt_set_row many = {{0}, {0}};
    const uint64_t n = UINT64_C(1) << 30;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        ws_simt_set_row_count(&many, g, 3, n, 7 * n - (g == 0));
    sets = ws_simt_sets_of(&many, 8, 1, 10);
    const double slots = 64.0 * (double)n;
    const double wanted = 3 * sqrt(2.0 / 3) / (3 * slots);
    assert_true(
        ws_simt_sets_share_error(sets.active, sets.slots, 3 * slots, (56.0 * (double)n - 1) / slots, &error));
    assert_true(fabs(error - wanted) < 1e-4 * wanted);
}

/* Launches of which all warps were counted, beside a drawn one whose sets have one ratio: no error is known. Each set drew 2
 * warps of 4 of 8 lanes, 1 in 2; another launch counted 96 full warps. r = (2 x 64 + 768) / (2 x 128 + 768) = 7/8, so each e[g]
 * is (8 - 16 r) sqrt(2) = -6 sqrt(2). Set 0 with a warp more of 4 lanes: r = (2 x 68 + 768) / (2 x 136 + 768) = 113/130, and
 * the e differ, but all drawn warps are alike. That warp of 8 lanes instead tells how much warps differ: r = (2 x 72 + 768) /
 * (2 x 136 + 768) = 57/65; e = (16 - 24 r) sqrt(2) in set 0, (8 - 16 r) sqrt(2) in others, which differ by (8 - 8 r) sqrt(2) =
 * 64/65 sqrt(2); so their squares are 7/8 x 2 x (64/65)^2, and the error is sqrt(2) x 64/65 / 1040. */
static void drawn_beside_whole(void **state)
{
    (void)state;
    struct ws_simt_set_row row = {{0}, {0}};
    double error = 1;
    ws_simt_set_row_count(&row, 3, 1, 96, 768);
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        ws_simt_set_row_count(&row, g, 2, 2, 8);
    struct ws_simt_sets sets = ws_simt_sets_of(&row, 8, 1, 1);
    assert_false(ws_simt_sets_share_error(sets.active, sets.slots, 1024, 7.0 / 8, &error));
    assert_false(ws_simt_sets_count_error(sets.executions, &error));
    struct ws_simt_set_row more = row;
    ws_simt_set_row_count(&more, 0, 2, 1, 4);
    sets = ws_simt_sets_of(&more, 8, 1, 1);
    assert_false(ws_simt_sets_share_error(sets.active, sets.slots, 1040, 113.0 / 130, &error));
    assert_true(ws_simt_sets_count_error(sets.executions, &error));
    more = row;
    ws_simt_set_row_count(&more, 0, 2, 1, 8);
    sets = ws_simt_sets_of(&more, 8, 1, 1);
    assert_true(ws_simt_sets_share_error(sets.active, sets.slots, 1040, 57.0 / 65, &error));
    assert_true(fabs(error - sqrt(2) * 64 / 65 / 1040) < 1e-12);
}

/* A report of errors that are not 0: 1 warp in 4, 10 warps of 8 in each set, all full but one of 4 lanes in set 0. r = 636/640,
 * e = -3.5 in set 0 and 0.5 in the others. The error is 4 sqrt(3/4) x sqrt(8/7 x 14) / (4 x 640) = 0.54 %. Each set counted 10
 * executions: how far off their number may be is not known. */
static void sampled_report(void **state)
{
    (void)state;
    static const uint32_t ids[] = {0};
    static const struct executions full[] = {{8, 10}, {0, 0}};
    static const struct executions partly[] = {{8, 9}, {4, 1}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    struct ws_shader_counters counters[WS_SAMPLE_GROUPS];
    const double wanted = 4 * sqrt(3.0 / 4) * sqrt(8.0 / 7 * 14) / (4 * 640);
    double error = 0;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, ids, 1);
    for (uint32_t set = 0; set < WS_SAMPLE_GROUPS; ++set) {
        counters[set] = synthetic_counters(&synthetic, 0, set == 0 ? 8 : 0, set == 0 ? partly : full, NULL);
        counters[set].weight = 4;
        counters[set].group = set;
    }
    synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, ids, 1, counters, WS_SAMPLE_GROUPS);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_results *results = ws_report_simt(&report);
    const struct ws_simt_group *group = ws_simt_row(results, WS_SIMT_BY_SHADER, 0);
    assert_true(ws_simt_efficiency_error(group, 636.0 / 640, &error));
    assert_true(fabs(error - wanted) < 1e-12);
    assert_false(ws_simt_executions_error(group, &error));
    /* Each lane of the 640 warps has a slot for each instruction; 636 x 8 are active. */
    char slots[64];
    snprintf(slots, sizeof(slots), "\"slots\":%" PRIu64 ",\"efficiency\":0.99375",
             group->counts.instructions / (636 * 8) * (640 * 8));
    check_written(&report, ws_report_json, slots);
    check_written(&report, ws_report_json, "\"executions_error\":null");
    check_written(&report, ws_report_json, "\"efficiency_error\":0.00541265877");
    check_written(&report, ws_report_text,
                  "640           -      99.4 %       0.5 %      99.4 %           0.5 %");
    ws_report_finish(&report);
}

/* Of two warps of 8 that enter a fragment shader, one has 2 helper lanes and one has 5: 7 of 16. */
static void helpers_of_fragments(void **state)
{
    (void)state;
    static const struct executions entered[] = {{6, 1}, {3, 1}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    double value = 0;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_FRAGMENT, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_GRAPHICS, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8, entered, NULL);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_counts *counts = &ws_report_simt(&report)->total.counts;
    check_shares(counts, 9.0 / 16, 9.0 / 16, -1);
    assert_int_equal(ws_simt_helpers(counts, &value), WS_SIMT_SURE);
    assert_true(value > 7.0 / 16 - 1e-12 && value < 7.0 / 16 + 1e-12);
    ws_report_finish(&report);
}

/* The line that explains `partial` stands where warps of a launched stage ran, and of one that is not. */
static void partial_of_pairs_of_stages(void **state)
{
    (void)state;
    static const struct {
        uint32_t stages[2];
        bool explained;
    } pairs[] = {
        {{WS_STAGE_VERTEX, WS_STAGE_FRAGMENT}, true},  {{WS_STAGE_MESH, WS_STAGE_FRAGMENT}, true},
        {{WS_STAGE_COMPUTE, WS_STAGE_CALLABLE}, true}, {{WS_STAGE_COMPUTE, WS_STAGE_RAYGEN}, false},
        {{WS_STAGE_VERTEX, WS_STAGE_GEOMETRY}, false}, {{WS_STAGE_FRAGMENT, WS_STAGE_MISS}, false},
    };
    static const struct executions executions[] = {{4, 1}, {0, 0}};
    static const uint32_t ids[] = {0, 1};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        struct synthetic synthetic;
        struct ws_report report;
        synthetic_begin(&synthetic, 8);
        synthetic_shader(&synthetic, 0, pairs[i].stages[0], false);
        synthetic_shader(&synthetic, 1, pairs[i].stages[1], false);
        synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, ids, 2);
        const struct ws_shader_counters counters[] = {synthetic_counters(&synthetic, 0, 8, executions, NULL),
                                                      synthetic_counters(&synthetic, 1, 8, executions, NULL)};
        synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, ids, 1, counters, 2);
        synthetic_end(&synthetic, &report);
        char *text;
        print_total(ws_report_simt(&report), &text);
        if ((strstr(text, "\n  partial: of launches' lanes") != NULL) != pairs[i].explained)
            fail_msg("%s and %s: %s", ws_stage_name(pairs[i].stages[0]), ws_stage_name(pairs[i].stages[1]),
                     text);
        free(text);
        ws_report_finish(&report);
    }
}

/* Blocks 0 and 2 share a row, and each is shown with it. */
static void blocks(void **state)
{
    (void)state;
    static const struct executions outer[] = {{8, 2}, {4, 1}, {0, 0}};
    static const struct executions inner[] = {{8, 1}, {3, 1}, {0, 0}};
    static const uint64_t active[] = {20, 11, 20};
    static const uint64_t slots[] = {24, 16, 24};
    static const uint64_t instructions[] = {80, 66, 40};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8, outer, inner);
    synthetic_end(&synthetic, &report);
    for (uint32_t i = 0; i < 3; ++i) {
        struct ws_simt_counts counts;
        struct ws_simt_histogram histogram;
        ws_simt_block(ws_report_simt(&report), 0, i, &counts, &histogram);
        assert_true(counts.warps == (i == 1 ? 2 : 3));
        assert_true(counts.active == active[i]);
        assert_true(counts.slots == slots[i]);
        assert_true(counts.instructions == instructions[i]);
        assert_true(histogram.counts[7] == (i == 1 ? 1 : 2));
    }
    /* The hottest blocks come first: block 0 with 80 of 186 instructions, then block 1 with 66. */
    char *text;
    print_total(ws_report_simt(&report), &text);
    const char *hottest = strstr(text, "\nHottest blocks");
    assert_non_null(hottest);
    const char *first = strstr(hottest, "43.0 %");
    assert_non_null(first);
    assert_non_null(strstr(first, "35.5 %"));
    assert_null(strstr(strstr(first, "35.5 %"), "43.0 %"));
    free(text);
    ws_report_finish(&report);
}

/* Subgroup size N: three full warps through the outer blocks, one lane through the inner one.
 *   efficiency (2 x 3N + 1) / (7N)     weighted (4 x 3N + 2 x 3N + 6) / (6 x 3N + 6N) = (18N + 6) / (24N) */
static void every_subgroup_size(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (size_t i = 0; i < 8; ++i) {
        const uint32_t n = sizes[i];
        const struct executions outer[] = {{n, 3}, {0, 0}};
        const struct executions inner[] = {{1, 1}, {0, 0}};
        struct synthetic synthetic;
        struct ws_report report;
        synthetic_begin(&synthetic, n < WS_BINS_MIN ? WS_BINS_MIN : n);
        synthetic_shader(&synthetic, 0, WS_STAGE_COMPUTE, false);
        synthetic_pipeline(&synthetic, 0, WS_PIPELINE_COMPUTE, shader_0, 1);
        synthetic_trace(&synthetic, 0, n, outer, inner);
        synthetic_end(&synthetic, &report);
        const struct ws_simt_group *total = &ws_report_simt(&report)->total;
        check_shares(&total->counts, (6.0 * n + 1) / (7.0 * n), (18.0 * n + 6) / (24.0 * n), 0);
        assert_true(total->histogram.counts[n - 1] == (n == 1 ? 7 : 6));
        assert_int_equal(total->histogram.bins, n);
        ws_report_finish(&report);
    }
}

/* Warps of two sizes in one launch: the histogram does not tell them apart. */
static void several_sizes_withhold(void **state)
{
    (void)state;
    static const struct executions outer[] = {{16, 2}, {8, 1}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 16);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8 | 16, outer, NULL);
    synthetic_end(&synthetic, &report);
    check_doubt(&ws_report_simt(&report)->total.counts, WS_SIMT_SEVERAL_SIZES,
                "several subgroup sizes: 8, 16");
    assert_true(ws_report_simt(&report)->total.counts.warps == 6);
    assert_true(ws_report_simt(&report)->total.counts.active == 80);
    assert_true(ws_report_simt(&report)->total.counts.slots == 0);
    assert_true(ws_report_simt(&report)->total.counts.unsized == 6);
    assert_true(ws_report_simt(&report)->total.counts.wide == 0);
    ws_report_finish(&report);
}

/* Two launches, each with its own single size: 2 warps of 8 lanes with 8 and 4 active, then 1 of 16
 * with 4. Two blocks each: active 2 x (12 + 4), slots 2 x (16 + 16). */
static void sizes_of_launches_add_up(void **state)
{
    (void)state;
    static const struct executions first[] = {{8, 1}, {4, 1}, {0, 0}};
    static const struct executions second[] = {{4, 1}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 16);
    synthetic_shader(&synthetic, 0, WS_STAGE_MISS, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8, first, NULL);
    synthetic_trace(&synthetic, 0, 16, second, NULL);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_counts *total = &ws_report_simt(&report)->total.counts;
    assert_true(total->active == 32 && total->slots == 64);
    /* The share of partial warps is not defined for a miss shader. */
    check_shares(total, 0.5, 0.5, -1);
    check_shares(&ws_simt_row(ws_report_simt(&report), WS_SIMT_BY_LAUNCH, 0)->counts, 12.0 / 16, 12.0 / 16,
                 -1);
    check_shares(&ws_simt_row(ws_report_simt(&report), WS_SIMT_BY_LAUNCH, 1)->counts, 4.0 / 16, 4.0 / 16, -1);
    assert_int_equal(total->sizes, 8 | 16);
    assert_true(ws_report_simt(&report)->shaders[0].launches == 2);
    ws_report_finish(&report);
}

static void unknown_size_withholds(void **state)
{
    (void)state;
    static const struct executions outer[] = {{4, 1}, {0, 0}};
    static const uint32_t sizes[] = {0, 256};
    for (size_t i = 0; i < 2; ++i) {
        struct synthetic synthetic;
        struct ws_report report;
        synthetic_begin(&synthetic, 8);
        synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
        synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
        synthetic_trace(&synthetic, 0, sizes[i], outer, NULL);
        synthetic_end(&synthetic, &report);
        check_doubt(&ws_report_simt(&report)->total.counts, WS_SIMT_UNKNOWN_SIZE,
                    "the subgroup size was not recorded");
        ws_report_finish(&report);
    }
}

/* More lanes than the warp has: something is wrong with the data, and only what it touches is withheld. */
static void too_wide_withholds(void **state)
{
    (void)state;
    static const struct executions good[] = {{8, 1}, {0, 0}};
    static const struct executions wide[] = {{12, 3}, {8, 1}, {0, 0}};
    const uint32_t pipeline = 0;
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 16);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_shader(&synthetic, 1, WS_STAGE_MISS, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, (const uint32_t[]){0, 1}, 2);
    const struct ws_shader_counters counters[] = {synthetic_counters(&synthetic, 0, 8, good, NULL),
                                                  synthetic_counters(&synthetic, 1, 8, NULL, wide)};
    synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, &pipeline, 1, counters, 2);
    synthetic_end(&synthetic, &report);
    assert_true(ws_report_simt(&report)->total.counts.wide == 3);
    check_doubt(&ws_report_simt(&report)->total.counts, WS_SIMT_TOO_WIDE,
                "more active lanes than the subgroup size");
    check_doubt(&ws_simt_row(ws_report_simt(&report), WS_SIMT_BY_SHADER, 1)->counts, WS_SIMT_TOO_WIDE,
                "more active lanes than the subgroup size");
    check_shares(&ws_simt_row(ws_report_simt(&report), WS_SIMT_BY_SHADER, 0)->counts, 1, 1, 0);
    ws_report_finish(&report);
}

/* 20 threads through the outer blocks, 7 through the inner one: 20 + 20 + 7 executions by threads,
 * 20 x (4 + 2) + 7 x 6 instructions, no warps. */
static void per_thread_stages_have_no_efficiency(void **state)
{
    (void)state;
    static const struct executions outer[] = {{1, 20}, {0, 0}};
    static const struct executions inner[] = {{1, 7}, {0, 0}};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_VERTEX, true);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_GRAPHICS, shader_0, 1);
    synthetic_trace(&synthetic, 0, 0, outer, inner);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_counts *total = &ws_report_simt(&report)->total.counts;
    assert_true(total->warps == 0 && total->threads == 47 && total->instructions == 162);
    check_doubt(total, WS_SIMT_PER_THREAD, "counted per thread");
    assert_int_equal(ws_report_simt(&report)->total.histogram.bins, 0);
    ws_report_finish(&report);
}

/* Counters at their largest in three launches: 64 bits hold 3 x (2^32 - 1) executions of two blocks. */
static void sums_exceed_32_bits(void **state)
{
    (void)state;
    static const struct executions outer[] = {{8, UINT32_MAX}, {4, UINT32_MAX}, {0, 0}};
    const uint64_t most = UINT32_MAX;
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    for (int i = 0; i < 3; ++i)
        synthetic_trace(&synthetic, 0, 8, outer, NULL);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_counts *total = &ws_report_simt(&report)->total.counts;
    assert_true(total->warps == 2 * 3 * 2 * most);
    assert_true(total->active == 2 * 3 * 12 * most);
    assert_true(total->slots == 2 * 3 * 16 * most);
    assert_true(total->instructions == 6 * 3 * 12 * most);
    assert_false(total->saturated);
    check_shares(total, 0.75, 0.75, 0.25);
    ws_report_finish(&report);
}

static void sums_saturate(void **state)
{
    (void)state;
    struct ws_simt_counts counts = {.warps = 1, .active = 1, .slots = UINT64_MAX - 4};
    const struct ws_simt_counts more = {.warps = 1, .active = 1, .slots = 8};
    ws_simt_counts_add(&counts, &more);
    assert_true(counts.slots == UINT64_MAX && counts.saturated);
    check_doubt(&counts, WS_SIMT_SATURATED, "the sums exceed 64 bits");
    assert_true(ws_simt_product(UINT64_C(1) << 40, UINT64_C(1) << 40) == UINT64_MAX);
    assert_true(ws_simt_product(0, UINT64_MAX) == 0);
}

static void empty_capture(void **state)
{
    (void)state;
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_end(&synthetic, &report);
    check_doubt(&ws_report_simt(&report)->total.counts, WS_SIMT_NOTHING, "nothing to measure");
    assert_int_equal(ws_groups_count(ws_report_simt(&report)->groups, WS_SIMT_BY_BLOCK), 0);
    ws_report_finish(&report);
}

/* A render pass with pipelines 0 (shaders 0, 1) and 1 (shaders 0, 2): who ran shader 0 cannot be told. */
static void pipelines_of_a_render_pass(void **state)
{
    (void)state;
    static const struct executions one[] = {{8, 1}, {0, 0}};
    static const struct executions two[] = {{8, 2}, {0, 0}};
    static const uint32_t pipelines[] = {0, 1, 0};
    struct synthetic synthetic;
    struct ws_report report;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_VERTEX, false);
    synthetic_shader(&synthetic, 1, WS_STAGE_FRAGMENT, false);
    synthetic_shader(&synthetic, 2, WS_STAGE_FRAGMENT, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_GRAPHICS, (const uint32_t[]){0, 1}, 2);
    synthetic_pipeline(&synthetic, 1, WS_PIPELINE_GRAPHICS, (const uint32_t[]){0, 2}, 2);
    const struct ws_shader_counters counters[] = {synthetic_counters(&synthetic, 0, 8, NULL, one),
                                                  synthetic_counters(&synthetic, 1, 8, NULL, one),
                                                  synthetic_counters(&synthetic, 2, 8, NULL, two)};
    synthetic_launch(&synthetic, WS_LAUNCH_RENDER_PASS, pipelines, 3, counters, 3);
    synthetic_launch(&synthetic, WS_LAUNCH_RENDER_PASS, pipelines, 1, counters, 2);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_results *results = ws_report_simt(&report);
    assert_true(ws_simt_row(results, WS_SIMT_BY_PIPELINE, WS_KEY_SEVERAL)->counts.warps == 1);
    assert_true(ws_simt_row(results, WS_SIMT_BY_PIPELINE, 0)->counts.warps == 1 + 2);
    assert_true(ws_simt_row(results, WS_SIMT_BY_PIPELINE, 1)->counts.warps == 2);
    assert_true(results->pipeline_launches[0] == 2);
    assert_true(results->pipeline_launches[1] == 1);
    assert_int_equal(ws_catalog_launch(results->catalog, 0)->pipeline_count, 2);
    assert_int_equal(ws_catalog_launch(results->catalog, 0)->pipeline, WS_NONE);
    assert_int_equal(ws_catalog_launch(results->catalog, 1)->pipeline, 0);
    assert_true(ws_simt_row(results, WS_SIMT_BY_STAGE, WS_STAGE_FRAGMENT)->counts.warps == 4);
    ws_report_finish(&report);
}

/* One launch in two chunks, its launch row in the second: the numbers are those of partial_warps. */
static void split_launch(void **state)
{
    (void)state;
    static const struct executions outer[] = {{8, 2}, {4, 1}, {0, 0}};
    static const struct executions inner[] = {{8, 1}, {3, 1}, {0, 0}};
    const uint32_t pipeline = 0;
    struct synthetic synthetic;
    struct ws_report report;
    struct ws_error error = {{0}};
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    struct ws_shader_counters all = synthetic_counters(&synthetic, 0, 8, outer, inner);
    struct ws_shader_counters head = all;
    struct ws_shader_counters tail = all;
    head.row_count = 1;
    tail.row_first = 1;
    tail.row_count = 2;
    tail.words += all.bins;
    struct ws_launch launch = {
        .pipelines = &pipeline, .pipeline_count = 1, .shaders = &tail, .shader_count = 1};
    struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    assert_true(ws_capture_write_submission(synthetic.writer, &submission, &error));
    launch.shaders = &head;
    submission.flags = WS_SUBMISSION_CONTINUED;
    assert_true(ws_capture_write_submission(synthetic.writer, &submission, &error));
    synthetic_end(&synthetic, &report);
    assert_int_equal(ws_groups_count(ws_report_simt(&report)->groups, WS_SIMT_BY_LAUNCH), 1);
    assert_true(report.overview.submissions == 1);
    assert_true(ws_report_simt(&report)->pipeline_launches[0] == 1);
    check_shares(&ws_report_simt(&report)->total.counts, 51.0 / 64, 186.0 / 240, 1.0 / 6);
    ws_report_finish(&report);
}

/* Full warps for 3 ms, half full ones for 1 ms, and a launch without a time: (3 x 100 + 1 x 50) / 4 = 87.5 %. A launch of
 * another pipeline takes 4 ms with 25 %: of all launches (350 + 100) / 8 = 56.25 %. */
static void by_time(void **state)
{
    (void)state;
    static const struct executions full[] = {{8, 1}, {0, 0}};
    static const struct executions half[] = {{4, 9}, {0, 0}};
    static const struct executions quarter[] = {{2, 1}, {0, 0}};
    const uint32_t other = 1;
    struct synthetic synthetic;
    struct ws_report report;
    double value = 0;
    synthetic_begin(&synthetic, 8);
    synthetic_shader(&synthetic, 0, WS_STAGE_RAYGEN, false);
    synthetic_pipeline(&synthetic, 0, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_pipeline(&synthetic, 1, WS_PIPELINE_RAY_TRACING, shader_0, 1);
    synthetic_trace(&synthetic, 0, 8, full, NULL);
    synthetic_time(&synthetic, 3000000);
    synthetic_trace(&synthetic, 0, 8, half, NULL);
    synthetic_time(&synthetic, 1000000);
    synthetic_trace(&synthetic, 0, 8, quarter, NULL);
    struct ws_shader_counters counters = synthetic_counters(&synthetic, 0, 8, quarter, NULL);
    synthetic_launch(&synthetic, WS_LAUNCH_TRACE_RAYS, &other, 1, &counters, 1);
    synthetic_time(&synthetic, 4000000);
    synthetic_end(&synthetic, &report);
    const struct ws_simt_results *results = ws_report_simt(&report);
    assert_true(ws_simt_efficiency_by_time(results, 0, &value));
    assert_true(value == 0.875);
    assert_true(ws_simt_efficiency_by_time(results, 1, &value));
    assert_true(value == 0.25);
    assert_true(ws_simt_efficiency_by_time(results, WS_NONE, &value));
    assert_true(value == 0.5625);
    uint64_t *shaders = ws_times_of_shaders(&report.catalog);
    assert_non_null(shaders);
    assert_int_equal(shaders[0], 8000000);
    free(shaders);
    char *text;
    print_total(results, &text);
    assert_non_null(strstr(text, "efficiency"));
    assert_non_null(strstr(text, "56.2 %"));
    assert_non_null(strstr(text, "37.5 %")); /* 3 of 8 ms */
    free(text);
    ws_report_finish(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partial_warps),
        cmocka_unit_test(partial_warps_of_a_mixture),
        cmocka_unit_test(sampled_counters),
        cmocka_unit_test(sampled_efficiency),
        cmocka_unit_test(alike),
        cmocka_unit_test(drawn_beside_whole),
        cmocka_unit_test(sampled_report),
        cmocka_unit_test(helpers_of_fragments),
        cmocka_unit_test(partial_of_pairs_of_stages),
        cmocka_unit_test(blocks),
        cmocka_unit_test(every_subgroup_size),
        cmocka_unit_test(several_sizes_withhold),
        cmocka_unit_test(sizes_of_launches_add_up),
        cmocka_unit_test(unknown_size_withholds),
        cmocka_unit_test(too_wide_withholds),
        cmocka_unit_test(per_thread_stages_have_no_efficiency),
        cmocka_unit_test(sums_exceed_32_bits),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(empty_capture),
        cmocka_unit_test(pipelines_of_a_render_pass),
        cmocka_unit_test(split_launch),
        cmocka_unit_test(by_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
