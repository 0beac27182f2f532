/* Open addressing with linear probing. Nothing is ever removed. */
#include "warpscope/base/id_map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

void ws_id_map_finish(struct ws_id_map *map)
{
    free(map->slots);
    memset(map, 0, sizeof(*map));
}

/* The finaliser of SplitMix64: every bit of the key reaches every bit of the result. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

/* The slot that holds `key`, or the free one where it belongs. */
static struct ws_id_slot *find(const struct ws_id_map *map, uint64_t key)
{
    uint32_t index = (uint32_t)mix(key) & (map->capacity - 1);
    while (map->slots[index].used && map->slots[index].key != key)
        index = (index + 1) & (map->capacity - 1);
    return &map->slots[index];
}

bool ws_id_map_get(const struct ws_id_map *map, uint64_t key, uint32_t *value)
{
    if (map->count == 0)
        return false;
    const struct ws_id_slot *slot = find(map, key);
    if (slot->used)
        *value = slot->value;
    return slot->used;
}

static bool grow(struct ws_id_map *map)
{
    struct ws_id_map larger = {.capacity = map->capacity > 0 ? map->capacity * 2 : FIRST_CAPACITY};
    if (larger.capacity < map->capacity)
        return false;
    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < map->capacity; ++i)
        if (map->slots[i].used)
            *find(&larger, map->slots[i].key) = map->slots[i];
    larger.count = map->count;
    free(map->slots);
    *map = larger;
    return true;
}

bool ws_id_map_put(struct ws_id_map *map, uint64_t key, uint32_t value)
{
    if (map->count >= map->capacity / 2 && !grow(map))
        return false;
    struct ws_id_slot *slot = find(map, key);
    if (!slot->used)
        map->count++;
    *slot = (struct ws_id_slot){.key = key, .value = value, .used = true};
    return true;
}
