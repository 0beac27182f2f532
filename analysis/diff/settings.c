/* What differs in how the two captures were recorded, and what their figures are divided by (diff.h). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "warpscope/model/launch.h"

#define SETTINGS_MOST 64
#define WHOLE         "whole"

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return text;
}

/* Takes both texts, which are owned then. */
static bool keep_setting(struct ws_diff *diff, const char *what, char *a, char *b, bool kept)
{
    if (a != NULL && b != NULL && kept && diff->setting_count < SETTINGS_MOST) {
        diff->settings[diff->setting_count++] = (struct ws_diff_setting){what, {a, b}};
        return true;
    }
    const bool made = a != NULL && b != NULL;
    free(a);
    free(b);
    return made;
}

/* The same; they are dropped where they are equal. */
static bool add_setting(struct ws_diff *diff, const char *what, char *a, char *b)
{
    return keep_setting(diff, what, a, b, a != NULL && b != NULL && strcmp(a, b) != 0);
}

/* The same of what may be of a part: that is told also where both are of the same part, as these are two different ones. */
static bool add_part(struct ws_diff *diff, const char *what, char *a, char *b)
{
    return keep_setting(diff, what, a, b,
                        a != NULL && b != NULL && (strcmp(a, b) != 0 || strcmp(a, WHOLE) != 0));
}

static char *passes_text(const struct ws_overview *overview)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    for (uint32_t i = 0; i < overview->pass_count; ++i)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", overview->passes[i]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static char *device_text(const struct ws_catalog *catalog)
{
    const struct ws_device_record *device = catalog->devices;
    if (catalog->device_count == 0)
        return text_of("none");
    return text_of("%s, %s %s, subgroup size %" PRIu32, device->name, device->driver_name,
                   device->driver_info, device->subgroup_size);
}

/* Whether the file ends where its writer ended it, and all of it can be read: figures of a part are not those of the whole. */
static char *file_text(const struct ws_overview *overview)
{
    char text[WS_CUT_SHORT_MAX];
    if (ws_report_cut_short(overview, text, sizeof(text)))
        return text_of("cut short (%s)", text);
    return overview->reading.damaged > 0
               ? text_of("damaged (chunks skipped: %" PRIu64 ")", overview->reading.damaged)
               : text_of(WHOLE);
}

/* Whether all records are there: without some, there seem to be fewer of what they tell. */
static char *records_text(const struct ws_report *report)
{
    char text[WS_LOST_MAX];
    return ws_report_lost(report, text, sizeof(text)) ? text_of("in part (%s)", text) : text_of(WHOLE);
}

static const char *setting_of(const struct ws_overview *overview, const char *key)
{
    for (uint32_t i = 0; i < overview->setting_count; ++i)
        if (strcmp(overview->settings[i].key, key) == 0)
            return overview->settings[i].value;
    return NULL;
}

/* Settings that say where the capture goes tell nothing of its figures. */
static bool is_of_figures(const char *key)
{
    return strcmp(key, "output") != 0 && strcmp(key, "passes") != 0;
}

static bool compare_settings(struct ws_diff *diff)
{
    bool made = true;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        const struct ws_overview *own = &diff->reports[side]->overview;
        const struct ws_overview *other = &diff->reports[1 - side]->overview;
        for (uint32_t i = 0; made && i < own->setting_count; ++i) {
            const char *key = own->settings[i].key;
            const char *value = setting_of(other, key);
            if (!is_of_figures(key) || (side == 1 && value != NULL))
                continue;
            char *text = text_of("%s", own->settings[i].value);
            char *text_other = text_of("%s", value != NULL ? value : "not set");
            made = side == 0 ? add_setting(diff, key, text, text_other)
                             : add_setting(diff, key, text_other, text);
        }
    }
    return made;
}

static bool is_known(const uint32_t size[3])
{
    return size[0] != 0 || size[1] != 0 || size[2] != 0;
}

/* The first size of launches that are the same but for it: the more threads, the more of everything. */
static bool compare_sizes(struct ws_diff *diff)
{
    const struct ws_launch_record *launches_a = diff->reports[0]->catalog.launches.launches;
    const struct ws_launch_record *launches_b = diff->reports[1]->catalog.launches.launches;
    const uint32_t *a = NULL;
    const uint32_t *b = NULL;
    bool others = false;
    for (uint32_t i = 0; i < diff->reports[0]->catalog.launches.count; ++i) {
        const uint32_t joined = diff->match.launches.other[0][i];
        const uint32_t *size_a = launches_a[i].size;
        const uint32_t *size_b = joined != WS_NONE ? launches_b[joined].size : size_a;
        if (memcmp(size_a, size_b, sizeof(launches_a->size)) == 0 || !is_known(size_a) || !is_known(size_b))
            continue;
        others = others || (a != NULL && (memcmp(a, size_a, sizeof(launches_a->size)) != 0 ||
                                          memcmp(b, size_b, sizeof(launches_b->size)) != 0));
        a = a == NULL ? size_a : a;
        b = b == NULL ? size_b : b;
    }
    if (a == NULL)
        return true;
    const char *more = others ? " and others" : "";
    char *text_a = text_of("%" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s", a[0], a[1], a[2], more);
    char *text_b = text_of("%" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s", b[0], b[1], b[2], more);
    return add_setting(diff, "launch sizes", text_a, text_b);
}

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The kinds of the launches of a capture, sorted. */
static uint64_t *launch_kinds(const struct ws_diff *diff, uint32_t side)
{
    const uint32_t count = diff->reports[side]->catalog.launches.count;
    uint64_t *kinds = malloc(count * sizeof(*kinds) + 1);
    for (uint32_t i = 0; kinds != NULL && i < count; ++i)
        kinds[i] = ws_diff_launch_kind(&diff->match, diff->reports, side, i);
    if (kinds != NULL && count > 0)
        qsort(kinds, count, sizeof(*kinds), compare_numbers);
    return kinds;
}

static uint32_t run_length(const uint64_t *kinds, uint32_t first, uint32_t count)
{
    uint32_t end = first + 1;
    while (end < count && kinds[end] == kinds[first])
        ++end;
    return end - first;
}

/* Whether both have the same kinds of launches, each in the same ratio. */
static bool are_proportional(const uint64_t *a, uint32_t count_a, const uint64_t *b, uint32_t count_b)
{
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < count_a && j < count_b) {
        const uint32_t run_a = run_length(a, i, count_a);
        const uint32_t run_b = run_length(b, j, count_b);
        if (a[i] != b[j] || (uint64_t)run_a * count_b != (uint64_t)run_b * count_a)
            return false;
        i += run_a;
        j += run_b;
    }
    return i == count_a && j == count_b;
}

static bool count_frames(const struct ws_catalog *catalog, uint64_t *frames)
{
    const uint32_t count = catalog->launches.count;
    uint64_t *numbers = malloc(count * sizeof(*numbers) + 1);
    *frames = 0;
    if (numbers == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = catalog->launches.launches[i].frame;
    if (count > 0)
        qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (uint32_t i = 0; i < count; i += run_length(numbers, i, count))
        ++*frames;
    free(numbers);
    return true;
}

static bool find_scale(struct ws_diff *diff)
{
    const uint32_t count_a = diff->reports[0]->catalog.launches.count;
    const uint32_t count_b = diff->reports[1]->catalog.launches.count;
    diff->divisor[0] = diff->divisor[1] = 1;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        if (!count_frames(&diff->reports[side]->catalog, &diff->frames[side]))
            return false;
    if (count_a == 0 || count_b == 0)
        return true;
    if (diff->frames[0] != diff->frames[1]) {
        diff->per = WS_DIFF_PER_FRAME;
        diff->divisor[0] = diff->frames[0];
        diff->divisor[1] = diff->frames[1];
        return true;
    }
    if (count_a == count_b)
        return true;
    uint64_t *a = launch_kinds(diff, 0);
    uint64_t *b = launch_kinds(diff, 1);
    const bool made = a != NULL && b != NULL;
    if (made && are_proportional(a, count_a, b, count_b)) {
        diff->per = WS_DIFF_PER_LAUNCH;
        diff->divisor[0] = count_a;
        diff->divisor[1] = count_b;
    }
    free(a);
    free(b);
    return made;
}

/* Whether both have the same frames, as far as can be known: as many, chosen alike. */
static void find_frames(struct ws_diff *diff)
{
    static const char *const keys[] = {"frames", "launches"};
    diff->frames_alike = diff->frames[0] == diff->frames[1];
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        const char *a = setting_of(&diff->reports[0]->overview, keys[i]);
        const char *b = setting_of(&diff->reports[1]->overview, keys[i]);
        diff->frames_alike = diff->frames_alike && strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
    }
}

/* Whether only some threads left records, whether the same ones did, and whether only some warps were counted. */
static void find_samples(struct ws_diff *diff)
{
    static const char *const keys[] = {"threads", "pixels", "tile"};
    diff->sampled_alike = true;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        diff->drawn[side] = ws_report_sampled(&diff->reports[side]->overview) > 1;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        const char *value[WS_DIFF_SIDES];
        for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
            value[side] = setting_of(&diff->reports[side]->overview, keys[i]);
            value[side] = value[side] != NULL ? value[side] : "";
            diff->sampled[side] = diff->sampled[side] || value[side][0] != '\0';
        }
        diff->sampled_alike = diff->sampled_alike && strcmp(value[0], value[1]) == 0;
    }
}

bool ws_diff_settings_init(struct ws_diff *diff)
{
    const struct ws_overview *a = &diff->reports[0]->overview;
    const struct ws_overview *b = &diff->reports[1]->overview;
    const struct ws_catalog *catalog_a = &diff->reports[0]->catalog;
    const struct ws_catalog *catalog_b = &diff->reports[1]->catalog;
    diff->settings = calloc(SETTINGS_MOST, sizeof(*diff->settings));
    if (diff->settings == NULL || !find_scale(diff))
        return false;
    find_samples(diff);
    find_frames(diff);
    return add_setting(diff, "passes", passes_text(a), passes_text(b)) &&
           add_part(diff, "file", file_text(a), file_text(b)) &&
           add_part(diff, "records", records_text(diff->reports[0]), records_text(diff->reports[1])) &&
           add_setting(diff, "device", device_text(catalog_a), device_text(catalog_b)) &&
           add_setting(diff, "frames", text_of("%" PRIu64, diff->frames[0]),
                       text_of("%" PRIu64, diff->frames[1])) &&
           add_setting(diff, "launches", text_of("%" PRIu32, catalog_a->launches.count),
                       text_of("%" PRIu32, catalog_b->launches.count)) &&
           compare_sizes(diff) &&
           add_setting(diff, "warpscope", text_of("%s", a->version), text_of("%s", b->version)) &&
           compare_settings(diff);
}
