/* Commands that the layer knows, and what it says of those that it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/message.h"
#include "layer/loader/hook_list.h"
#include "layer/loader/known_commands.h"

static char said[512];

void ws_message(struct ws_instance *instance, enum ws_severity severity, const char *format, ...)
{
    va_list arguments;
    (void)instance;
    assert_int_equal(severity, WS_WARNING);
    va_start(arguments, format);
    vsnprintf(said, sizeof(said), format, arguments);
    va_end(arguments);
}

/* Stands for all hooks. */
bool ws_hook_list_has(const char *name)
{
    return strcmp(name, "vkCmdDraw") == 0;
}

static const char *say(const char *name)
{
    said[0] = '\0';
    ws_command_say_unknown(NULL, name);
    return said;
}

static void hooked_or_listed(void **state)
{
    (void)state;
    assert_true(ws_command_is_known("vkCmdDraw"));
    assert_true(ws_command_is_known("vkCmdSetLineStippleKHR"));
    assert_true(ws_command_is_known("vkCmdOpticalFlowExecuteNV"));
    assert_false(ws_command_is_known("vkCmdDrawTomorrowKHR"));
    assert_false(ws_command_is_known("CmdDraw"));
    assert_false(ws_command_is_known(""));
}

static void says_what_may_launch(void **state)
{
    (void)state;
    static const char *const launches[] = {"vkCmdDrawTomorrowKHR", "vkCmdDispatchQuantumEXT",
                                           "vkCmdTraceBeamsKHR", "vkCmdExecuteFutureNV", "vkCmdX"};
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
        assert_non_null(strstr(say(launches[i]), launches[i]));
    assert_string_equal(
        say("vkCmdDrawTomorrowKHR"),
        "the program may use the command vkCmdDrawTomorrowKHR, which this version of Warpscope does not "
        "know; what it runs is missing from the capture");
}

static void is_silent_of_the_rest(void **state)
{
    (void)state;
    static const char *const others[] = {"vkCmdDraw",
                                         "vkCmdOpticalFlowExecuteNV",
                                         "vkCmdSetTomorrowKHR",
                                         "vkCmdBindTomorrowKHR",
                                         "vkCmdCopyTomorrowKHR",
                                         "vkCreateTomorrowKHR",
                                         "vkQueueTomorrowKHR"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_string_equal(say(others[i]), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooked_or_listed),
        cmocka_unit_test(says_what_may_launch),
        cmocka_unit_test(is_silent_of_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
