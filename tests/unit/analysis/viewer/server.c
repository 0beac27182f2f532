/* The viewer's server, asked by a client that has not read its manual. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "analysis/viewer/server.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/viewer/read_report.h"

#define ANSWER_SIZE (1 << 20)

struct fixture {
    struct stream *stream;
    struct ws_viewer viewer;
    struct ws_viewer_server *server;
    char token[33];
    unsigned port;
    char *answer; /* to the last request */
};

static int set_up(void **state)
{
    static struct fixture fixture;
    struct ws_error error = {{0}};
    fixture.stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(fixture.stream, WS_STAGE_RAYGEN);
    stream_begin(fixture.stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    const uint32_t context = ray_enter(fixture.stream, raygen, 0x1, 0);
    ray_trace(fixture.stream, context, 0x1, 3, 0);
    ray_place(fixture.stream, context, RAY_SITE_END, 0x1);
    stream_end(fixture.stream);
    stream_finish(fixture.stream);
    const struct ws_viewer_options options = {.paths = {stream_path(fixture.stream)}, .read = read_report};
    if (!ws_viewer_init(&fixture.viewer, &options, &error))
        fail_msg("%s", error.message);
    fixture.server = ws_viewer_server_create(&fixture.viewer, 0, &error);
    if (fixture.server == NULL)
        fail_msg("%s", error.message);
    assert_int_equal(sscanf(ws_viewer_server_url(fixture.server), "http://127.0.0.1:%u/%32[0-9a-f]/",
                            &fixture.port, fixture.token),
                     2);
    assert_int_equal(strlen(fixture.token), 32);
    fixture.answer = malloc(ANSWER_SIZE);
    assert_non_null(fixture.answer);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->answer);
    ws_viewer_server_destroy(fixture->server);
    ws_viewer_finish(&fixture->viewer);
    stream_destroy(fixture->stream);
    return 0;
}

/* Sends bytes as they are, and lets the server run until it has closed the connection, or the answer is whole. Returns the
 * status of the answer; 0 = there was none. */
static int send_bytes(struct fixture *fixture, const char *bytes, size_t size)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)fixture->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t sent = 0, got = 0;
    int status = 0;
    assert_int_equal(connect(client, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(fcntl(client, F_SETFL, O_NONBLOCK), 0);
    /* The server closes a connection when the client has said that it will: every request of these tests does. */
    for (int turn = 0; turn < 10000; ++turn) {
        const ssize_t out = sent < size ? send(client, bytes + sent, size - sent, MSG_NOSIGNAL) : 0;
        sent += out > 0 ? (size_t)out : 0;
        assert_true(ws_viewer_server_run(fixture->server, 1, NULL));
        const ssize_t in = recv(client, fixture->answer + got, ANSWER_SIZE - 1 - got, 0);
        got += in > 0 ? (size_t)in : 0;
        if (in == 0 || (in < 0 && errno == ECONNRESET))
            break;
    }
    close(client);
    fixture->answer[got] = '\0';
    sscanf(fixture->answer, "HTTP/1.1 %d", &status);
    return status;
}

static int send_text(struct fixture *fixture, const char *text)
{
    return send_bytes(fixture, text, strlen(text));
}

/* A request of METHOD TARGET, in which %T is the token, with the Host of the server. */
static int ask(struct fixture *fixture, const char *method, const char *target, const char *headers)
{
    char text[WS_VIEWER_QUERY_SIZE * 2];
    const char *place = strstr(target, "%T");
    const int before = place != NULL ? (int)(place - target) : (int)strlen(target);
    snprintf(text, sizeof(text), "%s %.*s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s\r\n",
             method, before, target, place != NULL ? fixture->token : "", place != NULL ? place + 2 : "",
             fixture->port, headers);
    return send_text(fixture, text);
}

static int get(struct fixture *fixture, const char *target)
{
    return ask(fixture, "GET", target, "");
}

static void expect(const struct fixture *fixture, const char *part)
{
    if (strstr(fixture->answer, part) == NULL)
        fail_msg("'%s' is not in: %s", part, fixture->answer);
}

static void pages(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(get(fixture, "/%T/"), 200);
    expect(fixture, "Content-Type: text/html");
    expect(fixture, "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';");
    expect(fixture, "X-Content-Type-Options: nosniff");
    expect(fixture, "X-Frame-Options: DENY");
    expect(fixture, "Referrer-Policy: no-referrer");
    expect(fixture, "Cache-Control: no-store");
    expect(fixture, "<script type=\"module\" src=\"page.js\">");
    assert_int_equal(get(fixture, "/%T/page.js"), 200);
    expect(fixture, "Content-Type: text/javascript");
    assert_int_equal(get(fixture, "/%T/page.css"), 200);
    expect(fixture, "Content-Type: text/css");
    assert_int_equal(get(fixture, "/%T/data/capture.json"), 200);
    expect(fixture, "Content-Type: application/json");
    expect(fixture, "\"format\": \"warpscope-view\"");
    assert_int_equal(get(fixture, "/%T/data/rays?launch=0"), 200);
    expect(fixture, "Content-Type: application/octet-stream");
    expect(fixture, "WSRY");
}

static void head_has_no_body(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(ask(fixture, "HEAD", "/%T/data/capture.json", ""), 200);
    const char *end = strstr(fixture->answer, "\r\n\r\n");
    assert_non_null(end);
    assert_string_equal(end, "\r\n\r\n");
    expect(fixture, "Content-Length: ");
}

static void methods(void **state)
{
    static const char *const others[] = {"POST",  "PUT",   "DELETE", "OPTIONS",
                                         "PATCH", "TRACE", "get",    "NONSENSE"};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        assert_int_equal(ask(fixture, others[i], "/%T/", ""), 405);
        expect(fixture, "Allow: GET, HEAD");
    }
    assert_int_equal(ask(fixture, "POST", "/%T/data/capture.json", "Content-Length: 1000000\r\n"), 405);
    /* A body of GET is no reason to do anything else. */
    assert_int_equal(ask(fixture, "GET", "/%T/", "Content-Length: 0\r\n"), 200);
}

static void wrong_tokens(void **state)
{
    struct fixture *fixture = *state;
    char target[128];
    assert_int_equal(get(fixture, "/"), 404);
    assert_int_equal(get(fixture, "/data/capture.json"), 404);
    assert_int_equal(get(fixture, "/%T"), 404);
    assert_int_equal(get(fixture, "/0%T/"), 404);
    assert_int_equal(get(fixture, "//%T/"), 404);
    assert_int_equal(get(fixture, "*"), 404);
    for (int i = 0; i < 32; i += 31) {
        snprintf(target, sizeof(target), "/%s/", fixture->token);
        target[1 + i] ^= 1;
        assert_int_equal(get(fixture, target), 404);
        assert_null(strstr(fixture->answer, "page.js"));
    }
    /* It does not say what would be right. */
    assert_null(strstr(fixture->answer, fixture->token));
    ask(fixture, "POST", "/wrong/", "");
    assert_null(strstr(fixture->answer, fixture->token));
}

static void other_origins(void **state)
{
    struct fixture *fixture = *state;
    char text[512];
    static const char *const hosts[] = {"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example",
                                        ""};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); ++i) {
        snprintf(text, sizeof(text), "GET /%s/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                 fixture->token, hosts[i]);
        const int status = send_text(fixture, text);
        assert_true(status == 403 || status == 400);
        assert_null(strstr(fixture->answer, "page.js"));
    }
    snprintf(text, sizeof(text), "GET /%s/ HTTP/1.1\r\nHost: LocalHost:%u\r\nConnection: close\r\n\r\n",
             fixture->token, fixture->port);
    assert_int_equal(send_text(fixture, text), 200);
    snprintf(text, sizeof(text), "GET /%s/ HTTP/1.0\r\nConnection: close\r\n\r\n", fixture->token);
    assert_int_equal(send_text(fixture, text), 403);
    snprintf(text, sizeof(text),
             "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
             fixture->token, fixture->port);
    assert_true(send_text(fixture, text) / 100 == 4);
    assert_int_equal(ask(fixture, "GET", "/%T/data/capture.json", "Origin: http://evil.example\r\n"), 403);
    assert_int_equal(ask(fixture, "GET", "/%T/data/capture.json", "Origin: null\r\n"), 403);
    snprintf(text, sizeof(text), "Origin: http://127.0.0.1:%u.evil.example\r\n", fixture->port);
    assert_int_equal(ask(fixture, "GET", "/%T/data/capture.json", text), 403);
    snprintf(text, sizeof(text), "Origin: http://127.0.0.1:%u\r\n", fixture->port);
    assert_int_equal(ask(fixture, "GET", "/%T/data/capture.json", text), 200);
}

/* Nothing but its own pages, however a path is written. */
static void no_files(void **state)
{
    static const char *const targets[] = {"/%T/../../../../etc/passwd",
                                          "/%T/..%2f..%2fetc/passwd",
                                          "/%T//etc/passwd",
                                          "/%T/page.js/..",
                                          "/%T/page.js?x",
                                          "/%T/data/",
                                          "/%T/data/../page.js",
                                          "/%T/data/nothing",
                                          "/%T/page.js%00"};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); ++i)
        assert_int_equal(get(fixture, targets[i]), 404);
}

static void wrong_queries(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(get(fixture, "/%T/data/rays"), 400);
    expect(fixture, "Content-Type: application/json");
    expect(fixture, "{\"error\": \"");
    assert_int_equal(get(fixture, "/%T/data/rays?launch=-1"), 400);
    assert_int_equal(get(fixture, "/%T/data/rays?launch=0x0"), 400);
    assert_int_equal(get(fixture, "/%T/data/rays?launch=99999999999999999999"), 400);
    assert_int_equal(get(fixture, "/%T/data/rays?launch=0&launch=0"), 400);
    assert_int_equal(get(fixture, "/%T/data/rays?launch=0&no=1"), 400);
    assert_int_equal(get(fixture, "/%T/data/rays?launch=%zz"), 400);
    assert_int_equal(get(fixture, "/%T/data/capture.json?capture=b"), 400);
    /* What it repeats is text, and UTF-8. */
    assert_int_equal(get(fixture, "/%T/data/rays?launch=0&%22%3c%ff%0a=1"), 400);
    expect(fixture, "'\\\"<?\\u000a'");
}

/* A request that is too long, or none, ends its connection and nothing else. */
static void long_lines(void **state)
{
    struct fixture *fixture = *state;
    const size_t size = 1 << 17;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    memcpy(text, "GET /", 5);
    const int status = send_bytes(fixture, text, size);
    assert_true(status == 0 || status == 414 || status == 431 || status == 413);
    memcpy(text, "GET / HTTP/1.1\r\nX: ", 19);
    const int headers = send_bytes(fixture, text, size);
    assert_true(headers == 0 || headers == 431 || headers == 413);
    free(text);
    char target[WS_VIEWER_QUERY_SIZE + 64];
    memset(target, 'b', sizeof(target));
    memcpy(target, "/%T/data/", 9);
    target[WS_VIEWER_QUERY_SIZE + 32] = '\0';
    assert_int_equal(get(fixture, target), 400);
    assert_true(send_text(fixture, "nonsense\r\n\r\n") / 100 != 2);
    assert_int_equal(get(fixture, "/%T/"), 200);
}

/* Each has its own. */
static void tokens_differ(void **state)
{
    struct fixture *fixture = *state;
    struct ws_viewer_server *other = ws_viewer_server_create(&fixture->viewer, 0, NULL);
    assert_non_null(other);
    assert_null(strstr(ws_viewer_server_url(other), fixture->token));
    ws_viewer_server_destroy(other);
    struct ws_error error = {{0}};
    assert_null(ws_viewer_server_create(&fixture->viewer, (uint16_t)fixture->port, &error));
    assert_non_null(strstr(error.message, "cannot listen on 127.0.0.1:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),         cmocka_unit_test(head_has_no_body), cmocka_unit_test(methods),
        cmocka_unit_test(wrong_tokens),  cmocka_unit_test(other_origins),    cmocka_unit_test(no_files),
        cmocka_unit_test(wrong_queries), cmocka_unit_test(long_lines),       cmocka_unit_test(tokens_differ),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
