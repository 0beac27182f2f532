#include "analysis/memory/cache/cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_LEVELS = 6, /* levels of a tree in one word: 64 leaves */
    WORD_LEAVES = 1 << WORD_LEVELS,
    DIRTY_SHIFT = 16,
    /* Up to so many ways of LRU a set is an array with the most recent line first, which is looked through. */
    SCANNED_WAYS = 32,
};
#define NO_SLOT UINT32_MAX
#define GOLDEN  0x9e3779b97f4a7c15u /* 2^64 / golden ratio: Knuth, volume 3, section 6.4 */

enum organisation {
    SCANNED_LRU,
    LISTED_LRU,
    TREES,
};

/* Of all but SCANNED_LRU. */
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
    /* SCANNED_LRU: set s has s x ways and those behind it, most recent first. Each is the block of its line (cache_sets.h),
     * then bits of the sectors that were changed, then of those that are there: so a set of 16 ways is 128 bytes. */
    uint64_t *entries;
    uint32_t entry_sectors; /* bits of each of the two */
    struct slot *slots;     /* set s has s x ways and those behind it; those in use are its first */
    uint32_t *used;         /* per set: how many */
    uint32_t *buckets;      /* the first slot by hash of the line */
    uint32_t bucket_shift;  /* of a hash of 64 bits */
    struct link *links;     /* LISTED_LRU: per slot */
    struct link *ends;      /* LISTED_LRU: per set, newer = the newest slot, older = the oldest */
    uint64_t *trees;        /* TREES: per set its top word, and a word for each WORD_LEAVES slots below it */
    uint32_t tree_words;    /* of a set */
    uint32_t top_depth;     /* levels of the top word */
    bool has_leaf_words;    /* there are words below it */
    struct ws_cache_counts counts[WS_CACHE_KINDS];
    uint64_t written_sectors;
};

/* ---- trees ---- */

/* Nodes of a word are numbered as in a heap: 1 is the root, n has 2n and 2n + 1. A set bit points to the right half. A leaf's
 * mask has the nodes above it, its value those of them that have it in their left half. */
#define NODE(leaf, level) ((uint64_t)1 << ((1 << (level)) + ((leaf) >> (6 - (level)))))
#define AWAY(leaf, level) (((leaf) >> (5 - (level)) & 1) == 0 ? NODE(leaf, level) : 0)
#define OF_LEVELS(of, n)  (of(n, 0) | of(n, 1) | of(n, 2) | of(n, 3) | of(n, 4) | of(n, 5))
#define OF_LEAF(n)                                                                                           \
    {                                                                                                        \
        OF_LEVELS(NODE, n), OF_LEVELS(AWAY, n)                                                               \
    }
#define OF_FOUR_LEAVES(n) OF_LEAF(n), OF_LEAF((n) + 1), OF_LEAF((n) + 2), OF_LEAF((n) + 3)
#define OF_16_LEAVES(n)                                                                                      \
    OF_FOUR_LEAVES(n), OF_FOUR_LEAVES((n) + 4), OF_FOUR_LEAVES((n) + 8), OF_FOUR_LEAVES((n) + 12)
static const struct {
    uint64_t mask;
    uint64_t value;
} leaves_of_word[WORD_LEAVES] = {OF_16_LEAVES(0), OF_16_LEAVES(16), OF_16_LEAVES(32), OF_16_LEAVES(48)};

/* A word of fewer levels has its leaves at multiples: nodes below them are not asked for. */
static inline void touch_leaf(uint64_t *word, uint32_t leaf, uint32_t depth)
{
    leaf <<= WORD_LEVELS - depth;
    *word = (*word & ~leaves_of_word[leaf].mask) | leaves_of_word[leaf].value;
}

static inline void touch_way(struct ws_cache *cache, uint32_t set, uint32_t way)
{
    uint64_t *words = cache->trees + (size_t)set * cache->tree_words;
    if (cache->has_leaf_words) {
        touch_leaf(words + 1 + way / WORD_LEAVES, way % WORD_LEAVES, WORD_LEVELS);
        way /= WORD_LEAVES;
    }
    touch_leaf(words, way, cache->top_depth);
}

/* The leaf at which a word of `depth` levels points, of which the first `leaves` are there. */
static uint32_t pointed_leaf(uint64_t word, uint32_t depth, uint32_t leaves)
{
    uint32_t node = 1;
    for (uint32_t below = depth; below-- > 0;) {
        const uint32_t first_right = ((2 * node + 1) << below) - (1u << depth);
        node = 2 * node + (uint32_t)(first_right < leaves && (word >> node & 1) != 0);
    }
    return node - (1u << depth);
}

static uint32_t pointed_way(const struct ws_cache *cache, uint32_t set)
{
    const uint64_t *words = cache->trees + (size_t)set * cache->tree_words;
    if (!cache->has_leaf_words)
        return pointed_leaf(words[0], cache->top_depth, cache->ways);
    const uint32_t group = pointed_leaf(words[0], cache->top_depth, cache->tree_words - 1);
    const uint32_t left = cache->ways - group * WORD_LEAVES;
    return group * WORD_LEAVES +
           pointed_leaf(words[1 + group], WORD_LEVELS, left < WORD_LEAVES ? left : WORD_LEAVES);
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

/* ---- finding lines ---- */

static inline uint32_t *bucket_of(const struct ws_cache *cache, uint64_t line)
{
    return &cache->buckets[line * GOLDEN >> cache->bucket_shift];
}

static inline void count_displaced(struct ws_cache *cache, uint32_t state)
{
    cache->written_sectors += ws_cache_count_sectors(state >> DIRTY_SHIFT);
}

/* Takes the line of a slot out of its bucket. */
static void leave_bucket(struct ws_cache *cache, uint32_t slot)
{
    uint32_t *place = bucket_of(cache, cache->slots[slot].line);
    while (*place != slot)
        place = &cache->slots[*place].chain;
    *place = cache->slots[slot].chain;
}

static inline void use_slot(struct ws_cache *cache, uint32_t set, uint32_t slot)
{
    if (cache->organisation == TREES) {
        touch_way(cache, set, slot - set * cache->ways);
    } else if (cache->ends[set].newer != slot) {
        unlink_slot(cache, &cache->ends[set], slot);
        link_newest(cache, &cache->ends[set], slot);
    }
}

/* A slot for a line that is not there, as the most recent one. */
static uint32_t take_slot(struct ws_cache *cache, uint32_t set, uint64_t line)
{
    uint32_t slot;
    if (cache->used[set] < cache->ways) {
        slot = set * cache->ways + cache->used[set]++;
        if (cache->organisation == LISTED_LRU)
            link_newest(cache, &cache->ends[set], slot);
        else
            use_slot(cache, set, slot);
    } else {
        slot = cache->organisation == TREES ? set * cache->ways + pointed_way(cache, set)
                                            : cache->ends[set].older;
        count_displaced(cache, cache->slots[slot].state);
        leave_bucket(cache, slot);
        use_slot(cache, set, slot);
    }
    uint32_t *bucket = bucket_of(cache, line);
    cache->slots[slot] = (struct slot){line, 0, *bucket};
    *bucket = slot;
    return slot;
}

/* The slot of a line as the most recent one; where it is not there a new one where `enters`, else NULL. */
static inline struct slot *find_indexed(struct ws_cache *cache, uint64_t line, bool enters, bool *is_new)
{
    uint32_t slot = *bucket_of(cache, line);
    while (slot != NO_SLOT && cache->slots[slot].line != line)
        slot = cache->slots[slot].chain;
    *is_new = slot == NO_SLOT;
    if (slot == NO_SLOT)
        return enters ? &cache->slots[take_slot(cache, ws_cache_set(&cache->sets, line), line)] : NULL;
    use_slot(cache, cache->sets.count == 1 ? 0 : slot / cache->ways, slot);
    return &cache->slots[slot];
}

static inline uint32_t access_indexed(struct ws_cache *cache, uint64_t line, uint32_t sectors, bool enters,
                                      bool writes, bool *is_new)
{
    struct slot *slot = find_indexed(cache, line, enters, is_new);
    if (slot == NULL)
        return 0;
    const uint32_t hits = slot->state & sectors;
    if (enters)
        slot->state |= writes ? sectors | sectors << DIRTY_SHIFT : sectors;
    return hits;
}

/* ---- sets that are looked through ---- */

static inline bool has_block(const struct ws_cache *cache, const uint64_t *entries, uint64_t block)
{
    for (uint32_t i = 0; i < cache->ways; ++i)
        if (entries[i] >> 2 * cache->entry_sectors == block)
            return true;
    return false;
}

/* Returns the entry of a block, for which there is room in front now: those before it moved by one while it was looked for. */
static inline uint64_t take_entry(struct ws_cache *cache, uint64_t *entries, uint64_t block, bool *is_new)
{
    const uint32_t bits = 2 * cache->entry_sectors;
    const uint32_t ways = cache->ways;
    uint64_t moved = entries[0];
    for (uint32_t i = 1; i < ways; ++i) {
        const uint64_t here = entries[i];
        entries[i] = moved;
        moved = here;
        if (here >> bits == block)
            return here;
    }
    cache->written_sectors +=
        ws_cache_count_sectors((uint32_t)(moved >> cache->entry_sectors) & cache->all_sectors);
    *is_new = true;
    return block << bits;
}

static inline uint32_t access_scanned(struct ws_cache *cache, uint64_t line, uint32_t sectors, bool enters,
                                      bool writes, bool *is_new)
{
    uint64_t block;
    uint64_t *entries = cache->entries + (size_t)ws_cache_place(&cache->sets, line, &block) * cache->ways;
    uint64_t entry = entries[0];
    *is_new = false;
    if (entry >> 2 * cache->entry_sectors != block) {
        if (!enters && !has_block(cache, entries, block)) {
            *is_new = true;
            return 0;
        }
        entry = take_entry(cache, entries, block, is_new);
    }
    const uint32_t hits = (uint32_t)entry & sectors;
    if (enters)
        entry |= writes ? sectors | (uint64_t)sectors << cache->entry_sectors : sectors;
    entries[0] = entry;
    return hits;
}

uint32_t ws_cache_access(struct ws_cache *cache, uint64_t line, uint32_t sectors, enum ws_cache_kind kind)
{
    struct ws_cache_counts *counts = &cache->counts[kind];
    const bool writes = kind != WS_CACHE_LOAD;
    const bool enters = !writes || cache->writes == WS_CACHE_WRITE_BACK;
    bool is_new;
    sectors &= cache->all_sectors;
    const uint32_t hits = cache->organisation == SCANNED_LRU
                              ? access_scanned(cache, line, sectors, enters, writes, &is_new)
                              : access_indexed(cache, line, sectors, enters, writes, &is_new);
    counts->requests++;
    counts->sector_hits += ws_cache_count_sectors(hits);
    counts->sector_misses += ws_cache_count_sectors(sectors ^ hits);
    counts->line_misses += is_new;
    return hits;
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
    if (cache->organisation == SCANNED_LRU) {
        for (size_t i = 0; i < lines; ++i)
            cache->entries[i] = UINT64_MAX << 2 * cache->entry_sectors; /* a block that no line has */
        return;
    }
    memset(cache->slots, 0, lines * sizeof(*cache->slots));
    memset(cache->used, 0, cache->sets.count * sizeof(*cache->used));
    memset(cache->buckets, 0xff, sizeof(*cache->buckets) << (64 - cache->bucket_shift));
    if (cache->organisation == TREES)
        memset(cache->trees, 0, (size_t)cache->sets.count * cache->tree_words * sizeof(*cache->trees));
    else
        memset(cache->ends, 0xff, cache->sets.count * sizeof(*cache->ends));
}

/* What slots are found and displaced by, where sets are not looked through. */
static bool allocate_index(struct ws_cache *cache, uint32_t lines)
{
    const uint32_t bucket_bits = depth_for(2 * lines);
    cache->bucket_shift = 64 - bucket_bits;
    cache->slots = calloc(lines, sizeof(*cache->slots));
    cache->used = calloc(cache->sets.count, sizeof(*cache->used));
    cache->buckets = calloc((size_t)1 << bucket_bits, sizeof(*cache->buckets));
    if (cache->slots == NULL || cache->used == NULL || cache->buckets == NULL)
        return false;
    if (cache->organisation == LISTED_LRU) {
        cache->links = calloc(lines, sizeof(*cache->links));
        cache->ends = calloc(cache->sets.count, sizeof(*cache->ends));
        return cache->links != NULL && cache->ends != NULL;
    }
    const uint32_t groups = (cache->ways + WORD_LEAVES - 1) / WORD_LEAVES;
    cache->has_leaf_words = groups > 1;
    cache->top_depth = depth_for(groups > 1 ? groups : cache->ways);
    cache->tree_words = groups > 1 ? 1 + groups : 1;
    cache->trees = calloc((size_t)cache->sets.count * cache->tree_words, sizeof(*cache->trees));
    return cache->trees != NULL;
}

/* Whether the block of every address has room beside the bits of sectors. */
static bool fits_entries(const struct ws_cache *cache, const struct ws_cache_settings *settings)
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
    const bool is_scanned = cache->ways <= SCANNED_WAYS && fits_entries(cache, settings);
    cache->organisation = settings->replacement == WS_CACHE_TREE_PLRU ? TREES
                          : is_scanned                                ? SCANNED_LRU
                                                                      : LISTED_LRU;
    cache->entry_sectors = settings->sectors;
    if (cache->organisation == SCANNED_LRU)
        cache->entries = calloc(settings->lines, sizeof(*cache->entries));
    if (cache->organisation == SCANNED_LRU ? cache->entries == NULL : !allocate_index(cache, settings->lines))
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
    free(cache->entries);
    free(cache->slots);
    free(cache->used);
    free(cache->buckets);
    free(cache->links);
    free(cache->ends);
    free(cache->trees);
    free(cache);
}

static uint32_t changed_sectors(const struct ws_cache *cache, size_t line)
{
    if (cache->organisation == SCANNED_LRU)
        return (uint32_t)(cache->entries[line] >> cache->entry_sectors) & cache->all_sectors;
    return cache->slots[line].state >> DIRTY_SHIFT;
}

void ws_cache_flush(struct ws_cache *cache)
{
    const size_t lines = (size_t)cache->sets.count * cache->ways;
    for (size_t i = 0; i < lines; ++i)
        cache->written_sectors += ws_cache_count_sectors(changed_sectors(cache, i));
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
