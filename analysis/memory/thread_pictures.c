#include "analysis/memory/thread_pictures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void ws_thread_pictures_finish(struct ws_thread_pictures *pictures)
{
    for (uint32_t i = 0; i < pictures->count; ++i)
        for (uint32_t figure = 0; figure < WS_THREAD_FIGURES; ++figure)
            free(pictures->list[i].values[figure]);
    *pictures = (struct ws_thread_pictures){0};
}

/* The place of a row's thread. */
static void place_of(const struct ws_catalog *catalog, const struct ws_replay_threads *threads,
                     const struct ws_thread_row *row, uint32_t place[3])
{
    ws_work_place(catalog->shaders[row->shader].stage, threads->threads[row->thread].work, place);
}

/* The grid of the threads of a buffer. False where it would have more pixels than `most`. */
static bool make_grid(struct ws_work_grid *grid, uint32_t most, const struct ws_catalog *catalog,
                      const struct ws_replay_threads *threads, const struct ws_thread_sums *sums,
                      const char *buffer)
{
    uint32_t first[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint32_t last[3] = {0, 0, 0};
    uint32_t shader = WS_NONE;
    for (uint32_t i = 0; i < sums->row_count; ++i) {
        uint32_t place[3];
        if (sums->rows[i].buffer != buffer)
            continue;
        place_of(catalog, threads, &sums->rows[i], place);
        shader = sums->rows[i].shader;
        for (uint32_t axis = 0; axis < 3; ++axis) {
            first[axis] = place[axis] < first[axis] ? place[axis] : first[axis];
            last[axis] = place[axis] > last[axis] ? place[axis] : last[axis];
        }
    }
    return shader != WS_NONE && ws_work_grid_make(grid, catalog, threads->launch, shader, first, last, most);
}

static uint64_t percent(uint64_t part, uint64_t of)
{
    return of > 0 ? (200 * part + of) / (2 * of) : UINT64_MAX;
}

/* Sums of the threads at each pixel: samples of fragments share one. */
static bool fill(struct ws_thread_picture *picture, const struct ws_catalog *catalog,
                 const struct ws_replay_threads *threads, const struct ws_thread_sums *sums)
{
    const uint64_t pixels = ws_work_grid_pixels(&picture->grid);
    struct ws_caches_sums *all = calloc((size_t)pixels + 1, sizeof(*all));
    bool made = all != NULL;
    for (uint32_t figure = 0; figure < WS_THREAD_FIGURES; ++figure) {
        picture->values[figure] = calloc((size_t)pixels + 1, sizeof(uint64_t));
        made = made && picture->values[figure] != NULL;
    }
    for (uint32_t i = 0; made && i < sums->row_count; ++i) {
        uint32_t place[3];
        if (sums->rows[i].buffer != picture->buffer)
            continue;
        place_of(catalog, threads, &sums->rows[i], place);
        const uint64_t pixel = ws_work_grid_pixel(&picture->grid, place);
        if (pixel == WS_WORK_GRID_NONE)
            continue;
        uint64_t *first = &picture->values[WS_THREAD_FIRST][pixel];
        const uint64_t before = percent(sums->rows[i].first, sums->requests);
        *first = all[pixel].requests == 0 || before < *first ? before : *first;
        ws_caches_sums_add(&all[pixel], &sums->rows[i].sums);
    }
    for (uint64_t i = 0; made && i < pixels; ++i) {
        picture->values[WS_THREAD_REQUESTS][i] = all[i].requests > 0 ? all[i].requests : UINT64_MAX;
        picture->values[WS_THREAD_ACTIVE][i] = percent(all[i].lanes, all[i].slots);
        if (all[i].requests == 0)
            picture->values[WS_THREAD_FIRST][i] = UINT64_MAX;
        picture->values[WS_THREAD_L1][i] = percent(all[i].l1_hits, all[i].l1_sectors);
    }
    free(all);
    return made;
}

bool ws_thread_pictures_add(struct ws_thread_pictures *pictures, const struct ws_catalog *catalog,
                            const struct ws_replay_threads *threads, const struct ws_thread_sums *sums)
{
    for (uint32_t i = 0; i < sums->pairs.buffer_count; ++i) {
        const uint32_t left = WS_THREAD_PICTURES_ALL - pictures->pixels;
        const uint32_t most = left < WS_THREAD_PICTURES_PIXELS ? left : WS_THREAD_PICTURES_PIXELS;
        struct ws_thread_picture picture = {.buffer = sums->pairs.buffers[i],
                                            .launch = threads->launch->index};
        if (pictures->count == WS_THREAD_PICTURES_MAX ||
            !make_grid(&picture.grid, most, catalog, threads, sums, picture.buffer)) {
            pictures->left_out++;
            continue;
        }
        const bool is_filled = fill(&picture, catalog, threads, sums);
        pictures->list[pictures->count++] = picture;
        pictures->pixels += (uint32_t)ws_work_grid_pixels(&picture.grid);
        if (!is_filled)
            return false;
    }
    return true;
}

static bool is_empty(const struct ws_thread_picture *picture, enum ws_thread_figure figure)
{
    for (uint64_t i = 0; i < ws_work_grid_pixels(&picture->grid); ++i)
        if (picture->values[figure][i] != UINT64_MAX)
            return false;
    return true;
}

static const struct {
    const char *name;
    const char *title;
    const char *unit;
    const char *about;
} figures[WS_THREAD_FIGURES] = {
    [WS_THREAD_REQUESTS] = {"requests", "Requests", "requests",
                            "How many requests each thread took part in, at its work id or pixel."},
    [WS_THREAD_ACTIVE] = {"active", "Active lanes", "% of the lanes",
                          "Which share of their warps' lanes the requests of each thread had."},
    [WS_THREAD_L1] =
        {"l1", "L1 hit rate", "% of the sectors",
         "Which share of the sectors hits the L1, of the requests that each thread took part in."},
    [WS_THREAD_FIRST] = {"first", "First access", "% of the requests came before",
                         "When each thread touched the buffer first, in the order of the launch's requests."},
};

bool ws_thread_picture_image(const struct ws_thread_picture *picture, enum ws_thread_figure figure,
                             struct ws_image *image)
{
    *image = (struct ws_image){.kind = WS_IMAGE_HEAT,
                               .width = picture->grid.width,
                               .height = picture->grid.height,
                               .values = picture->values[figure],
                               .about = figures[figure].about,
                               .arguments = "--by thread,buffer,launch",
                               .unit = figures[figure].unit};
    return !is_empty(picture, figure);
}

void ws_thread_picture_title(const struct ws_thread_picture *picture, enum ws_thread_figure figure,
                             char *title, size_t size)
{
    snprintf(title, size, "%s, %s, launch %" PRIu64, figures[figure].title,
             picture->buffer != NULL ? picture->buffer : "a buffer", picture->launch);
}

const char *ws_thread_figure_name(enum ws_thread_figure figure)
{
    return figures[figure].name;
}

static bool draw(const struct ws_thread_picture *picture, uint32_t number, enum ws_thread_figure figure,
                 struct ws_plots *plots, struct ws_error *error)
{
    struct ws_image image;
    char name[64];
    char title[384];
    if (!ws_thread_picture_image(picture, figure, &image))
        return true;
    snprintf(name, sizeof(name), "threads-%" PRIu32 "-%s", number, figures[figure].name);
    ws_thread_picture_title(picture, figure, title, sizeof(title));
    image.title = title;
    return ws_plots_image(plots, name, &image, error);
}

bool ws_thread_pictures_draw(const struct ws_thread_pictures *pictures, struct ws_plots *plots,
                             struct ws_error *error)
{
    bool drawn = true;
    for (uint32_t i = 0; drawn && i < pictures->count; ++i)
        for (uint32_t figure = 0; drawn && figure < WS_THREAD_FIGURES; ++figure)
            drawn = draw(&pictures->list[i], i, (enum ws_thread_figure)figure, plots, error);
    return drawn;
}
