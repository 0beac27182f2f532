/* What stands where a command is to write (command.h). */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/command/command.h"
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

/* Whether a file begins as one of the patterns says. */
static bool is_of_kind(const char *path, const char *kinds)
{
    char start[WS_OUTPUT_KIND_SIZE];
    char kind[WS_OUTPUT_KIND_SIZE];
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return false;
    const size_t size = fread(start, 1, sizeof(start) - 1, file);
    fclose(file);
    start[size] = '\0';
    for (size_t length = 0; *kinds != '\0'; kinds += length + (kinds[length] == '\n')) {
        length = strcspn(kinds, "\n");
        snprintf(kind, sizeof(kind), "%.*s", (int)length, kinds);
        if (fnmatch(kind, start, 0) == 0)
            return true;
    }
    return false;
}

bool ws_output_check(const char *path, const char *what, const char *kind, struct ws_error *error)
{
    struct stat status;
    switch (ws_what_is_there(path)) {
    case WS_THERE_CAPTURE:
        return ws_error_set(error, "%s would overwrite the capture '%s': name another file", what, path);
    case WS_THERE_OTHER:
        /* What is no file, such as a pipe, is written into. */
        return kind == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
               is_of_kind(path, kind) ||
               ws_error_set(error,
                            "%s would overwrite '%s', which is there and is of another kind: name another "
                            "file, or remove it",
                            what, path);
    default: return true;
    }
}
