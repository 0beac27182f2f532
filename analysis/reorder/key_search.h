/* Finds what is worth sorting by, beside the shader that a call runs: bits of what a ray hits (hits.h), bits of that and of
 * what the thread hands over (payload_rows.h), and the branch or loop at which threads part (branches.h).
 *
 * The search looks at a SAMPLE: of the 16 visits of the call site with most threads the one in which sorting by path saves most
 * over sorting by shader, and of that 256 warps' worth of threads, in pieces of one warp's size, evenly spread. What is found
 * is then a key like others: its figures are of all threads.
 *   bits     The field that saves most is added, sorted behind the shader and the fields before it; where none saves 1 % of
 *            the slots that sorting by shader takes, the single bit that saves most, if that is 1 %; until neither does. Then
 *            each bit, the lowest of the last field first, is left out where the best choice so far loses 1 % at most of what
 *            it saves. Then bits are added again, for one that says nothing saves little but parts threads that another would
 *            bring together. At last the lowest are left out, until 16 are left. Bits that are the same in all rays of the
 *            sample are none.
 *            Of hundreds of bits some save 1 % by chance: the last field is left out where, with those before it, it does
 *            not save 1 % in a second sample, the pieces next to those of the first, if there are so many threads.
 *            With what is handed over each word of it is one field more, behind those of hits. Where no bit of a word is left
 *            there is nothing that hits do not tell as well.
 *   branch   of the WS_SEARCH_BRANCHES at which most threads do not go as most do, the one that saves most, if that is 1 %.
 * A call site is searched in each launch until one of them is found, in WS_SEARCHES_MAX launches at most; where sorting by path
 * does not save 1 % there is nothing to find. Later launches have the key that was found, as a program would.
 *   Example: of 4 materials, in instances by turns, that one shader tells apart by its custom index & 3: the custom index is
 *   added first; all of its bits but the lowest two are left out, since that costs nothing. The branch is that of the
 *   switch. */
#ifndef WS_ANALYSIS_REORDER_KEY_SEARCH_H
#define WS_ANALYSIS_REORDER_KEY_SEARCH_H

#include "analysis/reorder/branches.h"
#include "analysis/reorder/comers.h"
#include "analysis/reorder/hits.h"
#include "analysis/reorder/new_warps.h"
#include "warpscope/spirv/payloads.h"

#define WS_SEARCH_BITS_MAX   16
#define WS_SEARCH_WARPS      256
#define WS_SEARCH_VISITS     16
#define WS_SEARCH_BRANCHES   64
#define WS_SEARCHES_MAX      8
#define WS_SEARCH_LANES_MAX  128
#define WS_PAYLOAD_NAME_SIZE 96
#define WS_SEARCH_FIELDS     (WS_REORDER_FIELDS + WS_PAYLOAD_WORDS_MAX)

/* Bits of fields: those of rays (enum ws_reorder_field), and behind them the words that are handed over. */
struct ws_reorder_bits {
    uint32_t fields[WS_SEARCH_FIELDS]; /* the first sorts most */
    uint32_t count;                    /* 0: no bits were found */
    uint32_t masks[WS_SEARCH_FIELDS];  /* parallel to fields: the bits that are kept */
};

/* What was found for a call site. */
struct ws_reorder_choice {
    uint64_t site;
    uint32_t searches; /* launches in which it was sought */
    struct ws_reorder_bits hit;
    struct ws_reorder_bits payload; /* with one bit at least of what is handed over */
    bool parts;                     /* a branch was found */
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

/* The bits of a thread's fields, the first field's highest. */
uint32_t ws_reorder_bits_of(const struct ws_reorder_bits *bits, const uint32_t fields[WS_SEARCH_FIELDS]);

/* How many bits they are. */
uint32_t ws_reorder_bits_count(const struct ws_reorder_bits *bits);

/* The names of the words that are handed over. */
struct ws_payload_names {
    uint32_t count;
    char names[WS_PAYLOAD_WORDS_MAX][WS_PAYLOAD_NAME_SIZE];
};

/* Says which bits they are: "custom index & 0x3, payload.depth & 0x1". `words` NULL: words have numbers. */
void ws_reorder_bits_text(const struct ws_reorder_bits *bits, const struct ws_payload_names *words,
                          char *text, size_t size);

/* One visit that is looked at. */
struct ws_search {
    struct ws_new_warps *warps;
    struct ws_branch_table *table;
    struct ws_branch_call call;
    const struct ws_comer *comers; /* those of the sample */
    const uint32_t *fields;        /* WS_SEARCH_FIELDS of each */
    uint32_t count;
    uint32_t size;     /* lanes of a warp */
    bool has_rays;     /* what their rays hit is known */
    bool has_payloads; /* likewise what they hand over */
    uint32_t *order;   /* `count` each, to work with */
    uint32_t *spare;
    uint32_t *values;
    bool stopped; /* the budget (budget.h) is spent: what was found until then is all that is sought */
};

/* Takes a sample of so many threads of a visit, in the order of warps and lanes: `sample` receives which, in that order; how
 * many those are. `other`: one that shares no thread with the first; 0 where there are too few. */
uint32_t ws_search_sample(uint32_t count, uint32_t size, bool other, uint32_t *sample);

/* The slots that the sample's new warps take if it is sorted by the shader, and by the path. `false`: no memory. */
bool ws_search_bounds(struct ws_search *search, uint64_t *by_shader, uint64_t *by_path);

/* Searches. False when there is no memory. */
bool ws_search_run(struct ws_search *search, struct ws_reorder_choice *choice);

/* Leaves out the last fields that were found where they do not save 1 % in this other sample. False when there is no memory. */
bool ws_search_confirm(struct ws_search *search, struct ws_reorder_choice *choice);

#endif
