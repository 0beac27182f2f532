/* Samplers: what the application asked for. Only where it is followed what is bound (setting `bindings`). */
#ifndef WS_LAYER_RESOURCES_SAMPLER_H
#define WS_LAYER_RESOURCES_SAMPLER_H

#include <vulkan/vulkan.h>

#include "warpscope/sampler.h"

struct ws_device;

/* The words of a sampler; none where it is not known. Thread-safe. */
struct ws_sampler_words ws_sampler_find(struct ws_device *device, VkSampler sampler);

#endif
