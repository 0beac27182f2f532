/* Where a thread stands: its walk (thread_walk.h), and what it has executed since its last call (growing.h), as one number.
 * Threads that did the same have the same number, so what one of them did next is looked up for the others: a block costs
 * them a comparison. A STEP is what a thread does, as a number of the caller's: what it leads to depends on nothing else.
 *   Example: eight lanes execute blocks A, B and C. The first lane's steps are made; those of the other seven are that of the
 *   first. Of the next warp that does so each lane's step is found where the first warp's led.
 *
 * MEMORY: some 110 bytes for each stand, and 32 for each beyond the second that steps from one led to; beyond WS_STANDS_MAX
 * those of no thread are to be forgotten (ws_stands_full). Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PLACES_STANDS_H
#define WS_ANALYSIS_REORDER_PLACES_STANDS_H

#include "analysis/reorder/places/growing.h"

#define WS_STANDS_MAX (1u << 16)

/* What each block asks for stands here, apart from the rest: half a line of a cache. */
struct ws_stand {
    /* Where steps led that were made from here: the first one, and the last one. `to` 0 = none. */
    uint64_t first_step;
    uint32_t first_to;
    uint32_t last_to;
    uint64_t last_step;
    uint32_t walk;
    uint32_t ended; /* the stand once its growth has ended, + 1; 0 = not known */
};

struct ws_stand_grown {
    struct ws_growth growth;
    uint32_t span; /* that the growth is, once it has ended; WS_NONE = it is none, or has not ended yet */
};

/* Number 0 is that of a thread in no shader that has executed nothing. Zero-initialised is empty. */
struct ws_stands {
    struct ws_stand *stands;
    struct ws_stand_grown *grown; /* parallel to stands */
    uint32_t count;
    uint32_t capacity;
    uint32_t grown_capacity;
    uint32_t most;           /* that there may be; 0 = WS_STANDS_MAX */
    struct ws_id_map at;     /* by walk: those without growth */
    struct ws_id_map led_to; /* by stand and step, of those that gave way to another once */
};

void ws_stands_finish(struct ws_stands *stands);

/* Makes number 0, before anything else. False when there is no memory. */
bool ws_stands_begin(struct ws_stands *stands);

/* Where a step led that is not the first or last; 0 = it was not made. */
uint32_t ws_stand_led_before(struct ws_stands *stands, uint32_t from, uint64_t step);

/* Where a step from a stand led; 0 = it was not made, or is not known any more. */
static inline uint32_t ws_stand_led(struct ws_stands *stands, uint32_t from, uint64_t step)
{
    const struct ws_stand *stand = &stands->stands[from];
    if (stand->first_step == step && stand->first_to != 0)
        return stand->first_to;
    if (stand->last_to == 0)
        return 0;
    return stand->last_step == step ? stand->last_to : ws_stand_led_before(stands, from, step);
}

/* A step that is not known leads to a walk, and a growth: `*to` receives the stand. False when there is no memory. */
bool ws_stand_lead(struct ws_stands *stands, uint32_t from, uint64_t step, uint32_t walk,
                   const struct ws_growth *growth, uint32_t *to);

/* The stand of a walk and a growth, as far as no step led there. False when there is no memory. */
bool ws_stand_find(struct ws_stands *stands, uint32_t walk, const struct ws_growth *growth, uint32_t *found);

/* Whether nothing has been executed since the last call. */
static inline bool ws_growth_is_bare(const struct ws_growth *growth)
{
    return growth->blocks == 0 && growth->last_blocks == 0;
}

/* Whether stands are to be forgotten that no thread has. */
static inline bool ws_stands_full(const struct ws_stands *stands)
{
    return stands->count > (stands->most > 0 ? stands->most : WS_STANDS_MAX);
}

/* Forgets them, and all steps. `numbers`: for each stand, not 0 where a thread has it; receives the number that it has then. */
void ws_stands_forget(struct ws_stands *stands, uint32_t *numbers);

/* Walks or lists have new numbers: stands are found by those. False when there is no memory. */
bool ws_stands_renumbered(struct ws_stands *stands);

#endif
