#include "root_placement.h"

#include <stdint.h>
#include <sys/mman.h>

/* Far from where kernels put programs, heaps, libraries and stacks on 64-bit Linux, and from the shadow
 * memory of the sanitizers: the middle of the 47-bit address space first, then places that exist with 39
 * bits too (small ARM kernels). Several, because a process may make several devices. */
static const uintptr_t places[] = {
#if UINTPTR_MAX > UINT32_MAX
    UINT64_C(0x200000000000), UINT64_C(0x200010000000), UINT64_C(0x200020000000), UINT64_C(0x200030000000),
    UINT64_C(0x3000000000),   UINT64_C(0x3010000000),   UINT64_C(0x3020000000),   UINT64_C(0x3030000000),
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
