/* What a thread must keep over an instruction: the state that moves with it when it goes on in another warp.
 *
 * A VALUE is live over an instruction if it is computed before and used after it, on some path, without being computed anew
 * in between. The same holds for a variable of a function (storage class Function): it is live if it may be read after the
 * instruction before it is stored to as a whole. What is live over a call of the function that the instruction stands in is
 * live over the instruction, too: of several calls, that with most. Variables of the module that a thread has for itself
 * (Private, ray payloads, callable data) count where the function, or one that calls it, names them.
 *
 * BYTES: of numbers as many as they have bits / 8, of booleans 4, of vectors, matrices, arrays and structs the sum of their
 * members. Pointers into memory of the device count 8; other pointers, images, samplers and structures count nothing: they
 * are found again. A compiler may keep less (it computes a value again), or more.
 *   Example: float a = f(); trace(); use(a); trace2(); Over the first trace 4 bytes are live, over the second none. */
#ifndef WARPSCOPE_CODE_LIVENESS_H
#define WARPSCOPE_CODE_LIVENESS_H

#include "warpscope/spirv/cfg.h"

struct ws_live {
    uint32_t values;  /* results of instructions, parameters */
    uint32_t bytes;   /* of these, */
    uint32_t kept;    /* of variables of functions, */
    uint32_t globals; /* and of the thread's own variables of the module */
};

/* What is live over module->instructions[instruction]. `cfgs` has the graphs of all functions (ws_cuts_make). Everything is
 * allocated from `arena`. Takes time functions x values x blocks at worst. False on no memory. */
bool ws_live_over(struct ws_live *live, struct ws_arena *arena, const struct ws_module *module,
                  const struct ws_cfg *cfgs, uint32_t instruction);

#endif
