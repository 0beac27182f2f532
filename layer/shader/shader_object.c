#include "layer/shader/shader_object.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/capture.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader.h"

/* What stands before the binary of an instrumented shader. Its size keeps the binary at a multiple of 16
 * bytes, which vkCreateShadersEXT demands (VUID-VkShaderCreateInfoEXT-pCode-08492). */
struct tag {
    char magic[16];
    XXH128_hash_t run;
    uint32_t device; /* ids in the capture */
    uint32_t shader;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct tag) % 16 == 0, "a binary behind its tag must be aligned");

static const char magic[16] = "WarpscopeShader";

/* Made of the process id and the time of the first call: no two runs have both in common. */
static XXH128_hash_t run_id(void)
{
    static _Atomic int64_t start;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t unset = 0;
    atomic_compare_exchange_strong(&start, &unset, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    const int64_t run[2] = {start, (int64_t)getpid()};
    return XXH3_128bits(run, sizeof(run));
}

static struct tag make_tag(const struct ws_device *device, const struct ws_shader *shader)
{
    struct tag tag = {.run = run_id(), .device = device->capture_id, .shader = shader->capture_id};
    memcpy(tag.magic, magic, sizeof(tag.magic));
    return tag;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_shader_binary_data(VkDevice handle, VkShaderEXT shader,
                                                             size_t *size, void *data)
{
    struct ws_device *device = ws_device_of(handle);
    const struct ws_pipeline *object = ws_objects_find(device, WS_OBJECT_SHADER, WS_HANDLE(shader));
    if (object == NULL || object->shader_count == 0 || object->shaders[0]->row_count == 0)
        return device->next.GetShaderBinaryDataEXT(handle, shader, size, data);
    /* The binary has the number of the shader's slot, and may outlive all objects that are made of it. So the
     * shader keeps the slot for ever. */
    if (data != NULL)
        ws_shader_reference(object->shaders[0]);
    const struct tag tag = make_tag(device, object->shaders[0]);
    if (data != NULL && *size < sizeof(tag)) {
        *size = 0;
        return VK_INCOMPLETE;
    }
    size_t rest = data != NULL ? *size - sizeof(tag) : 0;
    char *behind = data != NULL ? (char *)data + sizeof(tag) : NULL;
    const VkResult result = device->next.GetShaderBinaryDataEXT(handle, shader, &rest, behind);
    *size = result == VK_SUCCESS ? rest + sizeof(tag) : 0;
    if (result == VK_SUCCESS && data != NULL)
        memcpy(data, &tag, sizeof(tag));
    return result;
}

/* The shader, referenced, whose binary `info` holds behind its tag, which is taken off the info; NULL, and
 * the info as it was, when it is no binary of an instrumented shader of this device. */
static struct ws_shader *open_binary(struct ws_device *device, VkShaderCreateInfoEXT *info)
{
    struct tag tag;
    if (info->codeSize < sizeof(tag))
        return NULL;
    memcpy(&tag, info->pCode, sizeof(tag));
    struct ws_shader *shader = ws_shader_find(device, tag.shader);
    if (shader == NULL)
        return NULL;
    const struct tag expected = make_tag(device, shader);
    if (shader->stage != (uint32_t)info->stage || memcmp(&tag, &expected, sizeof(tag)) != 0) {
        ws_shader_release(shader);
        return NULL;
    }
    info->pCode = (const char *)info->pCode + sizeof(tag);
    info->codeSize -= sizeof(tag);
    return shader;
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
    const XXH128_hash_t run = run_id();
    VkPhysicalDeviceShaderObjectPropertiesEXT *objects = (VkPhysicalDeviceShaderObjectPropertiesEXT *)item;
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        objects->shaderBinaryUUID[i] ^= ((const uint8_t *)&run)[i];
}

/* One shader object that is being created. */
struct build {
    struct ws_shader *shader; /* referenced; NULL when it comes without SPIR-V */
    bool instrumented;
    bool refused;
    const char *reason;
};

static void build_init(struct build *build, struct ws_device *device, VkShaderCreateInfoEXT *info)
{
    if (info->codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) {
        build->shader = open_binary(device, info);
        if (build->shader == NULL)
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
                             const VkShaderCreateInfoEXT *originals, const VkAllocationCallbacks *allocator,
                             VkShaderEXT *shaders)
{
    for (uint32_t i = 0; i < count; i++) {
        builds[i].refused = builds[i].instrumented;
        if (shaders[i] != VK_NULL_HANDLE)
            device->next.DestroyShaderEXT(device->handle, shaders[i], allocator);
        shaders[i] = VK_NULL_HANDLE;
    }
    ws_message(device->instance, WS_WARNING,
               "the driver refuses shader objects with instrumented shaders; they run without");
    return device->next.CreateShadersEXT(device->handle, count, originals, allocator, shaders);
}

static void remember(struct ws_device *device, struct build *build, VkShaderEXT shader)
{
    if (build->refused)
        build->reason = "the driver refuses it instrumented";
    const uint32_t count = build->shader != NULL ? 1 : 0;
    ws_pipeline_remember(device, WS_PIPELINE_SHADER_OBJECT, WS_HANDLE(shader), &build->shader, count,
                         build->refused ? 0 : count, false, build->reason);
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
    VkResult result = device->next.CreateShadersEXT(handle, count, infos, allocator, shaders);
    if (result < 0 && instrumented)
        result = create_plain(device, count, builds, originals, allocator, shaders);
    WS_PROGRESS_SUBTRACT(shown, compiling, count);
    WS_PROGRESS_ADD(shown, pipelines, count);
    for (uint32_t i = 0; i < count; i++)
        if (shaders[i] != VK_NULL_HANDLE)
            remember(device, &builds[i], shaders[i]);
    for (uint32_t i = 0; i < count; i++)
        ws_shader_release(builds[i].shader);
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
