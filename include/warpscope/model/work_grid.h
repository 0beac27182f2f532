/* The work ids of a launched shader as an image: a pixel for each. Slices (z) of a launch of three dimensions lie side
 * by side, with a row or column of pixels between them; a launch of one dimension is folded into rows.
 *
 * The work ids are all of the launch where their number is known, and all that the records show. */
#ifndef WARPSCOPE_MODEL_WORK_GRID_H
#define WARPSCOPE_MODEL_WORK_GRID_H

#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"

#define WS_WORK_GRID_NONE UINT64_MAX

struct ws_work_grid {
    uint32_t first[3];  /* the work ids that are shown: first .. first + extent - 1 on each axis; */
    uint32_t extent[3]; /* of fragments these are pixels */
    uint32_t width;
    uint32_t height;
    uint32_t columns; /* how many slices (z) lie side by side; 0 = one dimension, folded into rows */
};

/* Of a launched shader, by its index in the catalog. `first`, `last`: the lowest and highest work id on each axis that
 * the records show. False where that takes more than `room` pixels. */
bool ws_work_grid_make(struct ws_work_grid *grid, const struct ws_catalog *catalog,
                       const struct ws_launch_record *launch, uint32_t shader, const uint32_t first[3],
                       const uint32_t last[3], uint64_t room);

/* The pixel of a work id; of a fragment x, y and 0. WS_WORK_GRID_NONE where it is not shown. */
uint64_t ws_work_grid_pixel(const struct ws_work_grid *grid, const uint32_t place[3]);

/* The work id of a pixel. False where it has none: between slices, or behind the last. */
bool ws_work_grid_place(const struct ws_work_grid *grid, uint64_t pixel, uint32_t place[3]);

/* The place of a thread of a stage: the three numbers of its work id, which a fragment packs (records.h). */
void ws_work_place(uint32_t stage, const uint32_t work[3], uint32_t place[3]);

/* A place as one number, for keys of rows (columns.h), which rise by z, y and x; and back. Below 2^21 all places have one.
 * Beyond, where launches have one dimension, so have those below 2^32 in x, 2^21 in y and 2^10 - 1 in z, behind the
 * others. WS_KEY_NONE is the key of the rest. */
uint64_t ws_work_key(const uint32_t place[3]);
void ws_work_key_place(uint64_t key, uint32_t place[3]);

static inline uint64_t ws_work_grid_pixels(const struct ws_work_grid *grid)
{
    return (uint64_t)grid->width * grid->height;
}

#endif
