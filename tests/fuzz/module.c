/* Modules that nobody meant: reading, linking and writing them must end in a result or in an error.
 *
 * With clang's -fsanitize=fuzzer (and -DWS_FUZZER) this is a fuzz target. Otherwise a test: every truncation
 * of the modules given as arguments and of the library's own, and a fixed number of changed words and bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/arena.h"
#include "passes/instrument/library.h"
#include "passes/instrument/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A call at both ends of every block, and after every instruction where that is possible. */
static void edit(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    for (uint32_t i = 0; i < module->entry_point_count; i++) {
        const enum ws_primitive primitive =
            ws_primitive_variant(WS_PRIMITIVE_LAUNCH_WARP, ws_link_lanes(module, i));
        const uint32_t function = ws_link_primitive(editor, primitive, &i, 1);
        const uint32_t argument = ws_constant_u32(editor, i);
        for (uint32_t j = 0; j < module->block_count && function != 0 && i < 4; j++) {
            ws_link_call(editor, ws_cursor_block_start(module, j), function, &argument, 1);
            ws_link_call(editor, ws_cursor_block_end(module, j), function, &argument, 1);
            ws_cursor_after(module, (module->blocks[j].first + module->blocks[j].end) / 2);
        }
    }
}

static void check(const uint32_t *words, size_t word_count)
{
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    struct ws_error error = {0};
    struct ws_editor *editor = NULL;
    uint32_t *result = NULL;
    size_t result_count = 0;
    if (arena == NULL)
        return;
    if (ws_module_parse(&module, arena, words, word_count, &error))
        editor = ws_editor_create(&module);
    else if (error.message[0] == '\0')
        abort(); /* a refusal says why */
    if (editor != NULL) {
        edit(editor);
        ws_linker_finish(editor);
        if (ws_editor_finish(editor, &result, &result_count, &error) &&
            !ws_module_parse(&module, arena, result, result_count, &error))
            abort(); /* what was readable stays so */
    }
    ws_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of exactly this size, so that the sanitizer sees a read past it. */
    uint32_t *words = malloc(size < 4 ? 4 : size);
    if (words != NULL) {
        memcpy(words, data, size);
        check(words, size / 4);
    }
    free(words);
    return 0;
}

#ifndef WS_FUZZER
#define CHANGES 400

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void change(uint32_t *words, size_t word_count, uint64_t *state)
{
    uint32_t *word = &words[next_random(state) % word_count];
    switch (next_random(state) % 4) {
    case 0: *word ^= UINT32_C(1) << next_random(state) % 32; break;
    case 1: *word = (uint32_t)next_random(state); break;
    case 2: *word = words[next_random(state) % word_count]; break;
    default: *word = (*word & 0xffff0000u) | (uint32_t)(next_random(state) % 512); break;
    }
}

static bool mangle(const uint32_t *words, size_t word_count)
{
    uint64_t state = 0x2545f4914f6cdd1du ^ word_count;
    uint32_t *copy = malloc(word_count * sizeof(*copy));
    if (copy == NULL)
        return false;
    const size_t step = word_count / 500 + 1; /* a long module is not cut at every word */
    for (size_t i = 0; i <= word_count; i += step)
        LLVMFuzzerTestOneInput((const uint8_t *)words, i * sizeof(*words));
    for (int i = 0; i < CHANGES; i++) {
        memcpy(copy, words, word_count * sizeof(*copy));
        for (int j = 0; j <= i % 3; j++)
            change(copy, word_count, &state);
        check(copy, word_count);
    }
    free(copy);
    return true;
}

static bool mangle_file(const char *path)
{
    static uint32_t words[65536];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    const size_t count = fread(words, sizeof(words[0]), sizeof(words) / sizeof(words[0]), file);
    fclose(file);
    return count != 0 && mangle(words, count);
}

int main(int argc, char **argv)
{
    bool good = true;
    for (uint32_t i = 0; i < ws_library_unit_count; i++)
        good &= mangle(ws_library_units[i].words, ws_library_units[i].word_count);
    for (int i = 1; i < argc; i++)
        good &= mangle_file(argv[i]);
    return good ? 0 : 1;
}
#endif
