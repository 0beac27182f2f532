/* Framebuffers: how many layers a render pass covers. */
#ifndef WS_LAYER_COMMANDS_FRAMEBUFFER_H
#define WS_LAYER_COMMANDS_FRAMEBUFFER_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* Layers of a framebuffer; 0 when it is not known. */
uint32_t ws_framebuffer_layers(struct ws_device *device, VkFramebuffer framebuffer);

#endif
