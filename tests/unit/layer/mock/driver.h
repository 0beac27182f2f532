/* A mock driver below the layer's own code, with memory, queues and command buffers. It runs what was submitted only when
 * mock_run is called, or something is waited for, so the test decides what is pending. It has two queues, one more that only
 * binds sparse memory, a timeline semaphore, an event that the host sets, and two compute shaders. A dispatch adds its number
 * of groups to the first word of its shader's rows. If the shader records, it also appends as many records as it has groups,
 * of MOCK_RECORD words each: the number of groups, and 0, 1, 2, ... Its clock goes on by 1 with each command, and by as much
 * more as a dispatch has groups: so the two timestamps around one are its groups and 2 apart. Threads may record command
 * buffers, submit and wait at the same time. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_DRIVER_H
#define WS_TESTS_UNIT_LAYER_MOCK_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define MOCK_QUEUES  3
#define MOCK_WRITTEN 64
#define MOCK_BINS    4
#define MOCK_RECORD  2
#define MOCK_WORDS   256
/* Yield words of each shader; a dispatch adds its groups to the last of them. Six words are no multiple of the heap's
 * alignment. */
#define MOCK_YIELD_FIRST 10
#define MOCK_YIELD_COUNT 6

/* A launch that reached the capture. */
struct mock_written {
    uint64_t index;
    uint32_t queue;
    uint32_t frame;
    uint32_t flags; /* of the submission */
    uint32_t groups;
    bool measured; /* has its shader's rows; their first word is `counted` */
    uint32_t counted;
    uint32_t shader_count;
    uint32_t pipeline_count;
    uint32_t counts[2]; /* the first words of its first two shaders' rows */
    uint32_t yielded;   /* the last of its shader's yield words */
    bool timed;         /* was in a TIME chunk */
    uint32_t time_state;
    uint64_t ticks; /* between its timestamps */
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

/* A chunk about geometry, or a name: its type, and those of its fields that are here. */
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

/* A pipeline barrier of all memory; without memory `written` and `accessed` are 0. */
struct mock_barrier {
    VkPipelineStageFlags source;
    VkPipelineStageFlags target;
    VkAccessFlags written;
    VkAccessFlags accessed;
};

struct mock {
    VkQueue queues[MOCK_QUEUES + 1];
    VkSemaphore timeline;
    uint64_t timeline_value;
    bool event_set;
    uint32_t waits;         /* calls of vkWaitForFences by the layer that had to wait ... */
    uint32_t waits_locked;  /* ... with the submission lock entered */
    bool no_host_memory;    /* allocations of host-visible memory fail */
    uint32_t submit_fails;  /* so many of the next calls of vkQueueSubmit fail ... */
    VkResult submit_error;  /* ... with this */
    bool lost;              /* nothing more is run */
    uint32_t fails_at;      /* the creation of memory, buffer, command buffer or fence that fails; 0 = none */
    _Atomic uint32_t made;  /* how many creations were asked for */
    VkDeviceSize too_large; /* allocations of device memory fail from this size on; 0 = none does */
    uint32_t imported;      /* how often memory of the host was imported */
    bool import_fails;      /* none can be */
    uint32_t invalidations; /* calls of vkInvalidateMappedMemoryRanges */
    bool control_zeroed;    /* the control block had capacity 0 when the root block was pointed to it */
    uint64_t clock;         /* of the device, in ticks */
    uint32_t valid_bits;    /* of timestamps; mock_init sets 64 */
    uint32_t query_pools;   /* that exist */
    uint32_t masks[8];      /* of the latest batch with a VkDeviceGroupSubmitInfo */
    uint32_t mask_count;
    bool write_fails;                  /* no RECS chunk can be written */
    uint32_t host_fails_at;            /* the number of the layer's host allocation that fails; 0 = none */
    _Atomic uint32_t host_made;        /* how many host allocations it made */
    struct mock_barrier barrier;       /* the latest */
    struct mock_barrier before_a_copy; /* the latest before the latest copy of a buffer */

    struct mock_written written[MOCK_WRITTEN];
    uint32_t written_count;
    uint64_t skipped; /* launches that SKIP chunks count */
    struct mock_records records[MOCK_WRITTEN];
    uint32_t records_count;
    uint64_t records_skipped; /* launches without records that SKIP chunks count */
    struct mock_geometry geometry[MOCK_WRITTEN];
    uint32_t geometry_count;
    uint64_t geometry_skipped;   /* likewise: geometries */
    const char *geometry_reason; /* why the last of them was */
    bool whole;                  /* the capture was closed, since the chosen range is over ... */
    uint32_t whole_at;           /* ... when so many launches were written ... */
    uint32_t whole_said;         /* ... and so many messages said */
    char said[512];              /* the latest message */
    uint32_t said_count;
    uint32_t watched_count;           /* submissions that began to be watched (watch.h) */
    bool (*watched_over)(void *user); /* of the latest, while it is watched */
    void *watched_user;

    /* For more launches than fit into the lists above: they are checked and added up only. */
    bool tallies;
    struct mock_tally {
        uint64_t launches, counted; /* that were written, and what they counted */
        uint64_t records, words;    /* RECS chunks, and their words */
        uint64_t wrong;             /* launches, or chunks, that hold anything but what they should */
    } tally;
};

extern struct mock mock;

/* Makes a device on which the layer is active, whose shader has that many rows of MOCK_BINS words. */
void mock_init(uint32_t rows);
void mock_finish(void);

/* The same with a shader of one row that records, into buffers of `size` bytes that may grow to `limit`. With
 * `unified` the host reads the device's memory where it is, and that is not coherent. */
void mock_init_records(bool unified, uint64_t size, uint64_t limit);

/* After that, with `unified`: its memory is coherent, and the host writes to the control block where it is. */
void mock_show_control(void);

/* From then on the layer knows the queue that neither copies nor runs shaders: it is number MOCK_QUEUES. */
void mock_get_sparse_queue(void);

/* From now on its pipelines have no instrumented shaders. */
void mock_uninstrument(void);

/* Its settings, to be changed before anything is submitted. */
struct ws_settings;
extern struct ws_settings mock_settings;

/* A primary command buffer of one dispatch, recorded through the layer. */
VkCommandBuffer mock_dispatching(uint32_t groups);

/* The same of the other shader, which never records. */
VkCommandBuffer mock_dispatching_other(uint32_t groups);

/* A command buffer of one dispatch of the first shader, which waits for the event before it; in a secondary
 * command buffer, or by itself. */
VkCommandBuffer mock_dispatching_after_event(uint32_t groups, bool secondary);

/* The same of several. */
VkCommandBuffer mock_dispatching_each(uint32_t count, const uint32_t *groups);

/* A command buffer that is being recorded; and records a dispatch, or a draw, in one. */
VkCommandBuffer mock_begun(VkCommandBufferLevel level);
void mock_dispatch(VkCommandBuffer commands, uint32_t groups);
void mock_draw(VkCommandBuffer commands, uint32_t vertices);

/* The pipelines of its two shaders, as handles; the first is that of mock_dispatch. */
VkPipeline mock_pipeline(uint32_t index);

/* Submits through the layer. `wait` and `signal` are values of the timeline semaphore; 0 = none. */
VkResult mock_submit(uint32_t queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal, VkFence fence);
VkResult mock_submit_info(uint32_t queue, const VkSubmitInfo *info, VkFence fence);

/* Runs all that was submitted and does not wait for the timeline semaphore. */
void mock_run(void);

/* The layer's function of this name, which begins with `vk`. */
PFN_vkVoidFunction mock_hook(const char *name);

VkDevice mock_device(void);

#endif
