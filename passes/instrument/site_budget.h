/* The budget of sites: how much code the passes may put into one shader, so that its driver compiles it in tolerable time.
 *
 * A shader has its sites as often as drivers have it: they inline functions, so a site in a function that is called from ten
 * places costs ten. The cost of a site is 1 for a counter or a record, and more for a probe whose functions are larger
 * (ws_link_weight). What the sites of an entry point cost may not exceed options.sites_budget.
 *
 * WS_SITES_BUDGET_AUTO sets a limit only for kernels that might be compiled for many minutes: compute shaders that reach a
 * barrier and have more than WS_AUTO_BLOCKS blocks, inlined. Mesa's software device makes such kernels into coroutines,
 * and LLVM's time for that grows with more than the square of their size, plain as well. Measured is the CPU time of a
 * kernel's first use without the driver's cache (tests/bench/kernels.py BLOCKS --barriers, Mesa 25.0, LLVM 15), as a ratio to
 * plain, with all sites; one run each of the larger ones:
 *
 *     blocks   plain   simt_efficiency   execution_trace   all passes
 *     250       2 s    1.8               1.4               2.0
 *     700      11 s    2.4               1.9               2.9
 *     1000     22 s    2.2
 *
 * Beyond that nothing is measured; so many sites as WS_AUTO_BLOCKS_PER_SITE allows, where each cost most, took 3 times.
 *
 * Beyond a limit, sites where blocks begin are left out, and nothing else of the built-in passes: entries, ends, calls and
 * rays are what records hang on. Kept are first the beginnings of functions and of loops, then the blocks (with those that
 * share their counter) that stand in more loops and have more instructions. What is left out is a skip with the reason
 * ws_site_budget_reason. A block that shares a counter or a record with one that is kept is kept too, since it costs nothing.
 * Sites of probes come last, in the order of the module, as long as there is room. */
#ifndef WS_PASSES_INSTRUMENT_SITE_BUDGET_H
#define WS_PASSES_INSTRUMENT_SITE_BUDGET_H

#include "passes/instrument/plan.h"

#define WS_AUTO_BLOCKS          1024
#define WS_AUTO_BLOCKS_PER_SITE 12

extern const char *const ws_site_budget_reason;

/* The budget of one module. All is allocated from the module's arena. */
struct ws_site_budget {
    uint64_t *limits; /* per entry point: options.sites_budget; UINT64_MAX = none */
    bool measuring;   /* the walk only finds out what all sites cost */
    uint32_t *
        instances; /* per function: how often the entry point that has it most often has it, once it is inlined */
    uint32_t *function_costs; /* per function: sites of built-in passes, once */
    bool *decided;            /* per function: it has been decided which of its blocks are left out */
    uint64_t *spent;          /* per entry point: what its sites cost, as far as they are decided */
    uint32_t *costs;          /* per module->blocks: sites where the block begins, once */
    bool *left_out;           /* per module->blocks: nothing new is put where it begins */
};

/* Makes the budget of a module, for `built_in` built-in passes and the probes of the options: `*budget` receives NULL where
 * no entry point has a limit. If `*measure` is true, the caller sets `measuring`, walks the module with the built-in passes
 * alone, and calls ws_site_budget_choose. False and `error` if there is no memory. */
bool ws_site_budget_make(struct ws_site_budget **budget, const struct ws_instrument_plan *plan,
                         size_t built_in, const struct ws_instrument_options *options, bool *measure,
                         struct ws_error *error);

/* Decides what is left out, by what was spent. False and `error` if there is no memory. */
bool ws_site_budget_choose(struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                           struct ws_error *error);

/* Notes a site of a built-in pass, while it measures. `block` is where it begins a block; WS_NONE = it stands elsewhere. A
 * budget of NULL is accepted. */
void ws_site_budget_spend(struct ws_site_budget *budget, uint32_t function, uint32_t block);

/* Whether nothing new is to be put where a block begins. Likewise. */
static inline bool ws_site_budget_leaves_out(const struct ws_site_budget *budget, uint32_t block)
{
    return budget != NULL && budget->left_out[block];
}

/* Takes room for a site of a probe, of this cost; false where there is none. Likewise. */
bool ws_site_budget_take(struct ws_site_budget *budget, const struct ws_instrument_plan *plan,
                         uint32_t function, uint32_t cost);

#endif
