/* Threads of ours in the application's process. */
#ifndef WS_LAYER_PROCESS_THREAD_H
#define WS_LAYER_PROCESS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that gets none of the application's signals; signals that it raises itself (SIGXFSZ, SIGPIPE) stay
 * pending in it. False where the process may have no more threads. Thread-safe, and takes no lock. */
bool ws_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

#endif
