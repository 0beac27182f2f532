/* Pictures of results: plots as SVG and PNG, and images (heat maps, maps of work ids) as PNG, written into a
 * folder. The caller owns all data; it is read during the call only. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_H
#define WS_ANALYSIS_OUTPUT_PLOT_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

enum ws_plot_kind {
    WS_PLOT_LINES,  /* y over x, joined by lines */
    WS_PLOT_BARS,   /* one group of bars per index, one bar per series; named by its label, or by the x of
                       the first series that has it */
    WS_PLOT_AREAS,  /* series stacked on one another */
    WS_PLOT_STACKS, /* like bars, but the series of a group stacked on one another */
    WS_PLOT_STEPS,  /* each y stands from its x to the next one's, the last as wide as the one before it;
                       filled down to the axis */
};

struct ws_series {
    const char *name;
    const double *x; /* NULL: 0, 1, 2, ... */
    const double *y;
    size_t count;
};

struct ws_plot {
    enum ws_plot_kind kind;
    const char *title;
    const char *x_label;
    const char *y_label;
    const char *const *labels; /* of the groups of bars; NULL: numbers */
    const struct ws_series *series;
    size_t series_count; /* the first 8 are drawn; how many more there are stands in the legend */
    bool x_logarithmic;  /* base 2 */
    bool y_logarithmic;  /* base 10 */
    double y_max;        /* 0 = what the data need */
    const char *note;    /* small, at the foot; NULL = that of ws_plots_note */
    /* What is no number, and on a logarithmic axis what is 0 or less, is left out. */
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

/* Large images are shown smaller, each point as the largest value of those that it stands for (heat) or the
 * first (classes); small ones larger. */

struct ws_plots;

/* Pictures go into `folder`, which is made if it is not there, as "<prefix>-<name>.svg" and ".png", and
 * replace what is there of that name. The same data give the same bytes, where fonts are the same. NULL and
 * `error` when there is no such folder to be made. */
struct ws_plots *ws_plots_create(const char *folder, const char *prefix, struct ws_error *error);
void ws_plots_destroy(struct ws_plots *plots);

/* What stands at the foot of every picture from now on, such as what its numbers leave out; "" = nothing.
 * False when there is no memory. */
bool ws_plots_note(struct ws_plots *plots, const char *note);

/* Each false and `error`, which names the file, when it cannot be written. `name` is made safe for a file
 * name. */
bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error);
bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error);

/* The files written so far, for a line that tells the user. */
size_t ws_plots_count(const struct ws_plots *plots);
const char *ws_plots_path(const struct ws_plots *plots, size_t index);

#endif
