/* touched.json: which pages of memory a launch touched when (analysis/memory/page_table.h, part_sums.h).
 *
 * Keys: launch, its index; page, the bytes of a page, a power of two (4096).
 *
 *     {
 *       "launch": 3, "page": 4096, "parts": 50,
 *       "device": "NVIDIA GeForce RTX 2080 Ti" | null,    whose caches the misses are of
 *       "figures": [{"name": "requests", "title": "Requests", "unit": "requests", "help": "...", "largest": 120}, ...],
 *       "pages": [{"of": "allocation 7", "begin": 8192, "buffers": "nodes"}, ...],    in their order
 *       "cells": {"page": [0, 0, 1, ...], "part": [0, 1, 0, ...], "requests": [...], "lanes": [...], ...},
 *       "left_out": 0,    requests that found no room
 *       "why": text | null    why there are none
 *     }
 *
 * CELLS are lists of equal length, an element for each page and part that some request touches: of each figure what
 * `report caches --launch N --by page,time` has there; misses are sectors that missed. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/caches.h"
#include "analysis/memory/page_pictures.h"
#include "analysis/viewer/launches_shown.h"
#include "analysis/viewer/viewer.h"
#include "warpscope/output/json.h"

#define CELLS_MOST (1u << 20)

static uint64_t lanes_of(const struct ws_caches_sums *sums)
{
    return sums->lanes;
}

static uint64_t bytes_of(const struct ws_caches_sums *sums)
{
    return sums->bytes;
}

static uint64_t sectors_of(const struct ws_caches_sums *sums)
{
    return sums->sectors;
}

static uint64_t requests_of(const struct ws_caches_sums *sums)
{
    return ws_page_figure_of(WS_PAGE_REQUESTS, sums);
}

static uint64_t l1_misses_of(const struct ws_caches_sums *sums)
{
    return ws_page_figure_of(WS_PAGE_L1_MISSES, sums);
}

static uint64_t l2_misses_of(const struct ws_caches_sums *sums)
{
    return ws_page_figure_of(WS_PAGE_L2_MISSES, sums);
}

static const struct {
    const char *name;
    const char *title;
    const char *unit;
    const char *help;
    uint64_t (*of)(const struct ws_caches_sums *sums);
} figures[] = {
    {"requests", "Requests", "requests", "executions of accesses by warps that touch the page", requests_of},
    {"lanes", "Lanes", "lanes", "their active lanes whose first byte lies there", lanes_of},
    {"bytes", "Bytes", "bytes", "bytes that these lanes ask for", bytes_of},
    {"sectors", "Sectors", "sectors", "distinct sectors of 32 bytes that each request touches there",
     sectors_of},
    {"l1_misses", "L1 misses", "sectors", "sectors of loads that miss the L1", l1_misses_of},
    {"l2_misses", "L2 misses", "sectors", "sectors that miss the L2", l2_misses_of},
};

enum { FIGURES = sizeof(figures) / sizeof(*figures) };

/* A row of the report, which is a cell unless it stands for many. */
static bool take_cell(const struct ws_groups *groups, uint32_t index, struct ws_row *row)
{
    ws_groups_row(groups, 0, index, row);
    return row->keys[WS_CACHES_BY_PAGE] < WS_KEY_SEVERAL && row->keys[WS_CACHES_BY_TIME] < WS_KEY_SEVERAL;
}

static void write_figures(struct ws_json *json, const struct ws_groups *groups)
{
    ws_json_open_list(json, "figures");
    for (int i = 0; i < FIGURES; ++i) {
        cJSON *object = cJSON_CreateObject();
        uint64_t largest = 0;
        for (uint32_t j = 0; groups != NULL && j < ws_groups_count(groups, 0); ++j) {
            struct ws_row row;
            const uint64_t value = take_cell(groups, j, &row) ? figures[i].of(row.sums) : 0;
            largest = value > largest ? value : largest;
        }
        cJSON_AddStringToObject(object, "name", figures[i].name);
        cJSON_AddStringToObject(object, "title", figures[i].title);
        cJSON_AddStringToObject(object, "unit", figures[i].unit);
        cJSON_AddStringToObject(object, "help", figures[i].help);
        ws_json_integer(object, "largest", largest);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_pages(struct ws_json *json, const struct ws_report *report, const void *results)
{
    const uint32_t count = results != NULL ? ws_caches_page_count(results) : 0;
    ws_json_open_list(json, "pages");
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_page *page = ws_caches_page(results, i);
        cJSON *object = cJSON_CreateObject();
        char text[1024];
        ws_page_home_text(&report->catalog, page, text, sizeof(text));
        cJSON_AddStringToObject(object, "of", text);
        ws_json_integer(object, "begin", page->begin);
        ws_page_owners_text(&report->catalog, page, text, sizeof(text));
        cJSON_AddStringToObject(object, "buffers", text);
        ws_json_element(json, object);
    }
    ws_json_close_list(json);
}

static void write_cells(struct ws_json *json, const struct ws_groups *groups)
{
    static const char *const keys[] = {"page", "part"};
    cJSON *cells = cJSON_CreateObject();
    for (int i = 0; i < 2 + FIGURES; ++i) {
        cJSON *list = cJSON_AddArrayToObject(cells, i < 2 ? keys[i] : figures[i - 2].name);
        for (uint32_t j = 0; groups != NULL && j < ws_groups_count(groups, 0); ++j) {
            struct ws_row row;
            if (!take_cell(groups, j, &row))
                continue;
            const uint64_t value = i == 0   ? row.keys[WS_CACHES_BY_PAGE]
                                   : i == 1 ? row.keys[WS_CACHES_BY_TIME]
                                            : figures[i - 2].of(row.sums);
            ws_json_append(list, ws_json_integer_item(value));
        }
    }
    ws_json_member(json, "cells", cells);
}

/* Writes the answer. `results` NULL = the capture has none, as `why` says. */
static bool write_answer(FILE *stream, uint64_t launch, uint32_t page, const struct ws_report *report,
                         const void *results, const char *why)
{
    const struct ws_groups *groups = results != NULL ? ws_analysis_caches.groups(results) : NULL;
    struct ws_json json;
    ws_json_begin(&json, stream);
    ws_json_member(&json, "launch", ws_json_integer_item(launch));
    ws_json_member(&json, "page", ws_json_integer_item(page));
    ws_json_member(&json, "parts", ws_json_integer_item(WS_PARTS));
    ws_json_member(&json, "device",
                   results != NULL ? cJSON_CreateString(ws_caches_device(results)) : cJSON_CreateNull());
    write_figures(&json, groups);
    write_pages(&json, report, results);
    write_cells(&json, groups);
    ws_json_member(&json, "left_out",
                   ws_json_integer_item(results != NULL ? ws_caches_left_out(results) : 0));
    ws_json_member(&json, "why", why != NULL ? cJSON_CreateString(why) : cJSON_CreateNull());
    return ws_json_end(&json);
}

static bool take_page(const struct ws_viewer_query *query, uint32_t *page, struct ws_error *error)
{
    uint64_t bytes = WS_PAGE_USUAL;
    if (ws_viewer_query_text(query, "page") != NULL &&
        !ws_viewer_query_number(query, "page", WS_PAGE_LEAST, WS_PAGE_MOST, &bytes, error))
        return false;
    *page = (uint32_t)bytes;
    return (bytes & (bytes - 1)) == 0 ||
           ws_error_set(error, "page is a power of two, such as %u", WS_PAGE_USUAL);
}

static bool answer(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_viewer_launch_report read;
    uint32_t page = 0;
    const struct ws_launch_record *launch = ws_viewer_launch(capture, query, error);
    if (launch == NULL || !take_page(query, &page, error))
        return false;
    if (ws_report_results(&capture->report, &ws_analysis_caches) == NULL)
        return write_answer(
            stream, launch->index, page, &capture->report, NULL,
            "the capture has no accesses to memory; record them with: warpscope record -p memory_trace");
    struct ws_report_request request = {
        .analysis = &ws_analysis_caches,
        .options = {.whole = true, .view = {.by = "page,time"}, .page = page},
    };
    if (!ws_viewer_read_launch(viewer, capture, launch->index, &request, &read, error))
        return false;
    const void *results = ws_report_results(&read.report, &ws_analysis_caches);
    const struct ws_groups *groups = results != NULL ? ws_analysis_caches.groups(results) : NULL;
    bool written = false;
    if (groups == NULL)
        ws_error_set(error, "the accesses of launch %" PRIu64 " could not be read", launch->index);
    else if (ws_groups_count(groups, 0) > CELLS_MOST)
        ws_error_set(error,
                     "launch %" PRIu64 " touches too many pages of %" PRIu32 " bytes: choose larger ones",
                     launch->index, page);
    else
        written = write_answer(stream, launch->index, page, &read.report, results,
                               ws_groups_count(groups, 0) > 0 ? NULL : "the launch touches no memory");
    ws_report_finish(&read.report);
    return written;
}

static bool embed(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user)
{
    const bool traced = ws_report_results(&capture->report, &ws_analysis_caches) != NULL;
    (void)viewer, (void)budget;
    return ws_launches_shown_embed(capture, "touched.json", traced ? WS_RANK_FIRST : WS_RANK_ALWAYS,
                                   traced ? WS_RANK_FARTHER : WS_RANK_ALWAYS, embed, user);
}

const struct ws_viewer_resource ws_viewer_resource_touched = {
    .name = "touched.json",
    .help = "which pages of memory a launch touched when",
    .keys = "launch page",
    .answer = answer,
    .embed = embed,
};
