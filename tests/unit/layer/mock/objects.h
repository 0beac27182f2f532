/* What the mock driver's handles point to, and its functions: one file per object. For the mock's own files,
 * and tests that look into a command buffer. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_OBJECTS_H
#define WS_TESTS_UNIT_LAYER_MOCK_OBJECTS_H

#include "layer/core/device.h"
#include "layer/shader/shader.h"
#include "tests/unit/layer/mock/driver.h"

struct memory {
    char *data;
};
struct buffer {
    char *data;
    VkDeviceSize size;
};
struct fence {
    bool signalled;
};
enum operation_kind { DISPATCH, COPY, FILL, UPDATE, EXECUTE };
struct operation {
    enum operation_kind kind;
    uint32_t groups;
    const struct commands *secondary; /* EXECUTE */
    struct buffer *source, *target;
    VkDeviceSize source_offset, target_offset, size;
    char data[80]; /* UPDATE */
};
struct commands {
    struct operation *operations;
    uint32_t count;
    struct commands *following; /* of all */
};
struct job {
    struct commands **commands;
    uint32_t count;
    uint64_t wait, signal;
    struct fence *fence;
};
struct queue {
    struct job *jobs;
    uint32_t count, done;
};

/* The one device of the layer, its capture, and the one shader. */
extern struct ws_device mock_layer_device;
extern struct ws_shader mock_shader;
extern struct queue mock_queues[MOCK_QUEUES];

/* The address that the root block points to. */
extern uint64_t mock_control;

/* Whether this creation is to fail: mock.fails_at. */
bool mock_fails(void);

/* The mock driver's own memory, which never fails: zeroed, or grown. */
void *mock_allocate(size_t size);
void *mock_grow(void *array, size_t count, size_t size);

void mock_memory_load(struct ws_device_dispatch *dispatch);
void mock_sync_load(struct ws_device_dispatch *dispatch);
void mock_commands_load(struct ws_device_dispatch *dispatch);
void mock_queue_load(struct ws_device_dispatch *dispatch);
void mock_geometry_load(struct ws_device_dispatch *dispatch);
void mock_builds_load(struct ws_device_dispatch *dispatch);
void mock_application_load(struct ws_device_dispatch *dispatch);

/* Runs what was recorded. */
void mock_commands_run(const struct commands *commands);

void mock_commands_finish(void);
void mock_builds_finish(void);
void mock_queue_finish(void);

#endif
