/* VkAccelerationStructureKHR: which there are, where, and what they are called. Only where geometry is
 * captured. Thread-safe.
 *
 * A structure's ASTR chunk is written when a command, a build or the application's query first meets it, not
 * when it is created: only then is its memory sure to be bound, so that its address may be asked for, if it
 * may have one (buffer.h). Its GONE chunk is written when it is destroyed; but behind all that was submitted
 * before, of which something may not be written yet. */
#ifndef WS_LAYER_RAY_TRACING_STRUCTURE_H
#define WS_LAYER_RAY_TRACING_STRUCTURE_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* The id of a structure in the capture; WS_NONE for VK_NULL_HANDLE and for one that is not known. */
uint32_t ws_structure_find(struct ws_device *device, VkAccelerationStructureKHR handle);

/* Its size in bytes as the application created it; 0 where it is not known. */
VkDeviceSize ws_structure_size(struct ws_device *device, VkAccelerationStructureKHR handle);

/* The id of the structure that an instance with this address refers to; WS_NONE when there is none. Of
 * several at one address (they may share memory) it is the one that was built last: ws_structure_note_built.
 * One that was destroyed is found for as long as something is pending that was submitted before. */
uint32_t ws_structure_at_address(struct ws_device *device, VkDeviceAddress address);

/* What is at the structure's address is this one from now on: it was built, or copied to. In the order in
 * which the device did it. */
void ws_structure_note_built(struct ws_device *device, uint32_t id);

/* The application gave the structure a name ("" = took it away). */
void ws_structure_set_name(struct ws_device *device, VkAccelerationStructureKHR handle, const char *name);

#endif
