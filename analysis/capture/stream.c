/* See warpscope/stream.h. The replay (analysis/model/replay_feeder.c) has a cutter of its own: it hands records to workers
 * while they come, and keeps no launch in memory. */
#include "warpscope/stream.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/capture/fixed_words.h"
#include "analysis/capture/paths.h"
#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"
#include "warpscope/capture/budget.h"
#include "warpscope/records.h"

/* What records with one number are. */
struct number {
    uint8_t known;
    uint8_t kind;   /* enum ws_site_kind */
    uint16_t words; /* per lane, that data records have */
    uint16_t fixed; /* words that they leave out: so many of the module's */
    uint32_t fixed_first;
};

struct module {
    struct number *numbers;
    uint32_t number_count;
    struct ws_path_table paths;
    struct ws_fixed_word *fixed;
};

struct shader {
    uint32_t id;
    uint32_t module; /* index in modules; WS_NONE = it has no sites */
};

/* A launch, and its pieces so far. */
struct pieces {
    bool open;
    bool whole; /* with its last piece */
    struct ws_stream_launch launch;
    uint32_t begin;            /* position of its first word */
    uint32_t next;             /* position of the next piece */
    struct ws_id_map slots;    /* -> index in shaders */
    struct ws_id_map contexts; /* -> index of the entry record */
    uint32_t *words;
    uint32_t word_capacity;
    /* Words of the launch, and behind them all words of the records that leave some out. */
    uint32_t word_end;
    struct ws_record *records;
    uint32_t record_capacity;
    struct ws_id_map waiting_of; /* index of an entry record -> index in waiting */
    struct ws_path_waiting *waiting;
    uint32_t waiting_count;
    uint32_t waiting_capacity;
};

struct ws_stream {
    struct ws_id_map module_ids; /* -> index in modules */
    struct module *modules;
    uint32_t module_count;
    uint32_t module_capacity;
    struct ws_id_map shader_ids; /* -> index in shaders */
    struct shader *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;

    /* The launch whose pieces come is pieces[now]. The other one was given last: where a launch has lost its last piece, it is
     * given when the first piece of the next one comes. */
    struct pieces pieces[2];
    uint32_t now;

    bool has_limit;
    uint64_t limit;   /* of bytes of a launch */
    uint64_t reached; /* where the chunk taken last begins in the file */
};

struct ws_stream *ws_stream_create(void)
{
    return calloc(1, sizeof(struct ws_stream));
}

void ws_stream_limit(struct ws_stream *stream, uint64_t bytes)
{
    stream->has_limit = true;
    stream->limit = bytes;
}

/* Whether a launch with so many words and records takes no more than it may. Else it is marked. */
static bool has_room(const struct ws_stream *stream, struct pieces *pieces, uint64_t words, uint64_t records)
{
    const uint64_t usual = WS_STREAM_BYTES_LEAST + WS_STREAM_BYTES_PER_BYTE * stream->reached;
    const uint64_t bytes = words * sizeof(uint32_t) + records * sizeof(struct ws_record);
    if (bytes <= (stream->has_limit ? stream->limit : usual))
        return true;
    pieces->launch.truncated = pieces->launch.limited = true;
    return false;
}

/* Turns whose path did not come. */
static void forget_waiting(struct pieces *pieces)
{
    for (uint32_t i = 0; i < pieces->waiting_count; ++i)
        ws_path_waiting_finish(&pieces->waiting[i]);
    pieces->waiting_count = 0;
    ws_id_map_finish(&pieces->waiting_of);
    pieces->waiting_of = (struct ws_id_map){0};
}

void ws_stream_destroy(struct ws_stream *stream)
{
    if (stream == NULL)
        return;
    for (uint32_t i = 0; i < stream->module_count; ++i) {
        free(stream->modules[i].numbers);
        free(stream->modules[i].fixed);
        ws_path_table_finish(&stream->modules[i].paths);
    }
    free(stream->modules);
    free(stream->shaders);
    for (uint32_t i = 0; i < 2; ++i) {
        free(stream->pieces[i].words);
        free(stream->pieces[i].records);
        forget_waiting(&stream->pieces[i]);
        free(stream->pieces[i].waiting);
        ws_id_map_finish(&stream->pieces[i].slots);
        ws_id_map_finish(&stream->pieces[i].contexts);
    }
    ws_id_map_finish(&stream->module_ids);
    ws_id_map_finish(&stream->shader_ids);
    free(stream);
}

static bool no_memory(struct ws_error *error)
{
    return ws_error_set(error, "no memory for the records of the capture");
}

/* The number that records of the site carry; WS_NONE where it has none. */
static uint32_t number_of(const struct ws_chunk_sites *sites, uint32_t index)
{
    const struct ws_site_info *site = &sites->sites[index];
    uint32_t number = WS_NONE;
    if (site->kind == WS_SITE_DATA || site->kind == WS_SITE_PATH || site->kind == WS_SITE_PATH_TURNS)
        number = index;
    else if (site->kind == WS_SITE_ENTRY || site->kind == WS_SITE_CONTINUE || ws_site_is_place(site->kind))
        number = site->row;
    return number <= WS_RECORD_SITE_MAX ? number : WS_NONE;
}

/* Words per lane of records of the site. */
static uint16_t words_of(const struct ws_site_info *site)
{
    if (site->kind == WS_SITE_PATH_TURNS)
        return (uint16_t)ws_turns_words(site->tag);
    return site->kind == WS_SITE_DATA || site->kind == WS_SITE_PATH ? (uint16_t)site->row : 0;
}

static bool add_sites(struct ws_stream *stream, const struct ws_chunk_sites *sites)
{
    struct module *modules =
        ws_array_grow(stream->modules, &stream->module_capacity, stream->module_count + 1, sizeof(*modules));
    if (modules == NULL)
        return false;
    stream->modules = modules;
    struct module module = {.number_count = sites->site_count};
    module.numbers = calloc((size_t)sites->site_count + 1, sizeof(*module.numbers));
    if (module.numbers == NULL)
        return false;
    for (uint32_t i = 0; i < sites->site_count; ++i) {
        const uint32_t number = number_of(sites, i);
        if (number >= sites->site_count || module.numbers[number].known)
            continue;
        const struct ws_site_info *site = &sites->sites[number];
        struct number *known = &module.numbers[number];
        *known = (struct number){.known = 1, .kind = (uint8_t)site->kind, .words = words_of(site)};
        if (site->kind == WS_SITE_DATA)
            known->fixed =
                (uint16_t)ws_fixed_words_find(sites->fixed, sites->fixed_count, number, &known->fixed_first);
        known->words = (uint16_t)(known->words - known->fixed);
    }
    module.fixed = malloc(sites->fixed_count * sizeof(*module.fixed) + 1);
    if (module.fixed != NULL && sites->fixed_count > 0)
        memcpy(module.fixed, sites->fixed, sites->fixed_count * sizeof(*module.fixed));
    const bool made =
        ws_path_table_make(&module.paths, sites->sites, sizeof(*sites->sites), sites->site_count);
    modules[stream->module_count] = module;
    return ws_id_map_put(&stream->module_ids, sites->module, stream->module_count++) && made &&
           module.fixed != NULL;
}

static bool add_shader(struct ws_stream *stream, const struct ws_chunk_shader *chunk)
{
    struct shader *shaders =
        ws_array_grow(stream->shaders, &stream->shader_capacity, stream->shader_count + 1, sizeof(*shaders));
    if (shaders == NULL)
        return false;
    stream->shaders = shaders;
    shaders[stream->shader_count] = (struct shader){chunk->id, WS_NONE};
    ws_id_map_get(&stream->module_ids, chunk->module, &shaders[stream->shader_count].module);
    return ws_id_map_put(&stream->shader_ids, chunk->id, stream->shader_count++);
}

/* ---- Records. False: the record contradicts its shader, or its end is missing. ---- */

/* A record, and how long it is. */
struct cut {
    struct ws_record record;
    uint64_t length;
};

static uint32_t count_lanes(const uint64_t lanes[2])
{
    return (uint32_t)(__builtin_popcountll(lanes[0]) + __builtin_popcountll(lanes[1]));
}

static void read_mask(uint64_t lanes[2], const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < 4; ++i)
        lanes[i / 2] |= (uint64_t)words[i] << (32 * (i % 2));
}

/* What the shader's records with the number of `cut` are; NULL = it has none. */
static const struct number *find_number(const struct ws_stream *stream, uint32_t shader, uint32_t number)
{
    const uint32_t index = stream->shaders[shader].module;
    if (index == WS_NONE || number >= stream->modules[index].number_count ||
        !stream->modules[index].numbers[number].known)
        return NULL;
    return &stream->modules[index].numbers[number];
}

static bool cut_entry(const struct ws_stream *stream, const struct pieces *pieces, const uint32_t *words,
                      uint32_t left, struct cut *cut)
{
    const uint32_t mask_words = WS_MASK_WORDS(pieces->launch.bins);
    struct ws_record *record = &cut->record;
    uint32_t shader = 0;
    if (left < 3 + mask_words || !ws_id_map_get(&pieces->slots, words[WS_RECORD_PLACE] >> 16, &shader))
        return false;
    record->site = words[WS_RECORD_PLACE] & 0xffff;
    const struct number *number = find_number(stream, shader, record->site);
    if (number == NULL || (number->kind != WS_SITE_ENTRY && number->kind != WS_SITE_CONTINUE))
        return false;
    record->shader = stream->shaders[shader].id;
    record->kind = number->kind;
    record->context = record->position;
    record->entry = pieces->launch.record_count;
    record->lane_count = words[WS_RECORD_SHAPE] & 0xff;
    record->words_per_warp = words[WS_RECORD_SHAPE] >> 8 & 0xff;
    record->words_per_lane = words[WS_RECORD_SHAPE] >> 16 & 0xff;
    read_mask(record->lanes, words + 3, mask_words);
    record->word += 3 + mask_words;
    cut->length = 3 + mask_words + record->words_per_warp +
                  (uint64_t)record->words_per_lane * count_lanes(record->lanes);
    return record->lane_count <= pieces->launch.bins;
}

static bool cut_place(const struct ws_stream *stream, const struct pieces *pieces, const uint32_t *words,
                      uint32_t left, struct cut *cut)
{
    struct ws_record *record = &cut->record;
    uint32_t shader = 0;
    record->context = words[WS_RECORD_CONTEXT];
    if (!ws_id_map_get(&pieces->contexts, record->context, &record->entry))
        return false;
    const struct ws_record *entry = &pieces->records[record->entry];
    record->site = words[WS_RECORD_PLACE] >> 16;
    ws_id_map_get(&stream->shader_ids, entry->shader, &shader);
    const struct number *number = find_number(stream, shader, record->site);
    if (number == NULL || number->kind == WS_SITE_ENTRY || number->kind == WS_SITE_CONTINUE)
        return false;
    record->shader = entry->shader;
    record->kind = number->kind;
    record->lane_count = entry->lane_count;
    record->words_per_lane = number->words;
    uint32_t length = 2;
    if (WS_MASK_PACKED(pieces->launch.bins)) {
        record->lanes[0] = words[WS_RECORD_PLACE] & 0xffff;
    } else if ((words[WS_RECORD_PLACE] & WS_RECORD_FULL) != 0 && number->words == 0) {
        memcpy(record->lanes, entry->lanes, sizeof(record->lanes));
    } else {
        const uint32_t mask_words = WS_MASK_WORDS(pieces->launch.bins);
        length += mask_words;
        if (left < length)
            return false;
        read_mask(record->lanes, words + 2, mask_words);
    }
    record->word += length;
    cut->length = length + (uint64_t)number->words * count_lanes(record->lanes);
    return (record->lanes[0] & ~entry->lanes[0]) == 0 && (record->lanes[1] & ~entry->lanes[1]) == 0;
}

static bool cut_record(const struct ws_stream *stream, const struct pieces *pieces, uint32_t at,
                       struct cut *cut)
{
    const uint32_t *words = pieces->words + at;
    const uint32_t left = pieces->launch.word_count - at;
    *cut = (struct cut){.record = {.position = pieces->begin + at, .word = at}};
    if (left < 2)
        return false;
    const bool read = words[WS_RECORD_CONTEXT] == WS_CONTEXT_NONE
                          ? cut_entry(stream, pieces, words, left, cut)
                          : cut_place(stream, pieces, words, left, cut);
    return read && cut->length <= left && (cut->record.lanes[0] | cut->record.lanes[1]) != 0;
}

/* Words of a launch and copies: as many as ws_array_grow can give, so that there being more is no lack of memory. */
#define WORDS_MAX (UINT32_C(1) << 31)

enum taken { TAKEN, NO_ROOM, NO_MEMORY };

/* Where the record leaves words out, has it name a copy that has them all. */
static enum taken restore_words(const struct ws_stream *stream, struct pieces *pieces,
                                struct ws_record *record)
{
    uint32_t shader = 0;
    if (record->kind != WS_SITE_DATA)
        return TAKEN;
    ws_id_map_get(&stream->shader_ids, record->shader, &shader);
    const struct number *number = find_number(stream, shader, record->site);
    if (number->fixed == 0)
        return TAKEN;
    const uint32_t lanes = count_lanes(record->lanes);
    const uint32_t whole = record->words_per_lane + number->fixed;
    if (whole * lanes > WORDS_MAX - pieces->word_end || !ws_budget_spend(WS_STEPS_WORD * whole * lanes) ||
        !has_room(stream, pieces, (uint64_t)pieces->word_end + whole * lanes,
                  pieces->launch.record_count + UINT64_C(1)))
        return NO_ROOM;
    uint32_t *words = ws_array_grow(pieces->words, &pieces->word_capacity, pieces->word_end + whole * lanes,
                                    sizeof(*words));
    if (words == NULL)
        return NO_MEMORY;
    pieces->words = words;
    const struct ws_fixed_word *fixed = stream->modules[stream->shaders[shader].module].fixed;
    ws_fixed_words_restore(words + pieces->word_end, words + record->word, lanes, whole,
                           fixed + number->fixed_first, number->fixed);
    record->word = pieces->word_end;
    record->words_per_lane = whole;
    pieces->word_end += whole * lanes;
    return TAKEN;
}

static enum taken add_record(const struct ws_stream *stream, struct pieces *pieces,
                             const struct ws_record *record)
{
    struct ws_stream_launch *launch = &pieces->launch;
    if (!has_room(stream, pieces, pieces->word_end, launch->record_count + UINT64_C(1)))
        return NO_ROOM;
    struct ws_record *records =
        ws_array_grow(pieces->records, &pieces->record_capacity, launch->record_count + 1, sizeof(*records));
    if (records == NULL)
        return NO_MEMORY;
    pieces->records = records;
    records[launch->record_count++] = *record;
    return TAKEN;
}

/* The turns that wait in the context of an entry record; NULL = no memory. */
static struct ws_path_waiting *find_waiting(struct pieces *pieces, uint32_t entry)
{
    uint32_t index;
    if (ws_id_map_get(&pieces->waiting_of, entry, &index))
        return &pieces->waiting[index];
    struct ws_path_waiting *waiting = ws_array_grow(pieces->waiting, &pieces->waiting_capacity,
                                                    pieces->waiting_count + 1, sizeof(*waiting));
    if (waiting == NULL || !ws_id_map_put(&pieces->waiting_of, entry, pieces->waiting_count))
        return NULL;
    pieces->waiting = waiting;
    waiting[pieces->waiting_count] = (struct ws_path_waiting){0};
    return &waiting[pieces->waiting_count++];
}

/* Whether lanes of the record have turns that wait. */
static bool has_waiting(const struct pieces *pieces, const struct ws_record *record)
{
    uint32_t index;
    return ws_id_map_get(&pieces->waiting_of, record->entry, &index) &&
           ws_path_is_waiting(&pieces->waiting[index], (struct ws_lanes){record->lanes[0], record->lanes[1]});
}

/* A record of a path at work. */
struct telling {
    const struct ws_stream *stream;
    struct pieces *pieces;
    struct ws_record record;
    uint32_t shader; /* index */
    bool failed;     /* no memory */
};

static bool tell_place(void *user, uint32_t number, struct ws_lanes lanes)
{
    struct telling *telling = user;
    struct ws_record *record = &telling->record;
    const struct ws_stream_launch *launch = &telling->pieces->launch;
    const struct number *found = find_number(telling->stream, telling->shader, number);
    if (found == NULL || !ws_site_is_place(found->kind) || found->kind == WS_SITE_PLACE_ENTRY)
        return false;
    if (launch->record_count >=
        WS_STREAM_RECORDS_LEAST + WS_STREAM_RECORDS_PER_WORD * (uint64_t)launch->word_count)
        return false;
    record->site = number;
    record->kind = found->kind;
    record->lanes[0] = lanes.low;
    record->lanes[1] = lanes.high;
    const enum taken taken = add_record(telling->stream, telling->pieces, record);
    telling->failed = taken == NO_MEMORY;
    return taken == TAKEN;
}

/* Takes in a record of a path, or of turns of one. WS_PATH_STOPPED: it contradicts its shader. */
static enum ws_path_result take_path(const struct ws_stream *stream, struct pieces *pieces,
                                     const struct ws_record *record)
{
    struct telling telling = {stream, pieces, *record, 0, false};
    const struct ws_lanes lanes = {record->lanes[0], record->lanes[1]};
    const uint32_t *words = pieces->words + record->word;
    struct ws_path_waiting *waiting = find_waiting(pieces, record->entry);
    ws_id_map_get(&stream->shader_ids, record->shader, &telling.shader);
    if (waiting == NULL)
        return WS_PATH_FAILED;
    if (record->kind == WS_SITE_PATH_TURNS)
        return ws_path_wait(waiting, record->site, lanes, words, record->words_per_lane) ? WS_PATH_TOLD
                                                                                         : WS_PATH_FAILED;
    const struct ws_path_table *table = &stream->modules[stream->shaders[telling.shader].module].paths;
    const struct ws_path *path = ws_path_find(table, record->site);
    telling.record.words_per_lane = 0;
    if (path == NULL)
        return WS_PATH_MALFORMED;
    const enum ws_path_result result =
        ws_path_expand(table, path, waiting, lanes, words, tell_place, &telling);
    return telling.failed ? WS_PATH_FAILED : result;
}

/* Cuts the words of the launch. False when there is no memory. */
static bool cut_launch(const struct ws_stream *stream, struct pieces *pieces)
{
    struct ws_stream_launch *launch = &pieces->launch;
    struct cut cut;
    pieces->word_end = launch->word_count;
    for (uint32_t at = 0; at < launch->word_count; at += (uint32_t)cut.length) {
        if (!cut_record(stream, pieces, at, &cut) || !ws_budget_spend(WS_STEPS_WORD * cut.length)) {
            launch->truncated = true;
            break;
        }
        if (cut.record.kind == WS_SITE_PATH || cut.record.kind == WS_SITE_PATH_TURNS) {
            const enum ws_path_result taken = take_path(stream, pieces, &cut.record);
            if (taken == WS_PATH_FAILED)
                return false;
            launch->truncated = launch->truncated || taken != WS_PATH_TOLD;
            if (taken != WS_PATH_TOLD)
                break;
            continue;
        }
        if (cut.record.kind == WS_SITE_PLACE_END && has_waiting(pieces, &cut.record)) {
            launch->truncated = true;
            break;
        }
        const uint32_t number = launch->record_count;
        enum taken taken = restore_words(stream, pieces, &cut.record);
        if (taken == TAKEN)
            taken = add_record(stream, pieces, &cut.record);
        if (taken == NO_MEMORY)
            return false;
        if (taken == NO_ROOM) {
            launch->truncated = true;
            break;
        }
        if (cut.record.entry == number && !ws_id_map_put(&pieces->contexts, cut.record.context, number))
            return false;
    }
    return true;
}

/* ---- Launches ---- */

static bool finish_launch(struct ws_stream *stream, const struct ws_stream_launch **launch)
{
    struct pieces *pieces = &stream->pieces[stream->now];
    pieces->launch.truncated = pieces->launch.truncated || !pieces->whole;
    if (!cut_launch(stream, pieces))
        return false;
    ws_id_map_finish(&pieces->contexts);
    ws_id_map_finish(&pieces->slots);
    forget_waiting(pieces);
    pieces->contexts = pieces->slots = (struct ws_id_map){0};
    pieces->launch.words = pieces->words;
    pieces->launch.stream_word_count = pieces->launch.word_count;
    pieces->launch.word_count = pieces->word_end;
    pieces->launch.records = pieces->records;
    pieces->open = false;
    *launch = &pieces->launch;
    stream->now ^= 1;
    return true;
}

static void begin_launch(struct pieces *pieces, const struct ws_chunk_records *records)
{
    pieces->open = true;
    pieces->whole = false;
    pieces->launch = (struct ws_stream_launch){
        .launch = records->launch,
        .submission = records->submission,
        .device = records->device,
        .bins = records->bins,
        .missing = records->missing,
        .truncated = records->missing > 0 || records->position != records->first,
    };
    pieces->begin = records->position;
    pieces->next = records->position;
}

static bool add_piece(const struct ws_stream *stream, struct pieces *pieces,
                      const struct ws_chunk_records *records)
{
    struct ws_stream_launch *launch = &pieces->launch;
    pieces->whole = (records->flags & WS_RECORDS_LAST) != 0;
    /* A piece before it is lost, and with it where a record begins. */
    if (records->position != pieces->next || records->bins != launch->bins ||
        records->word_count > UINT32_MAX - launch->word_count ||
        !has_room(stream, pieces, (uint64_t)launch->word_count + records->word_count, 0)) {
        launch->truncated = true;
        return true;
    }
    for (uint32_t i = 0; i < records->slot_count; ++i) {
        uint32_t shader = 0;
        if (ws_id_map_get(&stream->shader_ids, records->slots[i].shader, &shader) &&
            !ws_id_map_put(&pieces->slots, records->slots[i].slot, shader))
            return false;
    }
    if (records->word_count == 0)
        return true;
    uint32_t *words = ws_array_grow(pieces->words, &pieces->word_capacity,
                                    launch->word_count + records->word_count, sizeof(*words));
    if (words == NULL)
        return false;
    pieces->words = words;
    memcpy(words + launch->word_count, records->words, records->word_count * sizeof(*words));
    launch->word_count += records->word_count;
    pieces->next += records->word_count;
    return true;
}

static bool take_records(struct ws_stream *stream, const struct ws_chunk_records *records,
                         const struct ws_stream_launch **launch)
{
    if (stream->pieces[stream->now].open && stream->pieces[stream->now].launch.launch != records->launch &&
        !finish_launch(stream, launch))
        return false;
    struct pieces *pieces = &stream->pieces[stream->now];
    if (!pieces->open)
        begin_launch(pieces, records);
    if (!add_piece(stream, pieces, records))
        return false;
    return *launch != NULL || !pieces->whole || finish_launch(stream, launch);
}

bool ws_stream_take(struct ws_stream *stream, const struct ws_chunk *chunk,
                    const struct ws_stream_launch **launch, struct ws_error *error)
{
    bool taken = true;
    stream->reached = chunk->offset;
    *launch = NULL;
    if (stream->pieces[stream->now].open && stream->pieces[stream->now].whole)
        taken = finish_launch(stream, launch);
    switch (taken ? chunk->type : 0) {
    case WS_CHUNK_SITES: taken = add_sites(stream, &chunk->sites); break;
    case WS_CHUNK_SHADER: taken = add_shader(stream, &chunk->shader); break;
    case WS_CHUNK_RECORDS: taken = take_records(stream, &chunk->records, launch); break;
    default: break;
    }
    return taken || no_memory(error);
}

bool ws_stream_end(struct ws_stream *stream, const struct ws_stream_launch **launch, struct ws_error *error)
{
    *launch = NULL;
    return !stream->pieces[stream->now].open || finish_launch(stream, launch) || no_memory(error);
}
