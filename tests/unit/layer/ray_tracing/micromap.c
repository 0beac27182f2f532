/* What opacity micromaps hold: copied when they are built, and found where a structure is built with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "tests/unit/layer/mock/application.h"
#include "tests/unit/layer/mock/building.h"
#include "tests/unit/layer/mock/builds.h"
#include "warpscope/instrument.h"

/* Where the opacities and their triangles are in the buffer. */
#define DATA      1024
#define TRIANGLES 2048

/* Three triangles: two of level 2 with four states, 4 bytes each, and one of level 0 with two states, 1 byte, which takes 4. */
static const VkMicromapUsageEXT usages[] = {{2, 2, VK_OPACITY_MICROMAP_FORMAT_4_STATE_EXT},
                                            {1, 0, VK_OPACITY_MICROMAP_FORMAT_2_STATE_EXT}};

static VkMicromapEXT create(void)
{
    const VkMicromapCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_MICROMAP_CREATE_INFO_EXT};
    VkMicromapEXT micromap = VK_NULL_HANDLE;
    assert_int_equal(
        ((PFN_vkCreateMicromapEXT)mock_hook("vkCreateMicromapEXT"))(mock_device(), &info, NULL, &micromap),
        VK_SUCCESS);
    return micromap;
}

static void destroy(VkMicromapEXT micromap)
{
    ((PFN_vkDestroyMicromapEXT)mock_hook("vkDestroyMicromapEXT"))(mock_device(), micromap, NULL);
}

static VkMicromapBuildInfoEXT info_of(VkMicromapEXT micromap)
{
    return (VkMicromapBuildInfoEXT){.sType = VK_STRUCTURE_TYPE_MICROMAP_BUILD_INFO_EXT,
                                    .dstMicromap = micromap,
                                    .usageCountsCount = 2,
                                    .pUsageCounts = usages,
                                    .data.deviceAddress = mock_application.base + DATA,
                                    .triangleArray.deviceAddress = mock_application.base + TRIANGLES,
                                    .triangleArrayStride = 12};
}

static void cmd_build(VkCommandBuffer commands, VkMicromapEXT micromap)
{
    const VkMicromapBuildInfoEXT info = info_of(micromap);
    ((PFN_vkCmdBuildMicromapsEXT)mock_hook("vkCmdBuildMicromapsEXT"))(commands, 1, &info);
}

static void execute(VkCommandBuffer commands)
{
    mock_end(commands);
    mock_submit_one(commands);
    mock_run_all();
}

static void build(VkMicromapEXT micromap)
{
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(commands, micromap);
    execute(commands);
}

static void copy(VkMicromapEXT source, VkMicromapEXT destination)
{
    const VkCopyMicromapInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_COPY_MICROMAP_INFO_EXT, .src = source, .dst = destination};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdCopyMicromapEXT)mock_hook("vkCmdCopyMicromapEXT"))(commands, &info);
    execute(commands);
}

/* A build of a structure of two triangles with this in the chain. */
static const struct mock_build *built_with(const void *chain)
{
    VkAccelerationStructureGeometryKHR triangles = mock_triangles(512, 12, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    triangles.geometry.triangles.pNext = chain;
    mock_built(triangles, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    return mock_build(mock_builds.count - 1, 1);
}

static const struct mock_build *built(VkMicromapEXT micromap)
{
    const VkAccelerationStructureTrianglesOpacityMicromapEXT ext = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT,
        .indexType = VK_INDEX_TYPE_NONE_KHR,
        .micromap = micromap,
    };
    return built_with(&ext);
}

static void assert_content(const struct mock_build *build)
{
    assert_int_equal(build->chunk.content_count, 1);
    const struct ws_micromap_content *content = &build->contents[0];
    assert_int_equal(content->geometry, 0);
    assert_int_equal(content->triangle_count, 3);
    assert_true(content->stride == 12);
    mock_assert_blob(content->data, mock_application.content + DATA, 12);
    mock_assert_blob(content->triangles, mock_application.content + TRIANGLES, 2 * 12 + 8);
}

static void test_built(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    assert_int_equal(mock.geometry_skipped, 0);
    assert_int_equal(built(micromap)->chunk.content_count, 0); /* nothing built it */
    assert_int_equal(mock.geometry_skipped, 1);
    build(micromap);
    assert_content(built(micromap));
    assert_int_equal(mock.geometry_skipped, 1);
    destroy(micromap);
    assert_int_equal(built(VK_NULL_HANDLE)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
}

/* The application makes what it wrote visible to its build of a micromap alone. The copies in front of that wait for all writes
 * of all commands, and what comes after them waits for their reads. */
static void test_what_its_copies_wait_for(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(commands, micromap);
    assert_int_equal(mock.before_a_copy.source, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    assert_int_equal(mock.before_a_copy.written, VK_ACCESS_MEMORY_WRITE_BIT);
    assert_int_equal(mock.before_a_copy.target, VK_PIPELINE_STAGE_TRANSFER_BIT);
    assert_int_equal(mock.before_a_copy.accessed, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    assert_int_equal(mock.barrier.source, VK_PIPELINE_STAGE_TRANSFER_BIT);
    assert_int_equal(mock.barrier.target, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    execute(commands);
    destroy(micromap);
}

/* Built and used in one submission; destroyed while that is pending. */
static void test_in_one_submission(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    const VkAccelerationStructureTrianglesOpacityMicromapEXT ext = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT,
        .indexType = VK_INDEX_TYPE_NONE_KHR,
        .micromap = micromap,
    };
    VkAccelerationStructureGeometryKHR triangles = mock_triangles(512, 12, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    triangles.geometry.triangles.pNext = &ext;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(commands, micromap);
    mock_build_one(commands, triangles, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    mock_end(commands);
    mock_submit_one(commands);
    destroy(micromap);
    mock_run_all();
    assert_content(mock_build(0, 1));
    assert_int_equal(mock.geometry_skipped, 0);
}

/* A copy holds what its source held when it was copied. */
static void test_copied(void **state)
{
    (void)state;
    VkMicromapEXT first = create();
    VkMicromapEXT second = create();
    VkMicromapEXT third = create();
    build(first);
    copy(first, second);
    const VkCopyMemoryToMicromapInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_MICROMAP_INFO_EXT,
                                                .dst = first};
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdCopyMemoryToMicromapEXT)mock_hook("vkCmdCopyMemoryToMicromapEXT"))(commands, &info);
    execute(commands);
    assert_content(built(second));
    assert_int_equal(mock.geometry_skipped, 0);
    assert_int_equal(built(first)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
    copy(first, third);
    assert_int_equal(built(third)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 2);
    /* What the host builds is not known. */
    const VkMicromapBuildInfoEXT host = info_of(second);
    assert_int_equal(
        ((PFN_vkBuildMicromapsEXT)mock_hook("vkBuildMicromapsEXT"))(mock_device(), VK_NULL_HANDLE, 1, &host),
        VK_SUCCESS);
    assert_int_equal(built(second)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 3);
    destroy(first);
    destroy(second);
    destroy(third);
}

/* A micromap may have no triangles: then it is known that there is nothing in it. */
static void test_empty(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    VkMicromapEXT other = create();
    VkMicromapBuildInfoEXT info = info_of(micromap);
    info.usageCountsCount = 0;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdBuildMicromapsEXT)mock_hook("vkCmdBuildMicromapsEXT"))(commands, 1, &info);
    execute(commands);
    copy(micromap, other);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mock_build *found = built(i == 0 ? micromap : other);
        assert_int_equal(found->chunk.content_count, 1);
        assert_int_equal(found->contents[0].triangle_count, 0);
        assert_int_equal(found->contents[0].data, WS_NONE);
        assert_int_equal(found->contents[0].triangles, WS_NONE);
    }
    assert_int_equal(mock.geometry_skipped, 0);
    destroy(micromap);
    destroy(other);
}

/* Whichever allocation fails while a change is recorded: what the micromap held before is not told as what it holds now. Once
 * it is built again that is known. */
static void test_no_memory_to_record(void **state)
{
    (void)state;
    const VkCommandBufferBeginInfo begins = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkMicromapEXT micromap = create();
    bool failed = true;
    for (uint32_t at = 1; failed; at++) {
        VkMicromapBuildInfoEXT info = info_of(micromap);
        build(micromap);
        assert_content(built(micromap));
        mock.geometry_skipped = 0;
        info.usageCountsCount = 0;
        VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        mock.host_made = 0;
        mock.host_fails_at = at;
        assert_int_equal(((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begins),
                         VK_SUCCESS);
        ((PFN_vkCmdBuildMicromapsEXT)mock_hook("vkCmdBuildMicromapsEXT"))(commands, 1, &info);
        failed = mock.host_made >= at;
        mock.host_fails_at = 0;
        execute(commands);
        const struct mock_build *found = built(micromap);
        if (!failed) {
            assert_true(at > 2); /* there was something to fail */
            assert_int_equal(found->chunk.content_count, 1);
            assert_int_equal(found->contents[0].triangle_count, 0);
        } else if (found->chunk.content_count == 0) {
            assert_non_null(strstr(mock.geometry_reason, "out of memory"));
        } else {
            assert_int_equal(found->contents[0].triangle_count, 0);
        }
    }
    destroy(micromap);
}

/* A command that is recorded when nothing more is wanted changes nothing of what is still to be written. */
static void test_recorded_when_no_more_is_wanted(void **state)
{
    (void)state;
    mock_settings.launches = (struct ws_range){0, 0};
    VkMicromapEXT micromap = create();
    const VkAccelerationStructureTrianglesOpacityMicromapEXT ext = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_EXT,
        .indexType = VK_INDEX_TYPE_NONE_KHR,
        .micromap = micromap,
    };
    VkAccelerationStructureGeometryKHR triangles = mock_triangles(512, 12, VK_INDEX_TYPE_NONE_KHR, 0, 5);
    triangles.geometry.triangles.pNext = &ext;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(commands, micromap);
    mock_build_one(commands, triangles, (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 2});
    mock_end(commands);
    mock_submit_one(commands);
    mock_submit_one(mock_dispatching(1)); /* the last that is wanted */
    mock_submit_one(mock_dispatching(1));
    VkCommandBuffer later = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(later, micromap);
    mock_end(later);
    mock_run_all();
    assert_content(mock_build(0, 1));
    assert_int_equal(mock.geometry_skipped, 0);
    destroy(micromap);
}

/* What a copy holds is not known where its source is not: that does not come from memory. */
static void test_copied_from_what_is_not_known(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    build(micromap);
    copy((VkMicromapEXT)(uintptr_t)0x123456, micromap);
    assert_int_equal(built(micromap)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
    assert_non_null(strstr(mock.geometry_reason, "made before"));
    destroy(micromap);
}

/* The device has built it, but what that submission left waits for a queue that is free for late copies. Then the host builds
 * it: that is the later one. */
static void test_built_by_host_before_the_device_is_written(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    cmd_build(commands, micromap);
    mock_build_one(commands, mock_instances(512, true),
                   (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = 1});
    mock_end(commands);
    mock_submit_one(commands);
    mock_run();
    const VkMicromapBuildInfoEXT host = info_of(micromap);
    assert_int_equal(
        ((PFN_vkBuildMicromapsEXT)mock_hook("vkBuildMicromapsEXT"))(mock_device(), VK_NULL_HANDLE, 1, &host),
        VK_SUCCESS);
    mock_run_all();
    assert_int_equal(built(micromap)->chunk.content_count, 0);
    assert_non_null(strstr(mock.geometry_reason, "the host"));
    destroy(micromap);
}

/* The buffer ends behind 6 bytes of opacities: the rest is missing. Opacities in no buffer are not known. */
static void test_clipped(void **state)
{
    (void)state;
    VkMicromapEXT micromap = create();
    VkMicromapBuildInfoEXT info = info_of(micromap);
    info.data.deviceAddress = mock_application.base + MOCK_BYTES - 6;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdBuildMicromapsEXT)mock_hook("vkCmdBuildMicromapsEXT"))(commands, 1, &info);
    execute(commands);
    const struct mock_build *found = built(micromap);
    assert_int_equal(found->chunk.content_count, 1);
    mock_assert_blob(found->contents[0].data, mock_application.content + MOCK_BYTES - 6, 6);
    info.data.deviceAddress = 16;
    commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ((PFN_vkCmdBuildMicromapsEXT)mock_hook("vkCmdBuildMicromapsEXT"))(commands, 1, &info);
    execute(commands);
    assert_int_equal(built(micromap)->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
    destroy(micromap);
}

/* Two micromaps that are acceleration structures, and the build of the first. */
struct structures {
    VkAccelerationStructureKHR micromaps[2];
    VkAccelerationStructureGeometryMicromapDataKHR data;
    VkAccelerationStructureGeometryKHR geometry;
    VkAccelerationStructureBuildGeometryInfoKHR info;
};

static void create_structures(struct structures *made)
{
    const PFN_vkCreateAccelerationStructureKHR create =
        (PFN_vkCreateAccelerationStructureKHR)mock_hook("vkCreateAccelerationStructureKHR");
    for (uint32_t i = 0; i < 2; i++) {
        const VkAccelerationStructureCreateInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
            .buffer = mock_application.buffer,
            .offset = 1024 + 256 * i,
            .size = 256,
            .type = VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR};
        assert_int_equal(create(mock_device(), &info, NULL, &made->micromaps[i]), VK_SUCCESS);
    }
    made->data = (VkAccelerationStructureGeometryMicromapDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR,
        .usageCountsCount = 2,
        .pUsageCounts = usages,
        .data = mock_application.base + DATA,
        .triangleArray = mock_application.base + TRIANGLES,
        .triangleArrayStride = 12};
    made->geometry =
        (VkAccelerationStructureGeometryKHR){.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
                                             .pNext = &made->data,
                                             .geometryType = (VkGeometryTypeKHR)1000623000};
    made->info = mock_build_info(0, 1, &made->geometry);
    made->info.type = VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
    made->info.dstAccelerationStructure = made->micromaps[0];
}

static void destroy_structures(const struct structures *made)
{
    const PFN_vkDestroyAccelerationStructureKHR destroy =
        (PFN_vkDestroyAccelerationStructureKHR)mock_hook("vkDestroyAccelerationStructureKHR");
    for (uint32_t i = 0; i < 2; i++)
        destroy(mock_device(), made->micromaps[i], NULL);
}

static void build_structure(VkCommandBuffer commands, const struct structures *made)
{
    const VkAccelerationStructureBuildRangeInfoKHR *no_range = NULL;
    ((PFN_vkCmdBuildAccelerationStructuresKHR)mock_hook("vkCmdBuildAccelerationStructuresKHR"))(
        commands, 1, &made->info, &no_range);
}

/* Builds a structure of the scene with one of them. */
static const struct mock_build *built_with_structure(VkAccelerationStructureKHR micromap)
{
    const VkAccelerationStructureTrianglesOpacityMicromapKHR khr = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR,
        .indexType = VK_INDEX_TYPE_NONE_KHR,
        .micromap = micromap,
    };
    return built_with(&khr);
}

/* Those of VK_KHR_opacity_micromap are structures: they are built, copied and used as such. */
static void test_structures(void **state)
{
    (void)state;
    struct structures made;
    create_structures(&made);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_structure(commands, &made);
    const VkCopyAccelerationStructureInfoKHR copied = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
        .src = made.micromaps[0],
        .dst = made.micromaps[1]};
    ((PFN_vkCmdCopyAccelerationStructureKHR)mock_hook("vkCmdCopyAccelerationStructureKHR"))(commands,
                                                                                            &copied);
    execute(commands);
    for (uint32_t i = 0; i < 2; i++)
        assert_content(built_with_structure(made.micromaps[i]));
    assert_int_equal(mock.geometry_skipped, 0);
    assert_int_equal(mock_copied_count(), 0); /* no structure of the scene was copied */
    destroy_structures(&made);
}

/* A build in a command buffer for whose recording there was no memory: what it held before is not told. */
static void test_structures_without_memory(void **state)
{
    (void)state;
    struct structures made;
    const VkCommandBufferBeginInfo begins = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    create_structures(&made);
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_structure(commands, &made);
    execute(commands);
    assert_content(built_with_structure(made.micromaps[0]));
    commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mock.host_made = 0;
    mock.host_fails_at = 1;
    assert_int_equal(((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begins),
                     VK_SUCCESS);
    mock.host_fails_at = 0;
    build_structure(commands, &made);
    execute(commands);
    assert_int_equal(built_with_structure(made.micromaps[0])->chunk.content_count, 0);
    assert_non_null(strstr(mock.geometry_reason, "out of memory"));
    destroy_structures(&made);
}

/* A build that says in another way what it reads. */
static void test_structures_of_other_data(void **state)
{
    (void)state;
    struct structures made;
    create_structures(&made);
    made.geometry.pNext = NULL;
    VkCommandBuffer commands = mock_begun(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    build_structure(commands, &made);
    execute(commands);
    assert_int_equal(built_with_structure(made.micromaps[0])->chunk.content_count, 0);
    assert_int_equal(mock.geometry_skipped, 1);
    assert_non_null(strstr(mock.geometry_reason, "does not say"));
    destroy_structures(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_built, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_what_its_copies_wait_for, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_in_one_submission, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_copied, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_empty, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_no_memory_to_record, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_recorded_when_no_more_is_wanted, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_copied_from_what_is_not_known, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_built_by_host_before_the_device_is_written,
                                        mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_clipped, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_structures, mock_application_setup, mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_structures_without_memory, mock_application_setup,
                                        mock_application_teardown),
        cmocka_unit_test_setup_teardown(test_structures_of_other_data, mock_application_setup,
                                        mock_application_teardown),
    };
    return cmocka_run_group_tests_name("layer micromap", tests, NULL, NULL);
}
