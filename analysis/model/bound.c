#include "warpscope/model/bound.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"

/* VkDescriptorType */
enum {
    SAMPLER = 0,
    COMBINED_IMAGE_SAMPLER = 1,
    STORAGE_IMAGE = 3, /* between them those of sampled images */
    UNIFORM_TEXEL_BUFFER = 4,
    STORAGE_TEXEL_BUFFER = 5,
    UNIFORM_BUFFER = 6,
    STORAGE_BUFFER = 7,
    UNIFORM_BUFFER_DYNAMIC = 8,
    STORAGE_BUFFER_DYNAMIC = 9,
    INPUT_ATTACHMENT = 10,
    INLINE_UNIFORM_BLOCK = 1000138000,
    ACCELERATION_STRUCTURE = 1000150000,
};

#define STENCIL_ASPECT 4   /* VkImageAspectFlagBits */
#define STENCIL_FORMAT 127 /* S8_UINT */

/* A descriptor that was written after the first state of its line. It points to an earlier one and to one farther back, so that
 * the change of any state is found in as many steps as the logarithm of their number: Myers, "An applicative random-access
 * stack", 1983. */
struct change {
    uint32_t version; /* the first state of the line that has it */
    uint32_t depth;   /* how many changes of the same descriptor there are before */
    uint32_t before;  /* index of the last of these; of the first its own */
    uint32_t jump;    /* index of that or of one before; of the first its own */
    struct ws_descriptor descriptor;
};

/* States of a set, each of which is the one before with some descriptors changed: what the first held, and the changes. So each
 * further state takes as much memory as changed in it. */
struct line {
    struct ws_descriptor *descriptors; /* rising by binding and element */
    uint32_t count;
    uint32_t *dynamic;      /* of each: its dynamic offset; WS_NONE = it has none */
    bool is_partly;         /* there were too many descriptors */
    uint32_t version;       /* of the last state; the first is 0 */
    struct change *changes; /* rising by version */
    uint32_t change_count;
    uint32_t change_capacity;
    struct ws_id_map latest; /* binding << 32 | element -> index of the last change */
};

/* What a set held at some time. */
struct state {
    uint32_t line;
    uint32_t version;
};

/* Which launches may use a resource: `first` and those behind it, before `gone`. */
struct life {
    uint32_t device; /* id */
    uint64_t first;
    uint64_t gone; /* UINT64_MAX = it was not destroyed */
};

struct bound_launch {
    struct ws_bound_use *uses; /* one piece of memory with all that they point to */
    uint32_t count;
};

struct ws_bound_table {
    struct ws_id_map resource_ids;
    struct ws_resource *resources;
    uint32_t resource_count;
    uint32_t resource_capacity;
    struct life *lives; /* of each */
    uint32_t life_capacity;
    struct ws_id_map state_ids;
    struct state *states;
    uint32_t state_count;
    uint32_t state_capacity;
    struct line *lines;
    uint32_t line_count;
    uint32_t line_capacity;
    struct ws_id_map launch_ids; /* index of the launch + 1 */
    struct bound_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
};

void ws_bound_table_destroy(struct ws_bound_table *table)
{
    if (table == NULL)
        return;
    for (uint32_t i = 0; i < table->line_count; ++i) {
        free(table->lines[i].descriptors);
        free(table->lines[i].dynamic);
        free(table->lines[i].changes);
        ws_id_map_finish(&table->lines[i].latest);
    }
    for (uint32_t i = 0; i < table->launch_count; ++i)
        free(table->launches[i].uses);
    ws_id_map_finish(&table->resource_ids);
    ws_id_map_finish(&table->state_ids);
    ws_id_map_finish(&table->launch_ids);
    free(table->resources);
    free(table->lives);
    free(table->states);
    free(table->lines);
    free(table->launches);
    free(table);
}

static struct ws_bound_table *table_of(struct ws_catalog *catalog)
{
    if (catalog->bound == NULL)
        catalog->bound = calloc(1, sizeof(*catalog->bound));
    return catalog->bound;
}

/* ---- what is recorded ---- */

/* The latest that is said of a resource is what it is. */
static bool add_resource(struct ws_catalog *catalog, struct ws_bound_table *table,
                         const struct ws_chunk_resources *chunk, const struct ws_resource *resource)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&table->resource_ids, (uint64_t)resource->id + 1, &index)) {
        struct ws_resource *resources = ws_array_grow(table->resources, &table->resource_capacity,
                                                      table->resource_count + 1, sizeof(*resources));
        if (resources != NULL)
            table->resources = resources;
        struct life *lives =
            ws_array_grow(table->lives, &table->life_capacity, table->resource_count + 1, sizeof(*lives));
        if (lives != NULL)
            table->lives = lives;
        if (resources == NULL || lives == NULL)
            return false;
        index = table->resource_count++;
        lives[index] = (struct life){chunk->device, chunk->moment, UINT64_MAX};
        resources[index] = (struct ws_resource){.name = ""};
        if (!ws_id_map_put(&table->resource_ids, (uint64_t)resource->id + 1, index))
            return false;
    }
    table->resources[index] = *resource;
    table->resources[index].name = ws_text_pool_add(&catalog->texts, resource->name);
    return table->resources[index].name != NULL;
}

bool ws_bound_record(struct ws_catalog *catalog, const struct ws_chunk_resources *chunk)
{
    struct ws_bound_table *table = table_of(catalog);
    bool added = table != NULL;
    for (uint32_t i = 0; added && i < chunk->resource_count; ++i)
        added = add_resource(catalog, table, chunk, &chunk->resources[i]);
    for (uint32_t i = 0; added && i < chunk->gone_count; ++i) {
        uint32_t index = 0;
        if (ws_id_map_get(&table->resource_ids, (uint64_t)chunk->gone[i] + 1, &index))
            table->lives[index].gone = chunk->moment;
    }
    return added;
}

static bool is_dynamic(uint32_t type)
{
    return type == UNIFORM_BUFFER_DYNAMIC || type == STORAGE_BUFFER_DYNAMIC;
}

static bool add_state(struct ws_bound_table *table, uint32_t id, uint32_t line, uint32_t version)
{
    struct state *states =
        ws_array_grow(table->states, &table->state_capacity, table->state_count + 1, sizeof(*states));
    if (states == NULL)
        return false;
    table->states = states;
    states[table->state_count++] = (struct state){line, version};
    return ws_id_map_put(&table->state_ids, (uint64_t)id + 1, table->state_count - 1);
}

bool ws_bound_record_set(struct ws_catalog *catalog, const struct ws_chunk_set *chunk)
{
    struct ws_bound_table *table = table_of(catalog);
    uint32_t dynamic = 0;
    if (table == NULL)
        return false;
    struct line *lines =
        ws_array_grow(table->lines, &table->line_capacity, table->line_count + 1, sizeof(*lines));
    if (lines == NULL)
        return false;
    table->lines = lines;
    struct line *line = &lines[table->line_count++];
    *line = (struct line){
        .descriptors = calloc((size_t)chunk->descriptor_count + 1, sizeof(*line->descriptors)),
        .count = chunk->descriptor_count,
        .dynamic = calloc((size_t)chunk->descriptor_count + 1, sizeof(*line->dynamic)),
        .is_partly = chunk->left_out > 0,
    };
    if (line->descriptors == NULL || line->dynamic == NULL)
        return false;
    for (uint32_t i = 0; i < chunk->descriptor_count; ++i) {
        line->descriptors[i] = chunk->descriptors[i];
        line->dynamic[i] = is_dynamic(chunk->descriptors[i].type) ? dynamic++ : WS_NONE;
    }
    return add_state(table, chunk->id, table->line_count - 1, 0);
}

static uint64_t key_of(const struct ws_descriptor *descriptor)
{
    return (uint64_t)descriptor->binding << 32 | descriptor->element;
}

static bool add_change(struct line *line, const struct ws_descriptor *descriptor)
{
    struct change *changes =
        ws_array_grow(line->changes, &line->change_capacity, line->change_count + 1, sizeof(*changes));
    if (changes == NULL)
        return false;
    line->changes = changes;
    const uint32_t index = line->change_count++;
    changes[index] =
        (struct change){.version = line->version, .before = index, .jump = index, .descriptor = *descriptor};
    uint32_t before = 0;
    if (ws_id_map_get(&line->latest, key_of(descriptor), &before)) {
        const struct change *last = &changes[before];
        const struct change *near = &changes[last->jump];
        const struct change *far = &changes[near->jump];
        changes[index].depth = last->depth + 1;
        changes[index].before = before;
        /* Two jumps of the same length become one. */
        changes[index].jump = last->depth - near->depth == near->depth - far->depth ? near->jump : before;
    }
    return ws_id_map_put(&line->latest, key_of(descriptor), index);
}

/* Where the state that it changes is missing, or is not the last of its line, the new one is not known. */
bool ws_bound_record_set_change(struct ws_catalog *catalog, const struct ws_chunk_set_change *chunk)
{
    struct ws_bound_table *table = table_of(catalog);
    uint32_t base = 0;
    if (table == NULL)
        return false;
    if (!ws_id_map_get(&table->state_ids, (uint64_t)chunk->base + 1, &base))
        return true;
    const uint32_t number = table->states[base].line;
    struct line *line = &table->lines[number];
    if (table->states[base].version != line->version)
        return true;
    line->version++;
    for (uint32_t i = 0; i < chunk->descriptor_count; ++i)
        if (!add_change(line, &chunk->descriptors[i]))
            return false;
    return add_state(table, chunk->id, number, line->version);
}

/* A copy of the uses of a launch, in one piece of memory. NULL when there is none. */
static struct ws_bound_use *copy_uses(const struct ws_bound_launch *launch)
{
    size_t sets = 0;
    size_t offsets = 0;
    for (uint32_t i = 0; i < launch->use_count; ++i) {
        sets += launch->uses[i].set_count;
        for (uint32_t j = 0; j < launch->uses[i].set_count; ++j)
            offsets += launch->uses[i].sets[j].offset_count;
    }
    struct ws_bound_use *uses = malloc(launch->use_count * sizeof(*uses) +
                                       sets * sizeof(struct ws_bound_set) + offsets * sizeof(uint32_t) + 1);
    if (uses == NULL)
        return NULL;
    struct ws_bound_set *set = (struct ws_bound_set *)(void *)(uses + launch->use_count);
    uint32_t *offset = (uint32_t *)(void *)(set + sets);
    for (uint32_t i = 0; i < launch->use_count; ++i) {
        uses[i] = launch->uses[i];
        uses[i].sets = set;
        for (uint32_t j = 0; j < launch->uses[i].set_count; ++j, ++set) {
            *set = launch->uses[i].sets[j];
            if (set->offset_count > 0)
                memcpy(offset, set->offsets, set->offset_count * sizeof(*offset));
            set->offsets = offset;
            offset += set->offset_count;
        }
    }
    return uses;
}

bool ws_bound_record_launches(struct ws_catalog *catalog, const struct ws_chunk_bound *chunk)
{
    struct ws_bound_table *table = table_of(catalog);
    if (table == NULL)
        return false;
    for (uint32_t i = 0; i < chunk->launch_count; ++i) {
        const struct ws_bound_launch *launch = &chunk->launches[i];
        struct bound_launch *launches = ws_array_grow(table->launches, &table->launch_capacity,
                                                      table->launch_count + 1, sizeof(*launches));
        if (launches == NULL)
            return false;
        table->launches = launches;
        struct bound_launch *added = &launches[table->launch_count];
        *added = (struct bound_launch){copy_uses(launch), launch->use_count};
        if (added->uses == NULL)
            return false;
        table->launch_count++;
        if (!ws_id_map_put(&table->launch_ids, launch->launch + 1, table->launch_count - 1))
            return false;
    }
    return true;
}

/* ---- what is found ---- */

const struct ws_resource *ws_bound_resource(const struct ws_catalog *catalog, uint32_t index)
{
    const struct ws_bound_table *table = catalog->bound;
    return table != NULL && index < table->resource_count ? &table->resources[index] : NULL;
}

uint32_t ws_bound_resource_of(const struct ws_catalog *catalog, uint32_t id)
{
    uint32_t index = 0;
    return catalog->bound != NULL && id != WS_NONE &&
                   ws_id_map_get(&catalog->bound->resource_ids, (uint64_t)id + 1, &index)
               ? index
               : WS_BOUND_UNKNOWN;
}

bool ws_bound_exists(const struct ws_catalog *catalog, uint32_t index, uint64_t launch)
{
    const struct ws_bound_table *table = catalog->bound;
    return table != NULL && index < table->resource_count && launch >= table->lives[index].first &&
           launch < table->lives[index].gone;
}

/* What a place is, put together from one use after the other. */
struct found {
    uint64_t launch;
    bool structures; /* ids of acceleration structures are sought, in place of buffers */
    bool formats;    /* those of views are */
    bool parts;      /* which of the image views show is: the level, and the layer as the offset */
    bool samplers;   /* what samplers are: the words, and 0 as the resource */
    bool any;
    uint32_t resource;
    uint64_t offset;
    uint64_t range; /* of samplers */
};

static void add_found(struct found *found, uint32_t resource, uint64_t offset)
{
    if (found->any && (found->resource != resource || found->offset != offset)) {
        found->resource = WS_BOUND_SEVERAL;
        found->offset = 0;
        return;
    }
    found->any = true;
    found->resource = resource;
    found->offset = offset;
}

static void add_reason(struct found *found, uint32_t reason)
{
    const bool is_reason = reason != WS_BOUND_KNOWN && reason < WS_BOUND_REASONS;
    add_found(found, is_reason ? WS_BOUND_WHY(reason) : WS_BOUND_UNKNOWN, 0);
}

/* The first descriptor at or behind a place, of the first state of a line. */
static uint32_t find_descriptor(const struct line *line, uint32_t binding, uint32_t element)
{
    uint32_t low = 0;
    uint32_t high = line->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct ws_descriptor *at = &line->descriptors[middle];
        if (at->binding < binding || (at->binding == binding && at->element < element))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the image or the buffer that a view shows: of a buffer from the begin of the view on. */
static void add_view(struct found *found, const struct ws_catalog *catalog,
                     const struct ws_descriptor *descriptor)
{
    const struct ws_resource *view =
        ws_bound_resource(catalog, ws_bound_resource_of(catalog, descriptor->resource));
    const uint32_t shown = view != NULL ? ws_bound_resource_of(catalog, view->within) : WS_BOUND_UNKNOWN;
    const struct ws_resource *resource = ws_bound_resource(catalog, shown);
    const uint32_t format = view == NULL                                      ? 0
                            : view->extent[WS_VIEW_ASPECTS] == STENCIL_ASPECT ? STENCIL_FORMAT
                                                                              : view->format;
    if (found->parts)
        add_found(found,
                  view != NULL && view->extent[WS_VIEW_LEVEL] < WS_BOUND_LAST ? view->extent[WS_VIEW_LEVEL]
                                                                              : 0,
                  view != NULL ? view->extent[WS_VIEW_LAYER] : 0);
    else if (found->formats)
        add_found(found, format < WS_BOUND_LAST ? format : 0, 0);
    else if (resource == NULL)
        add_found(found, WS_BOUND_UNKNOWN, 0);
    else
        add_found(found, shown, view->offset + (resource->within != WS_NONE ? resource->offset : 0));
}

/* Whether a buffer or a view was destroyed before a launch. */
static bool is_gone(const struct ws_catalog *catalog, uint32_t id, uint64_t launch)
{
    const uint32_t index = ws_bound_resource_of(catalog, id);
    return index < catalog->bound->resource_count && catalog->bound->lives[index].gone <= launch;
}

static void add_sampler(struct found *found, const struct ws_descriptor *descriptor)
{
    struct ws_sampler unused;
    const bool is_any = found->any;
    if ((descriptor->type != SAMPLER && descriptor->type != COMBINED_IMAGE_SAMPLER) ||
        !ws_sampler_unpack(&(struct ws_sampler_words){descriptor->offset, descriptor->range}, &unused)) {
        add_found(found, WS_BOUND_UNKNOWN, 0);
        return;
    }
    if (is_any && found->range != descriptor->range)
        add_found(found, WS_BOUND_SEVERAL, 0);
    else
        add_found(found, 0, descriptor->offset);
    found->range = descriptor->range;
}

/* `dynamic`: its dynamic offset; WS_NONE = it has none. */
static void add_descriptor(struct found *found, const struct ws_catalog *catalog,
                           const struct ws_descriptor *descriptor, uint32_t dynamic,
                           const struct ws_bound_set *set)
{
    if (descriptor->type == INLINE_UNIFORM_BLOCK) {
        add_found(found, WS_BOUND_INLINE, 0);
        return;
    }
    if (found->samplers) {
        add_sampler(found, descriptor);
        return;
    }
    const bool is_structure = descriptor->type == ACCELERATION_STRUCTURE;
    if (descriptor->resource == WS_NONE ||
        (!is_structure && is_gone(catalog, descriptor->resource, found->launch))) {
        add_found(found, WS_BOUND_NONE, 0);
        return;
    }
    if (found->structures) {
        add_found(found,
                  is_structure && descriptor->resource < WS_BOUND_LAST ? descriptor->resource
                                                                       : WS_BOUND_UNKNOWN,
                  0);
        return;
    }
    if ((descriptor->type >= COMBINED_IMAGE_SAMPLER && descriptor->type <= STORAGE_TEXEL_BUFFER) ||
        descriptor->type == INPUT_ATTACHMENT) {
        add_view(found, catalog, descriptor);
        return;
    }
    const bool is_buffer = !found->formats && !found->parts && descriptor->type >= UNIFORM_BUFFER &&
                           descriptor->type <= STORAGE_BUFFER_DYNAMIC;
    const uint32_t resource =
        is_buffer ? ws_bound_resource_of(catalog, descriptor->resource) : WS_BOUND_UNKNOWN;
    const struct ws_resource *buffer = ws_bound_resource(catalog, resource);
    uint64_t offset = descriptor->offset;
    if (dynamic != WS_NONE && dynamic < set->offset_count)
        offset += set->offsets[dynamic];
    if (buffer != NULL && buffer->within != WS_NONE)
        offset += buffer->offset;
    add_found(found, resource, buffer != NULL ? offset : 0);
}

/* The change by which a state has a descriptor; NULL where it is as in the first state of the line. */
static const struct change *find_change(const struct line *line, uint32_t version, uint64_t key)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&line->latest, key, &index))
        return NULL;
    const struct change *change = &line->changes[index];
    while (change->version > version && change->depth > 0 && ws_budget_spend(1)) {
        const struct change *far = &line->changes[change->jump];
        change = far->version > version ? far : &line->changes[change->before];
    }
    return change->version <= version ? change : NULL;
}

/* Adds the descriptor at an index of the first state, as it is in a later one. */
static void add_at(struct found *found, const struct ws_catalog *catalog, const struct line *line,
                   uint32_t version, uint32_t at, const struct ws_bound_set *set)
{
    const struct change *change = find_change(line, version, key_of(&line->descriptors[at]));
    add_descriptor(found, catalog, change != NULL ? &change->descriptor : &line->descriptors[at],
                   line->dynamic[at], set);
}

static bool is_at(const struct line *line, uint32_t at, uint32_t binding, uint32_t element)
{
    return at < line->count && line->descriptors[at].binding == binding &&
           line->descriptors[at].element == element;
}

/* Adds the descriptors of a binding that the first state of the line did not have. Returns whether there are any. */
static bool add_later(struct found *found, const struct ws_catalog *catalog, const struct line *line,
                      uint32_t version, uint32_t binding, const struct ws_bound_set *set)
{
    bool any = false;
    for (uint32_t i = 0; i < line->change_count && line->changes[i].version <= version &&
                         found->resource != WS_BOUND_SEVERAL && ws_budget_spend(1);
         ++i) {
        const struct ws_descriptor *descriptor = &line->changes[i].descriptor;
        if (descriptor->binding != binding ||
            is_at(line, find_descriptor(line, binding, descriptor->element), binding, descriptor->element) ||
            find_change(line, version, key_of(descriptor)) != &line->changes[i])
            continue;
        any = true;
        add_descriptor(found, catalog, descriptor, WS_NONE, set);
    }
    return any;
}

/* Adds what a state has at a place: all elements, where the shader chooses. Returns whether there is something. */
static bool add_state_at(struct found *found, const struct ws_catalog *catalog, const struct state *state,
                         const struct ws_bound_place *place, const struct ws_bound_set *set)
{
    const struct line *line = &catalog->bound->lines[state->line];
    const bool chosen = place->element == WS_NONE;
    uint32_t at = find_descriptor(line, place->binding, chosen ? 0 : place->element);
    bool any = false;
    if (!chosen && !is_at(line, at, place->binding, place->element)) {
        const struct ws_descriptor key = {.binding = place->binding, .element = place->element};
        const struct change *change = find_change(line, state->version, key_of(&key));
        if (change != NULL)
            add_descriptor(found, catalog, &change->descriptor, WS_NONE, set);
        return change != NULL;
    }
    for (; at < line->count && line->descriptors[at].binding == place->binding; ++at) {
        any = true;
        add_at(found, catalog, line, state->version, at, set);
        if (!chosen || found->resource == WS_BOUND_SEVERAL || !ws_budget_spend(1))
            break;
    }
    return (chosen && add_later(found, catalog, line, state->version, place->binding, set)) || any;
}

/* Adds what a set has at a place. */
static void add_set(struct found *found, const struct ws_catalog *catalog, const struct ws_bound_set *set,
                    const struct ws_bound_place *place)
{
    const struct ws_bound_table *table = catalog->bound;
    uint32_t index = 0;
    if (set->state == WS_NONE || !ws_id_map_get(&table->state_ids, (uint64_t)set->state + 1, &index)) {
        add_reason(found, set->reason);
        return;
    }
    const struct state *state = &table->states[index];
    const bool any = add_state_at(found, catalog, state, place, set);
    if (!any && table->lines[state->line].is_partly)
        add_reason(found, WS_BOUND_TOO_MUCH);
    else if (!any)
        add_found(found, WS_BOUND_NONE, 0);
}

static void add_use(struct found *found, const struct ws_catalog *catalog, const struct ws_bound_use *use,
                    const struct ws_bound_place *place)
{
    uint32_t reason = WS_BOUND_KNOWN;
    for (uint32_t i = 0; i < use->set_count; ++i) {
        if (use->sets[i].set == place->set) {
            add_set(found, catalog, &use->sets[i], place);
            return;
        }
        if (use->sets[i].set == WS_NONE)
            reason = use->sets[i].reason;
    }
    add_reason(found, reason);
}

static bool has_shader(const struct ws_catalog *catalog, uint32_t pipeline_id, uint32_t shader)
{
    const uint32_t index = ws_catalog_pipeline(catalog, pipeline_id);
    if (index == WS_NONE)
        return false;
    const struct ws_pipeline_record *pipeline = &catalog->pipelines[index];
    for (uint32_t i = 0; i < pipeline->shader_count && ws_budget_spend(1); ++i)
        if (pipeline->shaders[i] == shader)
            return true;
    return false;
}

/* Puts together what a place is. */
static void find_place(struct found *found, const struct ws_catalog *catalog, uint64_t launch,
                       uint32_t shader, const struct ws_bound_place *place)
{
    const struct ws_bound_table *table = catalog->bound;
    uint32_t index = 0;
    found->resource = WS_BOUND_UNKNOWN;
    if (table == NULL || place->set == WS_NONE || !ws_id_map_get(&table->launch_ids, launch + 1, &index))
        return;
    const struct bound_launch *bound = &table->launches[index];
    if (!ws_budget_spend(bound->count))
        return;
    for (uint32_t i = 0; i < bound->count && found->resource != WS_BOUND_SEVERAL; ++i) {
        const struct ws_bound_use *use = &bound->uses[i];
        if (use->pipeline == WS_NONE || has_shader(catalog, use->pipeline, shader))
            add_use(found, catalog, use, place);
    }
}

uint32_t ws_bound_find(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                       const struct ws_bound_place *place, uint64_t *offset)
{
    struct found found = {.launch = launch};
    find_place(&found, catalog, launch, shader, place);
    *offset = found.offset;
    return found.resource;
}

uint32_t ws_bound_find_structure(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                 const struct ws_bound_place *place)
{
    struct found found = {.launch = launch, .structures = true};
    find_place(&found, catalog, launch, shader, place);
    return found.resource;
}

struct ws_bound_view ws_bound_view(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                   const struct ws_bound_place *place)
{
    struct found format = {.launch = launch, .formats = true};
    struct found part = {.launch = launch, .parts = true};
    struct ws_bound_view view = {0};
    find_place(&format, catalog, launch, shader, place);
    if (!format.any || format.resource >= WS_BOUND_LAST)
        return view;
    view.format = format.resource;
    find_place(&part, catalog, launch, shader, place);
    if (part.any && part.resource < WS_BOUND_LAST) {
        view.level = part.resource;
        view.layer = (uint32_t)part.offset;
    }
    return view;
}

struct ws_bound_sampler ws_bound_sampler(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                         const struct ws_bound_place *place)
{
    struct found found = {.launch = launch, .samplers = true};
    struct ws_bound_sampler sampler = {.missing = WS_BOUND_UNKNOWN};
    find_place(&found, catalog, launch, shader, place);
    if (found.any && found.resource == 0 &&
        ws_sampler_unpack(&(struct ws_sampler_words){found.offset, found.range}, &sampler.sampler))
        sampler.missing = 0;
    else
        sampler.missing = found.resource > WS_BOUND_LAST ? found.resource : WS_BOUND_UNKNOWN;
    return sampler;
}

/* The spot of a byte of a resource, which `offset` counts from the begin of what it lies in. */
static struct ws_bound_spot spot_in(const struct ws_catalog *catalog, uint32_t index, uint64_t offset)
{
    const struct ws_resource *resource = ws_bound_resource(catalog, index);
    const uint32_t within =
        resource != NULL ? ws_bound_resource_of(catalog, resource->within) : WS_BOUND_UNKNOWN;
    if (resource == NULL)
        return (struct ws_bound_spot){index, WS_BOUND_UNKNOWN, 0};
    if (resource->kind == WS_RESOURCE_IMAGE)
        return (struct ws_bound_spot){index, index, 0};
    return (struct ws_bound_spot){index, within != WS_BOUND_UNKNOWN ? within : index, offset};
}

struct ws_bound_spot ws_bound_spot(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                                   const struct ws_bound_place *place)
{
    uint64_t offset = 0;
    const uint32_t index = ws_bound_find(catalog, launch, shader, place, &offset);
    return spot_in(catalog, index, offset);
}

/* ---- device addresses ---- */

/* The addresses of a buffer. */
struct ws_bound_range {
    uint64_t begin;
    uint64_t end;            /* the first behind them */
    uint64_t reach;          /* the largest end of this range and those before it */
    struct ws_bound_spot at; /* where its first byte lies */
};

static int compare_ranges(const void *left, const void *right)
{
    const struct ws_bound_range *a = left;
    const struct ws_bound_range *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

bool ws_bound_addresses_init(struct ws_bound_addresses *addresses, const struct ws_catalog *catalog,
                             uint64_t launch)
{
    const struct ws_bound_table *table = catalog->bound;
    const struct ws_launch_record *record = ws_catalog_launch(catalog, launch);
    const uint32_t count = table != NULL && record != NULL ? table->resource_count : 0;
    *addresses = (struct ws_bound_addresses){0};
    if (!ws_budget_spend(count))
        return false;
    addresses->ranges = malloc(((size_t)count + 1) * sizeof(*addresses->ranges));
    if (addresses->ranges == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_resource *resource = &table->resources[i];
        const struct life *life = &table->lives[i];
        if (resource->kind != WS_RESOURCE_BUFFER || resource->address == 0 || resource->size == 0 ||
            resource->size > UINT64_MAX - resource->address || launch < life->first || launch >= life->gone ||
            life->device != catalog->devices[record->device].id)
            continue;
        addresses->ranges[addresses->count++] = (struct ws_bound_range){
            .begin = resource->address,
            .end = resource->address + resource->size,
            .at = spot_in(catalog, i, resource->within != WS_NONE ? resource->offset : 0)};
    }
    qsort(addresses->ranges, addresses->count, sizeof(*addresses->ranges), compare_ranges);
    for (uint32_t i = 0; i < addresses->count; ++i) {
        struct ws_bound_range *range = &addresses->ranges[i];
        range->reach = i > 0 && range[-1].reach > range->end ? range[-1].reach : range->end;
    }
    return true;
}

void ws_bound_addresses_finish(struct ws_bound_addresses *addresses)
{
    free(addresses->ranges);
    *addresses = (struct ws_bound_addresses){0};
}

/* How many ranges begin at the address or before. */
static uint32_t count_begun(const struct ws_bound_addresses *addresses, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = addresses->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (addresses->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ws_bound_spot ws_bound_addresses_find(const struct ws_bound_addresses *addresses, uint64_t address)
{
    struct ws_bound_spot found = {WS_BOUND_UNKNOWN, WS_BOUND_UNKNOWN, 0};
    bool any = false;
    for (uint32_t i = count_begun(addresses, address); i-- > 0 && addresses->ranges[i].reach > address;) {
        const struct ws_bound_range *range = &addresses->ranges[i];
        if (!ws_budget_spend(1))
            break;
        if (address >= range->end)
            continue;
        const uint64_t offset = range->at.offset + (address - range->begin);
        if (!any) {
            any = true;
            found = (struct ws_bound_spot){range->at.resource, range->at.memory, offset};
            continue;
        }
        found.resource = WS_BOUND_SEVERAL;
        if (found.memory != range->at.memory || found.offset != offset) {
            found.memory = WS_BOUND_UNKNOWN;
            found.offset = 0;
        }
    }
    return found;
}
