#include "tests/model/run/warps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the threads of an execution of the gang are. */
struct location {
    uint32_t context[MODEL_THREADS];
    uint8_t lane[MODEL_THREADS];
};

struct maker {
    struct model_warps *warps;
    const struct model_run *run;
    const struct model_module *modules;
    const struct model_warps_options *options;
    struct model_random random;
    struct location *locations; /* per execution */
};

static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity * 2 + 256;
    array = realloc(array, *capacity * size);
    if (array == NULL)
        abort();
    return array;
}

uint32_t model_local_index(const struct model_program *program, uint32_t thread, uint32_t *group)
{
    const uint32_t x = thread % program->size[0];
    const uint32_t y = thread / program->size[0] % program->size[1];
    const uint32_t z = thread / program->size[0] / program->size[1];
    const uint32_t *size = program->group;
    const uint32_t columns = program->size[0] / size[0], rows = program->size[1] / size[1];
    *group = (z / size[2] * rows + y / size[1]) * columns + x / size[0];
    return (z % size[2] * size[1] + y % size[1]) * size[0] + x % size[0];
}

/* Numbers warps by their lowest thread. */
static void rank_warps(struct model_warps *warps, const uint32_t key[MODEL_THREADS], uint32_t count)
{
    warps->warp_count = 0;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t first = 0;
        while (key[first] != key[t])
            first++;
        warps->warp_of[t] = first == t ? warps->warp_count++ : warps->warp_of[first];
    }
}

static void assign(struct maker *maker)
{
    struct model_warps *warps = maker->warps;
    const struct model_program *program = warps->program;
    const uint32_t count = model_program_threads(program), lanes = warps->lanes;
    uint32_t key[MODEL_THREADS], mixed[MODEL_THREADS];
    for (uint32_t i = 0; i < MODEL_THREADS; i++)
        mixed[i] = i;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const uint32_t other = i + model_random_below(&maker->random, count - i);
        const uint32_t kept = mixed[i];
        mixed[i] = mixed[other];
        mixed[other] = kept;
    }
    for (uint32_t t = 0; t < count; t++) {
        uint32_t group = t / program->size[0];
        uint32_t index = t % program->size[0];
        const bool mixes = maker->options->assignment == MODEL_ASSIGN_MIXED;
        if (model_has_groups(program->shaders[0].stage)) {
            index = model_local_index(program, t, &group);
        } else if (maker->options->assignment != MODEL_ASSIGN_ROWS) {
            index = mixes ? mixed[t] : t;
            group = 0;
        }
        if (mixes && program->shaders[0].stage == WS_STAGE_FRAGMENT)
            index += index / 3;
        key[t] = group << 16 | index / lanes;
        warps->lane_of[t] = index % lanes;
    }
    rank_warps(warps, key, count);
}

static uint32_t new_context(struct maker *maker, uint32_t shader)
{
    struct model_warps *warps = maker->warps;
    warps->contexts =
        grow(warps->contexts, warps->context_count, &warps->context_capacity, sizeof(*warps->contexts));
    struct model_context *context = &warps->contexts[warps->context_count];
    memset(context, 0xff, sizeof(*context));
    context->shader = shader;
    context->regrouped = false;
    context->continues = false;
    context->entered = (struct ws_lanes){0, 0};
    return warps->context_count++;
}

static uint32_t new_record(struct model_warps *warps, enum model_place place, uint32_t block, uint32_t action)
{
    warps->records =
        grow(warps->records, warps->record_count, &warps->record_capacity, sizeof(*warps->records));
    warps->records[warps->record_count] = (struct model_record){place, block, action, MODEL_NONE};
    return warps->record_count++;
}

void model_warps_tally(struct model_warps *warps, uint32_t shader, struct model_histogram *histogram,
                       uint32_t context, uint32_t active)
{
    const struct model_histogram *first = &warps->counts[shader].entries;
    warps->tallies =
        grow(warps->tallies, warps->tally_count, &warps->tally_capacity, sizeof(*warps->tallies));
    warps->tallies[warps->tally_count++] =
        (struct model_tally){shader, (uint32_t)(histogram - first), context, active};
    histogram->counts[active - 1]++;
}

static void new_unit(struct model_warps *warps, uint32_t context, uint32_t site, struct ws_lanes lanes,
                     uint32_t record)
{
    warps->units = grow(warps->units, warps->unit_count, &warps->unit_capacity, sizeof(*warps->units));
    warps->units[warps->unit_count++] =
        (struct model_unit){context, site, lanes, lanes, record, record, warps->event, 0};
}

/* A thread goes into a lane of a context. */
static void put(struct maker *maker, uint32_t execution, uint32_t thread, uint32_t context, uint32_t lane)
{
    struct model_context *into = &maker->warps->contexts[context];
    into->entered = ws_lanes_or(into->entered, ws_lanes_one(lane));
    into->threads[lane] = thread;
    maker->locations[execution].context[thread] = context;
    maker->locations[execution].lane[thread] = (uint8_t)lane;
}

/* Called threads come into contexts of their callers' lanes, now and then into two instead of one. */
static void enter_regular(struct maker *maker, uint32_t number)
{
    const struct model_execution *execution = &maker->run->executions[number];
    const struct location *from =
        execution->caller != MODEL_NONE ? &maker->locations[execution->caller] : NULL;
    const bool halves = from != NULL && maker->options->regroups && model_random_chance(&maker->random, 1, 4);
    uint32_t made[2 * MODEL_THREADS], of[2 * MODEL_THREADS], count = 0;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (!model_set_has(&execution->set, t))
            continue;
        const uint32_t lane = from != NULL ? from->lane[t] : maker->warps->lane_of[t];
        const uint32_t key = 2 * (from != NULL ? from->context[t] : maker->warps->warp_of[t]) +
                             (halves ? model_random_below(&maker->random, 2) : 0);
        uint32_t i = 0;
        while (i < count && of[i] != key)
            i++;
        if (i == count) {
            of[count] = key;
            made[count++] = new_context(maker, execution->shader);
        }
        put(maker, number, t, made[i], lane);
    }
}

/* Called threads come into any lanes of new warps. */
static void enter_regrouped(struct maker *maker, uint32_t number)
{
    const struct model_execution *execution = &maker->run->executions[number];
    const uint32_t lanes = maker->warps->lanes;
    uint32_t context = MODEL_NONE;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (!model_set_has(&execution->set, t))
            continue;
        if (context == MODEL_NONE || model_random_chance(&maker->random, 1, lanes))
            context = new_context(maker, execution->shader);
        const struct model_context *into = &maker->warps->contexts[context];
        uint32_t lane = model_random_below(&maker->random, lanes);
        for (uint32_t i = 0; i < lanes && into->threads[lane] != MODEL_NONE; i++)
            lane = (lane + 1) % lanes;
        put(maker, number, t, context, lane);
        context = ws_lanes_count(maker->warps->contexts[context].entered) == lanes ? MODEL_NONE : context;
    }
}

/* Whose caller a context has, and whether its lanes are its caller's. */
static void find_caller(struct maker *maker, const struct model_execution *execution,
                        struct model_context *context)
{
    for (uint32_t lane = 0; lane < maker->warps->lanes && execution->caller != MODEL_NONE; lane++) {
        const uint32_t thread = context->threads[lane];
        if (thread == MODEL_NONE)
            continue;
        const struct location *from = &maker->locations[execution->caller];
        context->callers[lane] = from->context[thread];
        if (context->caller == MODEL_NONE)
            context->caller = from->context[thread];
        context->regrouped =
            context->regrouped || from->context[thread] != context->caller || from->lane[thread] != lane;
    }
}

static void enter(struct maker *maker, uint32_t number)
{
    struct model_warps *warps = maker->warps;
    const struct model_execution *execution = &maker->run->executions[number];
    const uint32_t first = warps->context_count;
    if (execution->caller != MODEL_NONE && maker->options->regroups &&
        model_random_chance(&maker->random, 1, 4))
        enter_regrouped(maker, number);
    else
        enter_regular(maker, number);
    for (uint32_t i = first; i < warps->context_count; i++) {
        find_caller(maker, execution, &warps->contexts[i]);
        const struct ws_lanes entered = warps->contexts[i].entered;
        new_unit(warps, i, maker->modules[execution->shader].entry, entered,
                 new_record(warps, MODEL_PLACE_ENTER, 0, 0));
        model_warps_tally(warps, execution->shader, &warps->counts[execution->shader].entries, i,
                          ws_lanes_count(entered));
    }
}

/* Threads that come back from a call together, as lanes of one warp. */
struct warp {
    uint32_t threads[MODEL_LANES];
    uint32_t count;
};

/* The warp goes on. If it is not of one context, in the lanes of that, it is a new one. */
static void go_on(struct maker *maker, const struct model_event *event, struct warp *warp)
{
    struct model_warps *warps = maker->warps;
    struct location *location = &maker->locations[event->execution];
    const uint32_t shader = maker->run->executions[event->execution].shader;
    uint32_t first = MODEL_NONE;
    bool moved = false;
    for (uint32_t lane = 0; lane < warps->lanes; lane++) {
        const uint32_t thread = warp->threads[lane];
        if (thread == MODEL_NONE)
            continue;
        first = first == MODEL_NONE ? location->context[thread] : first;
        moved = moved || location->context[thread] != first || location->lane[thread] != lane;
    }
    const uint32_t number = moved ? new_context(maker, shader) : MODEL_NONE;
    for (uint32_t lane = 0; lane < warps->lanes && moved; lane++) {
        const uint32_t thread = warp->threads[lane];
        struct model_context *context = &warps->contexts[number];
        if (thread == MODEL_NONE)
            continue;
        context->from[lane] = location->context[thread];
        context->callers[lane] = warps->contexts[context->from[lane]].callers[location->lane[thread]];
        context->caller = ws_lanes_any(context->entered) ? context->caller : context->callers[lane];
        put(maker, event->execution, thread, number, lane);
    }
    if (moved) {
        warps->contexts[number].continues = true;
        warps->contexts[number].regrouped = true;
        new_unit(warps, number, maker->modules[shader].places[event->block].resume[event->action],
                 warps->contexts[number].entered,
                 new_record(warps, MODEL_PLACE_CONTINUE, event->block, event->action));
    }
    memset(warp, 0xff, sizeof(*warp));
    warp->count = 0;
}

/* Some of the warps that come back from a call are mixed, or their lanes are. */
static void come_back(struct maker *maker, const struct model_event *event)
{
    const uint32_t lanes = maker->warps->lanes;
    const struct location *location = &maker->locations[event->execution];
    const bool mixes = model_random_chance(&maker->random, 2, 3); /* else each warp by itself */
    const bool keeps = model_random_chance(&maker->random, 1, 2); /* the lane, where it is free */
    const uint32_t salt = model_random_next(&maker->random);
    struct model_set left = event->set;
    struct warp warp;
    memset(&warp, 0xff, sizeof(warp));
    warp.count = 0;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (!model_set_has(&left, t) || model_hash(location->context[t], salt) % 3 == 0)
            continue;
        const uint32_t context = location->context[t];
        for (uint32_t u = t; u < MODEL_THREADS; u++) {
            if (!model_set_has(&left, u) || location->context[u] != context)
                continue;
            uint32_t lane = keeps ? location->lane[u] : model_random_below(&maker->random, lanes);
            while (warp.threads[lane] != MODEL_NONE)
                lane = (lane + 1) % lanes;
            warp.threads[lane] = u;
            model_set_remove(&left, u);
            if (++warp.count == lanes || model_random_chance(&maker->random, 1, 2 * lanes))
                go_on(maker, event, &warp);
        }
        if (!mixes)
            go_on(maker, event, &warp);
    }
    go_on(maker, event, &warp);
}

/* The unit that the context's last record with a number is in: of a place, or the data that places behind share. */
static struct model_unit *find_leader(struct model_warps *warps, uint32_t context, uint32_t site,
                                      struct ws_lanes lanes)
{
    for (uint32_t i = warps->unit_count; i-- > 0;) {
        struct model_unit *unit = &warps->units[i];
        const bool shares = unit->site == site || warps->records[unit->first].place != MODEL_PLACE_DATA;
        const bool meets =
            unit->context == context && shares && ws_lanes_any(ws_lanes_and(unit->lanes, lanes));
        if (meets)
            return unit->site == site && ws_lanes_equal(unit->lanes, lanes) ? unit : NULL;
    }
    return NULL;
}

/* Lanes of one context come by a place that has a site. */
static bool come_by(struct maker *maker, uint32_t context, uint32_t site, struct ws_lanes lanes,
                    const struct model_event *event, enum model_place place)
{
    struct model_warps *warps = maker->warps;
    const uint32_t shader = warps->contexts[context].shader;
    const uint32_t number = maker->modules[shader].instrumented->sites[site].row;
    const uint32_t record = new_record(warps, place, event->block, event->action);
    if (number == site || place == MODEL_PLACE_DATA) {
        const bool clock = model_is_clock(&maker->modules[shader], site);
        new_unit(warps, context, site, clock ? ws_lanes_one(ws_lanes_lowest(lanes)) : lanes, record);
        warps->units[warps->unit_count - 1].by = lanes;
        return true;
    }
    struct model_unit *leader = find_leader(warps, context, number, lanes);
    if (leader == NULL) {
        printf("shader %u block %u: site %u is said to have the lanes of site %u, and has not\n", shader,
               event->block, site, number);
        return false;
    }
    warps->records[leader->last].next = record;
    leader->last = record;
    return true;
}

/* Cuts what threads did into what lanes of contexts did. `histogram`: where that is counted; may be NULL. */
static bool cut(struct maker *maker, const struct model_event *event, uint32_t site, enum model_place place,
                struct model_histogram *histogram)
{
    const struct location *location = &maker->locations[event->execution];
    struct model_set left = event->set;
    for (uint32_t t = 0; t < MODEL_THREADS && (site != MODEL_NONE || histogram != NULL); t++) {
        if (!model_set_has(&left, t))
            continue;
        const uint32_t context = location->context[t];
        struct ws_lanes lanes = {0, 0};
        for (uint32_t lane = 0; lane < maker->warps->lanes; lane++) {
            const uint32_t thread = maker->warps->contexts[context].threads[lane];
            if (thread != MODEL_NONE && model_set_has(&left, thread) &&
                location->context[thread] == context) {
                lanes = ws_lanes_or(lanes, ws_lanes_one(lane));
                model_set_remove(&left, thread);
            }
        }
        if (histogram != NULL)
            model_warps_tally(maker->warps, maker->warps->contexts[context].shader, histogram, context,
                              ws_lanes_count(lanes));
        if (site != MODEL_NONE && !come_by(maker, context, site, lanes, event, place))
            return false;
    }
    return true;
}

static bool take(struct maker *maker, const struct model_event *event)
{
    const struct model_execution *execution = &maker->run->executions[event->execution];
    const struct model_places *places = &maker->modules[execution->shader].places[event->block];
    const struct model_block *block = &maker->warps->program->shaders[execution->shader].blocks[event->block];
    struct model_counts *counts = &maker->warps->counts[execution->shader];
    const bool acts = event->kind == MODEL_EVENT_BEFORE || event->kind == MODEL_EVENT_AFTER;
    const enum model_action_kind kind = acts ? block->actions[event->action].kind : MODEL_CALL;
    const bool reports = kind == MODEL_REPORT;
    switch (event->kind) {
    case MODEL_EVENT_ENTER:
        enter(maker, event->execution);
        return cut(maker, event, maker->modules[execution->shader].hit, MODEL_PLACE_DATA, NULL) &&
               cut(maker, event, maker->modules[execution->shader].clock, MODEL_PLACE_DATA, NULL);
    case MODEL_EVENT_BLOCK:
        return cut(maker, event, places->parts[event->action].site, MODEL_PLACE_BLOCK,
                   &counts->blocks[event->block][event->action]) &&
               (event->action > 0 || cut(maker, event, places->sync, MODEL_PLACE_SYNC, NULL));
    case MODEL_EVENT_BEFORE:
        return cut(maker, event, places->before[event->action], MODEL_PLACE_BEFORE,
                   reports ? &counts->reports[event->block][event->action] : NULL) &&
               cut(maker, event, places->data[event->action], MODEL_PLACE_DATA, NULL);
    case MODEL_EVENT_AFTER:
        if (maker->options->moves && kind < MODEL_LOOP_ZERO && kind != MODEL_CALL &&
            model_random_chance(&maker->random, 1, 3))
            come_back(maker, event);
        return cut(maker, event, places->told[event->action], MODEL_PLACE_DATA, NULL) &&
               cut(maker, event, places->after[event->action], MODEL_PLACE_AFTER,
                   reports ? &counts->reported[event->block][event->action] : NULL);
    case MODEL_EVENT_RETURNED: return cut(maker, event, MODEL_NONE, MODEL_PLACE_END, &counts->returned);
    default:
        if (!cut(maker, event,
                 event->action == 0 ? places->end_clock : places->demoted_clock[event->action - 1],
                 MODEL_PLACE_DATA, NULL))
            return false;
        return event->action == 0
                   ? cut(maker, event, places->end, MODEL_PLACE_END, &counts->ends[event->block])
                   : cut(maker, event, places->demoted[event->action - 1], MODEL_PLACE_END,
                         &counts->demotes[event->block][event->action - 1]);
    }
}

/* Puts the units into a random order that keeps the order of each thread. */
static void shuffle(struct maker *maker)
{
    struct model_warps *warps = maker->warps;
    const uint32_t count = warps->unit_count;
    struct model_unit *ordered = malloc((count + 1) * sizeof(*ordered));
    uint32_t(*after)[MODEL_LANES] = malloc((count + 1) * sizeof(*after)); /* per lane: the unit that waits */
    uint32_t *waits = calloc(count + 1, sizeof(*waits));
    uint32_t *ready = malloc((count + 1) * sizeof(*ready));
    uint32_t last[MODEL_THREADS], ready_count = 0, done = 0;
    if (ordered == NULL || after == NULL || waits == NULL || ready == NULL)
        abort();
    memset(after, 0xff, count * sizeof(*after));
    memset(last, 0xff, sizeof(last));
    for (uint32_t i = 0; i < count; i++) {
        const struct model_context *context = &warps->contexts[warps->units[i].context];
        for (uint32_t lane = 0; lane < warps->lanes; lane++) {
            if (ws_lanes_has(warps->units[i].by, lane)) {
                const uint32_t before = last[context->threads[lane]];
                const struct model_context *other =
                    before != MODEL_NONE ? &warps->contexts[warps->units[before].context] : NULL;
                uint32_t there = 0;
                while (other != NULL && other->threads[there] != context->threads[lane])
                    there++;
                if (other != NULL) {
                    after[before][there] = i;
                    waits[i]++;
                }
                last[context->threads[lane]] = i;
            }
        }
        if (waits[i] == 0)
            ready[ready_count++] = i;
    }
    while (ready_count > 0) {
        const uint32_t chosen = model_random_below(&maker->random, ready_count);
        const uint32_t unit = ready[chosen];
        ready[chosen] = ready[--ready_count];
        ordered[done++] = warps->units[unit];
        for (uint32_t lane = 0; lane < warps->lanes; lane++) {
            const uint32_t waiting = after[unit][lane];
            if (waiting != MODEL_NONE && --waits[waiting] == 0)
                ready[ready_count++] = waiting;
        }
    }
    memcpy(warps->units, ordered, count * sizeof(*ordered));
    free(ordered);
    free(after);
    free(waits);
    free(ready);
}

bool model_warps_make(struct model_warps *warps, const struct model_program *program,
                      const struct model_run *run, const struct model_module *modules,
                      const struct model_warps_options *options)
{
    struct maker maker = {.warps = warps,
                          .run = run,
                          .modules = modules,
                          .options = options,
                          .random = {options->seed},
                          .locations = malloc((run->execution_count + 1) * sizeof(*maker.locations))};
    bool agrees = maker.locations != NULL;
    warps->program = program;
    warps->run = run;
    warps->lanes = options->lanes;
    warps->context_count = 0;
    warps->record_count = 0;
    warps->unit_count = 0;
    warps->tally_count = 0;
    warps->appended = 0;
    warps->shuffled = options->shuffles;
    memset(warps->counts, 0, sizeof(warps->counts));
    assign(&maker);
    for (uint32_t i = 0; i < run->event_count && agrees; i++) {
        warps->event = i;
        agrees = take(&maker, &run->events[i]);
    }
    if (options->shuffles && agrees)
        shuffle(&maker);
    free(maker.locations);
    return agrees;
}

void model_warps_stamp(struct model_warps *warps, const struct model_module *modules, uint64_t seed)
{
    struct model_random random = {seed};
    uint64_t time = (uint64_t)model_random_next(&random) << 8;
    for (uint32_t i = 0; i < warps->unit_count; i++) {
        struct model_unit *unit = &warps->units[i];
        time += 1 + model_random_below(&random, 50);
        if (unit->site != MODEL_NONE &&
            model_is_clock(&modules[warps->contexts[unit->context].shader], unit->site))
            unit->time = time;
    }
}

void model_warps_finish(struct model_warps *warps)
{
    free(warps->contexts);
    free(warps->records);
    free(warps->units);
    free(warps->tallies);
}
