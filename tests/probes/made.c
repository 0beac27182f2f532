#include "tests/probes/made.h"

#include <stdio.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#define NUMBER(base, width)                                                                                  \
    {                                                                                                        \
        WS_PROBE_##base, width, 1, 1                                                                         \
    }
#define AT                                                                                                   \
    {                                                                                                        \
        WS_PROBE_AT, NUMBER(UINT, 32), ""                                                                    \
    }
#define SHARED                                                                                               \
    {                                                                                                        \
        WS_PROBE_SHARED, NUMBER(UINT, 32), ""                                                                \
    }
#define SITE                                                                                                 \
    {                                                                                                        \
        WS_PROBE_SITE, NUMBER(UINT, 32), ""                                                                  \
    }
#define LINE                                                                                                 \
    {                                                                                                        \
        WS_PROBE_LINE, NUMBER(UINT, 32), ""                                                                  \
    }

static const struct ws_probe_parameter result_float[] = {AT, {WS_PROBE_RESULT, NUMBER(FLOAT, 32), ""}};
static const struct ws_probe_parameter result_int[] = {AT, {WS_PROBE_RESULT, NUMBER(INT, 32), ""}};
static const struct ws_probe_parameter result_uint[] = {
    AT, SITE, LINE, {WS_PROBE_RESULT, NUMBER(UINT, 32), ""}};
static const struct ws_probe_parameter result_double[] = {AT, {WS_PROBE_RESULT, NUMBER(FLOAT, 64), ""}};
static const struct ws_probe_parameter begin[] = {{WS_PROBE_FIRST, NUMBER(BOOL, 0), ""}};
static const struct ws_probe_parameter end[] = {AT, SHARED};
static const struct ws_probe_parameter left[] = {AT};
static const struct ws_probe_parameter two[] = {AT,
                                                {WS_PROBE_OPERAND, NUMBER(FLOAT, 32), "operand_1"},
                                                {WS_PROBE_OPERAND, NUMBER(FLOAT, 32), "operand_2"}};
static const struct ws_probe_parameter address[] = {AT,
                                                    {WS_PROBE_ADDRESS, {WS_PROBE_UINT, 32, 2, 1}, "pointer"}};

#define BIT(output) (1u << MADE_##output)

static const struct ws_probe_function functions[MADE_FUNCTION_COUNT] = {
    [MADE_FLOAT] = {"ws_probe_float", "check(float result)", 1,
                    BIT(COUNT) | BIT(SUM) | BIT(LEAST) | BIT(MOST) | BIT(LINEAR) | BIT(LOG), result_float, 2},
    [MADE_INT] = {"ws_probe_int", "check(int result)", 2,
                  BIT(COUNT) | BIT(SUM_INT) | BIT(LEAST_INT) | BIT(LINEAR_INT) | BIT(LOG_INT), result_int, 2},
    [MADE_UINT] = {"ws_probe_uint", "check(uint result)", 3,
                   BIT(COUNT) | BIT(SUM_UINT) | BIT(MOST_UINT) | BIT(LOG_UINT) | BIT(TABLE) | BIT(SAMPLE) |
                       BIT(LANES),
                   result_uint, 4},
    [MADE_DOUBLE] = {"ws_probe_double", "check(double result)", 4, BIT(COUNT), result_double, 2},
    [MADE_BEGIN] = {"ws_probe_begin", "begin()", 5, 0, begin, 1},
    [MADE_ITERATE] = {"ws_probe_iterate", "iterate()", 6, 0, NULL, 0},
    [MADE_END] = {"ws_probe_end", "end()", 7, BIT(COUNT) | BIT(TRIPS), end, 2},
    [MADE_FUNCTION] = {"ws_probe_function", "function()", 8, 0, NULL, 0},
    [MADE_LEFT] = {"ws_probe_left", "left()", 9, BIT(SUM_UINT), left, 1},
    [MADE_TWO] = {"ws_probe_two", "two(float operand_1, float operand_2)", 10, BIT(SUM), two, 3},
    [MADE_ADDRESS] = {"ws_probe_address", "address(uvec2 pointer)", 11, BIT(SUM_UINT), address, 2},
    [MADE_STORE] = {"ws_probe_store", "store()", 12, 0, left, 1},
};

static const struct ws_probe_field keys[] = {{"twentieth", WS_YIELD_UINT}, {"odd", WS_YIELD_BOOL}};
static const struct ws_probe_field fields[] = {
    {"work", WS_YIELD_UINT}, {"site", WS_YIELD_UINT}, {"line", WS_YIELD_UINT}};

static const struct ws_probe_output outputs[MADE_OUTPUT_COUNT] = {
    [MADE_COUNT] = {"count", {WS_YIELD_COUNT, 0, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_SUM] = {"sum", {WS_YIELD_SUM, WS_YIELD_FLOAT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_SUM_INT] = {"sum_int", {WS_YIELD_SUM, WS_YIELD_INT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_SUM_UINT] = {"sum_uint", {WS_YIELD_SUM, WS_YIELD_UINT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_LEAST] = {"least", {WS_YIELD_MIN, WS_YIELD_FLOAT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_MOST] = {"most", {WS_YIELD_MAX, WS_YIELD_FLOAT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_LEAST_INT] = {"least_int", {WS_YIELD_MIN, WS_YIELD_INT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_MOST_UINT] = {"most_uint", {WS_YIELD_MAX, WS_YIELD_UINT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_LINEAR] = {"linear",
                     {WS_YIELD_HISTOGRAM_LINEAR, WS_YIELD_FLOAT, MADE_BINS, 0},
                     false,
                     0,
                     {0xc0800000, 0x40800000},
                     NULL},
    [MADE_LINEAR_INT] = {"linear_int",
                         {WS_YIELD_HISTOGRAM_LINEAR, WS_YIELD_INT, MADE_BINS, 0},
                         false,
                         0,
                         {(uint32_t)-2000000000, 1999999999},
                         NULL},
    [MADE_LOG] = {"log", {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_FLOAT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_LOG_INT] = {"log_int", {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_INT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_LOG_UINT] = {"log_uint", {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_UINT, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_TABLE] = {"table", {WS_YIELD_TABLE, 0, MADE_CAPACITY, 2}, false, 0, {0, 0}, keys},
    [MADE_SAMPLE] = {"sample", {WS_YIELD_SAMPLE, 0, MADE_SAMPLES, 3}, false, 0, {0, 0}, fields},
    [MADE_LANES] = {"lanes", {WS_YIELD_LANES, 0, 0, 0}, false, 0, {0, 0}, NULL},
    [MADE_TRIPS] = {"trips", {WS_YIELD_HISTOGRAM_LOG2, WS_YIELD_UINT, 0, 0}, true, 0, {0, 0}, NULL},
};

static const uint32_t arithmetic[] = {SpvOpFAdd,
                                      SpvOpFSub,
                                      SpvOpFMul,
                                      SpvOpFDiv,
                                      SpvOpIAdd,
                                      SpvOpIMul,
                                      SpvOpSDiv,
                                      SpvOpUDiv,
                                      SpvOpDot,
                                      SpvOpVectorTimesScalar,
                                      SpvOpMatrixTimesVector,
                                      SpvOpMatrixTimesMatrix,
                                      SpvOpBitcast,
                                      SpvOpConvertFToS,
                                      SpvOpSelect,
                                      SpvOpLoad,
                                      SpvOpExtInst,
                                      SpvOpImageSampleImplicitLod,
                                      SpvOpImageRead,
                                      SpvOpFunctionCall,
                                      SpvOpCompositeConstruct,
                                      SpvOpAtomicIAdd};
static const uint32_t two_operands[] = {SpvOpFAdd, SpvOpFSub, SpvOpFMul, SpvOpFDiv};
static const uint32_t memory[] = {SpvOpLoad, SpvOpStore, SpvOpAtomicIAdd};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

const struct ws_probe_rule made_rules[] = {
    MADE_RULE(WS_PROBE_AFTER, arithmetic, COUNT_OF(arithmetic), MADE_FLOAT, 4),
    MADE_RULE(WS_PROBE_BEFORE, two_operands, COUNT_OF(two_operands), MADE_TWO, 1),
    MADE_RULE(WS_PROBE_BEFORE, memory, COUNT_OF(memory), MADE_ADDRESS, 1),
    MADE_RULE(WS_PROBE_LOOP_BEGIN, NULL, 0, MADE_BEGIN, 1),
    MADE_RULE(WS_PROBE_LOOP_ITERATE, NULL, 0, MADE_ITERATE, 1),
    MADE_RULE(WS_PROBE_LOOP_END, NULL, 0, MADE_END, 1),
    MADE_RULE(WS_PROBE_FUNCTION_BEGIN, NULL, 0, MADE_FUNCTION, 1),
    MADE_RULE(WS_PROBE_FUNCTION_END, NULL, 0, MADE_LEFT, 1),
    MADE_RULE(WS_PROBE_ENTRY_BEGIN, NULL, 0, MADE_FUNCTION, 1),
    MADE_RULE(WS_PROBE_ENTRY_END, NULL, 0, MADE_LEFT, 1),
    MADE_RULE(WS_PROBE_BLOCK, NULL, 0, MADE_LEFT, 1),
};
const uint32_t made_rule_count = COUNT_OF(made_rules);

uint32_t *made_words(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    size_t capacity = 1 << 16;
    uint32_t *words = file != NULL ? malloc(capacity * sizeof(*words)) : NULL;
    *count = 0;
    while (words != NULL) {
        *count += fread(words + *count, sizeof(*words), capacity - *count, file);
        if (*count < capacity)
            break;
        capacity *= 2;
        uint32_t *more = realloc(words, capacity * sizeof(*words));
        if (more == NULL)
            free(words);
        words = more;
    }
    if (words == NULL) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return words;
}

struct ws_probe made_tables(char **units, const struct ws_probe_rule *rules, uint32_t rule_count)
{
    struct ws_probe probe = {.name = "made",
                             .source = "",
                             .outputs = outputs,
                             .output_count = MADE_OUTPUT_COUNT,
                             .rules = rules,
                             .rule_count = rule_count,
                             .functions = functions,
                             .function_count = MADE_FUNCTION_COUNT,
                             .flags = WS_PROBE_WORK};
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++) {
        size_t count = 0;
        probe.units[i].words = made_words(units[i], &count);
        probe.units[i].word_count = (uint32_t)count;
    }
    return probe;
}

struct ws_probe *made_probe(char **units, const struct ws_probe_rule *rules, uint32_t rule_count)
{
    struct ws_error error = {{0}};
    size_t count = 0;
    struct ws_probe tables = made_tables(units, rules, rule_count);
    uint32_t *words = ws_probe_write(&tables, &count, &error);
    struct ws_probe *probe = words != NULL ? ws_probe_read(words, count, &error) : NULL;
    free(words);
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)tables.units[i].words);
    if (probe == NULL) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return probe;
}
