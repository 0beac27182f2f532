/* The shader binding tables of trace-rays commands, as they are just before each: TABL chunks. Where geometry
 * is not captured nothing happens. */
#ifndef WS_LAYER_RAY_TRACING_BINDING_TABLES_H
#define WS_LAYER_RAY_TRACING_BINDING_TABLES_H

#include <vulkan/vulkan.h>

struct ws_command_buffer;

/* Ray generation, miss, hit, callable. */
#define WS_TABLE_COUNT 4

/* Before the command of a trace of which the launch is recorded next: with the regions as the application
 * gave them; or where they are in the device's memory (VkTraceRaysIndirectCommand2KHR), of which only the
 * addresses and sizes are captured; or with why there are none. */
void ws_binding_tables_add(struct ws_command_buffer *commands,
                           const VkStridedDeviceAddressRegionKHR *const regions[WS_TABLE_COUNT]);
void ws_binding_tables_add_indirect(struct ws_command_buffer *commands, VkDeviceAddress address);
void ws_binding_tables_skip(struct ws_command_buffer *commands, const char *reason);

#endif
