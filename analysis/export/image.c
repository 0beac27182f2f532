#include "analysis/export/image.h"

#include <stdlib.h>

#include "analysis/image/launch_image.h"
#include "analysis/output/image_file.h"

struct results {
    const struct ws_catalog *catalog;
    const struct ws_selection *selection;
    struct ws_image_export *export;
};

static void destroy(void *pointer)
{
    free(pointer);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    *results = (struct results){catalog, options->selection, options->user};
    return results;
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    (void)pointer, (void)chunk, (void)error;
    return true;
}

static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    const struct ws_catalog *catalog = results->catalog;
    for (uint32_t i = catalog->launches.count; i-- > 0;) {
        const struct ws_launch_record *launch = &catalog->launches.launches[i];
        const struct ws_chunk_image *image = ws_launch_image_find(catalog, launch);
        if (image == NULL || !ws_selection_has_launch(results->selection, launch->index))
            continue;
        results->export->launch = launch->index;
        results->export->image = *image;
        return true;
    }
    return ws_error_set(
        error,
        catalog->image_count > 0
            ? "none of these launches has an image"
            : "the capture has no images: warpscope record --image captures what traces and dispatches "
              "write to 2D storage images, and what programs present in a window");
}

static const char *const no_passes[] = {NULL};

const struct ws_analysis ws_analysis_image_export = {
    .name = "--image",
    .passes = no_passes,
    .no_shaders = "an image is made by the whole launch",
    .summary = "the image of a launch",
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
};

bool ws_image_export_write(const struct ws_image_export *image, const char *capture, struct ws_error *error)
{
    uint8_t *rgba = ws_launch_image_read(capture, &image->image, error);
    const bool written = rgba != NULL && ws_image_file_write(image->path, rgba, image->image.width,
                                                             image->image.height, error);
    free(rgba);
    return written;
}
