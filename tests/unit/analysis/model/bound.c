/* What is bound at places of shaders, from chunks made by hand. Allocation 7 has buffers 1 (at 256, "vertices") and 2 (at
 * 4096); buffer 3 lies in none. Pipelines 0 and 1 have shaders 0 and 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warpscope/capture/budget.h"
#include "warpscope/model/bound.h"
#include "warpscope/model/catalog.h"

#define STORAGE 7
#define DYNAMIC 9
#define BLOCK   1000138000

static struct ws_catalog catalog;

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

static void give_shader(uint32_t id)
{
    const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0};
    struct ws_chunk chunk = {.type = WS_CHUNK_MODULE};
    chunk.module = (struct ws_chunk_module){.id = id, .name = "", .words = words, .word_count = 5};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SHADER};
    chunk.shader = (struct ws_chunk_shader){.id = id, .module = id, .entry = WS_NONE, .name = "main"};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_PIPELINE};
    chunk.pipeline = (struct ws_chunk_pipeline){.id = id, .shaders = &id, .shader_count = 1};
    record(&chunk);
}

static int set_up(void **state)
{
    const struct ws_resource resources[] = {
        {.id = 7, .kind = WS_RESOURCE_ALLOCATION, .within = WS_NONE, .name = "heap"},
        {.id = 1, .kind = WS_RESOURCE_BUFFER, .within = 7, .offset = 256, .name = ""},
        {.id = 2, .kind = WS_RESOURCE_BUFFER, .within = 7, .offset = 4096, .name = ""},
        {.id = 3, .kind = WS_RESOURCE_BUFFER, .within = WS_NONE, .offset = 0, .name = ""}};
    const struct ws_resource named = {
        .id = 1, .kind = WS_RESOURCE_BUFFER, .within = 7, .offset = 256, .name = "vertices"};
    struct ws_chunk chunk = {.type = WS_CHUNK_RESOURCES};
    (void)state;
    ws_catalog_init(&catalog);
    give_shader(0);
    give_shader(1);
    chunk.resources = (struct ws_chunk_resources){.resources = resources, .resource_count = 4};
    record(&chunk);
    chunk.resources = (struct ws_chunk_resources){.resources = &named, .resource_count = 1};
    record(&chunk);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ws_catalog_finish(&catalog);
    return 0;
}

static void give_set(uint32_t id, const struct ws_descriptor *descriptors, uint32_t count)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_SET};
    chunk.set = (struct ws_chunk_set){.id = id, .descriptors = descriptors, .descriptor_count = count};
    record(&chunk);
}

static struct ws_bound_use use_of(uint32_t pipeline, const struct ws_bound_set *set)
{
    return (struct ws_bound_use){.pipeline = pipeline, .sets = set, .set_count = 1};
}

static void give_launch(uint64_t index, const struct ws_bound_use *uses, uint32_t count)
{
    const struct ws_bound_launch launch = {.launch = index, .uses = uses, .use_count = count};
    struct ws_chunk chunk = {.type = WS_CHUNK_BOUND};
    chunk.bound = (struct ws_chunk_bound){.launches = &launch, .launch_count = 1};
    record(&chunk);
}

/* The id of the buffer at a place of set 0, or what of WS_BOUND_*. */
static uint32_t find(uint64_t launch, uint32_t shader, uint32_t binding, uint32_t element, uint64_t *offset)
{
    const struct ws_bound_place place = {0, binding, element};
    const uint32_t index = ws_bound_find(&catalog, launch, shader, &place, offset);
    const struct ws_resource *resource = ws_bound_resource(&catalog, index);
    assert_true(resource != NULL || index > WS_BOUND_LAST);
    return resource != NULL ? resource->id : index;
}

/* Binding 1: an array of 2 with dynamic offsets 512 and 1024, of which the first also has 64 of its own. Binding 2: the rest of
 * a buffer without an allocation. */
static void test_one_use(void **state)
{
    const struct ws_descriptor descriptors[] = {{0, 0, BLOCK, WS_NONE, 0, 48},
                                                {1, 0, DYNAMIC, 1, 64, 128},
                                                {1, 1, DYNAMIC, 2, 0, 128},
                                                {2, 0, STORAGE, 3, 32, WS_WHOLE_RANGE},
                                                {3, 0, STORAGE, WS_NONE, 32, 64}};
    const uint32_t offsets[] = {512, 1024};
    const struct ws_bound_set set = {.state = 5, .offsets = offsets, .offset_count = 2};
    const struct ws_bound_use use = use_of(0, &set);
    uint64_t offset = 0;
    (void)state;
    give_set(5, descriptors, 5);
    give_launch(9, &use, 1);
    assert_int_equal(find(9, 0, 1, 0, &offset), 1);
    assert_int_equal(offset, 256 + 64 + 512);
    assert_int_equal(find(9, 0, 1, 1, &offset), 2);
    assert_int_equal(offset, 4096 + 1024);
    assert_int_equal(find(9, 0, 2, 0, &offset), 3);
    assert_int_equal(offset, 32);
    assert_int_equal(find(9, 0, 2, WS_NONE, &offset), 3);
    assert_int_equal(find(9, 0, 1, WS_NONE, &offset), WS_BOUND_SEVERAL);
    assert_int_equal(find(9, 0, 0, 0, &offset), WS_BOUND_INLINE);
    assert_int_equal(find(9, 0, 3, 0, &offset), WS_BOUND_NONE); /* it was destroyed */
    assert_int_equal(find(9, 0, 4, 0, &offset), WS_BOUND_NONE);
    assert_int_equal(find(9, 1, 1, 0, &offset), WS_BOUND_UNKNOWN); /* a shader that did not run */
    assert_int_equal(find(8, 0, 1, 0, &offset), WS_BOUND_UNKNOWN);
    const uint32_t index = ws_bound_resource_of(&catalog, 1);
    assert_string_equal(ws_bound_resource(&catalog, index)->name, "vertices");
    assert_string_equal(ws_bound_resource(&catalog, ws_bound_resource_of(&catalog, 7))->name, "heap");
}

/* Two launches with another buffer each; and a render pass in which a pipeline draws with both, and another always with one. */
static void test_several_uses(void **state)
{
    const struct ws_descriptor first = {0, 0, STORAGE, 1, 0, 64};
    const struct ws_descriptor second = {0, 0, STORAGE, 2, 0, 64};
    const struct ws_bound_set sets[] = {{.state = 0}, {.state = 1}};
    const struct ws_bound_use uses[] = {use_of(0, &sets[0]), use_of(0, &sets[1]), use_of(1, &sets[1]),
                                        use_of(1, &sets[1])};
    uint64_t offset = 0;
    (void)state;
    give_set(0, &first, 1);
    give_set(1, &second, 1);
    give_launch(0, &uses[0], 1);
    give_launch(1, &uses[1], 1);
    give_launch(2, uses, 4);
    assert_int_equal(find(0, 0, 0, 0, &offset), 1);
    assert_int_equal(offset, 256);
    assert_int_equal(find(1, 0, 0, 0, &offset), 2);
    assert_int_equal(offset, 4096);
    assert_int_equal(find(2, 0, 0, 0, &offset), WS_BOUND_SEVERAL);
    assert_int_equal(find(2, 1, 0, 0, &offset), 2);

    /* Any pipeline, as with indirect execution sets; and a set that is not followed. */
    const struct ws_bound_set unknown = {.reason = WS_BOUND_BUFFER, .set = WS_NONE, .state = WS_NONE};
    const struct ws_bound_use any[] = {use_of(WS_NONE, &sets[0]), use_of(1, &unknown)};
    give_launch(3, any, 1);
    give_launch(4, &any[1], 1);
    assert_int_equal(find(3, 1, 0, 0, &offset), 1);
    assert_int_equal(find(4, 1, 0, 0, &offset), WS_BOUND_WHY(WS_BOUND_BUFFER));
}

/* A set that there was no memory to follow, a set that is not bound, and one of which the capture has a part. */
static void test_reasons(void **state)
{
    const struct ws_descriptor descriptor = {0, 0, STORAGE, 1, 0, 64};
    const struct ws_bound_set sets[] = {{.set = 0, .reason = WS_BOUND_NOT_FOLLOWED, .state = WS_NONE},
                                        {.set = 1, .state = 0},
                                        {.set = 0, .reason = WS_BOUND_REASONS, .state = WS_NONE}};
    const struct ws_bound_use use = {.pipeline = 0, .sets = sets, .set_count = 2};
    const struct ws_bound_use newer = use_of(0, &sets[2]);
    struct ws_chunk chunk = {.type = WS_CHUNK_SET};
    struct ws_bound_place place = {1, 0, 0};
    uint64_t offset = 0;
    (void)state;
    chunk.set = (struct ws_chunk_set){.left_out = 1, .descriptors = &descriptor, .descriptor_count = 1};
    record(&chunk);
    give_launch(0, &use, 1);
    give_launch(1, &newer, 1);
    assert_int_equal(find(0, 0, 0, 0, &offset), WS_BOUND_WHY(WS_BOUND_NOT_FOLLOWED));
    assert_int_equal(ws_bound_find(&catalog, 0, 0, &place, &offset), ws_bound_resource_of(&catalog, 1));
    place.binding = 1;
    assert_int_equal(ws_bound_find(&catalog, 0, 0, &place, &offset), WS_BOUND_WHY(WS_BOUND_TOO_MUCH));
    place.set = 2;
    assert_int_equal(ws_bound_find(&catalog, 0, 0, &place, &offset), WS_BOUND_UNKNOWN);
    assert_int_equal(find(1, 0, 0, 0, &offset), WS_BOUND_UNKNOWN); /* a reason of a newer version */
}

static void give_change(uint32_t id, uint32_t base, const struct ws_descriptor *descriptors, uint32_t count)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_SET_CHANGE};
    chunk.set_change = (struct ws_chunk_set_change){
        .id = id, .base = base, .descriptors = descriptors, .descriptor_count = count};
    record(&chunk);
}

/* State 5 has buffer 1 at element 0 and 2 at element 2, and a dynamic one. 6 is 5 with 3 at element 1 and another dynamic one.
 * 7 is 6 with 1 at element 1 and 3 at element 0. 8 would be 5 with something, but 5 is not the last any more; 9 a change of
 * what is not there. Buffer 2 is gone for launch 2. Launch i has state 5 + i. */
static void test_changes(void **state)
{
    const struct ws_descriptor first[] = {
        {0, 0, STORAGE, 1, 0, 64}, {0, 2, STORAGE, 2, 0, 64}, {1, 0, DYNAMIC, 1, 64, 64}};
    const struct ws_descriptor second[] = {{0, 1, STORAGE, 3, 8, 64}, {1, 0, DYNAMIC, 3, 16, 64}};
    const struct ws_descriptor third[] = {{0, 0, STORAGE, 3, 24, 64}, {0, 1, STORAGE, 1, 0, 64}};
    /* The buffer and the offset at elements 0, 1, 2 and 3 of binding 0, and at binding 1 with the dynamic offset 512. */
    static const uint32_t buffers[3][5] = {{1, WS_BOUND_NONE, 2, WS_BOUND_NONE, 1},
                                           {1, 3, 2, WS_BOUND_NONE, 3},
                                           {3, 1, WS_BOUND_NONE, WS_BOUND_NONE, 3}};
    static const uint64_t offsets[3][5] = {
        {256, 0, 4096, 0, 256 + 64 + 512}, {256, 8, 4096, 0, 16 + 512}, {24, 256, 0, 0, 16 + 512}};
    const uint32_t dynamic = 512;
    uint64_t offset = 0;
    (void)state;
    const uint32_t gone = 2;
    struct ws_chunk chunk = {.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.moment = 2, .gone = &gone, .gone_count = 1};
    record(&chunk);
    give_set(5, first, 3);
    give_change(6, 5, second, 2);
    give_change(7, 6, third, 2);
    give_change(8, 5, third, 2);
    give_change(9, 77, third, 2);
    for (uint32_t i = 0; i < 5; ++i) {
        const struct ws_bound_set set = {.state = 5 + i, .offsets = &dynamic, .offset_count = 1};
        const struct ws_bound_use use = use_of(0, &set);
        give_launch(i, &use, 1);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t j = 0; j < 5; ++j) {
            assert_int_equal(find(i, 0, j / 4, j % 4, &offset), buffers[i][j]);
            assert_int_equal(offset, offsets[i][j]);
        }
        assert_int_equal(find(i, 0, 0, WS_NONE, &offset), WS_BOUND_SEVERAL);
    }
    assert_int_equal(find(3, 0, 0, 0, &offset), WS_BOUND_UNKNOWN);
    assert_int_equal(find(4, 0, 0, 0, &offset), WS_BOUND_UNKNOWN);
}

/* All elements of a binding are one buffer, where the shader chooses: also those that came later, and only those that are there
 * still. */
static void test_changes_of_all(void **state)
{
    const struct ws_descriptor first[] = {{0, 0, STORAGE, 1, 0, 64}, {0, 1, STORAGE, 2, 0, 64}};
    const struct ws_descriptor alike = {0, 1, STORAGE, 1, 0, 64};
    const struct ws_descriptor later[] = {{0, 4, STORAGE, 3, 0, 64}, {2, 0, STORAGE, 3, 0, 64}};
    const struct ws_descriptor again = {0, 4, STORAGE, 1, 0, 64};
    static const uint32_t expected[4] = {WS_BOUND_SEVERAL, 1, WS_BOUND_SEVERAL, 1};
    uint64_t offset = 0;
    (void)state;
    give_set(0, first, 2);
    give_change(1, 0, &alike, 1);
    give_change(2, 1, later, 2);
    give_change(3, 2, &again, 1);
    for (uint32_t i = 0; i < 4; ++i) {
        const struct ws_bound_set set = {.state = i};
        const struct ws_bound_use use = use_of(0, &set);
        give_launch(i, &use, 1);
        assert_int_equal(find(i, 0, 0, WS_NONE, &offset), expected[i]);
        assert_int_equal(find(i, 0, 2, WS_NONE, &offset), i < 2 ? WS_BOUND_NONE : 3);
    }
}

/* Element 0 is written again for each launch, and element 1 for every seventh: each is found in steps that grow with the
 * logarithm of the number of changes. */
static void test_many_changes(void **state)
{
    enum { LAUNCHES = 20000, STEPS = 50 };
    const struct ws_descriptor first[] = {{0, 0, STORAGE, 1, 0, 64}, {0, 1, STORAGE, 3, 0, 64}};
    uint64_t offset = 0;
    (void)state;
    give_set(0, first, 2);
    for (uint32_t i = 0; i < LAUNCHES; ++i) {
        const struct ws_descriptor later[] = {{0, 0, STORAGE, 1, 8 * i, 64}, {0, 1, STORAGE, 3, 8 * i, 64}};
        const struct ws_bound_set set = {.state = i};
        const struct ws_bound_use use = use_of(0, &set);
        if (i > 0)
            give_change(i, i - 1, later, i % 7 == 0 ? 2 : 1);
        give_launch(i, &use, 1);
    }
    ws_budget_set_least((uint64_t)STEPS * LAUNCHES);
    ws_budget_begin(0);
    for (uint32_t i = 0; i < LAUNCHES; ++i) {
        assert_int_equal(find(i, 0, 0, 0, &offset), 1);
        assert_int_equal(offset, 256 + 8 * i);
        assert_int_equal(find(i, 0, 0, 1, &offset), 3);
        assert_int_equal(offset, 8 * (i - i % 7));
    }
    assert_true(ws_budget_spend(0));
    ws_budget_set_least(WS_STEPS_LEAST);
    ws_budget_begin(0);
}

static struct ws_resource buffer_of(uint32_t id, uint32_t within, uint64_t offset, uint64_t size,
                                    uint64_t address)
{
    return (struct ws_resource){.id = id,
                                .kind = WS_RESOURCE_BUFFER,
                                .within = within,
                                .offset = offset,
                                .size = size,
                                .address = address,
                                .name = ""};
}

/* Says that a device address is a byte of memory that has an id, in a buffer; or what of WS_BOUND_* both are. */
static void check_address(uint64_t launch, uint64_t address, uint32_t buffer, uint32_t memory,
                          uint64_t offset)
{
    struct ws_bound_addresses addresses;
    assert_true(ws_bound_addresses_init(&addresses, &catalog, launch));
    const struct ws_bound_spot spot = ws_bound_addresses_find(&addresses, address);
    const struct ws_resource *resource = ws_bound_resource(&catalog, spot.resource);
    const struct ws_resource *holder = ws_bound_resource(&catalog, spot.memory);
    ws_bound_addresses_finish(&addresses);
    assert_int_equal(resource != NULL ? resource->id : spot.resource, buffer);
    assert_int_equal(holder != NULL ? holder->id : spot.memory, memory);
    assert_int_equal(spot.offset, offset);
}

/* Buffers of allocation 7, as long as 256 bytes: 11 at 512, 12 at 640, so that they share bytes 640 to 767. They begin at the
 * addresses 0x1200 and 0x1280. Buffer 13 lies in no allocation. From launch 5 on 12 is gone, and 14 of another allocation has
 * its addresses; it is not there before. */
static void test_addresses(void **state)
{
    const struct ws_resource before[] = {buffer_of(11, 7, 512, 256, 0x1200),
                                         buffer_of(12, 7, 640, 256, 0x1280),
                                         buffer_of(13, WS_NONE, 0, 64, 0x8000), buffer_of(15, 7, 0, 64, 0)};
    const struct ws_resource after[] = {
        {.id = 8, .kind = WS_RESOURCE_ALLOCATION, .within = WS_NONE, .name = ""},
        buffer_of(14, 8, 0, 256, 0x1280)};
    const uint32_t gone[] = {12, 99};
    const struct ws_launch launches[] = {{.index = 4, .label = "", .command_buffer = ""},
                                         {.index = 5, .label = "", .command_buffer = ""}};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    (void)state;
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.resources = before, .resource_count = 4};
    record(&chunk);
    chunk.resources = (struct ws_chunk_resources){
        .moment = 5, .resources = after, .resource_count = 2, .gone = gone, .gone_count = 2};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = launches, .launch_count = 2};
    record(&chunk);
    check_address(4, 0x11ff, WS_BOUND_UNKNOWN, WS_BOUND_UNKNOWN, 0);
    check_address(4, 0x1200, 11, 7, 512);
    check_address(4, 0x127f, 11, 7, 639);
    check_address(4, 0x1280, WS_BOUND_SEVERAL, 7, 640);
    check_address(4, 0x12ff, WS_BOUND_SEVERAL, 7, 767);
    check_address(4, 0x1300, 12, 7, 768);
    check_address(4, 0x137f, 12, 7, 895);
    check_address(4, 0x1380, WS_BOUND_UNKNOWN, WS_BOUND_UNKNOWN, 0);
    check_address(4, 0x8010, 13, 13, 16);
    check_address(5, 0x1280, WS_BOUND_SEVERAL, WS_BOUND_UNKNOWN, 0); /* of one address are two places */
    check_address(5, 0x1300, 14, 8, 128);
    check_address(6, 0x1300, WS_BOUND_UNKNOWN, WS_BOUND_UNKNOWN, 0); /* there is no such launch */
}

/* An image of format 37, with views of 37, 43 and 37, and one of a stencil. An array has the first two, an input attachment the
 * second; of two draws another has the third in both. */
static void test_formats(void **state)
{
    enum { SAMPLED = 1, INPUT = 10 };
    const struct ws_resource resources[] = {
        {.id = 20, .kind = WS_RESOURCE_IMAGE, .within = WS_NONE, .format = 37, .name = ""},
        {.id = 21, .kind = WS_RESOURCE_IMAGE_VIEW, .within = 20, .format = 37, .name = ""},
        {.id = 22,
         .kind = WS_RESOURCE_IMAGE_VIEW,
         .within = 20,
         .format = 43,
         .extent = {3, 5, 1},
         .name = ""},
        {.id = 23,
         .kind = WS_RESOURCE_IMAGE_VIEW,
         .within = 20,
         .format = 37,
         .extent = {1, 0, 1},
         .name = ""},
        {.id = 24,
         .kind = WS_RESOURCE_IMAGE_VIEW,
         .within = 20,
         .format = 129,
         .extent = {0, 0, 4},
         .name = ""}};
    const struct ws_descriptor descriptors[] = {{0, 0, SAMPLED, 21, 0, 0},
                                                {0, 1, SAMPLED, 22, 0, 0},
                                                {1, 0, INPUT, 22, 0, 0},
                                                {2, 0, STORAGE, 1, 0, 64},
                                                {3, 0, SAMPLED, 24, 0, 0}};
    const struct ws_descriptor other[] = {{0, 0, SAMPLED, 23, 0, 0}, {1, 0, INPUT, 23, 0, 0}};
    const struct ws_bound_set sets[] = {{.state = 5}, {.state = 6}};
    const struct ws_bound_use uses[] = {use_of(0, &sets[0]), use_of(0, &sets[1])};
    struct ws_chunk chunk = {.type = WS_CHUNK_RESOURCES};
    (void)state;
    chunk.resources = (struct ws_chunk_resources){.resources = resources, .resource_count = 5};
    record(&chunk);
    give_set(5, descriptors, 5);
    give_set(6, other, 2);
    give_launch(9, uses, 1);
    give_launch(10, uses, 2);
    const struct ws_bound_place places[] = {{0, 0, 0}, {0, 0, 1}, {0, 0, WS_NONE}, {0, 1, 0}, {0, 2, 0}};
    const uint32_t in_one[] = {37, 43, 0, 43, 0};
    const uint32_t in_both[] = {37, 0, 0, 0, 0};
    const struct ws_bound_place stencil = {0, 3, 0};
    const struct ws_bound_view second = ws_bound_view(&catalog, 9, 0, &places[1]);
    assert_int_equal(second.level, 3);
    assert_int_equal(second.layer, 5);
    assert_int_equal(ws_bound_view(&catalog, 10, 0, &places[0]).level, 0); /* of the two one shows level 1 */
    assert_int_equal(ws_bound_view(&catalog, 9, 0, &stencil).format, 127);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(ws_bound_view(&catalog, 9, 0, &places[i]).format, in_one[i]);
        assert_int_equal(ws_bound_view(&catalog, 10, 0, &places[i]).format, in_both[i]);
        assert_int_equal(ws_bound_view(&catalog, 9, 1, &places[i]).format, 0);
    }
}

static struct ws_descriptor sampling(uint32_t binding, uint32_t element, uint32_t type, uint32_t view,
                                     const struct ws_sampler *sampler)
{
    const struct ws_sampler_words words = ws_sampler_pack(sampler);
    return (struct ws_descriptor){binding, element, type, view, words.offset, words.range};
}

/* Binding 0 has an image with a sampler, 1 an array of samplers of which the first two do the same, 2 an image whose sampler
 * was not recorded. The other draw has another limit in binding 0. */
static void test_samplers(void **state)
{
    enum { SAMPLER = 0, COMBINED = 1 };
    const struct ws_sampler linear = {.magnified = WS_FILTER_LINEAR, .bias = 0.25f, .most_level = 4};
    const struct ws_sampler limited = {.magnified = WS_FILTER_LINEAR, .bias = 0.25f, .most_level = 2};
    const struct ws_sampler clamped = {.address = {WS_ADDRESS_CLAMP_TO_EDGE}};
    const struct ws_descriptor descriptors[] = {sampling(0, 0, COMBINED, 4, &linear),
                                                sampling(1, 0, SAMPLER, WS_NONE, &clamped),
                                                sampling(1, 1, SAMPLER, WS_NONE, &clamped),
                                                {2, 0, COMBINED, 4, 0, 0}};
    const struct ws_descriptor other[] = {sampling(0, 0, COMBINED, 4, &limited),
                                          sampling(1, 0, SAMPLER, WS_NONE, &clamped)};
    const struct ws_bound_set sets[] = {{.state = 5}, {.state = 6}};
    const struct ws_bound_use uses[] = {use_of(0, &sets[0]), use_of(0, &sets[1])};
    const struct ws_bound_place places[] = {{0, 0, 0}, {0, 1, WS_NONE}, {0, 2, 0}, {0, 3, 0}, {0, 1, 1}};
    const uint32_t in_one[] = {0, 0, WS_BOUND_UNKNOWN, WS_BOUND_NONE, 0};
    const uint32_t in_both[] = {WS_BOUND_SEVERAL, 0, WS_BOUND_SEVERAL, WS_BOUND_NONE, WS_BOUND_SEVERAL};
    (void)state;
    give_set(5, descriptors, 4);
    give_set(6, other, 2);
    give_launch(9, uses, 1);
    give_launch(10, uses, 2);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(ws_bound_sampler(&catalog, 9, 0, &places[i]).missing, in_one[i]);
        assert_int_equal(ws_bound_sampler(&catalog, 10, 0, &places[i]).missing, in_both[i]);
    }
    const struct ws_bound_sampler found = ws_bound_sampler(&catalog, 9, 0, &places[0]);
    assert_int_equal(found.sampler.magnified, WS_FILTER_LINEAR);
    assert_true(found.sampler.bias == 0.25f && found.sampler.most_level == 4);
    assert_int_equal(ws_bound_sampler(&catalog, 10, 0, &places[1]).sampler.address[0],
                     WS_ADDRESS_CLAMP_TO_EDGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_uses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reasons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes_of_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_addresses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_formats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_samplers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
