/* glslang, which compiles GLSL (its C interface). In a build without it everything fails, and says so. Not
 * thread-safe. */
#ifndef WS_ANALYSIS_PROBE_GLSLANG_H
#define WS_ANALYSIS_PROBE_GLSLANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this build has it. */
bool ws_glslang_is_built(void);

struct ws_glslang_result {
    uint32_t *words; /* SPIR-V 1.3; NULL where it failed, or was only to be read */
    size_t word_count;
    char *log; /* messages, one per line: "ERROR: 1:12: 'x' : undeclared identifier"; may be NULL */
};

/* Compiles a fragment shader or a compute shader to Vulkan 1.1; `only_read` stops behind the syntax and the types. True
 * when there were no errors. Free the result's members. */
bool ws_glslang_compile(const char *text, bool is_fragment, bool only_read, struct ws_glslang_result *result);

#endif
