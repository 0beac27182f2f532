/* Pictures of what the accesses of threads come to (thread_sums.h): for each launch and buffer one of requests, one of the
 * share of active lanes, one of L1 hit rates, and one of the order of first accesses, each thread at its work id, of a
 * fragment at its pixel.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_THREAD_PICTURES_H
#define WS_ANALYSIS_MEMORY_THREAD_PICTURES_H

#include "analysis/memory/thread_sums.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/output/plot.h"

#define WS_THREAD_PICTURES_MAX    16         /* launches and buffers: those that come first */
#define WS_THREAD_PICTURES_PIXELS (1u << 22) /* the most of one */
#define WS_THREAD_PICTURES_ALL    (1u << 24) /* and of all: 512 MB */

enum ws_thread_figure {
    WS_THREAD_REQUESTS,
    WS_THREAD_ACTIVE, /* percent */
    WS_THREAD_L1,     /* percent; nothing where no sector was asked for */
    WS_THREAD_FIRST,  /* percent of the launch's requests that came before the thread's first one */
    WS_THREAD_FIGURES,
};

struct ws_thread_picture {
    const char *buffer; /* text of the catalog; NULL = not known */
    uint64_t launch;    /* index */
    struct ws_work_grid grid;
    uint64_t *values[WS_THREAD_FIGURES]; /* per pixel; UINT64_MAX = nothing there */
};

/* Zero-initialised is empty. */
struct ws_thread_pictures {
    struct ws_thread_picture list[WS_THREAD_PICTURES_MAX];
    uint32_t count;
    uint32_t pixels;   /* of all */
    uint64_t left_out; /* launches and buffers that are too many or too large */
};

void ws_thread_pictures_finish(struct ws_thread_pictures *pictures);

/* Adds those of a launch. False when there is no memory. */
bool ws_thread_pictures_add(struct ws_thread_pictures *pictures, const struct ws_catalog *catalog,
                            const struct ws_replay_threads *threads, const struct ws_thread_sums *sums);

/* Makes an image of a figure, which the picture owns, without a title. False where no pixel has a value. */
bool ws_thread_picture_image(const struct ws_thread_picture *picture, enum ws_thread_figure figure,
                             struct ws_image *image);

/* Its title, and its name in files: "requests". */
void ws_thread_picture_title(const struct ws_thread_picture *picture, enum ws_thread_figure figure,
                             char *title, size_t size);
const char *ws_thread_figure_name(enum ws_thread_figure figure);

/* Draws all. False and `error` where one cannot be written. */
bool ws_thread_pictures_draw(const struct ws_thread_pictures *pictures, struct ws_plots *plots,
                             struct ws_error *error);

#endif
