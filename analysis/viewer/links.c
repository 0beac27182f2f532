#include "analysis/viewer/links.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "analysis/viewer/launches_shown.h"

/* An analysis of the report as the page reads it, with the first `most` rows of each table: a report of many launches has more
 * than memory holds. NULL = no memory. */
static cJSON *parse_part(const struct ws_report *report, const struct ws_report_part *part, uint32_t most)
{
    char *text = NULL;
    size_t size = 0;
    cJSON *json = NULL;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    const bool written = ws_report_json_part(report, part, most, stream);
    if (fclose(stream) == 0 && written)
        json = cJSON_ParseWithLength(text, size);
    free(text);
    return json;
}

/* The value of a column that is a number up to `most`. */
static bool take_number(const cJSON *row, const char *column, double most, double *number)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, column);
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= most))
        return false;
    *number = value->valuedouble;
    return true;
}

/* "64,64,0"; what is left out is 0. */
static bool take_thread(const cJSON *row, uint32_t thread[3])
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, "thread");
    char *at = cJSON_IsString(value) ? value->valuestring : NULL;
    memset(thread, 0, 3 * sizeof(thread[0]));
    for (int axis = 0; at != NULL && axis < 3 && *at >= '0' && *at <= '9'; ++axis) {
        thread[axis] = (uint32_t)strtoul(at, &at, 10);
        if (*at == '\0')
            return true;
        at += *at == ',';
    }
    return false;
}

static bool is_same(const struct ws_viewer_link *a, const struct ws_viewer_link *b)
{
    return a->launch == b->launch && a->warp == b->warp &&
           memcmp(a->thread, b->thread, sizeof(a->thread)) == 0;
}

static void add_row(struct ws_viewer_links *links, const cJSON *row, uint64_t opened, bool advice)
{
    static const char *const columns[] = {"launch", "thread_launch", "first_launch"};
    struct ws_viewer_link link = {.launch = opened, .warp = WS_NONE, .advice = advice};
    double number = 0;
    if (!take_thread(row, link.thread))
        return;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); ++i)
        if (take_number(row, columns[i], (double)(UINT64_C(1) << 53), &number)) {
            link.launch = (uint64_t)number;
            break;
        }
    if (take_number(row, "warp", WS_NONE - 1, &number))
        link.warp = (uint32_t)number;
    for (uint32_t i = 0; i < links->count; ++i)
        if (is_same(&links->links[i], &link))
            return;
    if (links->count < WS_LINKS_MOST)
        links->links[links->count++] = link;
}

static void add_table(struct ws_viewer_links *links, const cJSON *table, uint64_t opened, bool advice)
{
    uint32_t rows = 0; /* a list that is no table has all it has */
    const cJSON *row = NULL;
    if (!cJSON_IsArray(table))
        return;
    cJSON_ArrayForEach(row, table)
    {
        if (rows++ == WS_LINKS_OF_TABLE && !advice)
            break;
        add_row(links, row, opened, advice);
    }
}

/* False = no memory. */
static bool add_advice(struct ws_viewer_links *links, const struct ws_report *report,
                       const struct ws_report_part *part, uint64_t opened)
{
    cJSON *json = parse_part(report, part, UINT32_MAX);
    const cJSON *advice = cJSON_GetObjectItemCaseSensitive(json, part->analysis->name);
    add_table(links, cJSON_GetObjectItemCaseSensitive(advice, "advice"), opened, true);
    cJSON_Delete(json);
    return json != NULL;
}

/* False = no memory. */
static bool add_tables(struct ws_viewer_links *links, const struct ws_report *report,
                       const struct ws_report_part *part, uint64_t opened)
{
    cJSON *json = parse_part(report, part, WS_LINKS_OF_TABLE);
    const cJSON *table = NULL;
    cJSON_ArrayForEach(table, cJSON_GetObjectItemCaseSensitive(json, part->analysis->name))
        add_table(links, table, opened, false);
    cJSON_Delete(json);
    return json != NULL;
}

/* False = no memory. */
static bool add_all(struct ws_viewer_links *links, const struct ws_viewer_capture *capture)
{
    const struct ws_report *report = &capture->report;
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const uint64_t opened = ws_launches_shown(capture, launches) > 0 ? launches[0] : 0;
    bool added = true;
    for (size_t i = 0; i < report->part_count && added; ++i)
        if (strcmp(report->parts[i].analysis->name, "advice") == 0)
            added = add_advice(links, report, &report->parts[i], opened);
    for (size_t i = 0; i < report->part_count && added; ++i)
        added = add_tables(links, report, &report->parts[i], opened);
    return added;
}

const struct ws_viewer_links *ws_viewer_links(struct ws_viewer_capture *capture)
{
    if (capture->parts[WS_VIEWER_PART_LINKS].data != NULL)
        return capture->parts[WS_VIEWER_PART_LINKS].data;
    struct ws_viewer_links *links = calloc(1, sizeof(*links));
    if (links == NULL || !add_all(links, capture)) {
        free(links);
        return NULL;
    }
    capture->parts[WS_VIEWER_PART_LINKS].data = links;
    capture->parts[WS_VIEWER_PART_LINKS].destroy = free;
    return links;
}
