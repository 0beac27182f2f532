#include "layer/shader/shader_object.h"

#include <stdint.h>
#include <stdlib.h>

#include "layer/core/capture.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/core/watch.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader.h"
#include "layer/shader/shader_binary.h"

static VKAPI_ATTR VkResult VKAPI_CALL get_shader_binary_data(VkDevice handle, VkShaderEXT shader,
                                                             size_t *size, void *data)
{
    struct ws_device *device = ws_device_of(handle);
    const struct ws_pipeline *object = ws_objects_find(device, WS_OBJECT_SHADER, WS_HANDLE(shader));
    if (object == NULL || object->shader_count == 0)
        return device->next.GetShaderBinaryDataEXT(handle, shader, size, data);
    const size_t needed = ws_shader_binary_size(object->shaders[0]);
    if (data != NULL && *size < needed) {
        *size = 0;
        return VK_INCOMPLETE;
    }
    *size = needed;
    if (data != NULL)
        ws_shader_binary_write(object->shaders[0], data);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties)
{
    const struct ws_instance *instance = ws_instance_of(physical);
    instance->next.GetPhysicalDeviceProperties2(physical, properties);
    VkBaseOutStructure *item = properties->pNext;
    while (item != NULL && item->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT)
        item = item->pNext;
    if (item == NULL)
        return;
    ws_shader_binary_change_uuid(((VkPhysicalDeviceShaderObjectPropertiesEXT *)item)->shaderBinaryUUID);
}

/* One shader object that is being created. */
struct build {
    struct ws_shader *shader;            /* referenced; NULL when it comes without SPIR-V */
    VkShaderCreateInfoEXT info;          /* the application's; of SPIR-V, where it came as a binary of ours */
    VkSpecializationInfo specialization; /* of a binary of ours */
    bool instrumented;
    bool refused;
    const char *reason;
};

/* `info`: the application's; afterwards what the driver is to make. */
static void build_init(struct build *build, struct ws_device *device, VkShaderCreateInfoEXT *info)
{
    ws_shader_binary_open(info, &build->specialization);
    build->info = *info;
    if (info->codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) {
        build->reason = "it comes as the driver's binary code, without SPIR-V";
        return;
    }
    const VkDebugUtilsObjectNameInfoEXT *name =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    const size_t word_count = info->codeSize / sizeof(uint32_t);
    const struct ws_spirv spirv = {
        .words = info->pCode,
        .word_count = word_count,
        .hash = ws_spirv_hash(info->pCode, word_count),
        .name = name != NULL && name->pObjectName != NULL ? name->pObjectName : "",
    };
    build->shader = ws_shader_get(device, &spirv, info->stage, info->pName, info->pSpecializationInfo,
                                  false); /* alpha to coverage is dynamic */
    if (build->shader == NULL)
        build->reason = "out of memory";
    if (build->shader == NULL || build->shader->row_count == 0)
        return;
    const struct ws_instrumented *instrumented = build->shader->module->instrumented;
    info->codeSize = instrumented->word_count * sizeof(uint32_t);
    info->pCode = instrumented->words;
    info->pSpecializationInfo = &build->shader->specialization;
    build->instrumented = true;
}

/* As for pipelines (pipeline.c, fall_back). A driver refuses linked stages together, so all are created again
 * without instrumentation. */
static VkResult create_plain(struct ws_device *device, uint32_t count, struct build *builds,
                             VkShaderCreateInfoEXT *infos, const VkAllocationCallbacks *allocator,
                             VkShaderEXT *shaders)
{
    for (uint32_t i = 0; i < count; i++) {
        infos[i] = builds[i].info;
        builds[i].refused = builds[i].instrumented;
        if (shaders[i] != VK_NULL_HANDLE)
            device->next.DestroyShaderEXT(device->handle, shaders[i], allocator);
        shaders[i] = VK_NULL_HANDLE;
    }
    ws_message(device->instance, WS_WARNING,
               "the driver refuses shader objects with instrumented shaders; they run without");
    return device->next.CreateShadersEXT(device->handle, count, infos, allocator, shaders);
}

static void remember(struct ws_device *device, struct build *build, VkShaderEXT shader)
{
    if (build->refused)
        build->reason = "the driver refuses it instrumented";
    const uint32_t count = build->shader != NULL ? 1 : 0;
    ws_pipeline_remember(device, WS_PIPELINE_SHADER_OBJECT, WS_HANDLE(shader), &build->shader, count,
                         build->refused ? 0 : count, false, build->reason);
}

/* Watches how long the driver takes for what is instrumented. */
static void watch(struct ws_device *device, const struct build *builds, uint32_t count,
                  struct ws_watched *watched)
{
    struct ws_shader **shaders = device->instance->watch != NULL ? calloc(count + 1, sizeof(*shaders)) : NULL;
    if (shaders == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        shaders[i] = builds[i].shader;
    watched->what = "a call that creates shader objects";
    watched->shaders = ws_shaders_describe(shaders, count, &watched->sites);
    ws_watch_begin(device->instance->watch, watched);
    free(shaders);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shaders(VkDevice handle, uint32_t count,
                                                     const VkShaderCreateInfoEXT *originals,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkShaderEXT *shaders)
{
    struct ws_device *device = ws_device_of(handle);
    VkShaderCreateInfoEXT *infos = calloc(count + 1, sizeof(*infos));
    struct build *builds = calloc(count + 1, sizeof(*builds));
    if (infos == NULL || builds == NULL) {
        free(infos);
        free(builds);
        ws_message(device->instance, WS_ERROR, "out of memory: shader objects are not captured");
        return device->next.CreateShadersEXT(handle, count, originals, allocator, shaders);
    }
    struct ws_progress_capture *shown = device->capture->progress;
    bool instrumented = false;
    WS_PROGRESS_ADD(shown, instrumenting, count);
    for (uint32_t i = 0; i < count; i++) {
        infos[i] = originals[i];
        build_init(&builds[i], device, &infos[i]);
        instrumented |= builds[i].instrumented;
        shaders[i] = VK_NULL_HANDLE;
    }
    WS_PROGRESS_SUBTRACT(shown, instrumenting, count);
    WS_PROGRESS_ADD(shown, compiling, count);
    struct ws_watched watched = {0};
    watch(device, builds, count, &watched);
    VkResult result = device->next.CreateShadersEXT(handle, count, infos, allocator, shaders);
    if (result < 0 && instrumented)
        result = create_plain(device, count, builds, infos, allocator, shaders);
    ws_watch_end(&watched);
    WS_PROGRESS_SUBTRACT(shown, compiling, count);
    WS_PROGRESS_ADD(shown, pipelines, count);
    for (uint32_t i = 0; i < count; i++)
        if (shaders[i] != VK_NULL_HANDLE)
            remember(device, &builds[i], shaders[i]);
    for (uint32_t i = 0; i < count; i++) {
        ws_shader_release(builds[i].shader);
        free((void *)builds[i].specialization.pMapEntries);
    }
    free(infos);
    free(builds);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_shader(VkDevice handle, VkShaderEXT shader,
                                                 const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_pipeline_destroy(ws_objects_remove(device, WS_OBJECT_SHADER, WS_HANDLE(shader)));
    device->next.DestroyShaderEXT(handle, shader, allocator);
}

static void device_finish(struct ws_device *device)
{
    struct ws_pipeline *pipeline;
    while ((pipeline = ws_objects_remove_any(device, WS_OBJECT_SHADER)) != NULL)
        ws_pipeline_destroy(pipeline);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateShadersEXT, create_shaders),
    WS_HOOK(DestroyShaderEXT, destroy_shader),
    WS_HOOK(GetShaderBinaryDataEXT, get_shader_binary_data),
    WS_HOOK_END,
};

const struct ws_interception ws_shader_object_interception = {.hooks = hooks, .device_finish = device_finish};
