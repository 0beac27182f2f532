#include "analysis/capture/reader_check.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/pass.h"
#include "warpscope/records.h"
#include "warpscope/yields.h"

/* Words per lane of a data record: as many as eight bits say, like those of an entry record. */
#define DATA_WORDS_MAX 0xffu

/* The most that entry points times (blocks + sites) of a module may be: the catalog lists what each entry
 * point reaches, which takes so much time and memory. A thousand entry points and sixty thousand blocks are
 * below it. */
#define REACH_MAX (1u << 26)

enum kind {
    KIND_DEVICE,
    KIND_MODULE,
    KIND_SHADER,
    KIND_PIPELINE,
    KIND_STRUCTURE,
    KIND_BLOB,
    KIND_RESOURCE,
    KIND_SET
};

static const char *const kind_names[] = {"device",
                                         "module",
                                         "shader",
                                         "pipeline",
                                         "acceleration structure",
                                         "blob",
                                         "resource",
                                         "state of a descriptor set"};

void ws_known_finish(struct ws_known *known)
{
    for (uint32_t i = 0; i < known->module_count; ++i)
        free(known->modules[i].entries);
    free(known->modules);
    free(known->shaders);
    free(known->blobs);
    ws_id_map_finish(&known->ids);
    memset(known, 0, sizeof(*known));
}

static uint64_t key_of(enum kind kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

static enum ws_known_result contradiction(struct ws_error *error, const char *reason)
{
    ws_error_set(error, "%s", reason);
    return WS_KNOWN_CONTRADICTION;
}

/* The index under which `id` was defined. */
static enum ws_known_result find(const struct ws_known *known, enum kind kind, uint32_t id, uint32_t *index,
                                 struct ws_error *error)
{
    if (ws_id_map_get(&known->ids, key_of(kind, id), index))
        return WS_KNOWN_GOOD;
    ws_error_set(error, "it refers to %s %u, which is not defined before it", kind_names[kind], id);
    return WS_KNOWN_MISSING;
}

/* Gives a new id the next index, `*count`. */
static enum ws_known_result define(struct ws_known *known, enum kind kind, uint32_t id, uint32_t *count,
                                   struct ws_error *error)
{
    uint32_t index = 0;
    if (id == WS_NONE)
        return contradiction(error, "it defines the id that means none");
    if (ws_id_map_get(&known->ids, key_of(kind, id), &index)) {
        ws_error_set(error, "it defines %s %u a second time", kind_names[kind], id);
        return WS_KNOWN_CONTRADICTION;
    }
    if (!ws_id_map_put(&known->ids, key_of(kind, id), *count))
        return contradiction(error, "no memory");
    (*count)++;
    return WS_KNOWN_GOOD;
}

/* `array` with room for one more element; NULL when there is no memory, and then the old array stays. */
static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    uint32_t larger = *capacity > 0 ? *capacity * 2 : 16;
    void *grown = realloc(array, larger * size);
    if (grown != NULL)
        *capacity = larger;
    return grown;
}

static enum ws_known_result add_module(struct ws_known *known, const struct ws_chunk_module *module,
                                       struct ws_error *error)
{
    struct ws_known_module *modules =
        grow(known->modules, known->module_count, &known->module_capacity, sizeof(*modules));
    if (modules == NULL)
        return contradiction(error, "no memory");
    known->modules = modules;
    modules[known->module_count] = (struct ws_known_module){.word_count = module->word_count};
    return define(known, KIND_MODULE, module->id, &known->module_count, error);
}

static bool range_fits(uint32_t first, uint32_t count, uint32_t limit)
{
    return first <= limit && count <= limit - first;
}

static bool has_counters(uint32_t kind)
{
    return kind == WS_SITE_BLOCK || kind == WS_SITE_LAUNCH || kind == WS_SITE_COUNT || kind == WS_SITE_ACCESS;
}

/* Whether the sites before one, as far as they are of paths, begin with a path. */
static bool follows_path(const struct ws_chunk_sites *sites, uint32_t index)
{
    return index > 0 && sites->sites[index - 1].kind >= WS_SITE_PATH &&
           sites->sites[index - 1].kind <= WS_SITE_PATH_STEP;
}

/* What is wrong with a site of a path; NULL = nothing. Sites before it are right. */
static const char *check_path(const struct ws_chunk_sites *sites, uint32_t index)
{
    const struct ws_site_info *site = &sites->sites[index];
    if (site->kind == WS_SITE_PATH)
        return site->row > DATA_WORDS_MAX ? "a path has more words per lane than any record" : NULL;
    if (!follows_path(sites, index))
        return "a site of a path stands behind none";
    if (site->kind == WS_SITE_PATH_TURNS && ws_turns_of_group(site->tag) == 0)
        return "a turn of a loop has more bits than a word";
    if (site->kind == WS_SITE_PATH_TURNS)
        return site->row >= index || sites->sites[site->row].kind != WS_SITE_PATH
                   ? "turns of a loop are of a site that is no path"
                   : NULL;
    if (site->row >= sites->site_count)
        return "a path has a step beyond the sites of its module";
    const struct ws_site_info *place = &sites->sites[site->row];
    if (!ws_site_is_place(place->kind) || place->row != site->row)
        return "a path has a step that is no place";
    /* Calls and ends part warps, so no path goes on over them. */
    return place->kind != WS_SITE_PLACE_BLOCK && place->kind != WS_SITE_PLACE_SYNC
               ? "a path has a step that begins no block"
               : NULL;
}

/* What is wrong with a site's row, which has another meaning for each kind (instrument.h); NULL = nothing.
 * The row of a kind that is not known is not checked. */
static const char *check_site_row(const struct ws_chunk_sites *sites, uint32_t index)
{
    const struct ws_site_info *site = &sites->sites[index];
    if (site->kind >= WS_SITE_PATH && site->kind <= WS_SITE_PATH_STEP)
        return check_path(sites, index);
    if (site->row == WS_NONE)
        return NULL;
    if (has_counters(site->kind))
        return site->row >= sites->row_count ? "a site has a row beyond those of the module" : NULL;
    if (site->kind == WS_SITE_DATA)
        return site->row > DATA_WORDS_MAX ? "a site has more words per lane than any record" : NULL;
    if (site->kind > WS_SITE_PLACE_ENTRY)
        return NULL;
    if (index > WS_RECORD_SITE_MAX && site->row == index)
        return "a site has a number beyond those that records can carry";
    if (site->row > index || has_counters(sites->sites[site->row].kind))
        return "a site has the number of a site that has no records, or stands after it";
    const struct ws_site_info *first = &sites->sites[site->row];
    return first->kind != WS_SITE_DATA && first->row != site->row
               ? "a site has the number of a site that has another"
               : NULL;
}

/* What is wrong with the yield words of a SITE chunk; NULL = nothing. */
static const char *check_site_yields(const struct ws_chunk_sites *sites)
{
    if (sites->yield_count != 0 && sites->yield_count != 2 * (uint64_t)sites->entry_count)
        return "it has yield words of another number of entry points";
    for (uint32_t i = 0; i < sites->yield_count; i += 2)
        if (!range_fits(sites->yields[i], sites->yields[i + 1], WS_YIELD_WORDS_MAX))
            return "an entry point has more yield words than any module";
    if (sites->shared_yield_count != 0 && sites->shared_yield_count != sites->pass_count)
        return "it has yield words of another number of passes";
    return NULL;
}

/* What is wrong with the words that data records leave out; NULL = nothing. The sites are right. */
static const char *check_fixed(const struct ws_chunk_sites *sites)
{
    for (uint32_t i = 0; i < sites->fixed_count; ++i) {
        const struct ws_fixed_word *fixed = &sites->fixed[i];
        if (fixed->site >= sites->site_count || sites->sites[fixed->site].kind != WS_SITE_DATA)
            return "a word is fixed of a site that has no data records";
        if (sites->sites[fixed->site].row > WS_DATA_WORDS_MAX || fixed->word >= sites->sites[fixed->site].row)
            return "a word is fixed that records of its site do not have";
        if (i > 0 && (fixed->site < fixed[-1].site ||
                      (fixed->site == fixed[-1].site && fixed->word <= fixed[-1].word)))
            return "a word is fixed twice, or behind a later one";
    }
    return NULL;
}

/* Whether rows, blocks and offsets of a SITE chunk are within its lists and within the module. */
static enum ws_known_result check_sites(const struct ws_chunk_sites *sites, uint32_t word_count,
                                        struct ws_error *error)
{
    if (sites->row_count > sites->site_count)
        return contradiction(error, "it has more counter rows than sites");
    if ((uint64_t)sites->entry_count * ((uint64_t)sites->block_count + sites->site_count) > REACH_MAX)
        return contradiction(error, "it has more entry points and blocks than any module has");
    for (uint32_t i = 0; i < sites->entry_count; ++i)
        if (!range_fits(sites->entries[i].row_first, sites->entries[i].row_count, sites->row_count))
            return contradiction(error, "an entry point has rows beyond those of the module");
    uint32_t end = 0;
    for (uint32_t i = 0; i < sites->block_count; ++i) {
        const struct ws_block_info *block = &sites->blocks[i];
        if (!range_fits(block->offset, block->length, word_count))
            return contradiction(error, "a block ends beyond the module's words");
        if (block->offset < end)
            return contradiction(error, "its blocks are not in the order of the module");
        end = block->offset + block->length;
    }
    for (uint32_t i = 0; i < sites->site_count; ++i) {
        const struct ws_site_info *site = &sites->sites[i];
        if (site->block >= sites->block_count)
            return contradiction(error, "a site stands in a block that is not listed");
        if (site->pass != WS_NONE && site->pass >= sites->pass_count)
            return contradiction(error, "a site belongs to a pass that is not listed");
        const char *reason = check_site_row(sites, i);
        if (reason != NULL)
            return contradiction(error, reason);
    }
    const char *reason = check_site_yields(sites);
    if (reason == NULL)
        reason = check_fixed(sites);
    return reason != NULL ? contradiction(error, reason) : WS_KNOWN_GOOD;
}

static enum ws_known_result add_sites(struct ws_known *known, const struct ws_chunk_sites *sites,
                                      struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_MODULE, sites->module, &index, error);
    if (result != WS_KNOWN_GOOD)
        return result;
    struct ws_known_module *module = &known->modules[index];
    if (module->has_sites)
        return contradiction(error, "its module has a SITE chunk already");
    result = check_sites(sites, module->word_count, error);
    if (result != WS_KNOWN_GOOD)
        return result;
    if (sites->entry_count > 0) {
        module->entries = calloc(sites->entry_count, sizeof(*module->entries));
        if (module->entries == NULL)
            return contradiction(error, "no memory");
    }
    for (uint32_t i = 0; i < sites->entry_count; ++i) {
        struct ws_known_rows *rows = &module->entries[i];
        rows->rows = (struct ws_row_range){sites->entries[i].row_first, sites->entries[i].row_count};
        if (sites->yield_count > 0)
            rows->yields = (struct ws_row_range){sites->yields[2 * i], sites->yields[2 * i + 1]};
    }
    module->entry_count = sites->entry_count;
    module->has_sites = true;
    return WS_KNOWN_GOOD;
}

static enum ws_known_result add_shader(struct ws_known *known, const struct ws_chunk_shader *shader,
                                       struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_MODULE, shader->module, &index, error);
    if (result != WS_KNOWN_GOOD)
        return result;
    const struct ws_known_module *module = &known->modules[index];
    struct ws_known_rows rows = {{0, 0}, {0, 0}};
    if (shader->entry != WS_NONE) {
        if (!module->has_sites) {
            ws_error_set(error, "it refers to the sites of module %u, which are not defined before it",
                         shader->module);
            return WS_KNOWN_MISSING;
        }
        if (shader->entry >= module->entry_count)
            return contradiction(error, "its entry point is not in its module's SITE chunk");
        rows = module->entries[shader->entry];
    }
    struct ws_known_rows *shaders =
        grow(known->shaders, known->shader_count, &known->shader_capacity, sizeof(*shaders));
    if (shaders == NULL)
        return contradiction(error, "no memory");
    known->shaders = shaders;
    shaders[known->shader_count] = rows;
    return define(known, KIND_SHADER, shader->id, &known->shader_count, error);
}

static enum ws_known_result add_pipeline(struct ws_known *known, const struct ws_chunk_pipeline *pipeline,
                                         struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_DEVICE, pipeline->device, &index, error);
    for (uint32_t i = 0; i < pipeline->shader_count && result == WS_KNOWN_GOOD; ++i)
        result = find(known, KIND_SHADER, pipeline->shaders[i], &index, error);
    if (result == WS_KNOWN_GOOD)
        result = define(known, KIND_PIPELINE, pipeline->id, &known->pipeline_count, error);
    return result;
}

static enum ws_known_result check_launch(const struct ws_known *known, const struct ws_launch *launch,
                                         struct ws_error *error)
{
    enum ws_known_result result = WS_KNOWN_GOOD;
    uint32_t index = 0;
    for (uint32_t i = 0; i < launch->pipeline_count && result == WS_KNOWN_GOOD; ++i)
        result = find(known, KIND_PIPELINE, launch->pipelines[i], &index, error);
    for (uint32_t i = 0; i < launch->shader_count && result == WS_KNOWN_GOOD; ++i) {
        const struct ws_shader_counters *counters = &launch->shaders[i];
        result = find(known, KIND_SHADER, counters->shader, &index, error);
        if (result != WS_KNOWN_GOOD)
            break;
        const struct ws_row_range rows = known->shaders[index].rows;
        if (counters->row_first < rows.first ||
            !range_fits(counters->row_first - rows.first, counters->row_count, rows.count))
            return contradiction(error, "it has counter rows that its shader does not have");
    }
    return result;
}

static enum ws_known_result check_submission(const struct ws_known *known,
                                             const struct ws_chunk_submission *submission,
                                             struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_DEVICE, submission->device, &index, error);
    for (uint32_t i = 0; i < submission->launch_count && result == WS_KNOWN_GOOD; ++i)
        result = check_launch(known, &submission->launches[i], error);
    return result;
}

static enum ws_known_result check_records(const struct ws_known *known,
                                          const struct ws_chunk_records *records, struct ws_error *error)
{
    uint32_t index = 0;
    if (records->bins < WS_BINS_MIN || records->bins > WS_BINS_MAX)
        return contradiction(error, "its masks have a number of lanes that no device has");
    if (records->position < records->first)
        return contradiction(error, "it stands before the launch's first word");
    if (!range_fits(records->position, records->word_count, WS_STREAM_SATURATED))
        return contradiction(error, "its words end beyond what a stream can hold");
    enum ws_known_result result = find(known, KIND_DEVICE, records->device, &index, error);
    for (uint32_t i = 0; i < records->slot_count && result == WS_KNOWN_GOOD; ++i) {
        if (records->slots[i].slot >= WS_SLOT_COUNT)
            return contradiction(error, "it has a slot beyond those of the root block");
        result = find(known, KIND_SHADER, records->slots[i].shader, &index, error);
    }
    return result;
}

/* As find, for a reference that may be WS_NONE. */
static enum ws_known_result check_optional(const struct ws_known *known, enum kind kind, uint32_t id,
                                           struct ws_error *error)
{
    uint32_t index = 0;
    return id == WS_NONE ? WS_KNOWN_GOOD : find(known, kind, id, &index, error);
}

static enum ws_known_result begin_blob(struct ws_known *known, const struct ws_chunk_blob *blob,
                                       struct ws_error *error)
{
    struct ws_known_blob *blobs =
        grow(known->blobs, known->blob_count, &known->blob_capacity, sizeof(*blobs));
    if (blobs == NULL)
        return contradiction(error, "no memory");
    known->blobs = blobs;
    blobs[known->blob_count] = (struct ws_known_blob){
        .hash = {blob->hash[0], blob->hash[1]}, .size = blob->size, .have = blob->count};
    return define(known, KIND_BLOB, blob->id, &known->blob_count, error);
}

static enum ws_known_result add_blob(struct ws_known *known, const struct ws_chunk_blob *blob,
                                     struct ws_error *error)
{
    uint32_t index = 0;
    if (blob->offset > blob->size || blob->count > blob->size - blob->offset)
        return contradiction(error, "a piece of a blob ends beyond the blob");
    if (blob->count == 0 && blob->size > 0)
        return contradiction(error, "a piece of a blob is empty");
    if (blob->offset == 0)
        return begin_blob(known, blob, error);
    enum ws_known_result result = find(known, KIND_BLOB, blob->id, &index, error);
    if (result != WS_KNOWN_GOOD)
        return result;
    struct ws_known_blob *whole = &known->blobs[index];
    if (whole->size != blob->size || whole->hash[0] != blob->hash[0] || whole->hash[1] != blob->hash[1])
        return contradiction(error, "the pieces of a blob are of different ones");
    if (blob->offset < whole->have)
        return contradiction(error, "a piece of a blob comes a second time");
    if (blob->offset > whole->have) {
        ws_error_set(error, "a piece of blob %u is missing before it", blob->id);
        return WS_KNOWN_MISSING;
    }
    whole->have += blob->count;
    return WS_KNOWN_GOOD;
}

static enum ws_known_result add_structure(struct ws_known *known, const struct ws_chunk_structure *structure,
                                          struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_DEVICE, structure->device, &index, error);
    if (result == WS_KNOWN_GOOD)
        result = define(known, KIND_STRUCTURE, structure->id, &known->structure_count, error);
    return result;
}

static enum ws_known_result check_geometry(const struct ws_known *known,
                                           const struct ws_build_geometry *geometry, struct ws_error *error)
{
    const uint32_t blobs[] = {geometry->data, geometry->indices, geometry->transform};
    enum ws_known_result result = WS_KNOWN_GOOD;
    for (int i = 0; i < 3 && result == WS_KNOWN_GOOD; ++i)
        result = check_optional(known, KIND_BLOB, blobs[i], error);
    for (uint32_t i = 0; i < geometry->reference_count && result == WS_KNOWN_GOOD; ++i)
        result = check_optional(known, KIND_STRUCTURE, geometry->references[i], error);
    return result;
}

/* Before all that may be missing: nothing may refer to a geometry that is not there, even where a blob is not. */
static enum ws_known_result check_geometry_order(const struct ws_chunk_build *build, struct ws_error *error)
{
    for (uint32_t i = 0; i < build->micromap_count; ++i) {
        const struct ws_build_micromap *micromap = &build->micromaps[i];
        if (micromap->geometry >= build->geometry_count)
            return contradiction(error, "it has micromaps of a geometry that it has not");
        if (i > 0 && micromap->geometry <= build->micromaps[i - 1].geometry)
            return contradiction(error, "its micromaps are not in the order of its geometries");
    }
    for (uint32_t i = 0; i < build->source_count; ++i) {
        const struct ws_build_source *source = &build->sources[i];
        if (source->geometry >= build->geometry_count)
            return contradiction(error, "it has sources of a geometry that it has not");
        if (i > 0 && source->geometry <= build->sources[i - 1].geometry)
            return contradiction(error, "its sources are not in the order of its geometries");
    }
    for (uint32_t i = 0; i < build->content_count; ++i) {
        if (build->contents[i].geometry >= build->geometry_count)
            return contradiction(error, "it has what micromaps hold of a geometry that it has not");
        if (i > 0 && build->contents[i].geometry <= build->contents[i - 1].geometry)
            return contradiction(error, "what its micromaps hold is not in the order of its geometries");
    }
    return WS_KNOWN_GOOD;
}

static enum ws_known_result check_build(const struct ws_known *known, const struct ws_chunk_build *build,
                                        struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_STRUCTURE, build->structure, &index, error);
    if (result != WS_KNOWN_GOOD)
        return result;
    result = check_geometry_order(build, error);
    if (result == WS_KNOWN_GOOD)
        result = check_optional(known, KIND_STRUCTURE, build->source, error);
    for (uint32_t i = 0; i < build->geometry_count && result == WS_KNOWN_GOOD; ++i)
        result = check_geometry(known, &build->geometries[i], error);
    for (uint32_t i = 0; i < build->micromap_count && result == WS_KNOWN_GOOD; ++i)
        result = check_optional(known, KIND_BLOB, build->micromaps[i].indices, error);
    for (uint32_t i = 0; i < build->content_count && result == WS_KNOWN_GOOD; ++i) {
        result = check_optional(known, KIND_BLOB, build->contents[i].data, error);
        if (result == WS_KNOWN_GOOD)
            result = check_optional(known, KIND_BLOB, build->contents[i].triangles, error);
    }
    return result == WS_KNOWN_MISSING ? WS_KNOWN_PARTLY : result;
}

static enum ws_known_result check_copy(const struct ws_known *known, const struct ws_chunk_copy *copy,
                                       struct ws_error *error)
{
    if (copy->source == WS_NONE && copy->destination == WS_NONE)
        return contradiction(error, "it copies nothing to nothing");
    enum ws_known_result result = check_optional(known, KIND_STRUCTURE, copy->source, error);
    if (result == WS_KNOWN_GOOD)
        result = check_optional(known, KIND_STRUCTURE, copy->destination, error);
    return result;
}

static enum ws_known_result check_groups(const struct ws_known *known, const struct ws_chunk_groups *groups,
                                         struct ws_error *error)
{
    uint32_t index = 0;
    enum ws_known_result result = find(known, KIND_PIPELINE, groups->pipeline, &index, error);
    for (uint32_t i = 0; i < groups->group_count && result == WS_KNOWN_GOOD; ++i) {
        const struct ws_shader_group *group = &groups->groups[i];
        const uint32_t shaders[] = {group->general, group->closest_hit, group->any_hit, group->intersection};
        if (group->handle_size != 0 && group->handle_size != groups->handle_size)
            return contradiction(error, "a group's handle has another size than its pipeline's have");
        for (int j = 0; j < 4 && result == WS_KNOWN_GOOD; ++j)
            result = check_optional(known, KIND_SHADER, shaders[j], error);
    }
    return result;
}

static enum ws_known_result check_tables(const struct ws_known *known, const struct ws_chunk_tables *tables,
                                         struct ws_error *error)
{
    enum ws_known_result result = WS_KNOWN_GOOD;
    for (int i = 0; i < 4 && result == WS_KNOWN_GOOD; ++i)
        result = check_optional(known, KIND_BLOB, tables->tables[i].blob, error);
    return result == WS_KNOWN_MISSING ? WS_KNOWN_PARTLY : result;
}

static enum ws_known_result check_name(const struct ws_known *known, const struct ws_chunk_name *name,
                                       struct ws_error *error)
{
    uint32_t index = 0;
    if (name->kind == WS_NAME_MODULE)
        return find(known, KIND_MODULE, name->id, &index, error);
    if (name->kind == WS_NAME_PIPELINE)
        return find(known, KIND_PIPELINE, name->id, &index, error);
    if (name->kind == WS_NAME_STRUCTURE)
        return find(known, KIND_STRUCTURE, name->id, &index, error);
    return WS_KNOWN_GOOD;
}

static enum ws_known_result check_yields(const struct ws_known *known, const struct ws_chunk_yields *chunk,
                                         struct ws_error *error)
{
    enum ws_known_result result = WS_KNOWN_GOOD;
    uint32_t index = 0;
    for (uint32_t i = 0; i < chunk->shader_count && result == WS_KNOWN_GOOD; ++i) {
        const struct ws_shader_yields *yields = &chunk->shaders[i];
        result = find(known, KIND_SHADER, yields->shader, &index, error);
        if (result != WS_KNOWN_GOOD)
            break;
        const struct ws_row_range words = known->shaders[index].yields;
        if (yields->first < words.first ||
            !range_fits(yields->first - words.first, yields->word_count, words.count))
            return contradiction(error, "it has yield words that its shader does not have");
    }
    return result;
}

/* A resource may come again: then more is known of it. */
static enum ws_known_result add_resources(struct ws_known *known, const struct ws_chunk_resources *chunk,
                                          struct ws_error *error)
{
    uint32_t index = 0;
    bool missing = find(known, KIND_DEVICE, chunk->device, &index, error) != WS_KNOWN_GOOD;
    for (uint32_t i = 0; i < chunk->resource_count; ++i) {
        const struct ws_resource *resource = &chunk->resources[i];
        if (resource->kind >= WS_RESOURCE_KINDS)
            return contradiction(error, "it has a resource of a kind that is not known");
        missing = check_optional(known, KIND_RESOURCE, resource->within, error) != WS_KNOWN_GOOD || missing;
        if (!ws_id_map_get(&known->ids, key_of(KIND_RESOURCE, resource->id), &index) &&
            define(known, KIND_RESOURCE, resource->id, &known->resource_count, error) != WS_KNOWN_GOOD)
            return WS_KNOWN_CONTRADICTION;
    }
    for (uint32_t i = 0; i < chunk->gone_count; ++i)
        missing = find(known, KIND_RESOURCE, chunk->gone[i], &index, error) != WS_KNOWN_GOOD || missing;
    return missing ? WS_KNOWN_PARTLY : WS_KNOWN_GOOD;
}

#define ACCELERATION_STRUCTURE 1000150000 /* VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR */

static enum ws_known_result check_descriptors(const struct ws_known *known,
                                              const struct ws_descriptor *descriptors, uint32_t count,
                                              struct ws_error *error)
{
    enum ws_known_result result = WS_KNOWN_GOOD;
    for (uint32_t i = 0; i < count && result == WS_KNOWN_GOOD; ++i) {
        const struct ws_descriptor *descriptor = &descriptors[i];
        const enum kind kind = descriptor->type == ACCELERATION_STRUCTURE ? KIND_STRUCTURE : KIND_RESOURCE;
        const struct ws_descriptor *before = i > 0 ? descriptor - 1 : NULL;
        if (before != NULL &&
            (before->binding > descriptor->binding ||
             (before->binding == descriptor->binding && before->element >= descriptor->element)))
            return contradiction(error, "its descriptors do not rise by binding and element");
        result = check_optional(known, kind, descriptor->resource, error);
    }
    return result == WS_KNOWN_MISSING ? WS_KNOWN_PARTLY : result;
}

static enum ws_known_result add_set(struct ws_known *known, const struct ws_chunk_set *set,
                                    struct ws_error *error)
{
    const enum ws_known_result result = define(known, KIND_SET, set->id, &known->set_count, error);
    return result == WS_KNOWN_GOOD ? check_descriptors(known, set->descriptors, set->descriptor_count, error)
                                   : result;
}

/* Where the state is missing that it changes, it is defined nevertheless: launches refer to it. */
static enum ws_known_result add_set_change(struct ws_known *known, const struct ws_chunk_set_change *change,
                                           struct ws_error *error)
{
    uint32_t index = 0;
    const enum ws_known_result base = find(known, KIND_SET, change->base, &index, error);
    enum ws_known_result result = base;
    if (base == WS_KNOWN_GOOD || base == WS_KNOWN_MISSING)
        result = define(known, KIND_SET, change->id, &known->set_count, error);
    if (result == WS_KNOWN_GOOD)
        result = check_descriptors(known, change->descriptors, change->descriptor_count, error);
    return result == WS_KNOWN_GOOD && base == WS_KNOWN_MISSING ? WS_KNOWN_PARTLY : result;
}

static enum ws_known_result check_use(const struct ws_known *known, const struct ws_bound_use *use,
                                      struct ws_error *error)
{
    enum ws_known_result result = check_optional(known, KIND_PIPELINE, use->pipeline, error);
    for (uint32_t i = 0; i < use->set_count && result == WS_KNOWN_GOOD; ++i)
        result = check_optional(known, KIND_SET, use->sets[i].state, error);
    return result;
}

static enum ws_known_result check_bound(const struct ws_known *known, const struct ws_chunk_bound *chunk,
                                        struct ws_error *error)
{
    enum ws_known_result result = WS_KNOWN_GOOD;
    for (uint32_t i = 0; i < chunk->launch_count; ++i)
        for (uint32_t j = 0; j < chunk->launches[i].use_count && result == WS_KNOWN_GOOD; ++j)
            result = check_use(known, &chunk->launches[i].uses[j], error);
    return result;
}

static enum ws_known_result check_skip(const struct ws_known *known, const struct ws_chunk_skip *skip,
                                       struct ws_error *error)
{
    uint32_t index = 0;
    if (skip->id == WS_NONE)
        return WS_KNOWN_GOOD;
    if (skip->kind == WS_SKIP_SITE)
        return find(known, KIND_MODULE, skip->id, &index, error);
    if (skip->kind == WS_SKIP_SHADER)
        return find(known, KIND_SHADER, skip->id, &index, error);
    if (skip->kind == WS_SKIP_PIPELINE)
        return find(known, KIND_PIPELINE, skip->id, &index, error);
    if (skip->kind == WS_SKIP_GEOMETRY)
        return find(known, KIND_STRUCTURE, skip->id, &index, error);
    return WS_KNOWN_GOOD;
}

enum ws_known_result ws_known_add(struct ws_known *known, const struct ws_chunk *chunk,
                                  struct ws_error *error)
{
    uint32_t index = 0;
    switch (chunk->type) {
    case WS_CHUNK_INFO:
        if (known->has_info)
            return contradiction(error, "there is more than one INFO chunk");
        known->has_info = true;
        return WS_KNOWN_GOOD;
    case WS_CHUNK_DEVICE: return define(known, KIND_DEVICE, chunk->device.id, &known->device_count, error);
    case WS_CHUNK_MODULE: return add_module(known, &chunk->module, error);
    case WS_CHUNK_SITES: return add_sites(known, &chunk->sites, error);
    case WS_CHUNK_SHADER: return add_shader(known, &chunk->shader, error);
    case WS_CHUNK_PIPELINE: return add_pipeline(known, &chunk->pipeline, error);
    case WS_CHUNK_NAME: return check_name(known, &chunk->name, error);
    case WS_CHUNK_SUBMISSION: return check_submission(known, &chunk->submission, error);
    case WS_CHUNK_RECORDS: return check_records(known, &chunk->records, error);
    case WS_CHUNK_BLOB: return add_blob(known, &chunk->blob, error);
    case WS_CHUNK_STRUCTURE: return add_structure(known, &chunk->structure, error);
    case WS_CHUNK_BUILD: return check_build(known, &chunk->build, error);
    case WS_CHUNK_COPY: return check_copy(known, &chunk->copy, error);
    case WS_CHUNK_GONE: return find(known, KIND_STRUCTURE, chunk->gone.structure, &index, error);
    case WS_CHUNK_GROUPS: return check_groups(known, &chunk->groups, error);
    case WS_CHUNK_TABLES: return check_tables(known, &chunk->tables, error);
    case WS_CHUNK_IMAGE: return find(known, KIND_BLOB, chunk->image.blob, &index, error);
    case WS_CHUNK_TIMES: return find(known, KIND_DEVICE, chunk->times.device, &index, error);
    case WS_CHUNK_YIELDS: return check_yields(known, &chunk->yields, error);
    case WS_CHUNK_RESOURCES: return add_resources(known, &chunk->resources, error);
    case WS_CHUNK_SET: return add_set(known, &chunk->set, error);
    case WS_CHUNK_SET_CHANGE: return add_set_change(known, &chunk->set_change, error);
    case WS_CHUNK_BOUND: return check_bound(known, &chunk->bound, error);
    case WS_CHUNK_SKIP: return check_skip(known, &chunk->skip, error);
    default: return WS_KNOWN_GOOD;
    }
}
