/* What the layer makes of a driver's answers when pipelines are created: refusals, partial failures and
 * deferred operations. */
#include "tests/unit/layer/shader/mock_pipelines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/objects.h"
#include "layer/shader/pipeline.h"

/* Creates compute pipelines of modules 1, 2 and 3. */
static VkResult create_three(VkPipeline pipelines[3])
{
    PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)mock_hook(
        &ws_pipeline_compute_interception, "vkCreateComputePipelines");
    VkComputePipelineCreateInfo infos[3] = {0};
    for (uint64_t i = 0; i < 3; i++)
        infos[i].stage.module = (VkShaderModule)(i + 1);
    return create(VK_NULL_HANDLE, VK_NULL_HANDLE, 3, infos, NULL, pipelines);
}

/* The shader that is counted in a pipeline; NULL when none is. */
static const struct ws_shader *counted(VkPipeline handle)
{
    const struct ws_pipeline *pipeline = ws_objects_find(&mock_device, WS_OBJECT_PIPELINE, WS_HANDLE(handle));
    assert_non_null(pipeline);
    assert_true(pipeline->shader_count <= 1);
    return pipeline->shader_count == 1 ? pipeline->shaders[0] : NULL;
}

static void all_taken(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    mock_instance.watch = (struct ws_watch *)&mock_instance;
    assert_int_equal(create_three(pipelines), VK_SUCCESS);
    assert_int_equal(mock_driver.calls, 1);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(counted(pipelines[i]), &mock_shaders[i + 1]);
    assert_int_equal(mock_pipelines_written, 3);
    assert_int_equal(mock_pipelines_skipped, 0);
    assert_int_equal(mock_watched_begun, 1);
    assert_int_equal(mock_watched_ended, 1);
}

/* What runs with protected memory only must not write counters, which lie in other memory. */
static void protected_only(void **state)
{
    (void)state;
    PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)mock_hook(
        &ws_pipeline_compute_interception, "vkCreateComputePipelines");
    const VkComputePipelineCreateInfo info = {
        .flags = VK_PIPELINE_CREATE_PROTECTED_ACCESS_ONLY_BIT_EXT,
        .stage.module = (VkShaderModule)1,
    };
    VkPipeline pipeline;
    mock_driver.refuse[1 + MOCK_INSTRUMENTED] = true;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), VK_SUCCESS);
    assert_int_equal(mock_driver.calls, 1);
    assert_null(counted(pipeline));
    assert_int_equal(mock_pipelines_skipped, 1);
}

/* Without SPIR-V of its own; with a binary that the application may use without Warpscope; chosen by the device: each runs as
 * it is, and is counted. The driver would refuse it otherwise. */
static void cannot_be_instrumented(void **state)
{
    (void)state;
    PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)mock_hook(
        &ws_pipeline_compute_interception, "vkCreateComputePipelines");
    const VkPipelineBinaryInfoKHR binaries = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR,
                                              .binaryCount = 1};
    const VkPipelineCreateFlags2CreateInfoKHR kept = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
        .flags = VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR};
    const VkBaseInStructure chosen = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV};
    const void *const chains[] = {&binaries, &kept, &chosen};
    mock_driver.refuse[1 + MOCK_INSTRUMENTED] = true;
    for (uint32_t i = 0; i < 3; i++) {
        const VkComputePipelineCreateInfo info = {.pNext = chains[i], .stage.module = (VkShaderModule)1};
        VkPipeline pipeline;
        assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), VK_SUCCESS);
        assert_int_equal(mock_driver.calls, i + 1);
        assert_null(counted(pipeline));
        assert_int_equal(mock_pipelines_skipped, i + 1);
    }
}

/* No binary at all is as without (VkPipelineBinaryInfoKHR, binaryCount). */
static void of_no_binaries(void **state)
{
    (void)state;
    PFN_vkCreateComputePipelines create = (PFN_vkCreateComputePipelines)mock_hook(
        &ws_pipeline_compute_interception, "vkCreateComputePipelines");
    const VkPipelineBinaryInfoKHR none = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR};
    const VkComputePipelineCreateInfo info = {.pNext = &none, .stage.module = (VkShaderModule)1};
    VkPipeline pipeline;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), VK_SUCCESS);
    assert_ptr_equal(counted(pipeline), &mock_shaders[1]);
    assert_int_equal(mock_pipelines_skipped, 0);
}

/* The driver does not take module 2 instrumented: only that one is made as it was. */
static void one_refused(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    mock_driver.refuse[2 + MOCK_INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_SUCCESS);
    assert_int_equal(mock_driver.calls, 2);
    assert_int_equal(mock_driver.destroyed, 2);
    assert_ptr_equal(counted(pipelines[0]), &mock_shaders[1]);
    assert_null(counted(pipelines[1]));
    assert_ptr_equal(counted(pipelines[2]), &mock_shaders[3]);
    assert_int_equal(mock_pipelines_written, 3);
    assert_int_equal(mock_pipelines_skipped, 1);
}

/* Module 2 is wrong by itself: the application hears of it, and has the others. */
static void the_application_is_wrong(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    mock_driver.refuse[2] = mock_driver.refuse[2 + MOCK_INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_ERROR_UNKNOWN);
    assert_ptr_equal(pipelines[1], VK_NULL_HANDLE);
    assert_ptr_not_equal(pipelines[0], VK_NULL_HANDLE);
    assert_ptr_not_equal(pipelines[2], VK_NULL_HANDLE);
    assert_int_equal(mock_pipelines_written, 2);
}

/* VK_PIPELINE_COMPILE_REQUIRED is no failure: what is there is kept, nothing is tried again. */
static void compile_required(void **state)
{
    (void)state;
    VkPipeline pipelines[3];
    mock_driver.refusal = VK_PIPELINE_COMPILE_REQUIRED;
    mock_driver.refuse[1 + MOCK_INSTRUMENTED] = true;
    assert_int_equal(create_three(pipelines), VK_PIPELINE_COMPILE_REQUIRED);
    assert_int_equal(mock_driver.calls, 1);
    assert_int_equal(mock_driver.destroyed, 0);
    assert_ptr_equal(pipelines[0], VK_NULL_HANDLE);
    assert_int_equal(mock_pipelines_written, 2);
}

static VkResult call_get_result(void)
{
    return ((PFN_vkGetDeferredOperationResultKHR)mock_hook(
        &ws_deferred_interception, "vkGetDeferredOperationResultKHR"))(VK_NULL_HANDLE,
                                                                       (VkDeferredOperationKHR)7);
}

static void deferred_and_joined(void **state)
{
    (void)state;
    VkPipeline pipeline;
    mock_driver.deferred = VK_OPERATION_DEFERRED_KHR;
    assert_int_equal(mock_create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(call_get_result(), VK_NOT_READY);
    assert_int_equal(mock_pipelines_written, 0);
    assert_int_equal(mock_join(), VK_SUCCESS);
    assert_ptr_equal(counted(pipeline), &mock_shaders[1]);
    assert_int_equal(call_get_result(), VK_SUCCESS);
    assert_int_equal(mock_pipelines_written, 1);
}

static void deferred_and_refused(void **state)
{
    (void)state;
    VkPipeline pipeline;
    mock_driver.deferred = VK_OPERATION_DEFERRED_KHR;
    mock_driver.refuse[1 + MOCK_INSTRUMENTED] = true;
    assert_int_equal(mock_create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(mock_join(), VK_SUCCESS);
    assert_int_equal(call_get_result(), VK_SUCCESS);
    assert_ptr_not_equal(pipeline, VK_NULL_HANDLE);
    assert_null(counted(pipeline));
    assert_int_equal(mock_pipelines_skipped, 1);
}

/* Both ways to say that the work was done at once. */
static void not_deferred(void **state)
{
    (void)state;
    static const VkResult results[] = {VK_OPERATION_NOT_DEFERRED_KHR, VK_SUCCESS};
    for (int i = 0; i < 2; i++) {
        VkPipeline pipeline;
        mock_driver.deferred = results[i];
        assert_int_equal(mock_create_deferred(&pipeline), results[i]);
        assert_ptr_equal(counted(pipeline), &mock_shaders[1]);
    }
    assert_int_equal(mock_pipelines_written, 2);
}

/* Instrumented hit shaders may read 8 bytes of attributes. That there is room for them is said of every
 * pipeline that may be linked, whether the driver takes it instrumented or not. */
static void room_for_attributes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{0, 8}, {4, 8}, {8, 8}, {32, 32}};
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)mock_hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    for (int i = 0; i < 8; i++) {
        const VkPipelineShaderStageCreateInfo stage = {.module = (VkShaderModule)1};
        const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {.maxPipelineRayHitAttributeSize =
                                                                          sizes[i / 2][0]};
        const VkRayTracingPipelineCreateInfoKHR info = {
            .stageCount = 1, .pStages = &stage, .pLibraryInterface = &interface};
        VkPipeline pipeline;
        mock_driver.refuse[1 + MOCK_INSTRUMENTED] = i % 2 != 0;
        assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
                         VK_SUCCESS);
        assert_int_equal(mock_driver.attribute_size, sizes[i / 2][1]);
    }
    assert_int_equal(mock_driver.calls, 4 + 2 * 4);
}

/* With pass time alone nothing of a pipeline is changed. */
static void nothing_is_instrumented(void **state)
{
    (void)state;
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)mock_hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    const VkPipelineShaderStageCreateInfo stage = {.module = (VkShaderModule)1};
    const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {.maxPipelineRayHitAttributeSize = 4};
    const VkRayTracingPipelineCreateInfoKHR info = {
        .stageCount = 1, .pStages = &stage, .pLibraryInterface = &interface};
    VkPipeline pipeline;
    mock_settings.instruments = false;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
                     VK_SUCCESS);
    assert_int_equal(mock_driver.attribute_size, 4);
}

/* Whatever cannot be allocated: the shaders of a pipeline that runs instrumented keep what they count in. */
static void no_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (uint32_t fails_at = 1; failed; fails_at++) {
        VkPipeline pipelines[3];
        mock_driver.allocated = 0;
        mock_driver.fails_at = fails_at;
        assert_int_equal(create_three(pipelines), VK_SUCCESS);
        failed = mock_driver.allocated >= fails_at;
        mock_driver.fails_at = 0;
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(mock_shaders[i + 1].references, mock_driver.instrumented ? 1 : 0);
            mock_shaders[i + 1].references = 0;
            struct ws_pipeline *pipeline =
                ws_objects_remove(&mock_device, WS_OBJECT_PIPELINE, WS_HANDLE(pipelines[i]));
            if (pipeline != NULL)
                pipeline->shader_count = 0;
            ws_pipeline_destroy(pipeline);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_taken, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_instrumented, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(protected_only, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(cannot_be_instrumented, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(of_no_binaries, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(one_refused, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(the_application_is_wrong, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(compile_required, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(deferred_and_joined, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(deferred_and_refused, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(not_deferred, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(room_for_attributes, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(no_memory, mock_set_up, mock_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
