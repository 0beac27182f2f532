#include "tests/unit/analysis/model/failing_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Allocations until the one that fails; where it is below 0, none does. */
static atomic_long left = -1;
static atomic_bool for_good; /* those behind that one fail too */
static atomic_bool failed;

static void begin(long succeeding, bool all)
{
    atomic_store(&failed, false);
    atomic_store(&for_good, all);
    atomic_store(&left, succeeding);
}

void failing_memory_begin(long succeeding)
{
    begin(succeeding, false);
}

void failing_memory_begin_for_good(long succeeding)
{
    begin(succeeding, true);
}

long failing_memory_end(void)
{
    atomic_store(&failed, false);
    return atomic_exchange(&left, -1);
}

static bool fails(void)
{
    if (atomic_load(&failed))
        return true;
    const bool fails_now = atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
    if (fails_now && atomic_load(&for_good))
        atomic_store(&failed, true);
    return fails_now;
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
