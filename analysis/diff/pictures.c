#include "analysis/diff/pictures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/memory/caches.h"
#include "analysis/memory/page_pictures.h"
#include "analysis/memory/thread_pictures.h"

#define TITLE 448

/* What is drawn, of both sides. */
struct drawing {
    const struct ws_diff *diff;
    const struct ws_page_pictures *pages[WS_DIFF_SIDES];
    const struct ws_thread_pictures *threads[WS_DIFF_SIDES];
    char notes[WS_DIFF_SIDES][1024];
    struct ws_plots *plots;
    struct ws_diff_pictures *drawn;
    struct ws_error *error;
};

/* One number for a launch and its counterpart. */
static uint32_t joint_of(const struct ws_diff *diff, uint32_t side, uint64_t launch)
{
    uint32_t place = 0;
    if (!ws_id_map_get(&diff->reports[side]->catalog.launches.by_index, launch, &place))
        return WS_NONE;
    return ws_diff_joint(&diff->match.launches, side, place);
}

/* Draws a pair of images with these titles by one scale. */
static bool draw_pair(struct drawing *drawing, const char *name, struct ws_image images[2],
                      char titles[2][TITLE], uint64_t most)
{
    char sides[2][TITLE + 8];
    for (int i = 0; i < 2; ++i) {
        snprintf(sides[i], sizeof(sides[i]), "%s: %.*s", i == 0 ? "A" : "B", TITLE - 1, titles[i]);
        images[i].title = sides[i];
        images[i].note = drawing->notes[i];
    }
    ws_image_share_scale(images, most);
    return ws_plots_pair(drawing->plots, name, images, drawing->error);
}

static bool draw_pages(struct drawing *drawing, uint32_t a, uint32_t b)
{
    bool drawn = true;
    for (uint32_t figure = 0; drawn && figure < WS_PAGE_FIGURES; ++figure) {
        const enum ws_page_figure shown = (enum ws_page_figure)figure;
        const uint32_t indices[2] = {a, b};
        struct ws_image images[2];
        char titles[2][TITLE];
        char name[64];
        bool has_values = false;
        for (int i = 0; i < 2; ++i) {
            has_values =
                ws_page_picture_image(drawing->pages[i], indices[i], shown, &images[i]) || has_values;
            ws_page_picture_title(drawing->pages[i], indices[i], shown, titles[i], sizeof(titles[i]));
        }
        snprintf(name, sizeof(name), "pages-%" PRIu32 "-%s", a, ws_page_figure_name(shown));
        drawn = !has_values || draw_pair(drawing, name, images, titles, 0);
    }
    return drawn;
}

static bool draw_threads(struct drawing *drawing, uint32_t a, uint32_t b)
{
    const struct ws_thread_picture *const pictures[2] = {&drawing->threads[0]->list[a],
                                                         &drawing->threads[1]->list[b]};
    bool drawn = true;
    for (uint32_t figure = 0; drawn && figure < WS_THREAD_FIGURES; ++figure) {
        const enum ws_thread_figure shown = (enum ws_thread_figure)figure;
        struct ws_image images[2];
        char titles[2][TITLE];
        char name[64];
        bool has_values = false;
        for (int i = 0; i < 2; ++i) {
            has_values = ws_thread_picture_image(pictures[i], shown, &images[i]) || has_values;
            ws_thread_picture_title(pictures[i], shown, titles[i], sizeof(titles[i]));
        }
        snprintf(name, sizeof(name), "threads-%" PRIu32 "-%s", a, ws_thread_figure_name(shown));
        drawn =
            !has_values || draw_pair(drawing, name, images, titles, shown == WS_THREAD_REQUESTS ? 0 : 100);
    }
    return drawn;
}

/* Pairs of pictures of pages. What has no counterpart is counted. */
static bool pair_pages(struct drawing *drawing)
{
    bool drawn = true;
    uint64_t joined = 0;
    for (uint32_t a = 0; drawn && a < drawing->pages[0]->count; ++a) {
        const uint32_t joint = joint_of(drawing->diff, 0, drawing->pages[0]->list[a].launch);
        for (uint32_t b = 0; drawn && b < drawing->pages[1]->count; ++b)
            if (joint != WS_NONE && joint_of(drawing->diff, 1, drawing->pages[1]->list[b].launch) == joint) {
                drawn = draw_pages(drawing, a, b);
                joined++;
            }
    }
    for (int i = 0; i < 2; ++i)
        drawing->drawn->alone[i] += drawing->pages[i]->count > joined ? drawing->pages[i]->count - joined : 0;
    return drawn;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The same of threads and buffers, by the names that shaders give these. */
static bool pair_threads(struct drawing *drawing)
{
    bool drawn = true;
    uint64_t joined = 0;
    for (uint32_t a = 0; drawn && a < drawing->threads[0]->count; ++a) {
        const struct ws_thread_picture *picture = &drawing->threads[0]->list[a];
        const uint32_t joint = joint_of(drawing->diff, 0, picture->launch);
        for (uint32_t b = 0; drawn && b < drawing->threads[1]->count; ++b) {
            const struct ws_thread_picture *other = &drawing->threads[1]->list[b];
            if (joint == WS_NONE || joint_of(drawing->diff, 1, other->launch) != joint ||
                !is_same_text(picture->buffer, other->buffer))
                continue;
            drawn = draw_threads(drawing, a, b);
            joined++;
        }
    }
    for (int i = 0; i < 2; ++i)
        drawing->drawn->alone[i] +=
            drawing->threads[i]->count > joined ? drawing->threads[i]->count - joined : 0;
    return drawn;
}

/* Finds what both have kept. */
static bool find_pictures(struct drawing *drawing)
{
    for (int i = 0; i < 2; ++i) {
        const struct ws_report *report = drawing->diff->reports[i];
        const void *results = ws_report_results(report, &ws_analysis_caches);
        if (results == NULL)
            return ws_error_set(drawing->error,
                                "there are no pictures of '%s', which has no accesses to memory: record them "
                                "with: warpscope record -p memory_trace",
                                report->path);
        drawing->pages[i] = ws_caches_page_pictures(results);
        drawing->threads[i] = ws_caches_thread_pictures(results);
        snprintf(drawing->notes[i], sizeof(drawing->notes[i]), "%s: %.400s\n%.400s", i == 0 ? "A" : "B",
                 report->path, report->overview.command_line);
    }
    return true;
}

bool ws_diff_pictures_draw(const struct ws_diff *diff, const char *folder, struct ws_diff_pictures *drawn,
                           struct ws_error *error)
{
    struct drawing drawing = {.diff = diff, .drawn = drawn, .error = error};
    *drawn = (struct ws_diff_pictures){.files = 0};
    if (!find_pictures(&drawing))
        return false;
    drawing.plots = ws_plots_create(folder, error);
    const struct ws_plots_group group = {ws_analysis_caches.name, ws_analysis_caches.summary,
                                         "warpscope diff A B --all", ""};
    const bool ready = drawing.plots != NULL && (ws_plots_begin(drawing.plots, &group) ||
                                                 ws_error_set(error, "no memory for the pictures"));
    bool all = ready && pair_pages(&drawing) && pair_threads(&drawing);
    drawn->files = drawing.plots != NULL ? ws_plots_count(drawing.plots) : 0;
    if (all && drawn->files > 0) {
        char head[2 * sizeof(drawing.notes[0])];
        snprintf(head, sizeof(head), "%s\n%s", drawing.notes[0], drawing.notes[1]);
        all = ws_plots_index(drawing.plots, "Warpscope: memory of two captures", head, "", error);
    }
    ws_plots_destroy(drawing.plots);
    return all;
}
