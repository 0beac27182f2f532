#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "text.h"

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
    char **cells = ws_grow(table->cells, table->cell_count, &table->cell_capacity, sizeof(*cells));
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

/* Width of a column, 0 where all its cells are empty. */
static size_t width_of(const struct ws_table *table, uint32_t column)
{
    size_t width = 0;
    for (uint32_t i = column; i < table->cell_count; i += table->column_count) {
        size_t cell = ws_text_width(table->cells[i]);
        width = cell > width ? cell : width;
    }
    size_t heading = strlen(table->columns[column].heading);
    return width > 0 && heading > width ? heading : width;
}

static void print_cell(const char *text, size_t width, bool right, bool last, FILE *stream)
{
    size_t length = ws_text_width(text);
    int padding = (int)(width > length ? width - length : 0);
    if (right)
        fprintf(stream, "%*s", padding, "");
    ws_text_print(stream, text);
    if (!right && !last)
        fprintf(stream, "%*s", padding, "");
}

static void print_row(const struct ws_table *table, const size_t *widths, uint32_t last, uint32_t indent,
                      char *const *cells, FILE *stream)
{
    const char *separator = "";
    fprintf(stream, "%*s", (int)indent, "");
    for (uint32_t i = 0; i < table->column_count; ++i) {
        if (widths[i] == 0)
            continue;
        const char *text = cells != NULL ? cells[i] : table->columns[i].heading;
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
    size_t widths[16] = {0};
    uint32_t last = 0;
    for (uint32_t i = 0; i < table->column_count && i < 16; ++i) {
        widths[i] = width_of(table, i);
        if (widths[i] > 0)
            last = i;
    }
    print_row(table, widths, last, indent, NULL, stream);
    for (uint32_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
        print_row(table, widths, last, indent, &table->cells[i], stream);
}
