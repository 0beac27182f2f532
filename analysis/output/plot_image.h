/* Draws a struct ws_image (plot.h), which is a heat map or a map of classes, with cairo. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_IMAGE_H
#define WS_ANALYSIS_OUTPUT_PLOT_IMAGE_H

#include <cairo.h>

#include "analysis/output/plot.h"

/* Returns a new surface with the image, its title, its note and, for a heat map, its scale of colours. The
 * caller frees the surface with cairo_surface_destroy. NULL if there is no memory, or the image is too
 * large for cairo. */
cairo_surface_t *ws_plot_image(const struct ws_image *image);

/* Sets `colour` to the colour of a heat map at `place` on its scale. 0 is the place of the value 0, and 1
 * the place of the largest value. Places below 0 are taken as 0, places above 1 as 1. `colour` is red,
 * green and blue, each from 0 to 1. */
void ws_heat_colour(double place, double colour[3]);

#endif
