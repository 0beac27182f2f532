/* Linking, assembly in and assembly out: link INPUT.spvasm EXPECTED
 *
 * The input's first line is "; VERSION PRIMITIVE...": every primitive is called at the start of every entry
 * point, with the arguments 1, 2, ...; "enter" is the one of the entry record for the entry point's stage,
 * with its own. The result must be valid and equal the expected text; with WS_GOLDEN_UPDATE set in the
 * environment that text is written instead. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/link/library.h"
#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"

#define ARGUMENTS_MAX 9

static char *load_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return NULL;
    }
    const long size = ftell(file);
    rewind(file);
    char *text = size < 0 ? NULL : calloc((size_t)size + 1, 1);
    if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static enum ws_primitive find_primitive(const char *name)
{
    for (uint32_t i = 0; i < WS_PRIMITIVE_COUNT; i++)
        if (strcmp(ws_library_primitives[i].name, name) == 0)
            return (enum ws_primitive)i;
    fprintf(stderr, "there is no primitive %s\n", name);
    abort();
}

static bool call_primitive(struct ws_editor *editor, enum ws_primitive primitive, uint32_t entry_point)
{
    const struct ws_module *module = editor->module;
    const struct ws_function *function = &module->functions[module->entry_points[entry_point].function];
    const enum ws_primitive variant = ws_primitive_variant(primitive, ws_link_lanes(module, entry_point));
    const uint32_t id = ws_link_primitive(editor, variant, &entry_point, 1);
    uint32_t arguments[ARGUMENTS_MAX];
    const uint32_t count = ws_library_primitives[variant].parameter_count;
    for (uint32_t i = 0; i < count && i < ARGUMENTS_MAX; i++)
        arguments[i] = ws_constant_u32(editor, i + 1);
    return id != 0 && ws_link_call(editor, ws_cursor_block_start(module, function->block_first), id,
                                   arguments, count) != 0;
}

static bool call_enter(struct ws_editor *editor, uint32_t entry_point)
{
    const struct ws_module *module = editor->module;
    const struct ws_function *function = &module->functions[module->entry_points[entry_point].function];
    struct ws_enter enter;
    if (!ws_link_enter(editor, &entry_point, 1, 1, &enter))
        return false;
    const uint32_t id = ws_link_primitive(editor, enter.primitive, &entry_point, 1);
    return id != 0 && ws_link_call(editor, ws_cursor_block_start(module, function->block_first), id,
                                   enter.arguments, enter.argument_count) != 0;
}

/* The instrumented module's words, in the arena. */
static uint32_t *link_all(struct ws_arena *arena, const uint32_t *words, size_t word_count, char *names,
                          size_t *result_count)
{
    struct ws_module module;
    struct ws_error error = {0};
    uint32_t *result = NULL;
    if (!ws_module_parse(&module, arena, words, word_count, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return NULL;
    }
    struct ws_editor *editor = ws_editor_create(&module);
    if (editor == NULL)
        return NULL;
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        for (uint32_t i = 0; i < module.entry_point_count; i++)
            if (!(strcmp(name, "enter") == 0 ? call_enter(editor, i)
                                             : call_primitive(editor, find_primitive(name), i)))
                fprintf(stderr, "%s cannot be linked: %s\n", name, editor->error.message);
    }
    ws_linker_finish(editor);
    if (!ws_editor_finish(editor, &result, result_count, &error))
        fprintf(stderr, "%s\n", error.message);
    return result;
}

/* Shows the first line that differs. */
static bool compare(const char *text, const char *expected, const char *path)
{
    int line = 1;
    for (; *text != '\0' && *text == *expected; text++, expected++)
        line += *text == '\n';
    if (*text == *expected)
        return true;
    fprintf(stderr, "%s, line %d: \"%.60s\" instead of \"%.60s\"\n", path, line, text, expected);
    return false;
}

static bool check(const char *text, const char *path)
{
    if (getenv("WS_GOLDEN_UPDATE") != NULL) {
        FILE *file = fopen(path, "wb");
        const bool good = file != NULL && fputs(text, file) >= 0;
        return file != NULL && fclose(file) == 0 && good;
    }
    char *expected = load_text(path);
    const bool good = expected != NULL && compare(text, expected, path);
    free(expected);
    return good;
}

int main(int argc, char **argv)
{
    char *input = argc == 3 ? load_text(argv[1]) : NULL;
    unsigned minor = 0;
    int names = 0;
    if (input == NULL || sscanf(input, "; 1.%u %n", &minor, &names) != 1 || strchr(input, '\n') == NULL) {
        fprintf(stderr, "usage: %s INPUT.spvasm EXPECTED\n", argv[0]);
        return 2;
    }
    char *assembly = strchr(input, '\n');
    *assembly = '\0';
    size_t count = 0;
    size_t result_count = 0;
    uint32_t *words = assembly_read(assembly + 1, 0x00010000 | minor << 8, &count);
    struct ws_arena *arena = ws_arena_create();
    const uint32_t *result = link_all(arena, words, count, input + names, &result_count);
    bool good = result != NULL && assembly_is_valid(words, count) && assembly_is_valid(result, result_count);
    if (result != NULL) {
        char *text = assembly_write(result, result_count);
        good = check(text, argv[2]) && good;
        free(text);
    }
    ws_arena_destroy(arena);
    free(words);
    free(input);
    return good ? 0 : 1;
}
