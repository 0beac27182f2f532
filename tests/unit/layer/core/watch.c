/* What is told of that has not come back, and what is not. The limit is short. */
#include "layer/core/watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/core/message.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char said[1024];
static unsigned said_count, asked_count;
static bool over; /* what is_over answers */

void ws_message_notice_aside(struct ws_instance *instance, const char *format, ...)
{
    (void)instance;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    vsnprintf(said, sizeof(said), format, arguments);
    said_count++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

static bool is_over(void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    asked_count++;
    pthread_cond_signal(&changed);
    const bool answer = over;
    pthread_mutex_unlock(&lock);
    return answer;
}

static void wait_for(const unsigned *count, unsigned least)
{
    pthread_mutex_lock(&lock);
    while (*count < least)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void begin(struct ws_watch *watch, struct ws_watched *watched, const char *shaders)
{
    *watched = (struct ws_watched){
        .what = "a submission", .shaders = shaders != NULL ? strdup(shaders) : NULL, .is_over = is_over};
    ws_watch_begin(watch, watched);
}

#define LIMIT (WS_WATCH_SECOND / 50)

static int set_up(void **state)
{
    said_count = asked_count = 0;
    over = false;
    *state = ws_watch_create(NULL, LIMIT);
    return *state == NULL;
}

static int tear_down(void **state)
{
    ws_watch_destroy(*state);
    return 0;
}

static void tells_each_once(void **state)
{
    struct ws_watched first, second;
    begin(*state, &first, "compute 1 (2 sites)");
    wait_for(&said_count, 1);
    assert_non_null(strstr(said, "a submission has not come back after"));
    assert_non_null(strstr(said, "compute 1 (2 sites)"));
    begin(*state, &second, "compute 3 (4 sites)");
    wait_for(&said_count, 2);
    assert_non_null(strstr(said, "compute 3 (4 sites)"));
    ws_watch_end(&first);
    ws_watch_end(&second);
    ws_watch_end(&second);
    assert_int_equal(said_count, 2);
}

/* A call that creates pipelines compiles; a submission may also run for as long. */
static void says_what_is_known(void **state)
{
    struct ws_watched created, submitted;
    begin(*state, &created, "compute 1 (2 sites)");
    wait_for(&said_count, 1);
    assert_non_null(strstr(said, "; the driver may still be compiling: compute 1 (2 sites)."));
    ws_watch_end(&created);
    submitted =
        (struct ws_watched){.what = "a submission", .runs = true, .shaders = strdup("compute 3 (4 sites)")};
    ws_watch_begin(*state, &submitted);
    wait_for(&said_count, 2);
    assert_non_null(
        strstr(said, "; the driver may still be compiling these, or they run long: compute 3 (4 sites)."));
    ws_watch_end(&submitted);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * WS_WATCH_SECOND + (uint64_t)time.tv_nsec;
}

/* False where this thread waited for a processor meanwhile, beyond the limit: then it may be told of, rightly. */
static bool comes_back_in_time(struct ws_watch *watch)
{
    struct ws_watched watched;
    const uint64_t before = now();
    begin(watch, &watched, "compute 1 (2 sites)");
    ws_watch_end(&watched);
    return now() - before < LIMIT;
}

static void tells_nothing_of_what_came_back(void **state)
{
    struct ws_watched unnoticed;
    while (!comes_back_in_time(*state)) {
        tear_down(state);
        assert_int_equal(set_up(state), 0);
    }
    over = true;
    begin(*state, &unnoticed, "compute 3 (4 sites)");
    wait_for(&asked_count, 1);
    ws_watch_end(&unnoticed);
    assert_int_equal(asked_count, 1);
    assert_int_equal(said_count, 0);
}

/* Of few sites none can be left out that would be felt. */
static void proposes_what_helps(void **state)
{
    struct ws_watched watched;
    begin(*state, &watched, "compute 1 (2 sites)");
    wait_for(&said_count, 1);
    assert_non_null(strstr(said, "WARPSCOPE_SHADERS='!HASH'"));
    assert_null(strstr(said, "WARPSCOPE_SITES_BUDGET"));
    ws_watch_end(&watched);
    watched = (struct ws_watched){
        .what = "a submission", .shaders = strdup("compute 1 (400 sites)"), .sites = 400, .is_over = is_over};
    ws_watch_begin(*state, &watched);
    wait_for(&said_count, 2);
    assert_non_null(strstr(said, "WARPSCOPE_SITES_BUDGET=100"));
    ws_watch_end(&watched);
}

/* Longer than the thread stays awake for nothing: it is woken. */
static void wakes_again(void **state)
{
    struct ws_watched watched;
    begin(*state, &watched, "compute 1 (2 sites)");
    ws_watch_end(&watched);
    usleep(100000);
    begin(*state, &watched, "compute 3 (4 sites)");
    wait_for(&said_count, 1);
    ws_watch_end(&watched);
}

/* Without memory for the text, and without a watch. */
static void watches_nothing(void **state)
{
    struct ws_watched watched;
    begin(*state, &watched, NULL);
    assert_null(watched.watch);
    begin(NULL, &watched, "compute 1 (2 sites)");
    assert_null(watched.watch);
    assert_null(watched.shaders);
    ws_watch_end(&watched);
}

static void outlives_its_watch(void **state)
{
    struct ws_watched watched;
    begin(*state, &watched, "compute 1 (2 sites)");
    ws_watch_destroy(*state);
    *state = NULL;
    ws_watch_end(&watched);
    assert_null(watched.shaders);
}

/* In the child there is no thread: nothing waits for it. */
static void forks(void **state)
{
    struct ws_watched before, inside;
    begin(*state, &before, "compute 1 (2 sites)");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(200); /* nothing waits for a thread that is not there */
        begin(*state, &inside, "compute 3 (4 sites)");
        const bool watched = inside.watch != NULL;
        ws_watch_end(&inside);
        ws_watch_end(&before);
        ws_watch_destroy(*state);
        _exit(watched ? 1 : 0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    wait_for(&said_count, 1);
    ws_watch_end(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_each_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_what_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_nothing_of_what_came_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(proposes_what_helps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wakes_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(watches_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(outlives_its_watch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forks, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
