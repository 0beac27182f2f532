/* What a descriptor set holds, as it was written last. Calls no Vulkan.
 *
 * Sets and their layouts are counted references: a recorded launch keeps those that it had bound, so that a submission finds
 * what they hold then. Once the application has freed a set its content stays what it was, and nobody may submit it.
 *
 * References may be taken and given back on any thread. What sets hold is guarded by device->image_lock; what was pushed is
 * its command buffer's until a launch has kept it, and is not changed any more then. */
#ifndef WS_LAYER_RESOURCES_SET_CONTENT_H
#define WS_LAYER_RESOURCES_SET_CONTENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/sampler.h"

struct ws_device;

/* Descriptors of a set, at most. What has more is not followed. */
#define WS_SET_SLOTS_MAX (1u << 22)

/* A descriptor. Zero-initialised is none. */
struct ws_slot {
    uint32_t type;     /* VkDescriptorType as it was written */
    uint32_t resource; /* id of the buffer or view; WS_NONE = not known */
    bool written;
    bool changed;    /* since the set was written to the capture: it stands in its `changes` */
    uint32_t layout; /* VkImageLayout of an image */
    uint64_t handle; /* of an image view or an acceleration structure */
    uint64_t offset; /* in the buffer; of a sampler, and of an image with one, its words (sampler.h) */
    uint64_t range;  /* of an inline uniform block its bytes; likewise */
};

struct ws_layout_binding {
    _Alignas(struct ws_sampler_words) uint32_t binding; /* samplers stand behind bindings */
    uint32_t type;
    uint32_t count;     /* of slots: an inline uniform block has one */
    uint32_t first;     /* its first slot */
    bool unsure;        /* may be updated after it is bound, or need not be valid */
    uint32_t immutable; /* the first of its samplers in the layout's; WS_NONE = descriptors have their own */
};

struct ws_set_layout {
    _Atomic uint32_t references;
    uint32_t count;
    uint32_t slot_count;
    bool variable;                     /* a set may have fewer descriptors in its last binding */
    struct ws_sampler_words *samplers; /* immutable ones, behind the bindings */
    uint32_t sampler_count;
    struct ws_layout_binding bindings[]; /* by number */
};

struct ws_set {
    _Atomic uint32_t references;
    struct ws_set_layout *layout; /* NULL = not known */
    struct ws_slot *slots;        /* NULL = they are not followed */
    uint32_t slot_count;
    uint32_t owner;   /* number of the set */
    bool freed;       /* by the application */
    uint64_t version; /* rises with each change */
    /* Slots that changed since the set was written to the capture, each once; unless `changed_wholly`: then it is not known
     * which did, or they are so many that the set is written as a whole. */
    uint32_t *changes;
    uint32_t change_count;
    uint32_t change_capacity;
    bool changed_wholly;

    /* Of the set as it was written to the capture. Guarded by the submission lock. */
    uint64_t written; /* version + 1; 0 = never */
    uint64_t batch;   /* the first launch of the batch that wrote it */
    bool unresolved;  /* with a structure that was not known */
    uint32_t state;
    uint32_t since_whole; /* changes that were written since it was written as a whole */
};

/* Tells what a sampler is; none where that is not known. */
typedef struct ws_sampler_words ws_set_find_sampler(struct ws_device *device, VkSampler sampler);

/* NULL without memory, or with too many descriptors. `find`, with `device`, is asked for immutable samplers. */
struct ws_set_layout *ws_set_layout_create(const VkDescriptorSetLayoutCreateInfo *info,
                                           ws_set_find_sampler *find, struct ws_device *device);
struct ws_set_layout *ws_set_layout_reference(struct ws_set_layout *layout); /* NULL is accepted */
void ws_set_layout_release(struct ws_set_layout *layout);                    /* likewise */

/* Whether sets of both have the same descriptors. NULL is like nothing. */
bool ws_set_layout_equals(const struct ws_set_layout *one, const struct ws_set_layout *other);

/* The binding of that number; NULL = there is none. */
const struct ws_layout_binding *ws_set_layout_find(const struct ws_set_layout *layout, uint32_t binding);

/* How many descriptors with dynamic offsets a set has. */
uint32_t ws_set_layout_count_dynamic(const struct ws_set_layout *layout);

/* Whether descriptors of a type (VkDescriptorType) have a dynamic offset. */
bool ws_descriptor_is_dynamic(uint32_t type);

/* A set without descriptors, with one reference. `layout` may be NULL. `variable`: descriptors of its last binding, where the
 * layout leaves that open. NULL without memory. */
struct ws_set *ws_set_create(struct ws_set_layout *layout, uint32_t variable);
struct ws_set *ws_set_copy(const struct ws_set *set);
struct ws_set *ws_set_reference(struct ws_set *set);
void ws_set_release(struct ws_set *set); /* NULL is accepted */

/* The index of a descriptor among the slots; WS_NONE = there is no such. Those behind the last of a binding are those of the
 * next (the specification, VkWriteDescriptorSet), and so are the slots. */
uint32_t ws_set_slot(const struct ws_set *set, uint32_t binding, uint32_t element);

/* Writes a slot; one that does not exist is left alone. */
void ws_set_put(struct ws_set *set, uint32_t index, const struct ws_slot *slot);

/* Nothing has changed from now on; `changed_wholly` stays. */
void ws_set_forget_changes(struct ws_set *set);

#endif
