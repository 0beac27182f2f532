/* Instrumenting one SPIR-V module: the boundary between the passes and whoever has a module in hand
 * (the layer, or `warpscope instrument`). Knows no Vulkan.
 *
 * The result is a pure function of the module, the options and this version of Warpscope; what differs
 * between devices and pipelines enters later through specialization constants (root.h). */
#ifndef WARPSCOPE_INSTRUMENT_H
#define WARPSCOPE_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"
#include "warpscope/root.h"
#include "warpscope/stage.h"

#define WS_NONE UINT32_MAX

/* What to instrument and how. Zero-initialise, then set what differs. */
struct ws_instrument_options {
    const char *const *passes; /* names, as ws_pass_find knows them; not owned */
    size_t pass_count;
    uint32_t stages;          /* mask of ws_stage to instrument; 0 = all */
    uint32_t subgroup_stages; /* mask of ws_stage where subgroup ballots work; elsewhere executions are
                                 counted per thread. 0 = all stages */
    uint32_t max_sites;       /* leave sites past this many alone, counted as skipped; 0 = no limit */
    bool per_block;           /* a counter for every block, none shared among equivalent ones */
    bool without_records;     /* the device cannot make records: they are skipped, for WS_NO_SHUFFLES */
};

/* Why records are skipped where subgroup shuffles are missing, which their primitives need. */
#define WS_NO_SHUFFLES "the device has no subgroup shuffles, which records need"

/* A basic block of the original module that some entry point reaches. */
struct ws_block_info {
    uint32_t label;             /* result id of its OpLabel */
    uint32_t offset;            /* word offset of its OpLabel in the original module */
    uint32_t length;            /* words from its OpLabel to the end of its terminator */
    uint32_t function;          /* result id of its OpFunction */
    uint32_t instruction_count; /* instructions that a device executes (passes/spirv/sites.h) */
};

enum ws_site_kind {
    WS_SITE_BLOCK = 0,  /* histogram row: executions of a block, by active lanes */
    WS_SITE_LAUNCH = 1, /* launch row: start of an entry point */
    WS_SITE_DATA = 2,   /* data record (records.h) */
    WS_SITE_COUNT = 3,  /* histogram row: executions of just this place: a shader's entry or an end of it */
    WS_SITE_ENTRY = 4,  /* entry record: start of an entry point */
    /* Place records: */
    WS_SITE_PLACE_BLOCK = 5,  /* where a block begins */
    WS_SITE_PLACE_BEFORE = 6, /* before an instruction */
    WS_SITE_PLACE_AFTER = 7,  /* after an instruction */
    WS_SITE_PLACE_END = 8,    /* before what ends the shader invocation of a lane */
    WS_SITE_PLACE_SYNC = 9,   /* where a block begins that is a sync point (passes/spirv/sync_points.h) */
    WS_SITE_PLACE_CALL =
        10, /* before an OpFunctionCall that leads to a call site (passes/spirv/sync_points.h) */
    WS_SITE_CONTINUE =
        11, /* continuation (records.h): after an instruction that may put lanes into other warps */
    WS_SITE_PLACE_ENTRY = 12, /* place record: an entry point begins; its record is the entry record */
};

/* Whether sites of the kind are places that a record shows. */
static inline bool ws_site_is_place(uint32_t kind)
{
    return (kind >= WS_SITE_PLACE_BLOCK && kind <= WS_SITE_PLACE_CALL) || kind == WS_SITE_PLACE_ENTRY;
}

/* One site: one request of one pass at one place. What is put into the shader may serve several sites:
 *   - blocks that always run with the same lanes share a counter row, and so do all passes that count a place;
 *   - places whose lanes are known from the record of an earlier place share its number (pass.h,
 *     ws_visit_record), and so do all passes that record a place.
 * Each of them still has a site of its own, with its own pass and tag. Sites with one number stand in the order in
 * which lanes come through them. */
struct ws_site_info {
    uint32_t pass; /* index in options.passes; WS_NONE for launch rows, entry records and continuations, which
                        belong to no pass */
    uint32_t tag;  /* what the pass gave with its request; means something only together with the pass */
    uint32_t kind; /* enum ws_site_kind */
    uint32_t block;  /* index in blocks; for WS_SITE_LAUNCH and _ENTRY the entry point's first block */
    uint32_t offset; /* word offset, in the original module, of the instruction that it is about (before,
                        after, end, call, continue), else of that it stands before */
    uint32_t row; /* BLOCK, LAUNCH, COUNT: counter row; DATA: words per lane; ENTRY, PLACE_* and CONTINUE: the
                        number that its records carry, which is the index of the first site with that number */
};

/* An entry point of the module. */
struct ws_entry_info {
    const char *name;
    uint32_t stage;            /* enum ws_stage; 0 = a stage that no Vulkan pipeline has, left alone */
    uint32_t function;         /* result id of its OpFunction */
    uint32_t row_first;        /* counter rows that it can reach: row_first .. row_first + row_count - 1 */
    uint32_t row_count;        /* 0 = the entry point is not instrumented */
    bool per_thread;           /* rows count threads, not warps: its stage is not in subgroup_stages */
    const uint32_t *functions; /* result ids of the functions that it reaches, itself included */
    uint32_t function_count;
};

/* Something that was not instrumented, and why. */
struct ws_skip_info {
    uint32_t pass;      /* index in options.passes, WS_NONE = every pass */
    uint32_t offset;    /* word offset in the original module, WS_NONE = the module or an entry point */
    uint32_t count;     /* how many sites this stands for, at least 1 */
    const char *reason; /* static or arena string: one clause, such as "site limit reached" */
    bool
        no_shuffles; /* options.without_records: the device cannot make records, so the pass makes none at all */
};

/* An instrumented module with everything needed to read what it will count. All pointers belong to it. */
struct ws_instrumented {
    uint32_t *words; /* the module to hand to the driver; NULL when nothing in it was instrumented */
    size_t word_count;
    uint32_t spec_ids[WS_SPEC_COUNT]; /* SpecId of each constant of root.h, WS_NONE = not used */
    uint32_t row_count;
    struct ws_entry_info *entries;
    uint32_t entry_count;
    struct ws_block_info *blocks; /* in the order of the module */
    uint32_t block_count;
    struct ws_site_info *sites;
    uint32_t site_count;
    struct ws_skip_info *skips;
    uint32_t skip_count;
    struct ws_arena *arena; /* owns all of the above */
};

/* Instruments the module of `word_count` words in host byte order. The words are untrusted: any content
 * gives a result or an error, in time linear in the module, without undefined behaviour. They are read
 * only during the call. Returns NULL and sets `error`, naming word offset and reason, when the module
 * cannot be read or a pass is unknown; then the original is to be used. A module that is read but has
 * nothing to instrument gives a result whose `words` is NULL. Free with ws_instrumented_destroy.
 * Thread-safe: no state outside the call. */
struct ws_instrumented *ws_instrument(const uint32_t *words, size_t word_count,
                                      const struct ws_instrument_options *options, struct ws_error *error);

/* Frees what ws_instrument returned. NULL is accepted. */
void ws_instrumented_destroy(struct ws_instrumented *instrumented);

/* Name, one-line summary and stages of every built-in pass, for listings and for checking settings. */
struct ws_pass_description {
    const char *name;
    const char *summary;
    uint32_t stages; /* mask of ws_stage that it can instrument */
};

/* All built-in passes; `*count` receives how many. Static memory. */
const struct ws_pass_description *ws_pass_list(size_t *count);

/* The passes that a name in a list of passes stands for, as settings and commands write it (`length` bytes,
 * not NUL-terminated): one, or with "all" every one. They are `*count` from `*first` on in ws_pass_list.
 * False when there is no such pass. */
bool ws_pass_choose(const char *name, size_t length, size_t *first, size_t *count);

#endif
