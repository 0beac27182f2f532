/* Structures by their device address, from chunks made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warpscope/model/catalog.h"

static struct ws_catalog catalog;

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

static void give(uint32_t id, uint32_t device, uint64_t address)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_STRUCTURE};
    chunk.structure = (struct ws_chunk_structure){.id = id, .device = device, .address = address, .name = ""};
    record(&chunk);
}

static void build(uint32_t structure, uint64_t moment)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_BUILD};
    chunk.build = (struct ws_chunk_build){.structure = structure, .moment = moment, .source = WS_NONE};
    record(&chunk);
}

static void copy_to(uint32_t structure, uint64_t moment)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_COPY};
    chunk.copy = (struct ws_chunk_copy){.source = 0, .destination = structure, .moment = moment};
    record(&chunk);
}

static void begin(uint64_t launch_count)
{
    struct ws_launch launches[8] = {{.index = 0}};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    for (uint64_t i = 0; i < launch_count; ++i)
        launches[i] = (struct ws_launch){.index = i, .label = "", .command_buffer = ""};
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission =
        (struct ws_chunk_submission){.launches = launches, .launch_count = (uint32_t)launch_count};
    record(&chunk);
}

/* Structures 0 and 1 share the address 0x1000: 0 is built for launch 1, 1 for launch 2 and again for 3, and 0 is copied to for
 * launch 5. 2 has an address of its own and is gone from launch 4 on. 3 is of another device, 4 has no build, 5 no address. */
static void test_addresses(void **state)
{
    (void)state;
    begin(7);
    give(0, 0, 0x1000);
    give(1, 0, 0x1000);
    give(2, 0, 0x2000);
    give(3, 1, 0x3000);
    give(4, 0, 0x4000);
    give(5, 0, 0);
    build(0, 1);
    build(1, 2);
    build(1, 3);
    build(2, 0);
    build(3, 0);
    build(5, 0);
    copy_to(0, 5);
    struct ws_chunk chunk = {.type = WS_CHUNK_GONE};
    chunk.gone = (struct ws_chunk_gone){.structure = 2, .moment = 4};
    record(&chunk);
    static const uint32_t at_shared[7] = {WS_NONE, 0, 1, 1, 1, 0, 0};
    static const uint32_t at_own[7] = {2, 2, 2, 2, WS_NONE, WS_NONE, WS_NONE};
    for (uint64_t launch = 0; launch < 7; ++launch) {
        assert_int_equal(ws_structure_at(&catalog, launch, 0x1000), at_shared[launch]);
        assert_int_equal(ws_structure_at(&catalog, launch, 0x2000), at_own[launch]);
        assert_int_equal(ws_structure_at(&catalog, launch, 0x3000), WS_NONE);
        assert_int_equal(ws_structure_at(&catalog, launch, 0x4000), WS_NONE);
        assert_int_equal(ws_structure_at(&catalog, launch, 0), WS_NONE);
        assert_int_equal(ws_structure_at(&catalog, launch, 0x1001), WS_NONE);
    }
    assert_int_equal(ws_structure_at(&catalog, 7, 0x1000), WS_NONE); /* there is no such launch */
    ws_catalog_finish(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
