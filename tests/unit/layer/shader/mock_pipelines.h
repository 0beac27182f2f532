/* A driver and an instrumentation below the creation of pipelines: module m is instrumented to m +
 * MOCK_INSTRUMENTED, and the driver refuses what it is told to. */
#ifndef WS_TESTS_UNIT_LAYER_SHADER_MOCK_PIPELINES_H
#define WS_TESTS_UNIT_LAYER_SHADER_MOCK_PIPELINES_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"
#include "layer/shader/shader.h"
#include "warpscope/chunks.h"

#define MOCK_INSTRUMENTED 100
#define MOCK_MODULES      10
#define MOCK_HANDLE       8 /* bytes of a shader group's handle */

extern const struct ws_interception ws_pipeline_interception;
extern const struct ws_interception ws_pipeline_compute_interception;
extern const struct ws_interception ws_pipeline_ray_tracing_interception;
extern const struct ws_interception ws_deferred_interception;

extern struct ws_instance mock_instance; /* watches nothing, unless a test gives it a watch */
extern struct ws_device mock_device;
extern struct ws_settings mock_settings;
extern struct ws_shader mock_shaders[MOCK_MODULES]; /* by module; the id of each is that and 100 */

/* The driver's orders and what it did. */
struct mock_driver {
    bool refuse[MOCK_INSTRUMENTED + MOCK_MODULES]; /* modules */
    VkResult refusal;
    VkResult deferred;        /* what a deferred creation returns */
    VkResult deferred_result; /* of the operation */
    uint32_t calls, destroyed;
    bool instrumented;       /* the latest compute pipeline has an instrumented module */
    uint64_t next;           /* handle */
    bool no_handles;         /* of shader groups can be had */
    uint32_t allocated;      /* calls of calloc */
    uint32_t fails_at;       /* the one of them that fails; 0 = none */
    uint32_t attribute_size; /* of the latest ray-tracing pipeline that was asked for */
};
extern struct mock_driver mock_driver;

/* What the capture got. */
extern uint32_t mock_pipelines_written, mock_pipelines_skipped, mock_groups_written;

/* The latest GRUP chunk, and the handles of its groups behind one another. */
extern struct ws_chunk_groups mock_groups;
extern struct ws_shader_group mock_group_list[MOCK_MODULES];
extern uint8_t mock_group_handles[MOCK_MODULES * MOCK_HANDLE];

/* How often something began to be watched (watch.h), and how often that ended. */
extern uint32_t mock_watched_begun, mock_watched_ended;

/* Of every test. */
int mock_set_up(void **state);
int mock_tear_down(void **state);

PFN_vkVoidFunction mock_hook(const struct ws_interception *interception, const char *name);

/* Creates a ray-tracing pipeline of module 1 with an operation, and joins that. */
VkResult mock_create_deferred(VkPipeline *pipeline);
VkResult mock_join(void);

#endif
