#include "examples/path_tracer/scene.h"

#include <string.h>

#define DATA           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define DATA_AND_INPUT (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | WS_GPU_BUILD_INPUT)

static bool copy_buffers(struct ws_gpu *gpu, struct ws_scene_device *device, const struct ws_scene *scene,
                         struct ws_error *error)
{
    const struct ws_mesh *mesh = &scene->mesh;
    const size_t points = 3 * (size_t)mesh->vertex_count * sizeof(float);
    const size_t indices = 3 * (size_t)mesh->triangle_count * sizeof(uint32_t);
    VkAabbPositionsKHR boxes[WS_SPHERES_MAX];

    for (uint32_t i = 0; i < scene->sphere_count; i++) {
        const float *centre = scene->spheres[i].centre;
        const float radius = scene->spheres[i].radius;
        boxes[i] = (VkAabbPositionsKHR){centre[0] - radius, centre[1] - radius, centre[2] - radius,
                                        centre[0] + radius, centre[1] + radius, centre[2] + radius};
    }
    const struct {
        struct ws_gpu_buffer *buffer;
        VkBufferUsageFlags usage;
        const void *data;
        size_t size;
    } copies[] = {
        {&device->positions, DATA_AND_INPUT, mesh->positions, points},
        {&device->normals, DATA, mesh->normals, points},
        {&device->indices, DATA_AND_INPUT, mesh->indices, indices},
        {&device->objects, DATA, scene->objects, sizeof(scene->objects)},
        {&device->materials, DATA, scene->materials, sizeof(scene->materials)},
        {&device->spheres, DATA, scene->spheres, sizeof(scene->spheres)},
        {&device->boxes, WS_GPU_BUILD_INPUT, boxes, scene->sphere_count * sizeof(boxes[0])},
        {&device->view, DATA, &scene->view, sizeof(scene->view)},
    };
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
        if (!ws_gpu_buffer_init(gpu, copies[i].buffer, copies[i].usage, copies[i].data, copies[i].size,
                                error))
            return false;
    return true;
}

/* The geometry of an object's triangles. */
static struct ws_gpu_geometry geometry_of(const struct ws_scene_device *device, const struct ws_scene *scene,
                                          uint32_t object, bool opaque)
{
    return (struct ws_gpu_geometry){
        .vertices = device->positions.address + 3 * sizeof(float) * scene->objects[object].first_vertex,
        .vertex_count = scene->vertex_counts[object],
        .indices = device->indices.address + sizeof(uint32_t) * scene->objects[object].first_index,
        .triangle_count = scene->triangle_counts[object],
        .opaque = opaque,
    };
}

static bool build_bottom(struct ws_gpu *gpu, struct ws_scene_device *device, const struct ws_scene *scene,
                         struct ws_error *error)
{
    struct ws_gpu_geometry room[WS_OBJECTS_MAX];
    const struct ws_gpu_geometry model = geometry_of(device, scene, scene->room_objects, true);
    const struct ws_gpu_geometry screen = geometry_of(device, scene, scene->room_objects + 1, false);
    const struct ws_gpu_geometry balls = {
        .boxes = device->boxes.address,
        .box_count = scene->sphere_count,
        .opaque = true,
    };

    for (uint32_t i = 0; i < scene->room_objects; i++)
        room[i] = geometry_of(device, scene, i, true);
    return ws_gpu_bottom_level_init(gpu, &device->room, room, scene->room_objects, error) &&
           ws_gpu_bottom_level_init(gpu, &device->model, &model, 1, error) &&
           ws_gpu_bottom_level_init(gpu, &device->screen, &screen, 1, error) &&
           ws_gpu_bottom_level_init(gpu, &device->balls, &balls, 1, error);
}

static bool build_top(struct ws_gpu *gpu, struct ws_scene_device *device, const struct ws_scene *scene,
                      struct ws_error *error)
{
    const float one[3] = {1, 1, 1};
    const float zero[3] = {0, 0, 0};
    const float model_scale[3] = {1.12f, 1.12f, 1.12f};
    const float model_place[3] = {-0.14f, 0, 0.05f};
    const float panel[3] = {0.44f, 1.28f, 1};
    const float panels[3][3] = {{-0.92f, 0, -0.30f}, {-0.55f, 0, -0.54f}, {-0.14f, 0, -0.38f}};
    const float angles[3] = {0.58f, -0.38f, 0.58f};
    const uint32_t screen_object = scene->room_objects + 1;
    const VkAccelerationStructureInstanceKHR instances[] = {
        ws_gpu_instance(&device->room, zero, one, 0, 0, HIT_MESH),
        ws_gpu_instance(&device->model, model_place, model_scale, 0.35f, scene->room_objects, HIT_MESH),
        ws_gpu_instance(&device->screen, panels[0], panel, angles[0], screen_object, HIT_SCREEN),
        ws_gpu_instance(&device->screen, panels[1], panel, angles[1], screen_object, HIT_SCREEN),
        ws_gpu_instance(&device->screen, panels[2], panel, angles[2], screen_object, HIT_SCREEN),
        ws_gpu_instance(&device->balls, zero, one, 0, 0, HIT_SPHERE),
    };

    return ws_gpu_top_level_init(gpu, &device->top, instances, sizeof(instances) / sizeof(instances[0]),
                                 error);
}

bool ws_scene_device_init(struct ws_gpu *gpu, struct ws_scene_device *device, const struct ws_scene *scene,
                          struct ws_error *error)
{
    memset(device, 0, sizeof(*device));
    if (!copy_buffers(gpu, device, scene, error) || !build_bottom(gpu, device, scene, error) ||
        !build_top(gpu, device, scene, error)) {
        ws_scene_device_finish(gpu, device);
        return false;
    }
    return true;
}

void ws_scene_device_finish(struct ws_gpu *gpu, struct ws_scene_device *device)
{
    struct ws_gpu_acceleration_structure *const structures[] = {
        &device->top, &device->balls, &device->screen, &device->model, &device->room,
    };
    struct ws_gpu_buffer *const buffers[] = {
        &device->positions, &device->normals, &device->indices, &device->objects,
        &device->materials, &device->spheres, &device->boxes,   &device->view,
    };

    for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++)
        ws_gpu_acceleration_structure_finish(gpu, structures[i]);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        ws_gpu_buffer_finish(gpu, buffers[i]);
}
