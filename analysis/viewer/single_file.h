/* The page of the viewer with chosen answers, as one document that needs neither server nor network.
 *
 * The resources name the answers that it is to hold, each with a rank (ws_viewer_embed). In the order of the ranks those are
 * taken that fit into the budget, which is the size of the whole file; those of rank 0 always. Only these, with the page,
 * can be more than the budget. How much did not fit is in capture.json (`left_out`), and in the viewer.
 *
 * Each answer is an element of its own, which no browser runs: <script type="application/octet-stream" data-answer="QUERY">,
 * with gzip in base64. QUERY is the canonical text (query.h). So texts of a hostile capture are no markup, and the page
 * unpacks no more than it shows. The policy in the document allows its own script and style by their hashes, and loads
 * nothing. */
#ifndef WS_ANALYSIS_VIEWER_SINGLE_FILE_H
#define WS_ANALYSIS_VIEWER_SINGLE_FILE_H

#include "analysis/output/file_kind.h"
#include "analysis/viewer/viewer.h"

#define WS_VIEWER_BUDGET (UINT64_C(25) << 20) /* bytes, unless the user says otherwise */

/* Called before each answer: number `done` of `count`. */
typedef void ws_viewer_progress(void *user, uint32_t done, uint32_t count);

struct ws_viewer_single_file {
    uint64_t budget;              /* bytes */
    ws_viewer_progress *progress; /* NULL = none */
    void *user;                   /* given to `progress` */
    /* Set when it is written. */
    uint64_t bytes;   /* of the file */
    uint32_t answers; /* that it holds */
};

extern const struct ws_file_kind ws_viewer_page_kind;

/* Writes the document. It sets `single_file`, `budget` and `left_out` of the viewer. False and `error` where an answer cannot
 * be had, or there is no memory. Errors of the stream are for the caller to find. */
bool ws_viewer_write_single_file(struct ws_viewer *viewer, struct ws_viewer_single_file *file, FILE *stream,
                                 struct ws_error *error);

#endif
