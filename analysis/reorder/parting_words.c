/* What is said of partings (partings.h): their names, what to write there, and what was not looked at. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"

/* Of what sorting in windows of all saves, so much must be saved in workgroups, to sort there: no second dispatch is needed. */
#define NEARLY 0.8

/* A queue for each side, which a dispatch of its own runs. `side`: of a branch; for a loop, how often a thread turns it. */
#define QUEUED(side)                                                                                         \
    {                                                                                                        \
        "GLSL   uint at = atomicAdd(count[<" side ">], 1u); queue[<" side                                    \
        ">][at] = <number of the thread, and its state>; then, for each " side                               \
        ", vkCmdDispatchIndirect of a shader of what follows, for queue[<" side                              \
        ">][gl_GlobalInvocationID.x]",                                                                       \
            "HLSL   uint at; InterlockedAdd(count[<" side ">], 1u, at); queue[<" side                        \
            ">][at] = <number of the thread, and its state>; then, for each " side                           \
            ", ExecuteIndirect of a shader of what follows, for queue[<" side ">][<SV_DispatchThreadID>.x]", \
            "Slang  uint at; InterlockedAdd(count[<" side ">], 1u, at); queue[<" side                        \
            ">][at] = <number of the thread, and its state>; then, for each " side                           \
            ", a dispatch of a shader of what follows, for queue[<" side ">][<SV_DispatchThreadID>.x]"       \
    }
/* Threads of a workgroup, sorted in its memory. */
#define GROUPED(side)                                                                                        \
    {                                                                                                        \
        "GLSL   shared uint count[<" side "s>], order[<threads>]; uint at = atomicAdd(count[<" side          \
        ">], 1u); barrier(); order[<threads of " side                                                        \
        "s before it> + at] = gl_LocalInvocationIndex; barrier(); then go on as thread "                     \
        "order[gl_LocalInvocationIndex], with its state from shared memory",                                 \
            "HLSL   groupshared uint count[<" side                                                           \
            "s>], order[<threads>]; uint at; InterlockedAdd(count[<" side                                    \
            ">], 1u, at); GroupMemoryBarrierWithGroupSync(); order[<threads of " side                        \
            "s before it> + at] = <SV_GroupIndex>; GroupMemoryBarrierWithGroupSync(); then go on as thread " \
            "order[<SV_GroupIndex>], with its state from groupshared memory",                                \
            "Slang  groupshared uint count[<" side                                                           \
            "s>], order[<threads>]; uint at; InterlockedAdd(count[<" side                                    \
            ">], 1u, at); GroupMemoryBarrierWithGroupSync(); order[<threads of " side                        \
            "s before it> + at] = <SV_GroupIndex>; GroupMemoryBarrierWithGroupSync(); then go on as thread " \
            "order[<SV_GroupIndex>], with its state from groupshared memory"                                 \
    }

static const char *const queued[2][WS_REORDER_LANGUAGES] = {QUEUED("side"), QUEUED("turn count")};
static const char *const grouped[2][WS_REORDER_LANGUAGES] = {GROUPED("side"), GROUPED("turn count")};

void ws_reorder_site_name(const struct ws_reorder_results *results, uint64_t site, char *text, size_t size)
{
    const struct ws_parting *parting = ws_reorder_parting(results, site);
    const uint32_t shader = (uint32_t)(site >> 32);
    int used = 0;
    if (parting == NULL) {
        ws_call_name(results->catalog, shader, (uint32_t)site, text, size);
        return;
    }
    used = snprintf(text, size, parting->loop ? "loop at " : "branch at ");
    const struct ws_branch branch = {.shader = shader, .block = parting->block, .turns = parting->loop};
    if ((size_t)used < size)
        ws_reorder_branch_place(results, &branch, text + used, size - (size_t)used);
}

const char *ws_reorder_gain_words(const struct ws_reorder_results *results,
                                  const struct ws_reorder_gain *gain)
{
    const struct ws_parting *parting = ws_reorder_parting(results, gain->site);
    if (parting == NULL || gain->key != WS_REORDER_BRANCH)
        return ws_reorder_key_words((uint32_t)gain->key);
    return parting->loop ? "how often a thread turns it" : "the side that a thread takes";
}

uint64_t ws_reorder_in_groups(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain)
{
    const struct ws_groups *groups = results->groups;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        const struct ws_reorder_sums *sums = row.sums;
        if (row.keys[WS_REORDER_BY_SITE] == gain->site && row.keys[WS_REORDER_BY_KEY] == gain->key &&
            row.keys[WS_REORDER_BY_WINDOW] == WS_REORDER_WINDOW_GROUP)
            return sums->slots > sums->slots_after ? sums->slots - sums->slots_after : 0;
    }
    return 0;
}

const char *ws_reorder_parting_line(const struct ws_reorder_results *results,
                                    const struct ws_reorder_gain *gain, uint32_t language)
{
    const struct ws_parting *parting = ws_reorder_parting(results, gain->site);
    const uint64_t saved = gain->sums.slots - gain->sums.slots_after;
    const bool in_groups = parting != NULL && parting->all_come &&
                           (double)ws_reorder_in_groups(results, gain) >= NEARLY * (double)saved;
    const int loop = parting != NULL && parting->loop;
    return in_groups ? grouped[loop][language] : queued[loop][language];
}

/* Says what was left out of one kind, by reason. */
static void print_skipped(const char *kind, const uint64_t skipped[WS_PARTING_REASONS], FILE *stream)
{
    const char *between = " ";
    uint64_t all = 0;
    for (uint32_t j = 0; j < WS_PARTING_REASONS; ++j)
        all += skipped[j];
    if (all == 0)
        return;
    fprintf(stream, "  %s of compute shaders that are not looked at:", kind);
    for (uint32_t j = 0; j < WS_PARTING_REASONS; ++j) {
        if (skipped[j] == 0)
            continue;
        fprintf(stream, "%s%" PRIu64 " %s", between, skipped[j], ws_parting_reason_words(j));
        between = ", ";
    }
    fputc('\n', stream);
}

/* How many bounces of partings are in a row of others. */
static uint64_t left_out_bounces(const struct ws_reorder_results *results)
{
    const struct ws_groups *groups = results->groups;
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITES); ++i) {
        struct ws_row row;
        uint32_t highest = WS_REORDER_BOUNCES;
        ws_groups_row(groups, WS_REORDER_SITES, i, &row);
        ws_id_map_get(&results->bounces, row.keys[WS_REORDER_BY_SITE], &highest);
        left_out += highest - WS_REORDER_BOUNCES;
    }
    return left_out;
}

void ws_reorder_parting_notes(const struct ws_reorder_results *results, FILE *stream)
{
    const struct ws_reorder_results *owner = ws_reorder_owner(results);
    uint64_t selections[WS_PARTING_REASONS] = {0};
    uint64_t loops[WS_PARTING_REASONS] = {0};
    for (uint32_t i = 0; i < owner->nest_count; ++i)
        for (uint32_t j = 0; j < WS_PARTING_REASONS; ++j) {
            selections[j] += owner->partings[i].skipped[j];
            loops[j] += owner->partings[i].skipped_loops[j];
        }
    const uint64_t left_out = left_out_bounces(results);
    if (left_out > 0)
        fprintf(stream,
                "  bounces of branches and loops that have no rows of their own: %" PRIu64
                ", which are in those of bounce %d\n",
                left_out, WS_REORDER_BOUNCES);
    print_skipped("branches", selections, stream);
    print_skipped("loops", loops, stream);
    if (results->coherent > 0)
        fprintf(stream,
                "  branches of launches that are not told, since they leave no slot idle: %" PRIu64 "\n",
                results->coherent);
    if (results->even > 0)
        fprintf(stream,
                "  loops of launches that are not told, since threads of one warp turn them equally often: "
                "%" PRIu64 "\n",
                results->even);
    if (results->fewer_idle > 0)
        fprintf(stream,
                "  branches and loops of launches that are not told, since %d others of their kind in their "
                "shader leave more slots\n  idle: %" PRIu64 "\n",
                WS_REORDER_PARTINGS_TOLD, results->fewer_idle);
}
