/* The sources of shaders that changed, line by line (lines.h). Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_SOURCES_H
#define WS_ANALYSIS_DIFF_SOURCES_H

#include "analysis/diff/lines.h"
#include "analysis/diff/match.h"

/* A file of a module of A, and the file of the same name of its counterpart in B. All is owned. */
struct ws_diff_source {
    uint32_t module[WS_DIFF_SIDES]; /* indices in the catalogs */
    char *name;                     /* without folders, as tables show it */
    char *text[WS_DIFF_SIDES];
    struct ws_diff_lines lines;
};

struct ws_diff_sources {
    struct ws_diff_source *sources;
    uint32_t count;
    uint32_t capacity;
};

/* Reads the sources of all shaders that have a counterpart and other code from the captures' files. A module without source,
 * or a file that can't be read any more, has none: its lines are joined by their numbers. False when there is no memory;
 * then too it needs ws_diff_sources_finish. */
bool ws_diff_sources_init(struct ws_diff_sources *sources, const struct ws_diff_match *match,
                          const struct ws_report *const reports[WS_DIFF_SIDES]);
void ws_diff_sources_finish(struct ws_diff_sources *sources);

/* The file of a module; NULL where it has no counterpart. `name`: `length` bytes. */
const struct ws_diff_source *ws_diff_source_find(const struct ws_diff_sources *sources, uint32_t side,
                                                 uint32_t module, const char *name, size_t length);

/* Writes a place in B, "lit.rgen:33" or "lit.rgen:33-40", as the place in A that it is: "lit.rgen:31-38". Of several lines
 * those count that A has. "lit.rgen:33 of B" where A has none of them. A text that is no such place, or is of another
 * file, is written as it is. `module`: index in B's catalog. */
void ws_diff_source_place(const struct ws_diff_sources *sources, uint32_t module, const char *place,
                          char *text, size_t size);

#endif
