/* The page of the viewer, as the build bundled it (scripts/bundle_page.py). Static. */
#ifndef WS_ANALYSIS_VIEWER_PAGE_H
#define WS_ANALYSIS_VIEWER_PAGE_H

#include <stddef.h>

#define WS_VIEWER_FILES 3

struct ws_viewer_bytes {
    const unsigned char *data;
    size_t size;
};

struct ws_viewer_file {
    const char *name; /* behind the token; "" = the page itself */
    const char *type; /* media type */
    struct ws_viewer_bytes content;
};

struct ws_viewer_page {
    struct ws_viewer_file files[WS_VIEWER_FILES]; /* that the server serves */
    /* The single file: script, style and policy stand in the first part; answers come between the two. */
    struct ws_viewer_bytes before;
    struct ws_viewer_bytes behind;
};

extern const struct ws_viewer_page ws_viewer_page;

#endif
