/* The threads that reach a visit of a call site, in columns, and their orders by keys. reorder.h has the words.
 *
 * The visits of a launch have PLACES: the order of call site, bounce and name in which they are told. A visit is read from what
 * workers have kept (tails.h), and its threads are put into the order of warps and lanes; then each column is one thing that
 * they may be sorted by. A sort reads one column or two, and nothing else of its threads.
 *
 * MEMORY: what tails.h keeps of the visit, 84 bytes for each of its threads, 8 for each visit and path of the launch, and
 * 8 for each run of tails. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_VISIT_THREADS_H
#define WS_ANALYSIS_REORDER_VISIT_THREADS_H

#include "analysis/reorder/comers.h"
#include "analysis/reorder/regroup.h"

/* Tails of a visit, of one worker. */
struct ws_visit_run {
    uint32_t part;
    uint32_t run;
};

/* Zero-initialise, then set the first two. */
struct ws_visit_threads {
    const struct ws_regrouping *regrouping;
    const struct ws_replay_threads *threads;
    uint32_t *places; /* per visit */
    uint32_t *visits; /* per place */
    uint32_t *path_ranks;
    uint32_t *key_ranks;       /* per node of the shaders' tree */
    uint32_t *key_first;       /* likewise: rank of its first shader */
    struct ws_visit_run *runs; /* of tails, by visit's place, then as they were added */
    uint32_t *visit_runs;      /* per place, and one more: its first run */
    uint32_t groups[2];        /* workgroups of the launch, along x and y */

    /* Of the visit that was read last: words of its tails (tails.h), and columns, by warp and lane. */
    uint32_t *words;
    uint64_t word_capacity;
    uint32_t count;
    uint32_t capacity;
    bool has_rays;                   /* something is known of their rays */
    bool has_payloads;               /* likewise of what they hand over */
    uint32_t *tails;                 /* where each tail begins */
    uint32_t *warps;                 /* indices */
    uint32_t *paths;                 /* what each executes */
    uint64_t *path_hashes;           /* of these (new_warps.h) */
    uint32_t *groups_of;             /* numbers of workgroups; set at partings */
    uint32_t *keys[WS_REORDER_KEYS]; /* what each key sorts by, behind what comes before it; packed: NULL */

    /* Places of the order that a sort has made. */
    uint32_t *order;
    bool windowed;     /* there are several windows */
    uint32_t *windows; /* of each place: what is in different ones does not come into one warp */
    uint32_t *called;  /* order by the key called, in windows of all, which is tried before smaller ones */
    uint32_t *called_windows; /* and the windows if it is split */
    uint32_t called_values;
    uint32_t *spare; /* to sort with */
    uint32_t *values;
};

/* False when there is no memory. */
bool ws_visit_threads_init(struct ws_visit_threads *visit);
void ws_visit_threads_finish(struct ws_visit_threads *visit);

/* Reads the threads of the visit at a place: where their tails begin, their warps, and what is known of them. False when there
 * is no memory, or they cannot be read. */
bool ws_visit_threads_read(struct ws_visit_threads *visit, uint32_t place);

/* Makes the columns of a visit that was read: all but those of the keys hit, payload and branch, and the groups. */
void ws_visit_threads_describe(struct ws_visit_threads *visit);

/* One of them, and its fields by which threads may be sorted (key_search.h): what is not known is 0. */
struct ws_comer ws_visit_thread(const struct ws_visit_threads *visit, uint32_t thread);
void ws_visit_thread_fields(const struct ws_visit_threads *visit, uint32_t thread,
                            uint32_t fields[WS_SEARCH_FIELDS]);

/* How many workgroups a launch of the shader has along x and y; and then the groups of the threads. */
void ws_visit_threads_count_groups(struct ws_visit_threads *visit, uint32_t shader);
void ws_visit_threads_set_groups(struct ws_visit_threads *visit, uint32_t shader);

/* Puts them into the order of a sort, and each place into its window. Returns how many different values the key has. */
uint32_t ws_visit_threads_sort(struct ws_visit_threads *visit, const struct ws_reorder_sort *sort);

#endif
