/* The values of options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "warpscope/instrument.h"

/* The next part of a list separated by commas; NULL after the last. */
static const char *next_part(const char **rest, size_t *length)
{
    const char *part = *rest + strspn(*rest, ", ");
    *length = strcspn(part, ", ");
    *rest = part + *length;
    return *length > 0 ? part : NULL;
}

void ws_append_name(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Adds a name to a list of passes that lacks it. */
static bool add_pass(const char *name, const char **passes, size_t capacity, size_t *count,
                     struct ws_error *error)
{
    for (size_t i = 0; i < *count; ++i)
        if (passes[i] == name)
            return true;
    if (*count == capacity)
        return ws_error_set(error, "there are more than %zu passes", capacity);
    passes[(*count)++] = name;
    return true;
}

bool ws_parse_passes(const char *text, const char **passes, size_t capacity, size_t *count,
                     struct ws_error *error)
{
    size_t available = 0;
    size_t length = 0;
    const struct ws_pass_description *list = ws_pass_list(&available);
    *count = 0;
    for (const char *part = next_part(&text, &length); part != NULL; part = next_part(&text, &length)) {
        size_t first = 0;
        size_t chosen = 0;
        if (!ws_pass_choose(part, length, &first, &chosen)) {
            char names[256] = "";
            for (size_t i = 0; i < available; ++i)
                ws_append_name(names, sizeof(names), list[i].name);
            ws_append_name(names, sizeof(names), "all");
            return ws_error_set(error, "there is no pass '%.*s'; there are: %s", (int)length, part, names);
        }
        for (size_t i = first; i < first + chosen; ++i)
            if (!add_pass(list[i].name, passes, capacity, count, error))
                return false;
    }
    return *count > 0 || ws_error_set(error, "no pass is named; `warpscope list` shows them");
}

bool ws_parse_stages(const char *text, uint32_t *stages, struct ws_error *error)
{
    size_t length = 0;
    *stages = 0;
    for (const char *part = next_part(&text, &length); part != NULL; part = next_part(&text, &length)) {
        uint32_t found = 0;
        if (length == 3 && memcmp(part, "all", 3) == 0)
            found = WS_STAGES_ALL;
        else if (length == 11 && memcmp(part, "ray_tracing", 11) == 0)
            found = WS_STAGES_RAY_TRACING;
        for (uint32_t stage = 1; stage < WS_STAGES_ALL && found == 0; stage <<= 1)
            if (strlen(ws_stage_name(stage)) == length && memcmp(ws_stage_name(stage), part, length) == 0)
                found = stage;
        if (found == 0) {
            char names[320] = "all, ray_tracing";
            for (uint32_t stage = 1; stage < WS_STAGES_ALL; stage <<= 1)
                ws_append_name(names, sizeof(names), ws_stage_name(stage));
            return ws_error_set(error, "there is no stage '%.*s'; there are: %s", (int)length, part, names);
        }
        *stages |= found;
    }
    return *stages != 0 || ws_error_set(error, "no stage is named; `warpscope list` shows them");
}

/* A number without sign at `text`; `*end` is set behind it. */
static bool read_number(const char *text, const char **end, uint64_t *number)
{
    char *behind = NULL;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0;
}

bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error)
{
    uint64_t value = 0;
    const char *end = NULL;
    if (!read_number(text, &end, &value) || *end != '\0' || value > UINT32_MAX)
        return ws_error_set(error, "%s takes a number from 0 to %u, not '%s'", option, UINT32_MAX, text);
    *number = (uint32_t)value;
    return true;
}

/* Whether `text` is like `pattern`, in which # stands for a number and everything else for itself. The
 * numbers go into `numbers`. */
static bool is_like(const char *text, const char *pattern, uint64_t numbers[4])
{
    for (; *pattern != '\0'; ++pattern) {
        if (*pattern == '#') {
            if (!read_number(text, &text, numbers++))
                return false;
        } else if (*text++ != *pattern) {
            return false;
        }
    }
    return *text == '\0';
}

bool ws_check_range(const char *option, const char *text, struct ws_error *error)
{
    uint64_t numbers[4] = {0, 0, 0, 0};
    bool good = is_like(text, "#", numbers) || is_like(text, "#-", numbers) ||
                (is_like(text, "#-#", numbers) && numbers[0] <= numbers[1]);
    return good || ws_error_set(error, "%s takes A-B, A- or A, counted from 0 and A not above B, not '%s'",
                                option, text);
}

/* Words of the record buffer are counted with 32 bits (records.h); the layer takes no more than this. */
#define BUFFER_LEAST 1024
#define BUFFER_MOST  (UINT64_C(8) << 30)

bool ws_check_size(const char *option, const char *text, struct ws_error *error)
{
    static const char *const patterns[] = {"#", "#K", "#k", "#M", "#m", "#G", "#g"};
    for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); ++i) {
        uint64_t size[4] = {0};
        unsigned shift = 10 * ((i + 1) / 2);
        if (is_like(text, patterns[i], size) && size[0] <= BUFFER_MOST >> shift &&
            size[0] << shift >= BUFFER_LEAST)
            return true;
    }
    return ws_error_set(error, "%s takes bytes from 1K to 8G, with K, M, G or nothing behind, not '%s'",
                        option, text);
}

bool ws_check_threads(const char *option, const char *text, struct ws_error *error)
{
    static const char *const patterns[] = {"#", "#-", "#-#", "/#", "#/#", "#-/#", "#-#/#"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); ++i) {
        uint64_t numbers[4] = {0, 0, 0, 0};
        if (!is_like(text, patterns[i], numbers))
            continue;
        bool both = strncmp(patterns[i], "#-#", 3) == 0;
        uint64_t step = strchr(patterns[i], '/') == NULL ? 1
                        : both                           ? numbers[2]
                        : patterns[i][0] == '#'          ? numbers[1]
                                                         : numbers[0];
        if (step > 0 && step <= UINT32_MAX && numbers[0] <= UINT32_MAX && numbers[1] <= UINT32_MAX &&
            (!both || numbers[0] <= numbers[1]))
            return true;
    }
    return ws_error_set(error,
                        "%s takes A-B, A- or A with A not above B, and behind it or alone /STEP from 1, not "
                        "'%s'",
                        option, text);
}

bool ws_check_pixels(const char *option, const char *text, struct ws_error *error)
{
    uint64_t box[4] = {0, 0, 0, 0};
    bool good =
        is_like(text, "#,#", box) || (is_like(text, "#,#-#,#", box) && box[0] <= box[2] && box[1] <= box[3]);
    for (int i = 0; i < 4; ++i)
        good = good && box[i] <= UINT32_MAX;
    return good ||
           ws_error_set(error, "%s takes X0,Y0-X1,Y1 with no first number above the last, or X,Y, not '%s'",
                        option, text);
}

bool ws_check_tile(const char *option, const char *text, struct ws_error *error)
{
    uint64_t tile[4] = {0, 0, 0, 1};
    bool good = is_like(text, "#x#/#", tile);
    for (int i = 0; i < 4; ++i)
        good = good && tile[i] > 0 && tile[i] <= UINT32_MAX;
    return good ||
           ws_error_set(error, "%s takes WxH/STEP, such as 16x16/8, none of them 0, not '%s'", option, text);
}
