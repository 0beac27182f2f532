/* Names and notes that text, JSON, CSV and plots share. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/trace/execution_trace.h"
#include "warpscope/model/names.h"

static const uint32_t called_stages[WS_TRACE_CALLED] = {WS_STAGE_ANY_HIT, WS_STAGE_CLOSEST_HIT, WS_STAGE_MISS,
                                                        WS_STAGE_INTERSECTION, WS_STAGE_CALLABLE};

uint32_t ws_trace_called(uint32_t stage)
{
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i)
        if (called_stages[i] == stage)
            return i;
    return WS_NONE;
}

uint32_t ws_trace_called_stage(uint32_t number)
{
    return called_stages[number];
}

bool ws_trace_is_chosen(const struct ws_trace_results *results)
{
    return results->options.has_thread || results->options.has_warp;
}

void ws_trace_shader_text(const struct ws_catalog *catalog, uint32_t shader, char *text, size_t size)
{
    const char *name = ws_shader_name(catalog, shader);
    const char *stage = ws_stage_name(catalog->shaders[shader].stage);
    const size_t length = strlen(stage);
    /* The name of a shader without debug information begins with its stage. */
    const bool staged = strncmp(name, stage, length) == 0 && (name[length] == ':' || name[length] == ' ');
    snprintf(text, size, "%s%s%s", staged ? "" : stage, staged ? "" : " ", name);
    ws_text_cut(text);
}

const char *ws_trace_no_picture(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX:
    case WS_STAGE_TESSELLATION_CONTROL:
    case WS_STAGE_TESSELLATION_EVALUATION:
    case WS_STAGE_GEOMETRY: return "their work ids are vertices and primitives, which have no pixels";
    case WS_STAGE_TASK:
    case WS_STAGE_MESH: return "several draws have the same work ids, so they make no picture";
    default: return NULL;
    }
}

const char *ws_trace_no_map(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX:
    case WS_STAGE_TESSELLATION_CONTROL:
    case WS_STAGE_TESSELLATION_EVALUATION:
    case WS_STAGE_GEOMETRY: return "their work ids are vertices and primitives, not places in a grid";
    case WS_STAGE_FRAGMENT: return "a pixel is in as many warps as primitives cover it";
    default: return NULL;
    }
}

void ws_trace_note(bool truncated, uint64_t regrouped, uint64_t called, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (truncated)
        used = (size_t)snprintf(text, size, "records are missing: figures are of a part");
    if (regrouped > 0 && used < size) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, used > 0 ? "; " : "", regrouped);
        if (called > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, " of %" PRIu64, called);
        if (used < size)
            snprintf(text + used, size - used, " called shaders ran in other warps");
    }
}
