#include "layer/process/lock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <time.h>

/* While the process ends: the thread that ends it, and where it goes on when it cannot have a lock. */
static _Atomic bool ending;
static pthread_t ending_thread;
static jmp_buf given_up;

/* How many milliseconds are still waited for locks of other threads, while the process ends. */
static unsigned patience = 1000;

static bool is_ending(void)
{
    return atomic_load_explicit(&ending, memory_order_acquire) &&
           pthread_equal(pthread_self(), ending_thread);
}

/* Tries again and again, with a time that is over, so that no try waits. EDEADLK: this thread has it. */
#define INSIST(try_it, lock)                                                                                 \
    do {                                                                                                     \
        static const struct timespec past, pause = {.tv_nsec = 1000000};                                     \
        int result;                                                                                          \
        while ((result = try_it(lock, &past)) == ETIMEDOUT && patience > 0) {                                \
            patience--;                                                                                      \
            nanosleep(&pause, NULL);                                                                         \
        }                                                                                                    \
        if (result != 0)                                                                                     \
            longjmp(given_up, 1);                                                                            \
    } while (0)

void ws_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

bool ws_lock_once(pthread_mutex_t *lock)
{
    if (!is_ending())
        return pthread_mutex_lock(lock) != EDEADLK;
    INSIST(pthread_mutex_timedlock, lock);
    return true;
}

void ws_lock(pthread_mutex_t *lock)
{
    ws_lock_once(lock);
}

bool ws_try_lock(pthread_mutex_t *lock)
{
    return pthread_mutex_trylock(lock) == 0;
}

void ws_unlock(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
}

bool ws_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    struct timespec until;
    if (!is_ending())
        return pthread_cond_wait(condition, lock) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_cond_timedwait(condition, lock, &until) == 0;
}

void ws_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    pthread_cond_timedwait(condition, lock, until);
}

void ws_lock_to_read(pthread_rwlock_t *lock)
{
    if (is_ending())
        INSIST(pthread_rwlock_timedrdlock, lock);
    else
        pthread_rwlock_rdlock(lock);
}

void ws_lock_to_write(pthread_rwlock_t *lock)
{
    if (is_ending())
        INSIST(pthread_rwlock_timedwrlock, lock);
    else
        pthread_rwlock_wrlock(lock);
}

bool ws_try_lock_to_write(pthread_rwlock_t *lock)
{
    return pthread_rwlock_trywrlock(lock) == 0;
}

void ws_unlock_both(pthread_rwlock_t *lock)
{
    pthread_rwlock_unlock(lock);
}

bool ws_end_process(void (*finish)(void))
{
    volatile bool finished = false; /* C17 7.13.2.1: a local that changes behind setjmp */
    ending_thread = pthread_self();
    if (setjmp(given_up) == 0) { /* setjmp may not stand in an initializer (C17 7.13.1.1) */
        atomic_store_explicit(&ending, true, memory_order_release);
        finish();
        finished = true;
    }
    /* Destructors of other libraries may still call Vulkan in this thread. */
    atomic_store_explicit(&ending, false, memory_order_release);
    return finished;
}
