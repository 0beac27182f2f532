#include "analysis/model/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/catalog_sites.h"
#include "analysis/model/launch.h"
#include "passes/base/array.h"

enum kind { KIND_DEVICE, KIND_MODULE, KIND_SHADER, KIND_PIPELINE };

void ws_catalog_init(struct ws_catalog *catalog)
{
    memset(catalog, 0, sizeof(*catalog));
}

void ws_catalog_finish(struct ws_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        ws_catalog_sites_finish(&catalog->modules[i]);
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i)
        free(catalog->pipelines[i].shaders);
    free(catalog->devices);
    free(catalog->modules);
    free(catalog->shaders);
    free(catalog->pipelines);
    ws_launch_table_finish(&catalog->launches);
    ws_id_map_finish(&catalog->ids);
    ws_text_pool_finish(&catalog->texts);
    memset(catalog, 0, sizeof(*catalog));
}

void *ws_catalog_follow(void *array, uint32_t count, uint32_t wanted, uint32_t capacity, size_t size)
{
    char *grown = realloc(array, capacity * size);
    if (grown != NULL)
        memset(grown + count * size, 0, (wanted - count) * size);
    return grown;
}

static uint32_t find(const struct ws_catalog *catalog, enum kind kind, uint32_t id)
{
    uint32_t index = WS_NONE;
    return ws_id_map_get(&catalog->ids, (uint64_t)kind << 32 | id, &index) ? index : WS_NONE;
}

static bool put(struct ws_catalog *catalog, enum kind kind, uint32_t id, uint32_t index)
{
    return ws_id_map_put(&catalog->ids, (uint64_t)kind << 32 | id, index);
}

uint32_t ws_catalog_module(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_MODULE, id);
}

uint32_t ws_catalog_shader(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_SHADER, id);
}

uint32_t ws_catalog_pipeline(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_PIPELINE, id);
}

uint32_t ws_catalog_device(const struct ws_catalog *catalog, uint32_t id)
{
    return find(catalog, KIND_DEVICE, id);
}

uint32_t ws_catalog_pass(const struct ws_module_record *module, const char *name)
{
    for (uint32_t i = 0; i < module->pass_count; ++i)
        if (strcmp(module->passes[i], name) == 0)
            return i;
    return WS_NONE;
}

const struct ws_entry_record *ws_catalog_entry(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_module_record *module = &catalog->modules[record->module];
    return record->entry < module->entry_count ? &module->entries[record->entry] : NULL;
}

uint32_t ws_catalog_launch_row(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    const uint32_t stage = catalog->shaders[shader].stage;
    return entry != NULL && (stage == WS_STAGE_RAYGEN || stage == WS_STAGE_COMPUTE) ? entry->launch_row
                                                                                    : WS_NONE;
}

static bool add_device(struct ws_catalog *catalog, const struct ws_chunk_device *device)
{
    struct ws_device_record *devices = ws_array_grow(catalog->devices, &catalog->device_capacity,
                                                     catalog->device_count + 1, sizeof(*devices));
    if (devices == NULL)
        return false;
    catalog->devices = devices;
    struct ws_device_record *record = &devices[catalog->device_count];
    *record = (struct ws_device_record){
        .id = device->id,
        .name = ws_text_pool_add(&catalog->texts, device->name),
        .driver_name = ws_text_pool_add(&catalog->texts, device->driver_name),
        .driver_info = ws_text_pool_add(&catalog->texts, device->driver_info),
        .api_version = device->api_version,
        .subgroup_size = device->subgroup_size,
        .subgroup_size_min = device->subgroup_size_min,
        .subgroup_size_max = device->subgroup_size_max,
        .bins = device->bins,
        .subgroup_stages = device->subgroup_stages,
    };
    return record->name != NULL && record->driver_name != NULL && record->driver_info != NULL &&
           put(catalog, KIND_DEVICE, device->id, catalog->device_count++);
}

static bool add_module(struct ws_catalog *catalog, const struct ws_chunk_module *module)
{
    struct ws_module_record *modules = ws_array_grow(catalog->modules, &catalog->module_capacity,
                                                     catalog->module_count + 1, sizeof(*modules));
    if (modules == NULL)
        return false;
    catalog->modules = modules;
    struct ws_module_record *record = &modules[catalog->module_count++];
    *record = (struct ws_module_record){
        .id = module->id,
        .hash = module->hash,
        .name = ws_text_pool_add(&catalog->texts, module->name),
        .source = ws_text_pool_add(&catalog->texts, ""),
        .word_count = module->word_count,
        .words = malloc(4 * (size_t)module->word_count + 1),
    };
    if (record->name == NULL || record->source == NULL || record->words == NULL)
        return false;
    if (module->word_count > 0)
        memcpy(record->words, module->words, 4 * (size_t)module->word_count);
    return put(catalog, KIND_MODULE, module->id, catalog->module_count - 1);
}

static bool add_shader(struct ws_catalog *catalog, const struct ws_chunk_shader *shader)
{
    struct ws_shader_record *shaders = ws_array_grow(catalog->shaders, &catalog->shader_capacity,
                                                     catalog->shader_count + 1, sizeof(*shaders));
    if (shaders == NULL)
        return false;
    catalog->shaders = shaders;
    struct ws_shader_record *record = &shaders[catalog->shader_count];
    *record = (struct ws_shader_record){
        .id = shader->id,
        .module = ws_catalog_module(catalog, shader->module),
        .entry = shader->entry,
        .stage = shader->stage,
        .name = ws_text_pool_add(&catalog->texts, shader->name),
        .specialization_count = shader->specialization_count,
    };
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, catalog->shader_count);
    if (entry != NULL)
        ws_local_size_specialize(&entry->local_size, shader->specialization, shader->specialization_count,
                                 record->local_size);
    return record->name != NULL && put(catalog, KIND_SHADER, shader->id, catalog->shader_count++);
}

static bool add_pipeline(struct ws_catalog *catalog, const struct ws_chunk_pipeline *pipeline)
{
    struct ws_pipeline_record *pipelines = ws_array_grow(catalog->pipelines, &catalog->pipeline_capacity,
                                                         catalog->pipeline_count + 1, sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    catalog->pipelines = pipelines;
    struct ws_pipeline_record *record = &pipelines[catalog->pipeline_count];
    *record = (struct ws_pipeline_record){
        .id = pipeline->id,
        .kind = pipeline->kind,
        .name = ws_text_pool_add(&catalog->texts, ""),
        .shaders = malloc(sizeof(*record->shaders) * ((size_t)pipeline->shader_count + 1)),
        .shader_count = pipeline->shader_count,
    };
    if (record->shaders == NULL)
        return false;
    catalog->pipeline_count++;
    for (uint32_t i = 0; i < pipeline->shader_count; ++i)
        record->shaders[i] = ws_catalog_shader(catalog, pipeline->shaders[i]);
    return record->name != NULL && put(catalog, KIND_PIPELINE, pipeline->id, catalog->pipeline_count - 1);
}

/* The last name given wins: most applications name an object once, right after they made it. */
static bool set_name(struct ws_catalog *catalog, const struct ws_chunk_name *name)
{
    const char *text = ws_text_pool_add(&catalog->texts, name->name);
    uint32_t module = ws_catalog_module(catalog, name->id);
    uint32_t pipeline = ws_catalog_pipeline(catalog, name->id);
    if (text == NULL)
        return false;
    if (name->kind == WS_NAME_MODULE && module != WS_NONE)
        catalog->modules[module].name = text;
    if (name->kind == WS_NAME_PIPELINE && pipeline != WS_NONE)
        catalog->pipelines[pipeline].name = text;
    return true;
}

bool ws_catalog_record(struct ws_catalog *catalog, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    switch (chunk->type) {
    case WS_CHUNK_DEVICE: recorded = add_device(catalog, &chunk->device); break;
    case WS_CHUNK_MODULE: recorded = add_module(catalog, &chunk->module); break;
    case WS_CHUNK_SITES: recorded = ws_catalog_sites_add(catalog, &chunk->sites); break;
    case WS_CHUNK_SHADER: recorded = add_shader(catalog, &chunk->shader); break;
    case WS_CHUNK_PIPELINE: recorded = add_pipeline(catalog, &chunk->pipeline); break;
    case WS_CHUNK_SUBMISSION: recorded = ws_launch_table_record(catalog, &chunk->submission); break;
    case WS_CHUNK_NAME: recorded = set_name(catalog, &chunk->name); break;
    default: break;
    }
    return recorded || ws_error_set(error, "no memory for what the capture defines");
}

void ws_catalog_shader_name(const struct ws_catalog *catalog, uint32_t shader, char *name, size_t size)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_module_record *module = &catalog->modules[record->module];
    if (module->name[0] != '\0' || module->source[0] != '\0')
        snprintf(name, size, "%s:%s", module->name[0] != '\0' ? module->name : module->source, record->name);
    else
        snprintf(name, size, "%016" PRIx64 ":%s", module->hash, record->name);
    ws_text_cut(name);
}

void ws_catalog_pipeline_name(const struct ws_catalog *catalog, uint32_t pipeline, char *name, size_t size)
{
    static const char *const kinds[] = {"graphics pipeline", "compute pipeline", "ray tracing pipeline",
                                        "shader object"};
    const struct ws_pipeline_record *record = &catalog->pipelines[pipeline];
    if (record->name[0] != '\0')
        snprintf(name, size, "%s", record->name);
    else
        snprintf(name, size, "%s %" PRIu32, record->kind < 4 ? kinds[record->kind] : "pipeline", record->id);
    ws_text_cut(name);
}

void ws_catalog_trace_name(const struct ws_catalog *catalog, uint32_t shader, uint32_t site, char *text,
                           size_t size)
{
    char name[256];
    char place[256] = "a place that is not known";
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    ws_catalog_shader_name(catalog, shader, name, sizeof(name));
    if (site < module->site_count && module->sites[site].file != NULL) {
        const char *slash = strrchr(module->sites[site].file, '/');
        snprintf(place, sizeof(place), "%.200s:%" PRIu32,
                 slash != NULL ? slash + 1 : module->sites[site].file, module->sites[site].line);
    } else if (site < module->site_count) {
        snprintf(place, sizeof(place), "word %" PRIu32, module->sites[site].info.offset);
    }
    snprintf(text, size, "rays traced at %s (%s)", place, name);
    ws_text_cut(text);
}
