/* Which key to tell of a call site: what sorting saves there, less its cost (reorder.h). */
#include <stdlib.h>

#include "analysis/reorder/reorder.h"

/* A key that is simpler to have is told in place of one that saves up to 2 % more: shader before called, and so on in the order
 * of enum ws_reorder_key. */
#define SIMPLER 0.98

static struct ws_reorder_gain measure(const struct ws_reorder_results *results, const struct ws_row *row,
                                      double worth)
{
    const struct ws_reorder_sums *sums = row->sums;
    const uint64_t saved = sums->slots > sums->slots_after ? sums->slots - sums->slots_after : 0;
    struct ws_reorder_gain gain = {row->keys[WS_REORDER_BY_SITE], row->keys[WS_REORDER_BY_KEY], *sums, 0,
                                   ws_reorder_parting(results, row->keys[WS_REORDER_BY_SITE]) != NULL};
    const bool sorted = gain.key != WS_REORDER_PACKED && gain.key != WS_REORDER_PATH;
    if (sorted && sums->cost > 0 && saved > sums->cost && (double)saved >= worth * (double)sums->cost)
        gain.slots = saved - sums->cost;
    return gain;
}

static int compare_gains(const void *left, const void *right)
{
    const struct ws_reorder_gain *a = left;
    const struct ws_reorder_gain *b = right;
    if (a->slots != b->slots)
        return a->slots > b->slots ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

/* What a gain counts beside others: a branch, four fifths of what it saves. A program can know what its rays hit before it
 * sorts threads; which way they take in code that comes after that it may not. At a parting it does. */
static double weigh(const struct ws_reorder_gain *gain)
{
    return gain->key == WS_REORDER_BRANCH && !gain->parts ? 0.8 * (double)gain->slots : (double)gain->slots;
}

/* Puts a gain into the place of its call site: the first `count` are one for each. Without `most` what saves most is kept;
 * with it, parallel to them, the simplest of those that save nearly as much as it says. */
static void keep(struct ws_reorder_gain *kept, uint32_t *count, const double *most,
                 const struct ws_reorder_gain *gain)
{
    uint32_t at = 0;
    while (at < *count && kept[at].site != gain->site)
        at++;
    if (at == *count)
        kept[(*count)++] = *gain;
    else if (most == NULL ? weigh(gain) > weigh(&kept[at])
                          : weigh(gain) >= SIMPLER * most[at] &&
                                (weigh(&kept[at]) < SIMPLER * most[at] || gain->key < kept[at].key))
        kept[at] = *gain;
}

bool ws_reorder_gains(const struct ws_reorder_results *results, double worth, struct ws_reorder_gain **gains,
                      uint32_t *count)
{
    const uint32_t rows = ws_groups_count(results->groups, WS_REORDER_WORTHY);
    struct ws_reorder_gain *all = calloc((size_t)rows + 1, sizeof(*all));
    double *most = calloc((size_t)rows + 1, sizeof(*most));
    *gains = all;
    *count = 0;
    for (int pass = 0; pass < 2 && all != NULL && most != NULL; ++pass) {
        for (uint32_t i = 0; i < *count; ++i)
            most[i] = weigh(&all[i]);
        for (uint32_t i = 0; i < rows; ++i) {
            struct ws_row row;
            ws_groups_row(results->groups, WS_REORDER_WORTHY, i, &row);
            if (row.keys[WS_REORDER_BY_SITE] >> 32 >= results->catalog->shader_count)
                continue; /* of a launch, not of a call site */
            const struct ws_reorder_gain gain = measure(results, &row, worth > 0 ? worth : WS_REORDER_WORTH);
            if (gain.slots > 0)
                keep(all, count, pass == 0 ? NULL : most, &gain);
        }
    }
    if (all != NULL && *count > 1)
        qsort(all, *count, sizeof(*all), compare_gains);
    const bool found = all != NULL && most != NULL;
    free(most);
    return found;
}

const char *ws_reorder_key_words(uint32_t key)
{
    switch (key) {
    case WS_REORDER_SHADER: return "the shader that is called";
    case WS_REORDER_CALLED: return "the shader that is called and the callables that it runs";
    case WS_REORDER_BY_INSTANCE: return "the shader that is called and the instance that is hit";
    case WS_REORDER_BY_GEOMETRY: return "the shader that is called and the geometry that is hit";
    case WS_REORDER_BY_OCTANT: return "the shader that is called and the octant of the ray's direction";
    case WS_REORDER_HIT: return "the shader that is called and bits of what is hit";
    case WS_REORDER_PAYLOAD: return "the shader that is called and bits of what is handed over";
    case WS_REORDER_BRANCH: return "the shader that is called and the way that a thread takes behind it";
    default: return ws_reorder_key_name(key);
    }
}
