/* The single file keeps its budget, with any number of launches, and says what it left out. */
#include "analysis/viewer/single_file.h"
#include "tests/unit/analysis/viewer/read_report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/page.h"
#include "tests/unit/analysis/rays/ray_scene.h"

enum { LAUNCHES = 1500 };

/* Launches of 2x1 whose threads trace one ray each, which misses. */
static struct stream *write_scene(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    for (uint32_t i = 0; i < LAUNCHES; ++i) {
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 1, 1);
        const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
        ray_trace(stream, a, 0x3, 1, 0);
        const uint32_t b = ray_enter(stream, miss, 0x3, 0);
        ray_place(stream, b, RAY_SITE_END, 0x3);
        ray_place(stream, a, RAY_SITE_RETURN, 0x3);
        ray_place(stream, a, RAY_SITE_END, 0x3);
        stream_end(stream);
    }
    stream_finish(stream);
    return stream;
}

/* Writes it into memory; returns its size, which is what the file says of itself. */
static uint64_t write_page(struct ws_viewer *viewer, uint64_t budget, uint32_t *answers)
{
    struct ws_viewer_single_file file = {.budget = budget};
    struct ws_error error = {{0}};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    if (!ws_viewer_write_single_file(viewer, &file, stream, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(size, file.bytes);
    assert_non_null(strstr(text, "data-answer=\"capture.json\""));
    free(text);
    *answers = file.answers;
    return size;
}

static const struct ws_viewer_left_out *find(const struct ws_viewer *viewer, const char *resource,
                                             enum ws_viewer_why why)
{
    for (uint32_t i = 0; i < viewer->left_out_count; ++i)
        if (strcmp(viewer->left_out[i].resource->name, resource) == 0 && viewer->left_out[i].why == why)
            return &viewer->left_out[i];
    return NULL;
}

/* From all that there is down to what it cannot do without, in steps of a tenth. */
static void keeps_its_budget(void **state)
{
    struct stream *stream = write_scene();
    struct ws_viewer_options options = {.paths = {stream_path(stream)}, .read = read_report};
    struct ws_viewer viewer;
    struct ws_error error = {{0}};
    uint32_t all = 0;
    uint32_t least = 0;
    (void)state;
    if (!ws_viewer_init(&viewer, &options, &error))
        fail_msg("%s", error.message);
    const uint64_t whole = write_page(&viewer, WS_VIEWER_BUDGET, &all);
    for (uint32_t i = 0; i < viewer.left_out_count; ++i)
        if (viewer.left_out[i].why == WS_VIEWER_NO_ANSWER)
            fail_msg("%s: %s", viewer.left_out[i].first, viewer.left_out[i].words);
    const struct ws_viewer_left_out *others = find(&viewer, "rays", WS_VIEWER_OTHER_LAUNCH);
    assert_non_null(others);
    assert_int_equal(others->answers, LAUNCHES - WS_LAUNCHES_SHOWN);
    assert_null(find(&viewer, "rays", WS_VIEWER_NO_ROOM));
    const uint64_t fixed = write_page(&viewer, 1, &least); /* nothing fits: rank 0 alone */
    assert_true(fixed > ws_viewer_page.before.size && fixed < whole && least < all);
    for (int tenth = 1; tenth <= 10; ++tenth) {
        uint32_t answers = 0;
        const uint64_t budget = fixed + (whole - fixed) * (uint64_t)tenth / 10;
        const uint64_t size = write_page(&viewer, budget, &answers);
        if (size > budget)
            fail_msg("%d tenths: %llu bytes of %llu", tenth, (unsigned long long)size,
                     (unsigned long long)budget);
        uint64_t left_out = 0;
        for (uint32_t i = 0; i < viewer.left_out_count; ++i)
            left_out += viewer.left_out[i].why == WS_VIEWER_NO_ROOM ? viewer.left_out[i].answers : 0;
        assert_int_equal(answers + left_out, all);
    }
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_its_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
