#include "analysis/report/plugin.h"

#include <string.h>

#include "warpscope/analysis.h"

#define NAME_MOST 64

static uint32_t added;

bool ws_analysis_plugin_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && length <= NAME_MOST && strspn(name, letters) == length;
}

bool ws_analysis_plugin_free(const char *name, const char *path, struct ws_error *error)
{
    if (!ws_analysis_plugin_name(name))
        return ws_error_set(error, "'%s' has an analysis whose name is not of small letters, digits and '_'",
                            path);
    if (strcmp(name, "all") == 0 || ws_analysis_find(name) != NULL)
        return ws_error_set(error, "'%s' has an analysis '%s', and there is one of that name already", path,
                            name);
    return true;
}

uint32_t ws_analysis_plugin_room(void)
{
    return WS_PLUGIN_ANALYSES_MAX - added;
}

void ws_analysis_plugin_add(const struct ws_analysis *analysis)
{
    ws_analysis_add(analysis);
    added++;
}

/* What the report asks of an analysis without looking whether it is there. */
static const char *find_fault(const struct ws_analysis *analysis, struct ws_error *error)
{
    if (analysis->summary == NULL || analysis->create == NULL || analysis->destroy == NULL)
        return "it lacks its summary, or how its results are created and destroyed";
    if (analysis->columns == NULL &&
        (analysis->text == NULL || analysis->json == NULL || analysis->csv == NULL))
        return "it has neither columns nor all of text, JSON and CSV";
    if (analysis->columns != NULL && analysis->groups == NULL)
        return "it has columns, and does not say where their sums are (groups)";
    if ((analysis->json == NULL) != (analysis->members == NULL))
        return "what its JSON has behind the tables is not declared (members), or is not written (json)";
    if (analysis->csv != NULL && analysis->columns == NULL && analysis->csv_help == NULL)
        return "its CSV is not explained (csv_help)";
    if (analysis->findings != NULL && analysis->answers == NULL)
        return "it has findings, and does not say what it answers";
    if (analysis->record == NULL && analysis->end == NULL && analysis->replay == NULL)
        return "it hears nothing of the capture: neither its chunks nor the replay";
    if (analysis->columns != NULL && !ws_columns_check(analysis->columns, error))
        return error->message;
    return NULL;
}

static bool check(const struct ws_analysis *analysis, const char *path, struct ws_error *error)
{
    struct ws_error wrong = {{0}};
    if (!ws_analysis_plugin_free(analysis != NULL ? analysis->name : NULL, path, error))
        return false;
    const char *fault = find_fault(analysis, &wrong);
    return fault == NULL ||
           ws_error_set(error, "'%s' has an analysis '%s' that cannot be: %s", path, analysis->name, fault);
}

static bool fits(const struct ws_analysis_plugin *plugin, const char *path, struct ws_error *error)
{
    static const uint32_t sizes[] = {WS_ANALYSIS_STRUCTS(WS_ANALYSIS_SIZE)};
    if (plugin->interface != WS_ANALYSIS_INTERFACE)
        return ws_error_set(
            error,
            "'%s' was built for version %u of the interface of analyses, this Warpscope has version "
            "%u: build it with the headers of this one",
            path, plugin->interface, WS_ANALYSIS_INTERFACE);
    if (plugin->struct_count != sizeof(sizes) / sizeof(sizes[0]) || plugin->sizes == NULL ||
        memcmp(plugin->sizes, sizes, sizeof(sizes)) != 0)
        return ws_error_set(
            error, "'%s' was built with other headers than those of this Warpscope: build it with these",
            path);
    if (plugin->analysis_count == 0 || plugin->analyses == NULL)
        return ws_error_set(error, "'%s' has no analyses (WS_ANALYSIS_PLUGIN)", path);
    if (plugin->analysis_count > ws_analysis_plugin_room())
        return ws_error_set(error, "'%s' has more analyses than there is room for (%d of all plug-ins)", path,
                            WS_PLUGIN_ANALYSES_MAX);
    return true;
}

bool ws_analysis_plugin_take(const struct ws_analysis_plugin *plugin, const char *path,
                             struct ws_error *error)
{
    if (!fits(plugin, path, error))
        return false;
    for (uint32_t i = 0; i < plugin->analysis_count; ++i) {
        if (!check(plugin->analyses[i], path, error))
            return false;
        for (uint32_t j = 0; j < i; ++j)
            if (strcmp(plugin->analyses[i]->name, plugin->analyses[j]->name) == 0)
                return ws_error_set(error, "'%s' has two analyses '%s'", path, plugin->analyses[i]->name);
    }
    for (uint32_t i = 0; i < plugin->analysis_count; ++i)
        ws_analysis_plugin_add(plugin->analyses[i]);
    return true;
}
