/* The table of the subcommands, their arguments and their options. What the command line understands (getopt's
 * arrays), --help, the man pages and the completions of shells are all made from it, so an option is one row:
 *
 *     {.name = "rows", .argument = "N", .id = OPTION_ROWS, .help = "at most N rows in each list; 0 = all"},
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_OPTIONS_H
#define WS_ANALYSIS_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "warpscope/error.h"

/* What a value is, for completion. */
enum ws_argument_kind {
    WS_ARGUMENT_ANY, /* nobody can guess it: a number, an expression */
    WS_ARGUMENT_CAPTURE,
    WS_ARGUMENT_FILE,
    WS_ARGUMENT_FOLDER,
    WS_ARGUMENT_CHOICE,  /* one of the choices */
    WS_ARGUMENT_CHOICES, /* some of them, with commas between */
    WS_ARGUMENT_PROGRAM, /* and behind it, its own arguments */
};

struct ws_option {
    const char *name;     /* without dashes; NULL ends a list of rows */
    char letter;          /* the short form; 0 = none */
    const char *argument; /* what the help calls its value; NULL = it takes none */
    int id;               /* for `take` */
    const char *help;  /* one short paragraph, which is wrapped; NULL = an older name, which is not shown */
    const char *more;  /* what only the man page has room for; may be NULL */
    const char *group; /* the line above it in --help; NULL = none: those come first */
    bool repeats;      /* it may be given with several values, all of which count; else that is an error */
    enum ws_argument_kind kind;
    /* Of a choice: value `index`, NULL after the last. Static strings. */
    const char *(*choice)(const struct ws_option *option, size_t index);
};

/* Takes one option that was given; `value` is NULL if it takes none. False and `error` if the value is wrong. */
typedef bool ws_take_option(void *request, const struct ws_option *option, const char *value,
                            struct ws_error *error);

/* Rows that a command understands. Several commands can have the same rows: each says where in its own request stands
 * what `take` receives. */
struct ws_option_table {
    const struct ws_option *rows;               /* the last has no name; NULL = the rows are made */
    const struct ws_option *(*make_rows)(void); /* returns rows that live as long as the process */
    ws_take_option *take;
    size_t offset; /* of what `take` receives, in the command's request */
};

/* An argument that is no option. */
struct ws_operand {
    const char *name;    /* in the usage: "FILE" */
    const char *missing; /* what is missing without it: "the capture to report"; NULL = it may be left out */
    bool repeats;        /* several may be given; only the last operand */
    enum ws_argument_kind kind;
    const char *(*choice)(size_t index); /* as of an option */
};

/* What `warpscope help NAME` explains, beside what stands in lists of its own. */
struct ws_chapter {
    const char *name;                          /* NULL ends a list of topics */
    void (*print)(size_t width, FILE *stream); /* lines at most `width` wide */
};

#define WS_TABLES_MAX   6
#define WS_OPERANDS_MAX 3
#define WS_OPTIONS_MAX  96 /* of one command; a unit test holds all commands against it */

struct ws_command {
    const char *name;
    const char *summary; /* what it does: one line in `warpscope --help` */
    const char *usage;   /* what follows the name */
    const char *about;   /* paragraphs, with line ends between them; they are wrapped */
    struct ws_option_table tables[WS_TABLES_MAX];    /* up to the first without `take` */
    struct ws_operand operands[WS_OPERANDS_MAX + 1]; /* up to the first without name */
    const char *examples;                            /* lines, each a command */
    const char *status;              /* a paragraph about its exit status; NULL = the usual one */
    const struct ws_chapter *topics; /* NULL = none */
    /* Prints what --help says between options and examples; NULL = nothing. */
    void (*print_more)(size_t width, FILE *stream);
    bool paged; /* it prints much: it has --color and --no-pager (terminal.h) */
    /* Runs it. The first argument is the name of the program. Returns the exit status (enum ws_exit). */
    int (*run)(int argument_count, char **arguments);
};

/* Every command, in the order of the help; NULL after the last. */
extern const struct ws_command *const ws_commands[];

/* Returns that command; NULL if there is none. */
const struct ws_command *ws_command_find(const char *name);

/* Returns row `index` of all options of a command, --help included, and the table that it stands in (`table` may be
 * NULL); NULL after the last. */
const struct ws_option *ws_command_option(const struct ws_command *command, size_t index,
                                          const struct ws_option_table **table);

/* Returns option `index` in the order of help: those without group, then group after group. NULL after the last. */
const struct ws_option *ws_command_option_by_group(const struct ws_command *command, size_t index);

/* Takes the arguments of a command, the first of which is no argument, into its `request`. Returns the operands, a list
 * that ends with NULL. Returns NULL if the command is done: --help was printed, or the arguments are wrong, which was
 * said; then `*status` is the exit status. */
char **ws_options_take(const struct ws_command *command, int argument_count, char **arguments, void *request,
                       int *status);

#endif
