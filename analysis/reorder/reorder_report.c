/* How reordering is shown: its columns, from which tables, JSON and CSV come. */
#include <inttypes.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/report/columns.h"

#define NAME_SIZE 512

static const struct ws_reorder_sums *sums_of(const struct ws_row *row)
{
    return row->sums;
}

static void site_name(const struct ws_row *row, struct ws_value *value)
{
    char name[NAME_SIZE];
    ws_reorder_site_name(row->user, row->key, name, sizeof(name));
    ws_value_text(value, "%s", name);
}

static void site_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, (uint32_t)row->key);
}

static void site_state(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t state = ws_reorder_state(row->user, row->key);
    if (state != WS_NONE)
        ws_value_count(value, state);
}

static void number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void key_name(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_reorder_key_name((uint32_t)row->key));
}

const char *ws_reorder_key_name(uint32_t key)
{
    static const char *const names[WS_REORDER_KEYS] = {"packed", "shader", "called",  "instance", "geometry",
                                                       "octant", "hit",    "payload", "branch",   "path"};
    return names[key];
}

static void window_name(const struct ws_row *row, struct ws_value *value)
{
    static const char *const names[WS_REORDER_WINDOWS] = {"1",   "4",   "16",    "64",
                                                          "256", "all", "split", "workgroup"};
    ws_value_text(value, "%s", names[row->key]);
}

static void ran_name(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", ws_shader_name(row->catalog, (uint32_t)row->key));
}

static const struct ws_field site_fields[] = {
    {"call_site", "its instruction and where that is", WS_TEXT, .value = site_name},
    {"offset", "where the instruction is in the module, in words", WS_COUNT, .value = site_offset},
    {"state", "bytes that a thread keeps over the call: values, variables, payloads", WS_COUNT,
     .flags = WS_DASH | WS_FIGURE | WS_STEADY, .value = site_state},
    {NULL}};

static const struct ws_field bounce_fields[] = {
    {"bounce",
     "round of the innermost loop around the call, from 1, and what recursion adds; of branches and\nloops "
     "of compute shaders 16 is 16 and more",
     WS_COUNT, .value = number},
    {NULL}};

static const struct ws_field key_fields[] = {{"key",
                                              "what threads are sorted by: packed (nothing), shader, called, "
                                              "instance, geometry, octant,\nhit, payload, "
                                              "branch, path",
                                              WS_TEXT, .value = key_name},
                                             {NULL}};

static const struct ws_field window_fields[] = {
    {"window",
     "warps in a row that exchange threads: 1, 4, 16, 64, 256 or all; or split: all, and each value of\nthe "
     "key in a launch of its own; or those of a workgroup",
     WS_TEXT, .flags = WS_RIGHT, .value = window_name},
    {NULL}};

static const struct ws_field ran_fields[] = {
    {"ran", "shader whose blocks are executed", WS_TEXT, .value = ran_name}, {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_REORDER_BY_LAUNCH] = {WS_DIMENSION_LAUNCH},
    [WS_REORDER_BY_STAGE] = {WS_DIMENSION_STAGE},
    [WS_REORDER_BY_SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << WS_REORDER_BY_STAGE},
    [WS_REORDER_BY_SITE] = {"call_site", "where threads would be sorted", site_fields,
                            .implies = 1u << WS_REORDER_BY_SHADER, .same = "call_site"},
    [WS_REORDER_BY_BOUNCE] = {"bounce", "round in which the call site is visited", bounce_fields},
    [WS_REORDER_BY_KEY] = {"key", "what threads are sorted by", key_fields},
    [WS_REORDER_BY_WINDOW] = {"window", "how many warps exchange threads", window_fields},
    [WS_REORDER_BY_RAN] = {"ran", "shader that runs behind the call", ran_fields},
    [WS_REORDER_DIMENSIONS] = {NULL},
};

static void share(struct ws_value *value, uint64_t part, uint64_t of)
{
    if (of > 0)
        ws_value_real(value, (double)part / (double)of);
}

/* What is saved of `before`; less than 0 where more is executed. */
static void saved(struct ws_value *value, uint64_t before, uint64_t after)
{
    if (before > 0)
        ws_value_real(value, ((double)before - (double)after) / (double)before);
}

static void saved_executions(const struct ws_row *row, struct ws_value *value)
{
    saved(value, sums_of(row)->executions, sums_of(row)->executions_after);
}

static void saved_calls(const struct ws_row *row, struct ws_value *value)
{
    saved(value, sums_of(row)->calls, sums_of(row)->joined);
}

static void saved_slots(const struct ws_row *row, struct ws_value *value)
{
    saved(value, sums_of(row)->slots, sums_of(row)->slots_after);
}

/* Bits that tell so many values of the key apart. */
static void bits(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->values > 0)
        ws_value_count(value, ws_reorder_bits(sums_of(row)->values));
}

static void worth(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_reorder_sums *sums = row->sums;
    const uint64_t key = row->keys[WS_REORDER_BY_KEY];
    const bool sorted = key == WS_KEY_NONE || (key != WS_REORDER_PACKED && key != WS_REORDER_PATH);
    if (sorted && sums->cost > 0)
        ws_value_real(value, ((double)sums->slots - (double)sums->slots_after) / (double)sums->cost);
}

static void launch_worth(const struct ws_row *row, struct ws_value *value)
{
    if (sums_of(row)->launches > 0)
        worth(row, value);
}

/* What was found for the call site: bits, or a branch. */
static void sorted_by(const struct ws_row *row, struct ws_value *value)
{
    char text[NAME_SIZE];
    const uint64_t site = row->keys[WS_REORDER_BY_SITE];
    text[0] = '\0';
    if (site >> 32 < row->catalog->shader_count)
        ws_reorder_by(row->user, site, row->keys[WS_REORDER_BY_KEY], text, sizeof(text));
    ws_value_text(value, "%s", text);
}

/* Efficiency by a key that asks what rays hit: where that is known. */
static void of_rays(const struct ws_row *row, struct ws_value *value, uint32_t key)
{
    const struct ws_reorder_results *results = row->user;
    if (results->rays)
        share(value, sums_of(row)->active_after, sums_of(row)->slots_in[key]);
}

static void by_instance(const struct ws_row *row, struct ws_value *value)
{
    of_rays(row, value, WS_REORDER_BY_INSTANCE);
}

static void by_geometry(const struct ws_row *row, struct ws_value *value)
{
    of_rays(row, value, WS_REORDER_BY_GEOMETRY);
}

static void by_octant(const struct ws_row *row, struct ws_value *value)
{
    of_rays(row, value, WS_REORDER_BY_OCTANT);
}

static void by_hit(const struct ws_row *row, struct ws_value *value)
{
    of_rays(row, value, WS_REORDER_HIT);
}

/* Only where something is called: at a branch of a compute shader these keys tell no threads apart. */
static void of_calls(const struct ws_row *row, struct ws_value *value, uint32_t key)
{
    if (sums_of(row)->at_calls > 0)
        share(value, sums_of(row)->active_after, sums_of(row)->slots_in[key]);
}

static void by_shader(const struct ws_row *row, struct ws_value *value)
{
    of_calls(row, value, WS_REORDER_SHADER);
}

static void by_called(const struct ws_row *row, struct ws_value *value)
{
    of_calls(row, value, WS_REORDER_CALLED);
}

/* Likewise by what is handed over. */
static void by_payload(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_reorder_results *results = row->user;
    if (results->handed)
        share(value, sums_of(row)->active_after, sums_of(row)->slots_in[WS_REORDER_PAYLOAD]);
}

static void truncated(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, sums_of(row)->truncated);
}

static void note(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_reorder_sums *sums = sums_of(row);
    ws_value_text(value, "%s%s%s", sums->not_followed != 0 ? "not looked at: loops turn too often" : "",
                  sums->not_followed != 0 && sums->truncated != 0 ? "; " : "",
                  sums->truncated != 0 ? "records missing" : "");
}

#define AT(member) .at = offsetof(struct ws_reorder_sums, member)
#define EFFICIENCY(active, slots)                                                                            \
    WS_SHARE, AT(active), .of = offsetof(struct ws_reorder_sums, slots), .flags = WS_DASH,                   \
                          .better = WS_BETTER_MORE

#define PART(member, slots)                                                                                  \
    WS_PART, AT(member), .of = offsetof(struct ws_reorder_sums, slots), .better = WS_BETTER_LESS
#define BY_VALUE(name) WS_SHARE, .flags = WS_DASH, .better = WS_BETTER_MORE, .value = name

static const struct ws_field measures[] = {
    {"thread_calls", "calls by threads", WS_COUNT, AT(visits)},
    {"warp_calls", "calls by warps", WS_COUNT, AT(calls)},
    {"joined_calls",
     "calls by warps that are left if the k-th calls of a warp's threads came together,\nin whichever "
     "round of the loops around",
     WS_COUNT, AT(joined), .better = WS_BETTER_LESS},
    {"saved_calls", "share of calls by warps that this saves", WS_SHARE, .value = saved_calls},
    {"later_launches",
     "that follow the calls, if threads are sorted between launches: one for each round;\nsplit, for each "
     "value of the key in it",
     WS_COUNT, AT(launches)},
    {"moved_bytes", "that threads write before them and read in them: twice the state", WS_COUNT, AT(moved)},
    {"executions_before",
     "of blocks by warps behind the call, as they were; in a row of several call sites what follows\ntwo of "
     "them counts for each",
     WS_COUNT, AT(executions), .better = WS_BETTER_LESS},
    {"executions_after", "by new warps, with the key and window, else by called in windows of all", WS_COUNT,
     AT(executions_after), .better = WS_BETTER_LESS},
    {"saved", "share of executions that this saves; below 0 it takes more", WS_SHARE, .flags = WS_SIGNED,
     .value = saved_executions},
    {"slots_before", "subgroup size x instructions, summed over executions; likewise", WS_COUNT, AT(slots),
     .better = WS_BETTER_LESS},
    {"slots_after", "the same of new warps, as executions_after", WS_COUNT, AT(slots_after),
     .better = WS_BETTER_LESS},
    {"saved_slots", "share of slots that this saves; below 0 it takes more", WS_SHARE, .flags = WS_SIGNED,
     .value = saved_slots},
    {"active_slots", "slots of active lanes, before and after", WS_COUNT, AT(active)},
    {"efficiency_before", "share of slots that are active, as it was", EFFICIENCY(active, slots)},
    {"efficiency_after", "the same of new warps, as executions_after", EFFICIENCY(active_after, slots_after)},
    {"partial_warp_before", "slots, before, of lanes without a thread", PART(partial_warp, slots)},
    {"partial_warp_after", "slots after, likewise", PART(partial_warp_after, slots_after)},
    {"indirect_call_before", "of lanes whose thread is in no part of the shader that is executed",
     PART(indirect_call, slots)},
    {"indirect_call_after", "the same of new warps", PART(indirect_call_after, slots_after)},
    {"control_flow_before", "of lanes whose thread is elsewhere in that shader, or has left it",
     PART(control_flow, slots)},
    {"control_flow_after", "the same of new warps, or its thread has called again",
     PART(control_flow_after, slots_after)},
    {"packed", "efficiency if warps were filled up, in windows of all",
     EFFICIENCY(active_after, slots_in[WS_REORDER_PACKED])},
    {"by_shader", "if threads were sorted by the shader that is called; none at a branch",
     BY_VALUE(by_shader)},
    {"by_called", "if also by the callables that it runs", BY_VALUE(by_called)},
    {"by_instance", "if by the shader and the instance that is hit (pass ray_events)", BY_VALUE(by_instance)},
    {"by_geometry", "if by the shader and the geometry that is hit (likewise)", BY_VALUE(by_geometry)},
    {"by_octant", "if by the shader and the octant of the ray's direction (likewise)", BY_VALUE(by_octant)},
    {"by_hit", "if by the shader and those bits of what is hit that do best (likewise)", BY_VALUE(by_hit)},
    {"by_payload", "if by these and bits of what is handed over (pass payloads)", BY_VALUE(by_payload)},
    {"by_branch", "if by the shader and the way at the branch, or turns of the loop, that does best",
     EFFICIENCY(active_after, slots_in[WS_REORDER_BRANCH])},
    {"by_path", "if by all that they execute: the bound",
     EFFICIENCY(active_after, slots_in[WS_REORDER_PATH])},
    {"bits", "that tell the values of the key apart that come together", WS_COUNT, AT(values),
     .flags = WS_DASH | WS_STEADY | WS_MAX, .value = bits},
    {"cost", "slots that sorting is taken to cost: 16 a thread, and 2 for each 4 bytes of state", WS_COUNT,
     AT(cost)},
    {"worth", "slots saved / cost; below 2 it is not worth a try", WS_RATIO, .flags = WS_DASH, .value = worth,
     .better = WS_BETTER_MORE},
    {"launch_worth", "the same of windows of all and split: what can be had between launches", WS_RATIO,
     .flags = WS_DASH, .value = launch_worth, .better = WS_BETTER_MORE},
    {"sorted_by", "of the keys hit, payload and branch: which bits, which branch or loop", WS_TEXT,
     .value = sorted_by},
    {"truncated", "some records of the launch are missing", WS_FLAG, AT(truncated), .flags = WS_MAX,
     .value = truncated},
    {"not_followed",
     "launches that are not looked at, since loops with calls or branches in them turn too\noften to be "
     "followed: nothing else is told of them",
     WS_COUNT, AT(not_followed)},
    {"note", "what is missing", WS_TEXT, .flags = WS_TABLES, .value = note},
    {NULL},
};

#define SITE   "call_site offset shader_id shader stage"
#define BEFORE " executions_before slots_before active_slots efficiency_before"
#define AFTER  " executions_after slots_after saved saved_slots efficiency_after"
#define KEYS                                                                                                 \
    " packed by_shader by_called by_instance by_geometry by_octant by_hit by_payload by_branch by_path"
#define CAUSES                                                                                               \
    " partial_warp_before partial_warp_after indirect_call_before indirect_call_after control_flow_before "  \
    "control_flow_after"
#define SHOWN " packed by_shader by_called by_hit by_branch by_path"

static const struct ws_level levels[] = {
    [WS_REORDER_TOTAL] = {"total", .data = "thread_calls warp_calls joined_calls" BEFORE AFTER CAUSES KEYS
                                           " not_followed"},
    [WS_REORDER_SITES] =
        {"call_sites",
         "Reordering: efficiency of what follows a call, as it was, and if all threads of the launch "
         "were sorted there",
         .by = 1u << WS_REORDER_BY_SITE, .sort = "-slots_before",
         .text = "call_site shader thread_calls warp_calls slots_before efficiency_before" SHOWN,
         .data = SITE " thread_calls warp_calls" BEFORE AFTER KEYS},
    [WS_REORDER_WORTHY] =
        {"worth_sorting", "Worth sorting (worth: slots saved / what moving threads costs)",
         .by = 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_KEY, .sort = "-worth", .filter = "worth >= 2",
         .text =
             "call_site shader key bits state saved_slots efficiency_before efficiency_after worth sorted_by",
         .data = SITE " state key sorted_by bits thread_calls warp_calls" BEFORE AFTER " cost worth"},
    [WS_REORDER_SITE_CAUSES] =
        {"causes",
         "Why slots are idle there, as it was, and sorted: shares of the slots before, and of those after",
         .by = 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_KEY, .sort = "-worth", .filter = "worth >= 2",
         .text = "call_site shader key efficiency_before efficiency_after" CAUSES,
         .data = SITE " key" BEFORE AFTER CAUSES},
    [WS_REORDER_SITE_LAUNCHES] =
        {"between_launches",
         "Without the extension: sorted between launches, or (split) a launch for each value of the key",
         .by = 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_KEY | 1u << WS_REORDER_BY_WINDOW,
         .sort = "-launch_worth", .filter = "launch_worth >= 2",
         .text = "call_site shader key window later_launches moved_bytes saved_slots efficiency_before "
                 "efficiency_after",
         .data =
             SITE " key window later_launches moved_bytes thread_calls" BEFORE AFTER " cost launch_worth"},
    [WS_REORDER_SITE_JOINED] =
        {"joined",
         "Without the extension: calls moved out of the loops around them, so that calls of different "
         "rounds come together",
         .by = 1u << WS_REORDER_BY_SITE, .sort = "-saved_calls", .filter = "saved_calls >= 5 %",
         .text = "call_site shader thread_calls warp_calls joined_calls saved_calls",
         .data = SITE " thread_calls warp_calls joined_calls saved_calls"},
    [WS_REORDER_SITE_BOUNCES] =
        {"bounces", "The same by bounce", .by = 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_BOUNCE,
         .rows = 30,
         .text = "call_site shader bounce thread_calls warp_calls executions_before executions_after "
                 "efficiency_before" SHOWN,
         .data = SITE " bounce thread_calls warp_calls" BEFORE AFTER KEYS},
    [WS_REORDER_SITE_WINDOWS] =
        {"windows", "Executions of blocks by warps, if so many warps in a row exchange threads",
         .by = 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_KEY | 1u << WS_REORDER_BY_WINDOW, .rows = 72,
         .text = "call_site shader key window executions_before executions_after saved efficiency_before "
                 "efficiency_after",
         .data = SITE " key window" BEFORE AFTER CAUSES},
    [WS_REORDER_SITE_RAN] = {"ran",
                             .by =
                                 1u << WS_REORDER_BY_SITE | 1u << WS_REORDER_BY_KEY | 1u << WS_REORDER_BY_RAN,
                             .data = SITE " key ran" BEFORE AFTER CAUSES},
    [WS_REORDER_LAUNCHES] =
        {"launches", "Launches: all call sites added up, so that what follows two of them counts for each",
         .by = 1u << WS_REORDER_BY_LAUNCH,
         .text =
             "launch launch_kind launch_size label thread_calls slots_before efficiency_before" SHOWN " note",
         .data = "launch frame submission launch_kind launch_size label subgroup_size "
                 "thread_calls warp_calls" BEFORE AFTER KEYS " truncated not_followed"},
    {NULL},
};

const struct ws_columns ws_reorder_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_reorder_sums),
    .shown = "thread_calls warp_calls executions_before executions_after saved "
             "efficiency_before efficiency_after",
    .main = "efficiency_before by_called by_path slots_before",
    .weight = "slots_before"};

const char ws_reorder_words[] =
    "At a call (a trace, a callable) threads of a launch could be sorted, so that warps behind\n"
    "it do one thing: by shader execution reordering, or by a launch of their own. Threads\n"
    "that call in the same round of all loops are sorted together, among all warps of the\n"
    "launch or in windows of warps in a row. What follows is executed again by the new warps,\n"
    "until the threads come to that call again, or end. Keys are: packed, which only fills\n"
    "warps up; shader, that is called; called: also the callables that it runs; instance,\n"
    "geometry, octant: the shader, and what the ray hits or the octant of its direction; hit:\n"
    "the shader, and those bits of these, of custom index, hit kind and primitive that do\n"
    "best; payload: of these and of what the thread hands over; branch: the shader, and what\n"
    "the thread does at the branch or loop where most is lost; path: all that they execute,\n"
    "the bound. What rays hit is known with the pass ray_events, what is handed over with the\n"
    "pass payloads. Idle slots have the causes that divergence has: partial warp (no thread),\n"
    "indirect call (its thread is in another shader), control flow (elsewhere in this one, or\n"
    "it has ended). Without the extension threads are sorted between launches: each then writes\n"
    "and reads its state. A callable in place of a branch, or a branch in place of callables,\n"
    "changes nothing by itself. In compute shaders branches and loops are sites: what follows is\n"
    "the side that a thread takes, or its turns, until the threads meet again; keys are packed,\n"
    "branch (side or turns) and path, and windows of a workgroup are tried, too. It has 32\n"
    "instructions, a loop or a call, and neither barriers, workgroup memory nor subgroup\n"
    "operations. Ray queries are no calls: what they lead to is seen at branches and loops of\n"
    "compute shaders, and not in other stages.\n"
    "Any-hit and intersection shaders, which run before, the sorting itself and memory are not\n"
    "counted.\n";

static uint64_t visits_of(const struct ws_reorder_results *results)
{
    const struct ws_reorder_sums *total = ws_groups_find(results->groups, WS_REORDER_TOTAL, NULL);
    return total != NULL ? total->visits : 0;
}

const char *ws_reorder_nothing(const void *pointer)
{
    const struct ws_reorder_results *results = pointer;
    if (visits_of(results) > 0)
        return NULL;
    return results->turning > 0
               ? "nothing was found, but not all launches were looked at: loops with calls or "
                 "branches in them turn too often to be followed"
               : "no thread called another shader, or parted in a compute shader where "
                 "threads could be sorted";
}

bool ws_reorder_text(const void *pointer, FILE *stream)
{
    const struct ws_reorder_results *results = pointer;
    if (ws_reorder_nothing(results) == NULL)
        return ws_groups_text_all(results->groups, stream) && ws_reorder_print_lines(results, stream);
    fprintf(stream, "\nReordering: %s\n", ws_reorder_nothing(results));
    return true;
}

void ws_reorder_notes(const void *pointer, FILE *stream)
{
    const struct ws_reorder_results *results = pointer;
    if (results->lost > 0)
        fprintf(stream,
                "  %" PRIu64 " calls by threads are beyond what is kept: they count as if their threads were "
                "not sorted\n",
                results->lost);
    if (results->apart > 0)
        fprintf(
            stream,
            "  of %" PRIu64 " block executions behind calls the device made %" PRIu64
            " apart that a warp could make\n  together, as it does where hit groups have one shader: after "
            "sorting they count as together\n",
            results->ran, results->apart);
    if (results->lost_rays > 0)
        fprintf(stream, "  %" PRIu64 " ray%s beyond what is kept: they count as if they had hit nothing\n",
                results->lost_rays, results->lost_rays == 1 ? " is" : "s are");
    if (results->lost_payloads > 0)
        fprintf(stream,
                "  what %" PRIu64
                " calls by threads handed over is beyond what is kept: it counts as if it was 0\n",
                results->lost_payloads);
    if (!results->rays && results->called)
        fputs("  what rays hit is not known, so nothing is sorted by instance, geometry, octant or bits of "
              "the hit:\n  record with -p divergence,ray_events\n",
              stream);
    ws_reorder_parting_notes(results, stream);
    if (results->turning > 0)
        fprintf(stream,
                "  %" PRIu64 " launch%s not looked at: loops with calls or branches in them turn too often "
                "to be\n  followed\n",
                results->turning, results->turning == 1 ? " is" : "es are");
    if (results->stopped > 0)
        fprintf(stream,
                "  in %" PRIu64 " launch%s not all call sites were looked at: --max-seconds allows more\n",
                results->stopped, ws_plural(results->stopped, "es"));
}
