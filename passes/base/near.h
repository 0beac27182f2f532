/* What someone may have meant who mistyped a name: "divergense" is near "divergence". Allocates nothing. */
#ifndef WS_PASSES_BASE_NEAR_H
#define WS_PASSES_BASE_NEAR_H

#include <stddef.h>

/* Zero-initialise but for `text` and `length`. */
struct ws_near {
    const char *text; /* what was typed */
    size_t length;    /* of it, in bytes */
    const char *name; /* the nearest of the names tried so far; NULL = none is near */
    size_t distance;  /* of it */
};

struct ws_near ws_near_begin(const char *text, size_t length);

/* Tries a name, which must live as long as `near`. It is near if few letters differ, at most one in three: swapped,
 * missing, wrong or one too many (optimal string alignment distance); or if the text is its beginning. */
void ws_near_try(struct ws_near *near, const char *name);

#endif
