/* What memory_check finds in loads and stores by hand. Allocation 0 has the buffers 1 (at 0, address 0x1000) and 2 (at 256); in
 * launch 0 binding 0 is buffer 1, binding 1 too, from its byte 64 on, and binding 2 is buffer 2. Launch 1 is a render pass, in
 * which binding 0 is buffer 1 in one draw and buffer 2 in the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/instrument.h"
#include "warpscope/passes.h"
#include "warpscope/report/analysis.h"
#include "warpscope/spirv/access.h"

extern const struct ws_analysis ws_analysis_memory_check;

enum site { LOAD_0, LOAD_AGAIN, LOAD_1, LOAD_2, LOAD_FAR, STORE_0, STORE_1, OTHER, SITES };

static struct ws_catalog catalog;
static struct ws_site_record sites[SITES];
static const char *memories[SITES] = {"a", "a", "b", "c", "far", "a", "b", "a"};
static struct ws_bound_place places[SITES] = {{0, 0, 0},       {0, 0, 0}, {0, 1, 0}, {0, 2, 0},
                                              {WS_NONE, 0, 0}, {0, 0, 0}, {0, 1, 0}};
static const char *passes[] = {WS_PASS_MEMORY_CHECK, WS_PASS_DIVERGENCE};
static void *results;
static void *part;
static uint64_t launch_index;

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

static void give_shader(void)
{
    static const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0};
    static const uint32_t shader = 0;
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_MODULE};
    chunk.module = (struct ws_chunk_module){.name = "", .words = words, .word_count = 5};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SHADER};
    chunk.shader = (struct ws_chunk_shader){.entry = WS_NONE, .stage = WS_STAGE_COMPUTE, .name = "main"};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_PIPELINE};
    chunk.pipeline = (struct ws_chunk_pipeline){.shaders = &shader, .shader_count = 1};
    record(&chunk);
}

static void give_memory(void)
{
    static const struct ws_resource resources[] = {
        {.id = 0, .kind = WS_RESOURCE_ALLOCATION, .within = WS_NONE, .name = ""},
        {.id = 1, .kind = WS_RESOURCE_BUFFER, .within = 0, .size = 256, .address = 0x1000, .name = ""},
        {.id = 2, .kind = WS_RESOURCE_BUFFER, .within = 0, .offset = 256, .size = 256, .name = ""}};
    static const struct ws_descriptor first[] = {
        {0, 0, 7, 1, 0, 64}, {1, 0, 7, 1, 64, 64}, {2, 0, 7, 2, 0, 64}};
    static const struct ws_descriptor second = {0, 0, 7, 2, 0, 64};
    static const struct ws_bound_set sets[] = {{.state = 0}, {.state = 1}};
    static const struct ws_bound_use uses[] = {{.sets = &sets[0], .set_count = 1},
                                               {.sets = &sets[1], .set_count = 1}};
    static const struct ws_bound_launch bound[] = {{0, uses, 1}, {1, uses, 2}};
    static const struct ws_launch launches[] = {{.index = 0, .label = "", .command_buffer = ""},
                                                {.index = 1, .label = "", .command_buffer = ""}};
    struct ws_chunk chunk = {.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.resources = resources, .resource_count = 3};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SET};
    chunk.set = (struct ws_chunk_set){.descriptors = first, .descriptor_count = 3};
    record(&chunk);
    chunk.set = (struct ws_chunk_set){.id = 1, .descriptors = &second, .descriptor_count = 1};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_BOUND};
    chunk.bound = (struct ws_chunk_bound){bound, 2};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = launches, .launch_count = 2};
    record(&chunk);
}

static uint32_t tag_of(enum ws_access_kind kind, enum ws_access_memory memory)
{
    return WS_TAG_MEMORY_ACCESS(kind, memory, 2, 4);
}

static int set_up(void **state)
{
    (void)state;
    ws_catalog_init(&catalog);
    give_shader();
    give_memory();
    sites[OTHER].info.pass = 1;
    for (uint32_t i = 0; i < SITES; ++i)
        sites[i].info.tag = tag_of(i < STORE_0 || i == OTHER ? WS_ACCESS_LOAD : WS_ACCESS_STORE,
                                   i == LOAD_FAR ? WS_MEMORY_ADDRESS : WS_MEMORY_STORAGE);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ws_catalog_finish(&catalog);
    return 0;
}

static void begin(uint64_t launch)
{
    const struct ws_analysis_options options = {0};
    struct ws_error error = {{0}};
    launch_index = launch;
    results = ws_analysis_memory_check.create(&catalog, &options, &error);
    assert_non_null(results);
    part = ws_analysis_memory_check.replay->create(results, ws_catalog_launch(&catalog, launch));
    assert_non_null(part);
}

/* The catalog owns what it made of the module: ours is there during a call only. Returns what is to be put back. */
static struct ws_module_record give_sites(void)
{
    struct ws_module_record *module = &catalog.modules[0];
    const struct ws_module_record own = *module;
    module->passes = passes;
    module->pass_count = 2;
    module->sites = sites;
    module->site_count = SITES;
    module->memories = memories;
    module->bound_places = places;
    return own;
}

/* One lane. */
static void touch(enum site site, uint32_t first, uint32_t second, uint32_t value)
{
    const uint32_t words[] = {first, second, value};
    const struct ws_module_record own = give_sites();
    struct ws_context context = {.shader = 0, .lane_count = 8};
    assert_true(ws_analysis_memory_check.replay->data(part, &context, site, ws_lanes_one(0), words,
                                                      site < STORE_0 ? 3 : 2));
    catalog.modules[0] = own;
}

/* What the launch comes to: values, addresses, checked, written, several, conflicts. */
static void end(const uint64_t expected[6])
{
    static const uint64_t keys[8] = {0};
    const struct ws_replay_threads threads = {.launch = ws_catalog_launch(&catalog, launch_index)};
    const struct ws_module_record own = give_sites();
    assert_true(ws_analysis_memory_check.replay->merge(results, part, &threads));
    const uint64_t *sums = ws_groups_find(ws_analysis_memory_check.groups(results), 0, keys);
    assert_non_null(sums);
    for (uint32_t i = 0; i < 6; ++i)
        assert_int_equal(sums[i], expected[i]);
    ws_analysis_memory_check.replay->destroy(part);
    ws_analysis_memory_check.destroy(results);
    catalog.modules[0] = own;
}

/* Byte 64 by binding 0, 0 by binding 1, and 0x1040 are one address: three values, of which the third differs. Byte 0 of buffer
 * 2 is another. */
static void one_byte_by_three_ways(void **state)
{
    (void)state;
    begin(0);
    touch(LOAD_0, 64, 0, 7);
    touch(LOAD_1, 0, 0, 7);
    touch(LOAD_FAR, 0x1040, 0, 8);
    touch(LOAD_2, 0, 0, 9);
    end((const uint64_t[]){4, 2, 4, 0, 0, 1});
}

/* A store by binding 1 is one to what binding 0 loads: its values are no conflict. */
static void stores_by_another_binding(void **state)
{
    (void)state;
    begin(0);
    touch(LOAD_0, 64, 0, 7);
    touch(STORE_1, 0, 0, 0);
    touch(LOAD_0, 64, 0, 8);
    touch(LOAD_0, 68, 0, 8);
    end((const uint64_t[]){3, 2, 1, 2, 0, 0});
}

/* In the render pass binding 0 has one value from each buffer, which is no conflict. Binding 1 is the same in all draws that
 * have it, and is checked. */
static void several_buffers(void **state)
{
    (void)state;
    begin(1);
    touch(LOAD_0, 0, 0, 7);
    touch(LOAD_0, 0, 0, 8);
    touch(LOAD_FAR, 0x1000, 0, 7);
    touch(LOAD_FAR, 0x1000, 0, 8);
    end((const uint64_t[]){4, 1, 2, 0, 2, 1});
}

/* A store to one of them may be to what is loaded by its address. */
static void store_to_several(void **state)
{
    (void)state;
    begin(1);
    touch(STORE_0, 0, 0, 0);
    touch(LOAD_FAR, 0x1000, 0, 7);
    touch(LOAD_FAR, 0x1000, 0, 8);
    end((const uint64_t[]){2, 1, 0, 2, 0, 0});
}

/* Two loads of one line are told apart by their order. A site of another pass is no third. */
static void loads_of_one_line(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    begin(0);
    touch(LOAD_0, 0, 0, 7);
    touch(LOAD_AGAIN, 4, 0, 7);
    const struct ws_replay_threads threads = {.launch = ws_catalog_launch(&catalog, launch_index)};
    const struct ws_module_record own = give_sites();
    assert_true(ws_analysis_memory_check.replay->merge(results, part, &threads));
    assert_true(ws_groups_text_all(ws_analysis_memory_check.groups(results), stream));
    catalog.modules[0] = own;
    ws_analysis_memory_check.replay->destroy(part);
    ws_analysis_memory_check.destroy(results);
    assert_int_equal(fclose(stream), 0);
    if (strstr(text, " 1 of 2 ") == NULL || strstr(text, " 2 of 2 ") == NULL)
        fail_msg("%s", text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_byte_by_three_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stores_by_another_binding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_buffers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(store_to_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loads_of_one_line, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
