#include "analysis/export/fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "warpscope/output/json.h"
#include "warpscope/output/table.h"

#define HELP_WIDTH 31 /* of names in the help */
#define HELP_AT    33 /* where what they mean begins */

static void put_float(FILE *stream, bool json, float value)
{
    if (json && !isfinite(value))
        fputs("null", stream);
    else if (isnan(value))
        fputs("nan", stream);
    else if (json && value == 0 && signbit(value))
        fputs("-0.0", stream); /* some readers take "-0" for an integer, which has no sign */
    else
        fprintf(stream, "%.9g", (double)value);
}

static void put_text(FILE *stream, bool json, const char *text)
{
    if (json)
        ws_json_text(stream, text);
    else
        ws_csv_text(stream, text);
}

static void put_vector(FILE *stream, bool json, const float vector[3])
{
    for (uint32_t i = 0; i < 3; ++i) {
        if (json || i > 0)
            fputc(json && i == 0 ? '[' : ',', stream);
        put_float(stream, json, vector[i]);
    }
    if (json)
        fputc(']', stream);
}

/* A value that is not known: null, or an empty cell; a vector has three. */
static void put_nothing(FILE *stream, bool json, enum ws_export_format format)
{
    if (json)
        fputs("null", stream);
    else if (format == WS_EXPORT_VECTOR)
        fputs(",,", stream);
}

/* The value of a field, which is known. */
static void put_value(FILE *stream, bool json, const struct ws_export_field *field, const void *row)
{
    const char *at = (const char *)row + field->at;
    uint32_t number;
    uint64_t large;
    float value;
    const char *text;
    switch (field->format) {
    case WS_EXPORT_NUMBER:
        memcpy(&number, at, sizeof(number));
        fprintf(stream, "%" PRIu32, number);
        break;
    case WS_EXPORT_LONG:
    case WS_EXPORT_WIDE:
        memcpy(&large, at, sizeof(large));
        fprintf(stream, "%" PRIu64, large);
        break;
    case WS_EXPORT_BOOL: fputs(json ? (*at != 0 ? "true" : "false") : *at != 0 ? "1" : "0", stream); break;
    case WS_EXPORT_FLOAT:
        memcpy(&value, at, sizeof(value));
        put_float(stream, json, value);
        break;
    case WS_EXPORT_VECTOR: put_vector(stream, json, (const float *)(const void *)at); break;
    case WS_EXPORT_TEXT:
        memcpy(&text, at, sizeof(text));
        put_text(stream, json, text);
        break;
    }
}

static void put_cell(FILE *stream, bool json, const struct ws_export_field *field, const void *row,
                     uint32_t known)
{
    if ((known >> field->known & 1) == 0)
        put_nothing(stream, json, field->format);
    else if (json && field->json != NULL)
        field->json(row, stream);
    else
        put_value(stream, json, field, row);
}

void ws_export_header(const struct ws_export_field *fields, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        const char *name = fields[i].name;
        fputs(i > 0 ? "," : "", stream);
        if (fields[i].format == WS_EXPORT_VECTOR)
            fprintf(stream, "%s_x,%s_y,%s_z", name, name, name);
        else
            fputs(name, stream);
    }
    fputc('\n', stream);
}

void ws_export_csv(const struct ws_export_field *fields, size_t count, const void *row, uint32_t known,
                   FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        if (i > 0)
            fputc(',', stream);
        put_cell(stream, false, &fields[i], row, known);
    }
}

void ws_export_json(const struct ws_export_field *fields, size_t count, const void *row, uint32_t known,
                    FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        fprintf(stream, "%s\"%s\":", i > 0 ? "," : "", fields[i].name);
        put_cell(stream, true, &fields[i], row, known);
    }
}

void ws_export_help(const struct ws_export_field *fields, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        int width = fprintf(stream, "  %s", fields[i].name);
        while (fields[i].help == NULL) {
            const char *name = fields[++i].name;
            const bool fits = (size_t)width + strlen(name) + 2 <= HELP_WIDTH;
            width = fprintf(stream, fits ? ", %s" : ",\n  %s", name) + (fits ? width : -2);
        }
        for (const char *line = fields[i].help; line != NULL; width = 0) {
            const char *end = strchr(line, '\n');
            const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
            fprintf(stream, "%*s%.*s\n", HELP_AT - width, "", length, line);
            line = end != NULL ? end + 1 : NULL;
        }
    }
}
