#include "analysis/command/record/record_estimate.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/record/temporary_folder.h"
#include "analysis/report/report.h"
#include "analysis/simt/estimate.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"

/* A tile has at least this edge: below it, most warps that have a wanted lane have others, too. */
#define TILE_LEAST 8u
#define TILE_MOST  32u

#define COUNTS "counts.wscope"

bool ws_record_estimate_begin(struct ws_record_estimate *estimate, char path[PATH_MAX])
{
    if (!ws_temporary_folder_make(estimate->folder, "counts", ""))
        return false;
    const int length = snprintf(path, PATH_MAX, "%s/" COUNTS, estimate->folder);
    return length < PATH_MAX;
}

void ws_record_estimate_remove(struct ws_record_estimate *estimate)
{
    ws_temporary_folder_remove(estimate->folder);
}

/* Captures of further processes that the program started; the estimate is of one alone. */
static unsigned count_others(const struct ws_record_estimate *estimate)
{
    unsigned count = 0;
    DIR *entries = opendir(estimate->folder);
    if (entries == NULL)
        return 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        count += entry->d_name[0] != '.' && strcmp(entry->d_name, COUNTS) != 0;
    closedir(entries);
    return count;
}

/* ---- How much it is. ---- */

/* The number of a pass among the choices; WS_NONE = it is none, such as time. */
static uint32_t choice_of(const char *pass)
{
    for (uint32_t i = 0; i < ws_estimate_pass_count(); ++i)
        if (strcmp(ws_estimate_pass(i), pass) == 0)
            return i;
    return WS_NONE;
}

static uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

/* What the passes of the settings append together; of no passes, all. Passes share records, and one parts the paths of another
 * (records.h): so what several need is no sum. */
static struct ws_estimate_sums needs_of(const struct ws_groups *groups, const struct ws_settings *settings)
{
    const uint32_t all = ws_estimate_pass_count() - 1;
    const uint32_t choice = settings->pass_count == 0   ? all
                            : settings->pass_count == 1 ? choice_of(settings->passes[0])
                                                        : all + 1;
    const struct ws_estimate_sums *sums = choice != WS_NONE ? ws_estimate_find(groups, choice) : NULL;
    return sums != NULL ? *sums : (struct ws_estimate_sums){0};
}

/* ---- How to keep below a budget. ---- */

/* Threads of the largest trace or pixels of the largest render pass; 0 = there are only dispatches. */
static uint64_t largest_area(const struct ws_catalog *catalog)
{
    uint64_t area = 0;
    for (uint32_t i = 0; i < catalog->launches.count; ++i) {
        const struct ws_launch_record *launch = &catalog->launches.launches[i];
        const uint64_t pixels = (uint64_t)launch->size[0] * launch->size[1];
        if (launch->kind != WS_LAUNCH_DISPATCH && pixels > area)
            area = pixels;
    }
    return area;
}

/* Tiles of which every `step`th is recorded: small enough for at least four of them where the area is known. */
static uint32_t tile_edge(uint64_t area, uint64_t step)
{
    uint32_t edge = TILE_MOST;
    while (edge > TILE_LEAST && area > 0 && area / edge / edge < 4 * step)
        edge /= 2;
    return edge;
}

static void choose_tile(const struct ws_report *report, uint64_t bytes, uint64_t budget, char tile[64])
{
    const uint64_t step = (bytes + budget - 1) / budget;
    const uint32_t edge = tile_edge(largest_area(&report->catalog), step);
    snprintf(tile, 64, "%" PRIu32 "x%" PRIu32 "/%" PRIu64, edge, edge, least(step, UINT32_MAX));
}

/* The bytes of each frame with all passes, as [frame]; NULL where there is one frame, or no memory. The frames of a
 * capture are few: it was counted in memory. */
static uint64_t *frames_of(const struct ws_groups *groups, uint64_t *first, uint64_t *last)
{
    const uint32_t rows = ws_groups_count(groups, WS_ESTIMATE_BY_FRAME);
    struct ws_row row;
    *first = UINT64_MAX;
    *last = 0;
    for (uint32_t i = 0; i < rows; ++i) {
        ws_groups_row(groups, WS_ESTIMATE_BY_FRAME, i, &row);
        const uint64_t frame = row.keys[WS_ESTIMATE_FRAME];
        *first = least(*first, frame);
        *last = frame < WS_KEY_SEVERAL && frame > *last ? frame : *last;
    }
    if (rows == 0 || *first >= *last || *last - *first >= rows)
        return NULL;
    uint64_t *bytes = calloc(*last - *first + 1, sizeof(*bytes));
    for (uint32_t i = 0; bytes != NULL && i < rows; ++i) {
        ws_groups_row(groups, WS_ESTIMATE_BY_FRAME, i, &row);
        const uint64_t frame = row.keys[WS_ESTIMATE_FRAME];
        if (row.keys[WS_ESTIMATE_PASS] == ws_estimate_pass_count() - 1 && frame <= *last)
            bytes[frame - *first] += ((const struct ws_estimate_sums *)row.sums)->bytes;
    }
    return bytes;
}

/* Says which frames from the first on fit into the budget, with all passes. */
static void say_frames(const struct ws_groups *groups, uint64_t budget)
{
    uint64_t first;
    uint64_t last;
    uint64_t *bytes = frames_of(groups, &first, &last);
    uint64_t sum = 0;
    uint64_t fit = 0;
    while (bytes != NULL && first + fit <= last && bytes[fit] <= budget - sum)
        sum += bytes[fit++];
    if (fit > 0 && first + fit <= last)
        ws_say("or, with all passes, --frames %" PRIu64 "-%" PRIu64 " of %" PRIu64 " to %" PRIu64, first,
               first + fit - 1, first, last);
    free(bytes);
}

static void say_budget(const struct ws_groups *groups, const struct ws_estimate_sums *needs, uint64_t budget,
                       const char *tile)
{
    char needed[WS_BYTES_SIZE];
    char most[WS_BYTES_SIZE];
    ws_bytes_text(needs->bytes, needed);
    ws_bytes_text(budget, most);
    const uint64_t step = needs->bytes > budget ? (needs->bytes + budget - 1) / budget : 1;
    if ((needs->bytes + needs->turns) / step > budget) {
        char turns[WS_BYTES_SIZE];
        ws_say("turns of loops may add %s at most, before any is left out: how much depends on data",
               ws_bytes_text(needs->turns, turns));
    }
    if (tile[0] == '\0') {
        ws_say("%s of records fit into %s: nothing needs to be left out", needed, most);
        return;
    }
    ws_say("%s of records; below %s with --tile %s, which records about 1 of %s warps", needed, most, tile,
           strrchr(tile, '/') + 1);
    say_frames(groups, budget);
}

bool ws_record_estimate_tell(const struct ws_record_estimate *estimate, char *path,
                             const struct ws_settings *settings, bool quiet, char tile[64])
{
    struct ws_estimate_chosen chosen = {settings->passes, settings->pass_count};
    struct ws_report_request request = {.analysis = &ws_analysis_estimate};
    struct ws_report report;
    struct ws_error error = {{0}};
    tile[0] = '\0';
    if (settings->pass_count > 1)
        request.options.user = &chosen;
    /* The capture is our own, and a limit on memory would be one on the program that is run next. */
    if (!ws_report_read(&report, path, &request, &error)) {
        ws_say("%s", error.message);
        return false;
    }
    const struct ws_groups *groups = ws_report_part_groups(&report.parts[0]);
    const struct ws_estimate_sums needs = needs_of(groups, settings);
    if (estimate->budget > 0 && needs.bytes > estimate->budget)
        choose_tile(&report, needs.bytes, estimate->budget, tile);
    bool told = true;
    const unsigned others = count_others(estimate);
    if (others > 0)
        ws_say("%u further process%s of the program used Vulkan too: what %s would record is not estimated",
               others, ws_plural(others, "es"), others == 1 ? "it" : "they");
    if (!quiet && estimate->wanted)
        told = ws_groups_text(groups, WS_ESTIMATE_BY_PASS, stderr) && ws_report_notes(&report, stderr);
    if (!quiet && estimate->budget > 0)
        say_budget(groups, &needs, estimate->budget, tile);
    ws_report_finish(&report);
    return told;
}
