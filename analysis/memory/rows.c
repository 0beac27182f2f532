#include "analysis/memory/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/spirv/access.h"

void ws_memory_rows_finish(struct ws_memory_rows *rows)
{
    free(rows->buffers);
    ws_id_map_finish(&rows->buffer_ids);
}

bool ws_memory_rows_buffer(struct ws_memory_rows *rows, const char *text, uint32_t *index)
{
    const uint64_t key = (uint64_t)(uintptr_t)text + 1;
    if (ws_id_map_get(&rows->buffer_ids, key, index))
        return true;
    const char **buffers =
        ws_array_grow(rows->buffers, &rows->buffer_capacity, rows->buffer_count + 1, sizeof(*buffers));
    if (buffers == NULL)
        return false;
    rows->buffers = buffers;
    *index = rows->buffer_count++;
    buffers[*index] = text;
    return ws_id_map_put(&rows->buffer_ids, key, *index);
}

static struct ws_memory_place_info place_of(const struct ws_row *row)
{
    const struct ws_memory_rows *rows = row->user;
    return rows->describe(rows, row->catalog->shaders[row->key >> 32].module, (uint32_t)row->key);
}

static void kind_name(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_access_kind_name((enum ws_access_kind)row->key));
}

static void memory_name(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_access_memory_name((enum ws_access_memory)row->key));
}

static void buffer_name(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_memory_rows *rows = row->user;
    if (rows->buffers[row->key] != NULL)
        ws_value_text(value, "%s", rows->buffers[row->key]);
}

/* What stands in place of a name; NULL = nothing does. */
static const char *bound_word(uint32_t key)
{
    switch (key) {
    case WS_BOUND_SEVERAL: return "one of several";
    case WS_BOUND_INLINE: return "in the descriptor set";
    case WS_BOUND_NONE: return "none, or destroyed";
    case WS_BOUND_BY_ADDRESS: return "by address";
    case WS_BOUND_WHY(WS_BOUND_NOT_FOLLOWED): return "not followed";
    case WS_BOUND_WHY(WS_BOUND_BUFFER): return "by a descriptor buffer";
    case WS_BOUND_WHY(WS_BOUND_HEAP): return "by a descriptor heap";
    case WS_BOUND_WHY(WS_BOUND_TOO_MUCH): return "one of too many";
    default: return NULL;
    }
}

bool ws_memory_bound_text(const struct ws_catalog *catalog, uint32_t bound, char *text, size_t size)
{
    const struct ws_resource *resource = ws_bound_resource(catalog, bound);
    if (bound_word(bound) != NULL)
        snprintf(text, size, "%s", bound_word(bound));
    else if (resource == NULL)
        return false;
    else if (resource->name[0] != '\0')
        snprintf(text, size, "%s", resource->name);
    else
        snprintf(text, size, "%s %u",
                 resource->kind == WS_RESOURCE_ALLOCATION ? "allocation"
                 : resource->kind == WS_RESOURCE_IMAGE    ? "image"
                                                          : "buffer",
                 (unsigned)resource->id);
    return true;
}

static void name_bound(const struct ws_catalog *catalog, uint32_t bound, struct ws_value *value)
{
    char text[WS_TEXT_KEPT + 8];
    if (ws_memory_bound_text(catalog, bound, text, sizeof(text)))
        ws_value_text(value, "%s", text);
}

static void bound_name(const struct ws_row *row, struct ws_value *value)
{
    name_bound(row->catalog, (uint32_t)row->key, value);
}

/* Numbers of the capture differ from run to run. */
static void bound_own_name(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_resource *resource = ws_bound_resource(row->catalog, (uint32_t)row->key);
    if (resource != NULL && resource->name[0] != '\0')
        ws_value_text(value, "%s", resource->name);
}

static void bound_size(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_resource *resource = ws_bound_resource(row->catalog, (uint32_t)row->key);
    if (resource != NULL)
        ws_value_count(value, resource->size);
}

static void bound_allocation(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_resource *resource = ws_bound_resource(row->catalog, (uint32_t)row->key);
    if (resource != NULL)
        name_bound(row->catalog, ws_bound_resource_of(row->catalog, resource->within), value);
}

static void place_source(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_memory_place_info place = place_of(row);
    ws_value_source(value, place.file, place.line);
}

static void place_file(const struct ws_row *row, struct ws_value *value)
{
    ws_value_file(value, place_of(row).file);
}

static void place_line(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_memory_place_info place = place_of(row);
    if (place.file != NULL)
        ws_value_count(value, place.line);
}

static void place_size(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, place_of(row).size);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_alike(const struct ws_memory_place_info *a, const struct ws_memory_place_info *b)
{
    return a->line == b->line && a->size == b->size && a->kind == b->kind && is_same(a->file, b->file) &&
           is_same(a->buffer, b->buffer);
}

/* "2 of 3": a line that loads x, y and z of a vector has three accesses that nothing else tells apart. */
static void place_which(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_memory_rows *rows = row->user;
    const uint32_t module = row->catalog->shaders[row->key >> 32].module;
    const struct ws_memory_place_info own = place_of(row);
    uint32_t which = 0;
    uint32_t all = 0;
    for (uint32_t i = 0; rows->count != NULL && i < rows->count(rows, module); ++i) {
        const struct ws_memory_place_info other = rows->describe(rows, module, i);
        all += is_alike(&own, &other);
        which = i == (uint32_t)row->key ? all : which;
    }
    if (all > 1)
        ws_value_text(value, "%" PRIu32 " of %" PRIu32, which, all);
}

static void place_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (uint32_t)row->key);
}

const struct ws_field ws_memory_kind_fields[] = {
    {"access", "load, store or atomic", WS_TEXT, .value = kind_name}, {NULL}};

const struct ws_field ws_memory_memory_fields[] = {
    {"memory", "storage buffer, uniform buffer, device address, ...", WS_TEXT, .value = memory_name}, {NULL}};

const struct ws_field ws_memory_buffer_fields[] = {
    {"buffer", "what is touched, by its name and binding in the shader", WS_TEXT, .value = buffer_name},
    {NULL}};

const struct ws_field ws_memory_bound_fields[] = {
    {"bound",
     "the application's buffer or image there, by its name or its number in the capture, or why\n"
     "that is not known. \"one of several\": draws of a render pass, elements that shaders\n"
     "choose, or lanes of a request differ. None: it has no binding and no address that\n"
     "the application asked for, or the capture is older. By address: counters know none,\n"
     "records do",
     WS_TEXT, .value = bound_name},
    {"bound_name", "the name that the application gave it; none where it gave none", WS_TEXT,
     .value = bound_own_name},
    {"bound_size", "bytes of that buffer", WS_COUNT, .value = bound_size},
    {"allocation", "the memory that it lies in, likewise", WS_TEXT, .value = bound_allocation},
    {NULL}};

const struct ws_field ws_memory_place_fields[] = {
    {"place", "its number in the shader, in the order of the code", WS_COUNT, .value = place_number},
    {"source", "where it stands in the source", WS_TEXT, .value = place_source},
    {"file", "the same: path of the file as the compiler was given it, if known", WS_TEXT,
     .value = place_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = place_line},
    {"which", "of several like it in one line, in the order of the code", WS_TEXT, .flags = WS_TABLES,
     .value = place_which},
    {"size", "bytes that each lane touches; of texels 4 where the shader does not say more", WS_COUNT,
     .value = place_size},
    {NULL}};
