/* Rays of threads that have ended, until their launch is told: a launch has millions of them, and all are needed once, in
 * another order than that in which they end. So they are packed as soon as nothing can be said of them any more, and packs go
 * to a temporary file (scratch.h). Where no file can be written they stay in memory. Private to analysis/rays.
 *
 * A PACK has what is known of one thread since the pack before: its rays and the candidates of these. A thread has one,
 * unless records contradict each other. Members of a ray that are 0 take a bit.
 *
 * MEMORY: WS_KEPT_RAYS_WORDS words, and what is read at once. In the file, or in memory where there is none, some 110 bytes for
 * each ray and 50 for each candidate. Not thread-safe. */
#ifndef WS_ANALYSIS_RAYS_KEPT_RAYS_H
#define WS_ANALYSIS_RAYS_KEPT_RAYS_H

#include "analysis/rays/rays_part.h"

#define WS_KEPT_RAYS_WORDS (1u << 18)

/* Packs the rays that the thread has in memory, and gives their memory back to the part. No frame may know one of them. False
 * when there is no memory. */
bool ws_kept_rays_add(struct ws_ray_part *part, struct ws_ray_state *state);

/* Reads the rays of a thread that are kept to their places in `rays` (by number), with the structure words of each in
 * `addresses`, and their candidates to theirs in `runs`, in the order of the records: of these `next` is not set. False when
 * there is no memory, or the file cannot be read. */
bool ws_kept_rays_read(struct ws_kept_rays *kept, const struct ws_ray_state *state, struct ws_ray *rays,
                       uint64_t *addresses, struct ws_ray_run *runs);

void ws_kept_rays_finish(struct ws_kept_rays *kept);

#endif
