/* A driver of nothing but memory, queues and command buffers, below the layer's own code: it runs what was
 * submitted when it is told to, or waited for, so that a test decides what is pending. It has two queues, a
 * timeline semaphore, and one compute shader, whose dispatches add the number of groups to its first word. */
#ifndef WS_TESTS_MOCK_DRIVER_H
#define WS_TESTS_MOCK_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define MOCK_QUEUES  2
#define MOCK_WRITTEN 64
#define MOCK_BINS    4

/* An invocation that reached the capture. */
struct mock_written {
    uint64_t index;
    uint32_t queue;
    uint32_t frame;
    uint32_t flags; /* of the submission */
    uint32_t groups;
    bool measured; /* has its shader's rows; their first word is `counted` */
    uint32_t counted;
};

struct mock {
    VkQueue queues[MOCK_QUEUES];
    VkSemaphore timeline;
    uint64_t timeline_value;
    uint32_t waits;        /* calls of vkWaitForFences that the layer made and that had to wait */
    bool no_host_memory;   /* allocations of host-visible memory fail */
    uint32_t submit_fails; /* the next so many vkQueueSubmit fail ... */
    VkResult submit_error; /* ... with this */
    bool lost;             /* nothing more is run */

    struct mock_written written[MOCK_WRITTEN];
    uint32_t written_count;
    uint64_t skipped; /* invocations of SKIP chunks */
};

extern struct mock mock;

/* A device with the layer's command buffers and submissions active on it, whose shader has that many rows
 * of MOCK_BINS words. */
void mock_init(uint32_t rows);
void mock_finish(void);

/* A primary command buffer of one dispatch, recorded through the layer. */
VkCommandBuffer mock_dispatching(uint32_t groups);

/* Submits through the layer, with an optional wait for or signal of the timeline semaphore (0 = none). */
VkResult mock_submit(uint32_t queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal, VkFence fence);
VkResult mock_submit_info(uint32_t queue, const VkSubmitInfo *info, VkFence fence);

/* Runs what can run. */
void mock_run(void);

/* The hook of a function, by its name with `vk`. */
PFN_vkVoidFunction mock_hook(const char *name);

VkDevice mock_device(void);

#endif
