/* An application over the mock driver: it has a buffer with an address, in which acceleration structures and
 * shader binding tables lie. The driver counts its copies, builds and traces. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_APPLICATION_H
#define WS_TESTS_UNIT_LAYER_MOCK_APPLICATION_H

#include "tests/unit/layer/mock/objects.h"
#include "warpscope/chunks.h"

#define MOCK_BYTES      4096
#define MOCK_STRUCTURES 3
#define MOCK_TABLES     16
#define MOCK_SERIALIZED 64

struct mock_application {
    uint8_t content[MOCK_BYTES]; /* of the buffer */
    VkBuffer buffer;
    VkDeviceAddress base;
    VkAccelerationStructureKHR structures[MOCK_STRUCTURES]; /* with ids 0, 1, 2, of 256 bytes each */
    uint32_t commands;                          /* copies, builds and traces that reached the driver */
    struct ws_chunk_tables tables[MOCK_TABLES]; /* TABL chunks */
    uint32_t table_count;
    VkResult host_result;                /* of builds and copies on the host */
    VkResult operation;                  /* of a deferred operation */
    uint8_t serialized[MOCK_SERIALIZED]; /* what every structure is when it is serialized */
};

extern struct mock_application mock_application;

/* After mock_init and before mock_finish. */
void mock_application_init(void);
void mock_application_finish(void);

/* All of it as what cmocka calls around a test: mock_init(1), and the application. `state` is not used. */
int mock_application_setup(void **state);
int mock_application_teardown(void **state);

/* Ends and submits, runs and waits for what was submitted. */
void mock_end(VkCommandBuffer commands);
void mock_submit_one(VkCommandBuffer commands);
void mock_run_all(void);

/* The `index`th COPY chunk, and how many there are. */
const struct mock_geometry *mock_copied(uint32_t index);
uint32_t mock_copied_count(void);

#endif
