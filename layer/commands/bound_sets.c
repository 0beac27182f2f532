/* vkCmdBindDescriptorSets and vkCmdPushDescriptorSet. */
#include "layer/commands/bound_sets.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"
#include "warpscope/base/array.h"

static void slot_clear(struct ws_bound_slot *slot)
{
    ws_set_release(slot->set);
    slot->set = NULL;
    ws_pipeline_layout_release(slot->layout);
    slot->layout = NULL;
    slot->bound = slot->pushed = false;
    slot->reason = WS_BOUND_KNOWN;
    slot->offset_count = 0;
}

/* What is bound has changed: the next launch has another state. */
static void drop_state(struct ws_bound_sets *bound, enum ws_bind_point point)
{
    ws_bound_state_release(bound->states[point]);
    bound->states[point] = NULL;
}

void ws_bound_sets_clear(struct ws_bound_sets *bound)
{
    if (bound == NULL)
        return;
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++) {
        drop_state(bound, point);
        for (uint32_t i = 0; i < WS_BOUND_SETS; i++)
            slot_clear(&bound->slots[point][i]);
    }
    bound->elsewhere = WS_BOUND_KNOWN;
    bound->beyond = false;
}

void ws_bound_sets_finish(struct ws_bound_sets *bound)
{
    if (bound == NULL)
        return;
    ws_bound_sets_clear(bound);
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++)
        for (uint32_t i = 0; i < WS_BOUND_SETS; i++)
            free(bound->slots[point][i].offsets);
    free(bound);
}

bool ws_bound_sets_find(struct ws_device *device, const struct ws_bound_sets *bound, enum ws_bind_point point,
                        uint32_t set, uint32_t binding, struct ws_image_descriptor *descriptor,
                        const char **reason)
{
    *reason = "descriptors in buffers or heaps are not followed";
    if (bound->elsewhere != WS_BOUND_KNOWN)
        return false;
    *reason = "its descriptor is not known";
    if (set >= WS_BOUND_SETS || bound->slots[point][set].set == NULL)
        return false;
    const char *unsure;
    const bool found = ws_set_find_image(device, bound->slots[point][set].set, binding, descriptor, &unsure);
    if (unsure != NULL)
        *reason = unsure;
    return found;
}

/* ---- what a launch has bound ---- */

static void add_one(struct ws_bound_state *state, uint32_t number, const struct ws_bound_slot *slot,
                    uint32_t *offsets)
{
    struct ws_bound_one *one = &state->sets[state->count++];
    *one = (struct ws_bound_one){
        .number = number,
        .reason = slot->reason,
        .set = slot->set != NULL ? ws_set_reference(slot->set) : NULL,
        .first = *offsets,
        .count = slot->offset_count,
    };
    if (slot->offset_count > 0)
        memcpy(&state->offsets[*offsets], slot->offsets, slot->offset_count * sizeof(uint32_t));
    *offsets += slot->offset_count;
}

static struct ws_bound_state *make_state(const struct ws_bound_sets *bound, enum ws_bind_point point)
{
    uint32_t sets = 1;
    uint32_t offsets = 0;
    for (uint32_t i = 0; i < WS_BOUND_SETS; i++) {
        sets += bound->slots[point][i].bound;
        offsets += bound->slots[point][i].offset_count;
    }
    struct ws_bound_state *state = ws_bound_state_create(sets, offsets);
    offsets = 0;
    for (uint32_t i = 0; state != NULL && i < WS_BOUND_SETS; i++)
        if (bound->slots[point][i].bound)
            add_one(state, i, &bound->slots[point][i], &offsets);
    const uint32_t others = bound->elsewhere != WS_BOUND_KNOWN ? bound->elsewhere
                            : bound->beyond                    ? WS_BOUND_TOO_MUCH
                                                               : WS_BOUND_KNOWN;
    if (state != NULL && others != WS_BOUND_KNOWN)
        state->sets[state->count++] = (struct ws_bound_one){.number = WS_NONE, .reason = others};
    return state;
}

/* Made when it is first needed. NULL without memory. */
static struct ws_bound_sets *bound_of(struct ws_command_buffer *commands)
{
    if (commands->bound == NULL)
        commands->bound = calloc(1, sizeof(*commands->bound));
    return commands->bound;
}

void ws_bound_sets_use(struct ws_command_buffer *commands, enum ws_bind_point point, bool any,
                       struct ws_uses *uses)
{
    const struct ws_bindings *bindings = &commands->bindings;
    ws_bindings_use(bindings, point, uses);
    struct ws_bound_sets *bound = commands->device->settings->bindings ? bound_of(commands) : NULL;
    if (bound == NULL)
        return;
    if (bound->states[point] == NULL)
        bound->states[point] = make_state(bound, point);
    /* Without memory for a state the launch has one that says that it is not known. */
    struct ws_used_state used = {.pipeline = WS_NONE, .state = bound->states[point]};
    if (any)
        ws_uses_add_states(uses, &used, 1);
    if (bindings->pipelines[point] != NULL) {
        used.pipeline = bindings->pipelines[point]->capture_id;
        ws_uses_add_states(uses, &used, 1);
        return;
    }
    for (uint32_t i = 0; i < WS_SHADER_STAGE_COUNT; i++) {
        if (!ws_bindings_has_shader(bindings, point, i))
            continue;
        used.pipeline = bindings->shaders[i]->capture_id;
        ws_uses_add_states(uses, &used, 1);
    }
}

/* ---- commands ---- */

/* What is drawn next has something else bound. */
static void note_change(struct ws_command_buffer *commands, enum ws_bind_point point)
{
    drop_state(commands->bound, point);
    if (point == WS_BIND_GRAPHICS)
        commands->bindings.graphics_changed = true;
}

/* Gives a set its dynamic offsets, which stand first among `*count` of `*offsets`. Without memory it is not known. */
static void take_offsets(struct ws_bound_slot *slot, const uint32_t **offsets, uint32_t *count)
{
    uint32_t wanted = slot->set != NULL ? ws_set_layout_count_dynamic(slot->set->layout) : 0;
    if (wanted > *count)
        wanted = *count;
    if (wanted == 0) /* then there may be no offsets at all: NULL */
        return;
    uint32_t *kept = ws_array_grow(slot->offsets, &slot->offset_capacity, wanted, sizeof(*kept));
    if (kept != NULL) {
        slot->offsets = kept;
        memcpy(kept, *offsets, wanted * sizeof(*kept));
        slot->offset_count = wanted;
    } else {
        ws_set_release(slot->set);
        slot->set = NULL;
        slot->reason = WS_BOUND_NOT_FOLLOWED;
    }
    *offsets += wanted;
    *count -= wanted;
}

/* Sets are about to be bound by a layout: those below whose layout is not compatible with it are disturbed, and those above
 * whose layout is not, for the last of these sets (the specification, "Pipeline Layout Compatibility"). Nothing may read them
 * any more, so they are not bound. */
static void disturb(struct ws_bound_sets *bound, enum ws_bind_point point, uint32_t first, uint32_t count,
                    const struct ws_pipeline_layout *layout)
{
    const uint64_t end = (uint64_t)first + count;
    for (uint32_t i = 0; i < WS_BOUND_SETS && count > 0; i++) {
        struct ws_bound_slot *slot = &bound->slots[point][i];
        const bool among = i >= first && i < end;
        if (slot->bound && !among &&
            !ws_pipeline_layouts_agree(slot->layout, layout, i < first ? i : (uint32_t)(end - 1)))
            slot_clear(slot);
    }
}

/* The offsets of sets that stand behind one that is not known cannot be told. A null handle binds nothing. */
static void bind(struct ws_command_buffer *commands, enum ws_bind_point point, VkPipelineLayout layout_handle,
                 uint32_t first, uint32_t count, const VkDescriptorSet *sets, uint32_t offset_count,
                 const uint32_t *offsets)
{
    struct ws_bound_sets *bound = bound_of(commands);
    bool known = true;
    if (bound == NULL)
        return;
    struct ws_pipeline_layout *layout = ws_pipeline_layout_find(commands->device, layout_handle);
    disturb(bound, point, first, count, layout);
    bound->beyond = bound->beyond || first >= WS_BOUND_SETS || count > WS_BOUND_SETS - first;
    for (uint32_t i = 0; i < count && first < WS_BOUND_SETS && i < WS_BOUND_SETS - first; i++) {
        struct ws_bound_slot *slot = &bound->slots[point][first + i];
        slot_clear(slot);
        if (sets[i] == VK_NULL_HANDLE)
            continue;
        slot->bound = true;
        slot->layout = ws_pipeline_layout_find(commands->device, layout_handle);
        slot->set = ws_descriptor_set_hold(commands->device, sets[i]);
        known = known && slot->set != NULL;
        if (!known && (slot->set == NULL || ws_set_layout_count_dynamic(slot->set->layout) > 0)) {
            ws_set_release(slot->set);
            slot->set = NULL;
            slot->reason = WS_BOUND_NOT_FOLLOWED;
        }
        take_offsets(slot, &offsets, &offset_count);
    }
    ws_pipeline_layout_release(layout);
    note_change(commands, point);
}

/* A set that may be written by this command buffer, since no state has it. */
static struct ws_set *own_set(struct ws_bound_slot *slot, struct ws_set_layout *layout)
{
    struct ws_set *set = slot->set;
    const bool goes_on = slot->pushed && set != NULL && ws_set_layout_equals(set->layout, layout);
    if (goes_on && atomic_load(&set->references) == 1)
        return set;
    struct ws_set *made = goes_on ? ws_set_copy(set) : ws_set_create(layout, UINT32_MAX);
    slot_clear(slot);
    slot->bound = slot->pushed = true;
    slot->set = made;
    slot->reason = made != NULL && made->slots != NULL ? WS_BOUND_KNOWN : WS_BOUND_NOT_FOLLOWED;
    return made;
}

/* Descriptors that are pushed stay until others are pushed in their place, or a set is bound. NULL without memory. */
static struct ws_set *push(struct ws_command_buffer *commands, enum ws_bind_point point,
                           VkPipelineLayout layout_handle, const void *next, uint32_t set)
{
    struct ws_bound_sets *bound = bound_of(commands);
    if (bound == NULL)
        return NULL;
    bound->beyond = bound->beyond || set >= WS_BOUND_SETS;
    if (set >= WS_BOUND_SETS) {
        note_change(commands, point);
        return NULL;
    }
    struct ws_set_layout *layout = ws_pipeline_layout_hold(commands->device, layout_handle, next, set);
    note_change(commands, point);
    struct ws_pipeline_layout *by = ws_pipeline_layout_find(commands->device, layout_handle);
    struct ws_bound_slot *slot = &bound->slots[point][set];
    disturb(bound, point, set, 1, by);
    struct ws_set *made = own_set(slot, layout);
    ws_pipeline_layout_release(slot->layout);
    slot->layout = by;
    ws_set_layout_release(layout);
    return made;
}

static void push_writes(struct ws_command_buffer *commands, enum ws_bind_point point, VkPipelineLayout layout,
                        const void *next, uint32_t set, uint32_t count, const VkWriteDescriptorSet *writes)
{
    struct ws_set *pushed = push(commands, point, layout, next, set);
    for (uint32_t i = 0; pushed != NULL && i < count; i++)
        ws_set_write(commands->device, pushed, &writes[i]);
}

static void push_by(struct ws_command_buffer *commands, VkDescriptorUpdateTemplate template,
                    VkPipelineLayout layout, const void *next, uint32_t set, const void *data)
{
    const enum ws_bind_point point = ws_bind_point_of(ws_update_template_point(commands->device, template));
    struct ws_set *pushed = point != WS_BIND_POINT_COUNT ? push(commands, point, layout, next, set) : NULL;
    if (pushed != NULL)
        ws_set_write_by(commands->device, pushed, template, data);
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
        bind(commands, point, layout, first, count, sets, offset_count, offsets);
}

/* The bind points that stages belong to. */
static bool has_point(VkShaderStageFlags stages, enum ws_bind_point point)
{
    const VkShaderStageFlags rays = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                    VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                    VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
    const VkShaderStageFlags graphics = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT |
                                        VK_SHADER_STAGE_MESH_BIT_EXT |
                                        VK_SHADER_STAGE_CLUSTER_CULLING_BIT_HUAWEI;
    return point == WS_BIND_COMPUTE       ? (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
           : point == WS_BIND_RAY_TRACING ? (stages & rays) != 0
           : point == WS_BIND_GRAPHICS    ? (stages & graphics) != 0
                                          : (stages & VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI) != 0;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_sets2(VkCommandBuffer handle,
                                                 const VkBindDescriptorSetsInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindDescriptorSets2KHR(handle, info);
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++)
        if (has_point(info->stageFlags, point))
            bind(commands, point, info->layout, info->firstSet, info->descriptorSetCount,
                 info->pDescriptorSets, info->dynamicOffsetCount, info->pDynamicOffsets);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_set(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                               VkPipelineLayout layout, uint32_t set, uint32_t count,
                                               const VkWriteDescriptorSet *writes)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    const enum ws_bind_point point = ws_bind_point_of(bind_point);
    commands->device->next.CmdPushDescriptorSetKHR(handle, bind_point, layout, set, count, writes);
    if (point != WS_BIND_POINT_COUNT)
        push_writes(commands, point, layout, NULL, set, count, writes);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_set2(VkCommandBuffer handle,
                                                const VkPushDescriptorSetInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSet2KHR(handle, info);
    for (uint32_t point = 0; point < WS_BIND_POINT_COUNT; point++)
        if (has_point(info->stageFlags, point))
            push_writes(commands, point, info->layout, info->pNext, info->set, info->descriptorWriteCount,
                        info->pDescriptorWrites);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_by_template(VkCommandBuffer handle,
                                                       VkDescriptorUpdateTemplate template,
                                                       VkPipelineLayout layout, uint32_t set,
                                                       const void *data)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSetWithTemplateKHR(handle, template, layout, set, data);
    push_by(commands, template, layout, NULL, set, data);
}

static VKAPI_ATTR void VKAPI_CALL cmd_push_by_template2(VkCommandBuffer handle,
                                                        const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdPushDescriptorSetWithTemplate2KHR(handle, info);
    push_by(commands, info->descriptorUpdateTemplate, info->layout, info->pNext, info->set, info->pData);
}

/* From now on sets that are not bound again are there, or are not at all. */
static void note_elsewhere(struct ws_command_buffer *commands, enum ws_bound_reason reason)
{
    struct ws_bound_sets *bound = bound_of(commands);
    if (bound == NULL)
        return;
    ws_bound_sets_clear(bound);
    bound->elsewhere = reason;
    commands->bindings.graphics_changed = true;
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_buffers(VkCommandBuffer handle, uint32_t count,
                                                   const VkDescriptorBufferBindingInfoEXT *infos)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindDescriptorBuffersEXT(handle, count, infos);
    note_elsewhere(commands, WS_BOUND_BUFFER);
}

static VKAPI_ATTR void VKAPI_CALL cmd_bind_heap(VkCommandBuffer handle, const VkBindHeapInfoEXT *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdBindResourceHeapEXT(handle, info);
    note_elsewhere(commands, WS_BOUND_HEAP);
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

const struct ws_interception ws_bound_sets_interception = {.hooks = hooks, .image = true, .bindings = true};
