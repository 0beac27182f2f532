/* Writing in a process that is not ours: threads that the application cancels. */
#include "layer/process/write.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* How far the cancelled thread came. */
static bool written, went_on;

/* write(2) is a cancellation point. A thread that ended there would keep the locks that it holds in the layer,
 * and all other threads would wait for them. */
static void *write_cancelled(void *file)
{
    if (pthread_cancel(pthread_self()) != 0)
        return NULL;
    written = ws_write_all(*(int *)file, "chunk", 5);
    pthread_testcancel();
    went_on = true;
    return NULL;
}

static void cancelled(void **state)
{
    (void)state;
    char text[8];
    int ends[2];
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_cancelled, &ends[1]), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_true(written);
    assert_false(went_on);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_int_equal(read(ends[0], text, sizeof(text)), 5);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cancelled)};
    return cmocka_run_group_tests_name("layer write", tests, NULL, NULL);
}
