/* The launches whose rays, scenes and pictures the single file is to hold. As viewer.h: not thread-safe. */
#ifndef WS_ANALYSIS_VIEWER_LAUNCHES_SHOWN_H
#define WS_ANALYSIS_VIEWER_LAUNCHES_SHOWN_H

#include "analysis/viewer/viewer.h"

#define WS_LAUNCHES_SHOWN 8

/* At most WS_LAUNCHES_SHOWN. First the one that the page opens with, which is the first with rays; then those with most rays,
 * of equals the earlier. Returns how many there are. */
uint32_t ws_launches_shown(const struct ws_viewer_capture *capture, uint64_t launches[WS_LAUNCHES_SHOWN]);

/* Which these are, in words: "the first with rays, and those with most". Static memory. */
const char *ws_launches_shown_words(const struct ws_viewer_capture *capture);

/* Gives `embed` the query "NAME?launch=N" of each of them, with the rank `first` for the one that the page opens with, and
 * `others` for the rest. False = no memory. */
bool ws_launches_shown_embed(const struct ws_viewer_capture *capture, const char *name,
                             enum ws_viewer_rank first, enum ws_viewer_rank others, ws_viewer_embed *embed,
                             void *user);

#endif
