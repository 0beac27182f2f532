/* What a summary says of how far to trust it. The foot of each report says the same at length (report_text.c). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary/summary.h"
#include "warpscope/base/text.h"
#include "warpscope/model/replay.h"
#include "warpscope/output/json.h"
#include "warpscope/output/wrap.h"

#define INDENT 15
#define MOST   4 /* reasons and messages */

/* The lines that have been said, and whether there was memory for each. They go to the stream, or to the list. */
struct lines {
    FILE *stream;
    size_t width;
    cJSON *list; /* NULL = to the stream */
    uint32_t count;
    bool failed;
};

__attribute__((format(printf, 3, 4))) static void say(struct lines *lines, const char *label,
                                                      const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    lines->failed = lines->failed || length < 0;
    lines->count++;
    if (length < 0)
        return;
    if (lines->list == NULL) {
        ws_wrap_item(label, text, 2, INDENT, lines->width, lines->stream);
    } else {
        cJSON *remark = cJSON_CreateObject();
        cJSON_AddStringToObject(remark, "label", label);
        cJSON_AddStringToObject(remark, "text", text);
        ws_json_append(lines->list, remark);
    }
    free(text);
}

static void say_left_out(const struct ws_report *report, struct lines *lines)
{
    const struct ws_overview *overview = &report->overview;
    for (uint32_t i = 0; i < overview->skip_count && i < MOST; ++i) {
        const struct ws_overview_skip *skip = &overview->skips[i];
        char name[256] = "";
        if (skip->shader_count > 0)
            ws_overview_shader_name(&report->catalog, &skip->shaders[0], name, sizeof(name));
        const uint64_t more = skip->shader_count > 0 ? skip->shader_count - 1 + skip->shaders_more : 0;
        char others[48] = "";
        if (more > 0)
            snprintf(others, sizeof(others), " and %" PRIu64 " more", more);
        say(lines, "left out", "%" PRIu64 " %s%s%s%s%s: %s", skip->count, ws_skip_kind_name(skip->kind),
            ws_plural(skip->count, skip->kind == WS_SKIP_LAUNCH ? "es" : "s"),
            name[0] != '\0' ? ws_overview_skip_joint(skip) : "", name, others, skip->reason);
    }
    if (overview->skip_count > MOST)
        say(lines, "left out", "%" PRIu32 " more, which the foot of each report lists",
            overview->skip_count - MOST);
    if (overview->outside > 0)
        say(lines, "not chosen", "%" PRIu64 " launch%s outside the chosen range", overview->outside,
            overview->outside == 1 ? " was" : "es were");
    for (uint32_t i = 0; i < overview->message_count && i < MOST; ++i)
        if (overview->messages[i].severity > 0)
            say(lines, overview->messages[i].severity == 1 ? "warning" : "error", "%s",
                overview->messages[i].text);
}

/* The settings that chose a sample: "--tile 32x32/16". */
static void say_samples(const struct ws_overview *overview, struct lines *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    lines->failed = lines->failed || stream == NULL;
    if (stream == NULL)
        return;
    ws_report_samples(overview, "", " ", stream);
    if (fclose(stream) != 0)
        lines->failed = true;
    else if (size > 0)
        say(lines, "sample", "only warps that %schose left records: sizes are of them", text);
    free(text);
}

static void say_sampled(const struct ws_report *report, struct lines *lines)
{
    const uint32_t one_in = ws_report_sampled(&report->overview);
    if (one_in > 1)
        say(lines, "sample",
            "1 warp in %" PRIu32
            " was counted: counts are estimates, whose errors report simt_efficiency has",
            one_in);
}

static void say_losses(const struct ws_report *report, struct lines *lines)
{
    if (report->replay == NULL)
        return;
    const struct ws_replay_losses *losses = ws_replay_losses(report->replay);
    say_samples(&report->overview, lines);
    if (losses->missing > 0) {
        char tile[64];
        say(lines, "lost",
            "%" PRIu64 " bytes of records did not fit: sizes are of what did. record --buffer %" PRIu64
            "K would have held them%s",
            4 * losses->missing, (4 * losses->sufficient + 1023) / 1024,
            ws_report_tile(report, losses, tile, sizeof(tile)));
    }
    if (losses->cut_warps > 0)
        say(lines, "lost", "%" PRIu64 " thread%s of %" PRIu64 " warp%s that this cut are left out",
            losses->cut_threads, ws_plural(losses->cut_threads, "s"), losses->cut_warps,
            ws_plural(losses->cut_warps, "s"));
    if (losses->truncated > 0)
        say(lines, "lost", "records of %" PRIu64 " launch%s are missing or cannot be read", losses->truncated,
            ws_plural(losses->truncated, "es"));
    if (losses->malformed > 0)
        say(lines, "wrong data",
            "%" PRIu64 " record%s what is known of the shader; the rest of the launch is left out",
            losses->malformed, losses->malformed == 1 ? " contradicts" : "s contradict");
    if (losses->unrooted > 0)
        say(lines, "unclear", "%" PRIu64 " execution%s of shaders whose launch was not recorded",
            losses->unrooted, ws_plural(losses->unrooted, "s"));
}

static void say_reading(const struct ws_report *report, struct lines *lines)
{
    const struct ws_overview *overview = &report->overview;
    const struct ws_reader_summary *reading = &overview->reading;
    char text[WS_CUT_SHORT_MAX];
    for (size_t i = 0; i < report->given_up_count; ++i)
        say(lines, "given up", "%s: %s", report->given_up[i].analysis->name,
            report->given_up[i].error.message);
    if (report->stopped.message[0] != '\0')
        say(lines, "read in part", "up to byte %" PRIu64 ": %s", reading->bytes, report->stopped.message);
    if (overview->overlapped > 0)
        say(lines, "unclear",
            "%" PRIu64 " launch%s beside work of another queue: counts may belong to either",
            overview->overlapped, overview->overlapped == 1 ? " ran" : "es ran");
    if (reading->damaged + reading->orphaned > 0)
        say(lines, "damaged", "%" PRIu64 " chunk%s of the file could not be used",
            reading->damaged + reading->orphaned, ws_plural(reading->damaged + reading->orphaned, "s"));
    if (reading->unknown > 0)
        say(lines, "unknown", "%" PRIu64 " chunk%s of a newer Warpscope %s skipped", reading->unknown,
            ws_plural(reading->unknown, "s"), reading->unknown == 1 ? "was" : "were");
    if (ws_report_cut_short(overview, text, sizeof(text)))
        say(lines, "cut short", "%s", text);
}

static void say_all(const struct ws_report *report, struct lines *lines)
{
    say_left_out(report, lines);
    say_sampled(report, lines);
    say_losses(report, lines);
    say_reading(report, lines);
}

cJSON *ws_summary_remarks(const struct ws_report *report)
{
    struct lines lines = {.list = cJSON_CreateArray()};
    say_all(report, &lines);
    if (!lines.failed)
        return lines.list;
    cJSON_Delete(lines.list);
    return NULL;
}

bool ws_summary_trust(const struct ws_report *report, size_t width, FILE *stream)
{
    struct lines lines = {.stream = stream, .width = width};
    say_all(report, &lines);
    if (lines.count == 0)
        say(&lines, "left out", "nothing");
    return !lines.failed;
}
