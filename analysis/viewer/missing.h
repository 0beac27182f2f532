/* Whether this build has the viewer's page and server. */
#ifndef WS_ANALYSIS_VIEWER_MISSING_H
#define WS_ANALYSIS_VIEWER_MISSING_H

/* Why it has not, a sentence without full stop; NULL = it has. Static. */
const char *ws_viewer_missing(void);

#endif
