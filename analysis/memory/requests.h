/* Requests: what one execution of one access by a warp asks of memory, from a record of the pass memory_trace.
 *
 * LINES are pieces of 128 bytes, SECTORS of 32, from multiples of these on. A request asks for each distinct line that its
 * lanes touch once, and in it for the sectors that they touch: as memory.h counts them.
 *
 * ADDRESSES. Where on the device the application's memory lies differs from run to run. So each home (homes.h) is put together
 * from pages of 64 KiB, which are given out in the order in which a launch first touches them. Within a page bytes lie as the
 * application has them. So the addresses are dense, and the same in every run that touches memory in the same order.
 *
 * By hand: a lane touches byte 0 of a variable that lies at 832 of an allocation: line 6, sector 2 of it.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_REQUESTS_H
#define WS_ANALYSIS_MEMORY_REQUESTS_H

#include "analysis/memory/homes.h"

#define WS_REQUEST_PAGE 65536 /* bytes */

/* Each of 128 lanes touches 5 lines at most (WS_ACCESS_SIZE_MAX), or one for each of 16 texels (footprint.h). */
#define WS_REQUEST_LINES_MAX (128 * 16)

struct ws_request_line {
    uint64_t line;    /* its address / 128 */
    uint32_t sectors; /* bit i: its sector i is asked for */
    uint32_t lanes;   /* whose first byte lies on it; of several texels those of the first */
    uint32_t bytes;   /* that these ask for */
    uint32_t bound;   /* the buffer of the lane that touches it first */
};

struct ws_request {
    struct ws_request_line lines[WS_REQUEST_LINES_MAX]; /* in the order in which lanes touch them first */
    uint32_t line_count;
    uint32_t sector_count;
    uint32_t lane_count;
    uint32_t bytes;     /* that its lanes ask for */
    uint32_t texels;    /* that samples touch, lane by lane */
    bool is_assumed;    /* of texels: how many bytes one has is not known, of some lane (texel_place.h) */
    bool is_pointed;    /* it samples, by a sampler that is not known, of some lane (texel_place.h) */
    bool is_unmodelled; /* the sampler does what is not modelled (footprint.h) */
    uint32_t bound; /* the buffer of all its lanes (ws_bound_find); WS_BOUND_SEVERAL = they touch several */
};

/* 4 GiB of a home. */
struct ws_request_space {
    uint64_t key;    /* of the home, with which of its 4 GiB */
    uint32_t memory; /* as in struct ws_bound_spot */
    uint64_t begin;  /* byte of the home, a multiple of 4 GiB */
};

/* The memory of one launch. Zero-initialised is none. */
struct ws_request_memory {
    struct ws_homes homes;               /* its first members are set before the first request */
    uint32_t shader;                     /* index in the catalog, set before each */
    struct ws_id_map spaces;             /* key of what they lie in, and of its 4 GiB -> number of these */
    struct ws_id_map pages;              /* page of the application -> page here */
    struct ws_request_space *space_list; /* by number */
    uint64_t *page_keys;                 /* by page here: the page of the application */
    uint32_t space_count;
    uint32_t space_capacity;
    uint32_t page_count;
    uint32_t page_capacity;
    uint64_t last_space_key; /* of `spaces`, and what it gave; where there are any */
    uint32_t last_space;
    uint64_t last_key; /* of `pages`, and what it gave */
    uint32_t last_page;
    bool has_last;
};

void ws_request_memory_finish(struct ws_request_memory *memory);

/* Puts a request together. `module`: index of the module that the access is of, and `placed` what places in it name.
 * `words` are `words_per_lane` of each of `lane_count` lanes, at most 128. False on no memory. */
bool ws_request_make(struct ws_request *request, struct ws_request_memory *memory,
                     const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, uint32_t words_per_lane,
                     uint32_t lane_count);

/* Where the bytes of one lane's part of an access lie, and how many there are: of texels by the view that was bound. `home` is
 * that of the lane before. False on no memory. */
bool ws_request_home(struct ws_request_memory *memory, const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, struct ws_home *home,
                     uint32_t *size);

/* Where a line of a request lies: the number of its space, and its byte there. */
uint32_t ws_request_space_of(const struct ws_request_memory *memory, uint64_t line, uint64_t *byte);

#endif
