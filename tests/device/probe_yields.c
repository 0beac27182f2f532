/* What probes yield, on a device: the probe that is made by hand (tests/probes) in a compute shader with known values, and
 * every kind of output held against what follows from the thread's ids. Once with 64-bit atomics and shuffles, once without.
 *
 *   probe_yields UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv VALUES.spv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/yields/decode.h"
#include "examples/base/bindings.h"
#include "tests/probes/made.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/root.h"

#define GROUPS     50u
#define GROUP_SIZE 20u
#define THREADS    (GROUPS * GROUP_SIZE)
#define SLOT       7
#define IMUL_LINE  10 /* of values.comp */

struct fixture {
    struct ws_gpu gpu;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_buffer root;
    struct ws_gpu_buffer yields;
    struct ws_gpu_buffer counters;
    struct ws_instrumented *result;
    VkPipeline pipeline;
    const struct ws_probe *probe;
    struct ws_probe_layout layout;
    const uint32_t *module;
    bool wide;      /* 64-bit atomics and shuffles */
    uint64_t asked; /* of samples, before the launch */
    bool good;
};

static void expect(struct fixture *fixture, const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected)
        printf("%s: %llu instead of %llu\n", what, (unsigned long long)value, (unsigned long long)expected);
    fixture->good = fixture->good && value == expected;
}

/* ---- reading ---- */

/* The n-th site of a function at an opcode; NULL if there is none. */
static const struct ws_site_info *find_site(const struct fixture *fixture, uint32_t function, uint32_t opcode,
                                            uint32_t n)
{
    for (uint32_t i = 0; i < fixture->result->site_count; i++) {
        const struct ws_site_info *site = &fixture->result->sites[i];
        if (site->kind == WS_SITE_YIELD && WS_PROBE_SITE_FUNCTION(site->tag) == function &&
            (fixture->module[site->offset] & SpvOpCodeMask) == opcode && n-- == 0)
            return site;
    }
    return NULL;
}

static const uint32_t *words_at(const struct fixture *fixture, uint32_t word)
{
    return (const uint32_t *)fixture->yields.data + (word - fixture->result->entries[0].yield_first);
}

/* The words of an output at the n-th site of a function at an opcode. */
static const uint32_t *output_at(struct fixture *fixture, uint32_t function, uint32_t opcode, uint32_t n,
                                 uint32_t output)
{
    static const uint32_t none[1024];
    const struct ws_site_info *site = find_site(fixture, function, opcode, n);
    expect(fixture, "a site is there", site != NULL, true);
    return site != NULL ? words_at(fixture, site->row + fixture->layout.offsets[output]) : none;
}

static uint64_t wide(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* Where samples are counted. */
static uint32_t *sample_words(struct fixture *fixture)
{
    return (uint32_t *)output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_SAMPLE);
}

/* ---- running ---- */

static bool make_pipeline(struct fixture *fixture, struct ws_error *error)
{
    const struct ws_instrumented *result = fixture->result;
    const uint32_t values[WS_SPEC_COUNT] = {
        [WS_SPEC_ROOT_LO] = (uint32_t)fixture->root.address,
        [WS_SPEC_ROOT_HI] = (uint32_t)(fixture->root.address >> 32),
        [WS_SPEC_SLOT] = SLOT,
        [WS_SPEC_BINS] = 128,
    };
    VkSpecializationMapEntry entries[WS_SPEC_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++)
        if (result->spec_ids[i] != WS_NONE)
            entries[count++] = (VkSpecializationMapEntry){result->spec_ids[i], i * 4, 4};
    const VkSpecializationInfo info = {count, entries, sizeof(values), values};
    const struct ws_gpu_shader stage = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                        .name = "values",
                                        .words = result->words,
                                        .size = result->word_count * sizeof(uint32_t),
                                        .specialization = &info};
    fixture->pipeline = ws_gpu_compute_pipeline(&fixture->gpu, &fixture->bindings, &stage, error);
    return fixture->pipeline != VK_NULL_HANDLE;
}

static bool run(struct fixture *fixture, struct ws_error *error)
{
    struct ws_gpu *gpu = &fixture->gpu;
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const struct ws_entry_info *entry = &fixture->result->entries[0];
    if (!ws_gpu_buffer_init(gpu, &fixture->root, usage, NULL, WS_ROOT_SIZE, error) ||
        !ws_gpu_buffer_init(gpu, &fixture->yields, usage, NULL, (VkDeviceSize)entry->yield_count * 4,
                            error) ||
        !ws_gpu_bindings_init(gpu, &fixture->bindings, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, 0, error) ||
        !make_pipeline(fixture, error))
        return false;
    struct ws_root *root = fixture->root.data;
    memset(root, 0, sizeof(*root));
    memset(fixture->yields.data, 0, (size_t)entry->yield_count * 4);
    memcpy(sample_words(fixture), &fixture->asked, sizeof(fixture->asked));
    root->yields[SLOT] = fixture->yields.address - UINT64_C(4) * entry->yield_first;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, fixture->pipeline, &fixture->bindings);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

static void finish_run(struct fixture *fixture)
{
    if (fixture->pipeline != VK_NULL_HANDLE)
        vkDestroyPipeline(fixture->gpu.device, fixture->pipeline, NULL);
    fixture->pipeline = VK_NULL_HANDLE;
    ws_gpu_bindings_finish(&fixture->gpu, &fixture->bindings);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->yields);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->root);
    ws_instrumented_destroy(fixture->result);
    fixture->result = NULL;
}

/* ---- what the shader computes ---- */

static uint32_t bits_of(uint32_t thread)
{
    return thread == 13 ? 0 : thread * 2654435761u;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* ---- exact sums: integers of 320 bits, in units of 2^-149 ---- */

#define BIG 10

static void big_add(uint32_t *big, uint32_t word, uint32_t value, bool negative)
{
    uint64_t carry = value;
    for (uint32_t i = word; i < BIG && carry != 0; i++) {
        const uint64_t sum = negative ? (uint64_t)big[i] - carry : (uint64_t)big[i] + carry;
        big[i] = (uint32_t)sum;
        carry = sum >> 32 & 1;
    }
}

/* Adds a float, bit by bit: another way than that of the shader. */
static void big_add_float(uint32_t *big, uint32_t bits)
{
    const uint32_t exponent = bits >> 23 & 0xff;
    const uint32_t integer = (bits & 0x7fffff) | (exponent != 0 ? 0x800000u : 0);
    for (uint32_t bit = 0; bit < 24; bit++) {
        const uint32_t place = bit + (exponent != 0 ? exponent - 1 : 0);
        if ((integer >> bit & 1) != 0)
            big_add(big, place / 32, 1u << place % 32, bits >> 31 != 0);
    }
}

static void big_from_limbs(uint32_t *big, const uint32_t *limbs)
{
    for (uint32_t i = 0; i < WS_SUM_LIMBS; i++) {
        const uint64_t limb = wide(limbs + 2 * (size_t)i);
        const bool negative = limb >> 63 != 0;
        const uint64_t size = negative ? 0 - limb : limb;
        big_add(big, i, (uint32_t)size, negative);
        big_add(big, i + 1, (uint32_t)(size >> 32), negative);
    }
}

/* ---- what is yielded ---- */

static uint32_t image_of_float(uint32_t bits)
{
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static void check_extreme(struct fixture *fixture, const char *what, const uint32_t *words, uint32_t image,
                          uint32_t work, uint32_t count, uint32_t nans)
{
    expect(fixture, what, words[WS_EXTREME_IMAGE], image);
    expect(fixture, "its thread", words[WS_EXTREME_WORK], fixture->wide ? ~work : 0);
    expect(fixture, "how many values it had", wide(words + WS_EXTREME_COUNT), count);
    expect(fixture, "how many of them were no numbers", words[WS_EXTREME_NANS], nans);
}

static uint32_t log_place_float(uint32_t bits)
{
    const int exponent = (int)(bits >> 23 & 0xff) - 127;
    if (is_nan(bits))
        return WS_LOG2_NANS;
    if ((bits & 0x7fffffff) == 0)
        return WS_LOG2_ZERO;
    if (bits >> 31 != 0)
        return WS_LOG2_NEGATIVE;
    if (exponent < -64)
        return WS_LOG2_BELOW;
    return exponent > 63 ? WS_LOG2_ABOVE : WS_LOG2_BIN + 2 * (uint32_t)(exponent + 64);
}

static uint32_t linear_place_float(uint32_t bits)
{
    const float value = float_of(bits);
    if (is_nan(bits))
        return WS_LINEAR_NANS(MADE_BINS);
    if (value < -4.0f)
        return WS_LINEAR_BELOW;
    if (value >= 4.0f)
        return WS_LINEAR_ABOVE(MADE_BINS);
    const uint32_t bin = (uint32_t)((value + 4.0f) * (MADE_BINS / 8.0f));
    return WS_LINEAR_BIN + 2 * (bin < MADE_BINS ? bin : MADE_BINS - 1);
}

static void check_histogram(struct fixture *fixture, const char *what, const uint32_t *words,
                            const uint32_t *expected, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        expect(fixture, what, words[i], expected[i]);
}

static void check_floats(struct fixture *fixture)
{
    const uint32_t *sum = output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_SUM);
    uint32_t exact[BIG] = {0};
    uint32_t limbs[BIG] = {0};
    uint32_t counts[3] = {0}; /* NaNs, infinities of both signs */
    uint32_t log[WS_LOG2_WORDS] = {0};
    uint32_t linear[WS_LINEAR_WORDS(MADE_BINS)] = {0};
    uint32_t least = 0;
    uint32_t most = 0;
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t bits = bits_of(t);
        const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
        counts[0] += is_nan(bits);
        counts[1] += bits == 0x7f800000;
        counts[2] += bits == 0xff800000;
        if (is_finite)
            big_add_float(exact, bits);
        log[log_place_float(bits)]++;
        linear[linear_place_float(bits)]++;
        if (!is_nan(bits)) {
            least = image_of_float(bits) < image_of_float(bits_of(least)) ? t : least;
            most = image_of_float(bits) > image_of_float(bits_of(most)) ? t : most;
        }
    }
    big_from_limbs(limbs, sum + WS_SUM_LIMB);
    expect(fixture, "some are no numbers", counts[0] != 0, true);
    expect(fixture, "values of the sum", wide(sum), THREADS);
    expect(fixture, "NaNs of the sum", sum[WS_SUM_NANS], counts[0]);
    expect(fixture, "infinities of the sum", sum[WS_SUM_INFINITIES], counts[1]);
    expect(fixture, "negative infinities of the sum", sum[WS_SUM_MINUS], counts[2]);
    for (uint32_t i = 0; i < BIG; i++)
        expect(fixture, "the exact sum", limbs[i], exact[i]);
    expect(fixture, "count", wide(output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_COUNT)), THREADS);
    check_extreme(fixture, "least", output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_LEAST),
                  ~image_of_float(bits_of(least)), least, THREADS, counts[0]);
    check_extreme(fixture, "most", output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_MOST),
                  image_of_float(bits_of(most)), most, THREADS, counts[0]);
    check_histogram(fixture, "log2 of floats", output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_LOG), log,
                    WS_LOG2_WORDS);
    check_histogram(fixture, "linear of floats", output_at(fixture, MADE_FLOAT, SpvOpBitcast, 0, MADE_LINEAR),
                    linear, WS_LINEAR_WORDS(MADE_BINS));
}

static void check_ints(struct fixture *fixture)
{
    const uint32_t *sum = output_at(fixture, MADE_INT, SpvOpBitcast, 0, MADE_SUM_INT);
    uint32_t log[WS_LOG2_WORDS] = {0};
    uint32_t linear[WS_LINEAR_WORDS(MADE_BINS)] = {0};
    int64_t total = 0;
    uint32_t least = 0;
    for (uint32_t t = 0; t < THREADS; t++) {
        const int32_t value = (int32_t)bits_of(t);
        const int64_t above = (int64_t)value + 2000000000;
        total += value;
        least = value < (int32_t)bits_of(least) ? t : least;
        if (value <= 0)
            log[value == 0 ? WS_LOG2_ZERO : WS_LOG2_NEGATIVE]++;
        for (uint32_t bit = 0; bit < 31 && value > 0; bit++)
            log[WS_LOG2_BIN + 2 * (bit + 64)] += value >> bit == 1;
        linear[above < 0             ? WS_LINEAR_BELOW
               : above >= 3999999999 ? WS_LINEAR_ABOVE(MADE_BINS)
                                     : WS_LINEAR_BIN + 2 * (uint32_t)(above * MADE_BINS / 3999999999)]++;
    }
    expect(fixture, "sum of ints", wide(sum + WS_SUM_INTEGER), (uint64_t)total);
    expect(fixture, "ints of the sum", wide(sum), THREADS);
    check_extreme(fixture, "least int", output_at(fixture, MADE_INT, SpvOpBitcast, 0, MADE_LEAST_INT),
                  ~(bits_of(least) ^ 0x80000000u), least, THREADS, 0);
    check_histogram(fixture, "log2 of ints", output_at(fixture, MADE_INT, SpvOpBitcast, 0, MADE_LOG_INT), log,
                    WS_LOG2_WORDS);
    check_histogram(fixture, "linear of ints", output_at(fixture, MADE_INT, SpvOpBitcast, 0, MADE_LINEAR_INT),
                    linear, WS_LINEAR_WORDS(MADE_BINS));
}

/* 20 keys, the first of them UINT32_MAX, come to 16 slots: each slot is taken, by a key that has all of its amounts. What the
 * other keys bring is lost. It does not matter which lanes come first. */
static void check_table(struct fixture *fixture, const uint32_t *table)
{
    static const struct ws_yield_shape shape = {
        .kind = WS_YIELD_TABLE, .size = MADE_CAPACITY, .field_count = 2};
    uint64_t expected[20] = {0};
    uint64_t lost = 0;
    for (uint32_t t = 0; t < THREADS; t++)
        expected[t % 20] += t == 13 ? 0 : 1 + t % 3;
    for (uint32_t i = 0; i < MADE_CAPACITY; i++) {
        uint32_t keys[WS_YIELD_KEYS_MAX];
        const uint64_t amount = ws_yield_slot(&shape, table, i, keys);
        const uint32_t key = keys[0] + 1;
        expect(fixture, "a key of the table", key < 20 && keys[1] == key % 2, true);
        expect(fixture, "an amount of the table", amount, key < 20 ? expected[key] : 0);
        if (key < 20)
            expected[key] = 0;
    }
    for (uint32_t key = 0; key < 20; key++)
        lost += expected[key];
    expect(fixture, "what the table lost", wide(table + WS_TABLE_LOST), lost);
}

/* Workgroups of 20 threads are full warps and a rest; the warp of thread 13 has one lane less there. */
static void check_lanes(struct fixture *fixture)
{
    const uint32_t *bins = output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_LANES);
    const uint32_t size = fixture->gpu.subgroup_size;
    uint32_t expected[WS_LANES_WORDS] = {0};
    for (uint32_t first = 0; first < THREADS; first += GROUP_SIZE)
        for (uint32_t begin = 0; begin < GROUP_SIZE; begin += size) {
            const uint32_t lanes = GROUP_SIZE - begin < size ? GROUP_SIZE - begin : size;
            const uint32_t active = lanes - (first == 0 && 13 - begin < lanes);
            expected[WS_LANES_BIN(size, active)] += active > 0;
        }
    check_histogram(fixture, "lanes", bins, expected, WS_LANES_WORDS);
}

static void check_uints(struct fixture *fixture)
{
    const struct ws_site_info *site = find_site(fixture, MADE_UINT, SpvOpIMul, 0);
    const uint32_t *sample = output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_SAMPLE);
    uint64_t total = 0;
    uint32_t most = 0;
    uint32_t log[WS_LOG2_UINT_WORDS] = {0};
    for (uint32_t t = 0; t < THREADS; t++) {
        if (t == 13)
            continue;
        total += bits_of(t);
        most = bits_of(t) > bits_of(most) ? t : most;
        log[WS_LOG2_ZERO] += bits_of(t) == 0;
        for (uint32_t bit = 0; bit < 32; bit++)
            log[WS_LOG2_UINT_BIN + 2 * bit] += bits_of(t) >> bit == 1;
    }
    expect(fixture, "count of uints", wide(output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_COUNT)),
           THREADS - 1);
    expect(fixture, "sum of uints",
           wide(output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_SUM_UINT) + WS_SUM_INTEGER), total);
    check_extreme(fixture, "most", output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_MOST_UINT), bits_of(most),
                  most, THREADS - 1, 0);
    check_histogram(fixture, "log2 of uints", output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_LOG_UINT), log,
                    WS_LOG2_UINT_WORDS);
    check_lanes(fixture);
    check_table(fixture, output_at(fixture, MADE_UINT, SpvOpIMul, 0, MADE_TABLE));
    expect(fixture, "samples that were asked for", wide(sample), THREADS - 1);
    for (uint32_t i = 0; i < MADE_SAMPLES; i++) {
        const uint32_t *fields = sample + WS_SAMPLE_FIRST + 3 * (size_t)i;
        expect(fixture, "a sample's thread", fields[0] < THREADS && fields[0] != 13, true);
        expect(fixture, "a sample is of another thread", i == 0 || fields[0] != sample[WS_SAMPLE_FIRST],
               true);
        expect(fixture, "a sample's site", fields[1], (uint64_t)(site - fixture->result->sites));
        expect(fixture, "a sample's line", fields[2], IMUL_LINE);
    }
}

/* Which number of 64 bits the words become, where they are `asked` before the launch: no room is taken again. */
static void check_samples_after(struct fixture *fixture, uint64_t expected)
{
    static const struct ws_yield_shape shape = {
        .kind = WS_YIELD_SAMPLE, .size = MADE_SAMPLES, .field_count = 3};
    const uint32_t *sample = sample_words(fixture);
    struct ws_yield_sums sums;
    ws_yield_decode(&shape, sample, &sums);
    expect(fixture, "samples in all", sums.count, expected);
    expect(fixture, "the mark that no room is left", sample[WS_SAMPLE_ASKED + 1] >> 31, 1);
    expect(fixture, "samples that were taken", ws_yield_sample_count(&shape, sample), MADE_SAMPLES);
    for (uint32_t i = 0; i < 3 * MADE_SAMPLES; i++)
        expect(fixture, "a sample of before", sample[WS_SAMPLE_FIRST + i], 0);
}

/* vec3(f, float(t), float(sum)) + vec3(1, 0.5, 0.25): each component is a value. */
static void check_components(struct fixture *fixture)
{
    const uint32_t *sum = output_at(fixture, MADE_FLOAT, SpvOpFAdd, 0, MADE_SUM);
    expect(fixture, "components", wide(output_at(fixture, MADE_FLOAT, SpvOpFAdd, 0, MADE_COUNT)),
           3 * THREADS);
    expect(fixture, "components of the sum", wide(sum), 3 * THREADS);
    /* operand_1 - operand_2 of each component, before the addition */
    expect(fixture, "pairs of components", wide(output_at(fixture, MADE_TWO, SpvOpFAdd, 0, MADE_SUM)),
           3 * THREADS);
}

static void check_loops(struct fixture *fixture)
{
    uint32_t expected[WS_LOG2_UINT_WORDS] = {0};
    uint64_t ends[4] = {0, THREADS, THREADS,
                        1}; /* in the order in which their merge blocks stand: the inner loop first */
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t outer = t % 4;
        const uint32_t inner = t % 3 + 1;
        const uint32_t sum = outer * (t % 3 == 2 ? 1 : 0);
        const uint32_t turns = sum < 3 ? 3 - sum : 1;
        const uint32_t trips[] = {outer, turns};
        ends[0] += outer;
        for (uint32_t bit = 0; bit < 3; bit++)
            expected[WS_LOG2_UINT_BIN + 2 * bit] +=
                (inner >> bit == 1 ? outer : 0) + (trips[0] >> bit == 1) + (trips[1] >> bit == 1);
        expected[WS_LOG2_ZERO] += trips[0] == 0;
    }
    expected[WS_LOG2_UINT_BIN] += 1; /* the endless loop, which thread 4 leaves at once */
    for (uint32_t i = 0; i < 4; i++)
        expect(fixture, "ends of a loop", wide(output_at(fixture, MADE_END, SpvOpLoopMerge, i, MADE_COUNT)),
               ends[i]);
    expect(fixture, "loops", find_site(fixture, MADE_END, SpvOpLoopMerge, 4) == NULL, true);
    expect(fixture, "the shader's area", fixture->result->shared_yields[0] != WS_NONE, true);
    check_histogram(fixture, "trips", words_at(fixture, fixture->result->shared_yields[0]), expected,
                    WS_LOG2_UINT_WORDS);
}

/* Each thread begins main and then scaled: it has begun 2 functions where it leaves either. */
static void check_functions(struct fixture *fixture)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < fixture->result->site_count; i++) {
        const struct ws_site_info *site = &fixture->result->sites[i];
        if (site->kind == WS_SITE_YIELD && WS_PROBE_SITE_FUNCTION(site->tag) == MADE_LEFT)
            total +=
                wide(words_at(fixture, site->row + fixture->layout.offsets[MADE_SUM_UINT]) + WS_SUM_INTEGER);
    }
    expect(fixture, "functions begun", total, 2 * 2 * THREADS);
}

static bool check(struct fixture *fixture, size_t word_count, struct ws_error *error)
{
    const uint32_t capabilities[] = {SpvCapabilityInt64, SpvCapabilityInt64Atomics};
    const struct ws_probe *const probes[] = {fixture->probe};
    const struct ws_instrument_options options = {.probes = probes,
                                                  .probe_count = 1,
                                                  .capabilities = capabilities,
                                                  .capability_count = fixture->wide ? 2 : 0,
                                                  .without_records = !fixture->wide};
    fixture->result = ws_instrument(fixture->module, word_count, &options, error);
    fixture->good = fixture->result != NULL && fixture->result->words != NULL &&
                    assembly_is_valid(fixture->result->words, fixture->result->word_count) &&
                    run(fixture, error);
    if (fixture->good && fixture->asked != 0) {
        check_samples_after(fixture, (fixture->asked & INT64_MAX) + THREADS - 1);
    } else if (fixture->good) {
        check_floats(fixture);
        check_ints(fixture);
        check_uints(fixture);
        check_components(fixture);
        check_loops(fixture);
        check_functions(fixture);
    }
    finish_run(fixture);
    return fixture->good;
}

int main(int argc, char **argv)
{
    static const uint32_t sums[] = {SpvOpFAdd};
    static const uint32_t values[] = {SpvOpFAdd, SpvOpBitcast, SpvOpIMul};
    const struct ws_probe_rule rules[] = {
        MADE_RULE(WS_PROBE_AFTER, values, 3, MADE_FLOAT, 4),
        MADE_RULE(WS_PROBE_BEFORE, sums, 1, MADE_TWO, 1),
        MADE_RULE(WS_PROBE_LOOP_BEGIN, NULL, 0, MADE_BEGIN, 1),
        MADE_RULE(WS_PROBE_LOOP_ITERATE, NULL, 0, MADE_ITERATE, 1),
        MADE_RULE(WS_PROBE_LOOP_END, NULL, 0, MADE_END, 1),
        MADE_RULE(WS_PROBE_FUNCTION_BEGIN, NULL, 0, MADE_FUNCTION, 1),
        MADE_RULE(WS_PROBE_FUNCTION_END, NULL, 0, MADE_LEFT, 1),
    };
    struct fixture fixture = {0};
    struct ws_error error = {{0}};
    size_t count = 0;
    if (argc != 5)
        return 2;
    /* Ray tracing stands for device addresses: a device that has it has them. */
    const struct ws_gpu_request request = {.application = "probe yields",
                                           .needs = WS_GPU_RAY_TRACING | WS_GPU_INT64_ATOMICS,
                                           .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    struct ws_probe *probe = made_probe(argv + 1, rules, sizeof(rules) / sizeof(rules[0]));
    uint32_t *words = made_words(argv[4], &count);
    fixture.probe = probe;
    fixture.layout = ws_probe_layout(probe->outputs, probe->output_count);
    fixture.module = words;
    bool good = true;
    for (int wide = 1; wide >= 0; wide--) {
        fixture.wide = wide != 0;
        /* As the launch's end comes to 2^31 samples that were asked for, to 2^32, and to twice that. */
        static const uint64_t asked[] = {0, 0x7fffff00, 0x80000000ffffff00, 0x80000001ffffff00};
        for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
            fixture.asked = asked[i];
            good = check(&fixture, count, &error) && good;
        }
    }
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    ws_gpu_finish(&fixture.gpu);
    ws_probe_destroy(probe);
    free(words);
    return good ? 0 : 1;
}
