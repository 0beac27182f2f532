/* Scenes with planted faults, each with its repaired twin: what advice is tried on. An ordinary
 * Vulkan application: it knows nothing of Warpscope. */
#include <stdio.h>

#include "examples/base/frames.h"
#include "examples/base/run.h"
#include "examples/faults/device.h"
#include "examples/faults/fault.h"

static const char *const count_names[COUNT_SIZE] = {
    [COUNT_CAMERA_RAYS] = "camera_rays",
    [COUNT_BOUNCE_RAYS] = "bounce_rays",
    [COUNT_SHADOW_RAYS] = "shadow_rays",
    [COUNT_ANY_HIT] = "any_hit",
    [COUNT_IGNORED] = "ignored",
    [COUNT_INTERSECTION] = "intersection",
    [COUNT_REPORTED] = "reported",
    [COUNT_CLOSEST_HIT] = "closest_hit",
    [COUNT_MISS] = "miss",
    [COUNT_SOLID] = "solid_any_hit",
    [COUNT_SHADOW_HITS] = "shadow_hits",
    [COUNT_EMPTY_RANGE] = "empty_range",
    [COUNT_SHORT] = "short_range",
    [COUNT_SELF] = "self_hits",
    [COUNT_LEFT] = "left",
    [COUNT_BELOW] = "below",
    [COUNT_FAINT] = "faint",
    [COUNT_LATER] = "later_bounces",
    [COUNT_EMPTY] = "empty_runs",
    [COUNT_UNREPORTED] = "unreported",
};

struct arguments {
    struct ws_options common;
    bool list;
    bool repaired;
    bool count;
    bool query;
    bool time;
    const char *rays;
    uint32_t frames;
};

/* What draw_frame gets. */
struct drawing {
    struct ws_gpu *gpu;
    struct ws_fault_device *device;
    const struct ws_fault_scene *scene;
};

static void print_list(void)
{
    for (size_t i = 0; ws_faults[i] != NULL; i++) {
        printf("%-20s%s\n", ws_faults[i]->name, ws_faults[i]->summary);
        if (ws_faults[i]->change != NULL)
            printf("%-20srepaired: %s\n", "", ws_faults[i]->change);
    }
}

/* What the host knows of a scene by itself, then what the shaders counted. */
static void print_counts(const struct ws_fault_device *device, const struct ws_fault_scene *scene)
{
    const uint32_t *counts = device->counts.data;
    const uint32_t *tally = device->tally.data;

    printf("bottom_levels %u\n", scene->bottom_count);
    printf("triangles %u\n", scene->mesh.triangle_count);
    printf("table_records %u\n", scene->group_count);
    printf("tally %u\n", *tally);
    for (int i = 0; i < COUNT_SIZE; i++)
        printf("%s %u\n", count_names[i], counts[i]);
}

/* A line for each ray: its pixel and number, what it is, and what it hit. */
static bool write_rays(const char *path, const struct ws_fault_device *device,
                       const struct ws_fault_scene *scene, struct ws_error *error)
{
    const uint32_t *word = device->rays.data;
    FILE *file = fopen(path, "w");
    bool written = file != NULL;

    if (written) {
        fprintf(file,
                "x,y,ray,origin_x,origin_y,origin_z,tmin,direction_x,direction_y,direction_z,tmax,flags,"
                "hit,t,instance,custom_index,geometry,primitive,hit_kind\n");
    }
    for (size_t ray = 0; written && ray < (size_t)RAY_SLOTS * scene->width * scene->height; ray++) {
        const size_t pixel = ray / RAY_SLOTS;
        const float *number = (const float *)word;
        if (word[9] != 0) {
            fprintf(file, "%zu,%zu,%zu", pixel % scene->width, pixel / scene->width, ray % RAY_SLOTS);
            for (int i = 0; i < 8; i++)
                fprintf(file, ",%.9g", (double)number[i]);
            fprintf(file, ",%u,%u,%.9g", word[8], word[9] - 1, (double)number[10]);
            for (int i = 11; i < RAY_WORDS; i++)
                fprintf(file, ",%u", word[i]);
            fputc('\n', file);
        }
        word += RAY_WORDS;
    }
    written = written && !ferror(file);
    if (file != NULL && fclose(file) != 0)
        written = false;
    return written || ws_error_set(error, "cannot write \"%s\"", path);
}

static bool draw_frame(void *user, uint32_t frame, struct ws_error *error)
{
    const struct drawing *drawing = user;
    char label[32];

    snprintf(label, sizeof(label), "frame %u", frame);
    return ws_fault_device_change(drawing->gpu, drawing->device, drawing->scene, frame, error) &&
           ws_fault_device_draw(drawing->gpu, drawing->device, drawing->scene, label, error);
}

/* What is drawn. */
struct work {
    const struct arguments *arguments;
    const struct ws_fault_scene *scene;
};

static bool draw(void *user, struct ws_gpu *gpu, struct ws_error *error)
{
    const struct arguments *arguments = ((const struct work *)user)->arguments;
    const struct ws_fault_scene *scene = ((const struct work *)user)->scene;
    struct ws_fault_device device;
    bool drawn;

    if (!ws_fault_device_init(gpu, &device, scene, arguments->count, arguments->query, error))
        return false;
    struct drawing drawing = {gpu, &device, scene};
    drawn = ws_frames_draw(arguments->frames, arguments->time, draw_frame, &drawing, error);
    if (drawn && arguments->count)
        print_counts(&device, scene);
    drawn = drawn && (arguments->rays == NULL || write_rays(arguments->rays, &device, scene, error)) &&
            ws_png_write(arguments->common.output, device.pixels.data, scene->width, scene->height, error);
    ws_fault_device_finish(gpu, &device);
    return drawn;
}

static int run(const struct arguments *arguments, const struct ws_fault *fault)
{
    uint32_t needs = WS_GPU_RAY_TRACING;
    struct ws_fault_scene scene;
    struct work work = {arguments, &scene};
    int status = WS_EXIT_FAILED;

    ws_fault_scene_init(&scene, arguments->common.width, arguments->common.height);
    fault->build(&scene, arguments->repaired);
    if (arguments->query || scene.queries)
        needs |= WS_GPU_RAY_QUERY;
    if (scene.failed)
        fprintf(stderr, "faults: %s\n", scene.error.message);
    else
        status = ws_run(&arguments->common, needs, VK_QUEUE_COMPUTE_BIT, draw, &work);
    ws_fault_scene_finish(&scene);
    return status;
}

/* What is wrong with the arguments, or NULL. */
static const char *wrong(const struct arguments *arguments, const struct ws_fault *fault)
{
    if (arguments->common.word == NULL)
        return "name a scene; see --list";
    if (fault == NULL)
        return "there is no such scene; see --list";
    if (arguments->repaired && fault->change == NULL)
        return "there is nothing to repair in this scene";
    if ((arguments->query || arguments->rays != NULL) && fault != ws_fault_named("rays"))
        return "--query and --rays are for the scene rays";
    return NULL;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .common =
            {
                .program = "faults",
                .summary = "Draws a scene with a planted fault, or its repaired twin.",
                .operand = "SCENE",
                .output = "faults.png",
                .width = 64,
                .height = 64,
                .size_max = 4096,
            },
        .frames = 1,
    };
    const struct ws_option own[] = {
        {"list", 'l', WS_OPTION_FLAG, &arguments.list, NULL, "name the scenes and leave", 0, 0, NULL},
        {"repaired", 'r', WS_OPTION_FLAG, &arguments.repaired, NULL, "draw the repaired twin", 0, 0, NULL},
        {"count", 'c', WS_OPTION_FLAG, &arguments.count, NULL,
         "let the shaders count rays and their own executions, over all frames, and print them", 0, 0, NULL},
        {"frames", 'f', WS_OPTION_NUMBER, &arguments.frames, "N", "draw N frames, and write the last", 1,
         100000, NULL},
        {"query", 'q', WS_OPTION_FLAG, &arguments.query, NULL, "trace the scene rays by ray queries", 0, 0,
         NULL},
        {"time", 't', WS_OPTION_FLAG, &arguments.time, NULL,
         "print the first frame's milliseconds and the median of the others on stderr", 0, 0, NULL},
        {"rays", 0, WS_OPTION_TEXT, &arguments.rays, "FILE", "write the rays of the scene rays as CSV", 0, 0,
         NULL},
    };
    int status;

    if (!ws_options_parse(&arguments.common, own, sizeof(own) / sizeof(own[0]), argc, argv, &status))
        return status;
    if (arguments.list) {
        print_list();
        return WS_EXIT_DONE;
    }
    const struct ws_fault *fault =
        arguments.common.word != NULL ? ws_fault_named(arguments.common.word) : NULL;
    const char *complaint = wrong(&arguments, fault);
    if (complaint != NULL) {
        fprintf(stderr, "faults: %s\n", complaint);
        return WS_EXIT_USAGE;
    }
    return run(&arguments, fault);
}
