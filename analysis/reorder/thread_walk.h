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
 * thread has executed in the function in place of iterations. */
#ifndef WS_ANALYSIS_REORDER_THREAD_WALK_H
#define WS_ANALYSIS_REORDER_THREAD_WALK_H

#include "analysis/reorder/loop_nests.h"

/* What a thread is in: shaders, functions in them, loops in these. */
enum ws_walk_kind { WS_WALK_SHADER, WS_WALK_FUNCTION, WS_WALK_LOOP };

struct ws_walk_level {
    uint64_t hash; /* of the way to here */
    uint64_t
        last; /* function: of the way to the last block executed in it; loop: of the way to its first iteration */
    uint32_t kind; /* enum ws_walk_kind */
    uint32_t id;   /* shader: index in the catalog; function: result id; loop: index in the nest */
    uint32_t
        number; /* shader: of its context; function: calls made by the last block; loop: iteration, from 0 */
    uint32_t blocks;   /* function: blocks executed */
    uint32_t block;    /* function: the last one */
    uint32_t shader;   /* index of the innermost level that is a shader, itself included */
    uint32_t function; /* likewise a function, within that shader; WS_NONE */
};

/* Where a block was executed. With the block it is the block's name. Of the iterations of one loop only the round differs. */
struct ws_walk_place {
    uint64_t scope;
    uint32_t round;
};

/* Zero-initialised is a thread that is in no shader. */
struct ws_walk {
    struct ws_walk_level *levels;
    uint32_t count;
    uint32_t capacity;
    uint32_t shaders;           /* levels that are shaders */
    uint64_t call;              /* name of the last call */
    struct ws_walk_place place; /* of the last block */
    uint32_t block;             /* likewise */
};

void ws_walk_finish(struct ws_walk *walk);

/* The thread enters a shader, by its last call. `context` is the number of its context. False when there is no memory. */
bool ws_walk_enter(struct ws_walk *walk, uint32_t shader, uint32_t context);

/* The innermost shader goes on in another context; and it ends. Nothing happens if the thread is in another one. True where
 * it was in it. */
bool ws_walk_move(struct ws_walk *walk, uint32_t from, uint32_t to);
bool ws_walk_leave(struct ws_walk *walk, uint32_t context);

/* The thread executes a block of the innermost shader; `*place` receives where. False when there is no memory. */
bool ws_walk_step(struct ws_walk *walk, const struct ws_loop_nest *nest,
                  const struct ws_module_record *module, uint32_t block, struct ws_walk_place *place);

/* The thread calls, by the instruction at a word offset. Returns the name of the call. */
uint64_t ws_walk_call(struct ws_walk *walk, uint32_t offset);

/* Which turn of the call site this is, from 1: the iteration of the innermost loop around it, on the whole way to it, and the
 * executions of its own shader that are further out (recursion). */
uint32_t ws_walk_turn(const struct ws_walk *walk);

/* Mixes two numbers into one (the finaliser of SplitMix64). */
static inline uint64_t ws_walk_mix(uint64_t a, uint64_t b)
{
    uint64_t key = a * UINT64_C(0x9e3779b97f4a7c15) + b;
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

#endif
