/* VkDevice: created with the features that the passes need, and made active where that succeeds. */

#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/core/progress.h"
#include "layer/core/settings.h"
#include "layer/loader/create.h"
#include "layer/loader/device_features.h"
#include "layer/loader/hook_list.h"
#include "layer/process/lock.h"
#include "warpscope/stage.h"

static void destroy(struct ws_device *device)
{
    if (device == NULL)
        return;
    ws_objects_destroy(device->objects);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static struct ws_device *create(struct ws_instance *instance, VkPhysicalDevice physical)
{
    struct ws_device *device = calloc(1, sizeof(*device));
    if (device == NULL)
        return NULL;
    ws_lock_init(&device->lock);
    device->objects = ws_objects_create();
    if (device->objects == NULL) {
        destroy(device);
        return NULL;
    }
    device->physical = physical;
    device->instance = instance;
    device->settings = instance->settings;
    device->probes = instance->probes;
    return device;
}

/* The loader's link or callback of `function`; see create_instance.c for the const. */
static VkLayerDeviceCreateInfo *find_link(const VkDeviceCreateInfo *create_info, VkLayerFunction function)
{
    const VkLayerDeviceCreateInfo *item = create_info->pNext;
    while (item != NULL &&
           (item->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || item->function != function))
        item = item->pNext;
    return (VkLayerDeviceCreateInfo *)item;
}

/* As in create_instance.c. */
static void leave_out_ourselves(VkLayerDeviceLink *link)
{
    while (link->pNext != NULL)
        if (link->pfnNextGetInstanceProcAddr == ws_get_instance_proc_addr) {
            link->pfnNextGetInstanceProcAddr = link->pNext->pfnNextGetInstanceProcAddr;
            link->pfnNextGetDeviceProcAddr = link->pNext->pfnNextGetDeviceProcAddr;
            link->pNext = link->pNext->pNext;
        } else {
            link = link->pNext;
        }
}

static VkResult create_next(struct ws_device *device, const VkDeviceCreateInfo *create_info,
                            const VkAllocationCallbacks *allocator, const VkLayerDeviceLink *link,
                            VkDevice *handle)
{
    PFN_vkCreateDevice next =
        (PFN_vkCreateDevice)link->pfnNextGetInstanceProcAddr(device->instance->handle, "vkCreateDevice");
    return next != NULL ? next(device->physical, create_info, allocator, handle)
                        : VK_ERROR_INITIALIZATION_FAILED;
}

/* Reports why a device stays inactive: as a message and in the capture. */
static void leave_alone(struct ws_device *device, const char *reason)
{
    struct ws_instance *instance = device->instance;
    ws_message(instance, WS_ERROR, "nothing is captured on %s: %s", device->properties.core.deviceName,
               reason);
    struct ws_error error = {0};
    struct ws_capture *capture = ws_capture_acquire(instance, &error);
    if (capture != NULL)
        ws_capture_skip(capture, WS_SKIP_DEVICE, WS_NONE, WS_NONE, WS_NONE, 1, reason);
    ws_capture_release(capture);
}

/* Creates the device in the next layer: with the features of the passes where the driver takes them (`*able`
 * is true), else as the application asked. */
static VkResult create_able(struct ws_device *device, const VkDeviceCreateInfo *create_info,
                            const VkAllocationCallbacks *allocator, VkDevice *handle, bool *able)
{
    VkLayerDeviceCreateInfo *loader = find_link(create_info, VK_LAYER_LINK_INFO);
    VkLayerDeviceLink *link = loader->u.pLayerInfo;
    struct ws_features features;
    struct ws_error error = {0};

    *able = false;
    loader->u.pLayerInfo = link->pNext;
    if (device->instance->active) {
        ws_features_query(device->instance, device->physical, &device->properties);
        if (ws_features_init(&features, device->instance, device->physical, &device->properties, create_info,
                             &error)) {
            const VkResult result = create_next(device, &features.info, allocator, link, handle);
            device->host_import = features.host_import;
            device->capture_replay = features.capture_replay;
            device->timeline_semaphores = features.timeline_semaphores;
            device->added_extensions = features.added_extensions;
            device->clock = features.clock;
            memcpy(device->capabilities, features.capabilities, sizeof(device->capabilities));
            device->capability_count = features.capability_count;
            ws_features_finish(&features);
            *able = result == VK_SUCCESS;
            if (*able)
                return result;
            device->added_extensions = 0;
            ws_error_set(&error,
                         "the driver refuses a device with the features that the passes need (VkResult %d)",
                         (int)result);
        }
        leave_alone(device, error.message);
    }
    loader->u.pLayerInfo = link->pNext; /* the layers below have advanced it further */
    return create_next(device, create_info, allocator, link, handle);
}

static bool write_device(struct ws_device *device, struct ws_error *error)
{
    const struct ws_device_properties *properties = &device->properties;
    device->capture_id = ws_capture_next(&device->capture->next_device);
    const struct ws_chunk_device chunk = {
        .id = device->capture_id,
        .name = properties->core.deviceName,
        .driver_name = properties->driver.driverName,
        .driver_info = properties->driver.driverInfo,
        .api_version = properties->core.apiVersion,
        .vendor_id = properties->core.vendorID,
        .pci_device_id = properties->core.deviceID,
        .driver_version = properties->core.driverVersion,
        .type = properties->core.deviceType,
        .subgroup_size = properties->subgroup_size,
        .subgroup_size_min = properties->subgroup_size_min,
        .subgroup_size_max = properties->subgroup_size_max,
        .bins = device->bins,
        .subgroup_stages = device->subgroup_stages,
    };
    return ws_capture_write_device(device->capture->writer, &chunk, error);
}

/* Makes a device active that has the features. False without `error` where the capture is whole already: then this
 * device runs as the application wants it. */
static bool activate(struct ws_device *device, struct ws_error *error)
{
    const struct ws_device_properties *properties = &device->properties;
    /* lavapipe names fewer stages than it supports: its compiler treats all stages alike. */
    device->subgroup_stages = properties->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE
                                  ? WS_STAGES_ALL
                                  : properties->subgroup_stages;
    device->without_records =
        !properties->subgroup_shuffle && properties->driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
    device->without_sums = (properties->subgroup_operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) == 0 &&
                           properties->driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
    device->bins = properties->subgroup_size_max;
    if (device->bins < WS_BINS_MIN)
        device->bins = WS_BINS_MIN;
    if (device->bins > WS_BINS_MAX)
        return ws_error_set(error, "its subgroups have %u lanes, and the passes can count %u at most",
                            device->bins, WS_BINS_MAX);

    device->capture = ws_capture_acquire(device->instance, error);
    if (device->capture == NULL)
        return false;
    if (!atomic_load(&device->capture->whole) && write_device(device, error) &&
        ws_hook_list_device_init(device, error)) {
        device->active = true;
        return true;
    }
    ws_capture_release(device->capture);
    device->capture = NULL;
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL ws_create_device(VkPhysicalDevice physical,
                                                const VkDeviceCreateInfo *create_info,
                                                const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    struct ws_instance *instance = ws_instance_of(physical);
    const VkLayerDeviceCreateInfo *link = find_link(create_info, VK_LAYER_LINK_INFO);
    const VkLayerDeviceCreateInfo *loader = find_link(create_info, VK_LOADER_DATA_CALLBACK);
    if (instance == NULL || link == NULL || link->u.pLayerInfo == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    leave_out_ourselves(link->u.pLayerInfo);
    PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;

    struct ws_device *device = create(instance, physical);
    if (device == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    bool able;
    const VkResult result = create_able(device, create_info, allocator, handle, &able);
    if (result != VK_SUCCESS) {
        ws_progress_refused(result);
        destroy(device);
        return result;
    }
    ws_progress_device();
    device->handle = *handle;
    device->key = *(void **)*handle;
    device->set_loader_data = loader != NULL ? loader->u.pfnSetDeviceLoaderData : NULL;
    ws_device_dispatch_load(&device->next, *handle, next, instance->handle,
                            instance->next.GetInstanceProcAddr);
    ws_device_add(device);

    struct ws_error error = {0};
    if (able && device->set_loader_data == NULL)
        ws_error_set(&error, "the Vulkan loader gives layers no vkSetDeviceLoaderData");
    if (able && error.message[0] == '\0')
        activate(device, &error);
    if (able && error.message[0] != '\0')
        leave_alone(device, error.message);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL ws_destroy_device(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (handle == VK_NULL_HANDLE)
        return;
    struct ws_device *device = ws_device_remove(handle);
    if (device == NULL)
        return;
    if (device->active)
        ws_hook_list_device_finish(device);
    device->next.DestroyDevice(handle, allocator);
    ws_capture_release(device->capture);
    destroy(device);
}
