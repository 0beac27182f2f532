/* What is derived from the sums of single blocks, once all launches are summed. */
#ifndef WS_ANALYSIS_SIMT_SIMT_BLOCKS_H
#define WS_ANALYSIS_SIMT_SIMT_BLOCKS_H

#include "analysis/simt/simt_efficiency.h"

/* Fills the results' opcodes and unreadable_modules. False when there is no memory. */
bool ws_simt_count_opcodes(struct ws_simt_results *results);

#endif
