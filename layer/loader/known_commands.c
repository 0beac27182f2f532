#include "layer/loader/known_commands.h"

#include <stddef.h>
#include <string.h>

#include "layer/core/message.h"
#include "layer/loader/hook_list.h"

/* Set state, bind buffers, or go on within a render pass. What says which shaders run is hooked: pipelines, shader
 * objects, descriptor sets and heaps, the beginning and end of render passes. */
static const char *const state[] = {"vkCmdBeginConditionalRendering2EXT",
                                    "vkCmdBeginConditionalRenderingEXT",
                                    "vkCmdBeginCustomResolveEXT",
                                    "vkCmdBeginPerTileExecutionQCOM",
                                    "vkCmdBeginTransformFeedback2EXT",
                                    "vkCmdBeginTransformFeedbackEXT",
                                    "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT",
                                    "vkCmdBindDescriptorBufferEmbeddedSamplersEXT",
                                    "vkCmdBindIndexBuffer",
                                    "vkCmdBindIndexBuffer2",
                                    "vkCmdBindIndexBuffer2KHR",
                                    "vkCmdBindIndexBuffer3KHR",
                                    "vkCmdBindInvocationMaskHUAWEI",
                                    "vkCmdBindSamplerHeapEXT",
                                    "vkCmdBindShadingRateImageNV",
                                    "vkCmdBindTileMemoryQCOM",
                                    "vkCmdBindTransformFeedbackBuffers2EXT",
                                    "vkCmdBindTransformFeedbackBuffersEXT",
                                    "vkCmdBindVertexBuffers",
                                    "vkCmdBindVertexBuffers2",
                                    "vkCmdBindVertexBuffers2EXT",
                                    "vkCmdBindVertexBuffers3KHR",
                                    "vkCmdEndConditionalRenderingEXT",
                                    "vkCmdEndPerTileExecutionQCOM",
                                    "vkCmdEndTransformFeedback2EXT",
                                    "vkCmdEndTransformFeedbackEXT",
                                    "vkCmdNextSubpass",
                                    "vkCmdNextSubpass2",
                                    "vkCmdNextSubpass2KHR",
                                    "vkCmdPushConstants",
                                    "vkCmdPushConstants2",
                                    "vkCmdPushConstants2KHR",
                                    "vkCmdPushDataEXT",
                                    "vkCmdSetAlphaToCoverageEnableEXT",
                                    "vkCmdSetAlphaToOneEnableEXT",
                                    "vkCmdSetAttachmentFeedbackLoopEnableEXT",
                                    "vkCmdSetBlendConstants",
                                    "vkCmdSetCoarseSampleOrderNV",
                                    "vkCmdSetColorBlendAdvancedEXT",
                                    "vkCmdSetColorBlendEnableEXT",
                                    "vkCmdSetColorBlendEquationEXT",
                                    "vkCmdSetColorWriteEnableEXT",
                                    "vkCmdSetColorWriteMaskEXT",
                                    "vkCmdSetComputeOccupancyPriorityNV",
                                    "vkCmdSetConservativeRasterizationModeEXT",
                                    "vkCmdSetCoverageModulationModeNV",
                                    "vkCmdSetCoverageModulationTableEnableNV",
                                    "vkCmdSetCoverageModulationTableNV",
                                    "vkCmdSetCoverageReductionModeNV",
                                    "vkCmdSetCoverageToColorEnableNV",
                                    "vkCmdSetCoverageToColorLocationNV",
                                    "vkCmdSetCullMode",
                                    "vkCmdSetCullModeEXT",
                                    "vkCmdSetDepthBias",
                                    "vkCmdSetDepthBias2EXT",
                                    "vkCmdSetDepthBiasEnable",
                                    "vkCmdSetDepthBiasEnableEXT",
                                    "vkCmdSetDepthBounds",
                                    "vkCmdSetDepthBoundsTestEnable",
                                    "vkCmdSetDepthBoundsTestEnableEXT",
                                    "vkCmdSetDepthClampEnableEXT",
                                    "vkCmdSetDepthClampRangeEXT",
                                    "vkCmdSetDepthClipEnableEXT",
                                    "vkCmdSetDepthClipNegativeOneToOneEXT",
                                    "vkCmdSetDepthCompareOp",
                                    "vkCmdSetDepthCompareOpEXT",
                                    "vkCmdSetDepthTestEnable",
                                    "vkCmdSetDepthTestEnableEXT",
                                    "vkCmdSetDepthWriteEnable",
                                    "vkCmdSetDepthWriteEnableEXT",
                                    "vkCmdSetDescriptorBufferOffsets2EXT",
                                    "vkCmdSetDescriptorBufferOffsetsEXT",
                                    "vkCmdSetDeviceMask",
                                    "vkCmdSetDeviceMaskKHR",
                                    "vkCmdSetDiscardRectangleEXT",
                                    "vkCmdSetDiscardRectangleEnableEXT",
                                    "vkCmdSetDiscardRectangleModeEXT",
                                    "vkCmdSetDispatchParametersARM",
                                    "vkCmdSetExclusiveScissorEnableNV",
                                    "vkCmdSetExclusiveScissorNV",
                                    "vkCmdSetExtraPrimitiveOverestimationSizeEXT",
                                    "vkCmdSetFragmentShadingRateEnumNV",
                                    "vkCmdSetFragmentShadingRateKHR",
                                    "vkCmdSetFrontFace",
                                    "vkCmdSetFrontFaceEXT",
                                    "vkCmdSetLineRasterizationModeEXT",
                                    "vkCmdSetLineStipple",
                                    "vkCmdSetLineStippleEXT",
                                    "vkCmdSetLineStippleEnableEXT",
                                    "vkCmdSetLineStippleKHR",
                                    "vkCmdSetLineWidth",
                                    "vkCmdSetLogicOpEXT",
                                    "vkCmdSetLogicOpEnableEXT",
                                    "vkCmdSetPatchControlPointsEXT",
                                    "vkCmdSetPerformanceOverrideINTEL",
                                    "vkCmdSetPolygonModeEXT",
                                    "vkCmdSetPrimitiveRestartEnable",
                                    "vkCmdSetPrimitiveRestartEnableEXT",
                                    "vkCmdSetPrimitiveRestartIndexEXT",
                                    "vkCmdSetPrimitiveTopology",
                                    "vkCmdSetPrimitiveTopologyEXT",
                                    "vkCmdSetProvokingVertexModeEXT",
                                    "vkCmdSetRasterizationSamplesEXT",
                                    "vkCmdSetRasterizationStreamEXT",
                                    "vkCmdSetRasterizerDiscardEnable",
                                    "vkCmdSetRasterizerDiscardEnableEXT",
                                    "vkCmdSetRayTracingPipelineStackSizeKHR",
                                    "vkCmdSetRenderingAttachmentLocations",
                                    "vkCmdSetRenderingAttachmentLocationsKHR",
                                    "vkCmdSetRenderingInputAttachmentIndices",
                                    "vkCmdSetRenderingInputAttachmentIndicesKHR",
                                    "vkCmdSetRepresentativeFragmentTestEnableNV",
                                    "vkCmdSetSampleLocationsEXT",
                                    "vkCmdSetSampleLocationsEnableEXT",
                                    "vkCmdSetSampleMaskEXT",
                                    "vkCmdSetScissor",
                                    "vkCmdSetScissorWithCount",
                                    "vkCmdSetScissorWithCountEXT",
                                    "vkCmdSetShadingRateImageEnableNV",
                                    "vkCmdSetStencilCompareMask",
                                    "vkCmdSetStencilOp",
                                    "vkCmdSetStencilOpEXT",
                                    "vkCmdSetStencilReference",
                                    "vkCmdSetStencilTestEnable",
                                    "vkCmdSetStencilTestEnableEXT",
                                    "vkCmdSetStencilWriteMask",
                                    "vkCmdSetTessellationDomainOriginEXT",
                                    "vkCmdSetVertexInputEXT",
                                    "vkCmdSetViewport",
                                    "vkCmdSetViewportShadingRatePaletteNV",
                                    "vkCmdSetViewportSwizzleNV",
                                    "vkCmdSetViewportWScalingEnableNV",
                                    "vkCmdSetViewportWScalingNV",
                                    "vkCmdSetViewportWithCount",
                                    "vkCmdSetViewportWithCountEXT"};

/* Order other commands. */
static const char *const sync[] = {
    "vkCmdPipelineBarrier", "vkCmdPipelineBarrier2", "vkCmdPipelineBarrier2KHR", "vkCmdRefreshObjectsKHR",
    "vkCmdResetEvent",      "vkCmdResetEvent2",      "vkCmdResetEvent2KHR",      "vkCmdSetEvent",
    "vkCmdSetEvent2",       "vkCmdSetEvent2KHR"};

/* Mark places for other tools. */
static const char *const label[] = {
    "vkCmdDebugMarkerInsertEXT",      "vkCmdInsertDebugUtilsLabelEXT",        "vkCmdSetCheckpointNV",
    "vkCmdSetPerformanceMarkerINTEL", "vkCmdSetPerformanceStreamMarkerINTEL", "vkCmdWriteBufferMarker2AMD",
    "vkCmdWriteBufferMarkerAMD",      "vkCmdWriteMarkerToMemoryAMD"};

/* Take times, counts and properties. */
static const char *const query[] = {"vkCmdBeginGpaSampleAMD",
                                    "vkCmdBeginGpaSessionAMD",
                                    "vkCmdBeginQuery",
                                    "vkCmdBeginQueryIndexedEXT",
                                    "vkCmdBeginShaderInstrumentationARM",
                                    "vkCmdCopyGpaSessionResultsAMD",
                                    "vkCmdCopyQueryPoolResults",
                                    "vkCmdCopyQueryPoolResultsToMemoryKHR",
                                    "vkCmdEndGpaSampleAMD",
                                    "vkCmdEndGpaSessionAMD",
                                    "vkCmdEndQuery",
                                    "vkCmdEndQueryIndexedEXT",
                                    "vkCmdEndShaderInstrumentationARM",
                                    "vkCmdResetQueryPool",
                                    "vkCmdWriteAccelerationStructuresPropertiesKHR",
                                    "vkCmdWriteAccelerationStructuresPropertiesNV",
                                    "vkCmdWriteMicromapsPropertiesEXT",
                                    "vkCmdWriteTimestamp",
                                    "vkCmdWriteTimestamp2",
                                    "vkCmdWriteTimestamp2KHR"};

/* Run video codecs and optical flow, which have no shaders. */
static const char *const video[] = {"vkCmdBeginVideoCodingKHR", "vkCmdControlVideoCodingKHR",
                                    "vkCmdDecodeVideoKHR",      "vkCmdEncodeVideoKHR",
                                    "vkCmdEndVideoCodingKHR",   "vkCmdOpticalFlowExecuteNV"};

/* Reads an opacity micromap; what changes one is hooked. */
static const char *const micromap[] = {"vkCmdCopyMicromapToMemoryEXT"};

/* Move memory and images, by shaders of the driver's own at most. What a build of an acceleration structure reads is
 * copied when it reads it, however it came there. Acceleration structures of VK_NV_ray_tracing are not captured, which
 * is said when they are made. */
static const char *const copy[] = {"vkCmdBlitImage",
                                   "vkCmdBlitImage2",
                                   "vkCmdBlitImage2KHR",
                                   "vkCmdClearAttachments",
                                   "vkCmdClearColorImage",
                                   "vkCmdClearDepthStencilImage",
                                   "vkCmdConvertCooperativeVectorMatrixNV",
                                   "vkCmdCopyAccelerationStructureNV",
                                   "vkCmdCopyBuffer",
                                   "vkCmdCopyBuffer2",
                                   "vkCmdCopyBuffer2KHR",
                                   "vkCmdCopyBufferToImage",
                                   "vkCmdCopyBufferToImage2",
                                   "vkCmdCopyBufferToImage2KHR",
                                   "vkCmdCopyImage",
                                   "vkCmdCopyImage2",
                                   "vkCmdCopyImage2KHR",
                                   "vkCmdCopyImageToBuffer",
                                   "vkCmdCopyImageToBuffer2",
                                   "vkCmdCopyImageToBuffer2KHR",
                                   "vkCmdCopyImageToMemoryKHR",
                                   "vkCmdCopyMemoryIndirectKHR",
                                   "vkCmdCopyMemoryIndirectNV",
                                   "vkCmdCopyMemoryKHR",
                                   "vkCmdCopyMemoryToImageIndirectKHR",
                                   "vkCmdCopyMemoryToImageIndirectNV",
                                   "vkCmdCopyMemoryToImageKHR",
                                   "vkCmdCopyTensorARM",
                                   "vkCmdDecompressMemoryEXT",
                                   "vkCmdDecompressMemoryIndirectCountEXT",
                                   "vkCmdDecompressMemoryIndirectCountNV",
                                   "vkCmdDecompressMemoryNV",
                                   "vkCmdFillBuffer",
                                   "vkCmdFillMemoryKHR",
                                   "vkCmdResolveImage",
                                   "vkCmdResolveImage2",
                                   "vkCmdResolveImage2KHR",
                                   "vkCmdUpdateBuffer",
                                   "vkCmdUpdateMemoryKHR",
                                   "vkCmdUpdatePipelineIndirectBufferNV"};

/* Prepare what another command runs, which is hooked. */
static const char *const prepare[] = {"vkCmdInitializeGraphScratchMemoryAMDX",
                                      "vkCmdPreprocessGeneratedCommandsEXT",
                                      "vkCmdPreprocessGeneratedCommandsNV"};

/* Tell queues something that runs nothing. */
static const char *const queue[] = {"vkQueueInsertDebugUtilsLabelEXT",
                                    "vkQueueNotifyOutOfBandLegacyNV",
                                    "vkQueueNotifyOutOfBandNV",
                                    "vkQueueSetPerfHintQCOM",
                                    "vkQueueSetPerformanceConfigurationINTEL",
                                    "vkQueueSignalReleaseImageANDROID",
                                    "vkQueueSignalReleaseImageOHOS"};

#define GROUP(names)                                                                                         \
    {                                                                                                        \
        names, sizeof(names) / sizeof((names)[0])                                                            \
    }
static const struct {
    const char *const *names;
    size_t count;
} groups[] = {GROUP(state),    GROUP(sync), GROUP(label),   GROUP(query), GROUP(video),
              GROUP(micromap), GROUP(copy), GROUP(prepare), GROUP(queue)};

bool ws_command_is_known(const char *name)
{
    if (ws_hook_list_has(name))
        return true;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        for (size_t j = 0; j < groups[i].count; j++)
            if (strcmp(groups[i].names[j], name) == 0)
                return true;
    return false;
}

/* Whether a command of this name may run shaders, as far as names tell. */
static bool may_launch(const char *name)
{
    static const char *const harmless[] = {"Begin",   "Bind", "Blit",   "Clear", "Copy",
                                           "End",     "Fill", "Insert", "Push",  "Reset",
                                           "Resolve", "Set",  "Update", "Wait",  "Write"};
    static const char command[] = "vkCmd";
    if (strncmp(name, command, sizeof(command) - 1) != 0)
        return false;
    name += sizeof(command) - 1;
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (strncmp(name, harmless[i], strlen(harmless[i])) == 0)
            return false;
    return true;
}

void ws_command_say_unknown(struct ws_instance *instance, const char *name)
{
    if (!may_launch(name) || ws_command_is_known(name))
        return;
    ws_message(
        instance, WS_WARNING,
        "the program may use the command %s, which this version of Warpscope does not know; what it runs "
        "is missing from the capture",
        name);
}
