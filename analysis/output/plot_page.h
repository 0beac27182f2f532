/* The page that shows all pictures of a folder: index.html. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_PLOT_PAGE_H
#define WS_ANALYSIS_OUTPUT_PLOT_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/output/file_kind.h"

extern const struct ws_file_kind ws_page_kind;

/* A picture. Texts are owned by the caller. */
struct ws_page_picture {
    uint32_t group;
    const char *title;
    const char *about;    /* "" = nothing */
    const char *commands; /* lines; "" = none */
    const char
        *svg; /* names of its files, relative to the page; NULL = it was not drawn: nothing to compare */
    const char *png;
};

struct ws_page_group {
    const char *name;
    const char *summary;
};

struct ws_page {
    const char *title;
    const char *head; /* lines */
    const char *foot;
    const struct ws_page_group *groups;
    uint32_t group_count;
    const struct ws_page_picture *pictures;
    uint32_t picture_count;
};

/* Writes the page. It needs no script and no other file but the pictures. Errors of the stream are for the caller to
 * find. */
void ws_page_write(const struct ws_page *page, FILE *stream);

#endif
