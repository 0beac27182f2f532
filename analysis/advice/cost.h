/* How savings of different kinds are compared: the one unit by which advice is ranked.
 *
 * The unit is the INSTRUCTION SLOT: one lane of a warp for the time of one instruction, whether the lane is
 * active or not (as in the analysis divergence). It is a unit of time: a warp takes as long for one active
 * lane as for all.
 *
 * COST of one of a kind, in slots:
 *
 *   slot         1
 *   instruction  of one thread: all slots of the capture / all instructions that its threads executed
 *   execution    of a block by a warp: all slots / all executions
 *   run          of an any-hit, intersection, closest hit or miss shader: the slots of all shaders of that
 *                stage / the runs of that stage, and 100 for the CALL, DECLARED: registers are saved, and the
 *                device looks up what to call and regroups for it, which no counter sees.
 *                A rule that knows which shader it is takes that shader's own cost (ws_advice_run_cost)
 *   candidate    of a ray query: DECLARED. What the loop of a query does for one cannot be told from what
 *                its shader does besides
 *   ray          its traversal, DECLARED, and what a ray of the capture runs on average: the cost of all runs
 *                / all rays
 *   byte         0: memory is not time. Advice that saves bytes is ranked by itself
 *
 * The slots come from the counters of the pass simt_efficiency. Where the capture has none for a stage, the cost of its
 * runs is declared, too. DECLARED costs (cost.c) are rounded from examples/path_tracer: its any-hit shaders take 452
 * slots a run, intersection 430, closest hit 1002, miss 25, besides their call. A traversal is taken for 500: it visits
 * some 30 nodes with 10 instructions each, with three lanes in five active, where it is done by instructions.
 *
 * WORK of the capture: its slots, its calls, and the traversal of its rays; and the declared cost of runs of stages that
 * were not counted, so that no part of the work is more than the whole. Without counters: the cost of its rays and
 * candidates alone; what else their threads do is not known then.
 *
 * Example, without counters: 1000 rays, of which 800 run a closest hit shader and 200 a miss shader. The runs
 * cost 800 * 1100 + 200 * 125 = 905,000 slots, a ray 500 + 905 = 1405, and the work is 1,405,000. What saves
 * 100 rays saves 10 % of it, what saves 100 closest hit runs saves 7.8 %. */
#ifndef WS_ANALYSIS_ADVICE_COST_H
#define WS_ANALYSIS_ADVICE_COST_H

#include "analysis/rays/rays.h"
#include "analysis/simt/simt_efficiency.h"
#include "warpscope/model/effects.h"

/* What the application would have less of. */
enum ws_saving {
    WS_SAVES_NOTHING, /* correctness or quality; or what cannot be counted */
    WS_SAVES_ANY_HIT,
    WS_SAVES_INTERSECTION,
    WS_SAVES_CLOSEST_HIT,
    WS_SAVES_MISS,
    WS_SAVES_RAYS,
    WS_SAVES_CANDIDATES, /* of ray queries */
    WS_SAVES_SLOTS,
    WS_SAVES_INSTRUCTIONS, /* of threads */
    WS_SAVES_EXECUTIONS,   /* of blocks by warps */
    WS_SAVES_BYTES,        /* of geometry */
    WS_SAVING_KINDS
};

/* "any_hit" for programs, "any-hit runs" for texts. */
const char *ws_saving_name(uint32_t saves);
const char *ws_saving_words(uint32_t saves);

/* What the rays of the capture ran. Zeroed is empty. */
struct ws_advice_tally {
    uint64_t rays;                    /* those of ray queries, too */
    uint64_t runs[WS_SAVES_MISS + 1]; /* of shaders, by enum ws_saving */
    uint64_t candidates;              /* of ray queries */
};

void ws_advice_tally_add(struct ws_advice_tally *tally, const struct ws_ray *ray);

struct ws_advice_costs {
    double of[WS_SAVING_KINDS]; /* slots that one of the kind takes */
    double
        all[WS_SAVES_MISS + 1]; /* slots that all runs of shaders take, with their calls, by enum ws_saving */
    double work;                /* slots of the whole capture; 0 = it has none */
    double slots;               /* of these what shaders execute, without calls, rays and candidates */
    uint64_t rays;              /* of the capture */
    bool measured;              /* with counters */
};

/* What one run of a shader takes, in slots: its slots / the threads that entered it, from the counters, and the call.
 * Where it has none: the call alone for a shader that does nothing that can be seen; else 0 = that is not known, and the
 * cost of its stage stands for it. `simt`, `effects`: NULL = not known. */
double ws_advice_run_cost(const struct ws_simt_results *simt, const struct ws_shader_effects *effects,
                          uint32_t shader);

/* Works out the costs. `simt`: complete results; NULL = the capture has no counters. */
void ws_advice_costs_find(struct ws_advice_costs *costs, const struct ws_advice_tally *tally,
                          const struct ws_simt_results *simt);

#endif
