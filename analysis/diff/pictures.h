/* Pictures of two captures side by side: what page_pictures.h and thread_pictures.h draw of memory, of launches that are joined
 * (match.h), A at the left. Both have one scale of colours, which ends with the largest value of either; that of shares with
 * 100 %. Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_PICTURES_H
#define WS_ANALYSIS_DIFF_PICTURES_H

#include "analysis/diff/diff.h"

struct ws_diff_pictures {
    size_t files;
    uint64_t alone
        [WS_DIFF_SIDES]; /* pictures of launches, or of buffers of a launch, that the other one does not have */
};

/* Draws them into `folder`, with a page. The reports have kept pictures (ws_analysis_options, plots). False and `error` where
 * a capture has no accesses to memory, or a file cannot be written. */
bool ws_diff_pictures_draw(const struct ws_diff *diff, const char *folder, struct ws_diff_pictures *drawn,
                           struct ws_error *error);

#endif
