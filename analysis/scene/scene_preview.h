/* What the analyses advice and retrace must know before the first ray is looked at: the scene, what each shader does, binding
 * tables, and which structures the rays of each launch flew through. Found by reading the capture once
 * more, so that the rays need not be kept. */
#ifndef WS_ANALYSIS_SCENE_SCENE_PREVIEW_H
#define WS_ANALYSIS_SCENE_SCENE_PREVIEW_H

#include "analysis/model/effects.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_sbt.h"

struct ws_scene_preview {
    struct ws_scene *scene; /* NULL = the capture cannot be read twice */
    struct ws_effects *effects;
    struct ws_scene_sbt *tables;
    struct ws_scene_matcher **matchers; /* by launch, complete; none where there is no geometry */
    uint32_t matcher_count;
    uint32_t matcher_capacity;
    struct ws_id_map matcher_of; /* index of a launch -> index in matchers */
};

/* `path` NULL, or no regular file: effects and tables are empty, and to be fed while the capture is read.
 * False and `error` when it cannot be read or there is no memory; to be finished all the same. */
bool ws_scene_preview_read(struct ws_scene_preview *preview, const char *path, struct ws_error *error);
void ws_scene_preview_finish(struct ws_scene_preview *preview);

/* The matcher of a launch; NULL = none. */
struct ws_scene_matcher *ws_scene_preview_matcher(const struct ws_scene_preview *preview, uint64_t launch);

#endif
