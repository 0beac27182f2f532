#include "analysis/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/texels/footprint.h"
#include "warpscope/base/text.h"
#include "warpscope/model/simt_counts.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/texels.h"
#include "warpscope/texel_shifts.h"

/* ---- places ---- */

static bool follow_catalog(struct ws_memory *results)
{
    const struct ws_catalog *catalog = results->rows.catalog;
    if (catalog->module_count <= results->module_count)
        return true;
    struct ws_memory_module *modules =
        ws_catalog_follow(results->modules, results->module_count, catalog->module_count,
                          catalog->module_capacity, sizeof(*modules));
    if (modules == NULL)
        return false;
    results->modules = modules;
    results->module_count = catalog->module_count;
    return true;
}

static bool is_banked(const struct ws_memory_place *place)
{
    return WS_TAG_MEMORY_ACCESS_MEMORY(place->tag) == WS_MEMORY_WORKGROUP;
}

static uint32_t size_of(const struct ws_memory_place *place)
{
    return WS_TAG_MEMORY_ACCESS_SIZE(place->tag);
}

static uint32_t sector_rows(const struct ws_memory_place *place)
{
    return ws_access_pieces(size_of(place), WS_TAG_MEMORY_ACCESS_UNIT(place->tag), WS_MEMORY_SECTOR);
}

/* How many pieces of so many bytes a fixed access touches (passes.h). */
static uint64_t fixed_pieces(const struct ws_memory_place *place, uint32_t bytes)
{
    return (WS_TAG_MEMORY_ACCESS_LOW(place->tag) % bytes + size_of(place) - 1) / bytes + 1;
}

/* How many rows an access has (passes.h). */
static uint32_t count_rows(const struct ws_memory_place *place)
{
    if (WS_TAG_MEMORY_ACCESS_IS_FIXED(place->tag))
        return 0;
    if ((place->tag & WS_TAG_MEMORY_ACCESS_SHIFTS) != 0)
        return WS_TEXEL_SHIFT_ROWS;
    if (is_banked(place))
        return (size_of(place) + WS_MEMORY_BANK - 1) / WS_MEMORY_BANK;
    return sector_rows(place) +
           ws_access_pieces(size_of(place), WS_TAG_MEMORY_ACCESS_UNIT(place->tag), WS_MEMORY_LINE);
}

/* False for a site that is no first row of an access, or of one that this build does not know. */
static bool read_site(const struct ws_site_record *site, uint32_t pass, struct ws_memory_place *place)
{
    const uint32_t tag = site->info.tag;
    if (site->info.pass != pass || site->info.kind != WS_SITE_ACCESS || (tag & 1) == 0 ||
        WS_TAG_MEMORY_ACCESS_KIND(tag) >= WS_ACCESS_KINDS ||
        WS_TAG_MEMORY_ACCESS_MEMORY(tag) >= WS_MEMORY_KINDS || WS_TAG_MEMORY_ACCESS_SIZE(tag) == 0 ||
        WS_TAG_MEMORY_ACCESS_SIZE(tag) > WS_ACCESS_SIZE_MAX)
        return false;
    *place =
        (struct ws_memory_place){.row = site->info.row, .block_row = WS_NONE, .tag = tag, .line = site->line};
    place->file = site->line != 0 ? site->file : NULL;
    place->row_count = count_rows(place);
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct ws_memory_place *const first = a;
    const struct ws_memory_place *const second = b;
    return (first->order > second->order) - (first->order < second->order);
}

/* The accesses that the pass counted in a module, and the rows of their blocks. One whose block was not counted, which the
 * report's foot tells, is left out: nothing is known of its lanes. */
static bool take_sites(struct ws_memory *results, uint32_t index)
{
    const struct ws_module_record *record = &results->rows.catalog->modules[index];
    struct ws_memory_module *module = &results->modules[index];
    const uint32_t pass = ws_catalog_pass(record, WS_PASS_MEMORY_ACCESS);
    uint32_t *rows = calloc((size_t)record->block_count + 1, sizeof(*rows)); /* per block: its row + 1 */
    module->places = calloc((size_t)record->site_count + 1, sizeof(*module->places));
    bool taken = rows != NULL && module->places != NULL;
    for (uint32_t i = 0; taken && pass != WS_NONE && i < record->site_count; ++i) {
        const struct ws_site_info *site = &record->sites[i].info;
        if (site->pass == pass && site->kind == WS_SITE_BLOCK && site->block < record->block_count)
            rows[site->block] = site->row + 1;
    }
    for (uint32_t i = 0; taken && pass != WS_NONE && i < record->site_count; ++i) {
        struct ws_memory_place *place = &module->places[module->place_count];
        const uint32_t block = record->sites[i].info.block;
        if (block >= record->block_count || rows[block] == 0 || !read_site(&record->sites[i], pass, place))
            continue;
        place->block_row = rows[block] - 1;
        place->order = (uint64_t)record->sites[i].info.offset << 32 | i;
        taken = ws_memory_rows_buffer(&results->rows, record->memories != NULL ? record->memories[i] : NULL,
                                      &place->buffer);
        place->bound =
            record->memories != NULL ? record->bound_places[i] : (struct ws_bound_place){.set = WS_NONE};
        if (record->memories != NULL)
            place->sampled = record->sampled_places[i];
        module->place_count++;
    }
    if (taken) /* sites are in the order in which functions are reached */
        qsort(module->places, module->place_count, sizeof(*module->places), compare_places);
    free(rows);
    return taken;
}

/* ---- counters ---- */

/* The sum of n x the executions that had n, over `count` rows from `row` on, and the executions. */
static uint64_t sum_rows(const struct ws_shader_counters *counters, uint32_t row, uint32_t count,
                         uint64_t *executions)
{
    const uint32_t *words = counters->words + (size_t)(row - counters->row_first) * counters->bins;
    uint64_t sum = 0;
    *executions = 0;
    for (uint64_t i = 0; i < (uint64_t)count * counters->bins; ++i) {
        const uint64_t times = ws_simt_product(words[i], ws_counters_weight(counters));
        *executions = ws_simt_sum(*executions, times);
        sum = ws_simt_sum(sum, ws_simt_product(times, i + 1));
    }
    return sum;
}

static bool has_rows(const struct ws_shader_counters *counters, uint32_t row, uint32_t count)
{
    return row >= counters->row_first && row - counters->row_first < counters->row_count &&
           count <= counters->row_count - (row - counters->row_first);
}

/* What was counted of an access that is not fixed. */
static void count_place(const struct ws_memory_place *place, const struct ws_shader_counters *counters,
                        struct ws_memory_sums *fact)
{
    uint64_t scattered = 0; /* requests of several sectors: those of one are in no row of lines (passes.h) */
    if (is_banked(place)) {
        fact->passes = sum_rows(counters, place->row, place->row_count, &fact->requests);
        return;
    }
    const uint32_t sectors = sector_rows(place);
    fact->sectors = sum_rows(counters, place->row, sectors, &fact->requests);
    const uint64_t lines = sum_rows(counters, place->row + sectors, place->row_count - sectors, &scattered);
    fact->lines = ws_simt_sum(lines, fact->requests > scattered ? fact->requests - scattered : 0);
}

/* The same of one that is: each execution of its block touches the same. */
static void count_fixed_place(const struct ws_memory_place *place, struct ws_memory_sums *fact)
{
    if (is_banked(place)) {
        fact->passes =
            ws_simt_product(fact->requests, (size_of(place) + WS_MEMORY_BANK - 1) / WS_MEMORY_BANK);
        return;
    }
    fact->sectors = ws_simt_product(fact->requests, fixed_pieces(place, WS_MEMORY_SECTOR));
    fact->lines = ws_simt_product(fact->requests, fixed_pieces(place, WS_MEMORY_LINE));
}

/* The format of the view that was bound where the shader does not say the size of its texels. False where it is not known. */
static bool find_format(const struct ws_memory *results, const struct ws_memory_place *place, uint64_t launch,
                        uint32_t shader, struct ws_texel_format *format)
{
    const uint32_t fixed = WS_TAG_MEMORY_ACCESS_IS_FIXED(place->tag);
    const bool is_counted = fixed || (place->tag & WS_TAG_MEMORY_ACCESS_SHIFTS) != 0;
    return (place->tag & WS_TAG_MEMORY_ACCESS_ASSUMED) != 0 && is_counted &&
           ws_texel_format_find(ws_bound_view(results->rows.catalog, launch, shader, &place->bound).format,
                                format);
}

/* Lanes whose shift is above `least`, summed over executions. */
static uint64_t sum_shifts(const struct ws_memory_place *place, const struct ws_shader_counters *counters,
                           uint32_t least)
{
    const uint32_t *words = counters->words + (size_t)(place->row - counters->row_first) * counters->bins;
    uint64_t sum = 0;
    for (uint32_t shift = least + 1; shift <= WS_TEXEL_SHIFTS; ++shift)
        sum = ws_simt_sum(sum, ws_simt_product(words[shift - 1], ws_counters_weight(counters)));
    return sum;
}

/* What was counted of texels in tiles of all sizes. `format`: NULL where it is not known. False where another size than its own
 * is taken: 4 bytes, or of blocks that are no tiles those of 4 x 4. */
static bool count_texels(const struct ws_memory_place *place, const struct ws_shader_counters *counters,
                         const struct ws_texel_format *format, struct ws_memory_sums *fact)
{
    static const struct ws_texel_format usual = {2, 1, 1};
    const struct ws_texel_format block = {format != NULL ? format->log2_size : 0, 4, 4};
    const bool is_solid = (place->tag & WS_TAG_MEMORY_ACCESS_SOLID) != 0;
    uint32_t sector = 0;
    uint32_t line = 0;
    const bool is_exact = format != NULL && ws_texel_shifts_find(format, is_solid, &sector, &line);
    if (!is_exact)
        ws_texel_shifts_find(format != NULL ? &block : &usual, false, &sector, &line);
    fact->sectors = sum_shifts(place, counters, sector);
    fact->lines = sum_shifts(place, counters, line);
    return is_exact;
}

/* Whether a sample touches another texel than counts, or may do so. */
static bool is_pointed(const struct ws_memory *results, const struct ws_memory_place *place, uint64_t launch,
                       uint32_t shader)
{
    if (!place->sampled.is_sampled || place->sampled.is_gather)
        return place->sampled.is_gather;
    const struct ws_bound_sampler bound =
        ws_bound_sampler(results->rows.catalog, launch, shader, &place->sampled.sampler);
    return bound.missing != 0 || !ws_footprint_is_pointed(&bound.sampler);
}

static bool add_place(struct ws_memory *results, uint64_t launch, uint32_t shader, uint32_t number,
                      const struct ws_shader_counters *counters)
{
    const struct ws_shader_record *record = &results->rows.catalog->shaders[shader];
    const struct ws_memory_place *place = &results->modules[record->module].places[number];
    struct ws_memory_sums fact = {0};
    uint64_t offset = 0;
    const bool fixed = WS_TAG_MEMORY_ACCESS_IS_FIXED(place->tag);
    if ((!fixed && !has_rows(counters, place->row, place->row_count)) ||
        !has_rows(counters, place->block_row, 1))
        return true;
    fact.lanes = sum_rows(counters, place->block_row, 1, &fact.requests);
    struct ws_texel_format format = {0};
    bool is_known = find_format(results, place, launch, shader, &format);
    const uint32_t size = is_known ? 1u << format.log2_size : size_of(place);
    if (fixed)
        count_fixed_place(place, &fact);
    else if ((place->tag & WS_TAG_MEMORY_ACCESS_SHIFTS) != 0)
        is_known = count_texels(place, counters, is_known ? &format : NULL, &fact);
    else
        count_place(place, counters, &fact);
    fact.banked = is_banked(place) ? fact.requests : 0;
    fact.moved = is_banked(place) ? 0 : fact.requests;
    results->counted = results->counted || fact.requests > 0;
    fact.bytes = ws_simt_product(fact.lanes, size);
    fact.moved_bytes = is_banked(place) ? 0 : fact.bytes;
    fact.images = WS_TAG_MEMORY_ACCESS_MEMORY(place->tag) == WS_MEMORY_IMAGE ? fact.requests : 0;
    fact.assumed = (place->tag & WS_TAG_MEMORY_ACCESS_ASSUMED) != 0 && !is_known ? fact.requests : 0;
    fact.pointed = is_pointed(results, place, launch, shader) ? fact.requests : 0;
    const uint64_t keys[WS_MEMORY_DIMENSIONS] = {
        [WS_MEMORY_BY_LAUNCH] = launch,
        [WS_MEMORY_BY_STAGE] = ws_key_stage(record->stage),
        [WS_MEMORY_BY_SHADER] = shader,
        [WS_MEMORY_BY_KIND] = WS_TAG_MEMORY_ACCESS_KIND(place->tag),
        [WS_MEMORY_BY_MEMORY] = WS_TAG_MEMORY_ACCESS_MEMORY(place->tag),
        [WS_MEMORY_BY_BUFFER] = place->buffer,
        [WS_MEMORY_BY_BOUND] =
            WS_TAG_MEMORY_ACCESS_MEMORY(place->tag) == WS_MEMORY_ADDRESS
                ? WS_BOUND_BY_ADDRESS
                : ws_bound_find(results->rows.catalog, launch, shader, &place->bound, &offset),
        [WS_MEMORY_BY_PLACE] = ws_key_in_shader(shader, number),
    };
    return ws_groups_add(results->groups, keys, &fact);
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_memory *results = pointer;
    bool recorded = follow_catalog(results);
    if (recorded && chunk->type == WS_CHUNK_SITES)
        recorded = take_sites(results, ws_catalog_module(results->rows.catalog, chunk->sites.module));
    for (uint32_t i = 0; recorded && chunk->type == WS_CHUNK_SUBMISSION && i < chunk->submission.launch_count;
         ++i) {
        const struct ws_launch *launch = &chunk->submission.launches[i];
        for (uint32_t j = 0; recorded && j < launch->shader_count; ++j) {
            const struct ws_shader_counters *counters = &launch->shaders[j];
            const uint32_t shader = ws_catalog_shader(results->rows.catalog, counters->shader);
            results->sampled = results->sampled || ws_counters_weight(counters) > 1;
            const struct ws_memory_module *module =
                &results->modules[results->rows.catalog->shaders[shader].module];
            for (uint32_t k = 0; recorded && k < module->place_count; ++k)
                recorded = add_place(results, launch->index, shader, k, counters);
        }
    }
    return recorded || ws_error_set(error, "no memory for the accesses of the capture");
}

/* ---- how it is shown ---- */

static struct ws_memory_place_info describe(const struct ws_memory_rows *rows, uint32_t module,
                                            uint32_t number)
{
    const struct ws_memory *results = (const struct ws_memory *)rows;
    const struct ws_memory_place *place = &results->modules[module].places[number];
    return (struct ws_memory_place_info){.file = place->file,
                                         .line = place->line,
                                         .size = size_of(place),
                                         .kind = WS_TAG_MEMORY_ACCESS_KIND(place->tag),
                                         .buffer = rows->buffers[place->buffer]};
}

static uint32_t count_places(const struct ws_memory_rows *rows, uint32_t module)
{
    return ((const struct ws_memory *)rows)->modules[module].place_count;
}

static const struct ws_dimension dimensions[] = {
    [WS_MEMORY_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_MEMORY_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_MEMORY_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_MEMORY_BY_STAGE},
    [WS_MEMORY_BY_KIND] = {"access", "load, store or atomic", ws_memory_kind_fields},
    [WS_MEMORY_BY_MEMORY] = {"memory", "storage buffer, workgroup, ...", ws_memory_memory_fields},
    [WS_MEMORY_BY_BUFFER] = {"buffer", "buffer or Workgroup variable, by name and binding",
                             ws_memory_buffer_fields},
    [WS_MEMORY_BY_BOUND] = {"bound", "buffer of the application, as it was bound in the launch",
                            ws_memory_bound_fields, .same = "bound_name"},
    [WS_MEMORY_BY_PLACE] = {"place", "access in the code of a shader", ws_memory_place_fields,
                            .shown = "place source size", .same = "source size", .of_code = true,
                            .implies = 1u << WS_MEMORY_BY_SHADER | 1u << WS_MEMORY_BY_KIND |
                                       1u << WS_MEMORY_BY_MEMORY | 1u << WS_MEMORY_BY_BUFFER},
    [WS_MEMORY_DIMENSIONS] = {NULL},
};

static const struct ws_memory_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

/* Bytes asked for by those moved. */
static bool find_used(const struct ws_memory_sums *sums, double *value)
{
    if (sums->sectors == 0)
        return false;
    *value = (double)sums->moved_bytes / ((double)sums->sectors * WS_MEMORY_SECTOR);
    return true;
}

static void used(const struct ws_row *row, struct ws_value *value)
{
    double found = 0;
    if (find_used(sums_of(row), &found))
        ws_value_real(value, found);
}

#define AT(member) .at = offsetof(struct ws_memory_sums, member)
#define OF(member) .of = offsetof(struct ws_memory_sums, member)

static const struct ws_field measures[] = {
    {"requests", "executions of accesses by warps", WS_COUNT, AT(requests)},
    {"lanes", "their active lanes", WS_COUNT, AT(lanes)},
    {"lanes_each", "lanes / requests", WS_RATIO, AT(lanes), OF(requests), .flags = WS_DASH, .digits = 1,
     .better = WS_BETTER_MORE},
    {"bytes", "bytes that the lanes ask for", WS_COUNT, AT(bytes)},
    {"lane_bytes", "bytes / lanes: of images those of a texel, or of a block where it is compressed",
     WS_RATIO, AT(bytes), OF(lanes), .flags = WS_DASH, .digits = 1},
    {"moved", "requests of buffers, device addresses and images", WS_COUNT, AT(moved)},
    {"sectors", "distinct sectors of 32 bytes that these touch", WS_COUNT, AT(sectors),
     .better = WS_BETTER_LESS},
    {"sectors_each", "sectors / moved", WS_RATIO, AT(sectors), OF(moved), .flags = WS_DASH,
     .better = WS_BETTER_LESS},
    {"lines", "distinct lines of 128 bytes that these touch", WS_COUNT, AT(lines), .better = WS_BETTER_LESS},
    {"lines_each", "lines / moved", WS_RATIO, AT(lines), OF(moved), .flags = WS_DASH,
     .better = WS_BETTER_LESS},
    {"used",
     "bytes asked for / bytes of the sectors: below 1 bytes are moved for nothing, above 1\n"
     "lanes ask for the same bytes",
     WS_RATIO, .flags = WS_DASH, .value = used, .better = WS_BETTER_MORE},
    {"banked", "requests of Workgroup memory", WS_COUNT, AT(banked)},
    {"passes", "passes over its 32 banks that these need", WS_COUNT, AT(passes), .better = WS_BETTER_LESS},
    {"passes_each", "passes / banked", WS_RATIO, AT(passes), OF(banked), .flags = WS_DASH,
     .better = WS_BETTER_LESS},
    {"assumed", "requests of texels whose size is not known: 4 bytes are assumed", WS_COUNT, AT(assumed)},
    {"pointed",
     "requests of samples that count as the texel that they point to, while their sampler\n"
     "filters, clamps or mirrors, or is not known, and of gathers: memory_trace has them right",
     WS_COUNT, AT(pointed)},
    {NULL},
};

#define FIGURES                                                                                              \
    " requests lanes lanes_each bytes lane_bytes moved sectors sectors_each lines lines_each used banked "   \
    "passes "                                                                                                \
    "passes_each assumed pointed"
#define SHOWN " requests lanes_each sectors_each lines_each used passes_each"

static const struct ws_level levels[] = {
    [WS_MEMORY_TOTAL] = {"total", .data = FIGURES},
    [WS_MEMORY_LAUNCHES] = {"launches", "Launches", .by = 1u << WS_MEMORY_BY_LAUNCH,
                            .text = "launch frame launch_kind label" SHOWN,
                            .data = "launch frame submission launch_kind launch_size label "
                                    "subgroup_size" FIGURES},
    [WS_MEMORY_SHADERS] = {"shaders", "Shaders", .by = 1u << WS_MEMORY_BY_SHADER, .sort = "-sectors",
                           .text = "shader stage" SHOWN, .data = "shader_id shader stage" FIGURES},
    [WS_MEMORY_MEMORIES] = {"memories", "Kinds of memory",
                            .by = 1u << WS_MEMORY_BY_KIND | 1u << WS_MEMORY_BY_MEMORY,
                            .text = "memory access" SHOWN, .data = "memory access" FIGURES},
    [WS_MEMORY_BUFFERS] = {"buffers", "Buffers",
                           .by = 1u << WS_MEMORY_BY_MEMORY | 1u << WS_MEMORY_BY_BUFFER |
                                 1u << WS_MEMORY_BY_BOUND,
                           .sort = "-sectors,-passes", .text = "buffer bound memory" SHOWN,
                           .data = "buffer bound bound_size allocation memory" FIGURES},
    [WS_MEMORY_PLACES] = {"accesses", "Accesses, those that touch most sectors first",
                          .by = 1u << WS_MEMORY_BY_PLACE, .sort = "-sectors,-passes,shader,place",
                          .filter = "requests > 0", .text = "shader source which access buffer size" SHOWN,
                          .data = "shader_id shader stage place source file line access memory buffer "
                                  "size" FIGURES},
    {NULL},
};

const struct ws_columns ws_memory_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_memory_sums),
    .shown = "requests lanes_each sectors_each lines_each used passes_each",
    .main = "used sectors passes_each"};

static void destroy(void *pointer)
{
    struct ws_memory *results = pointer;
    for (uint32_t i = 0; i < results->module_count; ++i)
        free(results->modules[i].places);
    free(results->modules);
    ws_memory_rows_finish(&results->rows);
    ws_groups_destroy(results->groups);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_memory *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->rows.catalog = catalog;
    results->rows.describe = describe;
    results->rows.count = count_places;
    results->groups = ws_groups_create(&ws_memory_columns, catalog, results, &options->view, error);
    if (results->groups != NULL)
        return results;
    destroy(results);
    return NULL;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_memory *results = pointer;
    return results->groups;
}

static const struct ws_memory_sums *find_total(const struct ws_memory *results)
{
    static const struct ws_memory_sums none = {0};
    static const uint64_t keys[WS_MEMORY_DIMENSIONS] = {0};
    const struct ws_memory_sums *total = ws_groups_find(results->groups, WS_MEMORY_TOTAL, keys);
    return total != NULL ? total : &none;
}

static const char *nothing(const void *pointer)
{
    const struct ws_memory *results = pointer;
    return results->counted ? NULL : "no access to memory was counted";
}

static bool text(const void *pointer, FILE *stream)
{
    const struct ws_memory *results = pointer;
    const struct ws_memory_sums *total = find_total(results);
    double found = 0;
    fputs("\nMemory\n", stream);
    if (results->sampled)
        fputs("  estimated: some warps counted for all (record --sample)\n", stream);
    if (!results->counted)
        fputs("  nothing was counted\n", stream);
    if (find_used(total, &found))
        fprintf(stream,
                "  %" PRIu64 " request%s of buffers%s: %.2f sectors of 32 bytes each, %.2f lines of 128\n"
                "  %.0f %% of these sectors' bytes were asked for%s\n",
                total->moved, ws_plural(total->moved, "s"), total->images > 0 ? " and images" : "",
                (double)total->sectors / (double)total->moved, (double)total->lines / (double)total->moved,
                100 * found, found > 1 ? ", so lanes share bytes" : "");
    if (total->banked > 0)
        fprintf(stream, "  %" PRIu64 " request%s of Workgroup memory: %.2f passes over its banks each\n",
                total->banked, ws_plural(total->banked, "s"), (double)total->passes / (double)total->banked);
    if (total->images > 0)
        fprintf(stream,
                "  %" PRIu64 " are of images, whose texels lie in tiles of a model (warpscope help memory)\n",
                total->images);
    if (total->assumed > 0)
        fprintf(stream, "  %" PRIu64 " are of texels whose size is not known: 4 bytes are assumed\n",
                total->assumed);
    if (total->pointed > 0)
        fprintf(
            stream,
            "  %" PRIu64 " are of samples that count as one texel, while their samplers filter or clamp, or "
            "are not known\n"
            "  record with pass memory_trace, and `report FILE caches` tells of all texels that they touch\n",
            total->pointed);
    return ws_groups_text_all(results->groups, stream);
}

/* From which use on a buffer is no finding, and from which share of all sectors on it is one. */
#define WELL_USED    0.5
#define LEAST_SHARE  0.1
#define LEAST_PASSES 2.0

/* The buffer of which most bytes are moved for nothing. */
static bool add_scattered(const struct ws_memory *results, struct ws_findings *findings)
{
    const struct ws_memory_sums *total = find_total(results);
    double most = LEAST_SHARE * (double)total->sectors * WS_MEMORY_SECTOR;
    struct ws_row worst = {0};
    double use = 0;
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_MEMORY_BUFFERS); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_MEMORY_BUFFERS, i, &row);
        if (!find_used(sums_of(&row), &use) || use >= WELL_USED)
            continue;
        const double lost = (1 - use) * (double)sums_of(&row)->sectors * WS_MEMORY_SECTOR;
        if (lost > most) {
            most = lost;
            worst = row;
        }
    }
    if (worst.sums == NULL)
        return true;
    const struct ws_memory_sums *sums = sums_of(&worst);
    const char *buffer = results->rows.buffers[worst.keys[WS_MEMORY_BY_BUFFER]];
    find_used(sums, &use);
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "Memory that is moved for nothing",
        .place = buffer != NULL
                     ? buffer
                     : ws_access_memory_name((enum ws_access_memory)worst.keys[WS_MEMORY_BY_MEMORY]),
        .text = ws_findings_text(
            findings,
            "Each access of a warp touches %.1f sectors of 32 bytes there, and asks for "
            "%.0f %% of their bytes; they are %.0f %% of all sectors. Where "
            "the compiler joins accesses of neighbours it is less: record with pass memory_trace, and "
            "`report FILE caches --compiled` tells.",
            (double)sums->sectors / (double)sums->moved, 100 * use,
            100 * (double)sums->sectors / (double)total->sectors),
    };
    return ws_findings_add(findings, &finding);
}

static bool add_conflicts(const struct ws_memory *results, struct ws_findings *findings)
{
    const struct ws_memory_sums *total = find_total(results);
    if (total->banked == 0 || (double)total->passes < LEAST_PASSES * (double)total->banked)
        return true;
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT,
        .title = "Bank conflicts in Workgroup memory",
        .text = ws_findings_text(findings, "Each request needs %.1f passes over its banks.",
                                 (double)total->passes / (double)total->banked),
    };
    return ws_findings_add(findings, &finding);
}

static bool add_findings(const void *results, struct ws_findings *findings)
{
    return add_scattered(results, findings) && add_conflicts(results, findings);
}

static const char *const passes[] = {WS_PASS_MEMORY_ACCESS, NULL};

const struct ws_analysis ws_analysis_memory = {
    .name = "memory",
    .summary = "how warps share what they load and store: sectors, lines, bank conflicts",
    .answers = "which loads and stores do not coalesce",
    .passes = passes,
    .columns = &ws_memory_columns,
    .words =
        "A request is one execution of one load, store or atomic by a warp. Its sectors are the distinct\n"
        "pieces of 32 bytes that its lanes touch, its lines those of 128 bytes. Buffers count as if they\n"
        "began at a multiple of 128 bytes. Passes: how often the busiest of 32 banks of 4 bytes must be\n"
        "asked. Accesses count as SPIR-V has them, before the driver's compiler joins or removes any.\n"
        "Where texels of images lie, each device has for itself. They count in a model: in tiles that\n"
        "are nearly square, of 4 x 2 texels of 4 bytes in a sector and 8 x 4 in a line; levels and layers\n"
        "are apart. A sample counts as the texel that it points to, at the nearest level, also where its\n"
        "sampler takes several: the column pointed says how many do, and memory_trace records what they\n"
        "touch. Where the shader\n"
        "does not say the size of texels, as of all that are sampled, the view that was bound does: of\n"
        "compressed formats it is that of a block. Where several formats may be meant, as where draws of "
        "one\n"
        "render pass differ, 4 bytes are assumed.\n",
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .findings = add_findings,
    .nothing = nothing,
    .text = text,
};
