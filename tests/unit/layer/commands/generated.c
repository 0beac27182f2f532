/* Commands that the device wrote: what an execution uses, by whom it is bound or chosen, and what is said where that is not
 * known. The mock driver takes indirectAddress for the number of groups that shader 0 runs, and preprocessAddress for that
 * of shader 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/objects.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/objects.h"

#define HOOK(name) ((PFN_vk##name)mock_hook("vk" #name))

static char set_made, layout_made;
static VkIndirectExecutionSetEXT set;

static void run_both(VkCommandBuffer commands, uint64_t first, uint64_t second)
{
    mock_add_operation(
        commands, (struct operation){.kind = DISPATCH, .groups = (uint32_t)first, .shader = &mock_shader});
    if (second > 0)
        mock_add_operation(
            commands,
            (struct operation){.kind = DISPATCH, .groups = (uint32_t)second, .shader = &mock_other_shader});
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute(VkCommandBuffer commands, VkBool32 preprocessed,
                                              const VkGeneratedCommandsInfoEXT *info)
{
    (void)preprocessed;
    run_both(commands, info->indirectAddress, info->preprocessAddress);
}

static VKAPI_ATTR void VKAPI_CALL cmd_execute_nv(VkCommandBuffer commands, VkBool32 preprocessed,
                                                 const VkGeneratedCommandsInfoNV *info)
{
    (void)preprocessed;
    run_both(commands, info->sequencesCount, 0);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_set(VkDevice device,
                                                 const VkIndirectExecutionSetCreateInfoEXT *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkIndirectExecutionSetEXT *made)
{
    (void)device, (void)info, (void)allocator;
    *made = (VkIndirectExecutionSetEXT)&set_made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_set(VkDevice device, VkIndirectExecutionSetEXT destroyed,
                                              const VkAllocationCallbacks *allocator)
{
    (void)device, (void)destroyed, (void)allocator;
}

static VKAPI_ATTR void VKAPI_CALL update(VkDevice device, VkIndirectExecutionSetEXT updated, uint32_t count,
                                         const VkWriteIndirectExecutionSetPipelineEXT *writes)
{
    (void)device, (void)updated, (void)count, (void)writes;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_layout(VkDevice device,
                                                    const VkIndirectCommandsLayoutCreateInfoNV *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkIndirectCommandsLayoutNV *made)
{
    (void)device, (void)info, (void)allocator;
    *made = (VkIndirectCommandsLayoutNV)&layout_made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_layout(VkDevice device, VkIndirectCommandsLayoutNV destroyed,
                                                 const VkAllocationCallbacks *allocator)
{
    (void)device, (void)destroyed, (void)allocator;
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    struct ws_device_dispatch *next = &mock_layer_device.next;
    next->CmdExecuteGeneratedCommandsEXT = cmd_execute;
    next->CmdExecuteGeneratedCommandsNV = cmd_execute_nv;
    next->CreateIndirectExecutionSetEXT = create_set;
    next->DestroyIndirectExecutionSetEXT = destroy_set;
    next->UpdateIndirectExecutionSetPipelineEXT = update;
    next->CreateIndirectCommandsLayoutNV = create_layout;
    next->DestroyIndirectCommandsLayoutNV = destroy_layout;
    set = VK_NULL_HANDLE;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (set != VK_NULL_HANDLE)
        HOOK(DestroyIndirectExecutionSetEXT)(mock_device(), set, NULL);
    mock_finish();
    return 0;
}

/* A set of two, with the first pipeline in it. */
static void make_set(void)
{
    const VkIndirectExecutionSetPipelineInfoEXT initial = {.initialPipeline = mock_pipeline(0),
                                                           .maxPipelineCount = 2};
    const VkIndirectExecutionSetCreateInfoEXT info = {
        .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, .info.pPipelineInfo = &initial};
    assert_int_equal(HOOK(CreateIndirectExecutionSetEXT)(mock_device(), &info, NULL, &set), VK_SUCCESS);
}

static void put(uint32_t index, VkPipeline pipeline)
{
    const VkWriteIndirectExecutionSetPipelineEXT write = {.index = index, .pipeline = pipeline};
    HOOK(UpdateIndirectExecutionSetPipelineEXT)(mock_device(), set, 1, &write);
}

static VkCommandBuffer executing(VkIndirectExecutionSetEXT of, uint32_t first, uint32_t second)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkGeneratedCommandsInfoEXT info = {.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .indirectExecutionSet = of,
                                             .indirectAddress = first,
                                             .preprocessAddress = second};
    HOOK(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, mock_pipeline(0));
    HOOK(CmdExecuteGeneratedCommandsEXT)(commands, VK_FALSE, &info);
    mock_end(commands);
    return commands;
}

/* What the next launch of the second shader, of that many groups, counts. */
static uint32_t counted_after(uint32_t groups)
{
    mock_submit_one(mock_dispatching_other(groups));
    mock_run_all();
    assert_true(mock.written_count > 0);
    return mock.written[mock.written_count - 1].counted;
}

static void test_what_is_bound(void **state)
{
    (void)state;
    mock_submit_one(executing(VK_NULL_HANDLE, 5, 0));
    mock_run_all();
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.written[0].counted, 5);
    assert_int_equal(mock.skipped, 0);
}

/* The rows of both are copied and cleared. */
static void test_what_is_chosen(void **state)
{
    (void)state;
    make_set();
    put(1, mock_pipeline(1));
    mock_submit_one(executing(set, 5, 7));
    mock_run_all();
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(counted_after(2), 2);
    assert_int_equal(mock.skipped, 0);
    assert_int_equal(mock.said_count, 0);
}

static void test_what_comes_late(void **state)
{
    (void)state;
    make_set();
    assert_int_equal(counted_after(1), 1);
    VkCommandBuffer commands = executing(set, 5, 7);
    put(1, mock_pipeline(0)); /* which is in it already */
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written[mock.written_count - 1].counted, 5);
    assert_int_equal(counted_after(2), 2 + 7); /* nothing said that the other shader could run */
    put(1, mock_pipeline(1));
    assert_int_equal(mock.said_count, 0);
    for (uint32_t i = 0; i < 2; i++) { /* in each execution of the command buffer */
        mock_submit_one(commands);
        mock_run_all();
        const struct mock_written *launch = &mock.written[mock.written_count - 1];
        assert_int_equal(launch->shader_count, 2);
        assert_int_equal(launch->pipeline_count, 2);
        assert_int_equal(launch->counts[0], 5);
        assert_int_equal(launch->counts[1], 7);
        assert_int_equal(counted_after(2), 2);
    }
    assert_int_equal(mock.skipped, 0);
}

/* Where there is no memory for what came late the launch is lost. What the other shader counted in it is nobody's then, and
 * neither that of the next launch. */
static void test_late_without_memory(void **state)
{
    uint32_t lost = 0;
    bool failed = true;
    (void)state;
    make_set();
    assert_int_equal(counted_after(1), 1);
    VkCommandBuffer commands = executing(set, 5, 7);
    put(1, mock_pipeline(1));
    for (uint32_t at = 1; failed; at++) {
        const uint32_t before = mock.written_count;
        mock.host_made = 0;
        mock.host_fails_at = at;
        mock_submit_one(commands);
        failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        mock_run_all();
        lost += mock.written_count == before;
        if (mock.written_count > before && mock.written[before].shader_count == 2)
            assert_int_equal(mock.written[before].counts[1], 7);
        assert_int_equal(counted_after(2), 2);
    }
    assert_true(lost > 3);
}

/* The application destroys a pipeline that stands in the set. Its shaders are kept until the place has another one, and a
 * command buffer that chose from them needs no pipeline. */
static void test_a_pipeline_that_is_gone(void **state)
{
    (void)state;
    const uint32_t before = mock_other_shader.references;
    make_set();
    VkCommandBuffer commands = executing(set, 5, 7);
    put(1, mock_pipeline(1));
    assert_int_equal(mock_other_shader.references, before + 1);
    void *pipeline = ws_objects_remove(&mock_layer_device, WS_OBJECT_PIPELINE, WS_HANDLE(mock_pipeline(1)));
    assert_non_null(pipeline);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written[0].shader_count, 2);
    assert_int_equal(mock.written[0].counts[1], 7);
    assert_true(
        ws_objects_add(&mock_layer_device, WS_OBJECT_PIPELINE, WS_HANDLE(mock_pipeline(1)), pipeline));
    put(1, mock_pipeline(0));
    assert_int_equal(mock_other_shader.references, before);
}

/* Of two executions in a command buffer the second counts what came late. */
static void test_late_for_several(void **state)
{
    (void)state;
    make_set();
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    HOOK(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, mock_pipeline(0));
    for (uint32_t i = 0; i < 2; i++) {
        const VkGeneratedCommandsInfoEXT info = {.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
                                                 .indirectExecutionSet = set,
                                                 .indirectAddress = 5,
                                                 .preprocessAddress = 7};
        HOOK(CmdExecuteGeneratedCommandsEXT)(commands, VK_FALSE, &info);
    }
    mock_end(commands);
    put(1, mock_pipeline(1));
    assert_int_equal(mock.said_count, 1);
    assert_non_null(strstr(mock.said, "the last counts what all of them run"));
    put(0, mock_pipeline(1));
    assert_int_equal(mock.said_count, 1);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written_count, 2);
    assert_int_equal(mock.written[0].shader_count, 1);
    assert_int_equal(mock.written[0].counted, 5);
    assert_int_equal(mock.written[1].shader_count, 2);
    assert_int_equal(mock.written[1].counts[0], 5);
    assert_int_equal(mock.written[1].counts[1], 14);
    assert_int_equal(counted_after(2), 2);
}

static void test_a_place_outside_the_set(void **state)
{
    (void)state;
    make_set();
    put(2, mock_pipeline(1));
    put(UINT32_MAX, mock_pipeline(1));
    mock_submit_one(executing(set, 5, 0));
    mock_run_all();
    assert_int_equal(mock.written[0].counted, 5);
}

/* No memory for it when it was made. */
static void test_a_set_that_is_not_known(void **state)
{
    (void)state;
    mock.host_fails_at = mock.host_made + 1;
    make_set();
    assert_int_equal(mock.said_count, 1);
    put(1, mock_pipeline(1));
    mock_submit_one(executing(set, 5, 0));
    mock_run_all();
    assert_int_equal(mock.written[0].counted, 5);
    assert_int_equal(mock.skipped, 1);
}

/* Of VK_NV_device_generated_commands: with and without a choice. */
static void test_choices_that_are_not_instrumented(void **state)
{
    (void)state;
    static const VkIndirectCommandsTokenTypeNV tokens[] = {
        VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV, VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV,
        VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV, VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV};
    static const uint64_t skipped[] = {0, 1, 2, 2};
    for (uint32_t i = 0; i < 4; i++) {
        const VkIndirectCommandsLayoutTokenNV token = {.tokenType = tokens[i]};
        const VkIndirectCommandsLayoutCreateInfoNV info = {.tokenCount = 1, .pTokens = &token};
        VkIndirectCommandsLayoutNV layout;
        assert_int_equal(HOOK(CreateIndirectCommandsLayoutNV)(mock_device(), &info, NULL, &layout),
                         VK_SUCCESS);
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        HOOK(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, mock_pipeline(0));
        const VkGeneratedCommandsInfoNV generated = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
                                                     .indirectCommandsLayout = layout,
                                                     .sequencesCount = i + 1};
        HOOK(CmdExecuteGeneratedCommandsNV)(commands, VK_FALSE, &generated);
        mock_end(commands);
        mock_submit_one(commands);
        mock_run_all();
        HOOK(DestroyIndirectCommandsLayoutNV)(mock_device(), layout, NULL);
        assert_int_equal(mock.written_count, i + 1);
        assert_int_equal(mock.written[i].counted, i + 1);
        assert_int_equal(mock.skipped, skipped[i]);
    }
}

/* Draws are part of the render pass's launch, also where they are all that it draws. */
static void test_draws(void **state)
{
    (void)state;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkGeneratedCommandsInfoEXT info = {
        .shaderStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, .indirectAddress = 6};
    const VkRenderingInfo rendering = {.renderArea = {.extent = {8, 8}}, .layerCount = 1};
    HOOK(CmdBeginRendering)(commands, &rendering);
    HOOK(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, mock_pipeline(0));
    HOOK(CmdExecuteGeneratedCommandsEXT)(commands, VK_FALSE, &info);
    HOOK(CmdEndRendering)(commands);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written_count, 1);
    assert_int_equal(mock.written[0].counted, 6);
    assert_int_equal(mock.skipped, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_bound),
        TEST(test_what_is_chosen),
        TEST(test_what_comes_late),
        TEST(test_late_without_memory),
        TEST(test_a_pipeline_that_is_gone),
        TEST(test_late_for_several),
        TEST(test_a_place_outside_the_set),
        TEST(test_a_set_that_is_not_known),
        TEST(test_choices_that_are_not_instrumented),
        TEST(test_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
