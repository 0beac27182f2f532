#include "analysis/diff/join.h"

#include <stdlib.h>

#include "warpscope/instrument.h"

struct keyed {
    uint64_t key;
    uint32_t index;
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

bool ws_diff_join_init(struct ws_diff_join *join, uint32_t count_a, uint32_t count_b)
{
    *join = (struct ws_diff_join){.count = {count_a, count_b}};
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        join->other[side] = malloc(join->count[side] * sizeof(uint32_t) + 1);
        if (join->other[side] == NULL)
            return false;
        for (uint32_t i = 0; i < join->count[side]; ++i)
            join->other[side][i] = WS_NONE;
    }
    return true;
}

void ws_diff_join_finish(struct ws_diff_join *join)
{
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        free(join->other[side]);
    *join = (struct ws_diff_join){.count = {0, 0}};
}

/* Those of a side that have a key and no counterpart, sorted. NULL when there is no memory. */
static struct keyed *sort_side(const struct ws_diff_join *join, uint32_t side, const uint64_t *keys,
                               uint32_t *count)
{
    struct keyed *list = malloc(join->count[side] * sizeof(*list) + 1);
    *count = 0;
    for (uint32_t i = 0; list != NULL && i < join->count[side]; ++i)
        if (keys[i] != 0 && join->other[side][i] == WS_NONE)
            list[(*count)++] = (struct keyed){keys[i], i};
    if (list != NULL && *count > 0)
        qsort(list, *count, sizeof(*list), compare_keyed);
    return list;
}

bool ws_diff_join_by(struct ws_diff_join *join, const uint64_t *keys_a, const uint64_t *keys_b)
{
    uint32_t count_a = 0;
    uint32_t count_b = 0;
    struct keyed *a = sort_side(join, 0, keys_a, &count_a);
    struct keyed *b = sort_side(join, 1, keys_b, &count_b);
    const bool sorted = a != NULL && b != NULL;
    for (uint32_t i = 0, j = 0; sorted && i < count_a && j < count_b;) {
        if (a[i].key != b[j].key) {
            if (a[i].key < b[j].key)
                ++i;
            else
                ++j;
            continue;
        }
        join->other[0][a[i].index] = b[j].index;
        join->other[1][b[j].index] = a[i].index;
        ++i;
        ++j;
    }
    free(a);
    free(b);
    return sorted;
}

uint32_t ws_diff_joint(const struct ws_diff_join *join, uint32_t side, uint32_t index)
{
    if (side == 0)
        return index;
    return join->other[1][index] != WS_NONE ? join->other[1][index] : join->count[0] + index;
}
