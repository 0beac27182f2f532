/* Pictures: ticks and colours worked out by hand, the same bytes twice, and what stands in the way of a file.
 */
#include <math.h>
#include <sys/stat.h>

#include <cairo.h>

#include "analysis/output/plot.h"
#include "analysis/output/plot_draw.h"
#include "tests/unit/analysis/capture/capture_test.h"

static char folder[] = "/tmp/warpscope-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command);
}

/* Ticks, separated by spaces. */
static void check_ticks(unsigned base, double low, double high, bool exact, size_t wanted,
                        const char *expected)
{
    struct ws_axis axis;
    char text[WS_TICKS_MAX * (WS_TICK_TEXT + 1)] = "";
    ws_axis_init(&axis, base, low, high, exact, wanted);
    for (size_t i = 0; i < axis.tick_count; ++i) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, axis.ticks[i].text);
    }
    assert_string_equal(text, expected);
    assert_true(axis.high > axis.low);
}

static void ticks(void **state)
{
    (void)state;
    check_ticks(0, 0, 100, true, 6, "0 20 40 60 80 100");
    check_ticks(0, 0, 7, false, 8, "0 1 2 3 4 5 6 7");
    check_ticks(0, 0, 0.9, false, 6, "0 0.2 0.4 0.6 0.8 1");
    check_ticks(0, 0, 1.3e9, false, 6, "0 500M 1G 1.5G");
    check_ticks(0, 59, 1391, true, 8, "200 400 600 800 1000 1200");
    check_ticks(0, 0, 12345, false, 6, "0 5000 10k 15k");
    check_ticks(0, -3, 3, false, 6, "-3 -2 -1 0 1 2 3");
    check_ticks(0, 0, 0, false, 6, "0 0.2 0.4 0.6 0.8 1");
    check_ticks(0, 5, 5, true, 5, "5 6 7 8 9 10");
    check_ticks(2, 1, 1000, true, 8, "1 2 4 8 16 32 64 128 256 512 1024");
    check_ticks(10, 3, 20000, false, 6, "1 10 100 1000 10k 100k");
    check_ticks(10, 1, 1e15, false, 6, "1 100 10k 1M 100M 10G 1T 100T");
    check_ticks(10, -1, -1, false, 6, "1 10");
    check_ticks(0, NAN, INFINITY, false, 6, "0 0.2 0.4 0.6 0.8 1");
}

static void places(void **state)
{
    (void)state;
    struct ws_axis axis;
    ws_axis_init(&axis, 0, 10, 30, true, 6);
    assert_true(fabs(ws_axis_place(&axis, 15) - 0.25) < 1e-12);
    assert_true(ws_axis_place(&axis, 50) > 1);
    assert_true(isnan(ws_axis_place(&axis, NAN)));
    ws_axis_init(&axis, 10, 1, 10000, false, 6);
    assert_true(fabs(ws_axis_place(&axis, 100) - 0.5) < 1e-12);
    assert_true(isnan(ws_axis_place(&axis, 0)));
}

/* The scale of heat begins and ends with viridis' own colours, and grows lighter all the way. */
static void heat_colours(void **state)
{
    (void)state;
    double colour[3];
    double light = -1;
    ws_heat_colour(0, colour);
    assert_true(colour[0] == 0.267 && colour[1] == 0.005 && colour[2] == 0.329);
    ws_heat_colour(1, colour);
    assert_true(colour[0] == 0.993 && colour[1] == 0.906 && colour[2] == 0.144);
    for (int i = 0; i <= 100; ++i) {
        ws_heat_colour(i / 100.0, colour);
        double next = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
        assert_true(next > light);
        light = next;
    }
}

static struct ws_plots *create(const char *prefix)
{
    struct ws_error error = {{0}};
    struct ws_plots *plots = ws_plots_create(folder, prefix, &error);
    if (plots == NULL)
        fail_msg("%s", error.message);
    return plots;
}

static const double y_values[][5] = {{1, 4, 9, 16, 25}, {0, NAN, 3, INFINITY, -2}};

static struct ws_plot make_plot(enum ws_plot_kind kind, const struct ws_series *series, size_t count)
{
    return (struct ws_plot){.kind = kind,
                            .title = "Title with \x1b and \xff in it",
                            .x_label = "x",
                            .y_label = "y",
                            .series = series,
                            .series_count = count};
}

/* Every kind of plot, with every shape of data, is drawn, and twice the same. */
static void same_bytes(void **state)
{
    (void)state;
    static const char *const labels[] = {"a", "a long label that has to be cut somewhere", "", "d", NULL};
    const struct ws_series series[] = {
        {"one", NULL, y_values[0], 5}, {"two", NULL, y_values[1], 5}, {NULL, NULL, NULL, 0},
        {"4", NULL, y_values[0], 1},   {"5", NULL, y_values[0], 2},   {"6", NULL, y_values[0], 3},
        {"7", NULL, y_values[0], 4},   {"8", NULL, y_values[0], 5},   {"9", NULL, y_values[0], 5}};
    for (int i = 0; i < 64; ++i) {
        struct ws_error error = {{0}};
        char names[2][8];
        struct ws_plot plot = make_plot((enum ws_plot_kind)(i % 4), series, i & 4 ? 9 : 1);
        plot.series_count = i & 32 ? 0 : plot.series_count;
        plot.labels = i & 8 && i % 4 == WS_PLOT_BARS ? labels : NULL;
        plot.x_logarithmic = i & 8;
        plot.y_logarithmic = i & 16;
        struct ws_plots *plots = create("same");
        for (int j = 0; j < 2; ++j) {
            snprintf(names[j], sizeof(names[j]), "%d", j);
            if (!ws_plots_plot(plots, names[j], &plot, &error))
                fail_msg("%s", error.message);
        }
        assert_int_equal(ws_plots_count(plots), 4);
        for (size_t j = 0; j < 2; ++j) {
            size_t sizes[2];
            uint8_t *first = load_file(ws_plots_path(plots, j), &sizes[0]);
            uint8_t *second = load_file(ws_plots_path(plots, 2 + j), &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(first, second, sizes[0]);
            assert_memory_equal(first, j == 0 ? "<?xml" : "\x89PNG\r", 5);
            free(first);
            free(second);
        }
        ws_plots_destroy(plots);
    }
}

/* What an image shows at the middle of one of its points. */
static uint32_t pixel(cairo_surface_t *surface, int x, int y)
{
    uint32_t word;
    memcpy(&word,
           cairo_image_surface_get_data(surface) +
               (size_t)y * (size_t)cairo_image_surface_get_stride(surface) + 4 * (size_t)x,
           sizeof(word));
    return word & 0xffffff;
}

static cairo_surface_t *draw_image(enum ws_image_kind kind, uint32_t width, uint32_t height,
                                   const uint64_t *values)
{
    const struct ws_image image = {.kind = kind, .width = width, .height = height, .values = values};
    struct ws_error error = {{0}};
    struct ws_plots *plots = create("image");
    if (!ws_plots_image(plots, "x", &image, &error))
        fail_msg("%s", error.message);
    cairo_surface_t *surface = cairo_image_surface_create_from_png(ws_plots_path(plots, 0));
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    ws_plots_destroy(plots);
    return surface;
}

/* 4 x 2 points are shown 128 times as large, from 16, 16 on: heat from 0 to the largest, of which 7 of 14 is
 * at the middle of the scale; grey is where nothing is. */
static void images(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 7, 14, UINT64_MAX, 14, 0, 7, 0};
    cairo_surface_t *surface = draw_image(WS_IMAGE_HEAT, 4, 2, values);
    assert_int_equal(pixel(surface, 16 + 64, 16 + 64), 0x440154);
    assert_int_equal(pixel(surface, 16 + 64 + 128, 16 + 64), 0x21918d);
    assert_int_equal(pixel(surface, 16 + 64 + 256, 16 + 64), 0xfde725);
    assert_int_equal(pixel(surface, 16 + 64 + 384, 16 + 64), 0xededed);
    assert_int_equal(pixel(surface, 16 + 64, 16 + 64 + 128), 0xfde725);
    cairo_surface_destroy(surface);
    static uint64_t names[64];
    for (uint64_t i = 0; i < 64; ++i)
        names[i] = i;
    surface = draw_image(WS_IMAGE_CLASSES, 8, 8, names);
    for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 7; ++x) {
            uint32_t here = pixel(surface, 16 + 64 * x + 32, 16 + 64 * y + 32);
            assert_int_not_equal(here, pixel(surface, 16 + 64 * x + 96, 16 + 64 * y + 32));
            assert_int_not_equal(here, pixel(surface, 16 + 64 * x + 32, 16 + 64 * y + 96));
        }
    cairo_surface_destroy(surface);
}

/* A note stands at the foot of every picture: a plot is another with it, an image taller. */
static void notes(void **state)
{
    (void)state;
    const uint64_t values[] = {1, 2};
    const struct ws_image image = {.kind = WS_IMAGE_HEAT, .width = 2, .height = 1, .values = values};
    const struct ws_series series[] = {{"one", NULL, y_values[0], 5}};
    const struct ws_plot plot = make_plot(WS_PLOT_LINES, series, 1);
    struct ws_plots *plots = create("note");
    struct ws_error error = {{0}};
    size_t sizes[2] = {0, 0};
    int heights[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
        assert_true(ws_plots_note(plots, i == 0 ? "" : "records are missing"));
        assert_true(ws_plots_plot(plots, "plot", &plot, &error) &&
                    ws_plots_image(plots, "image", &image, &error));
        free(load_file(ws_plots_path(plots, ws_plots_count(plots) - 3), &sizes[i]));
        cairo_surface_t *surface =
            cairo_image_surface_create_from_png(ws_plots_path(plots, ws_plots_count(plots) - 1));
        heights[i] = cairo_image_surface_get_height(surface);
        cairo_surface_destroy(surface);
    }
    assert_true(sizes[1] > sizes[0]);
    assert_true(heights[1] > heights[0]);
    ws_plots_destroy(plots);
}

/* 10000 x 3 points become 3334 x 1, each the largest of 3 x 3. */
static void large_images(void **state)
{
    (void)state;
    enum { WIDTH = 10000 };
    uint64_t *values = calloc(3 * (size_t)WIDTH, sizeof(*values));
    assert_non_null(values);
    values[2 * WIDTH + 4] = 9;
    cairo_surface_t *surface = draw_image(WS_IMAGE_HEAT, WIDTH, 3, values);
    assert_int_equal(pixel(surface, 16 + 1, 16), 0xfde725);
    assert_int_equal(pixel(surface, 16 + 2, 16), 0x440154);
    assert_true(cairo_image_surface_get_width(surface) > 3334);
    assert_true(cairo_image_surface_get_width(surface) < 3600);
    cairo_surface_destroy(surface);
    free(values);
}

static void errors(void **state)
{
    (void)state;
    const struct ws_series series = {"one", NULL, y_values[0], 5};
    const struct ws_plot plot = make_plot(WS_PLOT_LINES, &series, 1);
    struct ws_error error = {{0}};
    char path[128];
    /* Names cannot leave the folder. */
    struct ws_plots *plots = create("pre");
    assert_true(ws_plots_plot(plots, "../a b/c$", &plot, &error));
    assert_non_null(strstr(ws_plots_path(plots, 0), "/pre-.._a_b_c_.svg"));
    /* A full disk. */
    snprintf(path, sizeof(path), "%s/pre-full.svg", folder);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_false(ws_plots_plot(plots, "full", &plot, &error));
    assert_non_null(strstr(error.message, "pre-full.svg': No space left"));
    /* A folder where a picture should be. */
    memset(&error, 0, sizeof(error));
    snprintf(path, sizeof(path), "%s/pre-taken.png", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(ws_plots_plot(plots, "taken", &plot, &error));
    assert_non_null(strstr(error.message, "pre-taken.png': Is a directory"));
    ws_plots_destroy(plots);
    /* A file where the folder should be. */
    memset(&error, 0, sizeof(error));
    snprintf(path, sizeof(path), "%s/pre-.._a_b_c_.svg", folder);
    assert_null(ws_plots_create(path, "x", &error));
    assert_non_null(strstr(error.message, "it is no folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks),      cmocka_unit_test(places), cmocka_unit_test(heat_colours),
        cmocka_unit_test(same_bytes), cmocka_unit_test(images), cmocka_unit_test(large_images),
        cmocka_unit_test(notes),      cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
