/* What launches had bound, by every way in which descriptors are written, as it stands when they are submitted. Each test
 * dispatches with set 0 bound and says, from the calls alone, what the capture must have of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/vulkan_newer.h"
#include "layer/resources/resource.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/bound.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/sampler.h"

#define HOOK(name) ((PFN_vk##name)mock_hook("vk" #name))
#define BUFFERS    4
#define SIZE       65536u

/* Allocation 0; buffers 1 to 4 in it, each 16 bytes behind the one before. */
static VkDeviceMemory memory;
static VkBuffer buffers[BUFFERS];
static VkDescriptorPool pool;

static VkBuffer make_buffer(void)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 1024,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    assert_int_equal(HOOK(CreateBuffer)(mock_device(), &info, NULL, &buffer), VK_SUCCESS);
    return buffer;
}

static int set_up(void **state)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = SIZE, .memoryTypeIndex = 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    (void)state;
    mock_init(1);
    mock_bound_init();
    assert_int_equal(HOOK(AllocateMemory)(mock_device(), &info, NULL, &memory), VK_SUCCESS);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = make_buffer();
        assert_int_equal(HOOK(BindBufferMemory)(mock_device(), buffers[i], memory, 16 * i), VK_SUCCESS);
    }
    assert_int_equal(HOOK(CreateDescriptorPool)(mock_device(), &pool_info, NULL, &pool), VK_SUCCESS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mock_run_all();
    for (uint32_t i = 0; i < BUFFERS; i++)
        HOOK(DestroyBuffer)(mock_device(), buffers[i], NULL);
    HOOK(FreeMemory)(mock_device(), memory, NULL);
    mock_finish();
    return 0;
}

/* ---- an application ---- */

static VkDescriptorSetLayout make_layout(uint32_t count, const VkDescriptorSetLayoutBinding *bindings,
                                         const VkDescriptorBindingFlags *flags)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags,
    };
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = flags != NULL ? &more : NULL,
        .bindingCount = count,
        .pBindings = bindings,
    };
    VkDescriptorSetLayout layout;
    assert_int_equal(HOOK(CreateDescriptorSetLayout)(mock_device(), &info, NULL, &layout), VK_SUCCESS);
    return layout;
}

static VkDescriptorSetLayout make_storage_layout(uint32_t count)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = count};
    return make_layout(1, &binding, NULL);
}

static VkPipelineLayout make_pipeline_layout(VkDescriptorSetLayout layout)
{
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &layout};
    VkPipelineLayout made;
    assert_int_equal(HOOK(CreatePipelineLayout)(mock_device(), &info, NULL, &made), VK_SUCCESS);
    return made;
}

static VkDescriptorSet allocate(VkDescriptorSetLayout layout)
{
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    VkDescriptorSet set;
    assert_int_equal(HOOK(AllocateDescriptorSets)(mock_device(), &info, &set), VK_SUCCESS);
    return set;
}

static VkWriteDescriptorSet writing(VkDescriptorSet set, uint32_t binding, uint32_t element,
                                    VkDescriptorType type, const VkDescriptorBufferInfo *info, uint32_t count)
{
    return (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .dstArrayElement = element,
        .descriptorCount = count,
        .descriptorType = type,
        .pBufferInfo = info,
    };
}

static void write_buffer(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                         VkBuffer buffer, VkDeviceSize offset, VkDeviceSize range)
{
    const VkDescriptorBufferInfo info = {buffer, offset, range};
    const VkWriteDescriptorSet write = writing(set, binding, element, type, &info, 1);
    HOOK(UpdateDescriptorSets)(mock_device(), 1, &write, 0, NULL);
}

static void bind(VkCommandBuffer commands, VkDescriptorSet set, uint32_t offset_count,
                 const uint32_t *offsets)
{
    HOOK(CmdBindDescriptorSets)
    (commands, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 0, 1, &set, offset_count, offsets);
}

static VkCommandBuffer dispatching(VkDescriptorSet set, uint32_t offset_count, const uint32_t *offsets)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(commands, set, offset_count, offsets);
    mock_dispatch(commands, 1);
    mock_end(commands);
    return commands;
}

/* Launch `launch` had that of buffer `id` at a descriptor of set 0. */
static void expect(uint64_t launch, uint32_t binding, uint32_t element, uint32_t id, uint64_t offset,
                   uint64_t range)
{
    const struct ws_descriptor *found = mock_descriptor(mock_bound_set(launch, 0, 0), binding, element);
    assert_non_null(found);
    assert_int_equal(found->resource, id);
    assert_int_equal(found->offset, offset);
    assert_int_equal(found->range, range);
}

/* ---- tests ---- */

/* Two dispatches of one command buffer with another set each: the binding is another buffer each time. */
static void test_two_buffers_at_one_binding(void **state)
{
    (void)state;
    const VkDescriptorSetLayout layout = make_storage_layout(1);
    VkDescriptorSet sets[2] = {allocate(layout), allocate(layout)};
    write_buffer(sets[0], 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, VK_WHOLE_SIZE);
    write_buffer(sets[1], 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[1], 64, 128);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (uint32_t i = 0; i < 2; i++) {
        bind(commands, sets[i], 0, NULL);
        mock_dispatch(commands, 1);
    }
    mock_end(commands);
    mock_submit_one(commands);
    expect(0, 0, 0, 1, 0, WS_WHOLE_RANGE);
    expect(1, 0, 0, 2, 64, 128);
    const struct ws_resource *second = &mock_bound.resources[2].about;
    assert_int_equal(second->kind, WS_RESOURCE_BUFFER);
    assert_int_equal(second->within, 0);
    assert_int_equal(second->offset, 16);
    assert_int_equal(second->size, 1024);
    assert_int_equal(mock_bound.resources[0].about.size, SIZE);
    assert_int_equal(mock_bound.resources[0].about.memory_type, 1);
    assert_int_equal(mock_bound.resources[0].about.properties,
                     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    /* Submitted again, nothing new is said of sets and buffers. */
    mock_run_all();
    mock_submit_one(commands);
    expect(2, 0, 0, 1, 0, WS_WHOLE_RANGE);
    assert_int_equal(mock_bound.set_count, 2);
    assert_int_equal(mock_bound.resource_chunks, 1);
}

/* Elements 0 and 1 of binding 1 and the one of binding 3 have dynamic offsets; the second of binding 1 was never written. */
static void test_dynamic_offsets(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, 0, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2, 0, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, NULL}};
    const uint32_t offsets[] = {256, 512, 768};
    (void)state;
    VkDescriptorSet set = allocate(make_layout(3, bindings, NULL));
    write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, buffers[0], 0, 64);
    write_buffer(set, 3, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, buffers[2], 32, 64);
    mock_submit_one(dispatching(set, 3, offsets));
    const struct ws_bound_set *bound = mock_bound_set(0, 0, 0);
    assert_int_equal(bound->offset_count, 3);
    assert_memory_equal(bound->offsets, offsets, sizeof(offsets));
    const struct mock_set *held = &mock_bound.sets[bound->state];
    assert_int_equal(held->count, 3); /* each offset has a descriptor; binding 2 was never written */
    expect(0, 1, 0, 1, 0, 64);
    expect(0, 1, 1, WS_NONE, 0, 0);
    expect(0, 3, 0, 3, 32, 64);
    assert_null(mock_descriptor(bound, 2, 0));
}

/* A run of three goes on in the next binding, and a copy takes it to another set. */
static void test_arrays_and_copies(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, 0, NULL},
                                                     {5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, 0, NULL}};
    const VkDescriptorBufferInfo infos[] = {{buffers[0], 0, 4}, {buffers[1], 4, 8}, {buffers[2], 8, 12}};
    (void)state;
    const VkDescriptorSetLayout layout = make_layout(2, bindings, NULL);
    VkDescriptorSet from = allocate(layout), to = allocate(layout);
    const VkWriteDescriptorSet write = writing(from, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos, 3);
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = from,
                                      .srcArrayElement = 1,
                                      .dstSet = to,
                                      .descriptorCount = 2};
    HOOK(UpdateDescriptorSets)(mock_device(), 1, &write, 1, &copy);
    mock_submit_one(dispatching(from, 0, NULL));
    mock_submit_one(dispatching(to, 0, NULL));
    assert_null(mock_descriptor(mock_bound_set(0, 0, 0), 0, 0));
    expect(0, 0, 1, 1, 0, 4);
    expect(0, 5, 0, 2, 4, 8);
    expect(0, 5, 1, 3, 8, 12);
    expect(1, 0, 0, 1, 0, 4);
    expect(1, 0, 1, 2, 4, 8);
    assert_null(mock_descriptor(mock_bound_set(1, 0, 0), 5, 0));
}

/* A template writes two elements, one in three structs of the application's data. */
static void test_templates(void **state)
{
    struct {
        uint64_t before;
        VkDescriptorBufferInfo infos[4];
    } data = {0, {{buffers[0], 0, 4}, {0}, {buffers[2], 8, 12}, {0}}};
    const VkDescriptorUpdateTemplateEntry entry = {
        .descriptorCount = 2,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .offset = sizeof(uint64_t),
        .stride = 2 * sizeof(VkDescriptorBufferInfo),
    };
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entry,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
    };
    VkDescriptorUpdateTemplate template;
    (void)state;
    const VkDescriptorSetLayout layout = make_storage_layout(2);
    VkDescriptorSet set = allocate(layout);
    assert_int_equal(HOOK(CreateDescriptorUpdateTemplate)(mock_device(), &info, NULL, &template), VK_SUCCESS);
    HOOK(UpdateDescriptorSetWithTemplate)(mock_device(), set, template, &data);
    mock_submit_one(dispatching(set, 0, NULL));
    expect(0, 0, 0, 1, 0, 4);
    expect(0, 0, 1, 3, 8, 12);

    /* The same pushed. */
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    HOOK(CmdPushDescriptorSetWithTemplateKHR)(commands, template, make_pipeline_layout(layout), 0, &data);
    mock_dispatch(commands, 1);
    mock_end(commands);
    mock_submit_one(commands);
    expect(1, 0, 0, 1, 0, 4);
    expect(1, 0, 1, 3, 8, 12);
    HOOK(DestroyDescriptorUpdateTemplate)(mock_device(), template, NULL);
}

/* What is pushed stays, but for what is pushed in its place; the first launch keeps what it had. */
static void test_pushed_descriptors(void **state)
{
    const VkDescriptorBufferInfo first[] = {{buffers[0], 0, 4}, {buffers[1], 4, 8}};
    const VkDescriptorBufferInfo second = {buffers[3], 12, 16};
    const VkWriteDescriptorSet writes[] = {
        writing(VK_NULL_HANDLE, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, first, 2),
        writing(VK_NULL_HANDLE, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &second, 1)};
    (void)state;
    const VkPipelineLayout layout = make_pipeline_layout(make_storage_layout(2));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (uint32_t i = 0; i < 2; i++) {
        HOOK(CmdPushDescriptorSetKHR)
        (commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &writes[i]);
        mock_dispatch(commands, 1);
    }
    mock_end(commands);
    mock_submit_one(commands);
    expect(0, 0, 0, 1, 0, 4);
    expect(0, 0, 1, 2, 4, 8);
    expect(1, 0, 0, 1, 0, 4);
    expect(1, 0, 1, 4, 12, 16);
}

/* A set that may be updated after it is bound has what stands in it at the submission. */
static void test_updated_after_recording(void **state)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, NULL};
    const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    (void)state;
    VkDescriptorSet set = allocate(make_layout(1, &binding, &flags));
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer commands = dispatching(set, 0, NULL);
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[1], 4, 8);
    mock_submit_one(commands);
    mock_run_all();
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[2], 8, 12);
    mock_submit_one(commands);
    expect(0, 0, 0, 2, 4, 8);
    expect(1, 0, 0, 3, 8, 12);
    assert_int_equal(mock_bound.sets[0].owner, mock_bound.sets[1].owner);
}

static void submit(VkCommandBuffer commands)
{
    mock_submit_one(commands);
    mock_run_all();
}

/* Of a set of 16 the capture gets what changed, each descriptor once, as it is at last. Where more than half has changed, and
 * when 16 changes are there, it gets all. */
static void test_changes(void **state)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16, 0, NULL};
    const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    (void)state;
    VkDescriptorSet set = allocate(make_layout(1, &binding, &flags));
    for (uint32_t i = 0; i < 16; i++)
        write_buffer(set, 0, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer commands = dispatching(set, 0, NULL);
    submit(commands);
    assert_int_equal(mock_bound.set_count, 1);
    write_buffer(set, 0, 9, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[1], 4, 8);
    write_buffer(set, 0, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[1], 4, 8);
    write_buffer(set, 0, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[2], 8, 12);
    submit(commands);
    submit(commands); /* nothing is new */
    assert_int_equal(mock_bound.set_count, 1);
    assert_int_equal(mock_bound.change_count, 1);
    assert_int_equal(mock_bound.changed, 2);
    expect(0, 0, 3, 1, 0, 4);
    for (uint32_t launch = 1; launch < 3; launch++) {
        expect(launch, 0, 0, 1, 0, 4);
        expect(launch, 0, 3, 3, 8, 12);
        expect(launch, 0, 9, 2, 4, 8);
    }
    for (uint32_t i = 0; i < 9; i++)
        write_buffer(set, 0, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[3], 0, 4);
    submit(commands);
    assert_int_equal(mock_bound.set_count, 2);
    assert_int_equal(mock_bound.change_count, 1);
    expect(3, 0, 8, 4, 0, 4);
    expect(3, 0, 9, 2, 4, 8);
    for (uint32_t i = 0; i < 17; i++) {
        write_buffer(set, 0, i % 5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i % 3], 16 * i, 4);
        submit(commands);
        expect(4 + i, 0, i % 5, 1 + i % 3, 16 * i, 4);
        expect(4 + i, 0, 9, 2, 4, 8);
    }
    assert_int_equal(mock_bound.set_count, 3); /* the last of these */
    assert_int_equal(mock_bound.change_count, 1 + 16);
    assert_int_equal(mock_bound.changed, 2 + 16);
}

/* A copy of a descriptor that was never written takes one away: that is no change, but another whole set. */
static void test_a_descriptor_that_goes(void **state)
{
    (void)state;
    const VkDescriptorSetLayout layout = make_storage_layout(8);
    VkDescriptorSet empty = allocate(layout), set = allocate(layout);
    for (uint32_t i = 0; i < 8; i++)
        write_buffer(set, 0, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer commands = dispatching(set, 0, NULL);
    submit(commands);
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = empty,
                                      .dstSet = set,
                                      .dstArrayElement = 2,
                                      .descriptorCount = 1};
    HOOK(UpdateDescriptorSets)(mock_device(), 0, NULL, 1, &copy);
    submit(commands);
    assert_int_equal(mock_bound.set_count, 2);
    assert_int_equal(mock_bound.change_count, 0);
    assert_null(mock_descriptor(mock_bound_set(1, 0, 0), 0, 2));
    expect(1, 0, 3, 1, 0, 4);
}

/* More descriptors change than a chunk has: what a change left out would be as it was. A whole set says how many it lacks. */
static void test_more_changes_than_a_chunk_has(void **state)
{
    const uint32_t most = 1u << 18;
    const VkDescriptorBufferInfo info = {buffers[1], 4, 8};
    (void)state;
    VkDescriptorSet set = allocate(make_storage_layout(2 * (most + 2)));
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer commands = dispatching(set, 0, NULL);
    submit(commands);
    for (uint32_t i = 0; i <= most; i++) {
        const VkWriteDescriptorSet write = writing(set, 0, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &info, 1);
        HOOK(UpdateDescriptorSets)(mock_device(), 1, &write, 0, NULL);
    }
    submit(commands);
    assert_int_equal(mock_bound.change_count, 0);
    assert_int_equal(mock_bound.set_count, 2);
    assert_int_equal(mock_bound.sets[mock_bound_set(1, 0, 0)->state].left_out, 1);
    expect(1, 0, 0, 2, 4, 8);
}

/* The driver gives the handle of a set that was freed again: that is another set, which begins empty. What was recorded with
 * the first has that. */
static void test_a_set_with_the_handle_of_another(void **state)
{
    (void)state;
    const VkDescriptorSetLayout layout = make_storage_layout(1);
    mock_bound.set_handle = (VkDescriptorSet)(uintptr_t)77777;
    VkDescriptorSet set = allocate(layout);
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer first = dispatching(set, 0, NULL);
    HOOK(FreeDescriptorSets)(mock_device(), pool, 1, &set);
    assert_true(allocate(layout) == set);
    VkCommandBuffer second = dispatching(set, 0, NULL);
    mock_submit_one(first); /* which no application may do: nothing breaks */
    mock_submit_one(second);
    expect(0, 0, 0, 1, 0, 4);
    assert_null(mock_descriptor(mock_bound_set(1, 0, 0), 0, 0));
    HOOK(ResetDescriptorPool)(mock_device(), pool, 0);
    mock_bound.set_handle = VK_NULL_HANDLE;
}

/* A buffer that was destroyed is no more, also where the driver gives its handle to the next. */
static void test_a_buffer_with_the_handle_of_another(void **state)
{
    (void)state;
    VkDescriptorSet set = allocate(make_storage_layout(2));
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    mock_submit_one(dispatching(set, 0, NULL));
    expect(0, 0, 0, 1, 0, 4);
    mock_run_all();

    /* As a driver would that gives the handle again: the layer hears of the end, and of a new one. */
    const struct ws_resource about = {.kind = WS_RESOURCE_BUFFER, .within = WS_NONE, .size = 512};
    ws_resource_remove(&mock_layer_device, WS_RESOURCE_BUFFER, (uint64_t)buffers[0]);
    ws_resource_add(&mock_layer_device, (uint64_t)buffers[0], &about);
    write_buffer(set, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 8);
    mock_submit_one(dispatching(set, 0, NULL));
    expect(1, 0, 0, WS_NONE, 0, 4);
    expect(1, 0, 1, 5, 0, 8);
    assert_true(mock_bound.resources[1].gone);
    assert_int_equal(mock_bound.resources[5].about.size, 512);
}

/* A buffer that comes and goes between two submissions is not said; a name that comes late is. */
static void test_what_is_said_of_resources(void **state)
{
    (void)state;
    VkDescriptorSet set = allocate(make_storage_layout(1));
    VkCommandBuffer commands = dispatching(set, 0, NULL);
    HOOK(DestroyBuffer)(mock_device(), make_buffer(), NULL);
    mock_submit_one(commands);
    assert_false(mock_bound.resources[5].written);
    assert_string_equal(mock_bound.resources[1].name, "");
    mock_run_all();
    ws_resource_set_name(&mock_layer_device, WS_RESOURCE_BUFFER, (uint64_t)buffers[0], "vertices");
    ws_resource_set_address(&mock_layer_device, buffers[0], 4096);
    mock_submit_one(commands);
    assert_string_equal(mock_bound.resources[1].name, "vertices");
    assert_int_equal(mock_bound.resources[1].about.address, 4096);
    assert_int_equal(mock_bound.resources[1].about.within, 0);
}

/* Set 0 with one descriptor, set 1 with two, and a layout whose set 0 has three. What is bound by it disturbs set 1, and so
 * does one with other push constants; an equal layout, and one that shares set 0 alone, do not. */
static void test_disturbed_sets(void **state)
{
    const VkDescriptorSetLayout layouts[] = {make_storage_layout(1), make_storage_layout(2)};
    const VkDescriptorSetLayout again[] = {make_storage_layout(1), make_storage_layout(3)};
    const VkDescriptorSetLayout other[] = {make_storage_layout(3), make_storage_layout(2)};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    const struct {
        const VkDescriptorSetLayout *sets;
        uint32_t ranges;
        bool disturbs;
    } cases[] = {{layouts, 0, false}, {again, 0, false}, {other, 0, true}, {layouts, 1, true}};
    VkPipelineLayout made[5];
    VkDescriptorSet sets[2];
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        const VkPipelineLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
            .setLayoutCount = 2,
            .pSetLayouts = i > 0 ? cases[i - 1].sets : layouts,
            .pushConstantRangeCount = i > 0 ? cases[i - 1].ranges : 0,
            .pPushConstantRanges = &range,
        };
        assert_int_equal(HOOK(CreatePipelineLayout)(mock_device(), &info, NULL, &made[i]), VK_SUCCESS);
    }
    for (uint32_t i = 0; i < 2; i++) {
        sets[i] = allocate(layouts[i]);
        write_buffer(sets[i], 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i], 0, 4);
    }
    for (uint32_t i = 0; i < 4; i++) {
        VkDescriptorSet first = allocate(cases[i].sets[0]);
        write_buffer(first, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[2], 0, 4);
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        HOOK(CmdBindDescriptorSets)
        (commands, VK_PIPELINE_BIND_POINT_COMPUTE, made[0], 0, 2, sets, 0, NULL);
        HOOK(CmdBindDescriptorSets)
        (commands, VK_PIPELINE_BIND_POINT_COMPUTE, made[i + 1], 0, 1, &first, 0, NULL);
        mock_dispatch(commands, 1);
        mock_end(commands);
        mock_submit_one(commands);
        mock_run_all();
        expect(i, 0, 0, 3, 0, 4);
        assert_int_equal(mock_bound.launches[i].uses[0].set_count, cases[i].disturbs ? 1 : 2);
    }
    /* Binding a higher set by another layout disturbs the lower one. */
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    HOOK(CmdBindDescriptorSets)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, made[0], 0, 1, sets, 0, NULL);
    HOOK(CmdBindDescriptorSets)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, made[3], 1, 1, sets + 1, 0, NULL);
    mock_dispatch(commands, 1);
    mock_end(commands);
    mock_submit_one(commands);
    assert_int_equal(mock_bound.launches[4].uses[0].set_count, 1);
    assert_int_equal(mock_bound.launches[4].uses[0].sets[0].set, 1);
    for (uint32_t i = 0; i < 5; i++)
        HOOK(DestroyPipelineLayout)(mock_device(), made[i], NULL);
}

/* Of a call that binds several and fails, those that say that they were bound lie there, and no others. */
static void test_bindings_that_fail(void **state)
{
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .extent = {4, 4, 1},
                                          .mipLevels = 1,
                                          .arrayLayers = 1};
    VkResult results[4] = {VK_NOT_READY, VK_NOT_READY, VK_NOT_READY, VK_NOT_READY};
    VkBindMemoryStatusKHR statuses[4];
    VkBindBufferMemoryInfo infos[3];
    VkBindImageMemoryInfo image_infos[2];
    VkBuffer made[3];
    VkImage images[2];
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        statuses[i] = (VkBindMemoryStatusKHR){VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, NULL, &results[i]};
    for (uint32_t i = 0; i < 3; i++) { /* 5 to 7; the last one is not asked */
        made[i] = make_buffer();
        infos[i] =
            (VkBindBufferMemoryInfo){VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, i < 2 ? &statuses[i] : NULL,
                                     made[i], memory, i == 0 ? 8 : 64 * i};
    }
    for (uint32_t i = 0; i < 2; i++) { /* 8 and 9 */
        assert_int_equal(HOOK(CreateImage)(mock_device(), &image_info, NULL, &images[i]), VK_SUCCESS);
        image_infos[i] = (VkBindImageMemoryInfo){VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &statuses[2 + i],
                                                 images[i], memory, i == 0 ? 256 : 8};
    }
    assert_int_equal(HOOK(BindBufferMemory2)(mock_device(), 3, infos), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(HOOK(BindImageMemory2)(mock_device(), 2, image_infos), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    mock_submit_one(dispatching(allocate(make_storage_layout(1)), 0, NULL));
    const struct mock_resource *found = mock_bound.resources;
    assert_int_equal(found[5].about.within, WS_NONE);
    assert_true(found[6].about.within == 0 && found[6].about.offset == 64);
    assert_int_equal(found[7].about.within, WS_NONE);
    assert_true(found[8].about.within == 0 && found[8].about.offset == 256);
    assert_int_equal(found[9].about.within, WS_NONE);
    for (uint32_t i = 0; i < 2; i++)
        HOOK(DestroyImage)(mock_device(), images[i], NULL);
    for (uint32_t i = 0; i < 3; i++)
        HOOK(DestroyBuffer)(mock_device(), made[i], NULL);
}

/* A driver that does not write statuses has bound all where its call succeeds. */
static void test_bindings_without_status(void **state)
{
    VkResult unwritten = VK_NOT_READY;
    VkBindMemoryStatusKHR status = {VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, NULL, &unwritten};
    const VkBindBufferMemoryDeviceGroupInfo first = {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO,
                                                     &status, 0, NULL};
    (void)state;
    VkBuffer made = make_buffer(); /* 5 */
    const VkBindBufferMemoryInfo info = {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, &first, made, memory, 64};
    assert_int_equal(HOOK(BindBufferMemory2)(mock_device(), 1, &info), VK_SUCCESS);
    mock_submit_one(dispatching(allocate(make_storage_layout(1)), 0, NULL));
    assert_true(mock_bound.resources[5].about.within == 0 && mock_bound.resources[5].about.offset == 64);
    HOOK(DestroyBuffer)(mock_device(), made, NULL);
}

/* Blocks within a set are its own memory; views and types of mutable descriptors are as they were written. */
static void test_other_descriptors(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64, 0, NULL},
        {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, 0, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, 0, NULL}};
    const VkBufferViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                              .buffer = buffers[1],
                                              .format = VK_FORMAT_R32_UINT,
                                              .offset = 64,
                                              .range = 128};
    VkBufferView view;
    (void)state;
    VkDescriptorSet set = allocate(make_layout(3, bindings, NULL));
    assert_int_equal(HOOK(CreateBufferView)(mock_device(), &view_info, NULL, &view), VK_SUCCESS);
    VkWriteDescriptorSet writes[] = {writing(set, 0, 16, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, NULL, 32),
                                     writing(set, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, NULL, 1)};
    writes[1].pTexelBufferView = &view;
    HOOK(UpdateDescriptorSets)(mock_device(), 2, writes, 0, NULL);
    write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, buffers[0], 0, 4);
    mock_submit_one(dispatching(set, 0, NULL));
    const struct ws_bound_set *bound = mock_bound_set(0, 0, 0);
    assert_int_equal(mock_descriptor(bound, 0, 0)->type, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK);
    expect(0, 0, 0, WS_NONE, 0, 48);
    assert_int_equal(mock_descriptor(bound, 1, 0)->type, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    expect(0, 1, 0, 1, 0, 4);
    expect(0, 2, 0, 5, 0, 0);
    const struct ws_resource *texels = &mock_bound.resources[5].about;
    assert_int_equal(texels->kind, WS_RESOURCE_BUFFER_VIEW);
    assert_int_equal(texels->within, 2);
    assert_int_equal(texels->offset, 64);
    assert_int_equal(texels->size, 128);
    assert_int_equal(texels->format, VK_FORMAT_R32_UINT);
    HOOK(DestroyBufferView)(mock_device(), view, NULL);
}

static VkSampler make_sampler(VkFilter filter, VkSamplerAddressMode address)
{
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = filter,
                                      .minFilter = VK_FILTER_NEAREST,
                                      .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                      .addressModeU = address,
                                      .mipLodBias = -0.5f,
                                      .anisotropyEnable = VK_TRUE,
                                      .maxAnisotropy = 4,
                                      .minLod = 1,
                                      .maxLod = 3};
    VkSampler sampler;
    assert_int_equal(HOOK(CreateSampler)(mock_device(), &info, NULL, &sampler), VK_SUCCESS);
    return sampler;
}

/* What the capture says of the sampler at a place. False where it says none. */
static bool read_sampler(uint64_t launch, uint32_t binding, uint32_t element, struct ws_sampler *sampler)
{
    const struct ws_descriptor *found = mock_descriptor(mock_bound_set(launch, 0, 0), binding, element);
    return found != NULL &&
           ws_sampler_unpack(&(struct ws_sampler_words){found->offset, found->range}, sampler);
}

/* Samplers that are written, alone or with an image; those that the layout has, which need no write and which no write changes;
 * and one that nobody saw made. */
static void test_samplers(void **state)
{
    enum { ALONE, COMBINED, FIXED, FIXED_COMBINED, COUNT };
    VkSampler made[3] = {make_sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT),
                         make_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER),
                         (VkSampler)(uintptr_t)0x7777};
    const VkDescriptorSetLayoutBinding bindings[COUNT] = {
        {ALONE, VK_DESCRIPTOR_TYPE_SAMPLER, 2, 0, NULL},
        {COMBINED, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, 0, NULL},
        {FIXED, VK_DESCRIPTOR_TYPE_SAMPLER, 2, 0, made},
        {FIXED_COMBINED, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, 0, made}};
    const VkDescriptorImageInfo infos[] = {{.sampler = made[1]}, {.sampler = made[2]}};
    struct ws_sampler sampler;
    (void)state;
    VkDescriptorSet set = allocate(make_layout(COUNT, bindings, NULL));
    VkWriteDescriptorSet writes[] = {
        writing(set, ALONE, 0, VK_DESCRIPTOR_TYPE_SAMPLER, NULL, 2),
        writing(set, COMBINED, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, NULL, 1),
        writing(set, FIXED_COMBINED, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, NULL, 1)};
    for (uint32_t i = 0; i < 3; i++)
        writes[i].pImageInfo = infos;
    HOOK(UpdateDescriptorSets)(mock_device(), 3, writes, 0, NULL);
    mock_submit_one(dispatching(set, 0, NULL));
    assert_true(read_sampler(0, ALONE, 0, &sampler));
    assert_int_equal(sampler.magnified, WS_FILTER_NEAREST);
    assert_int_equal(sampler.address[0], WS_ADDRESS_CLAMP_TO_BORDER);
    assert_int_equal(sampler.address[1], WS_ADDRESS_REPEAT);
    assert_true(sampler.mixes_levels && sampler.is_anisotropic && !sampler.is_unnormalized);
    assert_true(sampler.bias == -0.5f && sampler.least_level == 1 && sampler.most_level == 3);
    assert_false(read_sampler(0, ALONE, 1, &sampler));
    assert_true(read_sampler(0, COMBINED, 0, &sampler) && sampler.address[0] == WS_ADDRESS_CLAMP_TO_BORDER);
    assert_true(read_sampler(0, FIXED, 0, &sampler) && sampler.magnified == WS_FILTER_LINEAR);
    assert_true(read_sampler(0, FIXED, 1, &sampler) && sampler.magnified == WS_FILTER_NEAREST);
    assert_true(read_sampler(0, FIXED_COMBINED, 0, &sampler) && sampler.magnified == WS_FILTER_LINEAR);
    for (uint32_t i = 0; i < 2; i++)
        HOOK(DestroySampler)(mock_device(), made[i], NULL);
}

/* Descriptor buffers are not followed, and it is said; sets that are bound after them are. */
static void test_what_cannot_be_followed(void **state)
{
    const VkDescriptorBufferBindingInfoEXT info = {.sType =
                                                       VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT};
    (void)state;
    VkDescriptorSet set = allocate(make_storage_layout(1));
    write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(commands, set, 0, NULL);
    HOOK(CmdBindDescriptorBuffersEXT)(commands, 1, &info);
    mock_dispatch(commands, 1);
    bind(commands, set, 0, NULL);
    mock_dispatch(commands, 1);
    bind(commands, (VkDescriptorSet)(uintptr_t)1234567, 0, NULL); /* which nobody made */
    mock_dispatch(commands, 1);
    mock_end(commands);
    mock_submit_one(commands);
    assert_int_equal(mock_bound.launches[0].uses[0].set_count, 1);
    assert_int_equal(mock_bound_set(0, 0, WS_NONE)->reason, WS_BOUND_BUFFER);
    expect(1, 0, 0, 1, 0, 4);
    assert_int_equal(mock_bound_set(1, 0, WS_NONE)->reason, WS_BOUND_BUFFER);
    assert_int_equal(mock_bound_set(2, 0, 0)->reason, WS_BOUND_NOT_FOLLOWED);
}

/* Draws of a render pass have one use for each combination, and a secondary command buffer's are among them. */
static void test_draws(void **state)
{
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .layerCount = 1};
    (void)state;
    const VkDescriptorSetLayout layout = make_storage_layout(1);
    VkDescriptorSet sets[2] = {allocate(layout), allocate(layout)};
    for (uint32_t i = 0; i < 2; i++)
        write_buffer(sets[i], 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i], 0, 4);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    HOOK(CmdBeginRendering)(commands, &rendering);
    HOOK(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, mock_pipeline(1));
    for (uint32_t i = 0; i < 4; i++) {
        if (i % 2 == 0)
            HOOK(CmdBindDescriptorSets)
        (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, VK_NULL_HANDLE, 0, 1, &sets[i / 2], 0, NULL);
        mock_draw(commands, 3);
    }
    HOOK(CmdEndRendering)(commands);
    mock_end(commands);
    mock_submit_one(commands);
    assert_int_equal(mock_bound.launch_count, 1);
    assert_int_equal(mock_bound.launches[0].count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(mock_bound.launches[0].uses[i].pipeline, 1);
        const struct ws_descriptor *found = mock_descriptor(mock_bound_set(0, i, 0), 0, 0);
        assert_int_equal(found->resource, 1 + i);
    }
}

/* Whatever allocation fails while all this is recorded and submitted, nothing breaks and nothing leaks. */
static void test_without_memory(void **state)
{
    (void)state;
    for (uint32_t fails_at = 1; fails_at < 60; fails_at++) {
        const VkDescriptorBufferInfo pushed = {buffers[0], 0, 4};
        const VkWriteDescriptorSet write =
            writing(VK_NULL_HANDLE, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &pushed, 1);
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock.host_made = 0;
        mock.host_fails_at = fails_at;
        const VkDescriptorSetLayout layout = make_storage_layout(2);
        VkDescriptorSet set = allocate(layout);
        write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[0], 0, 4);
        bind(commands, set, 0, NULL);
        mock_dispatch(commands, 1);
        HOOK(CmdPushDescriptorSetKHR)
        (commands, VK_PIPELINE_BIND_POINT_COMPUTE, make_pipeline_layout(layout), 0, 1, &write);
        mock_dispatch(commands, 1);
        mock_end(commands);
        memset(&mock_bound, 0, offsetof(struct mock_bound, launches));
        mock_bound.launch_count = 0;
        mock_layer_device.capture->next_set = 0;
        mock_submit_one(commands);
        mock_run_all();
        mock.host_fails_at = 0;
        mock.written_count = 0;
        HOOK(ResetDescriptorPool)(mock_device(), pool, 0);
        HOOK(DestroyDescriptorSetLayout)(mock_device(), layout, NULL);
    }
}

/* Sets of 32 and more are not followed, and the capture says so. */
static void test_high_sets(void **state)
{
    (void)state;
    VkDescriptorSet set = allocate(make_storage_layout(1));
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    HOOK(CmdBindDescriptorSets)
    (commands, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 32, 1, &set, 0, NULL);
    mock_dispatch(commands, 1);
    mock_end(commands);
    mock_submit_one(commands);
    const struct mock_use *use = &mock_bound.launches[0].uses[0];
    assert_int_equal(use->set_count, 1);
    assert_int_equal(use->sets[0].set, WS_NONE);
    assert_int_equal(use->sets[0].reason, WS_BOUND_TOO_MUCH);
}

static uint32_t find_none(struct ws_device *device, VkAccelerationStructureKHR handle)
{
    (void)device;
    (void)handle;
    return WS_NONE;
}

/* A structure that nobody has seen built: the set is written once in each submission, where it may be known by then; and once
 * in all where structures are not followed. */
static void test_unknown_structures(void **state)
{
    const VkAccelerationStructureKHR structure = (VkAccelerationStructureKHR)(uintptr_t)0x77;
    const VkWriteDescriptorSetAccelerationStructureKHR structures = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 1,
        .pAccelerationStructures = &structure,
    };
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, 0,
                                                  NULL};
    (void)state;
    for (uint32_t followed = 0; followed < 2; followed++) {
        VkDescriptorSet set = allocate(make_layout(1, &binding, NULL));
        VkWriteDescriptorSet write =
            writing(set, 0, 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, NULL, 1);
        write.pNext = &structures;
        HOOK(UpdateDescriptorSets)(mock_device(), 1, &write, 0, NULL);
        mock_layer_device.find_structure = followed != 0 ? find_none : NULL;
        const uint32_t before = mock_bound.set_count;
        for (uint32_t i = 0; i < 2; i++) {
            VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
            bind(commands, set, 0, NULL);
            mock_dispatch(commands, 1);
            mock_dispatch(commands, 1);
            mock_end(commands);
            mock_submit_one(commands);
        }
        assert_int_equal(mock_bound.set_count - before, 1 + followed);
    }
    mock_layer_device.find_structure = NULL;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_two_buffers_at_one_binding),
        TEST(test_dynamic_offsets),
        TEST(test_arrays_and_copies),
        TEST(test_templates),
        TEST(test_pushed_descriptors),
        TEST(test_updated_after_recording),
        TEST(test_changes),
        TEST(test_a_descriptor_that_goes),
        TEST(test_more_changes_than_a_chunk_has),
        TEST(test_a_set_with_the_handle_of_another),
        TEST(test_a_buffer_with_the_handle_of_another),
        TEST(test_what_is_said_of_resources),
        TEST(test_disturbed_sets),
        TEST(test_bindings_that_fail),
        TEST(test_bindings_without_status),
        TEST(test_other_descriptors),
        TEST(test_samplers),
        TEST(test_what_cannot_be_followed),
        TEST(test_high_sets),
        TEST(test_unknown_structures),
        TEST(test_draws),
        TEST(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
