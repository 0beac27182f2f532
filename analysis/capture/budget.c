#include "warpscope/capture/budget.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <time.h>

/* The clock is read once in so many steps. */
#define CLOCK_STEPS (UINT64_C(1) << 20)

enum limit { LIMIT_NONE, LIMIT_STEPS, LIMIT_SECONDS };

static struct {
    bool begun;
    uint64_t least;   /* steps; 0 = WS_STEPS_LEAST */
    uint32_t seconds; /* 0 = steps are limited instead */
    _Atomic uint64_t bytes;
    _Atomic uint64_t spent;
    _Atomic uint64_t base;    /* steps that were spent when it was renewed */
    _Atomic int64_t deadline; /* ns; of CLOCK_MONOTONIC */
    _Atomic bool spent_all;   /* nothing is allowed any more */
    _Atomic int exceeded;     /* enum limit: which was exceeded first */
} budget;

static _Thread_local struct ws_budget_share *used; /* NULL = the thread spends the budget itself */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void ws_budget_begin(uint32_t seconds)
{
    budget.begun = true;
    budget.seconds = seconds;
    atomic_store(&budget.bytes, 0);
    atomic_store(&budget.spent, 0);
    atomic_store(&budget.base, 0);
    atomic_store(&budget.deadline, now() + (int64_t)seconds * 1000000000);
    atomic_store(&budget.spent_all, false);
    atomic_store(&budget.exceeded, LIMIT_NONE);
}

void ws_budget_set_least(uint64_t steps)
{
    budget.least = steps;
}

void ws_budget_reach(uint64_t bytes)
{
    uint64_t before = atomic_load(&budget.bytes);
    while (before < bytes && !atomic_compare_exchange_weak(&budget.bytes, &before, bytes))
        ;
}

static uint64_t allowed(void)
{
    const uint64_t least = budget.least > 0 ? budget.least : WS_STEPS_LEAST;
    return atomic_load(&budget.base) + least + WS_STEPS_PER_BYTE * atomic_load(&budget.bytes);
}

static void note_exceeded(enum limit limit)
{
    int none = LIMIT_NONE;
    if (limit != LIMIT_NONE)
        atomic_compare_exchange_strong(&budget.exceeded, &none, (int)limit);
}

/* The limit that is exceeded by whoever spends steps after `before` others. */
static enum limit limit_at(uint64_t before, uint64_t steps)
{
    enum limit limit = LIMIT_NONE;
    if (!budget.begun)
        return limit;
    if (budget.seconds == 0 && before + steps > allowed())
        limit = LIMIT_STEPS;
    else if (budget.seconds > 0 && before / CLOCK_STEPS != (before + steps) / CLOCK_STEPS &&
             now() > atomic_load(&budget.deadline))
        limit = LIMIT_SECONDS;
    note_exceeded(limit);
    return limit;
}

static bool spend_share(struct ws_budget_share *share, uint64_t steps)
{
    const uint64_t before = share->before + share->spent;
    share->spent += steps;
    share->spent_all = limit_at(before, steps) != LIMIT_NONE || share->spent_all;
    return !share->spent_all;
}

bool ws_budget_spend(uint64_t steps)
{
    if (used != NULL)
        return spend_share(used, steps);
    const uint64_t before = atomic_fetch_add_explicit(&budget.spent, steps, memory_order_relaxed);
    if (limit_at(before, steps) != LIMIT_NONE)
        atomic_store(&budget.spent_all, true);
    return !atomic_load_explicit(&budget.spent_all, memory_order_relaxed);
}

struct ws_budget_share ws_budget_share_make(void)
{
    return (struct ws_budget_share){.before = atomic_load(&budget.spent),
                                    .spent_all = atomic_load(&budget.spent_all)};
}

void ws_budget_share_use(struct ws_budget_share *share)
{
    used = share;
}

void ws_budget_share_return(const struct ws_budget_share *share)
{
    atomic_fetch_add(&budget.spent, share->spent);
    if (share->spent_all)
        atomic_store(&budget.spent_all, true);
}

void ws_budget_renew(void)
{
    if (!atomic_load(&budget.spent_all))
        return;
    atomic_store(&budget.base, atomic_load(&budget.spent));
    atomic_store(&budget.deadline, now() + (int64_t)budget.seconds * 250000000);
    atomic_store(&budget.spent_all, false);
}

bool ws_budget_exceeded(struct ws_error *error)
{
    switch (atomic_load(&budget.exceeded)) {
    case LIMIT_STEPS:
        ws_error_set(error,
                     "the capture asks for more work than %" PRIu64
                     " bytes can need; --max-seconds 600 works on it for so long",
                     atomic_load(&budget.bytes));
        return true;
    case LIMIT_SECONDS:
        ws_error_set(error, "the %" PRIu32 " seconds of --max-seconds were not enough for the capture",
                     budget.seconds);
        return true;
    default: return false;
    }
}

uint64_t ws_budget_spent(void)
{
    return atomic_load(&budget.spent);
}
