#include "layer/commands/timer.h"

#include <stdlib.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"
#include "layer/memory/query_pools.h"
#include "warpscope/base/array.h"
#include "warpscope/capture.h"

void ws_timer_finish(struct ws_timer *timer, struct ws_device *device)
{
    for (uint32_t i = 0; i < timer->pool_count; i++)
        ws_query_pool_give(device, timer->pools[i]);
    free(timer->pools);
    *timer = (struct ws_timer){0};
}

static bool is_wanted(const struct ws_command_buffer *commands)
{
    return commands->device->settings->times && commands->recording != NULL && !commands->pool->protected &&
           ws_readbacks_wanted(commands->device);
}

/* Makes room for the queries of one more launch. */
static bool add_pool(struct ws_command_buffer *commands, struct ws_timer *timer)
{
    struct ws_device *device = commands->device;
    if (timer->used < timer->pool_count * WS_QUERY_POOL_SIZE)
        return true;
    VkQueryPool *pools =
        ws_array_grow(timer->pools, &timer->pool_capacity, timer->pool_count + 1, sizeof(VkQueryPool));
    if (pools == NULL)
        return false;
    timer->pools = pools;
    pools[timer->pool_count] = ws_query_pool_take(device);
    if (pools[timer->pool_count] == VK_NULL_HANDLE)
        return false;
    device->next.CmdResetQueryPool(commands->handle, pools[timer->pool_count], 0, WS_QUERY_POOL_SIZE);
    timer->pool_count++;
    return true;
}

static void write(struct ws_command_buffer *commands, const struct ws_timer *timer, uint32_t query)
{
    commands->device->next.CmdWriteTimestamp(commands->handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                             timer->pools[query / WS_QUERY_POOL_SIZE],
                                             query % WS_QUERY_POOL_SIZE);
}

void ws_timer_begin(struct ws_command_buffer *commands)
{
    if (!is_wanted(commands))
        return;
    struct ws_timer *timer = &commands->recording->timer;
    timer->open = true;
    timer->state = WS_TIME_TAKEN;
    /* VUID-vkCmdWriteTimestamp-timestampValidBits-00829 */
    if (commands->device->queue_families[commands->pool->family].timestampValidBits == 0)
        timer->state = WS_TIME_NO_TIMESTAMPS;
    else if (!add_pool(commands, timer))
        timer->state = WS_TIME_NO_MEMORY;
    else
        write(commands, timer, timer->used);
}

struct ws_recorded_time ws_timer_end(struct ws_command_buffer *commands)
{
    struct ws_timer *timer = commands->recording != NULL ? &commands->recording->timer : NULL;
    struct ws_recorded_time time = {.wanted = commands->device->settings->times, .state = WS_TIME_SUSPENDED};
    if (timer == NULL || !timer->open)
        return time;
    timer->open = false;
    time.state = timer->state;
    if (timer->state != WS_TIME_TAKEN)
        return time;
    write(commands, timer, timer->used + 1);
    time.queried = true;
    time.position = timer->used / 2 * WS_TIME_SIZE;
    timer->used += 2;
    return time;
}

void ws_timer_drop(struct ws_command_buffer *commands)
{
    if (commands->recording != NULL)
        commands->recording->timer.open = false;
}

VkDeviceSize ws_timer_size(const struct ws_timer *timer)
{
    return timer->used * sizeof(uint64_t);
}

void ws_timer_copy(const struct ws_timer *timer, struct ws_device *device, VkCommandBuffer commands,
                   VkBuffer target, VkDeviceSize offset)
{
    for (uint32_t first = 0; first < timer->used; first += WS_QUERY_POOL_SIZE) {
        const uint32_t rest = timer->used - first;
        const uint32_t count = rest < WS_QUERY_POOL_SIZE ? rest : WS_QUERY_POOL_SIZE;
        device->next.CmdCopyQueryPoolResults(commands, timer->pools[first / WS_QUERY_POOL_SIZE], 0, count,
                                             target, offset + first * sizeof(uint64_t), sizeof(uint64_t),
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    }
}
