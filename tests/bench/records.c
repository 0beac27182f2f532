/* How fast records are written and replayed, and in how much memory: `bench_records RECORDS LANES WORKERS
 * [KIND]`; the kind "-" only counts, and without one all are run.
 *
 * The records are like those of a path tracer at 1920 x 1080: per warp a loop of bounces, each with a trace,
 * a closest-hit shader by some lanes and a miss shader by others, and fewer lanes from bounce to bounce.
 * Warps of 8 lanes and fewer come in the order of a software device, one after the other; of more, a thousand
 * at a time, record by record in random order. Each step runs in a process of its own, so that its memory can
 * be told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture_writer.h"
#include "kind.h"
#include "warpscope/records.h"

enum {
    WIDTH = 1920,
    HEIGHT = 1080,
    LIVE = 1024, /* warps at a time, of devices with wide warps */
    BLOCKS = 4,
    SITES = 7, /* of a shader: entry, blocks, before or after, end */
    SITE_BEFORE = 5,
    SITE_END = 6,
};

enum { RAYGEN, HIT, MISS, SHADERS };

struct warp {
    uint32_t index;
    uint32_t step;
    uint32_t contexts[SHADERS];
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

static void write_shader(struct generator *generator, uint32_t id, uint32_t stage)
{
    const uint32_t words[64] = {0};
    const uint32_t function = 1;
    struct ws_block_info blocks[BLOCKS];
    struct ws_site_info sites[SITES];
    sites[0] = (struct ws_site_info){WS_NONE, WS_SITE_ENTRY, 0, 6, 0};
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        blocks[i] = (struct ws_block_info){10 + i, 5 + 10 * i, 10, function, 3 + 2 * i};
        sites[1 + i] = (struct ws_site_info){0, WS_SITE_PLACE_BLOCK, i, 6 + 10 * i, 1 + i};
    }
    sites[SITE_BEFORE] = (struct ws_site_info){0, WS_SITE_PLACE_BEFORE, 1, 20, SITE_BEFORE};
    sites[SITE_END] = (struct ws_site_info){0, WS_SITE_PLACE_END, BLOCKS - 1, 40, SITE_END};
    const struct ws_entry_info entry = {
        .name = "main", .stage = stage, .function = function, .functions = &function, .function_count = 1};
    const struct ws_chunk_module module = {.id = id, .hash = id, .words = words, .word_count = 64};
    const struct ws_chunk_sites chunk = {.module = id,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = BLOCKS,
                                         .sites = sites,
                                         .site_count = SITES};
    const struct ws_chunk_shader shader = {.id = id, .module = id, .stage = stage, .name = "main"};
    check(ws_capture_write_module(generator->writer, &module, NULL) &&
              ws_capture_write_sites(generator->writer, &chunk, NULL) &&
              ws_capture_write_shader(generator->writer, &shader, NULL),
          "writing a shader");
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
    warp->contexts[shader] = generator->chunk.position + generator->chunk.word_count;
    put(generator, WS_CONTEXT_NONE);
    put(generator, shader << 16);
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

/* The next record of the warp. False: it has ended. */
static bool step(struct generator *generator, struct warp *warp)
{
    const uint64_t misses = warp->active & ~warp->hits;
    switch (warp->step++) {
    case 0: enter(generator, warp, RAYGEN, warp->entered); return true;
    case 1: place(generator, warp, RAYGEN, 1, warp->entered, warp->entered); return true;
    case 2: place(generator, warp, RAYGEN, 2, warp->active, warp->entered); return true;
    case 3: place(generator, warp, RAYGEN, SITE_BEFORE, warp->active, warp->entered); return true;
    case 4: enter(generator, warp, HIT, warp->hits); return true;
    case 5: place(generator, warp, HIT, 1, warp->hits, warp->hits); return true;
    case 6: place(generator, warp, HIT, 2, some(generator, warp->hits), warp->hits); return true;
    case 7: place(generator, warp, HIT, 3, warp->hits, warp->hits); return true;
    case 8:
        place(generator, warp, HIT, SITE_END, warp->hits, warp->hits);
        warp->step += misses == 0 ? 3 : 0;
        return true;
    case 9: enter(generator, warp, MISS, misses); return true;
    case 10: place(generator, warp, MISS, 1, misses, misses); return true;
    case 11: place(generator, warp, MISS, SITE_END, misses, misses); return true;
    case 12:
        place(generator, warp, RAYGEN, 3, warp->active, warp->entered);
        warp->active = warp->hits;
        warp->hits = some(generator, warp->active);
        warp->step = draw(generator) % 4 > 0 ? 2 : 13;
        return true;
    case 13: place(generator, warp, RAYGEN, 4, warp->entered, warp->entered); return true;
    case 14: place(generator, warp, RAYGEN, SITE_END, warp->entered, warp->entered); return true;
    default: return false;
    }
}

static void start(struct generator *generator, struct warp *warp)
{
    const uint64_t all = generator->lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << generator->lanes) - 1;
    *warp = (struct warp){.index = generator->next_warp++, .entered = all, .active = all};
    warp->hits = some(generator, all);
}

static void generate_invocation(struct generator *generator, uint64_t index)
{
    static struct warp warps[LIVE];
    const struct ws_invocation invocation = {
        .index = index, .kind = WS_INVOCATION_TRACE_RAYS, .size = {WIDTH, HEIGHT, 1}, .label = "rays"};
    const struct ws_chunk_submission submission = {
        .index = index, .frame = index, .invocations = &invocation, .invocation_count = 1};
    check(ws_capture_write_submission(generator->writer, &submission, NULL), "writing a submission");
    generator->chunk.submission = index;
    generator->chunk.invocation = index;
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

/* Writes whole invocations until there are so many records. */
static uint64_t generate(const char *path, uint64_t records, uint32_t lanes)
{
    static const uint32_t stages[] = {WS_STAGE_RAYGEN, WS_STAGE_CLOSEST_HIT, WS_STAGE_MISS};
    struct generator generator = {.lanes = lanes, .random = UINT64_C(0x9e3779b97f4a7c15)};
    struct ws_slot_shader slots[SHADERS];
    const char *passes[] = {"execution_trace", "divergence", "thread_compaction"};
    const struct ws_chunk_info info = {.version = "bench", .passes = passes, .pass_count = 3};
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
    for (uint32_t i = 0; i < SHADERS; ++i) {
        write_shader(&generator, i, stages[i]);
        slots[i] = (struct ws_slot_shader){i, i};
    }
    generator.chunk.bins = lanes;
    generator.chunk.slots = slots;
    generator.chunk.slot_count = SHADERS;
    for (uint64_t i = 0; generator.records < records; ++i)
        generate_invocation(&generator, i);
    check(ws_capture_write_done(generator.writer, &(struct ws_chunk_done){0}, NULL), "closing the capture");
    ws_capture_writer_destroy(generator.writer);
    free(generator.words);
    return generator.records;
}

/* A consumer that only counts: what the replay itself takes. */
static void *count_create(const void *results, const struct ws_replay_invocation *invocation)
{
    (void)results;
    (void)invocation;
    return calloc(1, sizeof(uint64_t));
}

static bool count_block(void *part, struct ws_context *context, uint32_t block, struct ws_lanes lanes)
{
    (void)context;
    (void)block;
    (void)lanes;
    ++*(uint64_t *)part;
    return true;
}

static bool count_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)threads;
    *(uint64_t *)results += *(const uint64_t *)part;
    return true;
}

static const struct ws_replay_operations count_operations = {
    .create = count_create, .destroy = free, .block = count_block, .merge = count_merge};

/* Replays for the kinds named, NULL: for all; with none for just the count. Prints rate and memory. */
static void replay(const char *path, const char *kind, uint32_t workers)
{
    struct ws_catalog catalog;
    struct ws_overview overview;
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    struct ws_kind_options options = {0};
    uint64_t blocks = 0;
    uint32_t number = 0;
    ws_catalog_init(&catalog);
    ws_overview_begin(&overview);
    struct ws_reader *reader = ws_reader_open(path, &error);
    struct ws_replay *replay = ws_replay_create(&catalog, path, workers);
    check(reader != NULL && replay != NULL, "opening the capture");
    if (kind != NULL && strcmp(kind, "-") == 0)
        check(ws_replay_add(replay, &count_operations, &blocks, &number), "adding the count");
    for (const struct ws_kind *const *known = ws_kind_list(); *known != NULL; ++known) {
        if ((*known)->replay == NULL || (kind != NULL && strcmp(kind, (*known)->name) != 0))
            continue;
        void *results = (*known)->create(&catalog, &options, &error);
        check(results != NULL && ws_replay_add(replay, (*known)->replay, results, &number), "adding a kind");
        if ((*known)->attach != NULL)
            (*known)->attach(results, number);
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
        for (const struct ws_kind *const *kind = ws_kind_list(); *kind != NULL; ++kind)
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
