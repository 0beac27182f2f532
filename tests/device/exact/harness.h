/* What device tests share: a device under the layer, shaders from the build, and afterwards the capture, in
 * which every counter row of every block is compared with what was worked out by hand.
 *
 * The layer comes from the environment that meson gives (VK_LAYER_PATH, VK_INSTANCE_LAYERS,
 * WARPSCOPE_PASSES). One harness per process. */
#ifndef WS_TESTS_DEVICE_EXACT_HARNESS_H
#define WS_TESTS_DEVICE_EXACT_HARNESS_H

#include "examples/base/bindings.h"
#include "warpscope/model/catalog.h"

#define WS_HARNESS_SHADERS_MAX 48

/* Exit statuses of a test. */
enum { WS_TEST_PASSED = 0, WS_TEST_FAILED = 1, WS_TEST_SKIPPED = 77 };

/* One shader's counters in one launch. */
struct ws_counted_shader {
    uint32_t shader; /* index in the catalog's shaders */
    uint32_t row_first;
    uint32_t row_count;
    uint32_t bins;
    uint32_t *words;
};

struct ws_counted_launch {
    char *label;
    uint32_t kind;
    uint32_t size[3];
    struct ws_counted_shader *shaders;
    uint32_t shader_count;
};

/* Words that a shader yielded to probes in one launch: a run of those that are not all zero. */
struct ws_yielded_shader {
    uint32_t shader; /* index in the catalog's shaders */
    uint32_t first;  /* number of the first word */
    uint32_t word_count;
    uint32_t *words;
};

struct ws_harness {
    const char *name;
    const char *folder; /* where the compiled shaders are */
    char capture[256];
    struct ws_gpu gpu;
    uint32_t *words[WS_HARNESS_SHADERS_MAX]; /* of the shaders loaded so far */
    uint32_t word_arrays;
    struct ws_catalog catalog;
    struct ws_counted_launch *launches;
    uint32_t launch_count;
    struct ws_yielded_shader *yielded;
    uint32_t yielded_count;
    uint32_t failures;
};

/* Makes the device. `argv[1]` is the folder of the compiled shaders. Anything but WS_TEST_PASSED is the
 * test's exit status, and its reason was printed. */
int ws_harness_begin(struct ws_harness *harness, const char *name, int argc, char **argv, uint32_t needs,
                     VkQueueFlags queue);

/* Chooses the capture's file and tells the layer. ws_harness_begin does it too. */
void ws_harness_name_capture(struct ws_harness *harness);

/* Reads "<file>.spv". A shader without words on failure, which was counted and printed. */
struct ws_gpu_shader ws_harness_shader(struct ws_harness *harness, const char *file,
                                       VkShaderStageFlagBits stage,
                                       const VkSpecializationInfo *specialization);

/* Destroys the device and reads the capture that the layer has written. False on failure, counted. Where the setting
 * `probes` names the probe simt_efficiency of the library, what it yielded at each block is compared with the counters. */
bool ws_harness_read(struct ws_harness *harness);

/* Frees everything; the exit status. Removes the capture unless the test failed. */
int ws_harness_finish(struct ws_harness *harness);

/* Counts and prints a failure. Returns false. */
__attribute__((format(printf, 2, 3))) bool ws_harness_fail(struct ws_harness *harness, const char *format,
                                                           ...);

/* How many executions with how many active lanes a block must have, built up by ws_expect. */
struct ws_expected_block {
    const char *name;
    uint64_t bins[WS_BINS_MAX]; /* [n - 1]: executions with n lanes */
};

/* Adds executions with `lanes` active lanes; nothing where `lanes` is 0. */
void ws_expect(struct ws_expected_block *block, uint64_t executions, uint32_t lanes);

/* The one launch with that label; NULL, counted and printed, when there is not exactly one. */
const struct ws_counted_launch *ws_harness_launch(struct ws_harness *harness, const char *label);

/* A shader of a launch by module name and entry point; NULL, counted and printed, when it is not there
 * or not instrumented. */
const struct ws_counted_shader *ws_harness_counted(struct ws_harness *harness,
                                                   const struct ws_counted_launch *launch, const char *module,
                                                   const char *entry);

/* The subgroup size that the shader ran with, from its launch row; 0 when it did not run, or with several. */
uint32_t ws_counted_subgroup_size(const struct ws_harness *harness, const struct ws_counted_shader *counted);

/* Sum of active lanes over the executions of the `block`th block that the shader's entry point reaches. */
uint64_t ws_counted_lanes(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                          uint32_t block);

/* How often warps executed that block. */
uint64_t ws_counted_executions(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                               uint32_t block);

/* Whether two blocks have the same counts, of executions with each number of lanes. */
bool ws_counted_alike(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                      uint32_t block, uint32_t other);

/* Sum of active lanes over the executions of the blocks that hold an instruction of that opcode, once for
 * each such instruction; SpvOpNop (0): of the entry point's first block. */
uint64_t ws_counted_opcode_lanes(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                                 uint32_t opcode);

/* Compares all blocks that the shader's entry point reaches, in the order of the module, bin by bin; with
 * `sums` only the sums of active lanes. Failures are counted and printed. */
void ws_harness_compare(struct ws_harness *harness, const struct ws_counted_launch *launch,
                        const struct ws_counted_shader *counted, const struct ws_expected_block *blocks,
                        uint32_t count, bool sums);

#endif
