/* The picture of a frame (setting `image`): what is presented at its end. The layer copies the swapchain's image right
 * before the present, on the present's queue, and writes it to the capture as an IMAG chunk when the copy has finished.
 *
 * WHICH FRAMES. Those in which a launch was submitted that the settings frames, launches and trigger ask for. Of several
 * swapchains that one call presents, the one with the largest images is taken, of equals the first.
 *
 * HARMLESS. A present waits for binary semaphores. The copy waits for them instead, and after it an empty submission
 * signals the same ones again, for the present. So no semaphore of ours is used in a present, of which nobody can tell
 * when it has ended. Both are submissions of their own: a driver may reset a semaphore that a submission waits for only
 * after it has taken what the same submission signals. A present that waits for nothing is preceded by a wait of the
 * host for the copy. The image is in layout PRESENT_SRC_KHR before and after, and the queue that presents owns it.
 *
 * WHAT IS NOT TAKEN is said once for each reason, and counted in the capture (SKIP, WS_SKIP_IMAGE). */
#ifndef WS_LAYER_SUBMIT_PICTURE_H
#define WS_LAYER_SUBMIT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/chunks.h"

struct ws_device;
struct ws_queue;
struct ws_submission;

/* A copy of what is presented: of a submission of the layer's own, without batches. */
struct ws_picture {
    VkSwapchainKHR swapchain;
    struct ws_chunk_image chunk; /* but for the blob */
};

/* A launch of that frame is chosen. From the first one on the capture stays open until the frame has been presented, if the
 * device has a swapchain. */
void ws_picture_want(struct ws_device *device, uint64_t frame);

/* The wanted frame has been presented, or never will be. */
void ws_picture_release(struct ws_device *device);

/* Copies what a present is about to show, if its frame is wanted. Returns whether the present must still wait for its
 * semaphores; if not, they have been waited for already and are not signalled. `queue` may be NULL. Without the submission
 * lock. */
bool ws_picture_take(struct ws_device *device, struct ws_queue *queue, const VkPresentInfoKHR *info);

/* Writes the picture of a finished submission. With the submission lock. */
void ws_picture_write(struct ws_device *device, const struct ws_submission *submission);

#endif
