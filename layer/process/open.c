#include "layer/process/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "passes/base/shared_folder.h"

/* Ours begin at three quarters of what the process may open, and of this at most: a very high number would
 * make the kernel's table of descriptors large. */
#define NUMBERS_MOST 1024

/* The standard streams that are closed, occupied for a moment by descriptors that can neither be read nor
 * written (O_PATH), so that whoever uses such a stream meanwhile still fails. Without this, a file would have
 * its number for a moment. */
struct plugs {
    int numbers[STDERR_FILENO + 1];
    int count;
};

static void plug(struct plugs *plugs)
{
    plugs->count = 0;
    while (plugs->count <= STDERR_FILENO) {
        const int number = open("/", O_PATH | O_CLOEXEC);
        if (number < 0)
            return;
        if (number > STDERR_FILENO) {
            close(number);
            return;
        }
        plugs->numbers[plugs->count++] = number;
    }
}

/* Another thread may have made its own of the number, by dup2: then it stays. */
static void unplug(const struct plugs *plugs)
{
    for (int i = 0; i < plugs->count; i++) {
        const int flags = fcntl(plugs->numbers[i], F_GETFL);
        if (flags >= 0 && (flags & O_PATH) != 0)
            close(plugs->numbers[i]);
    }
}

/* The same file at a high number. Where there is none left, it stays where it is. */
static int raise_number(int low)
{
    struct rlimit limit;
    rlim_t most = NUMBERS_MOST;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most)
        most = limit.rlim_cur;
    const int high = fcntl(low, F_DUPFD_CLOEXEC, (int)(most / 4 * 3));
    if (high < 0)
        return low;
    close(low);
    return high;
}

static int open_high(const char *path, int flags, mode_t mode)
{
    struct plugs plugs;
    plug(&plugs);
    const int low = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
    const int reason = errno;
    const int high = low >= 0 ? raise_number(low) : -1;
    unplug(&plugs);
    errno = reason;
    return high;
}

int ws_open_to_read(const char *path)
{
    const int file = open_high(path, O_RDONLY | O_NONBLOCK, 0);
    if (file >= 0)
        fcntl(file, F_SETFL, O_RDONLY);
    return file;
}

int ws_open_to_share(const char *path)
{
    return open_high(path, O_RDWR | O_NONBLOCK, 0);
}

/* In a folder that others can write. */
static int open_shared(const char *path, int flags, mode_t mode, const char **why)
{
    struct stat status;
    flags |= O_NOFOLLOW;
    int file = open_high(path, flags | O_CREAT | O_EXCL, mode);
    if (file >= 0 || errno != EEXIST)
        return file;
    file = open_high(path, flags, 0);
    if (file < 0 && errno == ELOOP && lstat(path, &status) == 0)
        *why = ws_shared_file_refusal(&status);
    else if (file >= 0 && fstat(file, &status) == 0)
        *why = ws_shared_file_refusal(&status);
    if (file >= 0 && *why != NULL) {
        close(file);
        return -1;
    }
    return file;
}

/* Without O_NONBLOCK, a named pipe that nobody reads would stop the application. Later writes wait for a
 * reader that is slow, as writes into a pipe do. */
int ws_open_to_write(const char *path, mode_t mode, const char **why)
{
    const int flags = O_WRONLY | O_NONBLOCK;
    *why = NULL;
    const int file = ws_folder_is_shared(path) ? open_shared(path, flags, mode, why)
                                               : open_high(path, flags | O_CREAT, mode);
    if (file >= 0)
        fcntl(file, F_SETFL, O_WRONLY);
    else if (*why == NULL)
        *why = errno == ENXIO ? "nobody reads this pipe" : strerror(errno);
    return file;
}

FILE *ws_stream_to_read(const char *path)
{
    const int file = ws_open_to_read(path);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (stream == NULL && file >= 0)
        close(file);
    return stream;
}
