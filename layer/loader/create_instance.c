/* VkInstance: created for the version of Vulkan that the passes need. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/probes.h"
#include "layer/core/progress.h"
#include "layer/core/settings.h"
#include "layer/core/watch.h"
#include "layer/loader/create.h"
#include "layer/process/plugins.h"
#include "layer/process/privileges.h"
#include "passes/settings/settings.h"

/* Buffer device addresses are core from 1.2 on, so a device that the application made for 1.2 or later
 * needs no extension for them. */
#define API_VERSION_WANTED VK_API_VERSION_1_2

static void destroy(struct ws_instance *instance)
{
    if (instance == NULL)
        return;
    ws_watch_destroy(instance->watch);
    ws_messengers_finish(instance);
    ws_probe_list_destroy(instance->probes);
    ws_settings_destroy(instance->settings);
    free(instance->application_name);
    free(instance->engine_name);
    free(instance);
}

/* The loader's link to the next layer. The loader owns it and wants it advanced by each layer
 * (LoaderLayerInterface.md, "Example Code for CreateInstance"), so const goes away here only. */
static VkLayerInstanceCreateInfo *find_link(const VkInstanceCreateInfo *create_info)
{
    const VkLayerInstanceCreateInfo *item = create_info->pNext;
    while (item != NULL && (item->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                            item->function != VK_LAYER_LINK_INFO))
        item = item->pNext;
    return (VkLayerInstanceCreateInfo *)item;
}

/* A setting that was mistyped would be missed in silence. `warpscope record` says it by itself, before the program
 * begins. */
static void say_unknown(struct ws_instance *instance)
{
    char text[256];
    size_t at = 0;
    if (ws_process_is_privileged() || secure_getenv("WARPSCOPE_RUN") != NULL)
        return;
    while (ws_setting_next_unknown(environ, &at, text, sizeof(text)))
        ws_message(instance, WS_WARNING, "%s", text);
}

/* Whether a variable is set that has the loader load this layer, and none that chooses its passes. */
static bool is_asked_for_nothing(void)
{
    char name[WS_SETTING_VARIABLE_SIZE];
    const char *explicit_layers = secure_getenv("VK_INSTANCE_LAYERS");
    const char *globs = secure_getenv("VK_LOADER_LAYERS_ENABLE");
    for (unsigned i = 0; i < WS_SETTING_VARIABLES; i++)
        if (secure_getenv(ws_setting_variable(WS_SETTING_PASSES, i, name)) != NULL)
            return false;
    return secure_getenv("WARPSCOPE_ENABLE") != NULL ||
           (explicit_layers != NULL && strstr(explicit_layers, WS_LAYER_NAME) != NULL) ||
           (globs != NULL && strcasestr(globs, "warpscope") != NULL);
}

static void say_inactive(struct ws_instance *instance)
{
    if (!instance->active && instance->settings != NULL && instance->settings->pass_count == 0 &&
        !ws_process_is_privileged() && is_asked_for_nothing())
        ws_message_notice(instance,
                          "the layer is loaded, but no pass is chosen, so that nothing is captured: set "
                          "WARPSCOPE_PASSES=simt_efficiency, or see `warpscope list passes`");
}

/* Passes of plug-ins that could not be loaded. */
static void say_missing(struct ws_instance *instance)
{
    if (instance->settings != NULL && instance->settings->missing_passes != NULL)
        ws_message(instance, WS_ERROR, "there is no pass of this name without its plug-in: %s; %s",
                   instance->settings->missing_passes,
                   instance->active ? "the others are captured" : "nothing is captured");
}

/* The application runs without that plug-in. */
static void tell(void *user, const char *message)
{
    ws_message(user, WS_ERROR, "%s", message);
}

/* Reads the probes of the settings, and says which cannot be read. False without memory. */
static bool load_probes(struct ws_instance *instance, struct ws_error *error)
{
    if (ws_process_is_privileged() || instance->settings->probes == NULL)
        return true;
    instance->probes = ws_probe_list_create(instance->settings, error);
    if (instance->probes == NULL)
        return false;
    for (uint32_t i = 0; i < instance->probes->refused_count; i++)
        ws_message(instance, WS_ERROR, "%s", instance->probes->refused[i]);
    return true;
}

static struct ws_instance *create(const VkInstanceCreateInfo *create_info)
{
    struct ws_instance *instance = calloc(1, sizeof(*instance));
    if (instance == NULL)
        return NULL;
    const VkApplicationInfo *info = create_info->pApplicationInfo;
    const char *application = info != NULL && info->pApplicationName != NULL ? info->pApplicationName : "";
    const char *engine = info != NULL && info->pEngineName != NULL ? info->pEngineName : "";
    instance->application_name = strdup(application);
    instance->engine_name = strdup(engine);
    if (instance->application_name == NULL || instance->engine_name == NULL) {
        destroy(instance);
        return NULL;
    }
    /* 0 is the same as 1.0. */
    instance->api_version = info != NULL && info->apiVersion != 0 ? info->apiVersion : VK_API_VERSION_1_0;
    instance->application_version = instance->api_version;
    instance->messenger =
        ws_chain_find(create_info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);

    say_unknown(instance);
    const bool has_plugins = ws_load_plugins(tell, instance);
    struct ws_error error = {0};
    instance->settings = ws_settings_create(create_info->pNext, !has_plugins, &error);
    if (instance->settings == NULL)
        ws_message(instance, WS_ERROR, "%s; nothing is captured", error.message);
    else if (!load_probes(instance, &error))
        ws_message(instance, WS_ERROR, "%s; nothing is captured", error.message);
    instance->active = instance->probes != NULL && instance->probes->pass_count > 0;
    if (instance->active && instance->settings->slow_after > 0)
        instance->watch = ws_watch_create(instance, instance->settings->slow_after * WS_WATCH_SECOND);
    say_missing(instance);
    say_inactive(instance);
    return instance;
}

/* The loader owns the links, one after the other in memory of this call of vkCreateInstance; it, too, would leave out
 * a layer whose name it knows already. */
static void leave_out_ourselves(VkLayerInstanceLink *link)
{
    while (link->pNext != NULL)
        if (link->pfnNextGetInstanceProcAddr == ws_get_instance_proc_addr) {
            link->pfnNextGetInstanceProcAddr = link->pNext->pfnNextGetInstanceProcAddr;
            link->pfnNextGetPhysicalDeviceProcAddr = link->pNext->pfnNextGetPhysicalDeviceProcAddr;
            link->pNext = link->pNext->pNext;
        } else {
            link = link->pNext;
        }
}

/* Creates the instance in the next layer. With passes on it asks for API_VERSION_WANTED at least. Where the
 * driver refuses that, it asks for what the application wanted: an implementation of Vulkan 1.0 must refuse
 * later versions with VK_ERROR_INCOMPATIBLE_DRIVER. */
static VkResult create_next(struct ws_instance *instance, const VkInstanceCreateInfo *create_info,
                            const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = find_link(create_info);
    VkLayerInstanceLink *here = link->u.pLayerInfo;
    PFN_vkCreateInstance next =
        (PFN_vkCreateInstance)here->pfnNextGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance");
    if (next == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;

    if (instance->active && instance->api_version < API_VERSION_WANTED) {
        VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
        if (create_info->pApplicationInfo != NULL)
            application = *create_info->pApplicationInfo;
        application.apiVersion = API_VERSION_WANTED;
        VkInstanceCreateInfo raised = *create_info;
        raised.pApplicationInfo = &application;
        link->u.pLayerInfo = here->pNext;
        if (next(&raised, allocator, handle) == VK_SUCCESS) {
            instance->api_version = API_VERSION_WANTED;
            return VK_SUCCESS;
        }
    }
    link->u.pLayerInfo = here->pNext; /* the layers below have advanced it further */
    return next(create_info, allocator, handle);
}

VKAPI_ATTR VkResult VKAPI_CALL ws_create_instance(const VkInstanceCreateInfo *create_info,
                                                  const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = find_link(create_info);
    if (link == NULL || link->u.pLayerInfo == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    leave_out_ourselves(link->u.pLayerInfo);
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;

    ws_progress_start();
    ws_progress_instance();
    struct ws_instance *instance = create(create_info);
    if (instance == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = create_next(instance, create_info, allocator, handle);
    if (result != VK_SUCCESS) {
        ws_progress_refused(result);
        destroy(instance);
        return result;
    }
    instance->handle = *handle;
    instance->key = *(void **)*handle;
    instance->messenger = NULL; /* the application may free it now */
    ws_instance_dispatch_load(&instance->next, *handle, next);
    ws_instance_add(instance);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL ws_destroy_instance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (handle == VK_NULL_HANDLE)
        return;
    struct ws_instance *instance = ws_instance_remove(handle);
    if (instance == NULL)
        return;
    ws_watch_destroy(instance->watch); /* its thread may ask fences of devices that were left */
    instance->watch = NULL;
    instance->next.DestroyInstance(handle, allocator);
    destroy(instance);
}
