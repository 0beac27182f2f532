/* Pictures of which pages a launch touched when (page_table.h, part_sums.h): for each launch one of requests, one of sectors
 * that miss the L1, one of those that miss the L2. A row is a page, a column a part of the launch.
 *
 * What a place has is what `report caches --by launch,page,time` has there: requests; l1_sectors - l1_hits; l2_sectors -
 * l2_hits. A place that no request touches has nothing, one whose sectors all hit has 0. A picture that is too high for its
 * pages shows the largest value of those that share a row of points.
 *
 * BANDS: homes, with the buffers that their first pages belong to, and in them bands of other buffers. A page of two buffers
 * begins a band that has both names.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_PAGE_PICTURES_H
#define WS_ANALYSIS_MEMORY_PAGE_PICTURES_H

#include "analysis/memory/page_table.h"
#include "analysis/memory/part_sums.h"
#include "warpscope/output/plot.h"

#define WS_PAGE_PICTURES_MAX   8          /* launches: those that come first */
#define WS_PAGE_PICTURES_PAGES (1u << 17) /* of all launches together: each takes 1200 bytes */

enum ws_page_figure { WS_PAGE_REQUESTS, WS_PAGE_L1_MISSES, WS_PAGE_L2_MISSES, WS_PAGE_FIGURES };

struct ws_page_picture {
    uint64_t launch; /* index */
    uint32_t pages;
    uint64_t *values[WS_PAGE_FIGURES]; /* page by page, WS_PARTS each; UINT64_MAX = nothing */
    struct ws_image_band *bands;
    char **names; /* of the bands; owned */
    uint32_t band_count;
};

/* Zero-initialise, then set the first two. */
struct ws_page_pictures {
    const struct ws_catalog *catalog;
    uint32_t page_bytes;
    uint32_t most; /* pages of all launches; 0 = WS_PAGE_PICTURES_PAGES */
    struct ws_page_picture list[WS_PAGE_PICTURES_MAX];
    uint32_t count;
    uint32_t pages;    /* of all of them */
    uint64_t left_out; /* launches that are too many, or whose pages are, with those of the launches before */
};

void ws_page_pictures_finish(struct ws_page_pictures *pictures);

/* Adds those of a launch, or counts it as left out. `sums` are by page. False when there is no memory. */
bool ws_page_pictures_add(struct ws_page_pictures *pictures, uint64_t launch, const struct ws_part_sums *sums,
                          const struct ws_page_table *table);

/* The value of a figure in sums. */
uint64_t ws_page_figure_of(enum ws_page_figure figure, const struct ws_caches_sums *sums);

/* Makes an image of a figure, which the picture owns; `title` belongs to the caller. False where no place has a value. */
bool ws_page_picture_image(const struct ws_page_pictures *pictures, uint32_t index,
                           enum ws_page_figure figure, struct ws_image *image);

/* Its title, and its name in files: "requests". */
void ws_page_picture_title(const struct ws_page_pictures *pictures, uint32_t index,
                           enum ws_page_figure figure, char *title, size_t size);
const char *ws_page_figure_name(enum ws_page_figure figure);

/* Draws all. */
bool ws_page_pictures_draw(const struct ws_page_pictures *pictures, struct ws_plots *plots,
                           struct ws_error *error);

#endif
