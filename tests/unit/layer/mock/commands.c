/* Command pools and command buffers. */
#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/records.h"

static struct commands *all_commands;
static _Thread_local const struct ws_shader
    *bound_shader; /* a thread records one command buffer after the other */

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkCommandPool *made)
{
    static char pools[64];
    static _Atomic uint32_t next;
    (void)handle;
    (void)info;
    (void)allocator;
    *made = (VkCommandPool)&pools[next++ % sizeof(pools)];
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice handle, VkCommandPool destroyed,
                                               const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)destroyed;
    (void)allocator;
}

/* Command buffers live until the test ends. */
static VKAPI_ATTR VkResult VKAPI_CALL allocate_commands(VkDevice handle,
                                                        const VkCommandBufferAllocateInfo *info,
                                                        VkCommandBuffer *commands)
{
    (void)handle;
    assert_int_equal(info->commandBufferCount, 1);
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct commands *made = mock_allocate(sizeof(*made));
    mock_lock();
    made->following = all_commands;
    all_commands = made;
    mock_unlock();
    *commands = (VkCommandBuffer)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice handle, VkCommandPool from, uint32_t count,
                                                const VkCommandBuffer *commands)
{
    (void)handle;
    (void)from;
    (void)count;
    (void)commands;
}

static VKAPI_ATTR VkResult VKAPI_CALL begin_commands(VkCommandBuffer handle,
                                                     const VkCommandBufferBeginInfo *info)
{
    (void)info;
    ((struct commands *)handle)->count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL end_commands(VkCommandBuffer handle)
{
    (void)handle;
    return VK_SUCCESS;
}

void mock_add_operation(VkCommandBuffer handle, struct operation operation)
{
    struct commands *commands = (struct commands *)handle;
    commands->operations =
        mock_grow(commands->operations, commands->count + 1, sizeof(*commands->operations));
    commands->operations[commands->count++] = operation;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                    VkPipeline bound)
{
    (void)commands;
    (void)point;
    const struct ws_pipeline *pipeline = (const struct ws_pipeline *)bound;
    bound_shader = pipeline->shader_count > 0 ? pipeline->shaders[0] : NULL;
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    (void)y;
    (void)z;
    mock_add_operation(commands, (struct operation){.kind = DISPATCH, .groups = x, .shader = bound_shader});
}

static VKAPI_ATTR void VKAPI_CALL cmd_draw(VkCommandBuffer commands, uint32_t vertices, uint32_t instances,
                                           uint32_t first_vertex, uint32_t first_instance)
{
    (void)instances;
    (void)first_vertex;
    (void)first_instance;
    mock_add_operation(commands, (struct operation){.kind = DRAW, .groups = vertices});
}

static VKAPI_ATTR void VKAPI_CALL cmd_barrier(VkCommandBuffer commands, VkPipelineStageFlags source,
                                              VkPipelineStageFlags target, VkDependencyFlags flags,
                                              uint32_t memory_count, const VkMemoryBarrier *memory,
                                              uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                              uint32_t image_count, const VkImageMemoryBarrier *images)
{
    mock_lock();
    mock.barrier = (struct mock_barrier){.source = source,
                                         .target = target,
                                         .written = memory_count > 0 ? memory->srcAccessMask : 0,
                                         .accessed = memory_count > 0 ? memory->dstAccessMask : 0};
    mock_unlock();
    (void)commands;
    (void)flags;
    (void)buffer_count;
    (void)buffers;
    (void)image_count;
    (void)images;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                           uint32_t count, const VkBufferCopy *regions)
{
    mock_lock();
    mock.before_a_copy = mock.barrier;
    mock_unlock();
    for (uint32_t i = 0; i < count; i++)
        mock_add_operation(commands, (struct operation){.kind = COPY,
                                                        .source = (struct buffer *)source,
                                                        .target = (struct buffer *)target,
                                                        .source_offset = regions[i].srcOffset,
                                                        .target_offset = regions[i].dstOffset,
                                                        .size = regions[i].size});
}

static VKAPI_ATTR void VKAPI_CALL cmd_fill(VkCommandBuffer commands, VkBuffer target, VkDeviceSize offset,
                                           VkDeviceSize size, uint32_t value)
{
    assert_int_equal(value, 0);
    mock_add_operation(
        commands, (struct operation){.kind = FILL,
                                     .target = (struct buffer *)target,
                                     .target_offset = offset,
                                     .size = size == VK_WHOLE_SIZE ? ((struct buffer *)target)->size : size});
}

static VKAPI_ATTR void VKAPI_CALL cmd_update(VkCommandBuffer handle, VkBuffer target, VkDeviceSize offset,
                                             VkDeviceSize size, const void *data)
{
    struct operation operation = {
        .kind = UPDATE, .target = (struct buffer *)target, .target_offset = offset, .size = size};
    assert_true(size <= sizeof(operation.data) && size % 4 == 0 && offset % 4 == 0);
    memcpy(operation.data, data, size);
    mock_add_operation(handle, operation);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute(VkCommandBuffer commands, uint32_t count,
                                              const VkCommandBuffer *executed)
{
    for (uint32_t i = 0; i < count; i++)
        mock_add_operation(commands,
                           (struct operation){.kind = EXECUTE, .secondary = (struct commands *)executed[i]});
}

static VKAPI_ATTR void VKAPI_CALL cmd_wait_events(VkCommandBuffer commands, uint32_t count,
                                                  const VkEvent *events, VkPipelineStageFlags source,
                                                  VkPipelineStageFlags target, uint32_t memory_count,
                                                  const VkMemoryBarrier *memory, uint32_t buffer_count,
                                                  const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                                  const VkImageMemoryBarrier *images)
{
    (void)count;
    (void)events;
    cmd_barrier(commands, source, target, 0, memory_count, memory, buffer_count, buffers, image_count,
                images);
    mock_add_operation(commands, (struct operation){.kind = WAIT});
}

/* Renderings draw nothing here. */
static VKAPI_ATTR void VKAPI_CALL cmd_begin_rendering(VkCommandBuffer commands, const VkRenderingInfo *info)
{
    (void)commands;
    (void)info;
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_rendering(VkCommandBuffer commands)
{
    (void)commands;
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_rendering2(VkCommandBuffer commands,
                                                     const VkRenderingEndInfoEXT *info)
{
    (void)commands;
    (void)info;
}

/* What the primitives do (records.h). */
static void append(uint32_t groups)
{
    volatile uint32_t *control = (uint32_t *)(uintptr_t)mock_control;
    const uint32_t capacity = control != NULL ? control[WS_STREAM_CAPACITY] : 0;
    for (uint32_t i = 0; i < groups && capacity > 0; i++) {
        uint32_t *words = (uint32_t *)(uintptr_t)(control[WS_STREAM_ADDRESS] |
                                                  (uint64_t)control[WS_STREAM_ADDRESS + 1] << 32);
        const uint32_t start = control[WS_STREAM_RESERVED];
        control[WS_STREAM_RESERVED] += MOCK_RECORD;
        if (start + MOCK_RECORD <= capacity) {
            words[start] = groups;
            words[start + 1] = i;
        } else if (start <= capacity) {
            control[WS_STREAM_WHOLE] = start;
        }
    }
}

static void run_operation(const struct operation *operation)
{
    const struct ws_shader *shader = operation->shader;
    mock.clock++;
    switch (operation->kind) {
    case DISPATCH: {
        mock.clock += operation->groups;
        if (shader == NULL)
            break;
        char *rows = ((struct buffer *)shader->counters.buffer)->data + shader->counters.offset;
        *(uint32_t *)(void *)rows += operation->groups;
        if (shader->yield_count > 0)
            ((uint32_t *)(void *)(rows + shader->counters.yields))[shader->yield_count - 1] +=
                operation->groups;
        if (shader->records)
            append(operation->groups);
        break;
    }
    case COPY:
        memcpy(operation->target->data + operation->target_offset,
               operation->source->data + operation->source_offset, operation->size);
        break;
    case UPDATE:
        memcpy(operation->target->data + operation->target_offset, operation->data, operation->size);
        break;
    case FILL: memset(operation->target->data + operation->target_offset, 0, operation->size); break;
    case EXECUTE: mock_commands_run(operation->secondary); break;
    case DRAW: mock.clock += operation->groups; break;
    case RESET:
    case WRITE:
    case COPY_QUERIES: mock_queries_run(operation); break;
    case WAIT: break;
    }
}

void mock_commands_run(const struct commands *commands)
{
    for (uint32_t i = 0; i < commands->count; i++)
        run_operation(&commands->operations[i]);
}

bool mock_commands_wait(const struct commands *commands)
{
    for (uint32_t i = 0; i < commands->count; i++)
        if (commands->operations[i].kind == WAIT || (commands->operations[i].kind == EXECUTE &&
                                                     mock_commands_wait(commands->operations[i].secondary)))
            return true;
    return false;
}

void mock_commands_finish(void)
{
    while (all_commands != NULL) {
        struct commands *following = all_commands->following;
        free(all_commands->operations);
        free(all_commands);
        all_commands = following;
    }
}

void mock_commands_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CreateCommandPool = create_pool;
    dispatch->DestroyCommandPool = destroy_pool;
    dispatch->AllocateCommandBuffers = allocate_commands;
    dispatch->FreeCommandBuffers = free_commands;
    dispatch->BeginCommandBuffer = begin_commands;
    dispatch->EndCommandBuffer = end_commands;
    dispatch->CmdBindPipeline = cmd_bind_pipeline;
    dispatch->CmdDispatch = cmd_dispatch;
    dispatch->CmdDraw = cmd_draw;
    dispatch->CmdExecuteCommands = cmd_execute;
    dispatch->CmdBeginRendering = cmd_begin_rendering;
    dispatch->CmdEndRendering = cmd_end_rendering;
    dispatch->CmdEndRendering2EXT = cmd_end_rendering2;
    dispatch->CmdPipelineBarrier = cmd_barrier;
    dispatch->CmdWaitEvents = cmd_wait_events;
    dispatch->CmdCopyBuffer = cmd_copy;
    dispatch->CmdFillBuffer = cmd_fill;
    dispatch->CmdUpdateBuffer = cmd_update;
}
