/* Says which shaders are being compiled when that takes long: one line, once for each call or submission that has not come
 * back after the setting slow_after.
 *
 * An instance has a thread for it, which starts with the first thing that is watched. While nothing is watched it sleeps. In
 * a fork's child it is not there: nothing is watched then. All functions are thread-safe. */
#ifndef WS_LAYER_CORE_WATCH_H
#define WS_LAYER_CORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct ws_instance;
struct ws_watch;

/* One second, in nanoseconds. */
#define WS_WATCH_SECOND UINT64_C(1000000000)

/* What is watched, in the caller's memory. Zeroed = nothing is; so it is again after ws_watch_end. */
struct ws_watched {
    struct ws_watch *watch;
    struct ws_watched *following;
    uint64_t since; /* nanoseconds of CLOCK_MONOTONIC */
    bool told;
    const char *what; /* static: begins the line, as "a submission" */
    /* Whether it runs shaders too, which may take long by itself: nothing tells a driver that compiles at the first run
     * from a device that works. */
    bool runs;
    char *shaders;  /* owned: which, as "compute 0123456789abcdef (12 sites)" */
    uint32_t sites; /* of the one with most; a budget of them is proposed where they are many */
    /* Whether it has come back and nobody has noticed; NULL = it has not. Called by the thread, and may neither wait nor
     * call the application. */
    bool (*is_over)(void *user);
    void *user;
};

/* `limit`: nanoseconds after which what has not come back is told of; not 0. NULL without memory: then nothing is watched. */
struct ws_watch *ws_watch_create(struct ws_instance *instance, uint64_t limit);

/* Ends the thread. What is still watched is forgotten. NULL is accepted. */
void ws_watch_destroy(struct ws_watch *watch);

/* Begins to watch. Members what, runs, shaders, is_over and user are set by the caller; `shaders` is freed by ws_watch_end,
 * or at once where nothing can be watched. A watch of NULL is accepted. */
void ws_watch_begin(struct ws_watch *watch, struct ws_watched *watched);

/* Ends it: the thread does not look at it any more. Accepts a zeroed struct. Takes the watch's lock, under which is_over
 * runs. */
void ws_watch_end(struct ws_watched *watched);

#endif
