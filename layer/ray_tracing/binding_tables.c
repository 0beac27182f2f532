#include "layer/ray_tracing/binding_tables.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/command_buffer.h"
#include "layer/commands/readback.h"
#include "layer/core/blob.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"
#include "layer/ray_tracing/range_copy.h"
#include "layer/submit/submission.h"
#include "warpscope/instrument.h"

struct tables {
    struct ws_readback readback;
    const char *reason; /* why no table is copied; static; NULL = they are */
    VkStridedDeviceAddressRegionKHR regions[WS_TABLE_COUNT];
    struct ws_copied_range copied[WS_TABLE_COUNT];
    struct ws_copied_range command; /* VkTraceRaysIndirectCommand2KHR */
};

static void read_regions(VkStridedDeviceAddressRegionKHR regions[WS_TABLE_COUNT], const uint8_t *bytes)
{
    VkTraceRaysIndirectCommand2KHR command;
    memcpy(&command, bytes, sizeof(command));
    regions[0] = (VkStridedDeviceAddressRegionKHR){
        command.raygenShaderRecordAddress, command.raygenShaderRecordSize, command.raygenShaderRecordSize};
    regions[1] = (VkStridedDeviceAddressRegionKHR){command.missShaderBindingTableAddress,
                                                   command.missShaderBindingTableStride,
                                                   command.missShaderBindingTableSize};
    regions[2] = (VkStridedDeviceAddressRegionKHR){command.hitShaderBindingTableAddress,
                                                   command.hitShaderBindingTableStride,
                                                   command.hitShaderBindingTableSize};
    regions[3] = (VkStridedDeviceAddressRegionKHR){command.callableShaderBindingTableAddress,
                                                   command.callableShaderBindingTableStride,
                                                   command.callableShaderBindingTableSize};
}

/* Puts what was copied of a table into the capture; where that is not all, `*reason` says why. */
static void put_table(struct ws_device *device, const struct tables *tables,
                      const struct ws_execution *execution, uint32_t index, struct ws_binding_table *table,
                      const char **reason)
{
    const struct ws_copied_range *copied = &tables->copied[index];
    const uint8_t *bytes = ws_copied_range_bytes(copied, execution);
    if (bytes != NULL)
        table->blob = ws_blob_put(device->capture, bytes, copied->size);
    if (tables->reason != NULL || table->size == 0)
        return;
    if (copied->reason != NULL)
        *reason = copied->reason;
    else if (bytes == NULL)
        *reason = "the copies of a command buffer's binding tables are lost";
    else if (table->blob == WS_NONE)
        *reason = "out of memory for a binding table";
}

static void write(struct ws_device *device, const struct ws_readback *readback,
                  const struct ws_execution *execution)
{
    const struct tables *tables = (const struct tables *)readback;
    const uint8_t *command = ws_copied_range_bytes(&tables->command, execution);
    const char *reason = tables->reason;
    const char *lost = NULL;
    VkStridedDeviceAddressRegionKHR regions[WS_TABLE_COUNT];
    struct ws_chunk_tables chunk = {.launch = execution->moment};
    if (reason != NULL)
        ws_lose_geometry(device, WS_NONE, 1, reason);
    if (reason != NULL && command == NULL)
        return;
    memcpy(regions, tables->regions, sizeof(regions));
    if (command != NULL && tables->command.size == sizeof(VkTraceRaysIndirectCommand2KHR))
        read_regions(regions, command);
    for (uint32_t i = 0; i < WS_TABLE_COUNT; i++) {
        chunk.tables[i] = (struct ws_binding_table){.address = regions[i].deviceAddress,
                                                    .stride = regions[i].stride,
                                                    .size = regions[i].size,
                                                    .blob = WS_NONE};
        put_table(device, tables, execution, i, &chunk.tables[i], &lost);
    }
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_tables(device->capture->writer, &chunk, &error), &error);
    if (lost != NULL)
        ws_lose_geometry(device, WS_NONE, 1, lost);
}

static void destroy(struct ws_readback *readback)
{
    free(readback);
}

static const struct ws_readback_type kind = {.write = write, .destroy = destroy};

/* NULL where geometry is not captured, or not wanted any more, or there is no memory. */
static struct tables *create(struct ws_command_buffer *commands)
{
    if (!commands->device->settings->geometry || !ws_readbacks_wanted(commands->device))
        return NULL;
    struct tables *tables = calloc(1, sizeof(*tables));
    if (tables != NULL)
        ws_readback_init(&tables->readback, &kind);
    else
        ws_capture_skip(commands->device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, 1,
                        "out of memory while commands were recorded");
    return tables;
}

void ws_binding_tables_add(struct ws_command_buffer *commands,
                           const VkStridedDeviceAddressRegionKHR *const regions[WS_TABLE_COUNT])
{
    struct tables *tables = create(commands);
    struct ws_range_copies copies;
    if (tables == NULL)
        return;
    ws_range_copies_begin(&copies, commands);
    for (uint32_t i = 0; i < WS_TABLE_COUNT; i++) {
        if (regions[i] == NULL || regions[i]->size == 0)
            continue;
        tables->regions[i] = *regions[i];
        ws_range_copy(&copies, regions[i]->deviceAddress, regions[i]->size, &tables->copied[i]);
    }
    ws_range_copies_end(&copies);
    ws_readback_add(commands, &tables->readback);
}

void ws_binding_tables_add_indirect(struct ws_command_buffer *commands, VkDeviceAddress address)
{
    struct tables *tables = create(commands);
    struct ws_range_copies copies;
    if (tables == NULL)
        return;
    tables->reason = "binding tables whose addresses are on the device only are not captured";
    ws_range_copies_begin(&copies, commands);
    ws_range_copy(&copies, address, sizeof(VkTraceRaysIndirectCommand2KHR), &tables->command);
    ws_range_copies_end(&copies);
    ws_readback_add(commands, &tables->readback);
}

void ws_binding_tables_skip(struct ws_command_buffer *commands, const char *reason)
{
    struct tables *tables = create(commands);
    if (tables == NULL)
        return;
    tables->reason = reason;
    ws_readback_add(commands, &tables->readback);
}
