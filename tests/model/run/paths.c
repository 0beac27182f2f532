#include "tests/model/run/paths.h"

#include <stdlib.h>
#include <string.h>

#define WAITING 512 /* units of a context that wait, at most */
#define STEPS   256 /* of a path, at most: longer ones are not made */
#define TURNS   512 /* of a loop */
#define LOOPS   4   /* of a path */

/* Units of a context that no record has yet. */
struct waiting {
    uint32_t units[WAITING];
    uint32_t count;
};

/* What a number of a site is in the paths of its module. */
#define IS_STEP 1
#define IS_END  2 /* to which all lanes of the path come */

struct encoder {
    struct model_paths *paths;
    const struct model_warps *warps;
    const struct model_module *modules;
    struct model_random random;
    uint8_t *flags[MODEL_SHADERS]; /* per site */
    uint32_t *told;                /* the units, as they will be told */
    uint32_t told_count;
    struct waiting **waiting;         /* per context; NULL: nothing has waited */
    uint32_t waits_in[MODEL_THREADS]; /* per thread: the context that it was in last; MODEL_NONE */
};

/* A path of a module: the sites behind that of the path. */
struct path {
    uint32_t site;
    uint32_t words;        /* per lane */
    uint32_t loops[LOOPS]; /* tags */
    uint32_t loop_count;
    const struct ws_site_info *steps;
    uint32_t step_count;
};

/* Units as a path. */
struct match {
    const struct path *path;
    struct ws_lanes lanes;
    int32_t at[MODEL_LANES]; /* per lane: the step that it has come to */
    uint32_t loop;           /* that lanes are in; MODEL_NONE */
    uint32_t turn;
    uint32_t turns[LOOPS];
    uint32_t bits[MODEL_LANES]; /* of what is in no loop */
    uint32_t turn_bits[LOOPS][TURNS][MODEL_LANES];
    bool took[LOOPS][TURNS][MODEL_LANES]; /* the turn has a step of the lane */
    struct ws_lanes met[STEPS];           /* in no loop: by whom */
    struct ws_lanes turn_met[STEPS][TURNS];
    uint64_t order[WAITING + 1]; /* per unit: that in which a path tells them */
};

/* ---- what is appended ---- */

static void append(struct model_paths *paths, struct model_appended appended)
{
    if (paths->count == paths->capacity) {
        paths->capacity = paths->capacity * 2 + 1024;
        paths->list = realloc(paths->list, paths->capacity * sizeof(*paths->list));
        if (paths->list == NULL)
            abort();
    }
    paths->list[paths->count++] = appended;
}

static void append_unit(struct encoder *encoder, uint32_t unit)
{
    append(encoder->paths, (struct model_appended){.unit = unit});
    encoder->told[encoder->told_count++] = unit;
}

static void add_word(struct model_paths *paths, uint32_t word)
{
    if (paths->word_count == paths->word_capacity) {
        paths->word_capacity = paths->word_capacity * 2 + 1024;
        paths->words = realloc(paths->words, paths->word_capacity * sizeof(*paths->words));
        if (paths->words == NULL)
            abort();
    }
    paths->words[paths->word_count++] = word;
}

/* ---- paths of a module ---- */

/* The path that begins behind the site `*at`, from which on it looks. False: there is none. */
static bool next_path(const struct ws_instrumented *instrumented, uint32_t *at, struct path *path)
{
    const struct ws_site_info *sites = instrumented->sites;
    while (*at < instrumented->site_count && sites[*at].kind != WS_SITE_PATH)
        ++*at;
    if (*at == instrumented->site_count)
        return false;
    *path = (struct path){.site = *at, .words = sites[*at].row};
    for (++*at; *at < instrumented->site_count && sites[*at].kind == WS_SITE_PATH_TURNS; ++*at) {
        if ((sites[*at].tag & WS_TURNS_ONCE) != 0)
            continue;
        if (path->loop_count < LOOPS)
            path->loops[path->loop_count] = sites[*at].tag;
        path->loop_count++;
    }
    path->steps = &sites[*at];
    for (; *at < instrumented->site_count && sites[*at].kind == WS_SITE_PATH_STEP; ++*at)
        path->step_count++;
    return true;
}

/* The loop of a step; MODEL_NONE. */
static uint32_t loop_of(const struct path *path, uint32_t step)
{
    for (uint32_t i = 0; i < path->loop_count; i++)
        if (path->steps[step].tag != WS_STEP_ALL &&
            WS_STEP_WORD(path->steps[step].tag) == WS_TURNS_WORD(path->loops[i]))
            return i;
    return MODEL_NONE;
}

/* ---- units as a path ---- */

static void clear_turns(struct match *match, uint32_t loop, uint32_t turn)
{
    memset(match->turn_bits[loop][turn], 0, sizeof(match->turn_bits[loop][turn]));
    memset(match->took[loop][turn], 0, sizeof(match->took[loop][turn]));
    for (uint32_t s = 0; s < match->path->step_count; s++)
        if (loop_of(match->path, s) == loop)
            match->turn_met[s][turn] = (struct ws_lanes){0, 0};
}

static void begin_turn(struct match *match, uint32_t loop)
{
    match->turn = loop == match->loop ? match->turn + 1 : 0;
    match->loop = loop;
    match->turns[loop] = match->turn + 1;
    clear_turns(match, loop, match->turn);
}

static int32_t furthest(const struct match *match, struct ws_lanes lanes)
{
    int32_t most = -1;
    for (uint32_t lane = 0; lane < MODEL_LANES; lane++)
        if (ws_lanes_has(lanes, lane) && match->at[lane] > most)
            most = match->at[lane];
    return most;
}

/* The first step behind `from` that has the number; of a loop, if `loop` is one. MODEL_NONE. */
static uint32_t find_step(const struct path *path, int32_t from, uint32_t number, uint32_t loop)
{
    for (uint32_t s = (uint32_t)(from + 1); s < path->step_count; s++)
        if (path->steps[s].row == number && (loop == MODEL_NONE || loop_of(path, s) == loop))
            return s;
    return MODEL_NONE;
}

/* Lanes come by a step. False where others of them did so before, in this turn. */
static bool come_by(struct match *match, uint32_t step, struct ws_lanes lanes, uint64_t *order)
{
    const uint32_t tag = match->path->steps[step].tag;
    const uint32_t loop = loop_of(match->path, step);
    struct ws_lanes *met = loop != MODEL_NONE ? &match->turn_met[step][match->turn] : &match->met[step];
    if (ws_lanes_any(*met))
        return false;
    *met = lanes;
    /* Of a loop turn by turn. */
    uint32_t first = step;
    while (loop != MODEL_NONE && first > 0 && loop_of(match->path, first - 1) == loop)
        first--;
    *order = (uint64_t)first << 40 | (loop != MODEL_NONE ? (uint64_t)match->turn << 20 : 0) | step;
    for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
        if (!ws_lanes_has(lanes, lane))
            continue;
        match->at[lane] = (int32_t)step;
        if (loop != MODEL_NONE)
            match->took[loop][match->turn][lane] = true;
        if (tag != WS_STEP_ALL && WS_STEP_BASE(tag) == WS_NONE && WS_STEP_BIT(tag) < 32)
            *(loop != MODEL_NONE ? &match->turn_bits[loop][match->turn][lane] : &match->bits[lane]) |=
                1u << WS_STEP_BIT(tag);
    }
    return true;
}

/* Takes a unit in. A lane that comes to a step of a loop again, or to one before, begins a turn. */
static bool take_in(struct match *match, const struct model_unit *unit, uint64_t *order)
{
    const int32_t from = furthest(match, unit->lanes);
    uint32_t step = MODEL_NONE;
    if (match->loop != MODEL_NONE) {
        step = find_step(match->path, from, unit->site, match->loop);
        if (step == MODEL_NONE && find_step(match->path, -1, unit->site, match->loop) != MODEL_NONE) {
            if (match->turn + 1 == TURNS)
                return false;
            begin_turn(match, match->loop);
            step = find_step(match->path, -1, unit->site, match->loop);
            for (uint32_t lane = 0; lane < MODEL_LANES; lane++)
                if (match->at[lane] >= 0 && loop_of(match->path, (uint32_t)match->at[lane]) == match->loop)
                    match->at[lane] = -1;
        }
    }
    if (step == MODEL_NONE) {
        step = find_step(match->path, from, unit->site, MODEL_NONE);
        if (step == MODEL_NONE)
            return false;
        const uint32_t loop = loop_of(match->path, step);
        if (loop == MODEL_NONE)
            match->loop = MODEL_NONE;
        else if (loop != match->loop)
            begin_turn(match, loop);
    }
    return come_by(match, step, unit->lanes, order);
}

/* How many turns a lane has taken. */
static uint32_t turns_of(const struct match *match, uint32_t loop, uint32_t lane)
{
    uint32_t turns = match->turns[loop];
    while (turns > 0 && !match->took[loop][turns - 1][lane])
        turns--;
    return turns;
}

/* Whether the words will say that a lane came by a step, in a loop in a turn. */
static bool is_told_of(const struct match *match, uint32_t step, uint32_t loop, uint32_t turn, uint32_t lane)
{
    const uint32_t tag = match->path->steps[step].tag, bit = WS_STEP_BIT(tag);
    if (tag == WS_STEP_ALL)
        return true;
    if (loop == MODEL_NONE)
        return (match->bits[lane] >> bit & 1) != 0;
    const uint32_t turns = turns_of(match, loop, lane);
    const bool with = bit == WS_STEP_TURN   ? true
                      : bit == WS_STEP_LAST ? turn + 1 == turns
                                            : (match->turn_bits[loop][turn][lane] >> bit & 1) != 0;
    if (WS_STEP_BASE(tag) != WS_NONE)
        return !with && is_told_of(match, WS_STEP_BASE(tag), loop, turn, lane);
    return with && turn < turns;
}

/* Whether the bits say what the units do, at each step. */
static bool is_told(const struct match *match)
{
    const struct path *path = match->path;
    for (uint32_t s = 0; s < path->step_count; s++) {
        const uint32_t loop = loop_of(path, s);
        const uint32_t turns = loop == MODEL_NONE ? 1 : match->turns[loop];
        for (uint32_t t = 0; t < turns; t++) {
            const struct ws_lanes met = loop == MODEL_NONE ? match->met[s] : match->turn_met[s][t];
            struct ws_lanes told = match->lanes;
            for (uint32_t lane = 0; lane < MODEL_LANES; lane++)
                if (!is_told_of(match, s, loop, t, lane))
                    told = ws_lanes_without(told, ws_lanes_one(lane));
            if (!ws_lanes_equal(told, met))
                return false;
        }
    }
    return true;
}

/* Whether so many units are this path, of the lanes of the last one or of all. */
static bool matches(struct encoder *encoder, struct match *match, const struct path *path,
                    const uint32_t *units, uint32_t count, struct ws_lanes lanes)
{
    bool fits = path->step_count <= STEPS && path->loop_count <= LOOPS;
    match->path = path;
    match->lanes = lanes;
    match->loop = MODEL_NONE;
    match->turn = 0;
    memset(match->at, 0xff, sizeof(match->at));
    memset(match->bits, 0, sizeof(match->bits));
    memset(match->met, 0, sizeof(match->met));
    memset(match->turns, 0, sizeof(match->turns));
    for (uint32_t i = 0; i < count && fits; i++)
        fits = take_in(match, &encoder->warps->units[units[i]], &match->order[i]);
    return fits && is_told(match);
}

/* ---- the words ---- */

/* How many turns a word has. */
static uint32_t turns_of_word(const struct match *match, uint32_t loop)
{
    return ws_turns_of_group(match->path->loops[loop]);
}

/* The word of `count` turns from `first` on. */
static uint32_t group_of(const struct match *match, uint32_t loop, uint32_t lane, uint32_t first,
                         uint32_t count)
{
    uint32_t group = 1;
    for (uint32_t turn = first; turn < first + count; turn++)
        group = group << WS_TURNS_BITS(match->path->loops[loop]) | match->turn_bits[loop][turn][lane];
    return group;
}

/* Appends the groups of turns that a lane cannot keep: before group `group` it has `counts` groups in a row with one word, and
 * now another. Here and there it appends them though it could keep them. */
static void append_turns(struct encoder *encoder, const struct match *match, uint32_t context, uint32_t loop,
                         uint32_t group, uint32_t counts[MODEL_LANES])
{
    struct model_paths *paths = encoder->paths;
    const uint32_t size = turns_of_word(match, loop);
    const uint32_t turn = group * size;
    struct model_appended record = {.unit = MODEL_NONE,
                                    .context = context,
                                    .site = match->path->site + 1 + 2 * loop,
                                    .first = paths->word_count};
    uint32_t runs[MODEL_LANES][2], lanes = 0;
    bool once = true;
    for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
        /* The last group stands by itself. */
        if (!ws_lanes_has(match->lanes, lane) || turn + size >= turns_of(match, loop, lane))
            continue;
        const uint32_t before = group > 0 ? group_of(match, loop, lane, turn - size, size) : 0;
        const bool changes = group > 0 && group_of(match, loop, lane, turn, size) != before;
        if (counts[lane] > 0 && (changes || model_random_chance(&encoder->random, 1, 20))) {
            record.lanes = ws_lanes_or(record.lanes, ws_lanes_one(lane));
            runs[lanes][0] = before;
            runs[lanes++][1] = counts[lane];
            once = once && counts[lane] == 1;
            counts[lane] = 0;
        }
        counts[lane]++;
    }
    if (lanes == 0)
        return;
    for (uint32_t i = 0; i < lanes; i++) {
        add_word(paths, runs[i][0]);
        if (!once)
            add_word(paths, runs[i][1]);
    }
    record.count = paths->word_count - record.first;
    record.site += !once;
    append(paths, record);
    paths->turns++;
}

/* Units of a path are told in the order of its steps. */
static void tell(struct encoder *encoder, const struct match *match, const uint32_t *units, uint32_t count)
{
    uint32_t *told = encoder->told + encoder->told_count;
    uint64_t order[WAITING + 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && order[at - 1] > match->order[i]; at--) {
            order[at] = order[at - 1];
            told[at] = told[at - 1];
        }
        order[at] = match->order[i];
        told[at] = units[i];
    }
    encoder->told_count += count;
}

/* The record of a path, those of its turns before it. */
static void append_path(struct encoder *encoder, const struct match *match, uint32_t context,
                        const uint32_t *units, uint32_t count)
{
    struct model_paths *paths = encoder->paths;
    const struct path *path = match->path;
    uint32_t counts[LOOPS][MODEL_LANES] = {{0}};
    for (uint32_t loop = 0; loop < path->loop_count; loop++)
        for (uint32_t group = 0; group * turns_of_word(match, loop) < match->turns[loop]; group++)
            append_turns(encoder, match, context, loop, group, counts[loop]);
    struct model_appended record = {.unit = MODEL_NONE,
                                    .context = context,
                                    .site = path->site,
                                    .lanes = match->lanes,
                                    .first = paths->word_count};
    for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
        uint32_t words[256] = {0};
        if (!ws_lanes_has(match->lanes, lane))
            continue;
        words[0] = match->bits[lane];
        for (uint32_t loop = 0; loop < path->loop_count; loop++) {
            const uint32_t turns = turns_of(match, loop, lane);
            uint32_t *of = &words[WS_TURNS_WORD(path->loops[loop])];
            const uint32_t size = turns_of_word(match, loop);
            const uint32_t before = turns > 0 ? (turns - 1) / size * size : 0; /* in full groups */
            of[0] = group_of(match, loop, lane, before, turns - before);
            of[1] = before > 0 ? group_of(match, loop, lane, before - size, size) : 0;
            of[2] = before > 0 ? counts[loop][lane] : 0;
        }
        for (uint32_t i = 0; i < path->words; i++)
            add_word(paths, words[i]);
    }
    record.count = paths->word_count - record.first;
    append(paths, record);
    paths->paths += path->words > 0;
    paths->steps += count;
    tell(encoder, match, units, count);
}

/* ---- what waits ---- */

/* Appends units of one context, the last of which is all lanes' if `ends`: what is a path at the end of it as that. */
static void append_units(struct encoder *encoder, uint32_t context, const uint32_t *units, uint32_t count,
                         bool ends)
{
    static struct match match;
    const struct ws_instrumented *instrumented =
        encoder->modules[encoder->warps->contexts[context].shader].instrumented;
    for (uint32_t first = 0; first < count; first++) {
        struct ws_lanes lanes = {0, 0};
        for (uint32_t i = first; i < count; i++)
            lanes = ws_lanes_or(lanes, encoder->warps->units[units[i]].lanes);
        uint32_t at = 0;
        struct path path;
        while ((!ends || ws_lanes_equal(lanes, encoder->warps->units[units[count - 1]].lanes)) &&
               next_path(instrumented, &at, &path)) {
            if (matches(encoder, &match, &path, units + first, count - first, lanes)) {
                append_path(encoder, &match, context, units + first, count - first);
                return;
            }
        }
        append_unit(encoder, units[first]);
    }
}

/* Appends all that waits of a context. `last`: a unit that stands behind it, in which a path may end; MODEL_NONE. */
static void flush(struct encoder *encoder, uint32_t context, uint32_t last)
{
    struct waiting *waiting = encoder->waiting[context];
    uint32_t units[WAITING + 1];
    const uint32_t count = waiting != NULL ? waiting->count : 0;
    if (count > 0)
        memcpy(units, waiting->units, count * sizeof(*units));
    units[count] = last;
    if (waiting != NULL)
        waiting->count = 0;
    append_units(encoder, context, units, count + (last != MODEL_NONE), last != MODEL_NONE);
}

static uint8_t *find_flags(const struct ws_instrumented *instrumented)
{
    uint8_t *flags = calloc(instrumented->site_count + 1, 1);
    uint32_t at = 0;
    struct path path;
    if (flags == NULL)
        abort();
    while (next_path(instrumented, &at, &path)) {
        for (uint32_t s = 0; s < path.step_count; s++)
            flags[path.steps[s].row] |= IS_STEP;
        if (path.step_count > 0 && path.steps[path.step_count - 1].tag == WS_STEP_ALL)
            flags[path.steps[path.step_count - 1].row] |= IS_END;
    }
    return flags;
}

/* What waits of the contexts that the unit's threads were in before stands before it: what an idle lane is put down to depends
 * on what came first. */
static void flush_others(struct encoder *encoder, const struct model_unit *unit)
{
    const struct model_context *context = &encoder->warps->contexts[unit->context];
    for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
        if (!ws_lanes_has(unit->lanes, lane))
            continue;
        uint32_t *waits_in = &encoder->waits_in[context->threads[lane]];
        if (*waits_in != MODEL_NONE && *waits_in != unit->context)
            flush(encoder, *waits_in, MODEL_NONE);
        *waits_in = unit->context;
    }
}

static void take(struct encoder *encoder, uint32_t number)
{
    const struct model_unit *unit = &encoder->warps->units[number];
    const uint32_t shader = encoder->warps->contexts[unit->context].shader;
    const enum model_place place = encoder->warps->records[unit->first].place;
    if (unit->site == MODEL_NONE) {
        append_unit(encoder, number);
        return;
    }
    flush_others(encoder, unit);
    const bool is_place =
        place != MODEL_PLACE_ENTER && place != MODEL_PLACE_CONTINUE && place != MODEL_PLACE_DATA;
    const uint8_t flags = encoder->flags[shader][unit->site];
    if (!is_place || flags == 0) {
        flush(encoder, unit->context, MODEL_NONE);
        append_unit(encoder, number);
        return;
    }
    struct waiting **waiting = &encoder->waiting[unit->context];
    if (*waiting == NULL)
        *waiting = calloc(1, sizeof(**waiting));
    if (*waiting == NULL)
        abort();
    if ((flags & IS_END) != 0 || (*waiting)->count == WAITING)
        flush(encoder, unit->context, number);
    else
        (*waiting)->units[(*waiting)->count++] = number;
}

/* Puts the units into the order in which they are told. */
static void put_in_order(struct encoder *encoder, struct model_warps *warps)
{
    struct model_unit *units = malloc((warps->unit_count + 1) * sizeof(*units));
    uint32_t *place = malloc((warps->unit_count + 1) * sizeof(*place));
    if (units == NULL || place == NULL)
        abort();
    for (uint32_t i = 0; i < encoder->told_count; i++) {
        units[i] = warps->units[encoder->told[i]];
        place[encoder->told[i]] = i;
    }
    memcpy(warps->units, units, warps->unit_count * sizeof(*units));
    for (uint32_t i = 0; i < encoder->paths->count; i++)
        if (encoder->paths->list[i].unit != MODEL_NONE)
            encoder->paths->list[i].unit = place[encoder->paths->list[i].unit];
    free(units);
    free(place);
}

void model_paths_make(struct model_paths *paths, struct model_warps *warps,
                      const struct model_module *modules, bool joins, uint64_t seed)
{
    struct encoder encoder = {.paths = paths, .warps = warps, .modules = modules, .random = {seed}};
    encoder.waiting = calloc(warps->context_count + 1, sizeof(*encoder.waiting));
    encoder.told = malloc((warps->unit_count + 1) * sizeof(*encoder.told));
    if (encoder.waiting == NULL || encoder.told == NULL)
        abort();
    for (uint32_t i = 0; i < warps->program->shader_count; i++)
        encoder.flags[i] = find_flags(modules[i].instrumented);
    memset(encoder.waits_in, 0xff, sizeof(encoder.waits_in));
    paths->count = paths->word_count = paths->paths = paths->turns = paths->steps = 0;
    for (uint32_t i = 0; i < warps->unit_count; i++)
        if (joins)
            take(&encoder, i);
        else
            append_unit(&encoder, i);
    for (uint32_t i = 0; i < warps->context_count; i++) {
        flush(&encoder, i, MODEL_NONE);
        free(encoder.waiting[i]);
    }
    put_in_order(&encoder, warps);
    for (uint32_t i = 0; i < warps->program->shader_count; i++)
        free(encoder.flags[i]);
    free(encoder.told);
    free(encoder.waiting);
}

void model_paths_finish(struct model_paths *paths)
{
    free(paths->list);
    free(paths->words);
}
