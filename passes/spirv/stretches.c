#include "warpscope/spirv/stretches.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/texels.h"

#define DEPTH_MAX 16 /* of sums in sums, and of pointers made of pointers */
#define STEPS_MAX 64 /* values of which one address is put together */

/* ---- values: which are equal ---- */

#define OPERANDS_MAX 8   /* of an instruction whose results are compared */
#define SLOTS        256 /* instructions of a block that are remembered; of two with one slot the later */

/* An instruction by which a value was made. */
struct made {
    uint32_t block;   /* number of the block that it stands in, from 1; 0 = free */
    uint32_t version; /* of what it loads; 0 for what loads nothing */
    uint32_t id;      /* of the value */
    uint32_t opcode;
    uint32_t count;
    uint32_t operands[OPERANDS_MAX]; /* its type, and values that stand for its operands */
};

struct values {
    const struct ws_module *module;
    uint32_t *same;     /* per id: an equal value that is known at least as early; 0 = itself */
    uint32_t *versions; /* per id of a variable: how often it was stored to */
    uint32_t version;   /* how often anything may have changed all variables */
    uint32_t stores;    /* to variables: each may change what a parameter points to */
    uint32_t block;
    struct made made[SLOTS];
};

static uint32_t value_of(const struct values *values, uint32_t id)
{
    return id < values->module->bound && values->same[id] != 0 ? values->same[id] : id;
}

/* Whether equal operands make equal results, always. */
static bool is_pure(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCompositeExtract:
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpConvertUToPtr:
    case SpvOpBitcast: return true;
    default: return false;
    }
}

/* Operands that are numbers and no ids, such as the places of CompositeExtract: from which operand on. */
static uint32_t literals_from(uint16_t opcode)
{
    return opcode == SpvOpCompositeExtract ? 3 : opcode == SpvOpVectorShuffle ? 4 : UINT32_MAX;
}

/* The variable, or the parameter, that a pointer comes from; NULL = not known. */
static const struct ws_instruction *root_of(const struct ws_module *module, uint32_t pointer)
{
    for (uint32_t i = 0; i < DEPTH_MAX; i++) {
        const struct ws_instruction *definition = ws_module_definition(module, pointer);
        if (definition == NULL || definition->opcode == SpvOpVariable ||
            definition->opcode == SpvOpFunctionParameter)
            return definition;
        if (definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain)
            return NULL;
        pointer = ws_operand(module, definition, 2);
    }
    return NULL;
}

/* Whether what lies there changes only by stores and calls of its own invocation, if at all: by the storage class of the
 * pointer. */
static bool is_steady(const struct ws_module *module, const struct ws_instruction *root)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, root, 0));
    if (type == NULL || type->opcode != SpvOpTypePointer)
        return false;
    switch ((SpvStorageClass)ws_operand(module, type, 1)) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassInput:
    case SpvStorageClassPushConstant: return true;
    default: return false;
    }
}

/* The place in the table for a key, which is all of it but the id. */
static struct made *find_made(struct values *values, const struct made *key)
{
    uint64_t hash = ((uint64_t)key->opcode << 32 | key->version) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < key->count; i++)
        hash = (hash ^ key->operands[i]) * 0x9e3779b97f4a7c15u;
    return &values->made[hash >> 32 & (SLOTS - 1)];
}

static bool is_equal(const struct made *left, const struct made *right)
{
    return left->block == right->block && left->version == right->version && left->opcode == right->opcode &&
           left->count == right->count &&
           memcmp(left->operands, right->operands, left->count * sizeof(left->operands[0])) == 0;
}

/* Notes that `id` is what the key makes; or that it is equal to what the key has made already. */
static void make(struct values *values, struct made *key)
{
    struct made *made = find_made(values, key);
    if (is_equal(made, key))
        values->same[key->id] = made->id;
    else
        *made = *key;
}

/* The key of a load by this pointer. False where what is loaded may have changed. */
static bool load_key(const struct values *values, uint32_t pointer, uint32_t type, struct made *key)
{
    const struct ws_module *module = values->module;
    const struct ws_instruction *root = root_of(module, pointer);
    if (root == NULL || !is_steady(module, root))
        return false;
    const bool is_variable = root->opcode == SpvOpVariable;
    const uint32_t stores = is_variable ? values->versions[ws_operand(module, root, 1)] : values->stores;
    *key = (struct made){.block = values->block,
                         .version = 1 + values->version + stores,
                         .opcode = SpvOpLoad,
                         .count = 2,
                         .operands = {type, value_of(values, pointer)}};
    return true;
}

static void see_load(struct values *values, const struct ws_instruction *load)
{
    const struct ws_module *module = values->module;
    struct made key;
    if ((ws_operand(module, load, 3) & SpvMemoryAccessVolatileMask) != 0 ||
        !load_key(values, ws_operand(module, load, 2), ws_operand(module, load, 0), &key))
        return;
    key.id = ws_operand(module, load, 1);
    make(values, &key);
}

static void see_store(struct values *values, const struct ws_instruction *store)
{
    const struct ws_module *module = values->module;
    const uint32_t pointer = ws_operand(module, store, 0);
    const struct ws_instruction *root = root_of(module, pointer);
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    struct made key;
    if (root == NULL || root->opcode != SpvOpVariable) { /* it may point to any variable */
        values->version++;
        return;
    }
    values->stores++;
    values->versions[ws_operand(module, root, 1)]++;
    const struct ws_instruction *type =
        definition->length > 1 ? ws_module_definition(module, ws_operand(module, definition, 0)) : NULL;
    if (type == NULL || type->opcode != SpvOpTypePointer ||
        (ws_operand(module, store, 2) & SpvMemoryAccessVolatileMask) != 0 ||
        !load_key(values, pointer, ws_operand(module, type, 2), &key))
        return;
    key.id = value_of(values, ws_operand(module, store, 1));
    *find_made(values, &key) = key;
}

static void see_pure(struct values *values, const struct ws_instruction *instruction)
{
    const struct ws_module *module = values->module;
    const uint32_t literals = literals_from(instruction->opcode);
    struct made key = {
        .block = values->block, .opcode = instruction->opcode, .id = ws_operand(module, instruction, 1)};
    if (instruction->length < 3u || instruction->length - 2u > OPERANDS_MAX)
        return;
    key.operands[key.count++] = ws_operand(module, instruction, 0);
    for (uint32_t i = 2; i + 1u < instruction->length; i++) {
        const uint32_t operand = ws_operand(module, instruction, i);
        key.operands[key.count++] = i >= literals ? operand : value_of(values, operand);
    }
    make(values, &key);
}

/* Whether the instruction may change variables other than by a store that names one. */
static bool changes(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const uint32_t extended = ws_operand(module, instruction, 3);
    switch ((SpvOp)instruction->opcode) {
    case SpvOpLabel: /* other blocks may have run */
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: return true;
    case SpvOpExtInst: return extended == GLSLstd450Modf || extended == GLSLstd450Frexp;
    default: return ws_instruction_calls(instruction);
    }
}

/* Takes in an instruction, in the order of the module. */
static void see(struct values *values, const struct ws_instruction *instruction)
{
    if (instruction->opcode == SpvOpLabel)
        values->block++;
    if (changes(values->module, instruction))
        values->version++;
    else if (instruction->opcode == SpvOpLoad)
        see_load(values, instruction);
    else if (instruction->opcode == SpvOpStore)
        see_store(values, instruction);
    else if (is_pure(instruction->opcode))
        see_pure(values, instruction);
}

/* ---- addresses: constants and words ---- */

/* An address that is being put together. */
struct sum {
    const struct values *values;
    struct ws_stretch *stretch; /* gets the words */
    struct ws_stretch_access *access;
    bool parts; /* sums of values are taken apart */
    bool full;  /* of words, or of terms */
    uint32_t steps;
};

/* The place of a value among the words; of an address that of its low half. */
static uint32_t add_component(struct sum *sum, uint32_t id, enum ws_stretch_part part, uint32_t component)
{
    struct ws_stretch *stretch = sum->stretch;
    for (uint32_t i = 0; i < stretch->word_count; i++)
        if (stretch->words[i].id == id && stretch->words[i].part == part &&
            stretch->words[i].component == component)
            return i;
    const uint32_t count = part == WS_STRETCH_ADDRESS ? 2 : 1;
    if (stretch->word_count + count > WS_STRETCH_WORDS_MAX) {
        sum->full = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        stretch->words[stretch->word_count + i] = (struct ws_stretch_word){id, part, component};
    stretch->word_count += count;
    return stretch->word_count - count;
}

static uint32_t add_word(struct sum *sum, uint32_t id, enum ws_stretch_part part)
{
    return add_component(sum, id, part, 0);
}

static void add_term(struct sum *sum, uint32_t id, uint32_t scale)
{
    struct ws_stretch_access *access = sum->access;
    const uint32_t word = add_word(sum, id, WS_STRETCH_VALUE);
    for (uint32_t i = 0; i < access->term_count; i++) {
        if (access->terms[i].word == word) {
            access->terms[i].scale += scale;
            return;
        }
    }
    if (access->term_count == WS_ACCESS_TERMS_MAX)
        sum->full = true;
    else
        access->terms[access->term_count++] = (struct ws_stretch_term){word, scale};
}

static bool is_constant(const struct ws_module *module, uint32_t id, uint32_t *value)
{
    const struct ws_instruction *constant = ws_module_definition(module, id);
    if (constant == NULL || constant->opcode != SpvOpConstant)
        return false;
    *value = ws_operand(module, constant, 2);
    return true;
}

/* Whether a value is one integer of 32 bits. */
static bool is_word(const struct ws_module *module, const struct ws_instruction *definition)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, definition, 0));
    return type != NULL && type->opcode == SpvOpTypeInt && ws_operand(module, type, 1) == 32;
}

static void add_value(struct sum *sum, uint32_t id, uint32_t scale, uint32_t depth);

/* Adds a sum or difference by its two sides, where one is constant or sums are taken apart. */
static bool add_sides(struct sum *sum, const struct ws_instruction *definition, uint32_t scale,
                      uint32_t depth)
{
    const struct ws_module *module = sum->values->module;
    const uint32_t left = ws_operand(module, definition, 2);
    const uint32_t right = ws_operand(module, definition, 3);
    uint32_t unused = 0;
    if (!sum->parts && !is_constant(module, left, &unused) && !is_constant(module, right, &unused))
        return false;
    add_value(sum, left, scale, depth + 1);
    add_value(sum, right, definition->opcode == SpvOpISub ? 0 - scale : scale, depth + 1);
    return true;
}

/* Adds a product by the side that is not constant. */
static bool add_multiple(struct sum *sum, const struct ws_instruction *definition, uint32_t scale,
                         uint32_t depth)
{
    const struct ws_module *module = sum->values->module;
    const uint32_t left = ws_operand(module, definition, 2);
    const uint32_t right = ws_operand(module, definition, 3);
    const bool shifts = definition->opcode == SpvOpShiftLeftLogical;
    uint32_t factor = 0;
    if (is_constant(module, right, &factor) && (!shifts || factor < 32))
        add_value(sum, left, shifts ? scale << factor : scale * factor, depth + 1);
    else if (!shifts && is_constant(module, left, &factor))
        add_value(sum, right, scale * factor, depth + 1);
    else
        return false;
    return true;
}

/* Adds a value times `scale`. */
static void add_value(struct sum *sum, uint32_t id, uint32_t scale, uint32_t depth)
{
    const struct ws_module *module = sum->values->module;
    const uint32_t value = value_of(sum->values, id);
    const struct ws_instruction *definition = ws_module_definition(module, value);
    uint32_t number = 0;
    bool added = false;
    if (sum->full)
        return;
    if (is_constant(module, value, &number)) {
        sum->access->offset += (uint64_t)((int64_t)(int32_t)number * (int32_t)scale);
        return;
    }
    if (definition != NULL && depth < DEPTH_MAX && sum->steps++ < STEPS_MAX && is_word(module, definition)) {
        switch ((SpvOp)definition->opcode) {
        case SpvOpIAdd:
        case SpvOpISub: added = add_sides(sum, definition, scale, depth); break;
        case SpvOpIMul:
        case SpvOpShiftLeftLogical: added = add_multiple(sum, definition, scale, depth); break;
        case SpvOpBitcast:
        case SpvOpCopyObject: {
            const uint32_t from = ws_operand(module, definition, 2);
            const struct ws_instruction *source = ws_module_definition(module, from);
            added = source != NULL && source->length > 2 && is_word(module, source);
            if (added)
                add_value(sum, from, scale, depth + 1);
            break;
        }
        default: break;
        }
    }
    if (!added)
        add_term(sum, value, scale);
}

static bool is_same_value(const struct values *values, uint32_t left, uint32_t right)
{
    return value_of(values, left) == value_of(values, right);
}

/* Whether two texels that are no samples have equal words. */
static bool is_same_texel(const struct values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    return !ws_texel_is_sampled(left) && !ws_texel_is_sampled(right) && left->dim == right->dim &&
           left->is_arrayed == right->is_arrayed &&
           is_same_value(values, left->coordinate_id, right->coordinate_id) &&
           is_same_value(values, left->level_id, right->level_id) &&
           is_same_value(values, left->offset_id, right->offset_id) &&
           is_same_value(values, left->sample_id, right->sample_id);
}

/* Whether two samples have equal sizes. */
static bool is_same_image(const struct values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    return ws_texel_is_sampled(left) && ws_texel_is_sampled(right) && left->pointer != 0 &&
           is_same_value(values, left->pointer, right->pointer);
}

/* Whether they have equal coordinates. */
static bool is_same_place(const struct values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    return left->coordinates == right->coordinates &&
           is_same_value(values, left->coordinate_id, right->coordinate_id);
}

/* Whether they have equal levels too: the sampler has a part in that of derivatives. */
static bool is_same_level(const struct values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!is_same_value(values, left->gradient_ids[i], right->gradient_ids[i]))
            return false;
    return is_same_image(values, left, right) && is_same_place(values, left, right) &&
           left->implicit_level == right->implicit_level && left->sampler != 0 &&
           is_same_value(values, left->sampler, right->sampler) &&
           is_same_value(values, left->level_id, right->level_id) &&
           is_same_value(values, left->bias_id, right->bias_id) &&
           is_same_value(values, left->least_level_id, right->least_level_id);
}

/* ---- samples ---- */

/* The place of a word that a sample has of its image, or of its level, or of its layer. */
static uint32_t add_of_image(struct sum *sum, const struct ws_texel *texel, uint32_t instruction,
                             enum ws_stretch_part part, uint32_t component)
{
    const struct ws_module *module = sum->values->module;
    const struct ws_stretch *stretch = sum->stretch;
    for (uint32_t i = 0; i < stretch->word_count; i++) {
        struct ws_texel other;
        if (stretch->words[i].part != part || stretch->words[i].component != component)
            continue;
        ws_texel_find(&other, module, &module->instructions[stretch->words[i].id]);
        const bool is_of_image = part == WS_STRETCH_SIZE || part == WS_STRETCH_DEPTH;
        if (part == WS_STRETCH_LEVEL ? is_same_level(sum->values, texel, &other)
                                     : is_same_image(sum->values, texel, &other) &&
                                           (is_of_image || is_same_place(sum->values, texel, &other)))
            return i;
    }
    return add_component(sum, instruction, part, component);
}

/* Reads numbers of a constant, in their order. Returns how many there are; 0 where they are not all known. */
static uint32_t read_constants(const struct ws_module *module, uint32_t id, uint32_t *numbers, uint32_t most,
                               uint32_t depth)
{
    const struct ws_instruction *constant = ws_module_definition(module, id);
    uint32_t count = 0;
    if (constant == NULL || depth > 2 || most == 0)
        return 0;
    if (constant->opcode == SpvOpConstant) {
        numbers[0] = ws_operand(module, constant, 2);
        return 1;
    }
    if (constant->opcode != SpvOpConstantComposite)
        return 0;
    for (uint32_t i = 2; i + 1u < constant->length; i++) {
        const uint32_t read =
            read_constants(module, ws_operand(module, constant, i), numbers + count, most - count, depth + 1);
        if (read == 0)
            return 0;
        count += read;
    }
    return count;
}

/* Adds the offsets of a sample: constants, or words. */
static void add_offsets(struct sum *sum, const struct ws_texel *texel, uint32_t axes)
{
    struct ws_stretch_sample *sample = &sum->access->sample;
    const uint32_t id = texel->offsets_id != 0 ? texel->offsets_id : texel->offset_id;
    uint32_t numbers[3 * WS_STRETCH_OFFSETS_MAX];
    sample->offset_count = id == 0 ? 0 : texel->offsets_id != 0 ? WS_STRETCH_OFFSETS_MAX : 1;
    const uint32_t count = sample->offset_count * axes;
    const bool is_known = count > 0 && read_constants(sum->values->module, id, numbers, count, 0) == count;
    for (uint32_t i = 0; i < count && !sum->full; i++) {
        uint32_t *word = &sample->offset_words[i / axes][i % axes];
        *word = is_known ? WS_NONE : add_component(sum, value_of(sum->values, id), WS_STRETCH_COMPONENT, i);
        sample->offsets[i / axes][i % axes] = is_known ? numbers[i] : 0;
    }
}

static bool is_zero(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *value = ws_module_definition(module, id);
    return value != NULL &&
           (value->opcode == SpvOpConstantNull ||
            (value->opcode == SpvOpConstant && value->length == 4 && ws_operand(module, value, 2) == 0));
}

/* Whether a sample has level 0 before its sampler has a say. */
static bool is_of_first_level(const struct ws_module *module, const struct ws_texel *texel)
{
    return texel->is_gather ||
           (!texel->implicit_level && texel->gradient_ids[0] == 0 && texel->least_level_id == 0 &&
            (texel->level_id == 0 || is_zero(module, texel->level_id)));
}

/* The words of a sample. */
static void add_sample(struct sum *sum, const struct ws_access *access, const struct ws_texel *texel,
                       uint32_t instruction)
{
    const struct ws_module *module = sum->values->module;
    struct ws_stretch_sample *sample = &sum->access->sample;
    const uint32_t axes = ws_texel_axes(texel->dim);
    *sample = (struct ws_stretch_sample){.is_sample = true,
                                         .is_gather = texel->is_gather,
                                         .is_cube = texel->dim == SpvDimCube,
                                         .adds_bias = !texel->implicit_level,
                                         .depth = WS_NONE,
                                         .layer = WS_NONE,
                                         .level = WS_NONE,
                                         .sampler = access->sampler,
                                         .sampler_element = access->sampler_element,
                                         .sampler_element_word = WS_NONE};
    for (uint32_t i = 0; i < axes; i++)
        sample->at[i] = add_of_image(sum, texel, instruction, WS_STRETCH_AT, i);
    if (!is_of_first_level(module, texel))
        sample->level = add_of_image(sum, texel, instruction, WS_STRETCH_LEVEL, 0);
    sample->size = add_of_image(sum, texel, instruction, WS_STRETCH_SIZE, 0);
    if (axes == 3)
        sample->depth = add_of_image(sum, texel, instruction, WS_STRETCH_DEPTH, 0);
    if (texel->is_arrayed || sample->is_cube != 0)
        sample->layer = add_of_image(sum, texel, instruction, WS_STRETCH_LAYER, 0);
    add_offsets(sum, texel, axes);
    if (access->sampler_element_id != 0)
        sample->sampler_element_word =
            add_word(sum, value_of(sum->values, access->sampler_element_id), WS_STRETCH_VALUE);
}

/* The place of a texel's words. */
static void add_texel(struct sum *sum, const struct ws_access *access, uint32_t instruction)
{
    const struct ws_module *module = sum->values->module;
    const struct ws_stretch *stretch = sum->stretch;
    struct ws_texel texel;
    struct ws_texel other;
    ws_texel_find(&texel, module, &module->instructions[instruction]);
    sum->access->has_part = ws_texel_has_parts(&texel);
    sum->access->axes = ws_texel_axes(texel.dim);
    if (ws_texel_is_sampled(&texel)) {
        add_sample(sum, access, &texel, instruction);
        return;
    }
    for (uint32_t i = 0; i < stretch->word_count; i++) {
        if (stretch->words[i].part != WS_STRETCH_TEXEL)
            continue;
        ws_texel_find(&other, module, &module->instructions[stretch->words[i].id]);
        if (is_same_texel(sum->values, &texel, &other)) {
            sum->access->base = i;
            return;
        }
    }
    if (stretch->word_count + sum->access->has_part >= WS_STRETCH_WORDS_MAX) {
        sum->full = true;
        return;
    }
    sum->access->base = add_word(sum, instruction, WS_STRETCH_TEXEL);
    if (sum->access->has_part)
        add_word(sum, instruction, WS_STRETCH_PART);
}

/* Puts an access in terms of words. False where they, or the terms, are too many. */
static bool put_access(struct sum *sum, const struct ws_access *access, uint32_t instruction)
{
    sum->full = false;
    sum->steps = 0;
    *sum->access = (struct ws_stretch_access){.instruction = instruction,
                                              .kind = access->kind,
                                              .memory = access->memory,
                                              .variable = access->variable,
                                              .type = access->type,
                                              .size = access->size,
                                              .unit = access->unit,
                                              .offset = access->offset,
                                              .base = WS_NONE,
                                              .descriptor = access->descriptor,
                                              .descriptor_word = WS_NONE,
                                              .varies = access->varies,
                                              .is_assumed = access->is_assumed};
    const uint32_t base = value_of(sum->values, access->base);
    if (access->memory == WS_MEMORY_IMAGE)
        add_texel(sum, access, instruction);
    else if (access->base != 0)
        sum->access->base =
            add_word(sum, base, access->memory == WS_MEMORY_ADDRESS ? WS_STRETCH_ADDRESS : WS_STRETCH_OFFSET);
    if (access->varies)
        sum->access->descriptor_word = add_word(sum, base, WS_STRETCH_PLACE);
    if (access->descriptor_id != 0)
        sum->access->descriptor_word =
            add_word(sum, value_of(sum->values, access->descriptor_id), WS_STRETCH_VALUE);
    for (uint32_t i = 0; i < access->term_count && !sum->full; i++)
        add_value(sum, access->terms[i].id, access->terms[i].scale, 0);
    if (access->memory != WS_MEMORY_ADDRESS)
        sum->access->offset &= UINT32_MAX;
    return !sum->full;
}

/* ---- stretches ---- */

struct finder {
    const struct ws_module *module;
    struct ws_layouts *layouts;
    struct ws_stretches *found;
    struct values values;
    uint32_t stretch_capacity;
    uint32_t access_capacity;
    struct ws_access *open; /* the accesses of the stretch that is not over, as they were found */
    uint32_t open_capacity;
    struct ws_stretch_access *parts; /* the same with sums taken apart */
    uint32_t parts_capacity;
    struct ws_stretch stretch; /* that is not over */
    bool failed;               /* no memory */
};

/* Puts the open stretch together once more with sums taken apart, and keeps that where it has fewer words. */
static void try_parts(struct finder *finder)
{
    struct ws_stretch *stretch = &finder->stretch;
    struct ws_stretch_access *accesses = &finder->found->accesses[stretch->access_first];
    struct ws_stretch other = {.access_first = stretch->access_first,
                               .access_count = stretch->access_count,
                               .instruction = stretch->instruction};
    for (uint32_t i = 0; i < stretch->access_count; i++) {
        struct sum sum = {&finder->values, &other, &finder->parts[i], .parts = true};
        if (!put_access(&sum, &finder->open[i], accesses[i].instruction))
            return;
    }
    if (other.word_count >= stretch->word_count)
        return;
    *stretch = other;
    memcpy(accesses, finder->parts, stretch->access_count * sizeof(*accesses));
}

/* Ends the open stretch. */
static void end_stretch(struct finder *finder)
{
    struct ws_stretches *found = finder->found;
    if (finder->stretch.access_count == 0)
        return;
    if (finder->stretch.word_count > 1)
        try_parts(finder);
    struct ws_stretch *list = ws_arena_grow(finder->module->arena, found->list, found->count,
                                            &finder->stretch_capacity, sizeof(*list));
    finder->failed = list == NULL;
    if (finder->failed)
        return;
    found->list = list;
    list[found->count++] = finder->stretch;
    finder->stretch = (struct ws_stretch){.access_first = found->access_count};
}

/* Room for one more access, in the three lists. */
static bool make_room(struct finder *finder)
{
    struct ws_arena *arena = finder->module->arena;
    struct ws_stretches *found = finder->found;
    const uint32_t count = finder->stretch.access_count;
    struct ws_stretch_access *accesses = ws_arena_grow(arena, found->accesses, found->access_count,
                                                       &finder->access_capacity, sizeof(*accesses));
    struct ws_access *open = ws_arena_grow(arena, finder->open, count, &finder->open_capacity, sizeof(*open));
    struct ws_stretch_access *parts =
        ws_arena_grow(arena, finder->parts, count, &finder->parts_capacity, sizeof(*parts));
    finder->failed = accesses == NULL || open == NULL || parts == NULL;
    if (finder->failed)
        return false;
    found->accesses = accesses;
    finder->open = open;
    finder->parts = parts;
    return true;
}

/* Adds an access to the open stretch, or to a new one where it has no room for its words. */
static void add_access(struct finder *finder, const struct ws_access *access, uint32_t instruction)
{
    struct ws_stretches *found = finder->found;
    for (uint32_t attempt = 0; attempt < 2; attempt++) {
        if (!make_room(finder))
            return;
        const struct ws_stretch before = finder->stretch;
        struct sum sum = {&finder->values, &finder->stretch, &found->accesses[found->access_count]};
        if (put_access(&sum, access, instruction)) {
            finder->open[finder->stretch.access_count++] = *access;
            finder->stretch.instruction = instruction;
            found->access_count++;
            return;
        }
        finder->stretch = before;
        end_stretch(finder);
        if (finder->failed)
            return;
    }
}

static bool is_barrier(uint16_t opcode)
{
    return opcode == SpvOpControlBarrier || opcode == SpvOpMemoryBarrier;
}

static void take_instruction(struct finder *finder, uint32_t index)
{
    const struct ws_instruction *instruction = &finder->module->instructions[index];
    const uint32_t count = ws_access_count(instruction->opcode);
    if (instruction->opcode == SpvOpLabel || is_barrier(instruction->opcode) ||
        ws_instruction_calls(instruction))
        end_stretch(finder);
    for (uint32_t i = 0; i < count && !finder->failed; i++) {
        struct ws_access access;
        const char *reason = NULL;
        if (ws_access_find(finder->layouts, index, i, &access, &reason) == WS_ACCESS_FOUND &&
            access.memory != WS_MEMORY_WORKGROUP)
            add_access(finder, &access, index);
    }
    see(&finder->values, instruction);
}

bool ws_stretches_find(struct ws_stretches *stretches, const struct ws_module *module,
                       struct ws_layouts *layouts)
{
    struct finder *finder = ws_arena_allocate(module->arena, 1, sizeof(*finder));
    *stretches = (struct ws_stretches){0};
    if (finder == NULL)
        return false;
    finder->module = module;
    finder->layouts = layouts;
    finder->found = stretches;
    finder->values.module = module;
    finder->values.same = ws_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    finder->values.versions = ws_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    if (finder->values.same == NULL || finder->values.versions == NULL)
        return false;
    for (uint32_t f = 0; f < module->function_count && !finder->failed; f++) {
        for (uint32_t i = module->functions[f].first; i < module->functions[f].end && !finder->failed; i++)
            take_instruction(finder, i);
        end_stretch(finder);
    }
    return !finder->failed;
}

const struct ws_stretch *ws_stretches_at(const struct ws_stretches *stretches, uint32_t instruction)
{
    uint32_t low = 0;
    uint32_t high = stretches->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stretches->list[middle].instruction < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stretches->count && stretches->list[low].instruction == instruction ? &stretches->list[low]
                                                                                     : NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3u;
}

/* Which variable has the sampler the code says. */
static uint64_t mix_sample(uint64_t hash, const struct ws_stretch_sample *sample)
{
    struct ws_stretch_sample mixed = *sample;
    uint32_t words[sizeof(mixed) / sizeof(uint32_t)];
    if (sample->is_sample == 0)
        return hash;
    mixed.sampler = 0;
    memcpy(words, &mixed, sizeof(words));
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        hash = mix(hash, words[i]);
    return hash;
}

uint32_t ws_stretch_tag(const struct ws_stretches *stretches, const struct ws_stretch *stretch)
{
    uint64_t hash = mix(0xcbf29ce484222325u, stretch->word_count);
    for (uint32_t i = 0; i < stretch->access_count; i++) {
        const struct ws_stretch_access *access = &stretches->accesses[stretch->access_first + i];
        hash = mix(mix(mix(hash, access->kind), access->memory), access->size);
        hash = mix(mix(mix(hash, access->offset), access->base), access->descriptor_word);
        hash = mix(hash, access->descriptor + (uint64_t)access->varies);
        if (access->memory == WS_MEMORY_IMAGE)
            hash = mix_sample(mix(hash, access->has_part), &access->sample);
        for (uint32_t t = 0; t < access->term_count; t++)
            hash = mix(mix(hash, access->terms[t].word), access->terms[t].scale);
    }
    return (uint32_t)(hash >> 32) | 1;
}

uint64_t ws_stretch_address(const struct ws_stretch_access *access, const uint32_t *words)
{
    uint64_t address = access->offset;
    if (access->sample.is_sample != 0)
        return 0;
    if (access->memory == WS_MEMORY_IMAGE)
        return (words[access->base] | (access->has_part ? (uint64_t)words[access->base + 1] << 32 : 0)) *
               access->size;
    for (uint32_t i = 0; i < access->term_count; i++)
        address +=
            (uint64_t)((int64_t)(int32_t)words[access->terms[i].word] * (int32_t)access->terms[i].scale);
    if (access->memory != WS_MEMORY_ADDRESS)
        return (address + (access->base != WS_NONE ? words[access->base] : 0)) & UINT32_MAX;
    return address + (words[access->base] | (uint64_t)words[access->base + 1] << 32);
}

/* ---- what a compiler would leave ---- */

#define JOINED_MAX 16 /* bytes that one instruction loads or stores at once */
#define LOOK_BACK  64 /* accesses: so that time is linear */

/* Whether two accesses count from one place. */
static bool is_beside(const struct ws_stretch_access *left, const struct ws_stretch_access *right)
{
    if (left->kind != right->kind || left->memory != right->memory || left->variable != right->variable ||
        left->base != right->base || left->descriptor != right->descriptor ||
        left->descriptor_word != right->descriptor_word || left->term_count != right->term_count)
        return false;
    if (left->memory == WS_MEMORY_IMAGE && left->variable == 0) /* they may be two images */
        return false;
    if (memcmp(&left->sample, &right->sample, sizeof(left->sample)) != 0)
        return false;
    for (uint32_t i = 0; i < left->term_count; i++)
        if (left->terms[i].word != right->terms[i].word || left->terms[i].scale != right->terms[i].scale)
            return false;
    return true;
}

/* Joins an access to what is left of an earlier one. False where both together are too large, or no run of bytes. */
static bool join(struct ws_stretch_left *left, const struct ws_stretch_access *access)
{
    const uint64_t begin = access->offset < left->offset ? access->offset : left->offset;
    const uint64_t left_end = left->offset + left->size;
    const uint64_t own_end = access->offset + access->size;
    const uint64_t end = own_end > left_end ? own_end : left_end;
    if (left->size == 0 || access->offset > left_end || left->offset > own_end || end - begin > JOINED_MAX)
        return false;
    *left = (struct ws_stretch_left){begin, (uint32_t)(end - begin)};
    return true;
}

void ws_stretch_compile(const struct ws_stretches *stretches, const struct ws_stretch *stretch,
                        struct ws_stretch_left *left)
{
    const struct ws_stretch_access *accesses = &stretches->accesses[stretch->access_first];
    uint32_t first = 0; /* of the run of loads, or of stores, that has no other access in it */
    for (uint32_t i = 0; i < stretch->access_count; i++) {
        left[i] = (struct ws_stretch_left){accesses[i].offset, accesses[i].size};
        if (i > 0 && accesses[i].kind != accesses[i - 1].kind)
            first = i;
        if (accesses[i].kind == WS_ACCESS_ATOMIC)
            first = i + 1;
        for (uint32_t j = i - first > LOOK_BACK ? i - LOOK_BACK : first; j < i && left[i].size != 0; j++)
            if (is_beside(&accesses[j], &accesses[i]) && join(&left[j], &accesses[i]))
                left[i].size = 0;
    }
}
