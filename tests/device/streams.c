#include "tests/device/streams.h"

#include <stdio.h>
#include <string.h>

#include "passes/spirv/types.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"

bool streams_init(struct streams *streams, struct ws_error *error)
{
    struct ws_gpu *gpu = &streams->gpu;
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (!ws_gpu_buffer_init(gpu, &streams->root, usage, NULL, WS_ROOT_SIZE, error) ||
        !ws_gpu_buffer_init(gpu, &streams->control, usage, NULL, WS_STREAM_WORDS * 4, error) ||
        !ws_gpu_buffer_init(gpu, &streams->words, usage, NULL, STREAM_SIZE * 4, error) ||
        !ws_gpu_buffer_init(gpu, &streams->bitmap, usage, NULL, WS_BITMAP_BITS / 8, error))
        return false;
    ((struct ws_root *)streams->root.data)->records = streams->control.address;
    return true;
}

void streams_finish(struct streams *streams)
{
    ws_gpu_buffer_finish(&streams->gpu, &streams->bitmap);
    ws_gpu_buffer_finish(&streams->gpu, &streams->words);
    ws_gpu_buffer_finish(&streams->gpu, &streams->control);
    ws_gpu_buffer_finish(&streams->gpu, &streams->root);
    ws_gpu_finish(&streams->gpu);
}

uint32_t *streams_reset(struct streams *streams, uint32_t capacity)
{
    uint32_t *control = streams->control.data;
    memset(control, 0, WS_STREAM_WORDS * 4);
    memset(streams->words.data, 0xab, STREAM_SIZE * 4);
    memset(streams->bitmap.data, 0, 4096);
    control[WS_STREAM_CAPACITY] = capacity;
    control[WS_STREAM_ADDRESS] = (uint32_t)streams->words.address;
    control[WS_STREAM_ADDRESS + 1] = (uint32_t)(streams->words.address >> 32);
    control[WS_STREAM_BITMAP] = (uint32_t)streams->bitmap.address;
    control[WS_STREAM_BITMAP + 1] = (uint32_t)(streams->bitmap.address >> 32);
    return control;
}

void streams_call(struct ws_editor *editor, enum ws_primitive primitive, struct ws_cursor cursor,
                  const uint32_t *arguments, uint32_t count)
{
    const uint32_t entry_point = 0;
    const enum ws_primitive variant = ws_primitive_variant(primitive, ws_link_lanes(editor->module, 0));
    ws_link_call(editor, cursor, ws_link_primitive(editor, variant, &entry_point, 1), arguments, count);
}

bool streams_enter(struct ws_editor *editor, uint32_t site)
{
    const uint32_t entry_point = 0;
    const struct ws_module *module = editor->module;
    const uint32_t block = module->functions[module->entry_points[0].function].block_first;
    struct ws_enter enter;
    return ws_link_enter(editor, &entry_point, 1, site, &enter) &&
           ws_link_call(editor, ws_cursor_block_start(module, block),
                        ws_link_primitive(editor, enter.primitive, &entry_point, 1), enter.arguments,
                        enter.argument_count) != 0;
}

bool linked_init(struct linked *linked, const struct streams *streams, const uint32_t *words,
                 size_t word_count, VkShaderStageFlagBits stage, uint32_t slot, uint32_t bins,
                 void (*instrument)(struct ws_editor *), struct ws_error *error)
{
    struct ws_module module;
    struct ws_editor *editor = NULL;
    uint32_t *result = NULL;
    size_t count = 0;
    memset(linked, 0, sizeof(*linked));
    linked->arena = ws_arena_create();
    if (linked->arena != NULL && ws_module_parse(&module, linked->arena, words, word_count, error))
        editor = ws_editor_create(&module);
    if (editor == NULL)
        return false;
    instrument(editor);
    ws_linker_finish(editor);
    if (!ws_editor_finish(editor, &result, &count, error) || !assembly_is_valid(result, count))
        return false;
    linked->values[WS_SPEC_ROOT_LO] = (uint32_t)streams->root.address;
    linked->values[WS_SPEC_ROOT_HI] = (uint32_t)(streams->root.address >> 32);
    linked->values[WS_SPEC_SLOT] = slot;
    linked->values[WS_SPEC_BINS] = bins;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++)
        linked->entries[i] = (VkSpecializationMapEntry){ws_link_spec_id(editor, i), i * 4, 4};
    linked->specialization =
        (VkSpecializationInfo){WS_SPEC_COUNT, linked->entries, sizeof(linked->values), linked->values};
    linked->shader = (struct ws_gpu_shader){.stage = stage,
                                            .name = "linked",
                                            .words = result,
                                            .size = count * sizeof(*result),
                                            .specialization = &linked->specialization};
    return true;
}

void linked_finish(struct linked *linked)
{
    ws_arena_destroy(linked->arena);
}

bool has_lane(const uint32_t mask[4], uint32_t lane)
{
    return (mask[lane / 32] >> lane % 32 & 1) != 0;
}

static uint32_t count_lanes(const uint32_t *mask, uint32_t words)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < words * 32; i++)
        lanes += mask[i / 32] >> i % 32 & 1;
    return lanes;
}

static struct context *find_context(struct contexts *contexts, uint32_t number)
{
    for (uint32_t i = 0; i < contexts->count; i++)
        if (contexts->list[i].number == number)
            return &contexts->list[i];
    return NULL;
}

/* Begins a context by the entry record at `at`; NULL where there is none. */
static struct context *read_entry(const uint32_t *words, uint32_t at, uint32_t bins,
                                  struct contexts *contexts, uint32_t *size)
{
    const uint32_t mask_words = (bins + 31) / 32;
    const uint32_t *mask = words + at + 3;
    if (contexts->count == CONTEXTS_MAX)
        return NULL;
    struct context *context = &contexts->list[contexts->count++];
    const uint32_t per_warp = words[at + 2] >> 8 & 0xff;
    memset(context, 0, sizeof(*context));
    memcpy(context->mask, mask, mask_words * 4);
    context->number = at;
    context->slot = words[at + 1] >> 16;
    context->lane_words = words[at + 2] >> 16 & 0xff;
    context->lane_count = count_lanes(mask, mask_words);
    context->per_warp = context->words + 3 + mask_words;
    context->per_lane = context->per_warp + per_warp;
    *size = 3 + mask_words + per_warp + context->lane_words * context->lane_count;
    context->entry_words = *size;
    return context;
}

/* The size of the place or data record at `at`. */
static uint32_t record_size(const struct streams *streams, const uint32_t *words, uint32_t at, uint32_t bins)
{
    const uint32_t site = words[at + 1] >> 16;
    const uint32_t mask_words = (bins + 31) / 32;
    const uint32_t data_words = site < SITES ? streams->data_words[site] : 0;
    if (bins <= 16) {
        const uint32_t mask = words[at + 1] & 0xffff;
        return 2 + data_words * count_lanes(&mask, 1);
    }
    return 2 + ((words[at + 1] & 1) != 0 ? 0 : mask_words) +
           data_words * count_lanes(words + at + 2, mask_words);
}

bool streams_read(const struct streams *streams, uint32_t bins, uint32_t count, struct contexts *contexts)
{
    const uint32_t *words = streams->words.data;
    contexts->count = 0;
    for (uint32_t at = 0; at < count;) {
        uint32_t size = 0;
        struct context *context = words[at] == WS_CONTEXT_NONE ? read_entry(words, at, bins, contexts, &size)
                                                               : find_context(contexts, words[at]);
        if (size == 0)
            size = record_size(streams, words, at, bins);
        if (context == NULL || at + size > count || context->word_count + size > CONTEXT_WORDS) {
            printf("word %u: no record (%x %x)\n", at, words[at], words[at + 1]);
            return false;
        }
        memcpy(context->words + context->word_count, words + at, size * 4);
        if (context->word_count != 0)
            context->words[context->word_count] = 0;
        context->word_count += size;
        at += size;
    }
    return true;
}

bool streams_untouched(const struct streams *streams, uint32_t first)
{
    const uint32_t *words = streams->words.data;
    for (uint32_t i = first; i < STREAM_SIZE; i++) {
        if (words[i] != UNTOUCHED) {
            printf("word %u was written, though nothing ends behind %u\n", i, first);
            return false;
        }
    }
    return true;
}

bool check(const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected)
        printf("%s: %llu instead of %llu\n", what, (unsigned long long)value, (unsigned long long)expected);
    return value == expected;
}
