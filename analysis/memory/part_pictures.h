/* Pictures of what the parts of launches come to (part_sums.h): for each launch one of hit rates, and one of the sectors of
 * each buffer. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_PART_PICTURES_H
#define WS_ANALYSIS_MEMORY_PART_PICTURES_H

#include "analysis/memory/part_sums.h"
#include "warpscope/output/plot.h"

#define WS_PART_PICTURES_MAX     8 /* launches: those that come first */
#define WS_PART_PICTURES_BUFFERS 8 /* of a launch: those with most sectors */

struct ws_part_picture {
    uint64_t launch;                               /* index */
    struct ws_caches_sums sums[WS_PARTS];          /* of all buffers */
    const char *buffers[WS_PART_PICTURES_BUFFERS]; /* text of the catalog; NULL = not known */
    double sectors[WS_PART_PICTURES_BUFFERS][WS_PARTS];
    uint32_t buffer_count;
};

/* Zero-initialised is empty. */
struct ws_part_pictures {
    struct ws_part_picture *list[WS_PART_PICTURES_MAX];
    uint32_t count;
    uint64_t left_out; /* launches that are too many */
};

void ws_part_pictures_finish(struct ws_part_pictures *pictures);

/* Adds those of a launch, or counts it as left out. False when there is no memory. */
bool ws_part_pictures_add(struct ws_part_pictures *pictures, uint64_t launch,
                          const struct ws_part_sums *sums);

/* Draws all. */
bool ws_part_pictures_draw(const struct ws_part_pictures *pictures, struct ws_plots *plots,
                           struct ws_error *error);

#endif
