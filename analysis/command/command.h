/* The `warpscope` command: its subcommands (options.h), and what they share. Results go to stdout, everything else to
 * stderr.
 *
 * Functions that return bool return false after an error, which they write to `error`. Nothing here is
 * thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_COMMAND_H
#define WS_ANALYSIS_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/command/options.h"
#include "warpscope/error.h"

enum ws_exit {
    WS_EXIT_GOOD = 0,
    WS_EXIT_FAILED = 1, /* something failed */
    WS_EXIT_USAGE = 2,  /* the arguments are wrong */
    WS_EXIT_HOLDS = 3,  /* diff: a condition of --fail-if holds */
    WS_EXIT_CUT = 4,    /* the capture is cut short or damaged: what was printed or written is of the rest */
};

/* Said in the help of commands that read captures. */
#define WS_EXIT_CUT_HELP                                                                                     \
    "4 when the capture is cut short or damaged: what is shown then is of the rest, and stderr says what "   \
    "is "                                                                                                    \
    "missing"

/* Likewise, whole and in one line. */
#define WS_EXIT_READING_HELP "Exit status: 0; 1 failed; 2 wrong arguments; 4 capture cut short or damaged."

extern const struct ws_command ws_command_record;
extern const struct ws_command ws_command_summary;
extern const struct ws_command ws_command_report;
extern const struct ws_command ws_command_view;
extern const struct ws_command ws_command_html;
extern const struct ws_command ws_command_diff;
extern const struct ws_command ws_command_annotate;
extern const struct ws_command ws_command_export;
extern const struct ws_command ws_command_instrument;
extern const struct ws_command ws_command_probe;
extern const struct ws_command ws_command_list;
extern const struct ws_command ws_command_help;

/* Prints "warpscope: ", the message and a line end to stderr. Control characters in the message are made
 * harmless, because it may contain texts of a capture. */
__attribute__((format(printf, 1, 2))) void ws_say(const char *format, ...);

/* Prints what is wrong with the arguments of `subcommand`, then "Try 'warpscope SUBCOMMAND --help'.", to
 * stderr. Returns WS_EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int ws_usage_error(const char *subcommand, const char *format, ...);

/* The name that an analysis has now, which is said where it is not the one given; any other text as it is. */
const char *ws_say_new_name(const char *analysis);

/* Flushes stdout. Returns `status` if all output was written. Otherwise it prints a message and returns
 * WS_EXIT_FAILED. */
int ws_finish_output(int status);

/* What reading a capture may cost. Zero-initialised is the usual. */
struct ws_limits {
    uint64_t memory;  /* --max-memory, bytes; 0 = half of what is free (memory_limit.h) */
    uint32_t seconds; /* --max-seconds; 0 = as long as its size allows (warpscope/capture/budget.h) */
    bool quiet;       /* --quiet: no progress is shown */
};

/* Their options, and what takes them: `limits` is a struct ws_limits. */
extern const struct ws_option ws_limit_options[];
ws_take_option ws_take_limit;

struct ws_analysis_options;

/* The options that choose what of a capture is shown (warpscope/model/selection.h), and what takes them: `selection` is
 * a struct ws_selection. */
extern const struct ws_option ws_selection_options[];
ws_take_option ws_take_selection;

/* The devices whose caches are known, for --caches; NULL after the last. */
const char *ws_device_choice(const struct ws_option *option, size_t index);

/* Takes the value of --thread: X, X,Y or X,Y,Z. */
bool ws_take_thread(struct ws_analysis_options *options, const char *text, struct ws_error *error);

/* Take the values of --caches and --bvh. A name of no device, and settings that there are not, are wrong arguments, also where
 * no analysis asks for them then. What is in a file is looked at when it is read. */
bool ws_take_caches(struct ws_analysis_options *options, const char *text, struct ws_error *error);
bool ws_take_bvh(struct ws_analysis_options *options, const char *text, struct ws_error *error);

/* Limits the memory of the process, and begins the budget, for one reading of a capture. */
void ws_limit_reading(const struct ws_limits *limits);

/* Prints the error of a capture that could not be read to stderr. If memory was short, it adds the remedy. */
void ws_say_unread(const struct ws_error *error);

struct ws_near;

/* The end of a message about a name that is not there, in its `text`. */
struct ws_hint {
    char text[512];
};

/* Returns "; did you mean 'NAME'?", or where no name is near, "; there are: NAMES", or nothing where `names` is "". */
struct ws_hint ws_did_you_mean(const struct ws_near *near, const char *names);

struct ws_report;
struct ws_report_request;

/* Reads and analyses the capture at `path` (ws_report_read), within `limits`. If stderr is a terminal, it shows the progress
 * there (reading_progress.h). It sets request->progress and request->user itself. Where only a part could be read or
 * analysed (ws_report_is_whole), or the capture is cut short or damaged, it says so on stderr; the caller then returns
 * ws_reading_status. */
bool ws_read_capture(struct ws_report *report, const char *path, struct ws_report_request *request,
                     const struct ws_limits *limits, struct ws_error *error);

/* The exit status of a command that printed or wrote all that it read. */
int ws_reading_status(const struct ws_report *report);

/* Reads `text`, the value of `option`, as a decimal number from 0 to UINT32_MAX. The error names the option
 * and the numbers that are allowed. (Values of settings are read by passes/settings/settings.h.) */
bool ws_parse_number(const char *option, const char *text, uint32_t *number, struct ws_error *error);

/* The same of a number that must lie within bounds, which the error names. */
bool ws_parse_number_within(const char *option, const char *text, uint32_t least, uint32_t most,
                            uint32_t *number, struct ws_error *error);

/* Reads `text`, the value of `option`, as a number of bytes above 0 (ws_bytes_parse): "800M". */
bool ws_parse_size(const char *option, const char *text, uint64_t *size, struct ws_error *error);

struct ws_settings;

/* Reads `text`, the value of --passes, into `settings`. It is an error if it names no pass or an unknown
 * one. */
bool ws_take_passes(struct ws_settings *settings, const char *text, struct ws_error *error);

/* Appends `name` to the list `names`, with ", " between two names. `names` is a buffer of `size` bytes. A
 * list that is longer is cut. */
void ws_append_name(char *names, size_t size, const char *name);

/* What stands where a command is to write (outputs.c). A command replaces what it writes itself, a capture by a capture and a
 * page by a page, and nothing else: that may be all that there is of it. */
enum ws_there {
    WS_THERE_NOTHING, /* or what cannot be read */
    WS_THERE_EMPTY,
    WS_THERE_CAPTURE, /* it begins as one */
    WS_THERE_OTHER,
};
enum ws_there ws_what_is_there(const char *path);

/* Said in the help of commands that write files. */
#define WS_OUTPUTS_HELP "Only files of the same kind are replaced."

struct ws_file_kind;

/* Whether two paths, of which there need be no file yet, are of one file: the folders are the same, and the names in them. */
bool ws_output_is(const char *path, const char *other);

/* Kinds of an output, at most. */
#define WS_OUTPUT_KINDS 2

/* False and `error` where `path` is a file that `what` would overwrite: "--rays", "the page". It may be empty, or of one of
 * `kinds` (analysis/output/file_kind.h), of which a NULL is the last that is looked at. */
bool ws_output_check(const char *path, const char *what,
                     const struct ws_file_kind *const kinds[WS_OUTPUT_KINDS], struct ws_error *error);

#endif
