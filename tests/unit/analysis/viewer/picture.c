/* Figures of traces at each pixel, of warps that are fed by hand; and work ids as images. */
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/trace/trace_hand.h"

#include <math.h>

#include "analysis/viewer/scene/picture.h"
#include "layer/capture/capture_writer.h"

static struct hand hand;

/* Ray generation of a warp of 4 executes a block of 3 instructions; a hit shader with lanes 0 to 2, a miss shader with lanes
 * 1 and 2, and one more of lane 2 do the same. Threads execute 2, 3, 4 and 1 blocks, the warp 4: 4 x 4 x 3 slots, of which
 * 3 x (4 + 3 + 2 + 1) are active. */
static void run_calls(void)
{
    struct ws_context *a = hand_launch_rows(&hand, RAYGEN, 4, ws_lanes_first(4), 0, 4);
    struct ws_context *b = hand_call(&hand, CLOSEST_HIT, a, (struct ws_lanes){7, 0});
    struct ws_context *c = hand_call(&hand, MISS, b, (struct ws_lanes){6, 0});
    struct ws_context *d = hand_call(&hand, CLOSEST_HIT, c, (struct ws_lanes){4, 0});
    hand_block(&hand, d, 0, (struct ws_lanes){4, 0});
    hand_leave(&hand, d, (struct ws_lanes){4, 0});
    hand_block(&hand, c, 0, (struct ws_lanes){6, 0});
    hand_leave(&hand, c, (struct ws_lanes){6, 0});
    hand_block(&hand, b, 0, (struct ws_lanes){7, 0});
    hand_leave(&hand, b, (struct ws_lanes){7, 0});
    hand_block(&hand, a, 0, ws_lanes_first(4));
    hand_leave(&hand, a, ws_lanes_first(4));
}

static void figures_of_traces(void **state)
{
    static const struct {
        const char *name;
        float values[5]; /* the last thread of the launch was not recorded */
    } expected[] = {{"blocks", {2, 3, 4, 1, NAN}},     {"warp_blocks", {4, 4, 4, 4, NAN}},
                    {"executions", {2, 3, 4, 1, NAN}}, {"efficiency", {0.625f, 0.625f, 0.625f, 0.625f, NAN}},
                    {"warp", {0, 0, 0, 0, NAN}},       {"lane", {0, 1, 2, 3, NAN}}};
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 5, 1, 1, 1);
    run_calls();
    hand_end(&hand, false);
    hand_finish(&hand);
    const struct ws_launch_view view = {.trace = hand.results};
    struct ws_picture_source source;
    ws_picture_source_init(&source, &view);
    assert_int_equal(source.grid.width, 5);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        const struct ws_picture_figure *figure = ws_picture_find(&source, expected[i].name);
        assert_non_null(figure);
        for (uint32_t pixel = 0; pixel < 5; ++pixel) {
            const float value = ws_picture_value(&source, figure, pixel);
            const float wanted = expected[i].values[pixel];
            if (isnan(wanted) ? !isnan(value) : value != wanted)
                fail_msg("%s of pixel %u is %g, expected %g", figure->name, pixel, (double)value,
                         (double)wanted);
        }
    }
    assert_null(ws_picture_find(&source, "rays"));
    assert_null(ws_picture_find(&source, "shaded"));
    hand_destroy(&hand);
}

/* Every pixel that has a work id is that of the work id. */
static void pixels_and_work_ids(void **state)
{
    static const struct {
        uint32_t size[3], width, height, columns;
        uint64_t threads;
    } launches[] = {{{4, 3, 1}, 4, 3, 1, 12},      {{2, 2, 3}, 8, 2, 3, 12},
                    {{600, 1, 1}, 256, 3, 0, 600}, {{1, 300, 1}, 256, 2, 0, 300},
                    {{1, 1, 7}, 7, 1, 0, 7},       {{2000, 2, 3}, 4001, 5, 2, 12000}};
    const uint32_t first[3] = {0, 0, 0};
    (void)state;
    hand_create(&hand, NULL);
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); ++i) {
        struct ws_launch_record launch = {.kind = WS_LAUNCH_TRACE_RAYS};
        struct ws_work_grid grid;
        uint64_t threads = 0;
        memcpy(launch.size, launches[i].size, sizeof(launch.size));
        assert_true(ws_work_grid_make(&grid, &hand.catalog, &launch, RAYGEN, first, first, 1 << 20));
        assert_true(grid.width == launches[i].width && grid.height == launches[i].height &&
                    grid.columns == launches[i].columns);
        for (uint64_t pixel = 0; pixel <= ws_work_grid_pixels(&grid); ++pixel) {
            uint32_t place[3];
            if (!ws_work_grid_place(&grid, pixel, place))
                continue;
            assert_int_equal(ws_work_grid_pixel(&grid, place), pixel);
            threads++;
        }
        assert_int_equal(threads, launches[i].threads);
        assert_false(ws_work_grid_make(&grid, &hand.catalog, &launch, RAYGEN, first, first, 6));
    }
    hand_destroy(&hand);
}

/* Groups of 8 x 4: 2 x 3 of them from group 3, 1 on have the work ids 24 to 39 and 4 to 15, whatever the records show. */
static void grid_from_a_base(void **state)
{
    static const uint32_t first[3] = {25, 6, 0}, last[3] = {30, 9, 0};
    struct ws_shader_record shader = {.stage = WS_STAGE_COMPUTE, .local_size = {8, 4, 1}};
    const struct ws_catalog catalog = {.shaders = &shader, .shader_count = 1};
    struct ws_launch_record launch = {
        .kind = WS_LAUNCH_DISPATCH, .size = {2, 3, 1}, .flags = WS_LAUNCH_BASE, .base = {3, 1, 0}};
    struct ws_work_grid grid;
    uint32_t place[3];
    (void)state;
    assert_true(ws_work_grid_make(&grid, &catalog, &launch, 0, first, last, 1 << 20));
    assert_true(grid.first[0] == 24 && grid.first[1] == 4 && grid.first[2] == 0);
    assert_true(grid.extent[0] == 16 && grid.extent[1] == 12 && grid.extent[2] == 1);
    assert_int_equal(ws_work_grid_pixel(&grid, first), 2 * 16 + 1);
    assert_true(ws_work_grid_place(&grid, 12 * 16 - 1, place) && place[0] == 39 && place[1] == 15);
    /* A base so high that work ids wrap around: what the records show. */
    launch.base[0] = UINT32_MAX / 8;
    const uint32_t wrapped[3] = {0, 6, 0}, highest[3] = {UINT32_MAX, 9, 0};
    assert_false(ws_work_grid_make(&grid, &catalog, &launch, 0, wrapped, highest, 1 << 20));
}

/* Sizes that a damaged file may have take no memory. */
static void huge_launches(void **state)
{
    static const uint32_t sizes[][3] = {
        {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {UINT32_MAX, 1, 1}, {1 << 16, 1 << 16, 1}};
    const uint32_t first[3] = {0, 0, 0}, last[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    (void)state;
    hand_create(&hand, NULL);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        struct ws_launch_record launch = {.kind = WS_LAUNCH_TRACE_RAYS};
        struct ws_work_grid grid;
        memcpy(launch.size, sizes[i], sizeof(launch.size));
        assert_false(
            ws_work_grid_make(&grid, &hand.catalog, &launch, RAYGEN, first, first, WS_LAUNCH_PIXELS_MOST));
        assert_false(
            ws_work_grid_make(&grid, &hand.catalog, &launch, RAYGEN, first, last, WS_LAUNCH_PIXELS_MOST));
    }
    hand_destroy(&hand);
}

/* An image of 3 x 2 texels in a capture, whose blob comes in two pieces: as a picture of its own, and of the threads of a
 * part of the launch. */
static void image_of_launch(void **state)
{
    uint8_t texels[24];
    char path[64];
    struct ws_error error = {{0}};
    (void)state;
    for (uint8_t i = 0; i < sizeof(texels); ++i)
        texels[i] = i;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    struct ws_chunk_blob blob = {.id = 4, .size = 24, .bytes = texels, .count = 10};
    const struct ws_chunk_image image = {.format = 37, .width = 3, .height = 2, .pitch = 12, .blob = 4};
    assert_true(writer != NULL && ws_capture_write_info(writer, &(struct ws_chunk_info){0}, &error));
    assert_true(ws_capture_write_blob(writer, &blob, &error));
    blob.offset = 10;
    blob.bytes = texels + 10;
    blob.count = 14;
    assert_true(ws_capture_write_blob(writer, &blob, &error));
    ws_capture_writer_destroy(writer);

    const struct ws_launch_view view = {.image = &image, .path = path};
    struct ws_picture_source source;
    uint8_t rgba[24];
    ws_picture_source_init(&source, &view);
    assert_true(source.grid.width == 3 && source.grid.height == 2);
    const struct ws_picture_figure *figure = ws_picture_find(&source, "image");
    assert_non_null(figure);
    assert_true(figure->colours(&source, rgba, &error));
    for (uint8_t i = 0; i < sizeof(rgba); ++i)
        assert_int_equal(rgba[i], i % 4 == 3 ? 255 : i);

    source.grid =
        (struct ws_work_grid){.first = {1, 1, 0}, .extent = {2, 1, 1}, .width = 2, .height = 1, .columns = 1};
    assert_true(ws_picture_find(&source, "image")->colours(&source, rgba, &error));
    assert_memory_equal(rgba, ((const uint8_t[]){16, 17, 18, 255, 20, 21, 22, 255}), 8);
    /* The launch is larger than the image. */
    source.grid.extent[0] = source.grid.width = 3;
    assert_null(ws_picture_find(&source, "image"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_of_traces),
                                       cmocka_unit_test(pixels_and_work_ids),
                                       cmocka_unit_test(grid_from_a_base), cmocka_unit_test(huge_launches),
                                       cmocka_unit_test(image_of_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
