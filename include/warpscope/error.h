/* Error messages, for every part of Warpscope.
 *
 * A function that can fail takes a `struct ws_error *` as its last argument. On failure it sets a message and
 * returns false or NULL. The message names the thing that failed and, where there is one, the remedy. The
 * caller may pass NULL if it does not want the message. The caller owns the struct; nothing is allocated. One
 * struct belongs to one thread at a time. */
#ifndef WARPSCOPE_ERROR_H
#define WARPSCOPE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WS_ERROR_SIZE 512

/* One failure, as a sentence without a newline at its end. Zero-initialise it: an empty message means no
 * failure. */
struct ws_error {
    char message[WS_ERROR_SIZE];
};

/* Sets the message of `error`, cut at WS_ERROR_SIZE - 1 bytes. Always returns false, so a function can fail
 * with `return ws_error_set(error, "...")`. Keeps a message that is already there: the first failure is the
 * cause of those that follow. */
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

/* Whether there was no memory, which all such messages say in these words, often behind what they speak of. Where what is
 * malformed is left out and told, nothing may be left out for that. */
static inline bool ws_error_is_memory(const struct ws_error *error)
{
    return strstr(error->message, "no memory") != NULL || strstr(error->message, "out of memory") != NULL;
}

#endif
