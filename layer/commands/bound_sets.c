/* vkCmdBindDescriptorSets and vkCmdPushDescriptorSet. */
#include "layer/commands/bound_sets.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/base/array.h"

void ws_bound_sets_clear(struct ws_bound_sets *bound)
{
    if (bound == NULL)
        return;
    memset(bound->sets, 0, sizeof(bound->sets));
    for (uint32_t i = 0; i < bound->pushed_count; i++)
        ws_image_descriptors_finish(&bound->pushed[i].images);
    bound->pushed_count = 0;
    bound->elsewhere = false;
}

void ws_bound_sets_finish(struct ws_bound_sets *bound)
{
    if (bound == NULL)
        return;
    ws_bound_sets_clear(bound);
    free(bound->pushed);
    free(bound);
}

static struct ws_pushed_set *find_pushed(const struct ws_bound_sets *bound, enum ws_bind_point point,
                                         uint32_t set)
{
    for (uint32_t i = 0; i < bound->pushed_count; i++)
        if (bound->pushed[i].point == point && bound->pushed[i].set == set)
            return &bound->pushed[i];
    return NULL;
}

bool ws_bound_sets_find(struct ws_device *device, const struct ws_bound_sets *bound, enum ws_bind_point point,
                        uint32_t set, uint32_t binding, struct ws_image_descriptor *descriptor,
                        const char **reason)
{
    *reason = "descriptors in buffers or heaps are not followed";
    if (bound->elsewhere)
        return false;
    *reason = "its descriptor is not known";
    const struct ws_pushed_set *pushed = find_pushed(bound, point, set);
    if (pushed != NULL) {
        const struct ws_image_descriptor *found = ws_image_descriptors_find(&pushed->images, binding);
        if (found != NULL)
            *descriptor = *found;
        return found != NULL;
    }
    if (set >= WS_BOUND_SETS || bound->sets[point][set] == VK_NULL_HANDLE)
        return false;
    const char *unsure;
    const bool found = ws_descriptor_set_find(device, bound->sets[point][set], binding, descriptor, &unsure);
    if (unsure != NULL)
        *reason = unsure;
    return found;
}

/* Made when it is first needed. NULL without memory. */
static struct ws_bound_sets *bound_of(struct ws_command_buffer *commands)
{
    if (commands->bound == NULL)
        commands->bound = calloc(1, sizeof(*commands->bound));
    return commands->bound;
}

/* The set is no longer what was pushed. */
static void drop_pushed(struct ws_bound_sets *bound, enum ws_bind_point point, uint32_t set)
{
    struct ws_pushed_set *pushed = find_pushed(bound, point, set);
    if (pushed == NULL)
        return;
    ws_image_descriptors_finish(&pushed->images);
    *pushed = bound->pushed[--bound->pushed_count];
}

static void bind(struct ws_command_buffer *commands, enum ws_bind_point point, uint32_t first, uint32_t count,
                 const VkDescriptorSet *sets)
{
    struct ws_bound_sets *bound = bound_of(commands);
    for (uint32_t i = 0; bound != NULL && i < count; i++) {
        drop_pushed(bound, point, first + i);
        if (first + i < WS_BOUND_SETS)
            bound->sets[point][first + i] = sets[i];
    }
}

/* Descriptors that are pushed stay until others are pushed in their place, or a set is bound. NULL without memory. */
static struct ws_image_descriptors *push(struct ws_command_buffer *commands, enum ws_bind_point point,
                                         uint32_t set)
{
    struct ws_bound_sets *bound = bound_of(commands);
    if (bound == NULL)
        return NULL;
    if (set < WS_BOUND_SETS)
        bound->sets[point][set] = VK_NULL_HANDLE;
    struct ws_pushed_set *known = find_pushed(bound, point, set);
    if (known != NULL)
        return &known->images;
    struct ws_pushed_set *pushed =
        ws_array_grow(bound->pushed, &bound->pushed_capacity, bound->pushed_count + 1, sizeof(*pushed));
    if (pushed == NULL)
        return NULL;
    bound->pushed = pushed;
    pushed[bound->pushed_count] = (struct ws_pushed_set){.point = point, .set = set};
    return &pushed[bound->pushed_count++].images;
}

static void push_writes(struct ws_command_buffer *commands, enum ws_bind_point point, uint32_t set,
                        uint32_t count, const VkWriteDescriptorSet *writes)
{
    struct ws_image_descriptors *images = push(commands, point, set);
    for (uint32_t i = 0; images != NULL && i < count; i++)
        ws_image_descriptors_write(images, &writes[i]);
}

static void push_by(struct ws_command_buffer *commands, VkDescriptorUpdateTemplate template, uint32_t set,
                    const void *data)
{
    const enum ws_bind_point point = ws_bind_point_of(ws_update_template_point(commands->device, template));
    struct ws_image_descriptors *images = point != WS_BIND_POINT_COUNT ? push(commands, point, set) : NULL;
    if (images != NULL)
        ws_image_descriptors_write_by(commands->device, images, template, data);
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_sets(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                                VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                const VkDescriptorSet *sets, uint32_t offset_count,
                                                const uint32_t *offsets)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const enum ws_bind_point point = ws_bind_point_of(bind_point);
    commands->device->next.CmdBindDescriptorSets(handle, bind_point, layout, first, count, sets, offset_count,
                                                 offsets);
    if (point != WS_BIND_POINT_COUNT)
        bind(commands, point, first, count, sets);
}

/* The bind points that stages belong to. */
static bool has_point(VkShaderStageFlags stages, enum ws_bind_point point)
{
    const VkShaderStageFlags rays = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                    VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                    VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
    return point == WS_BIND_COMPUTE       ? (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
           : point == WS_BIND_RAY_TRACING ? (stages & rays) != 0
                                          : false;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_sets2(VkCommandBuffer handle,
                                                 const VkBindDescriptorSetsInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindDescriptorSets2KHR(handle, info);
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++)
        if (has_point(info->stageFlags, point))
            bind(commands, point, info->firstSet, info->descriptorSetCount, info->pDescriptorSets);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_set(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                               VkPipelineLayout layout, uint32_t set, uint32_t count,
                                               const VkWriteDescriptorSet *writes)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const enum ws_bind_point point = ws_bind_point_of(bind_point);
    commands->device->next.CmdPushDescriptorSetKHR(handle, bind_point, layout, set, count, writes);
    if (point != WS_BIND_POINT_COUNT)
        push_writes(commands, point, set, count, writes);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_set2(VkCommandBuffer handle,
                                                const VkPushDescriptorSetInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSet2KHR(handle, info);
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++)
        if (has_point(info->stageFlags, point))
            push_writes(commands, point, info->set, info->descriptorWriteCount, info->pDescriptorWrites);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_by_template(VkCommandBuffer handle,
                                                       VkDescriptorUpdateTemplate template,
                                                       VkPipelineLayout layout, uint32_t set,
                                                       const void *data)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSetWithTemplateKHR(handle, template, layout, set, data);
    push_by(commands, template, set, data);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_by_template2(VkCommandBuffer handle,
                                                        const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSetWithTemplate2KHR(handle, info);
    push_by(commands, info->descriptorUpdateTemplate, info->set, info->pData);
}

static void note_elsewhere(struct ws_command_buffer *commands)
{
    struct ws_bound_sets *bound = bound_of(commands);
    if (bound != NULL)
        bound->elsewhere = true;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_buffers(VkCommandBuffer handle, uint32_t count,
                                                   const VkDescriptorBufferBindingInfoEXT *infos)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindDescriptorBuffersEXT(handle, count, infos);
    note_elsewhere(commands);
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_heap(VkCommandBuffer handle, const VkBindHeapInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindResourceHeapEXT(handle, info);
    note_elsewhere(commands);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdBindDescriptorSets, cmd_bind_sets),
    WS_HOOK(CmdBindDescriptorSets2KHR, cmd_bind_sets2),
    WS_HOOK(CmdPushDescriptorSetKHR, cmd_push_set),
    WS_HOOK(CmdPushDescriptorSet2KHR, cmd_push_set2),
    WS_HOOK(CmdPushDescriptorSetWithTemplateKHR, cmd_push_by_template),
    WS_HOOK(CmdPushDescriptorSetWithTemplate2KHR, cmd_push_by_template2),
    WS_HOOK(CmdBindDescriptorBuffersEXT, cmd_bind_buffers),
    WS_HOOK(CmdBindResourceHeapEXT, cmd_bind_heap),
    WS_HOOK_END,
};

const struct ws_interception ws_bound_sets_interception = {.hooks = hooks, .image = true};
