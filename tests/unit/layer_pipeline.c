/* What the layer makes of a driver's answers when pipelines are created: refusals, partial failures and
 * deferred operations. The driver and the instrumentation are the test's: module m is instrumented to m +
 * 100, and the driver refuses what it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "device.h"
#include "hooks.h"
#include "message.h"
#include "objects.h"
#include "pipeline.h"
#include "settings.h"
#include "shader.h"
#include "shader_stage.h"
#include "warpscope/instrument.h"

#define INSTRUMENTED 100
#define MODULES      10
#define HANDLE       8 /* bytes of a shader group's handle */

extern const struct ws_interception ws_pipeline_interception;
extern const struct ws_interception ws_pipeline_compute_interception;
extern const struct ws_interception ws_pipeline_ray_tracing_interception;
extern const struct ws_interception ws_deferred_interception;

static struct ws_capture capture;
static struct ws_device device;
static struct ws_settings settings;
static struct ws_shader shaders[MODULES];

/* The driver's orders and what it did. */
static struct {
    bool refuse[INSTRUMENTED + MODULES]; /* modules */
    VkResult refusal;
    VkResult deferred;        /* what a deferred creation returns */
    VkResult deferred_result; /* of the operation */
    uint32_t calls, destroyed;
    uint64_t next;   /* handle */
    bool no_handles; /* of shader groups can be had */
} driver;

/* What the capture got. */
static uint32_t pipelines_written, pipelines_skipped, groups_written;

/* The latest GRUP chunk, and the handles of its groups behind one another. */
static struct ws_chunk_groups groups;
static struct ws_shader_group group_list[MODULES];
static uint8_t group_handles[MODULES * HANDLE];

struct ws_device *ws_device_of(const void *dispatchable)
{
    (void)dispatchable;
    return &device;
}

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    (void)instance, (void)severity, (void)format;
}

void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error)
{
    (void)instance, (void)written, (void)error;
}

void ws_capture_skip(struct ws_capture *unused, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    (void)unused, (void)id, (void)pass, (void)offset, (void)count, (void)reason;
    pipelines_skipped += kind == WS_SKIP_PIPELINE;
}

bool ws_capture_write_pipeline(struct ws_capture_writer *writer, const struct ws_chunk_pipeline *chunk,
                               struct ws_error *error)
{
    (void)writer, (void)chunk, (void)error;
    pipelines_written++;
    return true;
}

bool ws_capture_write_groups(struct ws_capture_writer *writer, const struct ws_chunk_groups *chunk,
                             struct ws_error *error)
{
    (void)writer, (void)error;
    groups_written++;
    groups = *chunk;
    assert_true(chunk->group_count <= MODULES);
    for (uint32_t i = 0; i < chunk->group_count; i++) {
        group_list[i] = chunk->groups[i];
        assert_int_equal(group_list[i].handle_size, chunk->handle_size);
        if (chunk->handle_size > 0)
            memcpy(group_handles + i * HANDLE, group_list[i].handle, HANDLE);
    }
    return true;
}

void ws_shader_stage_init(struct ws_shader_stage *stage, struct ws_device *unused,
                          const VkPipelineShaderStageCreateInfo *original)
{
    (void)unused;
    const uint64_t module = (uint64_t)original->module;
    memset(stage, 0, sizeof(*stage));
    stage->info = *original;
    stage->info.module = (VkShaderModule)(module + INSTRUMENTED);
    stage->shader = &shaders[module];
    stage->instrumented = true;
}

void ws_shader_stage_finish(struct ws_shader_stage *stage)
{
    memset(stage, 0xee, sizeof(*stage)); /* whoever reads it now is wrong */
}

static bool refused(const VkPipelineShaderStageCreateInfo *stage)
{
    return driver.refuse[(uint64_t)stage->module];
}

static VkResult answer(bool any_refused)
{
    driver.calls++;
    return any_refused ? driver.refusal : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *pipelines)
{
    (void)handle, (void)cache, (void)allocator;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        pipelines[i] = refused(&infos[i].stage) ? VK_NULL_HANDLE : (VkPipeline)(++driver.next);
        any |= pipelines[i] == VK_NULL_HANDLE;
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
    if (operation != VK_NULL_HANDLE && driver.deferred == VK_OPERATION_DEFERRED_KHR) {
        deferred_info = infos;
        deferred_pipeline = pipelines;
        driver.deferred_result = VK_NOT_READY;
        return VK_OPERATION_DEFERRED_KHR;
    }
    pipelines[0] = refused(&infos[0].pStages[0]) ? VK_NULL_HANDLE : (VkPipeline)(++driver.next);
    const VkResult result = answer(pipelines[0] == VK_NULL_HANDLE);
    return result == VK_SUCCESS && operation != VK_NULL_HANDLE ? driver.deferred : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL join(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    if (deferred_info != NULL) {
        const bool refuse = refused(&deferred_info->pStages[0]);
        *deferred_pipeline = refuse ? VK_NULL_HANDLE : (VkPipeline)(++driver.next);
        driver.deferred_result = answer(refuse);
        deferred_info = NULL;
    }
    return VK_SUCCESS;
}

/* Bytes that tell pipeline and group. */
static VKAPI_ATTR VkResult VKAPI_CALL get_handles(VkDevice handle, VkPipeline pipeline, uint32_t first,
                                                  uint32_t count, size_t size, void *data)
{
    (void)handle;
    assert_int_equal(size, count * HANDLE);
    if (driver.no_handles)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        memset((uint8_t *)data + i * HANDLE, (int)(16 * WS_HANDLE(pipeline) + first + i), HANDLE);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_result(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    return driver.deferred_result;
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
    driver.destroyed += pipeline != VK_NULL_HANDLE;
}

static PFN_vkVoidFunction hook(const struct ws_interception *interception, const char *name)
{
    const struct ws_hook *found = interception->hooks;
    while (found->name != NULL && strcmp(found->name, name) != 0)
        found++;
    return found->function;
}

static int set_up(void **state)
{
    (void)state;
    memset(&driver, 0, sizeof(driver));
    memset(&capture, 0, sizeof(capture));
    memset(&device, 0, sizeof(device));
    driver.refusal = VK_ERROR_UNKNOWN;
    pipelines_written = pipelines_skipped = groups_written = 0;
    settings = (struct ws_settings){.geometry = true};
    for (uint32_t i = 0; i < MODULES; i++)
        shaders[i].capture_id = 100 + i;
    deferred_info = NULL;
    pthread_mutex_init(&device.lock, NULL);
    device.objects = ws_objects_create();
    device.capture = &capture;
    device.active = true;
    device.settings = &settings;
    device.properties.group_handle_size = HANDLE;
    device.next.GetRayTracingShaderGroupHandlesKHR = get_handles;
    device.next.CreateComputePipelines = create_compute;
    device.next.CreateRayTracingPipelinesKHR = create_rays;
    device.next.DeferredOperationJoinKHR = join;
    device.next.GetDeferredOperationResultKHR = get_result;
    device.next.DestroyDeferredOperationKHR = destroy_operation;
    device.next.DestroyPipeline = destroy_pipeline;
    return device.objects != NULL ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    ws_deferred_interception.device_finish(&device);
    ws_pipeline_interception.device_finish(&device);
    ws_objects_destroy(device.objects);
    return 0;
}

/* Creates compute pipelines of modules 1, 2 and 3. */
static VkResult create_three(VkPipeline pipelines[3])
{
    PFN_vkCreateComputePipelines create =
        (PFN_vkCreateComputePipelines)hook(&ws_pipeline_compute_interception, "vkCreateComputePipelines");
    VkComputePipelineCreateInfo infos[3] = {0};
    for (uint64_t i = 0; i < 3; i++)
        infos[i].stage.module = (VkShaderModule)(i + 1);
    return create(VK_NULL_HANDLE, VK_NULL_HANDLE, 3, infos, NULL, pipelines);
}

/* The shader that is counted in a pipeline; NULL when none is. */
static const struct ws_shader *counted(VkPipeline handle)
{
    const struct ws_pipeline *pipeline = ws_objects_find(&device, WS_OBJECT_PIPELINE, WS_HANDLE(handle));
    assert_non_null(pipeline);
    assert_true(pipeline->shader_count <= 1);
    return pipeline->shader_count == 1 ? pipeline->shaders[0] : NULL;
}

static void all_taken(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    assert_int_equal(create_three(pipelines), VK_SUCCESS);
    assert_int_equal(driver.calls, 1);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(counted(pipelines[i]), &shaders[i + 1]);
    assert_int_equal(pipelines_written, 3);
    assert_int_equal(pipelines_skipped, 0);
}

/* What runs with protected memory only must not write counters, which lie in other memory. */
static void protected_only(void **state)
{
    (void)state;
    PFN_vkCreateComputePipelines create =
        (PFN_vkCreateComputePipelines)hook(&ws_pipeline_compute_interception, "vkCreateComputePipelines");
    const VkComputePipelineCreateInfo info = {
        .flags = VK_PIPELINE_CREATE_PROTECTED_ACCESS_ONLY_BIT_EXT,
        .stage.module = (VkShaderModule)1,
    };
    VkPipeline pipeline;
    driver.refuse[1 + INSTRUMENTED] = true;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), VK_SUCCESS);
    assert_int_equal(driver.calls, 1);
    assert_null(counted(pipeline));
    assert_int_equal(pipelines_skipped, 1);
}

/* The driver does not take module 2 instrumented: only that one is made as it was. */
static void one_refused(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    driver.refuse[2 + INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_SUCCESS);
    assert_int_equal(driver.calls, 2);
    assert_int_equal(driver.destroyed, 2);
    assert_ptr_equal(counted(pipelines[0]), &shaders[1]);
    assert_null(counted(pipelines[1]));
    assert_ptr_equal(counted(pipelines[2]), &shaders[3]);
    assert_int_equal(pipelines_written, 3);
    assert_int_equal(pipelines_skipped, 1);
}

/* Module 2 is wrong by itself: the application hears of it, and has the others. */
static void the_application_is_wrong(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    driver.refuse[2] = driver.refuse[2 + INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_ERROR_UNKNOWN);
    assert_ptr_equal(pipelines[1], VK_NULL_HANDLE);
    assert_ptr_not_equal(pipelines[0], VK_NULL_HANDLE);
    assert_ptr_not_equal(pipelines[2], VK_NULL_HANDLE);
    assert_int_equal(pipelines_written, 2);
}

/* VK_PIPELINE_COMPILE_REQUIRED is no failure: what is there is kept, nothing is tried again. */
static void compile_required(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    driver.refusal = VK_PIPELINE_COMPILE_REQUIRED;
    driver.refuse[1 + INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_PIPELINE_COMPILE_REQUIRED);
    assert_int_equal(driver.calls, 1);
    assert_int_equal(driver.destroyed, 0);
    assert_ptr_equal(pipelines[0], VK_NULL_HANDLE);
    assert_int_equal(pipelines_written, 2);
}

/* Creates a ray-tracing pipeline of module 1 with an operation. */
static VkResult create_deferred(VkPipeline *pipeline)
{
    /* Static, since the application must keep them until the operation is complete. */
    static VkPipelineShaderStageCreateInfo stage;
    static VkRayTracingPipelineCreateInfoKHR info;
    stage.module = (VkShaderModule)1;
    info.stageCount = 1;
    info.pStages = &stage;
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    return create(VK_NULL_HANDLE, (VkDeferredOperationKHR)7, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

static VkResult call_join(void)
{
    return ((PFN_vkDeferredOperationJoinKHR)hook(&ws_deferred_interception, "vkDeferredOperationJoinKHR"))(
        VK_NULL_HANDLE, (VkDeferredOperationKHR)7);
}

static VkResult call_get_result(void)
{
    return ((PFN_vkGetDeferredOperationResultKHR)hook(
        &ws_deferred_interception, "vkGetDeferredOperationResultKHR"))(VK_NULL_HANDLE,
                                                                       (VkDeferredOperationKHR)7);
}

static void deferred_and_joined(void **state)
{
    (void)state;
    VkPipeline pipeline;
    driver.deferred = VK_OPERATION_DEFERRED_KHR;
    assert_int_equal(create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(call_get_result(), VK_NOT_READY);
    assert_int_equal(pipelines_written, 0);
    assert_int_equal(call_join(), VK_SUCCESS);
    assert_ptr_equal(counted(pipeline), &shaders[1]);
    assert_int_equal(call_get_result(), VK_SUCCESS);
    assert_int_equal(pipelines_written, 1);
}

static void deferred_and_refused(void **state)
{
    (void)state;
    VkPipeline pipeline;
    driver.deferred = VK_OPERATION_DEFERRED_KHR;
    driver.refuse[1 + INSTRUMENTED] = true;
    assert_int_equal(create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(call_join(), VK_SUCCESS);
    assert_int_equal(call_get_result(), VK_SUCCESS);
    assert_ptr_not_equal(pipeline, VK_NULL_HANDLE);
    assert_null(counted(pipeline));
    assert_int_equal(pipelines_skipped, 1);
}

/* Both ways to say that the work was done at once. */
static void not_deferred(void **state)
{
    (void)state;
    static const VkResult results[] = {VK_OPERATION_NOT_DEFERRED_KHR, VK_SUCCESS};
    for (int i = 0; i < 2; i++) {
        VkPipeline pipeline;
        driver.deferred = results[i];
        assert_int_equal(create_deferred(&pipeline), results[i]);
        assert_ptr_equal(counted(pipeline), &shaders[1]);
    }
    assert_int_equal(pipelines_written, 2);
}

/* Creates a ray-tracing pipeline of modules `first` to `first` + 2 with a general group of the first and a
 * hit group of the others, linked with `libraries`. */
static VkPipeline create_groups(uint64_t first, VkPipelineCreateFlags flags, uint32_t library_count,
                                const VkPipeline *libraries)
{
    VkPipelineShaderStageCreateInfo stages[3] = {0};
    for (uint64_t i = 0; i < 3; i++)
        stages[i].module = (VkShaderModule)(first + i);
    const VkRayTracingShaderGroupCreateInfoKHR list[] = {
        {.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
         .generalShader = 0,
         .closestHitShader = VK_SHADER_UNUSED_KHR,
         .anyHitShader = VK_SHADER_UNUSED_KHR,
         .intersectionShader = VK_SHADER_UNUSED_KHR},
        {.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR,
         .generalShader = VK_SHADER_UNUSED_KHR,
         .closestHitShader = 1,
         .anyHitShader = VK_SHADER_UNUSED_KHR,
         .intersectionShader = 2},
    };
    const VkPipelineLibraryCreateInfoKHR linked = {.libraryCount = library_count, .pLibraries = libraries};
    const VkRayTracingPipelineCreateInfoKHR info = {
        .flags = flags,
        .stageCount = 3,
        .pStages = stages,
        .groupCount = 2,
        .pGroups = list,
        .pLibraryInfo = &linked,
    };
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    VkPipeline pipeline;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
                     VK_SUCCESS);
    return pipeline;
}

/* Groups `index` and `index` + 1 are those of create_groups. */
static void assert_groups(uint32_t index, uint32_t first)
{
    const struct ws_shader_group *group = &group_list[index];
    assert_int_equal(group[0].type, VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR);
    assert_int_equal(group[0].general, 100 + first);
    assert_int_equal(group[0].closest_hit, WS_NONE);
    assert_int_equal(group[1].type, VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR);
    assert_int_equal(group[1].general, WS_NONE);
    assert_int_equal(group[1].closest_hit, 101 + first);
    assert_int_equal(group[1].any_hit, WS_NONE);
    assert_int_equal(group[1].intersection, 102 + first);
}

static void groups_of_a_pipeline(void **state)
{
    (void)state;
    create_groups(1, 0, 0, NULL);
    assert_int_equal(groups_written, 1);
    assert_int_equal(groups.pipeline, 0);
    assert_int_equal(groups.handle_size, HANDLE);
    assert_int_equal(groups.group_count, 2);
    assert_groups(0, 1);
    assert_int_equal(group_handles[0], 16);
    assert_int_equal(group_handles[HANDLE], 17);
    driver.no_handles = true;
    create_groups(4, 0, 0, NULL);
    assert_int_equal(groups.handle_size, 0);
    assert_groups(0, 4);
    settings.geometry = false;
    create_groups(1, 0, 0, NULL);
    assert_int_equal(groups_written, 2);
}

/* Its own groups, then those of its libraries in order, which may have libraries themselves. */
static void groups_of_libraries(void **state)
{
    (void)state;
    VkPipeline libraries[2];
    libraries[0] = create_groups(4, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, 0, NULL);
    assert_int_equal(groups.handle_size, 0);
    assert_int_equal(groups.group_count, 2);
    assert_groups(0, 4);
    libraries[1] = create_groups(7, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, 1, libraries);
    assert_int_equal(groups.group_count, 4);
    create_groups(1, 0, 2, libraries);
    assert_int_equal(groups.pipeline, 2);
    assert_int_equal(groups.group_count, 8);
    assert_groups(0, 1);
    assert_groups(2, 4);
    assert_groups(4, 7);
    assert_groups(6, 4);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(group_handles[i * HANDLE], 16 * 3 + i);
}

/* A pipeline that runs as the application made it has the same groups. */
static void groups_of_a_refused_pipeline(void **state)
{
    (void)state;
    driver.refuse[1 + INSTRUMENTED] = true;
    create_groups(1, 0, 0, NULL);
    assert_int_equal(groups_written, 1);
    assert_groups(0, 1);
    assert_int_equal(group_handles[0], 16);
}

/* They are written with the pipeline, when the operation is complete. */
static void groups_of_a_deferred_pipeline(void **state)
{
    (void)state;
    VkPipeline pipeline;
    driver.deferred = VK_OPERATION_DEFERRED_KHR;
    assert_int_equal(create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(groups_written, 0);
    assert_int_equal(call_join(), VK_SUCCESS);
    assert_int_equal(groups_written, 1);
    assert_int_equal(groups.group_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(protected_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_application_is_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compile_required, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deferred_and_joined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deferred_and_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_deferred, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_a_pipeline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_libraries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_a_refused_pipeline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_a_deferred_pipeline, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
