/* Names that the application gives to its objects (VK_EXT_debug_utils, VK_EXT_debug_marker). */
#include "layer/commands/command_buffer.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/ray_tracing/structure.h"
#include "layer/resources/resource.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"
#include "layer/shader/shader_module.h"
#include "layer/submit/queue.h"

static void name_pipeline(struct ws_device *device, enum ws_object_kind kind, uint64_t handle,
                          const char *name)
{
    const struct ws_pipeline *pipeline = ws_objects_find(device, kind, handle);
    if (pipeline != NULL)
        ws_capture_name(device->capture, WS_NAME_PIPELINE, pipeline->capture_id, name);
}

/* The MODL chunk, written with the first pipeline, has the name of that moment. A later name is a NAME
 * chunk. */
static void name_module(struct ws_device *device, uint64_t handle, const char *name)
{
    const VkShaderModule module = (VkShaderModule)handle;
    ws_shader_module_set_name(device, module, name);
    const struct ws_shader_module *kept = ws_shader_module_find(device, module);
    if (kept == NULL)
        return;
    const struct ws_spirv spirv = {kept->words, kept->word_count, kept->hash, ""};
    const uint32_t id = ws_module_cache_find(device->modules, &spirv);
    if (id != WS_NONE)
        ws_capture_name(device->capture, WS_NAME_MODULE, id, name);
}

static void name_queue(struct ws_device *device, VkQueue handle, const char *name)
{
    const struct ws_queue *queue = ws_queue_of(handle);
    if (queue != NULL)
        ws_capture_name(device->capture, WS_NAME_QUEUE, queue->family << 16 | queue->index, name);
}

/* The kind of resource of an object; WS_RESOURCE_KINDS = it is none. */
static enum ws_resource_kind kind_of(VkObjectType type)
{
    switch ((int)type) {
    case VK_OBJECT_TYPE_DEVICE_MEMORY: return WS_RESOURCE_ALLOCATION;
    case VK_OBJECT_TYPE_BUFFER: return WS_RESOURCE_BUFFER;
    case VK_OBJECT_TYPE_IMAGE: return WS_RESOURCE_IMAGE;
    case VK_OBJECT_TYPE_IMAGE_VIEW: return WS_RESOURCE_IMAGE_VIEW;
    case VK_OBJECT_TYPE_BUFFER_VIEW: return WS_RESOURCE_BUFFER_VIEW;
    default: return WS_RESOURCE_KINDS;
    }
}

static void name_object(struct ws_device *device, VkObjectType type, uint64_t handle, const char *name)
{
    if (name == NULL)
        name = ""; /* takes the name away */
    if (kind_of(type) != WS_RESOURCE_KINDS) {
        ws_resource_set_name(device, kind_of(type), handle, name);
        return;
    }
    switch ((int)type) {
    case VK_OBJECT_TYPE_SHADER_MODULE: name_module(device, handle, name); break;
    case VK_OBJECT_TYPE_PIPELINE: name_pipeline(device, WS_OBJECT_PIPELINE, handle, name); break;
    case (int)VK_OBJECT_TYPE_SHADER_EXT: name_pipeline(device, WS_OBJECT_SHADER, handle, name); break;
    case VK_OBJECT_TYPE_COMMAND_BUFFER:
        ws_command_buffer_set_name(device, (VkCommandBuffer)(uintptr_t)handle, name);
        break;
    case VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR:
        ws_structure_set_name(device, (VkAccelerationStructureKHR)handle, name);
        break;
    case VK_OBJECT_TYPE_QUEUE: name_queue(device, (VkQueue)(uintptr_t)handle, name); break;
    default: break;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL set_object_name(VkDevice handle,
                                                      const VkDebugUtilsObjectNameInfoEXT *info)
{
    struct ws_device *device = ws_device_of(handle);
    /* vkGetInstanceProcAddr returns this function too, so the device may be inactive. */
    if (device->active)
        name_object(device, info->objectType, info->objectHandle, info->pObjectName);
    return device->next.SetDebugUtilsObjectNameEXT(handle, info);
}

static VkObjectType to_object_type(VkDebugReportObjectTypeEXT type)
{
    switch (type) {
    case VK_DEBUG_REPORT_OBJECT_TYPE_SHADER_MODULE_EXT: return VK_OBJECT_TYPE_SHADER_MODULE;
    case VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT: return VK_OBJECT_TYPE_PIPELINE;
    case VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_BUFFER_EXT: return VK_OBJECT_TYPE_COMMAND_BUFFER;
    case VK_DEBUG_REPORT_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR_EXT:
        return VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR;
    case VK_DEBUG_REPORT_OBJECT_TYPE_QUEUE_EXT: return VK_OBJECT_TYPE_QUEUE;
    case VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_MEMORY_EXT: return VK_OBJECT_TYPE_DEVICE_MEMORY;
    case VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT: return VK_OBJECT_TYPE_BUFFER;
    case VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT: return VK_OBJECT_TYPE_IMAGE;
    case VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_VIEW_EXT: return VK_OBJECT_TYPE_IMAGE_VIEW;
    case VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_VIEW_EXT: return VK_OBJECT_TYPE_BUFFER_VIEW;
    default: return VK_OBJECT_TYPE_UNKNOWN;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL set_marker_name(VkDevice handle,
                                                      const VkDebugMarkerObjectNameInfoEXT *info)
{
    struct ws_device *device = ws_device_of(handle);
    name_object(device, to_object_type(info->objectType), info->object, info->pObjectName);
    return device->next.DebugMarkerSetObjectNameEXT(handle, info);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(SetDebugUtilsObjectNameEXT, set_object_name),
    WS_HOOK(DebugMarkerSetObjectNameEXT, set_marker_name),
    WS_HOOK_END,
};

const struct ws_interception ws_object_names_interception = {.hooks = hooks};
