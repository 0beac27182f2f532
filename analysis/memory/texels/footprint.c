#include "analysis/memory/texels/footprint.h"

#include <math.h>
#include <string.h>

#include "warpscope/spirv/texels.h"

#define FAR 16777216.0 /* 2^24: coordinates that count texels are no texels beyond that floats tell apart */

/* A sample that is put together. */
struct sample {
    const struct ws_stretch_sample *what;
    const struct ws_sampler *sampler;
    uint32_t axes;
    double at[3]; /* coordinates, in texels of level 0 */
    int32_t offsets[WS_STRETCH_OFFSETS_MAX][3];
    uint32_t sizes[3]; /* of level 0 */
    uint32_t levels;   /* how many the view has */
    uint32_t layer;
    uint32_t face;
    struct ws_footprint_texel *texels;
    uint32_t count;
};

bool ws_footprint_is_modelled(const struct ws_sampler *sampler)
{
    return !sampler->is_anisotropic && !sampler->is_converted && sampler->magnified != WS_FILTER_OTHER &&
           sampler->minified != WS_FILTER_OTHER;
}

bool ws_footprint_is_pointed(const struct ws_sampler *sampler)
{
    bool is_pointed = sampler->magnified == WS_FILTER_NEAREST && sampler->minified == WS_FILTER_NEAREST &&
                      !sampler->mixes_levels && !sampler->is_unnormalized && sampler->bias == 0 &&
                      sampler->least_level <= 0 && ws_footprint_is_modelled(sampler);
    for (uint32_t i = 0; i < 3; ++i)
        is_pointed = is_pointed && sampler->address[i] == WS_ADDRESS_REPEAT;
    return is_pointed;
}

static float clamped(float value, float least, float most)
{
    if (!(value >= least)) /* what is no number, too */
        return least;
    return value > most ? most : value;
}

static int32_t floor_of(double value)
{
    return (int32_t)floor(value < -FAR ? -FAR : value > FAR ? FAR : value);
}

static int32_t mirror(int32_t n)
{
    return n >= 0 ? n : -(1 + n);
}

static int32_t modulo(int32_t n, int32_t by)
{
    const int32_t left = n % by;
    return left < 0 ? left + by : left;
}

static int32_t clamp_to(int32_t n, int32_t size)
{
    return n < 0 ? 0 : n >= size ? size - 1 : n;
}

/* Where a texel lies along an axis; -1 = on the border. */
static int32_t wrap(int32_t n, int32_t size, uint32_t address)
{
    switch ((enum ws_sampler_address)address) {
    case WS_ADDRESS_REPEAT: return modulo(n, size);
    case WS_ADDRESS_MIRRORED_REPEAT: return size - 1 - mirror(modulo(n, 2 * size) - size);
    case WS_ADDRESS_CLAMP_TO_BORDER: return n < 0 || n >= size ? -1 : n;
    case WS_ADDRESS_MIRROR_CLAMP_TO_EDGE: return clamp_to(mirror(n), size);
    case WS_ADDRESS_CLAMP_TO_EDGE:
    default: return clamp_to(n, size);
    }
}

/* ---- cubes ---- */

/* The face of a direction, and what of it goes across that, down, and away from the centre of the cube. */
static uint32_t find_face(const double direction[3], double turned[3])
{
    const double x = fabs(direction[0]), y = fabs(direction[1]), z = fabs(direction[2]);
    const uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    const uint32_t face = 2 * axis + (direction[axis] < 0);
    const double across[] = {-direction[2], direction[2], direction[0],
                             direction[0],  direction[0], -direction[0]};
    const double down[] = {-direction[1], -direction[1], direction[2],
                           -direction[2], -direction[1], -direction[1]};
    turned[0] = across[face];
    turned[1] = down[face];
    turned[2] = fabs(direction[axis]);
    return face;
}

/* The direction to a place on a face, or beside it. */
static void find_direction(uint32_t face, double across, double down, double direction[3])
{
    const double directions[6][3] = {{1, -down, -across}, {-1, -down, across}, {across, 1, down},
                                     {across, -1, -down}, {across, -down, 1},  {-across, -down, -1}};
    memcpy(direction, directions[face], sizeof(directions[face]));
}

/* Moves a texel beside a face to the face that it is on. False beyond a corner. */
static bool cross_edge(int32_t at[2], int32_t size, uint32_t *face)
{
    double direction[3];
    double turned[3];
    const bool is_beside[2] = {at[0] < 0 || at[0] >= size, at[1] < 0 || at[1] >= size};
    if (is_beside[0] && is_beside[1])
        return false;
    if (!is_beside[0] && !is_beside[1])
        return true;
    find_direction(*face, (2.0 * at[0] + 1) / size - 1, (2.0 * at[1] + 1) / size - 1, direction);
    *face = find_face(direction, turned);
    for (uint32_t i = 0; i < 2; ++i)
        at[i] = clamp_to((int32_t)floor((turned[i] / turned[2] + 1) / 2 * size), size);
    return true;
}

/* ---- texels ---- */

static uint32_t size_at(uint32_t size, uint32_t level)
{
    return size >> level > 0 ? size >> level : 1;
}

/* Adds a texel of a level, unless it is there. */
static void add_texel(struct sample *sample, const int32_t from[3], uint32_t level)
{
    struct ws_footprint_texel texel = {.level = level, .layer = sample->layer};
    int32_t at[3] = {from[0], from[1], from[2]};
    const bool is_whole = sample->what->is_cube != 0 && !sample->sampler->has_seams;
    uint32_t face = sample->face;
    if (is_whole && !cross_edge(at, (int32_t)size_at(sample->sizes[0], level), &face))
        return;
    for (uint32_t i = 0; i < sample->axes; ++i) {
        const int32_t size = (int32_t)size_at(sample->sizes[i], level);
        const int32_t wrapped =
            is_whole ? clamp_to(at[i], size) : wrap(at[i], size, sample->sampler->address[i]);
        if (wrapped < 0)
            return;
        texel.at[i] = (uint32_t)wrapped;
    }
    if (sample->what->is_cube != 0)
        texel.layer = 6 * texel.layer + face;
    for (uint32_t i = 0; i < sample->count; ++i)
        if (memcmp(&sample->texels[i], &texel, sizeof(texel)) == 0)
            return;
    if (sample->count < WS_FOOTPRINT_MAX)
        sample->texels[sample->count++] = texel;
}

/* Adds the texels from `first` on, one or two along each axis, of an image, or of a face of which they are no edge: there only
 * texels of one axis may be the same. */
static void add_box(struct sample *sample, const int32_t first[3], uint32_t level, bool is_linear)
{
    uint32_t along[3][2] = {{0}, {0}, {0}};
    uint32_t counts[3] = {1, 1, 1};
    struct ws_footprint_texel texel = {.level = level, .layer = sample->layer};
    if (sample->what->is_cube != 0)
        texel.layer = 6 * texel.layer + sample->face;
    for (uint32_t i = 0; i < sample->axes; ++i) {
        const int32_t size = (int32_t)size_at(sample->sizes[i], level);
        counts[i] = 0;
        for (int32_t j = 0; j <= is_linear; ++j) {
            const int32_t wrapped = wrap(first[i] + j, size, sample->sampler->address[i]);
            if (wrapped >= 0 && (counts[i] == 0 || along[i][0] != (uint32_t)wrapped))
                along[i][counts[i]++] = (uint32_t)wrapped;
        }
    }
    for (uint32_t z = 0; z < counts[2]; ++z) {
        for (uint32_t y = 0; y < counts[1]; ++y) {
            for (uint32_t x = 0; x < counts[0] && sample->count < WS_FOOTPRINT_MAX; ++x) {
                const uint32_t at[3] = {along[0][x], along[1][y], along[2][z]};
                memcpy(texel.at, at, sizeof(at));
                sample->texels[sample->count++] = texel;
            }
        }
    }
}

/* Whether texels from `first` on may be of several faces, or the same as those of another offset. */
static bool is_intricate(const struct sample *sample, const int32_t first[3], uint32_t level)
{
    bool is_edge = false;
    for (uint32_t i = 0; i < 2; ++i)
        is_edge = is_edge || first[i] < 0 || first[i] + 1 >= (int32_t)size_at(sample->sizes[i], level);
    return sample->what->offset_count == WS_STRETCH_OFFSETS_MAX ||
           (sample->what->is_cube != 0 && !sample->sampler->has_seams && is_edge);
}

/* Adds what a filter takes of a level. */
static void add_level(struct sample *sample, uint32_t level, bool is_linear)
{
    const uint32_t offset_count =
        sample->what->offset_count == WS_STRETCH_OFFSETS_MAX ? WS_STRETCH_OFFSETS_MAX : 1;
    int32_t first[3] = {0};
    for (uint32_t i = 0; i < sample->axes; ++i) {
        const double size = sample->sampler->is_unnormalized ? 1 : size_at(sample->sizes[i], level);
        first[i] = floor_of(sample->at[i] * size / sample->sizes[i] - (is_linear ? 0.5 : 0)) +
                   (offset_count == 1 ? sample->offsets[0][i] : 0);
    }
    if (!is_intricate(sample, first, level)) {
        add_box(sample, first, level, is_linear);
        return;
    }
    const uint32_t taken = is_linear && offset_count == 1 ? 1u << sample->axes : 1;
    for (uint32_t o = 0; o < offset_count; ++o) {
        for (uint32_t corner = 0; corner < taken; ++corner) {
            int32_t at[3] = {0};
            for (uint32_t i = 0; i < sample->axes; ++i)
                at[i] =
                    first[i] + (offset_count > 1 ? sample->offsets[o][i] : 0) + (int32_t)(corner >> i & 1);
            add_texel(sample, at, level);
        }
    }
}

static uint32_t log2_of(uint32_t size)
{
    uint32_t log2 = 0;
    while (size >> (log2 + 1) > 0)
        log2++;
    return log2;
}

/* Adds what the sampler takes at a level that was asked for. */
static void add_levels(struct sample *sample, float asked)
{
    const struct ws_sampler *sampler = sample->sampler;
    if (sample->what->is_gather != 0) {
        add_level(sample, 0, true);
        return;
    }
    const float biased = asked + (sample->what->adds_bias != 0 ? sampler->bias : 0);
    const float level = clamped(biased, sampler->least_level, sampler->most_level);
    const bool is_linear = (level <= 0 ? sampler->magnified : sampler->minified) != WS_FILTER_NEAREST;
    const float last = (float)(sample->levels - 1);
    const float chosen = clamped(level, 0, last);
    if (!sampler->mixes_levels) {
        add_level(sample, (uint32_t)clamped(ceilf(chosen - 0.5f), 0, last), is_linear);
        return;
    }
    const uint32_t high = (uint32_t)floorf(chosen);
    add_level(sample, high, is_linear);
    if (chosen > (float)high && high + 1 < sample->levels)
        add_level(sample, high + 1, is_linear);
}

/* An offset: those that are valid are small (maxTexelOffset, maxTexelGatherOffset). */
static int32_t offset_at(const struct ws_stretch_sample *what, const uint32_t *words, uint32_t number,
                         uint32_t axis)
{
    const uint32_t word = what->offset_words[number][axis];
    return (int16_t)(word != UINT32_MAX ? words[word] : what->offsets[number][axis]);
}

/* A coordinate in texels of level 0, or as many times that as the image has texels where the coordinate counts texels. */
static double coordinate_at(uint32_t word, uint32_t size, const struct ws_sampler *sampler)
{
    const int32_t parts = (int32_t)word;
    if (parts >= -(1 << 28) && parts < 1 << 28)
        return (double)parts / WS_TEXEL_PARTS_EACH;
    const double at = (double)ws_float_of_bits(word);
    if (!isfinite(at)) /* no device writes that */
        return 0;
    /* All that wraps does so within 2 images. An even number of images away it is as far beyond the image as before, for what
     * clamps. */
    return (sampler->is_unnormalized ? at : fmod(at, 2) + copysign(WS_TEXEL_PARTS_MOST, at)) * size;
}

uint32_t ws_footprint_find(const struct ws_stretch_access *access, const uint32_t *words,
                           const struct ws_sampler *sampler,
                           struct ws_footprint_texel texels[WS_FOOTPRINT_MAX])
{
    const struct ws_stretch_sample *what = &access->sample;
    const uint32_t size = words[what->size];
    struct sample sample = {.what = what, .sampler = sampler, .axes = access->axes, .texels = texels};
    sample.sizes[0] = access->axes == 1 ? size : size & 0xffff;
    sample.sizes[1] = size >> 16;
    sample.sizes[2] = what->depth != UINT32_MAX ? words[what->depth] : 1;
    for (uint32_t i = 0; i < 3; ++i)
        sample.sizes[i] = sample.sizes[i] == 0 ? 1 : sample.sizes[i] > 0xffff ? 0xffff : sample.sizes[i];
    sample.layer = what->layer != UINT32_MAX ? words[what->layer] : 0;
    if (what->is_cube != 0) {
        sample.face = sample.layer % 6;
        sample.layer /= 6;
    }
    for (uint32_t i = 0; i < access->axes; ++i)
        sample.at[i] = coordinate_at(words[what->at[i]], sample.sizes[i], sampler);
    for (uint32_t o = 0; o < what->offset_count; ++o)
        for (uint32_t i = 0; i < access->axes; ++i)
            sample.offsets[o][i] = offset_at(what, words, o, i);
    /* Where the shader does not look at the level, it does not say how many there are: as many as such an image may have. */
    const uint32_t widest = sample.sizes[0] > sample.sizes[1] ? sample.sizes[0] : sample.sizes[1];
    sample.levels = 1 + log2_of(access->axes == 3 && sample.sizes[2] > widest ? sample.sizes[2] : widest);
    float asked = 0;
    if (what->level != UINT32_MAX) {
        const uint32_t levels = words[what->level] & WS_TEXEL_LEVEL_MASK;
        asked = ws_float_of_bits(words[what->level] & ~WS_TEXEL_LEVEL_MASK);
        sample.levels = levels > 0 ? levels : 1;
    }
    add_levels(&sample, asked);
    return sample.count;
}
