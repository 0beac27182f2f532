#include "analysis/reorder/places/thread_walk.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

void ws_walks_finish(struct ws_walks *walks)
{
    ws_id_map_finish(&walks->at);
    ws_id_map_finish(&walks->led_to);
    free(walks->walks);
    free(walks->levels);
    memset(walks, 0, sizeof(*walks));
}

/* ---- A way: the levels of one walk, the innermost last, while they change. ---- */

static bool push(struct ws_walks *way, const struct ws_walk_level *level)
{
    struct ws_walk_level *levels =
        ws_array_grow(way->levels, &way->level_capacity, way->level_count + 1, sizeof(*levels));
    if (levels == NULL)
        return false;
    way->levels = levels;
    levels[way->level_count++] = *level;
    return true;
}

static struct ws_walk_level *top(const struct ws_walks *way)
{
    return way->level_count > 0 ? &way->levels[way->level_count - 1] : NULL;
}

/* The innermost function within the innermost shader; NULL = none. */
static struct ws_walk_level *innermost_function(const struct ws_walks *way)
{
    for (uint32_t i = way->level_count; i-- > 0 && way->levels[i].kind != WS_WALK_SHADER;)
        if (way->levels[i].kind == WS_WALK_FUNCTION)
            return &way->levels[i];
    return NULL;
}

/* The name of the last block of a function. */
static uint64_t last_name(const struct ws_walk_level *function)
{
    return ws_walk_mix(function->last, function->block);
}

/* Whether the next call of the block that was executed last in a function is of this one. */
static bool calls_next(const struct ws_loop_nest *nest, const struct ws_walk_level *caller, uint32_t function)
{
    if (caller->block >= nest->block_count)
        return false;
    const struct ws_nest_block *block = &nest->blocks[caller->block];
    return caller->number < block->call_count && nest->calls[block->call_first + caller->number] == function;
}

/* A function begins: what does not call it next has returned. Where nothing does, of which code is known, records are missing:
 * then that called it which can. */
static bool begin_function(struct ws_walks *way, const struct ws_loop_nest *nest,
                           const struct ws_module_record *module, uint32_t function)
{
    struct ws_walk_level *caller = NULL;
    for (uint32_t i = way->level_count; i-- > 0 && way->levels[i].kind != WS_WALK_SHADER && caller == NULL;)
        if (way->levels[i].kind == WS_WALK_FUNCTION && calls_next(nest, &way->levels[i], function))
            caller = &way->levels[i];
    const struct ws_walk_level *calls = caller;
    caller = innermost_function(way);
    while (caller != NULL &&
           (calls != NULL ? caller != calls : !ws_catalog_calls(module, caller->id, function))) {
        way->level_count = (uint32_t)(caller - way->levels);
        caller = innermost_function(way);
    }
    const uint64_t from = caller != NULL     ? ws_walk_mix(last_name(caller), ++caller->number)
                          : top(way) != NULL ? top(way)->hash
                                             : 0;
    const struct ws_walk_level level = {
        .hash = ws_walk_mix(from, function), .kind = WS_WALK_FUNCTION, .id = function};
    return push(way, &level);
}

/* Goes back to a function that the thread is in; begins it where it is in none such. */
static bool find_function(struct ws_walks *way, const struct ws_loop_nest *nest,
                          const struct ws_module_record *module, uint32_t function)
{
    for (uint32_t i = way->level_count; i-- > 0 && way->levels[i].kind != WS_WALK_SHADER;)
        if (way->levels[i].kind == WS_WALK_FUNCTION) {
            if (way->levels[i].id == function)
                return true;
            way->level_count = i;
        }
    return begin_function(way, nest, module, function);
}

/* The next iteration of the innermost loop begins. */
static void turn_loop(struct ws_walk_level *loop)
{
    loop->number++;
    loop->hash = ws_walk_mix(loop->last, loop->number);
}

/* Enters, goes on in, and leaves loops, so that those around the block are around the thread. */
static bool find_loops(struct ws_walks *way, const struct ws_loop_nest *nest,
                       const struct ws_nest_block *block)
{
    uint32_t loops[WS_NEST_DEPTH_MAX];
    uint32_t depth = 0;
    const uint32_t begin = (uint32_t)(innermost_function(way) - way->levels) + 1;
    for (uint32_t loop = block->loop; loop != WS_NONE; loop = nest->loops[loop].parent) {
        loops[nest->loops[loop].depth] = loop;
        depth = depth > 0 ? depth : nest->loops[loop].depth + 1;
    }
    uint32_t kept = 0;
    while (kept < depth && begin + kept < way->level_count && way->levels[begin + kept].id == loops[kept])
        kept++;
    way->level_count = begin + kept;
    if (block->header && kept == depth)
        turn_loop(&way->levels[begin + kept - 1]);
    for (; kept < depth; ++kept) {
        const uint64_t from = ws_walk_mix(way->levels[begin + kept - 1].hash, loops[kept] + 1);
        const struct ws_walk_level level = {
            .hash = ws_walk_mix(from, 0), .last = from, .kind = WS_WALK_LOOP, .id = loops[kept]};
        if (!push(way, &level))
            return false;
    }
    return true;
}

/* Executes a block. `*place` receives where. */
static bool step(struct ws_walks *way, const struct ws_loop_nest *nest, const struct ws_module_record *module,
                 uint32_t block, struct ws_walk_place *place)
{
    const struct ws_nest_block *known = &nest->blocks[block];
    if (!(known->first ? begin_function(way, nest, module, known->function)
                       : find_function(way, nest, module, known->function)) ||
        (known->known && !find_loops(way, nest, known)))
        return false;
    struct ws_walk_level *function = innermost_function(way);
    const struct ws_walk_level *level = top(way);
    if (!known->known)
        *place = (struct ws_walk_place){ws_walk_mix(function->hash, UINT64_MAX), function->blocks++};
    else if (level->kind == WS_WALK_LOOP)
        *place = (struct ws_walk_place){level->last, level->number};
    else
        *place = (struct ws_walk_place){level->hash, 0};
    function->last = known->known ? level->hash : ws_walk_mix(place->scope, place->round);
    function->number = 0;
    function->block = block;
    return true;
}

/* ---- Walks. ---- */

/* Number 0. False when there is no memory. */
static bool begin(struct ws_walks *walks)
{
    if (walks->count > 0)
        return true;
    struct ws_walk *none = ws_array_grow(walks->walks, &walks->capacity, 1, sizeof(*none));
    if (none == NULL)
        return false;
    walks->walks = none;
    none[walks->count++] = (struct ws_walk){.count = 0};
    return true;
}

static uint64_t hash_level(uint32_t around, const struct ws_walk_level *level)
{
    uint64_t hash = ws_walk_mix(around, level->hash);
    hash = ws_walk_mix(hash, level->last);
    hash = ws_walk_mix(hash, (uint64_t)level->kind << 32 | level->id);
    hash = ws_walk_mix(hash, (uint64_t)level->number << 32 | level->blocks);
    return ws_walk_mix(hash, level->block);
}

/* Where the last block was executed, of a level that is the innermost of its function. */
static struct ws_walk_place place_of(const struct ws_walk_level *level)
{
    if (level->kind == WS_WALK_LOOP)
        return (struct ws_walk_place){level->last, level->number};
    if (level->blocks > 0) /* its loops are not known */
        return (struct ws_walk_place){ws_walk_mix(level->hash, UINT64_MAX), level->blocks - 1};
    return (struct ws_walk_place){level->hash, 0};
}

/* The walk of a level in those of another; it is made if need be. False when there is no memory. */
static bool find(struct ws_walks *walks, uint32_t around, const struct ws_walk_level *level, uint32_t *walk)
{
    const uint64_t hash = hash_level(around, level);
    if (ws_id_map_get(&walks->at, hash, walk))
        return true;
    struct ws_walk *more = ws_array_grow(walks->walks, &walks->capacity, walks->count + 1, sizeof(*more));
    if (more == NULL)
        return false;
    walks->walks = more;
    const uint32_t number = walks->count;
    more[number] = (struct ws_walk){.level = *level,
                                    .place = place_of(level),
                                    .around = around,
                                    .shader = level->kind == WS_WALK_SHADER ? number : more[around].shader,
                                    .function = level->kind == WS_WALK_FUNCTION ? number
                                                : level->kind == WS_WALK_SHADER ? 0
                                                                                : more[around].function,
                                    .count = more[around].count + 1};
    *walk = number;
    walks->count++;
    return ws_id_map_put(&walks->at, hash, number);
}

/* The way of a walk. False when there is no memory. */
static bool find_way(struct ws_walks *walks, uint32_t walk)
{
    const uint32_t count = walks->count > 0 ? walks->walks[walk].count : 0;
    const struct ws_walk_level none = {0};
    walks->level_count = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (!push(walks, &none))
            return false;
    for (uint32_t i = count, at = walk; i-- > 0; at = walks->walks[at].around)
        walks->levels[i] = walks->walks[at].level;
    return true;
}

/* The walk of the way. False when there is no memory. */
static bool find_all(struct ws_walks *walks, uint32_t *walk)
{
    *walk = 0;
    for (uint32_t i = 0; i < walks->level_count; ++i)
        if (!find(walks, *walk, &walks->levels[i], walk))
            return false;
    return true;
}

/* Makes a step that none was made like. */
static bool step_first(struct ws_walks *walks, uint32_t from, const struct ws_loop_nest *nest,
                       const struct ws_module_record *module, uint32_t block, uint32_t *to)
{
    struct ws_walk_place place;
    if (!find_way(walks, from) || !step(walks, nest, module, block, &place) || !find_all(walks, to))
        return false;
    walks->walks[*to].place = place;
    return true;
}

bool ws_walk_step(struct ws_walks *walks, uint32_t *walk, const struct ws_loop_nest *nest,
                  const struct ws_module_record *module, uint32_t block)
{
    const uint32_t from = *walk;
    if (!begin(walks))
        return false;
    /* Of which module the block is the innermost shader says, unless records contradict each other. */
    const uint64_t made = ws_walk_mix((uintptr_t)nest, block);
    const struct ws_walk *known = &walks->walks[from];
    for (int i = 0; i < 2; ++i)
        if (known->recent[i].step == made && known->recent[i].to != 0) {
            *walk = known->recent[i].to;
            return true;
        }
    const uint64_t key = ws_walk_mix(made, from);
    if (!ws_id_map_get(&walks->led_to, key, walk) &&
        (!step_first(walks, from, nest, module, block, walk) || !ws_id_map_put(&walks->led_to, key, *walk)))
        return false;
    struct ws_walk *steps = &walks->walks[from];
    const int at = steps->recent[0].to != 0;
    steps->recent[at].step = made;
    steps->recent[at].to = *walk;
    return true;
}

bool ws_walk_enter(struct ws_walks *walks, uint32_t *walk, uint64_t call, uint32_t shader)
{
    const struct ws_walk_level level = {
        .hash = ws_walk_mix(call, shader + 1), .kind = WS_WALK_SHADER, .id = shader};
    return begin(walks) && find(walks, *walk, &level, walk);
}

uint32_t ws_walk_leave(const struct ws_walks *walks, uint32_t walk)
{
    /* Where there was no memory to enter the first shader, there are no walks. */
    return walk != 0 ? walks->walks[walks->walks[walk].shader].around : 0;
}

uint32_t ws_walk_return(const struct ws_walks *walks, uint32_t walk, uint32_t function)
{
    for (uint32_t at = walk; walks->walks[at].function != 0;) {
        const struct ws_walk *innermost = &walks->walks[walks->walks[at].function];
        if (innermost->level.id == function)
            return at;
        at = innermost->around;
    }
    return walk;
}

bool ws_walk_is_in(const struct ws_walks *walks, uint32_t walk, uint32_t function)
{
    for (uint32_t at = walk; walks->walks[at].function != 0;) {
        const struct ws_walk *innermost = &walks->walks[walks->walks[at].function];
        if (innermost->level.id == function)
            return true;
        at = innermost->around;
    }
    return false;
}

/* Whether two levels are the same, but for what a turn of the loop within them changes. */
static bool is_same_level(const struct ws_walk_level *from, const struct ws_walk_level *to)
{
    return from->kind == to->kind && from->id == to->id && from->block == to->block &&
           from->blocks == to->blocks;
}

bool ws_walk_turned(const struct ws_walks *walks, uint32_t from, uint32_t to)
{
    const struct ws_walk_level *before = &walks->walks[from].level;
    const struct ws_walk_level *loop = &walks->walks[to].level;
    const uint32_t function = walks->walks[from].function;
    if (loop->kind != WS_WALK_LOOP || !is_same_level(before, loop) || before->last != loop->last ||
        before->number + 1 != loop->number || function == 0)
        return false;
    const uint64_t hash = loop->hash;
    from = walks->walks[from].around;
    to = walks->walks[to].around;
    for (; from != function; from = walks->walks[from].around, to = walks->walks[to].around)
        if (!is_same_level(&walks->walks[from].level, &walks->walks[to].level) ||
            walks->walks[from].level.hash != walks->walks[to].level.hash)
            return false;
    /* The function's last block was executed in the iteration that the loop is in. */
    const struct ws_walk_level *in = &walks->walks[from].level;
    const struct ws_walk_level *then = &walks->walks[to].level;
    return is_same_level(in, then) && in->hash == then->hash && in->number == then->number &&
           in->last == before->hash && then->last == hash &&
           walks->walks[from].around == walks->walks[to].around;
}

bool ws_walk_turn_on(struct ws_walks *walks, uint32_t *walk, uint32_t turns)
{
    if (!find_way(walks, *walk))
        return false;
    struct ws_walk_level *loop = top(walks);
    loop->number += turns;
    loop->hash = ws_walk_mix(loop->last, loop->number);
    innermost_function(walks)->last = loop->hash;
    return find_all(walks, walk);
}

uint32_t ws_walk_block(const struct ws_walks *walks, uint32_t walk)
{
    return walks->walks[walks->walks[walk].function].level.block;
}

uint64_t ws_walk_call(const struct ws_walks *walks, uint32_t walk, uint32_t offset)
{
    const struct ws_walk *here = &walks->walks[walk];
    const uint64_t from =
        here->function != 0 ? last_name(&walks->walks[here->function].level) : here->level.hash;
    return ws_walk_mix(from, UINT64_C(0x100000000) + offset);
}

uint32_t ws_walk_turn(const struct ws_walks *walks, uint32_t walk)
{
    const uint32_t shader = walks->walks[walk].shader;
    uint32_t turn = 1;
    uint32_t loop = 0;
    for (uint32_t at = walk; at != 0; at = walks->walks[at].around) {
        const struct ws_walk_level *level = &walks->walks[at].level;
        if (loop == 0 && level->kind == WS_WALK_LOOP)
            loop = at;
        turn += at != shader && level->kind == WS_WALK_SHADER && level->id == walks->walks[shader].level.id;
    }
    return turn + walks->walks[loop].level.number;
}

/* ---- Forgetting. ---- */

bool ws_walks_forget(struct ws_walks *walks, uint32_t *numbers)
{
    struct ws_id_map at = {0};
    uint32_t kept = 1;
    bool made = true;
    /* Those around a walk have lower numbers. */
    for (uint32_t i = walks->count; i-- > 1;)
        if (numbers[i] != 0)
            numbers[walks->walks[i].around] = 1;
    numbers[0] = 0;
    for (uint32_t i = 1; i < walks->count && made; ++i)
        if (numbers[i] != 0) {
            const struct ws_walk *walk = &walks->walks[i];
            numbers[i] = kept++;
            made = ws_id_map_put(&at, hash_level(numbers[walk->around], &walk->level), numbers[i]);
        }
    if (!made) {
        ws_id_map_finish(&at);
        return false;
    }
    for (uint32_t i = 1; i < walks->count; ++i) {
        if (numbers[i] == 0)
            continue;
        struct ws_walk *walk = &walks->walks[numbers[i]];
        *walk = walks->walks[i];
        walk->around = numbers[walk->around];
        walk->shader = numbers[walk->shader];
        walk->function = numbers[walk->function];
        memset(walk->recent, 0, sizeof(walk->recent));
    }
    memset(walks->walks[0].recent, 0, sizeof(walks->walks[0].recent));
    walks->count = kept;
    walks->most = 2 * kept > WS_WALKS_MAX ? 2 * kept : WS_WALKS_MAX;
    ws_id_map_finish(&walks->at);
    ws_id_map_finish(&walks->led_to);
    walks->at = at;
    return true;
}
