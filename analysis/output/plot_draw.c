#include "analysis/output/plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/plot_text.h"

#define TITLE_SIZE   16.0
#define SWATCH       12.0
#define LEGEND_LINE  20.0
#define LABEL_WIDTH  150.0 /* of a slanted label */
#define LABEL_SLANT  (-M_PI / 5)
#define MARKERS_MOST 48    /* points of a line that get a marker each */
#define BARS_WIDEST  160.0 /* of a group of bars */
#define BAR_GAP      0.2   /* of the room of a group of bars */
#define TITLES_MOST  2000  /* bars that get a title each */
#define ROW_HEIGHT   22.0
#define ROW_LABEL    300.0 /* the widest */
#define ROW_DETAIL   340.0
#define ROW_VALUE    64.0 /* behind a bar */
#define MARKS_MOST   12

/* Axes. */

const char *ws_tick_text(double value, char text[WS_TICK_TEXT])
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
    ws_tick_text(value, tick->text);
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
    double whole_height; /* without the note */
    double label_width;  /* of rows */
    double detail_width;
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
    return plot->kind == WS_PLOT_BARS || plot->kind == WS_PLOT_STACKS || plot->kind == WS_PLOT_ROWS ||
           plot->labels != NULL;
}

/* Height of the stack up to and with a series, or of the series alone. */
static double y_of(const struct figure *figure, size_t series, size_t point)
{
    double sum = 0;
    bool stacked = figure->plot->kind == WS_PLOT_ROWS || figure->plot->kind == WS_PLOT_STACKS;
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

/* Where the last step ends. On a logarithmic axis steps are as wide by their ratio. */
static double last_end(const struct ws_series *series, bool logarithmic)
{
    size_t count = series->count;
    if (count == 0)
        return NAN;
    if (logarithmic && count > 1)
        return x_of(series, count - 1) / x_of(series, count - 2) * x_of(series, count - 1);
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
            widen(last_end(&plot->series[i], plot->x_logarithmic), plot->x_logarithmic, &low[0], &high[0]);
    ws_axis_init(&figure->y, plot->y_logarithmic ? 10 : 0, low[1], high[1], plot->y_max > 0,
                 ticks_for(high[1] - low[1], all_whole(figure, true), 6));
    if (is_grouped(plot))
        ws_axis_init(&figure->x, 0, -0.5, (double)figure->point_count - 0.5, true, WS_TICKS_WANTED);
    else
        ws_axis_init(&figure->x, plot->x_logarithmic ? 10 : 0, low[0], high[0], true,
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
            return ws_tick_text(x_of(&figure->plot->series[i], group), text);
    return "";
}

/* Room for the labels of rows, and what is said about them. */
static void set_row_area(struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    const struct ws_plot *plot = figure->plot;
    char text[WS_TICK_TEXT];
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < figure->point_count; ++i) {
        figure->label_width =
            fmax(figure->label_width, ws_plot_text_width(cairo, group_label(figure, i, text)) + 1);
        if (plot->details != NULL && plot->details[i] != NULL)
            figure->detail_width =
                fmax(figure->detail_width, ws_plot_text_width(cairo, plot->details[i]) + 1);
    }
    figure->label_width = fmin(figure->label_width, ROW_LABEL);
    figure->detail_width = fmin(figure->detail_width, ROW_DETAIL);
    figure->left = WS_PLOT_MARGIN + figure->label_width + 10 +
                   (figure->detail_width > 0 ? figure->detail_width + 14 : 0);
    figure->width = WS_PLOT_WIDTH - WS_PLOT_MARGIN - ROW_VALUE - figure->left;
    figure->top = WS_PLOT_MARGIN + (plot->title != NULL ? TITLE_SIZE + 16 : 0);
}

/* Room for labels left and below, by how wide they are. */
static void set_area(struct figure *figure)
{
    if (figure->plot->kind == WS_PLOT_ROWS) {
        set_row_area(figure);
        return;
    }
    cairo_t *cairo = figure->cairo;
    const struct ws_plot *plot = figure->plot;
    double widest = 0;
    char text[WS_TICK_TEXT];
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < figure->y.tick_count; ++i)
        widest = fmax(widest, ws_plot_text_width(cairo, figure->y.ticks[i].text));
    figure->left = WS_PLOT_MARGIN + widest + 8 + (plot->y_label != NULL ? 22 : 0);
    figure->width = WS_PLOT_WIDTH - WS_PLOT_MARGIN - 8 - figure->left;
    figure->top = WS_PLOT_MARGIN + (plot->title != NULL ? TITLE_SIZE + 16 : 0);
    double below = WS_PLOT_MARGIN + 22 + (plot->x_label != NULL ? 20 : 0);
    if (is_grouped(plot)) {
        widest = 0;
        for (size_t i = 0; i < figure->point_count && i < 256; ++i)
            widest = fmax(widest, ws_plot_text_width(cairo, group_label(figure, i, text)));
        figure->slanted =
            plot->labels != NULL && widest + 6 > figure->width / (double)(figure->point_count + 1);
        if (figure->slanted)
            below += fmin(widest, LABEL_WIDTH) * sin(-LABEL_SLANT);
    }
    figure->height = figure->whole_height - below - figure->top;
}

static const char *series_name(const struct ws_series *series)
{
    return series->name != NULL ? series->name : "";
}

/* Whether a series has anything to be seen: bars of height 0 cannot be. */
static bool is_seen(const struct ws_plot *plot, size_t series)
{
    if (plot->kind != WS_PLOT_STACKS && plot->kind != WS_PLOT_ROWS)
        return true;
    for (size_t i = 0; i < plot->series[series].count; ++i)
        if (plot->series[series].y[i] > 0)
            return true;
    return false;
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
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i <= figure->series_count; ++i) {
        const char *name = i < figure->series_count ? series_name(&plot->series[i]) : more;
        double width = fmin(ws_plot_text_width(cairo, name), 260) + SWATCH + 6;
        if (name == more && more[0] == '\0')
            break;
        if (i < figure->series_count && !is_seen(plot, i))
            continue;
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
        ws_plot_text_put(cairo, x + SWATCH + 6, y + SWATCH - 1.5, 260, -1, name);
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
        ws_plot_text_put(cairo, figure->left - 8, y + WS_PLOT_TEXT * 0.36, 200, 1, figure->y.ticks[i].text);
    }
    if (figure->plot->y_label == NULL)
        return;
    cairo_save(cairo);
    cairo_translate(cairo, WS_PLOT_MARGIN + WS_PLOT_TEXT * 0.8, figure->top + figure->height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    set_grey(cairo, 0.15);
    ws_plot_text_put(cairo, 0, 0, figure->height + 40, 0, figure->plot->y_label);
    cairo_restore(cairo);
}

static void draw_group_labels(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    double bottom = figure->top + figure->height;
    double room = figure->width / (double)figure->point_count;
    char text[WS_TICK_TEXT];
    double need = WS_PLOT_TEXT + 4;
    for (size_t i = 0; i < figure->point_count && !figure->slanted && i < 256; ++i)
        need = fmax(need, ws_plot_text_width(cairo, group_label(figure, i, text)) + 10);
    size_t step = room >= need ? 1 : (size_t)ceil(need / room);
    for (size_t i = 0; i < figure->point_count; i += step) {
        double x = to_x(figure, (double)i);
        const char *label = group_label(figure, i, text);
        set_grey(cairo, 0.25);
        if (!figure->slanted) {
            ws_plot_text_put(cairo, x, bottom + 16, fmax(room, need), 0, label);
            continue;
        }
        cairo_save(cairo);
        cairo_translate(cairo, x + 3, bottom + 13);
        cairo_rotate(cairo, LABEL_SLANT);
        ws_plot_text_put(cairo, 0, 0, LABEL_WIDTH, 1, label);
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
        ws_plot_text_put(cairo, x, bottom + 17, 200, 0, figure->x.ticks[i].text);
    }
    set_grey(cairo, 0.45);
    draw_line(cairo, figure->left, bottom, figure->left + figure->width, bottom);
    if (figure->plot->x_label == NULL)
        return;
    set_grey(cairo, 0.15);
    ws_plot_text_put(cairo, figure->left + figure->width / 2, figure->whole_height - WS_PLOT_MARGIN + 2,
                     figure->width, 0, figure->plot->x_label);
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
    const double thin = figure->point_count > 200 ? 1.2 : 2;
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < figure->series_count; ++i) {
        const struct ws_series *series = &figure->plot->series[i];
        struct trace trace = {.any = false};
        set_colour(cairo, i, 1);
        cairo_set_line_width(cairo,
                             i + 1 < figure->series_count && i < 3 ? thin + 2.5 / (double)(i + 1) : thin);
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
            double right =
                to_x(figure, j + 1 < series->count ? x_of(series, j + 1)
                                                   : last_end(series, figure->plot->x_logarithmic));
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

/* Says of a bar what it stands for. */
static void title_bar(const struct figure *figure, size_t series, size_t group, double x, double y,
                      double width, double height)
{
    const struct ws_plot *plot = figure->plot;
    const struct ws_series *self = &plot->series[series];
    char label[WS_TICK_TEXT];
    char value[WS_TICK_TEXT];
    if (figure->point_count * figure->series_count > TITLES_MOST)
        return;
    ws_plot_text_title(figure->cairo, x, y, width, height, "%s%s%s: %s%s", group_label(figure, group, label),
                       plot->series_count > 1 ? ", " : "", plot->series_count > 1 ? series_name(self) : "",
                       ws_tick_text(self->y[group], value), plot->unit != NULL ? plot->unit : "");
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
            if (!(y < bottom))
                continue;
            cairo_rectangle(cairo, x, y, width, bottom - y);
            title_bar(figure, i, j, x, y, width, bottom - y);
        }
        cairo_fill(cairo);
    }
}

/* The length of a row up to and with a series, in units of the picture. */
static double row_end(const struct figure *figure, size_t series, size_t row)
{
    return figure->width * clamp(ws_axis_place(&figure->y, y_of(figure, series, row)));
}

/* A value as it stands behind a bar: three digits say enough there. */
static const char *value_text(double value, char text[WS_TICK_TEXT])
{
    if (fabs(value) >= 1000)
        return ws_tick_text(value, text);
    snprintf(text, WS_TICK_TEXT, "%.3g", value);
    return text;
}

/* A row: its label, what is said about it, its parts side by side, and the sum behind them. */
static void draw_row(const struct figure *figure, size_t row)
{
    cairo_t *cairo = figure->cairo;
    const struct ws_plot *plot = figure->plot;
    const double y = figure->top + ROW_HEIGHT * (double)row;
    const double text = y + ROW_HEIGHT / 2 + WS_PLOT_TEXT * 0.36;
    char number[WS_TICK_TEXT];
    char value[2 * WS_TICK_TEXT];
    double end = 0;
    set_grey(cairo, 0.1);
    ws_plot_text_put(cairo, WS_PLOT_MARGIN, text, figure->label_width, -1, group_label(figure, row, number));
    if (plot->details != NULL && plot->details[row] != NULL) {
        set_grey(cairo, 0.35);
        ws_plot_text_put(cairo, WS_PLOT_MARGIN + figure->label_width + 12, text, figure->detail_width, -1,
                         plot->details[row]);
    }
    for (size_t i = 0; i < figure->series_count; ++i) {
        const double next = row_end(figure, i, row);
        if (!(next > end))
            continue;
        set_colour(cairo, i, 1);
        cairo_rectangle(cairo, figure->left + end, y + 3, next - end, ROW_HEIGHT - 6);
        cairo_fill(cairo);
        title_bar(figure, i, row, figure->left + end, y + 3, next - end, ROW_HEIGHT - 6);
        end = next;
    }
    snprintf(value, sizeof(value), "%s%s", value_text(y_of(figure, figure->series_count - 1, row), number),
             plot->unit != NULL ? plot->unit : "");
    set_grey(cairo, 0.25);
    if (plot->series_count == 1)
        ws_plot_text_put(cairo, figure->left + end + 6, text, ROW_VALUE, -1, value);
}

/* The axis of values stands below the rows. */
static void draw_rows(const struct figure *figure)
{
    cairo_t *cairo = figure->cairo;
    const double bottom = figure->top + ROW_HEIGHT * (double)figure->point_count;
    cairo_set_line_width(cairo, 1);
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < figure->y.tick_count; ++i) {
        const double x =
            figure->left + figure->width * clamp(ws_axis_place(&figure->y, figure->y.ticks[i].value));
        set_grey(cairo, 0.88);
        draw_line(cairo, x, figure->top, x, bottom);
        set_grey(cairo, 0.25);
        ws_plot_text_put(cairo, x, bottom + 17, 200, 0, figure->y.ticks[i].text);
    }
    for (size_t i = 0; i < figure->point_count; ++i)
        draw_row(figure, i);
    set_grey(cairo, 0.45);
    draw_line(cairo, figure->left, figure->top, figure->left, bottom);
    if (figure->plot->y_label == NULL)
        return;
    set_grey(cairo, 0.15);
    ws_plot_text_put(cairo, figure->left + figure->width / 2, bottom + 36, figure->width + ROW_VALUE, 0,
                     figure->plot->y_label);
}

struct mark_box {
    double left;
    double right;
    double y;
};

/* Marks of steps: the text stands right above its place. One that would cover another is left out. */
static void draw_marks(const struct figure *figure)
{
    struct mark_box boxes[MARKS_MOST];
    cairo_t *cairo = figure->cairo;
    size_t count = 0;
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    for (size_t i = 0; i < figure->plot->mark_count && count < MARKS_MOST; ++i) {
        const struct ws_plot_mark *mark = &figure->plot->marks[i];
        const double wide = fmin(ws_plot_text_width(cairo, mark->text), 240);
        const double x = to_x(figure, mark->x);
        struct mark_box box = {.y = to_y(figure, mark->y) - 5};
        box.left = fmax(figure->left + 2, fmin(x - wide / 2, figure->left + figure->width - wide));
        box.right = box.left + wide;
        box.y = fmax(box.y, figure->top + WS_PLOT_TEXT);
        bool is_free = true;
        for (size_t j = 0; j < count; ++j)
            is_free = is_free && (box.right + 4 < boxes[j].left || boxes[j].right + 4 < box.left ||
                                  fabs(box.y - boxes[j].y) > WS_PLOT_TEXT + 2);
        if (!is_free)
            continue;
        cairo_set_source_rgba(cairo, 1, 1, 1, 0.8);
        cairo_rectangle(cairo, box.left - 2, box.y - WS_PLOT_TEXT, wide + 4, WS_PLOT_TEXT + 4);
        cairo_fill(cairo);
        set_grey(cairo, 0.1);
        ws_plot_text_put(cairo, box.left, box.y, wide + 1, -1, mark->text);
        boxes[count++] = box;
    }
}

static void draw_title(cairo_t *cairo, const char *title, double left)
{
    if (title == NULL)
        return;
    ws_plot_text_font(cairo, TITLE_SIZE, true);
    set_grey(cairo, 0.1);
    ws_plot_text_put(cairo, left, WS_PLOT_MARGIN + TITLE_SIZE, WS_PLOT_WIDTH - WS_PLOT_MARGIN - left, -1,
                     title);
}

static size_t series_drawn(const struct ws_plot *plot)
{
    return plot->series_count < WS_PLOT_SERIES ? plot->series_count : WS_PLOT_SERIES;
}

static size_t points_of(const struct ws_plot *plot)
{
    size_t count = 0;
    for (size_t i = 0; i < series_drawn(plot); ++i)
        count = plot->series[i].count > count ? plot->series[i].count : count;
    return count;
}

bool ws_plot_compares(const struct ws_plot *plot)
{
    const bool bars =
        plot->kind == WS_PLOT_BARS || plot->kind == WS_PLOT_STACKS || plot->kind == WS_PLOT_ROWS;
    return points_of(plot) > (bars ? 1 : 0);
}

/* Of rows the height depends on how many they are; the legend has up to two lines then. */
static double bare_height(const struct ws_plot *plot)
{
    if (plot->kind != WS_PLOT_ROWS)
        return WS_PLOT_HEIGHT;
    return WS_PLOT_MARGIN + TITLE_SIZE + 16 + (plot->series_count > 1 ? LEGEND_LINE + 6 : 0) +
           ROW_HEIGHT * (double)points_of(plot) + 22 + (plot->y_label != NULL ? 20 : 0) + 4;
}

double ws_plot_height(const struct ws_plot *plot)
{
    const size_t lines = ws_plot_text_count(plot->note);
    return ceil(bare_height(plot) + (lines > 0 ? WS_PLOT_NOTE_STEP * (double)lines + 8 : 0));
}

static void draw_note(cairo_t *cairo, const struct ws_plot *plot)
{
    ws_plot_text_font(cairo, WS_PLOT_NOTE, false);
    set_grey(cairo, 0.35);
    ws_plot_text_lines(cairo, WS_PLOT_MARGIN, bare_height(plot) + WS_PLOT_NOTE + 2,
                       WS_PLOT_WIDTH - 2 * WS_PLOT_MARGIN, WS_PLOT_NOTE_STEP, plot->note);
}

void ws_plot_draw(cairo_t *cairo, const struct ws_plot *plot)
{
    struct figure figure = {.cairo = cairo, .plot = plot};
    figure.series_count = series_drawn(plot);
    figure.point_count = points_of(plot);
    figure.whole_height = bare_height(plot);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    set_axes(&figure);
    set_area(&figure);
    draw_title(cairo, plot->title, plot->kind == WS_PLOT_ROWS ? WS_PLOT_MARGIN : figure.left);
    draw_note(cairo, plot);
    draw_legend(&figure);
    ws_plot_text_font(cairo, WS_PLOT_TEXT, false);
    if (figure.point_count == 0) {
        set_grey(cairo, 0.4);
        ws_plot_text_put(cairo, WS_PLOT_WIDTH / 2.0, WS_PLOT_HEIGHT / 2.0, WS_PLOT_WIDTH, 0,
                         "nothing to show");
        return;
    }
    if (plot->kind == WS_PLOT_ROWS) {
        draw_rows(&figure);
        return;
    }
    draw_y_axis(&figure);
    switch (plot->kind) {
    case WS_PLOT_LINES: draw_lines(&figure); break;
    case WS_PLOT_STEPS: draw_steps(&figure); break;
    default: draw_bars(&figure); break;
    }
    draw_x_axis(&figure);
    if (plot->kind == WS_PLOT_STEPS)
        draw_marks(&figure);
}
