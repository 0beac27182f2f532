/* The storage images that an entry point can write. */
#ifndef WS_PASSES_SPIRV_WRITTEN_IMAGES_H
#define WS_PASSES_SPIRV_WRITTEN_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_written_image {
    uint32_t set;
    uint32_t binding;
    bool array; /* one of an array of images, whose indices only the device knows */
};

/* Lists the two-dimensional storage images, of one sample, that instructions in functions that the entry points of that
 * name reach refer to, and that are not decorated NonWritable. `*images` is to be freed; NULL where there are none.
 * False where there is no memory, or the words are no module. */
bool ws_written_images_find(const uint32_t *words, size_t word_count, const char *entry,
                            struct ws_written_image **images, uint32_t *count);

#endif
