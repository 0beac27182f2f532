/* Texts of pictures. For a PNG cairo draws them. For an SVG they are collected as elements of SVG, so that they stay
 * texts; cairo would draw their outlines. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_TEXT_H
#define WS_ANALYSIS_OUTPUT_PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cairo.h>

/* From now on texts and titles of `cairo` are written to `svg`, which stays the caller's, as elements of SVG. */
void ws_plot_text_collect(cairo_t *cairo, FILE *svg);

void ws_plot_text_font(cairo_t *cairo, double size, bool bold);
/* How wide any text is, as ws_plot_text_put shows it if there is room. */
double ws_plot_text_width(cairo_t *cairo, const char *text);

/* Writes `text` at most `width` wide; a longer one is cut and ends in an ellipsis, and all of it is its title. `align`:
 * -1 = it begins at x, 0 = x is its middle, 1 = it ends at x. Control characters and bytes that are no UTF-8 become
 * "?". */
void ws_plot_text_put(cairo_t *cairo, double x, double y, double width, int align, const char *text);

/* Writes lines, each `step` below the one before. */
void ws_plot_text_lines(cairo_t *cairo, double x, double y, double width, double step, const char *text);

/* How many lines a text has; NULL and "" have none. */
size_t ws_plot_text_count(const char *text);

/* Gives a rectangle a title, which an SVG's viewer shows when the pointer is there. */
__attribute__((format(printf, 6, 7))) void
ws_plot_text_title(cairo_t *cairo, double x, double y, double width, double height, const char *format, ...);

/* Writes any text so that XML and HTML show it, in elements and in attributes. Control characters are escaped as
 * ws_text_print does. */
void ws_plot_text_xml(FILE *stream, const char *text);

#endif
