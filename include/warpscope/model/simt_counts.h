/* Sums of executions, and the figures that follow from them. All definitions of the analysis simt_efficiency
 * are here.
 *
 * An EXECUTION is one warp running one basic block once, with any number of active lanes. In a stage in which
 * the device has no subgroup operations, an execution is one thread running one block once; such a stage has
 * no efficiency.
 *
 * SUBGROUP SIZE. Every warp that enters a shader adds its SubgroupSize to a set in the shader's launch row,
 * one set for each launch. Where the set has one size, that is the size of all executions of the shader in
 * that launch. Where it has several, the histogram cannot say which warp had which size, and every figure
 * that needs the size is withheld. Shaders of different sizes can be summed, since each shader and launch has
 * a set of its own.
 *
 * SIMT EFFICIENCY = sum of active lanes / sum of subgroup sizes, both over executions. WEIGHTED: each
 * execution counts as many times as its block has instructions. Helper lanes are not active.
 *
 * SHARE LOST TO PARTIAL WARPS = 1 - (sum of active lanes / sum of subgroup sizes), over the executions of
 * entry blocks of stages that are launched: those whose warps are filled by the command or by the stage
 * before and not by control flow of a shader (vertex, tessellation, geometry, compute, task, mesh, raygen). A
 * warp enters such a shader with fewer lanes than it has because the launch ended, or its workgroup did. Not
 * defined for hit, miss, intersection and callable shaders, which are entered by what control flow left
 * active.
 *
 * SHARE OF HELPER LANES = the same of fragment shaders. Nearly all such lanes are helper invocations, which run
 * beside a fragment for its derivatives. Some devices switch them off where no derivative needs them (Vulkan
 * specification, "Helper Invocations"), and some leave lanes of a warp empty. Neither can be told from the
 * other by an active lane, so both count as helper lanes here, and in divergence.h too.
 *
 * DYNAMIC INSTRUCTION COUNT = sum of active lanes x instructions of the block; in stages that are counted per
 * thread, of threads x instructions. */
#ifndef WARPSCOPE_MODEL_SIMT_COUNTS_H
#define WARPSCOPE_MODEL_SIMT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/root.h"

/* Sums over some set of executions. All saturate at UINT64_MAX, which `saturated` then says. */
struct ws_simt_counts {
    uint64_t warps;           /* executions by warps */
    uint64_t threads;         /* executions counted per thread */
    uint64_t active;          /* active lanes, over warps */
    uint64_t slots;           /* subgroup sizes, over warps */
    uint64_t weighted_active; /* the same two, times instructions */
    uint64_t weighted_slots;
    uint64_t entry_active; /* the same two, over entry blocks of launched stages */
    uint64_t entry_slots;
    uint64_t fragment_active; /* the same two, over entry blocks of fragment shaders */
    uint64_t fragment_slots;
    uint64_t instructions; /* dynamic instruction count */
    uint64_t unsized;      /* part of `warps`: the subgroup size is not known; not in slots */
    uint64_t wide;      /* part of `warps`: more active lanes than the subgroup size, so the data is wrong */
    uint32_t sizes;     /* set of subgroup sizes seen */
    uint32_t ambiguous; /* union of the sets that held several sizes */
    bool saturated;
};

/* counts[n - 1] executions had n active lanes, n from 1 to `bins`. Zeroed is empty. */
struct ws_simt_histogram {
    uint64_t *counts;
    uint32_t bins;
};

/* Why a figure is withheld. */
enum ws_simt_doubt {
    WS_SIMT_SURE,
    WS_SIMT_NOTHING,    /* no warp, or for the share of partial warps no launched stage */
    WS_SIMT_PER_THREAD, /* only threads were counted */
    WS_SIMT_SEVERAL_SIZES,
    WS_SIMT_UNKNOWN_SIZE,
    WS_SIMT_TOO_WIDE,
    WS_SIMT_SATURATED,
};

/* left + right, left * right, UINT64_MAX where that does not fit. */
uint64_t ws_simt_sum(uint64_t left, uint64_t right);
uint64_t ws_simt_product(uint64_t left, uint64_t right);

/* Adds `more` to `counts`. */
void ws_simt_counts_add(struct ws_simt_counts *counts, const struct ws_simt_counts *more);

/* Adds `times` x `counts`; false when there is no memory. */
bool ws_simt_histogram_add(struct ws_simt_histogram *histogram, const uint64_t *counts, uint32_t bins,
                           uint64_t times);
void ws_simt_histogram_finish(struct ws_simt_histogram *histogram);

/* The slots of a shader. One whose subgroup size is not known, or that was counted per thread, has none: its instructions
 * are the least that they can be. */
uint64_t ws_simt_slots(const struct ws_simt_counts *counts);

/* The figures, from 0 to 1. `*value` is set only when the result is WS_SIMT_SURE. */
enum ws_simt_doubt ws_simt_efficiency(const struct ws_simt_counts *counts, double *value);
enum ws_simt_doubt ws_simt_efficiency_weighted(const struct ws_simt_counts *counts, double *value);
enum ws_simt_doubt ws_simt_partial(const struct ws_simt_counts *counts, double *value);
enum ws_simt_doubt ws_simt_helpers(const struct ws_simt_counts *counts, double *value);

/* The doubt as a clause, such as "several subgroup sizes: 8, 16". Returns `text`. */
const char *ws_simt_doubt_text(enum ws_simt_doubt doubt, const struct ws_simt_counts *counts, char *text,
                               size_t size);

/* The sizes in a set, as "8, 16"; "" for the empty set. Returns `text`. */
const char *ws_simt_sizes_text(uint32_t sizes, char *text, size_t size);

/* Whether the share lost to partial warps is defined for the stage. */
bool ws_simt_is_launched(uint32_t stage);

#define WS_HISTOGRAM_TEXT 4096 /* bytes that hold the text of the largest histogram */

/* Writes a histogram into `text`, a buffer of `size` bytes, as "8:22072 4:12": 22072 times 8 lanes, 12 times
 * 4 lanes. The bins with most lanes come first. After `most` bins only the number of further bins is written:
 * "8:22072 +1". */
void ws_histogram_text(const struct ws_simt_histogram *histogram, uint32_t most, char *text, size_t size);

#endif
