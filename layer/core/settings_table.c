#include "layer/core/settings_table.h"

#include "warpscope/instrument.h"
#include "warpscope/stage.h"

const struct ws_setting ws_setting_table[WS_SETTING_COUNT] = {
    [WS_SETTING_PASSES] = {"passes", WS_SETTING_TYPE_FLAGS, "", "Passes",
                           "What to capture. Nothing is captured, and nothing costs anything, while no pass "
                           "is chosen."},
    [WS_SETTING_OUTPUT] = {"output", WS_SETTING_TYPE_SAVE_FILE, "%n-%p.wscope", "Capture file",
                           "The file to write. %n stands for the program's name, %p for its process id."},
    [WS_SETTING_FRAMES] =
        {"frames", WS_SETTING_TYPE_STRING, "", "Frames",
         "The frames to capture, counted from 0: A-B, A- or A. A present ends a frame; a program "
         "that presents nothing is all frame 0. All when empty."},
    [WS_SETTING_LAUNCHES] = {"launches", WS_SETTING_TYPE_STRING, "", "Launches",
                             "The launches (traces, dispatches, render passes) to capture, counted "
                             "from 0: A-B, A- or A. All when empty."},
    [WS_SETTING_TRIGGER] = {"trigger", WS_SETTING_TYPE_LOAD_FILE, "", "Trigger file",
                            "Capture only while this file exists. No trigger when empty."},
    [WS_SETTING_STAGES] = {"stages", WS_SETTING_TYPE_FLAGS, "", "Stages",
                           "The shader stages to instrument. All when none is chosen."},
    [WS_SETTING_SHADERS] = {"shaders", WS_SETTING_TYPE_STRING, "", "Shaders",
                            "Instrument only shaders whose module name, module hash (16 hexadecimal digits) "
                            "or entry point matches one of these patterns (with * and ?), separated by "
                            "commas. All when empty."},
    [WS_SETTING_PER_BLOCK] = {"per_block", WS_SETTING_TYPE_BOOL, "false", "A counter for every block",
                              "Count every basic block by itself, also those that should always run with "
                              "the same lanes as another. Slower."},
    [WS_SETTING_MAX_SITES] = {"max_sites", WS_SETTING_TYPE_INT, "0", "Most sites per module",
                              "Leave sites past this many alone: for finding a site that makes trouble, and "
                              "for modules that compile too slowly. 0 for no limit."},
    [WS_SETTING_DUMP_SHADERS] = {"dump_shaders", WS_SETTING_TYPE_SAVE_FOLDER, "", "Dump shaders to",
                                 "Write every module as it was and as it was instrumented into this folder. "
                                 "Nothing when empty."},
    [WS_SETTING_BUFFER_SIZE] = {"buffer_size", WS_SETTING_TYPE_STRING, "", "Record buffer",
                                "Bytes of device memory for the records of a submission, with K, M or G: one "
                                "that is too small grows by itself, but what did not fit is missing. 64M "
                                "when empty, 1G on software devices (no more than the limit)."},
    [WS_SETTING_BUFFER_LIMIT] = {"buffer_limit", WS_SETTING_TYPE_STRING, "", "Largest record buffer",
                                 "Bytes that the record buffer may grow to, with K, M or G; up to two such "
                                 "buffers are used. When empty 1G, but no more than a quarter of the "
                                 "device's memory."},
    [WS_SETTING_THREADS] = {"threads", WS_SETTING_TYPE_STRING, "", "Threads",
                            "The threads whose warps append records, by flat id: A-B, A- or A, and every "
                            "STEPth of them with /STEP behind it or alone. All when empty."},
    [WS_SETTING_PIXELS] =
        {"pixels", WS_SETTING_TYPE_STRING, "", "Pixels",
         "The pixels (or launch ids) whose warps append records: X0,Y0-X1,Y1, both "
         "included, or X,Y; in vertex and other stages without pixels vertex and instance, or "
         "primitive and launch. All when empty."},
    [WS_SETTING_TILE] = {"tile", WS_SETTING_TYPE_STRING, "", "Tiles",
                         "Every STEPth tile of W by H pixels (or launch ids) appends records: WxH/STEP. All "
                         "when empty."},
    [WS_SETTING_GEOMETRY] = {"geometry", WS_SETTING_TYPE_ENUM, "auto", "Geometry",
                             "Capture what acceleration structures are built of, shader groups and shader "
                             "binding tables: on, off, or auto, which is on where the pass ray_events is "
                             "chosen."},
    [WS_SETTING_LOG_LEVEL] = {"log_level", WS_SETTING_TYPE_ENUM, "warning", "Messages",
                              "The least important messages that are still said: information, warning, "
                              "error or none. The capture has all of them."},
};

static const char *stage_option(size_t index)
{
    return index < 14 ? ws_stage_name(1u << index) : NULL;
}

static const char *pass_option(size_t index)
{
    size_t count;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    return index < count ? passes[index].name : NULL;
}

const char *ws_setting_option(enum ws_setting_id id, size_t index)
{
    /* In the order of enum ws_severity, and WS_LOG_NONE. */
    static const char *const levels[] = {"information", "warning", "error", "none", NULL};
    static const char *const geometry[] = {"auto", "on", "off", NULL};
    switch (id) {
    case WS_SETTING_PASSES: return pass_option(index);
    case WS_SETTING_STAGES: return stage_option(index);
    case WS_SETTING_GEOMETRY: return geometry[index];
    case WS_SETTING_LOG_LEVEL: return levels[index];
    default: return NULL;
    }
}

const char *ws_setting_option_summary(enum ws_setting_id id, size_t index)
{
    size_t count;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    return id == WS_SETTING_PASSES && index < count ? passes[index].summary : "";
}
