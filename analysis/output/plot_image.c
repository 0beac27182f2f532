/* Images: heat maps and maps of names, with the ids of their pixels. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/plot_draw.h"
#include "analysis/output/plot_text.h"
#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"

#define TITLE_ROOM    30
#define AXIS_LEFT     62 /* ticks and label */
#define AXIS_BELOW    40
#define SCALE_ROOM    96 /* right of a heat map: its scale of colours, ticks and unit */
#define SCALE_WIDE    14
#define WIDTH_LEAST   620  /* of all: room for the texts below */
#define SIDE_WANTED   640  /* smaller images are magnified to about this */
#define SIDE_MOST     4096 /* larger ones are shown smaller */
#define NOTHING       0.93 /* grey of what has no value */
#define ZERO          0.7  /* grey of 0, which has no place on a logarithmic scale */
#define LINE_STEP     17.0
#define LEGEND_MOST   8    /* names */
#define NAMED_MOST    4096 /* areas that have their name written on them, if it fits */
#define SPOT_BYTES    160
#define BAND_LEFT     230  /* names of bands */
#define BAND_ROW_MOST 24   /* a row is no higher */
#define BAND_STEP     14.0 /* from name to name at least */

/* Matplotlib's scale "viridis" at nine places; between them it is nearly straight. Its lightness grows evenly,
 * so it reads the same in grey and for people with any colour vision. */
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

/* The hues of values that follow each other lie the golden angle apart. Their lightness differs too. */
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

/* The value that point x, y of the reduced image shows. */
static uint64_t value_at(const struct ws_image *image, const uint32_t divisor[2], uint32_t x, uint32_t y)
{
    uint64_t value = UINT64_MAX;
    const uint64_t x_next = ((uint64_t)x + 1) * divisor[0];
    const uint64_t y_next = ((uint64_t)y + 1) * divisor[1];
    const uint64_t x_end = x_next < image->width ? x_next : image->width;
    const uint64_t y_end = y_next < image->height ? y_next : image->height;
    for (uint64_t row = (uint64_t)y * divisor[1]; row < y_end; ++row)
        for (uint64_t column = (uint64_t)x * divisor[0]; column < x_end; ++column) {
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
    uint64_t most = image->most;
    for (size_t i = 0; image->most == 0 && i < (size_t)image->width * image->height; ++i)
        if (image->values[i] != UINT64_MAX && image->values[i] > most)
            most = image->values[i];
    return most;
}

void ws_image_share_scale(struct ws_image images[2], uint64_t most)
{
    for (int i = 0; most == 0 && i < 2; ++i)
        images[i].most = 0;
    const uint64_t own[2] = {maximum_of(&images[0]), maximum_of(&images[1])};
    for (int i = 0; i < 2; ++i)
        images[i].most = most > 0 ? most : own[0] > own[1] ? own[0] : own[1];
}

/* Ids. */

struct ws_image_grid ws_image_grid_of_threads(const uint32_t first[3], const uint32_t extent[3],
                                              uint32_t columns, const char *arguments)
{
    struct ws_image_grid grid = {.columns = columns,
                                 .dimensions = extent[2] > 1   ? 3
                                               : extent[1] > 1 ? 2
                                                               : 1,
                                 .option = "--thread",
                                 .arguments = arguments};
    memcpy(grid.first, first, sizeof(grid.first));
    memcpy(grid.extent, extent, sizeof(grid.extent));
    return grid;
}

bool ws_image_id(const struct ws_image *image, uint32_t x, uint32_t y, uint32_t id[3])
{
    const struct ws_image_grid *grid = image->grid;
    if (grid->columns == 0) {
        const uint64_t index = (uint64_t)y * image->width + x;
        const uint32_t axis = grid->extent[1] > 1 ? 1 : grid->extent[2] > 1 ? 2 : 0;
        memcpy(id, grid->first, 3 * sizeof(*id));
        id[axis] += (uint32_t)index;
        return index < grid->extent[axis];
    }
    const uint32_t across = grid->extent[0] + 1;
    const uint32_t down = grid->extent[1] + 1;
    const uint32_t slice = y / down * grid->columns + x / across;
    id[0] = grid->first[0] + x % across;
    id[1] = grid->first[1] + y % down;
    id[2] = grid->first[2] + slice;
    return x % across < grid->extent[0] && y % down < grid->extent[1] && slice < grid->extent[2];
}

/* The hottest pixel that is not near one of the spots. False where there is none. */
static bool find_spot(const struct ws_image *image, const struct ws_image_spot *spots, size_t count,
                      struct ws_image_spot *spot)
{
    const uint32_t longest = image->width > image->height ? image->width : image->height;
    const double near = (double)longest / 8;
    bool found = false;
    for (uint32_t y = 0; y < image->height; ++y)
        for (uint32_t x = 0; x < image->width; ++x) {
            const uint64_t value = image->values[(size_t)y * image->width + x];
            if (value == UINT64_MAX || (found && value <= spot->value))
                continue;
            bool is_near = false;
            for (size_t i = 0; i < count; ++i)
                is_near = is_near || hypot((double)x - spots[i].x, (double)y - spots[i].y) < near;
            if (!is_near) {
                *spot = (struct ws_image_spot){x, y, value};
                found = true;
            }
        }
    return found;
}

size_t ws_image_spots(const struct ws_image *image, struct ws_image_spot spots[WS_IMAGE_SPOTS],
                      uint64_t *as_hot)
{
    uint64_t least = UINT64_MAX;
    size_t count = 0;
    *as_hot = 0;
    while (count < WS_IMAGE_SPOTS && find_spot(image, spots, count, &spots[count]) &&
           spots[count].value >= spots[0].value / 2 + spots[0].value % 2)
        count++;
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i) {
        least = image->values[i] < least ? image->values[i] : least;
        *as_hot += count > 0 && image->values[i] == spots[0].value;
    }
    return count > 0 && least < spots[0].value ? count : 0;
}

size_t ws_image_option(const struct ws_image *image, const struct ws_image_spot *spot, char *text,
                       size_t size)
{
    const struct ws_image_grid *grid = image->grid;
    uint32_t id[3];
    size_t used = 0;
    if (!ws_image_id(image, spot->x, spot->y, id))
        return 0;
    used = (size_t)snprintf(text, size, "%s %" PRIu32, grid->option, id[0]);
    for (uint32_t i = 1; i < grid->dimensions && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, ",%" PRIu32, id[i]);
    if (grid->arguments != NULL && used < size)
        used += (size_t)snprintf(text + used, size - used, " %s", grid->arguments);
    return used;
}

/* Whether so many pixels are as hot as the hottest that to mark some of them would say nothing. */
static bool is_plateau(const struct ws_image *image, uint64_t as_hot)
{
    return as_hot > 16 && as_hot > (uint64_t)image->width * image->height / 50;
}

/* The lines below a heat map that name its hottest places. "" where it has none. */
static void name_spots(const struct ws_image *image, char *text, size_t size)
{
    struct ws_image_spot spots[WS_IMAGE_SPOTS];
    char option[SPOT_BYTES];
    uint64_t as_hot = 0;
    size_t used = 0;
    text[0] = '\0';
    if (image->kind != WS_IMAGE_HEAT || image->grid == NULL)
        return;
    const size_t count = ws_image_spots(image, spots, &as_hot);
    if (count > 0 && is_plateau(image, as_hot) &&
        ws_image_option(image, &spots[0], option, sizeof(option)) > 0)
        snprintf(text, size, "hottest: %" PRIu64 " places have %" PRIu64 " %s, such as %s", as_hot,
                 spots[0].value, image->unit != NULL ? image->unit : "", option);
    for (size_t i = 0; i < count && !is_plateau(image, as_hot) && used < size; ++i)
        if (ws_image_option(image, &spots[i], option, sizeof(option)) > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%zu  %s: %s (%" PRIu64 "%s%s)",
                                     i > 0 ? "\n" : "", i + 1, i == 0 ? "hottest" : "then", option,
                                     spots[i].value, image->unit != NULL ? " " : "",
                                     image->unit != NULL ? image->unit : "");
}

#define SPOTS_BYTES (WS_IMAGE_SPOTS * 256)

/* Layout. */

static size_t lines_below(const struct ws_image *image)
{
    char text[SPOTS_BYTES];
    name_spots(image, text, sizeof(text));
    return ws_plot_text_count(text) + (image->kind == WS_IMAGE_CLASSES && image->unit != NULL);
}

/* Squares, of which large images have fewer, and small ones larger. */
static void lay_squares(const struct ws_image *image, struct ws_image_layout *layout)
{
    const uint32_t longest = image->width > image->height ? image->width : image->height;
    uint32_t divisor = longest / SIDE_MOST + (longest % SIDE_MOST != 0);
    uint32_t factor = longest > 0 ? (SIDE_WANTED + longest / 2) / longest : 1;
    divisor = divisor > 0 ? divisor : 1;
    factor = factor > 0 ? factor : 1;
    for (int axis = 0; axis < 2; ++axis) {
        layout->divisor[axis] = divisor;
        layout->factor[axis] = factor;
    }
}

/* Each side for itself. */
static void lay_bands(const struct ws_image *image, struct ws_image_layout *layout)
{
    const uint32_t sides[2] = {image->width, image->height};
    for (int axis = 0; axis < 2; ++axis) {
        const uint32_t side = sides[axis] > 0 ? sides[axis] : 1;
        const uint32_t factor = SIDE_WANTED / side;
        layout->divisor[axis] = side / SIDE_WANTED + (side % SIDE_WANTED != 0);
        layout->factor[axis] = factor < 1 ? 1 : factor > BAND_ROW_MOST && axis == 1 ? BAND_ROW_MOST : factor;
    }
}

static uint32_t reduced(uint32_t side, uint32_t divisor)
{
    return side / divisor + (side % divisor != 0);
}

void ws_image_lay_out(const struct ws_image *image, struct ws_image_layout *layout)
{
    const bool heated = image->kind == WS_IMAGE_HEAT;
    const bool banded = image->bands != NULL;
    const size_t notes = ws_plot_text_count(image->note);
    memset(layout, 0, sizeof(*layout));
    if (banded)
        lay_bands(image, layout);
    else
        lay_squares(image, layout);
    layout->width = reduced(image->width, layout->divisor[0]);
    layout->height = reduced(image->height, layout->divisor[1]);
    layout->left = WS_PLOT_MARGIN + (banded ? BAND_LEFT : image->grid != NULL ? AXIS_LEFT : 0);
    layout->top = WS_PLOT_MARGIN + (image->title != NULL ? TITLE_ROOM : 0);
    const double width = (double)layout->width * layout->factor[0];
    const double height = (double)layout->height * layout->factor[1];
    /* A scale and the texts need some room, however small the image is. */
    layout->whole_width =
        ceil(fmax(layout->left + width + (heated ? WS_PLOT_MARGIN + SCALE_ROOM : 0), WIDTH_LEAST) +
             WS_PLOT_MARGIN);
    layout->foot = layout->top + fmax(height, heated ? 96 : 0) +
                   (image->grid != NULL || banded || image->logarithmic ? AXIS_BELOW : 0) + 8;
    layout->whole_height = ceil(layout->foot + LINE_STEP * (double)lines_below(image) +
                                WS_PLOT_NOTE_STEP * (double)notes + WS_PLOT_MARGIN);
}

/* An image being drawn. */
struct canvas {
    cairo_t *cairo;
    const struct ws_image *image;
    const struct ws_image_layout *layout;
    double scale[2]; /* units of the picture per pixel of the image, across and down */
};

static void set_grey(cairo_t *cairo, double grey)
{
    cairo_set_source_rgb(cairo, grey, grey, grey);
}

/* The middle of a pixel in the picture. */
static double middle_x(const struct canvas *canvas, uint32_t x)
{
    return canvas->layout->left + (x + 0.5) * canvas->scale[0];
}

static double middle_y(const struct canvas *canvas, uint32_t y)
{
    return canvas->layout->top + (y + 0.5) * canvas->scale[1];
}

/* The scale of a heat map. */
static void scale_of(const struct ws_image *image, uint64_t most, size_t wanted, struct ws_axis *axis)
{
    const double high = most > 0 ? (double)most : 1;
    if (image->logarithmic)
        ws_axis_init(axis, 10, 1, high, true, wanted);
    else
        ws_axis_init(axis, 0, 0, high, true, wanted);
}

/* The colour of a value, of which the largest is `most`. */
static void colour_of(const struct ws_image *image, const struct ws_axis *axis, uint64_t most, uint64_t value,
                      double colour[3])
{
    const bool is_grey = value == UINT64_MAX || (image->logarithmic && value == 0);
    for (int i = 0; i < 3; ++i)
        colour[i] = value == UINT64_MAX ? NOTHING : ZERO;
    if (!is_grey && image->kind == WS_IMAGE_HEAT)
        ws_heat_colour(most > 0 ? ws_axis_place(axis, (double)value) : 0, colour);
    else if (!is_grey)
        class_colour(value, colour);
}

/* The image itself, enlarged: viewers of SVG would smooth it. */
static cairo_surface_t *draw_points(const struct canvas *canvas, uint64_t most)
{
    const struct ws_image *image = canvas->image;
    const struct ws_image_layout *layout = canvas->layout;
    const uint32_t *factor = layout->factor;
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)(layout->width * factor[0]), (int)(layout->height * factor[1]));
    unsigned char *data = cairo_image_surface_get_data(surface);
    struct ws_axis axis;
    if (data == NULL)
        return surface;
    scale_of(image, most, 6, &axis);
    const size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (uint32_t y = 0; y < layout->height; ++y)
        for (uint32_t x = 0; x < layout->width; ++x) {
            const uint64_t value = value_at(image, layout->divisor, x, y);
            double colour[3];
            colour_of(image, &axis, most, value, colour);
            const uint32_t packed = pack(colour);
            for (size_t i = 0; i < (size_t)factor[0] * factor[1]; ++i)
                memcpy(data + ((size_t)y * factor[1] + i / factor[0]) * stride +
                           4 * ((size_t)x * factor[0] + i % factor[0]),
                       &packed, sizeof(packed));
        }
    cairo_surface_mark_dirty(surface);
    return surface;
}

/* Ticks at the middle of pixels: `count` of them, the first of which is `first`. */
static void draw_ticks(const struct canvas *canvas, bool vertical, uint32_t first, uint32_t count)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image_layout *layout = canvas->layout;
    const double bottom = layout->top + (double)layout->height * layout->factor[1];
    struct ws_axis axis;
    ws_axis_init(&axis, 0, first, (double)first + count, true, count < 8 ? count : 8);
    for (size_t i = 0; i < axis.tick_count && axis.ticks[i].value < (double)first + count; ++i) {
        const uint32_t index = (uint32_t)(axis.ticks[i].value + 0.5) - first;
        char text[16];
        snprintf(text, sizeof(text), "%" PRIu32, first + index);
        set_grey(cairo, 0.45);
        if (vertical)
            cairo_rectangle(cairo, layout->left - 5, middle_y(canvas, index), 4, 1);
        else
            cairo_rectangle(cairo, middle_x(canvas, index), bottom + 1, 1, 4);
        cairo_fill(cairo);
        set_grey(cairo, 0.25);
        if (vertical)
            ws_plot_text_put(cairo, layout->left - 8, middle_y(canvas, index) + WS_PLOT_TEXT * 0.36,
                             AXIS_LEFT - 24, 1, text);
        else
            ws_plot_text_put(cairo, middle_x(canvas, index), bottom + 17, 80, 0, text);
    }
}

/* Ticks of a folded image: at the left the id that a row begins with, below what is to be added. */
static void draw_folded_ticks(const struct canvas *canvas)
{
    const struct ws_image_layout *layout = canvas->layout;
    const uint32_t height = canvas->image->height;
    const uint32_t rows = (uint32_t)ceil(16 / canvas->scale[1]);
    const uint32_t step = height / 8 > rows ? height / 8 : rows;
    for (uint32_t row = 0; row < height; row += step) {
        uint32_t id[3];
        char text[16];
        if (!ws_image_id(canvas->image, 0, row, id))
            break;
        const struct ws_image_grid *grid = canvas->image->grid;
        const uint32_t axis = grid->extent[1] > 1 ? 1 : grid->extent[2] > 1 ? 2 : 0;
        snprintf(text, sizeof(text), "%" PRIu32, id[axis]);
        set_grey(canvas->cairo, 0.25);
        ws_plot_text_put(canvas->cairo, layout->left - 8, middle_y(canvas, row) + WS_PLOT_TEXT * 0.36,
                         AXIS_LEFT - 16, 1, text);
    }
    draw_ticks(canvas, false, 0, canvas->image->width);
}

static void draw_axes(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image_layout *layout = canvas->layout;
    const struct ws_image_grid *grid = canvas->image->grid;
    const double bottom = layout->top + (double)layout->height * layout->factor[1];
    const double middle = layout->left + (double)layout->width * layout->factor[0] / 2;
    char label[128] = "x";
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    if (grid->columns == 0) {
        draw_folded_ticks(canvas);
        snprintf(label, sizeof(label), "id = number at the left + number below");
    } else {
        draw_ticks(canvas, false, grid->first[0], grid->extent[0]);
        draw_ticks(canvas, true, grid->first[1], grid->extent[1]);
        if (grid->extent[2] > 1)
            snprintf(label, sizeof(label),
                     "x of the first slice; slices z = %" PRIu32 " to %" PRIu32 ", %" PRIu32 " in a row",
                     grid->first[2], grid->first[2] + grid->extent[2] - 1, grid->columns);
        set_grey(cairo, 0.15);
        ws_plot_text_put(cairo, WS_PLOT_MARGIN, layout->top + (double)layout->height * layout->factor[1] / 2,
                         16, -1, "y");
    }
    set_grey(cairo, 0.15);
    ws_plot_text_put(cairo, middle, bottom + 34, layout->whole_width - 2 * WS_PLOT_MARGIN, 0, label);
}

/* Lines above bands, and the names of those that have room: those of parts where they come no closer. */
static void draw_bands(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image *image = canvas->image;
    const struct ws_image_layout *layout = canvas->layout;
    const double width = (double)layout->width * layout->factor[0];
    double free = layout->top - BAND_STEP;
    for (size_t i = 0; i < image->band_count; ++i) {
        const struct ws_image_band *band = &image->bands[i];
        const double y = layout->top + band->first * canvas->scale[1];
        const double indent = band->is_part ? 12 : 0;
        set_grey(cairo, band->is_part ? 0.6 : 0.1);
        cairo_rectangle(cairo, WS_PLOT_MARGIN + indent, y - 0.5,
                        layout->left - WS_PLOT_MARGIN - indent + width, 1);
        cairo_fill(cairo);
        if (y < free + BAND_STEP)
            continue;
        free = y;
        ws_plot_text_font(cairo, WS_PLOT_NOTE, !band->is_part);
        set_grey(cairo, 0.15);
        ws_plot_text_put(cairo, WS_PLOT_MARGIN + indent, y + WS_PLOT_NOTE + 1, BAND_LEFT - indent - 6, -1,
                         band->name);
    }
}

/* The axis below bands. */
static void draw_band_axis(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image_layout *layout = canvas->layout;
    const double width = (double)layout->width * layout->factor[0];
    const double bottom = layout->top + (double)layout->height * layout->factor[1];
    struct ws_axis axis;
    ws_axis_init(&axis, 0, 0, canvas->image->x_end, true, 6);
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < axis.tick_count; ++i) {
        const double x = layout->left + width * ws_axis_place(&axis, axis.ticks[i].value);
        set_grey(cairo, 0.45);
        cairo_rectangle(cairo, x, bottom + 1, 1, 4);
        cairo_fill(cairo);
        set_grey(cairo, 0.25);
        ws_plot_text_put(cairo, x, bottom + 17, 80, 0, axis.ticks[i].text);
    }
    set_grey(cairo, 0.15);
    if (canvas->image->x_label != NULL)
        ws_plot_text_put(cairo, layout->left + width / 2, bottom + 34, width, 0, canvas->image->x_label);
}

/* The scale of colours beside a heat map, with ticks, and the unit along it. */
static void draw_scale(const struct canvas *canvas, uint64_t most)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image_layout *layout = canvas->layout;
    const double x = layout->left + (double)layout->width * layout->factor[0] + WS_PLOT_MARGIN;
    const double y = layout->top;
    const double height = fmax((double)layout->height * layout->factor[1], 96);
    const size_t room = height > 120 ? 6 : 2;
    struct ws_axis axis;
    scale_of(canvas->image, most, most > 0 && most < room ? (size_t)most : room, &axis);
    for (int i = 0; i < (int)height; ++i) {
        double colour[3];
        ws_heat_colour(1 - i / (height > 1 ? height - 1 : 1), colour);
        cairo_set_source_rgb(cairo, colour[0], colour[1], colour[2]);
        cairo_rectangle(cairo, x, y + i, SCALE_WIDE, 1);
        cairo_fill(cairo);
    }
    set_grey(cairo, 0.2);
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < axis.tick_count; ++i)
        ws_plot_text_put(cairo, x + SCALE_WIDE + 6,
                         y + height * (1 - ws_axis_place(&axis, axis.ticks[i].value)) + WS_PLOT_TEXT * 0.36,
                         SCALE_ROOM - SCALE_WIDE - 28, -1, axis.ticks[i].text);
    if (canvas->image->logarithmic) {
        ws_plot_text_put(cairo, x + SCALE_WIDE + 6, y + height + 18 + WS_PLOT_TEXT * 0.36,
                         SCALE_ROOM - SCALE_WIDE - 28, -1, "0");
        set_grey(cairo, ZERO);
        cairo_rectangle(cairo, x, y + height + 12, SCALE_WIDE, 12);
        cairo_fill(cairo);
    }
    if (canvas->image->unit == NULL)
        return;
    set_grey(cairo, 0.2);
    cairo_save(cairo);
    cairo_translate(cairo, x + SCALE_ROOM - WS_PLOT_MARGIN, y + height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    ws_plot_text_put(cairo, 0, 0, fmax(height, 120), 0, canvas->image->unit);
    cairo_restore(cairo);
}

/* A ring around each of the hottest places, and its number. */
static void draw_spots(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    struct ws_image_spot spots[WS_IMAGE_SPOTS];
    uint64_t as_hot = 0;
    const size_t count = ws_image_spots(canvas->image, spots, &as_hot);
    const double right = canvas->layout->left + (double)canvas->layout->width * canvas->layout->factor[0];
    for (size_t i = 0; i < count && !is_plateau(canvas->image, as_hot); ++i) {
        const double x = middle_x(canvas, spots[i].x);
        const double y = middle_y(canvas, spots[i].y);
        const double radius = fmax(6, canvas->scale[0] * 0.8);
        const double side = x + radius + 16 > right ? -radius - 16 : radius + 2;
        char option[SPOT_BYTES];
        char number[8];
        if (ws_image_option(canvas->image, &spots[i], option, sizeof(option)) == 0)
            continue;
        for (int ring = 0; ring < 2; ++ring) {
            set_grey(cairo, ring == 0 ? 0 : 1);
            cairo_set_line_width(cairo, ring == 0 ? 3.5 : 1.5);
            cairo_arc(cairo, x, y, radius, 0, 2 * M_PI);
            cairo_stroke(cairo);
        }
        set_grey(cairo, 1);
        cairo_rectangle(cairo, x + side, y - 7, 14, 14);
        cairo_fill(cairo);
        set_grey(cairo, 0);
        ws_plot_text_font(cairo, WS_PLOT_TEXT, true);
        snprintf(number, sizeof(number), "%zu", i + 1);
        ws_plot_text_put(cairo, x + side + 7, y + WS_PLOT_TEXT * 0.36, 14, 0, number);
        ws_plot_text_title(cairo, x - radius, y - radius, 2 * radius, 2 * radius, "%s: %" PRIu64 " %s",
                           option, spots[i].value, canvas->image->unit != NULL ? canvas->image->unit : "");
    }
}

/* Names on a map of names. */

struct area {
    uint64_t value;
    uint32_t left, top, right, bottom; /* pixels, all in it */
};

struct areas {
    struct ws_id_map of; /* value -> index */
    struct area *areas;  /* the first that appear come first */
    uint32_t count;
    uint32_t capacity;
};

/* False = no memory. */
static bool add_to_area(struct areas *areas, uint64_t value, uint32_t x, uint32_t y)
{
    uint32_t index = areas->count;
    if (!ws_id_map_get(&areas->of, value, &index)) {
        struct area *grown = ws_array_grow(areas->areas, &areas->capacity, areas->count + 1, sizeof(*grown));
        if (grown == NULL)
            return false;
        areas->areas = grown;
        if (!ws_id_map_put(&areas->of, value, index))
            return false;
        grown[areas->count++] = (struct area){value, x, y, x, y};
    }
    struct area *area = &areas->areas[index];
    area->left = x < area->left ? x : area->left;
    area->right = x > area->right ? x : area->right;
    area->bottom = y;
    return true;
}

static bool find_areas(const struct ws_image *image, struct areas *areas)
{
    bool found = true;
    for (uint32_t y = 0; y < image->height && found; ++y)
        for (uint32_t x = 0; x < image->width && found; ++x) {
            const uint64_t value = image->values[(size_t)y * image->width + x];
            found = value == UINT64_MAX || add_to_area(areas, value, x, y);
        }
    return found;
}

/* Writes a name on its area, where it fits and the middle is the area's own. */
static void name_area(const struct canvas *canvas, const struct area *area)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image *image = canvas->image;
    const uint32_t x = area->left + (area->right - area->left) / 2;
    const uint32_t y = area->top + (area->bottom - area->top) / 2;
    const double width = (area->right - area->left + 1) * canvas->scale[0];
    const double height = (area->bottom - area->top + 1) * canvas->scale[1];
    const double size = fmin(11, height - 1);
    double colour[3];
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, area->value);
    if (size < 7 || image->values[(size_t)y * image->width + x] != area->value)
        return;
    ws_plot_text_font(cairo, size, false);
    if (ws_plot_text_width(cairo, text) + 2 > width)
        return;
    class_colour(area->value, colour);
    set_grey(cairo, 0.3 * colour[0] + 0.6 * colour[1] + 0.1 * colour[2] > 0.45 ? 0 : 1);
    ws_plot_text_put(cairo, canvas->layout->left + area->left * canvas->scale[0] + width / 2,
                     canvas->layout->top + area->top * canvas->scale[1] + height / 2 + size * 0.36, width, 0,
                     text);
}

/* The first names with their colours, and how many there are. */
static void draw_legend(const struct canvas *canvas, const struct areas *areas)
{
    cairo_t *cairo = canvas->cairo;
    const char *unit = canvas->image->unit;
    const double y = canvas->layout->foot;
    double x = WS_PLOT_MARGIN;
    char text[128];
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (uint32_t i = 0; i < areas->count && i < LEGEND_MOST; ++i) {
        double colour[3];
        class_colour(areas->areas[i].value, colour);
        cairo_set_source_rgb(cairo, colour[0], colour[1], colour[2]);
        cairo_rectangle(cairo, x, y - 2, 12, 12);
        cairo_fill(cairo);
        snprintf(text, sizeof(text), "%s%s%" PRIu64, i == 0 ? unit : "", i == 0 ? " " : "",
                 areas->areas[i].value);
        set_grey(cairo, 0.15);
        ws_plot_text_put(cairo, x + 16, y + 9, 120, -1, text);
        x += 16 + ws_plot_text_width(cairo, text) + 12;
    }
    snprintf(text, sizeof(text), "%s%" PRIu32 " %ss", areas->count > LEGEND_MOST ? "... of " : "of ",
             areas->count, unit);
    set_grey(cairo, 0.15);
    ws_plot_text_put(cairo, x, y + 9, canvas->layout->whole_width - x - WS_PLOT_MARGIN, -1, text);
}

static bool draw_names(const struct canvas *canvas)
{
    struct areas areas = {.count = 0};
    const bool found = find_areas(canvas->image, &areas);
    for (uint32_t i = 0; i < areas.count && areas.count <= NAMED_MOST && found; ++i)
        name_area(canvas, &areas.areas[i]);
    if (found && areas.count > 0)
        draw_legend(canvas, &areas);
    free(areas.areas);
    ws_id_map_finish(&areas.of);
    return found;
}

/* Chooses the largest size in which the title fits, down to 10. */
static void choose_title_size(cairo_t *cairo, const char *title, double width)
{
    for (double size = 15; size >= 10; size -= 1) {
        ws_plot_text_font(cairo, size, true);
        if (ws_plot_text_width(cairo, title) <= width)
            return;
    }
}

static void draw_texts(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    const struct ws_image *image = canvas->image;
    const struct ws_image_layout *layout = canvas->layout;
    const double room = layout->whole_width - 2 * WS_PLOT_MARGIN;
    double y = layout->foot;
    char spots[SPOTS_BYTES];
    if (image->title != NULL) {
        choose_title_size(cairo, image->title, room);
        set_grey(cairo, 0.1);
        ws_plot_text_put(cairo, WS_PLOT_MARGIN, WS_PLOT_MARGIN + 14, room, -1, image->title);
    }
    name_spots(image, spots, sizeof(spots));
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    set_grey(cairo, 0.1);
    ws_plot_text_lines(cairo, WS_PLOT_MARGIN, y + WS_PLOT_TEXT, room, LINE_STEP, spots);
    y += LINE_STEP * (double)lines_below(image);
    ws_plot_text_font(cairo, WS_PLOT_NOTE, false);
    set_grey(cairo, 0.35);
    ws_plot_text_lines(cairo, WS_PLOT_MARGIN, y + WS_PLOT_NOTE + 2, room, WS_PLOT_NOTE_STEP, image->note);
}

bool ws_image_draw(cairo_t *cairo, const struct ws_image *image, const struct ws_image_layout *layout)
{
    const struct canvas canvas = {
        cairo,
        image,
        layout,
        {(double)layout->factor[0] / layout->divisor[0], (double)layout->factor[1] / layout->divisor[1]}};
    const uint64_t most = maximum_of(image);
    cairo_surface_t *points = draw_points(&canvas, most);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_rectangle(cairo, 0, 0, layout->whole_width, layout->whole_height);
    cairo_fill(cairo);
    cairo_set_source_surface(cairo, points, layout->left, layout->top);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, layout->left, layout->top, layout->width * layout->factor[0],
                    layout->height * layout->factor[1]);
    cairo_fill(cairo);
    bool drawn = cairo_surface_status(points) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(points);
    if (image->grid != NULL)
        draw_axes(&canvas);
    if (image->bands != NULL) {
        draw_bands(&canvas);
        draw_band_axis(&canvas);
    }
    if (image->kind == WS_IMAGE_HEAT)
        draw_scale(&canvas, most);
    if (image->kind == WS_IMAGE_HEAT && image->grid != NULL)
        draw_spots(&canvas);
    if (image->kind == WS_IMAGE_CLASSES && image->unit != NULL)
        drawn = draw_names(&canvas) && drawn;
    draw_texts(&canvas);
    return drawn && cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
}
