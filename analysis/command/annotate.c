/* warpscope annotate */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/command/command.h"
#include "analysis/memory/caches.h"
#include "analysis/simt/hotspots.h"
#include "analysis/simt/simt_efficiency.h"
#include "analysis/trace/divergence.h"
#include "analysis/yields/probes.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/output/wrap.h"

struct request {
    struct ws_selection selection;
    enum ws_annotate_form form;
    bool json;
    struct ws_json out; /* with --json */
    uint32_t printed;
    struct ws_limits limits;
    uint32_t refused; /* those of `printed` that could not be shown */
};

/* A shader that was asked for is shown, run or not; else all that ran are. */
static bool is_chosen(const struct request *request, const struct ws_report *report, uint32_t shader)
{
    if (request->selection.counts[WS_SELECT_SHADER] > 0)
        return report->selection.shaders[shader];
    if (ws_report_simt(report) == NULL)
        return report->catalog.shaders[shader].entry != WS_NONE;
    const struct ws_simt_counts *counts = &ws_report_simt(report)->shaders[shader].counts;
    return counts->warps > 0 || counts->threads > 0;
}

static bool print_shader(struct request *request, const struct ws_report *report, uint32_t shader,
                         const struct ws_chunk_module *module, struct ws_error *error)
{
    const void *caches = ws_report_results(report, &ws_analysis_caches);
    const struct ws_annotate_figures_of figures = {
        .catalog = &report->catalog,
        .simt = ws_report_simt(report),
        .divergence = ws_report_results(report, &ws_analysis_divergence),
        .hotspots = ws_report_results(report, &ws_analysis_hotspots),
        .probes = ws_report_results(report, &ws_analysis_probe),
        .caches = caches != NULL ? ws_analysis_caches.groups(caches) : NULL,
    };
    if (request->json)
        return ws_annotate_json(&figures, shader, module->words, module->word_count, request->form, true,
                                &request->out, error);
    if (request->printed > 0)
        putchar('\n');
    return ws_annotate_text(&figures, shader, module->words, module->word_count, request->form, stdout,
                            error);
}

/* Prints every chosen shader of one module. */
static void annotate_module(struct request *request, const struct ws_report *report,
                            const struct ws_chunk_module *module)
{
    const struct ws_catalog *catalog = &report->catalog;
    uint32_t index = ws_catalog_module(catalog, module->id);
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        struct ws_error error = {{0}};
        if (catalog->shaders[i].module != index || !is_chosen(request, report, i))
            continue;
        const bool shown = print_shader(request, report, i, module, &error);
        request->printed++;
        if (!shown) {
            ws_say("shader %" PRIu32 " cannot be shown%s: %s", catalog->shaders[i].id,
                   request->form != WS_ANNOTATE_BEST ? " so" : "", error.message);
            request->refused++;
        }
    }
}

/* Goes through the capture once more, for the words of the modules: they are not kept in memory. */
static bool annotate_modules(struct request *request, const struct ws_report *report, struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(report->path, error);
    enum ws_read_result result = WS_READ_ERROR;
    if (reader != NULL)
        result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error))
        if (chunk.type == WS_CHUNK_MODULE)
            annotate_module(request, report, &chunk.module);
    const bool stopped = reader != NULL && ws_reader_summary(reader)->stopped && ws_budget_exceeded(error);
    ws_reader_destroy(reader);
    return result != WS_READ_ERROR && !stopped;
}

/* All shaders: as text one after the other, as JSON in a list. */
static bool annotate_shaders(struct request *request, const struct ws_report *report, struct ws_error *error)
{
    if (!request->json)
        return annotate_modules(request, report, error);
    ws_json_begin(&request->out, stdout);
    ws_json_member(&request->out, "format", cJSON_CreateString("warpscope-annotate"));
    ws_json_member(&request->out, "version", ws_json_integer_item(1));
    ws_json_open_list(&request->out, "shaders");
    const bool annotated = annotate_modules(request, report, error);
    ws_json_close_list(&request->out);
    if (!ws_json_end(&request->out) && annotated)
        return ws_error_set(error, "no memory for the lines of the shaders");
    return annotated;
}

/* Shaders that no pass has a place in run as they were made: nothing tells that they ran. */
static void say_nothing(const struct request *request, const struct ws_report *report)
{
    ws_say("'%s': nothing was counted in any shader%s%s", report->path,
           ws_selection_is_set(&request->selection) ? " of what was chosen" : "",
           report->catalog.shader_count > 0 ? "; --shader '*' shows all without figures" : "");
}

static int annotate(struct request *request, const char *path)
{
    static const struct ws_analysis *const list[] = {&ws_analysis_simt_efficiency, &ws_analysis_hotspots,
                                                     &ws_analysis_divergence,      &ws_analysis_probe,
                                                     &ws_analysis_caches,          NULL};
    static const struct ws_analysis *const text_list[] = {&ws_analysis_simt_efficiency, &ws_analysis_probe,
                                                          &ws_analysis_caches, NULL};
    struct ws_report report;
    struct ws_error error = {{0}};
    int status = WS_EXIT_FAILED;
    struct ws_report_request needed = {.options.selection = &request->selection};
    needed.list = request->json ? list : text_list;
    if (!ws_read_capture(&report, path, &needed, &request->limits, &error)) {
        ws_say_unread(&error);
        return WS_EXIT_FAILED;
    }
    if (ws_report_simt(&report) == NULL && ws_report_results(&report, &ws_analysis_probe) == NULL &&
        ws_report_results(&report, &ws_analysis_caches) == NULL &&
        !ws_analysis_is_served(&ws_analysis_simt_efficiency, &report.overview, path, &error))
        ws_say("%s", error.message);
    else if (!annotate_shaders(request, &report, &error))
        ws_say("%s", error.message);
    else if (request->printed > 0)
        status = request->refused > 0 ? WS_EXIT_FAILED : ws_reading_status(&report);
    else
        say_nothing(request, &report);
    ws_report_finish(&report);
    return ws_finish_output(status);
}

static const char *form_choice(const struct ws_option *option, size_t index)
{
    (void)option;
    return index < WS_ANNOTATE_SPIRV
               ? ws_annotate_form_name((enum ws_annotate_form)(index + WS_ANNOTATE_SOURCE))
               : NULL;
}

enum { OPTION_AS, OPTION_JSON };

static const struct ws_option annotate_options[] = {
    {.name = "as",
     .argument = "FORM",
     .id = OPTION_AS,
     .help = "source (the shader's own, from debug information), glsl (by SPIRV-Cross) or spirv (the "
             "disassembly, with the ids by which reports name blocks, as %68); "
             "without it, the first of these that works",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = form_choice},
    {.name = "json",
     .id = OPTION_JSON,
     .help = "write JSON: each line with its figures, its blocks, why lanes were idle, and what "
             "caches make of its accesses"},
    {NULL},
};

static bool take_form(struct request *request, const char *text, struct ws_error *error)
{
    for (int i = WS_ANNOTATE_BEST; i <= WS_ANNOTATE_SPIRV; ++i)
        if (strcmp(text, ws_annotate_form_name((enum ws_annotate_form)i)) == 0) {
            request->form = (enum ws_annotate_form)i;
            return true;
        }
    return ws_error_set(error, "--as takes source, glsl or spirv, not '%s'", text);
}

static bool take_option(void *annotate_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = annotate_request;
    if (option->id == OPTION_AS)
        return take_form(request, value, error);
    request->json = true;
    return true;
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.printed = 0};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_annotate, argument_count, arguments, &request, &status);
    return operands != NULL ? annotate(&request, operands[0]) : status;
}

static void print_line(size_t width, FILE *stream)
{
    fputs("For example:\n"
          "    22072 100.0 % | 12  if (x > 0)  /* executions 22072  100.0 %  8:22072 */\n",
          stream);
    ws_wrap_text("says that 22072 warps ran line 12, each with 8 active lanes.", width, stream);
}

const struct ws_command ws_command_annotate = {
    .name = "annotate",
    .summary = "print the shaders of a capture with the numbers beside their lines",
    .usage = "FILE [--shader PATTERN] [--as FORM] [--json] [OPTIONS]",
    .about = "Prints the shaders of a capture that ran; with --shader those that it names, run or not. "
             "Beside every line stand how many warps ran it and "
             "their SIMT "
             "efficiency; behind the lines where a basic block begins, its histogram of active lanes, and "
             "behind those "
             "where probes were called, what they yielded. Behind lines that access memory stands what "
             "caches make "
             "of that (report FILE caches), where memory_trace was recorded.",
    .tables = {{.rows = annotate_options, .take = take_option},
               {.rows = ws_limit_options, .take = ws_take_limit, .offset = offsetof(struct request, limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, selection)}},
    .operands = {{.name = "FILE", .missing = "the capture to annotate", .kind = WS_ARGUMENT_CAPTURE}},
    .print_more = print_line,
    .examples = "  warpscope annotate run.wscope | less\n"
                "  warpscope annotate run.wscope --shader 'mesh.rchit*'\n"
                "  warpscope annotate run.wscope --shader raygen --as glsl\n"
                "  warpscope annotate run.wscope --json > lines.json\n",
    .status = "Exit status: 0; 1 when something failed, or a shader cannot be shown in the form asked for; 2 "
              "when the "
              "arguments are wrong; " WS_EXIT_CUT_HELP ".",
    .paged = true,
    .run = run,
};
