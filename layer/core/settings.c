#include "layer/core/settings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "layer/core/settings_source.h"
#include "warpscope/instrument.h"
#include "warpscope/records.h"
#include "warpscope/stage.h"

/* A value under reading, for the messages. */
struct reading {
    size_t id;
    const char *value;
    const char *source;
    struct ws_error *error;
};

static bool out_of_memory(struct ws_error *error)
{
    return ws_error_set(error, "out of memory");
}

static bool wrong(const struct reading *reading, const char *allowed)
{
    return ws_error_set(reading->error, "setting %s has the wrong value '%s' (%s): %s",
                        ws_setting_table[reading->id].key, reading->value, reading->source, allowed);
}

/* Wrong, where the setting has options. */
static bool wrong_option(const struct reading *reading, const char *before)
{
    char allowed[320];
    size_t length = (size_t)snprintf(allowed, sizeof(allowed), "%s", before);
    const char *option;
    for (size_t i = 0;
         (option = ws_setting_option((enum ws_setting_id)reading->id, i)) != NULL && length < sizeof(allowed);
         i++)
        length +=
            (size_t)snprintf(allowed + length, sizeof(allowed) - length, "%s%s", i > 0 ? ", " : "", option);
    return wrong(reading, allowed);
}

/* The index of the option that is `length` bytes at `text`; SIZE_MAX when there is none. */
static size_t find_option(const struct reading *reading, const char *text, size_t length)
{
    const char *option;
    for (size_t i = 0; (option = ws_setting_option((enum ws_setting_id)reading->id, i)) != NULL; i++)
        if (strlen(option) == length && memcmp(option, text, length) == 0)
            return i;
    return SIZE_MAX;
}

/* The next non-empty part of a list separated by commas or white space; NULL after the last. `*rest` is
 * moved behind it. */
static const char *next_part(const char **rest, size_t *length)
{
    static const char separators[] = ", \t";
    const char *part = *rest + strspn(*rest, separators);
    *length = strcspn(part, separators);
    *rest = part + *length;
    return *length > 0 ? part : NULL;
}

static bool read_passes(struct ws_settings *settings, const struct reading *reading)
{
    const char *rest = reading->value;
    const char *part;
    size_t length, capacity, first, count;
    const struct ws_pass_description *list = ws_pass_list(&capacity);
    settings->passes = calloc(capacity, sizeof(*settings->passes));
    if (settings->passes == NULL)
        return out_of_memory(reading->error);
    while ((part = next_part(&rest, &length)) != NULL) {
        if (!ws_pass_choose(part, length, &first, &count))
            return wrong_option(reading, "allowed is a list of all, ");
        for (size_t choice = first; choice < first + count; choice++) {
            bool present = false;
            for (size_t i = 0; i < settings->pass_count; i++)
                present |= settings->passes[i] == list[choice].name;
            if (!present)
                settings->passes[settings->pass_count++] = list[choice].name;
        }
    }
    return true;
}

static bool read_stages(struct ws_settings *settings, const struct reading *reading)
{
    const char *rest = reading->value;
    const char *part;
    size_t length;
    settings->stages = 0;
    while ((part = next_part(&rest, &length)) != NULL) {
        const size_t option = find_option(reading, part, length);
        if (length == 3 && memcmp(part, "all", 3) == 0)
            settings->stages |= WS_STAGES_ALL;
        else if (length == 11 && memcmp(part, "ray_tracing", 11) == 0)
            settings->stages |= WS_STAGES_RAY_TRACING;
        else if (option != SIZE_MAX)
            settings->stages |= 1u << option;
        else
            return wrong_option(reading, "allowed is a list of all, ray_tracing, ");
    }
    if (settings->stages == 0)
        settings->stages = WS_STAGES_ALL;
    return true;
}

/* A number without sign at the beginning of `text`; false where there is none or it is too large. */
static bool read_number(const char *text, const char **end, uint64_t *number)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    char *behind;
    *number = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0;
}

static bool read_range(struct ws_range *range, const struct reading *reading)
{
    static const char allowed[] = "allowed is A-B, A- or A with A not above B, or nothing for all";
    const char *text = reading->value;
    range->first = 0;
    range->last = UINT64_MAX;
    if (*text == '\0')
        return true;
    if (!read_number(text, &text, &range->first))
        return wrong(reading, allowed);
    if (*text == '\0') {
        range->last = range->first;
        return true;
    }
    if (*text++ != '-')
        return wrong(reading, allowed);
    if (*text == '\0')
        return true;
    if (!read_number(text, &text, &range->last) || *text != '\0' || range->last < range->first)
        return wrong(reading, allowed);
    return true;
}

static bool read_bool(bool *value, const struct reading *reading)
{
    static const char *const yes[] = {"true", "on", "yes", "1"};
    static const char *const no[] = {"false", "off", "no", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(reading->value, yes[i]) == 0 || strcasecmp(reading->value, no[i]) == 0) {
            *value = strcasecmp(reading->value, yes[i]) == 0;
            return true;
        }
    }
    return wrong(reading, "allowed are true and false, on and off, yes and no, 1 and 0");
}

static bool read_count(uint32_t *value, const struct reading *reading)
{
    const char *end;
    uint64_t number;
    if (!read_number(reading->value, &end, &number) || *end != '\0' || number > UINT32_MAX)
        return wrong(reading, "allowed is a number from 0 to 4294967295");
    *value = (uint32_t)number;
    return true;
}

/* A number of 32 bits; `*text` is moved behind it. */
static bool read_word(const char **text, uint32_t *word)
{
    uint64_t number;
    if (!read_number(*text, text, &number) || number > UINT32_MAX)
        return false;
    *word = (uint32_t)number;
    return true;
}

/* Moves `*text` behind `c`; false when that does not stand there. */
static bool skip(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

/* The last word of 8G cannot be reached any more (records.h): who asks for that much gets all but it. */
#define BUFFER_MIN 1024
#define BUFFER_MAX (UINT64_C(8) << 30)

static_assert(BUFFER_MAX / 4 - 1 == WS_STREAM_CAPACITY_MAX, "8G is the largest buffer, but for a word");

static bool read_size(uint64_t *value, const struct reading *reading)
{
    static const char allowed[] =
        "allowed is a number of bytes from 1K to 8G, with K, M, G or nothing behind "
        "it, or nothing at all";
    const char *text = reading->value;
    uint64_t number;
    unsigned shift = 0;
    *value = 0;
    if (*text == '\0')
        return true;
    if (!read_number(text, &text, &number))
        return wrong(reading, allowed);
    switch (*text) {
    case 'G':
    case 'g': shift += 10; /* fall through */
    case 'M':
    case 'm': shift += 10; /* fall through */
    case 'K':
    case 'k':
        shift += 10;
        text++;
        break;
    default: break;
    }
    if (*text != '\0' || number > BUFFER_MAX >> shift || number << shift < BUFFER_MIN)
        return wrong(reading, allowed);
    *value = number << shift & ~UINT64_C(3);
    if (*value / 4 > WS_STREAM_CAPACITY_MAX)
        *value = UINT64_C(4) * WS_STREAM_CAPACITY_MAX;
    return true;
}

static bool read_threads(struct ws_sampling *sampling, const struct reading *reading)
{
    static const char allowed[] =
        "allowed is A-B, A- or A with A not above B, then or alone /STEP from 1 on, or "
        "nothing for all";
    const char *text = reading->value;
    sampling->first = 0;
    sampling->last = UINT32_MAX;
    sampling->step = 1;
    if (*text == '\0')
        return true;
    bool good = true;
    if (*text != '/') {
        good = read_word(&text, &sampling->first);
        sampling->last = sampling->first;
        if (good && skip(&text, '-')) {
            sampling->last = UINT32_MAX;
            good = *text == '\0' || *text == '/' || read_word(&text, &sampling->last);
        }
    }
    if (good && skip(&text, '/'))
        good = read_word(&text, &sampling->step);
    if (!good || *text != '\0' || sampling->step == 0 || sampling->last < sampling->first)
        return wrong(reading, allowed);
    sampling->flags |= WS_SAMPLE_THREADS;
    return true;
}

static bool read_pixels(struct ws_sampling *sampling, const struct reading *reading)
{
    static const char allowed[] =
        "allowed is X0,Y0-X1,Y1 with no first number above the last, or X,Y, or nothing for all";
    const char *text = reading->value;
    uint32_t *box = sampling->box;
    if (*text == '\0')
        return true;
    bool good = read_word(&text, &box[0]) && skip(&text, ',') && read_word(&text, &box[1]);
    box[2] = box[0];
    box[3] = box[1];
    if (good && skip(&text, '-'))
        good = read_word(&text, &box[2]) && skip(&text, ',') && read_word(&text, &box[3]);
    if (!good || *text != '\0' || box[2] < box[0] || box[3] < box[1])
        return wrong(reading, allowed);
    sampling->flags |= WS_SAMPLE_BOX;
    return true;
}

static bool read_tile(struct ws_sampling *sampling, const struct reading *reading)
{
    const char *text = reading->value;
    uint32_t *tile = sampling->tile;
    if (*text == '\0')
        return true;
    if (!read_word(&text, &tile[0]) || !skip(&text, 'x') || !read_word(&text, &tile[1]) ||
        !skip(&text, '/') || !read_word(&text, &tile[2]) || *text != '\0' || tile[0] == 0 || tile[1] == 0 ||
        tile[2] == 0)
        return wrong(reading, "allowed is WxH/STEP, none of them 0, or nothing for all");
    sampling->flags |= WS_SAMPLE_TILES;
    return true;
}

static bool read_level(uint32_t *level, const struct reading *reading)
{
    const size_t option = find_option(reading, reading->value, strlen(reading->value));
    if (option == SIZE_MAX)
        return wrong_option(reading, "allowed is one of ");
    *level = (uint32_t)option;
    return true;
}

/* By its options' order. The passes have been read before: enum ws_setting_id. */
static bool read_geometry(struct ws_settings *settings, const struct reading *reading)
{
    const size_t option = find_option(reading, reading->value, strlen(reading->value));
    if (option == SIZE_MAX)
        return wrong_option(reading, "allowed is one of ");
    settings->geometry = option == 1;
    for (size_t i = 0; option == 0 && i < settings->pass_count; i++)
        settings->geometry = settings->geometry || strcmp(settings->passes[i], "ray_events") == 0;
    return true;
}

static bool read_text(char **value, const struct reading *reading)
{
    *value = strdup(reading->value);
    return *value != NULL || out_of_memory(reading->error);
}

static bool read_output(char **value, const struct reading *reading)
{
    if (reading->value[0] == '\0')
        return wrong(reading, "allowed is the name of a file");
    return read_text(value, reading);
}

static bool read_setting(struct ws_settings *settings, const struct reading *reading)
{
    switch ((enum ws_setting_id)reading->id) {
    case WS_SETTING_PASSES: return read_passes(settings, reading);
    case WS_SETTING_OUTPUT: return read_output(&settings->output, reading);
    case WS_SETTING_FRAMES: return read_range(&settings->frames, reading);
    case WS_SETTING_LAUNCHES: return read_range(&settings->launches, reading);
    case WS_SETTING_TRIGGER: return read_text(&settings->trigger, reading);
    case WS_SETTING_STAGES: return read_stages(settings, reading);
    case WS_SETTING_SHADERS: return read_text(&settings->shaders, reading);
    case WS_SETTING_PER_BLOCK: return read_bool(&settings->per_block, reading);
    case WS_SETTING_MAX_SITES: return read_count(&settings->max_sites, reading);
    case WS_SETTING_DUMP_SHADERS: return read_text(&settings->dump_shaders, reading);
    case WS_SETTING_BUFFER_SIZE: return read_size(&settings->buffer_size, reading);
    case WS_SETTING_BUFFER_LIMIT: return read_size(&settings->buffer_limit, reading);
    case WS_SETTING_THREADS: return read_threads(&settings->sampling, reading);
    case WS_SETTING_PIXELS: return read_pixels(&settings->sampling, reading);
    case WS_SETTING_TILE: return read_tile(&settings->sampling, reading);
    case WS_SETTING_GEOMETRY: return read_geometry(settings, reading);
    case WS_SETTING_LOG_LEVEL: return read_level(&settings->log_level, reading);
    case WS_SETTING_COUNT: break;
    }
    return true;
}

static bool read_all(struct ws_settings *settings, struct ws_setting_text *texts, struct ws_error *error)
{
    settings->pairs = calloc(WS_SETTING_COUNT, sizeof(*settings->pairs));
    if (settings->pairs == NULL)
        return out_of_memory(error);
    for (size_t id = 0; id < WS_SETTING_COUNT; id++) {
        const struct reading reading = {id, texts[id].value, texts[id].source, error};
        if (!read_setting(settings, &reading))
            return false;
        settings->pairs[id].key = ws_setting_table[id].key;
        settings->pairs[id].value = texts[id].value;
        texts[id].value = NULL; /* now the pair's */
        settings->pair_count++;
    }
    return true;
}

struct ws_settings *ws_settings_create(const void *chain, struct ws_error *error)
{
    struct ws_setting_text texts[WS_SETTING_COUNT] = {0};
    struct ws_settings *settings = calloc(1, sizeof(*settings));
    bool good = settings != NULL || out_of_memory(error);
    good = good && ws_settings_text_read(texts, chain, error) && read_all(settings, texts, error);
    ws_settings_text_finish(texts);
    if (good)
        return settings;
    ws_settings_destroy(settings);
    return NULL;
}

void ws_settings_destroy(struct ws_settings *settings)
{
    if (settings == NULL)
        return;
    for (size_t i = 0; i < settings->pair_count; i++)
        free((char *)settings->pairs[i].value);
    free(settings->pairs);
    free(settings->passes);
    free(settings->output);
    free(settings->trigger);
    free(settings->shaders);
    free(settings->dump_shaders);
    free(settings);
}
