/* The application's opacity micromaps, and what each of them holds: VkMicromapEXT, and the acceleration structures that are
 * micromaps in VK_KHR_opacity_micromap. Only where geometry is captured.
 *
 * What a build on the device reads is copied in front of it (range_copy.h), and kept as blobs when it has been executed. A copy
 * of a micromap holds what its source held then. So a build of a bottom-level structure, which is written in the order of
 * execution too, finds what its micromap holds (struct ws_micromap_content of the chunk). Builds on the host and what comes out
 * of memory are not followed: then a micromap says why. So it does where there was no memory to record a change of it, until a
 * change that was recorded later is executed: such a change is taken to be executed once, and in the order of recording.
 *
 * Finding and counting references is thread-safe; what a micromap holds is guarded by the submission lock. */
#ifndef WS_LAYER_RAY_TRACING_MICROMAP_H
#define WS_LAYER_RAY_TRACING_MICROMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_command_buffer;
struct ws_device;
struct ws_micromap;
struct ws_micromap_content;

/* What has the handle of a micromap. */
enum ws_micromap_kind { WS_MICROMAP_EXT, WS_MICROMAP_STRUCTURE, WS_MICROMAP_KINDS };

/* A structure that is a micromap was made, or is destroyed. Without memory what it holds is never known. */
void ws_micromap_add(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle);
void ws_micromap_remove(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle);

/* The micromap with that handle, with a reference to be released; NULL = none is known. */
struct ws_micromap *ws_micromap_find(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle);
void ws_micromap_release(struct ws_micromap *micromap); /* NULL is accepted */

/* What it holds, without the geometry. Returns why that is not known, static; NULL = it is. A micromap that is NULL is not
 * known. With the submission lock entered. */
const char *ws_micromap_get(const struct ws_micromap *micromap, struct ws_micromap_content *content);

/* Before a build of a structure that is a micromap. */
void ws_micromap_record_build(struct ws_command_buffer *commands,
                              const VkAccelerationStructureBuildGeometryInfoKHR *info);

/* Before a copy to a micromap; a source of 0 is memory. False where the destination is no micromap. */
bool ws_micromap_record_copy(struct ws_command_buffer *commands, enum ws_micromap_kind kind, uint64_t source,
                             uint64_t destination);

/* The host writes to it. Returns false where it is no micromap. */
bool ws_micromap_lose(struct ws_device *device, enum ws_micromap_kind kind, uint64_t handle);

#endif
