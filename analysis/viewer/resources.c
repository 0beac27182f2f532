/* Every resource of the viewer's page. */
#include <string.h>

#include "analysis/viewer/viewer.h"

/* A new resource is one more line here: X(name), for the struct ws_viewer_resource named ws_viewer_resource_<name>. */
#define RESOURCES(X)                                                                                         \
    X(capture)                                                                                               \
    X(diff)                                                                                                  \
    X(mesh)                                                                                                  \
    X(picture)                                                                                               \
    X(pictures)                                                                                              \
    X(points)                                                                                                \
    X(rates)                                                                                                 \
    X(ray)                                                                                                   \
    X(rays)                                                                                                  \
    X(rays_facts)                                                                                            \
    X(report)                                                                                                \
    X(scene)                                                                                                 \
    X(schema)                                                                                                \
    X(shader)                                                                                                \
    X(shaders)                                                                                               \
    X(summary)                                                                                               \
    X(thread)                                                                                                \
    X(touched)

#define DECLARE(name) extern const struct ws_viewer_resource ws_viewer_resource_##name;
RESOURCES(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_viewer_resource_##name,
static const struct ws_viewer_resource *const resources[] = {RESOURCES(ADDRESS) NULL};
#undef ADDRESS

const struct ws_viewer_resource *const *ws_viewer_resources(void)
{
    return resources;
}

const struct ws_viewer_resource *ws_viewer_resource_find(const char *name)
{
    for (size_t i = 0; resources[i] != NULL; ++i)
        if (strcmp(resources[i]->name, name) == 0)
            return resources[i];
    return NULL;
}
