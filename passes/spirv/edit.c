#include "passes/spirv/edit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"

#define HEADER_WORDS 5

/* The three places around an instruction where edits hang. */
enum place { PLACE_BEFORE, PLACE_INSTEAD, PLACE_AFTER, PLACE_COUNT };

/* A run of words in the pool; runs of one place are linked in the order of their making. */
struct run {
    uint32_t start;
    uint32_t count;
    uint32_t next; /* index in runs, 0 = last: run 0 is never used */
};

struct list {
    uint32_t first; /* index in runs, 0 = empty */
    uint32_t last;
};

struct ws_edit_table {
    struct list *lists; /* PLACE_COUNT per instruction */
    struct run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    struct ws_words pool;
};

struct ws_editor *ws_editor_create(const struct ws_module *module)
{
    struct ws_editor *editor = ws_arena_allocate(module->arena, 1, sizeof(*editor));
    if (editor == NULL)
        return NULL;
    editor->module = module;
    editor->arena = module->arena;
    editor->version = module->version;
    editor->bound = module->bound;
    editor->table = ws_arena_allocate(editor->arena, 1, sizeof(*editor->table));
    if (editor->table == NULL)
        return NULL;
    editor->table->run_count = 1;
    editor->table->lists = ws_arena_allocate(editor->arena, (size_t)module->instruction_count * PLACE_COUNT,
                                             sizeof(*editor->table->lists));
    return editor->table->lists == NULL ? NULL : editor;
}

bool ws_editor_fail(struct ws_editor *editor, const char *format, ...)
{
    if (!editor->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(editor->error.message, sizeof(editor->error.message), format, arguments);
        va_end(arguments);
    }
    editor->failed = true;
    return false;
}

uint32_t ws_editor_ids(struct ws_editor *editor, uint32_t count)
{
    if (editor->failed)
        return 0;
    if (editor->bound > WS_BOUND_MAX || count > WS_BOUND_MAX - editor->bound) {
        ws_editor_fail(editor, "no id is left: the bound may be %u at most", WS_BOUND_MAX);
        return 0;
    }
    editor->bound += count;
    return editor->bound - count;
}

uint32_t ws_editor_id(struct ws_editor *editor)
{
    return ws_editor_ids(editor, 1);
}

void ws_editor_raise_version(struct ws_editor *editor, uint32_t version)
{
    if (editor->version < version)
        editor->version = version;
}

uint32_t *ws_words_extend(struct ws_editor *editor, struct ws_words *words, uint32_t count)
{
    if (editor->failed)
        return NULL;
    if (count > words->capacity - words->count) {
        const uint64_t wanted = (uint64_t)words->count + count;
        const uint64_t capacity = wanted * 2 < 64 ? 64 : wanted * 2;
        uint32_t *data =
            capacity <= UINT32_MAX ? ws_arena_allocate_raw(editor->arena, capacity, sizeof(*data)) : NULL;
        if (data == NULL) {
            ws_editor_fail(editor, "no memory for %" PRIu64 " words of a module", capacity);
            return NULL;
        }
        if (words->count != 0)
            memcpy(data, words->data, (size_t)words->count * sizeof(*data));
        words->data = data;
        words->capacity = (uint32_t)capacity;
    }
    uint32_t *end = words->data + words->count;
    words->count += count;
    return end;
}

void ws_words_add(struct ws_editor *editor, struct ws_words *words, uint32_t word)
{
    uint32_t *end = ws_words_extend(editor, words, 1);
    if (end != NULL)
        *end = word;
}

void ws_words_add_string(struct ws_editor *editor, struct ws_words *words, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i <= length; i += 4) { /* at least one byte of the last word is NUL */
        uint32_t word = 0;
        for (size_t j = i; j < i + 4 && j < length; j++)
            word |= (uint32_t)(unsigned char)text[j] << (j - i) * 8;
        ws_words_add(editor, words, word);
    }
}

/* Adds one whole instruction to the array; false when the editor has failed. */
static bool add_instruction(struct ws_editor *editor, struct ws_words *words, uint16_t opcode,
                            const uint32_t *operands, uint32_t count)
{
    if (count >= 0xffff) {
        return ws_editor_fail(editor, "an instruction of %" PRIu32 " words is longer than SPIR-V allows",
                              count + 1);
    }
    uint32_t *end = ws_words_extend(editor, words, count + 1);
    if (end == NULL)
        return false;
    end[0] = (count + 1) << SpvWordCountShift | opcode;
    if (count != 0)
        memcpy(end + 1, operands, (size_t)count * sizeof(*operands));
    return true;
}

void ws_editor_append(struct ws_editor *editor, enum ws_section section, uint16_t opcode,
                      const uint32_t *operands, uint32_t count)
{
    add_instruction(editor, &editor->sections[section], opcode, operands, count);
}

/* A new run at the end of the pool; 0, and the editor failed, without memory. */
static uint32_t add_run(struct ws_editor *editor, uint32_t start)
{
    struct ws_edit_table *table = editor->table;
    if (table->run_count >= table->run_capacity) {
        const uint32_t capacity = table->run_capacity == 0 ? 64 : table->run_capacity * 2;
        struct run *runs = ws_arena_allocate(editor->arena, capacity, sizeof(*runs));
        if (runs == NULL) {
            ws_editor_fail(editor, "no memory for %" PRIu32 " edits of a module", capacity);
            return 0;
        }
        if (table->runs != NULL)
            memcpy(runs, table->runs, (size_t)table->run_count * sizeof(*runs));
        table->runs = runs;
        table->run_capacity = capacity;
    }
    table->runs[table->run_count] = (struct run){.start = start};
    return table->run_count++;
}

static void add_edit(struct ws_editor *editor, uint32_t index, enum place place, uint16_t opcode,
                     const uint32_t *operands, uint32_t count)
{
    if (editor->failed)
        return;
    if (index >= editor->module->instruction_count) {
        ws_editor_fail(editor, "instruction %" PRIu32 " does not exist: the module has %" PRIu32, index,
                       editor->module->instruction_count);
        return;
    }
    struct ws_edit_table *table = editor->table;
    struct list *list = &table->lists[(size_t)index * PLACE_COUNT + place];
    const uint32_t start = table->pool.count;
    if (!add_instruction(editor, &table->pool, opcode, operands, count))
        return;
    if (place == PLACE_INSTEAD)
        list->first = 0;
    /* What follows its predecessor in the pool too becomes one run with it. */
    uint32_t run = list->first != 0 ? list->last : 0;
    if (run == 0 || table->runs[run].start + table->runs[run].count != start) {
        run = add_run(editor, start);
        if (run == 0)
            return;
        if (list->first == 0)
            list->first = run;
        else
            table->runs[list->last].next = run;
        list->last = run;
    }
    table->runs[run].count += count + 1;
}

void ws_editor_replace(struct ws_editor *editor, uint32_t index, uint16_t opcode, const uint32_t *operands,
                       uint32_t count)
{
    add_edit(editor, index, PLACE_INSTEAD, opcode, operands, count);
}

void ws_editor_insert_first(struct ws_editor *editor, uint32_t index, uint16_t opcode,
                            const uint32_t *operands, uint32_t count)
{
    struct ws_edit_table *table = editor->table;
    struct list rest = {0};
    const bool exists = !editor->failed && index < editor->module->instruction_count;
    struct list *list = exists ? &table->lists[(size_t)index * PLACE_COUNT + PLACE_AFTER] : &rest;
    if (exists) {
        rest = *list;
        *list = (struct list){0};
    }
    add_edit(editor, index, PLACE_AFTER, opcode, operands, count);
    if (!editor->failed && rest.first != 0) {
        table->runs[list->last].next = rest.first;
        list->last = rest.last;
    }
}

void ws_editor_insert(struct ws_editor *editor, uint32_t index, bool after, uint16_t opcode,
                      const uint32_t *operands, uint32_t count)
{
    add_edit(editor, index, after ? PLACE_AFTER : PLACE_BEFORE, opcode, operands, count);
}

static void write_words(uint32_t **out, const uint32_t *words, size_t count)
{
    if (count != 0) {
        memcpy(*out, words, count * sizeof(*words));
        *out += count;
    }
}

static void write_list(uint32_t **out, const struct ws_edit_table *table, const struct list *list)
{
    for (uint32_t run = list->first; run != 0; run = table->runs[run].next)
        write_words(out, table->pool.data + table->runs[run].start, table->runs[run].count);
}

/* The sections that end before instruction `index`. */
static void write_sections(uint32_t **out, const struct ws_editor *editor, uint32_t index,
                           enum ws_section *section)
{
    for (; *section < WS_SECTION_COUNT && editor->module->section_ends[*section] == index; (*section)++)
        write_words(out, editor->sections[*section].data, editor->sections[*section].count);
}

bool ws_editor_finish(struct ws_editor *editor, uint32_t **words, size_t *word_count, struct ws_error *error)
{
    const struct ws_module *module = editor->module;
    const struct ws_edit_table *table = editor->table;
    size_t size = module->word_count + table->pool.count;
    for (int i = 0; i < WS_SECTION_COUNT; i++)
        size += editor->sections[i].count;
    uint32_t *result = editor->failed ? NULL : ws_arena_allocate_raw(editor->arena, size, sizeof(*result));
    if (result == NULL) {
        ws_editor_fail(editor, "no memory for a module of %zu words", size);
        return ws_error_set(error, "%s", editor->error.message);
    }
    uint32_t *out = result;
    write_words(&out, module->words, HEADER_WORDS);
    enum ws_section section = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct list *lists = &table->lists[(size_t)i * PLACE_COUNT];
        write_sections(&out, editor, i, &section);
        write_list(&out, table, &lists[PLACE_BEFORE]);
        if (lists[PLACE_INSTEAD].first != 0)
            write_list(&out, table, &lists[PLACE_INSTEAD]);
        else
            write_words(&out, module->words + module->instructions[i].offset, module->instructions[i].length);
        write_list(&out, table, &lists[PLACE_AFTER]);
    }
    write_sections(&out, editor, module->instruction_count, &section);
    result[1] = editor->version;
    result[3] = editor->bound;
    *words = result;
    *word_count = (size_t)(out - result);
    return true;
}
