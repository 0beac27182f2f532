/* The application's descriptor sets, where images are captured (setting `image`): which storage images they hold.
 *
 * A set is externally synchronized, but for one whose layout allows updates after it is bound: several threads may write
 * different descriptors of that at the same time, and others than were recorded may be used. So nothing is kept of the
 * bindings with such flags, and of those that may be partially bound: what they hold need not exist.
 *
 * The application may update or free a set in one thread while another records a launch with it bound. That makes the
 * command buffer invalid, and is no error as long as nobody submits it. So device->image_lock guards what sets hold. */
#ifndef WS_LAYER_IMAGE_DESCRIPTOR_SET_H
#define WS_LAYER_IMAGE_DESCRIPTOR_SET_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;

/* A storage image in a set. */
struct ws_image_descriptor {
    uint32_t binding;
    uint32_t element;
    VkImageView view;
    VkImageLayout layout;
};

/* The storage images of a set. Zero-initialise. */
struct ws_image_descriptors {
    struct ws_image_descriptor *list;
    uint32_t count;
    uint32_t capacity;
    bool failed; /* there was no memory for one: nothing is known */
};

void ws_image_descriptors_finish(struct ws_image_descriptors *images);

/* Takes in a write, whose `dstSet` means nothing, or what a template (handle) does with `data`. */
void ws_image_descriptors_write(struct ws_image_descriptors *images, const VkWriteDescriptorSet *write);
void ws_image_descriptors_write_by(struct ws_device *device, struct ws_image_descriptors *images,
                                   VkDescriptorUpdateTemplate handle, const void *data);

/* The only element of a binding; NULL = it is not known. */
const struct ws_image_descriptor *ws_image_descriptors_find(const struct ws_image_descriptors *images,
                                                            uint32_t binding);

/* The bind point of a template for push descriptors. */
VkPipelineBindPoint ws_update_template_point(struct ws_device *device, VkDescriptorUpdateTemplate handle);

/* Copies the only element of a set's binding. False where it is not known, and `*reason` receives why, static; or NULL where
 * there is nothing to say. */
bool ws_descriptor_set_find(struct ws_device *device, VkDescriptorSet handle, uint32_t binding,
                            struct ws_image_descriptor *descriptor, const char **reason);

#endif
