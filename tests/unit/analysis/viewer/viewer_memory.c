/* Answers of the viewer where one allocation after the other finds no memory, cJSON's too: it says so, as a failure and not
 * as a refusal of the query, or it answers all the same, and lacks nothing; it leaves nothing behind, which the sanitizers
 * see; and it answers afterwards. */
#include <stdlib.h>
#include <string.h>

#include "analysis/viewer/viewer.h"
#include "tests/unit/analysis/model/failing_memory.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/viewer/read_report.h"

/* Two threads: one ray hits, and one misses. */
static struct stream *write_scene(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 2, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    ray_trace(stream, a, 0x3, 1, 0);
    const uint32_t b = ray_enter(stream, hit, 0x2, 0);
    ray_hit(stream, b, 0x2, 0.5f, 4);
    ray_place(stream, b, RAY_SITE_END, 0x2);
    ray_place(stream, a, RAY_SITE_RETURN, 0x3);
    ray_place(stream, a, RAY_SITE_END, 0x3);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

static void open_viewer(struct ws_viewer *viewer, const char *path)
{
    const struct ws_viewer_options options = {.paths = {path}, .read = read_report};
    struct ws_error error = {{0}};
    if (!ws_viewer_init(viewer, &options, &error))
        fail_msg("%s", error.message);
}

struct answer {
    char *data; /* NULL = none was given */
    size_t size;
};

/* Asks once; with `limit` that allocation finds no memory. Returns whether it was reached. */
static bool ask(struct ws_viewer *viewer, const char *query, long limit, struct answer *answer)
{
    struct ws_error error = {{0}};
    *answer = (struct answer){NULL, 0};
    failing_memory_begin(limit);
    const enum ws_viewer_result result =
        ws_viewer_answer(viewer, query, &answer->data, &answer->size, &error);
    const bool reached = failing_memory_end() < 0 && limit >= 0;
    if (result == WS_VIEWER_REFUSED || result == WS_VIEWER_UNKNOWN)
        fail_msg("%s without allocation %ld is refused: %s", query, limit, error.message);
    if (result == WS_VIEWER_FAILED)
        assert_true(reached && error.message[0] != '\0' && answer->data == NULL);
    return reached;
}

/* Asks without one allocation, and then with all: what is answered is the same. */
static bool ask_twice(struct ws_viewer *viewer, const char *query, long limit)
{
    struct answer without, with;
    const bool reached = ask(viewer, query, limit, &without);
    ask(viewer, query, -1, &with);
    if (without.data != NULL &&
        (without.size != with.size || memcmp(without.data, with.data, with.size) != 0))
        fail_msg("%s without allocation %ld lacks something", query, limit);
    free(without.data);
    free(with.data);
    return reached;
}

static const char *const queries[] = {"capture.json",
                                      "report.json",
                                      "summary.json",
                                      "shaders.json",
                                      "schema.json",
                                      "pictures.json?launch=0",
                                      "rays?launch=0",
                                      "rays?launch=0&end=hit&shortest=1",
                                      "rays.json?launch=0",
                                      "ray.json?launch=0&ray=0",
                                      "scene.json?launch=0",
                                      "points?kind=hit&launch=0",
                                      "rates?launch=0&of=boxes",
                                      "rates?content=0&launch=0&of=model"};

/* What was kept of a capture is made anew: each time by a viewer that was asked for nothing yet. */
static void each_allocation_may_fail(void **state)
{
    struct stream *stream = write_scene();
    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); ++i) {
        bool reached = true;
        /* Numbers grow by a twelfth, so that readings with thousands of allocations take no minutes. */
        for (long limit = 0; reached; limit += 1 + limit / 12) {
            struct ws_viewer viewer;
            open_viewer(&viewer, stream_path(stream));
            reached = ask_twice(&viewer, queries[i], limit);
            ws_viewer_finish(&viewer);
        }
    }
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
