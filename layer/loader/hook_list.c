#include "layer/loader/hook_list.h"

#include <string.h>

#include "layer/core/device.h"
#include "layer/core/dispatch.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"

/* Every file that intercepts functions. A file stands behind those that it builds upon: shaders behind
 * memory, in which their counters lie; submissions and command buffers behind shaders, at which they point.
 * To hook a new file, define a `struct ws_interception` in it and add its name here. */
#define INTERCEPTIONS(X)                                                                                     \
    X(ws_memory_interception)                                                                                \
    X(ws_root_block_interception)                                                                            \
    X(ws_counters_interception)                                                                              \
    X(ws_control_block_interception)                                                                         \
    X(ws_query_pools_interception)                                                                           \
    X(ws_allocation_interception)                                                                            \
    X(ws_sampler_interception)                                                                               \
    X(ws_buffer_interception)                                                                                \
    X(ws_shader_module_interception)                                                                         \
    X(ws_pipeline_interception)                                                                              \
    X(ws_pipeline_compute_interception)                                                                      \
    X(ws_pipeline_graphics_interception)                                                                     \
    X(ws_pipeline_ray_tracing_interception)                                                                  \
    X(ws_deferred_interception)                                                                              \
    X(ws_shader_object_interception)                                                                         \
    X(ws_image_interception)                                                                                 \
    X(ws_swapchain_interception)                                                                             \
    X(ws_descriptor_set_interception)                                                                        \
    X(ws_micromap_interception)                                                                              \
    X(ws_structure_interception)                                                                             \
    X(ws_structure_copy_interception)                                                                        \
    X(ws_structure_host_interception)                                                                        \
    X(ws_structure_others_interception)                                                                      \
    X(ws_object_names_interception)                                                                          \
    X(ws_queue_interception)                                                                                 \
    X(ws_submission_interception)                                                                            \
    X(ws_submit_interception)                                                                                \
    X(ws_semaphore_interception)                                                                             \
    X(ws_wait_interception)                                                                                  \
    X(ws_picture_interception)                                                                               \
    X(ws_present_interception)                                                                               \
    X(ws_command_buffer_interception)                                                                        \
    X(ws_bindings_interception)                                                                              \
    X(ws_bound_sets_interception)                                                                            \
    X(ws_render_pass_interception)                                                                           \
    X(ws_execution_set_interception)                                                                         \
    X(ws_generated_interception)                                                                             \
    X(ws_draw_interception)                                                                                  \
    X(ws_events_interception)                                                                                \
    X(ws_uncovered_interception)                                                                             \
    X(ws_dispatch_interception)                                                                              \
    X(ws_build_interception)                                                                                 \
    X(ws_trace_interception)                                                                                 \
    X(ws_execute_commands_interception)                                                                      \
    X(ws_labels_interception)

#define DECLARE(name) extern const struct ws_interception name;
INTERCEPTIONS(DECLARE)
#undef DECLARE

#define POINTER(name) &name,
static const struct ws_interception *const interceptions[] = {INTERCEPTIONS(POINTER)};
#undef POINTER

#define COUNT (sizeof(interceptions) / sizeof(interceptions[0]))

static bool is_on(const struct ws_interception *interception, const struct ws_settings *settings)
{
    if (!interception->geometry && !interception->image && !interception->bindings)
        return true;
    return (interception->geometry && settings->geometry) || (interception->image && settings->image) ||
           (interception->bindings && settings->bindings);
}

/* With NULL for any settings. */
static PFN_vkVoidFunction find(const struct ws_settings *settings, const char *name)
{
    name = ws_dispatch_canonical_name(name);
    for (size_t i = 0; i < COUNT; i++) {
        if (settings != NULL && !is_on(interceptions[i], settings))
            continue;
        for (const struct ws_hook *hook = interceptions[i]->hooks; hook->name != NULL; hook++)
            if (strcmp(hook->name, name) == 0)
                return hook->function;
    }
    return NULL;
}

PFN_vkVoidFunction ws_hook_list_find(const struct ws_settings *settings, const char *name)
{
    return find(settings, name);
}

bool ws_hook_list_has(const char *name)
{
    return find(NULL, name) != NULL;
}

static void finish(struct ws_device *device, size_t count)
{
    while (count-- > 0)
        if (is_on(interceptions[count], device->settings) && interceptions[count]->device_finish != NULL)
            interceptions[count]->device_finish(device);
}

bool ws_hook_list_device_init(struct ws_device *device, struct ws_error *error)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (is_on(interceptions[i], device->settings) && interceptions[i]->device_init != NULL &&
            !interceptions[i]->device_init(device, error)) {
            finish(device, i);
            return false;
        }
    }
    return true;
}

void ws_hook_list_device_finish(struct ws_device *device)
{
    finish(device, COUNT);
}

void ws_hook_list_device_flush(struct ws_device *device)
{
    for (size_t i = 0; i < COUNT; i++)
        if (is_on(interceptions[i], device->settings) && interceptions[i]->device_flush != NULL)
            interceptions[i]->device_flush(device);
}
