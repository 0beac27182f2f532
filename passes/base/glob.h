/* Patterns of names, as shells have them:
 *
 *     *       any characters, also none and "/"
 *     ?       one character
 *     [a-f]   one of a set of ASCII characters; [!a-f] or [^a-f] = one that is not in it
 *     \x      the character x, whatever it means otherwise
 *
 * A "[" without "]" means itself. Case counts. fnmatch does the same, but takes exponential time for some texts,
 * and texts come from captures. This takes at most the length of the pattern times that of the text. */
#ifndef WS_PASSES_BASE_GLOB_H
#define WS_PASSES_BASE_GLOB_H

#include <stdbool.h>

/* Whether the whole of `text` is what the pattern says. Both are UTF-8. Thread-safe. */
bool ws_glob_matches(const char *pattern, const char *text);

#endif
