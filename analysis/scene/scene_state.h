/* What a scene (scene.h) is made of, for the files of this folder that make and read it. */
#ifndef WS_ANALYSIS_SCENE_SCENE_STATE_H
#define WS_ANALYSIS_SCENE_SCENE_STATE_H

#include "analysis/scene/scene.h"
#include "analysis/scene/scene_blobs.h"
#include "analysis/scene/scene_vertex.h"
#include "passes/base/id_map.h"
#include "passes/base/text.h"
#include "warpscope/reader.h"

struct ws_arena;

/* Faults of the file. Each is named once, with how often it was found. Of equal contents only the first is
 * checked. */
enum ws_scene_fault {
    WS_FAULT_LOST_CHUNKS,
    WS_FAULT_BLOB_INCOMPLETE,
    WS_FAULT_GEOMETRY_TYPE,
    WS_FAULT_UNKNOWN_BYTES,
    WS_FAULT_CLIPPED,
    WS_FAULT_VERTEX_FORMAT,
    WS_FAULT_INDEX_TYPE,
    WS_FAULT_INDEX_RANGE,
    WS_FAULT_TRANSFORM,
    WS_FAULT_VERTEX,
    WS_FAULT_TRIANGLE_INACTIVE,
    WS_FAULT_AABB,
    WS_FAULT_AABB_INACTIVE,
    WS_FAULT_AABB_ORDER,
    WS_FAULT_EMPTY,
    WS_FAULT_TOP_MIXED,
    WS_FAULT_INSTANCE_TRANSFORM,
    WS_FAULT_INSTANCE_SINGULAR,
    WS_FAULT_INSTANCE_UNKNOWN,
    WS_FAULT_INSTANCE_GONE,
    WS_FAULT_INSTANCE_UNBUILT,
    WS_FAULT_INSTANCE_TOP,
    WS_FAULT_BUILD_GONE,
    WS_FAULT_UPDATE_UNBUILT,
    WS_FAULT_COPY_UNBUILT,
    WS_FAULT_COPY_UNKNOWN_BYTES,
    WS_FAULT_GONE_TWICE,
    WS_FAULT_COUNT
};

/* Where the bytes of a geometry are. */
struct ws_scene_view {
    const uint8_t *data; /* vertices, AABBs, instances */
    size_t data_size;
    uint32_t element_count; /* whole ones in `data` */
    const uint8_t *indices;
    size_t index_count;
    uint32_t index_size; /* bytes; 0 = not indexed */
    uint32_t primitives; /* of which all bytes are there, whatever the indices say */
    bool understood;     /* formats are known */
    bool drawable;       /* formats are known, the transform is finite */
    struct ws_vertex_format format;
};

struct ws_scene_build_state {
    struct ws_scene_geometry *geometries; /* the build's own, to write to */
    struct ws_scene_view *views;          /* one for each */
    uint32_t sequence;                    /* its place among all that happened */
    uint32_t instances;                   /* of a top level: its first geometry of instances */
};

/* What happened to structures. Steps are put in order once all are read. */
enum ws_scene_step_kind { WS_STEP_BUILD, WS_STEP_COPY, WS_STEP_GONE };

struct ws_scene_step {
    uint64_t moment;
    uint32_t order; /* in the file */
    uint32_t kind;
    uint32_t structure; /* index: built, copied to, gone; WS_NONE */
    uint32_t source;    /* index: of a copy or an update; WS_NONE */
    uint32_t build;
    uint32_t mode; /* VkCopyAccelerationStructureModeKHR */
    uint64_t hash[2];
};

/* From this step on a structure has another build, or none. */
struct ws_scene_event {
    uint64_t moment;
    uint32_t sequence;
    uint32_t structure;
    uint32_t build; /* WS_NONE */
};

struct ws_scene_content {
    bool bounded;
    float bounds[6];
};

struct ws_scene_state {
    struct ws_arena *arena;    /* geometries, views, references */
    struct ws_text_pool texts; /* names and problems */
    struct ws_scene_blobs blobs;
    struct ws_id_map ids; /* structure id -> index */
    struct ws_scene_structure *structures;
    uint32_t structure_count;
    uint32_t structure_capacity;
    struct ws_scene_build *builds;
    uint32_t build_count;
    uint32_t build_capacity;
    struct ws_scene_build_state *build_states;
    uint32_t build_state_capacity;
    struct ws_scene_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    struct ws_scene_event *events; /* those of a structure stand together, in order */
    uint32_t event_count;
    uint32_t *event_firsts; /* of each structure, and one more */
    struct ws_scene_content *contents;
    uint32_t content_count;
    uint32_t content_capacity;
    struct ws_scene_problem faults[WS_FAULT_COUNT]; /* text NULL: none */
    struct ws_scene_problem problems[WS_FAULT_COUNT];
    bool failed; /* no memory for the text of a problem */
};

/* scene_primitives.c: finds the bytes of every geometry, once all blobs are there. False = no memory. */
bool ws_scene_set_views(struct ws_scene *scene);

/* The build that a structure has before the step `sequence`; WS_NONE. */
uint32_t ws_scene_build_before(const struct ws_scene_state *state, uint32_t structure, uint32_t sequence);

/* scene_primitives.c: checks every primitive of a build. `current`: the build that each structure has now,
 * `gone`: whether it is gone. Sets the bounds of its content. */
void ws_scene_check(struct ws_scene *scene, uint32_t build, const uint32_t *current, const bool *gone);

/* Counts a fault; the text, of the first only, is printf's. */
__attribute__((format(printf, 4, 5))) void ws_scene_fault(struct ws_scene_state *state,
                                                          enum ws_scene_fault fault, uint64_t count,
                                                          const char *format, ...);

#define WS_SCENE_NAME_SIZE 128

/* `structure 3 "mesh"`. */
void ws_scene_structure_text(const struct ws_scene_state *state, uint32_t structure,
                             char text[WS_SCENE_NAME_SIZE]);

/* Of how many instances of a top-level build the bytes are there. */
uint32_t ws_scene_raw_instance_count(const struct ws_scene_state *state, uint32_t build);

/* An instance as it stands in the blob; false where it is not there. */
bool ws_scene_raw_instance(const struct ws_scene_state *state, uint32_t build, uint32_t index,
                           struct ws_scene_instance *instance, uint64_t *address);

/* Vertices without the geometry's transform. False where they are not there. */
bool ws_scene_raw_triangle(const struct ws_scene_state *state, uint32_t build, uint32_t geometry,
                           uint32_t primitive, float vertices[3][3]);

#endif
