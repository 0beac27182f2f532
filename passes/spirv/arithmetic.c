#include "warpscope/spirv/arithmetic.h"

#include <spirv/unified1/spirv.h>

bool ws_is_arithmetic(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor: return true;
    default: return false;
    }
}

uint64_t ws_integer_cut(uint64_t bits, uint32_t width)
{
    return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

int64_t ws_integer_signed(uint64_t bits, uint32_t width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((ws_integer_cut(bits, width) ^ sign) - sign);
}

static bool divide(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width, uint64_t *result)
{
    b = ws_integer_cut(b, width);
    const int64_t lowest = ws_integer_signed(UINT64_C(1) << (width - 1), width);
    const int64_t dividend = ws_integer_signed(a, width);
    const int64_t divisor = ws_integer_signed(b, width);
    if (b == 0 || (opcode == SpvOpSDiv && dividend == lowest && divisor == -1))
        return false;
    if (opcode == SpvOpSDiv)
        *result = (uint64_t)(dividend / divisor);
    else
        *result = opcode == SpvOpUDiv ? a / b : a % b;
    return true;
}

/* The result may have more bits than the width. A shift may have another width than what it shifts: so all its bits count. */
static bool compute(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width, uint64_t *result)
{
    switch (opcode) {
    case SpvOpIAdd: *result = a + b; return true;
    case SpvOpISub: *result = a - b; return true;
    case SpvOpIMul: *result = a * b; return true;
    case SpvOpBitwiseAnd: *result = a & b; return true;
    case SpvOpBitwiseOr: *result = a | b; return true;
    case SpvOpBitwiseXor: *result = a ^ b; return true;
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod: return divide(opcode, a, b, width, result);
    default: break;
    }
    if (b >= width)
        return false;
    switch (opcode) {
    case SpvOpShiftLeftLogical: *result = a << b; return true;
    case SpvOpShiftRightLogical: *result = a >> b; return true;
    case SpvOpShiftRightArithmetic: *result = (uint64_t)(ws_integer_signed(a, width) >> b); return true;
    default: return false;
    }
}

bool ws_arithmetic(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width, uint64_t *result)
{
    *result = 0;
    if (!compute(opcode, ws_integer_cut(a, width), b, width, result))
        return false;
    *result = ws_integer_cut(*result, width);
    return true;
}
