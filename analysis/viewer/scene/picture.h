/* Pictures of a launch: a figure at each of its pixels. The resources `pictures.json` and `picture`.
 *
 *     pictures.json?launch=N
 *     {
 *       "launch": 3,
 *       "size": [width, height] | null, in pixels; null = there is no picture
 *       "grid": {"first": [0, 0, 0], "extent": [128, 128, 1], "columns": 1} | null,
 *       "base": "shaded" | null,        the picture that figures are laid over
 *       "figures": [{"name": "rays", "title": "Rays", "unit": "rays", "kind": "measure", "help": "...",
 *                    "smallest": 1, "largest": 40, "sum": 40960, "pixels": 16384}, ...],
 *       "outside": 0,                   threads whose work ids are not shown
 *       "why": text | null              why there is no picture, or why figures are missing
 *     }
 *
 * GRID: which thread a pixel is of (work_grid.h): x and y from `first` on, slices (z) side by side, `columns` of them with
 * a pixel between; `columns` 0: a launch of one dimension, folded into rows.
 *
 * KINDS
 *   measure  a number; `sum`, `smallest` and `largest` are over the `pixels` that have one, else null
 *   share    the same from 0 to 1; its sum is null
 *   id       a number that names something, such as a warp; its sum is null
 *   colour   a colour; these four are null
 *
 *     picture?launch=N&figure=NAME
 *
 * has width x height float32, row by row, NaN where there is none; of colours four bytes: red, green, blue, alpha, sRGB.
 * A float32 has 24 bits: larger counts are rounded.
 *
 * FIGURES of rays are those of launch_pixels.h; those of traces are the arrays of execution_trace's pictures (struct
 * ws_trace_picture), which `report --plots` draws. */
#ifndef WS_ANALYSIS_VIEWER_SCENE_PICTURE_H
#define WS_ANALYSIS_VIEWER_SCENE_PICTURE_H

#include "analysis/viewer/scene/launch_view.h"

enum ws_picture_kind { WS_PICTURE_MEASURE, WS_PICTURE_SHARE, WS_PICTURE_ID, WS_PICTURE_COLOUR };

/* What pictures of a launch are made of. */
struct ws_picture_source {
    const struct ws_launch_view *view;
    const struct ws_trace_picture *trace;  /* NULL = there is none */
    const struct ws_launch_pixels *pixels; /* NULL = there are none */
    struct ws_work_grid grid;              /* of all figures; width 0 = there is no picture */
};

struct ws_picture_figure {
    const char *name;
    const char *title;
    const char *unit; /* "" = none */
    enum ws_picture_kind kind;
    const char *help;
    /* Whether the launch has it. */
    bool (*has)(const struct ws_picture_source *source);
    /* The value at a pixel; NaN = none. One of the next three is set: of a pixel of the trace, of what rays show, */
    float (*of_trace)(const struct ws_trace_picture *trace, uint64_t pixel);
    float (*of_rays)(const struct ws_launch_pixel *pixel);
    /* or the colours of all pixels; they are transparent black before. False and `error`: there is no memory. */
    bool (*colours)(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error);
};

void ws_picture_source_init(struct ws_picture_source *source, const struct ws_launch_view *view);

/* What rays show at a pixel of the source's grid; NULL = nothing. */
const struct ws_launch_pixel *ws_picture_rays(const struct ws_picture_source *source, uint64_t pixel);

/* All figures, name NULL after the last; and the one of that name, NULL where the launch does not have it. */
extern const struct ws_picture_figure ws_picture_figures[];
const struct ws_picture_figure *ws_picture_find(const struct ws_picture_source *source, const char *name);

/* The value of a figure that is no colour. */
float ws_picture_value(const struct ws_picture_source *source, const struct ws_picture_figure *figure,
                       uint64_t pixel);

/* picture_shade.c: colours made of first hits and captured geometry. `shaded`: each geometry of each instance has a tint,
 * darker the more its surface is turned away from the ray. `normals`: x, y and z of the surface's normal, towards the
 * ray's origin, from -1 to 1 as red, green and blue. */
bool ws_picture_can_shade(const struct ws_picture_source *source);
bool ws_picture_shade(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error);
bool ws_picture_normals(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error);

#endif
