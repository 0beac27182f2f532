/* Drawing with cairo: axes, plots and images, the same on every kind of surface. plot.c writes what is drawn
 * into files. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_DRAW_H
#define WS_ANALYSIS_OUTPUT_PLOT_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include <cairo.h>

#include "analysis/output/plot.h"

/* The axis of a plot: where its values lie between 0 and 1, and its ticks at round values. */
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

#define WS_PLOT_WIDTH  960 /* of a plot, in the units that it is drawn in */
#define WS_PLOT_HEIGHT 540

/* Series that are told apart; what is more is "N more" in the legend. */
#define WS_PLOT_SERIES 8

/* Draws the plot. Failures are the context's status. */
void ws_plot_draw(cairo_t *cairo, const struct ws_plot *plot);

/* Chooses the font of pictures, at `size`. */
void ws_plot_font(cairo_t *cairo, double size, bool bold);

/* Writes `text` where it is at most `width` wide, with an ellipsis where it is cut. `align`: -1 = it begins
 * at x, 0 = x is its middle, 1 = it ends there. Control characters and bytes that are no UTF-8 are shown as
 * "?". Returns its width. */
double ws_plot_text(cairo_t *cairo, double x, double y, double width, int align, const char *text);

/* A new surface with the image, its title and its scale; NULL when there is no memory. Freed by the caller.
 */
cairo_surface_t *ws_plot_image(const struct ws_image *image);

/* The colour of `place`, from 0 to 1, on the scale of heat: red, green, blue from 0 to 1. */
void ws_heat_colour(double place, double colour[3]);

#endif
