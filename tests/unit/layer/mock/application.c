#include "tests/unit/layer/mock/application.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/settings.h"
#include "layer/ray_tracing/structure.h"

struct mock_application mock_application;

void mock_application_init(void)
{
    struct mock_application *application = &mock_application;
    const uint64_t size = MOCK_SERIALIZED;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = MOCK_BYTES,
                                     .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    mock_settings.geometry = true;
    *application = (struct mock_application){.base = (VkDeviceAddress)(uintptr_t)application->content};
    for (uint32_t i = 0; i < MOCK_BYTES; i++)
        application->content[i] = (uint8_t)(i * 7 + i / 256);
    for (uint32_t i = 0; i < MOCK_SERIALIZED; i++)
        application->serialized[i] = (uint8_t)(i + 100);
    memcpy(application->serialized + 32, &size, sizeof(size));
    assert_int_equal(
        ((PFN_vkCreateBuffer)mock_hook("vkCreateBuffer"))(mock_device(), &info, NULL, &application->buffer),
        VK_SUCCESS);
    ((struct buffer *)application->buffer)->data = (char *)application->content;
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = application->buffer};
    ((PFN_vkGetBufferDeviceAddress)mock_hook("vkGetBufferDeviceAddress"))(mock_device(), &address);
    for (uint32_t i = 0; i < MOCK_STRUCTURES; i++) {
        const VkAccelerationStructureCreateInfoKHR structure = {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
            .buffer = application->buffer,
            .offset = 256 * i,
            .size = 256,
        };
        assert_int_equal(
            ((PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR"))(
                mock_device(), &structure, NULL, &application->structures[i]),
            VK_SUCCESS);
        assert_int_equal(ws_structure_find(&mock_layer_device, application->structures[i]), i);
    }
}

void mock_application_finish(void)
{
    for (uint32_t i = 0; i < MOCK_STRUCTURES; i++)
        ((PFN_vkDestroyAccelerationStructureKHR)mock_hook("vkDestroyAccelerationStructureKHR"))(
            mock_device(), mock_application.structures[i], NULL);
    ((PFN_vkDestroyBuffer)mock_hook("vkDestroyBuffer"))(mock_device(), mock_application.buffer, NULL);
}

int mock_application_setup(void **state)
{
    (void)state;
    mock_init(1);
    mock_application_init();
    return 0;
}

int mock_application_teardown(void **state)
{
    (void)state;
    mock_application_finish();
    mock_finish();
    return 0;
}

void mock_end(VkCommandBuffer commands)
{
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

void mock_submit_one(VkCommandBuffer commands)
{
    assert_int_equal(mock_submit(0, commands, 0, 0, VK_NULL_HANDLE), VK_SUCCESS);
}

void mock_run_all(void)
{
    mock_run();
    ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device());
}

const struct mock_geometry *mock_copied(uint32_t index)
{
    for (uint32_t i = 0; i < mock.geometry_count; i++)
        if (mock.geometry[i].type == WS_CHUNK_COPY && index-- == 0)
            return &mock.geometry[i];
    fail_msg("so many copies were not written");
    return NULL;
}

uint32_t mock_copied_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mock.geometry_count; i++)
        count += mock.geometry[i].type == WS_CHUNK_COPY;
    return count;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy(VkCommandBuffer commands,
                                           const VkCopyAccelerationStructureInfoKHR *info)
{
    (void)commands;
    (void)info;
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_to_memory(VkCommandBuffer commands,
                                                     const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    mock_layer_device.next.CmdUpdateBuffer(commands, mock_application.buffer,
                                           info->dst.deviceAddress - mock_application.base, MOCK_SERIALIZED,
                                           mock_application.serialized);
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_copy_from_memory(VkCommandBuffer commands,
                                                       const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    (void)commands;
    (void)info;
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace(VkCommandBuffer commands,
                                            const VkStridedDeviceAddressRegionKHR *raygen,
                                            const VkStridedDeviceAddressRegionKHR *miss,
                                            const VkStridedDeviceAddressRegionKHR *hit,
                                            const VkStridedDeviceAddressRegionKHR *callable, uint32_t width,
                                            uint32_t height, uint32_t depth)
{
    (void)commands, (void)raygen, (void)miss, (void)hit, (void)callable;
    (void)width, (void)height, (void)depth;
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_indirect(VkCommandBuffer commands,
                                                     const VkStridedDeviceAddressRegionKHR *raygen,
                                                     const VkStridedDeviceAddressRegionKHR *miss,
                                                     const VkStridedDeviceAddressRegionKHR *hit,
                                                     const VkStridedDeviceAddressRegionKHR *callable,
                                                     VkDeviceAddress address)
{
    (void)commands, (void)raygen, (void)miss, (void)hit, (void)callable, (void)address;
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_indirect2(VkCommandBuffer commands, VkDeviceAddress address)
{
    (void)commands, (void)address;
    mock_application.commands++;
}

static VKAPI_ATTR void VKAPI_CALL cmd_trace_nv(VkCommandBuffer commands, VkBuffer raygen,
                                               VkDeviceSize raygen_offset, VkBuffer miss,
                                               VkDeviceSize miss_offset, VkDeviceSize miss_stride,
                                               VkBuffer hit, VkDeviceSize hit_offset, VkDeviceSize hit_stride,
                                               VkBuffer callable, VkDeviceSize callable_offset,
                                               VkDeviceSize callable_stride, uint32_t width, uint32_t height,
                                               uint32_t depth)
{
    (void)commands, (void)raygen, (void)raygen_offset, (void)miss, (void)miss_offset, (void)miss_stride;
    (void)hit, (void)hit_offset, (void)hit_stride, (void)callable, (void)callable_offset;
    (void)callable_stride, (void)width, (void)height, (void)depth;
    mock_application.commands++;
}

static VkResult host(VkDeferredOperationKHR operation)
{
    mock_application.commands++;
    if (operation == VK_NULL_HANDLE)
        return mock_application.host_result;
    mock_application.operation = VK_NOT_READY;
    return VK_OPERATION_DEFERRED_KHR;
}

static VKAPI_ATTR VkResult VKAPI_CALL build(VkDevice handle, VkDeferredOperationKHR operation, uint32_t count,
                                            const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                            const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    (void)handle, (void)count, (void)infos, (void)ranges;
    return host(operation);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy(VkDevice handle, VkDeferredOperationKHR operation,
                                           const VkCopyAccelerationStructureInfoKHR *info)
{
    (void)handle, (void)info;
    return host(operation);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_to_memory(VkDevice handle, VkDeferredOperationKHR operation,
                                                     const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    (void)handle;
    memcpy(info->dst.hostAddress, mock_application.serialized, MOCK_SERIALIZED);
    return host(operation);
}

static VKAPI_ATTR VkResult VKAPI_CALL copy_from_memory(VkDevice handle, VkDeferredOperationKHR operation,
                                                       const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    (void)handle, (void)info;
    return host(operation);
}

static VKAPI_ATTR VkResult VKAPI_CALL join(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    mock_application.operation = mock_application.host_result;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_result(VkDevice handle, VkDeferredOperationKHR operation)
{
    (void)handle, (void)operation;
    return mock_application.operation;
}

static VKAPI_ATTR void VKAPI_CALL destroy_operation(VkDevice handle, VkDeferredOperationKHR operation,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)handle, (void)operation, (void)allocator;
}

void mock_application_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CmdCopyAccelerationStructureKHR = cmd_copy;
    dispatch->CmdCopyAccelerationStructureToMemoryKHR = cmd_copy_to_memory;
    dispatch->CmdCopyMemoryToAccelerationStructureKHR = cmd_copy_from_memory;
    dispatch->CmdTraceRaysKHR = cmd_trace;
    dispatch->CmdTraceRaysIndirectKHR = cmd_trace_indirect;
    dispatch->CmdTraceRaysIndirect2KHR = cmd_trace_indirect2;
    dispatch->CmdTraceRaysNV = cmd_trace_nv;
    dispatch->BuildAccelerationStructuresKHR = build;
    dispatch->CopyAccelerationStructureKHR = copy;
    dispatch->CopyAccelerationStructureToMemoryKHR = copy_to_memory;
    dispatch->CopyMemoryToAccelerationStructureKHR = copy_from_memory;
    dispatch->DeferredOperationJoinKHR = join;
    dispatch->GetDeferredOperationResultKHR = get_result;
    dispatch->DestroyDeferredOperationKHR = destroy_operation;
}

bool ws_capture_write_image(struct ws_capture_writer *writer, const struct ws_chunk_image *chunk,
                            struct ws_error *error)
{
    (void)writer;
    (void)chunk;
    (void)error;
    return true;
}

bool ws_capture_write_tables(struct ws_capture_writer *writer, const struct ws_chunk_tables *chunk,
                             struct ws_error *error)
{
    (void)writer;
    (void)error;
    assert_true(mock_application.table_count < MOCK_TABLES);
    mock_application.tables[mock_application.table_count++] = *chunk;
    return true;
}
