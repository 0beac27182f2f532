/* Two captures compared, with every figure worked out by hand.
 *
 * A capture has compute shaders of one block each, of two instructions that run (OpNop has none; OpReturn is one), and
 * counters of warps of 8 lanes: `warps` executions with `lanes` lanes each. So executions = warps, active lanes = warps x
 * lanes, slots = 8 x warps, efficiency = lanes / 8 (of several shaders: sums of both). */
#include <math.h>

#include "analysis/diff/changed_lines.h"
#include "analysis/diff/condition.h"
#include "analysis/diff/diff.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"

enum { BINS = 8, SHADERS_MAX = 4, LAUNCHES_MAX = 8, WORDS_MAX = 128 };

/* A shader of a capture that is written. */
struct shader {
    const char *name; /* of the module */
    uint64_t hash;
    uint32_t warps; /* in each launch */
    uint32_t lanes;
    const char *source; /* its only file, "a.comp"; each of its lines is an instruction. NULL = not known */
};

struct run {
    struct shader shaders[SHADERS_MAX];
    uint32_t shader_count;
    uint32_t frames;   /* each with one launch of all shaders */
    uint32_t launches; /* in each frame */
    uint32_t height;   /* of each launch, which is 4 wide; 0 = 1 */
    const char *tile;
    const uint32_t
        *sets; /* one warp in 4 was counted: full warps in each of the sets; NULL = all were counted */
    const uint64_t *times; /* of the launches, in ns; NULL = they were not timed */
    bool grows;            /* the first frame has the warps of the shader, the second twice of them, ... */
    bool is_cut_short;     /* its capture has no end, as if the program had been killed */
    uint64_t
        missing; /* words of records of the first launch that did not fit; 0 = records were not asked for */
};

static void good(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

static uint32_t put_text(uint32_t *words, uint32_t count, const char *text)
{
    memset(&words[count], 0, strlen(text) / 4 * 4 + 4);
    memcpy(&words[count], text, strlen(text));
    return count + (uint32_t)strlen(text) / 4 + 1;
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end + 1 : NULL;
}

/* A module whose file has `source`, and an instruction for each of its lines: OpMemoryBarrier, at last OpReturn. Returns the
 * number of its words; `*first`: of the block. */
static uint32_t make_module(const char *source, uint32_t words[WORDS_MAX], uint32_t *first)
{
    static const uint32_t head[] = {0x07230203, 0x00010000, 0, 8, 0, 3 << 16 | 14, 0, 1}; /* OpMemoryModel */
    uint32_t count = sizeof(head) / sizeof(head[0]);
    uint32_t line = 1;
    memcpy(words, head, sizeof(head));
    uint32_t end = put_text(words, count + 2, "a.comp");
    words[count] = (end - count) << 16 | 7; /* OpString %1 */
    words[count + 1] = 1;
    count = end;
    end = put_text(words, count + 4, source);
    words[count] = (end - count) << 16 | 3; /* OpSource GLSL 450 %1 */
    words[count + 1] = 2;
    words[count + 2] = 450;
    words[count + 3] = 1;
    static const uint32_t function[] = {2 << 16 | 19,  3,          /* OpTypeVoid %3 */
                                        3 << 16 | 33,  6, 3,       /* OpTypeFunction %6 %3 */
                                        5 << 16 | 54,  3, 4, 0, 6, /* OpFunction %3 %4 None %6 */
                                        2 << 16 | 248, 5};         /* OpLabel %5 */
    memcpy(&words[end], function, sizeof(function));
    count = end + sizeof(function) / sizeof(function[0]);
    *first = count - 2;
    for (const char *at = source; at != NULL; at = next_line(at), ++line) {
        words[count++] = 4 << 16 | 8; /* OpLine %1 line 0 */
        words[count++] = 1;
        words[count++] = line;
        words[count++] = 0;
        if (strchr(at, '\n') != NULL) {
            words[count++] = 3 << 16 | 225; /* OpMemoryBarrier */
            words[count++] = 1;
            words[count++] = 1;
        } else {
            words[count++] = 1 << 16 | 253; /* OpReturn */
            words[count++] = 1 << 16 | 56;  /* OpFunctionEnd */
        }
    }
    assert_true(count <= WORDS_MAX);
    return count;
}

static void write_shader(struct ws_capture_writer *writer, uint32_t id, const struct shader *shader)
{
    static const uint32_t plain[] = {0x07230203, 0x00010000, 0, 8, 0, 0x00010000, 0x00010000, 0x00010000};
    static const char *const owners[] = {"simt_efficiency", "divergence"};
    static const uint32_t function = 4;
    uint32_t words[WORDS_MAX];
    uint32_t first = 5;
    uint32_t word_count = sizeof(plain) / sizeof(plain[0]);
    memcpy(words, plain, sizeof(plain));
    if (shader->source != NULL)
        word_count = make_module(shader->source, words, &first);
    const struct ws_block_info block = {5, first, shader->source != NULL ? word_count - first - 1 : 2, 4, 2};
    const struct ws_site_info sites[] = {{1, 0, WS_SITE_PLACE_BLOCK, 0, first, 0},
                                         {WS_NONE, 0, WS_SITE_LAUNCH, 0, first, 0},
                                         {0, 0, WS_SITE_BLOCK, 0, first, 1}};
    const struct ws_entry_info entry = {.name = "main",
                                        .stage = WS_STAGE_COMPUTE,
                                        .function = 4,
                                        .row_count = 2,
                                        .functions = &function,
                                        .function_count = 1};
    struct ws_error error = {{0}};
    good(ws_capture_write_module(writer,
                                 &(struct ws_chunk_module){.id = id,
                                                           .hash = shader->hash,
                                                           .name = shader->name,
                                                           .words = words,
                                                           .word_count = word_count},
                                 &error),
         &error);
    good(ws_capture_write_sites(writer,
                                &(struct ws_chunk_sites){.module = id,
                                                         .row_count = 2,
                                                         .passes = owners,
                                                         .pass_count = 2,
                                                         .entries = &entry,
                                                         .entry_count = 1,
                                                         .blocks = &block,
                                                         .block_count = 1,
                                                         .sites = sites,
                                                         .site_count = 3},
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
                         uint64_t index, uint64_t frame, const struct run *run)
{
    const bool grows = run->grows;
    uint32_t rows[2 * BINS] = {[0] = 8}; /* the launch row: subgroup sizes */
    rows[BINS + shader->lanes - 1] = shader->warps * (grows ? (uint32_t)frame + 1 : 1);
    struct ws_shader_counters counters[WS_SAMPLE_GROUPS] = {{id, 0, 2, BINS, rows}};
    uint32_t drawn[WS_SAMPLE_GROUPS][2 * BINS] = {{[0] = 8}};
    for (uint32_t set = 0; run->sets != NULL && set < WS_SAMPLE_GROUPS; ++set) {
        drawn[set][BINS + shader->lanes - 1] = run->sets[set];
        counters[set] = (struct ws_shader_counters){id, 0, 2, BINS, drawn[set], .weight = 4, .group = set};
    }
    const struct ws_launch launch = {.index = index,
                                     .kind = WS_LAUNCH_DISPATCH,
                                     .size = {4, run->height > 0 ? run->height : 1, 1},
                                     .label = shader->name,
                                     .pipelines = &id,
                                     .pipeline_count = 1,
                                     .shaders = counters,
                                     .shader_count = run->sets != NULL ? WS_SAMPLE_GROUPS : 1};
    struct ws_error error = {{0}};
    good(ws_capture_write_submission(
             writer,
             &(struct ws_chunk_submission){
                 .index = index, .frame = frame, .launches = &launch, .launch_count = 1},
             &error),
         &error);
    if (run->times == NULL)
        return;
    const struct ws_launch_time time = {index, WS_TIME_TAKEN, 1000000 * index,
                                        1000000 * index + run->times[index]};
    good(ws_capture_write_times(writer,
                                &(struct ws_chunk_times){.submission = index,
                                                         .valid_bits = 64,
                                                         .period = 1000000,
                                                         .launches = &time,
                                                         .launch_count = 1},
                                &error),
         &error);
}

static void read_run(struct ws_report *report, char path[64], const struct run *run)
{
    static const char *const counters[] = {"simt_efficiency", "time"};
    static const char *const records[] = {"simt_efficiency", "divergence"};
    const struct ws_text_pair settings[] = {{"tile", run->tile != NULL ? run->tile : ""},
                                            {"sample", run->sets != NULL ? "1/4" : "1/1"}};
    struct ws_report_request request = {.all = true, .options = {.whole = true}};
    struct ws_error error = {{0}};
    uint64_t index = 0;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    good(writer != NULL, &error);
    good(ws_capture_write_info(
             writer,
             &(struct ws_chunk_info){.passes = run->missing > 0 ? records : counters,
                                     .pass_count = run->times != NULL || run->missing > 0 ? 2 : 1,
                                     .settings = settings,
                                     .setting_count = 2},
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
                write_launch(writer, i, &run->shaders[i], index++, frame, run);
    if (run->missing > 0)
        good(ws_capture_write_records(writer,
                                      &(struct ws_chunk_records){.bins = BINS,
                                                                 .flags = WS_RECORDS_LAST,
                                                                 .missing = run->missing,
                                                                 .sufficient = 1000,
                                                                 .slots = &(struct ws_slot_shader){0, 0},
                                                                 .slot_count = 1},
                                      &error),
             &error);
    if (!run->is_cut_short)
        good(ws_capture_write_done(writer, &(struct ws_chunk_done){0}, &error), &error);
    ws_capture_writer_destroy(writer);
    good(ws_report_read(report, path, &request, &error), &error);
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
    unlink(compared->paths[0]);
    unlink(compared->paths[1]);
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

/* A condition is not asked of a capture that is cut short: its figures are of a part. */
static void cut_short(void **state)
{
    (void)state;
    struct compared compared;
    struct ws_diff_condition condition;
    struct ws_error error = {{0}};
    struct run after = usual;
    after.is_cut_short = true;
    compare(&compared, &usual, &after);
    good(ws_diff_condition_parse(&condition, "simt_efficiency.executions=10", &error), &error);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &error));
    assert_non_null(strstr(error.message, compared.paths[1]));
    assert_non_null(strstr(error.message, "is cut short: the program ended before the capture was whole"));
    finish(&compared);
}

/* Nor is one on figures of records of a capture that lost some; counters are whole. It is told of both, also where they lost
 * the same. 1000 words are 4000 bytes, which 4 KiB hold. */
static void lost_records(void **state)
{
    (void)state;
    static const char lost[] =
        "in part (480 bytes of records did not fit. record --buffer 4K would have held them)";
    struct compared compared;
    struct ws_diff_condition condition;
    struct ws_error error = {{0}};
    struct run part = usual;
    part.missing = 120;
    compare(&compared, &part, &part);
    assert_int_equal(compared.diff.setting_count, 1);
    assert_string_equal(compared.diff.settings[0].what, "records");
    assert_string_equal(compared.diff.settings[0].value[0], lost);
    assert_string_equal(compared.diff.settings[0].value[1], lost);
    good(ws_diff_condition_parse(&condition, "divergence.slots=0", &error), &error);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &error));
    assert_non_null(strstr(error.message, compared.paths[0]));
    assert_non_null(strstr(error.message, "lacks records: 480 bytes of records did not fit"));
    assert_true(holds(&compared.diff, "simt_efficiency.executions=0"));
    finish(&compared);
    compare(&compared, &usual, &part);
    assert_string_equal(compared.diff.settings[1].what, "records");
    assert_string_equal(compared.diff.settings[1].value[0], "whole");
    assert_string_equal(compared.diff.settings[1].value[1], lost);
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

static const struct ws_diff_table *times_of(const struct compared *compared)
{
    const struct ws_diff_table *table = ws_diff_table_find(&compared->diff, "time", "total");
    assert_non_null(table);
    return table;
}

/* One launch, timed in five frames. In A it takes 100 110 120 130 140 ns: range 40, median 120, spread 1/3. In B 110 .. 150: 40
 * of 130. The larger spread counts. Its sum goes from 600 to 650: +8.3 %, which is noise. From 600 to 850 is none. */
static void times(void **state)
{
    (void)state;
    static const uint64_t before[] = {100, 110, 120, 130, 140};
    static const uint64_t noisy[] = {110, 150, 130, 140, 120};
    static const uint64_t slower[] = {160, 170, 170, 170, 180};
    const struct run a = {
        .shaders = {{"blur", 100, 30, 8}}, .shader_count = 1, .frames = 5, .launches = 1, .times = before};
    struct run b = a;
    struct compared compared;
    compare(&compared, &a, &a);
    assert_int_equal(compared.diff.figure_count, 0);
    finish(&compared);
    b.times = noisy;
    compare(&compared, &a, &b);
    assert_true(compared.diff.spread_known && fabs(compared.diff.spread - 40.0 / 120) < 1e-12);
    assert_int_equal(times_of(&compared)->changed, 0);
    assert_true(times_of(&compared)->noisy > 0);
    /* Single launches and frames were timed once: nothing tells their change from noise. */
    assert_int_equal(ws_diff_table_find(&compared.diff, "time", "launches")->changed, 0);
    assert_false(holds(&compared.diff, "time.time_ns>5%"));
    finish(&compared);
    b.times = slower;
    compare(&compared, &a, &b);
    assert_true(times_of(&compared)->changed > 0);
    assert_true(holds(&compared.diff, "time.time_ns>41%"));
    finish(&compared);
}

/* The same in four frames: their spread is not known. No change is told, and a condition takes them as they are. */
static void few_times(void **state)
{
    (void)state;
    static const uint64_t before[] = {100, 110, 120, 130};
    static const uint64_t after[] = {200, 200, 200, 320};
    const struct run a = {
        .shaders = {{"blur", 100, 30, 8}}, .shader_count = 1, .frames = 4, .launches = 1, .times = before};
    struct run b = a;
    struct compared compared;
    b.times = after;
    compare(&compared, &a, &b);
    assert_false(compared.diff.spread_known);
    assert_int_equal(compared.diff.figure_count, 0);
    assert_true(holds(&compared.diff, "time.time_ns>99%")); /* 460 -> 920 */
    assert_false(holds(&compared.diff, "time.time_ns>100%"));
    finish(&compared);
}

/* 4 warps in one sample and 16 in the other: 1.96 * sqrt(1/16 + 1/64) = 1.96 * 0.279508... */
static void sample_noise(void **state)
{
    (void)state;
    assert_true(fabs(ws_diff_sample_noise(4, 16) - 1.96 * 0.2795084971874737) < 1e-12);
    assert_true(isinf(ws_diff_sample_noise(0, 16)));
}

/* 1 2 3 has mean 2 and variance 1, 4 6 has mean 5 and variance 2: t(3) * sqrt(1/3 + 2/2), t(3) = 3.182. */
static void frame_noise(void **state)
{
    (void)state;
    static const double a[] = {1, 2, 3};
    static const double b[] = {4, 6};
    static const uint32_t count[] = {3, 2};
    static const uint32_t one[] = {3, 1};
    assert_true(fabs(ws_diff_frame_noise((const double *const[]){a, b}, count) - 3.182 * 1.1547005383792517) <
                1e-12);
    assert_true(ws_diff_frame_noise((const double *const[]){a, b}, one) == 0);
}

/* 10, 20, 30 executions against 10, 20, 30, 40: means 20 and 25. Variances 100 and 500/3; t(5) = 2.571, and
 * 2.571 * sqrt(100/3 + 500/12) = 22.3, or 111 % of 20: +25 % is noise. The same three frames twice are exact. */
static void other_frames(void **state)
{
    (void)state;
    struct run a = {
        .shaders = {{"blur", 100, 10, 8}}, .shader_count = 1, .frames = 3, .launches = 1, .grows = true};
    struct run b = a;
    struct compared compared;
    b.shaders[0].warps = 11;
    compare(&compared, &a, &b);
    assert_true(compared.diff.frames_alike);
    assert_true(figure_of(&compared.diff, "total", "", "executions")->noise == 0);
    finish(&compared);
    b = a;
    b.frames = 4;
    compare(&compared, &a, &b);
    const struct ws_diff_table *total = ws_diff_table_find(&compared.diff, "simt_efficiency", "total");
    struct ws_shown_list field = {.count = 0};
    ws_columns_list(total->groups[0]->columns, "executions", &field, NULL);
    const double noise = ws_diff_noise(&compared.diff, total, &field.items[0]);
    assert_true(fabs(noise - 2.571 * sqrt(100.0 / 3 + 500.0 / 12) / 20) < 1e-9);
    assert_false(holds(&compared.diff, "simt_efficiency.executions>1%"));
    finish(&compared);
}

/* One warp in 4 was counted: 80 full warps of the sets below, so 320, with an error of
 * 4 x sqrt(3/4) x sqrt(8/7 x 10) = 11.71 (tests of simt_efficiency), which is told as 12. With 81 they are 324, and their
 * error 12.21: +1.25 %, and the noise is 2.365 x sqrt(12^2 + 12^2) / 320 = 12.5 %. Twice as many are 640, with the error
 * 23.42: +100 %, and the noise is 2.365 x sqrt(12^2 + 23^2) / 320 = 19.2 %. Active lanes have no error: nothing is told of
 * them. Against a run that counted all only the error of A counts. */
static void drawn_warps(void **state)
{
    (void)state;
    static const uint32_t sets[] = {10, 12, 10, 8, 10, 11, 9, 10};
    static const uint32_t more[] = {11, 12, 10, 8, 10, 11, 9, 10};
    static const uint32_t twice[] = {20, 24, 20, 16, 20, 22, 18, 20};
    struct run a = {
        .shaders = {{"blur", 100, 80, 8}}, .shader_count = 1, .frames = 1, .launches = 1, .sets = sets};
    struct run b = a;
    struct compared compared;
    struct ws_diff_condition condition;
    struct ws_error message = {{0}};
    b.sets = more;
    compare(&compared, &a, &b);
    assert_true(compared.diff.drawn[0] && compared.diff.drawn[1]);
    assert_int_equal(compared.diff.figure_count, 0);
    assert_false(holds(&compared.diff, "simt_efficiency.executions>1%"));
    finish(&compared);
    b.sets = twice;
    compare(&compared, &a, &b);
    const struct ws_diff_figure *figure = figure_of(&compared.diff, "total", "", "executions");
    assert_true(figure->change == 1);
    assert_true(fabs(figure->noise - 2.365 * sqrt(12 * 12 + 23 * 23) / 320) < 1e-9);
    assert_true(figure_of(&compared.diff, "total", "", "instructions")->noise < 0.2);
    for (uint32_t i = 0; i < compared.diff.figure_count; ++i)
        assert_string_not_equal(compared.diff.figures[i].field.field->name, "active_lanes");
    good(ws_diff_condition_parse(&condition, "simt_efficiency.active_lanes>1%", &message), &message);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &message));
    assert_non_null(strstr(message.message, "without --sample"));
    finish(&compared);
    b.sets = NULL;
    b.shaders[0].warps = 640;
    compare(&compared, &a, &b);
    figure = figure_of(&compared.diff, "total", "", "executions");
    assert_true(fabs(figure->noise - 2.365 * 12 / 320) < 1e-9);
    finish(&compared);
}

/* 80 drawn warps were full, then all have 4 of 8 lanes: no error of the efficiency is known, so its fall to 50 % is neither
 * noise nor told, and a condition on it is an error. Where it stays 100 %, nothing changed. */
static void unknown_errors(void **state)
{
    (void)state;
    static const uint32_t sets[] = {10, 12, 10, 8, 10, 11, 9, 10};
    const struct run a = {
        .shaders = {{"blur", 100, 80, 8}}, .shader_count = 1, .frames = 1, .launches = 1, .sets = sets};
    struct run b = a;
    struct compared compared;
    struct ws_diff_condition condition;
    struct ws_error message = {{0}};
    char *text = NULL;
    size_t size = 0;
    b.shaders[0].lanes = 4;
    compare(&compared, &a, &b);
    const struct ws_diff_table *total = ws_diff_table_find(&compared.diff, "simt_efficiency", "total");
    assert_true(total->unknown > 0);
    for (uint32_t i = 0; i < compared.diff.figure_count; ++i)
        assert_string_not_equal(compared.diff.figures[i].field.field->name, "efficiency");
    good(ws_diff_condition_parse(&condition, "efficiency<-2%", &message), &message);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &message));
    assert_non_null(strstr(message.message, "without --sample"));
    good(ws_diff_condition_parse(&condition, "efficiency>2%", &message), &message);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &message));
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(ws_diff_text(&compared.diff, 0, false, 200, stream));
    fclose(stream);
    assert_non_null(strstr(text, "the error is not known"));
    free(text);
    finish(&compared);
    compare(&compared, &a, &a);
    total = ws_diff_table_find(&compared.diff, "simt_efficiency", "total");
    assert_int_equal(total->unknown, 0);
    assert_false(holds(&compared.diff, "efficiency<-2%"));
    finish(&compared);
}

/* Joins of lines as a text: for each line of B its line in A, from 1, with "=" where it is equal; "-" = it has none. */
static void check_lines(const char *a, const char *b, const char *joins)
{
    struct ws_diff_lines lines;
    char text[256] = "";
    assert_true(ws_diff_lines_init(&lines, a, b));
    for (uint32_t i = 0; i < lines.join.count[1]; ++i) {
        const uint32_t other = lines.join.other[1][i];
        const size_t used = strlen(text);
        if (other == WS_NONE)
            snprintf(text + used, sizeof(text) - used, "- ");
        else
            snprintf(text + used, sizeof(text) - used, "%u%s ", other + 1,
                     ws_diff_line_is_equal(&lines, 1, i) ? "=" : "");
        assert_true(other == WS_NONE || lines.join.other[0][other] == i);
    }
    assert_string_equal(text, joins);
    ws_diff_lines_finish(&lines);
}

static void aligned(void **state)
{
    (void)state;
    check_lines("a\nb\nc\nd\n", "a\nb\nc\nd", "1= 2= 3= 4= ");
    check_lines("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n", "1= 2 3= - 4= "); /* the example of lines.h */
    check_lines("a\nb\n", "new\na\nb\n", "- 1= 2= ");
    check_lines("a\nb\nc\n", "c\n", "3= ");
    /* Figure 2 of Myers' paper: ABCABBA and CBABAC have 4 lines in common, and a script of 5 edits. */
    check_lines("A\nB\nC\nA\nB\nB\nA\n", "C\nB\nA\nB\nA\nC\n", "3= - 4= 5= 7= - ");
    check_lines("", "a\n", "- ");
    check_lines("a\r\nb\r\n", "a\nb\n", "1= 2= ");
}

/* Texts that differ by too much are joined where they begin and end alike. */
static void too_different(void **state)
{
    (void)state;
    enum { COUNT = WS_DIFF_EDITS_MAX };
    char *text[2] = {malloc(16 * COUNT + 64), malloc(16 * COUNT + 64)};
    struct ws_diff_lines lines;
    for (int side = 0; side < 2; ++side) {
        char *at = text[side] + sprintf(text[side], "head\n");
        for (int i = 0; i < COUNT; ++i)
            at += sprintf(at, "%c%d\n", 'a' + side, i);
        sprintf(at, "foot\n");
    }
    assert_true(ws_diff_lines_init(&lines, text[0], text[1]));
    assert_int_equal(lines.join.other[1][0], 0);
    assert_int_equal(lines.join.other[1][1], WS_NONE);
    assert_int_equal(lines.join.other[1][COUNT + 1], COUNT + 1);
    ws_diff_lines_finish(&lines);
    free(text[0]);
    free(text[1]);
}

/* The shader of A has "one two three", B's has "one zero two THREE" and runs twice as often. So 2 of A is 3 of B, 3 changed and
 * is 4, and 2 of B is new. */
static void changed_lines(void **state)
{
    (void)state;
    static const struct {
        uint32_t line[WS_DIFF_SIDES];
        double executions[WS_DIFF_SIDES];
        enum ws_diff_line_state state;
        const char *text;
    } wanted[] = {{{0, 2}, {0, 160}, WS_DIFF_LINE_NEW, "zero"},
                  {{1, 1}, {80, 160}, WS_DIFF_LINE_SAME, "one"},
                  {{2, 3}, {80, 160}, WS_DIFF_LINE_SAME, "two"},
                  {{3, 4}, {80, 160}, WS_DIFF_LINE_CHANGED, "THREE"}};
    const struct run a = {.shaders = {{"sort", 200, 10, 8, "one\n  two\nthree"}},
                          .shader_count = 1,
                          .frames = 1,
                          .launches = 1};
    struct run b = a;
    struct compared compared;
    struct ws_diff_changed_lines lines;
    b.shaders[0] = (struct shader){"sort", 201, 20, 8, "one\nzero\n  two\nTHREE"};
    compare(&compared, &a, &b);
    assert_true(ws_diff_changed_lines_init(&lines, &compared.diff));
    assert_int_equal(lines.count, 4);
    for (uint32_t i = 0; i < lines.count; ++i) {
        const struct ws_diff_changed_line *line = &lines.lines[i];
        char text[64];
        ws_diff_changed_line_text(line, 1, text, sizeof(text));
        assert_string_equal(text, wanted[i].text);
        assert_int_equal(line->state, wanted[i].state);
        for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
            assert_int_equal(line->line[side], wanted[i].line[side]);
            assert_true(line->executions[side] == wanted[i].executions[side]);
        }
    }
    ws_diff_changed_lines_finish(&lines);
    /* Its rows are joined, whatever their numbers. */
    const struct ws_diff_table *rows = ws_diff_table_find(&compared.diff, "hotspots", "lines");
    assert_int_equal(rows->joined, 3);
    finish(&compared);
}

/* Blocks are ranges: those lines count that A has. */
static void places(void **state)
{
    (void)state;
    static const struct {
        const char *b;
        const char *a;
    } all[] = {{"a.comp:3", "a.comp:2"},     {"a.comp:2", "a.comp:2 of B"}, {"a.comp:2-3", "a.comp:2-2"},
               {"a.comp:1-4", "a.comp:1-3"}, {"b.comp:3", "b.comp:3"},      {"a.comp:9", "a.comp:9 of B"},
               {"a.comp", "a.comp"},         {"a.comp:3x", "a.comp:3x"},    {"", ""}};
    struct ws_diff_source source = {.name = (char[]){"a.comp"}};
    const struct ws_diff_sources sources = {.sources = &source, .count = 1};
    assert_true(ws_diff_lines_init(&source.lines, "one\ntwo\nthree", "one\nzero\ntwo\nthree"));
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        char text[64];
        ws_diff_source_place(&sources, 0, all[i].b, text, sizeof(text));
        assert_string_equal(text, all[i].a);
    }
    ws_diff_lines_finish(&source.lines);
}

static const struct ws_diff_setting *setting_of(const struct ws_diff *diff, const char *what)
{
    for (uint32_t i = 0; i < diff->setting_count; ++i)
        if (strcmp(diff->settings[i].what, what) == 0)
            return &diff->settings[i];
    return NULL;
}

/* Twice the threads do twice the work: that is no fault of theirs. */
static void other_sizes(void **state)
{
    (void)state;
    struct compared compared;
    struct run b = usual;
    b.height = 2;
    compare(&compared, &usual, &b);
    const struct ws_diff_setting *setting = setting_of(&compared.diff, "launch sizes");
    assert_non_null(setting);
    assert_string_equal(setting->value[0], "4x1x1");
    assert_string_equal(setting->value[1], "4x2x1");
    finish(&compared);
    compare(&compared, &b, &b);
    assert_null(setting_of(&compared.diff, "launch sizes"));
    finish(&compared);
}

/* Shares change by points: from 50 % to 25 % is no quarter less. */
static void units(void **state)
{
    (void)state;
    struct compared compared;
    struct run b = usual;
    char change[WS_NUMBER_SIZE];
    b.shaders[1].lanes = 2;
    compare(&compared, &usual, &b);
    const struct ws_diff_figure *figure = figure_of(&compared.diff, "shaders", "sort:main", "efficiency");
    ws_diff_change_text(figure, change);
    assert_string_equal(change, "-25.0 points");
    figure = figure_of(&compared.diff, "shaders", "sort:main", "active_lanes");
    ws_diff_change_text(figure, change);
    assert_string_equal(change, "-50.0 %");
    finish(&compared);
}

/* From 0 to anything is an infinite change; what one capture lacks is an error that names the figure. */
static void edges(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } wrong[] = {{"eficiency<0", "did you mean 'efficiency'?"},
                 {"simt_eficiency.executions>0", "did you mean 'simt_efficiency'?"},
                 {"efficiency<nan", "a condition is"},
                 {"efficiency<inf", "a condition is"},
                 {"efficiency", "a condition is"},
                 {"efficiency@<1", "behind '@'"},
                 {"a.b.c.d<1", "a figure is named"}};
    const struct run a = {.shaders = {{"blur", 100, 0, 8}, {"sort", 200, 10, 4}},
                          .shader_count = 2,
                          .frames = 1,
                          .launches = 1};
    struct run b = a;
    struct compared compared;
    struct ws_error error = {{0}};
    struct ws_diff_condition condition;
    char change[WS_NUMBER_SIZE];
    b.shaders[0].warps = 5;
    compare(&compared, &a, &b);
    const struct ws_diff_figure *figure = figure_of(&compared.diff, "shaders", "blur:main", "executions");
    assert_true(isinf(figure->change) && figure->change > 0);
    ws_diff_change_text(figure, change);
    assert_string_equal(change, "from 0");
    assert_true(holds(&compared.diff, "simt_efficiency.shaders.executions@blur*>1000000%"));
    /* 0 of 0: blur has no efficiency in A. */
    good(ws_diff_condition_parse(&condition, "simt_efficiency.shaders.efficiency@blur*<0", &error), &error);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &error));
    assert_non_null(strstr(error.message, "blur*"));
    error = (struct ws_error){{0}};
    good(ws_diff_condition_parse(&condition, "rays>1%", &error), &error);
    assert_false(ws_diff_condition_check(&condition, &compared.diff, &error));
    if (strstr(error.message, "ray_events") == NULL)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        error = (struct ws_error){{0}};
        assert_false(ws_diff_condition_parse(&condition, wrong[i].text, &error));
        if (strstr(error.message, wrong[i].says) == NULL)
            fail_msg("'%s': %s", wrong[i].text, error.message);
    }
    finish(&compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same),           cmocka_unit_test(figures),      cmocka_unit_test(reordered),
        cmocka_unit_test(renamed),        cmocka_unit_test(scales),       cmocka_unit_test(conditions),
        cmocka_unit_test(cut_short),      cmocka_unit_test(lost_records), cmocka_unit_test(samples),
        cmocka_unit_test(times),          cmocka_unit_test(few_times),    cmocka_unit_test(sample_noise),
        cmocka_unit_test(frame_noise),    cmocka_unit_test(other_frames), cmocka_unit_test(drawn_warps),
        cmocka_unit_test(unknown_errors), cmocka_unit_test(aligned),      cmocka_unit_test(too_different),
        cmocka_unit_test(changed_lines),  cmocka_unit_test(places),       cmocka_unit_test(edges),
        cmocka_unit_test(other_sizes),    cmocka_unit_test(units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
