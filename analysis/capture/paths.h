/* Takes path records (records.h, PATH RECORD) apart: which place records they stand for, and in which order.
 *
 * One table belongs to one module. The turns that lanes of a context appended wait in a list of that context until the record
 * of their path comes. All is untrusted: what contradicts itself is malformed. */
#ifndef WS_ANALYSIS_CAPTURE_PATHS_H
#define WS_ANALYSIS_CAPTURE_PATHS_H

#include <stddef.h>

#include "warpscope/base/lanes.h"
#include "warpscope/instrument.h"
#include "warpscope/pass.h"

struct ws_path_step {
    uint32_t number; /* of the place record */
    uint32_t tag;    /* WS_STEP_ALL, WS_STEP or WS_STEP_REST */
};

struct ws_path {
    uint32_t site;  /* the number of its records */
    uint32_t words; /* per lane */
    uint32_t loop_count;
    uint32_t
        loops[WS_DATA_WORDS_MAX]; /* the tags of their sites (WS_TURNS), but for those of WS_TURNS_ONCE */
    uint32_t turn_sites[WS_DATA_WORDS_MAX]; /* these sites */
    uint32_t first;                         /* of its steps */
    uint32_t count;
    bool sound; /* its steps and loops agree with its words; else its records are malformed */
    bool adds;  /* it has loops, and all lanes of a loop are in the first step of each of its turns */
};

struct ws_path_table {
    struct ws_path *paths; /* by site */
    uint32_t path_count;
    struct ws_path_step *steps;
};

/* Turns of a loop that lanes of a context appended. */
struct ws_path_turns {
    struct ws_path_turns *next;
    uint32_t site;           /* of kind WS_SITE_PATH_TURNS, and not of WS_TURNS_ONCE */
    uint32_t words_per_lane; /* as the site says (ws_turns_words) */
    struct ws_lanes lanes;
    struct ws_lanes left; /* whose path has not come yet */
    uint32_t words[];
};

/* Of one context, the first appended first. Zeroed, it is empty. */
struct ws_path_waiting {
    struct ws_path_turns *first;
    struct ws_path_turns *last;
};

enum ws_path_result {
    WS_PATH_TOLD,
    WS_PATH_MALFORMED,
    WS_PATH_STOPPED, /* the callback said so, or the budget is spent (budget.h) */
    WS_PATH_FAILED,  /* no memory */
};

/* One place record of a path. False = stop. */
typedef bool ws_path_tell(void *user, uint32_t number, struct ws_lanes lanes);

/* In how many turns of a loop lanes came by its steps, for those that only add up. */
struct ws_path_sums {
    uint32_t first; /* of the steps, among those of the path */
    uint32_t steps;
    struct ws_lanes lanes; /* of the loop */
    uint32_t lane_count;
    uint32_t stride; /* of a step in what follows; behind the lanes are zeros */
    uint64_t *turns; /* per step: those in which some lane came by: so many place records it stands for */
    /* Per step and lane, lowest lane first: in how many turns it came by; `times` in place of `few` where that may take more
     * than 32 bits, else NULL. */
    uint32_t *few;
    uint64_t *times;
    uint64_t room;  /* turns that may be added to `few` yet */
    uint32_t *ones; /* per step and lane: a one for each turn of the group at work in which it came by */
};

/* The stride of so many lanes. */
static inline uint32_t ws_path_stride(uint32_t lane_count)
{
    return (lane_count + 7) / 8 * 8;
}

typedef bool ws_path_tell_sums(void *user, const struct ws_path_sums *sums);

/* Turns that are alike are told so many at once, but to those who leap. */
#define WS_PATH_TURNS_ONCE 1024u

/* Turns of a loop in which the same lanes come by each step. */
struct ws_path_turns_alike {
    uint32_t first; /* of the steps, among those of the path */
    uint32_t steps;
    const struct ws_lanes *lanes; /* per step; none = it is in none of the turns */
    uint64_t turns;
};

typedef bool ws_path_tell_alike(void *user, const struct ws_path_turns_alike *alike);

/* Who is told of a path. A loop that is heard both ways is told turn by turn first. */
struct ws_path_listener {
    ws_path_tell *step;        /* of steps that are in no loop */
    ws_path_tell *turn;        /* of steps in loops, turn by turn; NULL */
    ws_path_tell_alike *alike; /* in its place: of turns in a row that are alike; NULL */
    bool leaps;                /* `alike` takes many turns for the price of a few */
    ws_path_tell_sums *sums;   /* once for each loop; NULL */
};

/* Finds the paths among `count` sites, which stand `stride` bytes apart. False if there is no memory; finish it in any case. */
bool ws_path_table_make(struct ws_path_table *table, const struct ws_site_info *sites, size_t stride,
                        uint32_t count);
void ws_path_table_finish(struct ws_path_table *table);

/* The path whose records have the number; NULL = none. */
const struct ws_path *ws_path_find(const struct ws_path_table *table, uint32_t number);

/* Whether a step is in a loop. */
bool ws_path_in_loop(const struct ws_path *path, const struct ws_path_step *step);

/* The lanes of a step that is in no loop. `words`: of each of `lanes`, lowest lane first. */
struct ws_lanes ws_path_lanes(const struct ws_path *path, const struct ws_path_step *step,
                              struct ws_lanes lanes, const uint32_t *words);

/* Adds what a record of a site of kind WS_SITE_PATH_TURNS says. False if there is no memory. */
bool ws_path_wait(struct ws_path_waiting *waiting, uint32_t site, struct ws_lanes lanes,
                  const uint32_t *words, uint32_t words_per_lane);
void ws_path_waiting_finish(struct ws_path_waiting *waiting);

/* Whether some of these lanes have turns that wait. They cannot end then: no lane ends within a path. */
bool ws_path_is_waiting(const struct ws_path_waiting *waiting, struct ws_lanes lanes);

/* Tells what the record of a path stands for. `words`: of each lane, lowest lane first. Takes the turns of its lanes out of
 * those that wait. */
enum ws_path_result ws_path_expand(const struct ws_path_table *table, const struct ws_path *path,
                                   struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                   const uint32_t *words, ws_path_tell *tell, void *user);

/* The same for a listener. Turns that are only added up cost by how many different words of them there are, not by how often
 * these came. Work is charged for as it is done, and a step of the budget for each 2^16 turns: what the bytes of a capture
 * allow adds up to less than 64 bits have. */
enum ws_path_result ws_path_hear(const struct ws_path_table *table, const struct ws_path *path,
                                 struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                 const uint32_t *words, const struct ws_path_listener *listener, void *user);

#endif
