/* A map from numbers that a capture gives to indices in our own arrays. Zero-initialised is empty. Not
 * thread-safe. */
#ifndef WARPSCOPE_BASE_ID_MAP_H
#define WARPSCOPE_BASE_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct ws_id_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

struct ws_id_map {
    struct ws_id_slot *slots; /* `capacity`, a power of two; at most half of them used */
    uint32_t capacity;
    uint32_t count;
};

void ws_id_map_finish(struct ws_id_map *map);

/* Sets `*value` and returns true when `key` is in the map. */
bool ws_id_map_get(const struct ws_id_map *map, uint64_t key, uint32_t *value);

/* Adds or replaces. False when there is no memory. */
bool ws_id_map_put(struct ws_id_map *map, uint64_t key, uint32_t value);

#endif
