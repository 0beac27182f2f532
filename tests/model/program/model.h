/* The model check: what SIMT execution is, worked out a second time, without a line of the project's passes
 * and analyses, and compared with them on random programs.
 *
 * FOLDERS, from the ground up: program (what programs are), run (what they do, and what of it is recorded), capture (its
 * bytes), figures (what follows, and whether analyses say so). The checks stand beside them.
 *
 * PROGRAM (program/program.h, generate.c). A few shaders of structured control flow: straight blocks, if and else,
 * switch with fallthrough, loops that break and continue, early returns, functions called from several
 * places; in ray tracing, traceRay, executeCallable, reportIntersection, ignoreIntersection and terminateRay,
 * nested up to a bound; hit objects of SPV_NV_ and SPV_EXT_shader_invocation_reorder, several at a time, in ray generation,
 * closest hit and miss shaders: traced into, recorded, asked, reordered by, executed once, twice or never, then or in a
 * later turn of a loop; ray queries in any shader; in fragment shaders kill, terminateInvocation and demote,
 * after which helper lanes go on that nothing is told of; vertex, task and mesh shaders. Every branch depends
 * on 32-bit integer arithmetic alone, on the thread's number and on what it came through, so that model and
 * device take the same way exactly. What a ray meets is decided by its cull mask: the scene has one instance
 * per bit, and none for bit 0.
 *
 * EMIT (program/emit.c). The program as SPIR-V, one module per shader. Block n has the label BLOCK_LABEL + n.
 *
 * INTERPRET (run/interpret.h). All threads of the launch run as one gang: a set of threads is in one block at a
 * time, parts where a branch parts it, and meets again at merge blocks and continue targets (and, if so
 * wished, where switch cases fall through). What is told is a list of wide events: this set of threads
 * entered a shader, began a block, is before or after a call, ended. Since a gang meets where each of its
 * warps does, the events of a warp are those of the gang, cut to its threads.
 *
 * WARPS (run/warps.h). Cuts wide events into those of warps, of any lane count: launched warps are rows of
 * threads as the launch has them, of fragments with helper lanes among them; called shaders run in their
 * callers' lanes, or, as the specification allows (DESIGN, decision 9), in other warps and lanes; and threads
 * may come back from a call, or from a reorder instruction, in other warps and lanes than they were in
 * (records.h, CONTINUATION). Then the events of different threads are shuffled: any order is a true one that
 * keeps the order of each thread.
 *
 * NAIVE (figures/naive.h). The definitions of the analyses, applied to the list of warps' events by brute force:
 * thread by thread, lane by lane, window by window.
 *
 * REORDER (figures/reorder.h). What new warps execute when threads are sorted at call sites, branches and loops.
 *
 * PATHS (run/paths.h). What lanes come by between two calls as one record, with the turns of loops.
 *
 * SAMPLED (run/sampled.h). Which warps count where counters are sampled, what they count, and the estimates and errors from it.
 *
 * RAYS (figures/rays.h). The rays of each thread and what became of them, by following it; the words that ray_events records of
 * them are made of what the interpreter knows (capture/encode.c).
 *
 * TIMES (figures/warp_times.h). When warps ran, as a clock shows it that goes on from record to record.
 *
 * CHECKS. check_log: programs that write down themselves which lanes are in which block, on the device,
 * without Warpscope. check_synthetic: predicted records as captures of 8, 32 and 64 lanes, read by the
 * analyses. check_device: the same programs below the layer, its records and counters against the predicted
 * ones. */
#ifndef WS_TESTS_MODEL_MODEL_H
#define WS_TESTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_NONE    UINT32_MAX
#define MODEL_THREADS 256 /* of a launch, at most */

/* A set of threads. */
struct model_set {
    uint64_t words[MODEL_THREADS / 64];
};

static inline bool model_set_has(const struct model_set *set, uint32_t thread)
{
    return (set->words[thread / 64] >> (thread % 64) & 1) != 0;
}

static inline void model_set_add(struct model_set *set, uint32_t thread)
{
    set->words[thread / 64] |= 1ull << (thread % 64);
}

static inline void model_set_remove(struct model_set *set, uint32_t thread)
{
    set->words[thread / 64] &= ~(1ull << (thread % 64));
}

static inline bool model_set_is_empty(const struct model_set *set)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < MODEL_THREADS / 64; i++)
        any |= set->words[i];
    return any == 0;
}

static inline void model_set_unite(struct model_set *set, const struct model_set *other)
{
    for (uint32_t i = 0; i < MODEL_THREADS / 64; i++)
        set->words[i] |= other->words[i];
}

static inline void model_set_subtract(struct model_set *set, const struct model_set *other)
{
    for (uint32_t i = 0; i < MODEL_THREADS / 64; i++)
        set->words[i] &= ~other->words[i];
}

/* Pseudo-random numbers that are the same everywhere. */
struct model_random {
    uint64_t state;
};

static inline uint32_t model_random_next(struct model_random *random)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random->state >> 32);
}

static inline uint32_t model_random_below(struct model_random *random, uint32_t bound)
{
    return (model_random_next(random) >> 8) % bound;
}

/* True in `part` of `whole` cases. */
static inline bool model_random_chance(struct model_random *random, uint32_t part, uint32_t whole)
{
    return model_random_below(random, whole) < part;
}

#endif
