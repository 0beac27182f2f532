#include "tests/unit/layer/mock/builds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "tests/unit/layer/mock/objects.h"
#include "warpscope/instrument.h"

struct mock_builds mock_builds;

static VKAPI_ATTR void VKAPI_CALL cmd_build(VkCommandBuffer commands, uint32_t count,
                                            const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                            const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    (void)commands;
    (void)infos;
    (void)ranges;
    mock_builds.commands += count;
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_indirect(VkCommandBuffer commands, uint32_t count,
                                                     const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                                     const VkDeviceAddress *addresses,
                                                     const uint32_t *strides,
                                                     const uint32_t *const *max_counts)
{
    (void)commands;
    (void)infos;
    (void)addresses;
    (void)strides;
    (void)max_counts;
    mock_builds.commands += count;
}

static VKAPI_ATTR void VKAPI_CALL cmd_build_micromaps(VkCommandBuffer commands, uint32_t count,
                                                      const VkMicromapBuildInfoEXT *infos)
{
    (void)commands;
    (void)infos;
    mock_builds.commands += count;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_micromap(VkCommandBuffer commands,
                                                    const VkCopyMicromapInfoEXT *info)
{
    (void)commands;
    (void)info;
    mock_builds.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_memory_to_micromap(VkCommandBuffer commands,
                                                              const VkCopyMemoryToMicromapInfoEXT *info)
{
    (void)commands;
    (void)info;
    mock_builds.commands++;
}

static VKAPI_ATTR VkResult VKAPI_CALL build_micromaps(VkDevice device, VkDeferredOperationKHR operation,
                                                      uint32_t count, const VkMicromapBuildInfoEXT *infos)
{
    (void)device;
    (void)operation;
    (void)infos;
    mock_builds.commands += count;
    return VK_SUCCESS;
}

void mock_builds_load(struct ws_device_dispatch *dispatch)
{
    memset(&mock_builds, 0, sizeof(mock_builds));
    dispatch->CmdBuildAccelerationStructuresKHR = cmd_build;
    dispatch->CmdBuildAccelerationStructuresIndirectKHR = cmd_build_indirect;
    dispatch->CmdBuildMicromapsEXT = cmd_build_micromaps;
    dispatch->CmdCopyMicromapEXT = cmd_copy_micromap;
    dispatch->CmdCopyMemoryToMicromapEXT = cmd_copy_memory_to_micromap;
    dispatch->BuildMicromapsEXT = build_micromaps;
}

void mock_builds_finish(void)
{
    for (uint32_t i = 0; i < MOCK_BLOBS; i++)
        free(mock_builds.blobs[i].bytes);
    memset(mock_builds.blobs, 0, sizeof(mock_builds.blobs));
}

bool ws_capture_write_build(struct ws_capture_writer *writer, const struct ws_chunk_build *chunk,
                            struct ws_error *error)
{
    (void)writer;
    (void)error;
    if (mock.write_fails)
        return false;
    assert_true(mock_builds.count < MOCK_BUILDS && chunk->geometry_count <= MOCK_GEOMETRIES);
    struct mock_build *build = &mock_builds.builds[mock_builds.count++];
    build->chunk = *chunk;
    build->written = mock.written_count;
    for (uint32_t i = 0; i < chunk->geometry_count; i++) {
        const struct ws_build_geometry *geometry = &chunk->geometries[i];
        assert_true(geometry->reference_count <= MOCK_REFERENCES);
        build->geometries[i] = *geometry;
        for (uint32_t j = 0; j < geometry->reference_count; j++)
            build->references[i][j] = geometry->references[j];
    }
    for (uint32_t i = 0; i < chunk->source_count; i++)
        build->sources[i] = chunk->sources[i];
    for (uint32_t i = 0; i < chunk->micromap_count; i++) {
        const struct ws_build_micromap *micromap = &chunk->micromaps[i];
        assert_true(micromap->usage_count <= MOCK_REFERENCES);
        build->micromaps[i] = *micromap;
        for (uint32_t j = 0; j < micromap->usage_count; j++)
            build->usages[i][j] = micromap->usages[j];
    }
    assert_true(chunk->content_count <= chunk->micromap_count);
    for (uint32_t i = 0; i < chunk->content_count; i++)
        build->contents[i] = chunk->contents[i];
    return true;
}

bool ws_capture_write_blob(struct ws_capture_writer *writer, const struct ws_chunk_blob *chunk,
                           struct ws_error *error)
{
    (void)writer;
    (void)error;
    if (mock.write_fails)
        return false;
    assert_true(chunk->id < MOCK_BLOBS && chunk->offset + chunk->count <= chunk->size);
    struct mock_blob *blob = &mock_builds.blobs[chunk->id];
    if (chunk->offset == 0) {
        assert_null(blob->bytes); /* each once */
        blob->bytes = mock_allocate(chunk->size);
    }
    assert_int_equal(blob->size, chunk->offset);
    memcpy(blob->bytes + chunk->offset, chunk->bytes, chunk->count);
    blob->size += chunk->count;
    mock_builds.pieces++;
    return true;
}

const struct mock_build *mock_build(uint32_t index, uint32_t geometries)
{
    assert_true(index < mock_builds.count);
    assert_int_equal(mock_builds.builds[index].chunk.geometry_count, geometries);
    return &mock_builds.builds[index];
}

void mock_assert_blob(uint32_t id, const void *bytes, uint64_t size)
{
    if (size == 0) {
        assert_int_equal(id, WS_NONE);
        return;
    }
    assert_true(id < MOCK_BLOBS);
    assert_int_equal(mock_builds.blobs[id].size, size);
    assert_memory_equal(mock_builds.blobs[id].bytes, bytes, size);
}
