#include "analysis/output/plot_text.h"

#include <stdarg.h>
#include <string.h>

#include "warpscope/base/text.h"

#define TEXT_BYTES 256 /* of a text that is drawn */
#define LINE_BYTES 1024

static const cairo_user_data_key_t collected;

void ws_plot_text_collect(cairo_t *cairo, FILE *svg)
{
    cairo_set_user_data(cairo, &collected, svg, NULL);
}

void ws_plot_text_font(cairo_t *cairo, double size, bool bold)
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

/* Of a text that is valid. */
static void write_xml(FILE *stream, const char *text)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "&<>\"'\n");
        ws_text_print_part(stream, text, plain);
        text += plain;
        if (*text == '\n')
            fputc(*text++, stream);
        else if (*text != '\0')
            fprintf(stream, "&#%d;", *text++);
    }
}

/* Part by part, so that no text is missing for want of memory. */
void ws_plot_text_xml(FILE *stream, const char *text)
{
    while (*text != '\0') {
        char part[LINE_BYTES];
        size_t length = strnlen(text, sizeof(part) - 1);
        memcpy(part, text, length);
        part[length] = '\0';
        if (text[length] != '\0') {
            ws_text_cut(part);
            /* Nothing is left where all is one sequence, which is none of UTF-8. */
            length = part[0] != '\0' ? strlen(part) : length;
            memcpy(part, text, length);
        }
        ws_text_repair(part, length);
        write_xml(stream, part);
        text += length;
    }
}

/* Copies `text` as cairo takes it: valid UTF-8 without control characters. */
static void clean(char out[TEXT_BYTES], const char *text)
{
    size_t length = strnlen(text, TEXT_BYTES - 4);
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

/* Of a clean text. */
static double width_of(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

double ws_plot_text_width(cairo_t *cairo, const char *text)
{
    char copy[TEXT_BYTES];
    clean(copy, text);
    return width_of(cairo, copy);
}

/* The text as an element of SVG, where cairo would draw it. `whole`: what it was cut from; NULL = it was not. */
static void write_text(cairo_t *cairo, FILE *svg, double x, double y, double wide, const char *text,
                       const char *whole)
{
    cairo_matrix_t place;
    cairo_matrix_t font;
    double colour[4] = {0, 0, 0, 1};
    cairo_get_matrix(cairo, &place);
    cairo_get_font_matrix(cairo, &font);
    (void)cairo_pattern_get_rgba(cairo_get_source(cairo), &colour[0], &colour[1], &colour[2], &colour[3]);
    fprintf(svg, "<text xml:space=\"preserve\" x=\"%.2f\" y=\"%.2f\" font-size=\"%g\"", x, y, font.yy);
    if (cairo_toy_font_face_get_weight(cairo_get_font_face(cairo)) == CAIRO_FONT_WEIGHT_BOLD)
        fputs(" font-weight=\"bold\"", svg);
    fprintf(svg, " fill=\"#%02x%02x%02x\"", (unsigned)(colour[0] * 255 + 0.5),
            (unsigned)(colour[1] * 255 + 0.5), (unsigned)(colour[2] * 255 + 0.5));
    if (place.yx != 0 || place.x0 != 0 || place.y0 != 0)
        fprintf(svg, " transform=\"matrix(%.4f %.4f %.4f %.4f %.2f %.2f)\"", place.xx, place.yx, place.xy,
                place.yy, place.x0, place.y0);
    /* The viewer's font may be another. */
    if (wide > 0)
        fprintf(svg, " textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\"", wide);
    fputc('>', svg);
    if (whole != NULL) {
        fputs("<title>", svg);
        ws_plot_text_xml(svg, whole);
        fputs("</title>", svg);
    }
    ws_plot_text_xml(svg, text);
    fputs("</text>\n", svg);
}

void ws_plot_text_put(cairo_t *cairo, double x, double y, double width, int align, const char *text)
{
    FILE *svg = cairo_get_user_data(cairo, &collected);
    char cut[TEXT_BYTES + 4];
    clean(cut, text);
    bool whole = strlen(cut) == strlen(text);
    double wide = width_of(cairo, cut);
    for (size_t length = strlen(cut); wide > width && length > 0;) {
        --length;
        while (length > 0 && ((unsigned char)cut[length] & 0xc0) == 0x80)
            --length;
        strcpy(cut + length, "\xe2\x80\xa6");
        wide = width_of(cairo, cut);
        whole = false;
    }
    const double left = align < 0 ? x : align == 0 ? x - wide / 2 : x - wide;
    if (svg != NULL) {
        write_text(cairo, svg, left, y, wide, cut, whole ? NULL : text);
        return;
    }
    cairo_move_to(cairo, left, y);
    cairo_show_text(cairo, cut);
    cairo_new_path(cairo);
}

void ws_plot_text_lines(cairo_t *cairo, double x, double y, double width, double step, const char *text)
{
    while (text != NULL && *text != '\0') {
        char line[LINE_BYTES];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)(length < LINE_BYTES ? length : LINE_BYTES - 1), text);
        ws_text_cut(line);
        ws_plot_text_put(cairo, x, y, width, -1, line);
        y += step;
        text += length + (text[length] == '\n');
    }
}

size_t ws_plot_text_count(const char *text)
{
    size_t count = 0;
    for (; text != NULL && *text != '\0'; ++count) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

void ws_plot_text_title(cairo_t *cairo, double x, double y, double width, double height, const char *format,
                        ...)
{
    FILE *svg = cairo_get_user_data(cairo, &collected);
    char text[LINE_BYTES];
    va_list arguments;
    if (svg == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    ws_text_cut(text);
    fprintf(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill-opacity=\"0\"><title>", x,
            y, width, height);
    ws_plot_text_xml(svg, text);
    fputs("</title></rect>\n", svg);
}
