#include "layer/core/watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/core/message.h"
#include "layer/process/lock.h"
#include "layer/process/process_id.h"
#include "layer/process/thread.h"

struct ws_watch {
    struct ws_instance *instance;
    uint64_t limit;         /* nanoseconds */
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* the thread is to end, or asleep and something is watched */
    pthread_t thread;
    /* In which the thread runs; 0 = there is none yet, -1 = there can be none. Set with the lock, read without it, which a
     * fork's child cannot have. */
    _Atomic int process;
    bool asleep; /* the thread waits without a time: nothing was watched for a while */
    bool ending;
    uint64_t begun; /* how often something began to be watched */
    struct ws_watched *list;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * WS_WATCH_SECOND + (uint64_t)time.tv_nsec;
}

struct ws_watch *ws_watch_create(struct ws_instance *instance, uint64_t limit)
{
    struct ws_watch *watch = calloc(1, sizeof(*watch));
    pthread_condattr_t attributes;
    if (watch == NULL)
        return NULL;
    watch->instance = instance;
    watch->limit = limit;
    ws_lock_init(&watch->lock);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return watch;
}

/* The one that is to be told of next; NULL = none. */
static struct ws_watched *find_earliest(const struct ws_watch *watch)
{
    struct ws_watched *earliest = NULL;
    for (struct ws_watched *watched = watch->list; watched != NULL; watched = watched->following)
        if (!watched->told && (earliest == NULL || watched->since < earliest->since))
            earliest = watched;
    return earliest;
}

/* Fewer sites make a driver faster where they are many, so many as here; and a quarter of them is felt. */
#define MANY_SITES 40
#define LESS_SITES 4

/* With the lock, which it releases to print: that may take long. */
static void tell(struct ws_watch *watch, struct ws_watched *watched)
{
    const char *what = watched->what;
    const char *perhaps = watched->runs ? "the driver may still be compiling these, or they run long"
                                        : "the driver may still be compiling";
    char *shaders = NULL;
    char fewer[64] = "";
    watched->told = true;
    if (watched->sites >= MANY_SITES)
        snprintf(fewer, sizeof(fewer), "; for fewer sites: WARPSCOPE_SITES_BUDGET=%u",
                 (unsigned)(watched->sites / LESS_SITES));
    if (watched->is_over == NULL || !watched->is_over(watched->user))
        shaders = strdup(watched->shaders);
    if (shaders == NULL)
        return;
    ws_unlock(&watch->lock);
    ws_message_notice_aside(watch->instance,
                            "%s has not come back after %u s; %s: %s. To leave a shader out: "
                            "WARPSCOPE_SHADERS='!HASH'%s",
                            what, (unsigned)(watch->limit / WS_WATCH_SECOND), perhaps, shaders, fewer);
    free(shaders);
    ws_lock(&watch->lock);
}

static void *run(void *user)
{
    struct ws_watch *watch = user;
    uint64_t seen = 0;
    ws_lock(&watch->lock);
    while (!watch->ending) {
        struct ws_watched *earliest = find_earliest(watch);
        const uint64_t time = now();
        if (earliest != NULL && time >= earliest->since + watch->limit) {
            tell(watch, earliest);
            continue;
        }
        /* What begins meanwhile ends its time later than this; so the thread need not be woken for each call. */
        const uint64_t until = (earliest != NULL ? earliest->since : time) + watch->limit;
        const struct timespec limit = {.tv_sec = (time_t)(until / WS_WATCH_SECOND),
                                       .tv_nsec = (long)(until % WS_WATCH_SECOND)};
        watch->asleep = earliest == NULL && watch->begun == seen;
        seen = watch->begun;
        if (watch->asleep)
            ws_wait(&watch->changed, &watch->lock);
        else
            ws_wait_until(&watch->changed, &watch->lock, &limit);
        watch->asleep = false;
    }
    ws_unlock(&watch->lock);
    return NULL;
}

/* Whether the thread is there, in this process; it is started when it is not. With the lock. */
static bool have_thread(struct ws_watch *watch)
{
    if (atomic_load(&watch->process) == 0)
        atomic_store(&watch->process, ws_thread_start(&watch->thread, run, watch) ? ws_process_id() : -1);
    return atomic_load(&watch->process) > 0;
}

/* Whether this is a fork's child, where the thread is not, and the lock may be its for ever. */
static bool is_inherited(const struct ws_watch *watch)
{
    const int process = atomic_load(&watch->process);
    return process > 0 && process != ws_process_id();
}

void ws_watch_destroy(struct ws_watch *watch)
{
    if (watch == NULL || is_inherited(watch))
        return;
    ws_lock(&watch->lock);
    watch->ending = true;
    const bool started = atomic_load(&watch->process) > 0;
    pthread_cond_signal(&watch->changed);
    ws_unlock(&watch->lock);
    if (started)
        pthread_join(watch->thread, NULL);
    for (struct ws_watched *watched = watch->list; watched != NULL; watched = watched->following)
        watched->watch = NULL;
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void ws_watch_begin(struct ws_watch *watch, struct ws_watched *watched)
{
    bool begun = false;
    if (watch != NULL && watched->shaders != NULL && !is_inherited(watch)) {
        ws_lock(&watch->lock);
        begun = have_thread(watch);
        if (begun) {
            watched->watch = watch;
            watched->since = now();
            watched->told = false;
            watched->following = watch->list;
            watch->list = watched;
            watch->begun++;
            if (watch->asleep)
                pthread_cond_signal(&watch->changed);
        }
        ws_unlock(&watch->lock);
    }
    if (!begun) {
        free(watched->shaders);
        *watched = (struct ws_watched){0};
    }
}

void ws_watch_end(struct ws_watched *watched)
{
    struct ws_watch *watch = watched->watch;
    if (watch != NULL && !is_inherited(watch)) {
        ws_lock(&watch->lock);
        struct ws_watched **link = &watch->list;
        while (*link != watched)
            link = &(*link)->following;
        *link = watched->following;
        ws_unlock(&watch->lock);
    }
    free(watched->shaders);
    *watched = (struct ws_watched){0};
}
