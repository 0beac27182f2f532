/* A layer for tests, to stand below the one under test and above a driver that compiles for a device that is not there (Mesa's
 * RADV with RADV_FORCE_FAMILY). Such a driver makes pipelines as it would for the device, but has no addresses, forgets what is
 * written to its memory, and crashes when work is submitted. Here buffers have addresses, memory is the host's, and what is
 * submitted ends at once without having run. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "tests/device/layer/link.h"

/* Of the one instance and the one device that a program makes. */
static VkInstance the_instance;
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static PFN_vkAllocateMemory next_allocate;
static PFN_vkFreeMemory next_free;
static PFN_vkGetBufferMemoryRequirements next_buffer_requirements;
static PFN_vkGetBufferMemoryRequirements2 next_buffer_requirements2;
static PFN_vkGetDeviceBufferMemoryRequirements next_buffer_requirements3;

/* The bytes of memory, in place of the driver's. */
struct memory {
    struct memory *next;
    VkDeviceMemory handle;
    size_t size;
    void *bytes; /* NULL until it is mapped */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *memories;

static struct memory **find_memory(VkDeviceMemory handle)
{
    struct memory **at = &memories;
    while (*at != NULL && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *handle)
{
    struct memory *memory = calloc(1, sizeof(*memory));
    if (memory == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = next_allocate(device, info, allocator, handle);
    if (result != VK_SUCCESS) {
        free(memory);
        return result;
    }
    pthread_mutex_lock(&lock);
    *memory = (struct memory){.next = memories, .handle = *handle, .size = (size_t)info->allocationSize};
    memories = memory;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory handle,
                                              const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&lock);
    struct memory **at = find_memory(handle), *memory = *at;
    if (memory != NULL) {
        *at = memory->next;
        free(memory->bytes);
        free(memory);
    }
    pthread_mutex_unlock(&lock);
    next_free(device, handle, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory handle, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    (void)device, (void)size, (void)flags;
    pthread_mutex_lock(&lock);
    struct memory *memory = *find_memory(handle);
    if (memory != NULL && memory->bytes == NULL)
        memory->bytes = calloc(1, memory->size);
    unsigned char *bytes = memory != NULL ? memory->bytes : NULL;
    pthread_mutex_unlock(&lock);
    if (bytes == NULL)
        return VK_ERROR_MEMORY_MAP_FAILED;
    *data = bytes + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice device, VkDeviceMemory handle)
{
    (void)device, (void)handle;
}

/* One kind of memory for everything: a driver without a device has none to offer. */
static void offer_memory(VkPhysicalDeviceMemoryProperties *properties)
{
    *properties = (VkPhysicalDeviceMemoryProperties){
        .memoryTypeCount = 1,
        .memoryTypes = {{.propertyFlags =
                             VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT}},
        .memoryHeapCount = 1,
        .memoryHeaps = {{.size = (VkDeviceSize)8 << 30, .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
    };
}

static VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice physical,
                                                    VkPhysicalDeviceMemoryProperties *properties)
{
    (void)physical;
    offer_memory(properties);
}

static VKAPI_ATTR void VKAPI_CALL memory_properties2(VkPhysicalDevice physical,
                                                     VkPhysicalDeviceMemoryProperties2 *properties)
{
    (void)physical;
    offer_memory(&properties->memoryProperties);
}

static VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice device, VkBuffer buffer,
                                                      VkMemoryRequirements *requirements)
{
    next_buffer_requirements(device, buffer, requirements);
    requirements->memoryTypeBits = 1;
}

static VKAPI_ATTR void VKAPI_CALL buffer_requirements2(VkDevice device,
                                                       const VkBufferMemoryRequirementsInfo2 *info,
                                                       VkMemoryRequirements2 *requirements)
{
    next_buffer_requirements2(device, info, requirements);
    requirements->memoryRequirements.memoryTypeBits = 1;
}

static VKAPI_ATTR void VKAPI_CALL buffer_requirements3(VkDevice device,
                                                       const VkDeviceBufferMemoryRequirements *info,
                                                       VkMemoryRequirements2 *requirements)
{
    next_buffer_requirements3(device, info, requirements);
    requirements->memoryRequirements.memoryTypeBits = 1;
}

/* Images, and what is made of them, are but names: the driver lays images out by a library that asks the device. So
 * descriptors of them cannot be written, and no descriptor is. */
static uint64_t new_name(void)
{
    static _Atomic uint64_t names;
    return atomic_fetch_add(&names, 1) + 1;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkImage *image)
{
    (void)device, (void)info, (void)allocator;
    *image = (VkImage)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                                const VkAllocationCallbacks *allocator)
{
    (void)device, (void)image, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_view(VkDevice device, const VkImageViewCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImageView *view)
{
    (void)device, (void)info, (void)allocator;
    *view = (VkImageView)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_view(VkDevice device, VkImageView view,
                                               const VkAllocationCallbacks *allocator)
{
    (void)device, (void)view, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_framebuffer(VkDevice device, const VkFramebufferCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkFramebuffer *framebuffer)
{
    (void)device, (void)info, (void)allocator;
    *framebuffer = (VkFramebuffer)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_framebuffer(VkDevice device, VkFramebuffer framebuffer,
                                                      const VkAllocationCallbacks *allocator)
{
    (void)device, (void)framebuffer, (void)allocator;
}

static VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice device, VkImage image,
                                                     VkMemoryRequirements *requirements)
{
    (void)device, (void)image;
    *requirements =
        (VkMemoryRequirements){.size = (VkDeviceSize)64 << 20, .alignment = 256, .memoryTypeBits = 1};
}

static VKAPI_ATTR void VKAPI_CALL image_requirements2(VkDevice device,
                                                      const VkImageMemoryRequirementsInfo2 *info,
                                                      VkMemoryRequirements2 *requirements)
{
    image_requirements(device, info->image, &requirements->memoryRequirements);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image, VkDeviceMemory memory,
                                                 VkDeviceSize offset)
{
    (void)device, (void)image, (void)memory, (void)offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_images(VkDevice device, uint32_t count,
                                                  const VkBindImageMemoryInfo *infos)
{
    (void)device, (void)count, (void)infos;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL image_layout(VkDevice device, VkImage image,
                                               const VkImageSubresource *subresource,
                                               VkSubresourceLayout *layout)
{
    (void)device, (void)image, (void)subresource;
    *layout = (VkSubresourceLayout){
        .size = 1 << 20, .rowPitch = 1 << 12, .arrayPitch = 1 << 20, .depthPitch = 1 << 20};
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice device, uint32_t write_count,
                                              const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                              const VkCopyDescriptorSet *copies)
{
    (void)device, (void)write_count, (void)writes, (void)copy_count, (void)copies;
}

static VKAPI_ATTR void VKAPI_CALL update_set_by_template(VkDevice device, VkDescriptorSet set,
                                                         VkDescriptorUpdateTemplate update, const void *data)
{
    (void)device, (void)set, (void)update, (void)data;
}

/* What would be waited for is a name too. */
static VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice device, const VkFenceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkFence *fence)
{
    (void)device, (void)info, (void)allocator;
    *fence = (VkFence)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_fence(VkDevice device, VkFence fence,
                                                const VkAllocationCallbacks *allocator)
{
    (void)device, (void)fence, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_fences(VkDevice device, uint32_t count, const VkFence *fences)
{
    (void)device, (void)count, (void)fences;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *semaphore)
{
    (void)device, (void)info, (void)allocator;
    *semaphore = (VkSemaphore)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice device, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)device, (void)semaphore, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL signal_semaphore(VkDevice device, const VkSemaphoreSignalInfo *info)
{
    (void)device, (void)info;
    return VK_SUCCESS;
}

/* A swapchain has three images, which are shown nowhere. */
static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSwapchainKHR *swapchain)
{
    (void)device, (void)info, (void)allocator;
    *swapchain = (VkSwapchainKHR)(uintptr_t)new_name();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_swapchain(VkDevice device, VkSwapchainKHR swapchain,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)device, (void)swapchain, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL swapchain_images(VkDevice device, VkSwapchainKHR swapchain,
                                                       uint32_t *count, VkImage *images)
{
    (void)device, (void)swapchain;
    for (uint32_t i = 0; images != NULL && i < *count; i++)
        images[i] = (VkImage)(uintptr_t)new_name();
    if (images == NULL)
        *count = 3;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL acquire_image(VkDevice device, VkSwapchainKHR swapchain,
                                                    uint64_t timeout, VkSemaphore semaphore, VkFence fence,
                                                    uint32_t *index)
{
    (void)device, (void)swapchain, (void)timeout, (void)semaphore, (void)fence;
    *index = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    (void)queue, (void)info;
    return VK_SUCCESS;
}

/* Addresses that no two objects share: nothing is ever read or written there. */
static VKAPI_ATTR VkDeviceAddress VKAPI_CALL buffer_address(VkDevice device,
                                                            const VkBufferDeviceAddressInfo *info)
{
    (void)device;
    return (VkDeviceAddress)(uintptr_t)info->buffer << 8;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL
structure_address(VkDevice device, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
    (void)device;
    return (VkDeviceAddress)(uintptr_t)info->accelerationStructure << 8;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                   VkFence fence)
{
    (void)queue, (void)count, (void)submits, (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit2(VkQueue queue, uint32_t count,
                                                    const VkSubmitInfo2 *submits, VkFence fence)
{
    (void)queue, (void)count, (void)submits, (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_wait_idle(VkQueue queue)
{
    (void)queue;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device)
{
    (void)device;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    (void)device, (void)count, (void)fences, (void)all, (void)timeout;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence)
{
    (void)device, (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                      uint64_t timeout)
{
    (void)device, (void)info, (void)timeout;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL semaphore_value(VkDevice device, VkSemaphore semaphore, uint64_t *value)
{
    (void)device, (void)semaphore;
    *value = UINT64_MAX;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL query_results(VkDevice device, VkQueryPool pool, uint32_t first,
                                                    uint32_t count, size_t size, void *data,
                                                    VkDeviceSize stride, VkQueryResultFlags flags)
{
    (void)device, (void)pool, (void)first, (void)count, (void)stride, (void)flags;
    memset(data, 0, size);
    return VK_SUCCESS;
}

/* vkCmd*: all return nothing, and whoever calls gives its arguments room. */
static VKAPI_ATTR void VKAPI_CALL command(void)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL begin_commands(VkCommandBuffer commands,
                                                     const VkCommandBufferBeginInfo *info)
{
    (void)commands, (void)info;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL end_commands(VkCommandBuffer commands)
{
    (void)commands;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_commands(VkCommandBuffer commands,
                                                     VkCommandBufferResetFlags flags)
{
    (void)commands, (void)flags;
    return VK_SUCCESS;
}

/* Command buffers stay until the program ends. */
static VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice device, VkCommandPool pool, uint32_t count,
                                                const VkCommandBuffer *commands)
{
    (void)device, (void)pool, (void)count, (void)commands;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkCommandPool pool,
                                               const VkAllocationCallbacks *allocator)
{
    (void)device, (void)pool, (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice device, VkCommandPool pool,
                                                 VkCommandPoolResetFlags flags)
{
    (void)device, (void)pool, (void)flags;
    return VK_SUCCESS;
}

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} functions[] = {
    {"vkAllocateMemory", (PFN_vkVoidFunction)allocate_memory},
    {"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
    {"vkMapMemory", (PFN_vkVoidFunction)map_memory},
    {"vkUnmapMemory", (PFN_vkVoidFunction)unmap_memory},
    {"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)buffer_requirements},
    {"vkGetBufferMemoryRequirements2", (PFN_vkVoidFunction)buffer_requirements2},
    {"vkGetBufferMemoryRequirements2KHR", (PFN_vkVoidFunction)buffer_requirements2},
    {"vkGetDeviceBufferMemoryRequirements", (PFN_vkVoidFunction)buffer_requirements3},
    {"vkGetDeviceBufferMemoryRequirementsKHR", (PFN_vkVoidFunction)buffer_requirements3},
    {"vkGetImageMemoryRequirements", (PFN_vkVoidFunction)image_requirements},
    {"vkGetImageMemoryRequirements2", (PFN_vkVoidFunction)image_requirements2},
    {"vkGetImageMemoryRequirements2KHR", (PFN_vkVoidFunction)image_requirements2},
    {"vkCreateImage", (PFN_vkVoidFunction)create_image},
    {"vkDestroyImage", (PFN_vkVoidFunction)destroy_image},
    {"vkCreateImageView", (PFN_vkVoidFunction)create_view},
    {"vkDestroyImageView", (PFN_vkVoidFunction)destroy_view},
    {"vkCreateFramebuffer", (PFN_vkVoidFunction)create_framebuffer},
    {"vkDestroyFramebuffer", (PFN_vkVoidFunction)destroy_framebuffer},
    {"vkBindImageMemory", (PFN_vkVoidFunction)bind_image},
    {"vkBindImageMemory2", (PFN_vkVoidFunction)bind_images},
    {"vkBindImageMemory2KHR", (PFN_vkVoidFunction)bind_images},
    {"vkGetImageSubresourceLayout", (PFN_vkVoidFunction)image_layout},
    {"vkUpdateDescriptorSets", (PFN_vkVoidFunction)update_sets},
    {"vkUpdateDescriptorSetWithTemplate", (PFN_vkVoidFunction)update_set_by_template},
    {"vkUpdateDescriptorSetWithTemplateKHR", (PFN_vkVoidFunction)update_set_by_template},
    {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
    {"vkDestroySwapchainKHR", (PFN_vkVoidFunction)destroy_swapchain},
    {"vkGetSwapchainImagesKHR", (PFN_vkVoidFunction)swapchain_images},
    {"vkAcquireNextImageKHR", (PFN_vkVoidFunction)acquire_image},
    {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
    {"vkGetBufferDeviceAddress", (PFN_vkVoidFunction)buffer_address},
    {"vkGetBufferDeviceAddressKHR", (PFN_vkVoidFunction)buffer_address},
    {"vkGetBufferDeviceAddressEXT", (PFN_vkVoidFunction)buffer_address},
    {"vkGetAccelerationStructureDeviceAddressKHR", (PFN_vkVoidFunction)structure_address},
    {"vkBeginCommandBuffer", (PFN_vkVoidFunction)begin_commands},
    {"vkEndCommandBuffer", (PFN_vkVoidFunction)end_commands},
    {"vkResetCommandBuffer", (PFN_vkVoidFunction)reset_commands},
    {"vkFreeCommandBuffers", (PFN_vkVoidFunction)free_commands},
    {"vkDestroyCommandPool", (PFN_vkVoidFunction)destroy_pool},
    {"vkResetCommandPool", (PFN_vkVoidFunction)reset_pool},
    {"vkQueueSubmit", (PFN_vkVoidFunction)queue_submit},
    {"vkQueueSubmit2", (PFN_vkVoidFunction)queue_submit2},
    {"vkQueueSubmit2KHR", (PFN_vkVoidFunction)queue_submit2},
    {"vkQueueWaitIdle", (PFN_vkVoidFunction)queue_wait_idle},
    {"vkDeviceWaitIdle", (PFN_vkVoidFunction)device_wait_idle},
    {"vkCreateFence", (PFN_vkVoidFunction)create_fence},
    {"vkDestroyFence", (PFN_vkVoidFunction)destroy_fence},
    {"vkResetFences", (PFN_vkVoidFunction)reset_fences},
    {"vkCreateSemaphore", (PFN_vkVoidFunction)create_semaphore},
    {"vkDestroySemaphore", (PFN_vkVoidFunction)destroy_semaphore},
    {"vkSignalSemaphore", (PFN_vkVoidFunction)signal_semaphore},
    {"vkSignalSemaphoreKHR", (PFN_vkVoidFunction)signal_semaphore},
    {"vkWaitForFences", (PFN_vkVoidFunction)wait_for_fences},
    {"vkGetFenceStatus", (PFN_vkVoidFunction)fence_status},
    {"vkWaitSemaphores", (PFN_vkVoidFunction)wait_semaphores},
    {"vkWaitSemaphoresKHR", (PFN_vkVoidFunction)wait_semaphores},
    {"vkGetSemaphoreCounterValue", (PFN_vkVoidFunction)semaphore_value},
    {"vkGetSemaphoreCounterValueKHR", (PFN_vkVoidFunction)semaphore_value},
    {"vkGetQueryPoolResults", (PFN_vkVoidFunction)query_results},
};

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance)
{
    next_instance = take_instance_link(info);
    if (next_instance == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance(VK_NULL_HANDLE, "vkCreateInstance");
    const VkResult result = create(info, allocator, instance);
    the_instance = result == VK_SUCCESS ? *instance : VK_NULL_HANDLE;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device)
{
    next_device = take_device_link(info);
    if (next_device == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next_instance(the_instance, "vkCreateDevice");
    const VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS)
        return result;
    next_allocate = (PFN_vkAllocateMemory)next_device(*device, "vkAllocateMemory");
    next_free = (PFN_vkFreeMemory)next_device(*device, "vkFreeMemory");
    next_buffer_requirements =
        (PFN_vkGetBufferMemoryRequirements)next_device(*device, "vkGetBufferMemoryRequirements");
    next_buffer_requirements2 =
        (PFN_vkGetBufferMemoryRequirements2)next_device(*device, "vkGetBufferMemoryRequirements2");
    next_buffer_requirements3 =
        (PFN_vkGetDeviceBufferMemoryRequirements)next_device(*device, "vkGetDeviceBufferMemoryRequirements");
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL get_device_address(VkDevice device, const char *name)
{
    PFN_vkVoidFunction below = next_device(device, name);
    for (size_t i = 0; below != NULL && i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return below != NULL && strncmp(name, "vkCmd", strlen("vkCmd")) == 0 ? (PFN_vkVoidFunction)command
                                                                         : below;
}

static PFN_vkVoidFunction VKAPI_CALL get_instance_address(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_instance_address;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_address;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)create_device;
    if (strcmp(name, "vkGetPhysicalDeviceMemoryProperties") == 0)
        return (PFN_vkVoidFunction)memory_properties;
    if (strcmp(name, "vkGetPhysicalDeviceMemoryProperties2") == 0 ||
        strcmp(name, "vkGetPhysicalDeviceMemoryProperties2KHR") == 0)
        return (PFN_vkVoidFunction)memory_properties2;
    return next_instance != NULL ? next_instance(instance, name) : NULL;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get_instance_address;
    interface->pfnGetDeviceProcAddr = get_device_address;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
