/* warpscope list: what there is to choose from. */
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/command/command.h"
#include "analysis/command/terminal.h"
#include "analysis/diff/condition.h"
#include "analysis/report/schema.h"
#include "analysis/summary/summary.h"
#include "passes/settings/settings.h"
#include "warpscope/instrument.h"
#include "warpscope/output/wrap.h"
#include "warpscope/report/analysis.h"

#define INDENT      2
#define NAME_COLUMN 21 /* where what is said of a name begins */

/* A line behind another, under what is said of its name. */
static void print_below(const char *text, size_t width, FILE *stream)
{
    struct ws_wrap wrap = ws_wrap_begin(stream, width, NAME_COLUMN, 0);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}

static void list_passes(size_t width, FILE *stream)
{
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    ws_wrap_print("Passes (record -p NAME[,NAME...], or -p all)", 0, width, stream);
    for (size_t i = 0; i < count; ++i) {
        char stages[256] = "stages:";
        ws_wrap_item(passes[i].name, passes[i].summary, INDENT, NAME_COLUMN, width, stream);
        if ((passes[i].stages & WS_STAGES_ALL) == WS_STAGES_ALL)
            continue;
        for (uint32_t stage = 1; stage < WS_STAGES_ALL; stage <<= 1)
            if ((passes[i].stages & stage) != 0) {
                const size_t used = strlen(stages);
                snprintf(stages + used, sizeof(stages) - used, " %s", ws_stage_name(stage));
            }
        print_below(stages, width, stream);
    }
}

static void list_analyses(size_t width, FILE *stream)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    ws_wrap_print("Analyses (report FILE NAME; help NAME lists the columns)", 0, width, stream);
    for (size_t i = 0; analyses[i] != NULL; ++i) {
        char needs[256] = "";
        ws_wrap_item(analyses[i]->name, analyses[i]->summary, INDENT, NAME_COLUMN, width, stream);
        snprintf(needs, sizeof(needs), "of %s",
                 analyses[i]->passes != NULL ? "pass:" : "what record --geometry captures");
        for (size_t j = 0; analyses[i]->passes != NULL && analyses[i]->passes[j] != NULL; ++j) {
            const size_t used = strlen(needs);
            snprintf(needs + used, sizeof(needs) - used, "%s %s", j > 0 ? " or" : "", analyses[i]->passes[j]);
        }
        print_below(needs, width, stream);
    }
}

static void list_advice(size_t width, FILE *stream)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    ws_wrap_print("Advice (report FILE advice), each rule with what it looks for", 0, width, stream);
    for (size_t i = 0; rules[i] != NULL; ++i) {
        char text[512];
        snprintf(text, sizeof(text), "%s%s", rules[i]->summary,
                 rules[i]->needs_geometry   ? " (of captured geometry)"
                 : rules[i]->shader != NULL ? " (of simt_efficiency)"
                                            : "");
        ws_wrap_item(rules[i]->name, text, INDENT, NAME_COLUMN, width, stream);
    }
}

static void list_stages(size_t width, FILE *stream)
{
    ws_wrap_print("Stages (record --stages NAME[,NAME...])", 0, width, stream);
    ws_wrap_print("all", INDENT, width, stream);
    struct ws_wrap wrap = ws_wrap_begin(stream, width, 2 * INDENT, (size_t)fprintf(stream, "  ray_tracing:"));
    ws_wrap_words(&wrap, "raygen, any_hit, closest_hit, miss, intersection and callable");
    ws_wrap_end(&wrap);
    for (uint32_t stage = 1; stage < WS_STAGES_ALL; stage <<= 1)
        fprintf(stream, "  %s\n", ws_stage_name(stage));
}

static void list_settings(size_t width, FILE *stream)
{
    ws_wrap_text(
        "Settings of the layer, each by its key and the variable that sets it. The options of record stand "
        "above all; then come the environment (VK_WARPSCOPE_CAPTURE_KEY, VK_CAPTURE_KEY, WARPSCOPE_KEY), "
        "warpscope_capture.key = value in vk_layer_settings.txt, and VK_EXT_layer_settings.",
        width, stream);
    for (int id = 0; id < WS_SETTING_COUNT; ++id) {
        const struct ws_setting *setting = &ws_setting_table[id];
        char variable[WS_SETTING_VARIABLE_SIZE];
        ws_wrap_item(setting->key, ws_setting_variable((enum ws_setting_id)id, 0, variable), INDENT,
                     NAME_COLUMN, width, stream);
        print_below(setting->description, width, stream);
        if (setting->default_value[0] != '\0') {
            char text[128];
            snprintf(text, sizeof(text), "Default: %s", setting->default_value);
            print_below(text, width, stream);
        }
    }
}

/* What there are lists of. */
static const struct ws_chapter lists[] = {{"passes", list_passes},
                                          {"analyses", list_analyses},
                                          {"advice", list_advice},
                                          {"stages", list_stages},
                                          {"settings", list_settings},
                                          {"figures", ws_diff_figures_print},
                                          {NULL}};

static const char *list_choice(size_t index)
{
    return lists[index].name;
}

enum { OPTION_SCHEMA, OPTION_DIFF_SCHEMA };

static const struct ws_option list_options[] = {
    {.name = "schema", .id = OPTION_SCHEMA, .help = "print the JSON Schema of `report --json` instead"},
    {.name = "diff-schema", .id = OPTION_DIFF_SCHEMA, .help = "print that of `diff --json` instead"},
    {NULL}};

static bool take_option(void *schema, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    (void)value;
    (void)error;
    *(const struct ws_option **)schema = option;
    return true;
}

static int print_schema(int id)
{
    if (id == OPTION_SCHEMA ? ws_schema_print(ws_summary_members, stdout) : ws_diff_schema_print(stdout))
        return ws_finish_output(WS_EXIT_GOOD);
    ws_say("no memory for the schema");
    return WS_EXIT_FAILED;
}

static int run(int argument_count, char **arguments)
{
    int status = WS_EXIT_USAGE;
    const struct ws_option *schema = NULL;
    bool found = false;
    char names[128] = "";
    char **operands = ws_options_take(&ws_command_list, argument_count, arguments, &schema, &status);
    if (operands == NULL)
        return status;
    if (schema != NULL)
        return print_schema(schema->id);
    for (size_t i = 0; lists[i].name != NULL; ++i) {
        ws_append_name(names, sizeof(names), lists[i].name);
        /* The figures are hundreds. */
        if (operands[0] != NULL ? strcmp(operands[0], lists[i].name) != 0
                                : lists[i].print == ws_diff_figures_print)
            continue;
        if (found)
            putchar('\n');
        lists[i].print(ws_terminal_width(), stdout);
        found = true;
    }
    if (!found)
        return ws_usage_error("list", "there is no list of '%s'; there are: %s", operands[0], names);
    return ws_finish_output(WS_EXIT_GOOD);
}

const struct ws_command ws_command_list = {
    .name = "list",
    .summary = "list passes, analyses, advice, stages, settings and figures",
    .usage = "[passes | analyses | advice | stages | settings | figures | --schema | --diff-schema]",
    .about = "Lists the passes that record, the analyses that report, the rules of advice, the shader "
             "stages, the "
             "settings of the layer, and the figures that `warpscope diff` compares, which are shown where "
             "they are asked for.",
    .tables = {{.rows = list_options, .take = take_option}},
    .operands = {{.name = "WHAT", .kind = WS_ARGUMENT_CHOICE, .choice = list_choice}},
    .topics = lists,
    .examples = "  warpscope list\n"
                "  warpscope list settings\n"
                "  warpscope list --schema\n",
    .paged = true,
    .run = run,
};
