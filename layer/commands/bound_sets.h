/* The descriptor sets that are bound in a command buffer, and the descriptors that were pushed into it, where images are
 * captured (setting `image`) or it is followed what is bound (setting `bindings`). By the thread that records the command
 * buffer, which the application synchronizes; the sets themselves have a lock (resources/descriptor_set.h). */
#ifndef WS_LAYER_COMMANDS_BOUND_SETS_H
#define WS_LAYER_COMMANDS_BOUND_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/commands/bound_state.h"
#include "layer/resources/descriptor_set.h"

struct ws_command_buffer;

/* Sets whose numbers are not below this are not known. */
#define WS_BOUND_SETS 32

/* What is bound as one set. */
struct ws_bound_slot {
    bool bound;
    bool pushed;     /* its descriptors were, and may be more */
    uint32_t reason; /* enum ws_bound_reason */
    struct ws_set *
        set; /* referenced; NULL unless it is known. Of what was pushed it is this command buffer's alone, until a
                           state has it */
    struct ws_pipeline_layout *layout; /* that it was bound by, referenced; NULL = not known */
    uint32_t *offsets;                 /* dynamic */
    uint32_t offset_count;
    uint32_t offset_capacity;
};

/* Zero-initialise. */
struct ws_bound_sets {
    struct ws_bound_slot slots[WS_BIND_POINT_COUNT][WS_BOUND_SETS];
    struct ws_bound_state *states[WS_BIND_POINT_COUNT]; /* of what is bound now; NULL = none was made */
    /* The application has bound descriptor buffers or a heap, which are not followed: enum ws_bound_reason. */
    uint32_t elsewhere;
    bool beyond; /* sets of WS_BOUND_SETS and more, which are not followed */
};

/* Frees it, which was allocated, with all that it holds. NULL is accepted. */
void ws_bound_sets_finish(struct ws_bound_sets *bound);

/* Forgets all, for a new recording. NULL is accepted. */
void ws_bound_sets_clear(struct ws_bound_sets *bound);

/* Copies the storage image at `binding` of a set. False where it is not known, and `*reason` receives why, static. */
bool ws_bound_sets_find(struct ws_device *device, const struct ws_bound_sets *bound, enum ws_bind_point point,
                        uint32_t set, uint32_t binding, struct ws_image_descriptor *descriptor,
                        const char **reason);

/* Adds to `uses` what the next dispatch, trace or draw runs, and what it has bound. `any`: it may run others too, of an
 * indirect execution set. */
void ws_bound_sets_use(struct ws_command_buffer *commands, enum ws_bind_point point, bool any,
                       struct ws_uses *uses);

#endif
