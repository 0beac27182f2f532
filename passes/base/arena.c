#include "warpscope/base/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that a usual module needs a handful of chunks, small enough that a tiny one wastes little. */
#define CHUNK_SIZE ((size_t)64 * 1024)

struct chunk {
    struct chunk *next;
    size_t size;
    size_t used;
    bool is_zero; /* what is not used is zeroed */
    max_align_t data[];
};

struct ws_arena {
    struct chunk *chunks; /* the first has room, the others are full */
    struct chunk *spare;  /* of the usual size, not in use and not zeroed */
    bool is_kept;         /* it takes none that are left: it would have them all as long as it lives */
    size_t usual;         /* size of a chunk, unless more is wanted at once */
};

/* Chunks that arenas before have left for those to come. An arena for each module is the usual case, and memory that is new
 * from the system costs more than all that is done with it: a page fault for each page. Sanitizers are to see each use of
 * memory that is gone. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPARE_MAX 0
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SPARE_MAX 0
#endif
#ifndef SPARE_MAX
#define SPARE_MAX 32 /* 2 MB in all */
#endif
static _Atomic(struct chunk *) spare_chunks;

static void free_chunks(struct chunk *chunk)
{
    while (chunk != NULL) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

/* The library that has this code may be unloaded, and loaded again. */
__attribute__((destructor)) static void free_spare_chunks(void)
{
    free_chunks(atomic_exchange(&spare_chunks, NULL));
}

/* Takes all that are left, so that no other thread is in the list; what is not needed goes back with the arena. */
static struct chunk *take_spare(struct ws_arena *arena)
{
    if (arena->spare == NULL)
        arena->spare = atomic_exchange(&spare_chunks, NULL);
    struct chunk *chunk = arena->spare;
    if (chunk != NULL)
        arena->spare = chunk->next;
    return chunk;
}

/* Leaves chunks of the usual size to arenas to come, and frees the others. */
static void leave_chunks(struct ws_arena *arena)
{
    struct chunk *left = NULL;
    uint32_t count = 0;
    struct chunk *lists[] = {arena->chunks, arena->spare};
    for (uint32_t i = 0; i < 2; ++i) {
        for (struct chunk *chunk = lists[i], *next; chunk != NULL; chunk = next) {
            next = chunk->next;
            if (chunk->size != CHUNK_SIZE || count == SPARE_MAX) {
                free(chunk);
                continue;
            }
            chunk->next = left;
            left = chunk;
            count++;
        }
    }
    if (left != NULL)
        free_chunks(atomic_exchange(&spare_chunks, left));
}

struct ws_arena *ws_arena_create(void)
{
    struct ws_arena *arena = calloc(1, sizeof(struct ws_arena));
    if (arena != NULL)
        arena->usual = CHUNK_SIZE;
    return arena;
}

void ws_arena_destroy(struct ws_arena *arena)
{
    if (arena == NULL)
        return;
    leave_chunks(arena);
    free(arena);
}

/* A chunk that is not zeroed, but where it is larger than usual: much memory is zero when the system gives it, which then has
 * no pages for what is never used. */
static struct chunk *make_chunk(size_t room)
{
    const bool is_zero = room > CHUNK_SIZE;
    struct chunk *chunk = is_zero ? calloc(1, sizeof(*chunk) + room) : malloc(sizeof(*chunk) + room);
    if (chunk != NULL)
        chunk->is_zero = is_zero;
    return chunk;
}

/* A chunk with room for `size` bytes. One that is larger than usual goes behind the first chunk, whose
 * free room is so kept in use. */
static struct chunk *add_chunk(struct ws_arena *arena, size_t size, size_t least)
{
    const size_t room = size > least ? size : least;
    struct chunk *chunk = room == CHUNK_SIZE && !arena->is_kept ? take_spare(arena) : NULL;
    if (chunk == NULL)
        chunk = make_chunk(room);
    if (chunk == NULL)
        return NULL;
    chunk->size = room;
    chunk->used = 0;
    if (size > CHUNK_SIZE && arena->chunks != NULL) {
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

struct ws_arena *ws_arena_create_for(size_t size)
{
    struct ws_arena *arena = ws_arena_create();
    if (arena == NULL)
        return NULL;
    arena->is_kept = true;
    arena->usual = size < CHUNK_SIZE ? size : CHUNK_SIZE;
    if (add_chunk(arena, size, 0) == NULL) {
        ws_arena_destroy(arena);
        return NULL;
    }
    return arena;
}

/* Room for so many elements, and its chunk. */
static void *take(struct ws_arena *arena, size_t count, size_t size, struct chunk **from)
{
    const size_t align = WS_ARENA_STEP;
    if (size != 0 && count > (SIZE_MAX - sizeof(struct chunk) - align) / size)
        return NULL;
    size_t bytes = (count * size + align - 1) / align * align;
    if (bytes == 0)
        bytes = align;
    struct chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < bytes) {
        chunk = add_chunk(arena, bytes, arena->usual);
        if (chunk == NULL)
            return NULL;
    }
    void *data = (unsigned char *)chunk->data + chunk->used;
    chunk->used += bytes;
    *from = chunk;
    return data;
}

void *ws_arena_allocate(struct ws_arena *arena, size_t count, size_t size)
{
    struct chunk *chunk = NULL;
    void *data = take(arena, count, size, &chunk);
    /* Here and not by the chunk: what was zeroed just now is near. */
    if (data != NULL && !chunk->is_zero)
        memset(data, 0, count * size);
    return data;
}

void *ws_arena_allocate_raw(struct ws_arena *arena, size_t count, size_t size)
{
    struct chunk *chunk = NULL;
    return take(arena, count, size, &chunk);
}

void *ws_arena_grow(struct ws_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    const uint32_t larger = *capacity == 0 ? 64 : 2 * *capacity;
    void *copy = ws_arena_allocate(arena, larger, size);
    if (copy != NULL && count != 0)
        memcpy(copy, array, count * size);
    *capacity = copy == NULL ? *capacity : larger;
    return copy;
}
