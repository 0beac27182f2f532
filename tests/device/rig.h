/* A Vulkan 1.3 device for tests of the layer's command buffers and submissions, and test cases that run in a
 * process of their own, because a process has one capture. */
#ifndef WS_TESTS_DEVICE_RIG_H
#define WS_TESTS_DEVICE_RIG_H

#include "examples/base/bindings.h"
#include "examples/base/memory.h"
#include "tests/device/recorded.h"
#include "tests/device/recorded_streams.h"

#define RIG_QUEUES 2

/* What a test needs beyond synchronization2, timeline semaphores and dynamic rendering. All may be zero. */
struct rig_request {
    const char *const *instance_extensions; /* ended by NULL */
    const char *const *extensions;          /* of the device; ended by NULL */
    VkPhysicalDeviceFeatures features;
    VkPhysicalDeviceVulkan12Features features12; /* only its features are looked at */
    void *chain;                                 /* structs of further features */
    const void *instance_chain;                  /* of the VkInstanceCreateInfo */
};

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

/* `request` may be NULL. Several rigs at once need volkLoadInstance after the last one was made, for
 * functions that are of no single device. */
void rig_init(struct rig *rig, const struct rig_request *request);
void rig_finish(struct rig *rig);

/* count.comp without specialization. */
extern const struct ws_gpu_shader rig_count;

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

/* From here on keeps what the process says on stderr, the layer included, for rig_count_messages. */
int rig_keep_messages(void);

/* How often `text` stands in what was kept. Stderr is stdout then. */
uint32_t rig_count_messages(int messages, const char *text);

/* Whether `text` stands in a line of the report on the case's capture, by the command that the environment
 * variable WS_TEST_COMMAND names. */
bool rig_report_says(const char *text);

/* How the process of a case ends. */
enum rig_end {
    RIG_ENDS_WELL,    /* with status 0, its capture complete and without errors */
    RIG_UNFINISHED,   /* with status 0, its capture cut short */
    RIG_KILLED,       /* by a signal, its capture cut short */
    RIG_KILLED_WHOLE, /* by a signal, its capture complete and without errors */
    RIG_UNRECORDED,   /* with status 0, without a capture */
};

/* A case: what a process does, and what its capture must hold then. */
struct rig_case {
    const char *name;
    void (*run)(struct rig *rig);
    void (*check)(const struct recorded *recorded); /* after the process has ended; may be NULL */
    void (*check_streams)(
        const struct recorded_streams *streams); /* likewise, of records that agree with it */
    const char *setting;                         /* an environment variable, NULL = none */
    const char *value;
    const struct rig_request *request; /* without a device that fits, the case is skipped */
    enum rig_end end;
    bool own_rigs; /* `run` is given no rig and makes its own */
};

/* Runs all cases (or those whose name is an argument) and returns the exit status of the test: 77 where
 * all were skipped. */
int rig_main(const struct rig_case *cases, size_t count, int argc, char **argv);

/* Whether a pass of the environment's records. */
bool rig_records(void);

/* The capture of the case under way. */
const char *rig_capture(void);

#endif
