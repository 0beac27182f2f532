/* The summary as JSON: that of a report, whose one analysis is called summary. */
#include <stdlib.h>

#include "analysis/summary/summary.h"
#include "warpscope/output/json.h"

static void add_text(cJSON *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        cJSON_AddStringToObject(object, key, text);
    else
        cJSON_AddNullToObject(object, key);
}

static const struct ws_member total_members[] = {{"slots", "integer", "instruction slots of all shaders"},
                                                 {"active", "integer", "of these, slots of active lanes"},
                                                 {"rays", "integer", "rays traced"},
                                                 {"rays_share", "share?",
                                                  "of the work, what rays' ways through the scene and the "
                                                  "calls of shaders that they run are taken for; null: slots "
                                                  "were not counted, or there are no rays"},
                                                 {"threads", "integer", "threads that were recorded"},
                                                 {"warps", "integer", "their warps"},
                                                 {NULL}};

static const struct ws_member finding_members[] = {
    {"number", "integer?", "its place in the summary's text; null: too small to be there"},
    {"kind", "string", "change, loss, fact or spent"},
    {"size", "share?", "its share; null: it has no size that can be compared"},
    {"of", "string?", "what `size` is a share of"},
    {"time_share", "share?", "what its launches take of the device time; null: not known"},
    {"title", "string?", "what it is, in a few words"},
    {"place", "string?", "where it is"},
    {"text", "string?", "what was found"},
    {"certainty", "string?", "certain, likely or possible"},
    {"analysis", "string", "name of the analysis that found it"},
    {"command", "string?", "the command that shows more, as it is typed"},
    {NULL}};

static const struct ws_member missing_members[] = {
    {"pass", "string", "name of the pass"}, {"tells", "string", "what it would have told"}, {NULL}};

static const struct ws_member remark_members[] = {{"label", "string", "left out, lost, cut short, ..."},
                                                  {"text", "string", "what, how much, and why"},
                                                  {NULL}};

const struct ws_member ws_summary_members[] = {
    {"total", "object", "of the capture", total_members},
    {"empty", "boolean", "no launch is in the capture, though all of it was read"},
    {"findings", "object[]", "what is most worth knowing, the most first", finding_members},
    {"not_recorded", "object[]", "passes that the capture lacks", missing_members},
    {"remarks", "object[]", "what was left out or lost, as the summary's text says it", remark_members},
    {NULL}};

static cJSON *describe_totals(const struct ws_summary *summary)
{
    const struct ws_findings_totals *totals = &summary->findings.totals;
    const double of_rays = ws_summary_rays_share(summary);
    cJSON *object = cJSON_CreateObject();
    ws_json_integer(object, "slots", totals->slots);
    ws_json_integer(object, "active", totals->active);
    ws_json_integer(object, "rays", totals->rays);
    if (of_rays > 0)
        ws_json_number(object, "rays_share", of_rays);
    else
        cJSON_AddNullToObject(object, "rays_share");
    ws_json_integer(object, "threads", totals->threads);
    ws_json_integer(object, "warps", totals->warps);
    return object;
}

static cJSON *describe_finding(const struct ws_finding *finding, uint32_t number, const char *command)
{
    cJSON *object = cJSON_CreateObject();
    ws_json_add(object, "number", number > 0 ? ws_json_integer_item(number) : cJSON_CreateNull());
    cJSON_AddStringToObject(object, "kind", ws_finding_kind_name(finding->kind));
    if (finding->share > 0)
        ws_json_number(object, "size", finding->share);
    else
        cJSON_AddNullToObject(object, "size");
    add_text(object, "of", finding->share > 0 ? ws_finding_of_name(finding->of) : NULL);
    if (finding->touched > 0)
        ws_json_number(object, "time_share", finding->touched);
    else
        cJSON_AddNullToObject(object, "time_share");
    add_text(object, "title", finding->title);
    add_text(object, "place", finding->place);
    add_text(object, "text", finding->text);
    add_text(object, "certainty", finding->certainty);
    add_text(object, "analysis", finding->analysis->name);
    add_text(object, "command", command);
    return object;
}

/* What the capture lacks, and what was left out of it. False when there is no memory. */
static bool write_limits(const struct ws_report *report, struct ws_json *json)
{
    const struct ws_analysis *analysis;
    ws_json_open_list(json, "not_recorded");
    for (size_t i = 0; (analysis = ws_summary_missing(report, i)) != NULL; ++i) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "pass", analysis->passes[0]);
        cJSON_AddStringToObject(object, "tells", analysis->answers);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
    cJSON *remarks = ws_summary_remarks(report);
    if (remarks == NULL)
        return false;
    ws_json_member(json, "remarks", remarks);
    return true;
}

bool ws_summary_json(const struct ws_summary *summary, FILE *stream)
{
    const struct ws_findings *findings = &summary->findings;
    struct ws_json json;
    bool written = true;
    uint32_t number = 0;
    ws_report_json_begin(summary->report, &json, stream);
    ws_json_open_object(&json, "analyses");
    ws_json_open_object(&json, "summary");
    ws_json_member(&json, "total", describe_totals(summary));
    ws_json_member(&json, "empty", cJSON_CreateBool(ws_summary_is_empty(summary)));
    ws_json_open_list(&json, "findings");
    for (uint32_t i = 0; i < findings->count && written; ++i) {
        const struct ws_finding *finding = &findings->all[i];
        if (finding->told_by != WS_NONE)
            continue;
        char *command = ws_summary_command(summary, finding);
        written = command != NULL;
        if (written)
            ws_json_element(&json,
                            describe_finding(finding, ws_finding_is_listed(finding) ? ++number : 0, command));
        free(command);
    }
    ws_json_close_list(&json);
    written = write_limits(summary->report, &json) && written;
    ws_json_close_object(&json);
    ws_json_close_object(&json);
    return ws_report_json_end(summary->report, &json) && written;
}
