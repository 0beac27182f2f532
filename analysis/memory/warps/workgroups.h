/* Which workgroup a thread is of, as a key. */
#ifndef WS_ANALYSIS_MEMORY_WORKGROUPS_H
#define WS_ANALYSIS_MEMORY_WORKGROUPS_H

#include "warpscope/model/catalog.h"

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

#endif
