#include "analysis/output/image_file.h"

#include <cairo.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/output/write_failure.h"

const struct ws_file_kind ws_image_file_kind = {"?PNG*", "Warpscope"};

/* Behind the signature and the header (PNG, 5.6: the first chunk, of 13 bytes) comes a text that says what wrote the file. */
#define HEAD_SIZE (8 + 12 + 13)
static const unsigned char software[] = "\0\0\0\x12tEXtSoftware\0Warpscope"
                                        "\x9b\x0f\x71\x91";

struct output {
    FILE *stream;
    size_t written; /* of cairo's bytes */
    int failure;    /* errno where one was not; 0 = all were */
};

static cairo_status_t write_out(void *user, const unsigned char *bytes, unsigned int size)
{
    struct output *output = user;
    const size_t head = output->written < HEAD_SIZE ? HEAD_SIZE - output->written : 0;
    const size_t first = size < head ? size : head;
    bool written = fwrite(bytes, 1, first, output->stream) == first;
    if (head > 0 && first == head)
        written =
            fwrite(software, 1, sizeof(software) - 1, output->stream) == sizeof(software) - 1 && written;
    written = fwrite(bytes + first, 1, size - first, output->stream) == size - first && written;
    output->written += size;
    if (!written)
        output->failure = errno;
    return written ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t write_png(cairo_surface_t *surface, const char *path, int *failure)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    struct output output = {.stream = to_stdout ? stdout : fopen(path, "wbe")};
    *failure = errno;
    if (output.stream == NULL)
        return CAIRO_STATUS_WRITE_ERROR;
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface, write_out, &output);
    const bool closed = (to_stdout ? fflush(stdout) : fclose(output.stream)) == 0;
    *failure = status == CAIRO_STATUS_SUCCESS ? errno : output.failure;
    return status == CAIRO_STATUS_SUCCESS && !closed ? CAIRO_STATUS_WRITE_ERROR : status;
}

bool ws_image_file_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height,
                         struct ws_error *error)
{
    int failure = 0;
    cairo_surface_t *surface = width <= INT32_MAX && height <= INT32_MAX
                                   ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)
                                   : NULL;
    cairo_status_t status = surface != NULL ? cairo_surface_status(surface) : CAIRO_STATUS_INVALID_SIZE;
    if (status == CAIRO_STATUS_SUCCESS) {
        uint8_t *pixels = cairo_image_surface_get_data(surface);
        const size_t pitch = (size_t)cairo_image_surface_get_stride(surface);
        cairo_surface_flush(surface);
        for (uint32_t y = 0; y < height; ++y) {
            uint32_t *row = (uint32_t *)(void *)(pixels + y * pitch);
            for (uint32_t x = 0; x < width; ++x, rgba += 4)
                row[x] = (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
        }
        cairo_surface_mark_dirty(surface);
        status = write_png(surface, path, &failure);
    }
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS ||
           ws_error_set(error, "cannot write '%s': %s", strcmp(path, "-") != 0 ? path : "standard output",
                        status == CAIRO_STATUS_WRITE_ERROR ? ws_write_failure(failure)
                                                           : cairo_status_to_string(status));
}
