/* See reader_payload.h; the order of the fields is that of capture.h. */
#include "analysis/capture/reader_payload.h"

#include "analysis/capture/reader_cursor.h"
#include "analysis/capture/reader_geometry.h"

static void take_info(struct ws_reader_cursor *cursor, struct ws_chunk_info *info)
{
    info->version = ws_take_text(cursor);
    info->application = ws_take_text(cursor);
    info->engine = ws_take_text(cursor);
    info->arguments = ws_take_texts(cursor, &info->argument_count);
    info->process_id = ws_take_u32(cursor);
    info->start = ws_take_u64(cursor);
    info->passes = ws_take_texts(cursor, &info->pass_count);
    info->setting_count = ws_take_count(cursor, 8);
    struct ws_text_pair *settings = ws_reader_cursor_allocate(cursor, info->setting_count, sizeof(*settings));
    for (uint32_t i = 0; i < info->setting_count && !cursor->failed; ++i) {
        settings[i].key = ws_take_text(cursor);
        settings[i].value = ws_take_text(cursor);
    }
    info->settings = settings;
}

static void take_device(struct ws_reader_cursor *cursor, struct ws_chunk_device *device)
{
    device->id = ws_take_u32(cursor);
    device->name = ws_take_text(cursor);
    device->driver_name = ws_take_text(cursor);
    device->driver_info = ws_take_text(cursor);
    device->api_version = ws_take_u32(cursor);
    device->vendor_id = ws_take_u32(cursor);
    device->pci_device_id = ws_take_u32(cursor);
    device->driver_version = ws_take_u32(cursor);
    device->type = ws_take_u32(cursor);
    device->subgroup_size = ws_take_u32(cursor);
    device->subgroup_size_min = ws_take_u32(cursor);
    device->subgroup_size_max = ws_take_u32(cursor);
    device->bins = ws_take_u32(cursor);
    device->subgroup_stages = ws_take_u32(cursor);
}

static void take_module(struct ws_reader_cursor *cursor, struct ws_chunk_module *module)
{
    module->id = ws_take_u32(cursor);
    module->hash = ws_take_u64(cursor);
    module->name = ws_take_text(cursor);
    module->words = ws_take_ids(cursor, &module->word_count);
}

static void take_entry(struct ws_reader_cursor *cursor, struct ws_entry_info *entry)
{
    entry->name = ws_take_text(cursor);
    entry->stage = ws_take_u32(cursor);
    entry->function = ws_take_u32(cursor);
    entry->row_first = ws_take_u32(cursor);
    entry->row_count = ws_take_u32(cursor);
    entry->per_thread = ws_take_u32(cursor) != 0;
    entry->functions = ws_take_ids(cursor, &entry->function_count);
}

static void take_sites(struct ws_reader_cursor *cursor, struct ws_chunk_sites *sites)
{
    sites->module = ws_take_u32(cursor);
    sites->row_count = ws_take_u32(cursor);
    sites->passes = ws_take_texts(cursor, &sites->pass_count);
    sites->entry_count = ws_take_count(cursor, 28);
    struct ws_entry_info *entries = ws_reader_cursor_allocate(cursor, sites->entry_count, sizeof(*entries));
    for (uint32_t i = 0; i < sites->entry_count && !cursor->failed; ++i)
        take_entry(cursor, &entries[i]);
    sites->entries = entries;
    sites->block_count = ws_take_count(cursor, 20);
    struct ws_block_info *blocks = ws_reader_cursor_allocate(cursor, sites->block_count, sizeof(*blocks));
    for (uint32_t i = 0; i < sites->block_count && !cursor->failed; ++i) {
        blocks[i].label = ws_take_u32(cursor);
        blocks[i].offset = ws_take_u32(cursor);
        blocks[i].length = ws_take_u32(cursor);
        blocks[i].function = ws_take_u32(cursor);
        blocks[i].instruction_count = ws_take_u32(cursor);
    }
    sites->blocks = blocks;
    sites->site_count = ws_take_count(cursor, 24);
    struct ws_site_info *site = ws_reader_cursor_allocate(cursor, sites->site_count, sizeof(*site));
    sites->sites = site;
    for (uint32_t i = 0; i < sites->site_count && !cursor->failed; ++i, ++site) {
        site->pass = ws_take_u32(cursor);
        site->tag = ws_take_u32(cursor);
        site->kind = ws_take_u32(cursor);
        site->block = ws_take_u32(cursor);
        site->offset = ws_take_u32(cursor);
        site->row = ws_take_u32(cursor);
    }
}

static void take_shader(struct ws_reader_cursor *cursor, struct ws_chunk_shader *shader)
{
    shader->id = ws_take_u32(cursor);
    shader->module = ws_take_u32(cursor);
    shader->entry = ws_take_u32(cursor);
    shader->stage = ws_take_u32(cursor);
    shader->name = ws_take_text(cursor);
    shader->specialization_count = ws_take_count(cursor, 16);
    struct ws_specialization *constants =
        ws_reader_cursor_allocate(cursor, shader->specialization_count, sizeof(*constants));
    for (uint32_t i = 0; i < shader->specialization_count && !cursor->failed; ++i) {
        constants[i].constant_id = ws_take_u32(cursor);
        constants[i].size = ws_take_u32(cursor);
        constants[i].value = ws_take_u64(cursor);
    }
    shader->specialization = constants;
}

static void take_pipeline(struct ws_reader_cursor *cursor, struct ws_chunk_pipeline *pipeline)
{
    pipeline->id = ws_take_u32(cursor);
    pipeline->device = ws_take_u32(cursor);
    pipeline->kind = ws_take_u32(cursor);
    pipeline->shaders = ws_take_ids(cursor, &pipeline->shader_count);
    pipeline->flags = ws_take_u32(cursor);
}

static void take_counters(struct ws_reader_cursor *cursor, struct ws_shader_counters *counters)
{
    counters->shader = ws_take_u32(cursor);
    counters->row_first = ws_take_u32(cursor);
    counters->row_count = ws_take_u32(cursor);
    counters->bins = ws_take_u32(cursor);
    if (cursor->failed)
        return;
    if (counters->bins < WS_BINS_MIN || counters->bins > WS_BINS_MAX)
        ws_reader_cursor_fail(cursor, "a counter row has a number of bins that no device has,");
    else if (counters->row_count > ws_reader_cursor_remaining(cursor) / (4 * counters->bins))
        ws_reader_cursor_fail(cursor, "there are fewer counter rows than said,");
    else
        counters->words = ws_take_words(cursor, (size_t)counters->row_count * counters->bins);
}

static void take_launch(struct ws_reader_cursor *cursor, struct ws_launch *launch)
{
    launch->index = ws_take_u64(cursor);
    launch->kind = ws_take_u32(cursor);
    for (int i = 0; i < 3; ++i)
        launch->size[i] = ws_take_u32(cursor);
    launch->flags = ws_take_u32(cursor);
    launch->draws = ws_take_u32(cursor);
    launch->label = ws_take_text(cursor);
    launch->command_buffer = ws_take_text(cursor);
    launch->pipelines = ws_take_ids(cursor, &launch->pipeline_count);
    launch->shader_count = ws_take_count(cursor, 16);
    struct ws_shader_counters *shaders =
        ws_reader_cursor_allocate(cursor, launch->shader_count, sizeof(*shaders));
    for (uint32_t i = 0; i < launch->shader_count && !cursor->failed; ++i)
        take_counters(cursor, &shaders[i]);
    launch->shaders = shaders;
}

static void take_submission(struct ws_reader_cursor *cursor, struct ws_chunk_submission *submission)
{
    submission->index = ws_take_u64(cursor);
    submission->frame = ws_take_u64(cursor);
    submission->device = ws_take_u32(cursor);
    submission->queue_family = ws_take_u32(cursor);
    submission->queue_index = ws_take_u32(cursor);
    submission->flags = ws_take_u32(cursor);
    submission->launch_count = ws_take_count(cursor, 48);
    struct ws_launch *launches =
        ws_reader_cursor_allocate(cursor, submission->launch_count, sizeof(*launches));
    for (uint32_t i = 0; i < submission->launch_count && !cursor->failed; ++i)
        take_launch(cursor, &launches[i]);
    submission->launches = launches;
}

static void take_records(struct ws_reader_cursor *cursor, struct ws_chunk_records *records)
{
    records->submission = ws_take_u64(cursor);
    records->launch = ws_take_u64(cursor);
    records->device = ws_take_u32(cursor);
    records->flags = ws_take_u32(cursor);
    records->bins = ws_take_u32(cursor);
    records->position = ws_take_u32(cursor);
    records->first = ws_take_u32(cursor);
    records->missing = ws_take_u64(cursor);
    records->sufficient = ws_take_u64(cursor);
    records->slot_count = ws_take_count(cursor, 8);
    struct ws_slot_shader *slots = ws_reader_cursor_allocate(cursor, records->slot_count, sizeof(*slots));
    for (uint32_t i = 0; i < records->slot_count && !cursor->failed; ++i) {
        slots[i].slot = ws_take_u32(cursor);
        slots[i].shader = ws_take_u32(cursor);
    }
    records->slots = slots;
    records->word_count = ws_take_count(cursor, 4);
    records->words = ws_take_planes(cursor, records->word_count);
}

static void take_skip(struct ws_reader_cursor *cursor, struct ws_chunk_skip *skip)
{
    skip->kind = ws_take_u32(cursor);
    skip->id = ws_take_u32(cursor);
    skip->pass = ws_take_u32(cursor);
    skip->offset = ws_take_u32(cursor);
    skip->count = ws_take_u64(cursor);
    skip->reason = ws_take_text(cursor);
}

static void take_done(struct ws_reader_cursor *cursor, struct ws_chunk_done *done)
{
    done->submissions = ws_take_u64(cursor);
    done->launches = ws_take_u64(cursor);
    done->frames = ws_take_u64(cursor);
    done->outside = ws_take_u64(cursor);
}

bool ws_payload_decode(struct ws_chunk *chunk, uint8_t *data, size_t size, struct ws_arena *arena,
                       bool *known, struct ws_error *error)
{
    struct ws_reader_cursor cursor = {.data = data, .size = size, .arena = arena, .error = error};
    *known = true;
    switch (chunk->type) {
    case WS_CHUNK_INFO: take_info(&cursor, &chunk->info); break;
    case WS_CHUNK_DEVICE: take_device(&cursor, &chunk->device); break;
    case WS_CHUNK_MODULE: take_module(&cursor, &chunk->module); break;
    case WS_CHUNK_SITES: take_sites(&cursor, &chunk->sites); break;
    case WS_CHUNK_SHADER: take_shader(&cursor, &chunk->shader); break;
    case WS_CHUNK_PIPELINE: take_pipeline(&cursor, &chunk->pipeline); break;
    case WS_CHUNK_NAME:
        chunk->name.kind = ws_take_u32(&cursor);
        chunk->name.id = ws_take_u32(&cursor);
        chunk->name.name = ws_take_text(&cursor);
        break;
    case WS_CHUNK_SUBMISSION: take_submission(&cursor, &chunk->submission); break;
    case WS_CHUNK_RECORDS: take_records(&cursor, &chunk->records); break;
    case WS_CHUNK_BLOB: ws_take_blob(&cursor, &chunk->blob); break;
    case WS_CHUNK_STRUCTURE: ws_take_structure(&cursor, &chunk->structure); break;
    case WS_CHUNK_BUILD: ws_take_build(&cursor, &chunk->build); break;
    case WS_CHUNK_COPY: ws_take_copy(&cursor, &chunk->copy); break;
    case WS_CHUNK_GONE: ws_take_gone(&cursor, &chunk->gone); break;
    case WS_CHUNK_GROUPS: ws_take_groups(&cursor, &chunk->groups); break;
    case WS_CHUNK_TABLES: ws_take_tables(&cursor, &chunk->tables); break;
    case WS_CHUNK_SKIP: take_skip(&cursor, &chunk->skip); break;
    case WS_CHUNK_MESSAGE:
        chunk->message.severity = ws_take_u32(&cursor);
        chunk->message.text = ws_take_text(&cursor);
        break;
    case WS_CHUNK_DONE: take_done(&cursor, &chunk->done); break;
    default: *known = false; break;
    }
    return !cursor.failed;
}
