/* The image of a launch (setting `image`): right after a trace or dispatch, the layer copies the storage image that its
 * shaders write to the results of the recording. Each execution of the command buffer has its own copy, which goes to the
 * capture as an IMAG chunk with the launch.
 *
 * WHICH IMAGE. Of the two-dimensional storage images that the shaders of the bound pipeline can write (SPIR-V, as
 * passes/spirv/written_images.h finds them), and that are in layout GENERAL, as their descriptors say:
 *   1. one whose size is that of the launch, before others (a dispatch is given in workgroups, and has no such size);
 *   2. the largest;
 *   3. one of three or four components that are no integers, before others; of these one with values from 0 to 1, which
 *      are meant for a display;
 *   4. that of the lowest set and binding.
 * IMAG says how many others have the same size.
 *
 * HARMLESS. Only images are copied that the launch itself may access at this point: whatever the application may
 * destroy before it submits is not among them (descriptor_set.h). The copy stands outside of render passes, between a
 * barrier for all writes before it and one that lets what follows write again. The layout stays.
 *
 * WHAT IS NOT TAKEN is said once for each reason, and counted in the capture (SKIP, WS_SKIP_IMAGE). A launch that writes no
 * such image lacks nothing. */
#ifndef WS_LAYER_COMMANDS_LAUNCH_IMAGE_H
#define WS_LAYER_COMMANDS_LAUNCH_IMAGE_H

#include "layer/commands/bindings.h"
#include "layer/commands/recording.h"

struct ws_command_buffer;

/* To be called after the launch with that index in the recording has been added, whose command ran what is bound at `point`.
 * Not thread-safe: the application synchronizes the command buffer. */
void ws_launch_image_take(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                          enum ws_bind_point point, uint32_t launch);

#endif
