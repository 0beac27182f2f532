/* Folders that are written beside where they belong: kept, dropped, taken away by a signal; and links that lead nowhere. */
#include "analysis/output/staging.h"

#include <dirent.h>
#include <errno.h>
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
    assert_int_equal(rmdir(target), 0);
}

/* Writes `text` into a file of the folder. */
static void put_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool write_part(const struct ws_staging *staging, const char *name, struct ws_error *error)
{
    FILE *file = ws_staging_open_part(staging, name, error);
    return file != NULL && fputs("new", file) >= 0 && ws_staging_close_part(staging, name, file, true, error);
}

/* Files of a tree replace files alone. */
static void parts(void **state)
{
    (void)state;
    struct ws_staging staging;
    struct ws_error error = {{0}};
    char line[128];
    put_file("old", "old");
    put_file("capture", "WSCOPE\r\n and more");
    snprintf(line, sizeof(line), "cd '%s' && ln -s old link && mkdir there", folder);
    assert_int_equal(system(line), 0);
    if (!ws_staging_begin_tree(&staging, folder, &error))
        fail_msg("%s", error.message);
    if (!write_part(&staging, "old", &error))
        fail_msg("%s", error.message);
    static const char *const refused[][2] = {
        {"link", "is no file"}, {"there", "is no file"}, {"capture", "is a capture"}};
    for (size_t i = 0; i < 3; ++i) {
        error.message[0] = '\0';
        assert_false(write_part(&staging, refused[i][0], &error));
        assert_non_null(strstr(error.message, refused[i][1]));
    }
    assert_true(ws_staging_keep(&staging, true, &error));
    assert_string_equal(found(), "./capture ./link ./old ./there ");
    snprintf(line, sizeof(line), "cd '%s' && test \"$(cat old)\" = new && rm -r capture link old there",
             folder);
    assert_int_equal(system(line), 0);
}

/* A run that SIGKILL ended leaves its folder, which the next one takes away, but not what is in use or may be. */
static void leftovers(void **state)
{
    (void)state;
    struct ws_staging staging;
    struct ws_staging other;
    struct ws_error error = {{0}};
    char line[256];
    int status = 0;
    const pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        write_tree(&staging, folder);
        raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_non_null(strstr(found(), "/a/b/file "));
    assert_false(ws_staging_remove_left(folder)); /* it may have been made just now */
    snprintf(line, sizeof(line), "cd '%s' && touch -d '2 minutes ago' .warpscope-*", folder);
    assert_int_equal(system(line), 0);
    write_tree(&staging, folder);
    assert_int_equal(system(line), 0);
    assert_false(ws_staging_remove_left(folder)); /* it is in use */
    ws_staging_drop(&staging);
    assert_string_equal(found(), "");
    /* The same where one file is meant. */
    snprintf(line, sizeof(line),
             "cd '%s' && mkdir -m 700 .warpscope-unfinished-abcdef && touch -d '2 minutes ago' .w*", folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof(line), "%s/file", folder);
    assert_true(ws_staging_begin(&other, line, &error));
    ws_staging_drop(&other);
    assert_string_equal(found(), "");
}

/* A folder that the user made stays with what is in it, also where its name is as long as that of ours, or the same. */
static void folders_of_users(void **state)
{
    (void)state;
    char line[256];
    snprintf(line, sizeof(line),
             "cd '%s' && mkdir -m 700 .warpscope-config && mkdir -m 755 .warpscope-unfinished-abcdef && "
             "touch .warpscope-config/a .warpscope-unfinished-abcdef/b && touch -d '2 minutes ago' .w*",
             folder);
    assert_int_equal(system(line), 0);
    assert_false(ws_staging_remove_left(folder));
    assert_string_equal(found(), "./.warpscope-config ./.warpscope-config/a "
                                 "./.warpscope-unfinished-abcdef ./.warpscope-unfinished-abcdef/b ");
    snprintf(line, sizeof(line), "cd '%s' && rm -r .w*", folder);
    assert_int_equal(system(line), 0);
}

/* No file is written over that is read, whatever it is called. */
static void inputs(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    char in[64];
    char out[64];
    char line[128];
    put_file("in", "");
    snprintf(in, sizeof(in), "%s/in", folder);
    snprintf(line, sizeof(line), "cd '%s' && ln in hard && ln -s in soft && touch other", folder);
    assert_int_equal(system(line), 0);
    static const char *const names[] = {"in", "hard", "soft", "./in"};
    for (size_t i = 0; i < 4; ++i) {
        snprintf(out, sizeof(out), "%s/%s", folder, names[i]);
        error.message[0] = '\0';
        assert_false(ws_staging_spares(out, "-o", in, "file", &error));
        assert_non_null(strstr(error.message, "' would overwrite '"));
    }
    static const char *const others[] = {"other", "nothing"};
    for (size_t i = 0; i < 2; ++i) {
        snprintf(out, sizeof(out), "%s/%s", folder, others[i]);
        assert_true(ws_staging_spares(out, "-o", in, "file", &error));
    }
    snprintf(line, sizeof(line), "rm '%s'/*", folder);
    assert_int_equal(system(line), 0);
}

#define MANY 3000

/* Makes many files, and keeps them. */
static void keep_many(const char *target)
{
    struct ws_staging staging;
    struct ws_error error = {{0}};
    char path[PATH_MAX + 32];
    if (!ws_staging_begin_tree(&staging, target, &error))
        _exit(1);
    for (int i = 0; i < MANY; ++i) {
        snprintf(path, sizeof(path), "%s/%d", staging.path, i);
        if (mkdir(path, 0777) != 0)
            _exit(1);
    }
    _exit(ws_staging_keep(&staging, true, &error) ? 0 : 1);
}

/* Entries of the folder that stand under their name; 0 where it is not there. */
static int count_kept(const char *target)
{
    int count = 0;
    DIR *entries = opendir(target);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    if (entries != NULL)
        closedir(entries);
    return count;
}

/* A signal that comes while files are moved to where they belong leaves all of them, and ends the process then. */
static void signal_while_moving(void **state)
{
    (void)state;
    int status = 0;
    char target[64];
    snprintf(target, sizeof(target), "%s/many", folder);
    const pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0)
        keep_many(target);
    bool ended = false;
    while (!ended && count_kept(target) == 0)
        ended = waitpid(child, &status, WNOHANG) == child;
    if (!ended) {
        kill(child, SIGTERM);
        waitpid(child, &status, 0);
    }
    assert_int_equal(count_kept(target), MANY);
    snprintf(target, sizeof(target), "rm -r '%s/many'", folder);
    assert_int_equal(system(target), 0);
    assert_string_equal(found(), "");
}

/* A link that cannot be followed: the reason is told. */
static void links(void **state)
{
    (void)state;
    struct ws_staging staging;
    struct ws_error error = {{0}};
    char path[64];
    char expected[256];
    snprintf(path, sizeof(path), "%s/link", folder);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_false(ws_staging_begin(&staging, path, &error));
    snprintf(
        expected, sizeof(expected),
        "cannot write '%s': it is a link to 'nowhere', which is not there: name that, or remove the link",
        path);
    assert_string_equal(error.message, expected);
    unlink(path);
    assert_int_equal(symlink("link", path), 0);
    error = (struct ws_error){{0}};
    assert_false(ws_staging_begin_tree(&staging, path, &error));
    snprintf(expected, sizeof(expected), "cannot write '%s': it is a link to 'link': %s; name another", path,
             strerror(ELOOP));
    assert_string_equal(error.message, expected);
    unlink(path);
    assert_string_equal(found(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees),  cmocka_unit_test(signal_while_moving),
                                       cmocka_unit_test(links),  cmocka_unit_test(signals),
                                       cmocka_unit_test(parts),  cmocka_unit_test(leftovers),
                                       cmocka_unit_test(inputs), cmocka_unit_test(folders_of_users)};
    return cmocka_run_group_tests(tests, make, clear);
}
