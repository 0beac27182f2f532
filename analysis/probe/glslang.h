/* glslang, which compiles GLSL (its C interface), in a process of its own: what takes it too long, too much memory, or crashes
 * it ends that process only. In a build without it everything fails, and says so. The process that calls this has one
 * thread, as fork(2) wants it of one that goes on to allocate. */
#ifndef WS_ANALYSIS_PROBE_GLSLANG_H
#define WS_ANALYSIS_PROBE_GLSLANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

/* Whether this build has it. */
bool ws_glslang_is_built(void);

#define WS_GLSLANG_SECONDS 10                  /* of processor time, where the caller sets no other limit */
#define WS_GLSLANG_MEMORY  (UINT64_C(2) << 30) /* bytes of address space beyond those that there are */

struct ws_glslang_result {
    uint32_t *words; /* SPIR-V 1.3; NULL where it failed, or was only to be read */
    size_t word_count;
    char *log; /* messages, one per line: "ERROR: 1:12: 'x' : undeclared identifier"; may be NULL */
    struct ws_error failure; /* why it did not end by itself; "" = it did */
};

struct ws_glslang_request {
    const char *text;
    bool is_fragment; /* else a compute shader; of Vulkan 1.1 */
    bool only_read;   /* stops behind the syntax and the types */
    uint32_t seconds; /* limit of processor time; 0 = WS_GLSLANG_SECONDS */
};

/* True when there were no errors. Free the result's words and log. */
bool ws_glslang_compile(const struct ws_glslang_request *request, struct ws_glslang_result *result);

/* What to say where it failed and its log names no place. */
static inline const char *ws_glslang_why(const struct ws_glslang_result *result)
{
    return result->failure.message[0] != '\0' ? result->failure.message : "glslang failed without saying why";
}

#endif
