/* See capture_payload.h; the order of the fields is that of capture.h. */
#include "layer/capture/capture_payload.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 4096

void ws_payload_init(struct ws_payload *payload, size_t reserved)
{
    memset(payload, 0, sizeof(*payload));
    payload->capacity = reserved + FIRST_CAPACITY;
    payload->data = calloc(1, payload->capacity);
    payload->size = reserved;
    if (payload->data == NULL)
        payload->failure = "no memory";
}

void ws_payload_finish(struct ws_payload *payload)
{
    free(payload->data);
    memset(payload, 0, sizeof(*payload));
}

/* Room for `size` more bytes, which the caller fills; NULL after a failure. */
static uint8_t *extend(struct ws_payload *payload, size_t size)
{
    if (payload->failure != NULL)
        return NULL;
    if (size > WS_CHUNK_MAX || payload->size + size > WS_CHUNK_MAX) {
        payload->failure = "it is larger than a chunk may be";
        return NULL;
    }
    if (payload->size + size > payload->capacity) {
        size_t capacity = payload->capacity * 2;
        if (capacity < payload->size + size)
            capacity = payload->size + size;
        uint8_t *data = realloc(payload->data, capacity);
        if (data == NULL) {
            payload->failure = "no memory";
            return NULL;
        }
        payload->data = data;
        payload->capacity = capacity;
    }
    uint8_t *at = payload->data + payload->size;
    payload->size += size;
    return at;
}

/* Byte by byte, so that the file is little-endian on every host; compilers make one store of it. */
static void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

void ws_payload_u32(struct ws_payload *payload, uint32_t value)
{
    uint8_t *at = extend(payload, 4);
    if (at != NULL)
        store_u32(at, value);
}

void ws_payload_u64(struct ws_payload *payload, uint64_t value)
{
    ws_payload_u32(payload, (uint32_t)value);
    ws_payload_u32(payload, (uint32_t)(value >> 32));
}

void ws_payload_text(struct ws_payload *payload, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    ws_payload_u32(payload, (uint32_t)length);
    uint8_t *at = extend(payload, length);
    if (at != NULL && length > 0)
        memcpy(at, text, length);
}

/* A count and that many bytes. */
static void put_bytes(struct ws_payload *payload, const uint8_t *bytes, uint32_t count)
{
    ws_payload_u32(payload, count);
    uint8_t *at = extend(payload, count);
    if (at != NULL && count > 0)
        memcpy(at, bytes, count);
}

void ws_payload_words(struct ws_payload *payload, const uint32_t *words, size_t count)
{
    uint8_t *at = extend(payload, count <= WS_CHUNK_MAX / 4 ? 4 * count : SIZE_MAX);
    if (at == NULL)
        return;
    for (size_t i = 0; i < count; ++i)
        store_u32(at + 4 * i, words[i]);
}

/* By significance, as RECS has them: the lowest byte of every word, then the next. */
static void put_planes(struct ws_payload *payload, const uint32_t *words, size_t count)
{
    uint8_t *at = extend(payload, count <= WS_CHUNK_MAX / 4 ? 4 * count : SIZE_MAX);
    if (at == NULL)
        return;
    for (size_t i = 0; i < count; ++i) {
        at[i] = (uint8_t)words[i];
        at[count + i] = (uint8_t)(words[i] >> 8);
        at[2 * count + i] = (uint8_t)(words[i] >> 16);
        at[3 * count + i] = (uint8_t)(words[i] >> 24);
    }
}

void ws_payload_patch_u32(struct ws_payload *payload, size_t offset, uint32_t value)
{
    if (payload->failure == NULL)
        store_u32(payload->data + offset, value);
}

void ws_payload_info(struct ws_payload *payload, const struct ws_chunk_info *info)
{
    ws_payload_text(payload, info->version);
    ws_payload_text(payload, info->application);
    ws_payload_text(payload, info->engine);
    ws_payload_u32(payload, info->argument_count);
    for (uint32_t i = 0; i < info->argument_count; ++i)
        ws_payload_text(payload, info->arguments[i]);
    ws_payload_u32(payload, info->process_id);
    ws_payload_u64(payload, info->start);
    ws_payload_u32(payload, info->pass_count);
    for (uint32_t i = 0; i < info->pass_count; ++i)
        ws_payload_text(payload, info->passes[i]);
    ws_payload_u32(payload, info->setting_count);
    for (uint32_t i = 0; i < info->setting_count; ++i) {
        ws_payload_text(payload, info->settings[i].key);
        ws_payload_text(payload, info->settings[i].value);
    }
}

void ws_payload_device(struct ws_payload *payload, const struct ws_chunk_device *device)
{
    ws_payload_u32(payload, device->id);
    ws_payload_text(payload, device->name);
    ws_payload_text(payload, device->driver_name);
    ws_payload_text(payload, device->driver_info);
    ws_payload_u32(payload, device->api_version);
    ws_payload_u32(payload, device->vendor_id);
    ws_payload_u32(payload, device->pci_device_id);
    ws_payload_u32(payload, device->driver_version);
    ws_payload_u32(payload, device->type);
    ws_payload_u32(payload, device->subgroup_size);
    ws_payload_u32(payload, device->subgroup_size_min);
    ws_payload_u32(payload, device->subgroup_size_max);
    ws_payload_u32(payload, device->bins);
    ws_payload_u32(payload, device->subgroup_stages);
}

void ws_payload_module(struct ws_payload *payload, const struct ws_chunk_module *module)
{
    ws_payload_u32(payload, module->id);
    ws_payload_u64(payload, module->hash);
    ws_payload_text(payload, module->name);
    ws_payload_u32(payload, module->word_count);
    ws_payload_words(payload, module->words, module->word_count);
}

static void put_entry(struct ws_payload *payload, const struct ws_entry_info *entry)
{
    ws_payload_text(payload, entry->name);
    ws_payload_u32(payload, entry->stage);
    ws_payload_u32(payload, entry->function);
    ws_payload_u32(payload, entry->row_first);
    ws_payload_u32(payload, entry->row_count);
    ws_payload_u32(payload, entry->per_thread ? 1 : 0);
    ws_payload_u32(payload, entry->function_count);
    ws_payload_words(payload, entry->functions, entry->function_count);
}

void ws_payload_sites(struct ws_payload *payload, const struct ws_chunk_sites *sites)
{
    ws_payload_u32(payload, sites->module);
    ws_payload_u32(payload, sites->row_count);
    ws_payload_u32(payload, sites->pass_count);
    for (uint32_t i = 0; i < sites->pass_count; ++i)
        ws_payload_text(payload, sites->passes[i]);
    ws_payload_u32(payload, sites->entry_count);
    for (uint32_t i = 0; i < sites->entry_count; ++i)
        put_entry(payload, &sites->entries[i]);
    ws_payload_u32(payload, sites->block_count);
    for (uint32_t i = 0; i < sites->block_count; ++i) {
        const struct ws_block_info *block = &sites->blocks[i];
        ws_payload_u32(payload, block->label);
        ws_payload_u32(payload, block->offset);
        ws_payload_u32(payload, block->length);
        ws_payload_u32(payload, block->function);
        ws_payload_u32(payload, block->instruction_count);
    }
    ws_payload_u32(payload, sites->site_count);
    for (uint32_t i = 0; i < sites->site_count; ++i) {
        const struct ws_site_info *site = &sites->sites[i];
        ws_payload_u32(payload, site->pass);
        ws_payload_u32(payload, site->tag);
        ws_payload_u32(payload, site->kind);
        ws_payload_u32(payload, site->block);
        ws_payload_u32(payload, site->offset);
        ws_payload_u32(payload, site->row);
    }
}

void ws_payload_shader(struct ws_payload *payload, const struct ws_chunk_shader *shader)
{
    ws_payload_u32(payload, shader->id);
    ws_payload_u32(payload, shader->module);
    ws_payload_u32(payload, shader->entry);
    ws_payload_u32(payload, shader->stage);
    ws_payload_text(payload, shader->name);
    ws_payload_u32(payload, shader->specialization_count);
    for (uint32_t i = 0; i < shader->specialization_count; ++i) {
        ws_payload_u32(payload, shader->specialization[i].constant_id);
        ws_payload_u32(payload, shader->specialization[i].size);
        ws_payload_u64(payload, shader->specialization[i].value);
    }
}

void ws_payload_pipeline(struct ws_payload *payload, const struct ws_chunk_pipeline *pipeline)
{
    ws_payload_u32(payload, pipeline->id);
    ws_payload_u32(payload, pipeline->device);
    ws_payload_u32(payload, pipeline->kind);
    ws_payload_u32(payload, pipeline->shader_count);
    ws_payload_words(payload, pipeline->shaders, pipeline->shader_count);
    ws_payload_u32(payload, pipeline->flags);
}

void ws_payload_name(struct ws_payload *payload, const struct ws_chunk_name *name)
{
    ws_payload_u32(payload, name->kind);
    ws_payload_u32(payload, name->id);
    ws_payload_text(payload, name->name);
}

void ws_payload_records(struct ws_payload *payload, const struct ws_chunk_records *records)
{
    ws_payload_u64(payload, records->submission);
    ws_payload_u64(payload, records->launch);
    ws_payload_u32(payload, records->device);
    ws_payload_u32(payload, records->flags);
    ws_payload_u32(payload, records->bins);
    ws_payload_u32(payload, records->position);
    ws_payload_u32(payload, records->first);
    ws_payload_u64(payload, records->missing);
    ws_payload_u64(payload, records->sufficient);
    ws_payload_u32(payload, records->slot_count);
    for (uint32_t i = 0; i < records->slot_count; ++i) {
        ws_payload_u32(payload, records->slots[i].slot);
        ws_payload_u32(payload, records->slots[i].shader);
    }
    ws_payload_u32(payload, records->word_count);
    put_planes(payload, records->words, records->word_count);
}

static void put_hash(struct ws_payload *payload, const uint64_t hash[2])
{
    ws_payload_u64(payload, hash[0]);
    ws_payload_u64(payload, hash[1]);
}

void ws_payload_blob(struct ws_payload *payload, const struct ws_chunk_blob *blob)
{
    ws_payload_u32(payload, blob->id);
    put_hash(payload, blob->hash);
    ws_payload_u64(payload, blob->size);
    ws_payload_u64(payload, blob->offset);
    put_bytes(payload, blob->bytes, blob->count);
}

void ws_payload_structure(struct ws_payload *payload, const struct ws_chunk_structure *structure)
{
    ws_payload_u32(payload, structure->id);
    ws_payload_u32(payload, structure->device);
    ws_payload_u32(payload, structure->type);
    ws_payload_u64(payload, structure->size);
    ws_payload_u64(payload, structure->address);
    ws_payload_text(payload, structure->name);
}

static void put_geometry(struct ws_payload *payload, const struct ws_build_geometry *geometry)
{
    ws_payload_u32(payload, geometry->type);
    ws_payload_u32(payload, geometry->flags);
    ws_payload_u32(payload, geometry->capture_flags);
    ws_payload_u32(payload, geometry->primitive_count);
    ws_payload_u32(payload, geometry->vertex_format);
    ws_payload_u32(payload, geometry->index_type);
    ws_payload_u32(payload, geometry->max_vertex);
    ws_payload_u64(payload, geometry->stride);
    ws_payload_u32(payload, geometry->data);
    ws_payload_u32(payload, geometry->indices);
    ws_payload_u32(payload, geometry->transform);
    ws_payload_u32(payload, geometry->reference_count);
    ws_payload_words(payload, geometry->references, geometry->reference_count);
}

void ws_payload_build(struct ws_payload *payload, const struct ws_chunk_build *build)
{
    ws_payload_u32(payload, build->structure);
    ws_payload_u64(payload, build->moment);
    ws_payload_u32(payload, build->flags);
    ws_payload_u32(payload, build->build_flags);
    ws_payload_u32(payload, build->source);
    ws_payload_u32(payload, build->geometry_count);
    for (uint32_t i = 0; i < build->geometry_count; ++i)
        put_geometry(payload, &build->geometries[i]);
}

void ws_payload_copy(struct ws_payload *payload, const struct ws_chunk_copy *copy)
{
    ws_payload_u32(payload, copy->source);
    ws_payload_u32(payload, copy->destination);
    ws_payload_u64(payload, copy->moment);
    ws_payload_u32(payload, copy->mode);
    put_hash(payload, copy->hash);
}

void ws_payload_gone(struct ws_payload *payload, const struct ws_chunk_gone *gone)
{
    ws_payload_u32(payload, gone->structure);
    ws_payload_u64(payload, gone->moment);
}

void ws_payload_groups(struct ws_payload *payload, const struct ws_chunk_groups *groups)
{
    ws_payload_u32(payload, groups->pipeline);
    ws_payload_u32(payload, groups->handle_size);
    ws_payload_u32(payload, groups->group_count);
    for (uint32_t i = 0; i < groups->group_count; ++i) {
        const struct ws_shader_group *group = &groups->groups[i];
        ws_payload_u32(payload, group->type);
        ws_payload_u32(payload, group->general);
        ws_payload_u32(payload, group->closest_hit);
        ws_payload_u32(payload, group->any_hit);
        ws_payload_u32(payload, group->intersection);
        put_bytes(payload, group->handle, group->handle_size);
    }
}

void ws_payload_tables(struct ws_payload *payload, const struct ws_chunk_tables *tables)
{
    ws_payload_u64(payload, tables->launch);
    for (int i = 0; i < 4; ++i) {
        ws_payload_u64(payload, tables->tables[i].address);
        ws_payload_u64(payload, tables->tables[i].stride);
        ws_payload_u64(payload, tables->tables[i].size);
        ws_payload_u32(payload, tables->tables[i].blob);
    }
}

void ws_payload_skip(struct ws_payload *payload, const struct ws_chunk_skip *skip)
{
    ws_payload_u32(payload, skip->kind);
    ws_payload_u32(payload, skip->id);
    ws_payload_u32(payload, skip->pass);
    ws_payload_u32(payload, skip->offset);
    ws_payload_u64(payload, skip->count);
    ws_payload_text(payload, skip->reason);
}

void ws_payload_message(struct ws_payload *payload, const struct ws_chunk_message *message)
{
    ws_payload_u32(payload, message->severity);
    ws_payload_text(payload, message->text);
}

void ws_payload_done(struct ws_payload *payload, const struct ws_chunk_done *done)
{
    ws_payload_u64(payload, done->submissions);
    ws_payload_u64(payload, done->launches);
    ws_payload_u64(payload, done->frames);
    ws_payload_u64(payload, done->outside);
}
