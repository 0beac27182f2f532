/* How many warps are in flight over a launch, from the times at which they begin and end.
 *
 *   in flight   n(t): warps that have begun and not ended. A warp is in flight from its begin on, and no more at its end
 *   span        from the first begin to the last end
 *   peak        the largest n
 *   mean        the sum of all warps' times / span
 *   tail        from the last time that n falls below half of the peak to the end of the span. A launch whose warps all end
 *               together has none. Half: then at least as much of what was used at the peak is free as is in use
 *   drain       the time of warps that would have fitted between the last begin and the end of the span, had n stayed at the
 *               peak: the sum of peak - n(t) over that time. As a share of peak * span it is what the launch loses at its end,
 *               when there is nothing more to begin, however slowly it runs out
 *
 * Example: four warps, of the times 0-10, 0-4, 4-6 and 5-20. n is 2 from 0 to 5, 3 from 5 to 6, 2 from 6 to 10, 1 from 10 to
 * 20. The span is 20, the peak 3, the mean (10 + 4 + 2 + 15) / 20 = 1.55. From 10 on n is below 1.5: the tail is 10, half of
 * the launch. The last begin is at 5: the drain is 1 * 0 + 4 * 1 + 10 * 2 = 24 of 60. */
#ifndef WS_ANALYSIS_TIME_FLIGHT_H
#define WS_ANALYSIS_TIME_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* A warp: begin <= end. */
struct ws_flight_warp {
    uint64_t begin;
    uint64_t end;
};

struct ws_flight {
    uint64_t first; /* the first begin and the last end */
    uint64_t last;
    uint64_t peak;
    uint64_t warp_ticks; /* sum of all warps' times */
    uint64_t tail;
    uint64_t drain;
};

/* The figures of a launch; all 0 where there are no warps. False without memory. */
bool ws_flight_of(const struct ws_flight_warp *warps, uint32_t count, struct ws_flight *flight);

/* The mean of n in each of `bins` equal parts of the span. */
void ws_flight_bins(const struct ws_flight *flight, const struct ws_flight_warp *warps, uint32_t count,
                    double *means, uint32_t bins);

#endif
