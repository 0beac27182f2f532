#include "tests/unit/analysis/model/failing_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Allocations until the one that fails; where it is below 0, none does. */
static atomic_long left = -1;

void failing_memory_begin(long succeeding)
{
    atomic_store(&left, succeeding);
}

long failing_memory_end(void)
{
    return atomic_exchange(&left, -1);
}

static bool fails(void)
{
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size)
{
    return fails() ? NULL : __real_realloc(data, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}
