#include "layer/shader/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/shader/shader.h"
#include "layer/shader/shader_stage.h"

static void build_finish(struct ws_pipeline_build *build)
{
    for (uint32_t i = 0; build->stages != NULL && i < build->stage_count; i++)
        ws_shader_stage_finish(&build->stages[i]);
    free(build->stages);
    free(build->infos);
    free(build->shaders);
}

/* VkPipelineCreateFlags2CreateInfo replaces the flags of the create-info. */
static VkFlags64 flags_of(const struct ws_pipeline_shape *shape)
{
    const VkPipelineCreateFlags2CreateInfoKHR *flags =
        ws_chain_find(shape->chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
    return flags != NULL ? flags->flags : shape->flags;
}

/* Why no stage of a pipeline can be instrumented; NULL when they can. */
static const char *find_hindrance(const struct ws_pipeline_shape *shape)
{
    const VkPipelineBinaryInfoKHR *binaries =
        ws_chain_find(shape->chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
    if (binaries != NULL && binaries->binaryCount > 0)
        return "it is made of pipeline binaries, without SPIR-V";
    if ((flags_of(shape) & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) != 0)
        return "the application may keep its binary and use it without Warpscope";
    if ((flags_of(shape) & VK_PIPELINE_CREATE_PROTECTED_ACCESS_ONLY_BIT_EXT) != 0)
        return "it runs with protected memory only, which counters cannot be in";
    return shape->hindrance;
}

bool ws_pipeline_is_library(const struct ws_pipeline_shape *shape)
{
    return (flags_of(shape) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
}

static void add_shader(struct ws_pipeline_build *build, struct ws_shader *shader)
{
    for (uint32_t i = 0; i < build->shader_count; i++)
        if (build->shaders[i] == shader)
            return;
    build->shaders[build->shader_count++] = shader;
}

/* Collects the shaders of the stages and of the libraries, which were collected when those were made. */
static bool collect_shaders(struct ws_pipeline_build *build, struct ws_device *device,
                            const VkPipelineLibraryCreateInfoKHR *libraries)
{
    const uint32_t library_count = libraries != NULL ? libraries->libraryCount : 0;
    size_t capacity = build->stage_count;
    for (uint32_t i = 0; i < library_count; i++) {
        const struct ws_pipeline *library =
            ws_objects_find(device, WS_OBJECT_PIPELINE, WS_HANDLE(libraries->pLibraries[i]));
        capacity += library != NULL ? library->shader_count : 0;
    }
    build->shaders = calloc(capacity + 1, sizeof(struct ws_shader *));
    if (build->shaders == NULL)
        return false;
    for (uint32_t i = 0; i < build->stage_count; i++)
        if (build->stages[i].shader != NULL)
            add_shader(build, build->stages[i].shader);
    build->own_shader_count = build->shader_count;
    for (uint32_t i = 0; i < library_count; i++) {
        const struct ws_pipeline *library =
            ws_objects_find(device, WS_OBJECT_PIPELINE, WS_HANDLE(libraries->pLibraries[i]));
        for (uint32_t j = 0; library != NULL && j < library->shader_count; j++)
            add_shader(build, library->shaders[j]);
    }
    return true;
}

static bool build_init(struct ws_pipeline_build *build, struct ws_device *device,
                       const struct ws_pipeline_shape *shape)
{
    build->library = ws_pipeline_is_library(shape);
    build->reason = find_hindrance(shape);
    const uint32_t count = build->reason == NULL ? shape->stage_count : 0;
    if (build->reason == NULL)
        build->reason = shape->reason;
    build->stages = calloc(count + 1, sizeof(*build->stages));
    build->infos = calloc(count + 1, sizeof(*build->infos));
    if (build->stages == NULL || build->infos == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct ws_shader_stage *stage = &build->stages[i];
        ws_shader_stage_init(stage, device, &shape->stages[i], shape->early);
        build->stage_count++;
        build->infos[i] = stage->info;
        build->instrumented |= stage->instrumented;
        if (build->reason == NULL)
            build->reason = stage->reason;
    }
    return collect_shaders(build, device, shape->libraries);
}

/* Begins with the application's create-info. */
static void *copy_info(struct ws_pipeline_batch *batch, uint32_t index)
{
    const size_t size = batch->type->info_size;
    void *info = (char *)batch->infos + index * size;
    memcpy(info, (const char *)batch->originals + index * size, size);
    if (batch->type->adapt != NULL && batch->device->settings->instruments)
        batch->type->adapt(info, &batch->builds[index]);
    return info;
}

/* Watches how long the driver takes for what is instrumented. */
static void watch(struct ws_pipeline_batch *batch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        count += batch->builds[i].own_shader_count;
    struct ws_shader **shaders =
        batch->device->instance->watch != NULL ? calloc(count + 1, sizeof(*shaders)) : NULL;
    if (shaders == NULL)
        return;
    count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        for (uint32_t j = 0; j < batch->builds[i].own_shader_count; j++)
            shaders[count++] = batch->builds[i].shaders[j];
    batch->watched.what = "a call that creates pipelines";
    batch->watched.shaders = ws_shaders_describe(shaders, count, &batch->watched.sites);
    ws_watch_begin(batch->device->instance->watch, &batch->watched);
    free(shaders);
}

struct ws_pipeline_batch *ws_pipeline_batch_create(struct ws_device *device,
                                                   const struct ws_pipeline_type *type, VkPipelineCache cache,
                                                   uint32_t count, const void *originals,
                                                   const VkAllocationCallbacks *allocator)
{
    struct ws_progress_capture *shown = device->capture->progress;
    struct ws_pipeline_batch *batch = calloc(1, sizeof(*batch));
    if (batch == NULL)
        return NULL;
    batch->device = device;
    batch->type = type;
    batch->cache = cache;
    batch->allocator = allocator;
    batch->count = count;
    batch->originals = originals;
    batch->infos = malloc(count * type->info_size + 1);
    batch->builds = calloc(count + 1, sizeof(*batch->builds));
    if (batch->infos == NULL || batch->builds == NULL)
        goto error;
    for (uint32_t i = 0; i < count; i++) {
        void *info = copy_info(batch, i);
        struct ws_pipeline_shape shape = {0};
        type->describe(info, &shape);
        WS_PROGRESS_ADD(shown, instrumenting, shape.stage_count);
        const bool built = build_init(&batch->builds[i], device, &shape);
        WS_PROGRESS_SUBTRACT(shown, instrumenting, shape.stage_count);
        if (!built)
            goto error;
        batch->compiling += shape.stage_count;
        if (batch->builds[i].instrumented)
            type->replace_stages(info, batch->builds[i].infos);
    }
    WS_PROGRESS_ADD(shown, compiling, batch->compiling);
    batch->shown = true;
    watch(batch);
    return batch;
error:
    ws_pipeline_batch_destroy(batch);
    return NULL;
}

void ws_pipeline_batch_destroy(struct ws_pipeline_batch *batch)
{
    if (batch == NULL)
        return;
    ws_watch_end(&batch->watched);
    if (batch->shown) {
        WS_PROGRESS_SUBTRACT(batch->device->capture->progress, compiling, batch->compiling);
        WS_PROGRESS_ADD(batch->device->capture->progress, pipelines, batch->count);
    }
    for (uint32_t i = 0; batch->builds != NULL && i < batch->count; i++)
        build_finish(&batch->builds[i]);
    free(batch->builds);
    free(batch->infos);
    free(batch);
}

void ws_pipeline_destroy(struct ws_pipeline *pipeline)
{
    if (pipeline == NULL)
        return;
    for (uint32_t i = 0; pipeline->shaders != NULL && i < pipeline->shader_count; i++)
        ws_shader_release(pipeline->shaders[i]);
    free(pipeline->groups);
    free(pipeline->shaders);
    free(pipeline);
}

/* Writes the PIPE chunk and, where a part is not instrumented, a SKIP chunk. */
static void write_pipeline(struct ws_device *device, const struct ws_pipeline *pipeline,
                           struct ws_shader *const *shaders, uint32_t shader_count, bool library,
                           const char *reason, uint32_t *ids)
{
    for (uint32_t i = 0; i < shader_count; i++)
        ids[i] = shaders[i]->capture_id;
    const struct ws_chunk_pipeline chunk = {
        .id = pipeline->capture_id,
        .device = device->capture_id,
        .kind = pipeline->kind,
        .shaders = ids,
        .shader_count = shader_count,
        .flags = library ? 1 : 0,
    };
    struct ws_error error = {0};
    ws_capture_check(device->instance, ws_capture_write_pipeline(device->capture->writer, &chunk, &error),
                     &error);
    if (reason != NULL && device->settings->instruments)
        ws_capture_skip(device->capture, WS_SKIP_PIPELINE, pipeline->capture_id, WS_NONE, WS_NONE, 1, reason);
}

bool ws_pipeline_remember(struct ws_device *device, enum ws_pipeline_kind kind, uint64_t handle,
                          struct ws_shader *const *shaders, uint32_t shader_count, uint32_t counted,
                          bool library, const char *reason)
{
    struct ws_pipeline *pipeline = calloc(1, sizeof(*pipeline));
    uint32_t *ids = calloc(shader_count + 1, sizeof(*ids));
    if (pipeline != NULL)
        pipeline->shaders = calloc(counted + 1, sizeof(struct ws_shader *));
    if (ids == NULL || pipeline == NULL || pipeline->shaders == NULL)
        goto error;
    pipeline->capture_id = ws_capture_next(&device->capture->next_pipeline);
    pipeline->kind = kind;
    pipeline->shader_count = counted;
    for (uint32_t i = 0; i < counted; i++)
        pipeline->shaders[i] = ws_shader_reference(shaders[shader_count - counted + i]);
    write_pipeline(device, pipeline, shaders, shader_count, library, reason, ids);
    const enum ws_object_kind map = kind == WS_PIPELINE_SHADER_OBJECT ? WS_OBJECT_SHADER : WS_OBJECT_PIPELINE;
    if (!ws_objects_add(device, map, handle, pipeline))
        goto error;
    free(ids);
    return true;
error:
    free(ids);
    ws_pipeline_destroy(pipeline);
    /* Nobody will know when it is destroyed, and until then its code counts in the rows of these shaders: they
     * keep them for ever. */
    for (uint32_t i = 0; i < counted; i++)
        ws_shader_reference(shaders[shader_count - counted + i]);
    ws_message(device->instance, WS_ERROR, "out of memory: a pipeline is not captured");
    return false;
}

/* Puts the application's stages back into the builds whose pipeline the driver refused (all = into every
 * build), and destroys the pipelines that were made. False when no build had instrumented stages. */
static bool fall_back(struct ws_pipeline_batch *batch, VkPipeline *pipelines, bool all)
{
    const struct ws_device *device = batch->device;
    bool changed = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct ws_pipeline_build *build = &batch->builds[i];
        const bool failed = all || pipelines[i] == VK_NULL_HANDLE;
        if (failed && build->instrumented && !build->refused) {
            build->refused = true;
            changed = true;
            copy_info(batch, i);
        }
    }
    for (uint32_t i = 0; changed && i < batch->count; i++) {
        device->next.DestroyPipeline(device->handle, pipelines[i], batch->allocator);
        pipelines[i] = VK_NULL_HANDLE;
    }
    return changed;
}

VkResult ws_pipeline_batch_complete(struct ws_pipeline_batch *batch, VkResult result, VkPipeline *pipelines)
{
    /* First only the pipelines that failed are created without instrumentation, since the driver accepts the
     * others; if that fails too, all of them. A failure without any instrumentation is the application's
     * own. */
    for (int attempt = 0; attempt < 2 && result < 0; attempt++)
        if (fall_back(batch, pipelines, attempt > 0))
            result = batch->type->create(batch, VK_NULL_HANDLE, batch->infos, pipelines);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct ws_pipeline_build *build = &batch->builds[i];
        if (pipelines[i] == VK_NULL_HANDLE)
            continue;
        if (build->refused) {
            build->reason = "the driver refuses it with instrumented shaders";
            ws_message(batch->device->instance, WS_WARNING,
                       "the driver refuses a pipeline with instrumented shaders; it runs without");
        }
        const uint32_t counted =
            build->refused ? build->shader_count - build->own_shader_count : build->shader_count;
        ws_pipeline_remember(batch->device, batch->type->kind, WS_HANDLE(pipelines[i]), build->shaders,
                             build->shader_count, counted, build->library, build->reason);
        if (batch->type->made != NULL && batch->device->settings->geometry)
            batch->type->made(batch, i, pipelines[i]);
    }
    return result;
}

VkResult ws_pipelines_create(struct ws_device *device, const struct ws_pipeline_type *type,
                             VkPipelineCache cache, uint32_t count, const void *originals,
                             const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
    struct ws_pipeline_batch *batch =
        ws_pipeline_batch_create(device, type, cache, count, originals, allocator);
    if (batch == NULL) {
        ws_message(device->instance, WS_ERROR, "out of memory: pipelines are not captured");
        const struct ws_pipeline_batch plain = {
            .device = device, .type = type, .cache = cache, .allocator = allocator, .count = count};
        return type->create(&plain, VK_NULL_HANDLE, originals, pipelines);
    }
    for (uint32_t i = 0; i < count; i++)
        pipelines[i] = VK_NULL_HANDLE;
    VkResult result = type->create(batch, VK_NULL_HANDLE, batch->infos, pipelines);
    result = ws_pipeline_batch_complete(batch, result, pipelines);
    ws_pipeline_batch_destroy(batch);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_pipeline_destroy(ws_objects_remove(device, WS_OBJECT_PIPELINE, WS_HANDLE(pipeline)));
    device->next.DestroyPipeline(handle, pipeline, allocator);
}

static void device_finish(struct ws_device *device)
{
    struct ws_pipeline *pipeline;
    while ((pipeline = ws_objects_remove_any(device, WS_OBJECT_PIPELINE)) != NULL)
        ws_pipeline_destroy(pipeline);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(DestroyPipeline, destroy_pipeline),
    WS_HOOK_END,
};

const struct ws_interception ws_pipeline_interception = {.hooks = hooks, .device_finish = device_finish};
