#include "passes/base/glob.h"

#include <stddef.h>

/* The bytes of the UTF-8 character at the begin of a text; 1 where it is no valid UTF-8. */
static size_t character_length(const char *text)
{
    size_t length = 1;
    if ((text[0] & 0xc0) != 0xc0)
        return 1;
    while (length < 4 && (text[length] & 0xc0) == 0x80)
        ++length;
    return length;
}

/* Where the set that begins at `pattern` ("[") ends: behind its "]"; NULL = nowhere. "]" in first place is a member. */
static const char *set_end(const char *pattern)
{
    const char *at = pattern + 1;
    at += *at == '!' || *at == '^';
    at += *at == ']';
    while (*at != '\0' && *at != ']')
        ++at;
    return *at == ']' ? at + 1 : NULL;
}

static bool set_has(const char *pattern, const char *end, char character)
{
    const char *at = pattern + 1;
    const bool negated = *at == '!' || *at == '^';
    const unsigned char wanted = (unsigned char)character;
    bool found = false;
    for (at += negated; at < end - 1; ++at) {
        const unsigned char first = (unsigned char)at[0];
        unsigned char last = first;
        if (at[1] == '-' && at + 2 < end - 1) {
            last = (unsigned char)at[2];
            at += 2;
        }
        found = found || (wanted >= first && wanted <= last);
    }
    return found != negated;
}

/* Whether the one character at `text` is what the pattern's next element says, which is no "*". `*next` receives the
 * rest of the pattern, `*length` how many bytes of the text it takes. */
static bool element_matches(const char *pattern, const char *text, const char **next, size_t *length)
{
    const char *end = *pattern == '[' ? set_end(pattern) : NULL;
    *length = 1;
    if (end != NULL) {
        *next = end;
        *length = character_length(text);
        return set_has(pattern, end, *text);
    }
    if (*pattern == '?') {
        *next = pattern + 1;
        *length = character_length(text);
        return true;
    }
    pattern += *pattern == '\\' && pattern[1] != '\0';
    *next = pattern + 1;
    return *pattern == *text;
}

/* Where an element does not match, the last "*" takes one character more; those before it need not be tried again,
 * since the last one can take whatever they could. */
bool ws_glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL; /* the pattern behind the last "*" */
    const char *from = NULL; /* the text behind what that takes */
    while (*text != '\0') {
        const char *next = NULL;
        size_t length = 0;
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern != '\0' && element_matches(pattern, text, &next, &length)) {
            pattern = next;
            text += length;
        } else if (star != NULL) {
            from += character_length(from);
            text = from;
            pattern = star;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        ++pattern;
    return *pattern == '\0';
}
