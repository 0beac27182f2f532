/* Vertices of acceleration structures in the formats that Vulkan has for them. */
#ifndef WS_ANALYSIS_SCENE_SCENE_VERTEX_H
#define WS_ANALYSIS_SCENE_SCENE_VERTEX_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum ws_component_kind {
    WS_COMPONENT_UNORM,
    WS_COMPONENT_SNORM,
    WS_COMPONENT_USCALED,
    WS_COMPONENT_SSCALED,
    WS_COMPONENT_FLOAT
};

struct ws_vertex_format {
    uint32_t size;           /* bytes of a vertex */
    uint32_t components;     /* a fourth is ignored, one that is missing is 0 */
    uint32_t component_size; /* bytes; 0: three of 10 bits in a word */
    bool reversed;           /* blue, green, red */
    enum ws_component_kind kind;
};

/* False where vertices cannot have that VkFormat. */
bool ws_vertex_format_find(uint32_t vk_format, struct ws_vertex_format *format);

/* The position that the `format->size` bytes at `bytes` say. */
void ws_vertex_decode(const struct ws_vertex_format *format, const uint8_t *bytes, float position[3]);

/* Little-endian numbers of 1, 2, 4 or 8 bytes, wherever they stand. Here, because reports read millions. */
static inline uint64_t ws_load(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;
    switch (size) {
    case 1: return bytes[0];
    case 2: memcpy(&value, bytes, 2); break;
    case 4: memcpy(&value, bytes, 4); break;
    default: memcpy(&value, bytes, 8); break;
    }
    return le64toh(value);
}

static inline float ws_load_float(const uint8_t *bytes)
{
    const uint32_t word = (uint32_t)ws_load(bytes, 4);
    float value = 0;
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* A VkTransformMatrixKHR: 12 floats. */
void ws_load_transform(const uint8_t *bytes, float transform[12]);

/* "R32G32B32_SFLOAT" or "format 9"; static or in `text`. */
const char *ws_vertex_format_name(uint32_t vk_format, char *text, size_t size);

#endif
