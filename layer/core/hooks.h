/* How a file states which functions it intercepts: by one `struct ws_interception`, which is in the list of
 * loader/hook_list.c. An example is shader/shader_module.c.
 *
 * Hooks are called for active devices only (device.h). vkGetDeviceProcAddr of another device returns the next
 * layer's functions, so a layer without passes costs nothing per call. In a hook ws_device_of never returns
 * NULL. A function that the next layer lacks is not hooked. The names are those of dispatch.h; a hook serves
 * their aliases too. */
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
    /* All of this only where geometry is captured, images are, or it is followed what is bound; with several of these where
     * any of them holds. With none of them always. */
    bool geometry;
    bool image;
    bool bindings;

    /* Called in the order of the list, when a device has been created that shall be active and the
     * application does not have its handle yet; may be NULL. After the first that fails, the device stays
     * inactive, and device_finish is called for those that succeeded. */
    bool (*device_init)(struct ws_device *device, struct ws_error *error);

    /* Called in opposite order, before an active device is destroyed; may be NULL. The application has made
     * the device idle, and the next layer's functions still work. */
    void (*device_finish)(struct ws_device *device);

    /* Called when the process ends or the library is unloaded while the device still exists, to write what is
     * known; may be NULL. Must not wait for the device without limit, nor call it when that is not safe any
     * more. */
    void (*device_flush)(struct ws_device *device);
};

#endif
