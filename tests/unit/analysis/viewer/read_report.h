/* How tests of the viewer read reports: as the command does, without a progress line. */
#ifndef WS_TESTS_UNIT_ANALYSIS_VIEWER_READ_REPORT_H
#define WS_TESTS_UNIT_ANALYSIS_VIEWER_READ_REPORT_H

#include "analysis/report/report.h"

/* As ws_viewer_options.read; `user` is not looked at. */
static inline bool read_report(void *user, struct ws_report *report, const char *path,
                               struct ws_report_request *request, struct ws_error *error)
{
    (void)user;
    return ws_report_read(report, path, request, error);
}

#endif
