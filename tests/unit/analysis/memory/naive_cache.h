/* A cache as plainly as its header has it, to compare the fast one with: written from cache.h, and sharing with it the
 * settings and the finaliser of hashes only. And numbers for random traces. */
#ifndef WS_TESTS_NAIVE_CACHE_H
#define WS_TESTS_NAIVE_CACHE_H

#include "analysis/memory/cache/cache.h"

struct naive_line {
    bool is_there;
    uint64_t line;
    uint32_t sectors;
    uint32_t changed;
    uint64_t used; /* when */
};

struct naive_cache {
    struct ws_cache_settings settings;
    uint32_t ways;
    struct naive_line *lines;
    bool *points_right; /* of a set's tree: padded x 2 nodes */
    uint32_t padded;
    uint64_t now;
    uint64_t written;
};

void naive_cache_init(struct naive_cache *cache, const struct ws_cache_settings *settings);
void naive_cache_finish(struct naive_cache *cache);
uint32_t naive_cache_access(struct naive_cache *cache, uint64_t line, uint32_t sectors,
                            enum ws_cache_kind kind);

uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t end);

/* Line `step` of a random trace over `lines` lines. Shapes: anywhere, one after the other, a stride of 7, a loop over a part,
 * few lines often (the cube of a random number), and two of these in turns. */
enum { TRACE_SHAPES = 6 };
uint64_t trace_line(uint64_t *state, uint32_t shape, uint32_t step, uint32_t lines);

#endif
