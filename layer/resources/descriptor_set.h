/* The application's descriptor sets, where images are captured (setting `image`) or it is followed what is bound: what they
 * hold (set_content.h).
 *
 * A set is externally synchronized, but for one whose layout allows updates after it is bound: several threads may write
 * different descriptors of that at the same time, and others than were recorded may be used. So an image that is copied where
 * a launch is recorded is not taken from bindings with such flags, nor from those that may be partially bound: what they hold
 * need not exist. A submission finds them all as they stand then.
 *
 * The application may update or free a set in one thread while another records a launch with it bound. That makes the
 * command buffer invalid, and is no error as long as nobody submits it. So device->image_lock guards what sets hold. */
#ifndef WS_LAYER_RESOURCES_DESCRIPTOR_SET_H
#define WS_LAYER_RESOURCES_DESCRIPTOR_SET_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/resources/set_content.h"

struct ws_device;

/* A storage image in a set. */
struct ws_image_descriptor {
    VkImageView view;
    VkImageLayout layout;
};

/* The set of a handle, with a reference; NULL = it is not known. */
struct ws_set *ws_descriptor_set_hold(struct ws_device *device, VkDescriptorSet handle);

/* The layout of set `number` of a pipeline layout, with a reference; NULL = it is not known. Instead of a handle it may be
 * described in the chain `next` (VK_KHR_maintenance6). */
struct ws_set_layout *ws_pipeline_layout_hold(struct ws_device *device, VkPipelineLayout handle,
                                              const void *next, uint32_t number);

/* A pipeline layout of the application, as sets were bound by it. */
struct ws_pipeline_layout;

/* The layout of a handle, with a reference; NULL = it is not known. NULL is accepted where it is given back. */
struct ws_pipeline_layout *ws_pipeline_layout_find(struct ws_device *device, VkPipelineLayout handle);
void ws_pipeline_layout_release(struct ws_pipeline_layout *layout);

/* Whether two layouts are compatible for a set (the specification, "Pipeline Layout Compatibility"), as far as is known of
 * them: if not, binding by one disturbs what was bound by the other. */
bool ws_pipeline_layouts_agree(const struct ws_pipeline_layout *one, const struct ws_pipeline_layout *other,
                               uint32_t set);

/* Takes in a write, whose `dstSet` means nothing, or what a template (handle) does with `data`: of a set that is not shared. */
void ws_set_write(struct ws_device *device, struct ws_set *set, const VkWriteDescriptorSet *write);
void ws_set_write_by(struct ws_device *device, struct ws_set *set, VkDescriptorUpdateTemplate handle,
                     const void *data);

/* The bind point of a template for push descriptors. */
VkPipelineBindPoint ws_update_template_point(struct ws_device *device, VkDescriptorUpdateTemplate handle);

/* Copies the first storage image of a set's binding. False where it is not known, and `*reason` receives why, static; or NULL
 * where there is nothing to say. */
bool ws_set_find_image(struct ws_device *device, const struct ws_set *set, uint32_t binding,
                       struct ws_image_descriptor *descriptor, const char **reason);

#endif
