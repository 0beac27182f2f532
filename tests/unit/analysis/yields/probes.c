/* The analysis `probe` over a made-up capture, against numbers worked out by hand. */
#include "analysis/yields/probes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/model/names.h"

/* The probe is given to the analysis as a struct: how blobs are read has tests of its own. In its place stands a
 * function of the same name. */
static const struct ws_probe_field table_keys[] = {{"a", WS_YIELD_UINT}, {"b", WS_YIELD_INT}};
static const struct ws_probe_field sample_fields[] = {{"work", WS_YIELD_UINT}, {"value", WS_YIELD_FLOAT}};
enum { HITS, LEAST, PAIRS, FIRST, SPREAD, TOP, FULL, OUTPUTS };
static const struct ws_probe_output outputs[OUTPUTS] = {
    [HITS] = {.name = "hits", .shape = {WS_YIELD_COUNT, 0, 0, 0}},
    [LEAST] = {.name = "least", .shape = {WS_YIELD_MIN, WS_YIELD_UINT, 0, 0}},
    [PAIRS] = {.name = "pairs", .shape = {WS_YIELD_TABLE, 0, 2, 2}, .per_shader = true, .fields = table_keys},
    [FIRST] = {.name = "first", .shape = {WS_YIELD_SAMPLE, 0, 1, 2}, .fields = sample_fields},
    [SPREAD] = {.name = "spread",
                .shape = {WS_YIELD_HISTOGRAM_LINEAR, WS_YIELD_UINT, 2, 0},
                .limits = {0, 8}},
    [TOP] = {.name = "top", .shape = {WS_YIELD_VALUES, WS_YIELD_UINT, 4, 1}, .per_shader = true, .shown = 2},
    [FULL] = {.name = "full", .shape = {.kind = WS_YIELD_LANES}, .per_shader = true},
};
static const struct ws_probe_function functions[] = {
    {.label = "hit(float result)", .outputs = 1u << HITS | 1u << LEAST | 1u << FIRST | 1u << SPREAD},
    {.label = "hit(int result)", .outputs = 1u << HITS},
};
#define ANYWHERE .shader = "", .function = "", .file = ""
static const struct ws_probe_rule rules[] = {
    {.function_first = 0, .function_count = 1, .source_line = 1, ANYWHERE},
    {.function_first = 1, .function_count = 1, .source_line = 2, ANYWHERE},
    {.function_first = 0, .function_count = 1, .source_line = 3, ANYWHERE},
};
static const struct ws_probe probe = {
    .name = "mine",
    .source = "//! after OpFAdd\n//! after OpIAdd in fragment\n//! after OpFAdd line 7-9\n",
    .outputs = outputs,
    .output_count = OUTPUTS,
    .rules = rules,
    .rule_count = 3,
    .functions = functions,
    .function_count = 2,
};

struct ws_probe *ws_probe_read(const uint32_t *words, size_t word_count, struct ws_error *error)
{
    if (word_count != 1 || words[0] != 5) {
        ws_error_set(error, "damaged");
        return NULL;
    }
    return (struct ws_probe *)&probe;
}

void ws_probe_destroy(struct ws_probe *unused)
{
    (void)unused;
}

/* Word offsets of the site's outputs, as ws_probe_layout has them: hits 0, least 2, first 8, spread 12; 22 in all. Site 0
 * has its area at 10, site 1 at 32. Of the shader: the table at 54, 2 + ... words. */
enum { AREA = 10, OTHER_AREA = 32, SHARED = 54, WORDS = 400 };

static const struct ws_site_info sites[] = {
    {WS_NONE, 0, WS_SITE_LAUNCH, 0, 0, 0},
    {1, 0, WS_SITE_YIELD, 0, 0, AREA},
    {1, 0, WS_SITE_YIELD, 0, 0, OTHER_AREA},
};

static void give(struct ws_catalog *catalog, struct ws_probes *results, const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(catalog, chunk, &error));
    assert_true(ws_probes_add(results, chunk, &error));
}

static uint32_t site_tag;               /* of the places */
static const char *probe_name = "mine"; /* of the one that can be read */

static void define(struct ws_catalog *catalog, struct ws_probes *results)
{
    static const char *const passes[] = {"simt_efficiency", "probe:mine"};
    static const uint32_t words[] = {0x07230203};
    static const uint32_t blob[] = {5};
    const struct ws_entry_info entry = {
        .name = "main", .stage = WS_STAGE_COMPUTE, .function = 1, .row_count = 1};
    const struct ws_block_info block = {1, 0, 1, 1, 1};
    struct ws_site_info tagged[3];
    memcpy(tagged, sites, sizeof(tagged));
    tagged[1].tag = tagged[2].tag = site_tag;
    give(catalog, results,
         &(struct ws_chunk){.type = WS_CHUNK_INFO, .info = {.passes = passes, .pass_count = 2}});
    give(
        catalog, results,
        &(struct ws_chunk){.type = WS_CHUNK_DEVICE,
                           .device = {.name = "", .driver_name = "", .driver_info = "", .subgroup_size = 8}});
    give(catalog, results, &(struct ws_chunk){.type = WS_CHUNK_PROBE, .probe = {probe_name, blob, 1}});
    give(catalog, results, &(struct ws_chunk){.type = WS_CHUNK_PROBE, .probe = {"broken", blob, 0}});
    give(catalog, results,
         &(struct ws_chunk){.type = WS_CHUNK_MODULE,
                            .module = {.name = "m", .words = words, .word_count = 1}});
    give(catalog, results,
         &(struct ws_chunk){.type = WS_CHUNK_SITES,
                            .sites = {.row_count = 1,
                                      .passes = passes,
                                      .pass_count = 2,
                                      .entries = &entry,
                                      .entry_count = 1,
                                      .blocks = &block,
                                      .block_count = 1,
                                      .sites = tagged,
                                      .site_count = 3,
                                      .yields = (const uint32_t[]){10, WORDS - 10},
                                      .yield_count = 2,
                                      .shared_yields = (const uint32_t[]){WS_NONE, SHARED},
                                      .shared_yield_count = 2}});
    for (uint32_t i = 0; i < 2; i++) {
        give(catalog, results,
             &(struct ws_chunk){.type = WS_CHUNK_SHADER,
                                .shader = {.id = i, .stage = WS_STAGE_COMPUTE, .name = "main"}});
        give(catalog, results,
             &(struct ws_chunk){
                 .type = WS_CHUNK_PIPELINE,
                 .pipeline = {.id = i, .kind = WS_PIPELINE_COMPUTE, .shaders = &i, .shader_count = 1}});
    }
}

static void launch(struct ws_catalog *catalog, struct ws_probes *results, uint64_t index)
{
    const struct ws_launch launched = {
        .index = index, .kind = WS_LAUNCH_DISPATCH, .size = {1, 1, 1}, .label = "", .command_buffer = ""};
    give(catalog, results,
         &(struct ws_chunk){.type = WS_CHUNK_SUBMISSION,
                            .submission = {.index = index, .launches = &launched, .launch_count = 1}});
}

/* Words first .. first + count - 1 of a shader in a launch. */
static void yields(struct ws_catalog *catalog, struct ws_probes *results, uint64_t index, uint32_t shader,
                   uint32_t first, const uint32_t *words, uint32_t count)
{
    const struct ws_shader_yields of = {shader, first, words, count};
    give(catalog, results,
         &(struct ws_chunk){.type = WS_CHUNK_YIELDS,
                            .yields = {.launch = index, .shaders = &of, .shader_count = 1}});
}

/* The row with the keys that are not WS_KEY_NONE. */
static const struct ws_yield_sums *find(const struct ws_probes *results, uint32_t level, uint64_t output,
                                        int dimension, uint64_t key)
{
    for (uint32_t i = 0; i < ws_groups_count(results->groups, level); i++) {
        struct ws_row row;
        ws_groups_row(results->groups, level, i, &row);
        if (row.keys[WS_PROBES_OUTPUT] == output && (dimension < 0 || row.keys[dimension] == key))
            return row.sums;
    }
    return NULL;
}

static void yields_by_output_shader_launch_and_site(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    define(&catalog, &results);
    launch(&catalog, &results, 0);
    launch(&catalog, &results, 1);

    /* Launch 0, shader 0, site 1: 3 hits; least 7 by thread 2, of 2; first {9, 0.5}; spread: 1 in bin 0. In two pieces,
     * with one of launch 1 between them. */
    const uint32_t piece[] = {3, 0, ~2u, ~7u, 2, 0};
    const uint32_t rest[] = {4, 0, 9, 0x3f000000, 0, 0, 1, 0};
    yields(&catalog, &results, 0, 0, AREA, piece, 6);
    /* Launch 1, shader 1, site 2: 4 hits; least 6 by thread 5, of 1. */
    yields(&catalog, &results, 1, 1, OTHER_AREA, (const uint32_t[]){4, 0, ~5u, ~6u, 1, 0}, 6);
    yields(&catalog, &results, 0, 0, AREA + 8, rest, 8);
    /* The table of shader 1: {1, -2} 5 times, 6 found no room. */
    yields(&catalog, &results, 1, 1, SHARED, (const uint32_t[]){6, 0, 1, 2, 0xffffffff, 5, 0}, 7);
    assert_true(ws_probes_end(&results, &error));

    assert_int_equal(results.output_count, OUTPUTS);
    assert_int_equal(results.unreadable, 1);
    assert_string_equal(results.why, "damaged");
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, HITS, -1, 0)->count, 7);
    const struct ws_yield_sums *least = find(&results, WS_PROBES_BY_OUTPUT, LEAST, -1, 0);
    double value;
    assert_true(ws_probes_value(&results.outputs[LEAST], least, &value) && value == 6);
    assert_int_equal(least->count, 3);
    assert_int_equal(~(uint32_t)least->work, 5);
    assert_int_equal(least->launch, 1);
    assert_int_equal(least->shader, 1);
    least = find(&results, WS_PROBES_BY_LAUNCH, LEAST, WS_PROBES_LAUNCH, 0);
    assert_true(ws_probes_value(&results.outputs[LEAST], least, &value) && value == 7);

    assert_int_equal(find(&results, WS_PROBES_BY_SHADER, HITS, WS_PROBES_SHADER, 0)->count, 3);
    assert_int_equal(find(&results, WS_PROBES_BY_SHADER, HITS, WS_PROBES_SHADER, 1)->count, 4);
    assert_int_equal(find(&results, WS_PROBES_BY_SITE, HITS, WS_PROBES_SITE, ws_key_in_shader(1, 2))->count,
                     4);
    assert_null(find(&results, WS_PROBES_BY_SITE, HITS, WS_PROBES_SITE, ws_key_in_shader(1, 1)));
    assert_int_equal(find(&results, WS_PROBES_BY_BIN, SPREAD, WS_PROBES_BIN, 1)->count, 1);

    /* The table has no place; its entry and its losses. */
    assert_null(find(&results, WS_PROBES_BY_SITE, PAIRS, -1, 0));
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, PAIRS, -1, 0)->count, 11);
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, PAIRS, -1, 0)->lost, 6);
    assert_int_equal(results.entry_count, 1);
    assert_int_equal(results.entries[0].keys[1], 0xfffffffe);
    assert_int_equal(find(&results, WS_PROBES_BY_ENTRY, PAIRS, WS_PROBES_ENTRY, 0)->count, 5);

    /* The sample: 4 were asked for. */
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, FIRST, -1, 0)->count, 4);
    assert_int_equal(results.record_count, 1);
    assert_int_equal(results.records[0].launch, 0);
    assert_int_equal(results.records[0].site, 1);
    assert_int_equal(results.field_words[results.records[0].fields], 9);

    /* The rule of the second function fits no place. */
    assert_false(ws_probes_is_unmatched(&results, 0, 0));
    assert_true(ws_probes_is_unmatched(&results, 0, 1));
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

/* Rules 1 and 3 have one function: a place names its rule, and so only rule 3 is met here. The sites of captures of before have
 * no rule, so that both count as met (as above). */
static void a_place_names_its_rule(void **state)
{
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    (void)state;
    for (uint32_t tag = 0; tag <= WS_PROBE_SITE_TAG(2, 0); tag += WS_PROBE_SITE_TAG(2, 0)) {
        ws_catalog_init(&catalog);
        assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
        site_tag = tag;
        define(&catalog, &results);
        site_tag = 0;
        assert_int_equal(ws_probes_is_unmatched(&results, 0, 0), tag != 0);
        assert_true(ws_probes_is_unmatched(&results, 0, 1));
        assert_false(ws_probes_is_unmatched(&results, 0, 2));
        ws_probes_finish(&results);
        ws_catalog_finish(&catalog);
    }
}

/* Of two shaders in two launches: 3 executions with 2 of 8 lanes, and one with 6 of 8. */
static void lanes_have_an_efficiency(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    char said[128];
    double mean;
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    define(&catalog, &results);
    launch(&catalog, &results, 0);
    launch(&catalog, &results, 1);
    const uint32_t full = SHARED + ws_probe_layout(outputs, OUTPUTS).offsets[FULL];
    yields(&catalog, &results, 0, 0, full + WS_LANES_BIN(8, 2), (const uint32_t[]){3}, 1);
    yields(&catalog, &results, 1, 1, full + WS_LANES_BIN(8, 6), (const uint32_t[]){1}, 1);
    assert_true(ws_probes_end(&results, &error));
    const struct ws_yield_sums *sums = find(&results, WS_PROBES_BY_OUTPUT, FULL, -1, 0);
    assert_int_equal(sums->count, 4);
    assert_int_equal(sums->active, 12);
    assert_int_equal(sums->slots, 32);
    assert_true(ws_probes_mean(&results.outputs[FULL], sums, &mean) && mean == 3);
    assert_false(ws_probes_value(&results.outputs[FULL], sums, &mean));
    ws_probes_tell(&results.outputs[FULL], sums, said, sizeof(said));
    assert_string_equal(said, "full 4 times, with 37.5 % of the lanes active");
    assert_int_equal(find(&results, WS_PROBES_BY_SHADER, FULL, WS_PROBES_SHADER, 1)->active, 6);
    assert_int_equal(find(&results, WS_PROBES_BY_BIN, FULL, WS_PROBES_BIN, 1)->count, 3);
    assert_int_equal(find(&results, WS_PROBES_BY_BIN, FULL, WS_PROBES_BIN, 5)->count, 1);
    assert_null(find(&results, WS_PROBES_BY_BIN, FULL, WS_PROBES_BIN, 0));
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

static void an_area_beyond_all_words_is_empty(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    define(&catalog, &results);
    launch(&catalog, &results, 0);
    catalog.modules[0].sites[1].info.row = 0xfffffffa; /* `first` would begin at word 2 */
    yields(&catalog, &results, 0, 0, AREA, (const uint32_t[]){3, 0}, 2);
    assert_true(ws_probes_end(&results, &error));
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, HITS, -1, 0)->count, 0);
    assert_null(find(&results, WS_PROBES_BY_LINE, HITS, -1, 0));
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, SPREAD, -1, 0)->count, 3);
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

/* 2^17 runs of one word of one shader, then as many of another, those of later words first. */
static void many_runs_are_put_together(void **state)
{
    (void)state;
    enum { CHUNKS = 256, RUNS = 1024 };
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    static struct ws_shader_yields runs[RUNS];
    static const uint32_t one[] = {1};
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    define(&catalog, &results);
    launch(&catalog, &results, 0);
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        const uint32_t before = RUNS * (CHUNKS / 2 - 1 - chunk % (CHUNKS / 2));
        for (uint32_t i = 0; i < RUNS; i++)
            runs[i] =
                (struct ws_shader_yields){chunk / (CHUNKS / 2), AREA + 2 * (before + RUNS - 1 - i), one, 1};
        give(&catalog, &results,
             &(struct ws_chunk){.type = WS_CHUNK_YIELDS, .yields = {.shaders = runs, .shader_count = RUNS}});
    }
    assert_true(ws_probes_end(&results, &error));
    /* The places of both: every second word is 1. */
    assert_int_equal(find(&results, WS_PROBES_BY_OUTPUT, HITS, -1, 0)->count, 4);
    assert_int_equal(find(&results, WS_PROBES_BY_SHADER, HITS, WS_PROBES_SHADER, 1)->count, 2);
    assert_int_equal(find(&results, WS_PROBES_BY_SITE, HITS, WS_PROBES_SITE, ws_key_in_shader(0, 1))->count,
                     1);
    assert_int_equal(find(&results, WS_PROBES_BY_BIN, SPREAD, WS_PROBES_BIN, 1)->count, 4);
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

/* Three values, two asked for: 7 came 5 times, 9 and 3 twice each, of which the smaller one is shown. */
static void values_have_ranks(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    static const uint32_t entries[3][2] = {{9, 2}, {7, 5}, {3, 2}};
    uint32_t words[WORDS] = {0};
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    define(&catalog, &results);
    launch(&catalog, &results, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t *slot = words + WS_TABLE_SLOT + i * WS_TABLE_SLOT_WORDS(1);
        slot[WS_TABLE_CLAIM] = 1;
        slot[WS_TABLE_KEY] = entries[i][0] + 1;
        slot[WS_TABLE_AMOUNT(1)] = entries[i][1];
    }
    yields(&catalog, &results, 0, 0, SHARED + results.outputs[TOP].word, words,
           ws_yield_width(&outputs[TOP].shape));
    assert_true(ws_probes_end(&results, &error));
    assert_int_equal(results.entry_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t key = results.entries[i].keys[0];
        assert_int_equal(results.entries[i].rank, key == 7 ? 1 : key == 3 ? 2 : 3);
    }
    assert_int_equal(results.outputs[TOP].beyond, 1);
    assert_int_equal(results.outputs[TOP].beyond_count, 2);
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

/* Names are of the capture, which may be anybody's: the notes tell them, but to no terminal as they are. */
static void notes_have_no_control_characters(void **state)
{
    struct ws_catalog catalog;
    struct ws_probes results;
    struct ws_error error = {{0}};
    char *text = NULL;
    size_t size = 0;
    (void)state;
    ws_catalog_init(&catalog);
    assert_true(ws_probes_begin(&results, &catalog, &(struct ws_view){0}, &error));
    probe_name = "mi\rn\033e";
    define(&catalog, &results);
    probe_name = "mine";
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    ws_analysis_probe.notes(&results, stream);
    fclose(stream);
    assert_non_null(strstr(text, "no place of any shader fits"));
    assert_null(strpbrk(text, "\r\033"));
    free(text);
    ws_probes_finish(&results);
    ws_catalog_finish(&catalog);
}

static void the_declaration_is_right(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    if (!ws_columns_check(&ws_probes_columns, &error))
        fail_msg("%s", error.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yields_by_output_shader_launch_and_site),
        cmocka_unit_test(a_place_names_its_rule),
        cmocka_unit_test(lanes_have_an_efficiency),
        cmocka_unit_test(an_area_beyond_all_words_is_empty),
        cmocka_unit_test(many_runs_are_put_together),
        cmocka_unit_test(values_have_ranks),
        cmocka_unit_test(notes_have_no_control_characters),
        cmocka_unit_test(the_declaration_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
