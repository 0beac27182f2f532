#include "analysis/scene/scene_vertex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"

/* VkFormats stand in families: UNORM, SNORM, USCALED, SSCALED, UINT, SINT, and SRGB or SFLOAT. No vertex has
 * one of integers or sRGB. */
struct family {
    uint32_t first; /* its UNORM */
    uint32_t components;
    uint32_t component_size;
    bool reversed;
    const char *name;
};

static const struct family families[] = {
    {9, 1, 1, false, "R8"},          {16, 2, 1, false, "R8G8"},        {23, 3, 1, false, "R8G8B8"},
    {30, 3, 1, true, "B8G8R8"},      {37, 4, 1, false, "R8G8B8A8"},    {44, 4, 1, true, "B8G8R8A8"},
    {51, 4, 1, false, "A8B8G8R8"}, /* packed from the lowest byte: the same bytes as R8G8B8A8 */
    {58, 4, 0, true, "A2R10G10B10"}, {64, 4, 0, false, "A2B10G10R10"}, {70, 1, 2, false, "R16"},
    {77, 2, 2, false, "R16G16"},     {84, 3, 2, false, "R16G16B16"},   {91, 4, 2, false, "R16G16B16A16"},
};

#define FLOAT_16 6 /* of a family of 16 bits */

/* Those of 32 and 64 bits have UINT, SINT and SFLOAT, one component more each time. */
#define R32_FIRST   98
#define R64_FIRST   110
#define R64_END     122
#define WIDE_KINDS  3
#define WIDE_FLOAT  2
#define PACKED_A2_R 58
#define PACKED_A2_B 64
#define PACKED_BITS 10

static const char *const kind_names[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "SFLOAT"};

/* The family of a format, and which of its kinds. */
static const struct family *find_family(uint32_t vk_format, enum ws_component_kind *kind)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); ++i) {
        const struct family *family = &families[i];
        if (vk_format < family->first)
            continue;
        const uint32_t offset = vk_format - family->first;
        if (offset <= WS_COMPONENT_SSCALED) {
            *kind = (enum ws_component_kind)offset;
            return family;
        }
        if (offset == FLOAT_16 && family->component_size == 2) {
            *kind = WS_COMPONENT_FLOAT;
            return family;
        }
    }
    return NULL;
}

/* Components of a format of 32- or 64-bit floats; 0 where it is none. */
static uint32_t wide_components(uint32_t vk_format, uint32_t *component_size)
{
    if (vk_format < R32_FIRST || vk_format >= R64_END)
        return 0;
    *component_size = vk_format < R64_FIRST ? 4 : 8;
    const uint32_t offset = vk_format - (vk_format < R64_FIRST ? R32_FIRST : R64_FIRST);
    return offset % WIDE_KINDS == WIDE_FLOAT ? offset / WIDE_KINDS + 1 : 0;
}

bool ws_vertex_format_find(uint32_t vk_format, struct ws_vertex_format *format)
{
    enum ws_component_kind kind = WS_COMPONENT_FLOAT;
    uint32_t size = 0;
    const uint32_t components = wide_components(vk_format, &size);
    memset(format, 0, sizeof(*format));
    if (components > 0) {
        *format = (struct ws_vertex_format){size * components, components, size, false, kind};
        return true;
    }
    const struct family *family = find_family(vk_format, &kind);
    if (family == NULL)
        return false;
    format->size = family->component_size > 0 ? family->component_size * family->components : 4;
    format->components = family->components;
    format->component_size = family->component_size;
    format->reversed = family->reversed;
    format->kind = kind;
    return true;
}

const char *ws_vertex_format_name(uint32_t vk_format, char *text, size_t size)
{
    enum ws_component_kind kind = WS_COMPONENT_FLOAT;
    uint32_t component_size = 0;
    const uint32_t components = wide_components(vk_format, &component_size);
    const struct family *family = find_family(vk_format, &kind);
    if (components > 0) {
        static const char *const names[] = {"R32", "R32G32", "R32G32B32", "R32G32B32A32",
                                            "R64", "R64G64", "R64G64B64", "R64G64B64A64"};
        snprintf(text, size, "%s_SFLOAT", names[components - 1 + (component_size == 8 ? 4 : 0)]);
    } else if (family != NULL) {
        snprintf(text, size, "%s_%s", family->name, kind_names[kind]);
    } else {
        snprintf(text, size, "format %u", vk_format);
    }
    return text;
}

void ws_load_transform(const uint8_t *bytes, float transform[12])
{
    for (int i = 0; i < 12; ++i)
        transform[i] = ws_load_float(bytes + 4 * i);
}

static float half_to_float(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 0x1f;
    const uint32_t mantissa = half & 0x3ff;
    const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 0x1f)
        return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexpf((float)mantissa, -24);
    return sign * ldexpf((float)(mantissa | 0x400), (int)exponent - 25);
}

static float double_to_float(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    return ws_to_float(value);
}

/* An integer component of `bits` bits. */
static float from_integer(uint64_t value, uint32_t bits, enum ws_component_kind kind)
{
    const int64_t sign = (int64_t)1 << (bits - 1);
    const int64_t number = ((int64_t)value ^ sign) - sign;
    const float most = (float)(((uint64_t)1 << bits) - 1);
    const float most_signed = (float)(sign - 1);
    switch (kind) {
    case WS_COMPONENT_UNORM: return (float)value / most;
    case WS_COMPONENT_SNORM: return fmaxf((float)number / most_signed, -1.0f);
    case WS_COMPONENT_USCALED: return (float)value;
    default: return (float)number;
    }
}

static float decode_component(const struct ws_vertex_format *format, const uint8_t *bytes, uint32_t index)
{
    const uint32_t size = format->component_size;
    if (size == 0)
        return from_integer(ws_load(bytes, 4) >> (PACKED_BITS * index) & 0x3ff, PACKED_BITS, format->kind);
    if (size == 4)
        return ws_load_float(bytes + (size_t)index * size);
    const uint64_t value = ws_load(bytes + (size_t)index * size, size);
    if (format->kind != WS_COMPONENT_FLOAT)
        return from_integer(value, 8 * size, format->kind);
    return size == 8 ? double_to_float(value) : half_to_float((uint32_t)value);
}

void ws_vertex_decode(const struct ws_vertex_format *format, const uint8_t *bytes, float position[3])
{
    const uint32_t components = format->components < 3 ? format->components : 3;
    if (components == 3 && format->component_size == 4 && !format->reversed) { /* as most are */
        for (uint32_t i = 0; i < 3; ++i)
            position[i] = ws_load_float(bytes + 4 * (size_t)i);
        return;
    }
    for (uint32_t i = 0; i < 3; ++i)
        position[i] = 0;
    for (uint32_t i = 0; i < components; ++i)
        position[format->reversed ? 2 - i : i] = decode_component(format, bytes, i);
}
