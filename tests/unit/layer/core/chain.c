/* Editing pNext chains: what is changed is changed in a copy, and the application's structs stay as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vk_layer.h>

#include "layer/core/chain.h"

#define UNKNOWN ((VkStructureType)0x7ffffff0)

/* An application's chain: three structs of known types, and as it was. */
struct application {
    VkPhysicalDeviceVulkan11Features first;
    VkPhysicalDeviceVulkan12Features second;
    VkPhysicalDeviceVulkan13Features third;
};

static void make(struct application *application, struct application *before)
{
    memset(application, 0, sizeof(*application));
    application->first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    application->first.pNext = &application->second;
    application->first.multiview = VK_TRUE;
    application->second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    application->second.pNext = &application->third;
    application->second.shaderInt8 = VK_TRUE;
    application->third.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    application->third.synchronization2 = VK_TRUE;
    memcpy(before, application, sizeof(*before));
}

static void edits_in_the_middle(void **state)
{
    (void)state;
    struct application application, before;
    struct ws_chain chain;
    struct ws_error error = {0};
    make(&application, &before);
    ws_chain_init(&chain, &application);
    assert_ptr_equal(chain.head, &application);

    VkPhysicalDeviceVulkan12Features *edited =
        ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &error);
    assert_non_null(edited);
    assert_ptr_not_equal(edited, &application.second);
    edited->bufferDeviceAddress = VK_TRUE;

    const VkPhysicalDeviceVulkan11Features *first = chain.head;
    assert_ptr_not_equal(first, &application.first);
    assert_int_equal(first->multiview, VK_TRUE);
    assert_ptr_equal(first->pNext, edited);
    assert_int_equal(edited->shaderInt8, VK_TRUE);
    assert_ptr_equal(edited->pNext, &application.third);
    assert_memory_equal(&application, &before, sizeof(before));

    /* Again: the same copy. */
    assert_ptr_equal(ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &error),
                     edited);
    assert_ptr_equal(ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &error),
                     chain.head);
    ws_chain_finish(&chain);
    assert_memory_equal(&application, &before, sizeof(before));
}

static void edits_at_both_ends(void **state)
{
    (void)state;
    struct application application, before;
    struct ws_chain chain;
    struct ws_error error = {0};
    make(&application, &before);
    ws_chain_init(&chain, &application);
    const VkBaseInStructure *last =
        ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &error);
    assert_non_null(last);
    assert_null(last->pNext);
    const VkBaseInStructure *added =
        ws_chain_add(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, &error);
    assert_ptr_equal(chain.head, added);
    uint32_t count = 0;
    for (const VkBaseInStructure *item = chain.head; item != NULL; item = item->pNext)
        count++;
    assert_int_equal(count, 4);
    ws_chain_finish(&chain);
    assert_memory_equal(&application, &before, sizeof(before));
}

static void what_is_not_there(void **state)
{
    (void)state;
    struct application application, before;
    struct ws_chain chain;
    struct ws_error error = {0};
    make(&application, &before);
    ws_chain_init(&chain, &application);
    assert_null(ws_chain_edit(&chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &error));
    assert_string_equal(error.message, "");
    assert_ptr_equal(chain.head, &application);
    assert_true(ws_chain_remove(&chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &error));
    ws_chain_finish(&chain);

    ws_chain_init(&chain, NULL);
    assert_null(ws_chain_edit(&chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &error));
    assert_non_null(ws_chain_add(&chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &error));
    assert_true(ws_chain_remove(&chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &error));
    assert_null(chain.head);
    ws_chain_finish(&chain);
    assert_string_equal(error.message, "");
}

static void removes(void **state)
{
    (void)state;
    struct application application, before;
    struct ws_error error = {0};
    static const VkStructureType types[] = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    for (int removed = 0; removed < 3; removed++) {
        struct ws_chain chain;
        make(&application, &before);
        ws_chain_init(&chain, &application);
        assert_true(ws_chain_remove(&chain, types[removed], &error));
        for (int i = 0; i < 3; i++)
            assert_int_equal(ws_chain_find(chain.head, types[i]) == NULL, i == removed);
        ws_chain_finish(&chain);
        assert_memory_equal(&application, &before, sizeof(before));
    }
    assert_string_equal(error.message, "");
}

/* An unknown struct cannot be copied: what stands before it can still be changed, what follows cannot. */
static void unknown_structs(void **state)
{
    (void)state;
    struct application application, before;
    struct ws_error error = {0};
    struct ws_chain chain;
    make(&application, &before);
    VkBaseInStructure unknown = {.sType = UNKNOWN, .pNext = application.second.pNext};
    application.second.pNext = &unknown;

    ws_chain_init(&chain, &application);
    const VkBaseInStructure *edited =
        ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &error);
    assert_non_null(edited);
    assert_ptr_equal(edited->pNext, &unknown);
    assert_null(ws_chain_edit(&chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &error));
    assert_non_null(strstr(error.message, "2147483632"));
    error = (struct ws_error){0};
    assert_null(ws_chain_add(&chain, UNKNOWN, &error));
    assert_non_null(strstr(error.message, "2147483632"));
    ws_chain_finish(&chain);
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(ws_chain_struct_size(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2),
                     sizeof(VkPhysicalDeviceFeatures2));
    assert_int_equal(ws_chain_struct_size((VkStructureType)55), 16 + 21 * 4 + 4); /* Vulkan 1.4 features */
    assert_int_equal(ws_chain_struct_size(VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO),
                     sizeof(VkLayerDeviceCreateInfo));
    assert_int_equal(ws_chain_struct_size(UNKNOWN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_in_the_middle), cmocka_unit_test(edits_at_both_ends),
        cmocka_unit_test(what_is_not_there),   cmocka_unit_test(removes),
        cmocka_unit_test(unknown_structs),     cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
