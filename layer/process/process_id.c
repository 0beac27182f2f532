/* The number is kept in a page that the system clears in a child, however it was forked (madvise(2), MADV_WIPEONFORK; since
 * Linux 4.14). A handler of pthread_atfork would not be called where the program forks by clone(2) itself. Where the system has
 * no such pages it is asked each time. The page stays: the layer is never unloaded, and threads may be in it while the process
 * ends. */
#include "layer/process/process_id.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic int *kept; /* in that page; NULL = there is none */

__attribute__((constructor)) static void make_page(void)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, size, MADV_WIPEONFORK) == 0)
        kept = page;
    else
        munmap(page, size);
}

int ws_process_id(void)
{
    int process = kept != NULL ? atomic_load_explicit(kept, memory_order_relaxed) : 0;
    if (process != 0)
        return process;
    process = (int)getpid();
    if (kept != NULL)
        atomic_store_explicit(kept, process, memory_order_relaxed);
    return process;
}
