/* Writing JSON: small things as cJSON objects, long lists element by element, so that their length costs no
 * memory. Integers are written with all their digits, as RFC 8259 allows, also those beyond 2^53: Python, jq 1.7 and
 * most others read them exactly, JavaScript rounds them to a double. */
#ifndef WARPSCOPE_OUTPUT_JSON_H
#define WARPSCOPE_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* Gives `item` to an object or a list, and returns it. NULL, and the item is freed, when there is no memory, or was none
 * for one of the arguments. */
cJSON *ws_json_add(cJSON *object, const char *key, cJSON *item);
cJSON *ws_json_append(cJSON *list, cJSON *item);

/* Whether cJSON found no memory in this thread since it was last asked. What was made meanwhile may lack members: their
 * makers need not look at each. */
bool ws_json_without_memory(void);

/* Adds `"key": value`, with all digits of the value. */
void ws_json_integer(cJSON *object, const char *key, uint64_t value);

/* An integer with all its digits, for arrays; NULL when there is no memory, which cJSON's own functions
 * accept. */
cJSON *ws_json_integer_item(uint64_t value);

#define WS_NUMBER_SIZE 32

/* Writes the shortest text that is read as the same number again, as JSON and CSV have it: 0.1, 1e-07. `text` is
 * "null" if the number is infinite or none, which JSON cannot say. Returns `text`. */
const char *ws_number_text(double value, char text[WS_NUMBER_SIZE]);

/* The same as a number of JSON; NULL when there is no memory. */
cJSON *ws_json_number_item(double value);
void ws_json_number(cJSON *object, const char *key, double value);

/* A text, quoted. */
void ws_json_text(FILE *stream, const char *text);

/* One JSON object that is being written. The functions below write its members in the order of the calls. */
struct ws_json {
    FILE *stream;
    bool first;         /* the object has no member yet */
    bool first_element; /* the open list has no element yet */
    bool failed;        /* no memory: something is missing */
};

void ws_json_begin(struct ws_json *json, FILE *stream);

/* Ends the object. False when something is missing, of this object or of what else this thread made for it. */
bool ws_json_end(struct ws_json *json);

/* `"key": value`, and frees the value. NULL is a failure. */
void ws_json_member(struct ws_json *json, const char *key, cJSON *value);

/* The members of `object`, one after the other, and frees it. NULL is a failure. */
void ws_json_members(struct ws_json *json, cJSON *object);

/* An object whose members are written one by one by the functions here, until it is closed. */
void ws_json_open_object(struct ws_json *json, const char *key);
void ws_json_close_object(struct ws_json *json);

/* A list whose elements are written one by one, and freed. */
void ws_json_open_list(struct ws_json *json, const char *key);
void ws_json_element(struct ws_json *json, cJSON *element);

/* An element of the open list that is an object, whose members are written one by one until it is closed. It may hold a
 * list of its own. */
void ws_json_open_element(struct ws_json *json);
void ws_json_close_element(struct ws_json *json);
void ws_json_close_list(struct ws_json *json);

#endif
