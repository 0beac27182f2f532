#include "warpscope/output/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "warpscope/base/text.h"

/* cJSON says of most members that there was no memory only by a NULL that would have to be looked at each time. */
static _Thread_local bool without_memory;

static void *take(size_t size)
{
    void *data = malloc(size);
    without_memory = without_memory || data == NULL;
    return data;
}

__attribute__((constructor)) static void watch_memory(void)
{
    cJSON_Hooks hooks = {take, free};
    cJSON_InitHooks(&hooks);
}

bool ws_json_without_memory(void)
{
    const bool found_none = without_memory;
    without_memory = false;
    return found_none;
}

cJSON *ws_json_add(cJSON *object, const char *key, cJSON *item)
{
    if (cJSON_AddItemToObject(object, key, item))
        return item;
    cJSON_Delete(item);
    return NULL;
}

cJSON *ws_json_append(cJSON *list, cJSON *item)
{
    if (cJSON_AddItemToArray(list, item))
        return item;
    cJSON_Delete(item);
    return NULL;
}

cJSON *ws_json_integer_item(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return cJSON_CreateRaw(text);
}

void ws_json_integer(cJSON *object, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    cJSON_AddRawToObject(object, key, text);
}

const char *ws_number_text(double value, char text[WS_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        snprintf(text, WS_NUMBER_SIZE, "null");
        return text;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, WS_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

cJSON *ws_json_number_item(double value)
{
    char text[WS_NUMBER_SIZE];
    return cJSON_CreateRaw(ws_number_text(value, text));
}

void ws_json_number(cJSON *object, const char *key, double value)
{
    char text[WS_NUMBER_SIZE];
    cJSON_AddRawToObject(object, key, ws_number_text(value, text));
}

void ws_json_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text != '\0') {
        const size_t control = ws_text_control_length(text);
        if (control > 0)
            fprintf(stream, "\\u%04x", (unsigned)ws_text_control_code(text));
        else if (*text == '\t')
            fputs("\\t", stream);
        else if (*text == '"' || *text == '\\')
            fprintf(stream, "\\%c", *text);
        else
            fputc(*text, stream);
        text += control > 0 ? control : 1;
    }
    fputc('"', stream);
}

void ws_json_begin(struct ws_json *json, FILE *stream)
{
    *json = (struct ws_json){.stream = stream, .first = true, .first_element = true};
    fputc('{', stream);
}

bool ws_json_end(struct ws_json *json)
{
    fputs("\n}\n", json->stream);
    json->failed = ws_json_without_memory() || json->failed;
    return !json->failed;
}

/* How many printable characters of ASCII the text begins with. */
static size_t plain_length(const char *text)
{
    size_t length = 0;
    while (text[length] >= ' ' && text[length] <= '~')
        length++;
    return length;
}

/* Writes `value`, and frees it. cJSON escapes only the control characters that JSON forbids; the others
 * (text.h), which can stand only in texts, are escaped here, so that they do not reach a terminal. */
static void write_value(struct ws_json *json, cJSON *value)
{
    char *text = value != NULL ? cJSON_PrintUnformatted(value) : NULL;
    cJSON_Delete(value);
    if (text == NULL) {
        fputs("null", json->stream);
        json->failed = true;
        return;
    }
    for (const char *at = text; *at != '\0';) {
        const size_t plain = plain_length(at);
        fwrite(at, 1, plain, json->stream);
        at += plain;
        if (*at == '\0')
            break;
        size_t control = ws_text_control_length(at);
        if (control > 0)
            fprintf(json->stream, "\\u%04x", (unsigned)ws_text_control_code(at));
        else
            fputc(*at, json->stream);
        at += control > 0 ? control : 1;
    }
    cJSON_free(text);
}

static void write_key(struct ws_json *json, const char *key)
{
    fprintf(json->stream, "%s\n  \"%s\": ", json->first ? "" : ",", key);
    json->first = false;
}

void ws_json_member(struct ws_json *json, const char *key, cJSON *value)
{
    write_key(json, key);
    write_value(json, value);
}

void ws_json_members(struct ws_json *json, cJSON *object)
{
    json->failed = json->failed || object == NULL;
    while (object != NULL && object->child != NULL) {
        cJSON *member = cJSON_DetachItemViaPointer(object, object->child);
        ws_json_member(json, member->string, member);
    }
    cJSON_Delete(object);
}

void ws_json_open_object(struct ws_json *json, const char *key)
{
    write_key(json, key);
    fputc('{', json->stream);
    json->first = true;
}

void ws_json_close_object(struct ws_json *json)
{
    fputs("\n  }", json->stream);
    json->first = false;
}

void ws_json_open_list(struct ws_json *json, const char *key)
{
    write_key(json, key);
    fputc('[', json->stream);
    json->first_element = true;
}

void ws_json_element(struct ws_json *json, cJSON *element)
{
    fputs(json->first_element ? "\n    " : ",\n    ", json->stream);
    write_value(json, element);
    json->first_element = false;
}

void ws_json_open_element(struct ws_json *json)
{
    fputs(json->first_element ? "\n    {" : ",\n    {", json->stream);
    json->first = true;
}

void ws_json_close_element(struct ws_json *json)
{
    fputs("\n    }", json->stream);
    json->first = false;
    json->first_element = false;
}

void ws_json_close_list(struct ws_json *json)
{
    fputs(json->first_element ? "]" : "\n  ]", json->stream);
}
