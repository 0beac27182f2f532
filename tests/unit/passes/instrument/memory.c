/* Instrumenting without memory: whichever allocation fails, alone or with all that follow, there is an error, at once.
 * `test_instrument_memory MODULE...` */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "tests/unit/analysis/model/failing_memory.h"
#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"

enum {
    MODULES_MAX = 12,
    PASSES_MAX = 16,
    ALLOCATIONS_MAX = 10000,
    SECONDS_MAX = 100,
    CONSTANTS =
        5000, /* the table of types has grown to so much then that it is allocated by itself, and is full soon */
};

struct module {
    uint32_t *words;
    size_t count;
};

static struct module modules[MODULES_MAX];
static size_t module_count;
static const char *passes[PASSES_MAX];
static size_t pass_count;

/* Instruments a module where so many allocations succeed. False where none failed. */
static bool try(const struct module *module, long succeeding, bool for_good)
{
    const struct ws_instrument_options options = {.passes = passes, .pass_count = pass_count};
    struct ws_error error = {{0}};
    /* This arena has all chunks that those before left: otherwise few allocations would come to malloc. */
    struct ws_arena *arena = ws_arena_create();
    assert_non_null(ws_arena_allocate(arena, 1, 1));
    for_good ? failing_memory_begin_for_good(succeeding) : failing_memory_begin(succeeding);
    struct ws_instrumented *instrumented = ws_instrument(module->words, module->count, &options, &error);
    const bool failed = failing_memory_end() < 0;
    assert_true(instrumented != NULL || error.message[0] != '\0');
    assert_true(failed || (instrumented != NULL && instrumented->words != NULL));
    ws_instrumented_destroy(instrumented);
    ws_arena_destroy(arena);
    return failed;
}

static void try_all(const struct module *module)
{
    for (int for_good = 0; for_good < 2; for_good++) {
        long count = 0;
        while (count < ALLOCATIONS_MAX && try(module, count, for_good != 0))
            count++;
        assert_in_range(count, 1, ALLOCATIONS_MAX - 1);
    }
}

static void test_modules(void **state)
{
    (void)state;
    for (size_t i = 0; i < module_count; i++)
        try_all(&modules[i]);
}

/* The table of types cannot grow, and more types follow than it has room for. */
static void test_many_constants(void **state)
{
    (void)state;
    enum { VOID = 1, TYPE, U32, MAIN, LABEL, FIRST, BOUND = FIRST + CONSTANTS };
#define WORD(opcode, count) ((uint32_t)(count) << SpvWordCountShift | SpvOp##opcode)
    static const uint32_t begin[] = {SpvMagicNumber,
                                     0x00010300,
                                     0,
                                     BOUND,
                                     0,
                                     WORD(Capability, 2),
                                     SpvCapabilityShader,
                                     WORD(MemoryModel, 3),
                                     SpvAddressingModelLogical,
                                     SpvMemoryModelGLSL450,
                                     WORD(EntryPoint, 4),
                                     SpvExecutionModelGLCompute,
                                     MAIN,
                                     0,
                                     WORD(ExecutionMode, 6),
                                     MAIN,
                                     SpvExecutionModeLocalSize,
                                     64,
                                     1,
                                     1,
                                     WORD(TypeVoid, 2),
                                     VOID,
                                     WORD(TypeFunction, 3),
                                     TYPE,
                                     VOID,
                                     WORD(TypeInt, 4),
                                     U32,
                                     32,
                                     0};
    static const uint32_t end[] = {WORD(Function, 5),
                                   VOID,
                                   MAIN,
                                   SpvFunctionControlMaskNone,
                                   TYPE,
                                   WORD(Label, 2),
                                   LABEL,
                                   WORD(Return, 1),
                                   WORD(FunctionEnd, 1)};
#undef WORD
    enum { BEGIN = sizeof(begin) / sizeof(begin[0]), END = sizeof(end) / sizeof(end[0]) };
    static uint32_t words[BEGIN + 4 * CONSTANTS + END];
    size_t count = 0;
    for (uint32_t i = 0; i < BEGIN; i++)
        words[count++] = begin[i];
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        const uint32_t constant[] = {4u << SpvWordCountShift | SpvOpConstant, U32, FIRST + i, i};
        for (uint32_t j = 0; j < 4; j++)
            words[count++] = constant[j];
    }
    for (uint32_t i = 0; i < END; i++)
        words[count++] = end[i];
    try_all(&(struct module){words, count});
}

static bool read_module(const char *path, struct module *module)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    if (fseek(file, 0, SEEK_END) == 0) {
        module->count = (size_t)ftell(file) / 4;
        module->words = malloc(module->count * 4);
        rewind(file);
    }
    const bool read = module->words != NULL && fread(module->words, 4, module->count, file) == module->count;
    fclose(file);
    return read;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_constants),
        cmocka_unit_test(test_modules),
    };
    const struct ws_pass_description *list = ws_pass_list(&pass_count);
    pass_count = pass_count < PASSES_MAX ? pass_count : PASSES_MAX;
    for (size_t i = 0; i < pass_count; i++)
        passes[i] = list[i].name;
    for (int i = 1; i < argc && module_count < MODULES_MAX; i++)
        if (!read_module(argv[i], &modules[module_count++]))
            return 1;
    alarm(SECONDS_MAX); /* nothing waits for memory */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < module_count; i++)
        free(modules[i].words);
    return module_count == 0 ? 1 : failed;
}
