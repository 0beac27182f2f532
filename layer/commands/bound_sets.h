/* The descriptor sets that are bound in a command buffer, and the descriptors that were pushed into it, where images are
 * captured (setting `image`). */
#ifndef WS_LAYER_COMMANDS_BOUND_SETS_H
#define WS_LAYER_COMMANDS_BOUND_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/image/descriptor_set.h"

/* Sets whose numbers are not below this are not known. */
#define WS_BOUND_SETS 32

/* What was pushed as one set. */
struct ws_pushed_set {
    enum ws_bind_point point;
    uint32_t set;
    struct ws_image_descriptors images;
};

/* Zero-initialise. */
struct ws_bound_sets {
    VkDescriptorSet sets[WS_BIND_POINT_COUNT][WS_BOUND_SETS]; /* VK_NULL_HANDLE = none is bound */
    struct ws_pushed_set *pushed;
    uint32_t pushed_count;
    uint32_t pushed_capacity;
    bool elsewhere; /* the application has bound descriptor buffers or heaps, which are not followed */
};

void ws_bound_sets_finish(struct ws_bound_sets *bound);

/* Forgets all, for a new recording. NULL is accepted. */
void ws_bound_sets_clear(struct ws_bound_sets *bound);

/* Copies the storage image at `binding` of a set. False where it is not known, and `*reason` receives why, static. */
bool ws_bound_sets_find(struct ws_device *device, const struct ws_bound_sets *bound, enum ws_bind_point point,
                        uint32_t set, uint32_t binding, struct ws_image_descriptor *descriptor,
                        const char **reason);

#endif
