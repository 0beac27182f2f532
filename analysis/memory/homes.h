/* Where accesses to memory lie: which buffer of the application a lane touches, and which byte of its allocation.
 *
 * HOME of an access = the allocation that its buffer lies in; of a buffer that lies in none, the buffer; of texels of an image
 * the image, in which they lie as in the model of warpscope/spirv/texels.h. Two bindings of one
 * buffer, and buffers that share an allocation, are the same bytes where they overlap (ws_bound_find); so is what is reached by
 * the buffer's device address (ws_bound_addresses_find). Where it is not known which buffer a binding was, it is one buffer
 * for all shaders of a launch, and each element of an array of descriptors another. Shader records, whose place differs from
 * group to group, count as one buffer for each variable. Device addresses of no buffer that is known are one range.
 *
 * By hand: byte 4 of a variable that lies at 832 of an allocation is byte 836 there. A device address 64 bytes behind that of a
 * buffer at 256 of the same allocation is byte 320.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_HOMES_H
#define WS_ANALYSIS_MEMORY_HOMES_H

#include "warpscope/base/id_map.h"
#include "warpscope/model/bound.h"
#include "warpscope/model/catalog.h"

struct ws_home {
    uint64_t key;  /* tells homes of one launch apart */
    uint64_t byte; /* in it; of a device address of no buffer that address */
    /* Of what is not known, `bound.memory` is WS_BOUND_UNKNOWN, and `bound.resource` may say why. */
    struct ws_bound_spot bound;
    struct ws_bound_view view;
    struct ws_bound_sampler sampler; /* of an image that has one, or of a sampler by itself */
};

/* The homes of one launch. Zero-initialised but for its first members, which are set before the first look-up. */
struct ws_homes {
    const struct ws_catalog *catalog; /* NULL = nothing is known of what was bound */
    uint64_t launch;

    struct ws_id_map buffers;    /* which variable it is -> its number */
    struct ws_id_map of_shaders; /* that << 32 | shader -> its number there */
    struct ws_id_map elements;   /* that << 32 | element -> index below */
    struct ws_home *places;      /* of byte 0 of each element */
    uint32_t place_capacity;
    uint32_t buffer_count;
    uint32_t of_shader_count;
    uint32_t element_count;
    uint64_t last_buffer; /* the element that was found last: lanes mostly touch the same */
    uint32_t last_shader;
    uint32_t last_element;
    struct ws_home last;
    bool has_last;
    struct ws_bound_addresses addresses; /* from the first look-up of one on */
    bool has_addresses;
};

void ws_homes_finish(struct ws_homes *homes);

/* The buffer that a lane touches, and which element of it: `descriptor` is what ws_stretch_descriptor gives. */
struct ws_placed_buffer ws_homes_buffer(const struct ws_traced_access *access,
                                        const struct ws_placed_buffers *placed, uint32_t descriptor,
                                        uint32_t *element);

/* Where byte 0 of an element of a buffer lies. Both are of a shader, an index in the catalog, and of its module. False on no
 * memory. */
bool ws_homes_element(struct ws_homes *homes, uint32_t shader, uint32_t module,
                      const struct ws_placed_buffer *buffer, uint32_t element, struct ws_home *home);

/* The sampler of a lane, by the words of its record. False on no memory. */
bool ws_homes_sampler(struct ws_homes *homes, uint32_t shader, uint32_t module,
                      const struct ws_traced_access *access, const uint32_t *words,
                      struct ws_bound_sampler *sampler);

/* Where a device address lies. False on no memory. */
bool ws_homes_address(struct ws_homes *homes, uint64_t address, struct ws_home *home);

/* Which byte of its buffer a device address is, whose home this is; the address itself where it is not known which buffer that
 * is, as where several have it. */
uint64_t ws_homes_byte_of_buffer(const struct ws_homes *homes, const struct ws_home *home, uint64_t address);

#endif
