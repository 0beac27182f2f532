/* Acceleration structures, which are no more than a place in a buffer, and the chunks about them. */
#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/objects.h"

struct structure {
    VkDeviceAddress address;
};

static VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice handle,
                                             const VkAccelerationStructureCreateInfoKHR *info,
                                             const VkAllocationCallbacks *allocator,
                                             VkAccelerationStructureKHR *made)
{
    (void)handle;
    (void)allocator;
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct structure *structure = mock_allocate(sizeof(*structure));
    structure->address = WS_HANDLE(((struct buffer *)info->buffer)->data) + info->offset;
    *made = (VkAccelerationStructureKHR)structure;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy(VkDevice handle, VkAccelerationStructureKHR destroyed,
                                          const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free((struct structure *)destroyed);
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL
get_address(VkDevice handle, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
    (void)handle;
    return ((struct structure *)info->accelerationStructure)->address;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_nv(VkDevice handle,
                                                const VkAccelerationStructureCreateInfoNV *info,
                                                const VkAllocationCallbacks *allocator,
                                                VkAccelerationStructureNV *made)
{
    (void)handle, (void)info, (void)allocator, (void)made;
    return mock_fails() ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_micromap(VkDevice handle, const VkMicromapCreateInfoEXT *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkMicromapEXT *made)
{
    (void)handle, (void)info, (void)allocator;
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *made = (VkMicromapEXT)mock_allocate(1);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_micromap(VkDevice handle, VkMicromapEXT micromap,
                                                   const VkAllocationCallbacks *allocator)
{
    (void)handle, (void)allocator;
    free((void *)micromap);
}

static VKAPI_ATTR VkResult VKAPI_CALL create2(VkDevice handle,
                                              const VkAccelerationStructureCreateInfo2KHR *info,
                                              const VkAllocationCallbacks *allocator,
                                              VkAccelerationStructureKHR *made)
{
    (void)handle;
    (void)allocator;
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct structure *structure = mock_allocate(sizeof(*structure));
    structure->address = info->addressRange.address;
    *made = (VkAccelerationStructureKHR)structure;
    return VK_SUCCESS;
}

void mock_geometry_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CreateAccelerationStructureKHR = create;
    dispatch->CreateAccelerationStructure2KHR = create2;
    dispatch->DestroyAccelerationStructureKHR = destroy;
    dispatch->GetAccelerationStructureDeviceAddressKHR = get_address;
    dispatch->CreateAccelerationStructureNV = create_nv;
    dispatch->CreateMicromapEXT = create_micromap;
    dispatch->DestroyMicromapEXT = destroy_micromap;
}

static bool note(struct mock_geometry chunk, const char *name)
{
    if (mock.write_fails)
        return false;
    assert_true(mock.geometry_count < MOCK_WRITTEN);
    chunk.written = mock.written_count;
    snprintf(chunk.name, sizeof(chunk.name), "%s", name != NULL ? name : "");
    mock.geometry[mock.geometry_count++] = chunk;
    return true;
}

bool ws_capture_write_structure(struct ws_capture_writer *writer, const struct ws_chunk_structure *chunk,
                                struct ws_error *error)
{
    (void)writer;
    (void)error;
    return note(
        (struct mock_geometry){.type = WS_CHUNK_STRUCTURE, .id = chunk->id, .address = chunk->address},
        chunk->name);
}

bool ws_capture_write_gone(struct ws_capture_writer *writer, const struct ws_chunk_gone *chunk,
                           struct ws_error *error)
{
    (void)writer;
    (void)error;
    return note(
        (struct mock_geometry){.type = WS_CHUNK_GONE, .id = chunk->structure, .moment = chunk->moment}, NULL);
}

void ws_capture_name(struct ws_capture *to, enum ws_name_kind kind, uint32_t id, const char *name)
{
    (void)to;
    assert_int_equal(kind, WS_NAME_STRUCTURE);
    note((struct mock_geometry){.type = WS_CHUNK_NAME, .id = id}, name);
}

bool ws_capture_write_copy(struct ws_capture_writer *writer, const struct ws_chunk_copy *chunk,
                           struct ws_error *error)
{
    (void)writer;
    (void)error;
    return note((struct mock_geometry){.type = WS_CHUNK_COPY,
                                       .id = chunk->destination,
                                       .source = chunk->source,
                                       .moment = chunk->moment,
                                       .mode = chunk->mode,
                                       .hash = {chunk->hash[0], chunk->hash[1]}},
                NULL);
}
