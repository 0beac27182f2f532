/* The application's VkAccelerationStructureKHRs: their ids in the capture, addresses and names. Only where
 * geometry is captured. Thread-safe.
 *
 * A structure's ASTR chunk is not written when it is created, but when a command or a host build first uses
 * it, or the application first asks for its address. Only then its buffer is sure to have memory, so that its
 * address may be asked for (VUID-vkGetAccelerationStructureDeviceAddressKHR-pInfo-09541). Its GONE chunk is
 * written after it was destroyed, and after all that was submitted before that: such a submission may not be
 * written yet. */
#ifndef WS_LAYER_RAY_TRACING_STRUCTURE_H
#define WS_LAYER_RAY_TRACING_STRUCTURE_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* The id of a structure in the capture, and its ASTR chunk is written; WS_NONE for VK_NULL_HANDLE and for a
 * structure that is not known. */
uint32_t ws_structure_find(struct ws_device *device, VkAccelerationStructureKHR handle);

/* Its size in bytes as the application created it; 0 for a structure that is not known. */
VkDeviceSize ws_structure_size(struct ws_device *device, VkAccelerationStructureKHR handle);

/* The id of the structure that an instance with this address refers to; WS_NONE when there is none. Of
 * several at one address (they may share memory) it is the one that was built last: ws_structure_note_built.
 * A destroyed structure is still found while a submission is pending that was submitted before. */
uint32_t ws_structure_at_address(struct ws_device *device, VkDeviceAddress address);

/* The structure was built, or copied to: it is the one at its address from now on. To be called in the order
 * in which the device did that. */
void ws_structure_note_built(struct ws_device *device, uint32_t id);

/* The application gave the structure a name; "" takes it away. */
void ws_structure_set_name(struct ws_device *device, VkAccelerationStructureKHR handle, const char *name);

#endif
