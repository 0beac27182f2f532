#include "passes/instrument/shadows.h"

#include <spirv/unified1/spirv.h>

#include "passes/link/link.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/pointers.h"

#define DEPTH_MAX 32 /* of types in each other, and of access chains */

struct ws_shadows {
    struct ws_editor *editor;
    const struct ws_module *module;
    struct ws_layouts *layouts;
    struct ws_pointers *pointers;
    uint32_t *ids;   /* per value: its shadow; 0 = none was asked for */
    uint32_t *types; /* per type that holds pointers: that of shadows; 0 = not there yet */
    uint32_t *
        variables; /* per variable, parameter or function: the Private variable beside it; 0 = not there yet */
    uint32_t *waiting; /* values whose shadows have ids and no code yet */
    uint32_t waiting_count;
    uint32_t waiting_capacity;
    uint32_t pair; /* type of a vector of two words */
    /* The code that is being written for one place, instruction by instruction. */
    struct ws_words code;
    uint32_t starts[2 * WS_ACCESS_TERMS_MAX + 16];
    uint32_t start_count;
};

struct ws_shadows *ws_shadows_create(struct ws_editor *editor, struct ws_layouts *layouts)
{
    const struct ws_module *module = editor->module;
    struct ws_shadows *shadows = ws_arena_allocate(module->arena, 1, sizeof(*shadows));
    if (shadows == NULL)
        return NULL;
    shadows->editor = editor;
    shadows->module = module;
    shadows->layouts = layouts;
    shadows->pointers = ws_access_pointers(layouts);
    shadows->ids = ws_arena_allocate(module->arena, module->bound, sizeof(*shadows->ids));
    shadows->types = ws_arena_allocate(module->arena, module->bound, sizeof(*shadows->types));
    shadows->variables = ws_arena_allocate(module->arena, module->bound, sizeof(*shadows->variables));
    shadows->pair = ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){ws_type_u32(editor), 2}, 2);
    return shadows->pointers != NULL && shadows->ids != NULL && shadows->types != NULL &&
                   shadows->variables != NULL
               ? shadows
               : NULL;
}

static uint32_t give_id(struct ws_shadows *shadows, uint32_t value);

/* ---- code of one place ---- */

static void begin_code(struct ws_shadows *shadows)
{
    shadows->code.count = 0;
    shadows->start_count = 0;
}

/* Begins an instruction: its operands follow by `word`. */
static void add(struct ws_shadows *shadows, SpvOp opcode)
{
    if (shadows->start_count == sizeof(shadows->starts) / sizeof(shadows->starts[0])) {
        ws_editor_fail(shadows->editor, "the shadow of a pointer is too long");
        return;
    }
    shadows->starts[shadows->start_count++] = shadows->code.count;
    ws_words_add(shadows->editor, &shadows->code, (uint32_t)opcode);
}

static void word(struct ws_shadows *shadows, uint32_t operand)
{
    ws_words_add(shadows->editor, &shadows->code, operand);
}

/* Begins an instruction with a result; the result. */
static uint32_t add_result(struct ws_shadows *shadows, SpvOp opcode, uint32_t type)
{
    const uint32_t id = ws_editor_id(shadows->editor);
    add(shadows, opcode);
    word(shadows, type);
    word(shadows, id);
    return id;
}

static uint32_t add_two(struct ws_shadows *shadows, SpvOp opcode, uint32_t type, uint32_t left,
                        uint32_t right)
{
    const uint32_t id = add_result(shadows, opcode, type);
    word(shadows, left);
    word(shadows, right);
    return id;
}

/* One instruction of the code, as the editor wants it. */
static const uint32_t *operands_of(const struct ws_shadows *shadows, uint32_t index, uint16_t *opcode,
                                   uint32_t *count)
{
    const uint32_t start = shadows->starts[index];
    const uint32_t end = index + 1 < shadows->start_count ? shadows->starts[index + 1] : shadows->code.count;
    *opcode = (uint16_t)shadows->code.data[start];
    *count = end - start - 1;
    return shadows->code.data + start + 1;
}

/* Puts the code behind an instruction, before all else that was put there. */
static void put_behind(struct ws_shadows *shadows, uint32_t instruction)
{
    for (uint32_t i = shadows->start_count; i-- > 0 && !shadows->editor->failed;) {
        uint16_t opcode = 0;
        uint32_t count = 0;
        const uint32_t *operands = operands_of(shadows, i, &opcode, &count);
        ws_editor_insert_first(shadows->editor, instruction, opcode, operands, count);
    }
}

/* Puts the code before or behind an instruction, behind all else that was put there. */
static void put_last(struct ws_shadows *shadows, uint32_t instruction, bool after)
{
    for (uint32_t i = 0; i < shadows->start_count && !shadows->editor->failed; i++) {
        uint16_t opcode = 0;
        uint32_t count = 0;
        const uint32_t *operands = operands_of(shadows, i, &opcode, &count);
        ws_editor_insert(shadows->editor, instruction, after, opcode, operands, count);
    }
}

/* ---- types and variables ---- */

static uint32_t shadow_type(struct ws_shadows *shadows, uint32_t type, uint32_t depth);

static uint32_t struct_type(struct ws_shadows *shadows, const struct ws_instruction *definition,
                            uint32_t depth)
{
    struct ws_words members = {0};
    for (uint32_t i = 1; i + 1u < definition->length; i++)
        ws_words_add(shadows->editor, &members,
                     shadow_type(shadows, ws_operand(shadows->module, definition, i), depth));
    return ws_global_add(shadows->editor, SpvOpTypeStruct, 0, members.data, members.count);
}

/* The type of shadows of values of a type; a word where it holds no pointers. */
static uint32_t shadow_type(struct ws_shadows *shadows, uint32_t type, uint32_t depth)
{
    const struct ws_instruction *definition = ws_module_definition(shadows->module, type);
    if (definition == NULL || depth == DEPTH_MAX || !ws_pointers_in_type(shadows->pointers, type))
        return ws_type_u32(shadows->editor);
    if (shadows->types[type] != 0)
        return shadows->types[type];
    uint32_t made = shadows->pair;
    if (definition->opcode == SpvOpTypeStruct)
        made = struct_type(shadows, definition, depth + 1);
    else if (definition->opcode == SpvOpTypeArray)
        made = ws_global_find(
            shadows->editor, SpvOpTypeArray, 0,
            (uint32_t[]){shadow_type(shadows, ws_operand(shadows->module, definition, 1), depth + 1),
                         ws_operand(shadows->module, definition, 2)},
            2);
    shadows->types[type] = made;
    return made;
}

/* The type of a value; 0 = it has none. */
static uint32_t type_id_of(const struct ws_shadows *shadows, uint32_t value)
{
    const struct ws_instruction *definition = ws_module_definition(shadows->module, value);
    bool has_type = false;
    bool has_result = false;
    if (definition != NULL)
        ws_opcode_results(definition->opcode, &has_type, &has_result);
    return has_type ? ws_operand(shadows->module, definition, 0) : 0;
}

static bool holds(struct ws_shadows *shadows, uint32_t value)
{
    return ws_pointers_in_type(shadows->pointers, type_id_of(shadows, value));
}

/* What a pointer's type points to; 0 = it is none. */
static uint32_t pointee_of(const struct ws_shadows *shadows, uint32_t pointer)
{
    const struct ws_instruction *type = ws_module_definition(shadows->module, type_id_of(shadows, pointer));
    return type != NULL && type->opcode == SpvOpTypePointer ? ws_operand(shadows->module, type, 2) : 0;
}

/* The function that an instruction stands in. NULL, and the editor failed, where that is none with code. */
static const struct ws_function *function_at(struct ws_shadows *shadows, uint32_t instruction)
{
    const struct ws_module *module = shadows->module;
    const uint32_t function = ws_module_function(module, instruction);
    if (function != WS_NONE && module->functions[function].block_count > 0)
        return &module->functions[function];
    ws_editor_fail(shadows->editor, "a pointer comes from a function without code");
    return NULL;
}

/* Adds a store of a value's shadow to a Private variable. */
static void add_store(struct ws_shadows *shadows, uint32_t pointer, uint32_t shadow)
{
    add(shadows, SpvOpStore);
    word(shadows, pointer);
    word(shadows, shadow);
}

static uint32_t private_pointer(struct ws_shadows *shadows, uint32_t type)
{
    return ws_global_find(shadows->editor, SpvOpTypePointer, 0, (uint32_t[]){SpvStorageClassPrivate, type},
                          2);
}

/* A Private variable beside a parameter, function or variable, for shadows of values of a type of the module. */
static uint32_t make_variable(struct ws_shadows *shadows, uint32_t beside, uint32_t type)
{
    shadows->variables[beside] =
        ws_link_private(shadows->editor, private_pointer(shadows, shadow_type(shadows, type, 0)), 0);
    return shadows->variables[beside];
}

/* The part of a Private variable beside a pointer into the variable that it is beside. */
static uint32_t add_chain(struct ws_shadows *shadows, uint32_t variable, uint32_t pointer)
{
    const struct ws_module *module = shadows->module;
    const struct ws_instruction *chains[DEPTH_MAX];
    uint32_t count = 0;
    uint32_t index_count = 0;
    const struct ws_instruction *at = ws_module_definition(module, pointer);
    for (; at != NULL && at->opcode != SpvOpVariable && count < DEPTH_MAX;
         at = ws_module_definition(module, ws_operand(module, at, 2))) {
        index_count += at->length > 4 ? at->length - 4u : 0;
        chains[count++] = at;
    }
    if (index_count == 0)
        return variable;
    const uint32_t part = shadow_type(shadows, pointee_of(shadows, pointer), 0);
    const uint32_t id = add_result(shadows, SpvOpAccessChain, private_pointer(shadows, part));
    word(shadows, variable);
    while (count-- > 0)
        for (uint32_t i = 3; i + 1u < chains[count]->length; i++)
            word(shadows, ws_operand(module, chains[count], i));
    return id;
}

/* The Private variable beside a variable that holds pointers. What is stored to it is stored there too. */
static uint32_t beside_holder(struct ws_shadows *shadows, uint32_t holder)
{
    const struct ws_module *module = shadows->module;
    if (shadows->variables[holder] != 0)
        return shadows->variables[holder];
    const uint32_t variable = make_variable(shadows, holder, pointee_of(shadows, holder));
    for (uint32_t i = module->functions[0].first; i < module->instruction_count && variable != 0; i++) {
        const struct ws_instruction *store = &module->instructions[i];
        const uint32_t value = ws_operand(module, store, 1);
        if (store->opcode != SpvOpStore || !holds(shadows, value) ||
            ws_pointers_holder(module, ws_operand(module, store, 0)) != holder)
            continue;
        const uint32_t shadow = give_id(shadows, value);
        begin_code(shadows);
        add_store(shadows, add_chain(shadows, variable, ws_operand(module, store, 0)), shadow);
        put_behind(shadows, i);
    }
    return variable;
}

/* The Private variable beside parameter `parameter` of a function, stored to before each call. */
static uint32_t beside_parameter(struct ws_shadows *shadows, uint32_t parameter)
{
    const struct ws_module *module = shadows->module;
    if (shadows->variables[parameter] != 0)
        return shadows->variables[parameter];
    const uint32_t variable = make_variable(shadows, parameter, type_id_of(shadows, parameter));
    const uint32_t at = module->definitions[parameter];
    const struct ws_function *function = function_at(shadows, at);
    uint32_t index = 0;
    if (function == NULL)
        return 0;
    for (uint32_t i = function->first; i < at; i++)
        index += module->instructions[i].opcode == SpvOpFunctionParameter;
    for (uint32_t i = module->functions[0].first; i < module->instruction_count && variable != 0; i++) {
        const struct ws_instruction *call = &module->instructions[i];
        if (call->opcode != SpvOpFunctionCall || ws_operand(module, call, 2) != function->id ||
            call->length <= 4 + index)
            continue;
        const uint32_t shadow = give_id(shadows, ws_operand(module, call, 3 + index));
        begin_code(shadows);
        add_store(shadows, variable, shadow);
        put_last(shadows, i, false);
    }
    return variable;
}

/* The Private variable beside what a function returns, stored to before each return. */
static uint32_t beside_function(struct ws_shadows *shadows, uint32_t callee)
{
    const struct ws_module *module = shadows->module;
    if (callee >= module->bound)
        return 0;
    if (shadows->variables[callee] != 0)
        return shadows->variables[callee];
    const uint32_t variable = make_variable(shadows, callee, type_id_of(shadows, callee));
    const struct ws_function *function = ws_module_definition(module, callee) != NULL
                                             ? function_at(shadows, module->definitions[callee])
                                             : NULL;
    if (function == NULL)
        return 0;
    for (uint32_t i = function->first; i < function->end && variable != 0; i++) {
        if (module->instructions[i].opcode != SpvOpReturnValue)
            continue;
        const uint32_t shadow = give_id(shadows, ws_operand(module, &module->instructions[i], 0));
        begin_code(shadows);
        add_store(shadows, variable, shadow);
        put_last(shadows, i, false);
    }
    return variable;
}

/* ---- values ---- */

/* An index as a word. */
static uint32_t add_index(struct ws_shadows *shadows, uint32_t index)
{
    const struct ws_module *module = shadows->module;
    const struct ws_instruction *type = ws_module_definition(module, type_id_of(shadows, index));
    if (type == NULL || type->opcode != SpvOpTypeInt) {
        ws_editor_fail(shadows->editor, "an index of an access chain is no integer");
        return 0;
    }
    if (ws_operand(module, type, 1) == 32)
        return index;
    const uint32_t id = add_result(shadows, ws_operand(module, type, 2) == 0 ? SpvOpUConvert : SpvOpSConvert,
                                   ws_type_u32(shadows->editor));
    word(shadows, index);
    return id;
}

/* The place of a pointer that an access chain makes from a variable, or from the pointer with shadow `base`. */
static uint32_t add_place(struct ws_shadows *shadows, const struct ws_access *access, uint32_t base)
{
    struct ws_editor *editor = shadows->editor;
    const uint32_t u32 = ws_type_u32(editor);
    if (base != 0)
        return add_two(shadows, SpvOpCompositeExtract, u32, base, 1);
    const uint32_t place = ws_pointers_place(shadows->pointers, access->variable);
    if (access->descriptor_id == 0)
        return ws_constant_u32(editor, place | (access->descriptor & WS_PLACE_ELEMENT_MASK));
    const uint32_t element = add_two(shadows, SpvOpBitwiseAnd, u32, add_index(shadows, access->descriptor_id),
                                     ws_constant_u32(editor, WS_PLACE_ELEMENT_MASK));
    return add_two(shadows, SpvOpBitwiseOr, u32, element, ws_constant_u32(editor, place));
}

/* Adds the shadow of a pointer that an access chain makes. */
static void add_pointer(struct ws_shadows *shadows, uint32_t pointer, uint32_t shadow)
{
    struct ws_editor *editor = shadows->editor;
    const uint32_t u32 = ws_type_u32(editor);
    struct ws_access access;
    const char *reason = NULL;
    if (!ws_access_follow(shadows->layouts, pointer, &access, &reason)) {
        ws_editor_fail(editor, "a pointer has no shadow: %s", reason);
        return;
    }
    const uint32_t base = access.base != 0 ? give_id(shadows, access.base) : 0;
    begin_code(shadows);
    uint32_t offset = ws_constant_u32(editor, (uint32_t)access.offset);
    if (base != 0)
        offset =
            add_two(shadows, SpvOpIAdd, u32, add_two(shadows, SpvOpCompositeExtract, u32, base, 0), offset);
    for (uint32_t i = 0; i < access.term_count; i++) {
        const uint32_t index = add_index(shadows, access.terms[i].id);
        const uint32_t bytes =
            add_two(shadows, SpvOpIMul, u32, index, ws_constant_u32(editor, access.terms[i].scale));
        offset = add_two(shadows, SpvOpIAdd, u32, offset, bytes);
    }
    const uint32_t place = add_place(shadows, &access, base);
    add(shadows, SpvOpCompositeConstruct);
    word(shadows, shadows->pair);
    word(shadows, shadow);
    word(shadows, offset);
    word(shadows, place);
}

/* Adds a select: before SPIR-V 1.4 one of vectors chooses by a vector. */
static void add_select(struct ws_shadows *shadows, const struct ws_instruction *select, uint32_t type,
                       uint32_t shadow)
{
    const struct ws_module *module = shadows->module;
    const uint32_t yes = give_id(shadows, ws_operand(module, select, 3));
    const uint32_t no = give_id(shadows, ws_operand(module, select, 4));
    uint32_t condition = ws_operand(module, select, 2);
    begin_code(shadows);
    if (type == shadows->pair) {
        const uint32_t boolean = ws_global_find(shadows->editor, SpvOpTypeBool, 0, NULL, 0);
        const uint32_t both =
            ws_global_find(shadows->editor, SpvOpTypeVector, 0, (uint32_t[]){boolean, 2}, 2);
        condition = add_two(shadows, SpvOpCompositeConstruct, both, condition, condition);
    }
    add(shadows, SpvOpSelect);
    word(shadows, type);
    word(shadows, shadow);
    word(shadows, condition);
    word(shadows, yes);
    word(shadows, no);
}

/* Adds an instruction with the opcode of the original and the shadows of its operands; those of literals and labels stay. */
static void add_same(struct ws_shadows *shadows, const struct ws_instruction *original, uint32_t type,
                     uint32_t shadow)
{
    const struct ws_module *module = shadows->module;
    const bool is_phi = original->opcode == SpvOpPhi;
    const uint32_t values = original->opcode == SpvOpCompositeExtract  ? 3
                            : original->opcode == SpvOpCompositeInsert ? 4
                                                                       : UINT32_MAX;
    struct ws_words operands = {0};
    for (uint32_t i = 2; i + 1u < original->length; i++) {
        const uint32_t operand = ws_operand(module, original, i);
        const bool stays = i >= values || (is_phi && i % 2 == 1);
        ws_words_add(shadows->editor, &operands,
                     stays                     ? operand
                     : holds(shadows, operand) ? give_id(shadows, operand)
                                               : ws_constant_u32(shadows->editor, 0));
    }
    begin_code(shadows);
    add(shadows, (SpvOp)original->opcode);
    word(shadows, type);
    word(shadows, shadow);
    for (uint32_t i = 0; i < operands.count; i++)
        word(shadows, operands.data[i]);
}

static void add_copy(struct ws_shadows *shadows, SpvOp opcode, uint32_t type, uint32_t shadow, uint32_t from)
{
    add(shadows, opcode);
    word(shadows, type);
    word(shadows, shadow);
    word(shadows, from);
}

/* Adds a load from a Private variable. `pointer`: into the variable that it is beside; 0 = of all. */
static void add_load(struct ws_shadows *shadows, uint32_t variable, uint32_t pointer, uint32_t type,
                     uint32_t shadow)
{
    begin_code(shadows);
    const uint32_t from = pointer != 0 ? add_chain(shadows, variable, pointer) : variable;
    add_copy(shadows, SpvOpLoad, type, shadow, from);
}

/* Puts the load of a parameter's shadow behind the head of its function. */
static void put_at_begin(struct ws_shadows *shadows, uint32_t parameter)
{
    const struct ws_function *function = function_at(shadows, shadows->module->definitions[parameter]);
    if (function != NULL)
        put_last(shadows, ws_cursor_block_start(shadows->module, function->block_first).instruction - 1,
                 true);
}

/* Writes the code of a shadow that has its id. */
static void write(struct ws_shadows *shadows, uint32_t value)
{
    const struct ws_module *module = shadows->module;
    const struct ws_instruction *definition = ws_module_definition(module, value);
    const uint32_t shadow = shadows->ids[value];
    const uint32_t type = shadow_type(shadows, type_id_of(shadows, value), 0);
    const uint32_t from = ws_operand(module, definition, 2);
    if (type == shadows->pair && ws_pointers_is_followed(definition)) {
        add_pointer(shadows, value, shadow);
        put_behind(shadows, module->definitions[value]);
        return;
    }
    switch ((SpvOp)definition->opcode) {
    case SpvOpLoad: {
        const uint32_t holder = ws_pointers_holder(module, from);
        add_load(shadows, holder != 0 ? beside_holder(shadows, holder) : 0, from, type, shadow);
        break;
    }
    case SpvOpFunctionCall: add_load(shadows, beside_function(shadows, from), 0, type, shadow); break;
    case SpvOpFunctionParameter:
        add_load(shadows, beside_parameter(shadows, value), 0, type, shadow);
        put_at_begin(shadows, value);
        return;
    case SpvOpSelect: add_select(shadows, definition, type, shadow); break;
    case SpvOpCompositeInsert:
        if (!holds(shadows, from)) {
            const uint32_t whole = give_id(shadows, ws_operand(module, definition, 3));
            begin_code(shadows);
            add_copy(shadows, SpvOpCopyObject, type, shadow, whole);
            break;
        }
        add_same(shadows, definition, type, shadow);
        break;
    default: add_same(shadows, definition, type, shadow); break;
    }
    put_behind(shadows, module->definitions[value]);
}

/* The shadow of a value, whose code may not be there yet; 0 after a failure. */
static uint32_t give_id(struct ws_shadows *shadows, uint32_t value)
{
    struct ws_editor *editor = shadows->editor;
    const struct ws_instruction *definition = ws_module_definition(shadows->module, value);
    if (definition == NULL || editor->failed)
        return 0;
    if (shadows->ids[value] != 0)
        return shadows->ids[value];
    const uint32_t type = shadow_type(shadows, type_id_of(shadows, value), 0);
    uint32_t id = 0;
    switch (definition->opcode) {
    case SpvOpUndef:
    case SpvOpConstantNull:
    case SpvOpConstantComposite: id = ws_global_find(editor, SpvOpConstantNull, type, NULL, 0); break;
    case WS_OP_UNTYPED_VARIABLE_KHR:
    case SpvOpVariable: {
        const uint32_t place = ws_pointers_place(shadows->pointers, value);
        id = ws_global_find(editor, SpvOpConstantComposite, type,
                            (uint32_t[]){ws_constant_u32(editor, 0), ws_constant_u32(editor, place)}, 2);
        break;
    }
    default: {
        uint32_t *waiting = ws_arena_grow(shadows->module->arena, shadows->waiting, shadows->waiting_count,
                                          &shadows->waiting_capacity, sizeof(*waiting));
        if (waiting == NULL) {
            ws_editor_fail(editor, "no memory for the shadows of pointers");
            return 0;
        }
        shadows->waiting = waiting;
        waiting[shadows->waiting_count++] = value;
        id = ws_editor_id(editor);
    }
    }
    shadows->ids[value] = id;
    return id;
}

uint32_t ws_shadows_find(struct ws_shadows *shadows, uint32_t id)
{
    const uint32_t shadow = give_id(shadows, id);
    while (shadows->waiting_count > 0 && !shadows->editor->failed)
        write(shadows, shadows->waiting[--shadows->waiting_count]);
    return shadows->editor->failed ? 0 : shadow;
}
