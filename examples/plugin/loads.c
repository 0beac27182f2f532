/* A pass with its analysis, in a plug-in: how full the warps are where they load from memory, and where they store to it. Of
 * each OpLoad, OpStore and image access the executions are counted, by active lanes.
 *
 *     meson setup build && ninja -C build        (or: cc -shared -fPIC loads.c -o loads.so $(pkg-config --cflags warpscope))
 *     warpscope --plugin build/loads.so record -p loads -o run.wscope -- PROGRAM
 *     warpscope --plugin build/loads.so report run.wscope loads
 *
 * Loads and stores of local variables count too, although a driver keeps most of them in registers. */
#include <spirv/unified1/spirv.h>

#include <warpscope/counter_analysis.h>
#include <warpscope/pass.h>
#include <warpscope/plugin.h>

/* ---- The pass ---- */

/* What a site counts: the analysis is told these numbers. */
enum tag { TAG_READ = 0, TAG_WRITE = 1 };

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_opcode(visit)) {
    case SpvOpStore:
    case SpvOpImageWrite: ws_visit_count_place(visit, TAG_WRITE); break;
    default: ws_visit_count_place(visit, TAG_READ); break;
    }
}

static const uint16_t opcodes[] = {SpvOpLoad,
                                   SpvOpStore,
                                   SpvOpImageRead,
                                   SpvOpImageWrite,
                                   SpvOpImageSampleExplicitLod,
                                   SpvOpImageSampleImplicitLod};

static const struct ws_pass loads = {
    .name = "loads",
    .summary = "active lanes of every warp at loads and stores",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};

WS_PASS_PLUGIN(&loads)

/* ---- The analysis: what `warpscope report` shows ---- */

enum sum { EXECUTIONS, ACTIVE, LANES, SUMS };

static bool count(const struct ws_counted *counted, uint64_t *sums, uint64_t *own)
{
    sums[EXECUTIONS] = counted->executions;
    sums[ACTIVE] = counted->active;
    sums[LANES] = counted->executions * counted->lane_count;
    *own = counted->tag;
    return counted->executions > 0;
}

static const char *access_name(uint64_t key)
{
    return key == TAG_READ ? "read" : "write";
}

static const struct ws_figure figures[] = {
    {"accesses", "loads and stores, by warps", WS_FIGURE_COUNT, EXECUTIONS, 0},
    {"threads", "loads and stores, by threads", WS_FIGURE_COUNT, ACTIVE, 0},
    {"efficiency", "share of a warp's lanes that are active there", WS_FIGURE_SHARE, ACTIVE, LANES},
};

static const struct ws_figure_table tables[] = {
    {"total", "Loads and stores", 0, "accesses threads efficiency", NULL, 0},
    {"kinds", "By kind", WS_BY_OWN, "access accesses threads efficiency", NULL, 0},
    {"shaders", "By shader", WS_BY_SHADER, "shader stage accesses threads efficiency", "-threads", 0},
    {"lines", "By source line", WS_BY_SHADER | WS_BY_LINE | WS_BY_OWN,
     "shader source access accesses threads efficiency", "-threads", 10},
};

static const struct ws_counter_analysis loads_analysis = {
    .name = "loads",
    .summary = "how full warps are where they load and store",
    .pass = "loads",
    .own = "access",
    .own_help = "read or write",
    .own_text = access_name,
    .figures = figures,
    .figure_count = sizeof(figures) / sizeof(figures[0]),
    .tables = tables,
    .table_count = sizeof(tables) / sizeof(tables[0]),
    .sum_count = SUMS,
    .count = count,
};

WS_COUNTER_ANALYSIS_PLUGIN(&loads_analysis)
