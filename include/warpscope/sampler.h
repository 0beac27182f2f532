/* Samplers, as they stand in captures: the descriptor of one, or of an image with one, has its words in `offset` and `range`
 * (struct ws_descriptor, chunks.h), which descriptors of other types than buffers do not need. Numbers are those of Vulkan
 * (VkFilter, VkSamplerAddressMode), but for filters that are neither nearest nor linear. Thread-safe: nothing is kept. */
#ifndef WARPSCOPE_SAMPLER_H
#define WARPSCOPE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum ws_sampler_filter {
    WS_FILTER_NEAREST,
    WS_FILTER_LINEAR,
    WS_FILTER_OTHER, /* such as cubic */
    WS_FILTERS,
};

enum ws_sampler_address {
    WS_ADDRESS_REPEAT,
    WS_ADDRESS_MIRRORED_REPEAT,
    WS_ADDRESS_CLAMP_TO_EDGE,
    WS_ADDRESS_CLAMP_TO_BORDER,
    WS_ADDRESS_MIRROR_CLAMP_TO_EDGE,
    WS_ADDRESS_MODES,
};

/* What VkSamplerCreateInfo says that bears on which texels are touched. Levels of detail are in levels, from 0 on. */
struct ws_sampler {
    uint32_t magnified;  /* enum ws_sampler_filter */
    uint32_t minified;   /* likewise */
    bool mixes_levels;   /* VK_SAMPLER_MIPMAP_MODE_LINEAR */
    uint32_t address[3]; /* enum ws_sampler_address, along each axis */
    bool is_anisotropic;
    bool is_unnormalized; /* coordinates count texels */
    bool has_seams;       /* of cubes: faces are images of their own (VK_EXT_non_seamless_cube_map) */
    bool is_converted;    /* VkSamplerYcbcrConversion */
    float bias;           /* added to the level */
    float least_level;
    float most_level;
};

/* A sampler as a descriptor has it: two words. Zero-initialised is none. */
struct ws_sampler_words {
    uint64_t offset;
    uint64_t range;
};

#define WS_SAMPLER_IS_THERE (UINT64_C(1) << 63)

/* The encoding of a number, and the number of an encoding. */
static inline uint32_t ws_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float ws_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The words of a sampler, whose filters and addresses are below WS_FILTERS and WS_ADDRESS_MODES. */
static inline struct ws_sampler_words ws_sampler_pack(const struct ws_sampler *sampler)
{
    const uint32_t flags = sampler->magnified | sampler->minified << 2 |
                           (uint32_t)sampler->mixes_levels << 4 | (uint32_t)sampler->is_anisotropic << 5 |
                           (uint32_t)sampler->is_unnormalized << 6 | (uint32_t)sampler->has_seams << 7 |
                           sampler->address[0] << 8 | sampler->address[1] << 12 | sampler->address[2] << 16 |
                           (uint32_t)sampler->is_converted << 20;
    return (struct ws_sampler_words){
        .offset = WS_SAMPLER_IS_THERE | (uint64_t)flags << 32 | ws_float_bits(sampler->bias),
        .range = (uint64_t)ws_float_bits(sampler->most_level) << 32 | ws_float_bits(sampler->least_level),
    };
}

/* What the words say. They may come from any file: false where they are of none, and then `sampler` is not to be used. */
static inline bool ws_sampler_unpack(const struct ws_sampler_words *words, struct ws_sampler *sampler)
{
    const uint32_t flags = (uint32_t)(words->offset >> 32);
    *sampler = (struct ws_sampler){
        .magnified = flags & 3,
        .minified = flags >> 2 & 3,
        .mixes_levels = (flags >> 4 & 1) != 0,
        .address = {flags >> 8 & 15, flags >> 12 & 15, flags >> 16 & 15},
        .is_anisotropic = (flags >> 5 & 1) != 0,
        .is_unnormalized = (flags >> 6 & 1) != 0,
        .has_seams = (flags >> 7 & 1) != 0,
        .is_converted = (flags >> 20 & 1) != 0,
        .bias = ws_float_of_bits((uint32_t)words->offset),
        .least_level = ws_float_of_bits((uint32_t)words->range),
        .most_level = ws_float_of_bits((uint32_t)(words->range >> 32)),
    };
    return (words->offset & WS_SAMPLER_IS_THERE) != 0 && sampler->magnified < WS_FILTERS &&
           sampler->minified < WS_FILTERS && sampler->address[0] < WS_ADDRESS_MODES &&
           sampler->address[1] < WS_ADDRESS_MODES && sampler->address[2] < WS_ADDRESS_MODES;
}

#endif
