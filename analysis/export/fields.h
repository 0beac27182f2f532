/* Tables that are exported: their fields, declared once, and their rows as CSV, as JSON and as help. data_set.h writes them as
 * Parquet.
 *
 * A row is a struct; each field says where in it its value lies, and when it has one. Floats are printed so that they read
 * back as the same bits; in JSON, which has only finite numbers, others are null. A value that does not exist is empty, or
 * null. */
#ifndef WS_ANALYSIS_EXPORT_FIELDS_H
#define WS_ANALYSIS_EXPORT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What is at the offset of a field. */
enum ws_export_format {
    WS_EXPORT_NUMBER, /* uint32_t */
    WS_EXPORT_LONG,   /* uint64_t below 2^63 */
    WS_EXPORT_WIDE,   /* uint64_t of all 64 bits */
    WS_EXPORT_BOOL,   /* bool: 1 or 0, true or false */
    WS_EXPORT_FLOAT,  /* float */
    WS_EXPORT_VECTOR, /* float[3]: three columns _x, _y and _z, or an array */
    WS_EXPORT_TEXT,   /* const char *, valid UTF-8 */
};

struct ws_export_field {
    const char *name;
    enum ws_export_format format;
    size_t at; /* offset in the struct */
    /* When it has a value: bit of the row's set of what is known. 0 is known of every row. */
    uint32_t known;
    const char *help;                            /* NULL: this field shares the help of the next one */
    void (*json)(const void *row, FILE *stream); /* writes another value to JSON; NULL = the same */
};

/* The names of the columns, in a line of CSV. */
void ws_export_header(const struct ws_export_field *fields, size_t count, FILE *stream);

/* The cells of a row, without line end; the members of an object, without braces. */
void ws_export_csv(const struct ws_export_field *fields, size_t count, const void *row, uint32_t known,
                   FILE *stream);
void ws_export_json(const struct ws_export_field *fields, size_t count, const void *row, uint32_t known,
                    FILE *stream);

/* Each name with what it means. Fields that share a help stand before it together. */
void ws_export_help(const struct ws_export_field *fields, size_t count, FILE *stream);

#endif
