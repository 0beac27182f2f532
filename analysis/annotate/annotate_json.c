/* The annotated shader as JSON, for the viewer's page and for `warpscope annotate --json`. Members of a shader:
 *
 *     shader_id, shader, stage, module     as in reports; the module's hash in hexadecimal
 *     instrumented                         false: it has no figures
 *     executions, efficiency, doubt        of the shader; null where not known. `doubt` says why efficiency is withheld
 *     lines       [{
 *         text
 *         number, file                     in its file; index in `files`. Absent: it has none
 *         executions, efficiency, doubt    of the line (simt/lines.h). Absent: it has no code that was counted
 *         counted: false                   it has code that has no counters
 *         histogram                        executions by active lanes: the first of 1 lane, the second of 2, ...
 *         thread_executions, share         of all its instructions (simt/hotspots.h), and of those of the capture
 *         lanes {all, active, control_flow, indirect_call, early_return, partial_warp, helper_lanes}
 *                                          why lanes were idle: lanes, summed over the executions. Those of 0 are absent
 *         yields [{probe, output, kind, count, value}]
 *                                          what probes yielded there (yields/probes.h); value null where the kind has none
 *         memory [{buffer, access, requests, lanes, bytes, sectors, lines, l1_sectors, l1_hits, l2_sectors, l2_hits,
 *                  memory_bytes}]          what caches made of its accesses (memory/caches.h), by buffer and kind; buffer null
 *                                          where it is not known
 *         blocks, begins                   indices of blocks with code in it; of those that begin here
 *         place: [file, line]              of an instruction: where it comes from in the source
 *     }]
 *     yields      [{probe, output, kind, count, value}]    of the whole shader: outputs per shader. Absent: none
 *     yields_elsewhere [...]   of places that no line stands for. Absent: none
 *     form        "source", "glsl", "spirv"
 *     files       [{name, text: whether the module holds it}]
 *     blocks      [{index, block (id of the label), part, function (id), name (of the function), instructions,
 *                   executions, efficiency, thread_executions, file, line, line_last}]
 *
 * LANES OF A LINE are those of the blocks that its executions come from (ws_lines_count), from the analysis divergence:
 * slots of a block / its instructions. So active / all is the line's efficiency, where both passes recorded all. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/annotate_memory.h"
#include "analysis/annotate/annotate_yields.h"
#include "analysis/simt/hotspots.h"
#include "analysis/trace/divergence.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"

struct writer {
    const struct ws_annotate_figures_of *of;
    struct ws_json *json;
    bool element;
    uint32_t file; /* of the lines that come; WS_NONE = none */
    struct ws_annotate_yields yields;
    struct ws_annotate_memory memory;
};

static void add_efficiency(cJSON *object, const struct ws_simt_counts *counts)
{
    char text[256];
    double value = 0;
    const enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    if (doubt == WS_SIMT_SURE)
        ws_json_number(object, "efficiency", value);
    else
        cJSON_AddNullToObject(object, "efficiency");
    if (doubt != WS_SIMT_SURE && doubt != WS_SIMT_NOTHING)
        cJSON_AddStringToObject(object, "doubt", ws_simt_doubt_text(doubt, counts, text, sizeof(text)));
}

static void add_share(cJSON *object, const struct writer *writer, uint64_t thread_executions)
{
    const struct ws_hotspots *hotspots = writer->of->hotspots;
    ws_json_integer(object, "thread_executions", thread_executions);
    if (hotspots != NULL && hotspots->thread_executions > 0)
        ws_json_number(object, "share", (double)thread_executions / (double)hotspots->thread_executions);
}

static void write_head(void *user, const struct ws_annotation *annotation)
{
    struct writer *writer = user;
    const struct ws_catalog *catalog = annotation->catalog;
    const struct ws_shader_record *shader = &catalog->shaders[annotation->shader];
    char hash[20];
    if (!ws_annotate_yields_find(&writer->yields, writer->of->probes, annotation) ||
        !ws_annotate_memory_find(&writer->memory, writer->of->caches, annotation))
        writer->json->failed = true;
    if (writer->element)
        ws_json_open_element(writer->json);
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "shader_id", shader->id);
    cJSON_AddStringToObject(object, "shader", ws_shader_name(catalog, annotation->shader));
    cJSON_AddStringToObject(object, "stage", ws_stage_name(shader->stage));
    snprintf(hash, sizeof(hash), "%016" PRIx64, catalog->modules[shader->module].hash);
    cJSON_AddStringToObject(object, "module", hash);
    cJSON_AddBoolToObject(object, "instrumented", shader->entry != WS_NONE);
    if (shader->entry != WS_NONE && annotation->results != NULL) {
        const struct ws_simt_counts *counts = &annotation->results->shaders[annotation->shader].counts;
        ws_json_integer(object, "executions", ws_simt_sum(counts->warps, counts->threads));
        add_efficiency(object, counts);
    } else {
        cJSON_AddNullToObject(object, "executions");
        cJSON_AddNullToObject(object, "efficiency");
    }
    ws_json_members(writer->json, object);
    ws_json_open_list(writer->json, "lines");
}

static void set_file(void *user, const struct ws_annotation *annotation, uint32_t file)
{
    struct writer *writer = user;
    (void)annotation;
    writer->file = file;
}

static cJSON *index_list(const uint32_t *indices, uint32_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < count; ++i)
        ws_json_append(list, ws_json_integer_item(indices[i]));
    return list;
}

static cJSON *histogram_list(const struct ws_simt_histogram *histogram)
{
    cJSON *list = cJSON_CreateArray();
    uint32_t bins = histogram->bins;
    while (bins > 0 && histogram->counts[bins - 1] == 0)
        bins--;
    for (uint32_t i = 0; i < bins; ++i)
        ws_json_append(list, ws_json_integer_item(histogram->counts[i]));
    return list;
}

/* The histogram of a line: that of the blocks that its executions come from. */
static void add_histogram(cJSON *object, const struct ws_annotation *annotation,
                          const struct ws_annotate_line *line, struct ws_json *json)
{
    struct ws_simt_histogram sum = {NULL, 0};
    for (uint32_t i = 0; i < line->counted_count; ++i) {
        struct ws_simt_counts counts;
        struct ws_simt_histogram histogram;
        ws_simt_block(annotation->results, annotation->shader, line->counted[i], &counts, &histogram);
        if (!ws_simt_histogram_add(&sum, histogram.counts, histogram.bins, 1))
            json->failed = true;
    }
    if (sum.bins > 0)
        ws_json_add(object, "histogram", histogram_list(&sum));
    ws_simt_histogram_finish(&sum);
}

static void add_lanes(cJSON *object, const struct writer *writer, const struct ws_annotation *annotation,
                      const struct ws_annotate_line *line)
{
    const struct ws_module_record *module =
        &annotation->catalog->modules[annotation->catalog->shaders[annotation->shader].module];
    struct ws_divergence_counts sum = {0};
    for (uint32_t i = 0; i < line->counted_count; ++i) {
        const uint64_t instructions = module->blocks[line->counted[i]].info.instruction_count;
        const struct ws_divergence_counts *counts =
            ws_divergence_block(writer->of->divergence, annotation->shader, line->counted[i]);
        if (counts == NULL || instructions == 0)
            continue;
        sum.slots += counts->slots / instructions;
        sum.active += counts->active / instructions;
        sum.control_flow += counts->control_flow / instructions;
        sum.indirect_call += counts->indirect_call / instructions;
        sum.early_return += counts->early_return / instructions;
        sum.partial_warp += counts->partial_warp / instructions;
        sum.helper_lane += counts->helper_lane / instructions;
    }
    if (sum.slots == 0)
        return;
    const struct {
        const char *name;
        uint64_t lanes;
    } members[] = {{"all", sum.slots},
                   {"active", sum.active},
                   {"control_flow", sum.control_flow},
                   {"indirect_call", sum.indirect_call},
                   {"early_return", sum.early_return},
                   {"partial_warp", sum.partial_warp},
                   {"helper_lanes", sum.helper_lane}};
    cJSON *lanes = cJSON_AddObjectToObject(object, "lanes");
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); ++i)
        if (members[i].lanes > 0)
            ws_json_integer(lanes, members[i].name, members[i].lanes);
}

static void add_text(cJSON *object, const struct ws_annotate_line *line, struct ws_json *json)
{
    char *text = malloc(line->length + 1);
    if (text == NULL) {
        json->failed = true;
        return;
    }
    memcpy(text, line->text, line->length);
    text[line->length] = '\0';
    ws_text_repair(text, line->length);
    cJSON_AddStringToObject(object, "text", text);
    free(text);
}

static void add_figures(cJSON *object, const struct writer *writer, const struct ws_annotation *annotation,
                        const struct ws_annotate_line *line)
{
    const struct ws_simt_counts *counts = &line->figures.counts;
    if (line->figures.counted) {
        ws_json_integer(object, "executions", ws_simt_sum(counts->warps, counts->threads));
        add_efficiency(object, counts);
        add_histogram(object, annotation, line, writer->json);
        if (line->has_cost)
            add_share(object, writer, line->cost);
    } else {
        cJSON_AddFalseToObject(object, "counted");
    }
    if (writer->of->divergence != NULL)
        add_lanes(object, writer, annotation, line);
    if (line->block_count > 0)
        ws_json_add(object, "blocks", index_list(line->blocks, line->block_count));
    if (line->begin_count > 0)
        ws_json_add(object, "begins", index_list(line->begins, line->begin_count));
}

static void add_yield(cJSON *object, const char *name, const struct writer *writer,
                      const struct ws_annotate_yield *yield)
{
    const struct ws_probes_output *output = &writer->of->probes->outputs[yield->output];
    cJSON *list = cJSON_GetObjectItem(object, name);
    cJSON *item = cJSON_CreateObject();
    double value = 0;
    if (list == NULL)
        list = cJSON_AddArrayToObject(object, name);
    cJSON_AddStringToObject(item, "probe", ws_probes_name(writer->of->probes, output));
    cJSON_AddStringToObject(item, "output", output->output->name);
    cJSON_AddStringToObject(item, "kind", ws_yield_kind_name(output->output->shape.kind));
    ws_json_integer(item, "count", yield->sums.count);
    if (ws_probes_value(output, &yield->sums, &value) && isfinite(value))
        ws_json_number(item, "value", value);
    else
        cJSON_AddNullToObject(item, "value");
    ws_json_append(list, item);
}

static void add_yields(cJSON *object, struct writer *writer, const struct ws_annotate_line *line)
{
    struct ws_annotate_yield yield;
    for (uint32_t at = 0; ws_annotate_yields_next(&writer->yields, writer->file, line, &at, &yield);)
        add_yield(object, "yields", writer, &yield);
}

/* What caches made of the accesses of a line. */
static void add_memory(cJSON *object, const struct writer *writer, const struct ws_annotate_line *line)
{
    struct ws_annotate_access access;
    cJSON *list = NULL;
    for (uint32_t at = 0; ws_annotate_memory_next(&writer->memory, writer->file, line, &at, &access);) {
        const struct ws_caches_sums *sums = &access.sums;
        const struct {
            const char *name;
            uint64_t value;
        } members[] = {{"requests", sums->requests}, {"lanes", sums->lanes},
                       {"bytes", sums->bytes},       {"sectors", sums->sectors},
                       {"lines", sums->lines},       {"l1_sectors", sums->l1_sectors},
                       {"l1_hits", sums->l1_hits},   {"l2_sectors", sums->l2_sectors},
                       {"l2_hits", sums->l2_hits},   {"memory_bytes", sums->memory_bytes}};
        cJSON *item = cJSON_CreateObject();
        if (access.buffer != NULL)
            cJSON_AddStringToObject(item, "buffer", access.buffer);
        else
            cJSON_AddNullToObject(item, "buffer");
        cJSON_AddStringToObject(item, "access", ws_access_kind_name(access.kind));
        for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); ++i)
            ws_json_integer(item, members[i].name, members[i].value);
        if (list == NULL)
            list = cJSON_AddArrayToObject(object, "memory");
        ws_json_append(list, item);
    }
}

/* What stands beside the lines. */
static void add_yields_beside(cJSON *object, const struct writer *writer,
                              const struct ws_annotation *annotation)
{
    struct ws_annotate_yield yield;
    for (uint32_t at = 0; ws_annotate_yields_whole(&writer->yields, annotation, &at, &yield);)
        add_yield(object, "yields", writer, &yield);
    for (uint32_t at = 0; ws_annotate_yields_rest(&writer->yields, &at, &yield);)
        add_yield(object, "yields_elsewhere", writer, &yield);
}

static void write_line(void *user, const struct ws_annotation *annotation,
                       const struct ws_annotate_line *line)
{
    struct writer *writer = user;
    cJSON *object = cJSON_CreateObject();
    add_text(object, line, writer->json);
    if (line->number > 0)
        ws_json_integer(object, "number", line->number);
    if (writer->file != WS_NONE)
        ws_json_integer(object, "file", writer->file);
    if (line->figures.code)
        add_figures(object, writer, annotation, line);
    add_yields(object, writer, line);
    add_memory(object, writer, line);
    if (line->instruction != WS_NONE) {
        const struct ws_source_place *place = &annotation->code->places[line->instruction];
        if (place->file != WS_NONE && place->line > 0)
            ws_json_add(object, "place", index_list((const uint32_t[]){place->file, place->line}, 2));
    }
    ws_json_element(writer->json, object);
}

static cJSON *block_object(const struct writer *writer, const struct ws_annotation *annotation,
                           uint32_t index)
{
    const struct ws_module_record *module =
        &annotation->catalog->modules[annotation->catalog->shaders[annotation->shader].module];
    const struct ws_block_record *block = &module->blocks[index];
    const struct ws_function_record *function = ws_catalog_function(module, block->info.function);
    const struct ws_annotate_figures figures = ws_annotate_block(annotation, index);
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "index", index);
    ws_json_integer(object, "block", block->info.label);
    if (block->part > 0)
        ws_json_integer(object, "part", block->part);
    ws_json_integer(object, "function", block->info.function);
    if (function != NULL && function->name[0] != '\0')
        cJSON_AddStringToObject(object, "name", function->name);
    ws_json_integer(object, "instructions", block->info.instruction_count);
    if (figures.counted) {
        ws_json_integer(object, "executions", ws_simt_sum(figures.counts.warps, figures.counts.threads));
        add_efficiency(object, &figures.counts);
        add_share(object, writer, figures.counts.instructions);
    }
    if (block->file != NULL) {
        cJSON_AddStringToObject(object, "file", block->file);
        ws_json_integer(object, "line", block->line);
        ws_json_integer(object, "line_last", block->line_last);
    }
    return object;
}

static void write_end(void *user, const struct ws_annotation *annotation, enum ws_annotate_form form)
{
    struct writer *writer = user;
    const struct ws_entry_record *entry = ws_catalog_entry(annotation->catalog, annotation->shader);
    cJSON *object = cJSON_CreateObject();
    ws_json_close_list(writer->json);
    add_yields_beside(object, writer, annotation);
    ws_json_members(writer->json, object);
    ws_json_member(writer->json, "form", cJSON_CreateString(ws_annotate_form_name(form)));
    ws_json_open_list(writer->json, "files");
    for (uint32_t i = 0; i < annotation->code->file_count; ++i) {
        cJSON *file = cJSON_CreateObject();
        cJSON_AddStringToObject(file, "name", annotation->code->files[i].name);
        cJSON_AddBoolToObject(file, "text", annotation->code->files[i].text != NULL);
        ws_json_element(writer->json, file);
    }
    ws_json_close_list(writer->json);
    ws_json_open_list(writer->json, "blocks");
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; ++i)
        ws_json_element(writer->json, block_object(writer, annotation, entry->blocks[i]));
    ws_json_close_list(writer->json);
    if (writer->element)
        ws_json_close_element(writer->json);
}

bool ws_annotate_json(const struct ws_annotate_figures_of *figures, uint32_t shader,
                      const uint32_t *module_words, uint32_t word_count, enum ws_annotate_form form,
                      bool element, struct ws_json *json, struct ws_error *error)
{
    static const struct ws_annotate_sink sink = {write_head, set_file, write_line, write_end};
    struct writer writer = {.of = figures, .json = json, .element = element, .file = WS_NONE};
    const bool written = ws_annotate_into(figures->catalog, figures->simt, shader, module_words, word_count,
                                          form, &sink, &writer, error);
    ws_annotate_yields_finish(&writer.yields);
    ws_annotate_memory_finish(&writer.memory);
    return written && (!json->failed || ws_error_set(error, "no memory for the lines of the shader"));
}
