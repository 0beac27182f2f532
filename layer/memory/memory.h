/* Device memory of our own: heaps of big blocks, each one allocation under one buffer, from which ranges
 * are given out. Thread-safe. */
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

/* Bytes that a heap keeps when nothing is taken: what it has beyond goes back to the device, one empty block
 * after the other, because a scene that is built once takes more than all that follows. */
#define WS_HEAP_KEPT ((VkDeviceSize)256 << 20)

/* What a heap's memory is for. */
struct ws_heap_kind {
    VkBufferUsageFlags usage;       /* with SHADER_DEVICE_ADDRESS, ranges have an address */
    VkMemoryPropertyFlags required; /* with HOST_VISIBLE, ranges are mapped */
    VkMemoryPropertyFlags preferred;
    bool numbered; /* ws_heap_block: no block goes before the heap does */
};

extern const struct ws_heap_kind ws_heap_counters; /* live counter rows: device-local, with addresses */
extern const struct ws_heap_kind ws_heap_results;  /* what command buffers copied from them: device-local */
extern const struct ws_heap_kind ws_heap_readback; /* what the host reads: host-visible and coherent */

struct ws_memory_range {
    struct ws_memory_block *block; /* NULL = no range */
    VkBuffer buffer;
    VkDeviceSize offset; /* in `buffer` */
    VkDeviceSize size;   /* bytes, as asked for and rounded up to WS_MEMORY_ALIGNMENT */
    VkDeviceAddress address;
    void *mapped;
};

/* An empty heap; allocates device memory when it is first used. NULL when there is no memory. */
struct ws_heap *ws_heap_create(struct ws_device *device, const struct ws_heap_kind *kind,
                               struct ws_error *error);

/* Frees all of its memory; the device must have finished with it. NULL is accepted. */
void ws_heap_destroy(struct ws_heap *heap);

/* A range of `size` bytes (at least 1), its content undefined. */
bool ws_heap_allocate(struct ws_heap *heap, VkDeviceSize size, struct ws_memory_range *range,
                      struct ws_error *error);

/* Gives a range back and clears the struct; one without a block is ignored. */
void ws_heap_free(struct ws_heap *heap, struct ws_memory_range *range);

/* Blocks of a numbered heap are counted from 0 in the order of their making. `*buffer` receives block
 * `index`'s buffer of `*size` bytes. False when there is no such block. */
bool ws_heap_block(struct ws_heap *heap, uint32_t index, VkBuffer *buffer, VkDeviceSize *size);

/* The memory type among `type_bits` that has all `required` properties and most of the `preferred` ones;
 * the first of equals, because drivers list the faster ones first. False when there is none. Never one
 * that is protected, lazily allocated or AMD's uncached kind. */
bool ws_memory_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                           VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, uint32_t *type);

/* Fills in the sharing of a buffer that every queue family may use: our buffers never change owners. */
void ws_buffer_share(const struct ws_device *device, VkBufferCreateInfo *create_info);

#endif
