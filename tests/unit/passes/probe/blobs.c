/* Blobs of probes: what is written is read, and nothing that was cut or changed does harm.
 *
 *   test_blobs UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv VALUES.spv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "tests/probes/made.h"

static char **files;

/* The blob of the made probe, and its length. */
static uint32_t *write_made(size_t *count)
{
    struct ws_error error = {{0}};
    struct ws_probe probe = made_tables(files, made_rules, made_rule_count);
    uint32_t *words = ws_probe_write(&probe, count, &error);
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)probe.units[i].words);
    assert_non_null(words);
    return words;
}

/* The hash of a blob's words, by the definition in probe.c: for blobs that were changed on purpose. */
static void seal(uint32_t *words, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 5; i < count; i++)
        for (uint32_t shift = 0; shift < 32; shift += 8)
            hash = (hash ^ (words[i] >> shift & 0xff)) * UINT64_C(0x100000001b3);
    words[2] = (uint32_t)(count - 5);
    words[3] = (uint32_t)hash;
    words[4] = (uint32_t)(hash >> 32);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    size_t count = 0;
    size_t again_count = 0;
    uint32_t *words = write_made(&count);
    struct ws_probe *probe = ws_probe_read(words, count, &error);
    assert_non_null(probe);
    assert_string_equal(probe->name, "made");
    assert_int_equal(probe->output_count, MADE_OUTPUT_COUNT);
    assert_string_equal(probe->outputs[MADE_TABLE].fields[1].name, "odd");
    assert_int_equal(probe->outputs[MADE_LINEAR].limits[1], 0x40800000);
    assert_true(probe->outputs[MADE_TRIPS].per_shader);
    assert_string_equal(probe->functions[MADE_TWO].parameters[2].name, "operand_2");
    assert_int_equal(probe->rules[3].place, WS_PROBE_LOOP_BEGIN);
    assert_int_equal(probe->flags, WS_PROBE_WORK);
    uint32_t *again = ws_probe_write(probe, &again_count, &error);
    assert_non_null(again);
    assert_int_equal(again_count, count);
    assert_memory_equal(again, words, count * sizeof(*words));
    free(again);
    ws_probe_destroy(probe);
    free(words);
}

/* Version 1 ends each rule where the source's line is; version 2 has the storage behind it. */
static void version_1_is_read(void **state)
{
    (void)state;
    static const uint32_t stores[] = {SpvOpStore};
    const uint32_t mark = 0x7ab1c3d; /* a line that no other word of the blob is */
    const uint32_t storage = 1u << WS_PROBE_STORAGE_LOCAL | 1u << WS_PROBE_STORAGE_BUFFER;
    struct ws_probe_rule rule = MADE_RULE(WS_PROBE_BEFORE, stores, 1, MADE_LEFT, 1);
    struct ws_error error = {{0}};
    size_t count = 0;
    rule.source_line = mark;
    rule.storage = storage;
    struct ws_probe tables = made_tables(files, &rule, 1);
    struct ws_probe_output outputs[MADE_OUTPUT_COUNT];
    memcpy(outputs, tables.outputs, sizeof(outputs));
    for (uint32_t i = 0; i < MADE_OUTPUT_COUNT; i++)
        if (outputs[i].shape.kind == WS_YIELD_VALUES || outputs[i].shape.kind == WS_YIELD_TABLE)
            outputs[i].shape = (struct ws_yield_shape){.kind = WS_YIELD_COUNT};
    tables.outputs = outputs;
    uint32_t *words = ws_probe_write(&tables, &count, &error);
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)tables.units[i].words);
    assert_non_null(words);
    struct ws_probe *probe = ws_probe_read(words, count, &error);
    assert_non_null(probe);
    assert_int_equal(probe->rules[0].storage, storage);
    ws_probe_destroy(probe);
    size_t at = 0;
    while (at < count && words[at] != mark)
        at++;
    assert_in_range(at, 0, count - 2);
    assert_int_equal(words[at + 1], storage);
    memmove(words + at + 1, words + at + 2, (count - at - 2) * sizeof(*words));
    count--;
    words[1] = 1;
    seal(words, count);
    probe = ws_probe_read(words, count, &error);
    assert_non_null(probe);
    assert_int_equal(probe->rules[0].source_line, mark);
    assert_int_equal(probe->rules[0].storage, 0);
    assert_int_equal(probe->function_count, MADE_FUNCTION_COUNT);
    ws_probe_destroy(probe);
    words[1] = WS_PROBE_VERSION + 1;
    assert_null(ws_probe_read(words, count, &error));
    assert_non_null(strstr(error.message, "version 4"));
    assert_non_null(strstr(error.message, "compile it anew"));
    free(words);
}

/* What was compiled before tables lay as they do now would write beyond them, and captures of it would be misread. */
static void tables_of_before_are_refused(void **state)
{
    (void)state;
    size_t count = 0;
    uint32_t *words = write_made(&count);
    struct ws_error error = {{0}};
    words[1] = 2;
    assert_null(ws_probe_read(words, count, &error));
    assert_non_null(strstr(error.message, "lie otherwise in memory"));
    free(words);
}

static void what_is_no_probe_is_refused(void **state)
{
    (void)state;
    size_t count = 0;
    uint32_t *words = write_made(&count);
    for (size_t length = 0; length < count; length++) {
        struct ws_error error = {{0}};
        assert_null(ws_probe_read(words, length, &error));
        assert_true(error.message[0] != '\0');
    }
    for (size_t i = 0; i < count; i++) {
        struct ws_error error = {{0}};
        words[i] ^= 1u << i % 32;
        assert_null(ws_probe_read(words, count, &error));
        words[i] ^= 1u << i % 32;
    }
    free(words);
}

/* Blobs whose hash is right but whose words are not: each is refused, or is safe to instrument with. */
static void what_was_changed_does_no_harm(void **state)
{
    (void)state;
    size_t count = 0;
    size_t module_count = 0;
    uint32_t *words = write_made(&count);
    uint32_t *module = made_words(files[3], &module_count);
    const uint32_t values[] = {0, 1, 0xffffffff, 0x10000, 0x7fffffff};
    uint32_t random = 1;
    uint32_t read_count = 0;
    for (size_t i = 5; i < count; i += 1 + random % 31) {
        const uint32_t kept = words[i];
        random = random * 1664525u + 1013904223u;
        words[i] = random >> 30 == 0 ? kept ^ 1u << (random >> 20) % 32 : values[(random >> 16) % 5];
        seal(words, count);
        struct ws_error error = {{0}};
        struct ws_probe *probe = ws_probe_read(words, count, &error);
        assert_true((probe == NULL) == (error.message[0] != '\0'));
        if (probe != NULL) {
            const struct ws_probe *const probes[] = {probe};
            const struct ws_instrument_options options = {.probes = probes, .probe_count = 1};
            ws_instrumented_destroy(ws_instrument(module, module_count, &options, &error));
            read_count++;
        }
        ws_probe_destroy(probe);
        words[i] = kept;
    }
    assert_true(read_count > 20);
    free(module);
    free(words);
}

/* A unit with as many names as it has room for, in a probe with as many functions: reading it takes no more time than its
 * length. (Names that are looked up by a walk over all of them take a minute here, those of a larger one hours.) */
static void many_names_are_read_once(void **state)
{
    (void)state;
    enum { NAMES = 60000, FUNCTIONS = 4096 };
    struct ws_error error = {{0}};
    size_t count = 0;
    struct ws_probe probe = made_tables(files, made_rules, made_rule_count);
    const uint32_t *old = probe.units[0].words;
    const uint32_t old_count = probe.units[0].word_count;
    uint32_t *words = calloc(old_count + 3 * NAMES, sizeof(*words));
    struct ws_probe_function *functions = calloc(FUNCTIONS, sizeof(*functions));
    uint32_t at = 5;
    assert_non_null(words);
    assert_non_null(functions);
    while ((old[at] & SpvOpCodeMask) != SpvOpName)
        at += old[at] >> SpvWordCountShift;
    memcpy(words, old, at * sizeof(*words));
    for (uint32_t i = 0; i < NAMES; i++) {
        words[at + 3 * i] = 3u << SpvWordCountShift | SpvOpName;
        words[at + 3 * i + 1] = old[at + 1];
        words[at + 3 * i + 2] = 'a';
    }
    memcpy(words + at + 3 * NAMES, old + at, (old_count - at) * sizeof(*words));
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        functions[i] = probe.functions[i < MADE_FUNCTION_COUNT ? i : MADE_LEFT];
    probe.functions = functions;
    probe.function_count = FUNCTIONS;
    probe.units[0].words = words;
    probe.units[0].word_count = old_count + 3 * NAMES;
    uint32_t *blob = ws_probe_write(&probe, &count, &error);
    assert_string_equal(error.message, "");
    assert_non_null(blob);
    free(blob);
    free(words);
    free(functions);
    probe.units[0].words = old;
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)probe.units[i].words);
}

/* What the front end could get wrong is named. */
static void refuse(const struct ws_probe *probe, const char *reason)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    assert_null(ws_probe_write(probe, &count, &error));
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, reason);
}

/* Limits that are no bins' limits: of floats, 0 and 1e-40, 0 and infinity, 4 and 0, NaN; of ints, 0 and -1. */
static void refuse_limits(const struct ws_probe *made)
{
    static const uint32_t limits[][2] = {{0, 0x000116c2}, {0, 0x7f800000}, {0x40800000, 0},
                                         {0x7fc00000, 0}, {0, 0x7fc00000}, {0, 0}};
    struct ws_probe_output outputs[MADE_OUTPUT_COUNT];
    struct ws_probe probe = *made;
    memcpy(outputs, made->outputs, sizeof(outputs));
    probe.outputs = outputs;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        memcpy(outputs[MADE_LINEAR].limits, limits[i], sizeof(limits[i]));
        refuse(&probe, "of the probe is none that can be");
    }
    outputs[MADE_LINEAR] = made->outputs[MADE_LINEAR];
    outputs[MADE_LINEAR_INT].limits[0] = 0;
    outputs[MADE_LINEAR_INT].limits[1] = UINT32_MAX;
    refuse(&probe, "of the probe is none that can be");
}

static void what_cannot_be_is_named(void **state)
{
    (void)state;
    static const uint32_t labels[] = {SpvOpLabel};
    struct ws_probe probe = made_tables(files, made_rules, made_rule_count);
    struct ws_probe_rule rule = made_rules[0];
    probe.rules = &rule;
    probe.rule_count = 1;
    rule.function_count = MADE_FUNCTION_COUNT + 1;
    refuse(&probe, "calls functions that it has not");
    rule = made_rules[0];
    rule.opcodes = labels;
    rule.opcode_count = 1;
    refuse(&probe, "opens a block");
    refuse_limits(&probe);
    /* More than there are: each instruction would be compared with all. */
    uint32_t *many = calloc(5000, sizeof(*many));
    assert_non_null(many);
    for (uint32_t i = 0; i < 5000; i++)
        many[i] = SpvOpFMul;
    rule = made_rules[0];
    rule.opcodes = many;
    rule.opcode_count = 5000;
    refuse(&probe, "rule 0 of the probe is none that can be");
    free(many);
    rule = made_rules[3];
    rule.function_first = MADE_LEFT;
    refuse(&probe, "whether to be called");
    rule = made_rules[0];
    probe.name = "no name";
    refuse(&probe, "the name of a probe");
    probe.name = "made";
    struct ws_probe_function functions[MADE_FUNCTION_COUNT];
    const struct ws_probe_function *kept = probe.functions;
    memcpy(functions, kept, sizeof(functions));
    probe.functions = functions;
    functions[MADE_TWO].export_name = "ws_probe_three";
    refuse(&probe, "has no function ws_probe_three");
    functions[MADE_TWO].export_name = "ws_probe_float";
    refuse(&probe, "has no function ws_probe_float as the probe declares it");
    memcpy(functions, kept, sizeof(functions));
    functions[0].outputs = UINT32_MAX;
    refuse(&probe, "an output that the probe has not");
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)probe.units[i].words);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),       cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(tables_of_before_are_refused),  cmocka_unit_test(what_is_no_probe_is_refused),
        cmocka_unit_test(what_was_changed_does_no_harm), cmocka_unit_test(many_names_are_read_once),
        cmocka_unit_test(what_cannot_be_is_named),
    };
    files = argv + 1;
    return argc == 5 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
