/* What variables of functions hold, and twins, which hold copies of that.
 *
 * Where code was not optimised, a sample loads its coordinates from a variable. A copy behind each load (handed.c) is one
 * more use of a product in each block that samples. So where blocks share a variable, the copy is made where the variable is
 * written, and stored to its twin, which they load. For example of
 *
 *   at = vec2(a, b) * c * 0.3; if (d) sample(at) else sample(at)
 *
 * the twin of `at` is written once, and the products are used as often as in the application's shader.
 *
 * Mesa puts a vector that was put together of numbers together once more where it is loaded: of at = vec2(a * b * 0.3, c), each
 * block that loads `at` uses the product. There copies stand behind loads.
 *
 * Variables and parameters of functions, and Private variables, have twins, and so have parts of them that constants choose
 * (such as a member of a structure). Whatever may write one has its twin written behind it: stores, calls that are handed it,
 * for Private variables all calls; for parameters and Private variables also the begin of the function. Where a pointer goes
 * elsewhere (a phi, a select, a chain upon many others), or the variable is Aliased, there is none. */
#ifndef WS_PASSES_INSTRUMENT_TWINS_H
#define WS_PASSES_INSTRUMENT_TWINS_H

#include "passes/spirv/builder.h"

/* A part of a variable that has a twin. */
struct ws_twin {
    uint32_t base;  /* id of the variable or parameter */
    uint32_t chain; /* id of the access chain that chooses the part; 0 = it is the whole */
    uint32_t type;  /* id, of what is loaded */
    uint32_t twin;  /* id of the variable beside it */
    bool written;   /* its copies are stored */
};

struct ws_twins;

/* Looks through a function (index in module->functions); everything is in the module's arena. NULL when there is no memory. */
struct ws_twins *ws_twins_create(struct ws_editor *editor, uint32_t function);

/* The twin of what an OpLoad of the function loads; NULL where it has none, or needs none: all its loads are in one block, or
 * it is put together of numbers. */
struct ws_twin *ws_twins_find(struct ws_twins *twins, const struct ws_instruction *load);

/* The next place where it is to be written; `*position` is 0 at first. False where there are no more. */
bool ws_twins_next(const struct ws_twins *twins, const struct ws_twin *twin, uint32_t *position,
                   struct ws_cursor *place);

/* Loads what it is the twin of. */
uint32_t ws_twins_load(struct ws_twins *twins, const struct ws_twin *twin, struct ws_cursor cursor);

/* Of a vector of `count` numbers, or a number alone, which values are the same: through copies, vectors that are put together,
 * and variables that are written once. Equal vectors have equal hashes; others have different ones but by chance. */
uint64_t ws_twins_hash(struct ws_twins *twins, uint32_t value, uint32_t count);

/* Whether all of its numbers are the same one. */
bool ws_twins_is_splat(struct ws_twins *twins, uint32_t value, uint32_t count);

#endif
