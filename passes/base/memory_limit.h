/* A limit on the memory of this process, for work on untrusted input: an allocation that goes beyond it fails
 * and is reported, before the machine runs out of memory. */
#ifndef WS_PASSES_BASE_MEMORY_LIMIT_H
#define WS_PASSES_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* Allows this process, and those that it starts, `bytes` more data than it has now. A limit that is lower
 * already stays. Nothing is limited where the system does not say how much memory the process has. Not
 * thread-safe. */
void ws_limit_memory(uint64_t bytes);

/* How much memory reading a capture may take, in bytes: half of the machine's. A limit is needed because a
 * few kilobytes of a capture that was made to do harm can decompress to 64 MiB of definitions. UINT64_MAX
 * where the system does not say how much memory there is. */
uint64_t ws_memory_for_captures(void);

#endif
