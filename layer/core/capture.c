#include "layer/core/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer/core/blob.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/settings.h"

#define NANOSECONDS UINT64_C(1000000000)

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER; /* guards opening, users and closing */
static struct ws_capture *_Atomic current;

static void destroy(struct ws_capture *capture)
{
    if (capture == NULL)
        return;
    ws_capture_writer_destroy(capture->writer);
    ws_blobs_destroy(capture->blobs);
    if (capture->lock >= 0)
        close(capture->lock);
    free(capture->path);
    free(capture);
}

/* `pattern` with its %n, %p and %% filled in, to be freed; NULL when there is no memory. */
static char *expand(const char *pattern)
{
    char *path = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&path, &size);
    if (out == NULL)
        return NULL;
    for (const char *c = pattern; *c != '\0'; c++) {
        if (c[0] != '%' || (c[1] != 'n' && c[1] != 'p' && c[1] != '%')) {
            fputc(*c, out);
            continue;
        }
        c++;
        if (*c == 'n')
            fputs(program_invocation_short_name, out);
        else if (*c == 'p')
            fprintf(out, "%d", (int)getpid());
        else
            fputc('%', out);
    }
    if (fclose(out) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

/* `path` with the process id before its extension, to be freed; NULL when there is no memory. */
static char *with_process(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *extension = strrchr(name != NULL ? name : path, '.');
    const int stem = (int)(extension != NULL ? extension - path : (ptrdiff_t)strlen(path));
    char *result = NULL;
    if (asprintf(&result, "%.*s.%d%s", stem, path, (int)getpid(), extension != NULL ? extension : "") < 0)
        return NULL;
    return result;
}

/* True when `file` was written since the run began, as far as that is known. */
static bool younger_than_run(const struct stat *file)
{
    const char *start = getenv("WARPSCOPE_RUN_START");
    if (start == NULL || file->st_size == 0)
        return false;
    const uint64_t written = (uint64_t)file->st_mtim.tv_sec * NANOSECONDS + (uint64_t)file->st_mtim.tv_nsec;
    return written >= strtoull(start, NULL, 10);
}

/* Locks the capture's file for this process. False, with capture->lock -1, when it belongs to another;
 * false and `error` when it cannot be opened. */
static bool lock_file(struct ws_capture *capture, struct ws_error *error)
{
    struct stat file;
    capture->lock = open(capture->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (capture->lock < 0)
        return ws_error_set(error, "cannot write the capture %s: %s", capture->path, strerror(errno));
    /* What cannot be locked (a file system without locks, a pipe) is taken as free. */
    const bool busy = flock(capture->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!busy && (fstat(capture->lock, &file) != 0 || !S_ISREG(file.st_mode) || !younger_than_run(&file)))
        return true;
    close(capture->lock);
    capture->lock = -1;
    return false;
}

static bool open_file(struct ws_capture *capture, const struct ws_instance *instance, struct ws_error *error)
{
    capture->path = expand(instance->settings->output);
    if (capture->path == NULL)
        return ws_error_set(error, "out of memory");
    if (!lock_file(capture, error)) {
        if (error->message[0] != '\0')
            return false;
        char *other = with_process(capture->path);
        if (other == NULL)
            return ws_error_set(error, "out of memory");
        free(capture->path);
        capture->path = other;
        capture->renamed = true;
        if (!lock_file(capture, error))
            return ws_error_set(error, "the capture %s belongs to another process", capture->path);
    }
    capture->writer = ws_capture_writer_create(capture->path, error);
    return capture->writer != NULL;
}

/* The command line of this process: `text` holds the arguments, each ended by a NUL. */
static uint32_t read_arguments(char *text, size_t size, const char **arguments, uint32_t capacity)
{
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    uint32_t count = 0;
    if (length <= 0)
        return 0;
    text[length] = '\0';
    for (const char *c = text; c < text + length && count < capacity; c += strlen(c) + 1)
        arguments[count++] = c;
    return count;
}

static bool write_info(struct ws_capture *capture, const struct ws_instance *instance, struct ws_error *error)
{
    char text[16384];
    const char *arguments[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct ws_settings *settings = instance->settings;
    const struct ws_chunk_info info = {
        .version = WS_VERSION,
        .application = instance->application_name,
        .engine = instance->engine_name,
        .arguments = arguments,
        .argument_count =
            read_arguments(text, sizeof(text), arguments, sizeof(arguments) / sizeof(arguments[0])),
        .process_id = (uint32_t)getpid(),
        .start = (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec,
        .passes = settings->passes,
        .pass_count = (uint32_t)settings->pass_count,
        .settings = settings->pairs,
        .setting_count = (uint32_t)settings->pair_count,
    };
    return ws_capture_write_info(capture->writer, &info, error);
}

static struct ws_capture *create(const struct ws_instance *instance, struct ws_error *error)
{
    struct ws_capture *capture = calloc(1, sizeof(*capture));
    if (capture == NULL) {
        ws_error_set(error, "out of memory");
        return NULL;
    }
    capture->lock = -1;
    capture->process = (int)getpid();
    capture->blobs = ws_blobs_create();
    if (capture->blobs == NULL) {
        ws_error_set(error, "out of memory");
        destroy(capture);
        return NULL;
    }
    if (!open_file(capture, instance, error) || !write_info(capture, instance, error)) {
        destroy(capture);
        return NULL;
    }
    return capture;
}

struct ws_capture *ws_capture_acquire(struct ws_instance *instance, struct ws_error *error)
{
    pthread_mutex_lock(&capture_lock);
    struct ws_capture *capture = atomic_load(&current);
    /* A fork's child drops its parent's capture without touching it: the file is the parent's. */
    const bool first = capture == NULL || capture->process != (int)getpid();
    if (first) {
        capture = create(instance, error);
        atomic_store(&current, capture);
    }
    if (capture != NULL)
        capture->users++;
    pthread_mutex_unlock(&capture_lock);
    if (first && capture != NULL && capture->renamed)
        ws_message(instance, WS_INFORMATION,
                   "another process of this run has the capture; this one writes %s", capture->path);
    return capture;
}

void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error)
{
    if (!written && error->message[0] != '\0')
        ws_message(instance, WS_ERROR, "%s", error->message);
}

static void write_done(struct ws_capture *capture)
{
    const struct ws_chunk_done done = {
        .submissions = atomic_load(&capture->submissions),
        .launches = atomic_load(&capture->launches),
        .frames = atomic_load(&capture->frames),
        .outside = atomic_load(&capture->outside),
    };
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_done(capture->writer, &done, &error), &error);
}

void ws_capture_release(struct ws_capture *capture)
{
    if (capture == NULL || capture->process != (int)getpid())
        return;
    pthread_mutex_lock(&capture_lock);
    const bool last = --capture->users == 0;
    pthread_mutex_unlock(&capture_lock);
    if (last)
        write_done(capture);
}

bool ws_capture_is_here(void)
{
    const struct ws_capture *capture = atomic_load(&current);
    return capture != NULL && capture->process == (int)getpid();
}

void ws_capture_finish(void)
{
    struct ws_capture *capture = atomic_load(&current);
    if (!ws_capture_is_here())
        return;
    /* With devices left, threads of the application may still be writing: then the system closes it. */
    if (capture->users > 0) {
        write_done(capture);
        return;
    }
    atomic_store(&current, NULL);
    destroy(capture);
}

void ws_capture_skip_sites(struct ws_capture *capture, uint32_t module, const struct ws_skip_info *skip)
{
    const struct ws_chunk_skip chunk = {
        .kind = WS_SKIP_SITE,
        .id = module,
        .pass = skip->pass,
        .offset = skip->offset,
        .count = skip->count,
        .reason = skip->reason,
        .entries = skip->entries,
        .entry_count = skip->entry_count,
    };
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_skip(capture->writer, &chunk, &error), &error);
}

void ws_capture_skip(struct ws_capture *capture, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    const struct ws_chunk_skip skip = {
        .kind = kind, .id = id, .pass = pass, .offset = offset, .count = count, .reason = reason};
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_skip(capture->writer, &skip, &error), &error);
}

void ws_capture_message(enum ws_severity severity, const char *text)
{
    const struct ws_capture *capture = atomic_load(&current);
    if (!ws_capture_is_here())
        return;
    const struct ws_chunk_message message = {.severity = severity, .text = text};
    struct ws_error error = {0};
    /* Not said by ws_message, which would come back here with it. */
    if (!ws_capture_write_message(capture->writer, &message, &error) && error.message[0] != '\0')
        fprintf(stderr, "warpscope: %s\n", error.message);
}

void ws_capture_name(struct ws_capture *capture, enum ws_name_kind kind, uint32_t id, const char *name)
{
    const struct ws_chunk_name chunk = {.kind = kind, .id = id, .name = name};
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_name(capture->writer, &chunk, &error), &error);
}
