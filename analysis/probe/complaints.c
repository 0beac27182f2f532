/* What is wrong with a probe. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe/complaints.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"

/* Of a long line so many bytes are shown around the place. */
#define SHOWN_BEFORE 60
#define SHOWN_AFTER  60

static void add(struct ws_complaints *complaints, size_t offset, size_t length, bool is_remark,
                const char *format, va_list arguments)
{
    complaints->errors += !is_remark;
    for (uint32_t i = 0; i < complaints->count && offset != SIZE_MAX && !is_remark; i++)
        if (complaints->items[i].offset == offset && !complaints->items[i].is_remark)
            return; /* one error follows from the other */
    if (complaints->count >= WS_COMPLAINTS_SHOWN) {
        complaints->left_out++;
        return;
    }
    struct ws_complaint *items =
        ws_array_grow(complaints->items, &complaints->capacity, complaints->count + 1, sizeof(*items));
    char *message = NULL;
    if (items != NULL)
        complaints->items = items;
    if (items == NULL || vasprintf(&message, format, arguments) < 0) {
        complaints->out_of_memory = true;
        return;
    }
    items[complaints->count++] = (struct ws_complaint){offset, length, is_remark, message};
}

bool ws_complain(struct ws_complaints *complaints, size_t offset, size_t length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(complaints, offset, length, false, format, arguments);
    va_end(arguments);
    return false;
}

void ws_complaints_remark(struct ws_complaints *complaints, size_t offset, size_t length, const char *format,
                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(complaints, offset, length, true, format, arguments);
    va_end(arguments);
}

void ws_probe_text_place(const struct ws_probe_source *source, size_t offset, uint32_t *line,
                         uint32_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset && source->text[i] != '\0'; i++)
        if (source->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)source->text[i] & 0xc0) != 0x80) {
            ++*column; /* characters, not bytes */
        }
}

size_t ws_probe_text_line(const struct ws_probe_source *source, uint32_t line)
{
    size_t at = 0;
    for (uint32_t i = 1; i < line && source->text[at] != '\0'; i++) {
        at += strcspn(source->text + at, "\n");
        at += source->text[at] == '\n';
    }
    return at;
}

/* Bytes of a text as valid UTF-8, tabs as blanks. To be freed. */
static char *copy_part(const char *text, size_t size)
{
    char *copy = strndup(text, size);
    if (copy == NULL)
        return NULL;
    ws_text_repair(copy, strlen(copy));
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == '\t' ? ' ' : *c;
    return copy;
}

static size_t width_of(const char *text, size_t size)
{
    char *part = copy_part(text, size);
    const size_t width = part != NULL ? ws_text_width(part) : size;
    free(part);
    return width;
}

/* Moves back to where a character of UTF-8 begins. */
static size_t character(const char *text, size_t from, size_t at)
{
    while (at > from && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void print_line(const struct ws_probe_source *source, const struct ws_complaint *complaint,
                       uint32_t line, FILE *stream)
{
    const char *text = source->text;
    size_t begin = ws_probe_text_line(source, line);
    size_t end = begin + strcspn(text + begin, "\n");
    if (end > begin && text[end - 1] == '\r')
        end--;
    const size_t offset = complaint->offset < end ? complaint->offset : end;
    if (offset - begin > SHOWN_BEFORE)
        begin = character(text, begin, offset - SHOWN_BEFORE);
    size_t length = complaint->length > 0 ? complaint->length : 1;
    length = length < end - offset ? length : end - offset;
    length = length < SHOWN_AFTER ? length : SHOWN_AFTER;
    if (end - offset > length + SHOWN_AFTER)
        end = character(text, begin, offset + length + SHOWN_AFTER);
    char *shown = copy_part(text + begin, end - begin);
    if (shown == NULL)
        return;
    const int margin = fprintf(stream, "%5" PRIu32 " | ", line);
    ws_text_print(stream, shown);
    fprintf(stream, "\n%*s| %*s^", margin - 2, "", (int)width_of(text + begin, offset - begin), "");
    for (size_t i = 1; i < width_of(text + offset, length); i++)
        fputc('~', stream);
    fputc('\n', stream);
    free(shown);
}

static void print_label(const char *label, FILE *stream)
{
    char shown[512];
    ws_text_escape(shown, sizeof(shown), label);
    fputs(shown, stream);
}

/* Complaints about the whole come last. */
static int compare(const void *left, const void *right)
{
    const struct ws_complaint *a = *(const struct ws_complaint *const *)left;
    const struct ws_complaint *b = *(const struct ws_complaint *const *)right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void print(const struct ws_complaint *complaint, const struct ws_probe_source *source, FILE *stream)
{
    uint32_t line = 0;
    uint32_t column = 0;
    char *message = copy_part(complaint->message, strlen(complaint->message));
    print_label(source->label, stream);
    if (complaint->offset != SIZE_MAX) {
        ws_probe_text_place(source, complaint->offset, &line, &column);
        fprintf(stream, ":%" PRIu32 ":%" PRIu32, line, column);
    }
    fputs(complaint->is_remark ? ": note: " : ": ", stream);
    ws_text_print(stream, message != NULL ? message : "out of memory");
    fputc('\n', stream);
    if (complaint->offset != SIZE_MAX)
        print_line(source, complaint, line, stream);
    free(message);
}

void ws_complaints_print(const struct ws_complaints *complaints, const struct ws_probe_source *source,
                         FILE *stream)
{
    const struct ws_complaint *sorted[WS_COMPLAINTS_SHOWN];
    for (uint32_t i = 0; i < complaints->count; i++)
        sorted[i] = &complaints->items[i];
    qsort(sorted, complaints->count, sizeof(sorted[0]), compare);
    for (uint32_t i = 0; i < complaints->count; i++)
        print(sorted[i], source, stream);
    if (complaints->left_out > 0) {
        print_label(source->label, stream);
        fprintf(stream, ": and %" PRIu32 " more like these\n", complaints->left_out);
    }
    if (complaints->out_of_memory) {
        print_label(source->label, stream);
        fputs(": out of memory\n", stream);
    }
}

void ws_complaints_finish(struct ws_complaints *complaints)
{
    for (uint32_t i = 0; i < complaints->count; i++)
        free(complaints->items[i].message);
    free(complaints->items);
    *complaints = (struct ws_complaints){0};
}
