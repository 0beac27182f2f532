/* Sizes of the structs that may stand in the pNext chains that the layer edits: those that extend
 * VkDeviceCreateInfo, VkPipelineShaderStageCreateInfo, VkShaderModuleCreateInfo, VkBufferCreateInfo and
 * VkSubmitInfo. Those of the oldest headers by name; newer ones, all of them lists of features, by the
 * number of their sType. */
#ifndef WS_LAYER_CORE_CHAIN_SIZES_H
#define WS_LAYER_CORE_CHAIN_SIZES_H

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "layer/core/vulkan_newer.h"

/* Every features struct is its header and `count` VkBool32. */
#define FEATURES(count)                                                                                      \
    (sizeof(struct {                                                                                         \
        VkBaseOutStructure header;                                                                           \
        VkBool32 features[count];                                                                            \
    }))

/* clang-format off */
static const struct {
    VkStructureType type;
    size_t size;
} ws_chain_sizes[] = {
    {VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, sizeof(VkLayerDeviceCreateInfo)},
    {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT, sizeof(VkBufferDeviceAddressCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO, sizeof(VkBufferOpaqueCaptureAddressCreateInfo)},
    {VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, sizeof(VkBufferUsageFlags2CreateInfoKHR)},
    {VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_BUFFER_CREATE_INFO_NV, sizeof(VkDedicatedAllocationBufferCreateInfoNV)},
    {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, sizeof(VkExternalMemoryBufferCreateInfo)},
    {VK_STRUCTURE_TYPE_OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT, sizeof(VkOpaqueCaptureDescriptorDataCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_VIDEO_PROFILE_LIST_INFO_KHR, sizeof(VkVideoProfileListInfoKHR)},
    {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, sizeof(VkDebugUtilsObjectNameInfoEXT)},
    {VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT, sizeof(VkDeviceDeviceMemoryReportCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_DEVICE_DIAGNOSTICS_CONFIG_CREATE_INFO_NV, sizeof(VkDeviceDiagnosticsConfigCreateInfoNV)},
    {VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO, sizeof(VkDeviceGroupDeviceCreateInfo)},
    {VK_STRUCTURE_TYPE_DEVICE_MEMORY_OVERALLOCATION_CREATE_INFO_AMD, sizeof(VkDeviceMemoryOverallocationCreateInfoAMD)},
    {VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO, sizeof(VkDevicePrivateDataCreateInfo)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, sizeof(VkPhysicalDevice16BitStorageFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT, sizeof(VkPhysicalDevice4444FormatsFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, sizeof(VkPhysicalDevice8BitStorageFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ASTC_DECODE_FEATURES_EXT, sizeof(VkPhysicalDeviceASTCDecodeFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, sizeof(VkPhysicalDeviceAccelerationStructureFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT, sizeof(VkPhysicalDeviceAddressBindingReportFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_AMIGO_PROFILING_FEATURES_SEC, sizeof(VkPhysicalDeviceAmigoProfilingFeaturesSEC)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT, sizeof(VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT, sizeof(VkPhysicalDeviceBlendOperationAdvancedFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT, sizeof(VkPhysicalDeviceBorderColorSwizzleFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, sizeof(VkPhysicalDeviceBufferDeviceAddressFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT, sizeof(VkPhysicalDeviceBufferDeviceAddressFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CLUSTER_CULLING_SHADER_FEATURES_HUAWEI, sizeof(VkPhysicalDeviceClusterCullingShaderFeaturesHUAWEI)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD, sizeof(VkPhysicalDeviceCoherentMemoryFeaturesAMD)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT, sizeof(VkPhysicalDeviceColorWriteEnableFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV, sizeof(VkPhysicalDeviceComputeShaderDerivativesFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, sizeof(VkPhysicalDeviceConditionalRenderingFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV, sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_NV, sizeof(VkPhysicalDeviceCopyMemoryIndirectFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CORNER_SAMPLED_IMAGE_FEATURES_NV, sizeof(VkPhysicalDeviceCornerSampledImageFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COVERAGE_REDUCTION_MODE_FEATURES_NV, sizeof(VkPhysicalDeviceCoverageReductionModeFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, sizeof(VkPhysicalDeviceCustomBorderColorFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEDICATED_ALLOCATION_IMAGE_ALIASING_FEATURES_NV, sizeof(VkPhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT, sizeof(VkPhysicalDeviceDepthClampZeroOneFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT, sizeof(VkPhysicalDeviceDepthClipControlFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, sizeof(VkPhysicalDeviceDepthClipEnableFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, sizeof(VkPhysicalDeviceDescriptorBufferFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES, sizeof(VkPhysicalDeviceDescriptorIndexingFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_SET_HOST_MAPPING_FEATURES_VALVE, sizeof(VkPhysicalDeviceDescriptorSetHostMappingFeaturesVALVE)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV, sizeof(VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_MEMORY_REPORT_FEATURES_EXT, sizeof(VkPhysicalDeviceDeviceMemoryReportFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DIAGNOSTICS_CONFIG_FEATURES_NV, sizeof(VkPhysicalDeviceDiagnosticsConfigFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, sizeof(VkPhysicalDeviceDynamicRenderingFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXCLUSIVE_SCISSOR_FEATURES_NV, sizeof(VkPhysicalDeviceExclusiveScissorFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT, sizeof(VkPhysicalDeviceExtendedDynamicState2FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT, sizeof(VkPhysicalDeviceExtendedDynamicState3FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, sizeof(VkPhysicalDeviceExtendedDynamicStateFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_RDMA_FEATURES_NV, sizeof(VkPhysicalDeviceExternalMemoryRDMAFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT, sizeof(VkPhysicalDeviceFaultFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, sizeof(VkPhysicalDeviceFeatures2)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_2_FEATURES_EXT, sizeof(VkPhysicalDeviceFragmentDensityMap2FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT, sizeof(VkPhysicalDeviceFragmentDensityMapFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_OFFSET_FEATURES_QCOM, sizeof(VkPhysicalDeviceFragmentDensityMapOffsetFeaturesQCOM)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR, sizeof(VkPhysicalDeviceFragmentShaderBarycentricFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT, sizeof(VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_ENUMS_FEATURES_NV, sizeof(VkPhysicalDeviceFragmentShadingRateEnumsFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR, sizeof(VkPhysicalDeviceFragmentShadingRateFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GLOBAL_PRIORITY_QUERY_FEATURES_KHR, sizeof(VkPhysicalDeviceGlobalPriorityQueryFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT, sizeof(VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, sizeof(VkPhysicalDeviceHostQueryResetFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT, sizeof(VkPhysicalDeviceImage2DViewOf3DFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT, sizeof(VkPhysicalDeviceImageCompressionControlFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT, sizeof(VkPhysicalDeviceImageCompressionControlSwapchainFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_FEATURES_QCOM, sizeof(VkPhysicalDeviceImageProcessingFeaturesQCOM)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, sizeof(VkPhysicalDeviceImageRobustnessFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_VIEW_MIN_LOD_FEATURES_EXT, sizeof(VkPhysicalDeviceImageViewMinLodFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES, sizeof(VkPhysicalDeviceImagelessFramebufferFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, sizeof(VkPhysicalDeviceIndexTypeUint8FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INHERITED_VIEWPORT_SCISSOR_FEATURES_NV, sizeof(VkPhysicalDeviceInheritedViewportScissorFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES, sizeof(VkPhysicalDeviceInlineUniformBlockFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INVOCATION_MASK_FEATURES_HUAWEI, sizeof(VkPhysicalDeviceInvocationMaskFeaturesHUAWEI)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_DITHERING_FEATURES_EXT, sizeof(VkPhysicalDeviceLegacyDitheringFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT, sizeof(VkPhysicalDeviceLineRasterizationFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINEAR_COLOR_ATTACHMENT_FEATURES_NV, sizeof(VkPhysicalDeviceLinearColorAttachmentFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, sizeof(VkPhysicalDeviceMaintenance4Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_DECOMPRESSION_FEATURES_NV, sizeof(VkPhysicalDeviceMemoryDecompressionFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT, sizeof(VkPhysicalDeviceMemoryPriorityFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, sizeof(VkPhysicalDeviceMeshShaderFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_NV, sizeof(VkPhysicalDeviceMeshShaderFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, sizeof(VkPhysicalDeviceMultiDrawFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT, sizeof(VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, sizeof(VkPhysicalDeviceMultiviewFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PER_VIEW_VIEWPORTS_FEATURES_QCOM, sizeof(VkPhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT, sizeof(VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, sizeof(VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_FEATURES_EXT, sizeof(VkPhysicalDeviceOpacityMicromapFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_OPTICAL_FLOW_FEATURES_NV, sizeof(VkPhysicalDeviceOpticalFlowFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT, sizeof(VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR, sizeof(VkPhysicalDevicePerformanceQueryFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES, sizeof(VkPhysicalDevicePipelineCreationCacheControlFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, sizeof(VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_PROPERTIES_FEATURES_EXT, sizeof(VkPhysicalDevicePipelinePropertiesFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_PROTECTED_ACCESS_FEATURES_EXT, sizeof(VkPhysicalDevicePipelineProtectedAccessFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, sizeof(VkPhysicalDevicePipelineRobustnessFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_BARRIER_FEATURES_NV, sizeof(VkPhysicalDevicePresentBarrierFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, sizeof(VkPhysicalDevicePresentIdFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, sizeof(VkPhysicalDevicePresentWaitFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT, sizeof(VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT, sizeof(VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, sizeof(VkPhysicalDevicePrivateDataFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES, sizeof(VkPhysicalDeviceProtectedMemoryFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, sizeof(VkPhysicalDeviceProvokingVertexFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RGBA10X6_FORMATS_FEATURES_EXT, sizeof(VkPhysicalDeviceRGBA10X6FormatsFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT, sizeof(VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR, sizeof(VkPhysicalDeviceRayQueryFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_INVOCATION_REORDER_FEATURES_NV, sizeof(VkPhysicalDeviceRayTracingInvocationReorderFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR, sizeof(VkPhysicalDeviceRayTracingMaintenance1FeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MOTION_BLUR_FEATURES_NV, sizeof(VkPhysicalDeviceRayTracingMotionBlurFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR, sizeof(VkPhysicalDeviceRayTracingPipelineFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_REPRESENTATIVE_FRAGMENT_TEST_FEATURES_NV, sizeof(VkPhysicalDeviceRepresentativeFragmentTestFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, sizeof(VkPhysicalDeviceRobustness2FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, sizeof(VkPhysicalDeviceSamplerYcbcrConversionFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, sizeof(VkPhysicalDeviceScalarBlockLayoutFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, sizeof(VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, sizeof(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES, sizeof(VkPhysicalDeviceShaderAtomicInt64Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, sizeof(VkPhysicalDeviceShaderClockFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_FEATURES_ARM, sizeof(VkPhysicalDeviceShaderCoreBuiltinsFeaturesARM)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, sizeof(VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES, sizeof(VkPhysicalDeviceShaderDrawParametersFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EARLY_AND_LATE_FRAGMENT_TESTS_FEATURES_AMD, sizeof(VkPhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, sizeof(VkPhysicalDeviceShaderFloat16Int8Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT, sizeof(VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV, sizeof(VkPhysicalDeviceShaderImageFootprintFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, sizeof(VkPhysicalDeviceShaderIntegerDotProductFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_FUNCTIONS_2_FEATURES_INTEL, sizeof(VkPhysicalDeviceShaderIntegerFunctions2FeaturesINTEL)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT, sizeof(VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV, sizeof(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, sizeof(VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, sizeof(VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES, sizeof(VkPhysicalDeviceShaderTerminateInvocationFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADING_RATE_IMAGE_FEATURES_NV, sizeof(VkPhysicalDeviceShadingRateImageFeaturesNV)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, sizeof(VkPhysicalDeviceSubgroupSizeControlFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBPASS_MERGE_FEEDBACK_FEATURES_EXT, sizeof(VkPhysicalDeviceSubpassMergeFeedbackFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBPASS_SHADING_FEATURES_HUAWEI, sizeof(VkPhysicalDeviceSubpassShadingFeaturesHUAWEI)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT, sizeof(VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, sizeof(VkPhysicalDeviceSynchronization2Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT, sizeof(VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES, sizeof(VkPhysicalDeviceTextureCompressionASTCHDRFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TILE_PROPERTIES_FEATURES_QCOM, sizeof(VkPhysicalDeviceTilePropertiesFeaturesQCOM)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, sizeof(VkPhysicalDeviceTimelineSemaphoreFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, sizeof(VkPhysicalDeviceTransformFeedbackFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, sizeof(VkPhysicalDeviceUniformBufferStandardLayoutFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, sizeof(VkPhysicalDeviceVariablePointersFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, sizeof(VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT, sizeof(VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, sizeof(VkPhysicalDeviceVulkan11Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, sizeof(VkPhysicalDeviceVulkan12Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, sizeof(VkPhysicalDeviceVulkan13Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, sizeof(VkPhysicalDeviceVulkanMemoryModelFeatures)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, sizeof(VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT, sizeof(VkPhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_IMAGE_ARRAYS_FEATURES_EXT, sizeof(VkPhysicalDeviceYcbcrImageArraysFeaturesEXT)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, sizeof(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures)},
    {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT, sizeof(VkPipelineRobustnessCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT, sizeof(VkPipelineShaderStageModuleIdentifierCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo)},
    {VK_STRUCTURE_TYPE_AMIGO_PROFILING_SUBMIT_INFO_SEC, sizeof(VkAmigoProfilingSubmitInfoSEC)},
    {VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, sizeof(VkDeviceGroupSubmitInfo)},
    {VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR, sizeof(VkPerformanceQuerySubmitInfoKHR)},
    {VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, sizeof(VkProtectedSubmitInfo)},
    {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, sizeof(VkTimelineSemaphoreSubmitInfo)},
    {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, sizeof(VkShaderModuleCreateInfo)},
    {VK_STRUCTURE_TYPE_SHADER_MODULE_VALIDATION_CACHE_CREATE_INFO_EXT, sizeof(VkShaderModuleValidationCacheCreateInfoEXT)},
    {(VkStructureType)55, FEATURES(21)}, /* VkPhysicalDeviceVulkan14Features */
    {(VkStructureType)1000110000, FEATURES(1)}, /* VkPhysicalDeviceRelaxedLineRasterizationFeaturesIMG */
    {(VkStructureType)1000133000, FEATURES(4)}, /* VkPhysicalDeviceGpaFeaturesAMD */
    {(VkStructureType)1000135009, FEATURES(2)}, /* VkPhysicalDeviceDescriptorHeapFeaturesEXT */
    {(VkStructureType)1000141000, FEATURES(3)}, /* VkPhysicalDeviceShaderBfloat16FeaturesKHR */
    {(VkStructureType)1000172000, FEATURES(1)}, /* VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM */
    {(VkStructureType)1000173000, FEATURES(1)}, /* VkPhysicalDeviceElapsedTimerQueryFeaturesQCOM */
    {(VkStructureType)1000208000, FEATURES(3)}, /* VkPhysicalDevicePresentTimingFeaturesEXT */
    {(VkStructureType)1000231000, FEATURES(1)}, /* VkPhysicalDeviceShaderConstantDataFeaturesKHR */
    {(VkStructureType)1000232000, FEATURES(1)}, /* VkPhysicalDeviceDynamicRenderingLocalReadFeatures */
    {(VkStructureType)1000233000, FEATURES(1)}, /* VkPhysicalDeviceShaderAbortFeaturesKHR */
    {(VkStructureType)1000235000, FEATURES(1)}, /* VkPhysicalDeviceShaderQuadControlFeaturesKHR */
    {(VkStructureType)1000270000, FEATURES(1)}, /* VkPhysicalDeviceHostImageCopyFeatures */
    {(VkStructureType)1000272000, FEATURES(3)}, /* VkPhysicalDeviceMapMemoryPlacedFeaturesEXT */
    {(VkStructureType)1000283000, FEATURES(4)}, /* VkPhysicalDeviceDepthBiasControlFeaturesEXT */
    {(VkStructureType)1000288000, FEATURES(1)}, /* VkPhysicalDeviceTextureCompressionASTC3DFeaturesEXT */
    {(VkStructureType)1000298000, FEATURES(1)}, /* VkPhysicalDeviceVulkanSC10Features */
    {(VkStructureType)1000302001, FEATURES(1)}, /* VkPhysicalDeviceQueuePerfHintFeaturesQCOM */
    {(VkStructureType)1000303000, FEATURES(3)}, /* VkPhysicalDeviceImageProcessing3FeaturesQCOM */
    {(VkStructureType)1000304000, FEATURES(1)}, /* VkPhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM */
    {(VkStructureType)1000305000, FEATURES(1)}, /* VkPhysicalDeviceShaderSplitBarrierFeaturesEXT */
    {(VkStructureType)1000309000, FEATURES(14)}, /* VkPhysicalDeviceTileShadingFeaturesQCOM */
    {(VkStructureType)1000318006, FEATURES(1)}, /* VkPhysicalDeviceDeviceAddressCommandsFeaturesKHR */
    {(VkStructureType)1000361000, FEATURES(1)}, /* VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR */
    {(VkStructureType)1000375000, FEATURES(1)}, /* VkPhysicalDeviceFrameBoundaryFeaturesEXT */
    {(VkStructureType)1000387000, FEATURES(1)}, /* VkPhysicalDeviceShaderUntypedPointersFeaturesKHR */
    {(VkStructureType)1000390000, FEATURES(1)}, /* VkPhysicalDeviceVideoEncodeRgbConversionFeaturesVALVE */
    {(VkStructureType)1000395000, FEATURES(3)}, /* VkPhysicalDeviceShaderTileImageFeaturesEXT */
    {(VkStructureType)1000416000, FEATURES(2)}, /* VkPhysicalDeviceShaderSubgroupRotateFeatures */
    {(VkStructureType)1000417001, FEATURES(1)}, /* VkPhysicalDeviceSchedulingControlsFeaturesARM */
    {(VkStructureType)1000418000, FEATURES(1)}, /* VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT */
    {(VkStructureType)1000424000, FEATURES(1)}, /* VkPhysicalDeviceRenderPassStripedFeaturesARM */
    {(VkStructureType)1000428000, FEATURES(3)}, /* VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV */
    {(VkStructureType)1000429008, FEATURES(2)}, /* VkPhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV */
    {(VkStructureType)1000434000, FEATURES(1)}, /* VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR */
    {(VkStructureType)1000451000, FEATURES(3)}, /* VkPhysicalDeviceNestedCommandBufferFeaturesEXT */
    {(VkStructureType)1000460009, FEATURES(6)}, /* VkPhysicalDeviceTensorFeaturesARM */
    {(VkStructureType)1000460018, FEATURES(1)}, /* VkPhysicalDeviceDescriptorBufferTensorFeaturesARM */
    {(VkStructureType)1000470000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance5Features */
    {(VkStructureType)1000476000, FEATURES(1)}, /* VkPhysicalDeviceAntiLagFeaturesAMD */
    {(VkStructureType)1000479002, FEATURES(1)}, /* VkPhysicalDevicePresentId2FeaturesKHR */
    {(VkStructureType)1000480001, FEATURES(1)}, /* VkPhysicalDevicePresentWait2FeaturesKHR */
    {(VkStructureType)1000481000, FEATURES(1)}, /* VkPhysicalDeviceRayTracingPositionFetchFeaturesKHR */
    {(VkStructureType)1000482000, FEATURES(1)}, /* VkPhysicalDeviceShaderObjectFeaturesEXT */
    {(VkStructureType)1000483000, FEATURES(1)}, /* VkPhysicalDevicePipelineBinaryFeaturesKHR */
    {(VkStructureType)1000483008, FEATURES(1)}, /* VkDevicePipelineBinaryInternalCacheControlKHR */
    {(VkStructureType)1000491000, FEATURES(2)}, /* VkPhysicalDeviceCooperativeVectorFeaturesNV */
    {(VkStructureType)1000492000, FEATURES(1)}, /* VkPhysicalDeviceExtendedSparseAddressSpaceFeaturesNV */
    {(VkStructureType)1000495000, FEATURES(1)}, /* VkPhysicalDeviceLegacyVertexAttributesFeaturesEXT */
    {(VkStructureType)1000498000, FEATURES(1)}, /* VkPhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT */
    {(VkStructureType)1000499000, FEATURES(1)}, /* VkPhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT */
    {(VkStructureType)1000504000, FEATURES(1)}, /* VkPhysicalDeviceInternallySynchronizedQueuesFeaturesKHR */
    {(VkStructureType)1000506000, FEATURES(2)}, /* VkPhysicalDeviceCooperativeMatrixFeaturesKHR */
    {(VkStructureType)1000507006, FEATURES(5)}, /* VkPhysicalDeviceDataGraphFeaturesARM */
    {(VkStructureType)1000510000, FEATURES(1)}, /* VkPhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM */
    {(VkStructureType)1000513004, FEATURES(1)}, /* VkPhysicalDeviceVideoEncodeAV1FeaturesKHR */
    {(VkStructureType)1000514000, FEATURES(1)}, /* VkPhysicalDeviceVideoDecodeVP9FeaturesKHR */
    {(VkStructureType)1000515000, FEATURES(1)}, /* VkPhysicalDeviceVideoMaintenance1FeaturesKHR */
    {(VkStructureType)1000516000, FEATURES(2)}, /* VkPhysicalDevicePerStageDescriptorSetFeaturesNV */
    {(VkStructureType)1000518000, FEATURES(1)}, /* VkPhysicalDeviceImageProcessing2FeaturesQCOM */
    {(VkStructureType)1000519001, FEATURES(1)}, /* VkPhysicalDeviceCubicWeightsFeaturesQCOM */
    {(VkStructureType)1000520000, FEATURES(1)}, /* VkPhysicalDeviceYcbcrDegammaFeaturesQCOM */
    {(VkStructureType)1000521000, FEATURES(1)}, /* VkPhysicalDeviceCubicClampFeaturesQCOM */
    {(VkStructureType)1000524000, FEATURES(1)}, /* VkPhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT */
    {(VkStructureType)1000527000, FEATURES(2)}, /* VkPhysicalDeviceUnifiedImageLayoutsFeaturesKHR */
    {(VkStructureType)1000528000, FEATURES(1)}, /* VkPhysicalDeviceShaderFloatControls2Features */
    {(VkStructureType)1000544000, FEATURES(1)}, /* VkPhysicalDeviceShaderExpectAssumeFeatures */
    {(VkStructureType)1000545000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance6Features */
    {(VkStructureType)1000546000, FEATURES(1)}, /* VkPhysicalDeviceDescriptorPoolOverallocationFeaturesNV */
    {(VkStructureType)1000547000, FEATURES(1)}, /* VkPhysicalDeviceTileMemoryHeapFeaturesQCOM */
    {(VkStructureType)1000549000, FEATURES(2)}, /* VkPhysicalDeviceCopyMemoryIndirectFeaturesKHR */
    {(VkStructureType)1000552004, FEATURES(1)}, /* VkPhysicalDeviceVideoEncodeIntraRefreshFeaturesKHR */
    {(VkStructureType)1000553009, FEATURES(1)}, /* VkPhysicalDeviceVideoEncodeQuantizationMapFeaturesKHR */
    {(VkStructureType)1000555000, FEATURES(1)}, /* VkPhysicalDeviceRawAccessChainsFeaturesNV */
    {(VkStructureType)1000558000, FEATURES(1)}, /* VkPhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR */
    {(VkStructureType)1000559000, FEATURES(1)}, /* VkPhysicalDeviceCommandBufferInheritanceFeaturesNV */
    {(VkStructureType)1000562000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance7FeaturesKHR */
    {(VkStructureType)1000563000, FEATURES(1)}, /* VkPhysicalDeviceShaderAtomicFloat16VectorFeaturesNV */
    {(VkStructureType)1000564000, FEATURES(1)}, /* VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT */
    {(VkStructureType)1000567000, FEATURES(2)}, /* VkPhysicalDeviceShaderFloat8FeaturesEXT */
    {(VkStructureType)1000568000, FEATURES(1)}, /* VkPhysicalDeviceRayTracingValidationFeaturesNV */
    {(VkStructureType)1000569000, FEATURES(1)}, /* VkPhysicalDeviceClusterAccelerationStructureFeaturesNV */
    {(VkStructureType)1000570000, FEATURES(1)}, /* VkPhysicalDevicePartitionedAccelerationStructureFeaturesNV */
    {(VkStructureType)1000572000, FEATURES(2)}, /* VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT */
    {(VkStructureType)1000573000, FEATURES(4)}, /* VkPhysicalDeviceFaultFeaturesKHR */
    {(VkStructureType)1000574000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance8FeaturesKHR */
    {(VkStructureType)1000575000, FEATURES(1)}, /* VkPhysicalDeviceImageAlignmentControlFeaturesMESA */
    {(VkStructureType)1000579000, FEATURES(3)}, /* VkPhysicalDeviceShaderFmaFeaturesKHR */
    {(VkStructureType)1000580001, FEATURES(1)}, /* VkPhysicalDevicePushConstantBankFeaturesNV */
    {(VkStructureType)1000581000, FEATURES(1)}, /* VkPhysicalDeviceRayTracingInvocationReorderFeaturesEXT */
    {(VkStructureType)1000582000, FEATURES(1)}, /* VkPhysicalDeviceDepthClampControlFeaturesEXT */
    {(VkStructureType)1000584000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance9FeaturesKHR */
    {(VkStructureType)1000586000, FEATURES(1)}, /* VkPhysicalDeviceVideoMaintenance2FeaturesKHR */
    {(VkStructureType)1000590000, FEATURES(1)}, /* VkPhysicalDeviceHdrVividFeaturesHUAWEI */
    {(VkStructureType)1000593000, FEATURES(7)}, /* VkPhysicalDeviceCooperativeMatrix2FeaturesNV */
    {(VkStructureType)1000596000, FEATURES(1)}, /* VkPhysicalDevicePipelineOpacityMicromapFeaturesARM */
    {(VkStructureType)1000598000, FEATURES(1)}, /* VkPhysicalDeviceVideoEncodeFeedback2FeaturesKHR */
    {(VkStructureType)1000605000, FEATURES(1)}, /* VkPhysicalDevicePerformanceCountersByRegionFeaturesARM */
    {(VkStructureType)1000607000, FEATURES(1)}, /* VkPhysicalDeviceShaderInstrumentationFeaturesARM */
    {(VkStructureType)1000608000, FEATURES(1)}, /* VkPhysicalDeviceVertexAttributeRobustnessFeaturesEXT */
    {(VkStructureType)1000609000, FEATURES(1)}, /* VkPhysicalDeviceFormatPackFeaturesARM */
    {(VkStructureType)1000611000, FEATURES(1)}, /* VkPhysicalDeviceFragmentDensityMapLayeredFeaturesVALVE */
    {(VkStructureType)1000613001, FEATURES(1)}, /* VkPhysicalDevicePresentMeteringFeaturesNV */
    {(VkStructureType)1000616000, FEATURES(1)}, /* VkPhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT */
    {(VkStructureType)1000620000, FEATURES(1)}, /* VkPhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT */
    {(VkStructureType)1000623000, FEATURES(1)}, /* VkPhysicalDeviceOpacityMicromapFeaturesKHR */
    {(VkStructureType)1000627000, FEATURES(1)}, /* VkPhysicalDeviceShader64BitIndexingFeaturesEXT */
    {(VkStructureType)1000628000, FEATURES(1)}, /* VkPhysicalDeviceCustomResolveFeaturesEXT */
    {(VkStructureType)1000629000, FEATURES(1)}, /* VkPhysicalDeviceDataGraphModelFeaturesQCOM */
    {(VkStructureType)1000630000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance10FeaturesKHR */
    {(VkStructureType)1000631000, FEATURES(1)}, /* VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM */
    {(VkStructureType)1000635000, FEATURES(1)}, /* VkPhysicalDeviceShaderLongVectorFeaturesEXT */
    {(VkStructureType)1000637000, FEATURES(1)}, /* VkPhysicalDevicePipelineCacheIncrementalModeFeaturesSEC */
    {(VkStructureType)1000642000, FEATURES(1)}, /* VkPhysicalDeviceShaderUniformBufferUnsizedArrayFeaturesEXT */
    {(VkStructureType)1000645001, FEATURES(1)}, /* VkPhysicalDeviceComputeOccupancyPriorityFeaturesNV */
    {(VkStructureType)1000657000, FEATURES(1)}, /* VkPhysicalDeviceMaintenance11FeaturesKHR */
    {(VkStructureType)1000659000, FEATURES(5)}, /* VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT */
    {(VkStructureType)1000662000, FEATURES(1)}, /* VkPhysicalDeviceShaderSubgroupPartitionedFeaturesEXT */
    {(VkStructureType)1000668004, FEATURES(1)}, /* VkPhysicalDeviceExtendedFlagsFeaturesKHR */
    {(VkStructureType)1000672000, FEATURES(4)}, /* VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT */
    {(VkStructureType)1000673000, FEATURES(4)}, /* VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE */
    {(VkStructureType)1000674000, FEATURES(1)}, /* VkPhysicalDeviceThrottleHintFeaturesSEC */
    {(VkStructureType)1000676002, FEATURES(1)}, /* VkPhysicalDeviceDataGraphNeuralAcceleratorStatisticsFeaturesARM */
    {(VkStructureType)1000678000, FEATURES(1)}, /* VkPhysicalDevicePrimitiveRestartIndexFeaturesEXT */
    {(VkStructureType)1000687000, FEATURES(1)}, /* VkPhysicalDeviceImageTilingControlFeaturesEXT */
    {(VkStructureType)1000689000, FEATURES(1)}, /* VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV */
};
/* clang-format on */

#undef FEATURES

#endif
