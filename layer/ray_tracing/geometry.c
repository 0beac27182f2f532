#include "layer/ray_tracing/geometry.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/blob.h"
#include "layer/core/chain.h"
#include "layer/core/vulkan_newer.h"
#include "warpscope/chunks.h"

uint64_t ws_vertex_size(uint32_t format, uint64_t stride)
{
    static const struct {
        uint32_t format;
        uint32_t size;
    } sizes[] = {
        {VK_FORMAT_R8G8_UNORM, 2},
        {VK_FORMAT_R8G8_SNORM, 2},
        {VK_FORMAT_R8G8B8A8_UNORM, 4},
        {VK_FORMAT_R8G8B8A8_SNORM, 4},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
        {VK_FORMAT_R16G16_UNORM, 4},
        {VK_FORMAT_R16G16_SNORM, 4},
        {VK_FORMAT_R16G16_SFLOAT, 4},
        {VK_FORMAT_R16G16B16_UNORM, 6},
        {VK_FORMAT_R16G16B16_SNORM, 6},
        {VK_FORMAT_R16G16B16_SFLOAT, 6},
        {VK_FORMAT_R16G16B16A16_UNORM, 8},
        {VK_FORMAT_R16G16B16A16_SNORM, 8},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
        {VK_FORMAT_R32G32_SFLOAT, 8},
        {VK_FORMAT_R32G32B32_SFLOAT, 12},
        {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
        {VK_FORMAT_R64G64_SFLOAT, 16},
        {VK_FORMAT_R64G64B64_SFLOAT, 24},
        {VK_FORMAT_R64G64B64A64_SFLOAT, 32},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i].format == format)
            return sizes[i].size;
    return stride;
}

uint32_t ws_index_size(uint32_t type)
{
    switch (type) {
    case VK_INDEX_TYPE_UINT8_EXT: return 1;
    case VK_INDEX_TYPE_UINT16: return 2;
    case VK_INDEX_TYPE_UINT32: return 4;
    default: return 0;
    }
}

/* Without memory for the usages they are as good as not told. */
static void copy_usages(struct ws_geometry *geometry,
                        const VkAccelerationStructureTrianglesOpacityMicromapEXT *given)
{
    const uint32_t count =
        given->pUsageCounts != NULL || given->ppUsageCounts != NULL ? given->usageCountsCount : 0;
    if (count == 0)
        return;
    geometry->usages = malloc(count * sizeof(*geometry->usages));
    if (geometry->usages == NULL) {
        geometry->without = "out of memory for the usage counts of opacity micromaps";
        return;
    }
    geometry->usage_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const VkMicromapUsageEXT *usage =
            given->pUsageCounts != NULL ? &given->pUsageCounts[i] : given->ppUsageCounts[i];
        geometry->usages[i] =
            (struct ws_micromap_usage){usage->count, usage->subdivisionLevel, usage->format};
    }
}

/* Both extensions say the same of a geometry, but that of KHR has no usages: it has them where the micromap is built. A
 * geometry without a micromap object has special indices only; without indices too it has no micromaps at all. */
static void init_micromap(struct ws_geometry *geometry, const void *chain)
{
    const VkAccelerationStructureTrianglesOpacityMicromapEXT *ext =
        ws_chain_find(chain, VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT);
    const VkAccelerationStructureTrianglesOpacityMicromapKHR *khr =
        ws_chain_find(chain, VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR);
    geometry->micromap_index_type = VK_INDEX_TYPE_NONE_KHR;
    const bool has_object =
        (ext != NULL && ext->micromap != VK_NULL_HANDLE) || (khr != NULL && khr->micromap != VK_NULL_HANDLE);
    const bool has_indices = (ext != NULL && ext->indexType != VK_INDEX_TYPE_NONE_KHR) ||
                             (khr != NULL && khr->indexType != VK_INDEX_TYPE_NONE_KHR);
    if (!has_object && !has_indices)
        return;
    geometry->micromap = true;
    if (ext != NULL) {
        geometry->micromap_index_type = ext->indexType;
        geometry->micromap_indices = ext->indexBuffer;
        geometry->micromap_stride = ext->indexStride;
        geometry->micromap_base = ext->baseTriangle;
        geometry->micromap_object = (uint64_t)ext->micromap;
        copy_usages(geometry, ext);
    } else {
        geometry->micromap_index_type = khr->indexType;
        geometry->micromap_indices.deviceAddress = khr->indexBuffer;
        geometry->micromap_on_device = true;
        geometry->micromap_stride = khr->indexStride;
        geometry->micromap_base = khr->baseTriangle;
        geometry->micromap_object = (uint64_t)khr->micromap;
        geometry->micromap_is_structure = true;
    }
    if (geometry->micromap_index_type != VK_INDEX_TYPE_NONE_KHR &&
        ws_index_size(geometry->micromap_index_type) == 0)
        geometry->without = "opacity micromaps of triangles with an unknown index type";
}

void ws_geometry_finish(struct ws_geometry *geometry)
{
    free(geometry->usages);
    geometry->usages = NULL;
    geometry->usage_count = 0;
}

static void init_triangles(struct ws_geometry *geometry,
                           const VkAccelerationStructureGeometryTrianglesDataKHR *triangles)
{
    geometry->vertex_format = triangles->vertexFormat;
    geometry->index_type = triangles->indexType;
    geometry->max_vertex = triangles->maxVertex;
    geometry->stride = triangles->vertexStride;
    geometry->data = triangles->vertexData;
    geometry->transform = triangles->transformData;
    geometry->has_transform = triangles->transformData.deviceAddress != 0;
    if (triangles->indexType != VK_INDEX_TYPE_NONE_KHR)
        geometry->indices = triangles->indexData;
    if (triangles->indexType != VK_INDEX_TYPE_NONE_KHR && ws_index_size(triangles->indexType) == 0)
        geometry->unknown = "triangles of an unknown index type";
    else if (triangles->vertexStride > UINT32_MAX)
        geometry->unknown = "triangles with a stride past 32 bits";
    init_micromap(geometry, triangles->pNext);
    if (ws_chain_find(triangles->pNext,
                      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MOTION_TRIANGLES_DATA_NV) != NULL)
        geometry->without = "the motion of triangles is left out";
    else if (geometry->without == NULL &&
             ws_chain_find(triangles->pNext,
                           VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_DISPLACEMENT_MICROMAP_NV) !=
                 NULL)
        geometry->without = "displacement micromaps of triangles are left out";
}

void ws_geometry_init(struct ws_geometry *geometry, const VkAccelerationStructureGeometryKHR *description,
                      VkBuildAccelerationStructureFlagsKHR build_flags)
{
    *geometry = (struct ws_geometry){
        .type = description->geometryType,
        .flags = description->flags,
        .index_type = VK_INDEX_TYPE_NONE_KHR,
    };
    switch ((uint32_t)description->geometryType) {
    case VK_GEOMETRY_TYPE_TRIANGLES_KHR: init_triangles(geometry, &description->geometry.triangles); break;
    case VK_GEOMETRY_TYPE_AABBS_KHR:
        geometry->data = description->geometry.aabbs.data;
        geometry->stride = description->geometry.aabbs.stride;
        if (geometry->stride > UINT32_MAX)
            geometry->unknown = "AABBs with a stride past 32 bits";
        break;
    case VK_GEOMETRY_TYPE_INSTANCES_KHR:
        geometry->data = description->geometry.instances.data;
        geometry->pointers = description->geometry.instances.arrayOfPointers == VK_TRUE;
        if ((build_flags & VK_BUILD_ACCELERATION_STRUCTURE_MOTION_BIT_NV) != 0)
            geometry->unknown = "motion instances are not captured";
        break;
    default: geometry->unknown = "geometries of this type are not captured"; break;
    }
}

bool ws_geometry_is_micromap(const VkAccelerationStructureBuildGeometryInfoKHR *info)
{
    return info->type == VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
}

VkDeviceOrHostAddressConstKHR ws_geometry_address(const struct ws_geometry *geometry,
                                                  enum ws_geometry_input input)
{
    return input == WS_INPUT_DATA        ? geometry->data
           : input == WS_INPUT_INDICES   ? geometry->indices
           : input == WS_INPUT_TRANSFORM ? geometry->transform
                                         : geometry->micromap_indices;
}

/* Bytes of `count` elements `stride` apart, each of `size`: after the last there need not be a whole stride.
 * A number that does not fit into 64 bits becomes one that is larger than every buffer. */
static uint64_t strided(uint64_t count, uint64_t stride, uint64_t size)
{
    const uint64_t most = UINT64_MAX / 2;
    if (count == 0)
        return 0;
    return stride > 0 && count - 1 > (most - size) / stride ? most : (count - 1) * stride + size;
}

/* As the specification says of VkAccelerationStructureBuildRangeInfoKHR. Indices lead to vertices up to
 * maxVertex, which counts from the beginning of the vertex data. Some applications count it from firstVertex,
 * so as many vertices are taken from there. */
static void triangle_spans(const struct ws_geometry *geometry,
                           const VkAccelerationStructureBuildRangeInfoKHR *range,
                           struct ws_span spans[WS_INPUT_COUNT])
{
    const uint64_t corners = 3 * (uint64_t)range->primitiveCount;
    const uint64_t vertex = ws_vertex_size(geometry->vertex_format, geometry->stride);
    const uint64_t first = range->firstVertex * geometry->stride;
    const uint32_t index = ws_index_size(geometry->index_type);
    spans[WS_INPUT_DATA] =
        (struct ws_span){range->primitiveOffset + first, strided(corners, geometry->stride, vertex)};
    if (index > 0) {
        spans[WS_INPUT_INDICES] = (struct ws_span){range->primitiveOffset, corners * index};
        spans[WS_INPUT_DATA] =
            (struct ws_span){first, strided((uint64_t)geometry->max_vertex + 1, geometry->stride, vertex)};
    }
    if (geometry->has_transform)
        spans[WS_INPUT_TRANSFORM] = (struct ws_span){range->transformOffset, sizeof(VkTransformMatrixKHR)};
    /* None of the offsets of the range is one of these. */
    const uint32_t micromap = geometry->micromap ? ws_index_size(geometry->micromap_index_type) : 0;
    if (micromap > 0)
        spans[WS_INPUT_MICROMAP].size = strided(range->primitiveCount, geometry->micromap_stride, micromap);
}

void ws_geometry_spans(const struct ws_geometry *geometry,
                       const VkAccelerationStructureBuildRangeInfoKHR *range,
                       struct ws_span spans[WS_INPUT_COUNT])
{
    const uint64_t count = range->primitiveCount;
    memset(spans, 0, WS_INPUT_COUNT * sizeof(*spans));
    if (geometry->unknown != NULL || count == 0)
        return;
    spans[WS_INPUT_DATA].offset = range->primitiveOffset;
    if (geometry->type == VK_GEOMETRY_TYPE_TRIANGLES_KHR)
        triangle_spans(geometry, range, spans);
    else if (geometry->type == VK_GEOMETRY_TYPE_AABBS_KHR)
        spans[WS_INPUT_DATA].size = strided(count, geometry->stride, sizeof(VkAabbPositionsKHR));
    else
        spans[WS_INPUT_DATA].size = count * (geometry->pointers ? sizeof(VkDeviceAddress)
                                                                : sizeof(VkAccelerationStructureInstanceKHR));
}

/* The largest of `count` indices of `size` bytes each. `bytes` need not be aligned. */
static uint32_t largest_index(const uint8_t *bytes, uint64_t count, uint32_t size)
{
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t index = bytes[i];
        uint16_t half;
        if (size == 4) {
            memcpy(&index, bytes + 4 * i, 4);
        } else if (size == 2) {
            memcpy(&half, bytes + 2 * i, 2);
            index = half;
        }
        largest = index > largest ? index : largest;
    }
    return largest;
}

uint64_t ws_geometry_vertices_used(const struct ws_geometry *geometry,
                                   const VkAccelerationStructureBuildRangeInfoKHR *range,
                                   const struct ws_input *indices, uint64_t span)
{
    const uint32_t size = ws_index_size(geometry->index_type);
    if (size == 0)
        return span;
    uint64_t vertices = (uint64_t)geometry->max_vertex + 1;
    if (indices->bytes != NULL && indices->size >= size)
        vertices = (uint64_t)largest_index(indices->bytes, indices->size / size, size) + 1;
    else if (range->firstVertex < vertices)
        vertices -= range->firstVertex;
    return strided(vertices, geometry->stride, ws_vertex_size(geometry->vertex_format, geometry->stride));
}

/* Many geometries may share one large array of vertices, each using another part of its beginning. The
 * capture holds a blob once, whoever uses it; cut to sizes of powers of two, the parts are a few blobs that
 * take no more than twice the array together. */
static uint64_t rounded(uint64_t needed)
{
    uint64_t size = (uint64_t)1 << 20;
    if (needed <= size)
        return needed;
    while (size < needed && size <= UINT64_MAX / 2)
        size *= 2;
    return size;
}

/* Puts up to `wanted` bytes of an input into the capture; with fewer than `needed` the geometry is clipped.
 */
static uint32_t put(struct ws_capture *capture, const struct ws_input *input, uint64_t needed,
                    uint64_t wanted, uint32_t *flags)
{
    if (needed == 0)
        return WS_NONE;
    const uint64_t size = input->size < wanted ? input->size : wanted;
    const uint32_t blob = input->bytes != NULL ? ws_blob_put(capture, input->bytes, size) : WS_NONE;
    if (blob == WS_NONE)
        *flags |= WS_GEOMETRY_UNKNOWN;
    else if (size < needed)
        *flags |= WS_GEOMETRY_CLIPPED;
    return blob;
}

/* How many bytes of a span were read. */
static uint64_t read_of(const struct ws_span *span, const struct ws_input *input)
{
    const uint64_t size = input->bytes != NULL ? input->size : 0;
    return size < span->size ? size : span->size;
}

void ws_geometry_put(struct ws_capture *capture, const struct ws_geometry *geometry,
                     const VkAccelerationStructureBuildRangeInfoKHR *range,
                     const struct ws_input inputs[WS_INPUT_COUNT], struct ws_build_geometry *chunk,
                     struct ws_build_source *source)
{
    struct ws_span spans[WS_INPUT_COUNT];
    ws_geometry_spans(geometry, range, spans);
    if (geometry->pointers)
        spans[WS_INPUT_DATA].size = range->primitiveCount * sizeof(VkAccelerationStructureInstanceKHR);
    if (geometry->type == VK_GEOMETRY_TYPE_TRIANGLES_KHR && spans[WS_INPUT_DATA].size > 0)
        spans[WS_INPUT_DATA].size =
            ws_geometry_vertices_used(geometry, range, &inputs[WS_INPUT_INDICES], spans[WS_INPUT_DATA].size);
    if (source != NULL)
        *source = (struct ws_build_source){
            .buffer = WS_NONE,
            .address = geometry->data.deviceAddress + spans[WS_INPUT_DATA].offset,
            .size = read_of(&spans[WS_INPUT_DATA], &inputs[WS_INPUT_DATA]),
            .index_buffer = WS_NONE,
            .index_address = geometry->indices.deviceAddress + spans[WS_INPUT_INDICES].offset,
            .index_size = read_of(&spans[WS_INPUT_INDICES], &inputs[WS_INPUT_INDICES]),
        };

    *chunk = (struct ws_build_geometry){
        .type = geometry->type,
        .flags = geometry->flags,
        .capture_flags = (geometry->unknown != NULL ? WS_GEOMETRY_UNKNOWN : 0) |
                         (geometry->micromap ? WS_GEOMETRY_MICROMAP : 0),
        .primitive_count = range->primitiveCount,
        .vertex_format = geometry->vertex_format,
        .index_type = geometry->index_type,
        .max_vertex = geometry->max_vertex,
        .stride = geometry->stride,
    };
    uint32_t *flags = &chunk->capture_flags;
    uint32_t blobs[WS_INPUT_MICROMAP];
    for (uint32_t i = 0; i < WS_INPUT_MICROMAP; i++) {
        const bool chosen = i == WS_INPUT_DATA && ws_index_size(geometry->index_type) > 0;
        const uint64_t needed = spans[i].size;
        blobs[i] = put(capture, &inputs[i], needed, chosen ? rounded(needed) : needed, flags);
    }
    chunk->data = blobs[WS_INPUT_DATA];
    chunk->indices = blobs[WS_INPUT_INDICES];
    chunk->transform = blobs[WS_INPUT_TRANSFORM];
}

bool ws_geometry_put_micromap(struct ws_capture *capture, const struct ws_geometry *geometry,
                              const VkAccelerationStructureBuildRangeInfoKHR *range,
                              const struct ws_input *indices, struct ws_build_micromap *chunk)
{
    struct ws_span spans[WS_INPUT_COUNT];
    uint32_t lost = 0;
    ws_geometry_spans(geometry, range, spans);
    const uint64_t needed = spans[WS_INPUT_MICROMAP].size;
    *chunk = (struct ws_build_micromap){
        .index_type = geometry->micromap_index_type,
        .stride = geometry->micromap_stride,
        .indices = put(capture, indices, needed, needed, &lost),
        .base = geometry->micromap_base,
        .usages = geometry->usages,
        .usage_count = geometry->usage_count,
    };
    return lost == 0;
}
