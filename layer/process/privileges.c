#include "layer/process/privileges.h"

#include <sys/auxv.h>
#include <unistd.h>

bool ws_process_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}
