/* Where the page's lists lead: the threads and warps that rows of report.json name. A click on such a row shows the thread, so
 * the single file holds it.
 *
 * A row leads to a thread by its column `thread`, as viewer/places.js has it; its launch is in `launch`, `thread_launch` or
 * `first_launch`, else the launch that the page opens with. A row with a `warp` leads to that warp, too. */
#ifndef WS_ANALYSIS_VIEWER_LINKS_H
#define WS_ANALYSIS_VIEWER_LINKS_H

#include "analysis/viewer/viewer.h"

#define WS_LINKS_MOST     256 /* of a capture */
#define WS_LINKS_OF_TABLE 20  /* of one table: what stands first in it. Of advice all */

struct ws_viewer_link {
    uint64_t launch;
    uint32_t thread[3];
    uint32_t warp; /* WS_NONE = the row names none */
    bool advice;   /* a row of advice */
};

/* Kept with the capture. */
struct ws_viewer_links {
    struct ws_viewer_link links[WS_LINKS_MOST]; /* advice first; each thread of a launch once for each warp */
    uint32_t count;
};

/* NULL = no memory. */
const struct ws_viewer_links *ws_viewer_links(struct ws_viewer_capture *capture);

#endif
