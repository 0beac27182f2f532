/* The axis of a plot: where its values lie between 0 and 1, and its ticks at round values. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_AXIS_H
#define WS_ANALYSIS_OUTPUT_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define WS_TICKS_MAX    64
#define WS_TICK_TEXT    16
#define WS_TICKS_WANTED 8

struct ws_tick {
    double value;
    char text[WS_TICK_TEXT];
};

struct ws_axis {
    unsigned base; /* of its logarithm; 0 = linear */
    double low;
    double high; /* above low */
    struct ws_tick ticks[WS_TICKS_MAX];
    size_t tick_count;
};

/* An axis for values from `low` to `high`, with `wanted` ticks or somewhat fewer. Linear: it ends at a tick,
 * unless `exact`. Logarithmic: values from 0 on are left out; `low` is the lowest above 0, and it begins and
 * ends at powers of the base. Any numbers give an axis. */
void ws_axis_init(struct ws_axis *axis, unsigned base, double low, double high, bool exact, size_t wanted);

/* Where `value` lies: 0 = low end, 1 = high end; beyond these where it is outside, and NaN where it is no
 * number, or 0 or less on a logarithmic axis. */
double ws_axis_place(const struct ws_axis *axis, double value);

/* A number as axes and legends write it: "0.25", "1500", "20k", "1.5M". Returns `text`. */
const char *ws_axis_text(double value, char text[WS_TICK_TEXT]);

#endif
