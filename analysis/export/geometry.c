#include "analysis/export/geometry.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file of the folder, which `write` fills: false = no memory. */
static bool write_file(const struct ws_scene *scene, uint32_t build, struct ws_geometry_export *export,
                       const char *name, struct ws_error *error)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", export->folder, name) >= sizeof(path))
        return ws_error_set(error, "the name of the folder '%.200s' is too long", export->folder);
    FILE *stream = fopen(path, "we");
    if (stream == NULL)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    bool written = true;
    errno = 0;
    if (scene->builds[build].top)
        ws_export_tlas(scene, build, &export->left_out, stream);
    else
        written = ws_export_obj(scene, build, &export->left_out, stream);
    if (!written)
        ws_error_set(error, "no memory to write '%s'", path);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(errno != 0 ? errno : EIO));
    return written;
}

/* Each content of bottom-level structures, by the first build that has it. */
static bool write_bottoms(const struct ws_scene *scene, struct ws_geometry_export *export,
                          struct ws_error *error)
{
    bool *seen = calloc((size_t)scene->content_count + 1, sizeof(*seen));
    bool written = seen != NULL || ws_error_set(error, "no memory to write the geometry");
    for (uint32_t i = 0; i < scene->build_count && written; ++i) {
        const struct ws_scene_build *build = &scene->builds[i];
        char name[32];
        if (build->top || seen[build->content])
            continue;
        seen[build->content] = true;
        snprintf(name, sizeof(name), "blas_%" PRIu32 ".obj", build->content);
        written = write_file(scene, i, export, name, error);
        export->objs += written ? 1 : 0;
    }
    free(seen);
    return written;
}

static bool write_tops(const struct ws_scene *scene, struct ws_geometry_export *export,
                       struct ws_error *error)
{
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const uint32_t build = ws_scene_build_at(scene, i, export->launch);
        char name[32];
        if (build == WS_NONE || !scene->builds[build].top)
            continue;
        snprintf(name, sizeof(name), "tlas_%" PRIu32 ".txt", scene->structures[i].id);
        if (!write_file(scene, build, export, name, error))
            return false;
        export->tops++;
    }
    return true;
}

bool ws_export_geometry(const struct ws_scene *scene, struct ws_geometry_export *export,
                        struct ws_error *error)
{
    if (mkdir(export->folder, 0777) != 0 && errno != EEXIST)
        return ws_error_set(error, "cannot make the folder '%s': %s", export->folder, strerror(errno));
    return write_bottoms(scene, export, error) && write_tops(scene, export, error);
}
