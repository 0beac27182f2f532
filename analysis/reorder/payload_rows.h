/* What threads handed over at call sites, from the records of the pass payloads (warpscope/spirv/payloads.h), for keys to sort
 * them by. A row for each visit (visit_rows.h).
 *
 * MEMORY, bounded: 8 bytes for each row and 4 for each of its words, of which a launch may have WS_REORDER_WORDS_MAX. Visits
 * beyond that are counted as `lost`: they count as if all words were 0. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PAYLOAD_ROWS_H
#define WS_ANALYSIS_REORDER_PAYLOAD_ROWS_H

#include "analysis/reorder/visit_rows.h"
#include "warpscope/model/replay.h"
#include "warpscope/spirv/payloads.h"

#define WS_REORDER_WORDS_MAX (1u << 27)

/* Of one worker, or of a launch. Zero-initialise, then set the catalog. */
struct ws_payload_rows {
    const struct ws_catalog *catalog;
    struct ws_visit_rows rows;
    uint32_t *first; /* parallel to the rows: where their words begin */
    uint32_t first_capacity;
    uint32_t *words;
    uint32_t word_count;
    uint32_t word_capacity;
    uint64_t lost;
};

void ws_payload_rows_finish(struct ws_payload_rows *payloads);

/* A record of the pass payloads: like ws_replay_operations.data. */
bool ws_payload_rows_data(struct ws_payload_rows *payloads, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane);

/* Adds what a worker found, and leaves that empty. False when there is no memory. */
bool ws_payload_rows_add(struct ws_payload_rows *payloads, struct ws_payload_rows *part);

/* Writes the words of a row; those that it does not have are 0. */
void ws_payload_rows_get(const struct ws_payload_rows *payloads, uint32_t row,
                         uint32_t words[WS_PAYLOAD_WORDS_MAX]);

#endif
