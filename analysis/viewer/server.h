/* Serves the page of the viewer, and the answers to its queries (viewer.h), to a browser on this machine.
 *
 * It listens on 127.0.0.1 only. Every path begins with a token of 128 random bits, which only the printed URL has: other
 * users of the machine, and pages of other origins in the same browser, cannot guess it. A request whose Host is not this
 * server (a name that was made to point here), or whose Origin is another page, is refused. There is nothing to write: GET
 * and HEAD only. It serves the page's files and answers, and opens no file that a request names.
 *
 *     GET /TOKEN/                     the page; /TOKEN/page.js, /TOKEN/page.css
 *     GET /TOKEN/data/rays?launch=3   an answer
 *
 * 400: the query is wrong; 403: wrong Host or Origin; 404: there is no such thing, or the token is wrong; 405: another
 * method; 500: no memory. Errors have the body {"error": TEXT}.
 *
 * One thread, one request at a time. */
#ifndef WS_ANALYSIS_VIEWER_SERVER_H
#define WS_ANALYSIS_VIEWER_SERVER_H

#include <stdint.h>

#include "analysis/viewer/viewer.h"

struct ws_viewer_server;

/* Starts to listen. `port` 0 = a free one. The viewer must outlive the server. NULL and `error` where the port is taken. */
struct ws_viewer_server *ws_viewer_server_create(struct ws_viewer *viewer, uint16_t port,
                                                 struct ws_error *error);
void ws_viewer_server_destroy(struct ws_viewer_server *server);

/* "http://127.0.0.1:34567/0123456789abcdef0123456789abcdef/"; belongs to the server. */
const char *ws_viewer_server_url(const struct ws_viewer_server *server);

/* Waits for at most `milliseconds`, and answers what came. Returns early on a signal. False and `error` when it cannot go
 * on. */
bool ws_viewer_server_run(struct ws_viewer_server *server, int milliseconds, struct ws_error *error);

/* How many requests were answered with a page, a file or an answer. */
uint64_t ws_viewer_server_requests(const struct ws_viewer_server *server);

#endif
