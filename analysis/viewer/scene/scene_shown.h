/* What is drawn of a launch's scene: which instances, and of which contents (scene_json.c says the words).
 * As viewer.h: not thread-safe. */
#ifndef WS_ANALYSIS_VIEWER_SCENE_SCENE_SHOWN_H
#define WS_ANALYSIS_VIEWER_SCENE_SCENE_SHOWN_H

#include "analysis/viewer/scene/launch_view.h"

#define WS_SCENE_INSTANCES_MOST (1u << 20)

/* A bottom-level content. */
struct ws_scene_shown_content {
    uint32_t build; /* with it; WS_NONE = it is not drawn */
    uint64_t instances;
    uint64_t primitives;
    uint32_t detail; /* of its mesh while a camera moves; 0 = all */
};

struct ws_scene_shown {
    const struct ws_launch_view *view;
    struct ws_scene_shown_content *contents; /* one for each content of the scene */
    float bounds[6];                         /* around the instances that are drawn, in the world */
    uint64_t drawn;                          /* instances; the others: */
    uint64_t unknown;                        /* of no known bottom-level structure */
    uint64_t not_finite;                     /* by their transform */
    uint64_t beyond;                         /* WS_SCENE_INSTANCES_MOST */
};

/* False = no memory, or the budget is spent; then nothing is to be finished. */
bool ws_scene_shown_init(struct ws_scene_shown *shown, const struct ws_launch_view *view);
void ws_scene_shown_finish(struct ws_scene_shown *shown);

/* Names answers of one launch for the single file; `opened`: the page opens with that launch. False = no memory. */
typedef bool ws_scene_embed(const struct ws_viewer_capture *capture, const struct ws_scene_shown *shown,
                            bool opened, ws_viewer_embed *embed, void *user);

/* Calls `each` for the launches that the single file holds (launches_shown.h). One that cannot be read is passed over: its
 * scene.json says why. False = no memory. */
bool ws_scenes_shown_embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, ws_scene_embed *each,
                           ws_viewer_embed *embed, void *user);

/* The build of a top-level structure that is drawn; WS_NONE = the structure is not. */
uint32_t ws_scene_shown_top(const struct ws_launch_view *view, uint32_t structure);

/* Whether an instance can be drawn: its structure is known and its transform finite. */
bool ws_scene_shown_can(const struct ws_scene *scene, const struct ws_scene_instance *instance);

#endif
