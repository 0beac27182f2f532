/* How targets without output of their own say what is wrong. */
#include <stdarg.h>

#include "tests/fuzz/fuzz.h"

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
