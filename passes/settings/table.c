/* The table of settings, and what is looked up in it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/instrument.h"
#include "warpscope/stage.h"

/* clang-format off */
const struct ws_setting ws_setting_table[WS_SETTING_COUNT] = {
    [WS_SETTING_PASSES] = {
        .key = "passes",
        .type = WS_SETTING_TYPE_FLAGS,
        .default_value = "",
        .label = "Passes",
        .description = "What to capture. Nothing is captured, and nothing costs anything, while no pass is chosen.",
        .group = WS_SETTING_WHAT,
        .options = {{"passes", 'p', "LIST", NULL,
                     "see warpscope list passes; or all (simt_efficiency)"}},
    },
    [WS_SETTING_PROBES] = {
        .key = "probes",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Probes",
        .description = "Files of compiled probes, with : between them. `warpscope record --probe FILE` compiles probe "
                       "files and sets this.",
    },
    [WS_SETTING_OUTPUT] = {
        .key = "output",
        .type = WS_SETTING_TYPE_SAVE_FILE,
        .default_value = "%n-%p.wscope",
        .label = "Capture file",
        .description = "The file to write. %n stands for the program's name, %p for its process id.",
        .group = WS_SETTING_RESULT,
        .options = {{"output", 'o', "FILE", NULL,
                     "the capture (PROGRAM.wscope in this folder)"}},
    },
    [WS_SETTING_FRAMES] = {
        .key = "frames",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Frames",
        .description = "The frames to capture, counted from 0: A-B, A- or A. A present ends a frame; a program that "
                       "presents nothing is all frame 0. All when empty.",
        .group = WS_SETTING_PART,
        .options = {{"frames", 0, "A-B", NULL,
                     "only these frames, counted from 0; also A- and A"}},
    },
    [WS_SETTING_LAUNCHES] = {
        .key = "launches",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Launches",
        .description = "The launches (traces, dispatches, render passes) to capture, counted from 0: A-B, A- or A. "
                       "All when empty.",
        .group = WS_SETTING_PART,
        .options = {{"launches", 0, "A-B", NULL,
                     "only these traces, dispatches and render passes"}},
    },
    [WS_SETTING_TRIGGER] = {
        .key = "trigger",
        .type = WS_SETTING_TYPE_LOAD_FILE,
        .default_value = "",
        .label = "Trigger file",
        .description = "Capture only while this file exists. No trigger when empty.",
        .group = WS_SETTING_PART,
        .options = {{"trigger", 0, "FILE", NULL, "only while this file exists"}},
    },
    [WS_SETTING_STAGES] = {
        .key = "stages",
        .type = WS_SETTING_TYPE_FLAGS,
        .default_value = "",
        .label = "Stages",
        .description = "The shader stages to instrument. All when none is chosen.",
        .group = WS_SETTING_PART,
        .options = {{"stages", 0, "LIST", NULL, "only these shader stages; see warpscope list stages"}},
    },
    [WS_SETTING_SHADERS] = {
        .key = "shaders",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Shaders",
        .description = "Instrument only shaders whose module name, module hash (16 hexadecimal digits) or entry "
                       "point matches one of these patterns (with * and ?), separated by commas; !PATTERN leaves those "
                       "out that match. All when empty.",
        .group = WS_SETTING_PART,
        .options = {{"shaders", 0, "GLOBS", NULL,
                     "only shaders of these names, modules or hashes"}},
    },
    [WS_SETTING_PER_BLOCK] = {
        .key = "per_block",
        .type = WS_SETTING_TYPE_BOOL,
        .default_value = "false",
        .label = "A counter for every block",
        .description = "Count every basic block by itself, also those that should always run with the same lanes "
                       "as another. Slower.",
        .group = WS_SETTING_COST,
        .options = {{"per-block", 0, NULL, "true",
                     "a counter for every block; slower"}},
    },
    [WS_SETTING_MAX_SITES] = {
        .key = "max_sites",
        .type = WS_SETTING_TYPE_INT,
        .default_value = "0",
        .label = "Most sites per module",
        .description = "Instrument no more sites of a module than this: to find a site that makes trouble, and for "
                       "modules that compile too slowly. 0 for no limit.",
        .group = WS_SETTING_COST,
        .options = {{"max-sites", 0, "N", NULL, "instrument no more than N sites of each module"}},
    },
    [WS_SETTING_SITES_BUDGET] = {
        .key = "sites_budget",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "auto",
        .label = "Budget of sites per shader",
        .description = "How many counters and records a shader gets, with those of functions as often as they are "
                       "called, before some of its blocks are left out, so that drivers compile it in tolerable time: "
                       "entries, ends, rays and the beginnings of loops stay. Reports say what was left out. auto "
                       "is a limit for kernels with barriers and more than 1024 blocks on software devices, which "
                       "would compile them for minutes. 0 for no limit.",
    },
    [WS_SETTING_SAMPLE] = {
        .key = "sample",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Sampled counters",
        .description = "Count in one warp of N only: 1/N, such as 1/16, with N up to 65536. The other warps run the shaders "
                       "as they were, which costs next to nothing; reports estimate all warps from those that counted, and "
                       "say how far off that may be. For passes that count, not for those that append records. Every warp "
                       "when empty.",
        .group = WS_SETTING_PART,
        .options = {{"sample", 0, "1/N", NULL,
                     "count in one warp of N only, and estimate the rest"}},
    },
    [WS_SETTING_DUMP_SHADERS] = {
        .key = "dump_shaders",
        .type = WS_SETTING_TYPE_SAVE_FOLDER,
        .default_value = "",
        .label = "Dump shaders to",
        .description = "Write every module as it was and as it was instrumented into this folder. Nothing when "
                       "empty.",
    },
    [WS_SETTING_BUFFER_SIZE] = {
        .key = "buffer_size",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Record buffer",
        .description = "Bytes of device memory for the records of a submission, such as 64M: one that is too "
                       "small grows by itself, but what did not fit is missing. 64M when empty, 1G on software "
                       "devices (no more than the limit). " WS_BYTES_HELP,
        .group = WS_SETTING_COST,
        .options = {{"buffer", 0, "SIZE", NULL,
                     "memory for the records of a submission: 64M, 1G"}},
    },
    [WS_SETTING_BUFFER_LIMIT] = {
        .key = "buffer_limit",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Largest record buffer",
        .description = "Bytes that the record buffer may grow to, such as 1G; up to two such buffers are used. "
                       "When empty 1G, but no more than a quarter of the device's memory. " WS_BYTES_HELP,
        .group = WS_SETTING_COST,
        .options = {{"buffer-limit", 0, "SIZE", NULL, "the size that it may grow to"}},
    },
    [WS_SETTING_THREADS] = {
        .key = "threads",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Threads",
        .description = "The threads whose warps append records, by flat id: A-B, A- or A, and every STEPth of them "
                       "with /STEP behind it or alone. All when empty. Counters have all threads.",
        .group = WS_SETTING_PART,
        .options = {{"threads", 0, "A-B/STEP", NULL,
                     "records only of warps with these; also A-, A, /STEP"}},
    },
    [WS_SETTING_PIXELS] = {
        .key = "pixels",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Pixels",
        .description = "The pixels (or launch ids) whose warps append records: X0,Y0-X1,Y1, both included, or X,Y; "
                       "in vertex and other stages without pixels vertex and instance, or primitive and invocation. All "
                       "when empty.",
        .group = WS_SETTING_PART,
        .options = {{"pixels", 0, "BOX", NULL,
                     "records only of warps with X0,Y0-X1,Y1, or X,Y"}},
    },
    [WS_SETTING_TILE] = {
        .key = "tile",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Tiles",
        .description = "Every STEPth tile of W by H pixels (or launch ids) appends records: WxH/STEP. All when "
                       "empty.",
        .group = WS_SETTING_PART,
        .options = {{"tile", 0, "WxH/STEP", NULL, "records only of every STEPth tile of W by H pixels"}},
    },
    [WS_SETTING_GEOMETRY] = {
        .key = "geometry",
        .type = WS_SETTING_TYPE_ENUM,
        .default_value = "auto",
        .label = "Geometry",
        .description = "Capture what acceleration structures are built of, shader groups and shader binding tables: "
                       "on, off, or auto, which is on where the pass ray_events or memory_trace is chosen.",
        .group = WS_SETTING_WHAT,
        .options = {{"geometry", 0, NULL, "on", "also capture what acceleration structures are of"},
                    {"no-geometry", 0, NULL, "off",
                     "never; without either, with ray_events, memory_trace"}},
    },
    [WS_SETTING_IMAGE] = {
        .key = "image",
        .type = WS_SETTING_TYPE_BOOL,
        .default_value = "false",
        .label = "Images",
        .description = "Capture the images of the program: of each trace and dispatch the 2D storage image that it can "
                       "write, and of each frame what is presented. The first that come, up to the setting image_limit.",
        .group = WS_SETTING_WHAT,
        .options = {{"image", 0, NULL, "true", "also capture images that are written and presented"}},
    },
    [WS_SETTING_IMAGE_LIMIT] = {
        .key = "image_limit",
        .type = WS_SETTING_TYPE_STRING,
        .default_value = "",
        .label = "Most bytes of images",
        .description = "Bytes of images that a capture takes, before they are compressed. 512M when empty. " WS_BYTES_HELP,
        .group = WS_SETTING_COST,
        .options = {{"image-limit", 0, "SIZE", NULL, "so many bytes of images at most (512M)"}},
    },
    [WS_SETTING_ARGUMENTS] = {
        .key = "arguments",
        .type = WS_SETTING_TYPE_BOOL,
        .default_value = "true",
        .label = "Command line",
        .description = "Write the program's command line into the capture. If off, only its name.",
        .group = WS_SETTING_PART,
        .options = {{"no-arguments", 0, NULL, "false",
                     "leave the program's arguments out of the capture"}},
    },
    [WS_SETTING_SLOW_AFTER] = {
        .key = "slow_after",
        .type = WS_SETTING_TYPE_INT,
        .default_value = "10",
        .label = "Tell of slow compilation after",
        .description = "Seconds after which a line says which shaders are being compiled, where a call that creates "
                       "pipelines, or the first submission of a shader, has not come back. Such a submission may "
                       "also run long: the line says so. 0 for never.",
    },
    [WS_SETTING_LOG_LEVEL] = {
        .key = "log_level",
        .type = WS_SETTING_TYPE_ENUM,
        .default_value = "warning",
        .label = "Messages",
        .description = "The least important messages that are printed: information, warning, error or none. The "
                       "capture has all of them.",
    },
};
/* clang-format on */

enum ws_setting_id ws_setting_find(const char *key)
{
    size_t id = 0;
    while (id < WS_SETTING_COUNT && strcmp(ws_setting_table[id].key, key) != 0)
        id++;
    return (enum ws_setting_id)id;
}

const char *ws_setting_variable(enum ws_setting_id id, unsigned index, char name[WS_SETTING_VARIABLE_SIZE])
{
    static const char *const prefixes[WS_SETTING_VARIABLES] = {"VK_WARPSCOPE_CAPTURE_", "VK_CAPTURE_",
                                                               "WARPSCOPE_"};
    snprintf(name, WS_SETTING_VARIABLE_SIZE, "%s%s", prefixes[index], ws_setting_table[id].key);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return name;
}

static const char *stage_choice(size_t index)
{
    return index < 14 ? ws_stage_name(1u << index) : NULL;
}

static const char *pass_choice(size_t index)
{
    size_t count;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    return index < count ? passes[index].name : NULL;
}

const char *ws_setting_choice(enum ws_setting_id id, size_t index)
{
    /* In the order of enum ws_severity, and WS_LOG_NONE. */
    static const char *const levels[] = {"information", "warning", "error", "none", NULL};
    static const char *const geometry[] = {"auto", "on", "off", NULL};
    switch (id) {
    case WS_SETTING_PASSES: return pass_choice(index);
    case WS_SETTING_STAGES: return stage_choice(index);
    case WS_SETTING_GEOMETRY: return geometry[index];
    case WS_SETTING_LOG_LEVEL: return levels[index];
    default: return NULL;
    }
}

const char *ws_setting_choice_summary(enum ws_setting_id id, size_t index)
{
    size_t count;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    return id == WS_SETTING_PASSES && index < count ? passes[index].summary : "";
}
