#include "analysis/compaction/compaction_visits.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

#define FIRST_SLOTS 256
#define DIGIT_BITS  11

void ws_compaction_visits_finish(struct ws_compaction_visits *visits)
{
    free(visits->visits);
    free(visits->slots);
    free(visits->words);
    free(visits->pairs);
    memset(visits, 0, sizeof(*visits));
}

static uint64_t hash_of(uint32_t site, const uint32_t *key, uint32_t length)
{
    uint64_t hash = site + UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < length; ++i) {
        hash = (hash ^ key[i]) * UINT64_C(0xbf58476d1ce4e5b9);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool equals(const struct ws_compaction_visits *visits, uint32_t visit, uint32_t site,
                   const uint32_t *key, uint32_t length)
{
    const struct ws_compaction_visit *other = &visits->visits[visit];
    return other->site == site && other->length == length &&
           memcmp(visits->words + other->key, key, length * sizeof(*key)) == 0;
}

static uint32_t *find(const struct ws_compaction_visits *visits, uint32_t site, const uint32_t *key,
                      uint32_t length)
{
    uint32_t index = (uint32_t)hash_of(site, key, length) & (visits->slot_count - 1);
    while (visits->slots[index] != 0 && !equals(visits, visits->slots[index] - 1, site, key, length))
        index = (index + 1) & (visits->slot_count - 1);
    return &visits->slots[index];
}

static bool grow_slots(struct ws_compaction_visits *visits)
{
    uint32_t count = visits->slot_count > 0 ? visits->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(visits->slots);
    visits->slots = slots;
    visits->slot_count = count;
    for (uint32_t i = 0; i < visits->count; ++i) {
        const struct ws_compaction_visit *visit = &visits->visits[i];
        *find(visits, visit->site, visits->words + visit->key, visit->length) = i + 1;
    }
    return true;
}

static bool grow_words(struct ws_compaction_visits *visits, uint32_t length)
{
    if (visits->word_count + length <= visits->word_capacity)
        return true;
    uint64_t capacity = visits->word_capacity > 0 ? visits->word_capacity * 2 : 4 * FIRST_SLOTS;
    uint32_t *words = realloc(visits->words, capacity * sizeof(*words));
    if (words == NULL)
        return false;
    visits->words = words;
    visits->word_capacity = capacity;
    return true;
}

/* The number of the visit; it is made if need be. WS_NONE if there are too many. False when there is no
 * memory. */
static bool number_of(struct ws_compaction_visits *visits, struct ws_compaction_visit_site *site,
                      uint32_t site_number, const uint32_t *key, uint32_t length, uint32_t *number)
{
    const uint32_t limit = visits->site_limit > 0 ? visits->site_limit : WS_VISITS_SITE_MAX;
    if (visits->count >= visits->slot_count / 2 && !grow_slots(visits))
        return false;
    uint32_t *slot = find(visits, site_number, key, length);
    *number = *slot - 1;
    if (*slot != 0)
        return true;
    *number = WS_NONE;
    if (site->visits >= limit || visits->count >= WS_VISITS_MAX)
        return true;
    struct ws_compaction_visit *grown =
        ws_array_grow(visits->visits, &visits->capacity, visits->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    visits->visits = grown;
    if (!grow_words(visits, length))
        return false;
    *number = visits->count++;
    *slot = *number + 1;
    grown[*number] = (struct ws_compaction_visit){visits->word_count, site_number, length};
    memcpy(visits->words + visits->word_count, key, length * sizeof(*key));
    visits->word_count += length;
    site->visits++;
    return true;
}

/* Adds a pair; if the visit has no number, or there are too many pairs, counts it in the rest. False when
 * there is no memory. */
static bool add_pair(struct ws_compaction_visits *visits, struct ws_compaction_visit_site *site,
                     uint32_t number, uint32_t warp, uint32_t active)
{
    if (number == WS_NONE || visits->pair_count >= WS_VISIT_PAIRS_MAX) {
        site->rest++;
        return true;
    }
    uint64_t *pairs =
        ws_array_grow(visits->pairs, &visits->pair_capacity, visits->pair_count + 1, sizeof(*pairs));
    if (pairs == NULL)
        return false;
    visits->pairs = pairs;
    pairs[visits->pair_count++] = (uint64_t)number << 40 | (uint64_t)warp << 8 | active;
    return true;
}

bool ws_compaction_visits_add(struct ws_compaction_visits *visits, struct ws_compaction_visit_site *site,
                              uint32_t site_number, const uint32_t *key, uint32_t length, uint32_t warp,
                              uint32_t active, uint32_t size)
{
    uint32_t number = WS_NONE;
    site->active += active;
    if (active >= size) {
        site->full++;
        return true;
    }
    return number_of(visits, site, site_number, key, length, &number) &&
           add_pair(visits, site, number, warp, active);
}

bool ws_compaction_visits_merge(struct ws_compaction_visits *to, struct ws_compaction_visit_site *to_sites,
                                const struct ws_compaction_visits *from, const uint32_t *numbers,
                                const uint32_t *warp_index)
{
    uint32_t *equals = malloc(((size_t)from->count + 1) * sizeof(*equals));
    bool merged = equals != NULL;
    for (uint32_t i = 0; i < from->count && merged; ++i) {
        const struct ws_compaction_visit *visit = &from->visits[i];
        uint32_t site = numbers[visit->site];
        merged = number_of(to, &to_sites[site], site, from->words + visit->key, visit->length, &equals[i]);
    }
    for (uint32_t i = 0; i < from->pair_count && merged; ++i) {
        uint32_t visit = (uint32_t)(from->pairs[i] >> 40);
        merged = add_pair(to, &to_sites[numbers[from->visits[visit].site]], equals[visit],
                          warp_index[(uint32_t)(from->pairs[i] >> 8)], (uint32_t)(from->pairs[i] & 0xff));
    }
    free(equals);
    return merged;
}

/* One pass of a radix sort, by DIGIT_BITS bits from `shift`. False if all have the same digit: nothing is
 * moved. */
static bool sort_digit(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift)
{
    uint32_t first[(1u << DIGIT_BITS) + 1] = {0};
    const uint64_t mask = (1u << DIGIT_BITS) - 1;
    for (uint32_t i = 0; i < count; ++i)
        first[(from[i] >> shift & mask) + 1]++;
    for (uint32_t i = 0; i <= mask; ++i) {
        if (first[i + 1] == count)
            return false;
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < count; ++i)
        to[first[from[i] >> shift & mask]++] = from[i];
    return true;
}

/* Sorts pairs by visit and warp. */
static bool sort_pairs(struct ws_compaction_visits *visits)
{
    uint64_t *other = malloc(((size_t)visits->pair_count + 1) * sizeof(*other));
    if (other == NULL)
        return false;
    for (uint32_t shift = 8; shift < 64; shift += DIGIT_BITS)
        if (sort_digit(visits->pairs, other, visits->pair_count, shift)) {
            uint64_t *swap = visits->pairs;
            visits->pairs = other;
            other = swap;
            visits->pair_capacity = visits->pair_count;
        }
    free(other);
    return true;
}

/* The active threads in one window of a visit. `number`: the window's, from 0, among those of its width. */
struct window {
    uint32_t number;
    uint32_t active;
};

/* Joins windows of equal number, after dividing each number by 2^shift. Returns how many windows are left. */
static uint32_t fold(struct window *windows, uint32_t count, uint32_t shift)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct window window = {windows[i].number >> shift, windows[i].active};
        if (kept > 0 && windows[kept - 1].number == window.number)
            windows[kept - 1].active += window.active;
        else
            windows[kept++] = window;
    }
    return kept;
}

/* Adds the warps that one visit requires, for every window. Two neighbouring windows of 2^w warps make one of
 * 2^(w + 1), so each width is worked out from the one before. */
static void add_visit(struct window *list, uint32_t count, uint32_t size, struct ws_windows *windows)
{
    count = fold(list, count, 0);
    for (uint32_t step = 0; step < WS_WINDOWS; ++step) {
        for (uint32_t i = 0; i < count; ++i)
            windows->required[step] += (list[i].active + size - 1) / size;
        if (count > 1)
            count = fold(list, count, 1);
    }
}

bool ws_compaction_visits_windows(struct ws_compaction_visits *visits, struct ws_windows *windows)
{
    uint32_t most = 0;
    if (!sort_pairs(visits))
        return false;
    for (uint32_t i = 0, length = 0; i < visits->pair_count; ++i) {
        length = i > 0 && visits->pairs[i] >> 40 == visits->pairs[i - 1] >> 40 ? length + 1 : 1;
        most = length > most ? length : most;
    }
    struct window *list = malloc(((size_t)most + 1) * sizeof(*list));
    if (list == NULL)
        return false;
    for (uint32_t i = 0; i < visits->pair_count;) {
        const struct ws_compaction_visit *visit = &visits->visits[visits->pairs[i] >> 40];
        const uint64_t number = visits->pairs[i] >> 40;
        uint32_t count = 0;
        for (; i < visits->pair_count && visits->pairs[i] >> 40 == number; ++i)
            list[count++] =
                (struct window){(uint32_t)(visits->pairs[i] >> 8), (uint32_t)(visits->pairs[i] & 0xff)};
        add_visit(list, count, visits->words[visit->key], &windows[visit->site]);
    }
    free(list);
    return true;
}

void ws_windows_add(struct ws_windows *windows, uint64_t count)
{
    for (uint32_t i = 0; i < WS_WINDOWS; ++i)
        windows->required[i] += count;
}
