/* Texels: which one an instruction touches, and where it lies.
 *
 * Texel buffers are memory like others: texel i lies at i times its size (access.h, WS_MEMORY_TEXELS).
 *
 * Where the texels of an IMAGE lie, only the device knows: each has tilings of its own. So what is told of images is of a
 * MODEL, the same for all devices. It has what their tilings have in common: texels that are near in both directions are near
 * in memory.
 *
 *   - The index of a texel is x and y with their bits in turn, x first (Morton order): of a 1D image x, of a 3D image x, y
 *     and z in turn.
 *   - It lies at its index times its size. Layers, faces, samples and levels are apart.
 *
 * So the sectors of 32 bytes and the lines of 128 are tiles. Of a 2D image, by the size of a texel:
 *
 *   bytes    1      2      4      8      16
 *   sector   8x4    4x4    4x2    2x2    2x1
 *   line     16x8   8x8    8x4    4x4    4x2
 *
 * Of a 3D image with texels of 4 bytes a sector has 2x2x2. By hand: a warp of 8 lanes that reads 8 texels of 4 bytes of one
 * row, from a multiple of 8 on, touches 2 sectors of one line; of one column 4 sectors of 2 lines.
 *
 * SIZE. That of the format in the image's type. Where that says none, as of all images that are sampled, the access says so.
 * Then that of the view counts that was bound (warpscope/texel_format.h), of compressed formats that of a block. Records have
 * the index of the texel, for what reads them to know its place (analysis/memory/texels/texel_place.h); counters have tiles of
 * all sizes (warpscope/texel_shifts.h). Where it is not known what was bound, as where draws of one render pass differ, 4 bytes
 * are assumed, and that is said.
 *
 * SAMPLES. Which texels a sample touches its sampler says: filters take neighbours, and of two levels; addressing says where
 * coordinates beyond the image lie. A shader does not know its sampler, the capture does.
 *
 *   - Records have what the shader knows: coordinates, level and size. From these, and from the sampler that was bound, the
 *     reader finds all texels that the sample touches (analysis/memory/texels/footprint.h).
 *   - Counters count the texel that the coordinates lie in, floor(coordinate x size of the level), at the nearest level that
 *     the image has; coordinates beyond the image wrap around. That is what a sampler touches that filters nothing and
 *     repeats. Of other samplers, and of gathers, which touch four texels, it is one texel of several: so many requests are
 *     POINTED (analysis/memory/memory.h).
 *
 * SUBPASS INPUTS are read where the fragment's pixel is, and the coordinates of the instruction beside it. In a render pass of
 * several layers or views these count as one.
 *
 * In one word for each, layers count modulo 4096 (a sample is 256 layers), elements of an array of descriptors modulo 2048.
 *
 * What is found is a pure function of the module. */
#ifndef WARPSCOPE_SPIRV_TEXELS_H
#define WARPSCOPE_SPIRV_TEXELS_H

#include "warpscope/spirv/module.h"

#define WS_TEXEL_SIZE_ASSUMED 4 /* bytes */
/* Coordinates of samples are recorded in so many parts of a texel: as finely as all devices have them (subTexelPrecisionBits is
 * 4 at least). What lies on an edge, or in the middle of a texel, stays on its side. */
#define WS_TEXEL_PARTS_EACH 16
/* From so many on, either way, coordinates are recorded as floats, as the shader has them: up to 2^96, where all are the same.
 * A shader does not know whether its sampler takes 1 as the image or as a texel, which are so many parts apart as the image has
 * texels, 65,535 at most. Below, the products that edges and middles of texels have, of 8 bits and 16, are exact as floats, and
 * have fewer than 28 bits as parts: floats from 2 to 2^96 have others of the upper 4 bits than these have. */
#define WS_TEXEL_PARTS_MOST 128

#define WS_TEXEL_LEVEL_BITS 5 /* the lowest of a word that tells levels, layers and samples apart */
#define WS_TEXEL_LEVEL_MASK ((1u << WS_TEXEL_LEVEL_BITS) - 1)

/* What the coordinates of an instruction are. */
enum ws_texel_coordinates {
    WS_TEXEL_INTEGERS, /* of reads, writes, fetches and atomics; of subpass inputs from the fragment's pixel on */
    WS_TEXEL_PARTS,     /* of samples: 1 = the whole image */
    WS_TEXEL_PROJECTED, /* the same, divided by one more, which comes last */
};

/* An access of one instruction to texels. Members that end with _id are ids of the module; 0 = there is none. */
struct ws_texel {
    uint32_t type;  /* of the image: id of an OpTypeImage */
    uint32_t image; /* id of the image, or of the sampled image, as the instruction has it; of an atomic 0 */
    uint32_t pointer; /* id of what the image was loaded by; 0 = not known */
    uint32_t
        sampler; /* of a sample: id of what its sampler was loaded by, which may be the same; 0 = not known */
    enum ws_texel_coordinates coordinates;
    uint32_t coordinate_id;
    uint32_t level_id; /* an integer of a fetch, a float of a sample */
    uint32_t bias_id;
    uint32_t least_level_id; /* MinLod */
    uint32_t gradient_ids[2];
    uint32_t offset_id;
    uint32_t offsets_id; /* of a gather: four constant offsets */
    uint32_t sample_id;
    bool implicit_level; /* by the derivatives of the coordinates */
    bool is_gather;
    uint32_t dim; /* SpvDim */
    bool is_arrayed;
    bool is_multisampled;
    uint32_t size; /* bytes of a texel by the format of the type; 0 = it says none */
};

/* Whether an instruction reads, writes, fetches, samples or gathers texels: the access is its only one. Atomics are others. */
bool ws_texel_is_touched_by(uint16_t opcode);

/* Whether it writes them. */
bool ws_texel_is_written_by(uint16_t opcode);

/* Finds what such an instruction touches, or an atomic by a pointer that OpImageTexelPointer made. NULL, or why it is not
 * known: a static string of one clause. */
const char *ws_texel_find(struct ws_texel *texel, const struct ws_module *module,
                          const struct ws_instruction *instruction);

/* Whether it samples or gathers: by a sampler. */
static inline bool ws_texel_is_sampled(const struct ws_texel *texel)
{
    return texel->coordinates != WS_TEXEL_INTEGERS;
}

/* Whether an image may have several layers, faces, samples or levels, of which the access chooses one; of a 3D image what its
 * coordinates have beyond 10 bits stands in place of that. */
bool ws_texel_has_parts(const struct ws_texel *texel);

/* How many numbers say where a texel is within a layer and level: 1 to 3; 0 = none do. Faces of cubes are layers. */
uint32_t ws_texel_axes(uint32_t dim);

#endif
