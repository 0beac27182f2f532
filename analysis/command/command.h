/* The `warpscope` command: one function for each subcommand, and what they share. Each takes its own
 * arguments, its name first, and returns the exit status. Results go to stdout, everything else to stderr. */
#ifndef WS_ANALYSIS_COMMAND_COMMAND_H
#define WS_ANALYSIS_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

enum ws_exit {
    WS_EXIT_GOOD = 0,
    WS_EXIT_FAILED = 1, /* something failed */
    WS_EXIT_USAGE = 2,  /* the arguments are wrong */
};

int ws_command_record(int argument_count, char **arguments);
int ws_command_report(int argument_count, char **arguments);
int ws_command_annotate(int argument_count, char **arguments);
int ws_command_export(int argument_count, char **arguments);
int ws_command_instrument(int argument_count, char **arguments);
int ws_command_list(int argument_count, char **arguments);

/* Prints "warpscope: ..." and a line end to stderr. */
__attribute__((format(printf, 1, 2))) void ws_say(const char *format, ...);

/* Says what is wrong with the arguments of `subcommand` and where help is. Returns WS_EXIT_USAGE. `format`
 * NULL: getopt has said it already. */
__attribute__((format(printf, 2, 3))) int ws_usage_error(const char *subcommand, const char *format, ...);

/* Flushes stdout. Returns `status`, or WS_EXIT_FAILED with a message where not everything could be written.
 */
int ws_finish_output(int status);

struct ws_report;
struct ws_report_request;

/* Reads the capture (ws_report_read) in at most the memory that a capture may take (memory_limit.h). Shows
 * the progress where stderr is a terminal. */
bool ws_read_capture(struct ws_report *report, const char *path, struct ws_report_request *request,
                     struct ws_error *error);

/* A decimal number as the value of `option`. False and `error`, naming the option and what is allowed. The
 * values of settings are read by passes/settings/settings.h. */
bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error);

struct ws_settings;

/* The value of --passes, at least one. False and `error` where it is wrong. */
bool ws_take_passes(struct ws_settings *settings, const char *text, struct ws_error *error);

/* Appends to a list of names, separated by commas, in a buffer of `size` bytes; cut where it is full. */
void ws_append_name(char *names, size_t size, const char *name);

#endif
