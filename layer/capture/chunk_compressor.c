/* The application waits for the compression, so it has to be fast. Rates are of one core, raw bytes, beside what is left of
 * them:
 *
 *                                     planes, level 3 or 1  WAY_RECORDS       packed
 *     rays of a path tracer           361 MB/s  52.5 %                        700 MB/s  47.5 %
 *     rays of another                 336 MB/s  36.3 %                        715 MB/s  34.8 %
 *     turns of random branches        268 MB/s  39.7 %                        688 MB/s  35.2 %
 *     all records of a path tracer    385 MB/s  42.9 %                        666 MB/s  43.9 %
 *     what lanes came by              482 MB/s  17.9 %      551 MB/s  19.1 %  710 MB/s  26.2 %
 *     addresses                       460 MB/s  23.3 %      538 MB/s  24.7 %  768 MB/s  27.1 %
 *
 * So records are packed where that makes the file hardly larger. New words are mostly noise then, in which nothing is looked
 * for: their bytes only get codes by how often each comes, and a plane that codes hardly shrink stays as it is. The same holds
 * for the bits that say which words are new, and for slots that repeat little. To pack and compress the rays of two path
 * tracers takes 0.64 and 0.55 of the time then, and leaves 1.11 and 1.09 of the bytes. To read packed words takes as long as
 * planes: 1.1 to 1.3 GB/s and 0.9 to 1.25. Slots that are guessed from the two before would be compressed in half the time,
 * but to guess them takes longer than that saves. */
#include "layer/capture/chunk_compressor.h"

#include <stdlib.h>
#include <zstd.h>

#include "layer/capture/word_packer.h"

enum way {
    /* zstd's level 1: 400 MB/s, and leaves a fourth of addresses and blocks. */
    WAY_FAST,
    /* Level 3 with tables that fit into a core's first cache takes a tenth longer for what shrinks well, and leaves 6 to 12 %
     * less. With its own tables it takes half as long again, for 1 to 3 % more. */
    WAY_DENSE,
    /* Records' planes: a table for the first cache, and matches from 6 bytes on. */
    WAY_RECORDS,
    /* Looks for a match at one of a thousand places, and gives the bytes codes by how often each comes. */
    WAY_NOISE,
    /* The same without codes: the bytes as they are, but for a match. It takes a fifth of the time. */
    WAY_PLAIN,
};

struct parameters {
    int level;
    int hash_log; /* 0, here and below = as the level has it */
    int chain_log;
    int shortest; /* match */
    int codes;    /* 1 = bytes without a match get codes, at any level; 2 = at none */
};

static const struct parameters ways[] = {
    [WAY_FAST] = {.level = 1},
    [WAY_DENSE] = {.level = 3, .hash_log = 14, .chain_log = 13},
    [WAY_RECORDS] = {.level = 1, .hash_log = 12, .shortest = 6},
    [WAY_NOISE] = {.level = -1000, .codes = 1},
    [WAY_PLAIN] = {.level = -1000, .codes = 2},
};

/* What shrinks well: a chunk of so many bytes that leaves less than so many parts in a hundred says it of the next. */
#define DENSE_FROM    (64u << 10)
#define DENSE_PERCENT 40

/* Fewer words are not packed: to try it would take as long as it saves. */
#define PACKED_FROM (64u << 10)
/* So many words from the middle are packed and compressed, and compressed as planes: 16 KiB, which fit into the first cache.
 * That takes 1.4 % of the time of a whole piece. They said 0.83 to 1.08 where all words took 0.75 to 1.10 of what planes take,
 * and 1.11 to 1.63 where all took 1.21 to 7. */
#define TRIED 4096u
/* They are packed where they take at most so many parts in a hundred of what planes take. */
#define PACKED_PERCENT 105

/* A plane of new words: each byte of them is one. The lower ones of numbers with a fraction shrink least. */
#define PLANES 4u
/* So many bytes from the middle say whether a plane gets codes: it does where they leave at most so many parts in a hundred.
 * What codes save above that takes longer than to write it. */
#define PLANE_TRIED   8192u
#define CODED_PERCENT 85

/* So many slots from the middle say whether matches are looked for: they are where that saves so many parts in a hundred of the
 * slots beyond codes. It takes 1.7 ns a slot, so a byte that is less in the file costs as much as it may in planes. */
#define SLOTS_TRIED     8192u
#define MATCHED_PERCENT 20

struct ws_chunk_compressor {
    ZSTD_CCtx *context;
    bool shrinks_little; /* what the last large chunk held, other than records */
};

struct ws_chunk_compressor *ws_chunk_compressor_create(void)
{
    struct ws_chunk_compressor *compressor = calloc(1, sizeof(*compressor));
    if (compressor == NULL)
        return NULL;
    compressor->context = ZSTD_createCCtx();
    if (compressor->context != NULL)
        return compressor;
    free(compressor);
    return NULL;
}

void ws_chunk_compressor_destroy(struct ws_chunk_compressor *compressor)
{
    if (compressor == NULL)
        return;
    ZSTD_freeCCtx(compressor->context);
    free(compressor);
}

size_t ws_chunk_compressed_bound(size_t size)
{
    return (2 + PLANES) * ZSTD_compressBound(0) + ZSTD_compressBound(size); /* of so many frames at most */
}

static bool set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value));
}

/* One frame. 0 where that fails. */
static size_t compress(ZSTD_CCtx *context, enum way way, const uint8_t *bytes, size_t size, uint8_t *to)
{
    const struct parameters *as = &ways[way];
    /* The fifth is ZSTD_c_literalCompressionMode, whose name the header shows to static users only. */
    if (!set(context, ZSTD_c_compressionLevel, as->level) || !set(context, ZSTD_c_hashLog, as->hash_log) ||
        !set(context, ZSTD_c_chainLog, as->chain_log) || !set(context, ZSTD_c_minMatch, as->shortest) ||
        !set(context, ZSTD_c_experimentalParam5, as->codes))
        return 0;
    const size_t result = ZSTD_compress2(context, to, ZSTD_compressBound(size), bytes, size);
    return ZSTD_isError(result) ? 0 : result;
}

/* `to` is written over. */
static enum way way_of_plane(ZSTD_CCtx *context, const uint8_t *plane, size_t size, uint8_t *to)
{
    if (size < 2 * PLANE_TRIED)
        return WAY_NOISE;
    const size_t left = compress(context, WAY_NOISE, plane + (size - PLANE_TRIED) / 2, PLANE_TRIED, to);
    return 100 * left <= CODED_PERCENT * PLANE_TRIED ? WAY_NOISE : WAY_PLAIN;
}

/* New words, as planes: neighbours of one way are one frame. 0 where that fails. */
static size_t compress_noise(ZSTD_CCtx *context, const uint8_t *planes, size_t noise, uint8_t *to)
{
    const size_t size = noise / PLANES;
    size_t result = 0;
    uint32_t first = 0;
    enum way way = way_of_plane(context, planes, size, to);
    for (uint32_t next = 1; next <= PLANES; next++) {
        enum way other = next < PLANES ? way_of_plane(context, planes + next * size, size, to + result) : way;
        if (next < PLANES && other == way)
            continue;
        const size_t frame =
            compress(context, way, planes + first * size, (next - first) * size, to + result);
        if (frame == 0)
            return 0;
        result += frame;
        first = next;
        way = other;
    }
    return result;
}

/* Matches are looked for in slots where they save much beyond codes. `to` is written over. */
static enum way way_of_slots(ZSTD_CCtx *context, const uint8_t *slots, size_t size, uint8_t *to)
{
    if (size < 2 * SLOTS_TRIED)
        return WAY_RECORDS;
    const uint8_t *tried = slots + (size - SLOTS_TRIED) / 2;
    const size_t coded = compress(context, WAY_NOISE, tried, SLOTS_TRIED, to);
    const size_t matched = compress(context, WAY_RECORDS, tried, SLOTS_TRIED, to);
    return 100 * matched + MATCHED_PERCENT * SLOTS_TRIED <= 100 * coded ? WAY_RECORDS : WAY_NOISE;
}

/* Packed words: the bits that say which are new, behind all that stands before the words; the slots of the others; and the new
 * ones. 0 where that fails. */
static size_t compress_packed(ZSTD_CCtx *context, const uint8_t *bytes, size_t size,
                              const struct ws_packed_size *packed, uint8_t *to)
{
    const uint8_t *noise = bytes + size - packed->noise;
    const uint8_t *slots = noise - packed->slots;
    size_t result = compress(context, WAY_NOISE, bytes, (size_t)(slots - bytes), to);
    if (result > 0 && packed->slots > 0) {
        const enum way way = way_of_slots(context, slots, packed->slots, to + result);
        const size_t frame = compress(context, way, slots, packed->slots, to + result);
        result = frame > 0 ? result + frame : 0;
    }
    if (result > 0 && packed->noise > 0) {
        const size_t frames = compress_noise(context, noise, packed->noise, to + result);
        result = frames > 0 ? result + frames : 0;
    }
    return result;
}

size_t ws_chunk_compress(struct ws_chunk_compressor *compressor, uint32_t type,
                         const struct ws_chunk_payload *payload, size_t reserved, uint8_t *compressed)
{
    const uint8_t *bytes = payload->data + reserved;
    const size_t size = payload->size - reserved;
    size_t result = 0;
    if (type == WS_CHUNK_RECORDS) {
        result = payload->saved > 0
                     ? compress_packed(compressor->context, bytes, size, &payload->packed, compressed)
                     : compress(compressor->context, WAY_RECORDS, bytes, size, compressed);
    } else {
        const enum way way = compressor->shrinks_little ? WAY_FAST : WAY_DENSE;
        result = compress(compressor->context, way, bytes, size, compressed);
        if (size >= DENSE_FROM && result > 0)
            compressor->shrinks_little = result / DENSE_PERCENT >= size / 100;
    }
    return result >= size ? 0 : result;
}

/* What TRIED words take as planes, and packed. False without memory. */
static bool try_both(const uint32_t *words, ZSTD_CCtx *context, size_t *as_planes, size_t *packed)
{
    const size_t room = ws_words_pack_room(TRIED);
    uint8_t *bytes = malloc(room + ws_chunk_compressed_bound(room));
    if (bytes == NULL)
        return false;
    uint8_t *to = bytes + room;
    ws_words_part(bytes, TRIED, words, TRIED);
    *as_planes = compress(context, WAY_RECORDS, bytes, 4 * (size_t)TRIED, to);
    struct ws_packed_size parts;
    const size_t size = ws_words_pack(words, TRIED, bytes, &parts);
    *packed = compress_packed(context, bytes, size, &parts, to);
    free(bytes);
    return *as_planes > 0 && *packed > 0;
}

bool ws_chunk_packs_well(const uint32_t *words, uint32_t count)
{
    if (words == NULL || count < PACKED_FROM)
        return false;
    size_t as_planes = 0;
    size_t packed = 0;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const bool tried = context != NULL && try_both(words + (count - TRIED) / 2, context, &as_planes, &packed);
    ZSTD_freeCCtx(context);
    return tried && 100 * packed <= PACKED_PERCENT * as_planes;
}
