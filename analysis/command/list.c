/* warpscope list: what there is to choose from. */
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/command/command.h"
#include "analysis/report/analysis.h"
#include "passes/settings/settings.h"
#include "warpscope/instrument.h"

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

/* What there are lists of. */
static const struct {
    const char *name;
    void (*print)(void);
} lists[] = {{"passes", list_passes},
             {"analyses", list_analyses},
             {"advice", list_advice},
             {"stages", list_stages},
             {"settings", list_settings}};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static const char *list_choice(size_t index)
{
    return index < LISTS ? lists[index].name : NULL;
}

static int run(int argument_count, char **arguments)
{
    int status = WS_EXIT_USAGE;
    bool found = false;
    char names[128] = "";
    char **operands = ws_options_take(&ws_command_list, argument_count, arguments, NULL, &status);
    if (operands == NULL)
        return status;
    for (size_t i = 0; i < LISTS; ++i) {
        ws_append_name(names, sizeof(names), lists[i].name);
        if (operands[0] != NULL && strcmp(operands[0], lists[i].name) != 0)
            continue;
        if (found)
            putchar('\n');
        lists[i].print();
        found = true;
    }
    if (!found)
        return ws_usage_error("list", "there is no list of '%s'; there are: %s", operands[0], names);
    return ws_finish_output(WS_EXIT_GOOD);
}

const struct ws_command ws_command_list = {
    .name = "list",
    .summary = "list passes, analyses, advice, stages and settings",
    .usage = "[passes | analyses | advice | stages | settings]",
    .about = "Lists the passes that record, the analyses that report, the rules of advice, the shader "
             "stages, and the "
             "settings of the layer.",
    .operands = {{.name = "WHAT", .kind = WS_ARGUMENT_CHOICE, .choice = list_choice}},
    .examples = "  warpscope list\n"
                "  warpscope list settings\n",
    .run = run,
};
