#include "warpscope/output/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/output/style.h"

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
                                 char first[4 * WS_TABLE_TEXT_LEAST])
{
    const char *end = strchr(heading, '\n');
    first[0] = '\0';
    *second = end != NULL ? end + 1 : heading;
    if (end != NULL)
        snprintf(first, 4 * (size_t)WS_TABLE_TEXT_LEAST, "%.*s", (int)(end - heading), heading);
    return first;
}

static size_t heading_width(const char *heading)
{
    char first[4 * WS_TABLE_TEXT_LEAST];
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

#define SPLITS 16 /* how many places are tried to cut a text at; even */

/* What all cells of a column are that are not empty. */
enum content {
    CONTENT_TEXTS,
    CONTENT_BARS,  /* "####": compared by their lengths, so they are made shorter together */
    CONTENT_LISTS, /* "8:120 7:3 +2": of figures, of which some are left out whole */
};

/* How the cells of a column are cut: so many terminal columns of their beginning, an ellipsis, and so many of their
 * end. A cell that is no wider than the three stays whole. */
struct cut {
    size_t head;
    size_t tail;
    enum content content;
    size_t whole; /* of bars and lists: the width that the column would need; it has `head` */
};

/* The width of lines; 0 = as wide as they need. */
static size_t line_width = 0;

void ws_table_set_width(size_t width)
{
    line_width = width;
}

size_t ws_table_width(void)
{
    return line_width;
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

/* Bytes of the character at the beginning of `text`, and in `*columns` what it takes on the terminal. */
static size_t character_length(const char *text, size_t *columns)
{
    const size_t control = ws_text_control_length(text);
    size_t length = control > 0 ? control : 1;
    *columns = control > 0 ? 4 : 1;
    while (control == 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        ++length;
    return length;
}

/* Bytes of `text` that take at most `width` columns. */
static size_t head_length(const char *text, size_t width)
{
    size_t length = 0;
    size_t columns = 0;
    for (size_t used = 0; text[length] != '\0';) {
        const size_t next = character_length(text + length, &columns);
        used += columns;
        if (used > width)
            break;
        length += next;
    }
    return length;
}

/* The end of `text` that takes at most `width` columns. */
static const char *tail_of(const char *text, size_t width)
{
    size_t columns = 0;
    for (size_t left = ws_text_width(text); left > width; left -= columns)
        text += character_length(text, &columns);
    return text;
}

static bool is_bar(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "#")] == '\0';
}

static bool is_list(const char *text)
{
    return strchr(text, ':') != NULL && text[strspn(text, "0123456789:+ ")] == '\0';
}

static enum content content_of(const struct ws_table *table, uint32_t column)
{
    bool bars = true;
    bool lists = true;
    for (uint32_t i = column; i < table->cell_count; i += table->column_count) {
        bars = bars && (table->cells[i][0] == '\0' || is_bar(table->cells[i]));
        lists = lists && (table->cells[i][0] == '\0' || is_list(table->cells[i]));
    }
    return bars ? CONTENT_BARS : lists ? CONTENT_LISTS : CONTENT_TEXTS;
}

/* Bytes of a bar in a column of `width` that would need `whole`. */
static size_t bar_length(const char *bar, size_t width, size_t whole)
{
    const size_t length = (strlen(bar) * width + whole / 2) / whole;
    return length > 0 ? length : 1;
}

/* Bytes of the first entries of a list, as many as fit, but at least one, and in `*more` how many are left out. */
static size_t list_length(const char *list, size_t width, uint64_t *more)
{
    const char *plus = strchr(list, '+');
    uint64_t rest = plus != NULL ? strtoull(plus + 1, NULL, 10) : 0;
    size_t kept = 0;
    for (const char *at = list; *at != '\0' && *at != '+'; at += strspn(at, " ")) {
        at += strcspn(at, " ");
        ++rest;
    }
    for (const char *at = list; *at != '\0' && *at != '+'; at += strspn(at, " ")) {
        at += strcspn(at, " ");
        --rest;
        const size_t length = (size_t)(at - list);
        const int mark = rest > 0 ? snprintf(NULL, 0, " +%" PRIu64, rest) : 0;
        if (kept > 0 && length + (size_t)mark > width)
            break;
        kept = length;
        *more = rest;
    }
    return kept;
}

static bool is_cut(const char *text, struct cut cut)
{
    return ws_text_width(text) > cut.head + 1 + cut.tail;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts texts, and removes those that are there already. */
static uint32_t make_unique(char **texts, uint32_t count)
{
    uint32_t unique = 0;
    qsort(texts, count, sizeof(*texts), compare_texts);
    for (uint32_t i = 0; i < count; ++i)
        if (i == 0 || strcmp(texts[i], texts[unique - 1]) != 0)
            texts[unique++] = texts[i];
    return unique;
}

static char *cut_text(const char *text, struct cut cut)
{
    char *shown = NULL;
    if (!is_cut(text, cut))
        return strdup(text);
    const int length =
        asprintf(&shown, "%.*s…%s", (int)head_length(text, cut.head), text, tail_of(text, cut.tail));
    return length >= 0 ? shown : NULL;
}

/* Whether different texts stay different when they are cut. Also false when there is no memory. */
static bool stay_different(char *const *texts, uint32_t count, struct cut cut)
{
    char **shown = calloc((size_t)count + 1, sizeof(*shown));
    uint32_t made = 0;
    while (shown != NULL && made < count && (shown[made] = cut_text(texts[made], cut)) != NULL)
        ++made;
    bool different = shown != NULL && made == count;
    if (different)
        qsort(shown, count, sizeof(*shown), compare_texts);
    for (uint32_t i = 1; i < made && different; ++i)
        different = strcmp(shown[i], shown[i - 1]) != 0;
    while (made > 0)
        free(shown[--made]);
    free(shown);
    return different;
}

/* Chooses how to cut texts to `*width`: in the middle where that keeps different texts different, else nearer to an
 * end, and where none does, later. Then the column becomes wider. */
static struct cut choose_cut(char *const *texts, uint32_t count, size_t *width, size_t whole)
{
    for (; *width < whole; *width += 4 + *width / 4) {
        const size_t kept = *width - 1;
        for (size_t i = 0; i <= SPLITS; ++i) {
            /* The middle, then in turn a step more to the end and to the beginning. */
            const size_t step = (i + 1) / 2;
            const size_t tail = kept * (i % 2 != 0 ? SPLITS / 2 + step : SPLITS / 2 - step) / SPLITS;
            const struct cut cut = {.head = kept - tail, .tail = tail};
            if (stay_different(texts, count, cut))
                return cut;
        }
    }
    *width = whole;
    return (struct cut){.head = whole / 2, .tail = (whole - 1) / 2};
}

/* Chooses the cut of a column that is narrower than its texts. */
static struct cut cut_column(const struct ws_table *table, uint32_t column, size_t *width, size_t whole)
{
    const uint32_t rows = table->cell_count / table->column_count;
    const enum content content = content_of(table, column);
    if (content != CONTENT_TEXTS)
        return (struct cut){.head = *width, .content = content, .whole = whole};
    char **texts = malloc((size_t)rows * sizeof(*texts) + 1);
    if (texts == NULL) {
        *width = whole;
        return (struct cut){.head = whole / 2, .tail = (whole - 1) / 2};
    }
    for (uint32_t i = 0; i < rows; ++i)
        texts[i] = table->cells[i * table->column_count + column];
    const struct cut cut = choose_cut(texts, make_unique(texts, rows), width, whole);
    free(texts);
    return cut;
}

/* How a table is printed. */
struct layout {
    size_t widths[WS_TABLE_COLUMNS]; /* of columns; 0 = it is left out */
    struct cut cuts[WS_TABLE_COLUMNS];
    /* Of a table that is too wide, rows take several lines, and headings too: whether the column begins a further
     * line. */
    bool begins_line[WS_TABLE_COLUMNS];
    bool folded;
};

#define FOLD_INDENT 4  /* of the further lines of a row */
#define FOLD_TEXT   32 /* the most of a text there */

/* Columns of the line until the column before `end`. */
static size_t line_end(const struct layout *layout, uint32_t end, size_t indent)
{
    size_t width = indent;
    bool first = true;
    for (uint32_t i = 0; i < end; ++i) {
        if (layout->widths[i] == 0)
            continue;
        width = layout->begins_line[i] ? indent + FOLD_INDENT : width + (first ? 0 : 2);
        width += layout->widths[i];
        first = false;
    }
    return width;
}

static void cut_columns(const struct ws_table *table, const size_t *narrowed, struct layout *layout)
{
    for (uint32_t i = 0; i < table->column_count; ++i)
        if (narrowed[i] < layout->widths[i]) {
            size_t width = narrowed[i];
            layout->cuts[i] = cut_column(table, i, &width, layout->widths[i]);
            layout->widths[i] = width;
        }
}

/* Breaks rows into several lines. */
static void fold(const struct ws_table *table, uint32_t indent, struct layout *layout)
{
    size_t narrowed[WS_TABLE_COLUMNS];
    const size_t room = line_width > indent + FOLD_INDENT ? line_width - indent - FOLD_INDENT : 0;
    const size_t most = room > FOLD_TEXT             ? FOLD_TEXT
                        : room > WS_TABLE_TEXT_LEAST ? room
                                                     : WS_TABLE_TEXT_LEAST;
    memcpy(narrowed, layout->widths, sizeof(narrowed));
    for (uint32_t i = 0; i < table->column_count; ++i)
        if (!table->columns[i].number && narrowed[i] > most)
            narrowed[i] = most;
    cut_columns(table, narrowed, layout);
    layout->folded = true;
    for (uint32_t i = 0; i < table->column_count; ++i) {
        const size_t heading = strlen(table->columns[i].heading);
        if (layout->widths[i] > 0 && layout->widths[i] < heading)
            layout->widths[i] = heading; /* those of two lines have one here */
    }
    for (uint32_t i = 1; i < table->column_count; ++i)
        layout->begins_line[i] = layout->widths[i] > 0 && line_end(layout, i, indent) > indent &&
                                 line_end(layout, i + 1, indent) > line_width;
}

/* Narrows columns where that makes lines fit, and folds rows where it does not. */
static void fit(const struct ws_table *table, uint32_t indent, struct layout *layout)
{
    size_t narrowed[WS_TABLE_COLUMNS];
    for (uint32_t i = 0; i < table->column_count; ++i) {
        if (layout->widths[i] > WS_TABLE_TEXT_MOST)
            layout->widths[i] = WS_TABLE_TEXT_MOST;
        layout->cuts[i] = (struct cut){.head = layout->widths[i] / 2, .tail = (layout->widths[i] - 1) / 2};
    }
    const struct layout whole = *layout;
    memcpy(narrowed, layout->widths, sizeof(narrowed));
    if (line_width == 0)
        return;
    if (narrow(table, indent, line_width, narrowed))
        cut_columns(table, narrowed, layout);
    if (line_end(layout, table->column_count, indent) <= line_width)
        return;
    *layout = whole;
    fold(table, indent, layout);
}

/* Prints a bar or list as its column has room for it. Returns its width. */
static size_t print_shortened(const char *text, struct cut cut, FILE *stream)
{
    uint64_t more = 0;
    const size_t length = cut.content == CONTENT_BARS ? bar_length(text, cut.head, cut.whole)
                                                      : list_length(text, cut.head, &more);
    ws_text_print_part(stream, text, length);
    return length + (size_t)(more > 0 ? fprintf(stream, " +%" PRIu64, more) : 0);
}

static void print_cell(const char *text, struct cut cut, size_t width, bool right, bool last, FILE *stream)
{
    if ((cut.content == CONTENT_BARS && is_bar(text)) || (cut.content == CONTENT_LISTS && is_list(text))) {
        ws_style_begin(WS_STYLE_BAR, stream);
        const size_t shown = print_shortened(text, cut, stream);
        ws_style_end(stream);
        if (!last && shown < width)
            fprintf(stream, "%*s", (int)(width - shown), "");
        return;
    }
    const size_t length = ws_text_width(text);
    const int padding = (int)(width > length ? width - length : 0);
    if (right)
        fprintf(stream, "%*s", padding, "");
    if (cut.content == CONTENT_TEXTS && is_cut(text, cut)) {
        const char *tail = tail_of(text, cut.tail);
        ws_text_print_part(stream, text, head_length(text, cut.head));
        fputs("…", stream);
        ws_text_print(stream, tail);
    } else {
        if (is_bar(text))
            ws_style_begin(WS_STYLE_BAR, stream);
        ws_text_print(stream, text);
        if (is_bar(text))
            ws_style_end(stream);
    }
    if (!right && !last)
        fprintf(stream, "%*s", padding, "");
}

/* The last column of the line in which column `i` stands. */
static bool ends_line(const struct ws_table *table, const struct layout *layout, uint32_t i)
{
    for (++i; i < table->column_count && layout->widths[i] == 0;)
        ++i;
    return i == table->column_count || layout->begins_line[i];
}

/* A heading of two lines as one. */
static void join_heading(const char *heading, char joined[4 * WS_TABLE_TEXT_LEAST])
{
    snprintf(joined, 4 * (size_t)WS_TABLE_TEXT_LEAST, "%s", heading);
    for (char *end; (end = strchr(joined, '\n')) != NULL;)
        *end = ' ';
}

enum { HEADING_ABOVE, HEADING_LAST };

/* The next column of a row to print: `i`, or where that begins further lines of empty cells only, the one behind these
 * lines. Such a line would look like the end of the table. */
static uint32_t skip_empty_lines(const struct ws_table *table, const struct layout *layout,
                                 char *const *cells, uint32_t i)
{
    uint32_t end = i;
    if (cells == NULL || i == table->column_count || !layout->begins_line[i])
        return i;
    for (bool first = true; end < table->column_count && (first || !layout->begins_line[end]); ++end) {
        if (layout->widths[end] > 0 && cells[end][0] != '\0')
            return i;
        first = false;
    }
    return end < table->column_count ? skip_empty_lines(table, layout, cells, end) : end;
}

/* Prints a row: of cells, or without them that line of the headings. */
static void print_row(const struct ws_table *table, const struct layout *layout, uint32_t indent,
                      char *const *cells, int line, FILE *stream)
{
    const char *separator = "";
    fprintf(stream, "%*s", (int)indent, "");
    for (uint32_t i = 0; (i = skip_empty_lines(table, layout, cells, i)) < table->column_count; ++i) {
        char first[4 * WS_TABLE_TEXT_LEAST];
        const char *second = NULL;
        const bool last = ends_line(table, layout, i);
        if (layout->widths[i] == 0)
            continue;
        const char *text = split_heading(table->columns[i].heading, &second, first);
        if (cells != NULL)
            text = cells[i];
        else if (line == HEADING_LAST)
            text = second;
        if (cells == NULL && layout->folded) {
            join_heading(table->columns[i].heading, first);
            text = first;
        }
        if (layout->begins_line[i]) {
            fprintf(stream, "\n%*s", (int)indent + FOLD_INDENT, "");
            separator = "";
        }
        if (last && text[0] == '\0')
            continue;
        fputs(separator, stream);
        if (cells == NULL)
            ws_style_begin(WS_STYLE_COLUMN, stream);
        /* Headings are never cut. */
        const struct cut cut = cells != NULL ? layout->cuts[i] : (struct cut){.head = layout->widths[i]};
        print_cell(text, cut, layout->widths[i], table->columns[i].number, last, stream);
        if (cells == NULL)
            ws_style_end(stream);
        separator = "  ";
    }
    fputc('\n', stream);
}

void ws_table_print(const struct ws_table *table, uint32_t indent, FILE *stream)
{
    struct layout layout = {.folded = false};
    bool two_lines = false;
    for (uint32_t i = 0; i < table->column_count; ++i) {
        layout.widths[i] = width_of(table, i);
        two_lines = two_lines || (layout.widths[i] > 0 && strchr(table->columns[i].heading, '\n') != NULL);
    }
    fit(table, indent, &layout);
    if (two_lines && !layout.folded)
        print_row(table, &layout, indent, NULL, HEADING_ABOVE, stream);
    print_row(table, &layout, indent, NULL, HEADING_LAST, stream);
    for (uint32_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
        print_row(table, &layout, indent, &table->cells[i], HEADING_LAST, stream);
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
