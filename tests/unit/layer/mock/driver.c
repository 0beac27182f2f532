#include "tests/unit/layer/mock/objects.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/commands/stream_control.h"
#include "layer/core/blob.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/memory/counters.h"
#include "layer/memory/root_block.h"
#include "layer/shader/shader.h"

#define INTERCEPTIONS(X)                                                                                     \
    X(ws_memory_interception)                                                                                \
    X(ws_counters_interception)                                                                              \
    X(ws_control_block_interception)                                                                         \
    X(ws_buffer_interception)                                                                                \
    X(ws_deferred_interception)                                                                              \
    X(ws_micromap_interception)                                                                              \
    X(ws_structure_interception)                                                                             \
    X(ws_structure_copy_interception)                                                                        \
    X(ws_structure_host_interception)                                                                        \
    X(ws_structure_others_interception)                                                                      \
    X(ws_query_pools_interception)                                                                           \
    X(ws_queue_interception)                                                                                 \
    X(ws_submission_interception)                                                                            \
    X(ws_submit_interception)                                                                                \
    X(ws_semaphore_interception)                                                                             \
    X(ws_events_interception)                                                                                \
    X(ws_wait_interception)                                                                                  \
    X(ws_present_interception)                                                                               \
    X(ws_command_buffer_interception)                                                                        \
    X(ws_bindings_interception)                                                                              \
    X(ws_render_pass_interception)                                                                           \
    X(ws_uncovered_interception)                                                                             \
    X(ws_execution_set_interception)                                                                         \
    X(ws_generated_interception)                                                                             \
    X(ws_draw_interception)                                                                                  \
    X(ws_dispatch_interception)                                                                              \
    X(ws_trace_interception)                                                                                 \
    X(ws_build_interception)                                                                                 \
    X(ws_execute_commands_interception)

#define DECLARE(name) extern const struct ws_interception name;
INTERCEPTIONS(DECLARE)
#undef DECLARE

#define POINTER(name) &name,
static const struct ws_interception *const interceptions[] = {INTERCEPTIONS(POINTER)};
#undef POINTER

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct mock mock;

/* The linker makes all calls of these functions come here (its option --wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *array, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *array, size_t count, size_t size);

static bool host_fails(void)
{
    return ++mock.host_made == mock.host_fails_at;
}

void *__wrap_malloc(size_t size)
{
    return host_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return host_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *array, size_t count, size_t size)
{
    return host_fails() ? NULL : __real_reallocarray(array, count, size);
}

static pthread_once_t lock_made = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;

static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void mock_lock(void)
{
    pthread_once(&lock_made, make_lock);
    pthread_mutex_lock(&lock);
}

void mock_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void *mock_allocate(size_t size)
{
    return __real_calloc(1, size);
}

void *mock_grow(void *array, size_t count, size_t size)
{
    return __real_reallocarray(array, count, size);
}

struct ws_device mock_layer_device;
struct ws_shader mock_shader, mock_other_shader;
static struct ws_instance instance;
static struct ws_capture capture;
struct ws_settings mock_settings;
static struct ws_pipeline pipeline, other_pipeline;
static VkCommandPool pool;

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
                                               VkQueueFamilyProperties *families)
{
    (void)physical;
    *count = 2;
    if (families == NULL)
        return;
    families[0] = (VkQueueFamilyProperties){
        .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 2, .timestampValidBits = mock.valid_bits};
    families[1] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_SPARSE_BINDING_BIT, .queueCount = 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL set_loader_data(VkDevice handle, void *object)
{
    (void)handle;
    (void)object;
    return VK_SUCCESS;
}

PFN_vkVoidFunction mock_hook(const char *name)
{
    for (size_t i = 0; i < COUNT(interceptions); i++) {
        for (const struct ws_hook *hook = interceptions[i]->hooks; hook->name != NULL; hook++)
            if (strcmp(hook->name, name) == 0)
                return hook->function;
    }
    const PFN_vkVoidFunction found = mock_bound_hook(name);
    if (found == NULL)
        fail_msg("%s is not hooked", name);
    return found;
}

VkDevice mock_device(void)
{
    return (VkDevice)&mock_layer_device;
}

static void init_device(void)
{
    memset(&mock_layer_device, 0, sizeof(mock_layer_device));
    memset(&capture, 0, sizeof(capture));
    capture.blobs = ws_blobs_create();
    instance.next.GetPhysicalDeviceQueueFamilyProperties = get_families;
    mock_settings =
        (struct ws_settings){.trigger = (char *)"", .frames.last = UINT64_MAX, .launches.last = UINT64_MAX};
    mock_memory_load(&mock_layer_device.next);
    mock_sync_load(&mock_layer_device.next);
    mock_commands_load(&mock_layer_device.next);
    mock_queries_load(&mock_layer_device.next);
    mock_queue_load(&mock_layer_device.next);
    mock_geometry_load(&mock_layer_device.next);
    mock_builds_load(&mock_layer_device.next);
    mock_application_load(&mock_layer_device.next);
    mock_bound_load(&mock_layer_device.next);
    mock_layer_device.instance = &instance;
    mock_layer_device.settings = &mock_settings;
    mock_layer_device.set_loader_data = set_loader_data;
    mock_layer_device.capture = &capture;
    mock_layer_device.bins = MOCK_BINS;
    mock_layer_device.timeline_semaphores = true;
    mock_layer_device.active = true;
    mock_layer_device.properties.memory.memoryTypeCount = 2;
    mock_layer_device.properties.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    mock_layer_device.properties.memory.memoryTypes[1].propertyFlags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    mock_layer_device.properties.core.limits.nonCoherentAtomSize = 64;
    mock_layer_device.properties.memory.memoryHeapCount = 1;
    mock_layer_device.properties.memory.memoryHeaps[0].size = (VkDeviceSize)1 << 34;
    pthread_mutex_init(&mock_layer_device.lock, NULL);
    mock_layer_device.objects = ws_objects_create();
}

void mock_init(uint32_t rows)
{
    memset(&mock, 0, sizeof(mock));
    mock.valid_bits = 64;
    mock_control = 0;
    init_device();
    for (size_t i = 0; i < COUNT(interceptions); i++)
        assert_true(interceptions[i]->device_init == NULL ||
                    interceptions[i]->device_init(&mock_layer_device, NULL));

    static struct ws_shader *shaders[] = {&mock_shader, &mock_other_shader};
    const struct ws_entry_info entry = {
        .row_count = rows, .yield_first = MOCK_YIELD_FIRST, .yield_count = MOCK_YIELD_COUNT};
    mock_shader = (struct ws_shader){
        .row_count = rows, .yield_first = MOCK_YIELD_FIRST, .yield_count = MOCK_YIELD_COUNT};
    mock_other_shader = mock_shader;
    mock_other_shader.slot = mock_other_shader.capture_id = 1;
    assert_true(ws_counters_allocate(&mock_layer_device, 1, &entry, &mock_other_shader.counters, NULL));
    assert_true(ws_counters_allocate(&mock_layer_device, 0, &entry, &mock_shader.counters, NULL));
    pipeline = (struct ws_pipeline){.shaders = shaders, .shader_count = 1};
    other_pipeline = (struct ws_pipeline){.shaders = shaders + 1, .shader_count = 1, .capture_id = 1};
    assert_true(
        ws_objects_add(&mock_layer_device, WS_OBJECT_PIPELINE, WS_HANDLE(&other_pipeline), &other_pipeline));
    assert_true(ws_objects_add(&mock_layer_device, WS_OBJECT_PIPELINE, WS_HANDLE(&pipeline), &pipeline));
    for (uint32_t i = 0; i < MOCK_QUEUES; i++)
        ((PFN_vkGetDeviceQueue)mock_hook("vkGetDeviceQueue"))(mock_device(), 0, i, &mock.queues[i]);

    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    ((PFN_vkCreateSemaphore)mock_hook("vkCreateSemaphore"))(mock_device(), &info, NULL, &mock.timeline);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    ((PFN_vkCreateCommandPool)mock_hook("vkCreateCommandPool"))(mock_device(), &pool_info, NULL, &pool);
}

void mock_get_sparse_queue(void)
{
    ((PFN_vkGetDeviceQueue)mock_hook("vkGetDeviceQueue"))(mock_device(), 1, 0, &mock.queues[MOCK_QUEUES]);
}

void mock_uninstrument(void)
{
    pipeline.shader_count = other_pipeline.shader_count = 0;
}

void mock_init_records(bool unified, uint64_t size, uint64_t limit)
{
    mock_init(1);
    if (unified)
        mock_layer_device.properties.memory.memoryTypes[0].propertyFlags |=
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    mock_settings.buffer_size = size;
    mock_settings.buffer_limit = limit;
    mock_shader.records = true;
    assert_true(ws_control_block_require(&mock_layer_device, NULL));
}

void mock_show_control(void)
{
    struct ws_control_block *control = mock_layer_device.control;
    mock_layer_device.properties.memory.memoryTypes[0].propertyFlags |= VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    control->mapped = (uint32_t *)(uintptr_t)control->address; /* device addresses are the host's */
}

void mock_finish(void)
{
    /* As the hooks do that build upon what is followed. */
    ws_command_buffer_interception.device_finish(&mock_layer_device);
    mock_bound_finish();
    for (size_t i = COUNT(interceptions); i-- > 0;)
        if (interceptions[i]->device_finish != NULL)
            interceptions[i]->device_finish(&mock_layer_device);
    /* No launch that was recorded, and no submission, is left. */
    assert_int_equal(mock_shader.references + mock_other_shader.references, 0);
    mock_queries_finish();
    mock_queue_finish();
    mock_sync_finish();
    mock_commands_finish();
    mock_builds_finish();
    ws_blobs_destroy(capture.blobs);
    ws_objects_destroy(mock_layer_device.objects);
    pthread_mutex_destroy(&mock_layer_device.lock);
}

VkCommandBuffer mock_dispatching(uint32_t groups)
{
    return mock_dispatching_each(1, &groups);
}

VkCommandBuffer mock_begun(VkCommandBufferLevel level)
{
    VkCommandBuffer commands;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .level = level,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ((PFN_vkAllocateCommandBuffers)mock_hook("vkAllocateCommandBuffers"))(mock_device(), &allocate,
                                                                          &commands);
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    return commands;
}

static void dispatch(VkCommandBuffer commands, struct ws_pipeline *bound, uint32_t groups)
{
    ((PFN_vkCmdBindPipeline)mock_hook("vkCmdBindPipeline"))(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                            (VkPipeline)bound);
    ((PFN_vkCmdDispatch)mock_hook("vkCmdDispatch"))(commands, groups, 1, 1);
}

VkPipeline mock_pipeline(uint32_t index)
{
    return (VkPipeline)(index == 0 ? &pipeline : &other_pipeline);
}

void mock_dispatch(VkCommandBuffer commands, uint32_t groups)
{
    dispatch(commands, &pipeline, groups);
}

void mock_draw(VkCommandBuffer commands, uint32_t vertices)
{
    ((PFN_vkCmdDraw)mock_hook("vkCmdDraw"))(commands, vertices, 1, 0, 0);
}

static void end(VkCommandBuffer commands)
{
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

VkCommandBuffer mock_dispatching_other(uint32_t groups)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(commands, &other_pipeline, groups);
    end(commands);
    return commands;
}

VkCommandBuffer mock_dispatching_after_event(uint32_t groups, bool secondary)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkCommandBuffer waiting = secondary ? mock_begun(VK_COMMAND_BUFFER_LEVEL_SECONDARY) : commands;
    const VkEvent event = VK_NULL_HANDLE;
    ((PFN_vkCmdWaitEvents)mock_hook("vkCmdWaitEvents"))(waiting, 1, &event, VK_PIPELINE_STAGE_HOST_BIT,
                                                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL,
                                                        0, NULL);
    if (secondary) {
        end(waiting);
        ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 1, &waiting);
    }
    mock_dispatch(commands, groups);
    end(commands);
    return commands;
}

VkCommandBuffer mock_dispatching_each(uint32_t count, const uint32_t *groups)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (uint32_t i = 0; i < count; i++)
        mock_dispatch(commands, groups[i]);
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
