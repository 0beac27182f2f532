#include "warpscope/output/wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "warpscope/base/text.h"
#include "warpscope/output/style.h"

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

/* Prints one word, behind a blank or at the beginning of a line. */
static void wrap_word(struct ws_wrap *wrap, const char *word, size_t length)
{
    const size_t columns = part_width(word, length);
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
    ws_text_print_part(wrap->stream, word, length);
    wrap->column += columns;
}

/* How many bytes of a text stay on one line: its first word, and the "%" behind a number. */
static size_t word_length(const char *text, const char *end)
{
    size_t word = strcspn(text, BLANKS);
    if (text + word + 1 < end && text[word] == ' ' && text[word + 1] == '%' && text[word - 1] >= '0' &&
        text[word - 1] <= '9')
        word += 1 + strcspn(text + word + 1, BLANKS);
    return word;
}

/* Prints the words of `length` bytes. */
static void wrap_part(struct ws_wrap *wrap, const char *text, size_t length)
{
    const char *end = text + length;
    for (text += strspn(text, BLANKS); text < end; text += strspn(text, BLANKS)) {
        const size_t word = word_length(text, end);
        wrap_word(wrap, text, word);
        text += word;
    }
}

void ws_wrap_words(struct ws_wrap *wrap, const char *text)
{
    wrap_part(wrap, text, strlen(text));
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

void ws_wrap_item(const char *name, const char *text, size_t indent, size_t column, size_t width,
                  FILE *stream)
{
    const size_t used = indent + ws_text_width(name);
    fprintf(stream, "%*s", (int)indent, "");
    ws_text_print(stream, name);
    if (used >= column)
        fputc('\n', stream);
    fprintf(stream, "%*s", (int)(used < column ? column - used : column), "");
    struct ws_wrap wrap = ws_wrap_begin(stream, width, column, column);
    ws_wrap_words(&wrap, text);
    ws_wrap_end(&wrap);
}

/* Where the last part of an item begins: behind its last gap of two blanks or more, else where the item does. */
static size_t item_column(const char *line, size_t length, size_t indent)
{
    size_t column = indent;
    for (size_t i = indent + 2; i < length; ++i)
        if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ')
            column = i;
    return column;
}

#define JOINS_NONE SIZE_MAX

void ws_wrap_text(const char *text, size_t width, FILE *stream)
{
    struct ws_wrap wrap = ws_wrap_begin(stream, width, 0, 0);
    bool open = false;
    size_t joins = JOINS_NONE; /* where lines begin that are joined to what is open */
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const size_t indent = strspn(text, " ");
        size_t column = indent;
        if (open && (length == 0 || indent != joins)) {
            ws_wrap_end(&wrap);
            open = false;
        }
        if (length == 0) {
            fputc('\n', stream);
        } else if (!open) {
            column = indent > 0 ? item_column(text, length, indent) : 0;
            joins = column > indent || indent == 0 ? column : JOINS_NONE;
            wrap = ws_wrap_begin(stream, width, column, column);
            ws_text_print_part(stream, text, column);
        }
        wrap_part(&wrap, text + column, length - column);
        open = length > 0;
    }
    if (open)
        ws_wrap_end(&wrap);
}

/* Bytes of the escape sequence "ESC [ ... m" with which `text` begins; 0 where it begins with none. */
static size_t escape_length(const char *text)
{
    if (text[0] != '\033' || text[1] != '[')
        return 0;
    const size_t length = 2 + strspn(text + 2, "0123456789;");
    return text[length] == 'm' ? length + 1 : 0;
}

/* Columns of `length` bytes that are printed as they are. */
static size_t plain_width(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t at = 0; at < length;) {
        const size_t escape = escape_length(text + at);
        columns += escape == 0 && ((unsigned char)text[at] & 0xc0) != 0x80;
        at += escape > 0 ? escape : 1;
    }
    return columns;
}

/* Where the lines below a line that is too wide begin: where its text does, if that leaves room. */
static size_t hanging_indent(const char *line, size_t length, size_t width)
{
    const size_t indent = strspn(line, " ");
    const size_t column = indent > 0 ? item_column(line, length < width / 3 ? length : width / 3, indent) : 0;
    return column > indent ? column : indent + 2;
}

static void break_line(const char *line, size_t length, size_t width, FILE *stream)
{
    const size_t indent = hanging_indent(line, length, width);
    const char *end = line + length;
    size_t column = 0;
    const char *at = line;
    /* The blanks at the beginning, and between words that stand in one line, stay. */
    while (at < end) {
        const size_t blanks = strspn(at, " ");
        const size_t word = strcspn(at + blanks, BLANKS);
        const size_t columns = plain_width(at + blanks, word);
        if (column > indent && column + blanks + columns > width) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else {
            fprintf(stream, "%*s", (int)blanks, "");
            column += blanks;
        }
        fwrite(at + blanks, 1, word, stream);
        column += columns;
        at += blanks + word;
    }
}

void ws_wrap_lines(const char *text, size_t width, FILE *stream)
{
    bool first = true;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const bool heading = first && length > 0 && text[0] != ' ';
        if (heading)
            ws_style_begin(WS_STYLE_HEADING, stream);
        if (width == 0 || plain_width(text, length) <= width)
            fwrite(text, 1, length, stream);
        else
            break_line(text, length, width, stream);
        if (heading)
            ws_style_end(stream);
        if (text[length] == '\n')
            fputc('\n', stream);
        first = length == 0;
    }
}
