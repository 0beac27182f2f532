#include "mock_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "counters.h"
#include "device.h"
#include "hooks.h"
#include "message.h"
#include "objects.h"
#include "root_block.h"
#include "settings.h"
#include "shader.h"

#define INTERCEPTIONS(X)                                                                                     \
    X(ws_memory_interception)                                                                                \
    X(ws_counters_interception)                                                                              \
    X(ws_queue_interception)                                                                                 \
    X(ws_submission_interception)                                                                            \
    X(ws_submit_interception)                                                                                \
    X(ws_wait_interception)                                                                                  \
    X(ws_command_buffer_interception)                                                                        \
    X(ws_bindings_interception)                                                                              \
    X(ws_dispatch_interception)

#define DECLARE(name) extern const struct ws_interception name;
INTERCEPTIONS(DECLARE)
#undef DECLARE

#define POINTER(name) &name,
static const struct ws_interception *const interceptions[] = {INTERCEPTIONS(POINTER)};
#undef POINTER

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BINS         4

struct mock mock;

/* What the handles are. */
struct memory {
    char *data;
};
struct buffer {
    char *data;
    VkDeviceSize size;
};
struct fence {
    bool signalled;
};
enum operation_kind { DISPATCH, COPY, FILL };
struct operation {
    enum operation_kind kind;
    uint32_t groups;
    struct buffer *source, *target;
    VkDeviceSize source_offset, target_offset, size;
};
struct commands {
    struct operation *operations;
    uint32_t count;
    struct commands *following; /* of all */
};
struct job {
    struct commands **commands;
    uint32_t count;
    uint64_t wait, signal;
    struct fence *fence;
};
struct queue {
    struct job *jobs;
    uint32_t count, done;
};

static struct ws_device device;
static struct ws_instance instance;
static struct ws_capture capture;
static struct ws_settings settings;
static struct ws_shader shader;
static struct ws_pipeline pipeline;
static struct queue queues[MOCK_QUEUES];
static VkCommandPool pool;
static struct commands *all_commands;

/* The driver. */

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    (void)handle;
    (void)allocator;
    if (info->memoryTypeIndex == 1 && mock.no_host_memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct memory *made = malloc(sizeof(*made));
    made->data = malloc(info->allocationSize);
    memset(made->data, 0xcd, info->allocationSize); /* nothing is zeroed by itself */
    *memory = (VkDeviceMemory)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice handle, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    struct memory *freed = (struct memory *)memory;
    if (freed != NULL)
        free(freed->data);
    free(freed);
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    (void)handle;
    (void)size;
    (void)flags;
    *data = ((struct memory *)memory)->data + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    (void)handle;
    (void)allocator;
    struct buffer *made = calloc(1, sizeof(*made));
    made->size = info->size;
    *buffer = (VkBuffer)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice handle, VkBuffer buffer,
                                                 const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free((struct buffer *)buffer);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    (void)handle;
    ((struct buffer *)buffer)->data = ((struct memory *)memory)->data + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL get_requirements(VkDevice handle, VkBuffer buffer,
                                                   VkMemoryRequirements *requirements)
{
    (void)handle;
    *requirements =
        (VkMemoryRequirements){.size = ((struct buffer *)buffer)->size, .alignment = 16, .memoryTypeBits = 3};
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL get_address(VkDevice handle,
                                                         const VkBufferDeviceAddressInfo *info)
{
    (void)handle;
    return (VkDeviceAddress)((struct buffer *)info->buffer)->data;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice handle, const VkFenceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkFence *fence)
{
    (void)handle;
    (void)info;
    (void)allocator;
    *fence = (VkFence)calloc(1, sizeof(struct fence));
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_fence(VkDevice handle, VkFence fence,
                                                const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free((struct fence *)fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_fences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    (void)handle;
    for (uint32_t i = 0; i < count; i++)
        ((struct fence *)fences[i])->signalled = false;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_fence_status(VkDevice handle, VkFence fence)
{
    (void)handle;
    return ((struct fence *)fence)->signalled ? VK_SUCCESS : VK_NOT_READY;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    (void)all;
    (void)timeout;
    assert_int_equal(count, 1);
    if (get_fence_status(handle, fences[0]) == VK_SUCCESS)
        return VK_SUCCESS;
    mock.waits++;
    mock_run();
    if (mock.lost)
        return VK_ERROR_DEVICE_LOST;
    return get_fence_status(handle, fences[0]) == VK_SUCCESS ? VK_SUCCESS : VK_TIMEOUT;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_counter(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    (void)handle;
    assert_ptr_equal(semaphore, mock.timeline);
    *value = mock.timeline_value;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *semaphore)
{
    (void)handle;
    (void)info;
    (void)allocator;
    *semaphore = (VkSemaphore)&mock.timeline;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)semaphore;
    (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkCommandPool *made)
{
    static char pools[2];
    static uint32_t next;
    (void)handle;
    (void)info;
    (void)allocator;
    *made = (VkCommandPool)&pools[next++ % 2];
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
    struct commands *made = calloc(1, sizeof(*made));
    made->following = all_commands;
    all_commands = made;
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

static void add_operation(VkCommandBuffer handle, struct operation operation)
{
    struct commands *commands = (struct commands *)handle;
    commands->operations =
        reallocarray(commands->operations, commands->count + 1, sizeof(*commands->operations));
    commands->operations[commands->count++] = operation;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                    VkPipeline bound)
{
    (void)commands;
    (void)point;
    (void)bound;
}

static VKAPI_ATTR void VKAPI_CALL cmd_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    (void)y;
    (void)z;
    add_operation(commands, (struct operation){.kind = DISPATCH, .groups = x});
}

static VKAPI_ATTR void VKAPI_CALL cmd_barrier(VkCommandBuffer commands, VkPipelineStageFlags source,
                                              VkPipelineStageFlags target, VkDependencyFlags flags,
                                              uint32_t memory_count, const VkMemoryBarrier *memory,
                                              uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                              uint32_t image_count, const VkImageMemoryBarrier *images)
{
    (void)commands;
    (void)source;
    (void)target;
    (void)flags;
    (void)memory_count;
    (void)memory;
    (void)buffer_count;
    (void)buffers;
    (void)image_count;
    (void)images;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer commands, VkBuffer source, VkBuffer target,
                                           uint32_t count, const VkBufferCopy *regions)
{
    for (uint32_t i = 0; i < count; i++)
        add_operation(commands, (struct operation){.kind = COPY,
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
    add_operation(commands,
                  (struct operation){.kind = FILL,
                                     .target = (struct buffer *)target,
                                     .target_offset = offset,
                                     .size = size == VK_WHOLE_SIZE ? ((struct buffer *)target)->size : size});
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue handle, uint32_t count, const VkSubmitInfo *infos,
                                                   VkFence fence)
{
    struct queue *queue = (struct queue *)handle;
    if (mock.submit_fails > 0) {
        mock.submit_fails--;
        return mock.submit_error;
    }
    for (uint32_t i = 0; i < count || (i == 0 && fence != VK_NULL_HANDLE); i++) {
        struct job job = {.fence = i + 1 >= count ? (struct fence *)fence : NULL};
        if (i < count) {
            const VkTimelineSemaphoreSubmitInfo *values = infos[i].pNext;
            const bool timeline =
                values != NULL && values->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
            job.count = infos[i].commandBufferCount;
            job.commands = calloc(job.count + 1, sizeof(*job.commands));
            memcpy(job.commands, infos[i].pCommandBuffers, job.count * sizeof(*job.commands));
            job.wait = timeline && infos[i].waitSemaphoreCount > 0 ? values->pWaitSemaphoreValues[0] : 0;
            job.signal =
                timeline && infos[i].signalSemaphoreCount > 0 ? values->pSignalSemaphoreValues[0] : 0;
        }
        queue->jobs = reallocarray(queue->jobs, queue->count + 1, sizeof(*queue->jobs));
        queue->jobs[queue->count++] = job;
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice handle)
{
    (void)handle;
    mock_run();
    return mock.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    (void)queue;
    (void)info;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *queue)
{
    (void)handle;
    (void)family;
    *queue = (VkQueue)&queues[index];
}

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
                                               VkQueueFamilyProperties *families)
{
    (void)physical;
    *count = 1;
    if (families != NULL)
        families[0] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 2};
}

static VKAPI_ATTR VkResult VKAPI_CALL set_loader_data(VkDevice handle, void *object)
{
    (void)handle;
    (void)object;
    return VK_SUCCESS;
}

static void run_operation(const struct operation *operation)
{
    struct buffer *counters = (struct buffer *)shader.counters.buffer;
    switch (operation->kind) {
    case DISPATCH: *(uint32_t *)(counters->data + shader.counters.offset) += operation->groups; break;
    case COPY:
        memcpy(operation->target->data + operation->target_offset,
               operation->source->data + operation->source_offset, operation->size);
        break;
    case FILL: memset(operation->target->data + operation->target_offset, 0, operation->size); break;
    }
}

static bool run_next(struct queue *queue)
{
    if (mock.lost || queue->done == queue->count)
        return false;
    struct job *job = &queue->jobs[queue->done];
    if (job->wait > mock.timeline_value)
        return false;
    for (uint32_t i = 0; i < job->count; i++) {
        for (uint32_t j = 0; j < job->commands[i]->count; j++)
            run_operation(&job->commands[i]->operations[j]);
    }
    if (job->signal > mock.timeline_value)
        mock.timeline_value = job->signal;
    if (job->fence != NULL)
        job->fence->signalled = true;
    queue->done++;
    return true;
}

void mock_run(void)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < MOCK_QUEUES; i++)
            changed = run_next(&queues[i]) || changed;
    }
}

/* What the layer's other parts would do. */

struct ws_device *ws_device_of(const void *dispatchable)
{
    (void)dispatchable;
    return &device;
}

void ws_root_set_counters(struct ws_device *of, uint32_t slot, uint64_t address)
{
    (void)of;
    (void)slot;
    (void)address;
}

void ws_message(struct ws_instance *of, enum ws_severity severity, const char *format, ...)
{
    (void)of;
    (void)severity;
    (void)format;
}

void ws_capture_message(enum ws_severity severity, const char *text)
{
    (void)severity;
    (void)text;
}

void ws_capture_check(struct ws_instance *of, bool written, const struct ws_error *error)
{
    (void)of;
    (void)error;
    assert_true(written);
}

void ws_capture_skip(struct ws_capture *to, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    (void)to;
    (void)id;
    (void)pass;
    (void)offset;
    assert_non_null(reason);
    assert_int_equal(kind, WS_SKIP_INVOCATION);
    mock.skipped += count;
}

bool ws_capture_write_submission(struct ws_capture_writer *writer, const struct ws_chunk_submission *chunk,
                                 struct ws_error *error)
{
    (void)writer;
    (void)error;
    for (uint32_t i = 0; i < chunk->invocation_count; i++) {
        const struct ws_invocation *invocation = &chunk->invocations[i];
        assert_true(mock.written_count < MOCK_WRITTEN);
        mock.written[mock.written_count++] = (struct mock_written){
            .index = invocation->index,
            .queue = chunk->queue_index,
            .frame = (uint32_t)chunk->frame,
            .flags = chunk->flags,
            .groups = invocation->size[0],
            .measured = invocation->shader_count == 1,
            .counted = invocation->shader_count == 1 ? invocation->shaders[0].words[0] : 0,
        };
    }
    return true;
}

static const struct ws_device_dispatch driver = {
    .AllocateMemory = allocate_memory,
    .FreeMemory = free_memory,
    .MapMemory = map_memory,
    .CreateBuffer = create_buffer,
    .DestroyBuffer = destroy_buffer,
    .BindBufferMemory = bind_memory,
    .GetBufferMemoryRequirements = get_requirements,
    .GetBufferDeviceAddress = get_address,
    .CreateFence = create_fence,
    .DestroyFence = destroy_fence,
    .ResetFences = reset_fences,
    .GetFenceStatus = get_fence_status,
    .WaitForFences = wait_for_fences,
    .GetSemaphoreCounterValue = get_counter,
    .CreateSemaphore = create_semaphore,
    .DestroySemaphore = destroy_semaphore,
    .CreateCommandPool = create_pool,
    .DestroyCommandPool = destroy_pool,
    .AllocateCommandBuffers = allocate_commands,
    .FreeCommandBuffers = free_commands,
    .BeginCommandBuffer = begin_commands,
    .EndCommandBuffer = end_commands,
    .CmdBindPipeline = cmd_bind_pipeline,
    .CmdDispatch = cmd_dispatch,
    .CmdPipelineBarrier = cmd_barrier,
    .CmdCopyBuffer = cmd_copy,
    .CmdFillBuffer = cmd_fill,
    .QueueSubmit = queue_submit,
    .QueuePresentKHR = queue_present,
    .DeviceWaitIdle = wait_idle,
    .GetDeviceQueue = get_queue,
};

PFN_vkVoidFunction mock_hook(const char *name)
{
    for (size_t i = 0; i < COUNT(interceptions); i++) {
        for (const struct ws_hook *hook = interceptions[i]->hooks; hook->name != NULL; hook++) {
            if (strcmp(hook->name, name) == 0)
                return hook->function;
        }
    }
    fail_msg("%s is not hooked", name);
    return NULL;
}

VkDevice mock_device(void)
{
    return (VkDevice)&device;
}

static void init_device(void)
{
    memset(&device, 0, sizeof(device));
    memset(&capture, 0, sizeof(capture));
    memset(queues, 0, sizeof(queues));
    instance.next.GetPhysicalDeviceQueueFamilyProperties = get_families;
    settings = (struct ws_settings){
        .trigger = (char *)"", .frames.last = UINT64_MAX, .invocations.last = UINT64_MAX};
    device.next = driver;
    device.instance = &instance;
    device.settings = &settings;
    device.set_loader_data = set_loader_data;
    device.capture = &capture;
    device.bins = BINS;
    device.active = true;
    device.properties.memory.memoryTypeCount = 2;
    device.properties.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    device.properties.memory.memoryTypes[1].propertyFlags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    pthread_mutex_init(&device.lock, NULL);
    device.objects = ws_objects_create();
}

void mock_init(void)
{
    memset(&mock, 0, sizeof(mock));
    init_device();
    for (size_t i = 0; i < COUNT(interceptions); i++)
        assert_true(interceptions[i]->device_init == NULL || interceptions[i]->device_init(&device, NULL));

    static struct ws_shader *shaders[] = {&shader};
    shader = (struct ws_shader){.row_count = 1};
    assert_true(ws_counters_allocate(&device, 0, 0, 1, &shader.counters, NULL));
    pipeline = (struct ws_pipeline){.shaders = shaders, .shader_count = 1};
    assert_true(ws_objects_add(&device, WS_OBJECT_PIPELINE, WS_HANDLE(&pipeline), &pipeline));
    for (uint32_t i = 0; i < MOCK_QUEUES; i++)
        ((PFN_vkGetDeviceQueue)mock_hook("vkGetDeviceQueue"))(mock_device(), 0, i, &mock.queues[i]);

    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    ((PFN_vkCreateSemaphore)mock_hook("vkCreateSemaphore"))(mock_device(), &info, NULL, &mock.timeline);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    ((PFN_vkCreateCommandPool)mock_hook("vkCreateCommandPool"))(mock_device(), &pool_info, NULL, &pool);
}

void mock_finish(void)
{
    for (size_t i = COUNT(interceptions); i-- > 0;) {
        if (interceptions[i]->device_finish != NULL)
            interceptions[i]->device_finish(&device);
    }
    for (uint32_t i = 0; i < MOCK_QUEUES; i++) {
        for (uint32_t j = 0; j < queues[i].count; j++)
            free(queues[i].jobs[j].commands);
        free(queues[i].jobs);
    }
    while (all_commands != NULL) {
        struct commands *following = all_commands->following;
        free(all_commands->operations);
        free(all_commands);
        all_commands = following;
    }
    ws_objects_destroy(device.objects);
    pthread_mutex_destroy(&device.lock);
}

VkCommandBuffer mock_dispatching(uint32_t groups)
{
    VkCommandBuffer commands;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ((PFN_vkAllocateCommandBuffers)mock_hook("vkAllocateCommandBuffers"))(mock_device(), &allocate,
                                                                          &commands);
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    ((PFN_vkCmdBindPipeline)mock_hook("vkCmdBindPipeline"))(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                            (VkPipeline)&pipeline);
    ((PFN_vkCmdDispatch)mock_hook("vkCmdDispatch"))(commands, groups, 1, 1);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
    return commands;
}

VkResult mock_submit_info(uint32_t queue, const VkSubmitInfo *info, VkFence fence)
{
    return ((PFN_vkQueueSubmit)mock_hook("vkQueueSubmit"))(mock.queues[queue], 1, info, fence);
}

VkResult mock_submit(uint32_t queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal, VkFence fence)
{
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = wait > 0 ? 1 : 0,
        .pWaitSemaphoreValues = &wait,
        .signalSemaphoreValueCount = signal > 0 ? 1 : 0,
        .pSignalSemaphoreValues = &signal,
    };
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &values,
        .waitSemaphoreCount = wait > 0 ? 1 : 0,
        .pWaitSemaphores = &mock.timeline,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = commands != VK_NULL_HANDLE ? 1 : 0,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = signal > 0 ? 1 : 0,
        .pSignalSemaphores = &mock.timeline,
    };
    return mock_submit_info(queue, &info, fence);
}
