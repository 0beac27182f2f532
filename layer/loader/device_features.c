#include "layer/loader/device_features.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "layer/core/device.h"
#include "layer/core/probes.h"
#include "layer/core/settings.h"
#include "warpscope/stage.h"

/* What a physical device offers of what the layer would use. */
struct offer {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceShaderAtomicInt64Features atomics;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkExtensionProperties *extensions;
    uint32_t extension_count;
};

static bool has_extension(const struct offer *offer, const char *name)
{
    for (uint32_t i = 0; i < offer->extension_count; i++)
        if (strcmp(offer->extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

static bool list_extensions(struct offer *offer, const struct ws_instance *instance,
                            VkPhysicalDevice physical, struct ws_error *error)
{
    uint32_t count = 0;
    PFN_vkEnumerateDeviceExtensionProperties enumerate = instance->next.EnumerateDeviceExtensionProperties;
    offer->extensions = NULL;
    offer->extension_count = 0;
    if (enumerate(physical, NULL, &count, NULL) != VK_SUCCESS || count == 0)
        return true;
    offer->extensions = calloc(count, sizeof(*offer->extensions));
    if (offer->extensions == NULL)
        return ws_error_set(error, "out of memory");
    enumerate(physical, NULL, &count, offer->extensions);
    offer->extension_count = count;
    return true;
}

/* A device has the lower of its own version and the instance's. */
static uint32_t device_version(const struct ws_instance *instance,
                               const struct ws_device_properties *properties)
{
    const uint32_t own = properties->core.apiVersion;
    return own < instance->api_version ? own : instance->api_version;
}

/* 0 = not known. */
static VkDeviceSize least_known(VkDeviceSize a, VkDeviceSize b)
{
    return b == 0 || (a != 0 && a < b) ? a : b;
}

/* What a physical device is asked for: those structs that its version, or an extension of it, knows. The others stay zero. */
struct answers {
    VkPhysicalDeviceProperties2 head;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host;
    VkPhysicalDeviceMaintenance3Properties allocations;
    VkPhysicalDeviceMaintenance4Properties buffers;
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays;
};

/* Puts a struct of the answers into their chain if the device knows it. */
static void add_answer(struct answers *answers, void *answer, VkStructureType type, bool known)
{
    VkBaseOutStructure *added = answer;
    if (!known)
        return;
    added->sType = type;
    added->pNext = answers->head.pNext;
    answers->head.pNext = added;
}

static void chain_answers(struct answers *answers, const struct offer *offer, uint32_t version)
{
    *answers = (struct answers){.head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    add_answer(answers, &answers->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
               version >= VK_API_VERSION_1_1);
    add_answer(answers, &answers->driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
               version >= VK_API_VERSION_1_2 ||
                   has_extension(offer, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME));
    add_answer(answers, &answers->sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
               version >= VK_API_VERSION_1_3 ||
                   has_extension(offer, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
    add_answer(answers, &answers->allocations, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
               version >= VK_API_VERSION_1_1 || has_extension(offer, VK_KHR_MAINTENANCE_3_EXTENSION_NAME));
    add_answer(answers, &answers->buffers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
               version >= VK_API_VERSION_1_3 || has_extension(offer, VK_KHR_MAINTENANCE_4_EXTENSION_NAME));
    add_answer(answers, &answers->host, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
               has_extension(offer, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
    add_answer(answers, &answers->rays, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
               has_extension(offer, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME));
}

static void take_answers(struct ws_device_properties *properties, const struct answers *answers)
{
    const uint32_t size = answers->subgroup.subgroupSize;
    const uint32_t size_min = answers->sizes.minSubgroupSize;
    const uint32_t size_max = answers->sizes.maxSubgroupSize;
    const VkSubgroupFeatureFlags operations = answers->subgroup.supportedOperations;
    properties->driver = answers->driver;
    properties->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    properties->driver.pNext = NULL;
    properties->largest_buffer =
        least_known(answers->allocations.maxMemoryAllocationSize, answers->buffers.maxBufferSize);
    properties->group_handle_size = answers->rays.shaderGroupHandleSize;
    properties->host_import_alignment = answers->host.minImportedHostPointerAlignment;
    properties->subgroup_size = size;
    properties->subgroup_size_min = size_min != 0 ? size_min : size;
    properties->subgroup_size_max = size_max != 0 ? size_max : size;
    if ((operations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0)
        properties->subgroup_stages = answers->subgroup.supportedStages & WS_STAGES_ALL;
    properties->subgroup_operations = operations;
    properties->subgroup_shuffle = (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
}

void ws_features_query(const struct ws_instance *instance, VkPhysicalDevice physical,
                       struct ws_device_properties *properties)
{
    struct offer offer = {0};
    struct answers answers;
    memset(properties, 0, sizeof(*properties));
    instance->next.GetPhysicalDeviceProperties(physical, &properties->core);
    instance->next.GetPhysicalDeviceMemoryProperties(physical, &properties->memory);
    if (instance->next.GetPhysicalDeviceProperties2 == NULL ||
        !list_extensions(&offer, instance, physical, NULL))
        return;
    chain_answers(&answers, &offer, device_version(instance, properties));
    instance->next.GetPhysicalDeviceProperties2(physical, &answers.head);
    free(offer.extensions);
    take_answers(properties, &answers);
}

static bool query_offer(struct offer *offer, const struct ws_instance *instance, VkPhysicalDevice physical,
                        uint32_t version, struct ws_error *error)
{
    memset(offer, 0, sizeof(*offer));
    if (!list_extensions(offer, instance, physical, error))
        return false;
    offer->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    offer->address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    if (version >= VK_API_VERSION_1_2 || has_extension(offer, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME))
        offer->core.pNext = &offer->address;
    offer->atomics.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES;
    if (version >= VK_API_VERSION_1_2 || has_extension(offer, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME)) {
        offer->atomics.pNext = offer->core.pNext;
        offer->core.pNext = &offer->atomics;
    }
    offer->clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
    if (has_extension(offer, VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) {
        offer->clock.pNext = offer->core.pNext;
        offer->core.pNext = &offer->clock;
    }
    instance->next.GetPhysicalDeviceFeatures2(physical, &offer->core);
    if (offer->address.bufferDeviceAddress == VK_TRUE)
        return true;
    free(offer->extensions);
    offer->extensions = NULL;
    return ws_error_set(error, "the device has no buffer device addresses (feature bufferDeviceAddress)");
}

/* Adds `name`, which is `added`, to the extensions unless the application has it already. Names given to a
 * create-info are read only during the call, so the application's strings are borrowed. */
static bool enable_extension(struct ws_features *features, const char *name, enum ws_added_extension added,
                             struct ws_error *error)
{
    const uint32_t count = features->info.enabledExtensionCount;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(features->info.ppEnabledExtensionNames[i], name) == 0)
            return true;
    const char **names = malloc((count + 1) * sizeof(*names));
    if (names == NULL)
        return ws_error_set(error, "out of memory");
    if (count > 0)
        memcpy(names, features->info.ppEnabledExtensionNames, count * sizeof(*names));
    names[count] = name;
    free(features->extensions);
    features->extensions = names;
    features->info.ppEnabledExtensionNames = names;
    features->info.enabledExtensionCount = count + 1;
    features->added_extensions |= added;
    return true;
}

static void add_capability(struct ws_features *features, uint32_t capability)
{
    features->capabilities[features->capability_count++] = capability;
}

/* What subgroups can do needs no feature. */
static void add_subgroup_capabilities(struct ws_features *features, VkSubgroupFeatureFlags operations)
{
    static const struct {
        VkSubgroupFeatureFlags operation;
        uint32_t capability;
    } pairs[] = {
        {VK_SUBGROUP_FEATURE_VOTE_BIT, SpvCapabilityGroupNonUniformVote},
        {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, SpvCapabilityGroupNonUniformArithmetic},
        {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, SpvCapabilityGroupNonUniformShuffle},
        {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, SpvCapabilityGroupNonUniformShuffleRelative},
        {VK_SUBGROUP_FEATURE_QUAD_BIT, SpvCapabilityGroupNonUniformQuad},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if ((operations & pairs[i].operation) != 0)
            add_capability(features, pairs[i].capability);
}

/* vertexPipelineStoresAndAtomics and fragmentStoresAndAtomics, and for probes shaderInt64, stand in pEnabledFeatures or,
 * exclusively (VUID-VkDeviceCreateInfo-pNext-00373), in a VkPhysicalDeviceFeatures2 of the chain. */
static bool enable_stores(struct ws_features *features, const struct offer *offer, bool probes,
                          struct ws_error *error)
{
    VkPhysicalDeviceFeatures *core = NULL;
    if (features->info.pEnabledFeatures != NULL) {
        features->core = *features->info.pEnabledFeatures;
        features->info.pEnabledFeatures = &features->core;
        core = &features->core;
    } else {
        VkPhysicalDeviceFeatures2 *in_chain =
            ws_chain_edit(&features->chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, error);
        if (in_chain == NULL && error->message[0] != '\0')
            return false;
        if (in_chain != NULL) {
            core = &in_chain->features;
        } else {
            memset(&features->core, 0, sizeof(features->core));
            features->info.pEnabledFeatures = &features->core;
            core = &features->core;
        }
    }
    core->vertexPipelineStoresAndAtomics |= offer->core.features.vertexPipelineStoresAndAtomics;
    core->fragmentStoresAndAtomics |= offer->core.features.fragmentStoresAndAtomics;
    if (probes && offer->core.features.shaderInt64 == VK_TRUE) {
        core->shaderInt64 = VK_TRUE;
        add_capability(features, SpvCapabilityInt64);
    }
    return true;
}

/* bufferDeviceAddress stands in VkPhysicalDeviceVulkan12Features or, exclusively
 * (VUID-VkDeviceCreateInfo-pNext-02830), in VkPhysicalDeviceBufferDeviceAddressFeatures. The older
 * VK_EXT_buffer_device_address excludes the feature of KHR (VUID-VkDeviceCreateInfo-pNext-04748). */
static bool enable_addresses(struct ws_features *features, const struct offer *offer, struct ws_error *error)
{
    for (uint32_t i = 0; i < features->info.enabledExtensionCount; i++) {
        if (strcmp(features->info.ppEnabledExtensionNames[i], VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME) ==
            0)
            return ws_error_set(error, "the application enables VK_EXT_buffer_device_address, "
                                       "which excludes the device addresses that the passes need");
    }
    const VkBool32 replay = offer->address.bufferDeviceAddressCaptureReplay;
    features->capture_replay = replay == VK_TRUE;

    VkPhysicalDeviceVulkan12Features *vulkan12 =
        ws_chain_edit(&features->chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, error);
    if (vulkan12 != NULL) {
        vulkan12->bufferDeviceAddress = VK_TRUE;
        vulkan12->bufferDeviceAddressCaptureReplay |= replay;
        return true;
    }
    if (error->message[0] != '\0')
        return false;
    const VkStructureType type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    VkPhysicalDeviceBufferDeviceAddressFeatures *address = ws_chain_edit(&features->chain, type, error);
    if (address == NULL && error->message[0] != '\0')
        return false;
    if (address == NULL)
        address = ws_chain_add(&features->chain, type, error);
    if (address == NULL)
        return false;
    address->bufferDeviceAddress = VK_TRUE;
    address->bufferDeviceAddressCaptureReplay |= replay;
    return true;
}

/* timelineSemaphore stands in VkPhysicalDeviceVulkan12Features or, exclusively
 * (VUID-VkDeviceCreateInfo-pNext-02830), in VkPhysicalDeviceTimelineSemaphoreFeatures. Every device of Vulkan
 * 1.2 has the feature (the specification, "Feature Requirements"). Older ones go without: order.h. */
static bool enable_timelines(struct ws_features *features, uint32_t version, struct ws_error *error)
{
    if (version < VK_API_VERSION_1_2)
        return true;
    features->timeline_semaphores = true;
    VkPhysicalDeviceVulkan12Features *vulkan12 =
        ws_chain_edit(&features->chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, error);
    if (vulkan12 != NULL) {
        vulkan12->timelineSemaphore = VK_TRUE;
        return true;
    }
    if (error->message[0] != '\0')
        return false;
    const VkStructureType type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    VkPhysicalDeviceTimelineSemaphoreFeatures *timeline = ws_chain_edit(&features->chain, type, error);
    if (timeline == NULL && error->message[0] != '\0')
        return false;
    if (timeline == NULL)
        timeline = ws_chain_add(&features->chain, type, error);
    if (timeline == NULL)
        return false;
    timeline->timelineSemaphore = VK_TRUE;
    return true;
}

/* Whether the application asks for a shader's 64-bit atomics and clock or not: probes use them. Like timelineSemaphore,
 * shaderBufferInt64Atomics stands in one of two structs. */
static bool enable_atomics(struct ws_features *features, const struct offer *offer, uint32_t version,
                           struct ws_error *error)
{
    if (offer->atomics.shaderBufferInt64Atomics != VK_TRUE || offer->core.features.shaderInt64 != VK_TRUE)
        return true;
    VkPhysicalDeviceVulkan12Features *vulkan12 =
        ws_chain_edit(&features->chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, error);
    const VkStructureType type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES;
    VkPhysicalDeviceShaderAtomicInt64Features *atomics = NULL;
    if (vulkan12 != NULL) {
        vulkan12->shaderBufferInt64Atomics = VK_TRUE;
    } else {
        if (error->message[0] == '\0')
            atomics = ws_chain_edit(&features->chain, type, error);
        if (atomics == NULL && error->message[0] == '\0')
            atomics = ws_chain_add(&features->chain, type, error);
        if (atomics == NULL)
            return false;
        atomics->shaderBufferInt64Atomics = VK_TRUE;
    }
    add_capability(features, SpvCapabilityInt64Atomics);
    return version >= VK_API_VERSION_1_2 ||
           enable_extension(features, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, 0, error);
}

/* The clock of a subgroup, for probes; that of the device is another feature, and slower. The pass warp_time takes the latter
 * where it is there, since it compares warps (`pass`). */
static bool enable_clock(struct ws_features *features, const struct offer *offer, bool probes, bool pass,
                         struct ws_error *error)
{
    const bool of_device = pass && offer->clock.shaderDeviceClock == VK_TRUE;
    const bool of_subgroup = (probes || !of_device) && offer->clock.shaderSubgroupClock == VK_TRUE;
    if (!of_device && !of_subgroup)
        return true;
    const VkStructureType type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
    VkPhysicalDeviceShaderClockFeaturesKHR *clock = ws_chain_edit(&features->chain, type, error);
    if (clock == NULL && error->message[0] == '\0')
        clock = ws_chain_add(&features->chain, type, error);
    if (clock == NULL)
        return false;
    if (of_device)
        clock->shaderDeviceClock = VK_TRUE;
    if (of_subgroup) {
        clock->shaderSubgroupClock = VK_TRUE;
        add_capability(features, SpvCapabilityShaderClockKHR);
    }
    if (pass)
        features->clock = of_device ? WS_CLOCK_DEVICE : WS_CLOCK_SUBGROUP;
    return enable_extension(features, VK_KHR_SHADER_CLOCK_EXTENSION_NAME, 0, error);
}

/* On software devices memory of the host at a fixed place gives the root block an address that is the
 * same in every run, which the shader caches of drivers want: the address is in every shader. */
static bool enable_host_import(struct ws_features *features, const struct offer *offer,
                               const struct ws_device_properties *properties, struct ws_error *error)
{
    if (properties->core.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU ||
        properties->host_import_alignment == 0 ||
        !has_extension(offer, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
        return true;
    features->host_import = true;
    return enable_extension(features, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, WS_ADDED_HOST_IMPORT,
                            error);
}

bool ws_features_init(struct ws_features *features, const struct ws_instance *instance,
                      VkPhysicalDevice physical, const struct ws_device_properties *properties,
                      const VkDeviceCreateInfo *create_info, struct ws_error *error)
{
    const uint32_t version = device_version(instance, properties);
    if (version < VK_API_VERSION_1_1)
        return ws_error_set(error, "instrumented shaders are SPIR-V 1.3, which needs Vulkan 1.1");
    struct offer offer;
    if (!query_offer(&offer, instance, physical, version, error))
        return false;

    memset(features, 0, sizeof(*features));
    features->info = *create_info;
    ws_chain_init(&features->chain, create_info->pNext);
    const bool probes = instance->probes != NULL && instance->probes->count > 0;
    bool made = enable_stores(features, &offer, probes, error) && enable_addresses(features, &offer, error) &&
                enable_timelines(features, version, error) &&
                enable_host_import(features, &offer, properties, error);
    if (made && probes) {
        add_subgroup_capabilities(features, properties->subgroup_operations);
        made = enable_atomics(features, &offer, version, error);
    }
    if (made && (probes || instance->settings->clocks))
        made = enable_clock(features, &offer, probes, instance->settings->clocks, error);
    if (made && version < VK_API_VERSION_1_2)
        made = enable_extension(features, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, WS_ADDED_ADDRESSES,
                                error);
    features->info.pNext = features->chain.head;
    free(offer.extensions);
    if (!made)
        ws_features_finish(features);
    return made;
}

void ws_features_finish(struct ws_features *features)
{
    ws_chain_finish(&features->chain);
    free(features->extensions);
    features->extensions = NULL;
}
