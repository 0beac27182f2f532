/* The grammar of the settings' values: one function per form of value. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "passes/base/near.h"
#include "passes/settings/settings.h"
#include "warpscope/base/text.h"
#include "warpscope/instrument.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"
#include "warpscope/stage.h"

/* A value that is being read. */
struct reading {
    enum ws_setting_id id;
    const char *text;
    const char *name; /* of the setting, for the error */
    struct ws_error *error;
};

static bool out_of_memory(struct ws_error *error)
{
    return ws_error_set(error, "out of memory");
}

static bool wrong(const struct reading *reading, const char *allowed)
{
    ws_error_set(reading->error, "%s takes %s, not '%s'", reading->name, allowed, reading->text);
    return false; /* said here, so that compilers know: what was to be read is not set, and not used */
}

/* The choices of a setting with `before` in front of them: "all, raygen, miss". */
static const char *list_choices(enum ws_setting_id id, const char *before, char *list, size_t size)
{
    const char *choice;
    size_t length = (size_t)snprintf(list, size, "%s", before);
    for (size_t i = 0; (choice = ws_setting_choice(id, i)) != NULL && length < size; i++)
        length += (size_t)snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", choice);
    return list;
}

/* The index of the choice that is `length` bytes at `text`; SIZE_MAX when there is none. */
static size_t find_choice(enum ws_setting_id id, const char *text, size_t length)
{
    const char *choice;
    for (size_t i = 0; (choice = ws_setting_choice(id, i)) != NULL; i++)
        if (strlen(choice) == length && memcmp(choice, text, length) == 0)
            return i;
    return SIZE_MAX;
}

/* Says that a name is none of the choices, and which was meant if one is near, else `names` and `more`. */
static bool no_choice(const struct reading *reading, const char *what, const char *name, size_t length,
                      const char *names, const char *more)
{
    const char *choice;
    struct ws_near near = ws_near_begin(name, length);
    for (size_t i = 0; (choice = ws_setting_choice(reading->id, i)) != NULL; i++)
        ws_near_try(&near, choice);
    if (near.name != NULL)
        return ws_error_set(reading->error, "%s: there is no %s '%.*s'; did you mean '%s'?", reading->name,
                            what, (int)length, name, near.name);
    return ws_error_set(reading->error, "%s: there is no %s '%.*s'; there are: %s%s", reading->name, what,
                        (int)length, name, names, more);
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

static bool has_pass(const struct ws_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->pass_count; i++)
        if (settings->passes[i] == name)
            return true;
    return false;
}

/* Lists a name that is no pass. */
static bool add_missing(struct ws_settings *settings, const char *name, size_t length)
{
    const size_t before = settings->missing_passes != NULL ? strlen(settings->missing_passes) : 0;
    char *names = realloc(settings->missing_passes, before + 2 + length + 1);
    if (names == NULL)
        return false;
    settings->missing_passes = names;
    sprintf(names + before, "%s%.*s", before > 0 ? ", " : "", (int)length, name);
    return true;
}

/* Whether the pass tells memory, or acceleration structures, apart. */
static bool needs_bindings(const char *pass)
{
    return strcmp(pass, WS_PASS_MEMORY_ACCESS) == 0 || strcmp(pass, WS_PASS_MEMORY_TRACE) == 0 ||
           strcmp(pass, WS_PASS_MEMORY_CHECK) == 0 || strcmp(pass, WS_PASS_RAY_EVENTS) == 0;
}

static bool read_passes(struct ws_settings *settings, const struct reading *reading)
{
    const char *rest = reading->text;
    const char *part;
    size_t length, capacity, first, count;
    const struct ws_pass_description *list = ws_pass_list(&capacity);
    free(settings->passes);
    free(settings->missing_passes);
    settings->missing_passes = NULL;
    settings->pass_count = 0;
    settings->passes = calloc(capacity, sizeof(*settings->passes));
    if (settings->passes == NULL)
        return out_of_memory(reading->error);
    while ((part = next_part(&rest, &length)) != NULL) {
        char names[256];
        const bool is_known = ws_pass_choose(part, length, &first, &count);
        if (!is_known && settings->allows_missing_passes) {
            if (!add_missing(settings, part, length))
                return out_of_memory(reading->error);
            continue;
        }
        if (!is_known)
            return no_choice(reading, "pass", part, length,
                             list_choices(reading->id, "", names, sizeof(names)),
                             ", all, and those of plug-ins (--plugin FILE, WARPSCOPE_PLUGINS)");
        for (size_t i = first; i < first + count; i++)
            if (!has_pass(settings, list[i].name))
                settings->passes[settings->pass_count++] = list[i].name;
    }
    settings->times = settings->clocks = settings->instruments = settings->bindings = false;
    for (size_t i = 0; i < settings->pass_count; i++) {
        const bool is_time = strcmp(settings->passes[i], WS_PASS_TIME) == 0;
        settings->times |= is_time;
        settings->instruments |= !is_time;
        settings->clocks |= strcmp(settings->passes[i], WS_PASS_WARP_TIME) == 0;
        settings->bindings |= needs_bindings(settings->passes[i]);
    }
    return true;
}

/* No stage at all is all of them. */
static bool read_stages(uint32_t *stages, const struct reading *reading)
{
    const char *rest = reading->text;
    const char *part;
    size_t length;
    uint32_t mask = 0;
    while ((part = next_part(&rest, &length)) != NULL) {
        const size_t choice = find_choice(reading->id, part, length);
        char names[320];
        if (length == 3 && memcmp(part, "all", 3) == 0)
            mask |= WS_STAGES_ALL;
        else if (length == 11 && memcmp(part, "ray_tracing", 11) == 0)
            mask |= WS_STAGES_RAY_TRACING;
        else if (choice != SIZE_MAX)
            mask |= 1u << choice;
        else
            return no_choice(reading, "stage", part, length,
                             list_choices(reading->id, "all, ray_tracing", names, sizeof(names)), "");
    }
    *stages = mask != 0 ? mask : WS_STAGES_ALL;
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

/* A range that is refused leaves the one that was there. */
static bool read_range(struct ws_range *range, const struct reading *reading)
{
    struct ws_range read = {0, UINT64_MAX};
    const char *text = reading->text;
    bool good = *text == '\0' || read_number(text, &text, &read.first);
    if (good && text != reading->text && *text == '\0')
        read.last = read.first;
    else if (good && text != reading->text)
        good = *text++ == '-' && (*text == '\0' || (read_number(text, &text, &read.last) && *text == '\0')) &&
               read.first <= read.last;
    if (!good)
        return wrong(reading, "A-B, A- or A with A not above B, or nothing for all");
    *range = read;
    return true;
}

static bool read_bool(bool *value, const struct reading *reading)
{
    static const char *const yes[] = {"true", "on", "yes", "1"};
    static const char *const no[] = {"false", "off", "no", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(reading->text, yes[i]) == 0 || strcasecmp(reading->text, no[i]) == 0) {
            *value = strcasecmp(reading->text, yes[i]) == 0;
            return true;
        }
    }
    return wrong(reading, "true or false, on or off, yes or no, 1 or 0");
}

static bool read_count(uint32_t *value, const struct reading *reading)
{
    const char *end;
    uint64_t number;
    if (!read_number(reading->text, &end, &number) || *end != '\0' || number > UINT32_MAX)
        return wrong(reading, "a number from 0 to 4294967295");
    *value = (uint32_t)number;
    return true;
}

static bool read_budget(uint32_t *value, const struct reading *reading)
{
    const char *end;
    uint64_t number;
    const bool automatic = reading->text[0] == '\0' || strcmp(reading->text, "auto") == 0;
    if (!automatic &&
        (!read_number(reading->text, &end, &number) || *end != '\0' || number >= WS_SITES_BUDGET_AUTO))
        return wrong(reading, "a number from 0 to 4294967294, or auto");
    *value = automatic ? WS_SITES_BUDGET_AUTO : (uint32_t)number;
    return true;
}

static bool read_sample(uint32_t *value, const struct reading *reading)
{
    const char *text = reading->text;
    uint64_t number = 1;
    if (*text != '\0' && (strncmp(text, "1/", 2) != 0 || !read_number(text + 2, &text, &number) ||
                          *text != '\0' || number == 0 || number > WS_SAMPLE_MAX))
        return wrong(reading, "1/N with N from 1 to 65536, or nothing for all");
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
    uint64_t bytes = 0;
    *value = 0;
    if (reading->text[0] == '\0')
        return true;
    if (!ws_bytes_parse(reading->text, &bytes) || bytes > BUFFER_MAX || bytes < BUFFER_MIN)
        return wrong(reading,
                     "a number of bytes from 1K to 8G, with K, M, G (of 1024), kB, MB, GB (of 1000) or "
                     "nothing behind it, or nothing at all");
    *value = bytes & ~UINT64_C(3);
    if (*value / 4 > WS_STREAM_CAPACITY_MAX)
        *value = UINT64_C(4) * WS_STREAM_CAPACITY_MAX;
    return true;
}

static bool read_threads(struct ws_sampling *sampling, const struct reading *reading)
{
    static const char allowed[] =
        "A-B, A- or A with A not above B, and behind it or alone /STEP from 1, or nothing for all";
    const char *text = reading->text;
    sampling->flags &= ~(uint32_t)WS_SAMPLE_THREADS;
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
        "X0,Y0-X1,Y1 with no first number above the last, or X,Y, or nothing for all";
    const char *text = reading->text;
    uint32_t *box = sampling->box;
    sampling->flags &= ~(uint32_t)WS_SAMPLE_BOX;
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
    const char *text = reading->text;
    uint32_t *tile = sampling->tile;
    sampling->flags &= ~(uint32_t)WS_SAMPLE_TILES;
    if (*text == '\0')
        return true;
    if (!read_word(&text, &tile[0]) || !skip(&text, 'x') || !read_word(&text, &tile[1]) ||
        !skip(&text, '/') || !read_word(&text, &tile[2]) || *text != '\0' || tile[0] == 0 || tile[1] == 0 ||
        tile[2] == 0)
        return wrong(reading, "WxH/STEP, such as 16x16/8, none of them 0, or nothing for all");
    sampling->flags |= WS_SAMPLE_TILES;
    return true;
}

static bool read_choice(uint32_t *choice, const struct reading *reading)
{
    char allowed[128];
    const size_t found = find_choice(reading->id, reading->text, strlen(reading->text));
    if (found == SIZE_MAX)
        return wrong(reading, list_choices(reading->id, "", allowed, sizeof(allowed)));
    *choice = (uint32_t)found;
    return true;
}

/* By the order of its choices: auto, on, off. */
static bool read_geometry(struct ws_settings *settings, const struct reading *reading)
{
    uint32_t choice;
    if (!read_choice(&choice, reading))
        return false;
    settings->geometry = choice == 1;
    for (size_t i = 0; choice == 0 && i < settings->pass_count; i++)
        settings->geometry = settings->geometry || strcmp(settings->passes[i], "ray_events") == 0 ||
                             strcmp(settings->passes[i], "memory_trace") == 0;
    return true;
}

static bool read_text(char **value, const struct reading *reading)
{
    char *copy = strdup(reading->text);
    if (copy == NULL)
        return out_of_memory(reading->error);
    free(*value);
    *value = copy;
    return true;
}

static bool read_probes(struct ws_settings *settings, const struct reading *reading)
{
    if (!read_text(&settings->probes, reading))
        return false;
    settings->instruments = settings->instruments || settings->probes[0] != '\0';
    return true;
}

static bool read_output(char **value, const struct reading *reading)
{
    return reading->text[0] != '\0' ? read_text(value, reading) : wrong(reading, "the name of a file");
}

bool ws_settings_set(struct ws_settings *settings, enum ws_setting_id id, const char *text, const char *name,
                     struct ws_error *error)
{
    const struct reading reading = {id, text, name, error};
    switch (id) {
    case WS_SETTING_PASSES: return read_passes(settings, &reading);
    case WS_SETTING_PROBES: return read_probes(settings, &reading);
    case WS_SETTING_OUTPUT: return read_output(&settings->output, &reading);
    case WS_SETTING_FRAMES: return read_range(&settings->frames, &reading);
    case WS_SETTING_LAUNCHES: return read_range(&settings->launches, &reading);
    case WS_SETTING_TRIGGER: return read_text(&settings->trigger, &reading);
    case WS_SETTING_STAGES: return read_stages(&settings->stages, &reading);
    case WS_SETTING_SHADERS: return read_text(&settings->shaders, &reading);
    case WS_SETTING_PER_BLOCK: return read_bool(&settings->per_block, &reading);
    case WS_SETTING_MAX_SITES: return read_count(&settings->max_sites, &reading);
    case WS_SETTING_SITES_BUDGET: return read_budget(&settings->sites_budget, &reading);
    case WS_SETTING_SAMPLE: return read_sample(&settings->sample, &reading);
    case WS_SETTING_DUMP_SHADERS: return read_text(&settings->dump_shaders, &reading);
    case WS_SETTING_BUFFER_SIZE: return read_size(&settings->buffer_size, &reading);
    case WS_SETTING_BUFFER_LIMIT: return read_size(&settings->buffer_limit, &reading);
    case WS_SETTING_THREADS: return read_threads(&settings->sampling, &reading);
    case WS_SETTING_PIXELS: return read_pixels(&settings->sampling, &reading);
    case WS_SETTING_TILE: return read_tile(&settings->sampling, &reading);
    case WS_SETTING_GEOMETRY: return read_geometry(settings, &reading);
    case WS_SETTING_IMAGE: return read_bool(&settings->image, &reading);
    case WS_SETTING_IMAGE_LIMIT: return read_size(&settings->image_limit, &reading);
    case WS_SETTING_ARGUMENTS: return read_bool(&settings->arguments, &reading);
    case WS_SETTING_SLOW_AFTER: return read_count(&settings->slow_after, &reading);
    case WS_SETTING_LOG_LEVEL: return read_choice(&settings->log_level, &reading);
    case WS_SETTING_COUNT: break;
    }
    return true;
}

void ws_settings_finish(struct ws_settings *settings)
{
    for (size_t i = 0; i < settings->pair_count; i++)
        free((char *)settings->pairs[i].value);
    free(settings->pairs);
    free(settings->passes);
    free(settings->missing_passes);
    free(settings->probes);
    free(settings->output);
    free(settings->trigger);
    free(settings->shaders);
    free(settings->dump_shaders);
    memset(settings, 0, sizeof(*settings));
}
