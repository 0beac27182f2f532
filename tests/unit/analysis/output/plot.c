/* Pictures: ticks, colours, ids and hottest places worked out by hand, the same bytes twice, texts of hostile names, the
 * page that shows them all, and what stands in the way of a file. */
#include <math.h>
#include <sys/stat.h>

#include <cairo.h>

#include "analysis/output/plot_draw.h"
#include "analysis/output/plot_text.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/output/plot.h"

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

static void begin(struct ws_plots *plots, const char *name, const char *note)
{
    const struct ws_plots_group group = {name, "about it", "warpscope report a.wscope it", note};
    assert_true(ws_plots_begin(plots, &group));
}

static struct ws_plots *create(const char *name)
{
    struct ws_error error = {{0}};
    struct ws_plots *plots = ws_plots_create(folder, &error);
    if (plots == NULL)
        fail_msg("%s", error.message);
    begin(plots, name, "");
    return plots;
}

/* A file as a text, which the caller frees. */
static char *load_text(const char *path)
{
    size_t size = 0;
    uint8_t *bytes = load_file(path, &size);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return text;
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
    for (int i = 0; i < 80; ++i) {
        struct ws_error error = {{0}};
        char names[2][8];
        struct ws_plot plot = make_plot((enum ws_plot_kind)(i % 5), series, i & 4 ? 9 : 1);
        plot.series_count = i & 32 ? 0 : plot.series_count;
        plot.labels = i & 8 && i % 5 != WS_PLOT_LINES ? labels : NULL;
        plot.details = i & 16 ? labels : NULL;
        plot.x_logarithmic = i & 8;
        plot.y_logarithmic = i & 16;
        struct ws_plots *plots = create("same");
        for (int j = 0; j < 2; ++j) {
            snprintf(names[j], sizeof(names[j]), "%d", j);
            if (!ws_plots_plot(plots, names[j], &plot, &error))
                fail_msg("%s", error.message);
        }
        assert_int_equal(ws_plots_count(plots), plot.series_count > 0 ? 4 : 0);
        for (size_t j = 0; j < 2 && plot.series_count > 0; ++j) {
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

/* Texts of any length and bytes: parts of a long one are cut between characters. */
static void any_text_is_xml(void **state)
{
    enum { BEFORE = 1022, INVALID = 3000 }; /* a character of two bytes lies where a part ends */
    char text[BEFORE + INVALID + 8];
    char *written = NULL;
    size_t size = 0;
    (void)state;
    memset(text, 'a', BEFORE);
    memcpy(text + BEFORE, "\xc3\xa9<", 3);
    memset(text + BEFORE + 3, 0x80, INVALID);
    memcpy(text + BEFORE + 3 + INVALID, "z", 2);
    FILE *stream = open_memstream(&written, &size);
    assert_non_null(stream);
    ws_plot_text_xml(stream, text);
    fclose(stream);
    assert_int_equal(size, BEFORE + 2 + 5 + INVALID + 1);
    assert_memory_equal(written, text, BEFORE + 2);
    assert_memory_equal(written + BEFORE + 2, "&#60;?", 6);
    assert_memory_equal(written + size - 2, "?z", 2);
    for (size_t i = BEFORE + 7; i + 1 < size; ++i)
        assert_int_equal(written[i], '?');
    free(written);
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
    cairo_surface_t *surface = cairo_image_surface_create_from_png(ws_plots_path(plots, 1));
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    ws_plots_destroy(plots);
    return surface;
}

/* 4 x 2 points are shown 160 times as large, from 16, 16 on: heat from 0 to the largest, of which 7 of 14 is
 * at the middle of the scale; grey is where nothing is. */
static void images(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 7, 14, UINT64_MAX, 14, 0, 7, 0};
    cairo_surface_t *surface = draw_image(WS_IMAGE_HEAT, 4, 2, values);
    assert_int_equal(pixel(surface, 16 + 80, 16 + 80), 0x440154);
    assert_int_equal(pixel(surface, 16 + 80 + 160, 16 + 80), 0x21918d);
    assert_int_equal(pixel(surface, 16 + 80 + 320, 16 + 80), 0xfde725);
    assert_int_equal(pixel(surface, 16 + 80 + 480, 16 + 80), 0xededed);
    assert_int_equal(pixel(surface, 16 + 80, 16 + 80 + 160), 0xfde725);
    cairo_surface_destroy(surface);
    static uint64_t names[64];
    for (uint64_t i = 0; i < 64; ++i)
        names[i] = i;
    surface = draw_image(WS_IMAGE_CLASSES, 8, 8, names);
    for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 7; ++x) {
            uint32_t here = pixel(surface, 16 + 80 * x + 40, 16 + 80 * y + 40);
            assert_int_not_equal(here, pixel(surface, 16 + 80 * x + 120, 16 + 80 * y + 40));
            assert_int_not_equal(here, pixel(surface, 16 + 80 * x + 40, 16 + 80 * y + 120));
        }
    cairo_surface_destroy(surface);
}

/* Bands: 2 columns of 320, 3 rows of 24, from 246, 46 on, below a title. On a scale from 1 to 100 10 is in the middle; the end
 * of the scale is the same for both of a pair, where the second begins behind the first. 0 is neither 1 nor nothing; below the
 * scale, which stands right of the columns, is what it looks like. */
static void bands(void **state)
{
    (void)state;
    static const struct ws_image_band bands[] = {{0, false, "nodes"}, {1, true, "faces"}};
    const uint64_t values[2][6] = {{1, 10, 100, 0, UINT64_MAX, 1}, {10, 1, 1, 1, 1, 1}};
    struct ws_image images[2];
    struct ws_error error = {{0}};
    for (int i = 0; i < 2; ++i)
        images[i] = (struct ws_image){.kind = WS_IMAGE_HEAT,
                                      .width = 2,
                                      .height = 3,
                                      .values = values[i],
                                      .title = i == 0 ? "one" : "other",
                                      .most = 100,
                                      .logarithmic = true,
                                      .bands = bands,
                                      .band_count = 2,
                                      .x_end = 100};
    images[0].most = images[1].most = 0;
    ws_image_share_scale(images, 0);
    assert_int_equal(images[0].most, 100);
    assert_int_equal(images[1].most, 100);
    ws_image_share_scale(images, 7);
    assert_int_equal(images[0].most, 7);
    ws_image_share_scale(images, 0);
    struct ws_plots *plots = create("bands");
    assert_true(ws_plots_pair(plots, "pair", images, &error));
    cairo_surface_t *surface = cairo_image_surface_create_from_png(ws_plots_path(plots, 1));
    const int second = cairo_image_surface_get_width(surface) / 2;
    assert_int_equal(pixel(surface, 246 + 160, 46 + 12), 0x440154);
    assert_int_equal(pixel(surface, 246 + 480, 46 + 12), 0x21918d);
    assert_int_equal(pixel(surface, 246 + 160, 46 + 36), 0xfde725);
    assert_int_equal(pixel(surface, 246 + 160, 46 + 60), 0xededed);
    assert_int_equal(pixel(surface, 246 + 480, 46 + 36), 0xb3b3b3);
    assert_int_equal(pixel(surface, 246 + 480, 46 + 60), 0x440154);
    assert_int_equal(pixel(surface, 246 + 640 + 16 + 7, 46 + 96 + 18), 0xb3b3b3);
    assert_int_equal(pixel(surface, second + 246 + 160, 46 + 12), 0x21918d);
    cairo_surface_destroy(surface);
    char *svg = load_text(ws_plots_path(plots, 0));
    assert_non_null(strstr(svg, ">nodes</text>"));
    assert_non_null(strstr(svg, ">faces</text>"));
    assert_non_null(strstr(svg, ">other</text>"));
    free(svg);
    ws_plots_destroy(plots);
}

/* A note stands at the foot of every picture, in lines: a picture is taller with it, by 14 for each line. */
static void notes(void **state)
{
    (void)state;
    const uint64_t values[] = {1, 2};
    const struct ws_image image = {.kind = WS_IMAGE_HEAT, .width = 2, .height = 1, .values = values};
    const struct ws_series series[] = {{"one", NULL, y_values[0], 5}};
    const struct ws_plot plot = make_plot(WS_PLOT_LINES, series, 1);
    struct ws_plots *plots = create("note");
    struct ws_error error = {{0}};
    int heights[2][2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 2; ++i) {
        begin(plots, "note", i == 0 ? "one" : "one\ntwo");
        assert_true(ws_plots_plot(plots, "plot", &plot, &error) &&
                    ws_plots_image(plots, "image", &image, &error));
        for (size_t j = 0; j < 2; ++j) {
            cairo_surface_t *surface =
                cairo_image_surface_create_from_png(ws_plots_path(plots, 4 * (size_t)i + 2 * j + 1));
            heights[i][j] = cairo_image_surface_get_height(surface);
            cairo_surface_destroy(surface);
        }
    }
    assert_int_equal(heights[1][0], heights[0][0] + 2 * 14);
    assert_int_equal(heights[1][1], heights[0][1] + 14);
    ws_plots_destroy(plots);
}

static void check_id(const struct ws_image *image, uint32_t x, uint32_t y, bool has, uint32_t id0,
                     uint32_t id1, uint32_t id2)
{
    uint32_t id[3];
    assert_int_equal(ws_image_id(image, x, y, id), has);
    if (!has)
        return;
    assert_int_equal(id[0], id0);
    assert_int_equal(id[1], id1);
    assert_int_equal(id[2], id2);
}

/* Two dimensions from 10, 20 on; 100 ids in rows of 64; 3 x 2 x 5 in slices, 2 in a row, a free line between them. */
static void ids(void **state)
{
    (void)state;
    struct ws_image_grid grid = {.first = {10, 20, 0}, .extent = {8, 4, 1}, .columns = 1};
    struct ws_image image = {.width = 8, .height = 4, .grid = &grid};
    check_id(&image, 0, 0, true, 10, 20, 0);
    check_id(&image, 7, 3, true, 17, 23, 0);
    grid = (struct ws_image_grid){.first = {5, 0, 0}, .extent = {100, 1, 1}};
    image.width = 64;
    image.height = 2;
    check_id(&image, 63, 0, true, 68, 0, 0);
    check_id(&image, 35, 1, true, 104, 0, 0);
    check_id(&image, 36, 1, false, 0, 0, 0);
    grid = (struct ws_image_grid){.first = {0, 0, 7}, .extent = {3, 2, 5}, .columns = 2};
    image.width = 7;
    image.height = 8;
    check_id(&image, 2, 1, true, 2, 1, 7);
    check_id(&image, 3, 1, false, 0, 0, 0);
    check_id(&image, 5, 4, true, 1, 1, 10);
    check_id(&image, 1, 2, false, 0, 0, 0);
    check_id(&image, 0, 6, true, 0, 0, 11);
    check_id(&image, 4, 6, false, 0, 0, 0);
}

/* Of 32 x 16, near is within 4: the 9 beside the 10 is no place of its own, the 8 is, and the 4 is less than half. */
static void spots(void **state)
{
    (void)state;
    static uint64_t values[32 * 16];
    const struct ws_image image = {.width = 32, .height = 16, .values = values};
    struct ws_image_spot found[WS_IMAGE_SPOTS];
    uint64_t as_hot = 0;
    assert_int_equal(ws_image_spots(&image, found, &as_hot), 0);
    values[32 * 5 + 20] = 10;
    values[32 * 5 + 21] = 9;
    values[32 * 15 + 2] = 8;
    values[32 * 0 + 31] = 4;
    values[32 * 9 + 9] = UINT64_MAX;
    assert_int_equal(ws_image_spots(&image, found, &as_hot), 2);
    assert_int_equal(as_hot, 1);
    assert_int_equal(found[0].x, 20);
    assert_int_equal(found[0].y, 5);
    assert_int_equal(found[0].value, 10);
    assert_int_equal(found[1].x, 2);
    assert_int_equal(found[1].y, 15);
}

/* The hottest place is named so that it can be typed, with its unit; the page has the command. */
static void spot_texts(void **state)
{
    (void)state;
    static uint64_t values[32 * 16];
    const struct ws_image_grid grid = {.first = {300, 80, 0},
                                       .extent = {32, 16, 1},
                                       .columns = 1,
                                       .dimensions = 2,
                                       .option = "--thread",
                                       .arguments = "--launch 3"};
    const struct ws_image image = {.kind = WS_IMAGE_HEAT,
                                   .width = 32,
                                   .height = 16,
                                   .values = values,
                                   .title = "heat",
                                   .unit = "blocks executed",
                                   .grid = &grid};
    struct ws_error error = {{0}};
    char path[128];
    values[32 * 7 + 12] = 302;
    struct ws_plots *plots = create("spots");
    assert_true(ws_plots_image(plots, "x", &image, &error));
    char *svg = load_text(ws_plots_path(plots, 0));
    assert_non_null(strstr(svg, ">1  hottest: --thread 312,87 --launch 3 (302 blocks executed)</text>"));
    assert_non_null(strstr(svg, ">310</text>"));
    assert_non_null(strstr(svg, ">90</text>"));
    assert_true(ws_plots_index(plots, "t", "", "", &error));
    snprintf(path, sizeof(path), "%s/index.html", folder);
    char *page = load_text(path);
    assert_non_null(strstr(page, "<pre>warpscope report a.wscope it\n"
                                 "warpscope report a.wscope it --thread 312,87 --launch 3</pre>"));
    free(svg);
    free(page);
    ws_plots_destroy(plots);
}

/* How often `part` is in `text`. */
static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* Nothing but text comes from names: no element, no attribute. */
static void hostile(void **state)
{
    (void)state;
    static const char name[] =
        "</title></text><script>alert(1)</script>\" onload='x' &lt;\x1b\xff\xe2\x80\xae";
    const char *const labels[] = {name, name};
    const struct ws_series series = {name, NULL, y_values[0], 2};
    const struct ws_plot plot = {.kind = WS_PLOT_ROWS,
                                 .title = name,
                                 .about = name,
                                 .x_label = name,
                                 .y_label = name,
                                 .unit = name,
                                 .note = name,
                                 .labels = labels,
                                 .details = labels,
                                 .series = &series,
                                 .series_count = 1};
    struct ws_error error = {{0}};
    char path[128];
    struct ws_plots *plots = create("hostile");
    const struct ws_plots_group group = {"hostile", name, name, name};
    assert_true(ws_plots_begin(plots, &group));
    if (!ws_plots_plot(plots, name, &plot, &error))
        fail_msg("%s", error.message);
    assert_true(ws_plots_index(plots, name, name, name, &error));
    snprintf(path, sizeof(path), "%s/index.html", folder);
    for (int i = 0; i < 2; ++i) {
        char *text = load_text(i == 0 ? path : ws_plots_path(plots, 0));
        assert_null(strstr(text, "<script"));
        assert_null(strstr(text, "onload='"));
        assert_null(strstr(text, "\" onload"));
        assert_null(strchr(text, '\x1b'));
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_non_null(strstr(text, "&#60;script&#62;"));
        free(text);
    }
    ws_plots_destroy(plots);
}

/* The page has each file, and no other; what has one bar is not drawn, and it says so. */
static void page(void **state)
{
    (void)state;
    const uint64_t values[] = {1, 2};
    const struct ws_image image = {.kind = WS_IMAGE_HEAT, .width = 2, .height = 1, .values = values};
    const struct ws_series series = {"one", NULL, y_values[0], 5};
    const struct ws_series single = {"one", NULL, y_values[0], 1};
    struct ws_plot plot = make_plot(WS_PLOT_LINES, &series, 1);
    struct ws_error error = {{0}};
    char path[128];
    struct ws_plots *plots = create("first");
    assert_true(ws_plots_plot(plots, "plot", &plot, &error));
    begin(plots, "second", "");
    assert_true(ws_plots_image(plots, "image", &image, &error));
    for (int kind = WS_PLOT_BARS; kind <= WS_PLOT_ROWS; ++kind) {
        plot = make_plot((enum ws_plot_kind)kind, &single, 1);
        plot.title = "A single bar";
        assert_true(ws_plots_plot(plots, "bar", &plot, &error));
    }
    assert_int_equal(ws_plots_count(plots), 4);
    assert_true(ws_plots_index(plots, "Title", "head of it", "foot of it", &error));
    snprintf(path, sizeof(path), "%s/index.html", folder);
    char *text = load_text(path);
    assert_int_equal(occurrences(text, "<img "), 2);
    assert_int_equal(occurrences(text, "<a href=\""), 4 + 2 + 3); /* files, pictures, parts of the page */
    for (size_t i = 0; i < 4; ++i) {
        char link[160];
        snprintf(link, sizeof(link), "<a href=\"%s\">", strrchr(ws_plots_path(plots, i), '/') + 1);
        assert_int_equal(occurrences(text, link), i % 2 == 0 ? 2 : 1);
    }
    assert_non_null(strstr(text, "nothing to compare: A single bar; A single bar; A single bar</p>"));
    assert_non_null(strstr(text, "<pre>head of it</pre>"));
    assert_non_null(strstr(text, "<pre>foot of it</pre>"));
    free(text);
    ws_plots_destroy(plots);
}

/* A name that is too long is cut; the whole of it is in a title. */
static void long_names(void **state)
{
    (void)state;
    static const char name[] =
        "a_shader_whose_name_is_far_too_long_to_stand_before_a_bar_of_a_picture.rchit:main";
    const char *const labels[] = {name, "short"};
    const struct ws_series series = {"one", NULL, y_values[0], 2};
    struct ws_plot plot = make_plot(WS_PLOT_ROWS, &series, 1);
    struct ws_error error = {{0}};
    char title[128];
    plot.labels = labels;
    struct ws_plots *plots = create("long");
    assert_true(ws_plots_plot(plots, "x", &plot, &error));
    char *text = load_text(ws_plots_path(plots, 0));
    snprintf(title, sizeof(title), "<title>%s</title>", name);
    assert_non_null(strstr(text, title));
    assert_non_null(strstr(text, "\xe2\x80\xa6</text>"));
    assert_non_null(strstr(text, ">short</text>"));
    free(text);
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
    assert_null(ws_plots_create(path, &error));
    assert_non_null(strstr(error.message, "it is no folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks),        cmocka_unit_test(places),
        cmocka_unit_test(heat_colours), cmocka_unit_test(any_text_is_xml),
        cmocka_unit_test(same_bytes),   cmocka_unit_test(images),
        cmocka_unit_test(large_images), cmocka_unit_test(notes),
        cmocka_unit_test(errors),       cmocka_unit_test(ids),
        cmocka_unit_test(spots),        cmocka_unit_test(spot_texts),
        cmocka_unit_test(hostile),      cmocka_unit_test(page),
        cmocka_unit_test(long_names),   cmocka_unit_test(bands),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
