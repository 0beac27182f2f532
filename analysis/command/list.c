/* warpscope list: what there is to choose from. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/command/command.h"
#include "analysis/report/analysis.h"
#include "passes/settings/settings.h"
#include "warpscope/instrument.h"

static const char help[] =
    "Usage: warpscope list [passes | analyses | advice | stages | settings]\n"
    "Lists the passes that record, the analyses that report, the rules of advice, the shader\n"
    "stages, and the settings of the layer.\n"
    "\n"
    "  -h, --help\n"
    "\n"
    "Examples:\n"
    "  warpscope list\n"
    "  warpscope list settings\n";

static void list_passes(void)
{
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    puts("Passes (record -p NAME[,NAME...], or -p all)");
    for (size_t i = 0; i < count; ++i) {
        printf("  %-17s  %s\n", passes[i].name, passes[i].summary);
        if ((passes[i].stages & WS_STAGES_ALL) == WS_STAGES_ALL)
            continue;
        printf("  %-17s  stages:", "");
        for (uint32_t stage = 1; stage < WS_STAGES_ALL; stage <<= 1)
            if ((passes[i].stages & stage) != 0)
                printf(" %s", ws_stage_name(stage));
        putchar('\n');
    }
}

static void list_analyses(void)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    puts("Analyses (report FILE NAME; report --help lists the columns of their CSV)");
    for (size_t i = 0; analyses[i] != NULL; ++i) {
        printf("  %-17s  %s\n  %-17s  of %s", analyses[i]->name, analyses[i]->summary, "",
               analyses[i]->passes != NULL ? "pass:" : "what record --geometry captures");
        for (size_t j = 0; analyses[i]->passes != NULL && analyses[i]->passes[j] != NULL; ++j)
            printf("%s %s", j > 0 ? " or" : "", analyses[i]->passes[j]);
        putchar('\n');
    }
}

static void list_advice(void)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    puts("Advice (report FILE advice), each rule with what it looks for");
    for (size_t i = 0; rules[i] != NULL; ++i)
        printf("  %-17s  %s%s\n", rules[i]->name, rules[i]->summary,
               rules[i]->needs_geometry   ? " (of captured geometry)"
               : rules[i]->shader != NULL ? " (of simt_efficiency)"
                                          : "");
}

static void list_stages(void)
{
    puts("Stages (record --stages NAME[,NAME...])");
    puts("  all\n  ray_tracing: raygen, any_hit, closest_hit, miss, intersection and callable");
    for (uint32_t stage = 1; stage < WS_STAGES_ALL; stage <<= 1)
        printf("  %s\n", ws_stage_name(stage));
}

static void list_settings(void)
{
    puts("Settings of the layer, each by its key and the variable that sets it. The options of record stand\n"
         "above all; then come the environment (VK_WARPSCOPE_CAPTURE_KEY, VK_CAPTURE_KEY, WARPSCOPE_KEY),\n"
         "warpscope_capture.key = value in vk_layer_settings.txt, and VK_EXT_layer_settings.");
    for (int id = 0; id < WS_SETTING_COUNT; ++id) {
        const struct ws_setting *setting = &ws_setting_table[id];
        char variable[WS_SETTING_VARIABLE_SIZE];
        printf("  %-12s  %s\n  %-12s  %s\n", setting->key,
               ws_setting_variable((enum ws_setting_id)id, 0, variable), "", setting->description);
    }
}

int ws_command_list(int argument_count, char **arguments)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argument_count, arguments, "h", options, NULL)) != -1;) {
        if (option != 'h')
            return ws_usage_error("list", NULL);
        fputs(help, stdout);
        return ws_finish_output(WS_EXIT_GOOD);
    }
    const char *topic = optind < argument_count ? arguments[optind] : "";
    if (argument_count - optind > 1)
        return ws_usage_error("list", "'%s' is one argument too many", arguments[optind + 1]);
    bool all = topic[0] == '\0';
    bool passes = strcmp(topic, "passes") == 0;
    bool analyses = strcmp(topic, "analyses") == 0;
    bool advice = strcmp(topic, "advice") == 0;
    bool stages = strcmp(topic, "stages") == 0;
    bool settings = strcmp(topic, "settings") == 0;
    if (!all && !passes && !analyses && !advice && !stages && !settings)
        return ws_usage_error(
            "list", "there is no list of '%s'; there are: passes, analyses, advice, stages, settings", topic);
    if (all || passes)
        list_passes();
    if (all)
        putchar('\n');
    if (all || analyses)
        list_analyses();
    if (all)
        putchar('\n');
    if (all || advice)
        list_advice();
    if (all)
        putchar('\n');
    if (all || stages)
        list_stages();
    if (all)
        putchar('\n');
    if (all || settings)
        list_settings();
    return ws_finish_output(WS_EXIT_GOOD);
}
