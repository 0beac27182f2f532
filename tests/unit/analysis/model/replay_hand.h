/* Streams written by hand, for which every event of the replay is known. All functions fail the test on
 * failure. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_REPLAY_HAND_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_REPLAY_HAND_H

#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/replay_log.h"
#include "tests/unit/analysis/model/stream_masks.h"
#include "warpscope/records.h"

extern const uint32_t replay_counts[3]; /* instructions of a shader's blocks */

struct stream *replay_begin(uint32_t bins, uint32_t piece_words);

/* Ends the capture; what one worker tells must be `expected`, line by line. `losses` may be NULL. Destroys
 * the stream. */
void replay_expect(struct stream *stream, const char *expected, struct ws_replay_losses *losses);

#endif
