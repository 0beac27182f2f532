/* Stretches: accesses to memory whose addresses are recorded together.
 *
 * A STRETCH is a run of accesses (access.h) of one block, with no call and no barrier between them: all lanes that run one of
 * them run all. So one data record tells the addresses of all, and of these only what the shader does not say itself. Each
 * address is a constant and a sum of terms, scale x word. For example, the three accesses of
 *
 *   b.xs[i] = a.xs[i] + a.xs[i + 1];     with floats
 *
 * need the one word i: a + 4 x i, a + 4 + 4 x i, b + 4 x i.
 *
 * WORDS. A word is an integer of 32 bits, half of a device address, or of a pointer that is chosen while the shader runs where
 * it points: its offset, and where it may be of several variables, its place (pointers.h). Of a texel of an image it is the
 * index, and where there are several layers or levels, which one that is (texels.h): equal coordinates make equal words. Of a
 * sample it is what its sampler needs to choose texels: coordinates in parts of a texel, or as they are; the size of
 * the image; and the level. Samples of one image share what is equal. These are equal, and one word:
 *   - two results of the same instruction on the same operands, in one block;
 *   - two loads of a variable of Function, Private, Input or PushConstant by the same indices, with no store to the
 *     variable between them, and no call; and what was stored last. Code of compilers that do not optimise loads each index
 *     anew. What a parameter points to may change by each store to a variable.
 * Constants that are added or multiplied, and shifts by constants, go into the address: i + 1 is the word i. A sum of two
 * values is one word or two, whichever makes fewer words of the stretch.
 *
 * Terms of a device address are signed, and their sum has 64 bits. An index that is computed beyond 2^31 is followed as if it
 * had more bits: an address so far from its base is none of a buffer.
 *
 * Workgroup memory is left out: it lies in no cache.
 *
 * What is found is a pure function of the module. The reader of a capture finds it again, and the tag of each site says whether
 * it found the same (ws_stretch_tag). */
#ifndef WARPSCOPE_SPIRV_STRETCHES_H
#define WARPSCOPE_SPIRV_STRETCHES_H

#include "warpscope/spirv/access.h"

#define WS_STRETCH_WORDS_MAX 16 /* as many as a data record has (WS_DATA_WORDS_MAX of pass.h) */

/* `scale` bytes times a word of the record. */
struct ws_stretch_term {
    uint32_t word;
    uint32_t scale;
};

#define WS_STRETCH_OFFSETS_MAX 4 /* of a gather */

/* A sample. Places of words are WS_NONE where there is none. All members have 32 bits, so that equal samples have equal
 * bytes. */
struct ws_stretch_sample {
    uint32_t is_sample;
    uint32_t is_gather;
    uint32_t is_cube;      /* the layer is 6 x layer + face, and the coordinates are on that */
    uint32_t adds_bias;    /* of the sampler, to the level: it is not in there yet */
    uint32_t at[3];        /* WS_STRETCH_AT, as many as axes */
    uint32_t size;         /* WS_STRETCH_SIZE */
    uint32_t depth;        /* of 3D images */
    uint32_t layer;        /* of arrays */
    uint32_t level;        /* WS_STRETCH_LEVEL; level 0 where there is none */
    uint32_t offset_count; /* 0, 1, or of a gather 4 */
    uint32_t offset_words[WS_STRETCH_OFFSETS_MAX][3]; /* words; of constants WS_NONE */
    uint32_t offsets[WS_STRETCH_OFFSETS_MAX][3];      /* these constants */
    uint32_t sampler;                                 /* as in struct ws_access, the next too */
    uint32_t sampler_element;                         /* where the word is WS_NONE */
    uint32_t sampler_element_word;
};

struct ws_stretch_access {
    uint32_t instruction; /* index in the module's */
    enum ws_access_kind kind;
    enum ws_access_memory memory; /* not WS_MEMORY_WORKGROUP */
    uint32_t variable;            /* as in struct ws_access, these four too */
    uint32_t type;
    uint32_t size;
    uint32_t unit;
    uint64_t offset;
    /* WS_MEMORY_ADDRESS: the first of two words, the low half of the address. Of a pointer that is chosen while the shader runs
     * the word that has its offset. WS_MEMORY_IMAGE: the word that has the texel's index (texels.h). Else WS_NONE. */
    uint32_t base;
    uint32_t descriptor;      /* element of an array of descriptors, where descriptor_word is WS_NONE */
    uint32_t descriptor_word; /* the word that has it, or the place */
    bool varies;              /* descriptor_word has a place (pointers.h) */
    struct ws_stretch_term terms[WS_ACCESS_TERMS_MAX];
    uint32_t term_count;
    bool has_part;   /* WS_MEMORY_IMAGE: the word behind `base` tells layers, samples and levels apart */
    bool is_assumed; /* `size` is (access.h) */
    uint32_t axes;   /* WS_MEMORY_IMAGE: how many coordinates its index has (texels.h) */
    struct ws_stretch_sample sample; /* then `base` is WS_NONE */
};

enum ws_stretch_part {
    WS_STRETCH_VALUE, /* the integer itself */
    WS_STRETCH_ADDRESS, /* half of a device address: the low half, where the word before it is not of the same address */
    WS_STRETCH_OFFSET, /* where a pointer that is chosen while the shader runs points, in bytes */
    WS_STRETCH_PLACE,  /* in which variable, and which element of its array (pointers.h) */
    WS_STRETCH_TEXEL,  /* index of a texel (texels.h) */
    WS_STRETCH_PART,   /* level of a texel in 5 bits, and layer */
    WS_STRETCH_COMPONENT, /* a number of a vector or an array, in their order: an integer, or the bits of a float */
    /* Of a sample: the bits of a float, the level before the sampler clamps it. The lowest WS_TEXEL_LEVEL_BITS are how many
     * levels the image has; devices have fewer bits of a level (mipmapPrecisionBits). */
    WS_STRETCH_LEVEL,
    WS_STRETCH_AT, /* along axis `component`: WS_TEXEL_PARTS_EACH to a texel of level 0, signed, or a float (texels.h) */
    WS_STRETCH_SIZE,  /* of level 0 of the image: its width, and its height from bit 16 on */
    WS_STRETCH_DEPTH, /* likewise */
    WS_STRETCH_LAYER, /* the nearest that the image has; of a cube the face, and six times that */
};

struct ws_stretch_word {
    uint32_t
        id; /* of an integer of 32 bits, or of a pointer; of a texel, index of an instruction that touches it */
    enum ws_stretch_part part;
    uint32_t component; /* which number of a value, or which axis */
};

struct ws_stretch {
    uint32_t instruction; /* index of the last access: before it all words are known */
    uint32_t access_first;
    uint32_t access_count;
    struct ws_stretch_word words[WS_STRETCH_WORDS_MAX];
    uint32_t word_count;
};

struct ws_stretches {
    struct ws_stretch *list; /* by instruction */
    uint32_t count;
    struct ws_stretch_access *accesses; /* stretch by stretch */
    uint32_t access_count;
};

/* Finds the stretches of a module, in its arena. `layouts` are the module's. Linear time. False on no memory. */
bool ws_stretches_find(struct ws_stretches *stretches, const struct ws_module *module,
                       struct ws_layouts *layouts);

/* The first stretch of which this instruction is the last access; NULL = of none. One that copies may be that of two, the
 * second of which stands next in the list. Logarithmic. */
const struct ws_stretch *ws_stretches_at(const struct ws_stretches *stretches, uint32_t instruction);

/* A number that tells stretches apart whose records mean different things: odd, so never 0. */
uint32_t ws_stretch_tag(const struct ws_stretches *stretches, const struct ws_stretch *stretch);

/* What a compiler would leave of an access: it drops repeated loads, and joins neighbours. */
struct ws_stretch_left {
    uint64_t offset;
    uint32_t size; /* 0 = another access of the stretch does it too */
};

/* Writes what is left of each access of a stretch: room for access_count. Loads of the same buffer, element and terms are one
 * where their bytes lie side by side or overlap, and are 16 at most: the first of them does it. Stores likewise. A store or
 * atomic between loads may change what they load, and a load or atomic between stores may need what they stored: then they stay
 * two. Accesses of more than 16 bytes, and atomics, stay what they are. */
void ws_stretch_compile(const struct ws_stretches *stretches, const struct ws_stretch *stretch,
                        struct ws_stretch_left *left);

/* Where a lane's part of an access begins, from the words of the lane's record: of a device address that, else bytes from the
 * begin of the buffer; of an image, in the model: index and part, as one number of which the index has the lower 32 bits, times
 * the size. Of a sample it says nothing: 0. */
uint64_t ws_stretch_address(const struct ws_stretch_access *access, const uint32_t *words);

/* The element of an array of descriptors; 0 where there is none. Where the access varies, its place. */
static inline uint32_t ws_stretch_descriptor(const struct ws_stretch_access *access, const uint32_t *words)
{
    return access->descriptor_word == UINT32_MAX ? access->descriptor : words[access->descriptor_word];
}

#endif
