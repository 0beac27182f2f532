/* Immutable samplers of layouts, and what sets have of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/resources/set_content.h"
#include "warpscope/instrument.h"

#define SAMPLER(n) ((VkSampler)(uintptr_t)(n))

/* Sampler n has the words n and 10 n. */
static struct ws_sampler_words find(struct ws_device *device, VkSampler sampler)
{
    (void)device;
    const uint64_t number = (uint64_t)(uintptr_t)sampler;
    return (struct ws_sampler_words){number, 10 * number};
}

static const VkSampler samplers[] = {SAMPLER(1), SAMPLER(2), SAMPLER(3)};

/* Binding 0 has two samplers, 1 a buffer, 2 an image with a sampler. */
static const VkDescriptorSetLayoutBinding sampling[] = {
    {0, VK_DESCRIPTOR_TYPE_SAMPLER, 2, VK_SHADER_STAGE_ALL, samplers},
    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL},
    {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, &samplers[2]},
};

static struct ws_set_layout *make(const VkDescriptorSetLayoutBinding *bindings, uint32_t count)
{
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings,
    };
    struct ws_set_layout *layout = ws_set_layout_create(&info, find, NULL);
    assert_non_null(layout);
    return layout;
}

static void check(const struct ws_set *set, uint32_t slot, bool written, uint64_t number)
{
    assert_true(set->slots[slot].written == written);
    assert_int_equal(set->slots[slot].offset, number);
    assert_int_equal(set->slots[slot].range, 10 * number);
}

/* Samplers alone are there without a write; an image has its sampler whatever a write says of it. */
static void test_sets_have_immutable_samplers(void **state)
{
    (void)state;
    struct ws_set_layout *layout = make(sampling, 3);
    struct ws_set *set = ws_set_create(layout, UINT32_MAX);
    const struct ws_slot image = {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                  .resource = 7,
                                  .written = true,
                                  .offset = 99,
                                  .range = 99};
    assert_non_null(set);
    check(set, 0, true, 1);
    check(set, 1, true, 2);
    check(set, 2, false, 0);
    check(set, 3, false, 3);
    ws_set_put(set, 3, &image);
    check(set, 3, true, 3);
    assert_int_equal(set->slots[3].resource, 7);
    assert_int_equal(set->slots[0].resource, WS_NONE);
    ws_set_release(set);
    ws_set_layout_release(layout);
}

/* They stand behind the bindings in memory, however many these are. */
static void test_samplers_are_aligned(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 3; count++) {
        struct ws_set_layout *layout = make(sampling, count);
        assert_int_equal((uintptr_t)layout->samplers % _Alignof(struct ws_sampler_words), 0);
        ws_set_layout_release(layout);
    }
}

/* The order in which an application names bindings means nothing; their samplers do. */
static void test_layouts_are_equal_by_binding(void **state)
{
    (void)state;
    const VkDescriptorSetLayoutBinding turned[] = {sampling[2], sampling[1], sampling[0]};
    VkDescriptorSetLayoutBinding other[] = {sampling[0], sampling[1], sampling[2]};
    VkDescriptorSetLayoutBinding own[] = {sampling[0], sampling[1], sampling[2]};
    other[2].pImmutableSamplers = &samplers[0];
    own[2].pImmutableSamplers = NULL;
    struct ws_set_layout *layouts[] = {make(sampling, 3), make(turned, 3), make(other, 3), make(own, 3)};
    assert_true(ws_set_layout_equals(layouts[0], layouts[1]));
    assert_false(ws_set_layout_equals(layouts[0], layouts[2]));
    assert_false(ws_set_layout_equals(layouts[0], layouts[3]));
    assert_false(ws_set_layout_equals(layouts[3], layouts[0]));
    for (uint32_t i = 0; i < 4; i++)
        ws_set_layout_release(layouts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_have_immutable_samplers),
        cmocka_unit_test(test_samplers_are_aligned),
        cmocka_unit_test(test_layouts_are_equal_by_binding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
