/* Bytes and times as the command shows them. The page is held to the same list (tests/viewer/format.js). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "warpscope/base/text.h"
#include "warpscope/model/times.h"

static const char *list; /* path of tests/viewer/shown.txt */

static void shown_as_listed(void **state)
{
    (void)state;
    char line[256];
    int checked = 0;
    FILE *file = fopen(list, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        char kind[16];
        char bytes[WS_BYTES_SIZE];
        char time[WS_TIME_TEXT];
        uint64_t value;
        int behind = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%15s %" SCNu64 " %n", kind, &value, &behind) != 2)
            continue;
        const char *shown =
            strcmp(kind, "bytes") == 0 ? ws_bytes_text(value, bytes) : ws_time_text((double)value, time);
        assert_string_equal(shown, line + behind);
        checked++;
    }
    fclose(file);
    assert_true(checked > 10);
}

int main(int argc, char **argv)
{
    list = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {cmocka_unit_test(shown_as_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
