/* Stores the opaque addresses that a driver gave for the root block (bufferDeviceAddressCaptureReplay), for
 * the next run: in a small file per device, driver and ordinal, in $XDG_CACHE_HOME/warpscope or
 * ~/.cache/warpscope. A failure costs speed only. */
#ifndef WS_LAYER_MEMORY_ADDRESS_CACHE_H
#define WS_LAYER_MEMORY_ADDRESS_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* What VkBufferOpaqueCaptureAddressCreateInfo and VkMemoryOpaqueCaptureAddressAllocateInfo take. */
struct ws_root_addresses {
    uint64_t buffer;
    uint64_t memory;
};

/* Which device: UUIDs of VkPhysicalDeviceIDProperties, and which of the process's devices it is. */
struct ws_address_key {
    uint8_t device[VK_UUID_SIZE];
    uint8_t driver[VK_UUID_SIZE];
    uint32_t ordinal;
};

/* Reads the addresses of `key`. False when none are stored, or the file is not valid. */
bool ws_address_cache_load(const struct ws_address_key *key, struct ws_root_addresses *addresses);

/* Stores the addresses of `key`, by renaming a file, so that another run never reads half of it. */
void ws_address_cache_store(const struct ws_address_key *key, const struct ws_root_addresses *addresses);

#endif
