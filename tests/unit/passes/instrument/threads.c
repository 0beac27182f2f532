/* Threads that instrument at once: the units of the library are read by whichever needs them first (unit.h).
 * `test_instrument_threads MODULE...` */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/link/unit.h"
#include "warpscope/instrument.h"

enum { THREADS = 8, MODULES_MAX = 16, PASSES_MAX = 16 };

struct module {
    uint32_t *words;
    size_t count;
};

static struct module modules[MODULES_MAX];
static size_t module_count;
static const char *passes[PASSES_MAX];
static size_t pass_count;
static pthread_barrier_t barrier;

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

/* Instruments all modules, all at the same time as the other threads. `results` has one per module. */
static void *instrument_all(void *results)
{
    struct ws_instrumented **made = results;
    const struct ws_instrument_options options = {.passes = passes, .pass_count = pass_count};
    for (size_t i = 0; i < module_count; i++) {
        pthread_barrier_wait(&barrier);
        made[i] = ws_instrument(modules[i].words, modules[i].count, &options, NULL);
    }
    return NULL;
}

static void test_threads_make_the_same(void **state)
{
    struct ws_instrumented *made[THREADS][MODULES_MAX] = {{NULL}};
    pthread_t threads[THREADS];
    (void)state;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, instrument_all, made[t]), 0);
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (size_t i = 0; i < module_count; i++) {
        for (size_t t = 0; t < THREADS; t++) {
            assert_non_null(made[t][i]);
            assert_int_equal(made[t][i]->word_count, made[0][i]->word_count);
            assert_true(made[t][i]->word_count != 0);
            assert_memory_equal(made[t][i]->words, made[0][i]->words, 4 * made[0][i]->word_count);
        }
    }
    for (size_t i = 0; i < module_count; i++)
        for (size_t t = 0; t < THREADS; t++)
            ws_instrumented_destroy(made[t][i]);
    pthread_barrier_destroy(&barrier);
}

/* Each unit of the library is made once for each choice of functions that stand for others; another unit, each time. */
static void test_units_are_made_once(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    assert_true(ws_library_unit_count <= WS_UNITS_SHARED);
    for (uint32_t i = 0; i < ws_library_unit_count; i++) {
        const struct ws_unit_code *first = ws_unit_get(&ws_library_units[i], i, 0, NULL, &error);
        assert_non_null(first);
        assert_ptr_equal(ws_unit_get(&ws_library_units[i], i, 0, NULL, &error), first);
        const struct ws_unit_code *other =
            ws_unit_get(&ws_library_units[i], i, ws_unit_lacks(0), NULL, &error);
        assert_non_null(other);
        assert_ptr_not_equal(other, first);
        for (uint32_t f = 0; f < first->module.function_count; f++)
            assert_true(first->found[f] && first->weights[first->module.functions[f].id] != 0 &&
                        first->recipes[f] != NULL);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_make_the_same),
        cmocka_unit_test(test_units_are_made_once),
    };
    const struct ws_pass_description *list = ws_pass_list(&pass_count);
    pass_count = pass_count < PASSES_MAX ? pass_count : PASSES_MAX;
    for (size_t i = 0; i < pass_count; i++)
        passes[i] = list[i].name;
    for (int i = 1; i < argc && module_count < MODULES_MAX; i++)
        if (!read_module(argv[i], &modules[module_count++]))
            return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < module_count; i++)
        free(modules[i].words);
    return module_count == 0 ? 1 : failed;
}
