/* Remembers, from run to run, the opaque addresses that a driver gave for the root block
 * (bufferDeviceAddressCaptureReplay): a small file per device, driver and ordinal in
 * $XDG_CACHE_HOME/warpscope, or ~/.cache/warpscope. Whatever fails here costs speed only. */
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

/* False when nothing usable is stored under `key`. */
bool ws_address_cache_load(const struct ws_address_key *key, struct ws_root_addresses *addresses);

/* Replaces what is stored under `key`, in one rename, so that a concurrent run never reads half a file. */
void ws_address_cache_store(const struct ws_address_key *key, const struct ws_root_addresses *addresses);

#endif
