/* Which multiprocessor of a device each warp of a launch runs on, and which wide warp it is of (wide_warps.h).
 *
 * A workgroup runs on one multiprocessor, and so does a warp that is of none, with all shaders that it calls. They are dealt
 * out in the order in which they begin: the first to multiprocessor 0, the second to 1, and so on around. All narrow warps of
 * a wide one run where the first of them does.
 * TILES. Nothing says where the warps of fragments and of ray generation ran. Where a device has tiles of T x T pixels, those
 * of one tile run on one multiprocessor, like a workgroup: a warp is of the tile of its lowest lane. Slices of a launch (z)
 * have tiles of their own.
 * By hand, with two multiprocessors and tiles of 8: warps at x = 0, 8, 4 and 16 of one row run on 0, 1, 0 and 0.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_WARPS_MULTIPROCESSORS_H
#define WS_ANALYSIS_MEMORY_WARPS_MULTIPROCESSORS_H

#include "analysis/memory/warps/wide_warps.h"
#include "warpscope/model/replay.h"

/* Those of one launch. Zero-initialise, then set the first members, and of `wide` the first four. */
struct ws_multiprocessors {
    const struct ws_catalog *catalog;
    const struct ws_launch_record *launch;
    uint32_t count;
    uint32_t tile; /* pixels on a side; 0 = there are none */
    uint32_t
        user; /* the consumer's number in the replay: with wide warps, contexts have their course there */
    struct ws_wide_warps wide; /* lanes = 0: warps are as recorded */

    struct ws_id_map homes; /* of workgroups and tiles, by their key: the multiprocessor */
    uint32_t begun;         /* these, and warps of none: the next multiprocessor, around */
    uint32_t *warps;        /* per warp, by its number: its multiprocessor */
    uint32_t warp_count;
    uint32_t warp_capacity;
};

void ws_multiprocessors_finish(struct ws_multiprocessors *multiprocessors);

/* A context begins: its warp gets a multiprocessor, unless it has one, or is of a wide warp that has. `threads` are the
 * launch's. False when there is no memory; likewise below. */
bool ws_multiprocessors_enter(struct ws_multiprocessors *multiprocessors, struct ws_context *context,
                              const struct ws_thread *threads);

/* Runs what a context executes, in which its multiprocessor is set: at once, or as a part of its wide warp. */
bool ws_multiprocessors_run(struct ws_multiprocessors *multiprocessors, const struct ws_context *context,
                            struct ws_execution *execution);

/* A context has ended. */
bool ws_multiprocessors_close(struct ws_multiprocessors *multiprocessors, struct ws_context *context);

#endif
