/* What the C and the GLSL of the faults share. Read by both, so it holds only #defines. */
#ifndef WS_EXAMPLES_FAULTS_SHARED_H
#define WS_EXAMPLES_FAULTS_SHARED_H

/* Bindings of set 0. */
#define BINDING_STRUCTURE 0
#define BINDING_IMAGE     1
#define BINDING_POSITIONS 2
#define BINDING_INDICES   3
#define BINDING_OBJECTS   4
#define BINDING_SPHERES   5
#define BINDING_VIEW      6
#define BINDING_COUNTS    7
#define BINDING_TALLY     8 /* what an any-hit shader counts for the application itself */
#define BINDING_RAYS      9 /* what the scene `rays` traced */
#define BINDING_SECOND    10
#define BINDING_COUNT     11

/* What an object is made of. */
#define KIND_DIFFUSE 0
#define KIND_MIRROR  1
#define KIND_GLOSSY  2
#define KIND_GLASS   3
#define KIND_LAMP    4

/* Where an object's any-hit shader finds holes. */
#define PATTERN_SOLID 0
#define PATTERN_LEAF  1

/* Specialization constants: what a scene, and its repaired twin, do in their own way. */
#define CONSTANT_SHADOW_FLAGS  0  /* ray flags of shadow rays */
#define CONSTANT_SHADOW_MASK   1  /* their cull mask */
#define CONSTANT_SHADOW_OFFSET 2  /* their offset in the hit records */
#define CONSTANT_CHECK_RANGE   3  /* no shadow ray where its range is empty, or next to that */
#define CONSTANT_SAMPLES       4  /* paths, or occlusion rays, a pixel */
#define CONSTANT_BOUNCES       5  /* times that a path goes on after its first hit */
#define CONSTANT_TMIN          6  /* of rays that start on surfaces */
#define CONSTANT_OFFSET        7  /* from the surface, of the origin of such rays */
#define CONSTANT_STOP_BELOW    8  /* paths that would go on below their surface end */
#define CONSTANT_RADIUS        9  /* length of occlusion rays */
#define CONSTANT_FACE_FORWARD  10 /* occlusion rays leave from the side that is turned to the camera */
#define CONSTANT_STATISTICS    11 /* the application counts candidates for itself */
#define CONSTANT_HOLES         12 /* any-hit shaders look for holes; 0 = they do not */
#define CONSTANT_COUNT         13

/* What --count counts: first rays and executions of shaders, then what the faults plant. */
#define COUNT_CAMERA_RAYS  0
#define COUNT_BOUNCE_RAYS  1
#define COUNT_SHADOW_RAYS  2 /* to a light, or for ambient occlusion */
#define COUNT_ANY_HIT      3
#define COUNT_IGNORED      4 /* of these, candidates that were ignored */
#define COUNT_INTERSECTION 5
#define COUNT_REPORTED     6 /* intersections that were reported */
#define COUNT_CLOSEST_HIT  7
#define COUNT_MISS         8
#define COUNT_SOLID        9  /* any-hit runs on objects without holes */
#define COUNT_SHADOW_HITS  10 /* shadow rays that hit something */
#define COUNT_EMPTY_RANGE  11 /* shadow rays with tmax <= tmin */
#define COUNT_SHORT        12 /* occlusion rays with tmax below a thousandth */
#define COUNT_SELF         13 /* bounce rays that hit the triangle on which they start */
#define COUNT_LEFT         14 /* bounce rays that miss everything */
#define COUNT_BELOW        15 /* bounce and occlusion rays that start into their own surface */
#define COUNT_FAINT        16 /* bounce rays with less than a thousandth of the light */
#define COUNT_LATER        17 /* bounce rays after a path's second */
#define COUNT_EMPTY        18 /* runs of shaders without an instruction */
#define COUNT_UNREPORTED   19 /* intersection runs without a report */
#define COUNT_SIZE         20

/* Words of one ray in BINDING_RAYS, and rays that a pixel can have. */
#define RAY_WORDS 16
#define RAY_SLOTS 4

#endif
