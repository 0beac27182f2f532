/* The same as one CSV table. */
#include <inttypes.h>

#include "analysis/output/csv.h"
#include "analysis/report/report.h"
#include "analysis/trace/trace.h"

#define NAME_SIZE 384

const char ws_trace_csv_help[] =
    "  level        lifetimes: of a launched shader over all launches; launch: the\n"
    "               same of one; called: `value` executions of the shaders of a stage;\n"
    "               blocks: how many have a lifetime of `value` blocks; most: the largest\n"
    "               `value`s; step: of the trace of --thread or --warp, which is then all\n"
    "  launch   its number\n"
    "  shader, name, stage\n"
    "  of           threads or warps; of level most with what was counted: threads blocks,\n"
    "               warps shaders, ...; of level step: enter, block, end, cut, continue, repeat\n"
    "  number       of threads or warps; of step its depth, of repeat how often\n"
    "  value        blocks or shader executions; of step the block's label, of\n"
    "               repeat how many of the following lines\n"
    "  minimum, median, mean, ninety_percent, maximum   lifetimes\n"
    "  partial      warps that are not full\n"
    "  pattern      work ids of a warp, and\n"
    "  fitting      how many full warps are made so\n"
    "  work, warp   of level most; of step the lanes as a hexadecimal mask\n"
    "  note         what the figures leave out\n";

/* Level to stage; `launch` may be NULL. */
static void put_head(const struct ws_trace_results *results, const char *level, const uint64_t *launch,
                     uint32_t shader, FILE *stream)
{
    const struct ws_shader_record *record = &results->catalog->shaders[shader];
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    fprintf(stream, "%s,", level);
    if (launch != NULL)
        fprintf(stream, "%" PRIu64, *launch);
    fprintf(stream, ",%" PRIu32 ",", record->id);
    ws_csv_text(stream, name);
    fprintf(stream, ",%s,", ws_stage_name(record->stage));
}

static void put_summary(const char *of, const struct ws_trace_summary *summary, FILE *stream)
{
    fprintf(stream, "%s,%" PRIu64 ",,%" PRIu64 ",%" PRIu64 ",%.9g,%" PRIu64 ",%" PRIu64 ",", of,
            summary->total, summary->minimum, summary->median,
            summary->total > 0 ? (double)summary->sum / (double)summary->total : 0, summary->ninety,
            summary->maximum);
}

static void put_stage(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                      FILE *stream)
{
    char note[NAME_SIZE];
    ws_trace_note(stage->truncated > 0, stage->regrouped, stage->called, note, sizeof(note));
    for (uint32_t i = 0; i < 2; ++i) {
        const struct ws_trace_population *population = i == 0 ? &stage->threads : &stage->warps;
        put_head(results, "lifetimes", NULL, stage->shader, stream);
        put_summary(i == 0 ? "threads" : "warps", &population->summary, stream);
        fputs(",,,,,", stream);
        ws_csv_text(stream, note);
        fputc('\n', stream);
    }
}

static void put_shader(const struct ws_trace_results *results, const struct ws_trace_launch *launch,
                       const struct ws_trace_shader *launched, FILE *stream)
{
    char note[NAME_SIZE];
    char pattern[96];
    uint64_t fitting = 0;
    ws_trace_note(launch->truncated, launched->regrouped, 0, note, sizeof(note));
    put_head(results, "launch", &launch->index, launched->shader, stream);
    put_summary("threads", &launched->threads, stream);
    fputs(",,,,,", stream);
    ws_csv_text(stream, note);
    fputc('\n', stream);
    put_head(results, "launch", &launch->index, launched->shader, stream);
    put_summary("warps", &launched->warps, stream);
    fprintf(stream, "%" PRIu64 ",", launched->work.partial);
    if (ws_trace_no_map(launched->stage) == NULL) {
        ws_trace_work_map_text(&launched->work, pattern, sizeof(pattern), &fitting);
        ws_csv_text(stream, pattern);
        fprintf(stream, ",%" PRIu64, fitting);
    } else {
        fputc(',', stream);
    }
    fputs(",,,", stream);
    ws_csv_text(stream, note);
    fputc('\n', stream);
}

static void put_counts(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                       const char *of, const struct ws_trace_counts *counts, FILE *stream)
{
    for (uint32_t i = 0; i < counts->count; ++i) {
        put_head(results, "blocks", NULL, stage->shader, stream);
        fprintf(stream, "%s,%" PRIu64 ",%" PRIu64 ",,,,,,,,,,,\n", of, counts->counts[i].count,
                counts->counts[i].value);
    }
}

static void put_most(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                     const char *of, const struct ws_trace_most *most, FILE *stream)
{
    for (uint32_t i = 0; i < most->count; ++i) {
        const struct ws_trace_place *place = &most->places[i];
        char work[64];
        ws_trace_work_text(stage->stage, place->work, work, sizeof(work));
        put_head(results, "most", &place->launch, stage->shader, stream);
        fprintf(stream, "%s,,%" PRIu64 ",,,,,,,,,", of, place->value);
        ws_csv_text(stream, work);
        fprintf(stream, ",%" PRIu32 ",\n", place->warp);
    }
}

static void put_called(const struct ws_trace_results *results, const struct ws_trace_stage *stage,
                       FILE *stream)
{
    for (uint32_t i = 0; i < WS_TRACE_CALLED; ++i) {
        const char *called = ws_stage_name(ws_trace_called_stage(i));
        if (stage->warps.called[i] == 0)
            continue;
        put_head(results, "called", NULL, stage->shader, stream);
        fprintf(stream, "threads %s,,%" PRIu64 ",,,,,,,,,,,\n", called, stage->threads.called[i]);
        put_head(results, "called", NULL, stage->shader, stream);
        fprintf(stream, "warps %s,,%" PRIu64 ",,,,,,,,,,,\n", called, stage->warps.called[i]);
    }
}

/* Steps in the order of the text; the body of a repetition follows it and ends with less depth or the next.
 */
static void put_path(const struct ws_trace_results *results, const struct ws_trace_path *path, FILE *stream)
{
    static const char *const kinds[] = {"enter", "block", "end", "cut", "continue", "repeat"};
    for (uint32_t i = 0; i < path->step_count && i < path->limit; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        bool repeat = step->kind == WS_TRACE_REPEAT;
        uint32_t shader = repeat ? path->shader : step->shader;
        put_head(results, "step", &path->launch, shader, stream);
        fprintf(stream, "%s,%" PRIu64 ",", kinds[step->kind], repeat ? step->count : step->depth);
        if (repeat)
            fprintf(stream, "%" PRIu32, step->length);
        if (step->kind == WS_TRACE_BLOCK)
            fprintf(stream, "%" PRIu32,
                    results->catalog->modules[results->catalog->shaders[shader].module]
                        .blocks[step->block]
                        .info.label);
        fputs(",,,,,,,,,", stream);
        if (!repeat && step->lane_count > 64)
            fprintf(stream, "%016" PRIx64, step->lanes.high);
        if (!repeat)
            fprintf(stream, "%0*" PRIx64,
                    step->lane_count > 64  ? 16
                    : step->lane_count < 4 ? 1
                                           : (int)(step->lane_count / 4),
                    step->lanes.low);
        fprintf(stream, ",%" PRIu32 ",\n", path->warp);
    }
}

bool ws_trace_csv(const void *user, FILE *stream)
{
    const struct ws_trace_results *results = user;
    fputs("level,launch,shader,name,stage,of,number,value,minimum,median,mean,ninety_percent,maximum,"
          "partial,pattern,fitting,work,warp,note\n",
          stream);
    for (uint32_t i = 0; i < results->path_count; ++i)
        put_path(results, results->paths[i], stream);
    if (ws_trace_is_chosen(results))
        return true;
    for (uint32_t i = 0; i < results->stage_count; ++i)
        put_stage(results, &results->stages[i], stream);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        for (uint32_t j = 0; j < results->launches[i].shader_count; ++j)
            put_shader(results, &results->launches[i], &results->launches[i].shaders[j], stream);
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        const struct ws_trace_stage *stage = &results->stages[i];
        put_called(results, stage, stream);
        put_counts(results, stage, "threads", &stage->threads.lifetimes, stream);
        put_counts(results, stage, "warps", &stage->warps.lifetimes, stream);
        put_most(results, stage, "threads blocks", &stage->threads.blocks, stream);
        put_most(results, stage, "warps blocks", &stage->warps.blocks, stream);
        put_most(results, stage, "threads shaders", &stage->threads.executions, stream);
        put_most(results, stage, "warps shaders", &stage->warps.executions, stream);
    }
    return true;
}
