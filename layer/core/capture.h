/* The process's capture: opened when the first active device is made, shared by all of them, closed when
 * the process ends. Every function is thread-safe.
 *
 * THE FILE. Its name is the setting `output`, in which %n stands for the program's name, %p for the
 * process id and %% for a percent sign. A file of an earlier run is replaced. A file of another process
 * of the same run is not: then ".<process id>" is put before the name's extension, and said. Another
 * process is known by the lock (flock) that it holds on its capture while it lives, and, once it has
 * ended, by the file being younger than the run, whose beginning `warpscope record` puts into the
 * environment as WARPSCOPE_RUN_START (nanoseconds since 1970). A process that forks leaves the capture to
 * its parent: the child begins one of its own if it makes a device. */
#ifndef WS_LAYER_CORE_CAPTURE_H
#define WS_LAYER_CORE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/capture/capture_writer.h"

struct ws_blobs;
struct ws_instance;

struct ws_capture {
    struct ws_capture_writer *writer;
    struct ws_blobs *blobs; /* blob.h */
    char *path;
    int lock;    /* file descriptor that holds the lock on the file; -1 = none */
    int process; /* the process that opened it: a fork's child must leave it alone */
    uint32_t users;
    bool renamed; /* `path` is not the name that was asked for */

    /* The next id of each kind; take one with ws_capture_next. */
    _Atomic uint32_t next_device;
    _Atomic uint32_t next_module;
    _Atomic uint32_t next_shader;
    _Atomic uint32_t next_pipeline;
    _Atomic uint32_t next_structure;
    _Atomic uint32_t next_blob;

    /* Counted over the whole capture, as DONE writes them. The current value is the index of the next. */
    _Atomic uint64_t submissions;
    _Atomic uint64_t launches;
    _Atomic uint64_t frames;
    _Atomic uint64_t outside; /* launches outside the chosen range */
};

/* The process's capture with one more user, made by the first: then its file is created and INFO is
 * written. NULL and `error` when the file cannot be made. */
struct ws_capture *ws_capture_acquire(struct ws_instance *instance, struct ws_error *error);

/* One user less; after the last DONE is written. The file stays open, since the application may make
 * another device. NULL is accepted. */
void ws_capture_release(struct ws_capture *capture);

static inline uint32_t ws_capture_next(_Atomic uint32_t *counter)
{
    return atomic_fetch_add(counter, 1);
}

/* Says why the capture could not be written, where `written` is false for the first time: for the results
 * of the ws_capture_write_* functions. */
void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error);

/* Writes a SKIP chunk: `count` things of `kind` were left alone because of `reason`. */
void ws_capture_skip(struct ws_capture *capture, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason);

/* Writes a MESG chunk to the process's capture, when there is one. */
void ws_capture_message(enum ws_severity severity, const char *text);

/* Whether there is a capture and it is this process's, not that of the one it was forked from. */
bool ws_capture_is_here(void);

/* Closes the file. When the process ends, or the library is unloaded. */
void ws_capture_finish(void);

/* Writes a NAME chunk: the application named an object. */
void ws_capture_name(struct ws_capture *capture, enum ws_name_kind kind, uint32_t id, const char *name);

#endif
