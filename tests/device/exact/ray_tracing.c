/* Ray-tracing shaders whose every count is known. The launch is cut into bands of one subgroup's width, and
 * each band's rays meet something else; within a band odd and even lanes part. Where a driver puts the
 * threads of a row into subgroups one after the other, as Mesa's software device does, and hit shaders run in
 * the lanes of their callers, each bin is known. Vulkan promises neither, so elsewhere only the sums of lanes
 * are compared. */
#include <stdio.h>
#include <string.h>

#include "examples/base/acceleration_structure.h"
#include "examples/base/ray_tracing.h"
#include "tests/device/exact/harness.h"

#define BANDS          8
#define HEIGHT         6
#define PARTIAL_WIDTH  100
#define PARTIAL_HEIGHT 37
#define STAGES                                                                                               \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                                      \
     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                                    \
     VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

enum { TRIANGLE, CUT_OUT, BOX, STRUCTURES };

static const char bands_label[] = "bands";
static const char partial_label[] = "partial";

struct scene {
    struct ws_gpu_buffer vertices;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_buffer results;
    struct ws_gpu_acceleration_structure bottom[STRUCTURES];
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
};

static void finish_scene(struct ws_gpu *gpu, struct scene *scene)
{
    ws_gpu_ray_tracing_finish(gpu, &scene->ray_tracing);
    ws_gpu_bindings_finish(gpu, &scene->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &scene->top);
    for (int i = 0; i < STRUCTURES; i++)
        ws_gpu_acceleration_structure_finish(gpu, &scene->bottom[i]);
    ws_gpu_buffer_finish(gpu, &scene->vertices);
    ws_gpu_buffer_finish(gpu, &scene->indices);
    ws_gpu_buffer_finish(gpu, &scene->boxes);
    ws_gpu_buffer_finish(gpu, &scene->results);
}

/* One triangle, one box: each covers all of the launch, and each ray meets it once. */
static bool build_bottom(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const float vertices[] = {-1e3f, -1e3f, 0, 2e4f, -1e3f, 0, -1e3f, 2e4f, 0};
    static const uint32_t indices[] = {0, 1, 2};
    static const VkAabbPositionsKHR box = {-1e3f, -1e3f, -0.25f, 2e4f, 2e4f, 0.25f};

    if (!ws_gpu_buffer_init(gpu, &scene->vertices, WS_GPU_BUILD_INPUT, vertices, sizeof(vertices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->indices, WS_GPU_BUILD_INPUT, indices, sizeof(indices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->boxes, WS_GPU_BUILD_INPUT, &box, sizeof(box), error))
        return false;
    const struct ws_gpu_geometry triangle = {
        .vertices = scene->vertices.address,
        .vertex_count = 3,
        .indices = scene->indices.address,
        .triangle_count = 1,
        .opaque = true,
    };
    struct ws_gpu_geometry cut_out = triangle;
    cut_out.opaque = false;
    const struct ws_gpu_geometry boxes = {.boxes = scene->boxes.address, .box_count = 1, .opaque = true};
    return ws_gpu_bottom_level_init(gpu, &scene->bottom[TRIANGLE], &triangle, 1, error) &&
           ws_gpu_bottom_level_init(gpu, &scene->bottom[CUT_OUT], &cut_out, 1, error) &&
           ws_gpu_bottom_level_init(gpu, &scene->bottom[BOX], &boxes, 1, error);
}

/* Bands 1 to 7 have an instance each, which no other band's rays see; band 0 has none. */
static bool build_top(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const struct {
        uint32_t structure;
        uint32_t hit_group;
    } bands[BANDS] = {{0, 0},        {TRIANGLE, 0}, {CUT_OUT, 1}, {BOX, 2},
                      {TRIANGLE, 3}, {TRIANGLE, 4}, {CUT_OUT, 5}, {TRIANGLE, 0}};
    const float zero[3] = {0, 0, 0};
    const float one[3] = {1, 1, 1};
    VkAccelerationStructureInstanceKHR instances[BANDS - 1];

    for (uint32_t band = 1; band < BANDS; band++) {
        instances[band - 1] =
            ws_gpu_instance(&scene->bottom[bands[band].structure], zero, one, 0, band, bands[band].hit_group);
        instances[band - 1].mask = 1u << band;
    }
    return ws_gpu_top_level_init(gpu, &scene->top, instances, BANDS - 1, error);
}

static bool make_pipeline(struct ws_harness *harness, struct scene *scene, struct ws_error *error)
{
    enum { BANDS_SHADER, PARTIAL, MISS, HIT, IGNORE, ODD_BOX, RECURSE, CALL, TERMINATE, EVEN, ODD, SHADERS };
    const VkSpecializationMapEntry entry = {0, 0, sizeof(uint32_t)};
    const VkSpecializationInfo width = {1, &entry, sizeof(uint32_t), &harness->gpu.subgroup_size};
    const uint32_t none = WS_GPU_NO_SHADER;
    static const struct {
        const char *file;
        VkShaderStageFlagBits stage;
    } files[SHADERS] = {
        [BANDS_SHADER] = {"bands.rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
        [PARTIAL] = {"partial.rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
        [MISS] = {"miss.rmiss", VK_SHADER_STAGE_MISS_BIT_KHR},
        [HIT] = {"hit.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
        [IGNORE] = {"ignore.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
        [ODD_BOX] = {"odd.rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
        [RECURSE] = {"recurse.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
        [CALL] = {"call.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
        [TERMINATE] = {"terminate.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
        [EVEN] = {"even.rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR},
        [ODD] = {"odd.rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR},
    };
    const struct ws_gpu_group groups[] = {
        {BANDS_SHADER, none, none, none}, {PARTIAL, none, none, none}, {MISS, none, none, none},
        {none, HIT, none, none},          {none, HIT, IGNORE, none},   {none, HIT, none, ODD_BOX},
        {none, RECURSE, none, none},      {none, CALL, none, none},    {none, HIT, TERMINATE, none},
        {EVEN, none, none, none},         {ODD, none, none, none},
    };
    struct ws_gpu_shader shaders[SHADERS];

    for (int i = 0; i < SHADERS; i++)
        shaders[i] = ws_harness_shader(harness, files[i].file, files[i].stage, &width);
    /* From ray generation, then from closest hits: one for the even lanes, three for the odd ones. */
    return ws_gpu_ray_tracing_init(&harness->gpu, &scene->ray_tracing, &scene->bindings, shaders, SHADERS,
                                   groups, sizeof(groups) / sizeof(groups[0]), 4, error);
}

static bool trace(struct ws_gpu *gpu, struct scene *scene, const char *label, uint32_t raygen, uint32_t width,
                  uint32_t height, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(gpu, commands, label);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene->ray_tracing.pipeline,
                &scene->bindings);
    ws_gpu_trace_rays(commands, &scene->ray_tracing, raygen, width, height);
    ws_gpu_label_end(gpu, commands);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(gpu, commands, error);
}

/* The shaders do their own work as before: each has added its number to its ray's result. */
static void check_results(struct ws_harness *harness, const struct scene *scene, uint32_t width)
{
    /* By band; for even lanes, then for odd ones. */
    static const uint32_t values[BANDS][2] = {{1, 1},         {10, 10}, {210, 101},   {1, 10},
                                              {10001, 30001}, {20, 30}, {2010, 1010}, {0, 0}};
    const uint32_t *results = scene->results.data;
    const uint32_t size = width / BANDS;

    for (uint32_t i = 0; i < width * HEIGHT; i++) {
        const uint32_t x = i % width;
        const uint32_t expected = values[x / size][x % size % 2];
        if (results[i] != expected) {
            ws_harness_fail(harness, "thread %u of row %u has the result %u, expected %u", x, i / width,
                            results[i], expected);
            return;
        }
    }
}

static bool run(struct ws_harness *harness, struct ws_error *error)
{
    struct ws_gpu *gpu = &harness->gpu;
    const uint32_t width = BANDS * gpu->subgroup_size;
    const uint32_t bands_size = width * HEIGHT * 4;
    const uint32_t partial_size = PARTIAL_WIDTH * PARTIAL_HEIGHT * 4;
    struct scene scene = {0};
    bool done = false;

    if (!build_bottom(gpu, &scene, error) || !build_top(gpu, &scene, error) ||
        !ws_gpu_buffer_init(gpu, &scene.results, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            bands_size > partial_size ? bands_size : partial_size, error))
        goto error;
    const struct ws_gpu_binding bindings[] = {
        {.acceleration_structure = &scene.top.handle},
        {.buffer = &scene.results},
    };
    if (!ws_gpu_bindings_init(gpu, &scene.bindings, bindings, 2, STAGES, 0, error) ||
        !make_pipeline(harness, &scene, error) || !trace(gpu, &scene, bands_label, 0, width, HEIGHT, error))
        goto error;
    check_results(harness, &scene, width);
    done = trace(gpu, &scene, partial_label, 1, PARTIAL_WIDTH, PARTIAL_HEIGHT, error);
error:
    finish_scene(gpu, &scene);
    return done;
}

/* Whether the threads of a row stand in subgroups one after the other, and hit shaders run in their lanes. */
static bool lanes_are_rows(const struct ws_gpu *gpu)
{
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &driver,
    };

    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    return driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
}

/* Compares one shader; `count` blocks. */
static void check(struct ws_harness *harness, const struct ws_counted_launch *launch, const char *file,
                  const struct ws_expected_block *blocks, uint32_t count, bool sums)
{
    const struct ws_counted_shader *counted = ws_harness_counted(harness, launch, file, "main");

    if (counted != NULL)
        ws_harness_compare(harness, launch, counted, blocks, count, sums);
}

/* Executions by a whole warp, by its even lanes and by its odd lanes. */
static struct ws_expected_block block(const char *name, uint32_t size, uint64_t whole, uint64_t even,
                                      uint64_t odd)
{
    struct ws_expected_block expected = {.name = name};

    ws_expect(&expected, whole, size);
    ws_expect(&expected, even, (size + 1) / 2);
    ws_expect(&expected, odd, size / 2);
    return expected;
}

static void check_bands(struct ws_harness *harness, uint32_t size, bool sums)
{
    const uint64_t rows = HEIGHT;
    const struct ws_counted_launch *launch = ws_harness_launch(harness, bands_label);
    const struct {
        const char *file;
        struct ws_expected_block blocks[4];
        uint32_t count;
    } shaders[] = {
        {"bands.rgen",
         {block("entry", size, BANDS * rows, 0, 0), block("band 7", size, rows, 0, 0),
          block("end", size, BANDS * rows, 0, 0)},
         3},
        /* Band 0; the odd lanes of band 2 and the even ones of band 3; in band 4 first the even ones, and two
         * traces deeper the odd ones. */
        {"miss.rmiss", {block("entry", size, rows, 2 * rows, 2 * rows)}, 1},
        /* Bands 1 and 6; the even lanes of band 2; the odd ones of band 3. Not band 7, which skips it. */
        {"hit.rchit", {block("entry", size, 2 * rows, rows, rows)}, 1},
        {"ignore.rahit",
         {block("entry", size, rows, 0, 0), block("ignore", size, 0, 0, rows),
          block("end", size, 0, rows, 0)},
         3},
        {"terminate.rahit",
         {block("entry", size, rows, 0, 0), block("terminate", size, 0, 0, rows),
          block("end", size, 0, rows, 0)},
         3},
        {"odd.rint",
         {block("entry", size, rows, 0, 0), block("report", size, 0, 0, rows),
          block("behind the report", size, 0, 0, rows), block("end", size, rows, 0, 0)},
         4},
        /* All lanes, then twice the odd ones, which trace into the triangle again the first two times. */
        {"recurse.rchit",
         {block("entry", size, rows, 0, 2 * rows), block("again", size, 0, 0, 2 * rows),
          block("end", size, rows, 0, 2 * rows)},
         3},
        {"call.rchit", {block("entry", size, rows, 0, 0)}, 1},
        {"even.rcall", {block("entry", size, 0, rows, 0)}, 1},
        {"odd.rcall", {block("entry", size, 0, 0, rows)}, 1},
    };

    if (launch == NULL)
        return;
    if (launch->kind != WS_LAUNCH_TRACE_RAYS || launch->size[0] != BANDS * size ||
        launch->size[1] != HEIGHT || launch->size[2] != 1)
        ws_harness_fail(harness, "%s: kind or size of the launch is wrong", bands_label);
    for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++)
        check(harness, launch, shaders[i].file, shaders[i].blocks, shaders[i].count, sums);
}

/* A launch whose rows end in partial warps. */
static void check_partial(struct ws_harness *harness, uint32_t size, bool sums)
{
    const struct ws_counted_launch *launch = ws_harness_launch(harness, partial_label);
    struct ws_expected_block entry = {.name = "entry"};

    ws_expect(&entry, PARTIAL_HEIGHT * (PARTIAL_WIDTH / size), size);
    ws_expect(&entry, PARTIAL_HEIGHT, PARTIAL_WIDTH % size);
    if (launch != NULL) {
        check(harness, launch, "partial.rgen", &entry, 1, sums);
        check(harness, launch, "miss.rmiss", &entry, 1, sums);
    }
}

int main(int argc, char **argv)
{
    struct ws_harness harness;
    struct ws_error error = {0};
    int status =
        ws_harness_begin(&harness, "ray_tracing", argc, argv, WS_GPU_RAY_TRACING, VK_QUEUE_COMPUTE_BIT);

    if (status != WS_TEST_PASSED)
        return status;
    const uint32_t size = harness.gpu.subgroup_size;
    const bool sums = !lanes_are_rows(&harness.gpu);
    if (!run(&harness, &error)) {
        ws_harness_fail(&harness, "%s", error.message);
    } else if (ws_harness_read(&harness)) {
        check_bands(&harness, size, sums);
        check_partial(&harness, size, sums);
    }
    return ws_harness_finish(&harness);
}
