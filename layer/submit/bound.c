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

/* What a set holds, as it stood. */
struct taken {
    struct ws_slot *slots; /* owned; NULL = there is nothing to write */
    uint32_t *indices;     /* owned: of each its number, rising; NULL = they are all slots of the set */
    uint32_t count;
    uint64_t version;
    bool known; /* false: nothing is known of the set, or there is no memory */
};

static void taken_finish(struct taken *taken)
{
    free(taken->slots);
    free(taken->indices);
}

/* The binding of a slot, by its number; the set has it. */
static const struct ws_layout_binding *binding_of(const struct ws_set_layout *layout, uint32_t index)
{
    uint32_t low = 0;
    uint32_t high = layout->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (layout->bindings[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &layout->bindings[low];
}

/* Lists up to `most` descriptors of those that were taken. Returns how many more there are. */
static uint32_t list_descriptors(struct ws_device *device, const struct ws_set *set,
                                 const struct taken *taken, struct ws_descriptor *descriptors, uint32_t most,
                                 uint32_t *count, bool *unresolved)
{
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < taken->count; i++) {
        const uint32_t index = taken->indices != NULL ? taken->indices[i] : i;
        const struct ws_layout_binding *binding = binding_of(set->layout, index);
        if (!is_listed(binding, &taken->slots[i]))
            continue;
        if (*count == most)
            left_out++;
        else
            descriptors[(*count)++] =
                describe(device, binding, index - binding->first, &taken->slots[i], unresolved);
    }
    return left_out;
}

static int compare_indices(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Copies the slots that changed, or all. False without memory. With the lock. */
static bool copy_slots(struct ws_set *set, bool whole, struct taken *taken)
{
    taken->count = whole ? set->slot_count : set->change_count;
    taken->slots = malloc(((size_t)taken->count + 1) * sizeof(*taken->slots));
    if (whole && taken->slots != NULL) {
        memcpy(taken->slots, set->slots, taken->count * sizeof(*taken->slots));
    } else if (taken->slots != NULL) {
        taken->indices = malloc(((size_t)taken->count + 1) * sizeof(*taken->indices));
        if (taken->indices == NULL)
            return false;
        memcpy(taken->indices, set->changes, taken->count * sizeof(*taken->indices));
        qsort(taken->indices, taken->count, sizeof(*taken->indices), compare_indices);
        for (uint32_t i = 0; i < taken->count; i++)
            taken->slots[i] = set->slots[taken->indices[i]];
    }
    return taken->slots != NULL;
}

/* Takes what of a set is not in the capture: what changed since it was written, or all. From time to time all, so that a reader
 * who misses a state knows those from there on. All too where more changed than a chunk has: what a change leaves out would be
 * taken to be as it was. Copied with the lock, for as long as a thread that updates sets can wait: what
 * the descriptors are is found out without it. */
static struct taken take_slots(struct ws_device *device, struct ws_set *set, uint64_t batch)
{
    struct taken taken = {0};
    ws_lock(&device->image_lock);
    taken.version = set->version;
    taken.known = set->slots != NULL;
    const bool is_written = set->written == set->version + 1 && (!set->unresolved || set->batch == batch);
    if (taken.known && !is_written) {
        const bool whole = set->written == 0 || set->unresolved || set->changed_wholly ||
                           set->change_count > DESCRIPTORS_MAX ||
                           set->since_whole + set->change_count > set->slot_count;
        taken.known = copy_slots(set, whole, &taken);
        ws_set_forget_changes(set);
        set->changed_wholly = !taken.known;
    }
    ws_unlock(&device->image_lock);
    if (!taken.known) {
        taken_finish(&taken);
        taken.slots = NULL;
    }
    return taken;
}

static void write_whole(struct ws_device *device, struct ws_set *set, uint32_t id,
                        const struct ws_descriptor *descriptors, uint32_t count, uint32_t left_out)
{
    struct ws_error error = {0};
    const struct ws_chunk_set chunk = {.id = id,
                                       .owner = set->owner,
                                       .left_out = left_out,
                                       .descriptors = descriptors,
                                       .descriptor_count = count};
    ws_capture_check(NULL, ws_capture_write_set(device->capture->writer, &chunk, &error), &error);
    set->since_whole = 0;
}

static void write_change(struct ws_device *device, struct ws_set *set, uint32_t id,
                         const struct ws_descriptor *descriptors, uint32_t count)
{
    struct ws_error error = {0};
    const struct ws_chunk_set_change chunk = {
        .id = id, .base = set->state, .descriptors = descriptors, .descriptor_count = count};
    ws_capture_check(NULL, ws_capture_write_set_change(device->capture->writer, &chunk, &error), &error);
    set->since_whole += count;
}

/* Writes what the set holds now, unless that is in the capture. What was written with a structure that is not known is
 * written again in a later batch, in which it may be. False without memory. */
static bool write_set(struct ws_device *device, struct ws_set *set, uint64_t batch)
{
    bool unresolved = false;
    uint32_t count = 0;
    struct taken taken = take_slots(device, set, batch);
    if (taken.slots == NULL)
        return taken.known;
    const uint32_t room = taken.count < DESCRIPTORS_MAX ? taken.count : DESCRIPTORS_MAX;
    struct ws_descriptor *descriptors = calloc((size_t)room + 1, sizeof(*descriptors));
    if (descriptors == NULL) {
        set->written = 0; /* as a whole, the next time */
        taken_finish(&taken);
        return false;
    }
    const uint32_t left_out = list_descriptors(device, set, &taken, descriptors, room, &count, &unresolved);
    const uint32_t id = ws_capture_next(&device->capture->next_set);
    if (taken.indices == NULL)
        write_whole(device, set, id, descriptors, count, left_out);
    else
        write_change(device, set, id, descriptors, count);
    set->state = id;
    set->written = taken.version + 1;
    set->unresolved = unresolved;
    set->batch = batch;
    free(descriptors);
    taken_finish(&taken);
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
    if (launches == 0)
        return;
    struct writing writing = {.batch = batch};
    /* One piece, since this is done for every submission. */
    writing.launches = malloc((size_t)(launches * sizeof(*writing.launches) + uses * sizeof(*writing.uses) +
                                       sets * sizeof(*writing.sets)));
    if (writing.launches == NULL) {
        ws_message(device->instance, WS_WARNING,
                   "out of memory: what some launches have bound is not in the capture");
        return;
    }
    writing.uses = (struct ws_bound_use *)(writing.launches + launches);
    writing.sets = (struct ws_bound_set *)(writing.uses + uses);
    for (uint32_t i = first; i < end; i++)
        if (is_wanted(device, executed, i))
            add_launch(device, &writing, ws_executed_at(executed, i), executed->first + i);
    const struct ws_chunk_bound chunk = {writing.launches, writing.launch_count};
    ws_capture_check(NULL, ws_capture_write_bound(device->capture->writer, &chunk, &error), &error);
    free(writing.launches);
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
