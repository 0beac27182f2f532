/* Writes structs of Thrift by its compact protocol (thrift/doc/specs/thrift-compact-protocol.md of Apache Thrift): what the
 * headers and the footer of Parquet are made of. Fields come by ascending number. Errors are those of the stream. */
#ifndef WS_ANALYSIS_OUTPUT_THRIFT_H
#define WS_ANALYSIS_OUTPUT_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WS_THRIFT_DEPTH 8

/* Zero-initialise but for the stream. */
struct ws_thrift {
    FILE *stream;
    uint32_t depth;                /* of structs that are open */
    int32_t last[WS_THRIFT_DEPTH]; /* number of the last field of each */
};

/* Types of the elements of lists. */
enum ws_thrift_type { WS_THRIFT_I32 = 5, WS_THRIFT_TEXT = 8, WS_THRIFT_STRUCT = 12 };

/* A struct: an element of a list, or all that is written. */
void ws_thrift_begin(struct ws_thrift *thrift);
void ws_thrift_end(struct ws_thrift *thrift);

/* Fields of the struct that is open. */
void ws_thrift_bool(struct ws_thrift *thrift, int32_t field, bool value);
void ws_thrift_i8(struct ws_thrift *thrift, int32_t field, int8_t value);
void ws_thrift_i32(struct ws_thrift *thrift, int32_t field, int32_t value);
void ws_thrift_i64(struct ws_thrift *thrift, int32_t field, int64_t value);
void ws_thrift_binary(struct ws_thrift *thrift, int32_t field, const void *bytes, size_t size);
void ws_thrift_text(struct ws_thrift *thrift, int32_t field, const char *text);
void ws_thrift_begin_field(struct ws_thrift *thrift, int32_t field); /* a struct; ws_thrift_end ends it */
void ws_thrift_list(struct ws_thrift *thrift, int32_t field, enum ws_thrift_type type, uint32_t count);

/* Elements of a list. */
void ws_thrift_element_i32(struct ws_thrift *thrift, int32_t value);
void ws_thrift_element_text(struct ws_thrift *thrift, const char *text);

#endif
