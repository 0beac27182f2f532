#include "examples/faults/device.h"

#include <math.h>
#include <string.h>

#define DATA           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define DATA_AND_INPUT (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | WS_GPU_BUILD_INPUT)
#define TRACE_STAGES                                                                                         \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                                      \
     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                                    \
     VK_SHADER_STAGE_INTERSECTION_BIT_KHR)

static bool make_buffers(struct ws_gpu *gpu, struct ws_fault_device *device,
                         const struct ws_fault_scene *scene, struct ws_error *error)
{
    const struct ws_mesh *mesh = &scene->mesh;
    const size_t pixels = (size_t)scene->width * scene->height;
    VkAabbPositionsKHR boxes[WS_FAULT_BALLS_MAX] = {0};

    for (uint32_t i = 0; i < scene->ball_count; i++) {
        const float *ball = scene->balls[i];
        const float half = scene->ball_room * ball[3];
        boxes[i] = (VkAabbPositionsKHR){ball[0] - half, ball[1] - half, ball[2] - half,
                                        ball[0] + half, ball[1] + half, ball[2] + half};
    }
    const struct {
        struct ws_gpu_buffer *buffer;
        VkBufferUsageFlags usage;
        const void *data; /* NULL = zeroes */
        size_t size;
    } buffers[] = {
        {&device->positions, DATA_AND_INPUT, mesh->positions, 3 * mesh->vertex_count * sizeof(float)},
        {&device->indices, DATA_AND_INPUT, mesh->indices, 3 * mesh->triangle_count * sizeof(uint32_t)},
        {&device->objects, DATA, scene->objects, sizeof(scene->objects)},
        {&device->balls, DATA, scene->balls, sizeof(scene->balls)},
        {&device->boxes, WS_GPU_BUILD_INPUT, boxes, sizeof(boxes)},
        {&device->view, DATA, &scene->view, sizeof(scene->view)},
        {&device->counts, DATA, NULL, COUNT_SIZE * sizeof(uint32_t)},
        {&device->tally, DATA, NULL, sizeof(uint32_t)},
        {&device->rays, DATA, NULL, RAY_SLOTS * RAY_WORDS * sizeof(uint32_t) * pixels},
        {&device->pixels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL, 4 * pixels},
    };
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (!ws_gpu_buffer_init(gpu, buffers[i].buffer, buffers[i].usage, buffers[i].data, buffers[i].size,
                                error))
            return false;
    return ws_gpu_image_init(gpu, &device->image, VK_FORMAT_R8G8B8A8_UNORM,
                             VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, scene->width,
                             scene->height, error);
}

/* The geometries of a bottom-level structure; returns how many. */
static uint32_t fill_geometries(const struct ws_fault_device *device, const struct ws_fault_scene *scene,
                                const struct ws_fault_bottom *bottom, struct ws_gpu_geometry *geometries)
{
    if (bottom->count == 0) {
        geometries[0] = (struct ws_gpu_geometry){
            .boxes = device->boxes.address, .box_count = scene->ball_count, .opaque = true};
        return 1;
    }
    for (uint32_t i = 0; i < bottom->count; i++) {
        const struct ws_fault_object *object = &scene->objects[bottom->first + i];
        const struct ws_fault_geometry *geometry = &scene->geometries[bottom->first + i];
        geometries[i] = (struct ws_gpu_geometry){
            .vertices = device->positions.address + 3 * sizeof(float) * object->first_vertex,
            .vertex_count = geometry->vertex_count,
            .indices = device->indices.address + sizeof(uint32_t) * object->first_index,
            .triangle_count = geometry->triangle_count,
            .opaque = !geometry->transparent,
        };
    }
    return bottom->count;
}

static VkBuildAccelerationStructureFlagsKHR flags_of(const struct ws_fault_bottom *bottom)
{
    switch (bottom->change) {
    case WS_FAULT_UPDATED: return VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
    case WS_FAULT_COMPACTED: return VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR;
    case WS_FAULT_STAYS: break;
    }
    return VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
}

static bool build_bottom(struct ws_gpu *gpu, struct ws_fault_device *device,
                         const struct ws_fault_scene *scene, uint32_t index, struct ws_error *error)
{
    const struct ws_fault_bottom *bottom = &scene->bottoms[index];
    struct ws_gpu_geometry geometries[WS_FAULT_OBJECTS_MAX];
    const uint32_t count = fill_geometries(device, scene, bottom, geometries);

    return ws_gpu_bottom_level_init_flags(gpu, &device->bottoms[index], geometries, count, flags_of(bottom),
                                          error);
}

/* Nothing is built where nothing stands in it: of the second. `anew`: in its place. */
static bool build_top(struct ws_gpu *gpu, struct ws_fault_device *device, const struct ws_fault_scene *scene,
                      uint32_t top, bool anew, struct ws_error *error)
{
    struct ws_gpu_acceleration_structure *structure = &device->tops[top];
    VkAccelerationStructureInstanceKHR instances[WS_FAULT_INSTANCES_MAX] = {0};
    uint32_t count = 0;

    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct ws_fault_instance *instance = &scene->instances[i];
        if (instance->top != top)
            continue;
        instances[count] =
            ws_gpu_instance(&device->bottoms[instance->bottom], instance->position, instance->scale,
                            instance->angle, instance->object, instance->hit_group);
        instances[count].mask = instance->mask & 0xff;
        /* What the meshes call outside is the front. */
        instances[count].flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR;
        count++;
    }
    if (count == 0)
        return true;
    return anew ? ws_gpu_top_level_rebuild(gpu, structure, instances, count, error)
                : ws_gpu_top_level_init(gpu, structure, instances, count, error);
}

static bool build_structures(struct ws_gpu *gpu, struct ws_fault_device *device,
                             const struct ws_fault_scene *scene, struct ws_error *error)
{
    for (uint32_t i = 0; i < scene->bottom_count; i++)
        if (!build_bottom(gpu, device, scene, i, error))
            return false;
    for (uint32_t i = 0; i < WS_FAULT_TOPS; i++)
        if (!build_top(gpu, device, scene, i, false, error))
            return false;
    return true;
}

static bool make_bindings(struct ws_gpu *gpu, struct ws_fault_device *device, bool query,
                          struct ws_error *error)
{
    const struct ws_gpu_acceleration_structure *second = &device->tops[1];
    if (second->handle == VK_NULL_HANDLE) /* a scene with one: a descriptor must have something */
        second = &device->tops[0];
    const struct ws_gpu_binding bindings[BINDING_COUNT] = {
        [BINDING_STRUCTURE] = {.acceleration_structure = &device->tops[0].handle},
        [BINDING_IMAGE] = {.image = &device->image},
        [BINDING_POSITIONS] = {.buffer = &device->positions},
        [BINDING_INDICES] = {.buffer = &device->indices},
        [BINDING_OBJECTS] = {.buffer = &device->objects},
        [BINDING_SPHERES] = {.buffer = &device->balls},
        [BINDING_VIEW] = {.buffer = &device->view},
        [BINDING_COUNTS] = {.buffer = &device->counts},
        [BINDING_TALLY] = {.buffer = &device->tally},
        [BINDING_RAYS] = {.buffer = &device->rays},
        [BINDING_SECOND] = {.acceleration_structure = &second->handle},
    };

    return ws_gpu_bindings_init(gpu, &device->bindings, bindings, BINDING_COUNT,
                                query ? VK_SHADER_STAGE_COMPUTE_BIT : TRACE_STAGES, 0, error);
}

/* The place of `shader` among those that the pipeline has, where it is put if it is not there yet. */
static uint32_t place_shader(uint32_t *used, uint32_t *count, uint32_t shader)
{
    if (shader == WS_GPU_NO_SHADER)
        return WS_GPU_NO_SHADER;
    for (uint32_t i = 0; i < *count; i++)
        if (used[i] == shader)
            return i;
    used[*count] = shader;
    return (*count)++;
}

/* Empties the records of miss shaders that the scene does not want called. */
static void clear_misses(struct ws_fault_device *device, const struct ws_fault_scene *scene)
{
    const VkStridedDeviceAddressRegionKHR *miss = &device->ray_tracing.miss;
    unsigned char *table = device->ray_tracing.table.data;

    for (uint32_t i = 0; i < 2; i++) {
        if (scene->no_misses[i]) {
            const VkDeviceAddress record = miss->deviceAddress + (i + 1) * miss->stride;
            memset(table + (record - device->ray_tracing.table.address), 0, miss->stride);
        }
    }
}

static bool make_pipeline(struct ws_gpu *gpu, struct ws_fault_device *device,
                          const struct ws_fault_scene *scene, bool counting, bool query,
                          struct ws_error *error)
{
    VkSpecializationMapEntry entries[CONSTANT_COUNT];
    const VkSpecializationInfo specialization = {CONSTANT_COUNT, entries, sizeof(scene->constants),
                                                 &scene->constants};
    struct ws_gpu_group groups[WS_GPU_SHADERS_MAX];
    struct ws_gpu_shader shaders[WS_GPU_SHADERS_MAX];
    uint32_t used[WS_GPU_SHADERS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < CONSTANT_COUNT; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * sizeof(uint32_t), sizeof(uint32_t)};
    if (query) {
        device->query = ws_gpu_compute_pipeline(gpu, &device->bindings,
                                                ws_fault_shader(WS_FAULT_RAYS_COMP, counting), error);
        return device->query != VK_NULL_HANDLE;
    }
    for (uint32_t i = 0; i < scene->group_count; i++) {
        groups[i].general = place_shader(used, &count, scene->groups[i].general);
        groups[i].closest_hit = place_shader(used, &count, scene->groups[i].closest_hit);
        groups[i].any_hit = place_shader(used, &count, scene->groups[i].any_hit);
        groups[i].intersection = place_shader(used, &count, scene->groups[i].intersection);
    }
    for (uint32_t i = 0; i < count; i++) {
        shaders[i] = *ws_fault_shader(used[i], counting);
        shaders[i].specialization = &specialization;
    }
    if (!ws_gpu_ray_tracing_init(gpu, &device->ray_tracing, &device->bindings, shaders, count, groups,
                                 scene->group_count, 1, error))
        return false;
    clear_misses(device, scene);
    return true;
}

bool ws_fault_device_init(struct ws_gpu *gpu, struct ws_fault_device *device,
                          const struct ws_fault_scene *scene, bool counting, bool query,
                          struct ws_error *error)
{
    memset(device, 0, sizeof(*device));
    if (!make_buffers(gpu, device, scene, error) || !build_structures(gpu, device, scene, error) ||
        !make_bindings(gpu, device, query, error) ||
        !make_pipeline(gpu, device, scene, counting, query, error)) {
        ws_fault_device_finish(gpu, device);
        return false;
    }
    return true;
}

void ws_fault_device_finish(struct ws_gpu *gpu, struct ws_fault_device *device)
{
    struct ws_gpu_buffer *const buffers[] = {
        &device->positions, &device->indices, &device->objects, &device->balls, &device->boxes,
        &device->view,      &device->counts,  &device->tally,   &device->rays,  &device->pixels,
    };

    if (gpu->device != VK_NULL_HANDLE)
        vkDestroyPipeline(gpu->device, device->query, NULL);
    ws_gpu_ray_tracing_finish(gpu, &device->ray_tracing);
    ws_gpu_bindings_finish(gpu, &device->bindings);
    for (uint32_t i = 0; i < WS_FAULT_TOPS; i++)
        ws_gpu_acceleration_structure_finish(gpu, &device->tops[i]);
    for (uint32_t i = 0; i < WS_FAULT_BOTTOMS_MAX; i++)
        ws_gpu_acceleration_structure_finish(gpu, &device->bottoms[i]);
    ws_gpu_image_finish(gpu, &device->image);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        ws_gpu_buffer_finish(gpu, buffers[i]);
}

/* Bends an object to and fro, from frame to frame. */
static void bend(struct ws_fault_device *device, const struct ws_fault_scene *scene, uint32_t index,
                 uint32_t frame)
{
    const size_t first = 3 * (size_t)scene->objects[index].first_vertex;
    const float *rest = &scene->mesh.positions[first];
    float *positions = (float *)device->positions.data + first;

    for (uint32_t i = 0; i < scene->geometries[index].vertex_count; i++) {
        const float height = rest[3 * i + 1];
        positions[3 * i] = rest[3 * i] + 0.2f * height * sinf((float)frame);
    }
}

bool ws_fault_device_change(struct ws_gpu *gpu, struct ws_fault_device *device,
                            const struct ws_fault_scene *scene, uint32_t frame, struct ws_error *error)
{
    bool changed = false;
    bool good = true;

    for (uint32_t i = 0; i < scene->bottom_count && good; i++) {
        const struct ws_fault_bottom *bottom = &scene->bottoms[i];
        struct ws_gpu_acceleration_structure *structure = &device->bottoms[i];
        struct ws_gpu_geometry geometries[WS_FAULT_OBJECTS_MAX];
        if (bottom->change == WS_FAULT_STAYS)
            continue;
        for (uint32_t k = 0; k < bottom->count; k++)
            bend(device, scene, bottom->first + k, frame);
        if (bottom->change == WS_FAULT_UPDATED) {
            const uint32_t count = fill_geometries(device, scene, bottom, geometries);
            good = ws_gpu_bottom_level_update(gpu, structure, geometries, count, flags_of(bottom), error);
        } else {
            ws_gpu_acceleration_structure_finish(gpu, structure);
            good = build_bottom(gpu, device, scene, i, error) &&
                   ws_gpu_acceleration_structure_compact(gpu, structure, error);
        }
        changed = true;
    }
    for (uint32_t i = 0; i < WS_FAULT_TOPS && good && changed; i++)
        good = build_top(gpu, device, scene, i, true, error);
    return good;
}

bool ws_fault_device_draw(struct ws_gpu *gpu, struct ws_fault_device *device,
                          const struct ws_fault_scene *scene, const char *label, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(gpu, commands, label);
    ws_gpu_image_layout(commands, &device->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (device->query != VK_NULL_HANDLE) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, device->query, &device->bindings);
        vkCmdDispatch(commands, (scene->width + 7) / 8, (scene->height + 3) / 4, 1);
    } else {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, device->ray_tracing.pipeline,
                    &device->bindings);
        ws_gpu_trace_rays(commands, &device->ray_tracing, 0, scene->width, scene->height);
    }
    ws_gpu_image_copy(commands, &device->image, VK_IMAGE_LAYOUT_GENERAL, &device->pixels);
    ws_gpu_label_end(gpu, commands);
    return ws_gpu_submit(gpu, commands, error);
}
