/* The analysis `memory_check`: whether the addresses of accesses are right, from the records of the pass memory_check.
 *
 * VALUE = one component of 8 to 64 bits that one lane loaded. ADDRESS = where one lies: its home (homes.h), and its first byte
 * there. Components of other widths at one place are other addresses.
 * SEVERAL = values of bindings that are one of several buffers: a render pass may draw with another one each time, and which
 * one a warp had is not known. They have no address.
 * CHECKED = values at addresses that nothing stored to in the launch. WRITTEN = the others. A store to one of several buffers
 * may be to any: then all values of the launch are.
 * CONFLICTS = checked values that differ from the first value at their address.
 *
 * A conflict means that two loads were taken for loads of one address, and were not: or that something outside of the launch
 * wrote there while it ran, or that the launch has several records of one shader in its binding table, or binds several buffers
 * to one binding and the capture does not say which.
 *
 * An address belongs to the access that loaded it first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/homes.h"
#include "analysis/memory/rows.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/pass.h"
#include "warpscope/passes.h"
#include "warpscope/report/analysis.h"
#include "warpscope/spirv/access.h"
#include "warpscope/spirv/pointers.h"

#define ADDRESS_WORDS 2

/* Dimensions and levels of the report. A place's key is that of ws_key_in_shader, its index in the module's sites. */
enum dimension { BY_LAUNCH, BY_STAGE, BY_SHADER, BY_BUFFER, BY_BOUND, BY_PLACE, DIMENSIONS };
enum level { TOTAL, LAUNCHES, BUFFERS, PLACES };

struct sums {
    uint64_t values;
    uint64_t addresses;
    uint64_t checked;
    uint64_t written;
    uint64_t several;
    uint64_t conflicts;
};

struct results {
    struct ws_memory_rows rows; /* first: what it has in common with other analyses of accesses */
    struct ws_groups *groups;   /* sums are struct sums */
    const struct ws_selection *selection;
    uint64_t values;
};

/* One address; or what one access loaded of several buffers. */
struct cell {
    uint32_t value; /* the first that was loaded */
    uint32_t shader;
    uint32_t site;  /* that loaded it; WS_NONE = none has */
    uint32_t bound; /* the buffer: ws_bound_find */
    bool written;
    bool is_several;
    uint64_t count; /* of values */
    uint64_t conflicts;
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct part {
    const struct results *results;
    const struct ws_launch_record *launch;
    struct ws_homes homes;
    struct ws_id_map names;  /* text of what has no binding -> number */
    struct ws_id_map spaces; /* key of a home, and of its 4 GiB -> number */
    struct ws_id_map ids;    /* key of an address -> index in `cells` */
    uint32_t name_count;
    uint32_t space_count;
    bool stores_anywhere; /* it stored to one of several buffers */
    struct cell *cells;
    uint32_t cell_count;
    uint32_t cell_capacity;
};

/* ---- records ---- */

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    ws_homes_finish(&part->homes);
    ws_id_map_finish(&part->names);
    ws_id_map_finish(&part->spaces);
    ws_id_map_finish(&part->ids);
    free(part->cells);
    free(part);
}

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct results *results = pointer;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->results = results;
    part->launch = launch;
    part->homes.catalog = results->rows.catalog;
    part->homes.launch = launch->index;
    return part;
}

static bool find_number(struct ws_id_map *map, uint64_t key, uint32_t *count, uint32_t *number)
{
    if (ws_id_map_get(map, key, number))
        return true;
    *number = (*count)++;
    return ws_id_map_put(map, key, *number);
}

/* The cell of an address; NULL when there is no memory. */
static struct cell *find_cell(struct part *part, uint64_t key)
{
    uint32_t index = 0;
    if (ws_id_map_get(&part->ids, key, &index))
        return &part->cells[index];
    struct cell *cells =
        ws_array_grow(part->cells, &part->cell_capacity, part->cell_count + 1, sizeof(*cells));
    if (cells == NULL)
        return NULL;
    part->cells = cells;
    index = part->cell_count++;
    cells[index] = (struct cell){.site = WS_NONE};
    return ws_id_map_put(&part->ids, key, index) ? &cells[index] : NULL;
}

/* An access of one lane. */
struct touch {
    uint32_t shader;
    uint32_t site;
    uint32_t tag;
    struct ws_placed_buffer buffer;
    uint32_t element;
    const uint32_t *words; /* of the record */
    uint32_t value_count;
};

/* Where a lane's access lies. Memory without a binding has the same name in all shaders. A shader record is another one for
 * each shader. */
static bool find_home(struct part *part, const struct touch *touch, struct ws_home *home)
{
    const enum ws_access_memory memory = (enum ws_access_memory)WS_TAG_MEMORY_ACCESS_MEMORY(touch->tag);
    struct ws_placed_buffer buffer = touch->buffer;
    uint64_t name = (uint64_t)(uintptr_t)buffer.memory + 1;
    if (memory == WS_MEMORY_ADDRESS)
        return ws_homes_address(&part->homes, touch->words[0] | (uint64_t)touch->words[1] << 32, home);
    if (memory == WS_MEMORY_SHADER_RECORD)
        name = UINT64_C(1) << 63 | touch->shader;
    if (!buffer.is_bound && !find_number(&part->names, name, &part->name_count, &buffer.variable))
        return false;
    if (!ws_homes_element(&part->homes, touch->shader, 0, &buffer, touch->element, home))
        return false;
    home->byte += touch->words[0];
    return true;
}

/* Whether it is one of several buffers, and not the same byte of all. */
static bool is_one_of_several(const struct ws_home *home)
{
    return home->bound.resource == WS_BOUND_SEVERAL && home->bound.memory == WS_BOUND_UNKNOWN;
}

/* The key of component 0: those of the next ones are by their bytes larger. Components of each width are apart. Of one of
 * several buffers all values of an access have one key. */
static bool find_key(struct part *part, const struct touch *touch, const struct ws_home *home, uint64_t *key)
{
    const uint32_t unit = WS_TAG_MEMORY_ACCESS_UNIT(touch->tag);
    const uint64_t width = unit == 1 ? 0 : unit == 2 ? 1 : unit == 4 ? 2 : 3;
    uint32_t space = 0;
    if (is_one_of_several(home)) {
        *key = UINT64_C(1) << 63 | (uint64_t)(touch->shader & 0x7fffffff) << 32 | touch->site;
        return true;
    }
    if (!find_number(&part->spaces, home->key + (home->byte >> 32), &part->space_count, &space))
        return false;
    *key = (uint64_t)(space & 0x1fffffff) << 34 | (home->byte & UINT32_MAX) << 2 | width;
    return true;
}

static void see_value(struct cell *cell, const struct touch *touch, const struct ws_home *home,
                      uint32_t value)
{
    if (cell->site == WS_NONE) {
        cell->value = value;
        cell->shader = touch->shader;
        cell->site = touch->site;
        cell->bound = home->bound.resource;
        cell->is_several = is_one_of_several(home);
    }
    cell->count++;
    cell->conflicts += value != cell->value;
}

/* A store is of all components that its size has room for; a load of those whose values there are. */
static bool see(struct part *part, const struct touch *touch)
{
    const uint32_t unit = WS_TAG_MEMORY_ACCESS_UNIT(touch->tag);
    const bool loads = WS_TAG_MEMORY_ACCESS_KIND(touch->tag) == WS_ACCESS_LOAD;
    const uint32_t count = loads ? touch->value_count : WS_TAG_MEMORY_ACCESS_SIZE(touch->tag) / unit;
    struct ws_home home;
    uint64_t key = 0;
    if (!ws_budget_spend((uint64_t)WS_STEPS_WORD * (count + 1)) || !find_home(part, touch, &home) ||
        !find_key(part, touch, &home, &key))
        return false;
    const bool is_several = is_one_of_several(&home);
    part->stores_anywhere = part->stores_anywhere || (is_several && !loads);
    for (uint32_t i = 0; i < count && (loads || !is_several); ++i) {
        struct cell *cell = find_cell(part, is_several ? key : key + ((uint64_t)i * unit << 2));
        if (cell == NULL)
            return false;
        if (loads)
            see_value(cell, touch, &home, touch->words[ADDRESS_WORDS + i]);
        else
            cell->written = true;
    }
    return true;
}

static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[context->shader].module];
    const uint32_t count = ws_lanes_count(lanes);
    struct ws_placed_buffer buffer = {.memory = NULL};
    bool seen = true;
    if (module->memories != NULL) {
        const struct ws_bound_place *place = &module->bound_places[site];
        buffer = (struct ws_placed_buffer){.memory = module->memories[site],
                                           .is_bound = place->set != WS_NONE,
                                           .set = place->set,
                                           .binding = place->binding};
    }
    if (words_per_lane < ADDRESS_WORDS || words_per_lane > WS_DATA_WORDS_MAX)
        return true;
    for (uint32_t i = 0; seen && i < count; ++i) {
        const uint32_t *lane = words + (size_t)i * words_per_lane;
        struct touch touch = {.shader = context->shader,
                              .site = site,
                              .tag = module->sites[site].info.tag,
                              .buffer = buffer,
                              .element = lane[1],
                              .words = lane,
                              .value_count = words_per_lane - ADDRESS_WORDS};
        const struct ws_placed_buffer *placed = ws_placed_buffer(module->placed, lane[1]);
        if (placed != NULL && buffer.memory != NULL && strcmp(buffer.memory, WS_MEMORY_SEVERAL) == 0) {
            touch.element = lane[1] & WS_PLACE_ELEMENT_MASK;
            touch.buffer = *placed;
        }
        seen = see(part, &touch);
    }
    return seen;
}

static bool add_cell(struct results *results, const struct part *part, const struct cell *cell)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[cell->shader].module];
    uint32_t buffer = 0;
    if (!ws_memory_rows_buffer(&results->rows, module->memories != NULL ? module->memories[cell->site] : NULL,
                               &buffer))
        return false;
    const uint64_t keys[DIMENSIONS] = {
        [BY_LAUNCH] = part->launch->index, [BY_STAGE] = ws_key_stage(catalog->shaders[cell->shader].stage),
        [BY_SHADER] = cell->shader,        [BY_BUFFER] = buffer,
        [BY_BOUND] = cell->bound,          [BY_PLACE] = ws_key_in_shader(cell->shader, cell->site),
    };
    const bool written = cell->written || part->stores_anywhere;
    const bool checked = !written && !cell->is_several;
    const struct sums sums = {.values = cell->count,
                              .addresses = cell->is_several ? 0 : 1,
                              .checked = checked ? cell->count : 0,
                              .written = written && !cell->is_several ? cell->count : 0,
                              .several = cell->is_several ? cell->count : 0,
                              .conflicts = checked ? cell->conflicts : 0};
    results->values += cell->count;
    return ws_groups_add(results->groups, keys, &sums);
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    const struct part *part = from;
    bool merged = true;
    for (uint32_t i = 0; merged && i < part->cell_count; ++i)
        if (part->cells[i].site != WS_NONE &&
            ws_selection_runs(results->selection, threads->launch->index, part->cells[i].shader))
            merged = add_cell(results, part, &part->cells[i]);
    return merged;
}

static const struct ws_replay_operations operations = {
    .pass = WS_PASS_MEMORY_CHECK,
    .create = part_create,
    .destroy = part_destroy,
    .data = data,
    .merge = merge,
    .in_order = true,
};

/* ---- how it is shown ---- */

#define OF_ANOTHER_PASS UINT32_MAX /* no kind of access: such a site is like no load */

static struct ws_memory_place_info describe(const struct ws_memory_rows *rows, uint32_t module, uint32_t site)
{
    const struct ws_module_record *code = &rows->catalog->modules[module];
    const struct ws_site_record *record = &code->sites[site];
    const bool is_ours = record->info.pass == ws_catalog_pass(code, WS_PASS_MEMORY_CHECK);
    return (struct ws_memory_place_info){.file = record->file,
                                         .line = record->line,
                                         .size = WS_TAG_MEMORY_ACCESS_SIZE(record->info.tag),
                                         .kind = is_ours ? WS_TAG_MEMORY_ACCESS_KIND(record->info.tag)
                                                         : OF_ANOTHER_PASS,
                                         .buffer = code->memories != NULL ? code->memories[site] : NULL};
}

static uint32_t count_places(const struct ws_memory_rows *rows, uint32_t module)
{
    return rows->catalog->modules[module].site_count;
}

static const struct ws_dimension dimensions[] = {
    [BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [BY_STAGE] = {WS_DIMENSION_STAGE},
    [BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << BY_STAGE},
    [BY_BUFFER] = {"buffer", "buffer, by name and binding", ws_memory_buffer_fields},
    [BY_BOUND] = {"bound", "buffer of the application, as it was bound in the launch",
                  ws_memory_bound_fields},
    [BY_PLACE] = {"place", "load in the code of a shader", ws_memory_place_fields,
                  .shown = "place source which size", .same = "source size", .of_code = true,
                  .implies = 1u << BY_SHADER | 1u << BY_BUFFER},
    [DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct sums, member)

static const struct ws_field measures[] = {
    {"values", "components that lanes loaded", WS_COUNT, AT(values)},
    {"addresses", "distinct places of these", WS_COUNT, AT(addresses)},
    {"checked", "values at addresses that nothing stored to in the launch", WS_COUNT, AT(checked)},
    {"written", "values at the other addresses", WS_COUNT, AT(written)},
    {"several", "values of one of several buffers: which one is not known", WS_COUNT, AT(several)},
    {"conflicts", "checked values that differ from the first at their address", WS_COUNT, AT(conflicts),
     .better = WS_BETTER_LESS},
    {NULL},
};

#define FIGURES " values addresses checked written several conflicts"

static const struct ws_level levels[] = {
    [TOTAL] = {"total", "All", .text = FIGURES, .data = FIGURES},
    [LAUNCHES] = {"launches", "Launches", .by = 1u << BY_LAUNCH,
                  .text = "launch frame launch_kind label" FIGURES,
                  .data = "launch frame submission launch_kind launch_size label" FIGURES},
    [BUFFERS] = {"buffers", "Buffers", .by = 1u << BY_BUFFER | 1u << BY_BOUND, .sort = "-conflicts,-values",
                 .text = "buffer bound" FIGURES, .data = "buffer bound bound_size allocation" FIGURES},
    [PLACES] = {"accesses", "Loads, those with most conflicts first", .by = 1u << BY_PLACE,
                .sort = "-conflicts,-values,shader,place", .text = "shader source which buffer size" FIGURES,
                .data = "shader_id shader stage place source file line buffer size" FIGURES},
    {NULL},
};

static const struct ws_columns columns = {
    dimensions,         measures, levels, sizeof(struct sums), .shown = "values addresses conflicts",
    .main = "conflicts"};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    ws_memory_rows_finish(&results->rows);
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->rows.catalog = catalog;
    results->rows.describe = describe;
    results->rows.count = count_places;
    results->selection = options->selection;
    results->groups = ws_groups_create(&columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct results *results = pointer;
    return results->groups;
}

static const char *nothing(const void *pointer)
{
    const struct results *results = pointer;
    return results->values > 0 ? NULL : "no load of memory was recorded";
}

static const char *const passes[] = {WS_PASS_MEMORY_CHECK, NULL};

extern const struct ws_analysis ws_analysis_memory_check;

const struct ws_analysis ws_analysis_memory_check = {
    .name = "memory_check",
    .summary = "whether addresses of loads are right: one address, one value",
    .answers = "whether figures of memory can be trusted",
    .passes = passes,
    .columns = &columns,
    .words = "A value is one component that a lane loaded. At an address that nothing stores to in the "
             "launch, all\n"
             "values are equal, or Warpscope found a wrong address: that is a conflict, and a fault of "
             "Warpscope.\n"
             "Where a render pass binds several buffers to one binding, values have no address, and are not\n"
             "checked. Traces with several records of a shader have conflicts without a fault.\n",
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .replay = &operations,
    .nothing = nothing,
};
