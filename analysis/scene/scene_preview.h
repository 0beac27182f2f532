/* What the analyses advice and retrace must know before they look at the first ray: the scene, what each
 * shader does, the binding tables, and through which structures the rays of each launch flew.
 *
 * The scene, effects and tables are read beforehand, without the records. Which structures rays flew through
 * their hits say: at the end of a launch all its rays are there, and are looked at before the first of them is
 * judged (struct ws_ray_operations). */
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
    struct ws_scene_matcher *matcher; /* of the launch that began last; NULL = there is no geometry */
    uint64_t launch;                  /* its index */
    const void *looking;              /* the user that shows it the rays */
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

/* For the operations `begin` and `look` of every user of the preview. Once a launch has begun, preview->matcher is its
 * matcher until the next one begins, and it is complete when `thread` is called. The first user to begin shows it the rays,
 * so that each is added once. False = no memory, or the budget is spent. */
bool ws_scene_preview_begin(struct ws_scene_preview *preview, const void *user,
                            const struct ws_catalog *catalog, const struct ws_launch_record *launch);
bool ws_scene_preview_look(struct ws_scene_preview *preview, const void *user,
                           const struct ws_ray_thread *thread);

#endif
