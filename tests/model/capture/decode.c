#include "tests/model/capture/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/capture/paths.h"
#include "warpscope/records.h"

struct reader {
    struct model_warps *warps;
    const struct model_program *program;
    const struct model_run *run;
    const struct model_module *modules;
    const struct model_stream *stream;
    uint32_t at;
    uint32_t *numbers;               /* per context: its number */
    struct ws_path_waiting *waiting; /* per context */
    struct ws_path_table paths[MODEL_SHADERS];
    uint32_t *returned;                     /* per context: how many lanes returned from main */
    uint32_t next_event[MODEL_THREADS];     /* per thread: where to look for its next entry in the run */
    uint32_t (*contexts_of)[MODEL_THREADS]; /* per execution of the run, per thread: its context */
};

static bool wrong(const struct reader *reader, const char *what)
{
    printf("word %u of the stream: %s\n", reader->at, what);
    return false;
}

static bool take(struct reader *reader, uint32_t *word)
{
    if (reader->at >= reader->stream->word_count)
        return wrong(reader, "the stream ends in a record");
    *word = reader->stream->words[reader->at++];
    return true;
}

static bool take_mask(struct reader *reader, struct ws_lanes *lanes)
{
    uint32_t words[4] = {0};
    for (uint32_t i = 0; i < WS_MASK_WORDS(reader->stream->bins); i++)
        if (!take(reader, &words[i]))
            return false;
    lanes->low = (uint64_t)words[1] << 32 | words[0];
    lanes->high = (uint64_t)words[3] << 32 | words[2];
    return true;
}

/* The thread of a workgroup by its number there. */
static uint32_t thread_of(const struct model_program *program, const uint32_t group[3], uint32_t local)
{
    const uint32_t x = group[0] * program->group[0] + local % program->group[0];
    const uint32_t y = group[1] * program->group[1] + local / program->group[0] % program->group[1];
    const uint32_t z = group[2] * program->group[2] + local / program->group[0] / program->group[1];
    return (z * program->size[1] + y) * program->size[0] + x;
}

static uint32_t new_unit(struct model_warps *warps, uint32_t context, uint32_t site, struct ws_lanes lanes)
{
    if (warps->unit_count == warps->unit_capacity) {
        warps->unit_capacity = warps->unit_capacity * 2 + 1024;
        warps->units = realloc(warps->units, warps->unit_capacity * sizeof(*warps->units));
    }
    if (warps->units == NULL)
        abort();
    warps->units[warps->unit_count] =
        (struct model_unit){context, site, lanes, lanes, MODEL_NONE, MODEL_NONE, MODEL_NONE, 0};
    return warps->unit_count++;
}

static void add_record(struct model_warps *warps, uint32_t unit, enum model_place place, uint32_t block,
                       uint32_t action)
{
    if (warps->record_count == warps->record_capacity) {
        warps->record_capacity = warps->record_capacity * 2 + 1024;
        warps->records = realloc(warps->records, warps->record_capacity * sizeof(*warps->records));
    }
    if (warps->records == NULL)
        abort();
    const uint32_t record = warps->record_count++;
    warps->records[record] = (struct model_record){place, block, action, MODEL_NONE};
    if (warps->units[unit].first == MODEL_NONE)
        warps->units[unit].first = record;
    else
        warps->records[warps->units[unit].last].next = record;
    warps->units[unit].last = record;
}

/* The execution of the run that a thread enters next. */
static uint32_t next_entry(struct reader *reader, uint32_t thread)
{
    for (uint32_t *at = &reader->next_event[thread]; *at < reader->run->event_count;) {
        const struct model_event *event = &reader->run->events[(*at)++];
        if (event->kind == MODEL_EVENT_ENTER && model_set_has(&event->set, thread))
            return event->execution;
    }
    return MODEL_NONE;
}

/* A thread enters a context: from where, the run knows. */
static bool put(struct reader *reader, uint32_t number, uint32_t lane, uint32_t thread)
{
    struct model_context *context = &reader->warps->contexts[number];
    if (thread >= model_program_threads(reader->program))
        return wrong(reader, "there is no such thread");
    const uint32_t execution = next_entry(reader, thread);
    if (execution == MODEL_NONE || reader->run->executions[execution].shader != context->shader) {
        printf("thread %u enters shader %u\n", thread, context->shader);
        return wrong(reader, "a thread enters another shader");
    }
    const uint32_t caller = reader->run->executions[execution].caller;
    reader->contexts_of[execution][thread] = number;
    context->threads[lane] = thread;
    if (caller == MODEL_NONE)
        return true;
    context->callers[lane] = reader->contexts_of[caller][thread];
    if (context->caller == MODEL_NONE)
        context->caller = context->callers[lane];
    context->regrouped = context->regrouped || context->callers[lane] != context->caller ||
                         reader->warps->contexts[context->callers[lane]].threads[lane] != thread;
    return true;
}

static uint32_t new_context(struct reader *reader, uint32_t shader, uint32_t position)
{
    struct model_warps *warps = reader->warps;
    if (warps->context_count == warps->context_capacity) {
        warps->context_capacity = warps->context_capacity * 2 + 256;
        warps->contexts = realloc(warps->contexts, warps->context_capacity * sizeof(*warps->contexts));
    }
    reader->numbers = realloc(reader->numbers, (warps->context_count + 1) * sizeof(*reader->numbers));
    reader->waiting = realloc(reader->waiting, (warps->context_count + 1) * sizeof(*reader->waiting));
    reader->returned = realloc(reader->returned, (warps->context_count + 1) * sizeof(*reader->returned));
    if (warps->contexts == NULL || reader->numbers == NULL || reader->returned == NULL ||
        reader->waiting == NULL)
        abort();
    reader->waiting[warps->context_count] = (struct ws_path_waiting){0};
    reader->numbers[warps->context_count] = position;
    reader->returned[warps->context_count] = 0;
    memset(&warps->contexts[warps->context_count], 0xff, sizeof(*warps->contexts));
    warps->contexts[warps->context_count].shader = shader;
    warps->contexts[warps->context_count].regrouped = false;
    warps->contexts[warps->context_count].continues = false;
    return warps->context_count++;
}

static bool read_entry(struct reader *reader)
{
    const uint32_t position = reader->stream->position + reader->at - 1;
    uint32_t place, shape, group[3] = {0}, word;
    struct ws_lanes lanes;
    if (!take(reader, &place) || !take(reader, &shape) || !take_mask(reader, &lanes))
        return false;
    const uint32_t shader = reader->stream->slots[place >> 16];
    if (shader == MODEL_NONE || (place & 0xffff) != reader->modules[shader].entry)
        return wrong(reader, "an entry record of no shader");
    const bool groups = model_has_groups(reader->program->shaders[0].stage);
    const bool pixels = reader->program->shaders[0].stage == WS_STAGE_FRAGMENT;
    if ((shape & 0xff) != reader->warps->lanes ||
        shape >> 8 != ((groups ? 3u : 0u) | (pixels ? 2u : 1u) << 8))
        return wrong(reader, "an entry record of another shape");
    for (uint32_t i = 0; i < 3 && groups; i++)
        if (!take(reader, &group[i]))
            return false;
    const uint32_t number = new_context(reader, shader, position);
    reader->warps->contexts[number].entered = lanes;
    for (uint32_t lane = 0; lane < reader->warps->lanes; lane++) {
        uint32_t sample = 0;
        if (!ws_lanes_has(lanes, lane))
            continue;
        if (!take(reader, &word) || (pixels && !take(reader, &sample)))
            return false;
        const uint32_t thread = pixels   ? (word >> 16) * reader->program->size[0] + (word & 0xffff)
                                : groups ? thread_of(reader->program, group, word)
                                         : word;
        if (!put(reader, number, lane, thread))
            return false;
    }
    add_record(reader->warps, new_unit(reader->warps, number, place & 0xffff, lanes), MODEL_PLACE_ENTER, 0,
               0);
    model_warps_tally(reader->warps, shader, &reader->warps->counts[shader].entries, number,
                      ws_lanes_count(lanes));
    return true;
}

/* A site among those of a block: what place it stands for. */
static bool find_place(const struct model_places *places, uint32_t site, enum model_place *place,
                       uint32_t *action)
{
    *place = MODEL_PLACE_BLOCK;
    for (*action = 0; *action < MODEL_PARTS; ++*action)
        if (places->parts[*action].site == site)
            return true;
    *action = 0;
    *place = MODEL_PLACE_SYNC;
    if (places->sync == site)
        return true;
    *place = MODEL_PLACE_END;
    if (places->end == site)
        return true;
    for (*action = 0; *action < MODEL_ACTIONS; ++*action) {
        *place = MODEL_PLACE_BEFORE;
        if (places->before[*action] == site)
            return true;
        *place = MODEL_PLACE_AFTER;
        if (places->after[*action] == site)
            return true;
    }
    *place = MODEL_PLACE_END;
    for (*action = 1; *action <= MODEL_ACTIONS; ++*action)
        if (places->demoted[*action - 1] == site)
            return true;
    return false;
}

static bool is_report(const struct reader *reader, uint32_t shader, uint32_t block, uint32_t action)
{
    const struct model_block *self = &reader->program->shaders[shader].blocks[block];
    return action < self->action_count && self->actions[action].kind == MODEL_REPORT;
}

/* Lanes of a unit come to the end of a block that ends their shader, or with `action` n to a demote at action n - 1. */
static void end_block(struct reader *reader, uint32_t unit, uint32_t shader, uint32_t block, uint32_t action)
{
    const struct model_unit *self = &reader->warps->units[unit];
    if (action > 0) {
        model_warps_tally(reader->warps, shader, &reader->warps->counts[shader].demotes[block][action - 1],
                          self->context, ws_lanes_count(self->lanes));
        return;
    }
    model_warps_tally(reader->warps, shader, &reader->warps->counts[shader].ends[block], self->context,
                      ws_lanes_count(self->lanes));
    if (reader->program->shaders[shader].blocks[block].end == MODEL_RETURN)
        reader->returned[self->context] += ws_lanes_count(self->lanes);
}

/* The lanes of a context that returned from main are one part behind it: the device does not split warps. */
static void count_returns(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->warps->context_count; i++) {
        const uint32_t shader = reader->warps->contexts[i].shader;
        if (reader->returned[i] > 0)
            model_warps_tally(reader->warps, shader, &reader->warps->counts[shader].returned, i,
                              reader->returned[i]);
    }
}

/* Adds what a record of a number stands for, in the order of the sites. */
static bool expand(struct reader *reader, uint32_t unit, uint32_t shader, uint32_t number)
{
    const struct ws_instrumented *instrumented = reader->modules[shader].instrumented;
    struct model_counts *counts = &reader->warps->counts[shader];
    const uint32_t active = ws_lanes_count(reader->warps->units[unit].lanes);
    bool any = false;
    for (uint32_t site = number; site < instrumented->site_count; site++) {
        const struct ws_site_info *self = &instrumented->sites[site];
        enum model_place place;
        uint32_t action;
        if ((self->kind < WS_SITE_PLACE_BLOCK || self->kind >= WS_SITE_PATH) || self->row != number)
            continue;
        const uint32_t block = instrumented->blocks[self->block].label - MODEL_BLOCK_LABEL;
        if (!find_place(&reader->modules[shader].places[block], site, &place, &action))
            continue; /* another pass's site of the same place */
        add_record(reader->warps, unit, place, block, action);
        any = true;
        struct model_histogram *histogram = NULL;
        if (place == MODEL_PLACE_BLOCK)
            histogram = &counts->blocks[block][action];
        else if (place == MODEL_PLACE_END)
            end_block(reader, unit, shader, block, action);
        else if (is_report(reader, shader, block, action) && place == MODEL_PLACE_BEFORE)
            histogram = &counts->reports[block][action];
        else if (is_report(reader, shader, block, action) && place == MODEL_PLACE_AFTER)
            histogram = &counts->reported[block][action];
        if (histogram != NULL)
            model_warps_tally(reader->warps, shader, histogram, reader->warps->units[unit].context, active);
    }
    return any || wrong(reader, "a record of no site");
}

/* A context whose record is taken apart. */
struct telling {
    struct reader *reader;
    uint32_t context;
};

static bool tell_place(void *user, uint32_t number, struct ws_lanes lanes)
{
    const struct telling *telling = user;
    struct model_warps *warps = telling->reader->warps;
    return expand(telling->reader, new_unit(warps, telling->context, number, lanes),
                  warps->contexts[telling->context].shader, number);
}

/* The words of a record of a path, or of turns of one. */
static bool read_words(struct reader *reader, uint32_t context, const struct ws_site_info *site,
                       uint32_t number, struct ws_lanes lanes)
{
    uint32_t words[128 * WS_DATA_WORDS_MAX];
    const struct ws_path_table *table = &reader->paths[reader->warps->contexts[context].shader];
    const uint32_t per_lane = site->kind == WS_SITE_PATH ? site->row : ws_turns_words(site->tag);
    const uint32_t count = per_lane * ws_lanes_count(lanes);
    struct telling telling = {reader, context};
    for (uint32_t i = 0; i < count; i++)
        if (!take(reader, &words[i]))
            return false;
    if (site->kind == WS_SITE_PATH_TURNS)
        return ws_path_wait(&reader->waiting[context], number, lanes, words, per_lane);
    return ws_path_expand(table, ws_path_find(table, number), &reader->waiting[context], lanes, words,
                          tell_place, &telling) == WS_PATH_TOLD ||
           wrong(reader, "a record of a path cannot be taken apart");
}

static bool read_place(struct reader *reader, uint32_t position)
{
    struct model_warps *warps = reader->warps;
    uint32_t word, context = 0;
    while (context < warps->context_count && reader->numbers[context] != position)
        context++;
    if (context == warps->context_count)
        return wrong(reader, "a record of no context");
    if (!take(reader, &word))
        return false;
    struct ws_lanes lanes = {word & 0xffff, 0};
    if (!WS_MASK_PACKED(reader->stream->bins)) {
        lanes = warps->contexts[context].entered;
        if ((word & WS_RECORD_FULL) == 0 && !take_mask(reader, &lanes))
            return false;
    }
    if (!ws_lanes_any(lanes) || ws_lanes_any(ws_lanes_without(lanes, warps->contexts[context].entered)))
        return wrong(reader, "lanes that never entered");
    const struct ws_instrumented *instrumented =
        reader->modules[warps->contexts[context].shader].instrumented;
    const struct ws_site_info *site = &instrumented->sites[word >> 16];
    if (word >> 16 < instrumented->site_count &&
        (site->kind == WS_SITE_PATH || site->kind == WS_SITE_PATH_TURNS))
        return read_words(reader, context, site, word >> 16, lanes);
    return expand(reader, new_unit(warps, context, word >> 16, lanes), warps->contexts[context].shader,
                  word >> 16);
}

/* Warps are launched contexts, by their lowest thread. */
static void find_warps(struct model_warps *warps, const struct model_program *program)
{
    uint32_t context_of[MODEL_THREADS] = {0};
    for (uint32_t i = 0; i < warps->context_count; i++) {
        for (uint32_t lane = 0; lane < warps->lanes && warps->contexts[i].shader == 0; lane++) {
            if (warps->contexts[i].threads[lane] != MODEL_NONE) {
                context_of[warps->contexts[i].threads[lane]] = i;
                warps->lane_of[warps->contexts[i].threads[lane]] = lane;
            }
        }
    }
    for (uint32_t t = 0; t < model_program_threads(program); t++) {
        uint32_t first = 0;
        while (context_of[first] != context_of[t])
            first++;
        warps->warp_of[t] = first == t ? warps->warp_count++ : warps->warp_of[first];
    }
}

bool model_warps_decode(struct model_warps *warps, const struct model_program *program,
                        const struct model_run *run, const struct model_module *modules,
                        const struct model_stream *stream)
{
    struct reader reader = {
        .warps = warps, .program = program, .run = run, .modules = modules, .stream = stream};
    bool agrees = true;
    warps->program = program;
    warps->context_count = 0;
    warps->record_count = 0;
    warps->unit_count = 0;
    warps->tally_count = 0;
    warps->appended = 0;
    warps->warp_count = 0;
    memset(warps->counts, 0, sizeof(warps->counts));
    reader.contexts_of = malloc((run->execution_count + 1) * sizeof(*reader.contexts_of));
    if (reader.contexts_of == NULL)
        abort();
    for (uint32_t i = 0; i < program->shader_count; i++)
        if (!ws_path_table_make(&reader.paths[i], modules[i].instrumented->sites, sizeof(struct ws_site_info),
                                modules[i].instrumented->site_count))
            abort();
    while (agrees && reader.at < stream->word_count) {
        const uint32_t context = stream->words[reader.at++];
        warps->appended++;
        agrees = context == WS_CONTEXT_NONE ? read_entry(&reader) : read_place(&reader, context);
    }
    if (agrees)
        find_warps(warps, program);
    count_returns(&reader);
    for (uint32_t i = 0; i < warps->context_count; i++) {
        if (reader.waiting[i].first != NULL)
            agrees = wrong(&reader, "turns of a loop whose path did not come");
        ws_path_waiting_finish(&reader.waiting[i]);
    }
    for (uint32_t i = 0; i < program->shader_count; i++)
        ws_path_table_finish(&reader.paths[i]);
    free(reader.waiting);
    free(reader.contexts_of);
    free(reader.numbers);
    free(reader.returned);
    return agrees;
}
