/* The caches of a device: an L1 for each of its multiprocessors, and an L2 that they share.
 *
 * They come from a text of settings, one a line, `key value`, with comments from # on:
 *
 *     name            Example
 *     multiprocessors 68         # each has an L1
 *     tile            16         # pixels (warps/multiprocessors.h); without, fragments and rays are in turn
 *     l1_size         57K        # bytes; K = 1024, M = 1024 x 1024
 *     l1_line         128        # bytes
 *     l1_sector       32         # bytes that are brought in at once
 *     l1_ways         full       # or a number
 *     l1_replacement  tree_plru  # or lru
 *     l1_index        modulo     # or hash
 *
 * and the same for l2. All but the tile are needed, each once. The L1s are write-through without allocation, the L2 is
 * write-back with allocation (cache.h). Devices that are built in are such texts, in analysis/memory/cache/devices, and say
 * where each number was published and what is an assumption.
 *
 * Thread-safe: nothing is kept. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_CACHE_SHAPE_H
#define WS_ANALYSIS_MEMORY_CACHE_CACHE_SHAPE_H

#include <stddef.h>

#include "analysis/memory/cache/cache.h"

#define WS_CACHE_NAME_SIZE       64
#define WS_CACHE_MULTIPROCESSORS 1024u      /* the most */
#define WS_CACHE_TILE            4096u      /* the most pixels on its side */
#define WS_CACHE_SHAPE_BYTES     65536u     /* the most of a text */
#define WS_CACHE_SHAPE_LINES     (1u << 23) /* the most of all caches together: 30 bytes each */

struct ws_cache_shape {
    char name[WS_CACHE_NAME_SIZE];
    uint32_t multiprocessors;
    uint32_t tile; /* pixels on a side; 0 = there are none */
    struct ws_cache_settings l1;
    struct ws_cache_settings l2;
};

/* A device that is built in. */
struct ws_cache_device {
    const char *name; /* as users choose it, such as "v100" */
    const char *text;
};

/* Those that are built in; `*count` receives how many. Constant. */
const struct ws_cache_device *ws_cache_device_list(size_t *count);

/* Reads a text; `file` is what errors call it. False and `error` where something is missing, unknown or beyond its limit: then
 * `shape` is not to be used. */
bool ws_cache_shape_parse(const char *text, const char *file, struct ws_cache_shape *shape,
                          struct ws_error *error);

/* Reads the device of that name, else the file of that path. Errors as above, or where there is neither. */
bool ws_cache_shape_load(const char *name, struct ws_cache_shape *shape, struct ws_error *error);

#endif
