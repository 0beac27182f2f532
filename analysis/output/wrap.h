/* Prose in lines that are no wider than the terminal. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_WRAP_H
#define WS_ANALYSIS_OUTPUT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* A paragraph that is being printed. */
struct ws_wrap {
    FILE *stream;
    size_t width;  /* columns of a line; 0 = lines are not broken */
    size_t indent; /* of every line but the first */
    size_t column; /* where the line ends now */
};

/* Begins a paragraph where the line has `column` columns already. */
struct ws_wrap ws_wrap_begin(FILE *stream, size_t width, size_t indent, size_t column);

/* Prints words, which are separated by blanks or line ends, with one blank between two of them. A word that is wider
 * than a line stands alone in one. Control characters are escaped. */
void ws_wrap_words(struct ws_wrap *wrap, const char *text);

/* Ends the line. */
void ws_wrap_end(struct ws_wrap *wrap);

/* Prints a whole paragraph, each of its lines after `indent` spaces. */
void ws_wrap_print(const char *text, size_t indent, size_t width, FILE *stream);

#endif
