/* Which vertices and faces of captured geometry (warpscope/model/built.h) the lanes of a request touch, and what they come to.
 *
 * A lane touches an element with any byte of its part of the access: of an access of 16 bytes at a vertex of 12, two vertices.
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_BUILT_TOUCHES_H
#define WS_ANALYSIS_MEMORY_BUILT_TOUCHES_H

#include "analysis/memory/caches.h"
#include "analysis/memory/homes.h"
#include "warpscope/model/built.h"

/* What something is of an array: all of it, or one element. */
enum ws_built_part { WS_BUILT_WHOLE, WS_BUILT_VERTEX, WS_BUILT_FACE, WS_BUILT_PARTS };

struct ws_built_touch {
    uint32_t part; /* array x WS_BUILT_PARTS + enum ws_built_part */
    uint32_t
        number; /* of a vertex or face in the array; of all of it 0: rows of part_sums.h are by the same */
    uint32_t lanes;
    uint64_t bytes; /* that these ask for: of texels it differs where their buffers do */
};

/* Of one launch. Zero-initialised is none. */
struct ws_built_touches {
    struct ws_built_ranges ranges;
    bool has_ranges;
    struct ws_built_touch *list; /* after ws_built_touches_end each once */
    uint32_t count;
    uint32_t capacity;
};

void ws_built_touches_finish(struct ws_built_touches *touches);

/* Begins a request. False when there is no memory, or the budget is spent. */
bool ws_built_touches_begin(struct ws_built_touches *touches, const struct ws_catalog *catalog,
                            uint64_t launch);

/* A lane touches `size` bytes. False likewise. */
bool ws_built_touches_add(struct ws_built_touches *touches, const struct ws_catalog *catalog,
                          const struct ws_home *home, uint32_t size);

/* Puts lanes that touch the same together. */
void ws_built_touches_end(struct ws_built_touches *touches);

/* What vertices and faces come to in all launches. Zero-initialised is nothing. */
struct ws_built_sums {
    struct ws_id_map ids[WS_BUILT_PARTS]; /* array << 32 | number -> index below */
    struct ws_caches_sums *list;
    uint32_t count;
    uint32_t capacity;
};

void ws_built_sums_finish(struct ws_built_sums *sums);
bool ws_built_sums_add(struct ws_built_sums *sums, uint32_t part, uint32_t number,
                       const struct ws_caches_sums *added);
const struct ws_caches_sums *ws_built_sums_find(const struct ws_built_sums *sums, uint32_t array,
                                                uint32_t number, bool is_face);

#endif
