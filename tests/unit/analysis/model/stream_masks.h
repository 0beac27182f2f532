/* Places of a stream (stream.h) in lanes that a test writes as a mask of 64 bits. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_STREAM_MASKS_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_STREAM_MASKS_H

#include "tests/unit/analysis/model/stream.h"

static inline struct ws_lanes lanes(uint64_t mask)
{
    return (struct ws_lanes){mask, 0};
}

static inline void place(struct stream *stream, uint32_t context, uint32_t kind, uint32_t number,
                         uint64_t mask)
{
    stream_place(stream, context, kind, number, lanes(mask));
}

static inline void block(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    place(stream, context, WS_SITE_PLACE_BLOCK, number, mask);
}

#endif
