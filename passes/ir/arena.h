/* One arena per instrumented module: everything is allocated from it and freed at once. */
#ifndef WS_PASSES_IR_ARENA_H
#define WS_PASSES_IR_ARENA_H

#include <stddef.h>

struct ws_arena;

/* A new empty arena, or NULL when there is no memory. */
struct ws_arena *ws_arena_create(void);

/* Frees the arena and all that was allocated from it. NULL is accepted. */
void ws_arena_destroy(struct ws_arena *arena);

/* `count` zeroed elements of `size` bytes, aligned for any type; NULL when there is no memory or the
 * product overflows. count or size 0 gives a valid pointer. */
void *ws_arena_allocate(struct ws_arena *arena, size_t count, size_t size);

#endif
