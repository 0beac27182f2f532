/* rays.json: what there is to ask about the rays of a launch.
 *
 * Keys: launch.
 *
 *     {
 *       "launch": 3, "rays": 40960,
 *       "sites": [{"site": 0, "name": "traceRay at raygen.rgen:19", "shader_id": 0, "shader": "raygen.rgen:main",
 *                  "rays": 24000}, ...]
 *     }
 *
 * SITES are the calls that traced rays, by their numbers in the launch (ray_store.h), which the filter `site` takes. */
#include <cjson/cJSON.h>

#include "analysis/model/names.h"
#include "analysis/output/json.h"
#include "analysis/viewer/rays/ray_load.h"

static cJSON *describe_site(const struct ws_catalog *catalog, const struct ws_ray_store *store,
                            uint32_t number)
{
    const struct ws_ray_call *call = &store->calls[number];
    cJSON *site = cJSON_CreateObject();
    char name[512];
    ws_call_name(catalog, call->shader, ws_site_offset(catalog, call->shader, call->site), name,
                 sizeof(name));
    ws_json_integer(site, "site", number);
    cJSON_AddStringToObject(site, "name", name);
    ws_json_integer(site, "shader_id", catalog->shaders[call->shader].id);
    cJSON_AddStringToObject(site, "shader", ws_shader_name(catalog, call->shader));
    ws_json_integer(site, "rays", call->rays);
    return site;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_launch_record *launch = ws_viewer_launch(capture, query, error);
    const struct ws_ray_store *store = launch != NULL ? ws_viewer_rays(viewer, capture, launch, error) : NULL;
    struct ws_json json;
    if (store == NULL)
        return false;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "launch", ws_json_integer_item(launch->index));
    ws_json_member(&json, "rays", ws_json_integer_item(store->count));
    ws_json_open_list(&json, "sites");
    for (uint32_t i = 0; i < store->call_count; ++i)
        ws_json_element(&json, describe_site(&capture->report.catalog, store, i));
    ws_json_close_list(&json);
    return ws_json_end(&json) || ws_error_set(error, "there is no memory for the call sites");
}

/* Which launches the single file tells of, `rays` decides. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *give, void *user)
{
    (void)viewer, (void)capture, (void)budget, (void)give, (void)user;
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_rays_facts = {
    .name = "rays.json",
    .help = "the call sites that traced the rays of a launch, by the numbers that the filter takes",
    .keys = "launch",
    .answer = answer,
    .embed = embed,
};
