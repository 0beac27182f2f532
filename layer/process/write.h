/* Writing into descriptors, without harm to the application. */
#ifndef WS_LAYER_PROCESS_WRITE_H
#define WS_LAYER_PROCESS_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes all bytes; false with errno set where that fails. There is a second write only where the first one
 * wrote less than it was given. Signals that a write can raise (SIGXFSZ, SIGPIPE) are kept from the
 * application; the write fails instead. A thread that is to be cancelled is not
 * cancelled here (write(2) is a cancellation point): its locks would stay held. Thread-safe, and takes no
 * lock. */
bool ws_write_all(int descriptor, const void *data, size_t size);

/* The same for a regular file that is `end` bytes long, at its end: a write raises a signal there only where the file
 * would become larger than the process may make files. */
bool ws_write_at_end(int descriptor, off_t end, const void *data, size_t size);

/* Writes a file, which replaces what is at `path`, opened as by ws_open_to_write. False on failure with the reason in `*why`
 * (valid until the thread's next call of strerror): then there is no such file. Thread-safe, and takes no lock. */
bool ws_write_file(const char *path, const void *data, size_t size, const char **why);

/* Writes a text to standard error. Nothing where that was closed when the layer was loaded: what has its
 * number later is a file of the application. Thread-safe, and takes no lock. */
void ws_print(const char *text);

#endif
