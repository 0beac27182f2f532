/* The opcode mix: how often instructions of each opcode were executed, per shader, per stage and in total,
 * from the counters of pass simt_efficiency.
 *
 * COUNT of an opcode = sum over the blocks of (executions by threads x instructions of that opcode in the
 * block). Executions by threads are those of hotspots.h: the sum of active lanes, or of threads where a
 * stage is counted per thread. Instructions are those of the application's module that a device executes.
 * A share is of all counts of the same shader, stage or capture. */
#ifndef WS_ANALYSIS_SIMT_OPCODES_H
#define WS_ANALYSIS_SIMT_OPCODES_H

#include "analysis/simt/simt_efficiency.h"

/* Levels of the report; dimensions are those of simt_efficiency.h. */
enum ws_opcodes_level {
    WS_OPCODES_BY_ALL,
    WS_OPCODES_BY_OPCODE,
    WS_OPCODES_BY_STAGE,
    WS_OPCODES_BY_STAGE_OPCODE,
    WS_OPCODES_BY_SHADER,
    WS_OPCODES_BY_SHADER_OPCODE,
};

/* The results are those of simt_efficiency, with rows of these levels: begin, then ws_simt_record,
 * ws_simt_end and ws_opcodes_finish. `view` may be NULL. False and `error` when it asks for what there is
 * not, or there is no memory. */
bool ws_opcodes_begin(struct ws_simt_results *results, const struct ws_catalog *catalog,
                      const struct ws_view *view, struct ws_error *error);
void ws_opcodes_finish(struct ws_simt_results *results);

/* How many instructions were executed in a row of a level. `key` is the stage's bit or the shader's index,
 * where the level has one; `opcode` is read where the level has it. */
uint64_t ws_opcodes_executed(const struct ws_simt_results *results, enum ws_opcodes_level level, uint32_t key,
                             uint32_t opcode);

extern const struct ws_columns ws_opcodes_columns;
extern const struct ws_analysis ws_analysis_opcodes;

#endif
