/* A driver of nothing but memory, queues and command buffers, below the layer's own code: it runs what was
 * submitted when it is told to, or waited for, so that a test decides what is pending. It has two queues, a
 * timeline semaphore, and one compute shader, whose dispatches add the number of groups to its first word
 * and, where it records, append as many records of MOCK_RECORD words: the number of groups, and 0, 1, 2, ...
 */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_DRIVER_H
#define WS_TESTS_UNIT_LAYER_MOCK_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define MOCK_QUEUES  2
#define MOCK_WRITTEN 64
#define MOCK_BINS    4
#define MOCK_RECORD  2
#define MOCK_WORDS   256

/* A launch that reached the capture. */
struct mock_written {
    uint64_t index;
    uint32_t queue;
    uint32_t frame;
    uint32_t flags; /* of the submission */
    uint32_t groups;
    bool measured; /* has its shader's rows; their first word is `counted` */
    uint32_t counted;
};

/* A RECS chunk. */
struct mock_records {
    uint64_t submission;
    uint64_t launch;
    uint32_t flags;
    uint32_t position;
    uint32_t first;
    uint64_t missing;
    uint64_t sufficient;
    uint32_t word_count;
    uint32_t words[MOCK_WORDS]; /* the first of them */
};

/* A chunk about geometry, or a name: its type, and what it says as far as it has that. */
struct mock_geometry {
    uint32_t type;   /* WS_CHUNK_* */
    uint32_t id;     /* structure */
    uint32_t source; /* structure */
    uint64_t moment;
    uint64_t address;
    uint64_t hash[2];
    uint32_t mode;
    char name[32];
    uint32_t written; /* how many launches were written before it */
};

struct mock {
    VkQueue queues[MOCK_QUEUES];
    VkSemaphore timeline;
    uint64_t timeline_value;
    uint32_t waits;         /* calls of vkWaitForFences that the layer made and that had to wait */
    bool no_host_memory;    /* allocations of host-visible memory fail */
    uint32_t submit_fails;  /* the next so many vkQueueSubmit fail ... */
    VkResult submit_error;  /* ... with this */
    bool lost;              /* nothing more is run */
    uint32_t fails_at;      /* that making of memory, a buffer, a command buffer or a fence fails; 0 = none */
    uint32_t made;          /* how many were asked for */
    VkDeviceSize too_large; /* no memory of the device is given for so much; 0 = for everything */
    uint32_t invalidations; /* calls of vkInvalidateMappedMemoryRanges */
    bool control_zeroed;    /* the control block took nothing when the root block was pointed at it */
    uint32_t masks[8];      /* of the latest batch with a VkDeviceGroupSubmitInfo */
    uint32_t mask_count;
    bool write_fails;       /* no RECS chunk can be written */
    uint32_t host_fails_at; /* that allocation of host memory by the layer fails; 0 = none */
    uint32_t host_made;     /* how many it asked for */

    struct mock_written written[MOCK_WRITTEN];
    uint32_t written_count;
    uint64_t skipped; /* launches of SKIP chunks */
    struct mock_records records[MOCK_WRITTEN];
    uint32_t records_count;
    uint64_t records_skipped; /* launches whose records are, of SKIP chunks */
    struct mock_geometry geometry[MOCK_WRITTEN];
    uint32_t geometry_count;
    uint64_t geometry_skipped; /* of SKIP chunks */
    char said[512];            /* the latest message */
    uint32_t said_count;
};

extern struct mock mock;

/* A device with the layer's command buffers and submissions active on it, whose shader has that many rows
 * of MOCK_BINS words. */
void mock_init(uint32_t rows);
void mock_finish(void);

/* The same, with a shader of one row that records, into buffers of `size` bytes that may grow to `limit`. The
 * device's memory is also the host's when it is `unified`, and then not coherent. */
void mock_init_records(bool unified, uint64_t size, uint64_t limit);

/* Its settings, to be changed before anything is submitted. */
struct ws_settings;
extern struct ws_settings mock_settings;

/* A primary command buffer of one dispatch, recorded through the layer. */
VkCommandBuffer mock_dispatching(uint32_t groups);

/* The same of several. */
VkCommandBuffer mock_dispatching_each(uint32_t count, const uint32_t *groups);

/* One that is being recorded, and a dispatch in it. */
VkCommandBuffer mock_begun(VkCommandBufferLevel level);
void mock_dispatch(VkCommandBuffer commands, uint32_t groups);

/* Submits through the layer, with an optional wait for or signal of the timeline semaphore (0 = none). */
VkResult mock_submit(uint32_t queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal, VkFence fence);
VkResult mock_submit_info(uint32_t queue, const VkSubmitInfo *info, VkFence fence);

/* Runs what can run. */
void mock_run(void);

/* The hook of a function, by its name with `vk`. */
PFN_vkVoidFunction mock_hook(const char *name);

VkDevice mock_device(void);

#endif
