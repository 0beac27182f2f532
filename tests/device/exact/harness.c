#include "tests/device/exact/harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warpscope/yields.h"

bool ws_harness_fail(struct ws_harness *harness, const char *format, ...)
{
    va_list arguments;

    harness->failures++;
    fprintf(stderr, "%s: ", harness->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

void ws_harness_name_capture(struct ws_harness *harness)
{
    const char *folder = getenv("TMPDIR");

    snprintf(harness->capture, sizeof(harness->capture), "%s/warpscope-%s-%ld.wscope",
             folder != NULL ? folder : "/tmp", harness->name, (long)getpid());
    setenv("WARPSCOPE_OUTPUT", harness->capture, 1);
}

int ws_harness_begin(struct ws_harness *harness, const char *name, int argc, char **argv, uint32_t needs,
                     VkQueueFlags queue)
{
    const struct ws_gpu_request request = {.application = name, .needs = needs, .queue = queue};
    struct ws_error error = {0};

    memset(harness, 0, sizeof(*harness));
    ws_catalog_init(&harness->catalog);
    harness->name = name;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER, where FOLDER holds the compiled shaders\n", argv[0]);
        return WS_TEST_FAILED;
    }
    harness->folder = argv[1];
    ws_harness_name_capture(harness);
    switch (ws_gpu_init(&harness->gpu, &request, &error)) {
    case WS_GPU_READY: return WS_TEST_PASSED;
    case WS_GPU_UNFIT: printf("%s\n", error.message); return WS_TEST_SKIPPED;
    default: fprintf(stderr, "%s: %s\n", name, error.message); return WS_TEST_FAILED;
    }
}

struct ws_gpu_shader ws_harness_shader(struct ws_harness *harness, const char *file,
                                       VkShaderStageFlagBits stage,
                                       const VkSpecializationInfo *specialization)
{
    struct ws_gpu_shader shader = {.stage = stage, .name = file, .specialization = specialization};
    char path[512];
    long size = -1;
    uint32_t *words = NULL;
    FILE *stream;

    snprintf(path, sizeof(path), "%s/%s.spv", harness->folder, file);
    stream = fopen(path, "rb");
    if (stream != NULL && fseek(stream, 0, SEEK_END) == 0) {
        size = ftell(stream);
        rewind(stream);
    }
    if (size > 0 && harness->word_arrays < WS_HARNESS_SHADERS_MAX)
        words = malloc((size_t)size);
    if (words != NULL && fread(words, 1, (size_t)size, stream) == (size_t)size) {
        harness->words[harness->word_arrays++] = words;
        shader.words = words;
        shader.size = (size_t)size;
    } else {
        free(words);
        ws_harness_fail(harness, "cannot read the shader \"%s\"", path);
    }
    if (stream != NULL)
        fclose(stream);
    return shader;
}

static bool copy_launch(struct ws_harness *harness, const struct ws_launch *launch)
{
    struct ws_counted_launch *grown =
        realloc(harness->launches, (harness->launch_count + 1) * sizeof(*grown));

    if (grown == NULL)
        return false;
    harness->launches = grown;
    struct ws_counted_launch *copy = &grown[harness->launch_count++];
    *copy = (struct ws_counted_launch){.kind = launch->kind};
    memcpy(copy->size, launch->size, sizeof(copy->size));
    copy->label = strdup(launch->label);
    copy->shaders = calloc(launch->shader_count + 1, sizeof(*copy->shaders));
    if (copy->label == NULL || copy->shaders == NULL)
        return false;
    for (uint32_t i = 0; i < launch->shader_count; i++) {
        const struct ws_shader_counters *from = &launch->shaders[i];
        const size_t size = (size_t)from->row_count * from->bins * sizeof(uint32_t);
        struct ws_counted_shader *to = &copy->shaders[copy->shader_count];
        *to = (struct ws_counted_shader){
            .shader = ws_catalog_shader(&harness->catalog, from->shader),
            .row_first = from->row_first,
            .row_count = from->row_count,
            .bins = from->bins,
            .words = malloc(size > 0 ? size : 1),
        };
        if (to->words == NULL)
            return false;
        memcpy(to->words, from->words, size);
        copy->shader_count++;
    }
    return true;
}

static bool copy_yields(struct ws_harness *harness, const struct ws_chunk_yields *chunk)
{
    for (uint32_t i = 0; i < chunk->shader_count; i++) {
        const struct ws_shader_yields *from = &chunk->shaders[i];
        const size_t size = (size_t)from->word_count * sizeof(uint32_t);
        struct ws_yielded_shader *grown =
            realloc(harness->yielded, (harness->yielded_count + 1) * sizeof(*grown));
        if (grown == NULL)
            return false;
        harness->yielded = grown;
        grown[harness->yielded_count] =
            (struct ws_yielded_shader){.shader = ws_catalog_shader(&harness->catalog, from->shader),
                                       .first = from->first,
                                       .word_count = from->word_count,
                                       .words = malloc(size > 0 ? size : 1)};
        if (grown[harness->yielded_count].words == NULL)
            return false;
        memcpy(grown[harness->yielded_count++].words, from->words, size);
    }
    return true;
}

static bool take(struct ws_harness *harness, const struct ws_chunk *chunk, struct ws_error *error)
{
    if (!ws_catalog_record(&harness->catalog, chunk, error))
        return false;
    if (chunk->type == WS_CHUNK_SKIP)
        ws_harness_fail(harness, "something was skipped: %s", chunk->skip.reason);
    if (chunk->type == WS_CHUNK_MESSAGE && chunk->message.severity != WS_INFORMATION)
        ws_harness_fail(harness, "the layer complains: %s", chunk->message.text);
    for (uint32_t i = 0; chunk->type == WS_CHUNK_SUBMISSION && i < chunk->submission.launch_count; i++)
        if (!copy_launch(harness, &chunk->submission.launches[i]))
            return ws_error_set(error, "out of memory");
    if (chunk->type == WS_CHUNK_YIELDS && !copy_yields(harness, &chunk->yields))
        return ws_error_set(error, "out of memory");
    return true;
}

/* A counter row of a shader; NULL when it has none of that number. */
static const uint32_t *row_of(const struct ws_counted_shader *counted, uint32_t row)
{
    const uint32_t index = row - counted->row_first; /* wraps to a large number below row_first */

    return index < counted->row_count ? counted->words + (size_t)index * counted->bins : NULL;
}

/* The histogram of a block over all launches: by the counters, and by the probe, whose only output it is. */
static void add_histograms(const struct ws_harness *harness, uint32_t shader, uint32_t row, uint32_t area,
                           uint64_t counted[WS_BINS_MAX], uint64_t yielded[WS_BINS_MAX])
{
    for (uint32_t i = 0; i < harness->launch_count; i++)
        for (uint32_t s = 0; s < harness->launches[i].shader_count; s++) {
            const struct ws_counted_shader *of = &harness->launches[i].shaders[s];
            const uint32_t *bins = of->shader == shader ? row_of(of, row) : NULL;
            for (uint32_t n = 0; bins != NULL && n < of->bins; n++)
                counted[n] += bins[n];
        }
    for (uint32_t i = 0; i < harness->yielded_count; i++) {
        const struct ws_yielded_shader *of = &harness->yielded[i];
        for (uint32_t size = 1; of->shader == shader && size <= WS_LANES_MOST; size *= 2)
            for (uint32_t lanes = 1; lanes <= size; lanes++) {
                const uint32_t at = area + WS_LANES_BIN(size, lanes) - of->first; /* wraps below `first` */
                yielded[lanes - 1] += at < of->word_count ? of->words[at] : 0;
            }
    }
}

/* Compares the probe at one site of a module with the counters of its block, in each shader. Returns how often it ran. */
static uint64_t check_site(struct ws_harness *harness, uint32_t module, const struct ws_site_info *site)
{
    const struct ws_module_record *record = &harness->catalog.modules[module];
    uint64_t executions = 0;
    for (uint32_t s = 0; s < harness->catalog.shader_count; s++) {
        uint64_t counted[WS_BINS_MAX] = {0};
        uint64_t yielded[WS_BINS_MAX] = {0};
        if (harness->catalog.shaders[s].module != module)
            continue;
        add_histograms(harness, s, record->blocks[site->block].row, site->row, counted, yielded);
        for (uint32_t n = 0; n < WS_BINS_MAX; n++) {
            executions += yielded[n];
            if (counted[n] != yielded[n])
                ws_harness_fail(harness,
                                "%s, block %u: %llu executions with %u lanes by the probe, %llu counted",
                                record->name, site->block, (unsigned long long)yielded[n], n + 1,
                                (unsigned long long)counted[n]);
        }
    }
    return executions;
}

/* Whether blocks share a call of the probe where they share a counter, and nowhere else. */
static void check_sharing(struct ws_harness *harness, const struct ws_module_record *module)
{
    for (uint32_t i = 0; i < module->site_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct ws_site_info *one = &module->sites[i].info;
            const struct ws_site_info *two = &module->sites[j].info;
            if (one->kind == WS_SITE_YIELD && two->kind == WS_SITE_YIELD &&
                (one->row == two->row) != (module->blocks[one->block].row == module->blocks[two->block].row))
                ws_harness_fail(harness, "%s: blocks %u and %u: areas at %u and %u, counters %u and %u",
                                module->name, two->block, one->block, two->row, one->row,
                                module->blocks[two->block].row, module->blocks[one->block].row);
        }
}

/* Compares the probe simt_efficiency with the counters, block by block. */
static void check_probe(struct ws_harness *harness)
{
    uint64_t executions = 0;
    for (uint32_t m = 0; m < harness->catalog.module_count; m++) {
        const struct ws_module_record *module = &harness->catalog.modules[m];
        bool *has_probe = calloc(module->block_count + 1, sizeof(*has_probe));
        for (uint32_t i = 0; has_probe != NULL && i < module->site_count; i++) {
            const struct ws_site_info *site = &module->sites[i].info;
            if (site->kind != WS_SITE_YIELD || site->block >= module->block_count)
                continue;
            has_probe[site->block] = true;
            executions += check_site(harness, m, site);
        }
        check_sharing(harness, module);
        for (uint32_t i = 0; has_probe == NULL || i < module->block_count; i++)
            if (has_probe == NULL || has_probe[i] != (module->blocks[i].row != WS_NONE)) {
                ws_harness_fail(harness, "%s: block %u has not both, or not none, of counter and probe",
                                module->name, i);
                break;
            }
        free(has_probe);
    }
    if (executions == 0)
        ws_harness_fail(harness, "the probe never ran");
}

bool ws_harness_read(struct ws_harness *harness)
{
    struct ws_error error = {0};
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;
    struct ws_reader *reader;

    ws_gpu_finish(&harness->gpu);
    reader = ws_reader_open(harness->capture, &error);
    if (reader == NULL) {
        return ws_harness_fail(harness, "%s (is the layer there? meson test says where it is)",
                               error.message);
    }
    do {
        result = ws_reader_next(reader, &chunk, &error);
    } while (result == WS_READ_CHUNK && take(harness, &chunk, &error));
    if (result != WS_READ_END)
        ws_harness_fail(harness, "%s", error.message);
    else if (!ws_reader_summary(reader)->closed || ws_reader_summary(reader)->damaged > 0)
        ws_harness_fail(harness, "the capture is damaged or was not closed");
    ws_reader_destroy(reader);
    if (getenv("WARPSCOPE_PROBES") != NULL)
        check_probe(harness);
    return result == WS_READ_END;
}

int ws_harness_finish(struct ws_harness *harness)
{
    ws_gpu_finish(&harness->gpu);
    for (uint32_t i = 0; i < harness->word_arrays; i++)
        free(harness->words[i]);
    for (uint32_t i = 0; i < harness->launch_count; i++) {
        for (uint32_t j = 0; j < harness->launches[i].shader_count; j++)
            free(harness->launches[i].shaders[j].words);
        free(harness->launches[i].shaders);
        free(harness->launches[i].label);
    }
    free(harness->launches);
    for (uint32_t i = 0; i < harness->yielded_count; i++)
        free(harness->yielded[i].words);
    free(harness->yielded);
    ws_catalog_finish(&harness->catalog);
    if (harness->failures > 0) {
        fprintf(stderr, "%s: %u failures; the capture is %s\n", harness->name, harness->failures,
                harness->capture);
        return WS_TEST_FAILED;
    }
    unlink(harness->capture);
    return WS_TEST_PASSED;
}

void ws_expect(struct ws_expected_block *block, uint64_t executions, uint32_t lanes)
{
    if (lanes > 0)
        block->bins[lanes - 1] += executions;
}

const struct ws_counted_launch *ws_harness_launch(struct ws_harness *harness, const char *label)
{
    const struct ws_counted_launch *found = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < harness->launch_count; i++) {
        if (strcmp(harness->launches[i].label, label) == 0) {
            found = &harness->launches[i];
            count++;
        }
    }
    if (count != 1) {
        ws_harness_fail(harness, "%u launches are labelled \"%s\", not 1", count, label);
        return NULL;
    }
    return found;
}

static const struct ws_entry_record *entry_of(const struct ws_harness *harness,
                                              const struct ws_counted_shader *counted)
{
    return ws_catalog_entry(&harness->catalog, counted->shader);
}

const struct ws_counted_shader *ws_harness_counted(struct ws_harness *harness,
                                                   const struct ws_counted_launch *launch, const char *module,
                                                   const char *entry)
{
    for (uint32_t i = 0; i < launch->shader_count; i++) {
        const struct ws_counted_shader *counted = &launch->shaders[i];
        const struct ws_shader_record *shader = &harness->catalog.shaders[counted->shader];
        if (strcmp(harness->catalog.modules[shader->module].name, module) == 0 &&
            strcmp(shader->name, entry) == 0 && entry_of(harness, counted) != NULL)
            return counted;
    }
    ws_harness_fail(harness, "%s: there are no counts of %s:%s", launch->label, module, entry);
    return NULL;
}

uint32_t ws_counted_subgroup_size(const struct ws_harness *harness, const struct ws_counted_shader *counted)
{
    const uint32_t *row = row_of(counted, entry_of(harness, counted)->launch_row);
    const uint32_t sizes = row != NULL ? row[WS_LAUNCH_SUBGROUP_SIZES] : 0;

    return (sizes & (sizes - 1)) == 0 ? sizes : 0;
}

/* Sum of active lanes of a block given by its index in the module. */
static uint64_t lanes_of(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                         uint32_t block)
{
    const struct ws_module_record *module =
        &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
    const uint32_t *row = block < module->block_count ? row_of(counted, module->blocks[block].row) : NULL;
    uint64_t lanes = 0;

    for (uint32_t n = 0; row != NULL && n < counted->bins; n++)
        lanes += (entry_of(harness, counted)->per_thread ? 1ull : n + 1ull) * row[n];
    return lanes;
}

uint64_t ws_counted_lanes(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                          uint32_t block)
{
    const struct ws_entry_record *entry = entry_of(harness, counted);

    return block < entry->block_count ? lanes_of(harness, counted, entry->blocks[block]) : 0;
}

/* The row of a block that the entry point reaches; NULL if it has none. */
static const uint32_t *row_of_block(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                                    uint32_t block)
{
    const struct ws_entry_record *entry = entry_of(harness, counted);
    const struct ws_module_record *module =
        &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
    return block < entry->block_count ? row_of(counted, module->blocks[entry->blocks[block]].row) : NULL;
}

bool ws_counted_alike(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                      uint32_t block, uint32_t other)
{
    const uint32_t *row = row_of_block(harness, counted, block);
    const uint32_t *other_row = row_of_block(harness, counted, other);
    return row != NULL && other_row != NULL && row != other_row &&
           memcmp(row, other_row, counted->bins * sizeof(*row)) == 0;
}

uint64_t ws_counted_executions(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                               uint32_t block)
{
    const uint32_t *row = row_of_block(harness, counted, block);
    uint64_t executions = 0;

    for (uint32_t n = 0; row != NULL && n < counted->bins; n++)
        executions += row[n];
    return executions;
}

uint64_t ws_counted_opcode_lanes(const struct ws_harness *harness, const struct ws_counted_shader *counted,
                                 uint32_t opcode)
{
    const struct ws_entry_record *entry = entry_of(harness, counted);
    const struct ws_module_record *module =
        &harness->catalog.modules[harness->catalog.shaders[counted->shader].module];
    uint64_t lanes = 0;

    if (opcode == 0)
        return entry != NULL ? lanes_of(harness, counted, entry->entry_block) : 0;
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; i++) {
        const struct ws_block_record *block = &module->blocks[entry->blocks[i]];
        for (uint32_t t = 0; t < block->tally_count; t++) {
            const struct ws_tally *tally = &module->tallies[block->tally_first + t];
            lanes +=
                tally->opcode == opcode ? tally->count * lanes_of(harness, counted, entry->blocks[i]) : 0;
        }
    }
    return lanes;
}

static void compare_bins(struct ws_harness *harness, const char *place, const struct ws_expected_block *block,
                         const uint32_t *row, uint32_t bins)
{
    for (uint32_t n = 0; n < bins; n++) {
        if (row[n] != block->bins[n]) {
            ws_harness_fail(harness, "%s: block \"%s\": %u executions with %u lanes, expected %llu", place,
                            block->name, row[n], n + 1, (unsigned long long)block->bins[n]);
        }
    }
}

void ws_harness_compare(struct ws_harness *harness, const struct ws_counted_launch *launch,
                        const struct ws_counted_shader *counted, const struct ws_expected_block *blocks,
                        uint32_t count, bool sums)
{
    const struct ws_shader_record *shader = &harness->catalog.shaders[counted->shader];
    const struct ws_module_record *module = &harness->catalog.modules[shader->module];
    const struct ws_entry_record *entry = entry_of(harness, counted);
    char place[256];

    snprintf(place, sizeof(place), "%s: %s:%s", launch->label, module->name, shader->name);
    if (entry->block_count != count) {
        ws_harness_fail(harness, "%s: %u blocks, expected %u", place, entry->block_count, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *row = row_of(counted, module->blocks[entry->blocks[i]].row);
        uint64_t lanes = 0;
        if (row == NULL) {
            ws_harness_fail(harness, "%s: block \"%s\" has no counter row", place, blocks[i].name);
            continue;
        }
        for (uint32_t n = 0; n < WS_BINS_MAX; n++)
            lanes += (n + 1) * blocks[i].bins[n];
        if (!sums && !entry->per_thread) {
            compare_bins(harness, place, &blocks[i], row, counted->bins);
        } else if (ws_counted_lanes(harness, counted, i) != lanes) {
            ws_harness_fail(harness, "%s: block \"%s\": %llu lanes, expected %llu", place, blocks[i].name,
                            (unsigned long long)ws_counted_lanes(harness, counted, i),
                            (unsigned long long)lanes);
        }
    }
}
