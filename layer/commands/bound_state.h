/* What a command had bound as descriptor sets: kept with a launch or draw, so that its submission finds what the sets hold
 * then. References may be taken and given back on any thread; nothing else changes. */
#ifndef WS_LAYER_COMMANDS_BOUND_STATE_H
#define WS_LAYER_COMMANDS_BOUND_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/resources/set_content.h"

struct ws_bound_one {
    uint32_t number;    /* of the set in shaders; WS_NONE = all that are not listed */
    uint32_t reason;    /* enum ws_bound_reason */
    struct ws_set *set; /* referenced; NULL unless it is known */
    uint32_t first;     /* its dynamic offsets among those of the state */
    uint32_t count;
};

struct ws_bound_state {
    _Atomic uint32_t references;
    uint32_t count;
    struct ws_bound_one *sets;
    uint32_t *offsets;
};

/* Room for so many sets and offsets, with one reference; `count` is 0. NULL without memory. */
struct ws_bound_state *ws_bound_state_create(uint32_t sets, uint32_t offsets);
struct ws_bound_state *ws_bound_state_reference(struct ws_bound_state *state);
void ws_bound_state_release(struct ws_bound_state *state); /* NULL is accepted */

#endif
