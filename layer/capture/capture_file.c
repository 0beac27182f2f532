#include "layer/capture/capture_file.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "layer/process/open.h"
#include "layer/process/process_id.h"
#include "layer/process/write.h"
#include "warpscope/capture.h"

/* Whether the descriptor still is what was opened. */
static bool is_open(const struct ws_capture_file *file)
{
    struct stat status;
    return file->descriptor >= 0 && fstat(file->descriptor, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode;
}

/* The same, and by this process. */
static bool is_ours(const struct ws_capture_file *file)
{
    return file->process == ws_process_id() && is_open(file);
}

/* Whether the file may be replaced: it is empty, or begins as a capture does. It is open for writing only, so it is
 * opened once more. */
static bool is_replaceable(const char *path, const struct stat *status)
{
    char magic[WS_CAPTURE_MAGIC_SIZE];
    struct stat opened;
    if (!S_ISREG(status->st_mode) || status->st_size == 0)
        return true;
    const int file = ws_open_to_read(path);
    const bool same = file >= 0 && fstat(file, &opened) == 0 && opened.st_dev == status->st_dev &&
                      opened.st_ino == status->st_ino;
    const ssize_t size = same ? read(file, magic, sizeof(magic)) : 0;
    if (file >= 0)
        close(file);
    return size > 0 && memcmp(magic, WS_CAPTURE_MAGIC, (size_t)size) == 0;
}

bool ws_capture_file_open(struct ws_capture_file *file, const char *path, struct stat *status,
                          struct ws_error *error)
{
    const char *why = NULL;
    *file = (struct ws_capture_file){.descriptor = ws_open_to_write(path, S_IRUSR | S_IWUSR, &why)};
    if (file->descriptor < 0)
        return ws_error_set(error, "cannot write the capture '%s': %s", path, why);
    if (fstat(file->descriptor, status) != 0) {
        ws_error_set(error, "cannot write the capture '%s': %s", path, strerror(errno));
        close(file->descriptor);
        file->descriptor = -1;
        return false;
    }
    file->process = ws_process_id();
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->regular = S_ISREG(status->st_mode);
    /* What cannot be locked (a file system without locks, a pipe) is taken as free. */
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ws_capture_file_close(file);
        return false;
    }
    if (is_replaceable(path, status))
        return true;
    ws_capture_file_close(file);
    return ws_error_set(
        error, "cannot write the capture '%s': that file is no capture, and is left alone; name another",
        path);
}

bool ws_capture_file_clear(struct ws_capture_file *file)
{
    if (!file->regular)
        return true;
    /* Where it belongs to another, or the umask says otherwise, it stays readable for others. */
    const int owned = fchmod(file->descriptor, S_IRUSR | S_IWUSR);
    (void)owned;
    return ftruncate(file->descriptor, 0) == 0;
}

/* Without the part of a chunk at its end, the file does not look as if the program had died. A pipe cannot be
 * cut, which does no other harm. */
static void cut(const struct ws_capture_file *file)
{
    const int result = file->regular && is_ours(file) ? ftruncate(file->descriptor, file->size) : 0;
    (void)result;
}

const char *ws_capture_file_append(struct ws_capture_file *file, const void *chunk, size_t size)
{
    if (file->process != ws_process_id())
        return "it belongs to the process that this one was forked from";
    if (!is_open(file))
        return "the program closed its descriptor";
    if (file->regular ? ws_write_at_end(file->descriptor, file->size, chunk, size)
                      : ws_write_all(file->descriptor, chunk, size)) {
        file->size += (off_t)size;
        return NULL;
    }
    const char *why =
        errno == EFBIG ? "File too large (ulimit -f says how large files may be)" : strerror(errno);
    cut(file);
    return why;
}

void ws_capture_file_close(struct ws_capture_file *file)
{
    if (is_ours(file))
        close(file->descriptor);
    file->descriptor = -1;
}
