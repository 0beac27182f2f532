/* Prose in lines that are no wider than the terminal. Not thread-safe. */
#ifndef WARPSCOPE_OUTPUT_WRAP_H
#define WARPSCOPE_OUTPUT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* A paragraph that is being printed. */
struct ws_wrap {
    FILE *stream;
    size_t width;  /* columns of a line; 0 = lines are not broken */
    size_t indent; /* spaces before every line, also the first one where it has fewer columns */
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

/* Prints "  name      text": the name after `indent` spaces, the text from `column` on, in a line of its own where the
 * name is too long. */
void ws_wrap_item(const char *name, const char *text, size_t indent, size_t column, size_t width,
                  FILE *stream);

/* Prints prose of several lines. Lines that begin with no space are joined to paragraphs. A line that begins with
 * spaces is an item: "  name   what it is". Lines that go on where its last part begins are joined to it. */
void ws_wrap_text(const char *text, size_t width, FILE *stream);

/* Prints lines that are finished, as those of a report, so that none is wider than `width` (0 = as they are): a line
 * that is too wide goes on below where its text begins, such as behind "  program      ". Escape sequences of styles
 * (style.h) have no width. A line at the beginning, or behind an empty one, that begins with no space is a heading. */
void ws_wrap_lines(const char *text, size_t width, FILE *stream);

#endif
