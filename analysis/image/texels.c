#include "analysis/image/texels.h"

#include <math.h>
#include <string.h>

#include "warpscope/image_format.h"

const char *ws_texels_format_name(uint32_t format)
{
    const struct ws_image_format *known = ws_image_format_find(format);
    return known != NULL ? known->name : "an unknown format";
}

bool ws_texels_size(const struct ws_chunk_image *image, uint64_t *size, struct ws_error *error)
{
    const struct ws_image_format *format = ws_image_format_find(image->format);
    if (format == NULL)
        return ws_error_set(error, "an image has VkFormat %u, which is not known", image->format);
    if (format->values == WS_IMAGE_INTEGERS)
        return ws_error_set(error, "the image has %s: integers, which are no colours", format->name);
    if (image->width == 0 || image->height == 0 || (uint64_t)image->width * image->height > WS_TEXELS_MOST)
        return ws_error_set(error, "an image has %u x %u texels: at most %llu can be shown", image->width,
                            image->height, (unsigned long long)WS_TEXELS_MOST);
    const uint64_t row = (uint64_t)image->width * format->size;
    if (image->pitch < row || image->pitch > WS_TEXELS_MOST * 16)
        return ws_error_set(error, "an image has rows of %llu bytes, which cannot be",
                            (unsigned long long)image->pitch);
    *size = image->pitch * (image->height - 1) + row;
    return *size <= WS_TEXELS_MOST * 16 ||
           ws_error_set(error, "an image takes %llu bytes, which cannot be", (unsigned long long)*size);
}

static uint32_t load(const uint8_t *bytes, uint32_t size)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < size; ++i)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

static uint8_t from_unorm(uint32_t value, uint32_t bits)
{
    const uint32_t most = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    return (uint8_t)(((uint64_t)value * 510 + most) / (2 * (uint64_t)most));
}

static uint8_t from_snorm(uint32_t value, uint32_t bits)
{
    const uint32_t sign = 1u << (bits - 1);
    return (value & sign) != 0 ? 0 : from_unorm(value, bits - 1);
}

static uint8_t from_linear(float value)
{
    if (!(value > 0))
        return 0;
    if (value >= 1)
        return 255;
    const double linear = (double)value;
    const double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)(encoded * 255 + 0.5);
}

/* A float of `exponent` and `mantissa` bits, with or without a sign bit before them, of 5 bits of exponent. */
static float from_small(uint32_t bits, uint32_t mantissa_bits, bool has_sign)
{
    const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    const uint32_t exponent = bits >> mantissa_bits & 31;
    const bool negative = has_sign && (bits >> (mantissa_bits + 5) & 1) != 0;
    const float part = (float)mantissa / (float)(1u << mantissa_bits);
    float value;
    if (exponent == 31)
        value = mantissa != 0 ? NAN : INFINITY;
    else
        value = exponent == 0 ? ldexpf(part, -14) : ldexpf(1 + part, (int)exponent - 15);
    return negative ? -value : value;
}

static float load_float(const uint8_t *bytes, uint32_t bits)
{
    const uint32_t word = load(bytes, bits / 8);
    float value;
    if (bits == 16)
        return from_small(word, 10, true);
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* One of several components of equal size. */
static uint8_t component(const struct ws_image_format *format, const uint8_t *bytes)
{
    switch (format->values) {
    case WS_IMAGE_FLOAT: return from_linear(load_float(bytes, format->bits));
    case WS_IMAGE_SNORM: return from_snorm(load(bytes, format->bits / 8), format->bits);
    default: return from_unorm(load(bytes, format->bits / 8), format->bits);
    }
}

static void even(const struct ws_image_format *format, const uint8_t *bytes, uint8_t rgb[3])
{
    for (uint32_t i = 0; i < 3; ++i)
        rgb[i] = i < format->components ? component(format, bytes + (size_t)i * (format->bits / 8)) : 0;
    if (format->components == 1)
        rgb[1] = rgb[2] = rgb[0];
}

static void three(uint8_t rgb[3], uint8_t red, uint8_t green, uint8_t blue)
{
    rgb[0] = red;
    rgb[1] = green;
    rgb[2] = blue;
}

static void texel(const struct ws_image_format *format, const uint8_t *bytes, uint8_t rgb[3])
{
    const uint32_t word = load(bytes, format->size < 4 ? format->size : 4);
    const uint32_t ten[3] = {word & 1023, word >> 10 & 1023, word >> 20 & 1023};
    switch (format->layout) {
    case WS_IMAGE_RGBA: even(format, bytes, rgb); break;
    case WS_IMAGE_BGRA: three(rgb, bytes[2], bytes[1], bytes[0]); break;
    case WS_IMAGE_RGB10_A2:
        three(rgb, from_unorm(ten[0], 10), from_unorm(ten[1], 10), from_unorm(ten[2], 10));
        break;
    case WS_IMAGE_BGR10_A2:
        three(rgb, from_unorm(ten[2], 10), from_unorm(ten[1], 10), from_unorm(ten[0], 10));
        break;
    case WS_IMAGE_B5_G6_R5:
        three(rgb, from_unorm(word >> 11 & 31, 5), from_unorm(word >> 5 & 63, 6), from_unorm(word & 31, 5));
        break;
    case WS_IMAGE_R11_G11_B10:
        three(rgb, from_linear(from_small(word & 2047, 6, false)),
              from_linear(from_small(word >> 11 & 2047, 6, false)),
              from_linear(from_small(word >> 22 & 1023, 5, false)));
        break;
    case WS_IMAGE_RGB9_E5: {
        /* The mantissas have no hidden bit (the specification, "Shared Exponent to RGB"). */
        const float scale = ldexpf(1, (int)(word >> 27) - 15 - 9);
        three(rgb, from_linear((float)(word & 511) * scale), from_linear((float)(word >> 9 & 511) * scale),
              from_linear((float)(word >> 18 & 511) * scale));
        break;
    }
    }
}

void ws_texels_to_rgba(const struct ws_chunk_image *image, const uint8_t *bytes, uint8_t *rgba)
{
    const struct ws_image_format *format = ws_image_format_find(image->format);
    for (uint32_t y = 0; y < image->height; ++y) {
        const uint8_t *row = bytes + (uint64_t)y * image->pitch;
        for (uint32_t x = 0; x < image->width; ++x, rgba += 4) {
            texel(format, row + (uint64_t)x * format->size, rgba);
            rgba[3] = 255;
        }
    }
}
