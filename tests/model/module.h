/* A shader of a random program as Warpscope instruments it: which of its sites stand for which places of the
 * model. The places are found from the words, apart from passes/: by labels, and by counting calls in a
 * block. */
#ifndef WS_TESTS_MODEL_MODULE_H
#define WS_TESTS_MODEL_MODULE_H

#include "tests/model/interpret.h"
#include "warpscope/instrument.h"

/* Places in a block: at its beginning, at each action, at its end. MODEL_NONE: there is no such site. */
struct model_places {
    uint32_t index;        /* of the block in the instrumented module's; MODEL_NONE: never reached */
    uint32_t instructions; /* that a device executes */
    uint32_t block;        /* sites of records */
    uint32_t sync;
    uint32_t before[MODEL_ACTIONS]; /* of an OpFunctionCall: its WS_SITE_PLACE_CALL */
    uint32_t after[MODEL_ACTIONS];
    uint32_t resume[MODEL_ACTIONS]; /* of a continuation, which the model's device never has */
    uint32_t end;
    uint32_t row;     /* counter rows */
    uint32_t end_row; /* of the pass warp_entry_exit */
    uint32_t offset;  /* word offsets */
    uint32_t action_offset[MODEL_ACTIONS];
    uint32_t end_offset;
};

struct model_module {
    uint32_t *words; /* of the original module */
    size_t word_count;
    struct ws_instrumented *instrumented;
    const char *const *passes; /* not owned */
    uint32_t pass_count;
    struct model_places places[MODEL_BLOCKS];
    uint32_t launch_row;
    uint32_t entry_row; /* of the pass warp_entry_exit */
    uint32_t entry;     /* site of the entry record */
};

/* Which blocks control flow can reach from the entry point. */
void model_reached(const struct model_shader *shader, bool reached[MODEL_BLOCKS]);

/* Whether a function leads to a call site: OpTraceRayKHR or OpExecuteCallableKHR. */
bool model_leads(const struct model_shader *shader, uint32_t function);

/* Emits, assembles and instruments a shader, and finds its places. False with a message on stdout when the
 * sites are not those that the passes promise. */
bool model_module_init(struct model_module *module, const struct model_program *program, uint32_t shader,
                       const char *const *passes, uint32_t pass_count);
void model_module_finish(struct model_module *module);

#endif
