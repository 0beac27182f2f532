/* See reader_payload.h; the order of the fields is that of capture.h. */
#include "reader_payload.h"

#include <string.h>

#include "passes/ir/arena.h"
#include "text.h"

/* Reads on through a payload. Sticky: after a failure everything is 0, "" or empty. */
struct cursor {
    uint8_t *data;
    size_t size;
    size_t at;
    struct ws_arena *arena;
    struct ws_error *error;
    bool failed;
};

static void fail(struct cursor *cursor, const char *what)
{
    if (!cursor->failed)
        ws_error_set(cursor->error, "%s at byte %zu of its %zu bytes", what, cursor->at, cursor->size);
    cursor->failed = true;
}

static size_t remaining(const struct cursor *cursor)
{
    return cursor->size - cursor->at;
}

/* The next `size` bytes; NULL when there are not so many. */
static uint8_t *take(struct cursor *cursor, size_t size)
{
    if (cursor->failed || size > remaining(cursor)) {
        fail(cursor, "the payload ends too early,");
        return NULL;
    }
    uint8_t *bytes = cursor->data + cursor->at;
    cursor->at += size;
    return bytes;
}

static uint32_t load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t take_u32(struct cursor *cursor)
{
    const uint8_t *bytes = take(cursor, 4);
    return bytes != NULL ? load_u32(bytes) : 0;
}

static uint64_t take_u64(struct cursor *cursor)
{
    const uint8_t *bytes = take(cursor, 8);
    return bytes != NULL ? (uint64_t)load_u32(bytes) | (uint64_t)load_u32(bytes + 4) << 32 : 0;
}

/* A count of things that take at least `least` bytes each. */
static uint32_t take_count(struct cursor *cursor, size_t least)
{
    uint32_t count = take_u32(cursor);
    if (!cursor->failed && count > remaining(cursor) / least) {
        fail(cursor, "a count is larger than what follows it,");
        return 0;
    }
    return count;
}

static void *allocate(struct cursor *cursor, uint32_t count, size_t size)
{
    if (count == 0 || cursor->failed)
        return NULL;
    void *array = ws_arena_allocate(cursor->arena, count, size);
    if (array == NULL)
        fail(cursor, "no memory");
    return array;
}

/* A text, moved over its length word. Names come from applications: what is no UTF-8 becomes "?". */
static const char *take_text(struct cursor *cursor)
{
    uint32_t length = take_u32(cursor);
    uint8_t *bytes = take(cursor, length);
    if (bytes == NULL)
        return "";
    uint8_t *text = bytes - 4;
    memmove(text, bytes, length);
    text[length] = '\0';
    ws_text_repair((char *)text, length);
    return (const char *)text;
}

/* `count` words in host byte order, moved back over the word before them to where they are aligned. */
static const uint32_t *take_words(struct cursor *cursor, size_t count)
{
    uint8_t *bytes = take(cursor, 4 * count);
    if (bytes == NULL)
        return NULL;
    uint32_t *words = (uint32_t *)(void *)(bytes - (size_t)(bytes - cursor->data) % 4);
    for (size_t i = 0; i < count; ++i)
        words[i] = load_u32(bytes + 4 * i);
    return words;
}

/* `count` words whose bytes stand by significance: the lowest of every word, then the next. */
static const uint32_t *take_planes(struct cursor *cursor, uint32_t count)
{
    const uint8_t *bytes = take(cursor, 4 * (size_t)count);
    uint32_t *words = allocate(cursor, count, sizeof(*words));
    if (bytes == NULL || words == NULL)
        return NULL;
    const uint8_t *low = bytes;
    const uint8_t *second = bytes + count;
    const uint8_t *third = second + count;
    const uint8_t *high = third + count;
    for (size_t i = 0; i < count; ++i)
        words[i] =
            (uint32_t)low[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 | (uint32_t)high[i] << 24;
    return words;
}

static const uint32_t *take_ids(struct cursor *cursor, uint32_t *count)
{
    *count = take_count(cursor, 4);
    return take_words(cursor, *count);
}

static const char *const *take_texts(struct cursor *cursor, uint32_t *count)
{
    *count = take_count(cursor, 4);
    const char **texts = allocate(cursor, *count, sizeof(*texts));
    for (uint32_t i = 0; i < *count && !cursor->failed; ++i)
        texts[i] = take_text(cursor);
    return texts;
}

static void take_info(struct cursor *cursor, struct ws_chunk_info *info)
{
    info->version = take_text(cursor);
    info->application = take_text(cursor);
    info->engine = take_text(cursor);
    info->arguments = take_texts(cursor, &info->argument_count);
    info->process_id = take_u32(cursor);
    info->start = take_u64(cursor);
    info->passes = take_texts(cursor, &info->pass_count);
    info->setting_count = take_count(cursor, 8);
    struct ws_text_pair *settings = allocate(cursor, info->setting_count, sizeof(*settings));
    for (uint32_t i = 0; i < info->setting_count && !cursor->failed; ++i) {
        settings[i].key = take_text(cursor);
        settings[i].value = take_text(cursor);
    }
    info->settings = settings;
}

static void take_device(struct cursor *cursor, struct ws_chunk_device *device)
{
    device->id = take_u32(cursor);
    device->name = take_text(cursor);
    device->driver_name = take_text(cursor);
    device->driver_info = take_text(cursor);
    device->api_version = take_u32(cursor);
    device->vendor_id = take_u32(cursor);
    device->pci_device_id = take_u32(cursor);
    device->driver_version = take_u32(cursor);
    device->type = take_u32(cursor);
    device->subgroup_size = take_u32(cursor);
    device->subgroup_size_min = take_u32(cursor);
    device->subgroup_size_max = take_u32(cursor);
    device->bins = take_u32(cursor);
    device->subgroup_stages = take_u32(cursor);
}

static void take_module(struct cursor *cursor, struct ws_chunk_module *module)
{
    module->id = take_u32(cursor);
    module->hash = take_u64(cursor);
    module->name = take_text(cursor);
    module->words = take_ids(cursor, &module->word_count);
}

static void take_entry(struct cursor *cursor, struct ws_entry_info *entry)
{
    entry->name = take_text(cursor);
    entry->stage = take_u32(cursor);
    entry->function = take_u32(cursor);
    entry->row_first = take_u32(cursor);
    entry->row_count = take_u32(cursor);
    entry->per_thread = take_u32(cursor) != 0;
    entry->functions = take_ids(cursor, &entry->function_count);
}

static void take_sites(struct cursor *cursor, struct ws_chunk_sites *sites)
{
    sites->module = take_u32(cursor);
    sites->row_count = take_u32(cursor);
    sites->entry_count = take_count(cursor, 28);
    struct ws_entry_info *entries = allocate(cursor, sites->entry_count, sizeof(*entries));
    for (uint32_t i = 0; i < sites->entry_count && !cursor->failed; ++i)
        take_entry(cursor, &entries[i]);
    sites->entries = entries;
    sites->block_count = take_count(cursor, 20);
    struct ws_block_info *blocks = allocate(cursor, sites->block_count, sizeof(*blocks));
    for (uint32_t i = 0; i < sites->block_count && !cursor->failed; ++i) {
        blocks[i].label = take_u32(cursor);
        blocks[i].offset = take_u32(cursor);
        blocks[i].length = take_u32(cursor);
        blocks[i].function = take_u32(cursor);
        blocks[i].instruction_count = take_u32(cursor);
    }
    sites->blocks = blocks;
    sites->site_count = take_count(cursor, 20);
    struct ws_site_info *site = allocate(cursor, sites->site_count, sizeof(*site));
    sites->sites = site;
    for (uint32_t i = 0; i < sites->site_count && !cursor->failed; ++i, ++site) {
        site->pass = take_u32(cursor);
        site->kind = take_u32(cursor);
        site->block = take_u32(cursor);
        site->offset = take_u32(cursor);
        site->row = take_u32(cursor);
    }
}

static void take_shader(struct cursor *cursor, struct ws_chunk_shader *shader)
{
    shader->id = take_u32(cursor);
    shader->module = take_u32(cursor);
    shader->entry = take_u32(cursor);
    shader->stage = take_u32(cursor);
    shader->name = take_text(cursor);
    shader->specialization_count = take_count(cursor, 16);
    struct ws_specialization *constants = allocate(cursor, shader->specialization_count, sizeof(*constants));
    for (uint32_t i = 0; i < shader->specialization_count && !cursor->failed; ++i) {
        constants[i].constant_id = take_u32(cursor);
        constants[i].size = take_u32(cursor);
        constants[i].value = take_u64(cursor);
    }
    shader->specialization = constants;
}

static void take_pipeline(struct cursor *cursor, struct ws_chunk_pipeline *pipeline)
{
    pipeline->id = take_u32(cursor);
    pipeline->device = take_u32(cursor);
    pipeline->kind = take_u32(cursor);
    pipeline->shaders = take_ids(cursor, &pipeline->shader_count);
    pipeline->flags = take_u32(cursor);
}

static void take_counters(struct cursor *cursor, struct ws_shader_counters *counters)
{
    counters->shader = take_u32(cursor);
    counters->row_first = take_u32(cursor);
    counters->row_count = take_u32(cursor);
    counters->bins = take_u32(cursor);
    if (cursor->failed)
        return;
    if (counters->bins < WS_BINS_MIN || counters->bins > WS_BINS_MAX)
        fail(cursor, "a counter row has a number of bins that no device has,");
    else if (counters->row_count > remaining(cursor) / (4 * counters->bins))
        fail(cursor, "there are fewer counter rows than said,");
    else
        counters->words = take_words(cursor, (size_t)counters->row_count * counters->bins);
}

static void take_invocation(struct cursor *cursor, struct ws_invocation *invocation)
{
    invocation->index = take_u64(cursor);
    invocation->kind = take_u32(cursor);
    for (int i = 0; i < 3; ++i)
        invocation->size[i] = take_u32(cursor);
    invocation->flags = take_u32(cursor);
    invocation->draws = take_u32(cursor);
    invocation->label = take_text(cursor);
    invocation->command_buffer = take_text(cursor);
    invocation->pipelines = take_ids(cursor, &invocation->pipeline_count);
    invocation->shader_count = take_count(cursor, 16);
    struct ws_shader_counters *shaders = allocate(cursor, invocation->shader_count, sizeof(*shaders));
    for (uint32_t i = 0; i < invocation->shader_count && !cursor->failed; ++i)
        take_counters(cursor, &shaders[i]);
    invocation->shaders = shaders;
}

static void take_submission(struct cursor *cursor, struct ws_chunk_submission *submission)
{
    submission->index = take_u64(cursor);
    submission->frame = take_u64(cursor);
    submission->device = take_u32(cursor);
    submission->queue_family = take_u32(cursor);
    submission->queue_index = take_u32(cursor);
    submission->flags = take_u32(cursor);
    submission->invocation_count = take_count(cursor, 48);
    struct ws_invocation *invocations = allocate(cursor, submission->invocation_count, sizeof(*invocations));
    for (uint32_t i = 0; i < submission->invocation_count && !cursor->failed; ++i)
        take_invocation(cursor, &invocations[i]);
    submission->invocations = invocations;
}

static void take_records(struct cursor *cursor, struct ws_chunk_records *records)
{
    records->submission = take_u64(cursor);
    records->invocation = take_u64(cursor);
    records->device = take_u32(cursor);
    records->flags = take_u32(cursor);
    records->bins = take_u32(cursor);
    records->position = take_u32(cursor);
    records->first = take_u32(cursor);
    records->missing = take_u64(cursor);
    records->sufficient = take_u64(cursor);
    records->slot_count = take_count(cursor, 8);
    struct ws_slot_shader *slots = allocate(cursor, records->slot_count, sizeof(*slots));
    for (uint32_t i = 0; i < records->slot_count && !cursor->failed; ++i) {
        slots[i].slot = take_u32(cursor);
        slots[i].shader = take_u32(cursor);
    }
    records->slots = slots;
    records->word_count = take_count(cursor, 4);
    records->words = take_planes(cursor, records->word_count);
}

static void take_skip(struct cursor *cursor, struct ws_chunk_skip *skip)
{
    skip->kind = take_u32(cursor);
    skip->id = take_u32(cursor);
    skip->pass = take_u32(cursor);
    skip->offset = take_u32(cursor);
    skip->count = take_u64(cursor);
    skip->reason = take_text(cursor);
}

static void take_done(struct cursor *cursor, struct ws_chunk_done *done)
{
    done->submissions = take_u64(cursor);
    done->invocations = take_u64(cursor);
    done->frames = take_u64(cursor);
    done->outside = take_u64(cursor);
}

bool ws_payload_decode(struct ws_chunk *chunk, uint8_t *data, size_t size, struct ws_arena *arena,
                       bool *known, struct ws_error *error)
{
    struct cursor cursor = {.data = data, .size = size, .arena = arena, .error = error};
    *known = true;
    switch (chunk->type) {
    case WS_CHUNK_INFO: take_info(&cursor, &chunk->info); break;
    case WS_CHUNK_DEVICE: take_device(&cursor, &chunk->device); break;
    case WS_CHUNK_MODULE: take_module(&cursor, &chunk->module); break;
    case WS_CHUNK_SITES: take_sites(&cursor, &chunk->sites); break;
    case WS_CHUNK_SHADER: take_shader(&cursor, &chunk->shader); break;
    case WS_CHUNK_PIPELINE: take_pipeline(&cursor, &chunk->pipeline); break;
    case WS_CHUNK_NAME:
        chunk->name.kind = take_u32(&cursor);
        chunk->name.id = take_u32(&cursor);
        chunk->name.name = take_text(&cursor);
        break;
    case WS_CHUNK_SUBMISSION: take_submission(&cursor, &chunk->submission); break;
    case WS_CHUNK_RECORDS: take_records(&cursor, &chunk->records); break;
    case WS_CHUNK_SKIP: take_skip(&cursor, &chunk->skip); break;
    case WS_CHUNK_MESSAGE:
        chunk->message.severity = take_u32(&cursor);
        chunk->message.text = take_text(&cursor);
        break;
    case WS_CHUNK_DONE: take_done(&cursor, &chunk->done); break;
    default: *known = false; break;
    }
    return !cursor.failed;
}
