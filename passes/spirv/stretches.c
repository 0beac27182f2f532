#include "warpscope/spirv/stretches.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/equal_values.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/texels.h"

#define DEPTH_MAX 16 /* of sums in sums */
#define STEPS_MAX 64 /* values of which one address is put together */

/* ---- addresses: constants and words ---- */

/* An address that is being put together. */
struct sum {
    const struct ws_equal_values *values;
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
    const uint32_t value = ws_equal_value(sum->values, id);
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

static bool is_same_value(const struct ws_equal_values *values, uint32_t left, uint32_t right)
{
    return ws_equal_value(values, left) == ws_equal_value(values, right);
}

/* Whether two texels that are no samples have equal words. */
static bool is_same_texel(const struct ws_equal_values *values, const struct ws_texel *left,
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
static bool is_same_image(const struct ws_equal_values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    return ws_texel_is_sampled(left) && ws_texel_is_sampled(right) && left->pointer != 0 &&
           is_same_value(values, left->pointer, right->pointer);
}

/* Whether they have equal coordinates. */
static bool is_same_place(const struct ws_equal_values *values, const struct ws_texel *left,
                          const struct ws_texel *right)
{
    return left->coordinates == right->coordinates &&
           is_same_value(values, left->coordinate_id, right->coordinate_id);
}

/* Whether they have equal levels too: the sampler has a part in that of derivatives. */
static bool is_same_level(const struct ws_equal_values *values, const struct ws_texel *left,
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
        *word =
            is_known ? WS_NONE : add_component(sum, ws_equal_value(sum->values, id), WS_STRETCH_COMPONENT, i);
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
            add_word(sum, ws_equal_value(sum->values, access->sampler_element_id), WS_STRETCH_VALUE);
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
    const uint32_t base = ws_equal_value(sum->values, access->base);
    if (access->memory == WS_MEMORY_IMAGE)
        add_texel(sum, access, instruction);
    else if (access->base != 0)
        sum->access->base =
            add_word(sum, base, access->memory == WS_MEMORY_ADDRESS ? WS_STRETCH_ADDRESS : WS_STRETCH_OFFSET);
    if (access->varies)
        sum->access->descriptor_word = add_word(sum, base, WS_STRETCH_PLACE);
    if (access->descriptor_id != 0)
        sum->access->descriptor_word =
            add_word(sum, ws_equal_value(sum->values, access->descriptor_id), WS_STRETCH_VALUE);
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
    struct ws_equal_values values;
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
    ws_equal_values_see(&finder->values, instruction);
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
    if (!ws_equal_values_init(&finder->values, module))
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
