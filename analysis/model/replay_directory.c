/* Open addressing with linear probing; what is removed leaves no mark: those behind it move up (Knuth, The
 * Art of Computer Programming 3, 6.4, algorithm R). */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay_parts.h"

#define FIRST_SHIFT 22 /* 1024 slots */

static void put(struct ws_directory *directory, struct ws_live *live)
{
    uint32_t index = ws_directory_home(directory, live->number);
    while (directory->slots[index] != NULL)
        index = (index + 1) & (directory->capacity - 1);
    directory->slots[index] = live;
    directory->count++;
}

static bool grow(struct ws_directory *directory)
{
    struct ws_directory larger = {.shift = directory->capacity > 0 ? directory->shift - 1 : FIRST_SHIFT};
    if (larger.shift == 0)
        return false;
    larger.capacity = UINT32_C(1) << (32 - larger.shift);
    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < directory->capacity; ++i)
        if (directory->slots[i] != NULL)
            put(&larger, directory->slots[i]);
    free(directory->slots);
    *directory = larger;
    return true;
}

bool ws_directory_add(struct ws_directory *directory, struct ws_live *live)
{
    if (directory->count >= directory->capacity / 2 && !grow(directory))
        return false;
    put(directory, live);
    return true;
}

void ws_directory_remove(struct ws_directory *directory, uint32_t number)
{
    if (directory->count == 0)
        return;
    const uint32_t mask = directory->capacity - 1;
    uint32_t hole = ws_directory_home(directory, number);
    while (directory->slots[hole] != NULL && directory->slots[hole]->number != number)
        hole = (hole + 1) & mask;
    if (directory->slots[hole] == NULL)
        return;
    directory->count--;
    for (uint32_t next = (hole + 1) & mask; directory->slots[next] != NULL; next = (next + 1) & mask) {
        const uint32_t home = ws_directory_home(directory, directory->slots[next]->number);
        /* It may move up only as far as its home. */
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            directory->slots[hole] = directory->slots[next];
            hole = next;
        }
    }
    directory->slots[hole] = NULL;
}

void ws_directory_clear(struct ws_directory *directory)
{
    if (directory->count > 0)
        memset(directory->slots, 0, directory->capacity * sizeof(*directory->slots));
    directory->count = 0;
}

void ws_directory_finish(struct ws_directory *directory)
{
    free(directory->slots);
    memset(directory, 0, sizeof(*directory));
}
