/* Fuzz target: primitives are linked into modules that nobody meant, with calls at both ends of every block
 * and in the middle. Reading, linking and writing must end in a result or in an error. */
#include <string.h>

#include "passes/link/library.h"
#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"
#include "tests/fuzz/fuzz.h"
#include "warpscope/base/arena.h"

#define ENTRIES 4

static void edit(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    for (uint32_t i = 0; i < module->entry_point_count; i++) {
        const enum ws_primitive primitive =
            ws_primitive_variant(WS_PRIMITIVE_LAUNCH_WARP, ws_link_lanes(module, i));
        const uint32_t function = ws_link_primitive(editor, primitive, &i, 1);
        const uint32_t argument = ws_constant_u32(editor, i);
        for (uint32_t j = 0; j < module->block_count && function != 0 && i < ENTRIES; j++) {
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
    else
        fuzz_check(error.message[0] != '\0', "a refusal says nothing");
    if (editor != NULL) {
        edit(editor);
        ws_linker_finish(editor);
        if (ws_editor_finish(editor, &result, &result_count, &error))
            fuzz_check(ws_module_parse(&module, arena, result, result_count, &error),
                       "what was readable is not so any more");
    }
    ws_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t *words = malloc(size / 4 * 4 + 1);
    if (words == NULL)
        return 0;
    memcpy(words, data, size / 4 * 4);
    check(words, size / 4);
    free(words);
    return 0;
}
