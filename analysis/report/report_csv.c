/* The report as CSV: one table, or a folder of tables (report.h). */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/output/staging.h"
#include "analysis/report/report.h"

#define PATH_SIZE 4096

bool ws_report_csv(const struct ws_report *report, FILE *stream)
{
    const struct ws_report_part *part = &report->parts[0];
    const bool columns = part->analysis->csv == NULL || ws_view_is_set(&report->view);
    return columns ? ws_groups_csv(ws_report_part_groups(part), stream)
                   : part->analysis->csv(part->results, stream);
}

/* Writes a table into FOLDER/ANALYSIS-TABLE.csv. `level` UINT32_MAX = what the analysis prints itself. */
static bool write_table(const struct ws_report_part *part, uint32_t level, const char *table,
                        const char *folder, size_t *count, struct ws_error *error)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof(path), "%s/%s-%s.csv", folder, part->analysis->name, table) >=
        (int)sizeof(path))
        return ws_error_set(error, "the path of the folder '%.200s...' is too long", folder);
    struct ws_staging staging;
    FILE *file = ws_staging_open(&staging, path, error);
    if (file == NULL)
        return false;
    const bool put = level == UINT32_MAX ? part->analysis->csv(part->results, file)
                                         : ws_groups_csv_table(ws_report_part_groups(part), level, file);
    if (!put)
        ws_error_set(error, "no memory for '%s'", path);
    const bool written = ws_staging_close(&staging, file, put, true, error);
    *count += written ? 1 : 0;
    return written;
}

static bool write_part(const struct ws_report *report, const struct ws_report_part *part, const char *folder,
                       size_t *count, struct ws_error *error)
{
    const struct ws_groups *groups = ws_report_part_groups(part);
    const uint32_t levels = groups != NULL ? ws_groups_level_count(groups) : 0;
    bool written = true;
    if (part->analysis->csv != NULL && !ws_view_is_set(&report->view) &&
        (report->options.has_thread || report->options.has_warp))
        return write_table(part, UINT32_MAX, "steps", folder, count, error);
    for (uint32_t i = 0; i < levels && written; ++i)
        written = !ws_groups_has_csv(groups, i) ||
                  write_table(part, i, ws_groups_level_name(groups, i), folder, count, error);
    return written;
}

bool ws_report_csv_folder(const struct ws_report *report, const char *folder, size_t *count,
                          struct ws_error *error)
{
    struct stat status;
    bool written = true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ws_error_set(error, "cannot make the folder '%s' for the tables: %s", folder, strerror(errno));
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return ws_error_set(error, "cannot write tables into '%s': it is no folder", folder);
    for (size_t i = 0; i < report->part_count && written; ++i)
        written = write_part(report, &report->parts[i], folder, count, error);
    return written;
}
