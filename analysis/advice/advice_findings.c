#include "analysis/advice/advice_findings.h"

#include <string.h>

#include "analysis/advice/rule.h"

#define SENTENCE 220 /* the most bytes of a sentence that the summary has room for */

const char *ws_certainty_name(uint32_t certainty)
{
    static const char *const names[] = {"certain", "likely", "possible"};
    return certainty < sizeof(names) / sizeof(names[0]) ? names[certainty] : "unknown";
}

/* How long the first sentence of the evidence is, with its full stop. */
static size_t sentence_length(const char *text)
{
    const char *end = strstr(text, ". ");
    return end != NULL ? (size_t)(end - text) + 1 : strlen(text);
}

/* The first sentence of the evidence. */
static const char *describe(const struct ws_advice *advice, struct ws_findings *findings)
{
    const size_t length = sentence_length(advice->evidence);
    return ws_findings_text(findings, "%.*s", length <= SENTENCE ? (int)length : 0, advice->evidence);
}

static bool add_piece(const struct ws_advice *advice, double rays_touched, struct ws_findings *findings)
{
    char filter[128];
    snprintf(filter, sizeof(filter), "rule = %s", advice->rule->name);
    const struct ws_finding finding = {
        .kind = WS_FINDING_CHANGE,
        .of = advice->share <= 0                ? WS_FINDING_OF_NOTHING
              : advice->saves == WS_SAVES_BYTES ? WS_FINDING_OF_BYTES
                                                : WS_FINDING_OF_WORK,
        .size = advice->share,
        .small = advice->small,
        .wrong = advice->rule->undefined,
        .title = advice->rule->title,
        .place = advice->subject,
        .text = describe(advice, findings),
        .options = ws_findings_option(findings, "--filter", filter),
        .certainty = ws_certainty_name(advice->certainty),
        .touched = advice->shader != WS_NONE ? ws_findings_touched(findings, advice->shader) : rays_touched,
        .cause = advice->rule->cause,
        .in = advice->shader != WS_NONE ? advice->shader : 0,
    };
    return ws_findings_add(findings, &finding);
}

/* What all slots, runs and rays are of the work. */
static void weigh(const struct ws_advice_costs *costs, struct ws_findings *findings)
{
    if (costs->work <= 0)
        return;
    findings->assumed = !costs->measured;
    findings->weights[WS_FINDING_OF_SLOTS] = costs->slots / costs->work;
    findings->weights[WS_FINDING_OF_ANY_HIT] = costs->all[WS_SAVES_ANY_HIT] / costs->work;
    findings->weights[WS_FINDING_OF_INTERSECTION] = costs->all[WS_SAVES_INTERSECTION] / costs->work;
    findings->weights[WS_FINDING_OF_RAYS] = costs->of[WS_SAVES_RAYS] * (double)costs->rays / costs->work;
}

bool ws_advice_findings(const struct ws_advice_list *list, const struct ws_advice_costs *costs,
                        double rays_touched, struct ws_findings *findings)
{
    size_t count = 0;
    const struct ws_advice *all = ws_advice_list_all(list, &count);
    weigh(costs, findings);
    for (size_t i = 0; i < count; ++i)
        if (!all[i].joined && !all[i].rule->told && !add_piece(&all[i], rays_touched, findings))
            return false;
    return true;
}
