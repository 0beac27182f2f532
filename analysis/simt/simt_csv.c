/* The report of SIMT efficiency as one CSV table, one line per thing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/csv.h"
#include "analysis/simt/simt_report.h"
#include "passes/spirv/code.h"

#define NAME_SIZE 256

const char ws_simt_csv_help[] =
    "  level                total, launch, pipeline, stage, shader, block or opcode\n"
    "  id                   launch index; pipeline or shader id; of a block its shader's id; opcode "
    "number\n"
    "  name                 of a launch its label; of a pipeline, shader or opcode its name\n"
    "  stage                of a stage, shader or block\n"
    "  block                label id of the block, and\n"
    "  file, line           where it begins in the source, if known\n"
    "  executions           block executions by warps\n"
    "  threads              block executions in stages that are counted per thread\n"
    "  active_lanes         sum of active lanes over executions\n"
    "  lane_slots           sum of subgroup sizes over executions; empty where it is withheld\n"
    "  efficiency           active_lanes / lane_slots, 0 to 1; empty where it is withheld\n"
    "  efficiency_weighted  the same, weighted by the blocks' instructions\n"
    "  partial_warps        share of lane slots lost on entry; launched stages only\n"
    "  instructions         dynamic instruction count: sum of active lanes x instructions\n"
    "  withheld             why efficiencies are empty\n"
    "  histogram            LANES:EXECUTIONS pairs, separated by spaces\n";

/* What stands before the numbers. Empty texts and 0 for what a level does not have. */
struct line {
    const char *level;
    uint64_t id;
    const char *name;
    const char *stage;
    uint32_t block;
    const char *file;
    uint32_t line;
};

static void put_share(enum ws_simt_doubt doubt, double value, FILE *stream)
{
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, "%.9g", value);
    fputc(',', stream);
}

static void put_head(const struct line *line, FILE *stream)
{
    fprintf(stream, "%s,%" PRIu64 ",", line->level, line->id);
    ws_csv_text(stream, line->name);
    fprintf(stream, ",%s,", line->stage);
    if (line->block > 0)
        fprintf(stream, "%" PRIu32, line->block);
    fputc(',', stream);
    ws_csv_text(stream, line->file);
    fputc(',', stream);
    if (line->line > 0)
        fprintf(stream, "%" PRIu32, line->line);
    fputc(',', stream);
}

static bool put_line(const struct line *line, const struct ws_simt_counts *counts,
                     const struct ws_simt_histogram *histogram, FILE *stream)
{
    char text[NAME_SIZE];
    double value = 0;
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    put_head(line, stream);
    fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", counts->warps, counts->threads, counts->active);
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, "%" PRIu64, counts->slots);
    fputc(',', stream);
    put_share(doubt, value, stream);
    enum ws_simt_doubt weighted_doubt = ws_simt_efficiency_weighted(counts, &value);
    put_share(weighted_doubt, value, stream);
    enum ws_simt_doubt partial_doubt = ws_simt_partial(counts, &value);
    put_share(partial_doubt, value, stream);
    fprintf(stream, "%" PRIu64 ",", counts->instructions);
    ws_csv_text(stream, ws_simt_doubt_text(doubt, counts, text, sizeof(text)));
    fputc(',', stream);
    char *bins = ws_histogram_text(histogram);
    if (bins == NULL)
        return false;
    fprintf(stream, "%s\n", bins);
    free(bins);
    return true;
}

static bool put_group(const struct line *line, const struct ws_simt_group *group, FILE *stream)
{
    return put_line(line, &group->counts, &group->histogram, stream);
}

static bool put_pipelines(const struct ws_simt_results *results, FILE *stream)
{
    bool put = true;
    for (uint32_t i = 0; i < results->pipeline_count && put; ++i) {
        char name[NAME_SIZE];
        ws_catalog_pipeline_name(results->catalog, i, name, sizeof(name));
        struct line line = {"pipeline", results->catalog->pipelines[i].id, name, "", 0, "", 0};
        put = put_group(&line, &results->pipelines[i].group, stream);
    }
    return put;
}

static bool put_stages(const struct ws_simt_results *results, FILE *stream)
{
    bool put = true;
    for (uint32_t i = 0; i < WS_STAGE_COUNT && put; ++i) {
        struct line line = {"stage", 1u << i, "", ws_stage_name(1u << i), 0, "", 0};
        if (results->stages[i].counts.warps > 0 || results->stages[i].counts.threads > 0)
            put = put_group(&line, &results->stages[i], stream);
    }
    return put;
}

static bool put_blocks(const struct ws_simt_results *results, uint32_t shader, FILE *stream)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    const struct ws_entry_record *entry = ws_catalog_entry(results->catalog, shader);
    bool put = true;
    for (uint32_t i = 0; entry != NULL && i < entry->block_count && put; ++i) {
        const struct ws_block_record *block =
            &results->catalog->modules[record->module].blocks[entry->blocks[i]];
        struct ws_simt_counts counts;
        struct ws_simt_histogram histogram;
        struct line line = {"block",
                            record->id,
                            "",
                            ws_stage_name(record->stage),
                            block->info.label,
                            block->file != NULL ? block->file : "",
                            block->line};
        ws_simt_block(results, shader, entry->blocks[i], &counts, &histogram);
        if (block->row != WS_NONE)
            put = put_line(&line, &counts, &histogram, stream);
    }
    return put;
}

static bool put_shaders(const struct ws_simt_results *results, FILE *stream)
{
    bool put = true;
    for (uint32_t i = 0; i < results->shader_count && put; ++i) {
        const struct ws_shader_record *shader = &results->catalog->shaders[i];
        char name[NAME_SIZE];
        ws_catalog_shader_name(results->catalog, i, name, sizeof(name));
        struct line line = {"shader", shader->id, name, ws_stage_name(shader->stage), 0, "", 0};
        put = put_group(&line, &results->shaders[i].group, stream);
    }
    for (uint32_t i = 0; i < results->shader_count && put; ++i)
        put = put_blocks(results, i, stream);
    return put;
}

static void put_opcodes(const struct ws_simt_results *results, FILE *stream)
{
    for (uint32_t i = 0; i < results->opcode_count; ++i) {
        const char *name = ws_opcode_name(results->opcodes[i].opcode);
        struct line line = {"opcode", results->opcodes[i].opcode, name != NULL ? name : "", "", 0, "", 0};
        put_head(&line, stream);
        fprintf(stream, ",,,,,,,%" PRIu64 ",,\n", results->opcodes[i].instructions);
    }
}

bool ws_simt_csv(const struct ws_simt_results *results, FILE *stream)
{
    struct line total = {"total", 0, "", "", 0, "", 0};
    fputs("level,id,name,stage,block,file,line,executions,threads,active_lanes,lane_slots,efficiency,"
          "efficiency_weighted,partial_warps,instructions,withheld,histogram\n",
          stream);
    bool put = put_group(&total, &results->total, stream);
    for (uint32_t i = 0; i < results->launch_count && put; ++i) {
        const struct ws_simt_launch *launch = &results->launches[i];
        struct line line = {"launch", launch->index, launch->label, "", 0, "", 0};
        put = put_group(&line, &launch->group, stream);
    }
    put =
        put && put_pipelines(results, stream) && put_stages(results, stream) && put_shaders(results, stream);
    put_opcodes(results, stream);
    return put;
}
