/* Writing an analysis of counters in a plug-in (plugin.h): it says what it sums, and `warpscope report` shows it as text,
 * JSON and CSV, with --by, --sort, --filter and --fields, as it does its own.
 *
 *     static bool count(const struct ws_counted *counted, uint64_t *sums, uint64_t *own)
 *     {
 *         (void)own;
 *         sums[EXECUTIONS] = counted->executions;
 *         sums[ACTIVE] = counted->active;
 *         sums[LANES] = counted->executions * counted->lane_count;
 *         return true;
 *     }
 *
 * `count` is called for each site that the pass counts (ws_visit_count, ws_visit_count_place), in each shader and launch.
 * What it sets is added to the rows of all tables: to that of the shader, of the source line, of the launch, as the table is
 * declared.
 *
 *     static const struct ws_figure figures[] = {
 *         {"executions", "of loads and stores, by warps", WS_FIGURE_COUNT, EXECUTIONS},
 *         {"efficiency", "share of lanes that are active", WS_FIGURE_SHARE, ACTIVE, LANES}};
 *     static const struct ws_figure_table tables[] = {
 *         {"total", "Loads and stores", 0, "executions efficiency"},
 *         {"lines", "By source line", WS_BY_SHADER | WS_BY_LINE, "shader source executions efficiency", "-executions"}};
 *     static const struct ws_counter_analysis mine = {
 *         .name = "loads", .summary = "how full warps are at loads and stores", .pass = "loads", .figures = figures,
 *         .figure_count = 2, .tables = tables, .table_count = 2, .sum_count = 3, .count = count};
 *     WS_COUNTER_ANALYSIS_PLUGIN(&mine)
 *
 * WHICH FORM. This one is for figures that are sums over the sites that a pass counts. It needs no function of Warpscope, so
 * it may stand in one file with its pass. Records, rays, text, plots or findings of its own need a struct ws_analysis
 * (analysis.h). The command makes one of each struct ws_counter_analysis.
 *
 * examples/plugin/loads.c is a pass with its analysis, in one file. Everything in a declaration is static. `count` may be
 * called in one thread at a time. */
#ifndef WARPSCOPE_COUNTER_ANALYSIS_H
#define WARPSCOPE_COUNTER_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/instrument.h"

#define WS_COUNTER_ANALYSIS_INTERFACE 1u

#define WS_SUMS_MAX 16

/* One site of the pass in one shader and launch. */
struct ws_counted {
    uint64_t launch;            /* index */
    uint32_t shader;            /* id */
    uint32_t stage;             /* enum ws_stage */
    uint32_t tag;               /* that the pass gave the site */
    uint32_t kind;              /* enum ws_site_kind: WS_SITE_BLOCK or WS_SITE_COUNT */
    uint32_t opcode;            /* of the instruction that the site is about; 0 = none, or not known */
    uint32_t block;             /* index of its block in the module */
    uint32_t instruction_count; /* instructions that a device executes in that block */
    const char *file;           /* source file; NULL = not known */
    uint32_t line;              /* in it */
    uint32_t lane_count;        /* lanes of a full warp: the device's subgroup size */
    bool per_thread; /* threads were counted, not warps: the stage has no subgroups (then lane_count is 1) */
    uint64_t executions;  /* by warps; per_thread: by threads */
    uint64_t active;      /* lanes, summed over the executions */
    const uint32_t *bins; /* bins[n - 1]: executions with n active lanes */
    uint32_t bin_count;
};

/* What a table groups by. Its fields in `fields` and `sort`: */
enum ws_by {
    WS_BY_STAGE = 1 << 0,  /* stage */
    WS_BY_SHADER = 1 << 1, /* shader shader_id, and stage */
    WS_BY_LINE = 1 << 2,   /* source: file and line; places without are left out */
    WS_BY_LAUNCH = 1 << 3, /* launch launch_kind launch_size label, and more */
    WS_BY_OWN = 1 << 4,    /* the analysis's own, by its name */
};

enum ws_figure_format {
    WS_FIGURE_COUNT, /* sums[value], an integer */
    WS_FIGURE_PART,  /* sums[value] as a share of sums[of]: 12.5 %; JSON and CSV have the count */
    WS_FIGURE_SHARE, /* sums[value] / sums[of], 0 to 1: 12.5 % */
    WS_FIGURE_RATIO, /* sums[value] / sums[of]: 1.25 */
};

struct ws_figure {
    const char *name; /* "efficiency": small letters, digits and '_' */
    const char *help;
    enum ws_figure_format format;
    uint32_t value; /* index in the sums */
    uint32_t of;    /* likewise */
};

struct ws_figure_table {
    const char *name;    /* its member in JSON, its file of CSV */
    const char *heading; /* in text */
    uint32_t by;         /* mask of enum ws_by; 0 = the total, one row */
    const char *fields;  /* in text, separated by spaces */
    const char *sort;    /* "-executions": the largest first; NULL = by what it groups */
    uint32_t rows;       /* in text; 0 = 20 */
};

struct ws_counter_analysis {
    const char *name;    /* as `warpscope report FILE NAME` has it */
    const char *summary; /* one line */
    const char *pass;    /* whose sites it hears */
    const char *words;   /* explains its words in --help; NULL = they need none */
    const char *own;     /* name of a dimension of its own; NULL = none */
    const char *own_help;
    const char *(*own_text)(uint64_t key); /* the text of a key that `count` gave; static */
    const struct ws_figure *figures;
    uint32_t figure_count;
    const struct ws_figure_table *tables;
    uint32_t table_count;
    uint32_t sum_count; /* at most WS_SUMS_MAX */
    /* Sets the sums of a site, which are 0, and the key of the own dimension, if it has one. False = the site is left out. */
    bool (*count)(const struct ws_counted *counted, uint64_t *sums, uint64_t *own);
};

/* What a plug-in exports, by the name ws_counter_analysis_plugin. The first member never changes its place. */
struct ws_counter_analysis_plugin {
    uint32_t interface;     /* WS_COUNTER_ANALYSIS_INTERFACE */
    uint32_t analysis_size; /* of struct ws_counter_analysis, bytes */
    uint32_t counted_size;  /* of struct ws_counted, bytes: what `count` may read */
    uint32_t analysis_count;
    const struct ws_counter_analysis *const *analyses;
};

/* Makes a shared object a plug-in with these analyses. Once, in one of its files. */
#define WS_COUNTER_ANALYSIS_PLUGIN(...)                                                                      \
    static const struct ws_counter_analysis *const ws_plugin_counter_analyses[] = {__VA_ARGS__};             \
    extern __attribute__((visibility("default")))                                                            \
    const struct ws_counter_analysis_plugin ws_counter_analysis_plugin;                                      \
    const struct ws_counter_analysis_plugin ws_counter_analysis_plugin = {                                   \
        .interface = WS_COUNTER_ANALYSIS_INTERFACE,                                                          \
        .analysis_size = sizeof(struct ws_counter_analysis),                                                 \
        .counted_size = sizeof(struct ws_counted),                                                           \
        .analysis_count = sizeof(ws_plugin_counter_analyses) / sizeof(ws_plugin_counter_analyses[0]),        \
        .analyses = ws_plugin_counter_analyses};

#endif
