/* Counts what new warps execute: each name of their threads' tails once (reorder.h), path by path. Of a path that several
 * threads have, and of others, the pieces are counted that the warp does not have yet (pieces.h). In long scopes rounds in
 * which threads execute one set are counted together, so that a loop of a thousand rounds costs no more than one of two.
 *   Example: three threads turn a loop 50, 50 and 100 times, each with {A} in all rounds but the last, which has {A, B}. The
 *   warp executes A 100 times and B twice. Counted are rounds 0 to 48 and 49 of the first thread, none of the second, and of
 *   the third 50 to 98 and 99: in round 49, where {A, B} is already, {A} adds nothing.
 *
 * WHY LANES ARE IDLE (reorder.h): a lane without a thread is a partial warp; one whose thread is in no part of the shader
 * invocation that is executed, an indirect call. A thread is in an invocation if it executes a block of it, or if it called
 * from there: then it is in all that led to the call. What a warp executes is summed for each invocation, and so are the
 * threads that are in it.
 *   Example: a warp of 4 lanes has 3 threads that trace. Two hit A, of 10 instructions, and one misses, 2 instructions. Of A's
 *   40 slots 10 are a partial warp, 10 an indirect call; of the miss shader's 8, 2 and 4.
 *
 * WARPS THAT ARE ALIKE, of one visit, with the same paths, execute the same: what the last ones did is kept. They are known by
 * a hash of 64 bits.
 *
 * WORDS: pieces have numbers here in which those of one invocation follow each other, and 64 of them at most are a word. What a
 * path is made of are words, with a bit for each piece, and what a warp executes are the bits of all its paths. What these are
 * together is looked up where they came just now: threads of many warps differ in the same few branches.
 *
 * MEMORY: the pieces, and 24 bytes more for each; 28 bytes for each path, 16 for each of its words, of which WS_NEW_WARP_FLAT
 * and those of one warp are kept, and 4 for each of its items of long scopes, of which WS_NEW_WARP_ITEMS are kept likewise; 28
 * for each word, 24 for each span, 4 for each item that is kept, 40 for each of a long scope, 20 for each scope and 40 for
 * each shader invocation, 4 for each of these in each span, and the sets that come together, of which at most
 * WS_NEW_WARP_SETS_MAX are kept from one warp to the next; and 24 bytes for each of WS_NEW_WARP_LIKES warps, 40 for each
 * shader that these execute, WS_NEW_WARP_PARTS at most, and 32 for each of WS_NEW_WARP_WEIGHED words.
 * Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_NEW_WARPS_H
#define WS_ANALYSIS_REORDER_NEW_WARPS_H

#include "analysis/reorder/pieces.h"
#include "analysis/reorder/places/thread_walk.h"

#define WS_NEW_WARP_SETS_MAX (1u << 18)
#define WS_NEW_WARP_LIKES    (1u << 14) /* a power of two */
#define WS_NEW_WARP_PARTS    (1u << 16) /* likewise */
#define WS_NEW_WARP_FLAT     (1u << 19)
#define WS_NEW_WARP_ITEMS    (1u << 21)
#define WS_NEW_WARP_WEIGHED  (1u << 12) /* a power of two */

/* What new warps execute of a shader. */
struct ws_reorder_after {
    uint64_t executions; /* of blocks, by warps */
    uint64_t slots;
    uint64_t partial_warp;  /* of slots: lanes without a thread, */
    uint64_t indirect_call; /* and those whose thread is in no part of the shader invocation */
};

/* Rounds of a scope in which the warp executes one set. */
struct ws_new_rounds {
    uint32_t first;
    uint32_t end;
    uint32_t set;
    uint32_t next; /* index, or WS_NONE: those of a scope ascend */
};

/* A shader invocation, as far as the warp is in it. */
struct ws_new_invocation {
    uint64_t executions;
    uint64_t instructions; /* that the warp executes */
    uint32_t warp;         /* the last that was in it */
    uint32_t visit;        /* the last visit that was made in it, or in one that it called */
    uint32_t threads;      /* of the warp that are in it */
    uint32_t shader;
    uint32_t word_first; /* of its pieces */
    uint32_t word_end;
};

struct ws_new_scope {
    struct ws_new_rounds first; /* its first rounds, if it was in any */
    uint32_t warp;              /* the last that was in the scope */
};

/* An item of a long scope, with what it counts. */
struct ws_new_item {
    struct ws_new_rounds rounds;
    uint32_t scope;
    uint32_t invocation;
    uint64_t executions; /* in all rounds */
    uint64_t instructions;
};

/* A span: how many items it has here, and pieces, and the invocations that it is of. */
struct ws_new_span {
    uint64_t pieces; /* those of several items count with each */
    uint32_t count;
    uint32_t invocation_first;
    uint32_t invocation_count;
};

/* Pieces of one invocation that a path has. */
struct ws_new_word {
    uint64_t bits; /* none = the path has items of long scopes alone there */
    uint32_t word;
    uint32_t invocation;
};

/* The bits of a word that the warp has. */
struct ws_new_bits {
    uint64_t bits;
    uint32_t warp;  /* the last that had some */
    uint32_t first; /* number of the first piece of the word */
    uint32_t invocation;
};

/* What bits of a word are together. */
struct ws_new_weighed {
    uint64_t bits;
    uint64_t executions;
    uint64_t instructions;
    uint32_t word;
};

/* A piece by its number here. */
struct ws_new_weight {
    uint64_t executions;
    uint64_t instructions;
};

/* What a path is made of: words, those of one invocation one after the other, and items. */
struct ws_new_flat {
    uint32_t first; /* in `words` */
    uint32_t words;
    uint32_t item_first; /* in `flat_items` */
    uint32_t items;
    uint32_t warp;  /* the last that had the path, */
    uint32_t place; /* and its place in `paths` then */
    bool is;        /* known */
};

/* A path, and how many threads of the warp execute it. */
struct ws_new_path {
    uint32_t path;
    uint32_t threads;
};

/* What one of the last warps executed: its parts stand in a ring. */
struct ws_new_like {
    uint64_t hash;  /* of its paths, size and visit; 0 = none */
    uint64_t first; /* its first part: they are there until WS_NEW_WARP_PARTS more have come */
    uint32_t count;
};

struct ws_new_part {
    uint32_t shader;
    struct ws_reorder_after executed;
};

/* What the warp executes of a shader, in all invocations of it. */
struct ws_new_shader {
    uint64_t executions;
    uint64_t instructions;
    uint64_t absent; /* of threads that are in no part of the invocation: instructions of each */
    uint32_t warp;   /* the last that executed the shader */
};

/* The shaders that new warps executed, each once, in no order. The caller's. */
struct ws_new_ran {
    uint32_t *shaders; /* has room for all */
    uint32_t count;
    bool *has; /* per shader */
};

struct ws_new_warps {
    struct ws_spans *spans;
    struct ws_new_ran *ran; /* receives what is added to `after`; NULL = nothing does. Not owned */
    uint64_t slots;         /* of the warp that was counted last */
    struct ws_pieces pieces;
    uint32_t set_count; /* of sets that are kept */
    uint32_t block_count;
    struct ws_id_map united;       /* two sets -> their union */
    struct ws_new_weight *weights; /* by number of a piece here */
    uint32_t *numbers;             /* per piece: that number; */
    uint32_t *piece_words;         /* and its word */
    struct ws_new_bits *bits;      /* per word */
    uint32_t word_count;
    uint32_t *touched_words; /* that the warp has bits of */
    uint32_t touched_word_count;
    struct ws_new_weighed *weighed; /* bits that came just now */
    struct ws_new_flat *flats;      /* per path */
    struct ws_new_word *words;      /* of paths */
    uint32_t flat_count;
    uint32_t flat_capacity;
    uint32_t *flat_items;
    uint32_t flat_item_count;
    uint32_t flat_item_capacity;
    struct ws_new_item *items;
    uint32_t *long_items; /* per item of the spans: its number in `items`, if it is of a long scope */
    struct ws_new_span *spans_items; /* per span */
    uint32_t *span_invocations;      /* of spans: indices */
    uint32_t span_invocation_count;
    uint32_t span_invocation_capacity;
    struct ws_new_invocation *invocations; /* per invocation of the spans */
    uint32_t *touched;                     /* invocations that the warp is in */
    uint32_t touched_count;
    struct ws_new_path *paths; /* of the warp: each once */
    uint32_t path_count;
    uint32_t path_capacity;
    uint32_t threads;          /* of the warp */
    struct ws_new_like *likes; /* by the lowest bits of their hashes */
    struct ws_new_part *parts; /* a ring, once there are WS_NEW_WARP_PARTS */
    uint32_t part_capacity;
    uint64_t part_count;           /* that were ever made */
    struct ws_new_shader *shaders; /* of the catalog's from shader_first on, as far as the spans have some */
    uint32_t shader_first;
    uint32_t shader_count;
    uint32_t after_first;      /* the shader of after[0], and that is 0 in `ran`: the caller's */
    uint32_t *touched_shaders; /* of which the warp executes something */
    uint32_t touched_shader_count;
    uint32_t visit; /* the number of the one that its threads made */
    struct ws_new_scope *scopes;
    struct ws_new_rounds *rounds;
    uint32_t round_count;
    uint32_t round_capacity;
    uint32_t warp;  /* the number of the one that is counted */
    uint32_t size;  /* lanes */
    uint64_t steps; /* that it took (budget.h) */
};

/* `spans` gets no more of them. False when there is no memory, or the budget is spent. */
bool ws_new_warps_init(struct ws_new_warps *warps, struct ws_spans *spans);
void ws_new_warps_finish(struct ws_new_warps *warps);

/* The warps from now on are of threads that have called from an invocation (ws_span_invocation.hash). */
void ws_new_warps_visit(struct ws_new_warps *warps, uint64_t invocation);

/* A thread with a path. */
static inline uint64_t ws_new_path_hash(uint32_t path)
{
    return ws_walk_mix(1, path);
}

/* What a new warp of so many lanes is known by, whose threads' hashes have this sum: in which lanes they are makes no
 * difference. It is to be counted soon: where those that are alike stand is fetched until then. */
static inline uint64_t ws_new_warp_hash_of(const struct ws_new_warps *warps, uint32_t size, uint64_t sum,
                                           uint32_t threads)
{
    const uint64_t kind = (uint64_t)warps->visit << 32 | size;
    const uint64_t hash = ws_walk_mix(ws_walk_mix(sum, kind), threads) | 1;
    __builtin_prefetch(&warps->likes[hash >> 1 & (WS_NEW_WARP_LIKES - 1)]);
    return hash;
}

/* The same of one whose threads execute these paths. */
uint64_t ws_new_warp_hash(const struct ws_new_warps *warps, uint32_t size, const uint32_t *paths,
                          uint32_t threads);

/* Adds a shader, if it is not among them. */
void ws_new_ran_add(struct ws_new_ran *ran, uint32_t shader);

/* Counts it: what it executes is added to `after`, per shader of the catalog from after_first on; NULL = only its slots are
 * counted. False when there is no memory. */
bool ws_new_warp_count(struct ws_new_warps *warps, uint64_t hash, uint32_t size, const uint32_t *paths,
                       uint32_t threads, struct ws_reorder_after *after);

#endif
