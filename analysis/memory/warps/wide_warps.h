/* Warps that are wider than the recorded ones: neighbours are put together, so that one request is made of what several of them
 * ask for at one place. It is a simulation: the recorded device ran its own warps, and a wider one would have run these in
 * step.
 *
 * WHO IS TOGETHER. A wide warp of N lanes is made of N / L warps of L lanes.
 *   - Shaders with workgroups: those whose lowest local index / N is equal, of one workgroup. A workgroup of 60 threads, with
 *     L = 8 and N = 32, has the wide warps 0 to 31 and 32 to 59: four narrow ones each.
 *   - Ray generation: those whose lowest x / N is equal, of one row of the launch.
 *   - Other stages, and workgroups whose size is not known: N / L of a shader, in the order in which they begin.
 * Where that would be more than N / L, as on a device whose warps are squares, those that begin first are together, and the
 * next ones again. A warp that has N lanes or more, or a number of them that N is no multiple of, stays as it is.
 *
 * IN STEP. Each narrow warp has its executions of places, in their order. A wide warp goes on where all of its warps have
 * a next one, or have ended. Of the next ones it takes that which comes first in this order, and those that are at the same
 * place with it: they are one execution.
 *   1. of the calls of a shader: the first;
 *   2. called shaders before the ones that call them;
 *   3. of one shader: of the outermost loop that both are in, the earlier turn; then of the next one;
 *   4. the order of the code, as if functions that one place calls stood there. What several places call comes before its
 *      callers.
 * So warps that part at a branch go one after the other through its sides and meet behind it; one that leaves a loop, or has
 * done a turn of it, waits until the others have, too. For example, A goes X Z X Z and B goes Y Z Z, where X and Y are the
 * sides of a branch in a loop and Z stands behind it: the wide warp goes X, Y, Z of both, X, Z of both. What is not recorded
 * is not seen: where B does a turn of a loop without an access, or a call without one of the shader that calls, it counts
 * one fewer than A, and they may meet in turns of other numbers.
 *
 * ORDER. Executions come out as soon as they are known, so a wide warp is where its last narrow warp is.
 *
 * MEMORY: what waits, `limit` bytes at most. Beyond it what waits longest in the wide warp at hand does not wait for the
 * others: such executions are `hurried`. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_WARPS_WIDE_WARPS_H
#define WS_ANALYSIS_MEMORY_WARPS_WIDE_WARPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/base/id_map.h"

#define WS_WIDE_LOOPS_MAX   6
#define WS_WIDE_CALLS_MAX   4
#define WS_WIDE_LANES_MAX   128u        /* of a wide warp */
#define WS_WIDE_WAITING_MAX (64u << 20) /* bytes */

struct ws_wide_turn {
    uint32_t loop; /* tells loops of a module apart */
    uint32_t turn;
};

/* Where a place comes in the order. Calls and turns are what an execution has come by (courses.h). */
struct ws_wide_order {
    uint32_t depth; /* of calls */
    uint32_t calls
        [WS_WIDE_CALLS_MAX]; /* which one of its caller's each of them is, outermost first; as far as there is room */
    uint32_t call_count;
    uint32_t shader;
    struct ws_wide_turn loops[WS_WIDE_LOOPS_MAX]; /* outermost first, likewise */
    uint32_t loop_count;
    uint32_t place; /* in the code: struct ws_traced_position, order */
};

/* One execution of a stretch (warpscope/spirv/stretches.h) by a warp. */
struct ws_execution {
    uint32_t shader; /* indices in the catalog: the shader itself, */
    uint32_t root;   /* and the one that was launched */
    uint32_t site;
    uint32_t slots; /* lanes that the warp has */
    uint32_t multiprocessor;
    uint32_t lane_count;   /* active lanes */
    const uint32_t *words; /* `words_per_lane` of each of them; NULL = none */
    uint32_t words_per_lane;
    const uint32_t *threads; /* of each of them; NULL = nobody asks */
};

/* A narrow warp that begins. */
struct ws_wide_member {
    uint32_t warp; /* its number */
    uint32_t shader;
    uint32_t lanes;   /* that it has */
    uint32_t entered; /* those with a thread */
    bool is_placed; /* the three below are known: else warps are together in the order in which they begin */
    uint64_t row;   /* of what it is: a workgroup, or a row of the launch */
    uint32_t position; /* of its first thread there */
    uint32_t length;   /* threads there; 0 = not known */
};

struct ws_wide_warp;
struct ws_wide_narrow;

/* The warps of a launch. Zero-initialise, then set the first four. */
struct ws_wide_warps {
    uint32_t lanes; /* N: 2 to WS_WIDE_LANES_MAX; below that nothing is put together */
    size_t limit;   /* WS_WIDE_WAITING_MAX */
    bool (*run)(void *user, const struct ws_execution *execution); /* false = no memory */
    void *user;

    struct ws_id_map rows;    /* what a member is of -> its number */
    struct ws_id_map shaders; /* that << 32 | shader -> its number there */
    struct ws_id_map places;  /* that << 32 | position / N -> index of the wide warp that is filled now */
    uint32_t row_count;
    uint32_t shader_count;
    struct ws_wide_warp *warps;
    uint32_t warp_count;
    uint32_t warp_capacity;
    struct ws_wide_narrow *narrow; /* by number */
    uint32_t narrow_count;
    uint32_t narrow_capacity;
    uint32_t *words; /* of the execution that is put together */
    uint32_t word_capacity;
    uint32_t threads[WS_WIDE_LANES_MAX];
    size_t waiting;   /* bytes */
    uint64_t formed;  /* wide warps of two or more */
    uint64_t kept;    /* warps that stay as they are, since N is no multiple of their lanes */
    uint64_t hurried; /* executions */
};

void ws_wide_warps_finish(struct ws_wide_warps *wide);

/* A context of a launched shader begins: the first one of a warp, or a later one. `*first` receives the number of the first
 * warp of the wide one: its own, where it is that. False when there is no memory; likewise below. */
bool ws_wide_warps_enter(struct ws_wide_warps *wide, const struct ws_wide_member *member, uint32_t *first);

/* A warp executes a place. One that is in no wide warp, has ended or is not known runs it at once. */
bool ws_wide_warps_add(struct ws_wide_warps *wide, uint32_t warp, const struct ws_wide_order *order,
                       const struct ws_execution *execution);

/* Such a context has ended: with the last one the warp has. */
bool ws_wide_warps_leave(struct ws_wide_warps *wide, uint32_t warp);

/* The launch has ended: what waits is run. */
bool ws_wide_warps_end(struct ws_wide_warps *wide);

#endif
