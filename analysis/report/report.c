#include "analysis/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/replay.h"
#include "analysis/output/plot.h"
#include "passes/base/text.h"

/* A capture being read. */
struct reading {
    struct ws_analysis *analysis;
    const struct ws_report_request *request;
    const char *file; /* its path, for the replay; NULL where it is no file */
};

/* Has the replay tell a part what befell. */
static bool add_to_replay(struct reading *reading, const struct ws_report_part *part)
{
    struct ws_analysis *analysis = reading->analysis;
    uint32_t number = 0;
    if (analysis->replay == NULL)
        analysis->replay = ws_replay_create(&analysis->catalog, reading->file, 0);
    if (analysis->replay == NULL ||
        !ws_replay_add(analysis->replay, part->kind->replay, part->results, &number))
        return false;
    if (part->kind->attach != NULL)
        part->kind->attach(part->results, number);
    return true;
}

static bool add_part(struct reading *reading, const struct ws_kind *kind, struct ws_error *error)
{
    struct ws_analysis *analysis = reading->analysis;
    struct ws_kind_options options = reading->request->options;
    options.path = reading->file;
    void *results = kind->create(&analysis->catalog, &options, error);
    if (results == NULL)
        return ws_error_set(error, "no memory for the report");
    struct ws_report_part *part = &analysis->parts[analysis->part_count++];
    *part = (struct ws_report_part){kind, results};
    return kind->replay == NULL || add_to_replay(reading, part) ||
           ws_error_set(error, "no memory for the replay of records");
}

/* What a capture can serve is known once its first chunk is read, which is INFO in every one that is whole.
 */
static bool choose_parts(struct reading *reading, struct ws_error *error)
{
    const struct ws_kind *const *kinds = ws_kind_list();
    const struct ws_report_request *request = reading->request;
    const struct ws_analysis *analysis = reading->analysis;
    if (request->kind != NULL)
        return ws_kind_is_served(request->kind, &analysis->overview, analysis->path, error) &&
               add_part(reading, request->kind, error);
    for (size_t i = 0; kinds[i] != NULL && (request->all || analysis->part_count == 0); ++i)
        if (ws_kind_is_served(kinds[i], &analysis->overview, analysis->path, NULL) &&
            !add_part(reading, kinds[i], error))
            return false;
    return analysis->part_count > 0 ||
           ws_error_set(error, "no analysis knows what the passes of '%s' recorded", analysis->path);
}

static bool record_chunk(struct reading *reading, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_analysis *analysis = reading->analysis;
    if (!ws_catalog_record(&analysis->catalog, chunk, error) ||
        !ws_overview_record(&analysis->overview, chunk, error) ||
        (analysis->part_count == 0 && !choose_parts(reading, error)) ||
        (analysis->replay != NULL && !ws_replay_record(analysis->replay, chunk, error)))
        return false;
    for (size_t i = 0; i < analysis->part_count; ++i) {
        const struct ws_report_part *part = &analysis->parts[i];
        if (part->kind->record != NULL && !part->kind->record(part->results, chunk, error))
            return ws_error_set(error, "no memory for the report");
    }
    return true;
}

static bool end_parts(struct reading *reading, struct ws_error *error)
{
    struct ws_analysis *analysis = reading->analysis;
    if ((analysis->part_count == 0 && !choose_parts(reading, error)) ||
        (analysis->replay != NULL && !ws_replay_end(analysis->replay, error)))
        return false;
    for (size_t i = 0; i < analysis->part_count; ++i) {
        const struct ws_report_part *part = &analysis->parts[i];
        if (part->kind->end != NULL && !part->kind->end(part->results, error))
            return ws_error_set(error, "no memory for the report");
    }
    return true;
}

static bool run(struct reading *reading, struct ws_reader *reader, struct ws_error *error)
{
    const struct ws_report_request *request = reading->request;
    struct ws_analysis *analysis = reading->analysis;
    struct ws_chunk chunk;
    ws_catalog_init(&analysis->catalog);
    ws_overview_begin(&analysis->overview);
    analysis->all = request->all;
    enum ws_read_result result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error)) {
        if (!record_chunk(reading, &chunk, error))
            goto error;
        if (request->progress != NULL)
            request->progress(request->user, ws_reader_summary(reader)->bytes);
    }
    if (result == WS_READ_ERROR || !end_parts(reading, error))
        goto error;
    ws_overview_end(&analysis->overview, reader);
    return true;
error:
    ws_analysis_finish(analysis);
    return false;
}

static const struct ws_report_request usual = {.kind = NULL};

bool ws_analysis_run(struct ws_analysis *analysis, const char *path, struct ws_reader *reader,
                     const struct ws_report_request *request, struct ws_error *error)
{
    struct reading reading = {analysis, request != NULL ? request : &usual, NULL};
    *analysis = (struct ws_analysis){.path = path};
    return run(&reading, reader, error);
}

bool ws_analysis_read(struct ws_analysis *analysis, const char *path, const struct ws_report_request *request,
                      struct ws_error *error)
{
    struct reading reading = {analysis, request != NULL ? request : &usual, path};
    struct ws_reader *reader = ws_reader_open(path, error);
    *analysis = (struct ws_analysis){.path = path};
    bool read = reader != NULL && run(&reading, reader, error);
    ws_reader_destroy(reader);
    return read;
}

void ws_analysis_finish(struct ws_analysis *analysis)
{
    /* The replay has parts of the results. */
    ws_replay_destroy(analysis->replay);
    analysis->replay = NULL;
    while (analysis->part_count > 0) {
        const struct ws_report_part *part = &analysis->parts[--analysis->part_count];
        part->kind->destroy(part->results);
    }
    ws_overview_finish(&analysis->overview);
    ws_catalog_finish(&analysis->catalog);
}

const void *ws_analysis_results(const struct ws_analysis *analysis, const struct ws_kind *kind)
{
    for (size_t i = 0; i < analysis->part_count; ++i)
        if (analysis->parts[i].kind == kind)
            return analysis->parts[i].results;
    return NULL;
}

bool ws_report_csv(const struct ws_analysis *analysis, FILE *stream)
{
    return analysis->parts[0].kind->csv(analysis->parts[0].results, stream);
}

/* A picture goes on its way alone: it says itself what its numbers leave out. */
static bool note_losses(const struct ws_analysis *analysis, const struct ws_report_part *part,
                        struct ws_plots *plots, struct ws_error *error)
{
    const struct ws_overview *overview = &analysis->overview;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return ws_error_set(error, "no memory for the pictures");
    if (part->kind->replay != NULL) {
        const struct ws_replay_losses *losses = ws_replay_losses(analysis->replay);
        ws_report_samples(overview, "only some warps left records: ", "; ", stream);
        if (losses->truncated > 0)
            fprintf(stream, "records of %" PRIu64 " launch%s are missing; ", losses->truncated,
                    ws_plural(losses->truncated, "es"));
    }
    if (overview->reading.broken || !overview->reading.closed)
        fputs("the capture was cut short; ", stream);
    if (overview->skip_count > 0)
        fputs("some shaders or sites were left out, as the report says; ", stream);
    bool noted = fclose(stream) == 0;
    if (noted && size > 2)
        text[size - 2] = '\0';
    noted = noted && ws_plots_note(plots, text);
    free(text);
    return noted || ws_error_set(error, "no memory for the pictures");
}

bool ws_report_plots(const struct ws_analysis *analysis, const char *folder, size_t *count,
                     struct ws_error *error)
{
    bool plotted = true;
    for (size_t i = 0; i < analysis->part_count && plotted; ++i) {
        const struct ws_report_part *part = &analysis->parts[i];
        if (part->kind->plots == NULL)
            continue;
        struct ws_plots *plots = ws_plots_create(folder, part->kind->name, error);
        plotted = plots != NULL && note_losses(analysis, part, plots, error) &&
                  (part->kind->plots(part->results, plots, error) ||
                   ws_error_set(error, "no memory for the pictures"));
        *count += plots != NULL ? ws_plots_count(plots) : 0;
        ws_plots_destroy(plots);
    }
    return plotted;
}

const char *ws_launch_kind_name(uint32_t kind)
{
    static const char *const names[] = {"trace rays", "dispatch", "render pass"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "launch";
}

char *ws_histogram_text(const struct ws_simt_histogram *histogram)
{
    /* "128:" and 20 digits and a space for each bin. */
    size_t size = (size_t)histogram->bins * 26 + 1;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = histogram->bins; i > 0; --i)
        if (histogram->counts[i - 1] > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32 ":%" PRIu64, used > 0 ? " " : "",
                                     i, histogram->counts[i - 1]);
    return text;
}

void ws_block_place(const struct ws_block_record *block, char *place, size_t size)
{
    const char *slash = block->file != NULL ? strrchr(block->file, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : block->file;
    if (name == NULL)
        snprintf(place, size, "%s", "");
    else if (block->line == block->line_last)
        snprintf(place, size, "%s:%" PRIu32, name, block->line);
    else
        snprintf(place, size, "%s:%" PRIu32 "-%" PRIu32, name, block->line, block->line_last);
    ws_text_cut(place);
}
