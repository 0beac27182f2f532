/* Reading a capture, with its progress where someone looks on. */
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/report/report.h"
#include "passes/base/memory_limit.h"

/* Progress is shown once reading has taken this long, so that quick reports do not flicker. */
#define PROGRESS_DELAY 0.5

struct progress {
    uint64_t size; /* of the file; 0 = nothing is shown */
    struct timespec start;
    unsigned percent;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void show_progress(void *user, uint64_t bytes)
{
    struct progress *progress = user;
    unsigned percent = progress->size > 0 ? (unsigned)(100 * bytes / progress->size) : 0;
    if (progress->size == 0 || percent == progress->percent ||
        seconds_since(&progress->start) < PROGRESS_DELAY)
        return;
    progress->percent = percent;
    fprintf(stderr, "\rreading %3u %%", percent);
}

bool ws_read_capture(struct ws_report *report, const char *path, struct ws_report_request *request,
                     struct ws_error *error)
{
    struct progress progress = {.size = 0};
    struct stat status;
    ws_limit_memory(ws_memory_for_captures());
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    if (isatty(STDERR_FILENO) && stat(path, &status) == 0 && S_ISREG(status.st_mode))
        progress.size = (uint64_t)status.st_size;
    request->progress = show_progress;
    request->user = &progress;
    bool read = ws_report_read(report, path, request, error);
    if (progress.percent > 0)
        fputs("\r              \r", stderr);
    return read;
}
