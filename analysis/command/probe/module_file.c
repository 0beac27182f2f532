/* SPIR-V modules, and other words, in files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/probe/module_file.h"
#include "analysis/output/staging.h"
#include "warpscope/base/text.h"
#include "warpscope/capture.h"

/* The magic number in either order of bytes. */
const struct ws_file_kind ws_module_kind = {"\x03\x02#\x07*\n\x07#\x02\x03*", NULL};
const struct ws_file_kind ws_compiled_probe_kind = {"WSPB*", NULL};

uint32_t *ws_module_read(const char *path, size_t *word_count, struct ws_error *error)
{
    FILE *file = fopen(path, "rbe");
    uint32_t *words = NULL;
    size_t capacity = 0;
    size_t size = 0;
    if (file == NULL) {
        ws_error_set(error, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    for (size_t got = 1; got > 0; size += got) {
        if (size > WS_CHUNK_MAX) { /* no capture could hold it; and /dev/zero has no end */
            ws_error_set(error, "'%s' is no SPIR-V module: it has more than %u MiB", path,
                         WS_CHUNK_MAX >> 20);
            goto error;
        }
        if (size == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1u << 16;
            uint32_t *larger = realloc(words, capacity);
            if (larger == NULL) {
                ws_error_set(error, "no memory for '%s'", path);
                goto error;
            }
            words = larger;
        }
        got = fread((char *)words + size, 1, capacity - size, file);
    }
    if (ferror(file)) {
        ws_error_set(error, "cannot read '%s': %s", path, strerror(errno));
        goto error;
    }
    if (size == 0 || size % 4 != 0) {
        ws_error_set(error, "'%s' is no SPIR-V module: its %zu byte%s not whole words", path, size,
                     size == 1 ? " is" : "s are");
        goto error;
    }
    fclose(file);
    *word_count = size / 4;
    return words;
error:
    fclose(file);
    free(words);
    return NULL;
}

bool ws_words_write(const char *path, const uint32_t *words, size_t word_count, struct ws_error *error)
{
    struct ws_staging staging;
    FILE *file = ws_staging_open(&staging, path, error);
    if (file == NULL)
        return false;
    fwrite(words, sizeof(*words), word_count, file); /* a failure stays with the stream */
    return ws_staging_close(&staging, file, true, true, error);
}
