/* The probes of a recording: compiled here, and handed to the layer as files. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_RECORD_PROBES_H
#define WS_ANALYSIS_COMMAND_RECORD_RECORD_PROBES_H

#include <limits.h>

#include "analysis/command/probes.h"

/* Zero-initialise; end with ws_record_probes_remove. */
struct ws_record_probes {
    struct ws_command_probes list;
    char folder[PATH_MAX]; /* of the files; "" = there is none */
};

/* Compiles the probes, writes them into a folder of their own, and sets the layer's setting `probes` in the environment,
 * behind what the user set there. Does nothing where there are none. False after saying what is wrong. */
bool ws_record_probes_set(struct ws_record_probes *probes, bool quiet);

/* Removes the files, and frees what is owned. */
void ws_record_probes_remove(struct ws_record_probes *probes);

#endif
