/* What threads handed over at call sites, from the records of the pass payloads (warpscope/spirv/payloads.h), for keys to sort
 * them by. A row for each visit (visit_rows.h).
 *
 * MEMORY, bounded: that of rows, until their thread ends. Rows that are lost are counted: their visits count as if all words
 * were 0. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PAYLOAD_ROWS_H
#define WS_ANALYSIS_REORDER_PAYLOAD_ROWS_H

#include "analysis/reorder/visit_rows.h"
#include "warpscope/model/replay.h"
#include "warpscope/spirv/payloads.h"

/* Of one worker. Zero-initialise, then set the catalog and the user. */
struct ws_payload_rows {
    const struct ws_catalog *catalog;
    uint32_t user; /* of contexts (replay.h): whoever puts threads together finds this there */
    struct ws_visit_rows rows;
};

void ws_payload_rows_finish(struct ws_payload_rows *payloads);

/* A shader begins, and a record of the pass payloads: like ws_replay_operations.enter and data. */
void ws_payload_rows_enter(struct ws_payload_rows *payloads, struct ws_context *context);
bool ws_payload_rows_data(struct ws_payload_rows *payloads, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane);

#endif
