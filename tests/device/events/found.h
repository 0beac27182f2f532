/* Ray events out of a record stream, thread by thread. */
#ifndef WS_TESTS_DEVICE_EVENTS_FOUND_H
#define WS_TESTS_DEVICE_EVENTS_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/instrument.h"

#define FOUND_THREADS 64
#define FOUND_WORDS   1024 /* per thread, as in log.glsl */

/* A shader that was instrumented; its slot is its place in the list. */
struct found_shader {
    const uint32_t *words; /* the original */
    const struct ws_instrumented *instrumented;
    uint32_t pass; /* index of the pass in the passes */
    uint32_t stage;
};

/* Of each thread how many words follow, then each event with its words, in order. */
struct found {
    uint32_t words[FOUND_THREADS][FOUND_WORDS];
};

/* Reads `count` words of a stream. `group_size`: of a compute shader's workgroups. False, with a message,
 * where they are no records. */
bool found_read(struct found *found, const uint32_t *words, uint32_t count, uint32_t bins,
                const struct found_shader *shaders, uint32_t shader_count, uint32_t group_size);

#endif
