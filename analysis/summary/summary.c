#include "analysis/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/output/json.h"
#include "analysis/output/table.h"

bool ws_summary_init(struct ws_summary *summary, const struct ws_report *report)
{
    bool found = true;
    *summary = (struct ws_summary){.report = report};
    struct ws_findings *findings = &summary->findings;
    for (size_t i = 0; i < report->part_count && found; ++i) {
        const struct ws_report_part *part = &report->parts[i];
        findings->analysis = part->analysis;
        found = part->analysis->findings(part->results, findings) && !findings->failed;
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

char *ws_summary_command(const struct ws_summary *summary, const struct ws_finding *finding)
{
    const char *path = summary->report->path;
    char *quoted = malloc(4 * strlen(path) + 3);
    char *command = NULL;
    if (quoted == NULL)
        return NULL;
    quoted[ws_text_quote(quoted, path)] = '\0';
    const bool options = finding->options != NULL && finding->options[0] != '\0';
    if (asprintf(&command, "warpscope report %s %s%s%s", quoted,
                 finding->report != NULL ? finding->report : finding->analysis->name, options ? " " : "",
                 options ? finding->options : "") < 0)
        command = NULL;
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
    fprintf(stream, ",%s", finding->share > 0 ? ws_finding_of_name(finding->of) : "");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        fputc(',', stream);
        ws_csv_text(stream, texts[i] != NULL ? texts[i] : "");
    }
    fputc('\n', stream);
}

bool ws_summary_csv(const struct ws_summary *summary, FILE *stream)
{
    fputs("number,kind,size,of,title,place,text,certainty,analysis,command\n", stream);
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
