/* Draws plots (plot_draw.c) and images (plot_image.c) with cairo, the same on every kind of surface; plot.c writes
 * them into files. What is here besides is for tests. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_DRAW_H
#define WS_ANALYSIS_OUTPUT_PLOT_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include <cairo.h>

#include "warpscope/output/plot.h"

#define WS_TICKS_MAX    64
#define WS_TICK_TEXT    16
#define WS_TICKS_WANTED 8

#define WS_PLOT_WIDTH  960 /* of a plot, in units; an SVG has one pixel per unit, a PNG two */
#define WS_PLOT_HEIGHT 540 /* without its note; of rows it is what they need */
#define WS_PLOT_MARGIN 16

/* Sizes of texts. */
#define WS_PLOT_TEXT      12.0
#define WS_PLOT_NOTE      10.0
#define WS_PLOT_NOTE_STEP 14.0 /* from line to line */

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

/* A number as axes and legends write it: "0.25", "1500", "20k", "1.5M". Returns `text`. */
const char *ws_tick_text(double value, char text[WS_TICK_TEXT]);

/* Whether there is anything to compare: a point, or two groups of bars. */
bool ws_plot_compares(const struct ws_plot *plot);

/* The height of a plot with its note. */
double ws_plot_height(const struct ws_plot *plot);

/* Draws the plot. If that fails, the status of `cairo` says so. */
void ws_plot_draw(cairo_t *cairo, const struct ws_plot *plot);

/* How an image is shown. */
struct ws_image_layout {
    uint32_t divisor[2]; /* it is reduced by, across and down, */
    uint32_t width;      /* to so many points, */
    uint32_t height;
    uint32_t factor[2]; /* each of which is enlarged */
    double left;        /* of the image in the picture */
    double top;
    double foot; /* where the texts below it begin */
    double whole_width;
    double whole_height;
};

/* The option that chooses a place: "--thread 31,12 --launch 3". Returns its length; 0 where the place has no id. */
size_t ws_image_option(const struct ws_image *image, const struct ws_image_spot *spot, char *text,
                       size_t size);

void ws_image_lay_out(const struct ws_image *image, struct ws_image_layout *layout);

/* Draws an image with its title, axes, scale of colours or legend, marks and note. False if there is no memory, or the
 * image is too large for cairo. */
bool ws_image_draw(cairo_t *cairo, const struct ws_image *image, const struct ws_image_layout *layout);

/* Sets `colour` to the colour of a heat map at `place` on its scale. 0 is the place of the value 0, and 1
 * the place of the largest value. Places below 0 are taken as 0, places above 1 as 1. `colour` is red,
 * green and blue, each from 0 to 1. */
void ws_heat_colour(double place, double colour[3]);

#endif
