/* Finding out where the page's lists lead takes as much of a capture of many launches as of one of few: a report of 100,000
 * launches would fill the memory. */
#include <limits.h>

#include "analysis/viewer/links.h"
#include "tests/unit/analysis/model/failing_memory.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/viewer/read_report.h"

/* Each launch has a shader of its own, and one thread, whose ray misses. */
static struct stream *write_launches(uint32_t count)
{
    struct stream *stream = ray_scene_create(8, 0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
        const uint32_t context = ray_enter(stream, raygen, 0x1, 0);
        ray_trace(stream, context, 0x1, 1, 0);
        ray_place(stream, context, RAY_SITE_RETURN, 0x1);
        ray_place(stream, context, RAY_SITE_END, 0x1);
        stream_end(stream);
    }
    stream_finish(stream);
    return stream;
}

/* How many allocations the links of so many launches take. */
static long count_allocations(uint32_t launches)
{
    struct stream *stream = write_launches(launches);
    const struct ws_viewer_options options = {.paths = {stream_path(stream)}, .read = read_report};
    struct ws_viewer viewer;
    struct ws_error error = {{0}};
    if (!ws_viewer_init(&viewer, &options, &error))
        fail_msg("%s", error.message);
    failing_memory_begin(LONG_MAX);
    const struct ws_viewer_links *links = ws_viewer_links(&viewer.captures[0]);
    const long allocations = LONG_MAX - failing_memory_end();
    assert_non_null(links);
    assert_in_range(links->count, 1, WS_LINKS_MOST);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
    return allocations;
}

static void take_no_more_for_more_launches(void **state)
{
    (void)state;
    const long few = count_allocations(WS_LINKS_OF_TABLE + 4);
    const long many = count_allocations(3 * WS_LINKS_OF_TABLE);
    if (few <= 0 || many > few)
        fail_msg("%ld allocations for few launches, %ld for many", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(take_no_more_for_more_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
