/* Structures by their device address and by their descriptor, from chunks made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/model/catalog.h"
#include "warpscope/passes.h"
#include "warpscope/ray_events.h"

#define LENGTH(array)      (sizeof(array) / sizeof((array)[0]))
#define OP(opcode, length) ((uint32_t)(length) << 16 | SpvOp##opcode)

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

/* Set 0 has an array of 3 structures at binding 0, and an array of 2 such arrays at binding 1, as SPIR-V can say. Six rays: by
 * an element that the shader loads, by element 2, by a copy of a pointer to element 1, by element [0][that it loads], in two
 * steps and in one, and by an element that a function loads, of the array that it is given. */
/* clang-format off */
static const uint32_t elements[] = {
    SpvMagicNumber, 0x10500, 0, 60, 0,
    OP(Capability, 2), SpvCapabilityRayQueryKHR,
    OP(MemoryModel, 3), SpvAddressingModelLogical, SpvMemoryModelGLSL450,
    OP(EntryPoint, 5), SpvExecutionModelGLCompute, 1, 0x6e69616d, 0,
    OP(Decorate, 4), 20, SpvDecorationDescriptorSet, 0,
    OP(Decorate, 4), 20, SpvDecorationBinding, 0,
    OP(Decorate, 4), 21, SpvDecorationDescriptorSet, 0,
    OP(Decorate, 4), 21, SpvDecorationBinding, 1,
    OP(TypeVoid, 2), 2,
    OP(TypeFunction, 3), 3, 2,
    OP(TypeInt, 4), 4, 32, 0,
    OP(Constant, 4), 4, 5, 0,
    OP(Constant, 4), 4, 6, 1,
    OP(Constant, 4), 4, 7, 2,
    OP(Constant, 4), 4, 8, 3,
    OP(TypeAccelerationStructureKHR, 2), 9,
    OP(TypeArray, 4), 10, 9, 8,
    OP(TypeArray, 4), 11, 10, 7,
    OP(TypePointer, 4), 12, SpvStorageClassUniformConstant, 9,
    OP(TypePointer, 4), 13, SpvStorageClassUniformConstant, 10,
    OP(TypePointer, 4), 14, SpvStorageClassUniformConstant, 11,
    OP(TypePointer, 4), 15, SpvStorageClassPrivate, 4,
    OP(TypeRayQueryKHR, 2), 16,
    OP(TypePointer, 4), 17, SpvStorageClassPrivate, 16,
    OP(TypeFunction, 4), 18, 2, 13,
    OP(Variable, 4), 13, 20, SpvStorageClassUniformConstant,
    OP(Variable, 4), 14, 21, SpvStorageClassUniformConstant,
    OP(Variable, 4), 15, 22, SpvStorageClassPrivate,
    OP(Variable, 4), 17, 23, SpvStorageClassPrivate,
    OP(Function, 5), 2, 1, 0, 3,
    OP(Label, 2), 30,
    OP(Load, 4), 4, 31, 22,
    OP(AccessChain, 5), 12, 32, 20, 31,
    OP(Load, 4), 9, 33, 32,
    OP(RayQueryInitializeKHR, 9), 23, 33, 0, 0, 0, 0, 0, 0,
    OP(InBoundsAccessChain, 5), 12, 34, 20, 7,
    OP(Load, 4), 9, 35, 34,
    OP(RayQueryInitializeKHR, 9), 23, 35, 0, 0, 0, 0, 0, 0,
    OP(AccessChain, 5), 12, 36, 20, 6,
    OP(CopyObject, 4), 12, 37, 36,
    OP(Load, 4), 9, 38, 37,
    OP(RayQueryInitializeKHR, 9), 23, 38, 0, 0, 0, 0, 0, 0,
    OP(AccessChain, 5), 13, 39, 21, 5,
    OP(AccessChain, 5), 12, 40, 39, 31,
    OP(Load, 4), 9, 41, 40,
    OP(RayQueryInitializeKHR, 9), 23, 41, 0, 0, 0, 0, 0, 0,
    OP(AccessChain, 6), 12, 42, 21, 5, 31,
    OP(Load, 4), 9, 43, 42,
    OP(RayQueryInitializeKHR, 9), 23, 43, 0, 0, 0, 0, 0, 0,
    OP(FunctionCall, 5), 2, 44, 50, 20,
    OP(Return, 1),
    OP(FunctionEnd, 1),
    OP(Function, 5), 2, 50, 0, 18,
    OP(FunctionParameter, 3), 13, 51,
    OP(Label, 2), 52,
    OP(Load, 4), 4, 53, 22,
    OP(AccessChain, 5), 12, 54, 51, 53,
    OP(Load, 4), 9, 55, 54,
    OP(RayQueryInitializeKHR, 9), 23, 55, 0, 0, 0, 0, 0, 0,
    OP(Return, 1),
    OP(FunctionEnd, 1),
};
/* clang-format on */

static void give_elements(void)
{
    static const char *const passes[] = {WS_PASS_RAY_EVENTS};
    struct ws_site_info sites[6];
    uint32_t count = 0;
    for (uint32_t at = 5; at < LENGTH(elements); at += elements[at] >> 16) {
        if ((elements[at] & 0xffff) == SpvOpRayQueryInitializeKHR)
            sites[count++] =
                (struct ws_site_info){0, WS_RAY_INITIALIZE, WS_SITE_DATA, 0, at, WS_RAY_INITIALIZE_WORDS};
    }
    assert_int_equal(count, 6);
    struct ws_chunk chunk = {.type = WS_CHUNK_MODULE};
    chunk.module = (struct ws_chunk_module){.name = "", .words = elements, .word_count = LENGTH(elements)};
    record(&chunk);
    const struct ws_block_info block = {.label = 30};
    const struct ws_entry_info entry = {.name = "main", .stage = WS_STAGE_COMPUTE, .function = 1};
    chunk = (struct ws_chunk){.type = WS_CHUNK_SITES};
    chunk.sites = (struct ws_chunk_sites){.passes = passes,
                                          .pass_count = 1,
                                          .entries = &entry,
                                          .entry_count = 1,
                                          .blocks = &block,
                                          .block_count = 1,
                                          .sites = sites,
                                          .site_count = count};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SHADER};
    chunk.shader = (struct ws_chunk_shader){.entry = 0, .name = "main"};
    record(&chunk);
    const uint32_t shader = 0;
    chunk = (struct ws_chunk){.type = WS_CHUNK_PIPELINE};
    chunk.pipeline = (struct ws_chunk_pipeline){.shaders = &shader, .shader_count = 1};
    record(&chunk);
}

/* Structures 10, 11 and 12 are bound at the elements of binding 0. */
static void test_elements(void **state)
{
    const uint32_t type = 1000150000; /* VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR */
    const struct ws_descriptor descriptors[] = {{0, 0, type, 10, 0, 0},
                                                {0, 1, type, 11, 0, 0},
                                                {0, 2, type, 12, 0, 0},
                                                {1, 0, type, 13, 0, 0},
                                                {1, 1, type, 14, 0, 0}};
    const struct ws_bound_set set = {.state = 5};
    const struct ws_bound_use use = {.pipeline = 0, .sets = &set, .set_count = 1};
    const struct ws_bound_launch launch = {.launch = 0, .uses = &use, .use_count = 1};
    (void)state;
    begin(1);
    give_elements();
    struct ws_chunk chunk = {.type = WS_CHUNK_SET};
    chunk.set = (struct ws_chunk_set){.id = 5, .descriptors = descriptors, .descriptor_count = 5};
    record(&chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_BOUND};
    chunk.bound = (struct ws_chunk_bound){.launches = &launch, .launch_count = 1};
    record(&chunk);
    /* Of each site: what it is where the element is not told, and where it is said to be 0, 1, 2, 3. */
    static const uint32_t expected[6][5] = {{WS_NONE, 10, 11, 12, WS_NONE},
                                            {12, 12, 12, 12, 12},
                                            {11, 11, 11, 11, 11},
                                            {WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE},
                                            {WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE},
                                            {WS_NONE, 10, 11, 12, WS_NONE}};
    for (uint32_t site = 0; site < 6; ++site) {
        assert_int_equal(ws_structure_bound(&catalog, 0, 0, site), expected[site][0]);
        for (uint32_t element = 0; element < 4; ++element)
            assert_int_equal(ws_structure_chosen(&catalog, 0, 0, site, element), expected[site][1 + element]);
        assert_int_equal(ws_structure_chosen(&catalog, 1, 0, site, 0), WS_NONE); /* there is no such launch */
    }
    ws_catalog_finish(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses), cmocka_unit_test(test_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
