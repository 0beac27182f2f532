/* vkCmdBuildAccelerationStructures*: what they read is captured. */
#include <stdlib.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/ray_tracing/build.h"

static void skip(struct ws_command_buffer *commands, uint64_t count, const char *reason)
{
    if (count > 0)
        ws_capture_skip(commands->device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, count,
                        reason);
}

/* Copies come before the command; where there is no memory the application's command is all there is. */
static void record(struct ws_command_buffer *commands, uint32_t count,
                   const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                   const VkAccelerationStructureBuildRangeInfoKHR *const *ranges,
                   const struct ws_indirect_ranges *indirect)
{
    struct ws_range_copies copies;
    if (!ws_occurrences_wanted(commands->device))
        return;
    struct ws_build **builds = calloc(count, sizeof(struct ws_build *));
    uint32_t made = 0;
    if (commands->recording == NULL || builds == NULL) {
        skip(commands, count, "out of memory while commands were recorded");
        free(builds);
        return;
    }
    ws_range_copies_begin(&copies, commands);
    for (uint32_t i = 0; i < count; i++) {
        builds[made] =
            ws_build_create(commands->device, &copies, &infos[i], ranges != NULL ? ranges[i] : NULL,
                            indirect != NULL ? &indirect[i] : NULL);
        if (builds[made] != NULL)
            made++;
    }
    ws_range_copies_end(&copies);
    for (uint32_t i = 0; i < made; i++)
        ws_occurrence_add(commands, &builds[i]->occurrence);
    skip(commands, count - made, "out of memory while commands were recorded");
    free(builds);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build(VkCommandBuffer handle, uint32_t count,
                                            const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                            const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    record(commands, count, infos, ranges, NULL);
    commands->device->next.CmdBuildAccelerationStructuresKHR(handle, count, infos, ranges);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_indirect(VkCommandBuffer handle, uint32_t count,
                                                     const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                                     const VkDeviceAddress *addresses,
                                                     const uint32_t *strides,
                                                     const uint32_t *const *max_counts)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    struct ws_indirect_ranges *indirect = calloc(count, sizeof(*indirect));
    for (uint32_t i = 0; indirect != NULL && i < count; i++)
        indirect[i] = (struct ws_indirect_ranges){
            .address = addresses[i], .stride = strides[i], .max_counts = max_counts[i]};
    if (indirect != NULL)
        record(commands, count, infos, NULL, indirect);
    else
        skip(commands, count, "out of memory while commands were recorded");
    free(indirect);
    commands->device->next.CmdBuildAccelerationStructuresIndirectKHR(handle, count, infos, addresses, strides,
                                                                     max_counts);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_nv(VkCommandBuffer handle,
                                               const VkAccelerationStructureInfoNV *info, VkBuffer instances,
                                               VkDeviceSize offset, VkBool32 update,
                                               VkAccelerationStructureNV target,
                                               VkAccelerationStructureNV source, VkBuffer scratch,
                                               VkDeviceSize scratch_offset)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_ray_tracing are not captured");
    commands->device->next.CmdBuildAccelerationStructureNV(handle, info, instances, offset, update, target,
                                                           source, scratch, scratch_offset);
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_clusters(VkCommandBuffer handle,
                                                     const VkClusterAccelerationStructureCommandsInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_cluster_acceleration_structure are not captured");
    commands->device->next.CmdBuildClusterAccelerationStructureIndirectNV(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL
cmd_build_partitioned(VkCommandBuffer handle, const VkBuildPartitionedAccelerationStructureInfoNV *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    skip(commands, 1, "builds of VK_NV_partitioned_acceleration_structure are not captured");
    commands->device->next.CmdBuildPartitionedAccelerationStructuresNV(handle, info);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBuildAccelerationStructuresKHR, cmd_build),
    WS_HOOK(CmdBuildAccelerationStructuresIndirectKHR, cmd_build_indirect),
    WS_HOOK(CmdBuildAccelerationStructureNV, cmd_build_nv),
    WS_HOOK(CmdBuildClusterAccelerationStructureIndirectNV, cmd_build_clusters),
    WS_HOOK(CmdBuildPartitionedAccelerationStructuresNV, cmd_build_partitioned),
    WS_HOOK_END,
};

const struct ws_interception ws_build_interception = {.hooks = hooks, .geometry = true};
