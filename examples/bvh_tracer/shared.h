/* What the tracer's C and GLSL share. Read by both, so it holds only #defines. */
#ifndef WS_EXAMPLES_BVH_TRACER_SHARED_H
#define WS_EXAMPLES_BVH_TRACER_SHARED_H

/* Bindings of set 0. */
#define BINDING_NODES    0
#define BINDING_FACES    1
#define BINDING_VERTICES 2
#define BINDING_PIXELS   3
#define BINDING_STACKS   4
#define BINDING_COUNT    5

#define GROUP     64 /* threads of a workgroup */
#define STACK_MAX 64 /* nodes that a thread can keep for later: the most levels of a tree */

/* A child of a node: the index of an inner node, or a leaf: its first face, and how many there are. */
#define LEAF       0x80000000u
#define LEAF_SHIFT 28 /* (faces - 1) << LEAF_SHIFT */
#define LEAF_FIRST 0x0fffffffu
#define LEAF_MAX   8u
#define DONE       0xffffffffu /* no child: the traversal has ended */

#endif
