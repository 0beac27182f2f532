/* A record stream (records.h) as the warps that it tells of. */
#ifndef WS_TESTS_MODEL_DECODE_H
#define WS_TESTS_MODEL_DECODE_H

#include "tests/model/run/warps.h"

/* Words of one launch, the first at `position` of its stream. */
struct model_stream {
    const uint32_t *words;
    uint32_t word_count;
    uint32_t position;
    uint32_t bins;
    const uint32_t *slots; /* 65536: per slot the index of the shader in the program, MODEL_NONE */
};

/* Fills `warps`, which starts zeroed or as the last call left it: lanes and warps as the device has them.
 * `run`: what the threads do; who called whom is known from there, as each thread enters shaders in that
 * order. False with a message on stdout where the words make no sense. */
bool model_warps_decode(struct model_warps *warps, const struct model_program *program,
                        const struct model_run *run, const struct model_module *modules,
                        const struct model_stream *stream);

#endif
