/* How divergence is shown: its columns, from which tables, JSON, CSV and plots come. */
#include "analysis/trace/divergence.h"
#include "warpscope/report/columns.h"

static const struct ws_dimension dimensions[] = {
    [WS_DIVERGENCE_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_DIVERGENCE_PIPELINE] = {WS_DIMENSION_PIPELINE},
    [WS_DIVERGENCE_STAGE] = {WS_DIMENSION_STAGE},
    [WS_DIVERGENCE_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_DIVERGENCE_STAGE},
    [WS_DIVERGENCE_BLOCK] = {WS_DIMENSION_BLOCK, .implies = 1u << WS_DIVERGENCE_SHADER},
    [WS_DIVERGENCE_DIMENSIONS] = {NULL},
};

static const struct ws_divergence_counts *counts_of(const struct ws_row *row)
{
    return row->sums;
}

static void inactive(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, counts_of(row)->slots - counts_of(row)->active);
}

static void truncated(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, counts_of(row)->truncated);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", counts_of(row)->truncated != 0 ? "records missing" : "");
}

#define AT(member)   .at = offsetof(struct ws_divergence_counts, member)
#define PART(member) WS_PART, AT(member), .of = offsetof(struct ws_divergence_counts, slots)

static const struct ws_field measures[] = {
    {"executions", "of blocks, by warps", WS_COUNT, AT(executions), .better = WS_BETTER_LESS},
    {"slots", "subgroup size x instructions, summed over executions", WS_COUNT, AT(slots),
     .better = WS_BETTER_LESS},
    {"inactive", "those of them that are not active", WS_COUNT, .value = inactive, .better = WS_BETTER_LESS},
    {"active", "slots of active lanes", PART(active), .better = WS_BETTER_MORE},
    {"control_flow", "slots of lanes whose thread is elsewhere in the same shader", PART(control_flow),
     .better = WS_BETTER_LESS},
    {"indirect_call", "slots of lanes whose thread is not in the shader that was called", PART(indirect_call),
     .better = WS_BETTER_LESS},
    {"early_return", "slots of lanes whose thread has ended", PART(early_return), .better = WS_BETTER_LESS},
    {"partial_warp", "slots of lanes that never had a thread", PART(partial_warp), .better = WS_BETTER_LESS},
    {"helper_lanes", "the same of fragment shaders: helper lanes, and lanes that the device left empty",
     PART(helper_lane), .flags = WS_BLANK_ZERO, .better = WS_BETTER_LESS},
    {"regrouped", "slots in warps that the device put together anew, and beyond", PART(apart),
     .flags = WS_BLANK_ZERO},
    {"truncated", "some records of the launch are missing", WS_FLAG, AT(truncated), .flags = WS_MAX,
     .value = truncated},
    {"note", "what is missing", WS_TEXT, .flags = WS_TABLES, .value = note},
    {NULL},
};

#define SHARES "active control_flow indirect_call early_return partial_warp helper_lanes regrouped"
#define COUNTS " executions slots " SHARES

static const struct ws_level levels[] = {
    [WS_DIVERGENCE_BY_ALL] = {"total"},
    [WS_DIVERGENCE_BY_STAGE] = {"stages",
                                "Divergence: shares of instruction slots (subgroup size x instructions of "
                                "every block executed)",
                                .by = 1u << WS_DIVERGENCE_STAGE, .rows = UINT32_MAX, .total = true,
                                .text = "stage" COUNTS},
    [WS_DIVERGENCE_BY_PIPELINE] = {"pipelines", "Pipelines", .by = 1u << WS_DIVERGENCE_PIPELINE,
                                   .text = "pipeline_id pipeline" COUNTS},
    [WS_DIVERGENCE_BY_SHADER] = {"shaders", "Shaders", .by = 1u << WS_DIVERGENCE_SHADER, .rows = 40,
                                 .sort = "-slots", .text = "shader_id shader stage" COUNTS},
    [WS_DIVERGENCE_BY_LAUNCH] = {"launches", "Launches", .by = 1u << WS_DIVERGENCE_LAUNCH,
                                 .text = "launch launch_kind launch_size label subgroup_size" COUNTS " note"},
    [WS_DIVERGENCE_BY_BLOCK] = {"blocks", "Blocks with most inactive slots", .by = 1u << WS_DIVERGENCE_BLOCK,
                                .sort = "-inactive", .filter = "inactive > 0",
                                .text = "shader block part source inactive executions " SHARES},
    {NULL},
};

const struct ws_columns ws_divergence_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_divergence_counts),
    .shown = "executions slots " SHARES,
    .main = "active slots control_flow indirect_call early_return partial_warp helper_lanes",
    .weight = "slots"};

const char ws_divergence_words[] =
    "A block that a warp executes has a slot for each of its instructions and each lane of\n"
    "the subgroup size. A lane's slots are active, or lost to one cause: control flow (its\n"
    "thread is elsewhere in the same shader, or beside the call that led here), indirect\n"
    "call (its thread was in that call, but is not in this shader: another one was called,\n"
    "or it is back already), early return (its thread has ended), partial warp (it never\n"
    "had a thread), helper lanes (the same of fragment shaders, where nearly all such lanes\n"
    "run beside a fragment for its derivatives). Regrouped are those of indirect calls that\n"
    "the device ran in warps put together anew.\n";

static const struct ws_divergence_counts *total_of(const struct ws_divergence_results *results)
{
    return ws_groups_find(results->groups, WS_DIVERGENCE_BY_ALL, NULL);
}

const char *ws_divergence_nothing(const void *pointer)
{
    return total_of(pointer)->executions > 0 ? NULL : "no execution of a block was recorded";
}

bool ws_divergence_text(const void *pointer, FILE *stream)
{
    const struct ws_divergence_results *results = pointer;
    if (ws_divergence_nothing(results) == NULL)
        return ws_groups_text_all(results->groups, stream);
    fprintf(stream, "\nDivergence: %s\n", ws_divergence_nothing(results));
    return true;
}

#define BUCKETS 6

/* All slots of the capture, a bar for each bucket. */
static bool plot_buckets(const struct ws_divergence_results *results, struct ws_plots *plots,
                         struct ws_error *error)
{
    const struct ws_divergence_counts *counts = total_of(results);
    if (counts == NULL || counts->slots == 0)
        return true;
    const struct {
        const char *name;
        uint64_t slots;
    } buckets[BUCKETS] = {{"active", counts->active},
                          {"control flow", counts->control_flow},
                          {"indirect call", counts->indirect_call},
                          {"early return", counts->early_return},
                          {"partial warp", counts->partial_warp},
                          {"helper lanes", counts->helper_lane}};
    const char *labels[BUCKETS];
    double shares[BUCKETS];
    size_t count = 0;
    for (size_t i = 0; i < BUCKETS; ++i)
        if (buckets[i].slots > 0) {
            labels[count] = buckets[i].name;
            shares[count++] = 100 * ((double)buckets[i].slots / (double)counts->slots);
        }
    const struct ws_series series = {"slots", NULL, shares, count};
    const struct ws_plot plot = {
        .kind = WS_PLOT_ROWS,
        .title = "Where the instruction slots went",
        .about = "Every lane of a warp has a slot in each instruction that the warp executes. "
                 "The slots that are not active are lost, for the reasons given.",
        .y_label = "% of all instruction slots",
        .unit = " %",
        .labels = labels,
        .series = &series,
        .series_count = 1,
        .y_max = 100};
    return ws_plots_plot(plots, "all", &plot, error);
}

bool ws_divergence_plots(const void *pointer, struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_divergence_results *results = pointer;
    const char *fields = "active control_flow indirect_call early_return partial_warp helper_lanes";
    const struct {
        uint32_t level;
        struct ws_groups_plot plot;
    } drawn[] = {
        {WS_DIVERGENCE_BY_STAGE,
         {WS_PLOT_ROWS, "stages", "Instruction slots by stage",
          .about = "How each stage used its slots; the number is how many it had.", .label = "stage"}},
        {WS_DIVERGENCE_BY_SHADER,
         {WS_PLOT_ROWS, "shaders", "Instruction slots by shader",
          .about = "How each shader used its slots; the number is how many it had, the most first.",
          .label = "shader"}},
        {WS_DIVERGENCE_BY_LAUNCH,
         {WS_PLOT_ROWS, "launches", "Instruction slots by launch",
          .about = "How each launch used its slots; the number is how many it had.", .label = "launch"}},
    };
    if (!plot_buckets(results, plots, error))
        return false;
    for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); ++i) {
        struct ws_groups_plot plot = drawn[i].plot;
        plot.fields = fields;
        plot.detail = "slots";
        plot.y_label = "% of the instruction slots of each";
        plot.unit = " %";
        plot.y_max = 100;
        if (!ws_groups_plot(results->groups, drawn[i].level, &plot, plots, error))
            return false;
    }
    return true;
}
