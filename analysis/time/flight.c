#include "analysis/time/flight.h"

#include <stdlib.h>
#include <string.h>

static int compare_ticks(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Goes through begins and ends in order of time: n changes only there. */
static void sweep(const uint64_t *begins, const uint64_t *ends, uint32_t count, struct ws_flight *flight,
                  bool second)
{
    uint32_t begun = 0;
    uint32_t ended = 0;
    uint64_t fell = flight->last;
    while (ended < count) {
        const uint64_t at = begun < count && begins[begun] < ends[ended] ? begins[begun] : ends[ended];
        const uint64_t before = begun - ended;
        while (begun < count && begins[begun] == at)
            begun++;
        while (ended < count && ends[ended] == at)
            ended++;
        const uint64_t now = begun - ended;
        if (!second) {
            flight->peak = now > flight->peak ? now : flight->peak;
            continue;
        }
        if (2 * now < flight->peak && 2 * before >= flight->peak)
            fell = at;
        const uint64_t next = ended < count ? ends[ended] : flight->last;
        if (begun == count)
            flight->drain += (flight->peak - now) * (next - at);
    }
    if (second)
        flight->tail = flight->last - fell;
}

bool ws_flight_of(const struct ws_flight_warp *warps, uint32_t count, struct ws_flight *flight)
{
    *flight = (struct ws_flight){.first = 0};
    if (count == 0)
        return true;
    uint64_t *begins = malloc(2 * (size_t)count * sizeof(*begins));
    if (begins == NULL)
        return false;
    uint64_t *ends = begins + count;
    for (uint32_t i = 0; i < count; ++i) {
        begins[i] = warps[i].begin;
        ends[i] = warps[i].end;
        flight->warp_ticks += warps[i].end - warps[i].begin;
    }
    qsort(begins, count, sizeof(*begins), compare_ticks);
    qsort(ends, count, sizeof(*ends), compare_ticks);
    flight->first = begins[0];
    flight->last = ends[count - 1];
    sweep(begins, ends, count, flight, false);
    sweep(begins, ends, count, flight, true);
    free(begins);
    return true;
}

/* Adds a warp's part of each bin. */
static void add_warp(double begin, double end, double width, double *means, uint32_t bins)
{
    uint32_t bin = (uint32_t)(begin / width);
    for (; bin < bins && bin * width < end; ++bin) {
        const double from = begin > bin * width ? begin : bin * width;
        const double to = end < (bin + 1) * width ? end : (bin + 1) * width;
        means[bin] += to > from ? (to - from) / width : 0;
    }
}

void ws_flight_bins(const struct ws_flight *flight, const struct ws_flight_warp *warps, uint32_t count,
                    double *means, uint32_t bins)
{
    const double width = (double)(flight->last - flight->first) / bins;
    memset(means, 0, bins * sizeof(*means));
    for (uint32_t i = 0; i < count && width > 0; ++i)
        add_warp((double)(warps[i].begin - flight->first), (double)(warps[i].end - flight->first), width,
                 means, bins);
}
