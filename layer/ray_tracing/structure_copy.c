#include "layer/ray_tracing/structure_copy.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/ray_tracing/micromap.h"
#include "layer/ray_tracing/range_copy.h"
#include "layer/ray_tracing/structure.h"
#include "layer/submit/submission.h"
#include "warpscope/instrument.h"

/* The header of serialized data: two UUIDs, the size of all of it, the size when deserialized, the count of
 * handles (the specification, "vkCmdCopyAccelerationStructureToMemoryKHR"). */
#define SERIALIZED_SIZE_OFFSET 32
#define SERIALIZED_HEADER      56

/* How long serialized data is, is known on the device only. It is taken to be no longer than the structure, a
 * quarter of that, and this. */
#define SERIALIZED_EXTRA ((VkDeviceSize)64 << 10)

struct copy {
    struct ws_readback readback;
    struct ws_chunk_copy chunk;
    struct ws_copied_range serialized;
};

bool ws_structure_hash_serialized(const uint8_t *bytes, uint64_t available, uint64_t hash[2])
{
    uint64_t size = 0;
    if (bytes != NULL && available >= SERIALIZED_HEADER)
        memcpy(&size, bytes + SERIALIZED_SIZE_OFFSET, sizeof(size));
    if (size < SERIALIZED_HEADER || size > available)
        return false;
    const XXH128_hash_t whole = XXH3_128bits(bytes, size);
    hash[0] = whole.low64;
    hash[1] = whole.high64;
    return true;
}

void ws_structure_write_copy(struct ws_device *device, const struct ws_chunk_copy *copy, bool hashed)
{
    const bool serialize = copy->mode == VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR;
    const bool deserialize = copy->mode == VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR;
    const char *reason = NULL;
    if ((!serialize && copy->destination == WS_NONE) || (!deserialize && copy->source == WS_NONE))
        reason = "a copy of an acceleration structure that is not known";
    else if ((serialize || deserialize) && !hashed)
        reason = "the bytes of a serialized acceleration structure could not be had";
    if (reason != NULL)
        ws_lose_geometry(device, serialize ? copy->source : copy->destination, 1, reason);
    ws_structure_note_built(device, copy->destination);
    /* A deserialization of unknown bytes is written nevertheless: what the destination held before is gone.
     */
    if (reason != NULL && (!deserialize || copy->destination == WS_NONE))
        return;
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_copy(device->capture->writer, copy, &error), &error);
}

static void write(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution)
{
    const struct copy *copy = (const struct copy *)readback;
    struct ws_chunk_copy chunk = copy->chunk;
    chunk.moment = execution->moment;
    const bool hashed = ws_structure_hash_serialized(ws_copied_range_bytes(&copy->serialized, execution),
                                                     copy->serialized.size, chunk.hash);
    ws_structure_write_copy(device, &chunk, hashed);
}

static void destroy(struct ws_readback *readback)
{
    free(readback);
}

static const struct ws_readback_type kind = {.always = true, .write = write, .destroy = destroy};

/* NULL when it is not wanted, or there is no memory. */
static struct copy *create(struct ws_command_buffer *commands, VkAccelerationStructureKHR source,
                           VkAccelerationStructureKHR destination, uint32_t mode)
{
    struct ws_device *device = commands->device;
    if (!ws_readbacks_wanted(device))
        return NULL;
    struct copy *copy = calloc(1, sizeof(*copy));
    if (copy == NULL) {
        ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, 1,
                        "out of memory while commands were recorded");
        return NULL;
    }
    ws_readback_init(&copy->readback, &kind);
    copy->chunk = (struct ws_chunk_copy){
        .source = ws_structure_find(device, source),
        .destination = ws_structure_find(device, destination),
        .mode = mode,
    };
    return copy;
}

/* Adds the readback with a copy of the serialized data at `address`, of a structure of `size` bytes. */
static void add_serialized(struct ws_command_buffer *commands, struct copy *copy, VkDeviceAddress address,
                           VkDeviceSize size)
{
    struct ws_range_copies copies;
    ws_range_copies_begin(&copies, commands);
    ws_range_copy(&copies, address, size + size / 4 + SERIALIZED_EXTRA, &copy->serialized);
    ws_range_copies_end(&copies);
    ws_readback_add(commands, &copy->readback);
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer handle,
                                           const VkCopyAccelerationStructureInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const bool is_micromap =
        ws_micromap_record_copy(commands, WS_MICROMAP_STRUCTURE, WS_HANDLE(info->src), WS_HANDLE(info->dst));
    struct copy *copy = !is_micromap ? create(commands, info->src, info->dst, info->mode) : NULL;
    if (copy != NULL)
        ws_readback_add(commands, &copy->readback);
    commands->device->next.CmdCopyAccelerationStructureKHR(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_to_memory(VkCommandBuffer handle,
                                                     const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdCopyAccelerationStructureToMemoryKHR(handle, info);
    struct ws_micromap *micromap =
        ws_micromap_find(commands->device, WS_MICROMAP_STRUCTURE, WS_HANDLE(info->src));
    struct copy *copy = micromap == NULL ? create(commands, info->src, VK_NULL_HANDLE, info->mode) : NULL;
    ws_micromap_release(micromap);
    if (copy != NULL)
        add_serialized(commands, copy, info->dst.deviceAddress,
                       ws_structure_size(commands->device, info->src));
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_from_memory(VkCommandBuffer handle,
                                                       const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const bool is_micromap =
        ws_micromap_record_copy(commands, WS_MICROMAP_STRUCTURE, 0, WS_HANDLE(info->dst));
    struct copy *copy = !is_micromap ? create(commands, VK_NULL_HANDLE, info->dst, info->mode) : NULL;
    if (copy != NULL)
        add_serialized(commands, copy, info->src.deviceAddress,
                       ws_structure_size(commands->device, info->dst));
    commands->device->next.CmdCopyMemoryToAccelerationStructureKHR(handle, info);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdCopyAccelerationStructureKHR, cmd_copy),
    WS_HOOK(CmdCopyAccelerationStructureToMemoryKHR, cmd_copy_to_memory),
    WS_HOOK(CmdCopyMemoryToAccelerationStructureKHR, cmd_copy_from_memory),
    WS_HOOK_END,
};

const struct ws_interception ws_structure_copy_interception = {.hooks = hooks, .geometry = true};
