/* The shader groups of ray tracing pipelines: what the capture is told of them. */
#include "tests/unit/layer/shader/mock_pipelines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/instrument.h"

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
    PFN_vkCreateRayTracingPipelinesKHR create = (PFN_vkCreateRayTracingPipelinesKHR)mock_hook(
        &ws_pipeline_ray_tracing_interception, "vkCreateRayTracingPipelinesKHR");
    VkPipeline pipeline;
    assert_int_equal(create(VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
                     VK_SUCCESS);
    return pipeline;
}

/* Groups `index` and `index` + 1 are those of create_groups. */
static void assert_groups(uint32_t index, uint32_t first)
{
    const struct ws_shader_group *group = &mock_group_list[index];
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
    assert_int_equal(mock_groups_written, 1);
    assert_int_equal(mock_groups.pipeline, 0);
    assert_int_equal(mock_groups.handle_size, MOCK_HANDLE);
    assert_int_equal(mock_groups.group_count, 2);
    assert_groups(0, 1);
    assert_int_equal(mock_group_handles[0], 16);
    assert_int_equal(mock_group_handles[MOCK_HANDLE], 17);
    mock_driver.no_handles = true;
    create_groups(4, 0, 0, NULL);
    assert_int_equal(mock_groups.handle_size, 0);
    assert_groups(0, 4);
    mock_settings.geometry = false;
    create_groups(1, 0, 0, NULL);
    assert_int_equal(mock_groups_written, 2);
}

/* Its own groups, then those of its libraries in order, which may have libraries themselves. */
static void groups_of_libraries(void **state)
{
    (void)state;
    VkPipeline libraries[2];
    libraries[0] = create_groups(4, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, 0, NULL);
    assert_int_equal(mock_groups.handle_size, 0);
    assert_int_equal(mock_groups.group_count, 2);
    assert_groups(0, 4);
    libraries[1] = create_groups(7, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, 1, libraries);
    assert_int_equal(mock_groups.group_count, 4);
    create_groups(1, 0, 2, libraries);
    assert_int_equal(mock_groups.pipeline, 2);
    assert_int_equal(mock_groups.group_count, 8);
    assert_groups(0, 1);
    assert_groups(2, 4);
    assert_groups(4, 7);
    assert_groups(6, 4);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(mock_group_handles[i * MOCK_HANDLE], 16 * 3 + i);
}

/* A pipeline that runs as the application made it has the same mock_groups. */
static void groups_of_a_refused_pipeline(void **state)
{
    (void)state;
    mock_driver.refuse[1 + MOCK_INSTRUMENTED] = true;
    create_groups(1, 0, 0, NULL);
    assert_int_equal(mock_groups_written, 1);
    assert_groups(0, 1);
    assert_int_equal(mock_group_handles[0], 16);
}

/* They are written with the pipeline, when the operation is complete. */
static void groups_of_a_deferred_pipeline(void **state)
{
    (void)state;
    VkPipeline pipeline;
    mock_driver.deferred = VK_OPERATION_DEFERRED_KHR;
    assert_int_equal(mock_create_deferred(&pipeline), VK_OPERATION_DEFERRED_KHR);
    assert_int_equal(mock_groups_written, 0);
    assert_int_equal(mock_join(), VK_SUCCESS);
    assert_int_equal(mock_groups_written, 1);
    assert_int_equal(mock_groups.group_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups_of_a_pipeline, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(groups_of_libraries, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(groups_of_a_refused_pipeline, mock_set_up, mock_tear_down),
        cmocka_unit_test_setup_teardown(groups_of_a_deferred_pipeline, mock_set_up, mock_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
