#include "warpscope/spirv/access.h"

#include "passes/spirv/layouts.h"
#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"
#include "warpscope/spirv/pointers.h"
#include "warpscope/spirv/texels.h"

#define DEPTH_MAX   32 /* of pointers made of pointers */
#define INDICES_MAX 64 /* of one access: types stand in each other less deep */

static const char *const no_chain = "its pointer is made by an instruction that is not known";
static const char *const nowhere = "its pointer points to nothing";
static const char *const no_memory = "there is no memory to follow its pointer";
static const char *const too_many_variables = "its pointer is one of more buffers than are told apart";
static const char *const no_layout = "the layout of its type is not known";
static const char *const too_many_terms = "its address has more terms than are followed";
static const char *const too_large = "one lane touches more bytes at once than are followed";
static const char *const column = "a column of a row-major matrix is no run of bytes";
static const char *const sized = "a copy of a number of bytes that is not constant";

/* ---- pointers ---- */

/* Where a pointer has come to, from its variable on. */
struct place {
    struct ws_layouts *layouts;
    struct ws_access *access;
    uint32_t type;
    struct ws_lie lie;
    uint32_t step;        /* bytes between the components of a vector; 0 = they lie side by side */
    uint32_t index_count; /* followed so far */
    bool is_wide;         /* of a device address: an index is no number of 32 bits */
    const char *reason;
};

static const struct ws_instruction *type_of(const struct ws_module *module, uint32_t id)
{
    return ws_module_definition(module, ws_module_type_of(module, id));
}

/* Whether an index is a number of 32 bits, or a constant that is one sign-extended. */
static bool is_word(const struct ws_module *module, uint32_t index)
{
    const struct ws_instruction *type = type_of(module, index);
    const struct ws_instruction *value = ws_module_definition(module, index);
    if (type == NULL || type->opcode != SpvOpTypeInt || ws_operand(module, type, 1) == 32)
        return true;
    return value->opcode == SpvOpConstant && ws_operand(module, type, 1) == 64 &&
           ws_operand(module, value, 3) ==
               ((ws_operand(module, value, 2) & 0x80000000u) != 0 ? UINT32_MAX : 0);
}

/* Adds an index times `scale` bytes. */
static void add_index(struct place *place, uint32_t index, uint32_t scale)
{
    struct ws_access *access = place->access;
    uint32_t value = 0;
    if (access->memory == WS_MEMORY_ADDRESS && !is_word(place->layouts->module, index)) {
        place->is_wide = true;
        return;
    }
    if (ws_layouts_constant(place->layouts->module, index, &value)) {
        access->offset += (uint64_t)((int64_t)(int32_t)value * scale);
        return;
    }
    for (uint32_t i = 0; i < access->term_count; i++) {
        if (access->terms[i].id == index) {
            access->terms[i].scale += scale;
            return;
        }
    }
    if (access->term_count == WS_ACCESS_TERMS_MAX)
        place->reason = too_many_terms;
    else
        access->terms[access->term_count++] = (struct ws_access_term){index, scale};
}

static void enter_struct(struct place *place, uint32_t index)
{
    uint32_t member = 0;
    uint32_t offset = 0;
    const struct ws_instruction *type = ws_module_definition(place->layouts->module, place->type);
    if (!ws_layouts_constant(place->layouts->module, index, &member) || member + 2u >= type->length ||
        !ws_layouts_member_offset(place->layouts, place->type, member, place->lie.is_natural, &offset)) {
        place->reason = no_layout;
        return;
    }
    place->access->offset += offset;
    place->lie = ws_layouts_member(place->layouts, place->type, member, place->lie.is_natural);
    place->type = ws_operand(place->layouts->module, type, 1 + member);
}

/* A column of a matrix: of a row-major one its components lie a row apart. */
static void enter_matrix(struct place *place, uint32_t index, uint32_t vector)
{
    struct ws_extent extent = {0};
    const bool is_known = ws_layouts_extent(place->layouts, vector, place->lie, 0, &extent);
    const uint32_t stride = is_known ? ws_layouts_matrix_stride(place->lie, &extent) : 0;
    if (stride == 0) {
        place->reason = no_layout;
        return;
    }
    add_index(place, index, place->lie.row_major ? extent.unit : stride);
    place->step = place->lie.row_major ? stride : 0;
    place->type = vector;
}

/* An element of an array, or a component of a vector. */
static void enter_element(struct place *place, uint32_t index, const struct ws_instruction *type,
                          uint32_t part)
{
    struct ws_extent extent = {0};
    uint32_t scale = 0;
    if (ws_layouts_extent(place->layouts, part, place->lie, 0, &extent)) {
        scale = place->step != 0 ? place->step : extent.size;
        if (type->opcode != SpvOpTypeVector)
            scale = ws_layouts_stride(place->layouts, place->type, place->lie, &extent);
    }
    if (scale == 0) {
        place->reason = no_layout;
        return;
    }
    add_index(place, index, scale);
    place->step = 0;
    place->type = part;
}

/* Follows one index of an access chain. */
static void enter(struct place *place, uint32_t index)
{
    const struct ws_module *module = place->layouts->module;
    const struct ws_instruction *type = ws_module_definition(module, place->type);
    if (place->index_count++ == INDICES_MAX) {
        place->reason = too_many_terms;
        return;
    }
    const uint32_t part = type != NULL ? ws_operand(module, type, 1) : 0;
    switch (type != NULL ? (SpvOp)type->opcode : SpvOpNop) {
    case SpvOpTypeStruct: enter_struct(place, index); return;
    case SpvOpTypeMatrix: enter_matrix(place, index, part); return;
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray: enter_element(place, index, type, part); return;
    default: place->reason = no_layout; return;
    }
}

/* The element of an array of descriptors, which is what a variable of a buffer may be. */
static void choose_descriptor(struct place *place, uint32_t index, uint32_t element)
{
    place->access->descriptor_id =
        ws_layouts_constant(place->layouts->module, index, &place->access->descriptor) ? 0 : index;
    place->type = element;
    place->access->type = element;
}

static bool is_descriptor_array(const struct place *place, const struct ws_instruction *type)
{
    return place->access->memory <= WS_MEMORY_UNIFORM && place->access->variable != 0 && type != NULL &&
           (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray);
}

static void follow(struct place *place, uint32_t pointer, uint32_t depth);

/* Has the address count from this pointer. */
static void begin_at(struct place *place, uint32_t pointer)
{
    place->access->base = pointer;
    place->access->offset = 0;
    place->access->term_count = 0;
    place->is_wide = false;
}

/* The bytes that OpPtrAccessChain steps over: the stride of the pointer's type (SPIR-V 3.52.8), which Workgroup memory without
 * layout lacks. */
static uint32_t pointer_stride(struct place *place, uint32_t pointer)
{
    const struct ws_module *module = place->layouts->module;
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    struct ws_extent extent = {0};
    uint32_t stride = 0;
    if (!ws_layouts_get(place->layouts, ws_operand(module, definition, 0), WS_LAYOUTS_WHOLE,
                        SpvDecorationArrayStride, &stride) &&
        place->lie.is_natural && ws_layouts_extent(place->layouts, place->type, place->lie, 0, &extent))
        stride = (uint32_t)ws_layouts_round_up(extent.size, extent.align);
    return stride;
}

/* How the instruction of an access chain is laid out. */
struct chain {
    bool is_untyped;  /* it says itself what the base points to */
    bool has_element; /* of the array that the base points into */
    uint32_t base;    /* operand of the base; indices and the element follow */
};

static struct chain chain_of(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain: return (struct chain){false, true, 2};
    case WS_OP_UNTYPED_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR: return (struct chain){true, false, 3};
    case WS_OP_UNTYPED_PTR_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN_KHR: return (struct chain){true, true, 3};
    default: return (struct chain){false, false, 2};
    }
}

/* Has a place be of another type, which says by itself how it lies. */
static void retype(struct place *place, uint32_t type)
{
    place->type = type;
    place->step = 0;
    place->lie = (struct ws_lie){.is_natural = place->lie.is_natural};
}

/* Whether the first index of a chain chooses an element of an array of descriptors: that of a variable which is one. */
static bool chooses_descriptor(const struct place *place, uint32_t base)
{
    const struct ws_module *module = place->layouts->module;
    const struct ws_instruction *root = ws_module_definition(module, base);
    if (root == NULL || !ws_opcode_is_variable(root->opcode) ||
        !is_descriptor_array(place, ws_module_definition(module, place->type)))
        return false;
    return root->opcode == SpvOpVariable ||
           is_descriptor_array(place, ws_module_definition(module, ws_operand(module, root, 3)));
}

static void follow_chain(struct place *place, const struct ws_instruction *instruction, uint32_t depth)
{
    const struct ws_module *module = place->layouts->module;
    const struct chain chain = chain_of(instruction->opcode);
    const uint32_t base = ws_operand(module, instruction, chain.base);
    follow(place, base, depth + 1);
    if (chain.is_untyped)
        retype(place, ws_operand(module, instruction, 2));
    if (chain.has_element && place->reason == NULL) {
        const uint32_t stride = pointer_stride(place, base);
        if (stride != 0)
            add_index(place, ws_operand(module, instruction, chain.base + 1), stride);
        else
            place->reason = no_layout;
    }
    const uint32_t first = chain.base + 1 + chain.has_element;
    for (uint32_t i = first; i + 1u < instruction->length && place->reason == NULL; i++) {
        const uint32_t index = ws_operand(module, instruction, i);
        if (i == chain.base + 1 && chooses_descriptor(place, base))
            choose_descriptor(place, index, ws_operand(module, ws_module_definition(module, place->type), 1));
        else
            enter(place, index);
    }
    if (place->is_wide)
        begin_at(place, ws_operand(module, instruction, 1));
}

/* SPV_NV_raw_access_chains: base + stride x element + offset, in bytes; the stride is a constant. */
static void follow_raw_chain(struct place *place, const struct ws_instruction *chain, uint32_t depth)
{
    const struct ws_module *module = place->layouts->module;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, chain, 0));
    uint32_t stride = 0;
    follow(place, ws_operand(module, chain, 2), depth + 1);
    if (!ws_layouts_constant(module, ws_operand(module, chain, 3), &stride))
        place->reason = no_layout;
    if (place->reason != NULL)
        return;
    if (stride != 0)
        add_index(place, ws_operand(module, chain, 4), stride);
    add_index(place, ws_operand(module, chain, 5), 1);
    retype(place, type != NULL && type->opcode == SpvOpTypePointer ? ws_operand(module, type, 2) : 0);
    if (place->is_wide)
        begin_at(place, ws_operand(module, chain, 1));
}

/* Follows a pointer back to its variable, and forth again. */
static void follow(struct place *place, uint32_t pointer, uint32_t depth)
{
    const struct ws_module *module = place->layouts->module;
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    const struct ws_instruction *type = type_of(module, pointer);
    if (definition == NULL || type == NULL || depth == DEPTH_MAX) {
        place->reason = no_chain;
        return;
    }
    switch (definition->opcode) {
    case SpvOpVariable:
    case WS_OP_UNTYPED_VARIABLE_KHR:
        place->access->variable = pointer;
        place->type = ws_operand(module, type, 2);
        if (definition->opcode == WS_OP_UNTYPED_VARIABLE_KHR)
            place->type = ws_operand(module, definition, 3);
        place->access->type = place->type;
        return;
    case SpvOpCopyObject: follow(place, ws_operand(module, definition, 2), depth + 1); return;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case WS_OP_UNTYPED_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_PTR_ACCESS_CHAIN_KHR:
    case WS_OP_UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN_KHR: follow_chain(place, definition, depth); return;
    case WS_OP_RAW_ACCESS_CHAIN_NV: follow_raw_chain(place, definition, depth); return;
    default:
        begin_at(place, pointer);
        place->type = ws_operand(module, type, 2);
        place->access->type = place->type;
        return;
    }
}

/* Whether a variable of Uniform is a storage buffer of the old kind. */
static bool is_buffer_block(const struct ws_layouts *layouts, uint32_t variable)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *pointer = type_of(module, variable);
    uint32_t type = pointer != NULL ? ws_operand(module, pointer, 2) : 0;
    const struct ws_instruction *definition = ws_module_definition(module, type);
    uint32_t unused = 0;
    if (definition != NULL &&
        (definition->opcode == SpvOpTypeArray || definition->opcode == SpvOpTypeRuntimeArray))
        type = ws_operand(module, definition, 1);
    return ws_layouts_get(layouts, type, WS_LAYOUTS_WHOLE, SpvDecorationBufferBlock, &unused);
}

/* ---- instructions ---- */

static bool is_atomic(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
    case SpvOpAtomicFAddEXT: return true;
    default: return opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor;
    }
}

uint32_t ws_access_count(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpLoad:
    case SpvOpStore: return 1;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return 2;
    default: return is_atomic(opcode) || ws_texel_is_touched_by(opcode);
    }
}

static uint32_t pointer_operand(uint16_t opcode, uint32_t index)
{
    switch (opcode) {
    case SpvOpStore:
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear: return 0;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return index;
    default: return 2;
    }
}

static enum ws_access_kind kind_of(uint16_t opcode, uint32_t index)
{
    if (is_atomic(opcode))
        return WS_ACCESS_ATOMIC;
    return opcode == SpvOpLoad || index == 1 ? WS_ACCESS_LOAD : WS_ACCESS_STORE;
}

/* The memory of a storage class; WS_MEMORY_KINDS = none that is followed. */
static enum ws_access_memory memory_of(uint32_t storage)
{
    switch ((SpvStorageClass)storage) {
    case SpvStorageClassStorageBuffer: return WS_MEMORY_STORAGE;
    case SpvStorageClassUniform: return WS_MEMORY_UNIFORM;
    case SpvStorageClassPhysicalStorageBuffer: return WS_MEMORY_ADDRESS;
    case SpvStorageClassShaderRecordBufferKHR: return WS_MEMORY_SHADER_RECORD;
    case SpvStorageClassWorkgroup: return WS_MEMORY_WORKGROUP;
    case SpvStorageClassImage: return WS_MEMORY_IMAGE;
    default: return WS_MEMORY_KINDS;
    }
}

/* Takes the size of what lies at the place; NULL, or why it has none. */
static const char *measure(const struct place *place)
{
    struct ws_extent extent = {0};
    if (!ws_layouts_extent(place->layouts, place->type, place->lie, 0, &extent))
        return no_layout;
    if (place->step != 0)
        return column;
    if (extent.size > WS_ACCESS_SIZE_MAX || extent.size == 0)
        return too_large;
    place->access->size = extent.size;
    place->access->unit = extent.unit;
    if (place->access->memory != WS_MEMORY_ADDRESS)
        place->access->offset &= UINT32_MAX;
    return NULL;
}

static bool is_pointer(const struct ws_instruction *type)
{
    return type->opcode == SpvOpTypePointer || type->opcode == WS_OP_TYPE_UNTYPED_POINTER_KHR;
}

/* The type of what an instruction touches by a pointer that does not say it; 0 = that is not known. */
static uint32_t touched_type(const struct ws_module *module, const struct ws_instruction *at)
{
    switch (at->opcode) {
    case SpvOpStore: return ws_module_type_of(module, ws_operand(module, at, 1));
    case SpvOpAtomicStore: return ws_module_type_of(module, ws_operand(module, at, 3));
    case SpvOpCopyMemory:
        for (uint32_t i = 0; i < 2; i++) {
            const struct ws_instruction *type = type_of(module, ws_operand(module, at, i));
            if (type != NULL && type->opcode == SpvOpTypePointer)
                return ws_operand(module, type, 2);
        }
        return 0;
    default: return ws_operand(module, at, 0);
    }
}

/* Takes the size of a copy of a number of bytes. They are single bytes: nothing says how they are aligned. */
static const char *measure_bytes(const struct place *place, const struct ws_instruction *copy)
{
    uint32_t size = 0;
    if (!ws_layouts_constant(place->layouts->module, ws_operand(place->layouts->module, copy, 2), &size))
        return sized;
    if (size > WS_ACCESS_SIZE_MAX || size == 0)
        return too_large;
    place->access->size = size;
    place->access->unit = 1;
    if (place->access->memory != WS_MEMORY_ADDRESS)
        place->access->offset &= UINT32_MAX;
    return NULL;
}

struct ws_pointers *ws_access_pointers(struct ws_layouts *layouts)
{
    if (layouts->pointers == NULL)
        layouts->pointers = ws_pointers_create(layouts->module, layouts);
    return layouts->pointers;
}

/* Says of a pointer that is chosen while the shader runs which variable it points into, as far as that is known. NULL, or
 * why it is not followed. */
static const char *resolve(struct ws_layouts *layouts, struct ws_access *access)
{
    struct ws_pointers *pointers = ws_access_pointers(layouts);
    if (pointers == NULL)
        return no_memory;
    const struct ws_pointer_origin origin = ws_pointers_origin(pointers, access->base);
    if (origin.reason != NULL)
        return origin.reason;
    if (origin.variable == 0)
        return nowhere;
    access->varies = origin.variable == WS_NONE || origin.descriptor == WS_NONE;
    if (access->varies && ws_pointers_is_crowded(pointers))
        return too_many_variables;
    access->descriptor = access->varies ? 0 : origin.descriptor;
    if (origin.variable == WS_NONE)
        return NULL;
    const struct ws_instruction *variable = ws_module_definition(layouts->module, origin.variable);
    access->variable = origin.variable;
    access->type = variable->opcode == SpvOpVariable
                       ? ws_operand(layouts->module, type_of(layouts->module, origin.variable), 2)
                       : ws_operand(layouts->module, variable, 3);
    const struct ws_instruction *held = ws_module_definition(layouts->module, access->type);
    if (access->memory <= WS_MEMORY_UNIFORM && held != NULL &&
        (held->opcode == SpvOpTypeArray || held->opcode == SpvOpTypeRuntimeArray))
        access->type = ws_operand(layouts->module, held, 1);
    return NULL;
}

bool ws_access_follow(struct ws_layouts *layouts, uint32_t pointer, struct ws_access *access,
                      const char **reason)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *type = type_of(module, pointer);
    *access = (struct ws_access){.pointer = pointer};
    *reason = no_chain;
    if (type == NULL || !is_pointer(type))
        return false;
    access->memory = memory_of(ws_operand(module, type, 1));
    struct place place = {.layouts = layouts, .access = access};
    place.lie.is_natural = access->memory == WS_MEMORY_WORKGROUP;
    follow(&place, pointer, 0);
    if (place.reason == NULL && place.step != 0)
        place.reason = column;
    *reason = place.reason;
    return place.reason == NULL;
}

/* Notes what a call gives for the parameters of its function. `are_given`: per parameter, whether an earlier one did. */
static void note_arguments(const struct ws_module *module, const struct ws_instruction *call,
                           uint32_t *arguments, bool *are_given)
{
    const uint32_t callee = ws_operand(module, call, 2);
    uint32_t at = callee < module->bound ? module->definitions[callee] : WS_NONE;
    for (uint32_t i = 3; i + 1u < call->length && at != WS_NONE; i++) {
        const uint32_t argument = ws_operand(module, call, i);
        do
            at++;
        while (at < module->instruction_count && ws_opcode_is_line(module->instructions[at].opcode));
        if (at >= module->instruction_count || module->instructions[at].opcode != SpvOpFunctionParameter)
            return;
        const uint32_t parameter = ws_operand(module, &module->instructions[at], 1);
        arguments[parameter] = !are_given[parameter] || arguments[parameter] == argument ? argument : 0;
        are_given[parameter] = true;
    }
}

/* What all calls give for a parameter; 0 = nothing, they give different things, or there is no memory. */
static uint32_t argument_of(struct ws_layouts *layouts, uint32_t parameter)
{
    const struct ws_module *module = layouts->module;
    if (layouts->arguments == NULL) {
        layouts->arguments = ws_arena_allocate(module->arena, module->bound, sizeof(*layouts->arguments));
        bool *are_given = ws_arena_allocate(module->arena, module->bound, sizeof(*are_given));
        if (layouts->arguments == NULL || are_given == NULL)
            return 0;
        for (uint32_t i = 0; i < module->instruction_count; i++)
            if (module->instructions[i].opcode == SpvOpFunctionCall)
                note_arguments(module, &module->instructions[i], layouts->arguments, are_given);
    }
    return layouts->arguments[parameter];
}

static bool is_parameter(const struct ws_instruction *definition)
{
    return definition != NULL && definition->opcode == SpvOpFunctionParameter;
}

/* An image or a sampler, and which element of an array it is: a constant, or the value of `element_id`. */
struct named {
    uint32_t variable;
    uint32_t element;
    uint32_t element_id;
};

/* Says which image or sampler it is that was loaded by a pointer, or which element of an array. Of others `variable` stays 0,
 * as of one that a caller chooses. */
static void name_image(struct ws_layouts *layouts, uint32_t pointer, struct named *named)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    const bool is_passed = is_parameter(definition);
    for (uint32_t depth = 0; depth < DEPTH_MAX && is_parameter(definition); depth++) {
        pointer = argument_of(layouts, pointer);
        definition = ws_module_definition(module, pointer);
    }
    if (definition != NULL && definition->opcode == SpvOpVariable)
        named->variable = pointer;
    if (definition == NULL || definition->length != 5 ||
        (definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain))
        return;
    const struct ws_instruction *base = ws_module_definition(module, ws_operand(module, definition, 2));
    const uint32_t index = ws_operand(module, definition, 3);
    const bool is_constant = ws_layouts_constant(module, index, &named->element);
    if (is_passed && !is_constant) /* which element it is the function does not know */
        return;
    if (base != NULL && base->opcode == SpvOpVariable)
        named->variable = ws_operand(module, definition, 2);
    named->element_id = is_constant ? 0 : index;
}

/* An access to texels. */
static enum ws_access_result find_texels(struct ws_layouts *layouts, const struct ws_instruction *at,
                                         struct ws_access *access, const char **reason)
{
    const struct ws_module *module = layouts->module;
    struct ws_texel texel;
    if (ws_texel_is_touched_by(at->opcode))
        access->kind = ws_texel_is_written_by(at->opcode) ? WS_ACCESS_STORE : WS_ACCESS_LOAD;
    *reason = ws_texel_find(&texel, module, at);
    access->memory = texel.dim == SpvDimBuffer ? WS_MEMORY_TEXELS : WS_MEMORY_IMAGE;
    access->type = texel.type;
    if (*reason != NULL)
        return WS_ACCESS_UNKNOWN;
    struct named image = {0};
    struct named sampler = {0};
    name_image(layouts, texel.pointer, &image);
    name_image(layouts, texel.sampler, &sampler);
    access->variable = image.variable;
    access->descriptor = image.element;
    access->descriptor_id = image.element_id;
    access->sampler = sampler.variable;
    access->sampler_element = sampler.element;
    access->sampler_element_id = sampler.element_id;
    access->is_assumed = texel.size == 0;
    access->size = access->is_assumed ? WS_TEXEL_SIZE_ASSUMED : texel.size;
    access->unit = access->size <= 8 ? access->size : 8;
    if (access->memory == WS_MEMORY_TEXELS) {
        struct place place = {.layouts = layouts, .access = access};
        add_index(&place, texel.coordinate_id, access->size);
        access->offset &= UINT32_MAX;
    }
    return WS_ACCESS_FOUND;
}

enum ws_access_result ws_access_find(struct ws_layouts *layouts, uint32_t instruction, uint32_t index,
                                     struct ws_access *access, const char **reason)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *at = &module->instructions[instruction];
    const uint32_t pointer = ws_operand(module, at, pointer_operand(at->opcode, index));
    const struct ws_instruction *type = type_of(module, pointer);
    *access = (struct ws_access){.kind = kind_of(at->opcode, index), .pointer = pointer};
    *reason = no_chain;
    if (index >= ws_access_count(at->opcode))
        return WS_ACCESS_NONE;
    if (ws_texel_is_touched_by(at->opcode))
        return find_texels(layouts, at, access, reason);
    if (type == NULL) /* an instruction that is newer than the headers made the pointer */
        return WS_ACCESS_UNKNOWN;
    if (!is_pointer(type))
        return WS_ACCESS_NONE;
    access->memory = memory_of(ws_operand(module, type, 1));
    struct place place = {.layouts = layouts, .access = access};
    place.lie.is_natural = access->memory == WS_MEMORY_WORKGROUP;
    if (access->memory == WS_MEMORY_KINDS)
        return WS_ACCESS_NONE;
    if (access->memory == WS_MEMORY_IMAGE)
        return find_texels(layouts, at, access, reason);
    follow(&place, pointer, 0);
    if (place.reason == NULL && access->base != 0 && access->memory != WS_MEMORY_ADDRESS)
        place.reason = resolve(layouts, access);
    if (access->memory == WS_MEMORY_UNIFORM && is_buffer_block(layouts, access->variable))
        access->memory = WS_MEMORY_STORAGE;
    if (place.reason == NULL && type->opcode == WS_OP_TYPE_UNTYPED_POINTER_KHR)
        retype(&place, touched_type(module, at));
    if (place.reason == NULL)
        place.reason = at->opcode == SpvOpCopyMemorySized ? measure_bytes(&place, at) : measure(&place);
    *reason = place.reason;
    return place.reason == NULL ? WS_ACCESS_FOUND : WS_ACCESS_UNKNOWN;
}

bool ws_access_binding(const struct ws_layouts *layouts, uint32_t variable, uint32_t *set, uint32_t *binding)
{
    return ws_layouts_get(layouts, variable, WS_LAYOUTS_WHOLE, SpvDecorationDescriptorSet, set) &&
           ws_layouts_get(layouts, variable, WS_LAYOUTS_WHOLE, SpvDecorationBinding, binding);
}

bool ws_access_is_non_uniform(const struct ws_layouts *layouts, uint32_t id)
{
    uint32_t unused = 0;
    return ws_layouts_get(layouts, id, WS_LAYOUTS_WHOLE, SpvDecorationNonUniform, &unused);
}

const char *ws_access_kind_name(enum ws_access_kind kind)
{
    static const char *const names[WS_ACCESS_KINDS] = {"load", "store", "atomic"};
    return names[kind];
}

const char *ws_access_memory_name(enum ws_access_memory memory)
{
    static const char *const names[WS_MEMORY_KINDS] = {"storage buffer", "uniform buffer", "device address",
                                                       "shader record",  "workgroup",      "image",
                                                       "texel buffer"};
    return names[memory];
}
