/* The JSON Schema (draft 2020-12) of reports in JSON (report.h). It is made from the declarations that the reports are
 * made from: columns.h for tables, members.h for what is no table. So a member that is written and not declared, or
 * declared and not written, fails the test that holds reports against it (tests/reports/check_reports.py). Not thread-safe.
 *
 * schemas/report.schema.json is what ws_schema_print prints; a test compares the two. */
#ifndef WS_ANALYSIS_REPORT_SCHEMA_H
#define WS_ANALYSIS_REPORT_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "warpscope/report/members.h"

/* Prints the schema. `summary` are the members of analyses.summary, which is of a room above this one. False if there is
 * no memory. */
bool ws_schema_print(const struct ws_member *summary, FILE *stream);

/* Prints the schema of an object with `format`, `version` and these members: of other commands that print JSON. */
bool ws_schema_print_members(const char *title, const char *description, const char *format, uint32_t version,
                             const struct ws_member *members, FILE *stream);

#endif
