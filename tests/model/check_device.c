/* Random programs below the layer, with all passes or some: the records that come off the device against the model's.
 * Each thread must come by the places that the interpreter says, in that order. In compute shaders, whose
 * threads Mesa's software device puts into warps in order, each record must show the lanes that it says. Of rays
 * and fragments Vulkan leaves open who runs together, so there the warps are taken as the device tells. Then
 * counters and analyses of the capture must be what brute force makes of its records. Programs with all passes run once more
 * with sampled counters: those must be what the rule says of the warps that were there before.
 *
 * A process has one capture, so each program runs in a process of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/model/capture/decode.h"
#include "tests/model/device.h"
#include "tests/model/figures/compare.h"
#include "tests/model/figures/compare_sampled.h"
#include "warpscope/reader.h"

#define EVENTS_MAX 6000
#define LANES      8 /* where another number is, the warps are not predicted */

static const char *const all_passes[] = {"simt_efficiency", "execution_trace", "divergence",
                                         "thread_compaction", "warp_entry_exit"};

struct check {
    struct model_program program;
    struct model_run run;
    struct model_module modules[MODEL_SHADERS];
    struct model_warps predicted;
    struct model_warps found;
    struct model_visits visits;
    struct model_reorder reorder;
    struct model_sampled sampled;
    const char *passes[5];
    uint32_t pass_count;
    uint32_t slots[65536];
    uint32_t shader_of[4096]; /* by id of the capture's shaders */
    uint32_t *words;
    uint32_t word_count;
    uint32_t position;
    uint32_t lanes;
    uint32_t module_count;
    uint32_t
        first; /* module of the program's first shader: that of the vertex shader that draws stands before it */
    char path[64];
    uint32_t programs;
    uint64_t records;
    uint32_t samplings;
};

static bool wrong(const char *what)
{
    printf("%s\n", what);
    return false;
}

static bool take_module(struct check *check, const struct ws_chunk_module *module)
{
    const bool drawn = check->program.shaders[0].stage == WS_STAGE_FRAGMENT;
    const uint32_t shader = module->id - check->first;
    if (module->id >= check->first && shader < check->program.shader_count &&
        module->word_count == check->modules[shader].word_count &&
        memcmp(module->words, check->modules[shader].words, 4 * (size_t)module->word_count) == 0) {
        check->module_count++;
        return true;
    }
    if (!drawn || check->first > 0 || check->module_count > 0)
        return wrong("a module of the capture is none of the program's");
    check->first = 1;
    return true;
}

/* What a chunk of the capture says must be what is instrumented here. */
static bool take_sites(const struct check *check, const struct ws_chunk_sites *sites)
{
    const uint32_t shader = sites->module - check->first;
    if (sites->module < check->first)
        return sites->site_count == 0 || wrong("a shader of another stage has sites");
    const struct ws_instrumented *expected =
        shader < check->program.shader_count ? check->modules[shader].instrumented : NULL;
    if (expected == NULL || sites->site_count != expected->site_count)
        return wrong("a module has other sites in the capture");
    for (uint32_t i = 0; i < sites->site_count; i++) {
        const struct ws_site_info *a = &sites->sites[i], *b = &expected->sites[i];
        if (a->kind != b->kind || a->block != b->block || a->offset != b->offset || a->row != b->row)
            return wrong("a site is another in the capture");
    }
    return true;
}

static bool take_records(struct check *check, const struct ws_chunk_records *records)
{
    if (records->missing > 0)
        return wrong("records did not fit");
    for (uint32_t i = 0; i < records->slot_count; i++)
        check->slots[records->slots[i].slot] = check->shader_of[records->slots[i].shader % 4096];
    check->position = check->word_count == 0 ? records->position : check->position;
    check->words = realloc(check->words, (check->word_count + records->word_count + 1) * sizeof(uint32_t));
    if (check->words == NULL)
        abort();
    memcpy(check->words + check->word_count, records->words, records->word_count * sizeof(uint32_t));
    check->word_count += records->word_count;
    return true;
}

static bool take_chunk(struct check *check, const struct ws_chunk *chunk)
{
    switch (chunk->type) {
    case WS_CHUNK_DEVICE: check->lanes = chunk->device.subgroup_size; return true;
    case WS_CHUNK_MODULE: return take_module(check, &chunk->module);
    case WS_CHUNK_SITES: return take_sites(check, &chunk->sites);
    case WS_CHUNK_SHADER:
        check->shader_of[chunk->shader.id % 4096] = chunk->shader.module - check->first;
        return true;
    case WS_CHUNK_RECORDS: return take_records(check, &chunk->records);
    case WS_CHUNK_SKIP: return chunk->skip.id < check->first || wrong(chunk->skip.reason);
    case WS_CHUNK_MESSAGE: return chunk->message.severity == WS_INFORMATION || wrong(chunk->message.text);
    default: return true;
    }
}

static bool read_capture(struct check *check)
{
    struct ws_error error = {0};
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;
    struct ws_reader *reader = ws_reader_open(check->path, &error);
    bool agrees = reader != NULL || wrong(error.message);
    memset(check->slots, 0xff, sizeof(check->slots));
    check->word_count = 0;
    check->module_count = 0;
    check->first = 0;
    while (agrees && (result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK)
        agrees = take_chunk(check, &chunk);
    if (agrees && result != WS_READ_END)
        agrees = wrong(error.message);
    ws_reader_destroy(reader);
    return agrees;
}

/* The unit that a thread comes by next, from `*at` on; NULL at the end. */
static const struct model_unit *next_unit(const struct model_warps *warps, uint32_t thread, uint32_t *at)
{
    while (*at < warps->unit_count) {
        const struct model_unit *unit = &warps->units[(*at)++];
        const struct model_context *context = &warps->contexts[unit->context];
        for (uint32_t lane = 0; lane < warps->lanes; lane++)
            if (ws_lanes_has(unit->lanes, lane) && context->threads[lane] == thread)
                return unit;
    }
    return NULL;
}

/* Whether the thread comes by the same records, with the same lanes where `lanes` says so. */
static bool compare_thread(const struct check *check, uint32_t thread, bool lanes)
{
    uint32_t at = 0, there = 0;
    for (;;) {
        const struct model_unit *expected = next_unit(&check->predicted, thread, &at);
        const struct model_unit *found = next_unit(&check->found, thread, &there);
        if (expected == NULL && found == NULL)
            return true;
        const uint32_t shader =
            expected != NULL ? check->predicted.contexts[expected->context].shader : MODEL_NONE;
        if (expected == NULL || found == NULL || found->site != expected->site ||
            check->found.contexts[found->context].shader != shader) {
            printf("thread %u: record %d of shader %d expected, there is %d of %d\n", thread,
                   expected != NULL ? (int)expected->site : -1, (int)shader,
                   found != NULL ? (int)found->site : -1,
                   found != NULL ? (int)check->found.contexts[found->context].shader : -1);
            return false;
        }
        if (lanes && !ws_lanes_equal(expected->lanes, found->lanes)) {
            printf("thread %u: record %u of shader %u: lanes 0x%" PRIx64 " expected, there are 0x%" PRIx64
                   "\n",
                   thread, expected->site, shader, expected->lanes.low, found->lanes.low);
            return false;
        }
    }
}

static bool compare(struct check *check)
{
    const struct model_warps_options options = {.lanes = LANES, .assignment = MODEL_ASSIGN_ROWS};
    bool agrees = read_capture(check) &&
                  model_warps_make(&check->predicted, &check->program, &check->run, check->modules, &options);
    check->found.lanes = check->lanes;
    check->found.first_shader = check->first;
    const struct model_stream stream = {.words = check->words,
                                        .word_count = check->word_count,
                                        .position = check->position,
                                        .bins = check->lanes,
                                        .slots = check->slots};
    agrees =
        agrees && model_warps_decode(&check->found, &check->program, &check->run, check->modules, &stream);
    for (uint32_t t = 0; t < model_program_threads(&check->program) && agrees; t++)
        agrees = compare_thread(check, t,
                                check->program.shaders[0].stage == WS_STAGE_COMPUTE && check->lanes == LANES);
    check->records += check->found.record_count;
    const bool reorders = check->program.rays && check->found.lanes > 0;
    if (agrees && reorders)
        model_reorder_make(&check->reorder, &check->program, &check->run, check->modules);
    return agrees && model_compare(check->path, &check->found, check->modules, &check->visits,
                                   reorders ? &check->reorder : NULL, check->passes, check->pass_count);
}

/* Every other program has all passes, the others some. Records of blocks there are always: the warps come from them. */
static void choose_passes(struct check *check, uint64_t seed)
{
    struct model_random random = {seed};
    model_random_next(&random);
    uint32_t chosen = 31;
    if (seed % 2 != 0) {
        chosen = 2 + 2 * model_random_below(&random, 3); /* execution_trace, divergence, or both */
        for (uint32_t i = 0; i < 5; i++)
            chosen |= i != 1 && i != 2 ? model_random_below(&random, 2) << i : 0;
    }
    check->pass_count = 0;
    for (uint32_t i = 0; i < 5; i++)
        if ((chosen >> i & 1) != 0)
            check->passes[check->pass_count++] = all_passes[i];
}

/* Runs the program in a process of its own; one warp in `sample` counts, 0 = all. Its exit status. */
static int run_program(struct check *check, uint32_t sample)
{
    const pid_t child = fork();
    if (child == 0) {
        static struct model_device device;
        struct ws_error error = {0};
        char names[160] = "";
        for (uint32_t i = 0; i < check->pass_count; i++) {
            strcat(names, i > 0 ? "," : "");
            strcat(names, check->passes[i]);
        }
        setenv("WARPSCOPE_OUTPUT", check->path, 1);
        setenv("WARPSCOPE_PASSES", names, 1);
        char share[16];
        snprintf(share, sizeof(share), "1/%u", sample);
        if (sample > 0)
            setenv("WARPSCOPE_SAMPLE", share, 1);
        if (check->program.shaders[0].stage == WS_STAGE_FRAGMENT)
            setenv("WARPSCOPE_STAGES", "fragment", 1);
        const enum ws_gpu_status status = model_device_init(&device, "model device", 16, &error);
        if (status != WS_GPU_READY || !model_device_run(&device, &check->program, false, "model", &error)) {
            printf("%s\n", error.message);
            fflush(stdout);
            _exit(status == WS_GPU_UNFIT ? 77 : 1);
        }
        model_device_finish(&device);
        exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool make_modules(struct check *check, uint32_t sample, uint32_t *made)
{
    bool agrees = true;
    for (*made = 0; *made < check->program.shader_count && agrees; ++*made)
        agrees = model_module_init(&check->modules[*made], &check->program, *made, check->passes,
                                   check->pass_count, sample);
    return agrees;
}

static void finish_modules(struct check *check, uint32_t made)
{
    for (uint32_t i = 0; i < made; i++)
        model_module_finish(&check->modules[i]);
}

/* Runs the program again, with sampled counters. */
static int check_sampled(struct check *check, uint64_t seed)
{
    static const uint32_t samples[] = {2, 3, 4, 16};
    const uint32_t sample = samples[seed / 2 % 4];
    uint32_t made;
    check->pass_count = 0;
    check->passes[check->pass_count++] = "simt_efficiency";
    check->passes[check->pass_count++] = "warp_entry_exit";
    int status = make_modules(check, sample, &made) ? run_program(check, sample) : 1;
    model_sampled_make(&check->sampled, &check->found, sample);
    if (status == 0 && !model_sampled_compare_rows(check->path, &check->sampled, check->modules))
        status = 1;
    finish_modules(check, made);
    check->samplings++;
    return status;
}

static int check_program(struct check *check, uint64_t seed, enum ws_stage stage)
{
    const struct model_options options = {.seed = seed, .events_max = EVENTS_MAX, .cases_meet = true};
    model_program_make(&check->program, seed, stage, MODEL_THREADS, stage != WS_STAGE_RAYGEN && seed % 4 == 0,
                       MODEL_OBJECTS_NONE);
    model_interpret(&check->program, &options, &check->run);
    if (check->run.too_long)
        return 0;
    choose_passes(check, seed);
    uint32_t made;
    const bool agrees = make_modules(check, 0, &made);
    model_visits_make(&check->visits, &check->program, &check->run);
    int status = agrees ? run_program(check, 0) : 1;
    if (status == 0 && !compare(check))
        status = 1;
    finish_modules(check, made);
    if (status == 0 && seed % 2 == 0)
        status = check_sampled(check, seed);
    if (status == 1) {
        model_program_print(&check->program);
        for (uint32_t i = 0; i < check->pass_count; i++)
            printf(i > 0 ? " %s" : "passes: %s", check->passes[i]);
        printf("\n");
    }
    check->programs++;
    return status;
}

int main(int argc, char **argv)
{
    static struct check check;
    static const enum ws_stage stages[] = {WS_STAGE_COMPUTE, WS_STAGE_RAYGEN, WS_STAGE_FRAGMENT};
    uint64_t counts[] = {8, 5, 8};
    int status = 0;
    for (int i = 0; i < 3 && argc > i + 1; i++)
        counts[i] = strtoull(argv[i + 1], NULL, 10);
    const uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    snprintf(check.path, sizeof(check.path), "/tmp/warpscope-model-%ld.wscope", (long)getpid());
    for (uint32_t stage = 0; stage < 3; stage++)
        for (uint64_t i = 0; i < counts[stage] && status == 0; i++)
            status = check_program(&check, first + i, stages[stage]);
    printf("%u programs, %" PRIu64 " records, %u samplings\n", check.programs, check.records,
           check.samplings);
    if (status == 0)
        unlink(check.path);
    model_run_finish(&check.run);
    model_warps_finish(&check.predicted);
    model_warps_finish(&check.found);
    model_visits_finish(&check.visits);
    model_sampled_finish(&check.sampled);
    model_reorder_finish(&check.reorder);
    free(check.words);
    return status;
}
