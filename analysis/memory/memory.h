/* The analysis `memory`: how the lanes of warps share what they load, store and change atomically, from the rows of the pass
 * memory_access.
 *
 * REQUEST = one execution of one access by a warp, with any number of active lanes.
 * LANES = active lanes, summed over requests: those of the block that the access stands in.
 * BYTES = lanes x the bytes that each touches, as SPIR-V has them; of texels by the format that was bound. What a compiler
 * removes or joins counts as written.
 *
 * Of buffers, device addresses and images, whose texels lie in a model (warpscope/spirv/texels.h):
 * SECTORS = distinct pieces of 32 bytes, from multiples of 32 on, that a request touches, summed over requests. LINES: the
 * same of 128 bytes.
 * LANE BYTES = bytes / lanes. ASSUMED: requests of texels of which it is not known what was bound: 4 bytes. Counters do not
 * know sectors of compressed formats whose blocks are not of 4 x 4 or 8 x 8 texels, nor of compressed 3D images: these count as
 * of blocks of 4 x 4, and as assumed.
 * POINTED = requests of samples that count as the texel that they point to, while their sampler touches more or others: it
 * filters, clamps, mirrors or has a bias, or is not known. So do gathers, which touch four. Records of memory_trace have these
 * right (footprint.h).
 * USED = bytes / (32 x sectors). 1 = all that is moved is asked for once. Below 1 bytes are moved for nothing, for example
 * 0.125 where each lane loads 4 bytes of a sector of its own. Above 1 lanes ask for the same bytes.
 *
 * Of Workgroup memory:
 * PASSES = the most distinct words of 4 bytes of one of 32 banks, summed over the words of each lane's access, and over
 * requests. PASSES EACH = passes / requests. An access of N words needs at least N.
 *
 * By hand: 8 lanes that load neighbouring floats from a multiple of 32 on touch 1 sector; every second float 2; the
 * column of a matrix of 64 x 64 floats 8 sectors, and 8 lines. 32 lanes that load words 33 apart from Workgroup memory need
 * 1 pass; 32 apart 32. Sums have 64 bits. */
#ifndef WS_ANALYSIS_MEMORY_MEMORY_H
#define WS_ANALYSIS_MEMORY_MEMORY_H

#include "analysis/memory/rows.h"
#include "warpscope/report/analysis.h"
#include "warpscope/spirv/access.h"

/* An access of a module. */
struct ws_memory_place {
    uint32_t row;       /* the first of its rows; of a fixed access, which has none, WS_NONE */
    uint32_t row_count; /* all of them */
    uint32_t block_row; /* of the block that it stands in */
    uint32_t tag;       /* WS_TAG_MEMORY_ACCESS */
    uint32_t buffer;    /* index in the results' buffers */
    struct ws_bound_place bound;
    struct ws_sampled_place sampled;
    const char *file; /* NULL = not known */
    uint32_t line;
    uint64_t
        order; /* by the code: word offset of its instruction << 32 | its site, since one may have two accesses */
};

struct ws_memory_module {
    struct ws_memory_place *places; /* in the order of the code, as those of caches.h */
    uint32_t place_count;
};

/* Dimensions and levels of the report (columns.h). A place's key is that of ws_key_in_shader, its index in the module's
 * places. */
enum ws_memory_dimension {
    WS_MEMORY_BY_LAUNCH,
    WS_MEMORY_BY_STAGE,
    WS_MEMORY_BY_SHADER,
    WS_MEMORY_BY_KIND,   /* enum ws_access_kind */
    WS_MEMORY_BY_MEMORY, /* enum ws_access_memory */
    WS_MEMORY_BY_BUFFER, /* index in the results' buffers */
    WS_MEMORY_BY_BOUND,  /* what that was in the launch: ws_bound_find */
    WS_MEMORY_BY_PLACE,
    WS_MEMORY_DIMENSIONS,
};

enum ws_memory_level {
    WS_MEMORY_TOTAL,
    WS_MEMORY_LAUNCHES,
    WS_MEMORY_SHADERS,
    WS_MEMORY_MEMORIES,
    WS_MEMORY_BUFFERS,
    WS_MEMORY_PLACES,
};

/* Sums of a row. */
struct ws_memory_sums {
    uint64_t requests;
    uint64_t lanes;
    uint64_t bytes;
    uint64_t moved; /* requests of buffers, device addresses and images; the three below are of these */
    uint64_t moved_bytes;
    uint64_t sectors;
    uint64_t lines;
    uint64_t banked;  /* requests of Workgroup memory */
    uint64_t passes;  /* of these */
    uint64_t images;  /* requests of images */
    uint64_t assumed; /* requests of texels whose size the shader does not say */
    uint64_t pointed; /* requests of samples that touch more texels than count, or others */
};

struct ws_memory {
    struct ws_memory_rows rows;       /* first: what it has in common with other analyses of accesses */
    struct ws_groups *groups;         /* sums are struct ws_memory_sums */
    struct ws_memory_module *modules; /* parallel to the catalog's */
    uint32_t module_count;
    bool counted; /* there is a request */
    bool sampled; /* some warps counted for all: figures are estimates */
};

extern const struct ws_columns ws_memory_columns;
extern const struct ws_analysis ws_analysis_memory;

#endif
