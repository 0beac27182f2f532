#include "analysis/output/wrap.h"

#include <string.h>

#include "passes/base/text.h"

#define BLANKS " \n"

struct ws_wrap ws_wrap_begin(FILE *stream, size_t width, size_t indent, size_t column)
{
    return (struct ws_wrap){.stream = stream, .width = width, .indent = indent, .column = column};
}

/* How many columns `length` bytes of a text take. */
static size_t part_width(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t at = 0; at < length;) {
        const size_t control = ws_text_control_length(text + at);
        if (control > 0)
            columns += ws_text_control_width(text + at);
        else if (((unsigned char)text[at] & 0xc0) != 0x80)
            columns++;
        at += control > 0 ? control : 1;
    }
    return columns;
}

void ws_wrap_words(struct ws_wrap *wrap, const char *text)
{
    for (text += strspn(text, BLANKS); *text != '\0'; text += strspn(text, BLANKS)) {
        const size_t length = strcspn(text, BLANKS);
        const size_t columns = part_width(text, length);
        const size_t blank = wrap->column > wrap->indent ? 1 : 0;
        if (blank > 0 && wrap->width > 0 && wrap->column + blank + columns > wrap->width) {
            fputc('\n', wrap->stream);
            wrap->column = 0;
        } else if (blank > 0) {
            fputc(' ', wrap->stream);
            wrap->column++;
        }
        if (wrap->column < wrap->indent) {
            fprintf(wrap->stream, "%*s", (int)(wrap->indent - wrap->column), "");
            wrap->column = wrap->indent;
        }
        ws_text_print_part(wrap->stream, text, length);
        wrap->column += columns;
        text += length;
    }
}

void ws_wrap_end(struct ws_wrap *wrap)
{
    fputc('\n', wrap->stream);
    wrap->column = 0;
}

void ws_wrap_print(const char *text, size_t indent, size_t width, FILE *stream)
{
    struct ws_wrap wrap = ws_wrap_begin(stream, width, indent, 0);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}
