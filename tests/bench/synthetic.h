/* What synthetic captures have alike: shaders as the layer writes them. */
#ifndef WS_TESTS_BENCH_SYNTHETIC_H
#define WS_TESTS_BENCH_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_capture_writer;
struct ws_instrumented;

struct synthetic_shader {
    uint32_t id; /* and its module's */
    uint64_t hash;
    const uint32_t *words; /* of the module, as it was */
    uint32_t word_count;
    uint32_t stage;
    const char *const *passes; /* of which it has sites */
    uint32_t pass_count;
    const struct ws_instrumented *made;
};

/* Writes the module, its sites and the shader `main`. */
bool synthetic_write_shader(struct ws_capture_writer *writer, const struct synthetic_shader *shader);

/* The number of the last entry record; 0 where there is none. */
uint32_t synthetic_entry(const struct ws_instrumented *made);

#endif
