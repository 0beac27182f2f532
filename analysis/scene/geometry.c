/* The analysis `geometry`: counts structures, finds equal ones, and shows them by declared columns. */
#include "analysis/scene/geometry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_vertex.h"
#include "warpscope/base/id_map.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/reader.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/findings.h"

#define ROWS_USUAL 20
#define TEXT_SIZE  128

static bool no_memory(struct ws_error *error)
{
    return ws_error_set(error, "no memory for the geometry of the capture");
}

bool ws_geometry_record(struct ws_geometry_counts *geometry, const struct ws_chunk *chunk,
                        struct ws_error *error)
{
    if (geometry->scene == NULL)
        geometry->scene = ws_scene_begin();
    if (geometry->scene == NULL)
        return no_memory(error);
    return ws_scene_record(geometry->scene, chunk, error);
}

/* Instances of every structure in one that is live. */
static bool count_instances(struct ws_geometry_counts *geometry, uint32_t top)
{
    const struct ws_scene *scene = geometry->scene;
    const uint32_t build = ws_scene_build_at(scene, top, geometry->scene->last);
    const uint32_t count = ws_scene_instance_count(scene, build);
    if (!ws_budget_spend(WS_STEPS_PRIMITIVE * (uint64_t)count))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_scene_instance instance;
        if (ws_scene_instance(scene, build, i, &instance) && instance.structure != WS_NONE)
            geometry->structures[instance.structure].instances++;
    }
    return true;
}

/* The group of equal structures that a live one belongs to, new where it is the first. */
static bool add_to_equals(struct ws_geometry_counts *geometry, struct ws_id_map *groups, uint32_t structure)
{
    const struct ws_scene *scene = geometry->scene;
    const struct ws_scene_build *build =
        &scene->builds[ws_scene_build_at(scene, structure, geometry->scene->last)];
    const uint64_t key = (uint64_t)scene->structures[structure].device << 32 | build->content;
    uint32_t index = 0;
    if (build->top || build->primitives == 0)
        return true;
    if (!ws_id_map_get(groups, key, &index)) {
        index = geometry->equal_count++;
        geometry->equals[index] =
            (struct ws_geometry_equal){.first = structure, .primitives = build->primitives};
        if (!ws_id_map_put(groups, key, index))
            return false;
    }
    struct ws_geometry_equal *equal = &geometry->equals[index];
    const uint64_t size = scene->structures[structure].size;
    equal->count++;
    equal->bytes += size;
    equal->largest = size > equal->largest ? size : equal->largest;
    return true;
}

static int compare_equals(const void *left, const void *right)
{
    const struct ws_geometry_equal *a = left, *b = right;
    if (a->spare_bytes != b->spare_bytes)
        return a->spare_bytes > b->spare_bytes ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* What each group could spare; groups of one are none. */
static void close_equals(struct ws_geometry_counts *geometry)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < geometry->equal_count; ++i) {
        struct ws_geometry_equal *equal = &geometry->equals[i];
        equal->spare_bytes = equal->bytes - equal->largest;
        equal->spare_primitives = (equal->count - 1) * equal->primitives;
        geometry->spare_bytes += equal->spare_bytes;
        geometry->spare_primitives += equal->spare_primitives;
        if (equal->count > 1)
            geometry->equals[kept++] = *equal;
    }
    geometry->equal_count = kept;
    if (kept > 0)
        qsort(geometry->equals, kept, sizeof(*geometry->equals), compare_equals);
}

static bool count_structures(struct ws_geometry_counts *geometry)
{
    const struct ws_scene *scene = geometry->scene;
    struct ws_id_map groups = {0};
    bool counted = true;
    for (uint32_t i = 0; i < scene->structure_count && counted; ++i) {
        const struct ws_scene_structure *structure = &scene->structures[i];
        const uint32_t build = ws_scene_build_at(scene, i, geometry->scene->last);
        geometry->builds += structure->builds;
        geometry->updates += structure->updates;
        geometry->copies += structure->copies;
        if (build == WS_NONE)
            continue;
        geometry->structures[i].live = true;
        geometry->live++;
        geometry->live_bytes += structure->size;
        if (scene->builds[build].top)
            counted = count_instances(geometry, i);
        counted = counted && add_to_equals(geometry, &groups, i);
    }
    ws_id_map_finish(&groups);
    return counted;
}

bool ws_geometry_end(struct ws_geometry_counts *geometry, struct ws_error *error)
{
    if (geometry->scene == NULL)
        geometry->scene = ws_scene_begin();
    if (geometry->scene == NULL)
        return no_memory(error);
    if (!ws_scene_end(geometry->scene, NULL, error))
        return false;
    const size_t count = (size_t)geometry->scene->structure_count + 1;
    geometry->structures = calloc(count, sizeof(*geometry->structures));
    geometry->equals = calloc(count, sizeof(*geometry->equals));
    if (geometry->structures == NULL || geometry->equals == NULL)
        return no_memory(error);
    if (!count_structures(geometry))
        return no_memory(error);
    close_equals(geometry);
    return true;
}

void ws_geometry_finish(struct ws_geometry_counts *geometry)
{
    ws_scene_destroy(geometry->scene);
    free(geometry->structures);
    free(geometry->equals);
    memset(geometry, 0, sizeof(*geometry));
}

struct geometry_report {
    struct ws_geometry_counts geometry;
    struct ws_groups *groups;
    uint32_t rows; /* of tables that are not made of columns */
};

/* What adds up over structures. */
struct sums {
    uint64_t structures;
    uint64_t bytes;
    uint64_t primitives;
    uint64_t builds;
    uint64_t updates;
    uint64_t copies;
    uint64_t instances;
};

enum { TYPE, LIVE, CONTENT, STRUCTURE, DIMENSIONS };
enum { BY_ALL, BY_STRUCTURE };

/* The build that is shown of a structure; NULL where it never had one. */
static const struct ws_scene_build *build_of(const struct ws_scene *scene, uint32_t structure)
{
    const uint32_t build = scene->structures[structure].last_build;
    return build != WS_NONE ? &scene->builds[build] : NULL;
}

static const char *level_name(uint32_t type)
{
    static const char *const names[] = {"top", "bottom", "generic"}; /* VkAccelerationStructureTypeKHR */
    return type < 3 ? names[type] : "unknown";
}

static const char *geometry_name(uint32_t type)
{
    static const char *const names[] = {"triangles", "aabbs", "instances"};
    return type < 3 ? names[type] : "unknown";
}

static void join(const char *const *names, size_t count, uint32_t mask, char text[TEXT_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; ++i)
        if ((mask & 1u << i) != 0)
            used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%s", used > 0 ? " " : "", names[i]);
}

/* VkBuildAccelerationStructureFlagBitsKHR. */
static void build_flags_text(uint32_t flags, char text[TEXT_SIZE])
{
    static const char *const names[] = {"allow_update", "allow_compaction", "fast_trace",
                                        "fast_build",   "low_memory",       "motion"};
    join(names, sizeof(names) / sizeof(names[0]), flags, text);
}

/* VkGeometryFlagBitsKHR. */
static void geometry_flags_text(uint32_t flags, char text[TEXT_SIZE])
{
    static const char *const names[] = {"opaque", "no_duplicate_any_hit"};
    join(names, sizeof(names) / sizeof(names[0]), flags, text);
}

static const struct ws_geometry_counts *geometry_of(const struct ws_row *row)
{
    const struct geometry_report *report = row->user;
    return &report->geometry;
}

static const struct ws_scene_structure *structure_of(const struct ws_row *row)
{
    return &geometry_of(row)->scene->structures[row->key];
}

static const struct ws_scene_build *last_build(const struct ws_row *row)
{
    return build_of(geometry_of(row)->scene, (uint32_t)row->key);
}

static void structure_type(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", level_name((uint32_t)row->key));
}

static void structure_live(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key != 0);
}

static void structure_content(const struct ws_row *row, struct ws_value *value)
{
    if (row->key != WS_NONE)
        ws_value_count(value, row->key);
}

static void structure_id(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, structure_of(row)->id);
}

static void structure_name(const struct ws_row *row, struct ws_value *value)
{
    value->kind = WS_VALUE_TEXT;
    value->text = structure_of(row)->name;
}

static void structure_device(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, structure_of(row)->device);
}

static void structure_address(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "0x%" PRIx64, structure_of(row)->address);
}

static void structure_geometries(const struct ws_row *row, struct ws_value *value)
{
    if (last_build(row) != NULL)
        ws_value_count(value, last_build(row)->geometry_count);
}

static void structure_flags(const struct ws_row *row, struct ws_value *value)
{
    if (last_build(row) == NULL)
        return;
    build_flags_text(last_build(row)->build_flags, value->buffer);
    value->kind = WS_VALUE_TEXT;
    value->text = value->buffer;
}

static void structure_bounds(const struct ws_row *row, struct ws_value *value)
{
    float bounds[6];
    const struct ws_scene *scene = geometry_of(row)->scene;
    if (ws_scene_bounds(scene, scene->structures[row->key].last_build, bounds))
        ws_value_text(value, "%g %g %g, %g %g %g", (double)bounds[0], (double)bounds[1], (double)bounds[2],
                      (double)bounds[3], (double)bounds[4], (double)bounds[5]);
}

/* The structure itself may never have been built. */
static void sum_primitives(const struct ws_row *row, struct ws_value *value)
{
    const struct sums *sums = row->sums;
    const uint64_t structure = row->keys[STRUCTURE];
    if (structure >= WS_KEY_SEVERAL || build_of(geometry_of(row)->scene, (uint32_t)structure) != NULL)
        ws_value_count(value, sums->primitives);
}

/* VkOpacityMicromapFormatEXT. */
static const char *micromap_format(uint32_t format)
{
    return format == 1 ? "2 states" : format == 2 ? "4 states" : "unknown";
}

static cJSON *micromaps_json(const struct ws_scene_geometry *geometry)
{
    if ((geometry->info.capture_flags & WS_GEOMETRY_MICROMAP) == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    for (uint32_t i = 0; i < WS_MICROMAP_STATES; ++i)
        ws_json_integer(object, ws_micromap_state_name((enum ws_micromap_state)i),
                        geometry->micromap_counts.states[i]);
    ws_json_integer(object, "asking", geometry->micromap_counts.asking);
    cJSON *parts = cJSON_AddObjectToObject(object, "parts");
    for (uint32_t i = 0; i < WS_MICROMAP_VALUES; ++i)
        ws_json_integer(parts, ws_micromap_state_name((enum ws_micromap_state)i),
                        geometry->micromap_counts.parts[i]);
    ws_json_integer(object, "base", geometry->micromap.base);
    cJSON *usages = cJSON_AddArrayToObject(object, "usages");
    for (uint32_t i = 0; i < geometry->micromap.usage_count; ++i) {
        const struct ws_micromap_usage *usage = &geometry->micromap.usages[i];
        cJSON *item = cJSON_CreateObject();
        ws_json_integer(item, "triangles", usage->count);
        ws_json_integer(item, "level", usage->level);
        cJSON_AddStringToObject(item, "format", micromap_format(usage->format));
        ws_json_append(usages, item);
    }
    return object;
}

cJSON *ws_geometry_json(const struct ws_scene_geometry *geometry)
{
    char text[TEXT_SIZE];
    const struct ws_build_geometry *info = &geometry->info;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", geometry_name(info->type));
    geometry_flags_text(info->flags, text);
    cJSON_AddStringToObject(object, "flags", text);
    ws_json_integer(object, "primitives", info->primitive_count);
    if (info->type == WS_GEOMETRY_TRIANGLES) {
        cJSON_AddStringToObject(object, "vertex_format",
                                ws_vertex_format_name(info->vertex_format, text, sizeof(text)));
        ws_json_integer(object, "vertices", geometry->vertex_count);
        cJSON_AddBoolToObject(object, "indexed", info->indices != WS_NONE);
        cJSON_AddBoolToObject(object, "transformed", !geometry->identity);
    } else {
        cJSON_AddNullToObject(object, "vertex_format");
        cJSON_AddNullToObject(object, "vertices");
        cJSON_AddNullToObject(object, "indexed");
        cJSON_AddNullToObject(object, "transformed");
    }
    if (info->type != WS_GEOMETRY_INSTANCES)
        ws_json_integer(object, "stride", info->stride);
    else
        cJSON_AddNullToObject(object, "stride");
    cJSON_AddBoolToObject(object, "clipped", (info->capture_flags & WS_GEOMETRY_CLIPPED) != 0);
    cJSON_AddBoolToObject(object, "unknown", (info->capture_flags & WS_GEOMETRY_UNKNOWN) != 0);
    cJSON_AddBoolToObject(object, "micromap", (info->capture_flags & WS_GEOMETRY_MICROMAP) != 0);
    ws_json_add(object, "micromaps", micromaps_json(geometry));
    return object;
}

static cJSON *structure_geometries_json(const struct ws_row *row)
{
    if (last_build(row) == NULL)
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < last_build(row)->geometry_count; ++i)
        ws_json_append(list, ws_geometry_json(&last_build(row)->geometries[i]));
    return list;
}

static cJSON *structure_bounds_json(const struct ws_row *row)
{
    float bounds[6] = {0};
    const struct ws_scene *scene = geometry_of(row)->scene;
    if (!ws_scene_bounds(scene, scene->structures[row->key].last_build, bounds))
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 6; ++i)
        ws_json_append(list, ws_json_number_item((double)bounds[i]));
    return list;
}

static const struct ws_member usage_members[] = {{"triangles", "integer", "how many have such a micromap"},
                                                 {"level", "integer", "of subdivision"},
                                                 {"format", "string", "2 states, 4 states or unknown"},
                                                 {NULL}};

static const struct ws_member part_members[] = {
    {"transparent", "integer", "rays pass"},
    {"opaque", "integer", "no any-hit shader runs"},
    {"unknown_transparent", "integer", "the any-hit shader is asked"},
    {"unknown_opaque", "integer", "the any-hit shader is asked"},
    {NULL}};

static const struct ws_member micromap_members[] = {
    {"transparent", "integer", "triangles that are fully transparent: rays do not meet them"},
    {"opaque", "integer", "fully opaque: no any-hit shader runs"},
    {"unknown_transparent", "integer",
     "unknown: the any-hit shader is asked; with two states they are not there"},
    {"unknown_opaque", "integer", "unknown: the any-hit shader is asked; with two states they are opaque"},
    {"mixed", "integer", "triangles whose parts differ, by their micromap"},
    {"mapped", "integer", "triangles with a micromap, what is in which is not captured"},
    {"not_captured", "integer", "triangles whose index of a micromap was not captured"},
    {"asking", "integer",
     "triangles with unknown parts, as far as is known: there the any-hit shader is asked"},
    {"parts", "object", "microtriangles of the micromaps that are captured", part_members},
    {"base", "integer", "what is added to an index to get the number of a micromap"},
    {"usages", "object[]", "formats and levels of the micromaps, where the build is told them",
     usage_members},
    {NULL}};

static const struct ws_member geometry_members[] = {
    {"type", "string", "triangles, aabbs or instances"},
    {"flags", "string", "opaque, no_duplicate_any_hit, with a space between"},
    {"primitives", "integer", "triangles, boxes or instances"},
    {"vertex_format", "string?", "of triangles; null for others, as the next three"},
    {"vertices", "integer?", "vertices that were captured"},
    {"indexed", "boolean?", "the triangles have indices"},
    {"transformed", "boolean?", "they have a transform that is not the identity"},
    {"stride", "integer?", "bytes from one vertex or box to the next; null for instances"},
    {"clipped", "boolean", "its buffers end before it"},
    {"unknown", "boolean", "its input could not be captured"},
    {"micromap", "boolean", "its triangles have opacity micromaps"},
    {"micromaps", "object?", "which of them have what; null without micromaps", micromap_members},
    {NULL}};

static const struct ws_field type_fields[] = {
    {"type", "top, bottom or generic", WS_TEXT, .value = structure_type}, {NULL}};

static const struct ws_field live_fields[] = {
    {"live", "whether it has a build for the last launch", WS_FLAG, .value = structure_live}, {NULL}};

static const struct ws_field content_fields[] = {
    {"content", "of its last build; structures with the same content hold\nthe same geometry", WS_COUNT,
     .flags = WS_DASH, .value = structure_content},
    {NULL}};

static const struct ws_field structure_fields[] = {
    {"id", "of the acceleration structure", WS_COUNT, .value = structure_id},
    {"name", "that the application gave it", WS_TEXT, .value = structure_name},
    {"device", "id of its device", WS_COUNT, .value = structure_device},
    {"address", "on the device", WS_TEXT, .flags = WS_RIGHT, .value = structure_address},
    {"geometries", "how many its last build has", WS_COUNT, .flags = WS_DASH | WS_FIGURE | WS_STEADY,
     .value = structure_geometries},
    {"built_of", "each geometry of its last build", .json = structure_geometries_json, .type = "object[]?",
     .members = geometry_members},
    {"flags", "of its last build", WS_TEXT, .value = structure_flags},
    {"bounds", "box around its last build: smallest x y z, largest x y z", WS_TEXT, .value = structure_bounds,
     .json = structure_bounds_json, .type = "number[]?"},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [TYPE] = {"type", "type of acceleration structure", type_fields},
    [LIVE] = {"live", "whether it has a build for the last launch", live_fields},
    [CONTENT] = {"content", "what was built last", content_fields, .same = ""},
    [STRUCTURE] = {"structure", "acceleration structure", structure_fields, .shown = "id name",
                   .same = "name", .implies = 1u << TYPE | 1u << LIVE | 1u << CONTENT},
    [DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct sums, member)

static const struct ws_field measures[] = {
    {"structures", "how many there are", WS_COUNT, AT(structures), .flags = WS_STEADY},
    {"bytes", "of structures on the device", WS_COUNT, AT(bytes), .better = WS_BETTER_LESS,
     .flags = WS_STEADY},
    {"primitives", "of last builds", WS_COUNT, .flags = WS_STEADY | WS_DASH, .value = sum_primitives},
    {"builds", "how often they were built anew", WS_COUNT, AT(builds), .better = WS_BETTER_LESS},
    {"updates", "how often they were updated", WS_COUNT, AT(updates)},
    {"copies", "to them", WS_COUNT, AT(copies)},
    {"instances", "of live top-level structures that refer to them", WS_COUNT, AT(instances),
     .flags = WS_STEADY},
    {NULL},
};

static const struct ws_level levels[] = {
    [BY_ALL] = {"total"},
    [BY_STRUCTURE] = {"structures", "Acceleration structures, by their last build", .by = 1u << STRUCTURE,
                      .text = "id name type live address bytes geometries primitives content builds "
                              "updates copies instances flags"},
    {NULL},
};

static const struct ws_columns columns = {
    dimensions,       measures, levels, sizeof(struct sums), .shown = NULL, .main = "bytes primitives builds",
    .weight = "bytes"};

static const char words[] =
    "A structure is an acceleration structure. Structures of equal content were built of\n"
    "the same input; spare is what instances of one of them would not need. Opacity\n"
    "micromaps say of a triangle, or of its parts, whether rays meet it and ask a shader.\n";

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct geometry_report *report = calloc(1, sizeof(*report));
    if (report == NULL)
        return NULL;
    report->rows = options->rows > 0 ? options->rows : ROWS_USUAL;
    report->groups = ws_groups_create(&columns, catalog, report, &options->view, error);
    if (report->groups != NULL)
        return report;
    free(report);
    return NULL;
}

static void destroy(void *results)
{
    struct geometry_report *report = results;
    ws_groups_destroy(report->groups);
    ws_geometry_finish(&report->geometry);
    free(report);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct geometry_report *report = results;
    return ws_geometry_record(&report->geometry, chunk, error);
}

static bool add_structure(struct geometry_report *report, uint32_t index)
{
    const struct ws_scene *scene = report->geometry.scene;
    const struct ws_scene_structure *structure = &scene->structures[index];
    const struct ws_scene_build *build = build_of(scene, index);
    const uint64_t keys[DIMENSIONS] = {
        [TYPE] = structure->type,
        [LIVE] = report->geometry.structures[index].live,
        [CONTENT] = build != NULL ? build->content : WS_NONE,
        [STRUCTURE] = index,
    };
    const struct sums sums = {
        .structures = 1,
        .bytes = structure->size,
        .primitives = build != NULL ? build->primitives : 0,
        .builds = structure->builds - structure->updates,
        .updates = structure->updates,
        .copies = structure->copies,
        .instances = report->geometry.structures[index].instances,
    };
    return ws_groups_add(report->groups, keys, &sums);
}

static bool end(void *results, struct ws_error *error)
{
    struct geometry_report *report = results;
    if (!ws_geometry_end(&report->geometry, error))
        return false;
    for (uint32_t i = 0; i < report->geometry.scene->structure_count; ++i)
        if (!add_structure(report, i))
            return no_memory(error);
    return true;
}

static const struct ws_groups *groups(const void *results)
{
    const struct geometry_report *report = results;
    return report->groups;
}

static void print_more(uint32_t count, uint32_t shown, FILE *stream)
{
    if (count > shown)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows all\n", count - shown);
}

static bool print_equals(const struct geometry_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {{"first", true},        {"name", false},
                                               {"structures", true},   {"primitives\neach", true},
                                               {"bytes\nspare", true}, {"primitives\nspare", true}};
    const struct ws_geometry_counts *geometry = &report->geometry;
    struct ws_table table;
    if (geometry->equal_count == 0)
        return true;
    fputs("\nEqual structures: instances of one would do\n", stream);
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < geometry->equal_count && i < report->rows; ++i) {
        const struct ws_geometry_equal *equal = &geometry->equals[i];
        ws_table_add(&table, "%" PRIu32, geometry->scene->structures[equal->first].id);
        ws_table_add(&table, "%s", geometry->scene->structures[equal->first].name);
        ws_table_add(&table, "%" PRIu32, equal->count);
        ws_table_add(&table, "%" PRIu64, equal->primitives);
        ws_table_add(&table, "%" PRIu64, equal->spare_bytes);
        ws_table_add(&table, "%" PRIu64, equal->spare_primitives);
    }
    const bool printed = !table.failed;
    if (printed)
        ws_table_print(&table, 2, stream);
    ws_table_finish(&table);
    print_more(geometry->equal_count, report->rows, stream);
    return printed;
}

/* "40 of level 4 and 4 states, 2 of level 3 and 2 states". */
static void usages_text(const struct ws_build_micromap *micromap, char text[TEXT_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < micromap->usage_count && used < TEXT_SIZE; ++i)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%" PRIu32 " of level %" PRIu32 " and %s",
                                 used > 0 ? ", " : "", micromap->usages[i].count, micromap->usages[i].level,
                                 micromap_format(micromap->usages[i].format));
}

static void add_micromap(struct ws_table *table, const struct ws_scene_structure *structure, uint32_t index,
                         const struct ws_scene_geometry *geometry)
{
    char text[TEXT_SIZE];
    const struct ws_micromap_counts *counts = &geometry->micromap_counts;
    const uint64_t *parts = counts->parts;
    const uint64_t unknown = parts[WS_MICROMAP_UNKNOWN_TRANSPARENT] + parts[WS_MICROMAP_UNKNOWN_OPAQUE];
    const uint64_t all = parts[WS_MICROMAP_TRANSPARENT] + parts[WS_MICROMAP_OPAQUE] + unknown;
    ws_table_add(table, "%" PRIu32, structure->id);
    ws_table_add(table, "%s", structure->name);
    ws_table_add(table, "%" PRIu32, index);
    for (uint32_t i = 0; i < WS_MICROMAP_STATES; ++i)
        ws_table_add(table, "%" PRIu64, counts->states[i]);
    if (all > 0)
        ws_table_add(table, "%.1f %%", 100.0 * (double)unknown / (double)all);
    else
        ws_table_add(table, "%s", "");
    usages_text(&geometry->micromap, text);
    ws_table_add(table, "%s", text);
}

/* Geometries of last builds with micromaps: how many triangles are what by them. */
static bool print_micromaps(const struct geometry_report *report, FILE *stream)
{
    static const struct ws_column columns[] = {{"id", true},
                                               {"name", false},
                                               {"geometry", true},
                                               {"fully\ntransparent", true},
                                               {"fully\nopaque", true},
                                               {"unknown,\ntransparent", true},
                                               {"unknown,\nopaque", true},
                                               {"mixed", true},
                                               {"with a\nmicromap", true},
                                               {"not\ncaptured", true},
                                               {"unknown\nparts", true},
                                               {"micromaps", false}};
    const struct ws_scene *scene = report->geometry.scene;
    struct ws_table table;
    uint32_t count = 0;
    ws_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < scene->structure_count; ++i) {
        const struct ws_scene_build *build = build_of(scene, i);
        for (uint32_t j = 0; build != NULL && j < build->geometry_count; ++j)
            if ((build->geometries[j].info.capture_flags & WS_GEOMETRY_MICROMAP) != 0 &&
                count++ < report->rows)
                add_micromap(&table, &scene->structures[i], j, &build->geometries[j]);
    }
    const bool printed = !table.failed;
    if (printed && count > 0) {
        fputs("\nOpacity micromaps: what triangles are by them; of the parts of micromaps that are captured, "
              "how\n"
              "many are unknown: there alone any-hit shaders run. With a micromap: what is in it is not "
              "captured\n",
              stream);
        ws_table_print(&table, 2, stream);
    }
    ws_table_finish(&table);
    print_more(count, report->rows, stream);
    return printed;
}

static void print_problems(const struct ws_scene *scene, FILE *stream)
{
    if (scene->problem_count > 0)
        fputs("\nProblems of the geometry\n", stream);
    for (uint32_t i = 0; i < scene->problem_count; ++i) {
        fprintf(stream, "  %" PRIu64 " ", scene->problems[i].count);
        ws_text_print(stream, scene->problems[i].text);
        fputc('\n', stream);
    }
}

/* Equal structures. */
static bool add_findings(const void *results, struct ws_findings *findings)
{
    const struct ws_geometry_counts *geometry = &((const struct geometry_report *)results)->geometry;
    if (geometry->equal_count == 0 || geometry->live_bytes == 0)
        return true;
    const struct ws_finding finding = {
        .kind = WS_FINDING_LOSS,
        .of = WS_FINDING_OF_BYTES,
        .size = (double)geometry->spare_bytes / (double)geometry->live_bytes,
        .cause = WS_CAUSE_EQUAL,
        .title = "Acceleration structures that hold the same",
        .text = ws_findings_text(
            findings, "Instances of one would do: %" PRIu64 " of %" PRIu64 " byte%s of structures are spare.",
            geometry->spare_bytes, geometry->live_bytes, ws_plural(geometry->live_bytes, "s")),
    };
    return ws_findings_add(findings, &finding);
}

static const char *nothing(const void *results)
{
    const struct geometry_report *report = results;
    return report->geometry.scene->structure_count > 0 ? NULL : "no acceleration structure was made";
}

static bool text(const void *results, FILE *stream)
{
    const struct geometry_report *report = results;
    const struct ws_geometry_counts *geometry = &report->geometry;
    const struct ws_scene *scene = geometry->scene;
    if (nothing(results) != NULL) {
        fprintf(stream, "\nGeometry: %s\n", nothing(results));
        return true;
    }
    fprintf(
        stream,
        "\nGeometry\n"
        "  structures: %" PRIu32 ", live at the last launch: %" PRIu32 ", of %" PRIu64 " bytes\n"
        "  builds: %" PRIu64 ", updates: %" PRIu64 ", copies: %" PRIu64 ", different contents: %" PRIu32 "\n"
        "  bytes of input: %" PRIu64 ", and %" PRIu64 " more that repeat some of these\n",
        scene->structure_count, geometry->live, geometry->live_bytes, geometry->builds - geometry->updates,
        geometry->updates, geometry->copies, scene->content_count, scene->blob_bytes, scene->shared_bytes);
    if (geometry->equal_count > 0)
        fprintf(stream, "  spared if equal structures were one: %" PRIu64 " bytes, primitives: %" PRIu64 "\n",
                geometry->spare_bytes, geometry->spare_primitives);
    const bool printed = ws_groups_text(report->groups, BY_STRUCTURE, stream) &&
                         print_micromaps(report, stream) && print_equals(report, stream);
    print_problems(scene, stream);
    return printed;
}

static const struct ws_member equal_members[] = {
    {"first", "integer", "id of the first of them"},
    {"content", "integer", "what they hold: the same number in the table `structures`"},
    {"structures", "integer", "how many hold it"},
    {"primitives", "integer", "of each"},
    {"spare_bytes", "integer", "bytes of all but one"},
    {"spare_primitives", "integer", "primitives of all but one"},
    {NULL}};

static const struct ws_member problem_members[] = {
    {"count", "integer", "how often it was met"}, {"text", "string", "what it is"}, {NULL}};

static const struct ws_member members[] = {
    {"live", "integer", "structures that have a build for the last launch"},
    {"live_bytes", "integer", "of these on the device"},
    {"contents", "integer", "different contents of builds"},
    {"input_bytes", "integer", "bytes that structures were built of, each content once"},
    {"input_bytes_shared", "integer", "more bytes, which repeat some of these"},
    {"spare_bytes", "integer", "bytes that would be spared if equal structures were one"},
    {"spare_primitives", "integer", "primitives that would be spared so"},
    {"equal", "object[]", "structures that hold the same", equal_members},
    {"problems", "object[]", "what is wrong with the geometry", problem_members},
    {NULL}};

static void write_totals(const struct ws_geometry_counts *geometry, struct ws_json *json)
{
    const struct ws_scene *scene = geometry->scene;
    ws_json_member(json, "live", ws_json_integer_item(geometry->live));
    ws_json_member(json, "live_bytes", ws_json_integer_item(geometry->live_bytes));
    ws_json_member(json, "contents", ws_json_integer_item(scene->content_count));
    ws_json_member(json, "input_bytes", ws_json_integer_item(scene->blob_bytes));
    ws_json_member(json, "input_bytes_shared", ws_json_integer_item(scene->shared_bytes));
    ws_json_member(json, "spare_bytes", ws_json_integer_item(geometry->spare_bytes));
    ws_json_member(json, "spare_primitives", ws_json_integer_item(geometry->spare_primitives));
}

static bool json(const void *results, struct ws_json *json)
{
    const struct geometry_report *report = results;
    const struct ws_geometry_counts *geometry = &report->geometry;
    const struct ws_scene *scene = geometry->scene;
    write_totals(geometry, json);
    ws_json_open_list(json, "equal");
    for (uint32_t i = 0; i < geometry->equal_count; ++i) {
        const struct ws_geometry_equal *equal = &geometry->equals[i];
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "first", scene->structures[equal->first].id);
        ws_json_integer(object, "content",
                        scene->builds[ws_scene_build_at(scene, equal->first, scene->last)].content);
        ws_json_integer(object, "structures", equal->count);
        ws_json_integer(object, "primitives", equal->primitives);
        ws_json_integer(object, "spare_bytes", equal->spare_bytes);
        ws_json_integer(object, "spare_primitives", equal->spare_primitives);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    ws_json_open_list(json, "problems");
    for (uint32_t i = 0; i < scene->problem_count; ++i) {
        cJSON *object = cJSON_CreateObject();
        ws_json_integer(object, "count", scene->problems[i].count);
        cJSON_AddStringToObject(object, "text", scene->problems[i].text);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    return !json->failed;
}

extern const struct ws_analysis ws_analysis_geometry;

const struct ws_analysis ws_analysis_geometry = {
    .name = "geometry",
    .no_shaders = "acceleration structures are built by no shader",
    .summary =
        "acceleration structures: what they were built of, which hold the same, what is wrong with them",
    .columns = &columns,
    .words = words,
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end,
    .groups = groups,
    .findings = add_findings,
    .nothing = nothing,
    .text = text,
    .members = members,
    .json = json,
};
