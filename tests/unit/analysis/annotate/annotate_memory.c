/* Accesses of lines: found by line, block and instruction, and added up by buffer and kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/annotate/annotate_memory.h"
#include "warpscope/instrument.h"

/* Squared, this takes minutes and runs into the time limit of the test. */
#define MANY 400000u

static struct ws_annotate_access access_of(uint32_t line, uint32_t block, uint32_t instruction,
                                           const char *buffer, enum ws_access_kind kind, uint64_t requests)
{
    return (struct ws_annotate_access){.file = 1,
                                       .line = line,
                                       .block = block,
                                       .instruction = instruction,
                                       .buffer = buffer,
                                       .kind = kind,
                                       .sums = {.requests = requests}};
}

/* Checks the next kind and buffer of a line. */
static void check(const struct ws_annotate_memory *memory, uint32_t file, const struct ws_annotate_line *line,
                  uint32_t *at, const char *buffer, enum ws_access_kind kind, uint64_t requests)
{
    struct ws_annotate_access found;
    assert_true(ws_annotate_memory_next(memory, file, line, at, &found));
    if (buffer == NULL)
        assert_null(found.buffer);
    else
        assert_string_equal(found.buffer, buffer);
    assert_int_equal(found.kind, kind);
    assert_int_equal(found.sums.requests, requests);
}

static void end(const struct ws_annotate_memory *memory, uint32_t file, const struct ws_annotate_line *line,
                uint32_t at)
{
    struct ws_annotate_access found;
    assert_false(ws_annotate_memory_next(memory, file, line, &at, &found));
}

/* Line 7 loads a twice and stores it, and loads b and something else; line 8 loads a. */
static void by_hand(void **state)
{
    (void)state;
    const struct ws_annotate_access given[] = {
        access_of(7, 2, 30, NULL, WS_ACCESS_LOAD, 1),  access_of(7, 2, 20, "a", WS_ACCESS_LOAD, 2),
        access_of(8, 3, 50, "a", WS_ACCESS_LOAD, 4),   access_of(7, 3, 40, "a", WS_ACCESS_LOAD, 8),
        access_of(7, 3, 41, "a", WS_ACCESS_STORE, 16), access_of(7, 2, 31, "b", WS_ACCESS_LOAD, 32)};
    struct ws_annotate_memory memory = {.count = sizeof(given) / sizeof(*given)};
    memory.list = malloc(sizeof(given));
    assert_non_null(memory.list);
    for (uint32_t i = 0; i < memory.count; ++i)
        memory.list[i] = given[i];
    assert_true(ws_annotate_memory_sort(&memory));
    struct ws_annotate_line line = {.number = 7, .instruction = WS_NONE};
    uint32_t at = 0;
    check(&memory, 1, &line, &at, "a", WS_ACCESS_LOAD, 10);
    check(&memory, 1, &line, &at, "a", WS_ACCESS_STORE, 16);
    check(&memory, 1, &line, &at, "b", WS_ACCESS_LOAD, 32);
    check(&memory, 1, &line, &at, NULL, WS_ACCESS_LOAD, 1);
    end(&memory, 1, &line, at);
    end(&memory, 0, &line, 0); /* another file, no file, a line without number, a line without accesses */
    end(&memory, WS_NONE, &line, 0);
    line.number = 0;
    end(&memory, 1, &line, 0);
    line.number = 9;
    end(&memory, 1, &line, 0);
    line.instruction = 40;
    at = 0;
    check(&memory, WS_NONE, &line, &at, "a", WS_ACCESS_LOAD, 8);
    end(&memory, WS_NONE, &line, at);
    const uint32_t block = 3;
    line = (struct ws_annotate_line){.instruction = WS_NONE, .first_of_block = true, .blocks = &block};
    at = 0;
    check(&memory, WS_NONE, &line, &at, "a", WS_ACCESS_LOAD, 12);
    check(&memory, WS_NONE, &line, &at, "a", WS_ACCESS_STORE, 16);
    end(&memory, WS_NONE, &line, at);
    ws_annotate_memory_finish(&memory);
}

static void many_lines(void **state)
{
    (void)state;
    struct ws_annotate_memory memory = {.count = MANY};
    struct ws_annotate_access found;
    memory.list = calloc(MANY, sizeof(*memory.list));
    assert_non_null(memory.list);
    for (uint32_t i = 0; i < MANY; ++i)
        memory.list[i] = access_of(MANY - i, i, i, i % 2 == 0 ? "a" : "b", WS_ACCESS_LOAD, i + 1);
    assert_true(ws_annotate_memory_sort(&memory));
    for (uint32_t i = 0; i < MANY; ++i) {
        const struct ws_annotate_line line = {.number = MANY - i, .instruction = WS_NONE};
        uint32_t at = 0;
        if (!ws_annotate_memory_next(&memory, 1, &line, &at, &found) || found.sums.requests != i + 1)
            fail_msg("line %u has %llu requests", line.number, (unsigned long long)found.sums.requests);
    }
    ws_annotate_memory_finish(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(many_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
