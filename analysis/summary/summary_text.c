/* The summary as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary/summary.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/times.h"
#include "warpscope/output/wrap.h"
#include "warpscope/passes.h"

#define INDENT        15 /* of what stands behind a label */
#define SHADERS_SHOWN 4  /* names of chosen ones */
#define TEXT          13 /* of the text of a finding: "  1.  26.1 %  " */

/* Where the text goes, and how wide it is. */
struct page {
    FILE *stream;
    size_t width;
};

static void print_label(const char *label, const char *text, const struct page *page)
{
    ws_wrap_item(label, text, 2, INDENT, page->width, page->stream);
}

/* "1 frame, 3 launches, 11 shaders; llvmpipe (...), subgroup size 8" */
static void print_contents(const struct ws_report *report, const struct page *page)
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
    print_label("holds", text, page);
}

/* What of the capture the summary is of. */
static void print_chosen(const struct ws_selection *selection, const struct page *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *chosen = ws_selection_is_set(selection) ? open_memstream(&text, &size) : NULL;
    if (chosen == NULL)
        return;
    ws_selection_print_launches(selection, chosen);
    const bool both = ftell(chosen) > 0 && ws_selection_has_shaders(selection);
    fputs(both ? "; " : "", chosen);
    ws_selection_print_shaders(selection, SHADERS_SHOWN, chosen);
    if (fclose(chosen) == 0)
        print_label("chosen", text, page);
    free(text);
}

/* "230000 instruction slots, 56.4 % of them active; 3072 threads in 384 warps; 24890 rays, taken for 43 % of the work
 * (warpscope help work)". Findings are shares of the work: where rays have a part of it, slots are not all. */
static void print_work(const struct ws_summary *summary, const struct page *page)
{
    const struct ws_findings_totals *totals = &summary->findings.totals;
    const double of_rays = ws_summary_rays_share(summary);
    char text[256] = "";
    size_t used = 0;
    if (totals->slots > 0)
        used = (size_t)snprintf(text, sizeof(text), "%" PRIu64 " instruction slots, %.1f %% of them active",
                                totals->slots, 100 * (double)totals->active / (double)totals->slots);
    if (totals->threads > 0)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64 " thread%s in %" PRIu64 " warp%s",
                             used > 0 ? "; " : "", totals->threads, ws_plural(totals->threads, "s"),
                             totals->warps, ws_plural(totals->warps, "s"));
    if (totals->rays > 0)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64 " ray%s",
                                 used > 0 ? "; " : "", totals->rays, ws_plural(totals->rays, "s"));
    if (of_rays > 0)
        snprintf(text + used, sizeof(text) - used, ", taken for %s%.0f %% of the work (warpscope help work)",
                 of_rays < 0.005 ? "less than " : "", of_rays < 0.005 ? 1 : 100 * of_rays);
    if (text[0] != '\0')
        print_label("work", text, page);
}

/* "12.3 ms of device time in 3 launches" */
static void print_time(const struct ws_catalog *catalog, const struct page *page)
{
    char text[256];
    char total[WS_TIME_TEXT];
    if (!ws_times_any(catalog))
        return;
    const uint64_t count = ws_times_count(catalog);
    snprintf(text, sizeof(text), "%s of device time in %" PRIu64 " launch%s%s",
             ws_time_text((double)ws_times_total(catalog), total), count, ws_plural(count, "es"),
             ws_times_are_instrumented(catalog) ? ", with what recording cost" : "");
    print_label("time", text, page);
}

static void print_head(const struct ws_summary *summary, const struct page *page)
{
    const struct ws_report *report = summary->report;
    const struct ws_overview *overview = &report->overview;
    ws_text_print(page->stream, report->path);
    fputc('\n', page->stream);
    print_label("program", overview->command_line[0] != '\0' ? overview->command_line : "not recorded", page);
    print_contents(report, page);
    print_chosen(&report->selection, page);
    print_work(summary, page);
    print_time(&report->catalog, page);
}

/* "26.1 %", "0.09 %" */
static void percent_text(double share, char text[16])
{
    const double percent = 100 * share;
    if (percent < 0.1)
        snprintf(text, 16, percent < 0.01 ? "<0.01 %%" : "%.2f %%", percent);
    else
        snprintf(text, 16, "%.1f %%", percent);
}

/* "Mark geometry opaque: geometry 0 of structure 1" */
static char *heading_text(const struct ws_finding *finding)
{
    char *text = NULL;
    const bool place = finding->place != NULL && finding->place[0] != '\0';
    if (asprintf(&text, "%s%s%s", finding->title, place ? ": " : "", place ? finding->place : "") < 0)
        return NULL;
    return text;
}

/* Why, and how sure that is: "It ran 118 times. (likely; 83.3 % of the bytes of acceleration structures)" */
static char *reason_text(const struct ws_finding *finding)
{
    char *text = NULL;
    char percent[16] = "";
    char touched[64] = "";
    const char *certainty = finding->certainty != NULL ? finding->certainty : "";
    const bool bytes = finding->of == WS_FINDING_OF_BYTES;
    const bool more = certainty[0] != '\0' || bytes;
    percent_text(finding->share, percent);
    if (finding->touched > 0) {
        char time[16];
        percent_text(finding->touched, time);
        snprintf(touched, sizeof(touched), " Its launches take %s of the device time.", time);
    }
    if (asprintf(&text, "%s%s%s%s%s%s%s%s", finding->text, touched, more ? " (" : "", certainty,
                 certainty[0] != '\0' && bytes ? "; " : "", bytes ? percent : "",
                 bytes ? " of the bytes of acceleration structures" : "", more ? ")" : "") < 0)
        return NULL;
    return text;
}

static void print_part(const char *text, const struct page *page)
{
    ws_wrap_print(text, TEXT, page->width, page->stream);
}

static bool print_finding(const struct ws_summary *summary, uint32_t index, uint32_t number,
                          const struct page *page)
{
    const struct ws_finding *all = summary->findings.all;
    char size[16] = "";
    char *heading = heading_text(&all[index]);
    char *reason = reason_text(&all[index]);
    char *command = ws_summary_command(summary, &all[index]);
    const bool printed = heading != NULL && reason != NULL && command != NULL;
    if (printed) {
        if (all[index].share > 0 && all[index].of != WS_FINDING_OF_BYTES)
            percent_text(all[index].share, size);
        fprintf(page->stream, "%2" PRIu32 ".%8s  ", number, size);
        struct ws_wrap wrap = ws_wrap_begin(page->stream, page->width, TEXT, TEXT);
        ws_wrap_words(&wrap, heading);
        ws_wrap_end(&wrap);
        print_part(reason, page);
        for (uint32_t i = 0; i < summary->findings.count; ++i)
            if (all[i].told_by == index && all[i].kind == WS_FINDING_FACT)
                print_part(all[i].text, page);
        fprintf(page->stream, "%*s", TEXT, "");
        ws_text_print(page->stream, command);
        fputc('\n', page->stream);
    }
    free(heading);
    free(reason);
    free(command);
    return printed;
}

/* Whether all that was recorded was looked at, and tells what the work is spent on. */
static bool is_work_known(const struct ws_summary *summary)
{
    const struct ws_findings_totals *totals = &summary->findings.totals;
    return summary->report->given_up_count == 0 && (totals->slots > 0 || totals->rays > 0);
}

/* How much the largest is, where that is little: a program in good order must not look as if it were in five kinds of
 * trouble. */
static void print_heading(const struct ws_summary *summary, const struct page *page)
{
    const struct ws_findings *findings = &summary->findings;
    double largest = 0;
    bool sized = false;
    for (uint32_t i = 0; i < findings->count; ++i) {
        const struct ws_finding *finding = &findings->all[i];
        if (!ws_finding_is_listed(finding) || finding->of == WS_FINDING_OF_BYTES)
            continue;
        sized = sized || finding->share > 0;
        largest = finding->share > largest ? finding->share : largest;
    }
    const bool little = largest < WS_FINDING_LEAST_LOSS && is_work_known(summary);
    const bool unknown = largest <= 0 && !is_work_known(summary) && !ws_times_any(&summary->report->catalog);
    const bool empty = ws_summary_is_empty(summary);
    if (little || unknown || summary->shown > 0)
        fputc('\n', page->stream);
    if (little)
        fprintf(page->stream, "Nothing that was looked at costs more than %g %% of the work.\n",
                100 * WS_FINDING_LEAST_LOSS);
    if (empty)
        fputs(WS_SUMMARY_EMPTY "\n", page->stream);
    else if (unknown)
        fputs("What costs most is not known: it was not recorded, or cannot be read.\n", page->stream);
    if (summary->shown > 0)
        fprintf(page->stream, "%sMost worth knowing%s\n", little || unknown ? "\n" : "",
                sized ? ", by shares of the capture's work" : "");
    if (sized && findings->assumed)
        fputs(
            "(what rays and their shaders cost is assumed; record -p simt_efficiency, too, to\nmeasure it)\n",
            page->stream);
}

/* How many are left out of the list, and how to see them. */
static void print_hidden(uint32_t more, uint32_t small, const struct page *page)
{
    if (more > 0)
        fprintf(page->stream, "And %" PRIu32 " more", more);
    if (small > 0)
        fprintf(page->stream, "%s%" PRIu32 " small one%s", more > 0 ? ", and " : "And ", small,
                ws_plural(small, "s"));
    if (more + small > 0)
        fputs(": --rows 0 shows all\n", page->stream);
}

static bool print_findings(const struct ws_summary *summary, uint32_t rows, const struct page *page)
{
    const struct ws_findings *findings = &summary->findings;
    const uint32_t most = rows > 0 ? rows : WS_SUMMARY_ROWS;
    const bool all = rows == UINT32_MAX;
    uint32_t number = 0;
    print_heading(summary, page);
    for (uint32_t i = 0; i < findings->count && number < most; ++i) {
        const struct ws_finding *finding = &findings->all[i];
        if (finding->kind != WS_FINDING_SPENT && finding->told_by == WS_NONE && (!finding->small || all) &&
            !print_finding(summary, i, ++number, page))
            return false;
    }
    print_hidden(all ? 0 : summary->shown - number, all ? 0 : summary->small, page);
    return true;
}

/* Where the work is: "33.6 % mesh.rchit:main: ...". */
static bool print_spent(const struct ws_summary *summary, const struct page *page)
{
    bool printed = true;
    for (uint32_t i = 0; i < summary->findings.count && printed; ++i) {
        const struct ws_finding *finding = &summary->findings.all[i];
        char *text = NULL;
        if (finding->kind != WS_FINDING_SPENT || finding->small)
            continue;
        printed = asprintf(&text, "%s. %s", finding->place, finding->text) >= 0;
        if (printed)
            print_label(finding->title, text, page);
        free(printed ? text : NULL);
    }
    return printed;
}

static bool has_finding(const struct ws_summary *summary, const struct ws_analysis *analysis)
{
    for (uint32_t i = 0; i < summary->findings.count; ++i)
        if (summary->findings.all[i].analysis == analysis && ws_finding_is_listed(&summary->findings.all[i]))
            return true;
    return false;
}

/* Appends to a list: "a, b". */
static void append(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Whether the report would say no more than that there is nothing, as all on passes do where nothing ran. Of one that is
 * too slow for a summary, another report on the same pass tells: where no ray was recorded, none can be traced again. */
static bool has_nothing(const struct ws_summary *summary, const struct ws_analysis *analysis)
{
    const struct ws_report *report = summary->report;
    if (ws_summary_is_empty(summary) && analysis->passes != NULL)
        return true;
    for (size_t i = 0; i < report->part_count; ++i) {
        const struct ws_analysis *other = report->parts[i].analysis;
        const bool tells = other == analysis ||
                           (ws_report_results(report, analysis) == NULL && analysis->passes != NULL &&
                            other->passes != NULL && strcmp(other->passes[0], analysis->passes[0]) == 0);
        if (tells && other->nothing != NULL && other->nothing(report->parts[i].results) != NULL)
            return true;
    }
    return false;
}

/* The reports that the capture can serve besides those of the findings: those that take long too, where they answer a
 * question. */
static void print_others(const struct ws_summary *summary, const struct page *page)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    char others[512] = "";
    for (size_t i = 0; analyses[i] != NULL; ++i)
        if ((!analyses[i]->by_name || analyses[i]->answers != NULL) &&
            ws_analysis_is_served(analyses[i], &summary->report->overview, summary->report->path, NULL) &&
            !has_finding(summary, analyses[i]) && !has_nothing(summary, analyses[i]))
            append(others, sizeof(others), analyses[i]->name);
    if (others[0] != '\0')
        print_label("more reports", others, page);
}

/* Whether an analysis that is missing before the i-th needs the same pass. */
static bool has_come(const struct ws_report *report, size_t i)
{
    const char *pass = ws_summary_missing(report, i)->passes[0];
    for (size_t j = 0; j < i; ++j)
        if (strcmp(ws_summary_missing(report, j)->passes[0], pass) == 0)
            return true;
    return false;
}

static bool is_pass(const struct ws_analysis *analysis, const char *pass)
{
    return strcmp(analysis->passes[0], pass) == 0;
}

/* What was not recorded: each pass once; what it tells `warpscope help PASS` says. Times are recorded alone, and those within
 * launches with them: beside other passes they would be those of recording. */
static void print_missing(const struct ws_summary *summary, const struct page *page)
{
    const struct ws_analysis *analysis;
    char text[2048] = "";
    char passes[256] = "";
    bool is_timed = false;
    bool is_timed_within = false;
    for (size_t i = 0; (analysis = ws_summary_missing(summary->report, i)) != NULL; ++i) {
        if (has_come(summary->report, i))
            continue;
        append(text, sizeof(text), analysis->passes[0]);
        is_timed = is_timed || is_pass(analysis, WS_PASS_TIME);
        is_timed_within = is_timed_within || is_pass(analysis, WS_PASS_WARP_TIME);
        if (is_pass(analysis, WS_PASS_TIME) || is_pass(analysis, WS_PASS_WARP_TIME))
            continue;
        snprintf(passes + strlen(passes), sizeof(passes) - strlen(passes), "%s%s",
                 passes[0] != '\0' ? "," : "", analysis->passes[0]);
    }
    const size_t used = strlen(text);
    if (passes[0] != '\0')
        snprintf(text + used, sizeof(text) - used, ": warpscope record -p %s", passes);
    if (is_timed || is_timed_within)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s: warpscope record -p %s%s",
                 passes[0] != '\0' ? "; times alone" : "", is_timed ? "time" : "warp_time,time",
                 is_timed && is_timed_within ? ", or -p warp_time,time" : "");
    if (used > 0)
        print_label("not recorded", text, page);
}

bool ws_summary_text(const struct ws_summary *summary, uint32_t rows, size_t width, FILE *stream)
{
    const struct page page = {stream, width};
    print_head(summary, &page);
    if (!print_findings(summary, rows, &page))
        return false;
    fputc('\n', stream);
    if (!print_spent(summary, &page))
        return false;
    print_others(summary, &page);
    print_missing(summary, &page);
    return ws_summary_trust(summary->report, width, stream);
}
