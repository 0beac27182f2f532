#include "analysis/image/launch_image.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/model/launch.h"

const struct ws_chunk_image *ws_launch_image_find(const struct ws_catalog *catalog,
                                                  const struct ws_launch_record *launch)
{
    const struct ws_chunk_image *presented = NULL;
    for (uint32_t i = 0; i < catalog->image_count; ++i) {
        const struct ws_chunk_image *image = &catalog->images[i];
        if (image->source == WS_IMAGE_OF_LAUNCH && image->launch == launch->index)
            return image;
        if (image->source == WS_IMAGE_PRESENTED && image->frame == launch->frame)
            presented = image;
    }
    return presented;
}

/* Bytes of a blob as they come. Memory grows with what is there, not with what the file says. */
struct gathered {
    uint8_t *bytes;
    uint64_t size;
    uint64_t capacity;
};

static bool gather(struct gathered *gathered, const struct ws_chunk_blob *piece, uint64_t most,
                   struct ws_error *error)
{
    if (gathered->size >= most || piece->offset != gathered->size)
        return true;
    const uint64_t count = piece->count < most - gathered->size ? piece->count : most - gathered->size;
    if (gathered->size + count > gathered->capacity) {
        const uint64_t capacity = gathered->size + count;
        uint8_t *bytes = realloc(gathered->bytes, capacity + 1);
        if (bytes == NULL)
            return ws_error_set(error, "no memory for an image");
        gathered->bytes = bytes;
        gathered->capacity = capacity;
    }
    memcpy(gathered->bytes + gathered->size, piece->bytes, count);
    gathered->size += count;
    return true;
}

uint8_t *ws_launch_image_convert(const struct ws_chunk_image *image, const uint8_t *bytes, uint64_t size,
                                 struct ws_error *error)
{
    uint64_t needed;
    if (!ws_texels_size(image, &needed, error))
        return NULL;
    if (size < needed) {
        ws_error_set(error, "the image is not whole: the capture has %llu of its %llu bytes",
                     (unsigned long long)size, (unsigned long long)needed);
        return NULL;
    }
    uint8_t *rgba = malloc((size_t)image->width * image->height * 4);
    if (rgba == NULL) {
        ws_error_set(error, "no memory for an image");
        return NULL;
    }
    ws_texels_to_rgba(image, bytes, rgba);
    return rgba;
}

uint8_t *ws_launch_image_read(const char *path, const struct ws_chunk_image *image, struct ws_error *error)
{
    struct gathered gathered = {0};
    struct ws_chunk chunk;
    uint64_t needed;
    uint8_t *rgba = NULL;
    struct ws_reader *reader = ws_texels_size(image, &needed, error) ? ws_reader_open(path, error) : NULL;
    if (reader == NULL)
        return NULL;
    enum ws_read_result result;
    while ((result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK && gathered.size < needed)
        if (chunk.type == WS_CHUNK_BLOB && chunk.blob.id == image->blob &&
            !gather(&gathered, &chunk.blob, needed, error))
            goto error;
    if (result != WS_READ_ERROR)
        rgba = ws_launch_image_convert(image, gathered.bytes, gathered.size, error);
error:
    free(gathered.bytes);
    ws_reader_destroy(reader);
    return rgba;
}
