/* What an analysis writes as JSON, read again. */
#ifndef WS_TESTS_UNIT_ANALYSIS_REPORT_JSON_OF_H
#define WS_TESTS_UNIT_ANALYSIS_REPORT_JSON_OF_H

#include <stdlib.h>

#include "warpscope/output/json.h"

/* `write` is given `results` and writes the members of an object. NULL where that failed, or is no JSON. The
 * caller deletes the object. */
static inline cJSON *json_of(bool (*write)(const void *results, struct ws_json *json), const void *results)
{
    struct ws_json json;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    ws_json_begin(&json, stream);
    const bool written = write(results, &json);
    const bool ended = ws_json_end(&json);
    fclose(stream);
    cJSON *object = written && ended ? cJSON_Parse(text) : NULL;
    free(text);
    return object;
}

#endif
