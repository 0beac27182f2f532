/* One geometry of a build: which bytes it reads, and what the capture gets of them (BILD). The same for
 * builds on the device, where the bytes are copies of buffers, and on the host. */
#ifndef WS_LAYER_RAY_TRACING_GEOMETRY_H
#define WS_LAYER_RAY_TRACING_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_build_geometry;
struct ws_capture;

/* As the application described it. */
struct ws_geometry {
    uint32_t type;  /* VkGeometryTypeKHR */
    uint32_t flags; /* VkGeometryFlagsKHR */
    uint32_t vertex_format;
    uint32_t index_type;
    uint32_t max_vertex;
    uint64_t stride; /* of vertices or AABBs */
    bool pointers;   /* `data` is an array of pointers to instances */
    bool has_transform;
    const char *unknown;                /* why nothing of it is captured; static; NULL = it is */
    const char *without;                /* what is left out of it; static; NULL = nothing */
    VkDeviceOrHostAddressConstKHR data; /* vertices, AABBs, instances or pointers to them */
    VkDeviceOrHostAddressConstKHR indices;
    VkDeviceOrHostAddressConstKHR transform;
};

void ws_geometry_init(struct ws_geometry *geometry, const VkAccelerationStructureGeometryKHR *description,
                      VkBuildAccelerationStructureFlagsKHR build_flags);

/* Its inputs, in the order of the members above. */
enum ws_geometry_input { WS_INPUT_DATA, WS_INPUT_INDICES, WS_INPUT_TRANSFORM, WS_INPUT_COUNT };

/* The address that an input's offsets count from. */
VkDeviceOrHostAddressConstKHR ws_geometry_address(const struct ws_geometry *geometry,
                                                  enum ws_geometry_input input);

/* Bytes behind an input's address. */
struct ws_span {
    uint64_t offset;
    uint64_t size;
};

/* What a build of that range reads, at most: of vertices that indices choose, all that they may choose. */
void ws_geometry_spans(const struct ws_geometry *geometry,
                       const VkAccelerationStructureBuildRangeInfoKHR *range,
                       struct ws_span spans[WS_INPUT_COUNT]);

/* What was had of a span: the first `size` bytes. */
struct ws_input {
    const uint8_t *bytes; /* NULL = none */
    uint64_t size;
};

/* Bytes of vertices that triangles use: as far as their indices lead; all of `span` where they have none. */
uint64_t ws_geometry_vertices_used(const struct ws_geometry *geometry,
                                   const VkAccelerationStructureBuildRangeInfoKHR *range,
                                   const struct ws_input *indices, uint64_t span);

/* Puts the inputs into the capture, cut to about what the primitives use, and describes them in `*chunk`,
 * whose references are left empty. `range` and `inputs`: as for ws_geometry_spans; instances, not pointers to
 * them.
 */
void ws_geometry_put(struct ws_capture *capture, const struct ws_geometry *geometry,
                     const VkAccelerationStructureBuildRangeInfoKHR *range,
                     const struct ws_input inputs[WS_INPUT_COUNT], struct ws_build_geometry *chunk);

/* Bytes of a vertex's position, of which the last of four components is not used; `stride` for formats that
 * are not known. */
uint64_t ws_vertex_size(uint32_t format, uint64_t stride);

/* 0 without indices. */
uint32_t ws_index_size(uint32_t type);

#endif
