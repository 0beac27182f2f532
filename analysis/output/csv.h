/* Writing CSV (RFC 4180, but with LF). */
#ifndef WS_ANALYSIS_OUTPUT_CSV_H
#define WS_ANALYSIS_OUTPUT_CSV_H

#include <stdio.h>

/* A field, quoted where it must be. Control characters, line ends too, are shown as \xNN. */
void ws_csv_text(FILE *stream, const char *text);

#endif
