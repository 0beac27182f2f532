#include "analysis/export/ran.h"

#include "warpscope/model/names.h"

void ws_export_ran_find(struct ws_export_ran *ran, const struct ws_catalog *catalog,
                        const struct ws_selection *selection, uint32_t shader)
{
    if (ran->shader_index == shader)
        return;
    const uint32_t pipeline = ws_catalog_launch_pipeline(catalog, ran->launch, shader);
    const bool is_known = pipeline < catalog->pipeline_count;
    ran->shader_index = shader;
    ran->pipeline = is_known ? catalog->pipelines[pipeline].id : WS_NONE;
    ran->chosen = ws_selection_runs(selection, ran->launch, shader);
    ran->pipeline_name = is_known ? ws_pipeline_name(catalog, pipeline) : "";
    ran->stage = ws_stage_name(catalog->shaders[shader].stage);
    ran->shader = catalog->shaders[shader].id;
    ran->shader_name = ws_shader_name(catalog, shader);
}
