/* Arithmetic of two integers, as SPIR-V defines it: IAdd to UMod, shifts, and BitwiseAnd, Or and Xor. SRem, SMod and Not
 * are none of it. No state; safe from any thread. */
#ifndef WARPSCOPE_SPIRV_ARITHMETIC_H
#define WARPSCOPE_SPIRV_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

bool ws_is_arithmetic(uint32_t opcode);

/* The lowest `width` bits of `bits`; 64 and more are all. */
uint64_t ws_integer_cut(uint64_t bits, uint32_t width);

/* The signed integer that the lowest `width` bits make; `width` is 1 to 64. */
int64_t ws_integer_signed(uint64_t bits, uint32_t width);

/* Computes what an operation makes of integers of `width` bits, 1 to 64. Bits above count only of a shift, which may have a
 * width of its own. False where the result is undefined, as of a division by zero or a shift by the width, and of other
 * opcodes; `*result` is 0 then. */
bool ws_arithmetic(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width, uint64_t *result);

#endif
