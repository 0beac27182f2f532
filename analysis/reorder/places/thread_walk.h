/* Where a thread is in its code, so that threads of different warps can be told to be at the same place.
 *
 * The NAME of a block execution says by which way a thread came there: the shader calls that led to its shader, the function
 * calls within each, the iteration of each loop around (loop_nests.h), and the block. Threads of one warp that execute blocks
 * of one name execute them together, as one: that is how a device works whose lanes meet again where control flow of the
 * source does. (A device may do worse. It then executes more, before and after.)
 *   Example: for (i) { if (x) A; }. Thread 1 has x in rounds 0 and 2, thread 2 in round 2. The names are A in round 0 and A
 *   in round 2: a warp of both executes A twice.
 *
 * Names are hashes of 64 bits. Of n different names in a launch two are taken for one with a probability of about n^2 / 2^65:
 * 3 in 10^6 for 10^7. The names of loops that are not known (unstructured control flow) have the number of blocks that the
 * thread has executed in the function in place of iterations.
 *
 * WALKS. Where a thread is, is a number: a walk, of those that threads of the launch came to. Threads at one place have one
 * number, whatever they did before, and what a step leads to is looked up: most threads go where one went before.
 *
 * MEMORY: some 200 bytes for each place that a thread came to; beyond WS_WALKS_MAX places those that no thread is in are to be
 * forgotten (ws_walks_full). Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PLACES_THREAD_WALK_H
#define WS_ANALYSIS_REORDER_PLACES_THREAD_WALK_H

#include "analysis/reorder/places/loop_nests.h"
#include "warpscope/base/id_map.h"

#define WS_WALKS_MAX (1u << 16)

/* What a thread is in: shaders, functions in them, loops in these. */
enum ws_walk_kind { WS_WALK_SHADER, WS_WALK_FUNCTION, WS_WALK_LOOP };

struct ws_walk_level {
    uint64_t hash; /* of the way to here */
    /* Function: of the way to the last block executed in it; loop: of the way to its first iteration. */
    uint64_t last;
    uint32_t kind;   /* enum ws_walk_kind */
    uint32_t id;     /* shader: index in the catalog; function: result id; loop: index in the nest */
    uint32_t number; /* function: calls made by the last block; loop: iteration, from 0 */
    uint32_t blocks; /* function whose loops are not known: blocks executed */
    uint32_t block;  /* function: the last one */
};

/* Where a block was executed. With the block it is the block's name. Of the iterations of one loop only the round differs. */
struct ws_walk_place {
    uint64_t scope;
    uint32_t round;
};

/* A place at which threads are: a level, in those of another walk. */
struct ws_walk {
    struct ws_walk_level level;
    uint32_t around;            /* the walk of the levels around; 0 = there are none */
    uint32_t shader;            /* walk of the innermost level that is a shader, itself included */
    uint32_t function;          /* likewise a function, within that shader; 0 = none */
    uint32_t count;             /* of levels */
    struct ws_walk_place place; /* of the last block of the innermost function, if there is one */
    /* Where steps led that were made from here: the first one, and the last one. */
    struct {
        uint64_t step;
        uint32_t to; /* 0 = none */
    } recent[2];
};

/* Those of a launch. Number 0 is that of a thread in no shader. Zero-initialised is empty. */
struct ws_walks {
    struct ws_walk *walks;
    uint32_t count;
    uint32_t capacity;
    uint32_t most;                /* that there may be; 0 = WS_WALKS_MAX */
    struct ws_id_map at;          /* by hash */
    struct ws_id_map led_to;      /* by walk and step */
    struct ws_walk_level *levels; /* of the way that is walked just now */
    uint32_t level_count;
    uint32_t level_capacity;
};

void ws_walks_finish(struct ws_walks *walks);

/* A thread enters a shader, by the call of this name (0: it is launched). `*walk` is where it was, and receives where it is.
 * False when there is no memory. */
bool ws_walk_enter(struct ws_walks *walks, uint32_t *walk, uint64_t call, uint32_t shader);

/* Where a thread is when its innermost shader has ended. */
uint32_t ws_walk_leave(const struct ws_walks *walks, uint32_t walk);

/* Where a thread is that is known to be in a function of the innermost shader: no record tells that those which this one called
 * have returned. Where it was, if it is in none such. */
uint32_t ws_walk_return(const struct ws_walks *walks, uint32_t walk, uint32_t function);

/* A thread executes a block of the innermost shader. False when there is no memory. */
bool ws_walk_step(struct ws_walks *walks, uint32_t *walk, const struct ws_loop_nest *nest,
                  const struct ws_module_record *module, uint32_t block);

/* Whether a walk is where another is one iteration of the innermost loop later. Each of the two is within a loop that is known.
 */
bool ws_walk_turned(const struct ws_walks *walks, uint32_t from, uint32_t to);

/* A thread in such a walk is so many iterations further on. False when there is no memory. */
bool ws_walk_turn_on(struct ws_walks *walks, uint32_t *walk, uint32_t turns);

/* Whether a thread is in a function of the innermost shader, or in what that has called. */
bool ws_walk_is_in(const struct ws_walks *walks, uint32_t walk, uint32_t function);

/* Where the thread executed its last block; and which one, if it is in a function. */
static inline struct ws_walk_place ws_walk_place(const struct ws_walks *walks, uint32_t walk)
{
    return walks->walks[walk].place;
}
uint32_t ws_walk_block(const struct ws_walks *walks, uint32_t walk);

/* The name of the call by the instruction at a word offset. */
uint64_t ws_walk_call(const struct ws_walks *walks, uint32_t walk, uint32_t offset);

/* Which turn of the call site this is, from 1: the iteration of the innermost loop around it, on the whole way to it, and the
 * executions of its own shader that are further out (recursion). */
uint32_t ws_walk_turn(const struct ws_walks *walks, uint32_t walk);

/* Whether walks are to be forgotten that no thread is in. */
static inline bool ws_walks_full(const struct ws_walks *walks)
{
    return walks->count > (walks->most > 0 ? walks->most : WS_WALKS_MAX);
}

/* Forgets them. `numbers`: for each walk, not 0 where a thread is in it; receives the number that it has then. False when there
 * is no memory: all is as it was. */
bool ws_walks_forget(struct ws_walks *walks, uint32_t *numbers);

/* The SHADER INVOCATION that a thread is in: the name of the way to it. Threads of all warps that came to one shader by the
 * same calls, in the same iterations, are in one. 0 = it is in none. */
static inline uint64_t ws_walk_invocation(const struct ws_walks *walks, uint32_t walk)
{
    const uint32_t shader = walk != 0 ? walks->walks[walk].shader : 0;
    return shader != 0 ? walks->walks[shader].level.hash : 0;
}

/* Mixes two numbers into one (the finaliser of SplitMix64). */
static inline uint64_t ws_walk_mix(uint64_t a, uint64_t b)
{
    uint64_t key = a * UINT64_C(0x9e3779b97f4a7c15) + b;
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

#endif
