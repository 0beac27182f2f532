/* How much memory is free: of the machine, and of control groups of both versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "passes/base/memory_limit.h"

static char root[] = "/tmp/warpscope-test-XXXXXX";

/* Writes a file below the root, and the folders on the way. */
static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *at = whole + sizeof(root); *at != '\0'; ++at)
        if (*at == '/') {
            *at = '\0';
            mkdir(whole, 0700);
            *at = '/';
        }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void nothing_is_known(void **state)
{
    (void)state;
    assert_true(ws_memory_free("/nowhere/at/all") == UINT64_MAX);
}

static void machine(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemTotal:  8000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\n");
    assert_int_equal(ws_memory_free(root), 4000 * 1024);
}

/* A group without a limit of its own below one that has 1000 of 3000 bytes left. */
static void version_2(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/user/shell\n");
    put("/sys/fs/cgroup/user/shell/memory.max", "max\n");
    put("/sys/fs/cgroup/user/shell/memory.current", "1500\n");
    assert_int_equal(ws_memory_free(root), 4000 * 1024);
    put("/sys/fs/cgroup/user/memory.max", "3000\n");
    put("/sys/fs/cgroup/user/memory.current", "2000\n");
    assert_int_equal(ws_memory_free(root), 1000);
    put("/sys/fs/cgroup/user/memory.current", "4000\n");
    assert_int_equal(ws_memory_free(root), 0);
}

/* In a container the group is the root, whose files say the limit. */
static void version_1(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
    assert_int_equal(ws_memory_free(root), 4000);
}

/* From the system, since an allocator may keep what is freed, as sanitizers do. */
static void *take(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

/* Of 64 MB the process takes 8, and later 32. */
static void ample(void **state)
{
    const size_t megabyte = 1 << 20;
    (void)state;
    assert_true(ws_memory_is_ample());
    ws_limit_memory(64 * megabyte);
    void *some = take(8 * megabyte);
    assert_true(ws_memory_is_ample());
    void *more = take(24 * megabyte);
    assert_false(ws_memory_is_ample());
    munmap(more, 24 * megabyte);
    munmap(some, 8 * megabyte);
    assert_true(ws_memory_is_ample());
}

int main(void)
{
    char command[64];
    if (mkdtemp(root) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known), cmocka_unit_test(machine), cmocka_unit_test(version_2),
        cmocka_unit_test(version_1),        cmocka_unit_test(ample),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof(command), "rm -r %s", root);
    return system(command) == 0 ? failed : 1;
}
