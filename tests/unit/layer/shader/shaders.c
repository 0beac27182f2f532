/* Shaders and modules: slots and rows are given back with the last reference, and what has the same hash is
 * told apart. The driver, the capture and the instrumentation are stand-ins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/probes.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/memory/root_block.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"
#include "warpscope/instrument.h"
#include "warpscope/root.h"
#include "warpscope/stage.h"

static struct ws_device device;
static const struct ws_probe_list probes;
static struct ws_settings settings = {.instruments = true, .shaders = (char *)"", .dump_shaders = (char *)""};
static struct ws_capture capture;
static uint32_t instrumented_alive, rows_taken, modules_written, shaders_written, shaders_left_out;
static struct ws_chunk_shader latest;
static struct ws_entry_info entry = {
    .stage = WS_STAGE_COMPUTE, .name = "main", .row_first = 2, .row_count = 3};
static uint32_t words[1];
static struct ws_instrumented instrumented = {
    .words = words, .word_count = 1, .entries = &entry, .entry_count = 1, .row_count = 5};

struct ws_instrumented *ws_instrument(const uint32_t *module, size_t word_count,
                                      const struct ws_instrument_options *options, struct ws_error *error)
{
    (void)module, (void)word_count, (void)options, (void)error;
    instrumented_alive++;
    return &instrumented;
}

bool ws_instrumented_can_be_early(const struct ws_instrumented *unused)
{
    (void)unused;
    return false;
}

uint32_t *ws_instrumented_early(const struct ws_instrumented *unused, size_t *word_count)
{
    (void)unused;
    (void)word_count;
    return NULL;
}

void ws_instrumented_destroy(struct ws_instrumented *unused)
{
    instrumented_alive -= unused != NULL;
}

bool ws_counters_allocate(struct ws_device *of, uint32_t slot, const struct ws_entry_info *entry,
                          struct ws_counters *counters, struct ws_error *error)
{
    (void)of, (void)error;
    assert_true(slot < WS_SLOT_COUNT);
    assert_int_equal(entry->row_first, 2);
    rows_taken += entry->row_count;
    counters->size = entry->row_count;
    return true;
}

void ws_counters_free(struct ws_device *of, uint32_t slot, struct ws_counters *counters)
{
    (void)of, (void)slot;
    rows_taken -= (uint32_t)counters->size;
    *counters = (struct ws_counters){0};
}

bool ws_control_block_require(struct ws_device *of, struct ws_error *error)
{
    (void)of, (void)error;
    return true;
}

VkBuffer ws_root_control_buffer(const struct ws_device *of)
{
    (void)of;
    return VK_NULL_HANDLE;
}

uint64_t ws_root_address(const struct ws_device *of)
{
    (void)of;
    return 0;
}

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    (void)instance, (void)severity, (void)format;
}

void ws_capture_check(struct ws_instance *instance, bool written, const struct ws_error *error)
{
    (void)instance, (void)written, (void)error;
}

void ws_capture_skip(struct ws_capture *to, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    (void)to, (void)id, (void)pass, (void)offset, (void)reason;
    shaders_left_out += kind == WS_SKIP_SHADER ? (uint32_t)count : 0;
}

void ws_capture_skip_sites(struct ws_capture *capture, uint32_t module, const struct ws_skip_info *skip)
{
    (void)capture, (void)module, (void)skip;
}

bool ws_capture_write_module(struct ws_capture_writer *writer, const struct ws_chunk_module *chunk,
                             struct ws_error *error)
{
    (void)writer, (void)chunk, (void)error;
    modules_written++;
    return true;
}

bool ws_capture_write_sites(struct ws_capture_writer *writer, const struct ws_chunk_sites *chunk,
                            struct ws_error *error)
{
    (void)writer, (void)chunk, (void)error;
    return true;
}

bool ws_capture_write_shader(struct ws_capture_writer *writer, const struct ws_chunk_shader *chunk,
                             struct ws_error *error)
{
    (void)writer, (void)error;
    latest = *chunk;
    shaders_written++;
    return true;
}

static int setup(void **state)
{
    (void)state;
    memset(&device, 0, sizeof(device));
    memset(&capture, 0, sizeof(capture));
    instrumented_alive = rows_taken = modules_written = shaders_written = shaders_left_out = 0;
    device.capture = &capture;
    device.settings = &settings;
    device.probes = &probes;
    device.bins = WS_BINS_MIN;
    device.modules = ws_module_cache_create();
    device.shaders = ws_shader_table_create();
    return device.modules != NULL && device.shaders != NULL ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    ws_shader_table_destroy(device.shaders);
    ws_module_cache_destroy(&device, device.modules);
    assert_int_equal(instrumented_alive, 0);
    return 0;
}

/* The shader of module `number`, which is one word. */
static struct ws_shader *get_hashed(uint32_t number, uint64_t hash, const VkSpecializationInfo *info)
{
    const struct ws_spirv spirv = {.words = &number, .word_count = 1, .hash = hash, .name = ""};
    struct ws_shader *shader = ws_shader_get(&device, &spirv, WS_STAGE_COMPUTE, "main", info, false);
    assert_non_null(shader);
    return shader;
}

static struct ws_shader *get(uint32_t number)
{
    return get_hashed(number, ws_spirv_hash(&number, 1), NULL);
}

uint64_t ws_spirv_hash(const uint32_t *of, size_t word_count)
{
    (void)word_count;
    return of[0] * UINT64_C(0x9e3779b97f4a7c15);
}

static void test_one_after_the_other_there_is_room_for_any_number(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 70000; i++) {
        struct ws_shader *shader = get(i);
        assert_int_equal(shader->row_count, 3);
        assert_int_equal(rows_taken, 3);
        ws_shader_release(shader);
        assert_int_equal(rows_taken, 0);
    }
    assert_int_equal(shaders_left_out, 0);
    assert_int_equal(shaders_written, 70000);
}

/* Modules of a megabyte each, all different, one after the other: so many are kept as WS_MODULES_KEPT says. */
static void test_unused_modules_are_bounded(void **state)
{
    (void)state;
    static uint32_t large[1 << 18];
    const uint32_t kept =
        (uint32_t)(WS_MODULES_KEPT / sizeof(large)) - 1; /* they have instrumented words too */
    struct ws_shader *held = get(1);
    for (uint32_t i = 0; i < 3 * kept; i++) {
        large[0] = i;
        const struct ws_spirv spirv = {.words = large, .word_count = 1 << 18, .hash = i, .name = ""};
        struct ws_shader *shader = ws_shader_get(&device, &spirv, WS_STAGE_COMPUTE, "main", NULL, false);
        assert_non_null(shader);
        assert_int_equal(instrumented_alive, i < kept ? i + 2 : kept + 2);
        ws_shader_release(shader);
        assert_int_equal(instrumented_alive, i < kept ? i + 2 : kept + 1);
    }
    /* The latest is still known, the first is made anew; the one that is held was never freed. */
    const uint32_t written = modules_written;
    for (uint32_t i = 0; i < 2; i++) {
        large[0] = i == 0 ? 3 * kept - 1 : 0;
        const struct ws_spirv spirv = {.words = large, .word_count = 1 << 18, .hash = large[0], .name = ""};
        ws_shader_release(ws_shader_get(&device, &spirv, WS_STAGE_COMPUTE, "main", NULL, false));
        assert_int_equal(modules_written, written + i);
    }
    assert_ptr_equal(get(1), held);
    ws_shader_release(held);
    ws_shader_release(held);
    assert_int_equal(rows_taken, 0);
}

/* CPU time of so many shaders, made and released one after the other, whose modules are 16 KB each. */
static clock_t make_and_release(uint32_t first, uint32_t count)
{
    static uint32_t module[1 << 12];
    const clock_t begin = clock();
    for (uint32_t i = first; i < first + count; i++) {
        module[0] = i;
        const struct ws_spirv spirv = {.words = module, .word_count = 1 << 12, .hash = i, .name = ""};
        ws_shader_release(ws_shader_get(&device, &spirv, WS_STAGE_COMPUTE, "main", NULL, false));
    }
    return clock() - begin;
}

/* Where modules are freed, other shaders cost nothing: each release once went through all of them. */
static void test_freeing_modules_costs_the_same_beside_many_shaders(void **state)
{
    (void)state;
    enum { HELD = 60000, FREED = 4000, KEPT = WS_MODULES_KEPT >> 14 };
    static struct ws_shader *held[HELD];
    make_and_release(0, KEPT); /* from now on each that is released has another freed */
    const clock_t alone = make_and_release(KEPT, FREED);
    for (uint32_t i = 0; i < HELD; i++)
        held[i] = get(1000000 + i);
    const clock_t beside = make_and_release(KEPT + FREED, FREED);
    assert_in_range(beside, 0, 8 * alone);
    for (uint32_t i = 0; i < HELD; i++)
        ws_shader_release(held[i]);
}

static void test_the_same_shader_again_keeps_its_id(void **state)
{
    (void)state;
    struct ws_shader *first = get(1);
    struct ws_shader *again = get(1);
    assert_ptr_equal(first, again);
    const uint32_t id = first->capture_id;
    const uint32_t slot = first->slot;
    ws_shader_release(first);
    assert_int_equal(again->row_count, 3); /* still referenced */
    ws_shader_release(again);
    assert_int_equal(rows_taken, 0);
    again = get(1);
    assert_int_equal(again->capture_id, id);
    assert_int_equal(again->slot, slot); /* no other has taken it */
    assert_int_equal(again->zeroing, 0);
    assert_int_equal(shaders_written, 1);
    ws_shader_release(again);
}

/* All slots are held: one more shader is left out. When it is made again, and there is room, it is in. */
static void test_a_shader_without_a_slot_gets_one_later(void **state)
{
    (void)state;
    static struct ws_shader *held[WS_SLOT_COUNT];
    for (uint32_t i = 0; i < WS_SLOT_COUNT; i++)
        held[i] = get(i);
    struct ws_shader *left_out = get(WS_SLOT_COUNT);
    assert_int_equal(left_out->row_count, 0);
    assert_int_equal(left_out->slot, WS_NONE);
    assert_int_equal(latest.entry, WS_NONE);
    assert_int_equal(shaders_left_out, 1);
    const uint32_t freed = held[77]->slot;
    ws_shader_release(held[77]);
    ws_shader_release(left_out);
    struct ws_shader *later = get(WS_SLOT_COUNT);
    assert_int_equal(later->slot, freed);
    assert_int_equal(later->row_count, 3);
    assert_int_equal(latest.entry, 0);
    assert_int_equal(latest.id, later->capture_id);
    ws_shader_release(later);
    for (uint32_t i = 0; i < WS_SLOT_COUNT; i++)
        if (i != 77)
            ws_shader_release(held[i]);
    assert_int_equal(rows_taken, 0);
}

/* Modules are compared, and so are shaders. */
static void test_equal_hashes(void **state)
{
    (void)state;
    struct ws_shader *a = get_hashed(1, 5, NULL);
    struct ws_shader *b = get_hashed(2, 5, NULL);
    struct ws_shader *c = get_hashed(3, 6, NULL); /* where b has gone to */
    assert_int_equal(modules_written, 3);
    assert_ptr_not_equal(a->module, b->module);
    assert_ptr_not_equal(b->module, c->module);
    assert_ptr_not_equal(a, b);
    assert_int_not_equal(a->slot, b->slot);
    assert_ptr_equal(get_hashed(1, 5, NULL), a);
    assert_ptr_equal(get_hashed(2, 5, NULL), b);
    assert_ptr_equal(get_hashed(3, 6, NULL), c);
    assert_int_equal(modules_written, 3);
    assert_int_equal(shaders_written, 3);
    struct ws_shader *all[] = {a, a, b, b, c, c};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        ws_shader_release(all[i]);
    assert_int_equal(rows_taken, 0);
}

static void test_specializations(void **state)
{
    (void)state;
    const uint32_t values[] = {7, 8};
    const VkSpecializationMapEntry map = {.constantID = 1, .size = sizeof(values[0])};
    const VkSpecializationInfo infos[] = {
        {.mapEntryCount = 1, .pMapEntries = &map, .dataSize = 4, .pData = &values[0]},
        {.mapEntryCount = 1, .pMapEntries = &map, .dataSize = 4, .pData = &values[1]},
    };
    struct ws_shader *plain = get_hashed(1, 5, NULL);
    struct ws_shader *seven = get_hashed(1, 5, &infos[0]);
    struct ws_shader *eight = get_hashed(1, 5, &infos[1]);
    assert_true(plain != seven && seven != eight && plain != eight);
    assert_ptr_equal(get_hashed(1, 5, &infos[0]), seven);
    assert_int_equal(modules_written, 1);
    struct ws_shader *all[] = {plain, seven, seven, eight};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        ws_shader_release(all[i]);
    assert_int_equal(rows_taken, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* Chosen is what some pattern matches, or everything where there are only patterns with !, and none of these. */
static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *patterns;
        uint32_t left_out; /* of the modules with the hashes 1 and 2 */
    } cases[] = {
        {"*1", 1},      {"!*1", 1},     {"!main", 2},    {"*1,*2", 0},
        {"0*, !*2", 1}, {"!*1,!*2", 2}, {"!nothing", 0}, {"nothing", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        settings.shaders = (char *)cases[i].patterns;
        shaders_left_out = 0;
        for (uint32_t module = 1; module <= 2; module++)
            ws_shader_release(get_hashed(module + 10 * (uint32_t)i, module, NULL));
        assert_int_equal(shaders_left_out, cases[i].left_out);
    }
    settings.shaders = (char *)"";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_after_the_other_there_is_room_for_any_number),
        TEST(test_unused_modules_are_bounded),
        TEST(test_freeing_modules_costs_the_same_beside_many_shaders),
        TEST(test_the_same_shader_again_keeps_its_id),
        TEST(test_a_shader_without_a_slot_gets_one_later),
        TEST(test_equal_hashes),
        TEST(test_specializations),
        TEST(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
