#include "analysis/viewer/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decodes a text in its place. */
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; ++from) {
        if (*from == '+') {
            *to++ = ' ';
        } else if (*from == '%') {
            const int high = hex_digit(from[1]);
            const int low = high >= 0 ? hex_digit(from[2]) : -1;
            if (low < 0 || (high | low) == 0)
                return false;
            *to++ = (char)(high << 4 | low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return true;
}

/* Puts a key at its place. */
static bool insert(struct ws_viewer_query *query, const char *name, const char *value, struct ws_error *error)
{
    uint32_t place = query->count;
    if (query->count == WS_VIEWER_KEYS_MAX)
        return ws_error_set(error, "a query has at most %d keys", WS_VIEWER_KEYS_MAX);
    if (ws_viewer_query_text(query, name) != NULL)
        return ws_error_set(error, "the key '%.64s' is given twice", name);
    for (; place > 0 && strcmp(query->names[place - 1], name) > 0; --place) {
        query->names[place] = query->names[place - 1];
        query->values[place] = query->values[place - 1];
    }
    query->names[place] = name;
    query->values[place] = value;
    query->count++;
    return true;
}

bool ws_viewer_query_parse(struct ws_viewer_query *query, const char *text, struct ws_error *error)
{
    const size_t length = strlen(text);
    query->count = 0;
    if (length >= sizeof(query->decoded))
        return ws_error_set(error, "the query is longer than %zu bytes", sizeof(query->decoded) - 1);
    memcpy(query->decoded, text, length + 1);
    char *rest = query->decoded;
    query->resource = strsep(&rest, "?");
    while (rest != NULL && *rest != '\0') {
        char *value = strsep(&rest, "&");
        char *name = strsep(&value, "=");
        if (value == NULL)
            value = name + strlen(name);
        if (!decode(name) || (*value != '\0' && !decode(value)))
            return ws_error_set(error, "the query is not percent-encoded as it should be");
        if (!insert(query, name, value, error))
            return false;
    }
    return true;
}

/* Whether `name` is a word of `words`. */
static bool is_word(const char *name, const char *words)
{
    const size_t length = strlen(name);
    while (words != NULL && *words != '\0') {
        const size_t word = strcspn(words, " ");
        if (word == length && memcmp(words, name, length) == 0)
            return true;
        words += word + strspn(words + word, " ");
    }
    return false;
}

bool ws_viewer_query_check(const struct ws_viewer_query *query, const char *keys, struct ws_error *error)
{
    for (uint32_t i = 0; i < query->count; ++i)
        if (!is_word(query->names[i], keys) && strcmp(query->names[i], "capture") != 0)
            return ws_error_set(error, "%.64s has no key '%.64s'; there are: %s", query->resource,
                                query->names[i], keys != NULL ? keys : "capture");
    return true;
}

const char *ws_viewer_query_text(const struct ws_viewer_query *query, const char *name)
{
    for (uint32_t i = 0; i < query->count; ++i)
        if (strcmp(query->names[i], name) == 0)
            return query->values[i];
    return NULL;
}

bool ws_viewer_query_number(const struct ws_viewer_query *query, const char *name, uint64_t otherwise,
                            uint64_t most, uint64_t *value, struct ws_error *error)
{
    const char *text = ws_viewer_query_text(query, name);
    *value = otherwise;
    if (text == NULL)
        return true;
    uint64_t number = 0;
    bool good = *text != '\0';
    for (const char *at = text; *at != '\0' && good; ++at) {
        const unsigned digit = (unsigned)(*at - '0');
        good = digit <= 9 && number <= (UINT64_MAX - digit) / 10;
        number = 10 * number + digit;
    }
    if (!good || number > most)
        return ws_error_set(error, "%s takes a number from 0 to %" PRIu64 ", not '%.64s'", name, most, text);
    *value = number;
    return true;
}

struct canonical {
    char *text;
    size_t size;
    size_t used;
};

static void add_byte(struct canonical *canonical, char byte)
{
    if (canonical->used < canonical->size)
        canonical->text[canonical->used] = byte;
    canonical->used++;
}

static void add_encoded(struct canonical *canonical, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text != '\0'; ++text) {
        const unsigned char byte = (unsigned char)*text;
        const unsigned char letter = byte | 0x20;
        if ((byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z') || strchr("-._~,:*", byte)) {
            add_byte(canonical, *text);
            continue;
        }
        add_byte(canonical, '%');
        add_byte(canonical, digits[byte >> 4]);
        add_byte(canonical, digits[byte & 15]);
    }
}

bool ws_viewer_query_canonical(const struct ws_viewer_query *query, char *text, size_t size)
{
    struct canonical canonical = {text, size, 0};
    for (const char *at = query->resource; *at != '\0'; ++at)
        add_byte(&canonical, *at);
    for (uint32_t i = 0; i < query->count; ++i) {
        add_byte(&canonical, i == 0 ? '?' : '&');
        add_encoded(&canonical, query->names[i]);
        add_byte(&canonical, '=');
        add_encoded(&canonical, query->values[i]);
    }
    add_byte(&canonical, '\0');
    return canonical.used <= size;
}
