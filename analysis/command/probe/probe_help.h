/* `warpscope help probes`: the language of probes, for people. */
#ifndef WS_ANALYSIS_COMMAND_PROBE_HELP_H
#define WS_ANALYSIS_COMMAND_PROBE_HELP_H

#include <stddef.h>
#include <stdio.h>

/* Prints it, in lines of at most `width` columns. */
void ws_print_probe_help(size_t width, FILE *stream);

#endif
