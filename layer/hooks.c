#include "hooks.h"

#include <string.h>

#include "dispatch.h"

/* Every file that intercepts, those first that others build upon. */
#define INTERCEPTIONS(X) X(ws_shader_module_interception)

#define DECLARE(name) extern const struct ws_interception name;
INTERCEPTIONS(DECLARE)
#undef DECLARE

#define POINTER(name) &name,
static const struct ws_interception *const interceptions[] = {INTERCEPTIONS(POINTER)};
#undef POINTER

#define COUNT (sizeof(interceptions) / sizeof(interceptions[0]))

PFN_vkVoidFunction ws_hooks_find(const char *name)
{
    name = ws_dispatch_canonical_name(name);
    for (size_t i = 0; i < COUNT; i++) {
        for (const struct ws_hook *hook = interceptions[i]->hooks; hook->name != NULL; hook++) {
            if (strcmp(hook->name, name) == 0)
                return hook->function;
        }
    }
    return NULL;
}

static void finish(struct ws_device *device, size_t count)
{
    while (count-- > 0) {
        if (interceptions[count]->device_finish != NULL)
            interceptions[count]->device_finish(device);
    }
}

bool ws_hooks_device_init(struct ws_device *device, struct ws_error *error)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (interceptions[i]->device_init != NULL && !interceptions[i]->device_init(device, error)) {
            finish(device, i);
            return false;
        }
    }
    return true;
}

void ws_hooks_device_finish(struct ws_device *device)
{
    finish(device, COUNT);
}

void ws_hooks_device_flush(struct ws_device *device)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (interceptions[i]->device_flush != NULL)
            interceptions[i]->device_flush(device);
    }
}
