/* What the analyses advice and retrace must know before they look at the first ray: the scene, what each
 * shader does, the binding tables, and through which structures the rays of each launch flew.
 *
 * It is found by reading the capture beforehand, so that rays need not be kept: once for the scene, effects
 * and tables; then, where there is geometry, once more for the rays, whose hits say which structures they
 * flew through. */
#ifndef WS_ANALYSIS_SCENE_SCENE_PREVIEW_H
#define WS_ANALYSIS_SCENE_SCENE_PREVIEW_H

#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_sbt.h"
#include "warpscope/model/effects.h"
#include "warpscope/model/selection.h"

struct ws_scene_preview {
    struct ws_scene *scene; /* NULL = the capture cannot be read twice */
    struct ws_effects *effects;
    struct ws_scene_sbt *tables;
    struct ws_scene_matcher **matchers; /* by launch, complete; none where there is no geometry */
    uint32_t matcher_count;
    uint32_t matcher_capacity;
    struct ws_id_map matcher_of;      /* index of a launch -> index in matchers */
    struct ws_scene_preview **shared; /* where the report has it; NULL = it is not shared */
    uint32_t users;
};

/* The preview of the capture at `path`, of the launches that `selection` chooses; NULL = all. Analyses of one report share
 * it: the first makes it and puts it at `*shared`, which the report owns and has set to NULL; the others get that. The last
 * release frees it.
 *
 * `path` NULL, or no regular file: the capture can be read only once. Then effects and tables are empty and
 * not shared, and the caller feeds them while it reads the capture. NULL and `error` when the file cannot be
 * read, there is no memory, or the budget is spent. */
struct ws_scene_preview *ws_scene_preview_open(struct ws_scene_preview **shared, const char *path,
                                               const struct ws_selection *selection, struct ws_error *error);

/* NULL is accepted. */
void ws_scene_preview_release(struct ws_scene_preview *preview);

/* The matcher of a launch; NULL = none. */
struct ws_scene_matcher *ws_scene_preview_matcher(const struct ws_scene_preview *preview, uint64_t launch);

#endif
