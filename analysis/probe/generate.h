/* The GLSL that is compiled of a probe: what yields (passes/primitives/probe.glsl), the outputs as GLSL names, the user's
 * text, and one wrapper for each function that is called at places.
 *
 * A wrapper ws_probe_K has parameters by value, in the order of its struct ws_probe_function: where the site's and the
 * shader's areas begin, the site, the line, in loops whether control comes from outside, and the user's. It keeps the
 * first four in variables, which the functions of probes read, and calls the user's function. */
#ifndef WS_ANALYSIS_PROBE_GENERATE_H
#define WS_ANALYSIS_PROBE_GENERATE_H

#include "analysis/probe/program.h"

/* Functions of probes are called by these names in the text that is compiled, so that a variable of the user's may have
 * their own names: value(h, value) is ws_do_value(h, value). */
#define WS_PROBE_CALL_PREFIX "ws_do_"

/* The type of output I is struct WS_PROBE_OUTPUT_TYPE I: overloads tell the outputs apart. */
#define WS_PROBE_OUTPUT_TYPE "WsOutput"

/* Numbers of the parts of the text, as messages of the compiler name them: "1:12:" is line 12 of the user's. */
#define WS_PROBE_TEXT_PRELUDE 0
#define WS_PROBE_TEXT_USER    1
#define WS_PROBE_TEXT_WRAPPER 2
#define WS_PROBE_TEXT_BODY    16 /* and more: one for each function of one line that is tried */

/* A function that a wrapper calls: an overload of the program, with the types that are tried for an open one. */
struct ws_probe_candidate {
    uint32_t overload; /* index in the program */
    const struct ws_probe_argument *arguments;
    uint32_t argument_count;
    bool is_left_out; /* it did not compile: not a fit */
};

/* Writes the text, to be freed. `lanes` is enum ws_probe_unit_kind. `with_wrappers`: else the candidates are only
 * declared, and not called. NULL without memory. */
char *ws_probe_generate(const struct ws_probe_program *program, const struct ws_probe_candidate *candidates,
                        uint32_t candidate_count, uint32_t lanes, bool with_wrappers);

/* Whether a rule of the overload is at the beginning of a loop: then its wrapper has WS_PROBE_FIRST. */
bool ws_probe_needs_first(const struct ws_probe_program *program, const struct ws_probe_overload *overload);

/* How an output is yielded to, for messages: "value(trips, uint)". */
void ws_probe_call_of(const struct ws_probe_output *output, char *text, size_t size);

/* The word that yields to an output: "count", "add", "value", "record", "sample", "count_warp". Static. */
const char *ws_probe_word_of(const struct ws_probe_output *output);

#endif
