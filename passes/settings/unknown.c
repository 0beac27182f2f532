/* Variables that are named like settings, but are none. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "passes/base/near.h"
#include "passes/settings/settings.h"

/* What else stands behind WARPSCOPE_: what loads the layer (manifests/generate.c), what `warpscope record` tells it,
 * and what the command itself reads. */
static const char *const others[] = {"enable", "disable", "run", "run_start", "progress", "pager", "plugins"};

/* The part of a variable behind WARPSCOPE_ or VK_WARPSCOPE_CAPTURE_, in small letters; NULL where it has no such
 * beginning, or is too long. VK_CAPTURE_ may be another layer's. */
static const char *key_of(const char *variable, size_t length, char key[WS_SETTING_VARIABLE_SIZE])
{
    static const char *const prefixes[] = {"VK_WARPSCOPE_CAPTURE_", "WARPSCOPE_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const size_t prefix = strlen(prefixes[i]);
        if (length < prefix || length - prefix >= WS_SETTING_VARIABLE_SIZE ||
            strncmp(variable, prefixes[i], prefix) != 0)
            continue;
        for (size_t j = 0; j < length - prefix; j++)
            key[j] = (char)tolower((unsigned char)variable[prefix + j]);
        key[length - prefix] = '\0';
        return key;
    }
    return NULL;
}

/* The environment has large and small letters apart: settings stand in large ones. */
static bool is_known(const char *key, const char *variable, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (islower((unsigned char)variable[i]))
            return false;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(key, others[i]) == 0)
            return true;
    return ws_setting_find(key) != WS_SETTING_COUNT;
}

const char *ws_setting_near(const char *key)
{
    struct ws_near near = ws_near_begin(key, strlen(key));
    for (size_t id = 0; id < WS_SETTING_COUNT; id++)
        ws_near_try(&near, ws_setting_table[id].key);
    return near.name;
}

bool ws_setting_next_unknown(char *const *environment, size_t *at, char *text, size_t size)
{
    char key[WS_SETTING_VARIABLE_SIZE];
    char name[WS_SETTING_VARIABLE_SIZE];
    for (; environment != NULL && environment[*at] != NULL; (*at)++) {
        const char *variable = environment[*at];
        const size_t length = strcspn(variable, "=");
        if (key_of(variable, length, key) == NULL || is_known(key, variable, length))
            continue;
        const char *near = ws_setting_near(key);
        char suggestion[WS_SETTING_VARIABLE_SIZE] = "; `warpscope list settings` shows what there is";
        if (near != NULL) {
            const bool full = variable[0] == 'V'; /* it has the long prefix */
            snprintf(suggestion, sizeof(suggestion), "; did you mean %s?",
                     ws_setting_variable(ws_setting_find(near), full ? 0 : WS_SETTING_VARIABLES - 1, name));
        }
        snprintf(text, size, "there is no setting %.*s%s", (int)length, variable, suggestion);
        (*at)++;
        return true;
    }
    return false;
}
