/* Colours of text on a terminal, all in one place. They are readable on light and on dark: the terminal's own text and
 * its 16 colours. Only what goes to the stream that was allowed has them, so files, JSON and CSV never do. Not
 * thread-safe. */
#ifndef WARPSCOPE_OUTPUT_STYLE_H
#define WARPSCOPE_OUTPUT_STYLE_H

#include <stdbool.h>
#include <stdio.h>

enum ws_style {
    WS_STYLE_HEADING, /* of a section */
    WS_STYLE_COLUMN,  /* of a column of a table */
    WS_STYLE_BAR,
    WS_STYLE_SURE, /* what is certain */
    WS_STYLE_ERROR,
};

/* Lets what is printed to `stream` have colours; NULL = nothing has. */
void ws_style_allow(FILE *stream);

/* Lets messages on stderr have colours. */
void ws_style_allow_errors(bool allowed);

/* Begins and ends a style. Print nothing where the stream has none. */
void ws_style_begin(enum ws_style style, FILE *stream);
void ws_style_end(FILE *stream);

#endif
