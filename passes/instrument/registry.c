#include "passes/instrument/registry.h"

#include <string.h>
#include <threads.h>

/* Builds of the tests have one pass more (tests/noise); users never see it. */
#ifndef WS_TEST_PASS
#define WS_TEST_PASS(X)
#endif

/* A new pass is one more line here: X(name), for the struct ws_pass named ws_pass_<name>. Time is the last: `all` is
 * every pass before it. */
#define PASSES(X)                                                                                            \
    X(simt_efficiency)                                                                                       \
    X(execution_trace)                                                                                       \
    X(divergence)                                                                                            \
    X(thread_compaction)                                                                                     \
    X(warp_entry_exit)                                                                                       \
    X(ray_events)                                                                                            \
    WS_TEST_PASS(X)                                                                                          \
    X(time)

#define DECLARE(name) extern const struct ws_pass ws_pass_##name;
PASSES(DECLARE)
#undef DECLARE

#define ADDRESS(name) &ws_pass_##name,
static const struct ws_pass *const passes[] = {PASSES(ADDRESS)};
#undef ADDRESS

#define PASS_COUNT (sizeof(passes) / sizeof(passes[0]))

static struct ws_pass_description descriptions[PASS_COUNT];
static once_flag descriptions_once = ONCE_FLAG_INIT;

const struct ws_pass *ws_pass_find(const char *name)
{
    for (size_t i = 0; i < PASS_COUNT; i++)
        if (strcmp(passes[i]->name, name) == 0)
            return passes[i];
    return NULL;
}

static void describe(void)
{
    for (size_t i = 0; i < PASS_COUNT; i++) {
        descriptions[i] =
            (struct ws_pass_description){passes[i]->name, passes[i]->summary, passes[i]->stages};
    }
}

const struct ws_pass_description *ws_pass_list(size_t *count)
{
    call_once(&descriptions_once, describe);
    *count = PASS_COUNT;
    return descriptions;
}

bool ws_pass_choose(const char *name, size_t length, size_t *first, size_t *count)
{
    *first = 0;
    *count = PASS_COUNT - 1; /* what instrumented shaders take is no time of the program */
    if (length == 3 && memcmp(name, "all", 3) == 0)
        return true;
    *count = 1;
    while (*first < PASS_COUNT &&
           (strlen(passes[*first]->name) != length || memcmp(passes[*first]->name, name, length) != 0))
        (*first)++;
    return *first < PASS_COUNT;
}
