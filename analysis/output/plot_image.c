#include "analysis/output/plot_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/plot_axis.h"
#include "analysis/output/plot_draw.h"

#define MARGIN     16
#define TITLE_ROOM 30
#define SCALE_ROOM 96 /* right of a heat map: its scale of colours, ticks and unit */
#define SCALE_WIDE 14
#define TEXT_SIZE  12.0
#define NOTE_ROOM  18
#define NOTE_SIZE  10.0
#define SIDE_LEAST 512  /* smaller images are magnified to about this */
#define SIDE_MOST  4096 /* larger ones are shown smaller */
#define NOTHING    0.93 /* grey of what has no value */

/* Matplotlib's scale "viridis" at nine places, between which it is nearly straight: lightness grows evenly,
 * so that it reads the same in grey and to people with any colour vision. */
static const double heat[9][3] = {
    {0.267, 0.005, 0.329}, {0.279, 0.175, 0.483}, {0.230, 0.322, 0.546},
    {0.173, 0.449, 0.558}, {0.128, 0.567, 0.551}, {0.158, 0.684, 0.502},
    {0.369, 0.789, 0.383}, {0.678, 0.864, 0.190}, {0.993, 0.906, 0.144},
};

void ws_heat_colour(double place, double colour[3])
{
    double at = (place > 0 ? place < 1 ? place : 1 : 0) * 8;
    int below = at >= 8 ? 7 : (int)at;
    for (int i = 0; i < 3; ++i)
        colour[i] = heat[below][i] + (at - below) * (heat[below + 1][i] - heat[below][i]);
}

/* Colours of names that follow each other lie the golden angle apart, and differ in lightness too. */
static void class_colour(uint64_t value, double colour[3])
{
    double turn = fmod((double)(value % 1000003) * 0.61803398875, 1) * 6;
    double light = 0.55 + 0.4 * (double)(value * 5 % 8) / 7;
    for (int i = 0; i < 3; ++i) {
        double distance = fabs(fmod(turn + 2.0 * i, 6) - 3);
        double pure = distance < 1 ? 0 : distance > 2 ? 1 : distance - 1;
        colour[i] = light * (0.35 + 0.65 * pure);
    }
}

static uint32_t pack(const double colour[3])
{
    uint32_t packed = 0xff;
    for (int i = 0; i < 3; ++i)
        packed = packed << 8 | (uint32_t)(colour[i] * 255 + 0.5);
    return packed;
}

/* How an image is shown: reduced by `divisor` or enlarged by `factor`. */
struct sizes {
    uint32_t divisor;
    uint32_t width; /* reduced */
    uint32_t height;
    uint32_t factor;
};

static struct sizes choose_sizes(const struct ws_image *image)
{
    uint32_t longest = image->width > image->height ? image->width : image->height;
    struct sizes sizes = {.divisor = longest / SIDE_MOST + (longest % SIDE_MOST != 0)};
    sizes.divisor = sizes.divisor > 0 ? sizes.divisor : 1;
    sizes.width = image->width / sizes.divisor + (image->width % sizes.divisor != 0);
    sizes.height = image->height / sizes.divisor + (image->height % sizes.divisor != 0);
    sizes.factor = longest < SIDE_LEAST && longest > 0 ? SIDE_LEAST / longest : 1;
    return sizes;
}

/* The value that point x, y of the reduced image shows. */
static uint64_t value_at(const struct ws_image *image, uint32_t divisor, uint32_t x, uint32_t y)
{
    uint64_t value = UINT64_MAX;
    uint64_t x_end = (uint64_t)(x + 1) * divisor < image->width ? (uint64_t)(x + 1) * divisor : image->width;
    uint64_t y_end =
        (uint64_t)(y + 1) * divisor < image->height ? (uint64_t)(y + 1) * divisor : image->height;
    for (uint64_t row = (uint64_t)y * divisor; row < y_end; ++row)
        for (uint64_t column = (uint64_t)x * divisor; column < x_end; ++column) {
            uint64_t here = image->values[row * image->width + column];
            if (here == UINT64_MAX)
                continue;
            if (image->kind == WS_IMAGE_CLASSES)
                return here;
            value = value == UINT64_MAX || here > value ? here : value;
        }
    return value;
}

static uint64_t maximum_of(const struct ws_image *image)
{
    uint64_t most = 0;
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i)
        if (image->values[i] != UINT64_MAX && image->values[i] > most)
            most = image->values[i];
    return most;
}

/* The image itself, one pixel per point. */
static cairo_surface_t *draw_points(const struct ws_image *image, const struct sizes *sizes, uint64_t most)
{
    static const double nothing[3] = {NOTHING, NOTHING, NOTHING};
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)sizes->width, (int)sizes->height);
    unsigned char *data = cairo_image_surface_get_data(surface);
    if (data == NULL)
        return surface;
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (uint32_t y = 0; y < sizes->height; ++y)
        for (uint32_t x = 0; x < sizes->width; ++x) {
            uint64_t value = value_at(image, sizes->divisor, x, y);
            double colour[3];
            memcpy(colour, nothing, sizeof(colour));
            if (value != UINT64_MAX && image->kind == WS_IMAGE_HEAT)
                ws_heat_colour(most > 0 ? (double)value / (double)most : 0, colour);
            else if (value != UINT64_MAX)
                class_colour(value, colour);
            uint32_t packed = pack(colour);
            memcpy(data + y * stride + 4 * (size_t)x, &packed, sizeof(packed));
        }
    cairo_surface_mark_dirty(surface);
    return surface;
}

/* The scale of colours beside a heat map, with ticks, and the unit along it. */
static void draw_scale(cairo_t *cairo, double x, double y, double height, uint64_t most, const char *unit)
{
    struct ws_axis axis;
    size_t wanted = height > 120 ? 6 : 2;
    ws_axis_init(&axis, 0, 0, most > 0 ? (double)most : 1, true, wanted);
    for (int i = 0; i < (int)height; ++i) {
        double colour[3];
        ws_heat_colour(1 - i / (height > 1 ? height - 1 : 1), colour);
        cairo_set_source_rgb(cairo, colour[0], colour[1], colour[2]);
        cairo_rectangle(cairo, x, y + i, SCALE_WIDE, 1);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
    for (size_t i = 0; i < axis.tick_count; ++i)
        ws_plot_text(cairo, x + SCALE_WIDE + 6,
                     y + height * (1 - ws_axis_place(&axis, axis.ticks[i].value)) + TEXT_SIZE * 0.36,
                     SCALE_ROOM - SCALE_WIDE - 28, -1, axis.ticks[i].text);
    if (unit == NULL)
        return;
    cairo_save(cairo);
    cairo_translate(cairo, x + SCALE_ROOM - MARGIN, y + height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    ws_plot_text(cairo, 0, 0, height, 0, unit);
    cairo_restore(cairo);
}

/* Small images have small titles before they have cut ones. */
static void choose_title_size(cairo_t *cairo, const char *title, double width)
{
    cairo_text_extents_t extents;
    for (double size = 15; size >= 10; size -= 1) {
        ws_plot_font(cairo, size, true);
        cairo_text_extents(cairo, title, &extents);
        if (extents.x_advance <= width)
            return;
    }
}

cairo_surface_t *ws_plot_image(const struct ws_image *image)
{
    const struct sizes sizes = choose_sizes(image);
    uint64_t most = maximum_of(image);
    double width = (double)sizes.width * sizes.factor;
    double height = (double)sizes.height * sizes.factor;
    bool heated = image->kind == WS_IMAGE_HEAT;
    int top = MARGIN + (image->title != NULL ? TITLE_ROOM : 0);
    /* A title and a scale need some room, however small the image is. */
    double whole_width = fmax(width + (heated ? MARGIN + SCALE_ROOM : 0), image->title != NULL ? 320 : 0);
    double whole_height = fmax(height, heated ? 64 : 0);
    cairo_surface_t *points = draw_points(image, &sizes, most);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * MARGIN + (int)whole_width,
                                   top + MARGIN + (int)whole_height + (image->note != NULL ? NOTE_ROOM : 0));
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_save(cairo);
    cairo_translate(cairo, MARGIN, top);
    cairo_scale(cairo, sizes.factor, sizes.factor);
    cairo_set_source_surface(cairo, points, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, 0, 0, sizes.width, sizes.height);
    cairo_fill(cairo);
    cairo_restore(cairo);
    if (image->title != NULL) {
        choose_title_size(cairo, image->title, whole_width);
        cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
        ws_plot_text(cairo, MARGIN, MARGIN + 14, whole_width, -1, image->title);
    }
    if (image->note != NULL) {
        ws_plot_font(cairo, NOTE_SIZE, false);
        cairo_set_source_rgb(cairo, 0.3, 0.3, 0.3);
        ws_plot_text(cairo, MARGIN, top + whole_height + NOTE_ROOM, whole_width, -1, image->note);
    }
    ws_plot_font(cairo, TEXT_SIZE, false);
    if (heated)
        draw_scale(cairo, MARGIN + width + MARGIN, top, whole_height, most, image->unit);
    if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS || cairo_surface_status(points) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(surface);
        surface = NULL;
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(points);
    return surface;
}
