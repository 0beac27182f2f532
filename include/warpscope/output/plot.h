/* Pictures of results: plots and images (heat maps, maps of work ids), each as SVG and PNG, written into a folder, and
 * a page that shows them all. The caller owns all data; it is read during the call only. Not thread-safe.
 *
 * In an SVG texts are texts: they can be searched, and copied into a shell. What a text was too long for, and what a
 * bar or a marked place stands for, is in its <title>, which viewers show under the pointer. */
#ifndef WARPSCOPE_OUTPUT_PLOT_H
#define WARPSCOPE_OUTPUT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

enum ws_plot_kind {
    WS_PLOT_LINES,  /* y over x, joined by lines; where lines coincide, the first are the widest */
    WS_PLOT_BARS,   /* one group of bars per index, with one bar per series; the group is named by its
                       label, or by the x of the first series that has that index */
    WS_PLOT_STACKS, /* like bars, but each group is one bar, in which the series are stacked */
    WS_PLOT_ROWS,   /* like stacks, but the bars lie below one another, with room for long names */
    WS_PLOT_STEPS,  /* each y stands from its x to the next one's, the last as wide as the one before it;
                       filled down to the axis */
};

struct ws_series {
    const char *name;
    const double *x; /* NULL = 0, 1, 2, ... */
    const double *y;
    size_t count;
};

/* A text that points to a place of a plot. */
struct ws_plot_mark {
    double x;
    double y;
    const char *text;
};

struct ws_plot {
    enum ws_plot_kind kind;
    const char *title;
    const char *about;     /* what it shows, in whole sentences; NULL = none */
    const char *arguments; /* what its numbers need behind the group's command; NULL = nothing */
    const char *x_label;
    const char *y_label;
    const char *const *labels;  /* names of the groups of bars; NULL = numbers */
    const char *const *details; /* of rows: more about each, in grey behind its label; NULL = nothing */
    const struct ws_series *series;
    size_t series_count;              /* the first 8 are drawn; the legend shows how many are not */
    const struct ws_plot_mark *marks; /* of steps; the first are drawn where not all have room */
    size_t mark_count;
    bool x_logarithmic; /* ticks at 1, 10, 100, ... */
    bool y_logarithmic;
    double y_max;     /* upper end of the y axis; 0 = as high as the data need */
    const char *unit; /* behind the numbers of bars: " %"; NULL = none */
    const char *note; /* small, at the foot, in lines; NULL = that of the group */
    /* Points are left out if a value is not a number, or is 0 or less on a logarithmic axis. */
};

enum ws_image_kind {
    WS_IMAGE_HEAT,    /* values from 0 to their maximum, on a perceptually uniform scale */
    WS_IMAGE_CLASSES, /* values are names of things (warps): neighbours get colours that differ */
};

/* Which ids the pixels of an image stand for: slices (z) lie side by side, with a free column or row between them. */
struct ws_image_grid {
    uint32_t first[3]; /* id of the first pixel */
    uint32_t extent[3];
    uint32_t columns;      /* slices side by side; 0 = ids along one axis, folded into rows */
    uint32_t dimensions;   /* numbers that make an id: 1 to 3 */
    const char *option;    /* that takes an id: "--thread" */
    const char *arguments; /* behind it: "--launch 3"; NULL = nothing */
};

/* The grid of an image whose pixels are threads of a launch: an id has as many numbers as the extent has axes. */
struct ws_image_grid ws_image_grid_of_threads(const uint32_t first[3], const uint32_t extent[3],
                                              uint32_t columns, const char *arguments);

/* Rows of an image that belong together: from one to the next such. They have their name at the left, where there is room, and
 * a line above. */
struct ws_image_band {
    uint32_t first; /* row */
    bool is_part;   /* of the band before, as a buffer is of an allocation: its line is thin */
    const char *name;
};

struct ws_image {
    enum ws_image_kind kind;
    uint32_t width;
    uint32_t height;
    const uint64_t *values; /* row by row, width * height; UINT64_MAX = nothing there */
    const char *title;      /* written above; NULL = none */
    const char *about;      /* as of plots */
    const char *arguments;  /* as of plots */
    const char *unit; /* of heat: "blocks executed", along the scale; of classes what a value names: "warp" */
    const char *note; /* as of plots */
    /* NULL: pixels have no ids. Else the axes show ids, and the hottest places are marked and named, so that they can
     * be typed. */
    const struct ws_image_grid *grid;
    uint64_t most;    /* of heat: the value at the upper end of the scale; 0 = the largest one */
    bool logarithmic; /* of heat: the scale begins with 1 and ends with a power of 10; 0 is grey */
    /* NULL: pixels are squares. Else they are as wide and as high as room demands, and `grid` is NULL. The axis below goes
     * from 0 to `x_end`. */
    const struct ws_image_band *bands;
    size_t band_count;
    const char *x_label;
    double x_end;
};

/* Small images are enlarged. Large images are reduced: then a point shows the largest of the values that it
 * stands for (heat) or the first of them (classes). */

/* The id of pixel x, y. False where there is none: between slices, and behind the last id of a folded image. */
bool ws_image_id(const struct ws_image *image, uint32_t x, uint32_t y, uint32_t id[3]);

struct ws_image_spot {
    uint32_t x;
    uint32_t y;
    uint64_t value;
};

#define WS_IMAGE_SPOTS 3

/* The hottest places, hottest first. Each is the first pixel, row by row, with the largest value that is not near a
 * place before it; near is within an eighth of the longer side. A place with less than half of the largest value is
 * none, and there is none where all values are the same. Returns how many there are. `*as_hot` receives how many pixels
 * have the largest value. */
size_t ws_image_spots(const struct ws_image *image, struct ws_image_spot spots[WS_IMAGE_SPOTS],
                      uint64_t *as_hot);

struct ws_plots;

/* Begins a set of pictures in `folder`, which is made if it does not exist. NULL and `error` if the folder cannot be
 * made, or has an index.html that is not of such a set. */
struct ws_plots *ws_plots_create(const char *folder, struct ws_error *error);
void ws_plots_destroy(struct ws_plots *plots);

/* Pictures that belong together: those of one analysis. Texts are copied. */
struct ws_plots_group {
    const char *name;    /* of the analysis: files are "<name>-<name of the picture>.svg" and ".png" */
    const char *summary; /* what it is about */
    const char *command; /* that prints its numbers: "warpscope report run.wscope hotspots" */
    const char
        *note; /* lines at the foot of every picture: where it comes from, what it leaves out; "" = none */
};

/* Pictures belong to this group from now on. False if there is no memory. */
bool ws_plots_begin(struct ws_plots *plots, const struct ws_plots_group *group);

/* Write a plot or an image as SVG and PNG. They replace files of the same name. The same data and fonts give the same
 * bytes. `name` is made safe for a file name. A plot with nothing to compare, which is no point or one group of bars, is
 * not written; the page says so. False and `error`, which names the file, if it cannot be written or there is no
 * memory. */
bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error);
bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error);

/* Gives two images of heat one scale: that which ends with the larger of their largest values, or with `most` where that is
 * not 0. */
void ws_image_share_scale(struct ws_image images[2], uint64_t most);

/* Writes two images side by side, as one picture. */
bool ws_plots_pair(struct ws_plots *plots, const char *name, const struct ws_image images[2],
                   struct ws_error *error);

/* Writes the page, index.html: all pictures written so far, by group, each with what it shows and the command for its
 * numbers. `head` and `foot` are lines: what the pictures are of, and what their numbers leave out; "" = nothing. Texts
 * may hold anything. */
bool ws_plots_index(struct ws_plots *plots, const char *title, const char *head, const char *foot,
                    struct ws_error *error);

/* The files written so far: their number, and their paths, which `plots` owns. */
size_t ws_plots_count(const struct ws_plots *plots);
const char *ws_plots_path(const struct ws_plots *plots, size_t index);

#endif
