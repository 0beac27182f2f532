#include "tests/fuzz/hostile.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/instrument.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"

enum { BLOB_SIZE = 48 << 20, GEOMETRIES = 400, NAME_SIZE = 60000 };
/* VkFormat, VkIndexType, VkGeometryTypeKHR */
enum { FORMAT_FLOAT3 = 106, INDEX_NONE = 1000165000, TRIANGLES = 0, INSTANCES = 2 };

static bool write_zeros(struct ws_capture_writer *writer, uint32_t id, uint64_t size, struct ws_error *error)
{
    uint8_t *zeros = calloc(1, WS_BLOB_PIECE);
    bool written = zeros != NULL;
    for (uint64_t at = 0; at < size && written; at += WS_BLOB_PIECE) {
        const uint64_t left = size - at;
        const struct ws_chunk_blob piece = {.id = id,
                                            .hash = {id + 1, 0},
                                            .size = size,
                                            .offset = at,
                                            .bytes = zeros,
                                            .count = left < WS_BLOB_PIECE ? (uint32_t)left : WS_BLOB_PIECE};
        written = ws_capture_write_blob(writer, &piece, error);
    }
    free(zeros);
    return written;
}

static bool write_structure(struct ws_capture_writer *writer, uint32_t id, uint32_t type,
                            struct ws_error *error)
{
    const struct ws_chunk_structure structure = {
        .id = id, .type = type, .size = 256, .address = UINT64_C(0x1000) * (id + 1), .name = ""};
    return ws_capture_write_structure(writer, &structure, error);
}

/* Builds of structure 0, all of them of blob 0. `step` makes the strides and flags differ. */
static bool write_builds(struct ws_capture_writer *writer, uint32_t builds, uint32_t geometry_count,
                         uint32_t step, struct ws_error *error)
{
    struct ws_build_geometry *geometries = calloc(geometry_count, sizeof(*geometries));
    bool written = geometries != NULL && write_zeros(writer, 0, BLOB_SIZE, error) &&
                   write_structure(writer, 0, 1, error);
    for (uint32_t i = 0; i < builds && written; ++i) {
        for (uint32_t j = 0; j < geometry_count; ++j)
            geometries[j] = (struct ws_build_geometry){.type = TRIANGLES,
                                                       .flags = step * i,
                                                       .primitive_count = BLOB_SIZE,
                                                       .vertex_format = FORMAT_FLOAT3,
                                                       .index_type = (uint32_t)INDEX_NONE,
                                                       .stride = 12 - step * (j % 12),
                                                       .data = 0,
                                                       .indices = WS_NONE,
                                                       .transform = WS_NONE};
        const struct ws_chunk_build build = {.structure = 0,
                                             .moment = i,
                                             .source = WS_NONE,
                                             .geometries = geometries,
                                             .geometry_count = geometry_count};
        written = ws_capture_write_build(writer, &build, error);
    }
    free(geometries);
    return written;
}

static bool one_blob(struct ws_capture_writer *writer, struct ws_error *error)
{
    return write_builds(writer, 1, GEOMETRIES, 0, error);
}

static bool one_blob_strides(struct ws_capture_writer *writer, struct ws_error *error)
{
    return write_builds(writer, 4, GEOMETRIES, 1, error);
}

/* Top-level structures whose instances are one blob, each referring to the next. */
static bool instances(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { STRUCTURES = 30, COUNT = 1 << 16 };
    uint32_t *references = calloc(COUNT, sizeof(*references));
    bool written = references != NULL && write_zeros(writer, 0, 64 * COUNT, error);
    for (uint32_t i = 0; i < STRUCTURES && written; ++i)
        written = write_structure(writer, i, i == 0, error);
    for (uint32_t i = 1; i < STRUCTURES && written; ++i) {
        for (uint32_t j = 0; j < COUNT; ++j)
            references[j] = i - 1;
        const struct ws_build_geometry geometry = {.type = INSTANCES,
                                                   .primitive_count = COUNT,
                                                   .data = 0,
                                                   .indices = WS_NONE,
                                                   .transform = WS_NONE,
                                                   .references = references,
                                                   .reference_count = COUNT};
        const struct ws_chunk_build build = {
            .structure = i, .source = WS_NONE, .geometries = &geometry, .geometry_count = 1};
        written = ws_capture_write_build(writer, &build, error);
    }
    free(references);
    return written;
}

static bool zero_blobs(struct ws_capture_writer *writer, struct ws_error *error)
{
    return write_structure(writer, 0, 1, error) && write_zeros(writer, 0, UINT64_C(4) << 30, error);
}

static bool images(struct ws_capture_writer *writer, struct ws_error *error)
{
    static const uint8_t texels[64] = {0};
    static const uint32_t sizes[] = {0, 1, 4, 1u << 14, 1u << 20, UINT32_MAX};
    static const uint32_t formats[] = {0, 37, 98, 109, UINT32_MAX};
    static const uint64_t pitches[] = {0, 16, UINT64_C(1) << 20, UINT64_C(1) << 40, UINT64_MAX};
    const struct ws_chunk_blob blob = {.size = sizeof(texels), .bytes = texels, .count = sizeof(texels)};
    const struct ws_launch launch = {.index = 0, .size = {4, 4, 1}};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    bool written = ws_capture_write_blob(writer, &blob, error) &&
                   ws_capture_write_submission(writer, &submission, error);
    for (uint32_t i = 0; written && i < 6 * 6 * 5 * 5; ++i) {
        const struct ws_chunk_image image = {
            .source = i % 3,
            .launch = i % 2,
            .width = sizes[i % 6],
            .height = sizes[i / 6 % 6],
            .format = formats[i / 36 % 5],
            .pitch = pitches[i / 180],
            .blob = i % 7 == 0 ? 99 : 0,
        };
        written = ws_capture_write_image(writer, &image, error);
    }
    return written;
}

/* A name as long as can be, that differs from others only in its first characters. */
static char *make_name(uint32_t number)
{
    char *name = malloc(NAME_SIZE + 1);
    if (name == NULL)
        return NULL;
    memset(name, 'x', NAME_SIZE);
    for (int i = 0; i < 8; ++i)
        name[i] = (char)('a' + (number >> (4 * i) & 0xf));
    name[NAME_SIZE] = '\0';
    return name;
}

/* A module of zeros with `entry_count` entry points that all reach all of `block_count` blocks. */
static bool write_module(struct ws_capture_writer *writer, uint32_t id, uint32_t entry_count,
                         uint32_t block_count, const char *name, struct ws_error *error)
{
    static const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY};
    static const uint32_t function = 4;
    struct ws_block_info *blocks = calloc((size_t)block_count + 1, sizeof(*blocks));
    struct ws_site_info *sites = calloc((size_t)block_count + 1, sizeof(*sites));
    struct ws_entry_info *entries = calloc((size_t)entry_count + 1, sizeof(*entries));
    uint32_t *words = calloc((size_t)block_count + 8, sizeof(*words));
    bool written = blocks != NULL && sites != NULL && entries != NULL && words != NULL;
    for (uint32_t i = 0; i < block_count && written; ++i) {
        blocks[i] = (struct ws_block_info){
            .label = i + 5, .offset = i + 5, .length = 1, .function = function, .instruction_count = 1};
        sites[i] = (struct ws_site_info){.pass = 0,
                                         .tag = WS_TAG_SIMT_EFFICIENCY_BLOCK,
                                         .kind = WS_SITE_BLOCK,
                                         .block = i,
                                         .offset = i + 5,
                                         .row = i};
    }
    for (uint32_t i = 0; i < entry_count && written; ++i)
        entries[i] = (struct ws_entry_info){.name = name,
                                            .stage = WS_STAGE_COMPUTE,
                                            .function = function,
                                            .row_count = block_count,
                                            .functions = &function,
                                            .function_count = 1};
    const struct ws_chunk_module module = {
        .id = id, .hash = id, .name = name, .words = words, .word_count = block_count + 8};
    const struct ws_chunk_sites chunk = {.module = id,
                                         .row_count = block_count,
                                         .passes = passes,
                                         .pass_count = 1,
                                         .entries = entries,
                                         .entry_count = entry_count,
                                         .blocks = blocks,
                                         .block_count = block_count,
                                         .sites = sites,
                                         .site_count = block_count};
    written = written && ws_capture_write_module(writer, &module, error) &&
              ws_capture_write_sites(writer, &chunk, error);
    free(blocks);
    free(sites);
    free(entries);
    free(words);
    return written;
}

static bool entries(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { MODULES = 6 };
    bool written = true;
    for (uint32_t i = 0; i < MODULES && written; ++i)
        written = write_module(writer, i, 4000, 8000, "main", error);
    return written;
}

static bool write_shader(struct ws_capture_writer *writer, uint32_t id, uint32_t module, const char *name,
                         struct ws_error *error)
{
    const struct ws_chunk_shader shader = {
        .id = id, .module = module, .entry = 0, .stage = WS_STAGE_COMPUTE, .name = name};
    const struct ws_chunk_pipeline pipeline = {
        .id = id, .kind = WS_PIPELINE_COMPUTE, .shaders = &id, .shader_count = 1};
    return ws_capture_write_shader(writer, &shader, error) &&
           ws_capture_write_pipeline(writer, &pipeline, error);
}

/* Launches 0 to `launch_count` - 1, each of all shaders; every row counts one execution by one lane. */
static bool write_launches(struct ws_capture_writer *writer, uint32_t launch_count, uint32_t shader_count,
                           uint32_t row_count, const char *label, struct ws_error *error)
{
    struct ws_launch *launches = calloc((size_t)launch_count + 1, sizeof(*launches));
    struct ws_shader_counters *counters = calloc((size_t)shader_count + 1, sizeof(*counters));
    uint32_t *rows = calloc((size_t)row_count * 8 + 1, sizeof(*rows));
    uint32_t *pipelines = calloc((size_t)shader_count + 1, sizeof(*pipelines));
    bool written = launches != NULL && counters != NULL && rows != NULL && pipelines != NULL;
    for (uint32_t i = 0; i < row_count && written; ++i)
        rows[8 * (size_t)i] = 1;
    for (uint32_t i = 0; i < shader_count && written; ++i) {
        counters[i] = (struct ws_shader_counters){i, 0, row_count, 8, rows};
        pipelines[i] = i;
    }
    for (uint32_t i = 0; i < launch_count && written; ++i)
        launches[i] = (struct ws_launch){.index = i,
                                         .kind = WS_LAUNCH_DISPATCH,
                                         .size = {1, 1, 1},
                                         .label = label,
                                         .command_buffer = label,
                                         .pipelines = pipelines,
                                         .pipeline_count = shader_count,
                                         .shaders = counters,
                                         .shader_count = shader_count};
    const struct ws_chunk_submission submission = {.launches = launches, .launch_count = launch_count};
    written = written && ws_capture_write_submission(writer, &submission, error);
    free(launches);
    free(counters);
    free(rows);
    free(pipelines);
    return written;
}

static bool long_names(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { SHADERS = 300 };
    bool written = true;
    for (uint32_t i = 0; i < SHADERS && written; ++i) {
        char *name = make_name(i);
        const struct ws_chunk_name pipeline = {WS_NAME_PIPELINE, i, name};
        written = name != NULL && write_module(writer, i, 1, 40, name, error) &&
                  write_shader(writer, i, i, name, error) && ws_capture_write_name(writer, &pipeline, error);
        free(name);
    }
    return written && write_launches(writer, 4, SHADERS, 40, "", error);
}

static bool long_labels(struct ws_capture_writer *writer, struct ws_error *error)
{
    bool written = write_module(writer, 0, 1, 1, "m", error) && write_shader(writer, 0, 0, "main", error);
    char *label = make_name(0);
    written = written && label != NULL && write_launches(writer, 500, 1, 1, label, error);
    free(label);
    return written;
}

/* As many launches as can be told, each by many pipelines and shaders. */
static bool launches(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { SHADERS = 200 };
    bool written = write_module(writer, 0, 1, 1, "m", error);
    for (uint32_t i = 0; i < SHADERS && written; ++i)
        written = write_shader(writer, i, 0, "main", error);
    return written && write_launches(writer, 2000, SHADERS, 1, "", error);
}

static bool rows(struct ws_capture_writer *writer, struct ws_error *error)
{
    bool written = write_module(writer, 0, 1, 60000, "m", error) && write_shader(writer, 0, 0, "main", error);
    return written && write_launches(writer, 40, 1, 60000, "", error);
}

static bool messages(struct ws_capture_writer *writer, struct ws_error *error)
{
    bool written = true;
    for (uint32_t i = 0; i < 1000 && written; ++i) {
        char *text = make_name(i);
        const struct ws_chunk_message message = {WS_WARNING, text};
        const struct ws_chunk_skip skip = {WS_SKIP_SHADER, WS_NONE, WS_NONE, WS_NONE, 1, text};
        written = text != NULL && ws_capture_write_message(writer, &message, error) &&
                  ws_capture_write_skip(writer, &skip, error);
        free(text);
    }
    return written;
}

/* Numbers of the records of write_paths, which are those of its sites. */
enum { PATH = 3, PATH_TURNS = 4 };

/* A module whose records are of a path of one loop of one block, of three words per lane. These sites stand behind it. */
static bool write_paths_with(struct ws_capture_writer *writer, const struct ws_site_info *further,
                             uint32_t further_count, struct ws_error *error)
{
    static const char *const passes[] = {WS_PASS_EXECUTION_TRACE};
    static const uint32_t function = 4;
    static const uint32_t words[8] = {0};
    static const struct ws_block_info block = {
        .label = 5, .offset = 5, .length = 1, .function = 4, .instruction_count = 1};
    static const struct ws_site_info path[] = {
        {WS_NONE, 0, WS_SITE_ENTRY, 0, 5, 0},
        {0, WS_TAG_EXECUTION_TRACE_BLOCK, WS_SITE_PLACE_BLOCK, 0, 5, 1},
        {0, WS_TAG_EXECUTION_TRACE_END, WS_SITE_PLACE_END, 0, 5, 2},
        {WS_NONE, 0, WS_SITE_PATH, 0, 5, 3},
        {WS_NONE, 0, WS_SITE_PATH_TURNS, 0, 5, PATH},
        {WS_NONE, WS_STEP(0, 0), WS_SITE_PATH_STEP, 0, 5, 1},
    };
    static const struct ws_entry_info entry = {.name = "main",
                                               .stage = WS_STAGE_COMPUTE,
                                               .function = 4,
                                               .functions = &function,
                                               .function_count = 1};
    const uint32_t count = sizeof(path) / sizeof(path[0]) + further_count;
    struct ws_site_info *sites = malloc(count * sizeof(*sites));
    const struct ws_chunk_module module = {.name = "m", .words = words, .word_count = 8};
    const struct ws_chunk_sites chunk = {.passes = passes,
                                         .pass_count = 1,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = &block,
                                         .block_count = 1,
                                         .sites = sites,
                                         .site_count = count};
    if (sites == NULL)
        return false;
    memcpy(sites, path, sizeof(path));
    if (further_count > 0)
        memcpy(sites + sizeof(path) / sizeof(path[0]), further, further_count * sizeof(*sites));
    const bool written = ws_capture_write_module(writer, &module, error) &&
                         ws_capture_write_sites(writer, &chunk, error) &&
                         write_shader(writer, 0, 0, "main", error);
    free(sites);
    return written;
}

static bool write_paths(struct ws_capture_writer *writer, struct ws_error *error)
{
    return write_paths_with(writer, NULL, 0, error);
}

/* A launch of one warp of two lanes, whose records these words are behind its entry. */
static bool write_words(struct ws_capture_writer *writer, uint32_t *words, uint32_t count,
                        struct ws_error *error)
{
    static const uint32_t entry[9] = {WS_CONTEXT_NONE, 0, 8 | 3 << 8 | 1 << 16, 3, 0, 0, 0, 0, 1};
    static const struct ws_slot_shader slot = {0, 0};
    static const uint32_t pipeline = 0;
    const struct ws_launch launch = {.kind = WS_LAUNCH_DISPATCH,
                                     .size = {1, 1, 1},
                                     .label = "",
                                     .command_buffer = "",
                                     .pipelines = &pipeline,
                                     .pipeline_count = 1};
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    const struct ws_chunk_records records = {.flags = WS_RECORDS_LAST,
                                             .bins = 8,
                                             .sufficient = count,
                                             .slots = &slot,
                                             .slot_count = 1,
                                             .words = words,
                                             .word_count = count};
    memcpy(words, entry, sizeof(entry));
    return ws_capture_write_submission(writer, &submission, error) &&
           ws_capture_write_records(writer, &records, error);
}

static bool turns(struct ws_capture_writer *writer, struct ws_error *error)
{
    uint32_t words[17] = {[9] = 0, PATH << 16 | 3, 1, 1, UINT32_MAX, 1, 1, UINT32_MAX};
    return write_paths(writer, error) && write_words(writer, words, 17, error);
}

/* Turns of lane 1, whose path never comes, and paths of lane 0, for which all of them are looked through. */
static bool waiting_turns(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { COUNT = 30000 };
    static const uint32_t turn[4] = {0, PATH_TURNS << 16 | 2, 1, 1};
    static const uint32_t path[5] = {0, PATH << 16 | 1, 1, 0, 0};
    uint32_t *words = malloc((9 + COUNT * 9) * sizeof(*words));
    if (words == NULL)
        return false;
    for (uint32_t i = 0; i < COUNT; ++i) {
        memcpy(words + 9 + 4 * i, turn, sizeof(turn));
        memcpy(words + 9 + 4 * COUNT + 5 * i, path, sizeof(path));
    }
    const bool written = write_paths(writer, error) && write_words(writer, words, 9 + COUNT * 9, error);
    free(words);
    return written;
}

/* Steps that are the rest of one far before them, in many records. */
static bool rests(struct ws_capture_writer *writer, struct ws_error *error)
{
    enum { STEPS = 60000, COUNT = 400 };
    static const uint32_t path[5] = {0, PATH << 16 | 1, 0, 0, 0};
    uint32_t *words = malloc((9 + COUNT * 5) * sizeof(*words));
    struct ws_site_info *steps = malloc(STEPS * sizeof(*steps));
    bool written = words != NULL && steps != NULL;
    for (uint32_t i = 0; i < STEPS && written; ++i)
        steps[i] = (struct ws_site_info){WS_NONE, WS_STEP_REST(0, 0, 0), WS_SITE_PATH_STEP, 0, 5, 1};
    for (uint32_t i = 0; i < COUNT && written; ++i)
        memcpy(words + 9 + 5 * i, path, sizeof(path));
    written = written && write_paths_with(writer, steps, STEPS, error) &&
              write_words(writer, words, 9 + COUNT * 5, error);
    free(steps);
    free(words);
    return written;
}

const struct hostile hostiles[] = {
    {"one_blob", "one blob used by many geometries", one_blob},
    {"one_blob_strides", "one blob used by many geometries of many kinds", one_blob_strides},
    {"instances", "top levels of top levels", instances},
    {"zero_blobs", "gigabytes that are zero", zero_blobs},
    {"images", "images that are larger than their bytes, or of no format", images},
    {"entries", "entry points that reach many blocks", entries},
    {"long_names", "long names of many shaders", long_names},
    {"long_labels", "a long label at many launches", long_labels},
    {"launches", "many launches of many shaders", launches},
    {"rows", "many launches of many blocks", rows},
    {"messages", "many long messages", messages},
    {"turns", "billions of turns in a word", turns},
    {"waiting_turns", "turns that wait for a path, and paths that look through them", waiting_turns},
    {"rests", "steps that are the rest of one far before them", rests},
    {NULL},
};

bool hostile_write(const struct hostile *hostile, const char *path, struct ws_error *error)
{
    static const char *const passes[] = {WS_PASS_SIMT_EFFICIENCY, WS_PASS_EXECUTION_TRACE,
                                         WS_PASS_RAY_EVENTS};
    static const struct ws_text_pair geometry = {"geometry", "true"};
    const struct ws_chunk_info info = {.version = "0.1.0",
                                       .application = hostile->name,
                                       .passes = passes,
                                       .pass_count = 3,
                                       .settings = &geometry,
                                       .setting_count = 1};
    const struct ws_chunk_device device = {
        .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_done done = {0};
    struct ws_capture_writer *writer = ws_capture_writer_create(path, error);
    const bool written = writer != NULL && ws_capture_write_info(writer, &info, error) &&
                         ws_capture_write_device(writer, &device, error) && hostile->write(writer, error) &&
                         ws_capture_write_done(writer, &done, error);
    ws_capture_writer_destroy(writer);
    return written;
}
