#include "examples/base/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int compare_times(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

static void print_times(double *times, uint32_t frames)
{
    fprintf(stderr, "first %.3f\n", times[0]);
    if (frames > 1) {
        qsort(times + 1, frames - 1, sizeof(*times), compare_times);
        fprintf(stderr, "warm %.3f\n", times[1 + (frames - 1) / 2]);
    }
}

bool ws_frames_draw(uint32_t frames, bool time, ws_frame_function *draw, void *user, struct ws_error *error)
{
    double *times = calloc(frames, sizeof(*times));
    bool drawn = times != NULL || ws_error_set(error, "out of memory");

    for (uint32_t i = 0; drawn && i < frames; i++) {
        const double start = now();
        drawn = draw(user, i, error);
        times[i] = now() - start;
    }
    if (drawn && time)
        print_times(times, frames);
    free(times);
    return drawn;
}
