#include "analysis/report/kind.h"

#include <string.h>

/* A new kind of report is one more line here: X(name), for the struct ws_kind named ws_kind_<name>. The first
 * that a capture can serve is what is reported where no other is asked for. */
#define KINDS(X)                                                                                             \
    X(simt_efficiency)                                                                                       \
    X(hotspots)                                                                                              \
    X(opcodes) X(warps) X(trace) X(divergence) X(compaction) X(rays) X(geometry) X(recommendations) X(retrace)

#define DECLARE(name) extern const struct ws_kind ws_kind_##name;
KINDS(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_kind_##name,
static const struct ws_kind *const kinds[] = {KINDS(ADDRESS) NULL};
#undef ADDRESS

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) <= WS_KINDS_MAX + 1, "reports have room for every kind");

const struct ws_kind *const *ws_kind_list(void)
{
    return kinds;
}

const struct ws_kind *ws_kind_find(const char *name)
{
    for (size_t i = 0; kinds[i] != NULL; ++i)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static bool has_pass(const struct ws_overview *overview, const char *pass)
{
    for (uint32_t i = 0; i < overview->pass_count; ++i)
        if (strcmp(overview->passes[i], pass) == 0)
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
static void join_passes(const struct ws_kind *kind, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; kind->passes[i] != NULL && used < size; ++i) {
        const char *separator = i == 0 ? "" : kind->passes[i + 1] != NULL ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, kind->passes[i]);
    }
}

bool ws_kind_is_served(const struct ws_kind *kind, const struct ws_overview *overview, const char *path,
                       struct ws_error *error)
{
    char passes[128];
    const char *program = overview->command_line[0] != '\0' ? overview->command_line : "PROGRAM";
    if (kind->passes == NULL)
        return !overview->has_info || has_geometry(overview) ||
               ws_error_set(error,
                            "'%s' was recorded without geometry, which %s needs; record it with: warpscope "
                            "record -p ray_events --geometry -- %.160s",
                            path, kind->name, program);
    for (size_t i = 0; kind->passes[i] != NULL; ++i)
        if (!overview->has_info || has_pass(overview, kind->passes[i]))
            return true;
    join_passes(kind, passes, sizeof(passes));
    return ws_error_set(error,
                        "'%s' was recorded without pass %s, which %s needs; record it with: warpscope record "
                        "-p %s -- %.160s",
                        path, passes, kind->name, kind->passes[0], program);
}
