#include "layer/memory/address_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer/process/open.h"
#include "layer/process/write.h"

/* The first line of the file: raised when its second line changes. */
#define HEADER "warpscope root address 1\n"

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool folder(char *path, size_t size)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    int length;
    /* The XDG base directory specification: a relative path is to be ignored. */
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, size, "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, size, "%s/.cache", home);
    else
        return false;
    return length > 0 && (size_t)length < size;
}

static bool file_path(const struct ws_address_key *key, bool create, char *path, size_t size)
{
    char base[PATH_MAX];
    if (!folder(base, sizeof(base)))
        return false;
    char uuids[4 * VK_UUID_SIZE + 1];
    for (size_t i = 0; i < VK_UUID_SIZE; i++) {
        snprintf(&uuids[2 * i], 3, "%02x", key->device[i]);
        snprintf(&uuids[2 * (VK_UUID_SIZE + i)], 3, "%02x", key->driver[i]);
    }
    int length = snprintf(path, size, "%s/warpscope", base);
    if (length < 0 || (size_t)length >= size)
        return false;
    if (create && (!make_folder(base) || !make_folder(path)))
        return false;
    length = snprintf(path, size, "%s/warpscope/root-%s-%" PRIu32, base, uuids, key->ordinal);
    return length > 0 && (size_t)length < size;
}

bool ws_address_cache_load(const struct ws_address_key *key, struct ws_root_addresses *addresses)
{
    char path[PATH_MAX];
    if (!file_path(key, false, path, sizeof(path)))
        return false;
    FILE *file = ws_stream_to_read(path);
    if (file == NULL)
        return false;
    char header[sizeof(HEADER)];
    const bool valid = fgets(header, sizeof(header), file) != NULL && strcmp(header, HEADER) == 0 &&
                       fscanf(file, "%" SCNx64 " %" SCNx64, &addresses->buffer, &addresses->memory) == 2 &&
                       addresses->buffer != 0;
    fclose(file);
    return valid;
}

void ws_address_cache_store(const struct ws_address_key *key, const struct ws_root_addresses *addresses)
{
    char path[PATH_MAX];
    char temporary[PATH_MAX];
    if (!file_path(key, true, path, sizeof(path)))
        return;
    char text[sizeof(HEADER) + 2 * sizeof("ffffffffffffffff")];
    const int length = snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof(temporary))
        return;
    const int size = snprintf(text, sizeof(text), HEADER "%" PRIx64 " %" PRIx64 "\n", addresses->buffer,
                              addresses->memory);
    const char *why;
    if (ws_write_file(temporary, text, (size_t)size, &why) && rename(temporary, path) != 0)
        unlink(temporary);
}
