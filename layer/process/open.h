/* Opening files in a process that is not ours.
 *
 * Every descriptor is close-on-exec and has a high number. The application may close all small numbers and
 * expect to be given them; and in a process that was started without standard streams, a file of ours must
 * never become one of them: what the application prints would go into it. Thread-safe. */
#ifndef WS_LAYER_PROCESS_OPEN_H
#define WS_LAYER_PROCESS_OPEN_H

#include <stdio.h>
#include <sys/types.h>

/* Opens a file to read; never waits for a writer of a pipe. -1 and errno on failure. */
int ws_open_to_read(const char *path);

/* Opens a file that is there to read and to write; never waits. -1 and errno on failure. */
int ws_open_to_share(const char *path);

/* Opens a file to write, created with `mode` (the umask applies) where there is none; one that is there is
 * not changed yet. In a folder that others can write, it takes only what passes/base/shared_folder.h
 * says is safe. -1 on failure, with the reason in `*why` (valid until the thread's next call of strerror). */
int ws_open_to_write(const char *path, mode_t mode, const char **why);

/* The first as a stream, to be closed with fclose. */
FILE *ws_stream_to_read(const char *path);

#endif
