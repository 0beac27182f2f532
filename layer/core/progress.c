#include "layer/core/progress.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer/process/lock.h"
#include "layer/process/privileges.h"
#include "layer/process/shared.h"

static pthread_mutex_t start_lock = WS_LOCK_INITIALIZER; /* guards `started` */
static bool started;
static struct ws_progress *_Atomic shared; /* NULL = nobody looks */

void ws_progress_start(void)
{
    ws_lock(&start_lock);
    const char *path = started || ws_process_is_privileged() ? NULL : secure_getenv(WS_PROGRESS_VARIABLE);
    started = true;
    struct ws_progress *found = path != NULL ? ws_map_shared(path, sizeof(*found)) : NULL;
    if (found != NULL && found->magic == WS_PROGRESS_MAGIC)
        atomic_store(&shared, found);
    ws_unlock(&start_lock);
}

struct ws_progress_capture *ws_progress_take(void)
{
    struct ws_progress *progress = atomic_load(&shared);
    for (size_t i = 0; progress != NULL && i < WS_PROGRESS_CAPTURES; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&progress->captures[i].process, &nobody, (uint32_t)getpid()))
            return &progress->captures[i];
    }
    return NULL;
}

void ws_progress_instance(void)
{
    struct ws_progress *progress = atomic_load(&shared);
    WS_PROGRESS_ADD(progress, instances, 1);
}

void ws_progress_device(void)
{
    struct ws_progress *progress = atomic_load(&shared);
    WS_PROGRESS_ADD(progress, devices, 1);
}

void ws_progress_refused(int32_t result)
{
    struct ws_progress *progress = atomic_load(&shared);
    WS_PROGRESS_SET(progress, refusal, result);
    WS_PROGRESS_ADD(progress, failed, 1);
}
