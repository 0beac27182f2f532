/* Opening files in a process that is not ours: where their descriptors stand, and what is never written. */
#include "layer/process/open.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/process/write.h"
#include "passes/base/shared_folder.h"

static char folder[] = "/tmp/warpscope-open-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("shared", 0777) != 0 ||
           chmod("shared", 01777) != 0;
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command);
}

static int open_to_write(const char *path)
{
    const char *why = "";
    const int file = ws_open_to_write(path, 0600, &why);
    assert_true(file >= 0 || why[0] != '\0');
    return file;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void assert_content(const char *path, const char *text)
{
    char content[64] = "";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    const size_t size = fread(content, 1, sizeof(content) - 1, file);
    content[size] = '\0';
    fclose(file);
    assert_string_equal(content, text);
}

static void high_numbers(void **state)
{
    (void)state;
    const int file = open_to_write("high");
    assert_true(file >= 3);
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= 1024)
        assert_true(file >= 768);
    close(file);
    const int read_only = ws_open_to_read("high");
    assert_true(read_only >= 3);
    assert_int_equal(fcntl(read_only, F_GETFL) & O_ACCMODE, O_RDONLY);
    close(read_only);
    assert_int_equal(ws_open_to_read("missing"), -1);
    assert_int_equal(errno, ENOENT);
}

/* In a process of its own; 0 = all was as it should be. */
static int in_child(int (*run)(void))
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The numbers of the streams stay closed, whichever of them are. */
static int open_without_streams(void)
{
    for (int mask = 1; mask < 8; mask++) {
        for (int stream = 0; stream <= 2; stream++)
            if ((mask >> stream & 1) != 0)
                close(stream);
        const char *why;
        const int file = ws_open_to_write("low", 0600, &why);
        if (file < 3)
            return 1;
        close(file);
        for (int stream = 0; stream <= 2; stream++) {
            const bool closed = fcntl(stream, F_GETFD) == -1;
            const bool wanted = (mask >> stream & 1) != 0;
            if (closed != wanted)
                return 2;
        }
        for (int stream = 0; stream <= 2; stream++)
            if ((mask >> stream & 1) != 0)
                open("/dev/null", O_RDWR);
    }
    return 0;
}

/* With one number left, that one is used; with none, it fails. */
static int open_with_few(void)
{
    if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){8, 8}) != 0)
        return 1;
    int last = 0;
    for (int file = 0; file >= 0; file = dup(0))
        last = file;
    close(last);
    const char *why;
    if (ws_open_to_write("few", 0600, &why) != last || ws_open_to_read("few") >= 0)
        return 2;
    return ws_open_to_write("few", 0600, &why) < 0 && strcmp(why, strerror(EMFILE)) == 0 ? 0 : 3;
}

static void streams_and_limits(void **state)
{
    (void)state;
    assert_int_equal(in_child(open_without_streams), 0);
    assert_int_equal(in_child(open_with_few), 0);
}

/* In a folder of the user's own, links are followed, as anybody expects. */
static void own_folder(void **state)
{
    (void)state;
    struct stat status;
    assert_false(ws_folder_is_shared("target"));
    assert_false(ws_folder_is_shared("/etc/passwd"));
    put("target", "was here");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(symlink("new", "dangling"), 0);
    close(open_to_write("link"));
    assert_content("target", "was here"); /* not changed yet */
    close(open_to_write("dangling"));
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

/* In a folder that others can write, others may have put it there. */
static void shared_folder(void **state)
{
    (void)state;
    assert_true(ws_folder_is_shared("shared/capture"));
    put("precious", "precious");
    assert_int_equal(symlink("../precious", "shared/link"), 0);
    assert_int_equal(open_to_write("shared/link"), -1);
    assert_int_equal(symlink("../created", "shared/dangling"), 0);
    assert_int_equal(open_to_write("shared/dangling"), -1);
    assert_int_equal(access("created", F_OK), -1);
    assert_int_equal(link("precious", "shared/name"), 0);
    assert_int_equal(open_to_write("shared/name"), -1);
    assert_int_equal(mkfifo("shared/pipe", 0600), 0);
    assert_int_equal(open_to_write("shared/pipe"), -1);
    assert_content("precious", "precious");
    const int first = open_to_write("shared/capture");
    const int again = open_to_write("shared/capture"); /* one of our own */
    assert_true(first >= 0 && again >= 0);
    close(first);
    close(again);
    /* Another user's, which only the superuser can make here. */
    if (chown("shared/capture", 65534, 65534) == 0)
        assert_int_equal(open_to_write("shared/capture"), -1);
}

/* What the messages say and what becomes of an old file. */
static void files(void **state)
{
    (void)state;
    const char *why = NULL;
    put("old", "something long");
    assert_true(ws_write_file("old", "new", 3, &why));
    assert_content("old", "new");
    assert_false(ws_write_file("shared/link", "new", 3, &why));
    assert_non_null(strstr(why, "symbolic link"));
    assert_false(ws_write_file("nowhere/at/all", "new", 3, &why));
    assert_non_null(strstr(why, "No such file"));
}

/* At the limit on the size of files no signal comes, and no part of a file stays. */
static void limited_files(void **state)
{
    (void)state;
    const char *why = NULL;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){2, before.rlim_max});
    const bool written = ws_write_file("limited", "new", 3, &why);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(written);
    assert_string_equal(why, strerror(EFBIG));
    assert_int_equal(access("limited", F_OK), -1);
}

/* Neither waits for the other end. */
static void pipes(void **state)
{
    (void)state;
    const char *why = NULL;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(ws_open_to_write("pipe", 0600, &why), -1);
    assert_non_null(strstr(why, "nobody reads"));
    const int end = ws_open_to_read("pipe");
    assert_true(end >= 0);
    const int other = open_to_write("pipe");
    assert_true(other >= 0);
    assert_int_equal(fcntl(other, F_GETFL) & O_NONBLOCK, 0);
    close(end);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(high_numbers), cmocka_unit_test(streams_and_limits),
        cmocka_unit_test(own_folder),   cmocka_unit_test(shared_folder),
        cmocka_unit_test(files),        cmocka_unit_test(limited_files),
        cmocka_unit_test(pipes),
    };
    return cmocka_run_group_tests_name("layer open", tests, enter, leave);
}
