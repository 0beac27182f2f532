/* Which of the pipelines and shader objects that were bound a draw runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/core/objects.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/objects.h"

#define HOOK(name) ((PFN_vk##name)mock_hook("vk" #name))

static VKAPI_ATTR void VKAPI_CALL cmd_bind_group(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                 VkPipeline pipeline, uint32_t group)
{
    (void)commands, (void)point, (void)pipeline, (void)group;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_shaders(VkCommandBuffer commands, uint32_t count,
                                                   const VkShaderStageFlagBits *stages,
                                                   const VkShaderEXT *shaders)
{
    (void)commands, (void)count, (void)stages, (void)shaders;
}

/* The shaders of the mock's pipelines are shader objects as well. */
static VkShaderEXT shader_object(uint32_t index)
{
    return (VkShaderEXT)mock_pipeline(index);
}

static int setup(void **state)
{
    (void)state;
    mock_init(1);
    mock_layer_device.next.CmdBindPipelineShaderGroupNV = cmd_bind_group;
    mock_layer_device.next.CmdBindShadersEXT = cmd_bind_shaders;
    for (uint32_t i = 0; i < 2; i++) {
        void *pipeline = ws_objects_find(&mock_layer_device, WS_OBJECT_PIPELINE, WS_HANDLE(mock_pipeline(i)));
        assert_true(
            ws_objects_add(&mock_layer_device, WS_OBJECT_SHADER, WS_HANDLE(shader_object(i)), pipeline));
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        ws_objects_remove(&mock_layer_device, WS_OBJECT_SHADER, WS_HANDLE(shader_object(i)));
    mock_finish();
    return 0;
}

static void bind_shader(VkCommandBuffer commands, VkShaderStageFlagBits stage, uint32_t index)
{
    const VkShaderEXT shader = shader_object(index);
    HOOK(CmdBindShadersEXT)(commands, 1, &stage, &shader);
}

/* How many shaders a draw runs behind a fragment shader object of the second shader, a pipeline, and a vertex shader object of
 * the first. */
static uint32_t drawn_behind_a_pipeline(bool by_group)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkRenderingInfo rendering = {.renderArea = {.extent = {8, 8}}, .layerCount = 1};
    HOOK(CmdBeginRendering)(commands, &rendering);
    bind_shader(commands, VK_SHADER_STAGE_FRAGMENT_BIT, 1);
    if (by_group) {
        const PFN_vkCmdBindPipelineShaderGroupNV bind_group = HOOK(CmdBindPipelineShaderGroupNV);
        bind_group(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, mock_pipeline(0), 0);
    } else {
        const PFN_vkCmdBindPipeline bind = HOOK(CmdBindPipeline);
        bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, mock_pipeline(0));
    }
    bind_shader(commands, VK_SHADER_STAGE_VERTEX_BIT, 0);
    mock_draw(commands, 3);
    HOOK(CmdEndRendering)(commands);
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
    assert_int_equal(mock.written_count, 1);
    return mock.written[0].shader_count;
}

/* Binding a pipeline unbinds shader objects, however it is bound. */
static void test_a_pipeline_unbinds(void **state)
{
    (void)state;
    assert_int_equal(drawn_behind_a_pipeline(false), 1);
}

static void test_a_group_of_a_pipeline_unbinds(void **state)
{
    (void)state;
    assert_int_equal(drawn_behind_a_pipeline(true), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_pipeline_unbinds),
        TEST(test_a_group_of_a_pipeline_unbinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
