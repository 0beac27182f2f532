#include "analysis/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/passes.h"

bool ws_summary_init(struct ws_summary *summary, const struct ws_report *report)
{
    *summary = (struct ws_summary){.report = report};
    struct ws_findings *findings = &summary->findings;
    bool found = ws_findings_take_times(findings, &report->catalog);
    for (size_t i = 0; i < report->part_count && found; ++i) {
        const struct ws_report_part *part = &report->parts[i];
        findings->analysis = part->analysis;
        found = (part->analysis->findings == NULL || part->analysis->findings(part->results, findings)) &&
                !findings->failed;
    }
    if (!found) {
        ws_summary_finish(summary);
        return false;
    }
    ws_findings_rank(findings);
    for (uint32_t i = 0; i < findings->count; ++i) {
        const struct ws_finding *finding = &findings->all[i];
        summary->shown += ws_finding_is_listed(finding);
        summary->small += finding->small && finding->kind != WS_FINDING_SPENT;
    }
    return true;
}

void ws_summary_finish(struct ws_summary *summary)
{
    ws_findings_finish(&summary->findings);
}

bool ws_summary_is_empty(const struct ws_summary *summary)
{
    const struct ws_report *report = summary->report;
    char lost[WS_CUT_SHORT_MAX];
    return report->overview.launches == 0 && ws_report_is_whole(report) &&
           !ws_report_not_whole(&report->overview, lost, sizeof(lost));
}

double ws_summary_rays_share(const struct ws_summary *summary)
{
    const double slots = summary->findings.weights[WS_FINDING_OF_SLOTS];
    return summary->findings.totals.rays > 0 && slots > 0 ? 1 - slots : 0;
}

/* What the user chose, unless the finding chooses the same itself: " --frame 3 --launch 7". NULL when there is no
 * memory. */
static char *selection_text(const struct ws_selection *selection, const struct ws_finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t option = 0; stream != NULL && option < WS_SELECT_COUNT; ++option) {
        const char *name = ws_selection_option_name(option);
        for (uint32_t i = 0; i < selection->counts[option]; ++i) {
            char *quoted = malloc(4 * strlen(selection->texts[option][i]) + 3);
            if (quoted != NULL)
                quoted[ws_text_quote(quoted, selection->texts[option][i])] = '\0';
            if (quoted != NULL && (finding->options == NULL || strstr(finding->options, name) == NULL))
                fprintf(stream, " %s %s", name, quoted);
            free(quoted);
        }
    }
    if (stream == NULL || fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *ws_summary_command(const struct ws_summary *summary, const struct ws_finding *finding)
{
    const char *path = summary->report->path;
    char *quoted = malloc(4 * strlen(path) + 3);
    char *chosen = selection_text(&summary->report->selection, finding);
    char *command = NULL;
    if (quoted == NULL || chosen == NULL)
        goto done;
    quoted[ws_text_quote(quoted, path)] = '\0';
    const bool options = finding->options != NULL && finding->options[0] != '\0';
    if (asprintf(&command, "warpscope report %s %s%s%s%s", quoted,
                 finding->report != NULL ? finding->report : finding->analysis->name, options ? " " : "",
                 options ? finding->options : "", chosen) < 0)
        command = NULL;
done:
    free(chosen);
    free(quoted);
    return command;
}

static void write_row(const struct ws_finding *finding, uint32_t number, const char *command, FILE *stream)
{
    const char *const texts[] = {finding->title,     finding->place,          finding->text,
                                 finding->certainty, finding->analysis->name, command};
    if (number > 0)
        fprintf(stream, "%u", number);
    fprintf(stream, ",%s,", ws_finding_kind_name(finding->kind));
    char size[WS_NUMBER_SIZE] = "";
    if (finding->share > 0)
        fputs(ws_number_text(finding->share, size), stream);
    fprintf(stream, ",%s,", finding->share > 0 ? ws_finding_of_name(finding->of) : "");
    if (finding->touched > 0)
        fputs(ws_number_text(finding->touched, size), stream);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        fputc(',', stream);
        ws_csv_text(stream, texts[i] != NULL ? texts[i] : "");
    }
    fputc('\n', stream);
}

bool ws_summary_csv(const struct ws_summary *summary, FILE *stream)
{
    fputs("number,kind,size,of,time_share,title,place,text,certainty,analysis,command\n", stream);
    uint32_t number = 0;
    for (uint32_t i = 0; i < summary->findings.count; ++i) {
        const struct ws_finding *finding = &summary->findings.all[i];
        if (finding->told_by != WS_NONE)
            continue;
        char *command = ws_summary_command(summary, finding);
        if (command == NULL)
            return false;
        write_row(finding, ws_finding_is_listed(finding) ? ++number : 0, command, stream);
        free(command);
    }
    return true;
}

/* Whether only programs that trace rays or run callables give the analysis something to tell. */
static bool is_of_rays(const struct ws_analysis *analysis)
{
    return strcmp(analysis->passes[0], WS_PASS_RAY_EVENTS) == 0 ||
           strcmp(analysis->passes[0], WS_PASS_THREAD_COMPACTION) == 0;
}

const struct ws_analysis *ws_summary_missing(const struct ws_report *report, size_t i)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    const bool traces = ws_catalog_may_trace(&report->catalog);
    for (size_t k = 0; analyses[k] != NULL; ++k) {
        /* What "probe:" stands for, record takes as a file, and not as a pass. */
        const bool asked = analyses[k]->answers != NULL && analyses[k]->passes != NULL &&
                           !ws_text_ends_with(analyses[k]->passes[0], ":");
        if (asked && (traces || !is_of_rays(analyses[k])) &&
            !ws_analysis_is_served(analyses[k], &report->overview, report->path, NULL) && i-- == 0)
            return analyses[k];
    }
    return NULL;
}
