/* A synthetic capture: `bench_growth OUT.wscope SHADERS LAUNCHES WARPS` writes one of so many compute shaders, and of so many
 * dispatches, which take turns to run them, each with so many warps of 8 lanes. All lanes run each block once, so that counters
 * and records, which are made up, agree.
 *
 * scripts/bench --growth reports captures of more and more of each, and compares CPU time and memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_load_comp.h"
#include "layer/capture/capture_writer.h"
#include "tests/bench/synthetic.h"
#include "warpscope/instrument.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"

enum { LANES = 8, ENTRY_WORDS = 7 + LANES, PLACE_WORDS = 2 };

static const char *const passes[] = {"simt_efficiency", "execution_trace", "divergence", "thread_compaction"};

enum { PASSES = sizeof(passes) / sizeof(passes[0]), WORDS = sizeof(bench_load_comp) / sizeof(uint32_t) };

struct growth {
    struct ws_capture_writer *writer;
    struct ws_instrumented *made;
    uint32_t *rows;  /* of a launch */
    uint32_t *words; /* its records */
    uint32_t word_count;
    uint32_t warps;
};

static void check(bool success, const char *what)
{
    if (!success) {
        fprintf(stderr, "growth: %s failed\n", what);
        exit(1);
    }
}

/* A module of its own for each shader, which differ in one constant: that tells them apart, and changes nothing. */
static void write_shader(const struct growth *growth, uint32_t id)
{
    static const uint32_t exchanged = 0x12345678;
    uint32_t words[WORDS];
    memcpy(words, bench_load_comp, sizeof(words));
    for (size_t i = 0; i < WORDS; ++i)
        words[i] += words[i] == exchanged ? id : 0;
    const struct synthetic_shader shader = {.id = id,
                                            .hash = UINT64_C(0x9e3779b97f4a7c15) * (id + 1),
                                            .words = words,
                                            .word_count = WORDS,
                                            .stage = WS_STAGE_COMPUTE,
                                            .passes = passes,
                                            .pass_count = PASSES,
                                            .made = growth->made};
    const struct ws_chunk_pipeline pipeline = {
        .id = id, .kind = WS_PIPELINE_COMPUTE, .shaders = &id, .shader_count = 1};
    check(synthetic_write_shader(growth->writer, &shader) &&
              ws_capture_write_pipeline(growth->writer, &pipeline, NULL),
          "writing a shader");
}

static void put(struct growth *growth, uint32_t word)
{
    growth->words[growth->word_count++] = word;
}

/* The records of a workgroup of one warp. */
static void add_warp(struct growth *growth, uint32_t entry, uint32_t workgroup)
{
    const uint32_t context = growth->word_count;
    const uint32_t all = (1u << LANES) - 1;
    put(growth, WS_CONTEXT_NONE);
    put(growth, entry);
    put(growth, LANES | 3u << 8 | 1u << 16);
    put(growth, all);
    put(growth, workgroup);
    put(growth, 0);
    put(growth, 0);
    for (uint32_t lane = 0; lane < LANES; ++lane)
        put(growth, lane);
    for (uint32_t i = 0; i < growth->made->site_count; ++i) {
        const struct ws_site_info *site = &growth->made->sites[i];
        if (!ws_site_is_place(site->kind) || site->row != i)
            continue;
        put(growth, context);
        put(growth, i << 16 | all);
    }
}

/* What each launch has: every block by all lanes of every warp. */
static void make_results(struct growth *growth)
{
    const struct ws_instrumented *made = growth->made;
    const uint32_t entry = synthetic_entry(made);
    growth->rows = calloc((size_t)made->row_count * LANES + 1, sizeof(*growth->rows));
    growth->words = calloc((size_t)growth->warps * (ENTRY_WORDS + (size_t)PLACE_WORDS * made->site_count) + 1,
                           sizeof(*growth->words));
    check(growth->rows != NULL && growth->words != NULL, "making room");
    for (uint32_t i = 0; i < made->row_count; ++i)
        growth->rows[i * LANES + LANES - 1] = growth->warps;
    for (uint32_t i = 0; i < growth->warps; ++i)
        add_warp(growth, entry, i);
}

static void write_launch(const struct growth *growth, uint64_t index, uint32_t shader)
{
    const struct ws_shader_counters counters = {
        .shader = shader, .row_count = growth->made->row_count, .bins = LANES, .words = growth->rows};
    const struct ws_launch launch = {.index = index,
                                     .kind = WS_LAUNCH_DISPATCH,
                                     .size = {growth->warps, 1, 1},
                                     .label = "",
                                     .pipelines = &shader,
                                     .pipeline_count = 1,
                                     .shaders = &counters,
                                     .shader_count = 1};
    const struct ws_chunk_submission submission = {
        .index = index, .frame = index, .launches = &launch, .launch_count = 1};
    const struct ws_slot_shader slot = {0, shader};
    const struct ws_chunk_records records = {.submission = index,
                                             .launch = index,
                                             .flags = WS_RECORDS_LAST,
                                             .bins = LANES,
                                             .slots = &slot,
                                             .slot_count = 1,
                                             .words = growth->words,
                                             .word_count = growth->word_count};
    check(ws_capture_write_submission(growth->writer, &submission, NULL) &&
              ws_capture_write_records(growth->writer, &records, NULL),
          "writing a launch");
}

static void write_all(struct growth *growth, uint32_t shaders, uint32_t launches)
{
    const struct ws_chunk_info info = {.version = "bench", .passes = passes, .pass_count = PASSES};
    const struct ws_chunk_device device = {.name = "device",
                                           .subgroup_size = LANES,
                                           .subgroup_size_min = LANES,
                                           .subgroup_size_max = LANES,
                                           .bins = LANES,
                                           .subgroup_stages = WS_STAGES_ALL};
    check(ws_capture_write_info(growth->writer, &info, NULL) &&
              ws_capture_write_device(growth->writer, &device, NULL),
          "writing the device");
    for (uint32_t i = 0; i < shaders; ++i)
        write_shader(growth, i);
    for (uint32_t i = 0; i < launches; ++i)
        write_launch(growth, i, i % shaders);
    check(ws_capture_write_done(growth->writer, &(struct ws_chunk_done){0}, NULL), "closing the capture");
}

int main(int argument_count, char **arguments)
{
    const struct ws_instrument_options options = {.passes = passes, .pass_count = PASSES, .per_block = true};
    const uint32_t shaders = argument_count == 5 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 0;
    if (shaders == 0) {
        fprintf(stderr, "usage: bench_growth OUT.wscope SHADERS LAUNCHES WARPS\n");
        return 2;
    }
    struct growth growth = {.warps = (uint32_t)strtoul(arguments[4], NULL, 10)};
    growth.writer = ws_capture_writer_create(arguments[1], NULL);
    growth.made = ws_instrument(bench_load_comp, WORDS, &options, NULL);
    check(growth.writer != NULL && growth.made != NULL && growth.made->words != NULL, "beginning");
    make_results(&growth);
    write_all(&growth, shaders, (uint32_t)strtoul(arguments[3], NULL, 10));
    ws_capture_writer_destroy(growth.writer);
    ws_instrumented_destroy(growth.made);
    free(growth.rows);
    free(growth.words);
    return 0;
}
