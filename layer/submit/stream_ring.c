#include "layer/submit/stream_ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/memory/host_memory.h"
#include "layer/memory/memory.h"
#include "layer/submit/command_source.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/losses.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"

/* Sizes grow to multiples of this, and no smaller size is tried. */
#define STEP ((VkDeviceSize)1 << 20)

/* Where the device's own memory is also cached for the host (software and integrated devices), the words are
 * read where they were written. Elsewhere the device appends to its own memory, and what was used is copied
 * out: reads by the host of memory that is not cached would take longer than all the rest. */
#define READABLE                                                                                             \
    (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |                             \
     VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

static bool choose_type(const struct ws_device *device, uint32_t type_bits, uint32_t *type)
{
    const VkPhysicalDeviceMemoryProperties *memory = &device->properties.memory;
    return ws_memory_type_choose(memory, type_bits, READABLE, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, type) ||
           ws_memory_type_choose(memory, type_bits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, type);
}

static void clear(struct ws_device *device, struct ws_stream *stream)
{
    /* Freeing memory unmaps it, but not ours. */
    device->next.DestroyBuffer(device->handle, stream->buffer, NULL);
    device->next.FreeMemory(device->handle, stream->memory, NULL);
    if (stream->placed != NULL)
        munmap(stream->placed, stream->placed_size);
    *stream = (struct ws_stream){0};
}

/* Allocates memory of a type among `type_bits`, or imports it, as the chain says, and binds the buffer to it. */
static bool bind_memory(struct ws_device *device, struct ws_stream *stream, const void *chain,
                        uint32_t type_bits)
{
    VkMemoryRequirements requirements;
    device->next.GetBufferMemoryRequirements(device->handle, stream->buffer, &requirements);
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = chain,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = stream->placed != NULL ? stream->placed_size : requirements.size,
    };
    if (requirements.size > info.allocationSize ||
        !choose_type(device, requirements.memoryTypeBits & type_bits, &info.memoryTypeIndex) ||
        device->next.AllocateMemory(device->handle, &info, NULL, &stream->memory) != VK_SUCCESS ||
        device->next.BindBufferMemory(device->handle, stream->buffer, stream->memory, 0) != VK_SUCCESS)
        return false;
    stream->memory_size = info.allocationSize;
    const VkMemoryPropertyFlags properties =
        device->properties.memory.memoryTypes[info.memoryTypeIndex].propertyFlags;
    stream->coherent = (properties & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    const bool is_readable = (properties & READABLE) == READABLE;
    void *mapped = stream->placed;
    if (mapped != NULL && !(is_readable && stream->coherent))
        return false; /* what the device wrote would have to be fetched */
    if (mapped == NULL && is_readable &&
        device->next.MapMemory(device->handle, stream->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
        return false;
    stream->mapped = mapped;
    return true;
}

/* Makes a buffer. After a failure the caller calls `clear`. */
static bool make_buffer(struct ws_device *device, struct ws_stream *stream, VkDeviceSize size,
                        const void *buffer_chain, const void *memory_chain, uint32_t type_bits)
{
    VkBufferCreateInfo create_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = buffer_chain,
        .size = size,
        .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    };
    ws_buffer_share(device, &create_info);
    if (device->next.CreateBuffer(device->handle, &create_info, NULL, &stream->buffer) != VK_SUCCESS ||
        !bind_memory(device, stream, memory_chain, type_bits))
        return false;
    const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = stream->buffer,
    };
    stream->address = device->next.GetBufferDeviceAddress(device->handle, &info);
    stream->capacity = (uint32_t)(size / sizeof(uint32_t));
    return stream->address != 0;
}

/* In memory of ours. */
static bool make_placed(struct ws_device *device, struct ws_stream *stream, VkDeviceSize size)
{
    if (!ws_host_memory_is_offered(device))
        return false;
    const size_t alignment = ws_host_memory_alignment(device);
    uint32_t type_bits;
    stream->placed_size = (size + alignment - 1) / alignment * alignment;
    stream->placed = ws_host_memory_map(stream->placed_size);
    /* Only pages are sure to be aligned. */
    if (stream->placed == NULL || (uintptr_t)stream->placed % alignment != 0 ||
        !ws_host_memory_types(device, stream->placed, &type_bits))
        return false;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = stream->placed,
    };
    return make_buffer(device, stream, size, &external, &import, type_bits);
}

static bool try_make(struct ws_device *device, struct ws_stream *stream, VkDeviceSize size)
{
    if (make_placed(device, stream, size))
        return true;
    clear(device, stream);
    if (make_buffer(device, stream, size, NULL, NULL, UINT32_MAX))
        return true;
    clear(device, stream);
    return false;
}

/* Writes a size as settings are written ("64M"), rounded up. Returns `text`. */
static const char *write_size(uint64_t bytes, char text[32])
{
    static const char units[] = "KMG";
    size_t unit = 0;
    if (bytes < 1024) {
        snprintf(text, 32, "%" PRIu64, bytes);
        return text;
    }
    uint64_t count = (bytes + 1023) / 1024;
    while ((count % 1024 == 0 || count >= UINT64_C(16) << 10) && unit < sizeof(units) - 2) {
        count = (count + 1023) / 1024;
        unit++;
    }
    snprintf(text, 32, "%" PRIu64 "%c", count, units[unit]);
    return text;
}

/* Decides, once, the size to begin with and the limit. */
static void settle(struct ws_device *device)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    const struct ws_settings *settings = device->settings;
    const VkPhysicalDeviceMemoryProperties *memory = &device->properties.memory;
    uint32_t type = 0;
    if (ring->wanted > 0)
        return;
    ring->limit = WS_STREAM_LIMIT;
    if (choose_type(device, UINT32_MAX, &type)) {
        const VkDeviceSize share = memory->memoryHeaps[memory->memoryTypes[type].heapIndex].size / 4;
        if (share >= STEP && share < ring->limit)
            ring->limit = share;
    }
    if (settings->buffer_limit > 0)
        ring->limit = settings->buffer_limit;
    if (settings->buffer_size > 0) {
        ring->wanted = settings->buffer_size;
        if (ring->limit < ring->wanted)
            ring->limit = ring->wanted;
        return;
    }
    ring->wanted = device->properties.core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? WS_STREAM_SIZE_SOFTWARE
                                                                                     : WS_STREAM_SIZE;
    if (ring->wanted > ring->limit)
        ring->wanted = ring->limit;
}

/* `size`, or the most that may be asked for if that is less (VUID-VkBufferCreateInfo-size-06409,
 * VUID-vkAllocateMemory-pAllocateInfo-01713). */
static VkDeviceSize bound(const struct ws_device *device, VkDeviceSize size)
{
    const VkPhysicalDeviceMemoryProperties *memory = &device->properties.memory;
    const VkDeviceSize largest = device->properties.largest_buffer;
    uint32_t type = 0;
    if (largest > 0 && size > largest)
        size = largest;
    if (choose_type(device, UINT32_MAX, &type)) {
        const VkDeviceSize heap = memory->memoryHeaps[memory->memoryTypes[type].heapIndex].size;
        size = heap > 0 && size > heap ? heap : size;
    }
    return size / sizeof(uint32_t) * sizeof(uint32_t);
}

/* Makes a buffer of the wanted size; where there is no memory for it, of half of that, and so on. Larger ones
 * are not asked for again then: a driver may take long to refuse. */
static bool make(struct ws_device *device, struct ws_stream *stream)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    VkDeviceSize size = bound(device, ring->wanted);
    while (!try_make(device, stream, size)) {
        if (size / 2 < STEP)
            return false;
        size = size / 2 / sizeof(uint32_t) * sizeof(uint32_t);
    }
    if (size < ring->wanted) {
        char wanted[32], made[32];
        ws_warn_of_buffers(device, "there is no device memory for a record buffer of %s; it is given %s",
                           write_size(ring->wanted, wanted), write_size(size, made));
        ring->wanted = ring->limit = size;
    }
    return true;
}

/* Whether a submission is pending whose records may be mixed with another queue's. Its shaders may have read
 * the control block while another submission's stream was open, so they may still append to that buffer:
 * none may be freed (VUID-vkDestroyBuffer-buffer-00922). */
static bool any_mixed(const struct ws_device *device)
{
    if (device->submissions->ring.unclosed || device->submissions->ring.strays > 0)
        return true;
    for (const struct ws_queue *queue = device->submissions->queues; queue != NULL;
         queue = queue->following) {
        for (const struct ws_submission *pending = queue->oldest; pending != NULL;
             pending = pending->following)
            if (pending->records_mixed)
                return true;
    }
    return false;
}

bool ws_stream_any_reader(struct ws_device *device)
{
    for (const struct ws_queue *queue = device->submissions->queues; queue != NULL;
         queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->appends && !ws_submission_has_finished(device, pending))
                return true;
    }
    return false;
}

void ws_stream_close_left_open(struct ws_device *device)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    if ((ring->left_open == NULL && !ring->unclosed) || ws_stream_any_reader(device))
        return;
    if (ring->left_open != NULL)
        ws_stream_close_in_place(device);
    ring->left_open = NULL;
    ring->unclosed = ring->strays > 0;
}

void ws_stream_note_idle(struct ws_device *device, uint64_t until)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    if (ring->strays <= until)
        ring->strays = 0;
}

static struct ws_stream *find_free(struct ws_stream_ring *ring)
{
    for (uint32_t i = 0; i < WS_STREAM_RING; i++)
        if (!ring->buffers[i].taken)
            return &ring->buffers[i];
    return NULL;
}

bool ws_stream_any_free(const struct ws_device *device)
{
    return find_free(&device->submissions->ring) != NULL;
}

/* Makes the control block ready for its first stream. It is zeroed by a submission of our own, which is
 * waited for, and only then the root block points to it. The order matters: a shader on another queue, which
 * no barrier reaches, would else find what the memory held before and take it for an address and a capacity.
 * False when there is no queue for that now, or late copies are given up. */
static bool make_ready(struct ws_device *device)
{
    const struct ws_control_block *control = device->control;
    if (control->shown || ws_late_copies_given_up(device))
        return control->shown && !ws_late_copies_given_up(device);
    struct ws_queue *queue = ws_late_queue(device);
    VkCommandBuffer commands =
        queue != NULL ? ws_command_source_begin(device, queue->family) : VK_NULL_HANDLE;
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_stream_zero(device, commands);
    if (!ws_late_copy_run(device, queue, commands))
        return false;
    ws_control_block_show(device);
    return true;
}

struct ws_stream *ws_stream_take(struct ws_device *device, const char **reason)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    if (ring->strays > 0) {
        *reason = "launches that the layer could not follow, for want of memory, may run at the same time";
        return NULL;
    }
    if (!make_ready(device)) {
        *reason = "the record stream could not be made ready";
        return NULL;
    }
    struct ws_stream *stream = find_free(ring);
    if (stream == NULL) {
        *reason = "all record buffers are held by submissions that wait for others";
        return NULL;
    }
    settle(device);
    const VkDeviceSize size = (VkDeviceSize)stream->capacity * sizeof(uint32_t);
    if (size < ring->wanted && (size == 0 || !any_mixed(device))) {
        clear(device, stream);
        if (!make(device, stream)) {
            *reason = "no device memory for a record buffer";
            return NULL;
        }
    }
    stream->taken = true;
    ring->overlapped = ring->overlapped || find_free(ring) == NULL;
    return stream;
}

void ws_stream_give(struct ws_stream *stream)
{
    if (stream != NULL)
        stream->taken = false;
}

void ws_stream_overflowed(struct ws_device *device, uint32_t capacity, uint64_t words)
{
    struct ws_stream_ring *ring = &device->submissions->ring;
    const uint64_t needed = words * sizeof(uint32_t);
    const VkDeviceSize held = (VkDeviceSize)capacity * sizeof(uint32_t);
    VkDeviceSize size = (needed + STEP - 1) / STEP * STEP;
    if (size > ring->limit)
        size = ring->limit;
    char had[32], sufficient[32], next[32];
    write_size(held, had);
    write_size(needed, sufficient);
    write_size(size, next);
    const char *least = words >= WS_STREAM_SATURATED ? "more than " : "";
    if (needed > ring->limit && !ring->limit_said)
        ws_warn_of_buffers(
            device,
            "records are missing: a submission needs %s%s and the record buffer may grow to %s only; raise "
            "the limit (--buffer-limit) or record less (--threads, --pixels, --tile, --frames, "
            "--launches)",
            least, sufficient, next);
    else if (needed <= ring->limit && size > ring->wanted)
        ws_warn_of_buffers(
            device,
            "records are missing: a submission needs %s and the record buffer has %s; the next submission's "
            "has %s (set --buffer %s to begin with that)",
            sufficient, had, next, sufficient);
    ring->limit_said = ring->limit_said || needed > ring->limit;
    if (size > ring->wanted)
        ring->wanted = size;
}

void ws_stream_ring_finish(struct ws_device *device)
{
    for (uint32_t i = 0; i < WS_STREAM_RING; i++)
        clear(device, &device->submissions->ring.buffers[i]);
}
