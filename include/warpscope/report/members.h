/* Members of JSON that are no columns, declared, so that the schema (schema.h) has them. An analysis that writes
 * such members (ws_analysis.json), and a field with `json` (columns.h), declare them in a list:
 *
 *     static const struct ws_member place_members[] = {
 *         {"file", "string?", "path of the source, if known"},
 *         {"line", "integer?", "line in it, from 1"},
 *         {NULL}};
 *     static const struct ws_member members[] = {
 *         {"executions_too_wide", "integer", "executions with more lanes than the subgroup size"},
 *         {"ends", "object[]", "places where it ends", place_members},
 *         {NULL}};
 *
 * A member is always there: what has no value is null. */
#ifndef WARPSCOPE_REPORT_MEMBERS_H
#define WARPSCOPE_REPORT_MEMBERS_H

struct ws_member {
    const char *name; /* NULL after the last */
    /* "string", "boolean", "integer" (not negative), "number", "share" (0 to 1), "object" (`members` are its members)
     * or "self" (the object that has this member, again); behind it, in any number: "[]" a list of it, "{}" an
     * object with any names and such values, "?" that or null. "integer[]?" is a list of integers, or null. */
    const char *type;
    const char *help;                /* what it is, and its unit */
    const struct ws_member *members; /* of "object"; NULL for other types */
};

#endif
