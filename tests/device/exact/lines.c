/* Lines that count themselves (shaders/lines.comp), compiled in several ways: with OpLine and with
 * NonSemantic.Shader.DebugInfo.100, and both optimised, so that all functions are inlined. Of each line, the executions
 * and lanes that are worked out from the blocks' counters must be those that the line has counted.
 * usage: lines FOLDER SOURCE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/report_simt.h"
#include "analysis/report/report.h"
#include "analysis/simt/lines.h"
#include "analysis/simt/simt_efficiency.h"
#include "tests/device/exact/harness.h"

#define PROBES 32
#define GROUPS 5

/* What a line has counted. */
struct probe {
    uint32_t executions;
    uint32_t lanes;
};

struct launch {
    const char *label;
    struct ws_gpu_shader shader;
    struct probe probes[PROBES];
};

static bool dispatch(struct ws_harness *harness, struct launch *launch, struct ws_error *error)
{
    static const struct probe none[PROBES];
    struct ws_gpu *gpu = &harness->gpu;
    struct ws_gpu_buffer probes = {0};
    struct ws_gpu_bindings bindings = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    bool done = false;

    launch->shader = ws_harness_shader(harness, launch->label, VK_SHADER_STAGE_COMPUTE_BIT, NULL);
    if (!ws_gpu_buffer_init(gpu, &probes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, none, sizeof(none), error))
        return false;
    const struct ws_gpu_binding binding = {.buffer = &probes};
    if (launch->shader.words != NULL &&
        ws_gpu_bindings_init(gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0, error))
        pipeline = ws_gpu_compute_pipeline(gpu, &bindings, &launch->shader, error);
    if (pipeline != VK_NULL_HANDLE)
        commands = ws_gpu_begin(gpu, error);
    if (commands != VK_NULL_HANDLE) {
        ws_gpu_label(gpu, commands, launch->label);
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &bindings);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        ws_gpu_label_end(gpu, commands);
        done = ws_gpu_submit(gpu, commands, error);
    }
    if (done)
        memcpy(launch->probes, probes.data, sizeof(launch->probes));
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_buffer_finish(gpu, &probes);
    return done;
}

/* The shader that ran in the launch of that label; WS_NONE. */
static uint32_t find_shader(const struct ws_catalog *catalog, const char *label)
{
    for (uint32_t i = 0; i < catalog->shader_count; i++)
        if (strcmp(catalog->modules[catalog->shaders[i].module].name, label) == 0)
            return i;
    return WS_NONE;
}

static void check_line(struct ws_harness *harness, const struct launch *launch, uint32_t number,
                       uint32_t line, const struct ws_lines *lines, const struct ws_simt_counts *of_block)
{
    const struct probe *probe = &launch->probes[number];
    struct ws_simt_counts counts = {0};
    uint32_t found = WS_NONE;
    for (uint32_t i = 0; i < lines->line_count; i++)
        if (lines->lines[i].line == line)
            found = i;
    if (found == WS_NONE) {
        ws_harness_fail(harness, "%s: line %u has no code", launch->label, line);
        return;
    }
    ws_lines_count(lines, found, of_block, &counts);
    if (counts.warps != probe->executions || counts.active != probe->lanes)
        ws_harness_fail(harness,
                        "%s:%u: %" PRIu64 " executions with %" PRIu64 " lanes, the line counted %u with %u",
                        launch->label, line, counts.warps, counts.active, probe->executions, probe->lanes);
}

/* Compares every line of the source with "COUNT(n)" in it. Returns how many there are. */
static uint32_t check_source(struct ws_harness *harness, const struct launch *launch, const char *path,
                             const struct ws_lines *lines, const struct ws_simt_counts *of_block)
{
    char text[256];
    uint32_t checked = 0;
    FILE *source = fopen(path, "r");
    for (uint32_t line = 1; source != NULL && fgets(text, sizeof(text), source) != NULL; line++) {
        const char *at = strstr(text, "COUNT(");
        if (at == NULL || strchr("0123456789", at[6]) == NULL)
            continue;
        check_line(harness, launch, (uint32_t)strtoul(at + 6, NULL, 10), line, lines, of_block);
        checked++;
    }
    if (source != NULL)
        fclose(source);
    return checked;
}

static void check(struct ws_harness *harness, const struct ws_report *report, const struct launch *launch,
                  const char *path)
{
    struct ws_error error = {0};
    const struct ws_catalog *catalog = &report->catalog;
    const uint32_t shader = find_shader(catalog, launch->label);
    struct ws_code *code = ws_code_create(launch->shader.words, (uint32_t)(launch->shader.size / 4), &error);
    if (shader == WS_NONE || code == NULL) {
        ws_harness_fail(harness, "%s was not recorded, or cannot be read %s", launch->label, error.message);
        ws_code_destroy(code);
        return;
    }
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    struct ws_lines *lines = ws_lines_create(code, module);
    struct ws_simt_counts *of_block = calloc(module->block_count + 1, sizeof(*of_block));
    struct ws_simt_histogram histogram;
    for (uint32_t i = 0; of_block != NULL && i < module->block_count; i++)
        ws_simt_block(ws_report_simt(report), shader, i, &of_block[i], &histogram);
    if (lines == NULL || of_block == NULL || check_source(harness, launch, path, lines, of_block) < 29)
        ws_harness_fail(harness, "%s: not all lines were found", launch->label);
    free(of_block);
    ws_lines_destroy(lines);
    ws_code_destroy(code);
}

int main(int argc, char **argv)
{
    static struct launch launches[] = {{.label = "lines"},
                                       {.label = "lines_optimised"},
                                       {.label = "lines_debug"},
                                       {.label = "lines_debug_optimised"}};
    struct ws_harness harness;
    struct ws_report report;
    struct ws_error error = {0};
    const int status = ws_harness_begin(&harness, "lines", argc - 1, argv, 0, VK_QUEUE_COMPUTE_BIT);
    bool done = true;

    if (status != WS_TEST_PASSED)
        return status;
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]) && done; i++)
        done = dispatch(&harness, &launches[i], &error);
    if (!done)
        ws_harness_fail(&harness, "%s", error.message);
    else if (ws_harness_read(&harness)) {
        if (!ws_report_read(&report, harness.capture, NULL, &error)) {
            ws_harness_fail(&harness, "%s", error.message);
        } else {
            for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
                check(&harness, &report, &launches[i], argv[2]);
            ws_report_finish(&report);
        }
    }
    return ws_harness_finish(&harness);
}
