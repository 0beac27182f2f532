#include "analysis/viewer/scene/scene_shown.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/scene/mesh.h"
#include "warpscope/capture/budget.h"

#define MOVING_MOST 100000 /* triangles and boxes that are drawn while a camera moves */

static const uint32_t details[] = {0, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4};

uint32_t ws_scene_shown_top(const struct ws_launch_view *view, uint32_t structure)
{
    return view->tops.chosen[structure] ? ws_scene_build_at(view->scene, structure, view->launch) : WS_NONE;
}

static bool is_known(const struct ws_scene *scene, const struct ws_scene_instance *instance)
{
    return instance->structure != WS_NONE && instance->build != WS_NONE &&
           !scene->builds[instance->build].top;
}

bool ws_scene_shown_can(const struct ws_scene *scene, const struct ws_scene_instance *instance)
{
    return is_known(scene, instance) && ws_all_finite(instance->transform, 12);
}

static void add_instance(struct ws_scene_shown *shown, const struct ws_scene_instance *instance)
{
    const struct ws_scene *scene = shown->view->scene;
    float bounds[6];
    if (!is_known(scene, instance)) {
        shown->unknown++;
    } else if (!ws_scene_shown_can(scene, instance)) {
        shown->not_finite++;
    } else if (shown->drawn == WS_SCENE_INSTANCES_MOST) {
        shown->beyond++;
    } else {
        struct ws_scene_shown_content *content = &shown->contents[scene->builds[instance->build].content];
        content->build = instance->build;
        content->primitives = scene->builds[instance->build].primitives;
        content->instances++;
        shown->drawn++;
        if (ws_scene_bounds(scene, instance->build, bounds))
            ws_bounds_add_box(shown->bounds, instance->transform, bounds);
    }
}

/* About how many triangles a detail leaves: of a sphere of a million triangles 10 N x N are left. */
static uint64_t reduced(uint64_t primitives, uint32_t detail)
{
    const uint64_t left = UINT64_C(10) * detail * detail;
    return detail == 0 || primitives < left ? primitives : left;
}

/* The finest detail with which all that is drawn is few enough for while a camera moves; the coarsest where none is.
 * Contents that it would leave as they are have none. */
static void choose_details(struct ws_scene_shown *shown)
{
    const uint32_t count = shown->view->scene->content_count;
    uint32_t detail = 0;
    uint64_t sum = UINT64_MAX;
    for (size_t step = 0; step < sizeof(details) / sizeof(details[0]) && sum > MOVING_MOST; ++step) {
        detail = details[step];
        sum = 0;
        for (uint32_t i = 0; i < count && sum <= MOVING_MOST; ++i)
            sum += shown->contents[i].instances * reduced(shown->contents[i].primitives, detail);
    }
    for (uint32_t i = 0; i < count; ++i)
        if (reduced(shown->contents[i].primitives, detail) < shown->contents[i].primitives)
            shown->contents[i].detail = detail;
}

bool ws_scene_shown_init(struct ws_scene_shown *shown, const struct ws_launch_view *view)
{
    const struct ws_scene *scene = view->scene;
    *shown = (struct ws_scene_shown){.view = view};
    shown->contents = calloc((size_t)scene->content_count + 1, sizeof(*shown->contents));
    ws_bounds_init(shown->bounds);
    for (uint32_t i = 0; i < scene->content_count && shown->contents != NULL; ++i)
        shown->contents[i].build = WS_NONE;
    bool walked = shown->contents != NULL;
    for (uint32_t i = 0; i < scene->structure_count && walked; ++i) {
        const uint32_t build = ws_scene_shown_top(view, i);
        const uint32_t count = build != WS_NONE ? ws_scene_instance_count(scene, build) : 0;
        walked = ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count);
        if (build != WS_NONE)
            shown->unknown += scene->builds[build].primitives - count;
        for (uint32_t j = 0; j < count && walked; ++j) {
            struct ws_scene_instance instance;
            if (ws_scene_instance(scene, build, j, &instance))
                add_instance(shown, &instance);
            else
                shown->unknown++;
        }
    }
    if (walked)
        choose_details(shown);
    else
        ws_scene_shown_finish(shown);
    return walked;
}

void ws_scene_shown_finish(struct ws_scene_shown *shown)
{
    free(shown->contents);
    memset(shown, 0, sizeof(*shown));
}

bool ws_scenes_shown_embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, ws_scene_embed *each,
                           ws_viewer_embed *embed, void *user)
{
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const uint32_t count = ws_launches_shown(capture, launches);
    bool embedded = true;
    for (uint32_t i = 0; i < count && embedded; ++i) {
        struct ws_error error = {{0}};
        struct ws_scene_shown shown;
        const struct ws_launch_view *view = ws_launch_view_of(viewer, capture, launches[i], &error);
        if (view == NULL || !ws_scene_shown_init(&shown, view))
            continue;
        embedded = each(capture, &shown, i == 0, embed, user);
        ws_scene_shown_finish(&shown);
    }
    return embedded;
}
