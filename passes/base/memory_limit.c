#include "passes/base/memory_limit.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void ws_limit_memory(uint64_t bytes)
{
    unsigned long long pages = 0;
    struct rlimit limit;
    FILE *file = fopen("/proc/self/statm", "re");
    /* The sixth number: pages of data and stack (proc(5)). A sanitizer has terabytes to begin with. */
    bool known = file != NULL && fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) == 1;
    if (file != NULL)
        fclose(file);
    if (!known || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    uint64_t has = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    rlim_t most = bytes < RLIM_INFINITY - has ? (rlim_t)(has + bytes) : RLIM_INFINITY;
    if (most < limit.rlim_cur) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

uint64_t ws_memory_for_captures(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : UINT64_MAX;
}
