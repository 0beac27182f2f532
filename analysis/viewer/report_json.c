/* report.json   what `warpscope report FILE all --json` prints
 * summary.json  what `warpscope summary FILE --json` prints */
#include "analysis/summary/summary.h"
#include "analysis/viewer/viewer.h"

static bool answer_report(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                          const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    (void)viewer, (void)query, (void)error;
    return ws_report_json(&capture->report, stream);
}

static bool answer_summary(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                           const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    (void)viewer, (void)query, (void)error;
    struct ws_summary summary;
    if (!ws_summary_init(&summary, &capture->report))
        return false;
    const bool written = ws_summary_json(&summary, stream);
    ws_summary_finish(&summary);
    return written;
}

const struct ws_viewer_resource ws_viewer_resource_report = {
    .name = "report.json",
    .help = "all analyses, as `report all --json` prints them",
    .answer = answer_report};

const struct ws_viewer_resource ws_viewer_resource_summary = {
    .name = "summary.json",
    .help = "the findings, as `summary --json` prints them",
    .answer = answer_summary};
