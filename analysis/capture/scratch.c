#include "warpscope/capture/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFER ((size_t)1 << 20)

void ws_scratch_init(struct ws_scratch *scratch)
{
    memset(scratch, 0, sizeof(*scratch));
    scratch->file = -1;
}

void ws_scratch_finish(struct ws_scratch *scratch)
{
    if (scratch->mapping != NULL)
        munmap((void *)(uintptr_t)scratch->mapping, scratch->size);
    if (scratch->file >= 0)
        close(scratch->file);
    free(scratch->buffer);
    ws_scratch_init(scratch);
}

int ws_scratch_open(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    /* Not every file system has such files. */
    char path[4096];
    if ((size_t)snprintf(path, sizeof(path), "%s/warpscope-XXXXXX", folder) >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        unlink(path);
    return named;
}

bool ws_scratch_write(int file, const uint8_t *bytes, size_t size, uint64_t offset)
{
    while (size > 0) {
        const ssize_t written = pwrite(file, bytes, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return true;
}

bool ws_scratch_refuse(const char *what, struct ws_error *error)
{
    const char *remedy = errno == ENOSPC || errno == EDQUOT ? "; set TMPDIR to a folder with more room"
                         : errno == EFBIG ? "; raise the limit on the size of files (ulimit -f)"
                                          : "";
    return ws_error_set(error, "cannot keep %s in a temporary file: %s%s", what, strerror(errno), remedy);
}

static bool flush(struct ws_scratch *scratch)
{
    if (scratch->file < 0)
        scratch->file = ws_scratch_open();
    if (scratch->file < 0 || !ws_scratch_write(scratch->file, scratch->buffer, scratch->buffered,
                                               scratch->size - scratch->buffered))
        return false;
    scratch->buffered = 0;
    return true;
}

bool ws_scratch_add(struct ws_scratch *scratch, const void *bytes, size_t size, const char *what,
                    struct ws_error *error)
{
    const uint8_t *next = bytes;
    if (scratch->buffer == NULL)
        scratch->buffer = malloc(BUFFER);
    if (scratch->buffer == NULL)
        return ws_error_set(error, "no memory for %s", what);
    while (size > 0) {
        const size_t step = size < BUFFER - scratch->buffered ? size : BUFFER - scratch->buffered;
        memcpy(scratch->buffer + scratch->buffered, next, step);
        scratch->buffered += step;
        scratch->size += step;
        next += step;
        size -= step;
        if (scratch->buffered == BUFFER && !flush(scratch))
            return ws_scratch_refuse(what, error);
    }
    return true;
}

bool ws_scratch_map(struct ws_scratch *scratch, const char *what, struct ws_error *error)
{
    if (scratch->size == 0)
        return true;
    if (!flush(scratch))
        return ws_scratch_refuse(what, error);
    free(scratch->buffer);
    scratch->buffer = NULL;
    void *mapping = mmap(NULL, scratch->size, PROT_READ, MAP_SHARED, scratch->file, 0);
    if (mapping == MAP_FAILED)
        return ws_scratch_refuse(what, error);
    scratch->mapping = mapping;
    return true;
}
