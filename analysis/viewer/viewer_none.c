/* The viewer in a build without what its page or its server is made of: there is none. */
#include "analysis/viewer/missing.h"
#include "analysis/viewer/server.h"
#include "analysis/viewer/single_file.h"

/* No file is one that this build wrote. */
const struct ws_file_kind ws_viewer_page_kind = {0};

const char *ws_viewer_missing(void)
{
    return "this build of Warpscope has no viewer: it was switched off, or esbuild, libmicrohttpd, zlib or "
           "the "
           "page's npm packages were missing, which `scripts/setup` brings; then "
           "`meson setup --reconfigure -Dviewer=auto` in the build directory, and build again";
}

struct ws_viewer_server *ws_viewer_server_create(struct ws_viewer *viewer, uint16_t port,
                                                 struct ws_error *error)
{
    (void)viewer, (void)port;
    ws_error_set(error, "%s", ws_viewer_missing());
    return NULL;
}

void ws_viewer_server_destroy(struct ws_viewer_server *server)
{
    (void)server;
}

const char *ws_viewer_server_url(const struct ws_viewer_server *server)
{
    (void)server;
    return "";
}

bool ws_viewer_server_run(struct ws_viewer_server *server, int milliseconds, struct ws_error *error)
{
    (void)server, (void)milliseconds;
    return ws_error_set(error, "%s", ws_viewer_missing());
}

uint64_t ws_viewer_server_requests(const struct ws_viewer_server *server)
{
    (void)server;
    return 0;
}

bool ws_viewer_write_single_file(struct ws_viewer *viewer, struct ws_viewer_single_file *file, FILE *stream,
                                 struct ws_error *error)
{
    (void)viewer, (void)file, (void)stream;
    return ws_error_set(error, "%s", ws_viewer_missing());
}
