/* Memory that another process offers: only such as can do no harm is taken. */
#include "layer/process/shared.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE 512

/* A file of memory with those seals, and the path under which others find it. */
static int offer(size_t size, int seals, char path[64])
{
    const int file = memfd_create("offered", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    assert_int_equal(fcntl(file, F_ADD_SEALS, seals), 0);
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

static int count_descriptors(void)
{
    int count = 0;
    for (int number = 0; number < 2048; number++)
        count += fcntl(number, F_GETFD) >= 0;
    return count;
}

static void what_is_sealed_is_shared(void **state)
{
    (void)state;
    char path[64], text[4] = "";
    const int file = offer(SIZE, F_SEAL_SHRINK | F_SEAL_GROW, path);
    const int before = count_descriptors();
    char *memory = ws_map_shared(path, SIZE);
    assert_non_null(memory);
    assert_int_equal(count_descriptors(), before);
    memcpy(memory, "seen", 4);
    assert_int_equal(pread(file, text, 4, 0), 4);
    assert_memory_equal(text, "seen", 4);
    assert_int_not_equal(ftruncate(file, 0), 0); /* nobody can make the memory go away */
    munmap(memory, SIZE);
    close(file);
}

static void all_else_is_left_alone(void **state)
{
    (void)state;
    char path[64], ordinary[] = "/tmp/warpscope-shared-XXXXXX";
    int file = offer(SIZE, 0, path);
    assert_null(ws_map_shared(path, SIZE));
    close(file);
    file = offer(SIZE, F_SEAL_SHRINK, path);
    assert_null(ws_map_shared(path, SIZE));
    close(file);
    file = offer(SIZE - 1, F_SEAL_SHRINK | F_SEAL_GROW, path);
    assert_null(ws_map_shared(path, SIZE));
    close(file);
    assert_null(ws_map_shared(path, SIZE)); /* nothing is there any more */
    file = mkstemp(ordinary);
    assert_true(file >= 0 && ftruncate(file, SIZE) == 0);
    assert_null(ws_map_shared(ordinary, SIZE));
    assert_null(ws_map_shared("/tmp", SIZE));
    assert_null(ws_map_shared("", SIZE));
    close(file);
    unlink(ordinary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_sealed_is_shared),
                                       cmocka_unit_test(all_else_is_left_alone)};
    return cmocka_run_group_tests_name("layer shared", tests, NULL, NULL);
}
