/* The captures of the process. One is opened when the first active device is made, shared by all devices
 * whose instances have the same settings, and closed by the system when the process ends. An instance with
 * other settings (VK_EXT_layer_settings) has a capture of its own: a capture says in its beginning which
 * passes it was made with. The setting log_level makes no difference. Every function is thread-safe.
 *
 * THE FILE. Its name is the setting `output`, in which %n stands for the program's name, %p for the
 * process id and %% for a percent sign. A file of an earlier run is replaced. A file of another process
 * of the same run, or of another capture of this process, is kept. This capture then is out.1234.wscope
 * instead of out.wscope, where 1234 is the process id, or out.1234-2.wscope and so on where that one is
 * taken too; a message says so. While its process lives, a capture is locked (flock). Once the process has
 * ended, its file is younger than the run. `warpscope record` puts the start of the run into the
 * environment as WARPSCOPE_RUN_START (nanoseconds since 1970), and a number of the run as WARPSCOPE_RUN, which INFO
 * has. After a fork the captures belong to the parent; the child opens its own when it makes a device.
 *
 * THE END. With the last chosen frame or launch in it (settings frames and launches), the file is closed at once:
 * it is whole then, whatever becomes of the program. Else it is closed with the last device, or with the
 * process. */
#ifndef WS_LAYER_CORE_CAPTURE_H
#define WS_LAYER_CORE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/capture/capture_writer.h"
#include "layer/core/progress.h"

struct ws_blobs;
struct ws_instance;
struct ws_settings;

struct ws_capture {
    struct ws_capture_writer *writer;
    struct ws_blobs *blobs; /* blob.h */
    char *path;
    char *settings; /* those it was opened for, as text */
    int process;    /* the process that opened it: a fork's child must leave it alone */
    uint32_t users;
    struct ws_capture *following;         /* the next older one of the process */
    struct ws_progress_capture *progress; /* what `warpscope record` sees of it; NULL = nobody looks */

    /* Submissions that are being planned, or whose chosen results are not in the file yet; and threads that are about
     * to say what is missing. */
    _Atomic uint32_t awaited;
    _Atomic bool whole; /* the last chosen frame or launch is in the file, which is closed */

    /* The next id of each kind; take one with ws_capture_next. */
    _Atomic uint32_t next_device;
    _Atomic uint32_t next_module;
    _Atomic uint32_t next_shader;
    _Atomic uint32_t next_pipeline;
    _Atomic uint32_t next_structure;
    _Atomic uint32_t next_blob;
    _Atomic uint32_t next_resource;
    _Atomic uint32_t next_set; /* states of descriptor sets */

    /* Counted over the whole capture, as DONE writes them. The current value is the index of the next. */
    _Atomic uint64_t submissions;
    _Atomic uint64_t launches;
    _Atomic uint64_t frames;
    _Atomic uint64_t outside;     /* launches outside the chosen range */
    uint64_t image_limit;         /* setting image_limit, or the default */
    _Atomic uint64_t image_bytes; /* of images that were captured: captured_image.h */
    _Atomic bool images_full;     /* that there is no room for more has been said */
    _Atomic uint64_t
        pictured; /* the latest frame with chosen launches, + 1; 0 = none: layer/submit/picture.h */
    _Atomic bool picture_awaited; /* that frame's present is counted in `awaited` */
};

/* Returns the capture for the instance's settings and counts one more user. The first user creates the file
 * and writes INFO. NULL and `error` when the file cannot be created. */
struct ws_capture *ws_capture_acquire(struct ws_instance *instance, struct ws_error *error);

/* Counts one user less. After the last, DONE is written; the file stays open, since the application may make
 * another device. NULL is accepted. */
void ws_capture_release(struct ws_capture *capture);

/* Closes the file where neither the present frame and launch nor any later ones are chosen, and none is awaited. To be
 * called when one of these has changed; it looks at few numbers only. */
void ws_capture_close_if_over(struct ws_capture *capture, const struct ws_settings *settings);

/* Shows how many frames, submissions and launches there were. */
static inline void ws_capture_show_counts(const struct ws_capture *capture)
{
    WS_PROGRESS_SET(capture->progress, frames, atomic_load(&capture->frames));
    WS_PROGRESS_SET(capture->progress, submissions, atomic_load(&capture->submissions));
    WS_PROGRESS_SET(capture->progress, launches, atomic_load(&capture->launches));
    WS_PROGRESS_SET(capture->progress, outside, atomic_load(&capture->outside));
}

static inline uint32_t ws_capture_next(_Atomic uint32_t *counter)
{
    return atomic_fetch_add(counter, 1);
}

/* Prints why the capture could not be written. `written` and `error` are the results of a ws_capture_write_*
 * function, which sets `error` at the first failure only. */
void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error);

/* Writes a SKIP chunk about shaders' sites. */
void ws_capture_skip_sites(struct ws_capture *capture, uint32_t module, const struct ws_skip_info *skip);

/* Writes a SKIP chunk: `count` things of `kind` were not instrumented or captured, because of `reason`. */
void ws_capture_skip(struct ws_capture *capture, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason);

/* Writes a MESG chunk to a capture of this process; with NULL to all that there are. */
void ws_capture_message(struct ws_capture *capture, enum ws_severity severity, const char *text);

/* Whether there is a capture that this process opened. After a fork the child has none. */
bool ws_capture_is_here(void);

/* Writes DONE into the captures that still have users. To be called when the process ends. Threads of the
 * application may still run, so that nothing is freed or closed; the system does that. */
void ws_capture_finish(void);

/* Writes a NAME chunk: the application named an object. */
void ws_capture_name(struct ws_capture *capture, enum ws_name_kind kind, uint32_t id, const char *name);

#endif
