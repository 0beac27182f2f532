/* What times tell the summary: where the device time goes, and where it goes in a way that others do not (the
 * definitions are in launch_times.h). */
#include <inttypes.h>

#include "analysis/time/launch_times.h"
#include "warpscope/base/text.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/names.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/findings.h"

#define PIPELINES_TOLD 3

/* "It takes 84 % of the device time: 10.2 ms in 6 launches." */
static const char *describe(const struct ws_launch_times *results, const struct ws_time_sums *sums,
                            struct ws_findings *findings)
{
    char time[WS_TIME_TEXT];
    char median[WS_TIME_TEXT];
    struct ws_time_spread spread;
    const uint64_t count = sums->sample_count;
    if (!ws_time_spread_of_launches(sums, &spread))
        spread.median = 0;
    return ws_findings_text(findings, "It takes %.1f %% of the device time: %s in %" PRIu64 " launch%s%s%s.",
                            100 * ws_times_share(results->catalog, sums->nanoseconds),
                            ws_time_text((double)sums->nanoseconds, time), count, ws_plural(count, "es"),
                            count > 1 ? ", at the median " : "",
                            count > 1 ? ws_time_text((double)spread.median, median) : "");
}

static bool add_spent(const struct ws_launch_times *results, const struct ws_time_sums *sums,
                      const char *title, const char *place, const char *options, struct ws_findings *findings)
{
    const struct ws_finding finding = {
        .kind = WS_FINDING_SPENT,
        .of = WS_FINDING_OF_TIME,
        .size = ws_times_share(results->catalog, sums->nanoseconds),
        .title = title,
        .place = place,
        .text = describe(results, sums, findings),
        .options = options,
    };
    return ws_findings_add(findings, &finding);
}

/* The row of a level with the most time that is less than `below`. False where there is none. */
static bool find_most(const struct ws_launch_times *results, enum ws_time_level level, uint64_t below,
                      struct ws_row *most)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < ws_groups_count(results->groups, level); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, level, i, &row);
        const struct ws_time_sums *sums = row.sums;
        if (sums->nanoseconds <= found || sums->nanoseconds >= below)
            continue;
        found = sums->nanoseconds;
        *most = row;
    }
    return found > 0;
}

static bool add_pipelines(const struct ws_launch_times *results, struct ws_findings *findings)
{
    uint64_t below = UINT64_MAX;
    struct ws_row row;
    for (uint32_t i = 0; i < PIPELINES_TOLD && find_most(results, WS_TIME_BY_PIPELINE, below, &row); ++i) {
        const struct ws_time_sums *sums = row.sums;
        const uint64_t key = row.keys[WS_TIME_PIPELINE];
        const bool one = key < results->catalog->pipeline_count;
        const char *name =
            one ? ws_pipeline_name(results->catalog, (uint32_t)key) : "render passes of several pipelines";
        below = sums->nanoseconds;
        if (!add_spent(results, sums, "most time in", name,
                       one ? ws_findings_option(findings, "--pipeline", name) : NULL, findings))
            return false;
    }
    return true;
}

/* The costliest of equal launches, and of labels, where they tell more than pipelines do. */
static bool add_parts(const struct ws_launch_times *results, struct ws_findings *findings)
{
    const uint32_t pipelines = ws_groups_count(results->groups, WS_TIME_BY_PIPELINE);
    struct ws_row row;
    if (results->place_count > pipelines && find_most(results, WS_TIME_BY_PLACE, UINT64_MAX, &row)) {
        const struct ws_launch_record *launch =
            ws_catalog_launch(results->catalog, results->places[row.keys[WS_TIME_PLACE]].launch);
        const char *place =
            ws_findings_text(findings, "%s of %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", first as launch %" PRIu64,
                             ws_launch_kind_name(launch->kind), launch->size[0], launch->size[1],
                             launch->size[2], launch->index);
        if (!add_spent(results, row.sums, "by launch", place, NULL, findings))
            return false;
    }
    if (results->label_count > 1 && find_most(results, WS_TIME_BY_LABEL, UINT64_MAX, &row)) {
        const char *label = results->labels[row.keys[WS_TIME_LABEL]];
        return add_spent(results, row.sums, "by label", label[0] != '\0' ? label : "no label", "--by label",
                         findings);
    }
    return true;
}

static bool add_fact(const char *title, const char *place, const char *text, const char *options,
                     struct ws_findings *findings)
{
    const struct ws_finding finding = {
        .kind = WS_FINDING_FACT, .title = title, .place = place, .text = text, .options = options};
    return ws_findings_add(findings, &finding);
}

static bool add_frames(const struct ws_launch_times *results, const struct ws_time_sums *all,
                       struct ws_findings *findings)
{
    struct ws_time_spread spread;
    struct ws_row row;
    char most[WS_TIME_TEXT];
    char median[WS_TIME_TEXT];
    uint32_t far = 0;
    if (results->frames < WS_TIME_LEAST_COUNT || !ws_time_spread_of_frames(all, &spread) ||
        !find_most(results, WS_TIME_BY_FRAME, UINT64_MAX, &row))
        return true;
    const uint64_t worst = row.keys[WS_TIME_FRAME];
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_TIME_BY_FRAME); ++i) {
        ws_groups_row(results->groups, WS_TIME_BY_FRAME, i, &row);
        const struct ws_time_sums *sums = row.sums;
        far += (double)sums->nanoseconds > WS_TIME_FAR * (double)spread.median;
    }
    if (far == 0)
        return true;
    return add_fact("Frames that take far longer than others",
                    ws_findings_text(findings, "frame %" PRIu64, worst),
                    ws_findings_text(findings,
                                     "%" PRIu32 " of %" PRIu32 " frames take%s more than twice the median of "
                                     "%s; this one takes %s.",
                                     far, results->frames, far == 1 ? "s" : "",
                                     ws_time_text((double)spread.median, median),
                                     ws_time_text((double)spread.most, most)),
                    "--by frame --sort -time_ns", findings);
}

/* In a capture of one frame: of equal launches, one that takes far longer than the others. */
static bool add_uneven(const struct ws_launch_times *results, struct ws_findings *findings)
{
    uint64_t excess = 0;
    uint64_t launch = 0;
    struct ws_time_spread worst = {.count = 0};
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_TIME_BY_PLACE); ++i) {
        struct ws_row row;
        struct ws_time_spread spread;
        ws_groups_row(results->groups, WS_TIME_BY_PLACE, i, &row);
        const struct ws_time_sums *sums = row.sums;
        if (ws_times_share(results->catalog, sums->nanoseconds) < WS_FINDING_LEAST_SPENT ||
            !ws_time_spread_of_launches(sums, &spread) || spread.count < WS_TIME_LEAST_COUNT ||
            (double)spread.most <= WS_TIME_FAR * (double)spread.median ||
            spread.most - spread.median <= excess)
            continue;
        excess = spread.most - spread.median;
        worst = spread;
        launch = results->places[row.keys[WS_TIME_PLACE]].launch;
    }
    if (excess == 0)
        return true;
    char most[WS_TIME_TEXT];
    char median[WS_TIME_TEXT];
    return add_fact("Launches that take far longer than equal ones",
                    ws_findings_text(findings, "those equal to launch %" PRIu64, launch),
                    ws_findings_text(findings,
                                     "Of %" PRIu64 " launches the longest takes %s, the median is %s.",
                                     worst.count, ws_time_text((double)worst.most, most),
                                     ws_time_text((double)worst.median, median)),
                    "--by launch --sort -time_ns", findings);
}

static bool add_gaps(const struct ws_time_sums *all, struct ws_findings *findings)
{
    char interval[WS_TIME_TEXT];
    if (all->interval == 0)
        return true;
    const double busy = (double)all->nanoseconds / (double)all->interval;
    if (busy >= WS_TIME_LEAST_BUSY)
        return true;
    return add_fact(
        "Time between launches", NULL,
        ws_findings_text(findings,
                         "From the first launch of a frame to its last %s pass, of which launches "
                         "take %.0f %%. The rest is copies, builds, waits and idle time.",
                         ws_time_text((double)all->interval, interval), 100 * busy),
        "--by frame", findings);
}

bool ws_launch_times_findings(const void *pointer, struct ws_findings *findings)
{
    const struct ws_launch_times *results = pointer;
    struct ws_row row;
    if (ws_times_total(results->catalog) == 0 || ws_groups_count(results->groups, WS_TIME_BY_ALL) == 0)
        return true;
    ws_groups_row(results->groups, WS_TIME_BY_ALL, 0, &row);
    return add_pipelines(results, findings) && add_parts(results, findings) &&
           (results->one_frame ? add_uneven(results, findings) : add_frames(results, row.sums, findings)) &&
           add_gaps(row.sums, findings);
}
