#include "passes/spirv/layouts.h"

#include "warpscope/base/arena.h"
#include "warpscope/spirv/module.h"

/* A struct of which the size was asked. Structs may hold each other many times over: each is measured once. */
struct ws_measured {
    struct ws_extent extent;
    bool is_known;     /* it has a size */
    uint32_t *offsets; /* of its members, as far as they are known */
    uint32_t offset_count;
};

static uint64_t key_of(uint32_t target, uint32_t member, uint32_t decoration)
{
    return (uint64_t)target << 40 | (uint64_t)(member & WS_LAYOUTS_WHOLE) << 16 | (decoration & 0xffff);
}

static uint32_t *find_slot(const struct ws_layouts *layouts, uint64_t key)
{
    const uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (layouts->capacity - 1);
    while (layouts->keys[i] != 0 && layouts->keys[i] != key)
        i = (i + 1) & (layouts->capacity - 1);
    return &layouts->values[i];
}

/* Whether a decoration says where data lies, or what is bound. */
static bool is_kept(uint32_t decoration)
{
    switch ((SpvDecoration)decoration) {
    case SpvDecorationBufferBlock:
    case SpvDecorationRowMajor:
    case SpvDecorationArrayStride:
    case SpvDecorationMatrixStride:
    case SpvDecorationDescriptorSet:
    case SpvDecorationBinding:
    case SpvDecorationNonUniform:
    case SpvDecorationOffset: return true;
    default: return false;
    }
}

/* The decoration that an instruction makes, if it is kept. */
static bool read_decoration(const struct ws_module *module, const struct ws_instruction *instruction,
                            uint64_t *key, uint32_t *value)
{
    const bool is_member = instruction->opcode == SpvOpMemberDecorate;
    if (!is_member && instruction->opcode != SpvOpDecorate)
        return false;
    const uint32_t decoration = ws_operand(module, instruction, 1 + is_member);
    const uint32_t target = ws_operand(module, instruction, 0);
    *key = key_of(target, is_member ? ws_operand(module, instruction, 1) : WS_LAYOUTS_WHOLE, decoration);
    *value = instruction->length > 3u + is_member ? ws_operand(module, instruction, 2 + is_member) : 1;
    return target != 0 && is_kept(decoration);
}

struct ws_layouts *ws_layouts_create(const struct ws_module *module)
{
    struct ws_layouts *layouts = ws_arena_allocate(module->arena, 1, sizeof(*layouts));
    uint32_t count = 0;
    uint64_t key = 0;
    uint32_t value = 0;
    if (layouts == NULL)
        return NULL;
    const uint32_t end = module->section_ends[WS_SECTION_ANNOTATION];
    for (uint32_t i = 0; i < end; i++)
        count += read_decoration(module, &module->instructions[i], &key, &value);
    *layouts = (struct ws_layouts){.module = module, .capacity = 16};
    while (layouts->capacity < 2 * count)
        layouts->capacity *= 2;
    layouts->keys = ws_arena_allocate(module->arena, layouts->capacity, sizeof(*layouts->keys));
    layouts->values = ws_arena_allocate(module->arena, layouts->capacity, sizeof(*layouts->values));
    if (layouts->keys == NULL || layouts->values == NULL)
        return NULL;
    for (uint32_t i = 0; i < end; i++) {
        if (!read_decoration(module, &module->instructions[i], &key, &value))
            continue;
        uint32_t *slot = find_slot(layouts, key);
        layouts->keys[slot - layouts->values] = key;
        *slot = value;
    }
    return layouts;
}

bool ws_layouts_get(const struct ws_layouts *layouts, uint32_t target, uint32_t member,
                    SpvDecoration decoration, uint32_t *value)
{
    const uint64_t key = key_of(target, member, decoration);
    const uint32_t *slot = find_slot(layouts, key);
    if (layouts->keys[slot - layouts->values] != key)
        return false;
    *value = *slot;
    return true;
}

/* ---- sizes ---- */

uint64_t ws_layouts_round_up(uint64_t size, uint32_t align)
{
    return (size + align - 1) / align * align;
}

static bool set_size(struct ws_extent *extent, uint64_t size)
{
    extent->size = (uint32_t)size;
    return size <= UINT32_MAX;
}

bool ws_layouts_constant(const struct ws_module *module, uint32_t id, uint32_t *value)
{
    const struct ws_instruction *constant = ws_module_definition(module, id);
    if (constant == NULL || (constant->opcode != SpvOpConstant && constant->opcode != SpvOpConstantNull))
        return false;
    /* Of a number of 64 bits the low half; of a narrow one, which is sign-extended, all (SPIR-V 2.2.1). */
    *value = constant->opcode == SpvOpConstant ? ws_operand(module, constant, 2) : 0;
    return true;
}

uint32_t ws_layouts_stride(const struct ws_layouts *layouts, uint32_t array, struct ws_lie lie,
                           const struct ws_extent *extent)
{
    uint32_t stride = 0;
    if (!ws_layouts_get(layouts, array, WS_LAYOUTS_WHOLE, SpvDecorationArrayStride, &stride) &&
        lie.is_natural)
        stride = (uint32_t)ws_layouts_round_up(extent->size, extent->align);
    return stride;
}

uint32_t ws_layouts_matrix_stride(struct ws_lie lie, const struct ws_extent *vector)
{
    return lie.stride != 0 || !lie.is_natural ? lie.stride : vector->size;
}

struct ws_lie ws_layouts_member(const struct ws_layouts *layouts, uint32_t type, uint32_t member,
                                bool is_natural)
{
    struct ws_lie lie = {.is_natural = is_natural};
    uint32_t unused = 0;
    ws_layouts_get(layouts, type, member, SpvDecorationMatrixStride, &lie.stride);
    lie.row_major = ws_layouts_get(layouts, type, member, SpvDecorationRowMajor, &unused);
    return lie;
}

/* Goes through the members of a struct. Each begins where its decoration says, or behind those before it. False where the size
 * of one is not known. */
static bool walk_members(struct ws_layouts *layouts, uint32_t type, bool is_natural, uint32_t depth,
                         struct ws_measured *measured)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *definition = ws_module_definition(module, type);
    struct ws_extent *extent = &measured->extent;
    uint64_t size = 0;
    *extent = (struct ws_extent){.unit = 8, .align = 1};
    for (uint32_t i = 0; i + 2u < definition->length; i++) {
        struct ws_extent part = {0};
        uint32_t offset = 0;
        if (!ws_layouts_extent(layouts, ws_operand(module, definition, 1 + i),
                               ws_layouts_member(layouts, type, i, is_natural), depth, &part))
            return false;
        const uint64_t natural = ws_layouts_round_up(size, part.align);
        if (!ws_layouts_get(layouts, type, i, SpvDecorationOffset, &offset)) {
            if (!is_natural || natural > UINT32_MAX)
                return false;
            offset = (uint32_t)natural;
        }
        measured->offsets[measured->offset_count++] = offset;
        size = (uint64_t)offset + part.size > size ? (uint64_t)offset + part.size : size;
        extent->unit = part.unit < extent->unit ? part.unit : extent->unit;
        extent->align = part.align > extent->align ? part.align : extent->align;
    }
    return set_size(extent, size);
}

/* Measures a struct, once. NULL when there is no memory. */
static const struct ws_measured *measure_struct(struct ws_layouts *layouts, uint32_t type, bool is_natural,
                                                uint32_t depth)
{
    const struct ws_module *module = layouts->module;
    uint32_t **structs = &layouts->structs[is_natural];
    if (*structs == NULL)
        *structs = ws_arena_allocate(module->arena, module->bound, sizeof(**structs));
    if (*structs == NULL)
        return NULL;
    if ((*structs)[type] != 0)
        return &layouts->measured[(*structs)[type] - 1];
    struct ws_measured made = {0};
    made.offsets =
        ws_arena_allocate(module->arena, ws_module_definition(module, type)->length, sizeof(*made.offsets));
    if (made.offsets == NULL)
        return NULL;
    made.is_known = walk_members(layouts, type, is_natural, depth, &made);
    struct ws_measured *measured = ws_arena_grow(module->arena, layouts->measured, layouts->measured_count,
                                                 &layouts->measured_capacity, sizeof(*measured));
    if (measured == NULL)
        return NULL;
    layouts->measured = measured;
    measured[layouts->measured_count++] = made;
    (*structs)[type] = layouts->measured_count;
    return &measured[layouts->measured_count - 1];
}

bool ws_layouts_member_offset(struct ws_layouts *layouts, uint32_t type, uint32_t member, bool is_natural,
                              uint32_t *offset)
{
    if (ws_layouts_get(layouts, type, member, SpvDecorationOffset, offset))
        return true;
    const struct ws_measured *measured = is_natural ? measure_struct(layouts, type, true, 0) : NULL;
    if (measured == NULL || member >= measured->offset_count)
        return false;
    *offset = measured->offsets[member];
    return true;
}

static bool struct_extent(struct ws_layouts *layouts, uint32_t type, bool is_natural, uint32_t depth,
                          struct ws_extent *extent)
{
    const struct ws_measured *measured = measure_struct(layouts, type, is_natural, depth);
    if (measured == NULL || !measured->is_known)
        return false;
    *extent = measured->extent;
    return true;
}

/* Bytes of a number; 0 where it is none. */
static uint32_t number_size(const struct ws_module *module, const struct ws_instruction *type)
{
    const uint32_t width = ws_operand(module, type, 1);
    if (type->opcode == SpvOpTypeBool)
        return 4;
    if (type->opcode == SpvOpTypePointer)
        return ws_operand(module, type, 1) == SpvStorageClassPhysicalStorageBuffer ? 8 : 0;
    if (type->opcode != SpvOpTypeInt && type->opcode != SpvOpTypeFloat)
        return 0;
    return width == 8 || width == 16 || width == 32 || width == 64 ? width / 8 : 0;
}

bool ws_layouts_extent(struct ws_layouts *layouts, uint32_t type, struct ws_lie lie, uint32_t depth,
                       struct ws_extent *extent)
{
    const struct ws_module *module = layouts->module;
    const struct ws_instruction *definition = ws_module_definition(module, type);
    uint32_t count = 0;
    if (definition == NULL || depth == WS_LAYOUTS_DEPTH)
        return false;
    const uint32_t number = number_size(module, definition);
    if (number != 0) {
        *extent = (struct ws_extent){number, number, number};
        return true;
    }
    if (definition->opcode == SpvOpTypeStruct)
        return struct_extent(layouts, type, lie.is_natural, depth + 1, extent);
    if ((definition->opcode != SpvOpTypeVector && definition->opcode != SpvOpTypeMatrix &&
         definition->opcode != SpvOpTypeArray) ||
        !ws_layouts_extent(layouts, ws_operand(module, definition, 1), lie, depth + 1, extent))
        return false;
    const uint32_t part = extent->size;
    if (definition->opcode == SpvOpTypeArray) {
        const uint32_t stride = ws_layouts_stride(layouts, type, lie, extent);
        return stride != 0 && ws_layouts_constant(module, ws_operand(module, definition, 2), &count) &&
               count != 0 && set_size(extent, (uint64_t)stride * (count - 1) + part);
    }
    count = ws_operand(module, definition, 2);
    if (definition->opcode == SpvOpTypeVector)
        return set_size(extent, (uint64_t)part * count);
    const uint32_t stride = ws_layouts_matrix_stride(lie, extent);
    const uint32_t rows = part / extent->unit;
    if (stride == 0 || count == 0)
        return false;
    return lie.row_major ? set_size(extent, (uint64_t)stride * (rows - 1) + (uint64_t)count * extent->unit)
                         : set_size(extent, (uint64_t)stride * (count - 1) + part);
}
