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

/* Kinds of material: indices of the callable shaders; and the one that shines. */
#define MATERIAL_DIFFUSE 0
#define MATERIAL_METAL   1
#define MATERIAL_GLASS   2
#define MATERIAL_GLAZED  3
#define MATERIAL_LIGHT   4

/* Hit groups and miss shaders. */
#define HIT_MESH    0
#define HIT_SCREEN  1
#define HIT_SPHERE  2
#define MISS_SKY    0
#define MISS_SHADOW 1

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
