/* What the mock driver's handles point to, and its functions: one file per object. For the mock's own files,
 * and tests that look into a command buffer. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_OBJECTS_H
#define WS_TESTS_UNIT_LAYER_MOCK_OBJECTS_H

#include "layer/core/device.h"
#include "layer/shader/shader.h"
#include "tests/unit/layer/mock/driver.h"

struct memory {
    char *data;
    bool imported; /* `data` is the layer's own */
};
struct buffer {
    char *data;
    VkDeviceSize size;
};
struct fence {
    bool signalled;
};
struct semaphore {
    bool timeline;
    uint64_t value; /* 1 = signalled, of a binary one */
};
enum operation_kind { DISPATCH, DRAW, COPY, FILL, UPDATE, EXECUTE, WAIT, RESET, WRITE, COPY_QUERIES };
enum { MOCK_QUERIES = 128 };
struct query_pool {
    uint64_t values[MOCK_QUERIES];
    enum { UNKNOWN, UNWRITTEN, WRITTEN } states[MOCK_QUERIES];
    struct query_pool *following; /* of all */
};
struct operation {
    enum operation_kind kind;
    uint32_t groups;
    const struct ws_shader *shader;   /* DISPATCH */
    const struct commands *secondary; /* EXECUTE */
    struct query_pool *queries;       /* RESET, WRITE, COPY_QUERIES: from `first` on */
    uint32_t first, query_count;
    struct buffer *source, *target;
    VkDeviceSize source_offset, target_offset, size;
    char data[80]; /* UPDATE */
};
struct commands {
    struct operation *operations;
    uint32_t count;
    struct commands *following; /* of all */
};
struct signal {
    uint64_t *value; /* of the semaphore */
    bool timeline;
    uint64_t target;
};
struct job {
    struct commands **commands;
    uint32_t count;
    struct signal waits[MOCK_QUEUES + 2], signals[MOCK_QUEUES + 2];
    uint32_t wait_count, signal_count;
    struct fence *fence;
};
struct queue {
    struct job *jobs;
    uint32_t count, done;
};

/* The one device of the layer, its capture, and its two shaders. */
extern struct ws_device mock_layer_device;
extern struct ws_shader mock_shader, mock_other_shader;
extern struct queue mock_queues[MOCK_QUEUES + 1];

/* The address that the root block points to. */
extern uint64_t mock_control;

/* Where the value of a semaphore is, and whether it is a timeline semaphore. */
uint64_t *mock_semaphore_value(VkSemaphore handle, bool *timeline);

/* Enter and leave the mock driver's own lock, which guards what its objects and `mock` share; a thread may enter it again. No
 * lock of the layer is entered within it. */
void mock_lock(void);
void mock_unlock(void);

/* Whether this creation is to fail: mock.fails_at. */
bool mock_fails(void);

/* The mock driver's own memory, which never fails: zeroed, or grown. */
void *mock_allocate(size_t size);
void *mock_grow(void *array, size_t count, size_t size);

void mock_memory_load(struct ws_device_dispatch *dispatch);
void mock_sync_load(struct ws_device_dispatch *dispatch);
void mock_commands_load(struct ws_device_dispatch *dispatch);
void mock_queries_load(struct ws_device_dispatch *dispatch);
void mock_queue_load(struct ws_device_dispatch *dispatch);
void mock_geometry_load(struct ws_device_dispatch *dispatch);
void mock_builds_load(struct ws_device_dispatch *dispatch);
void mock_application_load(struct ws_device_dispatch *dispatch);
void mock_bound_load(struct ws_device_dispatch *dispatch);

/* The hook of a function that only bound.c of the mock has; NULL = it has none. */
PFN_vkVoidFunction mock_bound_hook(const char *name);
void mock_bound_finish(void);

/* Runs what was recorded. */
void mock_commands_run(const struct commands *commands);

/* Adds to what is being recorded. */
void mock_add_operation(VkCommandBuffer commands, struct operation operation);

/* Runs RESET, WRITE or COPY_QUERIES. What the specification forbids fails the test. */
void mock_queries_run(const struct operation *operation);

/* Whether it waits for the event. */
bool mock_commands_wait(const struct commands *commands);

void mock_commands_finish(void);
void mock_builds_finish(void);
void mock_queries_finish(void);
void mock_queue_finish(void);
void mock_sync_finish(void);

#endif
