#include "analysis/viewer/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include <microhttpd.h>

#include "analysis/viewer/missing.h"
#include "analysis/viewer/page.h"
#include "warpscope/base/text.h"
#include "warpscope/output/json.h"

#define TOKEN_BYTES     16
#define CONNECTIONS_MAX 64
#define REQUEST_BYTES   32768 /* the most that request line and headers of a connection may take */
#define IDLE_SECONDS    120   /* after which a connection is closed */

struct ws_viewer_server {
    struct ws_viewer *viewer;
    struct MHD_Daemon *daemon;
    uint64_t requests;
    char token[2 * TOKEN_BYTES + 1];
    char hosts[2][32]; /* as the browser calls this server: "127.0.0.1:34567" */
    char url[96];
};

static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; "
     "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static bool make_token(char *token)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(bytes); ++i)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, const char *type,
                                     struct MHD_Response *response)
{
    if (response == NULL)
        return MHD_NO;
    bool good = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); ++i)
        good = MHD_add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES && good;
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        good = MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") == MHD_YES && good;
    const enum MHD_Result result = good ? MHD_queue_response(connection, status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

/* The message may quote the request, which is any bytes. */
static enum MHD_Result send_error(struct MHD_Connection *connection, unsigned status, const char *message)
{
    char repaired[WS_ERROR_SIZE];
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return MHD_NO;
    snprintf(repaired, sizeof(repaired), "%s", message);
    ws_text_repair(repaired, strlen(repaired));
    fputs("{\"error\": ", stream);
    ws_json_text(stream, repaired);
    fputs("}\n", stream);
    if (fclose(stream) != 0) {
        free(text);
        return MHD_NO;
    }
    return send_response(connection, status, "application/json",
                         MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE));
}

/* What a request's headers say of where it goes, and of where it comes from. */
struct origin {
    const struct ws_viewer_server *server;
    unsigned hosts;
    bool wrong;
};

static bool is_host(const struct ws_viewer_server *server, const char *text)
{
    return strcasecmp(text, server->hosts[0]) == 0 || strcasecmp(text, server->hosts[1]) == 0;
}

static enum MHD_Result check_header(void *pointer, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    static const char scheme[] = "http://";
    struct origin *origin = pointer;
    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        origin->hosts++;
        origin->wrong = origin->wrong || value == NULL || !is_host(origin->server, value);
    } else if (strcasecmp(name, MHD_HTTP_HEADER_ORIGIN) == 0) {
        origin->wrong = origin->wrong || value == NULL || strncmp(value, scheme, strlen(scheme)) != 0 ||
                        !is_host(origin->server, value + strlen(scheme));
    }
    return MHD_YES;
}

static bool is_ours(const struct ws_viewer_server *server, struct MHD_Connection *connection)
{
    struct origin origin = {.server = server};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, check_header, &origin);
    return origin.hosts == 1 && !origin.wrong;
}

/* What stands behind the token in a request's target; NULL where it has not the token. How long the comparison takes tells
 * nothing of the token. */
static const char *behind_token(const struct ws_viewer_server *server, const char *target)
{
    const size_t length = 2 * TOKEN_BYTES;
    unsigned char different = 0;
    if (strlen(target) < length + 2 || target[0] != '/' || target[length + 1] != '/')
        return NULL;
    for (size_t i = 0; i < length; ++i)
        different |= (unsigned char)(target[i + 1] ^ server->token[i]);
    return different == 0 ? target + length + 2 : NULL;
}

static enum MHD_Result send_answer(struct ws_viewer_server *server, struct MHD_Connection *connection,
                                   const char *query)
{
    struct ws_error error = {{0}};
    char *answer = NULL;
    size_t size = 0;
    const size_t name = strcspn(query, "?");
    const bool json = name >= 5 && memcmp(query + name - 5, ".json", 5) == 0;
    switch (ws_viewer_answer(server->viewer, query, &answer, &size, &error)) {
    case WS_VIEWER_ANSWERED:
        server->requests++;
        return send_response(connection, MHD_HTTP_OK, json ? "application/json" : "application/octet-stream",
                             MHD_create_response_from_buffer(size, answer, MHD_RESPMEM_MUST_FREE));
    case WS_VIEWER_UNKNOWN: return send_error(connection, MHD_HTTP_NOT_FOUND, error.message);
    case WS_VIEWER_REFUSED: return send_error(connection, MHD_HTTP_BAD_REQUEST, error.message);
    default: return send_error(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message);
    }
}

static enum MHD_Result send_file(struct ws_viewer_server *server, struct MHD_Connection *connection,
                                 const char *name)
{
    for (size_t i = 0; i < WS_VIEWER_FILES; ++i) {
        const struct ws_viewer_file *file = &ws_viewer_page.files[i];
        if (strcmp(name, file->name) != 0)
            continue;
        server->requests++;
        return send_response(connection, MHD_HTTP_OK, file->type,
                             MHD_create_response_from_buffer(file->content.size, (void *)file->content.data,
                                                             MHD_RESPMEM_PERSISTENT));
    }
    return send_error(connection, MHD_HTTP_NOT_FOUND, "there is no such page");
}

/* A request that is being read. */
struct request {
    bool begun;
    char target[]; /* as it came, with its query, undecoded */
};

/* Called when the headers are there, and again when the body is. GET and HEAD have none: they are answered then, since an
 * answer before that would close the connection. Others are refused at once. */
static enum MHD_Result answer_request(void *pointer, struct MHD_Connection *connection, const char *url,
                                      const char *method, const char *version, const char *upload,
                                      size_t *upload_size, void **state)
{
    static const char data[] = "data/";
    struct ws_viewer_server *server = pointer;
    (void)url, (void)version, (void)upload;
    struct request *request = *state;
    const bool known = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    if (request == NULL)
        return MHD_NO;
    if (known && !request->begun) {
        request->begun = true;
        return MHD_YES;
    }
    if (known && *upload_size > 0) {
        *upload_size = 0; /* a body means nothing */
        return MHD_YES;
    }
    if (!is_ours(server, connection))
        return send_error(connection, MHD_HTTP_FORBIDDEN, "this server answers pages of its own only");
    const char *path = behind_token(server, request->target);
    if (path == NULL)
        return send_error(connection, MHD_HTTP_NOT_FOUND,
                          "there is no such page; `warpscope view` prints the address");
    if (!known)
        return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only");
    return strncmp(path, data, strlen(data)) == 0 ? send_answer(server, connection, path + strlen(data))
                                                  : send_file(server, connection, path);
}

static void *keep_target(void *pointer, const char *target, struct MHD_Connection *connection)
{
    (void)pointer, (void)connection;
    struct request *request = calloc(1, sizeof(*request) + strlen(target) + 1);
    if (request != NULL)
        memcpy(request->target, target, strlen(target) + 1);
    return request;
}

static void drop_target(void *pointer, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    (void)pointer, (void)connection, (void)code;
    free(*state);
    *state = NULL;
}

static bool start(struct ws_viewer_server *server, uint16_t port, struct ws_error *error)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    errno = 0;
    server->daemon = MHD_start_daemon(
        MHD_NO_FLAG, port, NULL, NULL, answer_request, server, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_URI_LOG_CALLBACK, keep_target, server, MHD_OPTION_NOTIFY_COMPLETED, drop_target, server,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (server->daemon == NULL)
        return ws_error_set(error, "cannot listen on 127.0.0.1:%u: %s", port,
                            errno != 0 ? strerror(errno) : "the port is taken, or no socket can be had");
    const union MHD_DaemonInfo *bound = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (bound == NULL || bound->port == 0)
        return ws_error_set(error, "cannot tell on which port of 127.0.0.1 it listens");
    snprintf(server->hosts[0], sizeof(server->hosts[0]), "127.0.0.1:%u", bound->port);
    snprintf(server->hosts[1], sizeof(server->hosts[1]), "localhost:%u", bound->port);
    snprintf(server->url, sizeof(server->url), "http://%s/%s/", server->hosts[0], server->token);
    return true;
}

const char *ws_viewer_missing(void)
{
    return NULL;
}

struct ws_viewer_server *ws_viewer_server_create(struct ws_viewer *viewer, uint16_t port,
                                                 struct ws_error *error)
{
    struct ws_viewer_server *server = calloc(1, sizeof(*server));
    if (server == NULL) {
        ws_error_set(error, "no memory for the server");
        return NULL;
    }
    server->viewer = viewer;
    if (!make_token(server->token)) {
        ws_error_set(error, "cannot make a token: getrandom failed: %s", strerror(errno));
        goto error;
    }
    if (!start(server, port, error))
        goto error;
    return server;
error:
    ws_viewer_server_destroy(server);
    return NULL;
}

void ws_viewer_server_destroy(struct ws_viewer_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    free(server);
}

const char *ws_viewer_server_url(const struct ws_viewer_server *server)
{
    return server->url;
}

bool ws_viewer_server_run(struct ws_viewer_server *server, int milliseconds, struct ws_error *error)
{
    return MHD_run_wait(server->daemon, milliseconds) == MHD_YES ||
           ws_error_set(error, "the server failed: %s", strerror(errno));
}

uint64_t ws_viewer_server_requests(const struct ws_viewer_server *server)
{
    return server->requests;
}
