#include "layer/capture/capture_file.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "layer/process/open.h"
#include "layer/process/write.h"

/* Whether the descriptor still is what was opened, by this process. */
static bool is_ours(const struct ws_capture_file *file)
{
    struct stat status;
    return file->descriptor >= 0 && file->process == (int)getpid() && fstat(file->descriptor, &status) == 0 &&
           status.st_dev == file->device && status.st_ino == file->inode;
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
    file->process = (int)getpid();
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->regular = S_ISREG(status->st_mode);
    /* What cannot be locked (a file system without locks, a pipe) is taken as free. */
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ws_capture_file_close(file);
        return false;
    }
    return true;
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
    if (file->process != (int)getpid())
        return "it belongs to the process that this one was forked from";
    if (!is_ours(file))
        return "the program closed its descriptor";
    if (ws_write_all(file->descriptor, chunk, size)) {
        file->size += (off_t)size;
        return NULL;
    }
    const char *why = strerror(errno);
    cut(file);
    return why;
}

void ws_capture_file_close(struct ws_capture_file *file)
{
    if (is_ours(file))
        close(file->descriptor);
    file->descriptor = -1;
}
