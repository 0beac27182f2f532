#include "analysis/memory/part_pictures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void ws_part_pictures_finish(struct ws_part_pictures *pictures)
{
    for (uint32_t i = 0; i < pictures->count; ++i)
        free(pictures->list[i]);
    *pictures = (struct ws_part_pictures){0};
}

/* The buffer with most sectors that is not taken, the first of equal ones; WS_NONE = there is none. */
static uint32_t find_most(const uint64_t *totals, const bool *taken, uint32_t count)
{
    uint32_t most = WS_NONE;
    for (uint32_t i = 0; i < count; ++i)
        if (!taken[i] && totals[i] > 0 && (most == WS_NONE || totals[i] > totals[most]))
            most = i;
    return most;
}

/* Takes the buffers with most sectors. */
static bool take_buffers(struct ws_part_picture *picture, const struct ws_part_sums *sums)
{
    const uint32_t count = sums->pairs.buffer_count;
    uint64_t *totals = calloc((size_t)count + 1, sizeof(*totals));
    bool *taken = calloc((size_t)count + 1, sizeof(*taken));
    const bool is_ready = totals != NULL && taken != NULL;
    for (uint32_t i = 0; is_ready && i < sums->row_count; ++i)
        totals[ws_part_sums_pair(sums, &sums->rows[i])->name] += sums->rows[i].sums.sectors;
    uint32_t most = is_ready ? find_most(totals, taken, count) : WS_NONE;
    while (most != WS_NONE && picture->buffer_count < WS_PART_PICTURES_BUFFERS) {
        taken[most] = true;
        picture->buffers[picture->buffer_count++] = sums->pairs.buffers[most];
        most = find_most(totals, taken, count);
    }
    free(totals);
    free(taken);
    return is_ready;
}

bool ws_part_pictures_add(struct ws_part_pictures *pictures, uint64_t launch, const struct ws_part_sums *sums)
{
    if (sums->row_count == 0)
        return true;
    if (pictures->count == WS_PART_PICTURES_MAX) {
        pictures->left_out++;
        return true;
    }
    struct ws_part_picture *picture = calloc(1, sizeof(*picture));
    if (picture == NULL)
        return false;
    pictures->list[pictures->count++] = picture;
    picture->launch = launch;
    if (!take_buffers(picture, sums))
        return false;
    for (uint32_t i = 0; i < sums->row_count; ++i) {
        const struct ws_part_row *row = &sums->rows[i];
        const uint32_t part = ws_part_sums_part(sums, row);
        ws_caches_sums_add(&picture->sums[part], &row->sums);
        for (uint32_t j = 0; j < picture->buffer_count; ++j)
            if (picture->buffers[j] == ws_part_sums_pair(sums, row)->buffer)
                picture->sectors[j][part] += (double)row->sums.sectors;
    }
    return true;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

/* Where parts begin, in percent of the launch's requests. */
static void fill_places(double places[WS_PARTS])
{
    for (uint32_t i = 0; i < WS_PARTS; ++i)
        places[i] = 100.0 * i / WS_PARTS;
}

static bool draw_rates(const struct ws_part_picture *picture, uint32_t number, struct ws_plots *plots,
                       struct ws_error *error)
{
    double places[WS_PARTS];
    double rates[2][WS_PARTS];
    char name[64];
    char title[128];
    fill_places(places);
    for (uint32_t i = 0; i < WS_PARTS; ++i) {
        const struct ws_caches_sums *sums = &picture->sums[i];
        rates[0][i] = percent(sums->l1_hits, sums->l1_sectors);
        rates[1][i] = percent(sums->l2_hits, sums->l2_sectors);
    }
    const struct ws_series series[] = {{"L1", places, rates[0], WS_PARTS},
                                       {"L2", places, rates[1], WS_PARTS}};
    snprintf(name, sizeof(name), "time-%" PRIu32 "-hits", number);
    snprintf(title, sizeof(title), "Hit rates over time, launch %" PRIu64, picture->launch);
    const struct ws_plot plot = {.kind = WS_PLOT_LINES,
                                 .title = title,
                                 .about = "Which share of the sectors hits each cache, part by part of the "
                                          "launch.",
                                 .arguments = "--by launch,time",
                                 .x_label = "% of the requests came before",
                                 .y_label = "% of the sectors hit",
                                 .series = series,
                                 .series_count = 2,
                                 .y_max = 100};
    return ws_plots_plot(plots, name, &plot, error);
}

static bool draw_sectors(const struct ws_part_picture *picture, uint32_t number, struct ws_plots *plots,
                         struct ws_error *error)
{
    struct ws_series series[WS_PART_PICTURES_BUFFERS];
    double places[WS_PARTS];
    char name[64];
    char title[128];
    fill_places(places);
    for (uint32_t i = 0; i < picture->buffer_count; ++i)
        series[i] = (struct ws_series){picture->buffers[i] != NULL ? picture->buffers[i] : "a buffer", places,
                                       picture->sectors[i], WS_PARTS};
    snprintf(name, sizeof(name), "time-%" PRIu32 "-sectors", number);
    snprintf(title, sizeof(title), "Sectors over time, launch %" PRIu64, picture->launch);
    const struct ws_plot plot = {.kind = WS_PLOT_LINES,
                                 .title = title,
                                 .about = "How many sectors requests touch in each buffer, part by part of "
                                          "the launch: parts have equally many requests.",
                                 .arguments = "--by launch,time,buffer",
                                 .x_label = "% of the requests came before",
                                 .y_label = "sectors of 32 bytes",
                                 .series = series,
                                 .series_count = picture->buffer_count};
    return ws_plots_plot(plots, name, &plot, error);
}

bool ws_part_pictures_draw(const struct ws_part_pictures *pictures, struct ws_plots *plots,
                           struct ws_error *error)
{
    bool drawn = true;
    for (uint32_t i = 0; drawn && i < pictures->count; ++i)
        drawn = draw_rates(pictures->list[i], i, plots, error) &&
                draw_sectors(pictures->list[i], i, plots, error);
    return drawn;
}
