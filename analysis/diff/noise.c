/* What a figure may differ by for no reason (diff.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "warpscope/model/times.h"
#include "warpscope/passes.h"

/* Quantiles of Student's t distribution: 95 % of values lie between -t and t; by degrees of freedom from 1. Beyond the last
 * one it is the normal distribution's. (NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.) */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
#define STUDENT_COUNT (sizeof(student) / sizeof(student[0]))
#define NORMAL        1.96
#define SETS_FREEDOM  (WS_SAMPLE_GROUPS - 1) /* degrees of freedom of a standard error */

/* The spread of the device times of one capture; below 0 where no launch came often enough. */
static double spread_of(uint32_t side, const struct ws_diff_table *places)
{
    const struct ws_groups *groups = places->groups[side];
    struct ws_shown_list fields = {.count = 0};
    double range = 0;
    double medians = 0;
    ws_columns_list(groups->columns, "launches untimed min_ns max_ns median_ns", &fields, NULL);
    for (uint32_t i = 0; i < places->join.count[side]; ++i) {
        double number[5];
        bool known = true;
        for (uint32_t j = 0; j < 5; ++j)
            known =
                ws_diff_number(groups, places->level, places->rows[side][i], &fields.items[j], &number[j]) &&
                known;
        if (known && number[0] - number[1] >= WS_DIFF_TIMES_LEAST) {
            range += number[3] - number[2];
            medians += number[4];
        }
    }
    return medians > 0 ? range / medians : -1;
}

static void find_spread(struct ws_diff *diff)
{
    const struct ws_diff_table *places = ws_diff_table_find(diff, "time", "places");
    diff->has_times = true;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        diff->has_times = diff->has_times && ws_times_any(&diff->reports[side]->catalog);
    if (places == NULL)
        return;
    const double a = spread_of(0, places);
    const double b = spread_of(1, places);
    diff->spread_known = a >= 0 && b >= 0;
    if (diff->spread_known)
        diff->spread = a > b ? a : b;
}

static double warps_of(const struct ws_diff *diff, uint32_t side)
{
    const struct ws_diff_table *total = ws_diff_table_find(diff, "execution_trace", "total");
    struct ws_shown_list fields = {.count = 0};
    double warps = 0;
    if (total != NULL && ws_columns_list(total->groups[side]->columns, "warps", &fields, NULL) &&
        ws_groups_count(total->groups[side], total->level) > 0)
        ws_diff_number(total->groups[side], total->level, 0, &fields.items[0], &warps);
    return warps;
}

void ws_diff_noise_init(struct ws_diff *diff)
{
    find_spread(diff);
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        diff->warps[side] = warps_of(diff, side);
}

static bool is_of_counters(const char *pass)
{
    return strcmp(pass, WS_PASS_SIMT_EFFICIENCY) == 0 || strcmp(pass, WS_PASS_WARP_ENTRY_EXIT) == 0 ||
           strcmp(pass, WS_PASS_MEMORY_ACCESS) == 0;
}

/* Whether an analysis has its figures from records, which only sampled threads leave. Counters are of all threads. */
static bool is_of_records(const struct ws_analysis *analysis)
{
    for (size_t i = 0; analysis->passes != NULL && analysis->passes[i] != NULL; ++i)
        if (!is_of_counters(analysis->passes[i]) && strcmp(analysis->passes[i], WS_PASS_TIME) != 0)
            return true;
    return analysis->passes != NULL && analysis->passes[0] == NULL;
}

bool ws_diff_is_drawn(const struct ws_diff *diff, const struct ws_analysis *analysis)
{
    for (size_t i = 0; analysis->passes != NULL && analysis->passes[i] != NULL; ++i)
        if (is_of_counters(analysis->passes[i]))
            return diff->drawn[0] || diff->drawn[1];
    return false;
}

double ws_diff_sample_noise(double warps_a, double warps_b)
{
    return warps_a > 0 && warps_b > 0 ? NORMAL * sqrt(0.25 / warps_a + 0.25 / warps_b) : INFINITY;
}

double ws_diff_frame_noise(const double *const values[WS_DIFF_SIDES], const uint32_t count[WS_DIFF_SIDES])
{
    double variance = 0; /* of the difference of the means */
    const uint32_t freedom = count[0] + count[1] - 2;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        double mean = 0;
        double squares = 0;
        if (count[side] < 2)
            return 0;
        for (uint32_t i = 0; i < count[side]; ++i)
            mean += values[side][i] / count[side];
        for (uint32_t i = 0; i < count[side]; ++i)
            squares += (values[side][i] - mean) * (values[side][i] - mean);
        variance += squares / (count[side] - 1) / count[side];
    }
    return (freedom <= STUDENT_COUNT ? student[freedom - 1] : NORMAL) * sqrt(variance);
}

/* A launch of the table of launches. */
struct part {
    uint64_t frame;
    uint32_t row;
};

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left;
    const struct part *b = right;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

/* The table with a row for each launch of an analysis; NULL where it has none. */
static const struct ws_diff_table *launches_of(const struct ws_diff *diff, const struct ws_analysis *analysis)
{
    return ws_diff_table_find(diff, analysis->name, "launches");
}

/* The frames of the rows of the table of launches, sorted. NULL when there is no memory. */
static struct part *parts_of(const struct ws_diff *diff, const struct ws_diff_table *launches, uint32_t side)
{
    const struct ws_groups *groups = launches->groups[side];
    const uint32_t count = launches->join.count[side];
    struct part *parts = calloc((size_t)count + 1, sizeof(*parts));
    for (uint32_t i = 0; parts != NULL && i < count; ++i) {
        uint64_t key = WS_KEY_NONE;
        struct ws_row row;
        ws_groups_row(groups, launches->level, launches->rows[side][i], &row);
        for (uint32_t j = 0; j < groups->dimension_count; ++j)
            if (strcmp(groups->columns->dimensions[j].name, "launch") == 0)
                key = row.keys[j];
        const struct ws_launch_record *launch = ws_catalog_launch(&diff->reports[side]->catalog, key);
        parts[i] = (struct part){launch != NULL ? launch->frame : UINT64_MAX, launches->rows[side][i]};
    }
    if (parts != NULL && count > 0)
        qsort(parts, count, sizeof(*parts), compare_parts);
    return parts;
}

/* Adds up rows of a level as the columns do (columns.h), but for WS_MAX. */
static bool add_row(const struct ws_groups *groups, const struct ws_row *row, uint64_t *sums)
{
    if (groups->columns->add != NULL)
        return groups->columns->add(sums, row->sums);
    for (size_t i = 0; i < groups->columns->size / sizeof(*sums); ++i)
        sums[i] += ((const uint64_t *)row->sums)[i];
    return true;
}

/* The figure of each frame, of the sums of its launches. NULL when there is no memory. */
static double *frames_of(const struct ws_diff *diff, const struct ws_diff_table *launches, uint32_t side,
                         const struct ws_shown *field, uint32_t *count)
{
    const struct ws_groups *groups = launches->groups[side];
    const uint32_t rows = launches->join.count[side];
    struct part *parts = parts_of(diff, launches, side);
    double *values = calloc((size_t)rows + 1, sizeof(*values));
    uint64_t *sums = malloc(groups->columns->size + sizeof(*sums));
    bool added = parts != NULL && values != NULL && sums != NULL;
    *count = 0;
    for (uint32_t i = 0; added && i < rows;) {
        const uint64_t frame = parts[i].frame;
        struct ws_row row;
        memset(sums, 0, groups->columns->size);
        for (; added && i < rows && parts[i].frame == frame; ++i) {
            ws_groups_row(groups, launches->level, parts[i].row, &row);
            added = add_row(groups, &row, sums);
        }
        row.sums = sums;
        *count += added && ws_diff_row_figure(&row, field, &values[*count]);
        if (groups->columns->finish != NULL)
            groups->columns->finish(sums);
    }
    free(parts);
    free(sums);
    if (!added) {
        free(values);
        return NULL;
    }
    return values;
}

/* Of captures with other frames: from frame to frame. */
static double frame_noise(const struct ws_diff *diff, const struct ws_diff_table *table,
                          const struct ws_shown *shown)
{
    const struct ws_field *field = shown->field;
    const struct ws_diff_table *launches = launches_of(diff, table->analysis);
    const bool adds = shown->dimension == WS_MEASURE && (field->flags & (WS_STEADY | WS_MAX)) == 0;
    double *values[WS_DIFF_SIDES] = {NULL, NULL};
    uint32_t count[WS_DIFF_SIDES] = {0, 0};
    double noise = 0;
    if (launches == NULL || !adds || field->format == WS_RATIO || field->format == WS_NUMBER ||
        field->format == WS_FLAG)
        return 0;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        values[side] = frames_of(diff, launches, side, shown, &count[side]);
    if (values[0] != NULL && values[1] != NULL) {
        noise = ws_diff_frame_noise((const double *const[]){values[0], values[1]}, count);
        double mean = 0;
        for (uint32_t i = 0; i < count[0]; ++i)
            mean += values[0][i] / count[0];
        if (!ws_diff_is_share(field))
            noise = mean > 0 ? noise / mean : 0;
    }
    free(values[0]);
    free(values[1]);
    return noise;
}

double ws_diff_noise(const struct ws_diff *diff, const struct ws_diff_table *table,
                     const struct ws_shown *field)
{
    if ((field->field->flags & WS_MEASURED) != 0)
        return diff->spread_known && table->scaled ? diff->spread : INFINITY;
    if ((diff->sampled[0] || diff->sampled[1]) && !diff->sampled_alike && is_of_records(table->analysis))
        return ws_diff_is_share(field->field) ? ws_diff_sample_noise(diff->warps[0], diff->warps[1])
                                              : INFINITY;
    return diff->frames_alike || !table->scaled ? 0 : frame_noise(diff, table, field);
}

void ws_diff_noise_find(const struct ws_diff *diff, const struct ws_diff_table *table,
                        const struct ws_shown *field, struct ws_diff_noise *noise)
{
    const char *name = field->field->name;
    char error[WS_NAME_SIZE];
    *noise = (struct ws_diff_noise){.of_table = ws_diff_noise(diff, table, field)};
    noise->drawn = ws_diff_is_drawn(diff, table->analysis) && field->dimension == WS_MEASURE &&
                   (field->field->flags & (WS_STEADY | WS_MEASURED)) == 0;
    if (!noise->drawn)
        return;
    snprintf(error, sizeof(error), "%s_error", strcmp(name, "threads") == 0 ? "executions" : name);
    if (!ws_columns_list(table->groups[0]->columns, error, &noise->error, NULL))
        noise->error.count = 0;
}

void ws_diff_noise_set(const struct ws_diff *diff, const struct ws_diff_table *table,
                       const struct ws_diff_noise *noise, struct ws_diff_figure *figure)
{
    double squares = noise->error.count > 0 ? 0 : INFINITY;
    figure->noise = noise->of_table;
    figure->unknown = false;
    if (!noise->drawn)
        return;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        double error = 0;
        if (diff->drawn[side] && noise->error.count > 0 &&
            !ws_diff_side(diff, table, side, figure->row[side], &noise->error.items[0], &error))
            error = INFINITY;
        squares += error * error;
    }
    figure->unknown = isinf(squares);
    double drawn = student[SETS_FREEDOM - 1] * sqrt(squares);
    if (drawn > 0 && !ws_diff_is_share(figure->field.field))
        drawn = figure->value[0] != 0 ? drawn / fabs(figure->value[0]) : INFINITY;
    if (drawn > figure->noise)
        figure->noise = drawn;
}
