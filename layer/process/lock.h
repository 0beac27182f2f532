/* The layer's locks, which the end of the process does not wait for.
 *
 * A program may call exit() in a signal handler, in the middle of a call of the layer, or in one thread while
 * others are in the layer. The layer then still writes what is known; but a lock that the interrupted code
 * holds is never released, and one that another thread holds may stay held for as long as that thread is
 * stopped. So every lock of the layer is taken with these functions (tests/tree checks it), and what the
 * layer does at exit stands in ws_end_process: where a lock cannot be had, it ends there. */
#ifndef WS_LAYER_PROCESS_LOCK_H
#define WS_LAYER_PROCESS_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* For a static one. Like ws_lock_init it makes a lock that knows its holder. */
#define WS_LOCK_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

/* Makes a lock that is not static. */
void ws_lock_init(pthread_mutex_t *lock);

/* A lock is destroyed with pthread_mutex_destroy.
 *
 * A thread that already has the lock goes on: then the application calls Vulkan out of a signal handler that
 * has interrupted the layer, or ends in one and cleans up with atexit. Without the lock that may go wrong;
 * waiting for it would never end. */
void ws_lock(pthread_mutex_t *lock);

/* The same, but false where this thread already has the lock: for what must not be done twice at once. */
bool ws_lock_once(pthread_mutex_t *lock);
bool ws_try_lock(pthread_mutex_t *lock);
void ws_unlock(pthread_mutex_t *lock);

/* Waits for a condition, which the caller then looks at again. In the thread that ends the process it waits for a second
 * at most: false then. */
bool ws_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

/* The same, but to a time of the condition's clock at most. Not for the thread that ends the process. */
void ws_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until);

/* The same for locks of readers and writers. */
void ws_lock_to_read(pthread_rwlock_t *lock);
void ws_lock_to_write(pthread_rwlock_t *lock);
bool ws_try_lock_to_write(pthread_rwlock_t *lock);
void ws_unlock_both(pthread_rwlock_t *lock);

/* Calls `finish`, which does what is to be done when the process ends, in this thread. In it, a lock that this
 * thread holds already, or that another holds for longer than a second in all, ends the call at once: what
 * `finish` has not done yet is left undone, and what it has locked stays locked. False then. To be called
 * once, by the thread that ends the process. */
bool ws_end_process(void (*finish)(void));

#endif
