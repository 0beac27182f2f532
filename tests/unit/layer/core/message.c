/* Messages of the layer: what the application named cannot steer the terminal, and each is said once. */
#include "layer/core/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/settings.h"

/* What reached the capture and the application's messenger last. */
static char captured[2048];
static unsigned captured_count;
static char heard[2048];

void ws_capture_message(struct ws_capture *capture, enum ws_severity severity, const char *text)
{
    (void)capture;
    (void)severity;
    snprintf(captured, sizeof(captured), "%s", text);
    captured_count++;
}

struct ws_instance *ws_instance_of(const void *dispatchable)
{
    (void)dispatchable;
    return NULL;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT type,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    (void)type;
    (void)user;
    snprintf(heard, sizeof(heard), "%s", data->pMessage);
    return VK_FALSE;
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger = {
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
    .pfnUserCallback = hear,
};
static struct ws_settings settings = {.log_level = WS_WARNING};
static struct ws_instance instance = {.settings = &settings, .messenger = &messenger};

/* What stands on stderr after one message about a shader of that name. */
static const char *say_name(enum ws_severity severity, const char *name)
{
    static char said[4096];
    int ends[2];
    const int before = dup(STDERR_FILENO);
    assert_true(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    ws_message(&instance, severity, "shader %s is left alone", name);
    assert_true(dup2(before, STDERR_FILENO) >= 0 && close(before) == 0 && close(ends[1]) == 0);
    const ssize_t size = read(ends[0], said, sizeof(said) - 1);
    assert_true(size >= 0);
    said[size] = '\0';
    close(ends[0]);
    return said;
}

static void names(void **state)
{
    (void)state;
    static const char evil[] = "\x1b]0;title\x07\n\xc2\x9b"
                               "1m\xe2\x80\xaetxt.\xff";
    static const char good[] = "shader \\x1b]0;title\\x07\\x0a\\x9b1m\\u202etxt.? is left alone";
    char line[256];
    snprintf(line, sizeof(line), "warpscope: %s\n", good);
    assert_string_equal(say_name(WS_WARNING, evil), line);
    assert_string_equal(captured, good);
    assert_string_equal(heard, good);
}

/* Of a long one the beginning, in whole characters. */
static void long_names(void **state)
{
    (void)state;
    char name[4096];
    for (size_t i = 0; i + 2 < sizeof(name); i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[sizeof(name) - 2] = '\0';
    static const char *const starts[] = {"ab", "abc"};
    for (size_t i = 0; i < 2; i++) {
        char longer[sizeof(name) + 8];
        snprintf(longer, sizeof(longer), "%s%s", starts[i], name);
        const char *said = say_name(WS_WARNING, longer);
        const size_t length = strlen(said);
        assert_true(length > 900 && length < 1100);
        assert_int_equal(said[length - 1], '\n');
        assert_null(strchr(said, '?'));
    }
}

static void once(void **state)
{
    (void)state;
    const unsigned before = captured_count;
    assert_string_equal(say_name(WS_WARNING, "twice"), "warpscope: shader twice is left alone\n");
    assert_string_equal(say_name(WS_WARNING, "twice"), "");
    assert_int_equal(captured_count, before + 1);
    /* Another capture has not heard it yet. */
    struct ws_capture other = {0};
    atomic_store(&instance.capture, &other);
    assert_string_equal(say_name(WS_WARNING, "twice"), "warpscope: shader twice is left alone\n");
    atomic_store(&instance.capture, NULL);
    assert_int_equal(captured_count, before + 2);
    /* Below the level: in the capture only. */
    assert_string_equal(say_name(WS_INFORMATION, "quiet"), "");
    assert_string_equal(captured, "shader quiet is left alone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(long_names),
        cmocka_unit_test(once),
    };
    return cmocka_run_group_tests_name("layer message", tests, NULL, NULL);
}
