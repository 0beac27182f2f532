#include "analysis/reorder/thread_walk.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

void ws_walk_finish(struct ws_walk *walk)
{
    free(walk->levels);
    memset(walk, 0, sizeof(*walk));
}

static bool push(struct ws_walk *walk, const struct ws_walk_level *level)
{
    struct ws_walk_level *levels =
        ws_array_grow(walk->levels, &walk->capacity, walk->count + 1, sizeof(*levels));
    if (levels == NULL)
        return false;
    walk->levels = levels;
    struct ws_walk_level *pushed = &levels[walk->count++];
    const struct ws_walk_level *around = pushed > levels ? pushed - 1 : NULL;
    *pushed = *level;
    pushed->shader = level->kind == WS_WALK_SHADER || around == NULL ? walk->count - 1 : around->shader;
    pushed->function = level->kind == WS_WALK_FUNCTION                   ? walk->count - 1
                       : level->kind == WS_WALK_SHADER || around == NULL ? WS_NONE
                                                                         : around->function;
    walk->shaders += level->kind == WS_WALK_SHADER;
    return true;
}

static struct ws_walk_level *top(const struct ws_walk *walk)
{
    return walk->count > 0 ? &walk->levels[walk->count - 1] : NULL;
}

/* The innermost shader, and the innermost function within it; NULL = none. */
static struct ws_walk_level *innermost_shader(const struct ws_walk *walk)
{
    return walk->count > 0 ? &walk->levels[top(walk)->shader] : NULL;
}

static struct ws_walk_level *innermost_function(const struct ws_walk *walk)
{
    return walk->count > 0 && top(walk)->function != WS_NONE ? &walk->levels[top(walk)->function] : NULL;
}

/* The name of the last block of a function. */
static uint64_t last_name(const struct ws_walk_level *function)
{
    return ws_walk_mix(function->last, function->block);
}

bool ws_walk_enter(struct ws_walk *walk, uint32_t shader, uint32_t context)
{
    const struct ws_walk_level level = {.hash = ws_walk_mix(walk->shaders > 0 ? walk->call : 0, shader + 1),
                                        .kind = WS_WALK_SHADER,
                                        .id = shader,
                                        .number = context};
    return push(walk, &level);
}

bool ws_walk_move(struct ws_walk *walk, uint32_t from, uint32_t to)
{
    struct ws_walk_level *level = innermost_shader(walk);
    const bool is_in = level != NULL && level->number == from;
    if (is_in)
        level->number = to;
    return is_in;
}

bool ws_walk_leave(struct ws_walk *walk, uint32_t context)
{
    const struct ws_walk_level *level = innermost_shader(walk);
    if (level == NULL || level->number != context)
        return false;
    walk->count = (uint32_t)(level - walk->levels);
    walk->shaders--;
    return true;
}

/* A function begins: what cannot have called it has returned. */
static bool begin_function(struct ws_walk *walk, const struct ws_module_record *module, uint32_t function)
{
    struct ws_walk_level *caller = innermost_function(walk);
    while (caller != NULL && !ws_catalog_calls(module, caller->id, function)) {
        walk->count = (uint32_t)(caller - walk->levels);
        caller = innermost_function(walk);
    }
    const uint64_t from = caller != NULL      ? ws_walk_mix(last_name(caller), ++caller->number)
                          : top(walk) != NULL ? top(walk)->hash
                                              : 0;
    const struct ws_walk_level level = {
        .hash = ws_walk_mix(from, function), .kind = WS_WALK_FUNCTION, .id = function};
    return push(walk, &level);
}

/* Goes back to a function that the thread is in; begins it where it is in none such. */
static bool find_function(struct ws_walk *walk, const struct ws_module_record *module, uint32_t function)
{
    for (uint32_t i = walk->count; i-- > 0 && walk->levels[i].kind != WS_WALK_SHADER;)
        if (walk->levels[i].kind == WS_WALK_FUNCTION) {
            if (walk->levels[i].id == function)
                return true;
            walk->count = i;
        }
    return begin_function(walk, module, function);
}

/* The next iteration of the innermost loop begins. */
static void turn_loop(struct ws_walk_level *loop)
{
    loop->number++;
    loop->hash = ws_walk_mix(loop->last, loop->number);
}

/* Enters, goes on in, and leaves loops, so that those around the block are around the thread. */
static bool find_loops(struct ws_walk *walk, const struct ws_loop_nest *nest,
                       const struct ws_nest_block *block)
{
    uint32_t loops[WS_NEST_DEPTH_MAX];
    uint32_t depth = 0;
    const uint32_t begin = (uint32_t)(innermost_function(walk) - walk->levels) + 1;
    for (uint32_t loop = block->loop; loop != WS_NONE; loop = nest->loops[loop].parent) {
        loops[nest->loops[loop].depth] = loop;
        depth = depth > 0 ? depth : nest->loops[loop].depth + 1;
    }
    uint32_t kept = 0;
    while (kept < depth && begin + kept < walk->count && walk->levels[begin + kept].id == loops[kept])
        kept++;
    walk->count = begin + kept;
    if (block->header && kept == depth)
        turn_loop(&walk->levels[begin + kept - 1]);
    for (; kept < depth; ++kept) {
        const uint64_t from = ws_walk_mix(walk->levels[begin + kept - 1].hash, loops[kept] + 1);
        const struct ws_walk_level level = {
            .hash = ws_walk_mix(from, 0), .last = from, .kind = WS_WALK_LOOP, .id = loops[kept]};
        if (!push(walk, &level))
            return false;
    }
    return true;
}

/* Most blocks are of the function and loop that the thread is in: then true, and all is done. */
static bool stay(struct ws_walk *walk, const struct ws_nest_block *block)
{
    struct ws_walk_level *level = top(walk);
    if (block->first || !block->known || level == NULL || level->function == WS_NONE ||
        walk->levels[level->function].id != block->function ||
        (level->kind == WS_WALK_LOOP ? level->id : WS_NONE) != block->loop)
        return false;
    if (block->header)
        turn_loop(level);
    return true;
}

bool ws_walk_step(struct ws_walk *walk, const struct ws_loop_nest *nest,
                  const struct ws_module_record *module, uint32_t block, struct ws_walk_place *place)
{
    const struct ws_nest_block *known = &nest->blocks[block];
    if (!stay(walk, known) && (!(known->first ? begin_function(walk, module, known->function)
                                              : find_function(walk, module, known->function)) ||
                               (known->known && !find_loops(walk, nest, known))))
        return false;
    struct ws_walk_level *function = innermost_function(walk);
    const struct ws_walk_level *level = top(walk);
    if (!known->known)
        *place = (struct ws_walk_place){ws_walk_mix(function->hash, UINT64_MAX), function->blocks};
    else if (level->kind == WS_WALK_LOOP)
        *place = (struct ws_walk_place){level->last, level->number};
    else
        *place = (struct ws_walk_place){level->hash, 0};
    walk->place = *place;
    walk->block = block;
    function->last = known->known ? level->hash : ws_walk_mix(place->scope, place->round);
    function->blocks++;
    function->number = 0;
    function->block = block;
    return true;
}

uint64_t ws_walk_call(struct ws_walk *walk, uint32_t offset)
{
    const struct ws_walk_level *function = innermost_function(walk);
    const uint64_t from = function != NULL ? last_name(function) : top(walk) != NULL ? top(walk)->hash : 0;
    return walk->call = ws_walk_mix(from, UINT64_C(0x100000000) + offset);
}

uint32_t ws_walk_turn(const struct ws_walk *walk)
{
    const struct ws_walk_level *shader = innermost_shader(walk);
    uint32_t turn = 1;
    for (uint32_t i = 0; shader != NULL && &walk->levels[i] != shader; ++i)
        turn += walk->levels[i].kind == WS_WALK_SHADER && walk->levels[i].id == shader->id;
    for (uint32_t i = walk->count; i-- > 0;)
        if (walk->levels[i].kind == WS_WALK_LOOP)
            return turn + walk->levels[i].number;
    return turn;
}
