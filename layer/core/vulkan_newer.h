/* Declarations of Vulkan extensions that are newer than the oldest headers Warpscope is built with (1.3.239),
 * as newer headers declare them. Where the installed headers have an extension, its part is left out. */
#ifndef WS_LAYER_CORE_VULKAN_NEWER_H
#define WS_LAYER_CORE_VULKAN_NEWER_H

#include <vulkan/vulkan.h>

#ifndef VK_EXT_shader_object
#define VK_EXT_shader_object 1
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkShaderEXT)
#define VK_EXT_SHADER_OBJECT_EXTENSION_NAME                          "VK_EXT_shader_object"
#define VK_OBJECT_TYPE_SHADER_EXT                                    ((VkObjectType)1000482000)
#define VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT                     ((VkStructureType)1000482002)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT ((VkStructureType)1000482000)

typedef enum VkShaderCodeTypeEXT {
    VK_SHADER_CODE_TYPE_BINARY_EXT = 0,
    VK_SHADER_CODE_TYPE_SPIRV_EXT = 1,
    VK_SHADER_CODE_TYPE_MAX_ENUM_EXT = 0x7FFFFFFF
} VkShaderCodeTypeEXT;

typedef VkFlags VkShaderCreateFlagsEXT;
#define VK_SHADER_CREATE_LINK_STAGE_BIT_EXT 0x00000001

typedef struct VkShaderCreateInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkShaderCreateFlagsEXT flags;
    VkShaderStageFlagBits stage;
    VkShaderStageFlags nextStage;
    VkShaderCodeTypeEXT codeType;
    size_t codeSize;
    const void *pCode;
    const char *pName;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout *pSetLayouts;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange *pPushConstantRanges;
    const VkSpecializationInfo *pSpecializationInfo;
} VkShaderCreateInfoEXT;

typedef struct VkPhysicalDeviceShaderObjectFeaturesEXT {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderObject;
} VkPhysicalDeviceShaderObjectFeaturesEXT;

#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT ((VkStructureType)1000482001)
typedef struct VkPhysicalDeviceShaderObjectPropertiesEXT {
    VkStructureType sType;
    void *pNext;
    uint8_t shaderBinaryUUID[VK_UUID_SIZE];
    uint32_t shaderBinaryVersion;
} VkPhysicalDeviceShaderObjectPropertiesEXT;

typedef VkResult(VKAPI_PTR *PFN_vkCreateShadersEXT)(VkDevice device, uint32_t createInfoCount,
                                                    const VkShaderCreateInfoEXT *pCreateInfos,
                                                    const VkAllocationCallbacks *pAllocator,
                                                    VkShaderEXT *pShaders);
typedef void(VKAPI_PTR *PFN_vkDestroyShaderEXT)(VkDevice device, VkShaderEXT shader,
                                                const VkAllocationCallbacks *pAllocator);
typedef VkResult(VKAPI_PTR *PFN_vkGetShaderBinaryDataEXT)(VkDevice device, VkShaderEXT shader,
                                                          size_t *pDataSize, void *pData);
typedef void(VKAPI_PTR *PFN_vkCmdBindShadersEXT)(VkCommandBuffer commandBuffer, uint32_t stageCount,
                                                 const VkShaderStageFlagBits *pStages,
                                                 const VkShaderEXT *pShaders);
#endif

#ifndef VK_EXT_attachment_feedback_loop_dynamic_state
#define VK_EXT_attachment_feedback_loop_dynamic_state        1
#define VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT ((VkDynamicState)1000524000)
#endif

#ifndef VK_KHR_maintenance5
#define VK_KHR_maintenance5                                    1
#define VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR ((VkStructureType)1000470006)
typedef struct VkBufferUsageFlags2CreateInfoKHR {
    VkStructureType sType;
    const void *pNext;
    VkFlags64 usage;
} VkBufferUsageFlags2CreateInfoKHR;

#define VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR ((VkStructureType)1000470005)

typedef VkFlags64 VkPipelineCreateFlags2KHR;

typedef struct VkPipelineCreateFlags2CreateInfoKHR {
    VkStructureType sType;
    const void *pNext;
    VkPipelineCreateFlags2KHR flags;
} VkPipelineCreateFlags2CreateInfoKHR;
#endif

#ifndef VK_KHR_pipeline_binary
#define VK_KHR_pipeline_binary                     1
#define VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR ((VkStructureType)1000483002)
#define VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR  0x80000000ULL
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkPipelineBinaryKHR)

typedef struct VkPipelineBinaryInfoKHR {
    VkStructureType sType;
    const void *pNext;
    uint32_t binaryCount;
    const VkPipelineBinaryKHR *pPipelineBinaries;
} VkPipelineBinaryInfoKHR;
#endif

#ifndef VK_EXT_layer_settings
#define VK_EXT_layer_settings                            1
#define VK_EXT_LAYER_SETTINGS_SPEC_VERSION               2
#define VK_EXT_LAYER_SETTINGS_EXTENSION_NAME             "VK_EXT_layer_settings"
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)

typedef enum VkLayerSettingTypeEXT {
    VK_LAYER_SETTING_TYPE_BOOL32_EXT = 0,
    VK_LAYER_SETTING_TYPE_INT32_EXT = 1,
    VK_LAYER_SETTING_TYPE_INT64_EXT = 2,
    VK_LAYER_SETTING_TYPE_UINT32_EXT = 3,
    VK_LAYER_SETTING_TYPE_UINT64_EXT = 4,
    VK_LAYER_SETTING_TYPE_FLOAT32_EXT = 5,
    VK_LAYER_SETTING_TYPE_FLOAT64_EXT = 6,
    VK_LAYER_SETTING_TYPE_STRING_EXT = 7,
    VK_LAYER_SETTING_TYPE_MAX_ENUM_EXT = 0x7FFFFFFF
} VkLayerSettingTypeEXT;

typedef struct VkLayerSettingEXT {
    const char *pLayerName;
    const char *pSettingName;
    VkLayerSettingTypeEXT type;
    uint32_t valueCount;
    const void *pValues;
} VkLayerSettingEXT;

typedef struct VkLayerSettingsCreateInfoEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t settingCount;
    const VkLayerSettingEXT *pSettings;
} VkLayerSettingsCreateInfoEXT;
#endif

#ifndef VK_KHR_extended_flags
#define VK_KHR_extended_flags                                 1
#define VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR ((VkStructureType)1000668002)
#endif

#ifndef VK_KHR_opacity_micromap
#define VK_KHR_opacity_micromap                                                 1
#define VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR ((VkStructureType)1000623003)
#define VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR     ((VkStructureType)1000623002)
#define VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR                     ((VkAccelerationStructureTypeKHR)1000623000)

typedef struct VkAccelerationStructureTrianglesOpacityMicromapKHR {
    VkStructureType sType;
    void *pNext;
    VkIndexType indexType;
    VkDeviceAddress indexBuffer;
    VkDeviceSize indexStride;
    uint32_t baseTriangle;
    VkAccelerationStructureKHR micromap;
} VkAccelerationStructureTrianglesOpacityMicromapKHR;

/* VkMicromapUsageKHR is the struct of EXT. */
typedef struct VkAccelerationStructureGeometryMicromapDataKHR {
    VkStructureType sType;
    const void *pNext;
    uint32_t usageCountsCount;
    const VkMicromapUsageEXT *pUsageCounts;
    const VkMicromapUsageEXT *const *ppUsageCounts;
    VkDeviceAddress data;
    VkDeviceAddress triangleArray;
    VkDeviceSize triangleArrayStride;
} VkAccelerationStructureGeometryMicromapDataKHR;
#endif

#ifndef VK_NV_displacement_micromap
#define VK_NV_displacement_micromap 1
#define VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_DISPLACEMENT_MICROMAP_NV                          \
    ((VkStructureType)1000397002)
#endif

#ifndef VK_NV_cluster_acceleration_structure
#define VK_NV_cluster_acceleration_structure 1
/* Only handed on. */
typedef struct VkClusterAccelerationStructureCommandsInfoNV VkClusterAccelerationStructureCommandsInfoNV;
typedef void(VKAPI_PTR *PFN_vkCmdBuildClusterAccelerationStructureIndirectNV)(
    VkCommandBuffer commandBuffer, const VkClusterAccelerationStructureCommandsInfoNV *pCommandInfos);
#endif

#ifndef VK_NV_partitioned_acceleration_structure
#define VK_NV_partitioned_acceleration_structure 1
/* Only handed on. */
typedef struct VkBuildPartitionedAccelerationStructureInfoNV VkBuildPartitionedAccelerationStructureInfoNV;
typedef void(VKAPI_PTR *PFN_vkCmdBuildPartitionedAccelerationStructuresNV)(
    VkCommandBuffer commandBuffer, const VkBuildPartitionedAccelerationStructureInfoNV *pBuildInfo);
#endif

#ifndef VK_EXT_device_generated_commands
#define VK_EXT_device_generated_commands 1
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkIndirectExecutionSetEXT)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkIndirectCommandsLayoutEXT)

typedef enum VkIndirectExecutionSetInfoTypeEXT {
    VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT = 0,
    VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT = 1,
    VK_INDIRECT_EXECUTION_SET_INFO_TYPE_MAX_ENUM_EXT = 0x7FFFFFFF
} VkIndirectExecutionSetInfoTypeEXT;

typedef struct VkIndirectExecutionSetPipelineInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkPipeline initialPipeline;
    uint32_t maxPipelineCount;
} VkIndirectExecutionSetPipelineInfoEXT;

typedef struct VkIndirectExecutionSetShaderLayoutInfoEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout *pSetLayouts;
} VkIndirectExecutionSetShaderLayoutInfoEXT;

typedef struct VkIndirectExecutionSetShaderInfoEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t shaderCount;
    const VkShaderEXT *pInitialShaders;
    const VkIndirectExecutionSetShaderLayoutInfoEXT *pSetLayoutInfos;
    uint32_t maxShaderCount;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange *pPushConstantRanges;
} VkIndirectExecutionSetShaderInfoEXT;

typedef union VkIndirectExecutionSetInfoEXT {
    const VkIndirectExecutionSetPipelineInfoEXT *pPipelineInfo;
    const VkIndirectExecutionSetShaderInfoEXT *pShaderInfo;
} VkIndirectExecutionSetInfoEXT;

typedef struct VkIndirectExecutionSetCreateInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkIndirectExecutionSetInfoTypeEXT type;
    VkIndirectExecutionSetInfoEXT info;
} VkIndirectExecutionSetCreateInfoEXT;

typedef struct VkWriteIndirectExecutionSetPipelineEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t index;
    VkPipeline pipeline;
} VkWriteIndirectExecutionSetPipelineEXT;

typedef struct VkWriteIndirectExecutionSetShaderEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t index;
    VkShaderEXT shader;
} VkWriteIndirectExecutionSetShaderEXT;

typedef struct VkGeneratedCommandsInfoEXT {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags shaderStages;
    VkIndirectExecutionSetEXT indirectExecutionSet;
    VkIndirectCommandsLayoutEXT indirectCommandsLayout;
    VkDeviceAddress indirectAddress;
    VkDeviceSize indirectAddressSize;
    VkDeviceAddress preprocessAddress;
    VkDeviceSize preprocessSize;
    uint32_t maxSequenceCount;
    VkDeviceAddress sequenceCountAddress;
    uint32_t maxDrawCount;
} VkGeneratedCommandsInfoEXT;

typedef void(VKAPI_PTR *PFN_vkCmdExecuteGeneratedCommandsEXT)(VkCommandBuffer commandBuffer,
                                                              VkBool32 isPreprocessed,
                                                              const VkGeneratedCommandsInfoEXT *pInfo);
typedef VkResult(VKAPI_PTR *PFN_vkCreateIndirectExecutionSetEXT)(
    VkDevice device, const VkIndirectExecutionSetCreateInfoEXT *pCreateInfo,
    const VkAllocationCallbacks *pAllocator, VkIndirectExecutionSetEXT *pIndirectExecutionSet);
typedef void(VKAPI_PTR *PFN_vkDestroyIndirectExecutionSetEXT)(VkDevice device,
                                                              VkIndirectExecutionSetEXT indirectExecutionSet,
                                                              const VkAllocationCallbacks *pAllocator);
typedef void(VKAPI_PTR *PFN_vkUpdateIndirectExecutionSetPipelineEXT)(
    VkDevice device, VkIndirectExecutionSetEXT indirectExecutionSet, uint32_t executionSetWriteCount,
    const VkWriteIndirectExecutionSetPipelineEXT *pExecutionSetWrites);
typedef void(VKAPI_PTR *PFN_vkUpdateIndirectExecutionSetShaderEXT)(
    VkDevice device, VkIndirectExecutionSetEXT indirectExecutionSet, uint32_t executionSetWriteCount,
    const VkWriteIndirectExecutionSetShaderEXT *pExecutionSetWrites);
#endif

#ifndef VK_NV_device_generated_commands_compute
#define VK_NV_device_generated_commands_compute                    1
#define VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV ((VkStructureType)1000428001)
#define VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV                ((VkIndirectCommandsTokenTypeNV)1000428003)
#endif

#ifndef VK_EXT_fragment_density_map_offset
#define VK_EXT_fragment_density_map_offset 1
/* Only handed on. */
typedef struct VkRenderingEndInfoEXT VkRenderingEndInfoEXT;
typedef void(VKAPI_PTR *PFN_vkCmdEndRendering2EXT)(VkCommandBuffer commandBuffer,
                                                   const VkRenderingEndInfoEXT *pRenderingEndInfo);
#endif

#ifndef VK_KHR_device_address_commands
#define VK_KHR_device_address_commands 1
/* Only handed on. */
typedef struct VkDrawIndirect2InfoKHR VkDrawIndirect2InfoKHR;
typedef struct VkDrawIndirectCount2InfoKHR VkDrawIndirectCount2InfoKHR;
typedef struct VkDispatchIndirect2InfoKHR VkDispatchIndirect2InfoKHR;
typedef struct VkBindTransformFeedbackBuffer2InfoEXT VkBindTransformFeedbackBuffer2InfoEXT;

#define VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR ((VkStructureType)1000318015)

typedef VkFlags VkAddressCommandFlagsKHR;

typedef struct VkDeviceAddressRangeKHR {
    VkDeviceAddress address;
    VkDeviceSize size;
} VkDeviceAddressRangeKHR;

typedef struct VkAccelerationStructureCreateInfo2KHR {
    VkStructureType sType;
    const void *pNext;
    VkAccelerationStructureCreateFlagsKHR createFlags;
    VkDeviceAddressRangeKHR addressRange;
    VkAddressCommandFlagsKHR addressFlags;
    VkAccelerationStructureTypeKHR type;
} VkAccelerationStructureCreateInfo2KHR;

typedef VkResult(VKAPI_PTR *PFN_vkCreateAccelerationStructure2KHR)(
    VkDevice device, const VkAccelerationStructureCreateInfo2KHR *pCreateInfo,
    const VkAllocationCallbacks *pAllocator, VkAccelerationStructureKHR *pAccelerationStructure);
typedef void(VKAPI_PTR *PFN_vkCmdDrawIndirect2KHR)(VkCommandBuffer commandBuffer,
                                                   const VkDrawIndirect2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDrawIndexedIndirect2KHR)(VkCommandBuffer commandBuffer,
                                                          const VkDrawIndirect2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDrawIndirectCount2KHR)(VkCommandBuffer commandBuffer,
                                                        const VkDrawIndirectCount2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDrawIndexedIndirectCount2KHR)(VkCommandBuffer commandBuffer,
                                                               const VkDrawIndirectCount2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDrawIndirectByteCount2EXT)(
    VkCommandBuffer commandBuffer, uint32_t instanceCount, uint32_t firstInstance,
    const VkBindTransformFeedbackBuffer2InfoEXT *pCounterInfo, uint32_t counterOffset, uint32_t vertexStride);
typedef void(VKAPI_PTR *PFN_vkCmdDrawMeshTasksIndirect2EXT)(VkCommandBuffer commandBuffer,
                                                            const VkDrawIndirect2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDrawMeshTasksIndirectCount2EXT)(VkCommandBuffer commandBuffer,
                                                                 const VkDrawIndirectCount2InfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchIndirect2KHR)(VkCommandBuffer commandBuffer,
                                                       const VkDispatchIndirect2InfoKHR *pInfo);
#endif

#ifndef VK_QCOM_tile_shading
#define VK_QCOM_tile_shading 1
/* Only handed on. */
typedef struct VkDispatchTileInfoQCOM VkDispatchTileInfoQCOM;
typedef void(VKAPI_PTR *PFN_vkCmdDispatchTileQCOM)(VkCommandBuffer commandBuffer,
                                                   const VkDispatchTileInfoQCOM *pDispatchTileInfo);
#endif

#ifndef VK_AMDX_shader_enqueue
#define VK_AMDX_shader_enqueue 1
/* Only handed on. The signatures are those since version 2 of the extension. */
typedef struct VkDispatchGraphCountInfoAMDX VkDispatchGraphCountInfoAMDX;
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphAMDX)(VkCommandBuffer commandBuffer, VkDeviceAddress scratch,
                                                    VkDeviceSize scratchSize,
                                                    const VkDispatchGraphCountInfoAMDX *pCountInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphIndirectAMDX)(VkCommandBuffer commandBuffer,
                                                            VkDeviceAddress scratch, VkDeviceSize scratchSize,
                                                            const VkDispatchGraphCountInfoAMDX *pCountInfo);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphIndirectCountAMDX)(VkCommandBuffer commandBuffer,
                                                                 VkDeviceAddress scratch,
                                                                 VkDeviceSize scratchSize,
                                                                 VkDeviceAddress countInfo);
#endif

#ifndef VK_ARM_data_graph
#define VK_ARM_data_graph 1
/* Only handed on. */
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDataGraphPipelineSessionARM)
typedef struct VkDataGraphPipelineDispatchInfoARM VkDataGraphPipelineDispatchInfoARM;
typedef void(VKAPI_PTR *PFN_vkCmdDispatchDataGraphARM)(VkCommandBuffer commandBuffer,
                                                       VkDataGraphPipelineSessionARM session,
                                                       const VkDataGraphPipelineDispatchInfoARM *pInfo);
#endif

#ifndef VK_NV_cuda_kernel_launch
#define VK_NV_cuda_kernel_launch 1
/* Only handed on. */
typedef struct VkCudaLaunchInfoNV VkCudaLaunchInfoNV;
typedef void(VKAPI_PTR *PFN_vkCmdCudaLaunchKernelNV)(VkCommandBuffer commandBuffer,
                                                     const VkCudaLaunchInfoNV *pLaunchInfo);
#endif

#ifndef VK_KHR_maintenance6
#define VK_KHR_maintenance6                      1
#define VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR ((VkStructureType)1000545002)

typedef struct VkBindMemoryStatusKHR {
    VkStructureType sType;
    const void *pNext;
    VkResult *pResult;
} VkBindMemoryStatusKHR;

typedef struct VkBindDescriptorSetsInfoKHR {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t firstSet;
    uint32_t descriptorSetCount;
    const VkDescriptorSet *pDescriptorSets;
    uint32_t dynamicOffsetCount;
    const uint32_t *pDynamicOffsets;
} VkBindDescriptorSetsInfoKHR;

typedef struct VkPushDescriptorSetInfoKHR {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t set;
    uint32_t descriptorWriteCount;
    const VkWriteDescriptorSet *pDescriptorWrites;
} VkPushDescriptorSetInfoKHR;

typedef struct VkPushDescriptorSetWithTemplateInfoKHR {
    VkStructureType sType;
    const void *pNext;
    VkDescriptorUpdateTemplate descriptorUpdateTemplate;
    VkPipelineLayout layout;
    uint32_t set;
    const void *pData;
} VkPushDescriptorSetWithTemplateInfoKHR;

typedef void(VKAPI_PTR *PFN_vkCmdBindDescriptorSets2KHR)(VkCommandBuffer commandBuffer,
                                                         const VkBindDescriptorSetsInfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdPushDescriptorSet2KHR)(VkCommandBuffer commandBuffer,
                                                        const VkPushDescriptorSetInfoKHR *pInfo);
typedef void(VKAPI_PTR *PFN_vkCmdPushDescriptorSetWithTemplate2KHR)(
    VkCommandBuffer commandBuffer, const VkPushDescriptorSetWithTemplateInfoKHR *pInfo);
#endif

#ifndef VK_EXT_descriptor_heap
#define VK_EXT_descriptor_heap 1
/* Only handed on. */
typedef struct VkBindHeapInfoEXT VkBindHeapInfoEXT;
typedef void(VKAPI_PTR *PFN_vkCmdBindResourceHeapEXT)(VkCommandBuffer commandBuffer,
                                                      const VkBindHeapInfoEXT *pBindInfo);
#endif

#endif
