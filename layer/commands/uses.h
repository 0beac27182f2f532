/* The pipelines and the instrumented shaders that a launch uses, and where the shaders' counter rows lie in
 * memory. Not thread-safe: it belongs to a command buffer that is being recorded. */
#ifndef WS_LAYER_COMMANDS_USES_H
#define WS_LAYER_COMMANDS_USES_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/bound_state.h"
#include "layer/shader/shader.h"

/* Combinations of a pipeline and of what is bound that are kept of a launch, at most: of a render pass with more draws no
 * more is known. */
#define WS_BOUND_USES_MAX 65536u

/* An indirect execution set that commands choose from. */
struct ws_used_set {
    uint64_t handle;  /* VkIndirectExecutionSetEXT */
    uint64_t version; /* of what is in it (execution_set.h), when the first of the commands was recorded */
};

/* What a pipeline had bound. */
struct ws_used_state {
    uint32_t
        pipeline; /* capture id; WS_NONE = each that has none of its own, as those of indirect execution sets */
    struct ws_bound_state *state; /* referenced; NULL = there are more than WS_BOUND_USES_MAX */
};

/* Zero-initialise. */
struct ws_uses {
    uint32_t *pipelines; /* capture ids */
    uint32_t pipeline_count;
    uint32_t pipeline_capacity;
    struct ws_shader **shaders; /* instrumented ones only */
    uint32_t shader_count;
    uint32_t shader_capacity;
    struct ws_used_set *sets; /* what was in them is among the lists above */
    uint32_t set_count;
    uint32_t set_capacity;
    struct ws_shader **held; /* of ws_uses_hold; referenced */
    uint32_t held_count;
    uint32_t held_capacity;
    struct ws_used_state *states; /* where it is followed what is bound */
    uint32_t state_count;
    uint32_t state_capacity;
    bool failed; /* something is missing: there was no memory */
};

/* Frees its memory, and gives back what it holds. */
void ws_uses_finish(struct ws_uses *uses);

/* Makes it empty, keeping its memory. */
void ws_uses_clear(struct ws_uses *uses);

/* Adds a pipeline with its shaders; or lists of both. The same may be in twice until ws_uses_settle. */
void ws_uses_add_pipeline(struct ws_uses *uses, const struct ws_pipeline *pipeline);
void ws_uses_add(struct ws_uses *uses, const uint32_t *pipelines, uint32_t pipeline_count,
                 struct ws_shader *const *shaders, uint32_t shader_count);

/* Adds a pipeline, by its capture id, that the application may destroy meanwhile, as one that stands unused in an execution
 * set: its shaders are referenced until the list is cleared. */
void ws_uses_hold(struct ws_uses *uses, uint32_t pipeline, struct ws_shader *const *shaders,
                  uint32_t shader_count);

/* Whether the set is noted with that version: then all that is in it has been added. */
bool ws_uses_has_set(const struct ws_uses *uses, const struct ws_used_set *set);

/* Notes sets, each handle once. */
void ws_uses_add_sets(struct ws_uses *uses, const struct ws_used_set *sets, uint32_t count);

/* Adds what pipelines had bound; takes references. A combination that was among the latest is not added again. */
void ws_uses_add_states(struct ws_uses *uses, const struct ws_used_state *states, uint32_t count);

/* Removes repetitions, and sorts the shaders by the place of their rows. Rows that are neighbours in memory
 * are then neighbours in the list, and one copy or fill does for all of them. */
void ws_uses_settle(struct ws_uses *uses);

/* Sorts shaders by the place of their rows. */
void ws_shaders_sort(struct ws_shader **shaders, uint32_t count);

/* The rows of shaders that are neighbours: `size` bytes at `offset` in `buffer`. */
struct ws_run {
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize size;
};

/* The longest run that begins with shader `*index` of `count` settled shaders; moves `*index` past it. False
 * when there are no more. */
bool ws_uses_next_run(struct ws_shader *const *shaders, uint32_t count, uint32_t *index, struct ws_run *run);

/* Bytes of the rows of all these shaders. */
VkDeviceSize ws_uses_size(struct ws_shader *const *shaders, uint32_t count);

/* Whether any of the shaders appends records. */
bool ws_uses_record(struct ws_shader *const *shaders, uint32_t count);

#endif
