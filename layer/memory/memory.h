/* Device memory of the layer. A heap has large blocks; each block is one allocation with one buffer. Callers
 * allocate ranges of the blocks. Thread-safe. */
#ifndef WS_LAYER_MEMORY_MEMORY_H
#define WS_LAYER_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

struct ws_device;
struct ws_heap;
struct ws_memory_block;

/* Ranges begin and end at multiples of this many bytes, which suits every use (vkCmdFillBuffer and
 * vkCmdCopyBuffer of words, rows of at least WS_BINS_MIN words, 8-byte aligned addresses). */
#define WS_MEMORY_ALIGNMENT 16

/* Bytes that a heap keeps although they are free. Empty blocks beyond that are freed, because the build of a
 * scene takes much more memory, once, than what follows. */
#define WS_HEAP_KEPT ((VkDeviceSize)256 << 20)

/* Bytes of a heap of the device that are enough for all of a heap's memory. */
#define WS_UNIFIED_MIN ((VkDeviceSize)1 << 30)

/* What a heap's memory is for. */
struct ws_heap_kind {
    VkBufferUsageFlags usage;       /* with SHADER_DEVICE_ADDRESS, ranges have an address */
    VkMemoryPropertyFlags required; /* with HOST_VISIBLE, ranges are mapped */
    VkMemoryPropertyFlags preferred;
    /* Where a type has all of these it is taken before others, and ranges are mapped if they can be; 0 = no type is. But not
     * of a heap that is smaller than that of the others and than WS_UNIFIED_MIN: it is soon full, or the application needs
     * it. Nor of a heap that a group of devices has several instances of, which cannot be mapped
     * (VUID-vkMapMemory-memory-00683). */
    VkMemoryPropertyFlags unified;
};

extern const struct ws_heap_kind ws_heap_counters; /* live counter rows: device-local, with addresses */
/* What command buffers copied from them: device-local. Where the device's own memory is the host's too, and cached
 * (integrated and software devices), ranges are mapped, and the host reads them where they are (recording.h). Memory of a
 * discrete device that the host only sees is not cached: it is read through ws_heap_readback. */
extern const struct ws_heap_kind ws_heap_results;
extern const struct ws_heap_kind ws_heap_readback; /* what the host reads: host-visible and coherent */

struct ws_memory_range {
    struct ws_memory_block *block; /* NULL = no range */
    VkBuffer buffer;
    VkDeviceSize offset; /* in `buffer` */
    VkDeviceSize size;   /* bytes, as asked for and rounded up to WS_MEMORY_ALIGNMENT */
    VkDeviceAddress address;
    void *mapped;
};

/* Makes an empty heap, which allocates device memory at its first use. NULL and `error` without memory. */
struct ws_heap *ws_heap_create(struct ws_device *device, const struct ws_heap_kind *kind,
                               struct ws_error *error);

/* Frees all of its memory; the device must have finished with it. NULL is accepted. */
void ws_heap_destroy(struct ws_heap *heap);

/* Allocates a range of `size` bytes (at least 1), with undefined content. False and `error` without
 * memory. */
bool ws_heap_allocate(struct ws_heap *heap, VkDeviceSize size, struct ws_memory_range *range,
                      struct ws_error *error);

/* Frees a range and clears the struct. A range without a block is ignored. */
void ws_heap_free(struct ws_heap *heap, struct ws_memory_range *range);

/* Chooses the memory type among `type_bits` that has all `required` properties and most of the `preferred`
 * ones. Of equal ones the first is taken, because drivers list the faster ones first. Protected and lazily
 * allocated types and AMD's uncached ones are never chosen. False when there is none. */
bool ws_memory_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                           VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, uint32_t *type);

/* The same for the memory of a heap. */
bool ws_heap_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                         const struct ws_heap_kind *kind, uint32_t *type);

/* Sets the sharing mode so that every queue family may use the buffer without a transfer of ownership. */
void ws_buffer_share(const struct ws_device *device, VkBufferCreateInfo *create_info);

#endif
