/* Captures that are changed at random, their checksums made right again. */
#ifndef WS_TESTS_FUZZ_CHANGES_H
#define WS_TESTS_FUZZ_CHANGES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "warpscope/capture.h"

/* Makes the checksums of all chunks right. */
static inline void seal(uint8_t *data, size_t size)
{
    for (size_t at = WS_CAPTURE_HEADER_SIZE; size - at >= WS_CHUNK_HEADER_SIZE;) {
        uint64_t stored;
        memcpy(&stored, data + at + 8, sizeof(stored));
        if (stored > size - at - WS_CHUNK_HEADER_SIZE)
            return;
        uint64_t checksum =
            XXH3_64bits_withSeed(data + at + WS_CHUNK_HEADER_SIZE, stored, XXH3_64bits(data + at, 24));
        memcpy(data + at + 24, &checksum, sizeof(checksum));
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
}

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Changes one word somewhere, to a number that is likely to matter. */
static inline void change(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint32_t numbers[] = {0,          1,          2,          3,          8,
                                       0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 64u << 20};
    size_t at = WS_CAPTURE_HEADER_SIZE + next_random(state) % (size - WS_CAPTURE_HEADER_SIZE - 4);
    uint32_t word;
    memcpy(&word, data + at, sizeof(word));
    switch (next_random(state) % 4) {
    case 0: word ^= UINT32_C(1) << next_random(state) % 32; break;
    case 1: word = numbers[next_random(state) % (sizeof(numbers) / sizeof(numbers[0]))]; break;
    case 2: word += (uint32_t)(next_random(state) % 5) - 2; break;
    default:
        memcpy(&word, data + WS_CAPTURE_HEADER_SIZE + next_random(state) % (size - 20), sizeof(word));
        break;
    }
    memcpy(data + at, &word, sizeof(word));
}

/* The whole file, its compressed chunks stored instead, so that changes reach what is in them. */
static inline uint8_t *load_stored(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = calloc(1, 1u << 20);
    uint8_t *out = calloc(1, 1u << 22);
    if (file == NULL || data == NULL || out == NULL)
        abort();
    size_t read = fread(data, 1, 1u << 20, file);
    fclose(file);
    memcpy(out, data, WS_CAPTURE_HEADER_SIZE);
    *size = WS_CAPTURE_HEADER_SIZE;
    for (size_t at = WS_CAPTURE_HEADER_SIZE; read - at >= WS_CHUNK_HEADER_SIZE;) {
        uint64_t sizes[2];
        memcpy(sizes, data + at + 8, sizeof(sizes));
        uint8_t *chunk = out + *size;
        memcpy(chunk, data + at, WS_CHUNK_HEADER_SIZE);
        if (chunk[4] == WS_CHUNK_ZSTD)
            ZSTD_decompress(chunk + WS_CHUNK_HEADER_SIZE, sizes[1], data + at + WS_CHUNK_HEADER_SIZE,
                            sizes[0]);
        else
            memcpy(chunk + WS_CHUNK_HEADER_SIZE, data + at + WS_CHUNK_HEADER_SIZE, sizes[0]);
        chunk[4] = 0;
        memcpy(chunk + 8, &sizes[1], sizeof(sizes[1]));
        *size += WS_CHUNK_HEADER_SIZE + sizes[1];
        at += WS_CHUNK_HEADER_SIZE + sizes[0];
    }
    free(data);
    return out;
}

#endif
