/* What is said of partings (partings.h): their names, what to write there, and what was not looked at. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"

/* Of what sorting in windows of all saves, so much must be saved in workgroups, to sort there: no second dispatch is needed. */
#define NEARLY 0.8

/* A queue for each side, which a dispatch of its own runs. */
static const char *const queued[WS_REORDER_LANGUAGES] = {
    "GLSL   uint at = atomicAdd(count[<side>], 1u); queue[<side>][at] = <number of the thread, and its "
    "state>; "
    "then, for each side, vkCmdDispatchIndirect of a shader of what follows, for "
    "queue[<side>][gl_GlobalInvocationID.x]",
    "HLSL   uint at; InterlockedAdd(count[<side>], 1u, at); queue[<side>][at] = <number of the thread, and "
    "its state>; "
    "then, for each side, ExecuteIndirect of a shader of what follows, for "
    "queue[<side>][<SV_DispatchThreadID>.x]",
    "Slang  uint at; InterlockedAdd(count[<side>], 1u, at); queue[<side>][at] = <number of the thread, and "
    "its state>; "
    "then, for each side, a dispatch of a shader of what follows, for "
    "queue[<side>][<SV_DispatchThreadID>.x]"};

/* Threads of a workgroup, sorted in its memory. */
static const char *const grouped[WS_REORDER_LANGUAGES] = {
    "GLSL   shared uint count[<sides>], order[<threads>]; uint at = atomicAdd(count[<side>], 1u); barrier(); "
    "order[<threads of sides before it> + at] = gl_LocalInvocationIndex; barrier(); then go on as thread "
    "order[gl_LocalInvocationIndex], with its state from shared memory",
    "HLSL   groupshared uint count[<sides>], order[<threads>]; uint at; InterlockedAdd(count[<side>], 1u, "
    "at); "
    "GroupMemoryBarrierWithGroupSync(); order[<threads of sides before it> + at] = <SV_GroupIndex>; "
    "GroupMemoryBarrierWithGroupSync(); then go on as thread order[<SV_GroupIndex>], with its state from "
    "groupshared memory",
    "Slang  groupshared uint count[<sides>], order[<threads>]; uint at; InterlockedAdd(count[<side>], 1u, "
    "at); "
    "GroupMemoryBarrierWithGroupSync(); order[<threads of sides before it> + at] = <SV_GroupIndex>; "
    "GroupMemoryBarrierWithGroupSync(); then go on as thread order[<SV_GroupIndex>], with its state from "
    "groupshared memory"};

void ws_reorder_site_name(const struct ws_reorder_results *results, uint64_t site, char *text, size_t size)
{
    const struct ws_parting *parting = ws_reorder_parting(results, site);
    const uint32_t shader = (uint32_t)(site >> 32);
    int used = 0;
    if (parting == NULL) {
        ws_call_name(results->catalog, shader, (uint32_t)site, text, size);
        return;
    }
    used = snprintf(text, size, "branch at ");
    if ((size_t)used < size)
        ws_reorder_branch_place(results, &(struct ws_branch){.shader = shader, .block = parting->block},
                                text + used, size - (size_t)used);
}

const char *ws_reorder_gain_words(const struct ws_reorder_results *results,
                                  const struct ws_reorder_gain *gain)
{
    return ws_reorder_parting(results, gain->site) != NULL && gain->key == WS_REORDER_BRANCH
               ? "the side that a thread takes"
               : ws_reorder_key_words((uint32_t)gain->key);
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
    return in_groups ? grouped[language] : queued[language];
}

void ws_reorder_parting_notes(const struct ws_reorder_results *results, FILE *stream)
{
    const struct ws_reorder_results *owner = ws_reorder_owner(results);
    uint64_t skipped[WS_PARTING_REASONS] = {0};
    const char *between = " ";
    uint64_t all = 0;
    for (uint32_t i = 0; i < owner->nest_count; ++i)
        for (uint32_t j = 0; j < WS_PARTING_REASONS; ++j) {
            skipped[j] += owner->partings[i].skipped[j];
            all += owner->partings[i].skipped[j];
        }
    if (all > 0) {
        fputs("  branches of compute shaders that are not looked at:", stream);
        for (uint32_t j = 0; j < WS_PARTING_REASONS; ++j) {
            if (skipped[j] == 0)
                continue;
            fprintf(stream, "%s%" PRIu64 " %s", between, skipped[j], ws_parting_reason_words(j));
            between = ", ";
        }
        fputc('\n', stream);
    }
    if (results->coherent > 0)
        fprintf(stream,
                "  branches of launches that are not told, since they leave no slot idle: %" PRIu64 "\n",
                results->coherent);
    if (results->fewer_idle > 0)
        fprintf(stream,
                "  branches of launches that are not told, since %d others of their shader leave more slots "
                "idle: %" PRIu64 "\n",
                WS_REORDER_PARTINGS_TOLD, results->fewer_idle);
}
