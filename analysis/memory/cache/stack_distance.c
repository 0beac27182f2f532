#include "analysis/memory/cache/stack_distance.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/cache/cache_sets.h"

enum {
    FIRST_LINES = 1024, /* distinct lines that there is room for at first */
    WORD_TIMES = 64,
    FETCHED_AHEAD = 8, /* accesses */
};
#define LINES_MAX ((uint32_t)1 << 30)

/* A line that was accessed. */
struct entry {
    uint64_t line;
    uint32_t time; /* of its last access; 0 = the entry is free */
};

/* TIME counts accesses, from 1 on. A bit per time says whether it is the last access of some line: so a distance is the
 * number of bits behind the line's time. Bits before a word's end are added up by a Fenwick tree over words (Fenwick, "A new
 * data structure for cumulative frequency tables", 1994), which has words in it once they are full. */
struct ws_stack_distance {
    uint32_t one_of;
    uint64_t threshold; /* hashes up to it are followed */
    bool failed;
    struct entry *entries; /* twice `room`, a power of two: linear probing */
    uint32_t entry_mask;
    uint32_t room;    /* distinct lines */
    uint32_t lines;   /* distinct lines so far */
    uint32_t now;     /* the last time that was given */
    uint64_t *bits;   /* of times up to 2 x room, in words */
    uint32_t *sums;   /* the Fenwick tree: element w + 1 is word w */
    uint32_t *owners; /* the entry whose access a time was */
    uint64_t *counts; /* the histogram */
    uint64_t count_capacity;
    uint64_t count_size;
    uint64_t none;
    uint64_t accesses;
    uint64_t followed;
};

static inline uint32_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(word * 0x0101010101010101u >> 56);
}

static uint32_t times_for(uint32_t room)
{
    return 2 * room + WORD_TIMES;
}

/* ---- words of times ---- */

/* Word w is full: it gets its element, which is the sum of some words before it too. */
static void close_word(struct ws_stack_distance *distances, uint32_t word)
{
    const uint32_t element = word + 1;
    uint32_t sum = count_bits(distances->bits[word]);
    for (uint32_t step = 1; (element & step) == 0; step <<= 1)
        sum += distances->sums[element - step];
    distances->sums[element] = sum;
}

/* The bits of the words before `word`, which are full. */
static inline uint32_t bits_before(const struct ws_stack_distance *distances, uint32_t word)
{
    uint32_t sum = 0;
    for (uint32_t element = word; element > 0; element &= element - 1)
        sum += distances->sums[element];
    return sum;
}

static inline void remove_time(struct ws_stack_distance *distances, uint32_t time)
{
    const uint32_t word = time / WORD_TIMES;
    const uint32_t open = distances->now / WORD_TIMES;
    distances->bits[word] &= ~((uint64_t)1 << time % WORD_TIMES);
    for (uint32_t element = word + 1; element <= open; element += element & (0 - element))
        distances->sums[element]--;
}

/* The distinct lines that were accessed after `time`. Few words are added one by one, from the end. */
static inline uint32_t lines_after(const struct ws_stack_distance *distances, uint32_t time)
{
    const uint32_t word = time / WORD_TIMES;
    const uint32_t open = distances->now / WORD_TIMES;
    uint32_t after = count_bits(distances->bits[word] >> time % WORD_TIMES) - 1;
    if (open - word > 4)
        return distances->lines - bits_before(distances, word) - (count_bits(distances->bits[word]) - after);
    for (uint32_t i = word + 1; i <= open; ++i)
        after += count_bits(distances->bits[i]);
    return after;
}

static void add_time(struct ws_stack_distance *distances, uint32_t owner)
{
    const uint32_t time = ++distances->now;
    if (time % WORD_TIMES == 0) {
        close_word(distances, time / WORD_TIMES - 1);
        distances->bits[time / WORD_TIMES] = 0;
    }
    distances->bits[time / WORD_TIMES] |= (uint64_t)1 << time % WORD_TIMES;
    distances->owners[time] = owner;
    distances->entries[owner].time = time;
}

/* Gives the times of last accesses anew, from 1 on and in order. New times are never behind old ones. */
static void compact(struct ws_stack_distance *distances)
{
    const uint32_t last = distances->now;
    distances->now = 0;
    for (uint32_t word = 0; word <= last / WORD_TIMES; ++word) {
        uint64_t bits = distances->bits[word];
        distances->bits[word] = 0;
        for (; bits != 0; bits &= bits - 1)
            add_time(distances, distances->owners[word * WORD_TIMES + (uint32_t)__builtin_ctzll(bits)]);
    }
}

/* ---- lines ---- */

/* The entry of a line, or the free one that it would have. */
static inline uint32_t find_entry(const struct ws_stack_distance *distances, uint64_t line, uint64_t hash)
{
    uint32_t entry = (uint32_t)(hash & distances->entry_mask);
    while (distances->entries[entry].time != 0 && distances->entries[entry].line != line)
        entry = (entry + 1) & distances->entry_mask;
    return entry;
}

static bool grow_times(struct ws_stack_distance *distances, uint32_t room)
{
    const size_t times = times_for(room);
    uint64_t *bits = realloc(distances->bits, (times / WORD_TIMES + 1) * sizeof(*bits));
    if (bits != NULL)
        distances->bits = bits;
    uint32_t *sums = realloc(distances->sums, (times / WORD_TIMES + 2) * sizeof(*sums));
    if (sums != NULL)
        distances->sums = sums;
    uint32_t *owners = realloc(distances->owners, (times + 1) * sizeof(*owners));
    if (owners != NULL)
        distances->owners = owners;
    return bits != NULL && sums != NULL && owners != NULL;
}

/* Makes room for twice as many lines. */
static bool grow(struct ws_stack_distance *distances)
{
    const uint32_t room = distances->room == 0 ? FIRST_LINES : 2 * distances->room;
    const uint32_t old_count = distances->room == 0 ? 0 : distances->entry_mask + 1;
    struct entry *old = distances->entries;
    if (room > LINES_MAX || !grow_times(distances, room))
        return false;
    struct entry *entries = calloc((size_t)2 * room, sizeof(*entries));
    if (entries == NULL)
        return false;
    if (distances->room == 0)
        distances->bits[0] = 0;
    distances->entries = entries;
    distances->entry_mask = 2 * room - 1;
    distances->room = room;
    for (uint32_t i = 0; i < old_count; ++i) {
        if (old[i].time == 0)
            continue;
        const uint32_t entry = find_entry(distances, old[i].line, ws_cache_mix(old[i].line));
        entries[entry] = old[i];
        distances->owners[old[i].time] = entry;
    }
    free(old);
    return true;
}

struct ws_stack_distance *ws_stack_distance_create(uint32_t one_of)
{
    struct ws_stack_distance *distances = calloc(1, sizeof(*distances));
    if (distances == NULL)
        return NULL;
    distances->one_of = one_of > 0 ? one_of : 1;
    distances->threshold = UINT64_MAX / distances->one_of;
    if (!grow(distances)) {
        ws_stack_distance_destroy(distances);
        return NULL;
    }
    return distances;
}

void ws_stack_distance_destroy(struct ws_stack_distance *distances)
{
    if (distances == NULL)
        return;
    free(distances->entries);
    free(distances->bits);
    free(distances->sums);
    free(distances->owners);
    free(distances->counts);
    free(distances);
}

/* ---- accesses ---- */

static bool grow_counts(struct ws_stack_distance *distances, uint64_t distance)
{
    uint64_t capacity = distances->count_capacity > 0 ? distances->count_capacity : FIRST_LINES;
    while (capacity <= distance)
        capacity *= 2;
    uint64_t *counts = realloc(distances->counts, capacity * sizeof(*counts));
    if (counts == NULL)
        return false;
    memset(counts + distances->count_capacity, 0, (capacity - distances->count_capacity) * sizeof(*counts));
    distances->counts = counts;
    distances->count_capacity = capacity;
    return true;
}

static uint64_t fail(struct ws_stack_distance *distances)
{
    distances->failed = true;
    return WS_DISTANCE_SKIPPED;
}

static uint64_t follow(struct ws_stack_distance *distances, uint64_t line, uint64_t hash)
{
    uint32_t entry = find_entry(distances, line, hash);
    const uint32_t time = distances->entries[entry].time;
    if (time == 0 && distances->lines == distances->room) {
        if (!grow(distances))
            return fail(distances);
        entry = find_entry(distances, line, hash);
    }
    uint64_t distance = WS_DISTANCE_NONE;
    if (time != 0) {
        distance = lines_after(distances, time);
        if (distance >= distances->count_capacity && !grow_counts(distances, distance))
            return fail(distances);
        distances->counts[distance]++;
        if (distance >= distances->count_size)
            distances->count_size = distance + 1;
        remove_time(distances, time);
        distance *= distances->one_of;
    } else {
        distances->entries[entry].line = line;
        distances->lines++;
        distances->none++;
    }
    if (distances->now + 1 >= times_for(distances->room))
        compact(distances);
    add_time(distances, entry);
    distances->accesses++;
    distances->followed++;
    return distance;
}

uint64_t ws_stack_distance_access(struct ws_stack_distance *distances, uint64_t line)
{
    const uint64_t hash = ws_cache_mix(line);
    if (distances->failed)
        return WS_DISTANCE_SKIPPED;
    if (hash <= distances->threshold)
        return follow(distances, line, hash);
    distances->accesses++;
    return WS_DISTANCE_SKIPPED;
}

void ws_stack_distance_run(struct ws_stack_distance *distances, const uint64_t *lines, size_t count,
                           uint64_t *found)
{
    for (size_t i = 0; i < count; ++i) {
        if (i + FETCHED_AHEAD < count)
            __builtin_prefetch(
                &distances->entries[ws_cache_mix(lines[i + FETCHED_AHEAD]) & distances->entry_mask]);
        const uint64_t distance = ws_stack_distance_access(distances, lines[i]);
        if (found != NULL)
            found[i] = distance;
    }
}

/* ---- figures ---- */

bool ws_stack_distance_failed(const struct ws_stack_distance *distances)
{
    return distances->failed;
}

uint64_t ws_stack_distance_accesses(const struct ws_stack_distance *distances)
{
    return distances->accesses;
}

uint64_t ws_stack_distance_lines(const struct ws_stack_distance *distances)
{
    return (uint64_t)distances->lines * distances->one_of;
}

struct ws_distance_histogram ws_stack_distance_histogram(const struct ws_stack_distance *distances)
{
    const double total = (double)distances->accesses / distances->one_of;
    return (struct ws_distance_histogram){
        .counts = distances->counts,
        .size = distances->count_size,
        .none = distances->none,
        .one_of = distances->one_of,
        .missing = total - (double)distances->followed,
        .total = total,
    };
}

double ws_stack_distance_hit_rate(const struct ws_stack_distance *distances, uint64_t lines)
{
    const struct ws_distance_histogram histogram = ws_stack_distance_histogram(distances);
    uint64_t hits = 0;
    /* distance x one_of < lines */
    const uint64_t end = lines / histogram.one_of + (lines % histogram.one_of != 0);
    if (distances->accesses == 0 || lines == 0)
        return 0;
    for (uint64_t i = 0; i < histogram.size && i < end; ++i)
        hits += histogram.counts[i];
    const double rate = ((double)hits + histogram.missing) / histogram.total;
    return rate < 0 ? 0 : rate > 1 ? 1 : rate;
}
