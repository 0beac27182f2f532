#include "layer/ray_tracing/micromap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/blob.h"
#include "layer/core/capture.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/vulkan_newer.h"
#include "layer/process/lock.h"
#include "layer/ray_tracing/range_copy.h"
#include "layer/submit/submission.h"
#include "warpscope/chunks.h"
#include "warpscope/instrument.h"

/* Someone else's process must not exit because a map cannot grow: uthash then leaves the element out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

static const char *const not_known =
    "what an opacity micromap holds is not known: it was made before, or there was no memory";
static const char *const not_built =
    "what an opacity micromap holds is not known: nothing was seen to build it";
static const char *const not_described =
    "what an opacity micromap holds is not known: its build does not say what it reads";
static const char *const from_memory =
    "what an opacity micromap holds is not known: it was copied from memory";
static const char *const by_host = "what an opacity micromap holds is not known: the host built or copied it";
static const char *const lost = "what an opacity micromap holds is not known: its copy is lost";
static const char *const no_memory = "what an opacity micromap holds is not known: out of memory";

struct ws_micromap {
    _Atomic uint32_t references;
    uint64_t handle;
    _Atomic uint32_t misses; /* changes of it that could not be recorded */
    uint32_t passed;         /* of these, those before the last change that was written */
    const char *reason;      /* why what it holds is not known; NULL = it is */
    struct ws_micromap_content content;
    UT_hash_handle hh;
};

struct ws_micromaps {
    pthread_mutex_t lock; /* guards the maps */
    struct ws_micromap *handles[WS_MICROMAP_KINDS];
};

void ws_micromap_add(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle)
{
    struct ws_micromaps *micromaps = device->micromaps;
    struct ws_micromap *micromap = micromaps != NULL ? calloc(1, sizeof(*micromap)) : NULL;
    bool kept = false;
    if (micromap != NULL) {
        atomic_init(&micromap->references, 1);
        micromap->handle = handle;
        micromap->reason = not_built;
        ws_lock(&micromaps->lock);
        HASH_ADD(hh, micromaps->handles[kind], handle, sizeof(micromap->handle), micromap);
        kept = micromap->hh.tbl != NULL;
        ws_unlock(&micromaps->lock);
    }
    if (!kept) {
        free(micromap);
        ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, 1,
                        "out of memory when an opacity micromap was created");
    }
}

static struct ws_micromap *find(const struct ws_micromaps *micromaps, enum ws_micromap_kind kind,
                                uint64_t handle)
{
    struct ws_micromap *micromap;
    HASH_FIND(hh, micromaps->handles[kind], &handle, sizeof(handle), micromap);
    return micromap;
}

void ws_micromap_remove(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle)
{
    struct ws_micromaps *micromaps = device->micromaps;
    if (micromaps == NULL)
        return;
    ws_lock(&micromaps->lock);
    struct ws_micromap *micromap = find(micromaps, kind, handle);
    if (micromap != NULL)
        HASH_DELETE(hh, micromaps->handles[kind], micromap);
    ws_unlock(&micromaps->lock);
    ws_micromap_release(micromap);
}

struct ws_micromap *ws_micromap_find(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle)
{
    struct ws_micromaps *micromaps = device->micromaps;
    if (micromaps == NULL || handle == 0)
        return NULL;
    ws_lock(&micromaps->lock);
    struct ws_micromap *micromap = find(micromaps, kind, handle);
    if (micromap != NULL)
        atomic_fetch_add(&micromap->references, 1);
    ws_unlock(&micromaps->lock);
    return micromap;
}

void ws_micromap_release(struct ws_micromap *micromap)
{
    if (micromap != NULL && atomic_fetch_sub(&micromap->references, 1) == 1)
        free(micromap);
}

const char *ws_micromap_get(const struct ws_micromap *micromap, struct ws_micromap_content *content)
{
    if (micromap == NULL)
        return not_known;
    if (atomic_load(&micromap->misses) != micromap->passed)
        return no_memory;
    *content = micromap->content;
    return micromap->reason;
}

bool ws_micromap_lose(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle)
{
    struct ws_micromap *micromap = ws_micromap_find(device, kind, handle);
    if (micromap == NULL)
        return false;
    /* What was submitted before wrote to it before. */
    ws_submissions_enter(device);
    ws_submissions_drain_for_host(device);
    micromap->reason = by_host;
    micromap->passed = atomic_load(&micromap->misses);
    ws_submissions_leave(device);
    ws_micromap_release(micromap);
    return true;
}

/* ---- builds and copies on the device ---- */

/* What a build reads. */
struct input {
    const VkMicromapUsageEXT *usages; /* or else: */
    const VkMicromapUsageEXT *const *pointers;
    uint32_t usage_count;
    VkDeviceAddress data;
    VkDeviceAddress triangles;
    VkDeviceSize stride;
};

/* A command that changes what a micromap holds. */
struct change {
    struct ws_readback readback;
    struct ws_micromap *target;
    uint32_t misses; /* of the target, when it was recorded */
    bool copies;
    bool from_memory;           /* of a copy */
    struct ws_micromap *source; /* of a copy of a micromap; NULL = that is not known */
    bool is_described;          /* of a build: it says what it reads */
    uint32_t triangle_count;
    uint64_t stride;
    struct ws_copied_range data;
    struct ws_copied_range triangles;
};

static void destroy(struct ws_readback *readback)
{
    struct change *change = (struct change *)readback;
    ws_micromap_release(change->target);
    ws_micromap_release(change->source);
    free(change);
}

static uint32_t put(struct ws_device *device, const struct ws_copied_range *range,
                    const struct ws_execution *execution, const char **reason)
{
    const uint8_t *bytes = ws_copied_range_bytes(range, execution);
    const uint32_t blob = bytes != NULL ? ws_blob_put(device->capture, bytes, range->size) : WS_NONE;
    if (blob == WS_NONE && *reason == NULL)
        *reason = range->reason != NULL ? range->reason : bytes == NULL ? lost : no_memory;
    return blob;
}

static void write(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution)
{
    const struct change *change = (const struct change *)readback;
    struct ws_micromap *target = change->target;
    if (change->misses > target->passed)
        target->passed = change->misses;
    if (change->copies) {
        target->reason =
            change->from_memory ? from_memory : ws_micromap_get(change->source, &target->content);
        return;
    }
    target->reason = change->is_described ? NULL : not_described;
    target->content = (struct ws_micromap_content){
        .data = WS_NONE,
        .triangles = WS_NONE,
        .triangle_count = change->triangle_count,
        .stride = change->stride,
    };
    if (change->triangle_count > 0) {
        target->content.data = put(device, &change->data, execution, &target->reason);
        target->content.triangles = put(device, &change->triangles, execution, &target->reason);
    }
}

static const struct ws_readback_type kind_of_change = {.always = true, .write = write, .destroy = destroy};

/* Takes over the reference to `target`. NULL when it is not wanted, or there is no memory. */
static struct change *create(struct ws_device *device, struct ws_micromap *target)
{
    const bool wanted = ws_readbacks_wanted(device);
    struct change *change = wanted ? calloc(1, sizeof(*change)) : NULL;
    if (change == NULL) {
        /* What is not wanted is executed after all that is written. */
        if (wanted)
            atomic_fetch_add(&target->misses, 1);
        ws_micromap_release(target);
        return NULL;
    }
    ws_readback_init(&change->readback, &kind_of_change);
    change->target = target;
    change->misses = atomic_load(&target->misses);
    return change;
}

static void add(struct ws_command_buffer *commands, struct change *change)
{
    struct ws_micromap *target = change->target;
    atomic_fetch_add(&target->references, 1);
    if (!ws_readback_add(commands, &change->readback))
        atomic_fetch_add(&target->misses, 1);
    ws_micromap_release(target);
}

/* Bytes of the opacities of a triangle. Encoders may align them to words. */
static uint64_t opacity_bytes(const VkMicromapUsageEXT *usage)
{
    const uint32_t level = usage->subdivisionLevel < 15 ? usage->subdivisionLevel : 15;
    const uint64_t bits =
        ((uint64_t)1 << 2 * level) * (usage->format == VK_OPACITY_MICROMAP_FORMAT_2_STATE_EXT ? 1 : 2);
    return (bits + 31) / 32 * 4;
}

/* How far the opacities of a triangle lie from the beginning is known to the device only. They take no more than all triangles
 * have, side by side; what lies behind that is not known. `input`: NULL = what the build reads is not known. */
static void record_build(struct ws_command_buffer *commands, struct ws_micromap *target,
                         const struct input *input)
{
    struct change *change = target != NULL ? create(commands->device, target) : NULL;
    struct ws_range_copies copies;
    uint64_t size = 0;
    uint64_t count = 0;
    if (change == NULL)
        return;
    for (uint32_t i = 0; input != NULL && i < input->usage_count; i++) {
        const VkMicromapUsageEXT *usage = input->usages != NULL ? &input->usages[i] : input->pointers[i];
        size += usage->count * opacity_bytes(usage);
        count += usage->count;
    }
    change->is_described = input != NULL;
    change->triangle_count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    change->stride = input != NULL ? input->stride : 0;
    ws_range_copies_begin(&copies, commands);
    if (count > 0) {
        ws_range_copy(&copies, input->data, size, &change->data);
        ws_range_copy(&copies, input->triangles, (count - 1) * input->stride + sizeof(VkMicromapTriangleEXT),
                      &change->triangles);
    }
    ws_range_copies_end(&copies);
    add(commands, change);
}

bool ws_micromap_record_copy(struct ws_command_buffer *commands, enum ws_micromap_kind kind, uint64_t source,
                             uint64_t destination)
{
    struct ws_micromap *target = ws_micromap_find(commands->device, kind, destination);
    struct change *change = target != NULL ? create(commands->device, target) : NULL;
    if (change != NULL) {
        change->copies = true;
        change->from_memory = source == 0;
        change->source = ws_micromap_find(commands->device, kind, source);
        add(commands, change);
    }
    return target != NULL;
}

void ws_micromap_record_build(struct ws_command_buffer *commands,
                              const VkAccelerationStructureBuildGeometryInfoKHR *info)
{
    const VkAccelerationStructureGeometryKHR *geometry = info->geometryCount == 0    ? NULL
                                                         : info->pGeometries != NULL ? info->pGeometries
                                                                                     : info->ppGeometries[0];
    const VkAccelerationStructureGeometryMicromapDataKHR *data =
        geometry != NULL ? ws_chain_find(geometry->pNext,
                                         VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR)
                         : NULL;
    const struct input input = data == NULL ? (struct input){0}
                                            : (struct input){.usages = data->pUsageCounts,
                                                             .pointers = data->ppUsageCounts,
                                                             .usage_count = data->usageCountsCount,
                                                             .data = data->data,
                                                             .triangles = data->triangleArray,
                                                             .stride = data->triangleArrayStride};
    record_build(
        commands,
        ws_micromap_find(commands->device, WS_MICROMAP_STRUCTURE, WS_HANDLE(info->dstAccelerationStructure)),
        data != NULL ? &input : NULL);
}

/* ---- VK_EXT_opacity_micromap ---- */

static VKAPI_ATTR VkResult VKAPI_CALL create_micromap(VkDevice handle, const VkMicromapCreateInfoEXT *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkMicromapEXT *micromap)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateMicromapEXT(handle, info, allocator, micromap);
    if (result == VK_SUCCESS)
        ws_micromap_add(device, WS_MICROMAP_EXT, WS_HANDLE(*micromap));
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_micromap(VkDevice handle, VkMicromapEXT micromap,
                                                   const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_micromap_remove(device, WS_MICROMAP_EXT, WS_HANDLE(micromap));
    device->next.DestroyMicromapEXT(handle, micromap, allocator);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build(VkCommandBuffer handle, uint32_t count,
                                            const VkMicromapBuildInfoEXT *infos)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    for (uint32_t i = 0; i < count; i++) {
        const VkMicromapBuildInfoEXT *info = &infos[i];
        const struct input input = {.usages = info->pUsageCounts,
                                    .pointers = info->ppUsageCounts,
                                    .usage_count = info->usageCountsCount,
                                    .data = info->data.deviceAddress,
                                    .triangles = info->triangleArray.deviceAddress,
                                    .stride = info->triangleArrayStride};
        record_build(commands,
                     ws_micromap_find(commands->device, WS_MICROMAP_EXT, WS_HANDLE(info->dstMicromap)),
                     &input);
    }
    commands->device->next.CmdBuildMicromapsEXT(handle, count, infos);
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer handle, const VkCopyMicromapInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_micromap_record_copy(commands, WS_MICROMAP_EXT, WS_HANDLE(info->src), WS_HANDLE(info->dst));
    commands->device->next.CmdCopyMicromapEXT(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_from_memory(VkCommandBuffer handle,
                                                       const VkCopyMemoryToMicromapInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_micromap_record_copy(commands, WS_MICROMAP_EXT, 0, WS_HANDLE(info->dst));
    commands->device->next.CmdCopyMemoryToMicromapEXT(handle, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL build(VkDevice handle, VkDeferredOperationKHR operation, uint32_t count,
                                            const VkMicromapBuildInfoEXT *infos)
{
    struct ws_device *device = ws_device_of(handle);
    for (uint32_t i = 0; i < count; i++)
        ws_micromap_lose(device, WS_MICROMAP_EXT, WS_HANDLE(infos[i].dstMicromap));
    return device->next.BuildMicromapsEXT(handle, operation, count, infos);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy(VkDevice handle, VkDeferredOperationKHR operation,
                                           const VkCopyMicromapInfoEXT *info)
{
    struct ws_device *device = ws_device_of(handle);
    ws_micromap_lose(device, WS_MICROMAP_EXT, WS_HANDLE(info->dst));
    return device->next.CopyMicromapEXT(handle, operation, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_from_memory(VkDevice handle, VkDeferredOperationKHR operation,
                                                       const VkCopyMemoryToMicromapInfoEXT *info)
{
    struct ws_device *device = ws_device_of(handle);
    ws_micromap_lose(device, WS_MICROMAP_EXT, WS_HANDLE(info->dst));
    return device->next.CopyMemoryToMicromapEXT(handle, operation, info);
}

static void finish(struct ws_device *device)
{
    struct ws_micromaps *micromaps = device->micromaps;
    if (micromaps == NULL)
        return;
    for (int kind = 0; kind < WS_MICROMAP_KINDS; kind++) {
        struct ws_micromap *micromap, *next;
        HASH_ITER(hh, micromaps->handles[kind], micromap, next)
        {
            HASH_DELETE(hh, micromaps->handles[kind], micromap);
            ws_micromap_release(micromap);
        }
    }
    pthread_mutex_destroy(&micromaps->lock);
    free(micromaps);
    device->micromaps = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->micromaps = calloc(1, sizeof(*device->micromaps));
    if (device->micromaps == NULL)
        return ws_error_set(error, "out of memory");
    ws_lock_init(&device->micromaps->lock);
    return true;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateMicromapEXT, create_micromap),
    WS_HOOK(DestroyMicromapEXT, destroy_micromap),
    WS_HOOK(CmdBuildMicromapsEXT, cmd_build),
    WS_HOOK(CmdCopyMicromapEXT, cmd_copy),
    WS_HOOK(CmdCopyMemoryToMicromapEXT, cmd_copy_from_memory),
    WS_HOOK(BuildMicromapsEXT, build),
    WS_HOOK(CopyMicromapEXT, copy),
    WS_HOOK(CopyMemoryToMicromapEXT, copy_from_memory),
    WS_HOOK_END,
};

const struct ws_interception ws_micromap_interception = {
    .hooks = hooks,
    .geometry = true,
    .device_init = init,
    .device_finish = finish,
};
