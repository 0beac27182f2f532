#include "analysis/memory/cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/cache/recent_rows.h"
#include "analysis/memory/cache/way_index.h"

enum {
    BYTE_LEVELS = 3, /* levels of a tree in one byte */
    STAGES = 4,      /* bytes above a way, the most: WS_CACHE_TREE_WAYS */
    DIRTY_SHIFT = 16,
    ROWS_WAYS = 32, /* up to so many, looking through a row is faster than a hash and a list */
};
/* Of ways to go on, of which one is taken: none has to save registers for the others. */
#define SPLIT   __attribute__((noinline))
#define NO_SLOT UINT32_MAX
#define GOLDEN  0x9e3779b97f4a7c15u /* 2^64 / golden ratio: Knuth, volume 3, section 6.4 */

_Static_assert(WS_CACHE_TREE_WAYS <= WS_WAY_INDEX_WAYS && WS_CACHE_TREE_WAYS <= 1 << BYTE_LEVELS * STAGES,
               "trees have room for their ways");

enum organisation {
    ROWS_LRU,   /* a set is a row that is looked through: up to ROWS_WAYS ways */
    LISTED_LRU, /* lines are found by a hash, and linked in the order of their use */
    TREES,
};

/* Of LISTED_LRU. */
struct slot {
    uint64_t line;
    uint32_t state; /* sectors that are there; those that were changed, << DIRTY_SHIFT */
    uint32_t chain; /* the next slot of the bucket; NO_SLOT = none */
};

struct link {
    uint32_t newer;
    uint32_t older;
};

struct ws_cache {
    struct ws_cache_sets sets;
    uint32_t ways;
    uint32_t all_sectors;
    enum organisation organisation;
    enum ws_cache_writes writes;
    struct ws_recent_rows rows; /* ROWS_LRU: one per set, with changed sectors, and below them those there */
    uint32_t sectors;           /* of a line */
    uint32_t *used;        /* of the others, per set: how many of its slots, of which these are the first */
    struct slot *slots;    /* LISTED_LRU: set s has s x ways and those behind it */
    uint32_t *buckets;     /* the first slot by hash of the line */
    uint32_t bucket_shift; /* of a hash of 64 bits */
    struct link *links;    /* per slot */
    struct link *ends;     /* per set, newer = the newest slot, older = the oldest */
    struct ws_way_index index; /* TREES */
    uint32_t *states;          /* by set and way, as in struct slot */
    uint8_t *trees;      /* per set a byte for each eight ways, then one for each eight of these, and so on */
    uint8_t *nodes;      /* of a set's bytes: the nodes that have ways in their right half */
    uint32_t tree_bytes; /* of a set */
    uint32_t stages;
    uint32_t stage_begins[STAGES]; /* the first byte of each */
    struct ws_cache_counts counts[WS_CACHE_KINDS];
    uint64_t written_sectors;
};

/* ---- trees ---- */

/* A byte of a tree has three of its levels: nodes are numbered as in a heap, 1 is the root, n has 2n and 2n + 1. A set bit
 * points to the right half. Of a leaf, the mask has the nodes above it, the value those that have it in their left half. */
#define NODE(leaf, level) (1 << ((1 << (level)) + ((leaf) >> (3 - (level)))))
#define AWAY(leaf, level) (((leaf) >> (2 - (level)) & 1) == 0 ? NODE(leaf, level) : 0)
#define OF_LEAF(n)                                                                                           \
    {                                                                                                        \
        NODE(n, 0) | NODE(n, 1) | NODE(n, 2), AWAY(n, 0) | AWAY(n, 1) | AWAY(n, 2)                           \
    }
static const struct {
    uint8_t mask;
    uint8_t value;
} leaves_of_byte[1 << BYTE_LEVELS] = {OF_LEAF(0), OF_LEAF(1), OF_LEAF(2), OF_LEAF(3),
                                      OF_LEAF(4), OF_LEAF(5), OF_LEAF(6), OF_LEAF(7)};

static inline void touch_leaf(uint8_t *byte, uint32_t leaf)
{
    *byte = (uint8_t)((*byte & ~leaves_of_byte[leaf].mask) | leaves_of_byte[leaf].value);
}

/* Makes the bytes above a way point away from it. */
static inline void touch_way(const struct ws_cache *cache, uint8_t *tree, uint32_t way)
{
    touch_leaf(&tree[way >> 3], way & 7);
    if (cache->stages > 1)
        touch_leaf(&tree[cache->stage_begins[1] + (way >> 6)], way >> 3 & 7);
    if (cache->stages > 2)
        touch_leaf(&tree[cache->stage_begins[2] + (way >> 9)], way >> 6 & 7);
    if (cache->stages > 3)
        touch_leaf(&tree[cache->stage_begins[3]], way >> 9);
}

/* The leaf to which a byte points. */
#define POINTED(byte)                                                                                        \
    (((byte) >> 1 & 1) != 0   ? ((byte) >> 3 & 1) != 0 ? 6 + ((byte) >> 7 & 1) : 4 + ((byte) >> 6 & 1)       \
       : ((byte) >> 2 & 1) != 0 ? 2 + ((byte) >> 5 & 1)                                                      \
                              : (byte) >> 4 & 1)
#define OF_4_BYTES(n)  POINTED(n), POINTED((n) + 1), POINTED((n) + 2), POINTED((n) + 3)
#define OF_16_BYTES(n) OF_4_BYTES(n), OF_4_BYTES((n) + 4), OF_4_BYTES((n) + 8), OF_4_BYTES((n) + 12)
#define OF_64_BYTES(n) OF_16_BYTES(n), OF_16_BYTES((n) + 16), OF_16_BYTES((n) + 32), OF_16_BYTES((n) + 48)
static const uint8_t pointed_leaves[256] = {OF_64_BYTES(0), OF_64_BYTES(64), OF_64_BYTES(128),
                                            OF_64_BYTES(192)};

static inline uint32_t pointed_way(const struct ws_cache *cache, const uint8_t *tree)
{
    uint32_t way = 0;
    for (uint32_t i = cache->stages; i-- > 0;) {
        const uint32_t at = cache->stage_begins[i] + way;
        way = way << BYTE_LEVELS | pointed_leaves[tree[at] & cache->nodes[at]];
    }
    return way;
}

/* Sets the nodes of a byte that have some of the ways in their right half. It has `first` and those behind it, each of its
 * leaves `leaf_ways`. */
static uint8_t nodes_of(uint32_t first, uint32_t leaf_ways, uint32_t ways)
{
    uint32_t nodes = 0;
    for (uint32_t level = 0; level < BYTE_LEVELS; ++level) {
        const uint32_t half = leaf_ways << (BYTE_LEVELS - 1 - level);
        for (uint32_t i = 0; i < 1u << level; ++i)
            if (first + (2 * i + 1) * half < ways)
                nodes |= 1u << ((1u << level) + i);
    }
    return (uint8_t)nodes;
}

/* ---- lists ---- */

static void unlink_slot(struct ws_cache *cache, struct link *ends, uint32_t slot)
{
    const struct link link = cache->links[slot];
    *(link.newer == NO_SLOT ? &ends->newer : &cache->links[link.newer].older) = link.older;
    *(link.older == NO_SLOT ? &ends->older : &cache->links[link.older].newer) = link.newer;
}

static void link_newest(struct ws_cache *cache, struct link *ends, uint32_t slot)
{
    cache->links[slot] = (struct link){NO_SLOT, ends->newer};
    *(ends->newer == NO_SLOT ? &ends->older : &cache->links[ends->newer].newer) = slot;
    ends->newer = slot;
}

static inline uint32_t *bucket_of(const struct ws_cache *cache, uint64_t line)
{
    return &cache->buckets[line * GOLDEN >> cache->bucket_shift];
}

/* Takes the line of a slot out of its bucket. */
static void leave_bucket(struct ws_cache *cache, uint32_t slot)
{
    uint32_t *place = bucket_of(cache, cache->slots[slot].line);
    while (*place != slot)
        place = &cache->slots[*place].chain;
    *place = cache->slots[slot].chain;
}

static inline void count_displaced(struct ws_cache *cache, uint32_t state)
{
    cache->written_sectors += ws_cache_count_sectors(state >> DIRTY_SHIFT);
}

/* A slot for a line that is not there, as the most recent one. */
static uint32_t take_slot(struct ws_cache *cache, uint32_t set, uint64_t line)
{
    uint32_t slot;
    if (cache->used[set] < cache->ways) {
        slot = set * cache->ways + cache->used[set]++;
    } else {
        slot = cache->ends[set].older;
        count_displaced(cache, cache->slots[slot].state);
        leave_bucket(cache, slot);
        unlink_slot(cache, &cache->ends[set], slot);
    }
    link_newest(cache, &cache->ends[set], slot);
    uint32_t *bucket = bucket_of(cache, line);
    cache->slots[slot] = (struct slot){line, 0, *bucket};
    *bucket = slot;
    return slot;
}

/* ---- accesses ---- */

/* Each of these returns and counts hits. `enters`: the line is there afterwards. `writes`: its sectors are changed. */

static inline uint32_t count_access(struct ws_cache_counts *counts, uint32_t sectors, uint32_t hits)
{
    counts->requests++;
    counts->sector_hits += ws_cache_count_sectors(hits);
    if (hits != sectors)
        counts->sector_misses += ws_cache_count_sectors(sectors ^ hits);
    return hits;
}

static uint32_t count_line_miss(struct ws_cache_counts *counts, uint32_t sectors)
{
    counts->line_misses++;
    return count_access(counts, sectors, 0);
}

static inline uint32_t count_row(struct ws_cache *cache, uint32_t sectors, struct ws_recent_use use,
                                 struct ws_cache_counts *counts)
{
    if (use.was_there)
        return count_access(counts, sectors, use.state & sectors);
    cache->written_sectors += ws_cache_count_sectors(use.state >> cache->sectors);
    return count_line_miss(counts, sectors);
}

static SPLIT uint32_t access_wide_rows(struct ws_cache *cache, uint32_t set, uint64_t block, uint32_t sectors,
                                       uint32_t state, bool enters, struct ws_cache_counts *counts)
{
    return count_row(cache, sectors, ws_recent_rows_use_wide(&cache->rows, set, block, state, enters),
                     counts);
}

static SPLIT uint32_t access_rows(struct ws_cache *cache, uint64_t line, uint32_t sectors, bool enters,
                                  bool writes, struct ws_cache_counts *counts)
{
    uint64_t block;
    const uint32_t set = ws_cache_place(&cache->sets, line, &block);
    const uint32_t state = !enters ? 0 : writes ? sectors | sectors << cache->sectors : sectors;
    if (block >= cache->rows.narrow_end)
        return access_wide_rows(cache, set, block, sectors, state, enters, counts);
    return count_row(cache, sectors,
                     ws_recent_rows_use_narrow(&cache->rows, set, (uint32_t)block, state, enters), counts);
}

/* The state that a line had; it gets the sectors. */
static inline uint32_t use_state(uint32_t *state, uint32_t sectors, bool enters, bool writes)
{
    const uint32_t had = *state;
    const uint32_t has = writes ? had | sectors | sectors << DIRTY_SHIFT : had | sectors;
    if (enters && has != had)
        *state = has;
    return had;
}

static SPLIT uint32_t access_listed(struct ws_cache *cache, uint64_t line, uint32_t sectors, bool enters,
                                    bool writes, struct ws_cache_counts *counts)
{
    uint32_t slot = *bucket_of(cache, line);
    while (slot != NO_SLOT && cache->slots[slot].line != line)
        slot = cache->slots[slot].chain;
    if (slot == NO_SLOT) {
        if (enters) {
            slot = take_slot(cache, ws_cache_set(&cache->sets, line), line);
            use_state(&cache->slots[slot].state, sectors, enters, writes);
        }
        return count_line_miss(counts, sectors);
    }
    struct link *ends = &cache->ends[cache->sets.count == 1 ? 0 : slot / cache->ways];
    if (ends->newer != slot) {
        unlink_slot(cache, ends, slot);
        link_newest(cache, ends, slot);
    }
    const uint32_t state = use_state(&cache->slots[slot].state, sectors, enters, writes);
    return count_access(counts, sectors, state & sectors);
}

/* A way of a set for a line that is not there. */
static SPLIT uint32_t take_way(struct ws_cache *cache, uint32_t set, uint64_t line)
{
    uint32_t way = cache->used[set];
    if (way < cache->ways) {
        cache->used[set]++;
    } else {
        way = pointed_way(cache, cache->trees + (size_t)set * cache->tree_bytes);
        if (cache->writes == WS_CACHE_WRITE_BACK)
            count_displaced(cache, cache->states[(size_t)set * cache->ways + way]);
        ws_way_index_remove(&cache->index, set, way);
    }
    ws_way_index_add(&cache->index, set, way, line);
    return way;
}

static SPLIT uint32_t access_trees(struct ws_cache *cache, uint64_t line, uint32_t sectors, bool enters,
                                   bool writes, struct ws_cache_counts *counts)
{
    const uint32_t set = ws_cache_set(&cache->sets, line);
    uint32_t *states = cache->states + (size_t)set * cache->ways;
    uint8_t *tree = cache->trees + (size_t)set * cache->tree_bytes;
    uint32_t way = ws_way_index_find(&cache->index, set, line);
    if (way != cache->ways) {
        touch_way(cache, tree, way);
        return count_access(counts, sectors, use_state(&states[way], sectors, enters, writes) & sectors);
    }
    if (enters) {
        way = take_way(cache, set, line);
        touch_way(cache, tree, way);
        states[way] = writes ? sectors | sectors << DIRTY_SHIFT : sectors;
    }
    return count_line_miss(counts, sectors);
}

uint32_t ws_cache_access(struct ws_cache *cache, uint64_t line, uint32_t sectors, enum ws_cache_kind kind)
{
    struct ws_cache_counts *counts = &cache->counts[kind];
    const bool writes = kind != WS_CACHE_LOAD;
    const bool enters = !writes || cache->writes == WS_CACHE_WRITE_BACK;
    sectors &= cache->all_sectors;
    switch (cache->organisation) {
    case ROWS_LRU: return access_rows(cache, line, sectors, enters, writes, counts);
    case LISTED_LRU: return access_listed(cache, line, sectors, enters, writes, counts);
    default: return access_trees(cache, line, sectors, enters, writes, counts);
    }
}

/* ---- making ---- */

static bool is_power_of_two(uint32_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

bool ws_cache_check(const struct ws_cache_settings *settings, const char *what, struct ws_error *error)
{
    const uint32_t ways = settings->ways > 0 ? settings->ways : settings->lines;
    if (!is_power_of_two(settings->line_bytes) || settings->line_bytes < WS_CACHE_LINE_MIN ||
        settings->line_bytes > WS_CACHE_LINE_MAX)
        return ws_error_set(error, "%s: a line has a power of two of bytes, %u to %u, not %u", what,
                            WS_CACHE_LINE_MIN, WS_CACHE_LINE_MAX, settings->line_bytes);
    if (!is_power_of_two(settings->sectors) || settings->sectors > WS_CACHE_SECTORS_MAX)
        return ws_error_set(error, "%s: a line has 1, 2, 4, 8 or %u sectors, not %u", what,
                            WS_CACHE_SECTORS_MAX, settings->sectors);
    if (settings->line_bytes / settings->sectors < WS_CACHE_SECTOR_MIN)
        return ws_error_set(error, "%s: a sector has at least %u bytes, not %u", what, WS_CACHE_SECTOR_MIN,
                            settings->line_bytes / settings->sectors);
    if (settings->lines < 1 || settings->lines > WS_CACHE_LINES_MAX)
        return ws_error_set(error, "%s: it has 1 to %u lines, not %u", what, WS_CACHE_LINES_MAX,
                            settings->lines);
    if (ways > settings->lines || settings->lines % ways != 0)
        return ws_error_set(error, "%s: %u lines cannot be divided into sets of %u ways", what,
                            settings->lines, ways);
    if (settings->replacement == WS_CACHE_TREE_PLRU && ways > WS_CACHE_TREE_WAYS)
        return ws_error_set(error, "%s: tree pseudo-LRU has at most %u ways, not %u; use fewer ways, or LRU",
                            what, WS_CACHE_TREE_WAYS, ways);
    return true;
}

/* How many levels a tree has whose leaves are at least `leaves`. */
static uint32_t depth_for(uint32_t leaves)
{
    uint32_t depth = 0;
    while ((uint32_t)1 << depth < leaves)
        ++depth;
    return depth;
}

static void clear(struct ws_cache *cache)
{
    const size_t lines = (size_t)cache->sets.count * cache->ways;
    if (cache->organisation == ROWS_LRU) {
        ws_recent_rows_clear(&cache->rows);
        return;
    }
    memset(cache->used, 0, cache->sets.count * sizeof(*cache->used));
    if (cache->organisation == TREES) {
        ws_way_index_clear(&cache->index);
        memset(cache->states, 0, lines * sizeof(*cache->states));
        memset(cache->trees, 0, (size_t)cache->sets.count * cache->tree_bytes);
        return;
    }
    memset(cache->slots, 0, lines * sizeof(*cache->slots));
    memset(cache->buckets, 0xff, sizeof(*cache->buckets) << (64 - cache->bucket_shift));
    memset(cache->ends, 0xff, cache->sets.count * sizeof(*cache->ends));
}

static bool allocate_lists(struct ws_cache *cache, uint32_t lines)
{
    const uint32_t bucket_bits = depth_for(2 * lines);
    cache->bucket_shift = 64 - bucket_bits;
    cache->slots = calloc(lines, sizeof(*cache->slots));
    cache->buckets = calloc((size_t)1 << bucket_bits, sizeof(*cache->buckets));
    cache->links = calloc(lines, sizeof(*cache->links));
    cache->ends = calloc(cache->sets.count, sizeof(*cache->ends));
    return cache->slots != NULL && cache->buckets != NULL && cache->links != NULL && cache->ends != NULL;
}

static bool allocate_trees(struct ws_cache *cache, uint32_t lines)
{
    uint32_t leaves = cache->ways;
    do {
        leaves = (leaves + (1 << BYTE_LEVELS) - 1) >> BYTE_LEVELS;
        cache->stage_begins[cache->stages++] = cache->tree_bytes;
        cache->tree_bytes += leaves;
    } while (leaves > 1);
    cache->trees = calloc(cache->sets.count, cache->tree_bytes);
    cache->nodes = calloc(1, cache->tree_bytes);
    cache->states = calloc(lines, sizeof(*cache->states));
    if (!ws_way_index_init(&cache->index, cache->sets.count, cache->ways) || cache->trees == NULL ||
        cache->nodes == NULL || cache->states == NULL)
        return false;
    for (uint32_t i = 0; i < cache->stages; ++i) {
        const uint32_t end = i + 1 < cache->stages ? cache->stage_begins[i + 1] : cache->tree_bytes;
        const uint32_t leaf_ways = 1u << BYTE_LEVELS * i;
        for (uint32_t j = cache->stage_begins[i]; j < end; ++j)
            cache->nodes[j] =
                nodes_of((j - cache->stage_begins[i]) * (leaf_ways << BYTE_LEVELS), leaf_ways, cache->ways);
    }
    return true;
}

static bool allocate(struct ws_cache *cache, uint32_t lines)
{
    if (cache->organisation == ROWS_LRU)
        return ws_recent_rows_init(&cache->rows, cache->sets.count, cache->ways, 2 * cache->sectors);
    cache->used = calloc(cache->sets.count, sizeof(*cache->used));
    return (cache->organisation == TREES ? allocate_trees(cache, lines) : allocate_lists(cache, lines)) &&
           cache->used != NULL;
}

/* Whether the block of every address has room beside the bits of sectors. */
static bool fits_rows(const struct ws_cache *cache, const struct ws_cache_settings *settings)
{
    const uint64_t last = UINT64_MAX / settings->line_bytes / cache->sets.count;
    return last < UINT64_MAX >> 2 * settings->sectors;
}

struct ws_cache *ws_cache_create(const struct ws_cache_settings *settings, const char *what,
                                 struct ws_error *error)
{
    if (!ws_cache_check(settings, what, error))
        return NULL;
    struct ws_cache *cache = calloc(1, sizeof(*cache));
    if (cache == NULL)
        goto error;
    cache->ways = settings->ways > 0 ? settings->ways : settings->lines;
    cache->sets = ws_cache_sets_of(settings->lines / cache->ways, settings->index);
    cache->all_sectors = ((uint32_t)1 << settings->sectors) - 1;
    cache->writes = settings->writes;
    cache->sectors = settings->sectors;
    const bool has_rows = cache->ways <= ROWS_WAYS && fits_rows(cache, settings);
    cache->organisation = settings->replacement == WS_CACHE_TREE_PLRU ? TREES
                          : has_rows                                  ? ROWS_LRU
                                                                      : LISTED_LRU;
    if (!allocate(cache, settings->lines))
        goto error;
    clear(cache);
    return cache;
error:
    ws_cache_destroy(cache);
    ws_error_set(error, "%s: no memory for a cache of %u lines", what, settings->lines);
    return NULL;
}

void ws_cache_destroy(struct ws_cache *cache)
{
    if (cache == NULL)
        return;
    ws_recent_rows_finish(&cache->rows);
    free(cache->used);
    free(cache->slots);
    free(cache->buckets);
    free(cache->links);
    free(cache->ends);
    ws_way_index_finish(&cache->index);
    free(cache->states);
    free(cache->trees);
    free(cache->nodes);
    free(cache);
}

static uint32_t changed_sectors(const struct ws_cache *cache, uint32_t set, uint32_t way)
{
    const size_t line = (size_t)set * cache->ways + way;
    if (cache->organisation == ROWS_LRU)
        return (uint32_t)(ws_recent_rows_state(&cache->rows, set, way) >> cache->sectors);
    return (cache->organisation == TREES ? cache->states[line] : cache->slots[line].state) >> DIRTY_SHIFT;
}

void ws_cache_flush(struct ws_cache *cache)
{
    for (uint32_t set = 0; set < cache->sets.count; ++set)
        for (uint32_t way = 0; way < cache->ways; ++way)
            cache->written_sectors += ws_cache_count_sectors(changed_sectors(cache, set, way));
    clear(cache);
}

const struct ws_cache_counts *ws_cache_counts(const struct ws_cache *cache, enum ws_cache_kind kind)
{
    return &cache->counts[kind];
}

uint64_t ws_cache_written_sectors(const struct ws_cache *cache)
{
    return cache->written_sectors;
}
