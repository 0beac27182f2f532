#include "warpscope/output/style.h"

#include <stddef.h>

static FILE *allowed = NULL;
static bool errors_allowed = false;

void ws_style_allow(FILE *stream)
{
    allowed = stream;
}

void ws_style_allow_errors(bool errors)
{
    errors_allowed = errors;
}

static bool has_styles(const FILE *stream)
{
    return (allowed != NULL && stream == allowed) || (errors_allowed && stream == stderr);
}

/* "Select graphic rendition" of ECMA-48, 8.3.117. */
static const char *const codes[] = {
    [WS_STYLE_HEADING] = "1", [WS_STYLE_COLUMN] = "2",   [WS_STYLE_BAR] = "36",
    [WS_STYLE_SURE] = "32",   [WS_STYLE_ERROR] = "1;31",
};

void ws_style_begin(enum ws_style style, FILE *stream)
{
    if (has_styles(stream))
        fprintf(stream, "\033[%sm", codes[style]);
}

void ws_style_end(FILE *stream)
{
    if (has_styles(stream))
        fputs("\033[0m", stream);
}
