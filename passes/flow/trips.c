#include "passes/flow/trips.h"

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/base/arena.h"

/* The loop at work. Blocks are indices within the function. */
struct work {
    const struct ws_trips *trips;
    const struct ws_module *module;
    const struct ws_loop *loop;
    const uint32_t *blocks;
    uint32_t count;
    uint32_t header;
    uint32_t latch; /* the one block of the loop that leads back to the header */
};

/* What a turn does with the number that is counted. */
struct counted {
    uint32_t begin;
    uint32_t step;   /* modulo 2^32 */
    uint32_t offset; /* what is compared is so much more than the number when the turn began */
};

static const struct ws_block *block_at(const struct work *work, uint32_t block)
{
    return &work->module->blocks[work->trips->function->block_first + block];
}

static uint32_t successor_count(const struct work *work, uint32_t block)
{
    const struct ws_cfg *cfg = work->trips->cfg;
    return cfg->successor_first[block + 1] - cfg->successor_first[block];
}

static uint32_t successor(const struct work *work, uint32_t block, uint32_t index)
{
    return work->trips->cfg->successors[work->trips->cfg->successor_first[block] + index];
}

/* The one edge within the loop that leads to a block; WS_NONE where there are others. */
static uint32_t find_before(const struct work *work, uint32_t block)
{
    uint32_t before = WS_NONE;
    for (uint32_t i = 0; i < work->count; i++)
        for (uint32_t s = 0; s < successor_count(work, work->blocks[i]); s++) {
            if (successor(work, work->blocks[i], s) != block)
                continue;
            if (before != WS_NONE)
                return WS_NONE;
            before = work->blocks[i];
        }
    return before;
}

/* Whether the block runs once in each turn that leads back to the header: it is the last one, or on the one way to it. */
static bool runs_each_turn(const struct work *work, uint32_t block)
{
    uint32_t at = work->latch;
    for (uint32_t steps = 0; at != block && at != work->header && at != WS_NONE && steps < work->count;
         steps++)
        at = find_before(work, at);
    return at == block;
}

/* Whether a constant of 32 bits is behind an id; a constant that is specialized is none. */
static bool is_constant(const struct ws_module *module, uint32_t id, uint32_t *value)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    if (definition == NULL || definition->opcode != SpvOpConstant || definition->length != 4)
        return false;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, definition, 0));
    *value = ws_operand(module, definition, 2);
    return type != NULL && type->opcode == SpvOpTypeInt && ws_operand(module, type, 1) == 32;
}

/* Whether an id is `base` and a constant more. */
static bool is_sum(const struct ws_module *module, uint32_t id, uint32_t *base, uint32_t *more)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    if (definition == NULL || (definition->opcode != SpvOpIAdd && definition->opcode != SpvOpISub))
        return false;
    const uint32_t left = ws_operand(module, definition, 2);
    const uint32_t right = ws_operand(module, definition, 3);
    *base = left;
    if (definition->opcode == SpvOpIAdd && is_constant(module, left, more)) {
        *base = right;
        return true;
    }
    if (!is_constant(module, right, more))
        return false;
    if (definition->opcode == SpvOpISub)
        *more = 0u - *more;
    return true;
}

/* ---- a phi ---- */

/* Whether what is compared is a phi of the header, or a constant more than that. */
static bool find_phi(const struct work *work, uint32_t compared, struct counted *counted)
{
    const struct ws_module *module = work->module;
    const struct ws_block *header = block_at(work, work->header);
    const uint32_t back = block_at(work, work->latch)->label;
    uint32_t phi = compared;
    uint32_t next;
    counted->offset = 0;
    if (is_sum(module, compared, &next, &counted->offset))
        phi = next;
    const struct ws_instruction *definition = ws_module_definition(module, phi);
    if (definition == NULL || definition->opcode != SpvOpPhi || definition->length != 7 ||
        definition < &module->instructions[header->first] || definition >= &module->instructions[header->end])
        return false;
    const uint32_t from_latch = ws_operand(module, definition, 3) == back ? 0 : 1;
    return ws_operand(module, definition, 3 + 2 * from_latch) == back &&
           ws_operand(module, definition, 5 - 2 * from_latch) != back &&
           is_constant(module, ws_operand(module, definition, 4 - 2 * from_latch), &counted->begin) &&
           is_sum(module, ws_operand(module, definition, 2 + 2 * from_latch), &next, &counted->step) &&
           next == phi;
}

/* ---- a variable ---- */

/* The variable that an instruction of a block loads or stores, if all else that has it does so too; 0 = none. */
static uint32_t variable_of(const struct ws_trips *trips, const struct ws_instruction *instruction)
{
    const uint32_t id = ws_operand(trips->module, instruction, instruction->opcode == SpvOpStore ? 0 : 2);
    const uint32_t at = id < trips->module->bound ? trips->module->definitions[id] : WS_NONE;
    return at != WS_NONE && at >= trips->variable_first &&
                   at - trips->variable_first < trips->variable_count &&
                   !trips->exposed[at - trips->variable_first]
               ? id
               : 0;
}

/* The last store to a variable in a block, before instruction `end`; WS_NONE = none. */
static uint32_t find_store(const struct work *work, uint32_t block, uint32_t end, uint32_t variable)
{
    const struct ws_module *module = work->module;
    for (uint32_t i = end; i-- > block_at(work, block)->first;)
        if (module->instructions[i].opcode == SpvOpStore &&
            ws_operand(module, &module->instructions[i], 0) == variable)
            return i;
    return WS_NONE;
}

/* The one store to a variable in the loop, and its block; WS_NONE where there are others. */
static uint32_t find_only_store(const struct work *work, uint32_t variable, uint32_t *block)
{
    uint32_t store = WS_NONE;
    for (uint32_t i = 0; i < work->count; i++) {
        const uint32_t found =
            find_store(work, work->blocks[i], block_at(work, work->blocks[i])->end, variable);
        if (found == WS_NONE)
            continue;
        if (store != WS_NONE || find_store(work, work->blocks[i], found, variable) != WS_NONE)
            return WS_NONE;
        store = found;
        *block = work->blocks[i];
    }
    return store;
}

/* Whether what is compared in block `test` is loaded there from a variable that each turn counts. */
static bool find_variable(const struct work *work, uint32_t test, uint32_t compared, struct counted *counted)
{
    const struct ws_module *module = work->module;
    const struct ws_instruction *load = ws_module_definition(module, compared);
    const uint32_t variable = load != NULL && load->opcode == SpvOpLoad ? variable_of(work->trips, load) : 0;
    if (variable == 0 || work->loop->before == WS_NONE)
        return false;
    const uint32_t loaded = (uint32_t)(load - module->instructions);
    uint32_t block = WS_NONE;
    const uint32_t store = find_only_store(work, variable, &block);
    if (store == WS_NONE || !runs_each_turn(work, block) || loaded < block_at(work, test)->first ||
        loaded >= block_at(work, test)->end)
        return false;
    uint32_t summand;
    if (!is_sum(module, ws_operand(module, &module->instructions[store], 1), &summand, &counted->step))
        return false;
    const struct ws_instruction *before = ws_module_definition(module, summand);
    const uint32_t read = before != NULL ? (uint32_t)(before - module->instructions) : WS_NONE;
    if (before == NULL || before->opcode != SpvOpLoad || ws_operand(module, before, 2) != variable ||
        read < block_at(work, block)->first || read >= store)
        return false;
    const uint32_t *position = work->trips->cfg->position;
    const bool is_later = block == test ? store < loaded : position[block] < position[test];
    counted->offset = is_later ? counted->step : 0;
    const uint32_t outside = work->loop->before - work->trips->function->block_first;
    const uint32_t first = find_store(work, outside, block_at(work, outside)->end, variable);
    return first != WS_NONE &&
           is_constant(module, ws_operand(module, &module->instructions[first], 1), &counted->begin);
}

/* ---- the test ---- */

/* Compares two numbers; false where the opcode does not compare, and then `*known` is false. */
static bool compare(uint16_t opcode, uint32_t left, uint32_t right, bool *known)
{
    const int64_t a = (int32_t)left;
    const int64_t b = (int32_t)right;
    switch ((SpvOp)opcode) {
    case SpvOpIEqual: return left == right;
    case SpvOpINotEqual: return left != right;
    case SpvOpULessThan: return left < right;
    case SpvOpULessThanEqual: return left <= right;
    case SpvOpUGreaterThan: return left > right;
    case SpvOpUGreaterThanEqual: return left >= right;
    case SpvOpSLessThan: return a < b;
    case SpvOpSLessThanEqual: return a <= b;
    case SpvOpSGreaterThan: return a > b;
    case SpvOpSGreaterThanEqual: return a >= b;
    default: *known = false; return false;
    }
}

/* How many ways lead out of the loop; where a function returns or lanes end is one. */
static uint32_t count_exits(const struct work *work)
{
    const uint32_t merge = work->loop->merge - work->trips->function->block_first;
    uint32_t exits = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        exits += successor_count(work, work->blocks[i]) == 0;
        for (uint32_t s = 0; s < successor_count(work, work->blocks[i]); s++)
            exits += successor(work, work->blocks[i], s) == merge;
    }
    return exits;
}

/* Whether the test compares a number that goes down as an unsigned one. */
static bool is_unsigned_down(uint16_t opcode, uint32_t step)
{
    return step >> 31 != 0 && (opcode == SpvOpULessThan || opcode == SpvOpULessThanEqual ||
                               opcode == SpvOpUGreaterThan || opcode == SpvOpUGreaterThanEqual);
}

/* A test that ends the loop. */
struct test {
    uint16_t opcode;
    bool leaves_if; /* what it yields where the loop ends */
    bool is_left;   /* the limit is its left operand */
    uint32_t limit;
    struct counted counted;
};

/* Whether block `block` ends with a test of a number that is counted. */
static bool find_test(const struct work *work, uint32_t block, struct test *test)
{
    const struct ws_module *module = work->module;
    const struct ws_instruction *branch = &module->instructions[block_at(work, block)->end - 1];
    if (branch->opcode != SpvOpBranchConditional || block_at(work, block)->is_cut ||
        successor_count(work, block) != 2)
        return false;
    const uint32_t merge = work->loop->merge - work->trips->function->block_first;
    test->leaves_if = successor(work, block, 0) == merge;
    if (test->leaves_if == (successor(work, block, 1) == merge))
        return false;
    const struct ws_instruction *condition = ws_module_definition(module, ws_operand(module, branch, 0));
    if (condition == NULL || condition->length != 5)
        return false;
    const uint32_t operands[] = {ws_operand(module, condition, 2), ws_operand(module, condition, 3)};
    test->opcode = condition->opcode;
    test->is_left = is_constant(module, operands[0], &test->limit);
    return (test->is_left || is_constant(module, operands[1], &test->limit)) &&
           (find_phi(work, operands[test->is_left], &test->counted) ||
            find_variable(work, block, operands[test->is_left], &test->counted));
}

/* Mesa writes out wrong such a loop with a second exit, unless nothing stands between the two tests. */
static bool is_written_wrong(const struct work *work, const struct test *test)
{
    return is_unsigned_down(test->opcode, test->counted.step) && count_exits(work) > 1;
}

/* How often the header runs if block `block` ends with the test that ends the loop; 0 as in the header. */
static uint32_t count_runs(const struct work *work, uint32_t block, uint32_t max)
{
    struct test test;
    if (!find_test(work, block, &test))
        return 0;
    bool known = true;
    for (uint32_t runs = 1; runs <= max && known; runs++) {
        const uint32_t value = test.counted.begin + (runs - 1) * test.counted.step + test.counted.offset;
        const bool holds = compare(test.opcode, test.is_left ? test.limit : value,
                                   test.is_left ? value : test.limit, &known);
        if (known && holds == test.leaves_if)
            return runs;
    }
    return 0;
}

/* Finds where the tests of a loop may stand: at its top, and in its latch. False where it has none. */
static bool begin(struct work *work, const struct ws_trips *trips, const struct ws_loop *loop,
                  const uint32_t *blocks, uint32_t count, uint32_t *top)
{
    *work = (struct work){.trips = trips,
                          .module = trips->module,
                          .loop = loop,
                          .blocks = blocks,
                          .count = count,
                          .header = loop->header - trips->function->block_first};
    work->latch = loop->merge != WS_NONE ? find_before(work, work->header) : WS_NONE;
    *top = work->header;
    for (uint32_t steps = 0;
         work->latch != WS_NONE && successor_count(work, *top) == 1 && *top != work->latch && steps < count;
         steps++)
        *top = successor(work, *top, 0);
    return work->latch != WS_NONE;
}

uint32_t ws_trips_most(const struct ws_trips *trips, const struct ws_loop *loop, const uint32_t *blocks,
                       uint32_t count, uint32_t max)
{
    struct work work;
    uint32_t top;
    if (!begin(&work, trips, loop, blocks, count, &top))
        return 0;
    const uint32_t runs = count_runs(&work, top, max);
    return runs != 0 ? runs : count_runs(&work, work.latch, max);
}

bool ws_trips_are_written_wrong(const struct ws_trips *trips, const struct ws_loop *loop,
                                const uint32_t *blocks, uint32_t count)
{
    struct work work;
    struct test test;
    uint32_t top;
    return begin(&work, trips, loop, blocks, count, &top) &&
           ((find_test(&work, top, &test) && is_written_wrong(&work, &test)) ||
            (find_test(&work, work.latch, &test) && is_written_wrong(&work, &test)));
}

/* ---- variables ---- */

/* Notes which variables an instruction has otherwise than by loading or storing the whole. */
static void expose(struct ws_trips *trips, const struct ws_instruction *instruction)
{
    const struct ws_module *module = trips->module;
    const bool loads = instruction->opcode == SpvOpLoad && instruction->length == 4;
    const bool stores = instruction->opcode == SpvOpStore && instruction->length == 3;
    for (uint32_t i = 0; i + 1 < instruction->length; i++) {
        const uint32_t id = ws_operand(module, instruction, i);
        const uint32_t at = id < module->bound ? module->definitions[id] : WS_NONE;
        if (at == WS_NONE || at < trips->variable_first ||
            at - trips->variable_first >= trips->variable_count)
            continue;
        if ((!loads || i != 2) && (!stores || i != 0)) /* an address; or a literal that looks like one */
            trips->exposed[at - trips->variable_first] = true;
    }
}

bool ws_trips_init(struct ws_trips *trips, struct ws_arena *arena, const struct ws_module *module,
                   uint32_t function, const struct ws_cfg *cfg)
{
    const struct ws_function *info = &module->functions[function];
    *trips = (struct ws_trips){.module = module, .function = info, .cfg = cfg};
    if (info->block_count == 0)
        return true;
    trips->variable_first = module->blocks[info->block_first].first + 1;
    uint32_t end = trips->variable_first;
    while (end < info->end && (module->instructions[end].opcode == SpvOpVariable ||
                               ws_opcode_is_line(module->instructions[end].opcode)))
        end++;
    trips->variable_count = end - trips->variable_first;
    trips->exposed = ws_arena_allocate(arena, trips->variable_count, sizeof(*trips->exposed));
    if (trips->exposed == NULL)
        return false;
    for (uint32_t i = end; i < info->end; i++)
        if (!ws_instruction_is_debug(module, &module->instructions[i]))
            expose(trips, &module->instructions[i]);
    return true;
}
