/* Puts the threads that reach a call site into new warps, and counts what these execute. reorder.h has the words. Not
 * thread-safe. */
#ifndef WS_ANALYSIS_REORDER_REGROUP_H
#define WS_ANALYSIS_REORDER_REGROUP_H

#include "analysis/reorder/key_search.h"
#include "analysis/reorder/new_warps.h"
#include "analysis/reorder/reorder_threads.h"

/* By what threads are sorted, within a window; of equal ones in the order of their warps and lanes. */
enum ws_reorder_key {
    WS_REORDER_PACKED,      /* by nothing: warps become full */
    WS_REORDER_SHADER,      /* the shader that the call runs */
    WS_REORDER_CALLED,      /* that, and the callables that it runs: a material */
    WS_REORDER_BY_INSTANCE, /* the shader, and the instance that is hit */
    WS_REORDER_BY_GEOMETRY, /* the shader, and the geometry that is hit */
    WS_REORDER_BY_OCTANT,   /* the shader, and the octant of the ray's direction */
    WS_REORDER_HIT,         /* the shader, and bits of what is hit (key_search.h) */
    WS_REORDER_PAYLOAD,     /* the shader, and bits of what is handed over and hit (key_search.h) */
    WS_REORDER_BRANCH,      /* the shader, and what the thread does where most is lost (branches.h) */
    WS_REORDER_PATH,        /* all that is called, and the path of blocks that follows */
    WS_REORDER_KEYS,
};

/* So many consecutive warps exchange threads: 1, 4, 16, 64, 256, all; and all, but each value of the key fills warps of its
 * own, as in a launch of its own; and those of one workgroup. */
#define WS_REORDER_WINDOWS      8
#define WS_REORDER_WINDOW_ALL   5
#define WS_REORDER_WINDOW_SPLIT 6
#define WS_REORDER_WINDOW_GROUP 7

/* The most selections of a shader that are told in a launch, and the most loops: those that leave most slots idle. */
#define WS_REORDER_PARTINGS_TOLD 4

/* What is tried: each key in windows of all, then `called` in smaller ones, then split by called and by branch; at partings the
 * last is `called` in workgroups. */
#define WS_REORDER_SORTS (WS_REORDER_KEYS + WS_REORDER_WINDOW_ALL + 2)
struct ws_reorder_sort {
    uint32_t key;    /* enum ws_reorder_key */
    uint32_t window; /* index of a window */
};
extern const struct ws_reorder_sort ws_reorder_sorts[WS_REORDER_SORTS];
const struct ws_reorder_sort *ws_reorder_sort_at(uint32_t sort, bool parts);

/* The tails that a worker has kept, and what their numbers are in the launch. */
struct ws_regrouping_tails {
    struct ws_tails tails;
    uint32_t *paths; /* per path of the worker */
    uint32_t *keys;  /* per node of its tree of shaders */
};

/* The launch whose workers' parts are put together. Zero-initialise, then set the catalog; before it is told, the nests and
 * choices. */
struct ws_regrouping {
    const struct ws_catalog *catalog;
    const struct ws_loop_nest *nests; /* parallel to the catalog's modules */
    uint32_t nest_count;
    struct ws_reorder_choices *choices; /* of all launches: what call sites are sorted by */
    struct ws_spans spans;
    struct ws_path_tree shaders;
    struct ws_id_map visits_at;
    struct ws_reorder_visit *visits;
    uint32_t visit_count;
    uint32_t visit_capacity;
    struct ws_reorder_before *befores; /* several may be of one call site, bounce and shader */
    uint32_t before_count;
    uint32_t before_capacity;
    struct ws_regrouping_tails *parts; /* their visits are those of the launch */
    uint32_t part_count;
    uint32_t part_capacity;
    uint64_t lost;
    uint64_t followed; /* ws_reorder_threads: of all parts. Beyond `most` the launch is not told */
    uint64_t followed_most;
    /* Selections that were not told, since they leave no slot idle; loops, since each warp's threads turn them equally often;
     * and both, since others of their kind in their shader leave more idle. */
    uint64_t coherent;
    uint64_t even;
    uint64_t fewer_idle;
};

void ws_regrouping_finish(struct ws_regrouping *regrouping);

/* Whether its threads turn loops too often to be followed. */
static inline bool ws_regrouping_turns_end(const struct ws_regrouping *regrouping)
{
    return regrouping->followed > regrouping->followed_most;
}

/* Adds what a worker has found out, and frees what that kept. False when there is no memory. */
bool ws_regrouping_add(struct ws_regrouping *regrouping, struct ws_reorder_threads *part);

/* A call site and bounce, as it is told. */
struct ws_regrouped {
    uint64_t site;
    uint32_t bounce;
    bool
        parts; /* at a parting: the sorts by `called` are by the side that threads take, or the turns of the loop, and */
               /* no other key is known */
    uint64_t visits; /* by threads */
    uint64_t calls;  /* by warps */
    uint64_t values
        [WS_REORDER_KEYS]; /* different values of each key in one visit, at most; 0: it was not tried, since */
                           /* nothing is known of rays, or no bits or branch were found: as for the shader */
    /* Per sort: launches that would follow if threads were sorted between launches: one for each visit; split, one for each
     * value of the key in each visit. 0 with smaller windows. */
    uint64_t launches[WS_REORDER_SORTS];
    uint64_t joined; /* ws_reorder_visit.joined */
    /* Those of the catalog from `first` on that the launch ran, and perhaps others: a capture may have ten thousand. */
    uint32_t shader_first;
    uint32_t shader_count;
    /* Per sort, per shader of these: after[sort * shader_count + shader - shader_first]. */
    const struct ws_reorder_after *after;
    const struct ws_reorder_before *before; /* before[shader - shader_first] */
    const uint32_t *ran; /* the shaders that have some of these, less shader_first; ascending */
    uint32_t ran_count;
};

/* Sorts and counts, and tells of each call site and bounce, in their order. `tell` returns false when it has no memory.
 * `*stopped` receives whether the budget (budget.h) ended it early. False when there is no memory. */
bool ws_regrouping_tell(struct ws_regrouping *regrouping, const struct ws_replay_threads *threads,
                        bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user,
                        bool *stopped);

#endif
