/* The library of primitives as the build embeds it: passes/primitives/ compiled, validated and written as C
 * by scripts/embed_primitives.c into the generated primitives.h and primitives.c. */
#ifndef WS_PASSES_LINK_LIBRARY_H
#define WS_PASSES_LINK_LIBRARY_H

#include <stdint.h>

/* One compiled GLSL file: a whole SPIR-V module in host byte order. A unit of a probe is one too. */
struct ws_library_unit {
    const char *name; /* "counters_fragment" */
    const uint32_t *words;
    uint32_t word_count;
    const uint32_t *ids; /* offsets, ascending, of the words that are ids */
    uint32_t id_count;
    /* Units of probes: those of one probe have the same number, which is not 0. Private variables are its own, but for
     * those of the library that it names. */
    uint32_t owner;
    const uint32_t *instanced; /* ids of private variables of which each instance of a function has its own */
    uint32_t instanced_count;
};

/* One function of a unit that a site may call. All parameters are 32-bit unsigned integers. */
struct ws_library_primitive {
    const char *name;  /* "count_warp_fragment" */
    uint32_t unit;     /* index in ws_library_units */
    uint32_t function; /* id of its OpFunction in the unit */
    uint32_t parameter_count;
    uint32_t variants[3]; /* the enum ws_primitive to call instead, per enum ws_link_lanes */
};

extern const struct ws_library_unit ws_library_units[];
extern const uint32_t ws_library_unit_count;
extern const struct ws_library_primitive ws_library_primitives[]; /* per enum ws_primitive */

#endif
