/* A query of the viewer's page, decoded: "rays?launch=3&end=hit,miss".
 *
 * A name, and behind "?" keys with values: KEY=VALUE, joined by "&". Key and value are percent-encoded as UTF-8; "+" is a
 * blank. A key is given once. A key without "=" has the value "". The text is untrusted: what is malformed, too long, or
 * has a byte 0 is an error.
 *
 * Its CANONICAL TEXT has the keys in the order of their bytes, and of keys and values only letters, digits, and "-._~,:*"
 * unencoded, as viewer/data.js writes it: equal queries have equal texts, by which the single file finds its answers. */
#ifndef WS_ANALYSIS_VIEWER_QUERY_H
#define WS_ANALYSIS_VIEWER_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

#define WS_VIEWER_KEYS_MAX   24
#define WS_VIEWER_QUERY_SIZE 8192 /* bytes of a query's text, the last one 0 */

/* Its texts point into `decoded`: it cannot be copied. */
struct ws_viewer_query {
    const char *resource;
    const char *names[WS_VIEWER_KEYS_MAX]; /* in the order of their bytes */
    const char *values[WS_VIEWER_KEYS_MAX];
    uint32_t count;
    char decoded[WS_VIEWER_QUERY_SIZE];
};

/* Decodes a query. False and `error` where it is malformed. */
bool ws_viewer_query_parse(struct ws_viewer_query *query, const char *text, struct ws_error *error);

/* Checks that every key is one of `keys`, which have blanks between them (NULL = none), or `capture`. False and `error`
 * otherwise. */
bool ws_viewer_query_check(const struct ws_viewer_query *query, const char *keys, struct ws_error *error);

/* The value of a key; NULL = it is not given. */
const char *ws_viewer_query_text(const struct ws_viewer_query *query, const char *name);

/* The value of a key as a decimal number from 0 to `most`; `otherwise` where it is not given. False and `error` where it is
 * no such number. */
bool ws_viewer_query_number(const struct ws_viewer_query *query, const char *name, uint64_t otherwise,
                            uint64_t most, uint64_t *value, struct ws_error *error);

/* Writes the canonical text into `text`, a buffer of `size` bytes. False if it is too small. */
bool ws_viewer_query_canonical(const struct ws_viewer_query *query, char *text, size_t size);

#endif
