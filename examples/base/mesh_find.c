#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "examples/base/mesh.h"

/* The path of the OBJ file of a mesh that came with the build: <folder of this program>/meshes/<name>.obj.
 * False when the folder's name is not to be had. */
static bool mesh_path(const char *name, char path[PATH_MAX])
{
    char program[PATH_MAX - 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    if (length <= 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return snprintf(path, PATH_MAX, "%s/meshes/%s.obj", program, name) < PATH_MAX;
}

bool ws_mesh_find(struct ws_mesh *mesh, const char *name, struct ws_error *error)
{
    char path[PATH_MAX];

    if (strcmp(name, "knot") == 0)
        return ws_mesh_knot(mesh, error);
    if (strpbrk(name, "./") != NULL)
        return ws_mesh_load(mesh, name, error);
    if (mesh_path(name, path) && access(path, R_OK) == 0)
        return ws_mesh_load(mesh, path, error);
    return ws_error_set(error,
                        "there is no mesh \"%s\": name knot, an OBJ file, or one of the meshes that "
                        "scripts/setup test fetches before the build is configured: bunny, teapot, dragon",
                        name);
}
