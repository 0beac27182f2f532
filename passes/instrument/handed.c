/* Numbers that samples and rays are handed, where they are recorded.
 *
 * A compiler may put operations on floats together: of (a * b) * 0.3 it makes (a * 0.3) * b, which rounds otherwise. Many do
 * that only where nothing else uses the product, and a record is one more use. So of what is recorded of a sample or a ray, it
 * gets a copy, and so does the record: its bits ^ 0, of a 0 that no compiler knows (primitives/zero.glsl). Then the number has
 * as many uses as in the application's shader.
 *
 * There is one copy of a value, right behind it, for all samples. Mesa hands samples a vector of numbers that it computed one
 * by one, so that the vector is one use of each, however many samples share it. A number alone is used by each of them. There
 * only the first sample gets the copy. Copies of one number by different zeros stay two uses of it, as in two vectors. What is
 * loaded from variables has twins.h.
 *
 * Inputs, buffers, texels and constants are not rounded, and are not copied. Variables of functions are: compilers that do not
 * optimise keep results in them.
 *
 * WHAT IS EXACT. A copy has the bits of its number, those of denormals and of NaN too: OpBitcast and OpBitwiseXor are on
 * integers, and no compiler may change these. Decorations are neither added nor taken away, so NoContraction stands where the
 * application has it and nowhere else. WHAT IS NOT. The SPIR-V specification leaves it to a compiler how it rounds what is not
 * decorated so. That it decides as it did was seen with Mesa, and was not tried with other compilers. An instruction of the
 * application on floats may make a signaling NaN quiet, or flush a denormal, as before. */
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/instrument/twins.h"
#include "passes/spirv/operands.h"
#include "passes/spirv/types.h"
#include "warpscope/spirv/texels.h"

#define DEPTH_MAX    4  /* of composites that are looked into; 4 ^ 4 looks at most for vectors */
#define OPERANDS_MAX 24 /* more than any sample or ray has */

#define HANDED ((uint64_t)1 << 32) /* key of an instruction that has its copies */
#define HASHED ((uint64_t)1 << 63) /* key of the first zero of a vector */

/* How many floats of 32 bits a value is; 0 where it is something else. */
static uint32_t count_floats(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_module_type_of(module, id));
    const bool is_vector = type != NULL && type->opcode == SpvOpTypeVector;
    const uint32_t count = is_vector ? ws_operand(module, type, 2) : 1;
    if (is_vector)
        type = ws_module_definition(module, ws_operand(module, type, 1));
    return type != NULL && type->opcode == SpvOpTypeFloat && ws_operand(module, type, 1) == 32 ? count : 0;
}

/* Whether memory holds what the invocation itself computed. */
static bool is_own(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_module_type_of(module, pointer));
    const uint32_t storage = type != NULL ? ws_operand(module, type, 1) : SpvStorageClassFunction;
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
}

/* Whether no compiler can round the value otherwise. */
static bool is_exact(const struct ws_module *module, uint32_t id, uint32_t depth)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    uint32_t first = 2; /* of the parts */
    uint32_t end = 3;
    /* Constants, also of kinds that the headers do not know: no code can stand behind them. */
    const bool is_global =
        definition == NULL || definition < module->instructions + module->functions[0].first;
    if (is_global || depth == DEPTH_MAX)
        return is_global;
    switch ((SpvOp)definition->opcode) {
    case SpvOpUndef:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpBitcast: return true;
    case SpvOpLoad: return !is_own(module, ws_operand(module, definition, 2));
    case SpvOpCopyObject:
    case SpvOpCompositeExtract: break;
    case SpvOpVectorShuffle: end = 4; break;
    case SpvOpCompositeConstruct: end = definition->length - 1u; break;
    default: return ws_texel_is_touched_by(definition->opcode);
    }
    for (; first < end; first++)
        if (!is_exact(module, ws_operand(module, definition, first), depth + 1))
            return false;
    return true;
}

/* The 0, which is read where the function begins; 0 where it cannot be. */
static uint32_t find_zero(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    const uint32_t block = runner->module->functions[visit->function].block_first;
    const uint32_t callee =
        runner->zero == 0 ? ws_runner_link(runner, visit->function, WS_PRIMITIVE_ZERO) : 0;
    if (callee == 0)
        return runner->zero;
    runner->twins = ws_twins_create(runner->editor, visit->function);
    if (runner->twins != NULL)
        runner->zero =
            ws_link_call(runner->editor, ws_runner_prologue(runner->module, block), callee, NULL, 0);
    else
        ws_editor_fail(runner->editor, "out of memory for the samples of a module");
    return runner->zero;
}

static void keep(struct ws_runner *runner, uint64_t key, uint32_t value)
{
    if (!ws_id_map_put(&runner->handed, key, value))
        ws_editor_fail(runner->editor, "out of memory for the samples of a module");
}

/* A 0 for each number of a copy, at a cursor: multiples of one that differ from each other and from those of other copies, so
 * that no compiler makes one of two copies of a number. Equal vectors are one vector in the application's shader too, and have
 * the same zeros. A number alone has others each time. */
static void find_zeros(struct ws_visit *visit, struct ws_cursor cursor, uint32_t value, uint32_t count,
                       uint32_t *zeros)
{
    struct ws_runner *runner = visit->runner;
    struct ws_editor *editor = runner->editor;
    const uint64_t key = HASHED | ws_twins_hash(runner->twins, value, count) >> 2;
    uint32_t first = runner->zeros;
    if (count == 1 || !ws_id_map_get(&runner->handed, key, &first)) {
        runner->zeros += count;
        if (count > 1)
            keep(runner, key, first);
    }
    for (uint32_t i = 0; i < count; i++)
        zeros[i] =
            ws_emit_u32(editor, cursor, SpvOpIMul, runner->zero, ws_constant_u32(editor, first + i + 1));
}

/* Puts a copy of a number or of a vector of numbers of 32 bits at a cursor: its bits ^ 0. `words` is the type of the bits. */
static uint32_t put_bits(struct ws_editor *editor, struct ws_cursor cursor, uint32_t value, uint32_t type,
                         uint32_t words, uint32_t zeros)
{
    const uint32_t bits = ws_emit(editor, cursor, SpvOpBitcast, words, &value, 1);
    const uint32_t copied =
        ws_emit(editor, cursor, SpvOpBitwiseXor, words, (const uint32_t[]){bits, zeros}, 2);
    return ws_emit(editor, cursor, SpvOpBitcast, type, &copied, 1);
}

/* Puts a copy of a value of `count` floats at a cursor. Of a vector that is one number several times, each is copied by itself:
 * Mesa counts the vector's uses of it one by one, but where a variable holds it as one. */
static uint32_t put_copy_at(struct ws_visit *visit, struct ws_cursor cursor, uint32_t value, uint32_t like,
                            uint32_t count)
{
    struct ws_runner *runner = visit->runner;
    struct ws_editor *editor = runner->editor;
    const uint32_t type = ws_module_type_of(runner->module, like);
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t f32 = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
    const bool is_splat = count > 1 && ws_twins_is_splat(runner->twins, like, count);
    uint32_t parts[4];
    find_zeros(visit, cursor, like, count, parts);
    if (count == 1)
        return put_bits(editor, cursor, value, type, u32, parts[0]);
    if (is_splat && ws_module_definition(runner->module, like)->opcode == SpvOpCompositeConstruct) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t part =
                ws_emit(editor, cursor, SpvOpCompositeExtract, f32, (const uint32_t[]){value, i}, 2);
            parts[i] = put_bits(editor, cursor, part, f32, u32, parts[i]);
        }
        return ws_emit(editor, cursor, SpvOpCompositeConstruct, type, parts, count);
    }
    for (uint32_t i = 1; i < count && is_splat; i++)
        parts[i] = parts[0];
    const uint32_t words = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){u32, count}, 2);
    const uint32_t zeros = ws_emit(editor, cursor, SpvOpCompositeConstruct, words, parts, count);
    return put_bits(editor, cursor, value, type, words, zeros);
}

/* The twin of what is loaded, with its copies written; NULL where it has none. */
static const struct ws_twin *find_twin(struct ws_visit *visit, const struct ws_instruction *load,
                                       uint32_t count)
{
    struct ws_runner *runner = visit->runner;
    struct ws_twin *twin = ws_twins_find(runner->twins, load);
    struct ws_cursor place;
    uint32_t position = 0;
    if (twin == NULL || twin->written)
        return twin;
    twin->written = true;
    while (ws_twins_next(runner->twins, twin, &position, &place)) {
        const uint32_t value = ws_twins_load(runner->twins, twin, place);
        const uint32_t copy = put_copy_at(visit, place, value, ws_operand(runner->module, load, 1), count);
        ws_emit(runner->editor, place, SpvOpStore, 0, (const uint32_t[]){twin->twin, copy}, 2);
    }
    return twin;
}

/* Puts the copy of a value of `count` floats behind it; 0 where that cannot be. */
static uint32_t put_copy(struct ws_visit *visit, uint32_t value, uint32_t count)
{
    struct ws_runner *runner = visit->runner;
    const struct ws_instruction *definition = ws_module_definition(runner->module, value);
    const uint32_t index = (uint32_t)(definition - runner->module->instructions);
    if (find_zero(visit) == 0)
        return 0;
    const struct ws_cursor cursor =
        definition->opcode == SpvOpFunctionParameter
            ? ws_runner_prologue(runner->module, runner->module->functions[visit->function].block_first)
            : ws_cursor_after(runner->module, index);
    const struct ws_twin *twin =
        count > 1 && definition->opcode == SpvOpLoad ? find_twin(visit, definition, count) : NULL;
    const uint32_t copy = twin != NULL
                              ? ws_emit(runner->editor, cursor, SpvOpLoad, twin->type, &twin->twin, 1)
                              : put_copy_at(visit, cursor, value, value, count);
    keep(runner, value, copy);
    return copy;
}

/* What a sample gets instead of an operand that is recorded: the operand itself where it needs no copy. */
static uint32_t replacement(struct ws_visit *visit, uint32_t value)
{
    struct ws_runner *runner = visit->runner;
    const uint32_t count = count_floats(runner->module, value);
    const uint32_t known = ws_runner_handed(runner, value);
    if (count == 0 || count > 4 || is_exact(runner->module, value, 0))
        return value;
    if (known != value)
        return count == 1 ? value : known;
    const uint32_t copy = put_copy(visit, value, count);
    return copy != 0 ? copy : value;
}

uint32_t ws_runner_handed(const struct ws_runner *runner, uint32_t value)
{
    uint32_t copy = value;
    ws_id_map_get(&runner->handed, value, &copy);
    return copy;
}

/* Whether an instruction hands the floats among its operands to a ray. */
static bool is_ray(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV:
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV:
    case SpvOpReportIntersectionKHR:
    case SpvOpRayQueryInitializeKHR:
    case SpvOpRayQueryGenerateIntersectionKHR:
    case SpvOpHitObjectTraceRayNV:
    case SpvOpHitObjectTraceRayMotionNV:
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT:
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT:
    case WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT: return true;
    default: return false;
    }
}

/* Whether an operand of a ray or a sample is recorded: of a sample not what is compared. */
static bool is_recorded(const struct ws_texel *texel, uint32_t id)
{
    return texel->type == 0 || id == texel->coordinate_id || id == texel->level_id || id == texel->bias_id ||
           id == texel->least_level_id || id == texel->gradient_ids[0] || id == texel->gradient_ids[1];
}

void ws_runner_hand(struct ws_visit *visit, uint32_t index)
{
    struct ws_runner *runner = visit->runner;
    const struct ws_module *module = runner->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    struct ws_texel texel = {0};
    bool is_id[OPERANDS_MAX];
    uint32_t operands[OPERANDS_MAX];
    uint32_t unused = 0;
    const uint32_t count = instruction->length - 1u;
    if ((!is_ray(instruction->opcode) && !ws_texel_is_touched_by(instruction->opcode)) ||
        count > OPERANDS_MAX || ws_id_map_get(&runner->handed, HANDED | index, &unused))
        return;
    if (!is_ray(instruction->opcode) &&
        (ws_texel_find(&texel, module, instruction) != NULL || !ws_texel_is_sampled(&texel)))
        return;
    if (!ws_operands_find_ids(module, instruction, is_id))
        return;
    bool changes = false;
    keep(runner, HANDED | index, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t operand = ws_operand(module, instruction, i);
        operands[i] = is_id[i] && is_recorded(&texel, operand) ? replacement(visit, operand) : operand;
        changes = changes || operands[i] != operand;
    }
    if (changes)
        ws_editor_replace(runner->editor, index, instruction->opcode, operands, count);
}
