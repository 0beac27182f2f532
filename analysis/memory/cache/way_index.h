/* Which way of a set has a line, for sets of many ways: a hash table for each set, with chains.
 *
 * The chains are linked both ways and end in a way that is none, so that a line is taken out, and another put in, without a
 * branch. There are two to four BUCKETS for each way.
 *
 * Not thread-safe. After ws_way_index_init nothing is allocated. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_WAY_INDEX_H
#define WS_ANALYSIS_MEMORY_CACHE_WAY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_WAY_INDEX_WAYS 4096u /* the most */

struct ws_way_index {
    uint32_t sets;
    uint32_t ways;
    uint32_t hash_shift; /* of 64 bits: what is left is a bucket */
    uint32_t link_count; /* of a set: its ways, one that is none, its buckets */
    uint16_t *next;      /* by set: of ways and buckets, the next way of the chain; `ways` = there is none */
    uint16_t *before;    /* by set: of ways, what comes before it in the chain, as a link */
    /* By set and way. The high halves are all 0 until a line has one that is not. */
    uint32_t *low;
    uint32_t *high;
    bool has_high;
};

/* Sets without lines; they take about 20 bytes a way. False when there is no memory. One that is zero may be finished. */
bool ws_way_index_init(struct ws_way_index *index, uint32_t sets, uint32_t ways);
void ws_way_index_finish(struct ws_way_index *index);
void ws_way_index_clear(struct ws_way_index *index);

/* The link of a line's bucket. */
static inline uint32_t ws_way_index_bucket(const struct ws_way_index *index, uint64_t line)
{
    /* 2^64 / golden ratio: Knuth, volume 3, section 6.4 */
    return index->ways + 1 + (uint32_t)(line * 0x9e3779b97f4a7c15u >> index->hash_shift);
}

/* The way of a line; `ways` where none of the set has it. */
static inline uint32_t ws_way_index_find(const struct ws_way_index *index, uint32_t set, uint64_t line)
{
    const uint16_t *next = index->next + (size_t)set * index->link_count;
    const uint32_t *low = index->low + (size_t)set * index->ways;
    const uint32_t *high = index->high + (size_t)set * index->ways;
    const bool has_high = index->has_high || line >> 32 != 0;
    uint32_t way = next[ws_way_index_bucket(index, line)];
    while (way != index->ways && (low[way] != (uint32_t)line || (has_high && high[way] != line >> 32)))
        way = next[way];
    return way;
}

/* A way that has no line gets one, which is in no other way of its set. */
static inline void ws_way_index_add(struct ws_way_index *index, uint32_t set, uint32_t way, uint64_t line)
{
    uint16_t *next = index->next + (size_t)set * index->link_count;
    uint16_t *before = index->before + (size_t)set * (index->ways + 1);
    const size_t place = (size_t)set * index->ways + way;
    const uint32_t bucket = ws_way_index_bucket(index, line);
    const uint16_t first = next[bucket];
    next[way] = first;
    next[bucket] = (uint16_t)way;
    before[first] = (uint16_t)way;
    before[way] = (uint16_t)bucket;
    index->low[place] = (uint32_t)line;
    index->has_high = index->has_high || line >> 32 != 0;
    if (index->has_high)
        index->high[place] = (uint32_t)(line >> 32);
}

/* Takes the line of a way out. */
static inline void ws_way_index_remove(struct ws_way_index *index, uint32_t set, uint32_t way)
{
    uint16_t *next = index->next + (size_t)set * index->link_count;
    uint16_t *before = index->before + (size_t)set * (index->ways + 1);
    next[before[way]] = next[way];
    before[next[way]] = before[way];
}

#endif
