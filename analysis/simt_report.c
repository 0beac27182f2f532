#include "simt_report.h"

#include <stdlib.h>

struct simt_report {
    struct ws_simt_results results;
    struct ws_report_limits limits;
};

static void *create(const struct ws_catalog *catalog, const struct ws_kind_options *options,
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

const struct ws_simt_results *ws_analysis_simt(const struct ws_analysis *analysis)
{
    const struct simt_report *report = ws_analysis_results(analysis, &ws_kind_simt_efficiency);
    return report != NULL ? &report->results : NULL;
}

static const char *const passes[] = {"simt_efficiency", NULL};

const struct ws_kind ws_kind_simt_efficiency = {
    .name = "simt_efficiency",
    .summary = "how full the warps were: per invocation, pipeline, stage, shader and block",
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
};
