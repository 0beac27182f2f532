#include "analysis/output/plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ws_axis_text(double value, char text[WS_TICK_TEXT])
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
    ws_axis_text(value, tick->text);
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
