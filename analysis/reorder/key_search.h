/* Finds what is worth sorting by, beside the shader that a call runs: bits of what a ray hits (hits.h), and the branch or loop
 * at which threads part (branches.h).
 *
 * The search looks at a SAMPLE: of the 16 visits of the call site with most threads the one in which sorting by path saves most
 * over sorting by shader, and of that 256 warps' worth of threads, in pieces of one warp's size, evenly spread. What is found
 * is then a key like others: its figures are of all threads.
 *   bits     The field that saves most is added, sorted behind the shader and the fields before it; where none saves 1 % of
 *            the slots that sorting by shader takes, the single bit that saves most, if that is 1 %; until neither does. Then
 *            each bit, the lowest of the last field first, is left out where that costs 1 % of what all save at most; and then
 *            the lowest, until 16 are left. Bits that are the same in all rays of the sample are none.
 *   branch   of the WS_SEARCH_BRANCHES at which most threads do not go as most do, the one that saves most, if that is 1 %.
 * A call site is searched in each launch until either is found, in WS_SEARCHES_MAX launches at most; where sorting by path does
 * not save 1 % there is nothing to find. Later launches have the key that was found, as a program would.
 *   Example: of 4 materials, in instances by turns, that one shader tells apart by its custom index & 3: the custom index is
 *   added first; all of its bits but the lowest two are left out, since that costs nothing. The branch is that of the
 *   switch. */
#ifndef WS_ANALYSIS_REORDER_KEY_SEARCH_H
#define WS_ANALYSIS_REORDER_KEY_SEARCH_H

#include "analysis/reorder/branches.h"
#include "analysis/reorder/comers.h"
#include "analysis/reorder/new_warps.h"

#define WS_SEARCH_BITS_MAX  16
#define WS_SEARCH_WARPS     256
#define WS_SEARCH_VISITS    16
#define WS_SEARCH_BRANCHES  64
#define WS_SEARCHES_MAX     8
#define WS_SEARCH_LANES_MAX 128

/* What was found for a call site. */
struct ws_reorder_choice {
    uint64_t site;
    uint32_t searches;                  /* launches in which it was sought */
    uint32_t fields[WS_REORDER_FIELDS]; /* enum ws_reorder_field, the first sorts most */
    uint32_t field_count;               /* 0: no bits were found */
    uint32_t masks[WS_REORDER_FIELDS];  /* parallel to fields: the bits that are kept */
    bool parts;                         /* a branch was found */
    struct ws_branch branch;
};

/* Of all call sites. Zero-initialised is empty. */
struct ws_reorder_choices {
    struct ws_id_map at;
    struct ws_reorder_choice *choices;
    uint32_t count;
    uint32_t capacity;
};

void ws_reorder_choices_finish(struct ws_reorder_choices *choices);

/* That of a call site; NULL when there is no memory, or with `make` false, when it was not looked at. It stays there until
 * another is made. */
struct ws_reorder_choice *ws_reorder_choice_at(struct ws_reorder_choices *choices, uint64_t site, bool make);

/* The bits of a ray that were found, the first field's highest; of a thread without a ray 0. */
uint32_t ws_reorder_choice_bits(const struct ws_reorder_choice *choice,
                                const uint32_t fields[WS_REORDER_FIELDS]);

/* How many bits they are. */
uint32_t ws_reorder_choice_bit_count(const struct ws_reorder_choice *choice);

/* Says which bits they are: "custom index & 0x3, octant & 0x1". */
void ws_reorder_choice_text(const struct ws_reorder_choice *choice, char *text, size_t size);

/* One visit that is looked at. */
struct ws_search {
    struct ws_new_warps *warps;
    struct ws_branch_table *table;
    struct ws_branch_call call;
    const struct ws_comer *comers; /* those of the sample */
    uint32_t count;
    uint32_t size;   /* lanes of a warp */
    bool has_rays;   /* what their rays hit is known */
    uint32_t *order; /* `count` each, to work with */
    uint32_t *spare;
    uint32_t *values;
    struct ws_reorder_after *after; /* per shader of the catalog */
    uint32_t shader_count;
};

/* Takes a sample of the threads of a visit, in the order of warps and lanes, into `sample`; how many those are. */
uint32_t ws_search_sample(const struct ws_comer *comers, uint32_t count, uint32_t size,
                          struct ws_comer *sample);
#define WS_SEARCH_SAMPLE_MAX (WS_SEARCH_WARPS * WS_SEARCH_LANES_MAX)

/* The slots that the sample's new warps take if it is sorted by the shader, and by the path. `false`: no memory. */
bool ws_search_bounds(struct ws_search *search, uint64_t *by_shader, uint64_t *by_path);

/* Searches. False when there is no memory. */
bool ws_search_run(struct ws_search *search, struct ws_reorder_choice *choice);

#endif
