/* What tells files that a command writes from others: it replaces its own alone (analysis/command/command.h,
 * ws_output_check). A kind stands beside what writes it. */
#ifndef WS_ANALYSIS_OUTPUT_FILE_KIND_H
#define WS_ANALYSIS_OUTPUT_FILE_KIND_H

#include <stdbool.h>

struct ws_file_kind {
    /* Patterns of fnmatch on the first bytes, up to a zero: "PAR1*"; with a line end between two. */
    const char *begins;
    /* What wrote it, among the first or the last WS_FILE_KIND_SIZE bytes: "warpscope version "; NULL = the format has no place
     * for that. */
    const char *writer;
};

#define WS_FILE_KIND_SIZE 4096

/* False also where it cannot be read. */
bool ws_file_is_of(const char *path, const struct ws_file_kind *kind);

#endif
