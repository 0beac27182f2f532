#include "tests/unit/analysis/model/stream.h"

#include "layer/capture/capture_writer.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"

#include <spirv/unified1/spirv.h>

enum {
    BLOCK_WORDS = 10,
    PLACE_KINDS = WS_SITE_PLACE_CALL - WS_SITE_PLACE_BLOCK + 1,
    BLOCK_SITES = PLACE_KINDS + 1, /* data */
    HEAD_WORDS = 31,               /* of a module of stream_shader, before its first block */
    SHADERS_MAX = 64,
    SLOT_FIRST = 3, /* slots are not shader ids, so that nobody takes them for that */
};

/* One record: words[first .. first + count - 1] of the launch, of which the first is to become the number
 * of a context. */
struct record {
    uint32_t queue;
    size_t first;
    uint32_t count;
    uint32_t context; /* WS_NONE: word 0 stays */
    bool enters;      /* the context gets its number here */
    uint32_t left;    /* from this word on every second is the handle of a context; 0 = none */
};

struct context {
    struct ws_lanes lanes;
    uint32_t queue;
    uint32_t number;
};

struct stream {
    struct stream_options options;
    struct ws_capture_writer *writer;
    char path[64];
    uint64_t random;
    uint32_t shader_count;
    uint32_t stages[SHADERS_MAX];
    uint64_t launch_count;
    struct ws_launch launch;
    struct ws_launch_base base;
    bool has_base;
    struct ws_shader_counters counters;
    uint32_t launch_row[128];
    struct record *records;
    uint32_t record_count;
    uint32_t record_capacity;
    struct context *contexts;
    uint32_t context_count;
    uint32_t context_capacity;
    uint32_t *words;
    uint32_t word_count;
    uint32_t word_capacity;
    uint32_t *encoded; /* in the order of the stream */
    uint32_t encoded_count;
};

static void written(bool success, const struct ws_error *error)
{
    if (!success)
        fail_msg("%s", error->message);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct stream *stream_create(const struct stream_options *options)
{
    struct ws_error error = {{0}};
    struct stream *stream = calloc(1, sizeof(*stream));
    assert_non_null(stream);
    stream->options = *options;
    if (stream->options.bins == 0)
        stream->options.bins = 32;
    if (stream->options.subgroup_size == 0)
        stream->options.subgroup_size = stream->options.bins;
    stream->random = options->seed;
    temporary_path(stream->path);
    stream->writer = ws_capture_writer_create(stream->path, &error);
    assert_non_null(stream->writer);
    const char *passes[] = {"execution_trace", "divergence", "thread_compaction", "ray_events"};
    struct ws_chunk_info info = {
        .version = "0.1.0", .application = "stream", .passes = passes, .pass_count = 4};
    const struct ws_text_pair geometry = {"geometry", "on"};
    if (stream->options.geometry) {
        info.settings = &geometry;
        info.setting_count = 1;
    }
    const struct ws_chunk_device device = {.name = "device",
                                           .driver_name = "driver",
                                           .subgroup_size = stream->options.subgroup_size,
                                           .subgroup_size_min = stream->options.subgroup_size,
                                           .subgroup_size_max = stream->options.bins,
                                           .bins = stream->options.bins,
                                           .subgroup_stages = WS_STAGES_ALL};
    written(ws_capture_write_info(stream->writer, &info, &error), &error);
    written(ws_capture_write_device(stream->writer, &device, &error), &error);
    return stream;
}

void stream_skip(struct stream *stream, uint32_t kind, const char *reason)
{
    struct ws_error error = {{0}};
    const struct ws_chunk_skip skip = {
        .kind = kind, .id = WS_NONE, .pass = WS_NONE, .offset = WS_NONE, .count = 1, .reason = reason};
    written(ws_capture_write_skip(stream->writer, &skip, &error), &error);
}

void stream_finish(struct stream *stream)
{
    struct ws_error error = {{0}};
    const struct ws_chunk_done done = {stream->launch_count, stream->launch_count, 1, 0};
    written(ws_capture_write_done(stream->writer, &done, &error), &error);
    ws_capture_writer_destroy(stream->writer);
    stream->writer = NULL;
}

void stream_destroy(struct stream *stream)
{
    ws_capture_writer_destroy(stream->writer);
    unlink(stream->path);
    free(stream->records);
    free(stream->contexts);
    free(stream->words);
    free(stream->encoded);
    free(stream);
}

struct ws_capture_writer *stream_writer(const struct stream *stream)
{
    return stream->writer;
}

const char *stream_path(const struct stream *stream)
{
    return stream->path;
}

uint32_t stream_number(uint32_t kind, uint32_t block)
{
    const uint32_t place = kind == WS_SITE_DATA ? (uint32_t)PLACE_KINDS : kind - WS_SITE_PLACE_BLOCK;
    return 1 + block * BLOCK_SITES + place;
}

uint32_t stream_block_offset(uint32_t block)
{
    return HEAD_WORDS + block * BLOCK_WORDS;
}

uint32_t stream_shader_of(struct stream *stream, uint32_t stage, const uint32_t *words, uint32_t word_count,
                          const struct ws_chunk_sites *chunk, const struct ws_specialization *constants,
                          uint32_t constant_count)
{
    struct ws_error error = {{0}};
    const uint32_t id = stream->shader_count++;
    assert_true(id < SHADERS_MAX);
    uint32_t *zeros = calloc((size_t)word_count + 1, sizeof(*zeros));
    assert_non_null(zeros);
    stream->stages[id] = stage;
    struct ws_chunk_sites sites = *chunk;
    sites.module = id;
    const struct ws_chunk_module module = {
        .id = id, .hash = 0x1000 + id, .words = words != NULL ? words : zeros, .word_count = word_count};
    const struct ws_chunk_shader shader = {.id = id,
                                           .module = id,
                                           .stage = stage,
                                           .name = "main",
                                           .specialization = constants,
                                           .specialization_count = constant_count};
    written(ws_capture_write_module(stream->writer, &module, &error), &error);
    written(ws_capture_write_sites(stream->writer, &sites, &error), &error);
    written(ws_capture_write_shader(stream->writer, &shader, &error), &error);
    free(zeros);
    return id;
}

static uint32_t model_of(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX: return SpvExecutionModelVertex;
    case WS_STAGE_TESSELLATION_CONTROL: return SpvExecutionModelTessellationControl;
    case WS_STAGE_TESSELLATION_EVALUATION: return SpvExecutionModelTessellationEvaluation;
    case WS_STAGE_GEOMETRY: return SpvExecutionModelGeometry;
    case WS_STAGE_FRAGMENT: return SpvExecutionModelFragment;
    case WS_STAGE_COMPUTE: return SpvExecutionModelGLCompute;
    case WS_STAGE_TASK: return SpvExecutionModelTaskEXT;
    case WS_STAGE_MESH: return SpvExecutionModelMeshEXT;
    case WS_STAGE_RAYGEN: return SpvExecutionModelRayGenerationKHR;
    case WS_STAGE_ANY_HIT: return SpvExecutionModelAnyHitKHR;
    case WS_STAGE_CLOSEST_HIT: return SpvExecutionModelClosestHitKHR;
    case WS_STAGE_MISS: return SpvExecutionModelMissKHR;
    case WS_STAGE_INTERSECTION: return SpvExecutionModelIntersectionKHR;
    default: return SpvExecutionModelCallableKHR;
    }
}

/* void main() of blocks that each hold eight OpNop words, in HEAD_WORDS words before the first. */
static uint32_t *make_module(uint32_t stage, const uint32_t size[3], uint32_t block_count,
                             uint32_t *word_count)
{
    enum { NAME_MAIN = 0x6e69616d, FUNCTION = 3, LABEL = 10 };
    const uint32_t head[] = {SpvMagicNumber,
                             0x10500,
                             0,
                             LABEL + block_count,
                             0,
                             2 << 16 | SpvOpCapability,
                             SpvCapabilityShader,
                             3 << 16 | SpvOpMemoryModel,
                             SpvAddressingModelLogical,
                             SpvMemoryModelGLSL450,
                             5 << 16 | SpvOpEntryPoint,
                             model_of(stage),
                             FUNCTION,
                             NAME_MAIN,
                             0,
                             6 << 16 | SpvOpExecutionMode,
                             FUNCTION,
                             SpvExecutionModeLocalSize,
                             size[0],
                             size[1],
                             size[2],
                             2 << 16 | SpvOpTypeVoid,
                             1,
                             3 << 16 | SpvOpTypeFunction,
                             2,
                             1,
                             5 << 16 | SpvOpFunction,
                             1,
                             FUNCTION,
                             0,
                             2};
    static_assert(sizeof(head) == HEAD_WORDS * sizeof(uint32_t), "blocks stand where the sites say");
    *word_count = HEAD_WORDS + block_count * BLOCK_WORDS + 1;
    uint32_t *words = malloc(*word_count * sizeof(*words));
    assert_non_null(words);
    memcpy(words, head, sizeof(head));
    for (uint32_t i = 0; i < block_count; ++i) {
        uint32_t *block = words + stream_block_offset(i);
        for (uint32_t j = 0; j < BLOCK_WORDS; ++j)
            block[j] = 1 << 16 | SpvOpNop;
        block[0] = 2 << 16 | SpvOpLabel;
        block[1] = LABEL + i;
        if (i + 1 == block_count) {
            block[BLOCK_WORDS - 1] = 1 << 16 | SpvOpReturn;
        } else {
            block[BLOCK_WORDS - 2] = 2 << 16 | SpvOpBranch;
            block[BLOCK_WORDS - 1] = LABEL + i + 1;
        }
    }
    words[*word_count - 1] = 1 << 16 | SpvOpFunctionEnd;
    return words;
}

static void list_sites(struct ws_site_info *sites, uint32_t block)
{
    const uint32_t at = stream_block_offset(block);
    for (uint32_t kind = WS_SITE_PLACE_BLOCK; kind <= WS_SITE_PLACE_CALL; ++kind) {
        const bool begins = kind == WS_SITE_PLACE_BLOCK || kind == WS_SITE_PLACE_SYNC;
        const uint32_t within = begins ? 2 : kind == WS_SITE_PLACE_END ? BLOCK_WORDS - 1 : 3;
        const uint32_t number = stream_number(kind, block);
        sites[number] = (struct ws_site_info){0, kind, kind, block, at + within, number};
    }
    sites[stream_number(WS_SITE_DATA, block)] =
        (struct ws_site_info){0, WS_SITE_DATA, WS_SITE_DATA, block, at + 3, 2};
}

/* The sites that passes have for the records of the same places. */
static const struct {
    uint32_t pass; /* index in passes */
    uint32_t tag;
    uint32_t kind;
} shared[] = {
    {1, WS_TAG_EXECUTION_TRACE_BLOCK, WS_SITE_PLACE_BLOCK},
    {1, WS_TAG_EXECUTION_TRACE_END, WS_SITE_PLACE_END},
    {2, WS_TAG_DIVERGENCE_BLOCK, WS_SITE_PLACE_BLOCK},
    {2, WS_TAG_DIVERGENCE_CALL, WS_SITE_PLACE_BEFORE},
    {2, WS_TAG_DIVERGENCE_RETURN, WS_SITE_PLACE_AFTER},
    {2, WS_TAG_DIVERGENCE_END, WS_SITE_PLACE_END},
};
enum { SHARED = sizeof(shared) / sizeof(shared[0]) };

static void list_shared(struct ws_site_info *list, const struct ws_site_info *sites, uint32_t block)
{
    for (uint32_t i = 0; i < SHARED; ++i) {
        list[i] = sites[stream_number(shared[i].kind, block)];
        list[i].pass = shared[i].pass;
        list[i].tag = shared[i].tag;
    }
}

/* Sites of paths, and the number of the first. */
struct paths {
    const struct ws_site_info *sites;
    uint32_t count;
    uint32_t first;
};

static void list_paths(struct ws_site_info *sites, const struct paths *paths)
{
    for (uint32_t i = 0; i < paths->count; ++i) {
        struct ws_site_info *site = &sites[paths->first + i];
        *site = paths->sites[i];
        site->offset = stream_block_offset(site->block) + 3;
        if (site->kind == WS_SITE_PATH_TURNS)
            site->row += paths->first;
    }
}

static uint32_t add_shader(struct stream *stream, uint32_t stage, const uint32_t local_size[3],
                           const uint32_t *instruction_counts, uint32_t block_count, struct paths *paths)
{
    const uint32_t function = 3;
    static const char *const passes[] = {STREAM_PASS, WS_PASS_EXECUTION_TRACE, WS_PASS_DIVERGENCE};
    const uint32_t own_count = 1 + block_count * BLOCK_SITES + 1;
    const uint32_t site_count = own_count + block_count * SHARED + paths->count;
    struct ws_block_info *blocks = calloc(block_count, sizeof(*blocks));
    struct ws_site_info *sites = calloc(site_count, sizeof(*sites));
    uint32_t word_count = 0;
    uint32_t *words = make_module(stage, local_size, block_count, &word_count);
    assert_non_null(blocks);
    assert_non_null(sites);
    sites[0] = (struct ws_site_info){WS_NONE, 0, WS_SITE_ENTRY, 0, stream_block_offset(0), 0};
    for (uint32_t i = 0; i < block_count; ++i) {
        blocks[i] = (struct ws_block_info){10 + i, stream_block_offset(i), BLOCK_WORDS, function,
                                           instruction_counts[i]};
        list_sites(sites, i);
    }
    for (uint32_t i = 0; i < block_count; ++i)
        list_shared(sites + own_count + i * SHARED, sites, i);
    sites[own_count - 1] =
        (struct ws_site_info){WS_NONE, 0, WS_SITE_CONTINUE, 0, stream_block_offset(0) + 3, own_count - 1};
    paths->first = site_count - paths->count;
    list_paths(sites, paths);
    const struct ws_entry_info entry = {
        .name = "main", .stage = stage, .function = function, .functions = &function, .function_count = 1};
    const struct ws_chunk_sites chunk = {.passes = passes,
                                         .pass_count = 3,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = block_count,
                                         .sites = sites,
                                         .site_count = site_count,
                                         .fixed = stream->options.fixed,
                                         .fixed_count = stream->options.fixed_count};
    const uint32_t id = stream_shader_of(stream, stage, words, word_count, &chunk, NULL, 0);
    free(words);
    free(blocks);
    free(sites);
    return id;
}

uint32_t stream_shader_sized(struct stream *stream, uint32_t stage, const uint32_t local_size[3],
                             const uint32_t *instruction_counts, uint32_t block_count)
{
    struct paths none = {0};
    return add_shader(stream, stage, local_size, instruction_counts, block_count, &none);
}

uint32_t stream_shader_paths(struct stream *stream, uint32_t stage, const uint32_t *instruction_counts,
                             uint32_t block_count, const struct ws_site_info *paths, uint32_t path_count,
                             uint32_t *first)
{
    const uint32_t local_size[3] = {8, 4, 1};
    struct paths with = {paths, path_count, 0};
    const uint32_t id = add_shader(stream, stage, local_size, instruction_counts, block_count, &with);
    *first = with.first;
    return id;
}

uint32_t stream_shader(struct stream *stream, uint32_t stage, const uint32_t *instruction_counts,
                       uint32_t block_count)
{
    const uint32_t local_size[3] = {8, 4, 1};
    return stream_shader_sized(stream, stage, local_size, instruction_counts, block_count);
}

void stream_begin(struct stream *stream, uint32_t kind, uint32_t x, uint32_t y, uint32_t z)
{
    stream->launch =
        (struct ws_launch){.index = stream->launch_count, .kind = kind, .size = {x, y, z}, .label = "work"};
    stream->has_base = false;
    stream->record_count = 0;
    stream->context_count = 0;
    stream->word_count = 0;
}

void stream_base(struct stream *stream, const uint32_t base[3])
{
    stream->launch.flags |= WS_LAUNCH_BASE;
    stream->has_base = base != NULL;
    if (base != NULL)
        stream->base = (struct ws_launch_base){stream->launch.index, {base[0], base[1], base[2]}};
}

void stream_launch_row(struct stream *stream, uint32_t shader, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t row[] = {stream->options.subgroup_size, x, y, z};
    memset(stream->launch_row, 0, sizeof(stream->launch_row));
    memcpy(stream->launch_row, row, sizeof(row));
    stream->counters = (struct ws_shader_counters){shader, 0, 1, stream->options.bins, stream->launch_row};
    stream->launch.shaders = &stream->counters;
    stream->launch.shader_count = 1;
}

/* Begins a record whose first word will be the number of `context`, if it is one. */
static struct record *add_record(struct stream *stream, uint32_t queue, uint32_t context)
{
    stream->records = ws_array_grow(stream->records, &stream->record_capacity, stream->record_count + 1,
                                    sizeof(*stream->records));
    assert_non_null(stream->records);
    struct record *record = &stream->records[stream->record_count++];
    *record = (struct record){.queue = queue, .first = stream->word_count, .context = context};
    return record;
}

static void add_words(struct stream *stream, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        stream->words = ws_array_grow(stream->words, &stream->word_capacity, stream->word_count + 1,
                                      sizeof(*stream->words));
        assert_non_null(stream->words);
        stream->words[stream->word_count++] = words[i];
    }
    stream->records[stream->record_count - 1].count += count;
}

static void add_mask(struct stream *stream, struct ws_lanes lanes)
{
    const uint32_t mask[4] = {(uint32_t)lanes.low, (uint32_t)(lanes.low >> 32), (uint32_t)lanes.high,
                              (uint32_t)(lanes.high >> 32)};
    add_words(stream, mask, WS_MASK_WORDS(stream->options.bins));
}

/* As records.h lists them. */
static void words_of_stage(uint32_t stage, uint32_t *per_warp, uint32_t *per_lane)
{
    const bool groups = stage == WS_STAGE_COMPUTE || stage == WS_STAGE_TASK || stage == WS_STAGE_MESH;
    const bool pairs = stage == WS_STAGE_VERTEX || stage == WS_STAGE_TESSELLATION_CONTROL ||
                       stage == WS_STAGE_GEOMETRY || stage == WS_STAGE_FRAGMENT;
    *per_warp = groups ? 3 : 0;
    *per_lane = pairs ? 2 : 1;
}

/* `more`: words per lane beyond those of the stage. */
static uint32_t enter(struct stream *stream, uint32_t queue, uint32_t shader, struct ws_lanes lanes,
                      const uint32_t *warp_words, const uint32_t *work, uint32_t more)
{
    uint32_t per_warp = 0;
    uint32_t per_lane = 0;
    words_of_stage(stream->stages[shader], &per_warp, &per_lane);
    per_lane += more;
    stream->contexts = ws_array_grow(stream->contexts, &stream->context_capacity, stream->context_count + 1,
                                     sizeof(*stream->contexts));
    assert_non_null(stream->contexts);
    const uint32_t handle = stream->context_count++;
    stream->contexts[handle] = (struct context){lanes, queue, WS_NONE};
    struct record *record = add_record(stream, queue, handle);
    record->enters = true;
    const uint32_t head[] = {WS_CONTEXT_NONE, (SLOT_FIRST + shader) << 16,
                             stream->options.subgroup_size | per_warp << 8 | per_lane << 16};
    add_words(stream, head, 3);
    add_mask(stream, lanes);
    add_words(stream, warp_words, per_warp);
    add_words(stream, work, per_lane * ws_lanes_count(lanes));
    return handle;
}

uint32_t stream_continue(struct stream *stream, uint32_t queue, uint32_t shader, uint32_t number,
                         struct ws_lanes lanes, const uint32_t *work)
{
    const uint32_t handle = stream_enter(stream, queue, shader, lanes, NULL, work);
    stream->words[stream->records[stream->record_count - 1].first + WS_RECORD_PLACE] |= number;
    return handle;
}

uint32_t stream_move(struct stream *stream, uint32_t queue, uint32_t shader, uint32_t number,
                     struct ws_lanes lanes, const uint32_t *work, const uint32_t *left)
{
    uint32_t words[2 * 128], count = 0;
    for (uint32_t i = 0; i < ws_lanes_count(lanes); ++i) {
        words[count++] = work[i];
        words[count++] = left[i];
    }
    const uint32_t handle = enter(stream, queue, shader, lanes, NULL, words, 1);
    struct record *record = &stream->records[stream->record_count - 1];
    stream->words[record->first + WS_RECORD_PLACE] |= number;
    record->left = record->count - count + 1;
    return handle;
}

uint32_t stream_enter(struct stream *stream, uint32_t queue, uint32_t shader, struct ws_lanes lanes,
                      const uint32_t *warp_words, const uint32_t *work)
{
    return enter(stream, queue, shader, lanes, warp_words, work, 0);
}

uint32_t stream_enter_rays(struct stream *stream, uint32_t queue, uint32_t shader, struct ws_lanes lanes,
                           uint32_t first)
{
    uint32_t work[128];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 128; ++lane)
        if (ws_lanes_has(lanes, lane))
            work[count++] = first + lane;
    return stream_enter(stream, queue, shader, lanes, NULL, work);
}

void stream_site(struct stream *stream, uint32_t context, uint32_t number, struct ws_lanes lanes)
{
    const bool packed = WS_MASK_PACKED(stream->options.bins);
    const bool full = ws_lanes_equal(lanes, stream->contexts[context].lanes);
    const uint32_t low = packed ? (uint32_t)lanes.low : full ? WS_RECORD_FULL : 0;
    const uint32_t head[] = {0, number << 16 | low};
    add_record(stream, stream->contexts[context].queue, context);
    add_words(stream, head, 2);
    if (!packed && !full)
        add_mask(stream, lanes);
}

void stream_place(struct stream *stream, uint32_t context, uint32_t kind, uint32_t block,
                  struct ws_lanes lanes)
{
    stream_site(stream, context, stream_number(kind, block), lanes);
}

void stream_data(struct stream *stream, uint32_t context, uint32_t number, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    const bool packed = WS_MASK_PACKED(stream->options.bins);
    const uint32_t head[] = {0, number << 16 | (packed ? (uint32_t)lanes.low : 0)};
    add_record(stream, stream->contexts[context].queue, context);
    add_words(stream, head, 2);
    if (!packed)
        add_mask(stream, lanes);
    add_words(stream, words, words_per_lane * ws_lanes_count(lanes));
}

void stream_words(struct stream *stream, uint32_t queue, const uint32_t *words, uint32_t count, bool patch)
{
    add_record(stream, queue, patch ? WS_CONTEXT_NONE - 1 - words[0] : WS_NONE);
    add_words(stream, words, count);
}

static int compare_queues(const void *left, const void *right)
{
    const struct record *a = left;
    const struct record *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Puts the records in an order that keeps that of each queue, chosen by the seed: each place goes to a queue
 * by as many chances as it has records left. */
static void interleave(struct stream *stream)
{
    const uint32_t count = stream->record_count;
    struct record *sorted = malloc(((size_t)count + 1) * sizeof(*sorted));
    uint32_t *turns = malloc(((size_t)count + 1) * sizeof(*turns)); /* where the queue of each begins */
    assert_non_null(sorted);
    assert_non_null(turns);
    if (count > 0)
        memcpy(sorted, stream->records, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_queues);
    for (uint32_t i = 0; i < count; ++i)
        turns[i] = i > 0 && sorted[i].queue == sorted[i - 1].queue ? turns[i - 1] : i;
    for (uint32_t i = count; i > 1; --i) {
        const uint32_t other = (uint32_t)(next_random(&stream->random) % i);
        const uint32_t turn = turns[i - 1];
        turns[i - 1] = turns[other];
        turns[other] = turn;
    }
    uint32_t *next = calloc((size_t)count + 1, sizeof(*next)); /* of the queue that begins there: taken */
    assert_non_null(next);
    for (uint32_t i = 0; i < count; ++i)
        stream->records[i] = sorted[turns[i] + next[turns[i]]++];
    free(next);
    free(sorted);
    free(turns);
}

static void encode(struct stream *stream)
{
    if (stream->options.seed != 0)
        interleave(stream);
    free(stream->encoded);
    stream->encoded = malloc(((size_t)stream->word_count + 1) * sizeof(*stream->encoded));
    assert_non_null(stream->encoded);
    stream->encoded_count = 0;
    for (uint32_t i = 0; i < stream->record_count; ++i) {
        const struct record *record = &stream->records[i];
        uint32_t *at = stream->encoded + stream->encoded_count;
        memcpy(at, stream->words + record->first, record->count * sizeof(*at));
        if (record->enters)
            stream->contexts[record->context].number = stream->encoded_count;
        else if (record->context != WS_NONE)
            at[0] = stream->contexts[record->context].number;
        for (uint32_t word = record->left; word > 0 && word < record->count; word += 2)
            at[word] = stream->contexts[at[word]].number;
        stream->encoded_count += record->count;
    }
}

static void write_pieces(struct stream *stream, uint32_t count, uint64_t missing, bool cut)
{
    struct ws_error error = {{0}};
    struct ws_slot_shader slots[SHADERS_MAX];
    for (uint32_t i = 0; i < stream->shader_count; ++i)
        slots[i] = (struct ws_slot_shader){SLOT_FIRST + i, i};
    const uint32_t most = stream->options.piece_words > 0 ? stream->options.piece_words : count;
    uint32_t at = 0;
    do {
        const uint32_t words = count - at < most ? count - at : most;
        const bool last = at + words == count;
        const struct ws_chunk_records records = {.submission = stream->launch.index,
                                                 .launch = stream->launch.index,
                                                 .flags = last ? WS_RECORDS_LAST : 0,
                                                 .bins = stream->options.bins,
                                                 .position = at,
                                                 .missing = missing,
                                                 .sufficient = stream->encoded_count,
                                                 .slots = slots,
                                                 .slot_count = stream->shader_count,
                                                 .words = stream->encoded + at,
                                                 .word_count = words};
        if (!last || !cut)
            written(ws_capture_write_records(stream->writer, &records, &error), &error);
        at += words;
    } while (at < count);
}

static void end(struct stream *stream, uint32_t words, bool cut)
{
    struct ws_error error = {{0}};
    encode(stream);
    const struct ws_chunk_submission submission = {.index = stream->launch.index,
                                                   .frame = stream->launch.index,
                                                   .launches = &stream->launch,
                                                   .launch_count = 1,
                                                   .bases = &stream->base,
                                                   .base_count = stream->has_base ? 1 : 0};
    written(ws_capture_write_submission(stream->writer, &submission, &error), &error);
    const uint32_t count = words < stream->encoded_count ? words : stream->encoded_count;
    write_pieces(stream, count, stream->encoded_count - count, cut);
    stream->launch_count++;
}

void stream_end(struct stream *stream)
{
    end(stream, WS_NONE, false);
}

void stream_end_overflowed(struct stream *stream, uint32_t words)
{
    end(stream, words, false);
}

void stream_end_cut(struct stream *stream)
{
    end(stream, WS_NONE, true);
}

uint32_t stream_word_count(const struct stream *stream)
{
    return stream->encoded_count;
}

const uint32_t *stream_encoded(const struct stream *stream)
{
    return stream->encoded;
}

/* Replays it for consumers with these operations, or the same if `same`. */
static void replay_all(const struct stream *stream, const struct ws_replay_operations *const *operations,
                       bool same, void *const *results, uint32_t count, uint32_t workers,
                       struct ws_replay_losses *losses)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_catalog catalog;
    ws_catalog_init(&catalog);
    struct ws_reader *reader = ws_reader_open(stream->path, &error);
    struct ws_replay *replay = ws_replay_create(&catalog, stream->path, workers);
    assert_non_null(reader);
    assert_non_null(replay);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = WS_NONE;
        assert_true(ws_replay_add(replay, operations[same ? 0 : i], results[i], &number));
        assert_int_equal(number, i);
    }
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error)) {
        written(ws_catalog_record(&catalog, &chunk, &error), &error);
        written(ws_replay_record(replay, &chunk, &error), &error);
    }
    written(result == WS_READ_END, &error);
    written(ws_replay_end(replay, &error), &error);
    if (losses != NULL)
        *losses = *ws_replay_losses(replay);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    ws_catalog_finish(&catalog);
}

void stream_replay(const struct stream *stream, const struct ws_replay_operations *operations, void *results,
                   uint32_t workers, struct ws_replay_losses *losses)
{
    replay_all(stream, &operations, true, &results, 1, workers, losses);
}

void stream_replay_all(const struct stream *stream, const struct ws_replay_operations *operations,
                       void *const *results, uint32_t count)
{
    replay_all(stream, &operations, true, results, count, 1, NULL);
}

void stream_replay_each(const struct stream *stream, const struct ws_replay_operations *const *operations,
                        void *const *results, uint32_t count, uint32_t workers)
{
    replay_all(stream, operations, false, results, count, workers, NULL);
}
