/* The figures of the analysis `geometry`: what the acceleration structures of a capture hold, and which of
 * them hold the same.
 *
 * A structure is LIVE that has a build for the last launch of the capture. (What an application destroys
 * after that launch was live.) The build that is shown of a structure is the last that it ever had.
 *
 * Two or more live bottom-level structures of one device are EQUAL if they have the same content (scene.h),
 * of at least one primitive. One of them would do, with instances that all refer to it. SPARE are the bytes
 * of all but the largest of them, and the primitives of all but one.
 *
 * The INSTANCES of a structure are those of live top-level structures that refer to it. */
#ifndef WS_ANALYSIS_SCENE_GEOMETRY_H
#define WS_ANALYSIS_SCENE_GEOMETRY_H

#include "analysis/scene/scene.h"

struct ws_geometry_structure {
    bool live;
    uint64_t instances;
};

struct ws_geometry_equal {
    uint32_t first; /* structure with the lowest index */
    uint32_t count;
    uint64_t primitives; /* of one */
    uint64_t bytes;      /* of all */
    uint64_t largest;
    uint64_t spare_bytes;
    uint64_t spare_primitives;
};

struct ws_geometry_counts {
    struct ws_scene *scene;
    struct ws_geometry_structure *structures; /* of each in the scene */
    struct ws_geometry_equal *equals;         /* most spare bytes first */
    uint32_t equal_count;
    uint32_t live;
    uint64_t live_bytes; /* sizes of live structures */
    uint64_t spare_bytes;
    uint64_t spare_primitives;
    uint64_t builds;
    uint64_t updates;
    uint64_t copies;
};

/* Zero-initialise, then feed it every chunk in order. */
bool ws_geometry_record(struct ws_geometry_counts *geometry, const struct ws_chunk *chunk,
                        struct ws_error *error);
bool ws_geometry_end(struct ws_geometry_counts *geometry, struct ws_error *error);
void ws_geometry_finish(struct ws_geometry_counts *geometry);

#endif
