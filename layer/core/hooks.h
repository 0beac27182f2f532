/* How a file says which functions it intercepts: one `struct ws_interception`, which stands in the list of
 * loader/hook_list.c.
 *
 * Device hooks are called for active devices only (device.h): vkGetDeviceProcAddr of any other device
 * returns the next layer's functions, so a layer without passes costs nothing per call. A hook therefore
 * always finds its device with ws_device_of, and never gets NULL. A function that the next layer does not
 * have is not hooked. Names are those of dispatch.h's lists; aliases follow by themselves. */
#ifndef WS_LAYER_CORE_HOOKS_H
#define WS_LAYER_CORE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

struct ws_device;

struct ws_hook {
    const char *name; /* with `vk` */
    PFN_vkVoidFunction function;
};

/* An entry of a list of hooks: WS_HOOK(CmdDispatch, cmd_dispatch), or WS_HOOK_END after the last. */
#define WS_HOOK(name, function)                                                                              \
    {                                                                                                        \
        "vk" #name, (PFN_vkVoidFunction)(function)                                                           \
    }
#define WS_HOOK_END                                                                                          \
    {                                                                                                        \
        NULL, NULL                                                                                           \
    }

struct ws_interception {
    const struct ws_hook *hooks; /* ends with WS_HOOK_END */
    bool geometry;               /* only while the setting geometry is on; else none of this happens */

    /* When a device that is to be active has been made, in the order of the list, before the application
     * gets its handle; may be NULL. The first that fails keeps the device inactive; then all that succeeded
     * are finished again. */
    bool (*device_init)(struct ws_device *device, struct ws_error *error);

    /* When an active device is about to be destroyed (the application must have made it idle), in
     * opposite order; may be NULL. The next layer's functions still work. */
    void (*device_finish)(struct ws_device *device);

    /* When the process ends, or the library is unloaded, while the device still exists: the last chance to
     * write what is known. Must neither wait for the device without limit nor call it when that is not
     * safe any more; may be NULL. */
    void (*device_flush)(struct ws_device *device);
};

#endif
