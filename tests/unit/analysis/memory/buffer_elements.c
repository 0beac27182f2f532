/* Of which elements buffers are arrays: the example of the header, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/memory/buffer_elements.h"

static struct ws_traced_access access_at(const char *name, uint64_t offset, uint64_t scale)
{
    struct ws_traced_access traced = {.memory = name};
    traced.access.offset = offset;
    traced.access.base = WS_NONE;
    traced.access.term_count = scale > 0 ? 1 : 0;
    traced.access.terms[0].scale = scale;
    return traced;
}

static void elements_are_found(void **state)
{
    (void)state;
    static const char nodes[] = "nodes", single[] = "single", words[] = "words";
    struct ws_traced_access accesses[] = {access_at(nodes, 64, 64), access_at(nodes, 16, 64),
                                          access_at(nodes, 4, 0), /* a count in front of the array */
                                          access_at(single, 8, 0),  access_at(words, 0, 4),
                                          access_at(NULL, 0, 4)};
    struct ws_module_traces traces = {.accesses = accesses, .access_count = 6};
    struct ws_module_record module = {.traces = &traces};
    const struct ws_catalog catalog = {.modules = &module, .module_count = 1};
    struct ws_buffer_elements elements = {.count = 0};
    assert_true(ws_buffer_elements_take(&elements, &catalog));
    assert_int_equal(ws_buffer_elements_find(&elements, nodes, 208), 3);
    assert_int_equal(ws_buffer_elements_find(&elements, nodes, 207), 2);
    assert_int_equal(ws_buffer_elements_find(&elements, nodes, 16), 0);
    assert_int_equal(ws_buffer_elements_find(&elements, nodes, 15), WS_NONE); /* in front of them */
    assert_int_equal(ws_buffer_elements_find(&elements, single, 8), WS_NONE);
    assert_int_equal(ws_buffer_elements_find(&elements, words, 13), 3);
    assert_int_equal(ws_buffer_elements_find(&elements, words, UINT64_C(4) * WS_NONE), WS_NONE);
    assert_int_equal(ws_buffer_elements_find(&elements, NULL, 4), WS_NONE);
    assert_int_equal(ws_buffer_elements_find(&elements, "another", 4), WS_NONE);
    ws_buffer_elements_finish(&elements);
}

static void addresses_begin_where_their_pointers_do(void **state)
{
    (void)state;
    const uint32_t words[] = {7, 0x1000, 2};
    struct ws_stretch_access access = access_at("address", 0, 16).access;
    assert_int_equal(ws_buffer_element_base(&access, words), 0);
    access.memory = WS_MEMORY_ADDRESS;
    access.base = 1;
    assert_int_equal(ws_buffer_element_base(&access, words), UINT64_C(0x200001000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_found),
        cmocka_unit_test(addresses_begin_where_their_pointers_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
