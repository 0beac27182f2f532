/* What the chunks of a capture have defined so far: as much as is needed to check that later chunks refer
 * only to that. */
#ifndef WS_ANALYSIS_CAPTURE_READER_CHECK_H
#define WS_ANALYSIS_CAPTURE_READER_CHECK_H

#include "warpscope/base/id_map.h"
#include "warpscope/reader.h"

/* Counter rows, or yield words, first .. first + count - 1. */
struct ws_row_range {
    uint32_t first;
    uint32_t count;
};

/* What an entry point can reach, and so what a shader has. */
struct ws_known_rows {
    struct ws_row_range rows;
    struct ws_row_range yields;
};

struct ws_known_module {
    uint32_t word_count;
    bool has_sites;
    struct ws_known_rows *entries; /* of each of the SITE chunk's entries */
    uint32_t entry_count;
};

/* A blob, of which not all pieces may have come. */
struct ws_known_blob {
    uint64_t hash[2];
    uint64_t size;
    uint64_t have; /* bytes, from its beginning */
};

struct ws_known {
    bool has_info;
    struct ws_id_map ids; /* key: kind << 32 | id; value: index in the array of that kind */
    uint32_t device_count;
    uint32_t pipeline_count;
    uint32_t structure_count;
    uint32_t resource_count;
    uint32_t set_count; /* states of descriptor sets */
    struct ws_known_blob *blobs;
    uint32_t blob_count;
    uint32_t blob_capacity;
    struct ws_known_module *modules;
    uint32_t module_count;
    uint32_t module_capacity;
    struct ws_known_rows *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;
};

enum ws_known_result {
    WS_KNOWN_GOOD,
    WS_KNOWN_PARTLY,        /* good, but something that it refers to and can be read without is not defined */
    WS_KNOWN_MISSING,       /* refers to something that is not defined */
    WS_KNOWN_CONTRADICTION, /* an id defined twice, numbers that do not fit together, or no memory */
};

/* Checks a decoded chunk and adds what it defines. Where the result is neither GOOD nor PARTLY, nothing was
 * added, and `error` says why. */
enum ws_known_result ws_known_add(struct ws_known *known, const struct ws_chunk *chunk,
                                  struct ws_error *error);

void ws_known_finish(struct ws_known *known);

#endif
