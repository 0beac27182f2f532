/* The shader binding tables of trace-rays commands, as they are just before each is executed: a readback,
 * which becomes a TABL chunk. Where geometry is not captured nothing happens. Not thread-safe: the application synchronizes the
 * command buffer. */
#ifndef WS_LAYER_RAY_TRACING_BINDING_TABLES_H
#define WS_LAYER_RAY_TRACING_BINDING_TABLES_H

#include <vulkan/vulkan.h>

struct ws_command_buffer;

/* The tables of ray generation, miss, hit and callable shaders, in this order. */
#define WS_TABLE_COUNT 4

/* Each adds the readback of a trace whose launch is recorded next. To be called before the command is
 * recorded.
 * - ws_binding_tables_add: with the regions as the application gave them.
 * - ws_binding_tables_add_indirect: with the address of a VkTraceRaysIndirectCommand2KHR. Where its tables
 *   are is known on the device only, so their addresses and sizes are captured, and not what they hold.
 * - ws_binding_tables_skip: without tables; `reason`, static, says why. */
void ws_binding_tables_add(struct ws_command_buffer *commands,
                           const VkStridedDeviceAddressRegionKHR *const regions[WS_TABLE_COUNT]);
void ws_binding_tables_add_indirect(struct ws_command_buffer *commands, VkDeviceAddress address);
void ws_binding_tables_skip(struct ws_command_buffer *commands, const char *reason);

#endif
