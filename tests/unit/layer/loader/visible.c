/* Which device commands are hidden: those that the next layer has because of this layer, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/core/device.h"
#include "layer/loader/visible.h"

static struct ws_instance instance;
static struct ws_device device = {.instance = &instance};

static void expect(uint32_t asked, uint32_t handed_on, bool bind, bool wait)
{
    instance.application_version = asked;
    instance.api_version = handed_on;
    assert_int_equal(ws_command_is_visible(&device, "vkBindBufferMemory2"), bind); /* of Vulkan 1.1 */
    assert_int_equal(ws_command_is_visible(&device, "vkWaitSemaphores"), wait);    /* of Vulkan 1.2 */
    assert_true(ws_command_is_visible(&device, "vkQueueSubmit"));
    assert_true(ws_command_is_visible(&device, "vkQueueSubmit2"));
}

static void versions_that_were_raised(void **state)
{
    (void)state;
    expect(VK_API_VERSION_1_0, VK_API_VERSION_1_2, false, false);
    expect(VK_API_VERSION_1_1, VK_API_VERSION_1_2, true, false);
    expect(VK_MAKE_API_VERSION(0, 1, 1, 200), VK_API_VERSION_1_2, true, false);
    expect(VK_API_VERSION_1_2, VK_API_VERSION_1_2, true, true);
    expect(VK_API_VERSION_1_3, VK_API_VERSION_1_3, true, true);
}

/* Without passes, and where the driver refuses the later version. What it answers then is its own affair. */
static void versions_that_were_not(void **state)
{
    (void)state;
    expect(VK_API_VERSION_1_0, VK_API_VERSION_1_0, true, true);
    expect(VK_API_VERSION_1_1, VK_API_VERSION_1_1, true, true);
}

static void extensions(void **state)
{
    (void)state;
    assert_true(ws_command_is_visible(&device, "vkGetBufferDeviceAddressKHR"));
    assert_true(ws_command_is_visible(&device, "vkGetMemoryHostPointerPropertiesEXT"));
    device.added_extensions = WS_ADDED_HOST_IMPORT;
    assert_true(ws_command_is_visible(&device, "vkGetBufferDeviceAddressKHR"));
    assert_false(ws_command_is_visible(&device, "vkGetMemoryHostPointerPropertiesEXT"));
    device.added_extensions = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_were_raised),
        cmocka_unit_test(versions_that_were_not),
        cmocka_unit_test(extensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
