/* Advice `reorder`: threads that are to be sorted where they trace rays or run callables, or part in compute shaders.
 *
 * Evidence, by call site: what warps executed behind the call, and what new warps would, if the threads that come together were
 * sorted by a key (analysis/reorder/reorder.h). It is the key that analysis tells: the simplest of those that save most.
 *
 * Saving: the slots that are saved behind the call, less what moving the threads is taken to cost. Said where the saving is so
 * many times the cost as `--worth` says, 2 if it says nothing, and is a hundredth of the slots of the capture at least; of call
 * sites of one pipeline only where it saves most, for sorting at one changes what there is to save at the others. POSSIBLE:
 * what sorting costs on a device is assumed, and how memory is met then is not counted. Without counters of simt_efficiency the
 * saving is in the evidence alone, since nothing tells what the other work of the capture is.
 *
 * Example: one shader switches on a material, of which neighbouring pixels have different ones. Sorted by the lowest bit of the
 * custom index each warp has one. Where a picture has them in large patches, nothing is said. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/advice/rule.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"

#define TEXT_SIZE 512

extern const struct ws_advice_rule ws_advice_rule_reorder;

_Static_assert(WS_REORDER_LANGUAGES == WS_ADVICE_CODE, "a line for each language");

static void describe_change(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain,
                            struct ws_advice_list *list, struct ws_advice *advice)
{
    const struct ws_parting *parting = ws_reorder_parting(results, gain->site);
    if (!ws_reorder_may_sort(results, gain)) {
        advice->change = "sort threads there: " WS_REORDER_ELSEWHERE;
        return;
    }
    for (uint32_t i = 0; i < WS_REORDER_LANGUAGES; ++i) {
        char line[2 * TEXT_SIZE];
        ws_reorder_line(results, gain, i, line, sizeof(line));
        advice->code[i] = ws_advice_text(list, "%s", line);
    }
    if (parting != NULL && parting->loop)
        advice->before_code =
            "put threads together there that turn the loop as often: in workgroups, or by a queue for "
            "each class of turn counts and a dispatch of its own.";
    else if (gain->parts)
        advice->before_code =
            "put threads of one side together there: in workgroups, or by a queue for each side and a "
            "dispatch of its own.";
    else
        advice->before_code =
            "sort threads there (VK_EXT_ray_tracing_invocation_reorder), or between launches by the "
            "same key.";
    advice->change = ws_advice_text(list, "%s %s %s %s", advice->before_code, advice->code[0],
                                    advice->code[1], advice->code[2]);
}

static bool advise_on(const struct ws_advice_state *state, const struct ws_reorder_gain *gain,
                      struct ws_advice_list *list)
{
    const struct ws_reorder_results *results = state->input->reorder;
    const struct ws_reorder_sums *sums = &gain->sums;
    const uint32_t shader = (uint32_t)(gain->site >> 32);
    const bool counted = state->input->simt != NULL;
    const struct ws_parting *parting = ws_reorder_parting(results, gain->site);
    char place[TEXT_SIZE];
    char by[TEXT_SIZE];
    char groups[TEXT_SIZE] = "";
    ws_reorder_site_name(results, gain->site, place, sizeof(place));
    if (gain->parts)
        snprintf(groups, sizeof(groups), " Sorted within workgroups, it takes %" PRIu64 " slots.",
                 sums->slots - ws_reorder_in_groups(results, gain));
    ws_reorder_by(results, gain->site, gain->key, by, sizeof(by));
    ws_advice_list_begin(list, &ws_advice_rule_reorder, shader);
    struct ws_advice advice = {
        .subject = ws_advice_text(list, "%s (%s)", place, ws_shader_name(results->catalog, shader)),
        .evidence = ws_advice_text(
            list,
            "What follows takes %" PRIu64 " slots with %.1f %% active; sorted by %s%s%s%s, with %" PRIu32
            " bit%s, it takes %" PRIu64 " with %.1f %%. %" PRIu64
            " threads %s there; to move one with its %" PRIu32 " byte%s is taken to cost %" PRIu64
            " slots: what is saved is %.1f times that.%s",
            sums->slots, ws_percent(sums->active, sums->slots), ws_reorder_gain_words(results, gain),
            by[0] != '\0' ? " (" : "", by, by[0] != '\0' ? ")" : "", ws_reorder_bits(sums->values),
            ws_reorder_bits(sums->values) == 1 ? "" : "s", sums->slots_after,
            ws_percent(sums->active_after, sums->slots_after), sums->visits, gain->parts ? "come" : "call",
            ws_reorder_state(results, gain->site), ws_plural(ws_reorder_state(results, gain->site), "s"),
            sums->cost / sums->visits, (double)(sums->slots - sums->slots_after) / (double)sums->cost,
            groups),
        .saves = counted ? WS_SAVES_SLOTS : WS_SAVES_NOTHING,
        .saving = counted ? gain->slots : 0,
        .of = counted ? results->slots : 0,
        .certainty = WS_POSSIBLE,
        .doubt =
            parting != NULL && parting->loop
                ? "what sorting costs on a device is assumed, and that the program can know the turns before "
                  "the loop"
            : gain->key == WS_REORDER_BRANCH && !gain->parts
                ? "what sorting costs on a device is assumed, and that the program can know that way before "
                  "the call"
                : "what sorting costs on a device is assumed, and how it then meets memory is not counted",
    };
    describe_change(results, gain, list, &advice);
    return ws_advice_add(list, &advice);
}

static bool end(void *user, struct ws_advice_list *list)
{
    const struct ws_advice_state *state = user;
    const struct ws_reorder_results *results = state->input->reorder;
    struct ws_reorder_gain *gains = NULL;
    uint32_t count = 0;
    if (results == NULL)
        return true;
    bool advised = ws_reorder_gains(results, results->worth, &gains, &count);
    for (uint32_t i = 0; i < count && advised; ++i) {
        const struct ws_shader_record *shaders = results->catalog->shaders;
        bool first = (double)gains[i].slots >= WS_REORDER_LEAST * (double)results->slots;
        for (uint32_t j = 0; j < i && first; ++j)
            first = shaders[gains[j].site >> 32].pipeline != shaders[gains[i].site >> 32].pipeline;
        advised = !first || advise_on(state, &gains[i], list);
    }
    free(gains);
    return advised;
}

const struct ws_advice_rule ws_advice_rule_reorder = {
    .name = "reorder",
    .title = "Sort threads where they call or part",
    .summary =
        "calls, branches and loops of compute, behind which warps would be fuller if threads were sorted "
        "(pass divergence)",
    .evidence = WS_EVIDENCE_THREADS,
    .told = true,
    .state_size = sizeof(struct ws_advice_state),
    .end = end,
};
