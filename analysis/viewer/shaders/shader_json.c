/* shader.json: the lines of a shader with their figures.
 *
 * Keys: shader, its id; as: source, glsl, spirv, or best, which is the first of these that works (best).
 *
 * The answer is an element of `warpscope annotate --json` (analysis/annotate/annotate_json.c says its members). */
#include <inttypes.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/memory/caches.h"
#include "analysis/simt/hotspots.h"
#include "analysis/trace/divergence.h"
#include "analysis/viewer/shaders/modules.h"
#include "analysis/yields/probes.h"
#include "warpscope/output/json.h"

static bool take_form(const struct ws_viewer_query *query, enum ws_annotate_form *form,
                      struct ws_error *error)
{
    const char *text = ws_viewer_query_text(query, "as");
    *form = WS_ANNOTATE_BEST;
    for (int i = WS_ANNOTATE_BEST; text != NULL && i <= WS_ANNOTATE_SPIRV; ++i)
        if (strcmp(text, ws_annotate_form_name((enum ws_annotate_form)i)) == 0) {
            *form = (enum ws_annotate_form)i;
            return true;
        }
    return text == NULL || ws_error_set(error, "as is source, glsl, spirv or best, not '%.64s'", text);
}

/* The index of the shader that the key names; WS_NONE and `error` where there is none. */
static uint32_t take_shader(const struct ws_viewer_capture *capture, const struct ws_viewer_query *query,
                            struct ws_error *error)
{
    uint64_t id = 0;
    if (ws_viewer_query_text(query, "shader") == NULL) {
        ws_error_set(error, "shader.json needs shader=ID");
        return WS_NONE;
    }
    if (!ws_viewer_query_number(query, "shader", 0, UINT32_MAX, &id, error))
        return WS_NONE;
    const uint32_t shader = ws_catalog_shader(&capture->report.catalog, (uint32_t)id);
    if (shader == WS_NONE)
        ws_error_set(error, "'%s' has no shader %" PRIu64, capture->path, id);
    return shader;
}

/* The rows of the analysis caches; NULL = the capture has none. */
static const struct ws_groups *caches_of(const struct ws_report *report)
{
    const void *results = ws_report_results(report, &ws_analysis_caches);
    return results != NULL ? ws_analysis_caches.groups(results) : NULL;
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_report *report = &capture->report;
    const struct ws_annotate_figures_of figures = {
        .catalog = &report->catalog,
        .simt = ws_report_simt(report),
        .divergence = ws_report_results(report, &ws_analysis_divergence),
        .hotspots = ws_report_results(report, &ws_analysis_hotspots),
        .probes = ws_report_results(report, &ws_analysis_probe),
        .caches = caches_of(report),
    };
    enum ws_annotate_form form = WS_ANNOTATE_BEST;
    struct ws_json json;
    (void)viewer;
    const uint32_t shader = take_shader(capture, query, error);
    if (shader == WS_NONE || !take_form(query, &form, error))
        return false;
    const struct ws_shader_words *modules = ws_viewer_modules(capture, error);
    if (modules == NULL)
        return false;
    const struct ws_shader_words *module = &modules[report->catalog.shaders[shader].module];
    if (module->words == NULL)
        return ws_error_set(error, "the capture does not hold the module of this shader");
    ws_json_begin(&json, stream);
    return ws_annotate_json(&figures, shader, module->words, module->count, form, false, &json, error) &&
           ws_json_end(&json);
}

/* Shaders that ran, as they are best read; then their disassembly; then the others. */
static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    const struct ws_simt_results *simt = ws_report_simt(&capture->report);
    const struct ws_catalog *catalog = &capture->report.catalog;
    (void)viewer, (void)budget;
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const bool ran =
            simt == NULL || simt->shaders[i].counts.warps > 0 || simt->shaders[i].counts.threads > 0;
        char query[64];
        snprintf(query, sizeof(query), "shader.json?as=best&shader=%" PRIu32, catalog->shaders[i].id);
        if (!embed(user, query, ran ? WS_RANK_FIRST : WS_RANK_BESIDE))
            return false;
        snprintf(query, sizeof(query), "shader.json?as=spirv&shader=%" PRIu32, catalog->shaders[i].id);
        if (ran && !embed(user, query, WS_RANK_BESIDE))
            return false;
    }
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_shader = {
    .name = "shader.json",
    .help = "the lines of a shader with their figures",
    .keys = "shader as",
    .answer = answer,
    .embed = embed,
};
