/* Advice `uniform_work`: every thread computes what is the same for all of them.
 *
 * Evidence, by shader: expressions whose value is invariant (warpscope/code/values.h): made of nothing but constants, push
 * constants, uniform buffers and the size of the command. The application could compute them once, and give the result
 * instead. What is made of constants alone the driver computes when it makes the pipeline: it is left out. An expression
 * counts where it weighs LEAST or more: as much as 16 additions. Less may not be worth the value more that must be given and
 * loaded. A product of two matrices, an inverse and a determinant weigh 16, a product of a matrix and a vector, a division
 * and a function such as sin or normalize 4, what only moves values or loads them nothing, anything else 1.
 *
 * Saving: the slots of the expressions, and of the loads that only they need, less those of the loads of the results.
 * LIKELY: compilers for devices with scalar units let a warp compute such values once. Said from a twentieth of the
 * capture's slots.
 *
 * Example: `position = projection * view * model * vertex` with the three in a uniform buffer: two products of matrices for
 * each vertex. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/base/text.h"
#include "warpscope/spirv/sites.h"

#define LEAST       16
#define LOOK_MOST   64 /* instructions of an expression that are looked at */
#define LOADS       2  /* instructions that load a result */
#define ROOTS_SHOWN 3

/* An expression: an invariant value that something else uses. */
struct root {
    uint32_t instruction;
    uint32_t size; /* instructions that only it needs */
    double slots;
};

static bool is_invariant_work(const struct ws_shader_code *code, uint32_t instruction)
{
    const struct ws_module *module = &code->code->module;
    const struct ws_instruction *at = &module->instructions[instruction];
    const uint32_t result = ws_value_result(module, at);
    return result != 0 && result < module->bound && code->values.invariant[result] &&
           !code->values.constant[result] && ws_value_is_computed(module, at);
}

/* Marks values that something other than invariant work uses: roots. */
static void mark_roots(const struct ws_shader_code *code, bool *roots)
{
    const struct ws_module *module = &code->code->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        uint32_t first = 0;
        uint32_t end = 0;
        uint32_t skipped = WS_NONE;
        if (code->values.block[i] == WS_NONE || is_invariant_work(code, i) ||
            !ws_instruction_is_executed(module, &module->instructions[i]))
            continue;
        ws_value_operands(module, &module->instructions[i], &first, &end, &skipped);
        for (uint32_t j = first; j < end; ++j) {
            const struct ws_instruction *definition =
                j != skipped ? ws_module_definition(module, ws_operand(module, &module->instructions[i], j))
                             : NULL;
            if (definition != NULL && is_invariant_work(code, (uint32_t)(definition - module->instructions)))
                roots[definition - module->instructions] = true;
        }
    }
}

static uint32_t weight_of(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const uint32_t function = ws_operand(module, instruction, 3);
    switch ((SpvOp)instruction->opcode) {
    case SpvOpMatrixTimesMatrix: return 16;
    case SpvOpMatrixTimesVector:
    case SpvOpVectorTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpMatrixTimesScalar:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSMod:
    case SpvOpSRem: return 4;
    case SpvOpExtInst:
        if (function == GLSLstd450Determinant || function == GLSLstd450MatrixInverse)
            return 16;
        return (function >= GLSLstd450Sin && function <= GLSLstd450InverseSqrt) ||
                       (function >= GLSLstd450Length && function <= GLSLstd450Refract)
                   ? 4
                   : 1;
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpTranspose:
    case SpvOpBitcast: return 0;
    default: return ws_value_is_computed(module, instruction);
    }
}

/* Adds an instruction of a function to the expression, unless it is there. */
static void add_part(const struct ws_shader_code *code, const struct ws_instruction *part, uint32_t *list,
                     uint32_t *count)
{
    const uint32_t at = part != NULL ? (uint32_t)(part - code->code->module.instructions) : WS_NONE;
    const uint32_t result = part != NULL ? ws_value_result(&code->code->module, part) : 0;
    if (at == WS_NONE || code->values.block[at] == WS_NONE || code->values.constant[result])
        return;
    for (uint32_t i = 0; i < *count; ++i)
        if (list[i] == at)
            return;
    if (*count < LOOK_MOST)
        list[(*count)++] = at;
}

/* Whether a root's expression, with what it loads from variables of the function, is worth a value of its own. */
static bool is_worth_a_value(const struct ws_shader_code *code, uint32_t root)
{
    const struct ws_module *module = &code->code->module;
    uint32_t list[LOOK_MOST] = {root};
    uint32_t count = 1;
    uint32_t weight = 0;
    for (uint32_t i = 0; i < count && weight < LEAST; ++i) {
        const struct ws_instruction *at = &module->instructions[list[i]];
        uint32_t first = 0;
        uint32_t end = 0;
        uint32_t skipped = WS_NONE;
        weight += weight_of(module, at);
        add_part(code, ws_value_stored(&code->values, at), list, &count);
        ws_value_operands(module, at, &first, &end, &skipped);
        for (uint32_t j = first; j < end; ++j)
            if (j != skipped)
                add_part(code, ws_module_definition(module, ws_operand(module, at, j)), list, &count);
    }
    return weight >= LEAST;
}

/* Puts the root among the largest. */
static void rank(struct root top[ROOTS_SHOWN], const struct root *root)
{
    uint32_t at = ROOTS_SHOWN;
    while (at > 0 && top[at - 1].slots < root->slots) {
        if (at < ROOTS_SHOWN)
            top[at] = top[at - 1];
        at--;
    }
    if (at < ROOTS_SHOWN)
        top[at] = *root;
}

/* What a shader would save. */
struct savings {
    struct ws_removal removal;
    double slots;
    uint32_t roots;
    uint32_t instructions;
    struct root top[ROOTS_SHOWN];
};

/* Removes a root with all that only it needs. */
static void remove_root(const struct ws_shader_run *run, struct savings *savings, uint32_t root)
{
    const uint32_t before = savings->removal.count;
    struct root removed = {.instruction = root};
    ws_removal_remove(&savings->removal, root);
    for (uint32_t i = before; i < savings->removal.count; ++i) {
        removed.size++;
        removed.slots += ws_instruction_run_slots(run, savings->removal.list[i]);
    }
    savings->slots += removed.slots;
    savings->instructions += removed.size;
    rank(savings->top, &removed);
}

/* Removes the roots, the last first: what a later one needs is then no root any more. */
static bool find_savings(const struct ws_shader_run *run, struct ws_arena *scratch, struct savings *savings)
{
    const struct ws_shader_code *code = run->code;
    const struct ws_module *module = &code->code->module;
    bool *roots = calloc((size_t)module->instruction_count + 1, sizeof(*roots));
    if (roots == NULL || !ws_removal_init(&savings->removal, &code->values, scratch)) {
        free(roots);
        return false;
    }
    mark_roots(code, roots);
    for (uint32_t i = module->instruction_count; i-- > 0;) {
        roots[i] = roots[i] && !savings->removal.removed[i] && ws_instruction_run_slots(run, i) > 0 &&
                   is_worth_a_value(code, i);
        if (roots[i])
            remove_root(run, savings, i);
    }
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const uint32_t result = roots[i] ? ws_value_result(module, &module->instructions[i]) : 0;
        if (result == 0 || savings->removal.uses[result] == 0)
            continue;
        savings->roots++;
        savings->slots -= LOADS * ws_instruction_run_slots(run, i);
    }
    free(roots);
    return true;
}

static void describe(const struct ws_shader_run *run, const struct savings *savings, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < ROOTS_SHOWN && savings->top[i].slots > 0 && used < size; ++i) {
        char place[WS_PLACE_SIZE];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s (%" PRIu32 " instruction%s)", i > 0 ? ", " : "",
                             ws_shader_run_place(run, savings->top[i].instruction, place, sizeof(place)),
                             savings->top[i].size, ws_plural(savings->top[i].size, "s"));
    }
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    struct savings savings = {.slots = 0};
    char largest[ROOTS_SHOWN * (WS_PLACE_SIZE + 32)];
    (void)user;
    if (!find_savings(shader->run, shader->scratch, &savings))
        return false;
    if (!ws_advice_shader_is_worth(shader, savings.slots, WS_SHARE_OF_REWRITE))
        return true;
    describe(shader->run, &savings, largest, sizeof(largest));
    const struct ws_advice advice = {
        .subject = shader->name,
        .evidence = ws_advice_text(
            list,
            "%" PRIu32 " instructions of every thread depend on nothing but constants, push constants "
            "and uniform buffers. All threads of a command get the same %s from "
            "them. The most costly: %s.",
            savings.instructions,
            savings.roots == 1 ? "value" : ws_advice_text(list, "%" PRIu32 " values", savings.roots),
            largest),
        .change = "compute these values once on the CPU, and give the results as push constants, in a "
                  "uniform buffer, or, "
                  "where they never change, as specialization constants",
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(savings.slots),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "a device with scalar units may compute them once for a warp",
    };
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_uniform_work;

const struct ws_advice_rule ws_advice_rule_uniform_work = {
    .name = "uniform_work",
    .title = "Work that is the same for all threads",
    .summary = "expressions of push constants and uniform buffers that every thread computes",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
