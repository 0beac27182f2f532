/* The probes of a command line: --probe FILE and -e TEXT. A file may be a compiled probe (*.wsprobe) too. Not
 * thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_PROBES_H
#define WS_ANALYSIS_COMMAND_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/command/options.h"

struct ws_probe;

#define WS_PROBES_MAX 64 /* of one recording */

/* One of them. */
struct ws_command_probe {
    const char *argument; /* a path, or the text of -e; not owned */
    bool is_one_line;
    char name[64];   /* unique among them */
    uint32_t *words; /* the blob, once compiled */
    size_t word_count;
    struct ws_probe *probe; /* read from it */
};

/* Zero-initialise; free with ws_command_probes_finish. */
struct ws_command_probes {
    struct ws_command_probe items[WS_PROBES_MAX];
    uint32_t count;
};

/* The rows of --probe and -e, and what takes them into a struct ws_command_probes. */
extern const struct ws_option ws_probe_options[];
ws_take_option ws_take_probe;

/* Adds one. */
bool ws_command_probes_add(struct ws_command_probes *probes, const char *argument, bool is_one_line,
                           struct ws_error *error);

/* Compiles and reads them all. What is wrong is said on stderr, with the places in the probes; so are remarks unless
 * `quiet`. False where one has errors. */
bool ws_command_probes_compile(struct ws_command_probes *probes, bool quiet);

void ws_command_probes_finish(struct ws_command_probes *probes);

#endif
