/* How the analysis `caches` is shown. */
#include "analysis/memory/caches_results.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/requests.h"
#include "warpscope/base/text.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

#define USUAL_DEVICE "rtx2080ti" /* of the paper whose model this is */

static struct ws_memory_place_info describe(const struct ws_memory_rows *rows, uint32_t module,
                                            uint32_t place)
{
    const struct ws_traced_access *access = &rows->catalog->modules[module].traces->accesses[place];
    return (struct ws_memory_place_info){.file = access->file,
                                         .line = access->line,
                                         .size = access->access.size,
                                         .kind = access->access.kind,
                                         .buffer = access->memory};
}

static uint32_t count_places(const struct ws_memory_rows *rows, uint32_t module)
{
    return rows->catalog->modules[module].traces->access_count;
}

static void thread_place(const struct ws_row *row, struct ws_value *value)
{
    uint32_t place[3];
    ws_work_key_place(row->key, place);
    if (place[2] > 0)
        ws_value_text(value, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, place[0], place[1], place[2]);
    else
        ws_value_text(value, "%" PRIu32 ",%" PRIu32, place[0], place[1]);
}

static void thread_axis(const struct ws_row *row, struct ws_value *value, uint32_t axis)
{
    uint32_t place[3];
    ws_work_key_place(row->key, place);
    ws_value_count(value, place[axis]);
}

static void thread_x(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 0);
}

static void thread_y(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 1);
}

static void thread_z(const struct ws_row *row, struct ws_value *value)
{
    thread_axis(row, value, 2);
}

static const struct ws_field thread_fields[] = {
    {"thread", "its work id, or pixel: as --thread takes it", WS_TEXT, .value = thread_place},
    {"x", "the same, by number", WS_COUNT, .value = thread_x},
    {"y", "the same", WS_COUNT, .value = thread_y},
    {"z", "the same", WS_COUNT, .value = thread_z},
    {NULL}};

static void time_part(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static const struct ws_field time_fields[] = {
    {"time", "part of the launch, from 0 on: of 50 with equally many requests, in their order", WS_COUNT,
     .value = time_part},
    {NULL}};

const struct ws_page *ws_caches_page(const void *pointer, uint64_t key)
{
    const struct ws_caches_results *results = pointer;
    return &results->pages.list[results->page_order[key]];
}

uint32_t ws_caches_page_count(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return results->page_order != NULL ? results->pages.count : 0;
}

const char *ws_caches_device(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return results->shape.name;
}

const struct ws_page_pictures *ws_caches_page_pictures(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return &results->page_pictures;
}

const struct ws_thread_pictures *ws_caches_thread_pictures(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return &results->pictures;
}

uint64_t ws_caches_left_out(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return results->left_out;
}

static void page_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void page_home(const struct ws_row *row, struct ws_value *value)
{
    char text[256];
    ws_page_home_text(row->catalog, ws_caches_page(row->user, row->key), text, sizeof(text));
    ws_value_text(value, "%s", text);
}

static void page_begin(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, ws_caches_page(row->user, row->key)->begin);
}

static void page_owners(const struct ws_row *row, struct ws_value *value)
{
    char text[1024];
    ws_page_owners_text(row->catalog, ws_caches_page(row->user, row->key), text, sizeof(text));
    ws_value_text(value, "%s", text);
}

static const struct ws_field page_fields[] = {
    {"page", "its number: pages that nothing touches have none", WS_COUNT, .value = page_number},
    {"page_of",
     "the allocation that it lies in, by its name or its number in the capture;\n"
     "where that is not known the buffer, by its name and binding in the shader",
     WS_TEXT, .value = page_home},
    {"page_begin", "byte of that at which it begins; of device addresses that are in no buffer the address",
     WS_COUNT, .value = page_begin},
    {"page_buffers", "buffers that were touched on it, by their names", WS_TEXT, .value = page_owners},
    {NULL}};

static void element_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (uint32_t)row->key); /* above that is its buffer */
}

static const struct ws_field element_fields[] = {
    {"element", "its number in the buffer: of a vertex, a face, a node, of what it is an array of", WS_COUNT,
     .value = element_number},
    {NULL}};

static const struct ws_built_array *array_of(const struct ws_row *row)
{
    return ws_built_array(row->catalog, (uint32_t)row->key);
}

static void built_structure(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t structure = array_of(row)->structure;
    const char *name = ws_structure_name(row->catalog, structure);
    if (name[0] != '\0')
        ws_value_text(value, "%s", name);
    else
        ws_value_text(value, "structure %" PRIu32, structure);
}

static void built_geometry(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, array_of(row)->geometry);
}

static void built_part(const struct ws_row *row, struct ws_value *value)
{
    static const char *const names[] = {[WS_BUILT_VERTICES] = "vertices",
                                        [WS_BUILT_CORNERS] = "vertices",
                                        [WS_BUILT_INDICES] = "indices",
                                        [WS_BUILT_BOXES] = "boxes"};
    ws_value_text(value, "%s", names[array_of(row)->kind]);
}

static const struct ws_field geometry_fields[] = {
    {"structure",
     "bottom-level acceleration structure that was built of it, by its name or its number in\n"
     "the capture; of several the first",
     WS_TEXT, .value = built_structure},
    {"geometry", "its number in that", WS_COUNT, .value = built_geometry},
    {"part", "vertices, indices or boxes (AABBs)", WS_TEXT, .value = built_part},
    {NULL}};

static void built_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (uint32_t)row->key); /* above that is its array */
}

static const struct ws_field vertex_fields[] = {
    {"vertex", "its number, from the first that the build of the geometry could use", WS_COUNT,
     .value = built_number},
    {NULL}};
static const struct ws_field face_fields[] = {
    {"face", "number of the triangle, whose indices these are (without indices its vertices), or of the AABB",
     WS_COUNT, .value = built_number},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_CACHES_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_CACHES_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_CACHES_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_CACHES_BY_STAGE},
    [WS_CACHES_BY_KIND] = {"access", "load, store or atomic", ws_memory_kind_fields},
    [WS_CACHES_BY_MEMORY] = {"memory", "storage buffer, device address, ...", ws_memory_memory_fields},
    [WS_CACHES_BY_BUFFER] = {"buffer", "buffer, by name and binding", ws_memory_buffer_fields},
    [WS_CACHES_BY_BOUND] = {"bound", "buffer of the application, as it was bound in the launch",
                            ws_memory_bound_fields, .same = "bound_name"},
    [WS_CACHES_BY_PLACE] = {"place", "access in the code of a shader", ws_memory_place_fields,
                            .shown = "place source size", .same = "source size", .of_code = true,
                            .implies = 1u << WS_CACHES_BY_SHADER | 1u << WS_CACHES_BY_KIND |
                                       1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER},
    [WS_CACHES_BY_THREAD] = {"thread", "each thread, or pixel: requests that it took part in", thread_fields,
                             .same = "thread"},
    [WS_CACHES_BY_TIME] = {"time", "parts of launches, 50 of equally many requests each", time_fields,
                           .same = "time"},
    [WS_CACHES_BY_PAGE] = {"page", "pages of the memory that was touched, as large as --page says",
                           page_fields, .shown = "page page_of page_buffers",
                           .same = "page_of page_begin page_buffers"},
    [WS_CACHES_BY_ELEMENT] = {"element", "elements of the arrays that buffers are: requests that touch them",
                              element_fields, .same = "element",
                              .implies = 1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER},
    [WS_CACHES_BY_GEOMETRY] = {"geometry",
                               "what acceleration structures were built of: requests that touch it",
                               geometry_fields, .shown = "structure geometry part",
                               .same = "structure geometry part"},
    [WS_CACHES_BY_VERTEX] = {"vertex", "vertices that acceleration structures were built of", vertex_fields,
                             .same = "vertex", .implies = 1u << WS_CACHES_BY_GEOMETRY},
    [WS_CACHES_BY_FACE] = {"face", "triangles by their indices, and AABBs, likewise", face_fields,
                           .same = "face", .implies = 1u << WS_CACHES_BY_GEOMETRY},
    [WS_CACHES_DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct ws_caches_sums, member)
#define OF(member) .of = offsetof(struct ws_caches_sums, member)

static const struct ws_field measures[] = {
    {"requests", "executions of accesses by warps", WS_COUNT, AT(requests)},
    {"lanes", "their active lanes", WS_COUNT, AT(lanes)},
    {"active", "lanes / (requests x lanes of a warp)", WS_SHARE, AT(lanes), OF(slots), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"bytes", "bytes that the lanes ask for", WS_COUNT, AT(bytes)},
    {"lane_bytes",
     "bytes / lanes: of images those of a texel, or of a block where it is compressed, times how\n"
     "many of them a sample touches",
     WS_RATIO, AT(bytes), OF(lanes), .flags = WS_DASH, .digits = 1},
    {"assumed", "requests of texels whose size is not known: 4 bytes are assumed", WS_COUNT, AT(assumed)},
    {"pointed", "requests of samples whose sampler is not known: they touch the texel that they point to",
     WS_COUNT, AT(pointed)},
    {"unmodelled", "requests of samples with anisotropy, cubic filters or YCbCr conversion: as linear ones",
     WS_COUNT, AT(unmodelled)},
    {"sectors", "distinct sectors of 32 bytes that requests touch", WS_COUNT, AT(sectors),
     .better = WS_BETTER_LESS},
    {"lines", "distinct lines of 128 bytes that requests touch", WS_COUNT, AT(lines),
     .better = WS_BETTER_LESS},
    {"l1_sectors", "sectors of loads, which ask an L1", WS_COUNT, AT(l1_sectors)},
    {"l1_hits", "those of them that the L1 has", WS_COUNT, AT(l1_hits)},
    {"l1_hit_rate", "l1_hits / l1_sectors", WS_SHARE, AT(l1_hits), OF(l1_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"l2_sectors", "sectors that ask the L2: misses of the L1, stores and atomics", WS_COUNT, AT(l2_sectors),
     .better = WS_BETTER_LESS},
    {"l2_hits", "those of them that the L2 has", WS_COUNT, AT(l2_hits)},
    {"l2_hit_rate", "l2_hits / l2_sectors", WS_SHARE, AT(l2_hits), OF(l2_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"memory_bytes", "bytes that the L2 reads from memory", WS_COUNT, AT(memory_bytes),
     .better = WS_BETTER_LESS},
    {"written_bytes", "bytes that the L2 writes to memory, of launches and in all", WS_COUNT,
     AT(written_bytes), .better = WS_BETTER_LESS},
    {NULL},
};

#define FIGURES                                                                                              \
    " requests lanes active bytes lane_bytes assumed pointed unmodelled sectors lines l1_sectors l1_hits "   \
    "l1_hit_rate "                                                                                           \
    "l2_sectors l2_hits "                                                                                    \
    "l2_hit_rate "                                                                                           \
    "memory_bytes"
#define SHOWN " requests sectors l1_hit_rate l2_sectors l2_hit_rate memory_bytes"

static const struct ws_level levels[] = {
    [WS_CACHES_TOTAL] = {"total", .data = FIGURES " written_bytes"},
    [WS_CACHES_LAUNCHES] = {"launches", "Launches", .by = 1u << WS_CACHES_BY_LAUNCH,
                            .text = "launch frame launch_kind label" SHOWN " written_bytes",
                            .data = "launch frame submission launch_kind launch_size label "
                                    "subgroup_size" FIGURES " written_bytes"},
    [WS_CACHES_SHADERS] = {"shaders", "Shaders", .by = 1u << WS_CACHES_BY_SHADER, .sort = "-sectors",
                           .text = "shader stage" SHOWN, .data = "shader_id shader stage" FIGURES},
    [WS_CACHES_MEMORIES] = {"memories", "Kinds of memory",
                            .by = 1u << WS_CACHES_BY_KIND | 1u << WS_CACHES_BY_MEMORY,
                            .text = "memory access" SHOWN, .data = "memory access" FIGURES},
    [WS_CACHES_BUFFERS] = {"buffers", "Buffers",
                           .by = 1u << WS_CACHES_BY_MEMORY | 1u << WS_CACHES_BY_BUFFER |
                                 1u << WS_CACHES_BY_BOUND,
                           .sort = "-memory_bytes,-sectors", .text = "buffer bound memory" SHOWN,
                           .data = "buffer bound bound_size allocation memory" FIGURES},
    [WS_CACHES_PLACES] = {"accesses", "Accesses, those that miss the L2 most first",
                          .by = 1u << WS_CACHES_BY_PLACE,
                          .sort = "-memory_bytes,-l2_sectors,-sectors,shader,place",
                          .text = "shader source which access buffer size" SHOWN,
                          .data = "shader_id shader stage place source file line access memory buffer "
                                  "size" FIGURES},
    {NULL},
};

const struct ws_columns ws_caches_columns = {dimensions,
                                             measures,
                                             levels,
                                             sizeof(struct ws_caches_sums),
                                             .shown = "requests sectors l1_hit_rate l2_hit_rate memory_bytes",
                                             .main = "l1_hit_rate l2_hit_rate memory_bytes"};

static void destroy(void *pointer)
{
    struct ws_caches_results *results = pointer;
    ws_memory_rows_finish(&results->rows);
    ws_thread_pictures_finish(&results->pictures);
    ws_part_pictures_finish(&results->time_pictures);
    ws_page_pictures_finish(&results->page_pictures);
    ws_page_table_finish(&results->pages);
    free(results->page_order);
    ws_built_sums_finish(&results->built);
    ws_groups_destroy(results->groups);
    free(results);
}

/* Finds out which levels are by thread, time, page or element. */
static bool find_details(struct ws_caches_results *results, struct ws_error *error)
{
    static const uint32_t code[] = {WS_CACHES_BY_STAGE, WS_CACHES_BY_SHADER, WS_CACHES_BY_KIND,
                                    WS_CACHES_BY_PLACE};
    for (uint32_t i = 0; i < WS_CACHES_DIMENSIONS; ++i) {
        const uint32_t detail = 1u << i & WS_CACHES_DETAILS;
        if (detail == 0 || !ws_groups_need(results->groups, detail))
            continue;
        results->details |= detail;
        for (size_t j = 0; j < sizeof(code) / sizeof(*code); ++j)
            results->details_of_code =
                results->details_of_code || ws_groups_need(results->groups, detail | 1u << code[j]);
    }
    if (ws_groups_need(results->groups, 1u << WS_CACHES_BY_THREAD | 1u << WS_CACHES_BY_PAGE))
        return ws_error_set(error, "caches does not know which thread touched which page: choose --by thread "
                                   "or --by page");
    const uint32_t alone[] = {1u << WS_CACHES_BY_THREAD, 1u << WS_CACHES_BY_PAGE, 1u << WS_CACHES_BY_ELEMENT,
                              WS_CACHES_BUILT};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); ++i)
        count += (results->details & alone[i]) != 0;
    if (count > 1)
        return ws_error_set(
            error, "caches tells of elements, vertices and faces for no thread or page alone: choose "
                   "one of --by element, --by vertex, --by face, --by thread and --by page");
    if (ws_groups_need(results->groups, 1u << WS_CACHES_BY_VERTEX | 1u << WS_CACHES_BY_FACE))
        return ws_error_set(error,
                            "caches does not know for which face a vertex was read: choose --by vertex or "
                            "--by face");
    return true;
}

void ws_caches_leave_out_curve(void *pointer)
{
    struct ws_caches_results *results = pointer;
    results->has_no_curve = true;
}

void ws_caches_keep_built(void *pointer)
{
    struct ws_caches_results *results = pointer;
    results->keeps_built = true;
    results->details = 1u << WS_CACHES_BY_VERTEX | 1u << WS_CACHES_BY_FACE;
}

const struct ws_caches_sums *ws_caches_built(const void *pointer, uint32_t array, uint32_t number,
                                             bool is_face)
{
    const struct ws_caches_results *results = pointer;
    return ws_built_sums_find(&results->built, array, number, is_face);
}

/* A line of the L1 lies on one page, so that what it hits is of one. */
static bool check_page(const struct ws_caches_results *results, struct ws_error *error)
{
    const uint32_t line = results->shape.l1.line_bytes;
    const bool is_needed = results->draws || (results->details & 1u << WS_CACHES_BY_PAGE) != 0;
    if (!is_needed || (line <= results->pages.bytes && line <= WS_REQUEST_PAGE))
        return true;
    return ws_error_set(error,
                        "pages of %" PRIu32 " bytes are too small for lines of %" PRIu32
                        " bytes in the L1; those may have up to %d, and pages no fewer",
                        results->pages.bytes, line, WS_REQUEST_PAGE);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_caches_results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->rows.catalog = catalog;
    results->rows.describe = describe;
    results->rows.count = count_places;
    results->selection = options->selection;
    results->compiled = options->compiled;
    results->lanes = options->lanes;
    results->curve.one_of = options->shards > 1 ? options->shards : 1;
    results->draws = options->plots;
    results->has_no_curve = options->summary;
    results->pages.bytes = options->page > 0 ? options->page : WS_PAGE_USUAL;
    results->page_pictures.page_bytes = results->pages.bytes;
    results->page_pictures.catalog = catalog;
    const char *device = options->caches != NULL ? options->caches : USUAL_DEVICE;
    if (ws_cache_shape_load(device, &results->shape, error))
        results->groups = ws_groups_create(&ws_caches_columns, catalog, results, &options->view, error);
    if (results->groups != NULL && find_details(results, error) && check_page(results, error))
        return results;
    destroy(results);
    return NULL;
}

/* Numbers the pages in their order. */
static bool end(void *pointer, struct ws_error *error)
{
    struct ws_caches_results *results = pointer;
    (void)error;
    if (results->pages.count == 0)
        return true;
    results->page_order = ws_page_table_order(&results->pages);
    uint32_t *numbers = calloc(results->pages.count, sizeof(*numbers));
    const bool ready = results->page_order != NULL && numbers != NULL;
    for (uint32_t i = 0; ready && i < results->pages.count; ++i)
        numbers[results->page_order[i]] = i;
    if (ready)
        ws_groups_renumber(results->groups, WS_CACHES_BY_PAGE, numbers);
    free(numbers);
    return ready;
}

static void attach(void *pointer, uint32_t user)
{
    struct ws_caches_results *results = pointer;
    results->user = user;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return results->groups;
}

static const struct ws_caches_sums *find_total(const struct ws_caches_results *results)
{
    static const struct ws_caches_sums none = {0};
    static const uint64_t keys[WS_CACHES_DIMENSIONS] = {0};
    const struct ws_caches_sums *total = ws_groups_find(results->groups, WS_CACHES_TOTAL, keys);
    return total != NULL ? total : &none;
}

static void print_rate(FILE *stream, const char *name, uint64_t hits, uint64_t sectors)
{
    fprintf(stream, "  %s  ", name);
    if (sectors > 0)
        fprintf(stream, "%.1f %% of %" PRIu64 " sectors hit\n", 100.0 * (double)hits / (double)sectors,
                sectors);
    else
        fputs("no sector was asked for\n", stream);
}

static double rate_of(const struct ws_caches_results *results, double hits)
{
    return hits / (double)results->curve.lines;
}

static void print_rates(const struct ws_caches_results *results, FILE *stream, const char *name,
                        const double *hits)
{
    fprintf(stream, "\n  %-8s", name);
    for (uint32_t i = 0; i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, "%6.1f %%", 100 * rate_of(results, hits[i]));
}

static void print_curve(const struct ws_caches_results *results, FILE *stream)
{
    const struct ws_size_curve *curve = &results->curve;
    fputs("\nOne LRU cache of another size instead", stream);
    if (curve->one_of > 1)
        fprintf(stream, ", estimated from one of %" PRIu32 " lines", curve->one_of);
    fputs("\n  size    ", stream);
    for (uint32_t i = 0; i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, i < 6 ? "%6" PRIu32 " K" : "%6" PRIu32 " M",
                i < 6 ? WS_CURVE_FIRST >> 10 << i : WS_CURVE_FIRST >> 10 << i >> 10);
    print_rates(results, stream, "hit rate", curve->full);
    if (curve->one_of <= 1)
        print_rates(results, stream, "16 ways", curve->ways);
    if (curve->one_of > 1)
        fputs("\n  error   ", stream);
    for (uint32_t i = 0; curve->one_of > 1 && i < WS_CURVE_SIZES; i += 2)
        fprintf(stream, "%6.1f %%", 100 * ws_size_curve_error(curve, i));
    fputc('\n', stream);
}

static const struct ws_member size_members[] = {
    {"bytes", "integer", "of one LRU cache with lines of 128 bytes"},
    {"hit_rate", "share?", "of the lines that requests touch, fully associative; null where there are none"},
    {"hit_rate_error", "share?", "its standard error where it is an estimate (--shards), else null"},
    {"hit_rate_16_ways", "share?", "the same with 16 ways; null where hit rates are estimates"},
    {"expected_16_ways", "share?", "the same, as reuse distances alone let one expect"},
    {NULL}};

static const struct ws_member members[] = {
    {"device", "string", "whose caches the figures are of"},
    {"compiled", "boolean", "accesses are as a compiler would leave them"},
    {"lanes", "integer?", "lanes of warps that are put together from neighbours; null = as recorded"},
    {"shards", "integer", "sizes are from one of so many lines; 1 = from all"},
    {"sizes", "object[]", "what one cache of each size would hit instead", size_members},
    {NULL}};

/* A rate of the accesses to lines, where there are some and it is known. */
static void add_rate(const struct ws_caches_results *results, cJSON *entry, const char *name, double rate,
                     bool known)
{
    if (results->curve.lines > 0 && known)
        ws_json_number(entry, name, rate);
    else
        cJSON_AddNullToObject(entry, name);
}

static void add_size(const struct ws_caches_results *results, cJSON *entry, uint32_t size)
{
    const struct ws_size_curve *curve = &results->curve;
    const bool estimated = curve->one_of > 1;
    ws_json_integer(entry, "bytes", (uint64_t)WS_CURVE_FIRST << size);
    add_rate(results, entry, "hit_rate", rate_of(results, curve->full[size]), true);
    add_rate(results, entry, "hit_rate_error", ws_size_curve_error(curve, size), estimated);
    add_rate(results, entry, "hit_rate_16_ways", rate_of(results, curve->ways[size]), !estimated);
    add_rate(results, entry, "expected_16_ways", rate_of(results, curve->expected[size]), true);
}

static bool json(const void *pointer, struct ws_json *json)
{
    const struct ws_caches_results *results = pointer;
    ws_json_member(json, "device", cJSON_CreateString(results->shape.name));
    ws_json_member(json, "compiled", cJSON_CreateBool(results->compiled));
    ws_json_member(json, "lanes",
                   results->lanes > 0 ? cJSON_CreateNumber(results->lanes) : cJSON_CreateNull());
    ws_json_member(json, "shards", cJSON_CreateNumber(results->curve.one_of));
    ws_json_open_list(json, "sizes");
    for (uint32_t i = 0; i < WS_CURVE_SIZES; ++i) {
        cJSON *entry = cJSON_CreateObject();
        add_size(results, entry, i);
        ws_json_element(json, entry);
    }
    ws_json_close_list(json);
    return !json->failed;
}

static bool text(const void *pointer, FILE *stream)
{
    const struct ws_caches_results *results = pointer;
    const struct ws_cache_shape *shape = &results->shape;
    const struct ws_caches_sums *total = find_total(results);
    fprintf(stream,
            "\nCaches: a model of those of %s\n"
            "  %" PRIu32 " multiprocessor%s with an L1 of %" PRIu32 " lines of %" PRIu32
            " bytes, one L2 of %" PRIu32 " lines of %" PRIu32 " bytes\n",
            shape->name, shape->multiprocessors, ws_plural(shape->multiprocessors, "s"), shape->l1.lines,
            shape->l1.line_bytes, shape->l2.lines, shape->l2.line_bytes);
    if (shape->tile > 0)
        fprintf(stream,
                "  warps of fragments and rays stay where their tile of %" PRIu32 " x %" PRIu32
                " pixels is\n",
                shape->tile, shape->tile);
    fputs(results->compiled
              ? "  accesses as a compiler would leave them\n"
              : "  accesses as SPIR-V has them; --compiled joins neighbours and drops repeated loads\n",
          stream);
    if (results->formed > 0)
        fprintf(stream, "  warps of %" PRIu32 " lanes, put together from neighbours: simulated\n",
                results->lanes);
    else if (results->lanes > 0)
        fprintf(stream, "  warps as they were recorded: none are put together to %" PRIu32 " lanes\n",
                results->lanes);
    else
        fputs("  warps as they were recorded; --lanes 32 puts neighbouring ones together\n", stream);
    print_rate(stream, "L1", total->l1_hits, total->l1_sectors);
    print_rate(stream, "L2", total->l2_hits, total->l2_sectors);
    fprintf(stream, "  %" PRIu64 " byte%s read from memory, %" PRIu64 " written to it\n", total->memory_bytes,
            total->memory_bytes == 1 ? " is" : "s are", total->written_bytes);
    if (total->assumed > 0)
        fprintf(stream, "  %" PRIu64 " request%s of texels whose size is not known: 4 bytes are assumed\n",
                total->assumed, total->assumed == 1 ? " is" : "s are");
    if (total->pointed > 0)
        fprintf(stream,
                "  %" PRIu64 " request%s of samples whose sampler is not known: they touch the texel that "
                "they point to\n",
                total->pointed, total->pointed == 1 ? " is" : "s are");
    if (total->unmodelled > 0)
        fprintf(stream,
                "  %" PRIu64 " request%s of samples with anisotropy, cubic filters or conversions: they "
                "count as linear ones\n",
                total->unmodelled, total->unmodelled == 1 ? " is" : "s are");
    if (results->curve.lines > 0)
        print_curve(results, stream);
    return ws_groups_text_all(results->groups, stream);
}

static const char *nothing(const void *pointer)
{
    const struct ws_caches_results *results = pointer;
    return results->recorded ? NULL : "no access to memory was recorded";
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_caches_results *results = pointer;
    const struct ws_catalog *catalog = results->rows.catalog;
    uint64_t unread = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        unread += catalog->modules[i].traces != NULL ? catalog->modules[i].traces->unread : 0;
    if (unread > 0)
        fprintf(stream,
                "  caches leaves %" PRIu64
                " sites out, whose records mean something else to this version: read the\n"
                "  capture with the Warpscope that recorded it\n",
                unread);
    if (results->kept > 0)
        fprintf(stream,
                "  caches leaves %" PRIu64 " warp%s unchanged, since warps of %" PRIu32
                " lanes cannot be put together from them\n",
                results->kept, ws_plural(results->kept, "s"), results->lanes);
    if (results->hurried > 0)
        fprintf(stream,
                "  caches runs %" PRIu64 " access%s without the neighbours of their warps: more would have "
                "waited than there is room for\n",
                results->hurried, ws_plural(results->hurried, "es"));
    if (results->pictures.left_out > 0)
        fprintf(stream,
                "  caches draws the first %d launches and buffers that are not too large, and leaves %" PRIu64
                " out\n",
                WS_THREAD_PICTURES_MAX, results->pictures.left_out);
    if (results->time_pictures.left_out > 0)
        fprintf(stream, "  caches draws the first %d launches over time, and leaves %" PRIu64 " out\n",
                WS_PART_PICTURES_MAX, results->time_pictures.left_out);
    if (results->page_pictures.left_out > 0)
        fprintf(stream,
                "  caches draws pages of the first %d launches, and %u pages in all, and leaves %" PRIu64
                " launch%s out: larger pages (--page) are fewer, --launch chooses a launch\n",
                WS_PAGE_PICTURES_MAX, WS_PAGE_PICTURES_PAGES, results->page_pictures.left_out,
                results->page_pictures.left_out == 1 ? "" : "es");
    if (results->left_out > 0)
        fprintf(
            stream,
            "  caches leaves %" PRIu64
            " requests out of rows by thread, time, page, element, vertex or face, for which there was no "
            "room: larger pages (--page), and fewer launches (--launch) need less\n",
            results->left_out);
    if ((results->details & WS_CACHES_BUILT) != 0 && ws_built_unknown(catalog) > 0)
        fprintf(
            stream,
            "  caches tells nothing of %" PRIu64
            " geometries, of which the capture does not say where they lay: they were built on the host, or\n"
            "  an older version recorded them\n",
            ws_built_unknown(catalog));
    if ((results->details & WS_CACHES_BUILT) != 0 && ws_built_count(catalog) == 0 &&
        ws_built_unknown(catalog) == 0)
        fputs("  caches knows of no geometry: the program builds no acceleration structures on the device, "
              "or was "
              "recorded\n  with --no-geometry\n",
              stream);
}

static bool plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_caches_results *results = pointer;
    return ws_part_pictures_draw(&results->time_pictures, plots, error) &&
           ws_page_pictures_draw(&results->page_pictures, plots, error) &&
           ws_thread_pictures_draw(&results->pictures, plots, error);
}

/* The buffer that most bytes of memory are read for; false where none is. */
static bool find_missed(const struct ws_caches_results *results, struct ws_row *missed)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_CACHES_BUFFERS); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_CACHES_BUFFERS, i, &row);
        const struct ws_caches_sums *sums = row.sums;
        if (sums->memory_bytes > most) {
            most = sums->memory_bytes;
            *missed = row;
        }
    }
    return most > 0;
}

/* The hit rates of all accesses, as the report has them, and what misses most. */
static bool add_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_caches_results *results = pointer;
    const struct ws_caches_sums *total = find_total(results);
    struct ws_row missed = {0};
    const char *most = "";
    const char *l2 = "";
    if (total->l1_sectors == 0)
        return true;
    if (total->l2_sectors > 0)
        l2 = ws_findings_text(findings, ", the L2 %.1f %% of those that come to it",
                              100 * (double)total->l2_hits / (double)total->l2_sectors);
    if (find_missed(results, &missed)) {
        const struct ws_caches_sums *sums = missed.sums;
        const char *buffer = results->rows.buffers[missed.keys[WS_CACHES_BY_BUFFER]];
        most = ws_findings_text(
            findings, " %" PRIu64 " bytes are read from memory, %.0f %% of them of %s.", total->memory_bytes,
            100 * (double)sums->memory_bytes / (double)total->memory_bytes,
            buffer != NULL ? buffer
                           : ws_access_memory_name((enum ws_access_memory)missed.keys[WS_CACHES_BY_MEMORY]));
    }
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "What caches hit",
        .text = ws_findings_text(findings, "In a model (%s) the L1 hits %.1f %% of its sectors%s.%s",
                                 results->shape.name,
                                 100 * (double)total->l1_hits / (double)total->l1_sectors, l2, most),
    };
    return ws_findings_add(findings, &finding);
}

static const char *const passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_caches = {
    .name = "caches",
    .summary = "what caches would make of the loads and stores",
    .answers = "which buffers and loads miss the caches",
    .passes = passes,
    .columns = &ws_caches_columns,
    .words =
        "The model has an L1 for each multiprocessor and one L2, as a device of your choice has (--caches).\n"
        "Warps run in the order in which the recorded device ran them, and each workgroup stays on one\n"
        "multiprocessor. Warps that are of no workgroup, as those of fragments and rays, go to the\n"
        "multiprocessors in turn: a device that gives each a tile of the picture finds more in its L1. A "
        "file\n"
        "of settings may say so: its line 'tile 16' keeps warps of 16 x 16 pixels on one.\n"
        "A device that runs few warps at once, as one in software does, finds more in its caches than one\n"
        "that runs thousands. Caches are empty where a launch begins. Loads and stores count as "
        "SPIR-V\n"
        "has them; with --compiled as a compiler leaves them. Buffers lie in their allocations as the\n"
        "application put them there, and share bytes where they overlap, also with what is reached by "
        "device\n"
        "address. Where several buffers are bound to one binding in a render pass, they count as one, and so "
        "do\n"
        "all records of a shader. Texels of images lie in tiles of a model (warpscope help memory): those of "
        "one\n"
        "image, level and layer side by side. They have the size that the format of the bound view says, "
        "and\n"
        "compressed ones that of their block. A sample touches what its sampler filters: up to eight texels\n"
        "of two levels, wrapped, mirrored or clamped; anisotropy is not modelled. Pages of 64 KiB follow "
        "each other in the order in which they "
        "are touched.\n"
        "--lanes 32 puts neighbouring warps together as one of 32 lanes: those of one workgroup, or of one "
        "row\n"
        "of rays. They go in step, and request together what they access at one place. Warps that part at a\n"
        "branch meet behind it.\n"
        "--shards 1/16 follows one of 16 lines for the rates of other sizes, which is faster, and says how "
        "far\n"
        "off they may be.\n"
        "--by element tells of each vertex, face, node or other element of the arrays that buffers are.\n"
        "--by vertex and --by face tell of what acceleration structures were built of, where shaders read it "
        "by\n"
        "themselves: each vertex, and each triangle by its indices. --by geometry tells of all in one. A "
        "request\n"
        "counts in full for each element, vertex and face that it touches, so these rows add up to more than "
        "all.\n"
        "--by thread,buffer tells of each thread, which is a pixel where a dispatch draws: of the requests "
        "that it\n"
        "took part in. --by launch,time cuts each launch into 50 parts of equally many requests, in their "
        "order.\n"
        "--by launch,page,time is a timeline of accesses: which of the pages that a launch touches it "
        "touches "
        "when.\n"
        "--plots draws all three, and the order of first accesses.\n",
    .create = create,
    .destroy = destroy,
    .attach = attach,
    .groups = groups,
    .replay = &ws_caches_replay,
    .nothing = nothing,
    .text = text,
    .end = end,
    .notes = notes,
    .findings = add_findings,
    .json = json,
    .members = members,
    .plots = plots,
};
