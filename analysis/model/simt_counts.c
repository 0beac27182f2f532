#include "warpscope/model/simt_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/stage.h"

uint64_t ws_simt_sum(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

uint64_t ws_simt_product(uint64_t left, uint64_t right)
{
    return right != 0 && left > UINT64_MAX / right ? UINT64_MAX : left * right;
}

void ws_simt_counts_add(struct ws_simt_counts *counts, const struct ws_simt_counts *more)
{
    counts->warps = ws_simt_sum(counts->warps, more->warps);
    counts->threads = ws_simt_sum(counts->threads, more->threads);
    counts->active = ws_simt_sum(counts->active, more->active);
    counts->slots = ws_simt_sum(counts->slots, more->slots);
    counts->weighted_active = ws_simt_sum(counts->weighted_active, more->weighted_active);
    counts->weighted_slots = ws_simt_sum(counts->weighted_slots, more->weighted_slots);
    counts->entry_active = ws_simt_sum(counts->entry_active, more->entry_active);
    counts->entry_slots = ws_simt_sum(counts->entry_slots, more->entry_slots);
    counts->fragment_active = ws_simt_sum(counts->fragment_active, more->fragment_active);
    counts->fragment_slots = ws_simt_sum(counts->fragment_slots, more->fragment_slots);
    counts->instructions = ws_simt_sum(counts->instructions, more->instructions);
    counts->unsized = ws_simt_sum(counts->unsized, more->unsized);
    counts->wide = ws_simt_sum(counts->wide, more->wide);
    counts->sizes |= more->sizes;
    counts->ambiguous |= more->ambiguous;
    /* The largest sums: no other one saturates before one of these does. */
    counts->saturated = counts->saturated || more->saturated || counts->weighted_slots == UINT64_MAX ||
                        counts->instructions == UINT64_MAX || counts->slots == UINT64_MAX ||
                        counts->active == UINT64_MAX || counts->warps == UINT64_MAX;
}

bool ws_simt_histogram_add(struct ws_simt_histogram *histogram, const uint64_t *counts, uint32_t bins,
                           uint64_t times)
{
    while (bins > 0 && counts[bins - 1] == 0)
        --bins;
    if (times == 0)
        return true;
    if (bins > histogram->bins) {
        uint64_t *larger = realloc(histogram->counts, bins * sizeof(*larger));
        if (larger == NULL)
            return false;
        memset(larger + histogram->bins, 0, (bins - histogram->bins) * sizeof(*larger));
        histogram->counts = larger;
        histogram->bins = bins;
    }
    for (uint32_t i = 0; i < bins; ++i)
        histogram->counts[i] = ws_simt_sum(histogram->counts[i], ws_simt_product(times, counts[i]));
    return true;
}

void ws_simt_histogram_finish(struct ws_simt_histogram *histogram)
{
    free(histogram->counts);
    memset(histogram, 0, sizeof(*histogram));
}

/* Why all figures of these counts are withheld. */
static enum ws_simt_doubt doubt_of(const struct ws_simt_counts *counts)
{
    if (counts->warps == 0)
        return counts->threads > 0 ? WS_SIMT_PER_THREAD : WS_SIMT_NOTHING;
    if (counts->wide > 0)
        return WS_SIMT_TOO_WIDE;
    if (counts->ambiguous != 0)
        return WS_SIMT_SEVERAL_SIZES;
    if (counts->unsized > 0)
        return WS_SIMT_UNKNOWN_SIZE;
    return counts->saturated ? WS_SIMT_SATURATED : WS_SIMT_SURE;
}

static enum ws_simt_doubt divide(const struct ws_simt_counts *counts, uint64_t part, uint64_t whole,
                                 double *value)
{
    enum ws_simt_doubt doubt = doubt_of(counts);
    if (doubt == WS_SIMT_SURE && whole == 0)
        doubt = WS_SIMT_NOTHING;
    if (doubt == WS_SIMT_SURE)
        *value = (double)part / (double)whole;
    return doubt;
}

enum ws_simt_doubt ws_simt_efficiency(const struct ws_simt_counts *counts, double *value)
{
    return divide(counts, counts->active, counts->slots, value);
}

enum ws_simt_doubt ws_simt_efficiency_weighted(const struct ws_simt_counts *counts, double *value)
{
    return divide(counts, counts->weighted_active, counts->weighted_slots, value);
}

enum ws_simt_doubt ws_simt_partial(const struct ws_simt_counts *counts, double *value)
{
    return divide(counts, counts->entry_slots - counts->entry_active, counts->entry_slots, value);
}

enum ws_simt_doubt ws_simt_helpers(const struct ws_simt_counts *counts, double *value)
{
    return divide(counts, counts->fragment_slots - counts->fragment_active, counts->fragment_slots, value);
}

const char *ws_simt_sizes_text(uint32_t sizes, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t bit = 0; bit < 32 && used < size; ++bit)
        if ((sizes >> bit & 1) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%u", used > 0 ? ", " : "", 1u << bit);
    return text;
}

const char *ws_simt_doubt_text(enum ws_simt_doubt doubt, const struct ws_simt_counts *counts, char *text,
                               size_t size)
{
    char sizes[128];
    switch (doubt) {
    case WS_SIMT_SURE: snprintf(text, size, "%s", ""); break;
    case WS_SIMT_NOTHING: snprintf(text, size, "nothing to measure"); break;
    case WS_SIMT_PER_THREAD: snprintf(text, size, "counted per thread"); break;
    case WS_SIMT_SEVERAL_SIZES:
        snprintf(text, size, "several subgroup sizes: %s",
                 ws_simt_sizes_text(counts->ambiguous, sizes, sizeof(sizes)));
        break;
    case WS_SIMT_UNKNOWN_SIZE: snprintf(text, size, "the subgroup size was not recorded"); break;
    case WS_SIMT_TOO_WIDE: snprintf(text, size, "more active lanes than the subgroup size"); break;
    case WS_SIMT_SATURATED: snprintf(text, size, "the sums exceed 64 bits"); break;
    }
    return text;
}

bool ws_simt_is_launched(uint32_t stage)
{
    return stage == WS_STAGE_VERTEX || stage == WS_STAGE_TESSELLATION_CONTROL ||
           stage == WS_STAGE_TESSELLATION_EVALUATION || stage == WS_STAGE_GEOMETRY ||
           stage == WS_STAGE_COMPUTE || stage == WS_STAGE_TASK || stage == WS_STAGE_MESH ||
           stage == WS_STAGE_RAYGEN;
}

uint64_t ws_simt_slots(const struct ws_simt_counts *counts)
{
    return counts->weighted_slots > counts->instructions ? counts->weighted_slots : counts->instructions;
}

void ws_histogram_text(const struct ws_simt_histogram *histogram, uint32_t most, char *text, size_t size)
{
    size_t used = 0;
    uint32_t more = 0;
    text[0] = '\0';
    for (uint32_t i = histogram->bins; i > 0; --i)
        if (histogram->counts[i - 1] > 0 && most > 0 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32 ":%" PRIu64, used > 0 ? " " : "",
                                     i, histogram->counts[i - 1]);
            --most;
        } else {
            more += histogram->counts[i - 1] > 0;
        }
    if (more > 0 && used < size)
        snprintf(text + used, size - used, " +%" PRIu32, more);
}
