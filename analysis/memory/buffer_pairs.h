/* Numbers for buffers by name and by what they are: for sums of a launch. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_BUFFER_PAIRS_H
#define WS_ANALYSIS_MEMORY_BUFFER_PAIRS_H

#include "warpscope/base/id_map.h"
#include "warpscope/model/catalog.h"

struct ws_buffer_pair {
    const char *buffer; /* text of the catalog; NULL = not known */
    uint32_t name;      /* index of that in `buffers` */
    uint32_t bound;     /* what that was: ws_bound_find */
    enum ws_access_memory memory;
};

/* Zero-initialised is empty. */
struct ws_buffer_pairs {
    const char **buffers;        /* each name once */
    struct ws_id_map buffers_at; /* address of the name -> index in `buffers` */
    uint32_t buffer_count;
    uint32_t buffer_capacity;
    struct ws_id_map ids; /* index in `buffers` << 32 | bound -> index in `list` */
    struct ws_buffer_pair *list;
    uint32_t count;
    uint32_t capacity;
};

void ws_buffer_pairs_finish(struct ws_buffer_pairs *pairs);

/* The number of what an access touches. False when there is no memory. */
bool ws_buffer_pairs_find(struct ws_buffer_pairs *pairs, const struct ws_traced_access *access,
                          uint32_t bound, uint32_t *number);

#endif
