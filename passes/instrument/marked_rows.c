#include "passes/instrument/marked_rows.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"

#define JOINED_ROWS 4 /* rows of which several are counted by one atomic */

uint32_t ws_bits_first(uint32_t bits)
{
    uint32_t bit = 0;
    while ((bits >> bit & 1u) == 0)
        bit++;
    return bit;
}

uint32_t ws_bits_end(uint32_t bits)
{
    uint32_t bit = WS_MARKED_ROWS_MAX;
    while ((bits >> (bit - 1) & 1u) == 0)
        bit--;
    return bit;
}

/* Up to four rows whose bits are marked, from bit 0 on. */
struct joined {
    uint32_t first; /* the row of bit 0 */
    uint32_t used;
    uint32_t base; /* a bit that all lanes have */
    uint32_t row;  /* the first of the rows that stand for it and others together */
};

/* Gives rows to what is counted together, one for each set of the others that all lanes have too, and notes whose parts they
 * are. */
static void join_rows(struct ws_runner *runner, struct joined *joined)
{
    const uint32_t count = (1u << (ws_bits_end(joined->used) - 1)) - 1;
    const uint32_t below = (1u << joined->base) - 1;
    joined->row = ws_runner_take_joint_rows(runner, count);
    for (uint32_t set = 1; set <= count; set++) {
        const uint32_t bits = (set & below) | (set & ~below) << 1;
        if ((bits & ~joined->used) != 0)
            continue;
        for (uint32_t i = 0; i < JOINED_ROWS; i++)
            if (((bits | 1u << joined->base) >> i & 1u) != 0)
                ws_runner_add_joint_part(runner, joined->first + i, joined->row + set - 1);
    }
}

/* Counts rows from `first` on by the bits of `marks`, of which all lanes have those of `all`. */
static void put_count(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor, uint32_t first,
                      uint32_t used, uint32_t all, uint32_t marks)
{
    struct ws_editor *editor = runner->editor;
    const bool joins =
        (used & (used - 1)) != 0 && used >> JOINED_ROWS == 0 && all != 0 && ws_runner_may_join_rows(runner);
    const enum ws_primitive primitive = joins            ? WS_PRIMITIVE_COUNT_JOINED
                                        : used >> 8 == 0 ? WS_PRIMITIVE_COUNT_FEW
                                                         : WS_PRIMITIVE_COUNT_MARKS;
    const uint32_t callee = ws_runner_link(runner, function, primitive);
    uint32_t arguments[4] = {ws_constant_u32(editor, first), ws_constant_u32(editor, used), marks};
    if (joins) {
        struct joined joined = {.first = first, .used = used, .base = ws_bits_first(all)};
        join_rows(runner, &joined);
        arguments[1] = ws_constant_u32(editor, joined.base);
        arguments[2] = ws_constant_u32(editor, joined.row);
        /* It sums all four bits up, and takes each that a lane has for a row. */
        arguments[3] = ws_emit_u32(editor, cursor, SpvOpBitwiseAnd, marks, ws_constant_u32(editor, used));
    }
    if (callee != 0)
        ws_link_call(editor, cursor, callee, arguments, joins ? 4 : 3);
}

/* Moves the bits `mask` of `marks` up by so many places, or down. */
static uint32_t move(struct ws_editor *editor, struct ws_cursor cursor, uint32_t marks, uint32_t mask,
                     int32_t up)
{
    const uint32_t by = ws_constant_u32(editor, (uint32_t)(up < 0 ? -up : up));
    const uint32_t bits = ws_emit_u32(editor, cursor, SpvOpBitwiseAnd, marks, ws_constant_u32(editor, mask));
    return up == 0 ? bits
                   : ws_emit_u32(editor, cursor, up > 0 ? SpvOpShiftLeftLogical : SpvOpShiftRightLogical,
                                 bits, by);
}

/* The row of bit 0: such that bits need not be moved, where all rows follow each other as their bits do; else the first one. */
static uint32_t first_row(const uint32_t *rows, uint32_t used, bool *alike)
{
    uint32_t first = WS_NONE, of_bits = WS_NONE;
    *alike = true;
    for (uint32_t i = 0; i < WS_MARKED_ROWS_MAX; i++) {
        if ((used >> i & 1u) == 0)
            continue;
        of_bits = of_bits == WS_NONE ? rows[i] - i : of_bits;
        *alike = *alike && rows[i] >= i && rows[i] - i == of_bits;
        first = rows[i] < first ? rows[i] : first;
    }
    return *alike ? of_bits : first;
}

/* Counts by one call those of the rows that are less than WS_MARKED_ROWS_MAX from the first of them, each once: their bits are
 * put in the order of rows. Returns the bits that are left. */
static uint32_t put_near(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                         const uint32_t *rows, uint32_t used, uint32_t all, uint32_t marks)
{
    struct ws_editor *editor = runner->editor;
    bool alike = true;
    const uint32_t first = first_row(rows, used, &alike);
    uint32_t counted = 0, counted_all = 0, moved = 0;
    if (alike) {
        const uint32_t bit = ws_bits_first(used);
        const uint32_t moved_down = bit == 0 ? marks
                                             : ws_emit_u32(editor, cursor, SpvOpShiftRightLogical, marks,
                                                           ws_constant_u32(editor, bit));
        put_count(runner, function, cursor, first + bit, used >> bit, all >> bit, moved_down);
        return 0;
    }
    for (uint32_t i = 0; i < WS_MARKED_ROWS_MAX; i++) {
        uint32_t mask = 0;
        if ((used >> i & 1u) == 0 || rows[i] - first >= WS_MARKED_ROWS_MAX)
            continue;
        for (uint32_t j = i; j < WS_MARKED_ROWS_MAX; j++) { /* those that go as far as this one does */
            const uint32_t place = rows[j] - first;
            if ((used >> j & 1u) == 0 || place >= WS_MARKED_ROWS_MAX || place - j != rows[i] - first - i ||
                (counted >> place & 1u) != 0)
                continue;
            counted |= 1u << place;
            counted_all |= (all >> j & 1u) << place;
            mask |= 1u << j;
        }
        used &= ~mask;
        if (mask == 0)
            continue;
        const uint32_t bits = move(editor, cursor, marks, mask, (int32_t)(rows[i] - first - i));
        moved = moved == 0 ? bits : ws_emit_u32(editor, cursor, SpvOpBitwiseOr, moved, bits);
    }
    put_count(runner, function, cursor, first, counted, counted_all, moved);
    return used;
}

void ws_marked_rows_count(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                          const struct ws_marked_rows *marked)
{
    uint32_t left = marked->used;
    while (left != 0 && !runner->editor->failed)
        left = put_near(runner, function, cursor, marked->rows, left, marked->all & left, marked->value);
}
