#include "layer/commands/bound_state.h"

#include <stdlib.h>

struct ws_bound_state *ws_bound_state_create(uint32_t sets, uint32_t offsets)
{
    /* One piece of memory: an application may draw with thousands of combinations. */
    const size_t lists = sets * sizeof(struct ws_bound_one);
    struct ws_bound_state *state = calloc(1, sizeof(*state) + lists + offsets * sizeof(uint32_t));
    if (state == NULL)
        return NULL;
    atomic_init(&state->references, 1);
    state->sets = (struct ws_bound_one *)(void *)(state + 1);
    state->offsets = (uint32_t *)(void *)((char *)(state + 1) + lists);
    return state;
}

struct ws_bound_state *ws_bound_state_reference(struct ws_bound_state *state)
{
    atomic_fetch_add(&state->references, 1);
    return state;
}

void ws_bound_state_release(struct ws_bound_state *state)
{
    if (state == NULL || atomic_fetch_sub(&state->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < state->count; i++)
        ws_set_release(state->sets[i].set);
    free(state);
}
