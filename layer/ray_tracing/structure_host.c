/* Acceleration structures that are built and copied on the host (vkBuildAccelerationStructuresKHR,
 * vkCopyAccelerationStructureKHR and its kin), at once or by a deferred operation. The inputs of a build are
 * read when the function is called, since the application may change them as soon as it is complete; the
 * chunk is written when it is complete, with the index of the next launch at that time. */
#include <stdlib.h>
#include <string.h>

#include "layer/commands/readback.h"
#include "layer/core/capture.h"
#include "layer/core/deferred.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/ray_tracing/geometry.h"
#include "layer/ray_tracing/micromap.h"
#include "layer/ray_tracing/structure.h"
#include "layer/ray_tracing/structure_copy.h"
#include "layer/submit/submission.h"
#include "warpscope/instrument.h"

static void skip(struct ws_device *device, uint32_t structure, uint64_t count, const char *reason)
{
    ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, structure, WS_NONE, WS_NONE, count, reason);
}

/* Host builds stand between submissions in the capture: all that has finished is written first. Returns the index of the next
 * launch. */
static uint64_t begin_writing(struct ws_device *device)
{
    ws_submissions_enter(device);
    ws_submissions_drain_for_host(device);
    return atomic_load(&device->capture->launches);
}

static void end_writing(struct ws_device *device)
{
    ws_submissions_leave(device);
}

/* One vkBuildAccelerationStructuresKHR. */
struct builds {
    struct ws_deferred_work work;
    struct ws_device *device;
    uint32_t count;
    struct ws_chunk_build
        chunks[]; /* with their geometries, references, micromaps and usages, which are owned */
};

static void destroy_builds(struct ws_deferred_work *work)
{
    struct builds *builds = (struct builds *)work;
    for (uint32_t i = 0; i < builds->count; i++) {
        const struct ws_chunk_build *chunk = &builds->chunks[i];
        for (uint32_t j = 0; j < chunk->geometry_count; j++)
            free((uint32_t *)chunk->geometries[j].references);
        for (uint32_t j = 0; j < chunk->micromap_count; j++)
            free((struct ws_micromap_usage *)chunk->micromaps[j].usages);
        free((struct ws_build_geometry *)chunk->geometries);
        free((struct ws_build_micromap *)chunk->micromaps);
    }
    free(builds);
}

static VkResult complete_builds(struct ws_deferred_work *work, VkResult result)
{
    struct builds *builds = (struct builds *)work;
    struct ws_device *device = builds->device;
    if (result < 0)
        return result;
    const uint64_t moment = begin_writing(device);
    for (uint32_t i = 0; i < builds->count; i++) {
        struct ws_chunk_build *chunk = &builds->chunks[i];
        struct ws_error error = {0};
        chunk->moment = moment;
        ws_capture_check(NULL, ws_capture_write_build(device->capture->writer, chunk, &error), &error);
        ws_structure_note_built(device, chunk->structure);
    }
    end_writing(device);
    return result;
}

/* The instances of a geometry as an array, also where the application gave pointers. To be freed; NULL when
 * there is no memory. */
static VkAccelerationStructureInstanceKHR *gather_instances(const struct ws_geometry *geometry,
                                                            const struct ws_span *span, uint32_t count)
{
    VkAccelerationStructureInstanceKHR *instances = malloc((count + (size_t)1) * sizeof(*instances));
    const char *data = (const char *)geometry->data.hostAddress + span->offset;
    for (uint32_t i = 0; instances != NULL && i < count; i++) {
        const void *instance = data + i * sizeof(*instances);
        if (geometry->pointers)
            memcpy(&instance, data + i * sizeof(instance), sizeof(instance));
        memcpy(&instances[i], instance, sizeof(*instances));
    }
    return instances;
}

/* The ids of the structures that the instances refer to: in host builds by handle, not by address. To be
 * freed; NULL when there is no memory. */
static uint32_t *resolve(struct ws_device *device, const VkAccelerationStructureInstanceKHR *instances,
                         uint32_t count)
{
    uint32_t *references = malloc((count + (size_t)1) * sizeof(*references));
    for (uint32_t i = 0; references != NULL && i < count; i++)
        references[i] = ws_structure_find(
            device, (VkAccelerationStructureKHR)(uintptr_t)instances[i].accelerationStructureReference);
    return references;
}

static void put_geometry(struct ws_device *device, uint32_t structure, const struct ws_geometry *geometry,
                         const VkAccelerationStructureBuildRangeInfoKHR *range,
                         struct ws_build_geometry *chunk, struct ws_build_micromap *micromap)
{
    struct ws_span spans[WS_INPUT_COUNT];
    struct ws_input inputs[WS_INPUT_COUNT] = {{0}};
    VkAccelerationStructureInstanceKHR *instances = NULL;
    uint32_t *references = NULL;
    ws_geometry_spans(geometry, range, spans);
    for (uint32_t i = 0; i < WS_INPUT_COUNT; i++) {
        if (spans[i].size > 0 && (i != WS_INPUT_MICROMAP || !geometry->micromap_on_device))
            inputs[i] = (struct ws_input){(const uint8_t *)ws_geometry_address(geometry, i).hostAddress +
                                              spans[i].offset,
                                          spans[i].size};
    }
    /* maxVertex may be more than the array has. Up to the largest index the array is sure to be there; no
     * more is read. */
    if (geometry->type == VK_GEOMETRY_TYPE_TRIANGLES_KHR) {
        const uint64_t used =
            ws_geometry_vertices_used(geometry, range, &inputs[WS_INPUT_INDICES], inputs[WS_INPUT_DATA].size);
        if (used < inputs[WS_INPUT_DATA].size)
            inputs[WS_INPUT_DATA].size = used;
    }
    const bool refers =
        geometry->type == VK_GEOMETRY_TYPE_INSTANCES_KHR && inputs[WS_INPUT_DATA].bytes != NULL;
    if (refers) {
        instances = gather_instances(geometry, &spans[WS_INPUT_DATA], range->primitiveCount);
        references = instances != NULL ? resolve(device, instances, range->primitiveCount) : NULL;
        inputs[WS_INPUT_DATA] =
            (struct ws_input){(const uint8_t *)instances, range->primitiveCount * sizeof(*instances)};
    }
    ws_geometry_put(device->capture, geometry, range, inputs, chunk, NULL);
    chunk->references = references;
    chunk->reference_count = references != NULL ? range->primitiveCount : 0;
    free(instances);
    const bool mapped = !geometry->micromap || ws_geometry_put_micromap(device->capture, geometry, range,
                                                                        &inputs[WS_INPUT_MICROMAP], micromap);

    const char *reason = geometry->unknown != NULL ? geometry->unknown : geometry->without;
    const uint32_t lost = chunk->capture_flags & (WS_GEOMETRY_UNKNOWN | WS_GEOMETRY_CLIPPED);
    if (reason == NULL && !mapped && geometry->micromap_on_device)
        reason = "indices of opacity micromaps on the device, in a build on the host";
    if (reason == NULL && (lost != 0 || !mapped || (refers && references == NULL)))
        reason = "out of memory";
    if (reason == NULL && geometry->micromap_object != 0)
        reason = "what opacity micromaps hold is left out of builds on the host; which triangles have one is "
                 "captured";
    if (reason != NULL)
        skip(device, structure, 1, reason);
}

/* False when there is no memory. */
static bool describe(struct ws_device *device, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                     const VkAccelerationStructureBuildRangeInfoKHR *ranges, struct ws_chunk_build *chunk)
{
    struct ws_build_geometry *geometries = calloc(info->geometryCount + (size_t)1, sizeof(*geometries));
    struct ws_build_micromap *micromaps = calloc(info->geometryCount + (size_t)1, sizeof(*micromaps));
    uint32_t micromap_count = 0;
    const bool update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
    const uint32_t structure = ws_structure_find(device, info->dstAccelerationStructure);
    if (geometries == NULL || micromaps == NULL || structure == WS_NONE) {
        free(geometries);
        free(micromaps);
        skip(device, structure, 1,
             structure == WS_NONE ? "a build of an acceleration structure that is not known"
                                  : "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < info->geometryCount; i++) {
        struct ws_geometry geometry;
        ws_geometry_init(&geometry, info->pGeometries != NULL ? &info->pGeometries[i] : info->ppGeometries[i],
                         info->flags);
        put_geometry(device, structure, &geometry, &ranges[i], &geometries[i], &micromaps[micromap_count]);
        if (geometry.micromap)
            micromaps[micromap_count++].geometry = i; /* which now owns the usages */
    }
    *chunk = (struct ws_chunk_build){
        .structure = structure,
        .flags = WS_BUILD_HOST | (update ? WS_BUILD_UPDATE : 0),
        .build_flags = info->flags,
        .source = update ? ws_structure_find(device, info->srcAccelerationStructure) : WS_NONE,
        .geometries = geometries,
        .geometry_count = info->geometryCount,
        .micromaps = micromaps,
        .micromap_count = micromap_count,
    };
    return true;
}

static VKAPI_ATTR VkResult VKAPI_CALL
build_structures(VkDevice handle, VkDeferredOperationKHR operation, uint32_t count,
                 const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                 const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    struct ws_device *device = ws_device_of(handle);
    if (!ws_readbacks_wanted(device))
        return device->next.BuildAccelerationStructuresKHR(handle, operation, count, infos, ranges);
    struct builds *builds = calloc(1, sizeof(*builds) + count * sizeof(builds->chunks[0]));
    if (builds == NULL) {
        skip(device, WS_NONE, count, "out of memory");
        return device->next.BuildAccelerationStructuresKHR(handle, operation, count, infos, ranges);
    }
    builds->work = (struct ws_deferred_work){.complete = complete_builds, .destroy = destroy_builds};
    builds->device = device;
    for (uint32_t i = 0; i < count; i++)
        if (ws_geometry_is_micromap(&infos[i]))
            ws_micromap_lose(device, WS_MICROMAP_STRUCTURE, WS_HANDLE(infos[i].dstAccelerationStructure));
        else if (describe(device, &infos[i], ranges[i], &builds->chunks[builds->count]))
            builds->count++;
    const VkResult result =
        device->next.BuildAccelerationStructuresKHR(handle, operation, count, infos, ranges);
    return ws_deferred_settle(device, operation, &builds->work, result);
}

/* One copy: of a structure to another, to memory (serialize) or from memory (deserialize). */
struct copy {
    struct ws_deferred_work work;
    struct ws_device *device;
    struct ws_chunk_copy chunk;
    const uint8_t *serialized; /* where the driver writes serialized bytes; NULL = it writes none */
    bool hashed;               /* chunk.hash is known */
};

static void destroy_copy(struct ws_deferred_work *work)
{
    free(work);
}

static VkResult complete_copy(struct ws_deferred_work *work, VkResult result)
{
    struct copy *copy = (struct copy *)work;
    if (result < 0)
        return result;
    if (copy->serialized != NULL)
        copy->hashed = ws_structure_hash_serialized(copy->serialized, UINT64_MAX, copy->chunk.hash);
    copy->chunk.moment = begin_writing(copy->device);
    ws_structure_write_copy(copy->device, &copy->chunk, copy->hashed);
    end_writing(copy->device);
    return result;
}

/* NULL when it is not wanted, or there is no memory; and of a micromap, whose content is then not known. */
static struct copy *create_copy(struct ws_device *device, VkAccelerationStructureKHR source,
                                VkAccelerationStructureKHR destination, uint32_t mode)
{
    struct ws_micromap *micromap = ws_micromap_find(device, WS_MICROMAP_STRUCTURE, WS_HANDLE(source));
    ws_micromap_release(micromap);
    if (ws_micromap_lose(device, WS_MICROMAP_STRUCTURE, WS_HANDLE(destination)) || micromap != NULL ||
        !ws_readbacks_wanted(device))
        return NULL;
    struct copy *copy = calloc(1, sizeof(*copy));
    if (copy == NULL) {
        skip(device, WS_NONE, 1, "out of memory");
        return NULL;
    }
    copy->work = (struct ws_deferred_work){.complete = complete_copy, .destroy = destroy_copy};
    copy->device = device;
    copy->chunk = (struct ws_chunk_copy){
        .source = ws_structure_find(device, source),
        .destination = ws_structure_find(device, destination),
        .mode = mode,
    };
    return copy;
}

static VkResult settle_copy(struct ws_device *device, VkDeferredOperationKHR operation, struct copy *copy,
                            VkResult result)
{
    return copy != NULL ? ws_deferred_settle(device, operation, &copy->work, result) : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_structure(VkDevice handle, VkDeferredOperationKHR operation,
                                                     const VkCopyAccelerationStructureInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    struct copy *copy = create_copy(device, info->src, info->dst, info->mode);
    const VkResult result = device->next.CopyAccelerationStructureKHR(handle, operation, info);
    return settle_copy(device, operation, copy, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_to_memory(VkDevice handle, VkDeferredOperationKHR operation,
                                                     const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    struct copy *copy = create_copy(device, info->src, VK_NULL_HANDLE, info->mode);
    if (copy != NULL)
        copy->serialized = info->dst.hostAddress;
    const VkResult result = device->next.CopyAccelerationStructureToMemoryKHR(handle, operation, info);
    return settle_copy(device, operation, copy, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_from_memory(VkDevice handle, VkDeferredOperationKHR operation,
                                                       const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    struct copy *copy = create_copy(device, VK_NULL_HANDLE, info->dst, info->mode);
    if (copy != NULL)
        copy->hashed = ws_structure_hash_serialized(info->src.hostAddress, UINT64_MAX, copy->chunk.hash);
    const VkResult result = device->next.CopyMemoryToAccelerationStructureKHR(handle, operation, info);
    return settle_copy(device, operation, copy, result);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(BuildAccelerationStructuresKHR, build_structures),
    WS_HOOK(CopyAccelerationStructureKHR, copy_structure),
    WS_HOOK(CopyAccelerationStructureToMemoryKHR, copy_to_memory),
    WS_HOOK(CopyMemoryToAccelerationStructureKHR, copy_from_memory),
    WS_HOOK_END,
};

const struct ws_interception ws_structure_host_interception = {.hooks = hooks, .geometry = true};
