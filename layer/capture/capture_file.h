/* The file of a capture: who may write it, and writing whole chunks into it.
 *
 * The process is the application's. It may close descriptors that it does not know and open its own files
 * under their numbers, and it may fork. So each write first compares device and inode with those of the file
 * that was opened, and the process with the one that opened it. What is no longer the capture is never
 * written, cut or closed. (Another thread may still take the number between the comparison and the write:
 * the kernel has no call for both.) Not thread-safe. */
#ifndef WS_LAYER_CAPTURE_CAPTURE_FILE_H
#define WS_LAYER_CAPTURE_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "warpscope/error.h"

struct ws_capture_file {
    int descriptor; /* -1 = none */
    int process;    /* that opened it; the file is not that of a fork's child */
    dev_t device;
    ino_t inode;
    bool regular; /* no pipe or device: it can be cut */
    off_t size;   /* bytes of whole chunks */
};

/* Opens the file for writing (process/open.h has the rules), for its owner only where it is created, and
 * locks it (flock) against other processes of Warpscope. Its content stays as it is; `status` receives what
 * it was. False and `error` when it cannot be opened, or holds something that is no capture: only captures are
 * replaced. False without `error` when another process, or another capture of this one, has it. */
bool ws_capture_file_open(struct ws_capture_file *file, const char *path, struct stat *status,
                          struct ws_error *error);

/* Empties it, also for its owner only from now on. False and errno on failure. */
bool ws_capture_file_clear(struct ws_capture_file *file);

/* Writes a whole chunk, or nothing of it where the file can be cut. NULL when it is written, else why not. */
const char *ws_capture_file_append(struct ws_capture_file *file, const void *chunk, size_t size);

/* Closes it, which gives up the lock. Without a file it does nothing. */
void ws_capture_file_close(struct ws_capture_file *file);

#endif
