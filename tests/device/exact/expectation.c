/* What the example `divergence` says that its kernels must show (--expect) is what a capture of it shows. The
 * blocks are found by the source lines on which a kernel's comments name them.
 * usage: expectation DIVERGENCE SOURCE_FOLDER KERNEL WORKGROUP */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/exact/harness.h"

#define SIZE "100x37"

/* The line of a kernel's source that holds `block "NAME"`, counted from 1; 0 when there is none. */
static uint32_t line_of(const char *path, const char *name)
{
    char wanted[80];
    char line[256];
    uint32_t number = 0;
    uint32_t found = 0;
    FILE *file = fopen(path, "r");

    snprintf(wanted, sizeof(wanted), "block \"%s\"", name);
    while (file != NULL && found == 0 && fgets(line, sizeof(line), file) != NULL) {
        number++;
        found = strstr(line, wanted) != NULL ? number : 0;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* Compares one line of --expect with the block that stands on source line `line` of "<kernel>.comp". */
static void compare(struct ws_harness *harness, const struct ws_counted_shader *counted, const char *kernel,
                    const char *name, uint32_t line, uint64_t executions, uint64_t lanes)
{
    const struct ws_entry_record *entry = ws_catalog_entry(&harness->catalog, counted->shader);
    const struct ws_module_record *module =
        &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
    uint32_t matches = 0;

    for (uint32_t i = 0; i < entry->block_count; i++) {
        const struct ws_block_record *block = &module->blocks[entry->blocks[i]];
        const char *file = block->file != NULL ? strrchr(block->file, '/') : NULL;
        if (file == NULL || strncmp(file + 1, kernel, strlen(kernel)) != 0 || line < block->line ||
            line > block->line_last)
            continue;
        matches++;
        const uint64_t got_executions = ws_counted_executions(harness, counted, i);
        const uint64_t got_lanes = ws_counted_lanes(harness, counted, i);
        if (got_executions != executions || got_lanes != lanes) {
            ws_harness_fail(harness,
                            "block \"%s\": %" PRIu64 " executions with %" PRIu64 " lanes, expected %" PRIu64
                            " with %" PRIu64,
                            name, got_executions, got_lanes, executions, lanes);
        }
    }
    if (matches != 1)
        ws_harness_fail(harness, "%u blocks stand on line %u, that of \"%s\"", matches, line, name);
}

/* Reads what --expect prints for this subgroup size and compares all of it. */
static void check(struct ws_harness *harness, char **argv, const struct ws_counted_shader *counted,
                  uint32_t size)
{
    char command[1024];
    char source[512];
    char line[256];
    char name[64];
    uint64_t executions, lanes;
    uint32_t compared = 0;
    FILE *expected;

    snprintf(source, sizeof(source), "%s/%s.comp", argv[2], argv[3]);
    snprintf(command, sizeof(command), "'%s' --size " SIZE " --kernel %s --workgroup %s --expect %u", argv[1],
             argv[3], argv[4], size);
    expected = popen(command, "r");
    if (expected == NULL) {
        ws_harness_fail(harness, "cannot run %s", command);
        return;
    }
    while (fgets(line, sizeof(line), expected) != NULL) {
        if (sscanf(line, "%63s %" SCNu64 " %" SCNu64, name, &executions, &lanes) == 3) {
            compare(harness, counted, argv[3], name, line_of(source, name), executions, lanes);
            compared++;
        }
    }
    if (pclose(expected) != 0 || compared == 0)
        ws_harness_fail(harness, "%s printed no expectation", command);
}

int main(int argc, char **argv)
{
    struct ws_harness harness = {.name = "expectation"};
    char command[1024];
    int status;

    if (argc != 5) {
        fprintf(stderr, "usage: %s DIVERGENCE SOURCE_FOLDER KERNEL WORKGROUP\n", argv[0]);
        return WS_TEST_FAILED;
    }
    ws_catalog_init(&harness.catalog);
    ws_harness_name_capture(&harness);
    snprintf(command, sizeof(command), "'%s' --size " SIZE " --kernel %s --workgroup %s -o '%s.png'", argv[1],
             argv[3], argv[4], harness.capture);
    status = system(command);
    snprintf(command, sizeof(command), "%s.png", harness.capture);
    unlink(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
        printf("no Vulkan device\n");
        return WS_TEST_SKIPPED;
    }
    if (status != 0) {
        ws_harness_fail(&harness, "divergence ended with status %d", status);
    } else if (ws_harness_read(&harness)) {
        const struct ws_counted_launch *launch = ws_harness_launch(&harness, argv[3]);
        const struct ws_counted_shader *counted =
            launch != NULL ? ws_harness_counted(&harness, launch, argv[3], "main") : NULL;
        if (counted != NULL)
            check(&harness, argv, counted, ws_counted_subgroup_size(&harness, counted));
    }
    return ws_harness_finish(&harness);
}
