#include "warpscope/model/built.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/bound.h"
#include "warpscope/model/catalog.h"

enum { GEOMETRY_TRIANGLES = 0, GEOMETRY_AABBS = 1 };                          /* VkGeometryTypeKHR */
enum { INDEX_16 = 0, INDEX_32 = 1, INDEX_8 = 1000265000, NONE = 1000165000 }; /* VkIndexType */

/* A geometry of a build. */
struct built {
    uint32_t arrays[2]; /* of data, and of indices; WS_NONE */
    uint64_t sizes[2];  /* bytes of them */
    uint64_t moment;
    uint32_t previous; /* the build of the same geometry of the same structure before; WS_NONE */
};

struct ws_built_table {
    struct ws_built_array *arrays;
    uint32_t array_count;
    uint32_t array_capacity;
    uint32_t *followers; /* of each array: the one after it with the same hash; WS_NONE */
    uint32_t follower_capacity;
    struct ws_id_map array_ids; /* hash of what an array is -> the last with that hash */
    struct built *builts;
    uint32_t built_count;
    uint32_t built_capacity;
    struct ws_id_map built_ids; /* structure << 32 | geometry -> the last build */
    uint64_t unknown;
};

void ws_built_table_destroy(struct ws_built_table *table)
{
    if (table == NULL)
        return;
    free(table->arrays);
    free(table->followers);
    free(table->builts);
    ws_id_map_finish(&table->array_ids);
    ws_id_map_finish(&table->built_ids);
    free(table);
}

/* ---- what is recorded ---- */

static uint64_t index_size(uint32_t type)
{
    switch (type) {
    case INDEX_8: return 1;
    case INDEX_16: return 2;
    case INDEX_32: return 4;
    default: return 0;
    }
}

static bool is_same(const struct ws_built_array *a, const struct ws_built_array *b)
{
    return a->kind == b->kind && a->buffer == b->buffer && a->address == b->address && a->step == b->step;
}

/* Hashes that are equal by ill will make a list long: its walk spends steps. */
static uint64_t hash_of(const struct ws_built_array *array)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    return (((array->address * odd + array->step) * odd + array->buffer) * odd + array->kind) >> 1;
}

/* The number of an array, a new one if need be; WS_NONE for one without elements. False when there is no memory, or the
 * budget is spent. */
static bool find_array(struct ws_built_table *table, const struct ws_built_array *array, uint64_t size,
                       uint32_t *number)
{
    const uint64_t hash = hash_of(array);
    uint32_t last = WS_NONE;
    *number = WS_NONE;
    if (array->step == 0 || array->step > UINT32_MAX || size == 0 || array->buffer == WS_NONE)
        return true;
    if (!ws_id_map_get(&table->array_ids, hash, &last))
        last = WS_NONE;
    for (uint32_t i = last; i != WS_NONE; i = table->followers[i]) {
        if (!ws_budget_spend(1))
            return false;
        if (is_same(&table->arrays[i], array)) {
            *number = i;
            return true;
        }
    }
    struct ws_built_array *arrays =
        ws_array_grow(table->arrays, &table->array_capacity, table->array_count + 1, sizeof(*arrays));
    table->arrays = arrays != NULL ? arrays : table->arrays;
    uint32_t *followers = ws_array_grow(table->followers, &table->follower_capacity, table->array_count + 1,
                                        sizeof(*followers));
    table->followers = followers != NULL ? followers : table->followers;
    if (arrays == NULL || followers == NULL)
        return false;
    *number = table->array_count++;
    arrays[*number] = *array;
    followers[*number] = last;
    return ws_id_map_put(&table->array_ids, hash, *number);
}

static bool add_source(struct ws_built_table *table, const struct ws_chunk_build *chunk,
                       const struct ws_build_source *source)
{
    const struct ws_build_geometry *geometry = &chunk->geometries[source->geometry];
    const bool is_box = geometry->type == GEOMETRY_AABBS;
    const uint64_t key = (uint64_t)chunk->structure << 32 | source->geometry;
    struct ws_built_array data = {.kind = is_box                         ? WS_BUILT_BOXES
                                          : geometry->index_type != NONE ? WS_BUILT_VERTICES
                                                                         : WS_BUILT_CORNERS,
                                  .buffer = source->buffer,
                                  .address = source->address,
                                  .step = geometry->stride,
                                  .structure = chunk->structure,
                                  .geometry = source->geometry};
    struct ws_built_array indices = data;
    indices.kind = WS_BUILT_INDICES;
    indices.buffer = source->index_buffer;
    indices.address = source->index_address;
    indices.step = is_box ? 0 : 3 * index_size(geometry->index_type);
    struct built *builts =
        ws_array_grow(table->builts, &table->built_capacity, table->built_count + 1, sizeof(*builts));
    if (builts == NULL)
        return false;
    table->builts = builts;
    struct built *built = &builts[table->built_count];
    *built = (struct built){.sizes = {source->size, source->index_size}, .moment = chunk->moment};
    if (!ws_id_map_get(&table->built_ids, key, &built->previous))
        built->previous = WS_NONE;
    if (!find_array(table, &data, source->size, &built->arrays[0]) ||
        !find_array(table, &indices, source->index_size, &built->arrays[1]))
        return false;
    table->unknown += built->arrays[0] == WS_NONE;
    return ws_id_map_put(&table->built_ids, key, table->built_count++);
}

bool ws_built_record(struct ws_catalog *catalog, const struct ws_chunk_build *chunk)
{
    uint32_t known = 0;
    bool added = true;
    if (catalog->built == NULL)
        catalog->built = calloc(1, sizeof(*catalog->built));
    if (catalog->built == NULL)
        return false;
    for (uint32_t i = 0; added && i < chunk->source_count; ++i)
        added = add_source(catalog->built, chunk, &chunk->sources[i]);
    for (uint32_t i = 0; i < chunk->geometry_count; ++i) {
        const bool is_known = known < chunk->source_count && chunk->sources[known].geometry == i;
        const struct ws_build_geometry *geometry = &chunk->geometries[i];
        known += is_known;
        catalog->built->unknown +=
            !is_known && geometry->type <= GEOMETRY_AABBS && geometry->primitive_count > 0;
    }
    return added;
}

/* ---- what is found ---- */

uint32_t ws_built_count(const struct ws_catalog *catalog)
{
    return catalog->built != NULL ? catalog->built->array_count : 0;
}

const struct ws_built_array *ws_built_array(const struct ws_catalog *catalog, uint32_t index)
{
    return &catalog->built->arrays[index];
}

uint64_t ws_built_unknown(const struct ws_catalog *catalog)
{
    return catalog->built != NULL ? catalog->built->unknown : 0;
}

void ws_built_of(const struct ws_catalog *catalog, uint32_t structure, uint64_t moment, uint32_t geometry,
                 uint32_t *data, uint32_t *indices)
{
    const struct ws_built_table *table = catalog->built;
    uint32_t index = 0;
    *data = *indices = WS_NONE;
    if (table == NULL || !ws_id_map_get(&table->built_ids, (uint64_t)structure << 32 | geometry, &index))
        return;
    while (index != WS_NONE && table->builts[index].moment != moment && ws_budget_spend(1))
        index = table->builts[index].previous;
    if (index == WS_NONE || table->builts[index].moment != moment)
        return;
    *data = table->builts[index].arrays[0];
    *indices = table->builts[index].arrays[1];
}

/* ---- ranges of a launch ---- */

static int compare_ranges(const void *left, const void *right)
{
    const struct ws_built_range *a = left;
    const struct ws_built_range *b = right;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->array > b->array) - (a->array < b->array);
}

/* The bytes of each array, by all builds before the launch. */
static void find_sizes(const struct ws_built_table *table, uint64_t launch, uint64_t *sizes)
{
    for (uint32_t i = 0; i < table->built_count; ++i) {
        const struct built *built = &table->builts[i];
        for (int j = 0; built->moment <= launch && j < 2; ++j) {
            const uint32_t array = built->arrays[j];
            if (array != WS_NONE && built->sizes[j] > sizes[array])
                sizes[array] = built->sizes[j];
        }
    }
}

/* Adds an array, where it lies in an allocation, or in its buffer, if it still exists. Its last element has a whole step, as
 * far as the buffer goes. */
static void add_range(struct ws_built_ranges *ranges, const struct ws_catalog *catalog, uint64_t launch,
                      uint32_t number, uint64_t size)
{
    const struct ws_built_array *array = &catalog->built->arrays[number];
    const uint32_t index = ws_bound_resource_of(catalog, array->buffer);
    const struct ws_resource *buffer = ws_bound_resource(catalog, index);
    if (buffer == NULL || size == 0 || !ws_bound_exists(catalog, index, launch) ||
        array->address < buffer->address || array->address - buffer->address >= buffer->size)
        return;
    const uint32_t within = ws_bound_resource_of(catalog, buffer->within);
    const uint64_t offset = array->address - buffer->address;
    const uint64_t rest = buffer->size - offset;
    const uint64_t begin = (within != WS_BOUND_UNKNOWN ? buffer->offset : 0) + offset;
    const uint64_t cut = size % array->step; /* bytes of the last element */
    const uint64_t missing = cut > 0 ? array->step - cut : 0;
    const uint64_t bytes = size > rest || missing > rest - size ? rest : size + missing;
    if (begin < offset || begin > UINT64_MAX - bytes)
        return;
    ranges->list[ranges->count++] =
        (struct ws_built_range){.memory = within != WS_BOUND_UNKNOWN ? within : index,
                                .begin = begin,
                                .end = begin + bytes,
                                .array = number};
}

bool ws_built_ranges_init(struct ws_built_ranges *ranges, const struct ws_catalog *catalog, uint64_t launch)
{
    const struct ws_built_table *table = catalog->built;
    *ranges = (struct ws_built_ranges){.list = NULL};
    if (table == NULL)
        return true;
    if (!ws_budget_spend(table->built_count))
        return false;
    uint64_t *sizes = calloc((size_t)table->array_count + 1, sizeof(*sizes));
    ranges->list = malloc(((size_t)table->array_count + 1) * sizeof(*ranges->list));
    const bool ready = sizes != NULL && ranges->list != NULL;
    if (ready)
        find_sizes(table, launch, sizes);
    for (uint32_t i = 0; ready && i < table->array_count; ++i)
        add_range(ranges, catalog, launch, i, sizes[i]);
    free(sizes);
    if (ready)
        qsort(ranges->list, ranges->count, sizeof(*ranges->list), compare_ranges);
    for (uint32_t i = 0; ready && i < ranges->count; ++i) {
        struct ws_built_range *range = &ranges->list[i];
        const bool has_more = i > 0 && range[-1].memory == range->memory && range[-1].reach > range->end;
        range->reach = has_more ? range[-1].reach : range->end;
    }
    return ready;
}

void ws_built_ranges_finish(struct ws_built_ranges *ranges)
{
    free(ranges->list);
    *ranges = (struct ws_built_ranges){.list = NULL};
}

/* How many ranges lie in an earlier memory, or begin before a byte of this one. */
static uint32_t count_begun(const struct ws_built_ranges *ranges, uint32_t memory, uint64_t byte)
{
    uint32_t low = 0;
    uint32_t high = ranges->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct ws_built_range *range = &ranges->list[middle];
        if (range->memory < memory || (range->memory == memory && range->begin < byte))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct ws_built_range *ws_built_ranges_next(const struct ws_built_ranges *ranges, uint32_t memory,
                                                  uint64_t byte, uint32_t size, uint32_t *at)
{
    uint32_t i = *at != WS_NONE ? *at : count_begun(ranges, memory, byte + size);
    while (i-- > 0 && ranges->list[i].memory == memory && ranges->list[i].reach > byte &&
           ws_budget_spend(1)) {
        *at = i;
        if (ranges->list[i].end > byte)
            return &ranges->list[i];
    }
    return NULL;
}
