/* What the volume's C and GLSL share. Read by both, so it holds only #defines. */
#ifndef WS_EXAMPLES_VOLUME_SHARED_H
#define WS_EXAMPLES_VOLUME_SHARED_H

/* Bindings of set 0. */
#define BINDING_DENSITIES 0
#define BINDING_BRICKS    1
#define BINDING_PIXELS    2
#define BINDING_COUNT     3

#define GROUP 8    /* threads of a workgroup, in x and in y */
#define BRICK 8    /* voxels of a brick's edge */
#define EMPTY 0.12 /* what is thinner cannot be seen */

#endif
