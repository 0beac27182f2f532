/* Arithmetic of integers against answers by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/spirv/arithmetic.h"

static void computes(void **state)
{
    (void)state;
    static const struct {
        uint32_t opcode;
        uint32_t width;
        uint64_t a;
        uint64_t b;
        uint64_t result;
    } rows[] = {
        {SpvOpIAdd, 32, 0xffffffff, 2, 1},
        {SpvOpISub, 16, 2, 3, 0xffff},
        {SpvOpIMul, 64, UINT64_C(1) << 63, 3, UINT64_C(1) << 63},
        {SpvOpUDiv, 32, 0xfffffff6, 3, 0x55555552},
        {SpvOpSDiv, 32, 0xfffffff6, 3, 0xfffffffd}, /* -10 / 3 = -3 */
        {SpvOpSDiv, 64, UINT64_MAX - 9, 3, UINT64_MAX - 2},
        {SpvOpUMod, 32, 0xfffffff6, 4, 2},
        {SpvOpShiftLeftLogical, 32, 0x80000001, 4, 0x10},
        {SpvOpShiftRightLogical, 32, 0x80000000, 4, 0x08000000},
        {SpvOpShiftRightArithmetic, 32, 0x80000000, 4, 0xf8000000},
        {SpvOpShiftRightArithmetic, 8, 0x12380, 1, 0xc0}, /* bits above the width do not count */
        {SpvOpBitwiseAnd, 32, 0xc, 0xa, 0x8},
        {SpvOpBitwiseOr, 32, 0xc, 0xa, 0xe},
        {SpvOpBitwiseXor, 32, 0xc, 0xa, 0x6},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint64_t result = 0;
        assert_true(ws_is_arithmetic(rows[i].opcode));
        if (!ws_arithmetic(rows[i].opcode, rows[i].a, rows[i].b, rows[i].width, &result) ||
            result != rows[i].result)
            fail_msg("row %zu: %llx", i, (unsigned long long)result);
    }
}

static void says_what_is_undefined(void **state)
{
    (void)state;
    static const struct {
        uint32_t opcode;
        uint32_t width;
        uint64_t a;
        uint64_t b;
    } rows[] = {
        {SpvOpUDiv, 32, 1, 0},
        {SpvOpSDiv, 32, 1, 0},
        {SpvOpUMod, 32, 1, 0},
        {SpvOpUDiv, 32, 1, UINT64_C(1) << 32},
        {SpvOpSDiv, 32, 0x80000000, 0xffffffff},
        {SpvOpSDiv, 64, UINT64_C(1) << 63, UINT64_MAX},
        {SpvOpShiftLeftLogical, 32, 1, 32},
        {SpvOpShiftRightLogical, 16, 1, 16},
        {SpvOpShiftRightArithmetic, 32, 1, UINT64_C(1) << 32}, /* the shift has 64 bits */
        {SpvOpSRem, 32, 7, 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint64_t result = 1;
        if (ws_arithmetic(rows[i].opcode, rows[i].a, rows[i].b, rows[i].width, &result) || result != 0)
            fail_msg("row %zu: %llx", i, (unsigned long long)result);
    }
    assert_false(ws_is_arithmetic(SpvOpSRem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(computes), cmocka_unit_test(says_what_is_undefined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
