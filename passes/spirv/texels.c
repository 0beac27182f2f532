#include "warpscope/spirv/texels.h"

#include <spirv/unified1/spirv.h>

#define STEPS_MAX 16 /* from an image to what it was loaded by */

static const char *const no_image = "the image that it touches is not known";
static const char *const no_pointer = "its pointer is made by an instruction that is not known";
static const char *const rectangle = "texels of rectangles are not sampled in Vulkan";

bool ws_texel_is_written_by(uint16_t opcode)
{
    return opcode == SpvOpImageWrite;
}

/* How an opcode that touches texels is laid out: which operand has the coordinates, and where image operands may begin; 0 = it
 * touches none. */
struct shape {
    enum ws_texel_coordinates coordinates;
    uint32_t coordinate;
    uint32_t mask;
    bool implicit_level;
    bool is_gather;
};

static struct shape shape_of(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpImageWrite: return (struct shape){WS_TEXEL_INTEGERS, 1, 3, false, false};
    case SpvOpImageRead:
    case SpvOpImageSparseRead:
    case SpvOpImageFetch:
    case SpvOpImageSparseFetch: return (struct shape){WS_TEXEL_INTEGERS, 3, 4, false, false};
    case SpvOpImageGather:
    case SpvOpImageDrefGather:
    case SpvOpImageSparseGather:
    case SpvOpImageSparseDrefGather: return (struct shape){WS_TEXEL_PARTS, 3, 5, false, true};
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSparseSampleExplicitLod: return (struct shape){WS_TEXEL_PARTS, 3, 4, false, false};
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageSparseSampleDrefExplicitLod: return (struct shape){WS_TEXEL_PARTS, 3, 5, false, false};
    case SpvOpImageSampleImplicitLod:
    case SpvOpImageSparseSampleImplicitLod: return (struct shape){WS_TEXEL_PARTS, 3, 4, true, false};
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSparseSampleDrefImplicitLod: return (struct shape){WS_TEXEL_PARTS, 3, 5, true, false};
    case SpvOpImageSampleProjExplicitLod: return (struct shape){WS_TEXEL_PROJECTED, 3, 4, false, false};
    case SpvOpImageSampleProjDrefExplicitLod: return (struct shape){WS_TEXEL_PROJECTED, 3, 5, false, false};
    case SpvOpImageSampleProjImplicitLod: return (struct shape){WS_TEXEL_PROJECTED, 3, 4, true, false};
    case SpvOpImageSampleProjDrefImplicitLod: return (struct shape){WS_TEXEL_PROJECTED, 3, 5, true, false};
    default: return (struct shape){0};
    }
}

bool ws_texel_is_touched_by(uint16_t opcode)
{
    return shape_of(opcode).mask != 0;
}

/* Bytes of a texel, by the format that a type has; 0 = not known. */
static uint32_t size_of(uint32_t format)
{
    switch ((SpvImageFormat)format) {
    case SpvImageFormatR8:
    case SpvImageFormatR8Snorm:
    case SpvImageFormatR8i:
    case SpvImageFormatR8ui: return 1;
    case SpvImageFormatR16f:
    case SpvImageFormatR16:
    case SpvImageFormatR16Snorm:
    case SpvImageFormatR16i:
    case SpvImageFormatR16ui:
    case SpvImageFormatRg8:
    case SpvImageFormatRg8Snorm:
    case SpvImageFormatRg8i:
    case SpvImageFormatRg8ui: return 2;
    case SpvImageFormatR32f:
    case SpvImageFormatR32i:
    case SpvImageFormatR32ui:
    case SpvImageFormatRg16f:
    case SpvImageFormatRg16:
    case SpvImageFormatRg16Snorm:
    case SpvImageFormatRg16i:
    case SpvImageFormatRg16ui:
    case SpvImageFormatR11fG11fB10f:
    case SpvImageFormatRgb10A2:
    case SpvImageFormatRgb10a2ui:
    case SpvImageFormatRgba8:
    case SpvImageFormatRgba8Snorm:
    case SpvImageFormatRgba8i:
    case SpvImageFormatRgba8ui: return 4;
    case SpvImageFormatRg32f:
    case SpvImageFormatRg32i:
    case SpvImageFormatRg32ui:
    case SpvImageFormatRgba16f:
    case SpvImageFormatRgba16:
    case SpvImageFormatRgba16Snorm:
    case SpvImageFormatRgba16i:
    case SpvImageFormatRgba16ui:
    case SpvImageFormatR64i:
    case SpvImageFormatR64ui: return 8;
    case SpvImageFormatRgba32f:
    case SpvImageFormatRgba32i:
    case SpvImageFormatRgba32ui: return 16;
    default: return 0;
    }
}

uint32_t ws_texel_axes(uint32_t dim)
{
    switch ((SpvDim)dim) {
    case SpvDim1D:
    case SpvDimBuffer: return 1;
    case SpvDim2D:
    case SpvDimRect:
    case SpvDimSubpassData:
    case SpvDimCube: return 2;
    case SpvDim3D: return 3;
    default: return 0;
    }
}

/* Sets what the type of an image says. Operands of OpTypeImage behind the result: sampled type, dim, depth, arrayed,
 * multisampled, sampled, format. */
static const char *read_type(struct ws_texel *texel, const struct ws_module *module, uint32_t type)
{
    const struct ws_instruction *definition = ws_module_definition(module, type);
    if (definition != NULL && definition->opcode == SpvOpTypeSampledImage) {
        type = ws_operand(module, definition, 1);
        definition = ws_module_definition(module, type);
    }
    if (definition == NULL || definition->opcode != SpvOpTypeImage)
        return no_image;
    texel->type = type;
    texel->dim = ws_operand(module, definition, 2);
    texel->is_arrayed = ws_operand(module, definition, 4) != 0;
    texel->is_multisampled = ws_operand(module, definition, 5) != 0;
    texel->size = size_of(ws_operand(module, definition, 7));
    return ws_texel_axes(texel->dim) == 0 ? no_image : NULL;
}

bool ws_texel_has_parts(const struct ws_texel *texel)
{
    return texel->coordinates != WS_TEXEL_INTEGERS || texel->is_arrayed || texel->dim == SpvDimCube ||
           texel->dim == SpvDim3D || texel->level_id != 0 || texel->sample_id != 0;
}

/* What an image, or the sampler of a sampled image, was loaded by; 0 = not known. */
static uint32_t pointer_of(const struct ws_module *module, uint32_t image, bool of_sampler)
{
    for (uint32_t step = 0; step < STEPS_MAX; step++) {
        const struct ws_instruction *definition = ws_module_definition(module, image);
        switch (definition != NULL ? (SpvOp)definition->opcode : SpvOpNop) {
        case SpvOpLoad: return ws_operand(module, definition, 2);
        case SpvOpSampledImage: image = ws_operand(module, definition, of_sampler ? 3 : 2); break;
        case SpvOpImage:
        case SpvOpCopyObject: image = ws_operand(module, definition, 2); break;
        default: return 0;
        }
    }
    return 0;
}

/* Reads image operands, whose words come in the order of their bits (SPIR-V 3.14). Those behind the sample say nothing of where
 * a texel lies, but for MinLod. */
static void read_operands(struct ws_texel *texel, const struct ws_module *module,
                          const struct ws_instruction *instruction, uint32_t first)
{
    const uint32_t mask = ws_operand(module, instruction, first);
    uint32_t next = first + 1;
    if ((mask & SpvImageOperandsBiasMask) != 0)
        texel->bias_id = ws_operand(module, instruction, next++);
    if ((mask & SpvImageOperandsLodMask) != 0)
        texel->level_id = ws_operand(module, instruction, next++);
    if ((mask & SpvImageOperandsGradMask) != 0)
        for (uint32_t i = 0; i < 2; i++)
            texel->gradient_ids[i] = ws_operand(module, instruction, next++);
    if ((mask & (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask)) != 0)
        texel->offset_id = ws_operand(module, instruction, next++);
    if ((mask & SpvImageOperandsConstOffsetsMask) != 0)
        texel->offsets_id = ws_operand(module, instruction, next++);
    if ((mask & SpvImageOperandsSampleMask) != 0)
        texel->sample_id = ws_operand(module, instruction, next++);
    if ((mask & SpvImageOperandsMinLodMask) != 0)
        texel->least_level_id = ws_operand(module, instruction, next);
}

/* An atomic: its pointer is a texel of an image. */
static const char *find_pointed(struct ws_texel *texel, const struct ws_module *module,
                                const struct ws_instruction *atomic)
{
    const bool has_result = atomic->opcode != SpvOpAtomicStore && atomic->opcode != SpvOpAtomicFlagClear;
    const struct ws_instruction *made =
        ws_module_definition(module, ws_operand(module, atomic, has_result ? 2 : 0));
    if (made == NULL || made->opcode != SpvOpImageTexelPointer)
        return no_pointer;
    texel->pointer = ws_operand(module, made, 2);
    texel->coordinate_id = ws_operand(module, made, 3);
    const struct ws_instruction *type =
        ws_module_definition(module, ws_module_type_of(module, texel->pointer));
    if (type == NULL || type->opcode != SpvOpTypePointer)
        return no_image;
    const char *reason = read_type(texel, module, ws_operand(module, type, 2));
    texel->sample_id = texel->is_multisampled ? ws_operand(module, made, 4) : 0;
    return reason;
}

const char *ws_texel_find(struct ws_texel *texel, const struct ws_module *module,
                          const struct ws_instruction *instruction)
{
    const struct shape shape = shape_of(instruction->opcode);
    *texel = (struct ws_texel){0};
    if (shape.mask == 0)
        return find_pointed(texel, module, instruction);
    texel->coordinates = shape.coordinates;
    texel->implicit_level = shape.implicit_level;
    texel->image = ws_operand(module, instruction, shape.coordinate - 1);
    texel->coordinate_id = ws_operand(module, instruction, shape.coordinate);
    texel->pointer = pointer_of(module, texel->image, false);
    texel->is_gather = shape.is_gather;
    if (ws_texel_is_sampled(texel))
        texel->sampler = pointer_of(module, texel->image, true);
    const char *reason = read_type(texel, module, ws_module_type_of(module, texel->image));
    read_operands(texel, module, instruction, shape.mask);
    if (reason == NULL && texel->dim == SpvDimRect && texel->coordinates != WS_TEXEL_INTEGERS)
        return rectangle;
    return reason;
}
