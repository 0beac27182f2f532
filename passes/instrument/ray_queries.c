/* Ray queries: which query an instruction is about, and what can be read of it after a step. Hit objects: the same, and what
 * can be read of one after a trace.
 *
 * Pointers to ray queries and hit objects are logical: they come from an OpVariable, an element of an array of queries
 * (OpAccessChain), or a parameter, for which each caller hands in a variable or a parameter of its own
 * (SPIR-V 2.16.1: an argument is a memory object declaration, not an element). */
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"
#include "warpscope/ray_events.h"
#include "warpscope/spirv/calls.h"

/* Of calls that hand a query on: how deep a parameter is followed, in rounds over the module. */
#define ROUNDS_MAX 16

#define STEPS_MAX 16 /* copies and chains from one to the next; a malformed module may go round for ever */

#define KEY_ELEMENTS_MAX 256 /* of an array: its index has 8 bits of a key */

#define INDICES_MAX 4 /* arrays of arrays */

/* A query, or a hit object, as an instruction names it. */
struct query {
    uint32_t base;                 /* OpVariable or OpFunctionParameter; WS_NONE = neither */
    uint32_t pointer;              /* type of the base */
    uint32_t indices[INDICES_MAX]; /* from it to the query, ids of the module */
    uint32_t index_count;
};

/* A function that reads the state of a query or hit object: one per type of base and number of indices. */
struct reader {
    uint32_t pointer;
    uint32_t index_count;
    uint32_t function;
    struct reader *next;
};

struct ws_ray_queries {
    uint32_t *variables; /* per id: of parameters, the variable that every call hands in; 0 = none does,
                            WS_NONE = it cannot be told */
    struct reader *readers;
    uint32_t result; /* type of what they return; 0 = not there yet */
};

/* Follows the pointer `id` to its base. */
static void find_query(const struct ws_module *module, uint32_t id, struct query *query)
{
    uint32_t reversed[INDICES_MAX];
    *query = (struct query){.base = WS_NONE};
    const struct ws_instruction *definition = ws_module_definition(module, id);
    for (uint32_t step = 0; definition != NULL && definition->opcode != SpvOpVariable &&
                            definition->opcode != SpvOpFunctionParameter;
         step++) {
        const uint32_t base = ws_operand(module, definition, 2);
        const bool is_chain =
            definition->opcode == SpvOpAccessChain || definition->opcode == SpvOpInBoundsAccessChain;
        if ((!is_chain && definition->opcode != SpvOpCopyObject) || step == STEPS_MAX)
            return;
        for (uint32_t i = definition->length - 2u; is_chain && i > 2; i--) {
            if (query->index_count == INDICES_MAX)
                return;
            reversed[query->index_count++] = ws_operand(module, definition, i);
        }
        id = base;
        definition = ws_module_definition(module, id);
    }
    if (definition == NULL)
        return;
    for (uint32_t i = 0; i < query->index_count; i++)
        query->indices[i] = reversed[query->index_count - 1 - i];
    query->base = id;
    query->pointer = ws_operand(module, definition, 0);
}

/* ---- which variable a parameter is ---- */

/* The variable that an argument is; 0 where that is not known yet. */
static uint32_t variable_of(const struct ws_module *module, const uint32_t *variables, uint32_t argument)
{
    struct query query;
    find_query(module, argument, &query);
    if (query.base == WS_NONE || query.index_count != 0)
        return WS_NONE;
    return ws_module_definition(module, query.base)->opcode == SpvOpVariable ? query.base
                                                                             : variables[query.base];
}

/* Brings the arguments of one call to the parameters of what it calls. Whether anything is new. */
static bool bring_arguments(const struct ws_module *module, uint32_t *variables,
                            const struct ws_instruction *call)
{
    const uint32_t callee = ws_calls_callee(module, call);
    bool is_new = false;
    if (callee == WS_NONE)
        return false;
    uint32_t argument = 3;
    for (uint32_t i = module->functions[callee].first;
         i < module->functions[callee].end && module->instructions[i].opcode != SpvOpLabel; i++) {
        if (module->instructions[i].opcode != SpvOpFunctionParameter)
            continue;
        const uint32_t variable = variable_of(module, variables, ws_operand(module, call, argument++));
        uint32_t *known = &variables[ws_operand(module, &module->instructions[i], 1)];
        if (variable != 0 && *known != variable && *known != WS_NONE) {
            *known = *known == 0 ? variable : WS_NONE;
            is_new = true;
        }
    }
    return is_new;
}

/* What is known of the module's queries, made when first asked for. NULL on no memory, the editor failed. */
static struct ws_ray_queries *get_queries(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    if (runner->queries != NULL)
        return runner->queries;
    struct ws_ray_queries *queries = ws_arena_allocate(module->arena, 1, sizeof(*queries));
    uint32_t *variables = ws_arena_allocate(module->arena, module->bound, sizeof(*variables));
    if (queries == NULL || variables == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the ray queries of a module");
        return NULL;
    }
    bool is_new = true;
    for (uint32_t round = 0; round < ROUNDS_MAX && is_new; round++) {
        is_new = false;
        for (uint32_t i = 0; i < module->instruction_count; i++) {
            is_new |= module->instructions[i].opcode == SpvOpFunctionCall &&
                      bring_arguments(module, variables, &module->instructions[i]);
        }
    }
    for (uint32_t id = 0; id < module->bound && is_new; id++)
        variables[id] = WS_NONE; /* deeper than is followed: what was found may not be all */
    queries->variables = variables;
    runner->queries = queries;
    return queries;
}

/* ---- the key ---- */

/* How many elements the arrays at which a query's indices point have each; false where it is not known, or
 * they are more in all than a key can tell apart. */
static bool find_lengths(const struct ws_module *module, const struct query *query, uint32_t *lengths)
{
    const struct ws_instruction *pointer = ws_module_definition(module, query->pointer);
    uint32_t type = pointer == NULL ? 0 : ws_operand(module, pointer, 2);
    uint32_t count = 1;
    for (uint32_t i = 0; i < query->index_count; i++) {
        const struct ws_instruction *array = ws_module_definition(module, type);
        const struct ws_instruction *length =
            array == NULL ? NULL : ws_module_definition(module, ws_operand(module, array, 2));
        if (length == NULL || array->opcode != SpvOpTypeArray || length->opcode != SpvOpConstant)
            return false;
        lengths[i] = ws_operand(module, length, 2);
        if (lengths[i] == 0 || lengths[i] > KEY_ELEMENTS_MAX / count)
            return false;
        count *= lengths[i];
        type = ws_operand(module, array, 1);
    }
    return true;
}

/* Index of the query among all that its variable holds, as an id; 0 where it has no word. */
static uint32_t flat_index(struct ws_visit *visit, const struct query *query, const uint32_t *lengths)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    uint32_t flat = 0;
    for (uint32_t i = 0; i < query->index_count; i++) {
        uint32_t index = 0;
        if (ws_visit_words(visit, query->indices[i], &index, 1) != 1)
            return 0;
        if (i != 0) {
            const uint32_t length = ws_constant_u32(editor, lengths[i]);
            flat = ws_emit(editor, visit->cursor, SpvOpIMul, u32, (const uint32_t[]){flat, length}, 2);
            index = ws_emit(editor, visit->cursor, SpvOpIAdd, u32, (const uint32_t[]){flat, index}, 2);
        }
        flat = index;
    }
    return flat;
}

uint32_t ws_visit_query_key(struct ws_visit *visit, uint32_t operand)
{
    const struct ws_module *module = visit->runner->module;
    const struct ws_ray_queries *queries = get_queries(visit->runner);
    uint32_t lengths[INDICES_MAX] = {0};
    struct query query;
    find_query(module, ws_visit_operand(visit, operand), &query);
    uint32_t variable = query.base;
    if (queries == NULL)
        return 0;
    if (variable != WS_NONE && ws_module_definition(module, variable)->opcode == SpvOpFunctionParameter)
        variable = queries->variables[variable];
    if (variable == 0 || variable == WS_NONE || !find_lengths(module, &query, lengths))
        return ws_visit_constant(visit, WS_QUERY_UNKNOWN);
    if (query.index_count == 0)
        return ws_visit_constant(visit, variable);
    const uint32_t arguments[] = {ws_visit_constant(visit, variable), flat_index(visit, &query, lengths)};
    return ws_visit_call(visit, "query_key", arguments, 2);
}

/* ---- its state ---- */

/* Functions that read what a ray query has after a step (ray_events.h, query words). What may be asked of a
 * query depends on its state, so each asks inside of the branches where it may (SPV_KHR_ray_query, VUIDs of
 * OpRayQueryGet...): whatever runs here is a call, with the branches out of the way of the module's own
 * control flow. */

/* The words, as members of what is returned. */
enum { STATE, T, INSTANCE, CUSTOM, GEOMETRY, PRIMITIVE, BARYCENTRICS };

/* A function being written, block by block. */
struct writer {
    struct ws_editor *editor;
    uint32_t u32;
    uint32_t boolean;
    uint32_t f32;
    uint32_t query;                     /* pointer to it */
    uint32_t variables[WS_QUERY_WORDS]; /* which begin as 0 */
};

static void put(struct writer *writer, SpvOp opcode, const uint32_t *operands, uint32_t count)
{
    ws_editor_append(writer->editor, WS_SECTION_FUNCTION, (uint16_t)opcode, operands, count);
}

/* An instruction with a result, whose id is returned; at most 4 operands. */
static uint32_t get(struct writer *writer, SpvOp opcode, uint32_t type, const uint32_t *operands,
                    uint32_t count)
{
    uint32_t all[6] = {type, ws_editor_id(writer->editor)};
    for (uint32_t i = 0; i < count; i++)
        all[2 + i] = operands[i];
    put(writer, opcode, all, 2 + count);
    return all[1];
}

static uint32_t constant(struct writer *writer, uint32_t value)
{
    return ws_constant_u32(writer->editor, value);
}

static void store(struct writer *writer, uint32_t word, uint32_t value)
{
    put(writer, SpvOpStore, (const uint32_t[]){writer->variables[word], value}, 2);
}

/* Sets bits of the state where `condition` holds. */
static void set_state(struct writer *writer, uint32_t condition, uint32_t bits)
{
    const uint32_t chosen[] = {condition, constant(writer, bits), constant(writer, 0)};
    const uint32_t state = get(writer, SpvOpLoad, writer->u32, &writer->variables[STATE], 1);
    const uint32_t added = get(writer, SpvOpSelect, writer->u32, chosen, 3);
    store(writer, STATE, get(writer, SpvOpBitwiseOr, writer->u32, (const uint32_t[]){state, added}, 2));
}

/* Asks of the candidate (0) or of what is committed (1). */
static uint32_t ask(struct writer *writer, SpvOp opcode, uint32_t type, uint32_t which)
{
    return get(writer, opcode, type, (const uint32_t[]){writer->query, constant(writer, which)}, 2);
}

static uint32_t equals(struct writer *writer, uint32_t id, uint32_t value)
{
    return get(writer, SpvOpIEqual, writer->boolean, (const uint32_t[]){id, constant(writer, value)}, 2);
}

static void label(struct writer *writer, uint32_t id)
{
    put(writer, SpvOpLabel, &id, 1);
}

static void branch(struct writer *writer, uint32_t to)
{
    put(writer, SpvOpBranch, &to, 1);
}

/* Ends the block by a selection, and begins the block of what is done where `condition` holds. */
static void begin_if(struct writer *writer, uint32_t condition, uint32_t otherwise, uint32_t merge)
{
    const uint32_t then = ws_editor_id(writer->editor);
    put(writer, SpvOpSelectionMerge, (const uint32_t[]){merge, SpvSelectionControlMaskNone}, 2);
    put(writer, SpvOpBranchConditional, (const uint32_t[]){condition, then, otherwise}, 3);
    label(writer, then);
}

static void write_t(struct writer *writer, uint32_t which)
{
    const uint32_t t = ask(writer, SpvOpRayQueryGetIntersectionTKHR, writer->f32, which);
    store(writer, T, get(writer, SpvOpBitcast, writer->u32, &t, 1));
}

/* What both kinds of geometry have. */
static void write_indices(struct writer *writer, uint32_t which)
{
    static const struct {
        SpvOp opcode;
        uint32_t word;
    } indices[] = {
        {SpvOpRayQueryGetIntersectionInstanceIdKHR, INSTANCE},
        {SpvOpRayQueryGetIntersectionInstanceCustomIndexKHR, CUSTOM},
        {SpvOpRayQueryGetIntersectionGeometryIndexKHR, GEOMETRY},
        {SpvOpRayQueryGetIntersectionPrimitiveIndexKHR, PRIMITIVE},
    };
    for (uint32_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++)
        store(writer, indices[i].word, ask(writer, indices[i].opcode, writer->u32, which));
}

static void write_triangle(struct writer *writer, uint32_t which)
{
    const uint32_t vector =
        ws_global_find(writer->editor, SpvOpTypeVector, 0, (const uint32_t[]){writer->f32, 2}, 2);
    const uint32_t barycentrics = ask(writer, SpvOpRayQueryGetIntersectionBarycentricsKHR, vector, which);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t component =
            get(writer, SpvOpCompositeExtract, writer->f32, (const uint32_t[]){barycentrics, i}, 2);
        store(writer, BARYCENTRICS + i, get(writer, SpvOpBitcast, writer->u32, &component, 1));
    }
    set_state(writer, ask(writer, SpvOpRayQueryGetIntersectionFrontFaceKHR, writer->boolean, which),
              WS_QUERY_FRONT);
}

/* The candidate: a triangle (0), with its distance; or an AABB, which has none yet. */
static void write_candidate(struct writer *writer)
{
    const uint32_t aabb = ws_editor_id(writer->editor);
    const uint32_t merge = ws_editor_id(writer->editor);
    const uint32_t type = ask(writer, SpvOpRayQueryGetIntersectionTypeKHR, writer->u32, 0);
    const uint32_t proceeded = constant(writer, WS_QUERY_PROCEEDED);
    store(writer, STATE, get(writer, SpvOpBitwiseOr, writer->u32, (const uint32_t[]){type, proceeded}, 2));
    write_indices(writer, 0);
    begin_if(writer, equals(writer, type, 0), aabb, merge);
    write_t(writer, 0);
    write_triangle(writer, 0);
    branch(writer, merge);
    label(writer, aabb);
    set_state(
        writer,
        get(writer, SpvOpRayQueryGetIntersectionCandidateAABBOpaqueKHR, writer->boolean, &writer->query, 1),
        WS_QUERY_OPAQUE);
    branch(writer, merge);
    label(writer, merge);
}

/* What is committed: nothing (0), a triangle (1), or what was generated (2). */
static void write_committed(struct writer *writer)
{
    const uint32_t merge = ws_editor_id(writer->editor);
    const uint32_t hit_merge = ws_editor_id(writer->editor);
    const uint32_t type = ask(writer, SpvOpRayQueryGetIntersectionTypeKHR, writer->u32, 1);
    store(writer, STATE, type);
    const uint32_t none = equals(writer, type, 0);
    begin_if(writer, get(writer, SpvOpLogicalNot, writer->boolean, &none, 1), merge, merge);
    write_t(writer, 1);
    write_indices(writer, 1);
    begin_if(writer, equals(writer, type, 1), hit_merge, hit_merge);
    write_triangle(writer, 1);
    branch(writer, hit_merge);
    label(writer, hit_merge);
    branch(writer, merge);
    label(writer, merge);
}

/* OpFunction, its parameters, its first label and its variables. `parameters` are their types; their ids come
 * there. */
static uint32_t write_head(struct writer *writer, uint32_t result, uint32_t *parameters, uint32_t count)
{
    uint32_t types[3 + INDICES_MAX] = {result};
    for (uint32_t i = 0; i < count; i++)
        types[1 + i] = parameters[i];
    const uint32_t type = ws_global_find(writer->editor, SpvOpTypeFunction, 0, types, 1 + count);
    const uint32_t zero = constant(writer, 0);
    const uint32_t pointer = ws_global_find(writer->editor, SpvOpTypePointer, 0,
                                            (const uint32_t[]){SpvStorageClassFunction, writer->u32}, 2);
    const uint32_t function =
        get(writer, SpvOpFunction, result, (const uint32_t[]){SpvFunctionControlMaskNone, type}, 2);
    for (uint32_t i = 0; i < count; i++)
        parameters[i] = get(writer, SpvOpFunctionParameter, parameters[i], NULL, 0);
    label(writer, ws_editor_id(writer->editor));
    for (uint32_t i = 0; i < WS_QUERY_WORDS; i++) {
        writer->variables[i] =
            get(writer, SpvOpVariable, pointer, (const uint32_t[]){SpvStorageClassFunction, zero}, 2);
    }
    return function;
}

static void write_end(struct writer *writer, uint32_t result)
{
    uint32_t operands[2 + WS_QUERY_WORDS];
    for (uint32_t i = 0; i < WS_QUERY_WORDS; i++)
        operands[2 + i] = get(writer, SpvOpLoad, writer->u32, &writer->variables[i], 1);
    operands[0] = result;
    operands[1] = ws_editor_id(writer->editor);
    put(writer, SpvOpCompositeConstruct, operands, 2 + WS_QUERY_WORDS);
    put(writer, SpvOpReturnValue, &operands[1], 1);
    put(writer, SpvOpFunctionEnd, NULL, 0);
}

static bool is_hit_object_type(uint16_t opcode)
{
    return opcode == SpvOpTypeHitObjectNV || opcode == WS_OP_TYPE_HIT_OBJECT_EXT;
}

/* Whether the pointer leads, through arrays, to a hit object of EXT; of any, to a hit object at all. */
static bool leads_to_hit_object(const struct ws_module *module, uint32_t pointer, bool *ext)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    const struct ws_instruction *type = definition != NULL && definition->opcode == SpvOpTypePointer
                                            ? ws_module_definition(module, ws_operand(module, definition, 2))
                                            : NULL;
    for (uint32_t i = 0; type != NULL && type->opcode == SpvOpTypeArray && i < INDICES_MAX; i++)
        type = ws_module_definition(module, ws_operand(module, type, 1));
    *ext = type != NULL && type->opcode == WS_OP_TYPE_HIT_OBJECT_EXT;
    return type != NULL && is_hit_object_type(type->opcode);
}

/* The type of the pointer to the query that the indices lead to from the base; 0 where they lead elsewhere.
 */
static uint32_t query_pointer(struct ws_editor *editor, const struct query *query)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *pointer = ws_module_definition(module, query->pointer);
    if (pointer == NULL || pointer->opcode != SpvOpTypePointer)
        return 0;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, pointer, 2));
    for (uint32_t i = 0; i < query->index_count && type != NULL; i++) {
        type =
            type->opcode == SpvOpTypeArray ? ws_module_definition(module, ws_operand(module, type, 1)) : NULL;
    }
    if (type == NULL || (type->opcode != SpvOpTypeRayQueryKHR && !is_hit_object_type(type->opcode)))
        return 0;
    const uint32_t operands[] = {ws_operand(module, pointer, 1), ws_operand(module, type, 0)};
    return ws_global_find(editor, SpvOpTypePointer, 0, operands, 2);
}

/* Puts the pointer to what the indices lead to from the base into the writer; `parameters`: the base, then the indices. */
static void write_chain(struct writer *writer, const struct query *query, uint32_t pointer, uint32_t base,
                        const uint32_t *indices)
{
    writer->query = base;
    if (query->index_count == 0)
        return;
    uint32_t operands[3 + INDICES_MAX] = {pointer, ws_editor_id(writer->editor), base};
    for (uint32_t i = 0; i < query->index_count; i++)
        operands[3 + i] = indices[i];
    writer->query = operands[1];
    put(writer, SpvOpAccessChain, operands, 3 + query->index_count);
}

static void init_writer(struct writer *writer, struct ws_editor *editor)
{
    *writer = (struct writer){.editor = editor, .u32 = ws_type_u32(editor)};
    writer->boolean = ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0);
    writer->f32 = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
}

static uint32_t write_query_reader(struct ws_editor *editor, const struct query *query, uint32_t pointer,
                                   uint32_t result)
{
    struct writer writer;
    init_writer(&writer, editor);
    uint32_t parameters[2 + INDICES_MAX] = {query->pointer, writer.boolean};
    for (uint32_t i = 0; i < query->index_count; i++)
        parameters[2 + i] = writer.u32;
    const uint32_t function = write_head(&writer, result, parameters, 2 + query->index_count);
    write_chain(&writer, query, pointer, parameters[0], parameters + 2);
    const uint32_t committed = ws_editor_id(editor);
    const uint32_t merge = ws_editor_id(editor);
    begin_if(&writer, parameters[1], committed, merge);
    write_candidate(&writer);
    branch(&writer, merge);
    label(&writer, committed);
    write_committed(&writer);
    branch(&writer, merge);
    label(&writer, merge);
    write_end(&writer, result);
    return editor->failed ? 0 : function;
}

/* The words of a hit object, as members of what is returned: those of a query up to the primitive, then the hit kind. */
enum { HIT_KIND = BARYCENTRICS };

/* What is asked of a hit object: of NV, and of EXT. */
static const uint16_t is_hit_opcodes[] = {SpvOpHitObjectIsHitNV, WS_OP_HIT_OBJECT_IS_HIT_EXT};
static const uint16_t t_opcodes[] = {SpvOpHitObjectGetRayTMaxNV, WS_OP_HIT_OBJECT_GET_RAY_TMAX_EXT};
static const struct {
    uint16_t opcodes[2];
    uint32_t word;
} object_words[] = {
    {{SpvOpHitObjectGetInstanceIdNV, WS_OP_HIT_OBJECT_GET_INSTANCE_ID_EXT}, INSTANCE},
    {{SpvOpHitObjectGetInstanceCustomIndexNV, WS_OP_HIT_OBJECT_GET_CUSTOM_INDEX_EXT}, CUSTOM},
    {{SpvOpHitObjectGetGeometryIndexNV, WS_OP_HIT_OBJECT_GET_GEOMETRY_INDEX_EXT}, GEOMETRY},
    {{SpvOpHitObjectGetPrimitiveIndexNV, WS_OP_HIT_OBJECT_GET_PRIMITIVE_INDEX_EXT}, PRIMITIVE},
    {{SpvOpHitObjectGetHitKindNV, WS_OP_HIT_OBJECT_GET_HIT_KIND_EXT}, HIT_KIND},
};

/* Only a hit has what is asked here (SPV_NV_shader_invocation_reorder: of others it is undefined). */
static uint32_t write_object_reader(struct ws_editor *editor, const struct query *query, uint32_t pointer,
                                    uint32_t result, bool ext)
{
    struct writer writer;
    init_writer(&writer, editor);
    uint32_t parameters[1 + INDICES_MAX] = {query->pointer};
    for (uint32_t i = 0; i < query->index_count; i++)
        parameters[1 + i] = writer.u32;
    const uint32_t function = write_head(&writer, result, parameters, 1 + query->index_count);
    write_chain(&writer, query, pointer, parameters[0], parameters + 1);
    const uint32_t merge = ws_editor_id(editor);
    begin_if(&writer, get(&writer, (SpvOp)is_hit_opcodes[ext], writer.boolean, &writer.query, 1), merge,
             merge);
    store(&writer, STATE, constant(&writer, 1));
    const uint32_t t = get(&writer, (SpvOp)t_opcodes[ext], writer.f32, &writer.query, 1);
    store(&writer, T, get(&writer, SpvOpBitcast, writer.u32, &t, 1));
    for (uint32_t i = 0; i < sizeof(object_words) / sizeof(object_words[0]); i++)
        store(&writer, object_words[i].word,
              get(&writer, (SpvOp)object_words[i].opcodes[ext], writer.u32, &writer.query, 1));
    branch(&writer, merge);
    label(&writer, merge);
    write_end(&writer, result);
    return editor->failed ? 0 : function;
}

static uint32_t write_reader(struct ws_editor *editor, const struct query *query, uint32_t pointer,
                             uint32_t result)
{
    bool ext = false;
    return leads_to_hit_object(editor->module, query->pointer, &ext)
               ? write_object_reader(editor, query, pointer, result, ext)
               : write_query_reader(editor, query, pointer, result);
}

/* The type that they return. */
static uint32_t result_type(struct ws_runner *runner)
{
    uint32_t members[WS_QUERY_WORDS];
    if (runner->queries->result == 0) {
        for (uint32_t i = 0; i < WS_QUERY_WORDS; i++)
            members[i] = ws_type_u32(runner->editor);
        runner->queries->result = ws_global_add(runner->editor, SpvOpTypeStruct, 0, members, WS_QUERY_WORDS);
    }
    return runner->queries->result;
}

/* Id of the function that reads a query after a step, or a hit object after a trace, and its result's type. Its arguments:
 * the base, of a query whether there is a candidate (bool), the indices (32-bit unsigned); what it returns has
 * WS_QUERY_WORDS members. 0 where there can be none. */
static uint32_t get_reader(struct ws_runner *runner, const struct query *query, uint32_t *result)
{
    struct ws_ray_queries *queries = get_queries(runner);
    if (queries == NULL || query->base == WS_NONE)
        return 0;
    const uint32_t pointer = query_pointer(runner->editor, query);
    *result = result_type(runner);
    for (struct reader *reader = queries->readers; reader != NULL; reader = reader->next)
        if (reader->pointer == query->pointer && reader->index_count == query->index_count)
            return reader->function;
    struct reader *reader = ws_arena_allocate(runner->module->arena, 1, sizeof(*reader));
    if (pointer == 0 || reader == NULL)
        return 0;
    *reader = (struct reader){query->pointer, query->index_count,
                              write_reader(runner->editor, query, pointer, *result), queries->readers};
    queries->readers = reader;
    return reader->function;
}

bool ws_visit_query_words(struct ws_visit *visit, uint32_t words[WS_QUERY_WORDS])
{
    struct ws_runner *runner = visit->runner;
    uint32_t arguments[3 + INDICES_MAX];
    uint32_t result = 0;
    struct query query;
    if (visit->place != WS_PLACE_AFTER || ws_visit_opcode(visit) != SpvOpRayQueryProceedKHR)
        return false;
    find_query(runner->module, ws_visit_operand(visit, 2), &query);
    arguments[1] = query.base;
    arguments[2] = ws_visit_operand(visit, 1); /* whether it proceeded to a candidate */
    for (uint32_t i = 0; i < query.index_count && query.base != WS_NONE; i++)
        if (ws_visit_words(visit, query.indices[i], &arguments[3 + i], 1) != 1)
            return false;
    arguments[0] = get_reader(runner, &query, &result);
    if (arguments[0] == 0)
        return false;
    const uint32_t value =
        ws_emit(runner->editor, visit->cursor, SpvOpFunctionCall, result, arguments, 3 + query.index_count);
    for (uint32_t i = 0; i < WS_QUERY_WORDS; i++) {
        words[i] = ws_emit(runner->editor, visit->cursor, SpvOpCompositeExtract, ws_type_u32(runner->editor),
                           (const uint32_t[]){value, i}, 2);
    }
    return !runner->editor->failed;
}

bool ws_visit_hit_object_words(struct ws_visit *visit, uint32_t words[WS_HIT_OBJECT_WORDS])
{
    struct ws_runner *runner = visit->runner;
    uint32_t arguments[2 + INDICES_MAX];
    uint32_t result = 0;
    bool ext = false;
    struct query query;
    if (visit->place != WS_PLACE_AFTER)
        return false;
    find_query(runner->module, ws_visit_operand(visit, 0), &query);
    if (query.base == WS_NONE || !leads_to_hit_object(runner->module, query.pointer, &ext))
        return false;
    arguments[1] = query.base;
    for (uint32_t i = 0; i < query.index_count; i++)
        if (ws_visit_words(visit, query.indices[i], &arguments[2 + i], 1) != 1)
            return false;
    arguments[0] = get_reader(runner, &query, &result);
    if (arguments[0] == 0)
        return false;
    const uint32_t value =
        ws_emit(runner->editor, visit->cursor, SpvOpFunctionCall, result, arguments, 2 + query.index_count);
    for (uint32_t i = 0; i < WS_HIT_OBJECT_WORDS; i++)
        words[i] = ws_emit(runner->editor, visit->cursor, SpvOpCompositeExtract, ws_type_u32(runner->editor),
                           (const uint32_t[]){value, i}, 2);
    return !runner->editor->failed;
}
