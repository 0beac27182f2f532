#include "warpscope/report/analysis.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "analysis/report/plugin.h"
#include "warpscope/base/text.h"
#include "warpscope/passes.h"
#include "warpscope/probe.h"

/* A new analysis is one more line here: X(name), for the struct ws_analysis named ws_analysis_<name>. The
 * first that a capture can serve is what is reported where no other is asked for. */
#define ANALYSES(X)                                                                                          \
    X(simt_efficiency)                                                                                       \
    X(hotspots)                                                                                              \
    X(opcodes)                                                                                               \
    X(warp_entry_exit)                                                                                       \
    X(memory)                                                                                                \
    X(caches)                                                                                                \
    X(memory_check)                                                                                          \
    X(bvh_reconstruct)                                                                                       \
    X(time)                                                                                                  \
    X(warp_time)                                                                                             \
    X(execution_trace)                                                                                       \
    X(divergence)                                                                                            \
    X(thread_compaction)                                                                                     \
    X(reorder) X(ray_events) X(geometry) X(probe) X(advice) X(retrace) X(bvh_model) X(estimate)

#define DECLARE(name) extern const struct ws_analysis ws_analysis_##name;
ANALYSES(DECLARE)
#undef DECLARE

/* In the order in which they were made known: the built-in ones, then those of plug-ins. NULL after the last. */
static const struct ws_analysis *analyses[WS_ANALYSES_MAX + 1];

#define COUNT(name) +1
_Static_assert(0 ANALYSES(COUNT) + WS_PLUGIN_ANALYSES_MAX <= WS_ANALYSES_MAX,
               "reports have room for every analysis");
#undef COUNT

static void add(const struct ws_analysis *analysis)
{
    size_t count = 0;
    while (analyses[count] != NULL)
        count++;
    assert(count < WS_ANALYSES_MAX);
    analyses[count] = analysis;
}

static void add_built_in(void)
{
#define ADD(name) add(&ws_analysis_##name);
    ANALYSES(ADD)
#undef ADD
}

const struct ws_analysis *const *ws_analysis_list(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_built_in);
    return analyses;
}

void ws_analysis_add(const struct ws_analysis *analysis)
{
    ws_analysis_list();
    add(analysis);
}

const struct ws_analysis *ws_analysis_find(const char *name)
{
    const struct ws_analysis *const *known = ws_analysis_list();
    for (size_t i = 0; known[i] != NULL; ++i)
        if (strcmp(known[i]->name, name) == 0)
            return known[i];
    return NULL;
}

const char *ws_analysis_new_name(const char *name)
{
    static const char *const names[][2] = {
        {"recommendations", "advice"},       {"rays", "ray_events"},
        {"trace", "execution_trace"},        {"warps", "warp_entry_exit"},
        {"compaction", "thread_compaction"}, {"efficiency", "simt_efficiency"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static bool has_pass(const struct ws_overview *overview, const char *pass)
{
    if (overview->times_elsewhere && strcmp(pass, WS_PASS_TIME) == 0)
        return true;
    /* "probe:" is any probe. */
    const size_t prefix = ws_text_ends_with(pass, ":") ? strlen(pass) : SIZE_MAX;
    for (uint32_t i = 0; i < overview->pass_count; ++i)
        if (strncmp(overview->passes[i], pass, prefix) == 0)
            return true;
    return false;
}

/* Whether geometry was captured, by the setting of that name: on, or auto with the pass that needs it. */
static bool has_geometry(const struct ws_overview *overview)
{
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        if (strcmp(overview->settings[i].key, "geometry") == 0)
            return strcmp(overview->settings[i].value, "on") == 0 ||
                   (strcmp(overview->settings[i].value, "auto") == 0 && has_pass(overview, "ray_events"));
    return false;
}

/* "a", "a or b", "a, b or c". */
static void join_passes(const struct ws_analysis *analysis, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; analysis->passes[i] != NULL && used < size; ++i) {
        const char *separator = i == 0 ? "" : analysis->passes[i + 1] != NULL ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, analysis->passes[i]);
    }
}

void ws_analysis_needs(const struct ws_analysis *analysis, char *text, size_t size)
{
    if (analysis->passes == NULL) {
        snprintf(text, size, "geometry");
        return;
    }
    if (analysis->passes[0] != NULL && strcmp(analysis->passes[0], WS_PROBE_PASS_PREFIX) == 0) {
        snprintf(text, size, "a probe");
        return;
    }
    const int used = snprintf(text, size, "pass ");
    join_passes(analysis, text + used, size - (size_t)used);
}

bool ws_analysis_is_served(const struct ws_analysis *analysis, const struct ws_overview *overview,
                           const char *path, struct ws_error *error)
{
    char passes[128];
    const char *program = overview->command_line[0] != '\0' ? overview->command_line : "PROGRAM";
    const char *missing = analysis->missing != NULL ? analysis->missing() : NULL;
    if (missing != NULL)
        return ws_error_set(error, "there is no %s: %s", analysis->name, missing);
    if (analysis->passes == NULL)
        return !overview->has_info || has_geometry(overview) ||
               ws_error_set(error,
                            "'%s' was recorded without geometry, which %s needs; record it with: warpscope "
                            "record -p ray_events --geometry -- %.160s",
                            path, analysis->name, program);
    if (analysis->passes[0] == NULL)
        return true;
    for (size_t i = 0; analysis->passes[i] != NULL; ++i)
        if (!overview->has_info || has_pass(overview, analysis->passes[i]))
            return true;
    if (strcmp(analysis->passes[0], WS_PASS_TIME) == 0)
        return ws_error_set(
            error,
            "'%s' has no times; record them alone with: warpscope record -p time -o times.wscope "
            "-- %.160s; then add --time times.wscope here",
            path, program);
    if (strcmp(analysis->passes[0], WS_PROBE_PASS_PREFIX) == 0)
        return ws_error_set(error,
                            "'%s' was recorded without a probe; record with one: warpscope record -e 'after "
                            "OpFDiv { if (isinf(result)) count(); }' -- %.160s; see warpscope help probes",
                            path, program);
    join_passes(analysis, passes, sizeof(passes));
    return ws_error_set(error,
                        "'%s' was recorded without pass %s, which %s needs; record it with: warpscope record "
                        "-p %s -- %.160s",
                        path, passes, analysis->name, analysis->passes[0], program);
}

bool ws_analysis_heeds(const struct ws_analysis *analysis, const struct ws_selection *selection,
                       struct ws_error *error)
{
    if (analysis->no_shaders == NULL || !ws_selection_has_shaders(selection))
        return true;
    return ws_error_set(error, "%s cannot choose by --shader, --stage or --pipeline: %s", analysis->name,
                        analysis->no_shaders);
}
