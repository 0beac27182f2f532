#include "analysis/memory/cache/cache_shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "warpscope/base/text.h"

enum form {
    FORM_TEXT,
    FORM_COUNT,
    FORM_TILE,
    FORM_BYTES,
    FORM_WAYS,
    FORM_REPLACEMENT,
    FORM_INDEX,
};

/* What a text says, before it is made into settings. */
struct level {
    uint32_t size, line, sector, ways, replacement, index;
};

struct reading {
    struct ws_cache_shape *shape;
    struct level l1, l2;
    const char *file;
    uint32_t line;
    struct ws_error *error;
};

struct key {
    const char *name;
    enum form form;
    const char *example;
    size_t offset; /* in struct reading; not for FORM_TEXT, FORM_COUNT and FORM_TILE */
};

#define LEVEL(text, member)                                                                                  \
    {text "_size", FORM_BYTES, "64K", offsetof(struct reading, member.size)},                                \
        {text "_line", FORM_BYTES, "128", offsetof(struct reading, member.line)},                            \
        {text "_sector", FORM_BYTES, "32", offsetof(struct reading, member.sector)},                         \
        {text "_ways", FORM_WAYS, "16", offsetof(struct reading, member.ways)},                              \
        {text "_replacement", FORM_REPLACEMENT, "lru", offsetof(struct reading, member.replacement)},        \
    {                                                                                                        \
        text "_index", FORM_INDEX, "modulo", offsetof(struct reading, member.index)                          \
    }

static const struct key keys[] = {
    {"name", FORM_TEXT, "Example", 0},
    {"multiprocessors", FORM_COUNT, "68", 0},
    LEVEL("l1", l1),
    LEVEL("l2", l2),
    {"tile", FORM_TILE, "16", 0}, /* the only one that is not needed */
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* A word of a text as messages show it. */
#define SHOWN_SIZE 48

static bool wrong(const struct reading *reading, const struct key *key, const char *takes, const char *value)
{
    char shown[SHOWN_SIZE];
    ws_text_escape(shown, sizeof(shown), value);
    return ws_error_set(reading->error, "%s:%u: %s takes %s, not '%s'", reading->file, reading->line,
                        key->name, takes, shown);
}

/* A number, with K or M behind it where `has_unit`. False where it is none, is 0, or has more than 31 bits. */
static bool read_number(const char *value, bool has_unit, uint32_t *number)
{
    uint64_t sum = 0;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && sum <= INT32_MAX; ++at)
        sum = 10 * sum + (uint64_t)(*at - '0');
    const bool has_digits = at > value;
    if (has_unit && has_digits && (*at == 'K' || *at == 'M'))
        sum <<= *at++ == 'K' ? 10 : 20;
    *number = (uint32_t)sum;
    return has_digits && *at == '\0' && sum > 0 && sum <= INT32_MAX;
}

static bool read_choice(const char *value, const char *zero, const char *one, uint32_t *choice)
{
    *choice = strcmp(value, one) == 0;
    return *choice == 1 || strcmp(value, zero) == 0;
}

static bool read_value(struct reading *reading, const struct key *key, const char *value)
{
    struct ws_cache_shape *shape = reading->shape;
    uint32_t *number = (uint32_t *)((char *)reading + key->offset);
    switch (key->form) {
    case FORM_TEXT: ws_text_escape(shape->name, sizeof(shape->name), value); return true;
    case FORM_COUNT:
        if (read_number(value, false, &shape->multiprocessors) &&
            shape->multiprocessors <= WS_CACHE_MULTIPROCESSORS)
            return true;
        return wrong(reading, key, "a number from 1 to 1024", value);
    case FORM_TILE:
        if (read_number(value, false, &shape->tile) && shape->tile <= WS_CACHE_TILE)
            return true;
        return wrong(reading, key, "a number of pixels from 1 to 4096", value);
    case FORM_BYTES:
        return read_number(value, true, number) ||
               wrong(reading, key, "bytes, such as 128, 57K or 6M", value);
    case FORM_WAYS:
        *number = 0;
        return strcmp(value, "full") == 0 || read_number(value, false, number) ||
               wrong(reading, key, "a number, or 'full'", value);
    case FORM_REPLACEMENT:
        return read_choice(value, "lru", "tree_plru", number) ||
               wrong(reading, key, "'lru' or 'tree_plru'", value);
    case FORM_INDEX:
        return read_choice(value, "modulo", "hash", number) ||
               wrong(reading, key, "'modulo' or 'hash'", value);
    }
    return false;
}

static bool unknown_key(const struct reading *reading, const char *name)
{
    char shown[SHOWN_SIZE], names[256];
    size_t length = 0;
    ws_text_escape(shown, sizeof(shown), name);
    for (size_t i = 0; i < KEYS && length < sizeof(names); ++i)
        length +=
            (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i > 0 ? ", " : "", keys[i].name);
    return ws_error_set(reading->error, "%s:%u: there is no key '%s'; there are: %s", reading->file,
                        reading->line, shown, names);
}

/* Reads a line, which is changed: without its comment, and the white space around what it says. */
static bool read_line(struct reading *reading, char *line, uint32_t seen[KEYS])
{
    static const char white[] = " \t\r";
    line[strcspn(line, "#")] = '\0';
    char *name = line + strspn(line, white);
    size_t length = strlen(name);
    while (length > 0 && strchr(white, name[length - 1]) != NULL)
        name[--length] = '\0';
    if (length == 0)
        return true;
    char *value = name + strcspn(name, white);
    if (*value != '\0')
        *value++ = '\0';
    value += strspn(value, white);
    for (size_t i = 0; i < KEYS; ++i) {
        if (strcmp(name, keys[i].name) != 0)
            continue;
        if (seen[i] != 0)
            return ws_error_set(reading->error,
                                "%s:%u: %s is given a second time; remove one (the first is in line %u)",
                                reading->file, reading->line, name, seen[i]);
        if (*value == '\0')
            return ws_error_set(reading->error, "%s:%u: %s has no value; write for example '%s %s'",
                                reading->file, reading->line, name, name, keys[i].example);
        seen[i] = reading->line;
        return read_value(reading, &keys[i], value);
    }
    return unknown_key(reading, name);
}

/* Makes settings of a level. */
static bool settle(const struct reading *reading, const struct level *level, const char *name,
                   enum ws_cache_writes writes, struct ws_cache_settings *settings)
{
    char what[256];
    snprintf(what, sizeof(what), "%s: %s", reading->file, name);
    if (level->size % level->line != 0)
        return ws_error_set(reading->error, "%s: its size of %u bytes is no multiple of its lines of %u",
                            what, level->size, level->line);
    if (level->line % level->sector != 0)
        return ws_error_set(reading->error, "%s: its lines of %u bytes are no multiple of its sectors of %u",
                            what, level->line, level->sector);
    *settings = (struct ws_cache_settings){
        .line_bytes = level->line,
        .sectors = level->line / level->sector,
        .lines = level->size / level->line,
        .ways = level->ways,
        .replacement = level->replacement != 0 ? WS_CACHE_TREE_PLRU : WS_CACHE_LRU,
        .writes = writes,
        .index = level->index != 0 ? WS_CACHE_HASH : WS_CACHE_MODULO,
    };
    return ws_cache_check(settings, what, reading->error);
}

static bool read_lines(struct reading *reading, char *text)
{
    uint32_t seen[KEYS] = {0};
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        reading->line++;
        if (!read_line(reading, line, seen))
            return false;
        line = end;
    }
    for (size_t i = 0; i < KEYS; ++i)
        if (seen[i] == 0 && keys[i].form != FORM_TILE)
            return ws_error_set(reading->error, "%s: %s is missing; add a line such as '%s %s'",
                                reading->file, keys[i].name, keys[i].name, keys[i].example);
    return true;
}

bool ws_cache_shape_parse(const char *text, const char *file, struct ws_cache_shape *shape,
                          struct ws_error *error)
{
    struct reading reading = {.shape = shape, .file = file, .error = error};
    *shape = (struct ws_cache_shape){{0}};
    if (strlen(text) > WS_CACHE_SHAPE_BYTES)
        return ws_error_set(error, "%s: settings of caches have at most %u bytes", file,
                            WS_CACHE_SHAPE_BYTES);
    char *copy = strdup(text);
    if (copy == NULL)
        return ws_error_set(error, "%s: no memory to read it", file);
    const bool is_read = read_lines(&reading, copy);
    free(copy);
    if (!is_read || !settle(&reading, &reading.l1, "l1", WS_CACHE_WRITE_THROUGH, &shape->l1) ||
        !settle(&reading, &reading.l2, "l2", WS_CACHE_WRITE_BACK, &shape->l2))
        return false;
    const uint64_t lines = (uint64_t)shape->multiprocessors * shape->l1.lines + shape->l2.lines;
    if (lines > WS_CACHE_SHAPE_LINES)
        return ws_error_set(error,
                            "%s: the caches have %llu lines together, and at most %u can be simulated; give "
                            "fewer multiprocessors or smaller caches",
                            file, (unsigned long long)lines, WS_CACHE_SHAPE_LINES);
    return true;
}

static bool refuse_name(const char *name, struct ws_error *error)
{
    char names[256] = "";
    size_t count = 0;
    const struct ws_cache_device *devices = ws_cache_device_list(&count);
    for (size_t i = 0; i < count; ++i)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i > 0 ? ", " : "",
                 devices[i].name);
    return ws_error_set(
        error, "%s: no device of this name is built in (%s are), and there is no such file of settings", name,
        names);
}

/* A file of at most WS_CACHE_SHAPE_BYTES as a text, to be freed. */
static char *read_file(const char *path, struct ws_error *error)
{
    struct stat status;
    char *text = NULL;
    size_t size = 0;
    FILE *file = stat(path, &status) == 0 && !S_ISREG(status.st_mode) ? NULL : fopen(path, "rb");
    if (file == NULL) {
        refuse_name(path, error);
        return NULL;
    }
    text = malloc(WS_CACHE_SHAPE_BYTES + 2);
    if (text == NULL)
        goto error;
    size = fread(text, 1, WS_CACHE_SHAPE_BYTES + 1, file);
    if (ferror(file) != 0) {
        ws_error_set(error, "%s: cannot read it: %s", path, strerror(errno));
        goto error;
    }
    if (memchr(text, '\0', size) != NULL) {
        ws_error_set(error, "%s: it is no text", path);
        goto error;
    }
    text[size] = '\0';
    fclose(file);
    return text;
error:
    ws_error_set(error, "%s: no memory to read it", path);
    fclose(file);
    free(text);
    return NULL;
}

bool ws_cache_shape_load(const char *name, struct ws_cache_shape *shape, struct ws_error *error)
{
    size_t count;
    const struct ws_cache_device *devices = ws_cache_device_list(&count);
    for (size_t i = 0; i < count; ++i)
        if (strcmp(name, devices[i].name) == 0)
            return ws_cache_shape_parse(devices[i].text, devices[i].name, shape, error);
    char *text = read_file(name, error);
    const bool is_read = text != NULL && ws_cache_shape_parse(text, name, shape, error);
    free(text);
    return is_read;
}
