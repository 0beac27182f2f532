/* What memory the descriptors of shaders stood for in each launch: chunks RSRC, DSET, DSCH and BIND put together.
 *
 * A place of a shader is a set, a binding and an element. In a dispatch or trace it is one buffer or image: of a view what it
 * shows. In a render pass a pipeline may draw with several buffers there, and which of them a warp had is not known: then it is
 * SEVERAL, unless all draws of the pipelines with that shader had the same one at the same offset.
 *
 * By hand: buffer B lies at 256 of allocation A. A descriptor has offset 64, and was bound with the dynamic offset 512. Then
 * the place is B, and byte 0 of the shader's variable is byte 832 of A.
 *
 * A device address lies in the buffer that has it, of those that there were in the launch and whose address the application
 * asked for. By hand: B has the address 0x10000. Then 0x10040 is byte 64 of B, and byte 320 of A.
 *
 * Not thread-safe, but for look-ups while nothing is recorded. */
#ifndef WARPSCOPE_MODEL_BOUND_H
#define WARPSCOPE_MODEL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/capture.h"
#include "warpscope/chunks.h"
#include "warpscope/sampler.h"

struct ws_catalog;
struct ws_bound_table; /* of a catalog; NULL = nothing is known */

/* In place of the index of a resource. */
#define WS_BOUND_UNKNOWN (UINT32_MAX)     /* the capture does not say what it was */
#define WS_BOUND_SEVERAL (UINT32_MAX - 1) /* one of several buffers, or of one at several offsets */
#define WS_BOUND_INLINE  (UINT32_MAX - 2) /* an inline uniform block, which lies in the descriptor set */
#define WS_BOUND_NONE    (UINT32_MAX - 3) /* no descriptor was written there, or its buffer was destroyed */
/* Not known, for an enum ws_bound_reason from 1 on. */
#define WS_BOUND_WHY(reason) (WS_BOUND_NONE - (uint32_t)(reason))
/* It is reached by device address, which nobody recorded. */
#define WS_BOUND_BY_ADDRESS (WS_BOUND_WHY(WS_BOUND_REASONS))
#define WS_BOUND_LAST       (WS_BOUND_WHY(WS_BOUND_REASONS + 1)) /* indices do not exceed it */

struct ws_bound_place {
    uint32_t set; /* WS_NONE = it is of no descriptor */
    uint32_t binding;
    uint32_t element; /* WS_NONE = the shader chooses one */
};

/* Takes in what a chunk says. False when there is no memory. */
bool ws_bound_record(struct ws_catalog *catalog, const struct ws_chunk_resources *chunk);
bool ws_bound_record_set(struct ws_catalog *catalog, const struct ws_chunk_set *chunk);
bool ws_bound_record_set_change(struct ws_catalog *catalog, const struct ws_chunk_set_change *chunk);
bool ws_bound_record_launches(struct ws_catalog *catalog, const struct ws_chunk_bound *chunk);
void ws_bound_table_destroy(struct ws_bound_table *table); /* NULL is accepted */

/* The index of the resource at a place of a shader (its index in the catalog) in a launch, or one of WS_BOUND_*. `*offset`
 * receives where byte 0 of the shader's variable lies in the allocation; in the buffer, where that lies in none. */
uint32_t ws_bound_find(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                       const struct ws_bound_place *place, uint64_t *offset);

/* Where something lies. */
struct ws_bound_spot {
    uint32_t resource; /* index of the buffer, or one of WS_BOUND_* */
    /* Index of its allocation; of a buffer that lies in none the buffer's own; or WS_BOUND_UNKNOWN. */
    uint32_t memory;
    uint64_t offset; /* bytes in that; where it is not known, and of an image, 0 */
};

/* What a view shows of its image or buffer. */
struct ws_bound_view {
    /* VkFormat, of the stencil alone where it shows that; 0 = not known, or views of several may be meant. */
    uint32_t format;
    uint32_t level; /* of the image, that is the view's first; 0 likewise */
    uint32_t layer;
};

/* The view at a place of a shader in a launch. */
struct ws_bound_view ws_bound_view(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                   const struct ws_bound_place *place);

/* The sampler at a place, or of the image there. `missing`: 0 = it is known; else one of WS_BOUND_*. Samplers that do the same
 * are one. */
struct ws_bound_sampler {
    struct ws_sampler sampler;
    uint32_t missing;
};
struct ws_bound_sampler ws_bound_sampler(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                         const struct ws_bound_place *place);

/* The same as ws_bound_find, with what that lies in. */
struct ws_bound_spot ws_bound_spot(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                   const struct ws_bound_place *place);

/* The buffers that have device addresses in a launch. Zero-initialised is none. */
struct ws_bound_addresses {
    struct ws_bound_range *ranges; /* rising by their begin */
    uint32_t count;
};

/* Finds them. False when there is no memory. */
bool ws_bound_addresses_init(struct ws_bound_addresses *addresses, const struct ws_catalog *catalog,
                             uint64_t launch);
void ws_bound_addresses_finish(struct ws_bound_addresses *addresses);

/* Where a device address lies: WS_BOUND_UNKNOWN in no buffer that is known. Buffers that share memory are SEVERAL; what they
 * lie in is known where it is the same byte of one allocation. */
struct ws_bound_spot ws_bound_addresses_find(const struct ws_bound_addresses *addresses, uint64_t address);

/* The id of the acceleration structure at a place, or one of WS_BOUND_*. */
uint32_t ws_bound_find_structure(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                 const struct ws_bound_place *place);

/* What is known of a resource, by its index; NULL for WS_BOUND_*. */
const struct ws_resource *ws_bound_resource(const struct ws_catalog *catalog, uint32_t index);

/* Whether a resource, by its index, is there in a launch. */
bool ws_bound_exists(const struct ws_catalog *catalog, uint32_t index, uint64_t launch);

/* The index of the resource with that id, as in `within`; WS_BOUND_UNKNOWN = none. */
uint32_t ws_bound_resource_of(const struct ws_catalog *catalog, uint32_t id);

#endif
