/* A Vulkan 1.3 device for tests of the layer's command buffers and submissions, and test cases that run in a
 * process of their own, because a process has one capture. */
#ifndef WS_TESTS_RIG_H
#define WS_TESTS_RIG_H

#include "bindings.h"
#include "memory.h"
#include "recorded.h"

#define RIG_QUEUES 2

struct rig {
    struct ws_gpu gpu; /* its queue is queues[0] */
    VkQueue queues[RIG_QUEUES];
    uint32_t queue_count; /* at least 1 */
    VkDebugUtilsMessengerEXT messenger;
    struct ws_gpu_bindings empty; /* a pipeline layout without bindings */
};

/* Ends the process with 1 and a message that names what failed. */
#define CHECK(condition) rig_check((condition), #condition, __FILE__, __LINE__)
void rig_check(bool condition, const char *text, const char *file, int line);

/* The device with synchronization2, timeline semaphores and dynamic rendering. */
void rig_init(struct rig *rig);
void rig_finish(struct rig *rig);

/* Whether there is such a device; says what is missing when there is none. */
bool rig_available(void);

/* A pipeline of count.comp with `size` threads per group. */
VkPipeline rig_count_pipeline(struct rig *rig, uint32_t size);

/* A command buffer of the rig's pool, or of a pool of its own. */
VkCommandBuffer rig_allocate(struct rig *rig, VkCommandBufferLevel level);

/* Begins a primary one. */
void rig_begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags);

/* Binds and dispatches. */
void rig_dispatch(VkCommandBuffer commands, VkPipeline pipeline, uint32_t groups);

VkFence rig_fence(struct rig *rig);

/* One batch of `count` command buffers, not waited for. */
void rig_submit(struct rig *rig, uint32_t count, const VkCommandBuffer *commands, VkFence fence);

/* A case: what a process does, and what its capture must hold then. */
struct rig_case {
    const char *name;
    void (*run)(struct rig *rig);
    void (*check)(const struct recorded *recorded); /* after the process has ended; may be NULL */
    const char *setting;                            /* an environment variable, NULL = none */
    const char *value;
};

/* Runs all cases (or those whose name is an argument) and returns the exit status of the test. */
int rig_main(const struct rig_case *cases, size_t count, int argc, char **argv);

/* The capture of the case under way. */
const char *rig_capture(void);

#endif
