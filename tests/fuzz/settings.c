/* Fuzz target: lines "key = value" as a settings file has them, each read as the value of its setting, and as
 * that of every setting. Each must be taken, or refused with a message that can be shown. */
#include <string.h>

#include "passes/settings/settings.h"
#include "tests/fuzz/fuzz.h"
#include "warpscope/base/text.h"

static void take(struct ws_settings *settings, enum ws_setting_id id, const char *value)
{
    struct ws_error error = {{0}};
    const bool taken = ws_settings_set(settings, id, value, ws_setting_table[id].key, &error);
    fuzz_check(taken == (error.message[0] == '\0'), "a value is refused without a message");
    fuzz_check(settings->output == NULL || strlen(settings->output) <= strlen(value) + 4096, "a text grew");
    fuzz_check(!taken || settings->frames.first <= settings->frames.last, "an empty range of frames");
}

static void take_line(struct ws_settings *settings, char *line)
{
    char *value = strchr(line, '=');
    if (value == NULL)
        value = line;
    else
        *value++ = '\0';
    const enum ws_setting_id id = ws_setting_find(line);
    if (id < WS_SETTING_COUNT) {
        take(settings, id, value);
        return;
    }
    for (int i = 0; i < WS_SETTING_COUNT; ++i)
        take(settings, (enum ws_setting_id)i, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ws_settings settings = {0};
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        take_line(&settings, line);
    ws_settings_finish(&settings);
    free(text);
    return 0;
}

/* A word of the grammar at some place. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    static const char *const words[] = {"=",
                                        ",",
                                        "-",
                                        "/",
                                        "x",
                                        "K",
                                        "M",
                                        "G",
                                        "*",
                                        "0",
                                        "1",
                                        "99",
                                        "true",
                                        "false",
                                        "all",
                                        "\n",
                                        " ",
                                        "%p",
                                        "raygen",
                                        "any_hit",
                                        "simt_efficiency",
                                        "18446744073709551615",
                                        "4294967296",
                                        "ray_events"};
    uint64_t state = fuzz_state(seed);
    if (fuzz_below(&state, 3) == 0)
        return LLVMFuzzerMutate(data, size, capacity);
    const char *word = fuzz_below(&state, 4) == 0
                           ? ws_setting_table[fuzz_below(&state, WS_SETTING_COUNT)].key
                           : words[fuzz_below(&state, sizeof(words) / sizeof(words[0]))];
    const size_t length = strlen(word);
    const size_t at = (size_t)fuzz_below(&state, size + 1);
    if (size + length > capacity)
        return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, word, length);
    return size + length;
}
