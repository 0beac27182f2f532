/* A limit on the memory of this process, for work on untrusted input: allocations then fail, and are
 * reported, before the machine runs out. */
#ifndef WS_PASSES_BASE_MEMORY_LIMIT_H
#define WS_PASSES_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* Allows this process and those that it starts `bytes` of data more than it has now; a limit that is lower
 * already stays. Where the system does not tell, nothing is limited. Not thread-safe. */
void ws_limit_memory(uint64_t bytes);

/* Half of the machine's memory, in bytes: what reading a capture may take. A few kilobytes of a capture made
 * to do harm decompress to 64 MiB of definitions. UINT64_MAX where the system does not tell. */
uint64_t ws_memory_for_captures(void);

#endif
