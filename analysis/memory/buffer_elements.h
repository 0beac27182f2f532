/* Of what elements buffers are arrays: vertices, faces, nodes of a tree, as the accesses of shaders tell.
 *
 * STRIDE of a buffer = the largest number that an access to it multiplies by something that is not constant. BEGIN = the least
 * constant offset of accesses with that stride. ELEMENT of a byte = (byte - begin) / stride, rounded down.
 * By hand: nodes[i].right of nodes of 64 bytes that begin at byte 16, where `right` is their byte 48: i x 64 + 64.
 * nodes[i].left at i x 64 + 16. So the stride is 64, and begin is 16: byte 208 is of element 3.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_BUFFER_ELEMENTS_H
#define WS_ANALYSIS_MEMORY_BUFFER_ELEMENTS_H

#include "warpscope/base/id_map.h"
#include "warpscope/model/catalog.h"

struct ws_buffer_element {
    uint64_t stride; /* 0 = it is no array */
    uint64_t begin;
};

/* Zero-initialised is none. */
struct ws_buffer_elements {
    struct ws_id_map ids; /* address of a buffer's name + 1 -> index below */
    struct ws_buffer_element *list;
    uint32_t count;
    uint32_t capacity;
};

/* What a device address points to first, which is where the buffer begins; 0 for a buffer. */
uint64_t ws_buffer_element_base(const struct ws_stretch_access *access, const uint32_t *words);

/* What an access tells of its buffer. */
void ws_buffer_element_take(struct ws_buffer_element *element, const struct ws_stretch_access *access);

/* Takes the accesses of all modules. False = no memory. */
bool ws_buffer_elements_take(struct ws_buffer_elements *elements, const struct ws_catalog *catalog);
void ws_buffer_elements_finish(struct ws_buffer_elements *elements);

/* Which element an address in a buffer of that name is of; WS_NONE = it is no array, or not known, or it
 * has more than 2^32 - 1 of them. */
uint32_t ws_buffer_elements_find(const struct ws_buffer_elements *elements, const char *name,
                                 uint64_t address);

#endif
