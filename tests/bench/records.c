/* How fast records are written and replayed, and in how much memory: `bench_records RECORDS LANES WORKERS
 * [KIND]`; the kind "-" only counts, and without one all are run.
 *
 * The records are like those of a path tracer at 1920 x 1080, with every pass that makes some: per warp a
 * loop of bounces, each with a trace, a closest-hit shader by some lanes and a miss shader by others, and
 * fewer lanes from bounce to bounce. The shaders are compiled and instrumented, the records are made up.
 * Warps of 8 lanes and fewer come in the order of a software device, one after the other; of more, a thousand
 * at a time, record by record in random order. Each step runs in a process of its own, so that its memory can
 * be told. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_bounces_rgen.h"
#include "bench_half_rchit.h"
#include "bench_none_rmiss.h"
#include "layer/capture/capture_writer.h"
#include "tests/bench/synthetic.h"
#include "warpscope/instrument.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"
#include "warpscope/report/analysis.h"

enum {
    WIDTH = 1920,
    HEIGHT = 1080,
    LIVE = 1024, /* warps at a time, of devices with wide warps */
    STEPS = 64,  /* of a part of a warp's life, at most */
};

enum { RAYGEN, HIT, MISS, SHADERS };

/* Lanes of a record. */
enum lanes { ALL, ACTIVE, HITS, SOME, MISSES };

/* A record that a warp makes where there are such lanes; `number` WS_NONE = the entry record. */
struct step {
    uint32_t shader;
    uint32_t number;
    enum lanes lanes;
};

/* What a warp does once or, as long as lanes are left, again. */
struct part {
    struct step steps[STEPS];
    uint32_t count;
};

enum { BEGINNING, BOUNCE, ENDING, PARTS };

static const struct {
    const uint32_t *words;
    size_t size;
    uint32_t stage;
} sources[SHADERS] = {
    {bench_bounces_rgen, sizeof(bench_bounces_rgen), WS_STAGE_RAYGEN},
    {bench_half_rchit, sizeof(bench_half_rchit), WS_STAGE_CLOSEST_HIT},
    {bench_none_rmiss, sizeof(bench_none_rmiss), WS_STAGE_MISS},
};

static const char *const passes[] = {"execution_trace", "divergence", "thread_compaction"};

enum { PASSES = sizeof(passes) / sizeof(passes[0]) };

struct warp {
    uint32_t index;
    uint32_t part;
    uint32_t step;
    uint32_t contexts[SHADERS];
    uint64_t masks[SHADERS]; /* that entered */
    uint64_t entered;
    uint64_t active; /* in the loop */
    uint64_t hits;
};

struct generator {
    struct ws_capture_writer *writer;
    struct ws_chunk_records chunk;
    uint32_t *words;
    uint32_t lanes;
    uint32_t next_warp;
    uint32_t warp_count;
    uint64_t random;
    uint64_t records;
    uint32_t entries[SHADERS]; /* numbers of their entry records */
    struct part parts[PARTS];
};

static void check(bool success, const char *what)
{
    if (!success) {
        fprintf(stderr, "bench: %s failed\n", what);
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t draw(struct generator *generator)
{
    generator->random ^= generator->random << 13;
    generator->random ^= generator->random >> 7;
    generator->random ^= generator->random << 17;
    return generator->random;
}

static void add_step(struct part *part, uint32_t shader, uint32_t number, enum lanes lanes)
{
    check(part->count < STEPS, "making room for steps");
    part->steps[part->count++] = (struct step){shader, number, lanes};
}

/* The records of a shader in blocks first .. end - 1, in their order, without or with those from the return
 * of a call on. */
static void add_steps(struct part *part, const struct ws_instrumented *made, uint32_t shader, uint32_t first,
                      uint32_t end, bool returned, enum lanes lanes)
{
    bool back = false;
    for (uint32_t i = 0; i < made->site_count; ++i) {
        const struct ws_site_info *site = &made->sites[i];
        if (site->block < first || site->block >= end)
            continue;
        back = back || site->kind == WS_SITE_PLACE_AFTER;
        if (ws_site_is_place(site->kind) && site->row == i && back == returned)
            add_step(part, shader, i, lanes);
    }
}

/* What warps do, from the shaders as they were instrumented: the ray generation shader's first block, its
 * loop with a trace, its last block; the hit shader, of which some lanes go through the middle block; the
 * miss shader. */
static void add_parts(struct part *parts, struct ws_instrumented *const *made)
{
    const uint32_t last = made[RAYGEN]->block_count - 1;
    add_step(&parts[BEGINNING], RAYGEN, WS_NONE, ALL);
    add_steps(&parts[BEGINNING], made[RAYGEN], RAYGEN, 0, 1, false, ALL);
    add_steps(&parts[BOUNCE], made[RAYGEN], RAYGEN, 1, last, false, ACTIVE);
    add_step(&parts[BOUNCE], HIT, WS_NONE, HITS);
    add_steps(&parts[BOUNCE], made[HIT], HIT, 0, 1, false, HITS);
    add_steps(&parts[BOUNCE], made[HIT], HIT, 1, 2, false, SOME);
    add_steps(&parts[BOUNCE], made[HIT], HIT, 2, 3, false, HITS);
    add_step(&parts[BOUNCE], MISS, WS_NONE, MISSES);
    add_steps(&parts[BOUNCE], made[MISS], MISS, 0, 1, false, MISSES);
    add_steps(&parts[BOUNCE], made[RAYGEN], RAYGEN, 1, last, true, ACTIVE);
    add_steps(&parts[ENDING], made[RAYGEN], RAYGEN, last, last + 1, false, ALL);
}

static struct ws_instrumented *write_shader(struct generator *generator, uint32_t id)
{
    const struct ws_instrument_options options = {.passes = passes, .pass_count = PASSES};
    const uint32_t word_count = (uint32_t)(sources[id].size / sizeof(uint32_t));
    struct ws_instrumented *made = ws_instrument(sources[id].words, word_count, &options, NULL);
    check(made != NULL && made->words != NULL, "instrumenting a shader");
    const struct synthetic_shader shader = {.id = id,
                                            .hash = id,
                                            .words = sources[id].words,
                                            .word_count = word_count,
                                            .stage = sources[id].stage,
                                            .passes = passes,
                                            .pass_count = PASSES,
                                            .made = made};
    check(synthetic_write_shader(generator->writer, &shader), "writing a shader");
    generator->entries[id] = synthetic_entry(made);
    return made;
}

static void write_shaders(struct generator *generator)
{
    struct ws_instrumented *made[SHADERS];
    for (uint32_t i = 0; i < SHADERS; ++i)
        made[i] = write_shader(generator, i);
    check(made[RAYGEN]->block_count > 2 && made[HIT]->block_count == 3 && made[MISS]->block_count == 1,
          "finding the blocks of the shaders");
    add_parts(generator->parts, made);
    for (uint32_t i = 0; i < SHADERS; ++i)
        ws_instrumented_destroy(made[i]);
}

static void flush(struct generator *generator, bool last)
{
    generator->chunk.words = generator->words;
    generator->chunk.flags = last ? WS_RECORDS_LAST : 0;
    check(ws_capture_write_records(generator->writer, &generator->chunk, NULL), "writing records");
    generator->chunk.position += generator->chunk.word_count;
    generator->chunk.word_count = 0;
}

static void put(struct generator *generator, uint32_t word)
{
    generator->words[generator->chunk.word_count++] = word;
}

static void begin_record(struct generator *generator)
{
    if (generator->chunk.word_count + 256 > WS_RECORDS_PIECE)
        flush(generator, false);
    generator->records++;
}

static void put_mask(struct generator *generator, uint64_t mask)
{
    for (uint32_t i = 0; i < WS_MASK_WORDS(generator->lanes); ++i)
        put(generator, (uint32_t)(mask >> (32 * i)));
}

static void enter(struct generator *generator, struct warp *warp, uint32_t shader, uint64_t mask)
{
    begin_record(generator);
    warp->masks[shader] = mask;
    warp->contexts[shader] = generator->chunk.position + generator->chunk.word_count;
    put(generator, WS_CONTEXT_NONE);
    put(generator, shader << 16 | generator->entries[shader]);
    put(generator, generator->lanes | 1u << 16);
    put_mask(generator, mask);
    for (uint32_t lane = 0; lane < generator->lanes; ++lane)
        if ((mask >> lane & 1) != 0)
            put(generator, warp->index * generator->lanes + lane);
}

static void place(struct generator *generator, const struct warp *warp, uint32_t shader, uint32_t number,
                  uint64_t mask, uint64_t entered)
{
    begin_record(generator);
    put(generator, warp->contexts[shader]);
    if (WS_MASK_PACKED(generator->lanes)) {
        put(generator, number << 16 | (uint32_t)mask);
        return;
    }
    put(generator, number << 16 | (mask == entered ? WS_RECORD_FULL : 0));
    if (mask != entered)
        put_mask(generator, mask);
}

/* Some lanes of a mask, or all. */
static uint64_t some(struct generator *generator, uint64_t mask)
{
    const uint64_t chosen = mask & (draw(generator) | draw(generator));
    return chosen != 0 ? chosen : mask;
}

static uint64_t lanes_of(struct generator *generator, const struct warp *warp, enum lanes lanes)
{
    switch (lanes) {
    case ALL: return warp->entered;
    case ACTIVE: return warp->active;
    case HITS: return warp->hits;
    case SOME: return some(generator, warp->hits);
    default: return warp->active & ~warp->hits;
    }
}

/* On to the next part: those that were hit go on, or nobody does. */
static void end_part(struct generator *generator, struct warp *warp)
{
    warp->step = 0;
    if (warp->part == BOUNCE) {
        warp->active = warp->hits;
        warp->hits = some(generator, warp->active);
        if (draw(generator) % 4 > 0)
            return;
    }
    warp->part++;
}

/* The next record of the warp. False: it has ended. */
static bool step(struct generator *generator, struct warp *warp)
{
    while (warp->part < PARTS) {
        if (warp->step == generator->parts[warp->part].count) {
            end_part(generator, warp);
            continue;
        }
        const struct step *next = &generator->parts[warp->part].steps[warp->step++];
        const uint64_t lanes = lanes_of(generator, warp, next->lanes);
        if (lanes == 0)
            continue;
        if (next->number == WS_NONE)
            enter(generator, warp, next->shader, lanes);
        else
            place(generator, warp, next->shader, next->number, lanes, warp->masks[next->shader]);
        return true;
    }
    return false;
}

static void start(struct generator *generator, struct warp *warp)
{
    const uint64_t all = generator->lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << generator->lanes) - 1;
    *warp = (struct warp){.index = generator->next_warp++, .entered = all, .active = all};
    warp->hits = some(generator, all);
}

static void generate_launch(struct generator *generator, uint64_t index)
{
    static struct warp warps[LIVE];
    const struct ws_launch launch = {
        .index = index, .kind = WS_LAUNCH_TRACE_RAYS, .size = {WIDTH, HEIGHT, 1}, .label = "rays"};
    const struct ws_chunk_submission submission = {
        .index = index, .frame = index, .launches = &launch, .launch_count = 1};
    check(ws_capture_write_submission(generator->writer, &submission, NULL), "writing a submission");
    generator->chunk.submission = index;
    generator->chunk.launch = index;
    generator->chunk.position = 0;
    generator->next_warp = 0;
    generator->warp_count = WIDTH * HEIGHT / generator->lanes;
    uint32_t live = generator->lanes <= 8 ? 1 : LIVE;
    for (uint32_t i = 0; i < live; ++i)
        start(generator, &warps[i]);
    while (live > 0) {
        const uint32_t chosen = (uint32_t)(draw(generator) >> 20) % live;
        if (step(generator, &warps[chosen]))
            continue;
        if (generator->next_warp < generator->warp_count)
            start(generator, &warps[chosen]);
        else
            warps[chosen] = warps[--live];
    }
    flush(generator, true);
}

/* Writes whole launches until there are so many records. */
static uint64_t generate(const char *path, uint64_t records, uint32_t lanes)
{
    struct generator generator = {.lanes = lanes, .random = UINT64_C(0x9e3779b97f4a7c15)};
    struct ws_slot_shader slots[SHADERS];
    const struct ws_chunk_info info = {.version = "bench", .passes = passes, .pass_count = PASSES};
    const struct ws_chunk_device device = {.name = "device",
                                           .subgroup_size = lanes,
                                           .subgroup_size_min = lanes,
                                           .subgroup_size_max = lanes,
                                           .bins = lanes,
                                           .subgroup_stages = WS_STAGES_ALL};
    generator.writer = ws_capture_writer_create(path, NULL);
    generator.words = malloc(WS_RECORDS_PIECE * sizeof(*generator.words));
    check(generator.writer != NULL && generator.words != NULL, "making the capture");
    check(ws_capture_write_info(generator.writer, &info, NULL) &&
              ws_capture_write_device(generator.writer, &device, NULL),
          "writing the device");
    write_shaders(&generator);
    for (uint32_t i = 0; i < SHADERS; ++i)
        slots[i] = (struct ws_slot_shader){i, i};
    generator.chunk.bins = lanes;
    generator.chunk.slots = slots;
    generator.chunk.slot_count = SHADERS;
    for (uint64_t i = 0; generator.records < records; ++i)
        generate_launch(&generator, i);
    check(ws_capture_write_done(generator.writer, &(struct ws_chunk_done){0}, NULL), "closing the capture");
    ws_capture_writer_destroy(generator.writer);
    free(generator.words);
    return generator.records;
}

/* A consumer that only counts: what the replay itself takes. */
static void *count_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(uint64_t));
}

static bool count_block(void *part, struct ws_context *context, const struct ws_replay_place *place,
                        struct ws_lanes lanes)
{
    (void)context;
    (void)lanes;
    *(uint64_t *)part += place->tag == WS_TAG_EXECUTION_TRACE_BLOCK;
    return true;
}

static bool count_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)threads;
    *(uint64_t *)results += *(const uint64_t *)part;
    return true;
}

static const struct ws_replay_operations count_operations = {.pass = WS_PASS_EXECUTION_TRACE,
                                                             .create = count_create,
                                                             .destroy = free,
                                                             .place = count_block,
                                                             .merge = count_merge};

/* Replays for the kinds named, NULL: for all; with none for just the count. Prints rate and memory. */
static void replay(const char *path, const char *kind, uint32_t workers)
{
    struct ws_catalog catalog;
    struct ws_overview overview;
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    struct ws_analysis_options options = {0};
    uint64_t blocks = 0;
    uint32_t number = 0;
    ws_catalog_init(&catalog);
    ws_overview_begin(&overview);
    struct ws_reader *reader = ws_reader_open(path, &error);
    struct ws_replay *replay = ws_replay_create(&catalog, path, workers);
    check(reader != NULL && replay != NULL, "opening the capture");
    if (kind != NULL && strcmp(kind, "-") == 0)
        check(ws_replay_add(replay, &count_operations, &blocks, &number), "adding the count");
    for (const struct ws_analysis *const *known = ws_analysis_list(); *known != NULL; ++known) {
        if ((*known)->replay == NULL || (kind != NULL && strcmp(kind, (*known)->name) != 0))
            continue;
        void *results = (*known)->create(&catalog, &options, &error);
        check(results != NULL && ws_replay_add(replay, (*known)->replay, results, &number), "adding a kind");
        if ((*known)->attach != NULL)
            (*known)->attach(results, number);
        check((*known)->hear == NULL || (*known)->hear(results, replay), "adding what a kind hears");
    }
    const double begin = now();
    enum ws_read_result result;
    while ((result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK)
        check(ws_catalog_record(&catalog, &chunk, &error) && ws_replay_record(replay, &chunk, &error),
              "replaying");
    check(result == WS_READ_END && ws_replay_end(replay, &error), "replaying");
    const double seconds = now() - begin;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const struct ws_replay_losses *losses = ws_replay_losses(replay);
    const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    check(losses->malformed == 0 && losses->truncated == 0 && losses->regrouped == 0,
          "understanding records");
    if (losses->records == 0)
        return; /* an analysis of a pass that makes none of these records */
    printf("  %-12s %u workers: %7.2f s, %6.1f M records/s, %6.1f M records/s and core, %7.1f MiB peak\n",
           kind == NULL             ? "all kinds"
           : strcmp(kind, "-") == 0 ? "count only"
                                    : kind,
           workers, seconds, 1e-6 * (double)losses->records / seconds, 1e-6 * (double)losses->records / cpu,
           (double)usage.ru_maxrss / 1024);
}

static void replay_apart(const char *path, const char *kind, uint32_t workers)
{
    fflush(stdout);
    const pid_t child = fork();
    int status = 1;
    check(child >= 0, "fork");
    if (child == 0) {
        replay(path, kind, workers);
        fflush(stdout);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a replay");
}

static void bench(uint64_t records, uint32_t lanes, uint32_t workers, const char *only)
{
    char path[] = "/tmp/warpscope-bench-XXXXXX";
    struct stat status;
    const int file = mkstemp(path);
    check(file >= 0, "mkstemp");
    close(file);
    const double begin = now();
    const uint64_t made = generate(path, records, lanes);
    check(stat(path, &status) == 0, "stat");
    printf("%.1f M records of %u lanes, written in %.2f s, %.2f bytes each in the file\n",
           1e-6 * (double)made, lanes, now() - begin, (double)status.st_size / (double)made);
    for (uint32_t i = 1; i <= workers; i += workers > 1 ? workers - 1 : 1) {
        if (only != NULL) {
            replay_apart(path, only, i);
            continue;
        }
        replay_apart(path, "-", i);
        for (const struct ws_analysis *const *kind = ws_analysis_list(); *kind != NULL; ++kind)
            if ((*kind)->replay != NULL)
                replay_apart(path, (*kind)->name, i);
        replay_apart(path, NULL, i);
    }
    unlink(path);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4 && argument_count != 5) {
        fprintf(stderr, "usage: bench_records RECORDS LANES WORKERS [KIND]\n");
        return 2;
    }
    bench(strtoull(arguments[1], NULL, 10), (uint32_t)strtoul(arguments[2], NULL, 10),
          (uint32_t)strtoul(arguments[3], NULL, 10), arguments[4]);
    return 0;
}
