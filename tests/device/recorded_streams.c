#include "tests/device/recorded_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/capture/paths.h"
#include "warpscope/reader.h"
#include "warpscope/records.h"
#include "warpscope/root.h"
#include "warpscope/stage.h"

#define MOST      4096 /* modules; shaders */
#define ELSEWHERE (WS_NONE - 1)
#define THREADS   (1 << 16)

struct module {
    struct ws_site_info *sites;
    uint32_t site_count;
    uint32_t *functions; /* per block */
    uint32_t *entries;   /* per entry point: its function */
    bool *per_thread;
};

struct shader {
    uint32_t module, entry, stage;
    bool records;
};

/* An entry record. */
struct context {
    uint32_t shader;
    uint32_t mask[WS_MASK_WORDS(WS_BINS_MAX)];
    struct ws_path_waiting waiting;
};

struct counted {
    uint32_t shader, row_first, row_count, bins;
    uint32_t *words;
};

/* A launch whose records are being read, or may come. */
struct launch {
    uint64_t index;
    struct counted *shaders;
    uint32_t shader_count;
    bool records; /* a shader of its has entry records */
    bool shared;  /* counts are not its own alone */
    bool seen;
};

struct checking {
    struct recorded_streams *streams;
    struct module modules[MOST];
    struct shader shaders[MOST];
    uint32_t passes_that_record;
    struct launch *launches;
    uint32_t launch_count;
    /* Of the launch under reading: */
    uint32_t *words;
    size_t word_count;
    uint32_t first;
    struct context *contexts; /* per word of the stream; `shader` WS_NONE = none begins there */
    uint64_t *histograms;     /* [shader of the launch][number][lanes] */
    uint32_t numbers;
    bool threads[THREADS]; /* by flat launch id: was launched */
    bool good;
};

static void complain(struct checking *checking, const struct launch *launch, const char *text, uint64_t at)
{
    fprintf(stderr, "launch %" PRIu64 ": %s (%" PRIu64 ")\n", launch->index, text, at);
    checking->good = false;
}

static void *copy(const void *data, size_t size)
{
    void *copied = malloc(size + 1);
    if (copied == NULL)
        abort();
    if (size > 0)
        memcpy(copied, data, size);
    return copied;
}

static void add_sites(struct checking *checking, const struct ws_chunk_sites *sites)
{
    struct module *module = &checking->modules[sites->module];
    module->sites = copy(sites->sites, sites->site_count * sizeof(*sites->sites));
    for (uint32_t i = 0; i < sites->fixed_count; i++)
        module->sites[sites->fixed[i].site].row--; /* records do not have it */
    module->site_count = sites->site_count;
    module->functions = calloc(sites->block_count + 1, sizeof(*module->functions));
    for (uint32_t i = 0; i < sites->block_count; i++)
        module->functions[i] = sites->blocks[i].function;
    module->entries = calloc(sites->entry_count + 1, sizeof(*module->entries));
    module->per_thread = calloc(sites->entry_count + 1, sizeof(*module->per_thread));
    for (uint32_t i = 0; i < sites->entry_count; i++) {
        module->entries[i] = sites->entries[i].function;
        module->per_thread[i] = sites->entries[i].per_thread;
    }
    for (uint32_t i = 0; i < sites->site_count; i++)
        checking->streams->recording = checking->streams->recording || sites->sites[i].kind == WS_SITE_ENTRY;
}

static void add_shader(struct checking *checking, const struct ws_chunk_shader *chunk)
{
    struct shader *shader = &checking->shaders[chunk->id];
    const struct module *module = &checking->modules[chunk->module];
    *shader = (struct shader){.module = chunk->module, .entry = chunk->entry, .stage = chunk->stage};
    for (uint32_t i = 0; chunk->entry != WS_NONE && i < module->site_count; i++) {
        const struct ws_site_info *site = &module->sites[i];
        shader->records =
            shader->records ||
            (site->kind == WS_SITE_ENTRY && module->functions[site->block] == module->entries[chunk->entry]);
    }
}

static void add_submission(struct checking *checking, const struct ws_chunk_submission *chunk)
{
    for (uint32_t i = 0; i < chunk->launch_count; i++) {
        const struct ws_launch *from = &chunk->launches[i];
        checking->launches =
            reallocarray(checking->launches, checking->launch_count + 1, sizeof(*checking->launches));
        struct launch *to = &checking->launches[checking->launch_count++];
        *to = (struct launch){.index = from->index,
                              .shared = (chunk->flags & WS_SUBMISSION_OVERLAPPED) != 0 ||
                                        (from->flags & WS_LAUNCH_SUSPENDED) != 0,
                              .shader_count = from->shader_count};
        to->shaders = calloc(from->shader_count + 1, sizeof(*to->shaders));
        for (uint32_t j = 0; j < from->shader_count; j++) {
            const struct ws_shader_counters *counters = &from->shaders[j];
            to->shaders[j] =
                (struct counted){counters->shader, counters->row_first, counters->row_count, counters->bins,
                                 copy(counters->words, (size_t)4 * counters->row_count * counters->bins)};
            to->records = to->records || checking->shaders[counters->shader].records;
        }
    }
}

static uint64_t *histogram(const struct checking *checking, uint32_t shader, uint32_t number, uint32_t lanes)
{
    return &checking->histograms[((size_t)shader * checking->numbers + number) * (WS_BINS_MAX + 1) + lanes];
}

static uint32_t bits(const uint32_t *mask, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; i++)
        count += (uint32_t)__builtin_popcount(mask[i]);
    return count;
}

/* Which of the launch's shaders has the slot; ELSEWHERE where it is one of a suspended rendering's, whose
 * counts are with another launch. */
static uint32_t find_slot(const struct launch *launch, const struct ws_chunk_records *chunk, uint32_t slot)
{
    for (uint32_t i = 0; i < chunk->slot_count; i++) {
        if (chunk->slots[i].slot != slot)
            continue;
        for (uint32_t j = 0; j < launch->shader_count; j++)
            if (launch->shaders[j].shader == chunk->slots[i].shader)
                return j;
        return ELSEWHERE;
    }
    return WS_NONE;
}

/* Notes the threads of ray generation, and whether any of those of other ray tracing shaders is among them:
 * the warp that they are called from has entered before. */
static void note_threads(struct checking *checking, uint32_t stage, const uint32_t *ids, uint32_t count)
{
    bool any = (stage & (WS_STAGES_RAY_TRACING ^ WS_STAGE_RAYGEN)) == 0;
    for (uint32_t i = 0; i < count && (stage & WS_STAGES_RAY_TRACING) != 0; i++) {
        any = any || ids[i] >= THREADS || checking->threads[ids[i]];
        if (stage == WS_STAGE_RAYGEN && ids[i] < THREADS)
            checking->threads[ids[i]] = true;
        checking->streams->launched += stage == WS_STAGE_RAYGEN;
    }
    checking->streams->strays += !any;
}

/* Whether it begins at an entry point: devices that keep warps together, as those of the tests do, have no
 * continuations. */
static bool is_at_entry(const struct checking *checking, const struct launch *launch, uint32_t shader,
                        uint32_t number)
{
    if (shader == ELSEWHERE)
        return true;
    const struct module *module =
        &checking->modules[checking->shaders[launch->shaders[shader].shader].module];
    return number < module->site_count && module->sites[number].kind == WS_SITE_ENTRY;
}

static size_t read_entry(struct checking *checking, const struct launch *launch,
                         const struct ws_chunk_records *chunk, size_t at, uint32_t mask_words)
{
    const uint32_t *words = checking->words + at;
    if (checking->word_count - at < 3 + mask_words)
        return 0;
    struct context *context = &checking->contexts[at];
    context->shader = find_slot(launch, chunk, words[WS_RECORD_PLACE] >> 16);
    if (context->shader == WS_NONE ||
        !is_at_entry(checking, launch, context->shader, words[WS_RECORD_PLACE] & 0xffff))
        return 0;
    memcpy(context->mask, words + 3, mask_words * sizeof(uint32_t));
    checking->streams->entries++;
    const uint32_t shape = words[WS_RECORD_SHAPE];
    const uint32_t lanes = bits(context->mask, mask_words);
    const size_t size = 3 + mask_words + (shape >> 8 & 0xff) + lanes * (shape >> 16 & 0xff);
    if (size <= checking->word_count - at && context->shader != ELSEWHERE)
        note_threads(checking, checking->shaders[launch->shaders[context->shader].shader].stage,
                     words + 3 + mask_words, lanes);
    return size;
}

/* The site of a record of a path, or of turns of one; NULL = it is another record. */
static const struct ws_site_info *find_path(const struct checking *checking, const struct launch *launch,
                                            uint32_t shader, uint32_t number)
{
    if (shader == ELSEWHERE)
        return NULL;
    const struct module *module =
        &checking->modules[checking->shaders[launch->shaders[shader].shader].module];
    const struct ws_site_info *site = number < module->site_count ? &module->sites[number] : NULL;
    return site != NULL && (site->kind == WS_SITE_PATH || site->kind == WS_SITE_PATH_TURNS) ? site : NULL;
}

/* Words per lane behind a record of the number: 0 of places. */
static uint32_t data_words(const struct checking *checking, const struct launch *launch, uint32_t shader,
                           uint32_t number)
{
    if (shader == ELSEWHERE)
        return 0;
    const struct module *module =
        &checking->modules[checking->shaders[launch->shaders[shader].shader].module];
    if (number >= module->site_count)
        return 0;
    const struct ws_site_info *site = &module->sites[number];
    return site->kind == WS_SITE_DATA || site->kind == WS_SITE_PATH ? site->row
           : site->kind == WS_SITE_PATH_TURNS                       ? ws_turns_words(site->tag)
                                                                    : 0;
}

/* A path whose places are being counted. */
struct telling {
    struct checking *checking;
    uint32_t shader;
};

static void note_place(struct checking *checking, uint32_t shader, uint32_t number, uint32_t lanes)
{
    if (shader != ELSEWHERE)
        (*histogram(checking, shader, number, lanes))++;
    checking->streams->places++;
    checking->streams->lanes += lanes;
}

static bool tell_place(void *user, uint32_t number, struct ws_lanes lanes)
{
    const struct telling *telling = user;
    if (number < telling->checking->numbers)
        note_place(telling->checking, telling->shader, number, ws_lanes_count(lanes));
    return number < telling->checking->numbers;
}

static bool read_path(struct checking *checking, const struct launch *launch, struct context *context,
                      const struct ws_site_info *site, uint32_t number, const uint32_t *mask,
                      uint32_t mask_words, const uint32_t *words)
{
    const struct module *module =
        &checking->modules[checking->shaders[launch->shaders[context->shader].shader].module];
    struct telling telling = {checking, context->shader};
    struct ws_path_table table;
    struct ws_lanes lanes = {mask[0], 0};
    lanes.low |= mask_words > 1 ? (uint64_t)mask[1] << 32 : 0;
    lanes.high = mask_words > 2 ? mask[2] | (uint64_t)mask[3] << 32 : 0;
    if (site->kind == WS_SITE_PATH_TURNS)
        return ws_path_wait(&context->waiting, number, lanes, words, ws_turns_words(site->tag));
    const bool told = ws_path_table_make(&table, module->sites, sizeof(*module->sites), module->site_count) &&
                      ws_path_expand(&table, ws_path_find(&table, number), &context->waiting, lanes, words,
                                     tell_place, &telling) == WS_PATH_TOLD;
    ws_path_table_finish(&table);
    return told;
}

static size_t read_place(struct checking *checking, const struct launch *launch, uint32_t bins, size_t at,
                         uint32_t mask_words)
{
    const uint32_t *words = checking->words + at;
    const size_t left = checking->word_count - at;
    const uint32_t number = left >= 2 ? words[WS_RECORD_PLACE] >> 16 : 0;
    const uint32_t low = left >= 2 ? words[WS_RECORD_PLACE] & 0xffff : 0;
    if (left < 2 || words[0] < checking->first || words[0] - checking->first >= at ||
        checking->contexts[words[0] - checking->first].shader == WS_NONE)
        return 0;
    struct context *context = &checking->contexts[words[0] - checking->first];
    const struct ws_site_info *path = find_path(checking, launch, context->shader, number);
    const uint32_t *mask = WS_MASK_PACKED(bins) ? &low : low == WS_RECORD_FULL ? context->mask : words + 2;
    size_t size = 2;
    uint32_t lanes;
    if (WS_MASK_PACKED(bins)) {
        lanes = (uint32_t)__builtin_popcount(low);
    } else if (low == WS_RECORD_FULL) {
        lanes = bits(context->mask, mask_words);
    } else {
        size += mask_words;
        if (low != 0 || left < size)
            return 0;
        lanes = bits(words + 2, mask_words);
    }
    if (lanes == 0 || lanes > bins || (context->shader != ELSEWHERE && number >= checking->numbers))
        return 0;
    const uint32_t words_per_lane = data_words(checking, launch, context->shader, number);
    if (left < size + (size_t)words_per_lane * lanes)
        return 0;
    if (path != NULL && !read_path(checking, launch, context, path, number, mask, mask_words, words + size))
        return 0;
    if (words_per_lane != 0 && path == NULL && context->shader != ELSEWHERE)
        (*histogram(checking, context->shader, number, lanes))++; /* of places that the data stand for */
    if (words_per_lane != 0 || path != NULL)
        return size + words_per_lane * lanes;
    note_place(checking, context->shader, number, lanes);
    return size;
}

/* Whether a block's recorded place has a number that no earlier one of the block has. */
static bool is_first_of_number(const struct module *module, uint32_t index)
{
    const struct ws_site_info *place = &module->sites[index];
    for (uint32_t i = 0; i < index; i++)
        if (module->sites[i].kind == WS_SITE_PLACE_BLOCK && module->sites[i].block == place->block &&
            module->sites[i].row == place->row)
            return false;
    return true;
}

/* How often so many lanes were recorded at the beginning of a block. A function that several entry points call has a
 * place for each of them, with a number of its own; sites with one number are one place. */
static uint64_t recorded_at(const struct checking *checking, const struct module *module, uint32_t index,
                            uint32_t block, uint32_t lanes)
{
    uint64_t recorded = 0;
    for (uint32_t i = 0; i < module->site_count; i++) {
        const struct ws_site_info *site = &module->sites[i];
        if (site->kind == WS_SITE_PLACE_BLOCK && site->block == block && is_first_of_number(module, i))
            recorded += *histogram(checking, index, site->row, lanes);
    }
    return recorded;
}

/* The block that begins with a recorded place was counted as it was recorded. */
static void compare_block(struct checking *checking, const struct launch *launch, uint32_t index,
                          const struct ws_site_info *place)
{
    const struct counted *counted = &launch->shaders[index];
    const struct module *module = &checking->modules[checking->shaders[counted->shader].module];
    for (uint32_t i = 0; i < module->site_count; i++) {
        const struct ws_site_info *site = &module->sites[i];
        if (site->kind != WS_SITE_BLOCK || site->block != place->block || site->row < counted->row_first ||
            site->row - counted->row_first >= counted->row_count)
            continue;
        const uint32_t *row = counted->words + (size_t)(site->row - counted->row_first) * counted->bins;
        for (uint32_t lanes = 1; lanes <= counted->bins; lanes++) {
            const uint64_t recorded = recorded_at(checking, module, index, place->block, lanes);
            if (row[lanes - 1] == recorded)
                continue;
            fprintf(stderr, "shader %u, block %u, %u lanes: %u counted, %" PRIu64 " recorded\n",
                    counted->shader, place->block, lanes, row[lanes - 1], recorded);
            complain(checking, launch, "records and counters do not agree", place->row);
            return;
        }
        checking->streams->compared++;
    }
}

static void compare(struct checking *checking, const struct launch *launch)
{
    for (uint32_t i = 0; i < launch->shader_count; i++) {
        const struct shader *shader = &checking->shaders[launch->shaders[i].shader];
        const struct module *module = &checking->modules[shader->module];
        if (shader->entry == WS_NONE || module->per_thread[shader->entry])
            continue;
        for (uint32_t j = 0; j < module->site_count; j++)
            if (module->sites[j].kind == WS_SITE_PLACE_BLOCK)
                compare_block(checking, launch, i, &module->sites[j]);
    }
}

static void read_stream(struct checking *checking, const struct launch *launch,
                        const struct ws_chunk_records *chunk)
{
    const uint32_t mask_words = WS_MASK_WORDS(chunk->bins);
    checking->contexts = malloc((checking->word_count + 1) * sizeof(*checking->contexts));
    memset(checking->threads, 0, sizeof(checking->threads));
    checking->numbers = 1;
    for (uint32_t i = 0; i < launch->shader_count; i++) {
        const struct module *module = &checking->modules[checking->shaders[launch->shaders[i].shader].module];
        if (module->site_count > checking->numbers)
            checking->numbers = module->site_count;
    }
    checking->histograms = calloc((size_t)(launch->shader_count + 1) * checking->numbers,
                                  (WS_BINS_MAX + 1) * sizeof(*checking->histograms));
    if (checking->contexts == NULL || checking->histograms == NULL)
        abort();
    for (size_t i = 0; i < checking->word_count; i++) {
        checking->contexts[i].shader = WS_NONE;
        checking->contexts[i].waiting = (struct ws_path_waiting){0};
    }
    for (size_t at = 0; at < checking->word_count;) {
        const size_t size = checking->words[at] == WS_CONTEXT_NONE
                                ? read_entry(checking, launch, chunk, at, mask_words)
                                : read_place(checking, launch, chunk->bins, at, mask_words);
        if (size == 0 || size > checking->word_count - at) {
            complain(checking, launch, "a wrong record", at);
            break;
        }
        at += size;
    }
    if (checking->good && chunk->missing == 0 && !launch->shared && !checking->streams->sampled)
        compare(checking, launch);
    for (size_t i = 0; i < checking->word_count; i++)
        ws_path_waiting_finish(&checking->contexts[i].waiting);
    free(checking->contexts);
    free(checking->histograms);
}

static void add_records(struct checking *checking, const struct ws_chunk_records *chunk)
{
    struct launch *launch = NULL;
    for (uint32_t i = 0; i < checking->launch_count; i++)
        if (checking->launches[i].index == chunk->launch)
            launch = &checking->launches[i];
    const struct launch none = {.index = chunk->launch};
    if (launch == NULL || launch->seen || chunk->position != chunk->first + checking->word_count) {
        complain(checking, &none, "records in the wrong place", chunk->position);
        return;
    }
    checking->first = chunk->first;
    checking->words =
        reallocarray(checking->words, checking->word_count + chunk->word_count + 1, sizeof(*checking->words));
    if (chunk->word_count > 0)
        memcpy(checking->words + checking->word_count, chunk->words,
               chunk->word_count * sizeof(*chunk->words));
    checking->word_count += chunk->word_count;
    if ((chunk->flags & WS_RECORDS_LAST) == 0)
        return;
    read_stream(checking, launch, chunk);
    launch->seen = true;
    struct recorded_streams *streams = checking->streams;
    streams->launches++;
    streams->words += checking->word_count;
    streams->missing += chunk->missing;
    if (chunk->sufficient > streams->sufficient)
        streams->sufficient = chunk->sufficient;
    checking->word_count = 0;
}

static void add_info(struct checking *checking, const struct ws_chunk_info *info)
{
    static const char *const keys[] = {"threads", "pixels", "tile"};
    for (uint32_t i = 0; i < info->setting_count; i++) {
        for (uint32_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++)
            checking->streams->sampled =
                checking->streams->sampled ||
                (strcmp(info->settings[i].key, keys[j]) == 0 && info->settings[i].value[0] != '\0');
    }
}

static void add_chunk(struct checking *checking, const struct ws_chunk *chunk)
{
    switch (chunk->type) {
    case WS_CHUNK_INFO: add_info(checking, &chunk->info); break;
    case WS_CHUNK_SITES: add_sites(checking, &chunk->sites); break;
    case WS_CHUNK_SHADER: add_shader(checking, &chunk->shader); break;
    case WS_CHUNK_SUBMISSION: add_submission(checking, &chunk->submission); break;
    case WS_CHUNK_RECORDS: add_records(checking, &chunk->records); break;
    case WS_CHUNK_SKIP:
        if (chunk->skip.kind == WS_SKIP_RECORDS)
            checking->streams->lost += chunk->skip.count;
        break;
    case WS_CHUNK_MESSAGE: checking->streams->warnings += chunk->message.severity == WS_WARNING; break;
    default: break;
    }
}

static void finish(struct checking *checking)
{
    for (uint32_t i = 0; i < MOST; i++) {
        free(checking->modules[i].sites);
        free(checking->modules[i].functions);
        free(checking->modules[i].entries);
        free(checking->modules[i].per_thread);
    }
    for (uint32_t i = 0; i < checking->launch_count; i++) {
        for (uint32_t j = 0; j < checking->launches[i].shader_count; j++)
            free(checking->launches[i].shaders[j].words);
        free(checking->launches[i].shaders);
    }
    free(checking->launches);
    free(checking->words);
    free(checking);
}

bool recorded_check_streams(struct recorded_streams *streams, const char *path)
{
    struct checking *checking = calloc(1, sizeof(*checking));
    struct ws_error error = {0};
    struct ws_chunk chunk;
    if (checking == NULL)
        abort();
    memset(streams, 0, sizeof(*streams));
    checking->streams = streams;
    checking->good = true;
    struct ws_reader *reader = ws_reader_open(path, &error);
    enum ws_read_result result = reader != NULL ? WS_READ_CHUNK : WS_READ_ERROR;
    while (result == WS_READ_CHUNK) {
        result = ws_reader_next(reader, &chunk, &error);
        if (result == WS_READ_CHUNK)
            add_chunk(checking, &chunk);
    }
    ws_reader_destroy(reader);
    if (result == WS_READ_ERROR)
        fprintf(stderr, "%s\n", error.message);
    uint64_t absent = 0;
    for (uint32_t i = 0; i < checking->launch_count; i++)
        absent += checking->launches[i].records && !checking->launches[i].seen;
    if (absent != streams->lost)
        fprintf(stderr, "%" PRIu64 " launches without their records, %" PRIu64 " accounted for\n", absent,
                streams->lost);
    const bool good = checking->good && result == WS_READ_END && absent == streams->lost;
    finish(checking);
    return good;
}
