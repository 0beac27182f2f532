/* Fuzz target: modules that nobody meant are instrumented by some passes and options, which follow from the
 * module's bytes. Each must give a module that can be read again, or an error with a message. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/fuzz/fuzz.h"
#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"
#include "warpscope/spirv/module.h"

#define PASSES_MAX 16

static void check_result(const struct ws_instrumented *result)
{
    struct ws_error error = {0};
    struct ws_module module;
    struct ws_arena *arena = ws_arena_create();
    if (arena != NULL && result->words != NULL)
        fuzz_check(ws_module_parse(&module, arena, result->words, result->word_count, &error),
                   "what was instrumented cannot be read again");
    for (uint32_t i = 0; i < result->site_count; ++i)
        fuzz_check(result->sites[i].block < result->block_count, "a site stands in no block");
    for (uint32_t i = 0; i < result->entry_count; ++i)
        fuzz_check(result->entries[i].row_first <= result->row_count &&
                       result->entries[i].row_count <= result->row_count - result->entries[i].row_first,
                   "an entry point has rows that are not there");
    ws_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t state = XXH3_64bits(data, size) | 1;
    const char *passes[PASSES_MAX];
    size_t pass_count = 0, count = 0;
    const struct ws_pass_description *list = ws_pass_list(&count);
    for (size_t i = 0; i < count && i < PASSES_MAX; ++i)
        if (fuzz_below(&state, 2) == 0)
            passes[pass_count++] = list[i].name;
    const struct ws_instrument_options options = {
        .passes = passes,
        .pass_count = (uint32_t)pass_count,
        .per_block = fuzz_below(&state, 4) == 0,
        .subgroup_stages = fuzz_below(&state, 4) == 0 ? WS_STAGE_COMPUTE : 0,
        .max_sites = fuzz_below(&state, 4) == 0 ? (uint32_t)fuzz_below(&state, 5) : 0,
        .sample = fuzz_below(&state, 3) == 0 ? (uint32_t)fuzz_below(&state, WS_SAMPLE_MAX + 1) : 0,
    };
    struct ws_error error = {0};
    /* In memory of its own size and alignment, so that reading past the end shows. */
    uint32_t *words = malloc(size / 4 * 4 + 1);
    if (words == NULL)
        return 0;
    memcpy(words, data, size / 4 * 4);
    struct ws_instrumented *result = ws_instrument(words, size / 4, &options, &error);
    fuzz_check((result == NULL) == (error.message[0] != '\0'), "a result and a message, or neither");
    if (result != NULL)
        check_result(result);
    ws_instrumented_destroy(result);
    free(words);
    return 0;
}
