/* The pictures of a report, and the page that shows them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "warpscope/base/text.h"
#include "warpscope/output/plot.h"

/* A text that is being written into memory; `text` is NULL when there is none. */
struct note {
    FILE *stream;
    char *text;
    size_t size;
};

static bool begin_note(struct note *note)
{
    *note = (struct note){NULL, NULL, 0};
    note->stream = open_memstream(&note->text, &note->size);
    return note->stream != NULL;
}

static bool end_note(struct note *note)
{
    const bool ended = note->stream != NULL && fclose(note->stream) == 0;
    note->stream = NULL;
    return ended;
}

static void finish_note(struct note *note)
{
    if (note->stream != NULL)
        fclose(note->stream);
    free(note->text);
}

/* A word as a shell reads it back. */
static void put_word(const char *word, FILE *stream)
{
    char *quoted = malloc(4 * strlen(word) + 2);
    if (quoted == NULL)
        return;
    fwrite(quoted, 1, ws_text_quote(quoted, word), stream);
    free(quoted);
}

/* A picture is often shown without its report, so it says itself where it comes from. */
static void put_origin(const struct ws_report *report, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    fputs("program ", stream);
    fputs(overview->command_line[0] != '\0' ? overview->command_line : "not recorded", stream);
    fprintf(stream, "\ncapture %s", report->path);
    if (overview->start != 0)
        ws_report_start(overview->start, ", recorded ", stream);
    for (uint32_t i = 0; i < report->catalog.device_count; ++i)
        fprintf(stream, "%s%s", i == 0 ? "; device " : ", ", report->catalog.devices[i].name);
    fputc('\n', stream);
}

/* What of the capture it shows. */
static void put_chosen(const struct ws_selection *selection, FILE *stream)
{
    if (ws_selection_has_launches(selection)) {
        fputs("of ", stream);
        ws_selection_print_launches(selection, stream);
        fputc('\n', stream);
    }
    if (ws_selection_has_shaders(selection)) {
        fputs("of ", stream);
        ws_selection_print_shaders(selection, 2, stream);
        fputc('\n', stream);
    }
}

/* The options that choose it, as a shell reads them back. */
static void put_options(const struct ws_selection *selection, FILE *stream)
{
    for (uint32_t option = 0; option < WS_SELECT_COUNT; ++option)
        for (uint32_t i = 0; i < selection->counts[option]; ++i) {
            fprintf(stream, " %s ", ws_selection_option_name(option));
            put_word(selection->texts[option][i], stream);
        }
}

/* And what its numbers leave out. */
static void put_losses(const struct ws_report *report, const struct ws_report_part *part, FILE *stream)
{
    const struct ws_overview *overview = &report->overview;
    if (part->analysis->replay != NULL) {
        const struct ws_replay_losses *losses = ws_replay_losses(report->replay);
        ws_report_samples(overview, "only some warps left records: ", "\n", stream);
        if (losses->truncated > 0)
            fprintf(stream, "records of %" PRIu64 " launch%s are missing\n", losses->truncated,
                    ws_plural(losses->truncated, "es"));
    }
    if (ws_report_sampled(overview) > 1)
        fprintf(stream, "1 warp in %" PRIu32 " was counted: counts are estimates\n",
                ws_report_sampled(overview));
    if (overview->reading.broken || !overview->reading.closed)
        fputs("the capture was cut short\n", stream);
    if (overview->skip_count > 0)
        fputs("some shaders or sites were left out, as the report says\n", stream);
}

static bool begin_part(const struct ws_report *report, const struct ws_report_part *part,
                       struct ws_plots *plots)
{
    struct note note;
    struct note command;
    bool begun = begin_note(&note);
    begun = begin_note(&command) && begun;
    if (begun) {
        put_origin(report, note.stream);
        put_chosen(&report->selection, note.stream);
        put_losses(report, part, note.stream);
        fputs("warpscope report ", command.stream);
        put_word(report->path, command.stream);
        fprintf(command.stream, " %s", part->analysis->name);
        put_options(&report->selection, command.stream);
    }
    begun = end_note(&note) && begun;
    begun = end_note(&command) && begun;
    const struct ws_plots_group group = {part->analysis->name, part->analysis->summary, command.text,
                                         note.text};
    begun = begun && ws_plots_begin(plots, &group);
    finish_note(&note);
    finish_note(&command);
    return begun;
}

static bool write_page(const struct ws_report *report, struct ws_plots *plots, struct ws_error *error)
{
    struct note head;
    struct note foot;
    char title[256];
    const char *name = strrchr(report->path, '/');
    bool written = begin_note(&head);
    written = begin_note(&foot) && written;
    snprintf(title, sizeof(title), "Warpscope: %s", name != NULL ? name + 1 : report->path);
    ws_text_cut(title);
    if (written) {
        ws_report_head(report, head.stream);
        written = ws_report_notes(report, foot.stream);
    }
    written = end_note(&head) && written;
    written = end_note(&foot) && written;
    if (!written)
        ws_error_set(error, "no memory for the page of pictures");
    written = written && ws_plots_index(plots, title, head.text, foot.text + strspn(foot.text, "\n"), error);
    finish_note(&head);
    finish_note(&foot);
    return written;
}

bool ws_report_plots(const struct ws_report *report, const char *folder, size_t *count,
                     struct ws_error *error)
{
    struct ws_plots *plots = ws_plots_create(folder, error);
    bool plotted = plots != NULL;
    for (size_t i = 0; i < report->part_count && plotted; ++i) {
        const struct ws_report_part *part = &report->parts[i];
        if (part->analysis->plots != NULL)
            plotted =
                (begin_part(report, part, plots) && part->analysis->plots(part->results, plots, error)) ||
                ws_error_set(error, "no memory for the pictures");
    }
    *count += plots != NULL ? ws_plots_count(plots) : 0;
    if (plotted && *count > 0)
        plotted = write_page(report, plots, error);
    ws_plots_destroy(plots);
    return plotted;
}
