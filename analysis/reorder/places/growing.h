/* What threads execute since their last call, while it grows: the items of a span that is not all yet (spans.h), and the blocks
 * of the last item. Both are lists, and equal ones are one: threads that did the same have the same numbers, so that what
 * one of them has found out serves all.
 *
 * MEMORY: some 80 bytes for each list that a thread has or had; beyond WS_GROWING_MAX those that none has are to be forgotten
 * (ws_growing_full). Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PLACES_GROWING_H
#define WS_ANALYSIS_REORDER_PLACES_GROWING_H

#include "analysis/reorder/places/spans.h"
#include "analysis/reorder/places/thread_walk.h"

#define WS_GROWING_MAX (1u << 17)

/* What a thread has executed. Zero-initialised is nothing. Without padding: equal ones are equal bytes. */
struct ws_growth {
    uint64_t scope; /* of the blocks, and their round and shader */
    uint32_t round;
    uint32_t shader;
    uint32_t blocks;          /* list of those of the last item, which has no set yet; 0 = none */
    uint32_t items;           /* list of the items before `last`; 0 = none */
    uint32_t last_blocks;     /* list that `last` was made of; 0 = there is no last */
    uint32_t item_count;      /* `last` included */
    struct ws_span_step last; /* whose rounds may become more */
};

/* A list that ends with an element: an item, or a block, which has no scope. */
struct ws_growing_list {
    struct ws_span_step element;
    uint32_t before; /* the list without it; a lower number; 0 = none */
    uint32_t count;
    uint32_t result; /* the set of blocks, the span of items; WS_NONE = not known yet */
    uint32_t recent; /* the list with one more element, that was asked for last; 0 = none */
};

/* Number 0 is the empty list. Zero-initialise, then set the spans. */
struct ws_growing {
    struct ws_spans *spans;
    struct ws_growing_list *lists;
    uint32_t count;
    uint32_t capacity;
    uint32_t most; /* that there may be; 0 = WS_GROWING_MAX */
    struct ws_id_map at;
    struct ws_span_step *elements; /* of one list */
    uint32_t element_capacity;
    uint32_t *blocks; /* likewise */
    uint32_t block_capacity;
};

void ws_growing_finish(struct ws_growing *growing);

/* Whether one more block is of the same item as those before. */
static inline bool ws_growth_goes_on(const struct ws_growing *growing, const struct ws_growth *growth,
                                     const struct ws_walk_place *place)
{
    return growth->blocks != 0 && growing->lists[growth->blocks].count < WS_SPAN_BLOCKS_MAX &&
           place->scope == growth->scope && place->round == growth->round;
}

/* The blocks of the last item are all: it gets its set. Consecutive rounds with one set are one item. False when there is no
 * memory. */
bool ws_growth_end_item(struct ws_growing *growing, struct ws_growth *growth);

/* The next block is the first of an item. */
static inline void ws_growth_begin_item(struct ws_growth *growth, const struct ws_walk_place *place,
                                        uint32_t shader)
{
    growth->scope = place->scope;
    growth->round = place->round;
    growth->shader = shader;
}

/* A block more, of the item that is begun. False when there is no memory. */
bool ws_growth_add(struct ws_growing *growing, struct ws_growth *growth, uint32_t block);

/* All is there: `*span` receives the span of the items, WS_NONE if there are none, and the growth is empty again. False when
 * there is no memory. */
bool ws_growth_end(struct ws_growing *growing, struct ws_growth *growth, uint32_t *span);

/* Whether lists are to be forgotten that no growth has. */
static inline bool ws_growing_full(const struct ws_growing *growing)
{
    return growing->count > (growing->most > 0 ? growing->most : WS_GROWING_MAX);
}

/* Marks the lists of a growth, in `numbers`: for each list not 0 where it is to be kept. */
void ws_growth_mark(const struct ws_growth *growth, uint32_t *numbers);

/* Forgets those that are not marked; `numbers` receives the number that each has then. False when there is no memory: all is as
 * it was. */
bool ws_growing_forget(struct ws_growing *growing, uint32_t *numbers);
void ws_growth_renumber(struct ws_growth *growth, const uint32_t *numbers);

#endif
