#include "analysis/simt/simt_report.h"

#include <stdlib.h>

#include "analysis/output/plot.h"

struct simt_report {
    struct ws_simt_results results;
    struct ws_report_limits limits;
};

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    const uint32_t rows = options->rows;
    struct simt_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    ws_simt_begin(&report->results, catalog);
    report->limits = rows > 0 ? (struct ws_report_limits){rows, rows, rows, rows, rows}
                              : (struct ws_report_limits){20, 20, 40, 20, 20};
    return report;
}

static void destroy(void *results)
{
    struct simt_report *report = results;
    ws_simt_finish(&report->results);
    free(report);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct simt_report *report = results;
    return ws_simt_record(&report->results, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    struct simt_report *report = results;
    return ws_simt_end(&report->results, error);
}

static bool text(const void *results, FILE *stream)
{
    const struct simt_report *report = results;
    return ws_simt_text(&report->results, &report->limits, stream);
}

static void notes(const void *results, FILE *stream)
{
    const struct simt_report *report = results;
    ws_simt_notes(&report->results, stream);
}

static bool json_members(const void *results, struct ws_json *json)
{
    const struct simt_report *report = results;
    return ws_simt_json(&report->results, json);
}

static bool csv(const void *results, FILE *stream)
{
    const struct simt_report *report = results;
    return ws_simt_csv(&report->results, stream);
}

/* How full the warps were: executions by active lanes, stages on one another. */
static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct simt_report *report = pointer;
    const struct ws_simt_results *results = &report->results;
    const uint32_t bins = results->total.histogram.bins;
    const double warps = (double)results->total.counts.warps;
    double *values = calloc((size_t)bins * (WS_STAGE_COUNT + 1) + 1, sizeof(*values));
    double *lanes = values + (size_t)bins * WS_STAGE_COUNT;
    struct ws_series series[WS_STAGE_COUNT];
    size_t count = 0;
    if (values == NULL)
        return ws_error_set(error, "no memory for the pictures");
    for (uint32_t i = 0; i < bins; ++i)
        lanes[i] = i + 1;
    for (uint32_t stage = 0; stage < WS_STAGE_COUNT && warps > 0; ++stage) {
        const struct ws_simt_histogram *histogram = &results->stages[stage].histogram;
        double *shares = values + (size_t)bins * count;
        if (results->stages[stage].counts.warps == 0)
            continue;
        for (uint32_t i = 0; i < histogram->bins && i < bins; ++i)
            shares[i] = 100 * ((double)histogram->counts[i] / warps);
        series[count++] =
            (struct ws_series){.name = ws_stage_name(1u << stage), .x = lanes, .y = shares, .count = bins};
    }
    const struct ws_plot plot = {.kind = WS_PLOT_STACKS,
                                 .title = "How full the warps were, by stage",
                                 .x_label = "active lanes",
                                 .y_label = "% of block executions by warps",
                                 .series = series,
                                 .series_count = count};
    bool plotted = count == 0 || ws_plots_plot(plots, "lanes", &plot, error);
    free(values);
    return plotted;
}

const struct ws_simt_results *ws_report_simt(const struct ws_report *report)
{
    const struct simt_report *part = ws_report_results(report, &ws_analysis_simt_efficiency);
    return part != NULL ? &part->results : NULL;
}

static const char *const passes[] = {"simt_efficiency", NULL};

const struct ws_analysis ws_analysis_simt_efficiency = {
    .name = "simt_efficiency",
    .summary = "how full the warps were: per launch, pipeline, stage, shader and block",
    .passes = passes,
    .csv_help = ws_simt_csv_help,
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
    .text = text,
    .notes = notes,
    .json_members = json_members,
    .csv = csv,
    .plots = plots,
};
