/* Drawing with cairo: axes, texts, plots and images. */
#include "analysis/output/plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/text.h"

#define MARGIN       16
#define TITLE_SIZE   16.0
#define TEXT_SIZE    12.0
#define NOTE_SIZE    10.0
#define SWATCH       12.0
#define LEGEND_LINE  20.0
#define LABEL_WIDTH  150.0 /* of a slanted label */
#define LABEL_SLANT  (-M_PI / 5)
#define MARKERS_MOST 48    /* points of a line that get a marker each */
#define BARS_WIDEST  160.0 /* of a group of bars */
#define BAR_GAP      0.2   /* of the room of a group of bars */
#define TEXT_BYTES   256   /* of a text that is drawn */

/* Of images. */
#define TITLE_ROOM 30
#define SCALE_ROOM 96 /* right of a heat map: its scale of colours, ticks and unit */
#define SCALE_WIDE 14
#define NOTE_ROOM  18
#define SIDE_LEAST 512  /* smaller images are magnified to about this */
#define SIDE_MOST  4096 /* larger ones are shown smaller */
#define NOTHING    0.93 /* grey of what has no value */

/* Axes. */

/* A number as axes and legends write it: "0.25", "1500", "20k", "1.5M". Returns `text`. */
static const char *number_text(double value, char text[WS_TICK_TEXT])
{
    static const char units[] = " kMGTPE";
    double size = fabs(value);
    size_t unit = 0;
    /* From 10,000 on: years, widths and small counts read better in full. */
    if (size >= 1e4)
        for (; size >= 999.9995 && unit + 2 < sizeof(units); size /= 1e3)
            unit++;
    if (size != 0 && (size < 1e-4 || size >= 1e5))
        snprintf(text, WS_TICK_TEXT, "%.3g", value);
    else if (unit > 0)
        snprintf(text, WS_TICK_TEXT, "%s%.4g%c", value < 0 ? "-" : "", size, units[unit]);
    else
        snprintf(text, WS_TICK_TEXT, "%.4g", value);
    return text;
}

static void add_tick(struct ws_axis *axis, double value)
{
    if (axis->tick_count == WS_TICKS_MAX)
        return;
    struct ws_tick *tick = &axis->ticks[axis->tick_count++];
    tick->value = value;
    number_text(value, tick->text);
}

/* The smallest of 1, 2, 5, 10, ... times a power of ten that gives at most `wanted` steps. */
static double round_step(double range, size_t wanted)
{
    double least = range / (double)wanted;
    double power = pow(10, floor(log10(least)));
    double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; ++i)
        if (factors[i] * power >= least * (1 - 1e-9))
            return factors[i] * power;
    return 10 * power;
}

static void init_linear(struct ws_axis *axis, double low, double high, bool exact, size_t wanted)
{
    if (!(high > low))
        high = low + (low != 0 ? fabs(low) : 1);
    double step = round_step(high - low, wanted);
    axis->low = exact ? low : floor(low / step + 1e-9) * step;
    axis->high = exact ? high : ceil(high / step - 1e-9) * step;
    double first = ceil(axis->low / step - 1e-9);
    for (double i = 0; (first + i) * step <= axis->high + step * 1e-6 && i < WS_TICKS_MAX; ++i)
        add_tick(axis, (first + i) * step);
}

static void init_logarithmic(struct ws_axis *axis, double low, double high, size_t wanted)
{
    double base = log((double)axis->base);
    if (!(low > 0))
        low = 1;
    if (!(high > low))
        high = low * (double)axis->base;
    double first = floor(log(low) / base + 1e-9);
    double last = ceil(log(high) / base - 1e-9);
    if (last <= first)
        last = first + 1;
    axis->low = pow((double)axis->base, first);
    axis->high = pow((double)axis->base, last);
    double step = ceil((last - first + 1) / (double)(2 * wanted));
    for (double i = first; i <= last + 1e-9; i += step)
        add_tick(axis, pow((double)axis->base, i));
}

void ws_axis_init(struct ws_axis *axis, unsigned base, double low, double high, bool exact, size_t wanted)
{
    memset(axis, 0, sizeof(*axis));
    axis->base = base;
    if (!isfinite(low) || fabs(low) > 1e300)
        low = 0;
    if (!isfinite(high) || fabs(high) > 1e300)
        high = low;
    wanted = wanted > 0 ? wanted : 1;
    if (base > 1)
        init_logarithmic(axis, low, high, wanted);
    else
        init_linear(axis, low, high, exact, wanted);
}

double ws_axis_place(const struct ws_axis *axis, double value)
{
    if (!isfinite(value) || (axis->base > 1 && value <= 0))
        return NAN;
    if (axis->base > 1)
        return (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
    return (value - axis->low) / (axis->high - axis->low);
}

/* Texts. */

static void set_font(cairo_t *cairo, double size, bool bold)
{
    cairo_font_options_t *options = cairo_font_options_create();
    /* Without hinting, texts are as wide in every picture of whatever scale. */
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

static double text_width(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

/* Copies `text` as cairo takes it: valid UTF-8 without control characters. */
static void clean(char out[TEXT_BYTES], const char *text)
{
    size_t length = strnlen(text, TEXT_BYTES - 4);
    memcpy(out, text, length);
    out[length] = '\0';
    if (text[length] != '\0')
        ws_text_cut(out);
    ws_text_repair(out, strlen(out));
    for (char *at = out; *at != '\0';) {
        size_t control = *at == '\t' ? 1 : ws_text_control_length(at);
        memset(at, '?', control);
        at += control > 0 ? control : 1;
    }
}

/* Writes `text` at most `width` wide; a longer one is cut and ends in an ellipsis. `align`: -1 = it begins at
 * x, 0 = x is its middle, 1 = it ends at x. Control characters and bytes that are no UTF-8 become "?". */
static void put_text(cairo_t *cairo, double x, double y, double width, int align, const char *text)
{
    char cut[TEXT_BYTES + 4];
    clean(cut, text);
    double wide = text_width(cairo, cut);
    for (size_t length = strlen(cut); wide > width && length > 0;) {
        --length;
        while (length > 0 && ((unsigned char)cut[length] & 0xc0) == 0x80)
            --length;
        strcpy(cut + length, "\xe2\x80\xa6");
        wide = text_width(cairo, cut);
    }
    cairo_move_to(cairo, align < 0 ? x : align == 0 ? x - wide / 2 : x - wide, y);
    cairo_show_text(cairo, cut);
    cairo_new_path(cairo);
}

/* Plots. */

/* The colours of Okabe and Ito, "Color Universal Design" (2008), which people with any colour vision can tell
 * apart. The dark ones come first, because the ground is white. */
static const double palette[WS_PLOT_SERIES][3] = {
    {0.000, 0.447, 0.698}, {0.835, 0.369, 0.000}, {0.000, 0.620, 0.451}, {0.800, 0.475, 0.655},
    {0.337, 0.706, 0.914}, {0.902, 0.624, 0.000}, {0.200, 0.200, 0.200}, {0.700, 0.650, 0.100},
};

/* A plot being drawn. */
struct figure {
    cairo_t *cairo;
    const struct ws_plot *plot;
    size_t series_count; /* drawn */
    size_t point_count;  /* of the longest series */
    double left;         /* of the area with the data */
    double top;
    double width;
    double height;
    bool slanted; /* labels of groups */
    struct ws_axis x;
    struct ws_axis y;
};

static void set_colour(cairo_t *cairo, size_t series, double alpha)
{
    cairo_set_source_rgba(cairo, palette[series][0], palette[series][1], palette[series][2], alpha);
}

static void set_grey(cairo_t *cairo, double grey)
{
    cairo_set_source_rgb(cairo, grey, grey, grey);
}

static double x_of(const struct ws_series *series, size_t point)
{
    return series->x != NULL ? series->x[point] : (double)point;
}

/* Whether points stand at their index, as bars and labels do, instead of at x. */
static bool is_grouped(const struct ws_plot *plot)
{
    return plot->kind == WS_PLOT_BARS || plot->kind == WS_PLOT_STACKS || plot->labels != NULL;
}

/* Height of the stack up to and with a series, or of the series alone. */
static double y_of(const struct figure *figure, size_t series, size_t point)
{
    double sum = 0;
    bool stacked = figure->plot->kind == WS_PLOT_AREAS || figure->plot->kind == WS_PLOT_STACKS;
    size_t first = stacked ? 0 : series;
    for (size_t i = first; i <= series; ++i)
        if (point < figure->plot->series[i].count && isfinite(figure->plot->series[i].y[point]))
            sum += figure->plot->series[i].y[point];
    return sum;
}

/* Widens the range from *low to *high to hold `value`. */
static void widen(double value, bool positive, double *low, double *high)
{
    if (!isfinite(value) || (positive && value <= 0))
        return;
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* Where the last step ends. */
static double last_end(const struct ws_series *series)
{
    size_t count = series->count;
    if (count == 0)
        return NAN;
    return x_of(series, count - 1) + (count > 1 ? x_of(series, count - 1) - x_of(series, count - 2) : 1);
}

/* Whether all values along an axis are whole numbers. Then ticks between whole numbers would mean nothing. */
static bool all_whole(const struct figure *figure, bool vertical)
{
    for (size_t i = 0; i < figure->series_count; ++i)
        for (size_t j = 0; j < figure->plot->series[i].count; ++j) {
            double value = vertical ? figure->plot->series[i].y[j] : x_of(&figure->plot->series[i], j);
            if (value != floor(value))
                return false;
        }
    return true;
}

static size_t ticks_for(double range, bool whole, size_t wanted)
{
    return whole && range >= 1 && range < (double)wanted ? (size_t)range : wanted;
}

static void set_axes(struct figure *figure)
{
    const struct ws_plot *plot = figure->plot;
    double low[2] = {INFINITY, plot->y_logarithmic ? INFINITY : 0};
    double high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < figure->series_count; ++i)
        for (size_t j = 0; j < plot->series[i].count; ++j) {
            widen(x_of(&plot->series[i], j), plot->x_logarithmic, &low[0], &high[0]);
            widen(y_of(figure, i, j), plot->y_logarithmic, &low[1], &high[1]);
        }
    if (plot->y_max > 0)
        high[1] = plot->y_max;
    if (plot->kind == WS_PLOT_STEPS)
        for (size_t i = 0; i < figure->series_count; ++i)
            widen(last_end(&plot->series[i]), plot->x_logarithmic, &low[0], &high[0]);
    ws_axis_init(&figure->y, plot->y_logarithmic ? 10 : 0, low[1], high[1], plot->y_max > 0,
                 ticks_for(high[1] - low[1], all_whole(figure, true), 6));
    if (is_grouped(plot))
        ws_axis_init(&figure->x, 0, -0.5, (double)figure->point_count - 0.5, true, WS_TICKS_WANTED);
    else
        ws_axis_init(&figure->x, plot->x_logarithmic ? 2 : 0, low[0], high[0], true,
                     ticks_for(high[0] - low[0], all_whole(figure, false), WS_TICKS_WANTED));
}

static double clamp(double value)
{
    return !(value > 0) ? 0 : value > 1 ? 1 : value;
}

static double to_x(const struct figure *figure, double value)
{
    return figure->left + figure->width * clamp(ws_axis_place(&figure->x, value));
}

static double to_y(const struct figure *figure, double value)
{
    return figure->top + figure->height * (1 - clamp(ws_axis_place(&figure->y, value)));
}

/* The label of a group: its own, or its x as a number. */
static const char *group_label(const struct figure *figure, size_t group, char text[WS_TICK_TEXT])
{
    if (figure->plot->labels != NULL)
        return figure->plot->labels[group] != NULL ? figure->plot->labels[group] : "";
    for (size_t i = 0; i < figure->series_count; ++i)
        if (group < figure->plot->series[i].count)
            return number_text(x_of(&figure->plot->series[i], group), text);
    return "";
}

/* Room for labels left and below, by how wide they are. */
static void set_area(struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    const struct ws_plot *plot = figure->plot;
    double widest = 0;
    char text[WS_TICK_TEXT];
    set_font(cairo, TEXT_SIZE, false);
    for (size_t i = 0; i < figure->y.tick_count; ++i)
        widest = fmax(widest, text_width(cairo, figure->y.ticks[i].text));
    figure->left = MARGIN + widest + 8 + (plot->y_label != NULL ? 22 : 0);
    figure->width = WS_PLOT_WIDTH - MARGIN - 8 - figure->left;
    figure->top = MARGIN + (plot->title != NULL ? TITLE_SIZE + 16 : 0);
    double below = MARGIN + 22 + (plot->x_label != NULL ? 20 : 0);
    if (is_grouped(plot)) {
        widest = 0;
        for (size_t i = 0; i < figure->point_count && i < 256; ++i)
            widest = fmax(widest, text_width(cairo, group_label(figure, i, text)));
        figure->slanted =
            plot->labels != NULL && widest + 6 > figure->width / (double)(figure->point_count + 1);
        if (figure->slanted)
            below += fmin(widest, LABEL_WIDTH) * sin(-LABEL_SLANT);
    }
    figure->height = WS_PLOT_HEIGHT - below - figure->top;
}

static const char *series_name(const struct ws_series *series)
{
    return series->name != NULL ? series->name : "";
}

/* The legend, in rows under the title; the area with the data begins below it. */
static void draw_legend(struct figure *figure)
{
    const struct ws_plot *plot = figure->plot;
    cairo_t *cairo = figure->cairo;
    double x = figure->left;
    double y = figure->top;
    char more[32] = "";
    if (plot->series_count < 2)
        return;
    if (plot->series_count > figure->series_count)
        snprintf(more, sizeof(more), "and %zu more", plot->series_count - figure->series_count);
    set_font(cairo, TEXT_SIZE, false);
    for (size_t i = 0; i <= figure->series_count; ++i) {
        const char *name = i < figure->series_count ? series_name(&plot->series[i]) : more;
        double width = fmin(text_width(cairo, name), 260) + SWATCH + 6;
        if (name == more && more[0] == '\0')
            break;
        if (x > figure->left && x + width > figure->left + figure->width) {
            x = figure->left;
            y += LEGEND_LINE;
        }
        if (i < figure->series_count) {
            set_colour(cairo, i, 1);
            cairo_rectangle(cairo, x, y, SWATCH, SWATCH);
            cairo_fill(cairo);
        }
        set_grey(cairo, 0.15);
        put_text(cairo, x + SWATCH + 6, y + SWATCH - 1.5, 260, -1, name);
        x += width + 18;
    }
    y += LEGEND_LINE + 6;
    figure->height -= y - figure->top;
    figure->top = y;
}

static void draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

static void draw_y_axis(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    cairo_set_line_width(cairo, 1);
    for (size_t i = 0; i < figure->y.tick_count; ++i) {
        double y = to_y(figure, figure->y.ticks[i].value);
        set_grey(cairo, 0.88);
        draw_line(cairo, figure->left, y, figure->left + figure->width, y);
        set_grey(cairo, 0.25);
        put_text(cairo, figure->left - 8, y + TEXT_SIZE * 0.36, 200, 1, figure->y.ticks[i].text);
    }
    if (figure->plot->y_label == NULL)
        return;
    cairo_save(cairo);
    cairo_translate(cairo, MARGIN + TEXT_SIZE * 0.8, figure->top + figure->height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    set_grey(cairo, 0.15);
    put_text(cairo, 0, 0, figure->height + 40, 0, figure->plot->y_label);
    cairo_restore(cairo);
}

static void draw_group_labels(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    double bottom = figure->top + figure->height;
    double room = figure->width / (double)figure->point_count;
    char text[WS_TICK_TEXT];
    double need = TEXT_SIZE + 4;
    for (size_t i = 0; i < figure->point_count && !figure->slanted && i < 256; ++i)
        need = fmax(need, text_width(cairo, group_label(figure, i, text)) + 10);
    size_t step = room >= need ? 1 : (size_t)ceil(need / room);
    for (size_t i = 0; i < figure->point_count; i += step) {
        double x = to_x(figure, (double)i);
        const char *label = group_label(figure, i, text);
        set_grey(cairo, 0.25);
        if (!figure->slanted) {
            put_text(cairo, x, bottom + 16, fmax(room, need), 0, label);
            continue;
        }
        cairo_save(cairo);
        cairo_translate(cairo, x + 3, bottom + 13);
        cairo_rotate(cairo, LABEL_SLANT);
        put_text(cairo, 0, 0, LABEL_WIDTH, 1, label);
        cairo_restore(cairo);
    }
}

static void draw_x_axis(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    double bottom = figure->top + figure->height;
    cairo_set_line_width(cairo, 1);
    if (is_grouped(figure->plot))
        draw_group_labels(figure);
    for (size_t i = 0; i < figure->x.tick_count && !is_grouped(figure->plot); ++i) {
        double x = to_x(figure, figure->x.ticks[i].value);
        set_grey(cairo, 0.45);
        draw_line(cairo, x, bottom, x, bottom + 4);
        set_grey(cairo, 0.25);
        put_text(cairo, x, bottom + 17, 200, 0, figure->x.ticks[i].text);
    }
    set_grey(cairo, 0.45);
    draw_line(cairo, figure->left, bottom, figure->left + figure->width, bottom);
    if (figure->plot->x_label == NULL)
        return;
    set_grey(cairo, 0.15);
    put_text(cairo, figure->left + figure->width / 2, WS_PLOT_HEIGHT - MARGIN + 2, figure->width, 0,
             figure->plot->x_label);
}

/* The points of a series that share a column of pixels. They are drawn as one line from the lowest to the
 * highest, so that a picture of millions of points stays small. */
struct trace {
    double column;
    double low;
    double high;
    double last;
    bool any;
};

static void flush_column(struct trace *trace, cairo_t *cairo)
{
    if (!trace->any)
        return;
    if (trace->high > trace->low) {
        cairo_line_to(cairo, trace->column, trace->low);
        cairo_line_to(cairo, trace->column, trace->high);
    }
    cairo_line_to(cairo, trace->column, trace->last);
    trace->any = false;
}

static void trace_series(const struct figure *figure, size_t index, struct trace *trace)
{
    const struct ws_series *series = &figure->plot->series[index];
    bool dense = series->count > 2 * (size_t)WS_PLOT_WIDTH;
    for (size_t i = 0; i < series->count; ++i) {
        if (isnan(ws_axis_place(&figure->x, x_of(series, i))))
            continue;
        double x = to_x(figure, x_of(series, i));
        double y = to_y(figure, y_of(figure, index, i));
        double column = dense ? floor(x * 2) / 2 : x;
        if (trace->any && column != trace->column)
            flush_column(trace, figure->cairo);
        if (!trace->any)
            *trace = (struct trace){column, y, y, y, true};
        trace->low = fmin(trace->low, y);
        trace->high = fmax(trace->high, y);
        trace->last = y;
    }
    flush_column(trace, figure->cairo);
}

static void draw_lines(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    cairo_set_line_width(cairo, figure->point_count > 200 ? 1.2 : 2);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < figure->series_count; ++i) {
        const struct ws_series *series = &figure->plot->series[i];
        struct trace trace = {.any = false};
        set_colour(cairo, i, 1);
        trace_series(figure, i, &trace);
        cairo_stroke(cairo);
        for (size_t j = 0; j < series->count && series->count <= MARKERS_MOST; ++j) {
            if (isnan(ws_axis_place(&figure->x, x_of(series, j))))
                continue;
            cairo_arc(cairo, to_x(figure, x_of(series, j)), to_y(figure, y_of(figure, i, j)), 3.2, 0,
                      2 * M_PI);
            cairo_fill(cairo);
        }
    }
}

/* Draws the tallest stack first. Each lower one covers it up to its own height. */
static void draw_areas(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    for (size_t i = figure->series_count; i > 0; --i) {
        const struct ws_series *series = &figure->plot->series[i - 1];
        struct trace trace = {.any = false};
        if (series->count == 0)
            continue;
        trace_series(figure, i - 1, &trace);
        cairo_line_to(cairo, to_x(figure, x_of(series, series->count - 1)), figure->top + figure->height);
        cairo_line_to(cairo, to_x(figure, x_of(series, 0)), figure->top + figure->height);
        cairo_close_path(cairo);
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_fill_preserve(cairo);
        set_colour(cairo, i - 1, 0.85);
        cairo_fill(cairo);
    }
}

/* Steps narrower than half a unit: those that begin in the same half are drawn as the highest of them. */
struct step_column {
    double column; /* in halves; -1 = none is open */
    double top;
};

static void flush_steps(struct step_column *open, cairo_t *cairo, double bottom)
{
    if (open->column >= 0 && open->top < bottom)
        cairo_rectangle(cairo, open->column / 2, open->top, 0.5, bottom - open->top);
    *open = (struct step_column){-1, bottom};
}

static void draw_steps(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    double bottom = figure->top + figure->height;
    for (size_t i = 0; i < figure->series_count; ++i) {
        const struct ws_series *series = &figure->plot->series[i];
        struct step_column open = {-1, bottom};
        set_colour(cairo, i, 1);
        for (size_t j = 0; j < series->count; ++j) {
            double left = to_x(figure, x_of(series, j));
            double right = to_x(figure, j + 1 < series->count ? x_of(series, j + 1) : last_end(series));
            double y = to_y(figure, y_of(figure, i, j));
            if (floor(left * 2) != open.column)
                flush_steps(&open, cairo, bottom);
            if (right - left >= 0.5 && y < bottom)
                cairo_rectangle(cairo, left, y, right - left, bottom - y);
            else if (right - left < 0.5)
                open = (struct step_column){floor(left * 2), fmin(open.top, y)};
        }
        flush_steps(&open, cairo, bottom);
        cairo_fill(cairo);
    }
}

static void draw_bars(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    double group = figure->width / (double)figure->point_count;
    double gap = group < 4 ? 0 : fmax(group * BAR_GAP, group - BARS_WIDEST);
    const bool stacked = figure->plot->kind == WS_PLOT_STACKS;
    double width = (group - gap) / (double)(stacked ? 1 : figure->series_count);
    for (size_t i = 0; i < figure->series_count; ++i) {
        set_colour(cairo, i, 1);
        for (size_t j = 0; j < figure->plot->series[i].count; ++j) {
            double y = to_y(figure, y_of(figure, i, j));
            double x = figure->left + group * (double)j + gap / 2 + (stacked ? 0 : width * (double)i);
            double bottom =
                stacked && i > 0 ? to_y(figure, y_of(figure, i - 1, j)) : figure->top + figure->height;
            if (y < bottom)
                cairo_rectangle(cairo, x, y, width, bottom - y);
        }
        cairo_fill(cairo);
    }
}

static void draw_title(cairo_t *cairo, const char *title, double left)
{
    if (title == NULL)
        return;
    set_font(cairo, TITLE_SIZE, true);
    set_grey(cairo, 0.1);
    put_text(cairo, left, MARGIN + TITLE_SIZE, WS_PLOT_WIDTH - MARGIN - left, -1, title);
}

void ws_plot_draw(cairo_t *cairo, const struct ws_plot *plot)
{
    struct figure figure = {.cairo = cairo, .plot = plot};
    figure.series_count = plot->series_count < WS_PLOT_SERIES ? plot->series_count : WS_PLOT_SERIES;
    for (size_t i = 0; i < figure.series_count; ++i)
        if (plot->series[i].count > figure.point_count)
            figure.point_count = plot->series[i].count;
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    set_axes(&figure);
    set_area(&figure);
    draw_title(cairo, plot->title, figure.left);
    if (plot->note != NULL) {
        set_font(cairo, NOTE_SIZE, false);
        set_grey(cairo, 0.3);
        put_text(cairo, MARGIN, WS_PLOT_HEIGHT - 4, WS_PLOT_WIDTH - 2 * MARGIN, -1, plot->note);
    }
    draw_legend(&figure);
    set_font(cairo, TEXT_SIZE, false);
    if (figure.point_count == 0) {
        set_grey(cairo, 0.4);
        put_text(cairo, WS_PLOT_WIDTH / 2.0, WS_PLOT_HEIGHT / 2.0, WS_PLOT_WIDTH, 0, "nothing to show");
        return;
    }
    draw_y_axis(&figure);
    switch (plot->kind) {
    case WS_PLOT_LINES: draw_lines(&figure); break;
    case WS_PLOT_BARS:
    case WS_PLOT_STACKS: draw_bars(&figure); break;
    case WS_PLOT_AREAS: draw_areas(&figure); break;
    case WS_PLOT_STEPS: draw_steps(&figure); break;
    }
    draw_x_axis(&figure);
}

/* Images. */

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
        put_text(cairo, x + SCALE_WIDE + 6,
                 y + height * (1 - ws_axis_place(&axis, axis.ticks[i].value)) + TEXT_SIZE * 0.36,
                 SCALE_ROOM - SCALE_WIDE - 28, -1, axis.ticks[i].text);
    if (unit == NULL)
        return;
    cairo_save(cairo);
    cairo_translate(cairo, x + SCALE_ROOM - MARGIN, y + height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    put_text(cairo, 0, 0, height, 0, unit);
    cairo_restore(cairo);
}

/* Chooses the largest size in which the title fits, down to 10. */
static void choose_title_size(cairo_t *cairo, const char *title, double width)
{
    cairo_text_extents_t extents;
    for (double size = 15; size >= 10; size -= 1) {
        set_font(cairo, size, true);
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
        put_text(cairo, MARGIN, MARGIN + 14, whole_width, -1, image->title);
    }
    if (image->note != NULL) {
        set_font(cairo, NOTE_SIZE, false);
        cairo_set_source_rgb(cairo, 0.3, 0.3, 0.3);
        put_text(cairo, MARGIN, top + whole_height + NOTE_ROOM, whole_width, -1, image->note);
    }
    set_font(cairo, TEXT_SIZE, false);
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
