/* What `warpscope export --perfetto` does: when launches and warps ran, as a timeline.
 *
 * The file is JSON of the Trace Event Format ("Trace Event Format", Google, 2016): {"traceEvents": [...]}. Perfetto's page and
 * its trace processor, chrome://tracing and Speedscope read it; Perfetto's own protocol buffers the first two alone. All times
 * are microseconds, with a fraction. Tracks are threads of processes:
 *
 *   process of each queue   thread "launches": a slice for each launch that has a time. Threads "submissions" and "frames":
 *                           from the first begin to the last end of their launches
 *   process of each launch with warps that is shown
 *                           a counter "warps in flight", and a thread for each slot: its warps, with what they call within them
 *
 * SLOTS. No device says where a warp runs. A warp is in the lowest slot that is free when it begins: so there are as many slots
 * as warps are in flight at most.
 *
 * ONE TIME. Launches stand where their timestamps are. The warps of a launch that has a time end with it. How long they take is
 * told by the launch of the queue, of those shown, that its warps fill most: there they are spread over all of its time, and in
 * the others a tick is as long. A launch whose shaders the driver compiles has room before its warps. Where the clock ran
 * backwards in a launch (warp_times.h), nothing is known but that its warps are within it: they are spread over it. Without
 * timestamps (pass time) each tick is drawn as a nanosecond, from the first begin of all. Then launches have no slices.
 *
 * ONE NAME. Speedscope takes slices for the same only if their arguments are the same, too. So a shader's have none: its warp
 * and lanes are the slice's categories. Then it adds up what all warps did in a shader ("Left Heavy", "Sandwich").
 *
 * MUCH is left out, and counted: of warps and what they call the first `most` in time are shown, launch by launch. */
#ifndef WS_ANALYSIS_EXPORT_TIMELINE_H
#define WS_ANALYSIS_EXPORT_TIMELINE_H

#include "analysis/output/file_kind.h"
#include "warpscope/report/analysis.h"

/* Of warps and what they call: about 200 bytes each. */
#define WS_TIMELINE_USUAL 200000

/* What to write; and, behind the export, what was written: `user` of the options. */
struct ws_timeline_export {
    const char *path; /* "-" = stdout; NULL = not wanted */
    uint32_t most;
    uint64_t launches; /* with a slice */
    uint64_t untimed;  /* without */
    uint64_t warps;    /* slices of warps and of what they call */
    uint64_t left_out; /* of these */
    bool ticks;        /* warps are drawn in ticks */
    bool of_subgroup;  /* warps cannot be drawn: their clocks are those of subgroups */
};

extern const struct ws_file_kind ws_timeline_kind;
extern const struct ws_analysis ws_analysis_timeline_export;

#endif
