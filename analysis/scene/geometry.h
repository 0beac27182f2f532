/* The figures of the analysis `geometry`: which acceleration structures a capture has, and which of them
 * have equal content.
 *
 * A structure is LIVE if it has a build at the last launch of the capture. A structure that the application
 * destroyed after that launch is live too. The report shows the last build that each structure had, also if
 * the structure is not live.
 *
 * Two or more live bottom-level structures are EQUAL if they are on one device, have the same content
 * (scene.h) and have at least one primitive. One of them would be enough: all instances could refer to it.
 * For each group of equal structures,
 *   - SPARE bytes are the bytes of all structures but the largest,
 *   - SPARE primitives are the primitives of all structures but one.
 * Example: three equal structures have 1000, 1000 and 800 bytes and 12 primitives each. Then 1800 bytes and
 * 24 primitives are spare.
 *
 * The INSTANCES of a structure are the instances that refer to it in live top-level structures.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_GEOMETRY_H
#define WS_ANALYSIS_SCENE_GEOMETRY_H

#include <cjson/cJSON.h>

#include "analysis/scene/scene.h"

struct ws_geometry_structure {
    bool live;
    uint64_t instances;
};

/* A group of equal structures. */
struct ws_geometry_equal {
    uint32_t first;      /* the structure with the lowest index: index in scene->structures */
    uint32_t count;      /* structures in the group */
    uint64_t primitives; /* primitives of each structure */
    uint64_t bytes;      /* bytes of all structures together */
    uint64_t largest;    /* bytes of the largest structure */
    uint64_t spare_bytes;
    uint64_t spare_primitives;
};

struct ws_geometry_counts {
    struct ws_scene *scene;                   /* owned */
    struct ws_geometry_structure *structures; /* one for each in scene->structures; owned */
    struct ws_geometry_equal *equals;         /* sorted: most spare bytes first; owned */
    uint32_t equal_count;
    uint32_t live;             /* live structures */
    uint64_t live_bytes;       /* bytes of live structures */
    uint64_t spare_bytes;      /* of all groups */
    uint64_t spare_primitives; /* of all groups */
    uint64_t builds;           /* builds of all structures, including updates */
    uint64_t updates;          /* updates of all structures */
    uint64_t copies;           /* copies to all structures */
};

/* Takes one chunk of the capture. Zero-initialise `geometry`, then call this for every chunk in order.
 * False and `error` if the chunk cannot be used or there is no memory. */
bool ws_geometry_record(struct ws_geometry_counts *geometry, const struct ws_chunk *chunk,
                        struct ws_error *error);

/* Computes the figures, after the last chunk. Until then only `scene` is set. False and `error` if there is
 * no memory or the scene cannot be loaded. */
bool ws_geometry_end(struct ws_geometry_counts *geometry, struct ws_error *error);

/* One geometry of a build, as reports have it in `built_of`: what it is made of. NULL = no memory. */
cJSON *ws_geometry_json(const struct ws_scene_geometry *geometry);

/* Frees what `geometry` owns, also after an error, and sets it to zero. */
void ws_geometry_finish(struct ws_geometry_counts *geometry);

#endif
