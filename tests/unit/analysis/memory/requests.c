/* Requests put together from words, with lines, sectors and pages by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/requests.h"
#include "warpscope/instrument.h"

/* Loads of `size` bytes at 4 x the first word of a lane from binding 0. */
static struct ws_traced_access load(uint32_t size)
{
    return (struct ws_traced_access){
        .access = {.memory = WS_MEMORY_STORAGE,
                   .variable = 7,
                   .size = size,
                   .unit = 4,
                   .base = WS_NONE,
                   .descriptor_word = WS_NONE,
                   .terms = {{0, 4}},
                   .term_count = 1},
        .is_bound = true,
    };
}

static void check(const struct ws_request *request, uint32_t index, uint64_t line, uint32_t sectors)
{
    assert_true(index < request->line_count);
    assert_int_equal(request->lines[index].line, line);
    assert_int_equal(request->lines[index].sectors, sectors);
}

/* Bytes 28 to 35, 60 to 67 and 124 to 131: sectors 0 and 1, 1 and 2, 3 and the first of the next line. */
static void straddles(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    const struct ws_traced_access access = load(8);
    const uint32_t words[] = {7, 15, 31};
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 3));
    assert_int_equal(request.line_count, 2);
    check(&request, 0, 0, 0xf);
    check(&request, 1, 1, 0x1);
    assert_int_equal(request.sector_count, 5);
    assert_int_equal(request.lane_count, 3);
    ws_request_memory_finish(&memory);
}

/* Pages of 512 lines in the order of the first touch: page 5 of the buffer is page 0 here, page 2 is page 1. A request that
 * goes on into the next page of the buffer gets a page for that. */
static void gives_pages_out(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    const struct ws_traced_access access = load(8);
    const uint32_t far[] = {5 * 16384 + 32, 2 * 16384};
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, far, 1, 2));
    check(&request, 0, 1, 1);
    check(&request, 1, 512, 1);
    const uint32_t edge = 3 * 16384 - 1; /* the last 4 bytes of page 2, the first 4 of page 3 */
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, &edge, 1, 1));
    check(&request, 0, 512 + 511, 8);
    check(&request, 1, 2 * 512, 1);
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, far, 1, 1));
    check(&request, 0, 1, 1);
    assert_int_equal(memory.page_count, 3);
    ws_request_memory_finish(&memory);
}

/* The same binding is one buffer in all modules. Another binding, another element of an array, and a variable without binding
 * in another module are others; so is a device address of the same number. */
static void tells_buffers_apart(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    struct ws_traced_access access = load(4);
    const uint32_t words[] = {0, 0, 0};
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 1));
    check(&request, 0, 0, 1);
    assert_true(ws_request_make(&request, &memory, &access, 1, NULL, words, 1, 1));
    check(&request, 0, 0, 1);
    access.binding = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 1));
    check(&request, 0, 512, 1);
    access.access.descriptor = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 1));
    check(&request, 0, 2 * 512, 1);
    access.is_bound = false;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 1));
    check(&request, 0, 3 * 512, 1);
    assert_true(ws_request_make(&request, &memory, &access, 1, NULL, words, 1, 1));
    check(&request, 0, 4 * 512, 1);
    access.access.memory = WS_MEMORY_ADDRESS;
    access.access.base = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 3, 1));
    check(&request, 0, 5 * 512, 1);
    ws_request_memory_finish(&memory);
}

/* Texels of 4 bytes: 8 in a sector, 32 in a line. Level 1 of element 0, and level 0 of element 1, are pages of their own, also
 * where both numbers add up to the same; and so is what is 2^30 texels behind the first, in the next 4 GiB. */
static void tells_levels_apart(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    struct ws_traced_access access = load(4);
    const uint32_t words[] = {7, 0, 8, 0, 32, 0, 7, 1};
    access.access.memory = WS_MEMORY_IMAGE;
    access.access.base = 0;
    access.access.has_part = true;
    access.access.term_count = 0;
    assert_int_equal(ws_stretch_address(&access.access, words + 6), 4 * (UINT64_C(1) << 32 | 7));
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 2, 4));
    assert_int_equal(request.line_count, 3);
    check(&request, 0, 0, 3);
    check(&request, 1, 1, 1);
    check(&request, 2, 512, 1);
    access.access.descriptor = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 2, 1));
    check(&request, 0, 2 * 512, 1);
    access.access.descriptor = 4; /* of which byte 0 is 4 times 4 GiB behind that of element 0 */
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 2, 1));
    check(&request, 0, 3 * 512, 1);
    const uint32_t far[] = {7 | 1u << 30, 0};
    access.access.descriptor = 0;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, far, 2, 1));
    check(&request, 0, 4 * 512, 1);
    ws_request_memory_finish(&memory);
}

static void record(struct ws_catalog *catalog, const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(catalog, chunk, &error));
}

/* Bindings 0 and 1 are one allocation: binding 0 from 832 on (256 of the buffer, 64 of the descriptor, 512 of its dynamic
 * offset), binding 1 from 768 on, in a buffer at 768. Binding 2 is not known. */
/* Launch 3 has bound two buffers of one allocation, at bytes 256 and 768, which share lines: binding 0 is the first at a
 * dynamic offset of 512, binding 1 the second. */
static void share(struct ws_catalog *catalog)
{
    static const struct ws_resource resources[] = {
        {.id = 0, .kind = WS_RESOURCE_ALLOCATION, .within = WS_NONE, .name = ""},
        {.id = 1,
         .kind = WS_RESOURCE_BUFFER,
         .within = 0,
         .offset = 256,
         .size = 1024,
         .address = 0x500001000,
         .name = ""},
        {.id = 2,
         .kind = WS_RESOURCE_BUFFER,
         .within = 0,
         .offset = 768,
         .size = 64,
         .address = 0x500001200,
         .name = ""}};
    static const struct ws_descriptor descriptors[] = {{0, 0, 9, 1, 64, 256}, {1, 0, 7, 2, 0, 256}};
    static const struct ws_launch submitted = {.index = 3, .label = "", .command_buffer = ""};
    static const uint32_t dynamic = 512;
    static const struct ws_bound_set set = {.offsets = &dynamic, .offset_count = 1};
    static const struct ws_bound_use use = {.pipeline = WS_NONE, .sets = &set, .set_count = 1};
    static const struct ws_bound_launch launch = {.launch = 3, .uses = &use, .use_count = 1};
    const struct ws_chunk chunks[] = {
        {.type = WS_CHUNK_DEVICE, .device = {.name = "", .driver_name = "", .driver_info = ""}},
        {.type = WS_CHUNK_RESOURCES, .resources = {.resources = resources, .resource_count = 3}},
        {.type = WS_CHUNK_SUBMISSION, .submission = {.launches = &submitted, .launch_count = 1}},
        {.type = WS_CHUNK_SET, .set = {.descriptors = descriptors, .descriptor_count = 2}},
        {.type = WS_CHUNK_BOUND, .bound = {&launch, 1}},
    };
    ws_catalog_init(catalog);
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); ++i)
        record(catalog, &chunks[i]);
}

static void puts_what_is_shared_at_one_place(void **state)
{
    struct ws_catalog catalog;
    struct ws_request request;
    struct ws_traced_access access = load(4);
    static const uint32_t words[] = {0, 16}; /* bytes 0 and 64 of the variable */
    (void)state;
    share(&catalog);
    struct ws_request_memory memory = {.homes = {.catalog = &catalog, .launch = 3}};
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 2));
    assert_int_equal(request.line_count, 2);
    check(&request, 0, 6, 4); /* 832 = 6 x 128 + 2 x 32 */
    check(&request, 1, 7, 1); /* 896 */
    assert_int_equal(request.bound, ws_bound_resource_of(&catalog, 1));
    access.binding = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 2));
    assert_int_equal(request.line_count, 1);
    check(&request, 0, 6, 1 | 4); /* 768 and 832: the same line */
    access.binding = 2;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, 1));
    check(&request, 0, 512, 1);
    ws_request_memory_finish(&memory);
    ws_catalog_finish(&catalog);
}

/* A pointer that is chosen while the shader runs: a lane has byte 0 of binding 0, the next byte 0 of binding 1. */
static void knows_what_is_chosen(void **state)
{
    static const struct ws_placed_buffers placed = {
        .list = {{.variable = 7, .is_bound = true}, {.variable = 8, .is_bound = true, .binding = 1}},
        .count = 2};
    static const uint32_t chosen[] = {0, 1u << 24, 0, 2u << 24};
    struct ws_catalog catalog;
    struct ws_request request;
    struct ws_traced_access access = load(4);
    (void)state;
    share(&catalog);
    struct ws_request_memory memory = {.homes = {.catalog = &catalog, .launch = 3}};
    access.access.variable = 0;
    access.access.varies = true;
    access.access.descriptor_word = 1;
    access.is_bound = false;
    assert_true(ws_request_make(&request, &memory, &access, 0, &placed, chosen, 2, 2));
    assert_int_equal(request.line_count, 1);
    check(&request, 0, 6, 1 | 4);
    assert_int_equal(request.bound, WS_BOUND_SEVERAL);
    ws_request_memory_finish(&memory);
    ws_catalog_finish(&catalog);
}

/* Device addresses: byte 64 of the first buffer is 320 of the allocation, byte 576 is 832. Behind both buffers nothing is
 * known: that is a page of its own. */
static void knows_addresses(void **state)
{
    static const uint32_t addresses[] = {0x1040, 5, 0x1240, 5, 0x9000, 5};
    /* The same by one lane each: byte 64 of buffer 1; byte 528 of that, and 16 of buffer 2; nothing known. */
    static const struct {
        uint64_t address;
        uint64_t of_buffer;
        uint64_t byte;
    } ones[] = {
        {0x500001040, 64, 320}, {0x500001210, 0x500001210, 784}, {0x500009000, 0x500009000, 0x500009000}};
    struct ws_catalog catalog;
    struct ws_request request;
    struct ws_traced_access access = load(4);
    (void)state;
    share(&catalog);
    struct ws_request_memory memory = {.homes = {.catalog = &catalog, .launch = 3}};
    access.is_bound = false;
    access.access = (struct ws_stretch_access){
        .memory = WS_MEMORY_ADDRESS, .size = 4, .unit = 4, .base = 0, .descriptor_word = WS_NONE};
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, addresses, 2, 2));
    assert_int_equal(request.line_count, 2);
    check(&request, 0, 2, 4);
    check(&request, 1, 6, 4);
    assert_int_equal(request.bound, ws_bound_resource_of(&catalog, 1));
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, addresses + 4, 2, 1));
    check(&request, 0, 512 + (0x9000 / 128), 1);
    assert_int_equal(request.bound, WS_BOUND_UNKNOWN);
    for (uint32_t i = 0; i < 3; ++i) {
        struct ws_home home;
        assert_true(ws_homes_address(&memory.homes, ones[i].address, &home));
        assert_int_equal(home.byte, ones[i].byte);
        assert_int_equal(ws_homes_byte_of_buffer(&memory.homes, &home, ones[i].address), ones[i].of_buffer);
    }
    ws_request_memory_finish(&memory);
    ws_catalog_finish(&catalog);
}

/* Texel 3 of a view of RGBA32_UINT that begins at byte 64 of a buffer: 16 bytes from 112 on. Of an index buffer of 32 bits from
 * byte 64 on, whose faces have 12 bytes, it is in faces 4 and 5. */
static void has_the_size_of_texels(void **state)
{
    enum { TEXELS = 4, RGBA32_UINT = 107 };
    const struct ws_resource resources[] = {
        {.id = 1, .kind = WS_RESOURCE_BUFFER, .within = WS_NONE, .size = 1024, .address = 0x1000, .name = ""},
        {.id = 2,
         .kind = WS_RESOURCE_BUFFER_VIEW,
         .within = 1,
         .offset = 64,
         .format = RGBA32_UINT,
         .name = ""}};
    const struct ws_descriptor descriptor = {.type = TEXELS, .resource = 2};
    const struct ws_launch submitted = {.index = 3, .label = "", .command_buffer = ""};
    const struct ws_bound_set set = {.offset_count = 0};
    const struct ws_bound_use use = {.pipeline = WS_NONE, .sets = &set, .set_count = 1};
    const struct ws_bound_launch launch = {.launch = 3, .uses = &use, .use_count = 1};
    struct ws_catalog catalog;
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    struct ws_traced_access access = load(4);
    struct ws_home home = {0};
    const uint32_t word = 3;
    uint32_t size = 0;
    (void)state;
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&catalog, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_RESOURCES};
    chunk.resources = (struct ws_chunk_resources){.resources = resources, .resource_count = 2};
    record(&catalog, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = &submitted, .launch_count = 1};
    record(&catalog, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SET};
    chunk.set = (struct ws_chunk_set){.descriptors = &descriptor, .descriptor_count = 1};
    record(&catalog, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_BOUND};
    chunk.bound = (struct ws_chunk_bound){&launch, 1};
    record(&catalog, &chunk);
    struct ws_request_memory memory = {.homes = {.catalog = &catalog, .launch = 3}};
    access.access.memory = WS_MEMORY_TEXELS;
    access.access.is_assumed = true;
    assert_true(ws_request_home(&memory, &access, 0, NULL, &word, &home, &size));
    assert_int_equal(home.byte, 64 + 48);
    assert_int_equal(size, 16);
    ws_request_memory_finish(&memory);
    ws_catalog_finish(&catalog);
}

/* Lanes that touch elements of an array of descriptors, each by its own index, touch a line each. */
static void follows_descriptors(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    struct ws_traced_access access = load(4);
    const uint32_t words[] = {9, 0, 9, 1, 9, 0}; /* of each lane: the index, the element */
    access.access.descriptor_word = 1;
    assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 2, 3));
    assert_int_equal(request.line_count, 2);
    check(&request, 0, 0, 2);
    check(&request, 1, 512, 2);
    ws_request_memory_finish(&memory);
}

/* Lanes that touch one of two buffers by places: the same line of both is two lines, and that of the second is the line of its
 * binding in other accesses. */
static void knows_places(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    struct ws_request request;
    struct ws_placed_buffers placed = {.count = 2};
    struct ws_traced_access access = load(4);
    const uint32_t zero = 0;
    placed.list[0] = (struct ws_placed_buffer){.variable = 7, .is_bound = true, .binding = 3};
    placed.list[1] = (struct ws_placed_buffer){.variable = 8, .is_bound = true, .binding = 4};
    access.access.variable = 0;
    access.access.varies = true;
    access.access.descriptor_word = 1;
    access.is_bound = false;
    const uint32_t words[] = {0, 1u << 24, 0, 2u << 24, 1, 2u << 24, 0, 2u << 24 | 1};
    assert_true(ws_request_make(&request, &memory, &access, 0, &placed, words, 2, 4));
    assert_int_equal(request.line_count, 3); /* binding 3, binding 4, element 1 of that */
    access = load(4);
    access.binding = 4;
    assert_true(ws_request_make(&request, &memory, &access, 1, NULL, &zero, 1, 1));
    check(&request, 0, 512, 1);
    ws_request_memory_finish(&memory);
}

/* Notes a sector of a line in a list as plain as can be. */
static void touch_plainly(struct ws_request *plain, uint64_t line, uint32_t sector, bool is_first)
{
    uint32_t i = 0;
    while (i < plain->line_count && plain->lines[i].line != line)
        ++i;
    if (i == plain->line_count)
        plain->lines[plain->line_count++] = (struct ws_request_line){.line = line};
    plain->sector_count += (plain->lines[i].sectors >> sector & 1) == 0;
    plain->lines[i].sectors |= 1u << sector;
    plain->lines[i].lanes += is_first;
}

/* Lanes all over one page: few lines and many, again and again. Its lines are those of the buffer, once its page is page 0. */
static void finds_lines_again(void **state)
{
    (void)state;
    struct ws_request_memory memory = {0};
    static struct ws_request request;
    static struct ws_request plain;
    uint32_t random = 1;
    for (uint32_t round = 0; round < 2000; ++round) {
        const struct ws_traced_access access = load(4u << round % 6);
        const uint32_t lanes = 1 + round % 128;
        const uint32_t range = 8u << round % 11; /* of 4 bytes: to half a page */
        uint32_t words[128];
        plain = (struct ws_request){0};
        for (uint32_t i = 0; i < lanes; ++i) {
            random = random * 1664525 + 1013904223;
            words[i] = (random >> 8) % range;
            const uint32_t first = words[i] * 4 / 32;
            for (uint32_t sector = first; sector <= (words[i] * 4 + access.access.size - 1) / 32; ++sector)
                touch_plainly(&plain, sector / 4, sector % 4, sector == first);
        }
        assert_true(ws_request_make(&request, &memory, &access, 0, NULL, words, 1, lanes));
        assert_int_equal(request.line_count, plain.line_count);
        assert_int_equal(request.sector_count, plain.sector_count);
        for (uint32_t i = 0; i < plain.line_count; ++i) {
            check(&request, i, plain.lines[i].line, plain.lines[i].sectors);
            assert_int_equal(request.lines[i].lanes, plain.lines[i].lanes);
        }
    }
    ws_request_memory_finish(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straddles),
        cmocka_unit_test(gives_pages_out),
        cmocka_unit_test(tells_buffers_apart),
        cmocka_unit_test(tells_levels_apart),
        cmocka_unit_test(puts_what_is_shared_at_one_place),
        cmocka_unit_test(knows_what_is_chosen),
        cmocka_unit_test(knows_addresses),
        cmocka_unit_test(has_the_size_of_texels),
        cmocka_unit_test(follows_descriptors),
        cmocka_unit_test(knows_places),
        cmocka_unit_test(finds_lines_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
