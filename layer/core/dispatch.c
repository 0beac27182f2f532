#include "layer/core/dispatch.h"

#include <stddef.h>
#include <string.h>

/* Where a function's pointer stands in its table. */
struct function {
    const char *name;
    size_t offset;
};

struct alias {
    const char *canonical;
    const char *name;
};

#define INSTANCE_FUNCTION(name) {"vk" #name, offsetof(struct ws_instance_dispatch, name)},
static const struct function instance_functions[] = {WS_INSTANCE_FUNCTIONS(INSTANCE_FUNCTION)};
#undef INSTANCE_FUNCTION

#define DEVICE_FUNCTION(name) {"vk" #name, offsetof(struct ws_device_dispatch, name)},
static const struct function device_functions[] = {WS_DEVICE_FUNCTIONS(DEVICE_FUNCTION)};
static const struct function debug_utils_functions[] = {WS_DEBUG_UTILS_FUNCTIONS(DEVICE_FUNCTION)};
#undef DEVICE_FUNCTION

#define ALIAS(canonical, name) {"vk" #canonical, "vk" #name},
static const struct alias aliases[] = {WS_ALIASES(ALIAS)};
#undef ALIAS

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* vkGetInstanceProcAddr or vkGetDeviceProcAddr of the next layer with its handle. */
struct source {
    VkInstance instance;
    PFN_vkGetInstanceProcAddr instance_address;
    VkDevice device;
    PFN_vkGetDeviceProcAddr device_address;
};

static PFN_vkVoidFunction resolve_name(const struct source *source, const char *name)
{
    return source->device_address != NULL ? source->device_address(source->device, name)
                                          : source->instance_address(source->instance, name);
}

static PFN_vkVoidFunction resolve(const struct source *source, const char *name)
{
    PFN_vkVoidFunction function = resolve_name(source, name);
    for (size_t i = 0; function == NULL && i < COUNT(aliases); i++)
        if (strcmp(aliases[i].canonical, name) == 0)
            function = resolve_name(source, aliases[i].name);
    return function;
}

static void load(void *table, const struct function *functions, size_t count, const struct source *source)
{
    for (size_t i = 0; i < count; i++) {
        PFN_vkVoidFunction function = resolve(source, functions[i].name);
        memcpy((char *)table + functions[i].offset, &function, sizeof(function));
    }
}

void ws_instance_dispatch_load(struct ws_instance_dispatch *dispatch, VkInstance instance,
                               PFN_vkGetInstanceProcAddr next)
{
    const struct source source = {.instance = instance, .instance_address = next};
    dispatch->GetInstanceProcAddr = next;
    load(dispatch, instance_functions, COUNT(instance_functions), &source);
}

void ws_device_dispatch_load(struct ws_device_dispatch *dispatch, VkDevice device,
                             PFN_vkGetDeviceProcAddr next, VkInstance instance,
                             PFN_vkGetInstanceProcAddr instance_next)
{
    const struct source source = {.device = device, .device_address = next};
    dispatch->GetDeviceProcAddr = next;
    load(dispatch, device_functions, COUNT(device_functions), &source);
    for (size_t i = 0; i < COUNT(debug_utils_functions); i++) {
        char *member = (char *)dispatch + debug_utils_functions[i].offset;
        PFN_vkVoidFunction function;
        memcpy(&function, member, sizeof(function));
        if (function == NULL)
            function = instance_next(instance, debug_utils_functions[i].name);
        memcpy(member, &function, sizeof(function));
    }
}

bool ws_dispatch_is_debug_utils(const char *name)
{
    for (size_t i = 0; i < COUNT(debug_utils_functions); i++)
        if (strcmp(debug_utils_functions[i].name, name) == 0)
            return true;
    return false;
}

const char *ws_dispatch_canonical_name(const char *name)
{
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].canonical;
    return name;
}
