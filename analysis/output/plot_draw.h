/* Drawing a plot with cairo, the same on every kind of surface. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_DRAW_H
#define WS_ANALYSIS_OUTPUT_PLOT_DRAW_H

#include <cairo.h>

#include "analysis/output/plot.h"

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

#endif
