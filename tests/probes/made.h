/* A probe that is made by hand for tests, without the front end: unit.glsl and the tables that belong to it. */
#ifndef WS_TESTS_PROBES_MADE_H
#define WS_TESTS_PROBES_MADE_H

#include "warpscope/instrument.h"
#include "warpscope/probe.h"

/* Its functions. The overloads of a rule stand in a row. */
enum made_function {
    MADE_FLOAT,
    MADE_INT,
    MADE_UINT,
    MADE_DOUBLE,
    MADE_BEGIN,
    MADE_ITERATE,
    MADE_END,
    MADE_FUNCTION,
    MADE_LEFT,
    MADE_TWO,
    MADE_ADDRESS,
    MADE_STORE,
    MADE_FUNCTION_COUNT,
};

enum made_output {
    MADE_COUNT,
    MADE_SUM,
    MADE_SUM_INT,
    MADE_SUM_UINT,
    MADE_LEAST,
    MADE_MOST,
    MADE_LEAST_INT,
    MADE_MOST_UINT,
    MADE_LINEAR,
    MADE_LINEAR_INT,
    MADE_LOG,
    MADE_LOG_INT,
    MADE_LOG_UINT,
    MADE_TABLE,
    MADE_SAMPLE,
    MADE_LANES,
    MADE_TRIPS, /* per shader */
    MADE_OUTPUT_COUNT,
};

#define MADE_BINS     10u
#define MADE_CAPACITY 16u
#define MADE_SAMPLES  3u

/* A rule without filters. */
#define MADE_RULE(place_, opcodes_, count_, first_, functions_)                                              \
    {                                                                                                        \
        .place = (place_), .opcodes = (opcodes_), .opcode_count = (count_), .shader = "", .function = "",    \
        .file = "", .function_first = (first_), .function_count = (functions_)                               \
    }

/* The words of a file of SPIR-V, to be freed. Exits where it cannot be read. */
uint32_t *made_words(const char *path, size_t *count);

/* The probe with these rules, unread: its units are of the files, in the order of enum ws_probe_unit_kind. It points to
 * static memory, and to what made_words gave. */
struct ws_probe made_tables(char **units, const struct ws_probe_rule *rules, uint32_t rule_count);

/* The same, written and read again. To be destroyed. Exits with the message where that fails. */
struct ws_probe *made_probe(char **units, const struct ws_probe_rule *rules, uint32_t rule_count);

/* All of its rules that fit something somewhere: at arithmetic, loops, functions, blocks, entry points, memory. */
extern const struct ws_probe_rule made_rules[];
extern const uint32_t made_rule_count;

#endif
