#include "layer/ray_tracing/build_instances.h"

#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/core/device.h"
#include "layer/ray_tracing/buffer.h"
#include "layer/submit/command_source.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/queue.h"

#define SIZE ((VkDeviceSize)sizeof(VkAccelerationStructureInstanceKHR))

static bool find(struct ws_device *device, const uint8_t *pointers, uint64_t index,
                 struct ws_buffer_range *found)
{
    VkDeviceAddress address;
    memcpy(&address, pointers + index * sizeof(address), sizeof(address));
    return ws_buffers_find(device->buffers, address, found) && found->reason == NULL && found->size >= SIZE;
}

static void record(struct ws_device *device, VkCommandBuffer commands, const uint8_t *pointers,
                   uint64_t count, const struct ws_memory_range *target)
{
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    for (uint64_t i = 0; i < count; i++) {
        struct ws_buffer_range found;
        if (!find(device, pointers, i, &found))
            continue;
        const VkBufferCopy region = {
            .srcOffset = found.offset, .dstOffset = target->offset + i * SIZE, .size = SIZE};
        device->next.CmdCopyBuffer(commands, found.buffer, target->buffer, 1, &region);
    }
    /* The fence alone shows the host nothing. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* Copies them to `instances`, or says why not. Nothing may happen to their buffers meanwhile. */
static bool copy(struct ws_device *device, struct ws_queue *queue, const uint8_t *pointers, uint64_t count,
                 const struct ws_memory_range *instances, const char **reason)
{
    struct ws_buffer_range found;
    VkCommandBuffer commands = ws_command_source_begin(device, queue->family);
    if (commands == VK_NULL_HANDLE)
        return false;
    record(device, commands, pointers, count, instances);
    if (!ws_late_copy_run(device, queue, commands))
        return false;
    *reason = NULL;
    for (uint64_t i = 0; i < count && *reason == NULL; i++)
        if (!find(device, pointers, i, &found))
            *reason = "no buffer is known at a pointer to an instance";
    return true;
}

bool ws_build_fetch_instances(struct ws_device *device, const uint8_t *pointers, uint64_t count,
                              struct ws_memory_range *instances, const char **reason)
{
    struct ws_queue *queue = ws_late_copies_given_up(device) ? NULL : ws_late_queue(device);
    *reason = "no queue was free to copy the instances behind pointers to the host";
    if (queue == NULL)
        return false;
    *reason = "no device memory for copies of geometry";
    if (!ws_heap_allocate(device->readback, count * SIZE, instances, NULL))
        return false;
    memset(instances->mapped, 0, count * SIZE);
    ws_buffers_hold(device->buffers);
    const bool copied = copy(device, queue, pointers, count, instances, reason);
    ws_buffers_let_go(device->buffers);
    if (copied)
        return true;
    /* A copy that has not ended may still write there: then it is nobody's any more. */
    if (ws_late_copies_given_up(device))
        *instances = (struct ws_memory_range){0};
    else
        ws_heap_free(device->readback, instances);
    return false;
}
