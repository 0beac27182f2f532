#include "analysis/command/record/record_progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "warpscope/base/text.h"

/* Seconds before the first line, so that short runs do not flicker; and between two. */
#define DELAY    0.5
#define INTERVAL 0.2

/* Seconds without any change after which the line says what is being waited for. */
#define LONG 1.0

/* The widest line, its NUL included. */
#define LINE_SIZE 256

struct ws_record_progress {
    struct ws_progress *shared;
    int file;
    bool shown;
    bool visible;                /* a line stands on the terminal */
    double start;                /* seconds of the monotonic clock, like the next two */
    double written;              /* when the line was written last */
    double changed;              /* when `last` was new */
    struct ws_progress_sum last; /* what was seen last */
    char line[LINE_SIZE];        /* what was written last */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A terminal that can move its cursor. */
static bool is_terminal(void)
{
    const char *name = getenv("TERM");
    return isatty(STDERR_FILENO) && name != NULL && name[0] != '\0' && strcmp(name, "dumb") != 0;
}

/* The shared memory at a descriptor that programs do not inherit. */
static bool share(struct ws_record_progress *progress)
{
    char path[64];
    progress->file = memfd_create("warpscope progress", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (progress->file < 0 || ftruncate(progress->file, sizeof(*progress->shared)) != 0 ||
        fcntl(progress->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return false;
    void *memory =
        mmap(NULL, sizeof(*progress->shared), PROT_READ | PROT_WRITE, MAP_SHARED, progress->file, 0);
    if (memory == MAP_FAILED)
        return false;
    progress->shared = memory;
    progress->shared->magic = WS_PROGRESS_MAGIC;
    snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), progress->file);
    return setenv(WS_PROGRESS_VARIABLE, path, 1) == 0;
}

struct ws_record_progress *ws_record_progress_create(bool shown)
{
    struct ws_record_progress *progress = calloc(1, sizeof(*progress));
    if (progress == NULL)
        return NULL;
    progress->shown = shown && is_terminal();
    progress->start = now();
    if (share(progress))
        return progress;
    ws_record_progress_destroy(progress);
    return NULL;
}

bool ws_record_progress_is_shown(const struct ws_record_progress *progress)
{
    return progress != NULL && progress->shown;
}

static void add(struct ws_progress_sum *sum, struct ws_progress_capture *part)
{
    sum->whole = (sum->captures == 0 || sum->whole) && part->state == WS_PROGRESS_WHOLE;
    sum->captures++;
    sum->frames += part->frames;
    sum->submissions += part->submissions;
    sum->launches += part->launches;
    sum->outside += part->outside;
    sum->written += part->written;
    sum->records += part->records;
    sum->missing += part->missing;
    sum->bytes += part->bytes;
    sum->waiting += part->waiting;
    sum->pipelines += part->pipelines;
    sum->instrumenting += part->instrumenting;
    sum->compiling += part->compiling;
}

void ws_record_progress_sum(const struct ws_record_progress *progress, struct ws_progress_sum *sum)
{
    memset(sum, 0, sizeof(*sum)); /* with its padding: sums are compared as bytes */
    if (progress == NULL)
        return;
    struct ws_progress *shared = progress->shared;
    for (size_t i = 0; i < WS_PROGRESS_CAPTURES; ++i)
        if (shared->captures[i].process != 0)
            add(sum, &shared->captures[i]);
    sum->instances = shared->instances;
    sum->devices = shared->devices;
    sum->failed = shared->failed;
    sum->refusal = shared->refusal;
    sum->reached = sum->instances > 0;
}

/* Appends to a text that is cut at `size` - 1 bytes. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_count(char *text, size_t size, uint64_t count, const char *name)
{
    append(text, size, "%s%" PRIu64 " %s%s", text[0] != '\0' ? ", " : "", count, name,
           ws_plural(count, ws_text_ends_with(name, "ch") ? "es" : "s"));
}

/* What it waits for, where that takes long. */
static void append_wait(const struct ws_progress_sum *sum, double seconds, char *text, size_t size)
{
    const char *what = NULL;
    char count[48] = "";
    const uint32_t shaders = sum->instrumenting > 0 ? sum->instrumenting : sum->compiling;
    snprintf(count, sizeof(count), "%u shader%s", shaders, ws_plural(shaders, "s"));
    if (sum->instrumenting > 0)
        what = "instrumenting";
    else if (sum->compiling > 0)
        what = "the driver compiles";
    if (what != NULL)
        append(text, size, "; %s %s", what, count);
    else if (sum->waiting > 0 && seconds >= LONG)
        append(text, size, "; the device works");
    else
        return;
    if (seconds >= LONG)
        append(text, size, ", %.0f s", seconds);
}

void ws_record_progress_text(const struct ws_progress_sum *sum, double seconds, char *text, size_t size)
{
    char bytes[WS_BYTES_SIZE];
    text[0] = '\0';
    if (sum->captures == 0) {
        append(text, size, "%s", sum->reached ? "no Vulkan device yet" : "no Vulkan yet");
        return;
    }
    if (sum->frames > 0)
        append_count(text, size, sum->frames, "frame");
    append_count(text, size, sum->submissions, "submit");
    append_count(text, size, sum->launches, "launch");
    if (sum->outside > 0)
        append(text, size, " (%" PRIu64 " chosen)", sum->launches - sum->outside);
    if (sum->records > 0)
        append(text, size, ", %s of records", ws_bytes_text(sum->records, bytes));
    append(text, size, ", file %s", ws_bytes_text(sum->bytes, bytes));
    if (sum->missing > 0)
        append(text, size, ", %s DID NOT FIT", ws_bytes_text(sum->missing, bytes));
    if (sum->whole)
        append(text, size, "; the capture is whole, the program may end");
    else
        append_wait(sum, seconds, text, size);
}

/* Whether the program leaves the terminal to lines: see the header. */
static bool may_write(void)
{
    struct termios mode;
    const tcflag_t lines = ICANON | ECHO;
    const pid_t front = tcgetpgrp(STDERR_FILENO); /* -1 on a terminal that is not this session's */
    return (front < 0 || front == getpgrp()) && tcgetattr(STDERR_FILENO, &mode) == 0 &&
           (mode.c_lflag & lines) == lines;
}

static void put(const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* a line that is not seen harms nothing */
}

/* ED erases from the cursor on: the line, and what of it stands behind the program's last output. IND and CUU make
 * a row below; DECSC and DECRC keep the cursor (ECMA-48, and the VT100's manual). */
#define ERASE "\x1b[J"
#define BEGIN                                                                                                \
    ERASE "\x1b"                                                                                             \
          "D"                                                                                                \
          "\x1b[A"                                                                                           \
          "\x1b"                                                                                             \
          "7"                                                                                                \
          "\x1b[B\r"
#define END                                                                                                  \
    "\x1b"                                                                                                   \
    "8"

static void write_line(struct ws_record_progress *progress, const char *text)
{
    char bytes[LINE_SIZE + sizeof(BEGIN) + sizeof(END)];
    struct winsize window = {.ws_col = 0};
    size_t width = LINE_SIZE - 1;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && window.ws_col - 1u < width)
        width = window.ws_col - 1u;
    snprintf(bytes, sizeof(bytes), BEGIN "%.*s" END, (int)width, text);
    put(bytes);
    progress->visible = true;
}

static void erase(struct ws_record_progress *progress)
{
    if (progress->visible && may_write())
        put(ERASE);
    progress->visible = false;
}

static void show(struct ws_record_progress *progress, double time, bool last)
{
    struct ws_progress_sum sum;
    char text[LINE_SIZE] = "warpscope: ";
    const size_t used = strlen(text);
    ws_record_progress_sum(progress, &sum);
    if (memcmp(&sum, &progress->last, sizeof(sum)) != 0) {
        progress->last = sum;
        progress->changed = time;
    }
    ws_record_progress_text(&sum, last ? 0 : time - progress->changed, text + used, sizeof(text) - used);
    progress->written = time;
    if (!may_write()) {
        progress->visible = false;
        return;
    }
    /* An unchanged line is written again all the same: the program may have printed over it. */
    write_line(progress, text);
}

void ws_record_progress_show(struct ws_record_progress *progress)
{
    if (!ws_record_progress_is_shown(progress))
        return;
    const double time = now();
    if (time - progress->start >= DELAY && time - progress->written >= INTERVAL)
        show(progress, time, false);
}

void ws_record_progress_end(struct ws_record_progress *progress)
{
    if (!ws_record_progress_is_shown(progress) || !progress->visible)
        return;
    show(progress, now(), true);
    erase(progress);
}

void ws_record_progress_destroy(struct ws_record_progress *progress)
{
    if (progress == NULL)
        return;
    if (progress->shared != NULL)
        munmap(progress->shared, sizeof(*progress->shared));
    if (progress->file >= 0)
        close(progress->file);
    free(progress);
}
