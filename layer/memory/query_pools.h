/* Pools of timestamp queries, for command buffers (commands/timer.h). One that is given back is kept for the next that
 * asks: programs record their command buffers anew for each frame. Thread-safe. */
#ifndef WS_LAYER_MEMORY_QUERY_POOLS_H
#define WS_LAYER_MEMORY_QUERY_POOLS_H

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_query_pools;

#define WS_QUERY_POOL_SIZE 128u /* queries of a pool */

/* A pool whose queries are in any state: they are to be reset before they are used. VK_NULL_HANDLE without memory. */
VkQueryPool ws_query_pool_take(struct ws_device *device);

/* Gives a pool back, which the device must not use any more. */
void ws_query_pool_give(struct ws_device *device, VkQueryPool pool);

#endif
