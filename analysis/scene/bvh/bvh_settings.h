/* What the model BVH is like (bvh_scene.h). A text of settings, KEY=VALUE with commas between them; what it does not name is
 * as usual:
 *
 *     leaf=4        the most primitives of a leaf of a bottom level, 1 to 16; a leaf of the top level has one instance
 *     bins=16       of each axis, for sah, 2 to 64
 *     split=sah     the surface-area heuristic, or median
 *     node=64       bytes of a node, a triangle, an AABB and an instance: multiples of 32 up to 512
 *     triangle=64
 *     box=32
 *     instance=128
 *
 * A node has the boxes of its two children and where they lie: 2 x (6 + 2) words are 64 bytes. Three corners of a triangle and
 * what names it are padded to 64 as well, an AABB to 32, and two transforms with masks and flags to 128. */
#ifndef WS_ANALYSIS_SCENE_BVH_BVH_SETTINGS_H
#define WS_ANALYSIS_SCENE_BVH_BVH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

#define WS_BVH_LEAF_MAX 16u
#define WS_BVH_BINS_MAX 64u
#define WS_BVH_TEXT     128 /* bytes of a text of all settings */

enum ws_bvh_split { WS_BVH_SAH, WS_BVH_MEDIAN };

struct ws_bvh_settings {
    uint32_t leaf;
    uint32_t bins;
    uint32_t split; /* enum ws_bvh_split */
    uint32_t node_bytes;
    uint32_t triangle_bytes;
    uint32_t box_bytes;
    uint32_t instance_bytes;
};

/* Reads a text; NULL = all as usual. */
bool ws_bvh_settings_parse(const char *text, struct ws_bvh_settings *settings, struct ws_error *error);

/* Writes the text of all settings, WS_BVH_TEXT bytes at most. */
void ws_bvh_settings_text(const struct ws_bvh_settings *settings, char text[WS_BVH_TEXT]);

#endif
