/* The values of options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "passes/settings/settings.h"

void ws_append_name(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error)
{
    char *behind = NULL;
    errno = 0;
    uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &behind, 10) : 0;
    if (behind == NULL || *behind != '\0' || errno != 0 || value > UINT32_MAX)
        return ws_error_set(error, "%s takes a number from 0 to %u, not '%s'", option, UINT32_MAX, text);
    *number = (uint32_t)value;
    return true;
}

bool ws_take_passes(struct ws_settings *settings, const char *text, struct ws_error *error)
{
    return ws_settings_set(settings, WS_SETTING_PASSES, text, "--passes", error) &&
           (settings->pass_count > 0 || ws_error_set(error, "no pass is named; `warpscope list` shows them"));
}
