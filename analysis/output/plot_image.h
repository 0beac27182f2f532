/* Drawing an image (heat map, map of classes) with cairo. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_IMAGE_H
#define WS_ANALYSIS_OUTPUT_PLOT_IMAGE_H

#include <cairo.h>

#include "analysis/output/plot.h"

/* A new surface with the image, its title and its scale; NULL when there is no memory. Freed by the caller.
 */
cairo_surface_t *ws_plot_image(const struct ws_image *image);

/* The colour of `place`, from 0 to 1, on the scale of heat: red, green, blue from 0 to 1. */
void ws_heat_colour(double place, double colour[3]);

#endif
