#include "passes/base/memory_limit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes of data that the process had when it was limited first; 0 = it was not yet. */
static uint64_t data_before;

/* The sixth number: pages of data and stack (proc(5)). A sanitizer has terabytes to begin with. */
static bool read_data(uint64_t *bytes)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    const bool known = file != NULL && fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) == 1;
    if (file != NULL)
        fclose(file);
    *bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return known;
}

void ws_limit_memory(uint64_t bytes)
{
    uint64_t has = 0;
    struct rlimit limit;
    if (!read_data(&has) || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    data_before = data_before > 0 ? data_before : has;
    rlim_t most = bytes < RLIM_INFINITY - has ? (rlim_t)(has + bytes) : RLIM_INFINITY;
    if (most < limit.rlim_cur) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

bool ws_memory_is_ample(void)
{
    uint64_t has = 0;
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !read_data(&has))
        return true;
    const uint64_t taken = has > data_before ? has - data_before : 0;
    return limit.rlim_cur > has && (limit.rlim_cur - has) / 3 >= taken;
}

/* The number in a file; false where it has none, such as "max". */
static bool read_number(const char *root, const char *folder, const char *name, uint64_t *number)
{
    char path[PATH_MAX];
    unsigned long long value = 0;
    if ((size_t)snprintf(path, sizeof(path), "%s%s/%s", root, folder, name) >= sizeof(path))
        return false;
    FILE *file = fopen(path, "re");
    const bool found = file != NULL && fscanf(file, "%llu", &value) == 1;
    if (file != NULL)
        fclose(file);
    *number = value;
    return found;
}

/* What the group in `folder`, and those above it up to `top` characters of its path, may still take. */
static uint64_t free_in_groups(const char *root, char *folder, size_t top, const char *limit,
                               const char *usage)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t most = 0, used = 0;
        if (read_number(root, folder, limit, &most) && read_number(root, folder, usage, &used)) {
            const uint64_t left = most > used ? most - used : 0;
            least = left < least ? left : least;
        }
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* The lines of /proc/self/cgroup are "number:controllers:path"; version 2 has number 0 and no controllers
 * (cgroups(7)). */
static uint64_t free_in_control_groups(const char *root)
{
    static const char v1[] = "/sys/fs/cgroup/memory", v2[] = "/sys/fs/cgroup";
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        const bool second = controllers[1] == '\0';
        if (!second && strstr(controllers, "memory") == NULL)
            continue;
        const char *top = second ? v2 : v1;
        if ((size_t)snprintf(path, sizeof(path), "%s%s", top, strcmp(group, "/") != 0 ? group : "") >=
            sizeof(path))
            continue;
        const uint64_t left = second ? free_in_groups(root, path, strlen(top), "memory.max", "memory.current")
                                     : free_in_groups(root, path, strlen(top), "memory.limit_in_bytes",
                                                      "memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    if (file != NULL)
        fclose(file);
    return least;
}

static uint64_t available(const char *root)
{
    char path[PATH_MAX], line[256];
    unsigned long long kilobytes = 0;
    bool found = false;
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL)
        found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
    if (file != NULL)
        fclose(file);
    return found ? (uint64_t)kilobytes * 1024 : UINT64_MAX;
}

uint64_t ws_memory_free(const char *root)
{
    const uint64_t machine = available(root);
    const uint64_t groups = free_in_control_groups(root);
    return machine < groups ? machine : groups;
}
