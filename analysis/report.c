#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct ws_report_limits ws_report_usual = {
    .invocations = 20, .pipelines = 20, .shaders = 40, .blocks = 20, .opcodes = 20};

bool ws_analysis_run(struct ws_analysis *analysis, const char *path, struct ws_reader *reader,
                     ws_progress_function *progress, void *user, struct ws_error *error)
{
    struct ws_chunk chunk;
    analysis->path = path;
    ws_catalog_init(&analysis->catalog);
    ws_overview_begin(&analysis->overview);
    ws_simt_begin(&analysis->simt, &analysis->catalog);
    enum ws_read_result result = ws_reader_next(reader, &chunk, error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error)) {
        if (!ws_catalog_record(&analysis->catalog, &chunk, error) ||
            !ws_overview_record(&analysis->overview, &chunk, error) ||
            !ws_simt_record(&analysis->simt, &chunk, error))
            goto error;
        if (progress != NULL)
            progress(user, ws_reader_summary(reader)->bytes);
    }
    if (result == WS_READ_ERROR || !ws_simt_end(&analysis->simt, error))
        goto error;
    ws_overview_end(&analysis->overview, reader);
    return true;
error:
    ws_analysis_finish(analysis);
    return false;
}

bool ws_analysis_read(struct ws_analysis *analysis, const char *path, ws_progress_function *progress,
                      void *user, struct ws_error *error)
{
    struct ws_reader *reader = ws_reader_open(path, error);
    bool read = reader != NULL && ws_analysis_run(analysis, path, reader, progress, user, error);
    ws_reader_destroy(reader);
    return read;
}

void ws_analysis_finish(struct ws_analysis *analysis)
{
    ws_simt_finish(&analysis->simt);
    ws_overview_finish(&analysis->overview);
    ws_catalog_finish(&analysis->catalog);
}

const char *ws_invocation_kind_name(uint32_t kind)
{
    static const char *const names[] = {"trace rays", "dispatch", "render pass"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "invocation";
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
    if (block->file == NULL)
        snprintf(place, size, "%s", "");
    else if (block->line == block->line_last)
        snprintf(place, size, "%s:%" PRIu32, block->file, block->line);
    else
        snprintf(place, size, "%s:%" PRIu32 "-%" PRIu32, block->file, block->line, block->line_last);
    ws_text_cut(place);
}
