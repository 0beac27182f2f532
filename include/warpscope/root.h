/* The root block and the counter rows, which shaders and the host share. C and GLSL both include this file
 * (GL_GOOGLE_include_directive), so it holds only #defines and what is inside `#ifndef WS_GLSL`.
 *
 * ROOT BLOCK. A device has one. Every instrumented shader gets its address by two specialization constants
 * (WS_SPEC_ROOT_LO, WS_SPEC_ROOT_HI). Little-endian, 8-byte aligned:
 *
 *   byte  0  u64  address of the stream control block (records.h), 0 = no records are taken
 *   byte  8  u64  0, which shaders read where they need one that their compiler does not know
 *   byte 16  u64  counters[WS_SLOT_COUNT]: per slot, the address of its counter rows, 0 = not counted
 *   then     u64  yields[WS_SLOT_COUNT]: per slot, the address of its yield words (yields.h), with the bias -4 * first;
 *                 0 = it yields nothing
 *   byte WS_ROOT_CONTROL, in lines of its own: room for the stream control block. Where the root block lies in memory of
 *                 the device, the control block is there, and WS_SPEC_CONTROL says so: then no record needs to load its
 *                 address. Elsewhere atomics would be slow, and it has memory of its own.
 *
 * A SLOT is one shader of the application: a module, an entry point and its specialization. The shader gets
 * the number of its slot as WS_SPEC_SLOT. All its counters stand in the counter rows of its slot.
 *
 * COUNTER ROWS. A row is WS_SPEC_BINS 32-bit words. Row r of a slot begins at counters[slot] + 4 *
 * WS_SPEC_BINS * r. Bins is the device's largest subgroup size, at least WS_BINS_MIN. Rows are numbered
 * within a module, over all its entry points. A slot has memory only for the rows that its entry point
 * reaches: first to first + count - 1. So its address has the bias -4 * WS_SPEC_BINS * first (modulo 2^64).
 * For example, with 32 bins and rows 10 to 12 the slot has 384 bytes of memory, and counters[slot] is their
 * address minus 1280. There are two kinds of row:
 *
 *   histogram row  word n-1: how many warp executions of the site had exactly n active lanes.
 *                  On stages without subgroup operations word 0 counts thread executions instead.
 *   launch row     one per entry point, written where the entry point begins:
 *                  word 0: bitwise OR of the SubgroupSize of every warp that entered (sizes are powers
 *                          of two, so the word is the set of sizes seen; 0 = no warp entered); 1 on
 *                          stages without subgroup operations;
 *                  word 1..3: launch size in x, y, z: LaunchSizeKHR for ray generation,
 *                          NumWorkgroups for compute; 0 in other stages.
 *
 * Some rows the device leaves at zero: the host adds them up from others (instrument.h, struct ws_row_part). In captures they
 * have their sums.
 *
 * A counter wraps at 2^32: that many executions with one number of active lanes, of one row in one launch.
 *
 * SAMPLING. Where counters are sampled 1/N (instrument.h, `sample`), an entry point has two bodies: the instrumented one
 * and the one as it was. Each warp that enters draws which it runs, so that nothing is put into what the other warps run. In
 * compute stages a whole workgroup draws, and launches of few workgroups draw more often: 1 in ws_sample_one_in, so that
 * WS_SAMPLE_LEAST workgroups are drawn of each launch that has as many. What is drawn depends on a thread's place in its
 * launch alone (passes/primitives/sample.glsl). Entry points that reorder threads (opcode.h) are not sampled: all their warps
 * count. A device that puts lanes into other warps at other calls, unasked, parts those that count from those that do not: its
 * sampled warps then have fewer active lanes than it runs without sampling.
 *
 * The rows of such an entry point are there WS_SAMPLE_GROUPS times, one set behind the other. A drawn warp counts in one
 * set, drawn likewise. The sum of the sets times one_in is the estimate of a count, and the sets tell its standard error
 * (warpscope/model/simt_counts.h). The launch row is that of the first set, for all.
 *
 * RECORD STREAM. See records.h.
 */
#ifndef WARPSCOPE_ROOT_H
#define WARPSCOPE_ROOT_H

#define WS_SLOT_COUNT    65536
#define WS_ROOT_RECORDS  0  /* byte offset of the record stream's address */
#define WS_ROOT_COUNTERS 16 /* byte offset of counters[] */
#define WS_ROOT_YIELDS   (WS_ROOT_COUNTERS + 8 * WS_SLOT_COUNT)     /* of yields[] */
#define WS_ROOT_CONTROL  (WS_ROOT_YIELDS + 8 * WS_SLOT_COUNT + 240) /* a multiple of WS_ROOT_LINE */
#define WS_ROOT_LINE     256
#define WS_ROOT_SIZE     (WS_ROOT_CONTROL + WS_ROOT_LINE)

#define WS_BINS_MIN 4
#define WS_BINS_MAX 128

#define WS_RECORD_SITE_MAX 0xffffu /* numbers of sites in records are 16 bits */

#define WS_LAUNCH_SUBGROUP_SIZES 0 /* words of a launch row */
#define WS_LAUNCH_SIZE           1

/* The specialization constants of the primitives. These numbers are their constant_id in the library. In an
 * instrumented module each has a SpecId that the module itself does not use (struct ws_instrumented,
 * spec_ids). */
#define WS_SPEC_ROOT_LO 0
#define WS_SPEC_ROOT_HI 1
#define WS_SPEC_SLOT    2
#define WS_SPEC_BINS    3
#define WS_SPEC_CONTROL 4 /* WS_ROOT_CONTROL where the control block is there; 0 = its address is loaded */
#define WS_SPEC_COUNT   5

/* SAMPLING */
#define WS_SAMPLE_GROUPS     8
#define WS_SAMPLE_MAX        65536 /* the largest N */
#define WS_SAMPLE_LEAST      16
#define WS_SAMPLE_WORKGROUPS 1048576 /* WS_SAMPLE_LEAST * WS_SAMPLE_MAX: more workgroups count as so many */

#ifndef WS_GLSL
#include <assert.h>
#include <stdint.h>

/* The root block, as the host fills it. */
struct ws_root {
    uint64_t records;
    uint64_t zero;
    uint64_t counters[WS_SLOT_COUNT];
    uint64_t yields[WS_SLOT_COUNT];
    uint64_t free[30];
    uint64_t control[WS_ROOT_LINE / 8];
};

/* Compute stages sampled 1/`most`: in a launch of so many workgroups one in how many counts. 1 where a size is 0. */
static inline uint32_t ws_sample_one_in(uint32_t most, const uint32_t workgroups[3])
{
    uint64_t count = 1;
    for (unsigned i = 0; i < 3; i++) {
        count *= workgroups[i];
        count = count > WS_SAMPLE_WORKGROUPS ? WS_SAMPLE_WORKGROUPS : count;
    }
    const uint32_t one_in = (uint32_t)(count / WS_SAMPLE_LEAST);
    return one_in == 0 ? 1 : one_in < most ? one_in : most;
}

static_assert(WS_SAMPLE_WORKGROUPS == WS_SAMPLE_LEAST * WS_SAMPLE_MAX, "the largest N can be reached");
static_assert(sizeof(struct ws_root) == WS_ROOT_SIZE, "the root block has the size that GLSL reads");
static_assert(WS_ROOT_CONTROL % WS_ROOT_LINE == 0, "the control block has lines of its own");
#endif

#endif
