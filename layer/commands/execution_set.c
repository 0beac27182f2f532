#include "layer/commands/execution_set.h"

#include <pthread.h>
#include <stdlib.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"

/* What a place has. A pipeline may be destroyed while it is in a set that is not executed any more, by another thread at any
 * moment: so its shaders are kept, and not the pipeline. */
struct entry {
    uint64_t handle;            /* 0 = nothing was put there */
    uint32_t pipeline;          /* its capture id */
    struct ws_shader **shaders; /* instrumented ones, referenced; NULL = it has none, or is not known */
    uint32_t shader_count;
};

struct execution_set {
    pthread_mutex_t lock;     /* of the entries: commands may be recorded while the application changes one */
    enum ws_object_kind kind; /* WS_OBJECT_PIPELINE or WS_OBJECT_SHADER */
    uint64_t version;         /* rises when something comes in that was not there */
    uint32_t uses;            /* commands that were recorded with it */
    uint32_t count;
    bool lost; /* there was no memory for the shaders of an entry */
    struct entry entries[];
};

/* The handle is valid: the application is putting it into a set. False without memory. */
static bool entry_init(struct entry *entry, struct ws_device *device, enum ws_object_kind kind,
                       uint64_t handle)
{
    const struct ws_pipeline *pipeline = handle != 0 ? ws_objects_find(device, kind, handle) : NULL;
    *entry = (struct entry){.handle = handle};
    if (pipeline == NULL)
        return true;
    entry->pipeline = pipeline->capture_id;
    entry->shaders = malloc((pipeline->shader_count + (size_t)1) * sizeof(struct ws_shader *));
    if (entry->shaders == NULL)
        return false;
    for (uint32_t i = 0; i < pipeline->shader_count; i++)
        entry->shaders[i] = ws_shader_reference(pipeline->shaders[i]);
    entry->shader_count = pipeline->shader_count;
    return true;
}

static void entry_finish(struct entry *entry)
{
    for (uint32_t i = 0; i < entry->shader_count; i++)
        ws_shader_release(entry->shaders[i]);
    free(entry->shaders);
}

static void destroy(struct execution_set *set)
{
    if (set == NULL)
        return;
    for (uint32_t i = 0; i < set->count; i++)
        entry_finish(&set->entries[i]);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

static struct execution_set *create(struct ws_device *device, const VkIndirectExecutionSetCreateInfoEXT *info)
{
    const bool shaders = info->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    const uint32_t most =
        shaders ? info->info.pShaderInfo->maxShaderCount : info->info.pPipelineInfo->maxPipelineCount;
    const uint32_t initial = shaders ? info->info.pShaderInfo->shaderCount : 1;
    const uint32_t count = most > initial ? most : initial;
    struct execution_set *set = calloc(1, sizeof(*set) + count * sizeof(set->entries[0]));
    if (set == NULL)
        return NULL;
    ws_lock_init(&set->lock);
    set->kind = shaders ? WS_OBJECT_SHADER : WS_OBJECT_PIPELINE;
    set->count = count;
    for (uint32_t i = 0; i < initial; i++)
        if (!entry_init(&set->entries[i], device, set->kind,
                        shaders ? WS_HANDLE(info->info.pShaderInfo->pInitialShaders[i])
                                : WS_HANDLE(info->info.pPipelineInfo->initialPipeline)))
            set->lost = true;
    return set;
}

/* With the lock held. */
static void add_all(const struct execution_set *set, struct ws_uses *uses)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->entries[i].shaders != NULL)
            ws_uses_hold(uses, set->entries[i].pipeline, set->entries[i].shaders,
                         set->entries[i].shader_count);
    uses->failed = uses->failed || set->lost;
}

bool ws_execution_set_use(struct ws_device *device, VkIndirectExecutionSetEXT handle, struct ws_uses *uses)
{
    struct execution_set *set = ws_objects_find(device, WS_OBJECT_EXECUTION_SET, WS_HANDLE(handle));
    if (set == NULL)
        return false;
    ws_lock(&set->lock);
    const struct ws_used_set used = {.handle = WS_HANDLE(handle), .version = set->version};
    set->uses += set->uses < UINT32_MAX;
    if (!ws_uses_has_set(uses, &used))
        add_all(set, uses);
    ws_unlock(&set->lock);
    ws_uses_add_sets(uses, &used, 1);
    return true;
}

void ws_execution_sets_use_now(struct ws_device *device, const struct ws_used_set *sets, uint32_t count,
                               struct ws_uses *uses)
{
    for (uint32_t i = 0; i < count; i++) {
        struct execution_set *set = ws_objects_find(device, WS_OBJECT_EXECUTION_SET, sets[i].handle);
        if (set == NULL)
            continue;
        ws_lock(&set->lock);
        if (set->version != sets[i].version)
            add_all(set, uses);
        ws_unlock(&set->lock);
    }
}

static bool is_in(const struct execution_set *set, uint64_t handle)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->entries[i].handle == handle)
            return true;
    return false;
}

/* Puts a pipeline or shader object into the set. */
static void put(struct ws_device *device, VkIndirectExecutionSetEXT handle, uint32_t index, uint64_t entry)
{
    struct execution_set *set = ws_objects_find(device, WS_OBJECT_EXECUTION_SET, WS_HANDLE(handle));
    if (set == NULL || index >= set->count)
        return;
    struct entry next;
    const bool made = entry_init(&next, device, set->kind, entry);
    ws_lock(&set->lock);
    const bool came = !is_in(set, entry);
    const bool several = came && set->uses > 1;
    struct entry last = set->entries[index];
    set->version += came;
    set->lost = set->lost || !made;
    set->entries[index] = next;
    ws_unlock(&set->lock);
    entry_finish(&last);
    if (several)
        ws_message(
            device->instance, WS_INFORMATION,
            "something was put into an indirect execution set after several commands that use the set were "
            "recorded; where a command buffer has more than one of them, the last counts what all of them "
            "run of it");
}

static VKAPI_ATTR VkResult VKAPI_CALL create_set(VkDevice handle,
                                                 const VkIndirectExecutionSetCreateInfoEXT *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkIndirectExecutionSetEXT *made)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateIndirectExecutionSetEXT(handle, info, allocator, made);
    if (result != VK_SUCCESS)
        return result;
    struct execution_set *set = create(device, info);
    if (set == NULL || !ws_objects_add(device, WS_OBJECT_EXECUTION_SET, WS_HANDLE(*made), set)) {
        destroy(set);
        ws_message(device->instance, WS_ERROR,
                   "out of memory: launches by device-generated commands are not captured");
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_set(VkDevice handle, VkIndirectExecutionSetEXT set,
                                              const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    destroy(ws_objects_remove(device, WS_OBJECT_EXECUTION_SET, WS_HANDLE(set)));
    device->next.DestroyIndirectExecutionSetEXT(handle, set, allocator);
}

static VKAPI_ATTR void VKAPI_CALL update_pipelines(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                   uint32_t count,
                                                   const VkWriteIndirectExecutionSetPipelineEXT *writes)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.UpdateIndirectExecutionSetPipelineEXT(handle, set, count, writes);
    for (uint32_t i = 0; i < count; i++)
        put(device, set, writes[i].index, WS_HANDLE(writes[i].pipeline));
}

static VKAPI_ATTR void VKAPI_CALL update_shaders(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                 uint32_t count,
                                                 const VkWriteIndirectExecutionSetShaderEXT *writes)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.UpdateIndirectExecutionSetShaderEXT(handle, set, count, writes);
    for (uint32_t i = 0; i < count; i++)
        put(device, set, writes[i].index, WS_HANDLE(writes[i].shader));
}

static void finish(struct ws_device *device)
{
    struct execution_set *set;
    while ((set = ws_objects_remove_any(device, WS_OBJECT_EXECUTION_SET)) != NULL)
        destroy(set);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateIndirectExecutionSetEXT, create_set),
    WS_HOOK(DestroyIndirectExecutionSetEXT, destroy_set),
    WS_HOOK(UpdateIndirectExecutionSetPipelineEXT, update_pipelines),
    WS_HOOK(UpdateIndirectExecutionSetShaderEXT, update_shaders),
    WS_HOOK_END,
};

const struct ws_interception ws_execution_set_interception = {.hooks = hooks, .device_finish = finish};
