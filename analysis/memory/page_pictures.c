#include "analysis/memory/page_pictures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *title;
    const char *unit;
    const char *about;
} figures[WS_PAGE_FIGURES] = {
    [WS_PAGE_REQUESTS] = {"requests", "Requests by page and time", "requests",
                          "How many requests touch each page, part by part of the launch. Pages that nothing "
                          "touches are left out."},
    [WS_PAGE_L1_MISSES] =
        {"l1-misses", "L1 misses by page and time", "sectors that miss the L1",
         "How many sectors of each page miss the L1, part by part of the launch; grey: it is "
         "touched, and none does."},
    [WS_PAGE_L2_MISSES] =
        {"l2-misses", "L2 misses by page and time", "sectors that miss the L2",
         "How many sectors of each page miss the L2, part by part of the launch; grey: it is "
         "touched, and none does."},
};

static void finish_picture(struct ws_page_picture *picture)
{
    for (uint32_t i = 0; i < WS_PAGE_FIGURES; ++i)
        free(picture->values[i]);
    for (uint32_t i = 0; picture->names != NULL && i < picture->band_count; ++i)
        free(picture->names[i]);
    free(picture->names);
    free(picture->bands);
}

void ws_page_pictures_finish(struct ws_page_pictures *pictures)
{
    for (uint32_t i = 0; i < pictures->count; ++i)
        finish_picture(&pictures->list[i]);
    *pictures = (struct ws_page_pictures){0};
}

uint64_t ws_page_figure_of(enum ws_page_figure figure, const struct ws_caches_sums *sums)
{
    switch (figure) {
    case WS_PAGE_L1_MISSES: return sums->l1_sectors - sums->l1_hits;
    case WS_PAGE_L2_MISSES: return sums->l2_sectors - sums->l2_hits;
    default: return sums->requests;
    }
}

/* Whether another home, or other buffers, begin with a page. */
static bool begins_home(const struct ws_page *before, const struct ws_page *page)
{
    return before == NULL || before->memory != page->memory ||
           (page->memory == WS_BOUND_UNKNOWN && before->home != page->home);
}

static bool add_band(struct ws_page_picture *picture, uint32_t row, bool is_part, const char *name)
{
    char *copy = strdup(name);
    picture->bands[picture->band_count] = (struct ws_image_band){row, is_part, copy};
    picture->names[picture->band_count] = copy;
    picture->band_count += copy != NULL;
    return copy != NULL;
}

/* Bands of the pages in their order. */
static bool make_bands(const struct ws_page_pictures *pictures, struct ws_page_picture *picture,
                       const struct ws_page_table *table, const uint32_t *order)
{
    const struct ws_page *before = NULL;
    char last[1024] = "";
    picture->bands = calloc((size_t)table->count + 1, sizeof(*picture->bands));
    picture->names = calloc((size_t)table->count + 1, sizeof(*picture->names));
    bool made = picture->bands != NULL && picture->names != NULL;
    for (uint32_t i = 0; made && i < table->count; ++i) {
        const struct ws_page *page = &table->list[order[i]];
        const bool begins = begins_home(before, page);
        char home[256];
        char owners[1024];
        char both[1536];
        ws_page_home_text(pictures->catalog, page, home, sizeof(home));
        ws_page_owners_text(pictures->catalog, page, owners, sizeof(owners));
        /* A home of one name needs it once. */
        snprintf(both, sizeof(both), "%s%s%s", home, strcmp(home, owners) != 0 ? ": " : "",
                 strcmp(home, owners) != 0 ? owners : "");
        if (begins || strcmp(last, owners) != 0)
            made = add_band(picture, i, !begins, begins ? both : owners);
        memcpy(last, owners, sizeof(last));
        before = page;
    }
    return made;
}

static bool fill(struct ws_page_picture *picture, const struct ws_part_sums *sums,
                 const struct ws_page_table *table, const uint32_t *order)
{
    const size_t places = (size_t)table->count * WS_PARTS;
    uint32_t *rows = calloc((size_t)table->count + 1, sizeof(*rows));
    bool made = rows != NULL;
    picture->pages = table->count;
    for (uint32_t figure = 0; figure < WS_PAGE_FIGURES; ++figure) {
        picture->values[figure] = malloc((places + 1) * sizeof(uint64_t));
        made = made && picture->values[figure] != NULL;
        for (size_t i = 0; made && i < places; ++i)
            picture->values[figure][i] = UINT64_MAX;
    }
    for (uint32_t i = 0; made && i < table->count; ++i)
        rows[order[i]] = i;
    for (uint32_t i = 0; made && i < sums->row_count; ++i) {
        const struct ws_part_row *row = &sums->rows[i];
        const size_t place =
            (size_t)rows[sums->whats[row->what].page] * WS_PARTS + ws_part_sums_part(sums, row);
        for (uint32_t figure = 0; figure < WS_PAGE_FIGURES; ++figure) {
            uint64_t *value = &picture->values[figure][place];
            *value = (*value != UINT64_MAX ? *value : 0) + ws_page_figure_of(figure, &row->sums);
        }
    }
    free(rows);
    return made;
}

bool ws_page_pictures_add(struct ws_page_pictures *pictures, uint64_t launch, const struct ws_part_sums *sums,
                          const struct ws_page_table *table)
{
    if (sums->row_count == 0)
        return true;
    const uint32_t most = pictures->most > 0 ? pictures->most : WS_PAGE_PICTURES_PAGES;
    if (pictures->count == WS_PAGE_PICTURES_MAX || table->count > most - pictures->pages) {
        pictures->left_out++;
        return true;
    }
    struct ws_page_picture *picture = &pictures->list[pictures->count++];
    uint32_t *order = ws_page_table_order(table);
    pictures->pages += table->count;
    picture->launch = launch;
    const bool made =
        order != NULL && fill(picture, sums, table, order) && make_bands(pictures, picture, table, order);
    free(order);
    return made;
}

const char *ws_page_figure_name(enum ws_page_figure figure)
{
    return figures[figure].name;
}

void ws_page_picture_title(const struct ws_page_pictures *pictures, uint32_t index,
                           enum ws_page_figure figure, char *title, size_t size)
{
    snprintf(title, size, "%s, launch %" PRIu64 ": %" PRIu32 " pages of %" PRIu32 " bytes",
             figures[figure].title, pictures->list[index].launch, pictures->list[index].pages,
             pictures->page_bytes);
}

bool ws_page_picture_image(const struct ws_page_pictures *pictures, uint32_t index,
                           enum ws_page_figure figure, struct ws_image *image)
{
    const struct ws_page_picture *picture = &pictures->list[index];
    *image = (struct ws_image){.kind = WS_IMAGE_HEAT,
                               .width = WS_PARTS,
                               .height = picture->pages,
                               .values = picture->values[figure],
                               .about = figures[figure].about,
                               .arguments = "--by launch,page,time",
                               .unit = figures[figure].unit,
                               .logarithmic = true,
                               .bands = picture->bands,
                               .band_count = picture->band_count,
                               .x_label = "% of the requests came before",
                               .x_end = 100};
    for (size_t i = 0; i < (size_t)picture->pages * WS_PARTS; ++i)
        if (picture->values[figure][i] != UINT64_MAX && picture->values[figure][i] > 0)
            return true;
    return false;
}

bool ws_page_pictures_draw(const struct ws_page_pictures *pictures, struct ws_plots *plots,
                           struct ws_error *error)
{
    bool drawn = true;
    for (uint32_t i = 0; drawn && i < pictures->count; ++i)
        for (uint32_t figure = 0; drawn && figure < WS_PAGE_FIGURES; ++figure) {
            struct ws_image image;
            char name[64];
            char title[160];
            if (!ws_page_picture_image(pictures, i, figure, &image))
                continue;
            snprintf(name, sizeof(name), "pages-%" PRIu32 "-%s", i, figures[figure].name);
            ws_page_picture_title(pictures, i, figure, title, sizeof(title));
            image.title = title;
            drawn = ws_plots_image(plots, name, &image, error);
        }
    return drawn;
}
