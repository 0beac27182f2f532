#include "tests/unit/layer/shader/mock_pipelines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/shader/pipeline.h"
#include "layer/shader/shader_stage.h"

struct ws_device mock_device;
struct ws_settings mock_settings;
struct ws_shader mock_shaders[MOCK_MODULES];
struct mock_driver mock_driver;
uint32_t mock_pipelines_written, mock_pipelines_skipped, mock_groups_written;
struct ws_chunk_groups mock_groups;
struct ws_shader_group mock_group_list[MOCK_MODULES];
uint8_t mock_group_handles[MOCK_MODULES * MOCK_HANDLE];
static struct ws_capture capture;
struct ws_instance mock_instance;
uint32_t mock_watched_begun, mock_watched_ended;

/* The linker makes all calls of calloc come here (its option --wrap). */
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    return ++mock_driver.allocated == mock_driver.fails_at ? NULL : __real_calloc(count, size);
}

struct ws_device *ws_device_of(const void *dispatchable)
{
    (void)dispatchable;
    return &mock_device;
}

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    (void)instance, (void)severity, (void)format;
}

char *ws_shaders_describe(struct ws_shader *const *shaders, uint32_t count, uint32_t *sites)
{
    (void)shaders;
    *sites = 0;
    return count > 0 ? strdup("shaders") : NULL;
}

void ws_watch_begin(struct ws_watch *watch, struct ws_watched *watched)
{
    assert_ptr_equal(watch, mock_instance.watch);
    assert_string_equal(watched->shaders, "shaders");
    mock_watched_begun++;
}

void ws_watch_end(struct ws_watched *watched)
{
    mock_watched_ended += watched->what != NULL;
    free(watched->shaders);
    *watched = (struct ws_watched){0};
}

void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error)
{
    (void)instance, (void)written, (void)error;
}

void ws_capture_skip(struct ws_capture *unused, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    (void)unused, (void)id, (void)pass, (void)offset, (void)count, (void)reason;
    mock_pipelines_skipped += kind == WS_SKIP_PIPELINE;
}

bool ws_capture_write_pipeline(struct ws_capture_writer *writer, const struct ws_chunk_pipeline *chunk,
                               struct ws_error *error)
{
    (void)writer, (void)chunk, (void)error;
    mock_pipelines_written++;
    return true;
}

bool ws_capture_write_groups(struct ws_capture_writer *writer, const struct ws_chunk_groups *chunk,
                             struct ws_error *error)
{
    (void)writer, (void)error;
    mock_groups_written++;
    mock_groups = *chunk;
    assert_true(chunk->group_count <= MOCK_MODULES);
    for (uint32_t i = 0; i < chunk->group_count; i++) {
        mock_group_list[i] = chunk->groups[i];
        assert_int_equal(mock_group_list[i].handle_size, chunk->handle_size);
        if (chunk->handle_size > 0)
            memcpy(mock_group_handles + i * MOCK_HANDLE, mock_group_list[i].handle, MOCK_HANDLE);
    }
    return true;
}

struct ws_shader *ws_shader_reference(struct ws_shader *shader)
{
    shader->references++;
    return shader;
}

void ws_shader_release(struct ws_shader *shader)
{
    assert_true(shader->references > 0);
    shader->references--;
}

void ws_shader_stage_init(struct ws_shader_stage *stage, struct ws_device *unused,
                          const VkPipelineShaderStageCreateInfo *original, bool early)
{
    (void)unused;
    (void)early;
    const uint64_t module = (uint64_t)original->module;
    memset(stage, 0, sizeof(*stage));
    stage->info = *original;
    stage->info.module = (VkShaderModule)(module + MOCK_INSTRUMENTED);
    stage->shader = ws_shader_reference(&mock_shaders[module]);
    stage->instrumented = true;
}

void ws_shader_stage_finish(struct ws_shader_stage *stage)
{
    ws_shader_release(stage->shader);
    memset(stage, 0xee, sizeof(*stage)); /* whoever reads it now is wrong */
}

static bool refused(const VkPipelineShaderStageCreateInfo *stage)
{
    return mock_driver.refuse[(uint64_t)stage->module];
}

static VkResult answer(bool any_refused)
{
    mock_driver.calls++;
    return any_refused ? mock_driver.refusal : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *pipelines)
{
    (void)handle, (void)cache, (void)allocator;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        pipelines[i] = refused(&infos[i].stage) ? VK_NULL_HANDLE : (VkPipeline)(++mock_driver.next);
        any |= pipelines[i] == VK_NULL_HANDLE;
        mock_driver.instrumented = (uint64_t)infos[i].stage.module >= MOCK_INSTRUMENTED;
    }
    return answer(any);
}

/* Where a deferred creation writes once it is carried out. */
static const VkRayTracingPipelineCreateInfoKHR *deferred_info;
static VkPipeline *deferred_pipeline;

static VKAPI_ATTR VkResult VKAPI_CALL create_rays(VkDevice handle, VkDeferredOperationKHR operation,
                                                  VkPipelineCache cache, uint32_t count,
                                                  const VkRayTracingPipelineCreateInfoKHR *infos,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkPipeline *pipelines)
{
    (void)handle, (void)cache, (void)allocator;
    assert_int_equal(count, 1);
    mock_driver.attribute_size =
        infos[0].pLibraryInterface != NULL ? infos[0].pLibraryInterface->maxPipelineRayHitAttributeSize : 0;
    if (operation != VK_NULL_HANDLE && mock_driver.deferred == VK_OPERATION_DEFERRED_KHR) {
        deferred_info = infos;
        deferred_pipeline = pipelines;
        mock_driver.deferred_result = VK_NOT_READY;
        return VK_OPERATION_DEFERRED_KHR;
    }
    pipelines[0] = refused(&infos[0].pStages[0]) ? VK_NULL_HANDLE : (VkPipeline)(++mock_driver.next);
    const VkResult result = answer(pipelines[0] == VK_NULL_HANDLE);
    return result == VK_SUCCESS && operation != VK_NULL_HANDLE ? mock_driver.deferred : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL join(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    if (deferred_info != NULL) {
        const bool refuse = refused(&deferred_info->pStages[0]);
        *deferred_pipeline = refuse ? VK_NULL_HANDLE : (VkPipeline)(++mock_driver.next);
        mock_driver.deferred_result = answer(refuse);
        deferred_info = NULL;
    }
    return VK_SUCCESS;
}

/* Bytes that tell pipeline and group. */
static VKAPI_ATTR VkResult VKAPI_CALL get_handles(VkDevice handle, VkPipeline pipeline, uint32_t first,
                                                  uint32_t count, size_t size, void *data)
{
    (void)handle;
    assert_int_equal(size, count * MOCK_HANDLE);
    if (mock_driver.no_handles)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        memset((uint8_t *)data + i * MOCK_HANDLE, (int)(16 * WS_HANDLE(pipeline) + first + i), MOCK_HANDLE);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_result(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    return mock_driver.deferred_result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_operation(VkDevice handle, VkDeferredOperationKHR operation,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)handle, (void)operation, (void)allocator;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *allocator)
{
    (void)handle, (void)allocator;
    mock_driver.destroyed += pipeline != VK_NULL_HANDLE;
}

PFN_vkVoidFunction mock_hook(const struct ws_interception *interception, const char *name)
{
    const struct ws_hook *found = interception->hooks;
    while (found->name != NULL && strcmp(found->name, name) != 0)
        found++;
    return found->function;
}

int mock_set_up(void **state)
{
    (void)state;
    memset(&mock_driver, 0, sizeof(mock_driver));
    memset(&capture, 0, sizeof(capture));
    memset(&mock_device, 0, sizeof(mock_device));
    mock_driver.refusal = VK_ERROR_UNKNOWN;
    mock_pipelines_written = mock_pipelines_skipped = mock_groups_written = 0;
    mock_settings = (struct ws_settings){.instruments = true, .geometry = true};
    for (uint32_t i = 0; i < MOCK_MODULES; i++)
        mock_shaders[i].capture_id = 100 + i;
    deferred_info = NULL;
    pthread_mutex_init(&mock_device.lock, NULL);
    mock_device.objects = ws_objects_create();
    mock_device.capture = &capture;
    mock_instance = (struct ws_instance){0};
    mock_device.instance = &mock_instance;
    mock_watched_begun = mock_watched_ended = 0;
    mock_device.active = true;
    mock_device.settings = &mock_settings;
    mock_device.properties.group_handle_size = MOCK_HANDLE;
    mock_device.next.GetRayTracingShaderGroupHandlesKHR = get_handles;
    mock_device.next.CreateComputePipelines = create_compute;
    mock_device.next.CreateRayTracingPipelinesKHR = create_rays;
    mock_device.next.DeferredOperationJoinKHR = join;
    mock_device.next.GetDeferredOperationResultKHR = get_result;
    mock_device.next.DestroyDeferredOperationKHR = destroy_operation;
    mock_device.next.DestroyPipeline = destroy_pipeline;
    return mock_device.objects != NULL ? 0 : 1;
}

int mock_tear_down(void **state)
{
    (void)state;
    ws_deferred_interception.device_finish(&mock_device);
    ws_pipeline_interception.device_finish(&mock_device);
    ws_objects_destroy(mock_device.objects);
    for (uint32_t i = 0; i < MOCK_MODULES; i++)
        assert_int_equal(mock_shaders[i].references, 0); /* no pipeline and no stage is left */
    return 0;
}

VkResult mock_create_deferred(VkPipeline *pipeline)
{
    /* Static, since the application must keep them until the operation is complete. */
    static VkPipelineShaderStageCreateInfo stage;
    static VkRayTracingPipelineCreateInfoKHR info;
    stage.module = (VkShaderModule)1;
    info.stageCount = 1;
    info.pStages = &stage;
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)mock_hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    return create(VK_NULL_HANDLE, (VkDeferredOperationKHR)7, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

VkResult mock_join(void)
{
    return ((PFN_vkDeferredOperationJoinKHR)mock_hook(
        &ws_deferred_interception, "vkDeferredOperationJoinKHR"))(VK_NULL_HANDLE, (VkDeferredOperationKHR)7);
}
