/* Writing a plug-in: a shared object with passes of your own, built against the installed headers alone. Analyses of your own
 * are told of in counter_analysis.h, which may stand in one shared object with a pass, and in analysis.h.
 *
 *     #include <warpscope/pass.h>
 *     #include <warpscope/plugin.h>
 *
 *     static void visit(struct ws_visit *visit) { ws_visit_count(visit, 0); }
 *     static const struct ws_pass mine = {.name = "mine", .summary = "executions of blocks", .stages = WS_STAGES_ALL,
 *                                         .places = WS_PLACE_BLOCK, .visit = visit};
 *     WS_PASS_PLUGIN(&mine)
 *
 *     cc -shared -fPIC NAME.c -o NAME.so $(pkg-config --cflags warpscope)
 *     warpscope --plugin ./NAME.so record -p mine -- PROGRAM
 *
 * A plug-in with passes includes this header behind pass.h in every file. It has WS_PASS_PLUGIN once, with the addresses of
 * its passes.
 *
 * HOW IT IS FOUND. `warpscope --plugin FILE` before any command, or the environment variable WARPSCOPE_PLUGINS: files, or
 * folders whose files NAME.so are taken, separated by colons. Paths are absolute in the variable; the command makes them so.
 * Nothing is looked for in the working directory. A file that others than its user and the superuser can write is refused. The
 * layer loads plug-ins into the application's process, but never into one with more rights than who started it (set-user-id,
 * file capabilities); settings files cannot name them.
 *
 * HOW IT IS BOUND. The layer exports nothing and binds to nothing of the application, so a plug-in cannot link to it. It calls
 * the functions of pass.h by a table that it is given when it is loaded; this header makes the names stand for that. So a
 * plug-in needs no library. It is never unloaded.
 *
 * VERSIONS. WS_PASS_INTERFACE rises when what pass.h and this header say changes other than by functions at the end of the
 * table. A plug-in of another version, or one that needs more functions than there are, is refused with a message; then the
 * application runs without it. */
#ifndef WARPSCOPE_PLUGIN_H
#define WARPSCOPE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/pass.h"

#define WS_PASS_INTERFACE 1u

/* The functions of pass.h. New ones come last. */
#define WS_VISIT_FUNCTIONS(X)                                                                                \
    X(place)                                                                                                 \
    X(stages)                                                                                                \
    X(reached)                                                                                               \
    X(opcode)                                                                                                \
    X(operand)                                                                                               \
    X(has_capability)                                                                                        \
    X(constant)                                                                                              \
    X(skip)                                                                                                  \
    X(count)                                                                                                 \
    X(count_place)                                                                                           \
    X(record)                                                                                                \
    X(record_data)                                                                                           \
    X(can_record)                                                                                            \
    X(words)                                                                                                 \
    X(call)                                                                                                  \
    X(hit_attributes)                                                                                        \
    X(query_key)                                                                                             \
    X(query_words)                                                                                           \
    X(data)                                                                                                  \
    X(loop)                                                                                                  \
    X(first)                                                                                                 \
    X(definition)                                                                                            \
    X(definition_operand)                                                                                    \
    X(access_count)                                                                                          \
    X(count_access)                                                                                          \
    X(record_accesses)                                                                                       \
    X(access_address)                                                                                        \
    X(hit_object_words)                                                                                      \
    X(clock)                                                                                                 \
    X(record_clock)                                                                                          \
    X(payload)                                                                                               \
    X(halves)                                                                                                \
    X(can_use_report)                                                                                        \
    X(constant_value)

struct ws_visit_functions {
#define WS_VISIT_FUNCTION(name) __typeof__(&ws_visit_##name) name;
    WS_VISIT_FUNCTIONS(WS_VISIT_FUNCTION)
#undef WS_VISIT_FUNCTION
};

/* What plug-ins export: one with passes, one with analyses (analysis.h), one with analyses of counters (counter_analysis.h). */
#define WS_PASS_PLUGIN_SYMBOL             "ws_pass_plugin"
#define WS_ANALYSIS_PLUGIN_SYMBOL         "ws_analysis_plugin"
#define WS_COUNTER_ANALYSIS_PLUGIN_SYMBOL "ws_counter_analysis_plugin"

/* What is exported under the first of these names. The first member never changes its place. */

struct ws_pass_plugin {
    uint32_t interface;     /* WS_PASS_INTERFACE */
    uint32_t pass_size;     /* of struct ws_pass, bytes */
    uint32_t function_size; /* of struct ws_visit_functions, bytes: those that the plug-in may call */
    uint32_t pass_count;
    const struct ws_pass *const *passes;
    const struct ws_visit_functions **functions; /* receives the table, before any pass is visited */
};

/* Where this shared object keeps the table. */
extern __attribute__((visibility("hidden"))) const struct ws_visit_functions *ws_plugin_functions;

/* Makes a shared object a plug-in with these passes. Once, in one of its files. */
#define WS_PASS_PLUGIN(...)                                                                                  \
    const struct ws_visit_functions *ws_plugin_functions;                                                    \
    static const struct ws_pass *const ws_plugin_passes[] = {__VA_ARGS__};                                   \
    extern __attribute__((visibility("default"))) const struct ws_pass_plugin ws_pass_plugin;                \
    const struct ws_pass_plugin ws_pass_plugin = {.interface = WS_PASS_INTERFACE,                            \
                                                  .pass_size = sizeof(struct ws_pass),                       \
                                                  .function_size = sizeof(struct ws_visit_functions),        \
                                                  .pass_count = sizeof(ws_plugin_passes) /                   \
                                                                sizeof(ws_plugin_passes[0]),                 \
                                                  .passes = ws_plugin_passes,                                \
                                                  .functions = &ws_plugin_functions};

/* Within a plug-in, the functions of pass.h are those of the table. */
#ifndef WS_PLUGIN_HOST
#define ws_visit_place              ws_plugin_functions->place
#define ws_visit_stages             ws_plugin_functions->stages
#define ws_visit_reached            ws_plugin_functions->reached
#define ws_visit_opcode             ws_plugin_functions->opcode
#define ws_visit_operand            ws_plugin_functions->operand
#define ws_visit_has_capability     ws_plugin_functions->has_capability
#define ws_visit_constant           ws_plugin_functions->constant
#define ws_visit_skip               ws_plugin_functions->skip
#define ws_visit_count              ws_plugin_functions->count
#define ws_visit_count_place        ws_plugin_functions->count_place
#define ws_visit_record             ws_plugin_functions->record
#define ws_visit_record_data        ws_plugin_functions->record_data
#define ws_visit_can_record         ws_plugin_functions->can_record
#define ws_visit_words              ws_plugin_functions->words
#define ws_visit_call               ws_plugin_functions->call
#define ws_visit_hit_attributes     ws_plugin_functions->hit_attributes
#define ws_visit_query_key          ws_plugin_functions->query_key
#define ws_visit_query_words        ws_plugin_functions->query_words
#define ws_visit_hit_object_words   ws_plugin_functions->hit_object_words
#define ws_visit_data               ws_plugin_functions->data
#define ws_visit_loop               ws_plugin_functions->loop
#define ws_visit_first              ws_plugin_functions->first
#define ws_visit_definition         ws_plugin_functions->definition
#define ws_visit_definition_operand ws_plugin_functions->definition_operand
#define ws_visit_access_count       ws_plugin_functions->access_count
#define ws_visit_count_access       ws_plugin_functions->count_access
#define ws_visit_record_accesses    ws_plugin_functions->record_accesses
#define ws_visit_access_address     ws_plugin_functions->access_address
#define ws_visit_clock              ws_plugin_functions->clock
#define ws_visit_record_clock       ws_plugin_functions->record_clock
#define ws_visit_payload            ws_plugin_functions->payload
#define ws_visit_halves             ws_plugin_functions->halves
#define ws_visit_can_use_report     ws_plugin_functions->can_use_report
#define ws_visit_constant_value     ws_plugin_functions->constant_value
#endif

#endif
