/* What warps executed as they were, in tails of call sites (reorder.h). Threads are in the tails of as many call sites as they
 * have visited: their OPEN tails, of which there are few different lists. Executions of a context by lanes with the same lists
 * are counted together: what they mean for each call site is worked out where lists change.
 *
 * MEMORY, bounded: 130 bytes for each call site, bounce and shader that runs behind it; 24 bytes for each tail of a list,
 * WS_BEFORE_TAILS_MAX in all; and 32 to 64 for each visit whose list is remembered, WS_BEFORE_NEXT_MAX (the others' are made
 * again). What is beyond that, and beyond WS_BEFORE_SHARES_MAX call sites and bounces of executions that are counted together,
 * is counted as `lost`. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_BEFORE_H
#define WS_ANALYSIS_REORDER_BEFORE_H

#include "warpscope/base/id_map.h"

#include <stddef.h>

#define WS_BEFORE_TAILS_MAX  (1u << 20)
#define WS_BEFORE_NEXT_MAX   (1u << 18)
#define WS_BEFORE_SHARES_MAX 256
#define WS_BEFORE_RECENT     16
#define WS_BEFORE_LANES_MAX  128 /* of a warp */
#define WS_BEFORE_NONE       0u  /* the list of a thread that has visited no call site */

/* An open tail: of which call site and bounce, and whether the thread goes on in its warp, as if it had not visited. */
struct ws_before_tail {
    uint64_t site;
    uint32_t bounce;
    bool cut;
    uint32_t place; /* of these two among the places; set by ws_before_visit */
};

/* What warps as they were executed of a shader in tails of a call site and bounce. */
struct ws_reorder_before {
    uint64_t site;
    uint32_t bounce;
    uint32_t ran;          /* the shader, index in the catalog */
    uint64_t executions;   /* of blocks, by warps */
    uint64_t slots;        /* lanes of a warp x instructions */
    uint64_t active;       /* slots of active lanes */
    uint64_t active_after; /* the same after: each lane's in its own bounce */
    uint64_t stay;         /* of `executions`: with lanes that have not reached the call site, and stay */
    uint64_t stay_slots;   /* slots of these */
    /* Slots of idle lanes without a thread, and of those whose thread is in no part of this shader invocation (reorder.h): of
     * `slots`, and of `stay_slots` after. */
    uint64_t partial_warp;
    uint64_t indirect_call;
    uint64_t stay_partial_warp;
    uint64_t stay_indirect_call;
};

/* A call site and bounce. */
struct ws_before_place {
    uint64_t counted; /* the last executions that lanes were in, */
    uint32_t lanes;   /* and how many of these go on in new warps */
    uint32_t site;    /* index in `sites` */
    uint32_t bounce;
};

struct ws_before_site {
    uint64_t site;
    uint64_t counted; /* likewise */
    uint32_t highest; /* bounce */
    uint32_t visited; /* lanes in new warps, of any bounce */
};

/* Zero-initialised is empty. */
struct ws_befores {
    struct ws_reorder_before *befores;
    uint32_t count;
    uint32_t capacity;
    struct ws_id_map at;
    struct ws_before_recent *recent; /* those that were counted just now; NULL until there are some */
    struct ws_before_place *places;
    uint32_t place_count;
    uint32_t place_capacity;
    struct ws_before_site *sites;
    uint32_t site_count;
    uint32_t site_capacity;
    struct ws_id_map places_at; /* by call site and bounce */
    struct ws_id_map sites_at;
    uint64_t counted; /* how often executions were */
    uint64_t more;    /* so many times more those count that are counted now */
    struct ws_before_list *lists;
    uint32_t list_count;
    uint32_t list_capacity;
    struct ws_before_tail *tails; /* of lists */
    uint32_t tail_count;
    uint32_t tail_capacity;
    struct ws_id_map lists_at;
    struct ws_id_map next_at; /* list and what is visited -> list: of the first WS_BEFORE_NEXT_MAX */
    struct {
        uint64_t key;
        uint32_t next;               /* + 1; 0 = none */
    } recent_next[WS_BEFORE_RECENT]; /* of these, those that were asked for just now */
    uint64_t lost;                   /* tails of threads that are beyond a bound, each where it came there */
};

void ws_befores_finish(struct ws_befores *befores);

/* The list of a thread that had `list`, and visits a call site; and that of one that goes on in its warp. False when there is
 * no memory. */
bool ws_before_visit(struct ws_befores *befores, uint32_t list, const struct ws_before_tail *tail,
                     uint32_t *next);
bool ws_before_cut(struct ws_befores *befores, uint32_t list, uint32_t *next);

/* That of one whose tail of a call site has ended, though it did not visit it again. False when there is no memory. */
bool ws_before_leave(struct ws_befores *befores, uint32_t list, uint64_t site, uint32_t *next);

/* Executions of a context by lanes with the same lists, which are not counted yet: most blocks are executed by the lanes that
 * executed the one before. Zero-initialised is none. */
struct ws_before_last {
    uint64_t executions;
    uint64_t instructions;
    uint32_t shader; /* these four as below */
    uint32_t size;
    uint32_t threads;
    uint32_t inside;
    uint32_t active; /* 0 = there are none */
    uint32_t lists[WS_BEFORE_LANES_MAX];
};

/* A warp executes a block. `lists`: of its active lanes. Of one context all but the last three are always the same. */
struct ws_before_execution {
    uint32_t shader;
    uint32_t size;    /* lanes of the warp */
    uint32_t threads; /* of the warp */
    uint32_t inside;  /* of these: threads that entered this execution of the shader */
    uint32_t instructions;
    uint32_t active;
    const uint32_t *lists;
};

/* Adds one by lanes with the lists of the last execution that had any. False, and nothing is done, where there was none. */
static inline bool ws_before_again(struct ws_before_last *last, uint32_t instructions)
{
    if (last->active == 0)
        return false;
    last->executions++;
    last->instructions += instructions;
    return true;
}

/* Adds it. False when there is no memory. */
bool ws_before_add(struct ws_befores *befores, struct ws_before_last *last,
                   const struct ws_before_execution *execution);

/* Counts what is not counted yet: the context is over. False when there is no memory. */
bool ws_before_end(struct ws_befores *befores, struct ws_before_last *last);

#endif
