#include "layer/submit/bound.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/process/lock.h"
#include "layer/resources/resource.h"
#include "layer/submit/submission.h"

/* Descriptors of a DSET chunk, and uses of a BIND chunk unless one launch alone has more. */
#define DESCRIPTORS_MAX (1u << 18)
#define USES_MAX        65536u

/* ---- sets ---- */

/* Whether a descriptor stands in the capture: it was written, or a dynamic offset belongs to it. */
static bool is_listed(const struct ws_layout_binding *binding, const struct ws_slot *slot)
{
    return slot->written || ws_descriptor_is_dynamic(binding->type);
}

/* What the capture has of a slot. `*unresolved`: it may have more later. */
static struct ws_descriptor describe(struct ws_device *device, const struct ws_layout_binding *binding,
                                     uint32_t element, const struct ws_slot *slot, bool *unresolved)
{
    struct ws_descriptor descriptor = {
        .binding = binding->binding,
        .element = element,
        .type = slot->written ? slot->type : binding->type,
        .resource = WS_NONE,
        .offset = slot->offset,
        .range = slot->range,
    };
    if (!slot->written)
        return descriptor;
    if (slot->type != VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR) {
        if (slot->resource != WS_NONE && ws_resource_is_written(device, slot->resource))
            descriptor.resource = slot->resource;
        return descriptor;
    }
    /* A structure may be built later than its descriptor was written. */
    if (device->find_structure != NULL && slot->handle != 0) {
        descriptor.resource = device->find_structure(device, (VkAccelerationStructureKHR)slot->handle);
        *unresolved = *unresolved || descriptor.resource == WS_NONE;
    }
    return descriptor;
}

/* `slots` are those of the set, as they stood. */
static void list_descriptors(struct ws_device *device, const struct ws_set *set, const struct ws_slot *slots,
                             struct ws_chunk_set *chunk, struct ws_descriptor *descriptors, bool *unresolved)
{
    for (uint32_t i = 0; i < set->layout->count; i++) {
        const struct ws_layout_binding *binding = &set->layout->bindings[i];
        for (uint32_t j = 0; j < binding->count && binding->first + j < set->slot_count; j++) {
            const struct ws_slot *slot = &slots[binding->first + j];
            if (!is_listed(binding, slot))
                continue;
            if (chunk->descriptor_count == DESCRIPTORS_MAX)
                chunk->left_out++;
            else
                descriptors[chunk->descriptor_count++] = describe(device, binding, j, slot, unresolved);
        }
    }
}

/* What a set holds now; freed by the caller. Copied with the lock, for as long as a thread that updates sets can wait: what the
 * descriptors are is found out without it. NULL where that is in the capture, where nothing is known of it (then `*known` is
 * false), or without memory (likewise). */
static struct ws_slot *take_slots(struct ws_device *device, const struct ws_set *set, uint64_t batch,
                                  uint64_t *version, bool *known)
{
    struct ws_slot *slots = NULL;
    ws_lock(&device->image_lock);
    *version = set->version;
    *known = set->slots != NULL;
    const bool is_written = set->written == set->version + 1 && (!set->unresolved || set->batch == batch);
    if (*known && !is_written) {
        slots = malloc(((size_t)set->slot_count + 1) * sizeof(*slots));
        if (slots != NULL)
            memcpy(slots, set->slots, set->slot_count * sizeof(*slots));
        *known = slots != NULL;
    }
    ws_unlock(&device->image_lock);
    return slots;
}

/* Writes what the set holds now, unless that is in the capture. What was written with a structure that is not known is
 * written again in a later batch, in which it may be. False without memory. */
static bool write_set(struct ws_device *device, struct ws_set *set, uint64_t batch)
{
    struct ws_error error = {0};
    bool unresolved = false;
    const uint32_t room = set->slot_count < DESCRIPTORS_MAX ? set->slot_count : DESCRIPTORS_MAX;
    uint64_t version = 0;
    bool known = false;
    struct ws_slot *slots = take_slots(device, set, batch, &version, &known);
    if (slots == NULL)
        return known;
    struct ws_descriptor *descriptors = calloc((size_t)room + 1, sizeof(*descriptors));
    struct ws_chunk_set chunk = {.owner = set->owner, .descriptors = descriptors};
    if (descriptors != NULL)
        list_descriptors(device, set, slots, &chunk, descriptors, &unresolved);
    free(slots);
    if (descriptors == NULL)
        return false;
    chunk.id = ws_capture_next(&device->capture->next_set);
    ws_capture_check(NULL, ws_capture_write_set(device->capture->writer, &chunk, &error), &error);
    free(descriptors);
    set->state = chunk.id;
    set->written = version + 1;
    set->unresolved = unresolved;
    set->batch = batch;
    return true;
}

/* ---- launches ---- */

/* The launches of a batch that one chunk says something of. */
struct writing {
    struct ws_bound_launch *launches;
    struct ws_bound_use *uses;
    struct ws_bound_set *sets;
    uint32_t launch_count;
    uint32_t use_count;
    uint32_t set_count;
    uint64_t batch; /* the first launch of the batch */
};

static uint32_t count_sets(const struct ws_recorded_launch *launch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < launch->state_count; i++)
        count += launch->states[i].state != NULL ? launch->states[i].state->count : 1;
    return count;
}

static void add_set(struct ws_device *device, struct writing *writing, const struct ws_bound_state *state,
                    const struct ws_bound_one *one)
{
    struct ws_bound_set *set = &writing->sets[writing->set_count++];
    *set = (struct ws_bound_set){.set = one->number, .reason = one->reason, .state = WS_NONE};
    if (one->set == NULL)
        return;
    if (!write_set(device, one->set, writing->batch)) {
        set->reason = WS_BOUND_NOT_FOLLOWED;
        return;
    }
    set->state = one->set->state;
    set->offsets = &state->offsets[one->first];
    set->offset_count = one->count;
}

static void add_launch(struct ws_device *device, struct writing *writing,
                       const struct ws_recorded_launch *recorded, uint64_t index)
{
    struct ws_bound_launch *launch = &writing->launches[writing->launch_count++];
    *launch = (struct ws_bound_launch){
        .launch = index, .uses = &writing->uses[writing->use_count], .use_count = recorded->state_count};
    for (uint32_t i = 0; i < recorded->state_count; i++) {
        const struct ws_bound_state *state = recorded->states[i].state;
        struct ws_bound_use *use = &writing->uses[writing->use_count++];
        *use = (struct ws_bound_use){.pipeline = recorded->states[i].pipeline,
                                     .sets = &writing->sets[writing->set_count]};
        for (uint32_t j = 0; state != NULL && j < state->count; j++)
            add_set(device, writing, state, &state->sets[j]);
        if (state == NULL)
            writing->sets[writing->set_count++] =
                (struct ws_bound_set){WS_NONE, WS_BOUND_TOO_MUCH, WS_NONE, NULL, 0};
        use->set_count = (uint32_t)(&writing->sets[writing->set_count] - use->sets);
    }
}

static bool is_wanted(const struct ws_device *device, const struct ws_executed *executed, uint32_t index)
{
    return executed->selected > 0 && ws_executed_is_selected(device, executed, index) &&
           ws_executed_at(executed, index)->state_count > 0;
}

/* Writes what launches `first` to `end` - 1 have bound. Without memory that is not known. */
static void write_piece(struct ws_device *device, uint64_t batch, const struct ws_executed *executed,
                        uint32_t first, uint32_t end)
{
    uint64_t launches = 0, uses = 0, sets = 0;
    struct ws_error error = {0};
    for (uint32_t i = first; i < end; i++) {
        if (!is_wanted(device, executed, i))
            continue;
        launches++;
        uses += ws_executed_at(executed, i)->state_count;
        sets += count_sets(ws_executed_at(executed, i));
    }
    struct writing writing = {
        .launches = calloc((size_t)launches + 1, sizeof(*writing.launches)),
        .uses = calloc((size_t)uses + 1, sizeof(*writing.uses)),
        .sets = calloc((size_t)sets + 1, sizeof(*writing.sets)),
        .batch = batch,
    };
    const bool made = writing.launches != NULL && writing.uses != NULL && writing.sets != NULL;
    for (uint32_t i = first; made && i < end; i++)
        if (is_wanted(device, executed, i))
            add_launch(device, &writing, ws_executed_at(executed, i), executed->first + i);
    const struct ws_chunk_bound chunk = {writing.launches, writing.launch_count};
    if (made && launches > 0)
        ws_capture_check(NULL, ws_capture_write_bound(device->capture->writer, &chunk, &error), &error);
    else if (!made)
        ws_message(device->instance, WS_WARNING,
                   "out of memory: what some launches have bound is not in the capture");
    free(writing.launches);
    free(writing.uses);
    free(writing.sets);
}

static void write_executed(struct ws_device *device, uint64_t batch, const struct ws_executed *executed)
{
    const uint32_t count = ws_executed_count(executed);
    uint32_t first = 0;
    uint64_t uses = 0;
    for (uint32_t i = 0; i < count; i++) {
        uses += ws_executed_at(executed, i)->state_count;
        if (uses < USES_MAX)
            continue;
        write_piece(device, batch, executed, first, i + 1);
        first = i + 1;
        uses = 0;
    }
    if (first < count)
        write_piece(device, batch, executed, first, count);
}

void ws_bound_write(struct ws_device *device, const struct ws_batch *batch)
{
    bool begun = false;
    for (uint32_t i = 0; device->resources != NULL && i < batch->executed_count; i++) {
        const struct ws_executed *executed = &batch->executed[i];
        if (executed->selected == 0)
            continue;
        if (!begun)
            ws_resources_write(device, executed->first);
        begun = true;
        write_executed(device, batch->executed[0].first, executed);
    }
}
