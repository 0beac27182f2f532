/* What a launch uses, and the joining of counter rows that are neighbours in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/commands/uses.h"

#define BUFFER(n) ((VkBuffer)(uintptr_t)(n))

static int references;

struct ws_shader *ws_shader_reference(struct ws_shader *shader)
{
    ++references;
    return shader;
}

void ws_shader_release(struct ws_shader *shader)
{
    assert_non_null(shader);
    --references;
}

static struct ws_shader shader_at(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size)
{
    return (struct ws_shader){
        .row_count = 1,
        .counters = {.buffer = buffer, .offset = offset, .size = size},
    };
}

static void test_side_by_side_rows_are_one_run(void **state)
{
    (void)state;
    struct ws_shader a = shader_at(BUFFER(1), 0, 32);
    struct ws_shader b = shader_at(BUFFER(1), 32, 64);
    struct ws_shader c = shader_at(BUFFER(1), 128, 32); /* a gap before it */
    struct ws_shader d = shader_at(BUFFER(2), 160, 32); /* goes on where c ends, in another buffer */
    struct ws_shader *shaders[] = {&a, &b, &c, &d};
    struct ws_run run;
    uint32_t index = 0;

    assert_true(ws_uses_next_run(shaders, 4, &index, &run));
    assert_int_equal(run.offset, 0);
    assert_int_equal(run.size, 96);
    assert_true(ws_uses_next_run(shaders, 4, &index, &run));
    assert_int_equal(run.offset, 128);
    assert_int_equal(run.size, 32);
    assert_true(ws_uses_next_run(shaders, 4, &index, &run));
    assert_true(run.buffer == BUFFER(2));
    assert_false(ws_uses_next_run(shaders, 4, &index, &run));
    assert_int_equal(ws_uses_size(shaders, 4), 160);
}

static void test_settled_uses_are_unique_and_sorted(void **state)
{
    (void)state;
    struct ws_shader a = shader_at(BUFFER(1), 64, 32);
    struct ws_shader b = shader_at(BUFFER(1), 0, 32);
    struct ws_shader plain = {0}; /* not instrumented */
    struct ws_shader *both[] = {&a, &b, &plain};
    struct ws_shader *one[] = {&a};
    const struct ws_pipeline first = {.capture_id = 7, .shaders = both, .shader_count = 3};
    const struct ws_pipeline second = {.capture_id = 3, .shaders = one, .shader_count = 1};
    struct ws_uses uses = {0};

    for (int i = 0; i < 20; i++) {
        ws_uses_add_pipeline(&uses, &first);
        ws_uses_add_pipeline(&uses, &second);
    }
    assert_int_equal(uses.pipeline_count, 2); /* those of late are not even added */
    ws_uses_add(&uses, uses.pipelines, 1, uses.shaders, 2);
    ws_uses_settle(&uses);
    assert_int_equal(uses.pipeline_count, 2);
    assert_int_equal(uses.pipelines[0], 3);
    assert_int_equal(uses.pipelines[1], 7);
    assert_int_equal(uses.shader_count, 2);
    assert_ptr_equal(uses.shaders[0], &b);
    assert_ptr_equal(uses.shaders[1], &a);
    ws_uses_clear(&uses);
    assert_int_equal(uses.shader_count, 0);
    ws_uses_finish(&uses);
}

static void test_long_lists_stay_short(void **state)
{
    (void)state;
    struct ws_shader shaders[64];
    struct ws_uses uses = {0};
    for (uint32_t i = 0; i < 64; i++)
        shaders[i] = shader_at(BUFFER(1), 32 * (VkDeviceSize)i, 32);
    for (uint32_t i = 0; i < 1000000; i++) {
        struct ws_shader *shader = &shaders[i % 64];
        const struct ws_pipeline pipeline = {.capture_id = i % 64, .shaders = &shader, .shader_count = 1};
        ws_uses_add_pipeline(&uses, &pipeline);
    }
    assert_true(uses.shader_capacity <= 2048);
    ws_uses_settle(&uses);
    assert_int_equal(uses.pipeline_count, 64);
    assert_int_equal(uses.shader_count, 64);
    assert_false(uses.failed);
    ws_uses_finish(&uses);
}

/* What may be destroyed meanwhile is referenced until the list is cleared. */
static void test_what_is_held(void **state)
{
    (void)state;
    struct ws_shader a = shader_at(BUFFER(1), 0, 32);
    struct ws_shader plain = {0};
    struct ws_shader *both[] = {&a, &plain};
    struct ws_uses uses = {0};
    const struct ws_used_set set = {.handle = 5, .version = 2};
    const struct ws_used_set later = {.handle = 5, .version = 3};
    ws_uses_hold(&uses, 7, both, 2);
    assert_int_equal(references, 2);
    assert_int_equal(uses.pipeline_count, 1);
    assert_int_equal(uses.shader_count, 1);
    ws_uses_settle(&uses);
    assert_int_equal(references, 2);
    ws_uses_clear(&uses);
    assert_int_equal(references, 0);
    ws_uses_hold(&uses, 7, both, 2);
    assert_false(ws_uses_has_set(&uses, &set));
    ws_uses_add_sets(&uses, &set, 1);
    assert_true(ws_uses_has_set(&uses, &set));
    assert_false(ws_uses_has_set(&uses, &later));
    ws_uses_finish(&uses);
    assert_int_equal(references, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side_rows_are_one_run),
        cmocka_unit_test(test_settled_uses_are_unique_and_sorted),
        cmocka_unit_test(test_long_lists_stay_short),
        cmocka_unit_test(test_what_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
