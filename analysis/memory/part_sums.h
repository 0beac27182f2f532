/* What the requests of a launch come to, part by part of the launch, and by what else is asked for.
 *
 * PARTS. Requests are numbered in the order in which they run. The launch is cut into WS_PARTS parts of equally many:
 * request i of n is in part i x WS_PARTS / n, rounded down. Requests are kept together in steps of 1, 2, 4, ... of them, so
 * that a launch has WS_PART_STEPS steps at most; a step is in the part of its first request. So a border of parts is off by
 * a 32nd of a part at most. A launch of fewer requests than parts has parts without any.
 * By hand: of 100 requests part 0 has the requests 0 and 1, part 49 the requests 98 and 99.
 *
 * ROOM. Where there would be more rows than there is room for, steps are put together further, until a launch has
 * WS_PART_STEPS_LEAST: then borders are off by half a part at most. What finds no room then is left out, and counted.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_PART_SUMS_H
#define WS_ANALYSIS_MEMORY_PART_SUMS_H

#include "analysis/memory/buffer_pairs.h"
#include "analysis/memory/caches.h"

#define WS_PARTS            50u
#define WS_PART_STEPS       (64 * WS_PARTS)
#define WS_PART_STEPS_LEAST (2 * WS_PARTS)
#define WS_PART_ROWS_MAX    (1u << 22)
#define WS_PART_KEYS        5 /* of place, page, thread, built and element, which tell things of one buffer apart */

/* What a row is of, besides its step. WS_NONE = nobody asks for it: then nobody does for any request of the launch, as numbers
 * of things are by the last that is asked for (`ids`). What `root` is follows from the thread, and tells no rows apart. */
struct ws_part_what {
    uint32_t pair;   /* number in `pairs` */
    uint32_t shader; /* index in the catalog; together with the next */
    uint32_t place;  /* number of the access in its code */
    uint32_t page;   /* page_table.h */
    uint32_t thread; /* index in the launch */
    uint32_t
        built; /* ws_built_touch.part: an array that structures were built of, whole, or its vertices or faces */
    uint32_t element; /* its number in the buffer, or in that array */
    uint32_t root;    /* the shader that the thread was launched with */
};

/* Of one step and one such thing. */
struct ws_part_row {
    uint32_t step;
    uint32_t what; /* number in `whats` */
    struct ws_caches_sums sums;
};

/* Zero-initialised is empty. */
struct ws_part_sums {
    bool is_whole;     /* the launch is one part: nobody asks for time */
    uint32_t most;     /* rows, and things; 0 = WS_PART_ROWS_MAX */
    uint64_t left_out; /* requests, each as often as it was added */

    struct ws_part_row *rows; /* by step */
    uint32_t row_count;
    uint32_t row_capacity;
    struct ws_buffer_pairs pairs;
    struct ws_part_what *whats;
    struct ws_id_map of_places; /* shader << 32 | place -> number */
    /* For each key that is asked for: the number by the keys before it (of the first, that of the pair) << 32 | key -> number.
     * By the last of them it is that in `whats`. Both halves have 32 bits, so that no two things have one number. */
    struct ws_id_map ids[WS_PART_KEYS];
    uint32_t place_count;
    uint32_t id_counts[WS_PART_KEYS];
    uint32_t what_count;
    uint32_t what_capacity;
    uint32_t *last; /* per thing: its last row + 1; 0 = none */
    uint32_t last_capacity;
    uint64_t requests; /* that have begun */
    uint32_t shift;    /* log2 of the requests of a step */
};

void ws_part_sums_finish(struct ws_part_sums *sums);

/* The next request begins, which may count for nothing. */
void ws_part_sums_next(struct ws_part_sums *sums);

/* Adds what it comes to for one thing: `what` with what `access` and `bound` are. False when there is no memory. */
bool ws_part_sums_add(struct ws_part_sums *sums, const struct ws_traced_access *access, uint32_t bound,
                      const struct ws_part_what *what, const struct ws_caches_sums *request);

/* The part that a row is in, and the buffer that it is of. */
uint32_t ws_part_sums_part(const struct ws_part_sums *sums, const struct ws_part_row *row);
const struct ws_buffer_pair *ws_part_sums_pair(const struct ws_part_sums *sums,
                                               const struct ws_part_row *row);

#endif
