#include "layer/process/write.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer/process/open.h"

/* A write can raise signals that would end the application: SIGXFSZ at the file size limit, SIGPIPE where the
 * reader of a pipe is gone. So they are blocked for the thread during the write, and removed if the write
 * raised them. The write then fails with EFBIG or EPIPE instead. */
static void block_write_signals(sigset_t *signals, sigset_t *before, sigset_t *pending)
{
    sigemptyset(signals);
    sigaddset(signals, SIGXFSZ);
    sigaddset(signals, SIGPIPE);
    sigpending(pending);
    pthread_sigmask(SIG_BLOCK, signals, before);
}

static void unblock_write_signals(sigset_t *signals, const sigset_t *before, const sigset_t *pending)
{
    /* A signal that was pending before the write belongs to the application. */
    if (sigismember(pending, SIGXFSZ) == 1)
        sigdelset(signals, SIGXFSZ);
    if (sigismember(pending, SIGPIPE) == 1)
        sigdelset(signals, SIGPIPE);
    const struct timespec at_once = {0};
    while (sigtimedwait(signals, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* 0, or errno. */
static int write_bytes(int descriptor, const char *at, size_t size)
{
    int failure = 0;
    while (size > 0 && failure == 0) {
        ssize_t written = write(descriptor, at, size);
        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written == 0) {
            failure = ENOSPC;
        } else if (errno != EINTR) {
            failure = errno;
        }
    }
    return failure;
}

static bool write_all(int descriptor, const void *data, size_t size, bool raises)
{
    sigset_t signals, before, pending;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (raises)
        block_write_signals(&signals, &before, &pending);
    const int failure = write_bytes(descriptor, data, size);
    if (raises)
        unblock_write_signals(&signals, &before, &pending);
    pthread_setcancelstate(cancel_state, NULL);
    errno = failure;
    return failure == 0;
}

bool ws_write_all(int descriptor, const void *data, size_t size)
{
    return write_all(descriptor, data, size, true);
}

/* The limit is asked for each time: the program may lower it. That costs one call of the system instead of four. */
bool ws_write_at_end(int descriptor, off_t end, const void *data, size_t size)
{
    struct rlimit limit;
    const bool known = getrlimit(RLIMIT_FSIZE, &limit) == 0;
    const bool fits = known && limit.rlim_cur >= size && limit.rlim_cur - size >= (rlim_t)end;
    return write_all(descriptor, data, size, !fits);
}

bool ws_write_file(const char *path, const void *data, size_t size, const char **why)
{
    const int file = ws_open_to_write(path, 0666, why);
    struct stat status;
    if (file < 0)
        return false;
    const bool is_regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    bool written = (!is_regular || ftruncate(file, 0) == 0) && ws_write_all(file, data, size);
    int failure = written ? 0 : errno;
    if (close(file) != 0 && written) {
        written = false;
        failure = errno;
    }
    if (!written && is_regular)
        unlink(path);
    if (!written)
        *why = strerror(failure);
    return written;
}

static bool has_standard_error;

__attribute__((constructor)) static void look_for_standard_error(void)
{
    has_standard_error = fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

void ws_print(const char *text)
{
    if (has_standard_error)
        ws_write_all(STDERR_FILENO, text, strlen(text));
}
