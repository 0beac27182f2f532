#include "analysis/output/write_failure.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

const char *ws_write_failure(int number)
{
    return number == EFBIG ? "File too large: raise the limit on the size of files (ulimit -f)"
                           : strerror(number != 0 ? number : EIO);
}

static void do_nothing(int number)
{
    (void)number;
}

/* Unlike SIG_IGN, a handler does not outlast exec. */
void ws_write_past_limit_fails(void)
{
    if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
        signal(SIGXFSZ, SIG_IGN);
}
