/* The `warpscope` command: one function per subcommand. Each takes its own arguments, its name first, and
 * returns the exit status. Results go to stdout, everything else to stderr. */
#ifndef WS_ANALYSIS_COMMAND_COMMAND_H
#define WS_ANALYSIS_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"

enum ws_exit {
    WS_EXIT_GOOD = 0,
    WS_EXIT_FAILED = 1, /* what was asked for could not be done */
    WS_EXIT_USAGE = 2,  /* what was asked for makes no sense */
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

/* Reads the capture within the memory that captures may take, and shows the progress where stderr is a
 * terminal. See ws_report_read. */
bool ws_read_capture(struct ws_report *report, const char *path, struct ws_report_request *request,
                     struct ws_error *error);

/* Values of options. Each is false and sets `error`, naming the option and what is allowed. */

/* Names of passes, separated by commas, into `passes` (at most `capacity`); they point into ws_pass_list. */
bool ws_parse_passes(const char *text, const char **passes, size_t capacity, size_t *count,
                     struct ws_error *error);

/* Names of stages, "ray_tracing" and "all", separated by commas, as a mask of ws_stage. */
bool ws_parse_stages(const char *text, uint32_t *stages, struct ws_error *error);

/* A decimal number. */
bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error);

/* Appends to a list of names, separated by commas, in a buffer of `size` bytes; cut where it is full. */
void ws_append_name(char *names, size_t size, const char *name);

/* What the layer takes as a setting (layer/core/settings.c reads it again), checked before a program runs with it:
 * A-B, A- or A; a size of the record buffer; A-B/STEP; X0,Y0-X1,Y1 or X,Y; WxH/STEP. */
bool ws_check_range(const char *option, const char *text, struct ws_error *error);
bool ws_check_size(const char *option, const char *text, struct ws_error *error);
bool ws_check_threads(const char *option, const char *text, struct ws_error *error);
bool ws_check_pixels(const char *option, const char *text, struct ws_error *error);
bool ws_check_tile(const char *option, const char *text, struct ws_error *error);

#endif
