/* The options that choose what of a capture is reported, exported and drawn: the same for all commands. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/memory/cache/cache_shape.h"
#include "analysis/scene/bvh/bvh_settings.h"
#include "passes/settings/settings.h"
#include "warpscope/report/analysis.h"

#define GROUP "What of the capture"

static const char *stage_choice(const struct ws_option *option, size_t index)
{
    (void)option;
    return ws_setting_choice(WS_SETTING_STAGES, index);
}

const struct ws_option ws_selection_options[] = {
    {.name = "launch",
     .argument = "N[-M]",
     .id = WS_SELECT_LAUNCH,
     .repeats = true,
     .group = GROUP,
     .help = "only this trace, dispatch or render pass; N to M",
     .more = "Launches, frames and labels that were not chosen are as if they had not been recorded: "
             "figures, shares, "
             "totals and advice are those of the chosen ones. Each of these options may be given several "
             "times: any of "
             "its values may hold, but of several options all must. A capture without what was chosen is an "
             "error."},
    {.name = "invocation",
     .argument = "N[-M]",
     .id = WS_SELECT_LAUNCH,
     .group = GROUP,
     .repeats = true}, /* its older name */
    {.name = "frame",
     .argument = "N[-M]",
     .id = WS_SELECT_FRAME,
     .repeats = true,
     .group = GROUP,
     .help = "only launches of these frames"},
    {.name = "label",
     .argument = "PATTERN",
     .id = WS_SELECT_LABEL,
     .repeats = true,
     .group = GROUP,
     .help = "only launches within this debug label: 'shadow*'",
     .more = "The pattern is tried on each debug-utils label that a launch lies in, and on all of them as "
             "reports show "
             "them, joined by \" / \". An empty one chooses launches without a label."},
    {.name = "shader",
     .argument = "PATTERN",
     .id = WS_SELECT_SHADER,
     .repeats = true,
     .group = GROUP,
     .help = "only executions of these shaders: '*.rchit:*'",
     .more =
         "The pattern is tried on a shader's name and id, on its entry point and stage, and on the name, "
         "source "
         "file and hash of its module. * stands for any characters, ? for one, [abc] for one of these. A "
         "name as "
         "it is always means that name; else commas separate patterns. Figures, shares and totals are those "
         "of the "
         "chosen shaders. Why their lanes are idle is found from all shaders. A ray belongs to the shader "
         "that "
         "traced it, with all any-hit and intersection runs that it caused; lifetimes count blocks of chosen "
         "shaders."},
    {.name = "pipeline",
     .argument = "PATTERN",
     .id = WS_SELECT_PIPELINE,
     .repeats = true,
     .group = GROUP,
     .help = "only executions by these pipelines: name or id",
     .more = "Where several pipelines of one launch have a shader, it is not known which of them ran it: "
             "then it counts "
             "if all of them were chosen."},
    {.name = "stage",
     .argument = "LIST",
     .id = WS_SELECT_STAGE,
     .repeats = true,
     .group = GROUP,
     .help = "only executions of these stages: closest_hit,miss",
     .kind = WS_ARGUMENT_CHOICES,
     .choice = stage_choice},
    {NULL},
};

bool ws_take_selection(void *request, const struct ws_option *option, const char *value,
                       struct ws_error *error)
{
    return ws_selection_add(request, (enum ws_selection_option)option->id, value, error);
}

/* x, x,y or x,y,z. */
const char *ws_device_choice(const struct ws_option *option, size_t index)
{
    size_t count = 0;
    const struct ws_cache_device *devices = ws_cache_device_list(&count);
    (void)option;
    return index < count ? devices[index].name : NULL;
}

bool ws_take_thread(struct ws_analysis_options *options, const char *text, struct ws_error *error)
{
    const char *at = text;
    memset(options->thread, 0, sizeof(options->thread));
    for (int i = 0; i < 3; ++i) {
        char *end = NULL;
        unsigned long long value = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (end == NULL || value > UINT32_MAX || (*end != '\0' && *end != ','))
            break;
        options->thread[i] = (uint32_t)value;
        if (*end == '\0') {
            options->has_thread = true;
            return true;
        }
        at = end + 1;
    }
    return ws_error_set(error, "--thread takes X, X,Y or X,Y,Z, numbers from 0, not '%s'", text);
}

bool ws_take_caches(struct ws_analysis_options *options, const char *text, struct ws_error *error)
{
    struct ws_cache_shape shape;
    options->caches = text;
    return strcmp(text, "none") == 0 || access(text, F_OK) == 0 || ws_cache_shape_load(text, &shape, error);
}

bool ws_take_bvh(struct ws_analysis_options *options, const char *text, struct ws_error *error)
{
    struct ws_bvh_settings settings;
    options->bvh = text;
    return ws_bvh_settings_parse(text, &settings, error);
}
