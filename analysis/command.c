#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "warpscope/instrument.h"

/* Names of files and what captures say are in messages too, and may not drive the terminal. */
static void say(const char *format, va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    fputs("warpscope: ", stderr);
    if (length >= 0) {
        ws_text_repair(text, (size_t)length);
        ws_text_print(stderr, text);
        free(text);
    } else {
        fputs("no memory, not even to say what went wrong", stderr);
    }
    fputc('\n', stderr);
}

void ws_say(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int ws_usage_error(const char *subcommand, const char *format, ...)
{
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        say(format, arguments);
        va_end(arguments);
    }
    fprintf(stderr, "Try 'warpscope %s --help'.\n", subcommand);
    return WS_EXIT_USAGE;
}

int ws_finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    ws_say("cannot write the output: %s", strerror(errno));
    return WS_EXIT_FAILED;
}

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

bool ws_check_range(const char *option, const char *text, struct ws_error *error)
{
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    const char *end = NULL;
    bool good = read_number(text, &end, &first);
    if (good && *end == '-' && end[1] != '\0')
        good = read_number(end + 1, &end, &last);
    else if (good && *end == '-')
        ++end;
    if (!good || *end != '\0' || last < first)
        return ws_error_set(error, "%s takes A-B, A- or A, counted from 0 and A not above B, not '%s'",
                            option, text);
    return true;
}
