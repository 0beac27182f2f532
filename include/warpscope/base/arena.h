/* An arena: what is allocated from it is freed all at once, with the arena. Not thread-safe. */
#ifndef WARPSCOPE_BASE_ARENA_H
#define WARPSCOPE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct ws_arena;

/* A new empty arena, or NULL when there is no memory. */
struct ws_arena *ws_arena_create(void);

/* The same with room for `size` bytes from the beginning, and no more: each allocation takes the next multiple
 * of WS_ARENA_STEP bytes, at least one. Where more is allocated it grows by as much again. For what is kept long. */
#define WS_ARENA_STEP _Alignof(max_align_t)
struct ws_arena *ws_arena_create_for(size_t size);

/* Frees the arena and all that was allocated from it. NULL is accepted. */
void ws_arena_destroy(struct ws_arena *arena);

/* `count` zeroed elements of `size` bytes, aligned for any type; NULL when there is no memory or the
 * product overflows. count or size 0 gives a valid pointer. */
void *ws_arena_allocate(struct ws_arena *arena, size_t count, size_t size);

/* The same, but what the elements hold is undefined: for what is written as a whole before it is read. */
void *ws_arena_allocate_raw(struct ws_arena *arena, size_t count, size_t size);

/* Makes room for one more element in an array of `count` elements of `size` bytes, of which `*capacity` have
 * room: the array itself, or a copy twice as large, with `*capacity` raised. NULL when there is no memory. */
void *ws_arena_grow(struct ws_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size);

#endif
