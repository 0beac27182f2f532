#include "warpscope/report/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/times.h"

void ws_findings_finish(struct ws_findings *findings)
{
    ws_text_pool_finish(&findings->texts);
    free(findings->all);
    free(findings->touched);
    *findings = (struct ws_findings){.all = NULL};
}

bool ws_findings_take_times(struct ws_findings *findings, const struct ws_catalog *catalog)
{
    if (!ws_times_any(catalog))
        return true;
    uint64_t *times = ws_times_of_shaders(catalog);
    findings->touched = calloc((size_t)catalog->shader_count + 1, sizeof(*findings->touched));
    const bool taken = times != NULL && findings->touched != NULL;
    for (uint32_t i = 0; taken && i < catalog->shader_count; ++i)
        findings->touched[i] = times[i] != UINT64_MAX ? ws_times_share(catalog, times[i]) : 0;
    free(times);
    return taken;
}

double ws_findings_touched(const struct ws_findings *findings, uint32_t shader)
{
    return findings->touched != NULL && shader != WS_NONE ? findings->touched[shader] : 0;
}

bool ws_findings_add(struct ws_findings *findings, const struct ws_finding *finding)
{
    if (findings->failed)
        return false;
    struct ws_finding *all =
        ws_array_grow(findings->all, &findings->capacity, findings->count + 1, sizeof(*all));
    findings->failed = all == NULL;
    if (all == NULL)
        return false;
    findings->all = all;
    all[findings->count] = *finding;
    all[findings->count].analysis = findings->analysis;
    all[findings->count++].told_by = WS_NONE;
    return true;
}

static const char *keep(struct ws_findings *findings, const char *text)
{
    const char *kept = text != NULL ? ws_text_pool_add(&findings->texts, text) : NULL;
    findings->failed = findings->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

const char *ws_findings_text(struct ws_findings *findings, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const char *kept = keep(findings, length >= 0 ? text : NULL);
    if (length >= 0)
        free(text);
    return kept;
}

const char *ws_findings_option(struct ws_findings *findings, const char *option, const char *value)
{
    char *quoted = malloc(4 * strlen(value) + 3);
    if (quoted == NULL)
        return keep(findings, NULL);
    quoted[ws_text_quote(quoted, value)] = '\0';
    const char *kept = ws_findings_text(findings, "%s %s", option, quoted);
    free(quoted);
    return kept;
}

static bool has_cause(const struct ws_finding *finding, const struct ws_finding *other)
{
    return finding->cause != WS_CAUSE_OWN && finding->cause == other->cause && finding->in == other->in;
}

/* What all of a kind is of the work, of the time or of the bytes. */
static double weight_of(const struct ws_findings *findings, enum ws_finding_of of)
{
    switch (of) {
    case WS_FINDING_OF_SLOTS: return findings->weights[of] > 0 ? findings->weights[of] : 1;
    case WS_FINDING_OF_ANY_HIT:
    case WS_FINDING_OF_INTERSECTION:
    case WS_FINDING_OF_RAYS: return findings->weights[of];
    case WS_FINDING_OF_WORK:
    case WS_FINDING_OF_TIME:
    case WS_FINDING_OF_BYTES: return 1;
    default: return 0;
    }
}

/* What is small by the constants is so from here on. What has no size is not. */
static void weigh(const struct ws_findings *findings, struct ws_finding *finding)
{
    finding->share = finding->size * weight_of(findings, finding->of);
    if (finding->share <= 0)
        return;
    if (finding->kind == WS_FINDING_LOSS)
        finding->small = finding->small || finding->share < WS_FINDING_LEAST_LOSS;
    if (finding->kind == WS_FINDING_SPENT)
        finding->small = finding->small || finding->share < WS_FINDING_LEAST_SPENT;
}

enum place { WRONG, WORK, BYTES, FACTS, SPENT, SMALL };

static enum place place_of(const struct ws_finding *finding)
{
    if (finding->wrong)
        return WRONG;
    if (finding->small || finding->kind == WS_FINDING_SPENT)
        return finding->small ? SMALL : SPENT;
    if (finding->share <= 0)
        return FACTS;
    return finding->of == WS_FINDING_OF_BYTES ? BYTES : WORK;
}

/* Those that are told stand behind the others of their place. */
static int compare(const void *left, const void *right)
{
    const struct ws_finding *a = left;
    const struct ws_finding *b = right;
    if (place_of(a) != place_of(b))
        return place_of(a) < place_of(b) ? -1 : 1;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    const int order = strcmp(a->title, b->title);
    return order != 0 ? order : strcmp(a->text, b->text);
}

/* The finding that tells another, by their order; WS_NONE = none. */
static uint32_t find_teller(const struct ws_findings *findings, const struct ws_finding *finding)
{
    uint32_t change = WS_NONE;
    double changes = 0;
    for (uint32_t i = 0; i < findings->count; ++i) {
        const struct ws_finding *other = &findings->all[i];
        if (other == finding || !has_cause(finding, other) || other->small)
            continue;
        if (finding->kind == WS_FINDING_FACT && other->kind != WS_FINDING_FACT)
            return i;
        if (other->kind == WS_FINDING_CHANGE) {
            change = change == WS_NONE ? i : change;
            changes += other->share;
        }
    }
    return finding->kind == WS_FINDING_LOSS && changes >= WS_FINDING_TOLD * finding->share ? change : WS_NONE;
}

/* A finding is told by one that is told by none. */
static void tell(struct ws_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; ++i)
        if (!findings->all[i].small)
            findings->all[i].told_by = find_teller(findings, &findings->all[i]);
    for (uint32_t i = 0; i < findings->count; ++i)
        for (uint32_t next = findings->all[i].told_by; next != WS_NONE; next = findings->all[next].told_by)
            findings->all[i].told_by = next;
}

void ws_findings_rank(struct ws_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; ++i)
        weigh(findings, &findings->all[i]);
    if (findings->count > 1)
        qsort(findings->all, findings->count, sizeof(*findings->all), compare);
    tell(findings);
}

bool ws_finding_is_listed(const struct ws_finding *finding)
{
    return !finding->small && finding->told_by == WS_NONE && finding->kind != WS_FINDING_SPENT;
}

const char *ws_finding_kind_name(enum ws_finding_kind kind)
{
    static const char *const names[] = {"change", "loss", "fact", "spent"};
    return names[kind];
}

const char *ws_finding_of_name(enum ws_finding_of of)
{
    return of == WS_FINDING_OF_NOTHING ? ""
           : of == WS_FINDING_OF_BYTES ? "bytes"
           : of == WS_FINDING_OF_TIME  ? "time"
                                       : "work";
}
