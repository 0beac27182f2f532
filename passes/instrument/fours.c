#include "passes/instrument/fours.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"

/* What is told of four rows, those whose bits are in `used`. Returns the bits of those that can be told of: others are too far
 * away. */
static uint32_t tell_rows(const uint32_t *four, uint32_t used, struct ws_runs_rows *rows)
{
    *rows = (struct ws_runs_rows){.first = WS_NONE};
    for (uint32_t i = 0; i < 4; i++)
        if ((used >> i & 1u) != 0 && four[i] < rows->first)
            rows->first = four[i];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t offset = four[i] - rows->first;
        if ((used >> i & 1u) != 0 && offset > 0xff)
            used &= ~(1u << i);
        else if ((used >> i & 1u) != 0)
            rows->offsets |= offset << 8 * i;
    }
    return used;
}

uint32_t ws_fours_add(struct ws_runner *runner, uint32_t block, const struct ws_marked_rows *marks,
                      struct ws_fours *fours)
{
    uint32_t left = marks->used;
    for (uint32_t i = 0; i < WS_MARKED_ROWS_MAX && fours->count < WS_RUNS_MAX; i += 4) {
        struct ws_runs_rows rows;
        const uint32_t used = tell_rows(marks->rows + i, marks->used >> i & 0xfu, &rows);
        const uint32_t variable = used != 0 ? ws_runs_variable(runner, block, rows, &fours->rank) : 0;
        if (variable == 0)
            continue;
        left &= ~(used << i);
        fours->list[fours->count++] = (struct ws_four){.rows = rows,
                                                       .used = used,
                                                       .all = marks->all >> i & used,
                                                       .marks = marks->value,
                                                       .shift = i,
                                                       .variable = variable};
    }
    return left;
}

/* The result of a primitive. */
static uint32_t call(struct ws_runner *runner, struct ws_cursor cursor, enum ws_primitive primitive,
                     const uint32_t *arguments, uint32_t count)
{
    const uint32_t callee = ws_runner_link(runner, ws_runs_function(runner), primitive);
    return callee != 0 ? ws_link_call(runner->editor, cursor, callee, arguments, count) : 0;
}

/* The bit that all lanes have of one of four rows, or of what is no row: its sum is how many lanes are together. WS_NONE = all
 * four are rows that some lanes may be without. */
static uint32_t bit_of_all(const struct ws_four *four)
{
    for (uint32_t i = 0; i < 4; i++)
        if ((four->all | ~four->used) >> i & 1u)
            return i;
    return WS_NONE;
}

/* Adds up the bits of fours over the lanes. Returns how many lanes are together. */
static uint32_t put_sums(struct ws_runner *runner, struct ws_cursor cursor, struct ws_fours *fours)
{
    struct ws_editor *editor = runner->editor;
    uint32_t together = 0;
    uint32_t of_all = 0;
    for (; of_all < fours->count && bit_of_all(&fours->list[of_all]) == WS_NONE;)
        of_all++;
    if (of_all < fours->count) {
        struct ws_four *four = &fours->list[of_all];
        four->marks = ws_emit_u32(editor, cursor, SpvOpBitwiseOr, four->marks,
                                  ws_constant_u32(editor, 1u << (four->shift + bit_of_all(four))));
    }
    for (uint32_t i = 0; i < fours->count; i += 2) {
        struct ws_four *four = &fours->list[i];
        struct ws_four *other = i + 1 < fours->count ? four + 1 : NULL;
        const uint32_t bits[] = {four->marks, ws_constant_u32(editor, four->shift),
                                 other != NULL ? other->marks : 0,
                                 other != NULL ? ws_constant_u32(editor, other->shift) : 0};
        four->sums = call(runner, cursor, other != NULL ? WS_PRIMITIVE_SUM_EIGHT : WS_PRIMITIVE_SUM_MARKS,
                          bits, other != NULL ? 4 : 2);
        if (other == NULL)
            break;
        const uint32_t second[] = {four->sums, bits[2], bits[3]};
        other->sums = call(runner, cursor, WS_PRIMITIVE_SECOND_FOUR, second, 3);
        four->sums = call(runner, cursor, WS_PRIMITIVE_FIRST_FOUR, second, 1);
    }
    if (of_all == fours->count)
        return call(runner, cursor, WS_PRIMITIVE_TOGETHER, NULL, 0);
    struct ws_four *four = &fours->list[of_all];
    const uint32_t shift = 8 * bit_of_all(four);
    together = ws_emit_u32(
        editor, cursor, SpvOpBitwiseAnd,
        ws_emit_u32(editor, cursor, SpvOpShiftRightLogical, four->sums, ws_constant_u32(editor, shift)),
        ws_constant_u32(editor, 0xffu));
    if (!(four->used >> bit_of_all(four) & 1u))
        four->sums = ws_emit_u32(editor, cursor, SpvOpBitwiseAnd, four->sums,
                                 ws_constant_u32(editor, ~(0xffu << shift)));
    return together;
}

/* Four fours from the one at `from` on, as primitives take them, of which that is kept. */
static void list_kept(struct ws_editor *editor, const struct ws_fours *fours, uint32_t from,
                      const uint32_t *kept, const uint32_t *owned, uint32_t *arguments)
{
    const uint32_t step = owned != NULL ? 4 : 3;
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_there = from + i < fours->count;
        const struct ws_runs_rows *rows = &fours->list[from + i].rows;
        const uint32_t none = ws_constant_u32(editor, 0);
        arguments[step * i] = is_there ? ws_constant_u32(editor, rows->first) : none;
        arguments[step * i + 1] = is_there ? ws_constant_u32(editor, rows->offsets) : none;
        arguments[step * i + 2] = is_there ? kept[i] : none;
        if (owned != NULL)
            arguments[step * i + 3] = is_there ? owned[i] : none;
    }
}

/* What lanes own of a four that is the `place`th one. */
static uint32_t put_owned(struct ws_runner *runner, struct ws_cursor cursor, uint32_t mine, uint32_t left,
                          uint32_t place)
{
    const uint32_t arguments[] = {mine, left, ws_constant_u32(runner->editor, place)};
    return call(runner, cursor, WS_PRIMITIVE_OWNED, arguments, 3);
}

#define ENTERED_ONCE 2 /* of primitives/marks.glsl */

/* Has lanes find the how-manieth they are, and what they kept added where they have to. Counts then. */
static void put_settle(struct ws_runner *runner, struct ws_cursor cursor, const struct ws_fours *fours,
                       uint32_t together, const uint32_t *kept)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t before = ws_emit_load(editor, cursor, fours->rank.mine);
    const uint32_t left = ws_emit_load(editor, cursor, fours->rank.left);
    const uint32_t full = fours->rank.full != 0 ? ws_emit_load(editor, cursor, fours->rank.full)
                                                : call(runner, cursor, WS_PRIMITIVE_TAKE_FULL, NULL, 0);
    const uint32_t times = fours->before != WS_NONE ? 1 : ENTERED_ONCE;
    const uint32_t steady = ws_constant_u32(editor, fours->steady ? times : 0);
    uint32_t arguments[18] = {together, full, before, left, steady, ws_constant_u32(editor, 0)};
    for (uint32_t i = 4; i < fours->count; i++)
        arguments[5] = i == 4 ? kept[i] : ws_emit_u32(editor, cursor, SpvOpBitwiseOr, arguments[5], kept[i]);
    list_kept(editor, fours, 0, kept, NULL, arguments + 6);
    const uint32_t mine = call(runner, cursor, WS_PRIMITIVE_SETTLE, arguments, 18);
    const uint32_t now = call(runner, cursor, WS_PRIMITIVE_TAKE_LEFT, NULL, 0);
    ws_emit_store(editor, cursor, fours->rank.mine, mine);
    ws_emit_store(editor, cursor, fours->rank.left, now);
    if (fours->rank.full != 0)
        ws_emit_store(editor, cursor, fours->rank.full,
                      call(runner, cursor, WS_PRIMITIVE_KEEP_FULL, (const uint32_t[]){now, full, mine}, 3));
    uint32_t stays[4]; /* bytes of the fours that are this place's first, second, third, fourth of four */
    for (uint32_t i = 0; i < 4 && i < fours->count; i++)
        stays[i] =
            call(runner, cursor, WS_PRIMITIVE_TAKE_STAYS, (const uint32_t[]){ws_constant_u32(editor, i)}, 1);
    for (uint32_t i = 4; i < fours->count; i += 4) {
        uint32_t of_due[4];
        uint32_t owned[4];
        for (uint32_t j = i; j < i + 4 && j < fours->count; j++) {
            const uint32_t leaves =
                ws_emit_u32(editor, cursor, SpvOpBitwiseXor, stays[j % 4], ws_constant_u32(editor, ~0u));
            of_due[j - i] = ws_emit_u32(editor, cursor, SpvOpBitwiseAnd, kept[j], leaves);
            owned[j - i] = put_owned(runner, cursor, before, left, j % 4);
        }
        list_kept(editor, fours, i, of_due, owned, arguments);
        call(runner, cursor, WS_PRIMITIVE_ADD_FOURS, arguments, 16);
    }
    for (uint32_t i = 0; i < fours->count; i++) {
        const struct ws_four *four = &fours->list[i];
        const uint32_t counted[] = {ws_emit_u32(editor, cursor, SpvOpBitwiseAnd, kept[i], stays[i % 4]),
                                    put_owned(runner, cursor, mine, now, i % 4), four->sums};
        ws_emit_store(editor, cursor, four->variable,
                      call(runner, cursor, WS_PRIMITIVE_COUNT_FOUR, counted, 3));
    }
}

/* Has lanes know, where they enter the loop around a steady place, that others may be there than the last time. */
static void put_enter(struct ws_runner *runner, const struct ws_fours *fours)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_cursor cursor = ws_cursor_block_end(runner->module, fours->before);
    const uint32_t left = ws_emit_load(editor, cursor, fours->rank.left);
    ws_emit_store(editor, cursor, fours->rank.left, call(runner, cursor, WS_PRIMITIVE_ENTER_PLACE, &left, 1));
}

void ws_fours_put(struct ws_runner *runner, struct ws_cursor cursor, struct ws_fours *fours)
{
    uint32_t kept[WS_RUNS_MAX];
    if (fours->count == 0)
        return;
    const uint32_t together = put_sums(runner, cursor, fours);
    for (uint32_t i = 0; i < fours->count; i++)
        kept[i] = ws_emit_load(runner->editor, cursor, fours->list[i].variable);
    put_settle(runner, cursor, fours, together, kept);
    if (fours->steady && fours->before != WS_NONE)
        put_enter(runner, fours);
}
