/* What `warpscope view` and `warpscope html` have in common: one or two captures, what of them is shown, and what reading
 * them may cost. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_VIEWING_H
#define WS_ANALYSIS_COMMAND_VIEWING_H

#include "analysis/command/command.h"
#include "analysis/viewer/viewer.h"
#include "warpscope/model/selection.h"

struct ws_viewing {
    const char *times; /* --time */
    struct ws_limits limits;
    struct ws_selection selection;
};

/* Their option --time, and what takes it: the request is a struct ws_viewing. */
extern const struct ws_option ws_viewing_options[];
ws_take_option ws_take_viewing;

/* Reads the captures that are named, one or two (`paths` ends with NULL), and shows the progress on a terminal. Where a build
 * has no viewer, or a capture cannot be read, it says so and returns false. `viewing` must outlive the viewer. */
bool ws_viewing_begin(struct ws_viewing *viewing, char *const *paths, struct ws_viewer *viewer);

#endif
