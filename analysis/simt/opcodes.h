/* The opcode mix: how often instructions of each opcode were executed, per shader, per stage and in total,
 * from the counters of pass simt_efficiency.
 *
 * COUNT of an opcode = sum over the blocks of (executions by threads x instructions of that opcode in the
 * block), executions by threads as in hotspots.h: the sum of active lanes, or of threads where a stage is
 * counted per thread. Instructions are those of the application's module that a device executes. A share is
 * of all counts of the same shader, stage or capture. */
#ifndef WS_ANALYSIS_SIMT_OPCODES_H
#define WS_ANALYSIS_SIMT_OPCODES_H

#include "analysis/simt/simt_efficiency.h"

#define WS_STAGE_COUNT 14 /* stages in stage.h; index = number of the stage's bit */

struct ws_simt_opcode {
    uint32_t opcode;
    uint64_t instructions;
};

/* The counts of one shader, one stage or all, most executed first. */
struct ws_opcode_mix {
    struct ws_simt_opcode *opcodes;
    uint32_t count;
    uint64_t instructions; /* of all opcodes */
};

struct ws_opcodes {
    struct ws_simt_results simt;
    struct ws_opcode_mix total;
    struct ws_opcode_mix stages[WS_STAGE_COUNT]; /* by number of the stage's bit */
    struct ws_opcode_mix *shaders;               /* parallel to the catalog's, from the end on */
};

/* `catalog` must have recorded each chunk before, and outlive the results. */
void ws_opcodes_begin(struct ws_opcodes *opcodes, const struct ws_catalog *catalog);
bool ws_opcodes_record(struct ws_opcodes *opcodes, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_opcodes_end(struct ws_opcodes *opcodes, struct ws_error *error);
void ws_opcodes_finish(struct ws_opcodes *opcodes);

/* The share of an opcode in a mix, from 0 to 1. */
double ws_opcode_share(const struct ws_opcode_mix *mix, uint32_t opcode);

#endif
