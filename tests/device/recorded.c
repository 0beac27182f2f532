#include "tests/device/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/reader.h"

#define SHADERS 256

struct reading {
    struct recorded *recorded;
    uint32_t stages[SHADERS]; /* by shader id */
    struct piece {
        uint32_t id;
        uint64_t offset, count;
        uint8_t *bytes;
    } * pieces; /* of blobs */
    uint32_t piece_count;
};

static void *copy(const void *data, size_t size)
{
    void *copied = malloc(size + 1);
    if (copied == NULL)
        abort();
    memcpy(copied, data, size);
    return copied;
}

static void add(struct reading *reading, const struct ws_chunk_submission *submission,
                const struct ws_launch *launch)
{
    struct recorded *recorded = reading->recorded;
    recorded->launches = reallocarray(recorded->launches, recorded->count + 1, sizeof(*recorded->launches));
    struct recorded_launch *added = &recorded->launches[recorded->count++];
    *added = (struct recorded_launch){
        .index = launch->index,
        .submission = submission->index,
        .frame = submission->frame,
        .submission_flags = submission->flags,
        .kind = launch->kind,
        .size = {launch->size[0], launch->size[1], launch->size[2]},
        .flags = launch->flags,
        .draws = launch->draws,
        .label = strdup(launch->label),
        .command_buffer = strdup(launch->command_buffer),
        .pipeline_count = launch->pipeline_count,
        .shader_count = launch->shader_count,
        .shaders = calloc(launch->shader_count + 1, sizeof(*added->shaders)),
    };
    for (uint32_t i = 0; i < launch->shader_count; i++) {
        const struct ws_shader_counters *counters = &launch->shaders[i];
        added->shaders[i] = (struct recorded_shader){
            .shader = counters->shader,
            .stage = counters->shader < SHADERS ? reading->stages[counters->shader] : 0,
            .row_count = counters->row_count,
            .bins = counters->bins,
            .words = copy(counters->words, (size_t)4 * counters->row_count * counters->bins),
        };
    }
}

static void add_piece(struct reading *reading, const struct ws_chunk_blob *blob)
{
    reading->pieces = reallocarray(reading->pieces, reading->piece_count + 1, sizeof(*reading->pieces));
    if (reading->pieces == NULL)
        abort();
    reading->pieces[reading->piece_count++] =
        (struct piece){blob->id, blob->offset, blob->count, copy(blob->bytes, blob->count)};
}

static void add_image(struct reading *reading, const struct ws_chunk_image *image)
{
    struct recorded *recorded = reading->recorded;
    const uint64_t size = image->pitch * image->height;
    recorded->images = reallocarray(recorded->images, recorded->image_count + 1, sizeof(*recorded->images));
    uint8_t *bytes = calloc(1, size + 1);
    if (recorded->images == NULL || bytes == NULL)
        abort();
    for (uint32_t i = 0; i < reading->piece_count; i++) {
        const struct piece *piece = &reading->pieces[i];
        if (piece->id == image->blob && piece->offset <= size && piece->count <= size - piece->offset)
            memcpy(bytes + piece->offset, piece->bytes, piece->count);
    }
    recorded->images[recorded->image_count++] = (struct recorded_image){*image, bytes};
}

static void add_chunk(struct reading *reading, const struct ws_chunk *chunk)
{
    struct recorded *recorded = reading->recorded;
    switch (chunk->type) {
    case WS_CHUNK_SHADER:
        if (chunk->shader.id < SHADERS)
            reading->stages[chunk->shader.id] = chunk->shader.stage;
        break;
    case WS_CHUNK_SUBMISSION:
        for (uint32_t i = 0; i < chunk->submission.launch_count; i++)
            add(reading, &chunk->submission, &chunk->submission.launches[i]);
        break;
    case WS_CHUNK_SKIP:
        if (chunk->skip.kind == WS_SKIP_LAUNCH)
            recorded->skipped += chunk->skip.count;
        if (chunk->skip.kind == WS_SKIP_IMAGE)
            recorded->images_skipped += chunk->skip.count;
        break;
    case WS_CHUNK_BLOB: add_piece(reading, &chunk->blob); break;
    case WS_CHUNK_IMAGE: add_image(reading, &chunk->image); break;
    case WS_CHUNK_MESSAGE: recorded->errors += chunk->message.severity == WS_ERROR; break;
    case WS_CHUNK_DONE:
        recorded->done = true;
        recorded->totals = chunk->done;
        break;
    default: break;
    }
}

bool recorded_read(struct recorded *recorded, const char *path)
{
    struct reading reading = {.recorded = recorded};
    struct ws_error error = {0};
    struct ws_chunk chunk;
    memset(recorded, 0, sizeof(*recorded));
    struct ws_reader *reader = ws_reader_open(path, &error);
    enum ws_read_result result = reader != NULL ? WS_READ_CHUNK : WS_READ_ERROR;
    while (result == WS_READ_CHUNK) {
        result = ws_reader_next(reader, &chunk, &error);
        if (result == WS_READ_CHUNK)
            add_chunk(&reading, &chunk);
    }
    ws_reader_destroy(reader);
    for (uint32_t i = 0; i < reading.piece_count; i++)
        free(reading.pieces[i].bytes);
    free(reading.pieces);
    if (result == WS_READ_ERROR)
        fprintf(stderr, "%s\n", error.message);
    return result == WS_READ_END;
}

void recorded_finish(struct recorded *recorded)
{
    for (uint32_t i = 0; i < recorded->count; i++) {
        for (uint32_t j = 0; j < recorded->launches[i].shader_count; j++)
            free(recorded->launches[i].shaders[j].words);
        free(recorded->launches[i].shaders);
        free(recorded->launches[i].label);
        free(recorded->launches[i].command_buffer);
    }
    free(recorded->launches);
    for (uint32_t i = 0; i < recorded->image_count; i++)
        free(recorded->images[i].bytes);
    free(recorded->images);
    memset(recorded, 0, sizeof(*recorded));
}

const struct recorded_shader *recorded_shader(const struct recorded_launch *launch, uint32_t stage)
{
    for (uint32_t i = 0; i < launch->shader_count; i++)
        if (launch->shaders[i].stage == stage)
            return &launch->shaders[i];
    return NULL;
}

uint64_t recorded_warps(const struct recorded_shader *shader)
{
    uint64_t warps = 0;
    for (uint32_t i = 0; i < shader->bins; i++)
        warps += shader->words[shader->bins + i];
    return warps;
}

uint64_t recorded_lanes(const struct recorded_shader *shader)
{
    return recorded_row_lanes(shader, 1);
}

uint64_t recorded_row_lanes(const struct recorded_shader *shader, uint32_t row)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < shader->bins; i++)
        lanes += (uint64_t)(i + 1) * shader->words[row * shader->bins + i];
    return lanes;
}
