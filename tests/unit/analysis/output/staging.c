/* Folders that are written beside where they belong: kept, dropped, and taken away by a signal. */
#include "analysis/output/staging.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/warpscope-staging-XXXXXX";

static int make(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int clear(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof(line), "rm -r '%s'", folder);
    return system(line);
}

/* What `find` finds in the folder, by name, in one line. */
static const char *found(void)
{
    static char text[1024];
    char line[128];
    snprintf(line, sizeof(line), "cd '%s' && find . -mindepth 1 | sort | tr '\\n' ' '", folder);
    FILE *output = popen(line, "r");
    assert_non_null(output);
    text[fread(text, 1, sizeof(text) - 1, output)] = '\0';
    pclose(output);
    return text;
}

/* Writes a/b/file below the place that is told. */
static void write_tree(struct ws_staging *staging, const char *target)
{
    struct ws_error error = {{0}};
    char path[PATH_MAX + 32];
    if (!ws_staging_begin_tree(staging, target, &error))
        fail_msg("%s", error.message);
    snprintf(path, sizeof(path), "%s/a", staging->path);
    assert_int_equal(mkdir(path, 0777), 0);
    strcat(path, "/b");
    assert_int_equal(mkdir(path, 0777), 0);
    strcat(path, "/file");
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void trees(void **state)
{
    (void)state;
    struct ws_staging staging;
    struct ws_error error = {{0}};
    char target[64];
    snprintf(target, sizeof(target), "%s/set", folder);
    write_tree(&staging, target);
    ws_error_set(&error, "cannot write '%s/a': no room", staging.path);
    ws_staging_name(&staging, "set", &error);
    assert_string_equal(error.message, "cannot write 'set/a': no room");
    ws_staging_drop(&staging);
    assert_string_equal(found(), "");
    /* A folder that was there stays. */
    assert_int_equal(mkdir(target, 0777), 0);
    write_tree(&staging, target);
    ws_staging_drop(&staging);
    assert_string_equal(found(), "./set ");
    write_tree(&staging, target);
    assert_true(ws_staging_keep(&staging, true, &error));
    ws_staging_drop(&staging);
    assert_string_equal(found(), "./set ./set/a ./set/a/b ./set/a/b/file ");
    snprintf(target, sizeof(target), "rm -r '%s/set'", folder);
    assert_int_equal(system(target), 0);
}

/* A signal takes away what was written, and what was made for it. */
static void signals(void **state)
{
    (void)state;
    int status = 0;
    char target[64];
    snprintf(target, sizeof(target), "%s/set", folder);
    for (int is_there = 0; is_there < 2; ++is_there) {
        if (is_there)
            assert_int_equal(mkdir(target, 0777), 0);
        const pid_t child = fork();
        assert_int_not_equal(child, -1);
        if (child == 0) {
            struct ws_staging staging;
            write_tree(&staging, target);
            raise(SIGTERM);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGTERM);
        assert_string_equal(found(), is_there ? "./set " : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees), cmocka_unit_test(signals)};
    return cmocka_run_group_tests(tests, make, clear);
}
