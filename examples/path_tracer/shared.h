/* What the path tracer's C and GLSL share. Read by both, so it holds only #defines. */
#ifndef WS_EXAMPLES_PATH_TRACER_SHARED_H
#define WS_EXAMPLES_PATH_TRACER_SHARED_H

/* Bindings of set 0. */
#define BINDING_STRUCTURE 0
#define BINDING_IMAGE     1
#define BINDING_POSITIONS 2
#define BINDING_NORMALS   3
#define BINDING_INDICES   4
#define BINDING_OBJECTS   5
#define BINDING_MATERIALS 6
#define BINDING_SPHERES   7
#define BINDING_VIEW      8
#define BINDING_COUNTS    9
#define BINDING_COUNT     10
/* Further ones of runs that trace in waves (waves.h). */
#define BINDING_STATES      10
#define BINDING_FOUND       11
#define BINDING_ORDER       12
#define BINDING_TALLIES     13
#define BINDING_COUNT_WAVES 14

/* Kinds of material: indices of the callable shaders; and the one that shines. */
#define MATERIAL_DIFFUSE 0
#define MATERIAL_METAL   1
#define MATERIAL_GLASS   2
#define MATERIAL_GLAZED  3
#define MATERIAL_LIGHT   4

/* The callable shaders of --materials come behind these four. */
#define PATCH_FIRST 4
#define PATCHES_MAX 128

/* Hit groups and miss shaders. */
#define HIT_MESH    0
#define HIT_SCREEN  1
#define HIT_SPHERE  2
#define MISS_SKY    0
#define MISS_SHADOW 1
/* The same hit groups where a ray only looks what it hits, and the miss shader of such a ray. */
#define HIT_SEEN    3
#define MISS_UNSEEN 2

/* What hits are sorted by: 0 = none; then by closest-hit shader (GROUP_*) and callable shader, in the order in which the
 * pipeline has them. */
#define GROUP_MESH     0
#define GROUP_SPHERE   1
#define GROUP_SCREEN   2
#define KEYS_PER_GROUP (PATCH_FIRST + PATCHES_MAX + 1)
#define KEY_COUNT      (1 + 3 * KEYS_PER_GROUP)
#define KEY_NONE       0xffffffffu /* the path has ended */

/* Steps of sort.comp, and the hits that one thread counts. */
#define SORT_COUNT   0
#define SORT_PLACE   1
#define SORT_SCATTER 2
#define SORT_CHUNK   256

/* What --count counts: executions of every shader, and the any-hit shader's ignored candidates. */
#define COUNT_RAYGEN             0
#define COUNT_MISS_SKY           1
#define COUNT_MISS_SHADOW        2
#define COUNT_CLOSEST_HIT_MESH   3
#define COUNT_CLOSEST_HIT_SPHERE 4
#define COUNT_ANY_HIT            5
#define COUNT_IGNORED            6
#define COUNT_INTERSECTION       7
#define COUNT_DIFFUSE            8
#define COUNT_METAL              9
#define COUNT_GLASS              10
#define COUNT_GLAZED             11
#define COUNT_SIZE               12

#endif
