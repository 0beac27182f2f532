/* The arrays that acceleration structures were built of, as they lie in memory: so that what a shader reads can be told by
 * vertex and face. Hit shaders commonly fetch the vertices and indices of what was hit from the buffers that the build has
 * read.
 *
 * ARRAY = vertices, indices or AABBs that a build on the device read (struct ws_build_source): begin, and bytes from one
 * ELEMENT to the next. Builds of the same begin, kind and step, such as geometries that share their vertices or the updates
 * of a structure, are of one array, which has the name of the first of them.
 *   VERTICES   with indices: an element is a vertex, of as many bytes as the stride
 *   CORNERS    vertices of triangles without indices: an element is a vertex, and three of them are a face
 *   INDICES    an element is a face: its three indices
 *   BOXES      an element is an AABB, which is a face too
 * VERTEX of a byte = (byte - begin) / stride, rounded down. FACE likewise by three indices, three vertices without indices,
 * or the stride of AABBs. A position is the first of its vertex: where other attributes stand in front of it, they are of the
 * vertex before. By hand: vertices of 32 bytes from byte 256 of an allocation on. Byte 300 is of vertex 1. Indices of 16 bits
 * from byte 4096 on: byte 4107 is of face 1, whose indices are the bytes 4102 to 4107.
 *
 * RANGES of a launch = the arrays of all builds that came before it, where they lie in allocations, if their buffers still
 * exist. A byte may be in several.
 *
 * Not thread-safe, but for look-ups while nothing is recorded. */
#ifndef WARPSCOPE_MODEL_BUILT_H
#define WARPSCOPE_MODEL_BUILT_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/chunks.h"

struct ws_catalog;
struct ws_built_table; /* of a catalog; NULL = there are none */

enum ws_built_kind {
    WS_BUILT_VERTICES,
    WS_BUILT_CORNERS,
    WS_BUILT_INDICES,
    WS_BUILT_BOXES,
};

struct ws_built_array {
    enum ws_built_kind kind;
    uint32_t buffer;    /* id of the buffer */
    uint64_t address;   /* of its first byte */
    uint64_t step;      /* bytes from one element to the next */
    uint32_t structure; /* id, and the geometry: the first build of it */
    uint32_t geometry;
};

/* Takes in a build. False when there is no memory. */
bool ws_built_record(struct ws_catalog *catalog, const struct ws_chunk_build *chunk);
void ws_built_table_destroy(struct ws_built_table *table); /* NULL is accepted */

uint32_t ws_built_count(const struct ws_catalog *catalog); /* arrays */
const struct ws_built_array *ws_built_array(const struct ws_catalog *catalog, uint32_t index);

/* Geometries of triangles and AABBs of which it is not known where they lay, since an older version recorded them, they were
 * built on the host, or in no buffer that was followed. */
uint64_t ws_built_unknown(const struct ws_catalog *catalog);

/* The arrays of a geometry of a build: of its vertices or AABBs, and of its indices. WS_NONE = none, or not known. */
void ws_built_of(const struct ws_catalog *catalog, uint32_t structure, uint64_t moment, uint32_t geometry,
                 uint32_t *data, uint32_t *indices);

struct ws_built_range {
    uint32_t memory; /* index of what they lie in, as in struct ws_bound_spot */
    uint64_t begin;  /* in that */
    uint64_t end;    /* the first byte behind them */
    uint64_t reach;  /* the largest end of this range and those of the same memory before it */
    uint32_t array;
};

/* Zero-initialised is none. */
struct ws_built_ranges {
    struct ws_built_range *list; /* rising by memory and begin */
    uint32_t count;
};

/* Finds those of a launch. False when there is no memory, or the budget is spent. */
bool ws_built_ranges_init(struct ws_built_ranges *ranges, const struct ws_catalog *catalog, uint64_t launch);
void ws_built_ranges_finish(struct ws_built_ranges *ranges);

/* The next range that some of `size` bytes from `byte` of a memory on lie in; NULL = there is none more. `*at` is WS_NONE at
 * first. */
const struct ws_built_range *ws_built_ranges_next(const struct ws_built_ranges *ranges, uint32_t memory,
                                                  uint64_t byte, uint32_t size, uint32_t *at);

/* The elements of a range, of `step` bytes each, that these bytes touch. */
static inline void ws_built_elements(const struct ws_built_range *range, uint64_t step, uint64_t byte,
                                     uint32_t size, uint64_t *first, uint64_t *last)
{
    const uint64_t begin = byte > range->begin ? byte : range->begin;
    const uint64_t end = byte + size < range->end ? byte + size : range->end;
    *first = (begin - range->begin) / step;
    *last = (end - 1 - range->begin) / step;
}

#endif
