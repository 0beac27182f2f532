/* One geometry of a build of an acceleration structure: which bytes the build reads of its inputs (vertices, indices, a
 * transform, indices of micromaps; AABBs; instances), and what of them goes into the capture (BILD). For builds on the device,
 * where the bytes are copies of buffers, and on the host. Calls no Vulkan. Keeps nothing of its own: thread-safe for different
 * geometries. */
#ifndef WS_LAYER_RAY_TRACING_GEOMETRY_H
#define WS_LAYER_RAY_TRACING_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_build_geometry;
struct ws_build_micromap;
struct ws_build_source;
struct ws_capture;

/* A geometry as the application described it. */
struct ws_geometry {
    uint32_t type;  /* VkGeometryTypeKHR */
    uint32_t flags; /* VkGeometryFlagsKHR */
    uint32_t vertex_format;
    uint32_t index_type;
    uint32_t max_vertex;
    uint64_t stride; /* of vertices or AABBs */
    bool pointers;   /* `data` is an array of pointers to instances (arrayOfPointers) */
    bool has_transform;
    bool micromap;           /* its triangles have opacity micromaps; the next members are of these */
    bool micromap_on_device; /* micromap_indices is a device address, in host builds too */
    uint32_t micromap_index_type;
    uint64_t micromap_stride;
    uint32_t micromap_base;
    uint64_t micromap_object;         /* handle; 0 = none: its triangles have special indices only */
    bool micromap_is_structure;       /* it is an acceleration structure (VK_KHR_opacity_micromap) */
    struct ws_micromap_usage *usages; /* owned; NULL = none, or the build is not told */
    uint32_t usage_count;
    const char *unknown;                /* why nothing of it is captured; static; NULL = it is */
    const char *without;                /* what of it is not captured; static; NULL = all is */
    VkDeviceOrHostAddressConstKHR data; /* vertices, AABBs, instances or pointers to them */
    VkDeviceOrHostAddressConstKHR indices;
    VkDeviceOrHostAddressConstKHR transform;
    VkDeviceOrHostAddressConstKHR micromap_indices;
};

/* Copies what it needs of the description, but not the inputs that this points to. Without memory for the usages of
 * micromaps the build is not told of these. To be finished. */
void ws_geometry_init(struct ws_geometry *geometry, const VkAccelerationStructureGeometryKHR *description,
                      VkBuildAccelerationStructureFlagsKHR build_flags);
void ws_geometry_finish(struct ws_geometry *geometry);

/* Whether a build is of an opacity micromap (VK_KHR_opacity_micromap): micromap.h. */
bool ws_geometry_is_micromap(const VkAccelerationStructureBuildGeometryInfoKHR *info);

/* Its inputs, in the order of the members above. */
enum ws_geometry_input {
    WS_INPUT_DATA,
    WS_INPUT_INDICES,
    WS_INPUT_TRANSFORM,
    WS_INPUT_MICROMAP,
    WS_INPUT_COUNT
};

/* The address of an input, which the offsets of its spans are relative to. */
VkDeviceOrHostAddressConstKHR ws_geometry_address(const struct ws_geometry *geometry,
                                                  enum ws_geometry_input input);

/* `size` bytes, `offset` after an input's address. */
struct ws_span {
    uint64_t offset;
    uint64_t size;
};

/* The most that a build of that range may read of each input. Of vertices with indices: all up to maxVertex.
 */
void ws_geometry_spans(const struct ws_geometry *geometry,
                       const VkAccelerationStructureBuildRangeInfoKHR *range,
                       struct ws_span spans[WS_INPUT_COUNT]);

/* The bytes of a span that could be read: the first `size`. */
struct ws_input {
    const uint8_t *bytes; /* NULL = none */
    uint64_t size;
};

/* How many bytes of the vertices triangles use: up to the largest index; all of `span` without indices. */
uint64_t ws_geometry_vertices_used(const struct ws_geometry *geometry,
                                   const VkAccelerationStructureBuildRangeInfoKHR *range,
                                   const struct ws_input *indices, uint64_t span);

/* Puts the inputs into the capture, cut to about what the primitives use, and describes them in `*chunk`, but
 * for its references. `inputs`: what was read of the spans of `range`, with instances in place of pointers to
 * them. Of a build on the device, `source` (else NULL) gets where that lies, but for its buffers. */
void ws_geometry_put(struct ws_capture *capture, const struct ws_geometry *geometry,
                     const VkAccelerationStructureBuildRangeInfoKHR *range,
                     const struct ws_input inputs[WS_INPUT_COUNT], struct ws_build_geometry *chunk,
                     struct ws_build_source *source);

/* The same of its micromaps, where it has some (`micromap`). Of fewer indices than triangles, the rest is not known; then,
 * and without their bytes, it returns false. The usages stay the geometry's. */
bool ws_geometry_put_micromap(struct ws_capture *capture, const struct ws_geometry *geometry,
                              const VkAccelerationStructureBuildRangeInfoKHR *range,
                              const struct ws_input *indices, struct ws_build_micromap *chunk);

/* Bytes of a vertex in this VkFormat; `stride` for a format that is not known. */
uint64_t ws_vertex_size(uint32_t format, uint64_t stride);

/* Bytes of an index of this VkIndexType; 0 without indices, and for a type that is not known. */
uint32_t ws_index_size(uint32_t type);

#endif
