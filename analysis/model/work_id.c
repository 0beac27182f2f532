#include "warpscope/model/work_id.h"

#include <inttypes.h>
#include <stdio.h>

#include "warpscope/records.h"
#include "warpscope/stage.h"

const char *ws_work_name(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX: return "vertex,instance";
    case WS_STAGE_TESSELLATION_CONTROL:
    case WS_STAGE_GEOMETRY: return "primitive,invocation";
    case WS_STAGE_TESSELLATION_EVALUATION: return "primitive";
    case WS_STAGE_FRAGMENT: return "pixel";
    case WS_STAGE_RAYGEN: return "launch id";
    default: return "invocation id";
    }
}

void ws_work_text(uint32_t stage, const uint32_t work[3], char *text, size_t size)
{
    uint32_t sample = work[1] & 0xffff;
    uint32_t layer = work[1] >> 16;
    size_t used = 0;
    switch (stage) {
    case WS_STAGE_FRAGMENT:
        used = (size_t)snprintf(text, size, "%" PRIu32 ",%" PRIu32, work[0] & 0xffff, work[0] >> 16);
        if (sample != WS_WORK_UNKNOWN && used < size)
            used += (size_t)snprintf(text + used, size - used, " sample %" PRIu32, sample);
        if (layer != WS_WORK_UNKNOWN && used < size)
            snprintf(text + used, size - used, " layer %" PRIu32, layer);
        return;
    case WS_STAGE_TESSELLATION_EVALUATION: snprintf(text, size, "%" PRIu32, work[0]); return;
    case WS_STAGE_VERTEX:
    case WS_STAGE_TESSELLATION_CONTROL:
    case WS_STAGE_GEOMETRY: snprintf(text, size, "%" PRIu32 ",%" PRIu32, work[0], work[1]); return;
    default:
        if (work[2] == 0)
            snprintf(text, size, "%" PRIu32 ",%" PRIu32, work[0], work[1]);
        else
            snprintf(text, size, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, work[0], work[1], work[2]);
    }
}
