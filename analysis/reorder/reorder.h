/* The analysis `reorder`: what warps would execute if threads were put into other warps at a call site: by shader execution
 * reordering (VK_EXT_ray_tracing_invocation_reorder), by sorting between launches, or by a wavefront. From the records of
 * the pass divergence. This is the one definition.
 *
 * A CALL SITE is an instruction of a shader that runs other shaders: traceRay, executeCallable and the like (in compute
 * shaders a branch or a loop: PARTINGS below). An instruction that only reorders threads is none. What is hit by a ray that
 * is traced into a hit object is shaded where that is executed: so that has the shader that it runs as key, and the trace has
 * none. A VISIT of it are the threads of a launch that call at one place: by the same way of calls, in the same iteration of
 * each loop around (thread_walk.h). They reach it together, in many warps. Its BOUNCE is the iteration of the innermost loop
 * around, from 1, and what recursion adds to it (ws_walk_turn). Visits that differ in outer loops only, such as samples, have
 * one bounce.
 *
 * THE TAIL of a thread is what it executes from the call on, until it visits that call site again or ends: blocks of the
 * shader that the call runs, of what that calls, and of the code behind the call, from the next block on. Any-hit and
 * intersection shaders are not in it: they run while a ray is on its way, before threads can be sorted by what was hit.
 *
 * BEFORE: executions of blocks by warps, as the records have them, where at least one lane is in a tail of the call site.
 * Each is in the highest bounce of its lanes.
 *   slots    subgroup size x instructions of the block
 *   active   slots of active lanes; efficiency is active / slots, as divergence defines it
 *
 * AFTER: the threads of a visit are sorted by a KEY, among all warps of the launch, and for the key `called` also within
 * windows of 1, 4, 16, 64 and 256 consecutive warps (by warp index, replay.h). Of equal keys they keep the order of warps
 * and lanes. In that order they fill new warps of the subgroup size. A new warp executes each name (thread_walk.h) of its
 * threads' tails once. The active lanes are the same: nothing that a thread executes is changed.
 *   packed   no key: threads fill up warps in their order, as a wavefront without sorting has them
 *   shader   the shader that the call runs: closest hit, miss or callable; none where the ray runs none
 *   called   that, and the callables that it runs, in their order: what a material is
 *   instance, geometry, octant
 *            the shader, and behind it the index of the instance or of the geometry that the ray hits, or the octant of its
 *            direction (hits.h)
 *   hit      the shader, and those bits of what is hit that do best, 16 at most, found greedily (key_search.h): of instance,
 *            custom index, geometry, hit kind, octant and primitive
 *   payload  the shader, and those bits of what is hit, and of what the thread hands over at the call (the payload of the ray,
 *            the data of the callable), that do best, found likewise; one at least is of what is handed over
 *   branch   the shader, and what the thread does at the branch, or in the loop, behind the call, where sorting by that saves
 *            most (branches.h): on which value to sort, if the program knows it before the call, and where in the code most is
 *            lost, if not
 *   path     called, and the path of blocks: how well any key can do, but for luck with partly filled warps
 * What rays hit is known where the capture has the pass ray_events; without it there are no rows for the four keys that ask for
 * it. What is handed over is known where it has the pass payloads: its first 16 numbers, as they stand right before the call,
 * which is where a program would have to know them. A call site without bits or a branch worth it has no rows for these.
 *   Example: one shader is for many materials, and loops once more where payload.depth is odd. Sorted by what is hit nothing
 *   changes; sorted by payload, which is `payload.depth & 0x1`, all threads of a warp loop as often.
 * Keys are sorted by the indices of shaders in the capture. Threads that did not visit stay in their warp, without those
 * that left: executions in which such lanes took part are counted before and after. Threads of one warp that visited in
 * different rounds do not meet again: what stands behind the loop is executed once before, and for each new warp after.
 *   Example: two warps of 4 trace. In each, lanes 0 and 1 hit A and lanes 2 and 3 hit B, each shader with one block.
 *   Before: 4 executions, efficiency 50 %. Sorted by shader: 2 executions, 100 %.
 *   Example: one shader switches on a material, of which the scene's instances have 0 and 1 by turns. Sorted by shader nothing
 *   changes; sorted by hit, which are the bits `instance & 0x1`, and by branch, at the switch, each warp takes one side.
 *
 * WITHOUT THE EXTENSION the same is had by sorting between launches (a wavefront): `packed` is a wavefront that is not sorted,
 * and every other key, in windows of all, one that is. What follows a visit is then a LAUNCH: so many launches follow as there
 * are visits. Each thread that calls MOVES its state through memory: it is written before the launch and read in it, 2 x state
 * bytes. (What is hit is not in it: a program may trace the ray in either launch.)
 *   SPLIT, a window of its own: each value of the key has a launch of its own, so that no warp has threads of two. It takes as
 * many launches as there are values in each visit, and each may end in a partial warp. For the keys called (a launch for each
 * shader or material) and branch (for each side).
 *   Example: 5 threads hit A and 3 hit B, in warps of 4. Sorted they are 2 warps: A, and A with B. Split they are A, A and B:
 *   one warp more in the second launch, but B without lanes that wait for A.
 *   To call a callable for each side of a branch, or to branch where a program calls callables, changes by itself nothing that
 * warps execute: a warp takes each side, or each callable, once, and idle slots of control flow become those of indirect calls.
 * What it makes possible is to sort, by `branch` or by `called`. It has no figure of its own.
 *   JOINED CALLS are what is left of the calls by warps if a call is moved out of the loops around it: threads that have called
 * wait until all others of the warp that will call again do so, in whichever round. In one execution of a shader by a warp the
 * k-th calls of its threads are then one, so that it calls as often as the thread that calls most. What the loops take is not
 * counted, nor is what is called: records do not tell in which order threads would come there.
 *   Example: for (i) { if (x(i)) trace(); }. Thread 1 has x in rounds 0 and 2, thread 2 in 1 and 2. The warp calls 3 times;
 *   joined, twice.
 *
 * PARTINGS. In compute shaders nothing is called, but threads part at branches: a selection whose region is worth it and
 * legal to regroup is a call site, too (partings.h). A visit are the threads that come from its branch into the region, at
 * one place: others stay in their warps. Their TAIL is what they execute in the region, until they meet again or end: what
 * follows is executed by full warps, before and after. The side that a thread takes there (branches.h) is the key `branch` of
 * these sites, and packed and path are the others: nothing is called, so shader and called tell no threads apart there, and
 * have no figure. `branch` is tried in all windows there, and in WORKGROUPS: of the threads of one workgroup, which can be
 * sorted in its memory. Where threads go back to their warps behind the region, what is live there moves, too, and is part of
 * the state. Of a shader four partings are told in a launch, those that leave most slots idle; of those that leave none
 * nothing is told.
 *   Example: 32 threads in warps of 8; odd ones take a side of 60 instructions, even ones one of 20. Before, each warp takes
 *   both: 4 x 80 x 8 slots. Sorted, 16 threads take each: 2 x 80 x 8.
 *   Example: 8 of 16 threads of two warps take the side of `if (x)`: they fill one warp, and go back behind it.
 *   LOOPS part threads, too, where they turn them differently often: a loop whose region is worth it and legal to regroup is a
 * call site like a selection. A visit are the threads that come to its header from outside, at one place, wherever they come
 * from. Their TAIL is what they execute in the loop, all its turns, headers included, until they have left it, and the key
 * `branch` is how many turns they begin (branches.h). Four loops of a shader are told, those that leave most slots idle among
 * those that threads of one warp turn differently often; of the others a sort by turns would change nothing.
 *   Sorting by turns asks a program to know them before the loop (a length, a number of lights, a class of these). Where it
 * does not, as in marching that ends on a hit, threads that go on can still be moved to new warps every few turns: that has no
 * figure, since what it saves depends on when it is done. The bound of `path` holds for sorting once, before the loop.
 *   Example: of 32 threads in warps of 8 odd ones turn a loop of 40 instructions three times, even ones once. Before, each warp
 *   turns it three times: 4 x 120 x 8 slots. Sorted, two warps turn it three times, and two once: 2 x 160 x 8.
 *   BOUNCES of partings from WS_REORDER_BOUNCES on are one, for a branch in a loop of hundreds of turns would have as many: 16
 * is 16 and more. How many rows that leaves out the notes say.
 *   RAY QUERIES run no shader, so they are no calls: nothing is executed for what is hit but what the shader itself does with
 * it. That is at places where threads part: the loop that proceeds, of which the turns are candidates, and the branches behind
 * it; in compute shaders these are call sites as above. In other stages no branch is one: what a query leads to there is not
 * looked at. Ray generation shaders could sort threads there, by a hint; others could not.
 *
 * WHY SLOTS ARE IDLE, before and after, so that each idle slot has one cause, and active + the three = slots:
 *   partial_warp   the lane has no thread: (S - n) x instructions, of a warp of n threads and S lanes
 *   indirect_call  its thread is in no part of the shader invocation that is executed: (n - t) x instructions, where t threads
 *                  are: another shader runs for it, none does, or its ray missed
 *   control_flow   its thread is in that shader invocation, and executes something else there, has left it, or has called
 *                  again, if threads are sorted there: t x instructions - active
 * Before, t are the threads that entered this execution of the shader; n those of its launched warp, or S where a device has
 * put the warp together anew, which is not known to be partial. After, t are those threads of the new warp whose tail has a
 * block of that invocation, or that called from it or from what it called. In executions of those that stay, lanes whose
 * thread has left are indirect calls if they were active, else as they were.
 *   The words are divergence's, and so are most sums. It tells two things more: threads that have ended (early return), which
 * are here control_flow in the shader that was launched, and indirect_call in those that it calls; and a thread beside the
 * call, which is there control flow, here an indirect call. Of new warps no record says when a thread ends, so such threads
 * cannot be told from others.
 *   Example: as above, in warps of 4 whose A and B have 10 instructions. Before, of 160 slots 80 are indirect calls; after, of
 *   80 none.
 *   Example: 3 threads in all trace; 2 hit A, 1 hits B. Before and after, of 80 slots 20 are partial warps, 30 indirect calls
 *   (10 in A, 20 in B).
 *
 * APART are executions, before, of what threads of one warp could have executed together: those beyond the ones that are
 * left if each warp is sorted by itself (`called`, window 1). Counted are called shaders. A device executes apart what two hit
 * groups have of one shader, since it calls groups; records tell shaders and no groups. After counts such executions once,
 * so that it promises too much on that device by as much as the notes say.
 *   Example: as above, but A is the hit shader of both groups, and the device executes it for each. Before: 4 executions. 2 of
 *   them are apart. Sorted: 2 executions.
 *
 * SEVERAL CALL SITES in one row (by launch, by stage, in total) are added up. A thread is in the tails of all that it has
 * visited, and loops and selections stand in each other: what follows two of them counts for each. Such a row compares what is
 * before with what is after; its slots are no part of those of the launch. Sums of one call site count nothing twice.
 *
 * THE STATE of a call site is what a thread must keep over it (liveness.h), in bytes: values, variables of functions, and the
 * thread's own variables of the module, payloads among them. It moves with the thread. THE COST of sorting is taken to be,
 * for each thread that calls, WS_REORDER_SORT_SLOTS slots and two for each 4 bytes of its state: to write and to read them.
 * What sorting is WORTH is the slots that it saves / its cost. It is worth a try where that is WS_REORDER_WORTH at least:
 * devices differ, and how memory is met is not counted. (`--worth 4` asks for more.) Packed and path have no worth:
 * the first is not sorted, and the second no program knows beforehand.
 *
 * THE SUMMARY names one call site of a pipeline: where sorting saves most slots, less its cost, if it is worth a try there, and
 * the simplest of the keys that save nearly as much (ws_reorder_gains). What it gains is a share of the slots of all block
 * executions of the capture, any-hit shaders included.
 *   Example: 1000 slots behind a call become 400, at a cost of 150, and the capture has 3000. Worth is 4; the gain is
 *   (1000 - 400 - 150) / 3000 = 15 %.
 *
 * TIME DOES NOT WEIGH SLOTS, though the pass warp_time has the self time of each shader. That of a shader that traces has the
 * time in which its rays are on their way (warp_times.h): no record tells where traversal begins and ends. It is not behind
 * the call, sorting does not change it, and no count of slots has it. Self time / slots of that shader would charge it to the
 * code behind the call, which would seem to cost more than it does by as much as the rays take. The time that records take is
 * in it, too.
 *
 * MEMORY: see reorder_threads.h. TIME: for each visit, key and window a sort by digits, and a step for each item of spans
 * (spans.h) that the tails of a new warp do not share, which the budget limits (budget.h). */
#ifndef WS_ANALYSIS_REORDER_REORDER_H
#define WS_ANALYSIS_REORDER_REORDER_H

#include "analysis/reorder/regroup.h"
#include "warpscope/report/analysis.h"

#define WS_REORDER_SORT_SLOTS 16
#define WS_REORDER_WORTH      2
#define WS_REORDER_BOUNCES    16
#define WS_REORDER_LEAST                                                                                     \
    0.01 /* of all slots of the capture: what the summary says of sorting saves that at least */

/* The dimensions and levels of the report (report/columns.h). */
enum ws_reorder_dimension {
    WS_REORDER_BY_LAUNCH,
    WS_REORDER_BY_STAGE,
    WS_REORDER_BY_SHADER, /* of the call site */
    WS_REORDER_BY_SITE,   /* ws_reorder_site */
    WS_REORDER_BY_BOUNCE,
    WS_REORDER_BY_KEY,    /* enum ws_reorder_key */
    WS_REORDER_BY_WINDOW, /* index of a window */
    WS_REORDER_BY_RAN,    /* shader whose blocks are executed, index in the catalog */
    WS_REORDER_DIMENSIONS,
};

enum ws_reorder_level {
    WS_REORDER_TOTAL,
    WS_REORDER_SITES,
    WS_REORDER_WORTHY,
    WS_REORDER_SITE_CAUSES,
    WS_REORDER_SITE_LAUNCHES,
    WS_REORDER_SITE_JOINED,
    WS_REORDER_SITE_BOUNCES,
    WS_REORDER_SITE_WINDOWS,
    WS_REORDER_SITE_RAN,
    WS_REORDER_LAUNCHES,
};

/* What the report adds up. */
struct ws_reorder_sums {
    uint64_t visits;   /* by threads */
    uint64_t calls;    /* by warps */
    uint64_t joined;   /* of these: left if the k-th calls of a warp's threads came together */
    uint64_t launches; /* that follow if threads are sorted between launches */
    uint64_t moved;    /* bytes that threads write and read again then */
    uint64_t executions;
    uint64_t slots;
    uint64_t active;
    uint64_t active_after; /* in all, as many; but each lane's are in the bounce that it is in */
    uint64_t
        executions_after; /* with the key and window of the row; else by `called`, and in windows of all */
    uint64_t slots_after;
    /* Idle slots by cause: of slots - active, and of slots_after - active_after. */
    uint64_t partial_warp;
    uint64_t indirect_call;
    uint64_t control_flow;
    uint64_t partial_warp_after;
    uint64_t indirect_call_after;
    uint64_t control_flow_after;
    uint64_t in_key[WS_REORDER_KEYS];   /* executions after, by key, in windows of all */
    uint64_t slots_in[WS_REORDER_KEYS]; /* slots likewise */
    uint64_t values;                    /* different values of the row's key in one visit, at most */
    uint64_t cost;                      /* slots that moving the threads is taken to cost */
    uint64_t truncated;                 /* 1: records of a launch are missing */
    uint64_t not_followed;              /* launches that turn loops too often (reorder_turns.c) */
    uint64_t at_calls;                  /* parts that are of calls; 0 in a row of branches alone */
};

struct ws_reorder_results {
    const struct ws_catalog *catalog;     /* not owned */
    const struct ws_selection *selection; /* likewise; NULL = all shaders */
    /* Several of them in one replay share the work: the first is the owner of what they find out, and tells the others. */
    struct ws_reorder_results *owner; /* NULL = itself */
    struct ws_reorder_results *next;  /* of those that are told */
    double worth;                     /* ws_analysis_options.worth */
    uint32_t user;
    struct ws_shader_modules modules;
    struct ws_loop_nest *nests;   /* parallel to the catalog's modules, as far as they are known */
    struct ws_partings *partings; /* likewise */
    uint32_t nest_count;
    struct ws_regrouping regrouping; /* of the launch whose parts are being merged */
    uint32_t hits_user;              /* as in struct ws_reorder_threads */
    uint32_t payloads_user;
    struct ws_reorder_choices choices;
    struct ws_payload_names *names; /* of call sites that are sorted by what is handed over */
    uint32_t name_count;
    uint32_t name_capacity;
    struct ws_id_map names_at; /* call site -> index of its names */
    struct ws_groups *groups;  /* sums are struct ws_reorder_sums */
    struct ws_id_map states;   /* call site -> bytes live over it */
    uint64_t slots;            /* of all block executions of all launches */
    uint64_t lost;             /* visits by threads that are beyond a bound */
    uint64_t lost_rays;        /* likewise rays */
    uint64_t lost_payloads;    /* likewise what is handed over */
    bool rays;                 /* what rays hit is known of some */
    bool handed;               /* what is handed over is */
    bool called;               /* threads called somewhere */
    uint64_t coherent;         /* selections of launches that leave no slot idle, */
    struct ws_id_map bounces;  /* parting -> its highest bounce, where that is beyond WS_REORDER_BOUNCES */
    uint64_t even;             /* loops that each warp's threads turn equally often, */
    uint64_t fewer_idle;       /* and both that others of their shader leave more idle than */
    uint64_t followed_most;    /* ws_reorder_threads; WS_REORDER_TURNS_MAX, but for tests */
    uint64_t turning; /* launches that turn loops too often (reorder_turns.c): nothing else is told of them */
    uint64_t stopped; /* launches that the budget did not reach */
    uint64_t ran;     /* executions before, of called shaders */
    uint64_t apart;   /* of these */
};

/* Its results are a struct ws_reorder_results. */
extern const struct ws_analysis ws_analysis_reorder;

/* Feeding it, for ws_analysis_reorder, for others that want what it finds out, and for tests. */
extern const struct ws_replay_operations ws_reorder_operations;

/* Makes empty results, for `view`. NULL and `error`: there is no memory, or the view is wrong. */
struct ws_reorder_results *ws_reorder_create(const struct ws_catalog *catalog,
                                             const struct ws_selection *selection, const struct ws_view *view,
                                             struct ws_error *error);
void ws_reorder_destroy(struct ws_reorder_results *results);

/* Takes in every chunk, behind the catalog. False when there is no memory. */
bool ws_reorder_record(struct ws_reorder_results *results, const struct ws_chunk *chunk);

/* Adds what it hears beside the pass divergence: rays, and what is handed over. False when the replay has no room. */
bool ws_reorder_hear(void *results, struct ws_replay *replay);

/* What the threads of a call site are sorted by for the keys `hit`, `payload` and `branch`, in words: "custom index & 0x3",
 * "payload.depth & 0x1", "branch at surface.glsl:70". Nothing for other keys, and where nothing was found. */
void ws_reorder_by(const struct ws_reorder_results *results, uint64_t site, uint64_t key, char *text,
                   size_t size);

/* The parting at a call site (ws_reorder_site); NULL = it is a call. */
const struct ws_parting *ws_reorder_parting(const struct ws_reorder_results *results, uint64_t site);

/* The results that have what is known of modules: these, or those that they joined. */
struct ws_reorder_results *ws_reorder_owner(const struct ws_reorder_results *results);

/* The name of a call site: "traceRay at room.rgen:21", "branch at blur.comp:30". */
void ws_reorder_site_name(const struct ws_reorder_results *results, uint64_t site, char *text, size_t size);

/* The bytes that are live over a call site (ws_reorder_site), as far as they are known; WS_NONE. */
uint32_t ws_reorder_state(const struct ws_reorder_results *results, uint64_t site);

/* How many bits were found for a call site: of the keys `hit` and `payload`; 0 of others. */
uint32_t ws_reorder_bits_found(const struct ws_reorder_results *results, uint64_t site, uint64_t key);

/* What sorting at a call site by a key saves. */
struct ws_reorder_gain {
    uint64_t site;
    uint64_t key; /* enum ws_reorder_key */
    struct ws_reorder_sums sums;
    uint64_t slots; /* saved, less what moving threads is taken to cost */
    bool parts;     /* it is a parting */
};

/* Finds, for each call site where sorting is worth a try, the key to tell, those that save most first; freed by the caller. It
 * is the key that saves most, but for a simpler one that saves 98 % of that: the earlier one in enum ws_reorder_key. A branch
 * must save a quarter more than others, since a program may not know the way before the call. `worth`: what it must be worth,
 * 0 = WS_REORDER_WORTH. False when there is no memory. */
bool ws_reorder_gains(const struct ws_reorder_results *results, double worth, struct ws_reorder_gain **gains,
                      uint32_t *count);

/* The bits that tell so many values apart. */
static inline uint32_t ws_reorder_bits(uint64_t values)
{
    uint32_t bits = 0;
    while (bits < 63 && values > UINT64_C(1) << bits)
        bits++;
    return bits;
}

/* "packed", "shader", ...; and in a few words: "the shader that is called". */
const char *ws_reorder_key_name(uint32_t key);
const char *ws_reorder_key_words(uint32_t key);

/* What is said of partings (parting_words.c): what threads are sorted by; the slots that this saves in windows of workgroups;
 * what to write in a language; and what was not looked at. */
const char *ws_reorder_gain_words(const struct ws_reorder_results *results,
                                  const struct ws_reorder_gain *gain);
uint64_t ws_reorder_in_groups(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain);
const char *ws_reorder_parting_line(const struct ws_reorder_results *results,
                                    const struct ws_reorder_gain *gain, uint32_t language);
void ws_reorder_parting_notes(const struct ws_reorder_results *results, FILE *stream);

/* Where a branch is: the line of what ends its block; without lines the offset of the block. */
void ws_reorder_branch_place(const struct ws_reorder_results *results, const struct ws_branch *branch,
                             char *text, size_t size);

/* How it is shown (reorder_report.c, reorder_findings.c); members of struct ws_analysis. */
extern const struct ws_columns ws_reorder_columns;
extern const char ws_reorder_words[];
bool ws_reorder_findings(const void *results, struct ws_findings *findings);
const char *ws_reorder_nothing(const void *results);
bool ws_reorder_text(const void *results, FILE *stream);
/* Whether a shader may sort threads there: those of ray generation may, and what compute shaders do at branches is no
 * instruction. Elsewhere languages refuse it, and WS_REORDER_ELSEWHERE is what can be done. */
bool ws_reorder_may_sort(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain);
#define WS_REORDER_ELSEWHERE                                                                                 \
    "only ray generation shaders may sort threads (reorderThreadEXT, MaybeReorderThread, ReorderThread): "   \
    "make that call there, or sort between launches by the same key"

/* What to write to sort there, a line for each of the languages: "GLSL   ...", with the bits of the hint. */
#define WS_REORDER_LANGUAGES 3
void ws_reorder_line(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain,
                     uint32_t language, char *text, size_t size);

/* The lines to write where sorting is worth a try: nothing where it is nowhere (reorder_lines.c). */
bool ws_reorder_print_lines(const struct ws_reorder_results *results, FILE *stream);
void ws_reorder_notes(const void *results, FILE *stream);

#endif
