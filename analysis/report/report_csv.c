/* The report as CSV: one table, or a folder of tables (report.h). */
#include <limits.h>
#include <stdio.h>

#include "analysis/output/staging.h"
#include "analysis/report/report.h"

#define PATH_SIZE (PATH_MAX + NAME_SIZE)
#define NAME_SIZE 256

bool ws_report_csv(const struct ws_report *report, FILE *stream)
{
    const struct ws_report_part *part = &report->parts[0];
    const bool columns = part->analysis->csv == NULL || ws_view_is_set(&report->view);
    return columns ? ws_groups_csv(ws_report_part_groups(part), stream)
                   : part->analysis->csv(part->results, stream);
}

/* Tables are written beside each other, and all of them are there or none. */
struct tables {
    const struct ws_report *report;
    struct ws_staging staging;
    const char *folder;
    size_t count;
};

/* A table replaces no file that the report was made with. */
static bool spares_inputs(const struct tables *tables, const char *name, struct ws_error *error)
{
    const struct ws_analysis_options *options = &tables->report->options;
    const char *const inputs[] = {options->tree, options->caches};
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", tables->folder, name);
    bool spared = true;
    for (size_t i = 0; spared && i < sizeof(inputs) / sizeof(inputs[0]); ++i)
        spared = inputs[i] == NULL || ws_staging_spares(path, "the table", inputs[i], "folder", error);
    return spared;
}

/* Writes a table into FOLDER/ANALYSIS-TABLE.csv. `level` UINT32_MAX = what the analysis prints itself. */
static bool write_table(struct tables *tables, const struct ws_report_part *part, uint32_t level,
                        const char *table, struct ws_error *error)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof(name), "%s-%s.csv", part->analysis->name, table);
    if (!spares_inputs(tables, name, error))
        return false;
    FILE *file = ws_staging_open_part(&tables->staging, name, error);
    if (file == NULL)
        return false;
    const bool put = level == UINT32_MAX ? part->analysis->csv(part->results, file)
                                         : ws_groups_csv_table(ws_report_part_groups(part), level, file);
    if (!put)
        ws_error_set(error, "no memory for '%s/%s'", tables->folder, name);
    tables->count++;
    return ws_staging_close_part(&tables->staging, name, file, put, error);
}

static bool write_part(struct tables *tables, const struct ws_report_part *part, struct ws_error *error)
{
    const struct ws_report *report = tables->report;
    const struct ws_groups *groups = ws_report_part_groups(part);
    const uint32_t levels = groups != NULL ? ws_groups_level_count(groups) : 0;
    bool written = true;
    if (part->analysis->csv != NULL && !ws_view_is_set(&report->view) &&
        (report->options.has_thread || report->options.has_warp))
        return write_table(tables, part, UINT32_MAX, "steps", error);
    for (uint32_t i = 0; i < levels && written; ++i)
        written = !ws_groups_has_csv(groups, i) ||
                  write_table(tables, part, i, ws_groups_level_name(groups, i), error);
    return written;
}

bool ws_report_csv_folder(const struct ws_report *report, const char *folder, size_t *count,
                          struct ws_error *error)
{
    struct tables tables = {.report = report, .folder = folder};
    if (!ws_staging_begin_tree(&tables.staging, folder, error))
        return false;
    bool written = true;
    for (size_t i = 0; i < report->part_count && written; ++i)
        written = write_part(&tables, &report->parts[i], error);
    written = written && ws_staging_keep(&tables.staging, true, error);
    ws_staging_drop(&tables.staging);
    *count = written ? tables.count : 0;
    return written;
}
