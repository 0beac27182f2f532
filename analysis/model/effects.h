/* What each shader does that can be seen from outside, decided from the application's SPIR-V (all functions
 * that the entry point reaches): for the advice opaque (DESIGN.md, Opaque candidate) and for empty
 * shaders.
 *
 * Conservative: an instruction that is not known to be without effect has one. A specialization constant's
 * branch counts as taken both ways.
 *
 * Stores to Function and Private variables, and to payloads that the shader itself sends out (RayPayload,
 * CallableData: what calls with them has an effect already), are not seen from outside. Nor are an
 * intersection shader's stores to HitAttribute variables: they are seen with what it reports, which is an
 * effect. Other stages must not store to them: OTHER. */
#ifndef WS_ANALYSIS_MODEL_EFFECTS_H
#define WS_ANALYSIS_MODEL_EFFECTS_H

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
    uint32_t mask;   /* enum ws_effect */
    uint32_t offset; /* word offset of an instruction with an effect other than IGNORE: the first of the entry
                        point's function, else one of the functions that it calls; WS_NONE = there is none */
    uint32_t
        instructions; /* executed ones of the entry point's function (passes/spirv/sites.h), its OpReturn not
                              counted: 0 = empty */
    bool ignores_always; /* every end of the entry point's function is ignoreIntersection */
    bool constant; /* it stores to the payload and does nothing else, in one block, and what it stores and
                      where are constants: so the same whatever was hit */
};

struct ws_effects;
struct ws_effects *ws_effects_create(void);
void ws_effects_destroy(struct ws_effects *effects);
/* Feed it every chunk, in order. False = no memory. */
bool ws_effects_record(struct ws_effects *effects, const struct ws_chunk *chunk, struct ws_error *error);
/* By shader id of the capture. NULL where the module is unknown or unreadable. */
const struct ws_shader_effects *ws_effects_of(const struct ws_effects *effects, uint32_t shader);
/* Whether a call of traceRay (module id of the capture, word offset of the instruction) only ASKS: all that
 * the module ever reads of the payload variable are single numbers that it compares with constants, as in `if
 * (payload.t < 0)`. So what its closest hit shader stores besides is lost. False where it is not known. */
bool ws_effects_asks(const struct ws_effects *effects, uint32_t module, uint32_t offset);
/* "stores to the payload at word 312", for messages. */
void ws_effects_describe(const struct ws_shader_effects *effects, char *text, size_t size);

#endif
