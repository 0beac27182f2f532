/* How often the header of a loop runs at most, where constants of the module say so.
 *
 * Followed are loops that count a number of 32 bits: it begins with a constant, each turn adds a constant to it or takes one
 * away, and one test that each turn comes by, at the loop's top or at its end, compares it with a constant. The number is a
 * phi, or a variable of the function that is only loaded and stored as a whole. Further ways out of the loop only end it
 * earlier. For example, the header of `for (int i = 0; i < 4; i++) if (f(i)) break;` runs 5 times at most. */
#ifndef WS_PASSES_FLOW_TRIPS_H
#define WS_PASSES_FLOW_TRIPS_H

#include "passes/flow/loops.h"

/* Of one function. */
struct ws_trips {
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    uint32_t
        variable_first; /* index of the first instruction that may be a variable, in module->instructions */
    uint32_t variable_count;
    bool *exposed; /* per variable: something but loads and stores of the whole has it */
};

/* Looks at the variables of a function, in time linear in its words. False if there is no memory. */
bool ws_trips_init(struct ws_trips *trips, struct ws_arena *arena, const struct ws_module *module,
                   uint32_t function, const struct ws_cfg *cfg);

/* How often the header of a loop runs at most, each time that control comes to the loop; 0 where that is not known, or more
 * often than `max`. `blocks` are the `count` blocks of the loop, as indices within the function; no other loop is in it. Time
 * grows with the words of the loop, the square of its blocks, and `max`. */
uint32_t ws_trips_most(const struct ws_trips *trips, const struct ws_loop *loop, const uint32_t *blocks,
                       uint32_t count, uint32_t max);

/* Whether a driver may write the loop out wrong: it counts an unsigned number down to a limit, and there are other ways out.
 * What Mesa 25.0 makes of `for (uint i = 5; i > 0; i--) { f(); if (n++ > 40) break; ... }` turns 41 times. Other loops may be
 * in it. */
bool ws_trips_are_written_wrong(const struct ws_trips *trips, const struct ws_loop *loop,
                                const uint32_t *blocks, uint32_t count);

#endif
