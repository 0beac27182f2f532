/* A shader's lines with their figures: from its own source, or from its disassembly. glsl.c does the same
 * from GLSL that SPIRV-Cross makes. Each form finds out which blocks a line belongs to and which begin in it. */
#include "analysis/annotate/annotate.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/simt/lines.h"
#include "passes/spirv/spirv_tools.h"
#include "warpscope/model/names.h"
#include "warpscope/spirv/sites.h"

/* The most blocks that begin in one line and are told; one more says that there are further ones. */
#define BEGINS_MOST 5

static const struct ws_module_record *module_of(const struct ws_annotation *annotation)
{
    const struct ws_catalog *catalog = annotation->catalog;
    return &catalog->modules[catalog->shaders[annotation->shader].module];
}

struct ws_annotate_figures ws_annotate_block(const struct ws_annotation *annotation, uint32_t block)
{
    struct ws_annotate_figures figures = {.code = block != WS_NONE};
    struct ws_simt_histogram histogram;
    if (!figures.code)
        return figures;
    figures.counted = annotation->results != NULL && module_of(annotation)->blocks[block].row != WS_NONE;
    if (figures.counted)
        ws_simt_block(annotation->results, annotation->shader, block, &figures.counts, &histogram);
    return figures;
}

bool ws_annotate_same(const struct ws_annotation *annotation, uint32_t left, uint32_t right)
{
    const struct ws_block_record *blocks = module_of(annotation)->blocks;
    struct ws_simt_counts a, b;
    struct ws_simt_histogram histogram_a, histogram_b;
    if (blocks[left].row == blocks[right].row || annotation->results == NULL)
        return true;
    ws_simt_block(annotation->results, annotation->shader, left, &a, &histogram_a);
    ws_simt_block(annotation->results, annotation->shader, right, &b, &histogram_b);
    if (a.warps != b.warps || a.threads != b.threads || a.active != b.active)
        return false;
    return histogram_a.bins == histogram_b.bins &&
           (histogram_a.bins == 0 || memcmp(histogram_a.counts, histogram_b.counts,
                                            histogram_a.bins * sizeof(*histogram_a.counts)) == 0);
}

/* Keeps, of `count` blocks, those that are counted and whose figures differ from the blocks before them.
 * Keeps at most BEGINS_MOST. Returns how many are kept. */
static uint32_t distinct_blocks(const struct ws_annotation *annotation, uint32_t *blocks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && kept < BEGINS_MOST; ++i) {
        bool known = module_of(annotation)->blocks[blocks[i]].row == WS_NONE;
        for (uint32_t j = 0; j < kept && !known; ++j)
            known = ws_annotate_same(annotation, blocks[j], blocks[i]);
        if (!known)
            blocks[kept++] = blocks[i];
    }
    return kept;
}

/* FROM SOURCE. Debug information gives instructions a file and line. */

/* A block with an instruction on a line. */
struct mark {
    uint32_t file;
    uint32_t line;
    uint32_t block;
    uint32_t order; /* index of its first instruction on the line: blocks are listed in this order */
    bool first;     /* the block begins here: it is its first instruction with a line */
};

struct marks {
    struct mark *marks;
    uint32_t count;
};

/* A line of source with code, and what is shown beside it. A #line directive may repeat a line number; the
 * line is found once. */
struct source_line {
    uint32_t file;
    uint32_t number;
    bool counted;         /* a block of it has a counter */
    uint32_t begin_first; /* in the page's begins: blocks that begin in it */
    uint32_t begin_count;
};

/* The lines of a shader, and the file that is being printed. */
struct page {
    const struct ws_annotation *annotation;
    struct ws_lines *executed;       /* of the module */
    struct ws_simt_counts *of_block; /* of the shader: counts of each block of the module */
    struct source_line *lines;       /* of all files, sorted */
    uint32_t line_count;
    uint32_t *begins;
    uint64_t *costs;   /* thread executions of each line that was executed */
    uint32_t *counted; /* room for the blocks of a line that its figures come from */
    uint32_t file;
    const struct ws_annotate_sink *sink;
    void *user;
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

/* A mark for each block and line in which the block has an instruction, sorted by file and line. */
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

/* Makes a line of the marks, from `first` on, that have its file and number. Returns the first mark of the
 * next line. */
static uint32_t add_line(struct page *page, const struct marks *marks, uint32_t first, uint32_t *begin_count)
{
    const struct mark *marked = &marks->marks[first];
    struct source_line *line = &page->lines[page->line_count++];
    uint32_t *begins = page->begins + *begin_count;
    uint32_t at = first;
    *line = (struct source_line){marked->file, marked->line, false, *begin_count, 0};
    for (; at < marks->count && marks->marks[at].file == line->file && marks->marks[at].line == line->number;
         ++at) {
        const struct mark *mark = &marks->marks[at];
        line->counted = line->counted || module_of(page->annotation)->blocks[mark->block].row != WS_NONE;
        if (mark->first)
            begins[line->begin_count++] = mark->block;
    }
    line->begin_count = distinct_blocks(page->annotation, begins, line->begin_count);
    *begin_count += line->begin_count;
    return at;
}

/* The counts of each block of the module: zeros where the shader does not reach it. NULL when there is no memory. */
static struct ws_simt_counts *count_blocks(const struct ws_annotation *annotation)
{
    const struct ws_entry_record *entry = ws_catalog_entry(annotation->catalog, annotation->shader);
    struct ws_simt_counts *counts = calloc((size_t)module_of(annotation)->block_count + 1, sizeof(*counts));
    struct ws_simt_histogram histogram;
    const uint32_t count = entry != NULL && annotation->results != NULL ? entry->block_count : 0;
    for (uint32_t i = 0; counts != NULL && i < count; ++i)
        ws_simt_block(annotation->results, annotation->shader, entry->blocks[i], &counts[entry->blocks[i]],
                      &histogram);
    return counts;
}

/* How often threads executed each instruction of a block. */
static uint64_t thread_executions(const struct ws_simt_counts *counts)
{
    return ws_simt_sum(counts->active, counts->threads);
}

static void add_costs(struct page *page)
{
    const struct ws_annotation *annotation = page->annotation;
    const struct ws_code *code = annotation->code;
    for (uint32_t i = 0; i < code->module.instruction_count; ++i) {
        const struct ws_source_place *place = &code->places[i];
        const uint32_t block = annotation->block_of[i];
        if (block == WS_NONE || place->file == WS_NONE ||
            !ws_instruction_is_executed(&code->module, &code->module.instructions[i]))
            continue;
        const uint32_t line = ws_lines_find(page->executed, place->file, place->line);
        if (line != WS_NONE)
            page->costs[line] = ws_simt_sum(page->costs[line], thread_executions(&page->of_block[block]));
    }
}

/* Makes the lines of all marks. False when there is no memory. */
static bool find_lines(struct page *page, const struct marks *marks)
{
    uint32_t begin_count = 0;
    page->lines = calloc((size_t)marks->count + 1, sizeof(*page->lines));
    page->begins = calloc((size_t)marks->count + 1, sizeof(*page->begins));
    page->executed = ws_lines_create(page->annotation->code, module_of(page->annotation));
    page->of_block = count_blocks(page->annotation);
    if (page->lines == NULL || page->begins == NULL || page->executed == NULL || page->of_block == NULL)
        return false;
    page->counted = calloc((size_t)page->executed->copy_count + 1, sizeof(*page->counted));
    page->costs = calloc((size_t)page->executed->line_count + 1, sizeof(*page->costs));
    if (page->counted == NULL || page->costs == NULL)
        return false;
    add_costs(page);
    for (uint32_t at = 0; at < marks->count;)
        at = add_line(page, marks, at, &begin_count);
    return true;
}

/* The line of that number in the page's file; NULL if it has no code. */
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

/* The blocks of a line as lines.h has them: all, and those whose counts are its figures. */
static void set_blocks(const struct page *page, uint32_t executed, struct ws_annotate_line *line)
{
    const struct ws_lines *lines = page->executed;
    const struct ws_source_line *of = &lines->lines[executed];
    line->blocks = lines->blocks + lines->copies[of->copy_first].block_first;
    for (uint32_t i = 0; i < of->copy_count; ++i) {
        const struct ws_line_copy *copy = &lines->copies[of->copy_first + i];
        line->block_count += copy->block_count;
        if (copy->block_count > 0)
            page->counted[line->counted_count++] = ws_lines_most(lines, copy, page->of_block);
    }
    line->counted = page->counted;
}

static void take_line(const struct page *page, uint32_t number, const char *text, size_t length)
{
    const struct source_line *known = find_line(page, number);
    struct ws_annotate_line line = {.number = number,
                                    .text = text,
                                    .length = length,
                                    .figures.code = known != NULL,
                                    .instruction = WS_NONE};
    if (known != NULL) {
        const uint32_t executed = ws_lines_find(page->executed, page->file, number);
        line.figures.counted = page->annotation->results != NULL && known->counted && executed != WS_NONE;
        if (line.figures.counted)
            ws_lines_count(page->executed, executed, page->of_block, &line.figures.counts);
        if (executed != WS_NONE)
            set_blocks(page, executed, &line);
        line.has_cost = line.figures.counted;
        line.cost = line.has_cost ? page->costs[executed] : 0;
        line.begins = page->begins + known->begin_first;
        line.begin_count = known->begin_count;
    }
    page->sink->line(page->user, page->annotation, &line);
}

/* Reads "#line N": the line after it has number N. False if `text` is no such directive. */
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

/* glslang writes comments about its options, and "#line 1", before the text that it was given. Returns that
 * text. */
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

static void take_file(const struct page *page)
{
    const struct ws_source_file *file = &page->annotation->code->files[page->file];
    uint32_t number = 1;
    page->sink->file(page->user, page->annotation, page->file);
    for (const char *at = skip_preamble(file->text); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        uint32_t next = 0;
        size_t shown = length > 0 && at[length - 1] == '\r' ? length - 1 : length;
        bool directive = read_line_directive(at, length, &next);
        take_line(page, directive ? 0 : number, at, shown);
        number = directive ? next : number + 1;
        at += length + (at[length] == '\n');
    }
}

/* A file whose text the module does not hold: only the numbers of lines with code. */
static void take_numbers(const struct page *page)
{
    page->sink->file(page->user, page->annotation, page->file);
    for (uint32_t i = 0; i < page->line_count; ++i)
        if (page->lines[i].file == page->file)
            take_line(page, page->lines[i].number, "", 0);
}

/* Every file of the module. For a shader that was not instrumented: nothing says which files are its own. */
static void take_texts(struct page *page)
{
    for (uint32_t i = 0; i < page->annotation->code->file_count; ++i) {
        page->file = i;
        if (page->annotation->code->files[i].text != NULL)
            take_file(page);
    }
}

static void take_files(struct page *page)
{
    for (uint32_t i = 0; i < page->line_count; ++i) {
        if (i > 0 && page->lines[i].file == page->file)
            continue;
        page->file = page->lines[i].file;
        if (page->annotation->code->files[page->file].text != NULL)
            take_file(page);
        else
            take_numbers(page);
    }
}

/* Whether the module holds a text for the marks; without marks, any text. */
static bool has_text(const struct ws_code *code, const struct marks *marks)
{
    bool found = false;
    for (uint32_t i = 0; i < marks->count && !found; ++i)
        found = code->files[marks->marks[i].file].text != NULL;
    for (uint32_t i = 0; i < code->file_count && marks->count == 0 && !found; ++i)
        found = code->files[i].text != NULL;
    return found;
}

static bool annotate_source(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink,
                            void *user, struct ws_error *error)
{
    struct page page = {.annotation = annotation, .sink = sink, .user = user};
    struct marks marks;
    if (!collect(annotation, &marks))
        return ws_error_set(error, "no memory");
    const bool held = has_text(annotation->code, &marks);
    const bool found = held && (marks.count == 0 || find_lines(&page, &marks));
    if (found)
        sink->head(user, annotation);
    if (found && marks.count > 0)
        take_files(&page);
    else if (found)
        take_texts(&page);
    else
        ws_error_set(error, "%s", held ? "no memory" : "the module does not hold its source");
    ws_lines_destroy(page.executed);
    free(page.of_block);
    free(page.counted);
    free(page.costs);
    free(page.lines);
    free(page.begins);
    free(marks.marks);
    return found;
}

/* FROM THE DISASSEMBLY: by SPIRV-Tools, or opcodes and words if they refuse the module. */

/* The line of instruction `index`. A block begins in the line of its OpLabel. */
static void take_instruction(const struct ws_annotation *annotation, uint32_t index, const char *text,
                             size_t length, const struct ws_annotate_sink *sink, void *user)
{
    const uint32_t block = annotation->block_of[index];
    const bool begins = block != WS_NONE && (index == 0 || annotation->block_of[index - 1] != block);
    const struct ws_module *module = &annotation->code->module;
    const struct ws_annotate_figures figures = ws_annotate_block(annotation, block);
    const struct ws_annotate_line line = {
        .text = text,
        .length = length,
        .figures = figures,
        .has_cost = figures.counted && ws_instruction_is_executed(module, &module->instructions[index]),
        .cost = thread_executions(&figures.counts),
        .blocks = &block,
        .block_count = block != WS_NONE,
        .counted = &block,
        .counted_count = block != WS_NONE,
        .begins = &block,
        .begin_count = begins,
        .instruction = index};
    sink->line(user, annotation, &line);
}

/* Reads the byte offset from the comment that ends a line, "; 0x0000012c". False if there is none. */
static bool read_offset(const char *line, size_t length, size_t *text_length, uint32_t *offset)
{
    char digits[9];
    if (length < 12 || memcmp(line + length - 12, "; 0x", 4) != 0)
        return false;
    memcpy(digits, line + length - 8, 8);
    digits[8] = '\0';
    char *end = NULL;
    *offset = (uint32_t)strtoul(digits, &end, 16);
    *text_length = length - 12;
    while (*text_length > 0 && line[*text_length - 1] == ' ')
        --*text_length;
    return *end == '\0';
}

static void take_text(const struct ws_annotation *annotation, const char *text,
                      const struct ws_annotate_sink *sink, void *user)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        size_t shown = length;
        uint32_t offset = 0;
        uint32_t first = 0;
        uint32_t end = 0;
        if (read_offset(at, length, &shown, &offset))
            ws_code_range(annotation->code, offset / 4, 1, &first, &end);
        const struct ws_annotate_line line = {.text = at, .length = length, .instruction = WS_NONE};
        if (first < end)
            take_instruction(annotation, first, at, shown, sink, user);
        else
            sink->line(user, annotation, &line);
        at += length + (at[length] == '\n');
    }
}

static void take_words(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink,
                       void *user)
{
    const struct ws_module *module = &annotation->code->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const char *name = ws_opcode_name(instruction->opcode);
        char text[512];
        size_t used = 0;
        if (name != NULL)
            used = (size_t)snprintf(text, sizeof(text), "%s", name);
        else
            used = (size_t)snprintf(text, sizeof(text), "Op%u", instruction->opcode);
        for (uint32_t j = 1; j < instruction->length && used < sizeof(text) - 16; ++j)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PRIu32,
                                     module->words[instruction->offset + j]);
        take_instruction(annotation, i, text, used, sink, user);
    }
}

static bool annotate_spirv(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink,
                           void *user, struct ws_error *error)
{
    (void)error;
    char *text = ws_spirv_disassemble(annotation->words, annotation->word_count);
    sink->head(user, annotation);
    sink->file(user, annotation, WS_NONE);
    if (text != NULL)
        take_text(annotation, text, sink, user);
    else
        take_words(annotation, sink, user);
    free(text);
    return true;
}

/* Fills annotation->block_of. False when there is no memory. */
static bool map_blocks(struct ws_annotation *annotation)
{
    const struct ws_entry_record *entry = ws_catalog_entry(annotation->catalog, annotation->shader);
    uint32_t count = annotation->code->module.instruction_count;
    annotation->block_of = malloc(((size_t)count + 1) * sizeof(*annotation->block_of));
    if (annotation->block_of == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        annotation->block_of[i] = WS_NONE;
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; ++i) {
        const struct ws_block_info *block = &module_of(annotation)->blocks[entry->blocks[i]].info;
        uint32_t first = 0;
        uint32_t end = 0;
        ws_code_range(annotation->code, block->offset, block->length, &first, &end);
        for (uint32_t j = first; j < end; ++j)
            annotation->block_of[j] = entry->blocks[i];
    }
    return true;
}

static bool take_form(const struct ws_annotation *annotation, enum ws_annotate_form form,
                      const struct ws_annotate_sink *sink, void *user, struct ws_error *error)
{
    switch (form) {
    case WS_ANNOTATE_SOURCE: return annotate_source(annotation, sink, user, error);
    case WS_ANNOTATE_GLSL: return ws_annotate_glsl(annotation, sink, user, error);
    default: return annotate_spirv(annotation, sink, user, error);
    }
}

const char *ws_annotate_form_name(enum ws_annotate_form form)
{
    static const char *const names[] = {"best", "source", "glsl", "spirv"};
    return form <= WS_ANNOTATE_SPIRV ? names[form] : NULL;
}

bool ws_annotate_into(const struct ws_catalog *catalog, const struct ws_simt_results *results,
                      uint32_t shader, const uint32_t *module_words, uint32_t word_count,
                      enum ws_annotate_form form, const struct ws_annotate_sink *sink, void *user,
                      struct ws_error *error)
{
    struct ws_annotation annotation = {.catalog = catalog,
                                       .results = results,
                                       .shader = shader,
                                       .words = module_words,
                                       .word_count = word_count};
    enum ws_annotate_form each = form == WS_ANNOTATE_BEST ? WS_ANNOTATE_SOURCE : form;
    const enum ws_annotate_form last = form == WS_ANNOTATE_BEST ? WS_ANNOTATE_SPIRV : form;
    bool taken = false;
    struct ws_code *code = ws_code_create(module_words, word_count, error);
    annotation.code = code;
    if (code == NULL)
        return false;
    if (!map_blocks(&annotation)) {
        ws_error_set(error, "no memory");
        goto error;
    }
    for (;; ++each) {
        struct ws_error unused = {{0}};
        annotation.form = each;
        taken = take_form(&annotation, each, sink, user, each == last ? error : &unused);
        if (taken || each == last)
            break;
    }
    if (taken)
        sink->end(user, &annotation, each);
error:
    free(annotation.block_of);
    ws_code_destroy(code);
    return taken;
}

bool ws_annotate_has_source(const struct ws_catalog *catalog, uint32_t shader, const struct ws_code *code)
{
    struct ws_annotation annotation = {.catalog = catalog, .shader = shader, .code = code};
    struct marks marks = {NULL, 0};
    const bool found = map_blocks(&annotation) && collect(&annotation, &marks) && has_text(code, &marks);
    free(marks.marks);
    free(annotation.block_of);
    return found;
}
