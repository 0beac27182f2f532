#include "layer/memory/root_block.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/address_cache.h"
#include "layer/memory/host_memory.h"
#include "layer/memory/memory.h"
#include "warpscope/root.h"

struct ws_root_block {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    struct ws_root *mapped;
    void *placed; /* memory of ours that was imported, else NULL */
    size_t placed_size;
    bool local; /* in memory of the device */
};

/* One way to get the memory: what goes into the create-infos of the buffer and the memory. */
struct attempt {
    const void *buffer_chain;
    VkBufferCreateFlags buffer_flags;
    const void *memory_chain;
    VkMemoryAllocateFlags memory_flags;
    uint32_t type_bits; /* memory types that may be used */
};

static void clear(struct ws_device *device, struct ws_root_block *root)
{
    device->next.DestroyBuffer(device->handle, root->buffer, NULL);
    device->next.FreeMemory(device->handle, root->memory, NULL);
    if (root->placed != NULL)
        munmap(root->placed, root->placed_size);
    *root = (struct ws_root_block){0};
}

static bool bind_memory(struct ws_device *device, struct ws_root_block *root, const struct attempt *attempt)
{
    VkMemoryRequirements requirements;
    device->next.GetBufferMemoryRequirements(device->handle, root->buffer, &requirements);
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = attempt->memory_chain,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | attempt->memory_flags,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = root->placed != NULL ? root->placed_size : requirements.size,
    };
    /* Device-local where the host can reach that: every launch of every probe reads its slot. */
    if (requirements.size > info.allocationSize ||
        !ws_memory_type_choose(&device->properties.memory, requirements.memoryTypeBits & attempt->type_bits,
                               VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &info.memoryTypeIndex))
        return false;
    const VkMemoryPropertyFlags flags_there =
        device->properties.memory.memoryTypes[info.memoryTypeIndex].propertyFlags;
    root->local = (flags_there & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    return device->next.AllocateMemory(device->handle, &info, NULL, &root->memory) == VK_SUCCESS &&
           device->next.BindBufferMemory(device->handle, root->buffer, root->memory, 0) == VK_SUCCESS;
}

/* Tries to make the block in one way. After a failure the caller calls `clear`. */
static bool try_make(struct ws_device *device, struct ws_root_block *root, const struct attempt *attempt)
{
    VkBufferCreateInfo create_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = attempt->buffer_chain,
        .flags = attempt->buffer_flags,
        .size = WS_ROOT_SIZE,
        .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    ws_buffer_share(device, &create_info);
    if (device->next.CreateBuffer(device->handle, &create_info, NULL, &root->buffer) != VK_SUCCESS ||
        !bind_memory(device, root, attempt))
        return false;
    void *mapped = root->placed;
    if (mapped == NULL &&
        device->next.MapMemory(device->handle, root->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
        return false;
    root->mapped = mapped;
    memset(root->mapped, 0, sizeof(*root->mapped));

    const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = root->buffer,
    };
    root->address = device->next.GetBufferDeviceAddress(device->handle, &info);
    return root->address != 0;
}

/* Far from where kernels put programs, heaps, libraries and stacks on 64-bit Linux. Several, because a
 * process may make several devices. Those below 2^39 exist on small ARM kernels too, and are memory of the
 * application to the thread and memory sanitizers, which end a process that maps what they keep for
 * themselves; the address sanitizer has all of that mapped, so that the others are taken with it. */
static const uintptr_t places[] = {
#if UINTPTR_MAX > UINT32_MAX
    UINT64_C(0x3000000000),   UINT64_C(0x3010000000),   UINT64_C(0x3020000000),   UINT64_C(0x3030000000),
    UINT64_C(0x3040000000),   UINT64_C(0x3050000000),   UINT64_C(0x3060000000),   UINT64_C(0x3070000000),
    UINT64_C(0x200000000000), UINT64_C(0x200010000000), UINT64_C(0x200020000000), UINT64_C(0x200030000000),
#else
    0x30000000,
    0x30100000,
#endif
};

void *ws_root_placement_map(size_t size)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        void *wanted = (void *)places[i];
        void *memory = mmap(wanted, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == wanted)
            return memory;
        /* Kernels before 4.17 take the address as a hint only. */
        if (memory != MAP_FAILED)
            munmap(memory, size);
    }
    return NULL;
}

/* Host memory at a fixed address. Only a software device uses the host's addresses as device addresses. */
static bool make_placed(struct ws_device *device, struct ws_root_block *root)
{
    if (!ws_host_memory_is_offered(device))
        return false;
    const size_t alignment = ws_host_memory_alignment(device);
    uint32_t type_bits;
    root->placed_size = (WS_ROOT_SIZE + alignment - 1) / alignment * alignment;
    root->placed = ws_root_placement_map(root->placed_size);
    if (root->placed == NULL || (uintptr_t)root->placed % alignment != 0 ||
        !ws_host_memory_types(device, root->placed, &type_bits))
        return false;

    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = type,
    };
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = type,
        .pHostPointer = root->placed,
    };
    return try_make(device, root,
                    &(struct attempt){
                        .buffer_chain = &external,
                        .memory_chain = &import,
                        .type_bits = type_bits,
                    });
}

static void query_key(struct ws_device *device, struct ws_address_key *key)
{
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &id,
    };
    device->instance->next.GetPhysicalDeviceProperties2(device->physical, &properties);
    memcpy(key->device, id.deviceUUID, sizeof(key->device));
    memcpy(key->driver, id.driverUUID, sizeof(key->driver));
}

/* With replayed addresses. Where they are 0 the driver chooses. */
static bool make_at(struct ws_device *device, struct ws_root_block *root,
                    const struct ws_root_addresses *addresses)
{
    const VkBufferOpaqueCaptureAddressCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
        .opaqueCaptureAddress = addresses->buffer,
    };
    const VkMemoryOpaqueCaptureAddressAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
        .opaqueCaptureAddress = addresses->memory,
    };
    if (try_make(device, root,
                 &(struct attempt){
                     .buffer_chain = &buffer,
                     .buffer_flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
                     .memory_chain = &memory,
                     .memory_flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
                     .type_bits = UINT32_MAX,
                 }))
        return true;
    clear(device, root);
    return false;
}

static bool make_replayed(struct ws_device *device, struct ws_root_block *root)
{
    static _Atomic uint32_t devices;
    if (!device->capture_replay || device->instance->next.GetPhysicalDeviceProperties2 == NULL ||
        device->next.GetBufferOpaqueCaptureAddress == NULL ||
        device->next.GetDeviceMemoryOpaqueCaptureAddress == NULL)
        return false;

    struct ws_address_key key = {.ordinal = atomic_fetch_add(&devices, 1)};
    query_key(device, &key);
    struct ws_root_addresses addresses = {0};
    if (ws_address_cache_load(&key, &addresses) && make_at(device, root, &addresses))
        return true;

    /* No address is stored, or it is taken in this process: the driver chooses, and its choice is stored. */
    addresses = (struct ws_root_addresses){0};
    if (!make_at(device, root, &addresses))
        return false;
    addresses.buffer = device->next.GetBufferOpaqueCaptureAddress(
        device->handle, &(VkBufferDeviceAddressInfo){
                            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                            .buffer = root->buffer,
                        });
    addresses.memory = device->next.GetDeviceMemoryOpaqueCaptureAddress(
        device->handle, &(VkDeviceMemoryOpaqueCaptureAddressInfo){
                            .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
                            .memory = root->memory,
                        });
    ws_address_cache_store(&key, &addresses);
    return true;
}

static void finish(struct ws_device *device)
{
    if (device->root == NULL)
        return;
    clear(device, device->root);
    free(device->root);
    device->root = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    static bool (*const ways[])(struct ws_device *, struct ws_root_block *) = {make_placed, make_replayed};
    struct ws_root_block *root = calloc(1, sizeof(*root));
    if (root == NULL)
        return ws_error_set(error, "out of memory");
    device->root = root;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (ways[i](device, root))
            return true;
        clear(device, root);
    }
    if (try_make(device, root, &(struct attempt){.type_bits = UINT32_MAX}))
        return true;
    finish(device);
    return ws_error_set(error, "the driver gave no host-visible memory with a device address for %u bytes",
                        (unsigned)WS_ROOT_SIZE);
}

void ws_root_set_counters(struct ws_device *device, uint32_t slot, uint64_t address)
{
    device->root->mapped->counters[slot] = address;
}

void ws_root_set_yields(struct ws_device *device, uint32_t slot, uint64_t address)
{
    device->root->mapped->yields[slot] = address;
}

void ws_root_set_records(struct ws_device *device, uint64_t address)
{
    device->root->mapped->records = address;
}

/* A control block that crosses a multiple of 2^32 would need a carry in each shader; addresses are aligned, so in practice
 * none does. */
VkBuffer ws_root_control_buffer(const struct ws_device *device)
{
    const struct ws_root_block *root = device->root;
    const bool fits =
        root->address % WS_ROOT_LINE == 0 && root->address >> 32 == (root->address + WS_ROOT_SIZE - 1) >> 32;
    return root->local && fits ? root->buffer : VK_NULL_HANDLE;
}

void *ws_root_control_mapped(const struct ws_device *device)
{
    return (char *)device->root->mapped + WS_ROOT_CONTROL;
}

uint64_t ws_root_address(const struct ws_device *device)
{
    return device->root->address;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_root_block_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
