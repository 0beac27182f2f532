/* Accesses to memory (pass.h, ws_visit_count_access and ws_visit_record_accesses): the code that computes their addresses, and
 * their rows and records. */
#include "warpscope/spirv/access.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/instrument/shadows.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/pointers.h"
#include "warpscope/spirv/stretches.h"
#include "warpscope/spirv/texels.h"
#include "warpscope/texel_shifts.h"

static const char *const no_ballots = "the stage has no subgroup operations";
static const char *const no_shuffles = "the device has no subgroup shuffles";
static const char *const no_index = "an index of its address is no integer";
static const char *const no_coordinate = "the coordinates of its texel are not known";
static const char *const no_texels = "texels of images: what is read is not what lies there";

/* Arguments of the primitives: which address, as ids. */
struct address {
    uint32_t low;
    uint32_t high;
};

static uint32_t emit(struct ws_visit *visit, SpvOp opcode, uint32_t type, uint32_t left, uint32_t right)
{
    return ws_emit(visit->runner->editor, visit->cursor, (uint16_t)opcode, type, (uint32_t[]){left, right},
                   2);
}

/* The module's unsigned 64-bit integers; 0 where it has none. */
static uint32_t find_u64(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->instruction_count && module->instructions[i].opcode != SpvOpFunction;
         i++)
        if (module->instructions[i].opcode == SpvOpTypeInt &&
            ws_operand(module, &module->instructions[i], 1) == 64 &&
            ws_operand(module, &module->instructions[i], 2) == 0)
            return ws_operand(module, &module->instructions[i], 0);
    return 0;
}

/* A device address is the pointer's bits. SPV_KHR_physical_storage_buffer lets OpBitcast make two words of it, but validators
 * refuse that of a pointer to numbers of 16 bits where the module may only load and store these. Modules that have 64-bit
 * integers take OpConvertPtrToU. */
static void put_pointer(struct ws_visit *visit, uint32_t pointer, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t u64 = find_u64(visit->runner->module);
    const uint32_t pair = ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){u32, 2}, 2);
    if (u64 != 0)
        pointer = ws_emit(editor, visit->cursor, SpvOpConvertPtrToU, u64, &pointer, 1);
    const uint32_t bits = ws_emit(editor, visit->cursor, SpvOpBitcast, pair, &pointer, 1);
    address->low = emit(visit, SpvOpCompositeExtract, u32, bits, 0);
    address->high = emit(visit, SpvOpCompositeExtract, u32, bits, 1);
}

/* The layouts of the module are needed. False on no memory. */
static bool need_layouts(struct ws_runner *runner)
{
    if (runner->layouts == NULL)
        runner->layouts = ws_layouts_create(runner->module);
    return runner->layouts != NULL ||
           ws_editor_fail(runner->editor, "out of memory for the layouts of a module");
}

/* One half of the shadow of a pointer that is chosen while the shader runs (shadows.h); 0 after a failure. */
static uint32_t put_shadow(struct ws_visit *visit, uint32_t pointer, uint32_t half)
{
    struct ws_runner *runner = visit->runner;
    if (runner->shadows == NULL)
        runner->shadows = ws_shadows_create(runner->editor, runner->layouts);
    if (runner->shadows == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the pointers of a module");
        return 0;
    }
    const uint32_t shadow = ws_shadows_find(runner->shadows, pointer);
    return emit(visit, SpvOpCompositeExtract, ws_type_u32(runner->editor), shadow, half);
}

/* Begins an offset at a pointer that is chosen while the shader runs. Workgroup memory has one address: of each of several
 * variables another multiple of 2^24, so that banks stay what they are. */
static void put_base(struct ws_visit *visit, const struct ws_access *access, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    address->low = emit(visit, SpvOpIAdd, u32, put_shadow(visit, access->base, 0), address->low);
    if (!access->varies)
        return;
    address->high = put_shadow(visit, access->base, 1);
    if (access->variable != 0)
        address->high =
            emit(visit, SpvOpBitwiseAnd, u32, address->high, ws_constant_u32(editor, WS_PLACE_ELEMENT_MASK));
    else if (access->memory == WS_MEMORY_WORKGROUP)
        address->low = emit(visit, SpvOpIAdd, u32, address->low, address->high);
}

/* Of a buffer the offset, and the element of its array. False where an index is no integer. */
static bool put_offset(struct ws_visit *visit, const struct ws_access *access, struct address *address)
{
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    address->low = ws_constant_u32(editor, (uint32_t)access->offset);
    address->high = ws_constant_u32(editor, access->descriptor);
    if (access->descriptor_id != 0 && ws_visit_words(visit, access->descriptor_id, &address->high, 1) != 1)
        return false;
    if (access->base != 0)
        put_base(visit, access, address);
    for (uint32_t i = 0; i < access->term_count; i++) {
        uint32_t index = 0;
        if (ws_visit_words(visit, access->terms[i].id, &index, 1) != 1)
            return false;
        const uint32_t scale = ws_constant_u32(editor, access->terms[i].scale);
        address->low = emit(visit, SpvOpIAdd, u32, address->low, emit(visit, SpvOpIMul, u32, index, scale));
    }
    return true;
}

static uint32_t log2_of(uint32_t unit)
{
    uint32_t log2 = 0;
    while (1u << (log2 + 1) <= unit)
        log2++;
    return log2;
}

/* ---- texels of images (warpscope/spirv/texels.h) ---- */

#define LAYER_BITS      12
#define SAMPLE_SHIFT    8 /* a sample is so many layers */
#define DESCRIPTOR_MASK 0x7ffu

/* A texel, as ids of words. */
struct texel_place {
    uint32_t at[3]; /* its coordinates */
    uint32_t layer; /* 0 = there is one */
    uint32_t level; /* 0 = there is one */
};

/* An access to texels that is put. */
struct texels {
    struct ws_visit *visit;
    struct ws_texel texel;
    uint32_t axes;
    uint32_t image; /* of a sample: id of the image alone */
};

static uint32_t call(struct ws_visit *visit, const char *primitive, const uint32_t *arguments, uint32_t count)
{
    return ws_visit_call(visit, primitive, arguments, count);
}

static uint32_t constant(struct ws_visit *visit, uint32_t value)
{
    return ws_constant_u32(visit->runner->editor, value);
}

/* Takes what integers say: of a cube the third one is the face, and six times the layer. */
static bool put_integers(struct texels *texels, struct texel_place *place)
{
    struct ws_visit *visit = texels->visit;
    const struct ws_texel *texel = &texels->texel;
    const uint32_t u32 = ws_type_u32(visit->runner->editor);
    const bool has_layer = texel->is_arrayed || texel->dim == SpvDimCube;
    uint32_t words[4];
    uint32_t offsets[3];
    if (ws_visit_words(visit, texel->coordinate_id, words, 4) < texels->axes + has_layer ||
        (texel->offset_id != 0 &&
         ws_visit_words(visit, texel->offset_id, offsets, texels->axes) < texels->axes))
        return false;
    for (uint32_t i = 0; i < texels->axes; i++) {
        place->at[i] = texel->offset_id != 0 ? emit(visit, SpvOpIAdd, u32, words[i], offsets[i]) : words[i];
        if (texel->dim == SpvDimSubpassData)
            place->at[i] = call(visit, "texel_pixel", (uint32_t[]){constant(visit, i), place->at[i]}, 2);
        if (place->at[i] == 0)
            return false;
    }
    place->layer = has_layer ? words[texels->axes] : 0;
    return texel->level_id == 0 || ws_visit_words(visit, texel->level_id, &place->level, 1) == 1;
}

/* The image of a sampled image, which queries of sizes take. */
static uint32_t put_image(const struct texels *texels)
{
    struct ws_runner *runner = texels->visit->runner;
    const uint32_t sampled = texels->texel.image;
    const struct ws_instruction *definition = ws_module_definition(runner->module, sampled);
    if (definition->opcode == SpvOpSampledImage)
        return ws_operand(runner->module, definition, 2);
    const uint32_t image =
        ws_emit(runner->editor, texels->visit->cursor, SpvOpImage, texels->texel.type, &sampled, 1);
    if (ws_access_is_non_uniform(runner->layouts, sampled))
        ws_editor_append(runner->editor, WS_SECTION_ANNOTATION, SpvOpDecorate,
                         (uint32_t[]){image, SpvDecorationNonUniform}, 2);
    return image;
}

/* How many texels each axis of level 0 has, and layers, as ids. Some devices take the level of one lane for all: so it is
 * always asked for level 0, and each lane halves it (Vulkan specification, Image Miplevel Sizing). */
static void put_size(const struct texels *texels, uint32_t sizes[4])
{
    struct ws_editor *editor = texels->visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t count = texels->axes + texels->texel.is_arrayed;
    const uint32_t type =
        count == 1 ? u32 : ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){u32, count}, 2);
    const uint32_t size =
        emit(texels->visit, SpvOpImageQuerySizeLod, type, texels->image, constant(texels->visit, 0));
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = count == 1 ? size : emit(texels->visit, SpvOpCompositeExtract, u32, size, i);
}

/* The level that the device chooses by derivatives, as bits of a float. `as_asked`: not yet clamped to those of sampler and
 * image. */
static uint32_t put_implicit_level(const struct texels *texels, const uint32_t *words, uint32_t count,
                                   bool as_asked)
{
    struct ws_visit *visit = texels->visit;
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t f32 = ws_global_find(editor, SpvOpTypeFloat, 0, (uint32_t[]){32}, 1);
    const uint32_t pair = ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){f32, 2}, 2);
    const bool has_bias = texels->texel.bias_id != 0;
    uint32_t floats[3];
    uint32_t level = 0;
    for (uint32_t i = 0; i < count; i++)
        floats[i] = ws_emit(editor, visit->cursor, SpvOpBitcast, f32, &words[i], 1);
    if (count > 1)
        floats[0] =
            ws_emit(editor, visit->cursor, SpvOpCompositeConstruct,
                    ws_global_find(editor, SpvOpTypeVector, 0, (uint32_t[]){f32, count}, 2), floats, count);
    const uint32_t queried = emit(visit, SpvOpImageQueryLod, pair, texels->texel.image, floats[0]);
    /* Its first word is the level that is read, its second what a bias is added to. */
    const uint32_t value = emit(visit, SpvOpCompositeExtract, f32, queried, has_bias || as_asked);
    level = ws_emit(editor, visit->cursor, SpvOpBitcast, ws_type_u32(editor), &value, 1);
    uint32_t bias = 0;
    if (has_bias)
        level = ws_visit_words(visit, texels->texel.bias_id, &bias, 1) == 1
                    ? call(visit, "texel_sum", (uint32_t[]){level, bias}, 2)
                    : 0;
    return level;
}

/* The level by given derivatives, likewise; 0 where it is not known. Of a cube they are those of the direction `at`. */
static uint32_t put_gradient_level(const struct texels *texels, const uint32_t *at)
{
    struct ws_visit *visit = texels->visit;
    const bool is_cube = texels->texel.dim == SpvDimCube;
    const uint32_t zero = constant(visit, 0);
    const uint32_t count = texels->axes + is_cube;
    uint32_t sizes[4];
    uint32_t words[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < 2; i++)
        if (ws_visit_words(visit, texels->texel.gradient_ids[i], words + (size_t)3 * i, count) < count)
            return 0;
    put_size(texels, sizes);
    if (is_cube)
        return call(visit, "texel_gradient_cube",
                    (uint32_t[]){call(visit, "texel_face", at, 3), at[0], at[1], at[2], words[0], words[1],
                                 words[2], words[3], words[4], words[5], sizes[0]},
                    11);
    for (uint32_t i = 0; i < texels->axes; i++)
        words[6 + i] = sizes[i];
    return call(visit, "texel_gradient", words, 9);
}

static bool is_zero(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *value = ws_module_definition(module, id);
    return value != NULL &&
           (value->opcode == SpvOpConstantNull ||
            (value->opcode == SpvOpConstant && value->length == 4 && ws_operand(module, value, 2) == 0));
}

/* What instruction or derivatives say of the level, as bits of a float; 0 where it is not known. `words` are `count`
 * coordinates. */
static uint32_t put_asked_level(const struct texels *texels, const uint32_t *words, uint32_t count,
                                bool as_asked)
{
    struct ws_visit *visit = texels->visit;
    const struct ws_texel *texel = &texels->texel;
    uint32_t level = 0;
    uint32_t least = 0;
    if (texel->implicit_level)
        level = put_implicit_level(texels, words, count, as_asked);
    else if (texel->gradient_ids[0] != 0)
        level = put_gradient_level(texels, words);
    else if (texel->level_id == 0)
        level = constant(visit, 0);
    else
        ws_visit_words(visit, texel->level_id, &level, 1);
    if (texel->least_level_id == 0)
        return level;
    return ws_visit_words(visit, texel->least_level_id, &least, 1) == 1
               ? call(visit, "texel_larger", (uint32_t[]){level, least}, 2)
               : 0;
}

static uint32_t put_levels(const struct texels *texels)
{
    struct ws_editor *editor = texels->visit->runner->editor;
    return ws_emit(editor, texels->visit->cursor, SpvOpImageQueryLevels, ws_type_u32(editor), &texels->image,
                   1);
}

/* The level of a sample: `place->level` stays 0 where it is level 0. `words` are `count` coordinates. */
static bool put_level(const struct texels *texels, const uint32_t *words, uint32_t count,
                      struct texel_place *place)
{
    struct ws_visit *visit = texels->visit;
    const struct ws_texel *texel = &texels->texel;
    if (!texel->implicit_level && texel->gradient_ids[0] == 0 &&
        (texel->level_id == 0 || is_zero(visit->runner->module, texel->level_id)) &&
        texel->least_level_id == 0)
        return true;
    const uint32_t level = put_asked_level(texels, words, count, false);
    const uint32_t levels = put_levels(texels);
    place->level = call(visit, "texel_level", (uint32_t[]){level, levels}, 2);
    return place->level != 0;
}

/* Has a direction that points to a face of a cube be the place on it. Returns the face. */
static uint32_t put_face(struct ws_visit *visit, uint32_t words[3])
{
    const uint32_t face = call(visit, "texel_face", words, 3);
    uint32_t at[2];
    for (uint32_t i = 0; i < 2; i++)
        at[i] = call(visit, "texel_face_at",
                     (uint32_t[]){face, constant(visit, i), words[0], words[1], words[2]}, 5);
    words[0] = at[0];
    words[1] = at[1];
    return face;
}

/* Takes what parts of the image say. */
static bool put_parts(struct texels *texels, struct texel_place *place)
{
    struct ws_visit *visit = texels->visit;
    struct ws_editor *editor = visit->runner->editor;
    const struct ws_texel *texel = &texels->texel;
    const uint32_t u32 = ws_type_u32(editor);
    const bool is_cube = texel->dim == SpvDimCube;
    const uint32_t count = texels->axes + is_cube;
    const bool is_projected = texel->coordinates == WS_TEXEL_PROJECTED;
    uint32_t words[4];
    uint32_t sizes[4];
    uint32_t offsets[3] = {0};
    if (ws_visit_words(visit, texel->coordinate_id, words, 4) < count + texel->is_arrayed + is_projected ||
        (texel->offset_id != 0 &&
         ws_visit_words(visit, texel->offset_id, offsets, texels->axes) < texels->axes))
        return false;
    ws_link_declare(editor, SpvCapabilityImageQuery);
    texels->image = put_image(texels);
    for (uint32_t i = 0; i < count && is_projected; i++)
        words[i] = call(visit, "texel_quotient", (uint32_t[]){words[i], words[count]}, 2);
    if (!put_level(texels, words, count, place))
        return false;
    put_size(texels, sizes);
    for (uint32_t i = 0; i < texels->axes && place->level != 0; i++)
        sizes[i] = call(visit, "texel_size", (uint32_t[]){sizes[i], place->level}, 2);
    if (texel->is_arrayed)
        place->layer = call(visit, "texel_layer", (uint32_t[]){words[count], sizes[texels->axes]}, 2);
    if (is_cube) {
        const uint32_t face = put_face(visit, words);
        place->layer = place->layer == 0
                           ? face
                           : emit(visit, SpvOpIAdd, u32, face,
                                  emit(visit, SpvOpIMul, u32, place->layer, constant(visit, 6)));
    }
    for (uint32_t i = 0; i < texels->axes; i++) {
        const uint32_t offset = offsets[i] != 0 ? offsets[i] : constant(visit, 0);
        place->at[i] = call(visit, "texel_at", (uint32_t[]){words[i], sizes[i], offset}, 3);
    }
    return true;
}

/* Computes the index of the texel that an instruction touches, and what tells layers, samples and levels apart (0 = there is
 * one of each). NULL, or why that cannot be. */
static const char *put_texel(struct ws_visit *visit, uint32_t instruction, uint32_t *index, uint32_t *part)
{
    const struct ws_module *module = visit->runner->module;
    const uint32_t u32 = ws_type_u32(visit->runner->editor);
    struct texels texels = {.visit = visit};
    struct texel_place place = {0};
    const char *reason = ws_texel_find(&texels.texel, module, &module->instructions[instruction]);
    const bool has_parts = texels.texel.coordinates != WS_TEXEL_INTEGERS;
    texels.axes = ws_texel_axes(texels.texel.dim);
    if (reason != NULL)
        return reason;
    ws_runner_hand(visit, instruction);
    if (has_parts ? !put_parts(&texels, &place) : !put_integers(&texels, &place))
        return no_coordinate;
    *index = place.at[0];
    if (texels.axes == 2)
        *index = call(visit, "texel_2d", place.at, 2);
    if (texels.axes == 3) {
        *index = call(visit, "texel_3d", place.at, 3);
        place.layer = call(visit, "texel_3d_layer", place.at, 3);
    }
    uint32_t sample = 0;
    if (texels.texel.sample_id != 0 && ws_visit_words(visit, texels.texel.sample_id, &sample, 1) == 1) {
        sample = emit(visit, SpvOpShiftLeftLogical, u32, sample, constant(visit, SAMPLE_SHIFT));
        place.layer = place.layer != 0 ? emit(visit, SpvOpIAdd, u32, place.layer, sample) : sample;
    }
    *part = place.level;
    if (place.level != 0)
        *part = emit(visit, SpvOpBitwiseAnd, u32, place.level, constant(visit, WS_TEXEL_LEVEL_MASK));
    if (place.layer != 0) {
        const uint32_t layer =
            emit(visit, SpvOpShiftLeftLogical, u32,
                 emit(visit, SpvOpBitwiseAnd, u32, place.layer, constant(visit, (1u << LAYER_BITS) - 1)),
                 constant(visit, WS_TEXEL_LEVEL_BITS));
        *part = *part != 0 ? emit(visit, SpvOpBitwiseOr, u32, *part, layer) : layer;
    }
    return *index != 0 ? NULL : no_coordinate;
}

/* Of an image where a texel lies, in bytes; what is apart differs in the high half. NULL, or why that cannot be. */
static const char *put_texel_address(struct ws_visit *visit, const struct ws_access *access,
                                     struct address *address)
{
    const uint32_t u32 = ws_type_u32(visit->runner->editor);
    const uint32_t shift = log2_of(access->size);
    uint32_t index = 0;
    uint32_t part = 0;
    uint32_t descriptor = 0;
    const char *reason = put_texel(visit, visit->instruction, &index, &part);
    if (reason != NULL)
        return reason;
    if (access->descriptor_id != 0) {
        if (ws_visit_words(visit, access->descriptor_id, &descriptor, 1) != 1)
            return no_index;
        descriptor = emit(visit, SpvOpShiftLeftLogical, u32,
                          emit(visit, SpvOpBitwiseAnd, u32, descriptor, constant(visit, DESCRIPTOR_MASK)),
                          constant(visit, WS_TEXEL_LEVEL_BITS + LAYER_BITS));
        part = part != 0 ? emit(visit, SpvOpBitwiseOr, u32, part, descriptor) : descriptor;
    }
    address->low = index;
    address->high = part != 0 ? part : constant(visit, 0);
    if (shift == 0 || access->is_assumed)
        return NULL;
    address->low = emit(visit, SpvOpShiftLeftLogical, u32, index, constant(visit, shift));
    const uint32_t above = emit(visit, SpvOpShiftRightLogical, u32, index, constant(visit, 32 - shift));
    address->high = part == 0 ? above
                              : emit(visit, SpvOpBitwiseOr, u32, above,
                                     emit(visit, SpvOpShiftLeftLogical, u32, part, constant(visit, shift)));
    return NULL;
}

/* Whether all lanes touch the same constant address. */
static bool is_fixed(const struct ws_access *access)
{
    return access->memory != WS_MEMORY_ADDRESS && access->memory != WS_MEMORY_IMAGE && access->base == 0 &&
           !access->varies && access->term_count == 0 && access->descriptor_id == 0;
}

/* Whether it is counted in tiles of all sizes, since the size of its texels is not known. */
static bool has_shifts(const struct ws_access *access)
{
    return access->is_assumed && !is_fixed(access);
}

static uint32_t tag_of(const struct ws_access *access)
{
    const uint32_t tag =
        WS_TAG_MEMORY_ACCESS(access->kind, access->memory, log2_of(access->unit), access->size);
    const uint32_t assumed = access->is_assumed ? WS_TAG_MEMORY_ACCESS_ASSUMED : 0;
    return tag | assumed | (is_fixed(access) ? WS_TAG_MEMORY_ACCESS_FIXED(access->offset) : 0);
}

/* Puts the primitive of an access; its rows begin at `row`. A fixed access has none. NULL when it is done, else why not. */
static const char *put_access(struct ws_visit *visit, const struct ws_access *access, uint32_t row,
                              uint32_t *row_count)
{
    struct ws_runner *runner = visit->runner;
    const bool has_banks = access->memory == WS_MEMORY_WORKGROUP;
    const uint32_t sector_rows = ws_access_pieces(access->size, access->unit, WS_MEMORY_SECTOR);
    const uint32_t words = (access->size + WS_MEMORY_BANK - 1) / WS_MEMORY_BANK;
    struct address address = {0, 0};
    const char *reason = NULL;
    if (runner->plan->functions[visit->function].per_thread)
        return no_ballots;
    if (runner->options->without_records)
        return no_shuffles;
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    if (ws_site_budget_leaves_out(runner->budget, visit->block))
        return ws_site_budget_reason;
    if (is_fixed(access))
        return NULL;
    if (access->memory == WS_MEMORY_ADDRESS)
        put_pointer(visit, access->pointer, &address);
    else if (access->memory == WS_MEMORY_IMAGE)
        reason = put_texel_address(visit, access, &address);
    else if (!put_offset(visit, access, &address))
        reason = no_index;
    if (reason != NULL)
        return reason;
    const uint32_t first = ws_constant_u32(runner->editor, row);
    if (has_shifts(access)) {
        *row_count = WS_TEXEL_SHIFT_ROWS;
        if (access->memory == WS_MEMORY_TEXELS)
            address.low = emit(visit, SpvOpShiftRightLogical, ws_type_u32(runner->editor), address.low,
                               ws_constant_u32(runner->editor, log2_of(WS_TEXEL_SIZE_ASSUMED)));
        return ws_runner_put_probe(runner, visit->function, visit->cursor, WS_PRIMITIVE_COUNT_TEXELS,
                                   (uint32_t[]){first, address.low, address.high}, 3);
    }
    *row_count =
        has_banks ? words : sector_rows + ws_access_pieces(access->size, access->unit, WS_MEMORY_LINE);
    if (has_banks)
        return ws_runner_put_probe(runner, visit->function, visit->cursor, WS_PRIMITIVE_COUNT_BANKS,
                                   (uint32_t[]){first, ws_constant_u32(runner->editor, words), address.low},
                                   3);
    return ws_runner_put_probe(runner, visit->function, visit->cursor, WS_PRIMITIVE_COUNT_ACCESS,
                               (uint32_t[]){first, ws_constant_u32(runner->editor, sector_rows),
                                            ws_constant_u32(runner->editor, access->size), address.low,
                                            address.high},
                               5);
}

/* What the tag of such an access says besides. */
static uint32_t find_shift_tag(const struct ws_visit *visit)
{
    const struct ws_module *module = visit->runner->module;
    struct ws_texel texel;
    ws_texel_find(&texel, module, &module->instructions[visit->instruction]);
    return WS_TAG_MEMORY_ACCESS_SHIFTS | (ws_texel_axes(texel.dim) == 3 ? WS_TAG_MEMORY_ACCESS_SOLID : 0);
}

uint32_t ws_visit_access_count(const struct ws_visit *visit)
{
    return ws_access_count(ws_visit_opcode(visit));
}

bool ws_visit_count_access(struct ws_visit *visit, uint32_t index)
{
    struct ws_runner *runner = visit->runner;
    struct ws_access access;
    const char *reason = NULL;
    if (!need_layouts(runner))
        return false;
    const enum ws_access_result found =
        ws_access_find(runner->layouts, visit->instruction, index, &access, &reason);
    if (found == WS_ACCESS_NONE)
        return false;
    /* The accesses of one instruction are places of their own, beside those of visit.c. */
    const uint64_t place = (uint64_t)ws_runner_visit_offset(visit) << 8 | (0xf0 + index);
    const uint32_t row = ws_runner_find_rows(runner, place);
    uint32_t row_count = 0;
    if (found == WS_ACCESS_FOUND)
        reason = put_access(visit, &access, row, &row_count);
    if (reason != NULL) {
        ws_visit_skip(visit, reason);
        return false;
    }
    const uint32_t tag = tag_of(&access) | (has_shifts(&access) ? find_shift_tag(visit) : 0);
    if (row_count == 0) {
        ws_runner_add_pass_site(visit, tag, WS_SITE_ACCESS, ws_runner_visit_offset(visit), WS_NONE);
        return true;
    }
    ws_site_budget_spend(runner->budget, visit->function, WS_NONE);
    ws_runner_take_rows(runner, visit->function, place, row, row_count);
    for (uint32_t i = 0; i < row_count; i++)
        ws_runner_add_pass_site(visit, i == 0 ? tag : WS_TAG_MEMORY_ACCESS_MORE, WS_SITE_ACCESS,
                                ws_runner_visit_offset(visit), row + i);
    return true;
}

/* ---- records ---- */

uint32_t ws_visit_access_address(struct ws_visit *visit, uint32_t index, uint32_t words[2])
{
    struct ws_access access;
    struct address address = {0, 0};
    const char *reason = NULL;
    if (!need_layouts(visit->runner))
        return 0;
    const enum ws_access_result found =
        ws_access_find(visit->runner->layouts, visit->instruction, index, &access, &reason);
    if (found == WS_ACCESS_NONE || access.memory == WS_MEMORY_WORKGROUP)
        return 0;
    if (found == WS_ACCESS_FOUND && access.memory == WS_MEMORY_ADDRESS)
        put_pointer(visit, access.pointer, &address);
    else if (access.memory == WS_MEMORY_IMAGE)
        reason = reason != NULL ? reason : no_texels;
    else if (found == WS_ACCESS_FOUND && !put_offset(visit, &access, &address))
        reason = no_index;
    if (reason != NULL) {
        ws_visit_skip(visit, reason);
        return 0;
    }
    words[0] = address.low;
    words[1] = address.high;
    return tag_of(&access);
}

static bool need_stretches(struct ws_runner *runner)
{
    if (runner->stretches != NULL)
        return true;
    if (!need_layouts(runner))
        return false;
    struct ws_stretches *stretches = ws_arena_allocate(runner->module->arena, 1, sizeof(*stretches));
    if (stretches == NULL || !ws_stretches_find(stretches, runner->module, runner->layouts))
        return ws_editor_fail(runner->editor, "out of memory for the accesses of a module");
    runner->stretches = stretches;
    return true;
}

/* Counts the accesses of the instruction that are not followed. */
static void skip_unknown(struct ws_visit *visit)
{
    const uint32_t count = ws_visit_access_count(visit);
    for (uint32_t i = 0; i < count; i++) {
        struct ws_access access;
        const char *reason = NULL;
        const enum ws_access_result found =
            ws_access_find(visit->runner->layouts, visit->instruction, i, &access, &reason);
        if (reason != NULL && found != WS_ACCESS_NONE)
            ws_visit_skip(visit, reason);
    }
}

/* Computes a word of a sample; 0 where that cannot be. */
static uint32_t put_sampled(struct ws_visit *visit, const struct ws_stretch_word *word)
{
    const struct ws_module *module = visit->runner->module;
    struct ws_editor *editor = visit->runner->editor;
    const uint32_t u32 = ws_type_u32(editor);
    struct texels texels = {.visit = visit};
    const struct ws_texel *texel = &texels.texel;
    uint32_t at[4];
    uint32_t sizes[4];
    if (ws_texel_find(&texels.texel, module, &module->instructions[word->id]) != NULL)
        return 0;
    texels.axes = ws_texel_axes(texel->dim);
    texels.image = put_image(&texels);
    ws_link_declare(editor, SpvCapabilityImageQuery);
    const bool is_cube = texel->dim == SpvDimCube;
    const uint32_t count = texels.axes + is_cube;
    const bool is_projected = texel->coordinates == WS_TEXEL_PROJECTED;
    const bool derives = texel->implicit_level || texel->gradient_ids[0] != 0;
    if (word->part == WS_STRETCH_AT || word->part == WS_STRETCH_LAYER ||
        (word->part == WS_STRETCH_LEVEL && derives)) {
        if (ws_visit_words(visit, texel->coordinate_id, at, 4) < count + is_projected + texel->is_arrayed)
            return 0;
        for (uint32_t i = 0; i < count && is_projected; i++)
            at[i] = call(visit, "texel_quotient", (uint32_t[]){at[i], at[count]}, 2);
    }
    if (word->part == WS_STRETCH_LEVEL) {
        const uint32_t asked = put_asked_level(&texels, at, count, true);
        if (asked == 0)
            return 0;
        /* One after the other: compilers differ in the order in which arguments are found. */
        const uint32_t queried = put_levels(&texels);
        const uint32_t levels =
            emit(visit, SpvOpBitwiseAnd, u32, queried, constant(visit, WS_TEXEL_LEVEL_MASK));
        const uint32_t level =
            emit(visit, SpvOpBitwiseAnd, u32, asked, constant(visit, ~WS_TEXEL_LEVEL_MASK));
        return emit(visit, SpvOpBitwiseOr, u32, level, levels);
    }
    put_size(&texels, sizes);
    if (word->part == WS_STRETCH_DEPTH)
        return texels.axes == 3 ? sizes[2] : 0;
    if (word->part == WS_STRETCH_SIZE)
        return texels.axes == 1
                   ? sizes[0]
                   : emit(visit, SpvOpBitwiseOr, u32, sizes[0],
                          emit(visit, SpvOpShiftLeftLogical, u32, sizes[1], constant(visit, 16)));
    uint32_t layer = 0;
    if (word->part == WS_STRETCH_LAYER && texel->is_arrayed)
        layer = call(visit, "texel_layer", (uint32_t[]){at[count], sizes[texels.axes]}, 2);
    const uint32_t face = is_cube ? put_face(visit, at) : 0;
    if (word->part == WS_STRETCH_AT)
        return call(visit, "texel_parts",
                    (uint32_t[]){at[word->component], sizes[word->component],
                                 constant(visit, WS_TEXEL_PARTS_EACH), constant(visit, WS_TEXEL_PARTS_MOST)},
                    4);
    if (!is_cube || layer == 0)
        return is_cube ? face : layer;
    return emit(visit, SpvOpIAdd, u32, face, emit(visit, SpvOpIMul, u32, layer, constant(visit, 6)));
}

/* Computes numbers of one value that follow each other, `most` at most. Returns how many; 0 where it has none there. */
static uint32_t put_components(struct ws_visit *visit, const struct ws_stretch_word *first, uint32_t most,
                               uint32_t *words)
{
    uint32_t numbers[3 * WS_STRETCH_OFFSETS_MAX];
    uint32_t count = 1;
    while (count < most && first[count].part == WS_STRETCH_COMPONENT && first[count].id == first->id &&
           first[count].component == first->component + count)
        count++;
    if (ws_visit_words(visit, first->id, numbers, first->component + count) != first->component + count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        words[i] = numbers[first->component + i];
    return count;
}

/* Computes the words of a stretch. False where one is no integer. */
static bool put_words(struct ws_visit *visit, const struct ws_stretch *stretch, uint32_t *words)
{
    for (uint32_t i = 0; i < stretch->word_count; i++) {
        const struct ws_stretch_word *word = &stretch->words[i];
        struct address address = {0, 0};
        uint32_t part = 0;
        switch (word->part) {
        case WS_STRETCH_VALUE:
            if (ws_visit_words(visit, word->id, &words[i], 1) != 1)
                return false;
            break;
        case WS_STRETCH_OFFSET: words[i] = put_shadow(visit, word->id, 0); break;
        case WS_STRETCH_PLACE: words[i] = put_shadow(visit, word->id, 1); break;
        case WS_STRETCH_ADDRESS:
            put_pointer(visit, word->id, &address);
            words[i++] = address.low;
            words[i] = address.high;
            break;
        case WS_STRETCH_TEXEL:
            if (put_texel(visit, word->id, &words[i], &part) != NULL)
                return false;
            if (i + 1 < stretch->word_count && word[1].part == WS_STRETCH_PART)
                words[++i] = part != 0 ? part : constant(visit, 0);
            break;
        case WS_STRETCH_PART: return false; /* it stands behind its texel */
        case WS_STRETCH_COMPONENT:
            part = put_components(visit, word, stretch->word_count - i, &words[i]);
            if (part == 0)
                return false;
            i += part - 1;
            break;
        case WS_STRETCH_AT:
        case WS_STRETCH_LEVEL:
        case WS_STRETCH_SIZE:
        case WS_STRETCH_DEPTH:
        case WS_STRETCH_LAYER:
            words[i] = put_sampled(visit, word);
            if (words[i] == 0)
                return false;
            break;
        }
    }
    return true;
}

static void record_words(struct ws_visit *visit, const struct ws_stretch *stretch)
{
    const struct ws_stretch_access *accesses = visit->runner->stretches->accesses + stretch->access_first;
    uint32_t words[WS_STRETCH_WORDS_MAX];
    /* Of samples that share a word only one is read, and each is a use of it. */
    for (uint32_t i = 0; i < stretch->access_count; i++)
        ws_runner_hand(visit, accesses[i].instruction);
    if (put_words(visit, stretch, words))
        ws_visit_record_data(visit, ws_stretch_tag(visit->runner->stretches, stretch), words,
                             stretch->word_count);
    else
        ws_visit_skip(visit, no_index);
}

static void record_stretch(struct ws_visit *visit, const struct ws_stretch *stretch)
{
    struct ws_runner *runner = visit->runner;
    if (ws_site_budget_leaves_out(runner->budget, visit->block))
        ws_visit_skip(visit, ws_site_budget_reason);
    else if (stretch->word_count == 0)
        ws_visit_record(visit, ws_stretch_tag(runner->stretches, stretch));
    else if (ws_visit_can_record(visit))
        record_words(visit, stretch);
}

void ws_visit_record_accesses(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    if (!need_stretches(runner))
        return;
    skip_unknown(visit);
    const struct ws_stretches *stretches = runner->stretches;
    const struct ws_stretch *stretch = ws_stretches_at(stretches, visit->instruction);
    for (; stretch != NULL && stretch < stretches->list + stretches->count &&
           stretch->instruction == visit->instruction;
         stretch++)
        record_stretch(visit, stretch);
}
