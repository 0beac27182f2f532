#include "analysis/output/file_kind.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool begins_as(const char *start, const char *patterns)
{
    char pattern[256];
    for (size_t length = 0; *patterns != '\0'; patterns += length + (patterns[length] == '\n')) {
        length = strcspn(patterns, "\n");
        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, patterns);
        if (fnmatch(pattern, start, 0) == 0)
            return true;
    }
    return false;
}

bool ws_file_is_of(const char *path, const struct ws_file_kind *kind)
{
    char bytes[WS_FILE_KIND_SIZE + 1];
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return false;
    size_t size = fread(bytes, 1, WS_FILE_KIND_SIZE, file);
    bytes[size] = '\0';
    bool is = begins_as(bytes, kind->begins);
    if (is && kind->writer != NULL && memmem(bytes, size, kind->writer, strlen(kind->writer)) == NULL) {
        const bool at_end = fseek(file, -WS_FILE_KIND_SIZE, SEEK_END) == 0;
        size = at_end ? fread(bytes, 1, WS_FILE_KIND_SIZE, file) : 0;
        is = memmem(bytes, size, kind->writer, strlen(kind->writer)) != NULL;
    }
    fclose(file);
    return is;
}
