#include "analysis/output/image_file.h"

#include <cairo.h>
#include <stdio.h>
#include <string.h>

static cairo_status_t write_out(void *stream, const unsigned char *bytes, unsigned int size)
{
    return fwrite(bytes, 1, size, stream) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool ws_image_file_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height,
                         struct ws_error *error)
{
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
        if (strcmp(path, "-") != 0)
            status = cairo_surface_write_to_png(surface, path);
        else
            status = cairo_surface_write_to_png_stream(surface, write_out, stdout);
        if (status == CAIRO_STATUS_SUCCESS && strcmp(path, "-") == 0 && fflush(stdout) != 0)
            status = CAIRO_STATUS_WRITE_ERROR;
    }
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS ||
           ws_error_set(error, "cannot write '%s': %s", strcmp(path, "-") != 0 ? path : "standard output",
                        cairo_status_to_string(status));
}
