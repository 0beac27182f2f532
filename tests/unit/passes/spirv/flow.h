/* Control flow described as data, for tests of what looks at control flow: functions made of blocks, written
 * out as a SPIR-V module. Function 0 is the entry point's. Aborts on failure: tests only. */
#ifndef WS_TESTS_UNIT_PASSES_SPIRV_FLOW_H
#define WS_TESTS_UNIT_PASSES_SPIRV_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_TARGETS 6

enum flow_end { FLOW_RETURN, FLOW_GO, FLOW_IF, FLOW_SWITCH, FLOW_KILL, FLOW_UNREACHABLE };
enum flow_body { FLOW_PLAIN, FLOW_CALL, FLOW_CALLABLE, FLOW_DEMOTE };

/* One block. Blocks are named by index; block 0 is the first and never a target, so 0 means none. */
struct flow_block {
    enum flow_end end;
    uint32_t to[FLOW_TARGETS]; /* GO: 1; IF: then, else; SWITCH: default, then cases up to the first 0 */
    uint32_t merge;            /* merge block that it declares */
    uint32_t next;             /* continue target: makes it a loop header */
    enum flow_body body;
    uint32_t callee; /* of FLOW_CALL: index of a function */
};

struct flow_function {
    const struct flow_block *blocks;
    uint32_t block_count;
};

/* The stage of the entry point. FLOW_KILL and FLOW_DEMOTE need fragment, FLOW_CALLABLE raygen. */
enum flow_stage { FLOW_FRAGMENT, FLOW_RAYGEN };

/* The module's words, to be freed; `*word_count` receives how many. Switch selectors have `selector_bits`
 * bits, 32 or 64. */
uint32_t *flow_assemble(const struct flow_function *functions, uint32_t function_count, enum flow_stage stage,
                        uint32_t selector_bits, size_t *word_count);

/* Assembles text into words to be freed. */
uint32_t *flow_assemble_text(const char *text, size_t length, size_t *word_count);

/* Whether the module is valid for Vulkan 1.3. */
bool flow_is_valid(const uint32_t *words, size_t word_count);

/* Aborts with the validator's message unless the module is valid for Vulkan 1.3. */
void flow_validate(const uint32_t *words, size_t word_count);

#endif
