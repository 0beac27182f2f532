#include "layer/core/capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer/capture/capture_file.h"
#include "layer/core/blob.h"
#include "layer/core/captured_image.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/probes.h"
#include "layer/core/selection.h"
#include "layer/core/settings.h"
#include "layer/process/lock.h"
#include "layer/process/open.h"
#include "layer/process/process_id.h"

#define NANOSECONDS UINT64_C(1000000000)

/* From so many nanoseconds on it is said that the program had to wait for the capture. */
#define WAITED_LEAST (NANOSECONDS / 2)

/* Each capture gets one of so many names at most: more instances with different settings are not captured. */
#define NAMES_MOST 100

static pthread_mutex_t capture_lock = WS_LOCK_INITIALIZER; /* guards opening and users */
static struct ws_capture *_Atomic captures;                /* the newest; they are never freed or taken out */

static void destroy(struct ws_capture *capture)
{
    if (capture == NULL)
        return;
    ws_capture_writer_destroy(capture->writer);
    ws_blobs_destroy(capture->blobs);
    free(capture->settings);
    free(capture->path);
    free(capture);
}

/* The captures that this process opened. */
static struct ws_capture *first_capture(void)
{
    struct ws_capture *capture = atomic_load(&captures);
    return capture != NULL && capture->process == ws_process_id() ? capture : NULL;
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

/* `path` with the process id before its extension, and behind that the number `count` where it is 2 or more;
 * to be freed. NULL when there is no memory. */
static char *with_process(const char *path, int count)
{
    const char *name = strrchr(path, '/');
    const char *extension = strrchr(name != NULL ? name : path, '.');
    const int stem = (int)(extension != NULL ? extension - path : (ptrdiff_t)strlen(path));
    char number[16] = "";
    char *result = NULL;
    if (count >= 2)
        snprintf(number, sizeof(number), "-%d", count);
    if (asprintf(&result, "%.*s.%d%s%s", stem, path, (int)getpid(), number,
                 extension != NULL ? extension : "") < 0)
        return NULL;
    return result;
}

/* What `warpscope record` says in a variable; 0 = nothing. */
static uint64_t number_of(const char *variable)
{
    const char *text = secure_getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* True when `file` was written since the run began, as far as that is known. */
static bool younger_than_run(const struct stat *file)
{
    const uint64_t start = number_of("WARPSCOPE_RUN_START");
    if (start == 0 || file->st_size == 0)
        return false;
    const uint64_t written = (uint64_t)file->st_mtim.tv_sec * NANOSECONDS + (uint64_t)file->st_mtim.tv_nsec;
    return written >= start;
}

/* Whether another capture of this process writes the file. Its lock tells, but not on every file system. */
static bool is_open(const struct stat *file)
{
    struct stat other;
    for (const struct ws_capture *capture = first_capture(); capture != NULL; capture = capture->following)
        if (stat(capture->path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino)
            return true;
    return false;
}

/* Opens the file at capture->path. False and `error` when it cannot be opened; false without `error` when it
 * is another capture of this run. */
static bool open_file(struct ws_capture *capture, struct ws_error *error)
{
    struct ws_capture_file file;
    struct stat status;
    if (!ws_capture_file_open(&file, capture->path, &status, error))
        return false;
    if (S_ISREG(status.st_mode) && (younger_than_run(&status) || is_open(&status))) {
        ws_capture_file_close(&file);
        return false;
    }
    capture->writer = ws_capture_writer_create_in(&file, capture->path, error);
    return capture->writer != NULL;
}

/* Opens the file, under another name where the one that was asked for is taken: then `*renamed`. */
static bool open_some_file(struct ws_capture *capture, const struct ws_instance *instance, bool *renamed,
                           struct ws_error *error)
{
    char *wanted = expand(instance->settings->output);
    capture->path = wanted != NULL ? strdup(wanted) : NULL;
    bool opened = capture->path != NULL && open_file(capture, error);
    *renamed = !opened;
    for (int count = 1; !opened && capture->path != NULL && error->message[0] == '\0' && count < NAMES_MOST;
         count++) {
        free(capture->path);
        capture->path = with_process(wanted, count);
        opened = capture->path != NULL && open_file(capture, error);
    }
    free(wanted);
    if (!opened && capture->path == NULL)
        ws_error_set(error, "out of memory");
    return opened || ws_error_set(error, "the capture '%s' belongs to another process", capture->path);
}

/* The settings in effect as text, to be freed; NULL when there is no memory. */
static char *describe(const struct ws_settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < settings->pair_count; i++)
        if (strcmp(settings->pairs[i].key, ws_setting_table[WS_SETTING_LOG_LEVEL].key) != 0)
            fprintf(out, "%s=%s\n", settings->pairs[i].key, settings->pairs[i].value);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The command line of this process: `text` holds the arguments, each ended by a NUL. Where the user does not
 * want it kept, only the program's name. */
static uint32_t read_arguments(const struct ws_settings *settings, char *text, size_t size,
                               const char **arguments, uint32_t capacity)
{
    if (!settings->arguments) {
        arguments[0] = program_invocation_short_name;
        return 1;
    }
    const int file = ws_open_to_read("/proc/self/cmdline");
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
            read_arguments(settings, text, sizeof(text), arguments, sizeof(arguments) / sizeof(arguments[0])),
        .process_id = (uint32_t)getpid(),
        .start = (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec,
        .passes = instance->probes->passes,
        .pass_count = instance->probes->pass_count,
        .settings = settings->pairs,
        .setting_count = (uint32_t)settings->pair_count,
        .run = number_of("WARPSCOPE_RUN"),
    };
    return ws_capture_write_info(capture->writer, &info, error);
}

/* The probes, and why others are not there. */
static bool write_probes(struct ws_capture *capture, const struct ws_probe_list *probes,
                         struct ws_error *error)
{
    bool written = true;
    for (uint32_t i = 0; i < probes->count && written; i++) {
        const struct ws_probe_blob *blob = &probes->blobs[i];
        const struct ws_chunk_probe chunk = {blob->name, blob->words, blob->word_count};
        written = ws_capture_write_probe(capture->writer, &chunk, error);
    }
    for (uint32_t i = 0; i < probes->refused_count && written; i++) {
        const struct ws_chunk_message message = {.severity = WS_ERROR, .text = probes->refused[i]};
        written = ws_capture_write_message(capture->writer, &message, error);
    }
    return written;
}

static struct ws_capture *create(const struct ws_instance *instance, bool *renamed, struct ws_error *error)
{
    struct ws_capture *capture = calloc(1, sizeof(*capture));
    if (capture == NULL) {
        ws_error_set(error, "out of memory");
        return NULL;
    }
    capture->process = ws_process_id();
    capture->blobs = ws_blobs_create();
    capture->settings = describe(instance->settings);
    capture->image_limit =
        instance->settings->image_limit > 0 ? instance->settings->image_limit : WS_IMAGES_LIMIT;
    if (capture->blobs == NULL || capture->settings == NULL) {
        ws_error_set(error, "out of memory");
        destroy(capture);
        return NULL;
    }
    if (!open_some_file(capture, instance, renamed, error) || !write_info(capture, instance, error) ||
        !write_probes(capture, instance->probes, error)) {
        destroy(capture);
        return NULL;
    }
    capture->progress = ws_progress_take();
    if (capture->progress != NULL)
        ws_capture_writer_show(capture->writer, &capture->progress->bytes);
    return capture;
}

/* The capture that was opened for the same settings. */
static struct ws_capture *find(const struct ws_instance *instance)
{
    char *settings = describe(instance->settings);
    struct ws_capture *capture = first_capture();
    while (capture != NULL && (settings == NULL || strcmp(capture->settings, settings) != 0))
        capture = capture->following;
    free(settings);
    return capture;
}

static void say_renamed(struct ws_instance *instance, const struct ws_capture *capture)
{
    if (capture->following != NULL)
        ws_message(instance, WS_WARNING,
                   "an instance of this process has other settings than one before: its capture is %s",
                   capture->path);
    else
        ws_message(instance, WS_INFORMATION,
                   "another process of this run has the capture; this one writes %s", capture->path);
}

/* Without `warpscope record`, which says it at the end, nobody knows where the capture is. */
static void say_where(struct ws_instance *instance, const struct ws_capture *capture)
{
    if (number_of("WARPSCOPE_RUN") == 0)
        ws_message_notice(instance, "this program is recorded: the capture goes to %s", capture->path);
}

struct ws_capture *ws_capture_acquire(struct ws_instance *instance, struct ws_error *error)
{
    bool renamed = false;
    bool opened = false;
    ws_lock(&capture_lock);
    struct ws_capture *capture = find(instance);
    if (capture == NULL) {
        capture = create(instance, &renamed, error);
        if (capture != NULL) {
            opened = true;
            capture->following = first_capture();
            atomic_store(&captures, capture);
        }
    }
    if (capture != NULL)
        capture->users++;
    atomic_store(&instance->capture, capture);
    ws_unlock(&capture_lock);
    if (renamed && capture != NULL)
        say_renamed(instance, capture);
    else if (opened)
        say_where(instance, capture);
    return capture;
}

void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error)
{
    if (!written && error->message[0] != '\0')
        ws_message(instance, WS_ERROR, "%s", error->message);
}

static struct ws_chunk_done make_done(const struct ws_capture *capture)
{
    return (struct ws_chunk_done){
        .submissions = atomic_load(&capture->submissions),
        .launches = atomic_load(&capture->launches),
        .frames = atomic_load(&capture->frames),
        .outside = atomic_load(&capture->outside),
    };
}

/* The program was slower than by its shaders alone. */
static void say_waited(struct ws_capture *capture)
{
    char text[128];
    const uint64_t waited = ws_capture_writer_waited(capture->writer);
    if (waited < WAITED_LEAST)
        return;
    snprintf(text, sizeof(text),
             "the program waited %.1f s in all until its records were compressed and written",
             (double)waited / (double)NANOSECONDS);
    ws_capture_message(capture, WS_INFORMATION, text);
}

static void write_done(struct ws_capture *capture)
{
    const struct ws_chunk_done done = make_done(capture);
    struct ws_error error = {0};
    ws_capture_show_counts(capture);
    if (atomic_load(&capture->whole))
        return;
    say_waited(capture);
    ws_capture_check(NULL, ws_capture_write_done(capture->writer, &done, &error), &error);
    WS_PROGRESS_SET(capture->progress, state, (uint32_t)WS_PROGRESS_ENDED);
}

/* `awaited` is read last: a submission is awaited before it takes its frame and its launch indices (plan.c), so
 * that either it is seen here, or it has found the range to be over. */
void ws_capture_close_if_over(struct ws_capture *capture, const struct ws_settings *settings)
{
    const uint64_t frame = atomic_load(&capture->frames);
    const uint64_t launch = atomic_load(&capture->launches);
    if (!ws_selection_over(settings, frame, launch) || atomic_load(&capture->awaited) > 0 ||
        capture->process != ws_process_id() || atomic_exchange(&capture->whole, true))
        return;
    const struct ws_chunk_done done = make_done(capture);
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_writer_end(capture->writer, &done, &error), &error);
    WS_PROGRESS_SET(capture->progress, state, (uint32_t)WS_PROGRESS_WHOLE);
}

void ws_capture_release(struct ws_capture *capture)
{
    if (capture == NULL || capture->process != ws_process_id())
        return;
    ws_lock(&capture_lock);
    const bool last = --capture->users == 0;
    ws_unlock(&capture_lock);
    if (last)
        write_done(capture);
}

bool ws_capture_is_here(void)
{
    return first_capture() != NULL;
}

void ws_capture_finish(void)
{
    for (struct ws_capture *capture = first_capture(); capture != NULL; capture = capture->following)
        if (capture->users > 0)
            write_done(capture);
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

static void write_message(struct ws_capture *capture, enum ws_severity severity, const char *text)
{
    const struct ws_chunk_message message = {.severity = severity, .text = text};
    struct ws_error error = {0};
    /* Not said by ws_message, which would come back here with it. */
    if (!ws_capture_write_message(capture->writer, &message, &error) && error.message[0] != '\0')
        ws_message_print(error.message);
}

void ws_capture_message(struct ws_capture *chosen, enum ws_severity severity, const char *text)
{
    for (struct ws_capture *capture = first_capture(); capture != NULL; capture = capture->following)
        if (chosen == NULL || capture == chosen)
            write_message(capture, severity, text);
}

void ws_capture_name(struct ws_capture *capture, enum ws_name_kind kind, uint32_t id, const char *name)
{
    const struct ws_chunk_name chunk = {.kind = kind, .id = id, .name = name};
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_name(capture->writer, &chunk, &error), &error);
}
