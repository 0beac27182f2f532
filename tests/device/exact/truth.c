/* The path tracer counts its own shaders' executions by plain atomics (--count). What the layer has counted
 * beside that, over the same frames, must be the same.
 * usage: truth PATH_TRACER SCENE */
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/exact/harness.h"

/* What the program prints, and where that stands in a capture. */
static const struct {
    const char *name;
    const char *module;
    uint32_t opcode; /* counts the executions of this instruction; SpvOpNop: of the entry point */
} sources[] = {
    {"raygen", "raygen.rgen", SpvOpNop},
    {"sky", "sky.rmiss", SpvOpNop},
    {"shadow", "shadow.rmiss", SpvOpNop},
    {"mesh", "mesh.rchit", SpvOpNop},
    {"sphere_hit", "sphere.rchit", SpvOpNop},
    {"screen", "screen.rahit", SpvOpNop},
    {"screen_ignored", "screen.rahit", SpvOpIgnoreIntersectionKHR},
    {"sphere_intersection", "sphere.rint", SpvOpNop},
    {"diffuse", "diffuse.rcall", SpvOpNop},
    {"metal", "metal.rcall", SpvOpNop},
    {"glass", "glass.rcall", SpvOpNop},
    {"glazed", "glazed.rcall", SpvOpNop},
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

/* Runs the program and reads "name number" lines into `counts`. Returns its exit status. */
static int run(struct ws_harness *harness, const char *program, const char *scene, uint64_t counts[SOURCES])
{
    char command[1024];
    char name[64];
    unsigned long long number;
    FILE *output;

    snprintf(command, sizeof(command),
             "'%s' --size 64x48 --samples 2 --frames 2 --count --scene '%s' -o '%s.png'", program, scene,
             harness->capture);
    output = popen(command, "r");
    if (output == NULL)
        return 1;
    while (fscanf(output, "%63s %llu", name, &number) == 2)
        for (size_t i = 0; i < SOURCES; i++)
            counts[i] += strcmp(sources[i].name, name) == 0 ? number : 0;
    const int status = pclose(output);
    snprintf(command, sizeof(command), "%s.png", harness->capture);
    unlink(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Active lanes, over all executions, of the entry points of that module, or of the blocks that hold `opcode`.
 */
static uint64_t captured(const struct ws_harness *harness, const char *name, uint32_t opcode)
{
    uint64_t lanes = 0;

    for (uint32_t i = 0; i < harness->launch_count; i++) {
        for (uint32_t j = 0; j < harness->launches[i].shader_count; j++) {
            const struct ws_counted_shader *counted = &harness->launches[i].shaders[j];
            const struct ws_module_record *module =
                &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
            if (strcmp(module->name, name) == 0)
                lanes += ws_counted_opcode_lanes(harness, counted, opcode);
        }
    }
    return lanes;
}

int main(int argc, char **argv)
{
    struct ws_harness harness = {.name = "truth"};
    uint64_t counts[SOURCES] = {0};
    int status;

    if (argc != 3) {
        fprintf(stderr, "usage: %s PATH_TRACER SCENE\n", argv[0]);
        return WS_TEST_FAILED;
    }
    ws_catalog_init(&harness.catalog);
    ws_harness_name_capture(&harness);
    status = run(&harness, argv[1], argv[2], counts);
    if (status == 3) {
        printf("no device that can trace rays\n");
        return WS_TEST_SKIPPED;
    }
    if (status != 0) {
        ws_harness_fail(&harness, "the path tracer ended with %d", status);
    } else if (ws_harness_read(&harness)) {
        for (size_t i = 0; i < SOURCES; i++) {
            const uint64_t lanes = captured(&harness, sources[i].module, sources[i].opcode);
            if (lanes != counts[i]) {
                ws_harness_fail(&harness, "%s: captured %llu, counted by itself %llu", sources[i].name,
                                (unsigned long long)lanes, (unsigned long long)counts[i]);
            }
        }
        if (counts[0] != 2 * 64 * 48) {
            ws_harness_fail(&harness, "%llu threads, not two frames of 64 x 48",
                            (unsigned long long)counts[0]);
        }
    }
    return ws_harness_finish(&harness);
}
