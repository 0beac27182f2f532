#include "tests/unit/layer/mock/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layer/capture/capture_writer.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "tests/unit/layer/mock/makes.h"
#include "tests/unit/layer/mock/objects.h"

extern const struct ws_interception ws_allocation_interception, ws_sampler_interception,
    ws_image_interception, ws_descriptor_set_interception, ws_bound_sets_interception;

static const struct ws_interception *const interceptions[] = {
    &ws_allocation_interception, &ws_sampler_interception, &ws_image_interception,
    &ws_descriptor_set_interception, &ws_bound_sets_interception};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct mock_bound mock_bound;
static bool is_followed;
static uint64_t next_handle = 1;

PFN_vkVoidFunction mock_bound_hook(const char *name)
{
    for (size_t i = 0; i < COUNT(interceptions); i++)
        for (const struct ws_hook *hook = interceptions[i]->hooks; hook->name != NULL; hook++)
            if (strcmp(hook->name, name) == 0)
                return hook->function;
    return NULL;
}

void mock_bound_init(void)
{
    memset(&mock_bound, 0, sizeof(mock_bound));
    mock_settings.bindings = is_followed = true;
    for (size_t i = 0; i < COUNT(interceptions); i++)
        assert_true(interceptions[i]->device_init == NULL ||
                    interceptions[i]->device_init(&mock_layer_device, NULL));
}

void mock_bound_finish(void)
{
    for (size_t i = COUNT(interceptions); is_followed && i-- > 0;)
        if (interceptions[i]->device_finish != NULL)
            interceptions[i]->device_finish(&mock_layer_device);
    is_followed = false;
}

const struct ws_bound_set *mock_bound_set(uint64_t launch, uint32_t use, uint32_t set)
{
    for (uint32_t i = 0; i < mock_bound.launch_count; i++) {
        const struct mock_bound_launch *found = &mock_bound.launches[i];
        if (found->launch != launch)
            continue;
        assert_true(use < found->count);
        for (uint32_t j = 0; j < found->uses[use].set_count; j++)
            if (found->uses[use].sets[j].set == set)
                return &found->uses[use].sets[j];
    }
    fail_msg("nothing was written of that set");
    return NULL;
}

const struct ws_descriptor *mock_descriptor(const struct ws_bound_set *set, uint32_t binding,
                                            uint32_t element)
{
    assert_int_equal(set->reason, WS_BOUND_KNOWN);
    assert_true(set->state < MOCK_SETS);
    const struct mock_set *state = &mock_bound.sets[set->state];
    for (uint32_t i = 0; i < state->count; i++)
        if (state->descriptors[i].binding == binding && state->descriptors[i].element == element)
            return &state->descriptors[i];
    return NULL;
}

/* ---- the capture ---- */

bool ws_capture_write_resources(struct ws_capture_writer *writer, const struct ws_chunk_resources *chunk,
                                struct ws_error *error)
{
    (void)writer, (void)error;
    mock_bound.resource_chunks++;
    for (uint32_t i = 0; i < chunk->resource_count; i++) {
        const struct ws_resource *resource = &chunk->resources[i];
        assert_true(resource->id < MOCK_RESOURCES);
        struct mock_resource *kept = &mock_bound.resources[resource->id];
        assert_false(kept->gone);
        assert_true(resource->within == WS_NONE || mock_bound.resources[resource->within].written);
        *kept = (struct mock_resource){.about = *resource, .written = true};
        snprintf(kept->name, sizeof(kept->name), "%s", resource->name != NULL ? resource->name : "");
    }
    for (uint32_t i = 0; i < chunk->gone_count; i++) {
        assert_true(mock_bound.resources[chunk->gone[i]].written);
        mock_bound.resources[chunk->gone[i]].gone = true;
    }
    return true;
}

bool ws_capture_write_set(struct ws_capture_writer *writer, const struct ws_chunk_set *chunk,
                          struct ws_error *error)
{
    (void)writer, (void)error;
    assert_true(chunk->id < MOCK_SETS);
    struct mock_set *set = &mock_bound.sets[chunk->id];
    set->owner = chunk->owner;
    set->left_out = chunk->left_out;
    set->count = chunk->descriptor_count < MOCK_DESCRIPTORS ? chunk->descriptor_count : MOCK_DESCRIPTORS;
    if (set->count > 0)
        memcpy(set->descriptors, chunk->descriptors, set->count * sizeof(set->descriptors[0]));
    mock_bound.set_count++;
    return true;
}

static void apply(struct mock_set *set, const struct ws_descriptor *descriptor)
{
    uint32_t i = 0;
    while (i < set->count && (set->descriptors[i].binding != descriptor->binding ||
                              set->descriptors[i].element != descriptor->element))
        i++;
    set->count += i == set->count;
    assert_true(i < MOCK_DESCRIPTORS);
    set->descriptors[i] = *descriptor;
}

bool ws_capture_write_set_change(struct ws_capture_writer *writer, const struct ws_chunk_set_change *chunk,
                                 struct ws_error *error)
{
    (void)writer, (void)error;
    assert_true(chunk->id < MOCK_SETS && chunk->base < chunk->id);
    struct mock_set *set = &mock_bound.sets[chunk->id];
    *set = mock_bound.sets[chunk->base];
    for (uint32_t i = 0; i < set->count; i++) {
        struct ws_descriptor *descriptor = &set->descriptors[i];
        if (descriptor->type != VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR &&
            descriptor->resource != WS_NONE && mock_bound.resources[descriptor->resource].gone)
            descriptor->resource = WS_NONE; /* as a reader finds it */
    }
    for (uint32_t i = 0; i < chunk->descriptor_count; i++)
        apply(set, &chunk->descriptors[i]);
    mock_bound.change_count++;
    mock_bound.changed += chunk->descriptor_count;
    return true;
}

static void keep_use(struct mock_use *kept, const struct ws_bound_use *use)
{
    kept->pipeline = use->pipeline;
    kept->set_count = use->set_count;
    assert_true(use->set_count <= 4);
    for (uint32_t i = 0; i < use->set_count; i++) {
        kept->sets[i] = use->sets[i];
        assert_true(use->sets[i].offset_count <= 8);
        for (uint32_t j = 0; j < use->sets[i].offset_count; j++)
            kept->offsets[i][j] = use->sets[i].offsets[j];
        kept->sets[i].offsets = kept->offsets[i];
    }
}

bool ws_capture_write_bound(struct ws_capture_writer *writer, const struct ws_chunk_bound *chunk,
                            struct ws_error *error)
{
    (void)writer, (void)error;
    for (uint32_t i = 0; i < chunk->launch_count; i++) {
        const struct ws_bound_launch *launch = &chunk->launches[i];
        assert_true(mock_bound.launch_count < MOCK_BOUND && launch->use_count <= MOCK_USES);
        struct mock_bound_launch *kept = &mock_bound.launches[mock_bound.launch_count++];
        kept->launch = launch->launch;
        kept->count = launch->use_count;
        for (uint32_t j = 0; j < launch->use_count; j++)
            keep_use(&kept->uses[j], &launch->uses[j]);
    }
    return true;
}

/* ---- the driver ---- */

MAKES(make_layout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
MAKES(make_pipeline_layout, VkPipelineLayoutCreateInfo, VkPipelineLayout)
MAKES(make_pool, VkDescriptorPoolCreateInfo, VkDescriptorPool)
MAKES(make_template, VkDescriptorUpdateTemplateCreateInfo, VkDescriptorUpdateTemplate)
MAKES(make_buffer_view, VkBufferViewCreateInfo, VkBufferView)
MAKES(make_sampler, VkSamplerCreateInfo, VkSampler)
MAKES(make_image, VkImageCreateInfo, VkImage)
MAKES(make_view, VkImageViewCreateInfo, VkImageView)
DESTROYS(drop_layout, VkDescriptorSetLayout)
DESTROYS(drop_pipeline_layout, VkPipelineLayout)
DESTROYS(drop_pool, VkDescriptorPool)
DESTROYS(drop_template, VkDescriptorUpdateTemplate)
DESTROYS(drop_buffer_view, VkBufferView)
DESTROYS(drop_sampler, VkSampler)
DESTROYS(drop_image, VkImage)
DESTROYS(drop_view, VkImageView)

static VKAPI_ATTR VkResult VKAPI_CALL allocate_sets(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                                    VkDescriptorSet *sets)
{
    (void)handle;
    for (uint32_t i = 0; i < info->descriptorSetCount; i++)
        sets[i] = mock_bound.set_handle != VK_NULL_HANDLE ? mock_bound.set_handle
                                                          : (VkDescriptorSet)(uintptr_t)++next_handle;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL free_sets(VkDevice handle, VkDescriptorPool pool, uint32_t count,
                                                const VkDescriptorSet *sets)
{
    (void)handle, (void)pool, (void)count, (void)sets;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice handle, VkDescriptorPool pool,
                                                 VkDescriptorPoolResetFlags flags)
{
    (void)handle, (void)pool, (void)flags;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice handle, uint32_t write_count,
                                              const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                              const VkCopyDescriptorSet *copies)
{
    (void)handle, (void)write_count, (void)writes, (void)copy_count, (void)copies;
}

static VKAPI_ATTR void VKAPI_CALL update_by(VkDevice handle, VkDescriptorSet set,
                                            VkDescriptorUpdateTemplate template, const void *data)
{
    (void)handle, (void)set, (void)template, (void)data;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                                 VkDeviceSize offset)
{
    (void)handle, (void)image, (void)memory, (void)offset;
    return VK_SUCCESS;
}

/* Those at an offset that is no multiple of 16 fail, and so does the call; each says it where it is asked by
 * the first structure of the chain. */
static VkResult bind_one(VkDeviceSize offset, const void *next)
{
    const VkResult result = offset % 16 == 0 ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const VkBindMemoryStatusKHR *status = next;
    if (status != NULL && status->sType == VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR)
        *status->pResult = result;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_images(VkDevice handle, uint32_t count,
                                                  const VkBindImageMemoryInfo *infos)
{
    VkResult result = VK_SUCCESS;
    (void)handle;
    for (uint32_t i = 0; i < count; i++)
        if (bind_one(infos[i].memoryOffset, infos[i].pNext) != VK_SUCCESS)
            result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffers2(VkDevice handle, uint32_t count,
                                                    const VkBindBufferMemoryInfo *infos)
{
    VkResult result = VK_SUCCESS;
    (void)handle;
    for (uint32_t i = 0; i < count; i++)
        if (bind_one(infos[i].memoryOffset, infos[i].pNext) != VK_SUCCESS)
            result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return result;
}

static VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice handle, VkImage image,
                                                     VkMemoryRequirements *requirements)
{
    (void)handle, (void)image;
    *requirements = (VkMemoryRequirements){.size = 4096, .alignment = 16, .memoryTypeBits = 3};
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *sets, uint32_t offset_count,
                                            const uint32_t *offsets)
{
    (void)handle, (void)point, (void)layout, (void)first, (void)count, (void)sets;
    (void)offset_count, (void)offsets;
}

static VKAPI_ATTR void VKAPI_CALL push_set(VkCommandBuffer handle, VkPipelineBindPoint point,
                                           VkPipelineLayout layout, uint32_t set, uint32_t count,
                                           const VkWriteDescriptorSet *writes)
{
    (void)handle, (void)point, (void)layout, (void)set, (void)count, (void)writes;
}

static VKAPI_ATTR void VKAPI_CALL push_by(VkCommandBuffer handle, VkDescriptorUpdateTemplate template,
                                          VkPipelineLayout layout, uint32_t set, const void *data)
{
    (void)handle, (void)template, (void)layout, (void)set, (void)data;
}

static VKAPI_ATTR void VKAPI_CALL bind_buffers(VkCommandBuffer handle, uint32_t count,
                                               const VkDescriptorBufferBindingInfoEXT *infos)
{
    (void)handle, (void)count, (void)infos;
}

void mock_bound_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CreateDescriptorSetLayout = make_layout;
    dispatch->DestroyDescriptorSetLayout = drop_layout;
    dispatch->CreatePipelineLayout = make_pipeline_layout;
    dispatch->DestroyPipelineLayout = drop_pipeline_layout;
    dispatch->CreateDescriptorPool = make_pool;
    dispatch->DestroyDescriptorPool = drop_pool;
    dispatch->ResetDescriptorPool = reset_pool;
    dispatch->CreateDescriptorUpdateTemplate = make_template;
    dispatch->DestroyDescriptorUpdateTemplate = drop_template;
    dispatch->CreateBufferView = make_buffer_view;
    dispatch->DestroyBufferView = drop_buffer_view;
    dispatch->CreateSampler = make_sampler;
    dispatch->DestroySampler = drop_sampler;
    dispatch->CreateImage = make_image;
    dispatch->DestroyImage = drop_image;
    dispatch->CreateImageView = make_view;
    dispatch->DestroyImageView = drop_view;
    dispatch->BindImageMemory = bind_image;
    dispatch->BindImageMemory2 = bind_images;
    dispatch->BindBufferMemory2 = bind_buffers2;
    dispatch->GetImageMemoryRequirements = image_requirements;
    dispatch->AllocateDescriptorSets = allocate_sets;
    dispatch->FreeDescriptorSets = free_sets;
    dispatch->UpdateDescriptorSets = update_sets;
    dispatch->UpdateDescriptorSetWithTemplate = update_by;
    dispatch->CmdBindDescriptorSets = bind_sets;
    dispatch->CmdPushDescriptorSetKHR = push_set;
    dispatch->CmdPushDescriptorSetWithTemplateKHR = push_by;
    dispatch->CmdBindDescriptorBuffersEXT = bind_buffers;
}
