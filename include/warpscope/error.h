/* How every part of Warpscope says what went wrong.
 *
 * A function that can fail takes a `struct ws_error *` as its last argument, returns false or NULL on
 * failure, and then has set a message that names the thing and, where one exists, the remedy. NULL is
 * accepted where the caller does not want the message. The caller owns the struct; nothing allocates. */
#ifndef WARPSCOPE_ERROR_H
#define WARPSCOPE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define WS_ERROR_SIZE 512

/* One failure, as a sentence without a trailing newline; empty while nothing failed. */
struct ws_error {
    char message[WS_ERROR_SIZE];
};

/* Sets `error`'s message (cut at WS_ERROR_SIZE - 1 bytes) and returns false, so that a failing
 * function can `return ws_error_set(error, "...")`. A message already there is kept: the first failure
 * is the cause, what follows is its echo. */
__attribute__((format(printf, 2, 3))) static inline bool ws_error_set(struct ws_error *error,
                                                                      const char *format, ...)
{
    if (error != NULL && error->message[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof(error->message), format, arguments);
        va_end(arguments);
    }
    return false;
}

#endif
