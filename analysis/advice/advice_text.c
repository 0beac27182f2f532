/* The text of `advice`: its pieces in full, and what is silent for want of records. */
#include "analysis/advice/advice_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_findings.h"
#include "warpscope/base/text.h"
#include "warpscope/output/style.h"
#include "warpscope/output/table.h"
#include "warpscope/output/wrap.h"

#define WIDTH    100 /* of a line */
#define INDENT   17  /* of what stands behind a name */
#define LANGUAGE 7   /* columns of a language before its line of code */

/* Prints a text behind its name, broken at spaces. */
static void print_field(const char *name, const char *text, FILE *stream)
{
    const size_t terminal = ws_table_width();
    struct ws_wrap wrap =
        ws_wrap_begin(stream, terminal > 0 && terminal < WIDTH ? terminal : WIDTH, INDENT, INDENT);
    fprintf(stream, "     %-*s", INDENT - 5, name);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}

/* What to change. Lines of code stand below each other, each behind its language. */
static void print_change(const struct ws_advice *advice, FILE *stream)
{
    const size_t terminal = ws_table_width();
    const size_t width = terminal > 0 && terminal < WIDTH ? terminal : WIDTH;
    print_field("change", advice->before_code != NULL ? advice->before_code : advice->change, stream);
    for (uint32_t i = 0; advice->before_code != NULL && i < WS_ADVICE_CODE; ++i) {
        const char *line = advice->code[i];
        const size_t language = strcspn(line, " ");
        char name[LANGUAGE];
        snprintf(name, sizeof(name), "%.*s", (int)language, line);
        ws_wrap_item(name, line + language, INDENT, INDENT + LANGUAGE, width, stream);
    }
}

/* Certain advice stands out. */
static void print_certainty(const struct ws_advice *advice, FILE *stream)
{
    const bool sure = advice->certainty == WS_CERTAIN;
    fprintf(stream, "     %-*s", INDENT - 5, "certainty");
    if (sure)
        ws_style_begin(WS_STYLE_SURE, stream);
    fputs(ws_certainty_name(advice->certainty), stream);
    if (sure)
        ws_style_end(stream);
    fputc('\n', stream);
}

/* Digits behind the point, for both percentages of a line: of what is saved or wrong, and of the capture's work. */
static int digits_for(const struct ws_advice *advice, double percent)
{
    const double share = advice->saves != WS_SAVES_BYTES ? 100 * advice->share : 0;
    return (percent > 0 && percent < 0.1) || (share > 0 && share < 0.1) ? 3 : 1;
}

/* "12.3 % of the capture's work", or "" where nothing can be counted. */
static void share_text(const struct ws_advice *advice, int digits, char *text, size_t size)
{
    text[0] = '\0';
    if (advice->saves != WS_SAVES_BYTES && advice->share > 0)
        snprintf(text, size, "%.*f %% of the capture's work", digits, 100 * advice->share);
}

/* "468 of 1022 any-hit runs (45.8 %): 3.1 % of the capture's work" */
static void saving_text(const struct ws_advice *advice, char *text, size_t size)
{
    char share[64] = "";
    snprintf(text, size, "nothing that can be counted");
    if (advice->saves == WS_SAVES_NOTHING || advice->saving == 0)
        return;
    const double percent = ws_percent(advice->saving, advice->of);
    const int digits = digits_for(advice, percent);
    if (advice->wrong_rays == 0)
        share_text(advice, digits, share, sizeof(share));
    snprintf(text, size, "%s%" PRIu64 " of %" PRIu64 " %s (%.*f %%)%s%s", advice->at_most ? "at most " : "",
             advice->saving, advice->of, ws_saving_words(advice->saves), digits, percent,
             share[0] != '\0' ? ": " : "", share);
}

/* Rays that find what they should not: "1204 of 24890 rays (4.8 %): 5.0 % of the capture's work" */
static void print_wrong(const struct ws_advice_report *results, const struct ws_advice *advice, FILE *stream)
{
    char text[160];
    char share[64];
    const double percent = ws_percent(advice->wrong_rays, results->rays_seen);
    const int digits = digits_for(advice, percent);
    share_text(advice, digits, share, sizeof(share));
    snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " rays (%.*f %%): %s", advice->wrong_rays,
             results->rays_seen, digits, percent, share);
    print_field("wrong", text, stream);
}

static void print_example(const struct ws_advice *advice, FILE *stream)
{
    char text[256];
    if (advice->has_place) {
        snprintf(text, sizeof(text), "%g, %g, %g", (double)advice->place[0], (double)advice->place[1],
                 (double)advice->place[2]);
        print_field("place", text, stream);
    }
    if (advice->has_thread) {
        snprintf(text, sizeof(text), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, advice->thread[0], advice->thread[1],
                 advice->thread[2]);
        print_field("thread", text, stream);
    }
}

/* A piece that has one cause with the one before: "Remove empty shaders (empty_shaders), ..." */
static void print_joined(const struct ws_advice *advice, FILE *stream)
{
    char saving[160];
    fprintf(stream, "     %-*s%s (%s)\n", INDENT - 5, "same cause", advice->rule->title, advice->rule->name);
    saving_text(advice, saving, sizeof(saving));
    print_field("", advice->subject, stream);
    print_field("", advice->change, stream);
    print_field("", saving, stream);
}

static void print_advice(const struct ws_advice_report *results, const struct ws_advice *advice, FILE *stream)
{
    size_t count = 0;
    const struct ws_advice *all = ws_advice_list_all(results->list, &count);
    char text[256];
    double time = 0;
    if (advice->joined) {
        print_joined(advice, stream);
        return;
    }
    fputc('\n', stream);
    ws_style_begin(WS_STYLE_HEADING, stream);
    fprintf(stream, "%3" PRIu32 ". %s (%s)", advice->number, advice->rule->title, advice->rule->name);
    ws_style_end(stream);
    fputc('\n', stream);
    print_field("subject", advice->subject, stream);
    saving_text(advice, text, sizeof(text));
    print_field("saves", text, stream);
    if (ws_advice_time_share(results, advice, &time)) {
        snprintf(text, sizeof(text), "launches with %.1f %% of the device time%s", 100 * time,
                 ws_times_are_instrumented(results->catalog) ? " (of instrumented shaders, not the program's)"
                                                             : "");
        print_field("touches", text, stream);
    }
    if (advice->wrong_rays > 0)
        print_wrong(results, advice, stream);
    print_field("evidence", advice->evidence, stream);
    print_change(advice, stream);
    if (advice->against != WS_NONE) {
        snprintf(text, sizeof(text), "%" PRIu32 ". %s (%s) pulls the other way: weigh both",
                 all[advice->against].number, all[advice->against].rule->title,
                 all[advice->against].rule->name);
        print_field("against", text, stream);
    }
    print_certainty(advice, stream);
    if (advice->doubt[0] != '\0')
        print_field("doubt", advice->doubt, stream);
    print_example(advice, stream);
}

/* The rules that are silent, of those on shaders or of the others, behind the reason. Those on all rays are not among
 * them. */
static void print_silent_rules(const struct ws_advice_report *results, bool on_shaders, const char *reason,
                               FILE *stream)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    uint32_t count = 0;
    for (size_t i = 0; rules[i] != NULL; ++i)
        if ((rules[i]->shader != NULL) == on_shaders && !rules[i]->of_all_rays &&
            ws_advice_run_is_silent(results->run, rules[i]))
            fprintf(stream, "%s%s", count++ > 0 ? ", " : reason, rules[i]->name);
    if (count > 0)
        fputc('\n', stream);
}

/* The rules that say nothing where only rays of some shaders are seen. */
static void print_silent_on_part(const struct ws_advice_report *results, FILE *stream)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    uint32_t count = 0;
    for (size_t i = 0; rules[i] != NULL; ++i)
        if (rules[i]->of_all_rays && results->rays_seen > 0 &&
            ws_advice_run_is_silent(results->run, rules[i]))
            fprintf(stream, "%s%s",
                    count++ > 0 ? ", "
                                : "\n  Where only rays of some shaders are seen these rules are silent: ",
                    rules[i]->name);
    if (count > 0)
        fputc('\n', stream);
}

/* What else could be recorded, and which rules say nothing without it. */
static void print_silent(const struct ws_advice_report *results, FILE *stream)
{
    const bool geometry = results->input.scene->structure_count > 0;
    if (geometry && ws_scene_trace_missing() != NULL)
        fprintf(stream, "\n  Rules that trace rays are silent: %s", ws_scene_trace_missing());
    print_silent_on_part(results, stream);
    if (results->rays_seen > 0)
        print_silent_rules(
            results, false,
            geometry ? ": " : "\n  Without captured geometry (record --geometry) these rules are silent: ",
            stream);
    else if (results->pass == WS_NONE && ws_catalog_may_trace(results->catalog))
        fputs("\n  Without rays (record -p ray_events) the rules on rays are silent.\n", stream);
    print_silent_rules(results, true,
                       "\n  Without counters (record -p simt_efficiency) these rules are silent: ", stream);
}

/* How many pieces are not shown, and how to see them. */
static void print_hidden(uint32_t more, uint32_t small, FILE *stream)
{
    if (more > 0)
        fprintf(stream, "\n  ... and %" PRIu32 " more: --rows 0 shows them all\n", more);
    if (small > 0)
        fprintf(stream,
                "\n  %" PRIu32 " more piece%s about less than a thousandth of the work: --rows 0 shows %s\n",
                small, small == 1 ? " is" : "s are", small == 1 ? "it" : "them");
}

/* In which unit the pieces are ranked. */
static void print_unit(const struct ws_advice_report *results, bool several, bool shares, FILE *stream)
{
    if (several || shares)
        fputc('\n', stream);
    if (several)
        fputs("  What they save does not add up: several may be about the same runs.\n", stream);
    if (shares && !ws_advice_run_costs(results->run)->measured)
        fputs(
            "  What runs and rays cost is assumed. It is measured where simt_efficiency is recorded, too.\n",
            stream);
}

/* The pieces that the user chose, each with all that it says. Pieces that have one cause count as one. */
static bool print_pieces(const struct ws_advice_report *results, FILE *stream)
{
    const uint32_t most = results->table_rows > 0 ? results->table_rows : WS_ADVICE_ROWS;
    size_t count = 0;
    const struct ws_advice *all = ws_advice_list_all(results->list, &count);
    struct ws_ordered ordered = {NULL, 0};
    uint32_t shown = 0, more = 0, small = 0, saving = 0, shares = 0;
    bool last = false; /* the piece before is shown */
    if (!ws_groups_order(results->groups, WS_ADVICE_BY_PIECE, NULL, NULL, &ordered))
        return false;
    for (uint32_t i = 0; i < ordered.count; ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_ADVICE_BY_PIECE, ordered.rows[i], &row);
        const struct ws_advice *advice = &all[row.keys[WS_ADVICE_PIECE]];
        if (!advice->joined)
            last = shown < most && !(advice->small && results->table_rows != UINT32_MAX);
        if (last)
            print_advice(results, advice, stream);
        shown += last && !advice->joined;
        saving += last && advice->saving > 0;
        shares += last && advice->share > 0 && advice->saves != WS_SAVES_BYTES;
        small += !last && advice->small;
        more += !last && !advice->small;
    }
    print_unit(results, saving > 1, shares > 0, stream);
    print_hidden(more, small, stream);
    free(ordered.rows);
    return true;
}

/* "Advice from 3 shaders, 61440 instruction slots, and 1204 rays" */
static void print_heading(const struct ws_advice_report *results, FILE *stream)
{
    const struct ws_simt_results *simt = results->input.simt;
    const uint64_t rays = results->rays_seen;
    uint64_t slots = 0;
    uint32_t shaders = 0;
    for (uint32_t i = 0; simt != NULL && i < simt->shader_count; ++i) {
        shaders += simt->shaders[i].launches > 0;
        slots += ws_simt_slots(&simt->shaders[i].counts);
    }
    fputs("\nAdvice from ", stream);
    if (shaders > 0)
        fprintf(stream, "%" PRIu32 " shader%s, %" PRIu64 " instruction slot%s%s", shaders,
                ws_plural(shaders, "s"), slots, ws_plural(slots, "s"), rays > 0 ? ", and " : "");
    if (rays > 0 || shaders == 0)
        fprintf(stream, "%" PRIu64 " ray%s", rays, ws_plural(rays, "s"));
    fputc('\n', stream);
}

/* "43.7 % of the instruction slots are idle: see hotspots and divergence" */
static void print_idle(const struct ws_advice_report *results, FILE *stream)
{
    const struct ws_simt_counts *counts = &results->simt.total.counts;
    if (results->input.simt == NULL || counts->weighted_slots <= counts->weighted_active)
        return;
    fprintf(stream, "  %.1f %% of the instruction slots are idle: see hotspots",
            ws_percent(counts->weighted_slots - counts->weighted_active, counts->weighted_slots));
    size_t left = 0;
    for (size_t i = 0; i < WS_ADVICE_IDLE_REPORTS; ++i)
        left += results->idle[i];
    for (size_t i = 0; i < WS_ADVICE_IDLE_REPORTS; ++i)
        if (results->idle[i])
            fprintf(stream, "%s%s", --left > 0 ? ", " : " and ", ws_advice_idle_reports[i]);
    fputs(".\n", stream);
}

bool ws_advice_print(const void *user, FILE *stream)
{
    const struct ws_advice_report *results = user;
    if (results->fields)
        return ws_groups_text_all(results->groups, stream);
    print_heading(results, stream);
    if (ws_groups_count(results->groups, WS_ADVICE_BY_PIECE) == 0) {
        fputs(results->rays_seen > 0 || results->input.simt != NULL
                  ? "\n  No advice: no rule found a fault.\n"
                  : "\n  No advice: no ray was recorded, and no shader was counted.\n",
              stream);
        print_idle(results, stream);
    }
    if (!print_pieces(results, stream))
        return false;
    print_silent(results, stream);
    return true;
}
