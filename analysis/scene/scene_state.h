/* The inner state of a scene (scene.h). Private to the files of this folder that load and read scenes. */
#ifndef WS_ANALYSIS_SCENE_SCENE_STATE_H
#define WS_ANALYSIS_SCENE_SCENE_STATE_H

#include "analysis/scene/scene.h"
#include "analysis/scene/scene_blobs.h"
#include "analysis/scene/scene_vertex.h"
#include "warpscope/base/id_map.h"
#include "warpscope/base/text.h"
#include "warpscope/reader.h"

struct ws_arena;

/* Faults of the file. The report shows each fault once, with how often it was found. If several builds have
 * equal content, only the first is checked. */
enum ws_scene_fault {
    WS_FAULT_LOST_CHUNKS,
    WS_FAULT_BLOB_INCOMPLETE,
    WS_FAULT_GEOMETRY_TYPE,
    WS_FAULT_UNKNOWN_BYTES,
    WS_FAULT_CLIPPED,
    WS_FAULT_VERTEX_FORMAT,
    WS_FAULT_INDEX_TYPE,
    WS_FAULT_TRANSFORM,
    WS_FAULT_INDEX_RANGE, /* the first of those of primitives */
    WS_FAULT_VERTEX,
    WS_FAULT_TRIANGLE_INACTIVE,
    WS_FAULT_AABB,
    WS_FAULT_AABB_INACTIVE,
    WS_FAULT_AABB_ORDER, /* the last of those */
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

/* Faults of primitives: WS_FAULT_INDEX_RANGE to WS_FAULT_AABB_ORDER. */
#define WS_FAULT_PRIMITIVES (WS_FAULT_AABB_ORDER - WS_FAULT_INDEX_RANGE + 1)

/* Where the bytes of a geometry are. The blobs of the scene own them. */
struct ws_scene_view {
    const uint8_t *data; /* vertices, AABBs, instances */
    size_t data_size;
    uint32_t element_count; /* whole elements in `data` */
    const uint8_t *indices;
    size_t index_count;
    uint32_t index_size;      /* bytes; 0 = not indexed */
    uint32_t primitives;      /* primitives with all their bytes; indices are not checked */
    const uint8_t *micromaps; /* indices of micromaps; NULL = none are known */
    size_t micromaps_size;
    const uint8_t *opacities; /* of the parts of triangles with a micromap; NULL = none are known */
    size_t opacities_size;
    const uint8_t *opacity_triangles; /* where each micromap has its opacities: VkMicromapTriangleEXT */
    size_t opacity_triangles_size;
    bool understood; /* all formats are known */
    bool drawable;   /* all formats are known, and the transform is finite */
    struct ws_vertex_format format;
};

struct ws_scene_build_state {
    struct ws_scene_geometry *geometries; /* geometries of the build, to write to */
    struct ws_scene_view *views;          /* one for each geometry */
    uint32_t sequence;                    /* its place among all steps, once they are in order */
    uint32_t instances;                   /* top-level builds: index of the first geometry of instances */
};

/* A step is one thing that happened to a structure. The steps are put in order once all chunks are read. */
enum ws_scene_step_kind { WS_STEP_BUILD, WS_STEP_COPY, WS_STEP_GONE };

struct ws_scene_step {
    uint64_t moment;
    uint32_t order;     /* its place in the file */
    uint32_t kind;      /* enum ws_scene_step_kind */
    uint32_t structure; /* index of the structure that was built, copied to or destroyed; WS_NONE = unknown */
    uint32_t source;    /* index of the source of a copy or an update; WS_NONE = none */
    uint32_t build;
    uint32_t mode; /* VkCopyAccelerationStructureModeKHR */
    uint64_t hash[2];
};

/* A structure has another build, or none, from this step on. */
struct ws_scene_event {
    uint64_t moment;
    uint32_t sequence;
    uint32_t structure;
    uint32_t build; /* index in builds; WS_NONE = none */
};

struct ws_scene_content {
    uint32_t build; /* the first with it */
    bool bounded;
    float bounds[6];
};

/* What was found in the primitives of a geometry. Geometries of the same bytes are looked at once. */
struct ws_scene_look {
    float bounds[6];                      /* in the space of the structure */
    uint64_t faults[WS_FAULT_PRIMITIVES]; /* how often each was found, from WS_FAULT_INDEX_RANGE on */
};

struct ws_scene_state {
    struct ws_arena *arena;    /* memory of geometries, views and references */
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
    struct ws_scene_event *events; /* sorted by structure, then by sequence */
    uint32_t event_count;
    uint32_t *event_firsts; /* per structure: index of its first event; one entry more than structures */
    struct ws_scene_content *contents;
    uint32_t content_count;
    uint32_t content_capacity;
    struct ws_scene_look *looks;
    uint32_t look_count;
    uint32_t look_capacity;
    struct ws_id_map looked;                        /* hash of what a geometry is -> index in looks */
    struct ws_scene_problem faults[WS_FAULT_COUNT]; /* by fault; text NULL = not found */
    struct ws_scene_problem problems[WS_FAULT_COUNT];
    bool failed; /* there was no memory for the text of a problem */
};

/* Finds the bytes of every geometry, once all blobs are read (scene_primitives.c). False if there is no
 * memory. */
bool ws_scene_set_views(struct ws_scene *scene);

/* Returns the build that a structure has right before the step `sequence`; WS_NONE if it has none. */
uint32_t ws_scene_build_before(const struct ws_scene_state *state, uint32_t structure, uint32_t sequence);

/* Checks every primitive of a build, and sets the bounds of its content (scene_primitives.c). `current`
 * holds the build that each structure has at this step, and `gone` whether the structure is destroyed by
 * then. False if there is no memory, or the budget is spent (warpscope/capture/budget.h). */
bool ws_scene_check(struct ws_scene *scene, uint32_t build, const uint32_t *current, const bool *gone);

/* Counts the states of the triangles of a build with micromaps (scene_micromap.c), and gives the counts to another build of
 * the same content. False if the budget is spent. */
bool ws_scene_count_micromaps(struct ws_scene *scene, uint32_t build);
void ws_scene_copy_micromaps(struct ws_scene *scene, uint32_t from, uint32_t to);

/* Adds `count` to a fault. Only its first call formats and keeps the text. */
__attribute__((format(printf, 4, 5))) void ws_scene_fault(struct ws_scene_state *state,
                                                          enum ws_scene_fault fault, uint64_t count,
                                                          const char *format, ...);

#define WS_SCENE_NAME_SIZE 128

/* Writes the name of a structure for messages: `structure 3 "mesh"`. */
void ws_scene_structure_text(const struct ws_scene_state *state, uint32_t structure,
                             char text[WS_SCENE_NAME_SIZE]);

/* Returns how many instances of a top-level build have all their bytes. */
uint32_t ws_scene_raw_instance_count(const struct ws_scene_state *state, uint32_t build);

/* Sets `instance` and `address` (of its structure) to what the blob holds. False if the blob does not hold
 * that instance. */
bool ws_scene_raw_instance(const struct ws_scene_state *state, uint32_t build, uint32_t index,
                           struct ws_scene_instance *instance, uint64_t *address);

/* Sets `vertices` to those of a triangle, without the geometry's transform. False if the blobs do not hold
 * them. */
bool ws_scene_raw_triangle(const struct ws_scene_state *state, uint32_t build, uint32_t geometry,
                           uint32_t primitive, float vertices[3][3]);

#endif
