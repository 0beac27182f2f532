/* The shader's own source, from the module's debug information. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "passes/spirv/sites.h"

/* An instruction of a block on a line. */
struct mark {
    uint32_t file;
    uint32_t line;
    uint32_t block;
    uint32_t order; /* the instruction; blocks are listed by their first on the line */
    bool first;     /* the block's first instruction that has a line */
};

struct marks {
    struct mark *marks;
    uint32_t count;
};

/* A line of source with code, and what is shown of it. Found once, however often `#line` repeats the line. */
struct source_line {
    uint32_t file;
    uint32_t number;
    uint32_t block;       /* the line's numbers are those of this block */
    uint32_t begin_first; /* in the page's begins: blocks that begin in it */
    uint32_t begin_count;
};

/* One file being printed. */
struct page {
    const struct ws_annotation *annotation;
    struct source_line *lines; /* of all files, sorted */
    uint32_t line_count;
    uint32_t *begins;
    uint32_t file;
    FILE *stream;
};

static int compare_marks(const void *left, const void *right)
{
    const struct mark *a = left;
    const struct mark *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Marks of all executed instructions whose place is known, sorted; several of a block on one line are one. */
static bool collect(const struct ws_annotation *annotation, struct marks *marks)
{
    const struct ws_code *code = annotation->code;
    uint32_t last_block = WS_NONE;
    const struct mark *last = NULL;
    marks->count = 0;
    marks->marks = calloc((size_t)code->module.instruction_count + 1, sizeof(*marks->marks));
    if (marks->marks == NULL)
        return false;
    for (uint32_t i = 0; i < code->module.instruction_count; ++i) {
        const struct ws_source_place *place = &code->places[i];
        uint32_t block = annotation->block_of[i];
        if (block == WS_NONE || place->file == WS_NONE ||
            !ws_instruction_is_executed(&code->module, &code->module.instructions[i]))
            continue;
        if (last != NULL && last->block == block && last->file == place->file && last->line == place->line)
            continue;
        struct mark *mark = &marks->marks[marks->count++];
        *mark = (struct mark){place->file, place->line, block, i, block != last_block};
        last = mark;
        last_block = block;
    }
    qsort(marks->marks, marks->count, sizeof(*marks->marks), compare_marks);
    return true;
}

/* Makes one line of the marks from `first` on that lie in it. Returns the mark behind them. A line belongs to
 * the block of it that ran most often: of a loop's head, the condition. */
static uint32_t add_line(struct page *page, const struct marks *marks, uint32_t first, uint32_t *begin_count)
{
    const struct mark *marked = &marks->marks[first];
    struct source_line *line = &page->lines[page->line_count++];
    uint32_t *begins = page->begins + *begin_count;
    uint64_t most = 0;
    uint32_t at = first;
    *line = (struct source_line){marked->file, marked->line, marked->block, *begin_count, 0};
    for (; at < marks->count && marks->marks[at].file == line->file && marks->marks[at].line == line->number;
         ++at) {
        const struct mark *mark = &marks->marks[at];
        uint64_t executions = ws_annotate_executions(page->annotation, mark->block);
        if (executions > most) {
            line->block = mark->block;
            most = executions;
        }
        if (mark->first)
            begins[line->begin_count++] = mark->block;
    }
    line->begin_count = ws_annotate_distinct(page->annotation, begins, line->begin_count);
    *begin_count += line->begin_count;
    return at;
}

/* The lines of all marks. False when there is no memory. */
static bool find_lines(struct page *page, const struct marks *marks)
{
    uint32_t begin_count = 0;
    page->lines = calloc((size_t)marks->count + 1, sizeof(*page->lines));
    page->begins = calloc((size_t)marks->count + 1, sizeof(*page->begins));
    if (page->lines == NULL || page->begins == NULL)
        return false;
    for (uint32_t at = 0; at < marks->count;)
        at = add_line(page, marks, at, &begin_count);
    return true;
}

/* The line of the page's file; NULL where it has no code. */
static const struct source_line *find_line(const struct page *page, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = page->line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct source_line *line = &page->lines[middle];
        if (line->file < page->file || (line->file == page->file && line->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == page->line_count)
        return NULL;
    const struct source_line *line = &page->lines[low];
    return line->file == page->file && line->number == number ? line : NULL;
}

static void print_line(const struct page *page, uint32_t number, const char *text, size_t length)
{
    const struct source_line *line = find_line(page, number);
    if (line == NULL)
        ws_annotate_line(page->annotation, WS_NONE, number, text, length, NULL, 0, page->stream);
    else
        ws_annotate_line(page->annotation, line->block, number, text, length,
                         page->begins + line->begin_first, line->begin_count, page->stream);
}

/* "#line N": the line after it has number N. False where `text` is no such directive. */
static bool read_line_directive(const char *text, size_t length, uint32_t *number)
{
    char copy[64];
    char *end = NULL;
    snprintf(copy, sizeof(copy), "%.*s", (int)(length < sizeof(copy) ? length : sizeof(copy) - 1), text);
    const char *at = copy + strspn(copy, " \t");
    if (*at != '#')
        return false;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "line", 4) != 0 || !isspace((unsigned char)at[4]))
        return false;
    unsigned long value = strtoul(at + 4, &end, 10);
    *number = (uint32_t)value;
    return end != at + 4;
}

/* glslang puts comments about its options and "#line 1" before the text that it was given. */
static const char *skip_preamble(const char *text)
{
    static const char processed[] = "// OpModuleProcessed";
    static const char first_line[] = "#line 1\n";
    const char *at = text;
    while (strncmp(at, processed, sizeof(processed) - 1) == 0) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return strncmp(at, first_line, sizeof(first_line) - 1) == 0 ? at + sizeof(first_line) - 1 : text;
}

static void print_file(const struct page *page)
{
    const struct ws_source_file *file = &page->annotation->code->files[page->file];
    uint32_t number = 1;
    fputs("\nfile ", page->stream);
    ws_text_print(page->stream, file->name);
    fputc('\n', page->stream);
    for (const char *at = skip_preamble(file->text); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        uint32_t next = 0;
        size_t shown = length > 0 && at[length - 1] == '\r' ? length - 1 : length;
        bool directive = read_line_directive(at, length, &next);
        print_line(page, directive ? 0 : number, at, shown);
        number = directive ? next : number + 1;
        at += length + (at[length] == '\n');
    }
}

/* A file of which no text is there: only the lines that have code. */
static void print_numbers(const struct page *page)
{
    fputs("\nfile ", page->stream);
    ws_text_print(page->stream, page->annotation->code->files[page->file].name);
    fputs(" (the module does not hold its text)\n", page->stream);
    for (uint32_t i = 0; i < page->line_count; ++i)
        if (page->lines[i].file == page->file)
            print_line(page, page->lines[i].number, "", 0);
}

/* Of a shader that was not instrumented: every file, since nothing says which are its own. */
static bool print_texts(struct page *page)
{
    bool found = false;
    for (uint32_t i = 0; i < page->annotation->code->file_count; ++i) {
        page->file = i;
        if (page->annotation->code->files[i].text == NULL)
            continue;
        print_file(page);
        found = true;
    }
    return found;
}

static void print_files(struct page *page)
{
    for (uint32_t i = 0; i < page->line_count; ++i) {
        if (i > 0 && page->lines[i].file == page->file)
            continue;
        page->file = page->lines[i].file;
        if (page->annotation->code->files[page->file].text != NULL)
            print_file(page);
        else
            print_numbers(page);
    }
}

bool ws_annotate_source(const struct ws_annotation *annotation, FILE *stream, struct ws_error *error)
{
    const struct ws_code *code = annotation->code;
    struct page page = {.annotation = annotation, .stream = stream};
    struct marks marks;
    bool has_text = false;
    if (!collect(annotation, &marks))
        return ws_error_set(error, "no memory");
    for (uint32_t i = 0; i < marks.count && !has_text; ++i)
        has_text = code->files[marks.marks[i].file].text != NULL;
    bool found = has_text && find_lines(&page, &marks);
    if (found)
        print_files(&page);
    else if (marks.count == 0)
        found = print_texts(&page);
    if (!found)
        ws_error_set(error, "%s", has_text ? "no memory" : "the module does not hold its source");
    free(page.lines);
    free(page.begins);
    free(marks.marks);
    return found;
}
