/* VkInstance: created with what the passes need, remembered for look-ups by dispatch pointer. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/messenger.h"
#include "layer/core/settings.h"

/* Buffer device addresses are core from 1.2 on, so a device that the application made for 1.2 or later
 * needs no extension for them. */
#define API_VERSION_WANTED VK_API_VERSION_1_2

static pthread_rwlock_t instances_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ws_instance *instances;

struct ws_instance *ws_instance_of(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    pthread_rwlock_rdlock(&instances_lock);
    struct ws_instance *instance = instances;
    while (instance != NULL && instance->key != key)
        instance = instance->following;
    pthread_rwlock_unlock(&instances_lock);
    return instance;
}

static void remember(struct ws_instance *instance)
{
    pthread_rwlock_wrlock(&instances_lock);
    instance->following = instances;
    instances = instance;
    pthread_rwlock_unlock(&instances_lock);
}

static struct ws_instance *forget(const void *dispatchable)
{
    const void *key = *(void *const *)dispatchable;
    pthread_rwlock_wrlock(&instances_lock);
    struct ws_instance **link = &instances;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->following;
    struct ws_instance *instance = *link;
    if (instance != NULL)
        *link = instance->following;
    pthread_rwlock_unlock(&instances_lock);
    return instance;
}

static void destroy(struct ws_instance *instance)
{
    if (instance == NULL)
        return;
    ws_messengers_finish(instance);
    ws_settings_destroy(instance->settings);
    free(instance->application_name);
    free(instance->engine_name);
    free(instance);
}

/* The first struct of `type` in a pNext chain, NULL when there is none. */
static const void *find_in_chain(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *item = chain;
    while (item != NULL && item->sType != type)
        item = item->pNext;
    return item;
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
    instance->messenger =
        find_in_chain(create_info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);

    struct ws_error error = {0};
    instance->settings = ws_settings_create(create_info->pNext, &error);
    if (instance->settings == NULL)
        ws_message(instance, WS_ERROR, "%s; nothing is captured", error.message);
    instance->active = instance->settings != NULL && instance->settings->pass_count > 0;
    return instance;
}

/* Creates the instance in the next layer: for at least API_VERSION_WANTED when passes are on, and as the
 * application asked when the implementation refuses that (a 1.0 implementation must fail versions that it
 * does not have: VK_ERROR_INCOMPATIBLE_DRIVER). */
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
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;

    struct ws_instance *instance = create(create_info);
    if (instance == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = create_next(instance, create_info, allocator, handle);
    if (result != VK_SUCCESS) {
        destroy(instance);
        return result;
    }
    instance->handle = *handle;
    instance->key = *(void **)*handle;
    instance->messenger = NULL; /* the application may free it now */
    ws_instance_dispatch_load(&instance->next, *handle, next);
    remember(instance);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL ws_destroy_instance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (handle == VK_NULL_HANDLE)
        return;
    struct ws_instance *instance = forget(handle);
    if (instance == NULL)
        return;
    instance->next.DestroyInstance(handle, allocator);
    destroy(instance);
}
