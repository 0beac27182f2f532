#include "analysis/output/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/array.h"
#include "passes/base/text.h"

void ws_table_init(struct ws_table *table, const struct ws_column *columns, uint32_t column_count)
{
    *table = (struct ws_table){.columns = columns, .column_count = column_count};
}

void ws_table_finish(struct ws_table *table)
{
    for (uint32_t i = 0; i < table->cell_count; ++i)
        free(table->cells[i]);
    free(table->cells);
    memset(table, 0, sizeof(*table));
}

void ws_table_add(struct ws_table *table, const char *format, ...)
{
    char *cell = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&cell, format, arguments);
    va_end(arguments);
    char **cells = ws_array_grow(table->cells, &table->cell_capacity, table->cell_count + 1, sizeof(*cells));
    if (cells != NULL)
        table->cells = cells;
    if (length < 0 || cells == NULL) {
        if (length >= 0)
            free(cell);
        table->failed = true;
        return;
    }
    cells[table->cell_count++] = cell;
}

/* The first line of a heading, "" where it has one only; `*second` gets the last. */
static const char *split_heading(const char *heading, const char **second,
                                 char first[WS_TABLE_TEXT_LEAST * 2])
{
    const char *end = strchr(heading, '\n');
    first[0] = '\0';
    *second = end != NULL ? end + 1 : heading;
    if (end != NULL)
        snprintf(first, (size_t)WS_TABLE_TEXT_LEAST * 2, "%.*s", (int)(end - heading), heading);
    return first;
}

static size_t heading_width(const char *heading)
{
    char first[WS_TABLE_TEXT_LEAST * 2];
    const char *second = NULL;
    size_t above = strlen(split_heading(heading, &second, first));
    return above > strlen(second) ? above : strlen(second);
}

/* Width of a column, 0 where all its cells are empty. */
static size_t width_of(const struct ws_table *table, uint32_t column)
{
    size_t width = 0;
    for (uint32_t i = column; i < table->cell_count; i += table->column_count) {
        size_t cell = ws_text_width(table->cells[i]);
        width = cell > width ? cell : width;
    }
    size_t heading = heading_width(table->columns[column].heading);
    return width > 0 && heading > width ? heading : width;
}

/* Narrows columns of text, the widest first, until a line is at most `width` wide. Numbers are never cut.
 * False where that cannot be. */
static bool narrow(const struct ws_table *table, uint32_t indent, size_t width, size_t *widths)
{
    for (;;) {
        size_t whole = indent;
        uint32_t widest = table->column_count;
        for (uint32_t i = 0; i < table->column_count; ++i) {
            size_t least = heading_width(table->columns[i].heading);
            whole += widths[i] > 0 ? widths[i] + (whole > indent ? 2 : 0) : 0;
            least = least > WS_TABLE_TEXT_LEAST ? least : WS_TABLE_TEXT_LEAST;
            if (!table->columns[i].number && widths[i] > least &&
                (widest == table->column_count || widths[i] > widths[widest]))
                widest = i;
        }
        if (whole <= width)
            return true;
        if (widest == table->column_count)
            return false;
        widths[widest]--;
    }
}

/* Narrows to WS_TABLE_WIDTH, or where that cannot be to WS_TABLE_WIDEST, so that no text is cut in vain. */
static void fit(const struct ws_table *table, uint32_t indent, size_t widths[WS_TABLE_COLUMNS])
{
    size_t narrowed[WS_TABLE_COLUMNS];
    memcpy(narrowed, widths, sizeof(narrowed));
    if (!narrow(table, indent, WS_TABLE_WIDTH, narrowed)) {
        memcpy(narrowed, widths, sizeof(narrowed));
        narrow(table, indent, WS_TABLE_WIDEST, narrowed);
    }
    memcpy(widths, narrowed, sizeof(narrowed));
}

/* Bytes of `text` that take at most `width` columns. */
static size_t cut_length(const char *text, size_t width)
{
    size_t used = 0;
    size_t length = 0;
    while (text[length] != '\0') {
        size_t control = ws_text_control_length(text + length);
        size_t next = length + (control > 0 ? control : 1);
        while (control == 0 && ((unsigned char)text[next] & 0xc0) == 0x80)
            ++next;
        used += control > 0 ? ws_text_control_width(text + length) : 1;
        if (used > width)
            break;
        length = next;
    }
    return length;
}

static void print_cell(const char *text, size_t width, bool right, bool last, FILE *stream)
{
    size_t length = ws_text_width(text);
    int padding = (int)(width > length ? width - length : 0);
    if (right)
        fprintf(stream, "%*s", padding, "");
    if (length > width) {
        ws_text_print_part(stream, text, cut_length(text, width - 1));
        fputs("…", stream);
    } else {
        ws_text_print(stream, text);
    }
    if (!right && !last)
        fprintf(stream, "%*s", padding, "");
}

/* Prints a row: of cells, or without them the first (0) or last line of the headings. */
static void print_row(const struct ws_table *table, const size_t *widths, uint32_t last, uint32_t indent,
                      char *const *cells, int line, FILE *stream)
{
    const char *separator = "";
    fprintf(stream, "%*s", (int)indent, "");
    for (uint32_t i = 0; i < table->column_count; ++i) {
        if (widths[i] == 0)
            continue;
        char first[WS_TABLE_TEXT_LEAST * 2];
        const char *second = NULL;
        const char *above = split_heading(table->columns[i].heading, &second, first);
        const char *text = cells != NULL ? cells[i] : line == 0 ? above : second;
        if (i == last && text[0] == '\0')
            break;
        fputs(separator, stream);
        print_cell(text, widths[i], table->columns[i].number, i == last, stream);
        separator = "  ";
    }
    fputc('\n', stream);
}

void ws_table_print(const struct ws_table *table, uint32_t indent, FILE *stream)
{
    size_t widths[WS_TABLE_COLUMNS] = {0};
    uint32_t last = 0;
    bool two_lines = false;
    for (uint32_t i = 0; i < table->column_count; ++i) {
        widths[i] = width_of(table, i);
        if (widths[i] == 0)
            continue;
        last = i;
        two_lines = two_lines || strchr(table->columns[i].heading, '\n') != NULL;
    }
    fit(table, indent, widths);
    if (two_lines)
        print_row(table, widths, last, indent, NULL, 0, stream);
    print_row(table, widths, last, indent, NULL, 1, stream);
    for (uint32_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
        print_row(table, widths, last, indent, &table->cells[i], 0, stream);
}

void ws_csv_text(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        ws_text_print(stream, text);
        return;
    }
    fputc('"', stream);
    while (*text != '\0') {
        size_t length = strcspn(text, "\"");
        ws_text_print_part(stream, text, length);
        text += length;
        if (*text == '"') {
            fputs("\"\"", stream);
            ++text;
        }
    }
    fputc('"', stream);
}
