/* The report as text: what the capture says about itself, what each analysis found, and what was left out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/report/report.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"

#define LINES_SHOWN   100 /* reasons, and messages */
#define SHADERS_SHOWN 8   /* in one line about what was left out */

void ws_report_start(uint64_t start, const char *before, FILE *stream)
{
    char text[64] = "";
    struct tm utc;
    time_t seconds = (time_t)(start / 1000000000);
    if (start != 0 && gmtime_r(&seconds, &utc) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc) > 0)
        fprintf(stream, "%s%s", before, text);
}

static void print_device(const struct ws_device_record *device, FILE *stream)
{
    fputs("  device       ", stream);
    ws_text_print(stream, device->name);
    fprintf(stream, ", subgroup size %" PRIu32, device->subgroup_size);
    if (device->subgroup_size_min != device->subgroup_size_max)
        fprintf(stream, " (%" PRIu32 " to %" PRIu32 ")", device->subgroup_size_min,
                device->subgroup_size_max);
    fputs("\n  driver       ", stream);
    if (device->driver_name[0] != '\0') {
        ws_text_print(stream, device->driver_name);
        fputs(device->driver_info[0] != '\0' ? " " : "", stream);
        ws_text_print(stream, device->driver_info);
        fputs(", ", stream);
    }
    fprintf(stream, "Vulkan %u.%u.%u\n", device->api_version >> 22 & 0x7f, device->api_version >> 12 & 0x3ff,
            device->api_version & 0xfff);
}

/* What of the capture the report is of. */
static void print_chosen(const struct ws_selection *selection, FILE *stream)
{
    const bool shaders = ws_selection_has_shaders(selection);
    if (ws_selection_has_launches(selection) || (shaders && selection->launch_count < selection->all.count)) {
        fputs("  chosen       ", stream);
        ws_selection_print_launches(selection, stream);
        fputc('\n', stream);
    }
    if (shaders) {
        fputs("  chosen       ", stream);
        ws_selection_print_shaders(selection, SHADERS_SHOWN, stream);
        fputc('\n', stream);
    }
}

void ws_report_head(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    ws_text_print(stream, report->path);
    fputs("\n  program      ", stream);
    ws_text_print(stream, overview->command_line[0] != '\0' ? overview->command_line : "not recorded");
    if (overview->application[0] != '\0') {
        fputs("\n  application  ", stream);
        ws_text_print(stream, overview->application);
    }
    fputs("\n  recorded     ", stream);
    ws_report_start(overview->start, "", stream);
    fputs(!overview->has_info    ? "not recorded"
          : overview->start != 0 ? ", Warpscope "
                                 : "Warpscope ",
          stream);
    ws_text_print(stream, overview->version);
    for (uint32_t i = 0; i < overview->pass_count; ++i) {
        fputs(i == 0 ? "\n  passes       " : ", ", stream);
        ws_text_print(stream, overview->passes[i]);
    }
    const uint32_t one_in = ws_report_sampled(overview);
    if (one_in > 1)
        fprintf(stream,
                "\n  sampled      1 warp in %" PRIu32
                " was counted: counts are estimates, simt_efficiency has their errors",
                one_in);
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->catalog.device_count; ++i)
        print_device(&report->catalog.devices[i], stream);
    fprintf(stream, "  contents     %" PRIu64 " submission%s, %" PRIu64 " launch%s, %" PRIu32 " shader%s\n",
            overview->submissions, ws_plural(overview->submissions, "s"), overview->launches,
            ws_plural(overview->launches, "es"), report->catalog.shader_count,
            ws_plural(report->catalog.shader_count, "s"));
    print_chosen(&report->selection, stream);
}

/* The shaders of a skip: " in a:main, b:main and 3 more". Nothing where it has none. */
static void print_shaders(const struct ws_catalog *catalog, const struct ws_overview_skip *skip,
                          const char *before, FILE *stream)
{
    const uint32_t shown = skip->shader_count < SHADERS_SHOWN ? skip->shader_count : SHADERS_SHOWN;
    for (uint32_t i = 0; i < shown; ++i) {
        char name[256];
        ws_overview_shader_name(catalog, &skip->shaders[i], name, sizeof(name));
        fputs(i == 0 ? before : ", ", stream);
        ws_text_print(stream, name);
    }
    if (skip->shader_count + skip->shaders_more > shown)
        fprintf(stream, " and %" PRIu64 " more", skip->shader_count + skip->shaders_more - shown);
}

/* Shaders that the passes want nothing of. */
static void print_no_place(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview_skip *skip = &report->overview.no_place;
    if (skip->count == 0)
        return;
    fprintf(stream, "  %" PRIu64 " shader%s no place that the passes want, and ran as %s made", skip->count,
            skip->count == 1 ? " holds" : "s hold", skip->count == 1 ? "it was" : "they were");
    print_shaders(&report->catalog, skip, ": ", stream);
    fputc('\n', stream);
}

static void print_more(uint32_t count, FILE *stream)
{
    if (count > LINES_SHOWN)
        fprintf(stream, "  ... and %" PRIu32 " more line%s: --json has them\n", count - LINES_SHOWN,
                ws_plural(count - LINES_SHOWN, "s"));
}

/* Fragment shaders that only late tests could be kept for: fragments are in their figures that the device might
 * have culled without us. */
static void print_late_tests(const struct ws_catalog *catalog, FILE *stream)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        count += (catalog->shaders[i].flags & WS_SHADER_LATE_TESTS) != 0;
    if (count == 0)
        return;
    fprintf(stream,
            "  late tests: %" PRIu32 " fragment shader%s before the depth test because %s; hidden\n"
            "  fragments are in %s figures: ",
            count, count == 1 ? " ran" : "s ran", count == 1 ? "it counts" : "they count",
            count == 1 ? "its" : "their");
    for (uint32_t i = 0, shown = 0; i < catalog->shader_count && shown < SHADERS_SHOWN; ++i) {
        if ((catalog->shaders[i].flags & WS_SHADER_LATE_TESTS) == 0)
            continue;
        fputs(shown++ == 0 ? "" : ", ", stream);
        ws_text_print(stream, ws_shader_name(catalog, i));
    }
    if (count > SHADERS_SHOWN)
        fprintf(stream, " and %" PRIu32 " more", count - SHADERS_SHOWN);
    fputc('\n', stream);
}

/* What was left out of the numbers, and why. */
static void print_left_out(const struct ws_catalog *catalog, const struct ws_overview *overview, FILE *stream)
{
    if (overview->skip_count > 0)
        fputs("\nLeft out\n", stream);
    for (uint32_t i = 0; i < overview->skip_count && i < LINES_SHOWN; ++i) {
        const struct ws_overview_skip *skip = &overview->skips[i];
        fprintf(stream, "  %" PRIu64 " %s%s", skip->count, ws_skip_kind_name(skip->kind),
                ws_plural(skip->count, skip->kind == WS_SKIP_LAUNCH ? "es" : "s"));
        if (skip->pass != NULL) {
            fputs(" by ", stream);
            ws_text_print(stream, skip->pass);
        }
        print_shaders(catalog, skip, ws_overview_skip_joint(skip), stream);
        fputs(": ", stream);
        ws_text_print(stream, skip->reason);
        fputc('\n', stream);
    }
    print_more(overview->skip_count, stream);
    if (overview->message_count > 0)
        fputs("\nMessages while recording\n", stream);
    for (uint32_t i = 0; i < overview->message_count && i < LINES_SHOWN; ++i) {
        static const char *const severities[] = {"", "warning: ", "error: "};
        const struct ws_overview_message *message = &overview->messages[i];
        fprintf(stream, "  %s", message->severity < 3 ? severities[message->severity] : "");
        ws_text_print(stream, message->text);
        if (message->count > 1)
            fprintf(stream, " (%" PRIu64 " times)", message->count);
        fputc('\n', stream);
    }
    print_more(overview->message_count, stream);
}

/* Whether the capture ends early by itself. */
static bool is_cut_short(const struct ws_reader_summary *reading)
{
    return reading->broken || (!reading->closed && !reading->stopped);
}

bool ws_report_cut_short(const struct ws_overview *overview, char *text, size_t size)
{
    const struct ws_reader_summary *reading = &overview->reading;
    char where[128] = "the program ended before the capture was whole (it was killed, or crashed, or the "
                      "disk was full)";
    if (reading->broken)
        snprintf(where, sizeof(where), "the file breaks off behind byte %" PRIu64, reading->bytes);
    snprintf(text, size, "%s. What came before is here: %" PRIu64 " launch%s. For all of it %s", where,
             overview->launches, ws_plural(overview->launches, "es"),
             reading->broken
                 ? "copy the file once more, or record again where the disk has room"
                 : "record again and let the program end, or choose frames (record --frames): then the "
                   "capture is whole as soon as the last one is through");
    return is_cut_short(reading);
}

bool ws_report_not_whole(const struct ws_overview *overview, char *text, size_t size)
{
    const struct ws_reader_summary *reading = &overview->reading;
    const bool cut = is_cut_short(reading);
    const uint64_t damaged = reading->damaged > 0 ? reading->damaged + reading->orphaned : 0;
    size_t used = 0;
    if (reading->broken)
        used = (size_t)snprintf(text, size, "it breaks off behind byte %" PRIu64, reading->bytes);
    else if (cut)
        used = (size_t)snprintf(text, size, "the program ended before it was");
    if (cut)
        used += (size_t)snprintf(text + used, size - used,
                                 "; it has %" PRIu64 " launch%s, and what came later is missing",
                                 overview->launches, ws_plural(overview->launches, "es"));
    if (damaged > 0)
        snprintf(text + used, size - used, "%s%" PRIu64 " chunk%s of it %s damaged and left out",
                 cut ? "; " : "", damaged, ws_plural(damaged, "s"), damaged == 1 ? "is" : "are");
    return cut || damaged > 0;
}

/* How far the numbers can be trusted. */
static void print_reading(const struct ws_report *report, FILE *stream)
{
    char text[WS_CUT_SHORT_MAX];
    const struct ws_overview *overview = &report->overview;
    const struct ws_reader_summary *reading = &overview->reading;
    if (reading->damaged > 0)
        fprintf(stream, "  %" PRIu64 " chunk%s damaged and skipped", reading->damaged,
                reading->damaged == 1 ? " is" : "s are");
    if (reading->damaged > 0 && reading->orphaned > 0)
        fprintf(stream, ", and %" PRIu64 " more that refer to what was lost", reading->orphaned);
    if (reading->damaged > 0)
        fputc('\n', stream);
    else if (reading->orphaned > 0)
        fprintf(stream, "  %" PRIu64 " chunk%s of geometry %s to what is not in the capture\n",
                reading->orphaned, ws_plural(reading->orphaned, "s"),
                reading->orphaned == 1 ? "refers" : "refer");
    if (reading->unknown > 0)
        fprintf(stream, "  %" PRIu64 " chunk%s of a kind that this Warpscope does not know %s skipped\n",
                reading->unknown, ws_plural(reading->unknown, "s"), reading->unknown == 1 ? "was" : "were");
    if (ws_report_cut_short(overview, text, sizeof(text)))
        fprintf(stream, "  cut short: %s\n", text);
}

static void print_unreadable(const struct ws_catalog *catalog, FILE *stream)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        count += catalog->modules[i].unreadable;
    if (count > 0)
        fprintf(stream,
                "  %" PRIu32 " module%s could not be parsed: no source lines and no opcodes of theirs\n",
                count, ws_plural(count, "s"));
}

const char *ws_report_tile(const struct ws_report *report, const struct ws_replay_losses *losses, char *text,
                           size_t size)
{
    uint64_t step = 0;
    for (uint32_t i = 0; i < losses->lost_count; ++i)
        step = losses->lost[i].step > step ? losses->lost[i].step : step;
    text[0] = '\0';
    if (step > 1 && !ws_report_is_sample(&report->overview))
        snprintf(text, size, ", or one tile of %" PRIu64 " with --tile 16x16/%" PRIu64, step, step);
    return text;
}

static bool is_sample(const struct ws_text_pair *setting)
{
    return setting->value[0] != '\0' &&
           (strcmp(setting->key, "threads") == 0 || strcmp(setting->key, "pixels") == 0 ||
            strcmp(setting->key, "tile") == 0);
}

bool ws_report_is_sample(const struct ws_overview *overview)
{
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        if (is_sample(&overview->settings[i]))
            return true;
    return false;
}

void ws_report_samples(const struct ws_overview *overview, const char *before, const char *after,
                       FILE *stream)
{
    for (uint32_t i = 0; i < overview->setting_count; ++i) {
        if (!is_sample(&overview->settings[i]))
            continue;
        fprintf(stream, "%s--%s ", before, overview->settings[i].key);
        ws_text_print(stream, overview->settings[i].value);
        fputs(after, stream);
    }
}

/* Where the whole threads of a launch are. With a sample, most tiles are not whole for that reason. */
static void print_map(const struct ws_replay_lost *lost, FILE *stream)
{
    if (lost->tile == 0)
        return;
    fprintf(stream, "    tiles of %" PRIu32 " x %" PRIu32 " threads: # whole, + in part, . none\n",
            lost->tile, lost->tile);
    for (uint32_t row = 0; row < lost->rows; ++row)
        fprintf(stream, "    %s\n", lost->map[row]);
}

uint32_t ws_report_sampled(const struct ws_overview *overview)
{
    uint32_t one_in = 1;
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        if (strcmp(overview->settings[i].key, "sample") == 0 &&
            sscanf(overview->settings[i].value, "1/%" SCNu32, &one_in) != 1)
            one_in = 1;
    return one_in == 0 ? 1 : one_in;
}

/* What is left of the launches whose records end early; where, of the first one. */
static void print_lost(const struct ws_report *report, const struct ws_replay_losses *losses, FILE *stream)
{
    const bool is_sample = ws_report_is_sample(&report->overview);
    for (uint32_t i = 0; i < losses->lost_count; ++i) {
        const struct ws_replay_lost *lost = &losses->lost[i];
        fprintf(stream, "  launch %" PRIu64 ": %" PRIu64, lost->launch, lost->kept);
        if (lost->threads > 0 && !is_sample)
            fprintf(stream, " of %" PRIu64, lost->threads);
        fprintf(stream, " threads are whole; %" PRIu64 " of %" PRIu64 " cut warp%s are left out\n",
                lost->cut_threads, lost->cut_warps, ws_plural(lost->cut_warps, "s"));
        if (i == 0 && !is_sample)
            print_map(lost, stream);
    }
    if (losses->truncated > losses->lost_count && losses->lost_count == WS_REPLAY_LOST)
        fprintf(stream, "  ...\n");
}

bool ws_report_lost(const struct ws_report *report, char *text, size_t size)
{
    const struct ws_replay_losses none = {0};
    const struct ws_replay_losses *losses = report->replay != NULL ? ws_replay_losses(report->replay) : &none;
    if (losses->missing > 0)
        snprintf(text, size,
                 "%" PRIu64 " bytes of records did not fit. record --buffer %" PRIu64
                 "K would have held them",
                 4 * losses->missing, (4 * losses->sufficient + 1023) / 1024);
    else if (losses->truncated > 0)
        snprintf(text, size, "records of %" PRIu64 " launch%s are missing or cannot be read. Record again",
                 losses->truncated, ws_plural(losses->truncated, "es"));
    else
        snprintf(text, size, "%" PRIu64 " record%s what is known of the shader", losses->malformed,
                 losses->malformed == 1 ? " contradicts" : "s contradict");
    return losses->missing > 0 || losses->truncated > 0 || losses->malformed > 0;
}

/* What was chosen to be recorded, and which records are missing or unclear. */
static void print_losses(const struct ws_report *report, FILE *stream)
{
    if (report->replay == NULL)
        return;
    ws_report_samples(&report->overview, "  only a sample of the warps left records: ", "\n", stream);
    const struct ws_replay_losses *losses = ws_replay_losses(report->replay);
    if (losses->missing > 0) {
        char tile[64];
        fprintf(stream,
                "  %" PRIu64 " bytes of records did not fit; they would have with --buffer %" PRIu64
                "K%s (records are of part of what ran)\n",
                4 * losses->missing, (4 * losses->sufficient + 1023) / 1024,
                ws_report_tile(report, losses, tile, sizeof(tile)));
    }
    print_lost(report, losses, stream);
    if (losses->truncated > 0)
        fprintf(stream, "  %" PRIu64 " launch%s of which records are missing or unreadable\n",
                losses->truncated, ws_plural(losses->truncated, "es"));
    if (losses->malformed > 0)
        fprintf(stream,
                "  wrong data: %" PRIu64 " record%s what is known of the shader; the rest of the launch is "
                "left out\n",
                losses->malformed, losses->malformed == 1 ? " contradicts" : "s contradict");
    if (losses->regrouped > 0)
        fprintf(stream,
                "  %" PRIu64
                " execution%s of shaders by warps that the device put together anew from threads of "
                "several\n",
                losses->regrouped, ws_plural(losses->regrouped, "s"));
    if (losses->continued > 0)
        fprintf(stream,
                "  %" PRIu64 " of them go%s on with what ran in other warps, or other lanes, before a call\n",
                losses->continued, losses->continued == 1 ? "es" : "");
    if (losses->unrooted > 0)
        fprintf(stream,
                "  %" PRIu64 " execution%s of called shaders for threads of which no launch was recorded\n",
                losses->unrooted, ws_plural(losses->unrooted, "s"));
    if (losses->unsized > 0)
        fprintf(stream,
                "  %" PRIu64
                " warp%s of shaders whose workgroup size could not be worked out: their threads have "
                "the id of their workgroup\n",
                losses->unsized, ws_plural(losses->unsized, "s"));
}

static bool is_given_up(const struct ws_report *report, const struct ws_analysis *analysis)
{
    for (size_t i = 0; i < report->given_up_count; ++i)
        if (report->given_up[i].analysis == analysis)
            return true;
    return false;
}

/* What is not whole, because it would have cost too much. */
static void print_given_up(const struct ws_report *report, FILE *stream)
{
    for (size_t i = 0; i < report->given_up_count; ++i) {
        fprintf(stream, "  no %s: ", report->given_up[i].analysis->name);
        ws_text_print(stream, report->given_up[i].error.message);
        fputc('\n', stream);
    }
    if (report->stopped.message[0] != '\0')
        fprintf(stream, "  read in part, up to byte %" PRIu64 ": %s\n", report->overview.reading.bytes,
                report->stopped.message);
}

/* The analyses that the capture cannot serve. */
static void print_missing(const struct ws_report *report, FILE *stream)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    for (size_t i = 0; report->all && analyses[i] != NULL; ++i) {
        char needs[128];
        ws_analysis_needs(analyses[i], needs, sizeof(needs));
        if (analyses[i]->by_name)
            continue;
        if (!ws_analysis_heeds(analyses[i], &report->selection, NULL))
            fprintf(stream, "  no %s: %s\n", analyses[i]->name, analyses[i]->no_shaders);
        else if (ws_report_results(report, analyses[i]) == NULL && !is_given_up(report, analyses[i]))
            fprintf(stream, "  no %s: recorded without %s\n", analyses[i]->name, needs);
    }
}

/* All notes, or none. */
static bool print_notes(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    char *text = NULL;
    size_t size = 0;
    FILE *notes = open_memstream(&text, &size);
    if (notes == NULL)
        return false;
    if (overview->outside > 0)
        fprintf(notes, "  %" PRIu64 " launch%s outside the chosen range and not recorded\n",
                overview->outside, overview->outside == 1 ? " was" : "es were");
    if (overview->overlapped > 0)
        fprintf(notes, "  %" PRIu64 " launch%s beside work of another queue: counts may belong to either\n",
                overview->overlapped, overview->overlapped == 1 ? " ran" : "es ran");
    for (size_t i = 0; i < report->part_count; ++i)
        if (report->parts[i].analysis->notes != NULL)
            report->parts[i].analysis->notes(report->parts[i].results, notes);
    for (size_t i = 0; i < report->part_count; ++i)
        ws_groups_notes(ws_report_part_groups(&report->parts[i]), report->parts[i].analysis->name, notes);
    if (report->view.filter_count > 0)
        fputs("  --filter chose rows of the tables that have what it compares; what is no such table is of "
              "all\n",
              notes);
    if (report->selection.shared)
        fputs("  shaders that chosen pipelines share with others count in launches in which no other of them "
              "ran\n",
              notes);
    print_losses(report, notes);
    print_late_tests(&report->catalog, notes);
    print_no_place(report, notes);
    print_given_up(report, notes);
    print_missing(report, notes);
    print_unreadable(&report->catalog, notes);
    print_reading(report, notes);
    bool written = fclose(notes) == 0;
    if (written && size > 0)
        fprintf(stream, "\nNotes\n%s", text);
    free(text);
    return written;
}

bool ws_report_notes(const struct ws_report *report, FILE *stream)
{
    print_left_out(&report->catalog, &report->overview, stream);
    return print_notes(report, stream);
}

/* Why an analysis has nothing to report; NULL where it has something. */
static const char *nothing_of(const struct ws_report_part *part)
{
    return part->analysis->nothing != NULL ? part->analysis->nothing(part->results) : NULL;
}

/* The analyses of a report of several that have nothing to say, a line for each. */
static void print_nothing(const struct ws_report *report, FILE *stream)
{
    bool begun = false;
    for (size_t i = 0; i < report->part_count; ++i) {
        const char *why = nothing_of(&report->parts[i]);
        if (why == NULL)
            continue;
        fputs(begun ? "" : "\n--- nothing to report\n\n", stream);
        fprintf(stream, "  %s: %s\n", report->parts[i].analysis->name, why);
        begun = true;
    }
}

bool ws_report_text(const struct ws_report *report, FILE *stream)
{
    bool printed = true;
    const bool several = report->part_count > 1;
    ws_report_head(report, stream);
    if (is_cut_short(&report->overview.reading))
        fputs("\nThis capture is cut short: what came later is missing, and the tables are of its first "
              "part.\n",
              stream);
    for (size_t i = 0; i < report->part_count && printed; ++i) {
        const struct ws_report_part *part = &report->parts[i];
        if (several && nothing_of(part) != NULL)
            continue;
        if (several)
            fprintf(stream, "\n--- %s: %s\n", part->analysis->name, part->analysis->summary);
        const bool columns = part->analysis->text == NULL || report->view.by != NULL;
        printed = columns ? ws_groups_text_all(ws_report_part_groups(part), stream)
                          : part->analysis->text(part->results, stream);
    }
    if (several)
        print_nothing(report, stream);
    return ws_report_notes(report, stream) && printed;
}
