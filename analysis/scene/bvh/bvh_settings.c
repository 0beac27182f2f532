#include "analysis/scene/bvh/bvh_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES_STEP 32u
#define BYTES_MAX  512u

static const struct {
    const char *key;
    size_t at;
    uint32_t usual;
    uint32_t least;
    uint32_t most;
    uint32_t step;
} numbers[] = {
    {"leaf", offsetof(struct ws_bvh_settings, leaf), 4, 1, WS_BVH_LEAF_MAX, 1},
    {"bins", offsetof(struct ws_bvh_settings, bins), 16, 2, WS_BVH_BINS_MAX, 1},
    {"node", offsetof(struct ws_bvh_settings, node_bytes), 64, BYTES_STEP, BYTES_MAX, BYTES_STEP},
    {"triangle", offsetof(struct ws_bvh_settings, triangle_bytes), 64, BYTES_STEP, BYTES_MAX, BYTES_STEP},
    {"box", offsetof(struct ws_bvh_settings, box_bytes), 32, BYTES_STEP, BYTES_MAX, BYTES_STEP},
    {"instance", offsetof(struct ws_bvh_settings, instance_bytes), 128, BYTES_STEP, BYTES_MAX, BYTES_STEP},
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static uint32_t *number_of(struct ws_bvh_settings *settings, size_t index)
{
    return (uint32_t *)(void *)((char *)settings + numbers[index].at);
}

/* Digits only, four at most. */
static bool read_number(const char *text, size_t length, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = 10 * *value + (uint32_t)(text[i] - '0');
    }
    return length > 0 && length <= 4;
}

static bool take_split(const char *value, size_t length, struct ws_bvh_settings *settings)
{
    const bool sah = length == 3 && strncmp(value, "sah", length) == 0;
    settings->split = sah ? WS_BVH_SAH : WS_BVH_MEDIAN;
    return sah || (length == 6 && strncmp(value, "median", length) == 0);
}

static bool take_one(const char *text, size_t length, struct ws_bvh_settings *settings,
                     struct ws_error *error)
{
    const char *equals = memchr(text, '=', length);
    const size_t key = equals != NULL ? (size_t)(equals - text) : length;
    const char *value = text + key + 1;
    const size_t value_length = equals != NULL ? length - key - 1 : 0;
    if (key == 5 && strncmp(text, "split", key) == 0)
        return take_split(value, value_length, settings) ||
               ws_error_set(error, "--bvh: split must be sah or median, and not '%.*s'", (int)value_length,
                            value_length > 0 ? value : "");
    for (size_t i = 0; i < NUMBERS; ++i) {
        uint32_t number = 0;
        if (key != strlen(numbers[i].key) || strncmp(text, numbers[i].key, key) != 0)
            continue;
        if (value_length == 0 || !read_number(value, value_length, &number) || number < numbers[i].least ||
            number > numbers[i].most || number % numbers[i].step != 0)
            return ws_error_set(error, "--bvh: %s must be from %" PRIu32 " to %" PRIu32 "%s", numbers[i].key,
                                numbers[i].least, numbers[i].most,
                                numbers[i].step > 1 ? ", a multiple of 32" : "");
        *number_of(settings, i) = number;
        return true;
    }
    return ws_error_set(
        error, "--bvh has no setting '%.*s': there are leaf, bins, split, node, triangle, box, instance",
        (int)key, text);
}

bool ws_bvh_settings_parse(const char *text, struct ws_bvh_settings *settings, struct ws_error *error)
{
    *settings = (struct ws_bvh_settings){.split = WS_BVH_SAH};
    for (size_t i = 0; i < NUMBERS; ++i)
        *number_of(settings, i) = numbers[i].usual;
    while (text != NULL) {
        const size_t length = strcspn(text, ",");
        if (!take_one(text, length, settings, error))
            return false;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return true;
}

void ws_bvh_settings_text(const struct ws_bvh_settings *settings, char text[WS_BVH_TEXT])
{
    snprintf(text, WS_BVH_TEXT,
             "leaf=%" PRIu32 ",bins=%" PRIu32 ",split=%s,node=%" PRIu32 ",triangle=%" PRIu32 ",box=%" PRIu32
             ",instance=%" PRIu32,
             settings->leaf, settings->bins, settings->split == WS_BVH_SAH ? "sah" : "median",
             settings->node_bytes, settings->triangle_bytes, settings->box_bytes, settings->instance_bytes);
}
