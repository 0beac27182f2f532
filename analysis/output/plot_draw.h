/* Draws plots and images with cairo, the same on every kind of surface; plot.c writes them into files. What
 * is here besides is for tests. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_DRAW_H
#define WS_ANALYSIS_OUTPUT_PLOT_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include <cairo.h>

#include "analysis/output/plot.h"

#define WS_TICKS_MAX    64
#define WS_TICK_TEXT    16
#define WS_TICKS_WANTED 8

#define WS_PLOT_WIDTH  960 /* of a plot, in units; an SVG has one pixel per unit, a PNG two */
#define WS_PLOT_HEIGHT 540

/* Series that are drawn. The legend says how many more there are. */
#define WS_PLOT_SERIES 8

struct ws_tick {
    double value;
    char text[WS_TICK_TEXT];
};

/* The axis of a plot. Its ticks are at round values. */
struct ws_axis {
    unsigned base; /* of its logarithm; 0 = linear */
    double low;
    double high; /* above low */
    struct ws_tick ticks[WS_TICKS_MAX];
    size_t tick_count;
};

/* Makes an axis for values from `low` to `high`. A linear axis has at most `wanted` + 1 ticks, a logarithmic
 * one about twice as many. Any numbers give an axis.
 * A linear axis begins and ends at a tick, or at `low` and `high` if `exact`: 0 to 12345 becomes 0 to 15000.
 * A logarithmic axis begins and ends at powers of the base; `low` is the lowest value above 0. */
void ws_axis_init(struct ws_axis *axis, unsigned base, double low, double high, bool exact, size_t wanted);

/* The place of `value`: 0 = low end, 1 = high end, less or more = outside. NaN for a value that is no number,
 * and on a logarithmic axis for 0 and less. */
double ws_axis_place(const struct ws_axis *axis, double value);

/* Draws the plot. If that fails, the status of `cairo` says so. */
void ws_plot_draw(cairo_t *cairo, const struct ws_plot *plot);

/* Returns a new surface with the image, its title, its note and, for a heat map, its scale of colours. The
 * caller frees the surface with cairo_surface_destroy. NULL if there is no memory, or the image is too
 * large for cairo. */
cairo_surface_t *ws_plot_image(const struct ws_image *image);

/* Sets `colour` to the colour of a heat map at `place` on its scale. 0 is the place of the value 0, and 1
 * the place of the largest value. Places below 0 are taken as 0, places above 1 as 1. `colour` is red,
 * green and blue, each from 0 to 1. */
void ws_heat_colour(double place, double colour[3]);

#endif
