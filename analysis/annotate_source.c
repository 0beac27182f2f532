/* The shader's own source, from the module's debug information. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "passes/sites.h"

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

/* One file being printed. */
struct page {
    const struct ws_annotation *annotation;
    const struct marks *marks;
    uint32_t file;
    uint32_t *begins; /* room for as many as there are marks */
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

/* The first mark of a line; marks->count where there is none. */
static uint32_t find(const struct marks *marks, uint32_t file, uint32_t line)
{
    uint32_t low = 0;
    uint32_t high = marks->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct mark *mark = &marks->marks[middle];
        if (mark->file < file || (mark->file == file && mark->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    return low < marks->count && marks->marks[low].file == file && marks->marks[low].line == line
               ? low
               : marks->count;
}

/* A line belongs to the block of it that ran most often: of a loop's head, the condition. */
static void print_line(const struct page *page, uint32_t number, const char *text, size_t length)
{
    uint32_t begin_count = 0;
    uint32_t block = WS_NONE;
    uint64_t most = 0;
    for (uint32_t i = find(page->marks, page->file, number); i < page->marks->count; ++i) {
        const struct mark *mark = &page->marks->marks[i];
        if (mark->file != page->file || mark->line != number)
            break;
        uint64_t executions = ws_annotate_executions(page->annotation, mark->block);
        if (block == WS_NONE || executions > most) {
            block = mark->block;
            most = executions;
        }
        if (mark->first)
            page->begins[begin_count++] = mark->block;
    }
    ws_annotate_line(page->annotation, block, number, text, length, page->begins, begin_count, page->stream);
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

/* A file of which no text is there: only the lines that ran. */
static void print_numbers(const struct page *page)
{
    uint32_t last = 0;
    fputs("\nfile ", page->stream);
    ws_text_print(page->stream, page->annotation->code->files[page->file].name);
    fputs(" (the module does not hold its text)\n", page->stream);
    for (uint32_t i = 0; i < page->marks->count; ++i) {
        const struct mark *mark = &page->marks->marks[i];
        if (mark->file == page->file && mark->line != last)
            print_line(page, mark->line, "", 0);
        last = mark->file == page->file ? mark->line : last;
    }
}

bool ws_annotate_source(const struct ws_annotation *annotation, FILE *stream, struct ws_error *error)
{
    const struct ws_code *code = annotation->code;
    struct marks marks;
    bool printed = false;
    if (!collect(annotation, &marks))
        return ws_error_set(error, "no memory");
    struct page page = {annotation, &marks, 0, NULL, stream};
    bool has_text = false;
    for (uint32_t i = 0; i < marks.count && !has_text; ++i)
        has_text = code->files[marks.marks[i].file].text != NULL;
    page.begins = calloc((size_t)marks.count + 1, sizeof(*page.begins));
    if (!has_text)
        ws_error_set(error, "the module does not hold its source");
    for (uint32_t i = 0; has_text && page.begins != NULL && i < marks.count; ++i) {
        if (i > 0 && marks.marks[i].file == page.file)
            continue;
        page.file = marks.marks[i].file;
        if (code->files[page.file].text != NULL)
            print_file(&page);
        else
            print_numbers(&page);
        printed = true;
    }
    free(page.begins);
    free(marks.marks);
    return printed;
}
