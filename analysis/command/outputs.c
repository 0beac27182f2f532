/* What stands where a command is to write (command.h). */
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

bool ws_output_check(const char *path, const char *what, struct ws_error *error)
{
    return ws_what_is_there(path) != WS_THERE_CAPTURE ||
           ws_error_set(error, "%s would overwrite the capture '%s': name another file", what, path);
}
