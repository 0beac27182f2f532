#include "analysis/command/reading_progress.h"

#include <time.h>

/* Percent. Before, what is made once, at the beginning, is too much of the time. */
#define ESTIMATE_FROM 10

static double system_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void ws_reading_progress_begin(struct ws_reading_progress *progress, FILE *out, uint64_t size,
                               double (*clock)(void))
{
    *progress =
        (struct ws_reading_progress){.out = out, .size = size, .clock = clock != NULL ? clock : system_clock};
    progress->begin = progress->clock();
}

/* Overwrites the line: "erase in line" of ECMA-48, 8.3.41, behind a carriage return. */
static void show(struct ws_reading_progress *progress, const char *text)
{
    fprintf(progress->out, "\r\033[K%s", text);
    fflush(progress->out);
    progress->shown = text[0] != '\0';
}

/* The clock is read once a percent. */
void ws_reading_progress_show(void *user, uint64_t bytes)
{
    struct ws_reading_progress *progress = user;
    const unsigned percent = progress->size > 0 ? (unsigned)(100 * bytes / progress->size) : 0;
    char text[64];
    if (progress->out == NULL || percent == 0 || percent == progress->percent)
        return;
    progress->percent = percent;
    const double spent = progress->clock() - progress->begin;
    if (spent < WS_PROGRESS_AFTER)
        return;
    const double left = percent >= ESTIMATE_FROM && percent < 100 ? spent * (100 - percent) / percent : 0;
    if (left >= 1)
        snprintf(text, sizeof(text), "reading %3u %%, about %.0f s left", percent, left);
    else
        snprintf(text, sizeof(text), "reading %3u %%", percent);
    show(progress, text);
}

void ws_reading_progress_phase(void *user, const char *what)
{
    struct ws_reading_progress *progress = user;
    if (progress->out != NULL && progress->clock() - progress->begin >= WS_PROGRESS_PHASE_AFTER)
        show(progress, what);
}

void ws_reading_progress_end(struct ws_reading_progress *progress)
{
    if (progress->shown)
        show(progress, "");
}
