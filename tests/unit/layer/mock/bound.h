/* What is bound, over the mock driver: layouts, pools, sets and templates, which are numbers there; and what the layer writes
 * of resources, sets and launches. */
#ifndef WS_TESTS_UNIT_LAYER_MOCK_BOUND_H
#define WS_TESTS_UNIT_LAYER_MOCK_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/chunks.h"

#define MOCK_RESOURCES   64
#define MOCK_SETS        64
#define MOCK_DESCRIPTORS 64
#define MOCK_USES        16
#define MOCK_BOUND       32

struct mock_resource {
    struct ws_resource about; /* as it was written last */
    char name[32];
    bool written;
    bool gone;
};

struct mock_set {
    uint32_t owner;
    uint32_t count;    /* of a state with more than that they are left out */
    uint32_t left_out; /* by the layer */
    struct ws_descriptor descriptors[MOCK_DESCRIPTORS];
};

struct mock_use {
    uint32_t pipeline;
    uint32_t set_count;
    struct ws_bound_set sets[4];
    uint32_t offsets[4][8];
};

struct mock_bound_launch {
    uint64_t launch;
    uint32_t count;
    struct mock_use uses[MOCK_USES];
};

struct mock_bound {
    struct mock_resource resources[MOCK_RESOURCES]; /* by id */
    uint32_t resource_chunks;
    struct mock_set sets[MOCK_SETS]; /* by id */
    uint32_t set_count;              /* DSET chunks */
    uint32_t change_count;           /* DSCH chunks */
    uint32_t changed;                /* descriptors in these */
    struct mock_bound_launch launches[MOCK_BOUND];
    uint32_t launch_count;
    VkDescriptorSet set_handle; /* that the next allocation gives; 0 = a new one */
};

extern struct mock_bound mock_bound;

/* From now on it is followed what is bound. After mock_init; mock_finish ends it. */
void mock_bound_init(void);

/* What launch `index` had of that set, in its use `use`; fails the test where that was not written. */
const struct ws_bound_set *mock_bound_set(uint64_t launch, uint32_t use, uint32_t set);

/* The descriptor at that place of the set; NULL = it is not among what the set has. */
const struct ws_descriptor *mock_descriptor(const struct ws_bound_set *set, uint32_t binding,
                                            uint32_t element);

#endif
