/* A Vulkan device with one queue, as the examples and the device tests need it: headless, one thread.
 *
 * Functions that can fail take a `struct ws_error *` (warpscope/error.h) and return false or NULL. Create
 * and destroy calls pair up; every destroy accepts what was never created. Nothing here is thread-safe:
 * volk's functions are loaded for one device at a time. */
#ifndef WS_EXAMPLES_BASE_GPU_H
#define WS_EXAMPLES_BASE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <volk.h>

#include "warpscope/error.h"

/* What a program cannot do without; a device that lacks one is not chosen. */
enum ws_gpu_need {
    WS_GPU_RAY_TRACING = 1u << 0,       /* ray-tracing pipelines, acceleration structures, device addresses */
    WS_GPU_DYNAMIC_RENDERING = 1u << 1, /* VK_KHR_dynamic_rendering */
    WS_GPU_FRAGMENT_STORES = 1u << 2,   /* fragmentStoresAndAtomics */
    WS_GPU_VERTEX_STORES = 1u << 3,     /* vertexPipelineStoresAndAtomics */
    WS_GPU_RAY_QUERY = 1u << 4,         /* ray queries; with WS_GPU_RAY_TRACING */
    WS_GPU_INT64_ATOMICS =
        1u << 5, /* 64-bit integers, and their atomics in buffers; with WS_GPU_RAY_TRACING */
    WS_GPU_VARIABLE_POINTERS = 1u << 6, /* variablePointers, of buffers and Workgroup memory */
    /* imageCubeArray, textureCompressionBC, shaderStorageImageReadWithoutFormat and -WriteWithoutFormat */
    WS_GPU_IMAGES = 1u << 7,
};

struct ws_gpu_request {
    const char *application; /* name given to Vulkan */
    uint32_t needs;          /* mask of ws_gpu_need */
    VkQueueFlags queue;      /* what the queue must do: VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT */
    const char *device;      /* part of the wanted device's name, any case; NULL = the first that fits */
};

struct ws_gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    VkCommandPool pool;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t subgroup_size;
    bool debug_utils;                                            /* labels and names are possible */
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR ray_tracing; /* zero without WS_GPU_RAY_TRACING */
    uint32_t scratch_alignment; /* minAccelerationStructureScratchOffsetAlignment */
};

enum ws_gpu_status {
    WS_GPU_READY,
    WS_GPU_FAILED, /* something went wrong */
    WS_GPU_UNFIT,  /* there is no Vulkan, or no device that has all that is needed */
};

/* Makes instance, device, queue and command pool. On any status but WS_GPU_READY `error` says why, for an
 * unfit device with the name of what it lacks, and `gpu` holds nothing. */
enum ws_gpu_status ws_gpu_init(struct ws_gpu *gpu, const struct ws_gpu_request *request,
                               struct ws_error *error);

/* Waits for the device and destroys all that ws_gpu_init made. A zeroed `gpu` is accepted. */
void ws_gpu_finish(struct ws_gpu *gpu);

/* True when `result` is VK_SUCCESS; else sets `error` to "<what>: <name of the result>". */
bool ws_gpu_check(VkResult result, const char *what, struct ws_error *error);

/* A command buffer that has begun, to be used once. NULL on failure. */
VkCommandBuffer ws_gpu_begin(struct ws_gpu *gpu, struct ws_error *error);

/* Ends `commands`, submits them, waits until they are done and frees them; frees them on failure too. */
bool ws_gpu_submit(struct ws_gpu *gpu, VkCommandBuffer commands, struct ws_error *error);

/* Opens and closes a debug-utils label in a command buffer; nothing where that extension is not there. */
void ws_gpu_label(struct ws_gpu *gpu, VkCommandBuffer commands, const char *name);
void ws_gpu_label_end(struct ws_gpu *gpu, VkCommandBuffer commands);

/* Names an object for debuggers; nothing where VK_EXT_debug_utils is not there. */
void ws_gpu_name(struct ws_gpu *gpu, VkObjectType type, uint64_t handle, const char *name);

/* A barrier from everything written before to everything read or written after. */
void ws_gpu_barrier(VkCommandBuffer commands);

#endif
