#include "warpscope/model/work_grid.h"

#include <string.h>

#define FOLDED_WIDTH 256  /* of launches of one dimension */
#define WIDTH_MOST   4096 /* slices beyond this width begin a new row */

/* Sets width, height and columns. False if the image needs more than `room` pixels. */
static bool lay_out(struct ws_work_grid *grid, uint64_t room)
{
    const uint32_t *extent = grid->extent;
    uint64_t volume = 1;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (extent[axis] == 0 || extent[axis] > room)
            return false;
        volume *= extent[axis];
        if (volume > room)
            return false;
    }
    uint32_t longest = extent[0] > extent[1] ? extent[0] : extent[1];
    longest = extent[2] > longest ? extent[2] : longest;
    if (volume == longest) {
        grid->columns = 0;
        grid->width = longest < FOLDED_WIDTH ? longest : FOLDED_WIDTH;
        grid->height = (longest + grid->width - 1) / grid->width;
        return ws_work_grid_pixels(grid) <= room;
    }
    uint32_t across = WIDTH_MOST / (extent[0] + 1);
    grid->columns = across == 0 ? 1 : across > extent[2] ? extent[2] : across;
    uint64_t rows = ((uint64_t)extent[2] + grid->columns - 1) / grid->columns;
    uint64_t width = (uint64_t)grid->columns * ((uint64_t)extent[0] + 1) - 1;
    uint64_t height = rows * ((uint64_t)extent[1] + 1) - 1;
    if (width > room || height > room || width * height > room)
        return false;
    grid->width = (uint32_t)width;
    grid->height = (uint32_t)height;
    return true;
}

/* How many work ids the launch has on an axis; 0 = not known. Dispatches are given in workgroups. */
static uint64_t size_of(const struct ws_catalog *catalog, const struct ws_launch_record *launch,
                        uint32_t shader, uint32_t axis)
{
    const uint32_t stage = catalog->shaders[shader].stage;
    if (stage == WS_STAGE_COMPUTE)
        return (uint64_t)launch->size[axis] * catalog->shaders[shader].local_size[axis];
    return stage == WS_STAGE_FRAGMENT && axis == 2 ? 1 : launch->size[axis];
}

bool ws_work_grid_make(struct ws_work_grid *grid, const struct ws_catalog *catalog,
                       const struct ws_launch_record *launch, uint32_t shader, const uint32_t first[3],
                       const uint32_t last[3], uint64_t room)
{
    const bool fragment = catalog->shaders[shader].stage == WS_STAGE_FRAGMENT;
    uint32_t begin[3];
    ws_launch_record_first(launch, catalog->shaders[shader].local_size, begin);
    for (uint32_t axis = 0; axis < 3; ++axis) {
        uint64_t size = size_of(catalog, launch, shader, axis);
        uint64_t after = begin[axis] + size;
        uint32_t most = after > UINT32_MAX ? UINT32_MAX : (uint32_t)after;
        /* Work ids beyond the size mean a base that the capture does not have (vkCmdDispatchBase), or one whose work ids
         * wrap around: then the range is not known. */
        bool known = size > 0 && ((first[axis] >= begin[axis] && last[axis] < after) || fragment);
        uint32_t end = known && most - 1 > last[axis] ? most - 1 : last[axis];
        grid->first[axis] = known ? begin[axis] : first[axis];
        grid->extent[axis] = end - grid->first[axis] + 1;
    }
    return lay_out(grid, room);
}

uint64_t ws_work_grid_pixel(const struct ws_work_grid *grid, const uint32_t place[3])
{
    uint32_t at[3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
        at[axis] = place[axis] - grid->first[axis];
        if (at[axis] >= grid->extent[axis])
            return WS_WORK_GRID_NONE;
    }
    if (grid->columns == 0)
        return (uint64_t)at[0] + at[1] + at[2];
    uint64_t x = (uint64_t)(at[2] % grid->columns) * (grid->extent[0] + 1) + at[0];
    uint64_t y = (uint64_t)(at[2] / grid->columns) * (grid->extent[1] + 1) + at[1];
    return y * grid->width + x;
}

bool ws_work_grid_place(const struct ws_work_grid *grid, uint64_t pixel, uint32_t place[3])
{
    const uint32_t *extent = grid->extent;
    uint64_t at[3] = {0, 0, 0};
    if (pixel >= ws_work_grid_pixels(grid))
        return false;
    if (grid->columns == 0) {
        at[extent[0] > 1 ? 0 : extent[1] > 1 ? 1 : 2] = pixel;
    } else {
        const uint64_t x = pixel % grid->width, y = pixel / grid->width;
        at[0] = x % ((uint64_t)extent[0] + 1);
        at[1] = y % ((uint64_t)extent[1] + 1);
        at[2] = y / ((uint64_t)extent[1] + 1) * grid->columns + x / ((uint64_t)extent[0] + 1);
    }
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (at[axis] >= extent[axis])
            return false;
        place[axis] = grid->first[axis] + (uint32_t)at[axis];
    }
    return true;
}

void ws_work_place(uint32_t stage, const uint32_t work[3], uint32_t place[3])
{
    memcpy(place, work, 3 * sizeof(place[0]));
    if (stage != WS_STAGE_FRAGMENT)
        return;
    place[0] = work[0] & 0xffff;
    place[1] = work[0] >> 16;
    place[2] = 0;
}

#define KEY_BITS 21
#define KEY_MAX  ((1u << KEY_BITS) - 1)
#define LARGE    (UINT64_C(1) << 63) /* a key with 32 bits for x */

uint64_t ws_work_key(const uint32_t place[3])
{
    const bool is_large = place[0] > KEY_MAX;
    if (place[1] > KEY_MAX || place[2] > KEY_MAX || (is_large && place[2] >= (1u << 10) - 1))
        return UINT64_MAX;
    return is_large ? LARGE | (uint64_t)place[2] << 53 | (uint64_t)place[1] << 32 | place[0]
                    : (uint64_t)place[2] << 42 | (uint64_t)place[1] << KEY_BITS | place[0];
}

void ws_work_key_place(uint64_t key, uint32_t place[3])
{
    const bool is_large = (key & LARGE) != 0;
    place[0] = (uint32_t)key & (is_large ? UINT32_MAX : KEY_MAX);
    place[1] = (uint32_t)(key >> (is_large ? 32 : KEY_BITS)) & KEY_MAX;
    place[2] = (uint32_t)(is_large ? (key & ~LARGE) >> 53 : key >> 42);
}
