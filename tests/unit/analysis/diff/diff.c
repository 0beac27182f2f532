/* Two captures compared, with every figure worked out by hand.
 *
 * A capture has compute shaders of one block each, of two instructions that run (OpNop has none; OpReturn is one), and counters of
 * warps of 8 lanes: `warps` executions with `lanes` lanes each. So executions = warps, active lanes = warps x lanes, slots
 * = 8 x warps, efficiency = lanes / 8 (of several shaders: sums of both). */
#include <math.h>

#include "analysis/diff/condition.h"
#include "analysis/diff/diff.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"

enum { BINS = 8, SHADERS_MAX = 4, LAUNCHES_MAX = 8 };

/* A shader of a capture that is written. */
struct shader {
    const char *name; /* of the module */
    uint64_t hash;
    uint32_t warps; /* in each launch */
    uint32_t lanes;
};

struct run {
    struct shader shaders[SHADERS_MAX];
    uint32_t shader_count;
    uint32_t frames;   /* each with one launch of all shaders */
    uint32_t launches; /* in each frame */
    const char *tile;
};

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

static void write_shader(struct ws_capture_writer *writer, uint32_t id, const struct shader *shader)
{
    static const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    static const char *const owners[] = {"simt_efficiency"};
    static const uint32_t function = 4;
    static const struct ws_block_info block = {5, 5, 2, 4, 2};
    static const struct ws_site_info sites[] = {{WS_NONE, 0, WS_SITE_LAUNCH, 0, 5, 0},
                                                {0, 0, WS_SITE_BLOCK, 0, 5, 1}};
    const struct ws_entry_info entry = {.name = "main",
                                        .stage = WS_STAGE_COMPUTE,
                                        .function = 4,
                                        .row_count = 2,
                                        .functions = &function,
                                        .function_count = 1};
    struct ws_error error = {{0}};
    good(ws_capture_write_module(
             writer,
             &(struct ws_chunk_module){
                 .id = id, .hash = shader->hash, .name = shader->name, .words = words, .word_count = 8},
             &error),
         &error);
    good(ws_capture_write_sites(writer,
                                &(struct ws_chunk_sites){.module = id,
                                                         .row_count = 2,
                                                         .passes = owners,
                                                         .pass_count = 1,
                                                         .entries = &entry,
                                                         .entry_count = 1,
                                                         .blocks = &block,
                                                         .block_count = 1,
                                                         .sites = sites,
                                                         .site_count = 2},
                                &error),
         &error);
    good(ws_capture_write_shader(
             writer,
             &(struct ws_chunk_shader){.id = id, .module = id, .stage = WS_STAGE_COMPUTE, .name = "main"},
             &error),
         &error);
    good(ws_capture_write_pipeline(
             writer,
             &(struct ws_chunk_pipeline){
                 .id = id, .kind = WS_PIPELINE_COMPUTE, .shaders = &id, .shader_count = 1},
             &error),
         &error);
}

/* A dispatch of one shader. */
static void write_launch(struct ws_capture_writer *writer, uint32_t id, const struct shader *shader,
                         uint64_t index, uint64_t frame)
{
    uint32_t rows[2 * BINS] = {[0] = 8}; /* the launch row: subgroup sizes */
    rows[BINS + shader->lanes - 1] = shader->warps;
    const struct ws_shader_counters counters = {id, 0, 2, BINS, rows};
    const struct ws_launch launch = {.index = index,
                                     .kind = WS_LAUNCH_DISPATCH,
                                     .size = {4, 1, 1},
                                     .label = shader->name,
                                     .pipelines = &id,
                                     .pipeline_count = 1,
                                     .shaders = &counters,
                                     .shader_count = 1};
    struct ws_error error = {{0}};
    good(ws_capture_write_submission(
             writer,
             &(struct ws_chunk_submission){
                 .index = index, .frame = frame, .launches = &launch, .launch_count = 1},
             &error),
         &error);
}

static void read_run(struct ws_report *report, char path[64], const struct run *run)
{
    static const char *const passes[] = {"simt_efficiency"};
    const struct ws_text_pair settings[] = {{"tile", run->tile != NULL ? run->tile : ""}};
    struct ws_report_request request = {.all = true, .options = {.whole = true}};
    struct ws_error error = {{0}};
    uint64_t index = 0;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    good(writer != NULL, &error);
    good(ws_capture_write_info(
             writer,
             &(struct ws_chunk_info){
                 .passes = passes, .pass_count = 1, .settings = settings, .setting_count = 1},
             &error),
         &error);
    good(ws_capture_write_device(
             writer,
             &(struct ws_chunk_device){
                 .name = "GPU", .subgroup_size = 8, .bins = BINS, .subgroup_stages = WS_STAGES_ALL},
             &error),
         &error);
    for (uint32_t i = 0; i < run->shader_count; ++i)
        write_shader(writer, i, &run->shaders[i]);
    for (uint32_t frame = 0; frame < run->frames; ++frame)
        for (uint32_t launch = 0; launch < run->launches; ++launch)
            for (uint32_t i = 0; i < run->shader_count; ++i)
                write_launch(writer, i, &run->shaders[i], index++, frame);
    ws_capture_writer_destroy(writer);
    good(ws_report_read(report, path, &request, &error), &error);
    unlink(path);
}

/* Two runs compared. */
struct compared {
    char paths[WS_DIFF_SIDES][64];
    struct ws_report reports[WS_DIFF_SIDES];
    struct ws_diff diff;
};

static void compare(struct compared *compared, const struct run *a, const struct run *b)
{
    read_run(&compared->reports[0], compared->paths[0], a);
    read_run(&compared->reports[1], compared->paths[1], b);
    assert_true(ws_diff_init(&compared->diff, &compared->reports[0], &compared->reports[1], NULL));
}

static void finish(struct compared *compared)
{
    ws_diff_finish(&compared->diff);
    ws_report_finish(&compared->reports[0]);
    ws_report_finish(&compared->reports[1]);
}

/* The change of a figure of the total, or of the row with that name; fails where it is not among those that changed. */
static const struct ws_diff_figure *figure_of(const struct ws_diff *diff, const char *table, const char *row,
                                              const char *field)
{
    for (uint32_t i = 0; i < diff->figure_count; ++i) {
        const struct ws_diff_table *from = &diff->tables[diff->figures[i].table];
        char name[WS_DIFF_ROW_NAME];
        ws_diff_row_name(from, 0, diff->figures[i].row[0], name);
        if (strcmp(from->analysis->name, "simt_efficiency") == 0 &&
            strcmp(ws_groups_level_name(from->groups[0], from->level), table) == 0 &&
            strcmp(name, row) == 0 && strcmp(diff->figures[i].field.field->name, field) == 0)
            return &diff->figures[i];
    }
    fail_msg("%s of %s in %s did not change", field, row, table);
    return NULL;
}

static const struct run usual = {
    .shaders = {{"blur", 100, 30, 8}, {"sort", 200, 10, 4}}, .shader_count = 2, .frames = 1, .launches = 1};

/* A run against itself: no figure changed, and no row is alone. */
static void same(void **state)
{
    (void)state;
    struct compared compared;
    compare(&compared, &usual, &usual);
    assert_int_equal(compared.diff.figure_count, 0);
    assert_int_equal(compared.diff.setting_count, 0);
    for (uint32_t i = 0; i < compared.diff.table_count; ++i)
        if (compared.diff.tables[i].compared)
            assert_int_equal(compared.diff.tables[i].joined, compared.diff.tables[i].join.count[0]);
    finish(&compared);
}

/* sort goes from 10 warps of 4 lanes to 20 of 8: 280 of 320 lane slots -> 400 of 400, 40 executions -> 50. */
static void figures(void **state)
{
    (void)state;
    struct compared compared;
    struct run after = usual;
    after.shaders[1].warps = 20;
    after.shaders[1].lanes = 8;
    compare(&compared, &usual, &after);
    const struct ws_diff_figure *figure = figure_of(&compared.diff, "total", "", "efficiency");
    assert_true(figure->value[0] == 280.0 / 320 && figure->value[1] == 1);
    assert_true(figure->change == 0.125 && figure->effect == 1 && figure->weight == 1);
    assert_true(figure->importance == 0.125);
    figure = figure_of(&compared.diff, "total", "", "executions");
    assert_true(figure->value[0] == 40 && figure->value[1] == 50 && figure->change == 0.25);
    assert_int_equal(figure->effect, -1);
    figure = figure_of(&compared.diff, "shaders", "sort:main", "efficiency");
    assert_true(figure->value[0] == 0.5 && figure->value[1] == 1 && figure->effect == 1);
    finish(&compared);
}

/* The other way round, and one more in front: they are joined by what they are. */
static void reordered(void **state)
{
    (void)state;
    struct compared compared;
    const struct run after = {.shaders = {{"new", 300, 5, 8}, {"sort", 200, 10, 4}, {"blur", 100, 30, 8}},
                              .shader_count = 3,
                              .frames = 1,
                              .launches = 1};
    compare(&compared, &usual, &after);
    const struct ws_diff_match *match = &compared.diff.match;
    assert_int_equal(match->shaders.other[0][0], 2);
    assert_int_equal(match->shaders.other[0][1], 1);
    assert_int_equal(match->shaders.other[1][0], WS_NONE);
    assert_int_equal(match->pipelines.other[0][0], 2);
    assert_int_equal(match->launches.other[0][0], 2);
    assert_int_equal(ws_diff_shader_state(match, compared.diff.reports, 0, 0), WS_DIFF_SAME);
    assert_int_equal(ws_diff_shader_state(match, compared.diff.reports, 1, 0), WS_DIFF_ADDED);
    const struct ws_diff_table *shaders = ws_diff_table_find(&compared.diff, "simt_efficiency", "shaders");
    assert_int_equal(shaders->joined, 2);
    /* But for shares of what there is now, the two are as they were. */
    assert_int_equal(shaders->changed, 2);
    finish(&compared);
}

/* blur has another name, sort another content, and what was called old is gone. */
static void renamed(void **state)
{
    (void)state;
    struct compared compared;
    const struct run before = {.shaders = {{"blur", 100, 30, 8}, {"sort", 200, 10, 4}, {"old", 300, 1, 8}},
                               .shader_count = 3,
                               .frames = 1,
                               .launches = 1};
    const struct run after = {.shaders = {{"smear", 100, 30, 8}, {"sort", 201, 10, 4}},
                              .shader_count = 2,
                              .frames = 1,
                              .launches = 1};
    compare(&compared, &before, &after);
    const struct ws_diff_match *match = &compared.diff.match;
    assert_int_equal(ws_diff_shader_state(match, compared.diff.reports, 0, 0), WS_DIFF_RENAMED);
    assert_int_equal(ws_diff_shader_state(match, compared.diff.reports, 0, 1), WS_DIFF_CHANGED);
    assert_int_equal(ws_diff_shader_state(match, compared.diff.reports, 0, 2), WS_DIFF_REMOVED);
    assert_false(ws_diff_same_code(match, compared.diff.reports, 0, 1));
    finish(&compared);
}

/* Three frames against two, and ten launches against five: nothing but their number changed. */
static void scales(void **state)
{
    (void)state;
    struct compared compared;
    struct run a = usual;
    struct run b = usual;
    a.frames = 3;
    b.frames = 2;
    compare(&compared, &a, &b);
    assert_int_equal(compared.diff.per, WS_DIFF_PER_FRAME);
    assert_int_equal(compared.diff.divisor[0], 3);
    assert_int_equal(ws_diff_table_find(&compared.diff, "simt_efficiency", "total")->changed, 0);
    finish(&compared);
    a.frames = b.frames = 1;
    a.launches = 2;
    b.launches = 4;
    compare(&compared, &a, &b);
    assert_int_equal(compared.diff.per, WS_DIFF_PER_LAUNCH);
    assert_int_equal(compared.diff.divisor[1], 8);
    assert_int_equal(ws_diff_table_find(&compared.diff, "simt_efficiency", "total")->changed, 0);
    finish(&compared);
    /* Other launches in other ratios: what is saved is saved. */
    b = a;
    b.shader_count = 1;
    compare(&compared, &a, &b);
    assert_int_equal(compared.diff.per, WS_DIFF_PER_CAPTURE);
    assert_true(figure_of(&compared.diff, "total", "", "executions")->change == -0.25);
    finish(&compared);
}

static bool holds(const struct ws_diff *diff, const char *text)
{
    struct ws_diff_condition condition;
    struct ws_error error = {{0}};
    good(ws_diff_condition_parse(&condition, text, &error), &error);
    good(ws_diff_condition_check(&condition, diff, &error), &error);
    return condition.holds;
}

/* executions 40 -> 50 (+10, +25 %), efficiency 87.5 % -> 100 % (+12.5 points); of sort 50 % -> 100 %. */
static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool holds;
    } all[] = {{"simt_efficiency.executions>24%", true},
               {"simt_efficiency.executions>=25%", true},
               {"simt_efficiency.executions>25%", false},
               {"simt_efficiency.executions=10", true},
               {"simt_efficiency.executions != 10", false},
               {"simt_efficiency.total.executions<=9.5", false},
               {"efficiency<-2%", false},
               {"efficiency>12.4%", true},
               {"efficiency>0.13", false},
               {" efficiency > 0.12 ", true},
               {"efficiency@sort*>49%", true},
               {"efficiency@blur*!=0", false},
               {"simt_efficiency.shaders.efficiency@*=50%", true}};
    struct compared compared;
    struct run after = usual;
    after.shaders[1].warps = 20;
    after.shaders[1].lanes = 8;
    compare(&compared, &usual, &after);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
        if (holds(&compared.diff, all[i].text) != all[i].holds)
            fail_msg("'%s' %s", all[i].text, all[i].holds ? "does not hold" : "holds");
    finish(&compared);
}

/* Where other threads left records, that is said. */
static void samples(void **state)
{
    (void)state;
    struct compared compared;
    struct run after = usual;
    after.tile = "8x8/4";
    compare(&compared, &usual, &after);
    assert_true(compared.diff.sampled[1] && !compared.diff.sampled[0] && !compared.diff.sampled_alike);
    assert_int_equal(compared.diff.setting_count, 1);
    assert_string_equal(compared.diff.settings[0].what, "tile");
    finish(&compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same),      cmocka_unit_test(figures),
                                       cmocka_unit_test(reordered), cmocka_unit_test(renamed),
                                       cmocka_unit_test(scales),    cmocka_unit_test(conditions),
                                       cmocka_unit_test(samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
