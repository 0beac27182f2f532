/* Instances that a build is given as an array of pointers: only the device knows the pointers when it builds,
 * so what they point at is copied later, when the build's submission has finished. */
#ifndef WS_LAYER_RAY_TRACING_BUILD_INSTANCES_H
#define WS_LAYER_RAY_TRACING_BUILD_INSTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/memory/memory.h"

struct ws_device;

/* Brings the instances behind `count` pointers (at least 1) to the host: `instances->mapped`, which is then
 * to be freed from device->readback. Those that cannot be had are zeroed, and `*reason` says why. False where
 * none can be had, and there is nothing to be freed. With the submission lock entered. */
bool ws_build_fetch_instances(struct ws_device *device, const uint8_t *pointers, uint64_t count,
                              struct ws_memory_range *instances, const char **reason);

#endif
