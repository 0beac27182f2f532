/* Image files in a build without cairo: none can be written. */
#include "analysis/output/image_file.h"

const struct ws_file_kind ws_image_file_kind = {"?PNG*", "Warpscope"};

bool ws_image_file_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height,
                         struct ws_error *error)
{
    (void)rgba, (void)width, (void)height;
    return ws_error_set(error, "no image in '%s': this build of Warpscope lacks cairo, which writes it",
                        path);
}
