#include "analysis/report/schema.h"

#include <string.h>

#include "analysis/report/report.h"
#include "warpscope/output/json.h"
#include "warpscope/report/groups.h"

#define PATH_SIZE  512
#define DEPTH_MAX  8 /* of objects in objects */
#define LINE_WIDTH 112

/* Help without its line ends. */
static void add_description(cJSON *schema, const char *help)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s", help != NULL ? help : "");
    for (char *at = text; *at != '\0'; ++at)
        *at = *at == '\n' ? ' ' : *at;
    if (text[0] != '\0')
        cJSON_AddStringToObject(schema, "description", text);
}

static cJSON *type_of(const char *name)
{
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "type", name);
    return schema;
}

static cJSON *reference(const char *path)
{
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "$ref", path);
    return schema;
}

static cJSON *integer(void)
{
    cJSON *schema = type_of("integer");
    cJSON_AddNumberToObject(schema, "minimum", 0);
    return schema;
}

static cJSON *share(void)
{
    cJSON *schema = type_of("number");
    cJSON_AddNumberToObject(schema, "minimum", 0);
    cJSON_AddNumberToObject(schema, "maximum", 1);
    return schema;
}

/* Lets a schema allow null, too. */
static cJSON *or_null(cJSON *schema)
{
    cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type");
    if (cJSON_IsString(type)) {
        cJSON *both = cJSON_CreateArray();
        ws_json_append(both, cJSON_CreateString(cJSON_GetStringValue(type)));
        ws_json_append(both, cJSON_CreateString("null"));
        if (!cJSON_ReplaceItemInObjectCaseSensitive(schema, "type", both))
            cJSON_Delete(both);
        return schema;
    }
    cJSON *either = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(either, "anyOf");
    ws_json_append(list, schema);
    ws_json_append(list, type_of("null"));
    return either;
}

/* Says that it is an object with exactly the members that add_property adds. */
static void close_object(cJSON *schema)
{
    cJSON_AddStringToObject(schema, "type", "object");
    cJSON_AddObjectToObject(schema, "properties");
    cJSON_AddArrayToObject(schema, "required");
    cJSON_AddBoolToObject(schema, "additionalProperties", false);
}

static cJSON *closed_object(void)
{
    cJSON *schema = cJSON_CreateObject();
    close_object(schema);
    return schema;
}

static void add_property(cJSON *object, const char *name, cJSON *schema)
{
    ws_json_add(cJSON_GetObjectItem(object, "properties"), name, schema);
    ws_json_append(cJSON_GetObjectItem(object, "required"), cJSON_CreateString(name));
}

static cJSON *schema_of_members(const struct ws_member *members, const char *path, uint32_t depth);

/* The schema of a type of members.h. `self` is the path of the object that has the member, `path` that of the schema
 * itself. */
static cJSON *schema_of_type(const char *type, const struct ws_member *members, const char *self,
                             const char *path, uint32_t depth)
{
    char base[32];
    char inner[PATH_SIZE];
    size_t length = strlen(type);
    const char last = length > 0 ? type[length - 1] : '\0';
    length -= last == '?' ? 1 : last == ']' || last == '}' ? 2 : 0;
    snprintf(base, sizeof(base), "%.*s", (int)length, type);
    if (last == '?')
        return or_null(schema_of_type(base, members, self, path, depth));
    if (last == ']' || last == '}') {
        const char *key = last == ']' ? "items" : "additionalProperties";
        cJSON *schema = type_of(last == ']' ? "array" : "object");
        snprintf(inner, sizeof(inner), "%s/%s", path, key);
        ws_json_add(schema, key, schema_of_type(base, members, self, inner, depth));
        return schema;
    }
    if (strcmp(base, "self") == 0)
        return reference(self);
    if (strcmp(base, "object") == 0)
        return schema_of_members(members, path, depth + 1);
    if (strcmp(base, "integer") == 0)
        return integer();
    return strcmp(base, "share") == 0 ? share() : type_of(base);
}

static void add_members(cJSON *object, const struct ws_member *members, const char *path, uint32_t depth)
{
    for (; members != NULL && members->name != NULL && depth < DEPTH_MAX; ++members) {
        char inner[PATH_SIZE];
        snprintf(inner, sizeof(inner), "%s/properties/%s", path, members->name);
        cJSON *schema = schema_of_type(members->type, members->members, path, inner, depth);
        add_description(schema, members->help);
        add_property(object, members->name, schema);
    }
}

static cJSON *schema_of_members(const struct ws_member *members, const char *path, uint32_t depth)
{
    cJSON *object = closed_object();
    add_members(object, members, path, depth);
    return object;
}

/* A field whose value comes from the sums always has one. */
static bool is_always_there(const struct ws_shown *shown)
{
    return shown->dimension == WS_MEASURE && shown->field->value == NULL &&
           (shown->field->format == WS_COUNT || shown->field->format == WS_PART ||
            shown->field->format == WS_FLAG);
}

static cJSON *schema_of_field(const struct ws_shown *shown, const char *path)
{
    const struct ws_field *field = shown->field;
    cJSON *schema = NULL;
    if (field->json != NULL) {
        schema = schema_of_type(field->type, field->members, path, path, 0);
    } else {
        switch (field->format) {
        case WS_COUNT:
        case WS_PART: schema = integer(); break;
        case WS_SHARE:
            schema = share();
            if ((field->flags & WS_SIGNED) != 0)
                cJSON_DeleteItemFromObject(schema, "minimum");
            break;
        case WS_NUMBER:
        case WS_RATIO: schema = type_of("number"); break;
        case WS_TEXT: schema = type_of("string"); break;
        case WS_FLAG: schema = type_of("boolean"); break;
        }
        schema = is_always_there(shown) ? schema : or_null(schema);
    }
    add_description(schema, field->help);
    return schema;
}

/* Every field that a table of the analysis may have, all of them optional: what --fields and --by choose. */
static cJSON *schema_of_columns(const struct ws_analysis *analysis)
{
    char path[PATH_SIZE];
    cJSON *object = type_of("object");
    cJSON *properties = cJSON_AddObjectToObject(object, "properties");
    for (struct ws_shown shown = {NULL}; ws_columns_next(analysis->columns, &shown);) {
        snprintf(path, sizeof(path), "#/$defs/%s_columns/properties/%s", analysis->name, shown.field->name);
        ws_json_add(properties, shown.field->name, schema_of_field(&shown, path));
    }
    cJSON_AddBoolToObject(object, "additionalProperties", false);
    return object;
}

/* A row of a table: these fields and no others. */
static cJSON *schema_of_row(const struct ws_analysis *analysis, const struct ws_level *level)
{
    const uint32_t mask = ws_columns_implied(analysis->columns, level->by);
    struct ws_shown_list shown;
    char path[PATH_SIZE];
    cJSON *row = closed_object();
    ws_columns_data(analysis->columns, level, mask, &shown);
    for (uint32_t i = 0; i < shown.count; ++i) {
        const char *name = shown.items[i].field->name;
        snprintf(path, sizeof(path), "#/$defs/%s_columns/properties/%s", analysis->name, name);
        add_property(row, name, reference(path));
    }
    return row;
}

/* The total is a row, other levels are lists of rows. What the view hides is null. */
static cJSON *schema_of_table(const struct ws_analysis *analysis, const struct ws_level *level, cJSON *row)
{
    char text[512] = "";
    size_t used = 0;
    cJSON *table = row;
    if (level->by != 0) {
        table = type_of("array");
        ws_json_add(table, "items", row);
    }
    table = or_null(table);
    used += (size_t)snprintf(text, sizeof(text), level->by != 0 ? "a row for each" : "of the capture");
    for (uint32_t i = 0, bits = level->by; bits != 0 && used < sizeof(text); ++i, bits >>= 1)
        if ((bits & 1) != 0)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %s%s",
                                     analysis->columns->dimensions[i].name, bits > 1 ? " and" : "");
    if (used < sizeof(text))
        snprintf(text + used, sizeof(text) - used,
                 "; null where it has none of the columns of --fields, or lacks one of --filter");
    add_description(table, text);
    return table;
}

static cJSON *schema_of_analysis(const struct ws_analysis *analysis)
{
    char path[PATH_SIZE];
    cJSON *object = closed_object();
    snprintf(path, sizeof(path), "#/$defs/%s", analysis->name);
    add_description(object, analysis->summary);
    for (const struct ws_level *level = analysis->columns->levels; level->name != NULL; ++level)
        add_property(object, level->name, schema_of_table(analysis, level, schema_of_row(analysis, level)));
    add_members(object, analysis->members, path, 0);
    return object;
}

/* The same with --by or --fields. */
static cJSON *schema_of_chosen(const struct ws_analysis *analysis)
{
    char path[PATH_SIZE];
    cJSON *object = type_of("object");
    cJSON *properties = cJSON_AddObjectToObject(object, "properties");
    snprintf(path, sizeof(path), "#/$defs/%s_columns", analysis->name);
    for (const struct ws_level *level = analysis->columns->levels; level->name != NULL; ++level)
        ws_json_add(properties, level->name, schema_of_table(analysis, level, reference(path)));
    cJSON *rows = type_of("array");
    add_description(rows, "with --by: a row for each of these; then there is nothing else");
    ws_json_add(rows, "items", reference(path));
    ws_json_add(properties, "rows", rows);
    for (const struct ws_member *member = analysis->members; member != NULL && member->name != NULL;
         ++member) {
        snprintf(path, sizeof(path), "#/$defs/%s/properties/%s", analysis->name, member->name);
        ws_json_add(properties, member->name, reference(path));
    }
    cJSON_AddBoolToObject(object, "additionalProperties", false);
    return object;
}

/* {"properties": {"analyses": {"properties": {"divergence": {"$ref": "#/$defs/divergence"}, ...}}}} */
static cJSON *schema_of_analyses(const char *suffix)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    cJSON *schema = cJSON_CreateObject();
    cJSON *properties = cJSON_AddObjectToObject(
        cJSON_AddObjectToObject(cJSON_AddObjectToObject(schema, "properties"), "analyses"), "properties");
    for (size_t i = 0; list[i] != NULL; ++i) {
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "#/$defs/%s%s", list[i]->name, suffix);
        ws_json_add(properties, list[i]->name, reference(path));
    }
    return schema;
}

/* Rows have all columns of their table, unless the user chose others. */
static void add_choice(cJSON *schema)
{
    cJSON *all = cJSON_AddArrayToObject(schema, "allOf");
    cJSON *choice = ws_json_append(all, cJSON_CreateObject());
    cJSON *condition = cJSON_AddObjectToObject(choice, "if");
    cJSON *selection = cJSON_AddObjectToObject(cJSON_AddObjectToObject(condition, "properties"), "selection");
    cJSON *properties = cJSON_AddObjectToObject(selection, "properties");
    ws_json_add(properties, "by", type_of("null"));
    ws_json_add(properties, "fields", type_of("null"));
    ws_json_add(choice, "then", schema_of_analyses(""));
    ws_json_add(choice, "else", schema_of_analyses("_chosen"));
}

static cJSON *schema_of_definitions(void)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    cJSON *definitions = cJSON_CreateObject();
    for (size_t i = 0; list[i] != NULL; ++i) {
        char name[PATH_SIZE];
        ws_json_add(definitions, list[i]->name, schema_of_analysis(list[i]));
        snprintf(name, sizeof(name), "%s_columns", list[i]->name);
        ws_json_add(definitions, name, schema_of_columns(list[i]));
        snprintf(name, sizeof(name), "%s_chosen", list[i]->name);
        ws_json_add(definitions, name, schema_of_chosen(list[i]));
    }
    return definitions;
}

static cJSON *constant(cJSON *value)
{
    cJSON *schema = cJSON_CreateObject();
    ws_json_add(schema, "const", value);
    return schema;
}

static cJSON *schema_of_report(const struct ws_member *summary)
{
    const struct ws_analysis *const *list = ws_analysis_list();
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    cJSON_AddStringToObject(schema, "title", "A report of Warpscope");
    add_description(
        schema,
        "What `warpscope report --json` and `warpscope summary --json` print. Shares are from 0 to 1, "
        "sizes are bytes, members that end in _ns are nanoseconds, ids are those of the capture. "
        "null: there is no value. Integers have all their digits, also beyond 2^53.");
    close_object(schema);
    add_property(schema, "format", constant(cJSON_CreateString(WS_REPORT_FORMAT)));
    add_property(schema, "version", constant(cJSON_CreateNumber(WS_REPORT_VERSION)));
    add_members(schema, ws_report_members, "#", 0);
    cJSON *analyses = type_of("object");
    add_description(analyses, "what each analysis found");
    cJSON *names = cJSON_AddObjectToObject(analyses, "properties");
    for (size_t i = 0; list[i] != NULL; ++i)
        cJSON_AddBoolToObject(names, list[i]->name, true);
    cJSON *told = schema_of_members(summary, "#/properties/analyses/properties/summary", 0);
    add_description(told, "of `warpscope summary`, and of report without an analysis");
    ws_json_add(names, "summary", told);
    cJSON_AddBoolToObject(analyses, "additionalProperties", false);
    add_property(schema, "analyses", analyses);
    add_choice(schema);
    ws_json_add(schema, "$defs", schema_of_definitions());
    return schema;
}

/* What fits into a line stands in one. */
static bool print_value(const cJSON *value, uint32_t indent, FILE *stream)
{
    char *text = cJSON_PrintUnformatted(value);
    if (text == NULL)
        return false;
    bool printed = true;
    const bool has_items = cJSON_IsObject(value) || cJSON_IsArray(value);
    if (!has_items || strlen(text) + indent <= LINE_WIDTH) {
        fputs(text, stream);
    } else {
        fputc(cJSON_IsObject(value) ? '{' : '[', stream);
        for (const cJSON *item = value->child; item != NULL && printed; item = item->next) {
            fprintf(stream, "%s\n%*s", item != value->child ? "," : "", (int)indent + 2, "");
            if (cJSON_IsObject(value))
                fprintf(stream, "\"%s\": ", item->string);
            printed = print_value(item, indent + 2, stream);
        }
        fprintf(stream, "\n%*s%c", (int)indent, "", cJSON_IsObject(value) ? '}' : ']');
    }
    cJSON_free(text);
    return printed;
}

/* Prints the schema, and frees it. */
static bool print_schema(cJSON *schema, FILE *stream)
{
    const bool printed = schema != NULL && print_value(schema, 0, stream);
    fputc('\n', stream);
    cJSON_Delete(schema);
    return !ws_json_without_memory() && printed;
}

bool ws_schema_print(const struct ws_member *summary, FILE *stream)
{
    return print_schema(schema_of_report(summary), stream);
}

bool ws_schema_print_members(const char *title, const char *description, const char *format, uint32_t version,
                             const struct ws_member *members, FILE *stream)
{
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    cJSON_AddStringToObject(schema, "title", title);
    add_description(schema, description);
    close_object(schema);
    add_property(schema, "format", constant(cJSON_CreateString(format)));
    add_property(schema, "version", constant(cJSON_CreateNumber(version)));
    add_members(schema, members, "#", 0);
    return print_schema(schema, stream);
}
