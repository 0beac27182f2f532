#include "layer/memory/root_placement.h"

#include <stdint.h>
#include <sys/mman.h>

/* Far from where kernels put programs, heaps, libraries and stacks on 64-bit Linux. Several, because a
 * process may make several devices. Those below 2^39 exist on small ARM kernels too, and are memory of the
 * application to the thread and memory sanitizers, which end a process that maps what they keep for
 * themselves; the address sanitizer has all of that mapped, so that the others are taken with it. */
static const uintptr_t places[] = {
#if UINTPTR_MAX > UINT32_MAX
    UINT64_C(0x3000000000),   UINT64_C(0x3010000000),   UINT64_C(0x3020000000),   UINT64_C(0x3030000000),
    UINT64_C(0x3040000000),   UINT64_C(0x3050000000),   UINT64_C(0x3060000000),   UINT64_C(0x3070000000),
    UINT64_C(0x200000000000), UINT64_C(0x200010000000), UINT64_C(0x200020000000), UINT64_C(0x200030000000),
#else
    0x30000000,
    0x30100000,
#endif
};

void *ws_root_placement_map(size_t size)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        void *wanted = (void *)places[i];
        void *memory = mmap(wanted, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == wanted)
            return memory;
        /* Kernels before 4.17 take the address as a hint only. */
        if (memory != MAP_FAILED)
            munmap(memory, size);
    }
    return NULL;
}
