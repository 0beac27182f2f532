#include "analysis/command/record/record_result.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/command/command.h"
#include "analysis/command/options.h"
#include "analysis/command/record/record_reason.h"
#include "analysis/viewer/missing.h"
#include "analysis/yields/probes.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/instrument.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"
#include "warpscope/model/overview.h"
#include "warpscope/passes.h"

#define NANOSECONDS UINT64_C(1000000000)

/* Masks of passes. */
struct sites {
    uint32_t placed;   /* that have sites */
    uint32_t counting; /* those that count: in all threads, whichever leave records */
};

/* What is of interest here of a capture. */
struct contents {
    struct ws_catalog catalog;
    struct ws_overview overview;
    struct sites *sites; /* of each module of the catalog */
    uint32_t sites_count;
    struct ws_probes *probes; /* what is known of them without their yields; NULL = no memory */
    struct sites ran;         /* of the shaders that ran */
    bool counted;             /* a launch ran an instrumented shader */
    uint64_t timed;           /* launches in TIME chunks */
    uint64_t bytes;           /* of records */
    uint64_t missing;         /* words of records that did not fit */
    uint64_t capacity;        /* in words: what would have held the largest submission */
    uint64_t run;             /* INFO has it */
    uint64_t frames;          /* that launches of the capture belong to ... */
    uint64_t last_frame;      /* ... and 1 + the last of them */
    uint64_t presented;       /* frames that the program presented, and ... */
    uint64_t submitted;       /* ... launches that it submitted, chosen or not, as DONE says */
    bool whole;               /* read to the end */
    uint64_t stored;          /* bytes of the file, read or not */
    char refusal[256];        /* why a device could not be instrumented; "" = none was refused */
    char shader_refusal[256]; /* the same of the first shader or pipeline that was not instrumented */
    struct ws_error error;
};

static void keep(char *text, size_t size, const char *reason)
{
    if (text[0] == '\0')
        snprintf(text, size, "%s", reason);
}

/* Whether a site of this kind needs no records. */
static bool counts(uint32_t kind)
{
    return kind == WS_SITE_BLOCK || kind == WS_SITE_COUNT || kind == WS_SITE_ACCESS || kind == WS_SITE_YIELD;
}

/* Notes which passes have sites in a module. */
static bool take_sites(struct contents *contents, const struct ws_chunk_sites *sites)
{
    const struct ws_catalog *catalog = &contents->catalog;
    if (catalog->module_count > contents->sites_count) {
        struct sites *list = realloc(contents->sites, catalog->module_capacity * sizeof(*list));
        if (list == NULL)
            return false;
        memset(list + contents->sites_count, 0,
               (catalog->module_count - contents->sites_count) * sizeof(*list));
        contents->sites = list;
        contents->sites_count = catalog->module_count;
    }
    struct sites *own = &contents->sites[ws_catalog_module(catalog, sites->module)];
    for (uint32_t i = 0; i < sites->site_count; ++i) {
        const struct ws_site_info *site = &sites->sites[i];
        own->placed |= site->pass < 32 ? 1u << site->pass : 0;
        own->counting |= site->pass < 32 && counts(site->kind) ? 1u << site->pass : 0;
    }
    return true;
}

static void take_shader(struct contents *contents, uint32_t id)
{
    uint32_t module = contents->catalog.shaders[ws_catalog_shader(&contents->catalog, id)].module;
    contents->counted = true;
    if (module < contents->sites_count) {
        contents->ran.placed |= contents->sites[module].placed;
        contents->ran.counting |= contents->sites[module].counting;
    }
}

static void take_records(struct contents *contents, const struct ws_chunk_records *records)
{
    contents->bytes += 4 * (uint64_t)records->word_count;
    if ((records->flags & WS_RECORDS_LAST) != 0)
        contents->missing += records->missing;
    if (records->missing > 0 && records->sufficient > contents->capacity)
        contents->capacity = records->sufficient;
    for (uint32_t i = 0; i < records->slot_count; ++i)
        take_shader(contents, records->slots[i].shader);
}

/* Frames of a queue never fall; those of several devices may, and count again then. */
static void take_submission(struct contents *contents, const struct ws_chunk_submission *submission)
{
    if (submission->frame + 1 != contents->last_frame)
        contents->frames++;
    contents->last_frame = submission->frame + 1;
    for (uint32_t i = 0; i < submission->launch_count; ++i)
        for (uint32_t j = 0; j < submission->launches[i].shader_count; ++j)
            take_shader(contents, submission->launches[i].shaders[j].shader);
}

/* Pass `time` has no sites: what it takes are times. */
static void take_times(struct contents *contents, const struct ws_chunk_times *times)
{
    const struct ws_overview *overview = &contents->overview;
    bool taken = false;
    for (uint32_t i = 0; i < times->launch_count; ++i)
        taken = taken || times->launches[i].state == WS_TIME_TAKEN;
    contents->counted = contents->counted || taken;
    for (uint32_t i = 0; taken && i < overview->pass_count && i < 32; ++i)
        if (strcmp(overview->passes[i], WS_PASS_TIME) == 0)
            contents->ran.placed |= 1u << i;
}

static bool take_chunk(struct contents *contents, const struct ws_chunk *chunk)
{
    if (!ws_catalog_record(&contents->catalog, chunk, &contents->error) ||
        !ws_overview_record(&contents->overview, chunk, &contents->error))
        return false;
    const bool of_probes =
        chunk->type == WS_CHUNK_PROBE || chunk->type == WS_CHUNK_MODULE || chunk->type == WS_CHUNK_SITES;
    if (of_probes && contents->probes != NULL && !ws_probes_add(contents->probes, chunk, &contents->error))
        return false;
    if (chunk->type == WS_CHUNK_SITES)
        return take_sites(contents, &chunk->sites);
    if (chunk->type == WS_CHUNK_TIMES)
        contents->timed += chunk->times.launch_count;
    if (chunk->type == WS_CHUNK_RECORDS)
        take_records(contents, &chunk->records);
    if (chunk->type == WS_CHUNK_SUBMISSION)
        take_submission(contents, &chunk->submission);
    if (chunk->type == WS_CHUNK_TIMES)
        take_times(contents, &chunk->times);
    if (chunk->type == WS_CHUNK_INFO)
        contents->run = chunk->info.run;
    if (chunk->type == WS_CHUNK_DONE) {
        contents->presented = chunk->done.frames;
        contents->submitted = chunk->done.launches;
    }
    if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind == WS_SKIP_DEVICE)
        keep(contents->refusal, sizeof(contents->refusal), chunk->skip.reason);
    else if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_SITE &&
             chunk->skip.kind != WS_SKIP_NO_PLACE && chunk->skip.kind != WS_SKIP_IMAGE)
        keep(contents->shader_refusal, sizeof(contents->shader_refusal), chunk->skip.reason);
    return true;
}

/* The capture is read for no longer than this; then the message is about its first part. */
#define PATIENCE 3 /* seconds */

static void look_into(const char *path, struct contents *contents)
{
    struct ws_chunk chunk;
    time_t start = time(NULL);
    memset(contents, 0, sizeof(*contents));
    ws_catalog_init(&contents->catalog);
    ws_overview_begin(&contents->overview);
    contents->probes = calloc(1, sizeof(*contents->probes));
    if (contents->probes != NULL &&
        !ws_probes_begin(contents->probes, &contents->catalog, NULL, &contents->error)) {
        free(contents->probes);
        contents->probes = NULL;
    }
    struct ws_reader *reader = ws_reader_open(path, &contents->error);
    if (reader == NULL)
        return;
    ws_reader_leave_out_words(reader);
    struct stat file;
    contents->stored = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    enum ws_read_result result = ws_reader_next(reader, &chunk, &contents->error);
    while (result == WS_READ_CHUNK && take_chunk(contents, &chunk) && time(NULL) - start <= PATIENCE)
        result = ws_reader_next(reader, &chunk, &contents->error);
    contents->whole = result == WS_READ_END;
    ws_overview_end(&contents->overview, reader);
    ws_reader_destroy(reader);
    struct ws_error nameless; /* then shaders are called after their entry points */
    ws_names_make(&contents->catalog, &nameless);
}

static void finish_contents(struct contents *contents)
{
    if (contents->probes != NULL)
        ws_probes_finish(contents->probes);
    free(contents->probes);
    ws_catalog_finish(&contents->catalog);
    ws_overview_finish(&contents->overview);
    free(contents->sites);
}

/* The value of a setting in a capture; "" where it is not there. */
static const char *setting_of(const struct ws_overview *overview, enum ws_setting_id id)
{
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        if (strcmp(overview->settings[i].key, ws_setting_table[id].key) == 0)
            return overview->settings[i].value;
    return "";
}

/* Whether the first of a range ("10-19", "10-", "10") lies behind `count` frames or launches. */
static bool begins_behind(const char *range, uint64_t count)
{
    return range[0] != '\0' && strtoull(range, NULL, 10) >= count;
}

/* All launches ran outside the range that was chosen. */
static void say_outside(const char *path, const struct contents *contents)
{
    const struct ws_overview *overview = &contents->overview;
    const char *frames = setting_of(overview, WS_SETTING_FRAMES);
    const char *launches = setting_of(overview, WS_SETTING_LAUNCHES);
    const char *trigger = setting_of(overview, WS_SETTING_TRIGGER);
    const uint64_t outside = overview->outside;
    if (frames[0] != '\0' && contents->presented == 0 && begins_behind(frames, 1))
        ws_say(
            "'%s' holds nothing: frames %s were chosen, but the program presented none, so that its %" PRIu64
            " launch%s belong%s to frame 0: choose with --launches",
            path, frames, outside, ws_plural(outside, "es"), outside == 1 ? "s" : "");
    else if (begins_behind(frames, contents->presented))
        ws_say("'%s' holds nothing: frames %s were chosen, but the program presented %" PRIu64
               " frame%s, counted from 0",
               path, frames, contents->presented, ws_plural(contents->presented, "s"));
    else if (begins_behind(launches, contents->submitted))
        ws_say("'%s' holds nothing: launches %s were chosen, but the program submitted %" PRIu64
               ", counted from 0",
               path, launches, contents->submitted);
    else if (trigger[0] != '\0')
        ws_say(
            "'%s' holds nothing: the trigger file '%s' was not there when the program submitted its %" PRIu64
            " launch%s: create it while the program runs",
            path, trigger, outside, ws_plural(outside, "es"));
    else
        ws_say("'%s' holds nothing: %" PRIu64 " launch%s ran, outside the range that was chosen (frames %s, "
               "launches %s)",
               path, outside, ws_plural(outside, "es"), frames[0] != '\0' ? frames : "all",
               launches[0] != '\0' ? launches : "all");
}

/* Shaders that are named, at most. */
#define NAMED 8

/* The names of the program's shaders, or with `stages` their stages, each once. */
static void list_shaders(const struct contents *contents, bool stages, char *names, size_t size)
{
    const struct ws_catalog *catalog = &contents->catalog;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const uint32_t stage = catalog->shaders[i].stage;
        if (stages && (mask & stage) == 0)
            ws_append_name(names, size, ws_stage_name(stage));
        else if (!stages && i < NAMED)
            ws_append_name(names, size, ws_shader_name(catalog, i));
        mask |= stage;
    }
    if (!stages && catalog->shader_count > NAMED)
        ws_append_name(names, size, "...");
}

/* No shader that ran was instrumented. */
static void say_refused(const char *path, const struct contents *contents)
{
    const char *shaders = setting_of(&contents->overview, WS_SETTING_SHADERS);
    const char *stages = setting_of(&contents->overview, WS_SETTING_STAGES);
    const bool unchosen = strstr(contents->shader_refusal, "chosen by the setting") != NULL;
    const bool by_stage = unchosen && strstr(contents->shader_refusal, "setting stages") != NULL;
    char names[512] = "";
    if (unchosen)
        list_shaders(contents, by_stage, names, sizeof(names));
    if (by_stage)
        ws_say("'%s' holds nothing: --stages %s chose no shader of the program, which has the stages %s",
               path, stages, names);
    else if (unchosen)
        ws_say("'%s' holds nothing: --shaders '%s' chose no shader of the program, which has %s", path,
               shaders, names);
    else
        ws_say("'%s' holds nothing: no shader that ran was instrumented: %s", path, contents->shader_refusal);
}

/* Says why a capture holds nothing. */
static void say_nothing(const char *path, const struct contents *contents)
{
    const struct ws_overview *overview = &contents->overview;
    if (contents->error.message[0] != '\0')
        ws_say("the capture cannot be read: %s", contents->error.message);
    else if (contents->refusal[0] != '\0')
        ws_say("'%s' holds nothing: the device could not be instrumented: %s", path, contents->refusal);
    else if (!overview->reading.closed)
        ws_say("'%s' holds nothing: it was cut short before the first counts came", path);
    else if (contents->catalog.device_count == 0)
        ws_say("'%s' holds nothing: no Vulkan device was created", path);
    else if (overview->outside > 0)
        say_outside(path, contents);
    else if (contents->shader_refusal[0] != '\0')
        say_refused(path, contents);
    else if (overview->no_place.count > 0)
        ws_say("'%s' holds nothing: no shader that ran does anything that the passes record", path);
    else
        ws_say(
            "'%s' holds nothing: no trace, dispatch or draw was submitted that runs an instrumented shader",
            path);
}

/* Says which rules of probes no shader of the program fits, and what came nearest. */
static void say_unmatched(const struct contents *contents)
{
    const struct ws_probes *probes = contents->probes;
    for (uint32_t i = 0; probes != NULL && contents->whole && i < probes->probe_count; ++i)
        for (uint32_t j = 0; j < probes->probes[i].probe->rule_count; ++j) {
            struct ws_probes_unmatched unmatched;
            char line[32] = "";
            if (!ws_probes_is_unmatched(probes, i, j))
                continue;
            ws_probes_explain(probes, i, j, &unmatched);
            if (unmatched.line != 0)
                snprintf(line, sizeof(line), ", line %" PRIu32, unmatched.line);
            ws_say("probe %s%s: no place of any shader fits '%s': %s", unmatched.probe, line, unmatched.rule,
                   unmatched.nearest);
        }
}

/* Whether a pass is a probe of which no rule fits: say_unmatched tells more of it. */
static bool is_unmatched(const struct contents *contents, const char *pass)
{
    const struct ws_probes *probes = contents->probes;
    for (uint32_t i = 0; probes != NULL && i < probes->probe_count; ++i) {
        bool unmatched = strcmp(probes->probes[i].pass, pass) == 0;
        for (uint32_t j = 0; unmatched && j < probes->probes[i].probe->rule_count; ++j)
            unmatched = ws_probes_is_unmatched(probes, i, j);
        if (unmatched)
            return true;
    }
    return false;
}

/* Names the passes that have no sites in any shader that ran. Returns whether another pass has some. */
static bool say_passes(const char *path, const struct contents *contents)
{
    const struct ws_overview *overview = &contents->overview;
    char names[256] = "";
    uint32_t idle = 0;
    uint32_t named = 0;
    for (uint32_t i = 0; i < overview->pass_count && i < 32 && contents->whole; ++i)
        if ((contents->ran.placed >> i & 1) == 0 &&
            (contents->timed == 0 || strcmp(overview->passes[i], WS_PASS_TIME) != 0)) {
            idle++;
            if (is_unmatched(contents, overview->passes[i]))
                continue;
            ws_append_name(names, sizeof(names), overview->passes[i]);
            named++;
        }
    bool nothing = idle > 0 && idle == overview->pass_count;
    if (named > 0)
        ws_say("'%s' holds nothing of %s: no shader that ran does anything that %s", path, names,
               named == 1 ? "this pass records" : "these passes record");
    return !nothing;
}

/* Where threads were chosen (--pixels 9999,9999) and none of them left a record: names the passes that have nothing else.
 * Returns whether the capture has something besides. */
static bool say_unchosen(const char *path, const struct contents *contents)
{
    static const enum ws_setting_id choices[] = {WS_SETTING_THREADS, WS_SETTING_PIXELS, WS_SETTING_TILE};
    const struct ws_overview *overview = &contents->overview;
    char chosen[256] = "";
    char names[256] = "";
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); ++i) {
        char choice[128];
        const char *value = setting_of(overview, choices[i]);
        snprintf(choice, sizeof(choice), "--%s %s", ws_setting_table[choices[i]].key, value);
        if (value[0] != '\0')
            ws_append_name(chosen, sizeof(chosen), choice);
    }
    const uint32_t recording = contents->ran.placed & ~contents->ran.counting;
    for (uint32_t i = 0; i < overview->pass_count && i < 32; ++i)
        if ((recording >> i & 1) != 0 && strcmp(overview->passes[i], WS_PASS_TIME) != 0)
            ws_append_name(names, sizeof(names), overview->passes[i]);
    if (!contents->whole || contents->bytes > 0 || contents->missing > 0 || chosen[0] == '\0' ||
        names[0] == '\0')
        return true;
    ws_say(
        "'%s' holds nothing of %s: no thread that ran is among those of %s; choose others, or leave it out",
        path, names, chosen);
    return contents->ran.counting != 0 || contents->timed > 0;
}

/* The line of a capture that holds something. */
static void say_captured(const char *path, const struct contents *contents)
{
    char frames[64] = "";
    char records[WS_BYTES_SIZE];
    char stored[WS_BYTES_SIZE];
    const char *least = contents->whole ? "" : "at least ";
    const uint64_t launches = contents->overview.launches;
    if (contents->presented > 0)
        snprintf(frames, sizeof(frames), "%" PRIu64 " frame%s, ", contents->frames,
                 ws_plural(contents->frames, "s"));
    ws_say("captured to '%s': %s%s%" PRIu64 " launch%s%s%s%s, in a file of %s", path, least, frames, launches,
           ws_plural(launches, "es"), contents->bytes > 0 ? ", " : "",
           contents->bytes > 0 ? ws_bytes_text(contents->bytes, records) : "",
           contents->bytes > 0 ? " of records" : "", ws_bytes_text(contents->stored, stored));
}

/* Says what one capture holds. Returns whether that is anything. */
static bool say_counted(const char *path, const struct contents *contents, bool quiet)
{
    char bytes[WS_BYTES_SIZE];
    uint64_t needed = (4 * contents->capacity + 1023) / 1024;
    const bool placed = say_passes(path, contents);
    const bool any = say_unchosen(path, contents) && placed;
    say_unmatched(contents);
    if (contents->missing > 0)
        ws_say("%s of records did not fit into the device's buffer: record again with --buffer %" PRIu64
               "K --buffer-limit %" PRIu64 "K, or fewer warps (--threads, --pixels, --tile)",
               ws_bytes_text(4 * contents->missing, bytes), needed, needed);
    if (any && !quiet)
        say_captured(path, contents);
    if (contents->timed > 0 && contents->overview.pass_count > 1 && !quiet)
        ws_say("the device times in '%s' are those of instrumented shaders; for the program's own, record -p "
               "time "
               "alone and use report --time",
               path);
    if (contents->whole && (contents->overview.reading.broken || !contents->overview.reading.closed))
        ws_say("'%s' is cut short: the program ended, or could not write, before the capture was whole",
               path);
    return any;
}

/* What was found of a run's captures so far. */
struct findings {
    unsigned count;      /* of captures that belong to the run */
    uint64_t bytes;      /* of records in them */
    bool foreign;        /* the file that was asked for belongs to another run */
    char best[PATH_MAX]; /* the first that holds something; "" = none does */
};

/* Says all about one capture, if it belongs to the run. */
static void say_capture(const struct ws_record_run *run, const char *path, struct findings *findings)
{
    struct contents contents;
    look_into(path, &contents);
    const bool own = contents.run == 0 || contents.run == run->number;
    bool any = own && (contents.counted || contents.timed > 0);
    if (any)
        any = say_counted(path, &contents, run->quiet);
    else if (own)
        say_nothing(path, &contents);
    if (own && !any && !contents.counted && contents.timed == 0)
        say_unmatched(&contents);
    if (own) {
        findings->count++;
        findings->bytes += contents.bytes;
    } else if (strcmp(path, run->output) == 0)
        findings->foreign = true;
    if (any && findings->best[0] == '\0')
        snprintf(findings->best, sizeof(findings->best), "%s", path);
    finish_contents(&contents);
}

/* Whether the file was written in this run. Both times are from the coarse clock that file systems use. */
static bool is_new(const char *path, uint64_t start)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_mtim.tv_sec * NANOSECONDS + (uint64_t)status.st_mtim.tv_nsec >= start;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Whether the file that the user asked for was written in this run. Its time alone does not tell: a file that was
 * written just before the run has the time of its start, for file systems count time in steps of milliseconds. */
static bool is_written(const struct ws_record_run *run)
{
    struct stat now;
    const struct stat *before = &run->before;
    if (!is_new(run->output, run->start) || stat(run->output, &now) != 0)
        return false;
    return now.st_dev != before->st_dev || now.st_ino != before->st_ino || now.st_size != before->st_size ||
           !same_time(&now.st_mtim, &before->st_mtim) || !same_time(&now.st_ctim, &before->st_ctim);
}

/* Whether `name` is `output` with a process id before its extension: "run.wscope" and "run.123.wscope", or
 * "run.123-2.wscope" for a further capture of that process. */
static bool is_sibling(const char *name, const char *output)
{
    const char *dot = strrchr(output, '.');
    size_t stem = dot != NULL ? (size_t)(dot - output) : strlen(output);
    if (strncmp(name, output, stem) != 0 || name[stem] != '.' || !isdigit((unsigned char)name[stem + 1]))
        return false;
    const char *rest = name + stem + 1;
    rest += strspn(rest, "0123456789");
    if (rest[0] == '-' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    return strcmp(rest, dot != NULL ? dot : "") == 0;
}

/* Says all about the captures of further processes. */
static void say_siblings(const struct ws_record_run *run, struct findings *findings)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(run->output, '/');
    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - run->output + 1) : 2,
             slash != NULL ? run->output : "./");
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[PATH_MAX + NAME_MAX + 1];
        snprintf(path, sizeof(path), "%s%s", folder, entry->d_name);
        if (is_sibling(entry->d_name, slash != NULL ? slash + 1 : run->output) && is_new(path, run->start))
            say_capture(run, path, findings);
    }
    closedir(entries);
}

/* Tiles are chosen by what a warp records on average, one at least. What turns of loops append was not counted. */
static void say_beyond_budget(const struct ws_record_run *run, uint64_t records)
{
    char bytes[WS_BYTES_SIZE];
    char budget[WS_BYTES_SIZE];
    if (run->budget == 0 || records <= run->budget || run->quiet)
        return;
    ws_bytes_text(records, bytes);
    ws_bytes_text(run->budget, budget);
    ws_say(
        "%s of records are more than the budget of %s: tiles of warps are chosen by their average, one tile "
        "at least, and turns of loops come on top",
        bytes, budget);
}

/* What to type next: the summary and the page, where this command has them. */
static void say_next(const struct findings *findings)
{
    if (ws_command_find("summary") == NULL)
        ws_say("next: warpscope report '%s'", findings->best);
    else if (ws_viewer_missing() != NULL)
        ws_say("next: warpscope summary '%s'", findings->best);
    else
        ws_say("next: warpscope summary '%s', or to look at it: warpscope view '%s'", findings->best,
               findings->best);
}

bool ws_record_result_say(const struct ws_record_run *run)
{
    struct findings findings = {.best = ""};
    char reason[PATH_MAX + 512];
    if (is_written(run))
        say_capture(run, run->output, &findings);
    say_siblings(run, &findings);
    if (findings.foreign)
        ws_say("'%s' is the capture of another recording%s", run->output,
               findings.count > 0 ? ", which ran at the same time"
                                  : ": this one has none, or it was replaced");
    if (findings.count == 0 && !findings.foreign) {
        ws_record_reason(run, reason, sizeof(reason));
        ws_say("no capture was made: %s", reason);
    }
    say_beyond_budget(run, findings.bytes);
    if (findings.best[0] != '\0' && !run->quiet)
        say_next(&findings);
    return findings.best[0] != '\0';
}
