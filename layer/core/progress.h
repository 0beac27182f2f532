/* What the layer shows to `warpscope record` while the program runs (include/warpscope/progress.h).
 *
 * All of it may be called without such a command: then there is no part to write to (NULL), and nothing
 * happens. Nothing here waits, takes a lock or calls the system, but ws_progress_start. Thread-safe. */
#ifndef WS_LAYER_CORE_PROGRESS_H
#define WS_LAYER_CORE_PROGRESS_H

#include <stdint.h>

#include "warpscope/progress.h"

/* Finds the memory that the command shares, the first time. In a privileged process none is looked for. */
void ws_progress_start(void);

/* A part for a capture of this process; NULL where nobody looks, or all parts are taken. */
struct ws_progress_capture *ws_progress_take(void);

/* A VkInstance was asked for; a VkDevice was created; one of both failed with `result`. */
void ws_progress_instance(void);
void ws_progress_device(void);
void ws_progress_refused(int32_t result);

/* Changes a number of a part: `member` is its name. */
#define WS_PROGRESS_ADD(part, member, number)                                                                \
    do {                                                                                                     \
        if ((part) != NULL)                                                                                  \
            atomic_fetch_add_explicit(&(part)->member, (number), memory_order_relaxed);                      \
    } while (0)
#define WS_PROGRESS_SUBTRACT(part, member, number)                                                           \
    do {                                                                                                     \
        if ((part) != NULL)                                                                                  \
            atomic_fetch_sub_explicit(&(part)->member, (number), memory_order_relaxed);                      \
    } while (0)
#define WS_PROGRESS_SET(part, member, number)                                                                \
    do {                                                                                                     \
        if ((part) != NULL)                                                                                  \
            atomic_store_explicit(&(part)->member, (number), memory_order_relaxed);                          \
    } while (0)

#endif
