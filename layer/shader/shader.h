/* A shader: a module, an entry point and a specialization on one device, with its slot and counters. It is
 * made with the first pipeline (or shader object) that has it. The same shader in two pipelines is one struct
 * and has one slot.
 *
 * It has counted references: of pipelines, and of recorded launches, so that a shader outlives its pipeline
 * until the results of its launches have been written. Without references it gives its slot, its counter rows
 * and its specialization back, for other shaders. It keeps its id in the capture as long as its module is kept
 * (module_cache.h): should the application make the same shader again, it gets another slot, and is the same
 * shader in the capture. */
#ifndef WS_LAYER_SHADER_SHADER_H
#define WS_LAYER_SHADER_SHADER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/memory/counters.h"
#include "layer/shader/shader_module.h"

struct ws_cached_module;
struct ws_device;
struct ws_shader_group;
struct ws_specialization;
struct ws_written_image;

struct ws_shader {
    struct ws_device *device;
    _Atomic uint32_t references;
    uint32_t capture_id; /* shader id in the capture */
    uint32_t stage;      /* enum ws_stage */
    uint32_t slot;       /* root.h; WS_NONE when it is not instrumented */
    uint32_t row_first;
    uint32_t row_count;              /* 0 when it is not instrumented */
    uint32_t joint_count;            /* joint rows behind those, which are not in captures */
    const struct ws_row_part *parts; /* of its module, which owns them */
    uint32_t part_count;
    uint32_t sample;             /* one warp in so many counts (root.h, SAMPLING); 1 = all */
    uint32_t launch_row;         /* WS_NONE = none */
    bool records;                /* appends records (records.h) when it is instrumented */
    bool early;                  /* has early fragment tests when it is instrumented */
    uint32_t yield_first;        /* yield words (yields.h) */
    uint32_t yield_count;        /* 0 when it yields nothing */
    struct ws_counters counters; /* its rows and yield words; a zeroed struct when it is not instrumented */
    /* The submission lock guards these two: order.c. */
    uint64_t zeroing; /* ws_submissions.zeroing when what zeroes its rows was submitted; 0 = it was not */
    uint64_t stamp;   /* the latest submission that was found to run it */
    struct ws_cached_module *module;
    struct ws_shader *sibling; /* the next of its module's shaders */
    /* The storage images that it can write, where images are captured. They stay once the shader is made. */
    struct ws_written_image *images;
    uint32_t image_count;
    bool images_known;
    /* The specialization for the driver, when the shader is instrumented. It lives as long as the shader has
     * references, since the Khronos validation layer (1.3.239) reads the specialization of a library when it
     * is linked. */
    VkSpecializationInfo specialization;
};

/* The layer's data of a VkPipeline or, with one shader, of a VkShaderEXT. Freed when that is destroyed. */
struct ws_pipeline {
    uint32_t capture_id;
    uint32_t kind; /* enum ws_pipeline_kind */
    /* Its own shaders and those of its libraries, each once; referenced. Without its own, where the driver
     * refused them instrumented. */
    struct ws_shader **shaders;
    uint32_t shader_count;
    /* Of ray tracing: its own shader groups, then those of its libraries, without handles. NULL where they
     * are not known, or geometry is not captured. */
    struct ws_shader_group *groups;
    uint32_t group_count;
};

struct ws_shader_table;

/* NULL when there is no memory. */
struct ws_shader_table *ws_shader_table_create(void);

/* NULL is accepted. */
void ws_shader_table_destroy(struct ws_shader_table *table);

/* Returns the shader of entry point `entry` in `stage` with a specialization (NULL = none), with a reference
 * for the caller. `early`: its pipeline allows early fragment tests; it has them then where it can. A new
 * shader gets a slot and counters and is written to the capture. A shader that cannot be instrumented has
 * row_count 0, and a SKIP chunk says why. NULL without memory. Thread-safe. */
struct ws_shader *ws_shader_get(struct ws_device *device, const struct ws_spirv *spirv, uint32_t stage,
                                const char *entry, const VkSpecializationInfo *specialization, bool early);

/* The name of its entry point, and the application's specialization, sorted by constant id. They live as long
 * as the shader. */
const char *ws_shader_entry(const struct ws_shader *shader);
const struct ws_specialization *ws_shader_constants(const struct ws_shader *shader, uint32_t *count);

/* Which shaders those are, for watch.h: "compute 0123456789abcdef (12 sites), ...", the first few of them, and in
 * `*sites` how many the one with most has. `instrumented` ones only; NULL where there is none, and without memory. To be
 * freed. */
char *ws_shaders_describe(struct ws_shader *const *shaders, uint32_t count, uint32_t *sites);

/* Adds a reference, and returns the shader; takes one away, where NULL is accepted. Thread-safe. They take
 * the lock of the table, and within it those of heaps only. */
struct ws_shader *ws_shader_reference(struct ws_shader *shader);
void ws_shader_release(struct ws_shader *shader);

#endif
