/* Instruments one SPIR-V module. The layer and `warpscope instrument` call this; the passes do the work. It
 * does not know Vulkan.
 *
 * The result depends only on the module, the options and this version of Warpscope. What differs between
 * devices and pipelines enters later, through specialization constants (root.h). For example, to count every
 * block:
 *
 *   const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY};
 *   const struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
 *   struct ws_instrumented *instrumented = ws_instrument(words, word_count, &options, &error);
 *   if (instrumented != NULL && instrumented->words != NULL)
 *       ... create the shader module from instrumented->words instead ...
 *   ws_instrumented_destroy(instrumented);
 *
 * Who needs what of it: captures, passes and analyses have the structs. An analysis in a plug-in may call the functions too,
 * which the command exports. A pass in a plug-in cannot: the layer exports nothing. The installed library, which reads
 * captures, has none of them. */
#ifndef WARPSCOPE_INSTRUMENT_H
#define WARPSCOPE_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"
#include "warpscope/root.h"
#include "warpscope/stage.h"

/* An id, index or offset that does not exist. */
#define WS_NONE UINT32_MAX

struct ws_probe; /* probe.h */

/* Clocks of shaders (SPV_KHR_shader_clock). */
enum ws_clock {
    WS_CLOCK_NONE,
    WS_CLOCK_SUBGROUP, /* what it shows is ordered within a subgroup alone */
    WS_CLOCK_DEVICE,   /* it is one for all of the device */
};

/* What to instrument and how. Zero-initialise, then set what differs. */
struct ws_instrument_options {
    const char *const *passes; /* names of passes (ws_pass_list); not owned */
    size_t pass_count;
    /* Probes are passes behind these: probe i has the index pass_count + i in sites and skips. Not owned; the result does
     * not need them. */
    const struct ws_probe *const *probes;
    size_t probe_count;
    /* SpvCapability: what probes may use although the module does not declare it, because the device has the feature
     * enabled. For example SpvCapabilityInt64 and SpvCapabilityInt64Atomics for the threads of min and max,
     * SpvCapabilityShaderClockKHR for clock(). What a function needs beyond these is a reason to skip its places. */
    const uint32_t *capabilities;
    size_t capability_count;
    enum ws_clock
        clock; /* the best one that the device has enabled; none: clock records are skipped, with WS_NO_CLOCK */
    uint32_t stages; /* mask of ws_stage to instrument; 0 = all */
    /* Mask of ws_stage where subgroup ballots work; 0 = all stages. Other stages count threads instead of
     * warps. */
    uint32_t subgroup_stages;
    uint32_t max_sites; /* further sites are skipped; 0 = no limit */
    /* What the sites of an entry point may cost, in counters: beyond that some blocks have none, and are skipped with the
     * reason WS_SITES_BUDGET (passes/instrument/site_budget.h). 0 = no limit; WS_SITES_BUDGET_AUTO. */
    uint32_t sites_budget;
    /* One warp in so many counts, in entry points that can be sampled (root.h, SAMPLING); 0 or 1 = every warp. At most
     * WS_SAMPLE_MAX. Not for passes that make records, which need all warps that a thread runs in. */
    uint32_t sample;
    bool per_block;       /* each block has a counter of its own, though equivalent blocks could share one */
    bool without_records; /* the device cannot make records: skip them, with the reason WS_NO_SHUFFLES */
    bool
        without_sums; /* the device has no subgroup arithmetic: each class of blocks is counted where it runs */
    /* The driver cannot compile what uses the result of an OpReportIntersectionKHR that its shader does not use: leave it
     * alone, with the reason WS_NO_REPORT_RESULT. */
    bool without_report_results;
};

/* As a sites_budget: no limit but for large kernels with barriers, which a software device would compile for minutes. */
#define WS_SITES_BUDGET_AUTO UINT32_MAX

/* The reason of what sites_budget leaves out. */
#define WS_SITES_BUDGET "left out by the budget of sites of a shader (WARPSCOPE_SITES_BUDGET=0 takes all)"

/* The reason of skipped records where counters are sampled: a thread runs in several warps, such as those of the shaders that
 * its rays call, of which one may be drawn and another not. */
#define WS_NO_SAMPLED_RECORDS                                                                                \
    "counters are sampled, and records need all warps that a thread runs in: sample them by --tile"

/* Mesa's RADV: a hit group without an any-hit shader has its reports removed, and what used their results crashes the
 * compiler. */
#define WS_NO_REPORT_RESULT                                                                                  \
    "whether an intersection was accepted: the driver crashes where that is used and no any-hit shader is "  \
    "there"

/* The reason of skipped records on a device without subgroup shuffles. The primitives of records need
 * these. */
#define WS_NO_SHUFFLES "the device has no subgroup shuffles, which records need"

/* The reason of skipped clock records. */
#define WS_NO_CLOCK "the device has no shader clock (VK_KHR_shader_clock)"

/* A basic block of the original module that some entry point reaches. Every lane that begins a block finishes
 * it. So a block of SPIR-V with instructions that may end lanes, such as a call of a function that discards, is
 * several blocks in a row here, with one label (warpscope/spirv/cuts.h). */
struct ws_block_info {
    uint32_t label;             /* result id of the OpLabel that it stands behind */
    uint32_t offset;            /* word offset of its first instruction in the original module */
    uint32_t length;            /* words from there to the end of its last instruction */
    uint32_t function;          /* result id of its OpFunction */
    uint32_t instruction_count; /* instructions that a device executes (warpscope/spirv/sites.h) */
};

/* What a site is. Numbers stay: captures hold them. */
enum ws_site_kind {
    WS_SITE_BLOCK = 0,  /* histogram row: executions of a block, by active lanes */
    WS_SITE_LAUNCH = 1, /* launch row: start of an entry point */
    WS_SITE_DATA = 2,   /* data record (records.h) */
    WS_SITE_COUNT = 3,  /* histogram row: executions of just this place, such as an entry or an end */
    WS_SITE_ENTRY = 4,  /* entry record: start of an entry point */
    /* Place records: */
    WS_SITE_PLACE_BLOCK = 5,  /* where a block begins */
    WS_SITE_PLACE_BEFORE = 6, /* before an instruction */
    WS_SITE_PLACE_AFTER = 7,  /* after an instruction */
    WS_SITE_PLACE_END = 8,    /* before what ends the shader invocation of a lane */
    WS_SITE_PLACE_SYNC = 9,   /* where a block begins that is a sync point (sync_points.h) */
    WS_SITE_PLACE_CALL = 10,  /* before an OpFunctionCall that leads to a call site (sync_points.h) */
    WS_SITE_CONTINUE = 11,    /* continuation (records.h), where lanes may have come into other warps */
    WS_SITE_PLACE_ENTRY = 12, /* where an entry point begins: its record is the entry record */
    WS_SITE_YIELD = 13,       /* call of a probe's function (probe.h) */
    WS_SITE_ACCESS = 14,      /* a row of an access to memory (passes.h, WS_TAG_MEMORY_ACCESS) */
    /* Of a path (records.h): its record; behind that, those of the turns of its loops; behind those, its places. */
    WS_SITE_PATH = 15,
    WS_SITE_PATH_TURNS = 16,
    WS_SITE_PATH_STEP = 17,
};

/* Whether sites of this kind are places that a place record or an entry record shows. */
static inline bool ws_site_is_place(uint32_t kind)
{
    return (kind >= WS_SITE_PLACE_BLOCK && kind <= WS_SITE_PLACE_CALL) || kind == WS_SITE_PLACE_ENTRY;
}

/* One site: one request of one pass at one place. Several sites may share a counter row or a record:
 *   - blocks that always run with the same lanes share a counter row, and so do all passes that count a
 *     place;
 *   - places that show the same lanes share a record (pass.h, ws_visit_record), and so do all passes that
 *     record a place.
 * Each of them still has a site of its own, with its own pass and tag. Sites with one number stand in the
 * order in which lanes come through them. */
struct ws_site_info {
    uint32_t pass; /* index in options.passes; WS_NONE: the runner's own (launch row, entry, continuation) */
    /* What the pass gave with its request; each pass has tags of its own. PATH_TURNS: WS_TURNS(word, bits), the index of the
     * first word of this loop among the words of a lane of the path, and how many bits a turn has; WS_TURNS_MARKED, _ONCE.
     * PATH_STEP: WS_STEP_ALL, WS_STEP or WS_STEP_REST. */
    uint32_t tag;
    uint32_t kind;  /* enum ws_site_kind */
    uint32_t block; /* index in blocks; for WS_SITE_LAUNCH and _ENTRY the entry point's first block */
    /* Word offset in the original module. At before, after, end, call and continue it is that of the
     * instruction which the site is about; else that of the instruction which follows the site. */
    uint32_t offset;
    /* BLOCK, LAUNCH, COUNT, ACCESS: the counter row. DATA: words per lane, fixed ones (struct ws_fixed_word) included. ENTRY,
     * PLACE_*, CONTINUE: the number that its records carry, which is the index of the first site with that number. YIELD:
     * where the site's area of yields begins (yields.h); WS_NONE = it has none. PATH: words per lane, 0 = it is a place
     * record. PATH_TURNS: the index of its PATH. PATH_STEP: the number of the places that it stands for, which records may
     * carry as well. */
    uint32_t row;
};

/* A word of data records that the module itself says, as a constant: it is the same in each record of the site, so no
 * record has it. It is one of the words that the site's row counts; the records have the others, in their order. */
struct ws_fixed_word {
    uint32_t site; /* index of the site, of kind DATA */
    uint32_t word; /* which of the words of a lane */
    uint32_t value;
};

/* Which lanes came by a step of a path: all; or those with that bit in that word; or, in a turn of a loop, those of an earlier
 * step of the loop, by its index among the path's steps, but for those with that bit. */
#define WS_STEP_ALL                   UINT32_MAX
#define WS_STEP(word, bit)            ((word) << 8 | (bit))
#define WS_STEP_REST(word, bit, base) (((base) + 1) << 16 | (word) << 8 | (bit))
#define WS_STEP_WORD(tag)             ((tag) >> 8 & 0xffu)
#define WS_STEP_BIT(tag)              ((tag)&0xffu)
#define WS_STEP_BASE(tag)             (((tag) >> 16) - 1) /* WS_NONE = it has none */
/* Bits of a turn of a loop that no word has: each turn has the first, a lane's last turn the other. */
#define WS_STEP_TURN 32u
#define WS_STEP_LAST 33u

/* Of a loop of a path. 0 bits: a word has one turn, in captures of version 3. Captures of version 4 have no marks. */
#define WS_TURNS(word, bits) ((word) | (bits) << 8)
#define WS_TURNS_WORD(tag)   ((tag)&0xffu)
#define WS_TURNS_BITS(tag)   ((tag) >> 8 & 0xffu)
#define WS_TURNS_MARKED      (1u << 16) /* a one stands before the first turn of a word */
#define WS_TURNS_BITS_MARKED 30u        /* of the turns of a word that is marked, at most */
/* Its records have a word per lane: a group of turns that came once. Behind this site stands that of groups that came more
 * often. Captures of version 4 have the latter alone. */
#define WS_TURNS_ONCE (1u << 17)

/* Of how many turns a group is; 0 = it cannot be. */
static inline uint32_t ws_turns_of_group(uint32_t tag)
{
    const uint32_t bits = WS_TURNS_BITS(tag);
    if ((tag & WS_TURNS_MARKED) != 0)
        return bits == 0 ? 0 : WS_TURNS_BITS_MARKED / bits;
    return bits == 0 ? 1 : 32 / bits;
}

/* Words per lane of a record of PATH_TURNS: a group of turns, and how many in a row were the same. */
static inline uint32_t ws_turns_words(uint32_t tag)
{
    return (tag & WS_TURNS_ONCE) != 0 ? 1 : 2;
}

#define WS_STEP_WORDS_OF_LOOP                                                                                \
    3u /* the last group, which need not be full, the groups before it, and how many of these there were */

/* When the depth and stencil tests of an instrumented fragment shader run (passes/instrument/fragment_tests.h). */
enum ws_fragment_tests {
    /* As before: it is no fragment shader, asks for early tests itself, or writes memory by itself. */
    WS_TESTS_UNCHANGED = 0,
    WS_TESTS_CAN_BE_EARLY = 1, /* late, unless it is given EarlyFragmentTests (ws_instrumented_early) */
    WS_TESTS_LATE = 2,         /* late: it must not be given EarlyFragmentTests */
};

/* An entry point of the module. */
struct ws_entry_info {
    const char *name;
    uint32_t stage;            /* enum ws_stage; 0 = a stage of no Vulkan pipeline: skipped */
    uint32_t function;         /* result id of its OpFunction */
    uint32_t row_first;        /* counter rows that it can reach: row_first .. row_first + row_count - 1 */
    uint32_t row_count;        /* 0 = the entry point is not instrumented */
    bool per_thread;           /* its rows count threads instead of warps (subgroup_stages) */
    const uint32_t *functions; /* result ids of the functions that it reaches, itself included */
    uint32_t function_count;
    uint32_t tests; /* enum ws_fragment_tests. Not in captures */
    bool no_place;  /* not instrumented, because it reaches no place that the passes want. Not in captures */
    /* Yield words that it can reach (yields.h): yield_first to yield_first + yield_count - 1; both even. */
    uint32_t yield_first;
    uint32_t yield_count; /* 0 = none */
    bool sampled;         /* only the warps that are drawn count (root.h, SAMPLING). Not in captures */
    uint32_t launch_row;  /* its launch row; WS_NONE = it has none. Not in captures */
};

/* A part of a row, whose words have those of others added: a loop header runs once for each run of the blocks before and at the
 * end, and a function for each of a block that calls it (passes/flow/equivalence.h). Rows behind the module's own are joint
 * ones, only parts of others (passes/instrument/marks.h). Who reads the counters adds the parts up by ws_add_row_parts. */
struct ws_row_part {
    uint32_t row;
    uint32_t part; /* another row */
};

/* What was not instrumented for one reason. A module has one such struct for each pass and reason. */
struct ws_skip_info {
    uint32_t pass;      /* index in options.passes, WS_NONE = every pass */
    uint32_t offset;    /* of the first, in words of the original module; WS_NONE = an entry point, or all */
    uint32_t count;     /* how many sites this stands for, at least 1 */
    const char *reason; /* static or arena string: one clause, such as "site limit reached" */
    bool
        no_records; /* WS_NO_SHUFFLES, WS_NO_SAMPLED_RECORDS or WS_NO_CLOCK: the pass makes no records at all */
    const uint32_t *entries; /* indices of the entry points that reach such a site, ascending */
    uint32_t entry_count;    /* 0 = the module as a whole */
};

/* An instrumented module, with all that is needed to read its counters and records. It owns all that its
 * pointers point to. It is never changed after ws_instrument, so several threads may read it. */
struct ws_instrumented {
    uint32_t *words; /* the module for the driver; NULL when nothing in it was instrumented */
    size_t word_count;
    uint32_t spec_ids[WS_SPEC_COUNT]; /* SpecId of each constant of root.h, WS_NONE = not used */
    uint32_t row_count;
    struct ws_row_part *parts; /* those of a row stand before it is a part itself */
    uint32_t part_count;
    uint32_t yield_count; /* yield words, over all entry points */
    /* Per probe: the first word of its area per shader, the same for all shaders of the module; WS_NONE = it has none. */
    uint32_t *shared_yields;
    uint32_t probe_count;
    struct ws_entry_info *entries;
    uint32_t entry_count;
    struct ws_block_info *blocks; /* in the order of the module */
    uint32_t block_count;
    struct ws_site_info *sites;
    uint32_t site_count;
    struct ws_fixed_word *fixed; /* rising by site and word */
    uint32_t fixed_count;
    struct ws_skip_info *skips;
    uint32_t skip_count;
    struct ws_arena *arena; /* owns all of the above */
};

/* Instruments a module of `word_count` words in host byte order. The words are read only during the call.
 * They are untrusted: any content gives a result or an error, in time linear in the module, without undefined
 * behaviour.
 *
 * Returns NULL and sets `error` when the module cannot be read or a pass is unknown. The message names the
 * word offset and the reason. The caller then uses the original module. If the module can be read but has
 * nothing to instrument, `words` of the result is NULL. The caller frees the result with
 * ws_instrumented_destroy.
 *
 * Thread-safe: of what is outside the call it writes only what it knows of the library, which the first call reads. */
struct ws_instrumented *ws_instrument(const uint32_t *words, size_t word_count,
                                      const struct ws_instrument_options *options, struct ws_error *error);

/* Whether any instrumented entry point can be given EarlyFragmentTests. */
bool ws_instrumented_can_be_early(const struct ws_instrumented *instrumented);

/* Returns the instrumented words in which all entry points with WS_TESTS_CAN_BE_EARLY have EarlyFragmentTests, as
 * `*word_count` words to be freed. NULL if there is no memory. */
uint32_t *ws_instrumented_early(const struct ws_instrumented *instrumented, size_t *word_count);

/* Adds the parts up in the counter rows of an entry point, or in one set of them, once: rows row_first to row_first +
 * row_count - 1, of `bins` words each. What is not among them the entry point does not run. Sums wrap at 2^32, as counters do.
 * Safe from any thread. */
void ws_add_row_parts(const struct ws_row_part *parts, uint32_t part_count, uint32_t row_first,
                      uint32_t row_count, uint32_t bins, uint32_t *words);

/* Frees a result of ws_instrument. Accepts NULL. */
void ws_instrumented_destroy(struct ws_instrumented *instrumented);

/* The stage of a SpvExecutionModel; 0 for one that no Vulkan pipeline has or that is not known. Safe from any thread. */
uint32_t ws_stage_of_model(uint32_t model);

/* A built-in pass, for lists of passes and for checks of settings. Static memory. */
struct ws_pass_description {
    const char *name;
    const char *summary;
    uint32_t stages; /* mask of ws_stage that it can instrument */
};

/* All built-in passes. `*count` receives how many there are. Static memory; safe from any thread. */
const struct ws_pass_description *ws_pass_list(size_t *count);

/* The passes that a name in a list of passes stands for: one pass, or all with "all". `name` has `length`
 * bytes and need not end with NUL. The passes are entries `*first` to `*first + *count - 1` of ws_pass_list.
 * Returns false when there is no such pass. Safe from any thread. */
bool ws_pass_choose(const char *name, size_t length, size_t *first, size_t *count);

#endif
