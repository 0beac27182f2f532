/* Texts in pictures. */
#include <string.h>

#include "analysis/output/plot_draw.h"
#include "passes/base/text.h"

#define TEXT_SIZE 256

void ws_plot_font(cairo_t *cairo, double size, bool bold)
{
    cairo_font_options_t *options = cairo_font_options_create();
    /* Without hinting, texts are as wide in every picture of whatever scale. */
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

static double width_of(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

/* What of `text` cairo takes: valid UTF-8 without control characters. */
static void clean(char out[TEXT_SIZE], const char *text)
{
    size_t length = strnlen(text, TEXT_SIZE - 4);
    memcpy(out, text, length);
    out[length] = '\0';
    if (text[length] != '\0')
        ws_text_cut(out);
    ws_text_repair(out, strlen(out));
    for (char *at = out; *at != '\0';) {
        size_t control = *at == '\t' ? 1 : ws_text_control_length(at);
        memset(at, '?', control);
        at += control > 0 ? control : 1;
    }
}

double ws_plot_text(cairo_t *cairo, double x, double y, double width, int align, const char *text)
{
    char cut[TEXT_SIZE + 4];
    clean(cut, text);
    double wide = width_of(cairo, cut);
    for (size_t length = strlen(cut); wide > width && length > 0;) {
        --length;
        while (length > 0 && ((unsigned char)cut[length] & 0xc0) == 0x80)
            --length;
        strcpy(cut + length, "\xe2\x80\xa6");
        wide = width_of(cairo, cut);
    }
    cairo_move_to(cairo, align < 0 ? x : align == 0 ? x - wide / 2 : x - wide, y);
    cairo_show_text(cairo, cut);
    cairo_new_path(cairo);
    return wide;
}
