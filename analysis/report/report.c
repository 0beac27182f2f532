#include "analysis/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/model/replay_parts.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/names.h"
#include "warpscope/model/replay.h"
#include "warpscope/model/times_join.h"

/* A capture being read. */
struct reading {
    struct ws_report *report;
    const struct ws_report_request *request;
    const char *file;                  /* its path, for the replay; NULL where it is no file */
    bool defined;                      /* the catalog has all that the capture defines, with its names */
    bool chosen;                       /* the parts of the report are */
    struct ws_selected_chunk launches; /* scratch: without launches that were not chosen, */
    struct ws_selected_chunk counters; /* and without counters of shaders that were not */
};

/* Whether it can be read several times: a pipe gives its bytes once. */
static bool is_file(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_definition(uint32_t type)
{
    return type == WS_CHUNK_DEVICE || type == WS_CHUNK_MODULE || type == WS_CHUNK_SITES ||
           type == WS_CHUNK_SHADER || type == WS_CHUNK_PIPELINE || type == WS_CHUNK_NAME;
}

/* Whether the replay has room for the part, and for all that it hears beside. */
static bool has_room(struct ws_replay *replay, const struct ws_report_part *part)
{
    uint32_t number = 0;
    ws_replay_rehearse(replay, true);
    const bool has = ws_replay_add(replay, part->analysis->replay, part->results, &number) &&
                     (part->analysis->hear == NULL || part->analysis->hear(part->results, replay));
    ws_replay_rehearse(replay, false);
    return has;
}

/* Adds the newest part to the consumers of the replay. Where that has no room, the part is dropped. */
static bool add_to_replay(struct reading *reading, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    const struct ws_report_part *part = &report->parts[report->part_count - 1];
    uint32_t number = 0;
    if (report->replay == NULL)
        report->replay = ws_replay_create(&report->catalog, reading->file, 0);
    if (report->replay == NULL)
        return false;
    if (!has_room(report->replay, part)) {
        part->analysis->destroy(part->results);
        report->part_count--;
        return ws_error_set(error, "no more than %d analyses can read records at a time: name this one alone",
                            WS_CONTEXT_USERS);
    }
    ws_replay_add(report->replay, part->analysis->replay, part->results, &number);
    if (part->analysis->attach != NULL)
        part->analysis->attach(part->results, number);
    return part->analysis->hear == NULL || part->analysis->hear(part->results, report->replay);
}

/* Whether a report without any analysis is one. */
static bool may_be_empty(const struct reading *reading)
{
    return reading->report->summary || reading->request->list != NULL;
}

static bool add_part(struct reading *reading, const struct ws_analysis *analysis, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    struct ws_analysis_options options = reading->request->options;
    options.path = reading->file;
    options.preview = &report->preview;
    options.selection = ws_selection_is_set(&report->selection) ? &report->selection : NULL;
    if (options.whole)
        options.rows = 0; /* how long tables of text are is nothing to programs */
    options.view.rows = options.rows;
    options.several = report->all || may_be_empty(reading);
    options.summary = report->summary;
    void *results = analysis->create(&report->catalog, &options, error);
    if (results == NULL)
        return ws_error_set(error, "no memory for the report");
    report->parts[report->part_count++] = (struct ws_report_part){analysis, results};
    return analysis->replay == NULL || add_to_replay(reading, error) ||
           ws_error_set(error, "no memory for the replay of records");
}

/* Why something failed. Code that gives up because the budget is spent says nothing, or that there was no
 * memory. */
static void explain(struct ws_error *error)
{
    if (!ws_budget_spend(0)) {
        *error = (struct ws_error){{0}};
        ws_budget_exceeded(error);
    }
    ws_error_set(error, "no memory for the report");
}

/* Notes that an analysis failed, and why; the others go on. */
static void note_failure(struct ws_report *report, const struct ws_analysis *failed, struct ws_error *error)
{
    report->given_up[report->given_up_count++] = (struct ws_report_given_up){failed, *error};
    *error = (struct ws_error){{0}};
}

/* Gives up a part that failed, and with it all that get the replay where it got that, too: what the replay
 * has for them cannot be told apart. False where no part is left; then `error` stays. */
static bool give_up(struct reading *reading, const struct ws_analysis *failed, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    const bool replay = failed == NULL || failed->replay != NULL;
    size_t kept = 0;
    for (size_t i = 0; i < report->part_count; ++i)
        kept += replay ? report->parts[i].analysis->replay == NULL : report->parts[i].analysis != failed;
    if (kept == 0 && !may_be_empty(reading))
        return false;
    if (replay) {
        ws_replay_destroy(report->replay); /* it has parts of the results */
        report->replay = NULL;
    }
    explain(error);
    const struct ws_error cause = *error;
    kept = 0;
    for (size_t i = 0; i < report->part_count; ++i) {
        const struct ws_report_part part = report->parts[i];
        if (replay ? part.analysis->replay == NULL : part.analysis != failed) {
            report->parts[kept++] = part;
            continue;
        }
        part.analysis->destroy(part.results);
        *error = cause;
        note_failure(report, part.analysis, error);
    }
    report->part_count = kept;
    return true;
}

/* Adds one of several analyses. Where it cannot even begin, such as advice that reads the geometry first, it
 * is given up. */
static bool add_one_of_all(struct reading *reading, const struct ws_analysis *analysis,
                           struct ws_error *error)
{
    struct ws_report *report = reading->report;
    const size_t before = report->part_count;
    if (add_part(reading, analysis, error))
        return true;
    if (!may_be_empty(reading) && (!report->all || before == 0))
        return false;
    if (report->part_count > before)
        return false;
    explain(error);
    ws_budget_renew();
    note_failure(report, analysis, error);
    return true;
}

/* What a capture can serve is known once its first chunk is read, which is INFO in every one that is whole.
 */
static bool choose_parts(struct reading *reading, struct ws_error *error)
{
    const struct ws_report_request *request = reading->request;
    const struct ws_report *report = reading->report;
    const struct ws_analysis *const *analyses = request->list != NULL ? request->list : ws_analysis_list();
    const bool several = report->all || may_be_empty(reading);
    if (request->analysis != NULL) {
        reading->chosen = ws_analysis_is_served(request->analysis, &report->overview, report->path, error) &&
                          ws_analysis_heeds(request->analysis, &report->selection, error) &&
                          add_part(reading, request->analysis, error);
        return reading->chosen;
    }
    for (size_t i = 0; analyses[i] != NULL && (several || report->part_count == 0); ++i)
        if ((!report->summary || analyses[i]->findings != NULL) && !analyses[i]->by_name &&
            ws_analysis_is_served(analyses[i], &report->overview, report->path, NULL) &&
            ws_analysis_heeds(analyses[i], &report->selection, NULL) &&
            !add_one_of_all(reading, analyses[i], error))
            return false;
    reading->chosen = report->part_count > 0 || may_be_empty(reading);
    return reading->chosen ||
           ws_error_set(error, "no analysis knows what the passes of '%s' recorded", report->path);
}

/* Says that work begins which can take long, and reads nothing. */
static void say_phase(const struct reading *reading, const char *what, const char *name)
{
    char text[128];
    snprintf(text, sizeof(text), "%s%s", what, name);
    if (reading->request->phase != NULL)
        reading->request->phase(reading->request->user, text);
}

/* Lets every part do its own with `chunk`, or come to its end (NULL). */
static bool call_parts(struct reading *reading, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    for (size_t i = 0; i < report->part_count;) {
        const struct ws_report_part part = report->parts[i];
        if (chunk == NULL)
            say_phase(reading, "working on ", part.analysis->name);
        const bool called =
            chunk == NULL
                ? part.analysis->end == NULL || part.analysis->end(part.results, error)
                : part.analysis->record == NULL || part.analysis->record(part.results, chunk, error);
        if (called) {
            ++i;
            continue;
        }
        size_t before = 0; /* parts that were called and stay */
        for (size_t j = 0; j < i; ++j)
            before += part.analysis->replay == NULL || report->parts[j].analysis->replay == NULL;
        if (!give_up(reading, part.analysis, error))
            return false;
        i = before;
    }
    return true;
}

static bool record_chunk(struct reading *reading, const struct ws_chunk *whole, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    const struct ws_chunk *chunk = &reading->launches.chunk;
    bool some = false;
    if (!ws_selection_launches(&report->selection, whole, &reading->launches, &some))
        return ws_error_set(error, "no memory for what was chosen");
    if (!some)
        return true;
    if ((!(reading->defined && is_definition(chunk->type)) &&
         !ws_catalog_record(&report->catalog, chunk, error)) ||
        !ws_overview_record(&report->overview, chunk, error) ||
        (!reading->chosen && !choose_parts(reading, error)))
        return false;
    if (report->replay != NULL && !ws_replay_record(report->replay, chunk, error) &&
        !give_up(reading, NULL, error))
        return false;
    if (!ws_selection_counters(&report->selection, chunk, &reading->counters))
        return ws_error_set(error, "no memory for what was chosen");
    return call_parts(reading, &reading->counters.chunk, error);
}

/* The thread or warp that was chosen is in every part that is of one. */
static bool has_chosen(const struct ws_report *report, struct ws_error *error)
{
    for (size_t i = 0; i < report->part_count; ++i) {
        const struct ws_report_part *part = &report->parts[i];
        if (part->analysis->has_chosen != NULL && !part->analysis->has_chosen(part->results, error))
            return false;
    }
    return true;
}

static bool end_parts(struct reading *reading, struct ws_error *error)
{
    struct ws_report *report = reading->report;
    if (!reading->chosen && !choose_parts(reading, error))
        return false;
    if (report->replay != NULL)
        say_phase(reading, "replaying what warps did", "");
    if (report->replay != NULL && !ws_replay_end(report->replay, error) && !give_up(reading, NULL, error))
        return false;
    return call_parts(reading, NULL, error);
}

/* Reads to the end, or as far as the budget goes: then what was read is brought to its end. */
static bool read_chunks(struct reading *reading, struct ws_reader *reader, struct ws_error *error)
{
    const struct ws_report_request *request = reading->request;
    struct ws_error failure = {{0}};
    struct ws_chunk chunk;
    enum ws_read_result result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error)) {
        if (!record_chunk(reading, &chunk, &failure))
            break;
        if (request->progress != NULL)
            request->progress(request->user, ws_reader_summary(reader)->bytes);
    }
    if (!ws_budget_spend(0))
        ws_budget_renew();
    else if (failure.message[0] != '\0')
        return ws_error_set(error, "%s", failure.message);
    return result != WS_READ_ERROR;
}

/* Reads what the capture defines and which launches it has, and names it. The report is finished after a failure. */
static bool define(struct reading *reading, struct ws_error *error)
{
    struct ws_catalog *catalog = &reading->report->catalog;
    struct ws_selection *selection = &reading->report->selection;
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(reading->file, error);
    enum ws_read_result result = WS_READ_CHUNK;
    bool recorded = reader != NULL;
    if (reader != NULL)
        ws_reader_leave_out_records(reader);
    while (recorded && result == WS_READ_CHUNK) {
        result = ws_reader_next(reader, &chunk, error);
        if (result == WS_READ_CHUNK && (is_definition(chunk.type) || (chunk.type == WS_CHUNK_SUBMISSION &&
                                                                      ws_selection_is_set(selection))))
            recorded = ws_catalog_record(catalog, &chunk, error);
    }
    /* What refers to definitions behind the end of the budget could not be read. */
    recorded = recorded && result == WS_READ_END && !ws_reader_summary(reader)->stopped;
    ws_reader_destroy(reader);
    reading->defined = recorded && ws_names_make(catalog, error) &&
                       (!ws_selection_is_set(selection) ||
                        ws_selection_decide(selection, catalog, reading->report->path, error));
    return reading->defined;
}

/* Whether definitions are read first. What was chosen is found by names. */
static bool defines_first(const struct reading *reading)
{
    const struct ws_analysis *analysis = reading->request->analysis;
    return ws_selection_is_set(&reading->report->selection) ||
           (analysis != NULL && analysis->names_first && reading->file != NULL);
}

/* Reads what another capture defines, its launches and their times. */
static bool read_timed(const char *path, struct ws_catalog *timed, struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(path, error);
    enum ws_read_result result = reader != NULL ? WS_READ_CHUNK : WS_READ_ERROR;
    while (result == WS_READ_CHUNK && (result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK)
        if (!ws_catalog_record(timed, &chunk, error))
            result = WS_READ_ERROR;
    const bool stopped = reader != NULL && ws_reader_summary(reader)->stopped;
    ws_reader_destroy(reader);
    if (stopped)
        return ws_budget_exceeded(error) && false;
    return result == WS_READ_END &&
           (ws_times_any(timed) ||
            ws_error_set(error,
                         "'%s' has no device times; record them with: warpscope record -p time -- PROGRAM",
                         path));
}

/* The launches get the times of the other capture, if the request names one. */
static bool take_times(struct reading *reading, struct ws_error *error)
{
    const char *path = reading->request->times;
    struct ws_catalog *catalog = &reading->report->catalog;
    const struct ws_selection *selection = &reading->report->selection;
    const struct ws_launch_table *all = ws_selection_is_set(selection) ? &selection->all : &catalog->launches;
    struct ws_catalog timed;
    if (path == NULL)
        return true;
    ws_catalog_init(&timed);
    const bool taken = read_timed(path, &timed, error) && ws_times_take(catalog, all, &timed, path, error);
    ws_catalog_finish(&timed);
    return taken;
}

static bool run(struct reading *reading, struct ws_reader *reader, struct ws_error *error)
{
    const struct ws_report_request *request = reading->request;
    struct ws_report *report = reading->report;
    ws_catalog_init(&report->catalog);
    ws_overview_begin(&report->overview);
    report->overview.times_elsewhere = request->times != NULL;
    report->all = request->all;
    report->summary = request->summary;
    report->options = request->options;
    report->view = request->options.view;
    if (request->options.selection != NULL)
        report->selection = *request->options.selection;
    if (ws_selection_is_set(&report->selection) && !is_file(reading->file)) {
        ws_error_set(error, "what is chosen of '%s' is found by reading it twice: it must be a file",
                     report->path);
        goto error;
    }
    if (defines_first(reading) && !define(reading, error))
        goto error;
    if (!read_chunks(reading, reader, error) ||
        (!reading->defined && !ws_names_make(&report->catalog, error)) || !take_times(reading, error) ||
        !end_parts(reading, error) || !has_chosen(report, error))
        goto error;
    ws_overview_end(&report->overview, reader);
    if (report->overview.reading.stopped)
        ws_budget_exceeded(&report->stopped);
    ws_selected_chunk_finish(&reading->launches);
    ws_selected_chunk_finish(&reading->counters);
    return true;
error:
    explain(error);
    ws_selected_chunk_finish(&reading->launches);
    ws_selected_chunk_finish(&reading->counters);
    ws_report_finish(report);
    return false;
}

static const struct ws_report_request usual = {.analysis = NULL};

bool ws_report_run(struct ws_report *report, const char *path, struct ws_reader *reader,
                   const struct ws_report_request *request, struct ws_error *error)
{
    struct reading reading = {report, request != NULL ? request : &usual, NULL, .defined = false};
    *report = (struct ws_report){.path = path};
    return run(&reading, reader, error);
}

bool ws_report_read(struct ws_report *report, const char *path, const struct ws_report_request *request,
                    struct ws_error *error)
{
    struct reading reading = {report, request != NULL ? request : &usual, path, .defined = false};
    struct ws_reader *reader = ws_reader_open(path, error);
    *report = (struct ws_report){.path = path};
    bool read = reader != NULL && run(&reading, reader, error);
    ws_reader_destroy(reader);
    return read;
}

void ws_report_finish(struct ws_report *report)
{
    /* The replay has parts of the results. */
    ws_replay_destroy(report->replay);
    report->replay = NULL;
    while (report->part_count > 0) {
        const struct ws_report_part *part = &report->parts[--report->part_count];
        part->analysis->destroy(part->results);
    }
    ws_overview_finish(&report->overview);
    ws_selection_finish(&report->selection);
    ws_catalog_finish(&report->catalog);
}

const void *ws_report_results(const struct ws_report *report, const struct ws_analysis *analysis)
{
    for (size_t i = 0; i < report->part_count; ++i)
        if (report->parts[i].analysis == analysis)
            return report->parts[i].results;
    return NULL;
}

const struct ws_groups *ws_report_part_groups(const struct ws_report_part *part)
{
    return part->analysis->groups != NULL ? part->analysis->groups(part->results) : NULL;
}
