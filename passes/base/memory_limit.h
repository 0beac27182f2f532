/* A limit on the memory of this process, for work on untrusted input: an allocation that goes beyond it fails
 * and is reported, before the machine runs out of memory. */
#ifndef WS_PASSES_BASE_MEMORY_LIMIT_H
#define WS_PASSES_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Allows this process, and those that it starts, `bytes` more data than it has now. A limit that is lower
 * already stays. Nothing is limited where the system does not say how much memory the process has. Not
 * thread-safe. */
void ws_limit_memory(uint64_t bytes);

/* Whether the limit allows three times as much again as the process has taken since it was limited. Without a limit it does. */
bool ws_memory_is_ample(void);

/* How much memory this process could still take, in bytes: what is available on the machine (MemAvailable of
 * proc(5)), or less where its control group, or one above it, may take less (memory.max and memory.current of
 * version 2, memory.limit_in_bytes and memory.usage_in_bytes of version 1). UINT64_MAX where the system does
 * not say. `root` is "", or a folder that has files in place of /proc and /sys, for tests. */
uint64_t ws_memory_free(const char *root);

#endif
