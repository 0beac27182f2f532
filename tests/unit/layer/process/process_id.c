/* A child knows that it is another process, however it was forked. */
#include "layer/process/process_id.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* In the child: whether it takes itself for what it is, now and when it is asked again. */
static int check_child(int parent)
{
    for (int i = 0; i < 2; ++i)
        if (ws_process_id() == parent || ws_process_id() != (int)getpid())
            return 1;
    return 0;
}

static void check_forked(long child, int parent)
{
    int status = -1;
    if (child == 0)
        _exit(check_child(parent));
    assert_true(child > 0);
    assert_true(waitpid((pid_t)child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(ws_process_id(), parent);
}

static void forked(void **state)
{
    (void)state;
    const int parent = (int)getpid();
    assert_int_equal(ws_process_id(), parent);
    assert_int_equal(ws_process_id(), parent);
    check_forked(fork(), parent);
    /* Handlers of pthread_atfork are not called. */
    check_forked(syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, 0UL), parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
