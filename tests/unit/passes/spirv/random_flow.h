/* Random structured programs, and a small model of SIMT execution that runs them lane by lane.
 *
 * The model: lanes that part at a header meet again at its merge block or continue target, never anywhere
 * else (so not where one switch case falls into another); after a callable shader was executed they come
 * back in two groups, which in one half of all runs never meet again, in the other where lanes do. Fails the
 * test that asks on an error. */
#ifndef WS_TESTS_UNIT_PASSES_SPIRV_RANDOM_FLOW_H
#define WS_TESTS_UNIT_PASSES_SPIRV_RANDOM_FLOW_H

#include "tests/unit/passes/spirv/flow.h"

#define RANDOM_FUNCTIONS  3
#define RANDOM_BLOCKS_MAX 64
#define RANDOM_LANES      16

struct random_function {
    struct flow_block blocks[RANDOM_BLOCKS_MAX];
    uint32_t count;
    uint32_t sequence[RANDOM_BLOCKS_MAX]; /* blocks in the order in which they are to be written */
    uint32_t written;
    uint32_t function;
    enum flow_stage stage;
    bool splits; /* it has loops or falls through cases: not all mask contexts are the same */
};

void random_seed(uint64_t seed);
uint32_t random_below(uint32_t bound);
uint64_t random_mix(uint64_t value); /* a hash */

/* Function 0 is the entry point's; each calls only later ones. */
void random_flow_make(struct random_function functions[RANDOM_FUNCTIONS], enum flow_stage stage);

/* Where lanes come through in a block: its beginning, before and after its body (one instruction), its
 * terminator where that ends lanes for good. */
enum random_place { RANDOM_BLOCK, RANDOM_BEFORE, RANDOM_AFTER, RANDOM_END, RANDOM_PLACES };

/* Is told of all lanes that come through a place together: those that are no helper invocations, at least
 * one.
 */
struct random_watch {
    void (*come)(void *user, enum random_place place, uint32_t function, uint32_t block, uint32_t lanes);
    void *user;
};

/* Runs function 0 with these lanes; `seed` decides all branches. False when it was broken off, since it would
 * not end, or hardly. */
bool random_flow_run(const struct random_function functions[RANDOM_FUNCTIONS], uint64_t seed, uint32_t lanes,
                     const struct random_watch *watch);

#endif
