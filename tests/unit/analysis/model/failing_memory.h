/* Allocations that fail by number: malloc, calloc, realloc, aligned_alloc and strdup of all that is linked into the test, which
 * links failing_memory of meson.build. Thread-safe: threads count together. */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_FAILING_MEMORY_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_FAILING_MEMORY_H

/* From now on so many succeed, then one finds no memory, and then all succeed again. Below 0 none fails. */
void failing_memory_begin(long succeeding);

/* The same, and from then on none finds memory. */
void failing_memory_begin_for_good(long succeeding);

/* No more fails. Returns how many would have succeeded still; below 0 = one failed, or none was to. */
long failing_memory_end(void);

#endif
