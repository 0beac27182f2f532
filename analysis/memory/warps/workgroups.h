/* Which workgroup, or tile of the picture, a thread is of: as a key, which no other workgroup or tile of a launch has.
 * Thread-safe: nothing is kept. */
#ifndef WS_ANALYSIS_MEMORY_WARPS_WORKGROUPS_H
#define WS_ANALYSIS_MEMORY_WARPS_WORKGROUPS_H

#include "warpscope/model/catalog.h"
#include "warpscope/model/work_grid.h"

/* The workgroup of a thread, packed: coordinates of 21 bits tell 2^63 of them apart. False for a shader without. */
static inline bool ws_workgroup_key(const struct ws_shader_record *shader, const uint32_t work[3],
                                    uint64_t *key)
{
    const uint32_t *size = shader->local_size;
    *key = 0;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        return false;
    for (uint32_t i = 0; i < 3; ++i)
        *key = *key << 21 | (work[i] / size[i] & 0x1fffff);
    return true;
}

/* The tile of a fragment, or of a thread of a shader that traces rays: of `tile` x `tile` pixels, and of one slice (z). False
 * for other stages, and without tiles (0). */
static inline bool ws_tile_key(uint32_t tile, uint32_t stage, const uint32_t work[3], uint64_t *key)
{
    uint32_t place[3];
    const uint32_t stages =
        WS_STAGE_FRAGMENT | WS_STAGE_RAYGEN | WS_STAGE_CLOSEST_HIT | WS_STAGE_MISS | WS_STAGE_CALLABLE;
    if (tile == 0 || (stage & stages) == 0)
        return false;
    ws_work_place(stage, work, place);
    *key = UINT64_C(3) << 62 | (uint64_t)(place[2] & 0xfffff) << 42 |
           (uint64_t)(place[1] / tile & 0x1fffff) << 21 | (place[0] / tile & 0x1fffff);
    return true;
}

#endif
