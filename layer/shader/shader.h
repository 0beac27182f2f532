/* A shader: one module + entry point + specialization on one device, with its slot and counters.
 * Made when a pipeline (or shader object) that holds it is made, kept until its device is destroyed, so
 * command buffers may point at it. The same shader in two pipelines is one struct and one slot. */
#ifndef WS_LAYER_SHADER_SHADER_H
#define WS_LAYER_SHADER_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/counters.h"
#include "layer/shader/shader_module.h"

struct ws_cached_module;
struct ws_device;
struct ws_shader_group;

struct ws_shader {
    uint32_t capture_id; /* shader id in the capture */
    uint32_t stage;      /* enum ws_stage */
    uint32_t slot;       /* root.h; WS_NONE when it is not instrumented */
    uint32_t row_first;
    uint32_t row_count;          /* 0 when it is not instrumented */
    bool records;                /* appends records (records.h) when it is instrumented */
    struct ws_counters counters; /* its rows in device memory; zeroed when it is not instrumented */
    struct ws_cached_module *module;
    /* With which it is handed to the driver, when it is instrumented. It lives as long as the shader, since
     * the Khronos validation layer (1.3.239) reads a library's specialization when it is linked. */
    VkSpecializationInfo specialization;
};

/* What the layer keeps of a VkPipeline or, with one shader, of a VkShaderEXT. Destroyed with it. */
struct ws_pipeline {
    uint32_t capture_id;
    uint32_t kind;              /* enum ws_pipeline_kind */
    struct ws_shader **shaders; /* its own and its libraries', each once; without its own where the driver
                                   took the pipeline only as the application made it */
    uint32_t shader_count;
    /* Of ray tracing: the shader groups, its libraries' behind its own, without handles. NULL where they are
     * not known, or geometry is not captured. */
    struct ws_shader_group *groups;
    uint32_t group_count;
};

struct ws_shader_table;

/* NULL when there is no memory. */
struct ws_shader_table *ws_shader_table_create(void);

/* NULL is accepted. */
void ws_shader_table_destroy(struct ws_shader_table *table);

/* The shader that `entry` of a module is in `stage` with a specialization (NULL = none): made, given a
 * slot and counters, and written to the capture when it is new. What cannot be instrumented is a shader
 * with row_count 0 and its SKIP chunk. NULL when there is no memory. Thread-safe. */
struct ws_shader *ws_shader_get(struct ws_device *device, const struct ws_spirv *spirv, uint32_t stage,
                                const char *entry, const VkSpecializationInfo *specialization);

/* The instrumented shader with that id in the capture, NULL when the device has none. Thread-safe; slow. */
struct ws_shader *ws_shader_find(struct ws_device *device, uint32_t capture_id);

#endif
