/* Writing an analysis in a plug-in (plugin.h), with all that the built-in ones have: their own options, tables, text, JSON,
 * CSV, findings, plots, the replay of the records, the catalog, rays and names. An analysis is a struct ws_analysis
 * (report/analysis.h), whose callbacks call what the headers of the folders beside this one declare:
 *
 *     base      arrays, maps, texts, arenas          model     what a capture means: catalog, names, replay, counters, times
 *     spirv     what a module says                   output    tables, JSON, pictures
 *     code      what the code of a shader means      report    columns, sums by dimensions, findings
 *     capture   reading it with bounds
 *
 * Built-in analyses include these and nothing else of Warpscope, but what their folder and other analyses have. So each of
 * them is an example: analysis/simt/warp_entry_exit.c in the source is a small one.
 *
 *     #include <warpscope/analysis.h>
 *
 *     static const struct ws_analysis mine = {.name = "mine", .summary = "what it shows", .answers = "what is mine",
 *                                             .passes = passes, .columns = &columns, .create = create, ...};
 *     WS_ANALYSIS_PLUGIN(&mine)
 *
 *     cc -shared -fPIC -fvisibility=hidden NAME.c -o NAME.so $(pkg-config --cflags warpscope-analysis)
 *     warpscope --plugin ./NAME.so report run.wscope mine
 *
 * WHICH FORM. Where the figures are sums over the sites that a pass counts, a struct ws_counter_analysis
 * (counter_analysis.h) says it in 20 lines. It is made a struct ws_analysis by the command, and its interface changes less.
 *
 * HOW IT IS BOUND. A plug-in with such analyses links to nothing: the functions are the command's own, which exports exactly
 * those that these headers declare (but those of pass.h, which are for passes). The layer has none of them. So passes, which
 * the layer loads, are another shared object; the command refuses a file that has both. The layer passes by a file with
 * analyses alone.
 *
 * VERSIONS. WS_ANALYSIS_INTERFACE rises when a function or a struct of these headers changes its meaning. A plug-in that was
 * built for another number, or in whose headers a struct of WS_ANALYSIS_STRUCTS has another size, is refused with a message.
 * So it is built anew for a new Warpscope; no more is promised.
 *
 * OWNERSHIP, THREADS. What a plug-in declares is static: it is never unloaded. Callbacks are called by one thread at a time,
 * but those of the replay, which report/analysis.h and model/replay.h tell of. What a callback gets is not its own,
 * unless its comment says so. */
#ifndef WARPSCOPE_ANALYSIS_H
#define WARPSCOPE_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/output/table.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/findings.h"
#include "warpscope/report/groups.h"

#define WS_ANALYSIS_INTERFACE 6u

/* The structs that callbacks make or read: a size of each stands in a plug-in. New ones come last. */
#define WS_ANALYSIS_STRUCTS(X)                                                                               \
    X(ws_analysis)                                                                                           \
    X(ws_analysis_options)                                                                                   \
    X(ws_value)                                                                                              \
    X(ws_row)                                                                                                \
    X(ws_field)                                                                                              \
    X(ws_dimension)                                                                                          \
    X(ws_level)                                                                                              \
    X(ws_columns)                                                                                            \
    X(ws_view)                                                                                               \
    X(ws_groups)                                                                                             \
    X(ws_finding)                                                                                            \
    X(ws_findings)                                                                                           \
    X(ws_member)                                                                                             \
    X(ws_thread)                                                                                             \
    X(ws_context)                                                                                            \
    X(ws_replay_operations)                                                                                  \
    X(ws_module_record)                                                                                      \
    X(ws_shader_record)                                                                                      \
    X(ws_pipeline_record)                                                                                    \
    X(ws_launch_record)                                                                                      \
    X(ws_catalog)                                                                                            \
    X(ws_selection)                                                                                          \
    X(ws_overview)                                                                                           \
    X(ws_chunk)                                                                                              \
    X(ws_chunk_submission)                                                                                   \
    X(ws_shader_counters)                                                                                    \
    X(ws_launch)                                                                                             \
    X(ws_json)                                                                                               \
    X(ws_plot)                                                                                               \
    X(ws_image)                                                                                              \
    X(ws_table)                                                                                              \
    X(ws_replay_threads)                                                                                     \
    X(ws_replay_place)                                                                                       \
    X(ws_replay_losses)                                                                                      \
    X(ws_replay_lost)                                                                                        \
    X(ws_lanes)                                                                                              \
    X(ws_module)                                                                                             \
    X(ws_instruction)                                                                                        \
    X(ws_block)                                                                                              \
    X(ws_function)                                                                                           \
    X(ws_entry_point)                                                                                        \
    X(ws_block_record)                                                                                       \
    X(ws_site_record)                                                                                        \
    X(ws_entry_record)                                                                                       \
    X(ws_function_record)                                                                                    \
    X(ws_call_site_record)                                                                                   \
    X(ws_constant_record)                                                                                    \
    X(ws_device_record)                                                                                      \
    X(ws_site_info)                                                                                          \
    X(ws_block_info)                                                                                         \
    X(ws_times)                                                                                              \
    X(ws_launch_time)                                                                                        \
    X(ws_launch_table)                                                                                       \
    X(ws_specialization)                                                                                     \
    X(ws_slot_shader)                                                                                        \
    X(ws_shader_yields)                                                                                      \
    X(ws_shader_group)                                                                                       \
    X(ws_id_map)                                                                                             \
    X(ws_text_pool)                                                                                          \
    X(ws_range)                                                                                              \
    X(ws_column)                                                                                             \
    X(ws_tally)                                                                                              \
    X(ws_groups_level)                                                                                       \
    X(ws_groups_plot)                                                                                        \
    X(ws_plot_mark)                                                                                          \
    X(ws_series)                                                                                             \
    X(ws_replay_sum)                                                                                         \
    X(ws_replay_turn)

#define WS_ANALYSIS_SIZE(name) (uint32_t)sizeof(struct name),

/* What a plug-in exports, by the name ws_analysis_plugin. The first member never changes its place. */
struct ws_analysis_plugin {
    uint32_t interface;    /* WS_ANALYSIS_INTERFACE */
    uint32_t struct_count; /* of WS_ANALYSIS_STRUCTS */
    const uint32_t *sizes; /* of these structs, bytes */
    uint32_t analysis_count;
    const struct ws_analysis *const *analyses;
};

/* Makes a shared object a plug-in with these analyses. Once, in one of its files. */
#define WS_ANALYSIS_PLUGIN(...)                                                                              \
    static const struct ws_analysis *const ws_plugin_analyses[] = {__VA_ARGS__};                             \
    static const uint32_t ws_plugin_sizes[] = {WS_ANALYSIS_STRUCTS(WS_ANALYSIS_SIZE)};                       \
    extern __attribute__((visibility("default"))) const struct ws_analysis_plugin ws_analysis_plugin;        \
    const struct ws_analysis_plugin ws_analysis_plugin = {                                                   \
        .interface = WS_ANALYSIS_INTERFACE,                                                                  \
        .struct_count = sizeof(ws_plugin_sizes) / sizeof(ws_plugin_sizes[0]),                                \
        .sizes = ws_plugin_sizes,                                                                            \
        .analysis_count = sizeof(ws_plugin_analyses) / sizeof(ws_plugin_analyses[0]),                        \
        .analyses = ws_plugin_analyses};

#endif
