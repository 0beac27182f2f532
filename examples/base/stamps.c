#include "examples/base/stamps.h"

#include <string.h>

/* The bits of a queue's timestamps; 0 = it has none. */
static uint32_t timestamp_bits(const struct ws_gpu *gpu)
{
    VkQueueFamilyProperties families[64];
    uint32_t count = sizeof(families) / sizeof(families[0]);

    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, families);
    return gpu->queue_family < count ? families[gpu->queue_family].timestampValidBits : 0;
}

bool ws_gpu_stamps_init(struct ws_gpu *gpu, struct ws_gpu_stamps *stamps, struct ws_error *error)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2,
    };
    const uint32_t bits = timestamp_bits(gpu);

    memset(stamps, 0, sizeof(*stamps));
    if (bits == 0)
        return ws_error_set(error, "the queue of %s has no timestamps", gpu->properties.deviceName);
    stamps->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return ws_gpu_check(vkCreateQueryPool(gpu->device, &info, NULL, &stamps->pool), "vkCreateQueryPool",
                        error);
}

void ws_gpu_stamps_finish(struct ws_gpu *gpu, struct ws_gpu_stamps *stamps)
{
    if (stamps->pool != VK_NULL_HANDLE)
        vkDestroyQueryPool(gpu->device, stamps->pool, NULL);
    memset(stamps, 0, sizeof(*stamps));
}

void ws_gpu_stamps_begin(VkCommandBuffer commands, const struct ws_gpu_stamps *stamps)
{
    if (stamps->pool == VK_NULL_HANDLE)
        return;
    vkCmdResetQueryPool(commands, stamps->pool, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, stamps->pool, 0);
}

void ws_gpu_stamps_end(VkCommandBuffer commands, const struct ws_gpu_stamps *stamps)
{
    if (stamps->pool != VK_NULL_HANDLE)
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps->pool, 1);
}

bool ws_gpu_stamps_read(struct ws_gpu *gpu, const struct ws_gpu_stamps *stamps, double *nanoseconds,
                        struct ws_error *error)
{
    uint64_t ticks[2] = {0, 0};
    const VkResult result =
        vkGetQueryPoolResults(gpu->device, stamps->pool, 0, 2, sizeof(ticks), ticks, sizeof(ticks[0]),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);

    *nanoseconds =
        (double)((ticks[1] - ticks[0]) & stamps->mask) * (double)gpu->properties.limits.timestampPeriod;
    return ws_gpu_check(result, "vkGetQueryPoolResults", error);
}
