#include "layer/memory/query_pools.h"

#include <pthread.h>
#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/process/lock.h"
#include "warpscope/base/array.h"

struct ws_query_pools {
    pthread_mutex_t lock; /* guards all below */
    VkQueryPool *idle;
    uint32_t idle_count;
    uint32_t idle_capacity;
};

VkQueryPool ws_query_pool_take(struct ws_device *device)
{
    struct ws_query_pools *pools = device->query_pools;
    VkQueryPool pool = VK_NULL_HANDLE;
    ws_lock(&pools->lock);
    if (pools->idle_count > 0)
        pool = pools->idle[--pools->idle_count];
    ws_unlock(&pools->lock);
    if (pool != VK_NULL_HANDLE)
        return pool;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = WS_QUERY_POOL_SIZE,
    };
    if (device->next.CreateQueryPool(device->handle, &info, NULL, &pool) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    return pool;
}

void ws_query_pool_give(struct ws_device *device, VkQueryPool pool)
{
    struct ws_query_pools *pools = device->query_pools;
    ws_lock(&pools->lock);
    VkQueryPool *idle =
        ws_array_grow(pools->idle, &pools->idle_capacity, pools->idle_count + 1, sizeof(*idle));
    if (idle != NULL) {
        pools->idle = idle;
        idle[pools->idle_count++] = pool;
    }
    ws_unlock(&pools->lock);
    if (idle == NULL)
        device->next.DestroyQueryPool(device->handle, pool, NULL);
}

static void finish(struct ws_device *device)
{
    struct ws_query_pools *pools = device->query_pools;
    if (pools == NULL)
        return;
    while (pools->idle_count > 0)
        device->next.DestroyQueryPool(device->handle, pools->idle[--pools->idle_count], NULL);
    pthread_mutex_destroy(&pools->lock);
    free(pools->idle);
    free(pools);
    device->query_pools = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->query_pools = calloc(1, sizeof(*device->query_pools));
    if (device->query_pools == NULL)
        return ws_error_set(error, "out of memory");
    ws_lock_init(&device->query_pools->lock);
    return true;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_query_pools_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
