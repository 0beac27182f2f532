#include "analysis/export/accesses.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/export/ran.h"
#include "analysis/memory/homes.h"
#include "analysis/memory/rows.h"
#include "analysis/memory/texels/texel_place.h"
#include "analysis/memory/traced_sites.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/capture/scratch.h"
#include "warpscope/model/names.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"
#include "warpscope/report/sought.h"
#include "warpscope/spirv/pointers.h"

#define LANES_MAX 128

/* When a field has a value. */
enum known {
    ALWAYS,
    OF_PIPELINE, /* it is known which one ran the shader */
    OF_SOURCE,   /* the access has a source line */
    OF_BUFFER,   /* it is of a variable, and not of a device address */
    OF_BINDING,  /* which has a set and a binding */
    OF_BOUND,    /* something is known of the application's buffer */
    OF_RESOURCE, /* it is known which one it is */
    OF_HOME,     /* and in which memory it lies */
    OF_BYTE,     /* and where in that: not of images */
    OF_THREAD,   /* it is known which thread it is: its launched shader was recorded, too */
};

/* What the fields are read from. */
struct row {
    struct ws_export_ran ran; /* first */
    uint32_t place;
    const char *file;
    uint32_t line;
    const char *access;
    const char *memory;
    const char *buffer;
    uint32_t set;
    uint32_t binding;
    uint32_t module;
    uint32_t variable;
    uint32_t element;
    const char *bound;
    uint32_t bound_id;
    const char *allocation;
    uint32_t allocation_id;
    uint64_t allocation_byte;
    uint64_t request;
    uint32_t context;
    uint32_t warp;
    uint32_t thread[3];
    uint32_t lane;
    uint64_t address;
    uint32_t size;
    bool truncated;
};

#define AT(member) offsetof(struct row, member)

static const struct ws_export_field fields[] = {
    WS_EXPORT_RAN_FIELDS(ALWAYS, OF_PIPELINE),
    {"place", WS_EXPORT_NUMBER, AT(place), ALWAYS,
     "number of the access in its module,\nas report caches has it"},
    {"file", WS_EXPORT_TEXT, AT(file), OF_SOURCE, NULL},
    {"line", WS_EXPORT_NUMBER, AT(line), OF_SOURCE, "where it stands in the source"},
    {"access", WS_EXPORT_TEXT, AT(access), ALWAYS, "load, store or atomic"},
    {"memory", WS_EXPORT_TEXT, AT(memory), ALWAYS,
     "storage buffer, uniform buffer, device address or\nshader record"},
    {"buffer", WS_EXPORT_TEXT, AT(buffer), ALWAYS, "what is touched, by its name and binding"},
    {"set", WS_EXPORT_NUMBER, AT(set), OF_BINDING, NULL},
    {"binding", WS_EXPORT_NUMBER, AT(binding), OF_BINDING, "of the buffer"},
    {"module", WS_EXPORT_NUMBER, AT(module), ALWAYS, NULL},
    {"variable", WS_EXPORT_NUMBER, AT(variable), OF_BUFFER, "id of the module, and in it of the OpVariable"},
    {"element", WS_EXPORT_NUMBER, AT(element), OF_BUFFER, "of an array of descriptors; 0 without one"},
    {"bound", WS_EXPORT_TEXT, AT(bound), OF_BOUND, NULL},
    {"bound_id", WS_EXPORT_NUMBER, AT(bound_id), OF_RESOURCE,
     "the application's buffer, by its name or number,\nas reports have it, or why that is not known; "
     "its\nid in "
     "the capture"},
    {"allocation", WS_EXPORT_TEXT, AT(allocation), OF_HOME, NULL},
    {"allocation_id", WS_EXPORT_NUMBER, AT(allocation_id), OF_HOME,
     "the memory that it lies in, likewise; of a buffer\nthat lies in none that buffer"},
    {"allocation_byte", WS_EXPORT_WIDE, AT(allocation_byte), OF_BYTE,
     "the first byte that the lane touches in that; not of\nimages, whose layout only the device knows"},
    {"request", WS_EXPORT_LONG, AT(request), ALWAYS,
     "one execution of the access by a warp: number in\nthe launch, in the order of the stream"},
    {"context", WS_EXPORT_NUMBER, AT(context), ALWAYS,
     "one execution of the shader by a warp: position\nof its first record in the stream"},
    {"warp", WS_EXPORT_NUMBER, AT(warp), OF_THREAD, "index of the warp that the thread was launched in"},
    {"thread_x", WS_EXPORT_NUMBER, AT(thread[0]), OF_THREAD, NULL},
    {"thread_y", WS_EXPORT_NUMBER, AT(thread[1]), OF_THREAD, NULL},
    {"thread_z", WS_EXPORT_NUMBER, AT(thread[2]), OF_THREAD,
     "launch id, or global invocation id; of\nfragments pixel and layer"},
    {"lane", WS_EXPORT_NUMBER, AT(lane), ALWAYS, "in the warp that runs the shader"},
    {"address", WS_EXPORT_WIDE, AT(address), ALWAYS,
     "bytes from the begin of the variable; of a device\naddress from the begin of bound, and where that "
     "is\nnot "
     "known the address"},
    {"size", WS_EXPORT_NUMBER, AT(size), ALWAYS,
     "bytes that the lane touches; of a sample each texel has\na row, and one on a border none"},
    {"truncated", WS_EXPORT_BOOL, AT(truncated), ALWAYS, "whether records of the launch are missing"},
};

#undef AT
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

void ws_accesses_export_help(FILE *stream)
{
    ws_export_help(fields, FIELDS, stream);
}

/* ---- a launch's records, until its end ---- */

/* A record. Behind it stand the threads of its lanes, and the words of each. */
struct kept {
    uint32_t context;
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* index in its module's */
    uint32_t words_per_lane;
    struct ws_lanes lanes;
};

/* How a buffer or an allocation is called. */
struct named {
    const char *text; /* NULL = there is nothing to say */
    uint32_t id;      /* WS_NONE = it is none */
};

struct results {
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    struct ws_data_set_export *export;
    struct ws_data_set *set;
    struct ws_sought sought;
    struct ws_homes homes; /* of the launch whose rows are written */
    struct ws_text_pool texts;
    struct named *names;
    uint32_t name_count;
    uint32_t name_capacity;
    struct ws_id_map name_ids; /* what ws_bound_find gave -> index */
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct part {
    const struct results *results;
    struct ws_traced_sites sites;
    struct ws_scratch scratch;
};

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    ws_traced_sites_finish(&part->sites);
    ws_scratch_finish(&part->scratch);
    free(part);
}

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    struct part *part = calloc(1, sizeof(*part));
    (void)launch;
    if (part == NULL)
        return NULL;
    part->results = pointer;
    ws_scratch_init(&part->scratch);
    if (ws_traced_sites_init(&part->sites, part->results->catalog))
        return part;
    part_destroy(part);
    return NULL;
}

static bool keep_bytes(struct part *part, const void *bytes, size_t size)
{
    return ws_budget_spend(WS_STEPS_KEPT * size) &&
           ws_scratch_add(&part->scratch, bytes, size, "the accesses", &part->results->export->failure);
}

static bool keep(struct part *part, const struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_catalog *catalog = part->results->catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[context->shader].module].traces;
    const uint32_t lane_count = ws_lanes_count(lanes);
    const struct kept kept = {context->number, context->shader, site, words_per_lane, lanes};
    uint32_t threads[LANES_MAX];
    uint32_t count = 0;
    if (traces == NULL || traces->sites[site].count == 0 || lane_count == 0 || lane_count > LANES_MAX)
        return true;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);)
        threads[count++] = context->threads[ws_lanes_take(&left)];
    return keep_bytes(part, &kept, sizeof(kept)) && keep_bytes(part, threads, count * sizeof(threads[0])) &&
           keep_bytes(part, words, (size_t)count * words_per_lane * sizeof(*words));
}

static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    return keep(pointer, context, site, lanes, words, words_per_lane);
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    static const uint32_t none = 0;
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->catalog;
    uint32_t site = 0;
    if (!ws_traced_sites_find(&part->sites, catalog, catalog->shaders[context->shader].module, place, &site))
        return false;
    return site == WS_NONE || keep(part, context, site, lanes, &none, 0);
}

/* ---- rows ---- */

/* A record of a launch that has ended. */
struct record {
    struct kept kept;
    const uint8_t *threads; /* uint32_t, not aligned; so are the words */
    const uint8_t *words;
};

static uint32_t word_at(const uint8_t *words, uint32_t index)
{
    uint32_t word;
    memcpy(&word, words + (size_t)index * sizeof(word), sizeof(word));
    return word;
}

/* What all rows of an access in a record have in common. Returns what is known. */
static uint32_t fill_access(const struct results *results, const struct record *record, uint32_t place,
                            struct row *row)
{
    const struct ws_catalog *catalog = results->catalog;
    const struct ws_shader_record *shader = &catalog->shaders[record->kept.shader];
    const struct ws_module_record *module = &catalog->modules[shader->module];
    const struct ws_traced_access *access = &module->traces->accesses[place];
    row->place = place;
    row->file = access->file;
    row->line = access->line;
    row->access = ws_access_kind_name(access->access.kind);
    row->memory = ws_access_memory_name(access->access.memory);
    row->buffer = access->memory != NULL ? access->memory : row->memory;
    row->module = module->id;
    row->context = record->kept.context;
    row->size = access->access.size;
    return 1u << ALWAYS | (access->file != NULL ? 1u << OF_SOURCE : 0) |
           (access->access.memory != WS_MEMORY_ADDRESS ? 1u << OF_BUFFER : 0) |
           (row->ran.pipeline != WS_NONE ? 1u << OF_PIPELINE : 0);
}

/* Where a thread stands, as rays have it (analysis/rays/rays.h). */
static void fill_thread(const struct ws_replay_threads *threads, uint32_t index, bool fragment,
                        struct row *row)
{
    const struct ws_thread *thread = &threads->threads[index];
    const uint32_t layer = thread->work[1] >> 16;
    row->warp = threads->warp_index[thread->warp];
    row->thread[0] = fragment ? thread->work[0] & 0xffff : thread->work[0];
    row->thread[1] = fragment ? thread->work[0] >> 16 : thread->work[1];
    row->thread[2] = !fragment ? thread->work[2] : layer != WS_WORK_UNKNOWN ? layer : 0;
}

static bool is_thread(const struct results *results, const struct ws_replay_threads *threads, uint32_t index,
                      bool fragment)
{
    return !results->options.has_thread ||
           (index < threads->thread_count &&
            ws_sought_is_thread(&results->options, fragment, threads->threads[index].work));
}

/* NULL on no memory. */
static const struct named *find_name(struct results *results, uint32_t bound)
{
    const struct ws_resource *resource = ws_bound_resource(results->catalog, bound);
    char text[WS_TEXT_KEPT + 8];
    uint32_t index = 0;
    if (ws_id_map_get(&results->name_ids, bound, &index))
        return &results->names[index];
    struct named *names =
        ws_array_grow(results->names, &results->name_capacity, results->name_count + 1, sizeof(*names));
    if (names == NULL)
        return NULL;
    results->names = names;
    index = results->name_count++;
    names[index] = (struct named){.id = resource != NULL ? resource->id : WS_NONE};
    if (ws_memory_bound_text(results->catalog, bound, text, sizeof(text))) {
        names[index].text = ws_text_pool_add(&results->texts, text);
        if (names[index].text == NULL)
            return NULL;
    }
    return ws_id_map_put(&results->name_ids, bound, index) ? &names[index] : NULL;
}

/* What the application has where the lane touches. `*known` becomes what is known of it. False on no memory. */
static bool fill_home(struct results *results, const struct ws_home *home, struct row *row, uint32_t *known)
{
    const struct named *bound = find_name(results, home->bound.resource);
    if (bound == NULL)
        return false;
    const struct named of = *bound; /* the list may move */
    row->bound = of.text;
    row->bound_id = of.id;
    *known |= (of.text != NULL ? 1u << OF_BOUND : 0) | (of.id != WS_NONE ? 1u << OF_RESOURCE : 0);
    if (home->bound.memory == WS_BOUND_UNKNOWN)
        return true;
    const struct ws_resource *memory = ws_bound_resource(results->catalog, home->bound.memory);
    const bool is_image = memory != NULL && memory->kind == WS_RESOURCE_IMAGE;
    const struct named *allocation = find_name(
        results, is_image ? ws_bound_resource_of(results->catalog, memory->within) : home->bound.memory);
    if (allocation == NULL)
        return false;
    row->allocation = allocation->text;
    row->allocation_id = allocation->id;
    row->allocation_byte = home->byte;
    *known |= (allocation->text != NULL ? 1u << OF_HOME : 0) | (is_image ? 0 : 1u << OF_BYTE);
    return true;
}

/* What a lane touches: of a sample several texels, or none where it is on a border. */
struct spots {
    struct ws_texel_spot list[WS_FOOTPRINT_MAX];
    uint32_t count;
};

/* Where a lane touches what: of several buffers by the place that stands in place of the element. Adds to what is known. */
static bool fill_place(struct results *results, const struct ws_traced_access *access, uint32_t shader,
                       const uint32_t *words, struct row *row, uint32_t *known, struct spots *spots)
{
    const struct ws_module_record *module =
        &results->catalog->modules[results->catalog->shaders[shader].module];
    struct ws_home home;
    struct ws_bound_sampler sampler;
    spots->count = 1;
    row->address = ws_stretch_address(&access->access, words);
    if (access->access.memory == WS_MEMORY_ADDRESS) {
        row->element = 0;
        if (!ws_homes_address(&results->homes, row->address, &home))
            return false;
        row->address = ws_homes_byte_of_buffer(&results->homes, &home, row->address);
        spots->list[0] = (struct ws_texel_spot){.byte = row->address, .size = row->size};
        return fill_home(results, &home, row, known);
    }
    const struct ws_placed_buffer buffer =
        ws_homes_buffer(access, module->placed, ws_stretch_descriptor(&access->access, words), &row->element);
    if (!ws_homes_element(&results->homes, shader, (uint32_t)(module - results->catalog->modules), &buffer,
                          row->element, &home))
        return false;
    if (!ws_homes_sampler(&results->homes, shader, (uint32_t)(module - results->catalog->modules), access,
                          words, &sampler))
        return false;
    spots->count = ws_texel_spots_find(&access->access, access->access.size, words, &home.view,
                                       sampler.missing == 0 ? &sampler.sampler : NULL, spots->list);
    row->address = spots->count > 0 ? spots->list[0].byte : 0;
    row->buffer = buffer.memory != NULL ? buffer.memory : row->memory;
    row->variable = buffer.variable;
    row->set = buffer.set;
    row->binding = buffer.binding;
    *known |= buffer.is_bound ? 1u << OF_BINDING : 0;
    home.byte += row->address;
    return fill_home(results, &home, row, known);
}

/* The rows of one access in a record: a request. */
static bool add_request(struct results *results, const struct ws_replay_threads *threads,
                        const struct record *record, uint32_t place, struct row *row)
{
    const struct ws_shader_record *shader = &results->catalog->shaders[record->kept.shader];
    const struct ws_traced_access *access =
        &results->catalog->modules[shader->module].traces->accesses[place];
    const bool fragment = shader->stage == WS_STAGE_FRAGMENT;
    const uint32_t common = fill_access(results, record, place, row);
    uint32_t known = common;
    uint32_t words[WS_STRETCH_WORDS_MAX] = {0};
    struct spots spots;
    uint32_t number = 0;
    bool added = true;
    for (struct ws_lanes left = record->kept.lanes; added && ws_lanes_any(left); ++number) {
        const uint32_t thread = word_at(record->threads, number);
        row->lane = ws_lanes_take(&left);
        if (!is_thread(results, threads, thread, fragment))
            continue;
        for (uint32_t i = 0; i < record->kept.words_per_lane && i < WS_STRETCH_WORDS_MAX; ++i)
            words[i] = word_at(record->words, number * record->kept.words_per_lane + i);
        known = common;
        if (!fill_place(results, access, record->kept.shader, words, row, &known, &spots))
            return false;
        if (thread < threads->thread_count)
            fill_thread(threads, thread, fragment, row);
        const uint64_t base = row->allocation_byte - row->address;
        for (uint32_t i = 0; added && i < spots.count; ++i) {
            row->address = spots.list[i].byte;
            row->size = spots.list[i].size;
            row->allocation_byte = base + row->address;
            added = ws_data_set_add(results->set, threads->launch->frame, row->ran.pipeline, row,
                                    known | (thread < threads->thread_count ? 1u << OF_THREAD : 0),
                                    &results->export->failure);
        }
    }
    return added;
}

static bool add_record(struct results *results, const struct ws_replay_threads *threads,
                       const struct record *record, struct row *row)
{
    const struct ws_shader_record *shader = &results->catalog->shaders[record->kept.shader];
    const struct ws_traced_site site =
        results->catalog->modules[shader->module].traces->sites[record->kept.site];
    const uint32_t lanes = ws_lanes_count(record->kept.lanes);
    bool added = ws_budget_spend((uint64_t)WS_STEPS_WORD * site.count * lanes);
    for (uint32_t i = site.first; added && i < site.first + site.count; ++i, ++row->request)
        added = !row->ran.chosen || add_request(results, threads, record, i, row);
    return added;
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    struct part *part = from;
    struct row row = {.ran = {.launch = threads->launch->index, .shader_index = WS_NONE},
                      .truncated = threads->launch->truncated};
    struct record record = {0};
    bool added = ws_scratch_map(&part->scratch, "the accesses", &results->export->failure);
    results->homes = (struct ws_homes){.catalog = results->catalog, .launch = threads->launch->index};
    ws_sought_look(&results->sought, &results->options, threads);
    for (uint64_t at = 0; added && at < part->scratch.size;) {
        const uint8_t *bytes = part->scratch.mapping + at;
        memcpy(&record.kept, bytes, sizeof(record.kept));
        const size_t lanes = ws_lanes_count(record.kept.lanes);
        record.threads = bytes + sizeof(record.kept);
        record.words = record.threads + lanes * sizeof(uint32_t);
        at += sizeof(record.kept) + lanes * (1 + (size_t)record.kept.words_per_lane) * sizeof(uint32_t);
        ws_export_ran_find(&row.ran, results->catalog, results->options.selection, record.kept.shader);
        added = add_record(results, threads, &record, &row);
    }
    ws_homes_finish(&results->homes);
    return added;
}

static const struct ws_replay_operations operations = {
    .pass = WS_PASS_MEMORY_TRACE,
    .create = part_create,
    .destroy = part_destroy,
    .place = place,
    .data = data,
    .merge = merge,
    .in_order = true,
};

/* ---- the analysis ---- */

static void destroy(void *pointer)
{
    struct results *results = pointer;
    ws_data_set_destroy(results->set);
    ws_homes_finish(&results->homes);
    ws_text_pool_finish(&results->texts);
    ws_id_map_finish(&results->name_ids);
    free(results->names);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->options = *options;
    results->export = options->user;
    results->set = ws_data_set_create(results->export->path, "accesses", fields, FIELDS, error);
    if (results->set != NULL)
        return results;
    destroy(results);
    return NULL;
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    const struct results *results = pointer;
    (void)error;
    return ws_data_set_take(results->set, chunk);
}

static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    struct ws_data_set_export *export = results->export;
    if (ws_data_set_rows(results->set) == 0 &&
        !ws_sought_check(&results->sought, &results->options, NULL, error))
        return false;
    if (!ws_data_set_finish(results->set, &export->failure))
        return ws_error_set(error, "%s", export->failure.message);
    export->rows = ws_data_set_rows(results->set);
    export->files = ws_data_set_files(results->set);
    return true;
}

static const char *const passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_accesses_export = {
    .name = "--accesses",
    .summary = "accesses to memory as columns",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .replay = &operations,
    .record = record,
    .end = end,
    .names_first = true,
};
