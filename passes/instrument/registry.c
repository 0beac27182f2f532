#include "passes/instrument/registry.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

/* Builds of the tests have one pass more (tests/noise); users never see it. */
#ifndef WS_TEST_PASS
#define WS_TEST_PASS(X)
#endif

/* A new pass is one more line here: X(name), for the struct ws_pass named ws_pass_<name>. `all` is every pass before
 * memory_access: these cost more than others where there are many loads, and times of instrumented shaders are
 * none of the program's. Those of plug-ins follow, and are not in `all`. */
#define PASSES(X)                                                                                            \
    X(simt_efficiency)                                                                                       \
    X(execution_trace)                                                                                       \
    X(divergence)                                                                                            \
    X(thread_compaction)                                                                                     \
    X(warp_entry_exit)                                                                                       \
    X(ray_events)                                                                                            \
    WS_TEST_PASS(X)                                                                                          \
    X(memory_access)                                                                                         \
    X(memory_trace)                                                                                          \
    X(memory_check)                                                                                          \
    X(payloads)                                                                                              \
    X(warp_time)                                                                                             \
    X(time)

#define DECLARE(name) extern const struct ws_pass ws_pass_##name;
PASSES(DECLARE)
#undef DECLARE

#define COUNT(name) +1
#define BUILT_IN    (0 PASSES(COUNT))

/* Those that are built in stand first. What is added is written before `pass_count` says so. */
#define ADDRESS(name) &ws_pass_##name,
static const struct ws_pass *passes[BUILT_IN + WS_PASS_PLUGINS_MAX] = {PASSES(ADDRESS)};
#undef ADDRESS
static _Atomic size_t pass_count = BUILT_IN;

static struct ws_pass_description descriptions[BUILT_IN + WS_PASS_PLUGINS_MAX];
static once_flag descriptions_once = ONCE_FLAG_INIT;

const struct ws_pass *ws_pass_find(const char *name)
{
    const size_t count = pass_count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(passes[i]->name, name) == 0)
            return passes[i];
    return NULL;
}

static void describe(size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        descriptions[i] =
            (struct ws_pass_description){passes[i]->name, passes[i]->summary, passes[i]->stages};
}

static void describe_built_in(void)
{
    describe(0, BUILT_IN);
}

bool ws_pass_add(const struct ws_pass *const *added, size_t count)
{
    const size_t first = pass_count;
    if (count > BUILT_IN + WS_PASS_PLUGINS_MAX - first)
        return false;
    memcpy(passes + first, added, count * sizeof(*added));
    describe(first, count);
    pass_count = first + count;
    return true;
}

const struct ws_pass_description *ws_pass_list(size_t *count)
{
    call_once(&descriptions_once, describe_built_in);
    *count = pass_count;
    return descriptions;
}

bool ws_pass_choose(const char *name, size_t length, size_t *first, size_t *count)
{
    const size_t known = pass_count;
    *first = 0;
    *count = 0;
    while (passes[*count] != &ws_pass_memory_access)
        (*count)++;
    if (length == 3 && memcmp(name, "all", 3) == 0)
        return true;
    *count = 1;
    while (*first < known &&
           (strlen(passes[*first]->name) != length || memcmp(passes[*first]->name, name, length) != 0))
        (*first)++;
    return *first < known;
}
