/* Pictures of results: plots as SVG and PNG, and images (heat maps, maps of work ids) as PNG, written into a
 * folder. The caller owns all data; it is read during the call only. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_H
#define WS_ANALYSIS_OUTPUT_PLOT_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

enum ws_plot_kind {
    WS_PLOT_LINES,  /* y over x, joined by lines */
    WS_PLOT_BARS,   /* one group of bars per index, with one bar per series; the group is named by its
                       label, or by the x of the first series that has that index */
    WS_PLOT_AREAS,  /* series stacked on one another */
    WS_PLOT_STACKS, /* like bars, but each group is one bar, in which the series are stacked */
    WS_PLOT_STEPS,  /* each y stands from its x to the next one's, the last as wide as the one before it;
                       filled down to the axis */
};

struct ws_series {
    const char *name;
    const double *x; /* NULL = 0, 1, 2, ... */
    const double *y;
    size_t count;
};

struct ws_plot {
    enum ws_plot_kind kind;
    const char *title;
    const char *x_label;
    const char *y_label;
    const char *const *labels; /* names of the groups of bars; NULL = numbers */
    const struct ws_series *series;
    size_t series_count; /* the first 8 are drawn; the legend shows how many are not */
    bool x_logarithmic;  /* base 2 */
    bool y_logarithmic;  /* base 10 */
    double y_max;        /* upper end of the y axis; 0 = as high as the data need */
    const char *note;    /* small, at the foot; NULL = that of ws_plots_note */
    /* Points are left out if a value is not a number, or is 0 or less on a logarithmic axis. */
};

enum ws_image_kind {
    WS_IMAGE_HEAT,    /* values from 0 to their maximum, on a perceptually uniform scale */
    WS_IMAGE_CLASSES, /* values are names of things (warps): neighbours get colours that differ */
};

struct ws_image {
    enum ws_image_kind kind;
    uint32_t width;
    uint32_t height;
    const uint64_t *values; /* row by row, width * height; UINT64_MAX = nothing there */
    const char *title;      /* written above; NULL = none */
    const char *unit;       /* of heat: "blocks executed", beside the scale; NULL = none */
    const char *note;       /* small, at the foot; NULL = that of ws_plots_note */
};

/* Small images are enlarged. Large images are reduced: then a point shows the largest of the values that it
 * stands for (heat) or the first of them (classes). */

struct ws_plots;

/* Begins a set of pictures in `folder`, which is made if it does not exist. Their files are
 * "<prefix>-<name>.svg" and ".png". They replace files of the same name. The same data and fonts give the
 * same bytes. NULL and `error` if the folder cannot be made. */
struct ws_plots *ws_plots_create(const char *folder, const char *prefix, struct ws_error *error);
void ws_plots_destroy(struct ws_plots *plots);

/* Sets the text at the foot of every picture from now on, for example what its numbers leave out; "" = no
 * text. False if there is no memory. */
bool ws_plots_note(struct ws_plots *plots, const char *note);

/* Write a plot as SVG and PNG, or an image as PNG. `name` is made safe for a file name. False and `error`,
 * which names the file, if it cannot be written or there is no memory. */
bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error);
bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error);

/* The files written so far: their number, and their paths, which `plots` owns. */
size_t ws_plots_count(const struct ws_plots *plots);
const char *ws_plots_path(const struct ws_plots *plots, size_t index);

#endif
