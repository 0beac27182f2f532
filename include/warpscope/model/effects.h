/* The effects of each shader: what it does that can be seen from outside. They are found in the application's
 * SPIR-V, in all functions that the entry point reaches. Advice on opaque geometry and on empty shaders needs
 * them.
 *
 * An instruction that is not known to have no effect counts as having one. Both ways of a branch count, but where
 * specialization constants decide it (warpscope/spirv/fold.h): there the way counts that the pipeline's values take.
 * Example: `if (STATISTICS) atomicAdd(...)` is no effect of a shader whose pipeline sets STATISTICS to false.
 *
 * These stores have no effect:
 *   - to Function and Private variables;
 *   - to payloads that the shader itself sends out (RayPayload, CallableData): the call that sends them is an
 *     effect;
 *   - to HitAttribute variables in an intersection shader: the report of the hit, which shows them, is an
 *     effect. In other stages such stores are not allowed, and are OTHER. */
#ifndef WARPSCOPE_MODEL_EFFECTS_H
#define WARPSCOPE_MODEL_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/reader.h"

enum ws_effect {
    WS_EFFECT_PAYLOAD = 1 << 0,   /* stores to IncomingRayPayload or IncomingCallableData */
    WS_EFFECT_BUFFER = 1 << 1,    /* stores or atomics on buffers, physical addresses */
    WS_EFFECT_IMAGE = 1 << 2,     /* image writes or atomics */
    WS_EFFECT_TERMINATE = 1 << 3, /* terminateRay */
    WS_EFFECT_IGNORE = 1 << 4,    /* ignoreIntersection */
    WS_EFFECT_CALL = 1 << 5,      /* traceRay, executeCallable, ray queries */
    WS_EFFECT_REPORT = 1 << 6,    /* reportIntersection */
    WS_EFFECT_OTHER = 1 << 7,     /* an instruction that is not understood */
};

struct ws_shader_effects {
    uint32_t mask; /* enum ws_effect */
    /* Word offset of an instruction with an effect other than IGNORE: the first one in the entry point's
     * function, else one in a function that it calls; WS_NONE = there is none. */
    uint32_t offset;
    /* How many executed instructions (warpscope/spirv/sites.h) the entry point's function has, OpReturn not
     * counted: an empty shader has 0. */
    uint32_t instructions;
    bool ignores_always; /* every end of the entry point's function is ignoreIntersection */
    /* All its blocks run one after the other, and its only effect is to store constants to constant members of
     * the payload: so it does the same whatever was hit. */
    bool constant;
    /* Word offset of an instruction in a loop of a ray query, of any function of the module, that does more than to
     * confirm candidates (or to generate intersections of boxes), and of which something is left when the loop is
     * over; or of a query that is not asked in a loop. WS_NONE = there is none: if the query met fewer candidates
     * because they were hits already, nothing else would change. */
    uint32_t query_offset;
};

struct ws_effects;

/* NULL when there is no memory. */
struct ws_effects *ws_effects_create(void);

/* NULL is accepted. */
void ws_effects_destroy(struct ws_effects *effects);

/* Takes in every chunk of a reader, in order. False and `error` when there is no memory. */
bool ws_effects_record(struct ws_effects *effects, const struct ws_chunk *chunk, struct ws_error *error);

/* The effects of a shader, by its id in the capture. NULL where its module is not known or cannot be read. */
const struct ws_shader_effects *ws_effects_of(const struct ws_effects *effects, uint32_t shader);

/* Whether a call of traceRay only ASKS whether something was hit: all that the module ever reads of its payload variable
 * are booleans, and single numbers that it compares with constants, as in `if (payload.t < 0)`. Whatever else the closest
 * hit shader stores is never used. `module` is the module's id in the capture, `offset` the
 * word offset of the instruction. False where it is not known. */
bool ws_effects_asks(const struct ws_effects *effects, uint32_t module, uint32_t offset);

/* The effects as a clause for messages, such as "stores to the payload at word 312". */
void ws_effects_describe(const struct ws_shader_effects *effects, char *text, size_t size);

#endif
