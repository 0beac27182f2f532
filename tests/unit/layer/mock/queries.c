/* Timestamp queries, which know whether they may be used. */
#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct query_pool *pools;

static VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice device, const VkQueryPoolCreateInfo *info,
                                             const VkAllocationCallbacks *allocator, VkQueryPool *made)
{
    (void)device;
    (void)allocator;
    assert_int_equal(info->queryType, VK_QUERY_TYPE_TIMESTAMP);
    assert_true(info->queryCount <= MOCK_QUERIES);
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct query_pool *pool = mock_allocate(sizeof(*pool));
    pool->following = pools;
    pools = pool;
    mock.query_pools++;
    *made = (VkQueryPool)pool;
    return VK_SUCCESS;
}

/* They live until the test ends, for command buffers that still have them. */
static VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, VkQueryPool pool,
                                          const VkAllocationCallbacks *allocator)
{
    (void)device;
    (void)allocator;
    memset(((struct query_pool *)pool)->states, 0, sizeof(((struct query_pool *)pool)->states));
    mock.query_pools--;
}

static VKAPI_ATTR void VKAPI_CALL cmd_reset(VkCommandBuffer commands, VkQueryPool pool, uint32_t first,
                                            uint32_t count)
{
    assert_true(first + count <= MOCK_QUERIES);
    mock_add_operation(commands, (struct operation){.kind = RESET,
                                                    .queries = (struct query_pool *)pool,
                                                    .first = first,
                                                    .query_count = count});
}

static VKAPI_ATTR void VKAPI_CALL cmd_write(VkCommandBuffer commands, VkPipelineStageFlagBits stage,
                                            VkQueryPool pool, uint32_t query)
{
    assert_int_equal(stage, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    assert_true(mock.valid_bits > 0); /* VUID-vkCmdWriteTimestamp-timestampValidBits-00829 */
    assert_true(query < MOCK_QUERIES);
    mock_add_operation(
        commands, (struct operation){
                      .kind = WRITE, .queries = (struct query_pool *)pool, .first = query, .query_count = 1});
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer commands, VkQueryPool pool, uint32_t first,
                                           uint32_t count, VkBuffer target, VkDeviceSize offset,
                                           VkDeviceSize stride, VkQueryResultFlags flags)
{
    assert_int_equal(flags, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    assert_int_equal(offset % 8 + stride % 8, 0); /* VUID-vkCmdCopyQueryPoolResults-flags-00823 */
    assert_true(first + count <= MOCK_QUERIES && stride == 8);
    assert_true(offset + count * stride <= ((struct buffer *)target)->size);
    mock_add_operation(commands, (struct operation){.kind = COPY_QUERIES,
                                                    .queries = (struct query_pool *)pool,
                                                    .first = first,
                                                    .query_count = count,
                                                    .target = (struct buffer *)target,
                                                    .target_offset = offset});
}

void mock_queries_run(const struct operation *operation)
{
    struct query_pool *pool = operation->queries;
    for (uint32_t i = operation->first; i < operation->first + operation->query_count; i++) {
        const uint32_t valid_bits = mock.valid_bits;
        switch (operation->kind) {
        case RESET: pool->states[i] = UNWRITTEN; break;
        case WRITE: /* VUID-vkCmdWriteTimestamp-None-00830: it must be unavailable */
            assert_int_equal(pool->states[i], UNWRITTEN);
            pool->states[i] = WRITTEN;
            pool->values[i] = valid_bits < 64 ? mock.clock & ((UINT64_C(1) << valid_bits) - 1) : mock.clock;
            break;
        default: /* else the copy would wait for ever */
            assert_int_equal(pool->states[i], WRITTEN);
            memcpy(operation->target->data + operation->target_offset + 8 * (i - operation->first),
                   &pool->values[i], 8);
            break;
        }
    }
}

void mock_queries_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CreateQueryPool = create;
    dispatch->DestroyQueryPool = destroy;
    dispatch->CmdResetQueryPool = cmd_reset;
    dispatch->CmdWriteTimestamp = cmd_write;
    dispatch->CmdCopyQueryPoolResults = cmd_copy;
}

void mock_queries_finish(void)
{
    assert_int_equal(mock.query_pools, 0);
    while (pools != NULL) {
        struct query_pool *following = pools->following;
        free(pools);
        pools = following;
    }
}
