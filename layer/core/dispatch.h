/* The functions of the next layer. The lists of names below make the table of pointers, the code that fills
 * it, and the map of aliases. To call one more function of the next layer, add its name to a list; nothing
 * else is needed. A table does not change once it is loaded, so all threads may call by it. */
#ifndef WS_LAYER_CORE_DISPATCH_H
#define WS_LAYER_CORE_DISPATCH_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/core/vulkan_newer.h"

/* Functions of an instance or a physical device, without their `vk`. */
#define WS_INSTANCE_FUNCTIONS(X)                                                                             \
    X(DestroyInstance)                                                                                       \
    X(EnumerateDeviceExtensionProperties)                                                                    \
    X(GetPhysicalDeviceFeatures2)                                                                            \
    X(GetPhysicalDeviceImageFormatProperties)                                                                \
    X(GetPhysicalDeviceMemoryProperties)                                                                     \
    X(GetPhysicalDeviceProperties)                                                                           \
    X(GetPhysicalDeviceProperties2)                                                                          \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                                \
    X(GetPhysicalDeviceSurfaceCapabilitiesKHR)                                                               \
    X(GetPhysicalDeviceToolProperties)                                                                       \
    X(CreateDebugUtilsMessengerEXT)                                                                          \
    X(DestroyDebugUtilsMessengerEXT)

/* Functions of a device, a queue or a command buffer, without their `vk`. */
#define WS_DEVICE_FUNCTIONS(X)                                                                               \
    WS_DEVICE_OBJECT_FUNCTIONS(X)                                                                            \
    WS_DEVICE_QUEUE_FUNCTIONS(X)                                                                             \
    WS_DEVICE_COMMAND_FUNCTIONS(X)                                                                           \
    WS_DEVICE_DRAW_FUNCTIONS(X)

#define WS_DEVICE_OBJECT_FUNCTIONS(X)                                                                        \
    X(DestroyDevice)                                                                                         \
    X(AllocateMemory)                                                                                        \
    X(FreeMemory)                                                                                            \
    X(MapMemory)                                                                                             \
    X(InvalidateMappedMemoryRanges)                                                                          \
    X(CreateBuffer)                                                                                          \
    X(DestroyBuffer)                                                                                         \
    X(BindBufferMemory)                                                                                      \
    X(BindBufferMemory2)                                                                                     \
    X(BindImageMemory)                                                                                       \
    X(BindImageMemory2)                                                                                      \
    X(GetImageMemoryRequirements)                                                                            \
    X(CreateBufferView)                                                                                      \
    X(CreateSampler)                                                                                         \
    X(DestroySampler)                                                                                        \
    X(DestroyBufferView)                                                                                     \
    X(CreatePipelineLayout)                                                                                  \
    X(DestroyPipelineLayout)                                                                                 \
    X(GetBufferMemoryRequirements)                                                                           \
    X(GetDeviceBufferMemoryRequirements)                                                                     \
    X(CreateImage)                                                                                           \
    X(DestroyImage)                                                                                          \
    X(GetDeviceImageMemoryRequirements)                                                                      \
    X(CreateImageView)                                                                                       \
    X(DestroyImageView)                                                                                      \
    X(CreateSwapchainKHR)                                                                                    \
    X(DestroySwapchainKHR)                                                                                   \
    X(GetSwapchainImagesKHR)                                                                                 \
    X(CreateDescriptorSetLayout)                                                                             \
    X(DestroyDescriptorSetLayout)                                                                            \
    X(CreateDescriptorPool)                                                                                  \
    X(DestroyDescriptorPool)                                                                                 \
    X(ResetDescriptorPool)                                                                                   \
    X(AllocateDescriptorSets)                                                                                \
    X(FreeDescriptorSets)                                                                                    \
    X(UpdateDescriptorSets)                                                                                  \
    X(CreateDescriptorUpdateTemplate)                                                                        \
    X(DestroyDescriptorUpdateTemplate)                                                                       \
    X(UpdateDescriptorSetWithTemplate)                                                                       \
    X(GetBufferDeviceAddress)                                                                                \
    X(GetBufferOpaqueCaptureAddress)                                                                         \
    X(GetDeviceMemoryOpaqueCaptureAddress)                                                                   \
    X(GetMemoryHostPointerPropertiesEXT)                                                                     \
    X(CreateFence)                                                                                           \
    X(DestroyFence)                                                                                          \
    X(ResetFences)                                                                                           \
    X(GetFenceStatus)                                                                                        \
    X(WaitForFences)                                                                                         \
    X(ImportFenceFdKHR)                                                                                      \
    X(CreateSemaphore)                                                                                       \
    X(DestroySemaphore)                                                                                      \
    X(ImportSemaphoreFdKHR)                                                                                  \
    X(GetSemaphoreCounterValue)                                                                              \
    X(WaitSemaphores)                                                                                        \
    X(CreateQueryPool)                                                                                       \
    X(DestroyQueryPool)                                                                                      \
    X(CreateShaderModule)                                                                                    \
    X(DestroyShaderModule)                                                                                   \
    X(CreateComputePipelines)                                                                                \
    X(CreateGraphicsPipelines)                                                                               \
    X(CreateRayTracingPipelinesKHR)                                                                          \
    X(CreateRayTracingPipelinesNV)                                                                           \
    X(GetRayTracingShaderGroupHandlesKHR)                                                                    \
    X(DestroyPipeline)                                                                                       \
    X(CreateShadersEXT)                                                                                      \
    X(CreateAccelerationStructureKHR)                                                                        \
    X(CreateAccelerationStructure2KHR)                                                                       \
    X(DestroyAccelerationStructureKHR)                                                                       \
    X(GetAccelerationStructureDeviceAddressKHR)                                                              \
    X(BuildAccelerationStructuresKHR)                                                                        \
    X(CopyAccelerationStructureKHR)                                                                          \
    X(CopyAccelerationStructureToMemoryKHR)                                                                  \
    X(CopyMemoryToAccelerationStructureKHR)                                                                  \
    X(CreateAccelerationStructureNV)                                                                         \
    X(CreateMicromapEXT)                                                                                     \
    X(DestroyMicromapEXT)                                                                                    \
    X(BuildMicromapsEXT)                                                                                     \
    X(CopyMicromapEXT)                                                                                       \
    X(CopyMemoryToMicromapEXT)                                                                               \
    X(DestroyShaderEXT)                                                                                      \
    X(GetShaderBinaryDataEXT)                                                                                \
    X(CreateIndirectExecutionSetEXT)                                                                         \
    X(DestroyIndirectExecutionSetEXT)                                                                        \
    X(UpdateIndirectExecutionSetPipelineEXT)                                                                 \
    X(UpdateIndirectExecutionSetShaderEXT)                                                                   \
    X(CreateIndirectCommandsLayoutNV)                                                                        \
    X(DestroyIndirectCommandsLayoutNV)                                                                       \
    X(DestroyDeferredOperationKHR)                                                                           \
    X(DeferredOperationJoinKHR)                                                                              \
    X(GetDeferredOperationResultKHR)                                                                         \
    X(CreateFramebuffer)                                                                                     \
    X(DestroyFramebuffer)                                                                                    \
    X(SetDebugUtilsObjectNameEXT)                                                                            \
    X(DebugMarkerSetObjectNameEXT)

#define WS_DEVICE_QUEUE_FUNCTIONS(X)                                                                         \
    X(GetDeviceQueue)                                                                                        \
    X(GetDeviceQueue2)                                                                                       \
    X(QueueSubmit)                                                                                           \
    X(QueueSubmit2)                                                                                          \
    X(QueueBindSparse)                                                                                       \
    X(QueuePresentKHR)                                                                                       \
    X(QueueWaitIdle)                                                                                         \
    X(DeviceWaitIdle)                                                                                        \
    X(QueueBeginDebugUtilsLabelEXT)                                                                          \
    X(QueueEndDebugUtilsLabelEXT)                                                                            \
    X(CreateCommandPool)                                                                                     \
    X(DestroyCommandPool)                                                                                    \
    X(ResetCommandPool)                                                                                      \
    X(AllocateCommandBuffers)                                                                                \
    X(FreeCommandBuffers)                                                                                    \
    X(BeginCommandBuffer)                                                                                    \
    X(EndCommandBuffer)                                                                                      \
    X(ResetCommandBuffer)

#define WS_DEVICE_COMMAND_FUNCTIONS(X)                                                                       \
    X(CmdBindPipeline)                                                                                       \
    X(CmdBindPipelineShaderGroupNV)                                                                          \
    X(CmdBindDescriptorSets)                                                                                 \
    X(CmdBindDescriptorSets2KHR)                                                                             \
    X(CmdPushDescriptorSetKHR)                                                                               \
    X(CmdPushDescriptorSet2KHR)                                                                              \
    X(CmdPushDescriptorSetWithTemplateKHR)                                                                   \
    X(CmdPushDescriptorSetWithTemplate2KHR)                                                                  \
    X(CmdBindDescriptorBuffersEXT)                                                                           \
    X(CmdBindResourceHeapEXT)                                                                                \
    X(CmdCopyImageToBuffer)                                                                                  \
    X(CmdBindShadersEXT)                                                                                     \
    X(CmdPipelineBarrier)                                                                                    \
    X(CmdWaitEvents)                                                                                         \
    X(CmdWaitEvents2)                                                                                        \
    X(CmdCopyBuffer)                                                                                         \
    X(CmdFillBuffer)                                                                                         \
    X(CmdResetQueryPool)                                                                                     \
    X(CmdWriteTimestamp)                                                                                     \
    X(CmdCopyQueryPoolResults)                                                                               \
    X(CmdUpdateBuffer)                                                                                       \
    X(CmdExecuteCommands)                                                                                    \
    X(CmdDispatch)                                                                                           \
    X(CmdDispatchBase)                                                                                       \
    X(CmdDispatchIndirect)                                                                                   \
    X(CmdDispatchIndirect2KHR)                                                                               \
    X(CmdDispatchTileQCOM)                                                                                   \
    X(CmdDispatchGraphAMDX)                                                                                  \
    X(CmdDispatchGraphIndirectAMDX)                                                                          \
    X(CmdDispatchGraphIndirectCountAMDX)                                                                     \
    X(CmdDispatchDataGraphARM)                                                                               \
    X(CmdCuLaunchKernelNVX)                                                                                  \
    X(CmdCudaLaunchKernelNV)                                                                                 \
    X(CmdBuildAccelerationStructuresKHR)                                                                     \
    X(CmdBuildAccelerationStructuresIndirectKHR)                                                             \
    X(CmdBuildAccelerationStructureNV)                                                                       \
    X(CmdBuildClusterAccelerationStructureIndirectNV)                                                        \
    X(CmdBuildPartitionedAccelerationStructuresNV)                                                           \
    X(CmdTraceRaysKHR)                                                                                       \
    X(CmdTraceRaysIndirectKHR)                                                                               \
    X(CmdTraceRaysIndirect2KHR)                                                                              \
    X(CmdTraceRaysNV)                                                                                        \
    X(CmdCopyAccelerationStructureKHR)                                                                       \
    X(CmdCopyAccelerationStructureToMemoryKHR)                                                               \
    X(CmdCopyMemoryToAccelerationStructureKHR)                                                               \
    X(CmdBuildMicromapsEXT)                                                                                  \
    X(CmdCopyMicromapEXT)                                                                                    \
    X(CmdCopyMemoryToMicromapEXT)                                                                            \
    X(CmdExecuteGeneratedCommandsNV)                                                                         \
    X(CmdExecuteGeneratedCommandsEXT)                                                                        \
    X(CmdBeginDebugUtilsLabelEXT)                                                                            \
    X(CmdEndDebugUtilsLabelEXT)                                                                              \
    X(CmdDebugMarkerBeginEXT)                                                                                \
    X(CmdDebugMarkerEndEXT)

#define WS_DEVICE_DRAW_FUNCTIONS(X)                                                                          \
    X(CmdBeginRenderPass)                                                                                    \
    X(CmdBeginRenderPass2)                                                                                   \
    X(CmdEndRenderPass)                                                                                      \
    X(CmdEndRenderPass2)                                                                                     \
    X(CmdBeginRendering)                                                                                     \
    X(CmdEndRendering)                                                                                       \
    X(CmdEndRendering2EXT)                                                                                   \
    X(CmdDraw)                                                                                               \
    X(CmdDrawIndexed)                                                                                        \
    X(CmdDrawIndirect)                                                                                       \
    X(CmdDrawIndexedIndirect)                                                                                \
    X(CmdDrawIndirectCount)                                                                                  \
    X(CmdDrawIndexedIndirectCount)                                                                           \
    X(CmdDrawIndirectByteCountEXT)                                                                           \
    X(CmdDrawIndirectByteCount2EXT)                                                                          \
    X(CmdDrawIndirect2KHR)                                                                                   \
    X(CmdDrawIndexedIndirect2KHR)                                                                            \
    X(CmdDrawIndirectCount2KHR)                                                                              \
    X(CmdDrawIndexedIndirectCount2KHR)                                                                       \
    X(CmdDrawMeshTasksIndirect2EXT)                                                                          \
    X(CmdDrawMeshTasksIndirectCount2EXT)                                                                     \
    X(CmdDrawMultiEXT)                                                                                       \
    X(CmdDrawMultiIndexedEXT)                                                                                \
    X(CmdDrawMeshTasksEXT)                                                                                   \
    X(CmdDrawMeshTasksIndirectEXT)                                                                           \
    X(CmdDrawMeshTasksIndirectCountEXT)                                                                      \
    X(CmdDrawMeshTasksNV)                                                                                    \
    X(CmdDrawMeshTasksIndirectNV)                                                                            \
    X(CmdDrawMeshTasksIndirectCountNV)                                                                       \
    X(CmdDrawClusterHUAWEI)                                                                                  \
    X(CmdDrawClusterIndirectHUAWEI)                                                                          \
    X(CmdSubpassShadingHUAWEI)

/* Functions that also have an older name with the same signature. A hook of the first name serves the second
 * too, and the next layer's function is loaded under whichever name it has. */
#define WS_ALIASES(X)                                                                                        \
    X(GetPhysicalDeviceFeatures2, GetPhysicalDeviceFeatures2KHR)                                             \
    X(GetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2KHR)                                         \
    X(GetPhysicalDeviceToolProperties, GetPhysicalDeviceToolPropertiesEXT)                                   \
    X(GetDeviceBufferMemoryRequirements, GetDeviceBufferMemoryRequirementsKHR)                               \
    X(GetDeviceImageMemoryRequirements, GetDeviceImageMemoryRequirementsKHR)                                 \
    X(CreateDescriptorUpdateTemplate, CreateDescriptorUpdateTemplateKHR)                                     \
    X(DestroyDescriptorUpdateTemplate, DestroyDescriptorUpdateTemplateKHR)                                   \
    X(UpdateDescriptorSetWithTemplate, UpdateDescriptorSetWithTemplateKHR)                                   \
    X(CmdBindDescriptorSets2KHR, CmdBindDescriptorSets2)                                                     \
    X(CmdPushDescriptorSetKHR, CmdPushDescriptorSet)                                                         \
    X(CmdPushDescriptorSet2KHR, CmdPushDescriptorSet2)                                                       \
    X(CmdPushDescriptorSetWithTemplateKHR, CmdPushDescriptorSetWithTemplate)                                 \
    X(CmdPushDescriptorSetWithTemplate2KHR, CmdPushDescriptorSetWithTemplate2)                               \
    X(BindBufferMemory2, BindBufferMemory2KHR)                                                               \
    X(BindImageMemory2, BindImageMemory2KHR)                                                                 \
    X(GetBufferDeviceAddress, GetBufferDeviceAddressKHR)                                                     \
    X(GetBufferDeviceAddress, GetBufferDeviceAddressEXT)                                                     \
    X(GetBufferOpaqueCaptureAddress, GetBufferOpaqueCaptureAddressKHR)                                       \
    X(GetDeviceMemoryOpaqueCaptureAddress, GetDeviceMemoryOpaqueCaptureAddressKHR)                           \
    X(GetSemaphoreCounterValue, GetSemaphoreCounterValueKHR)                                                 \
    X(WaitSemaphores, WaitSemaphoresKHR)                                                                     \
    X(CmdWaitEvents2, CmdWaitEvents2KHR)                                                                     \
    X(QueueSubmit2, QueueSubmit2KHR)                                                                         \
    X(CmdDispatchBase, CmdDispatchBaseKHR)                                                                   \
    X(CmdBeginRenderPass2, CmdBeginRenderPass2KHR)                                                           \
    X(CmdEndRenderPass2, CmdEndRenderPass2KHR)                                                               \
    X(CmdBeginRendering, CmdBeginRenderingKHR)                                                               \
    X(CmdEndRendering, CmdEndRenderingKHR)                                                                   \
    X(CmdEndRendering2EXT, CmdEndRendering2KHR)                                                              \
    X(CmdDrawIndirectCount, CmdDrawIndirectCountKHR)                                                         \
    X(CmdDrawIndirectCount, CmdDrawIndirectCountAMD)                                                         \
    X(CmdDrawIndexedIndirectCount, CmdDrawIndexedIndirectCountKHR)                                           \
    X(CmdDrawIndexedIndirectCount, CmdDrawIndexedIndirectCountAMD)

/* Device functions of VK_EXT_debug_utils, an instance extension: the loader may take them from
 * vkGetInstanceProcAddr alone, and a driver may give them there alone. */
#define WS_DEBUG_UTILS_FUNCTIONS(X)                                                                          \
    X(SetDebugUtilsObjectNameEXT)                                                                            \
    X(QueueBeginDebugUtilsLabelEXT)                                                                          \
    X(QueueEndDebugUtilsLabelEXT)                                                                            \
    X(CmdBeginDebugUtilsLabelEXT)                                                                            \
    X(CmdEndDebugUtilsLabelEXT)

#define WS_MEMBER(name) PFN_vk##name name;

/* NULL where the next layer has no such function. */
struct ws_instance_dispatch {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    WS_INSTANCE_FUNCTIONS(WS_MEMBER)
};

struct ws_device_dispatch {
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    WS_DEVICE_FUNCTIONS(WS_MEMBER)
};

#undef WS_MEMBER

/* Fill a table from the next layer, under each function's own name or else an alias; those of debug-utils
 * from the next layer of the instance where the device's has none. */
void ws_instance_dispatch_load(struct ws_instance_dispatch *dispatch, VkInstance instance,
                               PFN_vkGetInstanceProcAddr next);
void ws_device_dispatch_load(struct ws_device_dispatch *dispatch, VkDevice device,
                             PFN_vkGetDeviceProcAddr next, VkInstance instance,
                             PFN_vkGetInstanceProcAddr instance_next);

/* Whether `name`, with `vk`, is one of WS_DEBUG_UTILS_FUNCTIONS. */
bool ws_dispatch_is_debug_utils(const char *name);

/* The name in the lists above, with `vk`, of the function that `name` is an alias of; else `name`. */
const char *ws_dispatch_canonical_name(const char *name);

#endif
