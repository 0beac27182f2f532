/* What stands where a command is to write (command.h). */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/command/command.h"
#include "analysis/output/file_kind.h"
#include "analysis/output/staging.h"
#include "warpscope/capture.h"

enum ws_there ws_what_is_there(const char *path)
{
    char magic[WS_CAPTURE_MAGIC_SIZE];
    struct stat status;
    if (stat(path, &status) != 0)
        return WS_THERE_NOTHING;
    if (!S_ISREG(status.st_mode)) /* reading a pipe would take what is in it */
        return WS_THERE_OTHER;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return WS_THERE_NOTHING;
    const size_t size = fread(magic, 1, sizeof(magic), file);
    const bool is_empty = size == 0 && feof(file);
    fclose(file);
    if (is_empty)
        return WS_THERE_EMPTY;
    return size > 0 && memcmp(magic, WS_CAPTURE_MAGIC, size) == 0 ? WS_THERE_CAPTURE : WS_THERE_OTHER;
}

/* The folder that a path is in, "." for a bare name; returns the name in it. */
static const char *split(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, PATH_MAX, ".");
    else
        snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash != NULL ? slash + 1 : path;
}

bool ws_output_is(const char *path, const char *other)
{
    char folders[2][PATH_MAX];
    struct stat at[2];
    const char *name = split(path, folders[0]);
    const char *other_name = split(other, folders[1]);
    if (strcmp(path, other) == 0)
        return true;
    return strcmp(name, other_name) == 0 && stat(folders[0], &at[0]) == 0 && stat(folders[1], &at[1]) == 0 &&
           at[0].st_dev == at[1].st_dev && at[0].st_ino == at[1].st_ino;
}

static bool is_of_kind(const char *path, const struct ws_file_kind *const kinds[WS_OUTPUT_KINDS])
{
    bool is = false;
    for (size_t i = 0; !is && i < WS_OUTPUT_KINDS && kinds[i] != NULL; ++i)
        is = ws_file_is_of(path, kinds[i]);
    return is;
}

bool ws_output_check(const char *path, const char *what,
                     const struct ws_file_kind *const kinds[WS_OUTPUT_KINDS], struct ws_error *error)
{
    struct stat status;
    switch (ws_what_is_there(path)) {
    case WS_THERE_CAPTURE:
        return ws_error_set(error, "%s would overwrite the capture '%s': name another file", what, path);
    case WS_THERE_OTHER:
        /* What is no file, such as a pipe, is written into. */
        return stat(path, &status) != 0 || !S_ISREG(status.st_mode) || is_of_kind(path, kinds) ||
               ws_error_set(error,
                            "%s would overwrite '%s', which is there and is of another kind: name another "
                            "file, or remove it",
                            what, path);
    default: return ws_staging_check_link(path, error);
    }
}
