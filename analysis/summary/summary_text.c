/* The summary as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/names.h"
#include "analysis/summary/summary.h"
#include "passes/base/text.h"

#define INDENT 15 /* of what stands behind a label */
#define TEXT   13 /* of the text of a finding: "  1.  26.1 %  " */

void ws_summary_wrap(const char *text, size_t at, size_t indent, FILE *stream)
{
    size_t column = at;
    bool first = true;
    for (const char *word = text + strspn(text, " "); *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        char *copy = strndup(word, length);
        const size_t width = copy != NULL ? ws_text_width(copy) : length;
        free(copy);
        if (!first && column + 1 + width > WS_SUMMARY_WIDTH) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', stream);
            column++;
        }
        ws_text_print_part(stream, word, length);
        column += width;
        first = false;
        word += length;
    }
    fputc('\n', stream);
}

static void print_label(const char *label, const char *text, FILE *stream)
{
    fprintf(stream, "  %-*s", INDENT - 2, label);
    ws_summary_wrap(text, INDENT, INDENT, stream);
}

/* "1 frame, 3 launches, 11 shaders; llvmpipe (...), subgroup size 8" */
static void print_contents(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    const struct ws_catalog *catalog = &report->catalog;
    char text[1024];
    size_t used = (size_t)snprintf(
        text, sizeof(text), "%" PRIu64 " frame%s, %" PRIu64 " launch%s, %" PRIu32 " shader%s",
        overview->frames, ws_plural(overview->frames, "s"), overview->launches,
        ws_plural(overview->launches, "es"), catalog->shader_count, ws_plural(catalog->shader_count, "s"));
    for (uint32_t i = 0; i < catalog->device_count && used < sizeof(text); ++i)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "; %s, subgroup size %" PRIu32,
                                 catalog->devices[i].name, catalog->devices[i].subgroup_size);
    if (catalog->device_count == 0 && used < sizeof(text))
        snprintf(text + used, sizeof(text) - used, "; no device");
    ws_text_cut(text);
    print_label("holds", text, stream);
}

static void print_head(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    ws_text_print(stream, report->path);
    fputc('\n', stream);
    print_label("program", overview->command_line[0] != '\0' ? overview->command_line : "not recorded",
                stream);
    print_contents(report, stream);
}

/* "26.1 %", "0.09 %" */
static void size_text(const struct ws_finding *finding, char text[16])
{
    const double percent = 100 * finding->share;
    text[0] = '\0';
    if (finding->of == WS_FINDING_OF_NOTHING)
        return;
    if (percent < 0.1)
        snprintf(text, 16, percent < 0.01 ? "<0.01 %%" : "%.2f %%", percent);
    else
        snprintf(text, 16, "%.1f %%", percent);
}

/* What it is, where, and how sure. */
static char *finding_text(const struct ws_finding *finding)
{
    char *text = NULL;
    const bool place = finding->place != NULL && finding->place[0] != '\0';
    if (asprintf(&text, "%s%s%s%s%s%s%s", finding->text, place ? " [" : "", place ? finding->place : "",
                 place ? "]" : "", finding->certainty != NULL ? " (" : "",
                 finding->certainty != NULL ? finding->certainty : "",
                 finding->certainty != NULL ? ")" : "") < 0)
        return NULL;
    return text;
}

static bool print_finding(const struct ws_summary *summary, uint32_t index, uint32_t number, FILE *stream)
{
    const struct ws_finding *finding = &summary->findings.all[index];
    char size[16];
    char *text = finding_text(finding);
    char *command = ws_summary_command(summary, finding);
    const bool printed = text != NULL && command != NULL;
    if (printed) {
        size_text(finding, size);
        fprintf(stream, "%2" PRIu32 ". %8s ", number, size);
        ws_summary_wrap(text, TEXT, TEXT, stream);
        for (uint32_t i = 0; i < summary->findings.count; ++i)
            if (summary->findings.all[i].told_by == index &&
                summary->findings.all[i].kind == WS_FINDING_FACT) {
                fprintf(stream, "%*s", TEXT, "");
                ws_summary_wrap(summary->findings.all[i].text, TEXT, TEXT, stream);
            }
        fprintf(stream, "%*s", TEXT, "");
        ws_text_print(stream, command);
        fputc('\n', stream);
    }
    free(text);
    free(command);
    return printed;
}

/* How much the largest is, where that is little: a program in good order must not look as if it were in five kinds of
 * trouble. */
static void print_heading(const struct ws_summary *summary, uint32_t shown, FILE *stream)
{
    const struct ws_findings *findings = &summary->findings;
    double largest = 0;
    for (uint32_t i = 0; i < findings->count; ++i)
        if (ws_finding_is_shown(&findings->all[i]) && findings->all[i].kind != WS_FINDING_SPENT &&
            findings->all[i].of != WS_FINDING_OF_BYTES && findings->all[i].share > largest)
            largest = findings->all[i].share;
    fputc('\n', stream);
    if (largest < WS_FINDING_LEAST_LOSS)
        fprintf(stream, "Nothing that was looked at costs more than %g %% of the work.\n",
                100 * WS_FINDING_LEAST_LOSS);
    if (shown > 0)
        fputs("Most worth knowing (shares of the capture's work)\n", stream);
}

static bool print_findings(const struct ws_summary *summary, uint32_t rows, FILE *stream)
{
    const struct ws_findings *findings = &summary->findings;
    const uint32_t most = rows > 0 ? rows : WS_SUMMARY_ROWS;
    uint32_t number = 0;
    print_heading(summary, summary->shown, stream);
    for (uint32_t i = 0; i < findings->count && number < most; ++i)
        if (findings->all[i].told_by == WS_NONE && (!findings->all[i].small || rows == UINT32_MAX) &&
            !print_finding(summary, i, ++number, stream))
            return false;
    if (rows != UINT32_MAX && summary->shown > number)
        fprintf(stream, "    and %" PRIu32 " more: --rows 0 shows them\n", summary->shown - number);
    if (rows != UINT32_MAX && summary->small > 0)
        fprintf(stream, "    %" PRIu32 " small one%s not shown: --rows 0 does\n", summary->small,
                summary->small == 1 ? " is" : "s are");
    return true;
}

static bool has_finding(const struct ws_summary *summary, const struct ws_analysis *analysis)
{
    for (uint32_t i = 0; i < summary->findings.count; ++i)
        if (summary->findings.all[i].analysis == analysis && !summary->findings.all[i].small)
            return true;
    return false;
}

/* Appends to a list: "a, b". */
static void append(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* The reports that the capture can serve besides those of the findings. */
static void print_others(const struct ws_summary *summary, FILE *stream)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    char others[512] = "";
    for (size_t i = 0; analyses[i] != NULL; ++i)
        if (ws_analysis_is_served(analyses[i], &summary->report->overview, summary->report->path, NULL) &&
            !has_finding(summary, analyses[i]))
            append(others, sizeof(others), analyses[i]->name);
    if (others[0] != '\0')
        print_label("more reports", others, stream);
}

/* What was not recorded and what it would tell: "divergence (why lanes are idle)". */
static void print_missing(const struct ws_summary *summary, FILE *stream)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    char text[2048] = "";
    for (size_t i = 0; analyses[i] != NULL; ++i) {
        char item[256];
        if (analyses[i]->answers == NULL || analyses[i]->passes == NULL ||
            ws_analysis_is_served(analyses[i], &summary->report->overview, summary->report->path, NULL))
            continue;
        snprintf(item, sizeof(item), "-p %s: %s", analyses[i]->passes[0], analyses[i]->answers);
        append(text, sizeof(text), item);
    }
    if (text[0] != '\0')
        print_label("not recorded", text, stream);
}

bool ws_summary_text(const struct ws_summary *summary, uint32_t rows, FILE *stream)
{
    print_head(summary->report, stream);
    if (!print_findings(summary, rows, stream))
        return false;
    fputc('\n', stream);
    print_others(summary, stream);
    print_missing(summary, stream);
    return ws_summary_trust(summary->report, stream);
}
